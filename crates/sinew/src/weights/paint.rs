//! Painting of weights: a brush's dab, and what it does to the rows of the points under it.
//!
//! A stroke is painted from where it began: what its dabs add up to at a point is one amount
//! between nothing and one ([`Stroke`]), and the rows are made from the weights at the start with
//! it. Rows keep their sums, the budget and the locks ([`RowRules`]).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use glam::Vec3;

use super::along::ring_shares;
use super::rules::{PointRow, RowRules};
use super::{Influence, SkinWeights};
use crate::mesh::{Adjacency, Mesh};

/// What a brush does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Brush {
    /// Gives a joint more.
    #[default]
    Add,
    /// Gives a joint less.
    Subtract,
    /// Gives a joint a weight.
    Replace,
    /// Makes rows more like their neighbours'.
    Smooth,
    /// Makes rows less like their neighbours'.
    Sharpen,
    /// Makes rows vary evenly along the surface: smooth, but near neighbours count for more, so
    /// that long and short edges side by side leave no trace.
    Relax,
}

impl Brush {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Add, Self::Subtract, Self::Replace, Self::Smooth, Self::Sharpen, Self::Relax];

    /// True if it is about one joint, and not about all.
    pub fn is_of_joint(self) -> bool {
        match self {
            Self::Add | Self::Subtract | Self::Replace => true,
            Self::Smooth | Self::Sharpen | Self::Relax => false,
        }
    }

    /// Its name in menus and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Replace => "replace",
            Self::Smooth => "smooth",
            Self::Sharpen => "sharpen",
            Self::Relax => "relax",
        }
    }
}

/// How a brush weakens from its middle to its rim.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Falloff {
    /// Flat at both ends.
    #[default]
    Smooth,
    /// Evenly.
    Linear,
    /// The same everywhere within the radius.
    Constant,
}

impl Falloff {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Smooth, Self::Linear, Self::Constant];

    /// Its name in menus and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::Linear => "linear",
            Self::Constant => "constant",
        }
    }

    /// At a share of the radius.
    pub fn at(self, share: f64) -> f64 {
        let t = 1.0 - share.clamp(0.0, 1.0);
        match self {
            Self::Smooth => t * t * (3.0 - 2.0 * t),
            Self::Linear => t,
            Self::Constant => f64::from(u8::from(share < 1.0)),
        }
    }
}

/// Points within a radius of a place, along the edges from the point that is nearest to it, each
/// with the falloff there: a brush on the surface. In the order of their numbers.
///
/// # Panics
/// If the start is not there.
pub fn dab_on_surface(
    points: &[Vec3],
    adjacency: &Adjacency,
    start: u32,
    at: Vec3,
    radius: f64,
    falloff: Falloff,
) -> Vec<(u32, f64)> {
    let first = f64::from(points[start as usize].distance(at));
    let mut distance = BTreeMap::from([(start, first)]);
    // Distances are not negative, so that their bits are in order.
    let mut queue = BinaryHeap::from([Reverse((first.to_bits(), start))]);
    while let Some(Reverse((bits, point))) = queue.pop() {
        let so_far = f64::from_bits(bits);
        if distance.get(&point).is_some_and(|&known| so_far > known) {
            continue;
        }
        for &next in adjacency.ring(point as usize) {
            let place = points[next as usize];
            // Straight where the way is around a corner of a triangle: no longer than the edges,
            // no shorter than the air.
            let step = f64::from(points[point as usize].distance(place));
            let air = f64::from(place.distance(at));
            let length = (0.5 * (so_far + step + air)).max(air).min(so_far + step);
            if length < radius && distance.get(&next).is_none_or(|&known| length < known) {
                distance.insert(next, length);
                queue.push(Reverse((length.to_bits(), next)));
            }
        }
    }
    let within = distance.into_iter().filter(|&(_, length)| length < radius);
    within.map(|(point, length)| (point, falloff.at(length / radius))).collect()
}

/// Points within a radius of a place through the air: a brush that goes through.
pub fn dab_through(points: &[Vec3], at: Vec3, radius: f64, falloff: Falloff) -> Vec<(u32, f64)> {
    (0u32..)
        .zip(points)
        .map(|(point, place)| (point, f64::from(place.distance(at))))
        .filter(|&(_, distance)| distance < radius)
        .map(|(point, distance)| (point, falloff.at(distance / radius)))
        .collect()
}

/// What a brush paints.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint<'a> {
    /// How.
    pub brush: Brush,
    /// What is painted: relax goes along it.
    pub mesh: &'a Mesh,
    /// Which joint; smooth, sharpen and relax are about all.
    pub joint: u32,
    /// What replace gives; the most that add and subtract change a weight by in a stroke.
    pub value: f64,
    /// How many influences a point may have, and which joints' weights stay as they are.
    pub rules: RowRules,
}

/// What the dabs of a stroke come to at each point: never more than one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stroke {
    amounts: BTreeMap<u32, f64>,
}

