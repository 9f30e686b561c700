//! Meshes that springs relax together.
//!
//! The shells of a character (a coat over a shirt, a pouch on a belt) touch across meshes, so that
//! the anchored springs of a character are *one* rig, and its meshes are runs of its points. A mesh
//! that does not relax is held in it: it goes where the first stage puts it, and the others still
//! hold on to it. The paper's springs and delta mush know of no shells, and have a rig a mesh.

use std::borrow::Cow;
use std::ops::Range;

use glam::Vec3;

use super::part::PartStart;
use super::plan::PlanError;
use super::{Controls, Rig};
use crate::Character;
use crate::mesh::Adjacency;
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::springs::{
    Pieces, SpringBindError, SpringInput, SpringModel, SpringRig, SpringSettings, check_pairs,
};
use crate::weights::SkinWeights;

/// One rig of springs and the meshes that it moves.
#[derive(Clone, Debug)]
pub struct SpringGroup {
    pub(super) rig: SpringRig,
    pub(super) members: Vec<Member>,
}

/// A mesh of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// Which mesh of the character.
    pub part: usize,
    /// Where its points begin among those of the group's rig.
    pub first_point: usize,
    /// How many there are.
    pub num_points: usize,
    /// It has the first stage alone, and others hold on to it.
    pub is_held: bool,
}

/// The springs that move a mesh: a run of the points of one of [`Plan::groups`](super::Plan).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpringSlice {
    /// Which group.
    pub group: usize,
    /// Where the mesh's points begin in it.
    pub first_point: usize,
}

impl Member {
    /// Its points among those of the group.
    pub fn points(&self) -> Range<usize> {
        self.first_point..self.first_point + self.num_points
    }
}

impl SpringGroup {
    /// The springs, over the points of all members.
    pub fn rig(&self) -> &SpringRig {
        &self.rig
    }

    /// The meshes, in the order of their points.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    pub(super) fn num_points(&self) -> usize {
        self.rig.num_points()
    }

    /// True if controls put all members at the rest that was bound.
    pub(super) fn rests_as<'a>(
        &self,
        base: impl Fn(usize) -> &'a super::PartControls,
        controls: &Controls,
    ) -> bool {
        self.members.iter().all(|member| base(member.part).rests_as(controls.part(member.part)))
    }
}

/// Which meshes are to be relaxed, and which of them together.
pub(super) fn wanted(
    character: &Character,
    rig: &Rig,
    starts: &mut [PartStart<'_>],
) -> Vec<Vec<Member>> {
    let Some(springs) = &rig.springs else { return Vec::new() };
    let is_together = springs.model == SpringModel::Anchored;
    let mut groups: Vec<Vec<Member>> = Vec::new();
    for (part, start) in starts.iter_mut().enumerate() {
        if start.weights.is_none() || character.skeleton.is_empty() {
            continue;
        }
        let mut relaxes = rig.relaxes(character, part);
        let mesh = &character.parts[part].mesh;
        if let Some(own) =
            rig.part(part).filter(|own| relaxes && is_together && !own.pairs.is_empty())
        {
            let adjacency = Adjacency::of_triangles(mesh.points().len(), mesh.point_triangles());
            if let Err(error) = check_pairs(&own.pairs, &adjacency) {
                relaxes = false;
                start.notes.push(without_springs(mesh.name(), springs, &error));
            }
        }
        // Another first stage than the springs' own moves those that do not relax by itself.
        let is_held = !relaxes;
        if is_held && !(is_together && springs.has_own_first_stage()) {
            continue;
        }
        let last = groups.last_mut().filter(|_| is_together);
        let first_point = last
            .as_ref()
            .and_then(|group| group.last())
            .map_or(0, |before| before.first_point + before.num_points);
        let member = Member { part, first_point, num_points: start.rest.len(), is_held };
        match last {
            Some(group) => group.push(member),
            None => groups.push(vec![member]),
        }
    }
    // What is held alone needs no springs.
    groups.retain(|group| group.iter().any(|member| !member.is_held));
    groups
}

/// What is said of a mesh that springs were wanted for.
pub(super) fn without_springs(
    mesh: &str,
    springs: &SpringSettings,
    error: &dyn std::error::Error,
) -> String {
    let method = springs.first_stage.name();
    format!("mesh '{mesh}' has no springs, but {method} skinning alone: {error}")
}

/// The springs of a group, with what is painted on its meshes.
pub(super) fn settings_of(rig: &Rig, members: &[Member]) -> Option<SpringSettings> {
    let mut settings = rig.springs.clone()?;
    let own = |member: &Member| rig.part(member.part).filter(|_| !member.is_held);
    if members.iter().any(|member| own(member).is_some_and(|own| !own.stiffness.is_empty())) {
        let of_point = &mut settings.coefficients.of_point;
        of_point.clear();
        for member in members {
            match own(member).map(|own| &own.stiffness[..]) {
                Some(painted) if !painted.is_empty() => of_point.extend_from_slice(painted),
                _ => of_point.resize(of_point.len() + member.num_points, 1.0),
            }
        }
    }
    for member in members {
        let pairs = own(member).map_or(&[][..], |own| &own.pairs);
        settings.coefficients.of_pair.extend(pairs.iter().map(|pair| {
            let mut pair = *pair;
            pair.points = pair.points.map(|point| point + member.first_point as u32);
            pair
        }));
    }
    Some(settings)
}

/// What a group is bound from.
pub(super) struct GroupInput<'a> {
    pub(super) character: &'a Character,
    pub(super) rig: &'a Rig,
    pub(super) skeleton: &'a Skeleton,
    pub(super) starts: &'a [PartStart<'a>],
}

