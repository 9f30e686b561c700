// Where the iterations begin: the first stage, the frame before, or what was uploaded.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> point_of_slot: array<u32>;
// Share of the force that a slot steps by; 0 for what stays at home.
@group(0) @binding(3) var<storage, read> share_of_slot: array<f32>;
// By slot; read only for shares of 0.
@group(0) @binding(4) var<storage, read> home: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> odd: array<vec4<f32>>;
// The largest step of each iteration: none yet.
@group(0) @binding(7) var<storage, read_write> largest: array<u32>;

@compute @workgroup_size(64)
fn start(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    for (var index = slot; index < frame.iterations; index += frame.num_slots) {
        largest[index] = 0u;
    }
    let share = share_of_slot[slot];
    var at = source[select(point_of_slot[slot], slot, frame.start_by_slot == 1u)].xyz;
    if share == 0.0 {
        at = home[slot].xyz;
    }
    let row = vec4(to_units(at, frame), share);
    even[slot] = row;
    odd[slot] = row;
}
