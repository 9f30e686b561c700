//! Edits of weight layers: their order, opacity, masks. Rows of a layer come by edits of weights
//! that name it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::weights::layers::{WeightLayer, WeightLayers};

use super::EditError;
use crate::document::Document;
use crate::name_ref::MeshRef;
use crate::names;

/// More layers than anybody can tell apart.
const MOST_LAYERS: usize = 64;

/// A change of weight layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case", deny_unknown_fields)]
pub enum LayerEdit {
    /// Adds a layer over all others. The first one makes what is there the base.
    AddWeightLayer {
        /// Which no other layer has.
        name: String,
        /// The most influences of a row that is mixed from several layers.
        #[serde(default = "four")]
        influences: usize,
    },
    /// Takes a layer away with its rows.
    RemoveWeightLayer {
        /// The layer's name.
        layer: String,
    },
    /// Changes what is named of a layer.
    SetWeightLayer {
        /// The layer's name.
        layer: String,
        /// How much of it counts, from nothing to one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opacity: Option<f32>,
        /// It counts for nothing for now.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        muted: Option<bool>,
        /// Its place from the lowest, which is 0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<usize>,
        /// Another name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rename: Option<String>,
    },
    /// Says how much of a layer counts at points; those that it has no row of are passed over.
    MaskWeightLayer {
        /// The layer's name.
        layer: String,
        /// The mesh that this is about.
        mesh: MeshRef,
        /// `[point, share]`, from nothing to one.
        amounts: Vec<(u32, f32)>,
    },
    /// Makes a layer and the one below it one; the lowest becomes part of the base.
    MergeWeightLayer {
        /// The layer's name.
        layer: String,
    },
}

fn four() -> usize {
    4
}

/// The place of a layer, or which there are.
pub(super) fn layer_named(document: &Document, name: &str) -> Result<usize, EditError> {
    let layers = &document.weight_layers;
    layers.find(name).ok_or_else(|| {
        let all = layers.layers.iter().map(|layer| layer.name.as_str());
        EditError::Unknown(names::unknown("weight layer", name, all))
    })
}

fn check_new_name(layers: &WeightLayers, name: &str) -> Result<(), EditError> {
    if name.trim().is_empty() {
        return Err(EditError::value("name of a weight layer", "it is empty"));
    }
    if layers.find(name).is_some() {
        let what = format!("weight layer '{name}'");
        return Err(EditError::value(what, "there is one; take another name"));
    }
    Ok(())
}

fn check_share(what: &str, share: f32) -> Result<(), EditError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    Err(EditError::value(what, format!("{share}; it must be from 0 to 1")))
}

impl LayerEdit {
    pub(super) const TAGS: &[&str] = &[
        "add-weight-layer",
        "remove-weight-layer",
        "set-weight-layer",
        "mask-weight-layer",
        "merge-weight-layer",
    ];

    pub(super) fn label(&self) -> String {
        match self {
            Self::AddWeightLayer { name, .. } => format!("Add weight layer {name}"),
            Self::RemoveWeightLayer { layer } => format!("Remove weight layer {layer}"),
            Self::SetWeightLayer { layer, opacity: Some(_), .. } => format!("Opacity of {layer}"),
            Self::SetWeightLayer { layer, muted: Some(true), .. } => format!("Mute {layer}"),
            Self::SetWeightLayer { layer, muted: Some(false), .. } => format!("Hear {layer}"),
            Self::SetWeightLayer { layer, place: Some(_), .. } => format!("Move {layer}"),
            Self::SetWeightLayer { layer, .. } => format!("Change weight layer {layer}"),
            Self::MaskWeightLayer { layer, .. } => format!("Mask of {layer}"),
            Self::MergeWeightLayer { layer } => format!("Merge {layer} down"),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::MaskWeightLayer { amounts, .. } => size_of_val(&amounts[..]),
            Self::AddWeightLayer { .. }
            | Self::RemoveWeightLayer { .. }
            | Self::SetWeightLayer { .. }
            | Self::MergeWeightLayer { .. } => 0,
        }
    }

