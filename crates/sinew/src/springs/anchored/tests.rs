//! The fast path against a plain f64 one, and what must hold whatever the input.

use glam::{DQuat, DVec3, Vec3};

use super::*;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::weights::SkinWeights;

/// Fast against plain after fifty iterations, over the smallest side: f32 rounding of positions, which the iterations do not
/// amplify (1.2e-6 was the most measured; the model's own limit is 2e-4).
const REFERENCE_TOLERANCE: f64 = 1e-5;

/// How far the rest pose may move, over the smallest side.
const REST_TOLERANCE: f64 = 1e-7;

/// From two starts to one shape, over the smallest side, after enough iterations.
const START_TOLERANCE: f64 = 2e-5;

/// Neighbour, `k`, `d̂`, `d_e`, `ℓ⁰` and `ℓ_t` of a half-edge.
type PlainHalfEdge = (usize, f64, DVec3, DVec3, f64, f64);

/// What spoils an input, and its name.
type Degradation = (&'static str, fn(&mut Fixture));

/// A mesh with attachments, and a stage of a pose.
struct Fixture {
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    adjacency: Adjacency,
    joint_of_point: Vec<u32>,
    attachment_distance: Vec<f64>,
    arm_length: Vec<f64>,
    coefficients: Coefficients,
    gains: Gains,
    /// In the order of points.
    stage: Stage,
}

impl Fixture {
    fn new(rest: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        let num = rest.len();
        Self {
            adjacency: Adjacency::of_triangles(num, &triangles),
            joint_of_point: vec![0; num],
            attachment_distance: rest.iter().map(|p| f64::from(p.x.hypot(p.z))).collect(),
            arm_length: rest.iter().map(|p| f64::from(p.x.hypot(p.z))).collect(),
            coefficients: Coefficients::default(),
            gains: Gains::default(),
            stage: Stage {
                target: rest.iter().map(|p| [p.x, p.y, p.z, 0.0]).collect(),
                rotation: vec![[0.0, 0.0, 0.0, 1.0]; num],
                direction: rest
                    .iter()
                    .map(|p| p.with_y(0.0).normalize_or_zero().extend(0.0).to_array())
                    .collect(),
                attachment: rest.iter().map(|p| [0.0, p.y, 0.0, 1.0]).collect(),
            },
            rest,
            triangles,
        }
    }

    /// A sample in a pose, by blended rotations about blended places on the bones.
    fn of_sample(kind: SampleKind, num_points: usize, pose: impl Fn(&mut Pose)) -> Self {
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

    fn stage_point(
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

    fn bind(&self) -> Anchored {
        self.try_bind().unwrap()
    }

    fn try_bind(&self) -> Result<Anchored, CoefficientError> {
        Anchored::bind(&AnchoredInput {
            positions: &self.rest,
            triangles: &self.triangles,
            adjacency: &self.adjacency,
            joint_of_point: &self.joint_of_point,
            attachment_distance: &self.attachment_distance,
            arm_length: &self.arm_length,
            coefficients: &self.coefficients,
            gains: &self.gains,
        })
    }

    fn stage_in(&self, order: &SlotOrder) -> Stage {
        let of =
            |rows: &[[f32; 4]]| order.point_of_slot().iter().map(|&p| rows[p as usize]).collect();
        Stage {
            target: of(&self.stage.target),
            rotation: of(&self.stage.rotation),
            direction: of(&self.stage.direction),
            attachment: of(&self.stage.attachment),
        }
    }

    fn solve(&self, iterations: u32, start: Start<'_>, pins: &[Pin]) -> Vec<Vec3> {
        self.solve_with(&self.bind(), iterations, start, pins).0
    }

    fn solve_with(
        &self,
        plan: &Anchored,
        iterations: u32,
        start: Start<'_>,
        pins: &[Pin],
    ) -> (Vec<Vec3>, SpringStats) {
        let stage = self.stage_in(plan.order());
        let frame = AnchoredFrame {
            stage: &stage,
            start,
            pins,
            iterations,
            threshold: 0.0,
            within: None,
            edits: &[],
        };
        let mut out = vec![Vec3::NAN; self.rest.len()];
        let stats = plan.solve(&frame, &mut plan.scratch(), &mut out);
        (out, stats)
    }

    fn smallest_side(&self) -> f64 {
        f64::from(crate::mesh::Aabb::around(self.rest.iter().copied()).size().min_element())
    }

    fn difference(&self, a: &[Vec3], b: &[Vec3]) -> f64 {
        // `f64::max` would pass over what is not a number.
        assert!(a.iter().chain(b).all(|p| p.is_finite()), "shapes to compare are finite");
        let far = a.iter().zip(b).map(|(a, b)| a.as_dvec3().distance(b.as_dvec3()));
        far.fold(0.0, f64::max) / self.smallest_side()
    }

    /// The energy's gradient step, point by point in f64, as `springs.md` writes it.
    fn reference(&self, iterations: u32) -> Vec<Vec3> {
        let (g, c) = (&self.gains, &self.coefficients);
        let num = self.rest.len();
        let xyz = |row: &[f32; 4]| DVec3::new(row[0].into(), row[1].into(), row[2].into());
        let target: Vec<DVec3> = self.stage.target.iter().map(xyz).collect();
        let rest: Vec<DVec3> = self.rest.iter().map(|p| p.as_dvec3()).collect();
        let quat = |i: usize| DQuat::from_array(self.stage.rotation[i].map(f64::from));
        let anchor: Vec<f64> = (0..num)
            .map(|i| {
                let ring = self.adjacency.ring(i);
                let h = ring.iter().map(|&j| rest[i].distance(rest[j as usize])).sum::<f64>()
                    / ring.len() as f64;
                (h / (0.5 * self.attachment_distance[i])).powi(2).min(1.0)
            })
            .collect();
        let mut sorted = anchor.clone();
        sorted.sort_by(f64::total_cmp);
        let rho = 1.0 - 0.07 * sorted[num / 10];
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
        let (stiff, guard) = (15.0 * f64::from(c.length), 80.0 * f64::from(c.length));
        let (mut x, mut before) = (target.clone(), target.clone());
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
                let (mut force, mut d_sum) = (DVec3::ZERO, anchor[i] * (bone + stiff + guard));
                for &(j, k, d, wish, l0, limit) in &rings[i] {
                    let e = x[j] - x[i];
                    let length = e.length();
                    force += k * torque * (e - wish);
                    force += k * tension * (length - limit).max(0.0) * e / length;
                    force -= k * orientation * (0.8 * l0 - e.dot(d)).max(0.0) * d;
                    let counted = torque + tension + orientation;
                    d_sum += k * counted;
                }
                let off = x[i] - target[i];
                let direction = xyz(&self.stage.direction[i]);
                let own = xyz(&self.stage.attachment[i]);
                let normal = (target[i] - own).normalize_or_zero();
                force -= anchor[i] * (bone * off + stiff * off.dot(direction) * direction);
                let under = 0.9 * self.attachment_distance[i] - normal.dot(x[i] - own);
                force += anchor[i] * guard * under.max(0.0) * normal;
                diagonal[i] = diagonal[i].max(d_sum);
                let hat = x[i] + 0.95 * force / diagonal[i];
                after[i] = omega * (hat - before[i]) + before[i];
            }
            before = std::mem::replace(&mut x, after);
        }
        x.iter().map(|p| p.as_vec3()).collect()
    }
}

fn bent(degrees: f64) -> impl Fn(&mut Pose) {
    move |pose| pose.joints[1].swing = DQuat::from_rotation_z(degrees.to_radians())
}

fn twisted(degrees: f64) -> impl Fn(&mut Pose) {
    move |pose| pose.joints[1].twist_radians = degrees.to_radians()
}

/// Every joint bent a little.
fn curled(pose: &mut Pose) {
    for joint in &mut pose.joints {
        joint.swing = DQuat::from_rotation_x(0.5);
        joint.twist_radians = 0.3;
    }
}

#[test]
fn fifty_iterations_end_where_the_plain_f64_ones_do() {
    for (name, fixture) in [
        ("bend", Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(120.0))),
        ("twist", Fixture::of_sample(SampleKind::Cylinder, 1_800, twisted(150.0))),
        ("box", Fixture::of_sample(SampleKind::Box, 1_800, curled)),
        ("plus", Fixture::of_sample(SampleKind::Plus, 5_600, curled)),
    ] {
        let fast = fixture.solve(50, Start::FirstStage, &[]);
        let plain = fixture.reference(50);
        let off = fixture.difference(&fast, &plain);
        let moved = fixture.difference(&fast, &fixture.reference(0));
        assert!(moved > 100.0 * REFERENCE_TOLERANCE, "{name}: springs moved only {moved:e}");
        assert!(off <= REFERENCE_TOLERANCE, "{name}: {off:e} of {moved:e}");
    }
}

