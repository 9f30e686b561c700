//! Reading PLY: vertices, and faces over them; other elements are passed over.

use glam::{Vec2, Vec3};
use sinew::Character;
use sinew::mesh::RawMesh;

use super::header::{self, Element, Scalar};
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
    let (header, body) = header::parse(bytes)?;
    let mut values = Values::new(header.encoding, body);
    let mut report = Report::default();
    let mut raw = RawMesh { name: name.to_owned(), ..RawMesh::default() };
    let mut has_vertices = false;
    for element in &header.elements {
        let place = format!("element '{}'", element.name);
        let smallest = element.smallest_size(header.encoding);
        // The last word of an ASCII file needs no space after it.
        let needed = element.count.checked_mul(smallest);
        let is_there = needed.is_some_and(|needed| needed <= values.num_bytes_left() + 1);
        if element.count > 0 && (smallest == 0 || !is_there) {
            let what = format!("{} of them cannot be in what is left of the file", element.count);
            return Err(ReadError::malformed(place, what));
        }
        let failed = |(index, what): (usize, String)| {
            ReadError::malformed(format!("element '{}', {index}", element.name), what)
        };
        match element.name.as_str() {
            "vertex" => {
                read_vertices(element, &mut values, &mut raw).map_err(failed)?;
                has_vertices = true;
            }
            "face" if !has_vertices => {
                return Err(ReadError::malformed(place, "faces before vertices"));
            }
            "face" => read_faces(element, &mut values, &mut raw).map_err(failed)?,
            _ => {
                if element.count > 0 {
                    let what = format!("{} were left out", element.count);
                    report.note("element-left-out", place, what, "convert them to faces");
                }
                for index in 0..element.count {
                    skip(element, &mut values).map_err(|what| failed((index, what)))?;
                }
            }
        }
    }
    if !has_vertices {
        return Err(ReadError::malformed("header", "there is no element 'vertex'"));
    }
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
    })
}

fn read_vertices(
    element: &Element,
    values: &mut Values<'_>,
    raw: &mut RawMesh,
) -> Result<(), (usize, String)> {
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
        raw.positions.push(position);
        if has_normals {
            raw.normals.push(normal);
        }
        if has_uvs {
            // Counted from below in PLY, from above in glTF and here.
            raw.uvs.push(Vec2::new(uv.x, 1.0 - uv.y));
        }
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    values: &mut Values<'_>,
    raw: &mut RawMesh,
) -> Result<(), (usize, String)> {
    let is_corners = |name: &str| matches!(name, "vertex_indices" | "vertex_index");
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
                        let corner = values.next(property.scalar).map_err(failed)?;
                        if !(corner >= 0.0 && corner < num_vertices as f64) {
                            let what = format!("names vertex {corner} of {num_vertices}");
                            return Err(failed(what));
                        }
                        corners.push(corner as u32);
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
