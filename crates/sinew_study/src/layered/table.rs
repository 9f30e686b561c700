//! Tables of layered characters: means over their poses, a line a character and method.

use crate::study::{Cell, Figures};
use crate::table::{Table, short};

/// A column: its head, its figure, and how many digits it needs.
struct Column {
    head: &'static str,
    of: fn(&Figures) -> Option<f64>,
    digits: usize,
}

const COLUMNS: [Column; 12] = [
    Column { head: "gap mean", of: |f| f.shells.gap_mean, digits: 4 },
    Column { head: "gap p95", of: |f| f.shells.gap_p95, digits: 4 },
    Column { head: "tied mean", of: |f| f.shells.tied_mean, digits: 4 },
    Column { head: "tied p95", of: |f| f.shells.tied_p95, digits: 4 },
    Column { head: "tied max", of: |f| f.shells.tied_max, digits: 4 },
    Column { head: "penetrations", of: |f| f.shells.penetrations, digits: 4 },
    Column { head: "crossings", of: |f| f.shells.crossings, digits: 4 },
    Column { head: "rigid", of: |f| f.shells.rigid_deviation, digits: 4 },
    Column { head: "99.9 % stretch", of: |f| f.measures.p999_stretch, digits: 2 },
    Column { head: "max stretch", of: |f| f.measures.max_stretch, digits: 2 },
    Column { head: "folds", of: |f| Some(f.folded_edges as f64), digits: 1 },
    Column {
        head: "volume error",
        of: |f| f.measures.volume_ratio.map(|ratio| (ratio - 1.0).abs()),
        digits: 3,
    },
];

impl Table {
    /// Means over the poses of each character, and over all cells; in the order of the cells.
    pub fn of_layered(cells: &[Cell]) -> Self {
        let mut subjects: Vec<&str> = Vec::new();
        let mut methods: Vec<&str> = Vec::new();
        for cell in cells {
            if !subjects.contains(&cell.subject.as_str()) {
                subjects.push(&cell.subject);
            }
            if !methods.contains(&cell.method.as_str()) {
                methods.push(&cell.method);
            }
        }
        let mut rows = Vec::new();
        for subject in subjects.iter().map(|name| Some(*name)).chain([None]) {
            for method in &methods {
                let of_row: Vec<&Cell> = cells
                    .iter()
                    .filter(|cell| cell.method == *method)
                    .filter(|cell| subject.is_none_or(|subject| cell.subject == subject))
                    .collect();
                let values = COLUMNS.iter().map(|column| {
                    short(
                        mean(of_row.iter().filter_map(|cell| (column.of)(&cell.figures))),
                        column.digits,
                    )
                });
                let name = subject.map_or("all".to_owned(), str::to_owned);
                rows.push([name, (*method).to_owned()].into_iter().chain(values).collect());
            }
        }
        let head = ["mean over poses", "method"].into_iter().chain(COLUMNS.map(|c| c.head));
        Self { head: head.map(str::to_owned).collect(), rows }
    }
}

/// `None` of nothing.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}
