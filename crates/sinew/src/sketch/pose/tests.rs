//! What a stroke does to a chain, on samples and on a plain chain of bones.

use std::f64::consts::{FRAC_PI_2, PI};

use super::*;
use crate::Character;
use crate::posing::Hinges;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Joint, JointTransform, Palette};
use crate::sketch::stroke::FitSettings;

/// What must be shown: a chain follows a stroke of its length within 2 % of that length. Bones are
/// chords of the stroke, and what they leave out is the stroke's own.
const FOLLOWS: f64 = 0.02;
/// What must be shown of bones that may not stretch; here it is roundings.
const SAME_LENGTH: f64 = 1e-5;
/// A walk is halved to 1e-9 of a bone.
const ON_STROKE: f64 = 1e-7;

fn of_sample(kind: SampleKind) -> Skeleton {
    build(&SampleOptions::new(kind)).unwrap().skeleton
}

/// Bones of a tenth, straight up.
fn straight(count: u32) -> Skeleton {
    let joint = |index: u32| Joint {
        name: format!("bone_{index}"),
        parent: index.checked_sub(1),
        rest: JointTransform {
            translation: if index == 0 { DVec3::ZERO } else { DVec3::Y * 0.1 },
            ..JointTransform::IDENTITY
        },
        tail_in_joint: DVec3::Y * 0.1,
    };
    Skeleton::new((0..count).map(joint).collect()).unwrap()
}

fn chain(skeleton: &Skeleton, from: &str, to: &str) -> Chain {
    let [from, to] = [from, to].map(|name| skeleton.find(name).unwrap());
    Chain::between(skeleton, from, to, true).unwrap()
}

fn front(through: DVec3) -> StrokePlane {
    StrokePlane { through, normal: DVec3::Z, eye: None }
}

fn stroke(chain: &Chain, plane: StrokePlane, way: &[DVec3]) -> PoseStroke {
    let settings = FitSettings { least_step: 1e-4, tolerance: 1e-3, corner_radians: 0.9 };
    let target = Curve::fit(way, &settings).unwrap();
    let freedom = Freedom::default();
    let limits = Limits::default();
    PoseStroke { chain: chain.clone(), plane, baseline: None, target, freedom, limits }
}

fn with(pose: &Pose, changed: &[(u32, JointPose)]) -> Pose {
    let mut pose = pose.clone();
    for &(joint, of_joint) in changed {
        pose.joints[joint as usize] = of_joint;
    }
    pose
}

fn points(chain: &Chain, skeleton: &Skeleton, pose: &Pose) -> Vec<DVec3> {
    Limb::new(chain, &Limits::default(), (skeleton, pose)).points()
}

fn length(points: &[DVec3]) -> f64 {
    points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
}

/// The largest distance from the bones, all along them, to the stroke.
fn off(points: &[DVec3], stroke: &PoseStroke) -> f64 {
    let along = points.windows(2).flat_map(|pair| {
        (0..=10).map(|step| pair[0].lerp(pair[1], f64::from(step) / 10.0)).collect::<Vec<_>>()
    });
    along
        .map(|at| stroke.plane.onto(at).0)
        .map(|at| stroke.target.closest(at).distance)
        .fold(0.0, f64::max)
}

fn arc(from: DVec3, length: f64, turn: f64) -> Vec<DVec3> {
    let radius = length / turn;
    (0..=100)
        .map(|step| turn * f64::from(step) / 100.0)
        .map(|angle| from + radius * DVec3::new(1.0 - angle.cos(), angle.sin(), 0.0))
        .collect()
}

#[test]
fn a_spine_bent_to_an_arc_follows_it() {
    let skeleton = of_sample(SampleKind::Human);
    let root = skeleton.joints()[0].name.clone();
    let head = skeleton.find("head").unwrap();
    let mut first = head;
    while let Some(parent) = skeleton.joints()[first as usize].parent
        && skeleton.joints()[parent as usize].name != root
    {
        first = parent;
    }
    let spine = Chain::between(&skeleton, first, head, true).unwrap();
    let rest = Pose::rest(&skeleton);
    let before = points(&spine, &skeleton, &rest);
    let plane = front(before[0]);
    for turn in [0.5, 1.0, FRAC_PI_2] {
        let stroke = stroke(&spine, plane, &arc(before[0], length(&before), turn));
        let posed = with(&rest, &stroke.posed(&skeleton, &rest));
        let after = points(&spine, &skeleton, &posed);
        let off = off(&after, &stroke) / length(&before);
        assert!(off < FOLLOWS, "{off} of the length off at {turn}");
    }
}

