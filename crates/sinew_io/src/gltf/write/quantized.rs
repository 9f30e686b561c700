//! Quantised vertices (`KHR_mesh_quantization`), by choice: positions of 16 bits over the mesh's
//! own box, normals and displacements of 16 bits with a sign, texture coordinates of 16 bits where
//! they lie within 0..1, weights of 16 bits that sum to exactly one.
//!
//! `p_mesh = offset + scale · q` with one scale for all three axes, so that normals keep their
//! directions in readers that turn them by the upper 3×3 of a matrix. The transform goes into the
//! inverse bind matrices; without a skin into the mesh's node. If that moves anything but the mesh,
//! positions stay floats.

use glam::{DAffine3, DMat4, DQuat, DVec3, Vec3};
use serde_json::{Map, Value, json};

use super::super::json::Node;
use super::Writer;
use super::array::{Elements, I16, U16, VERTICES};
use super::mesh::{Row, Surface};
use super::skin::Skins;

/// The largest code of an unsigned component.
const MAX: f64 = 65535.0;
/// And of one with a sign.
const SIGNED_MAX: f32 = 32767.0;

/// Where a mesh's codes lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quantization {
    offset: DVec3,
    scale: f64,
}

impl Quantization {
    /// The box of the positions, and room for every displacement.
    pub(super) fn of(surface: &Surface<'_>) -> Self {
        let positions = || surface.positions.iter().map(|p| p.as_dvec3());
        let low = positions().fold(DVec3::INFINITY, DVec3::min);
        let high = positions().fold(DVec3::NEG_INFINITY, DVec3::max);
        let deltas = surface.shapes.iter().flat_map(|(_, deltas)| deltas);
        let largest = deltas.fold(0.0, |m: f32, d| m.max(d.abs().max_element()));
        let scale = (high - low).max_element().max(f64::from(largest));
        Self { offset: low, scale: if scale > 0.0 { scale } else { 1.0 } }
    }

    pub(super) fn mesh_from_codes(&self) -> DAffine3 {
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(self.scale),
            DQuat::IDENTITY,
            self.offset,
        )
    }

    /// Puts the transform of the codes behind a node's own; false, and nothing done, if the node's
    /// makes no sense.
    fn move_to_node(&self, node: &mut Map<String, Value>) -> bool {
        let Ok(read) = serde_json::from_value::<Node>(Value::Object(node.clone())) else {
            return false;
        };
        if let Some(matrix) = read.matrix {
            let matrix = DMat4::from_cols_array(&matrix) * DMat4::from(self.mesh_from_codes());
            if matrix.is_finite() {
                node.insert("matrix".into(), json!(matrix.to_cols_array()));
            }
            return matrix.is_finite();
        }
        let rotation = DQuat::from_array(read.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
        let scale = DVec3::from(read.scale.unwrap_or([1.0; 3]));
        let moved = rotation.normalize() * (scale * self.offset);
        let translation = DVec3::from(read.translation.unwrap_or_default()) + moved;
        if !translation.is_finite() {
            return false;
        }
        node.insert("translation".into(), json!(translation.to_array()));
        node.insert("scale".into(), json!((scale * self.scale).to_array()));
        true
    }

    /// The furthest that a position can be off.
    pub(super) fn max_error(&self) -> f64 {
        0.5 * 3.0_f64.sqrt() * self.scale / MAX
    }

    fn position(&self, position: Vec3) -> [u16; 3] {
        let codes = (position.as_dvec3() - self.offset) / self.scale * MAX;
        codes.to_array().map(|x| x.round().clamp(0.0, MAX) as u16)
    }

    /// Over the largest code of a signed component.
    pub(super) fn delta(&self, delta: Vec3) -> [i16; 3] {
        (delta.as_dvec3() / self.scale).to_array().map(|x| signed(x as f32))
    }
}

fn signed(x: f32) -> i16 {
    (x * SIGNED_MAX).round().clamp(-SIGNED_MAX, SIGNED_MAX) as i16
}

/// Makes a part ready to be written small: returns the skin of its codes. Without a skin `own_node`
/// takes the transform of the codes, if there is one that moves nothing else.
pub(super) fn make_small(
    writer: &mut Writer,
    skins: &mut Skins,
    surface: &mut Surface<'_>,
    skin: Option<usize>,
    own_node: Option<usize>,
) -> Option<usize> {
    writer.require_extension("KHR_mesh_quantization");
    surface.is_quantized = true;
    let quantization = Quantization::of(surface);
    let quantized = skin.map(|skin| skins.quantized(skin, quantization));
    if quantized.is_none() {
        let node = own_node.and_then(|node| writer.object("nodes", node))?;
        if !quantization.move_to_node(node) {
            return None;
        }
    }
    surface.quantization = Some(quantization);
    let what = format!(
        "positions of '{}' are off by at most {:.2e} of their box",
        surface.mesh.name(),
        quantization.max_error() / quantization.scale,
    );
    let mend = "write without quantisation if that is too much";
    writer.report.note("quantized", format!("mesh '{}'", surface.mesh.name()), what, mend);
    quantized
}