impl SpringGroup {
    /// Binds the members' points as one. `Ok(Err(…))` where they cannot have springs.
    pub(super) fn bind(
        input: &GroupInput<'_>,
        members: Vec<Member>,
        progress: &dyn Progress,
    ) -> Result<Result<Self, SpringBindError>, PlanError> {
        let Some(settings) = settings_of(input.rig, &members) else {
            return Err(PlanError::Cancelled);
        };
        let joined = JoinedMembers::of(input, &members, &settings);
        let springs = SpringInput {
            positions: &joined.positions,
            triangles: &joined.triangles,
            weights: joined.weights.as_deref(),
            skeleton: input.skeleton,
            pieces: Pieces { held: &joined.held, rigid: &joined.rigid },
        };
        match SpringRig::bind(&springs, &settings, progress) {
            Ok(rig) => Ok(Ok(Self { rig, members })),
            Err(SpringBindError::Cancelled) => Err(PlanError::Cancelled),
            Err(error) => Ok(Err(error)),
        }
    }
}

/// The members' arrays, one after the other; those of one member are its own.
struct JoinedMembers<'a> {
    positions: Cow<'a, [Vec3]>,
    triangles: Cow<'a, [[u32; 3]]>,
    weights: Option<Cow<'a, SkinWeights>>,
    held: Vec<bool>,
    rigid: Vec<Option<bool>>,
}

impl<'a> JoinedMembers<'a> {
    fn of(input: &'a GroupInput<'_>, members: &[Member], settings: &SpringSettings) -> Self {
        let part = |member: &Member| &input.character.parts[member.part];
        let start = |member: &Member| &input.starts[member.part];
        // Springs of their own first stage find the bones by distance, and better than one bone a
        // point.
        let is_by_distance = settings.has_own_first_stage()
            && members.iter().all(|member| part(member).weights.is_none());
        let mut held = Vec::new();
        if members.iter().any(|member| member.is_held) {
            for member in members {
                held.resize(held.len() + member.num_points, member.is_held);
            }
        }
        let mut rigid = Vec::new();
        for member in members {
            let Some(own) = input.rig.part(member.part) else { continue };
            if !own.has_rigid_choice() {
                continue;
            }
            let num_points = members.iter().map(|member| member.num_points).sum();
            rigid.resize(num_points, None);
            own.choose_rigid(&part(member).mesh, &mut rigid[member.points()]);
        }
        if let [only] = members {
            let weights = start(only).weights.as_deref().map(Cow::Borrowed);
            return Self {
                positions: Cow::Borrowed(&start(only).rest),
                triangles: Cow::Borrowed(part(only).mesh.point_triangles()),
                weights: weights.filter(|_| !is_by_distance),
                held,
                rigid,
            };
        }
        let mut positions = Vec::new();
        let mut triangles = Vec::new();
        let mut all_weights: Option<SkinWeights> = None;
        for member in members {
            positions.extend_from_slice(&start(member).rest);
            let first = member.first_point as u32;
            let own = part(member).mesh.point_triangles().iter();
            triangles.extend(own.map(|triangle| triangle.map(|point| first + point)));
            if let Some(weights) = &start(member).weights {
                match &mut all_weights {
                    Some(all) => all.append(weights),
                    None => all_weights = Some(SkinWeights::clone(weights)),
                }
            }
        }
        Self {
            positions: positions.into(),
            triangles: triangles.into(),
            weights: all_weights.map(Cow::Owned).filter(|_| !is_by_distance),
            held,
            rigid,
        }
    }
}
