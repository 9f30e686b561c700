//! Ramer–Douglas–Peucker: the fewest of the samples whose polyline stays within a tolerance of all
//! of them.

use glam::DVec3;

/// Which samples are kept: the first, the last, and between them whatever is farther than
/// `tolerance` from the line without it.
pub fn simplify(samples: &[DVec3], tolerance: f64) -> Vec<usize> {
    let Some(last) = samples.len().checked_sub(1) else { return Vec::new() };
    let mut is_kept = vec![false; samples.len()];
    is_kept[0] = true;
    is_kept[last] = true;
    // A list in the place of recursion: a long stroke must not run out of stack.
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let farthest = (from + 1..to)
            .map(|index| (index, distance_to_line(samples[index], samples[from], samples[to])))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((index, distance)) = farthest
            && distance > tolerance
        {
            is_kept[index] = true;
            open.push((from, index));
            open.push((index, to));
        }
    }
    (0..samples.len()).filter(|&index| is_kept[index]).collect()
}

fn distance_to_line(point: DVec3, from: DVec3, to: DVec3) -> f64 {
    let along = to - from;
    let squared = along.length_squared();
    let share =
        if squared > 0.0 { ((point - from).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(from + share * along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rounding of distances between points of size one.
    const ROUNDING: f64 = 1e-12;

    #[test]
    fn a_line_keeps_its_ends_and_a_bend_its_corner() {
        let line: Vec<DVec3> = (0..10).map(|i| DVec3::X * f64::from(i)).collect();
        assert_eq!(simplify(&line, 0.01), [0, 9]);
        let mut bend = line;
        bend.extend((1..10).map(|i| DVec3::new(9.0, f64::from(i), 0.0)));
        assert_eq!(simplify(&bend, 0.01), [0, 9, 18]);
        assert_eq!(simplify(&[], 1.0), Vec::<usize>::new());
        assert_eq!(simplify(&[DVec3::X], 1.0), [0]);
    }

    #[test]
    fn a_loop_that_ends_where_it_began_keeps_its_far_side() {
        let square = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y, DVec3::ZERO];
        assert_eq!(simplify(&square, 0.1), [0, 1, 2, 3, 4]);
    }

    proptest! {
        #[test]
        fn every_sample_is_within_the_tolerance_of_what_is_kept(
            places in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64), 2..60),
            tolerance in 0.0..1.0f64,
        ) {
            let samples: Vec<DVec3> = places.into_iter().map(DVec3::from).collect();
            let kept = simplify(&samples, tolerance);
            for pair in kept.windows(2) {
                for &sample in &samples[pair[0]..=pair[1]] {
                    let off = distance_to_line(sample, samples[pair[0]], samples[pair[1]]);
                    prop_assert!(off <= tolerance + ROUNDING);
                }
            }
        }
    }
}
