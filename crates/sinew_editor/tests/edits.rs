//! Whatever is done: undone it is the start, redone the end, replayed the end, to the last byte of
//! the saved project.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::stroke::{Stroke, stroke};
use common::{document, edit, shaped};
use proptest::prelude::*;
use sinew::sample::SampleKind;
use sinew::springs::{DynamicsSettings, SpringModel, SpringSettings};
use sinew_editor::journal::Entry;
use sinew_editor::{
    Axis, Document, Edit, Editor, History, JointRef, MeshRef, PoseEdit, RigEdit, ShapeEdit, Source,
    State, project,
};

/// What a user may do next.
#[derive(Clone, Debug)]
enum Act {
    Do(Box<Edit>),
    Drag(Vec<Edit>),
    CancelledDrag(Vec<Edit>),
    Stroke(Stroke),
    Undo,
    Redo,
    Save,
}

fn act() -> impl Strategy<Value = Act> {
    let drag = || proptest::collection::vec(edit(), 0..4);
    prop_oneof![
        5 => edit().prop_map(|edit| Act::Do(Box::new(edit))),
        2 => drag().prop_map(Act::Drag),
        1 => drag().prop_map(Act::CancelledDrag),
        4 => stroke().prop_map(Act::Stroke),
        3 => Just(Act::Undo),
        2 => Just(Act::Redo),
        1 => Just(Act::Save),
    ]
}

fn perform(editor: &mut Editor, act: &Act) {
    match act {
        Act::Do(edit) => _ = editor.apply(Edit::clone(edit)),
        Act::Drag(edits) | Act::CancelledDrag(edits) => {
            editor.begin(Some("Drag"));
            for edit in edits {
                _ = editor.replace(vec![edit.clone()]);
            }
            if matches!(act, Act::Drag(_)) { editor.commit() } else { editor.cancel() }
        }
        Act::Stroke(stroke) => stroke.draw(editor),
        Act::Undo => _ = editor.undo(),
        Act::Redo => _ = editor.redo(),
        Act::Save => editor.mark_saved(),
    }
}

fn saved(document: &Document) -> Vec<u8> {
    project::to_bytes(document).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn undo_all_is_the_start_and_redo_all_the_end(
        edits in proptest::collection::vec(edit(), 1..25),
    ) {
        let start = shaped();
        let mut editor = Editor::new(start.clone());
        let mut num_steps = 0;
        for edit in edits {
            let before = editor.document().clone();
            match editor.apply(edit) {
                Ok(()) => num_steps += usize::from(*editor.document() != before),
                Err(_) => prop_assert_eq!(editor.document(), &before),
            }
            prop_assert_eq!(editor.document().broken_invariant(), None);
        }
        prop_assert_eq!(editor.history().done().len(), num_steps);
        let end = saved(editor.document());
        while editor.undo() {}
        prop_assert_eq!(saved(editor.document()), saved(&start));
        prop_assert!(!editor.is_modified());
        while editor.redo() {}
        prop_assert_eq!(saved(editor.document()), end);
    }

    #[test]
    fn what_tools_did_is_undone_and_redone_and_replayed_to_the_last_byte(
        strokes in proptest::collection::vec(stroke(), 1..12),
    ) {
        let start = shaped();
        let mut editor = Editor::new(start.clone());
        for stroke in &strokes {
            stroke.draw(&mut editor);
        }
        let journal = serde_json::to_string(&editor.take_entries()).unwrap();
        let end = saved(editor.document());
        while editor.undo() {
            prop_assert_eq!(editor.document().broken_invariant(), None);
        }
        prop_assert_eq!(saved(editor.document()), saved(&start));
        prop_assert!(!editor.is_modified());
        while editor.redo() {}
        prop_assert_eq!(saved(editor.document()), end.clone());
        let mut again = Editor::new(start);
        let entries: Vec<Entry> = serde_json::from_str(&journal).unwrap();
        assert_eq!(again.replay(&entries, &[]).num_skipped, 0);
        prop_assert_eq!(saved(again.document()), end);
    }

    #[test]
    fn the_journal_replayed_on_the_saved_project_gives_the_end(
        acts in proptest::collection::vec(act(), 1..40),
    ) {
        let mut editor = Editor::new(shaped());
        let mut base = editor.document().clone();
        let mut journal: Vec<Entry> = Vec::new();
        for act in &acts {
            perform(&mut editor, act);
            if matches!(act, Act::Save) {
                journal.clear();
                base = editor.document().clone();
            }
            journal.extend(editor.take_entries());
        }
        // Through the text that the disk has.
        let text = serde_json::to_string(&journal).unwrap();
        let journal: Vec<Entry> = serde_json::from_str(&text).unwrap();
        let opened = project::from_bytes(&saved(&base), None).unwrap();
        prop_assert_eq!(&opened, &base);
        let mut again = Editor::new(opened);
        assert_eq!(again.replay(&journal, &[]).num_skipped, 0);
        prop_assert_eq!(saved(again.document()), saved(editor.document()));
    }

    #[test]
    fn any_state_comes_back_from_its_project_to_the_last_bit(
        edits in proptest::collection::vec(edit(), 0..12),
    ) {
        let mut document = shaped();
        for edit in &edits {
            _ = document.apply(edit);
        }
        let opened = project::from_bytes(&saved(&document), None).unwrap();
        prop_assert_eq!(&opened, &document);
        prop_assert_eq!(saved(&opened), saved(&document));
    }

    #[test]
    fn every_edit_comes_back_from_its_text(edit in edit()) {
        let text = serde_json::to_string(&edit).unwrap();
        prop_assert_eq!(serde_json::from_str::<Edit>(&text).unwrap(), edit);
    }
}

