//! Energy, lag, overshoot, settling and frequency over a convex energy; the paper's forces; and
//! nonsense.

use glam::{DVec3, Vec3};

use super::*;
use crate::sample::SampleKind;
use crate::springs::paper::PaperSprings;
use crate::springs::test_rig::{Posed, Rig, largest_distance};

const FRAME: f32 = 1.0 / 30.0;

/// Of the energy, from frame to frame: semi-implicit Euler keeps an energy that is off by hω/2 of
/// the true one.
const EULER_ENERGY: f64 = 0.06;

/// Of the first energy: positions of f32 are never nearer to rest than this.
const ROUNDING_ENERGY: f64 = 1e-9;

/// Edges that keep their vectors and anchors that keep their places: the anchored model's quadratic
/// part.
struct Anchored<'a> {
    rig: &'a Rig,
    targets: Vec<Vec3>,
    anchor: f32,
    edge: f32,
}

impl<'a> Anchored<'a> {
    fn new(rig: &'a Rig) -> Self {
        Self { rig, targets: rig.positions.clone(), anchor: 0.05, edge: 1.0 }
    }

    fn dynamics(&self, settings: &DynamicsSettings) -> Dynamics {
        let bounds: Vec<f32> = (0..self.targets.len())
            .map(|i| self.anchor + self.edge * self.rig.adjacency.ring(i).len() as f32)
            .collect();
        let restoring = vec![self.anchor; self.targets.len()];
        Dynamics::bind(&input(&bounds, &restoring, 4.0), settings)
    }

    fn energy(&self, x: &[Vec3]) -> f64 {
        let anchors: f64 = x
            .iter()
            .zip(&self.targets)
            .map(|(x, t)| {
                0.5 * f64::from(self.anchor) * x.as_dvec3().distance_squared(t.as_dvec3())
            })
            .sum();
        let edges: f64 = self
            .rig
            .adjacency
            .edges()
            .iter()
            .map(|edge| {
                let [a, b] = edge.points.map(|p| p as usize);
                let rest = self.targets[b].as_dvec3() - self.targets[a].as_dvec3();
                let now = x[b].as_dvec3() - x[a].as_dvec3();
                0.5 * f64::from(self.edge) * now.distance_squared(rest)
            })
            .sum();
        anchors + edges
    }

    fn total_energy(&self, dynamics: &Dynamics, state: &DynamicsState) -> f64 {
        let kinetic: f64 = state
            .velocities
            .iter()
            .enumerate()
            .map(|(i, v)| {
                0.5 * f64::from(mass(dynamics, i).unwrap()) * v.as_dvec3().length_squared()
            })
            .sum();
        kinetic + self.energy(&places(state))
    }
}

impl ForceField for Anchored<'_> {
    fn force(&mut self, x: &[Row], out: &mut [Row]) {
        let x = |i: usize| Vec3::from(from_row(x[i]));
        for (i, out) in out.iter_mut().enumerate() {
            let mut force = (self.targets[i] - x(i)) * self.anchor;
            for &j in self.rig.adjacency.ring(i) {
                let j = j as usize;
                force += ((x(j) - x(i)) - (self.targets[j] - self.targets[i])) * self.edge;
            }
            *out = to_row(force.into());
        }
    }
}

/// Any lag for every point of the tests' meshes.
const ANY_LAG: [f32; 1024] = [f32::INFINITY; 1024];

/// Springs that hold a point alike in all directions, and any lag.
fn input<'a>(bounds: &'a [f32], restoring: &'a [f32], extent: f32) -> DynamicsInput<'a> {
    DynamicsInput {
        stiffness_bounds: bounds,
        restoring,
        holding: restoring,
        most_lags: &ANY_LAG[..restoring.len()],
        extent,
    }
}

fn rows(points: &[Vec3]) -> Vec<Row> {
    points.iter().map(|&p| to_row(p.into())).collect()
}

fn places(state: &DynamicsState) -> Vec<Vec3> {
    state.positions.iter().map(|&p| p.into()).collect()
}

