//! The figures against a brute-force evaluation, and on shapes whose figures are known.

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, Quat};
use proptest::prelude::*;

use super::*;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::Pose;
use crate::skin::{Skin, SkinInput, SkinMethod};

/// Sums of a few hundred f64 terms in another order.
const TOLERANCE: f64 = 1e-9;
/// Figures of f32 positions that were moved rigidly: an ulp over the shortest edge.
const F32_TOLERANCE: f64 = 2e-4;

fn sample(kind: SampleKind) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let character = build(&SampleOptions::new(kind)).unwrap();
    let mesh = &character.parts[0].mesh;
    (mesh.points().to_vec(), mesh.point_triangles().to_vec())
}

/// How far `triangle` or the members around a point look along their carried rest normal, from −1 to 1, all by
/// definition; the rotation by climbing to the best fit from several starts.
fn brute_cosine(
    rest: &[Vec3],
    posed: &[Vec3],
    triangles: &[[u32; 3]],
    members: &[usize],
    neighborhood: &[usize],
) -> Option<f64> {
    let corner = |points: &[Vec3], t: usize, k: usize| points[triangles[t][k] as usize].as_dvec3();
    let normal = |points: &[Vec3], t: usize| {
        let [a, b, c] = [0, 1, 2].map(|k| corner(points, t, k));
        (b - a).cross(c - a)
    };
    let (mut weight, mut p_mean, mut q_mean) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for &t in neighborhood {
        let area = normal(rest, t).length();
        for k in 0..3 {
            weight += area;
            p_mean += corner(rest, t, k) * area;
            q_mean += corner(posed, t, k) * area;
        }
    }
    let (p_mean, q_mean) = (p_mean / weight, q_mean / weight);
    let mut h = DMat3::ZERO;
    for &t in neighborhood {
        for k in 0..3 {
            let (p, q) = (corner(rest, t, k) - p_mean, corner(posed, t, k) - q_mean);
            h += DMat3::from_cols(q * p.x, q * p.y, q * p.z) * normal(rest, t).length();
        }
    }
    // The rotation maximises trace(Rᵀ H): climb from several starts by R ← exp(step · axial(Rᵀ H)).
    let score = |r: DMat3| (r.transpose() * h).to_cols_array().iter().step_by(4).sum::<f64>();
    let starts = [
        DQuat::IDENTITY,
        DQuat::from_rotation_x(3.0),
        DQuat::from_rotation_y(3.0),
        DQuat::from_rotation_z(3.0),
    ];
    let size = h.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut best = (f64::NEG_INFINITY, DQuat::IDENTITY);
    for start in starts {
        let mut q = start;
        for _ in 0..3_000 {
            let s = DMat3::from_quat(q).transpose() * h;
            let axial = DVec3::new(
                s.y_axis.z - s.z_axis.y,
                s.z_axis.x - s.x_axis.z,
                s.x_axis.y - s.y_axis.x,
            );
            let step = axial * (0.4 / size);
            q = (q * DQuat::from_scaled_axis(step)).normalize();
            if step.length() < 1e-13 {
                break;
            }
        }
        let reached = score(DMat3::from_quat(q));
        if reached > best.0 {
            best = (reached, q);
        }
    }
    let rest_normal: DVec3 = members.iter().map(|&t| normal(rest, t)).sum();
    let posed_normal: DVec3 = members.iter().map(|&t| normal(posed, t)).sum();
    let carried = best.1 * rest_normal.try_normalize()?;
    Some(carried.dot(posed_normal.try_normalize()?))
}

fn brute_rows(num_points: usize, triangles: &[[u32; 3]]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let sharing = |points: &BTreeSet<u32>| -> Vec<usize> {
        (0..triangles.len()).filter(|&t| triangles[t].iter().any(|p| points.contains(p))).collect()
    };
    let of_triangles =
        (0..triangles.len()).map(|t| (vec![t], sharing(&triangles[t].into_iter().collect())));
    let of_points = (0..num_points as u32).map(|p| {
        let fan = sharing(&[p].into_iter().collect());
        // The fan's points but for the point itself: the point's triangles have two others each.
        let ring = fan.iter().flat_map(|&t| triangles[t]).filter(|&q| q != p).collect();
        (fan, sharing(&ring))
    });
    of_triangles.chain(of_points).collect()
}

