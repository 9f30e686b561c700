// What a whole frame shares: camera, lights, background. The twin of `FrameUniform` in frame.rs.

struct Frame {
    clip_from_model: mat4x4<f32>,
    // Into a shadow map: x and y in −1..1, z from 0 nearest the light to 1.
    key_from_model: mat4x4<f32>,
    sky_from_model: mat4x4<f32>,
    // w: width of the picture in pixels
    eye: vec4<f32>,
    // The direction of the picture's middle, and from there to its right and upper edge. w: height
    // in pixels; one over the reach of the key's shadow and of the sky's
    ray_middle: vec4<f32>,
    ray_right: vec4<f32>,
    ray_up: vec4<f32>,
    // w: wrap
    key_toward: vec4<f32>,
    // w: specular
    key_color: vec4<f32>,
    // w: shininess
    fill_toward: vec4<f32>,
    // w: occlusion
    fill_color: vec4<f32>,
    // w: bleed
    sky: vec4<f32>,
    // w: backface
    floor: vec4<f32>,
    // w: exposure
    rim: vec4<f32>,
    // w: white
    clay: vec4<f32>,
    // sRGB. w: darkness of the ground's shadow, 0 where there is no ground
    background_top: vec4<f32>,
    // sRGB. w: opacity of what is in front
    background_bottom: vec4<f32>,
    // Height; middle x and z; radius
    ground: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;

fn picture_size() -> vec2<f32> {
    return vec2(frame.eye.w, frame.ray_middle.w);
}

fn srgb_of_linear(linear: vec3<f32>) -> vec3<f32> {
    let c = clamp(linear, vec3(0.0), vec3(1.0));
    return select(1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, 12.92 * c, c <= vec3(0.0031308));
}

fn linear_of_srgb(srgb: vec3<f32>) -> vec3<f32> {
    let c = clamp(srgb, vec3(0.0), vec3(1.0));
    return select(pow((c + 0.055) / 1.055, vec3(2.4)), c / 12.92, c <= vec3(0.04045));
}

// The ends of what a float holds, by its bits: a compiler may take it for granted that nothing is
// NaN.
fn is_finite(v: vec3<f32>) -> bool {
    return all((bitcast<vec3<u32>>(v) & vec3(0x7f800000u)) != vec3(0x7f800000u));
}
