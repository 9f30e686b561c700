//! The published springs once more, in f64, slow and as plain as the formulas: what the fast form
//! is tested against.

use glam::{DVec3, Vec3};

use super::bind::{Extent, angle_between, bone_stiffness, stiffness_of};
use super::refit::axis_of;
use super::{MAX_REACH, MAX_STIFFNESS, PaperFrame, PaperInput};
use crate::attach::Attachment;
use crate::springs::coefficients::{CoefficientError, Scales};
use crate::springs::{Coefficients, Hold, Pin, ScaleEdit, SpringStats};

/// A neighbour of a point.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    point: usize,
    torque_stiffness: f64,
    edge_stiffness: f64,
    /// `None` where one of the two is on its bone.
    rest_angle: Option<f64>,
    rest_length: f64,
}

/// A point's own springs.
#[derive(Clone, Debug)]
struct PointSprings {
    attachment: Attachment,
    rest_length: f64,
    rest_bend: f64,
    bone_stiffness: f64,
    painted: f64,
    ring: Vec<Neighbour>,
}

/// What a frame makes of a point's own springs.
struct Wish {
    axis: DVec3,
    bend: f64,
    bone_stiffness: f64,
    length: f64,
    length_stiffness: f64,
    edge_share: f64,
}

/// The forces on one point, apart.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PointForces {
    /// `F_a`.
    pub torque: DVec3,
    /// `F_b`.
    pub bone: DVec3,
    /// `F_s`.
    pub edge: DVec3,
    /// `F_l`.
    pub length: DVec3,
}

impl PointForces {
    /// All of them together.
    pub(crate) fn sum(&self) -> DVec3 {
        self.torque + self.bone + self.edge + self.length
    }
}

/// Bound springs, f64.
#[derive(Clone, Debug)]
pub(crate) struct PaperReference {
    points: Vec<PointSprings>,
    coefficients: Coefficients,
    step_seconds: f64,
    extent: Extent,
}

impl PaperReference {
    /// Binds springs.
    pub(crate) fn bind(input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        let joints: Vec<u32> = input.attachments.iter().map(|a| a.joint).collect();
        let scales = Scales::resolve(input.coefficients, input.adjacency, &joints)?;
        let extent = Extent::of(input.positions, input.attachments.iter().map(|a| a.place));
        let scale_vector = |i: usize| input.positions[i].as_dvec3() - input.attachments[i].place;
        let mut points: Vec<PointSprings> = (0..input.positions.len())
            .map(|i| {
                let attachment = input.attachments[i];
                let s = scale_vector(i);
                let rest_bend = angle_between(s, axis_of(input.bones[attachment.joint as usize]));
                PointSprings {
                    attachment,
                    rest_length: s.length(),
                    rest_bend,
                    bone_stiffness: match extent.is_on_bone(s) {
                        true => 0.0,
                        false => bone_stiffness(rest_bend),
                    },
                    painted: scales.of_point[i].into(),
                    ring: Vec::new(),
                }
            })
            .collect();
        for (index, edge) in input.adjacency.edges().iter().enumerate() {
            let [a, b] = edge.points.map(|p| p as usize);
            let k = stiffness_of(edge, input.positions, input.triangles);
            let scaled = |scale: f32| (k * f64::from(scale)).min(MAX_STIFFNESS);
            let neighbour = |point| Neighbour {
                point,
                torque_stiffness: scaled(scales.torque_of_edge[index]),
                edge_stiffness: scaled(scales.edge_of_edge[index]),
                rest_angle: [a, b]
                    .iter()
                    .all(|&i| !extent.is_on_bone(scale_vector(i)))
                    .then(|| angle_between(scale_vector(a), scale_vector(b))),
                rest_length: input.positions[a].as_dvec3().distance(input.positions[b].as_dvec3()),
            };
            points[a].ring.push(neighbour(b));
            points[b].ring.push(neighbour(a));
        }
        let coefficients = input.coefficients.clone();
        Ok(Self { points, coefficients, step_seconds: input.step_seconds.into(), extent })
    }

    /// `a'`.
    fn attachment(&self, i: usize, frame: &PaperFrame<'_>) -> DVec3 {
        let Attachment { joint, along, place } = self.points[i].attachment;
        frame.bones[joint as usize].attachment(place, along)
    }

