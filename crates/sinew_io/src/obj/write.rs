//! Writing OBJ: the shortest decimals that read back as the same f32.

use std::io::{self, Write};

use crate::WriteOptions;
use crate::posed::PosedPart;

pub(crate) fn write(
    file: &mut impl Write,
    name: &str,
    parts: &[PosedPart<'_>],
    options: &WriteOptions,
) -> io::Result<()> {
    writeln!(file, "# {} written by Sinew", one_line(name))?;
    // OBJ counts from one, over all parts.
    let (mut first, mut first_uv, mut first_normal) = (1, 1, 1);
    for part in parts {
        writeln!(file, "o {}", one_line(part.mesh.name()))?;
        first += if options.render_vertices {
            write_render_vertices(file, part, first)?
        } else if options.corner_attributes {
            write_points_with_attributes(file, part, [first, first_uv, first_normal])?
        } else {
            write_points(file, part, first)?
        };
        first_uv += part.mesh.vertex_uvs().len();
        first_normal += part.vertex_normals.len();
    }
    Ok(())
}

/// One `v` line a welded point; returns how many.
fn write_points(file: &mut impl Write, part: &PosedPart<'_>, first: usize) -> io::Result<usize> {
    for point in part.points {
        write_numbers(file, "v", &point.to_array())?;
    }
    write_faces(file, part, part.mesh.point_triangles(), |file, point| {
        write!(file, " {}", first + point as usize)
    })?;
    Ok(part.points.len())
}

/// One `v` line a welded point; `vt` and `vn` a render vertex, named by the faces' corners. Returns
/// the number of points.
fn write_points_with_attributes(
    file: &mut impl Write,
    part: &PosedPart<'_>,
    [first, first_uv, first_normal]: [usize; 3],
) -> io::Result<usize> {
    let (uvs, normals) = (part.mesh.vertex_uvs(), part.vertex_normals);
    for point in part.points {
        write_numbers(file, "v", &point.to_array())?;
    }
    for uv in uvs {
        write_numbers(file, "vt", &[uv.x, 1.0 - uv.y])?;
    }
    for normal in normals {
        write_numbers(file, "vn", &normal.to_array())?;
    }
    write_faces(file, part, part.mesh.triangles(), |file, vertex| {
        let vertex = vertex as usize;
        let point = first + part.mesh.point_of_vertex()[vertex] as usize;
        let (uv, normal) = (first_uv + vertex, first_normal + vertex);
        match (uvs.is_empty(), normals.is_empty()) {
            (false, false) => write!(file, " {point}/{uv}/{normal}"),
            (false, true) => write!(file, " {point}/{uv}"),
            (true, false) => write!(file, " {point}//{normal}"),
            (true, true) => write!(file, " {point}"),
        }
    })?;
    Ok(part.points.len())
}

/// One `v` line a render vertex, with `vt` and `vn` of the same number; returns how many.
fn write_render_vertices(
    file: &mut impl Write,
    part: &PosedPart<'_>,
    first: usize,
) -> io::Result<usize> {
    let (has_uvs, has_normals) =
        (!part.mesh.vertex_uvs().is_empty(), !part.vertex_normals.is_empty());
    for position in part.vertex_positions() {
        write_numbers(file, "v", &position.to_array())?;
    }
    // A part without gets zeros, so that one number serves all three.
    for vertex in 0..part.mesh.num_vertices() {
        let uv = if has_uvs { part.mesh.vertex_uvs()[vertex] } else { glam::Vec2::Y };
        write_numbers(file, "vt", &[uv.x, 1.0 - uv.y])?;
    }
    for vertex in 0..part.mesh.num_vertices() {
        let normal = if has_normals { part.vertex_normals[vertex] } else { glam::Vec3::ZERO };
        write_numbers(file, "vn", &normal.to_array())?;
    }
    write_faces(file, part, part.mesh.triangles(), |file, vertex| {
        let k = first + vertex as usize;
        match (has_uvs, has_normals) {
            (true, true) => write!(file, " {k}/{k}/{k}"),
            (true, false) => write!(file, " {k}/{k}"),
            (false, true) => write!(file, " {k}//{k}"),
            (false, false) => write!(file, " {k}"),
        }
    })?;
    Ok(part.mesh.num_vertices())
}

fn write_faces<W: Write>(
    file: &mut W,
    part: &PosedPart<'_>,
    triangles: &[[u32; 3]],
    mut write_corner: impl FnMut(&mut W, u32) -> io::Result<()>,
) -> io::Result<()> {
    let mut groups = part.mesh.groups().iter().peekable();
    let mut group_end = 0;
    for (index, triangle) in triangles.iter().enumerate() {
        let index = index as u32;
        let mut opened = false;
        while let Some(group) = groups.next_if(|group| group.triangles.start <= index) {
            if group.triangles.contains(&index) {
                writeln!(file, "g {}", one_word(&group.name))?;
                group_end = group.triangles.end;
                opened = true;
            }
        }
        if !opened && index == group_end && group_end > 0 {
            // Back to no group.
            writeln!(file, "g")?;
        }
        file.write_all(b"f")?;
        for &corner in triangle {
            write_corner(file, corner)?;
        }
        file.write_all(b"\n")?;
    }
    Ok(())
}

fn write_numbers(file: &mut impl Write, keyword: &str, numbers: &[f32]) -> io::Result<()> {
    let mut buffer = ryu::Buffer::new();
    file.write_all(keyword.as_bytes())?;
    for &number in numbers {
        file.write_all(b" ")?;
        let text = buffer.format(number);
        file.write_all(text.strip_suffix(".0").unwrap_or(text).as_bytes())?;
    }
    file.write_all(b"\n")
}

/// A name that cannot end its line.
fn one_line(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // A backslash at the end would join the next line.
    name.trim().trim_end_matches('\\').to_owned()
}

/// Several words would be several groups.
fn one_word(name: &str) -> String {
    one_line(name).split_whitespace().collect::<Vec<_>>().join("_")
}
