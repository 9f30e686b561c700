//! Joints one under the other, which a stroke poses, and which of them a stroke on the screen
//! means.
//!
//! Two strokes mean a chain. One drawn *over* it: joints within reach of the stroke, the pair of
//! ancestor and descendant whose way covers most of the stroke, and all joints between them
//! ([`Seen::over`]). And one that *starts* on a joint and goes anywhere: the limb from there on
//! ([`Seen::from`]).

use glam::{DVec2, DVec3};

use super::stroke::{Closest, Curve};
use crate::skeleton::Skeleton;

/// Joints from an ancestor to a descendant, each the parent of the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    path: Vec<u32>,
    has_tail: bool,
}

impl Chain {
    /// The way from a joint down to another (or to itself), with the last joint's own bone or
    /// without. `None` if the one is not above the other, or if no bone is between them.
    pub fn between(skeleton: &Skeleton, from: u32, to: u32, has_tail: bool) -> Option<Self> {
        let mut path = Vec::new();
        let mut at = Some(to).filter(|&to| (to as usize) < skeleton.len());
        while let Some(joint) = at {
            path.push(joint);
            if joint == from {
                path.reverse();
                return (path.len() > 1 || has_tail).then_some(Self { path, has_tail });
            }
            at = skeleton.joints()[joint as usize].parent;
        }
        None
    }

    /// The limb from a joint on: to where one ends, or to the end of the skeleton. Where one child
    /// alone leads to a limb's end, the way goes there, past twist joints at which a bone may end.
    pub fn onward(skeleton: &Skeleton, from: u32, is_end: &[bool]) -> Option<Self> {
        let mut leads_to_end = vec![false; skeleton.len()];
        for (joint, of) in skeleton.joints().iter().enumerate().rev() {
            leads_to_end[joint] |= is_end.get(joint).copied().unwrap_or(false);
            if let (true, Some(parent)) = (leads_to_end[joint], of.parent) {
                leads_to_end[parent as usize] = true;
            }
        }
        let mut to = from;
        while !is_end.get(to as usize).copied().unwrap_or(false) {
            let mut leading = skeleton.children(to).filter(|&child| leads_to_end[child as usize]);
            let only = leading.next().filter(|_| leading.next().is_none());
            let Some(next) = only.or_else(|| next_of(skeleton, to)) else { break };
            to = next;
        }
        Self::between(skeleton, from, to, true)
    }

    /// All its joints, from the upper end.
    pub fn path(&self) -> &[u32] {
        &self.path
    }

    /// True if it ends where the last joint's bone does, not where the last joint is.
    pub fn has_tail(&self) -> bool {
        self.has_tail
    }

    /// Those of its joints that turn.
    pub fn turning(&self) -> &[u32] {
        &self.path[..self.path.len() - usize::from(!self.has_tail)]
    }

    /// The chain without what other limbs hang on above it: hips that turn take the legs with them,
    /// which nobody means who bends a spine. `None` if nothing is left.
    fn without_body(mut self, skeleton: &Skeleton, is_end: &[bool]) -> Option<Self> {
        let carries = |joint: u32, kept: u32| {
            let below = |of: u32| {
                let mut is_below = vec![false; skeleton.len()];
                is_below[of as usize] = true;
                for other in of as usize + 1..skeleton.len() {
                    let parent = skeleton.joints()[other].parent;
                    is_below[other] = parent.is_some_and(|parent| is_below[parent as usize]);
                }
                is_below
            };
            let (all, kept) = (below(joint), below(kept));
            is_end.iter().enumerate().any(|(end, &is_end)| is_end && all[end] && !kept[end])
        };
        while self.path.len() > 1 && carries(self.path[0], self.path[1]) {
            self.path.remove(0);
        }
        (!self.turning().is_empty()).then_some(self)
    }

    /// Cut where a limb ends on the way: a stroke over an arm ends in the hand, not in one finger.
    fn up_to_end(mut self, is_end: &[bool]) -> Self {
        let end = (self.path.iter().skip(1)).position(|&joint| is_end[joint as usize]);
        if let Some(end) = end.map(|end| end + 1)
            && end + 1 < self.path.len()
        {
            self.path.truncate(end + 1);
            self.has_tail = true;
        }
        self
    }
}

