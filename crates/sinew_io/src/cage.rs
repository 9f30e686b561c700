//! Cages: OBJ with its triangles and quads kept, the cage that Sinew wrote into a glTF, any other
//! mesh as triangles; and coordinates as SuperCages writes them.

use std::fmt::Write as _;
use std::path::Path;

use glam::DVec3;
use sinew::cage::coordinates::Loaded;
use sinew::cage::{Cage, CageError, CageFace};

use crate::{Format, ReadError, read_character};

/// A cage as text takes less than this by far; more is a scan.
const MAX_BYTES: u64 = 16 << 20;
/// Coordinates of a hundred thousand points in a hundred handles.
const MAX_WEIGHT_BYTES: u64 = 1 << 30;

/// Reads a cage.
///
/// # Errors
/// If the file cannot be read, or what is in it is no cage.
pub fn read_cage(path: impl AsRef<Path>) -> Result<Cage, ReadError> {
    let path = path.as_ref();
    if Format::of_path(path) == Some(Format::Obj) {
        return cage_of_obj(&text_of(path, MAX_BYTES)?);
    }
    let loaded = read_character(path)?;
    if let Some(rig) = loaded.cage {
        return Ok(rig.cage);
    }
    let character = loaded.character;
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for part in &character.parts {
        let first = points.len() as u32;
        points.extend(part.mesh.points().iter().map(|p| p.as_dvec3()));
        let own = part.mesh.point_triangles().iter();
        faces.extend(own.map(|t| CageFace::Triangle(t.map(|corner| corner + first))));
    }
    Cage::new(points, faces).map_err(|error| no_cage(&error))
}

fn no_cage(error: &CageError) -> ReadError {
    ReadError::malformed("cage", error.to_string())
}

fn text_of(path: &Path, most: u64) -> Result<String, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > most {
        let what = format!("{size} bytes, where {most} are allowed; this is no cage");
        return Err(ReadError::malformed("file", what));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A cage from the text of an OBJ: `v` and `f` lines, polygons of more than four corners as fans.
///
/// # Errors
/// Says in which line something is wrong.
pub fn cage_of_obj(text: &str) -> Result<Cage, ReadError> {
    let (mut points, mut faces): (Vec<DVec3>, Vec<CageFace>) = (Vec::new(), Vec::new());
    for (index, line) in text.lines().enumerate() {
        let fault = |what: &str| ReadError::malformed(format!("line {}", index + 1), what);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut number = || words.next().and_then(|word| word.parse::<f64>().ok());
                let (Some(x), Some(y), Some(z)) = (number(), number(), number()) else {
                    return Err(fault("a point needs three numbers"));
                };
                points.push(DVec3::new(x, y, z));
            }
            Some("f") => {
                let mut corners: Vec<u32> = Vec::new();
                for word in words {
                    let name = word.split('/').next().unwrap_or_default();
                    let number: i64 = name.parse().map_err(|_| fault("a corner is no number"))?;
                    // From the first, or back from the last.
                    let place = if number < 0 { points.len() as i64 + number } else { number - 1 };
                    if place < 0 || place >= points.len() as i64 {
                        return Err(fault("a corner names a point that is not there"));
                    }
                    corners.push(place as u32);
                }
                match corners[..] {
                    [a, b, c] => faces.push(CageFace::Triangle([a, b, c])),
                    [a, b, c, d] => faces.push(CageFace::Quad([a, b, c, d])),
                    [first, ref others @ ..] if others.len() > 3 => {
                        let pairs = others.windows(2);
                        faces.extend(pairs.map(|w| CageFace::Triangle([first, w[0], w[1]])));
                    }
                    _ => return Err(fault("a face needs three corners or more")),
                }
            }
            _ => {}
        }
    }
    Cage::new(points, faces).map_err(|error| no_cage(&error))
}

/// A cage as OBJ text, every digit kept.
pub fn cage_to_obj(cage: &Cage) -> String {
    let mut text = String::from("# A cage, by Sinew\n");
    for p in cage.points() {
        // Into a string nothing fails.
        let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
    }
    for face in cage.faces() {
        text.push('f');
        for corner in face.corners() {
            let _ = write!(text, " {}", corner + 1);
        }
        text.push('\n');
    }
    text
}

/// Reads coordinates as SuperCages writes them: lines of `handle point coordinate`.
///
/// # Errors
/// If the file cannot be read, or is not of so many handles and points.
pub fn read_cage_weights(
    path: &Path,
    num_handles: usize,
    num_points: usize,
) -> Result<Loaded, ReadError> {
    let text = text_of(path, MAX_WEIGHT_BYTES)?;
    let mut triplets = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let mut whole = || words.next().and_then(|word| word.parse::<u32>().ok());
        let (handle, point) = (whole(), whole());
        let value = words.next().and_then(|word| word.parse::<f64>().ok());
        let (Some(handle), Some(point), Some(value)) = (handle, point, value) else {
            let place = format!("line {}", index + 1);
            return Err(ReadError::malformed(place, "not 'handle point coordinate'"));
        };
        triplets.push((handle, point, value));
    }
    Loaded::from_triplets(num_handles, num_points, triplets).map_err(|error| no_cage(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cage_comes_back_from_its_own_text_with_its_quads() {
        let cage = Cage::lattice(DVec3::ZERO, DVec3::new(0.1, 2.0, 3.0), glam::UVec3::splat(2));
        let cage = cage.unwrap();
        assert_eq!(cage_of_obj(&cage_to_obj(&cage)).unwrap(), cage);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, words) in [
            ("v 0 0", "line 1: a point needs three numbers"),
            ("v 0 0 0\nf 1 2 3", "line 2: a corner names a point that is not there"),
            ("v 0 0 0\nf 1 1", "line 2: a face needs three corners"),
            ("v 0 0 0\nf 1 x 1", "line 2: a corner is no number"),
            ("hello", "a cage has 4"),
        ] {
            let error = cage_of_obj(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn polygons_become_fans_and_corners_may_count_back() {
        let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0.5 2 0\nv 0 1 0\nf 1//1 2//1 3//1 4//1 5//1\nf -5 -4 -3\n";
        let cage = cage_of_obj(text).unwrap();
        assert_eq!(cage.faces().len(), 4);
        assert_eq!(cage.faces()[3], CageFace::Triangle([0, 1, 2]));
    }
}
