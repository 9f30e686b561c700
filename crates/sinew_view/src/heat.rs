//! Heat maps: a number a welded point, shown by colour, with the legend that says what the colour
//! means.
//!
//! **Weights** run from a dark neutral over magenta to a warm yellow: lightness grows evenly, so
//! that the map also reads in grey and to eyes that see fewer hues. **Stretch** (an edge's length
//! over its length at rest) is shown on a logarithmic scale around 1, light grey where nothing
//! happens, red where edges grow, blue where they shrink: a half and a double are equally far from
//! right.
//!
//! A point has as many stretches as edges. [`StretchOf::Furthest`], the one furthest from 1 on that
//! scale, is what to look at first: it misses neither a pinch nor a tear, and its few changes of
//! sign sit where both happen at once (shear). The largest and the smallest alone are there for the
//! one question each answers.
//!
//! **Gap** (how far pieces that lie on one another have moved apart, over the diagonal) is light
//! grey where nothing happens and where there is no other piece, red where one comes off.

use glam::Vec3;
use sinew::mesh::Adjacency;
use sinew::weights::SkinWeights;

use crate::color::linear_from_hex;
use crate::legend::{Legend, Tick};
use crate::scene::{Paint, Ramp};

/// A surface's paint with the legend to it.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// [`Paint::Heat`].
    pub paint: Paint,
    /// What its colours mean.
    pub legend: Legend,
}

/// Which of a point's edges to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StretchOf {
    /// The most stretched.
    Largest,
    /// The most compressed.
    Smallest,
    /// The one furthest from its rest, either way.
    Furthest,
}

/// Dark to warm: no weight to full weight.
pub fn weight_ramp() -> Ramp {
    ramp(&[0x2b_2f_3d, 0x4a_2f_66, 0x86_2f_72, 0xc4_43_5e, 0xee_76_45, 0xf9_b0_45, 0xfb_e8_7c])
}

/// Blue over light grey to red.
pub fn stretch_ramp() -> Ramp {
    ramp(&[0x1d_4e_9c, 0x4d_83_c8, 0x9c_bd_e2, 0xde_de_dc, 0xee_ab_8e, 0xd9_60_4c, 0xa3_1a_2b])
}

/// Light grey to red: in place to come off.
pub fn gap_ramp() -> Ramp {
    ramp(&[0xde_de_dc, 0xee_c4_9a, 0xe5_86_62, 0xc9_3f_45, 0x8a_10_30])
}

fn ramp(colors: &[u32]) -> Ramp {
    Ramp { stops: colors.iter().map(|&color| linear_from_hex(color)).collect() }
}

/// A joint's weights.
pub fn weights(weights: &SkinWeights, joint: u32, joint_name: &str) -> HeatMap {
    let of_row = |row: &[sinew::weights::Influence]| {
        row.iter().filter(|influence| influence.joint == joint).map(|i| i.weight).sum()
    };
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
    HeatMap {
        paint: Paint::Heat { values: weights.rows().map(of_row).collect(), ramp: weight_ramp() },
        legend: Legend {
            title: format!("weight of {joint_name}"),
            ramp: weight_ramp(),
            ticks: ticks.map(|at| Tick { at, text: number(at) }).to_vec(),
        },
    }
}

/// Stretches from `1/most` to `most`; a `most` of 2 fits what skinning methods do.
///
/// # Panics
/// If the adjacency or the deformed points are of another number of points, or `most` is not
/// above 1.
pub fn stretch(
    rest: &[Vec3],
    posed: &[Vec3],
    adjacency: &Adjacency,
    which: StretchOf,
    most: f32,
) -> HeatMap {
    assert!(most > 1.0, "a range of some width");
    let values = stretch_of_points(rest, posed, adjacency, which)
        .into_iter()
        .map(|stretch| 0.5 + 0.5 * stretch.ln() / most.ln())
        .collect();
    let paint = Paint::Heat { values, ramp: stretch_ramp() };
    HeatMap { paint, legend: stretch_legend(which, most) }
}

/// What the colours of [`stretch`] mean.
pub fn stretch_legend(which: StretchOf, most: f32) -> Legend {
    let root = most.sqrt();
    let ticks = [1.0 / most, 1.0 / root, 1.0, root, most];
    let title = match which {
        StretchOf::Largest => "largest stretch",
        StretchOf::Smallest => "smallest stretch",
        StretchOf::Furthest => "stretch",
    };
    let tick = |(place, stretch): (usize, f32)| Tick {
        at: 0.25 * place as f32,
        text: format!("{}×", number(stretch)),
    };
    Legend {
        title: title.to_owned(),
        ramp: stretch_ramp(),
        ticks: ticks.into_iter().enumerate().map(tick).collect(),
    }
}

/// Gaps of a mesh's points over the diagonal, as [`ShellMeasure::gaps_of_points`] has them, from
/// none to `most`.
///
/// [`ShellMeasure::gaps_of_points`]: sinew::measure::ShellMeasure::gaps_of_points
pub fn gap(gaps: &[Option<f64>], most: f32) -> HeatMap {
    let value = |gap: &Option<f64>| gap.map_or(0.0, |gap| gap as f32 / most);
    let paint = Paint::Heat { values: gaps.iter().map(value).collect(), ramp: gap_ramp() };
    HeatMap { paint, legend: gap_legend(most) }
}

