//! Feet stay where they stand.
//!
//! A foot stands while the ball of the source's foot (the ankle, where there is no such joint) is
//! low and hardly moves. In that time the target's is held at one place: the leg reaches for it
//! (two bones, closed form), and the foot keeps its turn; hips come down where a leg would not
//! reach. Before and after, the pull fades.

use std::ops::Range;

use glam::{DQuat, DVec3};

use super::role::Role;
use super::transfer::{Frame, Transfer};
use crate::skeleton::Side;

/// Slower than this, in legs a second, stands.
const STANDING_SPEED: f64 = 0.4;
/// Over so long before and after: captured motion trembles.
const SPEED_SECONDS: f64 = 0.04;
/// Lower than this above its lowest, in legs, is on the ground.
const STANDING_HEIGHT: f64 = 0.08;
/// Shorter is a touch.
const LEAST_SECONDS: f64 = 0.1;
/// The pull fades in so long.
const FADE_SECONDS: f64 = 0.15;
/// Of heights above the ground the lowest are mistakes.
const LOWEST_SHARE: f64 = 0.05;
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
        let mut heights: Vec<f64> = (0..frames.len()).map(height).collect();
        heights.sort_by(f64::total_cmp);
        let lowest = heights[(LOWEST_SHARE * heights.len() as f64) as usize];
        let stands = |frame: usize| {
            let (from, to) = around(transfer, frame, SPEED_SECONDS);
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

/// The first and the last frame within a time of one, and at least its neighbours.
fn around(transfer: &Transfer<'_>, frame: usize, seconds: f64) -> (usize, usize) {
    let times = &transfer.times;
    let from = times.partition_point(|&time| time < times[frame] - seconds);
    let to = times.partition_point(|&time| time <= times[frame] + seconds) - 1;
    (from.min(frame.saturating_sub(1)), to.max((frame + 1).min(times.len() - 1)))
}

/// A stance and where its foot is held.
struct Held {
    side: Side,
    frames: Range<usize>,
    anchor: DVec3,
}

/// Holds standing feet.
pub(super) fn keep(transfer: &Transfer<'_>, frames: &mut [Frame], stances: &[Stance]) {
    let places_of = |frames: &[Frame]| -> Vec<Vec<DVec3>> {
        frames.iter().map(|frame| transfer.solve(frame).0.positions).collect()
    };
    let places = places_of(frames);
    let held: Vec<Held> = stances
        .iter()
        .filter_map(|stance| {
            let (_, target) = contact(transfer, stance.side)?;
            let sum: DVec3 = stance.frames.clone().map(|frame| places[frame][target]).sum();
            let anchor = sum / stance.frames.len() as f64;
            Some(Held { side: stance.side, frames: stance.frames.clone(), anchor })
        })
        .collect();
    for (frame, drop) in frames.iter_mut().zip(drops(transfer, &places, &held)) {
        frame.hips -= drop * transfer.target_body.up;
    }
    let places = places_of(frames);
    for side in [Side::Left, Side::Right] {
        let Some((_, target)) = contact(transfer, side) else { continue };
        let places: Vec<DVec3> = places.iter().map(|places| places[target]).collect();
        let pulls = pulls(transfer, &places, held.iter().filter(|held| held.side == side));
        for (frame, pull) in frames.iter_mut().zip(pulls) {
            if pull.length_squared() > 0.0 {
                reach(transfer, frame, side, pull);
            }
        }
    }
}

/// How far the hips go down in each frame, for legs that would not reach: the most that is needed
/// nearby, evened out, which is nowhere less than what is needed there.
fn drops(transfer: &Transfer<'_>, places: &[Vec<DVec3>], held: &[Held]) -> Vec<f64> {
    let up = transfer.target_body.up;
    let mut needed = vec![0.0_f64; places.len()];
    for held in held {
        let joint = |role| transfer.pair(role).map(|pair| pair.target as usize);
        let (Some(hip), Some(knee), Some(ankle), Some((_, target))) = (
            joint(Role::UpperLeg(held.side)),
            joint(Role::LowerLeg(held.side)),
            joint(Role::Foot(held.side)),
            contact(transfer, held.side),
        ) else {
            continue;
        };
        for frame in held.frames.clone() {
            let place = |joint: usize| places[frame][joint];
            let length = place(hip).distance(place(knee)) + place(knee).distance(place(ankle));
            let most = length * MOST_REACH;
            let way = place(ankle) + held.anchor - place(target) - place(hip);
            // The hip comes down along `up` until the way is as long as the leg.
            let below = -way.dot(up);
            let aside_squared = way.length_squared() - below * below;
            if way.length() > most && most * most > aside_squared {
                let drop = below - (most * most - aside_squared).sqrt();
                needed[frame] = needed[frame].max(drop);
            }
        }
    }
    let window = |values: &[f64], frame: usize| {
        let (from, to) = around(transfer, frame, FADE_SECONDS);
        values[from..=to].to_vec()
    };
    let widest: Vec<f64> = (0..places.len())
        .map(|frame| window(&needed, frame).into_iter().fold(0.0, f64::max))
        .collect();
    (0..places.len())
        .map(|frame| {
            let near = window(&widest, frame);
            near.iter().sum::<f64>() / near.len() as f64
        })
        .collect()
}

/// How far the foot is to be moved in each frame.
fn pulls<'s>(
    transfer: &Transfer<'_>,
    places: &[DVec3],
    held: impl Iterator<Item = &'s Held>,
) -> Vec<DVec3> {
    let mut pulls = vec![DVec3::ZERO; places.len()];
    let mut is_standing = vec![false; places.len()];
    let mut fades: Vec<(usize, DVec3)> = Vec::new();
    for held in held {
        for frame in held.frames.clone() {
            pulls[frame] = held.anchor - places[frame];
            is_standing[frame] = true;
        }
        fades.push((held.frames.start, pulls[held.frames.start]));
        fades.push((held.frames.end - 1, pulls[held.frames.end - 1]));
    }
    for frame in (0..places.len()).filter(|&frame| !is_standing[frame]) {
        for &(from, pull) in &fades {
            let away = (transfer.times[frame] - transfer.times[from]).abs() / FADE_SECONDS;
            // Only to the nearest stance on each side: no other one lies in between.
            let mut between = if from < frame { from + 1..frame } else { frame + 1..from };
            if away < 1.0 && !between.any(|other| is_standing[other]) {
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
