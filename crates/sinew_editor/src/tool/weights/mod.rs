//! Tools for skin weights: a brush, and a hand that drags points of the posed skin to their
//! weights.

mod drag;
mod hand;
mod held;
mod marks;
mod paint;
mod values;
mod ways;

pub(super) use marks::ring;

pub use drag::WeightDragTool;
pub(crate) use drag::with_further;
pub use paint::WeightPaintTool;
pub use values::painted_values;
pub(crate) use ways::ways_out;
pub use ways::{CorrectiveWay, HelperWay, WaysOut};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::DVec3;
use sinew::mesh::{Adjacency, Mesh};
use sinew::weights::auto::AutoMethod;
use sinew::weights::drag::{DragRule, WhyNot};
use sinew::weights::mirror::MirrorBy;
use sinew::weights::paint::{Brush, Falloff};
use sinew::weights::{PointRow, RowRules};

use super::Context;
use crate::document::Document;
use crate::edit::WeightEdit;
use crate::name_ref::JointRef;

/// How both tools work: the panel sets it, and nobody's work is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightTools {
    /// What the brush does.
    pub brush: Brush,
    /// Of the brush, metres.
    pub radius: f64,
    /// Of a dab, from nothing to one.
    pub strength: f64,
    /// From the brush's middle to its rim.
    pub falloff: Falloff,
    /// What replace gives, and the most that add and subtract change in a stroke.
    pub value: f64,
    /// The brush goes through the skin, not along it.
    pub goes_through: bool,
    /// The other side is painted too.
    pub is_symmetric: bool,
    /// The most influences of a point.
    pub influences: usize,
    /// Joints whose weights stay as they are.
    pub locked: BTreeSet<u32>,
    /// Which weights, where several reach the goal.
    pub rule: DragRule,
    /// Points within this distance of a dragged one follow in part, metres.
    pub soft_radius: f64,
    /// Stored poses in which dragged points are to stay, by name (empty for the rest), and what
    /// each is worth against the pose that is seen.
    pub held: BTreeMap<String, f64>,
    /// Dragged points may also get the chosen joint.
    pub takes_chosen: bool,
    /// The weight layer that takes what tools do; the base if none is chosen.
    pub layer: Option<String>,
    /// What the brush paints.
    pub target: PaintTarget,
    /// What stiffness is painted towards.
    pub stiffness: f64,
    /// How weights are bound.
    pub method: AutoMethod,
    /// A row that was copied.
    pub copied: Option<Vec<(JointRef, f64)>>,
    /// Whose weights are taken over, and what of them.
    pub transfer: TransferTools,
    /// What a drag of points does to them.
    pub gesture: DragGesture,
    /// What it is worth that neighbours of dragged points change alike.
    pub smoothness: f64,
    /// Influences below this are pruned.
    pub least: f64,
    /// How the other side's points are found.
    pub mirror_by: MirrorBy,
    /// Joints that are to get weights when they are bound, or are not, whatever their names say.
    pub decided: BTreeMap<u32, bool>,
}

/// Whose weights are taken over, and what of them.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferTools {
    /// The mesh that gives, by number; all others if none is named.
    pub from: Option<usize>,
    /// The mesh that takes, by number; those of the chosen points, or all, if none is named.
    pub to: Option<usize>,
    /// From nothing (as it is) to one (as the others have it).
    pub mix: f64,
    /// Only the chosen joint takes part.
    pub only_chosen: bool,
}

impl Default for TransferTools {
    fn default() -> Self {
        Self { from: None, to: None, mix: 1.0, only_chosen: false }
    }
}

/// What a drag of points does to them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DragGesture {
    /// Moves them across the view.
    #[default]
    Move,
    /// Turns them about their middle.
    Turn,
    /// Brings them nearer to their middle, or further from it.
    Scale,
    /// Moves all under a brush, the less the nearer to its rim.
    Pull,
}

impl DragGesture {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Move, Self::Turn, Self::Scale, Self::Pull];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Turn => "turn",
            Self::Scale => "scale",
            Self::Pull => "pull brush",
        }
    }
}

/// What the brush paints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PaintTarget {
    /// Weights of the chosen joint.
    #[default]
    Weights,
    /// How much of the chosen weight layer counts.
    Mask,
    /// How stiff springs are.
    Stiffness,
}

impl PaintTarget {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Weights, Self::Mask, Self::Stiffness];

    /// Its name in menus and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Mask => "mask",
            Self::Stiffness => "stiffness",
        }
    }
}

impl Default for WeightTools {
    fn default() -> Self {
        Self {
            brush: Brush::default(),
            radius: 0.06,
            strength: 0.3,
            falloff: Falloff::default(),
            value: 1.0,
            goes_through: false,
            is_symmetric: false,
            influences: 4,
            locked: BTreeSet::new(),
            rule: DragRule::default(),
            soft_radius: 0.0,
            held: BTreeMap::new(),
            takes_chosen: false,
            layer: None,
            target: PaintTarget::default(),
            stiffness: 2.0,
            method: AutoMethod::default(),
            copied: None,
            transfer: TransferTools::default(),
            gesture: DragGesture::default(),
            smoothness: 1.0,
            least: 0.002,
            mirror_by: MirrorBy::default(),
            decided: BTreeMap::new(),
        }
    }
}

impl WeightTools {
    /// The layer that takes what tools do, if the document has it.
    pub fn layer_of(&self, document: &Document) -> Option<String> {
        let name = self.layer.as_ref()?;
        document.weight_layers().find(name).map(|_| name.clone())
    }

    /// How many influences a point may have, and which joints' weights stay as they are.
    pub fn rules(&self) -> RowRules {
        let num = self.locked.last().map_or(0, |&joint| joint as usize + 1);
        let locked = (0..num as u32).map(|joint| self.locked.contains(&joint)).collect();
        RowRules { max_influences: self.influences.max(1), locked }
    }
}

/// Why the point that was dragged last is not where it was dragged to.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyShown {
    /// The number of the mesh.
    pub part: usize,
    /// Which of its points.
    pub point: u32,
    /// Where it was dragged to.
    pub goal: DVec3,
    /// Its influences now.
    pub num_influences: usize,
    /// Why the point cannot come nearer.
    pub why: WhyNot,
}

/// Who is beside whom, found once a mesh.
#[derive(Clone, Debug, Default)]
pub(super) struct Neighbours(Option<(Mesh, Arc<Adjacency>)>);

impl Neighbours {
    pub(super) fn of(&mut self, mesh: &Mesh) -> Arc<Adjacency> {
        match &self.0 {
            Some((known, adjacency)) if known.is_shared_with(mesh) => Arc::clone(adjacency),
            _ => {
                let adjacency = Arc::new(Adjacency::of(mesh));
                self.0 = Some((mesh.clone(), Arc::clone(&adjacency)));
                adjacency
            }
        }
    }
}

/// Rows that a tool found, as an edit, in the layer that is worked on.
fn set_rows(context: &Context<'_>, part: usize, rows: &[PointRow]) -> WeightEdit {
    let layer = context.weights.layer_of(context.document);
    WeightEdit::set(context.document, part, rows, layer)
}

/// A length for people: in millimetres below a decimetre.
pub(super) fn length(metres: f64) -> String {
    if metres < 0.1 { format!("{:.1} mm", 1e3 * metres) } else { format!("{metres:.2} m") }
}
