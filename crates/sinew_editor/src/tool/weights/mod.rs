//! Tools for skin weights: a brush, and a hand that drags points of the posed skin to their
//! weights.

mod drag;
mod marks;
mod paint;

pub use drag::WeightDragTool;
pub(crate) use drag::with_further;
pub(super) use marks::ring;
pub use paint::WeightPaintTool;

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::DVec3;
use sinew::mesh::{Adjacency, Mesh};
use sinew::weights::RowRules;
use sinew::weights::drag::{DragRule, WhyNot};
use sinew::weights::paint::{Brush, Falloff};

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
    /// Stored poses in which dragged points are to stay, by name; empty for the rest.
    pub held: BTreeSet<String>,
    /// What each of them is worth against the pose that is seen.
    pub hold_weight: f64,
    /// Dragged points may also get the chosen joint.
    pub takes_chosen: bool,
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
            held: BTreeSet::new(),
            hold_weight: 1.0,
            takes_chosen: false,
        }
    }
}

impl WeightTools {
    /// Budget and locks.
    pub fn rules(&self) -> RowRules {
        let num = self.locked.last().map_or(0, |&joint| joint as usize + 1);
        let locked = (0..num as u32).map(|joint| self.locked.contains(&joint)).collect();
        RowRules { max_influences: self.influences.max(1), locked }
    }
}

/// Why the point that was dragged last is not where it was dragged to.
#[derive(Clone, Debug, PartialEq)]
pub struct WhyShown {
    /// Of which mesh.
    pub part: usize,
    /// Which of its points.
    pub point: u32,
    /// Where it was dragged to.
    pub goal: DVec3,
    /// Its influences now.
    pub num_influences: usize,
    /// Why.
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

/// A length for people: in millimetres below a decimetre.
pub(super) fn length(metres: f64) -> String {
    if metres < 0.1 { format!("{:.1} mm", 1e3 * metres) } else { format!("{metres:.2} m") }
}
