//! Shapes that are not cut from the skin: sheets, tubes, boxes, discs, rings.

use std::f64::consts::TAU;

use glam::{DAffine3, DVec2, DVec3};

use super::piece::Piece;

/// A grid of points over `u` and `v` from 0 to 1; `u` goes around where it is closed.
fn grid([across, down]: [usize; 2], is_closed: bool, at: impl Fn(f64, f64) -> DVec3) -> Piece {
    let mut piece = Piece::default();
    for row in 0..=down {
        for column in 0..=across {
            let (u, v) = (column as f64 / across as f64, row as f64 / down as f64);
            // A seam ends exactly where it begins.
            let around = if is_closed && column == across { 0.0 } else { u };
            piece.points.push(at(around, v));
            piece.uvs.push(DVec2::new(u, v));
        }
    }
    let width = across as u32 + 1;
    for row in 0..down as u32 {
        for column in 0..across as u32 {
            let a = row * width + column;
            let [b, c, d] = [a + 1, a + width, a + width + 1];
            piece.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    piece
}

/// Cloth with a thickness: the outside is where `u × v` runs against its normal, as seen with `u`
/// to the right and `v` down. One closed shell.
pub(super) fn sheet(
    [across, down]: [usize; 2],
    is_closed: bool,
    thickness: f64,
    at: impl Fn(f64, f64) -> DVec3,
) -> Piece {
    let mut piece = grid([across, down], is_closed, at);
    let width = across as u32 + 1;
    let mut normals = piece.normals();
    if is_closed {
        for row in 0..=down {
            let [a, b] = [row * (across + 1), row * (across + 1) + across];
            let sum = (normals[a] + normals[b]).normalize_or(DVec3::Y);
            (normals[a], normals[b]) = (sum, sum);
        }
    }
    let count = piece.points.len() as u32;
    let inner: Vec<DVec3> =
        piece.points.iter().zip(&normals).map(|(p, n)| *p - *n * thickness).collect();
    piece.points.extend(inner);
    let outer_uvs = piece.uvs.clone();
    piece.uvs.extend(outer_uvs.iter().map(|uv| DVec2::new(uv.x + 1.0, uv.y)));
    let outer = piece.triangles.clone();
    piece.triangles.extend(outer.iter().map(|&[a, b, c]| [count + a, count + c, count + b]));
    let mut rim = |a: u32, b: u32| {
        piece.triangles.extend([[a, b, count + b], [a, count + b, count + a]]);
    };
    let bottom = down as u32 * width;
    for column in 0..across as u32 {
        rim(column, column + 1);
        rim(bottom + column + 1, bottom + column);
    }
    if !is_closed {
        for row in 0..down as u32 {
            rim((row + 1) * width, row * width);
            rim(row * width + width - 1, (row + 1) * width + width - 1);
        }
    }
    oriented(piece)
}

/// A tube along stations, closed at both ends: middle, two half axes of its section.
pub(super) fn tube(stations: &[(DVec3, DVec3, DVec3)], around: usize) -> Piece {
    let last = stations.len() - 1;
    let at = |u: f64, v: f64| {
        let (middle, x, y) = stations[(v * last as f64).round() as usize];
        let (sine, cosine) = (TAU * u).sin_cos();
        middle + x * cosine + y * sine
    };
    let mut piece = grid([around, last], true, at);
    for (station, is_end) in [(0, false), (last, true)] {
        let middle = piece.points.len() as u32;
        piece.points.push(stations[station].0);
        piece.uvs.push(DVec2::new(0.5, if is_end { 1.0 } else { 0.0 }));
        let first = (station * (around + 1)) as u32;
        for step in 0..around as u32 {
            let [a, b] = [first + step, first + step + 1];
            piece.triangles.push(if is_end { [middle, b, a] } else { [middle, a, b] });
        }
    }
    oriented(piece)
}

/// A round tube along a path with a radius at each place.
pub(super) fn rod(path: &[(DVec3, f64)], around: usize) -> Piece {
    let mut side = DVec3::ZERO;
    let last = path.len() - 1;
    let stations: Vec<(DVec3, DVec3, DVec3)> = (0..path.len())
        .map(|k| {
            let along = path[(k + 1).min(last)].0 - path[k.saturating_sub(1)].0;
            let along = along.normalize_or(DVec3::Y);
            // Carried along the path, so that the tube does not turn.
            let start = if side == DVec3::ZERO { along.any_orthonormal_vector() } else { side };
            side = start.reject_from_normalized(along).normalize_or(along.any_orthonormal_vector());
            let (middle, radius) = path[k];
            (middle, side * radius, along.cross(side) * radius)
        })
        .collect();
    tube(&stations, around)
}

/// A closed ring: a rod along a closed curve over 0 to 1.
pub(super) fn ring(
    steps: usize,
    around: usize,
    section: DVec2,
    outwards: impl Fn(f64) -> [DVec3; 3],
) -> Piece {
    let at = |u: f64, v: f64| {
        let [middle, out, up] = outwards(if v == 1.0 { 0.0 } else { v });
        let (sine, cosine) = (TAU * u).sin_cos();
        middle + out * (section.x * cosine) + up * (section.y * sine)
    };
    oriented(grid([around, steps], true, at))
}

/// A box with rounded edges in a frame, its half sizes along the axes.
pub(super) fn rounded_box(frame: &DAffine3, half: DVec3, round: f64) -> Piece {
    // Sections of rounded rectangles, smaller at both ends.
    let levels = [(-1.0, 1.0), (-1.0, 0.0), (1.0, 0.0), (1.0, 1.0)];
    let stations: Vec<Vec<DVec3>> = levels
        .iter()
        .map(|&(end, inset)| {
            let y = end * (half.y - if inset > 0.0 { 0.0 } else { round });
            let inset = inset * round;
            rounded_rectangle(half.x - inset, half.z - inset, round)
                .into_iter()
                .map(|[x, z]| frame.transform_point3(DVec3::new(x, y, z)))
                .collect()
        })
        .collect();
    stacked(&stations)
}

fn rounded_rectangle(x: f64, z: f64, round: f64) -> Vec<[f64; 2]> {
    let round = round.min(x).min(z);
    let mut outline = Vec::new();
    for (corner, [sx, sz]) in
        [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].iter().enumerate()
    {
        for step in 0..3 {
            let angle = TAU * (corner as f64 + f64::from(step) / 2.0) / 4.0;
            let (sine, cosine) = angle.sin_cos();
            outline.push([sx * (x - round) + round * cosine, sz * (z - round) + round * sine]);
        }
    }
    outline
}

/// Outlines of as many points on top of each other, closed at both ends.
fn stacked(outlines: &[Vec<DVec3>]) -> Piece {
    let around = outlines[0].len();
    let last = outlines.len() - 1;
    let at = |u: f64, v: f64| {
        outlines[(v * last as f64).round() as usize][(u * around as f64).round() as usize % around]
    };
    let mut piece = grid([around, last], true, at);
    for (end, outline) in [(0, &outlines[0]), (last, &outlines[last])] {
        let middle = piece.points.len() as u32;
        piece.points.push(outline.iter().copied().sum::<DVec3>() / around as f64);
        piece.uvs.push(DVec2::new(0.5, if end == 0 { 0.0 } else { 1.0 }));
        let first = (end * (around + 1)) as u32;
        for step in 0..around as u32 {
            let [a, b] = [first + step, first + step + 1];
            piece.triangles.push(if end == 0 { [middle, a, b] } else { [middle, b, a] });
        }
    }
    oriented(piece)
}

/// A round button: a low dome on its frame's X–Z plane, its face towards +Y.
pub(super) fn disc(frame: &DAffine3, radius: f64, height: f64, around: usize) -> Piece {
    let profile = [(1.0, 0.0), (1.0, 0.6), (0.72, 1.0)];
    let outlines: Vec<Vec<DVec3>> = profile
        .iter()
        .map(|&(r, y)| {
            (0..around)
                .map(|step| {
                    let (sine, cosine) = (TAU * step as f64 / around as f64).sin_cos();
                    let local = DVec3::new(radius * r * cosine, height * y, radius * r * sine);
                    frame.transform_point3(local)
                })
                .collect()
        })
        .collect();
    stacked(&outlines)
}

/// Turned inside out if it holds less than nothing.
fn oriented(mut piece: Piece) -> Piece {
    let middle = piece.points.iter().copied().sum::<DVec3>() / piece.points.len() as f64;
    let volume: f64 = piece
        .triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.map(|p| piece.points[p as usize] - middle);
            a.dot(b.cross(c))
        })
        .sum();
    if volume < 0.0 {
        piece.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    piece
}
