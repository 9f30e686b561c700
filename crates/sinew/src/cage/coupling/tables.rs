//! The samples of a coupling as plain arrays, for a device that follows by itself in f32.

use glam::DVec3;

use super::blend::Blend;
use super::{Coupling, SampleShift};
use crate::skin::SkinMethod;
use crate::weights::Influence;

/// What follows: samples that are posed, and handles that are fitted to them.
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingTables {
    /// How samples are posed: linear, by dual quaternions or about centres.
    pub method: SkinMethod,
    /// `Φ̃`, a row a sample, an entry a handle.
    pub rows: Vec<f32>,
    /// How their centres of rotation move; a sample that has none is its own.
    pub center_rows: Vec<f32>,
    /// Where each sample's influences begin, and where the last one's end.
    pub row_starts: Vec<u32>,
    /// At least one a sample, the pivot first.
    pub influences: Vec<Influence>,
    /// Samples that nothing moves; their influences mean nothing.
    pub is_at_rest: Vec<bool>,
    /// `Pᵀ`: a row a sample, an entry a handle.
    pub fit: Vec<f32>,
}

impl Coupling {
    /// The samples and their fit as plain arrays. Made anew: not for every frame.
    pub fn tables(&self) -> CouplingTables {
        let is_any = |is: fn(&Blend) -> bool| self.samples.iter().any(|sample| is(&sample.blend));
        let method = match () {
            () if is_any(|blend| matches!(blend, Blend::DualQuat)) => SkinMethod::DualQuat,
            () if is_any(|blend| matches!(blend, Blend::Center { .. })) => {
                SkinMethod::CenterOfRotation
            }
            () => SkinMethod::Linear,
        };
        let num_samples = self.samples.len();
        let narrow = |row: &[f64]| row.iter().map(|&phi| phi as f32).collect::<Vec<f32>>();
        let mut tables = CouplingTables {
            method,
            rows: Vec::new(),
            center_rows: Vec::new(),
            row_starts: vec![0],
            influences: Vec::new(),
            is_at_rest: Vec::new(),
            fit: Vec::with_capacity(self.num_handles() * num_samples),
        };
        for sample in self.samples.iter() {
            tables.rows.extend(narrow(&sample.row));
            tables.center_rows.extend(match &sample.blend {
                Blend::Center { row, .. } => narrow(row),
                Blend::AtRest | Blend::Linear | Blend::DualQuat => narrow(&sample.row),
            });
            let is_at_rest = matches!(sample.blend, Blend::AtRest) || sample.influences.is_empty();
            tables.is_at_rest.push(is_at_rest);
            match is_at_rest {
                true => tables.influences.push(Influence { joint: 0, weight: 1.0 }),
                false => tables.influences.extend(
                    sample
                        .influences
                        .iter()
                        .map(|&(joint, weight)| Influence { joint, weight: weight as f32 }),
                ),
            }
            tables.row_starts.push(tables.influences.len() as u32);
        }
        for sample in 0..num_samples {
            tables.fit.extend(self.fit.column(sample).map(|entry| entry as f32));
        }
        tables
    }

    /// Where each sample and its centre of rotation are while the cage is as it was bound. `shifts`
    /// is as for [`Self::follow`].
    pub fn sample_places(&self, shifts: &[SampleShift]) -> Vec<[DVec3; 2]> {
        let of_sample = |(index, sample): (usize, &super::Sample)| {
            let shift = shifts.get(index).copied().unwrap_or_default();
            let place = sample.place(self.cage.points()) + shift.point;
            let center = match &sample.blend {
                Blend::Center { center, .. } => *center + shift.center,
                Blend::AtRest | Blend::Linear | Blend::DualQuat => place,
            };
            [place, center]
        };
        self.samples.iter().enumerate().map(of_sample).collect()
    }
}
