//! A cage in a GLB: written beside the character, read back, kept by who writes the file again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::{DVec3, UVec3};
use sinew::Character;
use sinew::cage::{Cage, CoordinateKind};
use sinew::frame::CageRig;
use sinew::motion::{Curve, HandleTrack};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::{Format, Loaded, WriteOptions, character_to_glb, read_character_from_bytes};

fn character() -> Character {
    build(&SampleOptions::new(SampleKind::Box)).unwrap()
}

fn rig(character: &Character, rings: u32) -> CageRig {
    let bounds = character.bounds();
    let (low, high) = (bounds.min.as_dvec3() - 0.1, bounds.max.as_dvec3() + 0.1);
    let cage = Cage::lattice(low, high, UVec3::new(1, rings, 1)).unwrap();
    // Places that f32 has not.
    let points = cage.points().iter().map(|p| *p * (1.0 + 1e-12) + DVec3::splat(1e-11)).collect();
    CageRig::of(cage.with_points(points).unwrap(), CoordinateKind::Harmonic)
}

fn written(character: &Character, cage: Option<CageRig>) -> Loaded {
    let bytes = character_to_glb(character, &WriteOptions { cage, ..Default::default() }).unwrap();
    read_character_from_bytes(Format::Glb, "box", &bytes).unwrap()
}

fn assert_same(found: Option<&CageRig>, wanted: &CageRig) {
    let found = found.expect("a cage");
    assert_eq!(found.cage.faces(), wanted.cage.faces(), "quads are kept");
    assert_eq!(found.coordinates, wanted.coordinates);
    for (a, b) in found.cage.points().iter().zip(wanted.cage.points()) {
        assert!(a.distance(*b) < 1e-15, "{a} {b}");
    }
}

#[test]
fn a_cage_comes_back_is_no_part_of_the_skin_and_is_kept_by_who_writes_again() {
    let plain = character();
    let own = rig(&plain, 3);
    let first = written(&plain, Some(own.clone()));
    assert_same(first.cage.as_ref(), &own);
    assert_eq!(first.character.parts.len(), plain.parts.len());
    assert!(written(&plain, None).cage.is_none());
    let again = written(&first.character, None);
    assert_same(again.cage.as_ref(), &own);
    // Another one takes its place.
    let other = rig(&plain, 5);
    let replaced = written(&again.character, Some(other.clone()));
    assert_same(replaced.cage.as_ref(), &other);
    assert_eq!(replaced.character.parts.len(), plain.parts.len());
}

#[test]
fn a_cage_that_is_open_is_left_out_and_said() {
    let plain = character();
    let whole = rig(&plain, 3);
    let faces = whole.cage.faces()[1..].to_vec();
    let cage = Cage::new(whole.cage.points().to_vec(), faces).unwrap();
    let loaded = written(&plain, Some(CageRig { cage, ..whole }));
    assert!(loaded.cage.is_none());
    let said = loaded.report.warnings.iter().find(|warning| warning.code == "cage-left-out");
    assert!(said.expect("a warning").what.contains("open at edges"));
}

#[test]
fn keys_of_handles_come_back_in_their_clip_at_their_own_times() {
    let mut plain = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let bounds = plain.bounds();
    let (low, high) = (bounds.min.as_dvec3() - 0.1, bounds.max.as_dvec3() + 0.1);
    let cage = CageRig::new(Cage::lattice(low, high, UVec3::new(2, 4, 1)).unwrap());
    let name = plain.clips[0].name.clone();
    let third = 1.0 / 3.0;
    let offsets = vec![DVec3::ZERO, DVec3::new(0.0, 0.1, third), DVec3::X];
    let straight =
        HandleTrack { handle: 5, offsets: Curve::linear(vec![0.0, third, 0.7], offsets) };
    let held = Curve::step(vec![0.1, 0.2], vec![DVec3::Y, DVec3::Z]);
    let tracks = vec![straight, HandleTrack { handle: 7, offsets: held }];
    plain.clips[0].handle_tracks = tracks.clone();
    let first = written(&plain, Some(cage.clone()));
    let clip = first.character.clip(&name).unwrap();
    assert_eq!(clip.handle_tracks, tracks, "bit for bit");
    assert_eq!(first.character.clips[1..], written(&plain, None).character.clips[1..]);
    // Who knows nothing of cages keeps them all the same.
    let again = written(&first.character, None);
    assert_eq!(again.character.clip(&name).unwrap().handle_tracks, tracks);
    let bound = cage.cage.points();
    let moved = clip.rest_cage_at(bound, 0.15);
    assert_eq!(moved[7], bound[7] + DVec3::Y);
    assert!((moved[5] - bound[5] - 0.45 * DVec3::new(0.0, 0.1, third)).length() < 1e-12);
    assert_eq!(moved[4], bound[4]);
    // Without the cage there is nothing that they would move.
    assert!(written(&plain, None).character.clips[0].handle_tracks.is_empty());
    // A cage of fewer handles: what it has not is left out, and said.
    let few = CageRig::new(Cage::lattice(low, high, UVec3::splat(1)).unwrap());
    let loaded = written(&first.character, Some(few.clone()));
    let left = loaded.character.clip(&name).unwrap().handle_tracks.len();
    let num_kept = tracks.iter().filter(|t| (t.handle as usize) < few.cage.points().len()).count();
    assert_eq!(left, num_kept);
    let is_said = loaded.report.warnings.iter().any(|warning| warning.code == "cage-keys-left-out");
    assert_eq!(is_said, num_kept < tracks.len());
}
