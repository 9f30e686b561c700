//! A body keeps its volume: after the iterations its bent skin moves away from the bones, or
//! towards them, by as much as is missing.
//!
//! ```text
//! x ← x + λ g ŝ      g = (√(1 − c + .001) − √.001)|s|      c the mean cosine between the turns of the point and of its bones
//! V = Σ N·(x₁ + x₂ + x₃)/18      r = Σ N·(g₁ŝ₁ + g₂ŝ₂ + g₃ŝ₃)/6      N = (x₂ − x₁)×(x₃ − x₁) of every triangle
//! m = c_v(V_t − V), half of it where it is below 0, at most .04 V⁰      λ = m r/(r² + (.001 V⁰)²), at most .4
//! V_t = V⁰ Σ share·det(limb)·stretch^(1−κ) over the bones      at most: a/(1 + (a/b)⁴)^¼
//! ```
//!
//! `g` is [`Stage::direction`](crate::springs::stage::Stage)'s fourth. Skin that has turned with
//! one bone has none and stays where it is to the last bit. There is one `λ` a body, so that what
//! skin gains in one bend makes up for what another has lost. Swelling costs a little stretch, but
//! thinner skin is nearer to its bones: of what is too much only half is taken. What deep bends
//! lose because skin meets skin is more than a limb should swell by.
//!
//! Open pieces are closed by fans over their holes. Pieces that are mostly hole (a skirt) or mostly
//! surface (a thick coat) hold no flesh: they are moved, but not counted.

mod closed;

use std::sync::Arc;

use fearless_simd::{Level, Simd, dispatch, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::AnchoredInput;
use super::tables::VolumeTables;
use crate::skeleton::Palette;
use crate::springs::Coefficients;
use crate::springs::lanes::{V, difference, dot, gather};
use crate::springs::order::SlotOrder;
use crate::springs::rows::{LANES, POSITION_FLOATS};
use crate::springs::stage::Stage;

/// Of what is too much, how much is taken away.
const SHRINK_SHARE: f64 = 0.5;

/// The most that is made up for, over the volume at rest.
const MOST_MISSING: f64 = 0.04;

/// The most that skin moves by, over `g`.
const MOST_SWELL: f64 = 0.4;

/// Of the volume at rest: bends that give less than this have nothing to make up for it with.
const LEAST_RATE: f64 = 1e-3;

/// Triangles that one sum of f32 is over, by lanes: the same whoever sums, so that the bits are.
const CHUNK_BLOCKS: usize = 256;

/// The closed surface around a body.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Over points, facing outwards, in the order that sums are made in; with the places of their
    /// corners' joints in `shares`.
    triangles: Arc<[([u32; 3], [u32; 3])]>,
    /// Corners of eight triangles: the first floats of their slots' rows.
    blocks: Arc<[[[u32; LANES]; 3]]>,
    rest_volume: f64,
    /// Of the volume at rest, what is around each joint's bone.
    shares: Vec<(u32, f64)>,
    /// `c_v`.
    coefficient: f64,
}

/// What is summed over triangles: `V` and `r`.
pub(super) type Sums = [f64; 2];

impl Body {
    /// `None` for surfaces around nothing.
    pub(super) fn bind(input: &AnchoredInput<'_>, order: &SlotOrder) -> Option<Self> {
        let triangles = closed::closed_triangles(input.positions, input.triangles);
        if triangles.is_empty() {
            return None;
        }
        let mut slots = triangles.clone();
        for corner in slots.as_flattened_mut() {
            *corner = order.slot_of_point()[*corner as usize] * POSITION_FLOATS as u32;
        }
        // Neighbours in memory together; equal ones are equal, so that the order is the mesh's
        // alone.
        slots.sort_unstable_by_key(|corners| (corners.iter().min().copied(), *corners));
        let block = |triangles: &[[u32; 3]]| {
            // Padding has all its corners in one place.
            let corner = |lane: usize, corner: usize| triangles.get(lane).map_or(0, |t| t[corner]);
            [0, 1, 2].map(|c| std::array::from_fn(|lane| corner(lane, c)))
        };
        let blocks = slots.chunks(LANES).map(block).collect();
        let mut joints: Vec<u32> =
            triangles.iter().flatten().map(|&p| input.joint_of_point[p as usize]).collect();
        joints.sort_unstable();
        joints.dedup();
        let share_of = |&point: &u32| {
            joints.binary_search(&input.joint_of_point[point as usize]).unwrap_or(0) as u32
        };
        let triangles = triangles
            .iter()
            .map(|triangle| (*triangle, triangle.each_ref().map(share_of)))
            .collect();
        let shares = joints.into_iter().map(|joint| (joint, 0.0)).collect();
        let coefficient = f64::from(input.coefficients.volume);
        let mut body = Self { triangles, blocks, rest_volume: 0.0, shares, coefficient };
        body.refit(input.positions, input.attachment_distance);
        Some(body)
    }

    /// Follows points at another rest, and their distances to their bones; what is closed stays.
    pub(super) fn refit(&mut self, positions: &[Vec3], attachment_distance: &[f64]) {
        let Some((first, _)) = self.triangles.first() else { return };
        // From a place on them: far from the origin nothing is lost.
        let origin = positions[first[0] as usize].as_dvec3();
        // The area around each point times its distance to the bone, over the sum.
        let Self { triangles, shares, rest_volume, .. } = self;
        shares.iter_mut().for_each(|(_, share)| *share = 0.0);
        *rest_volume = 0.0;
        for (triangle, places) in &**triangles {
            let area = closed::area_vector(positions, triangle);
            let from_origin = positions[triangle[0] as usize].as_dvec3() - origin;
            *rest_volume += area.dot(from_origin) / 3.0;
            let area = area.length();
            for (&point, &place) in triangle.iter().zip(places) {
                shares[place as usize].1 += area * attachment_distance[point as usize];
            }
        }
        let sum: f64 = shares.iter().map(|share| share.1).sum();
        shares.iter_mut().for_each(|(_, share)| *share /= sum);
    }

