//! A cage in a document: a mesh that no node shows, for programs that look at it, with the cage
//! itself (its quads, places in f64, how points hang on it) as JSON in its
//! `extras.sinew_cage`.

use serde_json::Value;
use sinew::frame::CageRig;

use super::json::Root;
use crate::Report;

/// Where the cage is: JSON as one string.
pub(super) const EXTRA: &str = "sinew_cage";

/// The cage of a document; says why one that is there is left out.
pub(super) fn read(root: &Root, report: &mut Report) -> Option<CageRig> {
    for (index, mesh) in root.meshes.iter().enumerate() {
        let Some(text) = mesh.extras.get(EXTRA).and_then(Value::as_str) else { continue };
        let fault = match serde_json::from_str::<CageRig>(text) {
            Ok(rig) => {
                let found = rig.cage.check_topology();
                if !found.has_errors() {
                    return Some(rig);
                }
                found.to_string()
            }
            Err(error) => error.to_string(),
        };
        let place = format!("meshes[{index}].extras.{EXTRA}");
        let what = format!("the cage was left out: {fault}");
        report.warn("cage-left-out", place.as_str(), what, "write the file again from its project");
    }
    None
}
