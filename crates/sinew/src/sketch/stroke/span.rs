//! One cubic Bézier between two knots.

use glam::DVec3;

/// Four control points; the first and last are on the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span(pub(super) [DVec3; 4]);

/// Intervals that a span's length is added up over. With three points of Gauss–Legendre in each,
/// the length of a span that turns by 180° is right to 1e-9.
pub(super) const INTERVALS: usize = 16;

/// Each step doubles the digits.
const NEWTON_STEPS: usize = 6;

/// Abscissae and weights of Gauss–Legendre with three points, on [−1, 1].
const GAUSS: [(f64, f64); 3] =
    [(-0.774_596_669_241_483_4, 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.774_596_669_241_483_4, 5.0 / 9.0)];

impl Span {
    pub(super) fn at(&self, u: f64) -> DVec3 {
        let [a, b, c, d] = self.0;
        let v = 1.0 - u;
        v * v * v * a + 3.0 * v * v * u * b + 3.0 * v * u * u * c + u * u * u * d
    }

    pub(super) fn first_derivative(&self, u: f64) -> DVec3 {
        let [a, b, c, d] = self.0;
        let v = 1.0 - u;
        3.0 * (v * v * (b - a) + 2.0 * v * u * (c - b) + u * u * (d - c))
    }

    pub(super) fn second_derivative(&self, u: f64) -> DVec3 {
        let [a, b, c, d] = self.0;
        6.0 * ((1.0 - u) * (c - 2.0 * b + a) + u * (d - 2.0 * c + b))
    }

    /// Unit; found beside `u` where arms of no length leave no derivative there.
    pub(super) fn tangent(&self, u: f64) -> Option<DVec3> {
        let beside = if u < 0.5 { u + 1e-3 } else { u - 1e-3 };
        let [a, .., d] = self.0;
        self.first_derivative(u)
            .try_normalize()
            .or_else(|| self.first_derivative(beside).try_normalize())
            .or_else(|| (d - a).try_normalize())
    }

    pub(super) fn length_between(&self, from: f64, to: f64) -> f64 {
        let half = 0.5 * (to - from);
        let middle = 0.5 * (to + from);
        GAUSS
            .iter()
            .map(|&(at, weight)| weight * self.first_derivative(middle + half * at).length())
            .sum::<f64>()
            * half
    }

    /// De Casteljau: the same curve as two.
    pub(super) fn split(&self, u: f64) -> [Self; 2] {
        let [a, b, c, d] = self.0;
        let (ab, bc, cd) = (a.lerp(b, u), b.lerp(c, u), c.lerp(d, u));
        let (abc, bcd) = (ab.lerp(bc, u), bc.lerp(cd, u));
        let middle = abc.lerp(bcd, u);
        [Self([a, ab, abc, middle]), Self([middle, bcd, cd, d])]
    }

    /// The lowest place that steps of Newton lead to from `u`, and its squared distance.
    pub(super) fn valley(&self, point: DVec3, mut squared: f64, mut u: f64) -> (f64, f64) {
        for _ in 0..NEWTON_STEPS {
            let next = self.nearer(point, u);
            let next_squared = self.at(next).distance_squared(point);
            if next_squared >= squared {
                break;
            }
            (squared, u) = (next_squared, next);
        }
        (squared, u)
    }

    /// One step of Newton towards the place nearest to `point`.
    pub(super) fn nearer(&self, point: DVec3, u: f64) -> f64 {
        let off = self.at(u) - point;
        let first = self.first_derivative(u);
        let slope = first.length_squared() + off.dot(self.second_derivative(u));
        if slope > 0.0 { (u - off.dot(first) / slope).clamp(0.0, 1.0) } else { u }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_span_are_the_span() {
        let span = Span([DVec3::ZERO, DVec3::Y, DVec3::new(2.0, 1.0, 1.0), DVec3::X]);
        let [first, second] = span.split(0.3);
        assert!(first.at(0.5).distance(span.at(0.15)) < 1e-12);
        assert!(second.at(0.5).distance(span.at(0.65)) < 1e-12);
        let whole = span.length_between(0.0, 1.0);
        assert!(whole > span.at(0.0).distance(span.at(1.0)));
    }

    #[test]
    fn a_span_whose_arms_have_no_length_has_a_tangent() {
        let span = Span([DVec3::ZERO, DVec3::ZERO, DVec3::X, DVec3::X]);
        assert!(span.tangent(0.0).unwrap().distance(DVec3::X) < 1e-12);
        assert!(span.tangent(1.0).unwrap().distance(DVec3::X) < 1e-12);
        assert_eq!(Span([DVec3::Y; 4]).tangent(0.5), None);
    }
}
