// Linear blend skinning; with one joint a point, rigid skinning. Twin of sinew's skin/linear.rs.
// prelude: maths.wgsl, skeleton/rows.wgsl, skin/blend.wgsl

// Rows of cofactors of a linear part given by its rows: what moves normals, up to length.
struct Rows {
    x: vec3<f32>,
    y: vec3<f32>,
    z: vec3<f32>,
}

fn cofactors(x: vec4<f32>, y: vec4<f32>, z: vec4<f32>) -> Rows {
    return Rows(cross(y.xyz, z.xyz), cross(z.xyz, x.xyz), cross(x.xyz, y.xyz));
}

@compute @workgroup_size(64)
fn linear(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let point = invocation_index(id, groups);
    if point >= params.num_points {
        return;
    }
    let start = row_starts[point];
    let end = row_starts[point + 1u];
    let pivot = joint_rows(start) + MATRIX;
    let base_x = palette[pivot];
    let base_y = palette[pivot + 1u];
    let base_z = palette[pivot + 2u];
    var x = base_x;
    var y = base_y;
    var z = base_z;
    for (var influence = start + 1u; influence < end; influence++) {
        let joint = joint_rows(influence) + MATRIX;
        let weight = weight_of(influence);
        x += weight * (palette[joint] - base_x);
        y += weight * (palette[joint + 1u] - base_y);
        z += weight * (palette[joint + 2u] - base_z);
    }
    let p = vec4(rest[point * params.rest_stride].xyz, 1.0);
    put(point, vec3(dot(x, p), dot(y, p), dot(z, p)));
    if params.has_normals == 0u {
        return;
    }
    let base = cofactors(base_x, base_y, base_z);
    var sum = base;
    for (var influence = start + 1u; influence < end; influence++) {
        let joint = joint_rows(influence) + MATRIX;
        let weight = weight_of(influence);
        let own = cofactors(palette[joint], palette[joint + 1u], palette[joint + 2u]);
        sum.x += weight * (own.x - base.x);
        sum.y += weight * (own.y - base.y);
        sum.z += weight * (own.z - base.z);
    }
    let n = rest_normal(point);
    put_normal(point, unit_or_zero(vec3(dot(sum.x, n), dot(sum.y, n), dot(sum.z, n))));
}
