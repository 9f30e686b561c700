//! Springs through their public face: what must hold of every model, whatever the mesh ('Reach' 5
//! and 6 in springs.md).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::glam::{DQuat, DVec3, Vec3};
use sinew::measure::measure;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointTransform, Palette, Pose, Skeleton};
use sinew::skin::SkinMethod;
use sinew::springs::{
    Pieces, Pin, SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings,
};
use sinew::weights::SkinWeights;

/// Over the smallest side of the rest bounds, beside what [`rounding`] allows.
const REST_DRIFT: f32 = 1e-7;
/// f32 of a turned and grown shape, through fifty iterations.
const INVARIANCE: f32 = 1e-5;
/// What is left of the start after enough iterations.
const START: f32 = 2e-5;

fn relaxed(input: &SpringInput<'_>, settings: &SpringSettings, pose: &Pose) -> Vec<Vec3> {
    let rig = SpringRig::bind(input, settings, &Silent).unwrap();
    let palette = Palette::new(input.skeleton, pose);
    let mut posed = vec![Vec3::NAN; rig.num_points()];
    rig.deform(&SpringFrame::new(&palette), &mut rig.scratch(), &mut posed);
    posed
}

/// The largest distance; infinite if anything is not a number, so that NaN cannot hide.
fn largest_difference(a: &[Vec3], b: &[Vec3]) -> f32 {
    let distances = a.iter().zip(b).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, |most, d| if d.is_nan() { f32::INFINITY } else { d.max(most) })
}

/// One unit in the last place of each of the farthest point's coordinates: a thin mesh far from the
/// origin (the plus' arms) cannot be stored to [`REST_DRIFT`] of its thickness.
fn rounding(positions: &[Vec3]) -> f32 {
    let farthest = positions.iter().fold(0.0_f32, |most, p| most.max(p.abs().max_element()));
    3.0_f32.sqrt() * (farthest.next_up() - farthest)
}

fn bent(skeleton: &Skeleton, degrees: f64) -> Pose {
    let mut pose = Pose::rest(skeleton);
    let axis = skeleton.joints()[1].bone_axis();
    let across = axis.any_orthonormal_vector();
    pose.joints[1] = pose.joints[1].rotated(across, degrees.to_radians(), axis);
    pose
}

#[test]
fn at_rest_nothing_moves() {
    for kind in [SampleKind::Cylinder, SampleKind::Box, SampleKind::Plus, SampleKind::Arm] {
        let character = build(&SampleOptions::new(kind)).unwrap();
        let input = SpringInput::of(&character, 0);
        let side = character.bounds().size().min_element();
        let rest = Pose::rest(&character.skeleton);
        let posed = relaxed(&input, &SpringSettings::default(), &rest);
        let drift = largest_difference(&posed, input.positions);
        let most = (REST_DRIFT * side).max(rounding(input.positions));
        assert!(drift <= most, "{}: {:e} of the smallest side", kind.name(), drift / side);
    }
}

#[test]
fn a_turned_and_grown_character_takes_the_same_shape() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let pose = bent(&character.skeleton, 100.0);
    let plain = relaxed(&SpringInput::of(&character, 0), &SpringSettings::default(), &pose);

    let (turn, growth) = (DQuat::from_rotation_z(0.9) * DQuat::from_rotation_x(0.4), 3.0);
    let part = &character.parts[0];
    let moved = |p: &Vec3| (turn * p.as_dvec3() * growth).as_vec3();
    let positions: Vec<Vec3> = part.mesh.points().iter().map(moved).collect();
    let joints = character.skeleton.joints().iter().map(|joint| {
        let rest = JointTransform {
            translation: joint.rest.translation * growth,
            rotation: joint.rest.rotation,
            scale: joint.rest.scale,
        };
        let rest = match joint.parent {
            Some(_) => rest,
            None => JointTransform {
                translation: turn * rest.translation,
                rotation: turn * rest.rotation,
                ..rest
            },
        };
        Joint { rest, tail_in_joint: joint.tail_in_joint * growth, ..joint.clone() }
    });
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let input = SpringInput {
        positions: &positions,
        triangles: part.mesh.point_triangles(),
        weights: part.weights.as_ref(),
        skeleton: &skeleton,
        pieces: Pieces::default(),
    };
    let grown = relaxed(&input, &SpringSettings::default(), &pose);
    let expected: Vec<Vec3> = plain.iter().map(moved).collect();
    let off = largest_difference(&grown, &expected) / growth as f32;
    assert!(off <= INVARIANCE, "{off:e}");
}

