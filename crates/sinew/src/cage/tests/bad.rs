//! Bad cages: each gets a report that names what is wrong, and nothing is ever NaN.

use glam::DVec3;

use super::super::coordinates::QuadMeanValue;
use super::super::{Cage, CageError, CageFace, CageFault, CoordinateRows};
use super::{Random, as_triangles, crooked_box};
use crate::progress::Silent;

fn with_faces(cage: &Cage, change: impl FnOnce(&mut Vec<CageFace>)) -> Cage {
    let mut faces = cage.faces().to_vec();
    change(&mut faces);
    Cage::new(cage.points().to_vec(), faces).unwrap()
}

fn bind(cage: &Cage) -> Result<CoordinateRows, CageError> {
    let mut random = Random::new(2);
    let points: Vec<DVec3> = (0..40).map(|_| 0.7 * random.vector()).collect();
    CoordinateRows::bind(cage, &QuadMeanValue::new(cage), &points, &Silent)
}

fn only_fault(cage: &Cage) -> CageFault {
    let report = cage.check();
    assert_eq!(report.faults.len(), 1, "{report}");
    report.faults[0].clone()
}

#[test]
fn a_hole_is_named_by_its_edges_and_faces() {
    let cage = with_faces(&crooked_box(), |faces| {
        faces.remove(5);
    });
    let CageFault::Open { edges, faces } = only_fault(&cage) else { panic!("{}", cage.check()) };
    assert_eq!((edges.len(), faces.len()), (4, 4));
    assert!(matches!(bind(&cage), Err(CageError::Faults(_))));
    assert!(cage.check().to_string().contains("close the holes"));
}

#[test]
fn missing_triangles_all_over_are_found() {
    let cage = as_triangles(&crooked_box());
    let num_faces = cage.faces().len();
    let cage = with_faces(&cage, |faces| {
        let mut index = 0;
        faces.retain(|_| {
            index += 1;
            index % 20 != 7
        });
    });
    assert!(cage.faces().len() < num_faces);
    assert!(matches!(bind(&cage), Err(CageError::Faults(_))));
}

#[test]
fn a_flipped_face_is_named() {
    let cage = with_faces(&crooked_box(), |faces| {
        if let CageFace::Quad([a, b, c, d]) = faces[3] {
            faces[3] = CageFace::Quad([d, c, b, a]);
        }
    });
    assert_eq!(only_fault(&cage), CageFault::Winding { faces: vec![3] });
    assert!(matches!(bind(&cage), Err(CageError::Faults(_))));
}

#[test]
fn an_inside_out_cage_is_said_and_gives_the_same_coordinates() {
    let cage = crooked_box();
    let turned = with_faces(&cage, |faces| {
        for face in faces {
            if let CageFace::Quad([a, b, c, d]) = *face {
                *face = CageFace::Quad([d, c, b, a]);
            }
        }
    });
    assert_eq!(only_fault(&turned), CageFault::InsideOut);
    let (here, there) = (bind(&cage).unwrap(), bind(&turned).unwrap());
    for (a, b) in here.values().iter().zip(there.values()) {
        assert!((a - b).abs() < 1e-12);
    }
}

#[test]
fn doubled_faces_and_points_of_no_face_are_named() {
    let cage = crooked_box();
    let last = cage.faces().len() as u32;
    let doubled = with_faces(&cage, |faces| faces.push(faces[2]));
    let report = doubled.check_topology();
    assert!(report.faults.contains(&CageFault::Duplicate { faces: vec![last] }), "{report}");
    assert!(report.has_errors());

    let mut points = cage.points().to_vec();
    points.push(DVec3::splat(4.0));
    let unused = Cage::new(points, cage.faces().to_vec()).unwrap();
    let point = cage.points().len() as u32;
    assert_eq!(only_fault(&unused), CageFault::Unreferenced { points: vec![point] });
    let rows = bind(&unused).unwrap();
    assert!(rows.values().iter().all(|phi| phi.is_finite()));
}

#[test]
fn two_sheets_that_touch_in_a_point_are_named() {
    let low = Cage::lattice(DVec3::ZERO, DVec3::ONE, glam::UVec3::ONE).unwrap();
    let mut points = low.points().to_vec();
    let mut faces = low.faces().to_vec();
    let shared = points.iter().position(|&p| p == DVec3::ONE).unwrap() as u32;
    let high = Cage::lattice(DVec3::ONE, 2.0 * DVec3::ONE, glam::UVec3::ONE).unwrap();
    let at = high.points().iter().position(|&p| p == DVec3::ONE).unwrap() as u32;
    let offset = points.len() as u32;
    points.extend_from_slice(high.points());
    faces.extend(high.faces().iter().map(|face| match *face {
        CageFace::Quad(q) => {
            CageFace::Quad(q.map(|corner| if corner == at { shared } else { corner + offset }))
        }
        CageFace::Triangle(t) => CageFace::Triangle(t),
    }));
    let cage = Cage::new(points, faces).unwrap();
    let report = cage.check_topology();
    assert!(
        report.faults.contains(&CageFault::NonManifoldPoints { points: vec![shared] }),
        "{report}"
    );
}

#[test]
fn a_cage_through_itself_is_found_face_by_face() {
    let cage = crooked_box();
    let mut points = cage.points().to_vec();
    // One corner, pulled through the opposite side.
    points[0] = DVec3::new(3.0, 3.0, 3.0);
    let pulled = cage.with_points(points).unwrap();
    let CageFault::Intersecting { faces } = only_fault(&pulled) else {
        panic!("{}", pulled.check())
    };
    assert!(faces.iter().all(|[a, b]| a < b));
    assert!(!pulled.check().has_errors(), "it can be used, with a warning");
    assert!(cage.check().is_clean(), "{}", cage.check());
}

#[test]
fn what_is_no_cage_is_refused_with_a_reason() {
    let cage = crooked_box();
    let face = CageFace::Triangle([0, 1, 999]);
    let found = Cage::new(cage.points().to_vec(), vec![face; 4]);
    assert!(matches!(found, Err(CageError::PointOutOfRange { point: 999, .. })));
    let mut points = cage.points().to_vec();
    points[3].y = f64::NAN;
    assert_eq!(cage.with_points(points), Err(CageError::NotFinite { point: 3 }));
    assert!(matches!(Cage::new(vec![], vec![]), Err(CageError::Size { .. })));
    assert!(matches!(cage.with_points(vec![]), Err(CageError::Count { .. })));
}

#[test]
fn a_flat_cage_has_no_coordinates_and_says_so() {
    let cage = crooked_box();
    let flat: Vec<DVec3> = cage.points().iter().map(|p| DVec3::new(p.x, p.y, 0.0)).collect();
    let flat = cage.with_points(flat).unwrap();
    let error = bind(&flat).unwrap_err();
    assert!(!error.to_string().is_empty());
}
