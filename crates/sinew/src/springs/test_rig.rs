//! Rigs for tests: a sample with closest-bone attachments, and what a pose does to it.

use glam::{DAffine3, DQuat, DVec3, Vec3};

use crate::Character;
use crate::mesh::Adjacency;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose};
use crate::skin::{Skin, SkinInput, SkinMethod};
use crate::springs::paper::{PaperFrame, PaperInput};
use crate::springs::{Coefficients, Pin};

/// A mesh on bones, with attachments.
pub(crate) struct Rig {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub adjacency: Adjacency,
    pub joint_of_point: Vec<u32>,
    pub attachments: Vec<DVec3>,
    pub bone_directions: Vec<DVec3>,
    pub coefficients: Coefficients,
    pub character: Option<Character>,
}

/// A posed rig.
#[derive(Clone)]
pub(crate) struct Posed {
    pub start: Vec<Vec3>,
    pub model_from_rest: Vec<DAffine3>,
    pub bone_directions: Vec<DVec3>,
    pub iterations: u32,
    pub threshold: f32,
    pub pins: Vec<Pin>,
}

impl Rig {
    /// Bare points on bones given as head and tail; each point holds on to the closest.
    pub(crate) fn new(
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        bones: &[[DVec3; 2]],
    ) -> Self {
        let closest = |p: DVec3, [head, tail]: [DVec3; 2]| {
            let along = tail - head;
            let t = (p - head).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            head + along * t.clamp(0.0, 1.0)
        };
        let attach = |p: &Vec3| {
            let p = p.as_dvec3();
            (0..bones.len() as u32)
                .map(|joint| (joint, closest(p, bones[joint as usize])))
                .min_by(|a, b| a.1.distance(p).total_cmp(&b.1.distance(p)))
                .unwrap()
        };
        let (joint_of_point, attachments) = positions.iter().map(attach).unzip();
        Self {
            adjacency: Adjacency::of_triangles(positions.len(), &triangles),
            positions,
            triangles,
            joint_of_point,
            attachments,
            bone_directions: bones.iter().map(|[head, tail]| *tail - *head).collect(),
            coefficients: Coefficients::default(),
            character: None,
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
            joint_of_point: &self.joint_of_point,
            attachments: &self.attachments,
            bone_directions: &self.bone_directions,
            coefficients: &self.coefficients,
            order: &[],
        }
    }

    /// Joints moved by transforms; the start follows the attachments' joints, as the paper's first stage.
    pub(crate) fn moved(&self, model_from_rest: Vec<DAffine3>) -> Posed {
        let start = self
            .positions
            .iter()
            .zip(&self.joint_of_point)
            .map(|(p, &joint)| {
                model_from_rest[joint as usize].transform_point3(p.as_dvec3()).as_vec3()
            })
            .collect();
        let bone_directions = self
            .bone_directions
            .iter()
            .zip(&model_from_rest)
            .map(|(direction, m)| m.transform_vector3(*direction))
            .collect();
        Posed {
            start,
            model_from_rest,
            bone_directions,
            iterations: 50,
            threshold: 0.0,
            pins: Vec::new(),
        }
    }

    pub(crate) fn rest(&self) -> Posed {
        self.moved(vec![DAffine3::IDENTITY; self.bone_directions.len()])
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
        self.moved(self.palette(bend, twist).model_from_rest().to_vec())
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
            model_from_rest: &self.model_from_rest,
            bone_directions: &self.bone_directions,
            iterations: self.iterations,
            threshold: self.threshold,
            pins: &self.pins,
            within: None,
            edits: &[],
        }
    }

    /// Everything moved once more.
    pub(crate) fn then(&self, m: DAffine3) -> Self {
        Self {
            start: self.start.iter().map(|p| m.transform_point3(p.as_dvec3()).as_vec3()).collect(),
            model_from_rest: self.model_from_rest.iter().map(|j| m * *j).collect(),
            bone_directions: self
                .bone_directions
                .iter()
                .map(|direction| m.transform_vector3(*direction))
                .collect(),
            ..self.clone()
        }
    }
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
