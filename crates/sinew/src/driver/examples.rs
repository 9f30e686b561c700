//! Weights of shapes from example poses: radial basis interpolation.
//!
//! A pose is a point whose coordinates are the turns of some joints; two are as far apart as the
//! root of the summed squares of the angles between their swings and between their unwrapped
//! twists. The kernel is the distance itself, with a constant: along one joint's bend weights go
//! straight from example to example and stay what they are beyond the last, there is no width to be
//! chosen, and a joint that bends the other way does not get a corrective's negative. (A cube of
//! the distance is smoother, and gives −3 there.) Solved in f64, with a little on the diagonal
//! against examples that nearly coincide, and refined until the examples are met.
//!
//! The rest is an example of its own, with no weight, unless an example is there.

use glam::DQuat;

use super::{Example, ExampleJoint, ExampleTurn};
use crate::skeleton::JointPose;

/// Poses this near are one: 1e-9 of a radian.
const SAME_RADIANS: f64 = 1e-9;
/// Examples nearer than this (0.1°) are one, and cannot have weights of their own.
pub const LEAST_APART_RADIANS: f64 = 0.1 * std::f64::consts::PI / 180.0;
/// On the diagonal, over the mean of the matrix.
const RIDGE: f64 = 1e-10;
/// What is left of the ridge shrinks a million times a round.
const REFINEMENTS: usize = 3;

/// Examples, solved.
#[derive(Clone, Debug)]
pub(super) struct BoundExamples {
    pub(super) joints: Vec<ExampleJoint>,
    pub(super) shapes: Vec<super::ShapeIndex>,
    /// One list a pose, the rest among them.
    turns: Vec<Vec<ExampleTurn>>,
    /// Weights at a pose: a row a pose.
    values: Vec<Vec<f64>>,
    /// A row a pose, and one for the constant.
    factors: Vec<Vec<f64>>,
}

/// Two examples that are one.
pub(super) struct TooNear(pub(super) usize, pub(super) usize);

impl BoundExamples {
    pub(super) fn new(
        joints: &[ExampleJoint],
        shapes: &[super::ShapeIndex],
        examples: &[Example],
    ) -> Result<Self, TooNear> {
        let at_rest = vec![ExampleTurn::REST; joints.len()];
        let has_rest = examples
            .iter()
            .any(|example| apart(joints, &example.turns, &at_rest) < LEAST_APART_RADIANS);
        let mut turns: Vec<Vec<ExampleTurn>> = examples.iter().map(|e| e.turns.clone()).collect();
        let padded = |example: &Example| {
            let mut weights = example.weights.clone();
            weights.resize(shapes.len(), 0.0);
            weights
        };
        let mut values: Vec<Vec<f64>> = examples.iter().map(padded).collect();
        for (a, of_a) in turns.iter().enumerate() {
            for (b, of_b) in turns.iter().enumerate().skip(a + 1) {
                if apart(joints, of_a, of_b) < LEAST_APART_RADIANS {
                    return Err(TooNear(a, b));
                }
            }
        }
        if !has_rest {
            turns.push(at_rest);
            values.push(vec![0.0; shapes.len()]);
        }
        let factors = solve(joints, &turns, &values, shapes.len());
        Ok(Self { joints: joints.to_vec(), shapes: shapes.to_vec(), turns, values, factors })
    }

    /// Gives each shape's weight to `set`.
    pub(super) fn run(&self, joints: &[JointPose], mut set: impl FnMut(super::ShapeIndex, f32)) {
        let from = |pose: &[ExampleTurn]| {
            let each = self.joints.iter().zip(pose).map(|(joint, turn)| {
                let now = &joints[joint.joint as usize];
                let now = ExampleTurn { swing: now.swing, twist_radians: now.twist_radians };
                squared(joint, turn, &now)
            });
            each.sum::<f64>().sqrt()
        };
        // At an example, what it says, and no rounding.
        let at = self.turns.iter().position(|pose| from(pose) < SAME_RADIANS);
        for (column, &shape) in self.shapes.iter().enumerate() {
            let weight = match at {
                Some(pose) => self.values[pose][column],
                None => {
                    let constant = self.factors[self.turns.len()][column];
                    let terms = self.turns.iter().zip(&self.factors);
                    terms.map(|(pose, row)| from(pose) * row[column]).sum::<f64>() + constant
                }
            };
            if weight.is_finite() {
                set(shape, weight as f32);
            }
        }
    }
}

