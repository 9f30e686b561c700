// The finished picture: the layer in front laid over, linear light made into what the target holds.
// prelude: render/frame.wgsl

@group(1) @binding(0) var picture: texture_2d<f32>;
@group(1) @binding(1) var in_front: texture_2d<f32>;

@vertex
fn finish_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the picture.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// Linear light at a pixel, 0..1.
fn finished(place: vec4<f32>) -> vec3<f32> {
    let texel = vec2<i32>(place.xy);
    let behind = textureLoad(picture, texel, 0).xyz;
    // Without such a layer a transparent pixel is bound, whatever is looked up in it.
    let front = frame.background_bottom.w * textureLoad(in_front, texel, 0);
    return clamp(front.xyz + (1.0 - front.w) * behind, vec3(0.0), vec3(1.0));
}
