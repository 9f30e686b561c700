//! The frame loop of bone-smooth skinning: a block's program for a register of points at a time.

use fearless_simd::{Simd, dispatch, prelude::*};

use super::layout::{Block, Columns, Layout, Output, Task, bone_lane, rest_lane};
use super::turns::{product, splat};
use super::{
    BEND_SOFTNESS, DEEP_WIDENING, GIVE_SOFTNESS, LENGTH_STEPS, LENGTHENING_ONSET, LONGEST,
    MIN_BEND_COSINE, MOST_LENGTHENING,
};
use crate::skeleton::{BoneSpan, JointMatrix, Palette};
use crate::skin::blocks::Lanes;
use crate::skin::dual_quat::{rotate, stretched, stretched_normal};
use crate::skin::kernel::{load_vector, native, native3, register_starts, store_vector};
use crate::skin::tasks::{Threading, share_out};

/// From this many points on a second thread pays: a point takes about ten times as long as in
/// linear blending.
const PARALLEL_POINTS: usize = 16_384;

impl Layout {
    /// Runs a frame into `out`, on rayon's threads where that pays; the bits are the same with any
    /// number of them.
    pub(crate) fn run<O: Output>(&self, palette: &Palette, out: O) {
        self.run_with(Threading::Pool, palette, out);
    }

    /// Runs a frame as the caller of a skin wants it.
    pub(in crate::skin) fn run_with<O: Output>(
        &self,
        threading: Threading,
        palette: &Palette,
        out: O,
    ) {
        let tasks = &self.map.tasks[..];
        let pays = self.map.num_outputs >= PARALLEL_POINTS;
        let tasks = (tasks, threading.tasks_a_piece(tasks.len(), pays));
        share_out(tasks, out, &|task: &Task| task.outputs.clone(), &|task, mut own| {
            dispatch!(self.level, simd => run_task(simd, self, palette, task, &mut own));
        });
    }
}

#[inline(always)]
fn run_task<S: Simd, O: Output>(
    simd: S,
    layout: &Layout,
    palette: &Palette,
    task: &Task,
    out: &mut O,
) {
    let mut columns = Columns::default();
    let is_plain = palette.is_rigid() && palette.spans().iter().all(BoneSpan::is_rest);
    for (in_task, index) in task.blocks.clone().enumerate() {
        let block = &layout.map.blocks[index];
        for start in register_starts::<S>() {
            let at = (block, index, start);
            if is_plain {
                run_register::<S, O, false>(simd, layout, palette, at, &mut columns);
            } else {
                run_register::<S, O, true>(simd, layout, palette, at, &mut columns);
            }
        }
        out.put(in_task, &layout.map.output_of_lane[index], &columns);
    }
}

/// One register of a block: `block` and its `index`, from lane `start` on.
#[inline(always)]
fn run_register<S: Simd, O: Output, const SCALED: bool>(
    simd: S,
    layout: &Layout,
    palette: &Palette,
    (block, index, start): (&Block, usize, usize),
    columns: &mut Columns,
) {
    let joints = &layout.map.bones[block.bones.start..block.bones.end];
    let lanes = &layout.lanes[block.lanes_start..];
    let (rest_lanes, lanes) = lanes.split_at(rest_lane::COUNT);
    let (bone_lanes, turn_lanes) = lanes.split_at(joints.len() * bone_lane::COUNT);
    let steps = &layout.map.steps[block.steps.start..block.steps.end];
    let (q, twist) = product::<S, O>(simd, palette, block.base, steps, turn_lanes, start);

    let register = Register { simd, palette, joints, rest_lanes, bone_lanes, start };
    let bones = register.bones::<O, SCALED>(q, layout.keep_volume);
    let rest = native3(simd, &rest_lanes[rest_lane::POSITION], start);
    let from_bones = native3(simd, &rest_lanes[rest_lane::FROM_BONES], start);
    let outwards = if SCALED { stretched::<S>(bones.stretch, from_bones) } else { from_bones };
    let outwards = rotate(simd, q, outwards);
    let scale = register.lengthening::<SCALED>(&bones, outwards) * bones.thinning;
    let moved = bones.moved;
    let position = [
        rest[0] + (moved[0] + (scale * outwards[0] - from_bones[0])),
        rest[1] + (moved[1] + (scale * outwards[1] - from_bones[1])),
        rest[2] + (moved[2] + (scale * outwards[2] - from_bones[2])),
    ];
    store_vector::<S>(position, &mut columns.position, start);
    if O::NORMALS {
        let mut normal = load_vector(simd, &layout.normals[index], start);
        if SCALED {
            normal = stretched_normal(simd, bones.stretch, normal);
        }
        store_vector::<S>(rotate(simd, q, normal), &mut columns.normal, start);
    }
    if O::STAGE {
        register.store_stage(&bones, outwards, (q, twist), columns);
    }
}

