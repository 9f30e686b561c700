// Skinning about optimised centres of rotation. Twin of sinew's skin/center_of_rotation.rs.
// prelude: maths.wgsl, skeleton/rows.wgsl, skin/blend.wgsl, skin/stretch.wgsl

@compute @workgroup_size(64)
fn center_of_rotation(
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
    let base_x = palette[pivot + MATRIX];
    let base_y = palette[pivot + MATRIX + 1u];
    let base_z = palette[pivot + MATRIX + 2u];
    let base_q = palette[pivot + ROTATION];
    var x = base_x;
    var y = base_y;
    var z = base_z;
    var q = base_q;
    for (var influence = start + 1u; influence < end; influence++) {
        let joint = joint_rows(influence);
        let weight = weight_of(influence);
        let rotation = palette[joint + ROTATION];
        x += weight * (palette[joint + MATRIX] - base_x);
        y += weight * (palette[joint + MATRIX + 1u] - base_y);
        z += weight * (palette[joint + MATRIX + 2u] - base_z);
        q += weight * (hemisphere(rotation, base_q) * rotation - base_q);
    }
    let stretch = blended_stretch(start, end);
    let first_row = point * params.rest_stride;
    var offset = rest[first_row].xyz;
    let center = vec4(rest[first_row + 1u].xyz, 1.0);
    if stretch.is_there {
        offset = symmetric_mul(stretch.matrix, offset);
    }
    put(point, quat_rotate(q, offset) + vec3(dot(x, center), dot(y, center), dot(z, center)));
    put_turned_normal(point, q, stretch);
}
