//! A cage in a document: a mesh that no node shows, for programs that look at it, with the cage
//! itself (its quads, places in f64, how points hang on it) as JSON in its `extras.sinew_cage`, and
//! beside it in `extras.sinew_cage_keys` how clips move its handles, which glTF has no channel for.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sinew::frame::CageRig;
use sinew::glam::DVec3;
use sinew::motion::{Clip, HandleTrack};

use super::curve_text::CurveText;
use super::json::Root;
use crate::Report;

/// Where the cage is: JSON as one string.
pub(super) const EXTRA: &str = "sinew_cage";
/// Where its keys are, likewise.
pub(super) const KEYS: &str = "sinew_cage_keys";

/// How a clip moves a handle.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct HandleTrackText {
    animation: String,
    handle: u32,
    #[serde(flatten)]
    curve: CurveText<DVec3>,
}

impl HandleTrackText {
    pub(super) fn of(animation: &str, track: &HandleTrack) -> Self {
        let curve = CurveText::of(&track.offsets);
        Self { animation: animation.to_owned(), handle: track.handle, curve }
    }
}

/// The cage of a document, its keys in the clips; says why one that is there is left out.
pub(super) fn read(root: &Root, clips: &mut [Clip], report: &mut Report) -> Option<CageRig> {
    for (index, mesh) in root.meshes.iter().enumerate() {
        let Some(text) = mesh.extras.get(EXTRA).and_then(Value::as_str) else { continue };
        let mend = "write the file again from its project";
        let fault = match serde_json::from_str::<CageRig>(text) {
            Ok(rig) => {
                let found = rig.cage.check_topology();
                if !found.has_errors() {
                    let keys = mesh.extras.get(KEYS).and_then(Value::as_str);
                    let num_handles = rig.cage.points().len();
                    let num_lost = keys.map_or(0, |text| read_keys(text, num_handles, clips));
                    if num_lost > 0 {
                        let place = format!("meshes[{index}].extras.{KEYS}");
                        let what =
                            format!("keys of the cage that fit nothing were left out: {num_lost}");
                        report.warn("cage-keys-left-out", place, what, mend);
                    }
                    return Some(rig);
                }
                found.to_string()
            }
            Err(error) => error.to_string(),
        };
        let place = format!("meshes[{index}].extras.{EXTRA}");
        let what = format!("the cage was left out: {fault}");
        report.warn("cage-left-out", place.as_str(), what, mend);
    }
    None
}

/// Puts keys into their clips; how many curves are of no clip, no handle, or no curves.
fn read_keys(text: &str, num_handles: usize, clips: &mut [Clip]) -> usize {
    let Ok(all) = serde_json::from_str::<Vec<HandleTrackText>>(text) else { return 1 };
    let mut num_lost = 0;
    for HandleTrackText { animation, handle, curve } in all {
        let clip = clips.iter_mut().find(|clip| clip.name == animation);
        let offsets = curve.curve(|offset| offset.is_finite());
        match (clip, offsets) {
            (Some(clip), Some(offsets)) if (handle as usize) < num_handles => {
                clip.handle_tracks.push(HandleTrack { handle, offsets });
            }
            _ => num_lost += 1,
        }
    }
    num_lost
}
