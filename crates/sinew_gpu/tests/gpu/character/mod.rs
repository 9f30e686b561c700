//! A whole character on the card against the CPU's frames ([`Plan::run`]): the same points, normals
//! and stats, from the same controls.

mod agreement;
mod cages;
mod fades;
mod reads;
mod rests;

use std::sync::Arc;

use sinew::Character;
use sinew::conformance::{troupe, troupe_pose};
use sinew::frame::{Controls, Frame, PartFrame, Plan, Rig, Scratch};
use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew_gpu::{Gpu, GpuCharacter};

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    ("every_method_gives_the_cpus_frame", agreement::methods),
    ("every_spring_model_gives_the_cpus_frame", agreement::models),
    ("a_driven_character_is_the_cpus", agreement::driven),
    ("a_change_of_one_in_a_hundred_is_caught", agreement::negative_control),
    ("a_dressed_character_is_the_cpus", agreement::dressed),
    ("characters_without_weights_or_joints_are_the_cpus", agreement::bare),
    ("pins_edits_regions_and_starts_are_the_cpus", agreement::wishes),
    ("a_rest_that_moves_is_written_over_what_is_there", rests::moving_rest),
    ("a_cage_moves_rest_joints_and_normals_as_on_the_cpu", cages::methods),
    ("a_plan_that_was_bound_with_a_moved_cage_is_the_cpus", cages::bound_elsewhere),
    ("springs_in_a_cage_are_the_cpus", cages::springs),
    ("a_handle_a_hundredth_further_is_caught", cages::negative_control),
    ("a_cage_that_moves_uploads_handles_and_joints_alone", cages::traffic),
    ("a_box_that_was_estimated_holds_what_a_cage_moves", cages::bounds),
    ("live_settings_are_written_over_what_is_there", rests::live_settings),
    ("strokes_on_the_skin_over_a_walk_are_the_same_on_the_card", rests::strokes_over_a_walk),
    ("another_plan_is_uploaded_from_scratch", rests::another_plan),
    ("a_box_that_was_estimated_holds_the_points", rests::bounds),
    ("a_read_that_nobody_waits_for_is_of_its_own_frame", reads::pending),
    ("what_has_not_changed_is_not_run_again", reads::unchanged),
    ("frames_are_timed", reads::timed),
    ("springs_that_swing_are_refused_and_the_next_frame_is_whole", reads::swinging),
    ("a_card_that_went_away_is_an_error", reads::lost),
    ("one_shape_goes_over_into_another_as_on_the_cpu", fades::shares),
    ("what_crosses_is_counted", fades::traffic),
];

fn one_of_everything() -> Arc<Character> {
    Arc::new(troupe().expect("the troupe builds"))
}

fn bind(character: &Arc<Character>, rig: &Rig) -> Plan {
    Plan::bind(character, rig, &Silent).expect("it binds")
}

/// The troupe's hardest pose, with shapes.
fn hard_controls(character: &Arc<Character>) -> Controls {
    let controls = Controls::posed(character, troupe_pose(character));
    controls.with_shapes(&[vec![0.7, -0.4]])
}

/// A plan's frames on both devices.
struct Both {
    scratch: Scratch,
    expected: Frame,
    on_card: GpuCharacter,
    found: Frame,
}

/// The largest differences between two frames: of points over the diagonal, of unit normals, of the
/// springs' swell.
#[derive(Clone, Copy, Debug, Default)]
struct Off {
    points: f64,
    normals: f64,
    swell: f64,
}

impl Both {
    fn new(gpu: &Gpu, plan: &Plan) -> Self {
        let on_card = GpuCharacter::new(gpu, plan).expect("it fits");
        Self { scratch: plan.scratch(), expected: plan.frame(), on_card, found: plan.frame() }
    }

    fn run(&mut self, plan: &Plan, controls: &Controls) -> Off {
        self.on_card.submit(plan, controls).expect("it fits");
        self.on_card.read(&mut self.found).expect("the card answers");
        plan.run(controls, &mut self.scratch, &mut self.expected);
        off(&self.found, &self.expected)
    }
}

/// Everything that must be the same is; the rest is measured.
fn off(found: &Frame, expected: &Frame) -> Off {
    assert_eq!(found.parts().len(), expected.parts().len());
    assert_eq!(found.palette().matrices(), expected.palette().matrices());
    assert_eq!(found.all_rest(), expected.all_rest());
    let diagonal = f64::from(expected.bounds().diagonal());
    let mut off = Off::default();
    for (found, expected) in found.parts().iter().zip(expected.parts()) {
        let points = largest_difference(found.points(), expected.points()) / diagonal;
        off.points = off.points.max(points);
        off.normals = off.normals.max(largest_difference(found.normals(), expected.normals()));
        let iterations = |part: &PartFrame| part.springs().map(|stats| stats.iterations);
        assert_eq!(iterations(found), iterations(expected));
    }
    // Of the first alone: on a piece that one bone moves, the factor of nothing is anything.
    if let (Some(found), Some(expected)) =
        (found.parts()[0].springs(), expected.parts()[0].springs())
    {
        off.swell = f64::from((found.swell - expected.swell).abs());
    }
    off
}

/// Infinite if any value is not finite, so that NaN can't hide.
fn largest_difference(found: &[Vec3], expected: &[Vec3]) -> f64 {
    assert_eq!(found.len(), expected.len(), "frames of one character");
    found.iter().zip(expected).fold(0.0, |largest, (found, expected)| {
        let distance = found.as_dvec3().distance(expected.as_dvec3());
        if distance.is_nan() { f64::INFINITY } else { distance.max(largest) }
    })
}
