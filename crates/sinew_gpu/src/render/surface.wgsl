// Surfaces in the studio's light.
// prelude: render/frame.wgsl, render/light.wgsl, render/corners.wgsl

struct Material {
    // Linear. w: 0 plain, 1 with a texture, 2 the look's clay instead
    base_color: vec4<f32>,
    // Times the texture's; what is solid from where on (below 0: all); where shadows begin; 1 if
    // the back is as bright as the front
    opacity: vec4<f32>,
    // x: what a normal map's x and y are multiplied with; y: 1 where there is one
    bumps: vec4<f32>,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_texture: texture_2d<f32>;
@group(2) @binding(2) var base_sampler: sampler;
@group(2) @binding(3) var normal_texture: texture_2d<f32>;

// As sinew_view::scene has it.
const LEAST_OPACITY = 0.02;

// Where a pixel's four samples are, from its middle: WebGPU says so.
const SAMPLES = array<vec2<f32>, 4>(
    vec2(-0.125, -0.375),
    vec2(0.375, -0.125),
    vec2(-0.375, 0.125),
    vec2(0.125, 0.375),
);

struct Corner {
    // The same in every pass, to the bit: veils are drawn where their depth was.
    @builtin(position) @invariant place: vec4<f32>,
    // All at the pixel's middle, which may lie beside the triangle: `inside` brings it back. Not by
    // centroid interpolation, of which drivers disagree (llvmpipe's is wrong for small triangles).
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) heat: f32,
    @location(4) barycentrics: vec3<f32>,
    @location(5) @interpolate(flat) first_corner: u32,
}

@vertex
fn surface_vertex(@builtin(vertex_index) corner: u32) -> Corner {
    var out: Corner;
    out.place = NOWHERE;
    if !is_drawn(corner) {
        return out;
    }
    out.position = corner_position(corner);
    out.place = frame.clip_from_model * vec4(out.position, 1.0);
    out.normal = corner_normal(corner);
    out.barycentrics = corner_barycentrics(corner);
    out.first_corner = corner - corner % 3u;
    if params.has_uvs == 1u {
        out.uv = uvs[corners[corner].x];
    }
    if params.flat_color.w == 2.0 {
        out.heat = corner_heat(corner);
    }
    return out;
}

// Where one corner has no value the whole triangle shows the ramp's first colour.
fn corner_heat(corner: u32) -> f32 {
    let first = corner - corner % 3u;
    let three = vec3(
        heat[corners[first].y],
        heat[corners[first + 1u].y],
        heat[corners[first + 2u].y],
    );
    return select(0.0, three[corner % 3u], is_finite(three));
}

fn ramp_color(value: f32) -> vec3<f32> {
    let last = params.num_stops - 1u;
    let place = clamp(value, 0.0, 1.0) * f32(last);
    let stop = min(u32(place), last - 1u);
    return mix(ramp[stop].xyz, ramp[stop + 1u].xyz, place - f32(stop));
}

fn point_colors(in: Corner) -> vec3<f32> {
    var shares = max(in.barycentrics, vec3(0.0));
    shares /= shares.x + shares.y + shares.z;
    var color = vec3(0.0);
    for (var place = 0u; place < 3u; place++) {
        color += shares[place] * ramp[corners[in.first_corner + place].y].xyz;
    }
    return color;
}

fn albedo(in: Corner, texel: vec3<f32>) -> vec3<f32> {
    if params.flat_color.w == 3.0 {
        return point_colors(in);
    }
    if params.flat_color.w == 2.0 {
        return ramp_color(in.heat);
    }
    if params.flat_color.w == 1.0 {
        return params.flat_color.xyz;
    }
    if material.base_color.w == 2.0 {
        return frame.clay.xyz;
    }
    // Without a texture a white one is bound.
    return material.base_color.xyz * texel;
}

// Where the pixel's middle is beside the triangle: the nearest place of the triangle. Seen at a
// grazing angle a triangle changes so fast from pixel to pixel that what is extrapolated is far
// off.
fn inside(in: Corner) -> Corner {
    var out = in;
    if all(in.barycentrics >= vec3(0.0)) {
        return out;
    }
    var shares = max(in.barycentrics, vec3(0.0));
    shares /= shares.x + shares.y + shares.z;
    out.position = vec3(0.0);
    out.normal = vec3(0.0);
    out.heat = 0.0;
    for (var place = 0u; place < 3u; place++) {
        let corner = in.first_corner + place;
        out.position += shares[place] * corner_position(corner);
        out.normal += shares[place] * corner_normal(corner);
        if params.flat_color.w == 2.0 {
            out.heat += shares[place] * corner_heat(corner);
        }
    }
    return out;
}

// How much of a pixel the lines along the triangle's edges cover; each triangle draws its half of a
// line.
fn wire_cover(barycentrics: vec3<f32>, slope: vec3<f32>) -> f32 {
    let from_edges_px = abs(barycentrics) / max(slope, vec3(1e-12));
    let nearest_px = min(from_edges_px.x, min(from_edges_px.y, from_edges_px.z));
    return clamp(0.5 * params.wire_width_px + 0.5 - nearest_px, 0.0, 1.0);
}