#[test]
fn a_hundred_metres_from_the_origin_the_shape_is_as_f32_can_store_it() {
    const METRES: f64 = 100.0;
    let character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
    let input = SpringInput::of(&character, 0);
    let rig = SpringRig::bind(&input, &SpringSettings::default(), &Silent).unwrap();
    let mut pose = Pose::rest(&character.skeleton);
    for joint in &mut pose.joints {
        joint.swing = DQuat::from_rotation_x(0.3);
    }
    let mut shapes = [0.0, METRES].map(|metres| {
        pose.joints[0].translation = DVec3::X * metres;
        let palette = Palette::new(&character.skeleton, &pose);
        let mut posed = vec![Vec3::NAN; rig.num_points()];
        rig.deform(&SpringFrame::new(&palette), &mut rig.scratch(), &mut posed);
        posed
    });
    shapes[1].iter_mut().for_each(|point| point.x -= METRES as f32);
    let off = largest_difference(&shapes[0], &shapes[1]);
    // A unit in the last place there is 7.6 µm. The first stage is off by one or two of them at
    // each point by itself; springs pass them on to neighbours, and before they worked around the
    // body's middle made forty of them.
    let unit = (METRES as f32).next_up() - METRES as f32;
    assert!(off <= 6.0 * unit, "{} units", off / unit);
}

#[test]
fn deep_bends_do_not_pass_through_themselves() {
    let character =
        build(&SampleOptions { points: Some(1_800), ..SampleOptions::new(SampleKind::Cylinder) })
            .unwrap();
    let input = SpringInput::of(&character, 0);
    let whole = SpringSettings::default();
    let mut guarded = whole.clone();
    guarded.coefficients.volume = 0.0;
    let mut without = guarded.clone();
    without.coefficients.compressed = 0.0;
    for degrees in [150.0, 170.0, 178.0] {
        let pose = bent(&character.skeleton, degrees);
        let num_inverted = |settings: &SpringSettings| {
            let posed = relaxed(&input, settings, &pose);
            measure(input.positions, &posed, input.triangles).inverted_triangles
        };
        let (found, unguarded) = (num_inverted(&guarded), num_inverted(&without));
        assert!(found <= 2, "{found} at {degrees}°");
        // A limb that swells in a bend like that needs some of the room again.
        let swollen = num_inverted(&whole);
        assert!(swollen <= 12, "{swollen} at {degrees}°, with its volume");
        assert!(
            unguarded > 20,
            "{unguarded} at {degrees}° without guards: a bend that says nothing"
        );
    }
}

#[test]
fn every_first_stage_ends_at_one_shape() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let input = SpringInput::of(&character, 0);
    let pose = bent(&character.skeleton, 90.0);
    let from = |first_stage: SkinMethod| {
        let settings =
            SpringSettings { first_stage, iterations: 3_000, ..SpringSettings::default() };
        relaxed(&input, &settings, &pose)
    };
    let own = from(SkinMethod::BoneSmooth);
    for method in SkinMethod::ALL {
        let off = largest_difference(&from(method), &own);
        assert!(off <= START, "{}: {off:e}", method.name());
    }
}

