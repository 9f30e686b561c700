//! The brush and the hand: strokes and drags of weights, one step each.

use std::sync::mpsc::Receiver;

use sinew::glam::{DVec3, Vec2, Vec3};
use sinew::weights::SkinWeights;
use sinew::weights::paint::Brush;
use sinew_editor::Selection;
use sinew_editor::tool::{DragGesture, Event, Key, Tool, WeightDragTool, WeightPaintTool};

use crate::common::user::{PLAIN, User};
use crate::sight::{HANGS, show};

/// A user who sees the skin with a bent arm.
pub(crate) fn user(tool: impl Tool + 'static) -> (User, Receiver<()>) {
    let mut user = User::with(tool);
    user.editor
        .apply(
            serde_json::from_str::<sinew_editor::Edit>(
                r#"{"edit": "rotate-joint", "joint": "forearm_l", "axis": "z", "degrees": 70}"#,
            )
            .unwrap(),
        )
        .unwrap();
    let found = show(&mut user);
    (user, found)
}

fn weights(user: &User) -> SkinWeights {
    user.editor.document().character().parts[0].weights.clone().unwrap()
}

/// Presses, waits until it is known what is under the pointer, goes along a way, and lets go.
pub(crate) fn strokes(user: &mut User, way: &[Vec2], found: &Receiver<()>) {
    user.does(Event::Pressed { at: way[0], modifiers: PLAIN });
    while user.session.tool().is_waiting() {
        found.recv_timeout(HANGS).expect("the picker hangs");
        user.session.poll(&mut user.editor).unwrap();
    }
    for &at in &way[1..] {
        user.does(Event::Moved { at, modifiers: PLAIN });
    }
    user.does(Event::Released { at: way[way.len() - 1] });
}

/// A point of the skin in sight near the elbow, between both of its bones.
pub(crate) fn elbow_point(user: &User) -> (u32, Vec3) {
    let frame = user.session.frame.clone().unwrap();
    let posed = frame.parts()[0].points();
    let elbow = user.place("forearm_l").as_vec3();
    let eye = user.session.view.camera.eye();
    let weights = weights(user);
    let joints = ["upper_arm_l", "forearm_l"].map(|name| user.joint(name));
    let has = |point: usize| {
        let row = weights.row(point);
        joints.iter().all(|joint| row.iter().any(|i| i.joint == *joint && i.weight > 0.2))
    };
    let point = (0..posed.len())
        .filter(|&point| has(point))
        .min_by(|&a, &b| {
            // Towards the eye: nothing lies before it.
            let far = |p: usize| posed[p].distance(eye) + 0.2 * posed[p].distance(elbow);
            far(a).total_cmp(&far(b))
        })
        .unwrap();
    (point as u32, posed[point])
}

#[test]
fn a_pen_that_is_pressed_half_as_hard_paints_half_as_much() {
    let painted = |pressure: f32| {
        let (mut user, found) = user(WeightPaintTool::default());
        user.choose("upper_arm_l");
        user.session.weights.radius = 0.03;
        user.session.pressure = Some(pressure);
        let (point, place) = elbow_point(&user);
        let joint = user.joint("upper_arm_l");
        let of = |weights: &SkinWeights| {
            weights.row(point as usize).iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
        };
        let before = of(&weights(&user));
        let at = user.pixel(place);
        strokes(&mut user, &[at], &found);
        of(&weights(&user)) - before
    };
    let (whole, half) = (painted(1.0), painted(0.5));
    assert!(whole > 0.05 && (half / whole - 0.5).abs() < 0.01, "{half} of {whole}");
}

#[test]
fn a_stroke_is_one_step_and_undo_brings_the_weights_back_to_the_bit() {
    let (mut user, found) = user(WeightPaintTool::default());
    user.choose("upper_arm_l");
    user.session.weights.radius = 0.03;
    let (point, place) = elbow_point(&user);
    let (before, steps) = (weights(&user), user.editor.history().done().len());
    let at = user.pixel(place);
    strokes(&mut user, &[at, at + Vec2::new(12.0, 0.0), at + Vec2::new(24.0, 6.0)], &found);
    let after = weights(&user);
    assert_eq!(user.editor.history().done().len(), steps + 1);
    assert!(user.editor.history().done().next_back().unwrap().contains("upper_arm_l"));
    let joint = user.joint("upper_arm_l");
    let of = |weights: &SkinWeights| {
        weights.row(point as usize).iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
    };
    assert!(of(&after) > of(&before), "{} {}", of(&before), of(&after));
    assert!(after.rows().all(|row| row.len() <= 4));
    // A frame of another skin has not come yet: the tool waits for it, and paints on.
    user.editor.undo();
    assert_eq!(weights(&user), before);
}

