//! A character that has one of everything that a frame must agree on: meshes with and without
//! weights, shapes, seams, a rigid piece, and a clip that moves joints and shapes.

use glam::{DQuat, DVec3, Vec3};

use crate::character::{Character, Part};
use crate::driver::{
    Control, Drive, Driver, Example, ExampleJoint, ExampleTurn, Input, Property, ShapeIndex, Value,
};
use crate::mesh::{RawMesh, RawShape};
use crate::motion::{Channel, Clip, Curve, Interpolation, ShapeTrack, Track};
use crate::rigging;
use crate::sample::{SampleError, SampleKind, SampleOptions, build};
use crate::skeleton::{Pose, Skeleton};
use crate::weights::SkinWeights;

/// The troupe's clip.
pub const TROUPE_CLIP: &str = "everything";

/// The meshes of [`troupe`], in order: a skin with shapes, a sleeve around it, a piece on one
/// joint, a floor without weights.
pub const TROUPE_MESHES: [&str; 4] = ["Body", "Sleeve", "Buckle", "Floor"];

/// One of everything, around the skeleton of the cylinder sample.
///
/// # Errors
/// If the sample cannot be built, which is a fault of ours.
pub fn troupe() -> Result<Character, SampleError> {
    let options = SampleOptions { points: Some(600), ..SampleOptions::new(SampleKind::Cylinder) };
    let mut character = build(&options)?;
    let body = character.parts.remove(0);
    character.name = "troupe".into();
    character.parts = vec![dressed(&body), sleeve(&body), buckle(), floor()];
    character.clips = vec![clip(&character.skeleton)];
    Ok(character)
}

/// The troupe with a half-way helper, a shape by a formula over a bend and a control (`puff`), and
/// a shape by an example pose: what drivers do must be the same everywhere.
///
/// # Errors
/// If the sample cannot be built or driven, which is a fault of ours.
pub fn driven_troupe() -> Result<Character, Box<dyn std::error::Error>> {
    let mut character = rigging::add_half_way(&troupe()?, 1)?;
    let bend = Input::Joint { joint: 1, property: Property::Swing };
    let lean = Drive::Formula {
        value: Value::Shape { shape: ShapeIndex { part: 0, shape: 1 } },
        formula: "clamp(bend / 90, 0, 1) * (puff - 0.5)".into(),
        inputs: [("bend".to_owned(), bend)].into(),
    };
    let turn = ExampleTurn { swing: DQuat::from_rotation_x(1.5), twist_radians: 0.0 };
    let belly = Drive::Examples {
        joints: vec![ExampleJoint { joint: 1, swing: true, twist: false }],
        shapes: vec![ShapeIndex { part: 0, shape: 0 }],
        examples: vec![Example { turns: vec![turn], weights: vec![0.75] }],
    };
    let drivers = &mut character.drivers;
    drivers.controls = vec![Control { name: "puff".into(), rest: 0.25, range: [0.0, 1.0] }];
    drivers.list.push(Driver::new("lean", lean));
    drivers.list.push(Driver::new("belly", belly));
    Ok(character)
}

/// The troupe's hardest pose: every joint turned, moved and scaled, every bone stretched, and more
/// than a whole twist.
pub fn troupe_pose(character: &Character) -> Pose {
    let mut pose = super::FixturePose::Scaled.of(character);
    let last = pose.joints.len() - 1;
    pose.joints[last].translation += DVec3::new(0.05, 0.1, -0.02);
    pose.joints[last].twist_radians += 7.0;
    pose
}

fn raw(name: &str, mesh: &crate::mesh::Mesh, weights: Option<SkinWeights>) -> RawMesh {
    RawMesh {
        name: name.into(),
        positions: mesh.vertex_positions().to_vec(),
        normals: mesh.vertex_normals().to_vec(),
        uvs: mesh.vertex_uvs().to_vec(),
        triangles: mesh.triangles().to_vec(),
        weights,
        ..RawMesh::default()
    }
}

fn welded(raw: RawMesh) -> Part {
    match raw.weld() {
        Ok(welded) => welded.part,
        Err(error) => unreachable!("the troupe's meshes are meshes: {error}"),
    }
}

