// What every spring shader knows of a frame.
// prelude: maths.wgsl

struct Frame {
    num_slots: u32,
    num_points: u32,
    num_marks: u32,
    // Of the most that may run.
    iterations: u32,
    // The threshold is looked at after so many iterations.
    check_iterations: u32,
    // 1 if the start, and 1 if the base, is in the order of slots instead of points.
    start_by_slot: u32,
    base_by_slot: u32,
    // 1 if `swell` is given.
    has_swell: u32,
    // Iterations run in units of the model.
    units_a_metre: f32,
    metres_a_unit: f32,
    max_reach: f32,
    // Steps shorter than this, in units, end a frame.
    shortest_step: f32,
    // What residuals are told over, in units.
    smallest_side: f32,
    // How much bent skin is moved so that the body keeps its volume.
    swell: f32,
    padding_a: f32,
    padding_b: f32,
}

// An iteration.
struct Step {
    // Chebyshev's factor, where there is one.
    omega: f32,
    index: u32,
    // The iteration whose largest step says whether this one still runs, or NO_CHECK.
    check: u32,
    // 1 if its largest step is wanted.
    is_measured: u32,
}

// What is said of one slot in a frame.
struct Mark {
    // And how stiffly a soft pin holds its length.
    place: vec4<f32>,
    // An edit's, unit and at rest, and how stiffly a soft pin holds its own.
    direction: vec4<f32>,
    slot: u32,
    point: u32,
    flags: u32,
    // Of the length of its arm.
    length_factor: f32,
}

const NO_CHECK: u32 = 0xffffffffu;

const MARK_EDIT: u32 = 1u;
// Held at `place`.
const MARK_PLACE: u32 = 2u;
// Held where the first stage has it.
const MARK_BASE: u32 = 4u;
// `place` is a pin's.
const MARK_PIN: u32 = 8u;
// `place` is a pin's that holds softly.
const MARK_SOFT: u32 = 16u;
// An edit has a direction.
const MARK_DIRECTION: u32 = 32u;

// Lanes of a slice of half-edges.
const SLICE_LANES: u32 = 8u;

fn to_units(p: vec3<f32>, frame: Frame) -> vec3<f32> {
    let reach = vec3(frame.max_reach);
    return clamp(p * frame.units_a_metre, -reach, reach);
}
