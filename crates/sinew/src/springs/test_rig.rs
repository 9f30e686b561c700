//! Rigs for tests: a sample with closest-bone attachments, and what a pose does to it.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use crate::Character;
use crate::attach::Attachment;
use crate::mesh::Adjacency;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose};
use crate::skin::{Skin, SkinInput, SkinMethod};
use crate::springs::paper::{PaperFrame, PaperInput, PosedBone};
use crate::springs::{Coefficients, Pin, ScaleEdit, SpringSettings};

/// A mesh on bones, with attachments.
pub(crate) struct Rig {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub adjacency: Adjacency,
    pub attachments: Vec<Attachment>,
    pub bones: Vec<[DVec3; 2]>,
    pub coefficients: Coefficients,
    pub step_seconds: f32,
    pub character: Option<Character>,
}

/// A posed rig.
#[derive(Clone)]
pub(crate) struct Posed {
    pub start: Vec<Vec3>,
    pub bones: Vec<PosedBone>,
    pub iterations: u32,
    pub threshold: f32,
    pub pins: Vec<Pin>,
    pub edits: Vec<ScaleEdit>,
}

impl Rig {
    /// Bare points on bones given as head and tail; each point holds on to the closest.
    pub(crate) fn new(
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        bones: &[[DVec3; 2]],
    ) -> Self {
        let attach = |p: &Vec3| {
            let p = p.as_dvec3();
            (0..bones.len() as u32)
                .map(|joint| project(bones, joint, p))
                .min_by(|a, b| a.place.distance(p).total_cmp(&b.place.distance(p)))
                .unwrap()
        };
        Self {
            attachments: positions.iter().map(attach).collect(),
            adjacency: Adjacency::of_triangles(positions.len(), &triangles),
            positions,
            triangles,
            bones: bones.to_vec(),
            coefficients: Coefficients::default(),
            step_seconds: SpringSettings::PAPER_STEP_SECONDS,
            character: None,
        }
    }

    /// Has a point hold on to another bone.
    pub(crate) fn attach(&mut self, point: usize, joint: u32) {
        self.attachments[point] = project(&self.bones, joint, self.positions[point].as_dvec3());
    }

    /// Moves the rest: points, bones and the places on them.
    pub(crate) fn reshape(&mut self, moved: impl Fn(DVec3) -> DVec3) {
        for p in &mut self.positions {
            *p = moved(p.as_dvec3()).as_vec3();
        }
        for end in self.bones.as_flattened_mut() {
            *end = moved(*end);
        }
        for attachment in &mut self.attachments {
            let [head, tail] = self.bones[attachment.joint as usize];
            attachment.place = head + (tail - head) * attachment.along;
        }
    }

    /// A sample of about so many points.
    pub(crate) fn sample(kind: SampleKind, points: usize) -> Self {
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = build(&options).unwrap();
        let skeleton = &character.skeleton;
        let bones: Vec<[DVec3; 2]> =
            (0..skeleton.len() as u32).map(|joint| skeleton.rest_bone(joint)).collect();
        let mesh = &character.parts[0].mesh;
        let mut rig = Self::new(mesh.points().to_vec(), mesh.point_triangles().to_vec(), &bones);
        rig.character = Some(character);
        rig
    }

    pub(crate) fn input(&self) -> PaperInput<'_> {
        PaperInput {
            positions: &self.positions,
            triangles: &self.triangles,
            adjacency: &self.adjacency,
            attachments: &self.attachments,
            bones: &self.bones,
            coefficients: &self.coefficients,
            step_seconds: self.step_seconds,
            order: &[],
        }
    }

    /// Joints moved by rotations and translations, each by itself; the start follows the
    /// attachments' joints, as the paper's first stage.
    pub(crate) fn moved(&self, model_from_rest: &[DAffine3]) -> Posed {
        let start = self
            .positions
            .iter()
            .zip(&self.attachments)
            .map(|(p, at)| {
                model_from_rest[at.joint as usize].transform_point3(p.as_dvec3()).as_vec3()
            })
            .collect();
        let bones = self
            .bones
            .iter()
            .zip(model_from_rest)
            .map(|([head, tail], m)| PosedBone {
                model_from_rest: *m,
                rotation: DQuat::from_mat3(&m.matrix3).normalize(),
                gap: DVec3::ZERO,
                direction: m.transform_vector3((*tail - *head).try_normalize().unwrap_or(DVec3::Y)),
            })
            .collect();
        Posed { start, bones, iterations: 50, threshold: 0.0, pins: Vec::new(), edits: Vec::new() }
    }

    pub(crate) fn rest(&self) -> Posed {
        self.moved(&vec![DAffine3::IDENTITY; self.bones.len()])
    }

    /// A sample's palette with joint 1 bent about x and twisted, degrees.
    pub(crate) fn palette(&self, bend: f64, twist: f64) -> Palette {
        let skeleton = &self.character.as_ref().unwrap().skeleton;
        let mut pose = Pose::rest(skeleton);
        pose.joints[1].swing = DQuat::from_rotation_x(bend.to_radians());
        pose.joints[1].twist_radians = twist.to_radians();
        Palette::new(skeleton, &pose)
    }

    /// A sample with joint 1 turned, started from rigid skin.
    pub(crate) fn turned(&self, bend: f64, twist: f64) -> Posed {
        self.moved(self.palette(bend, twist).model_from_rest())
    }

    /// What a classic method makes of a palette.
    pub(crate) fn skinned(&self, method: SkinMethod, palette: &Palette) -> Vec<Vec3> {
        let character = self.character.as_ref().unwrap();
        let weights = character.parts[0].weights.as_ref().unwrap();
        let input = SkinInput {
            skeleton: &character.skeleton,
            positions: &self.positions,
            normals: &[],
            weights,
            triangles: &self.triangles,
        };
        let mut out = self.positions.clone();
        Skin::bind(method, &input, &Silent).unwrap().deform(palette, &mut out, &mut []);
        out
    }

    pub(crate) fn smallest_side(&self) -> f64 {
        let bounds = crate::mesh::Aabb::around(self.positions.iter().copied());
        f64::from(bounds.size().min_element())
    }
}

impl Posed {
    pub(crate) fn frame(&self) -> PaperFrame<'_> {
        PaperFrame {
            start: &self.start,
            bones: &self.bones,
            iterations: self.iterations,
            threshold: self.threshold,
            pins: &self.pins,
            within: None,
            edits: &self.edits,
        }
    }

    /// Everything moved once more.
    pub(crate) fn then(&self, m: DAffine3) -> Self {
        Self {
            start: self.start.iter().map(|p| m.transform_point3(p.as_dvec3()).as_vec3()).collect(),
            bones: self
                .bones
                .iter()
                .map(|bone| PosedBone {
                    model_from_rest: m * bone.model_from_rest,
                    rotation: DQuat::from_mat3(&m.matrix3) * bone.rotation,
                    gap: m.transform_vector3(bone.gap),
                    direction: m.transform_vector3(bone.direction),
                })
                .collect(),
            ..self.clone()
        }
    }
}

fn project(bones: &[[DVec3; 2]], joint: u32, p: DVec3) -> Attachment {
    let [head, tail] = bones[joint as usize];
    let bone = tail - head;
    let along = (p - head).dot(bone) / bone.length_squared().max(f64::MIN_POSITIVE);
    let along = along.clamp(0.0, 1.0);
    Attachment { joint, along, place: head + bone * along }
}

/// The largest distance between two shapes.
pub(crate) fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()))
        // Unlike `f64::max`, this does not lose what is not a number.
        .fold(0.0, |largest, d| if d <= largest { largest } else { d })
}
