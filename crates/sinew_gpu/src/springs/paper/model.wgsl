// The published springs' numbers.
// prelude: maths.wgsl, springs/frame.wgsl

struct Paper {
    torque: f32,
    edge: f32,
    compressed: f32,
    step_seconds: f32,
    // In units.
    max_step: f32,
    // Squares below this have no direction.
    no_direction: f32,
    // What a handle takes of its neighbours' F_s.
    handle_edge_share: f32,
    padding: f32,
}
