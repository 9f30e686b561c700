//! Random small characters, for the round trips and as seeds of broken files.
#![allow(dead_code, reason = "not every test file uses all of it")]

pub(crate) mod data;

use std::sync::Arc;

use glam::{DQuat, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use sinew::material::{AlphaMode, EncodedImage, Material, MaterialRun, NormalMap};
use sinew::mesh::{Group, RawMesh, RawShape};
use sinew::motion::{Channel, Clip, Curve, Interpolation, ShapeTrack, Tangents, Track};
use sinew::skeleton::{Joint, JointTransform, Skeleton};
use sinew::weights::SkinWeights;
use sinew::{Character, Part};

fn vec3() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-2.0f32..2.0).prop_map(Vec3::from)
}

fn dvec3() -> impl Strategy<Value = DVec3> {
    vec3().prop_map(Vec3::as_dvec3)
}

fn rotation() -> impl Strategy<Value = DQuat> {
    (dvec3(), -3.0..3.0f64).prop_map(|(axis, angle)| {
        DQuat::from_axis_angle(axis.try_normalize().unwrap_or(DVec3::X), angle)
    })
}

fn skeleton(max_joints: usize) -> impl Strategy<Value = Skeleton> {
    let joint =
        (any::<prop::sample::Index>(), any::<bool>(), dvec3(), rotation(), dvec3(), 0.5..2.0f64);
    prop::collection::vec(joint, 1..max_joints).prop_map(|joints| {
        let joints = joints.into_iter().enumerate().map(|(index, found)| {
            let (parent, is_root, translation, rotation, tail_in_joint, scale) = found;
            let has_parent = index > 0 && !(is_root && index % 3 == 0);
            Joint {
                name: format!("joint {index}"),
                parent: has_parent.then(|| parent.index(index) as u32),
                rest: JointTransform { translation, rotation, scale: DVec3::splat(scale) },
                tail_in_joint,
            }
        });
        Skeleton::new(joints.collect()).unwrap()
    })
}

fn part(num_joints: usize) -> impl Strategy<Value = Part> {
    // Some positions are used twice, so that there is something to weld.
    let vertex = (vec3(), vec3(), 0.0f32..1.0, any::<bool>());
    let corner = any::<prop::sample::Index>;
    (
        prop::collection::vec(vertex, 3..24),
        prop::collection::vec((corner(), corner(), corner()), 1..20),
        prop::collection::vec((0..num_joints as u32, 0.05f32..1.0), 1..11),
        0..3usize,
        any::<[bool; 4]>(),
    )
        .prop_map(move |(vertices, corners, influences, num_shapes, flags)| {
            let n = vertices.len();
            let [has_weights, has_normals, has_uvs, has_groups] = flags;
            let positions: Vec<Vec3> = (0..n)
                .map(|k| if vertices[k].3 && k > 0 { vertices[k / 2].0 } else { vertices[k].0 })
                .collect();
            let rows = (0..n)
                .map(|k| influences.iter().copied().cycle().skip(k).take(1 + k % influences.len()));
            let triangles: Vec<[u32; 3]> = corners
                .iter()
                .map(|(a, b, c)| [a.index(n) as u32, b.index(n) as u32, c.index(n) as u32])
                .collect();
            let end = triangles.len() as u32;
            let group = |name: &str, triangles| Group { name: name.into(), triangles };
            let raw = RawMesh {
                name: "part".into(),
                normals: if has_normals {
                    vertices.iter().map(|v| v.1.try_normalize().unwrap_or(Vec3::Y)).collect()
                } else {
                    vec![]
                },
                uvs: if has_uvs {
                    vertices.iter().map(|v| Vec2::new(v.2, v.2 * 0.5)).collect()
                } else {
                    vec![]
                },
                groups: match (has_groups, end) {
                    (false, _) => vec![],
                    (true, 1) => vec![group("all", 0..1)],
                    (true, _) => vec![group("first", 0..1), group("last", end - 1..end)],
                },
                weights: has_weights.then(|| SkinWeights::from_rows(rows, num_joints).0),
                shapes: (0..num_shapes)
                    .map(|s| RawShape {
                        name: format!("shape {s}"),
                        deltas: vertices.iter().map(|v| v.1 * (s as f32 + 0.5)).collect(),
                    })
                    .collect(),
                positions,
                triangles,
            };
            let mut part = raw.weld().unwrap().part;
            for (shape, weight) in part.shapes.iter_mut().zip([0.25, 0.0, -1.5]) {
                shape.rest_weight = weight;
            }
            part
        })
}

