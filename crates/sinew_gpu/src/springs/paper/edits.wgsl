// Handles of surface edits: another length, and a tenth of what the neighbours do. After `prepare`.
// prelude: maths.wgsl, springs/frame.wgsl, springs/paper/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Paper;
@group(0) @binding(2) var<storage, read> marks: array<Mark>;
@group(0) @binding(3) var<storage, read_write> posed: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> bones: array<vec4<f32>>;

@compute @workgroup_size(64)
fn edit(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let index = invocation_index(id, groups);
    if index >= frame.num_marks || (marks[index].flags & MARK_EDIT) == 0u {
        return;
    }
    let mark = marks[index];
    posed[mark.slot].w = mark.length_factor;
    bones[mark.slot].w = model.handle_edge_share;
}
