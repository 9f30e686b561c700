// The rest that a cage gives: M = M0 + Φ (C − C0), and of centres of rotation p = p0 + Λ (C − C0).
// Twin of sinew's frame/cage/blocks.rs.
// prelude: maths.wgsl

// Points in a block, as sinew's tables have them.
const LANES: u32 = 16u;

struct CageParams {
    // Of this run.
    num_points: u32,
    first_point: u32,
    num_handles: u32,
    // Rows of rest data a point: position (or offset from the centre, and then the centre), then
    // what else there is.
    stride: u32,
    has_centers: u32,
    keeps_points: u32,
    unused_0: u32,
    unused_1: u32,
}

@group(0) @binding(0) var<uniform> params: CageParams;
// How many handles have moved; then of each how far (bits of floats), and its number.
@group(0) @binding(1) var<storage, read> moves: array<vec4<u32>>;
// Of this run's points: block by block, handle by handle.
@group(0) @binding(2) var<storage, read> coordinates: array<f32>;
@group(0) @binding(3) var<storage, read> center_coordinates: array<f32>;
// The rows while the cage is as it was bound.
@group(0) @binding(4) var<storage, read> base: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> rest: array<vec4<f32>>;
// The points themselves, where something reads them.
@group(0) @binding(6) var<storage, read_write> points: array<vec4<f32>>;

@compute @workgroup_size(64)
fn cage_rest(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= params.num_points {
        return;
    }
    let lane = (index / LANES) * params.num_handles * LANES + index % LANES;
    let num_moves = moves[0].x;
    var by = vec3(0.0);
    for (var i = 1u; i <= num_moves; i++) {
        by += coordinates[lane + moves[i].w * LANES] * bitcast<vec3<f32>>(moves[i].xyz);
    }
    let point = params.first_point + index;
    let row = point * params.stride;
    for (var i = 0u; i < params.stride; i++) {
        rest[row + i] = base[row + i];
    }
    var place = base[row].xyz + by;
    if params.has_centers != 0u {
        var center_by = vec3(0.0);
        for (var i = 1u; i <= num_moves; i++) {
            let lambda = center_coordinates[lane + moves[i].w * LANES];
            center_by += lambda * bitcast<vec3<f32>>(moves[i].xyz);
        }
        let center = base[row + 1u].xyz + center_by;
        rest[row] = vec4(base[row].xyz + (by - center_by), base[row].w);
        rest[row + 1u] = vec4(center, base[row + 1u].w);
        place = base[row].xyz + base[row + 1u].xyz + by;
    } else {
        rest[row] = vec4(place, base[row].w);
    }
    if params.keeps_points != 0u {
        points[point] = vec4(place, 1.0);
    }
}
