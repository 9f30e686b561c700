//! Lag, overshoot, settling, energy at rest, jumps, frame rates and threads, over both models with
//! forces; regions and edits.

use glam::{DQuat, Vec3};

use super::*;
use crate::character::Character;
use crate::mesh::Adjacency;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::Pose;
use crate::springs::test_rig::largest_distance;
use crate::springs::{Pin, Region, ScaleEdit, SpringInput, SpringModel, SpringSettings};

const FRAME: f32 = 1.0 / 30.0;

/// Metres, between where motion ends and the static model after many iterations: f32 roundings of
/// both, four metres out.
const SETTLED: f64 = 2e-4;

struct Fixture {
    character: Character,
    rig: SpringRig,
}

impl Fixture {
    fn new(kind: SampleKind, points: usize, model: SpringModel) -> Self {
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = build(&options).unwrap();
        let settings = SpringSettings::new(model);
        let rig = SpringRig::bind(&SpringInput::of(&character, 0), &settings, &Silent).unwrap();
        Self { character, rig }
    }

    fn cylinder() -> Self {
        Self::new(SampleKind::Cylinder, 400, SpringModel::Anchored)
    }

    /// Joint 1 bent about x, degrees.
    fn bent(&self, degrees: f64) -> Palette {
        let mut pose = Pose::rest(&self.character.skeleton);
        pose.joints[1].swing = DQuat::from_rotation_x(degrees.to_radians());
        Palette::new(&self.character.skeleton, &pose)
    }

    fn dynamics(&self, damping_ratio: f32) -> SpringDynamics {
        // Poses jump here: what the integrator makes of that is seen without a bound on the lag.
        let most_lag = *DynamicsSettings::LAGS.end();
        let settings = DynamicsSettings { damping_ratio, most_lag, ..Default::default() };
        SpringDynamics::bind(&self.rig, &settings).unwrap()
    }

    fn rest(&self) -> &[Vec3] {
        self.character.parts[0].mesh.points()
    }

    fn adjacency(&self) -> Adjacency {
        Adjacency::of(&self.character.parts[0].mesh)
    }

    /// The point furthest from the root's bone: the tip that swings most.
    fn tip(&self) -> usize {
        let rest = self.rest();
        (0..rest.len()).max_by(|&a, &b| rest[a].y.total_cmp(&rest[b].y)).unwrap()
    }

    fn out(&self) -> Vec<Vec3> {
        vec![Vec3::ZERO; self.rig.num_points()]
    }

    fn solved(&self, frame: &SpringFrame<'_>) -> Vec<Vec3> {
        let mut out = self.out();
        self.rig.deform(frame, &mut self.rig.scratch(), &mut out);
        for _ in 0..10 {
            let previous = out.clone();
            let frame = SpringFrame { start: Start::Previous(&previous), ..*frame };
            self.rig.deform(&frame, &mut self.rig.scratch(), &mut out);
        }
        out
    }
}

#[test]
fn models_without_forces_have_no_motion() {
    for model in SpringModel::ALL {
        let fixture = Fixture::new(SampleKind::Cylinder, 400, model);
        let bound = SpringDynamics::bind(&fixture.rig, &DynamicsSettings::default());
        let expected = (!model.has_forces()).then_some(DynamicsError::NoForces);
        assert_eq!(bound.err(), expected, "{model:?}");
    }
}

#[test]
fn it_settles_to_the_static_answer() {
    for model in SpringModel::ALL.into_iter().filter(|model| model.has_forces()) {
        let fixture = Fixture::new(SampleKind::Cylinder, 400, model);
        let dynamics = fixture.dynamics(0.7);
        let mut motion = dynamics.start(&fixture.rig, &fixture.bent(0.0));
        let palette = fixture.bent(40.0);
        let frame = SpringFrame::new(&palette);
        let mut out = fixture.out();
        for _ in 0..400 {
            dynamics.step(&fixture.rig, &frame, FRAME, &mut motion, &mut out);
        }
        // The static model from there: an equilibrium is where nothing happens.
        let frame = SpringFrame { start: Start::Previous(&out), ..frame };
        let held = fixture.solved(&frame);
        let off = largest_distance(&held, &out);
        assert!(
            off < SETTLED * if model == SpringModel::Paper { 10.0 } else { 1.0 },
            "{model:?}: {off}"
        );
        if model == SpringModel::Anchored {
            let off = largest_distance(&fixture.solved(&SpringFrame::new(&palette)), &out);
            assert!(off < SETTLED, "from scratch: {off}");
        }
    }
}

