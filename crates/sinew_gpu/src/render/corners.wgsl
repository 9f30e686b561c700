// A surface's corners, pulled from storage: draws have no index buffer, so that a corner knows its
// triangle and its place in it (barycentrics need no optional feature), and positions may come
// straight from a compute pass.
// prelude: render/frame.wgsl

struct SurfaceParams {
    // Linear; w: 0 for materials, 1 for this one colour, 2 for heat, 3 for a colour a point
    flat_color: vec4<f32>,
    // Linear, with opacity
    wire_color: vec4<f32>,
    // 0 for none
    wire_width_px: f32,
    surface: u32,
    // 1 where normals are looked up through `normal_of_vertex`, 0 where there is one a vertex
    has_normal_map: u32,
    num_stops: u32,
    has_uvs: u32,
    // Points from here on are not there
    num_points: u32,
    padding0: u32,
    padding1: u32,
}

@group(1) @binding(0) var<uniform> params: SurfaceParams;
// One a welded point.
@group(1) @binding(1) var<storage, read> positions: array<vec4<f32>>;
@group(1) @binding(2) var<storage, read> normals: array<vec4<f32>>;
@group(1) @binding(3) var<storage, read> normal_of_vertex: array<u32>;
// Vertex and welded point of each corner, three a triangle.
@group(1) @binding(4) var<storage, read> corners: array<vec2<u32>>;
// One a vertex.
@group(1) @binding(5) var<storage, read> uvs: array<vec2<f32>>;
// One a welded point.
@group(1) @binding(6) var<storage, read> heat: array<f32>;
// Evenly spaced, linear; for colours one a welded point.
@group(1) @binding(7) var<storage, read> ramp: array<vec4<f32>>;

fn corner_position(corner: u32) -> vec3<f32> {
    return positions[corners[corner].y].xyz;
}

fn corner_normal(corner: u32) -> vec3<f32> {
    let vertex = corners[corner].x;
    if params.has_normal_map == 1u {
        return normals[normal_of_vertex[vertex]].xyz;
    }
    return normals[vertex].xyz;
}

// A triangle with a corner that is no place is not drawn at all.
fn is_drawn(corner: u32) -> bool {
    let first = corner - corner % 3u;
    return is_place(first) && is_place(first + 1u) && is_place(first + 2u);
}

fn is_place(corner: u32) -> bool {
    return corners[corner].y < params.num_points && is_finite(corner_position(corner));
}

// Outside of every picture and map.
const NOWHERE = vec4<f32>(2.0, 2.0, 2.0, 1.0);

fn corner_barycentrics(corner: u32) -> vec3<f32> {
    let place = corner % 3u;
    return vec3(f32(place == 0u), f32(place == 1u), f32(place == 2u));
}

// The triangle's own normal, by derivatives: only where control flow is uniform.
fn flat_normal(position: vec3<f32>, is_front: bool) -> vec3<f32> {
    let across = cross(dpdx(position), dpdy(position));
    let length_squared = dot(across, across);
    if !(length_squared > 0.0) {
        return vec3(0.0, 1.0, 0.0);
    }
    let n = across * inverseSqrt(length_squared);
    let is_to_eye = dot(n, frame.eye.xyz - position) > 0.0;
    return select(-n, n, is_to_eye == is_front);
}

// An interpolated normal made unit; the triangle's own where there is none.
fn unit_normal(interpolated: vec3<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    let length_squared = dot(interpolated, interpolated);
    if !is_finite(interpolated) || !(length_squared > 1e-30) {
        return otherwise;
    }
    return interpolated * inverseSqrt(length_squared);
}
