// The blend of joints' scales and shears, which quaternions cannot carry.
// prelude: maths.wgsl, skeleton/rows.wgsl, skin/blend.wgsl

struct Stretch {
    matrix: Symmetric,
    // False where no joint of the point scales or shears: nothing to apply.
    is_there: bool,
}

fn blended_stretch(start: u32, end: u32) -> Stretch {
    let pivot = joint_rows(start);
    let base = palette[pivot + STRETCH];
    var diagonal = base.xyz;
    var is_there = base.w != 0.0;
    for (var influence = start + 1u; influence < end; influence++) {
        let row = palette[joint_rows(influence) + STRETCH];
        diagonal += weight_of(influence) * (row.xyz - base.xyz);
        is_there = is_there || row.w != 0.0;
    }
    if !is_there {
        return Stretch(Symmetric(vec3(1.0), vec3(0.0)), false);
    }
    let base_mixed = palette[pivot + STRETCH_MIXED].xyz;
    var mixed = base_mixed;
    for (var influence = start + 1u; influence < end; influence++) {
        let row = palette[joint_rows(influence) + STRETCH_MIXED].xyz;
        mixed += weight_of(influence) * (row - base_mixed);
    }
    return Stretch(Symmetric(diagonal, mixed), true);
}

fn put_turned_normal(point: u32, q: vec4<f32>, stretch: Stretch) {
    if params.has_normals == 0u {
        return;
    }
    var n = rest_normal(point);
    if stretch.is_there {
        n = stretched_normal(stretch.matrix, n);
    }
    put_normal(point, quat_rotate(q, n));
}
