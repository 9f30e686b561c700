//! The loop: `C' → C → A → skin → C'`.

use glam::{DQuat, DVec3, UVec3};

use super::super::coordinates::QuadMeanValue;
use super::super::{
    Cage, CagedPoints, CoupledPart, Coupling, LARGE_GAIN, ReverseError, SampleShift,
};
use super::Random;
use crate::Character;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose, Skeleton};
use crate::skin::{ReferenceSkin, Skin, SkinInput, SkinMethod, centers_of_displacements};
use crate::weights::SkinWeights;

/// Error over edit of one trip around the loop.
const LOOP: f64 = 1e-12;

pub(super) const METHODS: [SkinMethod; 3] =
    [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation];

/// A character of one mesh with a box around it.
pub(super) struct Rigged {
    pub(super) character: Character,
    points: Vec<DVec3>,
    caged: CagedPoints,
}

/// The skin by its definition, for the points that stand for all.
struct Definition<'a> {
    rigged: &'a Rigged,
    skin: ReferenceSkin<'a>,
    centers: Vec<glam::Vec3>,
    center_rows: Vec<f32>,
}

impl<'a> Definition<'a> {
    fn new(rigged: &'a Rigged, method: SkinMethod) -> Self {
        let (centers, center_rows) = rigged.centers(method);
        let skin = ReferenceSkin::bind(method, &rigged.input()).unwrap();
        Self { rigged, skin, centers, center_rows }
    }

    /// How far the loop is from `M = ΦC` and from `M' = skin(M)`, over the diagonal.
    fn misses(&self, state: &State<'_>) -> [f64; 2] {
        let Self { rigged, skin, centers, center_rows } = self;
        let (rows, bound) = (rigged.caged.rows(), rigged.caged.cage());
        let moves: Vec<DVec3> =
            state.rest_cage.iter().zip(bound.points()).map(|(&now, &at)| now - at).collect();
        let moved = |point: usize| rigged.points[point] + rows.place(point, &moves);
        let of_rest = |point: usize| moved(point).distance(rows.place(point, &state.rest_cage));
        let rest = (0..rows.len()).step_by(16).map(of_rest).fold(0.0, f64::max);
        let posed = state.coupling.posed_points(&state.scratch);
        let mut off = 0.0f64;
        for ((&[_, point], posed), shift) in
            state.coupling.points().iter().zip(posed).zip(&state.shifts)
        {
            let point = point as usize;
            let row = center_rows.chunks(moves.len()).nth(point).unwrap_or(&[]);
            let by: DVec3 = row.iter().zip(&moves).map(|(&share, &by)| f64::from(share) * by).sum();
            let center = centers.get(point).map_or(DVec3::ZERO, |center| center.as_dvec3());
            let from = [moved(point) + shift.point, center + by + shift.center];
            let wanted = skin.position_from(&state.palette, point, from).unwrap();
            off = off.max(posed.distance(wanted));
        }
        [rest, off].map(|miss| miss / bound.diagonal())
    }
}

fn caged(cage: &Cage, points: &[DVec3]) -> CagedPoints {
    CagedPoints::bind(cage, &QuadMeanValue::new(cage), points, &Silent).unwrap()
}

impl Rigged {
    pub(super) fn new(kind: SampleKind, num_points: usize, divisions: UVec3) -> Self {
        let options = SampleOptions { points: Some(num_points), ..SampleOptions::new(kind) };
        let character = build(&options).unwrap();
        let points: Vec<DVec3> =
            character.parts[0].mesh.points().iter().map(|p| p.as_dvec3()).collect();
        let bounds = character.bounds();
        let margin = 0.08 * f64::from(bounds.diagonal());
        let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
        let cage = Cage::lattice(low, high, divisions).unwrap();
        let caged = caged(&cage, &points);
        Self { character, points, caged }
    }

