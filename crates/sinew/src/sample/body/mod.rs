//! Procedural bodies: `human`, `chibi`, `giant` and `bird`, sculpted in clay, meshed, rigged,
//! weighted and set in motion.
//!
//! The way of a body: brushes (`field`, `loft`) → first mesh of the left half (`nets`) → isotropic
//! remeshing to the exact number of points (`remesh`) → mirrored whole (`whole`) → weights (`bind`)
//! → welded mesh. Everything is in metres, Y up, facing +Z, feet at `y = 0`, left at +X. The same
//! bits come out each time, with any number of threads.

mod bind;
mod bird;
mod chibi;
mod clay;
mod field;
mod giant;
mod half_mesh;
mod human;
mod human_hand;
mod human_head;
mod human_rig;
mod loft;
mod moves;
mod nets;
mod remesh;
mod rig;
#[cfg(test)]
mod tests;
mod whole;

use glam::DVec3;

use self::bind::{Patch, Region};
use self::field::{Field, Group};
use self::nets::Nets;
use self::rig::Rig;
use self::whole::Whole;
use crate::character::Character;
use crate::motion::Clip;
use crate::skeleton::Skeleton;

/// Fewest points of a body: below, fingers cannot close.
pub(super) const MIN_POINTS: usize = 2_000;
/// Most points of a body.
pub(super) const MAX_POINTS: usize = 1_000_000;

/// Around this place, edges shrink to this factor.
struct Detail {
    center: DVec3,
    radius: f64,
    factor: f64,
}

/// A body before it is meshed.
struct Plan {
    name: &'static str,
    groups: Vec<Group>,
    low: DVec3,
    high: DVec3,
    cell: f64,
    details: Vec<Detail>,
    rig: Rig,
    regions: Vec<Region>,
    patches: Vec<Patch>,
    clips: fn(&Skeleton) -> Vec<Clip>,
}

/// An adult, 1.75 m, in an A-pose: 85 joints with hands and face, clips `walk` and `wave`.
///
/// `num_points` is clamped to 2,000..=1,000,000 and met exactly. Joints: `hips`,
/// `spine_1`–`spine_3`, `neck`, `head`; the face's `jaw`, `chin`, `lip_upper`, `lip_lower`, `nose`,
/// and on each side (`_l`, `_r`) `eye`, `eyelid_upper`, `eyelid_lower`, `brow_inner`, `brow_outer`,
/// `cheek`, `lip_corner`; arms `clavicle`, `upper_arm`, `upper_arm_twist`, `forearm`,
/// `forearm_twist`, `hand`; fingers `thumb_1`–`thumb_3` and `index`, `middle`, `ring`, `pinky` with
/// `_palm`, `_1`, `_2`, `_3`; legs `thigh`, `thigh_twist`, `shin`, `foot`, `toes`.
pub fn human(num_points: usize) -> Character {
    sculpt(human::plan(), num_points)
}

/// The human's clips, for a skeleton whose joints rest in another way.
pub(super) fn human_clips(skeleton: &Skeleton) -> Vec<Clip> {
    moves::human(skeleton)
}

/// A small hero, 1 m and two heads tall, with big eyes and twin tails: 36 joints, clips `walk` and
/// `dance`.
///
/// `num_points` is clamped and met as in [`human`]. Joints: `hips`, `spine`, `chest`, `neck`,
/// `head`, `hair`, and on each side (`_l`, `_r`) `eye`, `brow`, `hair_side`, `clavicle`,
/// `upper_arm`, `forearm`, `hand`, `fingers_1`, `fingers_2`, `thumb_1`, `thumb_2`, `thigh`, `shin`,
/// `foot`, `toes`.
pub fn chibi(num_points: usize) -> Character {
    sculpt(chibi::plan(), num_points)
}

/// A bulky giant of 2.8 m: 19 joints, clip `stomp`.
///
/// `num_points` is clamped and met as in [`human`]. Joints: `hips`, `spine`, `chest`, `neck`,
/// `head`, and on each side (`_l`, `_r`) `clavicle`, `upper_arm`, `forearm`, `hand`, `thigh`,
/// `shin`, `foot`.
pub fn giant(num_points: usize) -> Character {
    sculpt(giant::plan(), num_points)
}

/// A bird that glides, 1.8 m from wing tip to wing tip: 11 joints, clip `fly`.
///
/// `num_points` is clamped and met as in [`human`]. Joints: `spine`, `chest`, `neck`, `head`,
/// `tail`, and on each side (`_l`, `_r`) `wing_1`–`wing_3`.
pub fn bird(num_points: usize) -> Character {
    sculpt(bird::plan(), num_points)
}

fn size_at(details: &[Detail], p: DVec3) -> f64 {
    let p = field::folded(p);
    details.iter().fold(1.0, |size: f64, detail| {
        let d = p.distance(detail.center) / detail.radius;
        // Full detail within the radius, none from 1.8 radii on: edges grow by a fraction from one
        // to the next.
        let t = ((d - 1.0) / 0.8).clamp(0.0, 1.0);
        size.min(detail.factor + (1.0 - detail.factor) * t * t * (3.0 - 2.0 * t))
    })
}

fn sculpt(plan: Plan, num_points: usize) -> Character {
    let num_points = num_points.clamp(MIN_POINTS, MAX_POINTS);
    let field = Field::new(plan.groups);
    let nets = Nets::new(&field, plan.low, plan.high, plan.cell);
    let half = remesh::remesh(&nets, nets.extract(), num_points, |p| size_at(&plan.details, p));
    let whole = Whole::new(&half, &nets);
    // The rigs are constants of this module, and tests build every one of them.
    let rigged = plan.rig.finish().expect("a built-in rig has its parents before their children");
    let rows = bind::bind(&whole, &plan.rig, &rigged, &plan.regions, &plan.patches);
    let raw = whole.into_raw(plan.name, &plan.regions, &rows, rigged.skeleton.len());
    let welded = raw.weld().expect("a built-in body has streams of one length and finite points");
    let clips = (plan.clips)(&rigged.skeleton);
    Character {
        name: plan.name.to_owned(),
        parts: vec![welded.part],
        skeleton: rigged.skeleton,
        clips,
        ..Character::default()
    }
}
