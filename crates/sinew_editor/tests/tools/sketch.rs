//! Posing by strokes, as a hand does it.

use sinew::glam::{DQuat, Vec2};
use sinew::sample::SampleKind;
use sinew::skeleton::JointPose;
use sinew_editor::tool::{Event, Facing, Key, PoseSketchTool};
use sinew_editor::{Document, Edit, Editor, PoseEdit, Source, StrokeEdit, read_edits};

use crate::common::user::{CONTROL, PLAIN, SHIFT, User};
use crate::random::{Random, num_strokes, small};

/// The fit's tolerance, the string's end, and a pixel of rounding.
const UNDER_PX: f32 = 5.0;
/// The camera is f32, and a fit may part a curve elsewhere for that.
const SAME_RADIANS: f64 = 2e-3;

const ARM: [&str; 3] = ["upper_arm_l", "forearm_l", "hand_l"];

fn user() -> User {
    User::with(PoseSketchTool::default())
}

/// Where a joint is seen.
fn head(user: &User, joint: &str) -> Vec2 {
    user.pixel(user.place(joint).as_vec3())
}

/// From a joint, turning left as it goes: an arc of so many pixels.
fn arc(from: Vec2, towards: Vec2, length_px: f32, turn: f32) -> Vec<Vec2> {
    let steps = 40;
    let mut at = from;
    let mut way = vec![from];
    for step in 0..steps {
        let angle = turn * step as f32 / steps as f32;
        at += Vec2::from_angle(angle).rotate(towards.normalize()) * length_px / steps as f32;
        way.push(at);
    }
    way
}