/// The child that a bone leads to; the only child, where it leads to none.
fn next_of(skeleton: &Skeleton, joint: u32) -> Option<u32> {
    skeleton.next_joint(joint).or_else(|| {
        let mut children = skeleton.children(joint);
        children.next().filter(|_| children.next().is_none())
    })
}

/// A skeleton on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The joints.
    pub skeleton: &'a Skeleton,
    /// For each joint: true if a limb ends there (a hand, a foot, a head).
    pub is_end: &'a [bool],
    /// For each joint its pixel, and that of its bone's end; `None` for what is not shown or behind
    /// the eye.
    pub bones: &'a [Option<[DVec2; 2]>],
    /// A joint this near to a stroke, in pixels, is meant by it.
    pub reach_px: f64,
}

/// What a joint between two others is off the stroke counts so often against the way between them.
const OFF_COST: f64 = 2.0;
/// Joints that are seen this near to each other are in one place.
const ONE_PLACE_PX: f64 = 3.0;
/// A stroke over a chain has at least this share of it beside the chain.
const LEAST_COVERED: f64 = 0.6;
/// A stroke that ends farther along the last bone than this share means that bone, too.
const INTO_BONE: f64 = 0.4;
/// A branch shorter than this share of the longest one is no limb: eyes on a head.
const LEAST_BRANCH: f64 = 0.3;
/// The cosine above which a branch goes the way of a longer one: a twist joint along an arm.
const SAME_WAY: f64 = 0.97;

/// A way down from a joint, on the screen.
struct Limb {
    /// Its last joint.
    last: u32,
    length_px: f64,
    /// Where it goes at first, of length one.
    along: DVec2,
}

