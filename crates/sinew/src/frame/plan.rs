//! Everything about a character that can be found out before its frames.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;

use super::normals::NormalPlan;
use super::rig::has_weights;
use super::{Controls, Frame, PartControls, PartFrame, Rig, RigError};
use crate::attach::nearest_joints;
use crate::progress::Progress;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::{BindError, Skin, SkinInput, SkinMethod, centers_of_displacements};
use crate::springs::{SpringBindError, SpringInput, SpringRig, SpringSettings};
use crate::weights::SkinWeights;
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

/// A mesh, bound.
#[derive(Clone, Debug)]
pub struct PartPlan {
    /// What was bound: shapes and offsets.
    pub(super) base: PartControls,
    /// The points there.
    pub(super) rest: Arc<Vec<Vec3>>,
    /// What moves them.
    pub(super) mover: Mover,
    /// Centres of rotation, if the method has any.
    pub(super) centers: Vec<Vec3>,
    /// What each shape does to them.
    pub(super) shape_centers: Vec<Vec<Vec3>>,
    pub(super) normals: NormalPlan,
    notes: Vec<String>,
}

/// What moves a mesh.
#[derive(Clone, Debug)]
pub enum Mover {
    /// Nothing.
    AtRest,
    /// A method.
    Skin(Box<Skin>),
    /// Springs.
    Springs(Box<SpringRig>),
}

impl PartPlan {
    /// What moves it.
    pub fn mover(&self) -> &Mover {
        &self.mover
    }

    /// Where its normals come from.
    pub fn normals(&self) -> &NormalPlan {
        &self.normals
    }

    /// The points that were bound.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }
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

    /// Binds a character at the rest that controls give it: their shapes, offsets and joints. Frames at that rest are exact.
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

    /// Takes a rig that differs in live settings alone (stiffness, iterations, threshold, volume, how springs swing), without
    /// binding. False, and nothing done, where something else differs.
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

    /// This plan, and how often its live settings changed ([`Self::adjust`]): who keeps something of a plan knows by it whether
    /// that is still good. Never zero.
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

    /// True if a frame by these controls is the same as after binding at their rest: it is, or the refit is exact.
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

/// A mesh that is to be bound.
pub(super) struct PartInput<'a> {
    pub(super) character: &'a Character,
    pub(super) part: usize,
    pub(super) rig: &'a Rig,
    pub(super) skeleton: &'a Skeleton,
}

impl PartInput<'_> {
    pub(super) fn part(&self) -> &Part {
        &self.character.parts[self.part]
    }
}

impl PartPlan {
    fn bind(
        input: &PartInput<'_>,
        base: &PartControls,
        progress: &dyn Progress,
    ) -> Result<Self, PlanError> {
        let part = input.part();
        let mut rest = vec![Vec3::ZERO; part.mesh.points().len()];
        super::rest::points_at(part, base, &mut rest);
        let mut notes = Vec::new();
        let weights = moving_weights(input, &rest, &mut notes);
        let mover = bind_mover(input, &rest, weights.as_deref(), &mut notes, progress)?;
        let normals = NormalPlan::bind(input, &mover, weights.as_deref(), &rest, progress)?;
        let mover = normals.with_normals(input, mover, weights.as_deref(), &rest, progress)?;
        let centers = match &mover {
            Mover::Skin(skin) => skin.centers().to_vec(),
            Mover::Springs(springs) => springs.centers().to_vec(),
            Mover::AtRest => Vec::new(),
        };
        let shape_centers = match weights.as_deref() {
            Some(weights) if !centers.is_empty() && !part.shapes.is_empty() => {
                let fields: Vec<&[Vec3]> = part.shapes.iter().map(|s| &s.deltas[..]).collect();
                let skin = skin_input(input, &rest, &[], weights);
                centers_of_displacements(&skin, &fields, progress).map_err(cancelled_only)?
            }
            _ => Vec::new(),
        };
        let base = PartControls {
            shape_weights: base.shape_weights.clone(),
            rest_offsets: base.rest_offsets.clone(),
            ..PartControls::default()
        };
        Ok(Self { base, rest: Arc::new(rest), mover, centers, shape_centers, normals, notes })
    }
}

