//! Cages that are made: closed, through nothing, around everything.

use glam::DVec3;

use super::super::coordinates::QuadMeanValue;
use super::super::{Cage, CageError, CageSettings, CoordinateRows, Selection};
use super::crooked_box;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};

/// What a cage of 112 faces or more should have (`design/cages.md`); the human's has 51.
const GOOD_CONDITION: f64 = 200.0;

fn sample(kind: SampleKind) -> crate::Character {
    build(&SampleOptions::new(kind)).unwrap()
}

fn places(character: &crate::Character) -> Vec<DVec3> {
    let points = character.parts.iter().flat_map(|part| part.mesh.points());
    points.map(|p| p.as_dvec3()).collect()
}

#[test]
fn samples_get_cages_that_are_closed_and_enclose_every_point() {
    for (kind, faces) in [
        (SampleKind::Cylinder, 60),
        (SampleKind::Plus, 120),
        (SampleKind::Arm, 300),
        (SampleKind::Human, 300),
    ] {
        let character = sample(kind);
        let settings = CageSettings { faces, ..CageSettings::default() };
        let cage = Cage::generate(&character, &settings, &Silent).unwrap();
        assert!(cage.check().is_clean(), "{kind:?}: {}", cage.check());
        assert!(cage.volume() > 0.0, "{kind:?}");
        assert!(cage.faces().len() <= faces + 8, "{kind:?}: {} faces", cage.faces().len());
        let points = places(&character);
        assert!(points.iter().all(|&p| cage.encloses(p)), "{kind:?}");
        let rows =
            CoordinateRows::bind(&cage, &QuadMeanValue::new(&cage), &points, &Silent).unwrap();
        let selection = Selection::of(&rows, |_| true);
        assert_eq!(selection.points.len(), cage.points().len(), "{kind:?}");
        if kind == SampleKind::Human {
            let condition = selection.matrix(&rows).condition();
            assert!(condition <= GOOD_CONDITION, "{condition}");
        }
    }
}

#[test]
fn a_symmetric_character_gets_a_symmetric_cage_and_may_do_without() {
    let character = sample(SampleKind::Human);
    let settings = CageSettings { faces: 240, ..CageSettings::default() };
    let is_symmetric = |cage: &Cage| {
        cage.points().iter().all(|p| {
            let image = DVec3::new(-p.x, p.y, p.z);
            cage.points().iter().any(|q| q.distance(image) < 1e-9)
        })
    };
    assert!(is_symmetric(&Cage::generate(&character, &settings, &Silent).unwrap()));
    let plain = CageSettings { symmetric: false, ..settings };
    assert!(!is_symmetric(&Cage::generate(&character, &plain, &Silent).unwrap()));
}

#[test]
fn pieces_holes_and_loose_points_are_enclosed() {
    // Two boxes apart, one of them open, and a point by itself.
    let cage = crooked_box();
    let mut points = cage.points().to_vec();
    let mut triangles: Vec<[u32; 3]> = cage.triangles().skip(2).collect();
    let offset = points.len() as u32;
    points.extend(cage.points().iter().map(|&p| 0.5 * p + DVec3::X * 3.0));
    triangles.extend(cage.triangles().map(|t| t.map(|corner| corner + offset)));
    points.push(DVec3::new(0.0, 4.0, 0.0));
    let settings = CageSettings { faces: 200, ..CageSettings::default() };
    let made = Cage::generate_around(&points, &triangles, &settings, &Silent).unwrap();
    assert!(made.check().is_clean(), "{}", made.check());
    assert!(points.iter().all(|&p| made.encloses(p)));
}

#[test]
fn what_cannot_be_made_is_refused_with_a_reason() {
    let none = Cage::generate_around(&[], &[], &CageSettings::default(), &Silent);
    assert_eq!(none, Err(CageError::NoPoints));
    let points = places(&sample(SampleKind::Cylinder));
    for settings in [
        CageSettings { faces: 10, ..CageSettings::default() },
        CageSettings { offset: 0.0, ..CageSettings::default() },
        CageSettings { offset: f64::NAN, ..CageSettings::default() },
    ] {
        let error = Cage::generate_around(&points, &[], &settings, &Silent).unwrap_err();
        assert!(matches!(error, CageError::CannotGenerate { .. }), "{error}");
    }
}

#[test]
fn legs_that_stand_apart_are_in_tubes_of_their_own() {
    let character = sample(SampleKind::Human);
    let heads = character.skeleton.rest_model_from_joint();
    let place = |name: &str| {
        let joint = character.skeleton.joints().iter().position(|joint| joint.name == name);
        heads[joint.unwrap()].translation
    };
    let between = 0.5 * (place("shin_l") + place("shin_r"));
    for faces in [200, 400] {
        let settings = CageSettings { faces, ..CageSettings::default() };
        let (cage, note) = Cage::generate_noting(&character, &settings, &Silent).unwrap();
        assert_eq!(note, None);
        assert!(!cage.encloses(between), "{faces} faces");
        assert!(places(&character).iter().all(|&p| cage.encloses(p)), "{faces} faces");
    }
    // Without a skeleton nobody knows of legs, and they are in one tube.
    let points = places(&character);
    let triangles = character.parts[0].mesh.point_triangles();
    let settings = CageSettings { faces: 200, ..CageSettings::default() };
    let merged = Cage::generate_around(&points, triangles, &settings, &Silent).unwrap();
    assert!(merged.encloses(between));
}