fn twist(degrees: f64) -> Edit {
    PoseEdit::RotateJoint { joint: JointRef::from("#1"), axis: Axis::Twist, degrees }.into()
}

fn shape(name: &str, weight: f32) -> Edit {
    let weights = [(name.into(), weight)].into();
    ShapeEdit::SetShapes { weights: [(MeshRef::from("#0"), weights)].into() }.into()
}

#[test]
fn shapes_take_any_finite_weight_by_name_or_number_and_go_back_to_the_file() {
    let mut document = shaped();
    let rest = document.shapes().weights()[0].clone();
    document.apply(&shape("puff", -2.5)).unwrap();
    document.apply(&shape("#1", 7.0)).unwrap();
    assert_eq!(document.shapes().weights()[0], [-2.5, 7.0]);
    assert_eq!(document.controls().parts[0].shape_weights, [-2.5, 7.0]);
    let error = document.apply(&shape("puff", f32::NAN)).unwrap_err().to_string();
    assert!(error.contains("puff") && error.contains("finite"), "{error}");
    let error = document.apply(&shape("puf", 1.0)).unwrap_err().to_string();
    assert!(error.contains("'puff'"), "{error}");
    document.apply(&ShapeEdit::ResetShapes { meshes: Vec::new() }.into()).unwrap();
    assert_eq!(document.shapes().weights()[0], rest);
}

#[test]
fn what_joints_and_meshes_have_of_their_own_is_named_and_kept_when_springs_are_others() {
    let mut document = shaped();
    let num_points = document.character().parts[0].mesh.points().len();
    let springs = || Some(SpringSettings::new(SpringModel::Anchored));
    let joint = || JointRef::from("bone_1");
    let edits: [RigEdit; 5] = [
        RigEdit::SetSprings { springs: springs() },
        RigEdit::ExcludeJoints { joints: vec![joint(), joint()] },
        RigEdit::SetInfluence { joint: joint(), influence: Some(0.5) },
        RigEdit::SetRelaxing { mesh: MeshRef::from("#0"), relaxes: Some(false) },
        RigEdit::PaintStiffness { mesh: MeshRef::from("#0"), stiffness: vec![0.5; num_points] },
    ];
    for edit in edits {
        document.apply(&edit.into()).unwrap();
    }
    let attach = &document.rig().springs.as_ref().unwrap().attach;
    assert_eq!(
        (&*attach.excluded_joints, &*attach.influence_of_joint),
        (&[1][..], &[(1, 0.5)][..])
    );
    let both = RigEdit::ExcludeJoints { joints: vec!["#0".into(), "#1".into()] };
    let error = document.apply(&both.into()).unwrap_err().to_string();
    assert!(error.contains("keep one"), "{error}");
    document.apply(&RigEdit::SetSprings { springs: springs() }.into()).unwrap();
    assert_eq!(document.rig().part(0).unwrap().stiffness.len(), num_points);
    document.apply(&RigEdit::SetInfluence { joint: joint(), influence: None }.into()).unwrap();
    let clear = RigEdit::PaintStiffness { mesh: MeshRef::from("#0"), stiffness: Vec::new() };
    document.apply(&clear.into()).unwrap();
    let rule = RigEdit::SetRelaxing { mesh: MeshRef::from("#0"), relaxes: None };
    document.apply(&rule.into()).unwrap();
    assert!(document.rig().parts.is_empty(), "nothing of its own is nothing in the file");
}

