//! A cage on the card: the rest that it gives, normals that turn with it, and the posed cage that
//! follows.

use std::sync::Arc;

use sinew::Character;
use sinew::cage::Cage;
use sinew::frame::{CageRig, Controls, Normals, Rig};
use sinew::glam::{DVec3, UVec3, Vec3};
use sinew::mesh::Aabb;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_gpu::{Gpu, GpuCharacter};

use super::agreement::{METHOD_TOLERANCE, assert_close, spring_tolerance, try_on};
use super::{Both, bind, hard_controls, one_of_everything};

/// Of the posed cage, over the diagonal: f32 against f64, times what the fit makes of it. Measured
/// on lavapipe: 3.6e-6 (and 8.9e-5 with a finer lattice, of which the points tell less).
const FOLLOW_TOLERANCE: f64 = 1e-5;

/// A lattice around a character.
fn around(character: &Character, cells: UVec3) -> Cage {
    let bounds = character.bounds();
    let margin = 0.06 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    Cage::lattice(low, high, cells).expect("a lattice")
}

fn in_cage(character: &Character, rig: Rig) -> Rig {
    Rig { cage: Some(CageRig::new(around(character, UVec3::new(1, 3, 1)))), ..rig }
}

/// Every handle elsewhere, and none as its neighbours.
fn moved(rig: &Rig, by: f64) -> Vec<DVec3> {
    let cage = &rig.cage.as_ref().expect("there is a cage").cage;
    let wave = |p: &DVec3| {
        let side = DVec3::new((7.0 * p.y).sin(), (5.0 * p.z + p.x).cos(), (9.0 * p.x).sin());
        *p + by * cage.diagonal() * side
    };
    cage.points().iter().map(wave).collect()
}

/// What the card has of the posed cage is what the processor has.
fn assert_follows(both: &Both, case: &str) {
    let found = both.on_card.read_posed_cage().expect("the card answers");
    let expected = both.expected.posed_cage();
    assert_eq!(found.len(), expected.len(), "{case}");
    assert_eq!(both.found.posed_cage(), expected, "{case}: read frames have the processor's");
    assert_eq!(both.found.rest_cage(), both.expected.rest_cage(), "{case}");
    let diagonal = f64::from(both.expected.bounds().diagonal());
    for (found, expected) in found.iter().zip(expected) {
        let off = found.as_dvec3().distance(*expected) / diagonal;
        assert!(off <= FOLLOW_TOLERANCE, "{case}: the posed cage is off by {off:.2e}");
    }
}

/// Points, centres, joints and normals, of meshes that are skinned and one that is not, with
/// shapes, from frame to frame; nothing is made anew.
pub(super) fn methods(gpu: &Gpu) {
    let character = one_of_everything();
    for method in SkinMethod::ALL {
        for normals in [Normals::Auto, Normals::RECOMPUTED, Normals::Off] {
            let rig = in_cage(&character, Rig::of(method).with_normals(normals));
            let plan = bind(&character, &rig);
            let mut both = Both::new(gpu, &plan);
            let mut controls = hard_controls(&character);
            let mut step = |controls: &Controls, what: &str| {
                let off = both.run(&plan, controls);
                let case = format!("{method:?}, {normals:?}, {what}");
                assert_close(off, METHOD_TOLERANCE, &case);
                assert_follows(&both, &case);
            };
            step(&controls, "as bound");
            controls.cage = moved(&rig, 0.02);
            step(&controls, "every handle moved");
            controls.cage[3] += DVec3::new(0.05, -0.1, 0.02);
            step(&controls, "one handle moved");
            controls.parts[0].shape_weights = vec![-0.3, 1.0];
            step(&controls, "other shapes");
            for (part, mesh) in character.parts.iter().enumerate() {
                let points = mesh.mesh.points().iter();
                controls.parts[part].rest_offsets =
                    points.map(|p| Vec3::new(0.03 * p.y, 0.02 * p.z, 0.01)).collect();
            }
            step(&controls, "points moved beside the cage");
            controls.pose = Controls::rest(&character).pose;
            step(&controls, "at rest");
            controls.cage.clear();
            step(&controls, "and back to where it was bound");
            assert_eq!(both.on_card.num_anew(), 0, "{method:?}");
        }
    }
}

/// Bound with a moved cage, and then with another: the card begins from what the cage has not
/// moved.
pub(super) fn bound_elsewhere(gpu: &Gpu) {
    let character = one_of_everything();
    for method in [SkinMethod::Linear, SkinMethod::CenterOfRotation] {
        let rig = in_cage(&character, Rig::of(method));
        let mut controls = hard_controls(&character);
        controls.cage = moved(&rig, 0.03);
        let plan =
            sinew::frame::Plan::bind_at(&character, &rig, &controls, &sinew::progress::Silent)
                .expect("it binds");
        let mut both = Both::new(gpu, &plan);
        for by in [0.03, 0.01, 0.0] {
            controls.cage = moved(&rig, by);
            let off = both.run(&plan, &controls);
            // Where centres are those of a bind at another rest, both take them back by sums.
            assert_close(off, METHOD_TOLERANCE, &format!("{method:?} by {by}"));
            assert_follows(&both, &format!("{method:?} by {by}"));
        }
    }
}

