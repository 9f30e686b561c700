// What is behind everything: a gradient, and the shadow on the ground.
// prelude: render/frame.wgsl, render/light.wgsl

struct Backdrop {
    @builtin(position) place: vec4<f32>,
    // −1..1, up
    @location(0) at: vec2<f32>,
}

@vertex
fn background_vertex(@builtin(vertex_index) index: u32) -> Backdrop {
    // One triangle that covers the picture.
    let at = vec2(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return Backdrop(vec4(at, 1.0, 1.0), at);
}

@fragment
fn background_fragment(in: Backdrop) -> @location(0) vec4<f32> {
    let height = 0.5 + 0.5 * in.at.y;
    let srgb = mix(frame.background_bottom.xyz, frame.background_top.xyz, height);
    return vec4(linear_of_srgb(srgb * ground_light(in.at)), 1.0);
}

// What the shadow on the ground leaves of the light.
fn ground_light(at: vec2<f32>) -> f32 {
    let darkness = frame.background_top.w;
    let ray = frame.ray_middle.xyz + at.x * frame.ray_right.xyz + at.y * frame.ray_up.xyz;
    let along = (frame.ground.x - frame.eye.y) / ray.y;
    // No ground, or behind the eye, or seen from below, or (ray.y = 0) nowhere.
    if darkness == 0.0 || ray.y >= 0.0 || !(along > 0.0) || along > 1e12 {
        return 1.0;
    }
    let position = frame.eye.xyz + along * ray;
    let share = distance(position.xz, frame.ground.yz) / frame.ground.w;
    if !(share < 1.0) {
        return 1.0;
    }
    let fade = 1.0 - share * share;
    return 1.0 - darkness * fade * fade * (1.0 - 0.5 * (sky_light(position) + key_light(position)));
}
