//! Tools, used as a user does, with no window: pointer in, pose out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;

mod cage;
mod click;
mod grab;
mod in_hand;
mod points;
mod random;
mod sculpt;
mod shift;
mod sight;
mod sizes;
mod sketch;
mod stretch;
mod surface;
mod weights;

use common::user::{CONTROL, PLAIN, SHIFT, User, rigs};
use sinew::glam::{DAffine3, DVec3, Vec2, Vec3};
use sinew::sample::SampleKind;
use sinew::skeleton::{Palette, Pose};
use sinew_editor::tool::{Event, Key, ReachTool, RotateTool, SelectTool, reach, ring_point};
use sinew_editor::{Axis, Document, Selection, Source};

#[test]
fn a_click_on_a_bone_chooses_its_joint_shift_adds_and_a_click_beside_chooses_none() {
    let mut user = User::with(SelectTool::default());
    let (arm, shin) = (user.joint("forearm_l"), user.joint("shin_r"));
    user.press(user.bone("forearm_l"), PLAIN);
    assert_eq!(user.session.selection, Selection::of(arm));
    user.press(user.bone("shin_r"), SHIFT);
    assert!(user.session.selection.joints.contains(&arm));
    assert_eq!(user.session.selection.active, Some(shin));
    user.press(user.bone("shin_r"), SHIFT);
    assert_eq!(user.session.selection.active, Some(arm));
    user.drag(&[Vec2::new(2.0, 2.0)], PLAIN);
    assert!(user.session.selection.is_empty());
    assert_eq!(user.editor.history().done().len(), 0, "choosing is no edit");
}

#[test]
fn a_drag_beside_everything_leaves_what_is_chosen_and_a_click_there_chooses_nothing() {
    let mut user = User::with(RotateTool::default());
    user.choose("forearm_l");
    let chosen = user.session.selection.clone();
    let beside = Vec2::new(2.0, 2.0);
    user.press(beside, PLAIN);
    assert!(user.session.is_beside(), "the view may be turned from here");
    user.session.looks_around(beside + Vec2::new(40.0, 0.0));
    user.does(Event::Released { at: beside });
    assert_eq!(user.session.selection, chosen);
    user.drag(&[beside], PLAIN);
    assert!(user.session.selection.is_empty());
}

#[test]
fn a_box_chooses_joints_and_control_takes_them_out() {
    let mut user = User::with(SelectTool::default());
    let num_joints = user.editor.document().character().skeleton.len();
    let (from, to) = (Vec2::new(1.0, 1.0), Vec2::new(1279.0, 799.0));
    user.drag(&[from, 0.5 * (from + to), to], PLAIN);
    assert_eq!(user.session.selection.joints.len(), num_joints);
    assert!(user.session.selection.active.is_some());
    user.drag(&[from, 0.5 * (from + to), to], CONTROL);
    assert_eq!(user.session.selection, Selection::default());
}

#[test]
fn hovering_names_what_a_click_would_take() {
    let mut user = User::with(RotateTool::default());
    user.moves(user.bone("forearm_l"));
    let document = user.editor.document();
    let name = user.session.hovered.map(|hit| hit.name(document));
    assert_eq!(name.as_deref(), Some("forearm_l"));
    user.moves(Vec2::new(2.0, 2.0));
    assert_eq!(user.session.hovered, None);
}

/// Pixels of the gizmo's ring about the bone of the chosen joint, one turn in even steps.
fn twist_ring(user: &User) -> Vec<Vec2> {
    let marks = user.marks();
    // The chosen bone is the first mark, the ring about it the next 64.
    marks.lines[1..65].iter().map(|line| user.pixel(line.ends[0])).collect()
}

