//! The springs' table, for people and as JSON.

use serde_json::{Value, json};

use super::{ITERATIONS, Row, SpringBenchArgs};
use crate::bench::timing::Timing;
use crate::text::{Table, count, duration_ns};

pub(crate) fn as_text(args: &SpringBenchArgs, rows: &[Row]) -> String {
    let columns: Vec<String> = args.columns().iter().map(u32::to_string).collect();
    let has_papers = args.columns() == ITERATIONS;
    let mut heads = vec!["case", "points", "linear", "first"];
    heads.extend(columns.iter().map(String::as_str));
    if has_papers {
        heads.push("paper, GTX 1070");
    }
    heads.extend(["to 1e-3", "in", "x limit"]);
    if args.stats {
        heads.extend(["bind", "residuals"]);
    }
    let mut table = Table::new(&heads);
    for row in rows {
        let ms = |timing: &Timing| format!("{:.2} ms", timing.best_ns * 1e-6);
        let mut cells = vec![row.case.name(), count(row.num_points)];
        cells.extend([row.linear, row.first_stage].map(|timing| duration_ns(timing.best_ns)));
        cells.extend(row.frames.iter().map(|(_, timing, _)| ms(timing)));
        if has_papers {
            let paper = row.case.paper_ms();
            cells.push(paper.map(|ms| format!("{ms:.2}")).join(" / "));
        }
        cells.extend([
            row.near.as_ref().map_or("-".into(), |(_, timing)| ms(timing)),
            row.near.as_ref().map_or("-".into(), |(iterations, _)| iterations.to_string()),
            row.ratio().map_or("-".into(), |ratio| format!("{ratio:.2}")),
        ]);
        if args.stats {
            cells.push(duration_ns(row.bind_ns));
            let residuals: Vec<String> =
                row.frames.iter().map(|(_, _, residual)| format!("{residual:.1e}")).collect();
            cells.push(residuals.join(" / "));
        }
        table.row(cells);
    }
    table.to_string()
}

pub(crate) fn as_json(rows: &[Row]) -> Value {
    rows.iter()
        .map(|row| {
            let paper_ms = |iterations: u32| {
                let column = ITERATIONS.iter().position(|&column| column == iterations)?;
                Some(row.case.paper_ms()[column])
            };
            let frame = |&(iterations, timing, residual): &(u32, Timing, f32)| {
                json!({
                    "iterations": iterations,
                    "median_ns": timing.median_ns,
                    "best_ns": timing.best_ns,
                    "residual": residual,
                    "paper_gtx_1070_ms": paper_ms(iterations),
                })
            };
            let frames: Vec<Value> = row.frames.iter().map(frame).collect();
            let near = row.near.as_ref();
            json!({
                "name": row.case.name(),
                "model": row.case.model.name(),
                "size": row.num_points,
                "half_edges": row.num_half_edges,
                "bind_ns": row.bind_ns,
                "linear_median_ns": row.linear.median_ns,
                "linear_best_ns": row.linear.best_ns,
                "first_stage_median_ns": row.first_stage.median_ns,
                "first_stage_best_ns": row.first_stage.best_ns,
                "frames": frames,
                "iterations_to_1e-3": near.map(|(iterations, _)| iterations),
                "to_1e-3_best_ns": near.map(|(_, timing)| timing.best_ns),
                "limit_ns_per_iteration": row.limit.map(|limit| limit.best_ns),
                "ratio_to_limit": row.ratio(),
            })
        })
        .collect()
}
