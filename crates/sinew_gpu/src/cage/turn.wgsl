// The file's normals at a rest that a cage has moved: each turns as the surface at its point does.
// Twin of sinew's Mesh::turn_normals.
// prelude: maths.wgsl

struct TurnParams {
    num_vertices: u32,
    // Rows a vertex where they go, and which of them.
    stride: u32,
    row: u32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> params: TurnParams;
@group(0) @binding(1) var<storage, read> point_of_vertex: array<u32>;
// Of points, at the file's rest and at this one.
@group(0) @binding(2) var<storage, read> before: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> after: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> of_file: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> normals: array<vec4<f32>>;

// A cosine below this is half a turn: the axis of a sharper one is noise.
const HALF_TURN: f32 = -0.999999;

// Duff et al. 2017, as glam has it.
fn any_orthonormal(v: vec3<f32>) -> vec3<f32> {
    let sign = select(-1.0, 1.0, v.z >= 0.0);
    let a = -1.0 / (sign + v.z);
    return vec3(v.x * v.y * a, sign + v.y * v.y * a, -v.y);
}

// `v` turned the shortest way from one unit vector to another.
fn turned(from_unit: vec3<f32>, to_unit: vec3<f32>, v: vec3<f32>) -> vec3<f32> {
    let cosine = dot(from_unit, to_unit);
    if cosine < HALF_TURN {
        let axis = any_orthonormal(from_unit);
        return 2.0 * dot(axis, v) * axis - v;
    }
    let axis = cross(from_unit, to_unit);
    return cosine * v + cross(axis, v) + (dot(axis, v) / (1.0 + cosine)) * axis;
}

@compute @workgroup_size(64)
fn turn_normals(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let vertex = invocation_index(id, groups);
    if vertex >= params.num_vertices {
        return;
    }
    let point = point_of_vertex[vertex];
    let from_unit = before[point].xyz;
    let to_unit = after[point].xyz;
    var normal = of_file[vertex].xyz;
    // Where there is no surface nothing turns.
    if any(from_unit != vec3(0.0)) && any(to_unit != vec3(0.0)) {
        normal = turned(from_unit, to_unit, normal);
    }
    normals[vertex * params.stride + params.row] = vec4(normal, 0.0);
}
