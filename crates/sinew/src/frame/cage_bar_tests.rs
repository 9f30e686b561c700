//! The bar of the paper's Figure 5: its cage scaled at rest, evenly and unevenly, and the bar then
//! bent, with joints that go with the cage and with joints that stay.
//!
//! Prints the table of `docs/methods/cages.md` (`--success-output immediate`).

use std::sync::Arc;

use glam::{DVec3, UVec3, Vec3};

use super::{CageRig, Controls, Frame, Plan, Rig};
use crate::Character;
use crate::cage::Cage;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skin::SkinMethod;

/// The joint in the middle of the bar.
const JOINT: usize = 1;

fn bar() -> Arc<Character> {
    let options =
        SampleOptions { points: Some(2500), bones: Some(2), ..SampleOptions::new(SampleKind::Box) };
    Arc::new(build(&options).unwrap())
}

/// Rings of four; an irregular cage has them at uneven heights, and crooked.
fn cage(character: &Character, is_regular: bool) -> Cage {
    let bounds = character.bounds();
    let margin = 0.05 * f64::from(bounds.diagonal());
    let (low, high) = (bounds.min.as_dvec3() - margin, bounds.max.as_dvec3() + margin);
    let cage = Cage::lattice(low, high, UVec3::new(1, 5, 1)).unwrap();
    if is_regular {
        return cage;
    }
    let crooked = |(index, p): (usize, &DVec3)| {
        let is_end = p.y == low.y || p.y == high.y;
        let by = if is_end { 0.0 } else { 0.09 * ((7 * index % 5) as f64 - 2.0) / 2.0 };
        *p + DVec3::new(0.0, by * (high.y - low.y), 0.0)
    };
    let points = cage.points().iter().enumerate().map(crooked).collect();
    cage.with_points(points).unwrap()
}

/// What a closed surface encloses.
fn volume(character: &Character, points: &[Vec3]) -> f64 {
    let triangles = character.parts[0].mesh.point_triangles().iter();
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|corner| points[corner as usize].as_dvec3());
        a.dot(b.cross(c)) / 6.0
    };
    triangles.map(of).sum()
}

/// How far the joint is from the middle of the points around it, over the bar's length.
fn off_center(character: &Character, frame: &Frame) -> f64 {
    let head =
        |skeleton: &crate::skeleton::Skeleton| skeleton.rest_model_from_joint()[JOINT].translation;
    let (at_bind, now) = (head(&character.skeleton), head(frame.skeleton()));
    let height = f64::from(character.bounds().size().y);
    let places = character.parts[0].mesh.points().iter().zip(frame.parts()[0].rest());
    // Those that were at the joint's height when the bar was made.
    let around: Vec<DVec3> = places
        .filter(|(p, _)| (f64::from(p.y) - at_bind.y).abs() < 0.03 * height)
        .map(|(_, rest)| rest.as_dvec3())
        .collect();
    assert!(around.len() > 8);
    let middle = around.iter().sum::<DVec3>() / around.len() as f64;
    middle.distance(now) / height
}

#[test]
fn bar_of_figure_5_keeps_its_joint_in_the_middle_and_more_of_its_volume() {
    let character = bar();
    println!("cage | scale | bend | volume, joints go along | stay | off centre, along | stay");
    for is_regular in [true, false] {
        let cage = cage(&character, is_regular);
        let rig = Rig::of(SkinMethod::Linear);
        let with = Rig { cage: Some(CageRig::new(cage.clone())), ..rig.clone() };
        let coupled = Plan::bind(&character, &with, &Silent).unwrap();
        let plain = Plan::bind(&character, &rig, &Silent).unwrap();
        let low = cage.points().iter().fold(DVec3::INFINITY, |low, p| low.min(*p));
        for (name, factors) in [("even", DVec3::splat(1.6)), ("uneven", DVec3::new(1.0, 1.6, 2.2))]
        {
            // About a corner: what grows leaves its joints behind.
            let scaled: Vec<DVec3> =
                cage.points().iter().map(|p| low + factors * (*p - low)).collect();
            for degrees in [45.0_f64, 90.0, 135.0] {
                let mut controls = Controls::rest(&character);
                controls.pose.joints[JOINT] = controls.pose.joints[JOINT].rotated(
                    DVec3::X,
                    degrees.to_radians(),
                    character.skeleton.pose_axis(JOINT as u32),
                );
                let mut along = coupled.frame();
                let caged = Controls { cage: scaled.clone(), ..controls.clone() };
                coupled.run(&caged, &mut coupled.scratch(), &mut along);
                // The same rest, with the joints where they were.
                let rest = along.parts()[0].rest();
                let own = character.parts[0].mesh.points();
                let offsets: Vec<Vec3> = rest.iter().zip(own).map(|(a, b)| *a - *b).collect();
                controls.parts[0].rest_offsets = offsets;
                let mut stay = plain.frame();
                plain.run(&controls, &mut plain.scratch(), &mut stay);
                let whole = volume(&character, rest);
                let kept = [&along, &stay]
                    .map(|frame| volume(&character, frame.parts()[0].points()) / whole);
                let off = [&along, &stay].map(|frame| off_center(&character, frame));
                let kind = if is_regular { "regular" } else { "irregular" };
                println!(
                    "{kind} | {name} | {degrees}° | {:.1} % | {:.1} % | {:.2} % | {:.1} %",
                    100.0 * kept[0],
                    100.0 * kept[1],
                    100.0 * off[0],
                    100.0 * off[1]
                );
                assert!(off[0] < 0.03, "{kind}, {name}: {}", off[0]);
                assert!(off[0] < 0.2 * off[1], "{kind}, {name}: {off:?}");
                assert!(
                    (kept[0] - 1.0).abs() < (kept[1] - 1.0).abs() + 0.02,
                    "{kind}, {name}, {degrees}°: {kept:?}"
                );
            }
        }
    }
}
