//! A cage and a skeleton in step: rest cage `C`, rest joints `A`, posed cage `C'` (section 4).
//!
//! ```text
//! refit    A  = A0 + Ψ (C − C0)                  joints go with the cage (SkelUp)
//! rest     M̃  = Φ̃ C + shapes                      of the points that stand for all (MaxVol)
//! skin     M̃' = skin(M̃, pose)                     linear, dual quaternion, centres of rotation
//! follow   C' = P M̃'                              the posed cage (CageUp); P = Φ̃⁻¹
//! reverse  ∂C = (P ∂M̃'/∂C)⁻¹ ∂C'                   a drag of the posed cage (CageRev)
//! ```
//!
//! For fixed rotations each of the three methods is *affine* in `C`, so the reverse is exact for
//! all of them: no ghost mesh, and no error that grows with the angle, as with the paper's matrix.
//! All of it is f64, of as many points as there are handles, whatever the mesh's size.
//!
//! **Bad cages.** Where `Φ̃` is nearly singular (handles that move nothing, a cage far away, too
//! many handles), `P` becomes `(Φ̃ᵀΦ̃ + μI)⁻¹ [Φ̃ᵀ, μI]` and the samples gain the handles
//! themselves, skinned by their nearest points' weights: still affine, and at rest `C' = C` still
//! holds.

mod blend;
mod joints;
mod posed;
mod reverse;
mod tables;

pub use reverse::{LARGE_GAIN, Reverse, ReverseError, Reversed};
pub use tables::CouplingTables;

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::{Cage, CageError, CagedPoints, Selection};
use crate::linalg::Dense;
use crate::skeleton::{Palette, Skeleton};
use crate::skin::SkinMethod;
use crate::weights::{Influence, SkinWeights};
use blend::{Blend, JointForms};

/// A mesh, as the coupling sees it.
#[derive(Clone, Copy)]
pub struct CoupledPart<'a> {
    /// Index of its first point among all points.
    pub first_point: usize,
    /// Points at rest.
    pub points: &'a [DVec3],
    /// Triangles over them.
    pub triangles: &'a [[u32; 3]],
    /// Who moves it; `None` if nothing does.
    pub weights: Option<&'a SkinWeights>,
    /// How. Bone-smooth is followed as if it were linear.
    pub method: SkinMethod,
    /// Its centres of rotation; empty for other methods.
    pub centers: &'a [Vec3],
    /// How its centres move with the handles, row after row; empty for other methods.
    pub center_rows: &'a [f32],
}

/// A cage and a skeleton in step.
#[derive(Clone, Debug)]
pub struct Coupling {
    cage: Cage,
    samples: Arc<Vec<Sample>>,
    /// The samples that are points: part and point.
    points: Vec<[u32; 2]>,
    /// `P`, with a column a sample.
    fit: Arc<Dense>,
    /// `Ψ`, a row a joint.
    joint_rows: Arc<Vec<f64>>,
    condition: f64,
    is_regularized: bool,
    selection: Selection,
}

/// A point that stands for others, or a handle that is skinned.
#[derive(Clone, Debug)]
struct Sample {
    /// Its coordinates.
    row: Vec<f64>,
    blend: Blend,
    influences: Vec<(u32, f64)>,
}

/// Memory for [`Coupling::follow`].
#[derive(Clone, Debug, Default)]
pub struct CouplingScratch {
    forms: JointForms,
    posed: Vec<DVec3>,
}

/// Where a sample is beside what the cage does: shapes, offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleShift {
    /// Added to the point at rest.
    pub point: DVec3,
    /// Added to its centre of rotation.
    pub center: DVec3,
}

