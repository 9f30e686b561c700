//! The frame loop of bone-smooth skinning: a block's program for a register of points at a time.

use fearless_simd::{Simd, dispatch, prelude::*};

use super::layout::{Block, Columns, Layout, Output, Task, bone_lane, rest_lane};
use super::program::{MAX_FORKS, Step};
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
    let rest = native3(simd, &rest_lanes[rest_lane::POSITION], start);
    let mut from_bones = native3(simd, &rest_lanes[rest_lane::FROM_BONES], start);
    let mut distance_at_rest = native(simd, &rest_lanes[rest_lane::DISTANCE], start);

    // What the bones do, as displacements from rest: those are exactly zero in the rest pose.
    let mut moved = [splat::<S>(simd, 0.0); 3];
    let held = native3(simd, &rest_lanes[rest_lane::ATTACHMENT], start);
    let mut own = [splat::<S>(simd, 0.0); 3];
    let mut bend_cosine = splat::<S>(simd, 0.0);
    let mut stretch = [splat::<S>(simd, 0.0); 6];
    let mut thinning = splat::<S>(simd, if SCALED { 0.0 } else { 1.0 });
    if SCALED {
        distance_at_rest = splat::<S>(simd, 0.0);
    }
    for (&joint, lanes) in joints.iter().zip(bone_lanes.chunks_exact(bone_lane::COUNT)) {
        let joint = joint as usize;
        let weight = native(simd, &lanes[bone_lane::WEIGHT], start);
        let place = native3(simd, &lanes[bone_lane::PLACE], start);
        let mut by = displaced::<S>(simd, &palette.matrices()[joint], place);
        if SCALED {
            let along = native(simd, &lanes[bone_lane::ALONG], start);
            by = spread::<S>(simd, &palette.spans()[joint], along, by);
            let thinned = palette.spans()[joint].stretch.powf(-0.5 * layout.keep_volume);
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
                let along = native(simd, &rest_lanes[rest_lane::ATTACHMENT_ALONG], start);
                by = spread::<S>(simd, &palette.spans()[joint], along, by);
            }
            own = [
                is_own.mul_add(held[0] + by[0], own[0]),
                is_own.mul_add(held[1] + by[1], own[1]),
                is_own.mul_add(held[2] + by[2], own[2]),
            ];
        }
        let axis = palette.turns()[joint].twist_axis;
        let posed_axis = (palette.model_from_rest()[joint].matrix3 * axis).normalize_or(axis);
        let axis = [
            splat::<S>(simd, axis.x as f32),
            splat::<S>(simd, axis.y as f32),
            splat::<S>(simd, axis.z as f32),
        ];
        let turned = rotate(simd, q, axis);
        let cosine = turned[0].mul_add(
            splat::<S>(simd, posed_axis.x as f32),
            turned[1].mul_add(
                splat::<S>(simd, posed_axis.y as f32),
                turned[2] * splat::<S>(simd, posed_axis.z as f32),
            ),
        );
        bend_cosine = weight.mul_add(cosine, bend_cosine);
        if SCALED {
            let m = &palette.spans()[joint].limb;
            let of_joint = [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z];
            let mut of_bone = [splat::<S>(simd, 0.0); 6];
            for i in 0..6 {
                of_bone[i] = splat::<S>(simd, of_joint[i] as f32);
                stretch[i] = weight.mul_add(of_bone[i], stretch[i]);
            }
            let away = [rest[0] - place[0], rest[1] - place[1], rest[2] - place[2]];
            let length = length::<S>(stretched::<S>(of_bone, away));
            distance_at_rest = weight.mul_add(length, distance_at_rest);
        }
    }
    let from_bones_at_rest = from_bones;
    if SCALED {
        from_bones = stretched::<S>(stretch, from_bones);
    }
    let outwards = rotate(simd, q, from_bones);

    // Three steps of the length adjustment, from where the bend alone would have it.
    let widest = splat::<S>(simd, MIN_BEND_COSINE as f32);
    let one = splat::<S>(simd, 1.0);
    let over = bend_cosine - widest;
    let softness = splat::<S>(simd, BEND_SOFTNESS as f32);
    let soft = splat::<S>(simd, 0.5).mul_add(over + over.mul_add(over, softness).sqrt(), widest);
    let soft = soft.min(one);
    let deep = (one - soft).mul_add(splat::<S>(simd, DEEP_WIDENING as f32), one);
    let widening = deep / soft.sqrt().sqrt();
    let mut lengthening = widening;
    for _ in 0..LENGTH_STEPS {
        let mut distance = splat::<S>(simd, 0.0);
        for (&joint, lanes) in joints.iter().zip(bone_lanes.chunks_exact(bone_lane::COUNT)) {
            let weight = native(simd, &lanes[bone_lane::WEIGHT], start);
            let place = native3(simd, &lanes[bone_lane::PLACE], start);
            let mut by = displaced::<S>(simd, &palette.matrices()[joint as usize], place);
            if SCALED {
                let along = native(simd, &lanes[bone_lane::ALONG], start);
                by = spread::<S>(simd, &palette.spans()[joint as usize], along, by);
            }
            let bones = [
                rest[0] - from_bones_at_rest[0] + moved[0],
                rest[1] - from_bones_at_rest[1] + moved[1],
                rest[2] - from_bones_at_rest[2] + moved[2],
            ];
            let away = [
                lengthening.mul_add(outwards[0], bones[0] - place[0] - by[0]),
                lengthening.mul_add(outwards[1], bones[1] - place[1] - by[1]),
                lengthening.mul_add(outwards[2], bones[2] - place[2] - by[2]),
            ];
            distance = weight.mul_add(length::<S>(away), distance);
        }
        // A point on its bones has no length to adjust.
        lengthening =
            lengthening * distance_at_rest / distance.max(splat::<S>(simd, f32::MIN_POSITIVE));
    }
    // With a soft onset, and a soft end: both would be kinks in the way of every point that passes
    // them.
    let longer = (lengthening - widening).max(splat::<S>(simd, 0.0));
    let longer = longer.min(splat::<S>(simd, LONGEST as f32));
    let squared = longer * longer;
    let onset = longer + splat::<S>(simd, LENGTHENING_ONSET as f32);
    let over_most = splat::<S>(simd, (1.0 / MOST_LENGTHENING) as f32);
    let scale = (widening + squared / squared.mul_add(over_most, onset)) * thinning;
    let position = [
        rest[0] + (moved[0] + (scale * outwards[0] - from_bones_at_rest[0])),
        rest[1] + (moved[1] + (scale * outwards[1] - from_bones_at_rest[1])),
        rest[2] + (moved[2] + (scale * outwards[2] - from_bones_at_rest[2])),
    ];
    store_vector::<S>(position, &mut columns.position, start);
    if O::NORMALS {
        let mut normal = load_vector(simd, &layout.normals[index], start);
        if SCALED {
            normal = stretched_normal(simd, stretch, normal);
        }
        store_vector::<S>(rotate(simd, q, normal), &mut columns.normal, start);
    }
    if O::STAGE {
        for (q, column) in q.iter().zip(&mut columns.rotation) {
            q.store_slice(&mut column.0[start..start + S::f32s::LEN]);
        }
        let arm = length::<S>(outwards);
        let inverse = one / arm.max(splat::<S>(simd, f32::MIN_POSITIVE));
        let direction = [outwards[0] * inverse, outwards[1] * inverse, outwards[2] * inverse];
        store_vector::<S>(direction, &mut columns.direction, start);
        // Exactly nothing where the point has turned with its bones.
        let (bend, softness) = ((one - bend_cosine).max(splat::<S>(simd, 0.0)), GIVE_SOFTNESS);
        let give = (bend + splat::<S>(simd, softness as f32)).sqrt();
        let give =
            arm * (give - splat::<S>(simd, softness.sqrt() as f32)).max(splat::<S>(simd, 0.0));
        give.store_slice(&mut columns.give.0[start..start + S::f32s::LEN]);
        store_vector::<S>(own, &mut columns.attachment, start);
        // A thickened limb need not be thick: the guard is of the shorter of both lengths.
        thinning.min(one).store_slice(&mut columns.thinning.0[start..start + S::f32s::LEN]);
        twist.store_slice(&mut columns.twist.0[start..start + S::f32s::LEN]);
    }
}