#[test]
fn every_coefficient_does_what_the_plain_one_does() {
    let mut fixture = Fixture::of_sample(SampleKind::Cylinder, 1_000, bent(110.0));
    let neutral = fixture.solve(50, Start::FirstStage, &[]);
    let set: [fn(&mut Coefficients); 7] = [
        |c| c.torque = 0.3,
        |c| c.bone = 3.0,
        |c| c.edge = 0.0,
        |c| c.length = 0.1,
        |c| c.compressed = 0.0,
        |c| c.across_bones = 0.1,
        |c| c.of_point = (0..2_000).map(|i| 0.2 + (i % 5) as f32).collect(),
    ];
    for (which, set) in set.into_iter().enumerate() {
        fixture.coefficients = Coefficients::default();
        set(&mut fixture.coefficients);
        fixture.coefficients.of_point.truncate(fixture.rest.len());
        let fast = fixture.solve(50, Start::FirstStage, &[]);
        let off = fixture.difference(&fast, &fixture.reference(50));
        assert!(off <= REFERENCE_TOLERANCE, "coefficient {which}: {off:e}");
        let changed = fixture.difference(&fast, &neutral);
        assert!(changed > 10.0 * REFERENCE_TOLERANCE, "coefficient {which} changed {changed:e}");
    }
}

