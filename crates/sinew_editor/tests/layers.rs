//! Weight layers of a document: strokes into layers, undo, projects, jobs.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::progress::{Progress, Silent};
use sinew::sample::{SampleKind, SampleOptions};
use sinew::weights::Influence;
use sinew_editor::{Document, Edit, Editor, Keeping, Source, WeightEdit, project};

fn sample() -> Document {
    let options = SampleOptions { points: Some(2_000), ..SampleOptions::new(SampleKind::Giant) };
    Document::open(Source::Sample(options), None).unwrap()
}

fn edit(text: &str) -> Edit {
    serde_json::from_str(text).unwrap()
}

fn weight(document: &Document, point: usize, joint: &str) -> f32 {
    let character = document.character();
    let joint = character.skeleton.find(joint).unwrap();
    let row: &[Influence] = character.parts[0].weights.as_ref().unwrap().row(point);
    row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
}

const FLOOD: &str = r##"{"edit": "flood-weights", "mesh": "#0", "points": [5, 6], "joint": "head",
    "brush": "replace", "keep": {"layer": "top"}}"##;

fn layered() -> Editor {
    let mut editor = Editor::new(sample());
    // More than what mixes of two rows have: the budget cuts nothing here.
    let add = r#"{"edit": "add-weight-layer", "name": "top", "influences": 9}"#;
    editor.apply(edit(add)).unwrap();
    editor.apply(edit(FLOOD)).unwrap();
    editor
}

#[test]
fn a_layer_covers_its_base_in_part_or_not_at_all_and_the_base_stays() {
    let start = sample();
    let mut editor = layered();
    assert_eq!(weight(editor.document(), 5, "head"), 1.0);
    editor.apply(edit(r#"{"edit": "set-weight-layer", "layer": "top", "opacity": 0.25}"#)).unwrap();
    let before = weight(&start, 5, "head");
    let expected = 0.25 + 0.75 * before;
    assert!((weight(editor.document(), 5, "head") - expected).abs() < 1e-6);
    editor
        .apply(edit(
            r##"{"edit": "mask-weight-layer", "layer": "top", "mesh": "#0", "amounts": [[6, 0]]}"##,
        ))
        .unwrap();
    assert_eq!(weight(editor.document(), 6, "head"), weight(&start, 6, "head"));
    editor.apply(edit(r#"{"edit": "set-weight-layer", "layer": "top", "muted": true}"#)).unwrap();
    assert_eq!(editor.document().character().parts[0].weights, start.character().parts[0].weights);
    editor.apply(edit(r#"{"edit": "remove-weight-layer", "layer": "top"}"#)).unwrap();
    assert_eq!(*editor.document(), start, "nothing is left of it");
}

#[test]
fn merging_keeps_what_is_seen_and_undo_brings_layers_back_to_the_bit() {
    let mut editor = layered();
    let seen = editor.document().character().clone();
    let layers = editor.document().clone();
    editor.apply(edit(r#"{"edit": "merge-weight-layer", "layer": "top"}"#)).unwrap();
    assert!(editor.document().weight_layers().layers.is_empty());
    assert_eq!(*editor.document().character(), seen);
    editor.undo();
    assert_eq!(*editor.document(), layers);
}

#[test]
fn projects_keep_layers_with_masks_and_order_to_the_bit() {
    let mut editor = layered();
    for text in [
        r#"{"edit": "add-weight-layer", "name": "over"}"#,
        r##"{"edit": "flood-weights", "mesh": "#0", "points": [6, 7], "joint": "hips", "value": 0.3,
            "keep": {"layer": "over"}}"##,
        r#"{"edit": "set-weight-layer", "layer": "over", "opacity": 0.4, "place": 0}"#,
        r##"{"edit": "mask-weight-layer", "layer": "top", "mesh": "#0", "amounts": [[6, 0.7]]}"##,
        r#"{"edit": "set-weight-layer", "layer": "over", "muted": true}"#,
    ] {
        editor.apply(edit(text)).unwrap();
        assert_eq!(editor.document().broken_invariant(), None, "{text}");
        let bytes = project::to_bytes(editor.document()).unwrap();
        assert_eq!(project::from_bytes(&bytes, None).unwrap(), *editor.document(), "{text}");
    }
}

#[test]
fn what_changes_weights_below_layers_says_so() {
    let mut editor = layered();
    let before = editor.document().clone();
    let twist = r#"{"edit": "add-twist-joints", "joint": "forearm_l", "count": 3}"#;
    let error = editor.apply(edit(twist)).unwrap_err().to_string();
    assert!(error.contains("merge them first"), "{error}");
    for (text, words) in [
        (r#"{"edit": "set-weight-layer", "layer": "tops", "opacity": 1}"#, "top"),
        (r#"{"edit": "set-weight-layer", "layer": "top", "opacity": 2}"#, "from 0 to 1"),
        (r#"{"edit": "add-weight-layer", "name": "top"}"#, "another name"),
        (r#"{"edit": "prune-weights", "keep": {"layer": "nope"}}"#, "top"),
    ] {
        let error = editor.apply(edit(text)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(*editor.document(), before);
    }
}

#[test]
fn what_a_job_binds_is_what_the_edit_binds_and_a_cancelled_one_finds_nothing() {
    let (mut by_edit, mut by_job) = (sample(), sample());
    let bind = |method: &str| WeightEdit::BindWeights {
        method: method.into(),
        deform: Vec::new(),
        left_out: Vec::new(),
        keep: Keeping::default(),
    };
    by_edit.apply(&edit(r#"{"edit": "bind-weights", "method": "distance"}"#)).unwrap();
    for found in WeightEdit::bound(&by_job.clone(), &bind("distance"), &Silent).unwrap() {
        by_job.apply(&found.into()).unwrap();
    }
    assert_eq!(by_edit, by_job);

    struct Stopped;
    impl Progress for Stopped {
        fn report(&self, _: &str, _: f32) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    assert!(WeightEdit::bound(&by_job, &bind("auto"), &Stopped).is_err());
}

#[test]
fn a_binding_below_a_layer_changes_the_base_and_not_what_the_layer_covers() {
    let mut editor = layered();
    let start = editor.document().clone();
    editor.apply(edit(r#"{"edit": "bind-weights", "method": "distance"}"#)).unwrap();
    assert_eq!(weight(editor.document(), 5, "head"), 1.0);
    assert_ne!(editor.document().character(), start.character());
    assert_eq!(editor.document().broken_invariant(), None);
}