    fn wish(&self, i: usize, frame: &PaperFrame<'_>) -> Wish {
        let own = &self.points[i];
        let c = &self.coefficients;
        let bone = &frame.bones[own.attachment.joint as usize];
        let aimed = own.painted * f64::from(c.bone);
        let mut wish = Wish {
            axis: bone.direction,
            bend: own.rest_bend,
            bone_stiffness: (own.bone_stiffness * aimed).min(MAX_STIFFNESS),
            length: own.rest_length,
            length_stiffness: (own.painted * f64::from(c.length)).min(MAX_STIFFNESS),
            edge_share: 1.0,
        };
        for edit in frame.edits.iter().filter(|edit| edit.point as usize == i) {
            wish.length *= f64::from(edit.factor());
            wish.edge_share = 0.1;
            if let Some(direction) = ScaleEdit::unit_direction(edit) {
                wish.axis = bone.rotation * direction.as_dvec3();
                (wish.bend, wish.bone_stiffness) = (0.0, 10.0 * aimed);
            }
        }
        for pin in frame.pins.iter().filter(|pin| pin.point as usize == i) {
            let Hold::Soft { length, direction } = pin.hold else { continue };
            let wished = pin.position.as_dvec3() - self.attachment(i, frame);
            let held = |stiffness: f32| f64::from(stiffness).min(1.0 / self.step_seconds);
            if length > 0.0 {
                wish.length = wished.length();
                wish.length_stiffness = wish.length_stiffness.max(held(length));
            }
            if direction > 0.0 {
                wish.axis = wished;
                (wish.bend, wish.bone_stiffness) = (0.0, held(direction));
            }
        }
        wish
    }

    /// The forces on point `i` of a frame.
    pub(crate) fn forces_on(&self, i: usize, x: &[DVec3], frame: &PaperFrame<'_>) -> PointForces {
        let scale_vector = |i: usize| x[i] - self.attachment(i, frame);
        let c = &self.coefficients;
        let own = &self.points[i];
        let s = scale_vector(i);
        let wish = self.wish(i, frame);
        let mut forces = PointForces::default();
        for neighbour in &own.ring {
            if let Some(rest_angle) = neighbour.rest_angle {
                let s_j = scale_vector(neighbour.point);
                let bend = angle_between(s, s_j) - rest_angle;
                let k = f64::from(c.torque) * neighbour.torque_stiffness;
                forces.torque += k * bend * turn_towards(s, s_j);
            }
            let along = x[neighbour.point] - x[i];
            let length = along.length();
            if length > 0.0 {
                let compressed = if length < neighbour.rest_length { c.compressed } else { 1.0 };
                let k = wish.edge_share * f64::from(c.edge * compressed) * neighbour.edge_stiffness;
                forces.edge += k * (1.0 - neighbour.rest_length / length) * along;
            }
        }
        let bend = angle_between(s, wish.axis) - wish.bend;
        forces.bone = wish.bone_stiffness * bend * turn_towards(s, wish.axis);
        if s.length() > 0.0 {
            forces.length = wish.length_stiffness * (wish.length / s.length() - 1.0) * s;
        }
        forces
    }

    /// Relaxes a frame.
    pub(crate) fn deform(&self, frame: &PaperFrame<'_>, out: &mut [Vec3]) -> SpringStats {
        let reach = DVec3::splat(MAX_REACH * self.extent.diagonal());
        let mut x: Vec<DVec3> =
            frame.start.iter().map(|p| p.as_dvec3().max(-reach).min(reach)).collect();
        for pin in frame.pins {
            x[pin.point as usize] = pin.position.as_dvec3();
        }
        let is_held =
            |i: usize| frame.pins.iter().any(|p| p.point as usize == i && Pin::is_exact(p));
        let mut stats = SpringStats::default();
        let side = self.extent.smallest_side();
        for _ in 0..frame.iterations {
            let steps: Vec<DVec3> = (0..x.len())
                .map(|i| {
                    if is_held(i) {
                        return DVec3::ZERO;
                    }
                    let step = self.step_seconds * self.forces_on(i, &x, frame).sum();
                    step.clamp_length_max(self.extent.diagonal())
                })
                .collect();
            let largest = steps.iter().map(|step| step.length()).fold(0.0, f64::max);
            for (x, step) in x.iter_mut().zip(steps) {
                *x += step;
            }
            stats.iterations += 1;
            stats.residual = (largest / side) as f32;
            if largest < f64::from(frame.threshold) * side {
                break;
            }
        }
        for (out, x) in out.iter_mut().zip(x) {
            *out = x.as_vec3();
        }
        stats
    }
}

/// `(|s|² t − (s·t) s)/|s×t|`: at a right angle to `s`, towards `t`, as long as `s`; zero where
/// they are parallel.
fn turn_towards(s: DVec3, t: DVec3) -> DVec3 {
    let sine = s.cross(t).length();
    if sine > 0.0 { (s.length_squared() * t - s.dot(t) * s) / sine } else { DVec3::ZERO }
}
