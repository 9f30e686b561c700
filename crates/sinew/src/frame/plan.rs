//! Everything about a character that can be found out before its frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::part::{Mover, PartInput, PartPlan, PartStart};
use super::rig::has_weights;
use super::springs::{GroupInput, Member, SpringGroup, SpringSlice, settings_of, wanted};
use super::{BoundCage, CageScratch, Controls, Frame, PartFrame, Rig, RigError};
use crate::cage::CageError;
use crate::driver::{DriverError, DriverPlan};
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
    /// The cage cannot be bound.
    #[error(transparent)]
    Cage(CageError),
    /// The character's drivers cannot be.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<CageError> for PlanError {
    fn from(error: CageError) -> Self {
        match error {
            CageError::Cancelled => Self::Cancelled,
            error => Self::Cage(error),
        }
    }
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
    drivers: Arc<DriverPlan>,
    parts: Vec<Arc<PartPlan>>,
    /// The springs.
    groups: Vec<Arc<SpringGroup>>,
    cage: Option<Arc<BoundCage>>,
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
        let known = before.and_then(|b| b.cage.as_ref().map(|cage| (cage, &b.character)));
        let cage = BoundCage::of_rig(known, character, rig, progress)?;
        let mut with_cage = CageScratch::default();
        let base = cage.as_ref().map_or(base, |cage| cage.expand(base, |_| false, &mut with_cage));
        let drivers = Arc::new(DriverPlan::new(character)?);
        let skeleton = match before {
            Some(before) if before.binds_joints_as(character, base) => Arc::clone(&before.skeleton),
            _ => Arc::new(moved_skeleton(&character.skeleton, base)),
        };
        let before = before.filter(|before| Arc::ptr_eq(&before.skeleton, &skeleton));
        let input = |part: usize| PartInput { character, part, rig, skeleton: &skeleton };
        let num_parts = character.parts.len();
        let mut starts: Vec<PartStart<'_>> =
            (0..num_parts).map(|part| PartStart::of(&input(part), base.part(part))).collect();

        let mut groups: Vec<Arc<SpringGroup>> = Vec::new();
        let mut slices: Vec<Option<SpringSlice>> = vec![None; num_parts];
        for members in wanted(character, rig, &mut starts) {
            let kept = before.and_then(|before| before.kept_group(&members, character, rig, base));
            let group = match kept {
                Some(kept) => kept,
                None => {
                    let of = GroupInput { character, rig, skeleton: &skeleton, starts: &starts };
                    let parts: Vec<usize> = members.iter().map(|member| member.part).collect();
                    match SpringGroup::bind(&of, members, progress)? {
                        Ok(group) => Arc::new(group),
                        Err(error) => {
                            for part in parts.into_iter().filter(|&p| rig.relaxes(character, p)) {
                                let name = character.parts[part].mesh.name();
                                let springs = rig.springs.as_ref();
                                starts[part].notes.extend(springs.map(|springs| {
                                    super::springs::without_springs(name, springs, &error)
                                }));
                            }
                            continue;
                        }
                    }
                }
            };
            for member in group.members() {
                let first_point = member.first_point;
                slices[member.part] = Some(SpringSlice { group: groups.len(), first_point });
            }
            groups.push(group);
        }

        let bind = |(part, start): (usize, PartStart<'_>)| {
            let springs = slices[part].map(|slice| (slice, &*groups[slice.group]));
            let kept = before.and_then(|before| {
                let is_kept = |group: &SpringGroup| {
                    before.groups.iter().any(|kept| std::ptr::eq(&**kept, group))
                };
                let has_same_springs = match (springs, &before.parts.get(part)?.mover) {
                    (Some((slice, group)), Mover::Springs(own)) => slice == *own && is_kept(group),
                    (None, Mover::AtRest | Mover::Skin(_)) => true,
                    (Some(_), _) | (None, Mover::Springs(_)) => false,
                };
                before.kept(part, character, rig, base).filter(|_| has_same_springs)
            });
            let kept = kept.or_else(|| {
                let before = before.filter(|_| springs.is_none())?;
                before.with_rows(&input(part), base).map(Arc::new)
            });
            kept.map_or_else(
                || {
                    let (input, base) = (input(part), base.part(part));
                    PartPlan::bind(&input, base, (start, springs), progress).map(Arc::new)
                },
                Ok,
            )
        };
        Ok(Self {
            parts: starts.into_iter().enumerate().map(bind).collect::<Result<_, _>>()?,
            character: Arc::clone(character),
            rig: rig.clone(),
            joint_offsets: base.joint_offsets.clone(),
            drivers,
            groups,
            cage,
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
        let is_same = is_same_part && self.has_rig_as(part, character, rig);
        (is_same && kept.base.rests_as(base.part(part))).then(|| Arc::clone(kept))
    }

    /// True if a mesh is bound as another rig has it bound.
    fn has_rig_as(&self, part: usize, character: &Character, rig: &Rig) -> bool {
        self.rig.first_stage() == rig.first_stage()
            && self.rig.relaxes(&self.character, part) == rig.relaxes(character, part)
            && self.rig.springs == rig.springs
            && self.rig.part_or_none(part) == rig.part_or_none(part)
            && self.rig.normals == rig.normals
    }

    /// A mesh's plan with other rows of weights, where nothing else is another and its method
    /// looks at no more than a point's own row: what binding it would give.
    fn with_rows(&self, input: &PartInput<'_>, base: &Controls) -> Option<PartPlan> {
        let &PartInput { character, part, rig, .. } = input;
        let (kept, before) = (self.parts.get(part)?, self.character.parts.get(part)?);
        let after = &character.parts[part];
        let is_same = before.mesh.is_shared_with(&after.mesh)
            && before.shapes == after.shapes
            && self.has_rig_as(part, character, rig)
            && kept.base.rests_as(base.part(part));
        let changed = before.weights.as_ref()?.changed_rows(after.weights.as_ref()?)?;
        if !is_same {
            return None;
        }
        kept.with_rows(input, &changed)
    }

    /// Springs, if binding them again would give the same.
    fn kept_group(
        &self,
        members: &[Member],
        character: &Arc<Character>,
        rig: &Rig,
        base: &Controls,
    ) -> Option<Arc<SpringGroup>> {
        let group = self.groups.iter().find(|group| group.members == members)?;
        let is_kept = |member: &Member| self.kept(member.part, character, rig, base).is_some();
        let is_same_rig = self.rig.springs == rig.springs;
        (is_same_rig && members.iter().all(is_kept)).then(|| Arc::clone(group))
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
            && rig.cage == self.rig.cage
            && rig.first_stage() == self.rig.first_stage()
            && (0..self.parts.len()).all(|part| {
                let relaxes = |rig: &Rig| rig.relaxes(&self.character, part);
                relaxes(rig) == relaxes(&self.rig)
                    && rig.part_or_none(part).has_rigid_as(self.rig.part_or_none(part))
            });
        if !is_live {
            return Ok(false);
        }
        if let Some(failed) = (0..self.groups.len()).find(|&group| !self.adjust_group(group, rig)) {
            // What could be taken can be taken back.
            let before = self.rig.clone();
            for group in 0..failed {
                self.adjust_group(group, &before);
            }
            return Ok(false);
        }
        self.rig = rig.clone();
        self.id[1] += 1;
        Ok(true)
    }

    /// False, and nothing done, where the springs must be bound again.
    fn adjust_group(&mut self, group: usize, rig: &Rig) -> bool {
        let group = &mut self.groups[group];
        let Some(settings) = settings_of(rig, &group.members) else { return true };
        // A copy only where somebody else holds the springs.
        *group.rig.settings() == settings
            || matches!(Arc::make_mut(group).rig.adjust(&settings), Ok(true))
    }

    /// What was bound.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// The rig that it was bound with.
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

    /// What drives joints and shapes before all else.
    pub fn drivers(&self) -> &DriverPlan {
        &self.drivers
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

    /// The springs: one rig for all meshes that relax together.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &SpringGroup> {
        self.groups.iter().map(|group| &**group)
    }

    /// The springs, to keep without a copy.
    pub fn shared_groups(&self) -> Vec<Arc<SpringGroup>> {
        self.groups.clone()
    }

    /// Springs.
    ///
    /// # Panics
    /// If there are no such springs.
    pub fn group(&self, group: usize) -> &SpringGroup {
        &self.groups[group]
    }

    /// The cage, if there is one.
    pub fn cage(&self) -> Option<&Arc<BoundCage>> {
        self.cage.as_ref()
    }

    /// Controls with what the cage does as offsets of the rest.
    pub(super) fn expand<'a>(
        &self,
        controls: &'a Controls,
        scratch: &'a mut CageScratch,
    ) -> &'a Controls {
        self.expand_but(controls, |_| false, scratch)
    }

    /// The same, but for the points of meshes that a device moves itself.
    pub(super) fn expand_but<'a>(
        &self,
        controls: &'a Controls,
        is_left: impl Fn(usize) -> bool,
        scratch: &'a mut CageScratch,
    ) -> &'a Controls {
        self.cage.as_ref().map_or(controls, |cage| cage.expand(controls, is_left, scratch))
    }

    /// What meshes do not have, though it was asked for.
    pub fn notes(&self) -> Vec<Note> {
        let of_part = |(part, plan): (usize, &Arc<PartPlan>)| {
            let note = move |words: &String| Note { part, words: words.clone() };
            plan.notes.iter().map(note).collect::<Vec<_>>()
        };
        let of_cage = self.cage.iter().flat_map(|cage| cage.notes().to_vec());
        self.parts.iter().enumerate().flat_map(of_part).chain(of_cage).collect()
    }

    /// True if a frame by these controls is the same as after binding at their rest: it is, or the
    /// refit is exact.
    pub fn is_exact(&self, controls: &Controls) -> bool {
        let mut with_cage = CageScratch::default();
        let controls = self.expand(controls, &mut with_cage);
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
            rest_cage: Vec::new(),
            posed_cage: Vec::new(),
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
