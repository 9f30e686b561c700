//! The cage of a document, bound: what edits of the posed cage are taken back through. Copies of a
//! document share it, since binding takes long and they mostly have the same cage.

use std::sync::{Arc, Mutex, PoisonError};

use sinew::frame::{Controls, Normals, Plan, Rig};
use sinew::progress::Silent;

use crate::document::Document;
use crate::edit::EditError;

/// The last cage that was bound.
#[derive(Clone, Debug, Default)]
pub(crate) struct CagePlan {
    last: Arc<Mutex<Option<Arc<Plan>>>>,
}

impl CagePlan {
    /// A plan of a document's cage and first stage alone; `None` without a cage.
    pub(crate) fn of(&self, document: &Document) -> Result<Option<Arc<Plan>>, EditError> {
        let Some(cage) = document.rig.cage.clone() else { return Ok(None) };
        let rig =
            Rig { cage: Some(cage), normals: Normals::Off, ..Rig::of(document.rig.first_stage()) };
        // A thread that panicked while it held this has left a plan or none, both of which serve.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let base = Controls::rest(&document.character);
        let plan = Plan::rebind(last.as_deref(), &document.character, &rig, &base, &Silent)
            .map_err(|error| EditError::value("cage", error.to_string()))?;
        let plan = Arc::new(plan);
        *last = Some(Arc::clone(&plan));
        Ok(Some(plan))
    }
}