/// What the curves of a clip have in common.
#[derive(Clone, Debug)]
struct Keys {
    times_seconds: Vec<f64>,
    vectors: Vec<DVec3>,
    rotations: Vec<DQuat>,
    kind: u8,
}

impl Keys {
    fn curve<T: Copy>(&self, values: Vec<T>, tangents: &[T]) -> Curve<T> {
        let interpolation = match self.kind {
            0 => Interpolation::Step,
            1 => Interpolation::Linear,
            // A cubic curve has at least two keys in glTF.
            _ if self.times_seconds.len() < 2 => Interpolation::Linear,
            _ => {
                let pair = |k: usize| Tangents { incoming: tangents[k], outgoing: tangents[k / 2] };
                Interpolation::Cubic((0..values.len()).map(pair).collect())
            }
        };
        Curve { times_seconds: self.times_seconds.clone(), values, interpolation }
    }
}

/// Step, linear or cubic curves of everything that a joint has and, if the first part has shapes,
/// of their weights.
fn clip(num_joints: usize, num_shapes: usize) -> impl Strategy<Value = Clip> {
    let key = (0.01f64..1.0, dvec3(), rotation());
    (prop::collection::vec(key, 1..5), 0..num_joints as u32, 0..3u8).prop_map(
        move |(keys, joint, kind)| {
            let times = keys.iter().scan(0.0f32, |time, key| {
                *time += key.0 as f32;
                Some(f64::from(*time))
            });
            let keys = Keys {
                times_seconds: times.collect(),
                vectors: keys.iter().map(|key| key.1).collect(),
                rotations: keys.iter().map(|key| key.2).collect(),
                kind,
            };
            let slopes: Vec<DQuat> = keys.rotations.iter().map(|q| *q * -0.5).collect();
            let vectors = || keys.curve(keys.vectors.clone(), &keys.vectors);
            let channels = [
                Channel::Translation(vectors()),
                Channel::Rotation(keys.curve(keys.rotations.clone(), &slopes)),
                Channel::Scale(vectors()),
            ];
            let weights: Vec<f32> = keys
                .vectors
                .iter()
                .flat_map(|v| (0..num_shapes).map(move |shape| v.x as f32 + shape as f32))
                .collect();
            let slopes: Vec<f32> = weights.iter().map(|w| 2.0 * w).collect();
            let shape_track =
                ShapeTrack { part: 0, num_shapes, weights: keys.curve(weights, &slopes) };
            Clip {
                name: "move".into(),
                tracks: channels.into_iter().map(|channel| Track { joint, channel }).collect(),
                shape_tracks: if num_shapes > 0 { vec![shape_track] } else { Vec::new() },
                ..Clip::default()
            }
        },
    )
}

/// Characters with joints, several parts, weights of up to ten influences, shapes, groups and
/// clips.
pub(crate) fn character() -> impl Strategy<Value = Character> {
    skeleton(9).prop_flat_map(|skeleton| {
        let n = skeleton.len();
        let parts = prop::collection::vec(part(n), 1..4);
        (parts, Just(skeleton))
            .prop_flat_map(move |(parts, skeleton)| {
                let clips = prop::collection::vec(clip(n, parts[0].shapes.len()), 0..3);
                (Just(parts), clips, Just(skeleton))
            })
            .prop_map(|(parts, clips, skeleton)| Character {
                name: "random".into(),
                parts,
                skeleton,
                clips,
                ..Character::default()
            })
    })
}

