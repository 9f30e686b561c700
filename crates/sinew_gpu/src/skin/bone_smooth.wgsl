// Bone-smooth skinning. Twin of sinew's skin/bone_smooth/kernel.rs, whose blocks of sixteen points
// it takes as they are.
// prelude: maths.wgsl, skeleton/rows.wgsl

struct BoneSmoothParams {
    // Sixteen a block.
    num_lanes: u32,
    // Of the outputs of lanes, in `program`.
    outputs_start: u32,
    // Of the rest normals, in `lanes`.
    normals_start: u32,
    has_normals: u32,
    length_steps: u32,
    keep_volume: f32,
    min_bend_cosine: f32,
    bend_softness: f32,
    deep_widening: f32,
    most_lengthening: f32,
    lengthening_onset: f32,
    give_softness: f32,
}

@group(0) @binding(0) var<uniform> params: BoneSmoothParams;
// Six words a block (base joint, begin and end of its steps, begin and end of its bones, begin of
// its lanes), then steps, bones, and the output of every lane.
@group(0) @binding(1) var<storage, read> program: array<u32>;
@group(0) @binding(2) var<storage, read> lanes: array<f32>;
@group(0) @binding(3) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> bones: array<vec4<f32>>;

// Of a skin.
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> normals: array<vec4<f32>>;

// Of the springs' first stage: position and twist, rotation, direction from the bones and how far a
// point may go along it to make up for lost volume, place on the own bone and thinning.
@group(0) @binding(5) var<storage, read_write> stage_target: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> stage_rotation: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> stage_direction: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read_write> stage_attachment: array<vec4<f32>>;

const LANES: u32 = 16u;
const BLOCK_WORDS: u32 = 6u;
const REST_LANES: u32 = 11u;
const BONE_LANES: u32 = 6u;
// Forks inside forks that are kept apart: `BoneSmoothTables::MAX_FORKS`.
const MAX_FORKS: u32 = 6u;
const NOTHING: u32 = 0xffffffffu;
// What the length adjustment asks for is not told from more, whose square is no number.
const LONGEST: f32 = 100.0;

// Steps: a joint to turn by, or one of these.
const FORK: u32 = 0xfffffff0u;
const BRANCH: u32 = 0xfffffff1u;
const JOIN: u32 = 0xfffffff2u;
const MERGE: u32 = 0xfffffff3u;

const IDENTITY: vec4<f32> = vec4<f32>(0.0, 0.0, 0.0, 1.0);

struct Block {
    base: u32,
    steps: vec2<u32>,
    bones: vec2<u32>,
    // Of this point: the first of its lanes.
    lane: u32,
}

// What becomes of a point.
struct Posed {
    position: vec3<f32>,
    rotation: vec4<f32>,
    outwards: vec3<f32>,
    stretch: Symmetric,
    is_scaled: bool,
    attachment: vec3<f32>,
    twist: f32,
    thinning: f32,
    bend_cosine: f32,
}

fn lane3(first: u32) -> vec3<f32> {
    return vec3(lanes[first], lanes[first + LANES], lanes[first + 2u * LANES]);
}

fn block_of(index: u32) -> Block {
    let at = index / LANES * BLOCK_WORDS;
    return Block(
        program[at],
        vec2(program[at + 1u], program[at + 2u]),
        vec2(program[at + 3u], program[at + 4u]),
        program[at + 5u] + index % LANES,
    );
}

// The unit quaternion half-way between two, the second in the first's hemisphere.
fn mean(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let sum = a + select(b, -b, dot(a, b) < 0.0);
    return sum / sqrt(dot(sum, sum));
}

struct Product {
    rotation: vec4<f32>,
    twist: f32,
}