/// The mass of a point, if it has springs.
fn mass(dynamics: &Dynamics, point: usize) -> Option<f32> {
    Some(1.0 / dynamics.inverse_masses[point]).filter(|mass| mass.is_finite())
}

fn still(pins: &[Pin]) -> DynamicsFrame<'_> {
    DynamicsFrame { seconds: FRAME, carrier: [&[], &[]], pins, row_of_point: &[] }
}

/// A bumpy shape: every point pulled somewhere else.
fn ruffled(rig: &Rig) -> Vec<Vec3> {
    rig.positions
        .iter()
        .enumerate()
        .map(|(i, p)| *p + Vec3::new((i as f32 * 1.7).sin(), (i as f32 * 2.3).cos(), 0.5) * 0.1)
        .collect()
}

fn mean(points: &[Vec3]) -> DVec3 {
    points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len() as f64
}

#[test]
fn what_rests_stays_at_rest_to_the_last_bit() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let dynamics = field.dynamics(&DynamicsSettings::default());
    let mut state = dynamics.start(rig.positions.iter().copied());
    for _ in 0..100 {
        dynamics.step(&still(&[]), &mut field, &mut state);
    }
    assert_eq!(places(&state), rig.positions);
    assert_eq!(field.total_energy(&dynamics, &state), 0.0);
}

#[test]
fn energy_does_not_grow_while_nothing_moves() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    for damping_ratio in [0.0, 0.05, 0.5, 2.0] {
        let mut field = Anchored::new(&rig);
        let dynamics =
            field.dynamics(&DynamicsSettings { damping_ratio, ..DynamicsSettings::default() });
        let mut state = dynamics.start(ruffled(&rig).into_iter());
        let mut least = field.total_energy(&dynamics, &state);
        let first = least;
        for frame in 0..300 {
            dynamics.step(&still(&[]), &mut field, &mut state);
            let energy = field.total_energy(&dynamics, &state);
            let allowed = least * (1.0 + EULER_ENERGY) + ROUNDING_ENERGY * first;
            assert!(energy <= allowed, "{damping_ratio}, {frame}: {energy}");
            least = least.min(energy);
        }
        assert!(damping_ratio == 0.0 || least < 1e-3 * first, "{damping_ratio}: {least} {first}");
    }
}

/// The furthest and the last place, and the first frame's, of a skin whose skeleton jumps from 0
/// to 1.
fn jump(damping_ratio: f32) -> (f64, f64, f64) {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let dynamics =
        field.dynamics(&DynamicsSettings { damping_ratio, ..DynamicsSettings::default() });
    let mut state = dynamics.start(rig.positions.iter().copied());
    for target in &mut field.targets {
        *target += Vec3::X;
    }
    let at_rest = mean(&rig.positions).x;
    let ways: Vec<f64> = (0..600)
        .map(|_| {
            dynamics.step(&still(&[]), &mut field, &mut state);
            mean(&places(&state)).x - at_rest
        })
        .collect();
    (ways[0], ways.iter().copied().fold(0.0, f64::max), ways[599])
}

#[test]
fn skin_lags_behind_the_skeleton_and_overshoots_it() {
    let (first, furthest, last) = jump(0.2);
    assert!(first < 0.5, "lag: {first}");
    // A damped swing overshoots by e^(−πζ/√(1−ζ²)), .53 at .2.
    assert!((1.4..1.65).contains(&furthest), "overshoot: {furthest}");
    assert!((last - 1.0).abs() < 1e-4, "settled: {last}");
    let (_, furthest, last) = jump(1.5);
    assert!(furthest < 1.0 + 1e-4 && (last - 1.0).abs() < 1e-4, "no overshoot: {furthest} {last}");
}

#[test]
fn it_settles_to_the_static_answer() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    field.targets = rig.turned(70.0, 30.0).start;
    let dynamics = field.dynamics(&DynamicsSettings { damping_ratio: 0.7, ..Default::default() });
    // The static answer of this energy: its targets, which have no force.
    let mut state = dynamics.start(rig.positions.iter().copied());
    for _ in 0..600 {
        dynamics.step(&still(&[]), &mut field, &mut state);
    }
    assert!(largest_distance(&places(&state), &field.targets) < 1e-5);
    assert!(state.velocities.iter().all(|v| v.length() < 1e-4));
}

