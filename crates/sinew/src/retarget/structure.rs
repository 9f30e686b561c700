//! Roles by where joints are, for skeletons whose names say nothing: two chains that end lowest are
//! the legs, where they meet are the hips; the two that reach furthest to the sides the arms; the
//! highest end is the head.

use glam::DVec3;

use super::role::{Role, Roles};
use crate::skeleton::{Side, Skeleton};

/// Shorter than this share of the height is no bone.
const LEAST_BONE: f64 = 0.02;
/// Ends this low, of the height, may be feet; this high, hands and heads.
const LOW: f64 = 0.3;
const HIGH: f64 = 0.45;

pub(super) fn complete(skeleton: &Skeleton, roles: &mut Roles) {
    let has_all = |roles: &Roles, of: &dyn Fn(Side) -> Vec<Role>| {
        [Side::Left, Side::Right].into_iter().flat_map(of).all(|role| roles.joint(role).is_some())
    };
    let legs = |side| vec![Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)];
    let arms = |side| vec![Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)];
    let Some(shape) = Shape::of(skeleton) else { return };
    if !has_all(roles, &legs) {
        shape.legs(roles);
    }
    if !has_all(roles, &arms) {
        shape.arms(roles);
    }
    if roles.joint(Role::Head).is_none() {
        shape.head(roles);
    }
}

struct Shape<'a> {
    skeleton: &'a Skeleton,
    places: Vec<DVec3>,
    up: DVec3,
    /// To the body's own left.
    left: DVec3,
    low: f64,
    height: f64,
    center: f64,
    num_children: Vec<u32>,
    leaves: Vec<u32>,
}

impl<'a> Shape<'a> {
    fn of(skeleton: &'a Skeleton) -> Option<Self> {
        let places: Vec<DVec3> =
            skeleton.rest_model_from_joint().iter().map(|m| m.translation).collect();
        let (mut low, mut high) = (*places.first()?, *places.first()?);
        for place in &places {
            (low, high) = (low.min(*place), high.max(*place));
        }
        let size = high - low;
        // Y is up unless the body is much longer along z.
        let up = if size.z > 1.5 * size.y { DVec3::Z } else { DVec3::Y };
        let left = DVec3::X;
        let height = size.dot(up);
        let mut num_children = vec![0; skeleton.len()];
        for parent in skeleton.joints().iter().filter_map(|joint| joint.parent) {
            num_children[parent as usize] += 1;
        }
        let is_leaf = |&joint: &u32| num_children[joint as usize] == 0;
        let leaves = (0..skeleton.len() as u32).filter(is_leaf).collect();
        let center = 0.5 * (low + high).dot(left);
        let low = low.dot(up);
        (height > 0.0).then_some(Self {
            skeleton,
            places,
            up,
            left,
            low,
            height,
            center,
            num_children,
            leaves,
        })
    }

    fn height_of(&self, joint: u32) -> f64 {
        (self.places[joint as usize].dot(self.up) - self.low) / self.height
    }

    fn aside(&self, joint: u32) -> f64 {
        (self.places[joint as usize].dot(self.left) - self.center) / self.height
    }

    /// From the root to a joint.
    fn path(&self, joint: u32) -> Vec<u32> {
        let mut path = vec![joint];
        while let Some(parent) = self.skeleton.joints()[path[path.len() - 1] as usize].parent {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// What two ends share, and the two chains below, without joints that lie on one another.
    fn fork(&self, a: u32, b: u32) -> Option<(u32, [Vec<u32>; 2])> {
        let (of_a, of_b) = (self.path(a), self.path(b));
        let num_shared = of_a.iter().zip(&of_b).take_while(|(a, b)| a == b).count();
        let meet = *of_a.get(num_shared.checked_sub(1)?)?;
        let chain = |path: &[u32]| {
            let mut chain: Vec<u32> = Vec::new();
            for &joint in &path[num_shared..] {
                let last = chain.last().copied().unwrap_or(meet);
                let way = self.places[joint as usize].distance(self.places[last as usize]);
                if way > LEAST_BONE * self.height {
                    chain.push(joint);
                }
            }
            chain
        };
        Some((meet, [chain(&of_a), chain(&of_b)]))
    }

    /// Of ends on each side the one that a measure likes best.
    fn ends(&self, fits: impl Fn(u32) -> bool, liking: impl Fn(u32) -> f64) -> Option<[u32; 2]> {
        let best = |is_left: bool| {
            let on_side = |&&leaf: &&u32| (self.aside(leaf) > 0.0) == is_left && fits(leaf);
            let leaves = self.leaves.iter().filter(on_side);
            leaves.max_by(|a, b| liking(**a).total_cmp(&liking(**b))).copied()
        };
        Some([best(true)?, best(false)?])
    }

    fn legs(&self, roles: &mut Roles) {
        let ends = self.ends(|leaf| self.height_of(leaf) < LOW, |leaf| -self.height_of(leaf));
        let Some((hips, chains)) = ends.and_then(|[a, b]| self.fork(a, b)) else { return };
        if chains.iter().any(|chain| chain.len() < 3) {
            return;
        }
        roles.set(Role::Hips, hips);
        for (side, chain) in [Side::Left, Side::Right].into_iter().zip(&chains) {
            // A joint of the hip, that only leads aside.
            let towards = self.places[chain[1] as usize] - self.places[chain[0] as usize];
            let is_aside = towards.dot(self.left).abs() > towards.dot(self.up).abs();
            let chain = if is_aside && chain.len() > 3 { &chain[1..] } else { &chain[..] };
            let limb = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)];
            roles.remove(Role::Toes(side));
            for (role, &joint) in limb.into_iter().chain([Role::Toes(side)]).zip(chain) {
                roles.set(role, joint);
            }
        }
    }

    fn arms(&self, roles: &mut Roles) {
        let ends = self.ends(|leaf| self.height_of(leaf) > HIGH, |leaf| self.aside(leaf).abs());
        let Some((_, chains)) = ends.and_then(|[a, b]| self.fork(a, b)) else { return };
        for (side, chain) in [Side::Left, Side::Right].into_iter().zip(&chains) {
            // The hand is where fingers part, or the last joint but what is too many.
            let num_children = |joint: u32| self.num_children[joint as usize] as usize;
            let parts =
                |least: usize| chain.iter().skip(2).position(|&joint| num_children(joint) >= least);
            let last = chain.len().saturating_sub(1).min(3);
            let hand = parts(3).or_else(|| parts(2)).map_or(last, |at| at + 2);
            if hand < 2 {
                continue;
            }
            let limb = [Role::Hand(side), Role::LowerArm(side), Role::UpperArm(side)];
            let limb = limb.into_iter().chain([Role::Shoulder(side)]);
            for (role, &joint) in limb.zip(chain[..=hand].iter().rev()) {
                roles.set(role, joint);
            }
        }
    }

    fn head(&self, roles: &mut Roles) {
        let is_free = |leaf: &&u32| roles.role(**leaf).is_none();
        let highest = |a: &&u32, b: &&u32| self.height_of(**a).total_cmp(&self.height_of(**b));
        if let Some(&head) = self.leaves.iter().filter(is_free).max_by(highest)
            && self.height_of(head) > HIGH
        {
            roles.set(Role::Head, head);
        }
    }
}
