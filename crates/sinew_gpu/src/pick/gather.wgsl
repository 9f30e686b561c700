// What is under some pixels: for those that show this surface, shares of the triangle's corners,
// position and normal, written to one small buffer.
//
// The shares are those of the ray through the pixel's middle, not what the rasteriser interpolated:
// it has moved the corners to a grid of 1/256 pixel, which matters where a surface is seen at a
// grazing angle.
// prelude: render/frame.wgsl, render/corners.wgsl

struct Request {
    // Of the rectangle
    origin: vec2<u32>,
    // Its width; 0 for a list of pixels
    width: u32,
    count: u32,
    // Of the whole list or rectangle: where this part begins
    start: u32,
    padding0: u32,
    padding1: u32,
    padding2: u32,
}

struct Found {
    // Counts from 1; 0 is nothing
    surface: u32,
    triangle: u32,
    depth: f32,
    padding: f32,
    // w: share of the first corner
    position: vec4<f32>,
    // w: share of the second corner
    normal: vec4<f32>,
}

@group(2) @binding(0) var<uniform> request: Request;
@group(2) @binding(1) var ids: texture_2d<u32>;
@group(2) @binding(2) var depths: texture_depth_2d;
@group(2) @binding(3) var<storage, read> pixels: array<vec2<u32>>;
@group(2) @binding(4) var<storage, read_write> found: array<Found>;

@compute @workgroup_size(64)
fn gather(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = id.y * groups.x * 64u + id.x;
    if index >= request.count {
        return;
    }
    var pixel = request.origin;
    if request.width == 0u {
        pixel = pixels[request.start + index];
    } else {
        let place = request.start + index;
        pixel += vec2(place % request.width, place / request.width);
    }
    if any(pixel >= textureDimensions(ids)) {
        return;
    }
    let seen = textureLoad(ids, pixel, 0).xy;
    if seen.x != params.surface + 1u {
        return;
    }
    let first = 3u * seen.y;
    let shares = shares_at(pixel, first);
    var out: Found;
    out.surface = seen.x;
    out.triangle = seen.y;
    out.depth = textureLoad(depths, pixel, 0);
    let position = shares.x * corner_position(first) + shares.y * corner_position(first + 1u)
        + shares.z * corner_position(first + 2u);
    let normal = shares.x * corner_normal(first) + shares.y * corner_normal(first + 1u)
        + shares.z * corner_normal(first + 2u);
    out.position = vec4(position, shares.x);
    out.normal = vec4(unit_normal(normal, across(first)), shares.y);
    found[index] = out;
}

// The triangle's own normal.
fn across(first: u32) -> vec3<f32> {
    let a = corner_position(first);
    let n = cross(corner_position(first + 1u) - a, corner_position(first + 2u) - a);
    return n * inverseSqrt(max(dot(n, n), 1e-38));
}

// Where the ray through a pixel's middle meets a triangle: as shares of its corners, of which none
// is negative and which add up to one. In proportion to the volumes that the ray spans with two
// corners each, seen from the eye.
fn shares_at(pixel: vec2<u32>, first: u32) -> vec3<f32> {
    let at = (vec2<f32>(pixel) + 0.5) / picture_size() * 2.0 - 1.0;
    let ray = frame.ray_middle.xyz + at.x * frame.ray_right.xyz - at.y * frame.ray_up.xyz;
    let a = corner_position(first) - frame.eye.xyz;
    let b = corner_position(first + 1u) - frame.eye.xyz;
    let c = corner_position(first + 2u) - frame.eye.xyz;
    // (b − a) × (c − a) and the like, not b × c: small triangles far away are differences of large
    // numbers.
    let n = cross(b - a, c - a);
    let turn = dot(n, ray);
    let to_a = cross(a, ray);
    let of_b = dot(to_a, c - a) / turn;
    let of_c = -dot(to_a, b - a) / turn;
    let shares = max(vec3(1.0 - of_b - of_c, of_b, of_c), vec3(0.0));
    let sum = shares.x + shares.y + shares.z;
    if !(sum > 0.0) || !is_finite(shares) {
        return vec3(1.0 / 3.0);
    }
    return shares / sum;
}
