//! `sinew diff`: largest and mean difference of two results.

use std::path::PathBuf;

use clap::Args;
use glam::Vec3;
use serde_json::json;
use sinew::mesh::Aabb;

use crate::console::Console;
use crate::exit::Failure;
use crate::files;
use crate::numbers::not_negative;
use crate::pairing::pair;
use crate::text::rounded;

/// Compare two results point by point; exit 1 if they differ by more than --tolerance
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew diff linear.obj dual-quat.obj\n  \
    sinew diff before.obj after.obj --tolerance 1e-6 --json")]
pub(crate) struct DiffArgs {
    /// A result
    #[arg(value_name = "A")]
    a: PathBuf,

    /// Another result, with the same points
    #[arg(value_name = "B")]
    b: PathBuf,

    /// The largest difference that passes, in metres
    #[arg(long, value_name = "T", allow_negative_numbers = true, value_parser = not_negative)]
    tolerance: Option<f64>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Distances between the same points of two results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Difference {
    pub(crate) max: f64,
    mean: f64,
    points: usize,
}

impl Difference {
    pub(crate) fn between(a: &[Vec3], b: &[Vec3]) -> Self {
        let distances = a.iter().zip(b).map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()));
        let (max, sum) = distances.fold((0.0f64, 0.0), |(max, sum), d| (max.max(d), sum + d));
        Self { max, mean: sum / a.len().max(1) as f64, points: a.len() }
    }
}

pub(crate) fn run(args: &DiffArgs, console: &Console) -> Result<(), Failure> {
    let (a, b) = (files::read(&args.a, console)?, files::read(&args.b, console)?);
    let paired = pair(&a, &b).map_err(|difference| {
        Failure::Input(format!(
            "'{}' and '{}' do not have the same points and triangles: {difference}",
            args.a.display(),
            args.b.display()
        ))
    })?;
    let found = Difference::between(&paired.a, &paired.b);
    let diagonal = f64::from(Aabb::around(paired.a.iter().copied()).diagonal());
    // Two empty files or two files of one point: nothing to measure against, and JSON has no NaN.
    let max_over_diagonal = if diagonal > 0.0 { Some(found.max / diagonal) } else { None };
    if args.json {
        console.json(&json!({
            "max_difference": found.max,
            "mean_difference": found.mean,
            "max_over_diagonal": max_over_diagonal,
            "points": found.points,
        }))?;
    } else {
        let over = max_over_diagonal.map_or("-".to_owned(), rounded);
        console.data(&format!(
            "max_difference     {}\nmean_difference    {}\nmax_over_diagonal  {over}\npoints             {}\n",
            rounded(found.max),
            rounded(found.mean),
            found.points
        ))?;
    }
    match args.tolerance {
        Some(tolerance) if found.max > tolerance => Err(Failure::CheckFailed(format!(
            "the largest difference, {} m, is above the tolerance of {tolerance} m",
            found.max
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_and_the_mean_distance_are_over_points() {
        let found = Difference::between(&[Vec3::ZERO, Vec3::X], &[Vec3::Y * 3.0, Vec3::X]);
        assert_eq!(found, Difference { max: 3.0, mean: 1.5, points: 2 });
        assert_eq!(Difference::between(&[], &[]).mean, 0.0);
    }
}
