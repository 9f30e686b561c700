//! Drags of rows in poses.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

use super::Random;
use crate::mesh::Adjacency;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Palette, Pose};
use crate::weights::drag::{
    Drag, DragInput, DragMotion, DragRule, DragSettings, HeldPose, Hull, soft_selection, why_not,
};
use crate::weights::{RowRules, SkinWeights};

fn transforms(random: &mut Random, n: usize) -> Vec<DAffine3> {
    (0..n)
        .map(|_| {
            let axis = random.place().normalize();
            let turn = DMat3::from_quat(DQuat::from_axis_angle(axis, 2.0 * random.signed()));
            DAffine3::from_mat3_translation(turn, random.place())
        })
        .collect()
}

struct Scene {
    rest: Vec<Vec3>,
    weights: SkinWeights,
    poses: Vec<Vec<DAffine3>>,
}

fn scene(seed: u64, num_influences: usize, num_joints: usize) -> Scene {
    let mut random = Random(seed);
    let rest: Vec<Vec3> = (0..12).map(|_| random.place().as_vec3()).collect();
    let rows: Vec<Vec<(u32, f32)>> = (0..12)
        .map(|_| {
            let first = random.below(num_joints);
            (0..num_influences)
                .map(|at| (((first + at) % num_joints) as u32, 1.1 + random.signed() as f32))
                .collect()
        })
        .collect();
    let (weights, _) = SkinWeights::from_rows(rows, num_joints);
    let poses = (0..3).map(|_| transforms(&mut random, num_joints)).collect();
    Scene { rest, weights, poses }
}

impl Scene {
    fn input<'a>(&'a self, held: &'a [HeldPose]) -> DragInput<'a> {
        let model_from_rest = &self.poses[0];
        DragInput { rest: &self.rest, weights: &self.weights, model_from_rest, held }
    }

    fn place(&self, weights: &SkinWeights, point: usize, pose: usize) -> DVec3 {
        let rest = self.rest[point].as_dvec3();
        let row = weights.row(point).iter();
        row.map(|i| self.poses[pose][i.joint as usize].transform_point3(rest) * f64::from(i.weight))
            .sum()
    }
}

#[test]
fn a_goal_inside_of_the_hull_is_reached_by_the_rows_that_are_written() {
    for rule in [DragRule::Least, DragRule::Fewest] {
        let scene = scene(1, 4, 6);
        let settings = DragSettings { rule, ..DragSettings::default() };
        let mut random = Random(5);
        for point in 0..12u32 {
            let mut drag = Drag::begin(&scene.input(&[]), &[point], None, &settings);
            let mixed = random.weights(4);
            let joints: Vec<u32> =
                scene.weights.row(point as usize).iter().map(|i| i.joint).collect();
            let places = scene.input(&[]).places(point, &joints);
            let goal: DVec3 = places.iter().zip(&mixed).map(|(&place, &w)| place * w).sum();
            drag.solve(&[goal]);
            let after = scene.weights.with_rows(&drag.rows(&scene.weights));
            let at = scene.place(&after, point as usize, 0);
            assert!(at.distance(goal) < 1e-6, "{rule:?}: {at} {goal}");
        }
    }
}

#[test]
fn a_path_that_comes_back_gives_the_weights_back() {
    let scene = scene(2, 8, 9);
    let rules = RowRules { max_influences: 8, locked: Vec::new() };
    let settings = DragSettings { rules, ..DragSettings::default() };
    let mut drag = Drag::begin(&scene.input(&[]), &[3], None, &settings);
    let start = drag.starts()[0];
    let mut random = Random(9);
    for _ in 0..50 {
        drag.solve(&[start + 2.0 * random.place()]);
    }
    drag.solve(&[start]);
    for (_, row) in drag.rows(&scene.weights) {
        for (after, before) in row.iter().zip(scene.weights.row(3)) {
            assert_eq!(after.joint, before.joint);
            assert!((after.weight - before.weight).abs() < 1e-6, "{after:?} {before:?}");
        }
    }
}

