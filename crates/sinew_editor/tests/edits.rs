//! Whatever is done: undone it is the start, redone the end, replayed the end, to the last byte of the saved project.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::stroke::{Stroke, stroke};
use common::{document, edit};
use proptest::prelude::*;
use sinew_editor::journal::Entry;
use sinew_editor::{Axis, Document, Edit, Editor, History, JointRef, State, project};

/// What a user may do next.
#[derive(Clone, Debug)]
enum Act {
    Do(Edit),
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
        5 => edit().prop_map(Act::Do),
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
        Act::Do(edit) => _ = editor.apply(edit.clone()),
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
    fn undo_all_is_the_start_and_redo_all_the_end(edits in proptest::collection::vec(edit(), 1..25)) {
        let start = document();
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
        let start = document();
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
        again.replay(&serde_json::from_str::<Vec<Entry>>(&journal).unwrap()).unwrap();
        prop_assert_eq!(saved(again.document()), end);
    }

    #[test]
    fn the_journal_replayed_on_the_saved_project_gives_the_end(acts in proptest::collection::vec(act(), 1..40)) {
        let mut editor = Editor::new(document());
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
        again.replay(&journal).unwrap();
        prop_assert_eq!(saved(again.document()), saved(editor.document()));
    }

    #[test]
    fn any_state_comes_back_from_its_project_to_the_last_bit(edits in proptest::collection::vec(edit(), 0..12)) {
        let mut document = document();
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
    Edit::RotateJoint { joint: JointRef::from("#1"), axis: Axis::Twist, degrees }
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
    let unknown = Edit::ResetPose { joints: vec![JointRef::from("bone_9")] };
    for (edit, words) in [
        (unknown, "there is no joint 'bone_9'"),
        (twist(f64::NAN), "not finite"),
        (Edit::StretchJoint { joint: JointRef::from("#0"), factor: 0.0 }, "above zero"),
        (Edit::RecallPose { name: "x".into() }, "no stored poses at all"),
        (Edit::StorePose { name: String::new() }, "needs one"),
        (Edit::MirrorPose {}, "no joint has a partner"),
        (
            Edit::PoseFromClip { clip: "walk".into(), seconds: 0.0 },
            "there is no clip 'walk'; there are",
        ),
    ] {
        let error = editor.apply(edit).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(*editor.document(), before);
        assert_eq!(editor.history().done().len(), 0);
    }
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
