//! What is wrong with a character, in a rigger's words: for each finding what, where, and how to
//! mend it.
//!
//! Codes are kebab-case and stable, so that scripts can look for them; `docs/check.md` explains
//! each.

mod motion;
mod names;
pub(crate) mod pair_faults;
mod shells;
mod skeleton;
mod surface;
pub(crate) mod weight_faults;
mod weights;

use std::fmt;

use crate::character::Character;
use crate::mesh::Mesh;

/// How bad it is. Ordered: `Info < Warning < Error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; often meant so.
    Info,
    /// Works, but deforms or exports worse than it could.
    Warning,
    /// Does not work until it is mended.
    Error,
}

impl Severity {
    /// The name at the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Kebab-case, stable.
    pub code: &'static str,
    /// What is wrong.
    pub what: String,
    /// Where: the mesh, the joint, the first few points of it.
    pub place: String,
    /// What to do about it.
    pub mend: String,
    /// How many points, edges, triangles or joints have it; at least one.
    pub count: usize,
}

/// What a check goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Points with more influences than this are named. Four is what most engines take, eight what
    /// some do.
    pub max_influences: usize,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { max_influences: 4 }
    }
}

/// Everything that is found, the worst first, otherwise in the order of the character.
pub fn check(character: &Character) -> Vec<Finding> {
    check_with(character, &CheckOptions::default())
}

/// [`check`] by other limits than the common ones.
pub fn check_with(character: &Character, options: &CheckOptions) -> Vec<Finding> {
    let mut findings = Vec::new();
    skeleton::check(character, &mut findings);
    if character.parts.is_empty() {
        // A motion is a file of its own in many hands.
        let is_motion = !character.clips.is_empty() && !character.skeleton.is_empty();
        findings.push(Finding {
            severity: if is_motion { Severity::Info } else { Severity::Error },
            code: "no-mesh",
            what: "there is no mesh".into(),
            place: format!("character '{}'", character.name),
            mend: "export the mesh together with the skeleton, unless it is meant as a motion"
                .into(),
            count: 1,
        });
    }
    for (index, part) in character.parts.iter().enumerate() {
        let place = part_place(index, part.mesh.name());
        if part.mesh.triangles().is_empty() {
            findings.push(Finding {
                severity: Severity::Error,
                code: "empty-mesh",
                what: "the mesh has no triangle".into(),
                place: place.clone(),
                mend: "remove the mesh, or export its faces".into(),
                count: 1,
            });
        }
        surface::check(part, &place, &mut findings);
        weights::check(part, &place, &character.skeleton, options, &mut findings);
    }
    shells::check(character, &mut findings);
    motion::check(character, &mut findings);
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

fn part_place(index: usize, name: &str) -> String {
    if name.is_empty() { format!("mesh {index}") } else { format!("mesh '{name}'") }
}

/// How many indices a place lists before it stops.
const MAX_LISTED: usize = 5;

/// "points 3, 8, 12 and 40 more of mesh 'Body'".
fn listed<T: fmt::Display>(noun: &str, items: impl IntoIterator<Item = T>, of: &str) -> String {
    let mut items = items.into_iter();
    let first: Vec<String> = items.by_ref().take(MAX_LISTED).map(|item| item.to_string()).collect();
    let more = items.count();
    let plural = if first.len() + more == 1 { "" } else { "s" };
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{noun}{plural} {}{more} of {of}", first.join(", "))
}

/// Points as [`listed`], with where the first of them is.
fn listed_points(points: &[usize], mesh: &Mesh, of: &str) -> String {
    let place = listed("point", points, of);
    match points.first().and_then(|&first| mesh.points().get(first)) {
        Some(at) => format!("{place} (the first at {:.4}, {:.4}, {:.4})", at.x, at.y, at.z),
        None => place,
    }
}

#[cfg(test)]
mod tests;
