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
    let shares = Shares::bind(&input, &attachments, &Silent).unwrap();
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
    /// The places of neighbours that are furthest apart, over the length of their edge: the hundredth largest, so that a few
    /// forks of the skeleton, where some gap must be, do not decide.
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
    let attachments = Attachments::bind(&input, &AttachSettings::default(), &Silent).unwrap();
    assert_eq!(Shares::bind(&input, &attachments, &Cancelled), Err(ShareError::Cancelled));
}
