// What lies outside stays outside. Twin of springs/layers.rs.
// prelude: maths.wgsl

struct Params {
    num_links: u32,
    num_points: u32,
    kept_height: f32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// Three rows each: point and corners; shares and strength; height at rest and softness.
@group(0) @binding(1) var<storage, read> links: array<vec4<u32>>;
// By point that may be pushed: the point, its first entry and the one after its last.
@group(0) @binding(2) var<storage, read> runs: array<vec4<u32>>;
// A link, and its coefficient.
@group(0) @binding(3) var<storage, read> entries: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> holds: array<u32>;
@group(0) @binding(5) var<storage, read_write> pushes: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<f32>>;

fn wanted(link: u32) -> vec3<f32> {
    let points = links[3u * link];
    let shares = bitcast<vec4<f32>>(links[3u * link + 1u]);
    let height = bitcast<vec4<f32>>(links[3u * link + 2u]);
    if height.x == 0.0 {
        return vec3(0.0);
    }
    let a = positions[points.y].xyz;
    let b = positions[points.z].xyz;
    let c = positions[points.w].xyz;
    let across = cross(b - a, c - a);
    let size = length(across);
    if !(size > 0.0) {
        return vec3(0.0);
    }
    let normal = across / size * sign(height.x);
    // From one corner: an f32 is finer the nearer it is to zero.
    let offset = (positions[points.x].xyz - a) - (shares.y * (b - a) + shares.z * (c - a));
    let missing = params.kept_height * abs(height.x) - dot(offset, normal);
    if !(missing > 0.0) || missing > 1e30 {
        return vec3(0.0);
    }
    return normal * (shares.w * missing * missing / (missing + height.y));
}

@compute @workgroup_size(64)
fn push(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let link = invocation_index(id, groups);
    if link >= params.num_links {
        return;
    }
    pushes[link] = vec4(wanted(link), 0.0);
}

@compute @workgroup_size(64)
fn part(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let index = invocation_index(id, groups);
    if index >= params.num_points || holds[index] != 0u {
        return;
    }
    let run = runs[index];
    var sum = vec3(0.0);
    var weight = 0.0;
    for (var entry = run.y; entry < run.z; entry++) {
        let by = pushes[entries[entry].x].xyz;
        let size = length(by);
        sum += bitcast<f32>(entries[entry].y) * size * by;
        weight += size;
    }
    if weight > 0.0 {
        positions[run.x] = vec4(positions[run.x].xyz + sum / weight, 1.0);
    }
}
