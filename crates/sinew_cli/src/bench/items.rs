//! Cases that are counted by items: a table of them, or JSON.

use serde_json::{Value, json};

use super::timing::Timing;
use crate::console::Console;
use crate::exit::Failure;
use crate::text::{Table, duration_ns};

/// A case.
pub(super) struct Row {
    pub(super) name: String,
    /// Points, as a rule.
    pub(super) items: usize,
    pub(super) timing: Timing,
}

/// Prints them under a title.
pub(super) fn show(
    title: &str,
    rows: &[Row],
    is_json: bool,
    console: &Console,
) -> Result<(), Failure> {
    if is_json {
        let rows: Vec<Value> = (rows.iter())
            .map(|row| {
                json!({
                    "name": row.name,
                    "items": row.items,
                    "median_ns": row.timing.median_ns,
                    "best_ns": row.timing.best_ns,
                    "ns_per_item": row.timing.best_ns / row.items as f64,
                })
            })
            .collect();
        return console.json(&json!({ title: rows }));
    }
    let mut table = Table::new(&[title, "median", "best", "a point"]);
    for row in rows {
        let times =
            [row.timing.median_ns, row.timing.best_ns, row.timing.best_ns / row.items as f64];
        let [median, best, each] = times.map(duration_ns);
        table.row([row.name.clone(), median, best, each]);
    }
    console.data(&table.to_string())
}