#[test]
fn the_tip_lags_when_the_skeleton_starts_and_overshoots_when_it_stops() {
    for model in SpringModel::ALL.into_iter().filter(|model| model.has_forces()) {
        let fixture = Fixture::new(SampleKind::Cylinder, 400, model);
        let dynamics = fixture.dynamics(0.1);
        let tip = fixture.tip();
        let mut motion = dynamics.start(&fixture.rig, &fixture.bent(0.0));
        let mut out = fixture.out();
        let still = fixture.solved(&SpringFrame::new(&fixture.bent(5.0)))[tip];
        let sign = still.z.signum();
        dynamics.step(
            &fixture.rig,
            &SpringFrame::new(&fixture.bent(5.0)),
            FRAME,
            &mut motion,
            &mut out,
        );
        assert!(
            sign * out[tip].z < 0.7 * sign * still.z,
            "{model:?} lag: {} {}",
            out[tip].z,
            still.z
        );
        for degrees in 2..=12 {
            let palette = fixture.bent(5.0 * f64::from(degrees));
            dynamics.step(&fixture.rig, &SpringFrame::new(&palette), FRAME, &mut motion, &mut out);
        }
        let palette = fixture.bent(60.0);
        let still = fixture.solved(&SpringFrame::new(&palette))[tip];
        let mut furthest = f32::MIN;
        for _ in 0..30 {
            dynamics.step(&fixture.rig, &SpringFrame::new(&palette), FRAME, &mut motion, &mut out);
            furthest = furthest.max(sign * out[tip].z);
        }
        assert!(furthest > sign * still.z + 0.02, "{model:?} overshoot: {furthest} {}", still.z);
    }
}

#[test]
fn what_stands_still_stays_and_a_disturbance_dies_out() {
    let fixture = Fixture::cylinder();
    let dynamics = fixture.dynamics(0.2);
    let palette = fixture.bent(70.0);
    let frame = SpringFrame::new(&palette);
    let mut motion = dynamics.start(&fixture.rig, &palette);
    let start: Vec<Vec3> = motion.positions(&fixture.rig).collect();
    let mut out = fixture.out();
    for _ in 0..60 {
        dynamics.step(&fixture.rig, &frame, FRAME, &mut motion, &mut out);
        assert!(largest_distance(&out, &start) < SETTLED);
    }
    for (row, velocity) in motion.state.velocities.iter_mut().enumerate() {
        *velocity += glam::Vec3A::new((row as f32).sin(), (row as f32 * 2.3).cos(), 0.5);
    }
    let speed = |motion: &SpringMotion| {
        motion.state.velocities.iter().map(|v| f64::from(v.length_squared())).sum::<f64>()
    };
    let first = speed(&motion);
    let mut speeds = Vec::new();
    for _ in 0..120 {
        dynamics.step(&fixture.rig, &frame, FRAME, &mut motion, &mut out);
        speeds.push(speed(&motion));
    }
    assert!(speeds.iter().all(|&speed| speed < first), "{first} {speeds:?}");
    assert!(speeds[119] < 1e-3 * first, "{first} {}", speeds[119]);
}

