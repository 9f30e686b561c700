//! Time belongs to the session: what is shown while a clip plays, and what an edit makes of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use sinew::motion::{Curve, ShapeTrack};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_editor::tool::{Event, Key, RotateTool};
use sinew_editor::{
    Axis, Document, Edit, Editor, JointRef, PoseEdit, RigEdit, Selection, Session, ShapeEdit,
    Source, View,
};
use sinew_view::camera::{Camera, Size};

fn session(document: &Document) -> Session {
    let size = Size { width: 640, height: 480 };
    let camera = Camera::around(&document.character().bounds(), 0.3, 0.2, size.aspect());
    Session::new(View { camera, size }, Box::new(RotateTool::default()))
}

/// A cylinder whose first clip is shown half way.
fn shown() -> (Session, Editor) {
    let document = common::shaped();
    let mut session = session(&document);
    session.playback.choose(Some(0), &document);
    let seconds = 0.5 * session.playback.clip_seconds(&document);
    assert!(seconds > 0.0);
    session.playback.go_to(seconds, &document);
    (session, Editor::new(document))
}

fn clip_pose(session: &Session, editor: &Editor) -> sinew::skeleton::Pose {
    let character = editor.document().character();
    let clip = &character.clips[session.playback.clip().unwrap()];
    clip.pose_at(&character.skeleton, session.playback.seconds())
}

fn turn(degrees: f64) -> Edit {
    PoseEdit::RotateJoint { joint: JointRef::from("#0"), axis: Axis::X, degrees }.into()
}

#[test]
fn playing_and_scrubbing_change_nothing_in_the_document() {
    let (mut session, mut editor) = shown();
    let before = editor.document().clone();
    session.playback.play(&before);
    for _ in 0..50 {
        session.playback.advance(0.037, &before);
        assert_eq!(session.controls(&editor).pose, clip_pose(&session, &editor));
    }
    session.playback.scrub(0.1, &before);
    session.playback.end_scrub();
    assert!(std::sync::Arc::ptr_eq(editor.document().pose(), before.pose()));
    assert!(!editor.is_modified() && editor.history().done().len() == 0);
    assert!(editor.take_entries().is_empty());
}

#[test]
fn escape_brings_playhead_and_picture_back_in_step() {
    let (mut session, editor) = shown();
    let document = editor.document();
    let (seconds, pose) = (session.playback.seconds(), session.controls(&editor).pose);
    session.playback.play(document);
    session.playback.advance(0.123, document);
    assert_ne!(session.controls(&editor).pose, pose);
    assert!(session.playback.escape());
    assert!(!session.playback.is_playing());
    assert_eq!(
        (session.playback.seconds(), session.controls(&editor).pose),
        (seconds, pose.clone())
    );
    for at in [0.0, 0.05, 0.2] {
        session.playback.scrub(at, document);
    }
    assert!(session.playback.escape());
    assert_eq!((session.playback.seconds(), session.controls(&editor).pose), (seconds, pose));
    assert!(!session.playback.escape(), "there is nothing left to take back");
    // From a pose of the document's own, it is that pose again.
    session.playback.hide();
    session.playback.scrub(0.0, document);
    assert!(session.playback.shows_clip(document));
    session.playback.escape();
    assert!(!session.playback.shows_clip(document));
    assert_eq!(session.controls(&editor).pose, **document.pose());
}

#[test]
fn posing_starts_from_the_clip_as_one_step_and_undo_shows_the_clip_again() {
    let (mut session, mut editor) = shown();
    let start = clip_pose(&session, &editor);
    session.apply(None, vec![turn(30.0)], &mut editor).unwrap();
    let document = editor.document();
    assert!(!session.playback.shows_clip(document));
    assert_eq!(document.pose().joints[1], start.joints[1], "the other joint is as the clip has it");
    assert_ne!(document.pose().joints[0], start.joints[0]);
    assert_eq!(editor.history().done().len(), 1);
    editor.undo();
    assert!(session.playback.shows_clip(editor.document()));
    assert_eq!(session.controls(&editor).pose, start);
}

#[test]
fn a_tool_takes_the_clips_pose_and_escape_gives_it_back() {
    let (mut session, mut editor) = shown();
    let start = clip_pose(&session, &editor);
    session.selection = Selection::of(0);
    for key in ['x', '4', '5'] {
        session.dispatch(&Event::Key(Key::Char(key)), &mut editor).unwrap();
    }
    assert_eq!(editor.document().pose().joints[1], start.joints[1]);
    assert!(!session.playback.shows_clip(editor.document()));
    session.dispatch(&Event::Key(Key::Escape), &mut editor).unwrap();
    assert!(session.playback.shows_clip(editor.document()));
    assert_eq!(session.controls(&editor).pose, start);
    assert!(!editor.is_modified());
}

#[test]
fn a_reset_shows_the_rest_even_where_the_document_is_at_rest() {
    let (mut session, mut editor) = shown();
    session.apply(None, vec![PoseEdit::ResetPose { joints: vec![] }.into()], &mut editor).unwrap();
    assert!(!session.playback.shows_clip(editor.document()));
    assert_eq!(session.controls(&editor).pose, **editor.document().pose());
    assert!(!editor.is_modified());
}

/// The cylinder with a clip that moves its first shape.
fn talking() -> (Session, Editor) {
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    let mut character = build(&options).unwrap();
    character.parts[0].shapes = common::shaped().character().parts[0].shapes.clone();
    let weights = Curve::linear(vec![0.0, 1.0], vec![0.0, 0.5, 1.0, 0.5]);
    character.clips[0].shape_tracks = vec![ShapeTrack { part: 0, num_shapes: 2, weights }];
    let bytes = sinew_io::character_to_glb(&character, &sinew_io::WriteOptions::default());
    let format = sinew_io::Format::Glb;
    let bytes = bytes.unwrap().into();
    let source = Source::Embedded { file_name: "face.glb".into(), format, bytes };
    let document = Document::open(source, None).unwrap();
    let mut session = session(&document);
    session.playback.choose(Some(0), &document);
    session.playback.go_to(0.25, &document);
    (session, Editor::new(document))
}

#[test]
fn a_clips_shapes_are_shown_and_stay_when_something_else_is_edited() {
    let (mut session, mut editor) = talking();
    let of_clip = session.controls(&editor).parts[0].shape_weights.clone();
    assert_ne!(of_clip, editor.document().shapes().weights()[0]);
    let method = RigEdit::SetMethod { method: sinew::skin::SkinMethod::DualQuat };
    session.apply(None, vec![method.into()], &mut editor).unwrap();
    session.apply(None, vec![turn(10.0)], &mut editor).unwrap();
    assert_eq!(session.controls(&editor).parts[0].shape_weights, of_clip);
    // A slider takes the mesh's others as they are shown.
    let edit = ShapeEdit::set(editor.document(), 0, 1, -3.0);
    session.apply(None, vec![edit.into()], &mut editor).unwrap();
    assert_eq!(editor.document().shapes().weights()[0], [of_clip[0], -3.0]);
    assert_eq!(session.controls(&editor).parts[0].shape_weights, [of_clip[0], -3.0]);
    editor.undo();
    assert_eq!(session.controls(&editor).parts[0].shape_weights, of_clip);
}
