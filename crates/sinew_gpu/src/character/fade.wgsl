// From one shape to another by shares, a row a point or a normal. Twin of sinew's frame/blend.rs.
// prelude: maths.wgsl

struct FadeParams {
    num_rows: u32,
    // How much of the shape before is left.
    share: f32,
    // 1 for normals: of unit length.
    is_unit: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> params: FadeParams;
@group(0) @binding(1) var<storage, read> after: array<vec4<f32>>;
// `apart` takes the shape before, `fade` what lies between.
@group(0) @binding(2) var<storage, read> other: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<f32>>;

@compute @workgroup_size(64)
fn apart(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = invocation_index(id, groups);
    if row < params.num_rows {
        result[row] = vec4(other[row].xyz - after[row].xyz, 0.0);
    }
}

@compute @workgroup_size(64)
fn fade(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let row = invocation_index(id, groups);
    if row >= params.num_rows {
        return;
    }
    let own = after[row];
    var moved = own.xyz + params.share * other[row].xyz;
    if params.is_unit == 1u {
        let unit = unit_or_zero(moved);
        // Opposite normals cancel: then the new one.
        moved = select(own.xyz, unit, dot(unit, unit) > 0.5);
    }
    result[row] = vec4(moved, own.w);
}