/// One value in every lane. (A closure would not be compiled for the kernel's instruction set.)
#[inline(always)]
fn splat<S: Simd>(simd: S, x: f32) -> S::f32s {
    S::f32s::splat(simd, x)
}

/// `Σ lanes_i · factor_i`.
#[inline(always)]
fn combined<S: Simd>(simd: S, lanes: [S::f32s; 3], factors: [f64; 3]) -> S::f32s {
    lanes[0].mul_add(
        splat::<S>(simd, factors[0] as f32),
        lanes[1].mul_add(
            splat::<S>(simd, factors[1] as f32),
            lanes[2] * splat::<S>(simd, factors[2] as f32),
        ),
    )
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

/// The product of a block's shares, a unit quaternion, and the twist that its points have in all.
#[inline(always)]
fn product<S: Simd, O: Output>(
    simd: S,
    palette: &Palette,
    base: Option<u32>,
    steps: &[Step],
    mut lanes: &[Lanes],
    start: usize,
) -> ([S::f32s; 4], S::f32s) {
    let zero = splat::<S>(simd, 0.0);
    let one = [zero, zero, zero, splat::<S>(simd, 1.0)];
    let mut q = one;
    let mut twist = zero;
    if let Some(base) = base {
        let turn = &palette.turns()[base as usize];
        let [x, y, z, w] = turn.rotation_from_root.to_array();
        q = [
            splat::<S>(simd, x as f32),
            splat::<S>(simd, y as f32),
            splat::<S>(simd, z as f32),
            splat::<S>(simd, w as f32),
        ];
        let radians = turn.twist_from_root_radians;
        twist = splat::<S>(simd, radians as f32);
    }
    // Set aside at a fork: q, then the siblings' product in both orders.
    let mut forks = [[one; 3]; MAX_FORKS];
    let mut num_forks = 0;
    for step in steps {
        match *step {
            Step::Turn(joint) => {
                let turn = &palette.turns()[joint as usize];
                let of_swing = native(simd, &lanes[0], start);
                let of_twist = native(simd, &lanes[1], start);
                lanes = &lanes[2..];
                // Half angles, in turns.
                let half = |radians: f64| (radians / (2.0 * std::f64::consts::TAU)) as f32;
                let (swing_sin, swing_cos) =
                    sin_cos::<S>(simd, of_swing * splat::<S>(simd, half(turn.swing_radians)));
                let (twist_sin, twist_cos) =
                    sin_cos::<S>(simd, of_twist * splat::<S>(simd, half(turn.twist_radians)));
                let (a, t) = (turn.swing_axis, turn.twist_axis);
                let c = a.cross(t);
                let along_a = swing_sin * twist_cos;
                let along_t = swing_cos * twist_sin;
                let along_c = swing_sin * twist_sin;
                let along = [along_a, along_t, along_c];
                let d = [
                    combined::<S>(simd, along, [a.x, t.x, c.x]),
                    combined::<S>(simd, along, [a.y, t.y, c.y]),
                    combined::<S>(simd, along, [a.z, t.z, c.z]),
                    swing_cos * twist_cos,
                ];
                q = multiply::<S>(q, d);
                if O::STAGE {
                    let radians = splat::<S>(simd, turn.twist_radians as f32);
                    twist = of_twist.mul_add(radians, twist);
                }
            }
            Step::Fork => {
                forks[num_forks] = [q, one, one];
                num_forks += 1;
            }
            Step::Branch => q = one,
            Step::Join => {
                let fork = &mut forks[num_forks - 1];
                fork[1] = multiply::<S>(fork[1], q);
                fork[2] = multiply::<S>(q, fork[2]);
            }
            Step::Merge => {
                num_forks -= 1;
                let [before, forward, backward] = forks[num_forks];
                q = multiply::<S>(before, mean::<S>(simd, forward, backward));
            }
        }
    }
    (q, twist)
}

/// The unit quaternion half-way between two, the second in the first's hemisphere.
#[inline(always)]
fn mean<S: Simd>(simd: S, a: [S::f32s; 4], b: [S::f32s; 4]) -> [S::f32s; 4] {
    let one = splat::<S>(simd, 1.0);
    let dot = a[0].mul_add(b[0], a[1].mul_add(b[1], a[2].mul_add(b[2], a[3] * b[3])));
    let sign = one.copysign(dot);
    let sum = [
        sign.mul_add(b[0], a[0]),
        sign.mul_add(b[1], a[1]),
        sign.mul_add(b[2], a[2]),
        sign.mul_add(b[3], a[3]),
    ];
    let norm =
        sum[0].mul_add(sum[0], sum[1].mul_add(sum[1], sum[2].mul_add(sum[2], sum[3] * sum[3])));
    let inverse = one / norm.sqrt();
    [sum[0] * inverse, sum[1] * inverse, sum[2] * inverse, sum[3] * inverse]
}

/// Hamilton's product, `xyzw`.
#[inline(always)]
fn multiply<S: Simd>(a: [S::f32s; 4], b: [S::f32s; 4]) -> [S::f32s; 4] {
    [
        a[3].mul_add(b[0], a[0].mul_add(b[3], a[1].mul_sub(b[2], a[2] * b[1]))),
        a[3].mul_add(b[1], a[1].mul_add(b[3], a[2].mul_sub(b[0], a[0] * b[2]))),
        a[3].mul_add(b[2], a[2].mul_add(b[3], a[0].mul_sub(b[1], a[1] * b[0]))),
        a[3].mul_sub(b[3], a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))),
    ]
}

