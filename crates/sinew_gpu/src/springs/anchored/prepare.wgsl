// Each frame, once: from the first stage to what stays the same during the iterations. Twin of
// anchored/prepare.rs.
//
// In two kernels, half-edges and then points, which completes what the first has written: one would
// need ten buffers.
// prelude: maths.wgsl, springs/frame.wgsl, springs/anchored/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Anchored;
@group(0) @binding(2) var<storage, read_write> points: array<vec4<f32>>;
// x* and the total twist
@group(0) @binding(3) var<storage, read> targets: array<vec4<f32>>;

// Of half-edges.
@group(0) @binding(4) var<storage, read> rotations: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> row_starts: array<u32>;
// The neighbour's slot, and the bits of k.
@group(0) @binding(6) var<storage, read> links: array<vec2<u32>>;
// e⁰ and |s_i||s_j|, negative for what ties two shells
@group(0) @binding(7) var<storage, read> rests: array<vec4<f32>>;
// d̂/(.8ℓ⁰) and 1/ℓ_t²
@group(0) @binding(8) var<storage, read_write> edges: array<vec4<f32>>;

// Of points.
// ε, l_m, ε_g, D of a handle
@group(0) @binding(4) var<storage, read> anchors: array<vec4<f32>>;
// ŝ
@group(0) @binding(5) var<storage, read> directions: array<vec4<f32>>;
// a' and the share of the distance to it that a stretched bone leaves
@group(0) @binding(6) var<storage, read> attachments: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> contacts: array<vec4<f32>>;

// e⁰ turned by q of any length: |q|² R e⁰ = (w² − v·v) e⁰ + 2 v (v·e⁰) + 2 w v×e⁰.
fn turned(q: vec4<f32>, edge: vec3<f32>) -> vec3<f32> {
    let axis_squared = dot(q.xyz, q.xyz);
    let straight = q.w * q.w - axis_squared;
    let sum = straight * edge + 2.0 * dot(q.xyz, edge) * q.xyz + 2.0 * q.w * cross(q.xyz, edge);
    return sum / max(q.w * q.w + axis_squared, model.least_square);
}

// Stores a half-edge's guard and tension limit; returns its wished-for edge d_e.
fn half_edge(index: u32, e_staged: vec3<f32>, twist: f32, rotation: vec4<f32>) -> vec3<f32> {
    let rest = rests[index];
    let length_squared = dot(rest.xyz, rest.xyz);
    let rotated = turned(rotation, rest.xyz);
    // What ties two shells has neither limit nor guard.
    let is_tie = rest.w < 0.0;
    let folds_below = rotated / max(length_squared * model.orientation_limit, model.least_square);
    let guard = select(folds_below, vec3(0.0), is_tie);

    // Where the limb twists, the first stage's own edge is what is wished for, and its length sets
    // the limit.
    let twist_squared = twist * twist * abs(rest.w);
    let twisted = twist_squared
        / max(model.twist_softness * length_squared + twist_squared, model.least_square);
    let rest_length = sqrt(length_squared);
    let way = model.tension_twist * sqrt(twist_squared);
    let longer = min(max(sqrt(dot(e_staged, e_staged)) - rest_length, 0.0), way);
    let limit = model.tension_limit * (twisted * longer + rest_length);
    // An edge without a length has no limit: over one it would be longer than any number.
    let limit_squared = limit * limit;
    let has_limit = limit_squared > model.least_square && !is_tie;
    edges[index] =
        vec4(guard, select(0.0, 1.0 / max(limit_squared, model.least_square), has_limit));

    let share = (1.0 - model.target_share) * twisted + model.target_share;
    return rotated + share * (e_staged - rotated);
}

@compute @workgroup_size(64)
fn prepare_half_edges(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let here = targets[slot];
    let rotation = rotations[slot];
    var pull = vec3(0.0);
    let slice = slot / SLICE_LANES;
    for (var row = row_starts[slice]; row < row_starts[slice + 1u]; row++) {
        let index = row * SLICE_LANES + slot % SLICE_LANES;
        let link = links[index];
        let there = targets[link.x];
        let turn = rotation + rotations[link.x];
        let wish = half_edge(index, there.xyz - here.xyz, there.w - here.w, turn);
        pull += bitcast<f32>(link.y) * wish;
    }
    points[POINT_PULL * frame.num_slots + slot] = vec4(model.torque * pull, 0.0);
}

@compute @workgroup_size(64)
fn prepare_points(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let here = targets[slot].xyz;
    let attachment = attachments[slot];
    let anchor = anchors[slot];
    let arm = here - attachment.xyz;
    let normal = arm / sqrt(max(dot(arm, arm), model.least_square));
    let least = attachment.w * anchor.y + dot(normal, attachment.xyz);
    points[POINT_TARGET * frame.num_slots + slot] = vec4(here, anchor.x);
    points[POINT_DIRECTION * frame.num_slots + slot] = vec4(directions[slot].xyz, anchor.z);
    points[POINT_NORMAL * frame.num_slots + slot] = vec4(normal, least);
    points[POINT_PULL * frame.num_slots + slot].w = model.length_softness * anchor.y;
    points[POINT_CONTACT * frame.num_slots + slot] = contacts[slot];
}