// What a normal map makes of a normal: its x runs as the first texture coordinate does, its y
// against the second. As crates/sinew_view/src/raster/shade.rs has it.
fn bumped(n: vec3<f32>, first_corner: u32, texel: vec3<f32>) -> vec3<f32> {
    if material.bumps.y == 0.0 || params.has_uvs == 0u || params.flat_color.w != 0.0 {
        return n;
    }
    let a = corner_position(first_corner);
    let first = cross(n, corner_position(first_corner + 1u) - a);
    let second = cross(corner_position(first_corner + 2u) - a, n);
    let uv = uvs[corners[first_corner].x];
    let to_b = uvs[corners[first_corner + 1u].x] - uv;
    let to_c = uvs[corners[first_corner + 2u].x] - uv;
    let tangent = second * to_b.x + first * to_c.x;
    let bitangent = -(second * to_b.y + first * to_c.y);
    let longest = sqrt(max(dot(tangent, tangent), dot(bitangent, bitangent)));
    if !(longest > 0.0) {
        return n;
    }
    let m = (2.0 * texel - 1.0) * vec3(material.bumps.x, material.bumps.x, 1.0);
    return unit_normal(m.x / longest * tangent + m.y / longest * bitangent + m.z * n, n);
}

// What of a pixel is known only where control flow is uniform.
struct Looked {
    texel: vec4<f32>,
    bump: vec3<f32>,
    slope: vec3<f32>,
    flat_n: vec3<f32>,
    uv_across: vec2<f32>,
    uv_down: vec2<f32>,
}

fn looked(middle: Corner, is_front: bool) -> Looked {
    var out: Looked;
    out.texel = textureSample(base_texture, base_sampler, middle.uv);
    out.bump = textureSample(normal_texture, base_sampler, middle.uv).xyz;
    let across = dpdx(middle.barycentrics);
    let down = dpdy(middle.barycentrics);
    out.slope = sqrt(across * across + down * down);
    out.flat_n = flat_normal(middle.position, is_front);
    out.uv_across = dpdx(middle.uv);
    out.uv_down = dpdy(middle.uv);
    return out;
}

fn shaded(middle: Corner, is_front: bool, seen: Looked) -> vec3<f32> {
    let in = inside(middle);
    let v = normalize(frame.eye.xyz - in.position);
    var n = bumped(unit_normal(in.normal, seen.flat_n), middle.first_corner, seen.bump);
    var color = albedo(in, seen.texel.xyz);
    if !is_front {
        n = -n;
        let is_two_sided = material.opacity.w == 1.0 && params.flat_color.w == 0.0;
        color *= select(frame.floor.w, 1.0, is_two_sided);
    }
    var shown = toned(lit(color, in.position, n, v));
    if params.wire_width_px > 0.0 {
        let cover = wire_cover(middle.barycentrics, seen.slope) * params.wire_color.w;
        shown = mix(shown, params.wire_color.xyz, cover);
    }
    return shown;
}

// The samples at which the opacity is from `least` on and below `most`.
fn samples_between(middle: Corner, seen: Looked, least: f32, most: f32) -> u32 {
    var mask = 0u;
    for (var sample = 0u; sample < 4u; sample++) {
        let from_middle = SAMPLES[sample];
        let uv = middle.uv + from_middle.x * seen.uv_across + from_middle.y * seen.uv_down;
        let texel =
            textureSampleGrad(base_texture, base_sampler, uv, seen.uv_across, seen.uv_down);
        let opacity = material.opacity.x * texel.w;
        if opacity >= least && opacity < most {
            mask |= 1u << sample;
        }
    }
    return mask;
}

@fragment
fn surface_fragment(
    middle: Corner,
    @builtin(front_facing) is_front: bool,
) -> @location(0) vec4<f32> {
    return vec4(shaded(middle, is_front, looked(middle, is_front)), 1.0);
}

struct Cut {
    @location(0) color: vec4<f32>,
    @builtin(sample_mask) mask: u32,
}

// What is solid of a mask or a veil.
@fragment
fn solid_fragment(middle: Corner, @builtin(front_facing) is_front: bool) -> Cut {
    let seen = looked(middle, is_front);
    let mask = samples_between(middle, seen, material.opacity.y, 1e30);
    return Cut(vec4(shaded(middle, is_front, seen), 1.0), mask);
}

// Where a veil is, for its depth alone: the nearest is the one that is seen.
@fragment
fn veil_place_fragment(
    middle: Corner,
    @builtin(front_facing) is_front: bool,
) -> @builtin(sample_mask) u32 {
    let seen = looked(middle, is_front);
    return samples_between(middle, seen, LEAST_OPACITY, material.opacity.y);
}

@fragment
fn veil_fragment(middle: Corner, @builtin(front_facing) is_front: bool) -> Cut {
    let seen = looked(middle, is_front);
    let mask = samples_between(middle, seen, LEAST_OPACITY, material.opacity.y);
    let opacity = clamp(material.opacity.x * seen.texel.w, 0.0, 1.0);
    return Cut(vec4(shaded(middle, is_front, seen), opacity), mask);
}
