//! Reading OBJ: blocks of lines into positions, corners and runs of groups. The text is never held
//! as a whole when it comes from a file, and every line is looked at once.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::Character;
use sinew::mesh::Group;

use super::build::Builder;
use super::line::{Words, index, number, text};
use super::mtl::Library;
use crate::polygon::triangulate;
use crate::{Loaded, ReadError, Report};

/// A corner without a UV or normal.
pub(super) const NONE: u32 = u32::MAX;

/// Position, UV and normal of a corner, as indices from zero.
pub(super) type Corner = [u32; 3];

/// Text that is read at a time: large enough that the reading costs nothing, small beside any file
/// that matters.
const BLOCK_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Object {
    pub(super) name: String,
    pub(super) triangles: Vec<[Corner; 3]>,
    pub(super) groups: Vec<Group>,
    /// Runs of one material, by their place in [`Reader::material_names`].
    pub(super) materials: Vec<(std::ops::Range<u32>, usize)>,
    /// The positions declared in it.
    pub(super) declared: std::ops::Range<usize>,
}

/// What was left out or mended, by count.
#[derive(Debug, Default)]
struct Oddities {
    other_elements: usize,
    free_form: usize,
    colors: usize,
    unknown: usize,
    first_unknown: String,
    broken_attributes: usize,
    small_faces: usize,
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) positions: Vec<Vec3>,
    pub(super) uvs: Vec<Vec2>,
    pub(super) normals: Vec<Vec3>,
    pub(super) objects: Vec<Object>,
    pub(super) material_names: Vec<String>,
    material_of_name: HashMap<String, usize>,
    libraries: Vec<String>,
    group: String,
    material: Option<usize>,
    /// What faces of now are in: group and material.
    group_and_material: String,
    oddities: Oddities,
    corners: Vec<Corner>,
    corner_positions: Vec<Vec3>,
    /// Lines so far, and what a backslash carries on.
    num_lines: usize,
    joined: Vec<u8>,
}

/// Reads text in memory.
pub(crate) fn read(name: &str, bytes: &[u8], folder: Option<&Path>) -> Result<Loaded, ReadError> {
    let mut reader = Reader::new(name);
    reader.block(bytes)?;
    reader.finish(name, folder)
}

/// Reads text as it comes, a block at a time.
pub(crate) fn read_stream(
    name: &str,
    source: &mut impl Read,
    path: &Path,
    folder: Option<&Path>,
) -> Result<Loaded, ReadError> {
    let failed = |source| ReadError::Io { path: path.to_owned(), source };
    let mut reader = Reader::new(name);
    let mut buffer = Vec::with_capacity(BLOCK_BYTES);
    loop {
        let before = buffer.len();
        source.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut buffer).map_err(failed)?;
        if buffer.len() == before {
            break;
        }
        // Whole lines only; a line longer than a block grows the buffer.
        let new_lines = buffer[before..].iter().rposition(|&b| b == b'\n');
        if let Some(end) = new_lines.map(|end| before + end) {
            reader.block(&buffer[..end])?;
            buffer.drain(..=end);
        }
    }
    reader.block(&buffer)?;
    reader.finish(name, folder)
}

impl Reader {
    fn new(name: &str) -> Self {
        let first = Object { name: name.to_owned(), ..Object::default() };
        Self { objects: vec![first], ..Self::default() }
    }

