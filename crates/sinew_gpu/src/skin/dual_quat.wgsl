// Dual quaternion skinning. Twin of sinew's skin/dual_quat.rs.
// prelude: maths.wgsl, skeleton/rows.wgsl, skin/blend.wgsl, skin/stretch.wgsl

// `p` moved by a blended dual quaternion: q⃗ × (q⃗ × p + w p + d⃗) + w d⃗ − d_w q⃗, rotation and
// translation in one.
fn transform(q: vec4<f32>, d: vec4<f32>, p: vec3<f32>) -> vec3<f32> {
    let t = cross(q.xyz, p) + q.w * p + d.xyz;
    let u = cross(q.xyz, t) + q.w * d.xyz - d.w * q.xyz;
    return p + twice_over_norm(q) * u;
}

@compute @workgroup_size(64)
fn dual_quat(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let point = invocation_index(id, groups);
    if point >= params.num_points {
        return;
    }
    let start = row_starts[point];
    let end = row_starts[point + 1u];
    let pivot = joint_rows(start);
    let base_q = palette[pivot + ROTATION];
    let base_d = palette[pivot + DUAL];
    var q = base_q;
    var d = base_d;
    for (var influence = start + 1u; influence < end; influence++) {
        let joint = joint_rows(influence);
        let weight = weight_of(influence);
        let rotation = palette[joint + ROTATION];
        let sign = hemisphere(rotation, base_q);
        q += weight * (sign * rotation - base_q);
        d += weight * (sign * palette[joint + DUAL] - base_d);
    }
    let stretch = blended_stretch(start, end);
    var p = rest[point * params.rest_stride].xyz;
    if stretch.is_there {
        p = symmetric_mul(stretch.matrix, p);
    }
    put(point, transform(q, d, p));
    put_turned_normal(point, q, stretch);
}
