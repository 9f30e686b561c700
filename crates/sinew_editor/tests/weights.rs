//! The weights of a document: a thousand strokes, drags, mirrors and undos; scripts; projects.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use sinew::Character;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::weights::{Influence, SkinWeights};
use sinew_editor::{Document, Edit, Editor, Source, WeightEdit, project, read_edits};
use sinew_io::{Format, WriteOptions, character_to_glb};

fn sample() -> Document {
    let options = SampleOptions { points: Some(2_000), ..SampleOptions::new(SampleKind::Giant) };
    Document::open(Source::Sample(options), None).unwrap()
}

fn edit(value: &serde_json::Value) -> Edit {
    serde_json::from_value(value.clone()).unwrap()
}

/// SplitMix64: the same strokes on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, number: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % number as u64) as usize
    }

    fn signed(&mut self) -> f64 {
        self.below(20_001) as f64 / 10_000.0 - 1.0
    }
}

const LOCKED: [&str; 2] = ["head", "foot_l"];

/// One random thing that a user does to weights.
fn random_edit(random: &mut Random, document: &Document) -> Edit {
    let character = document.character();
    let part = &character.parts[0];
    let mesh = part.mesh.name();
    let point = random.below(part.mesh.points().len());
    let at = part.mesh.points()[point].to_array();
    let joints = character.skeleton.joints();
    let joint = &joints[random.below(joints.len())].name;
    let keep = serde_json::json!({ "influences": 4, "locked": LOCKED });
    let kind = random.below(20);
    let brush = ["add", "subtract", "replace", "smooth", "sharpen"][random.below(5)];
    edit(&match kind {
        0..=8 => serde_json::json!({
            "edit": "paint-weights", "mesh": mesh, "joint": joint, "brush": brush, "dabs": [at],
            "radius": 0.02 + 0.05 * random.signed().abs(), "strength": 0.7,
            "value": random.signed().abs(), "symmetric": kind == 0, "keep": keep,
        }),
        9..=15 => serde_json::json!({
            "edit": "drag-points", "mesh": mesh, "points": [point],
            "motion": match kind {
                9 => serde_json::json!({"scale": 1.0 + random.signed()}),
                10 => serde_json::json!({"turn": {"axis": [0, 1, 0], "degrees": 40}}),
                _ => serde_json::json!({"by": [0.1 * random.signed(), 0.1 * random.signed(), 0.05]}),
            },
            "radius": 0.05, "further": [joint], "hold": [{"pose": ""}], "keep": keep,
            "rule": if kind == 11 { "fewest" } else { "least" },
        }),
        16 => serde_json::json!({"edit": "mirror-weights", "keep": keep,
            "by": if random.below(2) == 0 { "topology" } else { "position" }}),
        17 => serde_json::json!({"edit": "prune-weights", "least": 0.01, "keep": keep}),
        18 => serde_json::json!({"edit": "fill-weights", "mesh": mesh,
            "points": (point..(point + 9).min(part.mesh.points().len())).collect::<Vec<_>>(),
            "keep": keep}),
        _ => {
            serde_json::json!({"edit": "rotate-joint", "joint": joint, "axis": "x", "degrees": 20})
        }
    })
}

fn weights(character: &Character) -> &SkinWeights {
    character.parts[0].weights.as_ref().unwrap()
}

#[test]
fn after_a_thousand_strokes_drags_mirrors_and_undos_sums_budget_and_locks_hold() {
    let document = sample();
    let start = Arc::clone(document.character());
    let locked: Vec<u32> = LOCKED.map(|name| start.skeleton.find(name).unwrap()).to_vec();
    let locks = |row: &[Influence]| -> Vec<Influence> {
        row.iter().copied().filter(|i| locked.contains(&i.joint)).collect()
    };
    let mut editor = Editor::new(document);
    let mut random = Random(20);
    let mut states = vec![Arc::clone(editor.document().character())];
    let mut num_changed = 0;
    for step in 0..1_000 {
        if random.below(5) == 0 && editor.undo() {
            states.pop();
            let now = editor.document().character();
            assert_eq!(now, states.last().unwrap(), "step {step}: undone to the bit");
            continue;
        }
        let before = Arc::clone(editor.document().character());
        let depth = editor.history().done().len();
        let edit = random_edit(&mut random, editor.document());
        editor.apply(edit.clone()).unwrap();
        let now = editor.document().character();
        if editor.history().done().len() > depth {
            states.push(Arc::clone(now));
        }
        if Arc::ptr_eq(&before, now) {
            continue;
        }
        num_changed += 1;
        assert_eq!(editor.document().broken_invariant(), None, "{edit:?}");
        for (point, row) in weights(now).rows().enumerate() {
            if row == weights(&before).row(point) {
                continue;
            }
            let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "step {step}: {sum}");
            assert!(row.len() <= 4, "step {step}: {row:?} by {edit:?}");
            assert_eq!(locks(row), locks(weights(&start).row(point)), "step {step}: {edit:?}");
        }
    }
    assert!(num_changed > 300, "{num_changed}");
    while editor.undo() {}
    assert!(editor.document().character() == &start, "everything undone is the start");
}

