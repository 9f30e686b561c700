//! Values of points that the brush paints beside weights: masks of layers, stiffness of springs.

use sinew::mesh::Adjacency;
use sinew::weights::values::{PaintValue, paint_values};

use super::super::Context;
use super::{PaintTarget, WeightTools};
use crate::document::Document;
use crate::edit::{Edit, LayerEdit, RigEdit};
use crate::name_ref::MeshRef;

/// Painted stiffness is within this; below, springs hold nothing.
const STIFFNESS: [f32; 2] = [0.05, 20.0];

/// What the brush's target is at each point of a mesh; `None` for weights, and for a mask where no
/// layer is chosen.
pub fn painted_values(document: &Document, tools: &WeightTools, part: usize) -> Option<Vec<f32>> {
    let num_points = document.character().parts.get(part)?.mesh.points().len();
    match tools.target {
        PaintTarget::Weights => None,
        PaintTarget::Mask => {
            let layers = document.weight_layers();
            let layer = &layers.layers[layers.find(&tools.layer_of(document)?)?];
            let mut values = vec![0.0; num_points];
            for (point, _, mask) in layer.of_part.get(part)?.entries() {
                values[point as usize] = mask;
            }
            Some(values)
        }
        PaintTarget::Stiffness => {
            let own = document.rig().part(part).map(|own| own.stiffness.clone());
            Some(own.filter(|own| !own.is_empty()).unwrap_or_else(|| vec![1.0; num_points]))
        }
    }
}

/// The edit that paints values; `None` where nothing changes.
pub(super) fn edit(
    context: &Context<'_>,
    part: usize,
    before: &[f32],
    adjacency: &Adjacency,
    amounts: &[(u32, f64)],
) -> Option<Edit> {
    let (document, tools) = (context.document, context.weights);
    let is_mask = tools.target == PaintTarget::Mask;
    let paint = PaintValue {
        brush: tools.brush,
        mesh: &document.character().parts[part].mesh,
        value: if is_mask { tools.value } else { tools.stiffness } as f32,
        range: if is_mask { [0.0, 1.0] } else { STIFFNESS },
    };
    let changed = paint_values(before, adjacency, amounts, &paint);
    if changed.is_empty() {
        return None;
    }
    let mesh = MeshRef::of(document.character(), part);
    Some(match tools.layer_of(document).filter(|_| is_mask) {
        Some(layer) => LayerEdit::MaskWeightLayer { layer, mesh, amounts: changed }.into(),
        None => {
            let mut stiffness = before.to_vec();
            for (point, value) in changed {
                stiffness[point as usize] = value;
            }
            RigEdit::PaintStiffness { mesh, stiffness }.into()
        }
    })
}
