//! Reading PLY: vertices, and faces and strips over them; other elements are passed over.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::Character;
use sinew::mesh::RawMesh;

use super::header::{self, Element, Header, Scalar};
use super::values::Values;
use crate::polygon::triangulate;
use crate::{Loaded, ReadError, Report};

/// What a property of a vertex is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Position(usize),
    Normal(usize),
    Uv(usize),
    Other,
}

impl Role {
    fn of(name: &str) -> Self {
        match name {
            "x" => Self::Position(0),
            "y" => Self::Position(1),
            "z" => Self::Position(2),
            "nx" => Self::Normal(0),
            "ny" => Self::Normal(1),
            "nz" => Self::Normal(2),
            "s" | "u" | "texture_u" | "s0" => Self::Uv(0),
            "t" | "v" | "texture_v" | "t0" => Self::Uv(1),
            _ => Self::Other,
        }
    }
}

pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Loaded, ReadError> {
    read_stream(name, &mut std::io::Cursor::new(bytes), Path::new(name))
}

/// Reads a file a block at a time: scans are larger than the memory that the file and its mesh
/// would take together. `path` is for what goes wrong.
pub(crate) fn read_stream(
    name: &str,
    source: &mut (impl Read + Seek),
    path: &Path,
) -> Result<Loaded, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let num_bytes = source.seek(SeekFrom::End(0)).map_err(failed)?;
    source.rewind().map_err(failed)?;
    let (header, body_start) = read_header(source).map_err(failed)??;
    let place_of = |name: &str| header.elements.iter().position(|e| e.name == name);
    let Some(vertices_at) = place_of("vertex") else {
        return Err(ReadError::malformed("header", "there is no element 'vertex'"));
    };
    let mut reader = Reader {
        raw: RawMesh { name: name.to_owned(), ..RawMesh::default() },
        report: Report::default(),
    };
    let mut pass = |reader: &mut Reader, is_wanted: &dyn Fn(&str) -> bool| {
        source.seek(SeekFrom::Start(body_start)).map_err(failed)?;
        let mut values = Values::new(header.encoding, source, num_bytes - body_start);
        let outcome = reader.elements(&header, &mut values, is_wanted);
        values.failure.take().map_or(outcome, |error| Err(failed(error)))
    };
    let is_surface = |name: &str| matches!(name, "face" | "tristrips" | "tristrip");
    let faces_first = header.elements[..vertices_at].iter().any(|e| is_surface(&e.name));
    if faces_first {
        // Polygons are cut into triangles by where their corners are: vertices are read ahead then.
        pass(&mut reader, &|name| name == "vertex")?;
        pass(&mut reader, &is_surface)?;
    } else {
        pass(&mut reader, &|name| name == "vertex" || is_surface(name))?;
    }
    for element in header.elements.iter().filter(|e| e.name != "vertex" && !is_surface(&e.name)) {
        if element.count > 0 {
            let what = format!("{} were left out", element.count);
            let place = format!("element '{}'", element.name);
            reader.report.note("element-left-out", place, what, "convert them to faces");
        }
    }
    let Reader { raw, mut report } = reader;
    let labels: Vec<u32> = (0..raw.positions.len() as u32).collect();
    let place = "element 'face'";
    let failed = |source| ReadError::Mesh { place: place.to_owned(), source };
    let welded = raw.weld_by(&labels).map_err(failed)?;
    report.welding(place, &welded.report);
    let parts = vec![welded.part];
    Ok(Loaded {
        character: Character { name: name.to_owned(), parts, ..Character::default() },
        report,
        extensions: Vec::new(),
        cage: None,
    })
}

