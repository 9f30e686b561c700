//! Each frame, once: from the first stage to what stays the same during the iterations.

use fearless_simd::{Simd, dispatch, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::domains::Domain;
use super::{
    Anchored, AnchoredFrame, AnchoredScratch, CoarseScratch, EdgeRow, GAINS, PointSlice, handles,
};
use crate::springs::Start;
use crate::springs::contact::NO_CONTACT;
use crate::springs::lanes::{V, add_scaled, difference, dot, gather, load, load_rows, load3};
use crate::springs::rows::{LANES, POSITION_FLOATS};
use crate::springs::stage::Stage;

/// Squares below this have no direction: far under any length's, and its reciprocal is far from
/// infinity.
pub(super) const LEAST_SQUARE: f32 = 1e-30;

/// Fills `edges` and `points` of the scratch.
pub(super) fn prepare(plan: &Anchored, stage: &Stage, scratch: &mut AnchoredScratch) {
    let slots = plan.order.num_slots();
    assert_eq!(stage.target.len(), slots, "targets of the bound mesh");
    assert_eq!(stage.rotation.len(), slots, "rotations of the bound mesh");
    assert_eq!(stage.direction.len(), slots, "directions of the bound mesh");
    assert_eq!(stage.attachment.len(), slots, "attachments of the bound mesh");
    assert_eq!(stage.contact.len(), slots, "contacts of the bound mesh");
    assert_eq!(scratch.edges.len(), plan.links.len(), "scratch of the bound mesh");
    assert_eq!(scratch.points.len(), plan.anchors.len(), "scratch of the bound mesh");
    let piece = plan.anchors.len().div_ceil(scratch.domains.len()).max(1);
    let frame = (stage, scratch.centre);
    prepare_slices(plan, frame, 0, (&mut scratch.points, &mut scratch.edges), piece);
    prepare_contacts(stage, scratch);
}

/// Few slots have a plane: the rows of those that have none are not written.
fn prepare_contacts(stage: &Stage, scratch: &mut AnchoredScratch) {
    let (slices, _) = stage.contact.as_chunks::<LANES>();
    let centre = Vec3::from_array(scratch.centre);
    for ((rows, contact), is_bent) in
        slices.iter().zip(&mut scratch.contacts).zip(&mut scratch.is_bent)
    {
        *is_bent = rows.iter().any(|row| row[3] > 0.5 * NO_CONTACT);
        if !*is_bent {
            continue;
        }
        for (lane, &[x, y, z, least]) in rows.iter().enumerate() {
            for (normal, x) in contact.normal.iter_mut().zip([x, y, z]) {
                normal[lane] = x;
            }
            contact.least[lane] = least - Vec3::new(x, y, z).dot(centre);
        }
    }
}

/// Halves the work until it is a piece.
fn prepare_slices(
    plan: &Anchored,
    frame: (&Stage, [f32; 3]),
    first: usize,
    (points, edges): (&mut [PointSlice], &mut [EdgeRow]),
    piece: usize,
) {
    if points.len() <= piece {
        dispatch!(plan.level, simd => slices(simd, plan, frame, first, points, edges));
        return;
    }
    let half = points.len() / 2;
    let rows = (plan.row_starts[first + half] - plan.row_starts[first]) as usize;
    let (early_points, late_points) = points.split_at_mut(half);
    let (early_edges, late_edges) = edges.split_at_mut(rows);
    rayon::join(
        || prepare_slices(plan, frame, first, (early_points, early_edges), piece),
        || prepare_slices(plan, frame, first + half, (late_points, late_edges), piece),
    );
}

#[inline(always)]
fn slices<S: Simd>(
    simd: S,
    plan: &Anchored,
    (stage, centre): (&Stage, [f32; 3]),
    first: usize,
    points: &mut [PointSlice],
    edges: &mut [EdgeRow],
) {
    let targets: &[f32] = stage.target.as_flattened();
    let rotations: &[f32] = stage.rotation.as_flattened();
    let first_row = plan.row_starts[first] as usize;
    for (slice, point) in (first..).zip(points) {
        let [x, y, z, twist] = load_rows(simd, block(targets, slice));
        let target = [x, y, z];
        let rotation = load_rows(simd, block(rotations, slice));
        let mut pull = [V::splat(simd, 0.0); 3];
        let rows = plan.row_starts[slice] as usize..plan.row_starts[slice + 1] as usize;
        let edges = &mut edges[rows.start - first_row..rows.end - first_row];
        for ((edge, link), rest) in
            edges.iter_mut().zip(&plan.links[rows.clone()]).zip(&plan.rests[rows])
        {
            let there = gather(simd, targets, &link.neighbours);
            let turn = gather(simd, rotations, &link.neighbours);
            let half_edges = HalfEdges {
                staged: difference::<S>([there[0], there[1], there[2]], target),
                twist_radians: there[3] - twist,
                rotation: [
                    rotation[0] + turn[0],
                    rotation[1] + turn[1],
                    rotation[2] + turn[2],
                    rotation[3] + turn[3],
                ],
                rest: load3(simd, &rest.edge),
                arms: load(simd, &rest.arms),
            };
            let wish = half_edges.wish(simd, edge);
            pull = add_scaled::<S>(pull, load(simd, &link.stiffness), wish);
        }
        finish_point(simd, plan, (stage, centre), slice, (target, pull), point);
    }
}

/// A register of half edges, from points to their neighbours.
struct HalfEdges<S: Simd> {
    /// As the first stage has them.
    staged: [V<S>; 3],
    /// By how much the neighbour's limb is twisted further.
    twist_radians: V<S>,
    /// The sum of both ends' rotations, of any length.
    rotation: [V<S>; 4],
    /// At rest.
    rest: [V<S>; 3],
    /// Product of both ends' distances to their bones; negative for what ties two shells.
    arms: V<S>,
}

impl<S: Simd> HalfEdges<S> {
    /// Stores a row's guard and tension limit; returns its wished-for edges `d_e`.
    #[inline(always)]
    fn wish(&self, simd: S, out: &mut EdgeRow) -> [V<S>; 3] {
        let Self { staged, twist_radians: twist, rotation, rest: edge, arms } = *self;
        let least = V::splat(simd, LEAST_SQUARE);
        let length_squared = dot::<S>(edge, edge);
        // What ties two shells has neither limit nor guard.
        let is_tie = arms.simd_lt(0.0);
        let arms = arms.abs();

        // |q|² R e⁰ = (w² − v·v) e⁰ + 2 v (v·e⁰) + 2 w v×e⁰: the sum of two unit quaternions needs
        // no square root.
        let axis = [rotation[0], rotation[1], rotation[2]];
        let w = rotation[3];
        let axis_squared = dot::<S>(axis, axis);
        let straight = w.mul_add(w, -axis_squared);
        let along = dot::<S>(axis, edge);
        let (along, around) = (along + along, w + w);
        let cross = [
            axis[1].mul_add(edge[2], -(axis[2] * edge[1])),
            axis[2].mul_add(edge[0], -(axis[0] * edge[2])),
            axis[0].mul_add(edge[1], -(axis[1] * edge[0])),
        ];
        let inverse = V::splat(simd, 1.0) / w.mul_add(w, axis_squared).max(least);
        let rotated = [
            inverse * straight.mul_add(edge[0], along.mul_add(axis[0], around * cross[0])),
            inverse * straight.mul_add(edge[1], along.mul_add(axis[1], around * cross[1])),
            inverse * straight.mul_add(edge[2], along.mul_add(axis[2], around * cross[2])),
        ];

        let guard = V::splat(simd, 1.0)
            / (length_squared * V::splat(simd, GAINS.orientation_limit)).max(least);
        let guard = is_tie.select(V::splat(simd, 0.0), guard);
        for (rotated, out) in rotated.iter().zip(&mut out.guard) {
            (*rotated * guard).store_array(out);
        }

        // Where the limb twists, the first stage's own edge is what is wished for, and its length
        // sets the limit: the diagonals of a twisted lattice must lengthen, or they pull the tube
        // in.
        let zero = V::splat(simd, 0.0);
        let twist_squared = twist * twist * arms;
        let softness = V::splat(simd, GAINS.twist_softness).mul_add(length_squared, twist_squared);
        let twisted = twist_squared / softness.max(least);
        let length = length_squared.sqrt();
        let way = V::splat(simd, GAINS.tension_twist) * twist_squared.sqrt();
        let longer = (dot::<S>(staged, staged).sqrt() - length).max(zero).min(way);
        let limit = V::splat(simd, GAINS.tension_limit) * twisted.mul_add(longer, length);
        // An edge without a length has no limit: over one it would be longer than any number.
        let limit_squared = limit * limit;
        let over = V::splat(simd, 1.0) / limit_squared.max(least);
        let over = is_tie.select(zero, over);
        limit_squared.simd_gt(least).select(over, zero).store_array(&mut out.over_tension_squared);

        let share = V::splat(simd, 1.0 - GAINS.target_share)
            .mul_add(twisted, V::splat(simd, GAINS.target_share));
        add_scaled::<S>(rotated, share, difference::<S>(staged, rotated))
    }
}

#[inline(always)]
fn finish_point<S: Simd>(
    simd: S,
    plan: &Anchored,
    (stage, centre): (&Stage, [f32; 3]),
    slice: usize,
    (target, pull): ([V<S>; 3], [V<S>; 3]),
    out: &mut PointSlice,
) {
    let direction = load_rows(simd, block(stage.direction.as_flattened(), slice));
    let [x, y, z, thinning] = load_rows(simd, block(stage.attachment.as_flattened(), slice));
    let centre = centre.map(|number| V::splat(simd, number));
    let attachment = difference::<S>([x, y, z], centre);
    let target = difference::<S>(target, centre);
    let arm = difference::<S>(target, attachment);
    let inverse = V::splat(simd, 1.0) / dot::<S>(arm, arm).max(V::splat(simd, LEAST_SQUARE)).sqrt();
    let normal = [arm[0] * inverse, arm[1] * inverse, arm[2] * inverse];
    let least_length = load(simd, &plan.anchors[slice].least_length);
    let least = thinning.mul_add(least_length, dot::<S>(normal, attachment));
    let torque = V::splat(simd, plan.forces.torque);
    for i in 0..3 {
        target[i].store_array(&mut out.target[i]);
        direction[i].store_array(&mut out.direction[i]);
        normal[i].store_array(&mut out.normal[i]);
        (torque * pull[i]).store_array(&mut out.pull[i]);
    }
    least.store_array(&mut out.least);
    out.stiffness = plan.anchors[slice].stiffness;
}

/// The rows of a slice.
#[inline(always)]
pub(super) fn block(floats: &[f32], slice: usize) -> &[f32; LANES * POSITION_FLOATS] {
    let (blocks, _) = floats.as_chunks::<{ LANES * POSITION_FLOATS }>();
    &blocks[slice]
}

/// Fills the position buffers. A slot is held by an infinite fourth float, which stands for its
/// diagonal: it takes no step, and needs no test.
pub(super) fn start(
    plan: &Anchored,
    frame: &AnchoredFrame<'_>,
    stage: &Stage,
    scratch: &mut AnchoredScratch,
) {
    if let Start::Previous(previous) = frame.start {
        assert_eq!(previous.len(), plan.order.num_points(), "one start a point");
    }
    let AnchoredScratch { domains, coarse, centre, .. } = scratch;
    let coarse = coarse.as_deref().filter(|_| frame.iterations > 0);
    let origin = Origin { stage, coarse, centre: Vec3::from_array(*centre) };
    match &mut domains[..] {
        [domain] => start_domain(plan, frame, &origin, domain),
        domains => {
            domains.par_iter_mut().for_each(|domain| start_domain(plan, frame, &origin, domain));
        }
    }
}

/// Where a frame begins.
struct Origin<'a> {
    stage: &'a Stage,
    coarse: Option<&'a CoarseScratch>,
    centre: Vec3,
}

