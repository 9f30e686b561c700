//! Characters and cages that are not good, from generation to a drag in the pose: a clear word, no
//! panic, nothing that is not a number.

use std::sync::Arc;

use glam::{DVec3, UVec3, Vec3};

use super::{CageRig, Controls, Plan, Rig};
use crate::cage::{Cage, CageSettings};
use crate::mesh::RawMesh;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::Skeleton;
use crate::skin::SkinMethod;
use crate::weights::SkinWeights;
use crate::{Character, Part};

fn sample(kind: SampleKind, points: usize) -> Character {
    build(&SampleOptions { points: Some(points), ..SampleOptions::new(kind) }).unwrap()
}

/// A character with other triangles, and further points that no triangle uses.
fn changed(
    character: &Character,
    loose: &[Vec3],
    triangles: impl Fn(&[[u32; 3]]) -> Vec<[u32; 3]>,
) -> Character {
    let part = &character.parts[0];
    let own = part.weights.as_ref().unwrap().rows();
    let own = own.map(|row| row.iter().map(|i| (i.joint, i.weight)).collect::<Vec<_>>());
    let rows: Vec<Vec<(u32, f32)>> = own.chain(loose.iter().map(|_| vec![(1, 1.0)])).collect();
    let positions: Vec<Vec3> = part.mesh.points().iter().chain(loose).copied().collect();
    let raw = RawMesh {
        name: "bad".into(),
        positions,
        triangles: triangles(part.mesh.point_triangles()),
        ..RawMesh::default()
    };
    let welded = raw.weld_within(0.0).unwrap();
    let num_points = welded.part.mesh.points().len();
    assert_eq!(num_points, rows.len(), "nothing was welded");
    let (weights, _) = SkinWeights::from_rows(rows, character.skeleton.len());
    let part = Part { weights: Some(weights), ..welded.part };
    Character { parts: vec![part], ..character.clone() }
}

/// Makes a frame in a bent pose, drags a handle there, and looks at everything that comes of it.
fn goes_round(what: &str, character: &Character, cage: &Cage) {
    let character = Arc::new(character.clone());
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
        let rig = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::of(method) };
        let plan = Plan::bind(&character, &rig, &Silent).unwrap_or_else(|error| {
            panic!("{what}, {method:?}: {error}");
        });
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        let mut controls = Controls::rest(&character);
        let bent = controls.pose.joints[1].rotated(DVec3::X, 0.6, DVec3::Y);
        controls.pose.joints[1] = bent;
        plan.run(&controls, &mut scratch, &mut frame);
        let before = frame.posed_cage().to_vec();
        assert!(before.iter().all(|p| p.is_finite()), "{what}, {method:?}");
        let mut by = vec![DVec3::ZERO; before.len()];
        by[0] = 0.05 * cage.diagonal() * DVec3::new(0.6, 0.5, 0.6);
        let coupling = plan.cage().unwrap().coupling();
        let reverse = coupling.reverse(frame.skeleton(), frame.pose(), frame.palette());
        // A drag has an answer or says why not.
        let Ok(reversed) = reverse.solve(&by) else { continue };
        controls.cage = frame.rest_cage().to_vec();
        for (handle, offset) in controls.cage.iter_mut().zip(&reversed.offsets) {
            *handle += *offset;
        }
        plan.run(&controls, &mut scratch, &mut frame);
        assert!(frame.all_points().iter().all(|p| p.is_finite()), "{what}, {method:?}");
        for ((now, before), by) in frame.posed_cage().iter().zip(&before).zip(&by) {
            let off = now.distance(*before + *by) / cage.diagonal();
            // Gains of a bad cage magnify what rounding leaves.
            assert!(off < 1e-9 * reversed.gain.max(1.0), "{what}, {method:?}: {off}");
        }
    }
}

fn made(character: &Character) -> Cage {
    let settings = CageSettings { faces: 80, offset: 0.06, ..CageSettings::default() };
    Cage::generate(character, &settings, &Silent).unwrap()
}

