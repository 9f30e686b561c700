//! Reading OBJ, line by line.

use glam::{Vec2, Vec3};
use sinew::mesh::{Group, RawMesh};
use sinew::{Character, Part};

use crate::polygon::triangulate;
use crate::{Loaded, ReadError, Report};

/// A corner without a UV or normal.
const NONE: u32 = u32::MAX;

/// Position, UV and normal of a corner, as indices from zero.
type Corner = [u32; 3];

#[derive(Debug, Default)]
struct Object {
    name: String,
    triangles: Vec<[Corner; 3]>,
    groups: Vec<Group>,
    /// The positions declared in it.
    declared: std::ops::Range<usize>,
}

#[derive(Debug, Default)]
struct Reader {
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    objects: Vec<Object>,
    group: String,
    material: String,
    num_other_elements: usize,
    corners: Vec<Corner>,
    corner_positions: Vec<Vec3>,
}

pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Loaded, ReadError> {
    let mut reader = Reader::default();
    reader.objects.push(Object { name: name.to_owned(), ..Object::default() });
    let mut joined: Vec<u8> = Vec::new();
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let line = line.trim_ascii();
        // A backslash at the end carries on to the next line.
        if let Some(start) = line.strip_suffix(b"\\") {
            joined.extend_from_slice(start);
            joined.push(b' ');
            continue;
        }
        let result = if joined.is_empty() {
            reader.line(line)
        } else {
            joined.extend_from_slice(line);
            let whole = std::mem::take(&mut joined);
            reader.line(&whole)
        };
        result.map_err(|what| ReadError::malformed(format!("line {}", index + 1), what))?;
    }
    if reader.positions.is_empty() {
        return Err(ReadError::malformed("file", "there is no vertex (`v` line) in it"));
    }
    reader.finish(name)
}

