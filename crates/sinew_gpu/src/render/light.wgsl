// Light, as crates/sinew_view/src/look.rs writes it.
// prelude: render/frame.wgsl

@group(0) @binding(1) var key_map: texture_2d<f32>;
@group(0) @binding(2) var sky_map: texture_2d<f32>;

// Share of the neighbourhood where something is, and its depth and squared depth times that share;
// bilinear by hand, since 32-bit floats need not be filterable.
fn moments(map: texture_2d<f32>, place: vec2<f32>) -> vec3<f32> {
    let size = vec2<f32>(textureDimensions(map));
    let texel = vec2(0.5 + 0.5 * place.x, 0.5 - 0.5 * place.y) * size - 0.5;
    let low = floor(texel);
    let share = texel - low;
    let at = vec2<i32>(low);
    let upper = mix(texel_of(map, at), texel_of(map, at + vec2(1, 0)), share.x);
    let lower = mix(texel_of(map, at + vec2(0, 1)), texel_of(map, at + vec2(1, 1)), share.x);
    return mix(upper, lower, share.y);
}

// Outside of the map there is nothing.
fn texel_of(map: texture_2d<f32>, at: vec2<i32>) -> vec3<f32> {
    if any(at < vec2(0)) || any(at >= vec2<i32>(textureDimensions(map))) {
        return vec3(0.0);
    }
    return textureLoad(map, at, 0).xyz;
}

// How much of a light reaches a place: Chebyshev's bound, cut where it bleeds.
fn light_through(map: texture_2d<f32>, place: vec3<f32>, one_over_reach: f32) -> f32 {
    // Past half a texel outside of the largest map there is nothing to look up, and whole numbers
    // may overflow.
    if any(abs(place.xy) > vec2(2.0)) {
        return 1.0;
    }
    let weighted = moments(map, place.xy);
    let cover = weighted.x;
    if cover < 1e-4 {
        return 1.0;
    }
    let m = weighted.yz / cover;
    let behind = place.z - m.x;
    if behind <= 0.0 {
        return 1.0;
    }
    let variance = max(m.y - m.x * m.x, 1e-5);
    let p = variance / (variance + behind * behind);
    let bleed = frame.sky.w;
    let seen = max(0.0, (p - bleed) / (1.0 - bleed));
    return 1.0 - min(cover, 1.0) * (1.0 - seen) * exp(-behind * one_over_reach);
}

fn key_light(position: vec3<f32>) -> f32 {
    return light_through(key_map, (frame.key_from_model * vec4(position, 1.0)).xyz,
        frame.ray_right.w);
}

fn sky_light(position: vec3<f32>) -> f32 {
    return light_through(sky_map, (frame.sky_from_model * vec4(position, 1.0)).xyz, frame.ray_up.w);
}

fn wrapped(cosine: f32) -> f32 {
    let w = frame.key_toward.w;
    return max(0.0, (cosine + w) / (1.0 + w));
}

// Linear light that leaves a place towards the eye. `n` and `v` are unit.
fn lit(albedo: vec3<f32>, position: vec3<f32>, n: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    let key_seen = key_light(position);
    let upward = 0.5 + 0.5 * n.y;
    let occlusion = frame.fill_color.w * (1.0 - sky_light(position));
    let ambient = mix(frame.floor.xyz, frame.sky.xyz, upward) * (1.0 - occlusion);
    let key = frame.key_color.xyz * (wrapped(dot(n, frame.key_toward.xyz)) * key_seen);
    let fill = frame.fill_color.xyz * wrapped(dot(n, frame.fill_toward.xyz));
    let h = normalize(frame.key_toward.xyz + v);
    let highlight = pow(max(0.0, dot(n, h)), frame.fill_toward.w);
    let gloss = frame.key_color.xyz * (frame.key_color.w * key_seen * highlight);
    let grazing = 1.0 - max(0.0, dot(n, v));
    let rim = frame.rim.xyz * (grazing * grazing * grazing * grazing * upward);
    return albedo * (ambient + key + fill) + gloss + rim;
}

// What a picture shows of linear light, still linear.
fn toned(light: vec3<f32>) -> vec3<f32> {
    let c = frame.rim.w * light;
    let white = frame.clay.w;
    return c * (1.0 + c / (white * white)) / (1.0 + c);
}
