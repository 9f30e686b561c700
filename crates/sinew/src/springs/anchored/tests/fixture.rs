//! A mesh in a pose, its solve, and the same solve in plain f64.

use glam::{DQuat, DVec3, Vec3};

use super::super::*;
use super::{SpringStats, Stage};
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::weights::SkinWeights;

/// Neighbour, `k`, `d̂`, `d_e`, `ℓ⁰` and `ℓ_t` of a half-edge.
type PlainHalfEdge = (usize, f64, DVec3, DVec3, f64, f64);

/// A mesh with attachments, and a stage of a pose.
pub(super) struct Fixture {
    pub(super) rest: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) adjacency: Adjacency,
    pub(super) joint_of_point: Vec<u32>,
    pub(super) attachment_distance: Vec<f64>,
    pub(super) arm_length: Vec<f64>,
    pub(super) coefficients: Coefficients,
    pub(super) has_coarse_start: bool,
    /// In the order of points.
    pub(super) stage: Stage,
}

impl Fixture {
    pub(super) fn new(rest: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let num = rest.len();
        Self {
            adjacency: Adjacency::of_triangles(num, &triangles),
            joint_of_point: vec![0; num],
            attachment_distance: rest.iter().map(|p| f64::from(p.x.hypot(p.z))).collect(),
            arm_length: rest.iter().map(|p| f64::from(p.x.hypot(p.z))).collect(),
            coefficients: Coefficients::default(),
            has_coarse_start: false,
            stage: Stage {
                target: rest.iter().map(|p| [p.x, p.y, p.z, 0.0]).collect(),
                rotation: vec![[0.0, 0.0, 0.0, 1.0]; num],
                direction: rest
                    .iter()
                    .map(|p| p.with_y(0.0).normalize_or_zero().extend(0.0).to_array())
                    .collect(),
                attachment: rest.iter().map(|p| [0.0, p.y, 0.0, 1.0]).collect(),
                ..Stage::new(num)
            },
            rest,
            triangles,
        }
    }

    /// A sample in a pose, by blended rotations about blended places on the bones.
    pub(super) fn of_sample(kind: SampleKind, num_points: usize, pose: impl Fn(&mut Pose)) -> Self {
        let mut options = SampleOptions::new(kind);
        options.points = Some(num_points);
        let character = build(&options).unwrap();
        let part = &character.parts[0];
        let mut posed = Pose::rest(&character.skeleton);
        pose(&mut posed);
        let palette = Palette::new(&character.skeleton, &posed);
        let mut fixture =
            Self::new(part.mesh.points().to_vec(), part.mesh.point_triangles().to_vec());
        for point in 0..fixture.rest.len() {
            fixture.stage_point(
                point,
                &character.skeleton,
                part.weights.as_ref().unwrap(),
                (&palette, &posed),
            );
        }
        fixture
    }

    pub(super) fn stage_point(
        &mut self,
        point: usize,
        skeleton: &Skeleton,
        weights: &SkinWeights,
        (palette, pose): (&Palette, &Pose),
    ) {
        let v = self.rest[point].as_dvec3();
        let project = |joint: u32| {
            let [head, tail] = skeleton.rest_bone(joint);
            let along = tail - head;
            let t = (v - head).dot(along) / along.length_squared().max(1e-30);
            head + along * t.clamp(0.0, 1.0)
        };
        let posed =
            |joint: u32, p: DVec3| palette.model_from_rest()[joint as usize].transform_point3(p);
        let (mut rest_center, mut center, mut q) =
            (DVec3::ZERO, DVec3::ZERO, DQuat::from_array([0.0; 4]));
        let mut twist = 0.0;
        for influence in weights.row(point) {
            let w = f64::from(influence.weight);
            rest_center += w * project(influence.joint);
            center += w * posed(influence.joint, project(influence.joint));
            let turn =
                DQuat::from_array(palette.rotations()[influence.joint as usize].map(f64::from));
            q = q + turn * (w * if turn.dot(q) < 0.0 { -1.0 } else { 1.0 });
            twist += w * pose.joints[influence.joint as usize].twist_radians;
        }
        let (q, s) = (q.normalize(), v - rest_center);
        let own = weights.dominant_joint(point);
        let row = |p: DVec3, w: f64| p.extend(w).as_vec4().to_array();
        self.joint_of_point[point] = own;
        self.attachment_distance[point] = v.distance(project(own));
        self.arm_length[point] = s.length();
        self.stage.target[point] = row(center + q * s, twist);
        self.stage.rotation[point] = q.as_quat().to_array();
        self.stage.direction[point] = row((q * s).normalize_or_zero(), 0.0);
        self.stage.attachment[point] = row(posed(own, project(own)), 1.0);
    }

