//! The weights of a document: a thousand strokes, drags, mirrors and undos; scripts; projects.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use sinew::Character;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::weights::{Influence, SkinWeights};
use sinew_editor::{
    Document, Edit, Editor, Keeping, Source, Taking, WeightEdit, project, read_edits,
};
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
    let kind = random.below(26);
    let brush = ["add", "subtract", "replace", "smooth", "sharpen", "relax"][random.below(6)];
    let some =
        |number: usize| (point..(point + number).min(part.mesh.points().len())).collect::<Vec<_>>();
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
            "points": some(9), "keep": keep}),
        19 => serde_json::json!({"edit": "flood-weights", "mesh": mesh, "points": some(40),
            "joint": joint, "brush": brush, "value": 0.6, "share": 0.8, "keep": keep}),
        20 => serde_json::json!({"edit": "average-weights", "mesh": mesh, "points": some(5),
            "keep": keep}),
        21 => serde_json::json!({"edit": "smooth-weights", "mesh": mesh, "points": some(60),
            "times": 2, "share": 0.4, "keep": keep}),
        22 => serde_json::json!({"edit": "repair-weights", "keep": keep}),
        // Of itself: with no normal that agrees, rows are filled from around.
        23 => serde_json::json!({"edit": "transfer-weights", "from": [mesh], "to": mesh,
            "points": some(80), "degrees": 0, "mix": 0.5, "keep": keep}),
        24 => serde_json::json!({"edit": "prune-weights", "meshes": [mesh], "points": some(30),
            "least": 0.0, "without": [joint], "keep": keep}),
        _ => {
            serde_json::json!({"edit": "rotate-joint", "joint": joint, "axis": "x", "degrees": 20})
        }
    })
}

