//! A drag of handles: from what the pointer or a number says to where each handle goes.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat3, DQuat, DVec3, Vec2, Vec3};
use sinew::cage::Cage;

use super::super::gizmo::{Ring, Turning};
use super::super::typed::Typed;
use super::super::{Act, Context};
use super::handles::turns;
use crate::edit::{CageEdit, Edit};

/// With Control, a move goes in steps of this share of the diagonal, a scale in steps of this much,
/// a turn in steps of so many degrees.
const SNAP_SHARE: f64 = 0.005;
const SNAP_SCALE: f64 = 0.05;
const SNAP_DEGREES: f64 = 15.0;
/// Neither nothing nor out of sight.
const FACTORS: std::ops::RangeInclusive<f64> = 0.01..=100.0;
/// A pointer that goes so far scales to twice the size.
const SCALE_PX: f64 = 120.0;

/// What a drag is held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Way {
    /// Any: across the view, about the line of sight, in all directions.
    Free,
    /// One of the model's axes.
    Along(DVec3),
    /// Each handle's own normal.
    Normal,
}

/// What is done to the handles, in numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CageMove {
    /// Metres.
    By(DVec3),
    /// Metres along each handle's own normal, outwards.
    Slide(f64),
    /// Radians about an axis through their middle.
    Turn {
        /// Its axis, of unit length.
        axis: DVec3,
        /// Counter-clockwise for who looks against it.
        radians: f64,
    },
    /// Times their distance from their middle, along each axis.
    Scale(DVec3),
}

/// Handles that are about to be moved, and those that go along.
#[derive(Clone, Debug)]
pub(super) struct Start {
    at_rest: bool,
    /// All of them, where they start.
    places: Vec<DVec3>,
    normals: Vec<DVec3>,
    /// Those that move, on the side of the hand where both sides do; and how much of the move they
    /// have.
    shares: Vec<(u32, f64)>,
    mirror: Option<Mirror>,
    /// What they turn and scale about, and where the gizmo stands.
    pub(super) center: DVec3,
}

#[derive(Clone, Debug)]
struct Mirror {
    images: Vec<Option<u32>>,
    /// How the cage has turned at each handle since it was bound; empty at rest.
    turns: Vec<DMat3>,
}

impl Start {
    /// `None` without a cage or without handles.
    pub(super) fn of(chosen: &BTreeSet<u32>, context: &Context<'_>) -> Option<Self> {
        let document = context.document;
        let cage = &document.rig().cage.as_ref()?.cage;
        let bound = cage.points();
        let rest = if context.rest_cage.is_empty() { bound } else { context.rest_cage };
        let at_rest = context.cage.at_rest;
        let places = match at_rest {
            true => rest.to_vec(),
            false => document.posed_cage(context.pose, context.rest_cage)?,
        };
        let mut hard = chosen.clone();
        hard.retain(|&handle| (handle as usize) < places.len());
        let first = hard.first().copied()?;
        let mirrored = context.cage.mirrors.then(|| cage.mirrored_handles()).flatten();
        let side = |handle: u32| {
            let plane_x = mirrored.as_ref().map_or(0.0, |mirrored| mirrored.plane_x);
            bound[handle as usize].x - plane_x
        };
        // The side of the handle that was taken last is the one that the hand is on.
        let active = context.selection.active_handle.filter(|handle| hard.contains(handle));
        let sign = side(active.unwrap_or(first)).signum();
        let is_here = |handle: u32| side(handle) * sign >= 0.0;
        if let Some(mirrored) = &mirrored {
            let here = |handle: u32| match mirrored.images[handle as usize] {
                Some(image) if !is_here(handle) => image,
                _ => handle,
            };
            hard = hard.into_iter().map(here).collect();
        }
        let center = hard.iter().map(|&handle| places[handle as usize]).sum::<DVec3>();
        let center = center / hard.len() as f64;
        let mut shares = soft_shares(cage, &hard, context.cage.reach);
        if let Some(mirrored) = &mirrored {
            shares = without_images(&shares, &mirrored.images, is_here);
        }
        let mirror = mirrored.map(|mirrored| Mirror {
            images: mirrored.images,
            turns: if at_rest { Vec::new() } else { turns(cage, bound, &places) },
        });
        let normals = cage.normals_at(&places);
        Some(Self { at_rest, places, normals, shares, mirror, center })
    }

    /// Where handles go.
    pub(super) fn moved(&self, by: CageMove) -> BTreeMap<u32, DVec3> {
        let mut moved = BTreeMap::new();
        for &(handle, share) in &self.shares {
            let offset = self.offset(handle, share, by);
            let place = self.places[handle as usize];
            let image = self.mirror.as_ref().and_then(|mirror| mirror.images[handle as usize]);
            match image {
                Some(image) if image == handle => {
                    // In the plane it stays.
                    let mirrored = self.mirrored(handle, handle, offset);
                    moved.insert(handle, place + 0.5 * (offset + mirrored));
                }
                Some(image) => {
                    moved.insert(handle, place + offset);
                    let mirrored = self.mirrored(handle, image, offset);
                    moved.insert(image, self.places[image as usize] + mirrored);
                }
                None => _ = moved.insert(handle, place + offset),
            }
        }
        moved
    }