#[test]
fn escape_takes_a_stroke_back_and_smoothing_needs_no_joint() {
    let (mut user, found) = user(WeightPaintTool::default());
    let (_, place) = elbow_point(&user);
    let before = weights(&user);
    let at = user.pixel(place);
    user.session.weights.brush = Brush::Smooth;
    user.session.weights.strength = 1.0;
    strokes(&mut user, &[at, at + Vec2::new(20.0, 0.0)], &found);
    let smoothed = weights(&user);
    assert_ne!(smoothed, before);
    let found = show(&mut user);
    user.does(Event::Pressed { at, modifiers: PLAIN });
    while user.session.tool().is_waiting() {
        found.recv_timeout(HANGS).expect("the picker hangs");
        user.session.poll(&mut user.editor).unwrap();
    }
    user.does(Event::Moved { at: at + Vec2::new(15.0, 0.0), modifiers: PLAIN });
    user.does(Event::Key(Key::Escape));
    assert_eq!(weights(&user), smoothed);
}

#[test]
fn a_dragged_point_goes_as_far_as_its_weights_reach_and_says_why_not_further() {
    let (mut user, found) = user(WeightDragTool::default());
    let (point, place) = elbow_point(&user);
    let steps = user.editor.history().done().len();
    let at = user.pixel(place);
    strokes(&mut user, &[at, at + Vec2::new(30.0, 10.0), at + Vec2::new(60.0, 20.0)], &found);
    let why = user.session.tool().why_not().cloned().unwrap();
    // What a click takes is the nearest corner of the triangle, which may be a neighbour.
    assert!(why.why.distance > 0.0 && why.goal.distance(place.as_dvec3()) < 0.5, "{point}");
    assert!(
        ["segment", "triangle", "polygon"].contains(&why.why.hull.kind()) || why.num_influences > 3
    );
    assert_eq!(user.editor.history().done().len(), steps + 1);
    let marks = user.marks();
    assert!(marks.lines.len() > 2 && marks.discs.len() >= 4, "hull, goal and dashes are drawn");
    assert!(user.session.tool().hint().contains("outside"), "{}", user.session.tool().hint());
    // The solver's own frame has the point where the drag says it is.
    show(&mut user);
    let frame = user.session.frame.clone().unwrap();
    let there: DVec3 = frame.parts()[0].points()[why.point as usize].as_dvec3();
    assert!(there.distance(why.why.reached) < 1e-5, "{there} {}", why.why.reached);
    // One click lets it have a further joint.
    if let Some(further) = why.why.further.first() {
        user.session.accept_further(further.joint, &mut user.editor).unwrap();
        show(&mut user);
        let frame = user.session.frame.clone().unwrap();
        let there: DVec3 = frame.parts()[0].points()[why.point as usize].as_dvec3();
        assert!(there.distance(why.goal) < why.why.distance);
    }
}

#[test]
fn a_click_chooses_a_point_and_hovering_shows_its_hull() {
    let (mut user, found) = user(WeightDragTool::default());
    let (_, place) = elbow_point(&user);
    let before = weights(&user);
    let steps = user.editor.history().done().len();
    let at = user.pixel(place);
    strokes(&mut user, &[at], &found);
    assert_eq!(user.session.selection.num_points(), 1);
    assert_eq!(user.editor.history().done().len(), steps);
    assert_eq!(weights(&user), before);
    user.does(Event::Moved { at, modifiers: PLAIN });
    assert!(user.session.tool().hint().contains("can move within"));
    assert!(!user.marks().lines.is_empty());
}

/// Points of the bent elbow that both of its bones move, chosen.
fn choose_elbow(user: &mut User) -> Vec<u32> {
    let weights = weights(user);
    let joints = ["upper_arm_l", "forearm_l"].map(|name| user.joint(name));
    let has = |point: &u32| {
        let row = weights.row(*point as usize);
        joints.iter().all(|joint| row.iter().any(|i| i.joint == *joint && i.weight > 0.1))
    };
    let chosen: Vec<u32> = (0..weights.num_points() as u32).filter(has).collect();
    assert!(chosen.len() > 10, "{}", chosen.len());
    user.session.selection = Selection::of_points(chosen.iter().map(|&point| (0, point)));
    chosen
}

fn places(user: &mut User) -> Vec<DVec3> {
    show(user);
    let frame = user.session.frame.clone().unwrap();
    frame.parts()[0].points().iter().map(|place| place.as_dvec3()).collect()
}

