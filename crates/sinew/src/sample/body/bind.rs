//! Smooth weights: each place first belongs to the nearest bone *of its own region*, then shares
//! diffuse along the skin.
//!
//! Regions come from the clay (which brush made the skin), so that a finger never looks at its
//! neighbour's bones, nor a flank at the arm's. Diffusion is implicit, `(M + t·L) w = M w₀` twice,
//! with `√t` a fraction of the distance to the bone: a blend as wide as the limb is thick. `L` has
//! non-negative cotangent weights, so weights stay in 0..1 and sum to one. Joints are solved by
//! conjugate gradients in fixed batches: the result does not depend on threads.

use glam::DVec3;
use rayon::prelude::*;

use super::rig::{Rig, Rigged};
use super::whole::Whole;

/// `√t` over the distance to the bone. Above one half, thin limbs lose their rigid middle; below a
/// quarter, bends crease.
const BLEND_OVER_RADIUS: f64 = 0.42;

/// Largest number of joints that move a point.
const MAX_INFLUENCES: usize = 4;

/// Weights are multiples of this: rows then sum to exactly one in f32.
const WEIGHT_STEPS: f64 = (1 << 20) as f64;

/// Joints that are solved side by side, and their values at a point.
const LANES: usize = 4;
type Lanes = [f64; LANES];

/// What a piece of skin may follow.
#[derive(Clone, Debug, Default)]
pub(super) struct Region {
    /// Indices of central and left joints.
    pub(super) joints: Vec<usize>,
    /// Axis of the chart that it is unrolled around.
    pub(super) chart_axis: [DVec3; 2],
}

/// A soft place that a joint of the face holds.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// A central or left joint.
    pub(super) joint: usize,
    pub(super) center: DVec3,
    /// Where the share has fallen to nothing, metres, along x, y, z.
    pub(super) radii: DVec3,
    /// Share at the centre.
    pub(super) strength: f64,
}

/// One row of `(joint, weight)` a point of the whole body.
pub(super) fn bind(
    whole: &Whole,
    rig: &Rig,
    rigged: &Rigged,
    regions: &[Region],
    patches: &[Patch],
) -> Vec<Vec<(u32, f32)>> {
    let num_half = whole.num_half;
    let mut owner = vec![0usize; num_half];
    let mut reach = vec![0.0; num_half];
    for p in 0..num_half {
        let position = whole.points[p];
        let region = &regions[whole.region_of_half[p] as usize];
        let mut best = (f64::INFINITY, 0);
        for &joint in &region.joints {
            let d = segment_distance(position, rig.joints[joint].head, rig.joints[joint].tail);
            if d < best.0 {
                best = (d, joint);
            }
        }
        owner[p] = best.1;
        reach[p] = best.0 * BLEND_OVER_RADIUS;
    }
    let system = System::new(whole, &reach);
    let num_described = rig.joints.len();
    let first_share = |joint: usize, p: usize| {
        let half = p.min(whole.mirror[p] as usize);
        let on_seam = whole.mirror[p] as usize == p;
        let in_middle = rigged.mirror_of[joint] as usize == joint;
        if owner[half] != joint || (p != half && !in_middle) {
            0.0
        } else if on_seam && !in_middle {
            // A seam point belongs to both sides.
            0.5
        } else {
            1.0
        }
    };
    // Joints go through the solver side by side: the matrix is read once for all of a batch.
    let joints: Vec<usize> = (0..num_described).collect();
    let batches: Vec<Vec<Lanes>> = joints
        .par_chunks(LANES)
        .map(|batch| {
            let share = |p: usize| {
                std::array::from_fn(|lane| {
                    batch.get(lane).map_or(0.0, |&joint| first_share(joint, p))
                })
            };
            let shares: Vec<Lanes> = (0..whole.points.len()).map(share).collect();
            system.solve(&system.solve(&shares))
        })
        .collect();
    let field = |joint: usize, p: usize| batches[joint / LANES][p][joint % LANES];

    let patches_of_region: Vec<Vec<&Patch>> =
        regions.iter().map(|region| patches_on(region, rig, patches)).collect();
    let mut rows = vec![Vec::new(); whole.points.len()];
    for p in 0..num_half {
        let q = whole.mirror[p] as usize;
        let mut row: Vec<(u32, f64)> = Vec::new();
        for joint in 0..num_described {
            let mirror = rigged.mirror_of[joint];
            row.push((joint as u32, field(joint, p)));
            if mirror as usize != joint {
                row.push((mirror, field(joint, q)));
            }
        }
        let on_skin = &patches_of_region[whole.region_of_half[p] as usize];
        apply_patches(&mut row, whole.points[p], rigged, on_skin);
        let row = pruned(row, rigged, q == p);
        if q != p {
            rows[q] = row.iter().map(|&(j, w)| (rigged.mirror_of[j as usize], w)).collect();
        }
        rows[p] = row;
    }
    rows
}

