// Surfaces in the studio's light.
// prelude: render/frame.wgsl, render/light.wgsl, render/corners.wgsl

struct Material {
    // Linear. w: 0 plain, 1 with a texture, 2 the look's clay instead
    base_color: vec4<f32>,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_texture: texture_2d<f32>;
@group(2) @binding(2) var base_sampler: sampler;

struct Corner {
    @builtin(position) place: vec4<f32>,
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

fn albedo(in: Corner, texel: vec3<f32>) -> vec3<f32> {
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

@fragment
fn surface_fragment(
    middle: Corner,
    @builtin(front_facing) is_front: bool,
) -> @location(0) vec4<f32> {
    // Derivatives first: control flow must be uniform for them.
    let texel = textureSample(base_texture, base_sampler, middle.uv).xyz;
    let across = dpdx(middle.barycentrics);
    let down = dpdy(middle.barycentrics);
    let slope = sqrt(across * across + down * down);
    let flat_n = flat_normal(middle.position, is_front);
    let in = inside(middle);

    let v = normalize(frame.eye.xyz - in.position);
    var n = unit_normal(in.normal, flat_n);
    var color = albedo(in, texel);
    if !is_front {
        n = -n;
        color *= frame.floor.w;
    }
    var shown = toned(lit(color, in.position, n, v));
    if params.wire_width_px > 0.0 {
        let cover = wire_cover(middle.barycentrics, slope) * params.wire_color.w;
        shown = mix(shown, params.wire_color.xyz, cover);
    }
    return vec4(shown, 1.0);
}
