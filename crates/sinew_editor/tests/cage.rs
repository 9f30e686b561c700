//! The cage of a document: edits at rest and in the pose, undo, projects.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::{DVec3, UVec3};
use sinew::cage::{Cage, CageFace, CoordinateKind, LARGE_GAIN};
use sinew::frame::Plan;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::tool::CageTool;
use sinew_editor::{CageEdit, Document, Edit, Editor, MotionEdit, Session, Source, State, View};
use sinew_view::camera::{Camera, Size};

fn document() -> Document {
    Document::open(Source::Sample(SampleOptions::new(SampleKind::Box)), None).unwrap()
}

fn boxed(document: &Document) -> Cage {
    let bounds = document.character().bounds();
    let margin = 0.08 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    Cage::lattice(low, high, UVec3::new(1, 3, 1)).unwrap()
}

fn edits(document: &Document) -> Vec<Edit> {
    let parse = |text: &str| serde_json::from_str::<Edit>(text).unwrap();
    vec![
        CageEdit::SetCage { cage: Some(boxed(document)), coordinates: Default::default() }.into(),
        parse(r#"{"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 60}"#),
        parse(r#"{"edit": "move-cage", "handles": {"0": [-0.6, -0.2, -0.6]}}"#),
        parse(r#"{"edit": "set-method", "method": "dual-quat"}"#),
        parse(
            r#"{"edit": "move-posed-cage", "handles": {"3": [0.1, 0.2, 0.3], "7": [0.5, 1, 1]}}"#,
        ),
        parse(r#"{"edit": "stretch-joint", "joint": "bone_2", "factor": 1.3}"#),
        parse(r#"{"edit": "move-posed-cage", "handles": {"5": [0.3, 2.2, 0.1]}}"#),
    ]
}

/// The posed cage of a document, as its frames have it.
fn posed_cage(document: &Document) -> Vec<DVec3> {
    let plan = Plan::bind(document.character(), document.rig(), &Silent).unwrap();
    let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
    plan.run(&document.controls(), &mut scratch, &mut frame);
    frame.posed_cage().to_vec()
}

#[test]
fn handles_of_the_posed_cage_go_where_they_are_put_and_the_others_stay() {
    let mut document = document();
    for edit in edits(&document) {
        let before = document.rig().cage.is_some().then(|| posed_cage(&document));
        document.apply(&edit).unwrap();
        assert_eq!(document.broken_invariant(), None);
        if let Edit::Cage(CageEdit::MovePosedCage { handles }) = &edit {
            let after = posed_cage(&document);
            for (handle, before) in (0u32..).zip(before.unwrap()) {
                let wanted = handles.get(&handle).copied().unwrap_or(before);
                assert!(after[handle as usize].distance(wanted) < 1e-9, "handle {handle}");
            }
        }
    }
}

#[test]
fn undo_of_all_gives_the_start_and_replay_and_projects_the_end() {
    let start = document();
    let mut editor = Editor::new(start.clone());
    for edit in edits(&start) {
        editor.apply(edit).unwrap();
    }
    let end = editor.document().clone();
    let text = serde_json::to_string(&State::of(&end)).unwrap();
    let mut restored = start.clone();
    serde_json::from_str::<State>(&text).unwrap().restore(&mut restored).unwrap();
    assert_eq!(restored, end);
    assert_eq!(restored.controls(), end.controls());
    while editor.undo() {}
    assert_eq!(*editor.document(), start);
    assert_eq!(editor.document().controls(), start.controls());
    let mut replayed = start;
    for edit in edits(&replayed) {
        let text = serde_json::to_string(&edit).unwrap();
        replayed.apply(&serde_json::from_str(&text).unwrap()).unwrap();
    }
    assert_eq!(replayed, end);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut document = document();
    let cage = boxed(&document);
    let open = Cage::new(cage.points().to_vec(), cage.faces()[1..].to_vec()).unwrap();
    let set = |cage: Cage| CageEdit::SetCage { cage: Some(cage), coordinates: Default::default() };
    let move_one =
        |handle: u32, place: DVec3| CageEdit::MoveCage { handles: [(handle, place)].into() };
    let refused = |document: &mut Document, edit: CageEdit, words: &str| {
        let before = document.clone();
        let error = document.apply(&edit.into()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(*document, before);
    };
    refused(&mut document, set(open), "open at edges");
    refused(&mut document, move_one(0, DVec3::ZERO), "there is none");
    refused(&mut document, CageEdit::ResetCage {}, "there is none");
    refused(
        &mut document,
        CageEdit::GenerateCage { faces: 5, offset: 0.03, symmetric: true },
        "60 to 1000",
    );
    document.apply(&set(cage.clone()).into()).unwrap();
    refused(&mut document, move_one(999, DVec3::ZERO), "no handle 999");
    refused(&mut document, move_one(0, DVec3::NAN), "finite");
    let twice = CageFace::Triangle([0, 0, 1]);
    let faces = [cage.faces(), &[twice]].concat();
    refused(&mut document, set(Cage::new(cage.points().to_vec(), faces).unwrap()), "corner twice");
    document.apply(&move_one(0, DVec3::ONE).into()).unwrap();
    document.apply(&CageEdit::ResetCage {}.into()).unwrap();
    assert!(document.rest_cage().is_empty());
    document
        .apply(&CageEdit::SetCage { cage: None, coordinates: Default::default() }.into())
        .unwrap();
    assert!(document.rig().cage.is_none());
}

/// A session that shows a motion of two seconds over a box in a cage.
fn keyed() -> (Session, Editor) {
    let mut editor = Editor::new(document());
    let cage = Some(boxed(editor.document()));
    editor.apply(CageEdit::SetCage { cage, coordinates: Default::default() }).unwrap();
    let add = MotionEdit::AddMotion { name: "grow".into(), seconds: 2.0, copy_of: None };
    editor.apply(add).unwrap();
    let size = Size { width: 400, height: 300 };
    let bounds = editor.document().character().bounds();
    let camera = Camera::around(&bounds, 0.3, 0.2, size.aspect());
    let mut session = Session::new(View { camera, size }, Box::new(CageTool::default()));
    let motion = editor.document().motions().len() - 1;
    session.playback.choose(Some(motion), editor.document());
    (session, editor)
}

fn move_one(handle: u32, place: DVec3) -> Vec<Edit> {
    vec![CageEdit::MoveCage { handles: [(handle, place)].into() }.into()]
}

#[test]
fn three_keys_of_the_cage_play_linearly_are_saved_and_undone() {
    let (mut session, mut editor) = keyed();
    let bound = editor.document().rig().cage.as_ref().unwrap().cage.points().to_vec();
    let before = editor.document().clone();
    session.auto_key = true;
    let by = DVec3::new(0.0, 0.1, 0.4);
    // Moved at one second, moved back at two; another handle at half a second.
    for (seconds, handle, offset) in [(1.0, 5, by), (2.0, 5, DVec3::ZERO), (0.5, 2, by)] {
        session.playback.go_to(seconds, editor.document());
        let edits = move_one(handle, bound[handle as usize] + offset);
        session.apply(None, edits, &mut editor).unwrap();
    }
    assert!(editor.document().rest_cage().is_empty(), "keys are set, and nothing else is moved");
    let at = |session: &mut Session, editor: &Editor, seconds: f64| {
        session.playback.go_to(seconds, editor.document());
        let cage = session.playback.controls(editor.document()).cage;
        [2, 5].map(|handle: usize| cage[handle] - bound[handle])
    };
    assert!(at(&mut session, &editor, 1.0)[1].distance(by) < 1e-12);
    assert!(at(&mut session, &editor, 1.5)[1].distance(0.5 * by) < 1e-12);
    assert!(at(&mut session, &editor, 2.0)[1].length() < 1e-12);
    // The other one had no key before: where the cage had keys it stays as it was.
    assert!(at(&mut session, &editor, 0.5)[0].distance(by) < 1e-12);
    assert!(at(&mut session, &editor, 0.75)[0].distance(0.5 * by) < 1e-12);
    assert!(at(&mut session, &editor, 1.0)[0].length() < 1e-12);
    // A project keeps them.
    let text = serde_json::to_string(&State::of(editor.document())).unwrap();
    let mut restored = document();
    serde_json::from_str::<State>(&text).unwrap().restore(&mut restored).unwrap();
    assert_eq!(restored, *editor.document());
    for _ in 0..3 {
        assert!(editor.undo());
    }
    assert_eq!(*editor.document(), before);
}

#[test]
fn a_drag_in_the_pose_of_a_motion_starts_from_its_cage_and_becomes_a_key() {
    let (mut session, mut editor) = keyed();
    let bound = editor.document().rig().cage.as_ref().unwrap().cage.points().to_vec();
    session.auto_key = true;
    session.playback.go_to(1.0, editor.document());
    session.apply(None, move_one(5, bound[5] + DVec3::X), &mut editor).unwrap();
    session.playback.go_to(1.0, editor.document());
    let rest = session.playback.rest_cage(editor.document()).to_vec();
    assert_eq!(rest[5], bound[5] + DVec3::X);
    let posed = editor.document().posed_cage(editor.document().pose(), &rest).unwrap();
    let wanted = posed[7] + DVec3::new(0.0, 0.2, 0.1);
    let edit = CageEdit::MovePosedCage { handles: [(7, wanted)].into() };
    session.apply(None, vec![edit.into()], &mut editor).unwrap();
    session.playback.go_to(1.0, editor.document());
    let rest = session.playback.rest_cage(editor.document()).to_vec();
    let after = editor.document().posed_cage(editor.document().pose(), &rest).unwrap();
    assert!(after[7].distance(wanted) < 1e-9);
    for handle in (0..after.len()).filter(|&handle| handle != 7) {
        assert!(after[handle].distance(posed[handle]) < 1e-9, "handle {handle} stays");
    }
}

#[test]
fn keys_of_chosen_handles_are_set_by_hand_and_go_with_another_cage() {
    let (mut session, mut editor) = keyed();
    let error = session.set_cage_keys(&mut editor).unwrap_err().to_string();
    assert!(error.contains("choose handles"), "{error}");
    session.selection.choose_handles([1, 4]);
    session.set_cage_keys(&mut editor).unwrap();
    let motion = |editor: &Editor| {
        let document = editor.document();
        document.motions().motion(document.character(), document.motions().len() - 1)
    };
    assert_eq!(motion(&editor).layers[0].channels().len(), 2);
    let text = r#"{"edit": "set-keys", "motion": "grow", "channels":
        [{"channel": {"handle": 4}, "keys": [{"seconds": 1, "value": [0, 0, 0.5], "span": "linear"}]}]}"#;
    editor.apply(serde_json::from_str::<Edit>(text).unwrap()).unwrap();
    let from = r#"{"edit": "cage-from-clip", "clip": "grow", "seconds": 0.5}"#;
    editor.apply(serde_json::from_str::<Edit>(from).unwrap()).unwrap();
    let bound = editor.document().rig().cage.as_ref().unwrap().cage.points().to_vec();
    let by = editor.document().rest_cage()[4] - bound[4];
    assert!(by.distance(DVec3::new(0.0, 0.0, 0.25)) < 1e-12, "{by}");
    let wrong = text.replace("\"handle\": 4", "\"handle\": 400");
    let error = editor.apply(serde_json::from_str::<Edit>(&wrong).unwrap()).unwrap_err();
    assert!(error.to_string().contains("no handle 400"), "{error}");
    editor.apply(CageEdit::SetCage { cage: None, coordinates: Default::default() }).unwrap();
    assert!(motion(&editor).layers[0].channels().is_empty());
    assert_eq!(editor.document().broken_invariant(), None);
}

#[test]
fn a_character_is_exported_with_its_cage_and_opens_with_it() {
    let mut document = document();
    let cage = boxed(&document);
    let set = CageEdit::SetCage { cage: Some(cage.clone()), coordinates: Default::default() };
    document.apply(&set.into()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["box.glb", "box.gltf"] {
        let path = folder.path().join(name);
        sinew_editor::export_character(&document, &path, sinew_io::ReadOnly::Keep).unwrap();
        let opened = Document::open(Source::embed(&path).unwrap(), None).unwrap();
        let found = &opened.rig().cage.as_ref().expect("a cage").cage;
        assert_eq!(found.faces(), cage.faces());
        assert!(found.points().iter().zip(cage.points()).all(|(a, b)| a.distance(*b) < 1e-12));
        assert_eq!(opened.broken_invariant(), None);
        assert_eq!(opened.character().parts.len(), document.character().parts.len());
    }
}

#[test]
fn a_further_cage_and_point_handles_come_beside_what_is_there_and_keep_it() {
    let mut document = document();
    let bounds = document.character().bounds();
    let (low, high) = (bounds.min.as_dvec3() - 0.2, bounds.max.as_dvec3() + 0.2);
    let middle = 0.5 * (low.y + high.y);
    let below = DVec3::new(high.x, middle - 0.3, high.z);
    let above = DVec3::new(low.x, middle + 0.3, low.z);
    let [lower, upper] = [[low, below], [above, high]]
        .map(|[low, high]| Cage::lattice(low, high, UVec3::new(1, 2, 1)).unwrap());
    let add = |cage: Option<&Cage>, points: Vec<DVec3>| -> Edit {
        CageEdit::AddToCage { cage: cage.cloned(), points }.into()
    };
    document.apply(&add(Some(&lower), Vec::new())).unwrap();
    let moved = lower.points()[0] - 0.1;
    let handles = [(0, moved)].into();
    document.apply(&CageEdit::MoveCage { handles }.into()).unwrap();
    document.apply(&add(Some(&upper), vec![DVec3::new(0.0, middle, high.z)])).unwrap();
    let cage = document.rig().cage.as_ref().unwrap().cage.clone();
    assert_eq!(cage.points().len(), lower.points().len() + upper.points().len() + 1);
    assert_eq!(document.rest_cage()[0], moved, "what was moved stays moved");
    assert_eq!(document.broken_invariant(), None);
    // In the pose each goes where it is put.
    let bend = r#"{"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 40}"#;
    document.apply(&serde_json::from_str(bend).unwrap()).unwrap();
    let before = posed_cage(&document);
    let last = before.len() as u32 - 1;
    let wanted = before[last as usize] + DVec3::new(0.0, 0.05, 0.1);
    document.apply(&CageEdit::MovePosedCage { handles: [(last, wanted)].into() }.into()).unwrap();
    let after = posed_cage(&document);
    assert!(after[last as usize].distance(wanted) < 1e-9);
    assert!(after[0].distance(before[0]) < 1e-9);
    // A project keeps it.
    let text = serde_json::to_string(&State::of(&document)).unwrap();
    let mut again = self::document();
    serde_json::from_str::<State>(&text).unwrap().restore(&mut again).unwrap();
    assert_eq!(again.rig().cage, document.rig().cage);
}

/// The same numbers each time.
struct Numbers(u64);

impl Numbers {
    /// From −1 to 1.
    fn signed(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, count: usize) -> usize {
        ((0.5 * (self.signed() + 1.0) * count as f64) as usize).min(count - 1)
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

/// Skeleton, rest cage, posed cage, shapes and stretched bones in any order, with every method:
/// each drag in the pose arrives and leaves the other handles, and undo of all is the start to the
/// bit.
#[test]
fn a_thousand_interleaved_edits_keep_the_loop_and_undo_of_all_gives_the_start() {
    let parse = |text: String| serde_json::from_str::<Edit>(&text).unwrap();
    let mut start = document();
    let shape = r#"{"edit": "add-shape", "mesh": "box", "name": "dent", "moved": [[3, 0.1, 0, 0.1],
        [9, 0, 0.1, 0]]}"#;
    let mesh = start.character().parts[0].mesh.name().to_owned();
    start.apply(&parse(shape.replace("box", &mesh))).unwrap();
    let set = CageEdit::SetCage { cage: Some(boxed(&start)), coordinates: Default::default() };
    start.apply(&set.into()).unwrap();
    let bound = start.rig().cage.as_ref().unwrap().cage.points().to_vec();
    let diagonal = start.rig().cage.as_ref().unwrap().cage.diagonal();
    let methods = ["linear", "dual-quat", "center-of-rotation"];
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut editor = Editor::new(start.clone());
    let posed = |editor: &Editor| {
        let document = editor.document();
        document.posed_cage(document.pose(), document.rest_cage()).unwrap()
    };
    let (mut drags, mut refused) = (0, 0);
    for edit in 0..1000 {
        let handle = numbers.below(bound.len()) as u32;
        let edit: Edit = match if edit % 100 == 0 { 5 } else { numbers.below(5) } {
            0 => {
                let (joint, axis) = (1 + numbers.below(2), ["x", "y", "z"][numbers.below(3)]);
                let degrees = 15.0 * numbers.signed();
                parse(format!(
                    r#"{{"edit": "rotate-joint", "joint": "bone_{joint}", "axis": "{axis}", "degrees": {degrees}}}"#
                ))
            }
            1 => {
                let place = bound[handle as usize] + 0.02 * diagonal * numbers.vector();
                CageEdit::MoveCage { handles: [(handle, place)].into() }.into()
            }
            2 => {
                let weight = numbers.signed();
                parse(format!(
                    r#"{{"edit": "set-shapes", "weights": {{"{mesh}": {{"dent": {weight}}}}}}}"#
                ))
            }
            3 => {
                let factor = if numbers.signed() < 0.0 { 1.05 } else { 1.0 / 1.05 };
                parse(format!(
                    r#"{{"edit": "stretch-joint", "joint": "bone_1", "factor": {factor}}}"#
                ))
            }
            4 => {
                let place = posed(&editor)[handle as usize] + 0.005 * diagonal * numbers.vector();
                CageEdit::MovePosedCage { handles: [(handle, place)].into() }.into()
            }
            _ => {
                // Bent the same way for long, a box goes through itself; another method, too.
                editor.apply(parse(r#"{"edit": "reset-pose"}"#.into())).unwrap();
                editor.apply(CageEdit::ResetCage {}).unwrap();
                let method = methods[(edit / 100) % methods.len()];
                parse(format!(r#"{{"edit": "set-method", "method": "{method}"}}"#))
            }
        };
        let Edit::Cage(CageEdit::MovePosedCage { handles }) = &edit else {
            editor.apply(edit).unwrap();
            continue;
        };
        let (handles, before) = (handles.clone(), posed(&editor));
        if editor.apply(edit).is_err() {
            refused += 1;
            continue;
        }
        drags += 1;
        for ((handle, before), after) in (0u32..).zip(before).zip(posed(&editor)) {
            let wanted = handles.get(&handle).copied().unwrap_or(before);
            let off = after.distance(wanted) / diagonal;
            assert!(off < 1e-9, "drag {drags}: handle {handle} is off by {off:.1e}");
        }
    }
    assert!(drags > 100 && refused < 5, "{drags} drags, {refused} refused");
    assert_eq!(editor.document().broken_invariant(), None);
    while editor.undo() {}
    assert_eq!(*editor.document(), start);
    assert_eq!(editor.document().controls(), start.controls());
}

#[test]
fn a_drag_that_the_pose_hardly_allows_is_told_until_it_is_taken_back() {
    let mut editor = Editor::new(document());
    let cage = Some(boxed(editor.document()));
    editor.apply(CageEdit::SetCage { cage, coordinates: Default::default() }).unwrap();
    let gain = |editor: &Editor| {
        let document = editor.document();
        document.cage_gain(document.rest_cage())
    };
    let drag = |editor: &mut Editor, handle: u32| {
        let document = editor.document();
        let posed = document.posed_cage(document.pose(), document.rest_cage()).unwrap();
        let place = posed[handle as usize] + DVec3::new(0.01, 0.0, 0.0);
        editor.apply(CageEdit::MovePosedCage { handles: [(handle, place)].into() }).unwrap();
    };
    drag(&mut editor, 5);
    let gentle = gain(&editor).expect("of that drag");
    assert!((0.5..LARGE_GAIN).contains(&gentle), "{gentle}");
    // Linear blending has all but flattened what is half turned around.
    let twist = r#"{"edit": "rotate-joint", "joint": "bone_1", "axis": "twist", "degrees": 179}"#;
    editor.apply(serde_json::from_str::<Edit>(twist).unwrap()).unwrap();
    drag(&mut editor, 6);
    let large = gain(&editor).expect("of that drag");
    assert!(large > LARGE_GAIN, "{large}");
    assert!(editor.undo());
    assert_eq!(gain(&editor), None, "the rest cage is not as that drag left it");
}

#[test]
fn other_coordinates_keep_the_handles_where_they_are_and_another_method_finds_none_again() {
    let mut editor = Editor::new(document());
    let cage = boxed(editor.document());
    let set = |coordinates| CageEdit::SetCage { cage: Some(cage.clone()), coordinates };
    editor.apply(set(CoordinateKind::QuadMeanValue)).unwrap();
    editor.apply(move_one(3, DVec3::ONE).remove(0)).unwrap();
    let rest = editor.document().rest_cage().clone();
    let plan = |editor: &Editor| editor.document().bound_cage().unwrap().unwrap();
    let first = plan(&editor);
    let method = r#"{"edit": "set-method", "method": "dual-quat"}"#;
    editor.apply(serde_json::from_str::<Edit>(method).unwrap()).unwrap();
    let second = plan(&editor);
    let shares = |a: &Plan, b: &Plan| a.cage().unwrap().shares_places(b.cage().unwrap());
    assert!(shares(&first, &second));
    editor.apply(set(CoordinateKind::Harmonic)).unwrap();
    assert_eq!(*editor.document().rest_cage(), rest);
    assert!(!shares(&first, &plan(&editor)));
    assert!(editor.undo());
    assert_eq!(
        editor.document().rig().cage.as_ref().unwrap().coordinates,
        CoordinateKind::QuadMeanValue
    );
    assert_eq!(*editor.document().rest_cage(), rest);
    // A cage that stands elsewhere begins where it is.
    let points = cage.points().iter().map(|point| 1.1 * *point).collect();
    let cage = cage.with_points(points).unwrap();
    let set = CageEdit::SetCage { cage: Some(cage), coordinates: Default::default() };
    editor.apply(set).unwrap();
    assert!(editor.document().rest_cage().is_empty());
}
