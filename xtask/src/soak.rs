//! `cargo xtask soak --minutes N`: random work with kills and full disks against the editor.

use crate::Failure;
use crate::run::{cargo, expect_success};

pub(crate) fn run(minutes: &str) -> Result<(), Failure> {
    let number = minutes.parse::<f64>().ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| format!("'{minutes}' is no number of minutes"))?;
    let soak = ["run", "-q", "--package", "sinew_editor", "--example", "soak", "--", minutes];
    expect_success(cargo(&soak))
}
