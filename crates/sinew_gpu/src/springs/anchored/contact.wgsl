// Planes that keep the skins of two bones apart where the joint between them is bent deeply. Twin
// of `sinew::springs::contact`.
// prelude: maths.wgsl, skeleton/rows.wgsl, springs/frame.wgsl, springs/anchored/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Anchored;
@group(0) @binding(2) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> bones: array<vec4<f32>>;
// Two rows a slot: the bits of where the bones meet at rest and of how far beyond the plane the
// slot is then; parent, child, and the bits of the side, 0 where there is no plane. (Small whole
// numbers are no floats that a card must keep.)
@group(0) @binding(4) var<storage, read> contacts: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> planes: array<vec4<f32>>;

fn normalized(v: vec3<f32>) -> vec3<f32> {
    return v / sqrt(max(dot(v, v), model.least_square));
}

@compute @workgroup_size(64)
fn find_planes(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    planes[slot] = vec4(0.0, 0.0, 0.0, model.no_contact);
    let sides = contacts[2u * slot + 1u];
    let side = bitcast<f32>(sides.z);
    if side == 0.0 {
        return;
    }
    let parent = sides.x;
    let child = sides.y;
    let a = normalized(bones[parent * BONE_ROWS + POSED_AXIS].xyz);
    let b = normalized(bones[child * BONE_ROWS + POSED_AXIS].xyz);
    let t = clamp((model.contact_shallow - dot(a, b))
        / (model.contact_shallow - model.contact_deep), 0.0, 1.0);
    if t == 0.0 {
        return;
    }
    // The force goes with the square of the normal's length.
    let strength = sqrt(t * t * (3.0 - 2.0 * t));
    let swing_axis =
        quat_rotate(palette[parent * BLEND_ROWS + ROTATION], bones[child * BONE_ROWS + SWING].xyz);
    let normal = strength * side
        * normalized(a + b + model.contact_flat_share * cross(swing_axis, a));
    let rest = bitcast<vec4<f32>>(contacts[2u * slot]);
    let rows = child * BLEND_ROWS + MATRIX;
    let p = vec4(rest.xyz, 1.0);
    let place = vec3(dot(palette[rows], p), dot(palette[rows + 1u], p), dot(palette[rows + 2u], p));
    planes[slot] = vec4(normal, dot(normal, place) + strength * rest.w);
}
