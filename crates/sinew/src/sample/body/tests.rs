//! What holds for every body.

use std::collections::HashMap;
use std::sync::OnceLock;

use glam::{DVec3, Vec3};

use super::{chibi, giant, human};
use crate::character::Character;
use crate::mesh::Adjacency;
use crate::skeleton::Pose;

/// Mirrored f32 positions come from the same f64 with its sign turned: they are equal to the bit.
const MIRROR_TOLERANCE: f32 = 0.0;
/// Weights are multiples of 2⁻²⁰ and the largest takes what rounding leaves: two of a tie may
/// differ by three steps.
const WEIGHT_TOLERANCE: f32 = 4.0 / (1 << 20) as f32;
/// A loop closes up to the rounding of a quaternion.
const LOOP_TOLERANCE: f64 = 1e-12;

/// Points and joints of each body as tests build it. The giant is thinned: its 90,000 points take
/// seconds.
const EXPECTED: [(usize, usize); 3] = [(10_774, 85), (16_314, 36), (20_000, 19)];

fn bodies() -> &'static [Character; 3] {
    static BODIES: OnceLock<[Character; 3]> = OnceLock::new();
    BODIES.get_or_init(|| [human(EXPECTED[0].0), chibi(EXPECTED[1].0), giant(EXPECTED[2].0)])
}

fn mirror_points(body: &Character) -> Vec<usize> {
    let points = body.parts[0].mesh.points();
    let key = |p: Vec3| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()];
    let index: HashMap<_, _> = points.iter().enumerate().map(|(i, &p)| (key(p), i)).collect();
    points
        .iter()
        .map(|p| {
            let x = if p.x == 0.0 { p.x } else { -p.x };
            index[&key(Vec3::new(x, p.y, p.z))]
        })
        .collect()
}

#[test]
fn points_and_joints_are_exactly_as_many_as_asked_for() {
    for (body, (num_points, num_joints)) in bodies().iter().zip(EXPECTED) {
        assert_eq!(body.num_points(), num_points, "{}", body.name);
        assert_eq!(body.skeleton.len(), num_joints, "{}", body.name);
    }
}

#[test]
fn odd_and_small_numbers_of_points_are_met_and_too_small_ones_raised() {
    assert_eq!(chibi(3_001).num_points(), 3_001);
    assert_eq!(giant(10).num_points(), 2_000);
}

#[test]
fn the_skin_is_one_closed_sphere_like_surface() {
    for body in bodies() {
        let mesh = &body.parts[0].mesh;
        let adjacency = Adjacency::of(mesh);
        assert!(adjacency.is_closed(), "{}", body.name);
        let euler = mesh.points().len() as i64 - adjacency.edges().len() as i64
            + mesh.triangles().len() as i64;
        assert_eq!(euler, 2, "{}", body.name);
        // One fan a point: the triangles around it form a single ring.
        for point in 0..mesh.points().len() {
            assert_eq!(adjacency.ring(point).len(), adjacency.fan(point).len());
        }
        // One piece.
        let mut reached = vec![false; mesh.points().len()];
        let mut open = vec![0];
        while let Some(point) = open.pop() {
            if !std::mem::replace(&mut reached[point], true) {
                open.extend(adjacency.ring(point).iter().map(|&p| p as usize));
            }
        }
        assert!(reached.into_iter().all(|r| r), "{}", body.name);
    }
}

#[test]
fn triangles_face_outwards_and_none_is_degenerate() {
    for body in bodies() {
        let mesh = &body.parts[0].mesh;
        let mut volume = 0.0;
        for t in mesh.point_triangles() {
            let [a, b, c] = t.map(|p| mesh.points()[p as usize].as_dvec3());
            volume += a.dot(b.cross(c)) / 6.0;
            let corners = [(a, b, c), (b, c, a), (c, a, b)];
            let least = corners.map(|(p, q, r)| (q - p).angle_between(r - p)).into_iter();
            let least = least.fold(f64::INFINITY, f64::min).to_degrees();
            assert!(least > 4.0, "{}: a triangle with an angle of {least}°", body.name);
        }
        assert!(volume > 0.01, "{}: {volume} m³", body.name);
    }
}