    fn input(&self) -> SkinInput<'_> {
        let part = &self.character.parts[0];
        SkinInput {
            positions: part.mesh.points(),
            normals: &[],
            weights: part.weights.as_ref().unwrap(),
            triangles: part.mesh.point_triangles(),
            skeleton: &self.character.skeleton,
        }
    }

    /// Centres of rotation, and how they move with the handles.
    fn centers(&self, method: SkinMethod) -> (Vec<glam::Vec3>, Vec<f32>) {
        let input = self.input();
        let n = self.caged.cage().points().len();
        let mut center_rows = Vec::new();
        if method == SkinMethod::CenterOfRotation {
            center_rows = vec![0.0f32; self.points.len() * n];
            for handle in 0..n {
                let field: Vec<glam::Vec3> = (0..self.points.len())
                    .map(|i| glam::Vec3::splat(self.caged.rows().row(i)[handle] as f32))
                    .collect();
                let image = centers_of_displacements(&input, &[&field], &Silent).unwrap();
                for (point, value) in image[0].iter().enumerate() {
                    center_rows[point * n + handle] = value.x;
                }
            }
        }
        let skin = Skin::bind(method, &input, &Silent).unwrap();
        (skin.centers().to_vec(), center_rows)
    }

    pub(super) fn couple(&self, method: SkinMethod) -> Coupling {
        let part = &self.character.parts[0];
        let (centers, center_rows) = self.centers(method);
        let coupled = CoupledPart {
            first_point: 0,
            points: &self.points,
            triangles: part.mesh.point_triangles(),
            weights: part.weights.as_ref(),
            method,
            centers: &centers,
            center_rows: &center_rows,
        };
        Coupling::bind(&self.caged, &[coupled], &self.character.skeleton).unwrap()
    }

    /// With weights in steps of 1/1024: their sums are one in f32 too, where the reference has
    /// them.
    fn with_round_weights(mut self) -> Self {
        let rows = self.character.parts[0].weights.as_ref().unwrap().rows().map(|row| {
            let mut round: Vec<(u32, f32)> =
                row.iter().map(|i| (i.joint, (1024.0 * i.weight).round() / 1024.0)).collect();
            let others: f32 = round[1..].iter().map(|(_, weight)| weight).sum();
            round[0].1 = 1.0 - others;
            round
        });
        let rows: Vec<_> = rows.collect();
        let (weights, _) = SkinWeights::from_rows(rows, self.character.skeleton.len());
        assert!(weights.rows().all(|row| row.iter().map(|i| i.weight).sum::<f32>() == 1.0));
        self.character.parts[0].weights = Some(weights);
        self
    }
}

/// All six structures.
pub(super) struct State<'a> {
    coupling: &'a Coupling,
    bound: &'a Skeleton,
    pub(super) skeleton: Skeleton,
    pub(super) pose: Pose,
    pub(super) rest_cage: Vec<DVec3>,
    pub(super) posed_cage: Vec<DVec3>,
    shifts: Vec<SampleShift>,
    pub(super) palette: Palette,
    scratch: super::super::CouplingScratch,
}

impl<'a> State<'a> {
    pub(super) fn new(coupling: &'a Coupling, bound: &'a Skeleton) -> Self {
        let mut state = Self {
            coupling,
            bound,
            skeleton: bound.clone(),
            pose: Pose::rest(bound),
            rest_cage: coupling.cage().points().to_vec(),
            posed_cage: coupling.cage().points().to_vec(),
            shifts: Vec::new(),
            palette: Palette::default(),
            scratch: coupling.scratch(),
        };
        state.sync();
        state
    }

    /// `C → A → skin → C'`.
    pub(super) fn sync(&mut self) {
        let mut offsets = vec![DVec3::ZERO; self.bound.len()];
        self.coupling.joint_offsets(&self.rest_cage, &mut offsets);
        self.skeleton.move_joints(self.bound, &offsets);
        self.palette.update(&self.skeleton, &self.pose);
        self.coupling.follow(
            &self.rest_cage,
            &self.palette,
            &self.shifts,
            &mut self.scratch,
            &mut self.posed_cage,
        );
    }

