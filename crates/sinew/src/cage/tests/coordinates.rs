//! Coordinates: precise, and what they should be.

use glam::{DQuat, DVec3, UVec3};

use super::super::coordinates::{Harmonic, Loaded, MeanValue, QuadMeanValue};
use super::super::{
    Cage, CageFace, CoordinateKind, CoordinateRows, Coordinates, GreenCage, Selection,
};
use super::{Random, as_triangles, crooked_box};
use crate::progress::Silent;

/// Rounding of a sum over a few dozen handles.
const EXACT: f64 = 1e-12;

fn places(count: usize, within: f64) -> Vec<DVec3> {
    let mut random = Random::new(11);
    (0..count).map(|_| within * random.vector()).collect()
}

fn worst_miss(cage: &Cage, coordinates: &dyn Coordinates, points: &[DVec3]) -> f64 {
    let n = cage.points().len();
    let mut rows = vec![0.0; n * points.len()];
    coordinates.rows(0, points, &mut rows);
    let mut worst = 0.0f64;
    for (row, &point) in rows.chunks_exact(n).zip(points) {
        let found: DVec3 = row.iter().zip(cage.points()).map(|(&phi, &c)| phi * c).sum();
        let miss = found.distance(point) / cage.diagonal() + (row.iter().sum::<f64>() - 1.0).abs();
        assert!(miss.is_finite(), "{point}");
        worst = worst.max(miss);
    }
    worst
}

#[test]
fn mean_value_is_precise_inside_and_outside_before_any_fix() {
    let cage = crooked_box();
    for within in [0.8, 5.0] {
        let points = places(400, within);
        assert!(worst_miss(&cage, &MeanValue::new(&cage), &points) <= EXACT);
        assert!(worst_miss(&cage, &QuadMeanValue::new(&cage), &points) <= EXACT);
    }
}

#[test]
fn mean_value_is_precise_next_to_faces_edges_and_corners() {
    let cage = as_triangles(&crooked_box());
    let mut random = Random::new(5);
    let triangles: Vec<[u32; 3]> = cage.triangles().collect();
    for distance in [0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3] {
        let mut points = Vec::new();
        for triangle in &triangles {
            let [a, b, c] = triangle.map(|corner| cage.points()[corner as usize]);
            let normal = (b - a).cross(c - a).normalize();
            let (u, v) = (random.unit(), random.unit());
            let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
            let on_face = a + u * (b - a) + v * (c - a);
            for at in [on_face, a + u * (b - a), a] {
                points.push(at - distance * cage.diagonal() * normal);
            }
        }
        let raw = worst_miss(&cage, &MeanValue::new(&cage), &points);
        let limit = if distance >= 1e-6 { EXACT } else { 1e-8 };
        assert!(raw <= limit, "{distance}: {raw}");
        let rows = CoordinateRows::bind(&cage, &MeanValue::new(&cage), &points, &Silent).unwrap();
        for (index, &point) in points.iter().enumerate() {
            let miss = rows.place(index, cage.points()).distance(point) / cage.diagonal();
            assert!(miss <= EXACT, "{distance}: {miss}");
        }
    }
}

#[test]
fn a_mirrored_quad_cage_gives_mirrored_coordinates() {
    let cage = crooked_box();
    let mirror = |p: DVec3| DVec3::new(-p.x, p.y, p.z);
    let mirrored = Cage::new(
        cage.points().iter().map(|&p| mirror(p)).collect(),
        cage.faces()
            .iter()
            .map(|face| match *face {
                CageFace::Triangle([a, b, c]) => CageFace::Triangle([a, c, b]),
                // From another corner: a split along the first diagonal would be the other one.
                CageFace::Quad([a, b, c, d]) => CageFace::Quad([b, a, d, c]),
            })
            .collect(),
    )
    .unwrap();
    let points = places(100, 0.9);
    let of_mirror: Vec<DVec3> = points.iter().map(|&p| mirror(p)).collect();
    let bind = |cage: &Cage, points: &[DVec3], kind: CoordinateKind| {
        CoordinateRows::bind(cage, &*kind.bind(cage, points).unwrap(), points, &Silent).unwrap()
    };
    let largest_difference = |kind| {
        let (here, there) = (bind(&cage, &points, kind), bind(&mirrored, &of_mirror, kind));
        here.values().iter().zip(there.values()).fold(0.0f64, |d, (a, b)| d.max((a - b).abs()))
    };
    assert!(largest_difference(CoordinateKind::QuadMeanValue) <= EXACT);
    // The negative control: with one diagonal they differ.
    assert!(largest_difference(CoordinateKind::MeanValue) > 1e-4);
}