#[test]
fn a_straight_arm_becomes_an_s_and_no_bone_another_length() {
    let skeleton = straight(12);
    let arm = chain(&skeleton, "bone_0", "bone_11");
    let rest = Pose::rest(&skeleton);
    let length = 1.2;
    // Two half circles of that length together.
    let radius = length / (2.0 * PI);
    let mut way: Vec<DVec3> = Vec::new();
    for step in 0..=50 {
        let angle = PI * f64::from(step) / 50.0;
        way.push(radius * DVec3::new(angle.sin(), 1.0 - angle.cos(), 0.0));
    }
    for step in 1..=50 {
        let angle = PI * f64::from(step) / 50.0;
        way.push(radius * DVec3::new(-angle.sin(), 3.0 - angle.cos(), 0.0));
    }
    let stroke = stroke(&arm, front(DVec3::ZERO), &way);
    let posed = with(&rest, &stroke.posed(&skeleton, &rest));
    let after = points(&arm, &skeleton, &posed);
    let off = off(&after, &stroke) / length;
    assert!(off < FOLLOWS, "{off} of the length off");
    for pair in after.windows(2) {
        assert!((pair[0].distance(pair[1]) - 0.1).abs() < SAME_LENGTH);
    }
}

#[test]
fn the_joints_of_an_arm_of_the_human_lie_on_an_s() {
    let skeleton = of_sample(SampleKind::Human);
    let arm = chain(&skeleton, "upper_arm_l", "hand_l");
    let rest = Pose::rest(&skeleton);
    let before = points(&arm, &skeleton, &rest);
    let length = length(&before);
    let way: Vec<DVec3> = (0..=100)
        .map(|step| f64::from(step) / 100.0)
        .map(|u| before[0] + 0.95 * length * DVec3::new(u, 0.05 * (2.0 * PI * u).sin(), 0.0))
        .collect();
    let stroke = stroke(&arm, front(before[0]), &way);
    let posed = with(&rest, &stroke.posed(&skeleton, &rest));
    let after = points(&arm, &skeleton, &posed);
    for (index, &at) in after.iter().enumerate().take(after.len() - 1) {
        let off = stroke.target.closest(stroke.plane.onto(at).0).distance;
        assert!(off < ON_STROKE, "joint {index} is {off} off");
    }
}

#[test]
fn a_chain_that_may_stretch_covers_the_whole_stroke() {
    let skeleton = straight(10);
    let chain = chain(&skeleton, "bone_0", "bone_9");
    let rest = Pose::rest(&skeleton);
    let way = arc(DVec3::ZERO, 2.0, FRAC_PI_2);
    let mut stroke = stroke(&chain, front(DVec3::ZERO), &way);
    stroke.freedom.stretches = true;
    let posed = with(&rest, &stroke.posed(&skeleton, &rest));
    let after = points(&chain, &skeleton, &posed);
    assert!(after[10].distance(way[100]) < 1e-6, "{}", after[10]);
    assert!(off(&after, &stroke) < FOLLOWS * 2.0);
    assert!(posed.joints.iter().all(|joint| (joint.stretch - 2.0).abs() < 0.02));
}