/// What the colours of [`gap`] mean.
pub fn gap_legend(most: f32) -> Legend {
    let tick = |step: u32| {
        let at = 0.25 * step as f32;
        Tick { at, text: format!("{} %", number(100.0 * most * at)) }
    };
    Legend {
        title: "gap, of the diagonal".to_owned(),
        ramp: gap_ramp(),
        ticks: (0..=4).map(tick).collect(),
    }
}

/// One stretch a point, of its edges; 1 for a point without an edge of some length.
///
/// # Panics
/// If the adjacency or the deformed points are of another number of points.
pub fn stretch_of_points(
    rest: &[Vec3],
    posed: &[Vec3],
    adjacency: &Adjacency,
    which: StretchOf,
) -> Vec<f32> {
    assert_eq!(rest.len(), posed.len(), "one deformed point a point");
    assert_eq!(rest.len(), adjacency.num_points(), "neighbours of these points");
    let mut found: Vec<Option<f32>> = vec![None; rest.len()];
    for edge in adjacency.edges() {
        let [a, b] = edge.points.map(|point| point as usize);
        let stretch = posed[a].distance(posed[b]) / rest[a].distance(rest[b]);
        if !stretch.is_finite() {
            continue;
        }
        let is_better = |than: f32| match which {
            StretchOf::Largest => stretch > than,
            StretchOf::Smallest => stretch < than,
            StretchOf::Furthest => stretch.ln().abs() > than.ln().abs(),
        };
        for point in [a, b] {
            if found[point].is_none_or(is_better) {
                found[point] = Some(stretch);
            }
        }
    }
    found.into_iter().map(|stretch| stretch.unwrap_or(1.0)).collect()
}

/// With at most two digits behind the point, and no zeros at the end.
fn number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An L: point 1 in the middle, one edge of length 1 and one of length 2.
    fn bent() -> (Vec<Vec3>, Adjacency) {
        let rest = vec![Vec3::X, Vec3::ZERO, 2.0 * Vec3::Y];
        let adjacency = Adjacency::of_triangles(3, &[[0, 1, 2]]);
        (rest, adjacency)
    }

    #[test]
    fn a_point_shows_the_edge_that_was_asked_for() {
        let (rest, adjacency) = bent();
        // The first edge grows to 3 times, the second shrinks to a quarter, the third from √5 to
        // √9.25.
        let posed = [3.0 * Vec3::X, Vec3::ZERO, 0.5 * Vec3::Y];
        let at = |which| stretch_of_points(&rest, &posed, &adjacency, which);
        assert_eq!(at(StretchOf::Largest)[1], 3.0);
        assert_eq!(at(StretchOf::Smallest)[1], 0.25);
        assert_eq!(at(StretchOf::Furthest)[1], 0.25);
        assert_eq!(at(StretchOf::Furthest)[0], 3.0);
    }

    #[test]
    fn a_half_and_a_double_are_at_the_ends_and_the_rest_is_in_the_middle() {
        let (rest, adjacency) = bent();
        for (scale, expected) in [(0.5, 0.0), (1.0, 0.5), (2.0, 1.0)] {
            let posed: Vec<Vec3> = rest.iter().map(|&p| scale * p).collect();
            let map = stretch(&rest, &posed, &adjacency, StretchOf::Furthest, 2.0);
            let Paint::Heat { values, .. } = map.paint else { panic!("a heat map") };
            assert!(values.iter().all(|value| (value - expected).abs() < 1e-6), "{values:?}");
        }
        let map = stretch(&rest, &rest, &adjacency, StretchOf::Furthest, 2.0);
        let texts: Vec<&str> = map.legend.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["0.5×", "0.71×", "1×", "1.41×", "2×"]);
    }

    #[test]
    fn edges_of_no_length_and_places_that_are_no_numbers_do_no_harm() {
        let adjacency = Adjacency::of_triangles(4, &[[0, 1, 2]]);
        let rest = [Vec3::ZERO, Vec3::ZERO, Vec3::X, Vec3::Y];
        let posed = [Vec3::ZERO, Vec3::NAN, Vec3::X, Vec3::Y];
        let found = stretch_of_points(&rest, &posed, &adjacency, StretchOf::Furthest);
        assert_eq!(found, [1.0; 4]);
    }

    #[test]
    fn gaps_run_from_none_to_the_most_and_no_neighbour_is_no_gap() {
        let map = gap(&[None, Some(0.0), Some(0.01), Some(0.02)], 0.02);
        let Paint::Heat { values, .. } = map.paint else { panic!("a heat map") };
        assert_eq!(values, [0.0, 0.0, 0.5, 1.0]);
        let texts: Vec<&str> = map.legend.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["0 %", "0.5 %", "1 %", "1.5 %", "2 %"]);
    }

    #[test]
    fn the_weight_ramp_grows_lighter_all_the_way() {
        let lightness = |value: f32| weight_ramp().at(value).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        for step in 0..100 {
            assert!(lightness(0.01 * step as f32) < lightness(0.01 * (step + 1) as f32));
        }
    }
}
