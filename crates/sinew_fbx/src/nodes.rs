//! Nodes: who is below whom, and where.
//!
//! ufbx's root is left out: with units and axes settled below it, it does not move anything.

use glam::{DAffine3, DMat3, DVec3};
use serde_json::{Value, json};
use ufbx::{Matrix, Node, Transform};

use crate::Converter;

/// The place of a node in the document; `None` for the root.
pub(crate) fn place_of(node: &Node) -> Option<usize> {
    (node.element.typed_id as usize).checked_sub(1).filter(|_| !node.is_root)
}

pub(crate) fn affine(m: &Matrix) -> DAffine3 {
    let column = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    DAffine3 {
        matrix3: DMat3::from_cols(
            column(m.m00, m.m10, m.m20),
            column(m.m01, m.m11, m.m21),
            column(m.m02, m.m12, m.m22),
        ),
        translation: column(m.m03, m.m13, m.m23),
    }
}

/// Translation, rotation and scale, as numbers that are some.
pub(crate) fn parts(transform: &Transform) -> ([f64; 3], [f64; 4], [f64; 3]) {
    let finite = |x: f64, instead: f64| if x.is_finite() { x } else { instead };
    let (t, r, s) = (&transform.translation, &transform.rotation, &transform.scale);
    let rotation = [r.x, r.y, r.z, r.w];
    let length = rotation.iter().map(|x| x * x).sum::<f64>().sqrt();
    let rotation = if length.is_finite() && length > 1e-9 {
        rotation.map(|x| x / length)
    } else {
        [0.0, 0.0, 0.0, 1.0]
    };
    (
        [finite(t.x, 0.0), finite(t.y, 0.0), finite(t.z, 0.0)],
        rotation,
        [finite(s.x, 1.0), finite(s.y, 1.0), finite(s.z, 1.0)],
    )
}

impl Converter<'_> {
    pub(crate) fn nodes(&mut self) {
        let scene = self.scene;
        let mut roots = Vec::new();
        for node in &scene.nodes {
            let Some(place) = place_of(node) else { continue };
            let children: Vec<usize> = node.children.into_iter().filter_map(place_of).collect();
            let (translation, rotation, scale) = parts(&node.local_transform);
            let mut written = json!({ "name": &*node.element.name });
            if translation != [0.0; 3] {
                written["translation"] = json!(translation);
            }
            if rotation != [0.0, 0.0, 0.0, 1.0] {
                written["rotation"] = json!(rotation);
            }
            if scale != [1.0; 3] {
                written["scale"] = json!(scale);
            }
            if !children.is_empty() {
                written["children"] = json!(children);
            }
            if node.parent.as_ref().is_none_or(|parent| parent.is_root) {
                roots.push(place);
            }
            self.push("nodes", written);
        }
        let scene = if roots.is_empty() { json!({}) } else { json!({ "nodes": roots }) };
        self.document.insert("scenes".into(), Value::Array(vec![scene]));
        self.document.insert("scene".into(), json!(0));
    }

    /// Sets a field of a node.
    pub(crate) fn set_node(&mut self, node: usize, field: &str, value: Value) {
        let nodes = self.document.get_mut("nodes").and_then(Value::as_array_mut);
        if let Some(node) = nodes.and_then(|nodes| nodes.get_mut(node)) {
            node[field] = value;
        }
    }
}
