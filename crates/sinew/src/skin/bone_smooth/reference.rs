//! The slow, obvious f64 evaluation of the first stage: what the fast path is tested against.

use glam::{DMat3, DQuat, DVec3};

use super::{
    BEND_SOFTNESS, BoneSmoothRig, DEEP_WIDENING, GIVE_SOFTNESS, LENGTH_STEPS, LENGTHENING_ONSET,
    LONGEST, MIN_BEND_COSINE, MOST_LENGTHENING,
};
use crate::attach::TurnShare;
use crate::skeleton::{JointTurn, Palette};

/// What the first stage says of one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Staged {
    /// Where the point goes.
    pub target: DVec3,
    /// How its surroundings have turned.
    pub rotation: DQuat,
    /// The unit vector from its bones to it; zero for a point on them.
    pub direction: DVec3,
    /// How far it may be moved along it to make up for lost volume, up to a factor: nothing where
    /// it has turned with its bones.
    pub give: f64,
    /// Where its own attachment went.
    pub attachment: DVec3,
    /// All the twist it has, radians.
    pub twist: f64,
    /// The linear stretch of its surroundings.
    pub stretch: DMat3,
    /// What bone stretch leaves of its distance to the bone.
    pub thinning: f64,
}

impl BoneSmoothRig {
    /// One point, by the formulas.
    pub(crate) fn reference(&self, point: usize, palette: &Palette, keep_volume: f64) -> Staged {
        let rest = self.points()[point];
        let bones = self.shares().bones(point);
        let turns = self.shares().turns(point);
        let transforms = palette.model_from_rest();
        let posed = |joint: u32, place: DVec3, along: f64| {
            let gap = palette.spans()[joint as usize].gap;
            transforms[joint as usize].transform_point3(place) + along * gap
        };

        let rotation = self.product_below(None, turns, palette.turns());
        let twist =
            turns.iter().map(|t| t.twist * palette.turns()[t.joint as usize].twist_radians).sum();
        let mut center = DVec3::ZERO;
        let mut center_at_rest = DVec3::ZERO;
        let mut bend_cosine = 0.0;
        let mut distance_at_rest = 0.0;
        let mut stretch = DMat3::ZERO;
        let mut thinning = 0.0;
        for bone in bones {
            let bone_stretch = palette.spans()[bone.joint as usize].limb;
            let axis = palette.turns()[bone.joint as usize].twist_axis;
            let posed_axis = (transforms[bone.joint as usize].matrix3 * axis).normalize_or(axis);
            center += bone.weight * posed(bone.joint, bone.place, bone.along);
            center_at_rest += bone.weight * bone.place;
            bend_cosine += bone.weight * (rotation * axis).dot(posed_axis);
            distance_at_rest += bone.weight * (bone_stretch * (rest - bone.place)).length();
            stretch += bone_stretch * bone.weight;
            let lengthened = palette.spans()[bone.joint as usize].stretch;
            thinning += bone.weight * lengthened.powf(-0.5 * keep_volume);
        }
        let outwards = rotation * (stretch * (rest - center_at_rest));
        let over = bend_cosine - MIN_BEND_COSINE;
        let soft = MIN_BEND_COSINE + 0.5 * (over + (over * over + BEND_SOFTNESS).sqrt());
        let soft = soft.min(1.0);
        let widening = soft.powf(-0.25) * (1.0 + DEEP_WIDENING * (1.0 - soft));
        let mut lengthening = widening;
        for _ in 0..LENGTH_STEPS {
            let reached = center + lengthening * outwards;
            let distance: f64 = bones
                .iter()
                .map(|b| b.weight * reached.distance(posed(b.joint, b.place, b.along)))
                .sum();
            if distance > 0.0 {
                lengthening *= distance_at_rest / distance;
            }
        }
        let longer = (lengthening - widening).clamp(0.0, LONGEST);
        let softly =
            longer * longer / (longer + LENGTHENING_ONSET + longer * longer / MOST_LENGTHENING);
        let scale = (widening + softly) * thinning;
        let own = &self.attachments().of_point()[point];
        Staged {
            target: center + scale * outwards,
            rotation,
            direction: outwards.normalize_or_zero(),
            give: ((1.0 - bend_cosine).max(0.0) + GIVE_SOFTNESS).sqrt() * outwards.length()
                - GIVE_SOFTNESS.sqrt() * outwards.length(),
            attachment: posed(own.joint, own.place, own.along),
            twist,
            stretch,
            thinning,
        }
    }

    /// The product of shares below a joint: down a chain in order; over siblings the mean of both
    /// orders, so that none of them comes first.
    fn product_below(
        &self,
        parent: Option<u32>,
        shares: &[TurnShare],
        turns: &[JointTurn],
    ) -> DQuat {
        let of_children: Vec<DQuat> = shares
            .iter()
            .filter(|share| self.parents()[share.joint as usize] == parent)
            .map(|share| {
                let own = turns[share.joint as usize].share(share.swing, share.twist);
                own * self.product_below(Some(share.joint), shares, turns)
            })
            .collect();
        match of_children.as_slice() {
            [] => DQuat::IDENTITY,
            [only] => *only,
            several => {
                let forward = several.iter().fold(DQuat::IDENTITY, |q, &child| q * child);
                let backward = several.iter().rev().fold(DQuat::IDENTITY, |q, &child| q * child);
                let sign = if forward.dot(backward) < 0.0 { -1.0 } else { 1.0 };
                (forward + backward * sign).normalize()
            }
        }
    }
}
