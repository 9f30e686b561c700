//! Keys: set by hand, automatically, undone, written to files and read again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::f64::consts::TAU;

use common::motion::edit_of_motion;
use common::{document, shaped};
use proptest::prelude::*;
use sinew::driver::Control;
use sinew::motion::{Address, JointProperty};
use sinew_editor::tool::SelectTool;
use sinew_editor::{
    Axis, Document, Edit, Editor, MotionEdit, NumbersToKey, PoseEdit, RiggingEdit, Session,
    ShapeEdit, ShownNumbers, View, export_character, project, read_edits,
};
use sinew_io::ReadOnly;
use sinew_view::camera::{Camera, Size};

fn session() -> Session {
    let camera = Camera::around(&document().character().bounds(), 0.0, 0.0, 4.0 / 3.0);
    let view = View { camera, size: Size { width: 400, height: 300 } };
    Session::new(view, Box::new(SelectTool::default()))
}

/// On a new motion of two seconds, at its start.
fn on_new_motion(document: Document) -> (Session, Editor) {
    let (mut session, mut editor) = (session(), Editor::new(document));
    let name = "own".to_owned();
    editor.apply(MotionEdit::AddMotion { name, seconds: 2.0, copy_of: None }).unwrap();
    let last = editor.document().motions().len() - 1;
    session.playback.choose(Some(last), editor.document());
    (session, editor)
}

fn turn(joint: u32, degrees: f64, document: &Document) -> Vec<Edit> {
    let (joint, axis) = (document.joint_ref(joint), Axis::Twist);
    vec![PoseEdit::RotateJoint { joint, axis, degrees }.into()]
}

fn twist_at(session: &mut Session, editor: &Editor, seconds: f64) -> f64 {
    session.playback.go_to(seconds, editor.document());
    session.playback.pose(editor.document()).joints[1].twist_radians
}

#[test]
fn posing_with_automatic_keys_sets_keys_at_the_playhead_and_leaves_the_documents_pose() {
    let (mut session, mut editor) = on_new_motion(document());
    let own_pose = editor.document().pose().clone();
    session.auto_key = true;
    for (seconds, degrees) in [(0.0, 0.5), (1.0, 90.0), (2.0, 630.0)] {
        session.playback.go_to(seconds, editor.document());
        let edits = turn(1, degrees, editor.document());
        session.apply(None, edits, &mut editor).unwrap();
        assert!(session.playback.shows_clip(editor.document()));
    }
    assert_eq!(*editor.document().pose(), own_pose);
    // Each turn goes on from what the motion had there: held past its last key.
    let degrees = [0.5, 90.5, 720.5];
    for (seconds, degrees) in [0.0, 1.0, 2.0].into_iter().zip(degrees) {
        let found = twist_at(&mut session, &editor, seconds).to_degrees();
        assert!((found - degrees).abs() < 1e-9, "{seconds}: {found}");
    }
    while editor.undo() {}
    assert_eq!(editor.document().motions().len(), document().motions().len());
}

#[test]
fn keys_of_some_joints_leave_the_others_as_they_are_posed() {
    let (mut session, mut editor) = (session(), Editor::new(document()));
    for joint in [0, 1] {
        let edits = turn(joint, 40.0, editor.document());
        session.apply(None, edits, &mut editor).unwrap();
    }
    let posed = editor.document().pose().clone();
    let name = "own".to_owned();
    editor.apply(MotionEdit::AddMotion { name, seconds: 2.0, copy_of: None }).unwrap();
    let last = editor.document().motions().len() - 1;
    session.playback.choose(Some(last), editor.document());
    assert_ne!(*session.playback.pose(editor.document()), posed, "the motion is at rest");
    session.playback.lay_pose_over();
    assert_eq!(*session.playback.pose(editor.document()), posed);
    assert_eq!(session.playback.posed_over(editor.document()), [0, 1]);
    session.set_keys(&[0], &ShownNumbers::default(), &mut editor).unwrap();
    assert_eq!(*session.playback.pose(editor.document()), posed, "the second is still there");
    assert_eq!(session.playback.posed_over(editor.document()), [1]);
    session.set_keys(&[1], &ShownNumbers::default(), &mut editor).unwrap();
    assert!(session.playback.shows_clip(editor.document()));
    session.playback.go_to(1.0, editor.document());
    let shown = session.playback.pose(editor.document());
    for joint in [0, 1] {
        let off = shown.joints[joint].twist_radians - posed.joints[joint].twist_radians;
        assert!(off.abs() < 1e-12, "{joint}: {off}");
    }
}