/// The sample's skin, with two shapes: one belly, one of a lean to the side.
fn dressed(body: &Part) -> Part {
    let weights =
        body.weights.as_ref().map(|weights| weights.select_rows(body.mesh.point_of_vertex()));
    let mut raw = raw(TROUPE_MESHES[0], &body.mesh, weights);
    let bump = |p: &Vec3| {
        let outwards = Vec3::new(p.x, 0.0, p.z).normalize_or_zero();
        outwards * 0.2 * (1.0 - (p.y - 1.2).powi(2)).max(0.0)
    };
    let lean = |p: &Vec3| Vec3::new(0.1 * p.y, 0.0, 0.02 * p.y * p.y);
    raw.shapes = vec![
        RawShape { name: "belly".into(), deltas: raw.positions.iter().map(bump).collect() },
        RawShape { name: "lean".into(), deltas: raw.positions.iter().map(lean).collect() },
    ];
    welded(raw)
}

/// A shell a little further out, with seams where every triangle has vertices of its own.
fn sleeve(body: &Part) -> Part {
    let mesh = &body.mesh;
    let weights = body.weights.as_ref().map(|weights| {
        let corners = mesh.triangles().iter().flatten();
        let points: Vec<u32> =
            corners.map(|&vertex| mesh.point_of_vertex()[vertex as usize]).collect();
        weights.select_rows(&points)
    });
    let corner = |&vertex: &u32| {
        let p = mesh.vertex_positions()[vertex as usize];
        Vec3::new(1.1 * p.x, p.y, 1.1 * p.z)
    };
    let positions: Vec<Vec3> = mesh.triangles().iter().flatten().map(corner).collect();
    let flat = |t: &[Vec3]| [(t[1] - t[0]).cross(t[2] - t[0]).normalize_or(Vec3::Y); 3];
    let triangles = (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
    welded(RawMesh {
        name: TROUPE_MESHES[1].into(),
        normals: positions.chunks_exact(3).flat_map(flat).collect(),
        triangles: triangles.collect(),
        positions,
        weights,
        ..RawMesh::default()
    })
}

/// A tetrahedron that one joint moves.
fn buckle() -> Part {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    welded(RawMesh {
        name: TROUPE_MESHES[2].into(),
        positions: corners.map(|p| Vec3::new(0.6, 1.5, 0.0) + 0.2 * p).to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        weights: Some(SkinWeights::rigid(&[1; 4])),
        ..RawMesh::default()
    })
}

/// A square that nothing moves.
fn floor() -> Part {
    let corner = |x: f32, z: f32| Vec3::new(2.0 * x, -0.1, 2.0 * z);
    welded(RawMesh {
        name: TROUPE_MESHES[3].into(),
        positions: vec![corner(-1.0, -1.0), corner(-1.0, 1.0), corner(1.0, 1.0), corner(1.0, -1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..RawMesh::default()
    })
}

fn clip(skeleton: &Skeleton) -> Clip {
    let times_seconds = vec![0.0, 0.5, 1.0];
    let last = skeleton.len() as u32 - 1;
    let joint = &skeleton.joints()[last as usize];
    let turn = |degrees: f64| {
        joint.rest.rotation * DQuat::from_axis_angle(DVec3::X, f64::to_radians(degrees))
    };
    let curve = |values| Curve {
        times_seconds: times_seconds.clone(),
        values,
        interpolation: Interpolation::Linear,
    };
    let turns = curve(vec![turn(0.0), turn(80.0), turn(30.0)]);
    let moved = joint.rest.translation + DVec3::new(0.0, 0.2, 0.0);
    let ways = Curve {
        times_seconds: times_seconds.clone(),
        values: vec![joint.rest.translation, moved, joint.rest.translation],
        interpolation: Interpolation::Linear,
    };
    let weights = Curve {
        times_seconds: times_seconds.clone(),
        values: vec![0.0, 0.0, 1.0, -0.5, 0.25, 0.5],
        interpolation: Interpolation::Linear,
    };
    let tracks = vec![
        Track { joint: last, channel: Channel::Rotation(turns) },
        Track { joint: last, channel: Channel::Translation(ways) },
    ];
    let shape_tracks = vec![ShapeTrack { part: 0, num_shapes: 2, weights }];
    Clip { name: TROUPE_CLIP.into(), tracks, shape_tracks, ..Clip::default() }
}
