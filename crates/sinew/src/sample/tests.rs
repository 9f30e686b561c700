//! What holds for every sample.

use std::collections::{HashMap, HashSet};

use glam::Vec3;

use super::*;
use crate::mesh::{Adjacency, Mesh};
use crate::skeleton::Pose;

/// Normals are f64 rounded to f32 once.
const UNIT_TOLERANCE: f32 = 1e-5;
/// Four f32 weights that were normalised in f64.
const WEIGHT_SUM_TOLERANCE: f32 = 1e-6;
/// Positions in a frame after a chain of a hundred f64 joints.
const FRAME_TOLERANCE: f64 = 1e-9;

/// Every skin as it comes; the largest two smaller, but for the tests that count them.
fn samples() -> impl Iterator<Item = Character> {
    SampleKind::SKINS.into_iter().map(|kind| {
        let points = match kind {
            SampleKind::Snake => Some(8_000),
            SampleKind::Giant => Some(20_000),
            _ => None,
        };
        build(&SampleOptions { points, ..SampleOptions::new(kind) }).unwrap()
    })
}

/// Bodies are sculpted, not swept: their charts and bones are a little less regular.
fn is_body(character: &Character) -> bool {
    ["human", "chibi", "giant"].contains(&character.name.as_str())
}

fn volume(points: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| points[p as usize].as_dvec3());
            a.dot(b.cross(c)) / 6.0
        })
        .sum()
}

fn mesh(character: &Character) -> &Mesh {
    assert_eq!(character.parts.len(), 1);
    &character.parts[0].mesh
}

#[test]
fn every_sample_has_the_points_and_joints_it_says() {
    for kind in SampleKind::ALL {
        let character = build(&SampleOptions::new(kind)).unwrap();
        assert_eq!(character.num_points(), kind.default_points(), "{}", kind.name());
        assert_eq!(character.skeleton.len(), kind.default_bones(), "{}", kind.name());
        assert_eq!(character.name, kind.name());
    }
}

#[test]
fn the_papers_counts_are_met_exactly() {
    let counts = |kind| {
        let character = build(&SampleOptions::new(kind)).unwrap();
        (character.num_points(), character.skeleton.len())
    };
    assert_eq!(counts(SampleKind::Box), (1_802, 4));
    assert_eq!(counts(SampleKind::Plus), (5_634, 17));
}

#[test]
fn every_skin_is_closed_in_one_piece_of_genus_zero() {
    for character in samples() {
        let mesh = mesh(&character);
        let adjacency = Adjacency::of(mesh);
        assert!(adjacency.is_closed(), "{}", character.name);
        let euler = mesh.points().len() as i64 - adjacency.edges().len() as i64
            + mesh.triangles().len() as i64;
        assert_eq!(euler, 2, "{}", character.name);
        let mut reached = vec![false; mesh.points().len()];
        let mut open = vec![0usize];
        while let Some(point) = open.pop() {
            if !std::mem::replace(&mut reached[point], true) {
                open.extend(adjacency.ring(point).iter().map(|&p| p as usize));
            }
        }
        assert!(reached.iter().all(|&r| r), "{}", character.name);
    }
}

#[test]
fn faces_look_outwards() {
    for character in samples() {
        let mesh = mesh(&character);
        let found = volume(mesh.points(), mesh.point_triangles());
        let size = character.bounds().size().as_dvec3();
        assert!(found > 0.01 * size.x * size.y * size.z, "{}: {found}", character.name);
    }
}

#[test]
fn the_cylinder_the_box_and_the_plus_have_the_volume_of_their_shape() {
    let found = |kind| {
        let character = build(&SampleOptions::new(kind)).unwrap();
        volume(mesh(&character).points(), mesh(&character).point_triangles())
    };
    // A 34-gon of radius ½ has 34/2·sin(2π/34)·¼ of area.
    let polygon = 17.0 * (std::f64::consts::TAU / 34.0).sin() / 4.0;
    assert!((found(SampleKind::Cylinder) - 4.0 * polygon).abs() < 1e-5);
    assert!((found(SampleKind::Box) - 4.0).abs() < 1e-5);
    assert!((found(SampleKind::Plus) - (0.4f64.powi(3) + 4.0 * 0.16 * 2.05)).abs() < 1e-5);
}

