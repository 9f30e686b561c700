// x̄' + R' δ: the detail that smoothing took off at rest, in the frame of the smoothed point. Twin
// of `DeltaMush::put_back`.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
@group(0) @binding(2) var<storage, read> links: array<vec2<u32>>;
// Cosines of the rest edge with the two tangents.
@group(0) @binding(3) var<storage, read> tangents: array<vec2<f32>>;
// And 1 if it is in the slot's own frame, 0 if in model space.
@group(0) @binding(4) var<storage, read> deltas: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> now: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> next: array<vec4<f32>>;

@compute @workgroup_size(64)
fn put_back(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let x = now[slot];
    let delta = deltas[slot];
    var in_model = delta.xyz;
    if delta.w != 0.0 {
        var u = vec3(0.0);
        var v = vec3(0.0);
        for (var at = starts[slot]; at < starts[slot + 1u]; at++) {
            let edge = now[links[at].x].xyz - x.xyz;
            u += edge * tangents[at].x;
            v += edge * tangents[at].y;
        }
        u = unit_or_zero(u);
        let normal = unit_or_zero(cross(u, v));
        in_model = delta.x * u + delta.y * cross(normal, u) + delta.z * normal;
    }
    next[slot] = vec4(x.xyz + in_model, x.w);
}
