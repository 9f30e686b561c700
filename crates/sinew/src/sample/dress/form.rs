//! The body that clothes are made for: places on its skin, and whose they are.

use glam::{DAffine3, DQuat, DVec3};

use crate::character::Character;
use crate::mesh::ShellTree;
use crate::skeleton::{Joint, Pose, Skeleton};

/// Joints and their shares; sums to one.
pub(super) type Row = Vec<(u32, f64)>;

/// Joints that move a point, at most.
const MAX_INFLUENCES: usize = 4;

/// A point of the skin, with what tailors ask about it.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) row: Row,
    /// Shares of arm and hand, of leg and foot, of neck and head.
    pub(super) arm: f64,
    pub(super) leg: f64,
    pub(super) head: f64,
    /// Along the arm: 0 at the shoulder, 1 at the elbow, 2 at the wrist, further in the hand; only
    /// where the arm has most of the place.
    pub(super) along_arm: f64,
}

/// What a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limb {
    Arm,
    Leg,
    Trunk,
    Head,
}

impl Limb {
    /// By the names of the sample human.
    fn of(name: &str) -> Self {
        let begins = |stems: &[&str]| stems.iter().any(|stem| name.starts_with(stem));
        let arm = ["upper_arm", "forearm", "hand", "thumb", "index", "middle", "ring", "pinky"];
        if begins(&arm) {
            Self::Arm
        } else if begins(&["thigh", "shin", "foot", "toes"]) {
            Self::Leg
        } else if begins(&["hips", "spine", "clavicle"]) {
            Self::Trunk
        } else {
            Self::Head
        }
    }
}

/// A body with its skin and skeleton.
pub(super) struct Form {
    limbs: Vec<Limb>,
    /// Shoulder, elbow and wrist of the left and of the right.
    arms: [[DVec3; 3]; 2],
    pub(super) places: Vec<Place>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) skeleton: Skeleton,
    tree: ShellTree,
}

impl Form {
    /// Of a human in a rest of its own: joints turned about their +X by degrees, by the beginnings
    /// of their names.
    pub(super) fn new(human: &Character, turns: &[(&str, f64)]) -> Self {
        let (skeleton, moved) = at_rest_of(&human.skeleton, turns);
        let part = &human.parts[0];
        let rows: Vec<Row> = part
            .weights
            .iter()
            .flat_map(|weights| weights.rows())
            .map(|row| row.iter().map(|i| (i.joint, f64::from(i.weight))).collect())
            .collect();
        let points: Vec<DVec3> = part
            .mesh
            .points()
            .iter()
            .zip(&rows)
            .map(|(p, row)| {
                row.iter().map(|&(j, w)| moved[j as usize].transform_point3(p.as_dvec3()) * w).sum()
            })
            .collect();
        let triangles = part.mesh.point_triangles().to_vec();
        let mut normals = vec![DVec3::ZERO; points.len()];
        for corners in &triangles {
            let [a, b, c] = corners.map(|p| points[p as usize]);
            for &corner in corners {
                normals[corner as usize] += (b - a).cross(c - a);
            }
        }
        let tree = ShellTree::new(&points, &triangles, &vec![0; points.len()]);
        let limbs = skeleton.joints().iter().map(|joint| Limb::of(&joint.name)).collect();
        let arms = [[DVec3::ZERO; 3]; 2];
        let mut form = Self { limbs, arms, places: Vec::new(), triangles, skeleton, tree };
        form.arms = ["l", "r"].map(|side| {
            ["upper_arm", "forearm", "hand"].map(|name| form.head(&format!("{name}_{side}")))
        });
        form.places = points
            .iter()
            .zip(normals)
            .zip(rows)
            .map(|((&point, normal), row)| form.place(point, normal, row))
            .collect();
        form
    }

    /// A place of that row.
    pub(super) fn place(&self, point: DVec3, normal: DVec3, row: Row) -> Place {
        let share = |limb: Limb| -> f64 {
            let is_of = |joint: u32| self.limbs[joint as usize] == limb;
            row.iter().filter(|(joint, _)| is_of(*joint)).map(|(_, share)| share).sum()
        };
        let [arm, leg, head] = [Limb::Arm, Limb::Leg, Limb::Head].map(share);
        let along_arm = if arm > 0.5 { self.along_arm(point) } else { 0.0 };
        Place { point, normal: normal.normalize_or(DVec3::Y), row, arm, leg, head, along_arm }
    }

