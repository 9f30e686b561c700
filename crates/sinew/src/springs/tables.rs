//! What springs have bound, as plain arrays: what another device uploads once and runs the same
//! frames on.
//!
//! A view, made when it is asked for. Nothing can be bound from it: [`SpringRig::bind`] is the only
//! way.

use super::SpringRig;
use super::rig::Plan;
use crate::skin::Skin;

pub use super::anchored::tables::{
    AnchorRow, AnchoredTables, CoarseTables, ContactRow, LayerLink, LayerTables, LevelTables,
    RiderTables, SampleRow, VolumeTables, chebyshev_factors,
};
pub use super::delta_mush::tables::DeltaMushTables;
pub use super::layers::{KEPT_HEIGHT, LAYER_PASSES};
pub use super::paper::tables::PaperTables;
pub use super::riders::TURN_STEPS;

/// A model's tables.
#[derive(Clone, Debug)]
pub enum SpringTables {
    /// Of the anchored model.
    Anchored(Box<AnchoredTables>),
    /// Of the published one.
    Paper(Box<PaperTables>),
    /// Of delta mush.
    DeltaMush(Box<DeltaMushTables>),
}

impl SpringRig {
    /// What is bound, as plain arrays.
    pub fn tables(&self) -> SpringTables {
        match &self.plan {
            Plan::Anchored { layout, contacts, anchored, layers, riders, .. } => {
                let contacts = contacts.rows(anchored.order().num_slots());
                let shells = (layers.tables(), riders.tables(anchored.order()));
                SpringTables::Anchored(Box::new(anchored.tables(layout.tables(), contacts, shells)))
            }
            Plan::Paper(paper) => SpringTables::Paper(Box::new(paper.tables())),
            Plan::DeltaMush(mush) => SpringTables::DeltaMush(Box::new(mush.tables())),
        }
    }

    /// What the iterations start from; `None` for the anchored model's own first stage.
    pub fn skin(&self) -> Option<&Skin> {
        self.skin.as_ref()
    }

    /// Number of joints that a palette must have.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }
}