#[test]
fn a_point_swings_at_the_frequency_that_was_asked_for() {
    for (frequency_hz, restoring) in [(2.0, 1.0), (2.0, 0.01), (5.0, 7.0)] {
        let settings = DynamicsSettings {
            frequency_hz,
            damping_ratio: 0.0,
            max_substeps: 64,
            ..DynamicsSettings::default()
        };
        let dynamics = Dynamics::bind(&input(&[restoring], &[restoring], 4.0), &settings);
        let mut field = |x: &[Row], out: &mut [Row]| out[0] = x[0].map(|x| x * -restoring);
        let mut state = dynamics.start([Vec3::X].into_iter());
        let seconds = 0.001;
        let mut crossings = 0;
        for _ in 0..2000 {
            let before = state.positions[0].x;
            let frame = DynamicsFrame { seconds, ..still(&[]) };
            dynamics.step(&frame, &mut field, &mut state);
            crossings += u32::from(before * state.positions[0].x < 0.0);
        }
        // Two a swing, in two seconds.
        let expected = (4.0 * frequency_hz) as u32;
        assert!(crossings.abs_diff(expected) <= 1, "{crossings} {expected}");
    }
}

#[test]
fn steady_motion_has_no_lag_and_the_air_does_not_drag() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let dynamics = field.dynamics(&DynamicsSettings { damping_ratio: 0.7, ..Default::default() });
    let mut state = dynamics.start(rig.positions.iter().copied());
    let velocity = Vec3::X * 2.0;
    state.velocities.fill(velocity.into());
    for frame in 1..=60 {
        let before = field.targets.clone();
        let move_to = |p: &Vec3| *p + velocity * (frame as f32 * FRAME);
        let now: Vec<Vec3> = rig.positions.iter().map(move_to).collect();
        field.targets = now;
        let frame =
            DynamicsFrame { carrier: [&rows(&before), &rows(&field.targets)], ..still(&[]) };
        dynamics.step(&frame, &mut field, &mut state);
    }
    // Roundings of places up to four metres out.
    assert!(largest_distance(&places(&state), &field.targets) < 1e-4);
}

#[test]
fn frames_of_another_length_give_the_same_motion() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut shapes = Vec::new();
    for per_second in [30, 60, 120] {
        let mut field = Anchored::new(&rig);
        let dynamics = field.dynamics(&DynamicsSettings::default());
        let mut state = dynamics.start(rig.positions.iter().copied());
        for target in &mut field.targets {
            *target += Vec3::X;
        }
        for _ in 0..per_second / 2 {
            let frame = DynamicsFrame { seconds: 1.0 / per_second as f32, ..still(&[]) };
            dynamics.step(&frame, &mut field, &mut state);
        }
        shapes.push(places(&state));
    }
    assert!(largest_distance(&shapes[0], &shapes[1]) < 0.03);
    assert!(largest_distance(&shapes[0], &shapes[2]) < 0.03);
}

#[test]
fn a_poke_travels_along_the_surface() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let dynamics = field.dynamics(&DynamicsSettings::default());
    let mut state = dynamics.start(rig.positions.iter().copied());
    let point = 200u32;
    let pins = [Pin::at(point, rig.positions[200] + Vec3::Y * 0.2)];
    let near = rig.adjacency.ring(200)[0] as usize;
    let far = (0..rig.positions.len())
        .max_by_key(|&i| (rig.positions[i].distance(rig.positions[200]) * 1e4) as u32)
        .unwrap();
    let arrival =
        |state: &DynamicsState, i: usize| places(state)[i].distance(rig.positions[i]) > 1e-5;
    let (mut near_at, mut far_at) = (None, None);
    for frame in 0..60 {
        dynamics.step(&still(&pins), &mut field, &mut state);
        assert_eq!(places(&state)[200], pins[0].position);
        near_at = near_at.or(arrival(&state, near).then_some(frame));
        far_at = far_at.or(arrival(&state, far).then_some(frame));
    }
    assert_eq!(near_at, Some(0));
    assert!(far_at.is_none_or(|frame| frame > 1), "{far_at:?}");
}

