//! One method against another: wins, ties and losses per measure over all subjects and poses.
//!
//! A win is to be nearer to the ideal by more than the measure's band; within it is a tie. Shapes
//! that are not finite lose.

use crate::study::{Cell, Figures};

/// What is compared: a name, what is lost against the ideal (smaller is better), and within what it
/// is a tie.
struct Yardstick {
    name: &'static str,
    loss: fn(&Figures) -> Option<f64>,
    band: f64,
}

const YARDSTICKS: [Yardstick; 6] = [
    Yardstick {
        name: "volume",
        loss: |f| f.measures.volume_ratio.map(|ratio| (ratio - 1.0).abs()),
        band: 0.005,
    },
    Yardstick {
        name: "smallest |s|",
        loss: |f| f.rig.min_attachment_ratio.map(|ratio| (1.0 - ratio).max(0.0)),
        band: 0.02,
    },
    Yardstick { name: "max stretch", loss: |f| f.measures.max_stretch, band: 0.02 },
    Yardstick { name: "99.9 % stretch", loss: |f| f.measures.p999_stretch, band: 0.02 },
    Yardstick { name: "inverted", loss: |f| Some(f.measures.inverted_triangles as f64), band: 2.0 },
    Yardstick {
        name: "flipped normals",
        loss: |f| Some(f.measures.flipped_normals as f64),
        band: 2.0,
    },
];

/// Wins, ties and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The first is better.
    pub wins: usize,
    /// Pairs of which neither is better.
    pub ties: usize,
    /// The second is better.
    pub losses: usize,
}

impl Tally {
    fn add(&mut self, ours: f64, theirs: f64, band: f64) {
        if ours < theirs - band {
            self.wins += 1;
        } else if ours > theirs + band {
            self.losses += 1;
        } else {
            self.ties += 1;
        }
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.wins += other.wins;
        self.ties += other.ties;
        self.losses += other.losses;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}/{}/{}", self.wins, self.ties, self.losses))
    }
}

/// Names of the measures, in the order of the tallies.
pub fn measure_names() -> Vec<&'static str> {
    YARDSTICKS.iter().map(|yardstick| yardstick.name).collect()
}

/// A tally per measure for each subject, in order, of the method named `ours` against `theirs`.
/// Poses that only one of them has are passed over, and measures that a subject does not have.
pub fn compare(cells: &[Cell], ours: &str, theirs: &str) -> Vec<(String, Vec<Tally>)> {
    let mut per_subject: Vec<(String, Vec<Tally>)> = Vec::new();
    for our in cells.iter().filter(|cell| cell.method == ours) {
        let their = cells.iter().find(|cell| {
            cell.method == theirs && cell.subject == our.subject && cell.pose == our.pose
        });
        let Some(their) = their else { continue };
        if per_subject.last().is_none_or(|(name, _)| *name != our.subject) {
            per_subject.push((our.subject.clone(), vec![Tally::default(); YARDSTICKS.len()]));
        }
        let Some((_, tallies)) = per_subject.last_mut() else { continue };
        for (tally, yardstick) in tallies.iter_mut().zip(&YARDSTICKS) {
            let loss = |cell: &Cell| match cell.figures.measures.finite {
                true => (yardstick.loss)(&cell.figures),
                false => Some(f64::INFINITY),
            };
            if let (Some(our), Some(their)) = (loss(our), loss(their)) {
                tally.add(our, their, yardstick.band);
            }
        }
    }
    per_subject
}

/// The sum over subjects.
pub fn total(per_subject: &[(String, Vec<Tally>)]) -> Vec<Tally> {
    let mut sum = vec![Tally::default(); YARDSTICKS.len()];
    for (_, tallies) in per_subject {
        for (sum, &tally) in sum.iter_mut().zip(tallies) {
            *sum += tally;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Role;
    use sinew::measure::{Measures, RigMeasures, ShellMeasures};

    fn cell(method: &str, volume: f64, inverted: usize, finite: bool) -> Cell {
        Cell {
            subject: "tube".into(),
            role: Role::Tuning,
            pose: "bend".into(),
            method: method.into(),
            figures: Figures {
                measures: Measures {
                    volume_ratio: Some(volume).filter(|_| finite),
                    max_stretch: Some(1.5),
                    p999_stretch: None,
                    min_compression: Some(0.5),
                    inverted_triangles: inverted,
                    triangles: 100,
                    flipped_normals: 0,
                    finite,
                    max_displacement: 1.0,
                },
                rig: RigMeasures { min_attachment_ratio: Some(0.9), p001_stretch: Some(0.8) },
                shells: ShellMeasures::default(),
                folded_edges: 0,
                twist_kept_degrees: None,
                min_ring_area: None,
            },
            worst: crate::worst::Worst::default(),
        }
    }

    #[test]
    fn the_nearer_volume_wins_and_the_band_ties() {
        let cells = [cell("a", 1.02, 3, true), cell("b", 0.95, 4, true)];
        let [(_, tallies)] = &compare(&cells, "a", "b")[..] else { panic!("one subject") };
        assert_eq!(tallies[0], Tally { wins: 1, ties: 0, losses: 0 });
        assert_eq!(tallies[4], Tally { wins: 0, ties: 1, losses: 0 });
        let [(_, tallies)] = &compare(&cells, "b", "a")[..] else { panic!("one subject") };
        assert_eq!(tallies[0], Tally { wins: 0, ties: 0, losses: 1 });
    }

    #[test]
    fn a_measure_that_is_not_there_does_not_count() {
        let cells = [cell("a", 1.0, 0, true), cell("b", 1.0, 0, true)];
        assert_eq!(compare(&cells, "a", "b")[0].1[3], Tally::default());
    }

    #[test]
    fn what_is_not_finite_loses_every_measure() {
        let cells = [cell("a", 1.0, 0, false), cell("b", 0.2, 50, true)];
        let lost = total(&compare(&cells, "a", "b"));
        assert!(lost[0].losses == 1 && lost[4].losses == 1, "{lost:?}");
    }
}
