//! Cloth and plates cut from the skin: the part where a function is positive, lifted off, smoothed
//! so that no muscle shows, and pushed out where the skin would come through. Borders are turned
//! in, so that they show a thickness. Weights are those of the skin below.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};

use super::form::{Form, Place, Row, cleaned};
use super::piece::Piece;

/// A cut this near to a corner, over the edge, goes through the corner: no slivers.
const SNAP: f64 = 0.2;
/// The least lift, over the lift: what smoothing may take.
const LEAST_LIFT: f64 = 0.75;

/// What to cut.
pub(super) struct Cut<'a> {
    /// Positive where cloth is.
    pub(super) keep: &'a dyn Fn(&Place) -> f64,
    /// How far off the skin, metres.
    pub(super) lift: &'a dyn Fn(&Place) -> f64,
    /// Rounds of smoothing.
    pub(super) smooth: usize,
    /// How far borders are turned in, metres; 0 leaves them open.
    pub(super) hem: f64,
}

/// Points of the cloth before it is lifted.
struct Cutting {
    places: Vec<Place>,
    triangles: Vec<[u32; 3]>,
}

/// Cuts, lifts, smooths and hems.
pub(super) fn cut(form: &Form, cut: &Cut<'_>) -> Piece {
    let cutting = clipped(form, cut.keep);
    let lifts: Vec<f64> = cutting.places.iter().map(cut.lift).collect();
    let mut points: Vec<DVec3> =
        cutting.places.iter().zip(&lifts).map(|(p, lift)| p.point + p.normal * *lift).collect();
    let borders = borders(&cutting.triangles);
    let neighbors = neighbors(points.len(), &cutting.triangles, &borders);
    for round in 0..cut.smooth {
        points = smoothed(&points, &neighbors);
        // Every few rounds: a whole smoothing first and then one push would leave dents.
        if round % 4 == 3 || round + 1 == cut.smooth {
            for ((point, place), lift) in points.iter_mut().zip(&cutting.places).zip(&lifts) {
                *point = pushed(form, *point, place, LEAST_LIFT * lift);
            }
        }
    }
    let uvs = points.iter().map(|p| DVec2::new(p.x + 0.5 * p.z, 1.0 - 0.5 * p.y)).collect();
    let rows: Vec<Row> = cutting.places.iter().map(|place| place.row.clone()).collect();
    let mut piece = Piece { points, uvs, rows, triangles: cutting.triangles };
    if cut.hem > 0.0 {
        hem(&mut piece, &cutting.places, &lifts, &borders, cut.hem);
    }
    piece
}

/// At least so far outside of the skin that is nearest. Skin that looks elsewhere (a chest for an
/// arm's sleeve) is none of its business.
fn pushed(form: &Form, point: DVec3, place: &Place, least: f64) -> DVec3 {
    let skin = form.nearest(point);
    if skin.normal.dot(place.normal) < 0.2 {
        return point;
    }
    let height = (point - skin.point).dot(skin.normal);
    if height < least { point + skin.normal * (least - height) } else { point }
}

