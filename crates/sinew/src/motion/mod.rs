//! Motion: what moves a character in time.
//!
//! A [`Motion`] is layers of channels with keys: what an animator works on, and what is evaluated
//! ([`Motion::evaluate`]). A [`Clip`] is how a file has it, every transform absolute in its parent:
//! [`Motion::of_clip`] reads one, [`Motion::to_clip`] writes one.

mod address;
mod channel;
mod clip;
mod curve;
mod driven;
mod editing;
mod evaluate;
mod keys;
mod layer;
#[allow(clippy::module_inception, reason = "the type that the module is about")]
mod motion;
mod placed;
mod range;
mod rate;
mod reduce;
mod retime;
mod straight;
mod to_clip;
mod value;

pub use address::{Address, JointProperty, RigSetting, ValueKind};
pub use channel::{Keys, MotionChannel};
pub use clip::{Channel, Clip, ControlTrack, HandleTrack, ShapeTrack, Track};
pub use curve::{Curve, CurveValue, Interpolation, Tangents};
pub use editing::{KeyShape, SAME_TIME_SECONDS, is_chosen};
pub use evaluate::{Cursor, MotionSample};
pub use keys::{CUBIC_REACH, Handle, Key, KeyCurve, Outside, Span, TangentMode};
pub use layer::{Layer, LayerMode};
pub use motion::{BASE_LAYER, Motion};
pub use placed::Placed;
pub use range::{RANGE_SECONDS_PER_JOINT, range_of_motion};
pub use rate::DEFAULT_FRAMES_PER_SECOND;
pub use reduce::Reduced;
pub use retime::RetimeError;
pub use to_clip::{LENGTH_TOLERANCE, MAX_TURN_RADIANS, TURN_TOLERANCE_RADIANS};
pub use value::KeyValue;

#[cfg(test)]
mod tests;