fn grid(n: u32) -> Vec<[u32; 3]> {
    let at = |i: u32, j: u32| j * (n + 1) + i;
    (0..n * n)
        .flat_map(|k| {
            let (i, j) = (k % n, k / n);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        })
        .collect()
}

fn random_points(num: usize) -> impl Strategy<Value = Vec<Vec3>> {
    prop::collection::vec(prop::array::uniform3(-1.0..1.0f32).prop_map(Vec3::from), num)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_figures_are_those_of_a_brute_force_evaluation(
        rest in random_points(16),
        noise in random_points(16),
        amount in 0.0..1.5f32,
    ) {
        let triangles = grid(3);
        // Shrinking would otherwise end at points on top of each other, which have their own test.
        let distinct: BTreeSet<_> = rest.iter().map(|p| p.to_array().map(f32::to_bits)).collect();
        prop_assume!(distinct.len() == rest.len());
        let posed: Vec<Vec3> = rest.iter().zip(&noise).map(|(p, n)| *p + *n * amount).collect();
        let found = measure(&rest, &posed, &triangles);

        let mut edges = BTreeSet::new();
        for t in &triangles {
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                edges.insert((a.min(b), a.max(b)));
            }
        }
        let mut stretches: Vec<f64> = edges
            .iter()
            .map(|&(a, b)| {
                let length = |p: &[Vec3]| (p[a as usize].as_dvec3() - p[b as usize].as_dvec3()).length();
                length(&posed) / length(&rest)
            })
            .collect();
        stretches.sort_by(f64::total_cmp);
        prop_assert_eq!(found.max_stretch, stretches.last().copied());
        prop_assert_eq!(found.p999_stretch, stretches.last().copied());
        prop_assert!((found.min_compression.unwrap() - stretches[0]).abs() < TOLERANCE);

        let volume = |points: &[Vec3]| {
            let mean = points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len() as f64;
            triangles.iter().map(|t| {
                let [a, b, c] = t.map(|p| points[p as usize].as_dvec3() - mean);
                DMat3::from_cols(a, b, c).determinant() / 6.0
            }).sum::<f64>()
        };
        let ratio = volume(&posed) / volume(&rest);
        prop_assert!((found.volume_ratio.unwrap() / ratio - 1.0).abs() < TOLERANCE);

        let furthest = rest.iter().zip(&posed).map(|(a, b)| (a.as_dvec3() - b.as_dvec3()).length()).fold(0.0, f64::max);
        prop_assert_eq!(found.max_displacement, furthest);

        let rows = brute_rows(16, &triangles);
        let cosines: Vec<f64> = rows
            .iter()
            .map(|(members, around)| brute_cosine(&rest, &posed, &triangles, members, around).unwrap())
            .collect();
        // Too near to a right angle for two iterations to agree on.
        prop_assume!(cosines.iter().all(|c| c.abs() > 1e-3));
        let opposed = |c: &[f64]| c.iter().filter(|&&c| c < 0.0).count();
        prop_assert_eq!(found.inverted_triangles, opposed(&cosines[..triangles.len()]));
        prop_assert_eq!(found.flipped_normals, opposed(&cosines[triangles.len()..]));
    }

    #[test]
    fn a_rigid_motion_changes_nothing_but_the_place(
        axis in prop::array::uniform3(-1.0..1.0f32),
        radians in -3.1..3.1f32,
        shift in prop::array::uniform3(-5.0..5.0f32),
    ) {
        let (rest, triangles) = sample(SampleKind::Cylinder);
        let turn = Quat::from_axis_angle(Vec3::from(axis).normalize_or(Vec3::X), radians);
        let posed: Vec<Vec3> = rest.iter().map(|p| turn * *p + Vec3::from(shift)).collect();
        let found = measure(&rest, &posed, &triangles);
        for ratio in [found.volume_ratio, found.max_stretch, found.p999_stretch, found.min_compression] {
            prop_assert!((ratio.unwrap() - 1.0).abs() < F32_TOLERANCE, "{:?}", found);
        }
        prop_assert_eq!((found.inverted_triangles, found.flipped_normals), (0, 0));
    }

    #[test]
    fn a_scaled_mesh_has_the_cube_of_the_scale_in_volume(scale in 0.1..8.0f32) {
        let (rest, triangles) = sample(SampleKind::Box);
        let posed: Vec<Vec3> = rest.iter().map(|p| *p * scale).collect();
        let found = measure(&rest, &posed, &triangles);
        let scale = f64::from(scale);
        prop_assert!((found.volume_ratio.unwrap() / scale.powi(3) - 1.0).abs() < F32_TOLERANCE);
        prop_assert!((found.p999_stretch.unwrap() / scale - 1.0).abs() < F32_TOLERANCE);
        prop_assert_eq!(found.inverted_triangles, 0);
    }
}

