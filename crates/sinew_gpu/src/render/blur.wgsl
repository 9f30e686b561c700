// Gaussian blur of (1, depth, squared depth), which are all zero where there is nothing: first
// along rows, from depths; then along columns. Drawn, not computed: with stretches in memory that a
// workgroup shares, lavapipe took twice as long.

// The middle one's share, then the next ones' on both sides; together with those they add up to
// one.
@group(0) @binding(0) var<storage, read> bell: array<f32>;
@group(0) @binding(1) var depths: texture_depth_2d;
@group(0) @binding(2) var rows: texture_2d<f32>;

@vertex
fn blur_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the picture.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn moments_of(z: f32) -> vec3<f32> {
    // Cleared to 1: there is nothing.
    return select(vec3(1.0, z, z * z), vec3(0.0), z >= 1.0);
}

@fragment
fn blur_rows(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<i32>(place.xy);
    let last = i32(textureDimensions(depths).x) - 1;
    var sum = bell[0] * moments_of(textureLoad(depths, texel, 0));
    for (var tap = 1; tap < i32(arrayLength(&bell)); tap++) {
        if texel.x - tap >= 0 {
            sum += bell[tap] * moments_of(textureLoad(depths, vec2(texel.x - tap, texel.y), 0));
        }
        if texel.x + tap <= last {
            sum += bell[tap] * moments_of(textureLoad(depths, vec2(texel.x + tap, texel.y), 0));
        }
    }
    return vec4(sum, 1.0);
}

@fragment
fn blur_columns(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<i32>(place.xy);
    let last = i32(textureDimensions(rows).y) - 1;
    var sum = bell[0] * textureLoad(rows, texel, 0).xyz;
    for (var tap = 1; tap < i32(arrayLength(&bell)); tap++) {
        if texel.y - tap >= 0 {
            sum += bell[tap] * textureLoad(rows, vec2(texel.x, texel.y - tap), 0).xyz;
        }
        if texel.y + tap <= last {
            sum += bell[tap] * textureLoad(rows, vec2(texel.x, texel.y + tap), 0).xyz;
        }
    }
    return vec4(sum, 1.0);
}
