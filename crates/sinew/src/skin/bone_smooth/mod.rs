//! Bone-smooth skinning: a point has *shares* of the swing and the unwrapped twist of the joints
//! around it (the spring rigs poster's influence size, generalised), and holds its distance to the
//! bones.
//!
//! ```text
//! q  = Π_joints swing(c·angle) · twist(cᵗ·angle)        root to leaf; siblings: the mean of both orders
//! c  = Σ w a'_b     s = v − Σ w a_b                      places on the bones that carry the point
//! v' = c + σ l q s  σ = σ_J + e²/(e + .2 + e²/.6)        e = max(0, δ − σ_J)      σ_J = J₊^(−1/4) (1 + .012(1 − J₊))
//! ```
//!
//! `J = Σ w (q b)·b'` says how far the bones have bent away from the blend (`J₊` is `J` kept softly
//! between .2 and 1), and `δ` is the poster's length adjustment: from `σ_J` three fixed-point steps
//! towards the distances that the point has to its bones at rest. A bone that is stretched (its
//! child has moved away from its end) spreads its places along it, and `l = Σ w λ_b^(−κ/2)` thins
//! the limb so that it keeps its volume (κ = 1) or its section (κ = 0). Joints that scale stretch
//! `s` by the blend of their stretches. Shares come from [`crate::attach`].
//!
//! Limits: a deep bend passes through itself (the guards of the springs mend most of that), and a
//! swing is at most 180°.

mod kernel;
mod layout;
mod program;
mod reference;
mod refit;
mod rig;
mod tables;
mod turns;

pub(crate) use layout::{BlockOut, Layout, Order, StageOut, UserOut};
pub use program::Step as BoneStep;
pub use rig::BoneSmoothRig;
pub(crate) use rig::ShellChoice;
pub(crate) use rig::welded;
pub use tables::{BoneSmoothBlock, BoneSmoothConstants, BoneSmoothTables};

/// The least `J` that widens a bend: past it the limb folds onto itself, and nothing is gained.
const MIN_BEND_COSINE: f64 = 0.2;
/// How softly `J` comes down to it, squared: a hard stop is a kink in every bend that passes 157°.
const BEND_SOFTNESS: f64 = 0.005;
/// How much wider than `J^(−1/4)` a bend is at `J = 0`: what the springs' tension takes back of a
/// deep bend's volume.
const DEEP_WIDENING: f64 = 0.012;
/// Of `1 − J`: below it a bend gives room in proportion, above it by its root, so that a wide
/// bend's middle is not alone in giving.
const GIVE_SOFTNESS: f64 = 1e-3;
/// The most that the length adjustment adds to what the bend alone would have.
const MOST_LENGTHENING: f64 = 0.6;
/// How softly it sets in: up to about this much it grows with the square of what the point's
/// distances ask for.
const LENGTHENING_ONSET: f64 = 0.2;
/// More than this is not told from it: a point that its bones have met asks for any number, whose
/// square is none.
const LONGEST: f64 = 100.0;
/// Fixed-point steps of the length adjustment: three bring it to within a thousandth.
const LENGTH_STEPS: usize = 3;

/// κ of a skin that is bound without saying: flesh keeps its volume.
pub(crate) const KEEP_VOLUME: f64 = 1.0;
