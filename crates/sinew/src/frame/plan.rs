//! Everything about a character that can be found out before its frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::part::{Mover, PartInput, PartPlan};
use super::rig::has_weights;
use super::{Controls, Frame, PartFrame, Rig, RigError};
use crate::progress::Progress;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::SkinMethod;
use crate::{Character, Part};

/// Why a character could not be bound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// The rig is not of this character.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl PlanError {
    /// True if the result was no longer wanted.
    pub fn is_cancelled(&self) -> bool {
        *self == Self::Cancelled
    }
}

/// Something that a mesh does not have, though it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Which mesh.
    pub part: usize,
    /// What it has instead, why, and what to do.
    pub words: String,
}

/// A character, bound: immutable, and shareable between threads.
#[derive(Clone, Debug)]
pub struct Plan {
    character: Arc<Character>,
    rig: Rig,
    /// The joints at the rest that was bound.
    skeleton: Arc<Skeleton>,
    /// What moved the joints there.
    joint_offsets: Vec<glam::DVec3>,
    parts: Vec<Arc<PartPlan>>,
    /// This plan, and how often its live settings changed: a frame knows by it what it was made by.
    pub(super) id: [u64; 2],
}

fn next_id() -> [u64; 2] {
    static PLANS: AtomicU64 = AtomicU64::new(1);
    [PLANS.fetch_add(1, Ordering::Relaxed), 0]
}

impl Plan {
    /// Binds a character as its file has it.
    ///
    /// # Errors
    /// If the rig is not of this character, or someone asked to stop.
    pub fn bind(
        character: &Arc<Character>,
        rig: &Rig,
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        Self::bind_at(character, rig, &Controls::rest(character), progress)
    }

