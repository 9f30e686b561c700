//! Surface edits of a document: keys over a walk, mirror images, shapes made of them, and undo of
//! many.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::glam::{DVec3, Vec3};
use sinew::progress::Silent;
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew::weights::mirror::{JointPairs, MirrorPlane};
use sinew_editor::{Document, Edit, Editor, Playback, Source, export_character, project};

/// Sums of two single-precision displacements, in another order.
const ROUNDING: f32 = 1e-6;

fn edit(value: &serde_json::Value) -> Edit {
    serde_json::from_value(value.clone()).unwrap()
}

fn apply(editor: &mut Editor, value: &serde_json::Value) {
    editor.apply(edit(value)).unwrap();
}

fn human() -> Editor {
    Editor::new(Document::open(Source::sample(SampleKind::Human), None).unwrap())
}

fn draw(name: &str, through: [[f32; 3]; 2], height: f64, method: &str) -> serde_json::Value {
    serde_json::json!({
        "edit": "draw-surface", "mesh": "human", "name": name, "through": through, "height": height,
        "drawing": { "extent": { "edges": 4 }, "method": method },
    })
}

fn back() -> serde_json::Value {
    draw("Back", [[0.0, 1.4, -0.3], [0.0, 1.1, -0.3]], 0.05, "springs")
}

/// Beside the middle: the left of the belly.
fn belly() -> serde_json::Value {
    draw("Belly", [[0.06, 1.05, 0.3], [0.06, 1.2, 0.3]], 0.04, "laplacian")
}

fn key(number: u32, keys: &[(f64, f64)]) -> serde_json::Value {
    let keys: Vec<_> = keys
        .iter()
        .map(|(seconds, value)| serde_json::json!({"seconds": seconds, "value": value, "span": "linear"}))
        .collect();
    serde_json::json!({
        "edit": "set-keys", "motion": "walk",
        "channels": [{ "channel": { "surface": number }, "keys": keys }],
    })
}

/// A walk in which one edit goes while the other comes.
fn walker() -> Editor {
    let mut editor = human();
    apply(&mut editor, &back());
    apply(&mut editor, &belly());
    apply(&mut editor, &key(1, &[(0.0, 1.0), (0.8, 0.0)]));
    apply(&mut editor, &key(2, &[(0.0, 0.0), (0.8, 1.0)]));
    editor
}

fn walking(document: &Document) -> Playback {
    let name = |clip: usize| document.motions().name(document.character(), clip).to_owned();
    let walk = (0..document.motions().len()).find(|&clip| name(clip) == "walk").unwrap();
    let mut playback = Playback::default();
    playback.choose(Some(walk), document);
    playback
}

#[test]
fn two_edits_are_interpolated_over_a_walk() {
    let editor = walker();
    let document = editor.document();
    let mut playback = walking(document);
    let [back, belly] = [0, 1].map(|at| document.surface().entries()[at].moved.dense());
    for (seconds, share) in [(0.0, 0.0), (0.2, 0.25), (0.4, 0.5), (0.8, 1.0)] {
        playback.go_to(seconds, document);
        let controls = playback.controls(document);
        assert_ne!(controls.pose.joints, document.pose().joints, "it walks");
        for (point, found) in controls.parts[0].rest_offsets.iter().enumerate() {
            let expected = (1.0 - share) * back[point] + share * belly[point];
            assert!(found.distance(expected) <= ROUNDING, "{seconds} {point}");
        }
    }
    // Another edit of the same name is another one; gone, its keys are gone.
    let mut editor = editor;
    let name = serde_json::json!({"edit": "remove-surface", "surface": "Back"});
    apply(&mut editor, &name);
    let mut playback = walking(editor.document());
    playback.go_to(0.4, editor.document());
    let offsets = &playback.controls(editor.document()).parts[0].rest_offsets;
    assert!((0..back.len()).all(|p| offsets[p].distance(0.5 * belly[p]) <= ROUNDING));
    let bytes = project::to_bytes(editor.document()).unwrap();
    assert_eq!(project::from_bytes(&bytes, None).unwrap(), *editor.document());
}