/// Sine and cosine of an angle given in turns.
#[inline(always)]
fn sin_cos<S: Simd>(simd: S, turns: S::f32s) -> (S::f32s, S::f32s) {
    let quarter = splat::<S>(simd, 0.25);
    let half = splat::<S>(simd, 0.5);
    // In −½..½; the subtraction is exact.
    let y = turns - turns.round_ties_even();
    // Beyond a quarter turn the sine runs back: sin(y) = sin(±½ − y).
    let folded = half.copysign(y) - y;
    let y_sine = y.abs().simd_gt(quarter).select(folded, y);
    (sine_of_quarter::<S>(simd, y_sine), sine_of_quarter::<S>(simd, quarter - y.abs()))
}

/// `sin 2πy` for `|y| ≤ ¼`: the Taylor series to the eleventh power, within 6e-8.
#[inline(always)]
fn sine_of_quarter<S: Simd>(simd: S, y: S::f32s) -> S::f32s {
    let z = y * y;
    let p = z
        .mul_add(splat::<S>(simd, -15.094_643), splat::<S>(simd, 42.058_693))
        .mul_add(z, splat::<S>(simd, -76.705_86))
        .mul_add(z, splat::<S>(simd, 81.605_25))
        .mul_add(z, splat::<S>(simd, -41.341_7))
        .mul_add(z, splat::<S>(simd, std::f32::consts::TAU));
    p * y
}
