//! What lies outside stays outside: shells that would sink into one another are pushed apart after
//! the relaxation.
//!
//! A bridge's point lies at a height `h` above its triangle at rest; the side is the sign of `h`.
//! In a pose the height is to stay above a tenth of that. With `m` 1 for what may move and 0 for
//! what is held, `b` the triangle's shares and `u` what is missing,
//!
//! ```text
//! f = c u²/(u + |h|/2 + d)    D = m_p + Σ m_i b_i²
//! Δp = m_p/D f n              Δx_i = −m_i b_i/D f n
//! ```
//!
//! `c` fades with the bridge's confidence, `d` is a thousandth of the diagonal. A point takes the
//! mean of what its bridges want, each counted by its `f`, a few times over. At rest nothing is
//! missing, and nothing moves.

use std::sync::Arc;

use glam::Vec3;

use super::SpringFrame;
use super::tables::{LayerLink, LayerTables};
use crate::attach::shells::{Bridge, ShellKind, Shells, smooth_step};

/// Times that everything is pushed.
pub const LAYER_PASSES: usize = 3;

/// Of the height at rest: what is kept.
pub const KEPT_HEIGHT: f32 = 0.1;
/// Over how much the push sets in: of the height at rest, and of the diagonal. A kink would be seen
/// as a pop.
const PUSH_SOFTNESS: [f32; 2] = [0.5, 0.001];

/// A bridge that leads more along its triangle than away from it has no side. Over its length.
const LEAST_HEIGHT_SHARE: f32 = 0.5;
/// Shells that lie on one another have no sides either. Over the diagonal.
const LEAST_HEIGHT: f32 = 1e-5;
/// The confidence from which on a bridge pushes with all its strength.
const SURE: f64 = 0.25;

/// The bridges that keep their sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Layers {
    links: Arc<[LayerLink]>,
    /// Points that may be pushed, and where their entries begin; the last entry is the end.
    starts: Arc<[(u32, u32)]>,
    /// By point: a link, and its coefficient.
    entries: Arc<[(u32, f32)]>,
    /// By link: the height at rest, 0 for no side; and over how much its push sets in.
    heights: Vec<[f32; 2]>,
}

impl Layers {
    /// `held` is true for what stays at its target; empty for nothing.
    pub(super) fn bind(shells: Option<&Shells>, held: &[bool], positions: &[Vec3]) -> Self {
        let Some(shells) = shells else { return Self::default() };
        let is_free = |point: u32| !held.get(point as usize).copied().unwrap_or(false);
        let mut links = Vec::new();
        let mut entries: Vec<(u32, (u32, f32))> = Vec::new();
        for bridge in shells.bridges() {
            let Bridge { point, corners, shares, confidence } = *bridge;
            if shells.kind_of(point) == ShellKind::Rider {
                continue;
            }
            let mass = |point: u32| if is_free(point) { 1.0 } else { 0.0 };
            let own = mass(point);
            let squares = corners.iter().zip(shares).map(|(&i, b)| mass(i) * b * b).sum::<f64>();
            if own + squares == 0.0 {
                continue;
            }
            let link = links.len() as u32;
            let mut push = |point: u32, coefficient: f64| {
                if coefficient != 0.0 {
                    entries.push((point, (link, coefficient as f32)));
                }
            };
            push(point, own / (own + squares));
            for (&corner, share) in corners.iter().zip(shares) {
                push(corner, -mass(corner) * share / (own + squares));
            }
            let strength = smooth_step(confidence / SURE) as f32;
            let shares = shares.map(|share| share as f32);
            links.push(LayerLink { point, corners, shares, strength });
        }
        entries.sort_by_key(|&(point, (link, _))| (point, link));
        let mut starts: Vec<(u32, u32)> = Vec::new();
        for (at, &(point, _)) in entries.iter().enumerate() {
            if starts.last().is_none_or(|&(last, _)| last != point) {
                starts.push((point, at as u32));
            }
        }
        starts.push((u32::MAX, entries.len() as u32));
        let heights = vec![[0.0; 2]; links.len()];
        let entries = entries.into_iter().map(|(_, entry)| entry).collect();
        let mut layers = Self { links: links.into(), starts: starts.into(), entries, heights };
        layers.refit(positions);
        layers
    }