#[test]
fn a_baked_edit_is_a_shape_that_does_the_same_over_the_same_walk() {
    let mut editor = walker();
    let at = |editor: &Editor| {
        let document = editor.document();
        let mut playback = walking(document);
        playback.go_to(0.3, document);
        let controls = playback.controls(document);
        let part = &document.character().parts[0];
        let mut points = part.shaped_points(&controls.parts[0].shape_weights);
        for (point, by) in points.iter_mut().zip(&controls.parts[0].rest_offsets) {
            *point += *by;
        }
        points
    };
    let before = at(&editor);
    let num_shapes = editor.document().character().parts[0].shapes.len();
    apply(&mut editor, &serde_json::json!({"edit": "bake-surface", "surface": "Back"}));
    assert_eq!(editor.document().surface().entries().len(), 1);
    assert_eq!(editor.document().character().parts[0].shapes.len(), num_shapes + 1);
    let after = at(&editor);
    assert!(before.iter().zip(&after).all(|(a, b)| a.distance(*b) <= 2.0 * ROUNDING));
    editor.undo();
    assert_eq!(at(&editor), before);
}

#[test]
fn a_mirror_image_moves_the_other_side_and_can_be_redrawn() {
    let mut editor = human();
    apply(&mut editor, &belly());
    apply(&mut editor, &serde_json::json!({"edit": "mirror-surface", "surface": "Belly"}));
    let document = editor.document();
    let [own, image] = [0, 1].map(|at| document.surface().entries()[at].clone());
    assert_eq!(image.name, "Belly 2");
    let skeleton = &document.character().skeleton;
    let plane = MirrorPlane::of(skeleton, &JointPairs::of(skeleton).unwrap());
    let sum = |moved: &sinew::shape::Deltas| moved.iter().map(Vec3::as_dvec3).sum::<DVec3>();
    let mirrored = plane.image(sum(&own.moved)) - plane.image(DVec3::ZERO);
    assert!(sum(&image.moved).distance(mirrored) < 1e-4 * mirrored.length());
    assert!(image.drawing.is_some());
    // Redrawn as it is, it is what it was.
    let again = serde_json::json!({"edit": "redraw-surface", "surface": "Belly 2"});
    apply(&mut editor, &again);
    let redrawn = &editor.document().surface().entries()[1].moved;
    let most = redrawn.iter().zip(image.moved.iter()).map(|(a, b)| a.distance(b));
    // Of a height of 4 cm: triangles of the two sides are split along other diagonals.
    assert!(most.fold(0.0, f32::max) < 4e-3);
}

#[test]
fn undo_of_many_edits_is_exact_and_a_replay_ends_at_the_same() {
    let mut editor = human();
    let start = editor.document().clone();
    let mut seed = 7u64;
    let mut random = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for step in 0..60 {
        let y = 0.2 + 0.01 * random(130) as f32;
        let z = if random(2) == 0 { 0.4 } else { -0.4 };
        let name = format!("Edit {}", random(6));
        let value = match random(8) {
            0..=2 => {
                draw(&name, [[0.02, y, z], [0.05, y + 0.1, z]], 0.01 * step as f64, "laplacian")
            }
            3 => serde_json::json!({"edit": "redraw-surface", "surface": name, "height": -0.02}),
            4 => serde_json::json!({"edit": "set-surface", "surface": name, "weight": 0.4}),
            5 => serde_json::json!({"edit": "move-surface", "mesh": "human", "surface": name,
                "moved": [[random(900), 0.01, 0.0, -0.02]]}),
            6 => serde_json::json!({"edit": "place-surface", "surface": name, "place": random(4)}),
            _ => serde_json::json!({"edit": "remove-surface", "surface": name}),
        };
        // Names are taken, or not there: then nothing may have happened.
        let before = editor.document().clone();
        if editor.apply(edit(&value)).is_err() {
            assert_eq!(*editor.document(), before);
        }
        assert_eq!(editor.document().broken_invariant(), None);
    }
    let end = editor.document().clone();
    assert!(end.surface().entries().len() > 1);
    let edits: Vec<Edit> = editor.history().edits().cloned().collect();
    while editor.undo() {}
    assert_eq!(*editor.document(), start);
    let mut replayed = start;
    for edit in &edits {
        replayed.apply(edit).unwrap();
    }
    assert_eq!(replayed, end);
}

/// A file keeps places as single numbers, and a clip that is sampled is within 1e-5 of its keys.
const OF_FILES: f32 = 1e-4;