// The product of a point's shares, and the twist that it has in all.
fn product(block: Block, first_turn_lane: u32) -> Product {
    var q = IDENTITY;
    var twist = 0.0;
    if block.base != NOTHING {
        q = bones[block.base * BONE_ROWS + ROTATION_FROM_ROOT];
        twist = bones[block.base * BONE_ROWS + POSED_AXIS].w;
    }
    // Set aside at a fork: q, then the siblings' product in both orders.
    var before: array<vec4<f32>, MAX_FORKS>;
    var forward: array<vec4<f32>, MAX_FORKS>;
    var backward: array<vec4<f32>, MAX_FORKS>;
    var num_forks = 0u;
    var lane = first_turn_lane;
    for (var at = block.steps.x; at < block.steps.y; at++) {
        let step = program[at];
        if step == FORK {
            before[num_forks] = q;
            forward[num_forks] = IDENTITY;
            backward[num_forks] = IDENTITY;
            num_forks++;
        } else if step == BRANCH {
            q = IDENTITY;
        } else if step == JOIN {
            forward[num_forks - 1u] = quat_mul(forward[num_forks - 1u], q);
            backward[num_forks - 1u] = quat_mul(q, backward[num_forks - 1u]);
        } else if step == MERGE {
            num_forks--;
            q = quat_mul(before[num_forks], mean(forward[num_forks], backward[num_forks]));
        } else {
            let of_swing = lanes[lane];
            let of_twist = lanes[lane + LANES];
            lane += 2u * LANES;
            let swing = bones[step * BONE_ROWS + SWING];
            let turn = bones[step * BONE_ROWS + TWIST];
            let s = sin_cos_turns(of_swing * swing.w);
            let t = sin_cos_turns(of_twist * turn.w);
            let axis = s.x * t.y * swing.xyz + s.y * t.x * turn.xyz
                + s.x * t.x * cross(swing.xyz, turn.xyz);
            q = quat_mul(q, vec4(axis, s.y * t.y));
            twist += of_twist * bones[step * BONE_ROWS + LIMB_MIXED].w;
        }
    }
    return Product(q, twist);
}

// What a joint and its bone's gap do to a place on the bone, less the place.
fn displaced(joint: u32, place: vec3<f32>, along: f32) -> vec3<f32> {
    let at = joint * BLEND_ROWS + MATRIX;
    let x = palette[at] - vec4(1.0, 0.0, 0.0, 0.0);
    let y = palette[at + 1u] - vec4(0.0, 1.0, 0.0, 0.0);
    let z = palette[at + 2u] - vec4(0.0, 0.0, 1.0, 0.0);
    let moved = vec3(dot(x.xyz, place), dot(y.xyz, place), dot(z.xyz, place)) + vec3(x.w, y.w, z.w);
    return moved + along * bones[joint * BONE_ROWS + GAP].xyz;
}

// λ^(−κ/2): by the root where κ is 1, since a power promises fewer digits.
fn thinned(stretch: f32) -> f32 {
    if stretch == 1.0 || params.keep_volume == 0.0 {
        return 1.0;
    }
    if params.keep_volume == 1.0 {
        return 1.0 / sqrt(stretch);
    }
    return pow(stretch, -0.5 * params.keep_volume);
}

