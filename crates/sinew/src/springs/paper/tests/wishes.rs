//! Handles, kinematic points and starts: what a frame may ask for.

use super::*;
use crate::springs::{Hold, ScaleEdit};

/// A pose with two handles, one turned, and a soft pin of each kind.
pub(super) fn wished(rig: &Rig, posed: Posed) -> Posed {
    let away = |point: usize| {
        let a = rig.attachments[point].place;
        posed.bones[rig.attachments[point].joint as usize]
            .model_from_rest
            .transform_point3(a + (rig.positions[point].as_dvec3() - a) * 1.4)
            .as_vec3()
    };
    let soft = |point: usize, length, direction| Pin {
        point: point as u32,
        position: away(point) + Vec3::new(0.1, 0.05, -0.02),
        hold: Hold::Soft { length, direction },
    };
    let turned =
        ScaleEdit { direction: Some(Vec3::new(0.3, 2.0, 1.0)), ..ScaleEdit::of_length(150, 0.8) };
    Posed {
        edits: vec![ScaleEdit::of_length(100, 1.5), turned],
        pins: vec![soft(200, 10.0, 0.0), soft(250, 0.0, 10.0), soft(300, 5.0, 1e9)],
        ..posed
    }
}

#[test]
fn the_fast_form_holds_handles_and_kinematic_points_as_the_slow_one_does() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = wished(&rig, rig.turned(60.0, 0.0));
    let (fast, _) = run(&rig, &posed);
    let (slow, _) = run_reference(&rig, &posed);
    let error = largest_distance(&fast, &slow) / rig.smallest_side();
    assert!(error < FAST_AGAINST_SLOW, "{error:e}");
    // Negative control: one hundredth of one length is seen.
    let mut other = posed.clone();
    other.edits[0].length_factor *= 1.01;
    let (slow, _) = run_reference(&rig, &other);
    assert!(largest_distance(&fast, &slow) / rig.smallest_side() > FAST_AGAINST_SLOW);
}

/// One point moved along its scale vector: what reaches it of its neighbours, without and with a
/// handle there.
#[test]
fn a_handle_has_all_of_the_torque_and_a_tenth_of_the_edges() {
    // The audit: a tenth of both. The paper: "Allowing a small fraction (10%) of F_s to the
    // handles".
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut posed = rig.turned(40.0, 0.0);
    let point = 200;
    posed.start[point] += Vec3::new(0.05, 0.1, 0.0);
    let free = reference_forces(&rig, &posed, point);
    posed.edits = vec![ScaleEdit::of_length(point as u32, 1.0)];
    let handle = reference_forces(&rig, &posed, point);
    assert!(free.torque.length() > 1e-3 && free.edge.length() > 1e-3);
    assert!(handle.torque.distance(free.torque) < EXACT);
    assert!(handle.edge.distance(free.edge * 0.1) < EXACT);
    assert!(handle.length.distance(free.length) < EXACT);
}

#[test]
fn a_handle_with_a_direction_turns_there_and_its_neighbours_follow() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let springs = PaperSprings::bind(&rig.input()).unwrap();
    let posed = rig.turned(60.0, 0.0);
    let point = 120;
    let held = rig.attachments[point];
    let own = (rig.positions[point].as_dvec3() - held.place).as_vec3();
    // A quarter of a radian around the bone.
    let wished = glam::Quat::from_rotation_y(0.25) * own;
    let edits = vec![ScaleEdit {
        direction: Some(wished * 7.0),
        ..ScaleEdit::of_length(point as u32, 1.2)
    }];
    let posed = Posed { edits, ..posed };
    let mut start = rig.positions.clone();
    springs.first_stage(&posed.bones, &posed.edits, &mut start);
    let bone = &posed.bones[held.joint as usize];
    let attachment = bone.attachment(held.place, held.along);
    let expected = attachment + bone.rotation * (wished.as_dvec3() * 1.2);
    assert!(start[point].as_dvec3().distance(expected) < 1e-6, "the first stage has it");
    let (free, _) = run(&rig, &Posed { edits: Vec::new(), ..posed.clone() });
    let (out, _) = run(&rig, &Posed { start, ..posed.clone() });
    let off = |shape: &[Vec3]| {
        (shape[point].as_dvec3() - attachment).angle_between(bone.rotation * wished.as_dvec3())
    };
    assert!(off(&out) < 0.5 * off(&free), "{} of {}", off(&out), off(&free));
    let neighbour = rig.adjacency.ring(point)[0] as usize;
    assert!(out[neighbour].distance(free[neighbour]) > 1e-3);
}

