//! Weights as they are written: as many influences a point as engines take, re-fitted rather than
//! cut off.

use std::borrow::Cow;

use sinew::weights::{SampledPoses, SkinWeights, refit};
use sinew::{Character, Part};

use crate::Report;

/// At most so many influences a point.
#[derive(Debug)]
pub(in crate::gltf) struct InfluenceLimit {
    most: Option<usize>,
    /// Made for the first part that needs them.
    poses: Option<SampledPoses>,
}

impl InfluenceLimit {
    pub(super) fn new(most: Option<usize>) -> Self {
        Self { most, poses: None }
    }

    /// The weights of a part as they are to be written; what a limit costs is in the report.
    pub(super) fn apply<'a>(
        &mut self,
        character: &Character,
        part: &'a Part,
        report: &mut Report,
    ) -> Option<Cow<'a, SkinWeights>> {
        let weights = part.weights.as_ref().filter(|_| !character.skeleton.is_empty())?;
        let Some(most) = self.most.filter(|&most| weights.max_influences() > most) else {
            return Some(Cow::Borrowed(weights));
        };
        let poses = self
            .poses
            .get_or_insert_with(|| SampledPoses::of(&character.skeleton, &character.clips));
        let fitted = refit(weights, part.mesh.points(), poses, most);
        let diagonal = f64::from(part.mesh.bounds().diagonal()).max(f64::MIN_POSITIVE);
        let what = format!(
            "{} points had more than {most} influences and were fitted to {} poses: off by {:.1e} of the diagonal in the mean, {:.1e} at \
             most (cut off, it would be {:.1e} and {:.1e})",
            fitted.num_points,
            poses.len(),
            fitted.error.rms / diagonal,
            fitted.error.max / diagonal,
            fitted.truncation_error.rms / diagonal,
            fitted.truncation_error.max / diagonal,
        );
        let mend = "ask for more influences if the engine takes more than four";
        report.note("influences-fitted", format!("mesh '{}'", part.mesh.name()), what, mend);
        Some(Cow::Owned(fitted.weights))
    }
}
