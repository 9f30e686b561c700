// Slots that are held: pins, and what is outside a region. A share of 0 takes no step.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> marks: array<Mark>;
// Where the first stage has everything.
@group(0) @binding(2) var<storage, read> base: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> odd: array<vec4<f32>>;

@compute @workgroup_size(64)
fn hold(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks {
        return;
    }
    let mark = marks[index];
    if (mark.flags & (MARK_PLACE | MARK_BASE)) == 0u {
        return;
    }
    var at = mark.place.xyz;
    if (mark.flags & MARK_BASE) != 0u {
        at = base[select(mark.point, mark.slot, frame.base_by_slot == 1u)].xyz;
    }
    let row = vec4(to_units(at, frame), 0.0);
    even[mark.slot] = row;
    odd[mark.slot] = row;
}