#[test]
fn a_mesh_with_a_twentieth_of_its_triangles_missing_goes_round() {
    let whole = sample(SampleKind::Cylinder, 600);
    let torn = changed(&whole, &[], |all| {
        all.iter().enumerate().filter(|(at, _)| at % 20 != 7).map(|(_, t)| *t).collect()
    });
    let cage = made(&torn);
    assert!(cage.check().is_clean());
    goes_round("torn", &torn, &cage);
}

#[test]
fn a_mesh_whose_faces_look_any_way_goes_round() {
    let whole = sample(SampleKind::Cylinder, 600);
    let flip = |[a, b, c]: [u32; 3]| [a, c, b];
    let some = changed(&whole, &[], |all| {
        let turned = |(at, t): (usize, &[u32; 3])| if at % 3 == 0 { flip(*t) } else { *t };
        all.iter().enumerate().map(turned).collect()
    });
    goes_round("some flipped", &some, &made(&some));
    let all = changed(&whole, &[], |all| all.iter().map(|t| flip(*t)).collect());
    goes_round("all flipped", &all, &made(&all));
}

#[test]
fn joints_outside_of_the_cage_go_round() {
    let mut character = sample(SampleKind::Cylinder, 600);
    let cage = made(&character);
    let mut joints = character.skeleton.joints().to_vec();
    let last = joints.len() - 1;
    joints[last].rest.translation += 3.0 * cage.diagonal() * DVec3::new(1.0, 0.5, 0.0);
    joints[1].rest.translation.x += 2.0 * cage.diagonal();
    character.skeleton = Skeleton::new(joints).unwrap();
    let bound = {
        let rig = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::of(SkinMethod::Linear) };
        Plan::bind(&Arc::new(character.clone()), &rig, &Silent).unwrap()
    };
    let coupling = bound.cage().unwrap().coupling();
    for joint in 0..character.skeleton.len() {
        let head = character.skeleton.rest_model_from_joint()[joint].translation;
        let row = coupling.joint_row(joint).iter().zip(cage.points());
        let found: DVec3 = row.map(|(phi, handle)| *phi * *handle).sum();
        assert!(found.distance(head) < 1e-9 * cage.diagonal(), "joint {joint}");
    }
    goes_round("joints outside", &character, &cage);
}

#[test]
fn points_that_no_triangle_uses_go_round() {
    let whole = sample(SampleKind::Cylinder, 600);
    let bounds = whole.bounds();
    let loose = [bounds.max + Vec3::new(0.2, 0.1, 0.0), bounds.center(), bounds.min];
    let character = changed(&whole, &loose, <[_]>::to_vec);
    let cage = made(&character);
    assert!(loose.iter().all(|p| cage.encloses(p.as_dvec3())));
    goes_round("loose points", &character, &cage);
}

#[test]
fn five_hundred_handles_go_round() {
    let character = sample(SampleKind::Cylinder, 1200);
    let bounds = character.bounds();
    let margin = 0.1 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    let cage = Cage::lattice(low, high, UVec3::new(6, 18, 6)).unwrap();
    assert!(cage.points().len() >= 500, "{}", cage.points().len());
    goes_round("500 handles", &character, &cage);
}

#[test]
fn the_cage_of_another_character_is_told_and_breaks_nothing() {
    let character = sample(SampleKind::Cylinder, 600);
    let own = made(&character);
    let far = DVec3::new(2.0 * own.diagonal(), 0.0, 0.0);
    let other = own.with_points(own.points().iter().map(|p| 0.3 * *p + far).collect()).unwrap();
    let words = |cage: &Cage| {
        let rig = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::of(SkinMethod::Linear) };
        let plan = Plan::bind(&Arc::new(character.clone()), &rig, &Silent).unwrap();
        plan.notes().into_iter().map(|note| note.words).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(words(&own), "");
    assert!(words(&other).contains("another character"), "{}", words(&other));
    goes_round("another one's", &character, &other);
}
