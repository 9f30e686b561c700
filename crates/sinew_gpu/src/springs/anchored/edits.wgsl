// Handles of surface edits: their arms have another length, and hold on to it. Twin of
// anchored/edits.rs.
//
// `raise` moves the first stage's place before `prepare`, `stiffen` lengthens ŝ and n after
// `start`.
// prelude: maths.wgsl, springs/frame.wgsl, springs/anchored/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Anchored;
@group(0) @binding(2) var<storage, read> marks: array<Mark>;

// Of `raise`.
@group(0) @binding(3) var<storage, read_write> targets: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> attachments: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> directions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> rotations: array<vec4<f32>>;

// Of `stiffen`.
@group(0) @binding(3) var<storage, read> anchors: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> points: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> odd: array<vec4<f32>>;

@compute @workgroup_size(64)
fn raise(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks || (marks[index].flags & (MARK_EDIT | MARK_SOFT)) == 0u {
        return;
    }
    let mark = marks[index];
    let place = targets[mark.slot];
    let attachment = attachments[mark.slot];
    var arm = place.xyz - attachment.xyz;
    var left = attachment.w;
    if (mark.flags & MARK_EDIT) != 0u {
        if (mark.flags & MARK_DIRECTION) != 0u {
            arm = length(arm) * quat_rotate(rotations[mark.slot], mark.direction.xyz);
        }
        arm *= mark.length_factor;
        left *= mark.length_factor;
    }
    if (mark.flags & MARK_SOFT) != 0u {
        let before = length(arm);
        arm = mark.place.xyz - attachment.xyz;
        if before > 0.0 {
            left *= length(arm) / before;
        }
    }
    targets[mark.slot] = vec4(attachment.xyz + arm, place.w);
    attachments[mark.slot] = vec4(attachment.xyz, left);
    if (mark.flags & (MARK_DIRECTION | MARK_SOFT)) != 0u && any(arm != vec3(0.0)) {
        directions[mark.slot] = vec4(unit_or_zero(arm), directions[mark.slot].w);
    }
}

fn is_handle(mark: Mark) -> bool {
    let is_held = (mark.flags & MARK_SOFT) != 0u && mark.place.w > 0.0;
    return (mark.flags & MARK_EDIT) != 0u || is_held;
}

fn scale_of(v: vec3<f32>, gain: f32) -> f32 {
    let squared = dot(v, v);
    if squared > 0.0 {
        return gain / sqrt(squared);
    }
    return 0.0;
}

@compute @workgroup_size(64)
fn stiffen(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks || !is_handle(marks[index]) {
        return;
    }
    let slot = marks[index].slot;
    let anchor = anchors[slot];
    // What stays at home has no share, and gets none.
    if even[slot].w > 0.0 {
        let share = model.step / anchor.w;
        even[slot].w = share;
        odd[slot].w = share;
    }
    if anchor.x <= 0.0 || anchor.z <= 0.0 {
        return;
    }
    let of_direction = sqrt(model.handle_stiffness / anchor.x);
    let of_normal = sqrt(model.handle_stiffness / anchor.z);
    let at_direction = POINT_DIRECTION * frame.num_slots + slot;
    let at_normal = POINT_NORMAL * frame.num_slots + slot;
    let direction = points[at_direction];
    points[at_direction] = vec4(direction.xyz * scale_of(direction.xyz, of_direction), direction.w);
    let normal = points[at_normal];
    points[at_normal] = normal * scale_of(normal.xyz, of_normal);
}