#[test]
fn a_clip_of_the_file_is_the_files_until_a_key_is_edited_and_again_once_that_is_undone() {
    let (mut session, mut editor) = (session(), Editor::new(document()));
    session.playback.choose(Some(0), editor.document());
    session.playback.go_to(0.5, editor.document());
    let before = session.playback.pose(editor.document()).clone();
    assert!(!editor.document().motions().is_edited(0));
    session.auto_key = true;
    let edits = turn(1, 30.0, editor.document());
    session.apply(None, edits, &mut editor).unwrap();
    assert!(editor.document().motions().is_edited(0));
    let seconds = session.playback.seconds();
    let now = twist_at(&mut session, &editor, seconds);
    assert!((now - before.joints[1].twist_radians - 30_f64.to_radians()).abs() < 1e-9);
    editor.undo();
    session.playback.sync(editor.document());
    assert!(!editor.document().motions().is_edited(0));
    assert_eq!(session.playback.pose(editor.document()), &before);
}

#[test]
fn a_key_on_an_adding_layer_leaves_the_layer_below_alone() {
    let (mut session, mut editor) = (session(), Editor::new(document()));
    session.playback.choose(Some(0), editor.document());
    let below = editor.document().motions().motion(editor.document().character(), 0);
    let motion = sinew_editor::MotionRef::of(editor.document(), 0);
    let mode = sinew::motion::LayerMode::Add;
    editor.apply(MotionEdit::AddLayer { motion, name: "more".into(), mode }).unwrap();
    session.playback.sync(editor.document());
    (session.auto_key, session.key_layer) = (true, 1);
    session.playback.go_to(0.3, editor.document());
    let before = session.playback.pose(editor.document()).joints[1];
    let edits = turn(1, 40.0, editor.document());
    session.apply(None, edits, &mut editor).unwrap();
    let now = editor.document().motions().motion(editor.document().character(), 0);
    assert_eq!(now.layers[0], below.layers[0]);
    let found = twist_at(&mut session, &editor, 0.3);
    assert!((found - before.twist_radians - 40_f64.to_radians()).abs() < 1e-9);
}

fn weigh(shape: &str, weight: f32) -> Edit {
    let script = format!(
        r#"[{{"edit": "set-shapes", "weights": {{"cylinder": {{"{shape}": {weight}}}}}}}]"#
    );
    read_edits(&script).unwrap().remove(0)
}

fn shape_at(session: &mut Session, editor: &Editor, shape: usize, seconds: f64) -> f32 {
    session.playback.go_to(seconds, editor.document());
    session.playback.shape_weights(0, editor.document()).0[shape]
}

#[test]
fn a_key_takes_shapes_and_controls_that_were_changed_and_those_that_have_keys() {
    let mut document = shaped();
    let control = Control { name: "open".into(), rest: 0.25, range: [0.0, 1.0] };
    document.apply(&RiggingEdit::AddControl { control }.into()).unwrap();
    let shape = document.character().parts[0].shapes[1].name.clone();
    let (mut session, mut editor) = on_new_motion(document);
    assert!(session.numbers_to_key(NumbersToKey::ChangedAndKeyed, editor.document()).is_empty());
    let edits = vec![weigh(&shape, 0.7), RiggingEdit::set_control("open", 1.0).into()];
    session.apply(None, edits, &mut editor).unwrap();
    let numbers = session.numbers_to_key(NumbersToKey::Changed, editor.document());
    assert_eq!(numbers, ShownNumbers { shapes: vec![(0, 1, 0.7)], controls: vec![(0, 1.0)] });
    session.set_keys(&[], &numbers, &mut editor).unwrap();
    // Unchanged, they have keys at another time all the same.
    session.playback.go_to(1.0, editor.document());
    assert!(session.numbers_to_key(NumbersToKey::Changed, editor.document()).is_empty());
    let edits = vec![weigh(&shape, 0.1)];
    session.apply(None, edits, &mut editor).unwrap();
    let numbers = session.numbers_to_key(NumbersToKey::ChangedAndKeyed, editor.document());
    assert_eq!(numbers, ShownNumbers { shapes: vec![(0, 1, 0.1)], controls: vec![(0, 1.0)] });
    session.set_keys(&[], &numbers, &mut editor).unwrap();
    assert!((shape_at(&mut session, &editor, 1, 0.0) - 0.7).abs() < 1e-6);
    assert!((shape_at(&mut session, &editor, 1, 1.0) - 0.1).abs() < 1e-6);
    assert!((shape_at(&mut session, &editor, 1, 0.5) - 0.4).abs() < 1e-6);
    // The step is one, and undone it is gone.
    editor.undo();
    session.playback.sync(editor.document());
    assert!((shape_at(&mut session, &editor, 1, 1.0) - 0.7).abs() < 1e-6);
}

