// Places attachments and bones of a frame. Twin of `PaperSprings::prepare`.
// prelude: maths.wgsl, skeleton/rows.wgsl, springs/frame.wgsl, springs/paper/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Paper;
@group(0) @binding(2) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> palette_of_bones: array<vec4<f32>>;
// At rest, model space, and the bits of the joint.
@group(0) @binding(4) var<storage, read> attachments: array<vec4<f32>>;
// In units, and the factor of the length to it.
@group(0) @binding(5) var<storage, read_write> posed: array<vec4<f32>>;
// And the share of the edges' forces.
@group(0) @binding(6) var<storage, read_write> bones: array<vec4<f32>>;

@compute @workgroup_size(64)
fn prepare(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let rest = attachments[slot];
    let joint = bitcast<u32>(rest.w);
    let rows = joint * BLEND_ROWS + MATRIX;
    let p = vec4(rest.xyz, 1.0);
    let at = vec3(dot(palette[rows], p), dot(palette[rows + 1u], p), dot(palette[rows + 2u], p));
    posed[slot] = vec4(to_units(at, frame), 1.0);
    bones[slot] = vec4(palette_of_bones[joint * BONE_ROWS + POSED_AXIS].xyz, 1.0);
}
