//! A stroke without the tremble of the hand: a curve is fitted to it in space, and put back on the
//! surface.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3};

use super::{Sheet, SurfaceSpot, SurfaceStroke};
use crate::sketch::stroke::{Curve, FitSettings};

/// Spots farther apart than this many least steps were drawn with something between them that is
/// not the surface: nothing is drawn across.
const GAP_STEPS: f64 = 16.0;
/// From spot to spot, likewise.
const SPACING_STEPS: f64 = 3.0;
/// Fewer spots than this have no tremble to be told from their shape.
const LEAST_SPOTS: usize = 4;

impl SurfaceStroke {
    /// The stroke as a curve of few knots has it, put back on the surface as it stands; its ends,
    /// and the ends of its parts where it leaves out something, stay. The settings are in metres.
    #[must_use]
    pub fn smoothed(&self, sheet: &Sheet<'_>, settings: &FitSettings) -> Self {
        let places = self.places(sheet);
        let gap = (GAP_STEPS * settings.least_step) as f32;
        let mut spots = Vec::with_capacity(self.spots().len());
        let mut from = 0;
        for to in 1..=places.len() {
            let goes_on = to < places.len() && places[to].distance(places[to - 1]) <= gap;
            if !goes_on {
                let run = &self.spots()[from..to];
                let smooth = smooth_run(run, &places[from..to], sheet, settings);
                spots.extend(smooth.unwrap_or_else(|| run.to_vec()));
                from = to;
            }
        }
        Self::new(spots)
    }
}

fn smooth_run(
    run: &[SurfaceSpot],
    places: &[Vec3],
    sheet: &Sheet<'_>,
    settings: &FitSettings,
) -> Option<Vec<SurfaceSpot>> {
    let (&first, &last) = (run.first()?, run.last()?);
    if run.len() < LEAST_SPOTS || settings.least_step <= 0.0 {
        return None;
    }
    let wide: Vec<DVec3> = places.iter().map(|place| place.as_dvec3()).collect();
    let curve = Curve::fit(&wide, settings).ok()?;
    let wanted = (curve.length() / (SPACING_STEPS * settings.least_step)).ceil();
    let count = wanted.clamp(2.0, run.len() as f64) as usize;
    // A curve near the spots is near their triangles, or those beside them.
    let corners = run.iter().flat_map(|spot| sheet.triangles[spot.triangle as usize]);
    let fans = corners.flat_map(|point| sheet.adjacency.fan(point as usize).iter().copied());
    let around: Vec<u32> = fans.collect::<BTreeSet<u32>>().into_iter().collect();
    let between = (1..count).filter_map(|step| {
        let place = curve.at(step as f64 / count as f64).as_vec3();
        SurfaceSpot::nearest_of(sheet, around.iter().copied(), place)
    });
    Some([first].into_iter().chain(between).chain([last]).collect())
}
