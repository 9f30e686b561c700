// The coarse level's two ends: the seeds' part of the stage, and what becomes of the others. Twin of anchored/coarse.rs.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;

// Of gathering: the fine slot of each coarse one, and rows of the fine and the coarse stage.
@group(0) @binding(1) var<storage, read> seeds: array<u32>;
@group(0) @binding(2) var<storage, read> fine_rows: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> coarse_rows: array<vec4<f32>>;

// Of spreading, by fine slot: the coarse ones that it follows, and how much.
@group(0) @binding(1) var<storage, read> blend_slots: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> blend_weights: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> even: array<vec4<f32>>;
// By coarse slot.
@group(0) @binding(4) var<storage, read> relaxed: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> coarse_targets: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> odd: array<vec4<f32>>;

@compute @workgroup_size(64)
fn gather(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let slot = invocation_index(id, groups);
    if slot < frame.num_slots {
        coarse_rows[slot] = fine_rows[seeds[slot]];
    }
}

@compute @workgroup_size(64)
fn spread(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let row = even[slot];
    // What stays at home takes no step.
    if row.w == 0.0 {
        return;
    }
    var way = vec3(0.0);
    for (var i = 0u; i < 4u; i++) {
        let seed = blend_slots[slot][i];
        way += blend_weights[slot][i] * (relaxed[seed].xyz - coarse_targets[seed].xyz);
    }
    let moved = vec4(row.xyz + way, row.w);
    even[slot] = moved;
    odd[slot] = moved;
}
