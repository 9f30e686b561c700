use super::*;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::weights::PointRow;

fn human() -> Character {
    build(&SampleOptions::new(SampleKind::Human)).unwrap()
}

/// The left side painted over: what the right has is then another thing.
fn lopsided(character: &Character) -> Character {
    let mut changed = character.clone();
    let skeleton = &character.skeleton;
    let joint = skeleton.find("forearm_l").unwrap();
    let rules = RowRules::default();
    let part = &mut changed.parts[0];
    let weights = part.weights.as_ref().unwrap();
    let rows: Vec<PointRow> = (0u32..)
        .zip(part.mesh.points())
        .filter(|(_, point)| point.x > 0.02)
        .map(|(point, place)| {
            let amount = f64::from((place.y * 7.0).sin().abs()) * 0.3;
            (point, rules.with_weight(weights.row(point as usize), joint, amount))
        })
        .collect();
    part.weights = Some(weights.with_rows(&rows));
    changed
}

fn mirrored(character: &Character, by: MirrorBy, from: Side) -> (Character, Mirrored) {
    let settings = MirrorSettings { from, by, rules: RowRules::default() };
    let found = mirror(character, &settings).unwrap();
    let mut out = character.clone();
    for (part, rows) in out.parts.iter_mut().zip(&found.of_part) {
        part.weights = part.weights.as_ref().map(|weights| weights.with_rows(rows));
    }
    (out, found)
}

/// How far the row of the partner is from the mirror image of each point's.
fn asymmetry(character: &Character) -> f64 {
    let part = &character.parts[0];
    let weights = part.weights.as_ref().unwrap();
    let pairs = JointPairs::of(&character.skeleton).unwrap();
    let plane = MirrorPlane::of(&character.skeleton, &pairs);
    let partners = topology::partners(&part.mesh, &plane);
    let mut worst = 0.0f64;
    for (point, partner) in partners.iter().enumerate() {
        let partner = partner.expect("the sample's halves are alike") as usize;
        let image = pairs.row(&entries(weights, partner as u32));
        for influence in weights.row(point) {
            let there: f64 = image.iter().filter(|e| e.0 == influence.joint).map(|e| e.1).sum();
            worst = worst.max((there - f64::from(influence.weight)).abs());
        }
    }
    worst
}

#[test]
fn the_other_side_is_the_mirror_image_by_position_and_by_topology() {
    let lopsided = lopsided(&human());
    assert!(asymmetry(&lopsided) > 0.1);
    for by in [MirrorBy::Position, MirrorBy::Topology] {
        for from in [Side::Left, Side::Right] {
            let (out, found) = mirrored(&lopsided, by, from);
            assert!(asymmetry(&out) < 1e-6, "{by:?} {from:?}: {}", asymmetry(&out));
            assert_eq!(found.num_by_position, 0);
            for row in out.parts[0].weights.as_ref().unwrap().rows() {
                let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
                assert!(row.len() <= 4 && (sum - 1.0).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn by_topology_a_half_that_was_moved_has_its_partners_still() {
    let character = lopsided(&human());
    // One arm is somewhere else: its place says nothing any more.
    let mut bent = character.clone();
    let points = bent.parts[0].mesh.points().iter().map(|&point| {
        if point.x < -0.25 { point + glam::Vec3::new(0.0, -0.4, 0.3) } else { point }
    });
    bent.parts[0].mesh = bent.parts[0].mesh.with_points(points.collect());
    let (straight, _) = mirrored(&character, MirrorBy::Topology, Side::Left);
    let (out, _) = mirrored(&bent, MirrorBy::Topology, Side::Left);
    assert_eq!(out.parts[0].weights, straight.parts[0].weights);
}

#[test]
fn locked_joints_stay_and_a_skeleton_without_sides_is_an_error() {
    let character = lopsided(&human());
    let joint = character.skeleton.find("forearm_r").unwrap();
    let mut locked = vec![false; character.skeleton.len()];
    locked[joint as usize] = true;
    let rules = RowRules { locked, ..RowRules::default() };
    let settings = MirrorSettings { from: Side::Left, by: MirrorBy::Position, rules };
    let found = mirror(&character, &settings).unwrap();
    let weights = character.parts[0].weights.as_ref().unwrap();
    let of = |row: &[Influence]| row.iter().find(|i| i.joint == joint).copied();
    assert!(!found.of_part[0].is_empty());
    for (point, row) in &found.of_part[0] {
        assert_eq!(of(row), of(weights.row(*point as usize)));
    }
    let arm = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let settings = MirrorSettings { rules: RowRules::default(), ..settings };
    assert_eq!(mirror(&arm, &settings), Err(MirrorError::NoPairs));
}