#[test]
fn sub_steps_follow_the_bound_and_end_at_the_most() {
    let bind = |bound: f32, max_substeps: u32| {
        let settings = DynamicsSettings { max_substeps, ..DynamicsSettings::default() };
        Dynamics::bind(&input(&[bound], &[1.0], 1.0), &settings).num_substeps(FRAME)
    };
    assert_eq!(bind(1.0, 16), 1);
    assert!((2..16).contains(&bind(100.0, 16)));
    assert_eq!(bind(1e12, 16), 16);
    assert_eq!(bind(1e12, 5), 5);
}

#[test]
fn the_papers_forces_lag_overshoot_and_settle_where_the_paper_does() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let springs = PaperSprings::bind(&rig.input()).unwrap();
    let (bounds, restoring) = (springs.stiffness_bounds(), springs.restoring_stiffness());
    let settings = DynamicsSettings { damping_ratio: 0.1, ..DynamicsSettings::default() };
    let dynamics = Dynamics::bind(&input(&bounds, &restoring, 4.0), &settings);
    let mut state = dynamics.start(rig.positions.iter().copied());
    // The whole body hops to the side, and its second half bends a little.
    let posed = rig.turned(15.0, 0.0).then(glam::DAffine3::from_translation(DVec3::X * 0.25));
    let mut scratch = springs.scratch();
    springs.prepare(&posed.frame(), &mut scratch);
    let mut field = |x: &[Row], out: &mut [Row]| springs.forces(x, &mut scratch, out);
    let mut ways = Vec::new();
    for _ in 0..900 {
        dynamics.step(&still(&[]), &mut field, &mut state);
        assert!(state.positions.iter().all(|p| p.is_finite()));
        ways.push(mean(&places(&state)).x - mean(&rig.positions).x);
    }
    let furthest = ways.iter().copied().fold(0.0, f64::max);
    let last = ways[899];
    assert!(ways[0] < 0.5 * last, "lag: {} {last}", ways[0]);
    assert!(furthest > 1.05 * last, "overshoot: {furthest} {last}");
    // The static model from where the skin came to rest: it is an equilibrium, so nothing happens.
    let held = Posed { start: places(&state), iterations: 500, ..posed };
    let mut out = rig.positions.clone();
    let stats = springs.deform(&held.frame(), &mut springs.scratch(), &mut out);
    assert!(stats.residual < 1e-5, "{}", stats.residual);
    assert!(largest_distance(&out, &places(&state)) < 2e-3);
}

#[test]
fn nonsense_stays_finite() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let field = Anchored::new(&rig);
    let dynamics = field.dynamics(&DynamicsSettings::default());
    let forces: [fn(Vec3) -> Vec3; 5] = [
        |_| Vec3::NAN,
        |_| Vec3::INFINITY,
        |_| Vec3::splat(f32::MAX),
        // Pushes away, harder than anything pulls back.
        |x| x * 1e20,
        |x| x * -1e20,
    ];
    for force in forces {
        let mut field = |x: &[Row], out: &mut [Row]| {
            for (out, x) in out.iter_mut().zip(x) {
                *out = to_row(force(from_row(*x).into()).into());
            }
        };
        let mut start = rig.positions.clone();
        start[0] = Vec3::NAN;
        let mut state = dynamics.start(start.into_iter());
        for seconds in [FRAME, 0.0, -1.0, f32::NAN, 1e9, 1e-9].into_iter().cycle().take(600) {
            let far = vec![[1e30; 4]; rig.positions.len()];
            let near = rows(&rig.positions);
            let pins = [Pin::at(3, Vec3::NAN)];
            let frame = DynamicsFrame { seconds, carrier: [&near, &far], ..still(&pins) };
            dynamics.step(&frame, &mut field, &mut state);
            assert!(state.positions.iter().all(|p| p.is_finite()));
            assert!(state.velocities.iter().all(|v| v.is_finite()));
        }
    }
    for (bound, restoring) in
        [(0.0, 0.0), (f32::NAN, 1.0), (f32::INFINITY, 1.0), (1.0, f32::NAN), (-1.0, -1.0)]
    {
        let of = [bound, restoring];
        let input = input(&of[..1], &of[1..], f32::NAN);
        let dynamics = Dynamics::bind(&input, &DynamicsSettings::default());
        let mut state = dynamics.start([Vec3::X].into_iter());
        let mut field = |x: &[Row], out: &mut [Row]| out[0] = x[0].map(|x| -x);
        dynamics.step(&still(&[]), &mut field, &mut state);
        assert!(state.positions[0].is_finite(), "{bound} {restoring}");
    }
}

