// The posed cage that follows the skin: C' = P M̃', of the samples that stand for all points. Twin
// of sinew's Coupling::follow, in f32.
// prelude: maths.wgsl

struct FollowParams {
    num_handles: u32,
    num_samples: u32,
    // Rows of rest data a sample.
    stride: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> params: FollowParams;
// Transposed: a sample's entries for all handles together.
@group(0) @binding(1) var<storage, read> fit: array<f32>;
@group(0) @binding(2) var<storage, read> posed: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> rest: array<vec4<f32>>;
// 1 for samples that nothing moves.
@group(0) @binding(4) var<storage, read> at_rest: array<u32>;
@group(0) @binding(5) var<storage, read_write> posed_cage: array<vec4<f32>>;

fn place(sample: u32) -> vec3<f32> {
    if at_rest[sample] == 0u {
        return posed[sample].xyz;
    }
    // Offset and centre, or the place and nothing.
    var sum = rest[sample * params.stride].xyz;
    if params.stride > 1u {
        sum += rest[sample * params.stride + 1u].xyz;
    }
    return sum;
}

@compute @workgroup_size(64)
fn follow(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let handle = invocation_index(id, groups);
    if handle >= params.num_handles {
        return;
    }
    var sum = vec3(0.0);
    for (var sample = 0u; sample < params.num_samples; sample++) {
        sum += fit[sample * params.num_handles + handle] * place(sample);
    }
    posed_cage[handle] = vec4(sum, 1.0);
}
