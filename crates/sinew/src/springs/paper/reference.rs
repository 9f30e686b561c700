//! The published springs once more, in f64, slow and as plain as the formulas: what the fast form is tested against.

use glam::{DVec3, Vec3};

use super::bind::{Extent, angle_between, bone_stiffness, edge_stiffness};
use super::{MAX_REACH, MAX_STIFFNESS, PaperFrame, PaperInput, STEP_SECONDS};
use crate::springs::Coefficients;
use crate::springs::SpringStats;
use crate::springs::coefficients::{CoefficientError, Scales};

/// A neighbour of a point.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    point: usize,
    stiffness: f64,
    /// `None` where one of the two is on its bone.
    rest_angle: Option<f64>,
    rest_length: f64,
}

/// A point's own springs.
#[derive(Clone, Debug)]
struct PointSprings {
    joint: usize,
    attachment: DVec3,
    rest_length: f64,
    rest_bend: f64,
    bone_stiffness: f64,
    painted: f64,
    ring: Vec<Neighbour>,
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
    extent: Extent,
}

impl PaperReference {
    /// Binds springs.
    pub(crate) fn bind(input: &PaperInput<'_>) -> Result<Self, CoefficientError> {
        let scales = Scales::resolve(input.coefficients, input.adjacency, input.joint_of_point)?;
        let extent = Extent::of(input);
        let scale_vector = |i: usize| input.positions[i].as_dvec3() - input.attachments[i];
        let mut points: Vec<PointSprings> = (0..input.positions.len())
            .map(|i| {
                let joint = input.joint_of_point[i] as usize;
                let s = scale_vector(i);
                let rest_bend = angle_between(s, input.bone_directions[joint]);
                PointSprings {
                    joint,
                    attachment: input.attachments[i],
                    rest_length: s.length(),
                    rest_bend,
                    bone_stiffness: match extent.is_on_bone(input, i) {
                        true => 0.0,
                        false => bone_stiffness(rest_bend),
                    },
                    painted: scales.of_point[i],
                    ring: Vec::new(),
                }
            })
            .collect();
        let stiffness = edge_stiffness(input.positions, input.triangles, input.adjacency);
        for ((edge, k), scale) in input.adjacency.edges().iter().zip(stiffness).zip(scales.of_edge)
        {
            let [a, b] = edge.points.map(|p| p as usize);
            let neighbour = |point| Neighbour {
                point,
                stiffness: (k * scale).min(MAX_STIFFNESS),
                rest_angle: [a, b]
                    .iter()
                    .all(|&i| !extent.is_on_bone(input, i))
                    .then(|| angle_between(scale_vector(a), scale_vector(b))),
                rest_length: input.positions[a].as_dvec3().distance(input.positions[b].as_dvec3()),
            };
            points[a].ring.push(neighbour(b));
            points[b].ring.push(neighbour(a));
        }
        let coefficients = input.coefficients.clone();
        Ok(Self { points, coefficients, extent })
    }

    /// The forces on point `i` of a frame.
    pub(crate) fn forces_on(&self, i: usize, x: &[DVec3], frame: &PaperFrame<'_>) -> PointForces {
        let scale_vector = |i: usize| {
            let p = &self.points[i];
            x[i] - frame.model_from_rest[p.joint].transform_point3(p.attachment)
        };
        let c = &self.coefficients;
        let own = &self.points[i];
        let s = scale_vector(i);
        let mut forces = PointForces::default();
        for neighbour in &own.ring {
            let along = x[neighbour.point] - x[i];
            let length = along.length();
            let mut k = neighbour.stiffness;
            if length < neighbour.rest_length {
                k *= f64::from(c.compressed);
            }
            if let Some(rest_angle) = neighbour.rest_angle {
                let s_j = scale_vector(neighbour.point);
                let bend = angle_between(s, s_j) - rest_angle;
                forces.torque += f64::from(c.torque) * k * bend * turn_towards(s, s_j);
            }
            if length > 0.0 {
                forces.edge +=
                    f64::from(c.edge) * k * (1.0 - neighbour.rest_length / length) * along;
            }
        }
        let bone = frame.bone_directions[own.joint];
        let bend = angle_between(s, bone) - own.rest_bend;
        let of_bone = (own.bone_stiffness * own.painted * f64::from(c.bone)).min(MAX_STIFFNESS);
        forces.bone = of_bone * bend * turn_towards(s, bone);
        if s.length() > 0.0 {
            let of_length = (own.painted * f64::from(c.length)).min(MAX_STIFFNESS);
            forces.length = of_length * (own.rest_length / s.length() - 1.0) * s;
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
        let mut stats = SpringStats::default();
        let side = self.extent.smallest_side();
        for _ in 0..frame.iterations {
            let steps: Vec<DVec3> = (0..x.len())
                .map(|i| {
                    if frame.pins.iter().any(|pin| pin.point as usize == i) {
                        return DVec3::ZERO;
                    }
                    let step = STEP_SECONDS * self.forces_on(i, &x, frame).sum();
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

/// `(|s|² t − (s·t) s)/|s×t|`: at a right angle to `s`, towards `t`, as long as `s`; zero where they are parallel.
fn turn_towards(s: DVec3, t: DVec3) -> DVec3 {
    let sine = s.cross(t).length();
    if sine > 0.0 { (s.length_squared() * t - s.dot(t) * s) / sine } else { DVec3::ZERO }
}
