//! Writing PLY, binary little-endian.

use std::io::{self, Write};

use crate::WriteOptions;
use crate::posed::PosedPart;

pub(crate) fn write(
    file: &mut impl Write,
    name: &str,
    parts: &[PosedPart<'_>],
    options: &WriteOptions,
) -> io::Result<()> {
    let split = options.render_vertices;
    let num_vertices: usize =
        parts.iter().map(|p| if split { p.mesh.num_vertices() } else { p.points.len() }).sum();
    let num_faces: usize = parts.iter().map(|p| p.mesh.triangles().len()).sum();
    if i32::try_from(num_vertices).is_err() {
        return Err(io::Error::other("more vertices than PLY's 32-bit indices can name"));
    }
    let has_normals = split && parts.iter().any(|p| !p.vertex_normals.is_empty());
    let has_uvs = split && parts.iter().any(|p| !p.mesh.vertex_uvs().is_empty());

    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    writeln!(file, "ply\nformat binary_little_endian 1.0\ncomment {name} written by Sinew")?;
    writeln!(file, "element vertex {num_vertices}")?;
    write_properties(file, &["x", "y", "z"])?;
    if has_normals {
        write_properties(file, &["nx", "ny", "nz"])?;
    }
    if has_uvs {
        write_properties(file, &["s", "t"])?;
    }
    writeln!(file, "element face {num_faces}\nproperty list uchar int vertex_indices\nend_header")?;

    for part in parts {
        if !split {
            for point in part.points {
                write_floats(file, &point.to_array())?;
            }
            continue;
        }
        for (vertex, position) in part.vertex_positions().iter().enumerate() {
            write_floats(file, &position.to_array())?;
            if has_normals {
                let normal = part.vertex_normals.get(vertex).copied().unwrap_or_default();
                write_floats(file, &normal.to_array())?;
            }
            if has_uvs {
                let uv = part.mesh.vertex_uvs().get(vertex).copied().unwrap_or_default();
                write_floats(file, &[uv.x, 1.0 - uv.y])?;
            }
        }
    }
    let mut first = 0;
    for part in parts {
        let (triangles, num_vertices) = if split {
            (part.mesh.triangles(), part.mesh.num_vertices())
        } else {
            (part.mesh.point_triangles(), part.points.len())
        };
        for triangle in triangles {
            file.write_all(&[3])?;
            for corner in triangle {
                file.write_all(&(corner + first).to_le_bytes())?;
            }
        }
        first += num_vertices as u32;
    }
    Ok(())
}

fn write_properties(file: &mut impl Write, names: &[&str]) -> io::Result<()> {
    names.iter().try_for_each(|name| writeln!(file, "property float {name}"))
}

fn write_floats(file: &mut impl Write, values: &[f32]) -> io::Result<()> {
    values.iter().try_for_each(|value| file.write_all(&value.to_le_bytes()))
}
