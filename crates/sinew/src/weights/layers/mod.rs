//! Weight layers: a base for every point, and rows over it in an order, each with an opacity and
//! a mask, each heard or muted. What is seen of a point is
//! `w = (1 − a) w_below + a w_layer` from the lowest layer to the highest, with `a` the layer's
//! opacity times its mask there; then the budget.
//!
//! Tools ask for a row that is to be *seen* ([`WeightLayers::bring`]): the layer that is painted
//! on takes the row that leads there, with what is below and above as it is. Where a layer counts
//! in part, or another covers it, it goes as far as it reaches, so that sums and locks hold.

mod rows;

pub use rows::{LayerEntry, LayerRows};

use super::rules::{PointRow, RowRules};
use super::{Influence, SkinWeights};

/// A layer that counts for less at a point can bring nothing there: its row would be that many
/// times as far off as what is seen of it.
const LEAST_SHARE: f64 = 1e-3;
/// Locked weights are seen as they were to within this where a layer counts in part: rounding of
/// 32-bit rows that are mixed.
const LOCK_TOLERANCE: f64 = 1e-6;

/// A layer of a character: its rows of each mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightLayer {
    /// Unique among layers, never empty.
    pub name: String,
    /// How much of it counts, from nothing to one.
    pub opacity: f32,
    /// It counts for nothing for now.
    pub is_muted: bool,
    /// One a mesh.
    pub of_part: Vec<LayerRows>,
}

impl WeightLayer {
    /// One that is about no point yet.
    pub fn new(name: &str, num_parts: usize) -> Self {
        Self {
            name: name.to_owned(),
            opacity: 1.0,
            is_muted: false,
            of_part: vec![LayerRows::default(); num_parts],
        }
    }

    /// Its row at a point and how much of it is seen, if that is more than nothing.
    fn at(&self, part: usize, point: u32) -> Option<(&[Influence], f64)> {
        if self.is_muted {
            return None;
        }
        let (row, mask) = self.of_part.get(part)?.get(point)?;
        let share = f64::from(self.opacity) * f64::from(mask);
        (share > 0.0).then_some((row, share.min(1.0)))
    }
}

/// The layers of a character's weights.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WeightLayers {
    /// Below all layers, one a mesh; nothing for a mesh without weights.
    pub base: Vec<Option<SkinWeights>>,
    /// From the lowest to the highest.
    pub layers: Vec<WeightLayer>,
    /// The most influences that a mixed row has.
    pub max_influences: usize,
}

type Mix = Vec<(u32, f64)>;

fn mix_of(row: &[Influence]) -> Mix {
    row.iter().map(|i| (i.joint, f64::from(i.weight))).collect()
}

fn add_scaled(mix: &mut Mix, row: impl IntoIterator<Item = (u32, f64)>, scale: f64) {
    for (joint, weight) in row {
        match mix.iter_mut().find(|entry| entry.0 == joint) {
            Some(entry) => entry.1 += scale * weight,
            None => mix.push((joint, scale * weight)),
        }
    }
}

/// `(1 − share) below + share row`.
fn over(mut below: Mix, row: &[Influence], share: f64) -> Mix {
    below.iter_mut().for_each(|entry| entry.1 *= 1.0 - share);
    add_scaled(&mut below, mix_of(row), share);
    below
}

impl WeightLayers {
    /// Of the weights of every mesh, with no layer over them.
    pub fn over(base: Vec<Option<SkinWeights>>, max_influences: usize) -> Self {
        Self { base, layers: Vec::new(), max_influences }
    }