#[test]
fn no_triangle_is_a_sliver_in_space_or_mirrored_in_the_texture() {
    for character in samples() {
        let mesh = mesh(&character);
        let mut num_mirrored = 0;
        for (index, t) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = t.map(|v| mesh.vertex_positions()[v as usize]);
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let height = (b - a).cross(c - a).length() / longest;
            assert!(height > 0.02 * longest, "triangle {index} of {}: {a} {b} {c}", character.name);
            let [a, b, c] = t.map(|v| mesh.vertex_uvs()[v as usize]);
            num_mirrored += usize::from((b - a).perp_dot(c - a) <= 0.0);
        }
        // The bodies' limbs are unrolled around an axis: under a chin or a nose the chart folds
        // back.
        let allowed = if is_body(&character) { mesh.triangles().len() / 10 } else { 0 };
        assert!(num_mirrored <= allowed, "{num_mirrored} triangles of {}", character.name);
    }
}

#[test]
fn texture_coordinates_are_in_the_unit_square() {
    for character in samples() {
        for uv in mesh(&character).vertex_uvs() {
            assert!(uv.min_element() >= 0.0 && uv.max_element() <= 1.0, "{}: {uv}", character.name);
        }
    }
}

#[test]
fn seams_are_split_and_weld_back_to_the_bit() {
    for character in samples() {
        let mesh = mesh(&character);
        assert!(mesh.num_vertices() > mesh.points().len(), "{} has no seam", character.name);
        let mut distinct = HashSet::new();
        for (vertex, &point) in mesh.point_of_vertex().iter().enumerate() {
            let position = mesh.vertex_positions()[vertex];
            assert_eq!(position, mesh.points()[point as usize], "{}", character.name);
            distinct.insert(position.to_array().map(|x| (x + 0.0).to_bits()));
        }
        assert_eq!(distinct.len(), mesh.points().len(), "{}", character.name);
    }
}

#[test]
fn normals_are_unit_and_look_out_of_their_faces() {
    for character in samples() {
        let mesh = mesh(&character);
        for t in mesh.triangles() {
            let [a, b, c] = t.map(|v| mesh.vertex_positions()[v as usize]);
            let face = (b - a).cross(c - a).normalize();
            for &v in t {
                let normal = mesh.vertex_normals()[v as usize];
                assert!((normal.length() - 1.0).abs() < UNIT_TOLERANCE);
                assert!(normal.dot(face) > 0.0, "{} at {a}: {normal} on {face}", character.name);
            }
        }
    }
}

#[test]
fn sharp_edges_have_a_normal_on_either_side() {
    for kind in [SampleKind::Box, SampleKind::Plus, SampleKind::Cylinder] {
        let character = build(&SampleOptions::new(kind)).unwrap();
        let mesh = mesh(&character);
        let mut most: HashMap<u32, f32> = HashMap::new();
        let mut first: HashMap<u32, Vec3> = HashMap::new();
        for (vertex, &point) in mesh.point_of_vertex().iter().enumerate() {
            let normal = mesh.vertex_normals()[vertex];
            let other = *first.entry(point).or_insert(normal);
            let angle = most.entry(point).or_default();
            *angle = angle.max(normal.angle_between(other));
        }
        let sharp = most.values().filter(|&&angle| angle > 1.5).count();
        let expected = match kind {
            // Twelve edges of the box: 8 corners, 8 short edges and 4 four times as long.
            SampleKind::Box => 8 + 8 * 9 + 4 * 39,
            SampleKind::Cylinder => 2 * 34,
            // 16 long edges, 16 of the caps, 4 in the notches, with the corners between them.
            _ => 16 * 40 + 16 * 7 + 4 * 7 + 16 + 8,
        };
        assert_eq!(sharp, expected, "{}", kind.name());
    }
}

