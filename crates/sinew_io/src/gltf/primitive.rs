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

/// One JOINTS/WEIGHTS pair, as it is in the file: entries of the skin, and zeros where there are
/// fewer than four.
#[derive(Debug)]
pub(super) struct WeightSet {
    entries: Vec<[u32; INFLUENCES_PER_SET]>,
    weights: Vec<[f32; INFLUENCES_PER_SET]>,
}

impl WeightSet {
    /// `(entry of the skin, weight)` of a vertex.
    pub(super) fn row(&self, vertex: usize) -> impl Iterator<Item = (u32, f32)> + use<> {
        self.entries[vertex].into_iter().zip(self.weights[vertex])
    }
}

/// What a primitive's attributes say of its vertices. Optional streams may be empty.
#[derive(Debug, Default)]
pub(super) struct Streams {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) uvs: Vec<Vec2>,
    pub(super) weight_sets: Vec<WeightSet>,
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
            self.weight_sets.push(WeightSet { entries: joints, weights });
        }
        Ok(())
    }
}

/// An optional stream: dropped if it has not one entry a vertex, zero where it is not finite.
fn repaired<T: Copy + Default>(
    mut values: Vec<T>,
    num_vertices: usize,
    is_finite: impl Fn(T) -> bool,
    place: &str,
    report: &mut Report,
) -> Vec<T> {
    if values.len() != num_vertices {
        let what = format!("{} entries for {num_vertices} vertices; left out", values.len());
        report.warn("attribute-length", place, what, "export the mesh again");
        return Vec::new();
    }
    let mut num_broken = 0;
    // Nearly always all are, and that is told with no branch a value.
    if !values.iter().fold(true, |all, value| all & is_finite(*value)) {
        for value in values.iter_mut().filter(|value| !is_finite(**value)) {
            *value = T::default();
            num_broken += 1;
        }
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
    let indices_place = format!("{place}.indices");
    let check = |indices: &[u32]| {
        // The largest is found many at a time, the first that is too large only where there is one.
        let largest = indices.iter().fold(0, |most, &index| most.max(index));
        if largest as usize >= num_vertices
            && let Some(k) = indices.iter().position(|&index| index as usize >= num_vertices)
        {
            let what =
                format!("index {k} names vertex {}, but there are only {num_vertices}", indices[k]);
            return Err(ReadError::malformed(&*indices_place, what));
        }
        Ok(())
    };
    if let (TRIANGLES, Some(accessor)) = (primitive.mode, primitive.indices)
        && let Some(triangles) = accessors.triangles(accessor, &indices_place)?
    {
        check(triangles.as_flattened())?;
        return Ok(Some(triangles));
    }
    let indices: Vec<u32> = match primitive.indices {
        Some(accessor) => accessors.integers::<1>(accessor, &indices_place)?.into_flattened(),
        None => (0..num_vertices as u32).collect(),
    };
    check(&indices)?;
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
                report.warn("cut-off-triangle", &*indices_place, what, "export again");
            }
            triangles.to_vec()
        }
    }))
}
