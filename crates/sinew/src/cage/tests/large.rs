//! Many handles: no drag waits for a factorisation, and none is less exact for it.

use glam::{DVec3, UVec3};

use super::super::Coupling;
use super::Random;
use super::coupling::{METHODS, Rigged, State, random_pose};
use crate::sample::SampleKind;

/// Lines of a picture that the character fills from corner to corner.
const LINES: f64 = 1080.0;
/// What is left of a drag, in pixels: a millionth of one is nothing that anyone sees or sums up.
const PIXELS: f64 = 1e-6;
/// A step is two products with a handle for a row: a few of them are a frame's time.
const MOST_STEPS: usize = 60;

/// A drag of one handle, in a pose that was not there before: the error in pixels, the gain, the
/// steps.
fn dragged(state: &mut State<'_>, coupling: &Coupling, by: &[DVec3]) -> (f64, f64, usize) {
    let wanted: Vec<DVec3> = state.posed_cage.iter().zip(by).map(|(&at, &by)| at + by).collect();
    let reverse = coupling.reverse(&state.skeleton, &state.pose, &state.palette);
    let reversed = reverse.solve(by).unwrap();
    let again = coupling.reverse(&state.skeleton, &state.pose, &state.palette).solve(by).unwrap();
    assert_eq!(again, reversed, "the same bits, whatever was solved before");
    for (at, by) in state.rest_cage.iter_mut().zip(&reversed.offsets) {
        *at += *by;
    }
    state.sync();
    let off = state.posed_cage.iter().zip(&wanted).map(|(a, b)| a.distance(*b));
    let pixel = coupling.cage().diagonal() / LINES;
    (off.fold(0.0, f64::max) / pixel, reversed.gain, reversed.steps)
}

#[test]
fn a_drag_of_five_hundred_handles_in_a_new_pose_is_exact_and_factors_nothing() {
    let arm = Rigged::new(SampleKind::Arm, 2500, UVec3::new(6, 18, 6));
    for method in METHODS {
        let coupling = arm.couple(method);
        assert!(coupling.num_handles() >= 500);
        let mut random = Random::new(61);
        let mut state = State::new(&coupling, &arm.character.skeleton);
        let mut most = (0, 0.0f64, 0.0f64);
        for _ in 0..6 {
            state.pose = random_pose(&state.skeleton, &mut random, 1.2);
            state.pose.joints[1].stretch = 1.0 + 0.2 * random.signed();
            state.sync();
            let mut by = vec![DVec3::ZERO; coupling.num_handles()];
            let handle = random.below(by.len());
            by[handle] = 0.02 * coupling.cage().diagonal() * random.vector();
            let (pixels, gain, steps) = dragged(&mut state, &coupling, &by);
            assert!(pixels <= PIXELS, "{method:?}: {pixels:e} pixels, gain {gain}");
            assert!(steps > 0, "{method:?}: a factorisation");
            most = (most.0.max(steps), most.1.max(pixels), most.2.max(gain));
        }
        println!("{method:?}: {} steps, {:.1e} pixels, gain {:.1} at most", most.0, most.1, most.2);
        assert!(most.0 <= MOST_STEPS, "{method:?}: {} steps", most.0);
    }
}