#[test]
fn a_jump_of_half_a_turn_stays_finite_and_settles() {
    for model in SpringModel::ALL.into_iter().filter(|model| model.has_forces()) {
        let fixture = Fixture::new(SampleKind::Cylinder, 400, model);
        let dynamics = fixture.dynamics(0.3);
        let mut motion = dynamics.start(&fixture.rig, &fixture.bent(0.0));
        let mut out = fixture.out();
        for degrees in [0.0, 180.0, -180.0, 0.0, 180.0, 0.0] {
            let palette = fixture.bent(degrees);
            for _ in 0..3 {
                dynamics.step(
                    &fixture.rig,
                    &SpringFrame::new(&palette),
                    FRAME,
                    &mut motion,
                    &mut out,
                );
                assert!(out.iter().all(|p| p.is_finite() && p.length() < 20.0), "{model:?}");
            }
        }
        if model == SpringModel::Anchored {
            let palette = fixture.bent(0.0);
            for _ in 0..300 {
                dynamics.step(
                    &fixture.rig,
                    &SpringFrame::new(&palette),
                    FRAME,
                    &mut motion,
                    &mut out,
                );
            }
            assert!(largest_distance(&out, fixture.rest()) < SETTLED);
        }
    }
}

#[test]
fn thirty_and_sixty_frames_a_second_give_nearly_the_same_motion() {
    let fixture = Fixture::cylinder();
    let dynamics = fixture.dynamics(0.2);
    let shapes = [30, 60].map(|per_second| {
        let mut motion = dynamics.start(&fixture.rig, &fixture.bent(0.0));
        let mut out = fixture.out();
        for frame in 1..=per_second / 2 {
            // Eases in and out: both rates see the same speeds.
            let t = f64::from(frame) / f64::from(per_second) * 2.0;
            let palette = fixture.bent(60.0 * t * t * (3.0 - 2.0 * t));
            let seconds = 1.0 / per_second as f32;
            dynamics.step(
                &fixture.rig,
                &SpringFrame::new(&palette),
                seconds,
                &mut motion,
                &mut out,
            );
        }
        out
    });
    // Of a tip that has swung two metres: the chords of frames differ.
    let off = largest_distance(&shapes[0], &shapes[1]);
    assert!(off < 0.05, "{off}");
}

#[test]
fn the_bits_are_the_same_with_any_number_of_threads() {
    let fixture = Fixture::new(SampleKind::Cylinder, 13_000, SpringModel::Anchored);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let dynamics = fixture.dynamics(0.2);
            let mut motion = dynamics.start(&fixture.rig, &fixture.bent(0.0));
            let mut out = fixture.out();
            for frame in 1..=3 {
                let palette = fixture.bent(20.0 * f64::from(frame));
                dynamics.step(
                    &fixture.rig,
                    &SpringFrame::new(&palette),
                    FRAME,
                    &mut motion,
                    &mut out,
                );
            }
            out
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(3));
}

#[test]
fn pins_and_regions_hold_in_every_model_and_in_motion() {
    for model in SpringModel::ALL {
        let fixture = Fixture::new(SampleKind::Cylinder, 400, model);
        let palette = fixture.bent(30.0);
        let base = fixture.solved(&SpringFrame::new(&palette));
        let handle = 200u32;
        let region = Region::around(&fixture.adjacency(), &[handle], 3);
        let pins = [Pin::at(handle, base[200] + Vec3::splat(0.05))];
        let within = Some(Within { region: &region, base: Some(&base) });
        let frame = SpringFrame { pins: &pins, within, ..SpringFrame::new(&palette) };
        let mut shapes = vec![fixture.solved(&frame)];
        if model != SpringModel::DeltaMush {
            let dynamics = fixture.dynamics(0.3);
            let mut motion = dynamics.start(&fixture.rig, &palette);
            let mut out = fixture.out();
            for _ in 0..3 {
                dynamics.step(&fixture.rig, &frame, FRAME, &mut motion, &mut out);
            }
            shapes.push(out);
        }
        for shape in shapes {
            for (point, base) in (0..).zip(&base) {
                let free = region.is_free(point);
                assert!(free || shape[point as usize] == *base, "{model:?} {point}");
            }
            assert_eq!(shape[200], pins[0].position, "{model:?}");
            let near = region.passive()[0] as usize;
            assert!(shape[near].distance(base[near]) > 1e-4, "{model:?}");
        }
        // Without a base the first stage is held.
        let within = Some(Within { region: &region, base: None });
        let frame = SpringFrame { within, ..SpringFrame::new(&palette) };
        let mut out = fixture.out();
        fixture.rig.deform(&frame, &mut fixture.rig.scratch(), &mut out);
        let nothing = Region::around(&fixture.adjacency(), &[], 1);
        let within = Some(Within { region: &nothing, base: None });
        let mut staged = fixture.out();
        let held = SpringFrame { within, ..frame };
        fixture.rig.deform(&held, &mut fixture.rig.scratch(), &mut staged);
        for point in (0..staged.len() as u32).filter(|&p| !region.is_free(p)) {
            assert_eq!(out[point as usize], staged[point as usize], "{model:?}");
        }
    }
}

