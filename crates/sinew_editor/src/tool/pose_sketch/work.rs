//! How the sketch tool works. It belongs to the session, and the panel changes it.

use glam::DVec3;
use sinew::sketch::pose::Freedom;

/// Which way the plane looks that strokes lie on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Facing {
    /// At the eye.
    #[default]
    View,
    /// Along the model's Z.
    Front,
    /// Along its X.
    Side,
    /// Along its Y.
    Top,
    /// Where its gizmo was dragged to.
    Own,
}

impl Facing {
    /// All variants.
    pub const ALL: [Self; 5] = [Self::View, Self::Front, Self::Side, Self::Top, Self::Own];

    /// Its name in menus and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "The view",
            Self::Front => "Front",
            Self::Side => "Side",
            Self::Top => "Top",
            Self::Own => "By hand",
        }
    }

    pub(super) fn normal(self, towards_eye: DVec3) -> DVec3 {
        match self {
            Self::View | Self::Own => towards_eye,
            Self::Front => DVec3::Z,
            Self::Side => DVec3::X,
            Self::Top => DVec3::Y,
        }
    }
}

/// A plane that was placed by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnPlane {
    /// A place on it, where its gizmo is.
    pub through: DVec3,
    /// Of length one.
    pub normal: DVec3,
}

/// What the sketch tool does with a stroke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SketchWork {
    /// A joint this near to a stroke is meant by it, in pixels of a picture of middle size.
    pub reach_px: f32,
    /// The string that the pen pulls the line by, likewise; 0 draws as the hand moves.
    pub steady_px: f32,
    /// What chains may do.
    pub freedom: Freedom,
    /// Elbows and knees bend as they do in a body.
    pub keeps_limits: bool,
    /// Which way the plane looks.
    pub facing: Facing,
    /// The plane goes through what the camera looks at, not through the chain.
    pub through_look_at: bool,
    /// The plane of [`Facing::Own`]; `None` until its gizmo was dragged.
    pub own: Option<OwnPlane>,
    /// The stroke in hand whose knots are shown, from 0.
    pub chosen: Option<usize>,
}

impl Default for SketchWork {
    fn default() -> Self {
        Self {
            reach_px: 26.0,
            steady_px: 5.0,
            freedom: Freedom::default(),
            keeps_limits: true,
            facing: Facing::default(),
            through_look_at: false,
            own: None,
            chosen: None,
        }
    }
}