    pub(super) fn apply(&self, document: &mut Document) -> Result<(), EditError> {
        let mut layers = WeightLayers::clone(&document.weight_layers);
        let character = &document.character;
        match self {
            Self::AddWeightLayer { name, influences } => {
                check_new_name(&layers, name)?;
                if layers.layers.len() >= MOST_LAYERS {
                    let words = format!("there are {MOST_LAYERS}; merge some");
                    return Err(EditError::value("weight layers", words));
                }
                if layers.layers.is_empty() {
                    let of_part = character.parts.iter().map(|part| part.weights.clone());
                    let influences = (*influences).clamp(1, MOST_LAYERS);
                    layers = WeightLayers::over(of_part.collect(), influences);
                }
                layers.layers.push(WeightLayer::new(name, character.parts.len()));
            }
            Self::RemoveWeightLayer { layer } => {
                layers.layers.remove(layer_named(document, layer)?);
            }
            Self::SetWeightLayer { layer, opacity, muted, place, rename } => {
                let at = layer_named(document, layer)?;
                if let Some(name) = rename.as_ref().filter(|name| *name != layer) {
                    check_new_name(&layers, name)?;
                    layers.layers[at].name.clone_from(name);
                }
                if let Some(opacity) = *opacity {
                    check_share("opacity", opacity)?;
                    layers.layers[at].opacity = opacity;
                }
                if let Some(muted) = *muted {
                    layers.layers[at].is_muted = muted;
                }
                if let Some(place) = *place {
                    let moved = layers.layers.remove(at);
                    layers.layers.insert(place.min(layers.layers.len()), moved);
                }
            }
            Self::MaskWeightLayer { layer, mesh, amounts } => {
                let at = layer_named(document, layer)?;
                let part = mesh.resolve(character).map_err(EditError::Unknown)?;
                amounts.iter().try_for_each(|&(_, share)| check_share("mask", share))?;
                let of_part = &mut layers.layers[at].of_part[part];
                *of_part = of_part.with_mask(amounts);
            }
            Self::MergeWeightLayer { layer } => {
                layers = layers.merged_down(layer_named(document, layer)?);
            }
        }
        put(document, layers);
        Ok(())
    }
}

/// Takes layers, and the weights that are seen through them.
fn put(document: &mut Document, mut layers: WeightLayers) {
    let mut changed = Character::clone(&document.character);
    for (part, own) in changed.parts.iter_mut().enumerate() {
        own.weights = layers.seen(part);
    }
    if layers.layers.is_empty() {
        layers = WeightLayers::default();
    }
    if layers != *document.weight_layers {
        document.weight_layers = Arc::new(layers);
    }
    if changed != *document.character {
        document.character = Arc::new(changed);
    }
}

/// What edits of other topics must not change while there are layers: the weights that are seen.
pub(super) fn check_unlayered(document: &Document, after: &Character) -> Result<(), EditError> {
    let parts = document.character.parts.iter().zip(&after.parts);
    let is_same = parts.into_iter().all(|(a, b)| a.weights == b.weights);
    if document.weight_layers.layers.is_empty() || is_same {
        return Ok(());
    }
    let words = "this changes weights below them; merge them first";
    Err(EditError::value("weight layers", words))
}

/// What is wrong with the layers of a document.
pub(super) fn broken(document: &Document) -> Option<String> {
    let layers = &document.weight_layers;
    if layers.layers.is_empty() {
        return (!layers.base.is_empty()).then(|| "a base of weight layers without layers".into());
    }
    let character = document.character();
    if layers.base.len() != character.parts.len() {
        return Some(format!("weight layers of {} meshes", layers.base.len()));
    }
    let is_off = |part: &usize| layers.seen(*part) != character.parts[*part].weights;
    let part = (0..character.parts.len()).find(is_off)?;
    let name = character.parts[part].mesh.name();
    Some(format!("weights of mesh '{name}' are not what is seen of their layers"))
}
