//! Facts about attachments and shares.

use super::*;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};

fn bound(kind: SampleKind, settings: &AttachSettings) -> (Vec<DVec3>, Attachments, Shares) {
    let character = build(&SampleOptions::new(kind)).unwrap();
    let part = &character.parts[0];
    let points: Vec<DVec3> = part.mesh.points().iter().map(|p| p.as_dvec3()).collect();
    let adjacency = Adjacency::of(&part.mesh);
    let input = AttachInput {
        points: &points,
        adjacency: &adjacency,
        triangles: part.mesh.point_triangles(),
        weights: part.weights.as_ref(),
        skeleton: &character.skeleton,
    };
    let attachments = Attachments::bind(&input, settings, &Silent).unwrap();
    let shares = Shares::bind(&input, &attachments, None, (settings, &Silent)).unwrap();
    (points, attachments, shares)
}

#[test]
fn points_of_a_cylinder_hold_on_to_the_axis_beside_them() {
    let settings = AttachSettings { smoothings: 0, ..AttachSettings::default() };
    let (points, attachments, _) = bound(SampleKind::Cylinder, &settings);
    for (p, a) in points.iter().zip(attachments.of_point()) {
        assert!(a.place.distance(DVec3::new(0.0, p.y, 0.0)) < 1e-9, "{p} {a:?}");
    }
}

#[test]
fn shares_are_a_partition_and_rise_along_the_chain() {
    let (points, attachments, shares) = bound(SampleKind::Cylinder, &AttachSettings::default());
    for (point, p) in points.iter().enumerate() {
        let sum: f64 = shares.bones(point).iter().map(|bone| bone.weight).sum();
        assert!((sum - 1.0).abs() < 1e-9);
        let root = shares.turns(point)[0];
        assert_eq!((root.joint, root.swing, root.twist), (0, 1.0, 1.0), "all have all of the root");
        let second = shares.turns(point).iter().find(|turn| turn.joint == 1);
        let (swing, twist) = second.map_or((0.0, 0.0), |turn| (turn.swing, turn.twist));
        match p.y {
            y if y < 0.5 => assert!(swing < 0.03 && twist < 0.1, "{p} {swing} {twist}"),
            y if y > 3.5 => assert!(swing > 0.97 && twist > 0.9, "{p} {swing} {twist}"),
            _ => {}
        }
    }
    assert!(attachments.of_point().iter().any(|a| a.joint == 1));
}

#[test]
fn an_excluded_joint_holds_nothing() {
    let settings = AttachSettings { excluded_joints: vec![2, 99], ..AttachSettings::default() };
    for candidates in [Candidates::All, Candidates::Weighted, Candidates::Dominant] {
        let (_, attachments, _) =
            bound(SampleKind::Box, &AttachSettings { candidates, ..settings.clone() });
        assert!(attachments.of_point().iter().all(|a| a.joint != 2), "{candidates:?}");
    }
}

#[test]
fn smoothing_brings_neighbours_places_together() {
    /// The places of neighbours that are furthest apart, over the length of their edge: the
    /// hundredth largest, so that a few forks of the skeleton, where some gap must be, do not
    /// decide.
    fn gap(smoothings: u32) -> f64 {
        let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
        let settings =
            AttachSettings { smoothings, candidates: Candidates::All, ..AttachSettings::default() };
        let (points, attachments, _) = bound(SampleKind::Plus, &settings);
        let adjacency = Adjacency::of(&character.parts[0].mesh);
        let ratio = |[a, b]: [u32; 2]| {
            let place = |p: u32| attachments.of_point()[p as usize].place;
            place(a).distance(place(b)) / points[a as usize].distance(points[b as usize])
        };
        let mut gaps: Vec<f64> = adjacency.edges().iter().map(|e| ratio(e.points)).collect();
        gaps.sort_by(f64::total_cmp);
        gaps[gaps.len() - 100]
    }
    assert!(gap(6) < 0.9 * gap(0), "{} {}", gap(6), gap(0));
}