fn squared(joint: &ExampleJoint, a: &ExampleTurn, b: &ExampleTurn) -> f64 {
    let swing = if joint.swing { angle_between(a.swing, b.swing) } else { 0.0 };
    let twist = if joint.twist { a.twist_radians - b.twist_radians } else { 0.0 };
    swing * swing + twist * twist
}

/// Exactly zero for the same, which `acos` of a dot product is not.
fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let between = a.conjugate() * b;
    2.0 * between.xyz().length().atan2(between.w.abs())
}

fn apart(joints: &[ExampleJoint], a: &[ExampleTurn], b: &[ExampleTurn]) -> f64 {
    let pairs = joints.iter().zip(a.iter().zip(b));
    pairs.map(|(joint, (a, b))| squared(joint, a, b)).sum::<f64>().sqrt()
}

/// `[K 1; 1ᵀ 0] · factors = [values; 0]`.
fn solve(
    joints: &[ExampleJoint],
    turns: &[Vec<ExampleTurn>],
    values: &[Vec<f64>],
    num_columns: usize,
) -> Vec<Vec<f64>> {
    let num = turns.len();
    let mut matrix = vec![vec![0.0; num + 1]; num + 1];
    for (row, of_row) in turns.iter().enumerate() {
        for (column, of_column) in turns.iter().enumerate() {
            matrix[row][column] = apart(joints, of_row, of_column);
        }
        matrix[row][num] = 1.0;
        matrix[num][row] = 1.0;
    }
    let mean = matrix[..num].iter().flat_map(|row| &row[..num]).sum::<f64>() / (num * num) as f64;
    let mut damped = matrix.clone();
    for (index, row) in damped[..num].iter_mut().enumerate() {
        row[index] += RIDGE * mean.max(f64::MIN_POSITIVE);
    }
    let mut wanted = values.to_vec();
    wanted.push(vec![0.0; num_columns]);
    let mut factors = vec![vec![0.0; num_columns]; num + 1];
    for _ in 0..REFINEMENTS {
        let mut left = wanted.clone();
        for (row, left) in matrix.iter().zip(&mut left) {
            for (factor, of_row) in row.iter().zip(&factors) {
                left.iter_mut().zip(of_row).for_each(|(left, f)| *left -= factor * f);
            }
        }
        let more = eliminated(damped.clone(), left);
        for (row, more) in factors.iter_mut().zip(more) {
            row.iter_mut().zip(more).for_each(|(factor, more)| *factor += more);
        }
    }
    factors
}

/// Gaussian elimination with the largest pivot of a column first. There are few examples.
fn eliminated(mut matrix: Vec<Vec<f64>>, mut right: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let num = matrix.len();
    for column in 0..num {
        let size = |row: &usize| matrix[*row][column].abs();
        let Some(pivot) = (column..num).max_by(|a, b| size(a).total_cmp(&size(b))) else { break };
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let (above, below) = matrix.split_at_mut(column + 1);
        let (right_above, right_below) = right.split_at_mut(column + 1);
        let (pivot_row, pivot_right) = (&above[column], &right_above[column]);
        if pivot_row[column] == 0.0 {
            continue;
        }
        for (row, of_right) in below.iter_mut().zip(right_below) {
            let share = row[column] / pivot_row[column];
            if share != 0.0 {
                row.iter_mut().zip(pivot_row).for_each(|(x, p)| *x -= share * p);
                of_right.iter_mut().zip(pivot_right).for_each(|(x, p)| *x -= share * p);
            }
        }
    }
    for row in (0..num).rev() {
        let (above, below) = right.split_at_mut(row + 1);
        let own = &mut above[row];
        for (factor, known) in matrix[row][row + 1..].iter().zip(below) {
            own.iter_mut().zip(known).for_each(|(x, k)| *x -= factor * *k);
        }
        let pivot = matrix[row][row];
        own.iter_mut().for_each(|x| *x = if pivot == 0.0 { 0.0 } else { *x / pivot });
    }
    right
}
