//! What a reader repaired, left out or lost, with the place in the file.

use sinew::check::{Finding, Severity};
use sinew::mesh::WeldReport;
use sinew::weights::WeightReport;

/// One thing that the file left to be desired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How bad it is.
    pub severity: Severity,
    /// Kebab-case, stable; `docs/check.md` explains each.
    pub code: &'static str,
    /// The path into the file: `meshes[0].primitives[1].attributes.WEIGHTS_0`, `line 12`.
    pub place: String,
    /// What it is, and what was done about it.
    pub what: String,
    /// How to mend the file.
    pub mend: String,
    /// How many vertices, keys or entries have it; at least one.
    pub count: usize,
}

impl From<Warning> for Finding {
    fn from(warning: Warning) -> Self {
        let Warning { severity, code, place, what, mend, count } = warning;
        Self { severity, code, what, place, mend, count }
    }
}

/// Everything that a file left to be desired, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// In the order of the file.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// True if the file was taken as it was.
    pub fn is_clean(&self) -> bool {
        self.warnings.is_empty()
    }

    /// True if something has that code.
    pub fn has(&self, code: &str) -> bool {
        self.warnings.iter().any(|warning| warning.code == code)
    }

    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        place: impl Into<String>,
        what: impl Into<String>,
        mend: &str,
    ) {
        self.push(Severity::Warning, code, 1, [place.into(), what.into(), mend.to_owned()]);
    }

    pub(crate) fn note(
        &mut self,
        code: &'static str,
        place: impl Into<String>,
        what: impl Into<String>,
        mend: &str,
    ) {
        self.push(Severity::Info, code, 1, [place.into(), what.into(), mend.to_owned()]);
    }

    fn push(
        &mut self,
        severity: Severity,
        code: &'static str,
        count: usize,
        [place, what, mend]: [String; 3],
    ) {
        self.warnings.push(Warning { severity, code, place, what, mend, count });
    }

    /// What cleaning a mesh's weights changed.
    pub(crate) fn weights(&mut self, place: &str, found: &WeightReport) {
        let mut add = |code, count: usize, what: String, mend: &str| {
            if count > 0 {
                let texts = [place.to_owned(), what, mend.to_owned()];
                self.push(Severity::Warning, code, count, texts);
            }
        };
        let worst = found.worst_sum.unwrap_or(1.0);
        add(
            "weights-not-normalized",
            found.rescaled,
            format!("weights that do not sum to one (worst {worst:.4}); they were scaled"),
            "normalise all weights before export",
        );
        add(
            "negative-weights",
            found.negative,
            "negative weights; they were set to zero".into(),
            "clean the weights before export",
        );
        add(
            "weights-not-finite",
            found.not_finite,
            "weights that are NaN or infinite; they were set to zero".into(),
            "clean the weights before export",
        );
        add(
            "repeated-joint",
            found.repeated_joint,
            "vertices that name one joint several times; its weights were added".into(),
            "merge double influences before export",
        );
        add(
            "joint-index-out-of-range",
            found.joint_out_of_range,
            "vertices that name a joint which the skin does not have; that influence was dropped"
                .into(),
            "export mesh and skeleton together",
        );
        let listed: Vec<String> =
            found.unweighted.iter().take(5).map(ToString::to_string).collect();
        add(
            "unweighted-points",
            found.unweighted.len(),
            format!(
                "vertices without any influence ({}{}); they were given to the first joint",
                listed.join(", "),
                if found.unweighted.len() > listed.len() { ", …" } else { "" }
            ),
            "assign them to a joint in the program that made the file",
        );
    }

    /// What welding found.
    pub(crate) fn welding(&mut self, place: &str, found: &WeldReport) {
        let mut add = |severity, code, count: usize, what: &str, mend: &str| {
            if count > 0 {
                let texts = [place.to_owned(), what.to_owned(), mend.to_owned()];
                self.push(severity, code, count, texts);
            }
        };
        add(
            Severity::Warning,
            "split-vertices-weights-differ",
            found.seams_with_differing_weights.len(),
            "vertices lie on one place with different weights and stay apart",
            "copy the weights across the seam, unless it is a real gap (lips, a hem)",
        );
        add(
            Severity::Info,
            "split-vertices-shapes-differ",
            found.seams_with_differing_shapes.len(),
            "vertices lie on one place with different blend shapes and stay apart",
            "copy the shapes across the seam, unless it is a real gap (lips, a hem)",
        );
        add(
            Severity::Info,
            "collapsed-triangles",
            found.collapsed_triangles.len(),
            "triangles with fewer than three distinct points",
            "dissolve degenerate faces before export",
        );
    }
}
