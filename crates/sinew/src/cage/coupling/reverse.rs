//! From a drag of the posed cage to the rest cage, exact for every method.
//!
//! **Few handles**: the loop's matrix is factored once a pose, which takes less than a frame, and a
//! drag is one solve.
//!
//! **Many**: a factorisation takes `n³`, and no drag waits for that. The same equations are solved
//! by GMRES, each step of which takes `n²`: what is stepped in is `P X⁻¹ Φ̃`, the drag as if joints
//! stayed where they are, which differs from the answer by little more than as many numbers as
//! joints have. It ends when the posed cage is within [`NEAR`] of where it was dragged to, so that
//! no frame shows anything between; where it does not get there (a skin that the pose has all but
//! flattened) the matrix is factored after all. Whether it is depends on the pose and the drag
//! alone, not on drags before: a replay gives the same bits.

use std::sync::OnceLock;

use glam::DVec3;

use super::Coupling;
use super::posed::PosedLoop;
use crate::linalg::{DenseLu, gmres};
use crate::skeleton::{Palette, Pose, Skeleton};

/// A rest cage that moves more than this many times as far as the posed one was dragged: the pose
/// has all but flattened the skin there.
pub const LARGE_GAIN: f64 = 20.0;

/// Up to so many handles the loop is factored: 4 ms in a development build.
const FACTORED_HANDLES: usize = 128;
/// Steps in a round; past them the vectors that are kept take longer than the steps.
const STEPS: usize = 60;
/// Rounds, each of which starts from what the one before has left.
const ROUNDS: usize = 4;
/// How far from where it was dragged to the posed cage may be, over the drag: across a picture of
/// 1080 lines a hundred-millionth of a pixel.
const NEAR: f64 = 1e-11;

/// Why a drag has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReverseError {
    /// The pose flattens the skin: half of one joint and half of another that is turned around.
    #[error(
        "no rest cage gives that: in this pose the skin is flat under the cage; untwist the joint, or use dual quaternions"
    )]
    Flat,
}

/// The loop of one pose, to be solved for one drag after the other.
#[derive(Clone, Debug)]
pub struct Reverse {
    posed: PosedLoop,
    factor: OnceLock<DenseLu>,
}

/// What a drag does to the rest cage.
#[derive(Clone, Debug, PartialEq)]
pub struct Reversed {
    /// How far each handle of the rest cage moves.
    pub offsets: Vec<DVec3>,
    /// The largest of them over the largest drag; past [`LARGE_GAIN`] the pose hardly allows it.
    pub gain: f64,
    /// How many steps it took; none by the factored loop.
    pub steps: usize,
}

impl Coupling {
    /// The loop of a pose. `skeleton` is as it was bound, moved or not: only its linear parts
    /// count. `pose` and `palette` are the same.
    ///
    /// # Panics
    /// If anything is of another skeleton.
    pub fn reverse(&self, skeleton: &Skeleton, pose: &Pose, palette: &Palette) -> Reverse {
        let posed = PosedLoop::new(self, skeleton, pose, palette);
        let reverse = Reverse { posed, factor: OnceLock::new() };
        if !reverse.goes_by_steps() {
            reverse.factor();
        }
        reverse
    }
}

impl Reverse {
    fn goes_by_steps(&self) -> bool {
        self.posed.num_handles() > FACTORED_HANDLES
    }

    fn factor(&self) -> &DenseLu {
        self.factor.get_or_init(|| DenseLu::factor(&self.posed.matrix()))
    }

    /// How the rest cage must move for the posed one to move by `posed_offsets`.
    ///
    /// # Errors
    /// If no rest cage gives that.
    ///
    /// # Panics
    /// If there is not one offset a handle.
    pub fn solve(&self, posed_offsets: &[DVec3]) -> Result<Reversed, ReverseError> {
        assert_eq!(posed_offsets.len(), self.posed.num_handles(), "one offset a handle");
        let by_steps = self.goes_by_steps().then(|| self.solve_by_steps(posed_offsets)).flatten();
        let (offsets, steps) = by_steps.unwrap_or_else(|| (self.solve_at_once(posed_offsets), 0));
        if offsets.iter().any(|offset| !offset.is_finite()) {
            return Err(ReverseError::Flat);
        }
        let dragged = longest(posed_offsets);
        let gain = if dragged > 0.0 { longest(&offsets) / dragged } else { 0.0 };
        // An answer that is a thousand diagonals away is none.
        if gain > 1e8 {
            return Err(ReverseError::Flat);
        }
        Ok(Reversed { offsets, gain, steps })
    }

    fn solve_at_once(&self, posed_offsets: &[DVec3]) -> Vec<DVec3> {
        let mut offsets = posed_offsets.to_vec();
        self.factor().solve(bytemuck::cast_slice_mut(&mut offsets));
        offsets
    }

    /// The answer and the steps that it took; `None` where they do not lead there.
    fn solve_by_steps(&self, posed_offsets: &[DVec3]) -> Option<(Vec<DVec3>, usize)> {
        let near = NEAR * longest(posed_offsets);
        let mut offsets = vec![DVec3::ZERO; posed_offsets.len()];
        let mut left = posed_offsets.to_vec();
        let (mut at_rest, mut arrived) = (offsets.clone(), offsets.clone());
        let mut steps = 0;
        for _ in 0..ROUNDS {
            if longest(&left) <= near {
                return Some((offsets, steps));
            }
            // Of the length of all of it, which is the longest of it or more.
            let share = (0.1 * near / length(&left)).max(f64::EPSILON);
            let product = |vector: &[f64], out: &mut [f64]| {
                self.posed.nearly_take_back(bytemuck::cast_slice(vector), &mut at_rest);
                self.posed.apply(&at_rest, bytemuck::cast_slice_mut(out));
            };
            let found = gmres(product, bytemuck::cast_slice(&left), STEPS, share);
            steps += found.steps;
            self.posed.nearly_take_back(bytemuck::cast_slice(&found.x), &mut at_rest);
            for (offset, by) in offsets.iter_mut().zip(&at_rest) {
                *offset += *by;
            }
            // What is left, looked at and not counted on.
            self.posed.apply(&offsets, &mut arrived);
            for ((left, wanted), arrived) in left.iter_mut().zip(posed_offsets).zip(&arrived) {
                *left = *wanted - *arrived;
            }
        }
        (longest(&left) <= near).then_some((offsets, steps))
    }
}

/// Not a number, if any of them is not.
fn longest(offsets: &[DVec3]) -> f64 {
    offsets.iter().map(|offset| offset.length()).fold(0.0, |longest, length| {
        if length > longest || length.is_nan() { length } else { longest }
    })
}

fn length(offsets: &[DVec3]) -> f64 {
    offsets.iter().map(|offset| offset.length_squared()).sum::<f64>().sqrt()
}
