//! Tools: pointer and key events in, edits and marks out. A tool is one file, and needs no window
//! to be tested.

mod cage;
mod frames;
mod gizmo;
mod hit;
mod limb;
mod pose_sketch;
mod pull;
mod reach;
mod region;
mod rotate;
mod sculpt;
mod select;
mod shift;
mod stretch;
mod surface;
mod two_bones;
mod typed;
mod weights;

pub use cage::{
    CageGesture, CageGizmo, CageMove, CageTool, CageWork, cage_center, cage_gizmo_place,
    cage_handle_place, cage_moved,
};
pub use hit::{Hit, Picking, Picks};
pub(crate) use pose_sketch::joints_of;
pub use pose_sketch::{Facing, OwnPlane, PoseSketchTool, SketchWork};
pub use pull::ReachWork;
pub use reach::{ReachTool, limb_end};
pub use rotate::{RotateTool, ring_point};
pub use sculpt::{SculptTool, SculptWork};
pub use select::SelectTool;
use select::joint_at;
pub use shift::MoveTool;
pub use stretch::StretchTool;
pub use surface::{GrabTool, SurfaceTool, SurfaceWork};
pub use two_bones::reach;
pub use weights::{
    CorrectiveWay, DragGesture, HelperWay, PaintTarget, TransferTools, WaysOut, WeightDragTool,
    WeightPaintTool, WeightTools, WhyShown, painted_values,
};
pub(crate) use weights::{ways_out, with_further};

use std::sync::Arc;

use glam::{DAffine3, DVec3, Vec2, Vec3};
use sinew::driver::DriverPlan;
use sinew::frame::{Controls, Frame};
use sinew::posing::Hinges;
use sinew::skeleton::{Axis, Palette, Pose};
use sinew_view::scene::Marks;

use crate::document::Document;
use crate::edit::Edit;
use crate::picker::Picker;
use crate::selection::Selection;
use crate::view::View;

/// Keys that change what a click means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Adds to the selection; steps coarser.
    pub shift: bool,
    /// Ctrl is held: a drag goes in steps.
    pub control: bool,
}

/// What the user did, in pixels of the viewport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The pointer is elsewhere.
    Moved {
        /// The pointer's place in the view.
        at: Vec2,
        /// Held keys.
        modifiers: Modifiers,
    },
    /// The first button went down.
    Pressed {
        /// The pointer's place in the view.
        at: Vec2,
        /// Held keys.
        modifiers: Modifiers,
    },
    /// The tool is to begin where the pointer is, with no button held; a click ends it.
    Grabbed {
        /// The pointer's place in the view.
        at: Vec2,
    },
    /// It was let go.
    Released {
        /// The pointer's place in the view.
        at: Vec2,
    },
    /// A key was struck.
    Key(Key),
    /// What a tool waits for may have been found.
    Found,
}

/// Keys that tools know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Letters (small), digits, point and minus.
    Char(char),
    /// Done.
    Enter,
    /// Takes back what is under way.
    Escape,
    /// One character less.
    Backspace,
}

/// What a tool wants done.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Choose these.
    Select(Selection),
    /// Work on a surface edit, by its name, or on none.
    ChooseSurface(Option<String>),
    /// Work on a stroke in hand, by its number, or on none.
    ChooseStroke(Option<usize>),
    /// The plane that strokes lie on was dragged there.
    PlacePlane(OwnPlane),
    /// A drag begins.
    Begin(String),
    /// A drag begins that is about the character, however it stands.
    Stroke(String),
    /// A drag of the cage begins.
    BeginCage {
        /// What the history calls it.
        label: String,
        /// It is about the cage at rest, whatever the pose.
        at_rest: bool,
    },
    /// The drag is now this.
    Replace(Vec<Edit>),
    /// It is done.
    Commit,
    /// It never was.
    Cancel,
}

