//! What a click takes, and would take.

use sinew_view::scene::{Disc, Line, Marks};

use super::Context;
use crate::document::Document;

const HOVER_COLOR: [f32; 4] = [1.0, 0.93, 0.7, 1.0];
/// Times [`crate::View::gizmo_scale`].
const HOVER_WIDTH_PX: f32 = 3.0;
const HOVER_RADIUS_PX: f32 = 5.0;

/// What the select tool takes, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Picking {
    /// Of what kind.
    pub picks: Picks,
    /// A drag is a lasso, not a box.
    pub by_lasso: bool,
    /// Points that the skin hides are taken, too.
    pub goes_through: bool,
}

/// What can be chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Picks {
    /// Joints, by their bones.
    #[default]
    Joints,
    /// Points of the skin.
    Points,
}

/// What is under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A joint's bone.
    Joint(u32),
    /// A welded point of a mesh.
    Point {
        /// Which mesh.
        part: usize,
        /// Which of its points.
        point: u32,
    },
    /// A handle of the cage.
    CageHandle(u32),
    /// A handle of the tool in hand.
    Handle,
}

impl Hit {
    /// Its name in menus and messages.
    pub fn name(self, document: &Document) -> String {
        let character = document.character();
        match self {
            Self::Joint(joint) => document.joint_ref(joint).0,
            Self::Point { part, point } => {
                format!("point {point} of {}", character.parts[part].mesh.name())
            }
            Self::CageHandle(handle) => format!("handle {handle} of the cage"),
            Self::Handle => "handle".into(),
        }
    }

    /// A light mark on it; a tool marks its own handles.
    pub(crate) fn marks(self, context: &Context<'_>) -> Marks {
        let mut marks = Marks::default();
        let scale = context.view.gizmo_scale();
        match self {
            Self::Joint(joint) => marks.lines.push(Line {
                ends: context.bone_ends(&context.palette(), joint),
                color: HOVER_COLOR,
                width_px: HOVER_WIDTH_PX * scale,
            }),
            Self::Point { part, point } => {
                let posed = context.frame.and_then(|frame| frame.parts().get(part));
                let place = posed.and_then(|posed| posed.points().get(point as usize));
                marks.discs.extend(place.map(|&center| Disc {
                    center,
                    color: HOVER_COLOR,
                    radius_px: HOVER_RADIUS_PX * scale,
                }));
            }
            Self::CageHandle(_) | Self::Handle => {}
        }
        marks
    }
}
