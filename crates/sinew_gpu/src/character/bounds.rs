//! A box around a mesh whose points nobody has read: from the rest, and from where the joints are.
//!
//! Shadows and the ground need one before the frame is drawn. A reduction on the card would be
//! exact, but read back without waiting it is of a frame before, and the shadows of what moves fast
//! would be cut; waiting for it is what a frame on the card is to spare. The estimate is of this
//! very frame, the same on every device, and costs a few points a joint: of the points that a joint
//! moves most, those that are farthest in fourteen directions go where the joint takes them. What
//! blends, bulges and swells leaves that by little, for which there is a margin. Where a cage moves
//! the rest on the card, those points go with it, and for each handle the point that it moves most.

use sinew::attach::nearest_joints;
use sinew::frame::{Mover, Plan};
use sinew::glam::Vec3;
use sinew::mesh::Aabb;
use sinew::skeleton::Palette;
use sinew::springs::Pin;

/// Of the box's diagonal, on every side.
const MARGIN: f32 = 0.04;

/// Farthest along these, and against them.
const AXES: [Vec3; 7] = [
    Vec3::X,
    Vec3::Y,
    Vec3::Z,
    Vec3::new(1.0, 1.0, 1.0),
    Vec3::new(1.0, 1.0, -1.0),
    Vec3::new(1.0, -1.0, 1.0),
    Vec3::new(-1.0, 1.0, 1.0),
];

/// What a mesh's box is found from.
#[derive(Clone, Debug)]
pub(super) struct Extent {
    /// The joint that moves each point most; empty if nothing moves the mesh.
    joint_of_point: Vec<u32>,
    num_joints: usize,
    /// Points that are farthest out, and their joints.
    extremes: Vec<(u32, Vec3)>,
    /// The same by number, and what handles of a cage move most.
    marked: Vec<(u32, u32)>,
    of_handles: Vec<u32>,
    rest: Aabb,
}

impl Extent {
    pub(super) fn of(plan: &Plan, part: usize, is_in_cage: bool) -> Self {
        let (of_plan, of_character) = (plan.part(part), &plan.character().parts[part]);
        let joint_of_point = match (of_plan.mover(), &of_character.weights) {
            (Mover::AtRest, _) => Vec::new(),
            (Mover::Skin(_) | Mover::Springs(_), Some(weights)) => weights
                .rows()
                .map(|row| {
                    let most = row.iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
                    most.map_or(0, |influence| influence.joint)
                })
                .collect(),
            (Mover::Skin(_) | Mover::Springs(_), None) => {
                nearest_joints(of_plan.rest(), plan.skeleton())
            }
        };
        let num_joints = plan.skeleton().len();
        let of_handles = match plan.cage().filter(|_| is_in_cage) {
            Some(cage) => cage.most_moved(part),
            None => Vec::new(),
        };
        let mut extent = Self {
            joint_of_point,
            num_joints,
            extremes: Vec::new(),
            marked: Vec::new(),
            of_handles,
            rest: Aabb::EMPTY,
        };
        extent.follow(of_plan.rest());
        extent
    }

    /// Follows a rest.
    pub(super) fn follow(&mut self, rest: &[Vec3]) {
        self.extremes.clear();
        self.rest = Aabb::around(rest.iter().copied().filter(|p| p.is_finite()));
        // Least and most along each axis, of each joint.
        let nothing = [[(f32::INFINITY, 0), (f32::NEG_INFINITY, 0)]; AXES.len()];
        let mut of_joint = vec![nothing; self.num_joints.max(1)];
        for (index, &point) in (0u32..).zip(rest).filter(|(_, p)| p.is_finite()) {
            let joint = self.joint_of(index);
            for (axis, [least, most]) in AXES.iter().zip(&mut of_joint[joint as usize]) {
                let along = axis.dot(point);
                if along < least.0 {
                    *least = (along, index);
                }
                if along > most.0 {
                    *most = (along, index);
                }
            }
        }
        self.marked.clear();
        for (joint, of_axes) in (0u32..).zip(&of_joint) {
            let found = of_axes.as_flattened().iter().filter(|(along, _)| along.is_finite());
            self.marked.extend(found.map(|&(_, point)| (joint, point)));
        }
        let places = self.marked.iter().map(|&(joint, point)| (joint, rest[point as usize]));
        self.extremes.extend(places);
    }

    /// Follows a cage: `by` is how far it moves a point.
    pub(super) fn follow_cage(&mut self, rest: &[Vec3], by: impl Fn(u32) -> Vec3) {
        let of_handles = self.of_handles.iter().map(|&point| (self.joint_of(point), point));
        let marked = self.marked.iter().copied().chain(of_handles);
        let place = |(joint, point): (u32, u32)| (joint, rest[point as usize] + by(point));
        let extremes: Vec<(u32, Vec3)> = marked.map(place).collect();
        let rest = Aabb::around(extremes.iter().map(|(_, p)| *p).filter(|p| p.is_finite()));
        let margin = Vec3::splat(MARGIN * rest.diagonal());
        self.rest = Aabb { min: rest.min - margin, max: rest.max + margin };
        self.extremes = extremes;
    }

    fn joint_of(&self, point: u32) -> u32 {
        self.joint_of_point.get(point as usize).copied().unwrap_or(0)
    }

    pub(super) fn bounds(&self, palette: &Palette, pins: &[Pin]) -> Aabb {
        if self.joint_of_point.is_empty() || palette.is_empty() {
            return self.rest;
        }
        let moved = self.extremes.iter().map(|&(joint, point)| {
            let model_from_rest = &palette.model_from_rest()[joint as usize];
            model_from_rest.transform_point3(point.as_dvec3()).as_vec3()
        });
        let held = pins.iter().map(|pin| pin.position);
        let bounds = Aabb::around(moved.chain(held).filter(|p| p.is_finite()));
        if bounds.is_empty() {
            return bounds;
        }
        let margin = Vec3::splat(MARGIN * bounds.diagonal());
        Aabb { min: bounds.min - margin, max: bounds.max + margin }
    }
}
