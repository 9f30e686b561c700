//! Random numbers, the same everywhere, and edits made of them.

use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::{Axis, Edit, JointRef, PoseEdit, RigEdit};

/// SplitMix64 (Steele et al. 2014).
#[derive(Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// One time in so many.
    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// Something that can be done to a cylinder, mostly.
    pub(crate) fn edit(&mut self) -> Edit {
        let joint = JointRef::from(["#0", "#1"][self.below(2) as usize]);
        let name = format!("pose {}", self.below(6));
        let number = self.below(1000) as f64 / 10.0;
        match self.below(12) {
            0..=4 => {
                let axis = [Axis::X, Axis::Y, Axis::Z, Axis::Twist][self.below(4) as usize];
                PoseEdit::RotateJoint { joint, axis, degrees: number - 50.0 }.into()
            }
            5 => PoseEdit::StretchJoint { joint, factor: 0.8 + 0.004 * number }.into(),
            6 | 7 => PoseEdit::StorePose { name }.into(),
            8 => PoseEdit::RecallPose { name }.into(),
            9 => PoseEdit::RenamePose { from: name, to: format!("pose {}", self.below(9)) }.into(),
            10 => PoseEdit::ResetPose { joints: Vec::new() }.into(),
            _ => {
                let model = SpringModel::ALL[self.below(3) as usize];
                let springs = (!self.one_in(3)).then(|| SpringSettings::new(model));
                RigEdit::SetSprings { springs }.into()
            }
        }
    }
}
