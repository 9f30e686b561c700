// For a target that makes sRGB of linear light itself.
// prelude: render/frame.wgsl, render/finish.wgsl

@fragment
fn finish_fragment(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4(finished(place), 1.0);
}
