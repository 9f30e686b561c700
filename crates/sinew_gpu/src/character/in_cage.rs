//! The cage of a character on the card: its handles' moves, and the posed cage that follows.

use sinew::frame::{BoundCage, Plan, Prepared};
use sinew::glam::Vec3;

use super::GpuCharacter;
use crate::cage::{CageFollow, CageMoves};
use crate::skeleton::GpuPalette;
use crate::{Gpu, GpuError};

#[derive(Debug)]
pub(super) struct InCage {
    pub(super) moves: CageMoves,
    follow: CageFollow,
    is_new: bool,
}

impl InCage {
    pub(super) fn new(gpu: &Gpu, palette: &GpuPalette, cage: &BoundCage) -> Result<Self, GpuError> {
        let coupling = cage.coupling();
        let moves = CageMoves::new(gpu, coupling.num_handles())?;
        let follow = CageFollow::new(gpu, coupling, &moves, palette)?;
        Ok(Self { moves, follow, is_new: true })
    }

    /// Takes what was followed last; true if handles are elsewhere than before.
    pub(super) fn follow(&mut self, gpu: &Gpu, plan: &Plan, prepared: &Prepared) -> bool {
        let has_moved = self.moves.follow(gpu, prepared.cage_moves());
        let has_shifted = plan
            .cage()
            .is_some_and(|cage| self.follow.shift(gpu, cage.coupling(), prepared.sample_shifts()));
        self.is_new = has_moved || has_shifted || prepared.is_posed();
        has_moved
    }

    /// True if the posed cage may be elsewhere than before.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.follow.encode(pass);
    }
}

impl GpuCharacter {
    /// Where the cage follows the skin to on the card, before springs: rows of four floats, a
    /// handle each, in f32. `None` without a cage. [`Prepared::posed_cage`] has it in f64.
    pub fn posed_cage(&self) -> Option<&wgpu::Buffer> {
        self.cage.as_ref().map(|cage| cage.follow.posed_cage())
    }

    /// Waits for the card, and copies the posed cage; empty without a cage.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn read_posed_cage(&self) -> Result<Vec<Vec3>, GpuError> {
        self.cage.as_ref().map_or(Ok(Vec::new()), |cage| {
            let follow = &cage.follow;
            self.gpu.read_vectors(follow.posed_cage(), follow.num_handles())
        })
    }
}