#[test]
fn a_held_pose_is_kept_and_two_poses_say_all_of_six_weights() {
    let scene = scene(3, 6, 6);
    let rules = RowRules { max_influences: 6, locked: Vec::new() };
    let settings = DragSettings { rules, ..DragSettings::default() };
    let held = vec![HeldPose { model_from_rest: scene.poses[1].clone(), weight: 1e4 }];
    let by = DVec3::new(0.2, 0.1, -0.1);
    let moved = |held: &[HeldPose]| {
        let mut drag = Drag::begin(&scene.input(held), &[4], None, &settings);
        let goal = drag.starts()[0] + by;
        drag.solve(&[goal]);
        let after = scene.weights.with_rows(&drag.rows(&scene.weights));
        [0, 1]
            .map(|pose| scene.place(&after, 4, pose).distance(scene.place(&scene.weights, 4, pose)))
    };
    let (alone, kept) = (moved(&[]), moved(&held));
    assert!(alone[1] > 10.0 * kept[1], "{alone:?} {kept:?}");
    // The weights of another row, by where it puts the point in two poses.
    let mut random = Random(11);
    let wanted = random.weights(6);
    let joints: Vec<u32> = (0..6).collect();
    let rest = scene.rest[4].as_dvec3();
    let goals = [0, 1].map(|pose: usize| -> DVec3 {
        let place = |(&joint, &w): (&u32, &f64)| {
            scene.poses[pose][joint as usize].transform_point3(rest) * w
        };
        joints.iter().zip(&wanted).map(place).sum()
    });
    let (start, _) = SkinWeights::from_rows(
        (0..12).map(|_| (0..6u32).map(|j| (j, wanted[j as usize] as f32)).collect::<Vec<_>>()),
        6,
    );
    let input = DragInput { weights: &start, ..scene.input(&held) };
    let mut drag = Drag::begin(&input, &[4], None, &settings);
    drag.solve(&[goals[0]]);
    let found = start.with_rows(&drag.rows(&start));
    for influence in found.row(4) {
        let off = f64::from(influence.weight) - wanted[influence.joint as usize];
        assert!(off.abs() < 1e-6, "{off}");
    }
}

#[test]
fn no_more_influences_than_the_budget_and_the_best_that_it_allows() {
    let scene = scene(4, 3, 9);
    let further: Vec<u32> = (0..9).collect();
    let mut random = Random(3);
    for point in 0..12u32 {
        let rules = RowRules { max_influences: 3, locked: Vec::new() };
        let settings = DragSettings { rules, further: further.clone(), ..DragSettings::default() };
        let mut drag = Drag::begin(&scene.input(&[]), &[point], None, &settings);
        let goal = drag.starts()[0] + random.place();
        drag.solve(&[goal]);
        let after = scene.weights.with_rows(&drag.rows(&scene.weights));
        assert!(after.row(point as usize).len() <= 3);
        let reached = scene.place(&after, point as usize, 0).distance(goal);
        // Every set of three joints, by itself, comes no nearer.
        let places = scene.input(&[]).places(point, &further);
        for bits in 0u32..1 << 9 {
            if bits.count_ones() != 3 {
                continue;
            }
            let three: Vec<DVec3> =
                (0..9).filter(|&j| bits >> j & 1 == 1).map(|j| places[j]).collect();
            let least = super::brute::distance_to_hull(&three, goal);
            assert!(reached < least + 1e-6, "point {point}: {reached} {least}");
        }
    }
}

#[test]
fn locked_joints_keep_their_weights_to_the_bit() {
    let scene = scene(6, 4, 6);
    let locked = vec![false, true, false, true, false, false];
    let rules = RowRules { max_influences: 4, locked };
    let settings = DragSettings { rules: rules.clone(), ..DragSettings::default() };
    let points: Vec<u32> = (0..12).collect();
    let mut drag = Drag::begin(&scene.input(&[]), &points, None, &settings);
    let goals: Vec<DVec3> = drag.starts().iter().map(|&at| at + DVec3::X).collect();
    drag.solve(&goals);
    let rows = drag.rows(&scene.weights);
    assert!(rows.len() > 6);
    for (point, row) in rows {
        let locks = |row: &[crate::weights::Influence]| -> Vec<_> {
            row.iter().copied().filter(|i| rules.is_locked(i.joint)).collect()
        };
        assert_eq!(locks(&row), locks(scene.weights.row(point as usize)));
        let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
        assert!((sum - 1.0).abs() < 2e-7);
    }
}

#[test]
fn at_rest_no_drag_changes_anything() {
    let character = build(&SampleOptions::new(SampleKind::Chibi)).unwrap();
    let part = &character.parts[0];
    let weights = part.weights.as_ref().unwrap();
    let palette = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
    let input = DragInput {
        rest: part.mesh.points(),
        weights,
        model_from_rest: palette.model_from_rest(),
        held: &[],
    };
    let points: Vec<u32> = (0..part.mesh.points().len() as u32).collect();
    let adjacency = Adjacency::of(&part.mesh);
    let mut drag = Drag::begin(&input, &points, Some(&adjacency), &DragSettings::default());
    let goals: Vec<DVec3> = drag.starts().iter().map(|&at| at + DVec3::Y).collect();
    drag.solve(&goals);
    assert_eq!(drag.rows(weights), []);
}

#[test]
fn with_one_bent_joint_every_hull_is_a_segment_or_a_point() {
    let character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    let part = &character.parts[0];
    let weights = part.weights.as_ref().unwrap();
    let skeleton = &character.skeleton;
    let mut pose = Pose::rest(skeleton);
    let bent = skeleton.len() / 2;
    let axis = skeleton.joints()[bent].bone_axis();
    pose.joints[bent] = pose.joints[bent].rotated(DVec3::X, 1.3, axis);
    let palette = Palette::new(skeleton, &pose);
    let rest = part.mesh.points();
    let input = DragInput { rest, weights, model_from_rest: palette.model_from_rest(), held: &[] };
    let all: Vec<u32> = (0..skeleton.len() as u32).collect();
    let mut num_segments = 0;
    for point in 0..rest.len() as u32 {
        match input.hull(point, &all) {
            Hull::Segment(_) => num_segments += 1,
            Hull::Point(_) => {}
            other => panic!("point {point} has a {}", other.kind()),
        }
    }
    assert!(num_segments > rest.len() / 2);
}

