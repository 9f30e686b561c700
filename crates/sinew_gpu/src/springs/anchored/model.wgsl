// The anchored model's numbers: `Gains` times `Coefficients`.
// prelude: maths.wgsl, springs/frame.wgsl

struct Anchored {
    torque: f32,
    tension: f32,
    orientation: f32,
    bone: f32,
    along_arm: f32,
    length: f32,
    tension_limit: f32,
    tension_twist: f32,
    orientation_limit: f32,
    target_share: f32,
    twist_softness: f32,
    // Squares below this have no direction.
    least_square: f32,
    // Share of the diagonal step that is taken.
    step: f32,
    // Over the stiffest anchor of a point that is no handle.
    handle_stiffness: f32,
    // Of the coarse level's way.
    coarse_twist_softness: f32,
    // Of the tension limit, where tension sets in.
    tension_onset: f32,
    tension_curve: vec2<f32>,
    // Widths of the guards' onsets, over their limits.
    orientation_softness: f32,
    length_softness: f32,
    contact: f32,
    // Cosines of the bends between which contact planes fade in.
    contact_shallow: f32,
    contact_deep: f32,
    contact_flat_share: f32,
    // The least product of a slot without a plane.
    no_contact: f32,
    padding_0: f32,
    padding_1: f32,
    padding_2: f32,
}

// What stays the same during a frame: parts of `points`, each as long as there are slots.
// x* and ε
const POINT_TARGET: u32 = 0u;
// ŝ and ε_g
const POINT_DIRECTION: u32 = 1u;
// n, and the n·x below which the length guard pushes
const POINT_NORMAL: u32 = 2u;
// The contact plane's normal, and the least product with it
const POINT_CONTACT: u32 = 4u;
// c_t Σ k d_e, and the width of the length guard's onset
const POINT_PULL: u32 = 3u;