/// The header, and where the body begins.
fn read_header(source: &mut impl Read) -> std::io::Result<Result<(Header, u64), ReadError>> {
    const BLOCK_BYTES: u64 = 16 << 10;
    const END: &[u8] = b"end_header";
    let mut bytes = Vec::new();
    loop {
        let before = bytes.len();
        source.by_ref().take(BLOCK_BYTES).read_to_end(&mut bytes)?;
        // Its last line may lie across two blocks.
        let from = before.saturating_sub(END.len());
        let ends_at = bytes[from..].windows(END.len()).position(|window| window == END);
        let is_whole = ends_at.is_some_and(|at| bytes[from + at..].contains(&b'\n'));
        // What is no PLY need not be read to its end.
        if is_whole || bytes.len() == before || !bytes.starts_with(b"ply") {
            let parsed = header::parse(&bytes);
            return Ok(parsed.map(|(header, rest)| (header, (bytes.len() - rest.len()) as u64)));
        }
    }
}

struct Reader {
    raw: RawMesh,
    report: Report,
}

impl Reader {
    /// One way through the body: elements that are wanted are read, others passed over.
    fn elements(
        &mut self,
        header: &Header,
        values: &mut Values<'_>,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<(), ReadError> {
        for element in &header.elements {
            let place = || format!("element '{}'", element.name);
            let smallest = element.smallest_size(header.encoding);
            // The last word of an ASCII file needs no space after it.
            let needed = element.count.checked_mul(smallest);
            let is_there = needed.is_some_and(|needed| needed <= values.num_bytes_left() + 1);
            if element.count > 0 && (smallest == 0 || !is_there) {
                let what =
                    format!("{} of them cannot be in what is left of the file", element.count);
                return Err(ReadError::malformed(place(), what));
            }
            let read = match element.name.as_str() {
                name if !is_wanted(name) => (0..element.count)
                    .try_for_each(|k| skip(element, values).map_err(|what| (k, what))),
                "vertex" => self.vertices(element, values),
                "face" => read_faces(element, values, &mut self.raw),
                _ => read_strips(element, values, &mut self.raw),
            };
            read.map_err(|(index, what)| {
                ReadError::malformed(format!("element '{}', {index}", element.name), what)
            })?;
        }
        Ok(())
    }

    fn vertices(
        &mut self,
        element: &Element,
        values: &mut Values<'_>,
    ) -> Result<(), (usize, String)> {
        let has_colors =
            element.properties.iter().any(|p| p.name == "red" || p.name == "diffuse_red");
        if has_colors {
            let what = "vertices have colours, which were left out";
            let mend = "keep them in a texture";
            self.report.note("vertex-colors-left-out", "element 'vertex'", what, mend);
        }
        let num_broken = read_vertices(element, values, &mut self.raw)?;
        if num_broken > 0 {
            let what = format!(
                "{num_broken} normals or texture coordinates are NaN or infinite; they were set to zero"
            );
            let mend = "export the mesh again";
            self.report.warn("attribute-not-finite", "element 'vertex'", what, mend);
        }
        Ok(())
    }
}

/// Returns how many normals and texture coordinates had to be mended.
fn read_vertices(
    element: &Element,
    values: &mut Values<'_>,
    raw: &mut RawMesh,
) -> Result<usize, (usize, String)> {
    let roles: Vec<Role> = element
        .properties
        .iter()
        .map(|p| if p.length.is_some() { Role::Other } else { Role::of(&p.name) })
        .collect();
    if let Some(axis) = (0..3).find(|&axis| !roles.contains(&Role::Position(axis))) {
        return Err((0, format!("has no property '{}'", ["x", "y", "z"][axis])));
    }
    let has_normals = (0..3).all(|axis| roles.contains(&Role::Normal(axis)));
    let has_uvs = (0..2).all(|axis| roles.contains(&Role::Uv(axis)));
    raw.positions.reserve(element.count);
    let mut num_broken = 0;
    for index in 0..element.count {
        let (mut position, mut normal, mut uv) = (Vec3::ZERO, Vec3::ZERO, Vec2::ZERO);
        for (property, role) in element.properties.iter().zip(&roles) {
            let failed = |what| (index, what);
            if let Some(length) = property.length {
                skip_list(values, length, property.scalar).map_err(failed)?;
                continue;
            }
            let value = values.next(property.scalar).map_err(failed)? as f32;
            match *role {
                Role::Position(axis) => position[axis] = value,
                Role::Normal(axis) => normal[axis] = value,
                Role::Uv(axis) => uv[axis] = value,
                Role::Other => {}
            }
        }
        if !position.is_finite() {
            return Err((index, format!("lies at {position}, which is no place")));
        }
        raw.positions.push(position);
        if has_normals {
            num_broken += usize::from(!normal.is_finite());
            raw.normals.push(if normal.is_finite() { normal } else { Vec3::ZERO });
        }
        if has_uvs {
            num_broken += usize::from(!uv.is_finite());
            let uv = if uv.is_finite() { uv } else { Vec2::ZERO };
            // Counted from below in PLY, from above in glTF and here.
            raw.uvs.push(Vec2::new(uv.x, 1.0 - uv.y));
        }
    }
    Ok(num_broken)
}

