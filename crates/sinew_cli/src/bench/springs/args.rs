//! What can be asked of the springs' table.

use super::{Case, ITERATIONS};
use crate::joint_spec::stretch_factor;
use crate::spring_args::Springs;

/// What is asked of the table: which models, at how many iterations, with how long bones, and how
/// much is told.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Springs")]
pub(crate) struct SpringBenchArgs {
    /// Only these spring models, several with commas, and nothing else
    #[arg(long, value_enum, value_name = "MODEL", value_delimiter = ',')]
    springs: Vec<Springs>,

    /// Time frames of so many iterations, several with commas, in place of 25, 50 and 100
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=10_000))]
    iterations: Vec<u32>,

    /// Make every bone of the posed meshes FACTOR times as long: stretched frames take another way
    /// [default: 1]
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true, value_parser = factor)]
    pub(super) stretch: Option<f64>,

    /// Print times to bind, and how far the last iteration still went
    #[arg(long)]
    pub(super) stats: bool,
}

fn factor(text: &str) -> Result<f64, String> {
    stretch_factor(text.parse().ok()).map_err(|error| format!("'{text}' {error}"))
}

impl SpringBenchArgs {
    /// The first flag that was given; all of them are of springs on the processor.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--springs", !self.springs.is_empty()),
            ("--iterations", !self.iterations.is_empty()),
            ("--stretch", self.stretch.is_some()),
            ("--stats", self.stats),
        ]
        .into_iter()
        .find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// True if 'off' is among the models.
    pub(crate) fn springs_off(&self) -> bool {
        self.springs.contains(&Springs(None))
    }

    /// True if only springs are to be timed.
    pub(crate) fn is_springs_only(&self) -> bool {
        !self.springs.is_empty()
    }

    pub(crate) fn takes(&self, case: Case) -> bool {
        self.springs.is_empty() || self.springs.contains(&Springs(Some(case.model)))
    }

    /// Iterations of the table's columns.
    pub(super) fn columns(&self) -> Vec<u32> {
        if self.iterations.is_empty() { ITERATIONS.to_vec() } else { self.iterations.clone() }
    }
}
