// Normals of the deformed surface, one a wedge. Twin of sinew's mesh/normals.rs.
// prelude: maths.wgsl

struct NormalParams {
    num_wedges: u32,
    unused_0: u32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> params: NormalParams;
// Where each wedge's fan begins, and where the last one's ends.
@group(0) @binding(1) var<storage, read> fan_starts: array<u32>;
// The wedge's point, then the points around it; the point itself wherever the order breaks off.
@group(0) @binding(2) var<storage, read> fans: array<u32>;
@group(0) @binding(3) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> normals: array<vec4<f32>>;

@compute @workgroup_size(64)
fn wedge_normals(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let wedge = invocation_index(id, groups);
    if wedge >= params.num_wedges {
        return;
    }
    let start = fan_starts[wedge];
    let end = fan_starts[wedge + 1u];
    var sum = vec3(0.0);
    // A vertex without triangles has a fan of itself alone.
    if end > start + 2u {
        let center = points[fans[start]].xyz;
        var before = points[fans[start + 1u]].xyz - center;
        for (var at = start + 2u; at < end; at++) {
            let after = points[fans[at]].xyz - center;
            sum += cross(before, after);
            before = after;
        }
    }
    normals[wedge] = vec4(unit_or_zero(sum), 0.0);
}