    fn offset(&self, handle: u32, share: f64, by: CageMove) -> DVec3 {
        let arm = self.places[handle as usize] - self.center;
        match by {
            CageMove::By(offset) => share * offset,
            CageMove::Slide(metres) => share * metres * self.normals[handle as usize],
            CageMove::Turn { axis, radians } => {
                DQuat::from_axis_angle(axis, share * radians) * arm - arm
            }
            CageMove::Scale(factors) => share * (factors - DVec3::ONE) * arm,
        }
    }

    /// What an offset of a handle is at its image: mirrored where the cage is bound, and turned as
    /// the cage has turned on the one side and on the other.
    fn mirrored(&self, handle: u32, image: u32, offset: DVec3) -> DVec3 {
        let flip = DVec3::new(-1.0, 1.0, 1.0);
        let turn = |of: u32| self.mirror.as_ref().and_then(|mirror| mirror.turns.get(of as usize));
        match (turn(handle), turn(image)) {
            (Some(from), Some(to)) => *to * (flip * (from.transpose() * offset)),
            _ => flip * offset,
        }
    }

    /// The edit that does it.
    pub(super) fn edit(&self, by: CageMove) -> Edit {
        let handles = self.moved(by);
        match self.at_rest {
            true => CageEdit::MoveCage { handles }.into(),
            false => CageEdit::MovePosedCage { handles }.into(),
        }
    }
}

/// Of a handle and its image the one that has more of the move, or that is on the side of the hand.
fn without_images(
    shares: &[(u32, f64)],
    images: &[Option<u32>],
    is_here: impl Fn(u32) -> bool,
) -> Vec<(u32, f64)> {
    let share_of: BTreeMap<u32, f64> = shares.iter().copied().collect();
    let is_kept = |&&(handle, share): &&(u32, f64)| match images[handle as usize] {
        Some(image) if image != handle => {
            let of_image = share_of.get(&image).copied().unwrap_or(0.0);
            share > of_image || (share == of_image && is_here(handle))
        }
        _ => true,
    };
    shares.iter().filter(is_kept).copied().collect()
}

/// How much of a move each handle has: all of it where it is chosen, less with the way along the
/// cage.
pub(super) fn soft_shares(cage: &Cage, hard: &BTreeSet<u32>, reach: f64) -> Vec<(u32, f64)> {
    let reach_metres = reach * cage.diagonal();
    if reach_metres <= 0.0 {
        return hard.iter().map(|&handle| (handle, 1.0)).collect();
    }
    let distances = cage.distances(hard.iter().copied(), cage.points());
    let share = |(handle, distance): (u32, f64)| {
        let left = 1.0 - (distance / reach_metres).powi(2);
        (left > 0.0).then_some((handle, left * left))
    };
    (0u32..).zip(distances).filter_map(share).collect()
}

/// A drag under way.
#[derive(Clone, Debug)]
pub(super) struct Held {
    start: Start,
    pub(super) kind: Kind,
    pub(super) way: Way,
    from: Vec2,
    to: Vec2,
    turning: Option<Turning>,
    snaps: bool,
    /// True if no button is held: a click ends it.
    pub(super) is_modal: bool,
    pub(super) typed: Option<Typed>,
    /// For the hint, which sees no view.
    shown: String,
}

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Move,
    Turn,
    Scale,
}

impl Held {
    pub(super) fn new(start: Start, kind: Kind, way: Way, at: Vec2, is_modal: bool) -> Self {
        Self {
            start,
            kind,
            way,
            from: at,
            to: at,
            turning: None,
            snaps: false,
            is_modal,
            typed: None,
            shown: String::new(),
        }
    }

    pub(super) fn center(&self) -> Vec3 {
        self.start.center.as_vec3()
    }

    /// Counts the turn from a ring.
    pub(super) fn take_ring(mut self, ring: &Ring, context: &Context<'_>) -> Self {
        self.turning = ring.begin(self.from, &context.view);
        self
    }

    pub(super) fn move_to(&mut self, at: Vec2, snaps: bool) {
        (self.to, self.snaps) = (at, snaps);
        if let Some(turning) = &mut self.turning {
            turning.move_to(at);
        }
    }

    /// Now along another way, from where it began.
    pub(super) fn constrain(&mut self, way: Way, context: &Context<'_>) {
        self.way = way;
        if self.kind == Kind::Turn {
            let ring =
                Ring::new(self.center(), turn_axis(way, self.center(), context), &context.view);
            self.turning = ring.begin(self.from, &context.view);
            if let Some(turning) = &mut self.turning {
                turning.move_to(self.to);
            }
        }
    }

    fn number(&self) -> Option<f64> {
        self.typed.as_ref().map(|typed| typed.number().unwrap_or(0.0))
    }

