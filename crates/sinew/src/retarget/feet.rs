//! Feet stay where they stand.
//!
//! A foot stands while the ball of the source's foot (the ankle, where there is no such joint) is
//! low and hardly moves. In that time the target's is held at one place: the leg reaches for it (two
//! bones, closed form), and the foot keeps its turn. Before and after, the pull fades.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::role::Role;
use super::transfer::{Frame, Transfer};
use crate::skeleton::Side;

/// Slower than this, in legs a second, stands.
const STANDING_SPEED: f64 = 0.35;
/// Lower than this above its lowest, in legs, is on the ground.
const STANDING_HEIGHT: f64 = 0.08;
/// Shorter is a touch.
const LEAST_SECONDS: f64 = 0.1;
/// The pull fades in so long.
const FADE_SECONDS: f64 = 0.15;
/// A leg is not stretched wholly: at full length the way that it bends is lost.
const MOST_REACH: f64 = 0.9995;

/// A foot that stands for some frames.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stance {
    pub(super) side: Side,
    pub(super) frames: Range<usize>,
}

/// The joint that touches the ground, of source and target.
pub(super) fn contact(transfer: &Transfer<'_>, side: Side) -> Option<(usize, usize)> {
    let pair = transfer.pair(Role::Toes(side)).or_else(|| transfer.pair(Role::Foot(side)))?;
    Some((pair.source as usize, pair.target as usize))
}

/// When each foot stands, by the source.
pub(super) fn stances(transfer: &Transfer<'_>, frames: &[Frame]) -> Vec<Stance> {
    let mut stances = Vec::new();
    let body = transfer.source_body;
    for side in [Side::Left, Side::Right] {
        let Some((source, _)) = contact(transfer, side) else { continue };
        let place = |frame: usize| transfer.sampled[frame].positions[source];
        let height = |frame: usize| place(frame).dot(body.up);
        let lowest = (0..frames.len()).map(height).fold(f64::INFINITY, f64::min);
        let stands = |frame: usize| {
            let (from, to) = (frame.saturating_sub(1), (frame + 1).min(frames.len() - 1));
            let seconds = transfer.times[to] - transfer.times[from];
            let speed = place(from).distance(place(to)) / seconds.max(1e-9);
            speed < STANDING_SPEED * body.leg_length
                && height(frame) - lowest < STANDING_HEIGHT * body.leg_length
        };
        let mut start = None;
        for frame in 0..=frames.len() {
            let is_standing = frame < frames.len() && stands(frame);
            match (start, is_standing) {
                (None, true) => start = Some(frame),
                (Some(from), false) => {
                    start = None;
                    let seconds = transfer.times[frame - 1] - transfer.times[from];
                    if seconds >= LEAST_SECONDS {
                        stances.push(Stance { side, frames: from..frame });
                    }
                }
                _ => {}
            }
        }
    }
    stances
}

/// Holds standing feet.
pub(super) fn keep(transfer: &Transfer<'_>, frames: &mut [Frame], stances: &[Stance]) {
    for side in [Side::Left, Side::Right] {
        let Some((_, target)) = contact(transfer, side) else { continue };
        let places: Vec<DVec3> =
            frames.iter().map(|frame| transfer.solve(frame).0.positions[target]).collect();
        let pulls = pulls(transfer, &places, stances.iter().filter(|stance| stance.side == side));
        for (frame, pull) in frames.iter_mut().zip(pulls) {
            if pull.length_squared() > 0.0 {
                reach(transfer, frame, side, pull);
            }
        }
    }
}

/// How far the foot is to be moved in each frame.
fn pulls<'s>(
    transfer: &Transfer<'_>,
    places: &[DVec3],
    stances: impl Iterator<Item = &'s Stance>,
) -> Vec<DVec3> {
    let mut pulls = vec![DVec3::ZERO; places.len()];
    let mut is_standing = vec![false; places.len()];
    let mut fades: Vec<(usize, DVec3)> = Vec::new();
    for stance in stances {
        let held = &places[stance.frames.clone()];
        let anchor = held.iter().sum::<DVec3>() / held.len() as f64;
        for frame in stance.frames.clone() {
            pulls[frame] = anchor - places[frame];
            is_standing[frame] = true;
        }
        fades.push((stance.frames.start, pulls[stance.frames.start]));
        fades.push((stance.frames.end - 1, pulls[stance.frames.end - 1]));
    }
    for frame in (0..places.len()).filter(|&frame| !is_standing[frame]) {
        for &(from, pull) in &fades {
            let away = (transfer.times[frame] - transfer.times[from]).abs() / FADE_SECONDS;
            // Only to the nearest stance on each side: no other one lies in between.
            let between = if from < frame { from + 1..frame } else { frame + 1..from };
            if away < 1.0 && !between.clone().any(|other| is_standing[other]) {
                let rest = 1.0 - away;
                pulls[frame] += pull * (rest * rest * (3.0 - 2.0 * rest));
            }
        }
    }
    pulls
}

/// Moves an ankle by bending its leg; the foot keeps its turn.
fn reach(transfer: &Transfer<'_>, frame: &mut Frame, side: Side, pull: DVec3) {
    let joint = |role| transfer.pair(role).map(|pair| pair.target as usize);
    let (Some(hip), Some(knee), Some(ankle)) =
        (joint(Role::UpperLeg(side)), joint(Role::LowerLeg(side)), joint(Role::Foot(side)))
    else {
        return;
    };
    let placed = transfer.solve(frame).0;
    let [from, middle, end] = [hip, knee, ankle].map(|joint| placed.positions[joint]);
    let (upper, lower) = (from.distance(middle), middle.distance(end));
    let wanted = end + pull;
    let Some(towards) = (wanted - from).try_normalize() else { return };
    let least = (upper - lower).abs() * (2.0 - MOST_REACH);
    let reach = wanted.distance(from).clamp(least, (upper + lower) * MOST_REACH);
    if upper <= 0.0 || lower <= 0.0 || reach <= 0.0 {
        return;
    }
    let cosine = (upper * upper + reach * reach - lower * lower) / (2.0 * upper * reach);
    let cosine = cosine.clamp(-1.0, 1.0);
    // The knee stays on the side that it is on; a straight leg bends forward.
    let aside = (middle - from) - towards * (middle - from).dot(towards);
    let forward = transfer.target_body.left.cross(transfer.target_body.up);
    let aside = if aside.length() > 1e-4 * upper { aside } else { forward };
    let aside = aside - towards * aside.dot(towards);
    let Some(aside) = aside.try_normalize() else { return };
    let new_middle = from + upper * (cosine * towards + (1.0 - cosine * cosine).sqrt() * aside);
    let new_end = from + reach * towards;
    let arc = |a: DVec3, b: DVec3| match (a.try_normalize(), b.try_normalize()) {
        (Some(a), Some(b)) => DQuat::from_rotation_arc(a, b),
        _ => DQuat::IDENTITY,
    };
    if let Some(turned) = &mut frame.turned[hip] {
        *turned = arc(middle - from, new_middle - from) * *turned;
    }
    if let Some(turned) = &mut frame.turned[knee] {
        *turned = arc(end - middle, new_end - new_middle) * *turned;
    }
}