#[test]
fn dragging_the_bones_ring_round_and_round_counts_turns_and_is_one_step() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("hips"), PLAIN);
    let ring = twist_ring(&user);
    // Take hold where the ring is in front.
    let before = user.editor.document().clone();
    let start = (0..64)
        .find(|&at| {
            user.press(ring[at], PLAIN);
            let took = user.editor.is_open();
            user.does(Event::Key(Key::Escape));
            user.press(user.bone("hips"), PLAIN);
            user.does(Event::Released { at: ring[at] });
            user.editor.cancel();
            took
        })
        .unwrap();
    assert_eq!(*user.editor.document(), before);
    user.session.selection = Selection::of(user.joint("hips"));
    let turns = 2;
    let way: Vec<Vec2> = (0..=64 * turns).map(|step| ring[(start + step) % 64]).collect();
    user.drag(&way, PLAIN);
    let twisted = user.twist("hips").to_degrees().abs();
    // A ring that is seen from its side is pulled, and goes back as it came.
    assert!((twisted - 720.0).abs() < 5.0 || twisted < 5.0, "{twisted}");
    assert_eq!(user.editor.history().done().len(), usize::from(*user.editor.document() != before));
    while user.editor.undo() {}
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn a_number_typed_after_an_axis_is_the_angle_and_escape_takes_it_back() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("forearm_l"), PLAIN);
    let before = user.editor.document().clone();
    user.types("t-450.5");
    assert!((user.twist("forearm_l").to_degrees() + 450.5).abs() < 1e-9);
    user.does(Event::Key(Key::Backspace));
    user.does(Event::Key(Key::Backspace));
    assert!((user.twist("forearm_l").to_degrees() + 450.0).abs() < 1e-9);
    user.does(Event::Key(Key::Escape));
    assert_eq!(*user.editor.document(), before);
    // Another axis in the middle of it starts from the beginning, not from what was typed before.
    user.types("t90x30");
    assert_eq!(user.twist("forearm_l"), 0.0);
    user.does(Event::Key(Key::Enter));
    assert_eq!(user.editor.history().done().collect::<Vec<_>>(), ["Rotate"]);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn all_chosen_joints_turn_together_and_control_goes_in_steps() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("forearm_l"), PLAIN);
    user.press(user.bone("forearm_r"), SHIFT);
    user.types("t15");
    user.does(Event::Key(Key::Enter));
    let turned = [user.twist("forearm_l"), user.twist("forearm_r")];
    assert!(turned.iter().all(|t| (t.to_degrees() - 15.0).abs() < 1e-9), "{turned:?}");
    user.editor.undo();
    let ring = twist_ring(&user);
    for at in 0..64 {
        user.drag(&[ring[at], ring[(at + 3) % 64] + Vec2::new(1.0, 2.0)], CONTROL);
        let degrees = user.twist("forearm_r").to_degrees();
        assert!((degrees / 15.0 - (degrees / 15.0).round()).abs() < 1e-6, "{degrees}");
        while user.editor.undo() {}
        user.session.selection = Selection::of(user.joint("forearm_r"));
    }
}

