//! The document's buffer: views and accessors of what is added.

use serde_json::{Value, json};

use crate::FbxError;

/// Numbers of bytes of glTF's component types.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_SHORT: u32 = 5123;

pub(crate) struct Binary {
    pub(crate) bytes: Vec<u8>,
    pub(crate) views: Vec<Value>,
    pub(crate) accessors: Vec<Value>,
    budget: usize,
}

impl Binary {
    pub(crate) fn new(budget: usize) -> Self {
        Self { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new(), budget }
    }

    /// A view of bytes, aligned.
    pub(crate) fn view(&mut self, bytes: &[u8], target: Option<u32>) -> Result<usize, FbxError> {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        if self.bytes.len().saturating_add(bytes.len()) > self.budget {
            return Err(FbxError::TooLarge { megabytes: self.budget >> 20 });
        }
        let mut view = json!({
            "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len(),
        });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        Ok(self.views.len() - 1)
    }

    fn accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.accessors.push(json!({
            "bufferView": view, "componentType": component, "count": count, "type": kind,
        }));
        self.accessors.len() - 1
    }

    /// Floats of a vertex.
    pub(crate) fn vertices<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        has_bounds: bool,
    ) -> Result<usize, FbxError> {
        self.floats(values, Some(34962), has_bounds)
    }

    /// Floats of anything, such as keys and matrices.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        values: &[[f32; N]],
        target: Option<u32>,
        has_bounds: bool,
    ) -> Result<usize, FbxError> {
        let bytes: Vec<u8> =
            values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.view(&bytes, target)?;
        let at = self.accessor(view, FLOAT, values.len(), kind(N));
        if has_bounds {
            self.bounds(at, values);
        }
        Ok(at)
    }

    fn bounds<const N: usize>(&mut self, accessor: usize, values: &[[f32; N]]) {
        let mut low = [f32::INFINITY; N];
        let mut high = [f32::NEG_INFINITY; N];
        for value in values {
            for axis in 0..N {
                low[axis] = low[axis].min(value[axis]);
                high[axis] = high[axis].max(value[axis]);
            }
        }
        if !values.is_empty() {
            self.accessors[accessor]["min"] = json!(low.as_slice());
            self.accessors[accessor]["max"] = json!(high.as_slice());
        }
    }

    /// Whole numbers of 16 bits of a vertex.
    pub(crate) fn shorts<const N: usize>(
        &mut self,
        values: &[[u16; N]],
    ) -> Result<usize, FbxError> {
        let bytes: Vec<u8> =
            values.iter().flatten().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(34962))?;
        Ok(self.accessor(view, UNSIGNED_SHORT, values.len(), kind(N)))
    }

    /// Corners of triangles.
    pub(crate) fn indices(&mut self, values: &[u32]) -> Result<usize, FbxError> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let view = self.view(&bytes, Some(34963))?;
        Ok(self.accessor(view, UNSIGNED_INT, values.len(), "SCALAR"))
    }

    /// Displacements of a few of `count` vertices, in ascending order.
    pub(crate) fn displacements(
        &mut self,
        count: usize,
        moved: &[(u32, [f32; 3])],
    ) -> Result<usize, FbxError> {
        let mut accessor = json!({ "componentType": FLOAT, "count": count, "type": "VEC3" });
        let mut low = if moved.len() < count { [0.0; 3] } else { [f32::INFINITY; 3] };
        let mut high = if moved.len() < count { [0.0; 3] } else { [f32::NEG_INFINITY; 3] };
        for (_, value) in moved {
            for axis in 0..3 {
                low[axis] = f32::min(low[axis], value[axis]);
                high[axis] = f32::max(high[axis], value[axis]);
            }
        }
        accessor["min"] = json!(low);
        accessor["max"] = json!(high);
        if !moved.is_empty() {
            let places: Vec<u8> = moved.iter().flat_map(|(at, _)| at.to_le_bytes()).collect();
            let values: Vec<u8> = moved
                .iter()
                .flat_map(|(_, value)| value.iter().flat_map(|x| x.to_le_bytes()))
                .collect();
            let places = self.view(&places, None)?;
            let values = self.view(&values, None)?;
            accessor["sparse"] = json!({
                "count": moved.len(),
                "indices": { "bufferView": places, "componentType": UNSIGNED_INT },
                "values": { "bufferView": values },
            });
        }
        self.accessors.push(accessor);
        Ok(self.accessors.len() - 1)
    }
}

fn kind(components: usize) -> &'static str {
    match components {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        _ => "MAT4",
    }
}
