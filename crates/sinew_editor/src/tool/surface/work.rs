//! How the surface tools work: it belongs to the session, and panels change it.

use sinew::Character;
use sinew::sketch::surface::{
    Extent, OffsetStroke, ReachBy, SurfaceMethod, SurfaceSpot, SurfaceStroke,
};
use sinew::weights::paint::Falloff;

use crate::document::Document;
use crate::surface::{SurfaceDrawing, SurfaceEntry};

/// Of the character's diagonal: a new stroke's height, where nobody has said another.
const HEIGHT_SHARE: f64 = 0.03;
/// The same of the grab brush's radius.
const RADIUS_SHARE: f64 = 0.06;
/// Heights that a region reaches around its stroke.
const EXTENT_HEIGHTS: f64 = 2.0;
/// Where nobody has said another: a region that is a line or two wide is no bump, and one that
/// covers half a body is none either.
const EDGES: [f64; 2] = [3.0, 20.0];
/// What the panel shows while nothing is drawn.
const SHOWN_EDGES: u32 = 6;

/// What strokes and grabs do, and which edit is worked on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceWork {
    /// The edit that is worked on, by its name.
    pub chosen: Option<String>,
    /// The next stroke on the skin takes the place of its stroke.
    pub redraws: bool,
    /// How high a new stroke goes, metres; `None` goes by the character's size.
    pub height: Option<f64>,
    /// How far its region reaches; `None` goes by height and mesh.
    pub extent: Option<Extent>,
    /// How the region follows.
    pub method: SurfaceMethod,
    /// What scale vectors may do, by springs.
    pub reach: ReachBy,
    /// How far the grab brush reaches, metres; `None` goes by the character's size.
    pub radius: Option<f64>,
    /// From its middle to its rim.
    pub falloff: Falloff,
}

impl SurfaceWork {
    /// How high a new stroke goes, metres.
    pub fn height_of(&self, character: &Character) -> f64 {
        self.height.unwrap_or_else(|| HEIGHT_SHARE * f64::from(character.bounds().diagonal()))
    }

    /// How far the grab brush reaches, metres.
    pub fn radius_of(&self, character: &Character) -> f64 {
        self.radius.unwrap_or_else(|| RADIUS_SHARE * f64::from(character.bounds().diagonal()))
    }

    /// How far a new stroke's region reaches on a mesh: by the edges along the stroke, which may be
    /// far from the mesh's mean.
    pub fn extent_of(&self, character: &Character, part: usize, stroke: &SurfaceStroke) -> Extent {
        if let Some(extent) = self.extent {
            return extent;
        }
        let mesh = &character.parts[part].mesh;
        let (points, triangles) = (mesh.points(), mesh.point_triangles());
        let side = |spot: &SurfaceSpot| {
            let [a, b, c] = triangles[spot.triangle as usize].map(|corner| points[corner as usize]);
            f64::from(a.distance(b) + b.distance(c) + c.distance(a)) / 3.0
        };
        let spots = stroke.spots();
        let mean = spots.iter().map(side).sum::<f64>() / spots.len().max(1) as f64;
        let edges = EXTENT_HEIGHTS * self.height_of(character).abs() / mean.max(f64::MIN_POSITIVE);
        Extent::Edges(edges.clamp(EDGES[0], EDGES[1]).round() as u32)
    }

    /// What the panel shows of it while there is no stroke.
    pub fn shown_extent(&self) -> Extent {
        self.extent.unwrap_or(Extent::Edges(SHOWN_EDGES))
    }

    /// The edit that is worked on: the last one where undo has taken the chosen one away.
    pub fn entry<'d>(&self, document: &'d Document) -> Option<&'d SurfaceEntry> {
        let entries = document.surface().entries();
        let at = document.surface().find(self.chosen.as_deref()?);
        at.map_or_else(|| entries.last(), |at| entries.get(at))
    }

    /// A new drawing on a mesh.
    pub(super) fn drawing(
        &self,
        character: &Character,
        part: usize,
        stroke: SurfaceStroke,
    ) -> SurfaceDrawing {
        SurfaceDrawing {
            offset: OffsetStroke::of_height(self.height_of(character)),
            extent: self.extent_of(character, part, &stroke),
            stroke,
            method: self.method,
            reach: self.reach,
        }
    }
}