/// Isolated and duplicate points, points on the bone, collapsed triangles, slivers, and a bone
/// without length.
fn broken_mesh() -> (Vec<Vec3>, Vec<[u32; 3]>, Skeleton, SkinWeights) {
    let mut positions: Vec<Vec3> = (0..40)
        .map(|i| {
            let angle = i as f32 * 0.7;
            Vec3::new(angle.cos() * 0.3, i as f32 * 0.05, angle.sin() * 0.3)
        })
        .collect();
    let mut triangles: Vec<[u32; 3]> = (0..38).map(|i| [i, i + 1, i + 2]).collect();
    // On the bone; twice in one place; isolated; a sliver's tip.
    positions.extend([Vec3::new(0.0, 0.5, 0.0), Vec3::X, Vec3::X, Vec3::splat(2.0)]);
    positions.push((positions[0] + positions[1]) * 0.5 + Vec3::splat(1e-7));
    triangles.extend([[0, 40, 1], [41, 42, 3], [5, 5, 6], [0, 1, 44], [2, 2, 2]]);
    let joint = |name: &str, parent, translation, tail| Joint {
        name: name.into(),
        parent,
        rest: JointTransform { translation, ..JointTransform::IDENTITY },
        tail_in_joint: tail,
    };
    let skeleton = Skeleton::new(vec![
        joint("root", None, DVec3::ZERO, DVec3::Y),
        joint("upper", Some(0), DVec3::Y, DVec3::Y),
        joint("point", Some(1), DVec3::Y, DVec3::ZERO),
    ])
    .unwrap();
    let rows = positions.iter().map(|p| {
        let upper = p.y.clamp(0.0, 2.0) * 0.5;
        [(0, 1.0 - upper), (1, upper * 0.9), (2, upper * 0.1)]
    });
    let weights = SkinWeights::from_rows(rows, 3).0;
    (positions, triangles, skeleton, weights)
}

#[test]
fn broken_meshes_stay_finite_in_every_model() {
    let (positions, triangles, skeleton, weights) = broken_mesh();
    for model in SpringModel::ALL {
        for weights in [Some(&weights), None] {
            if weights.is_none() && model != SpringModel::Anchored {
                continue;
            }
            let input = SpringInput {
                positions: &positions,
                triangles: &triangles,
                weights,
                skeleton: &skeleton,
                pieces: Pieces::default(),
            };
            for degrees in [0.0, 90.0, 180.0] {
                let mut pose = bent(&skeleton, degrees);
                pose.joints[2].twist_radians = 20.0;
                let posed = relaxed(&input, &SpringSettings::new(model), &pose);
                let bad = posed.iter().position(|p| !p.is_finite());
                assert_eq!(bad, None, "{} at {degrees}", model.name());
            }
        }
    }
}

#[test]
fn points_in_one_place_stay_finite_when_one_is_carried_far_away() {
    let (positions, triangles, skeleton, weights) = broken_mesh();
    let input = SpringInput {
        positions: &positions,
        triangles: &triangles,
        weights: Some(&weights),
        skeleton: &skeleton,
        pieces: Pieces::default(),
    };
    let palette = Palette::new(&skeleton, &bent(&skeleton, 60.0));
    for model in SpringModel::ALL {
        let rig = SpringRig::bind(&input, &SpringSettings::new(model), &Silent).unwrap();
        let pins = [Pin::at(41, 1e5 * Vec3::X)];
        let frame = SpringFrame { pins: &pins, ..SpringFrame::new(&palette) };
        let mut posed = vec![Vec3::NAN; rig.num_points()];
        rig.deform(&frame, &mut rig.scratch(), &mut posed);
        let bad = posed.iter().position(|p| !p.is_finite());
        assert_eq!(bad, None, "{}", model.name());
        assert_eq!(posed[41], pins[0].position);
    }
}

#[test]
fn nothing_and_a_single_point_can_be_bound() {
    let (_, _, skeleton, _) = broken_mesh();
    for positions in [&[][..], &[Vec3::X][..]] {
        let input = SpringInput {
            positions,
            triangles: &[],
            weights: None,
            skeleton: &skeleton,
            pieces: Pieces::default(),
        };
        let posed = relaxed(&input, &SpringSettings::default(), &Pose::rest(&skeleton));
        assert_eq!(posed, positions);
    }
}

#[test]
fn what_cannot_be_bound_says_why() {
    let (positions, triangles, skeleton, _) = broken_mesh();
    let input = SpringInput {
        positions: &positions,
        triangles: &triangles,
        weights: None,
        skeleton: &skeleton,
        pieces: Pieces::default(),
    };
    let mush = SpringSettings::new(SpringModel::DeltaMush);
    let error = SpringRig::bind(&input, &mush, &Silent).map(drop).unwrap_err().to_string();
    assert!(error.contains("no weights") && error.contains("linear"), "{error}");
    let nobody = Skeleton::default();
    let boneless = SpringInput { skeleton: &nobody, ..input };
    let error = SpringRig::bind(&boneless, &SpringSettings::default(), &Silent).unwrap_err();
    assert!(error.to_string().contains("skeleton"), "{error}");
}