#[test]
fn the_rest_pose_stays_where_it_is() {
    for kind in [SampleKind::Cylinder, SampleKind::Plus, SampleKind::Chibi] {
        let mut fixture = Fixture::of_sample(kind, 4_000, |_| {});
        // The stage of a perfect first stage: this is the springs' own drift.
        for (target, p) in fixture.stage.target.iter_mut().zip(&fixture.rest) {
            *target = [p.x, p.y, p.z, 0.0];
        }
        let drift = fixture.difference(&fixture.solve(50, Start::FirstStage, &[]), &fixture.rest);
        assert!(drift <= REST_TOLERANCE, "{}: {drift:e}", kind.name());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 20_000, bent(100.0));
    let plan = fixture.bind();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let pins = [Pin { point: 10_000, position: Vec3::ONE }];
        pool.install(|| fixture.solve_with(&plan, 20, Start::FirstStage, &pins))
    };
    let one = with(1);
    assert_eq!(plan.reach.domains(3, plan.order.num_slots()).len(), 3, "threads take part");
    for threads in [2, 3, 5] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

#[test]
fn waves_of_any_length_give_the_same_bits() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 20_000, bent(100.0));
    let mut plan = fixture.bind();
    assert!(plan.reach.wave > 1, "waves take part");
    plan.reach.wave = 1;
    let one_by_one = fixture.solve_with(&plan, 20, Start::FirstStage, &[]);
    for wave in [2, 3, 6] {
        plan.reach.wave = wave;
        assert!(fixture.solve_with(&plan, 20, Start::FirstStage, &[]) == one_by_one, "{wave}");
    }
}

#[test]
fn every_instruction_set_gives_the_same_shape() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(120.0));
    let mut plan = fixture.bind();
    let (fast, _) = fixture.solve_with(&plan, 50, Start::FirstStage, &[]);
    plan.level = Level::baseline();
    let (baseline, _) = fixture.solve_with(&plan, 50, Start::FirstStage, &[]);
    let off = fixture.difference(&fast, &baseline);
    assert!(off <= REFERENCE_TOLERANCE, "{off:e}");
}

#[test]
fn the_start_does_not_matter() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(60.0));
    let enough = 3_000;
    let from_stage = fixture.solve(enough, Start::FirstStage, &[]);
    let from_rest = fixture.solve(enough, Start::Previous(&fixture.rest), &[]);
    let off = fixture.difference(&from_stage, &from_rest);
    assert!(off <= START_TOLERANCE, "{off:e}");
}

#[test]
fn pins_are_held_to_the_bit_and_pull_their_neighbours() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(40.0));
    let free = fixture.solve(50, Start::FirstStage, &[]);
    let pins: Vec<Pin> = (700..720)
        .map(|point| Pin { point, position: free[point as usize] + Vec3::new(0.05, 0.1, -0.02) })
        .collect();
    let held = fixture.solve(50, Start::FirstStage, &pins);
    for pin in &pins {
        assert_eq!(held[pin.point as usize], pin.position);
    }
    let neighbour = fixture.adjacency.ring(710).iter().find(|p| !(700..720).contains(*p)).unwrap();
    assert!(held[*neighbour as usize].distance(free[*neighbour as usize]) > 0.01);
}