impl Reader {
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(end);
        let rest = rest.trim_ascii();
        match keyword {
            b"v" => self.positions.push(Vec3::from(numbers::<3>(rest, 3)?)),
            b"vn" => self.normals.push(Vec3::from(numbers::<3>(rest, 3)?)),
            b"vt" => {
                let [u, v] = numbers::<2>(rest, 1)?;
                self.uvs.push(Vec2::new(u, 1.0 - v));
            }
            b"f" => self.face(rest)?,
            b"o" => {
                self.close_object();
                let start = self.positions.len();
                self.objects.push(Object {
                    name: text(rest),
                    declared: start..start,
                    ..Object::default()
                });
                // A group ends with its object.
                self.group.clear();
            }
            b"g" => self.group = text(rest),
            b"usemtl" => self.material = text(rest),
            b"l" | b"p" | b"curv" | b"curv2" | b"surf" => self.num_other_elements += 1,
            _ => {}
        }
        Ok(())
    }

    fn close_object(&mut self) {
        let end = self.positions.len();
        if let Some(object) = self.objects.last_mut() {
            object.declared.end = end;
        }
    }

    fn face(&mut self, rest: &[u8]) -> Result<(), String> {
        self.corners.clear();
        self.corner_positions.clear();
        for token in rest.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()) {
            // `# comment` may follow.
            if token[0] == b'#' {
                break;
            }
            let mut fields = token.split(|&b| b == b'/');
            let position = index(fields.next().unwrap_or(&[]), self.positions.len(), "vertex")?;
            let mut optional = |count, what| match fields.next() {
                None | Some([]) => Ok(NONE),
                Some(field) => index(field, count, what),
            };
            let uv = optional(self.uvs.len(), "texture coordinate")?;
            let normal = optional(self.normals.len(), "normal")?;
            self.corners.push([position, uv, normal]);
            self.corner_positions.push(self.positions[position as usize]);
        }
        if self.corners.len() < 3 {
            return Err(format!("a face with {} corners; it needs three", self.corners.len()));
        }
        let group = match (self.group.as_str(), self.material.as_str()) {
            ("", material) => material.to_owned(),
            (group, "") => group.to_owned(),
            (group, material) => format!("{group} {material}"),
        };
        // There is always one: `read` starts with it.
        let Some(object) = self.objects.last_mut() else { return Ok(()) };
        let first = object.triangles.len() as u32;
        let corners = &self.corners;
        triangulate(&self.corner_positions, |t| object.triangles.push(t.map(|k| corners[k])));
        let end = object.triangles.len() as u32;
        match object.groups.last_mut() {
            Some(last) if last.name == group && last.triangles.end == first => {
                last.triangles.end = end;
            }
            _ if !group.is_empty() => {
                object.groups.push(Group { name: group, triangles: first..end });
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self, name: &str) -> Result<Loaded, ReadError> {
        self.close_object();
        let mut report = Report::default();
        if self.num_other_elements > 0 {
            let what =
                format!("{} points, lines and curves were left out", self.num_other_elements);
            report.note("not-triangles", "file", what, "convert them to faces");
        }
        let mut is_referenced = vec![false; self.positions.len()];
        for corner in self.objects.iter().flat_map(|o| o.triangles.as_flattened()) {
            is_referenced[corner[0] as usize] = true;
        }
        let objects = std::mem::take(&mut self.objects);
        let has_faces = objects.iter().any(|object| !object.triangles.is_empty());
        let mut parts = Vec::new();
        for object in objects {
            let is_part =
                if has_faces { !object.triangles.is_empty() } else { !object.declared.is_empty() };
            if is_part {
                parts.push(self.part(object, &is_referenced, &mut report)?);
            }
        }
        Ok(Loaded {
            character: Character { name: name.to_owned(), parts, ..Character::default() },
            report,
            extensions: Vec::new(),
        })
    }

    /// Vertices in the order of their positions in the file, so that point and `v` line have one order.
    fn part(
        &self,
        object: Object,
        is_referenced: &[bool],
        report: &mut Report,
    ) -> Result<Part, ReadError> {
        let lonely = object.declared.clone().filter(|&v| !is_referenced[v]);
        let mut corners: Vec<Corner> = lonely.map(|v| [v as u32, NONE, NONE]).collect();
        corners.extend_from_slice(object.triangles.as_flattened());
        corners.sort_unstable();
        corners.dedup();

        let vertex_of = |corner: &Corner| corners.binary_search(corner).unwrap_or(0) as u32;
        let place = format!("object '{}'", object.name);
        let has_uvs = corners.iter().any(|corner| corner[1] != NONE);
        let has_normals = corners.iter().any(|corner| corner[2] != NONE);
        let pick = |k: u32| k as usize;
        let raw = RawMesh {
            positions: corners.iter().map(|c| self.positions[pick(c[0])]).collect(),
            uvs: if has_uvs {
                corners
                    .iter()
                    .map(|c| self.uvs.get(pick(c[1])).copied().unwrap_or_default())
                    .collect()
            } else {
                Vec::new()
            },
            normals: if has_normals {
                corners
                    .iter()
                    .map(|c| self.normals.get(pick(c[2])).copied().unwrap_or_default())
                    .collect()
            } else {
                Vec::new()
            },
            triangles: object
                .triangles
                .iter()
                .map(|t| [&t[0], &t[1], &t[2]].map(vertex_of))
                .collect(),
            name: object.name,
            groups: object.groups,
            ..RawMesh::default()
        };
        let labels: Vec<u32> = corners.iter().map(|corner| corner[0]).collect();
        let welded = raw
            .weld_by(&labels)
            .map_err(|source| ReadError::Mesh { place: place.clone(), source })?;
        report.welding(&place, &welded.report);
        Ok(welded.part)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The first `N` numbers of a line, of which `needed` must be there; the others are zero.
fn numbers<const N: usize>(rest: &[u8], needed: usize) -> Result<[f32; N], String> {
    let mut tokens = rest.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty());
    let mut values = [0.0; N];
    for (k, value) in values.iter_mut().enumerate() {
        let Some(token) = tokens.next() else {
            if k < needed {
                return Err(format!("{k} numbers where {needed} are needed"));
            }
            break;
        };
        *value = std::str::from_utf8(token)
            .ok()
            .and_then(|token| token.parse().ok())
            .ok_or_else(|| format!("'{}' is not a number", text(token)))?;
    }
    Ok(values)
}

/// An index from zero: OBJ counts from one, or backwards from the latest with negative numbers.
fn index(field: &[u8], count: usize, what: &str) -> Result<u32, String> {
    let number: i64 = std::str::from_utf8(field)
        .ok()
        .and_then(|field| field.parse().ok())
        .ok_or_else(|| format!("'{}' is not an index", text(field)))?;
    let from_zero =
        if number < 0 { number.checked_add(count as i64) } else { number.checked_sub(1) };
    from_zero
        .filter(|&k| number != 0 && k >= 0 && k < count as i64)
        .and_then(|k| u32::try_from(k).ok())
        .ok_or_else(|| format!("a face names {what} {number}, but {count} are there so far"))
}