    pub(super) fn set_coefficient(&mut self, coefficients: &Coefficients) {
        self.coefficient = f64::from(coefficients.volume);
    }

    /// True if there is a volume, and someone wants it kept.
    fn is_kept(&self) -> bool {
        self.rest_volume > 0.0 && self.rest_volume.is_finite() && self.coefficient > 0.0
    }

    /// Memory for [`Self::swell`].
    pub(super) fn scratch(&self) -> Vec<Sums> {
        vec![[0.0; 2]; self.blocks.len().div_ceil(CHUNK_BLOCKS)]
    }

    /// `V_t/V⁰`: what stretched and scaled bones make of the volume.
    pub(super) fn growth(&self, palette: &Palette, keep_volume: f64) -> f64 {
        if !self.is_kept() {
            return 1.0;
        }
        let of_joint = |joint: u32| {
            let span = &palette.spans()[joint as usize];
            span.limb.determinant().abs() * span.stretch.abs().powf(1.0 - keep_volume)
        };
        self.shares.iter().map(|&(joint, share)| share * of_joint(joint)).sum()
    }

    /// `λ` of positions by slot, near the origin; 0 if they are not all numbers.
    pub(super) fn swell(
        &self,
        level: Level,
        (rows, stage, growth): (&[f32], &Stage, f64),
        is_parallel: bool,
        sums: &mut [Sums],
    ) -> f32 {
        if !self.is_kept() {
            return 0.0;
        }
        let directions = stage.direction.as_flattened();
        let sum = |blocks: &[[[u32; LANES]; 3]]| -> Sums {
            dispatch!(level, simd => sum_blocks(simd, blocks, rows, directions))
        };
        let pieces = self.blocks.chunks(CHUNK_BLOCKS);
        match is_parallel {
            true => {
                let pieces = self.blocks.par_chunks(CHUNK_BLOCKS).zip(&mut *sums);
                pieces.for_each(|(blocks, out)| *out = sum(blocks));
            }
            false => pieces.zip(&mut *sums).for_each(|(blocks, out)| *out = sum(blocks)),
        }
        let [volume, rate] = sums.iter().fold([0.0; 2], |[v, r], sum| [v + sum[0], r + sum[1]]);
        let missing = self.coefficient * (growth * self.rest_volume - volume);
        let missing = if missing < 0.0 { SHRINK_SHARE * missing } else { missing };
        let missing = at_most(missing, MOST_MISSING * self.rest_volume);
        let least = LEAST_RATE * self.rest_volume;
        let swell = at_most(missing * rate / (rate * rate + least * least), MOST_SWELL) as f32;
        if swell.is_finite() { swell } else { 0.0 }
    }

    /// What is bound, as plain arrays; `None` if nobody wants it.
    pub(super) fn tables(&self) -> Option<VolumeTables> {
        let corners = |block: &[[u32; LANES]; 3]| {
            let slots = block.map(|corner| corner.map(|float| float / POSITION_FLOATS as u32));
            (0..LANES).map(move |lane| slots.map(|corner| corner[lane]))
        };
        self.is_kept().then(|| VolumeTables {
            corners: self.blocks.iter().flat_map(corners).collect(),
            rest_volume: self.rest_volume,
            shares: self.shares.clone(),
            coefficient: self.coefficient,
            shrink_share: SHRINK_SHARE,
            most_missing: MOST_MISSING,
            most_swell: MOST_SWELL,
            least_rate: LEAST_RATE,
        })
    }
}

/// `a`, but never quite `most`.
fn at_most(a: f64, most: f64) -> f64 {
    a / (1.0 + (a / most).powi(4)).sqrt().sqrt()
}

#[inline(always)]
fn sum_blocks<S: Simd>(
    simd: S,
    blocks: &[[[u32; LANES]; 3]],
    rows: &[f32],
    directions: &[f32],
) -> Sums {
    let zero = V::splat(simd, 0.0);
    let (mut volume, mut rate) = (zero, zero);
    for corners in blocks {
        let [a, b, c] = [
            gather(simd, rows, &corners[0]),
            gather(simd, rows, &corners[1]),
            gather(simd, rows, &corners[2]),
        ];
        let a = [a[0], a[1], a[2]];
        let ab = difference::<S>([b[0], b[1], b[2]], a);
        let ac = difference::<S>([c[0], c[1], c[2]], a);
        let normal = [
            ab[1].mul_add(ac[2], -(ab[2] * ac[1])),
            ab[2].mul_add(ac[0], -(ab[0] * ac[2])),
            ab[0].mul_add(ac[1], -(ab[1] * ac[0])),
        ];
        // N·b and N·c are the same number.
        volume += dot::<S>(normal, a);
        for corner in corners {
            let [x, y, z, give] = gather(simd, directions, corner);
            rate = give.mul_add(dot::<S>(normal, [x, y, z]), rate);
        }
    }
    let total = |lanes: V<S>| lanes.as_array().iter().map(|&x| f64::from(x)).sum::<f64>();
    [total(volume) / 6.0, total(rate) / 6.0]
}
