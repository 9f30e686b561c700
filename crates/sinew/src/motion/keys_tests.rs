use glam::DQuat;

use super::*;

fn key(seconds: f64, value: f64, span: Span) -> Key<f64> {
    Key::new(seconds, value, span)
}

fn at(curve: &KeyCurve<f64>, seconds: f64) -> f64 {
    curve.value_at(seconds, &mut 0).unwrap()
}

#[test]
fn keys_are_put_in_order_and_of_two_at_one_time_the_later_given_stays() {
    let keys = vec![
        key(2.0, 5.0, Span::Linear),
        key(0.0, 1.0, Span::Linear),
        key(2.0, 3.0, Span::Linear),
        key(f64::NAN, 9.0, Span::Linear),
    ];
    let curve = KeyCurve::new(keys);
    let pairs: Vec<(f64, f64)> = curve.keys().iter().map(|key| (key.seconds, key.value)).collect();
    assert_eq!(pairs, [(0.0, 1.0), (2.0, 3.0)]);
    assert_eq!((at(&curve, -1.0), at(&curve, 1.0), at(&curve, 9.0)), (1.0, 2.0, 3.0));
}

#[test]
fn any_cursor_gives_the_value_that_a_fresh_one_does() {
    let spans = [Span::Linear, Span::Step, Span::Cubic, Span::Bezier];
    let keys =
        (0..20).map(|k| key(0.37 * f64::from(k), f64::from(k * k % 7), spans[k as usize % 4]));
    let curve = KeyCurve::new(keys.collect()).settled();
    for cursor in [0, 3, 7, 19, 20, u32::MAX] {
        let mut moving = cursor;
        for step in 0..100 {
            let seconds = f64::from(step * 29 % 100) * 0.08;
            assert_eq!(curve.value_at(seconds, &mut moving), curve.value_at(seconds, &mut 0));
        }
    }
}

#[test]
fn handles_that_reach_a_third_of_a_span_make_the_cubic_one() {
    let cubic = vec![
        key(0.0, 1.0, Span::Cubic).with_slopes(0.0, 4.0),
        key(2.0, -1.0, Span::Cubic).with_slopes(3.0, 0.0),
    ];
    let bezier: Vec<_> = cubic.iter().map(|key| Key { span: Span::Bezier, ..*key }).collect();
    let (cubic, bezier) = (KeyCurve::new(cubic), KeyCurve::new(bezier));
    for step in 0..=20 {
        let seconds = 0.1 * f64::from(step);
        assert!((at(&cubic, seconds) - at(&bezier, seconds)).abs() < 1e-12, "{seconds}");
    }
}

#[test]
fn a_bezier_span_meets_its_own_points_at_their_times() {
    // The curve's points by de Casteljau, at times that its handles bend.
    let (reach_out, reach_in, d) = (0.9, 0.75, 2.0);
    let mut from = key(1.0, 0.5, Span::Bezier).with_slopes(0.0, -2.0);
    let mut to = key(3.0, 4.0, Span::Bezier).with_slopes(1.5, 0.0);
    from.outgoing.reach = reach_out;
    to.incoming.reach = reach_in;
    let curve = KeyCurve::new(vec![from, to]);
    let points = [
        (0.0, 0.5),
        (reach_out, 0.5 - 2.0 * reach_out * d),
        (1.0 - reach_in, 4.0 - 1.5 * reach_in * d),
        (1.0, 4.0),
    ];
    for step in 0..=50 {
        let u = f64::from(step) / 50.0;
        let mut row: Vec<(f64, f64)> = points.to_vec();
        while row.len() > 1 {
            row = row
                .windows(2)
                .map(|w| (w[0].0 + (w[1].0 - w[0].0) * u, w[0].1 + (w[1].1 - w[0].1) * u))
                .collect();
        }
        let (time, value) = row[0];
        assert!((at(&curve, 1.0 + d * time) - value).abs() < 1e-7, "{u}");
    }
}

#[test]
fn a_cycle_begins_again_and_one_with_offset_goes_on() {
    let keys = || vec![key(1.0, 10.0, Span::Linear), key(3.0, 14.0, Span::Linear)];
    let again = KeyCurve::new(keys()).with_outside(Outside::Cycle, Outside::Cycle);
    assert_eq!((at(&again, 3.5), at(&again, 8.0), at(&again, 0.5)), (11.0, 12.0, 13.0));
    let both = Outside::CycleWithOffset;
    let on = KeyCurve::new(keys()).with_outside(both, both);
    for seconds in [-7.25, 0.5, 2.0, 3.5, 11.0, 40.75] {
        assert!((at(&on, seconds) - (10.0 + 2.0 * (seconds - 1.0))).abs() < 1e-9, "{seconds}");
    }
}

#[test]
fn a_rotation_that_cycles_with_offset_turns_on() {
    let turn = |degrees: f64| DQuat::from_rotation_x(degrees.to_radians());
    let keys =
        vec![Key::new(0.0, turn(0.0), Span::Linear), Key::new(1.0, turn(50.0), Span::Linear)];
    let curve = KeyCurve::new(keys).with_outside(Outside::Hold, Outside::CycleWithOffset);
    let found = curve.value_at(3.5, &mut 0).unwrap();
    assert!(found.distance(turn(175.0)) < 1e-9);
}

#[test]
fn automatic_slopes_are_level_at_the_highest_key_and_never_pass_a_neighbour() {
    let values = [0.0, 1.0, 1.1, 5.0, 2.0, 2.0, 3.0];
    let keys = values.iter().enumerate().map(|(k, v)| key(k as f64 * 0.7, *v, Span::Cubic));
    let curve = KeyCurve::new(keys.collect()).settled();
    assert_eq!(curve.keys()[3].outgoing.slope, 0.0);
    for (k, pair) in values.windows(2).enumerate() {
        for step in 0..=10 {
            let x = at(&curve, 0.7 * (k as f64 + 0.1 * f64::from(step)).min(values.len() as f64));
            let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
            assert!(x >= low - 1e-9 && x <= high + 1e-9, "{k}: {x}");
        }
    }
}

#[test]
fn settling_puts_rotations_on_one_side_and_changes_none_of_them() {
    let turn = |degrees: f64| DQuat::from_rotation_y(degrees.to_radians());
    let keys = vec![Key::new(0.0, turn(0.0), Span::Cubic), Key::new(1.0, -turn(40.0), Span::Cubic)];
    let curve = KeyCurve::new(keys).settled();
    assert!(curve.keys()[1].value.dot(curve.keys()[0].value) > 0.0);
    assert!(curve.value_at(0.5, &mut 0).unwrap().distance(turn(20.0)) < 1e-3);
}

#[test]
fn a_rotation_that_two_keys_hold_is_held_between_them() {
    let turn = |degrees: f64| DQuat::from_rotation_x(degrees.to_radians());
    let keys = [0.0, -70.0, -70.0, 20.0];
    let keys = keys.iter().enumerate().map(|(k, d)| Key::new(k as f64, turn(*d), Span::Cubic));
    let curve = KeyCurve::new(keys.collect()).settled();
    for step in 0..=10 {
        let found = curve.value_at(1.0 + 0.1 * f64::from(step), &mut 0).unwrap();
        assert!(found.distance(turn(-70.0)) < 1e-9, "{step}");
    }
}
