//! What is shown beside the skin on demand: of rest and pose the cage, the skeleton and the skin,
//! the six structures that are kept in step.

use sinew::cage::{Cage, CageReport};
use sinew::frame::Frame;
use sinew::glam::{DVec3, Vec3};
use sinew::skeleton::{Palette, Pose};
use sinew_editor::Document;
use sinew_view::overlay::{self, BoneShape, BoneStyle};
use sinew_view::scene::{Disc, Facet, Line, Marks};

/// Linear, with opacity. Of the rest all is green, of the posed cage as its tool draws it.
const REST_SKIN: [f32; 4] = [0.16, 0.60, 0.30, 0.22];
const REST_BONE: Vec3 = Vec3::new(0.10, 0.55, 0.25);
const REST_CAGE: [f32; 4] = [0.16, 0.60, 0.30, 0.9];
const POSED_CAGE: [f32; 4] = [0.05, 0.42, 0.60, 0.9];
const REFUSED: [f32; 4] = [0.45, 0.45, 0.45, 0.9];
const FAULT: [f32; 4] = [0.9, 0.02, 0.02, 1.0];
const LINE_PX: f32 = 1.3;
const FAULT_PX: f32 = 3.0;

/// What of them is shown, beside the posed skeleton, which the view's bones are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Structures {
    pub(crate) skin: bool,
    pub(crate) rest_skin: bool,
    pub(crate) rest_bones: bool,
    pub(crate) rest_cage: bool,
    pub(crate) posed_cage: bool,
}

impl Default for Structures {
    fn default() -> Self {
        Self {
            skin: true,
            rest_skin: false,
            rest_bones: false,
            rest_cage: false,
            posed_cage: false,
        }
    }
}

impl Structures {
    /// Bones and cages, over the skin; widths in pixels of the picture.
    pub(crate) fn lines(&self, document: &Document, frame: &Frame, helpers: &[bool]) -> Marks {
        let mut marks = Marks::default();
        let skeleton = frame.skeleton();
        if self.rest_bones && !skeleton.is_empty() {
            let style = BoneStyle {
                shape: BoneShape::Stick,
                bone: REST_BONE,
                joint: REST_BONE,
                helpers,
                ..BoneStyle::default()
            };
            let palette = Palette::new(skeleton, &Pose::rest(skeleton));
            marks.append(overlay::skeleton(skeleton, &palette, &style));
        }
        let Some(rig) = &document.rig().cage else { return marks };
        let wanted = [
            (self.rest_cage, frame.rest_cage(), REST_CAGE),
            (self.posed_cage, frame.posed_cage(), POSED_CAGE),
        ];
        for (_, places, color) in wanted.into_iter().filter(|(is_wanted, ..)| *is_wanted) {
            if places.len() == rig.cage.points().len() {
                marks.lines.extend(sides(rig.cage.edges(), places, color, LINE_PX));
            }
        }
        marks
    }

    /// The skin at rest, among the surfaces.
    pub(crate) fn rest_skin(&self, document: &Document, frame: &Frame) -> Marks {
        let mut marks = Marks::default();
        if !self.rest_skin {
            return marks;
        }
        for (part, shown) in document.character().parts.iter().zip(frame.parts()) {
            let rest = shown.rest();
            if rest.len() == part.mesh.points().len() {
                let facet = |t: &[u32; 3]| Facet {
                    corners: t.map(|corner| rest[corner as usize]),
                    color: REST_SKIN,
                };
                marks.facets.extend(part.mesh.point_triangles().iter().map(facet));
            }
        }
        marks
    }
}

/// A cage that could not be taken, and what is wrong with it.
pub(crate) fn refused(cage: &Cage, report: &CageReport) -> Marks {
    let mut marks = Marks::default();
    let places = cage.points();
    marks.lines.extend(sides(cage.edges(), places, REFUSED, LINE_PX));
    for fault in &report.faults {
        let faces = fault.faces().into_iter().filter_map(|face| cage.faces().get(face as usize));
        for face in faces {
            marks.lines.extend(sides(face.sides(), places, FAULT, FAULT_PX));
        }
        for point in fault.points() {
            let Some(place) = places.get(point as usize) else { continue };
            let center = place.as_vec3();
            marks.discs.push(Disc { center, color: FAULT, radius_px: 2.0 * FAULT_PX });
        }
    }
    marks
}

fn sides(
    sides: impl IntoIterator<Item = [u32; 2]>,
    places: &[DVec3],
    color: [f32; 4],
    width_px: f32,
) -> impl Iterator<Item = Line> {
    let line = move |ends: [u32; 2]| {
        let ends = ends.map(|end| places[end as usize].as_vec3());
        Line { ends, color, width_px }
    };
    sides.into_iter().map(line)
}
