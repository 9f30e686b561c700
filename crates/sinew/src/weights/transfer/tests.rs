use super::*;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};

fn sample(kind: SampleKind, num_points: usize) -> Character {
    build(&SampleOptions { points: Some(num_points), ..SampleOptions::new(kind) }).unwrap()
}

/// Half of what two rows differ by, in the mean.
fn difference(a: &SkinWeights, b: &SkinWeights) -> f64 {
    let of_point = |point: usize| {
        let weight = |row: &[crate::weights::Influence], joint: u32| {
            row.iter().find(|i| i.joint == joint).map_or(0.0, |i| f64::from(i.weight))
        };
        let joints = a.row(point).iter().chain(b.row(point)).map(|i| i.joint);
        let joints: std::collections::BTreeSet<u32> = joints.collect();
        joints
            .iter()
            .map(|&j| (weight(a.row(point), j) - weight(b.row(point), j)).abs())
            .sum::<f64>()
            / 2.0
    };
    (0..a.num_points()).map(of_point).sum::<f64>() / a.num_points() as f64
}

#[test]
fn a_character_gives_itself_its_own_weights() {
    let character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
    let found = transfer(&character, &character, &TransferSettings::default(), &Silent).unwrap();
    assert_eq!(found.num_filled, 0);
    let own = character.parts[0].weights.as_ref().unwrap();
    assert!(difference(own, &found.of_part[0]) < 1e-6);
}

#[test]
fn the_humans_weights_fit_the_giant() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let giant = sample(SampleKind::Giant, 6_000);
    let fitted = transfer(&human, &giant, &TransferSettings::default(), &Silent).unwrap();
    let plain = TransferSettings { fit: false, ..TransferSettings::default() };
    let plain = transfer(&human, &giant, &plain, &Silent).unwrap();
    let own = giant.parts[0].weights.as_ref().unwrap();
    let [fitted, plain] = [fitted, plain].map(|found| difference(own, &found.of_part[0]));
    // Twice as tall and twice as wide: without the fit, hands are far from hands.
    assert!(fitted < 0.25 && fitted < 0.5 * plain, "{fitted} {plain}");
}

#[test]
fn what_the_giant_takes_from_the_human_poses_as_its_own_does() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let giant = sample(SampleKind::Giant, 6_000);
    let found = transfer(&human, &giant, &TransferSettings::default(), &Silent).unwrap();
    let [weights, rms] = apart(&giant, &found, &[0]);
    let plain = TransferSettings { fit: false, ..TransferSettings::default() };
    let [_, unfitted] = apart(&giant, &transfer(&human, &giant, &plain, &Silent).unwrap(), &[0]);
    eprintln!(
        "giant: ΔW {weights:.3}, posed rms {:.2} %, unfitted {:.2} %",
        100.0 * rms,
        100.0 * unfitted
    );
    assert!(rms < 0.03 && rms < 0.7 * unfitted, "{rms} {unfitted}");
}

#[test]
fn what_has_no_match_is_filled_and_never_unweighted() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let settings = TransferSettings { max_distance: 0.01, ..TransferSettings::default() };
    let giant = sample(SampleKind::Giant, 4_000);
    let found = transfer(&human, &giant, &settings, &Silent).unwrap();
    assert!(found.num_filled > 400, "{}", found.num_filled);
    let own = giant.parts[0].weights.as_ref().unwrap();
    let apart = difference(own, &found.of_part[0]);
    assert!(apart < 0.3, "{apart}, {} filled", found.num_filled);
    for row in found.of_part[0].rows() {
        let sum: f64 = row.iter().map(|i| f64::from(i.weight)).sum();
        assert!(row.len() <= 4 && (sum - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_spine_of_three_goes_to_a_spine_of_two_in_order() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let giant = sample(SampleKind::Giant, 2_000);
    let map = JointMap::between(&human.skeleton, &giant.skeleton);
    let to = |name: &str| {
        let joint = human.skeleton.find(name).unwrap();
        let to = map.target(joint).unwrap();
        giant.skeleton.joints()[to as usize].name.clone()
    };
    assert_eq!(to("forearm_l"), "forearm_l");
    assert_eq!(to("index_2_r"), "hand_r");
    assert_eq!(to("forearm_twist_l"), "forearm_l");
    assert_eq!(to("spine_3"), "chest");
    assert!(["hips", "spine"].contains(&to("spine_1").as_str()));
}

#[test]
fn a_mix_of_nothing_changes_nothing_and_strangers_are_an_error() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let giant = sample(SampleKind::Giant, 2_000);
    let settings = TransferSettings { mix: 0.0, ..TransferSettings::default() };
    let found = transfer(&human, &giant, &settings, &Silent).unwrap();
    assert!(difference(giant.parts[0].weights.as_ref().unwrap(), &found.of_part[0]) < 1e-6);
    let snake = build(&SampleOptions::new(SampleKind::Snake)).unwrap();
    let strangers = transfer(&snake, &giant, &TransferSettings::default(), &Silent);
    assert!(strangers.is_err() || strangers.is_ok_and(|found| found.map.num_alike() > 0));
}

/// Root of the mean square of the distances between two skins of a character in poses, over its
/// diagonal, and half of what their rows differ by.
fn apart(character: &Character, found: &Transferred, parts: &[usize]) -> [f64; 2] {
    use crate::skeleton::Palette;
    let diagonal = f64::from(character.bounds().diagonal());
    let (mut squares, mut number, mut weights) = (0.0, 0.0, 0.0);
    for pose in crate::weights::refit::range_poses(&character.skeleton, 6) {
        let moved = Palette::new(&character.skeleton, &pose).model_from_rest().to_vec();
        for &part in parts {
            let own = character.parts[part].weights.as_ref().unwrap();
            for (point, rest) in character.parts[part].mesh.points().iter().enumerate() {
                let place = |row: &[crate::weights::Influence]| -> glam::DVec3 {
                    let of = |i: &crate::weights::Influence| {
                        let place = moved[i.joint as usize].transform_point3(rest.as_dvec3());
                        place * f64::from(i.weight)
                    };
                    row.iter().map(of).sum()
                };
                let by = place(own.row(point)) - place(found.of_part[part].row(point));
                squares += by.length_squared();
                number += 1.0;
            }
        }
    }
    let mut num_points = 0.0;
    for &part in parts {
        let own = character.parts[part].weights.as_ref().unwrap();
        let num = own.num_points() as f64;
        weights += num * difference(own, &found.of_part[part]);
        num_points += num;
    }
    [weights / num_points, (squares / number).sqrt() / diagonal]
}

#[test]
fn the_humans_weights_fit_the_clothes_over_it() {
    let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let suit = build(&SampleOptions::new(SampleKind::Suit)).unwrap();
    // All but the body itself.
    let clothes: Vec<usize> = (0..suit.parts.len())
        .filter(|&part| suit.parts[part].mesh.name() != human.parts[0].mesh.name())
        .collect();
    let found = transfer(&human, &suit, &TransferSettings::default(), &Silent).unwrap();
    let [weights, rms] = apart(&suit, &found, &clothes);
    eprintln!("clothes: ΔW {weights:.3}, posed rms {:.2} %", 100.0 * rms);
    assert!(weights < 0.2 && rms < 0.02, "{weights} {rms}");
}
