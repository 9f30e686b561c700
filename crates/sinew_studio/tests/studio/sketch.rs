//! Strokes in the window: limbs posed with *Draw*, the skin raised with *Sketch* and pulled with
//! *Grab*, and what their panels change.

use eframe::egui::{Key, Modifiers, Pos2, vec2};
use sinew::sketch::surface::{Extent, SurfaceMethod};
use sinew_editor::SurfaceDrawing;
use sinew_studio::StudioOptions;

use crate::common::User;

/// A window in which panels of tools are whole.
fn user(tool: &str) -> User<'static> {
    let mut user = User::of_size([1300.0, 1300.0], StudioOptions::default());
    user.click(&format!("Toolbar: {tool}"));
    user
}

/// Where a joint is in the window.
fn head(user: &User<'_>, joint: &str) -> Pos2 {
    user.in_window(user.studio().bone_ends(user.joint(joint))[0])
}

fn num_strokes(user: &User<'_>) -> usize {
    user.studio().document().live_strokes().len()
}

/// A knot of a stroke in hand.
fn knot(user: &User<'_>, stroke: usize, knot: usize) -> Pos2 {
    let stroke = &user.studio().document().live_strokes()[stroke];
    user.in_window(stroke.target.knots()[knot].at.as_vec3())
}

/// An arm up, then a leg out.
fn draw_arm_and_leg(user: &mut User<'_>) {
    let from = head(user, "upper_arm_l");
    user.drag(from, from + vec2(60.0, -110.0));
    let from = head(user, "thigh_r");
    user.drag(from, from + vec2(-110.0, 80.0));
}

#[test]
fn strokes_pose_limbs_and_the_list_chooses_and_erases_them() {
    let mut user = user("Draw Tool");
    let start = user.studio().document().clone();
    draw_arm_and_leg(&mut user);
    assert_eq!(num_strokes(&user), 2);
    let pose = |user: &User<'_>, joint: &str| {
        user.studio().document().pose().joints[user.joint(joint) as usize]
    };
    let (arm, leg) = (pose(&user, "upper_arm_l"), pose(&user, "thigh_r"));
    assert!(!user.studio().chosen_joints().contains(&user.joint("upper_arm_l")));
    user.click("Stroke 1");
    assert!(user.studio().chosen_joints().contains(&user.joint("upper_arm_l")));
    let at = knot(&user, 0, 1);
    user.drag(at, at + vec2(50.0, 60.0));
    assert_ne!(pose(&user, "upper_arm_l"), arm);
    assert_eq!(pose(&user, "thigh_r"), leg, "a knot of the arm leaves the leg");
    user.press(Modifiers::COMMAND, Key::Z);
    assert_eq!(pose(&user, "upper_arm_l"), arm);
    user.click("Erase stroke 1");
    assert_eq!(pose(&user, "upper_arm_l"), start.pose().joints[user.joint("upper_arm_l") as usize]);
    assert_eq!(pose(&user, "thigh_r"), leg);
    assert!(user.has("Stroke 1") && !user.has("Stroke 2"));
    user.click("Erase stroke 1");
    assert_eq!(user.studio().document().pose(), start.pose());
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn the_panel_says_what_strokes_may_do_and_which_way_their_plane_looks() {
    let mut user = user("Draw Tool");
    for name in ["Stretch bones", "Move the limb", "End on the line", "Keep limits"] {
        user.click(name);
    }
    user.choose("Plane of strokes", "Side");
    user.click("Through the look-at point");
    let from = head(&user, "upper_arm_l");
    user.drag(from, from + vec2(70.0, -150.0));
    let stroke = user.studio().document().live_strokes()[0].clone();
    let freedom = stroke.freedom;
    assert!(freedom.stretches && freedom.moves_start && freedom.ends_there);
    assert!(stroke.limits.is_empty(), "limits are kept unless somebody says otherwise");
    assert!(stroke.plane.normal.x.abs() > 0.99, "{}", stroke.plane.normal);
    user.press(Modifiers::COMMAND, Key::Z);
    user.choose("Plane of strokes", "By hand");
    user.click("Face the view");
    user.choose("Plane of strokes", "The view");
    for name in ["Stretch bones", "Move the limb", "End on the line", "Keep limits"] {
        user.click(name);
    }
    let from = head(&user, "upper_arm_l");
    user.drag(from, from + vec2(70.0, -150.0));
    let stroke = &user.studio().document().live_strokes()[0];
    assert!(!stroke.freedom.stretches && !stroke.limits.is_empty());
    // Escape lets go of the limb.
    user.press(Modifiers::NONE, Key::Escape);
    assert!(user.studio().chosen_joints().is_empty());
}

