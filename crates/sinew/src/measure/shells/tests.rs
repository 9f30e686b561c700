//! A button over a sheet: two shells whose figures are known.

use glam::{DQuat, DVec3, Vec3};

use super::*;

/// f32 positions, moved and compared in f64.
const TOLERANCE: f64 = 1e-6;

const SHEET: usize = 25;
const LIFT: f32 = 0.01;

/// A sheet of 4 × 4 squares over the unit square, its normal up, and a button of one square above
/// its middle, looking up as well.
fn sheet_and_button() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut points: Vec<Vec3> =
        (0..SHEET).map(|k| Vec3::new((k % 5) as f32 / 4.0, 0.0, (k / 5) as f32 / 4.0)).collect();
    let mut triangles = Vec::new();
    for square in 0..16u32 {
        let corner = square / 4 * 5 + square % 4;
        triangles.extend([[corner, corner + 5, corner + 6], [corner, corner + 6, corner + 1]]);
    }
    let button = [(0.45, 0.45), (0.45, 0.55), (0.55, 0.55), (0.55, 0.45)];
    points.extend(button.map(|(x, z)| Vec3::new(x, LIFT, z)));
    let first = SHEET as u32;
    triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: u32| first + i)));
    (points, triangles)
}

/// The sheet on joint 0, and each point of the button on joints 0 and 1.
fn rows(button: [f32; 4]) -> Vec<Row> {
    let of_button = button.map(|w| vec![(0, w), (1, 1.0 - w)]);
    (0..SHEET).map(|_| vec![(0, 1.0)]).chain(of_button).collect()
}

fn diagonal() -> f64 {
    f64::from(Aabb::around(sheet_and_button().0).diagonal())
}

fn moved(by: impl Fn(usize, Vec3) -> Vec3) -> Vec<Vec3> {
    sheet_and_button().0.into_iter().enumerate().map(|(index, p)| by(index, p)).collect()
}

fn evaluate(rows: &[Row], posed: &[Vec3]) -> ShellMeasures {
    let (rest, triangles) = sheet_and_button();
    ShellMeasure::bind(&rest, &triangles, rows).evaluate(posed)
}

#[test]
fn a_button_and_the_point_of_the_sheet_below_it_have_neighbours() {
    let (rest, triangles) = sheet_and_button();
    let measure = ShellMeasure::bind(&rest, &triangles, &rows([1.0; 4]));
    // The button's four, and the middle of the sheet.
    let counts = ShellCounts { shells: 2, pairs: 5, tied: 5, rigid: 2 };
    assert_eq!(measure.counts(), counts);
    let gaps = measure.gaps_of_points(&rest);
    assert_eq!(gaps.iter().flatten().count(), 5);
    assert!(gaps.iter().flatten().all(|gap| *gap < TOLERANCE));
}

#[test]
fn what_moves_as_one_has_no_gap() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 2.2);
    let posed = moved(|_, p| (turn * p.as_dvec3() + DVec3::new(3.0, 1.0, 2.0)).as_vec3());
    let found = evaluate(&rows([1.0; 4]), &posed);
    for figure in [found.gap_mean, found.gap_p95, found.gap_max, found.tied_p95, found.tied_max] {
        assert!(figure.unwrap() < TOLERANCE, "{found:?}");
    }
    assert_eq!(found.penetrations, Some(0.0));
    assert!(found.rigid_deviation.unwrap() < TOLERANCE);
}

#[test]
fn a_button_that_comes_off_shows_by_how_far() {
    let posed = moved(|index, p| if index < SHEET { p } else { p + 0.1 * Vec3::Y });
    let found = evaluate(&rows([1.0; 4]), &posed);
    let expected = 0.1 / diagonal();
    assert!((found.gap_max.unwrap() - expected).abs() < TOLERANCE, "{found:?}");
    assert!((found.tied_mean.unwrap() - expected).abs() < TOLERANCE, "{found:?}");
    assert_eq!(found.penetrations, Some(0.0));
    // It slides as well.
    let posed = moved(|index, p| if index < SHEET { p } else { p + 0.1 * Vec3::X });
    let found = evaluate(&rows([1.0; 4]), &posed);
    assert!((found.gap_p95.unwrap() - expected).abs() < TOLERANCE, "{found:?}");
}

#[test]
fn weights_that_do_not_overlap_tie_nothing() {
    let posed = moved(|index, p| if index < SHEET { p } else { p + 0.1 * Vec3::Y });
    let found = evaluate(&rows([0.4; 4]), &posed);
    assert!(found.gap_max.is_some());
    assert_eq!((found.tied_p95, found.tied_max, found.penetrations), (None, None, None));
    // The sheet's own point sees the button's weights.
    let (rest, triangles) = sheet_and_button();
    let half = ShellMeasure::bind(&rest, &triangles, &rows([0.6, 0.6, 0.4, 0.4]));
    assert_eq!(half.counts().tied, 3);
    let tied = half.tied_points();
    assert!(tied[SHEET] && tied[SHEET + 1] && !tied[SHEET + 2]);
}

