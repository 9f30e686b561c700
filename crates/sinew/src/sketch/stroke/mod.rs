//! What a pen did, as a curve with few knots: samples are cleaned ([`clean`]), corners found in
//! them ([`simplify`], Ramer–Douglas–Peucker, says where to look), and a composite cubic Bézier is
//! fitted by least squares between the corners ([`Curve::fit`]).
//!
//! Samples are points of any space: the screen or a plane (whose third coordinate is then zero
//! throughout), or a surface in model space. `kurbo` fits curves too, but only in the plane; one
//! fit for both spaces is less to keep true than two.
//!
//! Schneider, *An Algorithm for Automatically Fitting Digitized Curves* (Graphics Gems, 1990);
//! Douglas and Peucker 1973.

mod clean;
mod curve;
mod fit;
mod knots;
mod simplify;
mod span;
mod steady;

pub use clean::{MOST_SAMPLES, clean};
pub use curve::{Closest, Curve, Knot};
pub use fit::FitSettings;
pub use knots::{Arm, Redrawn};
pub use simplify::simplify;
pub use steady::Steady;

/// Why samples or knots are no curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StrokeError {
    /// One point, or none: a click.
    #[error("a stroke needs two points that differ; this has {found} that can be used")]
    TooShort {
        /// How many are left once what cannot be used is gone.
        found: usize,
    },
    /// A knot or one of its arms has a NaN or is too far away.
    #[error("knot {knot} of the stroke is not finite or too far away; draw it again")]
    NotFinite {
        /// The knot's number.
        knot: usize,
    },
    /// There is no knot of this number.
    #[error("the stroke has {len} knots and none of number {knot}")]
    NoKnot {
        /// The number.
        knot: usize,
        /// How many there are.
        len: usize,
    },
    /// Fewer than two knots would be left.
    #[error("a stroke keeps at least two knots")]
    LastKnots,
}