/// Corners of triangles in model space, by linear blending: a file may have other points.
fn skin_of(character: &sinew::Character, controls: &sinew::frame::Controls) -> Vec<Vec3> {
    let rig = sinew::frame::Rig { method: SkinMethod::Linear, ..Default::default() };
    let shared = std::sync::Arc::new(character.clone());
    let plan = sinew::frame::Plan::bind(&shared, &rig, &Silent).unwrap();
    let frame = plan.frame_of(controls);
    let parts = character.parts.iter().zip(frame.parts());
    let corners = parts.flat_map(|(part, posed)| {
        let triangles = part.mesh.point_triangles().iter().flatten();
        triangles.map(|&point| posed.points()[point as usize]).collect::<Vec<_>>()
    });
    corners.collect()
}

/// How far the skin of a file that is read again is from the document's over a clip, at most; of
/// the character's diagonal.
fn apart_over(document: &Document, read: &sinew::Character, clip: &str) -> f32 {
    let own = document.character();
    let name = |index: usize| document.motions().name(own, index) == clip;
    let index = (0..document.motions().len()).find(|&index| name(index)).unwrap();
    let mut playback = Playback::default();
    playback.choose(Some(index), document);
    let clip = read.clip(clip).unwrap();
    let mut worst = 0.0_f32;
    for step in 0..=8 {
        let seconds = playback.clip_seconds(document) * f64::from(step) / 8.0;
        playback.go_to(seconds, document);
        let expected = skin_of(own, &playback.controls(document));
        let shapes: Vec<Vec<f32>> = (read.parts.iter().enumerate())
            .map(|(index, part)| clip.shape_weights_at(index, part, seconds))
            .collect();
        let pose = clip.pose_at(&read.skeleton, seconds);
        let controls = sinew::frame::Controls::posed(read, pose).with_shapes(&shapes);
        let found = skin_of(read, &controls);
        assert_eq!(found.len(), expected.len());
        let all = found.iter().zip(&expected).map(|(a, b)| a.distance(*b));
        worst = all.fold(worst, f32::max);
    }
    worst / own.bounds().diagonal()
}

#[test]
fn a_file_has_what_surface_edits_show_over_every_clip() {
    let mut editor = walker();
    // One without keys, which is there as far as its weight goes, and one that is not seen.
    apply(&mut editor, &draw("Knee", [[0.1, 0.55, 0.3], [0.1, 0.45, 0.3]], 0.03, "laplacian"));
    let weighed = serde_json::json!({"edit": "set-surface", "surface": "Knee", "weight": 0.6});
    apply(&mut editor, &weighed);
    apply(&mut editor, &draw("Chest", [[0.0, 1.3, 0.3], [0.0, 1.4, 0.3]], 0.1, "laplacian"));
    let muted = serde_json::json!({"edit": "set-surface", "surface": "Chest", "muted": true});
    apply(&mut editor, &muted);
    // An adding layer weighs it in another motion: what is below is nothing, not the .6.
    for value in [
        serde_json::json!({"edit": "add-motion", "name": "still", "seconds": 1.0}),
        serde_json::json!({
            "edit": "add-layer", "motion": "still", "name": "more", "mode": "add",
        }),
        serde_json::json!({
            "edit": "set-keys", "motion": "still", "layer": "more", "channels": [{
                "channel": { "surface": 3 },
                "keys": [{"seconds": 0.0, "value": 0.0}, {"seconds": 1.0, "value": 0.9}],
            }],
        }),
    ] {
        apply(&mut editor, &value);
    }
    let document = editor.document();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sketched.glb");
    export_character(document, &path, sinew_io::ReadOnly::Keep).unwrap();
    let read = sinew_io::read_character(&path).unwrap().character;
    let names: Vec<&str> = read.parts[0].shapes.iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(names, ["Back", "Belly", "Knee"]);
    for clip in 0..document.motions().len() {
        let name = document.motions().name(document.character(), clip).to_owned();
        let apart = apart_over(document, &read, &name);
        assert!(apart < OF_FILES, "{name}: {apart}");
    }
    // At rest the file stands as the document does.
    let rest = sinew::frame::Controls::rest(&read);
    let at_rest = skin_of(&read, &rest);
    let own = skin_of(document.character(), &document.controls());
    assert!(at_rest.iter().zip(&own).all(|(a, b)| a.distance(*b) < OF_FILES));
    // The document itself is as it was.
    assert_eq!(document.surface().entries().len(), 4);
    // What would be lost is seen by this: the same file without its shapes.
    let mut without = read.clone();
    without.parts[0].shapes.clear();
    without.clips.iter_mut().for_each(|clip| clip.shape_tracks.clear());
    assert!(apart_over(document, &without, "walk") > 100.0 * OF_FILES);
}