#[test]
fn nearly_all_triangles_are_well_shaped() {
    for body in bodies() {
        let mesh = &body.parts[0].mesh;
        let thin = mesh.point_triangles().iter().filter(|t| {
            let [a, b, c] = t.map(|p| mesh.points()[p as usize].as_dvec3());
            let corners = [(a, b, c), (b, c, a), (c, a, b)];
            corners.iter().any(|(p, q, r)| (*q - *p).angle_between(*r - *p) < 25f64.to_radians())
        });
        let share = thin.count() as f64 / mesh.point_triangles().len() as f64;
        assert!(share < 0.01, "{}: {share} of the triangles are thin", body.name);
    }
}

#[test]
fn shape_and_weights_are_mirror_symmetric() {
    for body in bodies() {
        let mirror_of = mirror_points(body);
        let weights = body.parts[0].weights.as_ref().unwrap();
        let joints = body.skeleton.joints();
        let mirror_joint = |joint: u32| {
            let name = &joints[joint as usize].name;
            let other = if let Some(base) = name.strip_suffix("_l") {
                format!("{base}_r")
            } else if let Some(base) = name.strip_suffix("_r") {
                format!("{base}_l")
            } else {
                name.clone()
            };
            body.skeleton.find(&other).unwrap()
        };
        for (point, &mirror) in mirror_of.iter().enumerate() {
            assert_eq!(mirror_of[mirror], point);
            let p = body.parts[0].mesh.points();
            assert!((p[point].x + p[mirror].x).abs() <= MIRROR_TOLERANCE);
            for influence in weights.row(point) {
                let other = mirror_joint(influence.joint);
                let found = weights.row(mirror).iter().find(|i| i.joint == other);
                let found = found.map_or(0.0, |i| i.weight);
                assert!((found - influence.weight).abs() <= WEIGHT_TOLERANCE, "{}", body.name);
            }
        }
    }
}

