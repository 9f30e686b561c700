//! Primitives: the streams of one attribute set, and its triangles.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};

use super::accessor::Accessors;
use super::json::{Primitive, TRIANGLES};
use crate::{ReadError, Report};

const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// Influences a vertex has in one JOINTS/WEIGHTS set.
const INFLUENCES_PER_SET: usize = 4;

/// What a primitive's attributes say of its vertices. Optional streams may be empty.
#[derive(Debug, Default)]
pub(super) struct Streams {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) uvs: Vec<Vec2>,
    /// `(entry of the skin, weight)`, zeros left out, row after row.
    pub(super) influences: Vec<(u32, f32)>,
    /// Where each row ends; empty without weights.
    pub(super) row_ends: Vec<usize>,
    /// One array of displacements a target; empty where the target moves nothing.
    pub(super) targets: Vec<Vec<Vec3>>,
    /// The welded point of each vertex, as our own writer says.
    pub(super) points: Vec<u32>,
}

impl Streams {
    pub(super) fn read(
        primitive: &Primitive,
        place: &str,
        with_weights: bool,
        accessors: &Accessors<'_>,
        report: &mut Report,
    ) -> Result<Self, ReadError> {
        let attributes = &primitive.attributes;
        let attribute = |name: &str| format!("{place}.attributes.{name}");
        let position = *attributes.get("POSITION").ok_or_else(|| {
            ReadError::malformed(format!("{place}.attributes"), "there is no POSITION")
        })?;
        let positions: Vec<Vec3> = accessors
            .floats(position, &attribute("POSITION"))?
            .into_iter()
            .map(Vec3::from)
            .collect();
        let num_vertices = positions.len();
        let mut streams = Self { positions, ..Self::default() };

        if let Some(&normal) = attributes.get("NORMAL") {
            let place = attribute("NORMAL");
            let normals = accessors.floats(normal, &place)?.into_iter().map(Vec3::from).collect();
            streams.normals = repaired(normals, num_vertices, Vec3::is_finite, &place, report);
        }
        if let Some(&uv) = attributes.get("TEXCOORD_0") {
            let place = attribute("TEXCOORD_0");
            let uvs = accessors.floats(uv, &place)?.into_iter().map(Vec2::from).collect();
            streams.uvs = repaired(uvs, num_vertices, Vec2::is_finite, &place, report);
        }
        if let Some(&point) = attributes.get("_POINT") {
            // Two 16-bit halves, the lower first: attributes may not be 32-bit integers.
            let halves = accessors.integers::<2>(point, &attribute("_POINT"))?;
            streams.points = halves.iter().map(|[low, high]| low & 0xffff | high << 16).collect();
            if streams.points.len() != num_vertices {
                streams.points.clear();
            }
        }
        if with_weights {
            streams.read_weights(attributes, place, accessors, report)?;
        }
        for (index, target) in primitive.targets.iter().enumerate() {
            let place = format!("{place}.targets[{index}].POSITION");
            streams.targets.push(match target.get("POSITION") {
                Some(&accessor) => {
                    let deltas = accessors.floats(accessor, &place)?;
                    let deltas = deltas.into_iter().map(Vec3::from).collect();
                    repaired(deltas, num_vertices, Vec3::is_finite, &place, report)
                }
                None => Vec::new(),
            });
        }
        Ok(streams)
    }

    fn read_weights(
        &mut self,
        attributes: &BTreeMap<String, usize>,
        place: &str,
        accessors: &Accessors<'_>,
        report: &mut Report,
    ) -> Result<(), ReadError> {
        let num_vertices = self.positions.len();
        let mut sets = Vec::new();
        for set in 0.. {
            let (joints, weights) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
            let place = format!("{place}.attributes.{weights}");
            let (joints, weights) = match (attributes.get(&joints), attributes.get(&weights)) {
                (Some(&joints), Some(&weights)) => (joints, weights),
                (None, None) => break,
                _ => {
                    let what =
                        format!("JOINTS_{set} and WEIGHTS_{set} must come together; left out");
                    report.warn("half-a-weight-set", place, what, "export the mesh again");
                    continue;
                }
            };
            let joints = accessors
                .integers::<INFLUENCES_PER_SET>(joints, &format!("{place} (JOINTS_{set})"))?;
            let weights = accessors.floats::<INFLUENCES_PER_SET>(weights, &place)?;
            if joints.len() != num_vertices || weights.len() != num_vertices {
                let what = format!(
                    "{} joints and {} weights for {num_vertices} vertices",
                    joints.len(),
                    weights.len()
                );
                return Err(ReadError::malformed(place, what));
            }
            sets.push((joints, weights));
        }
        if sets.is_empty() {
            return Ok(());
        }
        self.row_ends.reserve_exact(num_vertices);
        for vertex in 0..num_vertices {
            for (joints, weights) in &sets {
                let entries = joints[vertex].iter().copied().zip(weights[vertex]);
                // A NaN is not zero: it goes on, to be reported.
                self.influences.extend(entries.filter(|&(_, weight)| weight != 0.0));
            }
            self.row_ends.push(self.influences.len());
        }
        Ok(())
    }

