// Depth as a light sees it.
// prelude: render/frame.wgsl, render/corners.wgsl

@group(2) @binding(0) var<uniform> map_from_model: mat4x4<f32>;

@vertex
fn shadow_vertex(@builtin(vertex_index) corner: u32) -> @builtin(position) vec4<f32> {
    if !is_drawn(corner) {
        return NOWHERE;
    }
    return map_from_model * vec4(corner_position(corner), 1.0);
}