    /// A drag of the posed cage; how far the loop ends from where it should, over the drag.
    fn drag(&mut self, by: &[DVec3]) -> f64 {
        let wanted: Vec<DVec3> = self.posed_cage.iter().zip(by).map(|(&c, &d)| c + d).collect();
        let reverse = self.coupling.reverse(&self.skeleton, &self.pose, &self.palette);
        let reversed = reverse.solve(by).unwrap();
        for (c, d) in self.rest_cage.iter_mut().zip(&reversed.offsets) {
            *c += *d;
        }
        self.sync();
        let longest = by.iter().fold(0.0f64, |longest, d| longest.max(d.length()));
        let errors = self.posed_cage.iter().zip(&wanted).map(|(a, b)| a.distance(*b));
        errors.fold(0.0, f64::max) / longest
    }

    /// `Φ̃ C' = M̃'`, over the diagonal.
    fn misfit(&self) -> f64 {
        let posed = self.coupling.posed_points(&self.scratch);
        let miss = |(sample, at): (usize, &DVec3)| {
            self.coupling.fitted(sample, &self.posed_cage).distance(*at)
        };
        posed.iter().enumerate().map(miss).fold(0.0, f64::max) / self.coupling.cage().diagonal()
    }
}

pub(super) fn random_pose(skeleton: &Skeleton, random: &mut Random, radians: f64) -> Pose {
    let mut pose = Pose::rest(skeleton);
    for (index, joint) in (0u32..).zip(&mut pose.joints) {
        let axis = random.vector().normalize_or(DVec3::X);
        let turn = DQuat::from_axis_angle(axis, radians * random.signed());
        *joint = joint.with_rotation(turn, skeleton.pose_axis(index));
    }
    pose
}

/// Poses in which a method all but flattens the skin under the cage have no reverse; a random
/// pose of ±180° at every joint may be one.
fn is_flat(coupling: &Coupling, state: &State<'_>) -> bool {
    let by = vec![DVec3::X; coupling.num_handles()];
    let reverse = coupling.reverse(&state.skeleton, &state.pose, &state.palette);
    let mut random = Random::new(77);
    let by: Vec<DVec3> = by.iter().map(|_| random.vector()).collect();
    reverse.solve(&by).is_ok_and(|found| found.gain > 200.0)
}

#[test]
fn the_loop_is_exact_for_every_method_at_every_angle() {
    let arm = Rigged::new(SampleKind::Arm, 3000, UVec3::new(2, 6, 2));
    for method in METHODS {
        let coupling = arm.couple(method);
        assert!(!coupling.is_regularized(), "condition {}", coupling.condition());
        let mut random = Random::new(19);
        let mut tried = 0;
        for degrees in [10.0f64, 60.0, 120.0, 180.0] {
            for _ in 0..6 {
                let mut state = State::new(&coupling, &arm.character.skeleton);
                state.pose = random_pose(&state.skeleton, &mut random, degrees.to_radians());
                for joint in &mut state.pose.joints {
                    joint.translation = 0.02 * random.vector();
                    joint.scale = DVec3::ONE + 0.1 * random.vector();
                }
                state.pose.joints[1].stretch = 1.3;
                state.sync();
                if is_flat(&coupling, &state) {
                    continue;
                }
                tried += 1;
                let by: Vec<DVec3> =
                    (0..coupling.num_handles()).map(|_| 0.05 * random.vector()).collect();
                let error = state.drag(&by);
                // What a gain of 200 leaves of sixteen digits.
                assert!(error <= 10.0 * LOOP, "{method:?} ±{degrees}: {error:e}");
            }
        }
        assert!(tried >= 16, "{method:?}: {tried}");
    }
}

