// Which triangle is nearest at a pixel's middle.
// prelude: render/frame.wgsl, render/corners.wgsl

struct IdCorner {
    @builtin(position) place: vec4<f32>,
    // The same at all three corners, which are pulled: no optional feature has to know the
    // triangle.
    @location(0) @interpolate(flat) triangle: u32,
}

@vertex
fn id_vertex(@builtin(vertex_index) corner: u32) -> IdCorner {
    if !is_drawn(corner) {
        return IdCorner(NOWHERE, 0u);
    }
    let place = frame.clip_from_model * vec4(corner_position(corner), 1.0);
    return IdCorner(place, corner / 3u);
}

// The surface counts from 1: where nothing is, there is 0.
@fragment
fn id_fragment(in: IdCorner) -> @location(0) vec2<u32> {
    return vec2(params.surface + 1u, in.triangle);
}