#[test]
fn a_point_pulled_across_its_neighbours_is_found() {
    // A flat sheet with one inner point dragged past its ring: triangles behind it fold over.
    let n = 8;
    let rest: Vec<Vec3> = (0..(n + 1) * (n + 1))
        .map(|k| Vec3::new((k % (n + 1)) as f32, (k / (n + 1)) as f32, 0.0))
        .collect();
    let triangles = grid(n);
    let mut posed = rest.clone();
    posed[4 * 9 + 4] += Vec3::new(1.6, 0.1, 0.02);
    let found = measure(&rest, &posed, &triangles);
    assert!((1..=3).contains(&found.inverted_triangles), "{found:?}");
    assert_eq!(found.volume_ratio, None);
    assert_eq!(measure(&rest, &rest, &triangles).inverted_triangles, 0);
}

#[test]
fn a_folded_region_has_flipped_normals() {
    // One line of points is pulled back over its neighbours: the strip before it looks down, and the line before
    // that has more of it than of its own.
    let n = 24;
    let rest: Vec<Vec3> = (0..(n + 1) * (n + 1))
        .map(|k| Vec3::new((k % (n + 1)) as f32, (k / (n + 1)) as f32, 0.0))
        .collect();
    let posed: Vec<Vec3> = rest
        .iter()
        .map(|p| if p.x == 12.0 { Vec3::new(p.x - 2.5, p.y, 0.0) } else { *p })
        .collect();
    let found = measure(&rest, &posed, &grid(n));
    // The two ends of the line lie on the border, where half a neighbourhood may turn over with them.
    let per_line = n as usize;
    assert!(found.inverted_triangles.abs_diff(2 * per_line) <= 2, "{found:?}");
    assert!(found.flipped_normals.abs_diff(per_line + 1) <= 2, "{found:?}");
}

#[test]
fn what_is_not_finite_is_said_and_left_out() {
    let (rest, triangles) = sample(SampleKind::Box);
    let mut posed = rest.clone();
    posed[7] = Vec3::new(f32::NAN, 0.0, 0.0);
    posed[300] = Vec3::splat(f32::INFINITY);
    let found = measure(&rest, &posed, &triangles);
    assert!(!found.finite);
    assert_eq!(found.volume_ratio, None);
    assert_eq!((found.max_stretch, found.min_compression), (Some(1.0), Some(1.0)));
    assert_eq!((found.inverted_triangles, found.flipped_normals), (0, 0));
    assert_eq!(found.max_displacement, 0.0);

    let nothing = vec![Vec3::NAN; rest.len()];
    for (rest, posed) in [(&rest, &nothing), (&nothing, &rest), (&nothing, &nothing)] {
        let found = measure(rest, posed, &triangles);
        assert_eq!((found.max_stretch, found.volume_ratio), (None, None));
    }
}