/// The triangles where the function is positive, cut along its zeros.
fn clipped(form: &Form, keep: &dyn Fn(&Place) -> f64) -> Cutting {
    let mut values: Vec<f64> = form.places.iter().map(keep).collect();
    // A corner that a cut would miss by little is on it.
    for triangle in &form.triangles {
        for [a, b] in [[0, 1], [1, 2], [2, 0]].map(|e| e.map(|k: usize| triangle[k] as usize)) {
            let (va, vb) = (values[a], values[b]);
            if va * vb < 0.0 {
                let t = va / (va - vb);
                if t < SNAP {
                    values[a] = 0.0;
                } else if t > 1.0 - SNAP {
                    values[b] = 0.0;
                }
            }
        }
    }
    let mut cutting = Cutting { places: Vec::new(), triangles: Vec::new() };
    let mut of_corner: BTreeMap<u32, u32> = BTreeMap::new();
    let mut of_edge: BTreeMap<[u32; 2], u32> = BTreeMap::new();
    for corners in &form.triangles {
        let mut outline: Vec<u32> = Vec::with_capacity(4);
        if !corners.iter().any(|&c| values[c as usize] > 0.0) {
            continue;
        }
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            let (va, vb) = (values[a as usize], values[b as usize]);
            if va >= 0.0 {
                outline.push(*of_corner.entry(a).or_insert_with(|| {
                    cutting.places.push(form.places[a as usize].clone());
                    cutting.places.len() as u32 - 1
                }));
            }
            if va * vb < 0.0 {
                outline.push(*of_edge.entry([a.min(b), a.max(b)]).or_insert_with(|| {
                    cutting.places.push(between(form, [a, b], va / (va - vb)));
                    cutting.places.len() as u32 - 1
                }));
            }
        }
        for k in 2..outline.len() {
            cutting.triangles.push([outline[0], outline[k - 1], outline[k]]);
        }
    }
    cutting
}

fn between(form: &Form, [a, b]: [u32; 2], t: f64) -> Place {
    let (a, b) = (&form.places[a as usize], &form.places[b as usize]);
    let row = a.row.iter().map(|&(j, w)| (j, w * (1.0 - t)));
    let row = row.chain(b.row.iter().map(|&(j, w)| (j, w * t))).collect();
    form.place(a.point.lerp(b.point, t), a.normal.lerp(b.normal, t), cleaned(row))
}

/// Edges of one triangle, in its direction.
fn borders(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut count: BTreeMap<[u32; 2], (usize, [u32; 2])> = BTreeMap::new();
    for &[a, b, c] in triangles {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            count.entry([a.min(b), a.max(b)]).or_insert((0, [a, b])).0 += 1;
        }
    }
    count.into_values().filter(|(times, _)| *times == 1).map(|(_, edge)| edge).collect()
}

/// Neighbours of each point; of a point on a border those on the border alone.
fn neighbors(count: usize, triangles: &[[u32; 3]], borders: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &[a, b, c] in triangles {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            inside[a as usize].push(b);
            inside[b as usize].push(a);
        }
    }
    let mut on_border: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &[a, b] in borders {
        on_border[a as usize].push(b);
        on_border[b as usize].push(a);
    }
    for (inside, border) in inside.iter_mut().zip(on_border) {
        if !border.is_empty() {
            *inside = border;
        }
        inside.sort_unstable();
        inside.dedup();
    }
    inside
}

fn smoothed(points: &[DVec3], neighbors: &[Vec<u32>]) -> Vec<DVec3> {
    let of_point = |(point, around): (&DVec3, &Vec<u32>)| {
        if around.is_empty() {
            return *point;
        }
        let mean = around.iter().map(|&p| points[p as usize]).sum::<DVec3>() / around.len() as f64;
        point.lerp(mean, 0.5)
    };
    points.iter().zip(neighbors).map(of_point).collect()
}

/// Strips from the borders towards the skin.
fn hem(piece: &mut Piece, places: &[Place], lifts: &[f64], borders: &[[u32; 2]], depth: f64) {
    let mut inner: BTreeMap<u32, u32> = BTreeMap::new();
    for &[a, b] in borders {
        for point in [a, b] {
            inner.entry(point).or_insert_with(|| {
                let index = point as usize;
                let down = depth.min(0.8 * lifts[index]);
                piece.points.push(piece.points[index] - places[index].normal * down);
                piece.uvs.push(piece.uvs[index] + DVec2::splat(0.01));
                piece.rows.push(piece.rows[index].clone());
                piece.points.len() as u32 - 1
            });
        }
        let [c, d] = [inner[&a], inner[&b]];
        piece.triangles.extend([[b, a, c], [b, c, d]]);
    }
}
