//! A frame allocates nothing: palette, skinning and normals, once their buffers have their size;
//! nor does a rest that moves, nor a coefficient.
#![allow(unsafe_code, reason = "counting allocations takes a global allocator of one's own")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use sinew::conformance::{FixturePose, driven_troupe, troupe, troupe_pose};
use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::{DVec3, Vec3};
use sinew::mesh::{Creases, SurfaceNormals};
use sinew::motion::{Cursor, Motion, MotionSample};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Palette;
use sinew::skin::{Skin, SkinInput, SkinMethod, SkinRest};
use sinew::springs::{
    DynamicsSettings, Pin, ScaleEdit, SpringDynamics, SpringFrame, SpringInput, SpringModel,
    SpringRig, SpringSettings,
};

thread_local! {
    /// On this thread; the test harness allocates on its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: hands everything to the system's allocator unchanged; counting touches a
// const-initialised cell only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the allocator's contract, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above, and so from the system.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations_of(frame: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    frame();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations_of(|| drop(std::hint::black_box(Vec::<u8>::with_capacity(8)))), 1);
}

#[test]
fn a_frame_allocates_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Plus)).unwrap();
    let part = &character.parts[0];
    let input = SkinInput {
        positions: part.mesh.points(),
        normals: part.mesh.points(),
        weights: part.weights.as_ref().unwrap(),
        triangles: part.mesh.point_triangles(),
        skeleton: &character.skeleton,
    };
    let surface = SurfaceNormals::bind(&part.mesh, Creases::Angle(1.0));
    let mut wedges = vec![Vec3::ZERO; surface.num_wedges()];
    let mut palette = Palette::default();
    let mut positions = vec![Vec3::ZERO; input.positions.len()];
    let mut normals = positions.clone();
    for method in SkinMethod::ALL {
        let skin = Skin::bind(method, &input, &Silent).unwrap();
        for pose in FixturePose::ALL.map(|pose| pose.of(&character)) {
            let mut frame = || {
                palette.update(&character.skeleton, &pose);
                skin.deform(&palette, &mut positions, &mut normals);
                surface.compute(&positions, &mut wedges);
            };
            frame();
            assert_eq!(allocations_of(frame), 0, "{}", method.name());
        }
    }
}

#[test]
fn a_frame_of_springs_in_motion_allocates_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
    for model in SpringModel::ALL.into_iter().filter(|model| model.has_forces()) {
        let input = SpringInput::of(&character, 0);
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).unwrap();
        let dynamics = SpringDynamics::bind(&rig, &DynamicsSettings::default()).unwrap();
        let [rest, posed] = [FixturePose::ALL[0], FixturePose::ALL[1]]
            .map(|pose| Palette::new(&character.skeleton, &pose.of(&character)));
        let mut motion = dynamics.start(&rig, &rest);
        let mut out = vec![Vec3::ZERO; rig.num_points()];
        let pins = [Pin::at(3, Vec3::ONE)];
        let edits = [ScaleEdit::of_length(5, 1.1)];
        for seconds in [1.0 / 30.0, 1.0 / 60.0] {
            let frame = SpringFrame { pins: &pins, edits: &edits, ..SpringFrame::new(&posed) };
            let step = || {
                dynamics.step(&rig, &frame, seconds, &mut motion, &mut out);
            };
            assert_eq!(allocations_of(step), 0, "{}", model.name());
        }
    }
}

