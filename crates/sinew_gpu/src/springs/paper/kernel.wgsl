// One explicit step of the published springs. Twin of paper/kernel.rs.
//
// With c = s_i × s_j, |s_i|² s_j − (s_i·s_j) s_i is c × s_i: the sum over neighbours is one of c,
// and the product with s_i is taken once. The fourth float of a position is 0 where the point is
// held, else 1.
// prelude: maths.wgsl, springs/frame.wgsl, springs/paper/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Paper;
@group(0) @binding(2) var<uniform> step: Step;
@group(0) @binding(3) var<storage, read> block_starts: array<u32>;
@group(0) @binding(4) var<storage, read> pairs: array<Pair>;
// Bone stiffness, φ⁰, length stiffness, |s⁰|: as this frame has them.
@group(0) @binding(5) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> posed: array<vec4<f32>>;
// What `s` is turned about, and the share of the edges' forces.
@group(0) @binding(7) var<storage, read> axes: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> now: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> next: array<vec4<f32>>;
// The bits of each iteration's largest squared step: as numbers in order, since none is negative.
@group(0) @binding(10) var<storage, read_write> largest: array<atomic<u32>>;

// Five words: another buffer would be one more than WebGPU promises.
struct Pair {
    neighbour: u32,
    // k of F_a and of F_s.
    torque: f32,
    edge: f32,
    // θ⁰, below 0 for none.
    rest_angle: f32,
    // ℓ⁰
    rest_length: f32,
}

const PI: f32 = 3.14159265358979;

var<workgroup> largest_of_group: atomic<u32>;

// An iteration that was left out has 0 for its largest step, and so ends those after it as well.
fn is_over() -> bool {
    if step.check == NO_CHECK {
        return false;
    }
    return sqrt(bitcast<f32>(atomicLoad(&largest[step.check]))) < frame.shortest_step;
}

// atan2(sine, cosine) for sines that are not negative: Cephes' atanf, good to 2e-7. WGSL's own
// promises 2⁻¹².
fn angle(sine: f32, cosine: f32) -> f32 {
    let flat_part = abs(cosine);
    let small = min(sine, flat_part);
    let large = max(sine, flat_part);
    let is_far = small > large * 0.41421357;
    let over = select(small, small - large, is_far);
    let under = select(large, small + large, is_far);
    let t = over / max(under, LEAST);
    let z = t * t;
    let series = (8.0537445e-2 * z - 1.3877686e-1) * (z * z) + (1.9977711e-1 * z - 3.333295e-1);
    let small_angle = series * (z * t) + t;
    let first = select(small_angle, small_angle + PI / 4.0, is_far);
    let quarter = select(first, PI / 2.0 - first, sine > flat_part);
    return select(quarter, PI - quarter, cosine < 0.0);
}

// Length and its inverse, both at least those of what has no direction.
fn length_of(v: vec3<f32>) -> vec2<f32> {
    let size = sqrt(max(dot(v, v), model.no_direction));
    return vec2(size, 1.0 / size);
}

// The same, the inverse zero where there is no direction.
fn length_or_none(v: vec3<f32>) -> vec2<f32> {
    let squared = dot(v, v);
    let size = sqrt(max(squared, model.no_direction));
    return vec2(size, select(1.0 / size, 0.0, squared < model.no_direction));
}

struct Sums {
    torque: vec3<f32>,
    edge: vec3<f32>,
}

fn of_pairs(slot: u32, x: vec3<f32>, s: vec3<f32>) -> Sums {
    var sums = Sums(vec3(0.0), vec3(0.0));
    let block = slot / SLICE_LANES;
    for (var row = block_starts[block]; row < block_starts[block + 1u]; row++) {
        let pair = pairs[row * SLICE_LANES + slot % SLICE_LANES];
        let x_j = now[pair.neighbour].xyz;
        let s_j = x_j - posed[pair.neighbour].xyz;
        let along = x_j - x;
        // Of the difference: nearly parallel vectors cancel less.
        let c = cross(s, s_j - s);
        let size = length_of(along);
        let sine = length_or_none(c);
        let stretch = size.x - pair.rest_length;
        let rest_angle = pair.rest_angle;
        let bend = select(angle(sine.x, dot(s, s_j)) - rest_angle, 0.0, rest_angle < 0.0);
        sums.torque += pair.torque * bend * sine.y * c;
        let stiffness = pair.edge * select(1.0, model.compressed, stretch < 0.0);
        sums.edge += stiffness * stretch * size.y * along;
    }
    return sums;
}

// Returns the square of the step.
fn move_slot(slot: u32) -> f32 {
    let row = now[slot];
    let x = row.xyz;
    let axis = axes[slot];
    let point = points[slot];
    let s = x - posed[slot].xyz;
    let sums = of_pairs(slot, x, s);

    let c = cross(s, axis.xyz);
    let sine = length_or_none(c);
    let size = length_of(s);
    let bend = angle(sine.x, dot(s, axis.xyz)) - point.y;
    let of_bone = point.x * bend * sine.y;
    let of_length = point.z * (point.w - size.x) * size.y;
    // Both torques are crossed with s at once.
    let turn = cross(model.torque * sums.torque + of_bone * c, s);
    var moved = row.w * model.step_seconds
        * (of_length * s + axis.w * model.edge * sums.edge + turn);
    var squared = dot(moved, moved);
    let longest_squared = model.max_step * model.max_step;
    if squared > longest_squared {
        moved *= model.max_step / sqrt(max(squared, model.no_direction));
        squared = longest_squared;
    }
    next[slot] = vec4(x + moved, row.w);
    // What is no number is no step.
    return select(0.0, squared, squared > 0.0);
}

@compute @workgroup_size(64)
fn advance(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = invocation_index(id, groups);
    var squared = 0.0;
    if slot < frame.num_slots && !is_over() {
        squared = move_slot(slot);
    }
    if step.is_measured == 1u {
        atomicMax(&largest_of_group, bitcast<u32>(squared));
        workgroupBarrier();
        if local == 0u {
            atomicMax(&largest[step.index], atomicLoad(&largest_of_group));
        }
    }
}
