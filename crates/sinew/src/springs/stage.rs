//! What the first stage hands to the springs (temporary: the lead owns the final one).

/// The first stage's result, in the solver's order of slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// `x*` and the total twist `psi` in radians.
    pub target: Vec<[f32; 4]>,
    /// Unit quaternions `xyzw`; their signs vary continuously over the surface.
    pub rotation: Vec<[f32; 4]>,
    /// Unit vectors away from the bone, zero where there is none; the last is 0.
    pub direction: Vec<[f32; 4]>,
    /// Where the point holds on to its bone; the last is 0.
    pub attachment: Vec<[f32; 4]>,
}