#[test]
fn weights_are_a_partition_of_unity_of_at_most_four() {
    for character in samples() {
        let weights = character.parts[0].weights.as_ref().unwrap();
        assert_eq!(weights.num_points(), character.num_points());
        assert!(weights.max_influences() <= 4, "{}", character.name);
        let mut used = HashSet::new();
        for row in weights.rows() {
            let sum: f32 = row.iter().map(|i| i.weight).sum();
            assert!((sum - 1.0).abs() < WEIGHT_SUM_TOLERANCE, "{}: {sum}", character.name);
            used.extend(row.iter().map(|i| i.joint));
        }
        assert_eq!(
            used.len(),
            character.skeleton.len(),
            "{}: a joint moves nothing",
            character.name
        );
    }
}

#[test]
fn weights_of_neighbours_are_near() {
    // Along a bone: the largest slope of a smooth step over its width, times the longest edge. A
    // jump (a wrong joint on one side of a plane of symmetry) would be far above it.
    for (kind, points) in [
        (SampleKind::Cylinder, 90_000),
        (SampleKind::Box, 90_000),
        (SampleKind::Plus, 200_000),
        (SampleKind::Snake, 120_002),
        (SampleKind::Arm, 150_000),
    ] {
        let options = SampleOptions { points: Some(points), ..SampleOptions::new(kind) };
        let character = build(&options).unwrap();
        let weights = character.parts[0].weights.as_ref().unwrap();
        let weight = |point: u32, joint: u32| {
            let row = weights.row(point as usize);
            row.iter().find(|i| i.joint == joint).map_or(0.0, |i| i.weight)
        };
        let mut worst = 0.0f32;
        for edge in Adjacency::of(mesh(&character)).edges() {
            let [a, b] = edge.points;
            for influence in weights.row(a as usize).iter().chain(weights.row(b as usize)) {
                worst = worst.max((weight(a, influence.joint) - weight(b, influence.joint)).abs());
            }
        }
        assert!(worst < 0.13, "{}: {worst}", kind.name());
    }
}

#[test]
fn every_bone_lies_along_its_own_y_and_reaches_its_child() {
    for character in samples() {
        let skeleton = &character.skeleton;
        for (index, joint) in skeleton.joints().iter().enumerate() {
            let off = joint.bone_axis().distance(glam::DVec3::Y);
            assert!(off < FRAME_TOLERANCE, "{}", joint.name);
            let children: Vec<u32> = skeleton.children(index as u32).collect();
            if let [child] = children[..] {
                let [start, tail] = skeleton.rest_bone(index as u32);
                let head = skeleton.rest_bone(child)[0];
                // A body's collar bone ends beside the shoulder joint, not in it.
                let allowed =
                    if is_body(&character) { 0.1 * start.distance(tail) } else { FRAME_TOLERANCE };
                assert!(tail.distance(head) < allowed, "{}", joint.name);
            }
        }
    }
}

#[test]
fn bones_lie_inside_the_skin() {
    for character in samples() {
        let bounds = character.bounds();
        for joint in 0..character.skeleton.len() as u32 {
            let slack = Vec3::splat(0.01);
            for end in character.skeleton.rest_bone(joint).map(|p| p.as_vec3()) {
                assert!(
                    end.cmpge(bounds.min - slack).all() && end.cmple(bounds.max + slack).all(),
                    "{} of {}",
                    character.skeleton.joints()[joint as usize].name,
                    character.name
                );
            }
        }
    }
}