#[test]
fn a_kinematic_point_is_held_by_its_length_or_its_direction_alone() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let point = 120;
    let held = rig.attachments[point];
    let own = (rig.positions[point].as_dvec3() - held.place).as_vec3();
    let place = held.place.as_vec3();
    let wish = 1.5 * (glam::Quat::from_rotation_y(0.3) * own);
    let relaxed = |length: f32, direction: f32| {
        let hold = Hold::Soft { length, direction };
        let pins = vec![Pin { hold, ..Pin::at(point as u32, place + wish) }];
        let (out, _) = run(&rig, &Posed { pins, iterations: 300, ..rig.rest() });
        let s = out[point] - place;
        ((s.length() / wish.length() - 1.0).abs(), s.angle_between(wish), out)
    };
    let (free_length, free_angle, _) = relaxed(0.0, 0.0);
    let (held_length, loose_angle, _) = relaxed(30.0, 0.0);
    let (loose_length, held_angle, _) = relaxed(0.0, 30.0);
    let (both_length, both_angle, out) = relaxed(30.0, 30.0);
    assert!(
        free_length > 0.2 && free_angle > 0.1,
        "free, it goes back: {free_length} {free_angle}"
    );
    assert!(held_length < 0.05 && loose_angle > 0.1, "{held_length} {loose_angle}");
    assert!(held_angle < 0.05 && loose_length > 0.2, "{held_angle} {loose_length}");
    assert!(both_length < 0.05 && both_angle < 0.05, "{both_length} {both_angle}");
    let neighbour = rig.adjacency.ring(point)[0] as usize;
    assert!(out[neighbour].distance(rig.positions[neighbour]) > 1e-3, "it drives its neighbours");
}

#[test]
fn no_stiffness_of_a_kinematic_point_makes_it_swing() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let hold = Hold::Soft { length: 1e30, direction: f32::INFINITY };
    let pins = vec![Pin { hold, ..Pin::at(120, rig.positions[120] * 1.3) }];
    let (out, stats) = run(&rig, &Posed { pins, iterations: 500, ..rig.rest() });
    assert!(stats.residual < 1e-3, "{stats:?}");
    assert!(out[120].distance(rig.positions[120] * 1.3) < 0.05, "{}", out[120]);
}

#[test]
fn from_the_frame_before_an_edit_that_is_dragged_takes_fewer_iterations() {
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let edited = |factor: f32| Posed {
        edits: vec![ScaleEdit::of_length(700, factor)],
        iterations: 3000,
        ..rig.turned(30.0, 0.0)
    };
    let (previous, _) = run(&rig, &edited(1.2));
    let next = Posed { threshold: 1e-4, ..edited(1.25) };
    let (from_scratch, scratch) = run(&rig, &next);
    let (from_previous, warm) = run(&rig, &Posed { start: previous, ..next.clone() });
    assert!(2 * warm.iterations < scratch.iterations, "{warm:?} {scratch:?}");
    // Not the same shape, but one that has come to rest just as well.
    assert!(largest_distance(&from_previous, &from_scratch) / rig.smallest_side() < 0.1);
    // Where a bone moved, all of its skin has to be drawn along: one degree takes 183 iterations,
    // from scratch 175.
    let turned = Posed { iterations: 3000, threshold: 1e-4, ..rig.turned(31.0, 0.0) };
    let (_, scratch) = run(&rig, &turned);
    let (_, warm) = run(&rig, &Posed { start: from_previous, ..turned.clone() });
    assert!(warm.iterations > scratch.iterations / 2, "{warm:?} {scratch:?}");
}

#[test]
fn a_longer_step_gets_as_far_in_fewer_and_one_too_long_swings() {
    let mut rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = Posed { iterations: 2000, threshold: 1e-4, ..rig.turned(40.0, 0.0) };
    let (_, published) = run(&rig, &posed);
    rig.step_seconds = 1.0 / 15.0;
    let (_, longer) = run(&rig, &posed);
    assert!(longer.iterations < published.iterations, "{longer:?} {published:?}");
    rig.step_seconds = 1.0;
    let (_, swinging) = run(&rig, &posed);
    assert_eq!(swinging.iterations, 2000, "{swinging:?}");
    for bad in [0.0, -1.0, f32::NAN, 2.0] {
        rig.step_seconds = bad;
        let error = PaperSprings::bind(&rig.input()).unwrap_err();
        assert!(error.to_string().contains("time step"), "{error}");
    }
}
