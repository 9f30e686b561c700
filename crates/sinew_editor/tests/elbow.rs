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
#[ignore = "explores"]
fn explore() {
    let document = human();
    let character = document.character();
    let triangles = triangles(character);
    let rest = volume(&triangles, &posed(character, 0.0));
    for degrees in [-120.0, -90.0, -45.0, 45.0, 90.0, 120.0] {
        eprintln!("{degrees}: {:.4}", volume(&triangles, &posed(character, degrees)) / rest);
    }
    let joint = character.skeleton.find(JOINT).unwrap();
    let head = character.skeleton.bind_bone(joint)[0].as_vec3();
    let points = character.parts[0].mesh.points();
    let [_, tail] = character.skeleton.bind_bone(joint).map(|end| end.as_vec3());
    let along = (tail - head).normalize();
    let upper = {
        let parent = character.skeleton.joints()[joint as usize].parent.unwrap();
        let [from, to] = character.skeleton.bind_bone(parent);
        (to - from).normalize()
    };
    let side = |reach: f32, sign: f32| -> Vec<u32> {
        (0..points.len() as u32)
            .filter(|&p| {
                let arm = points[p as usize] - head;
                let at = sign * arm.dot(along);
                (0.0..reach).contains(&at) && arm.length() < 0.13
            })
            .collect()
    };
    for sign in [-1.0, 1.0] {
        for reach in [0.05, 0.08] {
            for by in [0.01, 0.02, 0.04, 0.08] {
                let skeleton = &character.skeleton;
                let dir = |degrees: f64| {
                    let mut pose = Pose::rest(skeleton);
                    let axis = skeleton.joints()[joint as usize].bone_axis();
                    let own = &mut pose.joints[joint as usize];
                    *own = own.rotated(DVec3::X, degrees.to_radians(), axis);
                    let palette = Palette::new(skeleton, &pose);
                    palette.model_from_rest()[joint as usize]
                        .transform_vector3(along.as_dvec3())
                        .normalize()
                };
                let drags = |degrees: f64, hold: serde_json::Value| {
                    let (up, fore) = (-by * upper, by * dir(sign * degrees));
                    [(side(reach, -1.0), up), (side(reach, 1.0), fore)].map(|(points, by)| {
                        serde_json::json!({"edit": "drag-points", "mesh": "human", "points": points,
                            "motion": {"by": by.to_array()}, "hold": hold})
                    })
                };
                let [a, b] = drags(90.0, serde_json::json!([]));
                let [c, d] = drags(45.0, serde_json::json!([{"pose": "bent"}]));
                let script = serde_json::json!([
                    {"edit": "rotate-joint", "joint": JOINT, "axis": "x", "degrees": sign * 90.0},
                    {"edit": "store-pose", "name": "bent"}, a, b,
                    {"edit": "rotate-joint", "joint": JOINT, "axis": "x", "degrees": sign * -45.0},
                    c, d,
                ]);
                let mut document = human();
                for edit in read_edits(&script.to_string()).unwrap() {
                    document.apply(&edit).unwrap();
                }
                let of = |degrees: f64| {
                    volume(&triangles, &posed(document.character(), sign * degrees)) / rest
                };
                eprintln!(
                    "{sign} reach {reach} by {by}: {:.4} {:.4} {:.4}",
                    of(45.0),
                    of(90.0),
                    of(120.0)
                );
                let name = format!("/tmp/elbow_{sign}_{reach}_{by}.json");
                eprintln!("SCRIPT {name} {script}");
            }
        }
    }
}