#[test]
fn a_stroke_at_the_playhead_sets_keys_and_stays_in_the_list() {
    let mut user = user("Draw Tool");
    user.menu("Play", "New Motion");
    user.menu("Play", "Auto-Key");
    let own = user.studio().document().pose().clone();
    let from = head(&user, "upper_arm_l");
    user.drag(from, from + vec2(60.0, -110.0));
    assert_eq!(*user.studio().document().pose(), own);
    let elbow = head(&user, "forearm_l");
    assert!(user.has("Stroke 1"), "its knots are live");
    user.click("Erase stroke 1");
    assert!(!user.has("Stroke 1"));
    assert!(head(&user, "forearm_l").distance(elbow) > 10.0);
    user.press(Modifiers::COMMAND, Key::Z);
    assert!(user.has("Stroke 1"), "and undo has it back");
    assert!(head(&user, "forearm_l").distance(elbow) < 0.5);
}

fn drawing(user: &User<'_>) -> SurfaceDrawing {
    let entry = &user.studio().document().surface().entries()[0];
    entry.drawing.as_deref().cloned().expect("drawn")
}

/// A stroke of a hand that waits until it is known what is under the pen.
fn draw(user: &mut User<'_>, from: Pos2, to: Pos2) {
    user.harness.hover_at(from);
    user.settle();
    user.harness.drag_at(from);
    user.settle();
    for step in 1..=8 {
        user.harness.hover_at(from + (to - from) * (step as f32 / 8.0));
        user.harness.step();
    }
    user.harness.drop_at(to);
    user.settle();
}

/// Up the chest.
fn draw_on_chest(user: &mut User<'_>, aside: f32) {
    let [low, high] = [user.bone("spine"), user.bone("chest")];
    draw(user, low + vec2(aside, 0.0), high + vec2(aside, 0.0));
}

#[test]
fn a_stroke_on_the_skin_raises_it_and_its_panel_changes_it() {
    let mut user = user("Sketch on Skin Tool");
    let start = user.studio().document().clone();
    draw_on_chest(&mut user, 0.0);
    let stack = user.studio().document().surface().clone();
    assert_eq!(stack.entries().len(), 1);
    assert!(stack.entries()[0].moved.moved().count() > 20);
    user.click("Follow: rigid");
    assert_eq!(drawing(&user).method, SurfaceMethod::AsRigidAsPossible);
    user.click("Follow: springs");
    user.click("Scale vectors: grow");
    user.click("Region by distance");
    assert!(matches!(drawing(&user).extent, Extent::Metres(_)));
    user.click("Region by edges");
    assert!(matches!(drawing(&user).extent, Extent::Edges(_)));
    // It is drawn again, a little aside; all else stays.
    let first = drawing(&user);
    user.click("Surface edit: Redraw");
    draw_on_chest(&mut user, 12.0);
    let again = drawing(&user);
    assert_eq!(user.studio().document().surface().entries().len(), 1);
    assert!(again.stroke != first.stroke && again.offset == first.offset);
    while user.studio().document().surface().entries().len() == 1 {
        user.press(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(*user.studio().document(), start);
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn edits_of_the_stack_are_renamed_muted_mirrored_moved_and_removed() {
    let mut user = user("Sketch on Skin Tool");
    let from = user.bone("upper_arm_l");
    draw(&mut user, from - vec2(12.0, 0.0), from + vec2(12.0, 0.0));
    user.click("Name of the surface edit");
    user.press(Modifiers::COMMAND, Key::A);
    user.control("Name of the surface edit").type_text("Muscle");
    user.press(Modifiers::NONE, Key::Enter);
    let names = |user: &User<'_>| -> Vec<String> {
        let stack = user.studio().document().surface().clone();
        stack.entries().iter().map(|entry| entry.name.clone()).collect()
    };
    assert_eq!(names(&user), ["Muscle"]);
    assert!(user.has("Surface edit Muscle"));
    user.click("Let Muscle act");
    assert!(user.studio().document().surface().entries()[0].is_muted);
    user.click("Let Muscle act");
    user.click("Surface edit: Mirror");
    assert_eq!(names(&user).len(), 2);
    user.click("Surface edit: Down");
    assert_eq!(names(&user)[1], "Muscle");
    user.click("Surface edit: Bake");
    assert_eq!(names(&user).len(), 1);
    let part = &user.studio().document().character().parts[0];
    assert!(part.shapes.iter().any(|shape| shape.name == "Muscle"));
    assert_eq!(user.studio().last_failure(), None);
}

#[test]
fn the_grab_brush_pulls_the_skin_and_goes_on_in_the_same_edit() {
    let mut user = user("Grab Skin Tool");
    let start = user.studio().document().clone();
    user.click("constant");
    user.click("smooth");
    let at = user.bone("head");
    let most = |user: &User<'_>| {
        let stack = user.studio().document().surface().clone();
        let moved = stack.entries().first().map(|entry| entry.moved.clone());
        moved.map_or(0.0, |moved| moved.moved().map(|(_, by)| by.length()).fold(0.0, f32::max))
    };
    draw(&mut user, at, at + vec2(0.0, -30.0));
    let once = most(&user);
    assert!(once > 0.01, "{once}");
    draw(&mut user, at, at + vec2(0.0, -30.0));
    assert!(most(&user) > once);
    assert_eq!(user.studio().document().surface().entries().len(), 1);
    for _ in 0..2 {
        user.press(Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(*user.studio().document(), start);
}