    fn along_arm(&self, point: DVec3) -> f64 {
        let [shoulder, elbow, wrist] = self.arms[usize::from(point.x < 0.0)];
        let along = |a: DVec3, b: DVec3| (point - a).dot(b - a) / (b - a).length_squared();
        let upper = along(shoulder, elbow);
        if upper < 1.0 { upper } else { 1.0 + along(elbow, wrist).max(0.0) }
    }

    /// The joint of that name.
    ///
    /// # Panics
    /// If there is none: names are constants of this module, and tests build every dress.
    pub(super) fn joint(&self, name: &str) -> u32 {
        self.skeleton.find(name).expect("a joint of the sample human")
    }

    /// Wholly on one joint.
    pub(super) fn rigid(&self, name: &str) -> Row {
        vec![(self.joint(name), 1.0)]
    }

    /// Shared by joints.
    pub(super) fn shared(&self, shares: &[(&str, f64)]) -> Row {
        cleaned(shares.iter().map(|&(name, share)| (self.joint(name), share)).collect())
    }

    /// Where a joint is at rest.
    pub(super) fn head(&self, name: &str) -> DVec3 {
        self.skeleton.rest_bone(self.joint(name))[0]
    }

    /// A joint's own axes at rest.
    pub(super) fn frame(&self, name: &str) -> DAffine3 {
        self.skeleton.rest_model_from_joint()[self.joint(name) as usize]
    }

    /// The place of the skin that is nearest.
    pub(super) fn nearest(&self, point: DVec3) -> Place {
        let [hit] = self.tree.closest_of_others::<1>(point, u32::MAX - 1, f64::INFINITY);
        let Some(hit) = hit else { return self.places[0].clone() };
        let corners = self.triangles[hit.triangle as usize];
        let mut place = DVec3::ZERO;
        let mut normal = DVec3::ZERO;
        let mut row = Vec::new();
        for (corner, share) in corners.into_iter().zip(hit.shares) {
            let corner = &self.places[corner as usize];
            place += corner.point * share;
            normal += corner.normal * share;
            row.extend(corner.row.iter().map(|&(joint, w)| (joint, w * share)));
        }
        self.place(place, normal, cleaned(row))
    }

    /// The weights of the skin that is nearest.
    pub(super) fn copied(&self, point: DVec3) -> Row {
        self.nearest(point).row
    }
}

/// Shares of one joint together, the largest four, summing to one; the larger first.
pub(super) fn cleaned(mut row: Row) -> Row {
    row.sort_by_key(|&(joint, _)| joint);
    let mut merged: Row = Vec::with_capacity(row.len());
    for (joint, share) in row {
        match merged.last_mut() {
            Some(last) if last.0 == joint => last.1 += share,
            _ => merged.push((joint, share)),
        }
    }
    merged.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    merged.truncate(MAX_INFLUENCES);
    let sum: f64 = merged.iter().map(|(_, share)| share).sum();
    merged.retain(|(_, share)| *share > 1e-4 * sum);
    let sum: f64 = merged.iter().map(|(_, share)| share).sum();
    merged.iter_mut().for_each(|(_, share)| *share /= sum);
    merged
}

/// A share of the one, the rest of the other.
pub(super) fn mixed(a: &Row, b: &Row, share_of_b: f64) -> Row {
    let scaled = |row: &Row, by: f64| row.iter().map(move |&(j, w)| (j, w * by)).collect::<Row>();
    cleaned([scaled(a, 1.0 - share_of_b), scaled(b, share_of_b)].concat())
}

/// A skeleton whose rest is a pose of another's, and what that does to the skin.
fn at_rest_of(skeleton: &Skeleton, turns: &[(&str, f64)]) -> (Skeleton, Vec<DAffine3>) {
    let mut joints: Vec<Joint> = skeleton.joints().to_vec();
    for joint in &mut joints {
        if let Some((_, degrees)) = turns.iter().find(|(stem, _)| joint.name.starts_with(stem)) {
            let turn = DQuat::from_axis_angle(DVec3::X, degrees.to_radians());
            joint.rest.rotation = (joint.rest.rotation * turn).normalize();
        }
    }
    let posed = Skeleton::new(joints).expect("the same joints with the same parents");
    let place = |of: &Skeleton| {
        let mut placed = Vec::new();
        Pose::rest(of).model_from_joint(of, &mut placed);
        placed
    };
    let places = place(&posed).into_iter().zip(place(skeleton));
    let moved = places.map(|(to, from)| to * from.inverse()).collect();
    (posed, moved)
}