impl Stroke {
    /// Adds a dab: what is left of a point's way to one, times strength and falloff.
    pub fn add(&mut self, dab: &[(u32, f64)], strength: f64) {
        for &(point, share) in dab {
            let amount = self.amounts.entry(point).or_insert(0.0);
            *amount += (1.0 - *amount) * (share * strength).clamp(0.0, 1.0);
        }
    }

    /// The points and their amounts, in the order of their numbers.
    pub fn amounts(&self) -> Vec<(u32, f64)> {
        self.amounts.iter().map(|(&point, &amount)| (point, amount)).collect()
    }
}

/// The rows of painted points that are others than before.
///
/// # Panics
/// If a point is not there.
pub fn paint(
    weights: &SkinWeights,
    adjacency: &Adjacency,
    amounts: &[(u32, f64)],
    paint: &Paint<'_>,
) -> Vec<PointRow> {
    let rules = &paint.rules;
    let new_row = |&(point, amount): &(u32, f64)| -> Option<PointRow> {
        let before = weights.row(point as usize);
        let own = before.iter().find(|i| i.joint == paint.joint);
        let own = own.map_or(0.0, |i| f64::from(i.weight));
        let amount = if amount.is_finite() { amount.clamp(0.0, 1.0) } else { 0.0 };
        if amount == 0.0 {
            return None;
        }
        let row = match paint.brush {
            Brush::Add => rules.with_weight(before, paint.joint, own + amount * paint.value),
            Brush::Subtract => rules.with_weight(before, paint.joint, own - amount * paint.value),
            Brush::Replace => {
                rules.with_weight(before, paint.joint, own + amount * (paint.value - own))
            }
            Brush::Smooth => toward_ring(weights, adjacency, point, amount, rules),
            Brush::Sharpen => toward_ring(weights, adjacency, point, -amount, rules),
            Brush::Relax => {
                let shares = ring_shares(paint.mesh, adjacency, point);
                let of_ring = (adjacency.ring(point as usize), shares.as_slice());
                toward(weights, of_ring, point, amount, rules)
            }
        };
        (row != before).then_some((point, row))
    };
    amounts.iter().filter_map(new_row).collect()
}

/// A row as far towards the mean of its neighbours' as a share says; away from it where it is
/// negative.
pub(super) fn toward_ring(
    weights: &SkinWeights,
    adjacency: &Adjacency,
    point: u32,
    share: f64,
    rules: &RowRules,
) -> Vec<Influence> {
    let ring = adjacency.ring(point as usize);
    let even = vec![1.0 / ring.len().max(1) as f64; ring.len()];
    toward(weights, (ring, &even), point, share, rules)
}