fn read_faces(
    element: &Element,
    values: &mut Values<'_>,
    raw: &mut RawMesh,
) -> Result<(), (usize, String)> {
    let num_vertices = raw.positions.len();
    let (mut corners, mut positions) = (Vec::new(), Vec::new());
    for index in 0..element.count {
        for property in &element.properties {
            let failed = |what| (index, what);
            match property.length {
                Some(length) if is_corners(&property.name) => {
                    let count = values.next_length(length, property.scalar).map_err(failed)?;
                    corners.clear();
                    positions.clear();
                    for _ in 0..count {
                        let value = values.next(property.scalar).map_err(failed)?;
                        let corner = corner(value, num_vertices).map_err(failed)?;
                        corners.push(corner);
                        positions.push(raw.positions[corner as usize]);
                    }
                    let triangles = &mut raw.triangles;
                    triangulate(&positions, |t| triangles.push(t.map(|k| corners[k])));
                }
                Some(length) => skip_list(values, length, property.scalar).map_err(failed)?,
                None => {
                    values.next(property.scalar).map_err(failed)?;
                }
            }
        }
    }
    Ok(())
}

/// Stanford's strips: every three neighbours are a triangle, every other wound the other way; -1
/// starts anew.
fn read_strips(
    element: &Element,
    values: &mut Values<'_>,
    raw: &mut RawMesh,
) -> Result<(), (usize, String)> {
    let num_vertices = raw.positions.len();
    for index in 0..element.count {
        let failed = |what| (index, what);
        for property in &element.properties {
            match property.length {
                Some(length) if is_corners(&property.name) => {
                    let count = values.next_length(length, property.scalar).map_err(failed)?;
                    let (mut before, mut is_odd) = ([None; 2], false);
                    for _ in 0..count {
                        let value = values.next(property.scalar).map_err(failed)?;
                        if value == -1.0 {
                            (before, is_odd) = ([None; 2], false);
                            continue;
                        }
                        let corner = corner(value, num_vertices).map_err(failed)?;
                        if let [Some(a), Some(b)] = before {
                            raw.triangles.push(if is_odd {
                                [b, a, corner]
                            } else {
                                [a, b, corner]
                            });
                            is_odd = !is_odd;
                        }
                        before = [before[1], Some(corner)];
                    }
                }
                Some(length) => skip_list(values, length, property.scalar).map_err(failed)?,
                None => {
                    values.next(property.scalar).map_err(failed)?;
                }
            }
        }
    }
    Ok(())
}

fn is_corners(name: &str) -> bool {
    matches!(name, "vertex_indices" | "vertex_index")
}

/// A corner's vertex, whatever the type of the list.
fn corner(value: f64, num_vertices: usize) -> Result<u32, String> {
    if value >= 0.0 && value < num_vertices as f64 && value.fract() == 0.0 {
        Ok(value as u32)
    } else {
        Err(format!("names vertex {value} of {num_vertices}"))
    }
}

fn skip(element: &Element, values: &mut Values<'_>) -> Result<(), String> {
    for property in &element.properties {
        match property.length {
            Some(length) => skip_list(values, length, property.scalar)?,
            None => {
                values.next(property.scalar)?;
            }
        }
    }
    Ok(())
}

fn skip_list(values: &mut Values<'_>, length: Scalar, scalar: Scalar) -> Result<(), String> {
    for _ in 0..values.next_length(length, scalar)? {
        values.next(scalar)?;
    }
    Ok(())
}
