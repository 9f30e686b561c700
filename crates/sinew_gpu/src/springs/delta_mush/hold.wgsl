// A pin takes the place of its point's skin and is smoothed with the rest (`replace`); at the end
// what is held is put where it is held (`restore`).
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> marks: array<Mark>;
// Where the first stage has everything, by point.
@group(0) @binding(2) var<storage, read> base: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> rows: array<vec4<f32>>;

@compute @workgroup_size(64)
fn replace(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks || (marks[index].flags & (MARK_PIN | MARK_SOFT)) == 0u {
        return;
    }
    rows[marks[index].slot] = vec4(marks[index].place.xyz, 1.0);
}

@compute @workgroup_size(64)
fn restore(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks {
        return;
    }
    let mark = marks[index];
    if (mark.flags & MARK_PLACE) != 0u {
        rows[mark.slot] = vec4(mark.place.xyz, 1.0);
    } else if (mark.flags & MARK_BASE) != 0u {
        rows[mark.slot] = vec4(base[mark.point].xyz, 1.0);
    }
}
