//! What shells.md asks of springs on layered characters ('Reach'), line by line.

use super::table::mean;
use crate::study::{Cell, Figures};
use crate::sweep::Popping;
use crate::table::{Table, short};

/// What is no worse than linear's by more than this is a tie.
pub const TIE: f64 = 0.0005;
/// The mean of 99.9 % of the stretch.
pub const MEAN_STRETCH: f64 = 1.5;
/// The largest second difference over linear's.
pub const POPPING_OVER_LINEAR: f64 = 1.15;

/// A figure that must not be above linear's in any pose.
struct Line {
    name: &'static str,
    of: fn(&Figures) -> Option<f64>,
    tie: f64,
    /// The mean must be below linear's too.
    mean_below: bool,
    digits: usize,
}

const LINES: [Line; 6] = [
    Line { name: "tied p95", of: |f| f.shells.tied_p95, tie: TIE, mean_below: true, digits: 4 },
    Line { name: "tied max", of: |f| f.shells.tied_max, tie: TIE, mean_below: true, digits: 4 },
    Line {
        name: "penetrations",
        of: |f| f.shells.penetrations,
        tie: TIE,
        mean_below: true,
        digits: 4,
    },
    Line { name: "crossings", of: |f| f.shells.crossings, tie: TIE, mean_below: true, digits: 4 },
    Line {
        name: "rigid deviation",
        of: |f| f.shells.rigid_deviation,
        tie: TIE,
        mean_below: true,
        digits: 4,
    },
    Line {
        name: "folds",
        of: |f| Some(f.folded_edges as f64),
        tie: 0.0,
        mean_below: false,
        digits: 1,
    },
];

/// One line of the verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What is asked.
    pub asked: String,
    /// True if it holds.
    pub holds: bool,
    /// The springs' value.
    pub springs: String,
    /// Linear's, or the bound.
    pub against: String,
    /// Where it does not hold, the worst first.
    pub misses: Vec<String>,
}

/// Every line about shapes, of the method called `ours` against the one called `linear`. Lines
/// without a cell of both are left out.
pub fn of_shapes(cells: &[Cell], ours: &str) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for line in &LINES {
        let pairs = pairs(cells, ours, line.of);
        let Some([our_mean, their_mean]) = means(&pairs) else { continue };
        let mut misses: Vec<(f64, String)> = pairs
            .iter()
            .filter(|(_, [our, their])| *our > their + line.tie)
            .map(|(cell, [our, their])| {
                let [our_words, their_words] =
                    [*our, *their].map(|value| short(Some(value), line.digits));
                let words =
                    format!("{}, {} ({our_words} > {their_words})", cell.subject, cell.pose);
                (our - their, words)
            })
            .collect();
        misses.sort_by(|a, b| b.0.total_cmp(&a.0));
        verdicts.push(Verdict {
            asked: format!("{} not above linear's in any of {} poses", line.name, pairs.len()),
            holds: misses.is_empty(),
            springs: format!("{} above", misses.len()),
            against: "0".into(),
            misses: misses.into_iter().map(|(_, words)| words).collect(),
        });
        if line.mean_below {
            // Where nothing is rigid or penetrates, nothing can be below it.
            let holds = our_mean < their_mean || (our_mean == 0.0 && their_mean == 0.0);
            verdicts.push(Verdict {
                asked: format!("{} below linear's in the mean", line.name),
                holds,
                springs: short(Some(our_mean), 5),
                against: short(Some(their_mean), 5),
                misses: Vec::new(),
            });
        }
    }
    let stretch = pairs(cells, ours, |f| f.measures.p999_stretch);
    if let Some([our_mean, their_mean]) = means(&stretch) {
        verdicts.push(Verdict {
            asked: format!("99.9 % stretch ≤ {MEAN_STRETCH} in the mean"),
            holds: our_mean <= MEAN_STRETCH,
            springs: short(Some(our_mean), 3),
            against: format!("{MEAN_STRETCH} (linear {})", short(Some(their_mean), 3)),
            misses: Vec::new(),
        });
    }
    verdicts
}