#[test]
fn without_weights_all_are_tied_and_none_is_rigid() {
    let posed = moved(|index, p| if index < SHEET { p } else { p + 0.1 * Vec3::Y });
    let found = evaluate(&[], &posed);
    assert_eq!(found.tied_max, found.gap_max);
    assert_eq!((found.penetrations, found.rigid_deviation), (Some(0.0), None));
}

#[test]
fn a_button_that_sinks_in_penetrates() {
    let deep = 0.004 * diagonal() as f32;
    let posed = |depth: f32| moved(move |i, p| if i < SHEET { p } else { p.with_y(-depth) });
    // The button's four from outside to inside; the sheet's middle, below the button at rest,
    // comes out.
    assert_eq!(evaluate(&rows([1.0; 4]), &posed(deep)).penetrations, Some(0.8));
    assert_eq!(evaluate(&rows([1.0; 4]), &posed(0.25 * deep)).penetrations, Some(0.0));
}

#[test]
fn what_comes_through_crosses_whatever_the_weights_and_what_has_gone_elsewhere_does_not() {
    let deep = 0.004 * diagonal() as f32;
    let posed = |depth: f32| moved(move |i, p| if i < SHEET { p } else { p.with_y(-depth) });
    let through = evaluate(&rows([0.4; 4]), &posed(deep));
    // The button's area, of that and of what is around the sheet's middle.
    let (rest, triangles) = sheet_and_button();
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|p| rest[p as usize].as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    };
    let button: f64 = triangles.iter().filter(|t| t[0] as usize >= SHEET).map(area).sum();
    let crossed = through.crossings.unwrap();
    assert_eq!(through.penetrations, None);
    assert!(crossed > 0.0 && crossed < 1.0, "{through:?}");
    let beside = button / crossed;
    let middle: f64 = beside - button;
    let of_sheet: f64 = triangles.iter().filter(|t| (t[0] as usize) < SHEET).map(area).sum();
    assert!(middle > 0.0 && middle < of_sheet, "{middle} of {of_sheet}");
    assert_eq!(evaluate(&rows([0.4; 4]), &posed(0.25 * deep)).crossings, Some(0.0));
    assert_eq!(evaluate(&rows([0.4; 4]), &posed(10.0 * deep)).crossings, Some(0.0));
}

#[test]
fn a_rigid_shell_that_bends_deviates_and_one_with_other_weights_does_not() {
    let bent = moved(|index, p| if index == SHEET + 2 { p + 0.05 * Vec3::Y } else { p });
    let found = evaluate(&rows([1.0; 4]), &bent).rigid_deviation.unwrap();
    assert!(found > 0.005 && found < 0.05, "{found}");
    // Weights that change over the button make it soft; the sheet is still rigid.
    let soft = evaluate(&rows([1.0, 1.0, 0.9, 1.0]), &bent).rigid_deviation.unwrap();
    assert!(soft < TOLERANCE, "{soft}");
}

#[test]
fn a_sheared_triangle_does_not_turn_its_frame() {
    // Along one edge of every triangle: its direction stays, that of the others changes.
    let shear = |p: Vec3, by: f32| Vec3::new(p.x + by * (p.z - 0.5), p.y, p.z);
    let gap = |by: f32| {
        let posed = moved(|_, p| shear(p, by));
        evaluate(&rows([1.0; 4]), &posed).gap_max.unwrap()
    };
    assert!(gap(0.2) < TOLERANCE, "{}", gap(0.2));
}

#[test]
fn a_single_skin_has_no_figures_of_shells() {
    let (points, triangles) = sheet_and_button();
    let measure = ShellMeasure::bind(&points[..SHEET], &triangles[..32], &rows([1.0; 4])[..SHEET]);
    assert_eq!(measure.counts(), ShellCounts { shells: 1, pairs: 0, tied: 0, rigid: 1 });
    let found = measure.evaluate(&points[..SHEET]);
    assert_eq!((found.gap_p95, found.tied_p95, found.penetrations), (None, None, None));
    let nothing = ShellMeasure::bind(&[], &[], &[]);
    assert_eq!(nothing.evaluate(&[]), ShellMeasures::default());
}

#[test]
fn a_mesh_that_no_joint_moves_takes_no_part() {
    let mut rows = rows([1.0; 4]);
    rows[SHEET..].iter_mut().for_each(Vec::clear);
    let (rest, triangles) = sheet_and_button();
    let measure = ShellMeasure::bind(&rest, &triangles, &rows);
    assert_eq!(measure.counts(), ShellCounts { shells: 1, pairs: 0, tied: 0, rigid: 1 });
}

#[test]
fn what_is_not_finite_or_has_collapsed_does_no_harm() {
    let broken = moved(|index, p| if index == SHEET { Vec3::NAN } else { p });
    let found = evaluate(&rows([1.0; 4]), &broken);
    assert!(found.gap_max.unwrap() < TOLERANCE, "{found:?}");
    let flat = moved(|index, p| if index < SHEET { Vec3::ZERO } else { p });
    let found = evaluate(&rows([1.0; 4]), &flat);
    assert!(found.gap_max.unwrap().is_finite(), "{found:?}");
    assert_eq!(found.penetrations, Some(0.0));
}
