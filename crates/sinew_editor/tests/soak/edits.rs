//! Random edits.

use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::{Axis, Edit, JointRef, PoseEdit, RigEdit};

use crate::random::Random;

/// Something that can be done to a cylinder, mostly.
pub(crate) fn edit(random: &mut Random) -> Edit {
    let joint = JointRef::from(*random.pick(&["#0", "#1"]));
    let name = format!("pose {}", random.below(6));
    let number = random.below(1000) as f64 / 10.0;
    match random.below(12) {
        0..=4 => {
            let axis = *random.pick(&[Axis::X, Axis::Y, Axis::Z, Axis::Twist]);
            PoseEdit::RotateJoint { joint, axis, degrees: number - 50.0 }.into()
        }
        5 => PoseEdit::StretchJoint { joint, factor: 0.8 + 0.004 * number }.into(),
        6 | 7 => PoseEdit::StorePose { name }.into(),
        8 => PoseEdit::RecallPose { name }.into(),
        9 => PoseEdit::RenamePose { from: name, to: format!("pose {}", random.below(9)) }.into(),
        10 => PoseEdit::ResetPose { joints: Vec::new() }.into(),
        _ => {
            let model = *random.pick(&SpringModel::ALL);
            let springs = (!random.one_in(3)).then(|| SpringSettings::new(model));
            RigEdit::SetSprings { springs }.into()
        }
    }
}
