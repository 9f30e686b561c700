//! Figures over a range of motion: those of each step, and the largest jump between two.

use glam::Vec3;

use super::Measures;

/// Steps of one motion, in order.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    steps: Vec<Measures>,
    previous: Vec<Vec3>,
    max_jump: Option<f64>,
}

impl Sweep {
    /// Takes the next step: its figures and its points.
    ///
    /// # Panics
    /// If the number of points changes from step to step.
    pub fn push(&mut self, measures: Measures, posed: &[Vec3]) {
        if !self.steps.is_empty() {
            assert_eq!(posed.len(), self.previous.len(), "the same points in every step");
            if let Some(jump) = max_distance(&self.previous, posed) {
                self.max_jump = Some(self.max_jump.map_or(jump, |most| most.max(jump)));
            }
        }
        self.steps.push(measures);
        self.previous.clear();
        self.previous.extend_from_slice(posed);
    }

    /// The figures of each step.
    pub fn steps(&self) -> &[Measures] {
        &self.steps
    }

    /// The furthest that a point went between two steps, metres; `None` before the second step.
    /// Points that are not finite in either are passed over.
    pub fn max_jump(&self) -> Option<f64> {
        self.max_jump
    }
}

/// The largest distance between two lists' points, over those that are finite in both.
pub(super) fn max_distance(from: &[Vec3], to: &[Vec3]) -> Option<f64> {
    from.iter()
        .zip(to)
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()))
        .max_by(f64::total_cmp)
}