#[test]
fn a_raised_handle_lifts_its_neighbours_ends_at_the_boundary_and_goes_with_the_pose() {
    for model in SpringModel::ALL.into_iter().filter(|model| model.has_forces()) {
        let fixture = Fixture::new(SampleKind::Cylinder, 1_800, model);
        // On the side, away from the joint and the caps.
        let side = |p: &Vec3| (p.y - 3.0).abs() + (p.x - 0.5).abs();
        let rest = fixture.rest();
        let handle =
            (0..rest.len()).min_by(|&a, &b| side(&rest[a]).total_cmp(&side(&rest[b]))).unwrap();
        let edits = [ScaleEdit::of_length(handle as u32, 1.4)];
        let region = Region::around(&fixture.adjacency(), &[handle as u32], 5);
        for degrees in [0.0, 60.0] {
            let palette = fixture.bent(degrees);
            let base = fixture.solved(&SpringFrame::new(&palette));
            let within = Some(Within { region: &region, base: Some(&base) });
            let frame = SpringFrame { edits: &edits, within, ..SpringFrame::new(&palette) };
            let edited = fixture.solved(&frame);
            let lift = |ring: u32| {
                (0..rest.len())
                    .filter(|&p| region.ring(p as u32) == Some(ring))
                    .map(|p| edited[p].distance(base[p]))
                    .fold(0.0, f32::max)
            };
            // Two tenths of a metre were asked for; x is along the arm whatever the bend.
            let raised = edited[handle].x - base[handle].x;
            assert!((0.1..0.22).contains(&raised), "{model:?} {degrees}: {raised}");
            let lifts = [lift(0), lift(1), lift(2), lift(3)];
            assert!(lifts[1] > 0.01, "{model:?} {degrees}: {lifts:?}");
            assert!(lifts.is_sorted_by(|a, b| a > b), "{model:?} {degrees}: {lifts:?}");
            assert_eq!(lift(5), 0.0);
        }
    }
}

#[test]
fn an_edit_of_nothing_changes_little_and_edits_in_motion_stay_stable() {
    let fixture = Fixture::cylinder();
    let palette = fixture.bent(45.0);
    let plain = fixture.solved(&SpringFrame::new(&palette));
    let edits = [ScaleEdit::of_length(200, 1.0)];
    let frame = SpringFrame { edits: &edits, ..SpringFrame::new(&palette) };
    // The handle is stiffer, not elsewhere.
    assert!(largest_distance(&fixture.solved(&frame), &plain) < 0.05);

    let edits = [ScaleEdit::of_length(200, 1.3)];
    let frame = SpringFrame { edits: &edits, ..frame };
    let dynamics = fixture.dynamics(0.5);
    let mut motion = dynamics.start(&fixture.rig, &palette);
    let mut out = fixture.out();
    for _ in 0..300 {
        dynamics.step(&fixture.rig, &frame, FRAME, &mut motion, &mut out);
    }
    let off = largest_distance(&out, &fixture.solved(&frame));
    assert!(off < 5.0 * SETTLED, "{off}");
}