#[test]
fn harmonic_coordinates_are_precise_and_hardly_negative() {
    let cage = crooked_box();
    let points = places(300, 0.8);
    let least = |kind: CoordinateKind| {
        let bound = kind.bind(&cage, &points).unwrap();
        let rows = CoordinateRows::bind(&cage, &*bound, &points, &Silent).unwrap();
        for (index, &point) in points.iter().enumerate() {
            assert!(rows.place(index, cage.points()).distance(point) <= EXACT * cage.diagonal());
        }
        rows.values().iter().fold(0.0f64, |least, &phi| least.min(phi))
    };
    let least_harmonic = least(CoordinateKind::Harmonic);
    assert!(least_harmonic > -2e-3, "{least_harmonic}");
    assert!(Harmonic::new(&cage, 2).is_ok_and(|harmonic| harmonic.name() == "harmonic"));
}

#[test]
fn loaded_coordinates_of_another_cage_are_refused_and_rounded_ones_made_precise() {
    let cage = crooked_box();
    let points = places(50, 0.8);
    let rows = CoordinateRows::bind(&cage, &QuadMeanValue::new(&cage), &points, &Silent).unwrap();
    let n = cage.points().len();
    let triplets = |round: f64| -> Vec<(u32, u32, f64)> {
        (0..points.len())
            .flat_map(|i| (0..n).map(move |k| (k as u32, i as u32)))
            .map(|(k, i)| (k, i, (rows.row(i as usize)[k as usize] * round).round() / round))
            .collect()
    };
    let loaded = Loaded::from_triplets(n, points.len(), triplets(1e6)).unwrap();
    let found = CoordinateRows::bind(&cage, &loaded, &points, &Silent).unwrap();
    assert!(found.raw_error() > 1e-8, "six digits are not all of it");
    assert!(found.place(7, cage.points()).distance(points[7]) <= EXACT * cage.diagonal());
    let shuffled: Vec<DVec3> = points.iter().rev().copied().collect();
    assert!(CoordinateRows::bind(&cage, &loaded, &shuffled, &Silent).is_err());
    assert!(CoordinateRows::bind(&cage, &loaded, &places(60, 0.8), &Silent).is_err());
    assert!(Loaded::from_triplets(n - 1, points.len(), triplets(1e6)).is_err());
}

#[test]
fn green_coordinates_keep_similarities() {
    let cage = as_triangles(&crooked_box());
    let points = places(80, 0.8);
    let green = GreenCage::bind(&cage, &points).unwrap();
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 1.2);
    let similar = |p: DVec3| 1.7 * (turn * p) + DVec3::new(3.0, -1.0, 2.0);
    let moved: Vec<DVec3> = cage.points().iter().map(|&p| similar(p)).collect();
    let mut out = vec![DVec3::ZERO; points.len()];
    green.deform(&moved, &mut out);
    for (found, &point) in out.iter().zip(&points) {
        assert!(found.distance(similar(point)) < 1e-9, "{found} {}", similar(point));
    }
    assert!(GreenCage::bind(&cage, &[DVec3::splat(9.0)]).is_err(), "outside");
}

#[test]
fn the_selection_has_the_largest_volume_nearly() {
    let cage = crooked_box();
    let points = places(3000, 0.95);
    let rows = CoordinateRows::bind(&cage, &QuadMeanValue::new(&cage), &points, &Silent).unwrap();
    let selection = Selection::of(&rows, |_| true);
    assert_eq!(selection.points.len(), cage.points().len());
    assert!(selection.largest_ratio <= 1.05, "{}", selection.largest_ratio);
    let mut distinct = selection.points.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), selection.points.len());
    let kept = Selection::of(&rows, |point| point % 2 == 0);
    assert!(kept.points.iter().all(|point| point % 2 == 0));
}

#[test]
fn a_lattice_is_closed_and_encloses_its_box() {
    let cage = Cage::lattice(DVec3::ZERO, DVec3::ONE, UVec3::new(3, 4, 2)).unwrap();
    assert!(cage.check().is_clean(), "{}", cage.check());
    assert!((cage.volume() - 1.0).abs() < 1e-12);
    assert!(cage.encloses(DVec3::splat(0.5)));
    assert!(!cage.encloses(DVec3::new(0.5, 0.5, 1.1)));
}
