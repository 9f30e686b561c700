//! Flat sides on an integer lattice: points that several sides share are made once.

use std::collections::HashMap;

use glam::{DVec2, DVec3, IVec2, IVec3};

use super::surface::{Surface, WeightRow};

/// A surface whose points lie on a lattice.
pub(super) struct Lattice<'a> {
    /// What is filled.
    pub(super) surface: &'a mut Surface,
    /// Where a lattice point lies.
    pub(super) position_of: &'a dyn Fn(IVec3) -> DVec3,
    /// Its weights, by where it lies.
    pub(super) weights_at: &'a dyn Fn(DVec3) -> WeightRow,
    /// Where one lattice step in a side lies in the texture.
    pub(super) uv_per_step: DVec2,
    points: HashMap<IVec3, u32>,
    num_sides: u32,
}

/// A rectangle of lattice cells, seen from outside with `right × up` towards the viewer.
pub(super) struct Side {
    /// Its lower left corner.
    pub(super) origin: IVec3,
    /// One cell to the right.
    pub(super) right: IVec3,
    /// One cell up.
    pub(super) up: IVec3,
    /// Columns and rows.
    pub(super) cells: IVec2,
    /// Where its corner lies in the texture, in lattice steps.
    pub(super) uv_origin: IVec2,
}

impl<'a> Lattice<'a> {
    pub(super) fn new(
        surface: &'a mut Surface,
        position_of: &'a dyn Fn(IVec3) -> DVec3,
        weights_at: &'a dyn Fn(DVec3) -> WeightRow,
        uv_per_step: DVec2,
    ) -> Self {
        Self { surface, position_of, weights_at, uv_per_step, points: HashMap::new(), num_sides: 0 }
    }

    /// Adds a side with sharp edges all round.
    pub(super) fn side(&mut self, side: &Side) {
        self.side_where(side, |_| true);
    }

    /// Adds those cells of a side that `is_in` keeps.
    pub(super) fn side_where(&mut self, side: &Side, is_in: impl Fn(IVec2) -> bool) {
        let group = self.num_sides;
        self.num_sides += 1;
        for j in 0..side.cells.y {
            for i in 0..side.cells.x {
                if is_in(IVec2::new(i, j)) {
                    let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| {
                        let point = self.point(side.origin + side.right * i + side.up * j);
                        let steps = side.uv_origin + IVec2::new(i, j);
                        (point, steps.as_dvec2() * self.uv_per_step)
                    });
                    self.surface.quad(corners, group);
                }
            }
        }
    }

    fn point(&mut self, at: IVec3) -> u32 {
        *self.points.entry(at).or_insert_with(|| {
            let position = (self.position_of)(at);
            self.surface.point(position, (self.weights_at)(position))
        })
    }
}