/// Pose, shapes, joints, pins and handles change from frame to frame, as under a hand.
#[test]
fn a_frame_of_a_whole_character_allocates_nothing_whatever_changes() {
    let [plain, driven] = [troupe().unwrap(), driven_troupe().unwrap()].map(Arc::new);
    let methods = SkinMethod::ALL.map(Rig::of);
    let rigs = methods.into_iter().chain(SpringModel::ALL.map(Rig::of_model));
    for (rig, character) in rigs.flat_map(|rig| [(rig.clone(), &plain), (rig, &driven)]) {
        let mut plan = Plan::bind(character, &rig, &Silent).unwrap();
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        let rest = Controls::rest(character);
        let mut posed = Controls::posed(character, troupe_pose(character));
        posed.joint_offsets = vec![DVec3::new(0.0, 0.01, 0.0); character.skeleton.len()];
        posed.parts[0].shape_weights = vec![0.5, 0.25];
        posed.parts[0].pins = vec![Pin::at(3, Vec3::ONE)];
        posed.parts[0].edits = vec![ScaleEdit::of_length(9, 1.2)];
        let mut other = posed.clone();
        other.parts[0].shape_weights = vec![0.1, 0.9];
        other.parts[0].pins[0].position = Vec3::X;
        for controls in [&rest, &posed, &other] {
            plan.run(controls, &mut scratch, &mut frame);
        }
        for controls in [&posed, &other, &rest, &posed] {
            let count = allocations_of(|| plan.run(controls, &mut scratch, &mut frame));
            assert_eq!(count, 0, "{}", rig.label());
        }
        let mut softer = rig.clone();
        if let Some(springs) = &mut softer.springs {
            springs.coefficients.length = 0.5;
        }
        assert_eq!(plan.adjust(&softer), Ok(true));
        plan.run(&posed, &mut scratch, &mut frame);
        let count = allocations_of(|| plan.run(&other, &mut scratch, &mut frame));
        assert_eq!(count, 0, "{} with softer springs", rig.label());
    }
}

#[test]
fn a_rest_that_moves_allocates_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let part = &character.parts[0];
    let input = SkinInput {
        positions: part.mesh.points(),
        normals: part.mesh.points(),
        weights: part.weights.as_ref().unwrap(),
        triangles: part.mesh.point_triangles(),
        skeleton: &character.skeleton,
    };
    let grown: Vec<Vec3> = input.positions.iter().map(|p| 1.1 * *p).collect();
    let offsets: Vec<DVec3> = (0..character.skeleton.len() as u32)
        .map(|joint| 0.1 * character.skeleton.bind_bone(joint)[0])
        .collect();
    let mut moved = character.skeleton.clone();
    assert_eq!(allocations_of(|| moved.move_joints(&character.skeleton, &offsets)), 0);
    for method in SkinMethod::ALL {
        let mut skin = Skin::bind(method, &input, &Silent).unwrap();
        let centers: Vec<Vec3> = skin.centers().iter().map(|c| 1.1 * *c).collect();
        let rest =
            SkinRest { positions: &grown, normals: &grown, centers: &centers, skeleton: &moved };
        assert_eq!(allocations_of(|| skin.refit(&rest)), 0, "{}", method.name());
    }
    let springs = SpringInput::of(&character, 0);
    let mut rig = SpringRig::bind(&springs, &SpringSettings::default(), &Silent).unwrap();
    assert_eq!(allocations_of(|| rig.refit(&grown, &moved)), 0);
}

#[test]
fn coefficients_that_change_allocate_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let input = SpringInput::of(&character, 0);
    let mut settings = SpringSettings::default();
    settings.coefficients.of_point = vec![0.5; input.positions.len()];
    let mut rig = SpringRig::bind(&input, &settings, &Silent).unwrap();
    settings.coefficients.edge = 2.0;
    settings.coefficients.across_bones = 0.5;
    settings.coefficients.volume = 0.0;
    settings.coefficients.of_point.fill(0.75);
    assert_eq!(allocations_of(|| assert_eq!(rig.adjust(&settings), Ok(true))), 0);
}

#[test]
fn a_motion_at_any_time_allocates_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Chibi)).unwrap();
    let skeleton = &character.skeleton;
    let motion = Motion::of_clip(&character.clips[0], skeleton);
    let (mut cursor, mut out) = (Cursor::default(), MotionSample::rest(&character));
    motion.evaluate(skeleton, 0.0, &mut cursor, &mut out);
    for seconds in [0.1, 0.2, 3.0, -1.0, 0.05] {
        let look = || motion.evaluate(skeleton, seconds, &mut cursor, &mut out);
        assert_eq!(allocations_of(look), 0, "{seconds}");
    }
}