#[test]
fn twists_keep_all_their_turns_and_depths_stay() {
    let skeleton = straight(8);
    let chain = chain(&skeleton, "bone_1", "bone_7");
    let mut pose = Pose::rest(&skeleton);
    for (index, joint) in pose.joints.iter_mut().enumerate() {
        joint.twist_radians = 4.0 * index as f64;
        *joint = joint.rotated(DVec3::X, 0.2, DVec3::Y);
    }
    let before = points(&chain, &skeleton, &pose);
    let eye = Some(DVec3::new(0.2, 0.4, 3.0));
    let plane = StrokePlane { eye, ..front(before[0]) };
    let from = plane.onto(before[0]).0;
    let stroke = stroke(&chain, plane, &arc(from, 0.9, 1.0));
    let posed = with(&pose, &stroke.posed(&skeleton, &pose));
    for (before, after) in pose.joints.iter().zip(&posed.joints) {
        assert!((before.twist_radians - after.twist_radians).abs() < 1e-9);
    }
    for (before, after) in before.iter().zip(points(&chain, &skeleton, &posed)) {
        let (Depth::Times(was), Depth::Times(is)) = (plane.onto(*before).1, plane.onto(after).1)
        else {
            panic!("the plane is seen");
        };
        assert!((was - is).abs() < ON_STROKE, "{was} {is}");
        assert!(stroke.target.closest(plane.onto(after).0).distance < 1e-3, "under the stroke");
    }
}

#[test]
fn joints_keep_their_offsets_from_a_baseline() {
    let skeleton = straight(6);
    let chain = chain(&skeleton, "bone_0", "bone_5");
    let rest = Pose::rest(&skeleton);
    // The baseline runs a little to the right of the bones; the target is the same, turned.
    let baseline = Curve::of_polyline(&[DVec3::X * 0.03, DVec3::new(0.03, 0.6, 0.0)]).unwrap();
    let turn = glam::DQuat::from_rotation_z(-0.7);
    let target =
        Curve::of_polyline(&[turn * DVec3::X * 0.03, turn * DVec3::new(0.03, 0.6, 0.0)]).unwrap();
    for stretches in [false, true] {
        let stroke = PoseStroke {
            chain: chain.clone(),
            plane: front(DVec3::ZERO),
            baseline: Some(baseline.clone()),
            target: target.clone(),
            freedom: Freedom { stretches, ..Freedom::default() },
            limits: Limits::default(),
        };
        let posed = with(&rest, &stroke.posed(&skeleton, &rest));
        for (index, at) in points(&chain, &skeleton, &posed).into_iter().enumerate() {
            let wanted = turn * (DVec3::Y * 0.1 * index as f64);
            assert!(at.distance(wanted) < 1e-6, "{at} {wanted}");
        }
    }
}

#[test]
fn a_stroke_beside_the_chain_gives_its_shape_and_one_that_may_move_it_its_place() {
    let skeleton = straight(10);
    let chain = chain(&skeleton, "bone_0", "bone_9");
    let rest = Pose::rest(&skeleton);
    let at_root = stroke(&chain, front(DVec3::ZERO), &arc(DVec3::ZERO, 1.0, 1.0));
    let mut beside = stroke(&chain, front(DVec3::ZERO), &arc(DVec3::X * 2.0, 1.0, 1.0));
    let shape = points(&chain, &skeleton, &with(&rest, &at_root.posed(&skeleton, &rest)));
    let same = points(&chain, &skeleton, &with(&rest, &beside.posed(&skeleton, &rest)));
    for (a, b) in shape.iter().zip(&same) {
        assert!(a.distance(*b) < 1e-6);
    }
    beside.freedom.moves_start = true;
    let moved = points(&chain, &skeleton, &with(&rest, &beside.posed(&skeleton, &rest)));
    for (a, b) in shape.iter().zip(&moved) {
        assert!((*a + DVec3::X * 2.0).distance(*b) < 1e-6);
    }
}

#[test]
fn an_arm_that_is_drawn_from_the_hand_is_the_arm_drawn_from_the_shoulder() {
    let skeleton = straight(10);
    let chain = chain(&skeleton, "bone_0", "bone_9");
    let rest = Pose::rest(&skeleton);
    let way = arc(DVec3::ZERO, 1.0, 1.0);
    let forwards = stroke(&chain, front(DVec3::ZERO), &way);
    let mut from_end = way.clone();
    from_end.reverse();
    let turned = stroke(&chain, front(DVec3::ZERO), &from_end).from_upper_end(&skeleton, &rest);
    assert!(turned.target.at(0.0).distance(way[0]) < 1e-9);
    let kept = forwards.clone().from_upper_end(&skeleton, &rest);
    assert_eq!(kept, forwards);
}