/// The same with what each neighbour counts for.
fn toward(
    weights: &SkinWeights,
    (ring, shares): (&[u32], &[f64]),
    point: u32,
    share: f64,
    rules: &RowRules,
) -> Vec<Influence> {
    let before = weights.row(point as usize);
    if ring.is_empty() {
        return before.to_vec();
    }
    let mut wanted: Vec<(u32, f64)> =
        before.iter().map(|i| (i.joint, (1.0 - share) * f64::from(i.weight))).collect();
    for (&next, of_one) in ring.iter().zip(shares) {
        for influence in weights.row(next as usize) {
            let more = share * of_one * f64::from(influence.weight);
            match wanted.iter_mut().find(|(joint, _)| *joint == influence.joint) {
                Some((_, sum)) => *sum += more,
                None => wanted.push((influence.joint, more)),
            }
        }
    }
    rules.finish(before, &wanted, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::RawMesh;

    /// A strip of triangles, two points wide.
    fn strip(length: u32) -> (Mesh, Adjacency, SkinWeights) {
        let points: Vec<Vec3> =
            (0..2 * length).map(|p| Vec3::new((p / 2) as f32, (p % 2) as f32, 0.0)).collect();
        let triangles: Vec<[u32; 3]> = (0..2 * length - 2)
            .map(|p| if p % 2 == 0 { [p, p + 2, p + 1] } else { [p, p + 1, p + 2] })
            .collect();
        let raw = RawMesh { positions: points, triangles, ..RawMesh::default() };
        let mesh = raw.weld().unwrap().part.mesh;
        let adjacency = Adjacency::of(&mesh);
        let joint = |p: u32| u32::from(p / 2 >= length / 2);
        let rows = (0..2 * length).map(|p| [(joint(p), 1.0)]);
        (mesh, adjacency, SkinWeights::from_rows(rows, 3).0)
    }

    fn weight(row: &[Influence], joint: u32) -> f32 {
        row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
    }

    #[test]
    fn a_dab_weakens_to_nothing_at_its_rim_and_stays_on_the_surface() {
        let (mesh, adjacency, _) = strip(10);
        let points = mesh.points();
        let dab = dab_on_surface(points, &adjacency, 8, points[8], 3.0, Falloff::Linear);
        let at =
            |p: u32| dab.iter().find(|(point, _)| *point == p).map_or(0.0, |(_, share)| *share);
        assert_eq!(at(8), 1.0);
        assert!((at(10) - 2.0 / 3.0).abs() < 1e-6 && (at(12) - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(at(14), 0.0);
        // Two sheets that lie near each other: through goes to both.
        let apart = [Vec3::ZERO, Vec3::Z * 0.1];
        let none = Adjacency::of_triangles(2, &[]);
        assert_eq!(dab_on_surface(&apart, &none, 0, Vec3::ZERO, 1.0, Falloff::Smooth).len(), 1);
        assert_eq!(dab_through(&apart, Vec3::ZERO, 1.0, Falloff::Smooth).len(), 2);
    }

    #[test]
    fn brushes_add_take_and_set_and_smoothing_evens_out() {
        let (mesh, adjacency, weights) = strip(10);
        let rules = RowRules::default;
        let with = |brush: Brush, amount: f64, joint: u32| {
            let settings = Paint { brush, mesh: &mesh, joint, value: 0.5, rules: rules() };
            weights.with_rows(&paint(&weights, &adjacency, &[(8, amount)], &settings))
        };
        assert!((weight(with(Brush::Add, 0.5, 2).row(8), 2) - 0.25).abs() < 1e-6);
        assert!((weight(with(Brush::Replace, 1.0, 2).row(8), 2) - 0.5).abs() < 1e-6);
        let added = with(Brush::Add, 1.0, 2);
        let brush = Brush::Subtract;
        let settings = Paint { brush, mesh: &mesh, joint: 2, value: 0.5, rules: rules() };
        let rows = paint(&added, &adjacency, &[(8, 1.0)], &settings);
        assert_eq!(weight(&rows[0].1, 2), 0.0);
        // The last of joint 0's points, beside joint 1's: smoothing shares it.
        let smooth = with(Brush::Smooth, 1.0, 0);
        assert!(weight(smooth.row(8), 1) > 0.2, "{:?}", smooth.row(8));
        let brush = Brush::Sharpen;
        let settings = Paint { brush, mesh: &mesh, joint: 0, value: 1.0, rules: rules() };
        let half = with(Brush::Smooth, 0.5, 0);
        let sharp = half.with_rows(&paint(&half, &adjacency, &[(8, 0.5)], &settings));
        assert!(weight(sharp.row(8), 0) > weight(half.row(8), 0));
    }

    #[test]
    fn relaxing_keeps_what_varies_evenly_whatever_the_edges_and_smoothing_does_not() {
        // A sheet with rows of points 1, 3, 1, 3 … apart.
        let at = |column: u32| (column / 2 * 4 + column % 2) as f32;
        let place = |p: u32| Vec3::new(at(p % 8), (p / 8) as f32, 0.0);
        let positions: Vec<Vec3> = (0..40).map(place).collect();
        let cell = |p: u32| [[p, p + 1, p + 9], [p, p + 9, p + 8]];
        let cells = (0..32u32).filter(|p| p % 8 < 7);
        let triangles: Vec<[u32; 3]> = cells.flat_map(cell).collect();
        let mesh = RawMesh { positions, triangles, ..RawMesh::default() };
        let mesh = mesh.weld().unwrap().part.mesh;
        let adjacency = Adjacency::of(&mesh);
        // Weights go with the place across the sheet.
        let share = |p: u32| 0.05 + 0.9 * at(p % 8) / at(7);
        let rows = (0..40).map(|p| [(0, 1.0 - share(p)), (1, share(p))]);
        let (weights, _) = SkinWeights::from_rows(rows, 2);
        let change = |brush: Brush| {
            let rules = RowRules::default();
            let settings = Paint { brush, mesh: &mesh, joint: 0, value: 1.0, rules };
            let inside = (9..31u32).filter(|p| (1..7).contains(&(p % 8)));
            let amounts: Vec<(u32, f64)> = inside.map(|p| (p, 1.0)).collect();
            let rows = paint(&weights, &adjacency, &amounts, &settings);
            let by = |(point, row): &PointRow| {
                (weight(row, 1) - weight(weights.row(*point as usize), 1)).abs()
            };
            rows.iter().map(by).fold(0.0, f32::max)
        };
        assert!(change(Brush::Relax) < 1e-5, "{}", change(Brush::Relax));
        assert!(change(Brush::Smooth) > 0.01, "{}", change(Brush::Smooth));
    }

    #[test]
    fn many_dabs_of_a_stroke_never_come_to_more_than_one() {
        let mut stroke = Stroke::default();
        for _ in 0..100 {
            stroke.add(&[(3, 0.5)], 0.5);
        }
        let amounts = stroke.amounts();
        assert!(amounts[0].1 <= 1.0 && amounts[0].1 > 0.999);
    }
}