fn segment_distance(p: DVec3, a: DVec3, b: DVec3) -> f64 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.length_squared().max(1e-12)).clamp(0.0, 1.0);
    p.distance(a + ab * t)
}

/// The patches that lie on a region's skin: those whose joint hangs from one of the region's.
fn patches_on<'a>(region: &Region, rig: &Rig, patches: &'a [Patch]) -> Vec<&'a Patch> {
    let hangs = |patch: &&Patch| {
        let mut up = Some(patch.joint);
        while let Some(joint) = up {
            if region.joints.contains(&joint) {
                return true;
            }
            up = rig.joints[joint].parent;
        }
        false
    };
    patches.iter().filter(hangs).collect()
}

fn apply_patches(row: &mut Vec<(u32, f64)>, position: DVec3, rigged: &Rigged, patches: &[&Patch]) {
    for patch in patches {
        let mirror = rigged.mirror_of[patch.joint];
        let sides: &[(u32, f64)] = if mirror as usize == patch.joint {
            &[(mirror, 1.0)]
        } else {
            &[(patch.joint as u32, 1.0), (mirror, -1.0)]
        };
        let mut taken = 0.0;
        let mut added = Vec::new();
        for &(joint, side) in sides {
            let center = DVec3::new(side * patch.center.x, patch.center.y, patch.center.z);
            let d = ((position - center) / patch.radii).length();
            if d < 1.0 {
                let share = patch.strength * (1.0 - d * d).powi(2);
                taken += share;
                added.push((joint, share));
            }
        }
        if taken > 1.0 {
            for (_, share) in &mut added {
                *share /= taken;
            }
            taken = 1.0;
        }
        for (_, weight) in row.iter_mut() {
            *weight *= 1.0 - taken;
        }
        for (joint, share) in added {
            match row.iter_mut().find(|(j, _)| *j == joint) {
                Some((_, weight)) => *weight += share,
                None => row.push((joint, share)),
            }
        }
    }
}

/// The largest four, as whole steps that sum to one. The largest weight that is left out is taken
/// off those that stay: where two joints change places in the order, both are at zero, and no
/// crease shows. On the seam a left joint stays only with its mirror.
fn pruned(mut row: Vec<(u32, f64)>, rigged: &Rigged, on_seam: bool) -> Vec<(u32, f32)> {
    // Taken off every weight, so that what falls away was zero already. Diffusion reaches
    // everywhere a little: with it, a skull would follow its neck.
    const LEAST: f64 = 0.01;
    for (_, weight) in &mut row {
        *weight -= LEAST;
    }
    row.retain(|&(_, w)| w > 0.0);
    let key = |j: u32| j.min(rigged.mirror_of[j as usize]);
    if on_seam {
        // Both of a pair have one weight here, but for the rounding of two sums.
        for i in 0..row.len() {
            let mirror = rigged.mirror_of[row[i].0 as usize];
            if let Some(other) = row.iter().position(|r| r.0 == mirror) {
                let mean = 0.5 * (row[i].1 + row[other].1);
                row[i].1 = mean;
                row[other].1 = mean;
            }
        }
    }
    row.sort_by(|a, b| {
        let by_weight = b.1.total_cmp(&a.1);
        if on_seam { by_weight.then(key(a.0).cmp(&key(b.0))) } else { by_weight }
            .then(a.0.cmp(&b.0))
    });
    let mut num_kept = row.len().min(MAX_INFLUENCES);
    let splits_pair =
        |n: usize| on_seam && n > 0 && n < row.len() && key(row[n - 1].0) == key(row[n].0);
    if splits_pair(num_kept) {
        num_kept -= 1;
    }
    let left_out = row.get(num_kept).map_or(LEAST, |r| r.1);
    // All of them equal: nothing stands out, so all stay as they are.
    let cut = if row.first().is_some_and(|r| r.1 > left_out * 1.02) { left_out } else { 0.0 };
    let mut kept = row;
    kept.truncate(num_kept);
    for (_, weight) in &mut kept {
        *weight = (*weight - cut).max(0.0);
    }
    let sum: f64 = kept.iter().map(|k| k.1).sum();
    let mut steps: Vec<(u32, f64)> =
        kept.iter().map(|&(j, w)| (j, (w / sum * WEIGHT_STEPS).floor())).collect();
    let rest = WEIGHT_STEPS - steps.iter().map(|s| s.1).sum::<f64>();
    if let Some(first) = steps.first_mut() {
        first.1 += rest;
    }
    steps.into_iter().filter(|s| s.1 > 0.0).map(|(j, s)| (j, (s / WEIGHT_STEPS) as f32)).collect()
}

