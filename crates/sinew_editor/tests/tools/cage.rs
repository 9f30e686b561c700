//! Handles of the cage, as a user takes hold of them: at rest, in the pose, by numbers.

use std::sync::Arc;

use sinew::cage::Cage;
use sinew::frame::{Plan, Rig};
use sinew::glam::{DVec3, UVec3, Vec2};
use sinew::progress::Silent;
use sinew_editor::tool::{CageGesture, CageMove, CageTool, Event, Hit, Key, cage_moved};
use sinew_editor::{CageEdit, PoseEdit, SideShown};

use crate::common::user::{CONTROL, PLAIN, SHIFT, User};

/// A user with the cage tool, before a bent character in a lattice of quads.
fn user() -> User {
    let mut user = User::with(CageTool::default());
    let bounds = user.editor.document().character().bounds();
    let margin = 0.06 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    let cage = Cage::lattice(low, high, UVec3::new(2, 3, 2)).unwrap();
    let set = CageEdit::SetCage { cage: Some(cage), coordinates: Default::default() };
    user.editor.apply(set).unwrap();
    let bend = r#"{"edit": "rotate-joint", "joint": "forearm_l", "axis": "x", "degrees": 70}"#;
    user.editor.apply(serde_json::from_str::<sinew_editor::Edit>(bend).unwrap()).unwrap();
    user.session.picking.goes_through = true;
    user.sees();
    user
}

impl User {
    /// Makes the frame that is on the screen.
    fn sees(&mut self) {
        let document = self.editor.document();
        let rig = Rig { cage: document.rig().cage.clone(), ..Rig::default() };
        let plan = Plan::bind(document.character(), &rig, &Silent).unwrap();
        let mut frame = plan.frame();
        let controls = self.session.controls(&self.editor);
        plan.run(&controls, &mut plan.scratch(), &mut frame);
        self.session.cage_frame = Some(Arc::new(frame));
    }

    fn posed(&self) -> Vec<DVec3> {
        let document = self.editor.document();
        document.posed_cage(document.pose(), document.rest_cage()).unwrap()
    }

    fn rest(&self) -> Vec<DVec3> {
        let document = self.editor.document();
        match document.rest_cage().is_empty() {
            true => document.rig().cage.as_ref().unwrap().cage.points().to_vec(),
            false => document.rest_cage().to_vec(),
        }
    }

    fn at(&self, handle: u32) -> Vec2 {
        let frame = self.session.cage_frame.as_ref().unwrap();
        let places = if self.session.cage.at_rest { frame.rest_cage() } else { frame.posed_cage() };
        self.pixel(places[handle as usize].as_vec3())
    }

    /// A handle that nothing lies over.
    fn free_handle(&mut self) -> u32 {
        let num = self.posed().len() as u32;
        let is_free = |user: &mut Self, handle: u32| {
            let at = user.at(handle);
            user.moves(at);
            user.session.hovered == Some(Hit::CageHandle(handle))
        };
        let x = |user: &Self, handle: u32| user.rest()[handle as usize].x;
        (0..num).find(|&h| is_free(self, h) && x(self, h).abs() > 0.1).unwrap()
    }
}

