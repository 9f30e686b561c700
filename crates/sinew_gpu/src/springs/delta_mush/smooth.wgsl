// x ← x + f (Σ w x_j / Σ w − x). Twin of `DeltaMush::smooth_rows`.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> starts: array<u32>;
// The neighbour's slot and the bits of its weight.
@group(0) @binding(2) var<storage, read> links: array<vec2<u32>>;
// f / Σ w
@group(0) @binding(3) var<storage, read> factors: array<f32>;
@group(0) @binding(4) var<storage, read> now: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> next: array<vec4<f32>>;

@compute @workgroup_size(64)
fn smooth_slots(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let x = now[slot];
    // Sums of differences, not of places: far from the origin they keep more digits.
    var sum = vec3(0.0);
    for (var at = starts[slot]; at < starts[slot + 1u]; at++) {
        let link = links[at];
        sum += (now[link.x].xyz - x.xyz) * bitcast<f32>(link.y);
    }
    next[slot] = vec4(x.xyz + sum * factors[slot], x.w);
}
