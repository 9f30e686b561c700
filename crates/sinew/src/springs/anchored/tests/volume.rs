//! What keeps a body's volume: against plain f64, and what must not move.

use glam::DVec3;

use super::*;

/// The first stage's room to give, as large as the bend allows: all around the joint.
fn with_give(mut fixture: Fixture) -> Fixture {
    for (direction, p) in fixture.stage.direction.iter_mut().zip(&fixture.rest) {
        let off_joint = (p.y - 2.5).abs();
        direction[3] = 0.5 * (1.0 - off_joint).max(0.0);
    }
    fixture
}

fn cylinder(degrees: f64) -> Fixture {
    with_give(Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(degrees)))
}

fn volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let p = |point: u32| points[point as usize].as_dvec3() - points[0].as_dvec3();
    triangles.iter().map(|t| t.map(p)).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// What the positions give in volume for each metre of swell.
fn rate(fixture: &Fixture, points: &[Vec3]) -> f64 {
    let p = |point: u32| points[point as usize].as_dvec3();
    let give = |point: u32| -> DVec3 {
        let [x, y, z, give] = fixture.stage.direction[point as usize].map(f64::from);
        give * DVec3::new(x, y, z)
    };
    let of_triangle = |&[a, b, c]: &[u32; 3]| {
        (p(b) - p(a)).cross(p(c) - p(a)).dot(give(a) + give(b) + give(c)) / 6.0
    };
    fixture.triangles.iter().map(of_triangle).sum()
}

fn solve<'a>(
    fixture: &Fixture,
    change: impl FnOnce(&mut AnchoredFrame<'a>),
) -> (Vec<Vec3>, SpringStats) {
    let plan = fixture.bind();
    let mut frame = AnchoredFrame {
        start: Start::FirstStage,
        pins: &[],
        iterations: 50,
        threshold: 0.0,
        within: None,
        edits: &[],
        growth: 1.0,
        swell: None,
    };
    change(&mut frame);
    let mut out = vec![Vec3::NAN; fixture.rest.len()];
    let mut stage = fixture.stage_in(plan.order());
    let stats = plan.solve(&frame, &mut stage, &mut plan.scratch(), &mut out);
    (out, stats)
}

#[test]
fn a_body_swells_by_what_the_formulas_say_and_has_its_volume_again() {
    let fixture = cylinder(120.0);
    let at_rest = volume(&fixture.rest, &fixture.triangles);
    let (plain, stats) = solve(&fixture, |frame| frame.swell = Some(0.0));
    assert_eq!(stats.swell, 0.0);
    let (volume_before, rate) = (volume(&plain, &fixture.triangles), rate(&fixture, &plain));
    for growth in [1.02, 1.0, 0.99, 1.5] {
        let (swollen, stats) = solve(&fixture, |frame| frame.growth = growth);
        let at_most = |a: f64, most: f64| a / (1.0 + (a / most).powi(4)).powf(0.25);
        let missing = growth * at_rest - volume_before;
        let taken = if missing < 0.0 { 0.5 * missing } else { missing };
        let taken = at_most(taken, 0.04 * at_rest);
        let least = 0.001 * at_rest;
        let swell = at_most(taken * rate / (rate * rate + least * least), 0.4);
        assert!((f64::from(stats.swell) - swell).abs() < 2e-5, "{growth}: {stats:?} {swell}");
        assert!(swell.abs() > 1e-3, "{growth}: something was to be done: {swell}");
        for ((swollen, plain), direction) in
            swollen.iter().zip(&plain).zip(&fixture.stage.direction)
        {
            let [x, y, z, give] = *direction;
            let moved = *swollen - *plain;
            assert!(moved.distance(stats.swell * give * Vec3::new(x, y, z)) < 1e-6);
        }
        let grown = volume(&swollen, &fixture.triangles) - volume_before;
        assert!(
            (grown - taken).abs() < 0.1 * taken.abs() + 1e-4 * at_rest,
            "{growth}: {grown} {taken}"
        );
    }
}

#[test]
fn what_is_held_does_not_swell_and_a_coefficient_of_nothing_leaves_all() {
    let mut fixture = cylinder(120.0);
    let pin = Pin::at(700, Vec3::new(0.5, 2.5, 0.5));
    let (held, stats) = solve(&fixture, |frame| {
        frame.pins = std::slice::from_ref(&pin);
        frame.swell = Some(0.2);
    });
    assert_eq!((held[700], stats.swell), (pin.position, 0.2));
    let (staged, stats) = solve(&fixture, |frame| frame.iterations = 0);
    assert_eq!(stats.swell, 0.0, "the first stage alone is left as it is");
    assert_eq!(staged[700], Vec3::from_slice(&fixture.stage.target[700][..3]));
    fixture.coefficients.volume = 0.0;
    assert_eq!(solve(&fixture, |_| ()).1.swell, 0.0);
}

#[test]
fn open_sheets_and_what_is_not_a_number_do_not_swell() {
    let mut fixture = cylinder(90.0);
    fixture.stage.target[300] = [f32::NAN; 4];
    // Springs hand it on, a ring an iteration; the volume would tell everyone at once.
    let (out, stats) = solve(&fixture, |frame| frame.iterations = 2);
    assert_eq!(stats.swell, 0.0);
    assert!(out.iter().filter(|p| p.is_finite()).count() > 1_000, "the others are numbers");
    let sheet =
        Fixture::new(vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE], vec![[0, 1, 2], [1, 2, 3]]);
    assert_eq!(solve(&with_give(sheet), |_| ()).1.swell, 0.0);
}
