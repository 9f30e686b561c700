//! Rests and settings that change without binding.

use super::*;

fn bits(springs: &PaperSprings, posed: &Posed) -> (Vec<Vec3>, SpringStats) {
    let mut out = vec![Vec3::ZERO; springs.row_of_point.len()];
    let stats = springs.deform(&posed.frame(), &mut springs.scratch(), &mut out);
    (out, stats)
}

#[test]
fn a_refit_to_the_bound_rest_gives_the_same_bits() {
    let rig = Rig::sample(SampleKind::Human, 2500);
    let skeleton = &rig.character.as_ref().unwrap().skeleton;
    let posed = rig.turned(50.0, 20.0);
    let bound = PaperSprings::bind(&rig.input()).unwrap();
    let mut fitted = bound.clone();
    let moved: Vec<Vec3> = rig.positions.iter().map(|p| *p * 1.7 + Vec3::X).collect();
    fitted.refit(&moved, skeleton);
    assert_ne!(bits(&fitted, &posed), bits(&bound, &posed));
    fitted.refit(&rig.positions, skeleton);
    assert_eq!(bits(&fitted, &posed), bits(&bound, &posed));
    assert_eq!(fitted.tables(), bound.tables());
}

#[test]
fn a_refit_to_another_rest_is_what_binding_there_gives() {
    let rig = Rig::sample(SampleKind::Cylinder, 1800);
    let mut springs = PaperSprings::bind(&rig.input()).unwrap();
    let mut other = Rig::sample(SampleKind::Cylinder, 1800);
    // Thicker, longer and leaning.
    other.reshape(|p| DVec3::new(1.3 * p.x + 0.1 * p.y, 1.2 * p.y, 1.3 * p.z));
    springs.fit(&other.positions, |joint| other.bones[joint as usize]);
    let bound = PaperSprings::bind(&other.input()).unwrap();
    assert_eq!(springs.tables(), bound.tables());
    let posed = other.turned(70.0, 0.0);
    assert_eq!(bits(&springs, &posed), bits(&bound, &posed));
    assert_ne!(bits(&springs, &posed).0, run(&rig, &posed).0, "there is something to follow");
}

#[test]
fn other_coefficients_are_what_binding_with_them_gives() {
    let mut rig = Rig::sample(SampleKind::Cylinder, 400);
    let posed = rig.turned(70.0, 30.0);
    let mut springs = PaperSprings::bind(&rig.input()).unwrap();
    let before = bits(&springs, &posed);
    rig.coefficients = Coefficients {
        torque: 1.3,
        bone: 0.4,
        edge: 0.7,
        length: 2.0,
        compressed: 0.3,
        across_bones_edge: 0.5,
        of_point: (0..rig.positions.len()).map(|i| 0.5 + (i % 3) as f32).collect(),
        of_pair: vec![crate::springs::PairScale::both(rig.adjacency.edges()[7].points, 3.0)],
        ..Coefficients::default()
    };
    rig.step_seconds = 0.02;
    springs.adjust(&rig.coefficients, rig.step_seconds).unwrap();
    let bound = PaperSprings::bind(&rig.input()).unwrap();
    assert_eq!(springs.tables(), bound.tables());
    assert_eq!(bits(&springs, &posed), bits(&bound, &posed));
    // What does not fit changes nothing.
    let kept = bits(&springs, &posed);
    let bad = Coefficients { of_point: vec![1.0; 3], ..Coefficients::default() };
    assert!(springs.adjust(&bad, 0.02).is_err());
    assert!(springs.adjust(&Coefficients::default(), 0.0).is_err());
    assert_eq!(bits(&springs, &posed), kept);
    springs.adjust(&Coefficients::default(), 1.0 / 30.0).unwrap();
    assert_eq!(bits(&springs, &posed), before);
}