#[test]
fn weights_of_a_project_are_there_again_to_the_bit() {
    let mut editor = Editor::new(sample());
    let mut random = Random(3);
    for _ in 0..30 {
        let edit = random_edit(&mut random, editor.document());
        editor.apply(edit).unwrap();
    }
    let document = editor.document();
    let again = project::from_bytes(&project::to_bytes(document).unwrap(), None).unwrap();
    assert_eq!(again.character(), document.character());
    assert_eq!(&again, document);
}

#[test]
fn rows_that_a_tool_found_come_back_from_their_words_to_the_bit() {
    let mut document = sample();
    let mut random = Random(5);
    let painted = {
        let mut other = document.clone();
        for _ in 0..40 {
            let edit = random_edit(&mut random, &other);
            other.apply(&edit).unwrap();
        }
        other
    };
    let rows: Vec<_> = (0u32..)
        .zip(weights(painted.character()).rows().zip(weights(document.character()).rows()))
        .filter(|(_, (after, before))| after != before)
        .map(|(point, (after, _))| (point, after.to_vec()))
        .collect();
    assert!(rows.len() > 20, "{}", rows.len());
    let text =
        serde_json::to_string(&Edit::from(WeightEdit::set(&document, 0, &rows, None))).unwrap();
    document.apply(&serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(weights(document.character()), weights(painted.character()));
}

#[test]
fn a_mesh_without_weights_is_bound_and_a_project_keeps_them() {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    let mut character = build(&options).unwrap();
    character.parts[0].weights = None;
    let bytes = character_to_glb(&character, &WriteOptions::default()).unwrap().into();
    let source = Source::Embedded { file_name: "bare.glb".into(), format: Format::Glb, bytes };
    let mut document = Document::open(source, None).unwrap();
    let script = |text: &str| read_edits(text).unwrap().remove(0);
    let smooth = r##"[{"edit": "smooth-weights", "mesh": "#0", "times": 2}]"##;
    if document.character().parts[0].weights.is_none() {
        let error = document.apply(&script(smooth)).unwrap_err().to_string();
        assert!(error.contains("bind-weights"), "{error}");
    }
    document.apply(&script(r#"[{"edit": "bind-weights", "method": "heat"}]"#)).unwrap();
    document.apply(&script(smooth)).unwrap();
    let again = project::from_bytes(&project::to_bytes(&document).unwrap(), None).unwrap();
    assert_eq!(again.character(), document.character());
}

#[test]
fn what_cannot_be_done_says_why_and_changes_nothing() {
    let mut document = sample();
    let before = document.clone();
    for (text, words) in [
        (
            r#"{"edit": "set-weights", "mesh": "giant", "joints": ["hips"], "rows": [[99999999, [[0, 1]]]]}"#,
            "points",
        ),
        (
            r#"{"edit": "set-weights", "mesh": "giant", "joints": ["hips"], "rows": [[1, [[7, 1]]]]}"#,
            "place",
        ),
        (
            r#"{"edit": "set-weights", "mesh": "giant", "joints": ["hips"], "rows": [[1, [[0, -1]]]]}"#,
            "weight",
        ),
        (
            r#"{"edit": "set-weights", "mesh": "giant", "joints": ["hips"], "rows": [[1, []]]}"#,
            "no joint",
        ),
        (r#"{"edit": "set-weights", "mesh": "giant", "joints": ["hipz"], "rows": []}"#, "hips"),
        (
            r#"{"edit": "drag-points", "mesh": "giant", "points": [1], "motion": {"by": [1, 0, 0]}, "hold": [{"pose": "nope"}]}"#,
            "nope",
        ),
        (
            r#"{"edit": "paint-weights", "mesh": "giant", "joint": "hips", "dabs": [], "radius": -1}"#,
            "radius",
        ),
        (r#"{"edit": "bind-weights", "method": "magic"}"#, "magic"),
        (r#"{"edit": "prune-weights", "keep": {"influences": 0}}"#, "influences"),
    ] {
        let error = document.apply(&serde_json::from_str(text).unwrap()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(document, before);
    }
}
