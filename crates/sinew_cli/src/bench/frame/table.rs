//! The frame's table, for people and as JSON.

use serde_json::{Value, json};

use super::Row;
use crate::text::{Table, count, duration_ns};

pub(crate) fn as_text(rows: &[Row]) -> String {
    let heads = ["case", "points", "best", "ns each", "beside", "its best", "ratio", "goal"];
    let mut table = Table::new(&heads);
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    for row in rows {
        table.row([
            row.case.name(),
            count(row.num_points),
            duration_ns(row.timing.best_ns),
            format!("{:.2}", row.ns_per_point(row.timing.best_ns)),
            or_dash(row.beside.map(|(what, _)| what.to_owned())),
            or_dash(row.beside.map(|(_, timing)| duration_ns(timing.best_ns))),
            or_dash(row.ratio().map(|ratio| format!("{ratio:.3}"))),
            or_dash(row.case.goal().map(|goal| match row.beside {
                Some(_) => format!("{goal} x"),
                None => format!("{goal} ns each"),
            })),
        ]);
    }
    table.to_string()
}

pub(crate) fn as_json(rows: &[Row]) -> Value {
    let of_row = |row: &Row| {
        json!({
            "name": row.case.name(),
            "size": row.num_points,
            "runs": row.timing.runs,
            "median_ns": row.timing.median_ns,
            "best_ns": row.timing.best_ns,
            "best_ns_per_vertex": row.ns_per_point(row.timing.best_ns),
            "beside": row.beside.map(|(what, _)| what),
            "beside_median_ns": row.beside.map(|(_, timing)| timing.median_ns),
            "beside_best_ns": row.beside.map(|(_, timing)| timing.best_ns),
            "ratio": row.ratio(),
            "goal": row.case.goal(),
        })
    };
    rows.iter().map(of_row).collect()
}
