//! A steadied pen: the line is drawn by what the pen pulls along on a string.

use glam::DVec2;

/// The end of a string in the hand.
#[derive(Clone, Debug)]
pub struct Steady {
    length: f64,
    at: DVec2,
}

impl Steady {
    /// Where the pen lands, with a string of that length; 0 follows the pen as it is.
    pub fn new(at: DVec2, length: f64) -> Self {
        Self { length: length.max(0.0), at }
    }

    /// Where the line is once the pen is there. What a hand trembles within the string's length
    /// moves nothing.
    pub fn follow(&mut self, pen: DVec2) -> DVec2 {
        let pull = pen - self.at;
        let distance = pull.length();
        if distance.is_finite() && distance > self.length {
            self.at += pull * ((distance - self.length) / distance);
        }
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tremble_moves_nothing_and_a_pull_is_followed() {
        let mut steady = Steady::new(DVec2::ZERO, 5.0);
        for pen in [DVec2::new(3.0, 1.0), DVec2::new(-3.0, 2.0), DVec2::splat(f64::NAN)] {
            assert_eq!(steady.follow(pen), DVec2::ZERO);
        }
        assert_eq!(steady.follow(DVec2::X * 105.0), DVec2::X * 100.0);
        let mut plain = Steady::new(DVec2::ZERO, 0.0);
        assert_eq!(plain.follow(DVec2::Y), DVec2::Y);
    }
}
