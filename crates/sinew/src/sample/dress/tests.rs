//! What holds for dressed characters.

use crate::character::Character;
use crate::measure::CharacterMeasure;
use crate::mesh::{Adjacency, Components};
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::Pose;

/// Normals are f64 rounded to f32 once.
const UNIT_TOLERANCE: f32 = 1e-5;

fn dressed() -> [Character; 2] {
    SampleKind::DRESSED.map(|kind| build(&SampleOptions::new(kind)).unwrap())
}

#[test]
fn clothes_are_many_shells_in_several_meshes_with_colours() {
    for character in dressed() {
        let counts = CharacterMeasure::bind(&character).shells().counts();
        assert!(character.parts.len() >= 12, "{}", character.parts.len());
        assert!(counts.shells >= 50 && counts.rigid >= 25, "{} {counts:?}", character.name);
        // Most of what lies on something is meant to stay on it.
        assert!(2 * counts.tied > counts.pairs, "{} {counts:?}", character.name);
        for part in &character.parts {
            let mesh = &part.mesh;
            let num_triangles = mesh.triangles().len() as u32;
            let mut end = 0;
            for run in &part.materials {
                assert_eq!(run.triangles.start, end, "{}", mesh.name());
                assert!((run.material as usize) < character.materials.len());
                end = run.triangles.end;
            }
            assert_eq!(end, num_triangles, "{} is wholly coloured", mesh.name());
        }
    }
}

#[test]
fn every_point_has_weights_normals_and_texture() {
    for character in dressed() {
        for part in &character.parts {
            let (mesh, name) = (&part.mesh, part.mesh.name());
            let weights = part.weights.as_ref().unwrap();
            assert_eq!(weights.num_points(), mesh.points().len());
            for row in weights.rows() {
                let sum: f32 = row.iter().map(|influence| influence.weight).sum();
                assert!((1..=4).contains(&row.len()) && (sum - 1.0).abs() < 1e-6, "{name} {row:?}");
            }
            assert!(mesh.points().iter().all(|point| point.is_finite()), "{name}");
            for (normal, uv) in mesh.vertex_normals().iter().zip(mesh.vertex_uvs()) {
                assert!((normal.length() - 1.0).abs() < UNIT_TOLERANCE, "{name} {normal}");
                assert!(uv.min_element() >= 0.0 && uv.max_element() <= 1.0, "{name} {uv}");
            }
            assert_eq!(mesh.vertex_normals().len(), mesh.num_vertices());
        }
    }
}

#[test]
fn props_plates_and_glasses_are_rigid_and_closed_where_they_are_solid() {
    let [soldier, suit] = dressed();
    let rigid = [
        (&soldier, ["spear", "sword", "sheath", "cuirass"]),
        (&suit, ["cane", "glasses", "tie", "buttons"]),
    ];
    for (character, names) in rigid {
        for name in names {
            let part = character.parts.iter().find(|part| part.mesh.name() == name).unwrap();
            let mesh = &part.mesh;
            let shells = Components::of_triangles(mesh.points().len(), mesh.point_triangles());
            let weights = part.weights.as_ref().unwrap();
            for shell in 0..shells.len() as u32 {
                let points = shells.points(shell);
                let first = weights.row(points[0] as usize);
                assert!(points.iter().all(|&p| weights.row(p as usize) == first), "{name}");
            }
            if name != "cuirass" {
                assert!(Adjacency::of(mesh).is_closed(), "{name}");
            }
        }
    }
}

#[test]
fn the_fist_is_closed_around_what_it_holds_and_the_rest_is_a_rest() {
    for character in dressed() {
        let prop = ["spear", "cane"];
        let prop = character.parts.iter().find(|p| prop.contains(&p.mesh.name())).unwrap();
        let skeleton = &character.skeleton;
        for finger in ["index_2_r", "middle_2_r", "ring_2_r", "pinky_2_r"] {
            let [knuckle, _] = skeleton.rest_bone(skeleton.find(finger).unwrap());
            let nearest = prop.mesh.points().iter().map(|p| p.as_dvec3().distance(knuckle));
            let nearest = nearest.min_by(f64::total_cmp).unwrap();
            assert!(nearest < 0.06, "{finger} of {} is {nearest} m off", character.name);
        }
        let clip = &character.clips[0];
        let pose = clip.pose_at(skeleton, 0.0);
        let finger = skeleton.find("middle_2_r").unwrap() as usize;
        let rest = Pose::rest(skeleton).joints[finger];
        assert!(pose.joints[finger].swing.angle_between(rest.swing) < 0.6, "the fist stays closed");
    }
}