#[test]
fn spreading_stops_when_it_is_told_to() {
    struct Cancelled;
    impl Progress for Cancelled {
        fn report(&self, _what: &str, _fraction: f32) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    use crate::progress::Progress;
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let part = &character.parts[0];
    let points: Vec<DVec3> = part.mesh.points().iter().map(|p| p.as_dvec3()).collect();
    let adjacency = Adjacency::of(&part.mesh);
    let triangles = part.mesh.point_triangles();
    let skeleton = &character.skeleton;
    let input =
        AttachInput { points: &points, adjacency: &adjacency, triangles, weights: None, skeleton };
    let settings = AttachSettings::default();
    let attachments = Attachments::bind(&input, &settings, &Silent).unwrap();
    let cancelled = Shares::bind(&input, &attachments, None, (&settings, &Cancelled));
    assert_eq!(cancelled, Err(ShareError::Cancelled));
}

/// What a point of the box at a height has of a joint's swing, at the most.
fn largest_swing(settings: &AttachSettings, joint: u32, heights: std::ops::Range<f64>) -> f64 {
    let (points, _, shares) = bound(SampleKind::Box, settings);
    let at_height = (0..points.len()).filter(|&point| heights.contains(&points[point].y));
    at_height
        .filter_map(|point| shares.turns(point).iter().find(|turn| turn.joint == joint))
        .map(|turn| turn.swing)
        .fold(0.0, f64::max)
}

#[test]
fn a_smaller_influence_keeps_a_bend_near_its_joint() {
    let with = |influence| AttachSettings { influence, ..AttachSettings::default() };
    // Joints of the box are one apart: the middle of the first bone, of its joint 1.
    let [small, whole, large] = [0.4, 1.0, 2.0].map(|i| largest_swing(&with(i), 1, 0.4..0.6));
    assert!(small < 0.5 * whole && whole < 0.8 * large, "{small} {whole} {large}");
    let swing = |influence| largest_swing(&with(influence), 1, 0.4..0.6);
    for (bad, instead) in [(f32::NAN, 1.0), (f32::INFINITY, 4.0), (-1.0, 0.1), (0.0, 0.1)] {
        assert_eq!(swing(bad), swing(instead), "{bad} is kept within bounds");
    }
}

#[test]
fn the_influence_of_one_joint_leaves_the_others_alone() {
    let sharp =
        AttachSettings { influence_of_joint: vec![(1, 0.4), (99, 2.0)], ..Default::default() };
    let plain = AttachSettings::default();
    let at_joint_1 = |settings| largest_swing(settings, 1, 0.4..0.6);
    let at_joint_3 = |settings| largest_swing(settings, 3, 2.4..2.6);
    let (tight, wide) = (at_joint_1(&sharp), at_joint_1(&plain));
    assert!(tight < 0.9 * wide, "{tight} {wide}");
    assert!((at_joint_3(&sharp) - at_joint_3(&plain)).abs() < 0.01);
}

#[test]
fn slopes_say_what_a_wider_reach_gives() {
    /// The third order of ln 1.1, and weights that the cut has taken away before.
    const TOLERANCE: f64 = 4e-3;
    let (points, _, shares) = bound(SampleKind::Cylinder, &AttachSettings::default());
    let wide = AttachSettings { influence: 1.1, ..AttachSettings::default() };
    let (_, _, wider) = bound(SampleKind::Cylinder, &wide);
    let log_reach = f64::from(1.1_f32).ln();
    let (mut still, mut followed) = (0.0_f64, 0.0_f64);
    for point in 0..points.len() {
        let rows = shares.turns(point).iter().zip(shares.turn_slopes(point));
        for (turn, [[first, half_second], _]) in rows {
            let there = wider.turns(point).iter().find(|other| other.joint == turn.joint);
            let there = there.map_or(0.0, |other| other.swing);
            let by = log_reach * (first + log_reach * half_second);
            still = still.max((there - turn.swing).abs());
            followed = followed.max((there - turn.swing - by).abs());
        }
    }
    assert!(still > 4.0 * TOLERANCE, "another reach gives other shares: {still}");
    assert!(followed < TOLERANCE, "{followed}");
}