fn deform(block: Block) -> Posed {
    let num_bones = block.bones.y - block.bones.x;
    let first_bone_lane = block.lane + REST_LANES * LANES;
    let turned = product(block, first_bone_lane + num_bones * BONE_LANES * LANES);
    let q = turned.rotation;
    let rest = lane3(block.lane);
    let from_bones_at_rest = lane3(block.lane + 3u * LANES);
    let held = lane3(block.lane + 7u * LANES);
    let held_along = lanes[block.lane + 10u * LANES];

    // What the bones do, as displacements from rest: those are exactly zero in the rest pose.
    var moved = vec3(0.0);
    var own = vec3(0.0);
    var bend_cosine = 0.0;
    var stretch = Symmetric(vec3(0.0), vec3(0.0));
    var thinning = 0.0;
    var scaled_distance = 0.0;
    var is_scaled = false;
    for (var bone = 0u; bone < num_bones; bone++) {
        let joint = program[block.bones.x + bone];
        let lane = first_bone_lane + bone * BONE_LANES * LANES;
        let weight = lanes[lane];
        let place = lane3(lane + 2u * LANES);
        let by = displaced(joint, place, lanes[lane + 5u * LANES]);
        moved += weight * by;
        own += lanes[lane + LANES] * (held + displaced(joint, held, held_along));
        let rows = joint * BONE_ROWS;
        bend_cosine += weight
            * dot(quat_rotate(q, bones[rows + TWIST].xyz), bones[rows + POSED_AXIS].xyz);
        let limb_diagonal = bones[rows + LIMB];
        let limb = Symmetric(limb_diagonal.xyz, bones[rows + LIMB_MIXED].xyz);
        is_scaled = is_scaled || limb_diagonal.w != 0.0;
        stretch.diagonal += weight * limb.diagonal;
        stretch.mixed += weight * limb.mixed;
        thinning += weight * thinned(bones[rows + GAP].w);
        scaled_distance += weight * length(symmetric_mul(limb, rest - place));
    }
    var from_bones = from_bones_at_rest;
    var distance_at_rest = lanes[block.lane + 6u * LANES];
    if is_scaled {
        from_bones = symmetric_mul(stretch, from_bones_at_rest);
        distance_at_rest = scaled_distance;
    } else {
        thinning = 1.0;
    }
    let outwards = quat_rotate(q, from_bones);

    // Steps of the length adjustment, from where the bend alone would have it.
    let over = bend_cosine - params.min_bend_cosine;
    let soft = min(params.min_bend_cosine + 0.5 * (over + sqrt(over * over + params.bend_softness)),
        1.0);
    let widening = (1.0 + (1.0 - soft) * params.deep_widening) / sqrt(sqrt(soft));
    let center = rest - from_bones_at_rest + moved;
    var lengthening = widening;
    for (var step = 0u; step < params.length_steps; step++) {
        var distance = 0.0;
        for (var bone = 0u; bone < num_bones; bone++) {
            let lane = first_bone_lane + bone * BONE_LANES * LANES;
            let place = lane3(lane + 2u * LANES);
            let by = displaced(program[block.bones.x + bone], place, lanes[lane + 5u * LANES]);
            distance += lanes[lane] * length(center - place - by + lengthening * outwards);
        }
        // A point on its bones has no length to adjust.
        lengthening = lengthening * distance_at_rest / max(distance, LEAST);
    }
    // With a soft onset, and a soft end.
    let longer = clamp(lengthening - widening, 0.0, LONGEST);
    let squared = longer * longer;
    let softly = squared / (longer + params.lengthening_onset + squared / params.most_lengthening);
    let scale = (widening + softly) * thinning;
    let position = rest + (moved + (scale * outwards - from_bones_at_rest));
    return Posed(position, q, outwards, stretch, is_scaled, own, turned.twist, thinning,
        bend_cosine);
}

@compute @workgroup_size(64)
fn bone_smooth(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= params.num_lanes {
        return;
    }
    let output = program[params.outputs_start + index];
    if output == NOTHING {
        return;
    }
    let posed = deform(block_of(index));
    positions[output] = vec4(posed.position, 1.0);
    if params.has_normals != 0u {
        var n = lane3(params.normals_start + index / LANES * 3u * LANES + index % LANES);
        if posed.is_scaled {
            n = stretched_normal(posed.stretch, n);
        }
        normals[output] = vec4(quat_rotate(posed.rotation, n), 0.0);
    }
}

@compute @workgroup_size(64)
fn bone_smooth_stage(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= params.num_lanes {
        return;
    }
    let output = program[params.outputs_start + index];
    if output == NOTHING {
        return;
    }
    let posed = deform(block_of(index));
    stage_target[output] = vec4(posed.position, posed.twist);
    stage_rotation[output] = posed.rotation;
    let arm = length(posed.outwards);
    let bend = max(1.0 - posed.bend_cosine, 0.0);
    let give = arm * max(sqrt(bend + params.give_softness) - sqrt(params.give_softness), 0.0);
    stage_direction[output] = vec4(posed.outwards / max(arm, LEAST), give);
    // A thickened limb need not be thick: the guard is of the shorter of both lengths.
    stage_attachment[output] = vec4(posed.attachment, min(posed.thinning, 1.0));
}