    /// The place of a layer, from the lowest.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.name == name)
    }

    /// What is seen of a point up to some layers; `Err` where it is one row as it is.
    fn mixed<'a>(
        &'a self,
        layers: &'a [WeightLayer],
        part: usize,
        point: u32,
        base: &'a [Influence],
    ) -> Result<Mix, &'a [Influence]> {
        let mut whole = base;
        let mut mix: Option<Mix> = None;
        for (row, share) in layers.iter().filter_map(|layer| layer.at(part, point)) {
            if share >= 1.0 {
                (whole, mix) = (row, None);
            } else {
                let below = mix.take().unwrap_or_else(|| mix_of(whole));
                mix = Some(over(below, row, share));
            }
        }
        mix.ok_or(whole)
    }

    /// The row that is seen of a point of a mesh with weights; `None` without.
    pub fn seen_row(&self, part: usize, point: u32) -> Option<Vec<Influence>> {
        let base = self.base.get(part)?.as_ref()?;
        let base = base.row(point as usize);
        Some(self.whole_or_mixed(base, self.mixed(&self.layers, part, point, base)))
    }

    /// A row that is one as it is, or what was mixed, within the budget: a row of a layer may have
    /// more joints than that, since what is seen of it counts. The base is as the file has it.
    fn whole_or_mixed(
        &self,
        base: &[Influence],
        found: Result<Mix, &[Influence]>,
    ) -> Vec<Influence> {
        match found {
            Err(whole) if whole == base || whole.len() <= self.max_influences => whole.to_vec(),
            Err(whole) => self.finished(base, &mix_of(whole)),
            Ok(mix) => self.finished(base, &mix),
        }
    }

    /// The weights that are seen of a mesh; `None` if it has none.
    pub fn seen(&self, part: usize) -> Option<SkinWeights> {
        let base = self.base.get(part)?.as_ref()?;
        let heard = self.layers.iter().filter(|layer| !layer.is_muted && layer.opacity > 0.0);
        let mut points: Vec<u32> = heard
            .filter_map(|layer| layer.of_part.get(part))
            .flat_map(|rows| rows.points().iter().copied())
            .collect();
        points.sort_unstable();
        points.dedup();
        let row = |point: u32| Some((point, self.seen_row(part, point)?));
        Some(base.with_rows(&points.into_iter().filter_map(row).collect::<Vec<_>>()))
    }

    /// Gives points of a layer rows, or of the base where none is named, as they are.
    #[must_use]
    pub fn with_own(&self, part: usize, layer: Option<usize>, rows: &[PointRow]) -> Self {
        let mut out = self.clone();
        match layer {
            None => {
                let base = &mut out.base[part];
                *base = base.as_ref().map(|base| base.with_rows(rows));
            }
            Some(layer) => {
                let of_part = &mut out.layers[layer].of_part[part];
                *of_part = of_part.with_rows(rows);
            }
        }
        out
    }

    /// Rows of a layer, or of the base, with which the rows that are wanted are seen, as nearly
    /// as the layer reaches. Points where it brings nothing, or would break a lock, are left out.
    pub fn bring(
        &self,
        part: usize,
        layer: Option<usize>,
        wanted: &[PointRow],
        rules: &RowRules,
    ) -> Vec<PointRow> {
        let one = |(point, row): &PointRow| {
            let row = self.own_row(part, layer, *point, row, rules)?;
            Some((*point, row))
        };
        wanted.iter().filter_map(one).collect()
    }

    fn own_row(
        &self,
        part: usize,
        layer: Option<usize>,
        point: u32,
        wanted: &[Influence],
        rules: &RowRules,
    ) -> Option<Vec<Influence>> {
        let base = self.base.get(part)?.as_ref()?.row(point as usize);
        let (own, share, above) = match layer {
            None => (Some(base), 1.0, &self.layers[..]),
            Some(at) => {
                let layer = self.layers.get(at)?;
                let known = layer.of_part.get(part)?.get(point);
                let mask = known.map_or(1.0, |(_, mask)| f64::from(mask));
                let share = if layer.is_muted { 0.0 } else { f64::from(layer.opacity) * mask };
                (known.map(|(row, _)| row), share, &self.layers[at + 1..])
            }
        };
        let through: f64 = above
            .iter()
            .filter_map(|layer| layer.at(part, point))
            .map(|(_, share)| 1.0 - share)
            .product();
        let reach = share * through;
        if reach < LEAST_SHARE {
            return None;
        }
        if reach >= 1.0 {
            return Some(wanted.to_vec());
        }
        let start = match (own, layer) {
            (Some(own), _) => mix_of(own),
            // A point that is new in the layer begins as what is below it.
            (None, at) => {
                let below = &self.layers[..at.unwrap_or_default()];
                self.mixed(below, part, point, base).unwrap_or_else(mix_of)
            }
        };
        let before = self.seen_row(part, point)?;
        let mut by = mix_of(wanted);
        add_scaled(&mut by, mix_of(&before), -1.0);
        let of_start = |joint: u32| start.iter().find(|e| e.0 == joint).map_or(0.0, |e| e.1);
        // As far as no weight of the layer becomes negative.
        let far = (by.iter().filter(|(_, change)| *change < 0.0))
            .map(|&(joint, change)| of_start(joint) * reach / -change)
            .fold(1.0, f64::min);
        let mut row = start.clone();
        add_scaled(&mut row, by.iter().copied(), far / reach);
        row.retain(|&(_, weight)| weight > 0.0);
        // What is seen of a layer's row is within the budget; the base is seen by itself once
        // layers are gone.
        let max_influences = if layer.is_some() { usize::MAX } else { self.max_influences.max(1) };
        let open = RowRules { max_influences, locked: Vec::new() };
        let row = open.finish(own.unwrap_or(base), &row, None);
        let with = self.with_own_row(layer, part, point, &row)?;
        let weight = |row: &[Influence], joint: u32| {
            row.iter().find(|i| i.joint == joint).map_or(0.0, |i| f64::from(i.weight))
        };
        let is_kept = |joint: u32| {
            !rules.is_locked(joint)
                || (weight(&with, joint) - weight(&before, joint)).abs() <= LOCK_TOLERANCE
        };
        let all = before.iter().chain(&with);
        all.map(|i| i.joint).all(is_kept).then_some(row)
    }

    /// What would be seen of a point if a layer, or the base, had a row there.
    fn with_own_row(
        &self,
        layer: Option<usize>,
        part: usize,
        point: u32,
        row: &[Influence],
    ) -> Option<Vec<Influence>> {
        let base = self.base.get(part)?.as_ref()?.row(point as usize);
        let Some(at) = layer else {
            let mix = self.mixed(&self.layers, part, point, row).unwrap_or_else(mix_of);
            return Some(self.finished(base, &mix));
        };
        let below = self.mixed(&self.layers[..at], part, point, base).unwrap_or_else(mix_of);
        let layer = &self.layers[at];
        let mask = layer.of_part[part].get(point).map_or(1.0, |(_, mask)| f64::from(mask));
        let mut mix = over(below, row, f64::from(layer.opacity) * mask);
        for (row, share) in self.layers[at + 1..].iter().filter_map(|l| l.at(part, point)) {
            mix = over(mix, row, share);
        }
        Some(self.finished(base, &mix))
    }

    fn finished(&self, base: &[Influence], mix: &Mix) -> Vec<Influence> {
        let rules = RowRules { max_influences: self.max_influences.max(1), locked: Vec::new() };
        rules.finish(base, mix, None)
    }

    /// A layer and the one below it, or the base, as one that counts wholly: what is seen stays,
    /// to rounding and the budget.
    #[must_use]
    pub fn merged_down(&self, layer: usize) -> Self {
        let mut out = self.clone();
        let upper = out.layers.remove(layer);
        let below = layer.checked_sub(1);
        let heard = |layer: &WeightLayer, part: usize| -> Vec<u32> {
            let points = layer.of_part[part].points().iter().copied();
            points.filter(|&point| layer.at(part, point).is_some()).collect()
        };
        for part in 0..self.base.len() {
            let Some(base) = &self.base[part] else { continue };
            let mut points = heard(&upper, part);
            if let Some(below) = below {
                points.extend(heard(&self.layers[below], part));
                out.layers[below].of_part[part] = LayerRows::default();
            }
            points.sort_unstable();
            points.dedup();
            let row = |point: u32| {
                let base = base.row(point as usize);
                let found = self.mixed(&self.layers[..=layer], part, point, base);
                (point, self.whole_or_mixed(base, found))
            };
            let rows: Vec<PointRow> = points.into_iter().map(row).collect();
            out = out.with_own(part, below, &rows);
        }
        if let Some(below) = below {
            out.layers[below].opacity = 1.0;
            out.layers[below].is_muted = false;
        }
        out
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        let of_base = self.base.iter().flatten();
        let of_base: usize = of_base.map(|base| size_of_val(&base.influences[..])).sum();
        let of_layers = self.layers.iter().flat_map(|layer| &layer.of_part);
        of_base + of_layers.map(LayerRows::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
