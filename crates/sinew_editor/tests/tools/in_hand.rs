//! Strokes in hand: chosen in the list, live where the pose is keys, and kept to limits.

use sinew::glam::Vec2;
use sinew::sample::SampleKind;
use sinew_editor::tool::PoseSketchTool;
use sinew_editor::{Document, Edit, Source, StrokeEdit};

use crate::common::user::{CONTROL, PLAIN, User};

fn user() -> User {
    User::with(PoseSketchTool::default())
}

/// Where a joint is seen.
fn head(user: &User, joint: &str) -> Vec2 {
    user.pixel(user.place(joint).as_vec3())
}

fn line(from: Vec2, by: Vec2) -> Vec<Vec2> {
    (0..=20).map(|step| from + by * (step as f32 / 20.0)).collect()
}

fn knot(user: &User, stroke: usize, knot: usize) -> Vec2 {
    let strokes = user.session.strokes_in_hand(&user.editor);
    user.pixel(strokes[stroke].target.knots()[knot].at.as_vec3())
}

/// An arm up, then a leg out.
fn arm_and_leg(user: &mut User) {
    user.drag(&line(head(user, "upper_arm_l"), Vec2::new(70.0, -120.0)), PLAIN);
    user.drag(&line(head(user, "thigh_r"), Vec2::new(-120.0, 90.0)), PLAIN);
    assert_eq!(user.session.sketch.chosen, Some(1), "the last one is in hand");
}

#[test]
fn an_earlier_stroke_that_is_chosen_has_its_knots_and_its_limb_and_later_ones_stay() {
    let mut user = user();
    arm_and_leg(&mut user);
    let discs = user.session.tool().overlay(&user.session.context(&user.editor)).discs.len();
    assert!(discs > 0);
    user.session.choose_stroke(0, &user.editor);
    assert_eq!(user.session.selection.active, Some(user.joint("upper_arm_l")));
    let before = user.editor.document().clone();
    let (arm, leg) = (user.pose("upper_arm_l"), user.pose("thigh_r"));
    let (at, steps) = (knot(&user, 0, 1), user.steps().len());
    user.drag(&line(at, Vec2::new(60.0, 40.0)), PLAIN);
    assert_ne!(user.pose("upper_arm_l"), arm, "its knot was dragged");
    assert_eq!(user.pose("thigh_r"), leg);
    assert_eq!(user.steps().len(), steps + 1);
    assert_eq!(user.session.sketch.chosen, Some(0), "it stays in hand");
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
    // The next stroke is for its limb, wherever it is drawn, and on top of the others.
    user.drag(&line(Vec2::new(1000.0, 700.0), Vec2::new(0.0, 60.0)), PLAIN);
    assert_ne!(user.pose("upper_arm_l"), arm);
    assert_eq!(user.pose("thigh_r"), leg);
    let document = user.editor.document();
    assert_eq!((document.live_strokes().len(), user.session.sketch.chosen), (3, Some(2)));
    // One that is not there is not chosen.
    user.session.choose_stroke(9, &user.editor);
    assert_eq!(user.session.sketch.chosen, Some(2));
}

/// A user at a playhead of the chibi's clip, whose poses are keys.
fn keying() -> User {
    let mut user = user();
    user.session.playback.choose(Some(0), user.editor.document());
    user.session.playback.go_to(0.4, user.editor.document());
    user.session.auto_key = true;
    user
}

