//! Where the trunk is: how far it reaches around a height, and where its front and back are.

use glam::{DAffine3, DMat3, DVec2, DVec3};

use super::form::Form;

/// Half the height of the slice that is looked at, metres.
const SLICE: f64 = 0.03;
/// The cosine of half the angle.
const WEDGE_COSINE: f64 = 0.987;
/// Directions that are looked at.
const ANGLES: usize = 72;
/// Heights that are looked at, and between two of them, metres.
const HEIGHTS: usize = 152;
const HEIGHT_STEP: f64 = 0.01;
/// Where there is no skin.
const LEAST_REACH: f64 = 0.04;

/// What is around the trunk. Angles are degrees: 0 in front, 90 on the left, 180 at the back.
pub(super) struct Drape<'a> {
    form: &'a Form,
    /// The furthest skin at each height and angle, from the lowest.
    reaches: Vec<[f64; ANGLES]>,
}

impl<'a> Drape<'a> {
    pub(super) fn new(form: &'a Form) -> Self {
        let mut reaches = vec![[LEAST_REACH; ANGLES]; HEIGHTS];
        let trunk = form.places.iter().filter(|place| place.arm < 0.35 && place.head < 0.5);
        for point in trunk.map(|place| place.point) {
            let flat = DVec2::new(point.x, point.z);
            for (index, row) in reaches.iter_mut().enumerate() {
                if (point.y - HEIGHT_STEP * index as f64).abs() > SLICE {
                    continue;
                }
                for (angle, reach) in row.iter_mut().enumerate() {
                    let out = Self::out(360.0 * angle as f64 / ANGLES as f64);
                    let along = flat.dot(DVec2::new(out.x, out.z));
                    if along > flat.length() * WEDGE_COSINE {
                        *reach = reach.max(along);
                    }
                }
            }
        }
        Self { form, reaches }
    }

    /// Outwards at an angle.
    pub(super) fn out(degrees: f64) -> DVec3 {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        DVec3::new(sine, 0.0, cosine)
    }

    /// The furthest skin from the axis of the body, metres, in a direction at a height.
    pub(super) fn reach(&self, y: f64, degrees: f64) -> f64 {
        let height = (y / HEIGHT_STEP).clamp(0.0, HEIGHTS as f64 - 1.001);
        let angle = degrees.rem_euclid(360.0) / 360.0 * ANGLES as f64;
        let (low, first) = (height as usize, angle as usize % ANGLES);
        let [up, on] = [height.fract(), angle.fract()];
        let row = |row: &[f64; ANGLES]| row[first] + (row[(first + 1) % ANGLES] - row[first]) * on;
        let [below, above] = [row(&self.reaches[low]), row(&self.reaches[low + 1])];
        below + (above - below) * up
    }

    /// The same with what is above it down from a height: cloth hangs from the widest place.
    pub(super) fn hull(&self, top: f64, y: f64, degrees: f64) -> f64 {
        let steps = ((top - y) / SLICE).ceil().max(1.0);
        (0..=steps as usize)
            .map(|step| self.reach(top + (y - top) * step as f64 / steps, degrees))
            .fold(0.0, f64::max)
    }

    /// A place around the body.
    pub(super) fn at(&self, y: f64, degrees: f64, radius: f64) -> DVec3 {
        Self::out(degrees) * radius + DVec3::Y * y
    }

    /// Axes on the trunk at an angle: +Y outwards, +Z up.
    pub(super) fn frame(&self, y: f64, degrees: f64, lift: f64) -> DAffine3 {
        let out = Self::out(degrees);
        let axes = DMat3::from_cols(out.cross(DVec3::Y), out, DVec3::Y);
        let place = self.at(y, degrees, self.reach(y, degrees) + lift);
        DAffine3::from_mat3_translation(axes, place)
    }

    /// The skin in front at a place of the chest.
    pub(super) fn front(&self, x: f64, y: f64) -> Option<DVec3> {
        let mut best: Option<DVec3> = None;
        for corners in &self.form.triangles {
            let [a, b, c] = corners.map(|corner| self.form.places[corner as usize].point);
            let [u, v, w] = shares(DVec2::new(x, y), [a, b, c].map(|p| p.truncate()));
            if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                let place = a * u + b * v + c * w;
                if best.is_none_or(|best| place.z > best.z) {
                    best = Some(place);
                }
            }
        }
        best
    }
}

/// Barycentric coordinates in the plane; negative where there is no area.
fn shares(p: DVec2, [a, b, c]: [DVec2; 3]) -> [f64; 3] {
    let area = (b - a).perp_dot(c - a);
    if area.abs() < 1e-12 {
        return [-1.0; 3];
    }
    let v = (p - a).perp_dot(c - a) / area;
    let w = (b - a).perp_dot(p - a) / area;
    [1.0 - v - w, v, w]
}

/// From 0 to 1 between two places, without a corner.
pub(super) fn smoothstep(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
