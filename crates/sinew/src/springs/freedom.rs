//! How free a point is to swing beside what does not.
//!
//! A robot's hand bends and swings; its arm is one rigid shell and cannot. Where the two meet, a
//! hand that lags by as much as it would alone tears off. So a point near a shell that is held
//! (rigid, or of a mesh that does not relax) may lag by less, in proportion to
//!
//! ```text
//! f = min over the held shells near it, S(gap / r)      r = half of the smaller shell's diagonal
//! ```
//!
//! with `S` the smooth step. Only shells that go with the point's own bone, or with the bone before
//! or after it, hold it: an arm that hangs beside a coat does not.

use glam::DVec3;
use rayon::prelude::*;

use crate::attach::Attachment;
use crate::attach::shells::{ShellKind, Shells, smooth_step};
use crate::mesh::{Aabb, Hit, ShellTree};
use crate::skeleton::Skeleton;

/// Over the smaller shell's diagonal: how far what is held is felt.
const REACH: f64 = 0.5;

/// Held shells that are looked at for each point, at the most.
const MOST_SHELLS: usize = 4;

/// What freedom is found from; everything in the order of the mesh's points.
pub(super) struct FreedomInput<'a> {
    /// At rest.
    pub(super) points: &'a [DVec3],
    /// The surface between them.
    pub(super) triangles: &'a [[u32; 3]],
    /// Which shells there are.
    pub(super) shells: &'a Shells,
    /// True for what stays at its target.
    pub(super) held: &'a [bool],
    /// Where each point holds on to its bone.
    pub(super) attachments: &'a [Attachment],
    /// The bones.
    pub(super) skeleton: &'a Skeleton,
}

/// 0 beside what is held, 1 far from it; empty if nothing is held.
pub(super) fn find(input: &FreedomInput<'_>) -> Vec<f32> {
    let FreedomInput { points, triangles, shells, held, attachments, skeleton } = *input;
    let components = shells.components();
    // What rides goes with the soft shell below it.
    let holds = |corners: &&[u32; 3]| {
        held[corners[0] as usize] && shells.kind_of(corners[0]) != ShellKind::Rider
    };
    let of_held: Vec<[u32; 3]> = triangles.iter().filter(holds).copied().collect();
    if of_held.is_empty() {
        return Vec::new();
    }
    let diagonal = |shell: u32| {
        let places = components.points(shell).iter().map(|&point| points[point as usize].as_vec3());
        f64::from(Aabb::around(places.filter(|p| p.is_finite())).diagonal())
    };
    let diagonals: Vec<f64> = (0..components.len() as u32).map(diagonal).collect();
    let tree = ShellTree::new(points, &of_held, components.of_point());
    let of_point = |point: usize| {
        if held[point] {
            return 1.0;
        }
        let own = components.of_point()[point];
        let hits = tree.closest_of_others::<MOST_SHELLS>(
            points[point],
            own,
            REACH * diagonals[own as usize],
        );
        let freedom = |hit: Hit| {
            let corner = of_held[hit.triangle as usize][0] as usize;
            let reach = REACH * diagonals[own as usize].min(diagonals[hit.component as usize]);
            match goes_with(skeleton, attachments[point].joint, attachments[corner].joint) {
                true => smooth_step(hit.distance / reach.max(f64::MIN_POSITIVE)),
                false => 1.0,
            }
        };
        hits.into_iter().flatten().map(freedom).fold(1.0, f64::min) as f32
    };
    (0..points.len()).into_par_iter().with_min_len(256).map(of_point).collect()
}

/// True for one bone, or two of which one follows the other.
fn goes_with(skeleton: &Skeleton, a: u32, b: u32) -> bool {
    let parent = |joint: u32| skeleton.joints()[joint as usize].parent;
    a == b || parent(a) == Some(b) || parent(b) == Some(a)
}