/// Binding a skin a second time cannot fail in another way.
pub(super) fn cancelled_only(_: BindError) -> PlanError {
    PlanError::Cancelled
}

pub(super) fn skin_input<'a>(
    input: &'a PartInput<'_>,
    positions: &'a [Vec3],
    normals: &'a [Vec3],
    weights: &'a SkinWeights,
) -> SkinInput<'a> {
    SkinInput {
        positions,
        normals,
        weights,
        triangles: input.part().mesh.point_triangles(),
        skeleton: input.skeleton,
    }
}

/// The weights that move a mesh: its own, or those of its nearest bones where no mesh has any.
fn moving_weights<'a>(
    input: &PartInput<'a>,
    rest: &[Vec3],
    notes: &mut Vec<String>,
) -> Option<std::borrow::Cow<'a, SkinWeights>> {
    use std::borrow::Cow;
    let character = input.character;
    let part = &character.parts[input.part];
    let name = part.mesh.name();
    match &part.weights {
        Some(weights) => Some(Cow::Borrowed(weights)),
        None if character.skeleton.is_empty() => None,
        None if has_weights(character) => {
            let asked = input.rig.part(input.part).and_then(|own| own.relaxes) == Some(true);
            let why = if asked { ", and springs have nothing to hold it by" } else { "" };
            notes.push(format!(
                "mesh '{name}' has no weights{why}: it stays where the file puts it; give it weights to move it"
            ));
            None
        }
        None => {
            notes.push(format!(
                "mesh '{name}' has no weights: each point follows its nearest bone; give it weights for more"
            ));
            Some(Cow::Owned(SkinWeights::rigid(&nearest_joints(rest, input.skeleton))))
        }
    }
}

fn bind_mover(
    input: &PartInput<'_>,
    rest: &[Vec3],
    weights: Option<&SkinWeights>,
    notes: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Mover, PlanError> {
    let Some(weights) = weights else { return Ok(Mover::AtRest) };
    let part = input.part();
    let name = part.mesh.name();
    if input.rig.relaxes(input.character, input.part)
        && let Some(settings) = input.rig.springs_of(input.part)
    {
        match bind_springs(input, rest, weights, &settings, progress) {
            Ok(rig) => return Ok(Mover::Springs(Box::new(rig))),
            Err(SpringBindError::Cancelled) => return Err(PlanError::Cancelled),
            Err(error) => notes.push(format!(
                "mesh '{name}' has no springs, but {} skinning alone: {error}",
                settings.first_stage.name()
            )),
        }
    }
    let method = input.rig.first_stage();
    let skin = skin_input(input, rest, &[], weights);
    let error = match Skin::bind(method, &skin, progress) {
        Ok(skin) => return Ok(Mover::Skin(Box::new(skin))),
        Err(BindError::Cancelled) => return Err(PlanError::Cancelled),
        Err(error) => error,
    };
    match Skin::bind(SkinMethod::Linear, &skin, progress) {
        Ok(skin) => {
            notes
                .push(format!("mesh '{name}' has linear skinning, not {}: {error}", method.name()));
            Ok(Mover::Skin(Box::new(skin)))
        }
        Err(BindError::Cancelled) => Err(PlanError::Cancelled),
        Err(error) => {
            notes.push(format!("mesh '{name}' stays at rest: {error}"));
            Ok(Mover::AtRest)
        }
    }
}

fn bind_springs(
    input: &PartInput<'_>,
    rest: &[Vec3],
    weights: &SkinWeights,
    settings: &SpringSettings,
    progress: &dyn Progress,
) -> Result<SpringRig, SpringBindError> {
    let part = input.part();
    // Springs of their own first stage find the bones by distance, and better than one bone a point.
    let is_by_distance = part.weights.is_none() && settings.has_own_first_stage();
    let springs = SpringInput {
        positions: rest,
        triangles: part.mesh.point_triangles(),
        weights: (!is_by_distance).then_some(weights),
        skeleton: input.skeleton,
    };
    SpringRig::bind(&springs, settings, progress)
}