/// A register of points, and what they hold on to.
struct Register<'a, S: Simd> {
    simd: S,
    palette: &'a Palette,
    joints: &'a [u32],
    rest_lanes: &'a [Lanes],
    bone_lanes: &'a [Lanes],
    start: usize,
}

/// What the bones of a register's points do, blended by their weights.
struct Bones<S: Simd> {
    /// Of the places on them, from rest: exactly zero in the rest pose.
    moved: [S::f32s; 3],
    /// Where the attachment is; for the springs' first stage alone.
    attachment: [S::f32s; 3],
    /// Between where the bones point and where the points' rotation has them point.
    bend_cosine: S::f32s,
    /// Symmetric: xx, yy, zz, xy, xz, yz.
    stretch: [S::f32s; 6],
    /// Of limbs whose bones are stretched.
    thinning: S::f32s,
    /// To the places, at rest, as stretched.
    distance_at_rest: S::f32s,
}

impl<S: Simd> Register<'_, S> {
    #[inline(always)]
    fn bones<O: Output, const SCALED: bool>(&self, q: [S::f32s; 4], keep_volume: f64) -> Bones<S> {
        let Self { simd, palette, start, .. } = *self;
        let rest = native3(simd, &self.rest_lanes[rest_lane::POSITION], start);
        let held = native3(simd, &self.rest_lanes[rest_lane::ATTACHMENT], start);
        let zero = splat::<S>(simd, 0.0);
        let mut moved = [zero; 3];
        let mut own = [zero; 3];
        let mut bend_cosine = zero;
        let mut stretch = [zero; 6];
        let mut thinning = splat::<S>(simd, if SCALED { 0.0 } else { 1.0 });
        let mut distance_at_rest = native(simd, &self.rest_lanes[rest_lane::DISTANCE], start);
        if SCALED {
            distance_at_rest = zero;
        }
        for (&joint, lanes) in
            self.joints.iter().zip(self.bone_lanes.chunks_exact(bone_lane::COUNT))
        {
            let joint = joint as usize;
            let weight = native(simd, &lanes[bone_lane::WEIGHT], start);
            let place = native3(simd, &lanes[bone_lane::PLACE], start);
            let mut by = displaced::<S>(simd, &palette.matrices()[joint], place);
            if SCALED {
                let along = native(simd, &lanes[bone_lane::ALONG], start);
                by = spread::<S>(simd, &palette.spans()[joint], along, by);
                let thinned = palette.spans()[joint].stretch.powf(-0.5 * keep_volume);
                thinning = weight.mul_add(splat::<S>(simd, thinned as f32), thinning);
            }
            moved = [
                weight.mul_add(by[0], moved[0]),
                weight.mul_add(by[1], moved[1]),
                weight.mul_add(by[2], moved[2]),
            ];
            if O::STAGE {
                let is_own = native(simd, &lanes[bone_lane::IS_OWN], start);
                let mut by = displaced::<S>(simd, &palette.matrices()[joint], held);
                if SCALED {
                    let along = native(simd, &self.rest_lanes[rest_lane::ATTACHMENT_ALONG], start);
                    by = spread::<S>(simd, &palette.spans()[joint], along, by);
                }
                own = [
                    is_own.mul_add(held[0] + by[0], own[0]),
                    is_own.mul_add(held[1] + by[1], own[1]),
                    is_own.mul_add(held[2] + by[2], own[2]),
                ];
            }
            bend_cosine = weight.mul_add(self.bend_cosine(joint, q), bend_cosine);
            if SCALED {
                let m = &palette.spans()[joint].limb;
                let of_joint =
                    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z];
                let mut of_bone = [zero; 6];
                for i in 0..6 {
                    of_bone[i] = splat::<S>(simd, of_joint[i] as f32);
                    stretch[i] = weight.mul_add(of_bone[i], stretch[i]);
                }
                let away = [rest[0] - place[0], rest[1] - place[1], rest[2] - place[2]];
                let length = length::<S>(stretched::<S>(of_bone, away));
                distance_at_rest = weight.mul_add(length, distance_at_rest);
            }
        }
        Bones { moved, attachment: own, bend_cosine, stretch, thinning, distance_at_rest }
    }

    /// Between where a bone points and where `q` has it point.
    #[inline(always)]
    fn bend_cosine(&self, joint: usize, q: [S::f32s; 4]) -> S::f32s {
        let Self { simd, palette, .. } = *self;
        let axis = palette.turns()[joint].twist_axis;
        let posed_axis = (palette.model_from_rest()[joint].matrix3 * axis).normalize_or(axis);
        let axis = [
            splat::<S>(simd, axis.x as f32),
            splat::<S>(simd, axis.y as f32),
            splat::<S>(simd, axis.z as f32),
        ];
        let turned = rotate(simd, q, axis);
        turned[0].mul_add(
            splat::<S>(simd, posed_axis.x as f32),
            turned[1].mul_add(
                splat::<S>(simd, posed_axis.y as f32),
                turned[2] * splat::<S>(simd, posed_axis.z as f32),
            ),
        )
    }

    /// What brings points as far from their bones as at rest, over `outwards`: steps of the length
    /// adjustment, from where the bend alone would have it.
    #[inline(always)]
    fn lengthening<const SCALED: bool>(&self, bones: &Bones<S>, outwards: [S::f32s; 3]) -> S::f32s {
        let Self { simd, palette, start, .. } = *self;
        let rest = native3(simd, &self.rest_lanes[rest_lane::POSITION], start);
        let from_bones = native3(simd, &self.rest_lanes[rest_lane::FROM_BONES], start);
        let widest = splat::<S>(simd, MIN_BEND_COSINE as f32);
        let one = splat::<S>(simd, 1.0);
        let over = bones.bend_cosine - widest;
        let softness = splat::<S>(simd, BEND_SOFTNESS as f32);
        let soft =
            splat::<S>(simd, 0.5).mul_add(over + over.mul_add(over, softness).sqrt(), widest);
        let soft = soft.min(one);
        let deep = (one - soft).mul_add(splat::<S>(simd, DEEP_WIDENING as f32), one);
        let widening = deep / soft.sqrt().sqrt();
        let mut lengthening = widening;
        for _ in 0..LENGTH_STEPS {
            let mut distance = splat::<S>(simd, 0.0);
            for (&joint, lanes) in
                self.joints.iter().zip(self.bone_lanes.chunks_exact(bone_lane::COUNT))
            {
                let weight = native(simd, &lanes[bone_lane::WEIGHT], start);
                let place = native3(simd, &lanes[bone_lane::PLACE], start);
                let mut by = displaced::<S>(simd, &palette.matrices()[joint as usize], place);
                if SCALED {
                    let along = native(simd, &lanes[bone_lane::ALONG], start);
                    by = spread::<S>(simd, &palette.spans()[joint as usize], along, by);
                }
                let on_bones = [
                    rest[0] - from_bones[0] + bones.moved[0],
                    rest[1] - from_bones[1] + bones.moved[1],
                    rest[2] - from_bones[2] + bones.moved[2],
                ];
                let away = [
                    lengthening.mul_add(outwards[0], on_bones[0] - place[0] - by[0]),
                    lengthening.mul_add(outwards[1], on_bones[1] - place[1] - by[1]),
                    lengthening.mul_add(outwards[2], on_bones[2] - place[2] - by[2]),
                ];
                distance = weight.mul_add(length::<S>(away), distance);
            }
            // A point on its bones has no length to adjust.
            lengthening = lengthening * bones.distance_at_rest
                / distance.max(splat::<S>(simd, f32::MIN_POSITIVE));
        }
        // With a soft onset, and a soft end: both would be kinks in the way of every point that
        // passes them.
        let longer = (lengthening - widening).max(splat::<S>(simd, 0.0));
        let longer = longer.min(splat::<S>(simd, LONGEST as f32));
        let squared = longer * longer;
        let onset = longer + splat::<S>(simd, LENGTHENING_ONSET as f32);
        let over_most = splat::<S>(simd, (1.0 / MOST_LENGTHENING) as f32);
        widening + squared / squared.mul_add(over_most, onset)
    }

    /// What the springs need beside the points.
    #[inline(always)]
    fn store_stage(
        &self,
        bones: &Bones<S>,
        outwards: [S::f32s; 3],
        (q, twist): ([S::f32s; 4], S::f32s),
        columns: &mut Columns,
    ) {
        let Self { simd, start, .. } = *self;
        for (q, column) in q.iter().zip(&mut columns.rotation) {
            q.store_slice(&mut column.0[start..start + S::f32s::LEN]);
        }
        let (zero, one) = (splat::<S>(simd, 0.0), splat::<S>(simd, 1.0));
        let arm = length::<S>(outwards);
        let inverse = one / arm.max(splat::<S>(simd, f32::MIN_POSITIVE));
        let direction = [outwards[0] * inverse, outwards[1] * inverse, outwards[2] * inverse];
        store_vector::<S>(direction, &mut columns.direction, start);
        // Exactly nothing where the point has turned with its bones.
        let (bend, softness) = ((one - bones.bend_cosine).max(zero), GIVE_SOFTNESS);
        let give = (bend + splat::<S>(simd, softness as f32)).sqrt();
        let give = arm * (give - splat::<S>(simd, softness.sqrt() as f32)).max(zero);
        give.store_slice(&mut columns.give.0[start..start + S::f32s::LEN]);
        store_vector::<S>(bones.attachment, &mut columns.attachment, start);
        // A thickened limb need not be thick: the guard is of the shorter of both lengths.
        let thinning = bones.thinning.min(one);
        thinning.store_slice(&mut columns.thinning.0[start..start + S::f32s::LEN]);
        twist.store_slice(&mut columns.twist.0[start..start + S::f32s::LEN]);
    }
}

