//! The cage of a document: edits at rest and in the pose, undo, projects.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::{DVec3, UVec3};
use sinew::cage::{Cage, CageFace};
use sinew::frame::Plan;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::{CageEdit, Document, Edit, Editor, Source, State};

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