fn start_domain(
    plan: &Anchored,
    frame: &AnchoredFrame<'_>,
    origin: &Origin<'_>,
    domain: &mut Domain,
) {
    let &Origin { stage, coarse, centre } = origin;
    let row = |at: Vec3, fourth: f32| (at - centre).extend(fourth).to_array();
    let slots = domain.known_slots(plan);
    let [even, odd] = domain.rows_mut();
    let (rows, _) = even.as_chunks_mut::<POSITION_FLOATS>();
    match frame.start {
        Start::FirstStage => {
            for slot in slots.clone() {
                rows[slot] = row(stage.position(slot), 0.0);
            }
            if let (Some(level), Some(coarse)) = (&plan.coarse, coarse) {
                let blends = &level.blends[slots.clone()];
                for (row, blend) in rows[slots.clone()].iter_mut().zip(blends) {
                    let [x, y, z] = coarse.way(blend);
                    *row = [row[0] + x, row[1] + y, row[2] + z, 0.0];
                }
            }
        }
        Start::Previous(previous) => {
            let points = &plan.order.point_of_slot()[slots.clone()];
            for (slot, &point) in slots.clone().zip(points) {
                rows[slot] = row(previous[point as usize], 0.0);
            }
        }
    }
    for slot in plan.loose_slots.iter().map(|&slot| slot as usize) {
        if slots.contains(&slot) {
            rows[slot] = row(stage.position(slot), f32::INFINITY);
        }
    }
    for handle in handles(frame.edits, frame.pins) {
        let slot = plan.order.slot_of_point()[handle as usize] as usize;
        if slots.contains(&slot) && rows[slot][3] == 0.0 {
            rows[slot][3] = plan.handle_bound(slot);
        }
    }
    if let Some(within) = &frame.within {
        for slot in slots.clone() {
            let point = plan.order.point_of_slot()[slot];
            if !within.region.is_free(point) {
                let at = within.base.map_or(stage.position(slot), |base| base[point as usize]);
                rows[slot] = row(at, f32::INFINITY);
            }
        }
    }
    for pin in frame.pins.iter().filter(|pin| pin.is_exact()) {
        let slot = plan.order.slot_of_point()[pin.point as usize] as usize;
        if slots.contains(&slot) {
            rows[slot] = row(pin.position, f32::INFINITY);
        }
    }
    let floats = slots.start * POSITION_FLOATS..slots.end * POSITION_FLOATS;
    odd[floats.clone()].copy_from_slice(&even[floats]);
}