/// A displacement, and the share of the bone's gap at a place along it.
#[inline(always)]
fn spread<S: Simd>(simd: S, span: &BoneSpan, along: S::f32s, by: [S::f32s; 3]) -> [S::f32s; 3] {
    let gap = span.gap.as_vec3();
    [
        along.mul_add(splat::<S>(simd, gap.x), by[0]),
        along.mul_add(splat::<S>(simd, gap.y), by[1]),
        along.mul_add(splat::<S>(simd, gap.z), by[2]),
    ]
}

/// `M p − p`.
#[inline(always)]
fn displaced<S: Simd>(simd: S, m: &JointMatrix, p: [S::f32s; 3]) -> [S::f32s; 3] {
    let [x, y, z] = m;
    [
        splat::<S>(simd, x[0] - 1.0).mul_add(
            p[0],
            splat::<S>(simd, x[1])
                .mul_add(p[1], splat::<S>(simd, x[2]).mul_add(p[2], splat::<S>(simd, x[3]))),
        ),
        splat::<S>(simd, y[0]).mul_add(
            p[0],
            splat::<S>(simd, y[1] - 1.0)
                .mul_add(p[1], splat::<S>(simd, y[2]).mul_add(p[2], splat::<S>(simd, y[3]))),
        ),
        splat::<S>(simd, z[0]).mul_add(
            p[0],
            splat::<S>(simd, z[1])
                .mul_add(p[1], splat::<S>(simd, z[2] - 1.0).mul_add(p[2], splat::<S>(simd, z[3]))),
        ),
    ]
}

#[inline(always)]
fn length<S: Simd>(v: [S::f32s; 3]) -> S::f32s {
    v[0].mul_add(v[0], v[1].mul_add(v[1], v[2] * v[2])).sqrt()
}
