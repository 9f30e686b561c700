// Places attachments, bones and the first stage of a frame (`prepare`), then what is said of single
// points (`wish`), then where kinematic points start (`begin`, after the board's start). Twin of
// paper/bone.rs and paper/prepare.rs.
// prelude: maths.wgsl, skeleton/rows.wgsl, springs/frame.wgsl, springs/paper/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Paper;
@group(0) @binding(2) var<storage, read> marks: array<Mark>;

// Of `prepare` and `wish`.
@group(0) @binding(3) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> palette_of_bones: array<vec4<f32>>;
// By row of a slot, `REST_…`.
@group(0) @binding(5) var<storage, read> rests: array<vec4<f32>>;
// In units.
@group(0) @binding(6) var<storage, read_write> posed: array<vec4<f32>>;
// What `s` is turned about, and the share of the edges' forces.
@group(0) @binding(7) var<storage, read_write> axes: array<vec4<f32>>;
// Stiffness and rest of that angle, stiffness and rest of the length.
@group(0) @binding(8) var<storage, read_write> points: array<vec4<f32>>;
// The first stage, metres.
@group(0) @binding(9) var<storage, read_write> staged: array<vec4<f32>>;

// Of `begin`.
@group(0) @binding(3) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> odd: array<vec4<f32>>;

// Where on its bone, and the bits of the joint.
const REST_PLACE: u32 = 0u;
// `s`, and how far along the bone.
const REST_ARM: u32 = 1u;
// As `points`.
const REST_POINT: u32 = 2u;
// Length of the bone, and how strongly a direction is held.
const REST_BONE: u32 = 3u;

fn rest(row: u32, slot: u32) -> vec4<f32> {
    return rests[row * frame.num_slots + slot];
}

fn joint_of(slot: u32) -> u32 {
    return bitcast<u32>(rest(REST_PLACE, slot).w);
}

fn rotated(slot: u32, v: vec3<f32>) -> vec3<f32> {
    return quat_rotate(palette[joint_of(slot) * BLEND_ROWS + ROTATION], v);
}

fn linear(joint: u32, v: vec4<f32>) -> vec3<f32> {
    let rows = joint * BLEND_ROWS + MATRIX;
    return vec3(dot(palette[rows], v), dot(palette[rows + 1u], v), dot(palette[rows + 2u], v));
}

fn gap_of(joint: u32) -> vec3<f32> {
    return palette_of_bones[joint * BONE_ROWS + GAP].xyz;
}

// a' = p' + t(c' − p'), metres.
fn attachment_of(slot: u32) -> vec3<f32> {
    let joint = joint_of(slot);
    return linear(joint, vec4(rest(REST_PLACE, slot).xyz, 1.0))
        + rest(REST_ARM, slot).w * gap_of(joint);
}

fn bone_of(slot: u32) -> vec3<f32> {
    let joint = joint_of(slot);
    let gap = gap_of(joint);
    if all(gap == vec3(0.0)) {
        return palette_of_bones[joint * BONE_ROWS + POSED_AXIS].xyz;
    }
    let axis = palette_of_bones[joint * BONE_ROWS + TWIST].xyz;
    return unit_or_zero(linear(joint, vec4(axis, 0.0)) * rest(REST_BONE, slot).x + gap);
}

@compute @workgroup_size(64)
fn prepare(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let at = attachment_of(slot);
    posed[slot] = vec4(to_units(at, frame), 1.0);
    axes[slot] = vec4(bone_of(slot), 1.0);
    points[slot] = rest(REST_POINT, slot);
    staged[slot] = vec4(at + rotated(slot, rest(REST_ARM, slot).xyz), 1.0);
}

fn hold_stiffness(wanted: f32) -> f32 {
    return min(wanted, 1.0 / model.step_seconds);
}

@compute @workgroup_size(64)
fn wish(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks {
        return;
    }
    let mark = marks[index];
    let slot = mark.slot;
    var point = points[slot];
    var axis = axes[slot];
    if (mark.flags & MARK_EDIT) != 0u {
        point.w *= mark.length_factor;
        axis.w = model.handle_edge_share;
        let at = attachment_of(slot);
        let arm = staged[slot].xyz - at;
        var direction = unit_or_zero(arm);
        if (mark.flags & MARK_DIRECTION) != 0u {
            direction = rotated(slot, mark.direction.xyz);
            axis = vec4(direction, axis.w);
            point.x = rest(REST_BONE, slot).y;
            point.y = 0.0;
        }
        staged[slot] = vec4(at + length(arm) * mark.length_factor * direction, 1.0);
    }
    if (mark.flags & MARK_SOFT) != 0u {
        let wished = to_units(mark.place.xyz, frame) - posed[slot].xyz;
        if mark.place.w > 0.0 {
            point.w = length(wished);
            point.z = max(point.z, hold_stiffness(mark.place.w));
        }
        if mark.direction.w > 0.0 {
            axis = vec4(unit_or_zero(wished), axis.w);
            point.x = hold_stiffness(mark.direction.w);
            point.y = 0.0;
        }
    }
    points[slot] = point;
    axes[slot] = axis;
}

@compute @workgroup_size(64)
fn begin(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks || (marks[index].flags & MARK_SOFT) == 0u {
        return;
    }
    let slot = marks[index].slot;
    let row = vec4(to_units(marks[index].place.xyz, frame), even[slot].w);
    even[slot] = row;
    odd[slot] = row;
}