    /// The influences of a vertex.
    pub(super) fn row(&self, vertex: usize) -> &[(u32, f32)] {
        let Some(&end) = self.row_ends.get(vertex) else { return &[] };
        let start = if vertex == 0 { 0 } else { self.row_ends[vertex - 1] };
        &self.influences[start..end]
    }
}

/// An optional stream: dropped if it has not one entry a vertex, zero where it is not finite.
fn repaired<T: Copy + Default>(
    mut values: Vec<T>,
    num_vertices: usize,
    is_finite: fn(T) -> bool,
    place: &str,
    report: &mut Report,
) -> Vec<T> {
    if values.len() != num_vertices {
        let what = format!("{} entries for {num_vertices} vertices; left out", values.len());
        report.warn("attribute-length", place, what, "export the mesh again");
        return Vec::new();
    }
    let mut num_broken = 0;
    for value in values.iter_mut().filter(|value| !is_finite(**value)) {
        *value = T::default();
        num_broken += 1;
    }
    if num_broken > 0 {
        let what = format!("{num_broken} entries are NaN or infinite; they were set to zero");
        report.warn("attribute-not-finite", place, what, "export the mesh again");
    }
    values
}

/// The primitive's triangles over its own vertices; `None` for points and lines.
pub(super) fn triangles(
    primitive: &Primitive,
    num_vertices: usize,
    place: &str,
    accessors: &Accessors<'_>,
    report: &mut Report,
) -> Result<Option<Vec<[u32; 3]>>, ReadError> {
    if !matches!(primitive.mode, TRIANGLES | TRIANGLE_STRIP | TRIANGLE_FAN) {
        let what = match primitive.mode {
            0..=3 => "points and lines have no skin; left out",
            mode => {
                let what = format!("mode {mode} is none of glTF's");
                return Err(ReadError::malformed(format!("{place}.mode"), what));
            }
        };
        report.note("not-triangles", format!("{place}.mode"), what, "export triangles");
        return Ok(None);
    }
    let indices: Vec<u32> = match primitive.indices {
        Some(accessor) => {
            let place = format!("{place}.indices");
            let indices = accessors.integers::<1>(accessor, &place)?;
            if let Some(k) = indices.iter().position(|&[i]| i as usize >= num_vertices) {
                let what = format!(
                    "index {k} names vertex {}, but there are only {num_vertices}",
                    indices[k][0]
                );
                return Err(ReadError::malformed(place, what));
            }
            indices.into_iter().map(|[index]| index).collect()
        }
        None => (0..num_vertices as u32).collect(),
    };
    Ok(Some(match primitive.mode {
        TRIANGLE_STRIP => indices
            .windows(3)
            .enumerate()
            // Every other triangle of a strip is wound the other way.
            .map(|(k, t)| if k % 2 == 0 { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] })
            .collect(),
        TRIANGLE_FAN => indices
            .get(1..)
            .unwrap_or(&[])
            .windows(2)
            .map(|pair| [indices[0], pair[0], pair[1]])
            .collect(),
        _ => {
            let (triangles, rest) = indices.as_chunks::<3>();
            if !rest.is_empty() {
                let what = format!("{} indices are no whole number of triangles", indices.len());
                report.warn("cut-off-triangle", format!("{place}.indices"), what, "export again");
            }
            triangles.to_vec()
        }
    }))
}