/// Springs keep more of a rest than what is linear in it: the processor moves theirs.
pub(super) fn springs(gpu: &Gpu) {
    let character = one_of_everything();
    for model in SpringModel::ALL {
        let (rig, mut controls) = try_on(SpringSettings::new(model), &character);
        let rig = in_cage(&character, rig);
        let plan = bind(&character, &rig);
        let mut both = Both::new(gpu, &plan);
        for by in [0.0, 0.02, 0.01] {
            controls.cage = moved(&rig, by);
            let off = both.run(&plan, &controls);
            assert_close(off, spring_tolerance(model), &format!("{model:?} by {by}"));
            assert_follows(&both, &format!("{model:?} by {by}"));
        }
        assert_eq!(both.on_card.num_anew(), 0, "{model:?}");
    }
}

/// A handle that goes a hundredth further is another frame, and another posed cage.
pub(super) fn negative_control(gpu: &Gpu) {
    let character = one_of_everything();
    for method in [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::CenterOfRotation] {
        let rig = in_cage(&character, Rig::of(method));
        let plan = bind(&character, &rig);
        let mut both = Both::new(gpu, &plan);
        let mut controls = hard_controls(&character);
        controls.cage = moved(&rig, 0.02);
        both.run(&plan, &controls);
        let at_bind = rig.cage.as_ref().expect("there is a cage").cage.points()[7];
        let by = controls.cage[7] - at_bind;
        controls.cage[7] += 0.01 * by;
        plan.run(&controls, &mut both.scratch, &mut both.expected);
        let [found, expected] = [&both.found, &both.expected].map(sinew::frame::Frame::all_points);
        let diagonal = f64::from(both.expected.bounds().diagonal());
        let changed = super::largest_difference(&found, &expected) / diagonal;
        assert!(changed > METHOD_TOLERANCE, "{method:?}: {changed:.2e} goes unnoticed");
        let posed = both.on_card.read_posed_cage().expect("the card answers");
        let posed = posed.iter().zip(both.expected.posed_cage());
        let changed = posed.map(|(a, b)| a.as_dvec3().distance(*b)).fold(0.0, f64::max) / diagonal;
        assert!(changed > FOLLOW_TOLERANCE, "{method:?}: {changed:.2e} goes unnoticed");
    }
}

/// A frame in which the cage alone has moved uploads its handles and joints, not its points.
pub(super) fn traffic(gpu: &Gpu) {
    let gpu = &Gpu::from_parts(gpu.adapter().clone(), gpu.device().clone(), gpu.queue().clone());
    let options = SampleOptions { points: Some(6_000), ..SampleOptions::new(SampleKind::Cylinder) };
    let character = Arc::new(build(&options).expect("samples build"));
    for method in [SkinMethod::Linear, SkinMethod::CenterOfRotation] {
        let rig = in_cage(&character, Rig::of(method));
        let plan = bind(&character, &rig);
        let mut on_card = GpuCharacter::new(gpu, &plan).expect("it fits");
        let mut controls = hard_controls(&character);
        on_card.submit(&plan, &controls).expect("it fits");
        let before = gpu.traffic();
        controls.cage = moved(&rig, 0.02);
        on_card.submit(&plan, &controls).expect("it fits");
        let crossed = gpu.traffic().since(before);
        let of_handles = 16 * (controls.cage.len() as u64 + 1);
        let of_joints = 2 * 7 * 16 * character.skeleton.len() as u64;
        assert_eq!(crossed.uploaded, of_handles + of_joints, "{method:?}");
        assert_eq!(crossed.read_back, 0);
        // A frame that nobody has read has no rest of what the card moves; a read one has.
        let frame = on_card.prepared().frame();
        assert!(frame.parts()[0].rest().is_empty());
        let mut read = plan.frame();
        on_card.read(&mut read).expect("the card answers");
        assert_eq!(read.parts()[0].rest().len(), character.parts[0].mesh.points().len());
    }
}

/// The estimated box holds the points of a character whose cage has grown here and shrunk there.
pub(super) fn bounds(gpu: &Gpu) {
    for kind in [SampleKind::Human, SampleKind::Arm] {
        let options = SampleOptions { points: Some(2_000), ..SampleOptions::new(kind) };
        let character = Arc::new(build(&options).expect("samples build"));
        let rig = in_cage(&character, Rig::of(SkinMethod::Linear));
        let plan = bind(&character, &rig);
        let mut both = Both::new(gpu, &plan);
        for by in [0.0, 0.05, 0.15] {
            let mut controls = Controls::rest(&character);
            controls.cage = moved(&rig, by);
            both.run(&plan, &controls);
            let (found, points) = (both.on_card.bounds(), both.found.bounds());
            let whole = Aabb::around([found.min, found.max, points.min, points.max]);
            assert_eq!(whole, found, "{} by {by}: {found:?} {points:?}", kind.name());
            assert!(found.diagonal() <= 1.45 * points.diagonal(), "{} by {by}", kind.name());
        }
    }
}
