//! The plane between the sides, and which joint is which one's partner.

use std::collections::HashMap;

use glam::DVec3;

use crate::mesh::Mesh;
use crate::skeleton::{Side, Skeleton};

/// A direction this near to an axis (cosine) means it.
const MEANT_AXIS_COSINE: f64 = 0.999;
/// Of the diagonal: a point further from a mirror image is not its partner.
const PARTNER_SHARE: f64 = 2e-3;

/// Each joint's partner on the other side; its own where it is in the middle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointPairs {
    partner: Vec<u32>,
    is_left: Vec<bool>,
}

impl JointPairs {
    /// By names; `None` if no joint has a partner.
    pub fn of(skeleton: &Skeleton) -> Option<Self> {
        let mut partner: Vec<u32> = (0..skeleton.len() as u32).collect();
        let mut is_left = vec![false; skeleton.len()];
        let mut has_pairs = false;
        for (joint, own) in skeleton.joints().iter().enumerate() {
            if let Some((side, name)) = Side::of_name(&own.name)
                && let Some(other) = skeleton.find(&name)
            {
                partner[joint] = other;
                is_left[joint] = side == Side::Left;
                has_pairs = true;
            }
        }
        has_pairs.then_some(Self { partner, is_left })
    }

    /// The joint on the other side.
    pub fn partner(&self, joint: u32) -> u32 {
        self.partner.get(joint as usize).copied().unwrap_or(joint)
    }

    /// A row as the other side has it.
    pub(super) fn row(&self, row: &[(u32, f64)]) -> Vec<(u32, f64)> {
        row.iter().map(|&(joint, weight)| (self.partner(joint), weight)).collect()
    }
}

/// The plane between left and right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MirrorPlane {
    origin: DVec3,
    /// Of unit length, to the left.
    normal: DVec3,
}

impl MirrorPlane {
    /// Half-way between the partners of a skeleton at rest, across the way from right to left.
    pub fn of(skeleton: &Skeleton, pairs: &JointPairs) -> Self {
        let place = |joint: u32| skeleton.bind_bone(joint)[0];
        let (mut along, mut middle, mut number) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for joint in 0..skeleton.len() as u32 {
            if pairs.is_left[joint as usize] {
                let (left, right) = (place(joint), place(pairs.partner(joint)));
                along += left - right;
                middle += 0.5 * (left + right);
                number += 1.0;
            }
        }
        let mut normal = along.try_normalize().unwrap_or(DVec3::X);
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            if normal.dot(axis).abs() > MEANT_AXIS_COSINE {
                normal = axis * normal.dot(axis).signum();
            }
        }
        let origin = if number > 0.0 { middle / number } else { DVec3::ZERO };
        Self { origin, normal }
    }

    /// How far to the left a place is.
    pub fn height(&self, place: DVec3) -> f64 {
        (place - self.origin).dot(self.normal)
    }

    /// Where its mirror image is.
    pub fn image(&self, place: DVec3) -> DVec3 {
        place - 2.0 * self.height(place) * self.normal
    }
}

/// For each point of a mesh the one nearest to its mirror image, if any is near: for brushes that
/// paint both sides.
pub fn point_partners(mesh: &Mesh, plane: &MirrorPlane) -> Vec<Option<u32>> {
    let points: Vec<DVec3> = mesh.points().iter().map(|point| point.as_dvec3()).collect();
    let cell = (PARTNER_SHARE * f64::from(mesh.bounds().diagonal())).max(f64::MIN_POSITIVE);
    let cell_of = |place: DVec3| (place / cell).floor().to_array().map(|x| x as i64);
    let mut in_cell: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (point, &place) in (0u32..).zip(&points) {
        in_cell.entry(cell_of(place)).or_default().push(point);
    }
    let partner = |&place: &DVec3| {
        let image = plane.image(place);
        let [x, y, z] = cell_of(image);
        let beside = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy)));
        let beside = beside.flat_map(|(dx, dy)| (-1..=1).map(move |dz| [x + dx, y + dy, z + dz]));
        let near = beside.filter_map(|at| in_cell.get(&at)).flatten();
        let distance = |point: u32| points[point as usize].distance(image);
        near.map(|&point| (distance(point), point))
            .filter(|(distance, _)| *distance <= cell)
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, point)| point)
    };
    points.iter().map(partner).collect()
}