fn distance_to(way: &[Vec2], at: Vec2) -> f32 {
    let to_line = |pair: &[Vec2]| {
        let along = pair[1] - pair[0];
        let share = ((at - pair[0]).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        at.distance(pair[0] + share * along)
    };
    way.windows(2).map(to_line).fold(f32::INFINITY, f32::min)
}

fn arm_length_px(user: &User) -> f32 {
    let [from, to] = user.bone_pixels("hand_l");
    head(user, ARM[0]).distance(head(user, ARM[1]))
        + head(user, ARM[1]).distance(from)
        + from.distance(to)
}

#[test]
fn one_line_from_the_shoulder_poses_the_arm_at_once_in_any_view() {
    for yaw_radians in [0.3, -0.5, 0.9] {
        let mut user = user();
        user.session.view.camera.yaw_radians = yaw_radians;
        let before = user.editor.document().clone();
        let way = arc(head(&user, ARM[0]), Vec2::new(0.6, -1.0), arm_length_px(&user), 0.8);
        user.press(way[0], PLAIN);
        for &at in &way[1..20] {
            user.moves(at);
        }
        assert_ne!(user.editor.document().pose(), before.pose(), "it follows while it is drawn");
        for &at in &way[20..] {
            user.moves(at);
        }
        user.does(Event::Released { at: way[40] });
        for joint in ARM {
            let off = distance_to(&way, head(&user, joint));
            assert!(off < UNDER_PX, "{joint} is {off} px beside the line at {yaw_radians}");
        }
        assert_eq!(user.steps(), ["Draw a pose"]);
        assert_eq!(user.editor.document().live_strokes().len(), 1);
        user.editor.undo();
        assert_eq!(*user.editor.document(), before);
    }
}

#[test]
fn strokes_after_the_first_pose_the_same_limb_from_anywhere_and_are_the_same_stroke() {
    let mut user = user();
    let shoulder = head(&user, ARM[0]);
    user.drag(&arc(shoulder, Vec2::new(0.6, -1.0), arm_length_px(&user), 0.0), PLAIN);
    let up = user.pose(ARM[0]);
    let beside = Vec2::new(shoulder.x + 300.0, 700.0);
    user.drag(&arc(beside, Vec2::new(0.3, 1.0), 80.0, 0.0), PLAIN);
    let down = user.pose(ARM[0]);
    assert!(up.swing.dot(down.swing).abs() < 0.95, "it points down now");
    assert_eq!(user.editor.document().live_strokes().len(), 1);
    assert_eq!(user.steps(), ["Draw a pose", "Draw a pose"]);
    let spine = head(&user, "head");
    let hips = user.editor.document().character().skeleton.joints()[0].name.clone();
    user.drag(
        &arc(head(&user, &hips), Vec2::NEG_Y, head(&user, &hips).distance(spine), 0.3),
        PLAIN,
    );
    assert_eq!(user.editor.document().live_strokes().len(), 2, "another limb, another stroke");
    assert_eq!(user.pose(ARM[0]), down, "the arm keeps its pose on the bent spine");
}

#[test]
fn a_stroke_over_another_limb_is_for_that_one_even_if_it_begins_at_no_joint() {
    let mut user = user();
    user.drag(&arc(head(&user, ARM[0]), Vec2::new(0.6, -1.0), arm_length_px(&user), 0.0), PLAIN);
    let arm = user.pose(ARM[0]);
    let leg = ["thigh_r", "shin_r", "foot_r"];
    let start = user.pose(leg[0]);
    // From a little above the hip down to the foot, which is to be farther out.
    let [hip, knee, foot] = leg.map(|joint| head(&user, joint));
    let above = hip - 40.0 * (knee - hip).normalize();
    let steps = |a: Vec2, b: Vec2| (0..12).map(move |step| a.lerp(b, step as f32 / 12.0));
    let out = Vec2::new(14.0 * (foot.x - above.x).signum(), 0.0);
    let way: Vec<Vec2> = steps(above, knee + out).chain(steps(knee + out, foot + out)).collect();
    user.drag(&way, PLAIN);
    assert_eq!(user.pose(ARM[0]), arm, "the arm stays");
    assert_ne!(user.pose(leg[0]), start, "the leg follows");
    assert_eq!(user.editor.document().live_strokes().len(), 2);
}

#[test]
fn escape_takes_a_stroke_back_and_then_lets_go_of_the_limb() {
    let mut user = user();
    let before = user.editor.document().clone();
    let way = arc(head(&user, ARM[0]), Vec2::NEG_Y, 100.0, 0.0);
    user.press(way[0], PLAIN);
    way[1..].iter().for_each(|&at| user.moves(at));
    assert!(user.editor.is_open());
    assert!(user.key(Key::Escape));
    user.does(Event::Released { at: way[40] });
    assert_eq!(*user.editor.document(), before);
    assert!(user.steps().is_empty());
    user.drag(&way, PLAIN);
    assert!(!user.session.selection.is_empty());
    assert!(user.key(Key::Escape), "the limb is let go of");
    assert!(user.session.selection.is_empty());
    assert!(!user.key(Key::Escape), "there is nothing left to give up");
}

#[test]
fn a_drag_beside_everything_looks_around_and_a_click_on_a_joint_chooses_its_limb() {
    let mut user = user();
    user.press(Vec2::new(4.0, 4.0), PLAIN);
    assert!(!user.session.tool().has_pointer() && user.session.is_beside());
    user.does(Event::Released { at: Vec2::new(4.0, 4.0) });
    user.drag(&[head(&user, "thigh_r")], PLAIN);
    assert!(user.session.selection.joints.contains(&user.joint("thigh_r")));
    assert!(user.steps().is_empty());
}

#[test]
fn with_shift_a_stroke_says_where_the_limb_is_and_the_next_is_followed_with_its_offsets() {
    let mut user = user();
    let mut way: Vec<Vec2> = ARM.map(|joint| head(&user, joint)).to_vec();
    way.push(user.bone_pixels("hand_l")[1]);
    let beside: Vec<Vec2> = way.iter().map(|at| *at + Vec2::new(0.0, 12.0)).collect();
    let dense: Vec<Vec2> = beside
        .windows(2)
        .flat_map(|pair| (0..10).map(|i| pair[0].lerp(pair[1], i as f32 / 10.0)))
        .collect();
    let before = user.editor.document().clone();
    user.drag(&dense, SHIFT);
    assert_eq!(*user.editor.document(), before, "a baseline changes nothing");
    // Drawn again where it was: nothing moves, since joints keep their offsets.
    let places = ARM.map(|joint| head(&user, joint));
    user.drag(&dense, PLAIN);
    assert!(user.editor.document().live_strokes()[0].baseline.is_some());
    for (joint, place) in ARM.iter().zip(places) {
        let off = head(&user, joint).distance(place);
        assert!(off < UNDER_PX, "{joint} moved by {off} px");
    }
}

#[test]
fn a_knot_is_dragged_added_and_taken_out_and_a_stroke_drawn_on() {
    let mut user = user();
    let way = arc(head(&user, ARM[0]), Vec2::new(0.6, -1.0), arm_length_px(&user), 0.6);
    user.drag(&way, PLAIN);
    let knots = |user: &User| user.editor.document().live_strokes()[0].target.knots().len();
    let num_knots = knots(&user);
    let before = user.pose(ARM[1]);
    let end = way[40];
    user.drag(&[end, end + Vec2::new(20.0, 20.0), end + Vec2::new(60.0, 30.0)], PLAIN);
    assert_ne!(user.pose(ARM[1]), before, "the arm follows the knot");
    assert_eq!(user.steps().last().unwrap(), "Move a knot");
    let stroke = &user.editor.document().live_strokes()[0];
    let middle = stroke.target.at(0.5).as_vec3();
    user.drag(&[user.pixel(middle), user.pixel(middle) + Vec2::new(8.0, 8.0)], CONTROL);
    assert_eq!(knots(&user), num_knots + 1);
    let middle = user.pixel(middle) + Vec2::new(8.0, 8.0);
    user.drag(&[middle], CONTROL);
    assert_eq!(knots(&user), num_knots);
    let stroke = user.editor.document().live_strokes()[0].clone();
    let from = user.pixel(stroke.target.at(0.6).as_vec3());
    user.drag(&arc(from, Vec2::X, 120.0, 0.0), PLAIN);
    let redrawn = &user.editor.document().live_strokes()[0];
    assert!(redrawn.target.closest(stroke.target.at(0.3)).distance < 1e-3, "its start stays");
    assert!(redrawn.target.closest(stroke.target.at(1.0)).distance > 0.02, "its end is another");
    while user.editor.undo() {}
    assert!(user.editor.document().live_strokes().is_empty());
}

#[test]
fn an_arm_of_the_knot_that_was_taken_last_turns_the_stroke_through_it() {
    let mut user = user();
    let way = arc(head(&user, ARM[0]), Vec2::new(0.6, -1.0), arm_length_px(&user), 0.6);
    user.drag(&way, PLAIN);
    let stroke = |user: &User| user.editor.document().live_strokes()[0].clone();
    let before = stroke(&user);
    let last = before.target.knots().len() - 1;
    let knot = before.target.knots()[last];
    let end = user.pixel((knot.at + knot.arm_in).as_vec3());
    user.drag(&[user.pixel(knot.at.as_vec3())], PLAIN);
    user.drag(&[end, end + Vec2::new(20.0, 4.0), end + Vec2::new(45.0, 9.0)], PLAIN);
    let after = stroke(&user);
    assert_eq!(user.steps().last().unwrap(), "Turn a knot");
    assert!(after.target.knots()[last].at.distance(knot.at) < 1e-9, "the knot stays");
    let moved = after.target.knots()[last].arm_in.distance(knot.arm_in);
    assert!(moved > 0.01, "{moved}");
    user.editor.undo();
    assert_eq!(stroke(&user), before);
}

/// Seen from the side, a plane that was turned to face that way bends the arm there.
#[test]
fn a_plane_is_moved_and_turned_by_its_gizmo_and_strokes_lie_on_it() {
    let mut user = user();
    let center = |user: &User| user.session.sketch.own.unwrap().through;
    user.session.sketch.facing = Facing::Own;
    let size = user.session.view.size;
    let middle = Vec2::new(0.16 * size.width as f32, 0.78 * size.height as f32);
    let before = user.editor.document().clone();
    user.drag(&[middle, middle + Vec2::new(10.0, 0.0), middle + Vec2::new(30.0, 0.0)], PLAIN);
    let placed = user.session.sketch.own.unwrap();
    assert!(user.pixel(placed.through.as_vec3()).distance(middle + Vec2::new(30.0, 0.0)) < 1.0);
    assert_eq!(*user.editor.document(), before, "a plane is nobody's work");
    // The ring about its upright axis: seen edge-on it is a line across the middle, this long.
    let scale = user.session.view.gizmo_scale();
    let ring = user.pixel(placed.through.as_vec3()) + Vec2::new(78.0 * scale, 0.0);
    user.drag(&[ring, ring + Vec2::new(30.0, 0.0), ring + Vec2::new(60.0, 0.0)], PLAIN);
    let turned = user.session.sketch.own.unwrap();
    let angle = turned.normal.angle_between(placed.normal);
    assert!((0.3..1.2).contains(&angle), "{angle}");
    assert!(turned.normal.y.abs() - placed.normal.y.abs() < 0.05, "about the upright one");
    assert_eq!(center(&user), placed.through);
    let middle = user.pixel(turned.through.as_vec3());
    user.press(middle, PLAIN);
    user.moves(middle + Vec2::new(40.0, 0.0));
    assert_ne!(user.session.sketch.own, Some(turned));
    user.key(Key::Escape);
    user.does(Event::Released { at: middle });
    assert_eq!(user.session.sketch.own, Some(turned), "Escape puts it back");
    let from = head(&user, ARM[0]);
    user.drag(&arc(from, Vec2::new(0.6, -1.0), 120.0, 0.0), PLAIN);
    let plane = user.editor.document().live_strokes()[0].plane;
    assert_eq!((plane.through, plane.normal), (turned.through, turned.normal));
}

/// A chain of that name's joints, each on the stroke.
fn lies_along(user: &mut User, joints: &[&str], towards: Vec2, length_px: f32, turn: f32) {
    let way = arc(head(user, joints[0]), towards, length_px, turn);
    user.drag(&way, PLAIN);
    let stroke = user.editor.document().live_strokes().last().unwrap().clone();
    let names: Vec<&str> = (stroke.chain.path().iter())
        .map(|&j| user.editor.document().character().skeleton.joints()[j as usize].name.as_str())
        .collect();
    assert_eq!(names, joints);
    for joint in joints {
        let off = distance_to(&way, head(user, joint));
        assert!(off < UNDER_PX, "{joint} is {off} px beside its line");
    }
}

#[test]
fn a_finger_and_a_tail_are_limbs_too() {
    let open = |kind| Document::open(Source::sample(kind), None).unwrap();
    let mut user = User::on(open(SampleKind::Human), PoseSketchTool::default());
    let finger = ["index_1_l", "index_2_l", "index_3_l"];
    // Near enough for a finger: joints that are seen in one place are one.
    user.session.view.camera.target = user.place(finger[1]).as_vec3();
    user.session.view.camera.distance = 0.6;
    let before = user.pose("hand_l");
    let along = head(&user, finger[2]) - head(&user, finger[0]);
    lies_along(&mut user, &finger, along, 2.0 * along.length(), 0.5);
    assert_eq!(user.pose("hand_l"), before, "the hand stays");
    let mut user = User::on(open(SampleKind::Snake), PoseSketchTool::default());
    let names: Vec<String> = user.editor.document().character().skeleton.joints()[30..]
        .iter()
        .map(|joint| joint.name.clone())
        .collect();
    let tail: Vec<&str> = names.iter().map(String::as_str).collect();
    let seen: Vec<Vec2> = tail.iter().map(|joint| head(&user, joint)).collect();
    let length: f32 = seen.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    lies_along(&mut user, &tail, seen[seen.len() - 1] - seen[0], 1.3 * length, 1.2);
}

#[test]
fn another_change_of_the_pose_settles_strokes_and_undo_has_them_back() {
    let mut user = user();
    user.drag(&arc(head(&user, ARM[0]), Vec2::NEG_Y, 150.0, 0.0), PLAIN);
    let drawn = user.editor.document().clone();
    user.editor.apply(PoseEdit::MirrorPose {}).unwrap();
    assert!(user.editor.document().live_strokes().is_empty());
    let redraw = StrokeEdit::EraseStroke { number: 0 };
    let refused = user.editor.apply(redraw.clone()).unwrap_err();
    assert!(refused.to_string().contains("draw one first"), "{refused}");
    user.editor.undo();
    assert_eq!(*user.editor.document(), drawn);
    user.editor.apply(redraw).unwrap();
    assert_eq!(user.pose(ARM[0]), JointPose::REST);
}

/// Character and camera turned alike, the same stroke makes the same pose.
#[test]
fn the_same_stroke_from_a_turned_camera_makes_the_same_pose_of_a_turned_character() {
    let draw = |turn: f64| {
        let mut user = user();
        let root = user.editor.document().character().skeleton.joints()[0].clone();
        let about = user.place(&root.name).as_vec3();
        let axis = root.bone_axis();
        let rotation = root.rest.rotation;
        let turned = rotation.inverse() * DQuat::from_rotation_y(turn) * rotation;
        let pose = JointPose::REST.with_rotation(turned, axis);
        let joints = [(user.editor.document().joint_ref(0), pose)].into();
        user.editor.apply(PoseEdit::PoseJoints { joints }).unwrap();
        let camera = &mut user.session.view.camera;
        let turn = DQuat::from_rotation_y(turn).as_quat();
        camera.target = about + turn * (camera.target - about);
        camera.yaw_radians += turn.to_euler(sinew::glam::EulerRot::YXZ).0;
        let from = head(&user, ARM[0]);
        user.drag(&arc(from, Vec2::new(0.6, -1.0), 130.0, 0.9), PLAIN);
        (from, ARM.map(|joint| user.pose(joint)))
    };
    let (from, plain) = draw(0.0);
    for turn in [0.7, -1.4, 1.5] {
        let (same, turned) = draw(turn);
        assert!(from.distance(same) < 0.1, "it is seen in the same place: {from} {same}");
        for ((a, b), joint) in plain.iter().zip(&turned).zip(ARM) {
            let off = a.swing.angle_between(b.swing);
            assert!(off < SAME_RADIANS, "{joint} differs by {off} at {turn}");
        }
    }
}

/// What the journal has is what `sinew edit` replays.
#[test]
fn a_sketch_replayed_from_its_script_is_the_same_to_the_bit_and_comes_back_from_its_project() {
    let mut user = user();
    user.session.sketch.freedom.stretches = true;
    user.drag(&arc(head(&user, ARM[0]), Vec2::new(0.5, -1.0), 160.0, 0.9), PLAIN);
    user.drag(&arc(head(&user, "thigh_r"), Vec2::new(-0.5, 1.0), 160.0, -0.4), PLAIN);
    let document = user.editor.document();
    let script: Vec<Edit> = (document.live_strokes().iter())
        .map(|stroke| {
            let stroke = sinew_editor::StrokeText::of(document, stroke);
            StrokeEdit::DrawPose { stroke }.into()
        })
        .collect();
    let text = serde_json::to_string(&script).unwrap();
    let mut replayed =
        Editor::new(Document::open(Source::sample(SampleKind::Chibi), None).unwrap());
    for edit in read_edits(&text).unwrap() {
        replayed.apply(edit).unwrap();
    }
    assert_eq!(replayed.document(), document);
    let bytes = sinew_editor::project::to_bytes(document).unwrap();
    let again = sinew_editor::project::from_bytes(&bytes, None).unwrap();
    assert_eq!(&again, document);
    assert_eq!(again.live_strokes(), document.live_strokes());
}

#[test]
fn people_write_strokes_as_places_and_are_told_what_is_wrong() {
    let mut editor = Editor::new(Document::open(Source::sample(SampleKind::Chibi), None).unwrap());
    let script = |from: &str, to: &str, target: &str| {
        format!(
            r#"[{{"edit": "draw-pose", "stroke": {{"from": "{from}", "to": "{to}",
            "plane": {{"through": [0, 1, 0], "normal": [0, 0, 1]}}, "target": {target}}}}}]"#
        )
    };
    let mut apply = |text: String| {
        let edit = read_edits(&text).unwrap().remove(0);
        editor.apply(edit).map_err(|error| error.to_string())
    };
    apply(script(ARM[0], ARM[2], "[[0.2, 1, 0], [0.5, 1.4, 0], [0.6, 1.8, 0]]")).unwrap();
    let not_below = apply(script(ARM[2], ARM[0], "[[0, 1, 0], [1, 1, 0]]")).unwrap_err();
    assert!(not_below.contains("not below"), "{not_below}");
    let point = apply(script(ARM[0], ARM[2], "[[0, 1, 0]]")).unwrap_err();
    assert!(point.contains("two points"), "{point}");
    let unknown = apply(script("upper_arm_q", ARM[2], "[[0, 1, 0], [1, 1, 0]]")).unwrap_err();
    assert!(unknown.contains("upper_arm_"), "{unknown}");
}