#[test]
fn a_key_of_a_shape_on_an_adding_layer_is_what_the_layers_below_lack() {
    let (mut session, mut editor) = on_new_motion(shaped());
    let shape = editor.document().character().parts[0].shapes[1].name.clone();
    session.auto_key = true;
    session.apply(None, vec![weigh(&shape, 0.5)], &mut editor).unwrap();
    let motion = sinew_editor::MotionRef::of(editor.document(), session.key_place().motion);
    let mode = sinew::motion::LayerMode::Add;
    editor.apply(MotionEdit::AddLayer { motion, name: "more".into(), mode }).unwrap();
    session.playback.sync(editor.document());
    session.key_layer = 1;
    session.apply(None, vec![weigh(&shape, 0.8)], &mut editor).unwrap();
    assert!((shape_at(&mut session, &editor, 1, 0.0) - 0.8).abs() < 1e-6);
}

/// Twist joints make a longer pose. With automatic keys that became keys of the rest, and the clip
/// was hidden behind it.
#[test]
fn joints_that_are_added_set_no_keys_and_leave_the_clip_in_sight() {
    let (mut session, mut editor) = (session(), Editor::new(document()));
    session.playback.choose(Some(0), editor.document());
    session.playback.go_to(0.5, editor.document());
    session.auto_key = true;
    let num_joints = editor.document().pose().joints.len();
    let before = session.playback.pose(editor.document()).joints[..num_joints].to_vec();
    let joint = editor.document().joint_ref(1);
    let edits = vec![RiggingEdit::AddTwistJoints { joint, count: 3 }.into()];
    session.apply(None, edits, &mut editor).unwrap();
    assert!(editor.document().pose().joints.len() > num_joints);
    assert!(!editor.document().motions().is_edited(0));
    assert!(session.playback.shows_clip(editor.document()));
    assert_eq!(session.playback.pose(editor.document()).joints[..num_joints], before[..]);
}

#[test]
fn a_shape_moved_with_automatic_keys_gets_a_key() {
    let (mut session, mut editor) = on_new_motion(shaped());
    session.auto_key = true;
    session.playback.go_to(1.0, editor.document());
    let edit = ShapeEdit::set(editor.document(), 0, 1, 0.75);
    session.apply(None, vec![edit.into()], &mut editor).unwrap();
    assert_eq!(editor.document().shapes(), shaped().shapes());
    let motion = session.playback.motion().unwrap();
    assert!(motion.layers[0].channel(Address::Shape { part: 0, shape: 1 }).is_some());
    assert_eq!(session.playback.shape_weights(0, editor.document()).0[1], 0.75);
}

#[test]
fn a_control_set_with_automatic_keys_gets_a_key_and_is_seen_over_the_motion_without_them() {
    let (mut session, mut editor) = on_new_motion(document());
    let control = Control { name: "mood".into(), rest: 0.25, range: [0.0, 1.0] };
    editor.apply(RiggingEdit::AddControl { control }).unwrap();
    session.auto_key = true;
    for (seconds, value) in [(0.0, 0.5), (1.0, 1.0)] {
        session.playback.go_to(seconds, editor.document());
        session
            .apply(None, vec![RiggingEdit::set_control("mood", value).into()], &mut editor)
            .unwrap();
    }
    assert_eq!(**editor.document().values(), [0.25], "the document's own stays");
    let motion = session.playback.motion().unwrap();
    assert_eq!(
        motion.layers[0].channel(Address::Control(0)).unwrap().keys().times_seconds().count(),
        2
    );
    session.playback.go_to(0.0, editor.document());
    assert_eq!(session.playback.values(editor.document()), [0.5]);
    // Without automatic keys what is set lies over the motion until it is gone to again.
    session.auto_key = false;
    session.apply(None, vec![RiggingEdit::set_control("mood", 0.75).into()], &mut editor).unwrap();
    assert_eq!(session.playback.values(editor.document()), [0.75]);
    session.playback.go_to(0.0, editor.document());
    assert_eq!(session.playback.values(editor.document()), [0.5]);
}

