//! What brings handles to their goals and lets the region follow: bound once a region, then solved
//! as often as the goals move.

use glam::{DVec3, Vec3};

use super::arap::{ArapSystem, Turned};
use super::laplacian::LaplacianSystem;
use super::springs::{ReachBy, SpringSystem};
use super::{Patch, Sheet};
use crate::skeleton::Skeleton;
use crate::springs::Region;
use crate::weights::SkinWeights;

/// How a region follows its handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum SurfaceMethod {
    /// By springs: a ridge.
    Springs,
    /// By its Laplacian: smooth up to the region's rim.
    #[default]
    Laplacian,
    /// As rigidly as possible: detail turns and is not stretched.
    AsRigidAsPossible,
}

impl SurfaceMethod {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Springs, Self::Laplacian, Self::AsRigidAsPossible];

    /// In files and edits.
    pub fn name(self) -> &'static str {
        match self {
            Self::Springs => "springs",
            Self::Laplacian => "laplacian",
            Self::AsRigidAsPossible => "as-rigid-as-possible",
        }
    }

    /// Its name in menus and messages.
    pub fn label(self) -> &'static str {
        match self {
            Self::Springs => "springs",
            Self::Laplacian => "smooth",
            Self::AsRigidAsPossible => "rigid",
        }
    }
}

/// Why a region cannot be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// The springs say why.
    #[error("{0}; choose `laplacian` or `as-rigid-as-possible`, which need no skeleton")]
    Springs(String),
    /// The region's matrix has no factor.
    #[error(
        "the region cannot be solved: its triangles have no area, or it is too large for the \
         memory; check the mesh there, or choose a smaller region"
    )]
    NoFactor,
}

/// A solve as rigid as possible, one round after the other.
#[derive(Clone, Debug)]
pub struct RigidRounds {
    at: Vec<DVec3>,
    turned: Turned,
}

/// A region, bound.
pub struct SurfaceSolver {
    patch: Patch,
    system: System,
}

enum System {
    Springs(Box<SpringSystem>),
    Laplacian(Box<LaplacianSystem>),
    Arap(Box<ArapSystem>),
}

impl std::fmt::Debug for SurfaceSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SurfaceSolver").field("patch", &self.patch.points().len()).finish()
    }
}

/// The bones, and which of them move a point: for springs.
#[derive(Clone, Copy, Debug)]
pub struct Bones<'a> {
    /// All joints.
    pub skeleton: &'a Skeleton,
    /// Of the mesh's points; distance alone decides without.
    pub weights: Option<&'a SkinWeights>,
    /// What a handle's scale vector may do.
    pub reach: ReachBy,
}

impl SurfaceSolver {
    /// Binds a region of a surface at rest.
    ///
    /// # Errors
    /// If the method cannot be bound there.
    pub fn bind(
        sheet: &Sheet<'_>,
        region: &Region,
        method: SurfaceMethod,
        bones: &Bones<'_>,
    ) -> Result<Self, SolveError> {
        let patch = Patch::new(sheet, region);
        let no_factor = |_| SolveError::NoFactor;
        let system = match method {
            SurfaceMethod::Springs => {
                let Bones { skeleton, weights, reach } = *bones;
                System::Springs(Box::new(SpringSystem::bind(&patch, skeleton, weights, reach)?))
            }
            SurfaceMethod::Laplacian => {
                System::Laplacian(Box::new(LaplacianSystem::factor(&patch).map_err(no_factor)?))
            }
            SurfaceMethod::AsRigidAsPossible => {
                System::Arap(Box::new(ArapSystem::factor(&patch).map_err(no_factor)?))
            }
        };
        Ok(Self { patch, system })
    }

    /// The points that its handles are, ascending.
    pub fn handles(&self) -> impl Iterator<Item = u32> + '_ {
        self.patch.handles().iter().map(|&own| self.patch.points()[own as usize])
    }

    /// The smooth start of a solve as rigid as possible, for whoever does its rounds one by one;
    /// `None` of a region that follows in another way.
    ///
    /// # Panics
    /// If there is not one displacement a handle.
    pub fn rigid_rounds(&self, moves: &[DVec3]) -> Option<RigidRounds> {
        let System::Arap(system) = &self.system else { return None };
        let mut at = self.held_at(moves);
        let turned = system.start(&mut at);
        Some(RigidRounds { at, turned })
    }

    /// One round: rotations from points, and points from rotations. How far the farthest point
    /// went.
    pub fn rigid_round(&self, rounds: &mut RigidRounds) -> f64 {
        match &self.system {
            System::Arap(system) => system.round(&mut rounds.at, &mut rounds.turned),
            System::Springs(_) | System::Laplacian(_) => 0.0,
        }
    }

    /// The patch's points with its handles where they go.
    fn held_at(&self, moves: &[DVec3]) -> Vec<DVec3> {
        let handles = self.patch.handles();
        assert_eq!(moves.len(), handles.len(), "a displacement for each handle");
        let mut at = self.patch.wide_places();
        for (&point, &by) in handles.iter().zip(moves) {
            at[point as usize] += by;
        }
        at
    }

    /// How far each point of the region goes at rest, if its handles go so far: one displacement a
    /// handle. Points that stay are left out.
    ///
    /// # Panics
    /// If there is not one a handle.
    pub fn solve(&self, moves: &[DVec3]) -> Vec<(u32, Vec3)> {
        let handles = self.patch.handles();
        let rest = self.patch.wide_places();
        let mut at = self.held_at(moves);
        match &self.system {
            System::Springs(springs) => {
                let goals: Vec<DVec3> = handles.iter().map(|&point| at[point as usize]).collect();
                let found = springs.solve(&self.patch, &goals);
                at = found.iter().map(|place| place.as_dvec3()).collect();
            }
            System::Laplacian(system) => system.solve(&mut at),
            System::Arap(system) => system.solve(&mut at),
        }
        handles
            .iter()
            .chain(self.patch.passive())
            .map(|&own| {
                let moved = (at[own as usize] - rest[own as usize]).as_vec3();
                (self.patch.points()[own as usize], moved)
            })
            .filter(|(_, moved)| *moved != Vec3::ZERO && moved.is_finite())
            .collect()
    }
}
