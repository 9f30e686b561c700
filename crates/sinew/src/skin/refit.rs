//! A rest that moves: the same topology and weights with the points, and perhaps the bones,
//! elsewhere.
//!
//! What binding is slow to find (joint sets, similarities of weights, attached bones and shares)
//! depends on topology and weights and stays; what is linear in the number of points is written
//! again. Rigid, linear and dual quaternion skins are then what a bind would have given. Centres of
//! rotation are given by the caller, since with areas and similarities as they were they are linear
//! in the rest: `p₀ + Σ w_k p_k`, with `p₀` of [`Skin::centers`] and `p_k` of
//! [`centers_of_displacements`](super::centers_of_displacements). Bone-smooth keeps its shares and
//! where along its bone each point is attached. `docs/methods/refit.md` has how far that is from a
//! bind.

use glam::Vec3;

use super::blocks::{LANES, LaneMap, Lanes, Layout, PointOrder, VectorBlock};
use super::{BlendMethod, Blended, Bound, BucketedSkin, Form, Skin};
use crate::skeleton::Skeleton;

/// Where a skin's points rest now; everything in the order that was bound.
#[derive(Clone, Copy, Debug)]
pub struct SkinRest<'a> {
    /// Model space.
    pub positions: &'a [Vec3],
    /// One a position if normals were bound; empty keeps those that are there.
    pub normals: &'a [Vec3],
    /// Where the centres of rotation are now. Empty keeps them where they are, and for every other
    /// method.
    pub centers: &'a [Vec3],
    /// The joints that were bound, moved or not ([`Skeleton::move_joints`]).
    pub skeleton: &'a Skeleton,
}

impl Skin {
    /// Follows a rest that has moved. Allocates nothing. Refitting to the rest that was bound gives
    /// what was bound.
    ///
    /// # Panics
    /// If the positions, the centres (unless empty), the normals (unless empty) or the joints are
    /// not as many as were bound.
    pub fn refit(&mut self, rest: &SkinRest<'_>) {
        self.bound.refit(rest);
    }

    /// The centres of rotation that were bound, one a position; empty for other methods. A point
    /// that has none is its own.
    pub fn centers(&self) -> &[Vec3] {
        match &self.bound.form {
            Form::Blended(blended) => &blended.centers,
            Form::BoneSmooth(_) => &[],
        }
    }
}

impl BucketedSkin {
    /// Follows a rest that has moved, as [`Skin::refit`]; `rest` is in the order of the input, not
    /// in blocks.
    ///
    /// # Panics
    /// As [`Skin::refit`].
    pub fn refit(&mut self, rest: &SkinRest<'_>) {
        self.bound.refit(rest);
    }
}

impl Bound {
    fn refit(&mut self, rest: &SkinRest<'_>) {
        assert_eq!(rest.positions.len(), self.num_points, "one position a bound one");
        assert_eq!(rest.skeleton.len(), self.num_joints, "the bound joints");
        assert!(
            rest.normals.is_empty() || (self.has_normals && rest.normals.len() == self.num_points),
            "normals are bound, and there is one each"
        );
        match &mut self.form {
            Form::Blended(blended) => blended.refit(rest),
            Form::BoneSmooth(layout) => {
                layout.refit(rest.positions, rest.skeleton, |_, _| {});
                layout.refit_normals(rest.normals);
            }
        }
    }
}

impl Blended {
    fn refit(&mut self, rest: &SkinRest<'_>) {
        let SkinRest { positions, centers, .. } = *rest;
        let Layout { map, rest: lanes, normals } = &mut self.layout;
        let offset_and_center = |point: usize, center: Vec3| {
            let offset = positions[point] - center;
            [offset.x, offset.y, offset.z, center.x, center.y, center.z]
        };
        match self.method {
            BlendMethod::Linear | BlendMethod::DualQuat => {
                refit_lanes(map, lanes, |point, _| positions[point].to_array());
            }
            BlendMethod::CenterOfRotation if centers.is_empty() => {
                refit_lanes(map, lanes, |point, [_, _, _, x, y, z]| {
                    offset_and_center(point, Vec3::new(x, y, z))
                });
            }
            BlendMethod::CenterOfRotation => {
                assert_eq!(centers.len(), positions.len(), "one centre a position");
                refit_lanes(map, lanes, |point, _| offset_and_center(point, centers[point]));
            }
        }
        if !rest.normals.is_empty() {
            for place in map.blocks() {
                refit_normals(&mut normals[place.block], |lane| {
                    rest.normals[map.point(place.first_point, place.block, lane)]
                });
            }
        }
    }
}

/// Writes the rest lanes of every block: `values` of a point, from those that it had.
#[inline]
fn refit_lanes<const N: usize>(
    map: &LaneMap,
    lanes: &mut [Lanes],
    values: impl Fn(usize, [f32; N]) -> [f32; N],
) {
    for place in map.blocks() {
        let (rest, _) = lanes[place.rest_start..].split_at_mut(N);
        let Ok(rest) = <&mut [Lanes; N]>::try_from(rest) else { continue };
        for lane in 0..LANES {
            let point = map.point(place.first_point, place.block, lane);
            let before = std::array::from_fn(|i| rest[i].0[lane]);
            for (lanes, value) in rest.iter_mut().zip(values(point, before)) {
                lanes.0[lane] = value;
            }
        }
    }
}

/// Sixteen vectors into a block.
pub(super) fn refit_normals(block: &mut VectorBlock, normal: impl Fn(usize) -> Vec3) {
    for lane in 0..LANES {
        (block.x.0[lane], block.y.0[lane], block.z.0[lane]) = normal(lane).into();
    }
}

impl LaneMap {
    /// The mesh's point in a lane.
    #[inline]
    fn point(&self, first_point: usize, block: usize, lane: usize) -> usize {
        match self.order {
            PointOrder::User => first_point + self.point_of_lane[block][lane] as usize,
            PointOrder::Bucketed => self.mesh_point_of_lane[block][lane] as usize,
        }
    }
}
