// A body keeps its volume: after the iterations bent skin moves away from its bones, or towards
// them. Twin of `sinew::springs::anchored::volume`, which has the formulas.
// prelude: maths.wgsl, skeleton/rows.wgsl, springs/frame.wgsl

struct Volume {
    num_triangles: u32,
    // From one of an invocation's triangles to the next: the number of invocations.
    stride: u32,
    num_sums: u32,
    num_shares: u32,
    // 0 for surfaces around nothing.
    rest_volume: f32,
    coefficient: f32,
    keep_volume: f32,
    shrink_share: f32,
    most_missing: f32,
    most_swell: f32,
    least_rate: f32,
    unused: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> volume: Volume;
// Iterations, residual, swell.
@group(0) @binding(2) var<storage, read_write> stats: array<u32>;
@group(0) @binding(3) var<storage, read_write> even: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> odd: array<vec4<f32>>;
// Of the stage: ŝ and g.
@group(0) @binding(5) var<storage, read> directions: array<vec4<f32>>;

// Of `sum_triangles`.
@group(0) @binding(6) var<storage, read> corners: array<u32>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<f32>>;

// Of `find_swell`, which reads `sums` as well: a joint and the bits of its share of the volume.
@group(0) @binding(6) var<storage, read> shares: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read> bones: array<vec4<f32>>;

var<workgroup> of_group: array<vec2<f32>, 64>;

fn row_of(slot: u32) -> vec4<f32> {
    if stats[0] % 2u == 1u {
        return odd[slot];
    }
    return even[slot];
}

fn give_of(slot: u32) -> vec3<f32> {
    let direction = directions[slot];
    return direction.w * direction.xyz;
}

// The sum over a workgroup, in the first invocation.
fn sum_group(local: u32, own: vec2<f32>) -> vec2<f32> {
    of_group[local] = own;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        if local < half {
            of_group[local] += of_group[local + half];
        }
        workgroupBarrier();
    }
    return of_group[0];
}

// Six times the volume, and what the skin's giving way would add to it.
@compute @workgroup_size(64)
fn sum_triangles(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let index = invocation_index(id, groups);
    // Any place will do for a closed surface; one of its own keeps the digits.
    let origin = row_of(corners[0]).xyz;
    var own = vec2(0.0);
    if index < volume.stride {
        for (var triangle = index; triangle < volume.num_triangles; triangle += volume.stride) {
            let slots =
                vec3(corners[3u * triangle], corners[3u * triangle + 1u],
                    corners[3u * triangle + 2u]);
            let a = row_of(slots.x).xyz - origin;
            let normal = cross(row_of(slots.y).xyz - origin - a, row_of(slots.z).xyz - origin - a);
            own += vec2(dot(normal, a),
                dot(normal, give_of(slots.x) + give_of(slots.y) + give_of(slots.z)));
        }
    }
    let sum = sum_group(local, own);
    if local == 0u && index / 64u < volume.num_sums {
        sums[index / 64u] = sum;
    }
}

// `a`, but never quite `most`.
fn at_most(a: f32, most: f32) -> f32 {
    let ratio = a / most;
    return a / sqrt(sqrt(1.0 + ratio * ratio * ratio * ratio));
}

// What a bone's stretch and its joint's scale make of the volume around it.
fn growth_of(joint: u32) -> f32 {
    let rows = joint * BONE_ROWS;
    let limb = bones[rows + LIMB];
    if limb.w == 0.0 {
        return 1.0;
    }
    let d = limb.xyz;
    // xy, xz, yz
    let m = bones[rows + LIMB_MIXED].xyz;
    let scale = d.x * (d.y * d.z - m.z * m.z) - m.x * (m.x * d.z - m.z * m.y)
        + m.y * (m.x * m.z - d.y * m.y);
    let stretch = bones[rows + GAP].w;
    if stretch == 1.0 || volume.keep_volume == 1.0 {
        return abs(scale);
    }
    return abs(scale) * pow(abs(stretch), 1.0 - volume.keep_volume);
}

// One workgroup.
@compute @workgroup_size(64)
fn find_swell(@builtin(local_invocation_index) local: u32) {
    var own = vec2(0.0);
    for (var at = local; at < volume.num_sums; at += 64u) {
        own += sums[at];
    }
    let sum = sum_group(local, own);
    // Before the first invocation's sum is overwritten, everyone has read it.
    workgroupBarrier();
    var growth = 0.0;
    for (var at = local; at < volume.num_shares; at += 64u) {
        growth += bitcast<f32>(shares[at].y) * (growth_of(shares[at].x) - 1.0);
    }
    // Shares are 1 in sum: what they differ from it by is exact where nothing is stretched.
    growth = 1.0 + sum_group(local, vec2(growth, 0.0)).x;
    if local != 0u {
        return;
    }
    var swell = 0.0;
    if volume.rest_volume > 0.0 {
        let ratios = sum / (6.0 * volume.rest_volume);
        var missing = volume.coefficient * (growth - ratios.x);
        if missing < 0.0 {
            missing *= volume.shrink_share;
        }
        missing = at_most(missing, volume.most_missing);
        let rate = ratios.y;
        swell = at_most(missing * rate / (rate * rate + volume.least_rate * volume.least_rate),
            volume.most_swell);
    }
    // What is no number is not below; the most itself is reached by rounding.
    if !(abs(swell) < 2.0 * volume.most_swell) {
        swell = 0.0;
    }
    if frame.has_swell == 1u {
        swell = frame.swell;
    }
    if frame.iterations == 0u {
        swell = 0.0;
    }
    stats[2] = bitcast<u32>(swell);
}

@compute @workgroup_size(64)
fn move_skin(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let slot = invocation_index(id, groups);
    if slot >= frame.num_slots {
        return;
    }
    let row = row_of(slot);
    // Of what is held the fourth is 0.
    if row.w == 0.0 {
        return;
    }
    let moved = vec4(row.xyz + bitcast<f32>(stats[2]) * give_of(slot), row.w);
    if stats[0] % 2u == 1u {
        odd[slot] = moved;
    } else {
        even[slot] = moved;
    }
}
