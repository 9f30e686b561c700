//! The bones that a point may choose from.
//!
//! Distance alone is wrong where limbs come near each other: at the crotch, in the armpit, between
//! fingers. Weights, where a file has them, say which joints the rigger meant.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{AttachInput, AttachSettings, Bones, Candidates, ShareError};
use crate::progress::Progress;

/// A joint with less weight than this is a fade-out, not the bone underneath.
const LEAST_WEIGHT: f32 = 0.05;
/// Points that a thread works on between two looks at `is_cancelled`.
const BATCH: usize = 256;

/// Compressed rows of joints, one row a point, none empty.
pub(super) struct CandidateBones {
    starts: Vec<usize>,
    joints: Vec<u32>,
    /// Where every point may choose from all of them.
    shared: Option<Vec<u32>>,
    /// Of each joint the nearest ancestor that may hold points, itself first; `None` where weights
    /// are not looked at.
    stand_ins: Option<Vec<Option<u32>>>,
}

impl CandidateBones {
    pub(super) fn choose(
        input: &AttachInput<'_>,
        settings: &AttachSettings,
        bones: &Bones,
    ) -> Self {
        let skeleton = input.skeleton;
        let mut is_excluded = vec![false; skeleton.len()];
        for &joint in &settings.excluded_joints {
            if let Some(excluded) = is_excluded.get_mut(joint as usize) {
                *excluded = true;
            }
        }
        let mut allowed: Vec<u32> =
            (0..bones.num_joints() as u32).filter(|&j| !is_excluded[j as usize]).collect();
        if allowed.is_empty() {
            // Something has to hold the skin.
            allowed = (0..bones.num_joints() as u32).collect();
        }
        let Some(weights) = input.weights.filter(|_| settings.candidates != Candidates::All) else {
            let (starts, joints) = (Vec::new(), Vec::new());
            return Self { starts, joints, shared: Some(allowed), stand_ins: None };
        };
        assert_eq!(weights.num_points(), input.points.len(), "one row of weights a point");

        // An excluded joint's points go to the nearest ancestor that may hold them, else to any
        // bone.
        let mut stand_ins: Vec<Option<u32>> = Vec::with_capacity(skeleton.len());
        for (index, joint) in skeleton.joints().iter().enumerate() {
            stand_ins.push(match joint.parent {
                _ if !is_excluded[index] => Some(index as u32),
                Some(parent) => stand_ins[parent as usize],
                None => None,
            });
        }
        let stand_in = |joint: u32| stand_ins[joint as usize];
        // Once a joint: looking for the children of each point's would look at every joint for
        // every point.
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); skeleton.len()];
        for (child, joint) in (0..).zip(skeleton.joints()) {
            if let Some(parent) = joint.parent {
                children[parent as usize].push(child);
            }
        }
        let rows: Vec<Vec<u32>> = (0..input.points.len())
            .into_par_iter()
            .map(|point| {
                let mut row: Vec<u32> = match settings.candidates {
                    Candidates::All => Vec::new(),
                    Candidates::Weighted => weights
                        .row(point)
                        .iter()
                        .filter(|influence| influence.weight > LEAST_WEIGHT)
                        .filter_map(|influence| stand_in(influence.joint))
                        .collect(),
                    Candidates::Dominant => {
                        let joint = weights.dominant_joint(point);
                        let parent = skeleton.joints()[joint as usize].parent;
                        let own = [Some(joint), parent].into_iter().flatten();
                        let children = children[joint as usize].iter().copied();
                        own.chain(children).filter_map(stand_in).collect()
                    }
                };
                row.sort_unstable();
                row.dedup();
                if row.is_empty() { allowed.clone() } else { row }
            })
            .collect();
        Self::of_rows(rows, Some(stand_ins))
    }

    fn of_rows(rows: Vec<Vec<u32>>, stand_ins: Option<Vec<Option<u32>>>) -> Self {
        let mut starts = vec![0];
        let mut joints = Vec::new();
        for row in rows {
            joints.extend(row);
            starts.push(joints.len());
        }
        Self { starts, joints, shared: None, stand_ins }
    }

    /// What `choose` leaves of each point's bones; it leaves one at least.
    pub(super) fn only(
        self,
        num_points: usize,
        progress: &dyn Progress,
        choose: impl Fn(usize, &[u32]) -> Vec<u32> + Sync,
    ) -> Result<Self, ShareError> {
        let what = "looking for bones in sight";
        let done = AtomicUsize::new(0);
        progress.report(what, 0.0);
        let rows: Vec<Vec<u32>> = (0..num_points.div_ceil(BATCH))
            .into_par_iter()
            .map(|batch| {
                if progress.is_cancelled() {
                    return Err(ShareError::Cancelled);
                }
                let points = batch * BATCH..((batch + 1) * BATCH).min(num_points);
                let before = done.fetch_add(points.len(), Ordering::Relaxed);
                progress.report(what, (before + points.len()) as f32 / num_points as f32);
                Ok(points.map(|point| choose(point, self.of_point(point))).collect::<Vec<_>>())
            })
            .collect::<Result<Vec<_>, ShareError>>()?
            .into_iter()
            .flatten()
            .collect();
        Ok(Self::of_rows(rows, self.stand_ins))
    }

    /// Who takes each joint's part; `None` where weights are not looked at.
    pub(super) fn into_stand_ins(self) -> Option<Vec<Option<u32>>> {
        self.stand_ins
    }

    pub(super) fn of_point(&self, point: usize) -> &[u32] {
        match &self.shared {
            Some(all) => all,
            None => &self.joints[self.starts[point]..self.starts[point + 1]],
        }
    }
}
