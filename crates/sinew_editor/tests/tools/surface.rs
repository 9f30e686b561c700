//! Strokes on the skin and the grab brush: one step each, in any pose.

use std::sync::mpsc::Receiver;

use sinew::glam::{Vec2, Vec3};
use sinew::sample::SampleKind;
use sinew::sketch::surface::{Extent, SurfaceMethod};
use sinew_editor::tool::{Event, GrabTool, Key, SurfaceTool, Tool};
use sinew_editor::{Document, Edit, Source, SurfaceEdit, SurfaceEntry, project};

use crate::common::user::{CONTROL, PLAIN, SHIFT, User};
use crate::random::{Random, num_strokes, small};
use crate::sight::show;
use crate::weights::strokes;

/// Random strokes of every run; `SINEW_STROKES` says another number.
const USUAL_STROKES: usize = 40;

/// A user who sees the chibi with a bent arm.
fn user(tool: impl Tool + 'static) -> (User, Receiver<()>) {
    let mut user = User::with(tool);
    let bend = r#"{"edit": "rotate-joint", "joint": "forearm_l", "axis": "z", "degrees": 40}"#;
    user.editor.apply(serde_json::from_str::<Edit>(bend).unwrap()).unwrap();
    let found = show(&mut user);
    (user, found)
}

/// From the belly to the breast.
fn way(user: &User) -> Vec<Vec2> {
    let [low, high] = [user.pixel(user.place("spine").as_vec3()), user.bone("chest")];
    (0..=12).map(|step| low.lerp(high, step as f32 / 12.0)).collect()
}

fn moved(user: &User) -> Vec<(u32, Vec3)> {
    let stack = user.editor.document().surface().clone();
    stack.entries().last().map_or(Vec::new(), |entry| entry.moved.moved().collect())
}

#[test]
fn a_stroke_on_the_skin_is_one_step_that_undo_takes_back_to_the_bit() {
    let (mut user, found) = user(SurfaceTool::default());
    let (before, steps) = (user.editor.document().clone(), user.editor.history().done().len());
    let way = way(&user);
    strokes(&mut user, &way, &found);
    assert_eq!(user.editor.history().done().len(), steps + 1);
    let document = user.editor.document();
    let entry = &document.surface().entries()[0];
    assert_eq!(user.session.surface.chosen.as_deref(), Some("Stroke 1"));
    let spots = entry.drawing.as_ref().unwrap().stroke.spots().len();
    assert!(spots > 5 && moved(&user).len() > 40, "{spots} {}", moved(&user).len());
    let offsets = &document.controls().parts[entry.part].rest_offsets;
    let height = user.session.surface.height_of(document.character()) as f32;
    let most = offsets.iter().map(|by| by.length()).fold(0.0, f32::max);
    assert!((most - height).abs() < 0.2 * height, "{most} {height}");
    assert!(user.marks().lines.len() > 10 && user.marks().discs.len() > 40);
    assert!(user.editor.undo());
    assert_eq!(*user.editor.document(), before);
    assert!(user.editor.redo() && moved(&user).len() > 40);
}

#[test]
fn a_stroke_that_is_over_before_the_picker_has_answered_is_drawn_all_the_same() {
    let (mut slow, found) = user(SurfaceTool::default());
    let way = way(&slow);
    strokes(&mut slow, &way, &found);
    let (mut fast, found) = user(SurfaceTool::default());
    fast.does(Event::Pressed { at: way[0], modifiers: PLAIN });
    assert!(fast.session.tool().is_waiting(), "nothing is known yet");
    way[1..].iter().for_each(|&at| _ = fast.does(Event::Moved { at, modifiers: PLAIN }));
    fast.does(Event::Released { at: way[way.len() - 1] });
    assert!(moved(&fast).is_empty());
    while fast.session.tool().is_waiting() {
        found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
        fast.session.poll(&mut fast.editor).unwrap();
    }
    assert!(!fast.editor.is_open() && !fast.session.tool().has_pointer());
    assert_eq!(moved(&fast), moved(&slow));
}