impl Seen<'_> {
    fn head(&self, joint: u32) -> Option<DVec2> {
        self.bones.get(joint as usize).copied().flatten().map(|[head, _]| head)
    }

    /// The joint nearest to a pixel, within reach. Of several in one place, as twist joints are,
    /// the one that a limb hangs on.
    pub fn joint_at(&self, at: DVec2) -> Option<u32> {
        let near: Vec<(u32, f64)> = (0..self.skeleton.len() as u32)
            .filter_map(|joint| Some((joint, self.head(joint)?.distance(at))))
            .filter(|&(_, distance)| distance <= self.reach_px)
            .collect();
        let nearest = near.iter().map(|&(_, distance)| distance).reduce(f64::min)?;
        let in_one_place = near.iter().filter(|&&(_, d)| d <= nearest + ONE_PLACE_PX);
        in_one_place
            .min_by_key(|&&(joint, _)| (next_of(self.skeleton, joint).is_none(), joint))
            .map(|&(joint, _)| joint)
    }

    /// The chain that a stroke in pixels was drawn over. What other limbs hang on is no part of it.
    pub fn over(&self, stroke: &Curve) -> Option<Chain> {
        let places: Vec<Option<Closest>> = (0..self.skeleton.len() as u32)
            .map(|joint| Some(stroke.closest(self.head(joint)?.extend(0.0))))
            .collect();
        let is_near = |place: &Closest| place.distance <= self.reach_px;
        let mut best: Option<(f64, u32, u32)> = None;
        for (end, place) in (0u32..).zip(&places) {
            let Some(of_end) = place.filter(is_near) else { continue };
            let mut off = 0.0;
            let mut at = self.skeleton.joints()[end as usize].parent;
            while let Some(joint) = at {
                if let Some(place) = places[joint as usize] {
                    let covered = (of_end.t - place.t).abs() * stroke.length();
                    let score = covered - OFF_COST * off;
                    if is_near(&place) && best.is_none_or(|(most, ..)| score > most) {
                        best = Some((score, joint, end));
                    }
                    off += (place.distance - self.reach_px).max(0.0);
                }
                at = self.skeleton.joints()[joint as usize].parent;
            }
        }
        let (score, from, to) = best?;
        if score < LEAST_COVERED * stroke.length() {
            return None;
        }
        let is_down = places[from as usize]?.t < places[to as usize]?.t;
        let has_tail = self.goes_on(stroke, to, is_down);
        let chain = Chain::between(self.skeleton, from, to, has_tail)?;
        chain.up_to_end(self.is_end).without_body(self.skeleton, self.is_end)
    }

    /// True if the stroke goes on along the bone of the last joint.
    fn goes_on(&self, stroke: &Curve, joint: u32, is_down: bool) -> bool {
        let Some([head, tail]) = self.bones[joint as usize] else { return false };
        let end = stroke.at(if is_down { 1.0 } else { 0.0 }).truncate();
        let along = tail - head;
        let length = along.length();
        length > 0.0 && (end - head).dot(along) > INTO_BONE * length * length
    }

    /// The limb that begins at the joint under a pixel; where several do, the one that points most
    /// to where the stroke goes.
    pub fn from(&self, at: DVec2, towards: DVec2) -> Option<Chain> {
        let joint = self.joint_at(at)?;
        if self.is_end[joint as usize] {
            return Chain::between(self.skeleton, joint, joint, true);
        }
        let head = self.head(joint)?;
        let limb = |child: u32| {
            let chain = Chain::onward(self.skeleton, child, self.is_end)?;
            let last = *chain.path.last()?;
            let length: f64 = (chain.path.windows(2))
                .filter_map(|pair| Some(self.head(pair[0])?.distance(self.head(pair[1])?)))
                .sum();
            let [from, to] = self.bones[last as usize]?;
            let first = self.head(child)?;
            let leads_to = if first.distance(head) > self.reach_px { first } else { to };
            let along = (leads_to - head).normalize_or_zero();
            let length_px = length + from.distance(to) + first.distance(head);
            Some(Limb { last, length_px, along })
        };
        let limbs: Vec<Limb> = self.skeleton.children(joint).filter_map(limb).collect();
        let longest = limbs.iter().map(|limb| limb.length_px).fold(0.0, f64::max);
        let is_branch = |limb: &&Limb| {
            let goes_with = |other: &Limb| {
                other.length_px > limb.length_px && other.along.dot(limb.along) > SAME_WAY
            };
            limb.length_px >= LEAST_BRANCH * longest && !limbs.iter().any(goes_with)
        };
        let towards = towards.normalize_or_zero();
        let best = (limbs.iter().filter(is_branch))
            .max_by(|a, b| a.along.dot(towards).total_cmp(&b.along.dot(towards)));
        let Some(&Limb { last, .. }) = best else {
            return Chain::between(self.skeleton, joint, joint, true);
        };
        let chain = Chain::between(self.skeleton, joint, last, true)?;
        chain.without_body(self.skeleton, self.is_end)
    }
}