#[test]
fn two_turns_of_a_wrist_are_in_the_file_that_is_exported() {
    let mut editor = Editor::new(document());
    let script = r#"[
        {"edit": "add-motion", "name": "wring", "seconds": 1},
        {"edit": "set-keys", "motion": "wring", "channels": [
            {"channel": {"joint": "bone_1", "property": "twist"},
             "keys": [{"seconds": 0, "value": 0}, {"seconds": 1, "value": 12.566370614359172}]}]}
    ]"#;
    for edit in read_edits(script).unwrap() {
        editor.apply(edit).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrung.glb");
    export_character(editor.document(), &path, ReadOnly::Keep).unwrap();
    let read = sinew_io::read_character(&path).unwrap().character;
    let clip = read.clip("wring").unwrap();
    let joint = read.skeleton.joints().iter().position(|joint| joint.name == "bone_1").unwrap();
    let own = editor.document();
    let motion = own.motions().motion(own.character(), own.motions().len() - 1);
    for step in 0..=20 {
        let seconds = f64::from(step) / 20.0;
        let twist = clip.pose_at(&read.skeleton, seconds).joints[joint].twist_radians;
        let expected = motion.pose_at(&own.character().skeleton, seconds).joints[1].twist_radians;
        assert!((twist - expected).abs() < 1e-3, "{seconds}: {twist} for {expected}");
    }
    let end = clip.pose_at(&read.skeleton, 1.0).joints[joint].twist_radians;
    assert!((end - 2.0 * TAU).abs() < 1e-5, "{end}");
    // The others are the source's own.
    assert_eq!(read.clips.len(), own.motions().len());
}

#[test]
fn an_edit_of_keys_that_cannot_be_done_says_why_and_changes_nothing() {
    let mut editor = Editor::new(document());
    let before = editor.document().clone();
    for (script, words) in [
        (r#"[{"edit": "set-keys", "motion": "walks", "channels": []}]"#, "no motion 'walks'"),
        (
            r#"[{"edit": "set-keys", "motion": "bend", "channels": [
                {"channel": {"joint": "bone_1"}, "keys": []}]}]"#,
            "name a joint and its property",
        ),
        (
            r#"[{"edit": "set-keys", "motion": "bend", "channels": [
                {"channel": {"joint": "bone_1", "property": "twist"},
                 "keys": [{"seconds": 0, "value": [0, 0, 1]}]}]}]"#,
            "another kind",
        ),
        (
            r#"[{"edit": "set-keys", "motion": "bend", "channels": [
                {"channel": {"joint": "bone_1", "property": "swing"},
                 "keys": [{"seconds": 0, "value": [0, 0, 0, 2]}]}]}]"#,
            "unit quaternion",
        ),
        (
            r#"[{"edit": "move-keys", "motion": "bend", "by_seconds": 1, "keys": [
                {"channel": {"joint": "bone_0", "property": "stretch"}}]}]"#,
            "has no keys of bone_0 stretch",
        ),
        (r#"[{"edit": "delete-layer", "motion": "bend", "layer": "Base"}]"#, "keeps its last one"),
    ] {
        let edit = read_edits(script).unwrap().remove(0);
        let error = editor.apply(edit).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(*editor.document(), before);
    }
}

#[test]
fn a_project_keeps_motions_to_the_last_bit() {
    let (mut session, mut editor) = on_new_motion(document());
    session.auto_key = true;
    let edits = turn(1, 33.3, editor.document());
    session.apply(None, edits, &mut editor).unwrap();
    let bytes = project::to_bytes(editor.document()).unwrap();
    let opened = project::from_bytes(&bytes, None).unwrap();
    assert_eq!(opened, *editor.document());
    let motion = opened.motions().motion(opened.character(), opened.motions().len() - 1);
    assert!(motion.layers[0].channel(Address::joint(1, JointProperty::Twist)).is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_key_edits_undone_gives_the_same_bits(
        edits in proptest::collection::vec(edit_of_motion(), 1..30),
    ) {
        let start = shaped();
        let mut editor = Editor::new(start.clone());
        let saved = |document: &Document| project::to_bytes(document).unwrap();
        let mut states = vec![saved(&start)];
        for edit in edits {
            let num_steps = editor.history().done().len();
            _ = editor.apply(edit);
            prop_assert_eq!(editor.document().broken_invariant(), None);
            if editor.history().done().len() > num_steps {
                states.push(saved(editor.document()));
            }
        }
        for expected in states.iter().rev().skip(1) {
            prop_assert!(editor.undo());
            prop_assert_eq!(&saved(editor.document()), expected);
        }
        prop_assert!(!editor.undo());
        for expected in states.iter().skip(1) {
            prop_assert!(editor.redo());
            prop_assert_eq!(&saved(editor.document()), expected);
        }
    }
}