#[test]
fn escape_forgets_a_stroke_and_a_press_beside_the_skin_draws_nothing() {
    let (mut user, found) = user(SurfaceTool::default());
    let before = user.editor.document().clone();
    let way = way(&user);
    user.does(Event::Pressed { at: way[0], modifiers: PLAIN });
    while user.session.tool().is_waiting() {
        found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
        user.session.poll(&mut user.editor).unwrap();
    }
    user.does(Event::Moved { at: way[6], modifiers: PLAIN });
    assert_ne!(*user.editor.document(), before, "it is live");
    user.does(Event::Key(Key::Escape));
    user.does(Event::Released { at: way[6] });
    assert_eq!(*user.editor.document(), before);
    assert_eq!(user.session.surface.chosen, None);
    strokes(&mut user, &[Vec2::new(3.0, 3.0), Vec2::new(9.0, 9.0)], &found);
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn a_stroke_is_redrawn_by_height_by_knots_and_by_another_line() {
    let (mut user, found) = user(SurfaceTool::default());
    let way = way(&user);
    strokes(&mut user, &way, &found);
    let offset = |user: &User| {
        let entry = &user.editor.document().surface().entries()[0];
        entry.drawing.as_ref().unwrap().offset.clone()
    };
    let first = offset(&user);
    let mut edit = SurfaceEdit::redraw("Stroke 1");
    if let SurfaceEdit::RedrawSurface { height, method, .. } = &mut edit {
        (*height, *method) = (Some(2.0 * first.height()), Some(SurfaceMethod::AsRigidAsPossible));
    }
    user.editor.apply(edit).unwrap();
    assert!((offset(&user).height() - 2.0 * first.height()).abs() < 1e-12);
    // Another line beside the stroke, drawn with Control.
    let found = show(&mut user);
    let steps = user.editor.history().done().len();
    user.does(Event::Pressed { at: way[0] + Vec2::new(40.0, 0.0), modifiers: CONTROL });
    for at in &way[1..] {
        user.does(Event::Moved { at: *at + Vec2::new(40.0, 0.0), modifiers: CONTROL });
    }
    user.does(Event::Released { at: way[12] });
    assert_eq!(user.editor.history().done().len(), steps + 1);
    assert!(offset(&user).knots().iter().any(|knot| knot.by.x.abs() > 1e-3));
    drop(found);
}

#[test]
fn a_grab_moves_the_skin_as_far_as_the_pointer_in_the_pose_and_grows_one_edit() {
    let (mut user, found) = user(GrabTool::default());
    user.session.surface.radius = Some(0.05);
    let at = user.bone("forearm_l");
    let before = user.editor.document().clone();
    let posed = user.session.frame.clone().unwrap();
    strokes(&mut user, &[at, at + Vec2::new(0.0, -8.0), at + Vec2::new(0.0, -16.0)], &found);
    let once = moved(&user);
    assert!(once.len() > 3, "{}", once.len());
    // On the bent arm: what has moved at rest is seen to have moved up.
    let document = user.editor.document().clone();
    let found = show(&mut user);
    let shown = user.session.frame.clone().unwrap();
    let part = document.surface().entries()[0].part;
    let (most, _) = once.iter().max_by(|a, b| a.1.length().total_cmp(&b.1.length())).unwrap();
    let by =
        shown.parts()[part].points()[*most as usize] - posed.parts()[part].points()[*most as usize];
    let up = user.session.view.camera.view_from_model_rotation().inverse() * Vec3::Y;
    assert!(by.normalize().dot(up) > 0.95, "{by}");
    strokes(&mut user, &[at, at + Vec2::new(0.0, -8.0)], &found);
    assert_eq!(user.editor.document().surface().entries().len(), 1);
    assert_ne!(moved(&user), once);
    user.editor.undo();
    assert_eq!(moved(&user), once);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn what_was_drawn_is_the_same_after_a_project_and_after_its_own_edits() {
    let (mut user, found) = user(SurfaceTool::default());
    let way = way(&user);
    strokes(&mut user, &way, &found);
    for edit in [
        r#"{"edit": "set-surface", "surface": "Stroke 1", "weight": 0.5, "name": "Belly"}"#,
        r#"{"edit": "move-surface", "mesh": "chibi", "surface": "Pulled", "moved": [[3, 0, 0.01, 0]]}"#,
        r#"{"edit": "place-surface", "surface": "Pulled", "place": 0}"#,
        r#"{"edit": "set-surface", "surface": "Pulled", "muted": true}"#,
    ] {
        user.editor.apply(serde_json::from_str::<Edit>(edit).unwrap()).unwrap();
    }
    let document = user.editor.document();
    let bytes = project::to_bytes(document).unwrap();
    let opened = project::from_bytes(&bytes, None).unwrap();
    assert_eq!(opened.surface(), document.surface());
    assert_eq!(opened, *document);
    // A script with the same words comes to the same bits.
    let script: Vec<&Edit> = user.editor.history().edits().collect();
    let script: Vec<Edit> = serde_json::from_str(&serde_json::to_string(&script).unwrap()).unwrap();
    let mut replayed = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    for edit in &script {
        replayed.apply(edit).unwrap();
    }
    assert_eq!(replayed.surface(), document.surface());
}

#[test]
fn what_is_not_there_is_said() {
    let (user, _) = user(SurfaceTool::default());
    let mut document = user.editor.document().clone();
    let mut fault = |text: &str| {
        let edit: Edit = serde_json::from_str(text).unwrap();
        document.apply(&edit).unwrap_err().to_string()
    };
    let error = fault(r#"{"edit": "remove-surface", "surface": "Nose"}"#);
    assert!(error.contains("Nose"), "{error}");
    let error = fault(
        r#"{"edit": "draw-surface", "mesh": "chibi", "drawing": {"stroke":
            [{"triangle": 99999999, "at": [1, 0, 0]}], "offset": [], "extent": {"edges": 3}}}"#,
    );
    assert!(error.contains("stroke[0]") && error.contains("triangles"), "{error}");
    let error = fault(
        r#"{"edit": "move-surface", "mesh": "chibi", "surface": "A", "moved": [[9999999, 0, 0, 0]]}"#,
    );
    assert!(error.contains("point 9999999"), "{error}");
}

/// A pen that is pressed harder and harder raises a ridge that climbs; a mouse, one of one height.
#[test]
fn a_pen_that_is_pressed_harder_draws_higher() {
    let (mut user, found) = user(SurfaceTool::default());
    let way = way(&user);
    user.session.pressure = Some(0.1);
    user.does(Event::Pressed { at: way[0], modifiers: PLAIN });
    while user.session.tool().is_waiting() {
        found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
        user.session.poll(&mut user.editor).unwrap();
    }
    for (step, &at) in way.iter().enumerate().skip(1) {
        user.session.pressure = Some(0.1 + 0.8 * step as f32 / 12.0);
        user.does(Event::Moved { at, modifiers: PLAIN });
    }
    user.session.pressure = None;
    user.does(Event::Released { at: way[12] });
    let height = user.session.surface.height_of(user.editor.document().character());
    let entry = &user.editor.document().surface().entries()[0];
    let offset = &entry.drawing.as_ref().unwrap().offset;
    let [low, middle, high] = [0.0, 0.5, 1.0].map(|share| offset.at(share).y / height);
    assert!(low < 0.5 && (0.7..1.3).contains(&middle) && high > 1.4, "{low} {middle} {high}");
}

/// Each move of the pen solves a region: a few strokes each time, all of them by hand.
#[test]
fn whatever_is_drawn_on_whichever_skin_stays_finite_and_undo_is_exact() {
    let kinds = SampleKind::ALL;
    let num_each = num_strokes(USUAL_STROKES).div_ceil(kinds.len());
    let mut random = Random(0x0dd5_eed5_7a11_c0de);
    let mut drawn = 0;
    for kind in kinds {
        let mut user = User::on(small(kind), SurfaceTool::default());
        let start = user.editor.document().clone();
        let mut found = show(&mut user);
        for stroke in 0..num_each {
            let work = &mut user.session.surface;
            work.method = SurfaceMethod::ALL[stroke % 3];
            work.extent = match stroke % 4 {
                0 => None,
                1 => Some(Extent::Metres(0.3 * random.next())),
                _ => Some(Extent::Edges((random.next() * 9.0) as u32)),
            };
            work.height = (stroke % 2 == 0).then(|| f64::from(random.next()) - 0.5);
            user.session.pressure = (stroke % 5 == 0).then(|| random.next());
            let part = &user.editor.document().character().parts[0];
            let points = part.mesh.points();
            let point = points[(random.next() * points.len() as f32) as usize % points.len()];
            let seen = user.session.view.project(point);
            let from = seen.filter(|_| random.next() < 0.8).unwrap_or_else(|| random.pixel());
            let modifiers = [PLAIN, PLAIN, SHIFT, PLAIN, CONTROL][stroke % 5];
            let before = user.editor.document().clone();
            let num_steps = user.editor.history().done().len();
            let way = random.short_stroke(from);
            user.does(Event::Pressed { at: way[0], modifiers });
            while user.session.tool().is_waiting() {
                found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
                user.session.poll(&mut user.editor).unwrap();
            }
            way[1..].iter().for_each(|&at| _ = user.does(Event::Moved { at, modifiers }));
            user.does(Event::Released { at: way[way.len() - 1] });
            assert!(!user.editor.is_open());
            let stack = user.editor.document().surface();
            let is_finite =
                |entry: &SurfaceEntry| entry.moved.moved().all(|(_, by)| by.is_finite());
            assert!(stack.entries().iter().all(is_finite), "stroke {stroke} on {}", kind.name());
            if user.editor.history().done().len() > num_steps {
                drawn += 1;
                let after = user.editor.document().clone();
                user.editor.undo();
                assert_eq!(*user.editor.document(), before, "stroke {stroke} on {}", kind.name());
                user.editor.redo();
                assert_eq!(*user.editor.document(), after, "stroke {stroke} on {}", kind.name());
            }
            if stroke % 6 == 5 {
                let yaw = user.session.view.camera.yaw_radians;
                user = User::on(start.clone(), SurfaceTool::default());
                user.session.view.camera.yaw_radians = yaw;
                if stroke % 60 == 59 {
                    user.session.view.camera.yaw_radians += 0.7;
                }
                found = show(&mut user);
            }
        }
    }
    assert!(drawn > num_strokes(USUAL_STROKES) / 5, "only {drawn} strokes raised something");
}

fn drawing(user: &User) -> sinew_editor::SurfaceDrawing {
    let entry = &user.editor.document().surface().entries()[0];
    entry.drawing.as_deref().cloned().unwrap()
}

/// Where the offset stroke's knots are seen.
fn offset_knots(user: &User) -> Vec<Vec2> {
    let discs = user.marks().discs;
    let largest = discs.iter().map(|disc| disc.radius_px).fold(0.0, f32::max);
    let knots = discs.iter().filter(|disc| disc.radius_px == largest);
    knots.map(|disc| user.pixel(disc.center)).collect()
}

#[test]
fn with_control_knots_of_the_offset_are_put_in_dragged_and_taken_out() {
    let (mut user, found) = user(SurfaceTool::default());
    let way = way(&user);
    strokes(&mut user, &way, &found);
    let _found = show(&mut user);
    let (before, first) = (user.editor.document().clone(), drawing(&user).offset);
    let knots = offset_knots(&user);
    assert_eq!(knots.len(), first.knots().len());
    // A click on one takes it out, and the line goes on where it was.
    let at = knots[1];
    user.does(Event::Pressed { at, modifiers: CONTROL });
    user.does(Event::Released { at });
    let fewer = drawing(&user).offset;
    assert_eq!(fewer.knots().len(), first.knots().len() - 1);
    let _found = show(&mut user);
    user.does(Event::Pressed { at, modifiers: CONTROL });
    assert!(user.editor.is_open(), "on the line");
    user.does(Event::Moved { at: at + Vec2::new(30.0, 0.0), modifiers: CONTROL });
    user.does(Event::Released { at: at + Vec2::new(30.0, 0.0) });
    let more = drawing(&user).offset;
    assert_eq!(more.knots().len(), first.knots().len());
    assert!(more.knots()[1].by.distance(first.at(more.knots()[1].share)) > 0.01, "dragged");
    assert_eq!(user.steps().last().map(String::as_str), Some("Add a knot to Stroke 1"));
    user.editor.undo();
    assert_eq!(drawing(&user).offset, fewer);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn the_stroke_itself_is_drawn_again_with_shift_or_by_the_panels_button_and_keeps_all_else() {
    for by_button in [false, true] {
        let (mut user, found) = user(SurfaceTool::default());
        let way = way(&user);
        strokes(&mut user, &way, &found);
        user.editor.apply(SurfaceEdit::weigh("Stroke 1", 0.7)).unwrap();
        let found = show(&mut user);
        let (before, first) = (user.editor.document().clone(), drawing(&user));
        user.session.surface.redraws = by_button;
        let modifiers = if by_button { PLAIN } else { SHIFT };
        let aside: Vec<Vec2> = way[..9].iter().map(|at| *at + Vec2::new(14.0, 0.0)).collect();
        user.does(Event::Pressed { at: aside[0], modifiers });
        while user.session.tool().is_waiting() {
            found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
            user.session.poll(&mut user.editor).unwrap();
        }
        aside[1..].iter().for_each(|&at| _ = user.does(Event::Moved { at, modifiers }));
        user.does(Event::Released { at: aside[8] });
        let again = drawing(&user);
        assert_ne!(again.stroke, first.stroke);
        assert_eq!((&again.offset, again.extent), (&first.offset, first.extent));
        let entries = user.editor.document().surface().entries();
        assert_eq!((entries.len(), entries[0].weight), (1, 0.7));
        assert_eq!(user.session.surface.chosen.as_deref(), Some("Stroke 1"));
        assert!(!user.session.surface.redraws, "once");
        assert_eq!(user.steps().last().map(String::as_str), Some("Redraw Stroke 1"));
        user.editor.undo();
        assert_eq!(*user.editor.document(), before);
    }
}

/// The skin as it was is drawn thin over the one that rises, until the pen goes up.
#[test]
fn while_a_stroke_is_drawn_its_marks_have_the_skin_from_before() {
    let (mut user, found) = user(SurfaceTool::default());
    let way = way(&user);
    user.does(Event::Pressed { at: way[0], modifiers: PLAIN });
    while user.session.tool().is_waiting() {
        found.recv_timeout(crate::sight::HANGS).expect("the picker hangs");
        user.session.poll(&mut user.editor).unwrap();
    }
    for &at in &way[1..8] {
        user.does(Event::Moved { at, modifiers: PLAIN });
    }
    let before = user.marks().lines.len();
    let picker = user.session.picker.clone();
    let _found = show(&mut user);
    user.session.picker = picker;
    let with_ghost = user.marks().lines.len();
    assert!(with_ghost > before + 20, "{before} {with_ghost}");
    user.does(Event::Released { at: way[7] });
    assert!(user.marks().lines.len() < with_ghost);
}
