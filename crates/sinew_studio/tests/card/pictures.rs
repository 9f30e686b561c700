//! What is made and drawn on the card looks as what the processor makes and draws.

use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::{Axis, RigEdit, ShapeEdit};
use sinew_studio::Command;

use crate::Test;
use crate::common::{User, shaped_file};
use crate::pair::{Pair, assert_other, turn};

pub(crate) const TESTS: &[Test] = &[
    ("springs_a_stiffness_and_undo_look_the_same_on_both_devices", springs),
    ("a_clip_that_plays_looks_the_same_on_both_devices", clip),
    ("a_shape_and_what_it_settles_into_look_the_same_on_both_devices", shapes),
    ("compared_views_are_all_on_the_card", compared),
];

fn use_springs(user: &mut User<'static>, change: impl Fn(&mut SpringSettings)) {
    let mut springs = SpringSettings::new(SpringModel::Anchored);
    change(&mut springs);
    user.studio_mut().edit(RigEdit::SetSprings { springs: Some(springs) });
}

fn springs() {
    let mut pair = Pair::new(None);
    pair.both(|user| use_springs(user, |_| {}));
    pair.both(|user| turn(user, "upper_arm_l", Axis::Z, 70.0));
    let posed = pair.assert_same_picture("a posed chibi with anchored springs");
    pair.both(|user| turn(user, "thigh_l", Axis::X, -80.0));
    let bent = pair.assert_same_picture("another pose");
    assert_other(&posed, &bent, "the leg has moved");
    // A live setting: nothing is bound for it.
    pair.both(|user| {
        use_springs(user, |springs| {
            springs.coefficients.bone *= 0.05;
            springs.iterations = 200;
        });
    });
    let soft = pair.assert_same_picture("softer springs");
    assert_other(&bent, &soft, "softer springs are to be seen");
    pair.both(|user| user.studio_mut().queue(Command::Undo));
    let back = pair.assert_same_picture("after undo");
    assert_eq!(back.pixels(), bent.pixels(), "the same frame again, to the last bit");
}

fn clip() {
    let mut pair = Pair::new(None);
    pair.both(|user| use_springs(user, |_| {}));
    pair.both(|user| user.choose("Clip", "dance"));
    let start = pair.assert_same_picture("the start of a clip");
    // As long as it likes; what is shown then is shown at the same time in both.
    pair.both(|user| user.studio_mut().queue(Command::PlayPause));
    for _ in 0..5 {
        pair.on_card().harness.step();
        assert_eq!(pair.on_card().studio().is_on_card(0), Some(true));
    }
    pair.both(|user| user.studio_mut().queue(Command::PlayPause));
    pair.both(|user| user.studio_mut().queue(Command::ToStart));
    for _ in 0..11 {
        pair.both(|user| user.studio_mut().queue(Command::StepForward));
    }
    let later = pair.assert_same_picture("a clip that played");
    assert_other(&start, &later, "the clip has gone on");
}

fn shapes() {
    let folder = tempfile::tempdir().unwrap();
    let mut pair = Pair::new(Some(&shaped_file(folder.path())));
    pair.both(|user| {
        let bend = user.studio().document().character().skeleton.joints()[1].name.clone();
        turn(user, &bend, Axis::X, 60.0);
    });
    pair.both(|user| use_springs(user, |_| {}));
    let without = pair.assert_same_picture("no shape");
    // Refitted first, bound a moment later, and gone over from the one to the other.
    pair.both(|user| {
        let edit = ShapeEdit::set(user.studio().document(), 0, 0, 0.4);
        user.studio_mut().edit(edit);
    });
    let shaped = pair.assert_same_picture("a shape");
    assert_other(&without, &shaped, "the shape is to be seen");
    pair.both(|user| user.studio_mut().queue(Command::Undo));
    let back = pair.assert_same_picture("after undo");
    assert_other(&shaped, &back, "the shape is gone");
}

fn compared() {
    let mut pair = Pair::new(None);
    pair.both(|user| turn(user, "upper_arm_l", Axis::Z, 70.0));
    pair.both(|user| user.studio_mut().queue(Command::CompareFour));
    for view in 0..4 {
        assert_eq!(pair.on_card().studio().is_on_card(view), Some(true), "view {view}");
        let [here, on_card] = pair.points(view);
        let diagonal = 1.5;
        let worst = here.iter().zip(&on_card).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 2e-4 * diagonal, "view {view}: {worst} m apart");
    }
    pair.assert_same_picture("the first of four");
}