impl Coupling {
    /// Finds where joints are in the cage, and how what stands for the points is skinned. `parts`
    /// have the points that are caged, one mesh after the other.
    ///
    /// # Errors
    /// If a joint has no place in the cage.
    pub fn bind(
        caged: &CagedPoints,
        parts: &[CoupledPart<'_>],
        skeleton: &Skeleton,
    ) -> Result<Self, CageError> {
        let cage = caged.cage().clone();
        let num_handles = cage.points().len();
        let joint_rows = joints::joint_rows(&joints::JointInput { caged, parts, skeleton })?;
        let place = |point: u32| {
            let part = parts.iter().rposition(|part| part.first_point <= point as usize);
            let part = part.unwrap_or_default();
            [part, point as usize - parts[part].first_point]
        };
        let selection = caged.selection().clone();
        let mut points: Vec<[u32; 2]> = Vec::new();
        let mut samples: Vec<Sample> = Vec::new();
        for &point in &selection.points {
            let [part, own] = place(point);
            points.push([part as u32, own as u32]);
            samples.push(Sample {
                row: caged.rows().row(point as usize).to_vec(),
                blend: Blend::of(&parts[part], own, num_handles),
                influences: influences(&parts[part], own),
            });
        }
        // Handles that are skinned like the points nearest to them.
        for (handle, &point) in caged.nearest().iter().enumerate() {
            let [part, own] = place(point);
            let mut row = vec![0.0; num_handles];
            row[handle] = 1.0;
            let blend = Blend::without_center(&parts[part]);
            samples.push(Sample { row, blend, influences: influences(&parts[part], own) });
        }
        Ok(Self {
            cage,
            samples: Arc::new(samples),
            points,
            fit: Arc::clone(caged.fit()),
            joint_rows: Arc::new(joint_rows),
            condition: caged.condition(),
            is_regularized: !caged.nearest().is_empty(),
            selection,
        })
    }

    /// The cage that was bound, `C0`.
    pub fn cage(&self) -> &Cage {
        &self.cage
    }

    /// How many handles there are.
    pub fn num_handles(&self) -> usize {
        self.cage.points().len()
    }

    /// How many joints there are.
    pub fn num_joints(&self) -> usize {
        self.joint_rows.len() / self.num_handles()
    }

    /// Part and point of each sample that is a point.
    pub fn points(&self) -> &[[u32; 2]] {
        &self.points
    }

    /// Which points stand for all.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The condition of `Φ̃`; infinite where handles move nothing.
    pub fn condition(&self) -> f64 {
        self.condition
    }

    /// True if the fit is regularised: the posed cage is then only near to what the skin says.
    pub fn is_regularized(&self) -> bool {
        self.is_regularized
    }

    /// A joint's coordinates in the cage.
    ///
    /// # Panics
    /// If there is no such joint.
    pub fn joint_row(&self, joint: usize) -> &[f64] {
        &self.joint_rows[joint * self.num_handles()..(joint + 1) * self.num_handles()]
    }

    /// How far joints move at rest with a rest cage: `Ψ (C − C0)`.
    ///
    /// # Panics
    /// If the cage has other handles, or there is not one offset a joint.
    pub fn joint_offsets(&self, rest_cage: &[DVec3], out: &mut [DVec3]) {
        let at_bind = self.cage.points();
        assert_eq!(rest_cage.len(), at_bind.len(), "the cage that was bound");
        assert_eq!(out.len(), self.num_joints(), "one offset a joint");
        for (joint, out) in out.iter_mut().enumerate() {
            let row = self.joint_row(joint).iter();
            let moves = rest_cage.iter().zip(at_bind).map(|(&now, &bound)| now - bound);
            *out = row.zip(moves).map(|(&psi, by)| psi * by).sum();
        }
    }

    /// Memory for [`Self::follow`].
    pub fn scratch(&self) -> CouplingScratch {
        CouplingScratch {
            forms: JointForms::with_capacity(self.num_joints()),
            posed: vec![DVec3::ZERO; self.samples.len()],
        }
    }

    /// The posed cage: fitted to the skin. `palette` is of the joints where the rest cage has them;
    /// `shifts` has one entry a point ([`Self::points`]), or is empty. Allocates nothing.
    ///
    /// # Panics
    /// If anything is of another cage or skeleton.
    pub fn follow(
        &self,
        rest_cage: &[DVec3],
        palette: &Palette,
        shifts: &[SampleShift],
        scratch: &mut CouplingScratch,
        out: &mut [DVec3],
    ) {
        let num_handles = self.num_handles();
        assert_eq!(rest_cage.len(), num_handles, "the cage that was bound");
        assert_eq!(out.len(), num_handles, "one place a handle");
        scratch.forms.update(palette);
        scratch.posed.resize(self.samples.len(), DVec3::ZERO);
        for (index, (sample, posed)) in self.samples.iter().zip(&mut scratch.posed).enumerate() {
            let shift = shifts.get(index).copied().unwrap_or_default();
            *posed = sample.posed(&self.cage, rest_cage, shift, &scratch.forms);
        }
        fit_to(&self.fit, &scratch.posed, out);
    }

    /// Where the points that stand for all are in the pose, as [`Self::follow`] sees them.
    pub fn posed_points<'s>(&self, scratch: &'s CouplingScratch) -> &'s [DVec3] {
        &scratch.posed[..self.points.len()]
    }

    /// What the posed cage gives back for a sample: `Φ̃ C'`.
    ///
    /// # Panics
    /// If there is no such sample.
    pub fn fitted(&self, sample: usize, posed_cage: &[DVec3]) -> DVec3 {
        self.samples[sample].place(posed_cage)
    }
}

/// `P x`, column after column: as they are in memory.
pub(super) fn fit_to(fit: &Dense, posed: &[DVec3], out: &mut [DVec3]) {
    out.fill(DVec3::ZERO);
    for (column, &posed) in posed.iter().enumerate() {
        for (out, share) in out.iter_mut().zip(fit.column(column)) {
            *out += share * posed;
        }
    }
}

impl Sample {
    /// Where a cage has it.
    fn place(&self, cage_points: &[DVec3]) -> DVec3 {
        self.row.iter().zip(cage_points).map(|(&phi, &c)| phi * c).sum()
    }

    fn posed(
        &self,
        bound: &Cage,
        rest_cage: &[DVec3],
        shift: SampleShift,
        forms: &JointForms,
    ) -> DVec3 {
        let mut moved = DVec3::ZERO;
        let map = self.blend.map(&self.influences, forms, |joint, by| {
            moved += by * forms.translation(joint);
        });
        moved += map.of_point * (self.place(rest_cage) + shift.point);
        if let Blend::Center { center, row } = &self.blend {
            let moves = rest_cage.iter().zip(bound.points()).map(|(&now, &bound)| now - bound);
            let by: DVec3 = row.iter().zip(moves).map(|(&lambda, by)| lambda * by).sum();
            moved += map.of_center * (*center + by + shift.center);
        }
        moved
    }
}

fn influences(part: &CoupledPart<'_>, point: usize) -> Vec<(u32, f64)> {
    let Some(weights) = part.weights else { return Vec::new() };
    let row = weights.row(point);
    // Weights are f32, and their sum is one to seven digits: at rest the loop must close to more.
    let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
    let of = |i: &Influence| (i.joint, f64::from(i.weight) / sum);
    match part.method {
        SkinMethod::Rigid => {
            // The first of the largest, as the method has it.
            let largest = row.iter().fold(0.0, |largest: f32, i| largest.max(i.weight));
            row.iter().find(|i| i.weight == largest).map(|i| (i.joint, 1.0)).into_iter().collect()
        }
        SkinMethod::Linear
        | SkinMethod::DualQuat
        | SkinMethod::CenterOfRotation
        | SkinMethod::BoneSmooth => row.iter().map(of).collect(),
    }
}