    /// Number of links: what [`Self::part`] needs memory for.
    pub(super) fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Follows points at another rest. Allocates nothing.
    pub(super) fn refit(&mut self, positions: &[Vec3]) {
        if self.links.is_empty() {
            return;
        }
        let bounds = crate::mesh::Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
        let diagonal = bounds.diagonal();
        for (link, height) in self.links.iter().zip(&mut self.heights) {
            let (offset, normal) = (link.offset(positions), link.normal(positions));
            let along = offset.dot(normal);
            let has_side = along.abs() > LEAST_HEIGHT * diagonal
                && along.abs() >= LEAST_HEIGHT_SHARE * offset.length();
            let softness = PUSH_SOFTNESS[0] * along.abs() + PUSH_SOFTNESS[1] * diagonal;
            *height = [if has_side { along } else { 0.0 }, softness];
        }
    }

    /// What is bound, as plain arrays.
    pub(super) fn tables(&self) -> LayerTables {
        LayerTables {
            links: self.links.to_vec(),
            heights: self.heights.clone(),
            starts: self.starts.to_vec(),
            entries: self.entries.to_vec(),
        }
    }

    /// Pushes shells apart. What a frame holds stays. `pushes` has a place for each link.
    pub(super) fn part(&self, frame: &SpringFrame<'_>, pushes: &mut [Vec3], out: &mut [Vec3]) {
        for _ in 0..LAYER_PASSES {
            let mut is_apart = true;
            for ((link, &height), push) in self.links.iter().zip(&self.heights).zip(&mut *pushes) {
                *push = link.push(height, out);
                is_apart &= *push == Vec3::ZERO;
            }
            if is_apart {
                return;
            }
            for run in self.starts.windows(2) {
                let (point, entries) = (run[0].0, run[0].1 as usize..run[1].1 as usize);
                let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
                for &(link, coefficient) in &self.entries[entries] {
                    let push = pushes[link as usize];
                    let length = push.length();
                    sum += coefficient * length * push;
                    weight += length;
                }
                let is_free = || {
                    frame.within.is_none_or(|within| within.region.is_free(point))
                        && !frame.pins.iter().any(|pin| pin.point == point)
                };
                if weight > 0.0 && is_free() {
                    out[point as usize] += sum / weight;
                }
            }
        }
    }
}

impl LayerLink {
    /// From the place on the triangle to the point.
    fn offset(&self, positions: &[Vec3]) -> Vec3 {
        let corner = |i: usize| self.shares[i] * positions[self.corners[i] as usize];
        positions[self.point as usize] - (corner(0) + corner(1) + corner(2))
    }