#[test]
fn weights_have_at_most_four_influences_and_sum_to_one() {
    for body in bodies() {
        let weights = body.parts[0].weights.as_ref().unwrap();
        assert!(weights.max_influences() <= 4);
        for row in weights.rows() {
            assert!((row.iter().map(|i| i.weight).sum::<f32>() - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn every_joint_moves_some_skin() {
    for body in bodies() {
        let mut most = vec![0.0f32; body.skeleton.len()];
        for influence in body.parts[0].weights.as_ref().unwrap().rows().flatten() {
            let most = &mut most[influence.joint as usize];
            *most = most.max(influence.weight);
        }
        for (joint, most) in body.skeleton.joints().iter().zip(most) {
            assert!(most > 0.3, "{} of {} holds at most {most}", joint.name, body.name);
        }
    }
}

#[test]
fn every_joint_lies_inside_the_skin() {
    for body in bodies() {
        let mesh = &body.parts[0].mesh;
        for (joint, model_from_joint) in
            body.skeleton.joints().iter().zip(body.skeleton.rest_model_from_joint())
        {
            let origin = model_from_joint.translation;
            let turns: f64 = mesh
                .point_triangles()
                .iter()
                .map(|t| {
                    solid_angle(t.map(|p| mesh.points()[p as usize].as_dvec3() - origin))
                        / (4.0 * std::f64::consts::PI)
                })
                .sum();
            assert!(turns > 0.5, "{} of {} is outside ({turns})", joint.name, body.name);
        }
    }
}

/// Van Oosterom & Strackee 1983.
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * a.dot(b.cross(c)).atan2(below)
}

#[test]
fn bones_run_along_y_and_parents_come_first() {
    for body in bodies() {
        for (index, joint) in body.skeleton.joints().iter().enumerate() {
            assert_eq!((joint.tail_in_joint.x, joint.tail_in_joint.z), (0.0, 0.0));
            assert!(joint.tail_in_joint.y > 0.0, "{}", joint.name);
            assert!(joint.parent.is_none_or(|p| (p as usize) < index));
        }
        assert_eq!(body.skeleton.joints()[0].name, "hips");
    }
}

#[test]
fn a_positive_turn_about_x_folds_knees_back_and_elbows_forward_on_both_sides() {
    for body in bodies() {
        for (joint, child, way) in [("shin", "foot", -1.0), ("forearm", "hand", 1.0)] {
            for side in ["l", "r"] {
                let at = |name: &str| body.skeleton.find(&format!("{name}_{side}")).unwrap();
                let mut pose = Pose::rest(&body.skeleton);
                let folded = &mut pose.joints[at(joint) as usize];
                *folded = folded.rotated(DVec3::X, 0.8, DVec3::Y);
                let (mut rest, mut posed) = (Vec::new(), Vec::new());
                Pose::rest(&body.skeleton).model_from_joint(&body.skeleton, &mut rest);
                pose.model_from_joint(&body.skeleton, &mut posed);
                let child = at(child) as usize;
                let moved = posed[child].translation - rest[child].translation;
                assert!(moved.z * way > 0.01, "{joint}_{side} of {}: {moved}", body.name);
            }
        }
    }
}

#[test]
fn streams_are_complete_and_finite_and_uvs_lie_in_the_unit_square() {
    for body in bodies() {
        let mesh = &body.parts[0].mesh;
        assert_eq!(mesh.vertex_normals().len(), mesh.num_vertices());
        assert_eq!(mesh.vertex_uvs().len(), mesh.num_vertices());
        assert!(mesh.num_vertices() > mesh.points().len(), "seams split vertices");
        assert!(mesh.vertex_normals().iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
        let in_square = |x: f32| (0.0..=1.0).contains(&x);
        assert!(mesh.vertex_uvs().iter().all(|uv| in_square(uv.x) && in_square(uv.y)));
        for t in mesh.point_triangles() {
            assert!(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
        }
    }
}

#[test]
fn a_body_stands_on_the_floor_and_faces_forwards() {
    for (body, height) in bodies().iter().zip([1.75, 0.95, 2.78]) {
        let bounds = body.bounds();
        assert!(bounds.min.y.abs() < 0.004, "{} stands at {}", body.name, bounds.min.y);
        assert!((bounds.max.y - height).abs() < 0.01, "{} is {} tall", body.name, bounds.max.y);
        let toes = body.skeleton.rest_bone(body.skeleton.find("foot_l").unwrap());
        assert!(toes[1].z > toes[0].z && toes[0].x > 0.0);
    }
}

#[test]
fn clips_loop_and_move_the_body() {
    for (body, names) in
        bodies().iter().zip([&["walk", "wave"][..], &["walk", "dance"], &["stomp"]])
    {
        for name in names {
            let clip = body.clip(name).unwrap();
            let duration = clip.duration_seconds();
            let at = |t: f64| {
                let mut out = Vec::new();
                clip.pose_at(&body.skeleton, t).model_from_joint(&body.skeleton, &mut out);
                out
            };
            for (first, last) in at(0.0).iter().zip(at(duration)) {
                assert!(first.abs_diff_eq(last, LOOP_TOLERANCE), "{name} of {}", body.name);
            }
            let (start, middle) = (at(0.0), at(duration * 0.4));
            let moved = start.iter().zip(&middle);
            let moved = moved.map(|(a, b)| a.translation.distance(b.translation));
            assert!(moved.fold(0.0, f64::max) > 0.02, "{name} of {}", body.name);
        }
    }
}

#[test]
fn the_same_bits_come_out_again_and_with_one_thread() {
    let once = human(2_500);
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(once == single.install(|| human(2_500)));
}