#[test]
fn chosen_points_are_scaled_and_turned_by_numbers_and_go_as_far_as_they_reach() {
    let spread = |places: &[DVec3], chosen: &[u32]| -> f64 {
        let of = |point: &u32| places[*point as usize];
        let middle = chosen.iter().map(of).sum::<DVec3>() / chosen.len() as f64;
        chosen.iter().map(|point| of(point).distance(middle)).sum()
    };
    for (gesture, number, label) in
        [(DragGesture::Scale, "0.6", "Scale"), (DragGesture::Turn, "25", "Turn")]
    {
        let (mut user, _found) = user(WeightDragTool::default());
        let chosen = choose_elbow(&mut user);
        user.session.weights.gesture = gesture;
        let before = places(&mut user);
        let start = weights(&user);
        let steps = user.steps().len();
        user.does(Event::Grabbed { at: Vec2::new(300.0, 300.0) });
        user.types(number);
        assert!(user.session.tool().hint().contains(number), "{}", user.session.tool().hint());
        user.key(Key::Enter);
        assert_eq!(user.steps().len(), steps + 1);
        assert!(user.steps()[steps].starts_with(label), "{:?}", user.steps());
        let changed = start.changed_rows(&weights(&user)).unwrap();
        assert!(!changed.is_empty() && changed.iter().all(|point| chosen.contains(point)));
        let after = places(&mut user);
        if gesture == DragGesture::Scale {
            assert!(spread(&after, &chosen) < spread(&before, &chosen));
        }
        // Taken back, it never was; a click with nothing typed keeps what the pointer says.
        user.editor.undo();
        places(&mut user);
        user.does(Event::Grabbed { at: Vec2::new(300.0, 300.0) });
        user.types(number);
        user.key(Key::Escape);
        assert_eq!(weights(&user), start);
        assert_eq!(user.steps().len(), steps);
    }
}

#[test]
fn an_axis_waits_for_a_number_and_moves_the_chosen_points_by_it() {
    let (mut user, _found) = user(WeightDragTool::default());
    let chosen = choose_elbow(&mut user);
    let before = places(&mut user);
    user.key(Key::Char('y'));
    user.types("0.02");
    user.key(Key::Enter);
    let after = places(&mut user);
    let up = |point: &u32| after[*point as usize].y - before[*point as usize].y;
    let mean = chosen.iter().map(up).sum::<f64>() / chosen.len() as f64;
    assert!(mean > 1e-4 && mean < 0.02 + 1e-6, "{mean}");
}

#[test]
fn the_pull_brush_takes_what_is_under_it_and_less_towards_its_rim() {
    let (mut user, found) = user(WeightDragTool::default());
    user.session.weights.gesture = DragGesture::Pull;
    user.session.weights.radius = 0.05;
    let (_, place) = elbow_point(&user);
    let at = user.pixel(place);
    let start = weights(&user);
    strokes(&mut user, &[at, at + Vec2::new(12.0, -6.0), at + Vec2::new(24.0, -12.0)], &found);
    let why = user.session.tool().why_not().cloned().unwrap();
    let changed = start.changed_rows(&weights(&user)).unwrap();
    assert!(changed.len() > 3, "{changed:?}");
    let frame = user.session.frame.clone().unwrap();
    let posed = frame.parts()[0].points();
    let taken = posed[why.point as usize];
    assert!(changed.iter().all(|&point| posed[point as usize].distance(taken) < 0.051));
    assert!(user.steps().last().unwrap().starts_with("Pull"), "{:?}", user.steps());
}

#[test]
fn beyond_its_hull_a_helper_brings_a_point_nearer_and_a_corrective_all_of_the_way() {
    let (mut user, found) = user(WeightDragTool::default());
    let (_, place) = elbow_point(&user);
    let at = user.pixel(place);
    strokes(&mut user, &[at, at + Vec2::new(30.0, 10.0), at + Vec2::new(60.0, 20.0)], &found);
    let why = user.session.tool().why_not().cloned().unwrap();
    assert!(why.why.distance > 1e-3);
    for further in &why.why.further {
        assert!(further.num_influences <= 4 && further.distance < why.why.distance);
        assert!(further.over_budget.is_none_or(|over| over < further.distance));
    }
    places(&mut user);
    let ways = user.session.ways_out(&user.editor);
    let start = user.editor.document().clone();
    let way = ways.corrective.unwrap();
    user.session.apply(None, vec![way.edit], &mut user.editor).unwrap();
    let there = places(&mut user)[why.point as usize];
    assert!(there.distance(why.goal) < 1e-4, "{there} {}", why.goal);
    assert!(way.num_points > 1, "not a spike");
    user.editor.undo();
    assert_eq!(*user.editor.document(), start);
    if let Some(way) = ways.helper {
        assert!(way.distance < why.why.distance && way.num_points > 0);
        user.session.apply(Some("Helper"), way.edits, &mut user.editor).unwrap();
        let there = places(&mut user)[why.point as usize];
        assert!((there.distance(why.goal) - way.distance).abs() < 1e-4, "{}", way.distance);
        let joints = start.character().skeleton.len();
        assert_eq!(user.editor.document().character().skeleton.len(), joints + 1);
        user.editor.undo();
        assert_eq!(*user.editor.document(), start);
    }
}
