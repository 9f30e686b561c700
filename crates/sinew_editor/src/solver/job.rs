//! What the solver is asked, and what it answers.

use std::sync::Arc;

use glam::Vec3;
use sinew::Character;
use sinew::frame::{Controls, Frame, FrameStart, Note, Rig, SpringGroup};
use sinew::measure::CharacterMeasures;
use sinew::mesh::Aabb;
use sinew_view::scene::{Ground, Surface};

use super::card::OnCard;
use crate::document::Document;

/// What to make.
#[derive(Clone, Debug)]
pub struct Job {
    /// Whose skin.
    pub character: Arc<Character>,
    /// The rig that makes the skin.
    pub rig: Arc<Rig>,
    /// The document's own shapes: the rest that is bound. What a clip does to them is refitted from
    /// there, here as on every surface.
    pub base: Arc<Controls>,
    /// From what.
    pub controls: Arc<Controls>,
    /// Whether the figures of the result are wanted: they cost about as much as a frame.
    pub measures: bool,
    /// Whether its points are wanted here, also where a card makes them ([`Read`]).
    pub points: bool,
}

impl Job {
    /// The document's present state.
    pub fn of(document: &Document) -> Self {
        let controls = Arc::new(document.controls());
        Self {
            base: Arc::clone(&controls),
            controls,
            ..Self::showing(document, Controls::default())
        }
    }

    /// A document as it is shown: another pose, other shapes.
    pub fn showing(document: &Document, controls: Controls) -> Self {
        Self {
            character: Arc::clone(document.character()),
            rig: Arc::clone(document.rig()),
            base: Arc::new(document.controls()),
            controls: Arc::new(controls),
            measures: false,
            points: false,
        }
    }

    /// True if the answer to one is the answer to the other.
    pub fn is_same(&self, other: &Self) -> bool {
        let is_one = |a: &Arc<Controls>, b: &Arc<Controls>| Arc::ptr_eq(a, b) || a == b;
        self.binds_as(other)
            && is_one(&self.controls, &other.controls)
            && is_one(&self.base, &other.base)
            && self.measures == other.measures
            && self.points == other.points
    }

    /// True if points that a card makes are to be read.
    pub(super) fn reads(&self) -> bool {
        self.measures || self.points
    }

    /// True if what was bound for one serves the other.
    pub(super) fn binds_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.character, &other.character)
            && (Arc::ptr_eq(&self.rig, &other.rig) || self.rig == other.rig)
    }

    /// The same, or nearly: what is live can be changed once it is bound.
    pub(super) fn binds_alike(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.character, &other.character) && is_live_change(&self.rig, &other.rig)
    }

    /// True if a frame by itself is wanted, not one that goes on from the one before.
    pub(super) fn is_still(&self) -> bool {
        self.controls.step_seconds.is_none() && self.controls.start == FrameStart::FirstStage
    }
}

/// True if two rigs differ in nothing that must be bound.
fn is_live_change(a: &Rig, b: &Rig) -> bool {
    let mut same = b.clone();
    same.dynamics = a.dynamics;
    if let (Some(of_b), Some(of_a)) = (&mut same.springs, &a.springs) {
        of_b.coefficients.clone_from(&of_a.coefficients);
        of_b.threshold = of_a.threshold;
        of_b.keep_volume = of_a.keep_volume;
        of_b.iterations = of_a.iterations;
        of_b.step_seconds = of_a.step_seconds;
    }
    let num_parts = a.parts.len().max(same.parts.len());
    (0..num_parts).all(|part| {
        let bound = |rig: &Rig| {
            let own = rig.part(part).cloned().unwrap_or_default();
            (own.relaxes, own.rigid, own.rigid_pieces)
        };
        bound(a) == bound(b)
    }) && {
        same.parts.clone_from(&a.parts);
        same == *a
    }
}

/// A skin.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What was asked.
    pub job: Job,
    /// Counts what the solver made: another number is another frame.
    pub number: u64,
    /// Joints, points, normals and how the springs went. Its points are shared, not copied. Where a
    /// card made it ([`Self::on_card`]), it has neither points nor normals.
    pub frame: Arc<Frame>,
    /// The same, ready to be drawn; without positions where they are on a card.
    pub surfaces: Vec<Surface>,
    /// Where points and normals are, if they are not here.
    pub on_card: Option<OnCard>,
    /// Why the processor made it though there is a card.
    pub why_here: Option<String>,
    /// A box around the points; estimated where they are not here.
    pub bounds: Aabb,
    /// What they stand on.
    pub ground: Ground,
    /// What meshes do not have, though it was asked for.
    pub notes: Arc<Vec<Note>>,
    /// False while it is a refit of what was bound at another rest, or on its way from one: another
    /// answer follows.
    pub is_final: bool,
    /// Time that the frame took, from rest to normals; on a card, what the processor had to do for
    /// it.
    pub deform_ms: f64,
    /// Time that binding took, when it was last bound.
    pub bind_ms: f64,
    /// The figures, if they were asked for.
    pub measures: Option<CharacterMeasures>,
    /// The springs, which know what holds shells together.
    pub springs: Vec<Arc<SpringGroup>>,
}

impl Answer {
    /// The welded points of each mesh; empty where they are on a card.
    pub fn points(&self) -> Vec<&[Vec3]> {
        self.frame.parts().iter().map(sinew::frame::PartFrame::points).collect()
    }
}

/// A frame that a card made, read back.
#[derive(Clone, Debug)]
pub struct Read {
    /// What was asked.
    pub job: Job,
    /// Which answer it is of.
    pub number: u64,
    /// With points and normals.
    pub frame: Arc<Frame>,
    /// The figures, if they were asked for.
    pub measures: Option<CharacterMeasures>,
}

/// What the thread is at.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Status {
    /// Nothing to do.
    #[default]
    Idle,
    /// Binding.
    Binding {
        /// Which part of it.
        what: String,
        /// From 0 to 1.
        fraction: f32,
    },
    /// Making a frame.
    Deforming,
    /// Binding again at the rest that is shown, while nobody waits for it.
    Refining {
        /// From 0 to 1.
        fraction: f32,
    },
    /// The last binding could not be done, or was cancelled: why, and what to do.
    Failed(String),
}
