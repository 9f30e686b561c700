//! From corners to parts: render vertices in the order of (position, UV, normal), so that point and
//! `v` line have one order. Corners are gathered by position, which takes time linear in the file
//! where objects name positions near each other, and sorted where they do not.

use sinew::Part;
use sinew::material::{Material, MaterialRun};
use sinew::mesh::RawMesh;

use super::mtl::Library;
use super::read::{Corner, NONE, Object, Reader};
use crate::{ReadError, Report};

/// Positions that a table may have for each corner: an object that names a first and a last one
/// only is sorted instead.
const MAX_TABLE_PER_CORNER: usize = 8;

pub(super) struct Builder<'a> {
    reader: &'a Reader,
    /// The character's material of each name that the file uses, if the libraries have it.
    place_of_material: Vec<Option<u32>>,
    materials: Vec<Material>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(reader: &'a Reader, mut library: Library<'_>) -> Self {
        let mut materials = Vec::new();
        let place_of_material = reader
            .material_names
            .iter()
            .map(|name| {
                let found = library.materials.remove(name)?;
                materials.push(found);
                Some(materials.len() as u32 - 1)
            })
            .collect();
        Self { reader, place_of_material, materials }
    }

    pub(super) fn parts(
        self,
        report: &mut Report,
    ) -> Result<(Vec<Part>, Vec<Material>), ReadError> {
        let objects = &self.reader.objects;
        let mut is_referenced = vec![false; self.reader.positions.len()];
        for corner in objects.iter().flat_map(|object| object.triangles.as_flattened()) {
            is_referenced[corner[0] as usize] = true;
        }
        let has_faces = objects.iter().any(|object| !object.triangles.is_empty());
        let mut parts = Vec::new();
        for object in objects {
            let is_part =
                if has_faces { !object.triangles.is_empty() } else { !object.declared.is_empty() };
            if is_part {
                parts.push(self.part(object, &is_referenced, report)?);
            }
        }
        Ok((parts, self.materials))
    }

    fn part(
        &self,
        object: &Object,
        is_referenced: &[bool],
        report: &mut Report,
    ) -> Result<Part, ReadError> {
        let lonely = object.declared.clone().filter(|&v| !is_referenced[v]).map(|v| v as u32);
        let (vertices, triangles) =
            gather(object.triangles.as_flattened(), &lonely.collect::<Vec<u32>>());
        let place = format!("object '{}'", object.name);
        let has_uvs = vertices.iter().any(|corner| corner[1] != NONE);
        let has_normals = vertices.iter().any(|corner| corner[2] != NONE);
        let of = |k: u32| k as usize;
        let (positions, uvs, normals) =
            (&self.reader.positions, &self.reader.uvs, &self.reader.normals);
        let raw = RawMesh {
            positions: vertices.iter().map(|c| positions[of(c[0])]).collect(),
            uvs: vertices
                .iter()
                .filter(|_| has_uvs)
                .map(|c| uvs.get(of(c[1])).copied().unwrap_or_default())
                .collect(),
            normals: vertices
                .iter()
                .filter(|_| has_normals)
                .map(|c| normals.get(of(c[2])).copied().unwrap_or_default())
                .collect(),
            triangles,
            name: object.name.clone(),
            groups: object.groups.clone(),
            ..RawMesh::default()
        };
        let labels: Vec<u32> = vertices.iter().map(|corner| corner[0]).collect();
        let failed = |source| ReadError::Mesh { place: place.clone(), source };
        let welded = raw.weld_by(&labels).map_err(failed)?;
        report.welding(&place, &welded.report);
        let materials = object.materials.iter().filter_map(|(triangles, name)| {
            let material = self.place_of_material[*name]?;
            Some(MaterialRun { triangles: triangles.clone(), material })
        });
        Ok(Part { materials: materials.collect(), ..welded.part })
    }
}

/// The distinct corners in order, with positions that no face names among them, and the triangles
/// over them.
fn gather(corners: &[Corner], lonely: &[u32]) -> (Vec<Corner>, Vec<[u32; 3]>) {
    let named = || corners.iter().map(|c| c[0]).chain(lonely.iter().copied());
    let Some((least, most)) = named().map(|p| (p, p)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    else {
        return (Vec::new(), Vec::new());
    };
    let num_entries = corners.len() + lonely.len();
    let range = (most - least) as usize + 1;
    let mut vertex_of_corner = vec![0_u32; corners.len()];
    let mut vertices: Vec<Corner> = Vec::new();
    // (UV, normal, corner); the last is `NONE` for a lonely position.
    let mut run = |position: u32, entries: &mut [[u32; 3]]| {
        entries.sort_unstable();
        for &[uv, normal, corner] in entries.iter() {
            let vertex = [position, uv, normal];
            if vertices.last() != Some(&vertex) {
                vertices.push(vertex);
            }
            if let Some(slot) = vertex_of_corner.get_mut(corner as usize) {
                *slot = vertices.len() as u32 - 1;
            }
        }
    };
    let entry = |k: usize| [corners[k][1], corners[k][2], k as u32];
    if range <= MAX_TABLE_PER_CORNER * num_entries {
        let mut ends = vec![0_u32; range];
        for position in named() {
            ends[(position - least) as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        // Filling moves each start to its end.
        let mut entries = vec![[NONE; 3]; num_entries];
        for (k, corner) in corners.iter().enumerate() {
            let end = &mut ends[(corner[0] - least) as usize];
            entries[*end as usize] = entry(k);
            *end += 1;
        }
        for &position in lonely {
            ends[(position - least) as usize] += 1;
        }
        let mut start = 0;
        for (k, &end) in ends.iter().enumerate() {
            run(least + k as u32, &mut entries[start..end as usize]);
            start = end as usize;
        }
    } else {
        let mut entries: Vec<(u32, [u32; 3])> =
            corners.iter().enumerate().map(|(k, corner)| (corner[0], entry(k))).collect();
        entries.extend(lonely.iter().map(|&position| (position, [NONE; 3])));
        entries.sort_unstable();
        for (position, entry) in entries {
            run(position, &mut [entry]);
        }
    }
    let (triangles, _) = vertex_of_corner.as_chunks::<3>();
    (vertices, triangles.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_gathered_by_table_and_by_sorting_are_the_same() {
        // The same corners with positions near each other and far apart.
        let near = [[3, 1, 0], [0, 0, 0], [1, NONE, NONE], [3, 0, 9], [0, 0, 0], [3, 1, 0]];
        let far = near.map(|[p, uv, n]| [p * 1_000_000, uv, n]);
        let (vertices, triangles) = gather(&near, &[2]);
        assert_eq!(vertices, [[0, 0, 0], [1, NONE, NONE], [2, NONE, NONE], [3, 0, 9], [3, 1, 0]]);
        assert_eq!(triangles, [[4, 0, 1], [3, 0, 4]]);
        let (sorted, same) = gather(&far, &[2_000_000]);
        assert_eq!(same, triangles);
        assert_eq!(sorted.iter().map(|c| c[0] / 1_000_000).collect::<Vec<_>>(), [0, 1, 2, 3, 3]);
    }

    #[test]
    fn no_corner_gives_no_vertex() {
        assert!(gather(&[], &[]).0.is_empty());
        assert_eq!(gather(&[], &[5]).0, [[5, NONE, NONE]]);
    }
}