/// What a tool sees.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// As it is now.
    pub document: &'a Document,
    /// As it is shown: the document's own pose, or that of a clip.
    pub pose: &'a Arc<Pose>,
    /// What is chosen.
    pub selection: &'a Selection,
    /// What is seen.
    pub view: View,
    /// The skin on the screen, once there is one.
    pub frame: Option<&'a Frame>,
    /// Says what of it is under the pointer.
    pub picker: Option<&'a dyn Picker>,
    /// What a click takes.
    pub picking: Picking,
    /// For each joint: true if it is not shown, so that no click takes it. May be empty.
    pub hidden_joints: &'a [bool],
    /// Which way each joint bends, if somebody has found it out already.
    pub hinges: Option<&'a Hinges>,
    /// How the reaching tool works.
    pub reach: &'a ReachWork,
    /// How the weight tools work.
    pub weights: &'a WeightTools,
    /// How the cage tool works.
    pub cage: &'a CageWork,
    /// How the sculpting tool works.
    pub sculpt: &'a SculptWork,
    /// How the sketch tool works.
    pub sketch: &'a SketchWork,
    /// How the surface tools work.
    pub surface: &'a SurfaceWork,
    /// How hard the pen is pressed, from 0 to 1, where the platform tells it.
    pub pressure: Option<f32>,
    /// The cage at rest as it is shown: the document's own, or that of a clip. As bound if empty.
    pub rest_cage: &'a [DVec3],
    /// The cage on the screen: a frame with joints and cage, and points or not.
    pub cage_frame: Option<&'a Frame>,
}

impl Context<'_> {
    /// The joints that are shown.
    pub(crate) fn shown_joints(&self) -> impl Iterator<Item = u32> {
        let is_shown = |joint: &u32| !self.hidden_joints.get(*joint as usize).unwrap_or(&false);
        (0..self.document.character().skeleton.len() as u32).filter(is_shown)
    }

    /// The joints as they stand.
    pub fn palette(&self) -> Palette {
        let character = self.document.character();
        let drivers = &character.drivers;
        let plan = (!drivers.list.is_empty()).then(|| DriverPlan::new(character).ok()).flatten();
        let Some(plan) = plan else { return Palette::new(&character.skeleton, self.pose) };
        let pose = Pose::clone(self.pose);
        let mut driven = Controls { pose, ..self.document.controls() };
        plan.run(&character.skeleton, &mut driven);
        Palette::new(&character.skeleton, &driven.pose)
    }

    /// One of a joint's axes in its own frame, in a pose.
    pub(crate) fn axis_in_joint(&self, joint: u32, axis: Axis, pose: &Pose) -> DVec3 {
        let character = self.document.character();
        let of_joint = &character.skeleton.joints()[joint as usize];
        let known = self.hinges.and_then(|hinges| hinges.joint(joint)).copied();
        axis.in_joint(of_joint, &pose.joints[joint as usize], || {
            let own = || Hinges::of(character).joint(joint).copied().unwrap_or_default();
            known.unwrap_or_else(own)
        })
    }

    /// Both ends of a joint's bone in its pose, in model space.
    pub fn bone_ends(&self, palette: &Palette, joint: u32) -> [Vec3; 2] {
        let model_from_joint: &DAffine3 = &palette.model_from_joint()[joint as usize];
        let of_joint = &self.document.character().skeleton.joints()[joint as usize];
        let stretch = self.pose.joints[joint as usize].stretch;
        let tail = model_from_joint.transform_point3(of_joint.tail_in_joint * stretch);
        [model_from_joint.translation.as_vec3(), tail.as_vec3()]
    }
}

/// Something to work with.
pub trait Tool {
    /// On its button.
    fn name(&self) -> &'static str;

    /// What the user can do now, for the status bar.
    fn hint(&self) -> String;

    /// True if a click would take hold of its gizmo.
    fn is_hovered(&self) -> bool {
        false
    }

    /// True while the pointer is its own: a drag is no orbit.
    fn has_pointer(&self) -> bool {
        false
    }

    /// True if it waits for the picker; [`Event::Found`] tells it to ask again.
    fn is_waiting(&self) -> bool {
        false
    }

    /// Why what was dragged last is not where it was dragged to.
    fn why_not(&self) -> Option<&WhyShown> {
        None
    }

    /// What a click there would take.
    fn under(&self, at: Vec2, context: &Context<'_>) -> Option<Hit> {
        joint_at(at, context).map(Hit::Joint)
    }

    /// True if the character is to be shown at rest while this is in hand.
    fn shows_rest(&self, _: &CageWork) -> bool {
        false
    }

    /// Answers an event; empty where it has no use for it.
    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act>;

    /// What it draws over the character.
    fn marks(&self, context: &Context<'_>) -> Marks;

    /// What it draws over the finished picture: what changes with every move of the pointer, for
    /// which no picture should have to be drawn again.
    fn overlay(&self, _: &Context<'_>) -> Marks {
        Marks::default()
    }
}