#[test]
fn a_limb_with_a_goal_ends_where_a_short_stroke_ends() {
    let skeleton = straight(3);
    let chain = chain(&skeleton, "bone_0", "bone_2");
    let rest = Pose::rest(&skeleton);
    let goal = DVec3::new(0.15, 0.05, 0.0);
    let mut stroke = stroke(&chain, front(DVec3::ZERO), &[DVec3::ZERO, goal]);
    stroke.freedom.ends_there = true;
    let posed = with(&rest, &stroke.posed(&skeleton, &rest));
    let after = points(&chain, &skeleton, &posed);
    assert!(after[3].distance(goal) < 1e-4, "{}", after[3]);
    for pair in after.windows(2) {
        assert!((pair[0].distance(pair[1]) - 0.1).abs() < SAME_LENGTH);
    }
}

#[test]
fn a_short_stroke_points_the_way_and_one_of_another_view_bends_in_that_view() {
    let skeleton = straight(4);
    let chain = chain(&skeleton, "bone_0", "bone_3");
    let rest = Pose::rest(&skeleton);
    let flick = stroke(&chain, front(DVec3::ZERO), &[DVec3::ZERO, DVec3::X * 0.03]);
    let posed = with(&rest, &flick.posed(&skeleton, &rest));
    assert!(points(&chain, &skeleton, &posed)[4].distance(DVec3::X * 0.4) < 1e-6);
    // The same from the side: what was to the right is now away from the eye.
    let side = StrokePlane { through: DVec3::ZERO, normal: DVec3::X, eye: None };
    let flick = stroke(&chain, side, &[DVec3::ZERO, DVec3::NEG_Z * 0.03]);
    let posed = with(&rest, &flick.posed(&skeleton, &rest));
    assert!(points(&chain, &skeleton, &posed)[4].distance(DVec3::NEG_Z * 0.4) < 1e-6);
}

/// How a hinge stands: the bend in radians, and how far off its own plane (a sine), backward below
/// zero.
fn hinge_of(character: &Character, pose: &Pose, joint: &str) -> (f64, f64) {
    let skeleton = &character.skeleton;
    let joint = skeleton.find(joint).unwrap();
    let parent = skeleton.joints()[joint as usize].parent.unwrap();
    let palette = Palette::new(skeleton, pose);
    let of = |joint: u32| &palette.model_from_joint()[joint as usize];
    let tail = of(joint).transform_point3(skeleton.joints()[joint as usize].tail_in_joint);
    let above = (of(joint).translation - of(parent).translation).normalize();
    let along = (tail - of(joint).translation).normalize();
    let hinges = Hinges::of(character);
    let rest = skeleton.joints()[joint as usize].rest.rotation;
    let axis = of(parent).matrix3 * (rest * hinges.joint(joint).unwrap().bend);
    let across = along.reject_from(above);
    (above.angle_between(along), across.dot(axis.cross(above).normalize()))
}

fn kept_to_limits(mut stroke: PoseStroke, character: &Character) -> PoseStroke {
    stroke.limits = Limits::of(&stroke.chain, &Hinges::of(character));
    assert!(!stroke.limits.is_empty());
    stroke
}

/// A corner of two straight lines.
fn corner(from: DVec3, ways: [DVec3; 2]) -> Vec<DVec3> {
    let elbow = from + ways[0];
    let line = |from: DVec3, way: DVec3| (0..20).map(move |i| from + way * (f64::from(i) / 20.0));
    line(from, ways[0]).chain(line(elbow, ways[1])).chain([elbow + ways[1]]).collect()
}

