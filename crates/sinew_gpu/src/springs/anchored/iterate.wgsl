// One iteration: x̂ = x + .95 F/D, then Chebyshev's x_{n+1} = x_{n−1} + ω(x̂ − x_{n−1}). Twin of
// anchored/iterate.rs.
//
// x_{n−1} is read at its own slot only, so x_{n+1} is written over it and two buffers do. The
// fourth float of a position is .95/D, and 0 where the point is held.
// prelude: maths.wgsl, springs/frame.wgsl, springs/anchored/model.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> model: Anchored;
@group(0) @binding(2) var<uniform> step: Step;
@group(0) @binding(3) var<storage, read> row_starts: array<u32>;
@group(0) @binding(4) var<storage, read> links: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> edges: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> now: array<vec4<f32>>;
// x_{n−1}, to become x_{n+1}.
@group(0) @binding(8) var<storage, read_write> next: array<vec4<f32>>;
// The bits of each iteration's largest squared step: as numbers in order, since none is negative.
@group(0) @binding(9) var<storage, read_write> largest: array<atomic<u32>>;

var<workgroup> largest_of_group: atomic<u32>;

// An iteration that was left out has 0 for its largest step, and so ends those after it as well.
fn is_over() -> bool {
    if step.check == NO_CHECK {
        return false;
    }
    return sqrt(bitcast<f32>(atomicLoad(&largest[step.check]))) < frame.shortest_step;
}

// max(0, u), but a parabola where |u| is less than half of the width.
fn past_onset(u: f32, width: f32) -> f32 {
    let past = max(u + 0.5 * width, 0.0);
    let within = min(past, width);
    return within * within / max(2.0 * width, model.least_square) + (past - within);
}

// What a neighbour does.
fn of_half_edge(index: u32, x: vec3<f32>) -> vec3<f32> {
    let link = links[index];
    let edge = edges[index];
    let guard = edge.xyz;
    let e = now[link.x].xyz - x;
    let along = dot(e, guard);
    let taut = max(dot(e, e) * edge.w - model.tension_onset * model.tension_onset, 0.0);
    let tension = taut / (model.tension_curve.x + model.tension_curve.y * taut);
    var force = (model.torque + model.tension * tension * tension) * e;
    let under = past_onset(1.0 - along, model.orientation_softness);
    if under > 0.0 {
        force -= model.orientation * (under / max(dot(guard, guard), model.least_square)) * guard;
    }
    return bitcast<f32>(link.y) * force;
}

// What holds a point by itself.
fn of_anchor(slot: u32, x: vec3<f32>) -> vec3<f32> {
    let target_row = points[POINT_TARGET * frame.num_slots + slot];
    let direction_row = points[POINT_DIRECTION * frame.num_slots + slot];
    let direction = direction_row.xyz;
    let pull = points[POINT_PULL * frame.num_slots + slot];
    let normal = points[POINT_NORMAL * frame.num_slots + slot];
    let off = x - target_row.xyz;
    let hold = model.bone * off + model.along_arm * dot(off, direction) * direction;
    let under = past_onset(normal.w - dot(normal.xyz, x), pull.w);
    let contact = points[POINT_CONTACT * frame.num_slots + slot];
    let deep = past_onset(contact.w - dot(contact.xyz, x) - 0.5 * pull.w, pull.w);
    let guards = model.length * under * normal.xyz + model.contact * deep * contact.xyz;
    return direction_row.w * guards - target_row.w * hold - pull.xyz;
}

// Returns the square of the step.
fn move_slot(slot: u32) -> f32 {
    let row = now[slot];
    let x = row.xyz;
    var force = of_anchor(slot, x);
    let slice = slot / SLICE_LANES;
    for (var at = row_starts[slice]; at < row_starts[slice + 1u]; at++) {
        force += of_half_edge(at * SLICE_LANES + slot % SLICE_LANES, x);
    }
    let before = next[slot].xyz;
    let after = before + step.omega * (row.w * force + (x - before));
    next[slot] = vec4(after, row.w);
    let moved = after - x;
    let squared = dot(moved, moved);
    // What is no number is no step.
    return select(0.0, squared, squared > 0.0);
}

@compute @workgroup_size(64)
fn iterate(
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
