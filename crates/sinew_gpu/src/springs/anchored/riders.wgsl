// Shells that keep their shapes: one rigid frame each, fitted to places on others. Twin of
// springs/riders.rs.
// prelude: maths.wgsl

struct Params {
    first_rider: u32,
    last_rider: u32,
    turn_steps: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rotations: array<vec4<f32>>;
// Two rows each: first and last point and sample; slot and λ.
@group(0) @binding(2) var<storage, read> riders: array<vec4<u32>>;
// Three rows each: corners and weight; shares; place from the middle at rest.
@group(0) @binding(3) var<storage, read> samples: array<vec4<u32>>;
// The point, and its place from the middle at rest.
@group(0) @binding(4) var<storage, read> points: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> holds: array<u32>;
@group(0) @binding(6) var<storage, read_write> positions: array<vec4<f32>>;

fn sample_place(sample: u32) -> vec3<f32> {
    let corners = samples[3u * sample].xyz;
    let shares = bitcast<vec3<f32>>(samples[3u * sample + 1u].xyz);
    return shares.x * positions[corners.x].xyz + shares.y * positions[corners.y].xyz
        + shares.z * positions[corners.z].xyz;
}

fn turned_by(q: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let t = 2.0 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}

fn times(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

@compute @workgroup_size(64)
fn place(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let rider = params.first_rider + invocation_index(id, groups);
    if rider >= params.last_rider {
        return;
    }
    let runs = riders[2u * rider];
    let first = normalize(rotations[riders[2u * rider + 1u].x]);
    let prior = bitcast<f32>(riders[2u * rider + 1u].y);

    // Around the first sample: an f32 is finer the nearer it is to zero.
    let origin = sample_place(runs.z);
    var middle = vec3(0.0);
    for (var sample = runs.z; sample < runs.w; sample++) {
        let weight = bitcast<f32>(samples[3u * sample].w);
        middle += weight * (sample_place(sample) - origin);
    }
    middle += origin;

    var a = prior * turned_by(first, vec3(1.0, 0.0, 0.0));
    var b = prior * turned_by(first, vec3(0.0, 1.0, 0.0));
    var c = prior * turned_by(first, vec3(0.0, 0.0, 1.0));
    for (var sample = runs.z; sample < runs.w; sample++) {
        let weight = bitcast<f32>(samples[3u * sample].w);
        let here = weight * (sample_place(sample) - middle);
        let before = bitcast<vec3<f32>>(samples[3u * sample + 2u].xyz);
        a += here * before.x;
        b += here * before.y;
        c += here * before.z;
    }

    var turn = first;
    for (var step = 0u; step < params.turn_steps; step++) {
        let x = turned_by(turn, vec3(1.0, 0.0, 0.0));
        let y = turned_by(turn, vec3(0.0, 1.0, 0.0));
        let z = turned_by(turn, vec3(0.0, 0.0, 1.0));
        let torque = cross(x, a) + cross(y, b) + cross(z, c);
        let along = abs(dot(x, a) + dot(y, b) + dot(z, c));
        let by = torque / max(along, 1e-30);
        let angle = length(by);
        // What is no number turns nothing.
        if !(angle > 1e-7) || angle > 1e9 {
            break;
        }
        let axis = by / angle;
        turn = normalize(times(vec4(sin(0.5 * angle) * axis, cos(0.5 * angle)), turn));
    }
    for (var entry = runs.x; entry < runs.y; entry++) {
        if holds[entry] == 0u {
            let row = points[entry];
            let arm = bitcast<vec3<f32>>(row.yzw);
            positions[row.x] = vec4(middle + turned_by(turn, arm), 1.0);
        }
    }
}
