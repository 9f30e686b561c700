// For a target that holds what it is given: sRGB.
// prelude: render/frame.wgsl, render/finish.wgsl

@fragment
fn finish_fragment(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4(srgb_of_linear(finished(place)), 1.0);
}