    fn by(&self, context: &Context<'_>) -> CageMove {
        let snapped = |value: f64, step: f64| match self.snaps {
            true => (value / step).round() * step,
            false => value,
        };
        match self.kind {
            Kind::Move => self.move_by(context),
            Kind::Turn => {
                let pointed = self.turning.as_ref().map_or(0.0, |turning| turning.radians);
                let degrees = self.number();
                let degrees =
                    degrees.unwrap_or_else(|| snapped(pointed.to_degrees(), SNAP_DEGREES));
                let axis = turn_axis(self.way, self.center(), context).as_dvec3().normalize();
                CageMove::Turn { axis, radians: degrees.to_radians() }
            }
            Kind::Scale => {
                let pointed = 1.0
                    + f64::from((self.to - self.from).dot(Vec2::new(1.0, -1.0)))
                        / (SCALE_PX * f64::from(context.view.gizmo_scale()));
                let typed = self.typed.as_ref().and_then(Typed::number);
                let factor = match &self.typed {
                    Some(_) => typed.filter(|factor| *factor > 0.0).unwrap_or(1.0),
                    None => snapped(pointed, SNAP_SCALE),
                };
                let factor = factor.clamp(*FACTORS.start(), *FACTORS.end());
                CageMove::Scale(match self.way {
                    Way::Along(axis) => DVec3::ONE + (factor - 1.0) * axis,
                    Way::Free | Way::Normal => DVec3::splat(factor),
                })
            }
        }
    }

    fn move_by(&self, context: &Context<'_>) -> CageMove {
        let (view, center) = (&context.view, self.center());
        let step = SNAP_SHARE * f64::from(context.document.character().bounds().diagonal());
        let snapped = |metres: f64| match self.snaps {
            true => (metres / step).round() * step,
            false => metres,
        };
        let pointed =
            |axis: Vec3| snapped(f64::from(view.slide(center, axis, self.to - self.from)));
        match (self.way, self.number()) {
            (Way::Normal, Some(metres)) => CageMove::Slide(metres),
            (Way::Normal, None) => CageMove::Slide(pointed(self.start.normal().as_vec3())),
            (Way::Along(axis), Some(metres)) => CageMove::By(metres * axis),
            (Way::Along(axis), None) => CageMove::By(pointed(axis.as_vec3()) * axis),
            // Without an axis a number means up.
            (Way::Free, Some(metres)) => CageMove::By(metres * DVec3::Y),
            (Way::Free, None) => {
                let by =
                    view.on_facing_plane(self.to, center) - view.on_facing_plane(self.from, center);
                let by = by.as_dvec3();
                CageMove::By(DVec3::new(snapped(by.x), snapped(by.y), snapped(by.z)))
            }
        }
    }

    pub(super) fn act(&mut self, context: &Context<'_>) -> Act {
        let by = self.by(context);
        self.shown = match by {
            CageMove::By(by) => format!("{:+.4}, {:+.4}, {:+.4} m", by.x, by.y, by.z),
            CageMove::Slide(metres) => format!("{metres:+.4} m along the normals"),
            CageMove::Turn { radians, .. } => format!("{:.1}°", radians.to_degrees()),
            CageMove::Scale(f) if f.x == f.y && f.y == f.z => format!("{:.3} ×", f.x),
            CageMove::Scale(f) => format!("{:.3}, {:.3}, {:.3} ×", f.x, f.y, f.z),
        };
        Act::Replace(vec![self.start.edit(by)])
    }

    pub(super) fn words(&self) -> String {
        match (&self.typed, self.kind) {
            (Some(typed), Kind::Move) => format!("{typed} m"),
            (Some(typed), Kind::Turn) => format!("{typed}°"),
            (Some(typed), Kind::Scale) => format!("{typed} ×"),
            (None, _) => self.shown.clone(),
        }
    }
}

impl Start {
    /// The mean of the chosen handles' normals.
    pub(super) fn normal(&self) -> DVec3 {
        let of = |&(handle, share): &(u32, f64)| share * self.normals[handle as usize];
        self.shares.iter().map(of).sum::<DVec3>().normalize_or(DVec3::Y)
    }
}

/// What a turn goes about: an axis, or the line of sight, which points at the eye.
pub(super) fn turn_axis(way: Way, center: Vec3, context: &Context<'_>) -> Vec3 {
    match way {
        Way::Along(axis) => axis.as_vec3(),
        Way::Free | Way::Normal => (context.view.camera.eye() - center).normalize_or(Vec3::Z),
    }
}

/// The edits that move the chosen handles by a number; empty without a cage or handles.
pub fn cage_moved(context: &Context<'_>, by: CageMove) -> Vec<Edit> {
    let start = Start::of(&context.selection.handles, context);
    start.map(|start| start.edit(by)).into_iter().collect()
}

/// Where the chosen handles' middle is, on the side of the hand; `None` without any.
pub fn cage_center(context: &Context<'_>) -> Option<DVec3> {
    Start::of(&context.selection.handles, context).map(|start| start.center)
}
