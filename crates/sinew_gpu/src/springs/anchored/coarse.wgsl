// The coarse level's ends: the seeds' part of the stage, how far they went, and what becomes of the
// others. Twin of anchored/coarse.rs.
// prelude: maths.wgsl, springs/frame.wgsl, springs/anchored/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;

// Of gathering: the fine slot of each coarse one, and rows of the fine and the coarse stage.
@group(0) @binding(1) var<storage, read> seeds: array<u32>;
@group(0) @binding(2) var<storage, read> fine_rows: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> coarse_rows: array<vec4<f32>>;

// Of ways, by coarse slot and half-edge.
@group(0) @binding(1) var<uniform> model: Anchored;
@group(0) @binding(2) var<storage, read> row_starts: array<u32>;
// The neighbour's slot, and the bits of k.
@group(0) @binding(3) var<storage, read> links: array<vec2<u32>>;
// e⁰ and |s_i||s_j|
@group(0) @binding(4) var<storage, read> rests: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> relaxed: array<vec4<f32>>;
// x* and the total twist
@group(0) @binding(6) var<storage, read> targets: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> ways_out: array<vec4<f32>>;

// Of spreading, by fine slot: the coarse ones that it follows, and how much.
@group(0) @binding(1) var<storage, read> blend_slots: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> blend_weights: array<vec4<f32>>;
// By coarse slot.
@group(0) @binding(3) var<storage, read> ways: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> odd: array<vec4<f32>>;

@compute @workgroup_size(64)
fn gather(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot < frame.num_slots {
        coarse_rows[slot] = fine_rows[seeds[slot]];
    }
}

// How much of its way a seed takes, which is less where the stage twists.
fn share_of(slot: u32) -> f32 {
    let slice = slot / SLICE_LANES;
    var twists = 0.0;
    var edges = 0.0;
    for (var row = row_starts[slice]; row < row_starts[slice + 1u]; row++) {
        let index = row * SLICE_LANES + slot % SLICE_LANES;
        let stiffness = bitcast<f32>(links[index].y);
        let twist = targets[links[index].x].w - targets[slot].w;
        twists += stiffness * twist * twist * rests[index].w;
        edges += stiffness * dot(rests[index].xyz, rests[index].xyz);
    }
    let soft = model.coarse_twist_softness * edges;
    if soft > 0.0 {
        return soft / (soft + twists);
    }
    return 0.0;
}

@compute @workgroup_size(64)
fn find_ways(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot < frame.num_slots {
        ways_out[slot] = vec4(share_of(slot) * (relaxed[slot].xyz - targets[slot].xyz), 0.0);
    }
}

@compute @workgroup_size(64)
fn spread(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let row = even[slot];
    // What stays at home takes no step.
    if row.w == 0.0 {
        return;
    }
    let slots = blend_slots[slot];
    let weights = blend_weights[slot];
    var way = weights.x * ways[slots.x].xyz;
    way += weights.y * ways[slots.y].xyz;
    way += weights.z * ways[slots.z].xyz;
    way += weights.w * ways[slots.w].xyz;
    let moved = vec4(row.xyz + way, row.w);
    even[slot] = moved;
    odd[slot] = moved;
}
