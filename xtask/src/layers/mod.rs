//! `cargo xtask layers`: the direction of ARCHITECTURE.md's arrows, checked.
//!
//! Three rules. A crate of the workspace depends only on the crates that [`rules::LAYERS`] allows
//! it. Nothing that a crate pulls in, however far down, is a third-party crate that its layer must
//! not know. And the library's own source touches neither files nor the environment. Tests are
//! free: dev-dependencies and test code are not looked at.

mod graph;
mod rules;
mod source;

use crate::Failure;
use crate::run::{cargo, standard_output, workspace_root};

/// Checks all three rules and prints every violation.
pub(crate) fn run() -> Result<(), Failure> {
    let metadata = standard_output(cargo(&[
        "metadata",
        "--format-version=1",
        "--all-features",
        "--color=never",
    ]))?;
    let graph = graph::Graph::from_metadata(&metadata)?;
    let mut violations = rules::violations(&graph);
    violations.extend(source::violations_below(&workspace_root(), "crates/sinew/src")?);
    if violations.is_empty() {
        println!("{} crates keep to their layers", graph.members().count());
        return Ok(());
    }
    for violation in &violations {
        eprintln!("{violation}");
    }
    Err(format!("the layers of ARCHITECTURE.md are broken in {} places", violations.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_keeps_to_its_layers() {
        run().unwrap();
    }
}
