//! Rests that move and settings that are live: what is on the card is written over, and nothing is
//! made anew.

use std::sync::Arc;

use sinew::conformance::FixturePose;
use sinew::frame::{Controls, Rig};
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::{Aabb, Adjacency};
use sinew::motion::Motion;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::sketch::surface::{
    Bones, Extent, OffsetStroke, ReachBy, Sheet, SurfaceMethod, SurfaceSolver, SurfaceStroke,
    handles_of, region_of,
};
use sinew::skin::SkinMethod;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_gpu::{Gpu, GpuCharacter, wgpu};

use super::agreement::{METHOD_TOLERANCE, assert_close, spring_tolerance, try_on};
use super::{Both, bind, hard_controls, one_of_everything};

fn buffers(on_card: &GpuCharacter) -> Vec<wgpu::Buffer> {
    (0..on_card.num_parts())
        .flat_map(|part| [on_card.positions(part).clone(), on_card.normals(part).clone()])
        .collect()
}

pub(super) fn moving_rest(gpu: &Gpu) {
    let character = one_of_everything();
    let methods = SkinMethod::ALL
        .map(|method| (Rig::of(method), METHOD_TOLERANCE, hard_controls(&character)));
    let models = SpringModel::ALL.map(|model| {
        let (rig, controls) = try_on(SpringSettings::new(model), &character);
        (rig, spring_tolerance(model), controls)
    });
    for (rig, tolerance, mut controls) in methods.into_iter().chain(models) {
        let plan = bind(&character, &rig);
        let mut both = Both::new(gpu, &plan);
        let before = buffers(&both.on_card);
        let mut step = |controls: &Controls, what: &str| {
            let off = both.run(&plan, controls);
            assert_close(off, tolerance, &format!("{}, {what}", rig.label()));
        };
        step(&controls, "shaped");
        controls.parts[0].shape_weights = vec![-0.3, 1.0];
        step(&controls, "shaped otherwise");
        for (part, mesh) in character.parts.iter().enumerate() {
            let points = mesh.mesh.points().iter();
            let bulge = points.map(|p| Vec3::new(0.1 * p.x, 0.02 * p.y.sin(), 0.05)).collect();
            controls.parts[part].rest_offsets = bulge;
        }
        step(&controls, "every mesh moved");
        controls.joint_offsets = vec![DVec3::ZERO; character.skeleton.len()];
        controls.joint_offsets[1] = DVec3::new(0.05, 0.1, 0.0);
        step(&controls, "a joint moved");
        let rest = Controls::posed(&character, controls.pose.clone());
        step(&rest, "and back to what was bound");
        assert_eq!(both.on_card.num_anew(), 0, "{}", rig.label());
        assert_eq!(buffers(&both.on_card), before, "{}", rig.label());
    }
}

/// Of springs over the diagonal where strokes raised the skin, which makes triangles steep.
/// Measured: 1.2e-6, and 1.7e-4 of normals.
const RAISED_TOLERANCE: f64 = 3e-6;

/// Two strokes on a human's skin that come and go while it walks.
pub(super) fn strokes_over_a_walk(gpu: &Gpu) {
    let options = SampleOptions { points: Some(3_000), ..SampleOptions::new(SampleKind::Human) };
    let character = Arc::new(build(&options).expect("a sample"));
    let part = &character.parts[0];
    let adjacency = Adjacency::of(&part.mesh);
    let sheet = Sheet::of(&part.mesh, &adjacency);
    let moved = |z: f32, method: SurfaceMethod| {
        let way = [Vec3::new(0.0, 1.35, z), Vec3::new(0.0, 1.05, z)];
        let stroke = SurfaceStroke::through(&sheet, &way);
        let frames = stroke.frames(&sheet);
        let handles = handles_of(&stroke, &frames, &sheet);
        let region = region_of(&sheet, &handles, Extent::Edges(4));
        let weights = part.weights.as_ref();
        let bones = Bones { skeleton: &character.skeleton, weights, reach: ReachBy::Turn };
        let solver = SurfaceSolver::bind(&sheet, &region, method, &bones).expect("a region");
        let offset = OffsetStroke::of_height(0.06);
        let moves = handles.iter().map(|handle| offset.move_at(&frames, handle.share));
        solver.solve(&moves.collect::<Vec<_>>())
    };
    let edits = [moved(-0.4, SurfaceMethod::Springs), moved(0.4, SurfaceMethod::Laplacian)];
    let walk = character.clips.iter().find(|clip| clip.name == "walk").expect("it walks");
    let motion = Motion::of_clip(walk, &character.skeleton);
    let rigs = [
        (Rig::of(SkinMethod::Linear), METHOD_TOLERANCE),
        (Rig::relaxed(SpringSettings::default()), RAISED_TOLERANCE),
    ];
    for (rig, tolerance) in rigs {
        let plan = bind(&character, &rig);
        let mut both = Both::new(gpu, &plan);
        for step in 0..4 {
            let share = step as f32 / 3.0;
            let pose = motion.pose_at(&character.skeleton, 0.9 * f64::from(share));
            let mut controls = Controls::posed(&character, pose);
            let mut offsets = vec![Vec3::ZERO; sheet.points.len()];
            for (edit, weight) in edits.iter().zip([1.0 - share, share]) {
                for &(point, by) in edit {
                    offsets[point as usize] += weight * by;
                }
            }
            controls.parts[0].rest_offsets = offsets;
            let off = both.run(&plan, &controls);
            assert_close(off, tolerance, &format!("{}, step {step} of a walk", rig.label()));
        }
        assert_eq!(both.on_card.num_anew(), 0, "{}", rig.label());
    }
}

