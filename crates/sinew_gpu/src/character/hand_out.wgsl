// A mesh's run of the points that springs move together.
// prelude: maths.wgsl

struct Run {
    first: u32,
    count: u32,
    padding_a: u32,
    padding_b: u32,
}

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> all_points: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> own_points: array<vec4<f32>>;

@compute @workgroup_size(64)
fn hand_out(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index < run.count {
        own_points[index] = all_points[run.first + index];
    }
}