#[test]
fn a_point_without_neighbours_keeps_its_target() {
    let mut rest = vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(3.0, 1.0, 2.0)];
    rest.extend((0..20).map(|i| Vec3::splat(i as f32)));
    let mut fixture = Fixture::new(rest, vec![[0, 1, 2]]);
    fixture.stage.target[3] = [5.0, 6.0, 7.0, 0.5];
    for start in [Start::FirstStage, Start::Previous(&fixture.rest)] {
        assert_eq!(fixture.solve(50, start, &[])[3], Vec3::new(5.0, 6.0, 7.0));
    }
}

#[test]
fn degenerate_input_stays_finite() {
    let sample = Fixture::of_sample(SampleKind::Cylinder, 1_000, bent(90.0));
    let degrade: [Degradation; 8] = [
        ("all points in one place", |f| f.rest.fill(Vec3::ONE)),
        ("a duplicate point", |f| f.rest[500] = f.rest[f.adjacency.ring(500)[0] as usize]),
        ("slivers", |f| {
            for p in &mut f.rest {
                p.y *= 1e-6;
            }
        }),
        ("no distance to the bone", |f| {
            f.attachment_distance.fill(0.0);
            f.arm_length.fill(0.0);
            f.stage.direction.fill([0.0; 4]);
            for (a, t) in f.stage.attachment.iter_mut().zip(&f.stage.target) {
                *a = [t[0], t[1], t[2], 0.0];
            }
        }),
        ("opposite rotations", |f| {
            for (i, q) in f.stage.rotation.iter_mut().enumerate() {
                *q = if i % 2 == 0 { [0.0, 0.0, 0.0, 1.0] } else { [0.0, 0.0, 0.0, -1.0] };
            }
        }),
        ("targets in one place", |f| f.stage.target.fill([0.0; 4])),
        ("a mesh of a micrometre", |f| {
            for p in &mut f.rest {
                *p *= 1e-6;
            }
        }),
        ("no forces at all", |f| {
            f.coefficients.torque = 0.0;
            f.coefficients.bone = 0.0;
            f.coefficients.edge = 0.0;
            f.coefficients.length = 0.0;
            f.coefficients.compressed = 0.0;
        }),
    ];
    for (name, degrade) in degrade {
        let mut fixture = Fixture {
            stage: sample.stage.clone(),
            ..Fixture::new(sample.rest.clone(), sample.triangles.clone())
        };
        degrade(&mut fixture);
        let out = fixture.solve(50, Start::FirstStage, &[]);
        assert!(out.iter().all(|p| p.is_finite()), "{name}");
    }
}

#[test]
fn a_threshold_ends_the_iterations() {
    let fixture = Fixture::of_sample(SampleKind::Cylinder, 1_800, bent(60.0));
    let plan = fixture.bind();
    let stage = fixture.stage_in(plan.order());
    let mut out = vec![Vec3::ZERO; fixture.rest.len()];
    let frame = AnchoredFrame {
        stage: &stage,
        start: Start::FirstStage,
        pins: &[],
        iterations: 5_000,
        threshold: 1e-4,
        within: None,
        edits: &[],
    };
    let stats = plan.solve(&frame, &mut plan.scratch(), &mut out);
    assert!(stats.iterations < 1_000 && stats.residual < 1e-4, "{stats:?}");
}

#[test]
fn a_coefficient_for_a_pair_that_is_no_edge_is_an_error() {
    let mut fixture = Fixture::new(vec![Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE], vec![[0, 1, 2]]);
    fixture.coefficients.of_pair = vec![([2, 0], 2.0)];
    assert!(fixture.try_bind().is_ok());
    fixture.coefficients.of_pair.push(([1, 3], 2.0));
    assert_eq!(fixture.try_bind().unwrap_err(), CoefficientError::NoEdge { a: 1, b: 3 });
    fixture.coefficients = Coefficients { of_point: vec![1.0; 3], ..Coefficients::default() };
    let error = fixture.try_bind().unwrap_err();
    assert_eq!(error, CoefficientError::PointCount { expected: 4, found: 3 });
}
