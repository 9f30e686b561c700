//! Which joint of another skeleton a joint is: by name, by its part in the body, and between those
//! by how far along it is; what is left goes with who it hangs on.

use crate::retarget::Roles;
use crate::skeleton::Skeleton;

/// For each joint of a skeleton, the joint of another that takes its weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMap {
    to: Vec<Option<u32>>,
    /// The joints that are each other's counterparts, by name or role.
    alike: Vec<bool>,
}

/// Names without what a tool put before a colon, in small letters.
fn plain(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_lowercase()
}

impl JointMap {
    /// Between two skeletons.
    pub fn between(from: &Skeleton, to: &Skeleton) -> Self {
        let n = from.len();
        let mut found: Vec<Option<u32>> = vec![None; n];
        let mut is_taken = vec![false; to.len()];
        let names: Vec<String> = to.joints().iter().map(|joint| plain(&joint.name)).collect();
        for (joint, own) in from.joints().iter().enumerate() {
            let name = plain(&own.name);
            let same = (0..names.len()).find(|&at| names[at] == name && !is_taken[at]);
            if let Some(at) = same {
                found[joint] = Some(at as u32);
                is_taken[at] = true;
            }
        }
        let (roles, others) = (Roles::of(from), Roles::of(to));
        for (role, joint) in roles.iter() {
            if let (None, Some(other)) = (found[joint as usize], others.joint(role))
                && !is_taken[other as usize]
            {
                found[joint as usize] = Some(other);
                is_taken[other as usize] = true;
            }
        }
        let alike: Vec<bool> = found.iter().map(Option::is_some).collect();
        let mut map = Self { to: found, alike };
        map.fill_between(from, to);
        // Parents come before their children.
        for joint in 0..n {
            if map.to[joint].is_none() {
                let parent = from.joints()[joint].parent;
                map.to[joint] = parent.and_then(|parent| map.to[parent as usize]);
            }
        }
        // A root that nothing is like goes with the first that is.
        let first = map.to.iter().flatten().next().copied();
        map.to.iter_mut().for_each(|to| *to = to.or(first));
        map
    }

    /// Joints on the way from one counterpart to the next take the one of the other way that is as
    /// far along.
    fn fill_between(&mut self, from: &Skeleton, to: &Skeleton) {
        for end in 0..from.len() {
            let Some(end_to) = self.to[end].filter(|_| self.alike[end]) else { continue };
            let way = way_up(from, end as u32, |joint| self.alike[joint as usize]);
            let Some((&start, between)) = way.split_last() else { continue };
            let Some(start_to) = self.to[start as usize] else { continue };
            if between.is_empty() || !self.alike[start as usize] {
                continue;
            }
            let other = way_up(to, end_to, |joint| joint == start_to);
            if other.last() != Some(&start_to) || other.len() < 2 {
                continue;
            }
            let own_shares = shares(from, end as u32, &way);
            let other_shares = shares(to, end_to, &other);
            for (joint, share) in between.iter().zip(&own_shares) {
                if self.to[*joint as usize].is_some() {
                    continue;
                }
                let off = |at: &usize| (other_shares[*at] - share).abs();
                let nearest = (0..other.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
                self.to[*joint as usize] = nearest.map(|at| other[at]);
            }
        }
    }

    /// How many joints have a counterpart of their own.
    pub fn num_alike(&self) -> usize {
        self.alike.iter().filter(|alike| **alike).count()
    }

    /// The counterpart of a joint, if it has one of its own.
    pub fn counterpart(&self, joint: u32) -> Option<u32> {
        let joint = joint as usize;
        self.to.get(joint).copied().flatten().filter(|_| self.alike[joint])
    }

    /// The joint that takes a joint's weights.
    pub fn target(&self, joint: u32) -> Option<u32> {
        self.to.get(joint as usize).copied().flatten()
    }

    /// A row with the joints of the other skeleton.
    pub(super) fn row(&self, row: &[(u32, f64)]) -> Vec<(u32, f64)> {
        let mut out: Vec<(u32, f64)> = Vec::with_capacity(row.len());
        for &(joint, weight) in row {
            let Some(joint) = self.target(joint) else { continue };
            match out.iter_mut().find(|entry| entry.0 == joint) {
                Some(entry) => entry.1 += weight,
                None => out.push((joint, weight)),
            }
        }
        out
    }
}

/// The joints above one, up to and with the first that ends the way.
fn way_up(skeleton: &Skeleton, joint: u32, ends: impl Fn(u32) -> bool) -> Vec<u32> {
    let mut way = Vec::new();
    let mut above = skeleton.joints()[joint as usize].parent;
    while let Some(joint) = above {
        way.push(joint);
        if ends(joint) {
            break;
        }
        above = skeleton.joints()[joint as usize].parent;
    }
    way
}

/// How far along each joint of a way is, from its end (nothing) to its start (one).
fn shares(skeleton: &Skeleton, end: u32, way: &[u32]) -> Vec<f64> {
    let place = |joint: u32| skeleton.bind_bone(joint)[0];
    let mut length = 0.0;
    let mut before = place(end);
    let mut lengths = Vec::with_capacity(way.len());
    for &joint in way {
        length += place(joint).distance(before);
        before = place(joint);
        lengths.push(length);
    }
    lengths.iter().map(|&so_far| if length > 0.0 { so_far / length } else { 0.0 }).collect()
}
