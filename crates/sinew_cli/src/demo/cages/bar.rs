//! Figure 5: a bar whose cage is scaled at rest, then bent, with joints that go with the cage and
//! with joints that stay where they were.

use std::sync::Arc;

use glam::{DVec3, UVec3, Vec3};
use sinew::Character;
use sinew::cage::Cage;
use sinew::frame::{Controls, Rig};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::SkinMethod;
use sinew_view::camera::Size;

use super::super::Tour;
use super::{CageFigure, Caged, sheet};
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::render::view::View;
use crate::render::{Ground, Shots, Show};

const SIZE: Size = Size { width: 210, height: 260 };
/// The bend is seen from the side, and a little from above.
const VIEW: View = View { yaw_degrees: 68.0, pitch_degrees: 14.0 };
const DEGREES: [f64; 3] = [45.0, 90.0, 135.0];
/// How often the cage goes around the bar.
const RINGS: UVec3 = UVec3::new(1, 5, 1);
const MARGIN: f64 = 0.05;

/// Two bones with a joint in the middle.
fn bar() -> Result<Arc<Character>, Failure> {
    let options =
        SampleOptions { points: Some(2500), bones: Some(2), ..SampleOptions::new(SampleKind::Box) };
    build(&options).map(Arc::new).map_err(|error| Failure::Input(error.to_string()))
}

/// The cage scaled about its lowest corner: what grows leaves joints behind that do not go along.
fn scaled(cage: &Cage, factors: DVec3) -> Vec<DVec3> {
    let low = cage.points().iter().fold(DVec3::INFINITY, |low, point| low.min(*point));
    cage.points().iter().map(|point| low + factors * (*point - low)).collect()
}

pub(super) fn scales(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let bar = bar()?;
    let cage = Cage::lattice_around(&bar, MARGIN, RINGS)?;
    let mut caged = Caged::in_cage(tour, &bar, (cage.clone(), SkinMethod::Linear), (VIEW, SIZE))?;
    let plain = [("linear".to_owned(), Rig::of(SkinMethod::Linear))];
    let rest = Controls::rest(&bar);
    let mut without = Shots::bind(&bar, &plain, &rest, tour.console, &tour.bar)?;
    without.ground = Ground::UnderPose;
    let joint = bar.skeleton.joints()[1].name.clone();
    let mut along = Vec::new();
    let mut stay = Vec::new();
    for (how, factors) in [("evenly", DVec3::splat(1.6)), ("unevenly", DVec3::new(1.0, 1.6, 2.2))] {
        for degrees in DEGREES {
            let mut controls = Controls::rest(&bar);
            crate::pose::turn(&bar, &mut controls.pose, &joint, Axis::X, degrees)?;
            let with = Controls { cage: scaled(&cage, factors), ..controls.clone() };
            along.push((caged.shots.pose(&with)?, format!("Scaled {how}, {degrees:.0}°")));
            // The same points at rest, with joints where they were.
            let moment = &along[along.len() - 1].0;
            let own = bar.parts[0].mesh.points().iter();
            let by: Vec<Vec3> =
                moment[0].parts()[0].rest().iter().zip(own).map(|(now, at)| *now - *at).collect();
            controls.parts[0].rest_offsets = by;
            stay.push((without.pose(&controls)?, "Joints stay".to_owned()));
        }
    }
    let all: Vec<_> = along.iter().chain(&stay).map(|(moment, _)| moment.clone()).collect();
    let camera = caged.framing(&all);
    let mut pictures = Vec::new();
    for (shots, row) in [(&mut caged.shots, &along), (&mut without, &stay)] {
        shots.show = vec![Show::Skeleton];
        for (moment, words) in row {
            tour.console.check_interrupted()?;
            let (scene, _) = shots.scene(&moment[0], camera);
            pictures.push((tour.artist.draw(&scene, SIZE)?, words.clone()));
        }
    }
    Ok(CageFigure {
        number: 5,
        title: "joints that go with the cage",
        words: "A bar of two bones whose cage is scaled about a corner, by 1.6, and by 1, 1.6 and 2.2, then bent, with linear skinning. Above, joints go with the cage; below, they stay where they were, and the bar bends about a place that is not its middle.".into(),
        files: vec![sheet(tour, "cage-figure-5", &pictures, 6)?],
    })
}