#[test]
fn degenerate_shapes_have_no_figures_instead_of_nan() {
    let found = measure(&[], &[], &[]);
    assert_eq!((found.max_stretch, found.volume_ratio, found.triangles), (None, None, 0));
    let point = vec![Vec3::ONE; 3];
    let found = measure(&point, &[Vec3::X, Vec3::Y, Vec3::Z], &[[0, 1, 2], [0, 0, 1]]);
    assert_eq!((found.max_stretch, found.inverted_triangles, found.triangles), (None, 0, 2));
    // A real triangle that collapses: nothing left to be inverted.
    let found = measure(&[Vec3::X, Vec3::Y, Vec3::Z], &point, &[[0, 1, 2]]);
    assert_eq!((found.max_stretch, found.inverted_triangles), (Some(0.0), 0));
}

#[test]
fn quantiles_are_of_the_nearest_rank() {
    let mut values: Vec<f64> = (1..=2_000).rev().map(f64::from).collect();
    assert_eq!(quantile(&mut values, 0.999), Some(1_998.0));
    assert_eq!(quantile(&mut values, 0.001), Some(2.0));
    assert_eq!(quantile(&mut [3.0], 0.001), Some(3.0));
}

#[test]
fn a_sweep_keeps_the_largest_jump() {
    let at = |x: f32| [Vec3::new(x, 0.0, 0.0), Vec3::NAN];
    let mut sweep = Sweep::default();
    assert_eq!(sweep.max_jump(), None);
    for x in [0.0, 1.0, 4.0, 3.5] {
        sweep.push(measure(&at(0.0), &at(x), &[]), &at(x));
    }
    assert_eq!(sweep.max_jump(), Some(3.0));
    assert_eq!(sweep.steps().len(), 4);
    assert_eq!(sweep.steps()[2].max_displacement, 4.0);
}

/// The cylinder with its second bone twisted, skinned, and measured.
fn twisted_cylinder(method: SkinMethod, degrees: f64) -> (Measures, RigMeasures) {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let part = &character.parts[0];
    let weights = part.weights.as_ref().unwrap();
    let rest = part.mesh.points();
    let triangles = part.mesh.point_triangles();
    let mut pose = Pose::rest(&character.skeleton);
    pose.joints[1].twist_radians = degrees.to_radians();
    let palette = Palette::new(&character.skeleton, &pose);
    let input = SkinInput { positions: rest, normals: &[], weights, triangles };
    let skin = Skin::bind(method, &input, &Silent).unwrap();
    let mut posed = vec![Vec3::ZERO; rest.len()];
    skin.deform(&palette, &mut posed, &mut []);

    let measure = Measure::bind(rest, triangles);
    let attachments = Attachments::bind(rest, &character.skeleton, Some(weights));
    (measure.evaluate(&posed), measure.evaluate_rig(&posed, &attachments, &palette))
}

#[test]
fn a_twist_of_175_degrees_collapses_linear_and_not_dual_quaternions() {
    let (linear, linear_rig) = twisted_cylinder(SkinMethod::Linear, 175.0);
    let (dual, dual_rig) = twisted_cylinder(SkinMethod::DualQuat, 175.0);
    assert!(linear_rig.min_attachment_ratio.unwrap() < 0.35, "{linear_rig:?}");
    assert!(dual_rig.min_attachment_ratio.unwrap() > 0.95, "{dual_rig:?}");
    assert!(linear.volume_ratio.unwrap() < 0.9, "{linear:?}");
    assert!(dual.volume_ratio.unwrap() > 0.9, "{dual:?}");
    assert!(linear_rig.p001_stretch < dual_rig.p001_stretch);
}

#[test]
fn at_rest_every_point_keeps_its_distance_to_the_bone() {
    for method in [SkinMethod::Linear, SkinMethod::DualQuat] {
        let (measures, rig) = twisted_cylinder(method, 0.0);
        assert!((rig.min_attachment_ratio.unwrap() - 1.0).abs() < F32_TOLERANCE);
        assert!((measures.volume_ratio.unwrap() - 1.0).abs() < F32_TOLERANCE);
        assert!(measures.finite && measures.inverted_triangles == 0);
    }
}