/// The line about sweeps.
pub fn of_sweeps(poppings: &[Popping], ours: &str) -> Option<Verdict> {
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for our in poppings.iter().filter(|one| one.method == ours) {
        let linear = poppings.iter().find(|one| {
            one.method == "linear" && one.subject == our.subject && one.pose == our.pose
        })?;
        // Where nothing moves nothing pops.
        let is_still = our.largest == 0.0 && linear.largest == 0.0;
        let ratio = if is_still { 1.0 } else { our.largest / linear.largest };
        ratios.push((ratio, format!("{}, {}", our.subject, our.pose)));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let worst = ratios.first()?.0;
    let is_over = |ratio: f64| ratio > POPPING_OVER_LINEAR;
    let misses = ratios.iter().filter(|(ratio, _)| is_over(*ratio));
    Some(Verdict {
        asked: format!(
            "second difference ≤ {POPPING_OVER_LINEAR} × linear's in {} motions",
            ratios.len()
        ),
        holds: !is_over(worst),
        springs: format!("{worst:.2} ×"),
        against: format!("{POPPING_OVER_LINEAR} ×"),
        misses: misses.map(|(ratio, place)| format!("{place} (×{ratio:.2})")).collect(),
    })
}

impl Table {
    /// A line a verdict, and what misses it.
    pub fn of_verdicts(verdicts: &[Verdict]) -> Self {
        let head = ["asked", "holds", "springs", "against", "misses, the worst first"];
        let row = |verdict: &Verdict| {
            vec![
                verdict.asked.clone(),
                if verdict.holds { "yes" } else { "NO" }.to_owned(),
                verdict.springs.clone(),
                verdict.against.clone(),
                verdict.misses.join("; "),
            ]
        };
        Self { head: head.map(str::to_owned).to_vec(), rows: verdicts.iter().map(row).collect() }
    }
}

/// Cells of ours that linear has too, with both values; a shape that is not finite is infinitely
/// bad.
fn pairs<'a>(
    cells: &'a [Cell],
    ours: &str,
    of: fn(&Figures) -> Option<f64>,
) -> Vec<(&'a Cell, [f64; 2])> {
    let value = |cell: &Cell| match cell.figures.measures.finite {
        true => of(&cell.figures),
        false => Some(f64::INFINITY),
    };
    let ours = cells.iter().filter(|cell| cell.method == ours);
    ours.filter_map(|our| {
        let linear = cells.iter().find(|cell| {
            cell.method == "linear" && cell.subject == our.subject && cell.pose == our.pose
        })?;
        Some((our, [value(our)?, value(linear)?]))
    })
    .collect()
}

fn means(pairs: &[(&Cell, [f64; 2])]) -> Option<[f64; 2]> {
    Some([mean(pairs.iter().map(|p| p.1[0]))?, mean(pairs.iter().map(|p| p.1[1]))?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedural;
    use crate::study::{Filter, run};

    /// Two cells of one pose whose shells are made up.
    fn cells(ours: [f64; 2], linear: [f64; 2]) -> Vec<Cell> {
        let subjects = [procedural::cylinder("tube", 200).unwrap()];
        let filter = Filter {
            methods: vec!["=linear".into(), "=anchored".into()],
            poses: vec!["bend 45".into()],
            ..Filter::default()
        };
        let mut cells = run(&subjects, &filter, &|_, _, _, _, _| {}).cells;
        for cell in &mut cells {
            let [tied, rigid] = if cell.method == "linear" { linear } else { ours };
            let shells = &mut cell.figures.shells;
            (shells.tied_p95, shells.rigid_deviation) = (Some(tied), Some(rigid));
        }
        cells
    }

    fn holds(verdicts: &[Verdict], asked: &str) -> bool {
        verdicts.iter().find(|v| v.asked.starts_with(asked)).unwrap().holds
    }

    #[test]
    fn springs_that_open_a_gap_miss_and_are_named() {
        let verdicts = of_shapes(&cells([0.012, 0.0], [0.004, 0.0]), "anchored");
        assert!(!holds(&verdicts, "tied p95 not above"));
        assert!(!holds(&verdicts, "tied p95 below"));
        assert!(holds(&verdicts, "rigid deviation not above"));
        assert!(holds(&verdicts, "rigid deviation below"));
        assert_eq!(verdicts[0].misses, ["tube, bend 45 (.0120 > .0040)"]);
        // Figures that no cell has are not asked for.
        assert!(!verdicts.iter().any(|v| v.asked.contains("penetrations")));
    }

    #[test]
    fn a_tie_is_no_miss_and_still_not_below_in_the_mean() {
        let verdicts = of_shapes(&cells([0.0044, 0.0], [0.004, 0.0]), "anchored");
        assert!(holds(&verdicts, "tied p95 not above"));
        assert!(!holds(&verdicts, "tied p95 below"));
    }

    #[test]
    fn a_sweep_that_pops_is_named_with_its_ratio() {
        let popping = |method: &str, largest: f64| Popping {
            subject: "Suit".into(),
            pose: "squat".into(),
            method: method.into(),
            largest,
            step: 3,
        };
        let verdict = of_sweeps(&[popping("linear", 0.1), popping("anchored", 0.2)], "anchored");
        let verdict = verdict.unwrap();
        assert!(!verdict.holds);
        assert_eq!(verdict.misses, ["Suit, squat (×2.00)"]);
        assert_eq!(of_sweeps(&[popping("linear", 0.1)], "anchored"), None);
    }
}