    /// Whole lines, without the newline of the last.
    fn block(&mut self, bytes: &[u8]) -> Result<(), ReadError> {
        for line in bytes.split(|&b| b == b'\n') {
            self.num_lines += 1;
            let line = line.trim_ascii();
            // A backslash at the end carries on to the next line.
            if let Some(start) = line.strip_suffix(b"\\") {
                self.joined.extend_from_slice(start);
                self.joined.push(b' ');
                continue;
            }
            let result = if self.joined.is_empty() {
                self.line(line)
            } else {
                self.joined.extend_from_slice(line);
                let whole = std::mem::take(&mut self.joined);
                self.line(&whole)
            };
            result
                .map_err(|what| ReadError::malformed(format!("line {}", self.num_lines), what))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let mut words = Words::of(line);
        let Some(keyword) = words.next() else { return Ok(()) };
        match keyword {
            b"v" => self.position(words)?,
            b"vn" => {
                let normal = Vec3::from(self.attribute::<3>(words, 3)?);
                self.normals.push(normal);
            }
            b"vt" => {
                let [u, v] = self.attribute::<2>(words, 1)?;
                self.uvs.push(Vec2::new(u, 1.0 - v));
            }
            b"f" | b"fo" => self.face(words)?,
            b"o" => {
                self.close_object();
                let start = self.positions.len();
                let name = text(words.rest());
                self.objects.push(Object { name, declared: start..start, ..Object::default() });
                // A group ends with its object.
                self.group.clear();
                self.name_run();
            }
            b"g" => {
                self.group = text(words.rest());
                self.name_run();
            }
            b"usemtl" => {
                let name = text(words.rest());
                self.material = (!name.is_empty()).then(|| {
                    *self.material_of_name.entry(name).or_insert_with_key(|name| {
                        self.material_names.push(name.clone());
                        self.material_names.len() - 1
                    })
                });
                self.name_run();
            }
            b"mtllib" => self.libraries.push(text(words.rest())),
            b"l" | b"p" => self.oddities.other_elements += 1,
            b"curv" | b"curv2" | b"surf" => self.oddities.free_form += 1,
            b"s" | b"mg" | b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj"
            | b"trace_obj" | b"maplib" | b"usemap" | b"ctech" | b"stech" | b"call" | b"csh"
            | b"cstype" | b"deg" | b"bmat" | b"step" | b"parm" | b"trim" | b"hole" | b"scrv"
            | b"sp" | b"end" | b"con" | b"vp" => {}
            _ => {
                if self.oddities.unknown == 0 {
                    self.oddities.first_unknown = format!("line {}", self.num_lines);
                }
                self.oddities.unknown += 1;
            }
        }
        Ok(())
    }

    fn position(&mut self, words: Words<'_>) -> Result<(), String> {
        let mut values = [0.0; 3];
        let mut count = 0;
        for word in words {
            // A fourth is the weight of a rational curve; from the fourth or fifth on three are a
            // colour.
            if let Some(value) = values.get_mut(count) {
                *value = number(word)?;
                if !value.is_finite() {
                    return Err(format!("'{}' is no place for a vertex", text(word)));
                }
            }
            count += 1;
        }
        if count < 3 {
            return Err(format!("{count} numbers where 3 are needed"));
        }
        self.oddities.colors += usize::from(count >= 6);
        self.positions.push(Vec3::from(values));
        Ok(())
    }

    /// The first `N` numbers of a line, of which `needed` must be there; the others, and what is
    /// not finite, are zero.
    fn attribute<const N: usize>(
        &mut self,
        mut words: Words<'_>,
        needed: usize,
    ) -> Result<[f32; N], String> {
        let mut values = [0.0; N];
        for (k, value) in values.iter_mut().enumerate() {
            let Some(word) = words.next() else {
                if k < needed {
                    return Err(format!("{k} numbers where {needed} are needed"));
                }
                break;
            };
            *value = number(word)?;
            if !value.is_finite() {
                *value = 0.0;
                self.oddities.broken_attributes += 1;
            }
        }
        Ok(values)
    }

    fn close_object(&mut self) {
        let end = self.positions.len();
        if let Some(object) = self.objects.last_mut() {
            object.declared.end = end;
        }
    }

    fn name_run(&mut self) {
        let material = self.material.map_or("", |material| &self.material_names[material]);
        self.group_and_material = match (self.group.as_str(), material) {
            ("", material) => material.to_owned(),
            (group, "") => group.to_owned(),
            (group, material) => format!("{group} {material}"),
        };
    }

    fn face(&mut self, words: Words<'_>) -> Result<(), String> {
        self.corners.clear();
        self.corner_positions.clear();
        for word in words {
            let mut fields = word.split(|&b| b == b'/');
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
            self.oddities.small_faces += 1;
            return Ok(());
        }
        // There is always one: `new` starts with it.
        let Some(object) = self.objects.last_mut() else { return Ok(()) };
        let first = object.triangles.len() as u32;
        let corners = &self.corners;
        triangulate(&self.corner_positions, |t| object.triangles.push(t.map(|k| corners[k])));
        let end = object.triangles.len() as u32;
        match object.groups.last_mut() {
            Some(last) if last.triangles.end == first && last.name == self.group_and_material => {
                last.triangles.end = end;
            }
            _ if !self.group_and_material.is_empty() => {
                let name = self.group_and_material.clone();
                object.groups.push(Group { name, triangles: first..end });
            }
            _ => {}
        }
        match (object.materials.last_mut(), self.material) {
            (Some((run, last)), Some(now)) if *last == now && run.end == first => run.end = end,
            (_, Some(now)) => object.materials.push((first..end, now)),
            (_, None) => {}
        }
        Ok(())
    }

    fn finish(mut self, name: &str, folder: Option<&Path>) -> Result<Loaded, ReadError> {
        if !self.joined.is_empty() {
            let whole = std::mem::take(&mut self.joined);
            self.line(&whole)
                .map_err(|what| ReadError::malformed(format!("line {}", self.num_lines), what))?;
        }
        if self.positions.is_empty() {
            return Err(ReadError::malformed("file", "there is no vertex (`v` line) in it"));
        }
        self.close_object();
        let mut report = Report::default();
        self.oddities.report(&mut report);
        let mut library = Library::of(folder);
        for name in &self.libraries {
            library.read(name, &mut report);
        }
        let (parts, materials) = Builder::new(&self, library).parts(&mut report)?;
        let name = name.to_owned();
        Ok(Loaded {
            character: Character { name, parts, materials, ..Character::default() },
            report,
            extensions: Vec::new(),
            cage: None,
        })
    }
}

impl Oddities {
    fn report(&self, report: &mut Report) {
        let mut note = |count: usize, code, place: &str, what: &str, mend: &str| {
            if count > 0 {
                report.note(code, place, format!("{count} {what}"), mend);
            }
        };
        note(
            self.other_elements,
            "not-triangles",
            "file",
            "points and lines were left out",
            "convert them to faces",
        );
        note(
            self.free_form,
            "free-form-left-out",
            "file",
            "curves and surfaces were left out",
            "convert them to polygons",
        );
        note(
            self.colors,
            "vertex-colors-left-out",
            "file",
            "vertices have colours, which were left out",
            "keep them in a texture",
        );
        let place = self.first_unknown.as_str();
        note(
            self.unknown,
            "unknown-lines",
            place,
            "lines start with no word of OBJ's; passed over",
            "nothing, if the mesh is whole",
        );
        let mut warn = |count: usize, code, what: &str, mend: &str| {
            if count > 0 {
                report.warn(code, "file", format!("{count} {what}"), mend);
            }
        };
        warn(
            self.broken_attributes,
            "attribute-not-finite",
            "numbers of texture coordinates or normals are NaN or infinite; they were set to zero",
            "export the mesh again",
        );
        warn(
            self.small_faces,
            "faces-too-small",
            "faces have fewer than three corners; left out",
            "dissolve degenerate faces before export",
        );
    }
}
