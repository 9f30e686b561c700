//! Springs on the card against the CPU's.
//!
//! The CPU's own results are held to its f64 references in `sinew`; here it is the reference.

mod runs;
mod samples;
mod wishes;

use glam::{DVec3, Vec3};
use sinew::character::Character;
use sinew::mesh::Aabb;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Palette, Pose};
use sinew::springs::{
    SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings, SpringStats,
};
use sinew_gpu::{Gpu, GpuPalette, GpuSpringFrame, GpuSpringRig};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("anchored_is_the_cpus_on_every_sample", samples::anchored_on_samples),
    ("paper_is_the_cpus_on_every_sample", samples::paper_on_samples),
    ("delta_mush_is_the_cpus_on_every_sample", samples::delta_mush_on_samples),
    ("deep_bends_and_many_turns_are_the_cpus", samples::hard_poses),
    ("a_mesh_past_65535_points_is_whole", samples::large_mesh),
    ("a_coarse_start_is_the_cpus", samples::coarse_start),
    ("every_first_stage_can_be_the_start", samples::first_stages),
    ("the_rest_pose_stays", samples::rest_pose),
    ("pins_hold_and_their_neighbours_follow", wishes::pins),
    ("regions_and_edits_are_the_cpus", wishes::regions_and_edits),
    ("soft_pins_and_turned_handles_are_the_cpus", wishes::kinematic),
    ("a_stretched_bone_is_the_cpus", samples::stretched),
    ("a_mesh_without_weights_is_the_cpus", samples::unweighted),
    ("the_start_and_the_iterations_change_without_binding", wishes::starts),
    ("painted_and_conditional_coefficients_are_the_cpus", wishes::coefficients),
    ("a_frame_stops_at_the_threshold_where_the_cpu_does", wishes::threshold),
    ("every_run_gives_the_same_bits", runs::same_bits),
    ("one_stiffness_that_is_off_is_caught", runs::negative_control),
    ("points_without_neighbours_follow_their_bone", samples::loose_points),
];

/// Fifty iterations on the card against fifty on the CPU, over the diagonal: both are f32 and round in other places (the CPU fuses
/// products and sums), and where a guard just acts or not a rounding is carried on by a spring. Some three times what lavapipe is off by
/// (largest over all tests; a hundredth more of one coefficient must show, `runs::negative_control`).
const fn tolerance(model: SpringModel) -> f64 {
    match model {
        // Measured: 2.0e-6, on the giant.
        SpringModel::Anchored => 1e-5,
        // Measured: 8e-7, and 4.6e-4 on the snake's ends, where its step diverges (`samples::check_samples`).
        SpringModel::Paper => 8e-6,
        // Measured: 2.3e-5, where fifty rounds have shrunk a finger's tip to nearly a line.
        SpringModel::DeltaMush => 7e-5,
    }
}

/// Points of the samples, where they can be had so small.
const NUM_POINTS: usize = 2_500;

/// Those that step by forces, and so have stiffness and a threshold.
fn with_forces() -> impl Iterator<Item = SpringModel> {
    SpringModel::ALL.into_iter().filter(|model| model.has_forces())
}

fn sample(kind: SampleKind, num_points: usize) -> Character {
    let bounds = kind.point_bounds();
    let points = num_points.clamp(*bounds.start(), *bounds.end());
    build(&SampleOptions { points: Some(points), ..SampleOptions::new(kind) })
        .expect("samples build")
}

fn bind(character: &Character, settings: &SpringSettings) -> SpringRig {
    SpringRig::bind(&SpringInput::of(character, 0), settings, &Silent).expect("it binds")
}

fn diagonal(character: &Character) -> f64 {
    f64::from(Aabb::around(character.parts[0].mesh.points().iter().copied()).diagonal())
}

/// Infinite if any value is not finite, so that NaN can't hide.
fn largest_difference(found: &[Vec3], expected: &[Vec3]) -> f64 {
    assert_eq!(found.len(), expected.len(), "results of one mesh");
    found.iter().zip(expected).fold(0.0, |largest, (found, expected)| {
        let distance = found.as_dvec3().distance(expected.as_dvec3());
        if distance.is_nan() { f64::INFINITY } else { distance.max(largest) }
    })
}

fn on_cpu(rig: &SpringRig, frame: &SpringFrame<'_>) -> (Vec<Vec3>, SpringStats) {
    let mut out = vec![Vec3::ZERO; rig.num_points()];
    let stats = rig.deform(frame, &mut rig.scratch(), &mut out);
    (out, stats)
}

fn on_card(gpu: &Gpu, rig: &SpringRig, frame: &SpringFrame<'_>) -> (Vec<Vec3>, SpringStats) {
    let palette = GpuPalette::new(gpu, frame.palette.len()).expect("it fits");
    let mut card = GpuSpringRig::new(gpu, rig, &palette).expect("it fits");
    palette.upload(frame.palette);
    card.deform(&GpuSpringFrame::from(frame)).expect("it fits");
    (card.read_positions().expect("the card answers"), card.read_stats().expect("the card answers"))
}

/// Both, and the largest difference over the diagonal.
fn compare(
    gpu: &Gpu,
    character: &Character,
    rig: &SpringRig,
    frame: &SpringFrame<'_>,
) -> (f64, [SpringStats; 2]) {
    let (expected, cpu_stats) = on_cpu(rig, frame);
    let (found, gpu_stats) = on_card(gpu, rig, frame);
    let difference = largest_difference(&found, &expected) / diagonal(character);
    (difference, [gpu_stats, cpu_stats])
}

/// Bends every joint but the first by so much, and twists it.
fn curled(character: &Character, bend_degrees: f64, twist_degrees: f64) -> Palette {
    let mut pose = Pose::rest(&character.skeleton);
    for (pose, joint) in pose.joints.iter_mut().zip(character.skeleton.joints()).skip(1) {
        *pose = pose.rotated(DVec3::X, bend_degrees.to_radians(), joint.bone_axis());
        pose.twist_radians += twist_degrees.to_radians();
    }
    Palette::new(&character.skeleton, &pose)
}
