//! The elbow of the human: linear blending's collapse, dragged away in two poses by a script that
//! `sinew edit` takes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::Character;
use sinew::glam::{DVec3, Vec3};
use sinew::sample::{SampleKind, SampleOptions};
use sinew::skeleton::{Palette, Pose};
use sinew_editor::{Document, Source, read_edits};

const JOINT: &str = "forearm_l";
/// The piece of the arm whose volume counts, from the joint to both sides, metres.
const REACH: f32 = 0.07;

fn human() -> Document {
    Document::open(Source::Sample(SampleOptions::new(SampleKind::Human)), None).unwrap()
}

/// The points as linear blending has them with the elbow bent.
fn posed(character: &Character, degrees: f64) -> Vec<DVec3> {
    let skeleton = &character.skeleton;
    let joint = skeleton.find(JOINT).unwrap();
    let mut pose = Pose::rest(skeleton);
    let axis = skeleton.joints()[joint as usize].bone_axis();
    let own = &mut pose.joints[joint as usize];
    *own = own.rotated(DVec3::X, degrees.to_radians(), axis);
    let palette = Palette::new(skeleton, &pose);
    let part = &character.parts[0];
    (part.mesh.points().iter().zip(part.weights.as_ref().unwrap().rows()))
        .map(|(point, row)| {
            let place = |i: &sinew::weights::Influence| {
                let moved = palette.model_from_rest()[i.joint as usize];
                moved.transform_point3(point.as_dvec3()) * f64::from(i.weight)
            };
            row.iter().map(place).sum()
        })
        .collect()
}

/// The triangles of the elbow at rest.
fn triangles(character: &Character) -> Vec<[u32; 3]> {
    let joint = character.skeleton.find(JOINT).unwrap();
    let [head, tail] = character.skeleton.bind_bone(joint).map(|end| end.as_vec3());
    let along = (tail - head).normalize();
    let mesh = &character.parts[0].mesh;
    let is_near = |point: &u32| {
        let arm: Vec3 = mesh.points()[*point as usize] - head;
        arm.dot(along).abs() < REACH && arm.reject_from_normalized(along).length() < 0.1
    };
    mesh.point_triangles().iter().copied().filter(|t| t.iter().all(is_near)).collect()
}

/// The volume of the elbow, its two ends closed by fans about their middles.
fn volume(triangles: &[[u32; 3]], points: &[DVec3]) -> f64 {
    let mut open: Vec<[u32; 2]> = Vec::new();
    for t in triangles {
        for at in 0..3 {
            let edge = [t[at], t[(at + 1) % 3]];
            match open.iter().position(|other| *other == [edge[1], edge[0]]) {
                Some(at) => drop(open.swap_remove(at)),
                None => open.push(edge),
            }
        }
    }
    let mut sum = 0.0;
    let place = |point: u32| points[point as usize];
    let of = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c)) / 6.0;
    for t in triangles {
        sum += of(place(t[0]), place(t[1]), place(t[2]));
    }
    let mut num_ends = 0;
    while let Some(first) = open.pop() {
        let mut ring = vec![first];
        while let Some(at) = open.iter().position(|edge| edge[0] == ring[ring.len() - 1][1]) {
            ring.push(open.swap_remove(at));
        }
        let middle = ring.iter().map(|edge| place(edge[0])).sum::<DVec3>() / ring.len() as f64;
        for edge in &ring {
            sum += of(middle, place(edge[1]), place(edge[0]));
        }
        num_ends += 1;
    }
    assert_eq!(num_ends, 2, "a piece of an arm has two ends");
    sum
}

#[test]
fn the_elbow_keeps_97_hundredths_of_its_volume_after_drags_in_two_poses() {
    let mut document = human();
    let triangles = triangles(document.character());
    let rest = volume(&triangles, &posed(document.character(), 0.0));
    let of = |document: &Document, degrees: f64| {
        volume(&triangles, &posed(document.character(), degrees)) / rest
    };
    let before = [30.0, 60.0, 90.0].map(|degrees| of(&document, degrees));
    let script = include_str!("../../../docs/guide/weights-elbow.json");
    for edit in read_edits(script).unwrap() {
        document.apply(&edit).unwrap();
        assert_eq!(document.broken_invariant(), None);
    }
    let after = [30.0, 60.0, 90.0].map(|degrees| of(&document, degrees));
    assert!(before[1] < 0.9 && before[0] < 0.97, "linear blending collapses: {before:?}");
    assert!(after[0] > 0.97 && after[1] > 0.97, "{before:?} {after:?}");
    // Where nothing was dragged it is better, too.
    assert!(after[2] > before[2] + 0.1, "{before:?} {after:?}");
    let weights = document.character().parts[0].weights.as_ref().unwrap();
    assert!(weights.max_influences() <= 4);
}