    pub(super) fn bind(&self) -> Anchored {
        self.try_bind().unwrap()
    }

    pub(super) fn try_bind(&self) -> Result<Anchored, CoefficientError> {
        Anchored::bind(&self.input())
    }

    pub(super) fn input(&self) -> AnchoredInput<'_> {
        AnchoredInput {
            positions: &self.rest,
            triangles: &self.triangles,
            adjacency: &self.adjacency,
            joint_of_point: &self.joint_of_point,
            attachment_distance: &self.attachment_distance,
            arm_length: &self.arm_length,
            coefficients: &self.coefficients,
            has_coarse_start: self.has_coarse_start,
            ties: &[],
            is_held: &[],
            guard_scale: &[],
        }
    }

    pub(super) fn stage_in(&self, order: &SlotOrder) -> Stage {
        let of =
            |rows: &[[f32; 4]]| order.point_of_slot().iter().map(|&p| rows[p as usize]).collect();
        Stage {
            target: of(&self.stage.target),
            rotation: of(&self.stage.rotation),
            direction: of(&self.stage.direction),
            attachment: of(&self.stage.attachment),
            contact: of(&self.stage.contact),
        }
    }

    pub(super) fn solve(&self, iterations: u32, start: Start<'_>, pins: &[Pin]) -> Vec<Vec3> {
        self.solve_with(&self.bind(), iterations, start, pins).0
    }

    pub(super) fn solve_with(
        &self,
        plan: &Anchored,
        iterations: u32,
        start: Start<'_>,
        pins: &[Pin],
    ) -> (Vec<Vec3>, SpringStats) {
        let mut stage = self.stage_in(plan.order());
        let frame = AnchoredFrame {
            start,
            pins,
            iterations,
            threshold: 0.0,
            within: None,
            edits: &[],
            growth: 1.0,
            swell: None,
        };
        let mut out = vec![Vec3::NAN; self.rest.len()];
        let stats = plan.solve(&frame, &mut stage, &mut plan.scratch(), &mut out);
        (out, stats)
    }

    pub(super) fn smallest_side(&self) -> f64 {
        f64::from(crate::mesh::Aabb::around(self.rest.iter().copied()).size().min_element())
    }

    pub(super) fn difference(&self, a: &[Vec3], b: &[Vec3]) -> f64 {
        // `f64::max` would pass over what is not a number.
        assert!(a.iter().chain(b).all(|p| p.is_finite()), "shapes to compare are finite");
        let far = a.iter().zip(b).map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()));
        far.fold(0.0, f64::max) / self.smallest_side()
    }

    /// [`Self::reference_from`] the first stage.
    pub(super) fn reference(&self, iterations: u32) -> Vec<Vec3> {
        let targets = self.stage.target.iter();
        let start: Vec<DVec3> =
            targets.map(|t| DVec3::new(t[0].into(), t[1].into(), t[2].into())).collect();
        self.reference_from(&start, iterations)
    }

    /// The energy's gradient step, point by point in f64, as `springs.md` writes it.
    pub(super) fn reference_from(&self, start: &[DVec3], iterations: u32) -> Vec<Vec3> {
        let (g, c) = (&GAINS, &self.coefficients);
        let num = self.rest.len();
        let xyz = |row: &[f32; 4]| DVec3::new(row[0].into(), row[1].into(), row[2].into());
        let target: Vec<DVec3> = self.stage.target.iter().map(xyz).collect();
        let rest: Vec<DVec3> = self.rest.iter().map(|p| p.as_dvec3()).collect();
        let quat = |i: usize| DQuat::from_array(self.stage.rotation[i].map(f64::from));
        let with_reach = |reach: f64| -> Vec<f64> {
            let of_point = |i: usize| {
                let ring = self.adjacency.ring(i);
                let h = ring.iter().map(|&j| rest[i].distance(rest[j as usize])).sum::<f64>()
                    / ring.len() as f64;
                (h / (reach * self.attachment_distance[i])).powi(2).min(1.0)
            };
            (0..num).map(of_point).collect()
        };
        let (anchor, guard) = (with_reach(0.5), with_reach(0.3));
        // `max(0, u)`, rounded over a width.
        let onset = |u: f64, width: f64| match u {
            u if u <= -0.5 * width => 0.0,
            u if u < 0.5 * width => (u + 0.5 * width).powi(2) / (2.0 * width),
            u => u,
        };
        let mut sorted = anchor.clone();
        sorted.sort_by(f64::total_cmp);
        let rho = 1.0 - 0.07 * sorted[num / 10];
        let rho = rho.min(1.0 / (20f64.acosh() / f64::from(iterations.max(1))).cosh());
        let area = |t: u32| {
            let [a, b, c] = self.triangles[t as usize].map(|p| rest[p as usize]);
            0.5 * (b - a).cross(c - a).length()
        };
        let mut rings: Vec<Vec<PlainHalfEdge>> = vec![Vec::new(); num];
        for edge in self.adjacency.edges() {
            let areas: f64 = edge.triangles().map(area).sum();
            for [i, j] in [[0, 1], [1, 0]].map(|ends| ends.map(|e: usize| edge.points[e] as usize))
            {
                let e0 = rest[j] - rest[i];
                let l0 = e0.length();
                let mut k = (areas / (l0 * l0)).min(3.0);
                if self.joint_of_point[i] != self.joint_of_point[j] {
                    k *= f64::from(c.across_bones);
                }
                if let (Some(a), Some(b)) = (c.of_point.get(i), c.of_point.get(j)) {
                    k *= 0.5 * f64::from(a + b);
                }
                let d = ((quat(i) + quat(j)).normalize() * e0).normalize();
                let twist = f64::from(self.stage.target[i][3]) - f64::from(self.stage.target[j][3]);
                let g2 = twist.powi(2) * self.arm_length[i] * self.arm_length[j];
                let twisted = if g2 > 0.0 { g2 / (g2 + 0.05 * l0 * l0) } else { 0.0 };
                let mu = 0.25 + 0.75 * twisted;
                let wish = (1.0 - mu) * l0 * d + mu * (target[j] - target[i]);
                let longer = (target[j].distance(target[i]) - l0).clamp(0.0, 0.7 * g2.sqrt());
                rings[i].push((j, k, d, wish, l0, 1.1 * (l0 + twisted * longer)));
            }
        }
        let tension = f64::from(g.tension * c.edge);
        let orientation = f64::from(g.orientation * c.compressed);
        let (bone, torque) = (f64::from(c.bone), f64::from(c.torque));
        let (stiff, length_gain) = (15.0 * f64::from(c.length), 54.0 * f64::from(c.length));
        let (mut x, mut before) = (start.to_vec(), start.to_vec());
        let mut diagonal = vec![0.0f64; num];
        let mut omega = 1.0;
        for n in 0..iterations {
            omega = match n {
                0 => 1.0,
                1 => 2.0 / (2.0 - rho * rho),
                _ => 4.0 / (4.0 - rho * rho * omega),
            };
            let mut after = before.clone();
            for i in 0..num {
                let (mut force, mut d_sum) = (DVec3::ZERO, anchor[i] * (bone + stiff));
                d_sum += guard[i] * (length_gain + 4.0 * f64::from(c.compressed));
                for &(j, k, d, wish, l0, limit) in &rings[i] {
                    let e = x[j] - x[i];
                    force += k * torque * (e - wish);
                    let taut = (e.length_squared() / limit.powi(2) - 0.92f64.powi(2)).max(0.0);
                    force += k * tension * (taut / (0.82 + 1.19 * taut)).powi(2) * e;
                    force -= k * orientation * onset(0.8 * l0 - e.dot(d), 0.128 * l0) * d;
                    let counted = torque + tension + orientation;
                    d_sum += k * counted;
                }
                let off = x[i] - target[i];
                let direction = xyz(&self.stage.direction[i]);
                let own = xyz(&self.stage.attachment[i]);
                let normal = (target[i] - own).normalize_or_zero();
                force -= anchor[i] * (bone * off + stiff * off.dot(direction) * direction);
                let least = (0.89 + 0.04 * anchor[i]) * self.attachment_distance[i];
                let under = onset(least - normal.dot(x[i] - own), 0.14 * least);
                force += guard[i] * length_gain * under * normal;
                diagonal[i] = diagonal[i].max(d_sum);
                let hat = x[i] + 0.95 * force / diagonal[i];
                after[i] = omega * (hat - before[i]) + before[i];
            }
            before = std::mem::replace(&mut x, after);
        }
        x.iter().map(|p| p.as_vec3()).collect()
    }
}