/// `M + t·L` over the whole body, rows compressed.
struct System {
    mass: Vec<f64>,
    diagonal: Vec<f64>,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl System {
    fn new(whole: &Whole, reach: &[f64]) -> Self {
        let n = whole.points.len();
        let mut mass = vec![0.0; n];
        let mut entries: Vec<(u32, u32, f64)> = Vec::with_capacity(whole.triangles.len() * 6);
        let reach_of = |p: u32| reach[(p as usize).min(whole.mirror[p as usize] as usize)];
        for t in &whole.triangles {
            let p = t.map(|i| whole.points[i as usize]);
            let area = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]).length();
            for c in 0..3 {
                mass[t[c] as usize] += area / 3.0;
                let (a, b) = (t[(c + 1) % 3], t[(c + 2) % 3]);
                let (u, v) = (p[(c + 1) % 3] - p[c], p[(c + 2) % 3] - p[c]);
                // Half the cotangent, kept positive so that weights stay between 0 and 1.
                let cotangent = (0.5 * u.dot(v) / u.cross(v).length().max(1e-14)).max(0.02);
                let t = (0.5 * (reach_of(a) + reach_of(b))).powi(2);
                entries.push((a, b, t * cotangent));
                entries.push((b, a, t * cotangent));
            }
        }
        entries.sort_by_key(|e| (e.0, e.1));
        let mut system =
            Self { diagonal: mass.clone(), mass, starts: vec![0], columns: vec![], values: vec![] };
        for same in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (row, column, _) = same[0];
            while system.starts.len() <= row as usize {
                system.starts.push(system.columns.len() as u32);
            }
            let value: f64 = same.iter().map(|e| e.2).sum();
            system.columns.push(column);
            system.values.push(value);
            system.diagonal[row as usize] += value;
        }
        while system.starts.len() <= n {
            system.starts.push(system.columns.len() as u32);
        }
        system
    }

    fn apply(&self, x: &[Lanes], out: &mut [Lanes]) {
        for (row, y) in out.iter_mut().enumerate() {
            let span = self.starts[row] as usize..self.starts[row + 1] as usize;
            let mut sum = x[row].map(|x| self.diagonal[row] * x);
            for (&column, &value) in self.columns[span.clone()].iter().zip(&self.values[span]) {
                let x = &x[column as usize];
                for lane in 0..LANES {
                    sum[lane] -= value * x[lane];
                }
            }
            *y = sum;
        }
    }

    /// Jacobi-preconditioned conjugate gradients, to well below the smallest weight that is kept;
    /// each lane is a system of its own.
    fn solve(&self, right: &[Lanes]) -> Vec<Lanes> {
        const TOLERANCE: f64 = 2e-4;
        const MAX_ITERATIONS: usize = 400;
        let n = right.len();
        let mut x = right.to_vec();
        let mut ap = vec![[0.0; LANES]; n];
        self.apply(&x, &mut ap);
        let mut r: Vec<Lanes> = (0..n)
            .map(|i| std::array::from_fn(|lane| self.mass[i] * right[i][lane] - ap[i][lane]))
            .collect();
        let mut p: Vec<Lanes> =
            r.iter().zip(&self.diagonal).map(|(r, d)| r.map(|r| r / d)).collect();
        let mut rz = dot(&r, &p);
        let stop = rz.map(|rz| rz * TOLERANCE * TOLERANCE);
        for _ in 0..MAX_ITERATIONS {
            if (0..LANES).all(|lane| rz[lane] <= stop[lane]) {
                break;
            }
            self.apply(&p, &mut ap);
            let curvature = dot(&p, &ap);
            // A lane that is done stands still.
            let alpha: Lanes = std::array::from_fn(|lane| {
                if rz[lane] <= stop[lane] { 0.0 } else { rz[lane] / curvature[lane] }
            });
            let mut next = [0.0; LANES];
            for i in 0..n {
                for lane in 0..LANES {
                    x[i][lane] += alpha[lane] * p[i][lane];
                    r[i][lane] -= alpha[lane] * ap[i][lane];
                    next[lane] += r[i][lane] * r[i][lane] / self.diagonal[i];
                }
            }
            let beta: Lanes = std::array::from_fn(|lane| {
                if rz[lane] <= stop[lane] { 0.0 } else { next[lane] / rz[lane] }
            });
            for i in 0..n {
                for lane in 0..LANES {
                    p[i][lane] = r[i][lane] / self.diagonal[i] + beta[lane] * p[i][lane];
                }
            }
            rz = next;
        }
        for lanes in &mut x {
            *lanes = lanes.map(|w| w.clamp(0.0, 1.0));
        }
        x
    }
}

fn dot(a: &[Lanes], b: &[Lanes]) -> Lanes {
    let mut sum = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sum[lane] += a[lane] * b[lane];
        }
    }
    sum
}
