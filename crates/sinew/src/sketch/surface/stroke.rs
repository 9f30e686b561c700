//! A stroke on a surface and its frames.
//!
//! A Frenet frame turns over where a curve bends the other way and is nowhere on a straight part.
//! Here a frame comes from the surface's normal and the stroke's direction, both smoothed along the
//! stroke: it is there on every part, and turns no faster than the surface does.

use glam::{DVec3, Vec3};

use super::{Sheet, SurfaceSpot};

/// How often normals and directions are averaged with their neighbours': a pen's jitter is gone,
/// a bend of ten spots is not.
const SMOOTHINGS: usize = 3;

/// Between two places of a script.
const SPOTS_BETWEEN: usize = 32;

/// Where a stroke runs on a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct SurfaceStroke {
    spots: Vec<SurfaceSpot>,
}

/// A place of a stroke with its axes, of unit length and at right angles, right-handed: across,
/// normal, along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrokeFrame {
    /// On the surface.
    pub place: DVec3,
    /// Direction across the stroke, in the surface.
    pub across: DVec3,
    /// Away from the surface.
    pub normal: DVec3,
    /// The way that the stroke goes.
    pub along: DVec3,
    /// Length of the stroke up to here over all of it.
    pub share: f64,
}

impl StrokeFrame {
    /// What is told in this frame (across, normal, along), in model space.
    pub fn to_model(&self, by: DVec3) -> DVec3 {
        by.x * self.across + by.y * self.normal + by.z * self.along
    }

    /// What is told in model space, in this frame.
    pub fn from_model(&self, by: DVec3) -> DVec3 {
        DVec3::new(by.dot(self.across), by.dot(self.normal), by.dot(self.along))
    }

    /// Between two frames.
    fn between(a: &Self, b: &Self, at: f64) -> Self {
        let normal = a.normal.lerp(b.normal, at).try_normalize().unwrap_or(a.normal);
        let along = a.along.lerp(b.along, at);
        let (across, along) = axes(normal, along, a.across);
        let place = a.place.lerp(b.place, at);
        Self { place, across, normal, along, share: a.share + (b.share - a.share) * at }
    }
}

/// Across and along, from a normal and a direction; `before` says where across was.
fn axes(normal: DVec3, direction: DVec3, before: DVec3) -> (DVec3, DVec3) {
    let flat = |v: DVec3| (v - normal * v.dot(normal)).try_normalize();
    let along = flat(direction)
        .or_else(|| flat(before.cross(normal)))
        .unwrap_or_else(|| normal.any_orthonormal_vector());
    (normal.cross(along), along)
}

impl SurfaceStroke {
    /// Through spots in their order; of those that are the same one after the other, one.
    pub fn new(spots: impl IntoIterator<Item = SurfaceSpot>) -> Self {
        let mut kept: Vec<SurfaceSpot> = spots.into_iter().collect();
        kept.dedup();
        Self { spots: kept }
    }

    /// Along the surface from place to place: what is nearest to them, and to what lies between.
    /// For scripts, which have no picture to draw in.
    pub fn through(sheet: &Sheet<'_>, places: &[Vec3]) -> Self {
        let mut stroke = Self::default();
        for (index, &place) in places.iter().enumerate() {
            let Some(&before) = index.checked_sub(1).and_then(|before| places.get(before)) else {
                SurfaceSpot::nearest(sheet, place).into_iter().for_each(|spot| stroke.push(spot));
                continue;
            };
            for step in 1..=SPOTS_BETWEEN {
                let between = before.lerp(place, step as f32 / SPOTS_BETWEEN as f32);
                SurfaceSpot::nearest(sheet, between).into_iter().for_each(|spot| stroke.push(spot));
            }
        }
        stroke
    }

    /// Where it runs.
    pub fn spots(&self) -> &[SurfaceSpot] {
        &self.spots
    }

    /// True if it is nowhere.
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    /// Goes on to a spot.
    pub fn push(&mut self, spot: SurfaceSpot) {
        if self.spots.last() != Some(&spot) {
            self.spots.push(spot);
        }
    }

    /// Where its spots are.
    pub fn places(&self, sheet: &Sheet<'_>) -> Vec<Vec3> {
        self.spots.iter().map(|spot| spot.place(sheet)).collect()
    }

    /// Its frames on the posed surface, one for each spot.
    pub fn frames(&self, sheet: &Sheet<'_>) -> Vec<StrokeFrame> {
        let places: Vec<DVec3> = self.places(sheet).iter().map(|place| place.as_dvec3()).collect();
        let normals = self.spots.iter().map(|spot| spot.normal(sheet).as_dvec3()).collect();
        let normals = smoothed(normals);
        let smooth_places = smoothed(places.clone());
        let mut lengths = Vec::with_capacity(places.len());
        let mut length = 0.0;
        for (index, &place) in places.iter().enumerate() {
            length += index.checked_sub(1).map_or(0.0, |before| place.distance(places[before]));
            lengths.push(length);
        }
        let last = places.len().saturating_sub(1);
        let mut across = DVec3::X;
        (0..places.len())
            .map(|index| {
                let normal = normals[index].try_normalize().unwrap_or(DVec3::Y);
                let direction =
                    smooth_places[(index + 1).min(last)] - smooth_places[index.saturating_sub(1)];
                let (to_side, along) = axes(normal, direction, across);
                across = to_side;
                let share = if length > 0.0 { lengths[index] / length } else { 0.0 };
                StrokeFrame { place: places[index], across, normal, along, share }
            })
            .collect()
    }
}

/// A list with each entry averaged with its neighbours', both ends staying.
fn smoothed(mut values: Vec<DVec3>) -> Vec<DVec3> {
    for _ in 0..SMOOTHINGS {
        let before = values.clone();
        for index in 1..values.len().saturating_sub(1) {
            values[index] =
                0.25 * before[index - 1] + 0.5 * before[index] + 0.25 * before[index + 1];
        }
    }
    values
}

/// The frame at a share of a stroke; `None` of a stroke that is nowhere.
pub(super) fn frame_at(frames: &[StrokeFrame], share: f64) -> Option<StrokeFrame> {
    let after = frames.partition_point(|frame| frame.share < share);
    match (after.checked_sub(1).and_then(|before| frames.get(before)), frames.get(after)) {
        (Some(a), Some(b)) => {
            let at = (share - a.share) / (b.share - a.share);
            Some(StrokeFrame::between(a, b, at.clamp(0.0, 1.0)))
        }
        (a, b) => a.or(b).copied(),
    }
}

/// The share of a stroke that is nearest to a place, and how far it is.
pub(super) fn nearest_share(frames: &[StrokeFrame], place: DVec3) -> (f64, f64) {
    let mut nearest = frames
        .first()
        .map_or((0.0, f64::INFINITY), |only| (only.share, only.place.distance(place)));
    for pair in frames.windows(2) {
        let (a, way) = (pair[0].place, pair[1].place - pair[0].place);
        let squared = way.length_squared();
        let at = if squared > 0.0 { ((place - a).dot(way) / squared).clamp(0.0, 1.0) } else { 0.0 };
        let distance = place.distance(a + at * way);
        if distance < nearest.1 {
            nearest = (pair[0].share + at * (pair[1].share - pair[0].share), distance);
        }
    }
    nearest
}
