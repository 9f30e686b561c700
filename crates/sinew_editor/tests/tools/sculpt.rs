//! The chisel: a drag of the posed skin is a corrective of the chosen joint, one step each.

use sinew::glam::{Vec2, Vec3};
use sinew_editor::Edit;
use sinew_editor::tool::{Event, Key, SculptTool};

use crate::common::user::{PLAIN, User};
use crate::sight::{HANGS, show};
use crate::weights::{elbow_point, strokes, user};

/// Metres, of a body of about one: the linear system that takes a displacement back to rest is
/// damped, and frames are in f32.
const UNDER_THE_POINTER: f32 = 1e-3;

/// Where the point that is dragged stands, as the solver has it.
fn posed(user: &User, point: u32) -> Vec3 {
    user.session.frame.clone().unwrap().parts()[0].points()[point as usize]
}

fn shapes(user: &User) -> Vec<String> {
    let shapes = &user.editor.document().character().parts[0].shapes;
    shapes.iter().map(|shape| shape.name.clone()).collect()
}

fn turn_forearm(user: &mut User, degrees: f64) {
    let edit = format!(
        r#"{{"edit": "rotate-joint", "joint": "forearm_l", "axis": "z", "degrees": {degrees}}}"#
    );
    user.editor.apply(serde_json::from_str::<Edit>(&edit).unwrap()).unwrap();
}

#[test]
fn a_drag_is_a_corrective_that_comes_with_the_pose_and_the_next_drag_sculpts_it_further() {
    let (mut user, found) = user(SculptTool::default());
    user.choose("forearm_l");
    let (point, place) = elbow_point(&user);
    let before = shapes(&user);
    let steps = user.editor.history().done().len();
    let at = user.pixel(place);
    let way = [at, at + Vec2::new(10.0, 4.0), at + Vec2::new(20.0, 8.0)];
    strokes(&mut user, &way, &found);
    assert_eq!(user.editor.history().done().len(), steps + 1);
    assert_eq!(shapes(&user).len(), before.len() + 1);
    assert!(shapes(&user).last().unwrap().contains("forearm_l corrective"));
    // What a click takes is the nearest corner of the triangle, which may be a neighbour: the one
    // that has moved the furthest.
    let at_rest = user.editor.document().character().parts[0].shapes[before.len()].deltas.dense();
    let length = |point: &u32| at_rest[*point as usize].length();
    let taken = (0..at_rest.len() as u32).max_by(|a, b| length(a).total_cmp(&length(b))).unwrap();
    assert!(length(&taken) > 0.0, "{point}");
    let start = posed(&user, taken);
    let found = show(&mut user);
    let there = posed(&user, taken);
    let view = user.session.view;
    let by = view.on_facing_plane(way[2], start) - view.on_facing_plane(way[0], start);
    assert!((there - start - by).length() < UNDER_THE_POINTER, "{} {by}", there - start);
    // Points within reach came along in part, others stayed.
    let moved = at_rest.iter().filter(|delta| delta.length() > 0.0).count();
    assert!(moved > 3 && moved < at_rest.len() / 4, "{moved} of {}", at_rest.len());
    // Further, in the same pose: the same shape.
    let at = user.pixel(there);
    strokes(&mut user, &[at, at + Vec2::new(0.0, -15.0)], &found);
    assert_eq!(shapes(&user).len(), before.len() + 1);
    assert_eq!(user.editor.history().done().len(), steps + 2);
    // Away from the pose it is gone.
    turn_forearm(&mut user, -70.0);
    show(&mut user);
    let rest = user.session.frame.clone().unwrap();
    let weights = &rest.controls().parts[0].shape_weights;
    assert_eq!(weights.get(before.len()).copied().unwrap_or(0.0), 0.0, "{weights:?}");
    for _ in 0..3 {
        user.editor.undo();
    }
    assert_eq!(shapes(&user), before);
}

#[test]
fn escape_takes_a_drag_back_and_without_a_posed_joint_nothing_is_taken() {
    let (mut user, found) = user(SculptTool::default());
    user.choose("forearm_l");
    let (_, place) = elbow_point(&user);
    let (before, at) = (shapes(&user), user.pixel(place));
    let press = |user: &mut User, found: &std::sync::mpsc::Receiver<()>| {
        user.does(Event::Pressed { at, modifiers: PLAIN });
        while user.session.tool().is_waiting() {
            found.recv_timeout(HANGS).expect("the picker hangs");
            user.session.poll(&mut user.editor).unwrap();
        }
    };
    press(&mut user, &found);
    user.does(Event::Moved { at: at + Vec2::new(25.0, 0.0), modifiers: PLAIN });
    assert_eq!(shapes(&user).len(), before.len() + 1);
    user.does(Event::Key(Key::Escape));
    assert_eq!(shapes(&user), before);
    assert!(!user.editor.is_open());
    user.does(Event::Released { at });
    let steps = user.editor.history().done().len();
    for joint in ["forearm_r", ""] {
        user.session.selection = Default::default();
        if !joint.is_empty() {
            user.choose(joint);
        }
        press(&mut user, &found);
        user.does(Event::Moved { at: at + Vec2::new(25.0, 0.0), modifiers: PLAIN });
        user.does(Event::Released { at });
        let hint = user.session.tool().hint();
        assert!(hint.contains("at rest") || hint.contains("Choose the joint"), "{hint}");
        assert_eq!(shapes(&user), before);
        assert_eq!(user.editor.history().done().len(), steps);
    }
}
