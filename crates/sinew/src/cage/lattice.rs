//! A box around points as a cage: a lattice of quads.

use std::collections::HashMap;

use glam::{DVec3, UVec3};

use super::{Cage, CageError, CageFace};
use crate::Character;

impl Cage {
    /// A box around all points of a character, `offset` of its diagonal away from them.
    ///
    /// # Errors
    /// As [`Self::lattice`]; and if there are no points.
    pub fn lattice_around(
        character: &Character,
        offset: f64,
        divisions: UVec3,
    ) -> Result<Self, CageError> {
        let bounds = character.bounds();
        if bounds.is_empty() {
            return Err(CageError::NoPoints);
        }
        let margin = DVec3::splat(offset * f64::from(bounds.diagonal()));
        Self::lattice(bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin, divisions)
    }

    /// A box from `low` to `high` with this many quads along each side.
    ///
    /// # Errors
    /// If the box is not finite, or has more points than a cage may have.
    pub fn lattice(low: DVec3, high: DVec3, divisions: UVec3) -> Result<Self, CageError> {
        let n = divisions.max(UVec3::ONE);
        let mut known: HashMap<UVec3, u32> = HashMap::new();
        let mut points = Vec::new();
        let mut point_at = |at: UVec3| {
            *known.entry(at).or_insert_with(|| {
                points.push(low + (high - low) * at.as_dvec3() / n.as_dvec3());
                points.len() as u32 - 1
            })
        };
        let mut faces = Vec::new();
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for is_high in [false, true] {
                for i in 0..n[u] {
                    for j in 0..n[v] {
                        let corner = |di: u32, dj: u32| {
                            let mut at = UVec3::ZERO;
                            at[axis] = if is_high { n[axis] } else { 0 };
                            (at[u], at[v]) = (i + di, j + dj);
                            at
                        };
                        let corners = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        let [a, b, c, d] = corners.map(&mut point_at);
                        // u × v is the axis: counter-clockwise from its positive end.
                        faces.push(CageFace::Quad(if is_high {
                            [a, b, c, d]
                        } else {
                            [a, d, c, b]
                        }));
                    }
                }
            }
        }
        Self::new(points, faces)
    }
}
