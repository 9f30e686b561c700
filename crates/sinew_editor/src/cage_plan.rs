//! The cage of a document, bound: what edits of the posed cage are taken back through. Copies of a
//! document share it, since binding takes long and they mostly have the same cage.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec3;
use sinew::Character;
use sinew::cage::Reverse;
use sinew::frame::{CageRig, Controls, Normals, Plan, Prepared, Rig};
use sinew::progress::Silent;
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;

use crate::document::Document;
use crate::edit::EditError;

/// Places that are one, over the diagonal: keys keep offsets, whose sums lose a last bit.
const SAME_PLACE: f64 = 1e-12;

/// The last cage that was bound.
#[derive(Clone, Default)]
pub(crate) struct CagePlan {
    last: Arc<Mutex<Option<Kept>>>,
}

impl fmt::Debug for CagePlan {
    /// What was bound is found from the rest, and long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CagePlan")
    }
}

/// A bound cage, and the loop of the pose that was asked for last.
struct Kept {
    character: Arc<Character>,
    rig: CageRig,
    method: SkinMethod,
    plan: Arc<Plan>,
    prepared: Prepared,
    /// Of a pose, drivers included: what drags of the posed cage are taken back through.
    reverse: Option<(Pose, Reverse)>,
    last_drag: Option<LastDrag>,
}

/// A drag of the posed cage.
struct LastDrag {
    /// The rest cage that it led to.
    rest_cage: Vec<DVec3>,
    /// How far that moved, over the drag.
    gain: f64,
}

impl Kept {
    fn is_of(&self, document: &Document) -> bool {
        Arc::ptr_eq(&self.character, &document.character)
            && self.method == document.rig.first_stage()
            && document.rig.cage.as_ref() == Some(&self.rig)
    }

    fn bind(before: Option<&Plan>, document: &Document, cage: CageRig) -> Result<Self, EditError> {
        let (character, method) = (&document.character, document.rig.first_stage());
        let rig = Rig { cage: Some(cage.clone()), normals: Normals::Off, ..Rig::of(method) };
        let base = Controls::rest(character);
        let plan = Plan::rebind(before, character, &rig, &base, &Silent)
            .map_err(|error| EditError::value("cage", error.to_string()))?;
        let mut prepared = plan.prepared();
        // The loop wants joints alone: no drag waits for the points of a mesh.
        prepared.leave_cage(&plan, |_| true);
        Ok(Self {
            character: Arc::clone(character),
            rig: cage,
            method,
            prepared,
            plan: Arc::new(plan),
            reverse: None,
            last_drag: None,
        })
    }
}

impl CagePlan {
    /// Does something with a document's bound cage; `None` without a cage.
    fn with<T>(
        &self,
        document: &Document,
        does: impl FnOnce(&mut Kept) -> Result<T, EditError>,
    ) -> Result<Option<T>, EditError> {
        let Some(cage) = document.rig.cage.clone() else { return Ok(None) };
        // A thread that panicked while it held this has left a cage or none, both of which serve.
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = lock();
        if let Some(kept) = last.as_mut().filter(|kept| kept.is_of(document)) {
            return does(kept).map(Some);
        }
        let before = last.as_ref().map(|kept| Arc::clone(&kept.plan));
        // Nobody waits for another one's bind.
        drop(last);
        let mut bound = Kept::bind(before.as_deref(), document, cage)?;
        let done = does(&mut bound);
        *lock() = Some(bound);
        done.map(Some)
    }

    /// A plan of a document's cage and first stage alone; `None` without a cage.
    pub(crate) fn of(&self, document: &Document) -> Result<Option<Arc<Plan>>, EditError> {
        self.with(document, |kept| Ok(Arc::clone(&kept.plan)))
    }

    /// The posed cage under controls.
    pub(crate) fn posed_cage(
        &self,
        document: &Document,
        controls: &Controls,
    ) -> Result<Option<Vec<DVec3>>, EditError> {
        self.with(document, |kept| {
            kept.prepared.follow(&kept.plan, controls);
            Ok(kept.prepared.posed_cage().to_vec())
        })
    }

    /// Where the rest cage must be for the posed one to move as told, under controls.
    pub(crate) fn reversed(
        &self,
        document: &Document,
        controls: &Controls,
        moves: impl FnOnce(&mut [DVec3]) -> Result<(), EditError>,
    ) -> Result<Option<Vec<DVec3>>, EditError> {
        self.with(document, |kept| {
            let Kept { plan, prepared, reverse, last_drag, .. } = kept;
            prepared.follow(plan, controls);
            let posed = prepared.posed_cage();
            let mut wanted = posed.to_vec();
            moves(&mut wanted)?;
            let by: Vec<DVec3> = wanted.iter().zip(posed).map(|(&to, &at)| to - at).collect();
            let pose = &prepared.controls().pose;
            if reverse.as_ref().is_none_or(|(of, _)| of != pose)
                && let Some(bound) = plan.cage()
            {
                let (skeleton, palette) = (prepared.skeleton(), prepared.palette());
                let found = bound.coupling().reverse(skeleton, pose, palette);
                *reverse = Some((pose.clone(), found));
            }
            let (Some((_, reverse)), Some(bound)) = (reverse, plan.cage()) else {
                return Ok(controls.cage.clone());
            };
            let solved = reverse.solve(&by);
            let solved = solved.map_err(|error| EditError::value("cage", error.to_string()))?;
            let rest = bound.rest_cage(controls).iter().zip(&solved.offsets);
            let rest_cage: Vec<DVec3> = rest.map(|(&at, &by)| at + by).collect();
            *last_drag = Some(LastDrag { rest_cage: rest_cage.clone(), gain: solved.gain });
            Ok(rest_cage)
        })
    }

    /// How far the rest cage went for the last drag in the pose, over the drag; `None` where it is
    /// not as that drag left it.
    pub(crate) fn gain(&self, document: &Document, rest_cage: &[DVec3]) -> Option<f64> {
        // Whoever draws does not wait for who binds.
        let last = self.last.try_lock().ok()?;
        let kept = last.as_ref().filter(|kept| kept.is_of(document))?;
        let drag = kept.last_drag.as_ref()?;
        let near = SAME_PLACE * kept.rig.cage.diagonal();
        let is_there = drag.rest_cage.len() == rest_cage.len()
            && drag.rest_cage.iter().zip(rest_cage).all(|(a, b)| a.distance(*b) <= near);
        is_there.then_some(drag.gain)
    }
}