/// How far each corner of a polyline is along it, as a share of its length.
pub(super) fn shares(points: &[DVec3]) -> Vec<f64> {
    let mut walked = 0.0;
    let mut shares = vec![0.0];
    for pair in points.windows(2) {
        walked += pair[0].distance(pair[1]);
        shares.push(walked);
    }
    let last = shares.len() - 1;
    for (index, share) in shares.iter_mut().enumerate() {
        *share = if walked > 0.0 { *share / walked } else { index as f64 / last.max(1) as f64 };
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{SampleKind, SampleOptions, build};

    const PX_A_METRE: f64 = 400.0;

    struct Screen {
        skeleton: Skeleton,
        is_end: Vec<bool>,
        bones: Vec<Option<[DVec2; 2]>>,
    }

    /// The human from the front, without perspective.
    fn human() -> Screen {
        let skeleton = build(&SampleOptions::new(SampleKind::Human)).unwrap().skeleton;
        let ends = ["hand_l", "hand_r", "foot_l", "foot_r", "head"];
        let is_end =
            skeleton.joints().iter().map(|joint| ends.contains(&joint.name.as_str())).collect();
        let pixel = |at: DVec3| PX_A_METRE * DVec2::new(at.x, -at.y);
        let bones =
            (0..skeleton.len() as u32).map(|j| Some(skeleton.rest_bone(j).map(pixel))).collect();
        Screen { skeleton, is_end, bones }
    }

    impl Screen {
        fn seen(&self) -> Seen<'_> {
            let Self { skeleton, is_end, bones } = self;
            Seen { skeleton, is_end, bones, reach_px: 24.0 }
        }

        fn pixel(&self, name: &str) -> DVec2 {
            self.seen().head(self.skeleton.find(name).unwrap()).unwrap()
        }

        fn tail(&self, name: &str) -> DVec2 {
            self.bones[self.skeleton.find(name).unwrap() as usize].unwrap()[1]
        }

        fn names(&self, chain: Option<Chain>) -> Vec<&str> {
            let turning = chain.map(|chain| chain.turning().to_vec()).unwrap_or_default();
            turning.iter().map(|&j| self.skeleton.joints()[j as usize].name.as_str()).collect()
        }

        fn over(&self, way: &[DVec2]) -> Vec<&str> {
            let way: Vec<DVec3> = way.iter().map(|at| at.extend(0.0)).collect();
            self.names(self.seen().over(&Curve::of_polyline(&way).unwrap()))
        }
    }

    #[test]
    fn a_stroke_over_an_arm_means_the_arm_in_either_direction() {
        let screen = human();
        let mut way: Vec<DVec2> =
            ["upper_arm_l", "forearm_l", "hand_l"].map(|joint| screen.pixel(joint)).to_vec();
        way.push(screen.tail("hand_l"));
        let arm = ["upper_arm_l", "forearm_l", "hand_l"];
        assert_eq!(screen.over(&way), arm);
        way.reverse();
        assert_eq!(screen.over(&way), arm);
        let beside: Vec<DVec2> = way.iter().map(|at| *at + DVec2::Y * 15.0).collect();
        assert_eq!(screen.over(&beside), arm);
        let far: Vec<DVec2> = way.iter().map(|at| *at + DVec2::Y * 150.0).collect();
        assert!(screen.over(&far).is_empty());
    }

    #[test]
    fn a_stroke_to_the_elbow_leaves_the_forearm_out() {
        let screen = human();
        let way = ["upper_arm_l", "forearm_l"].map(|joint| screen.pixel(joint));
        assert_eq!(screen.over(&way), ["upper_arm_l"]);
    }

    #[test]
    fn a_stroke_over_the_back_means_the_spine_and_leaves_hips_and_legs_alone() {
        let screen = human();
        let hips = screen.skeleton.joints()[0].name.clone();
        let spine = screen.over(&[screen.pixel(&hips), screen.tail("head")]);
        assert!(!spine.contains(&hips.as_str()), "{spine:?}");
        assert_eq!(spine.last(), Some(&"head"));
        assert!(spine.len() >= 4, "{spine:?}");
    }

    #[test]
    fn a_stroke_from_a_joint_means_the_limb_from_there_on() {
        let screen = human();
        let from =
            |joint: &str, towards| screen.names(screen.seen().from(screen.pixel(joint), towards));
        let up = DVec2::NEG_Y;
        assert_eq!(from("upper_arm_r", up), ["upper_arm_r", "forearm_r", "hand_r"]);
        assert_eq!(from("forearm_l", up), ["forearm_l", "hand_l"]);
        assert_eq!(from("thigh_l", DVec2::X), ["thigh_l", "shin_l", "foot_l"]);
        assert_eq!(from("hand_l", up), ["hand_l"]);
        assert!(screen.seen().from(DVec2::splat(1e4), up).is_none());
    }

    #[test]
    fn shares_of_points_in_one_place_are_even() {
        assert_eq!(shares(&[DVec3::X; 3]), [0.0, 0.5, 1.0]);
        assert_eq!(shares(&[DVec3::ZERO, DVec3::X, DVec3::X * 4.0]), [0.0, 0.25, 1.0]);
    }
}
