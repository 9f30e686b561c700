//! Cages on the card: the rest that they give, and the posed cage that follows.
//!
//! What a cage does to joints (`A = A0 + Ψ (C − C0)`) is not here: it comes before forward
//! kinematics, which a frame has in f64 on the processor and uploads as a palette, and is as many
//! products as there are joints and handles.

mod follow;
mod rest;

pub(crate) use follow::CageFollow;
pub(crate) use rest::{CageMoves, CageRest, RestRows, TurningNormals};