pub(super) fn live_settings(gpu: &Gpu) {
    let character = one_of_everything();
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let mut settings = SpringSettings::new(model);
        let mut plan = bind(&character, &Rig::relaxed(settings.clone()));
        let mut both = Both::new(gpu, &plan);
        let before = buffers(&both.on_card);
        let controls = hard_controls(&character);
        both.run(&plan, &controls);
        let mut last = both.found.all_points();
        type Change = fn(&mut SpringSettings);
        let changes: [(&str, Change); 5] = [
            ("softer", |settings| settings.coefficients.bone *= 0.7),
            ("stiffer edges", |settings| settings.coefficients.edge *= 1.5),
            ("fewer iterations", |settings| settings.iterations = 9),
            ("more iterations", |settings| settings.iterations = 120),
            ("a threshold", |settings| settings.threshold = 3e-3),
        ];
        for (what, change) in changes {
            change(&mut settings);
            assert_eq!(plan.adjust(&Rig::relaxed(settings.clone())), Ok(true), "{what} is live");
            let off = both.run(&plan, &controls);
            assert_close(off, spring_tolerance(model), &format!("{model:?}, {what}"));
            let points = both.found.all_points();
            assert!(points != last, "{model:?}: {what} shows");
            last = points;
        }
        // Painted on one mesh.
        let mut rig = Rig::relaxed(settings);
        let num_points = character.parts[0].mesh.points().len();
        rig.part_mut(0).stiffness = (0..num_points).map(|p| 0.5 + (p % 4) as f32).collect();
        assert_eq!(plan.adjust(&rig), Ok(true));
        let off = both.run(&plan, &controls);
        assert_close(off, spring_tolerance(model), &format!("{model:?}, painted"));
        assert_eq!(both.on_card.num_anew(), 0);
        assert_eq!(buffers(&both.on_card), before);
        // No volume to keep, and one again: written over, too.
        let mut rig = plan.rig().clone();
        for volume in [0.0, 1.0] {
            rig.springs.as_mut().expect("there are springs").coefficients.volume = volume;
            assert_eq!(plan.adjust(&rig), Ok(true));
            let off = both.run(&plan, &controls);
            assert_close(off, spring_tolerance(model), &format!("{model:?}, volume {volume}"));
        }
        assert_eq!(both.on_card.num_anew(), 0);
    }
}

pub(super) fn another_plan(gpu: &Gpu) {
    let character = one_of_everything();
    let (rig, controls) = try_on(SpringSettings::new(SpringModel::DeltaMush), &character);
    let first = bind(&character, &Rig::of(SkinMethod::Linear));
    let mut on_card = GpuCharacter::new(gpu, &first).expect("it fits");
    on_card.submit(&first, &controls).expect("it fits");
    let second = bind(&character, &rig);
    let mut both = Both { on_card, ..Both::new(gpu, &second) };
    let off = both.run(&second, &controls);
    assert_close(off, spring_tolerance(SpringModel::DeltaMush), "after linear");
}

/// Over the diagonal of the points' own box: past this the estimate would waste the shadows' maps.
const LARGEST_BOX: f32 = 1.45;

pub(super) fn bounds(gpu: &Gpu) {
    for kind in SampleKind::SKINS {
        let points = 1_500.clamp(*kind.point_bounds().start(), *kind.point_bounds().end());
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = Arc::new(build(&options).expect("samples build"));
        for rig in [Rig::of(SkinMethod::DualQuat), Rig::of_model(SpringModel::Anchored)] {
            let plan = bind(&character, &rig);
            let mut both = Both::new(gpu, &plan);
            for pose in FixturePose::ALL {
                both.run(&plan, &Controls::posed(&character, pose.of(&character)));
                let (found, points) = (both.on_card.bounds(), both.found.bounds());
                let case =
                    format!("{} {pose:?} {}: {found:?} {points:?}", kind.name(), rig.label());
                let whole = Aabb::around([found.min, found.max, points.min, points.max]);
                assert_eq!(whole, found, "{case}");
                let share = found.diagonal() / points.diagonal();
                assert!(share <= LARGEST_BOX, "{case}: {share}");
            }
        }
    }
}