#[test]
fn strokes_that_became_keys_keep_their_knots_until_the_playhead_moves() {
    let mut user = keying();
    let own = user.editor.document().pose().clone();
    arm_and_leg(&mut user);
    assert_eq!(*user.editor.document().pose(), own, "keys, not the pose");
    assert_eq!(user.session.strokes_in_hand(&user.editor).len(), 2);
    let drawn = user.editor.document().clone();
    user.session.choose_stroke(0, &user.editor);
    let (elbow, leg) = (head(&user, "forearm_l"), head(&user, "foot_r"));
    let at = knot(&user, 0, 1);
    user.drag(&line(at, Vec2::new(80.0, 60.0)), PLAIN);
    assert!(head(&user, "forearm_l").distance(elbow) > 10.0, "the keys are others");
    assert!(head(&user, "foot_r").distance(leg) < 0.1);
    assert_eq!(*user.editor.document().pose(), own);
    assert_eq!(user.session.strokes_in_hand(&user.editor).len(), 2);
    // A knot put in, and undone.
    let strokes = user.session.strokes_in_hand(&user.editor);
    let (middle, knots) = (strokes[0].target.at(0.5), strokes[0].target.knots().len());
    let middle = user.pixel(middle.as_vec3());
    user.drag(&line(middle, Vec2::new(10.0, 0.0)), CONTROL);
    let num_knots = |user: &User| {
        user.session.strokes_in_hand(&user.editor).first().map(|of| of.target.knots().len())
    };
    assert_eq!(num_knots(&user), Some(knots + 1));
    for _ in 0..2 {
        user.editor.undo();
        user.session.playback.sync(user.editor.document());
    }
    assert_eq!(*user.editor.document(), drawn);
    assert_eq!(num_knots(&user), Some(knots), "undo has the strokes of then back");
    // One is taken back: its limb is as in the clip, the other's as drawn.
    let edit = StrokeEdit::EraseStroke { number: 0 };
    user.session.apply(None, vec![edit.into()], &mut user.editor).unwrap();
    assert!(head(&user, "foot_r").distance(leg) < 0.1);
    assert!(head(&user, "forearm_l").distance(elbow) > 10.0);
    assert_eq!(user.session.strokes_in_hand(&user.editor).len(), 1);
    user.session.playback.go_to(0.1, user.editor.document());
    assert!(user.session.strokes_in_hand(&user.editor).is_empty(), "another pose is shown");
    user.session.playback.go_to(0.4, user.editor.document());
    assert_eq!(user.session.strokes_in_hand(&user.editor).len(), 1);
}

#[test]
fn what_keyed_strokes_did_is_replayed_from_the_history() {
    let mut user = keying();
    arm_and_leg(&mut user);
    let document = user.editor.document();
    let script: Vec<&Edit> = user.editor.history().edits().collect();
    let script: Vec<Edit> = serde_json::from_str(&serde_json::to_string(&script).unwrap()).unwrap();
    let mut replayed = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    for edit in &script {
        replayed.apply(edit).unwrap();
    }
    assert_eq!(replayed, *document);
    let shown = user.session.playback.pose(document);
    assert_eq!(replayed.strokes_of(shown), document.strokes_of(shown));
    assert_eq!(replayed.strokes_of(shown).len(), 2);
}

/// Of a bent elbow: how much of the bend is about its hinge.
fn share_of_hinge(user: &User) -> f64 {
    let character = user.editor.document().character();
    let context = user.session.context(&user.editor);
    let palette = context.palette();
    let joint = user.joint("forearm_l");
    let of_joint = &character.skeleton.joints()[joint as usize];
    let parent = of_joint.parent.unwrap();
    let of = |joint: u32| palette.model_from_joint()[joint as usize];
    let above = (of(joint).translation - of(parent).translation).normalize();
    let tail = of(joint).transform_point3(of_joint.tail_in_joint);
    let along = (tail - of(joint).translation).normalize();
    let hinges = sinew::posing::Hinges::of(character);
    let bend = hinges.joint(joint).unwrap().bend;
    let axis = of(parent).matrix3 * (of_joint.rest.rotation * bend);
    let across = along.reject_from(above);
    across.dot(axis.cross(above).normalize()) / across.length()
}

#[test]
fn an_elbow_that_is_drawn_bends_about_its_hinge_unless_limits_are_off() {
    for keeps_limits in [true, false] {
        let mut user = user();
        user.session.sketch.keeps_limits = keeps_limits;
        let shoulder = head(&user, "upper_arm_l");
        let length = shoulder.distance(head(&user, "forearm_l"));
        let elbow = shoulder + Vec2::new(length, 0.0);
        let mut way = line(shoulder, elbow - shoulder);
        way.extend(line(elbow, Vec2::new(10.0, -1.5 * length)));
        user.drag(&way, PLAIN);
        let share = share_of_hinge(&user);
        assert_eq!(share > 0.98, keeps_limits, "{share}");
        let hand = head(&user, "hand_l");
        assert!((hand.x - elbow.x).abs() < 0.3 * length && hand.y < elbow.y - 0.5 * length);
        let stroke = &user.editor.document().live_strokes()[0];
        assert_eq!(stroke.limits.is_empty(), !keeps_limits);
    }
}
