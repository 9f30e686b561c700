// From the solver's slots and units to the mesh's points and metres.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> stats: array<u32>;
@group(0) @binding(2) var<storage, read> point_of_slot: array<u32>;
@group(0) @binding(3) var<storage, read> even: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> odd: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;

@compute @workgroup_size(64)
fn publish(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    // Padding comes last, and stands for a point that has a slot of its own.
    if slot >= frame.num_points {
        return;
    }
    var row = even[slot];
    if stats[0] % 2u == 1u {
        row = odd[slot];
    }
    positions[point_of_slot[slot]] = vec4(row.xyz * frame.metres_a_unit, 1.0);
}