#[test]
fn a_stroke_at_a_playhead_sets_keys() {
    let mut user = user();
    user.session.playback.choose(Some(0), user.editor.document());
    user.session.playback.go_to(0.4, user.editor.document());
    user.session.auto_key = true;
    let own = user.editor.document().pose().clone();
    let from = head(&user, ARM[0]);
    let way = arc(from, Vec2::new(0.6, -1.0), 120.0, 0.0);
    user.drag(&way, PLAIN);
    assert_eq!(*user.editor.document().pose(), own, "keys, not the pose");
    assert!(user.editor.document().motions().is_edited(0));
    assert!(distance_to(&way, head(&user, ARM[1])) < UNDER_PX);
    // Without automatic keys it is a pose over the clip, as with every tool.
    user.editor.undo();
    user.session.playback.sync(user.editor.document());
    user.session.auto_key = false;
    user.drag(&way, PLAIN);
    assert!(distance_to(&way, head(&user, ARM[1])) < UNDER_PX);
    assert_ne!(*user.editor.document().pose(), own);
}

#[test]
fn whatever_is_drawn_on_whichever_sample_stays_finite_and_undo_is_exact() {
    let kinds = SampleKind::ALL;
    let num_each = num_strokes(150).div_ceil(kinds.len());
    let mut random = Random(0x5eed_cafe_f00d_1234);
    let mut posed = 0;
    for kind in kinds {
        let mut user = User::on(small(kind), PoseSketchTool::default());
        let num_joints = user.editor.document().character().skeleton.len();
        if num_joints == 0 {
            continue;
        }
        let start = user.editor.document().clone();
        for stroke in 0..num_each {
            user.session.sketch.freedom.stretches = stroke % 3 == 0;
            user.session.sketch.freedom.moves_start = stroke % 5 == 0;
            user.session.sketch.freedom.ends_there = stroke % 2 == 0;
            let joint = (random.next() * num_joints as f32) as usize % num_joints;
            let name = user.editor.document().character().skeleton.joints()[joint].name.clone();
            let seen = user.session.view.project(user.place(&name).as_vec3());
            let from = seen.filter(|_| random.next() < 0.7).unwrap_or_else(|| random.pixel());
            let modifiers = [PLAIN, PLAIN, PLAIN, SHIFT, CONTROL][stroke % 5];
            let before = user.editor.document().clone();
            let num_steps = user.steps().len();
            user.drag(&random.stroke(from), modifiers);
            assert!(!user.editor.is_open());
            let pose = user.editor.document().pose();
            let is_finite = pose.joints.iter().all(|joint| {
                joint.swing.is_finite()
                    && joint.translation.is_finite()
                    && joint.stretch.is_finite()
                    && joint.twist_radians.is_finite()
            });
            assert!(is_finite, "stroke {stroke} on {}", kind.name());
            if user.steps().len() > num_steps {
                posed += 1;
                let after = user.editor.document().clone();
                user.editor.undo();
                assert_eq!(*user.editor.document(), before, "stroke {stroke} on {}", kind.name());
                user.editor.redo();
                assert_eq!(*user.editor.document(), after, "stroke {stroke} on {}", kind.name());
            }
            if stroke % 7 == 6 {
                user.key(Key::Escape);
                user.session.view.camera.yaw_radians += 0.7;
            }
            if stroke % 40 == 39 {
                user = User::on(start.clone(), PoseSketchTool::default());
            }
        }
    }
    assert!(posed > num_strokes(150) / 5, "only {posed} strokes posed something");
}
