//! One suite for every twin: fixtures, what each method must give on them, and the largest
//! difference.
//!
//! A back end (the fast CPU path in either order, the GPU) deforms the fixtures; the f64 reference
//! says what is right; [`largest_difference`] is over the bounding-box diagonal. The suite has a
//! negative control: a fixture with one weight perturbed must be caught.

mod troupe;

pub use troupe::{TROUPE_CLIP, TROUPE_MESHES, driven_troupe, troupe, troupe_pose};

use glam::{DQuat, DVec3, Vec3};

use crate::character::Character;
use crate::sample::{SampleError, SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::skin::{ReferenceSkin, SkinInput, SkinMethod};
use crate::weights::SkinWeights;

/// Fast CPU paths against the f64 reference, over the diagonal: a handful of f32 roundings in a
/// blend of four matrices and a product.
pub const CPU_TOLERANCE: f64 = 2e-6;

/// Unit normals against the f64 reference: the same roundings, and a square root.
pub const CPU_NORMAL_TOLERANCE: f64 = 1e-5;

/// A graphics card against the f64 reference, over the diagonal: everything is f32 there, from the
/// joints' own transforms on.
pub const GPU_TOLERANCE: f64 = 2e-5;

/// Unit normals on a graphics card against the f64 reference: as much, where a normal is as well
/// known as its point.
pub const GPU_NORMAL_TOLERANCE: f64 = 5e-5;

/// Blends what joints do by the points' weights. Rigid skinning sees only which weight is largest,
/// and bone-smooth takes shares of its own along the bones.
pub const fn blends_weights(method: SkinMethod) -> bool {
    match method {
        SkinMethod::Linear | SkinMethod::DualQuat | SkinMethod::CenterOfRotation => true,
        SkinMethod::Rigid | SkinMethod::BoneSmooth => false,
    }
}

/// A mesh in a pose.
pub struct Fixture {
    /// Sample and pose, for messages.
    pub name: String,
    /// Rest positions of the render vertices.
    pub positions: Vec<Vec3>,
    /// Rest normals of the render vertices.
    pub normals: Vec<Vec3>,
    /// Weights of the render vertices.
    pub weights: SkinWeights,
    /// Over render vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The joints.
    pub skeleton: Skeleton,
    /// The pose.
    pub pose: Pose,
    /// What the joints do in it.
    pub palette: Palette,
}

impl Fixture {
    /// What a skin is bound to.
    pub fn input(&self) -> SkinInput<'_> {
        SkinInput {
            positions: &self.positions,
            normals: &self.normals,
            weights: &self.weights,
            triangles: &self.triangles,
            skeleton: &self.skeleton,
        }
    }

    /// The diagonal of the rest positions.
    pub fn diagonal(&self) -> f64 {
        f64::from(crate::mesh::Aabb::around(self.positions.iter().copied()).diagonal())
    }

    /// The f64 twin.
    ///
    /// # Panics
    /// If the fixture is not a mesh, which is a fault of whoever made it.
    pub fn reference(&self, method: SkinMethod) -> ReferenceSkin<'_> {
        match ReferenceSkin::bind(method, &self.input()) {
            Ok(skin) => skin,
            Err(error) => panic!("{} cannot be bound: {error}", self.name),
        }
    }

    /// Positions by the f64 reference.
    pub fn reference_positions(&self, method: SkinMethod) -> Vec<DVec3> {
        self.reference(method).positions(&self.palette)
    }

    /// The same fixture with some weight of one point moved by `amount` to another of its joints:
    /// the negative control.
    #[must_use]
    pub fn with_perturbed_weight(&self, amount: f32) -> Self {
        let victim = (0..self.weights.num_points())
            .find(|&p| self.weights.row(p).len() > 1 && self.weights.row(p)[0].weight > amount)
            .unwrap_or(0);
        let rows = self.weights.rows().enumerate().map(|(point, row)| {
            let mut row: Vec<(u32, f32)> = row.iter().map(|i| (i.joint, i.weight)).collect();
            if point == victim && row.len() > 1 {
                row[0].1 -= amount;
                row[1].1 += amount;
            }
            row
        });
        let weights = SkinWeights::from_rows(rows, self.palette.len()).0;
        Self {
            name: format!("{}, one weight perturbed", self.name),
            positions: self.positions.clone(),
            normals: self.normals.clone(),
            weights,
            triangles: self.triangles.clone(),
            skeleton: self.skeleton.clone(),
            pose: self.pose.clone(),
            palette: self.palette.clone(),
        }
    }
}

