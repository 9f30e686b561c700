//! Where a point can come to: the convex hull of where each of its joints alone would take it
//! (the paper's section 4). A point at rest, a segment where one joint is bent, a triangle, a
//! polygon, a tetrahedron or a polyhedron.

use glam::DVec3;

/// What is flatter than this share of its size is flat.
const FLAT_SHARE: f64 = 1e-6;

/// Where a point can come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Hull {
    /// One place, and no other.
    Point(DVec3),
    /// Between two places.
    Segment([DVec3; 2]),
    /// Inside of a flat outline, in order around it.
    Polygon(Vec<DVec3>),
    /// Inside of a body.
    Solid {
        /// Its corners.
        corners: Vec<DVec3>,
        /// Its faces, each the corners around it, counter-clockwise from outside.
        faces: Vec<Vec<u32>>,
    },
}

impl Hull {
    /// The hull of places; what is smaller than `least` in all directions is a point.
    ///
    /// # Panics
    /// If there is no place.
    pub fn of(places: &[DVec3], least: f64) -> Self {
        let center = places.iter().sum::<DVec3>() / places.len() as f64;
        let farthest = |from: DVec3| {
            let distance = |place: &&DVec3| place.distance_squared(from);
            let most = places.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
            most.copied().unwrap_or(from)
        };
        let a = farthest(center);
        let b = farthest(a);
        let size = a.distance(b);
        if size <= least.max(f64::MIN_POSITIVE) {
            return Self::Point(center);
        }
        let along = (b - a) / size;
        let off_line = |place: DVec3| (place - a).reject_from_normalized(along);
        let wide = |p: &&DVec3| off_line(**p).length_squared();
        let c = *places.iter().max_by(|p, q| wide(p).total_cmp(&wide(q))).unwrap_or(&a);
        let across = off_line(c);
        if across.length() <= (FLAT_SHARE * size).max(least) {
            return Self::Segment([a, b]);
        }
        let normal = along.cross(across.normalize());
        let height = |place: DVec3| (place - a).dot(normal);
        let flat = (FLAT_SHARE * size).max(least);
        if places.iter().all(|&place| height(place).abs() <= flat) {
            let all: Vec<u32> = (0..places.len() as u32).collect();
            let outline = outline(places, &all, normal, flat);
            return Self::Polygon(outline.iter().map(|&at| places[at as usize]).collect());
        }
        solid(places, flat)
    }

    /// What it is, for people.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Point(_) => "point",
            Self::Segment(_) => "segment",
            Self::Polygon(corners) if corners.len() == 3 => "triangle",
            Self::Polygon(_) => "polygon",
            Self::Solid { corners, .. } if corners.len() == 4 => "tetrahedron",
            Self::Solid { .. } => "polyhedron",
        }
    }

    /// Its corners.
    pub fn corners(&self) -> &[DVec3] {
        match self {
            Self::Point(place) => std::slice::from_ref(place),
            Self::Segment(ends) => ends,
            Self::Polygon(corners) | Self::Solid { corners, .. } => corners,
        }
    }

    /// Its edges, each once.
    pub fn edges(&self) -> Vec<[DVec3; 2]> {
        match self {
            Self::Point(_) => Vec::new(),
            Self::Segment(ends) => vec![*ends],
            Self::Polygon(corners) => {
                let next = corners.iter().cycle().skip(1);
                corners.iter().zip(next).map(|(&a, &b)| [a, b]).collect()
            }
            Self::Solid { corners, faces } => {
                let around = |face: &Vec<u32>| {
                    let next: Vec<u32> =
                        face.iter().cycle().skip(1).take(face.len()).copied().collect();
                    face.iter().copied().zip(next).collect::<Vec<_>>()
                };
                // Every edge is in two faces, once in each direction.
                let once = faces.iter().flat_map(around).filter(|(a, b)| a < b);
                once.map(|(a, b)| [a, b].map(|at| corners[at as usize])).collect()
            }
        }
    }

    /// Triangles that cover it, for pictures.
    pub fn triangles(&self) -> Vec<[DVec3; 3]> {
        let fan = |places: Vec<DVec3>| -> Vec<[DVec3; 3]> {
            places.windows(2).skip(1).map(|pair| [places[0], pair[0], pair[1]]).collect()
        };
        match self {
            Self::Point(_) | Self::Segment(_) => Vec::new(),
            Self::Polygon(corners) => fan(corners.clone()),
            Self::Solid { corners, faces } => faces
                .iter()
                .flat_map(|face| fan(face.iter().map(|&at| corners[at as usize]).collect()))
                .collect(),
        }
    }
}

