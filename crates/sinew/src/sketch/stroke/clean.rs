//! Samples as a pen gives them, made fit to be a curve.

use glam::DVec3;

/// Coordinates beyond this are no place on a screen or in a scene: squares and cubes of them must
/// stay finite.
pub(super) const FARTHEST: f64 = 1e12;

/// More samples than this are thinned: a curve of few knots needs no more, and a fit must end while
/// the pen still moves.
pub const MOST_SAMPLES: usize = 1024;

pub(super) fn is_usable(at: DVec3) -> bool {
    at.is_finite() && at.abs().max_element() <= FARTHEST
}

/// What of the samples can be used: those that are finite, and none nearer than `least_step` to the
/// one before. Where the pen ended is kept exactly. At most [`MOST_SAMPLES`] are left, spread
/// evenly along the way.
pub fn clean(samples: &[DVec3], least_step: f64) -> Vec<DVec3> {
    let least_step = if least_step.is_finite() { least_step.max(0.0) } else { 0.0 };
    let mut kept: Vec<DVec3> = Vec::with_capacity(samples.len());
    let mut end = None;
    for &at in samples.iter().filter(|&&at| is_usable(at)) {
        end = Some(at);
        if kept.last().is_none_or(|&last| is_apart(last, at, least_step)) {
            kept.push(at);
        }
    }
    // The end takes the place of the last one that was kept, unless that is also the start.
    if let (Some(end), Some(&last)) = (end, kept.last())
        && end != last
    {
        if kept.len() > 1 {
            kept.pop();
        }
        if kept.last().is_none_or(|&last| is_apart(last, end, 0.0)) {
            kept.push(end);
        }
    }
    if kept.len() > MOST_SAMPLES { thinned(&kept) } else { kept }
}

/// Exactly equal points are never apart, however small the least step.
fn is_apart(a: DVec3, b: DVec3, least_step: f64) -> bool {
    let distance = a.distance(b);
    distance > 0.0 && distance >= least_step
}

/// Evenly along the way: a hand that rests leaves many samples in one place.
fn thinned(samples: &[DVec3]) -> Vec<DVec3> {
    let total: f64 = samples.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let step = total / (MOST_SAMPLES - 1) as f64;
    let mut kept = vec![samples[0]];
    let mut walked = 0.0;
    let last = samples.len() - 1;
    for (index, pair) in samples.windows(2).enumerate() {
        walked += pair[0].distance(pair[1]);
        let is_due = walked >= step * kept.len() as f64;
        if (is_due && kept.len() < MOST_SAMPLES - 1) || index + 1 == last {
            kept.push(pair[1]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_and_what_is_twice_there_is_dropped() {
        let nan = DVec3::splat(f64::NAN);
        let far = DVec3::X * 1e300;
        let samples = [nan, DVec3::ZERO, DVec3::ZERO, far, DVec3::X, nan, DVec3::X];
        assert_eq!(clean(&samples, 0.5), [DVec3::ZERO, DVec3::X]);
        assert_eq!(clean(&[nan, far], 0.5), []);
    }

    #[test]
    fn a_hand_that_trembles_in_one_place_leaves_one_point_or_its_end() {
        let tremble = [DVec3::ZERO, DVec3::X * 0.1, DVec3::Y * 0.1, DVec3::ZERO];
        assert_eq!(clean(&tremble, 1.0), [DVec3::ZERO]);
        // What is short is still a stroke: it may be all that somebody wanted to draw.
        assert_eq!(clean(&tremble[..3], 1.0), [DVec3::ZERO, DVec3::Y * 0.1]);
    }

    #[test]
    fn where_the_pen_ended_is_kept_exactly() {
        let samples: Vec<DVec3> = (0..=25).map(|i| DVec3::X * f64::from(i) * 0.1).collect();
        let kept = clean(&samples, 1.0);
        assert_eq!(kept, [samples[0], samples[10], samples[25]]);
    }

    #[test]
    fn too_many_samples_are_thinned_evenly() {
        let mut samples = vec![DVec3::ZERO; 1];
        // Half of them crawl, half run.
        samples.extend((1..5000).map(|i| DVec3::X * f64::from(i) * 1e-4));
        samples.extend((1..=5000).map(|i| DVec3::X * (0.5 + f64::from(i) * 1e-3)));
        let kept = clean(&samples, 0.0);
        assert!(kept.len() <= MOST_SAMPLES && kept.len() > MOST_SAMPLES / 2, "{}", kept.len());
        assert_eq!((kept[0], kept[kept.len() - 1]), (samples[0], samples[samples.len() - 1]));
        let widest = kept.windows(2).map(|pair| pair[0].distance(pair[1])).fold(0.0, f64::max);
        let even = 5.5 / (MOST_SAMPLES - 1) as f64;
        assert!(widest < 2.0 * even, "{widest} over {even}");
    }
}
