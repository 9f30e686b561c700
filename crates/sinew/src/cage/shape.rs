//! A cage: points and the triangles and quads between them.

use glam::DVec3;

use super::CageError;
use crate::mesh::closest_shares;

/// More handles than this are a mesh, not a cage: every point has a coordinate for each.
pub const MAX_HANDLES: usize = 4096;

/// One face, counter-clockwise from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CageFace {
    /// Three corners.
    Triangle([u32; 3]),
    /// Four, in a plane or not.
    Quad([u32; 4]),
}

impl CageFace {
    /// Its corners in order.
    pub fn corners(&self) -> &[u32] {
        match self {
            Self::Triangle(corners) => corners,
            Self::Quad(corners) => corners,
        }
    }

    /// The same face of points with other numbers; `None` where one has none.
    pub(super) fn renamed(&self, of: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        Some(match *self {
            Self::Triangle([a, b, c]) => Self::Triangle([of(a)?, of(b)?, of(c)?]),
            Self::Quad([a, b, c, d]) => Self::Quad([of(a)?, of(b)?, of(c)?, of(d)?]),
        })
    }

    /// Its sides, each from a corner to the next.
    pub fn sides(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let corners = self.corners();
        (0..corners.len()).map(move |i| [corners[i], corners[(i + 1) % corners.len()]])
    }

    /// As triangles; a quad is split between its first and third corner.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let (first, second) = match *self {
            Self::Triangle(corners) => (corners, None),
            Self::Quad([a, b, c, d]) => ([a, b, c], Some([a, c, d])),
        };
        std::iter::once(first).chain(second)
    }
}

/// Points and faces around a character, or a part of it. Indices are in range, numbers finite;
/// whether the faces enclose anything is for [`Cage::check`] to say.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "CageText", into = "CageText")
)]
pub struct Cage {
    points: Vec<DVec3>,
    faces: Vec<CageFace>,
}

impl Cage {
    /// Takes points, the handles, and faces.
    ///
    /// # Errors
    /// If a face names a point that is not there, a number is not finite, or there are fewer than
    /// four points or more than [`MAX_HANDLES`].
    pub fn new(points: Vec<DVec3>, faces: Vec<CageFace>) -> Result<Self, CageError> {
        // Without faces all are point handles.
        let is_enough = points.len() >= 4 && faces.len() >= 4;
        let is_points_alone = faces.is_empty() && !points.is_empty();
        if points.len() > MAX_HANDLES || !(is_enough || is_points_alone) {
            let (found, faces) = (points.len(), faces.len());
            return Err(CageError::Size { found, faces, most: MAX_HANDLES });
        }
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(CageError::NotFinite { point });
        }
        for (face, of_face) in faces.iter().enumerate() {
            if let Some(&point) = of_face.corners().iter().find(|&&p| p as usize >= points.len()) {
                let num_points = points.len();
                return Err(CageError::PointOutOfRange { face, point, num_points });
            }
        }
        Ok(Self { points, faces })
    }

    /// The handles.
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Triangles and quads.
    pub fn faces(&self) -> &[CageFace] {
        &self.faces
    }

    /// All faces as triangles.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.faces.iter().flat_map(CageFace::triangles)
    }

    /// The same faces around other points.
    ///
    /// # Errors
    /// If there are not as many points, or one is not finite.
    pub fn with_points(&self, points: Vec<DVec3>) -> Result<Self, CageError> {
        if points.len() != self.points.len() {
            let (expected, found) = (self.points.len(), points.len());
            return Err(CageError::Count { what: "points", expected, found });
        }
        Self::new(points, self.faces.clone())
    }

    /// This cage with another one, or points of no face, beside it: their handles come after its
    /// own.
    ///
    /// # Errors
    /// If there are then too many handles, or a number is not finite.
    pub fn joined(&self, other: Option<&Self>, points: &[DVec3]) -> Result<Self, CageError> {
        let first = self.points.len() as u32;
        let (more, faces): (&[DVec3], &[CageFace]) =
            other.map_or((&[], &[]), |other| (other.points(), other.faces()));
        let shifted = faces.iter().filter_map(|face| face.renamed(|corner| Some(corner + first)));
        let faces = self.faces.iter().copied().chain(shifted).collect();
        Self::new([&self.points, more, points].concat(), faces)
    }

    /// Length of the diagonal of the box around it: what errors are measured against.
    pub fn diagonal(&self) -> f64 {
        diagonal(&self.points)
    }

    /// What it encloses; negative where its faces are inside out.
    pub fn volume(&self) -> f64 {
        let middle = self.points.iter().sum::<DVec3>() / self.points.len() as f64;
        let at = |corner: u32| self.points[corner as usize] - middle;
        self.triangles().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0).sum()
    }

    /// Each side of a face once, the smaller end first, ascending.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = self
            .faces
            .iter()
            .flat_map(CageFace::sides)
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// How often the cage winds around a place: ±1 inside a closed one, 0 outside (Van Oosterom
    /// and Strackee's solid angles).
    pub fn winding_number(&self, place: DVec3) -> f64 {
        let solid_angle = |t: [u32; 3]| {
            let [a, b, c] = t.map(|corner| self.points[corner as usize] - place);
            let (la, lb, lc) = (a.length(), b.length(), c.length());
            let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(below)
        };
        self.triangles().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
    }

    /// How far a place is from the nearest face; infinite without faces.
    pub fn distance_to(&self, place: DVec3) -> f64 {
        let of = |t: [u32; 3]| {
            let corners = t.map(|corner| self.points[corner as usize]);
            let shares = closest_shares(place, &corners);
            let nearest: DVec3 = corners.iter().zip(shares).map(|(&at, share)| share * at).sum();
            nearest.distance(place)
        };
        self.triangles().map(of).fold(f64::INFINITY, f64::min)
    }

    /// True if the place is inside.
    pub fn encloses(&self, place: DVec3) -> bool {
        self.winding_number(place).abs() > 0.5
    }
}

/// The diagonal of the box around points; zero for none.
pub(super) fn diagonal(points: &[DVec3]) -> f64 {
    let low = points.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    if points.is_empty() { 0.0 } else { (high - low).length() }
}

/// A cage as a text has it: faces as lists of three or four.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CageText {
    points: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
}

#[cfg(feature = "serde")]
impl From<Cage> for CageText {
    fn from(cage: Cage) -> Self {
        let faces = cage.faces.iter().map(|face| face.corners().to_vec()).collect();
        Self { points: cage.points, faces }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<CageText> for Cage {
    type Error = CageError;

    fn try_from(text: CageText) -> Result<Self, CageError> {
        let face = |(face, corners): (usize, &Vec<u32>)| match corners[..] {
            [a, b, c] => Ok(CageFace::Triangle([a, b, c])),
            [a, b, c, d] => Ok(CageFace::Quad([a, b, c, d])),
            _ => Err(CageError::Corners { face, found: corners.len() }),
        };
        let faces = text.faces.iter().enumerate().map(face).collect::<Result<_, _>>()?;
        Self::new(text.points, faces)
    }
}
