//! Figures 2, 7 and 8: what a cage adds to a pose.

use glam::DVec3;
use sinew::cage::Cage;
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew_view::camera::Size;
use sinew_view::picture::Picture;

use super::super::Tour;
use super::shaped::{Swell, drawn_out, swollen};
use super::{CageFigure, Caged, Turn, sample, sheet};
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::render::view::View;

const ARM_SIZE: Size = Size { width: 360, height: 420 };
const ARM_VIEW: View = View { yaw_degrees: 62.0, pitch_degrees: 8.0 };
const BENT: &[Turn] = &[("fore_arm", Axis::X, 90.0)];
/// How much longer the arm of Figure 2 becomes.
const LONGER: f64 = 1.4;

/// Figure 2: a bend alone, and with a stretch of the rest, by three methods.
pub(super) fn methods(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let arm = sample(SampleKind::Arm, None)?;
    let methods = [
        (SkinMethod::Linear, "Linear"),
        (SkinMethod::DualQuat, "Dual quaternion"),
        (SkinMethod::CenterOfRotation, "Centres of rotation"),
    ];
    let mut rows: [Vec<(Picture, String)>; 2] = Default::default();
    let mut cage = None;
    for (method, name) in methods {
        let look = (ARM_VIEW, ARM_SIZE);
        let mut caged = match cage.take() {
            None => Caged::new(tour, &arm, (200, method), look)?,
            Some(cage) => Caged::in_cage(tour, &arm, (cage, method), look)?,
        };
        cage = Some(caged.cage.clone());
        let longer = caged.cage.points().iter().map(|p| *p * DVec3::new(1.0, LONGER, 1.0));
        let longer = longer.collect();
        let all = [caged.controls(BENT, Vec::new())?, caged.controls(BENT, longer)?];
        let moments = caged.frames(&all)?;
        let camera = caged.framing(&moments);
        for ((moment, row), what) in moments.iter().zip(&mut rows).zip(["bent", "and stretched"]) {
            row.push((caged.draw(tour, (moment, camera), false)?, format!("{name}, {what}")));
        }
    }
    let pictures: Vec<_> = rows.into_iter().flatten().collect();
    Ok(CageFigure {
        number: 2,
        title: "any method",
        words: "An elbow bent by 90°; below, the rest cage stretched along the arm by 1.4. Joints and centres of rotation go with the cage, so that the bend stays where the elbow is.".into(),
        files: vec![sheet(tour, "cage-figure-2", &pictures, 3)?],
    })
}

/// Figure 7: one bent arm, three cages of other scales.
pub(super) fn scales(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let arm = sample(SampleKind::Arm, None)?;
    let bent: &[Turn] = &[("fore_arm", Axis::X, 100.0), ("upper_arm", Axis::X, -10.0)];
    let even = DVec3::splat;
    // The middle of the palm, the thumb, the belly of the biceps.
    let edits = [
        (
            60,
            "hand",
            Swell { center: DVec3::new(0.0, 0.70, 0.0), radius: 0.34, factors: even(2.2) },
        ),
        (
            240,
            "thumb",
            Swell {
                center: DVec3::new(0.075, 0.64, 0.015),
                radius: 0.085,
                factors: DVec3::new(2.1, 1.5, 2.5),
            },
        ),
        (
            480,
            "biceps",
            Swell {
                center: DVec3::new(0.0, 0.15, 0.01),
                radius: 0.13,
                factors: DVec3::new(1.45, 1.0, 1.75),
            },
        ),
    ];
    let mut pictures = Vec::new();
    for (index, (faces, what, swell)) in edits.into_iter().enumerate() {
        let look = (ARM_VIEW, ARM_SIZE);
        let mut caged = Caged::new(tour, &arm, (faces, SkinMethod::DualQuat), look)?;
        let rest = swollen(&caged.cage, &[swell]);
        let all = [caged.controls(bent, Vec::new())?, caged.controls(bent, rest)?];
        let moments = caged.frames(&all)?;
        let mut camera = caged.framing(&moments);
        // The cage is larger than what it encloses.
        camera.distance *= 1.25;
        camera.depth_range.1 *= 1.5;
        if index == 0 {
            pictures.push((caged.draw(tour, (&moments[0], camera), false)?, "Bent".into()));
        }
        let handles = caged.cage.points().len();
        let words = format!("{handles} handles: the {what}");
        pictures.push((caged.draw(tour, (&moments[1], camera), true)?, words));
    }
    Ok(CageFigure {
        number: 7,
        title: "scales",
        words: "The same bent arm in three automatic cages: a coarse one for the hand, a finer one for the thumb, a fine one for the biceps.".into(),
        files: vec![sheet(tour, "cage-figure-7", &pictures, 4)?],
    })
}

pub(super) const BIRD_SIZE: Size = Size { width: 460, height: 340 };
pub(super) const BIRD_VIEW: View = View { yaw_degrees: 30.0, pitch_degrees: 28.0 };

/// Wings raised at the shoulder, bent down at the tips, the tail fanned down.
pub(super) const SOARING: &[Turn] = &[
    ("wing_1_l", Axis::X, 28.0),
    ("wing_1_r", Axis::X, 28.0),
    ("wing_3_l", Axis::X, -38.0),
    ("wing_3_r", Axis::X, -38.0),
    ("tail", Axis::X, -18.0),
    ("neck", Axis::X, -14.0),
];

/// A round body.
pub(super) fn round(cage: &Cage) -> Vec<DVec3> {
    let center = DVec3::new(0.0, 0.155, 0.02);
    swollen(cage, &[Swell { center, radius: 0.40, factors: DVec3::new(1.8, 1.8, 1.25) }])
}

/// Figure 8: a family of birds.
pub(super) fn family(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let bird = sample(SampleKind::Bird, None)?;
    let look = (BIRD_VIEW, BIRD_SIZE);
    let mut caged = Caged::new(tour, &bird, (300, SkinMethod::DualQuat), look)?;
    let long = drawn_out(&caged.cage, 0, 0.12, 1.5);
    let tailed = drawn_out(&caged.cage, 2, -0.28, 2.2);
    let round = round(&caged.cage);
    let both: Vec<DVec3> = round
        .iter()
        .zip(&tailed)
        .zip(caged.cage.points())
        .map(|((round, tailed), bound)| *round + *tailed - *bound)
        .collect();
    let all = [
        caged.controls(&[], Vec::new())?,
        caged.controls(SOARING, Vec::new())?,
        caged.controls(&[], round)?,
        caged.controls(SOARING, long)?,
        caged.controls(&[], tailed)?,
        caged.controls(SOARING, both)?,
    ];
    let words = [
        "The sample",
        "Posed by the skeleton",
        "A round body, by the cage",
        "Long wings, posed",
        "A long tail",
        "Round, with a long tail, posed",
    ];
    let moments = caged.frames(&all)?;
    let camera = caged.framing(&moments);
    let mut pictures = Vec::new();
    for (moment, words) in moments.iter().zip(words) {
        pictures.push((caged.draw(tour, (moment, camera), false)?, words.to_owned()));
    }
    Ok(CageFigure {
        number: 8,
        title: "a family from one character",
        words: "The skeleton turns what is rigid, the cage changes thickness and profile.".into(),
        files: vec![sheet(tour, "cage-figure-8", &pictures, 3)?],
    })
}
