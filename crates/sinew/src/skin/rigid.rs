//! Rigid skinning: `p' = model_from_rest[j] · p`, `j` the joint with the largest weight.
//!
//! The linear kernel with one joint a point. Tears and folds at every joint, and keeps every length
//! between them: the spring rigs' simplest first stage, and the yardstick for what smoothing buys.

use crate::weights::SkinWeights;

/// Every point wholly on its dominant joint.
pub(super) fn dominant(weights: &SkinWeights) -> SkinWeights {
    let joints: Vec<u32> =
        (0..weights.num_points()).map(|point| weights.dominant_joint(point)).collect();
    SkinWeights::rigid(&joints)
}