/// The same with layers: some are added, changed and merged, and most edits go to one.
fn random_layered_edit(random: &mut Random, document: &Document) -> Edit {
    let names = ["a", "b", "c"];
    let layers = &document.weight_layers().layers;
    let there: Vec<&str> = layers.iter().map(|layer| layer.name.as_str()).collect();
    let kind = random.below(40);
    if there.is_empty() || kind == 0 {
        let free = names.iter().find(|name| !there.contains(name));
        if let Some(name) = free {
            return edit(&serde_json::json!({"edit": "add-weight-layer", "name": name}));
        }
    }
    let layer = there[random.below(there.len())];
    let amounts = |random: &mut Random| {
        (0..20).map(|_| (random.below(500), random.signed().abs())).collect::<Vec<_>>()
    };
    match kind {
        1..=3 => edit(&serde_json::json!({"edit": "set-weight-layer", "layer": layer,
            "opacity": random.signed().abs(), "muted": random.below(4) == 0,
            "place": random.below(there.len())})),
        4..=6 => edit(&serde_json::json!({"edit": "mask-weight-layer", "layer": layer,
            "mesh": document.character().parts[0].mesh.name(), "amounts": amounts(random)})),
        7 => edit(&serde_json::json!({"edit": "merge-weight-layer", "layer": layer})),
        8 => edit(&serde_json::json!({"edit": "remove-weight-layer", "layer": layer})),
        _ => {
            let mut value = serde_json::to_value(random_edit(random, document)).unwrap();
            if kind < 30 && value.get("keep").is_some() {
                value["keep"]["layer"] = layer.into();
            }
            edit(&value)
        }
    }
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

/// Of a locked weight that is seen through layers that count in part: a tool may let it be off by
/// 1e-6 (`LOCK_TOLERANCE` of the layers), and a weight of 32 bits is rounded once more.
const SEEN_LOCK_TOLERANCE: f32 = 1.2e-6;

#[test]
fn with_layers_too_a_thousand_edits_keep_sums_and_budget_tools_keep_locks_and_undo_is_exact() {
    let document = sample();
    let start = Arc::clone(document.character());
    let locked: Vec<u32> = LOCKED.map(|name| start.skeleton.find(name).unwrap()).to_vec();
    let weight_of = |row: &[Influence], joint: u32| -> f32 {
        row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
    };
    let mut editor = Editor::new(document);
    let mut random = Random(2_020);
    let mut states = vec![editor.document().clone()];
    let (mut num_changed, mut num_layered, mut num_by_tools) = (0, 0, 0);
    for step in 0..1_000 {
        if random.below(5) == 0 && editor.undo() {
            states.pop();
            assert!(editor.document() == states.last().unwrap(), "step {step}: undone to the bit");
            continue;
        }
        let before = Arc::clone(editor.document().character());
        let depth = editor.history().done().len();
        let edit = random_layered_edit(&mut random, editor.document());
        // A brush on a layer that is muted brings nothing, and says so.
        if editor.apply(edit.clone()).is_err() {
            continue;
        }
        if editor.history().done().len() > depth {
            states.push(editor.document().clone());
        }
        let now = editor.document().character();
        num_layered += usize::from(!editor.document().weight_layers().layers.is_empty());
        if Arc::ptr_eq(&before, now) {
            continue;
        }
        num_changed += 1;
        let is_by_tool = !matches!(edit, Edit::Layers(_));
        num_by_tools += usize::from(is_by_tool);
        assert_eq!(editor.document().broken_invariant(), None, "{edit:?}");
        for (point, row) in weights(now).rows().enumerate() {
            if row == weights(&before).row(point) {
                continue;
            }
            let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "step {step}: {sum}");
            assert!(row.len() <= 4, "step {step}: {row:?} by {edit:?}");
            // A slider of a layer shows more or less of it, whatever a tool had locked.
            for &joint in locked.iter().filter(|_| is_by_tool) {
                let was = weight_of(weights(&before).row(point), joint);
                let off = (weight_of(row, joint) - was).abs();
                assert!(off < SEEN_LOCK_TOLERANCE, "step {step}, point {point}: {off} by {edit:?}");
            }
        }
    }
    let counts = (num_changed, num_layered, num_by_tools);
    assert!(counts.0 > 300 && counts.1 > 300 && counts.2 > 200, "{counts:?}");
    while editor.undo() {}
    assert!(editor.document() == &states[0], "everything undone is the start");
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

/// The meshes of a character in clothes, and one of them with weights that are nobody's.
fn dressed() -> (Document, usize, SkinWeights) {
    let options = SampleOptions { points: Some(10_000), ..SampleOptions::new(SampleKind::Suit) };
    let mut document = Document::open(Source::Sample(options), None).unwrap();
    let parts = &document.character().parts;
    // The one with the most points that is not the first.
    let coat = (1..parts.len()).max_by_key(|&part| parts[part].mesh.points().len()).unwrap();
    let own = parts[coat].weights.clone().unwrap();
    let mesh = parts[coat].mesh.name().to_owned();
    let text = serde_json::json!({"edit": "flood-weights", "mesh": mesh, "joint": "foot_l",
        "brush": "replace"});
    document.apply(&edit(&text)).unwrap();
    (document, coat, own)
}

/// Half of what rows differ by, in the mean.
fn apart(a: &SkinWeights, b: &SkinWeights) -> f64 {
    let weight = |row: &[Influence], joint: u32| {
        row.iter().find(|i| i.joint == joint).map_or(0.0, |i| f64::from(i.weight))
    };
    let of_point = |(a, b): (&[Influence], &[Influence])| -> f64 {
        let both = a.iter().map(|i| (weight(b, i.joint) - f64::from(i.weight)).abs());
        let only = b.iter().filter(|i| weight(a, i.joint) == 0.0).map(|i| f64::from(i.weight));
        0.5 * (both.sum::<f64>() + only.sum::<f64>())
    };
    a.rows().zip(b.rows()).map(of_point).sum::<f64>() / a.num_points() as f64
}

#[test]
fn a_mesh_takes_the_weights_of_what_lies_nearest_on_others_for_one_joint_or_all() {
    let (mut document, coat, own) = dressed();
    let before = document.clone();
    let mesh = document.character().parts[coat].mesh.name().to_owned();
    let now = |document: &Document| document.character().parts[coat].weights.clone().unwrap();
    let flooded = now(&document);
    assert!(apart(&flooded, &own) > 0.5);
    let transfer = |more: serde_json::Value| {
        let mut value = serde_json::json!({"edit": "transfer-weights", "to": mesh});
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        edit(&value)
    };
    document.apply(&transfer(serde_json::json!({}))).unwrap();
    let off = apart(&now(&document), &own);
    assert!(off < 0.25, "{off}");
    for (part, kept) in document.character().parts.iter().zip(&before.character().parts) {
        assert!(part.mesh.name() == mesh || part.weights == kept.weights);
    }
    // Half of the way, some points, one joint.
    let mut half = before.clone();
    half.apply(&transfer(serde_json::json!({"mix": 0.5}))).unwrap();
    let halves = apart(&now(&half), &flooded);
    assert!((halves / apart(&now(&document), &flooded) - 0.5).abs() < 0.1, "{halves}");
    let mut some = before.clone();
    some.apply(&transfer(serde_json::json!({"points": [0, 1, 2]}))).unwrap();
    assert_eq!(now(&some).changed_rows(&flooded).unwrap(), [0, 1, 2]);
    let mut one = before.clone();
    one.apply(&transfer(serde_json::json!({"joints": ["spine_3", "foot_l"]}))).unwrap();
    let of_one = now(&one);
    let named = ["spine_3", "foot_l"].map(|name| document.character().skeleton.find(name).unwrap());
    assert!(of_one.rows().flatten().all(|i| named.contains(&i.joint)));
    assert_ne!(of_one, flooded);
    // Nothing of its own is asked of a mesh that is not there, or has no weights.
    let error = document.apply(&transfer(serde_json::json!({"from": ["nope"]}))).unwrap_err();
    assert!(error.to_string().contains("nope"), "{error}");
}

#[test]
fn weights_of_another_character_enter_as_rows_that_replay_to_the_bit() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let mut document = sample();
    let start = document.clone();
    let taking = Taking { mix: 1.0, joints: Vec::new(), keep: Keeping::default() };
    let (edits, found) = WeightEdit::transferred(&document, &human, &[], &taking, &Silent).unwrap();
    assert!(found.num_matched > 1_000, "{}", found.num_matched);
    for edit in edits {
        let text = serde_json::to_string(&Edit::from(edit)).unwrap();
        document.apply(&serde_json::from_str(&text).unwrap()).unwrap();
    }
    assert_eq!(weights(document.character()), &found.of_part[0]);
    assert_ne!(document, start);
    // The same again is no edit.
    let (edits, _) = WeightEdit::transferred(&document, &human, &[], &taking, &Silent).unwrap();
    assert_eq!(edits, []);
}

#[test]
fn joints_that_are_left_out_get_no_weights_whatever_their_names_say() {
    let mut document = sample();
    let bind = |more: serde_json::Value| {
        let mut value = serde_json::json!({"edit": "bind-weights", "method": "voxel"});
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        edit(&value)
    };
    let foot = document.character().skeleton.find("foot_l").unwrap();
    let has_foot = |document: &Document| {
        weights(document.character()).rows().flatten().any(|i| i.joint == foot)
    };
    document.apply(&bind(serde_json::json!({}))).unwrap();
    assert!(has_foot(&document));
    document.apply(&bind(serde_json::json!({"left_out": ["foot_l"]}))).unwrap();
    assert!(!has_foot(&document));
    document.apply(&bind(serde_json::json!({"deform": ["foot_l"]}))).unwrap();
    assert!(has_foot(&document));
}