/// A PNG of one grey pixel.
pub(crate) const PNG: &[u8] = b"\
    \x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x00\x00\x00\x00\x3a\x7e\x9b\x55\x00\x00\x00\x0a\x49\x44\x41\x54\x78\xda\x63\x68\x00\x00\x00\
    \x82\x00\x81\xda\x45\x08\x3b\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

/// A small character with everything, always the same.
pub(crate) fn everything() -> Character {
    let joint = |name: &str, parent, translation| Joint {
        name: name.into(),
        parent,
        rest: JointTransform { translation, ..JointTransform::IDENTITY },
        tail_in_joint: DVec3::Y,
    };
    let skeleton = Skeleton::new(vec![
        joint("root", None, DVec3::new(0.25, 0.0, 0.0)),
        joint("tip", Some(0), DVec3::Y),
    ])
    .unwrap();
    let positions: Vec<Vec3> =
        [[0., 0., 0.], [1., 0., 0.], [1., 2., 0.], [0., 2., 0.], [1., 0., 0.], [2., 1., 0.5]]
            .map(Vec3::from)
            .to_vec();
    let rows = (0..6).map(|k| vec![(0, 1.0 - 0.2 * k as f32 * 0.5), (1, 0.2 * k as f32 * 0.5)]);
    let mut weights_rows: Vec<Vec<(u32, f32)>> = rows.collect();
    weights_rows[4] = weights_rows[1].clone();
    let raw = RawMesh {
        name: "body".into(),
        normals: vec![Vec3::Z; 6],
        uvs: positions.iter().map(|p| Vec2::new(p.x * 0.5, p.y * 0.25)).collect(),
        triangles: vec![[0, 1, 2], [0, 2, 3], [4, 5, 2]],
        groups: vec![Group { name: "cloth".into(), triangles: 0..2 }],
        weights: Some(SkinWeights::from_rows(weights_rows, 2).0),
        shapes: vec![RawShape { name: "puff".into(), deltas: vec![Vec3::Z * 0.125; 6] }],
        positions,
    };
    let times = || vec![0.0, 0.5, 1.0];
    let track = |channel| Track { joint: 1, channel };
    let turn = [0.0, 0.5, 1.0].map(DQuat::from_rotation_z).to_vec();
    let slopes =
        [1.0, 0.0, -1.0].map(|x| Tangents { incoming: DVec3::X * x, outgoing: DVec3::Z * x });
    let lift = Curve::cubic(times(), vec![DVec3::Y; 3], slopes.to_vec());
    let clips = vec![Clip {
        name: "bend".into(),
        tracks: vec![
            track(Channel::Rotation(Curve::linear(times(), turn))),
            track(Channel::Translation(lift)),
        ],
        shape_tracks: vec![ShapeTrack {
            part: 0,
            num_shapes: 1,
            weights: Curve::linear(times(), vec![0.0, 1.0, 0.25]),
        }],
        ..Clip::default()
    }];
    let mut part = raw.weld().unwrap().part;
    part.shapes[0].rest_weight = 0.5;
    // Inside of the group: primitives are cut where either changes.
    part.materials = vec![
        MaterialRun { triangles: 1..2, material: 0 },
        MaterialRun { triangles: 2..3, material: 1 },
    ];
    // One pixel.
    let bytes = PNG.to_vec();
    let image = EncodedImage { name: "hide".into(), media_type: "image/png", bytes };
    let material = |name: &str, image| Material {
        name: name.into(),
        base_color: [0.5, 0.25, 1.0, 1.0],
        image,
        ..Material::default()
    };
    let image = Arc::new(image);
    let bumpy = Material {
        alpha: AlphaMode::Mask { cutoff: 0.25 },
        normal_map: Some(NormalMap { image: Arc::clone(&image), scale: 0.5 }),
        is_two_sided: true,
        ..material("hide", Some(image))
    };
    let materials = vec![Material { alpha: AlphaMode::Blend, ..material("plain", None) }, bumpy];
    Character {
        name: "everything".into(),
        parts: vec![part],
        skeleton,
        clips,
        materials,
        ..Character::default()
    }
}