#[test]
fn a_thousand_small_drags_stay_exact() {
    let cylinder = Rigged::new(SampleKind::Cylinder, 800, UVec3::new(1, 4, 1));
    for method in METHODS {
        let coupling = cylinder.couple(method);
        let mut random = Random::new(23);
        let mut state = State::new(&coupling, &cylinder.character.skeleton);
        state.pose = random_pose(&state.skeleton, &mut random, 1.0);
        state.sync();
        let start = state.posed_cage.clone();
        let step: Vec<DVec3> =
            (0..coupling.num_handles()).map(|_| 1e-4 * random.vector()).collect();
        for _ in 0..1000 {
            state.drag(&step);
        }
        for ((now, start), step) in state.posed_cage.iter().zip(&start).zip(&step) {
            let error = now.distance(*start + 1000.0 * *step) / (1000.0 * step.length());
            assert!(error <= 1e-11, "{method:?}: {error:e}");
        }
    }
}

#[test]
fn interleaved_edits_keep_everything_in_step_and_go_back_bit_for_bit() {
    let arm = Rigged::new(SampleKind::Arm, 2000, UVec3::new(2, 5, 2)).with_round_weights();
    for method in METHODS {
        let coupling = arm.couple(method);
        let definition = Definition::new(&arm, method);
        let mut random = Random::new(31);
        let mut state = State::new(&coupling, &arm.character.skeleton);
        // Blend shapes: what moves points and centres beside the cage.
        state.shifts = (0..coupling.points().len())
            .map(|_| SampleShift { point: 0.01 * random.vector(), center: 0.01 * random.vector() })
            .collect();
        state.sync();
        let mut history = Vec::new();
        let diagonal = coupling.cage().diagonal();
        for edit in 0..1000 {
            match random.below(3) {
                0 => {
                    let joint = random.below(state.pose.joints.len());
                    let axis = state.skeleton.pose_axis(joint as u32);
                    let turn = DQuat::from_scaled_axis(0.6 * random.vector());
                    let own = state.pose.joints[joint];
                    state.pose.joints[joint] = own.with_rotation(turn, axis);
                    state.pose.joints[joint].stretch = 1.0 + 0.2 * random.signed();
                    state.sync();
                }
                1 => {
                    let handle = random.below(coupling.num_handles());
                    let home = coupling.cage().points()[handle];
                    state.rest_cage[handle] = home + 0.03 * diagonal * random.vector();
                    state.sync();
                }
                _ => {
                    let mut by = vec![DVec3::ZERO; coupling.num_handles()];
                    by[random.below(coupling.num_handles())] = 0.01 * diagonal * random.vector();
                    let error = state.drag(&by);
                    assert!(error <= 1e-9, "{method:?} edit {edit}: {error:e}");
                }
            }
            let misfit = state.misfit();
            assert!(misfit <= 1e-9, "{method:?} edit {edit}: {misfit:e}");
            let misses = definition.misses(&state);
            assert!(misses.iter().all(|miss| *miss <= 1e-9), "{method:?} {edit}: {misses:?}");
            history.push((state.pose.clone(), state.rest_cage.clone(), state.posed_cage.clone()));
        }
        // Undo is a list of snapshots: from each the rest follows, to the last bit.
        for (pose, rest_cage, posed_cage) in history.into_iter().rev().take(50) {
            (state.pose, state.rest_cage) = (pose, rest_cage);
            state.sync();
            assert_eq!(state.posed_cage, posed_cage);
        }
    }
}

#[test]
fn at_rest_the_posed_cage_is_the_rest_cage() {
    let arm = Rigged::new(SampleKind::Arm, 2000, UVec3::new(1, 4, 1));
    for method in SkinMethod::ALL {
        let coupling = arm.couple(method);
        let mut state = State::new(&coupling, &arm.character.skeleton);
        let mut random = Random::new(8);
        for c in &mut state.rest_cage {
            *c += 0.05 * random.vector();
        }
        state.sync();
        for (rest, posed) in state.rest_cage.iter().zip(&state.posed_cage) {
            assert!(rest.distance(*posed) < 1e-10, "{method:?}");
        }
    }
}