#[test]
fn a_handle_that_is_dragged_in_the_pose_follows_the_pointer_and_is_one_step() {
    let mut user = user();
    let handle = user.free_handle();
    let (start, before) = (user.posed(), user.editor.document().clone());
    let num_steps = user.editor.history().done().len();
    let (from, to) = (user.at(handle), user.at(handle) + Vec2::new(31.0, -22.0));
    user.session.cage.mirrors = false;
    user.drag(&[from, 0.5 * (from + to), to], PLAIN);
    assert_eq!(user.session.selection.handles.iter().copied().collect::<Vec<_>>(), [handle]);
    let moved = user.posed();
    assert!(user.pixel(moved[handle as usize].as_vec3()).distance(to) < 0.5);
    for other in (0..moved.len()).filter(|&other| other != handle as usize) {
        assert!(moved[other].distance(start[other]) < 1e-9, "handle {other} stays");
    }
    assert_eq!(user.editor.document().pose(), before.pose(), "the skeleton stands as it stood");
    assert_eq!(user.editor.history().done().len(), num_steps + 1);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn a_box_chooses_control_takes_out_shift_adds_and_a_click_beside_chooses_none() {
    let mut user = user();
    let num = user.posed().len();
    // The cage is larger than the picture.
    let (from, to) = (Vec2::splat(-4000.0), Vec2::splat(5000.0));
    user.drag(&[from, 0.5 * (from + to), to], PLAIN);
    assert_eq!(user.session.selection.handles.len(), num);
    let handle = user.free_handle();
    let at = user.at(handle);
    user.drag(&[at], SHIFT);
    assert_eq!(user.session.selection.handles.len(), num - 1);
    user.drag(&[at], SHIFT);
    assert_eq!(user.session.selection.active_handle, Some(handle));
    user.drag(&[from, 0.5 * (from + to), to], CONTROL);
    assert!(user.session.selection.handles.is_empty());
    user.drag(&[at], SHIFT);
    user.drag(&[from], PLAIN);
    assert!(user.session.selection.handles.is_empty());
}

#[test]
fn numbers_move_turn_and_scale_and_escape_takes_them_back() {
    let mut user = user();
    user.session.cage.mirrors = false;
    user.session.cage.at_rest = true;
    user.sees();
    let before = user.editor.document().clone();
    let start = user.rest();
    // Two corners that differ in every axis.
    let by_sum = |&a: &usize, &b: &usize| start[a].element_sum().total_cmp(&start[b].element_sum());
    let low = (0..start.len()).min_by(by_sum).unwrap();
    let high = (0..start.len()).max_by(by_sum).unwrap();
    user.session.selection.choose_handles([low as u32, high as u32]);
    user.types("y0.25");
    assert!((user.rest()[low] - start[low]).abs_diff_eq(DVec3::new(0.0, 0.25, 0.0), 1e-12));
    user.does(Event::Key(Key::Escape));
    assert_eq!(*user.editor.document(), before);
    user.session.cage.gesture = CageGesture::Scale;
    user.types("x2");
    user.does(Event::Key(Key::Enter));
    let middle = 0.5 * (start[low] + start[high]);
    let wanted = middle + DVec3::new(2.0, 1.0, 1.0) * (start[low] - middle);
    assert!(user.rest()[low].distance(wanted) < 1e-12);
    user.editor.undo();
    user.session.cage.gesture = CageGesture::Turn;
    user.types("z180");
    user.does(Event::Key(Key::Enter));
    let flipped = 2.0 * middle - start[low];
    let turned = user.rest()[low];
    assert!(turned.truncate().distance(flipped.truncate()) < 1e-9);
    assert!((turned.z - start[low].z).abs() < 1e-9);
    user.editor.undo();
    assert!(*user.editor.document() == before);
    // Along the normals: outwards, by as much.
    user.session.cage.gesture = CageGesture::Move;
    user.types("n0.1");
    user.does(Event::Key(Key::Enter));
    let center = start.iter().sum::<DVec3>() / start.len() as f64;
    for handle in [low, high] {
        let by = user.rest()[handle] - start[handle];
        assert!((by.length() - 0.1).abs() < 1e-12 && by.dot(start[handle] - center) > 0.0);
    }
}

#[test]
fn what_happens_on_one_side_happens_on_the_other_in_a_pose_that_is_not_symmetric() {
    let mut user = user();
    let cage = user.editor.document().rig().cage.as_ref().unwrap().cage.clone();
    let mirrored = cage.mirrored_handles().unwrap();
    let handle = (0..cage.points().len() as u32).find(|&h| mirrored.images[h as usize] != Some(h));
    let handle = handle.unwrap();
    let image = mirrored.images[handle as usize].unwrap();
    for at_rest in [true, false] {
        user.session.cage.at_rest = at_rest;
        user.sees();
        user.session.selection.choose_handles([handle]);
        let before = if at_rest { user.rest() } else { user.posed() };
        let by = CageMove::By(DVec3::new(0.03, 0.05, -0.02));
        let edits = cage_moved(&user.session.context(&user.editor), by);
        user.editor.apply(edits[0].clone()).unwrap();
        let after = if at_rest { user.rest() } else { user.posed() };
        let [a, b] = [handle, image].map(|h| after[h as usize] - before[h as usize]);
        assert!((a.length() - b.length()).abs() < 1e-9, "{a} {b}");
        if at_rest {
            assert!((a * DVec3::new(-1.0, 1.0, 1.0)).distance(b) < 1e-12);
        }
        user.editor.undo();
    }
    // In the plane nothing leaves it.
    let own = (0..cage.points().len() as u32).find(|&h| mirrored.images[h as usize] == Some(h));
    let own = own.unwrap();
    user.session.cage.at_rest = true;
    user.session.selection.choose_handles([own]);
    let before = user.rest();
    let edits = cage_moved(&user.session.context(&user.editor), CageMove::By(DVec3::ONE));
    user.editor.apply(edits[0].clone()).unwrap();
    let by = user.rest()[own as usize] - before[own as usize];
    assert!(by.distance(DVec3::new(0.0, 1.0, 1.0)) < 1e-12);
}

#[test]
fn a_reach_takes_neighbours_along_and_less_with_the_way() {
    let mut user = user();
    user.session.cage.at_rest = true;
    user.session.cage.mirrors = false;
    user.session.cage.reach = 0.45;
    user.sees();
    user.session.selection.choose_handles([0]);
    let before = user.rest();
    let edits = cage_moved(&user.session.context(&user.editor), CageMove::By(DVec3::Y));
    user.editor.apply(edits[0].clone()).unwrap();
    let cage = user.editor.document().rig().cage.as_ref().unwrap().cage.clone();
    let distances = cage.distances([0], cage.points());
    let mut moved: Vec<(f64, f64)> = user
        .rest()
        .iter()
        .zip(&before)
        .zip(distances)
        .map(|((now, before), distance)| (distance, now.y - before.y))
        .collect();
    moved.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(moved[0], (0.0, 1.0));
    assert!(moved.windows(2).all(|pair| pair[1].1 <= pair[0].1 + 1e-12));
    assert!(moved[1].1 > 0.0 && moved.last().unwrap().1 == 0.0);
}

#[test]
fn the_cage_is_drawn_fades_away_from_the_pointer_and_the_gizmo_stands_on_what_is_chosen() {
    let mut user = user();
    let handle = user.free_handle();
    let (view, frame) = (user.session.view, user.session.cage_frame.clone().unwrap());
    let side = SideShown { view, frame: Some(&frame), at_rest: false };
    let overlay = |user: &User| user.session.overlay(&side, &user.editor);
    let opacity = |user: &User| overlay(user).discs[handle as usize].color[3];
    let at = user.at(handle);
    user.moves(at);
    let near = opacity(&user);
    user.moves(Vec2::new(1279.0, 1.0));
    assert!(opacity(&user) < 0.8 * near, "{} {near}", opacity(&user));
    let without = overlay(&user).lines.len();
    user.session.selection.choose_handles([handle]);
    // Three axes and the normal.
    assert_eq!(overlay(&user).lines.len(), without + 4);
    assert_eq!(user.session.marks(&user.editor), Default::default(), "no picture is drawn again");
}

#[test]
fn at_rest_the_character_is_shown_at_rest_and_its_pose_stays() {
    let mut user = user();
    user.session.cage.at_rest = true;
    let rest = sinew::skeleton::Pose::rest(&user.editor.document().character().skeleton);
    assert_eq!(user.session.controls(&user.editor).pose, rest);
    assert_ne!(**user.editor.document().pose(), rest);
    // Another tool shows the pose again.
    user.session.take_tool(Box::new(sinew_editor::tool::RotateTool::default()), &mut user.editor);
    assert_ne!(user.session.controls(&user.editor).pose, rest);
    user.editor.apply(PoseEdit::ResetPose { joints: Vec::new() }).unwrap();
}
