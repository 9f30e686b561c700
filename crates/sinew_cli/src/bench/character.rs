//! The character of the bench: a tube around a chain of joints, four influences on every point.
//!
//! Weights are cubic B-splines along the tube, so that a point follows the four joints around it
//! and there are as many joint sets as a real character has (17 files: 8–114). Points come in
//! patches of 32 × 32, as a modelled mesh has neighbours near each other in the file, not sorted by
//! joint.

use std::f64::consts::TAU;

use glam::{DVec3, Vec3};
use sinew::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
use sinew::weights::SkinWeights;

/// Joints of the chain; 61 joint sets.
const NUM_JOINTS: usize = 64;

/// Side of a patch, in points.
const PATCH: usize = 32;

/// Length over the number of joints, metres.
const BONE_LENGTH: f64 = 0.05;

const RADIUS: f64 = 0.1;

/// Arrays of the tube, as `Skin::bind` takes them.
#[derive(Debug)]
pub(crate) struct BenchCharacter {
    pub(crate) positions: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) weights: SkinWeights,
    pub(crate) skeleton: Skeleton,
}

impl BenchCharacter {
    /// A tube of at least `min_points` points, less than two patches' rings more.
    pub(crate) fn new(min_points: usize) -> Self {
        // Quads about as long as wide: sides² ≈ points · circumference / length.
        let length = BONE_LENGTH * (NUM_JOINTS - 3) as f64;
        let sides = ((min_points as f64 * TAU * RADIUS / length).sqrt() / PATCH as f64).round();
        let sides = (sides as usize).max(1) * PATCH;
        let rings = min_points.div_ceil(sides);

        let order = patch_order(rings, sides);
        let mut index_at = vec![0u32; rings * sides];
        for (index, &(ring, side)) in order.iter().enumerate() {
            index_at[ring * sides + side] = index as u32;
        }
        // Off the knots, where one of the four weights would be zero.
        let along = |ring: usize| (ring as f64 + 0.5) / rings as f64 * (NUM_JOINTS - 3) as f64;
        let outward = |side: usize| {
            let angle = TAU * side as f64 / sides as f64;
            DVec3::new(angle.cos(), 0.0, angle.sin())
        };
        let positions = order
            .iter()
            .map(|&(ring, side)| {
                (outward(side) * RADIUS + DVec3::Y * ((along(ring) + 1.0) * BONE_LENGTH)).as_vec3()
            })
            .collect();
        let normals = order.iter().map(|&(_, side)| outward(side).as_vec3()).collect();
        let rows = order.iter().map(|&(ring, _)| b_spline_row(along(ring)));
        let (weights, _) = SkinWeights::from_rows(rows, NUM_JOINTS);
        let mut triangles = Vec::with_capacity(2 * rings * sides);
        for ring in 0..rings.saturating_sub(1) {
            for side in 0..sides {
                let at = |ring: usize, side: usize| index_at[ring * sides + side % sides];
                let (a, b) = (at(ring, side), at(ring, side + 1));
                let (c, d) = (at(ring + 1, side), at(ring + 1, side + 1));
                triangles.extend([[a, c, b], [b, c, d]]);
            }
        }
        Self { positions, normals, triangles, weights, skeleton: chain() }
    }

    /// A bent and twisted pose: every joint moves.
    pub(crate) fn pose(&self) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        for (joint, posed) in self.skeleton.joints().iter().zip(&mut pose.joints) {
            let bone_axis = joint.bone_axis();
            *posed = posed.rotated(DVec3::X, 0.05, bone_axis).rotated(bone_axis, 0.02, bone_axis);
        }
        pose
    }

    /// The palette of [`Self::pose`].
    pub(crate) fn palette(&self) -> Palette {
        Palette::new(&self.skeleton, &self.pose())
    }
}

/// `(ring, side)` patch by patch.
fn patch_order(rings: usize, sides: usize) -> Vec<(usize, usize)> {
    let mut order = Vec::with_capacity(rings * sides);
    for first_ring in (0..rings).step_by(PATCH) {
        for first_side in (0..sides).step_by(PATCH) {
            for ring in first_ring..(first_ring + PATCH).min(rings) {
                order
                    .extend((first_side..(first_side + PATCH).min(sides)).map(|side| (ring, side)));
            }
        }
    }
    order
}

/// The four weights of a uniform cubic B-spline at `along`, in joints.
fn b_spline_row(along: f64) -> [(u32, f32); 4] {
    let first = along.floor();
    let t = along - first;
    let weights = [
        (1.0 - t).powi(3),
        3.0 * t.powi(3) - 6.0 * t.powi(2) + 4.0,
        -3.0 * t.powi(3) + 3.0 * t.powi(2) + 3.0 * t + 1.0,
        t.powi(3),
    ];
    std::array::from_fn(|k| (first as u32 + k as u32, (weights[k] / 6.0) as f32))
}

fn chain() -> Skeleton {
    let joints = (0..NUM_JOINTS)
        .map(|index| Joint {
            name: format!("joint_{index}"),
            parent: index.checked_sub(1).map(|parent| parent as u32),
            rest: JointTransform {
                translation: if index == 0 { DVec3::ZERO } else { DVec3::Y * BONE_LENGTH },
                ..JointTransform::IDENTITY
            },
            tail_in_joint: DVec3::Y * BONE_LENGTH,
        })
        .collect();
    Skeleton::new(joints).expect("parents come before children and every number is finite")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_four_influences_and_the_count_is_what_was_asked() {
        let character = BenchCharacter::new(10_000);
        assert!(character.weights.rows().all(|row| row.len() == 4));
        let found = character.positions.len();
        assert!((10_000..10_200).contains(&found), "{found}");
    }

    #[test]
    fn triangles_face_outward() {
        let character = BenchCharacter::new(2_000);
        for triangle in &character.triangles {
            let [a, b, c] = triangle.map(|p| character.positions[p as usize]);
            let normal = (b - a).cross(c - a);
            assert!(normal.dot(character.normals[triangle[0] as usize]) > 0.0);
        }
    }
}