#[test]
fn an_affine_rest_cage_moves_points_and_joints_alike() {
    let arm = Rigged::new(SampleKind::Arm, 2000, UVec3::new(2, 4, 2));
    let coupling = arm.couple(SkinMethod::Linear);
    let shear = glam::DMat3::from_cols_array(&[1.2, 0.1, 0.0, 0.3, 0.9, 0.0, 0.0, 0.2, 1.4]);
    let rest_cage: Vec<DVec3> =
        arm.caged.cage().points().iter().map(|&c| shear * c + DVec3::new(1.0, 2.0, 3.0)).collect();
    let mut offsets = vec![DVec3::ZERO; arm.character.skeleton.len()];
    coupling.joint_offsets(&rest_cage, &mut offsets);
    for (joint, offset) in (0u32..).zip(&offsets) {
        let head = arm.character.skeleton.bind_bone(joint)[0];
        let expected = shear * head + DVec3::new(1.0, 2.0, 3.0);
        let error = (head + *offset).distance(expected) / arm.caged.cage().diagonal();
        assert!(error <= 1e-11, "joint {joint}: {error:e}");
        assert!(coupling.joint_row(joint as usize).iter().all(|psi| psi.is_finite()));
    }
}

#[test]
fn a_cage_with_handles_that_move_nothing_is_regularised_and_the_loop_still_closes() {
    let mut rigged = Rigged::new(SampleKind::Cylinder, 600, UVec3::new(1, 3, 1));
    let cage = rigged.caged.cage();
    let mut points = cage.points().to_vec();
    points.push(DVec3::new(0.4, 1.0, 0.1));
    points.push(DVec3::new(-0.3, 0.2, 0.1));
    let cage = Cage::new(points, cage.faces().to_vec()).unwrap();
    rigged.caged = caged(&cage, &rigged.points);
    for method in METHODS {
        let coupling = rigged.couple(method);
        assert!(coupling.is_regularized());
        let mut random = Random::new(41);
        let mut state = State::new(&coupling, &rigged.character.skeleton);
        for (rest, posed) in state.rest_cage.iter().zip(&state.posed_cage) {
            assert!(rest.distance(*posed) < 1e-11);
        }
        state.pose = random_pose(&state.skeleton, &mut random, 1.5);
        state.sync();
        let by: Vec<DVec3> = (0..coupling.num_handles()).map(|_| 0.02 * random.vector()).collect();
        let error = state.drag(&by);
        assert!(error <= 1e-10, "{method:?}: {error:e}");
    }
}

#[test]
fn a_skin_that_linear_blending_has_flattened_has_no_reverse_and_says_so() {
    let mut cylinder = Rigged::new(SampleKind::Cylinder, 800, UVec3::new(1, 4, 1));
    // Half of each bone everywhere: turned around, one takes back what the other does.
    let halves = vec![vec![(0, 0.5), (1, 0.5)]; cylinder.points.len()];
    let (weights, _) = SkinWeights::from_rows(halves, cylinder.character.skeleton.len());
    cylinder.character.parts[0].weights = Some(weights);
    for (method, is_flat) in [(SkinMethod::Linear, true), (SkinMethod::DualQuat, false)] {
        let coupling = cylinder.couple(method);
        let mut state = State::new(&coupling, &cylinder.character.skeleton);
        state.pose.joints[1].twist_radians = std::f64::consts::PI;
        state.sync();
        let reverse = coupling.reverse(&state.skeleton, &state.pose, &state.palette);
        let mut by = vec![DVec3::ZERO; coupling.num_handles()];
        by[8] = DVec3::X * 0.1;
        let reversed = reverse.solve(&by);
        match is_flat {
            true => assert_eq!(reversed, Err(ReverseError::Flat)),
            false => assert!(reversed.unwrap().gain < LARGE_GAIN, "a quarter of a turn"),
        }
    }
}