#[test]
fn every_clip_moves_and_comes_back_to_where_it_began() {
    for character in samples() {
        assert!(!character.clips.is_empty());
        for clip in &character.clips {
            let places = |time| {
                let mut out = Vec::new();
                let pose: Pose = clip.pose_at(&character.skeleton, time);
                pose.model_from_joint(&character.skeleton, &mut out);
                out
            };
            let start = places(0.0);
            let apart = |time: f64| {
                let difference = |(a, b): (&glam::DAffine3, &glam::DAffine3)| {
                    let (a, b) = (a.to_cols_array(), b.to_cols_array());
                    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                places(time).iter().zip(&start).map(difference).fold(0.0, f64::max)
            };
            let duration = clip.duration_seconds();
            assert!(apart(duration) < FRAME_TOLERANCE, "{} of {}", clip.name, character.name);
            assert!(apart(0.3 * duration) > 0.1, "{} of {}", clip.name, character.name);
        }
    }
}

#[test]
fn the_cylinders_twist_is_a_full_turn() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let pose = character.clip("twist").unwrap().pose_at(&character.skeleton, 2.0);
    assert!((pose.joints[1].twist_radians - std::f64::consts::TAU).abs() < 1e-9);
}

#[test]
fn a_wish_for_points_is_met_as_nearly_as_the_topology_allows() {
    for (kind, wish, most_off) in [
        (SampleKind::Cylinder, 16_000, 100),
        (SampleKind::Cylinder, 90_000, 250),
        (SampleKind::Cylinder, 100, 30),
        (SampleKind::Box, 16_000, 600),
        (SampleKind::Plus, 50_000, 2_100),
        (SampleKind::Arm, 10_000, 400),
        (SampleKind::Arm, 200, 100),
        (SampleKind::Snake, 20_000, 30),
    ] {
        let character =
            build(&SampleOptions { points: Some(wish), ..SampleOptions::new(kind) }).unwrap();
        let off = character.num_points().abs_diff(wish);
        assert!(off <= most_off, "{} {wish}: {}", kind.name(), character.num_points());
        assert!(Adjacency::of(mesh(&character)).is_closed());
    }
}

#[test]
fn the_smallest_samples_are_closed_too() {
    for kind in SampleKind::SKINS {
        let points = Some(*kind.point_bounds().start());
        let bones = kind.bone_bounds().map(|bounds| *bounds.start());
        let character = build(&SampleOptions { kind, points, bones }).unwrap();
        assert!(Adjacency::of(mesh(&character)).is_closed(), "{}", kind.name());
        assert_eq!(character.skeleton.len(), bones.unwrap_or(kind.default_bones()));
    }
}

#[test]
fn any_number_of_bones_can_be_asked_for_where_the_skeleton_is_a_chain() {
    for (kind, bones) in [
        (SampleKind::Cylinder, 1),
        (SampleKind::Cylinder, 32),
        (SampleKind::Box, 7),
        (SampleKind::Snake, 12),
    ] {
        let options =
            SampleOptions { kind, bones: Some(bones), points: Some(*kind.point_bounds().start()) };
        assert_eq!(build(&options).unwrap().skeleton.len(), bones);
    }
}

#[test]
fn what_cannot_be_built_is_refused_with_the_bounds() {
    let options = SampleOptions { points: Some(3), ..SampleOptions::new(SampleKind::Cylinder) };
    assert!(matches!(build(&options), Err(SampleError::Points { found: 3, least: 100, .. })));
    let options = SampleOptions { bones: Some(0), ..SampleOptions::new(SampleKind::Box) };
    assert!(matches!(build(&options), Err(SampleError::Bones { found: 0, least: 1, .. })));
    let options = SampleOptions { bones: Some(5), ..SampleOptions::new(SampleKind::Plus) };
    let error = build(&options).unwrap_err();
    assert_eq!(error, SampleError::FixedSkeleton { kind: SampleKind::Plus });
    assert!(error.to_string().contains("17"), "{error}");
}

#[test]
fn a_sample_is_the_same_each_time() {
    for kind in SampleKind::SKINS {
        let options = SampleOptions { points: Some(3_000), ..SampleOptions::new(kind) };
        assert_eq!(build(&options).unwrap(), build(&options).unwrap());
    }
}

#[test]
fn names_find_their_kind_and_nothing_else_does() {
    for kind in SampleKind::ALL {
        assert_eq!(SampleKind::from_name(kind.name()), Some(kind));
        assert!(kind.point_bounds().contains(&kind.default_points()));
    }
    assert_eq!(SampleKind::from_name("cilinder"), None);
}