/// The places around a flat set, counter-clockwise about its normal.
fn outline(places: &[DVec3], members: &[u32], normal: DVec3, flat: f64) -> Vec<u32> {
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let flat_place = |&at: &u32| {
        let place = places[at as usize];
        (place.dot(x), place.dot(y), at)
    };
    let mut sorted: Vec<(f64, f64, u32)> = members.iter().map(flat_place).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Both chains of Andrew's scan; what is nearly on a line is no corner.
    let chain = |order: &mut dyn Iterator<Item = (f64, f64, u32)>| {
        let mut chain: Vec<(f64, f64, u32)> = Vec::new();
        for p in order {
            while let [.., a, b] = chain[..] {
                let (ux, uy) = (b.0 - a.0, b.1 - a.1);
                let (vx, vy) = (p.0 - a.0, p.1 - a.1);
                if ux * vy - uy * vx > flat * vx.hypot(vy) {
                    break;
                }
                chain.pop();
            }
            let is_new = chain.last().is_none_or(|last| (p.0 - last.0).hypot(p.1 - last.1) > flat);
            if is_new {
                chain.push(p);
            }
        }
        chain
    };
    let lower = chain(&mut sorted.iter().copied());
    let upper = chain(&mut sorted.iter().rev().copied());
    let mut around: Vec<u32> = lower.iter().map(|p| p.2).collect();
    let ends = [lower.first(), lower.last()].map(|end| end.map_or((0.0, 0.0), |p| (p.0, p.1)));
    let is_end =
        |p: &&(f64, f64, u32)| ends.iter().any(|end| (p.0 - end.0).hypot(p.1 - end.1) <= flat);
    around.extend(upper.iter().filter(|p| !is_end(p)).map(|p| p.2));
    around
}

/// Every plane that has all places on one side is a face. A handful of places: all triples are
/// looked at, and places that lie in one plane are one face.
fn solid(places: &[DVec3], flat: f64) -> Hull {
    let distinct = distinct(places, flat);
    let n = distinct.len();
    let mut planes: Vec<Vec<u32>> = Vec::new();
    let mut faces: Vec<Vec<u32>> = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let [a, b, c] = [i, j, k].map(|at| distinct[at]);
                let mut normal = (b - a).cross(c - a);
                let longest = (b - a).length().max((c - a).length());
                if normal.length() <= flat * longest {
                    continue;
                }
                normal = normal.normalize();
                let heights: Vec<f64> = distinct.iter().map(|&p| (p - a).dot(normal)).collect();
                let above = heights.iter().any(|&h| h > flat);
                if above && heights.iter().any(|&h| h < -flat) {
                    continue;
                }
                let members: Vec<u32> =
                    (0..n as u32).filter(|&at| heights[at as usize].abs() <= flat).collect();
                if planes.contains(&members) {
                    continue;
                }
                let outward = if above { -normal } else { normal };
                faces.push(outline(&distinct, &members, outward, flat));
                planes.push(members);
            }
        }
    }
    let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let corners = used.iter().map(|&at| distinct[at as usize]).collect();
    for at in faces.iter_mut().flatten() {
        *at = used.partition_point(|&other| other < *at) as u32;
    }
    Hull::Solid { corners, faces }
}

fn distinct(places: &[DVec3], flat: f64) -> Vec<DVec3> {
    let mut distinct: Vec<DVec3> = Vec::with_capacity(places.len());
    for &place in places {
        if distinct.iter().all(|other| other.distance(place) > flat) {
            distinct.push(place);
        }
    }
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(x, y, z)
    }

    #[test]
    fn each_number_of_dimensions_has_its_kind() {
        let corner = [v(0., 0., 0.), v(1., 0., 0.), v(0., 1., 0.), v(0., 0., 1.)];
        let kinds: Vec<&str> =
            (1..=4).map(|number| Hull::of(&corner[..number], 1e-9).kind()).collect();
        assert_eq!(kinds, ["point", "segment", "triangle", "tetrahedron"]);
        let more = [corner.to_vec(), vec![v(1., 1., 1.)]].concat();
        assert_eq!(Hull::of(&more, 1e-9).kind(), "polyhedron");
        assert_eq!(Hull::of(&[v(1., 2., 3.); 6], 1e-9), Hull::Point(v(1., 2., 3.)));
    }

    #[test]
    fn many_places_on_a_line_are_a_segment_of_the_outermost() {
        let places = [0.3, 0.0, 1.0, 0.7, 1.0].map(|t| v(t, 2.0 * t, -t));
        let Hull::Segment(mut ends) = Hull::of(&places, 1e-9) else { panic!("no segment") };
        ends.sort_by(|a, b| a.x.total_cmp(&b.x));
        assert_eq!(ends, [v(0., 0., 0.), v(1., 2., -1.)]);
    }

    #[test]
    fn a_square_with_places_inside_and_on_its_edges_has_four_corners() {
        let mut places = vec![v(0., 0., 1.), v(1., 0., 1.), v(1., 1., 1.), v(0., 1., 1.)];
        places.extend([v(0.5, 0.5, 1.), v(0.5, 0.0, 1.), v(1., 0., 1.)]);
        let hull = Hull::of(&places, 1e-9);
        assert_eq!((hull.kind(), hull.corners().len()), ("polygon", 4));
        assert_eq!((hull.edges().len(), hull.triangles().len()), (4, 2));
    }

    #[test]
    fn a_cube_has_six_faces_of_four_and_twelve_edges() {
        let mut places: Vec<DVec3> =
            (0..8).map(|i| v(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        places.extend([v(0.5, 0.5, 0.5), v(0.5, 0.5, 0.0), v(1., 1., 1.)]);
        let hull = Hull::of(&places, 1e-9);
        let Hull::Solid { corners, faces } = &hull else { panic!("no solid") };
        assert_eq!((corners.len(), faces.len()), (8, 6));
        assert!(faces.iter().all(|face| face.len() == 4));
        assert_eq!(hull.edges().len(), 12);
        // Outward: the volume by the divergence of its triangles is positive, and one.
        let volume: f64 = hull.triangles().iter().map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0).sum();
        assert!((volume - 1.0).abs() < 1e-12, "{volume}");
    }
}