#[test]
fn a_pulled_hand_comes_where_the_pointer_is_and_the_limb_keeps_its_lengths() {
    let mut user = User::with(ReachTool::default());
    let before = user.editor.document().clone();
    let grip = user.pixel(user.place("hand_l").as_vec3()) + Vec2::new(0.0, 1.0);
    // Towards the shoulder and down: a place that an arm of any length reaches.
    let shoulder = user.pixel(user.place("upper_arm_l").as_vec3());
    let near = grip.lerp(shoulder, 0.4) + Vec2::new(0.0, 8.0);
    let way = [grip, grip.midpoint(near), near];
    let upper = user.place("upper_arm_l").distance(user.place("forearm_l"));
    let lower = user.place("forearm_l").distance(user.place("hand_l"));
    user.drag(&way, PLAIN);
    let chosen = user.session.selection.active.unwrap();
    let name = user.editor.document().character().skeleton.joints()[chosen as usize].name.clone();
    assert_eq!(name, "hand_l");
    let seen = user.pixel(user.place("hand_l").as_vec3());
    let wanted = way[2] + Vec2::new(0.0, -1.0);
    assert!(seen.distance(wanted) < 2.0, "{seen} {wanted}");
    assert!((user.place("upper_arm_l").distance(user.place("forearm_l")) - upper).abs() < 1e-6);
    assert!((user.place("forearm_l").distance(user.place("hand_l")) - lower).abs() < 1e-6);
    assert_eq!(user.editor.history().done().collect::<Vec<_>>(), ["Reach"]);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn pointing_at_a_thumb_takes_the_hand_and_at_a_shin_the_nearer_of_knee_and_ankle() {
    let document = Document::open(Source::sample(SampleKind::Human), None).unwrap();
    let taken = |from: &str, to: &str, along: f64| {
        let mut user = User::on(document.clone(), ReachTool::default());
        let (from, to) = (user.place(from), user.place(to));
        let at = user.pixel(from.lerp(to, along).as_vec3());
        user.session.dispatch(&Event::Moved { at, modifiers: PLAIN }, &mut user.editor).unwrap();
        let hovered = user.session.hovered.unwrap().name(user.editor.document());
        user.drag(&[at, at + Vec2::new(0.0, 3.0)], PLAIN);
        let chosen = user.session.selection.active.unwrap();
        let joints = user.editor.document().character().skeleton.joints();
        // What hovering names is what a click takes.
        assert_eq!(joints[chosen as usize].name, hovered);
        hovered
    };
    assert_eq!(taken("hand_l", "thumb_2_l", 0.9), "hand_l");
    assert_eq!(taken("hand_r", "forearm_r", 0.0), "hand_r");
    assert_eq!(taken("foot_l", "toes_l", 1.0), "foot_l");
    assert_eq!(taken("shin_l", "foot_l", 0.8), "foot_l");
    assert_eq!(taken("shin_l", "foot_l", 0.2), "shin_l");
}

#[test]
fn helpers_are_taken_only_while_they_are_shown() {
    let mut user = User::with(SelectTool::default());
    let mut character = sinew::Character::clone(user.editor.document().character());
    for part in &mut character.parts {
        // Only the first joint moves skin: all others are helpers.
        part.weights = Some(sinew::weights::SkinWeights::rigid(&vec![0; part.mesh.points().len()]));
    }
    user.session.meet(&std::sync::Arc::new(character));
    let hand = user.joint("hand_l");
    assert!(user.session.helpers()[hand as usize]);
    let at = user.pixel(user.place("hand_l").as_vec3());
    let moved = Event::Moved { at, modifiers: PLAIN };
    user.session.dispatch(&moved, &mut user.editor).unwrap();
    assert_eq!(user.session.hovered, None);
    user.session.shows_helpers = true;
    user.session.dispatch(&moved, &mut user.editor).unwrap();
    assert!(user.session.hovered.is_some());
}

#[test]
fn meshes_are_hidden_shown_and_isolated_in_the_session_alone() {
    let mut user = User::with(SelectTool::default());
    user.session.isolate_mesh(1, 3);
    assert_eq!(user.session.hidden_meshes.iter().copied().collect::<Vec<_>>(), [0, 2]);
    user.session.show_mesh(0, true);
    assert_eq!(user.session.hidden_meshes.len(), 1);
    user.session.isolate_mesh(1, 3);
    user.session.isolate_mesh(1, 3);
    assert!(user.session.hidden_meshes.is_empty(), "a second time shows all again");
    assert!(!user.editor.is_modified());
}

#[test]
fn a_limb_reaches_every_place_within_its_length_and_points_at_those_beyond() {
    let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    let skeleton = &document.character().skeleton;
    let find = |name: &str| skeleton.joints().iter().position(|j| j.name == name).unwrap();
    let (first, middle, end) = (find("upper_arm_l"), find("forearm_l"), find("hand_l"));
    let rest = Palette::new(skeleton, &Pose::rest(skeleton));
    let at = |palette: &Palette, joint: usize| palette.model_from_joint()[joint].translation;
    let shoulder = at(&rest, first);
    let upper = shoulder.distance(at(&rest, middle));
    let lower = at(&rest, middle).distance(at(&rest, end));
    for step in 0..200 {
        let angle = f64::from(step);
        let direction =
            DVec3::new(angle.sin(), (1.7 * angle).cos(), (0.9 * angle).sin()).normalize();
        let distance = 1.3 * (upper + lower) * f64::from(step % 20) / 20.0;
        let target = shoulder + distance * direction;
        let mut pose = Pose::rest(skeleton);
        for (joint, posed) in reach(skeleton, &pose.clone(), end as u32, target) {
            pose.joints[joint as usize] = posed;
        }
        let found = at(&Palette::new(skeleton, &pose), end);
        let reachable = distance.clamp((upper - lower).abs(), 0.9999 * (upper + lower));
        let expected = shoulder + reachable * direction;
        let off = found.distance(expected);
        // At the shoulder itself any direction is right.
        assert!(off < 1e-3 || distance == 0.0, "step {step}: {found} for {expected}, off {off}");
    }
}

#[test]
fn a_ring_turns_the_joint_the_way_that_it_is_dragged_in_mirrored_frames_too() {
    let mut num_slanted = 0;
    for (rig, (document, joint)) in rigs().into_iter().enumerate() {
        // Under an uneven scale a joint's points go on ellipses, aslant to the ring.
        let is_uneven = rig == 2;
        let mut num_taken = 0;
        for axis in [Axis::Bend, Axis::Side, Axis::Twist] {
            let mut user = User::on(document.clone(), RotateTool::default());
            user.choose(joint);
            let index = user.joint(joint) as usize;
            let before = user.session.context(&user.editor).palette().model_from_joint()[index];
            for step in 0..32 {
                let angle = step as f32 * 0.2;
                let context = user.session.context(&user.editor);
                let held = ring_point(&context, axis, angle).unwrap();
                let ahead = user.pixel(ring_point(&context, axis, angle + 0.3).unwrap());
                let from = user.pixel(held);
                let eye = user.session.view.camera.eye();
                if (held - before.translation.as_vec3()).dot(eye - held) < 0.0 {
                    // The far half goes the other way.
                    continue;
                }
                user.press(from, PLAIN);
                // At the ends of a ring that is seen from its side the way along it goes into the
                // picture.
                let is_this_ring = user.editor.is_open() && ahead.distance(from) > 12.0 && {
                    user.moves(ahead);
                    let turned = user.pose(joint).rotation(bone_axis(&user, joint));
                    let about = axis_of(&user, axis, joint);
                    turned.xyz().cross(about).length() < 1e-6 && turned.xyz().length() > 0.05
                };
                if is_this_ring && !is_uneven {
                    let after =
                        user.session.context(&user.editor).palette().model_from_joint()[index];
                    let went: DAffine3 = after * before.inverse();
                    let to = user.pixel(went.transform_point3(held.as_dvec3()).as_vec3());
                    let along = (to - from).dot(ahead - from) / (ahead - from).length_squared();
                    // What was taken hold of stays under the pointer; a ring that is seen from its
                    // side is pulled by its nearest point.
                    let center = before.translation.as_vec3();
                    let arms = [0.0, 1.0].map(|angle| ring_arm(&user, axis, angle) - center);
                    let normal = arms[0].cross(arms[1]).normalize();
                    let facing = normal.dot((eye - center).normalize()).abs();
                    let even = if facing > 0.35 { 0.8..1.25 } else { 0.25..4.0 };
                    assert!(even.contains(&along), "{joint} {axis:?} {facing}: {along} of the way");
                    num_slanted += usize::from((0.35..0.7).contains(&facing));
                    num_taken += 1;
                }
                user.key(Key::Escape);
                user.choose(joint);
            }
        }
        assert!(is_uneven || num_taken > 16, "{joint}: {num_taken}");
    }
    assert!(num_slanted > 4, "only {num_slanted} were seen at a slant");
}

fn ring_arm(user: &User, axis: Axis, angle: f32) -> Vec3 {
    ring_point(&user.session.context(&user.editor), axis, angle).unwrap()
}

/// Rigs under the rotation tool, a joint of each chosen.
fn rigs_turning() -> Vec<(User, &'static str)> {
    let hold = |(document, joint)| {
        let mut user = User::on(document, RotateTool::default());
        user.choose(joint);
        (user, joint)
    };
    rigs().into_iter().map(hold).collect()
}

fn bone_axis(user: &User, joint: &str) -> DVec3 {
    let skeleton = &user.editor.document().character().skeleton;
    skeleton.joints()[user.joint(joint) as usize].bone_axis()
}

fn axis_of(user: &User, axis: Axis, joint: &str) -> DVec3 {
    let character = user.editor.document().character();
    let (joint, rest) = (user.joint(joint), sinew::skeleton::JointPose::REST);
    let hinge = || *sinew::posing::Hinges::of(character).joint(joint).unwrap();
    axis.in_joint(&character.skeleton.joints()[joint as usize], &rest, hinge)
}

#[test]
fn a_click_with_the_reaching_tool_chooses_and_leaves_even_a_straight_limb_as_it_is() {
    let mut user = User::with(ReachTool::default());
    let before = user.editor.document().clone();
    let at = user.bone("hand_l");
    user.drag(&[at, at + Vec2::new(40.0, 3.0), at], PLAIN);
    assert_eq!(user.session.selection, Selection::of(user.joint("hand_l")));
    assert_eq!(*user.editor.document(), before);
    assert!(user.steps().is_empty());
}

#[test]
fn a_limb_of_any_rig_follows_the_pointer() {
    // Under an uneven scale the law of cosines is not exact: it comes nearer.
    let chains = rigs().into_iter().skip(1).map(|(document, _)| document);
    for (document, most_px) in chains.zip([1.5, 30.0, 1.5]) {
        let mut user = User::on(document, ReachTool::default());
        let grip = user.bone("end");
        let start = user.pixel(user.place("end").as_vec3());
        let moved = 0.25 * (user.pixel(user.place("low").as_vec3()) - start);
        user.drag(&[grip, grip + 0.5 * moved, grip + moved], PLAIN);
        assert_eq!(user.session.selection.active, Some(user.joint("end")));
        let seen = user.pixel(user.place("end").as_vec3()) - start;
        assert!(moved.length() > 20.0 && seen.distance(moved) < most_px, "{seen} {moved}");
    }
}

#[test]
fn an_undo_in_the_middle_of_a_drag_ends_it() {
    let mut user = User::with(RotateTool::default());
    user.choose("forearm_l");
    let before = user.editor.document().clone();
    let at = user.bone("forearm_l");
    user.does(Event::Grabbed { at });
    user.moves(at + Vec2::new(0.0, 50.0));
    assert_ne!(*user.editor.document(), before);
    user.editor.undo();
    user.moves(at + Vec2::new(0.0, 90.0));
    user.does(Event::Released { at });
    assert_eq!(*user.editor.document(), before);
    assert!(user.steps().is_empty() && !user.editor.is_open());
}