    /// Binds a character at the rest that controls give it: their shapes, offsets and joints.
    /// Frames at that rest are exact.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub fn bind_at(
        character: &Arc<Character>,
        rig: &Rig,
        base: &Controls,
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        Self::rebind(None, character, rig, base, progress)
    }

    /// Binds a character and takes from a plan before what has not changed, mesh by mesh.
    ///
    /// # Errors
    /// As [`Self::bind`].
    pub fn rebind(
        before: Option<&Self>,
        character: &Arc<Character>,
        rig: &Rig,
        base: &Controls,
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        rig.check(character)?;
        let skeleton = match before {
            Some(before) if before.binds_joints_as(character, base) => Arc::clone(&before.skeleton),
            _ => Arc::new(moved_skeleton(&character.skeleton, base)),
        };
        let bind = |part: usize| {
            let kept = before
                .filter(|before| Arc::ptr_eq(&before.skeleton, &skeleton))
                .and_then(|before| before.kept(part, character, rig, base));
            kept.map_or_else(
                || {
                    let input = PartInput { character, part, rig, skeleton: &skeleton };
                    PartPlan::bind(&input, base.part(part), progress).map(Arc::new)
                },
                Ok,
            )
        };
        Ok(Self {
            parts: (0..character.parts.len()).map(bind).collect::<Result<_, _>>()?,
            character: Arc::clone(character),
            rig: rig.clone(),
            joint_offsets: base.joint_offsets.clone(),
            skeleton,
            id: next_id(),
        })
    }

    fn binds_joints_as(&self, character: &Arc<Character>, base: &Controls) -> bool {
        let is_same = Arc::ptr_eq(&self.character, character)
            || self.character.skeleton == character.skeleton;
        is_same && self.joint_offsets == base.joint_offsets
    }

    /// A mesh's plan, if binding it again would give the same.
    fn kept(
        &self,
        part: usize,
        character: &Arc<Character>,
        rig: &Rig,
        base: &Controls,
    ) -> Option<Arc<PartPlan>> {
        let kept = self.parts.get(part)?;
        let is_same_part = Arc::ptr_eq(&self.character, character)
            || (is_same_part(&self.character.parts[part], &character.parts[part])
                && has_weights(&self.character) == has_weights(character));
        let is_same_rig = self.rig.first_stage() == rig.first_stage()
            && self.rig.relaxes(&self.character, part) == rig.relaxes(character, part)
            && self.rig.springs_of(part) == rig.springs_of(part)
            && self.rig.normals == rig.normals;
        (is_same_part && is_same_rig && kept.base.rests_as(base.part(part)))
            .then(|| Arc::clone(kept))
    }

    /// Takes a rig that differs in live settings alone (stiffness, iterations, threshold, volume,
    /// how springs swing), without binding. False, and nothing done, where something else differs.
    ///
    /// # Errors
    /// If the rig is not of this character.
    pub fn adjust(&mut self, rig: &Rig) -> Result<bool, PlanError> {
        if *rig == self.rig {
            return Ok(true);
        }
        rig.check(&self.character)?;
        let is_live = rig.method == self.rig.method
            && rig.normals == self.rig.normals
            && rig.first_stage() == self.rig.first_stage()
            && (0..self.parts.len()).all(|part| {
                let relaxes = |rig: &Rig| rig.relaxes(&self.character, part);
                relaxes(rig) == relaxes(&self.rig)
            });
        if !is_live {
            return Ok(false);
        }
        if let Some(failed) = (0..self.parts.len()).find(|&part| !self.adjust_part(part, rig)) {
            // What could be taken can be taken back.
            let before = self.rig.clone();
            for part in 0..failed {
                self.adjust_part(part, &before);
            }
            return Ok(false);
        }
        self.rig = rig.clone();
        self.id[1] += 1;
        Ok(true)
    }

    /// False, and nothing done, where the mesh must be bound again.
    fn adjust_part(&mut self, part: usize, rig: &Rig) -> bool {
        let plan = &mut self.parts[part];
        let (Mover::Springs(springs), Some(settings)) = (&plan.mover, rig.springs_of(part)) else {
            return true;
        };
        if *springs.settings() == settings {
            return true;
        }
        // A copy only where somebody else holds the plan.
        match &mut Arc::make_mut(plan).mover {
            Mover::Springs(springs) => matches!(springs.adjust(&settings), Ok(true)),
            Mover::AtRest | Mover::Skin(_) => true,
        }
    }

    /// What was bound.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// How.
    pub fn rig(&self) -> &Rig {
        &self.rig
    }

    /// This plan, and how often its live settings changed ([`Self::adjust`]): who keeps something
    /// of a plan knows by it whether that is still good. Never zero.
    pub fn revision(&self) -> [u64; 2] {
        self.id
    }

    /// The joints at the rest that was bound.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// What moved the joints to the rest that was bound.
    pub(super) fn joint_offsets(&self) -> &[glam::DVec3] {
        &self.joint_offsets
    }

    /// One a mesh.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = &PartPlan> {
        self.parts.iter().map(|part| &**part)
    }

    /// A mesh.
    ///
    /// # Panics
    /// If there is no such mesh.
    pub fn part(&self, part: usize) -> &PartPlan {
        &self.parts[part]
    }

    /// What meshes do not have, though it was asked for.
    pub fn notes(&self) -> Vec<Note> {
        let of_part = |(part, plan): (usize, &Arc<PartPlan>)| {
            let note = move |words: &String| Note { part, words: words.clone() };
            plan.notes.iter().map(note).collect::<Vec<_>>()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// True if a frame by these controls is the same as after binding at their rest: it is, or the
    /// refit is exact.
    pub fn is_exact(&self, controls: &Controls) -> bool {
        let joints_rest = controls.joint_offsets == self.joint_offsets;
        self.parts.iter().enumerate().all(|(part, plan)| {
            let rests = joints_rest && plan.base.rests_as(controls.part(part));
            rests
                || match &plan.mover {
                    Mover::AtRest => true,
                    Mover::Springs(_) => false,
                    Mover::Skin(skin) => match skin.method() {
                        SkinMethod::Rigid | SkinMethod::Linear | SkinMethod::DualQuat => true,
                        SkinMethod::CenterOfRotation | SkinMethod::BoneSmooth => false,
                    },
                }
        })
    }

    /// Memory for a frame.
    pub fn frame(&self) -> Frame {
        Frame {
            made_by: [0; 2],
            made_from: Controls::default(),
            skeleton: Skeleton::clone(&self.skeleton),
            palette: Palette::default(),
            parts: vec![PartFrame::default(); self.parts.len()],
        }
    }
}

fn moved_skeleton(skeleton: &Skeleton, base: &Controls) -> Skeleton {
    let mut moved = skeleton.clone();
    if !base.joint_offsets.is_empty() {
        moved.move_joints(skeleton, &base.joint_offsets);
    }
    moved
}

/// True if both are bound alike: materials do not count.
fn is_same_part(a: &Part, b: &Part) -> bool {
    a.mesh == b.mesh && a.weights == b.weights && a.shapes == b.shapes
}