#[test]
fn painted_lists_count_in_the_budget_of_undo() {
    let mut editor = Editor::new(shaped());
    let num_points = editor.document().character().parts[0].mesh.points().len();
    for value in 1..=4 {
        let stiffness = vec![value as f32; num_points];
        editor.apply(RigEdit::PaintStiffness { mesh: MeshRef::from("#0"), stiffness }).unwrap();
    }
    // Each step has its edit's list, and all but the first that of the document before.
    assert!(editor.history().bytes() >= 7 * num_points * size_of::<f32>());
}

#[test]
fn a_drag_is_one_step_and_does_not_add_up() {
    let mut editor = Editor::new(document());
    editor.begin(Some("Twist"));
    for degrees in 1..=90 {
        editor.replace(vec![twist(f64::from(degrees))]).unwrap();
    }
    editor.commit();
    assert_eq!(editor.history().done().collect::<Vec<_>>(), ["Twist"]);
    assert_eq!(editor.document().pose().joints[1].twist_radians, 90_f64.to_radians());
}

#[test]
fn a_drag_that_ends_where_it_began_vanishes() {
    let mut editor = Editor::new(document());
    editor.begin(Some("Twist"));
    editor.replace(vec![twist(40.0)]).unwrap();
    editor.replace(vec![twist(0.0)]).unwrap();
    editor.commit();
    assert_eq!(editor.history().done().len(), 0);
    assert!(!editor.is_modified());
    assert!(editor.take_entries().is_empty());
}

#[test]
fn undoing_back_to_what_was_saved_is_saved() {
    let mut editor = Editor::new(document());
    editor.apply(twist(10.0)).unwrap();
    editor.mark_saved();
    editor.apply(twist(10.0)).unwrap();
    assert!(editor.is_modified());
    editor.undo();
    assert!(!editor.is_modified());
    editor.undo();
    assert!(editor.is_modified());
    // Another way forward: the saved state is no longer ahead.
    editor.apply(twist(20.0)).unwrap();
    assert!(editor.is_modified());
}

#[test]
fn past_its_budget_the_history_lets_go_of_the_oldest_steps_only() {
    let mut editor = Editor::with_history(document(), History::with_budget(4000));
    for _ in 0..200 {
        editor.apply(twist(1.0)).unwrap();
    }
    let kept = editor.history().done().len();
    assert!((1..200).contains(&kept), "{kept}");
    assert!(editor.history().bytes() <= 4000);
    while editor.undo() {}
    let turned = editor.document().pose().joints[1].twist_radians.to_degrees();
    assert!((turned - (200 - kept) as f64).abs() < 1e-9);
}

