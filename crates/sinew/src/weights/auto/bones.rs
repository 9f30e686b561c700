//! Bones as segments, from joints to what hangs on them, where they were when the mesh was made to
//! fit them: at bind. A file's joints may stand elsewhere at rest (Kenney's runs), and its points
//! do not.

use glam::DVec3;

use crate::skeleton::Skeleton;

/// A single child's bone stops so far along: the joint's skin is as much the child's.
const STOPS_AT: f64 = 0.9;
/// A leaf's bone over its parent's.
const LEAF: f64 = 0.5;

/// The segments of the joints that deform.
#[derive(Clone, Debug)]
pub(super) struct Bones {
    pub(super) joints: Vec<u32>,
    /// By entry of `joints`: at least one.
    pub(super) segments: Vec<Vec<[DVec3; 2]>>,
}

impl Bones {
    pub(super) fn of(skeleton: &Skeleton, deforms: impl Fn(u32) -> bool) -> Self {
        let place = |joint: u32| bind_place(skeleton, joint);
        let mut children = vec![Vec::new(); skeleton.len()];
        for (joint, own) in (0u32..).zip(skeleton.joints()) {
            if let Some(parent) = own.parent {
                children[parent as usize].push(joint);
            }
        }
        let joints: Vec<u32> = (0..skeleton.len() as u32).filter(|&joint| deforms(joint)).collect();
        let segments = joints.iter().map(|&joint| {
            let head = place(joint);
            let far = |&&child: &&u32| place(child).distance(head) > 0.0;
            let tails: Vec<DVec3> =
                children[joint as usize].iter().filter(far).map(|&child| place(child)).collect();
            match tails[..] {
                [] => vec![[head, leaf_tail(skeleton, joint, head)]],
                [tail] => vec![[head, head.lerp(tail, STOPS_AT)]],
                _ => tails.into_iter().map(|tail| [head, tail]).collect(),
            }
        });
        let segments = segments.collect();
        Self { joints, segments }
    }

    /// Of a joint's segments the nearest point.
    pub(super) fn closest(&self, entry: usize, point: DVec3) -> DVec3 {
        let places = self.segments[entry].iter().map(|&segment| super::closest_on(segment, point));
        let nearer =
            |a: &DVec3, b: &DVec3| a.distance_squared(point).total_cmp(&b.distance_squared(point));
        places.min_by(nearer).unwrap_or(point)
    }
}

/// Where a joint was at bind.
pub(super) fn bind_place(skeleton: &Skeleton, joint: u32) -> DVec3 {
    let [head, _] = skeleton.bind_bone(joint);
    head
}

fn leaf_tail(skeleton: &Skeleton, joint: u32, head: DVec3) -> DVec3 {
    let [_, tail] = skeleton.bind_bone(joint);
    let above = skeleton.joints()[joint as usize].parent;
    let Some(above) = above else { return tail };
    let from = bind_place(skeleton, above);
    let length = LEAF * head.distance(from);
    if length <= 0.0 {
        return tail;
    }
    let along = (tail - head).try_normalize().or_else(|| (head - from).try_normalize());
    head + length * along.unwrap_or(DVec3::Y)
}