/// True if nothing but its mesh hangs at a node: no other node, camera or extension.
pub(super) fn has_only_a_mesh(node: &Map<String, Value>) -> bool {
    ["children", "camera", "extensions"].iter().all(|field| !node.contains_key(*field))
}

impl Writer {
    /// Positions as codes, with the bounds that they must state.
    pub(super) fn add_positions(&mut self, positions: &[Vec3], codes: &Quantization) -> usize {
        let codes: Vec<[u16; 3]> = positions.iter().map(|p| codes.position(*p)).collect();
        let bytes = codes.as_flattened().iter().flat_map(|x| x.to_le_bytes());
        let accessor = self.add_accessor(elements("VEC3", U16, codes.len()), bytes);
        let floats: Vec<[f32; 3]> = codes.iter().map(|c| c.map(f32::from)).collect();
        self.set_bounds(accessor, &floats);
        accessor
    }

    /// Unit vectors as codes.
    pub(super) fn add_directions(&mut self, normals: &[[f32; 3]]) -> usize {
        let bytes = normals.as_flattened().iter().flat_map(|&x| signed(x).to_le_bytes());
        self.add_accessor(elements("VEC3", I16, normals.len()), bytes)
    }

    /// Texture coordinates as codes; `None` if some lie outside 0..1.
    pub(super) fn add_coordinates(&mut self, uvs: &[[f32; 2]]) -> Option<usize> {
        let is_inside = uvs.as_flattened().iter().all(|x| (0.0..=1.0).contains(x));
        let code = |x: &f32| (f64::from(*x) * MAX).round() as u16;
        is_inside.then(|| {
            let bytes = uvs.as_flattened().iter().flat_map(|x| code(x).to_le_bytes());
            self.add_accessor(elements("VEC2", U16, uvs.len()), bytes)
        })
    }
}

pub(super) fn elements(kind: &'static str, component_type: u32, count: usize) -> Elements {
    Elements { kind, component_type, normalized: true, count, target: VERTICES }
}

/// The codes of a row's weights: they sum to exactly one, and none is off by more than one code.
pub(super) fn weight_codes(row: &Row) -> Vec<(u32, u16)> {
    let sum: f64 = row.iter().map(|(_, weight)| f64::from(*weight)).sum();
    let exact: Vec<f64> = row.iter().map(|(_, w)| f64::from(*w) / sum * MAX).collect();
    let mut codes: Vec<(u32, u16)> =
        row.iter().zip(&exact).map(|((joint, _), x)| (*joint, x.floor() as u16)).collect();
    let total: u32 = codes.iter().map(|(_, code)| u32::from(*code)).sum();
    // What the floors left over goes to those that lost most.
    let mut order: Vec<usize> = (0..codes.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()).then(a.cmp(&b)));
    for &k in order.iter().take((MAX as u32).saturating_sub(total) as usize) {
        codes[k].1 += 1;
    }
    codes
}

/// What `node.weights` and its like say stays with the mesh.
pub(super) fn hang_mesh(writer: &mut Writer, node: usize, mesh: usize, skin: Option<usize>) {
    if let Some(node) = writer.object("nodes", node) {
        node.insert("mesh".into(), json!(mesh));
        match skin {
            Some(skin) => node.insert("skin".into(), json!(skin)),
            None => node.remove("skin"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_sum_to_one_exactly_and_none_is_off_by_more_than_a_code() {
        for row in [
            vec![(0, 1.0)],
            vec![(0, 0.5), (3, 0.5)],
            vec![(0, 0.4), (1, 0.3), (2, 0.2), (9, 0.1)],
            vec![(0, 0.3333333), (1, 0.3333333), (2, 0.3333334)],
            vec![(0, 0.999999), (1, 0.000001)],
        ] {
            let codes = weight_codes(&row);
            assert_eq!(codes.iter().map(|(_, c)| u32::from(*c)).sum::<u32>(), 65535, "{row:?}");
            for ((_, weight), (_, code)) in row.iter().zip(&codes) {
                assert!((f64::from(*weight) * MAX - f64::from(*code)).abs() <= 1.0, "{row:?}");
            }
        }
    }
}