#[test]
fn smoothness_makes_changes_alike_and_costs_no_distance() {
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let part = &character.parts[0];
    let skeleton = &character.skeleton;
    let weights = part.weights.as_ref().unwrap();
    let joint = skeleton.find("left_forearm").or_else(|| skeleton.find("forearm_l"));
    let joint = joint.unwrap_or(skeleton.len() as u32 / 2);
    let mut pose = Pose::rest(skeleton);
    let axis = skeleton.joints()[joint as usize].bone_axis();
    pose.joints[joint as usize] = pose.joints[joint as usize].rotated(DVec3::X, 1.2, axis);
    let palette = Palette::new(skeleton, &pose);
    let rest = part.mesh.points();
    let model_from_rest = palette.model_from_rest();
    let input = DragInput { rest, weights, model_from_rest, held: &[] };
    let adjacency = Adjacency::of(&part.mesh);
    let head = skeleton.bind_bone(joint)[0].as_vec3();
    let nearest = (0..rest.len() as u32)
        .min_by(|&a, &b| {
            rest[a as usize].distance(head).total_cmp(&rest[b as usize].distance(head))
        })
        .unwrap();
    let soft = soft_selection(rest, &adjacency, &[nearest], 0.12);
    assert!(soft.len() > 20, "{}", soft.len());
    let points: Vec<u32> = soft.iter().map(|&(point, _)| point).collect();
    let run = |smoothness: f64| {
        let settings = DragSettings { smoothness, ..DragSettings::default() };
        let mut drag = Drag::begin(&input, &points, Some(&adjacency), &settings);
        let motion = DragMotion::Translate(DVec3::new(0.01, 0.02, 0.015));
        let starts = drag.starts();
        let goals: Vec<DVec3> =
            starts.iter().zip(&soft).map(|(&at, &(_, share))| motion.goal(at, share)).collect();
        drag.solve(&goals);
        let off: f64 = drag.reached().iter().zip(&goals).map(|(a, b)| a.distance(*b)).sum();
        let after = weights.with_rows(&drag.rows(weights));
        let change = |point: u32, joint: u32| {
            let of = |weights: &SkinWeights| {
                let own = weights.row(point as usize).iter().find(|i| i.joint == joint);
                own.map_or(0.0, |i| f64::from(i.weight))
            };
            of(&after) - of(weights)
        };
        let mut rough = 0.0;
        for &point in &points {
            for &next in adjacency.ring(point as usize) {
                for joint in 0..skeleton.len() as u32 {
                    rough += (change(point, joint) - change(next, joint)).powi(2);
                }
            }
        }
        (off, rough)
    };
    let (plain, smooth) = (run(0.0), run(1.0));
    assert!(smooth.1 < plain.1, "{plain:?} {smooth:?}");
    assert!(smooth.0 < plain.0 + 1e-6 * points.len() as f64, "{plain:?} {smooth:?}");
}

#[test]
fn what_lies_outside_says_by_how_much_and_who_would_reach_it() {
    let scene = scene(8, 2, 6);
    let settings = DragSettings::default();
    let own: Vec<u32> = scene.weights.row(0).iter().map(|i| i.joint).collect();
    let other = (0..6).find(|joint| !own.contains(joint)).unwrap();
    let input = scene.input(&[]);
    let goal = input.places(0, &[other])[0];
    let why = why_not(&input, 0, goal, &settings);
    assert!(why.distance > 1e-3 && why.hull.kind() == "segment");
    assert_eq!(why.further[0].joint, other);
    assert!(why.further[0].distance < 1e-6);
    let inside = why_not(&input, 0, why.reached, &settings);
    assert!(inside.distance < 1e-7 && inside.further.is_empty());
}

#[test]
fn motions_take_what_is_held_all_of_the_way_and_the_rest_by_its_share() {
    let at = DVec3::new(1.0, 0.0, 0.0);
    let scale = DragMotion::Scale { about: DVec3::ZERO, factors: DVec3::splat(3.0) };
    assert_eq!(scale.goal(at, 0.5), DVec3::new(2.0, 0.0, 0.0));
    let turn = DragMotion::Rotate {
        about: DVec3::ZERO,
        axis: DVec3::Z,
        radians: std::f64::consts::FRAC_PI_2,
    };
    assert!(turn.goal(at, 1.0).distance(DVec3::Y) < 1e-12);
    assert_eq!(DragMotion::Translate(DVec3::Y).goal(at, 0.0), at);
}