/// A pose of a fixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixturePose {
    /// All joints at rest.
    Rest,
    /// Every joint turned at random, up to 40°, and the root moved.
    Bent,
    /// As bent, every joint scaled and so sheared below, and every bone stretched.
    Scaled,
}

impl FixturePose {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Rest, Self::Bent, Self::Scaled];

    /// That pose of a character; the same on every run.
    pub fn of(self, character: &Character) -> Pose {
        let skeleton = &character.skeleton;
        let mut pose = Pose::rest(skeleton);
        if self == Self::Rest {
            return pose;
        }
        let mut random = SplitMix(0x51e3);
        for (joint, pose) in skeleton.joints().iter().zip(&mut pose.joints) {
            let axis = DVec3::new(random.signed(), random.signed(), random.signed());
            let turn = DQuat::from_axis_angle(axis.normalize_or(DVec3::X), random.signed() * 0.7);
            *pose = pose.with_rotation(turn, joint.bone_axis());
            if joint.parent.is_none() {
                pose.translation = DVec3::new(random.signed(), random.signed(), random.signed());
            }
            if self == Self::Scaled {
                // Mild: fifty joints in a chain multiply up.
                pose.scale =
                    DVec3::new(random.signed(), random.signed(), random.signed()) * 0.05 + 1.0;
                pose.stretch = 1.0 + 0.2 * random.signed();
            }
        }
        pose
    }
}

/// Every sample in every pose, `max_points` at the most where a sample can be had smaller.
pub fn fixtures(max_points: usize) -> Result<Vec<Fixture>, SampleError> {
    let mut fixtures = Vec::new();
    for kind in SampleKind::SKINS {
        let points = kind.default_points().min(max_points).max(*kind.point_bounds().start());
        let character = build(&SampleOptions { points: Some(points), ..SampleOptions::new(kind) })?;
        for pose in FixturePose::ALL {
            fixtures.extend(of_character(&character, pose));
        }
    }
    Ok(fixtures)
}

/// The skinned parts of a character in a pose.
pub fn of_character(character: &Character, pose: FixturePose) -> Vec<Fixture> {
    let posed = pose.of(character);
    let palette = Palette::new(&character.skeleton, &posed);
    let fixture = |part: &crate::character::Part| {
        let weights = part.weights.as_ref()?.select_rows(part.mesh.point_of_vertex());
        Some(Fixture {
            name: format!("{} {pose:?}", character.name),
            positions: part.mesh.vertex_positions().to_vec(),
            normals: part.mesh.vertex_normals().to_vec(),
            weights,
            triangles: part.mesh.triangles().to_vec(),
            skeleton: character.skeleton.clone(),
            pose: posed.clone(),
            palette: palette.clone(),
        })
    };
    character.parts.iter().filter_map(fixture).collect()
}

/// The largest distance between two results; infinite if any value is not finite, so that NaN can't
/// hide.
pub fn largest_difference(found: &[Vec3], expected: &[DVec3]) -> f64 {
    assert_eq!(found.len(), expected.len(), "results of one mesh");
    found.iter().zip(expected).fold(0.0, |largest, (found, expected)| {
        let distance = found.as_dvec3().distance(*expected);
        if distance.is_nan() { f64::INFINITY } else { distance.max(largest) }
    })
}

/// Steele, Lea and Flood's generator: the same numbers everywhere, and no dependency.
struct SplitMix(u64);

impl SplitMix {
    /// In −1..1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
