// Gaussian blur of (1, depth, squared depth), which are all zero where there is nothing: first along rows, from depths; then
// along columns.

struct Blur {
    // Standard deviation in texels
    sigma: f32,
    // Taps on each side
    reach: i32,
    padding0: f32,
    padding1: f32,
}

@group(0) @binding(0) var<uniform> blur: Blur;
@group(0) @binding(1) var depths: texture_depth_2d;
@group(0) @binding(2) var rows: texture_2d<f32>;

@vertex
fn blur_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    // One triangle that covers the picture.
    return vec4(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn weight(tap: i32) -> f32 {
    let x = f32(tap) / blur.sigma;
    return exp(-0.5 * x * x);
}

@fragment
fn blur_rows(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<i32>(place.xy);
    let size = i32(textureDimensions(depths).x);
    var sum = vec3(0.0);
    var weights = 0.0;
    for (var tap = -blur.reach; tap <= blur.reach; tap++) {
        let w = weight(tap);
        weights += w;
        let x = texel.x + tap;
        if x >= 0 && x < size {
            let z = textureLoad(depths, vec2(x, texel.y), 0);
            // Cleared to 1: there is nothing.
            sum += select(w, 0.0, z >= 1.0) * vec3(1.0, z, z * z);
        }
    }
    return vec4(sum / weights, 1.0);
}

@fragment
fn blur_columns(@builtin(position) place: vec4<f32>) -> @location(0) vec4<f32> {
    let texel = vec2<i32>(place.xy);
    let size = i32(textureDimensions(rows).y);
    var sum = vec3(0.0);
    var weights = 0.0;
    for (var tap = -blur.reach; tap <= blur.reach; tap++) {
        let w = weight(tap);
        weights += w;
        let y = texel.y + tap;
        if y >= 0 && y < size {
            sum += w * textureLoad(rows, vec2(texel.x, y), 0).xyz;
        }
    }
    return vec4(sum / weights, 1.0);
}