/// How far the skin is behind a skeleton that speeds up steadily, once it has settled; metres.
fn steady_lag(most_lag: f32, acceleration: f32) -> f32 {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let (bounds, restoring) = (vec![1.0; 1024], vec![1.0; 1024]);
    let num_rows = rig.positions.len();
    let lags = vec![most_lag; num_rows];
    let input = DynamicsInput {
        most_lags: &lags,
        ..input(&bounds[..num_rows], &restoring[..num_rows], 4.0)
    };
    let dynamics = Dynamics::bind(&input, &DynamicsSettings::default());
    let mut state = dynamics.start(rig.positions.iter().copied());
    (field.anchor, field.edge) = (1.0, 0.0);
    for frame in 1..=60 {
        let before = rows(&field.targets);
        let seconds = frame as f32 * FRAME;
        for (target, rest) in field.targets.iter_mut().zip(&rig.positions) {
            *target = *rest + Vec3::X * (0.5 * acceleration * seconds * seconds);
        }
        let frame = DynamicsFrame { carrier: [&before, &rows(&field.targets)], ..still(&[]) };
        dynamics.step(&frame, &mut field, &mut state);
    }
    largest_distance(&places(&state), &field.targets) as f32
}

#[test]
fn a_steady_acceleration_takes_no_point_further_than_it_may_lag() {
    let free = steady_lag(f32::INFINITY, 20.0);
    assert!(free > 0.03, "{free}");
    let held = steady_lag(0.01, 20.0);
    assert!(held < 0.01 && held > 0.003, "{held}");
    let gentle = steady_lag(0.5, 20.0);
    assert!((gentle / free - 1.0).abs() < 0.02, "far below its limit: {gentle} {free}");
}

#[test]
fn a_skeleton_that_jumps_takes_the_skin_along() {
    let rig = Rig::sample(SampleKind::Cylinder, 400);
    let mut field = Anchored::new(&rig);
    let (bounds, restoring) = (vec![1.0; 1024], vec![1.0; 1024]);
    let num_rows = rig.positions.len();
    (field.anchor, field.edge) = (1.0, 0.0);
    let furthest = |lags: &[f32], field: &mut Anchored<'_>| {
        let input = DynamicsInput {
            most_lags: lags,
            ..input(&bounds[..num_rows], &restoring[..num_rows], 4.0)
        };
        let dynamics = Dynamics::bind(&input, &DynamicsSettings::default());
        let mut state = dynamics.start(rig.positions.iter().copied());
        field.targets.clone_from(&rig.positions);
        let mut furthest = 0.0f64;
        for frame in 0..60 {
            let before = rows(&field.targets);
            if frame == 10 {
                field.targets.iter_mut().for_each(|target| *target += Vec3::new(3.0, 0.0, 3.0));
            }
            let frame = DynamicsFrame { carrier: [&before, &rows(&field.targets)], ..still(&[]) };
            dynamics.step(&frame, field, &mut state);
            furthest = furthest.max(largest_distance(&places(&state), &field.targets));
        }
        furthest
    };
    let held = furthest(&vec![0.05; num_rows], &mut field);
    assert!(held < 0.05, "{held}");
    // Without a limit it is thrown past them.
    let free = furthest(&vec![f32::INFINITY; num_rows], &mut field);
    assert!(free > 1.0, "{free}");
}