    /// Of the triangle; zero where it has none.
    fn normal(&self, positions: &[Vec3]) -> Vec3 {
        let [a, b, c] = self.corners.map(|corner| positions[corner as usize]);
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// The way that it wants between point and triangle.
    fn push(&self, [height, softness]: [f32; 2], positions: &[Vec3]) -> Vec3 {
        if height == 0.0 {
            return Vec3::ZERO;
        }
        let normal = self.normal(positions) * height.signum();
        let missing = KEPT_HEIGHT * height.abs() - self.offset(positions).dot(normal);
        if !(missing > 0.0 && missing.is_finite()) {
            return Vec3::ZERO;
        }
        normal * (self.strength * missing * missing / (missing + softness))
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::attach::shells::{Pieces, ShellInput};
    use crate::sample::{SampleKind, SampleOptions, build};
    use crate::skeleton::{Palette, Pose};
    use crate::weights::SkinWeights;

    const SIDE: u32 = 4;

    /// Two squares of the same weights, the second a little above the first.
    fn sheets() -> (Vec<Vec3>, Shells) {
        let sheet = |y: f32| {
            (0..SIDE * SIDE).map(move |i| Vec3::new((i % SIDE) as f32, y, (i / SIDE) as f32))
        };
        let points: Vec<Vec3> = sheet(0.0).chain(sheet(0.05)).collect();
        let square = |i: u32| {
            let at = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
            [[at, at + SIDE, at + 1], [at + 1, at + SIDE, at + SIDE + 1]]
        };
        let lower: Vec<[u32; 3]> = (0..(SIDE - 1) * (SIDE - 1)).flat_map(square).collect();
        let upper = lower.iter().map(|t| t.map(|point| point + SIDE * SIDE));
        let triangles: Vec<[u32; 3]> = lower.iter().copied().chain(upper).collect();
        let rows = points.iter().map(|p| vec![(0, 0.2 + 0.2 * p.x), (1, 0.8 - 0.2 * p.x)]);
        let weights = SkinWeights::from_rows(rows.collect::<Vec<_>>(), 2).0;
        let places: Vec<DVec3> = points.iter().map(|p| p.as_dvec3()).collect();
        let shells = Shells::find(&ShellInput {
            points: &places,
            triangles: &triangles,
            weights: &weights,
            parents: &[None, Some(0)],
            strength: 1.0,
            pieces: Pieces::default(),
        });
        (points, shells.unwrap())
    }

    fn parted(layers: &Layers, mut points: Vec<Vec3>) -> Vec<Vec3> {
        let cylinder = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let palette = Palette::new(&cylinder.skeleton, &Pose::rest(&cylinder.skeleton));
        let mut pushes = vec![Vec3::ZERO; layers.num_links()];
        layers.part(&SpringFrame::new(&palette), &mut pushes, &mut points);
        points
    }

    #[test]
    fn what_has_sunk_comes_out_and_what_has_not_keeps_its_bits() {
        let (rest, shells) = sheets();
        let layers = Layers::bind(Some(&shells), &[], &rest);
        assert!(layers.num_links() >= 2 * (SIDE * SIDE) as usize);
        assert_eq!(parted(&layers, rest.clone()), rest);
        let mut sunk = rest.clone();
        let upper = (SIDE * SIDE) as usize;
        sunk[upper..].iter_mut().for_each(|p| p.y -= 0.07);
        let apart = parted(&layers, sunk.clone());
        let height = |points: &[Vec3], i: usize| points[upper + i].y - points[i].y;
        for i in 0..upper {
            assert!(height(&sunk, i) < -0.01 && height(&apart, i) > -0.005, "{i}: {apart:?}");
        }
    }

    #[test]
    fn what_is_held_stays_and_the_other_makes_way() {
        let (rest, shells) = sheets();
        let upper = (SIDE * SIDE) as usize;
        let held: Vec<bool> = (0..rest.len()).map(|point| point >= upper).collect();
        let layers = Layers::bind(Some(&shells), &held, &rest);
        let mut sunk = rest.clone();
        sunk[upper..].iter_mut().for_each(|p| p.y -= 0.07);
        let apart = parted(&layers, sunk.clone());
        assert_eq!(apart[upper..], sunk[upper..]);
        assert!((0..upper).all(|i| apart[i].y < -0.015), "{apart:?}");
    }

    #[test]
    fn a_rest_that_moves_turns_no_side() {
        let (rest, shells) = sheets();
        let mut layers = Layers::bind(Some(&shells), &[], &rest);
        let wider: Vec<Vec3> = rest.iter().map(|p| *p * Vec3::new(1.0, 2.0, 1.0)).collect();
        layers.refit(&wider);
        assert_eq!(parted(&layers, wider.clone()), wider);
        let again = Layers::bind(Some(&shells), &[], &wider);
        assert_eq!(layers.tables(), again.tables());
    }
}