#[test]
fn an_edit_that_cannot_be_done_says_why_and_leaves_everything() {
    let mut editor = Editor::new(document());
    let before = editor.document().clone();
    let unknown = PoseEdit::ResetPose { joints: vec![JointRef::from("bone_9")] };
    let mesh = || MeshRef::from("#0");
    let mesh_name = before.character().parts[0].mesh.name().to_owned();
    let edits: [(Edit, &str); 13] = [
        (unknown.into(), "there is no joint 'bone_9'"),
        (twist(f64::NAN), "not finite"),
        (PoseEdit::StretchJoint { joint: JointRef::from("#0"), factor: 0.0 }.into(), "above zero"),
        (PoseEdit::RecallPose { name: "x".into() }.into(), "no stored poses at all"),
        (PoseEdit::StorePose { name: String::new() }.into(), "needs one"),
        (PoseEdit::MirrorPose {}.into(), "no joint has a partner"),
        (
            PoseEdit::PoseFromClip { clip: "walk".into(), seconds: 0.0 }.into(),
            "there is no clip 'walk'; there are",
        ),
        (RigEdit::PaintStiffness { mesh: mesh(), stiffness: vec![1.0; 3] }.into(), &mesh_name),
        (RigEdit::SetRelaxing { mesh: "hat".into(), relaxes: None }.into(), "no mesh 'hat'"),
        (RigEdit::ExcludeJoints { joints: vec![] }.into(), "`set-springs` first"),
        (
            RigEdit::SetDynamics {
                dynamics: DynamicsSettings { frequency_hz: 0.0, ..DynamicsSettings::default() },
            }
            .into(),
            "from 0.1 to 60",
        ),
        (shape("smile", 0.5), "no shapes at all"),
        (ShapeEdit::ResetShapes { meshes: vec![MeshRef::from("hat")] }.into(), "no mesh 'hat'"),
    ];
    for (edit, words) in edits {
        let error = editor.apply(edit).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(*editor.document(), before);
        assert_eq!(editor.history().done().len(), 0);
    }
}

#[test]
fn a_blend_goes_a_part_of_the_way_in_the_joints_that_are_named_turns_and_all() {
    let mut editor = Editor::new(document());
    editor.apply(twist(900.0)).unwrap();
    editor.apply(PoseEdit::StorePose { name: "wrung".into() }).unwrap();
    let wrung = editor.document().pose().clone();
    editor.apply(PoseEdit::ResetPose { joints: vec![] }).unwrap();
    let blend = |amount: f64, joints: &[&str]| PoseEdit::BlendPose {
        name: "wrung".into(),
        amount,
        joints: joints.iter().map(|joint| JointRef::from(*joint)).collect(),
    };
    editor.apply(blend(0.5, &["bone_0"])).unwrap();
    assert_eq!(editor.document().pose().joints[1].twist_radians, 0.0);
    editor.apply(blend(0.5, &[])).unwrap();
    let degrees = editor.document().pose().joints[1].twist_radians.to_degrees();
    assert!((degrees - 450.0).abs() < 1e-9, "{degrees}");
    editor.apply(blend(1.0, &[])).unwrap();
    assert_eq!(*editor.document().pose(), wrung);
    let error = editor.apply(blend(3.0, &[])).unwrap_err().to_string();
    assert!(error.contains("from -1 to 2"), "{error}");
}

#[test]
fn the_other_side_does_what_chosen_joints_do_and_these_stay() {
    let chibi = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    let find = |name: &str| chibi.character().skeleton.find(name).unwrap() as usize;
    let [left, right, shin] = ["forearm_l", "forearm_r", "shin_r"].map(find);
    let mut editor = Editor::new(chibi.clone());
    for joint in ["forearm_l", "shin_l"] {
        let (joint, axis, degrees) = (JointRef::from(joint), Axis::Bend, 50.0);
        editor.apply(PoseEdit::RotateJoint { joint, axis, degrees }).unwrap();
    }
    let before = editor.document().pose().clone();
    let joints = vec![JointRef::from("forearm_l")];
    editor.apply(PoseEdit::MirrorJoints { joints }).unwrap();
    let after = editor.document().pose();
    assert_eq!(after.joints[left], before.joints[left]);
    assert_eq!(after.joints[shin], before.joints[shin], "it was not chosen");
    // The hinges of both sides are each other's image: the same bend.
    let joint = JointRef::from("forearm_r");
    let mut other = Editor::new(chibi);
    let axis = Axis::Bend;
    other.apply(PoseEdit::RotateJoint { joint, axis, degrees: 50.0 }).unwrap();
    let expected = other.document().pose().joints[right];
    let off = after.joints[right].swing.angle_between(expected.swing);
    assert!(off < 1e-6, "{off}");
}

#[test]
fn a_state_of_another_character_is_refused() {
    let mut document = document();
    document.apply(&twist(5.0)).unwrap();
    let text = serde_json::to_string(&State::of(&document)).unwrap().replace("bone_1", "tentacle");
    let foreign: State = serde_json::from_str(&text).unwrap();
    let before = document.clone();
    let error = foreign.restore(&mut document).unwrap_err().to_string();
    assert!(error.contains("tentacle"), "{error}");
    assert_eq!(document, before);
}
