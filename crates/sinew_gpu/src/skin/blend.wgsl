// What the methods that blend transforms share. A point blends from its first joint, the pivot,
// towards the others: `base + Σ w (joint − base)`, as the CPU does, which is exact where only one
// joint is at work.
// prelude: maths.wgsl, skeleton/rows.wgsl

struct BlendParams {
    num_points: u32,
    // Rows of rest data a point: position (or offset, and then centre), then normal if there is
    // one.
    rest_stride: u32,
    has_normals: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> params: BlendParams;
@group(0) @binding(1) var<storage, read> row_starts: array<u32>;
// Joint, and the bits of its weight.
@group(0) @binding(2) var<storage, read> influences: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> rest: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> palette: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> positions: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> normals: array<vec4<f32>>;

// Where the rows of an influence's joint begin.
fn joint_rows(influence: u32) -> u32 {
    return influences[influence].x * BLEND_ROWS;
}

fn weight_of(influence: u32) -> f32 {
    return bitcast<f32>(influences[influence].y);
}

fn put(point: u32, position: vec3<f32>) {
    positions[point] = vec4(position, 1.0);
}

fn rest_normal(point: u32) -> vec3<f32> {
    return rest[point * params.rest_stride + params.rest_stride - 1u].xyz;
}

fn put_normal(point: u32, normal: vec3<f32>) {
    normals[point] = vec4(normal, 0.0);
}

// −1 if a joint's quaternion lies in the other hemisphere than the pivot's.
fn hemisphere(rotation: vec4<f32>, pivot: vec4<f32>) -> f32 {
    return select(1.0, -1.0, dot(rotation, pivot) < 0.0);
}
