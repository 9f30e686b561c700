//! How well a motion was carried over.

use super::feet::{Stance, contact};
use super::role::Role;
use super::transfer::{Frame, Transfer};

/// Figures of a retargeted motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RetargetFigures {
    /// How often a foot stands.
    pub num_stances: usize,
    /// The furthest that a foot moves while it stands, over the leg's length.
    pub slide_over_leg: f64,
    /// Between the directions of arms and legs and those of the source: the median over all frames
    /// of the worst of them.
    pub limb_degrees: f64,
    /// The largest angle of all.
    pub most_limb_degrees: f64,
}

pub(super) fn figures(
    transfer: &Transfer<'_>,
    frames: &[Frame],
    stances: &[Stance],
) -> RetargetFigures {
    let placed: Vec<_> = frames.iter().map(|frame| transfer.solve(frame).0).collect();
    let mut slide = 0.0_f64;
    for stance in stances {
        let Some((_, target)) = contact(transfer, stance.side) else { continue };
        let places = || placed[stance.frames.clone()].iter().map(|p| p.positions[target]);
        let Some(first) = places().next() else { continue };
        slide = places().map(|place| place.distance(first)).fold(slide, f64::max);
    }
    let mut worst_median = 0.0_f64;
    let mut most = 0.0_f64;
    for pair in transfer.pairs.iter().filter(|pair| pair.role.is_some_and(Role::is_limb)) {
        let next = pair.role.and_then(Role::next).and_then(|role| transfer.pair(role));
        let Some(next) = next else { continue };
        let mut angles: Vec<f64> = placed
            .iter()
            .zip(&transfer.sampled)
            .map(|(ours, theirs)| {
                let own =
                    ours.positions[next.target as usize] - ours.positions[pair.target as usize];
                let source =
                    theirs.positions[next.source as usize] - theirs.positions[pair.source as usize];
                own.angle_between(transfer.align * source).to_degrees()
            })
            .filter(|angle| angle.is_finite())
            .collect();
        angles.sort_by(f64::total_cmp);
        worst_median = worst_median.max(angles.get(angles.len() / 2).copied().unwrap_or(0.0));
        most = most.max(angles.last().copied().unwrap_or(0.0));
    }
    RetargetFigures {
        num_stances: stances.len(),
        slide_over_leg: slide / transfer.target_body.leg_length,
        limb_degrees: worst_median,
        most_limb_degrees: most,
    }
}