#[test]
fn an_elbow_that_is_drawn_up_in_the_front_view_bends_about_its_hinge() {
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let skeleton = &character.skeleton;
    let rest = Pose::rest(skeleton);
    for (from, to) in [("upper_arm_l", "hand_l"), ("forearm_l", "hand_l")] {
        let chain = chain(skeleton, from, to);
        let before = points(&chain, skeleton, &rest);
        for up in [1.0, -1.0] {
            let across = (before[1] - before[0]).reject_from(DVec3::Z).normalize();
            let ways = [across * before[0].distance(before[1]), DVec3::Y * up * 0.5];
            let way = match from {
                "forearm_l" => vec![before[0], before[0] + across * 0.01 + ways[1]],
                _ => corner(before[0], ways),
            };
            let drawn = stroke(&chain, front(before[0]), &way);
            let free = with(&rest, &drawn.posed(skeleton, &rest));
            let kept = kept_to_limits(drawn, &character);
            let posed = with(&rest, &kept.posed(skeleton, &rest));
            let (bend, towards) = hinge_of(&character, &posed, "forearm_l");
            assert!(bend > 0.8 && (bend.sin() - towards) < 0.01, "{from} {up}: {bend} {towards}");
            let as_free = points(&chain, skeleton, &free);
            for (a, b) in points(&chain, skeleton, &posed).iter().zip(&as_free) {
                assert!(a.distance(*b) < 1e-6, "a roll moves no joint: {a} {b}");
            }
            let (_, without) = hinge_of(&character, &free, "forearm_l");
            assert!(without < 0.5 * bend.sin(), "a ball bends sideways: {without}");
        }
    }
}

#[test]
fn a_knee_that_is_drawn_the_wrong_way_is_straight_and_the_right_way_as_drawn() {
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let skeleton = &character.skeleton;
    let rest = Pose::rest(skeleton);
    let chain = chain(skeleton, "thigh_l", "foot_l");
    let hip = points(&chain, skeleton, &rest)[0];
    let forward = crate::facing::facing(&character).forward.as_dvec3();
    let side = StrokePlane { through: hip, normal: DVec3::X, eye: None };
    for (sign, is_right) in [(1.0, false), (-1.0, true)] {
        let thigh = 0.45 * (DVec3::NEG_Y + sign * -0.3 * forward).normalize();
        let shin = 0.6 * (DVec3::NEG_Y + sign * 0.9 * forward).normalize();
        let kept = kept_to_limits(stroke(&chain, side, &corner(hip, [thigh, shin])), &character);
        let posed = with(&rest, &kept.posed(skeleton, &rest));
        let (bend, towards) = hinge_of(&character, &posed, "shin_l");
        match is_right {
            true => assert!(bend > 0.8 && towards > 0.7, "{bend} {towards}"),
            false => assert!(bend < 0.1 && towards > -0.1, "{bend} {towards}"),
        }
    }
}

/// Whatever is drawn, and on whatever was drawn before.
#[test]
fn no_hinge_bends_backward_or_further_than_it_closes() {
    // A limb that is bent by 3° to 12° has met its hinge's plane in part: 120° off it, by at most
    // this (a sine).
    const BACKWARD: f64 = 0.03;
    for kind in [SampleKind::Human, SampleKind::Chibi, SampleKind::Giant] {
        let character = build(&SampleOptions::new(kind)).unwrap();
        let skeleton = &character.skeleton;
        let mut pose = Pose::rest(skeleton);
        let mut seed = 0x1234_5678_9abc_def1u64;
        let mut random = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let limbs = [["upper_arm_l", "hand_l"], ["thigh_r", "foot_r"], ["forearm_r", "hand_r"]];
        let hinges = ["forearm_l", "shin_r", "forearm_r"];
        for round in 0..60 {
            let [from, to] = limbs[round % 3];
            let chain = chain(skeleton, from, to);
            let root = points(&chain, skeleton, &pose)[0];
            let normal = DVec3::new(random(), random(), random());
            let plane = StrokePlane { through: root, normal, eye: None };
            let way: Vec<DVec3> = (0..6)
                .map(|step| root + f64::from(step) * 0.2 * DVec3::new(random(), random(), random()))
                .map(|at| plane.onto(at).0)
                .collect();
            let mut kept = kept_to_limits(stroke(&chain, plane, &way), &character);
            kept.freedom.ends_there = round % 2 == 0;
            kept.freedom.stretches = round % 5 == 0;
            pose = with(&pose, &kept.posed(skeleton, &pose));
            let (bend, towards) = hinge_of(&character, &pose, hinges[round % 3]);
            assert!(towards > -BACKWARD, "{kind:?} {round}: {towards} at {bend}");
            assert!(bend < 156f64.to_radians(), "{kind:?} {round}: {bend}");
        }
    }
}
