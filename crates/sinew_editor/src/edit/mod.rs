//! Edits: everything that can be done to a document, as plain data.
//!
//! The same values are what tools make, what the journal keeps, what `sinew edit` reads as a
//! script, and what the tests replay. In JSON: `{"edit": "rotate-joint", "joint": "elbow", "axis":
//! "x", "degrees": 90}`. `docs/edits.md` lists them.
//!
//! One topic a file, each with its words, what they do, what the history calls them, and what must
//! hold after them.

mod cage;
mod layers;
mod motion;
mod pose;
mod rig;
mod rigging;
mod shape;
mod stroke;
mod surface;
mod weights;

pub use cage::CageEdit;
pub use layers::LayerEdit;
pub use motion::{KeysRef, MotionEdit};
pub use pose::PoseEdit;
pub use rig::RigEdit;
pub use rigging::{MovedPoint, RiggingEdit};
pub use shape::ShapeEdit;
pub use stroke::{LineText, StrokeEdit, StrokeText};
pub use surface::SurfaceEdit;
pub use weights::{Held, Keeping, Motion as DragText, RowText, Taking, WeightEdit};

pub(crate) use cage::with_offsets;
pub(crate) use rig::bytes_of_rig;
pub(crate) use rig::without_lists_that_fit_nothing;
pub(crate) use surface::baked;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::document::Document;
use crate::names;

/// One change of a document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Edit {
    /// Changes the pose.
    Pose(PoseEdit),
    /// How its skin is made.
    Rig(RigEdit),
    /// Its shapes.
    Shape(ShapeEdit),
    /// How it moves.
    Motion(MotionEdit),
    /// Its cage.
    Cage(CageEdit),
    /// What is added to it, and what drives it.
    Rigging(RiggingEdit),
    /// Its weights.
    Weights(WeightEdit),
    /// How it stands, by strokes.
    Stroke(StrokeEdit),
    /// The layers of its weights.
    Layers(LayerEdit),
    /// Its surface.
    Surface(SurfaceEdit),
}

impl<'de> Deserialize<'de> for Edit {
    /// By the tag: an untagged reading would say of a mistyped field only that nothing matched.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let tag = value.get("edit").and_then(Value::as_str);
        let tag = tag.ok_or_else(|| D::Error::missing_field("edit"))?;
        let edit = match tag {
            _ if PoseEdit::TAGS.contains(&tag) => PoseEdit::deserialize(value).map(Self::Pose),
            _ if RigEdit::TAGS.contains(&tag) => RigEdit::deserialize(value).map(Self::Rig),
            _ if ShapeEdit::TAGS.contains(&tag) => ShapeEdit::deserialize(value).map(Self::Shape),
            _ if MotionEdit::TAGS.contains(&tag) => {
                MotionEdit::deserialize(value).map(Self::Motion)
            }
            _ if CageEdit::TAGS.contains(&tag) => CageEdit::deserialize(value).map(Self::Cage),
            _ if RiggingEdit::TAGS.contains(&tag) => {
                RiggingEdit::deserialize(value).map(Self::Rigging)
            }
            _ if WeightEdit::TAGS.contains(&tag) => {
                WeightEdit::deserialize(value).map(Self::Weights)
            }
            _ if StrokeEdit::TAGS.contains(&tag) => {
                StrokeEdit::deserialize(value).map(Self::Stroke)
            }
            _ if LayerEdit::TAGS.contains(&tag) => LayerEdit::deserialize(value).map(Self::Layers),
            _ if SurfaceEdit::TAGS.contains(&tag) => {
                SurfaceEdit::deserialize(value).map(Self::Surface)
            }
            _ => {
                let known = [
                    PoseEdit::TAGS,
                    RigEdit::TAGS,
                    ShapeEdit::TAGS,
                    MotionEdit::TAGS,
                    CageEdit::TAGS,
                    RiggingEdit::TAGS,
                    WeightEdit::TAGS,
                    StrokeEdit::TAGS,
                    LayerEdit::TAGS,
                    SurfaceEdit::TAGS,
                ]
                .concat();
                return Err(D::Error::custom(names::unknown("edit", tag, known)));
            }
        };
        edit.map_err(D::Error::custom)
    }
}

impl From<PoseEdit> for Edit {
    fn from(edit: PoseEdit) -> Self {
        Self::Pose(edit)
    }
}

impl From<RigEdit> for Edit {
    fn from(edit: RigEdit) -> Self {
        Self::Rig(edit)
    }
}

impl From<ShapeEdit> for Edit {
    fn from(edit: ShapeEdit) -> Self {
        Self::Shape(edit)
    }
}

impl From<MotionEdit> for Edit {
    fn from(edit: MotionEdit) -> Self {
        Self::Motion(edit)
    }
}

impl From<CageEdit> for Edit {
    fn from(edit: CageEdit) -> Self {
        Self::Cage(edit)
    }
}

impl From<RiggingEdit> for Edit {
    fn from(edit: RiggingEdit) -> Self {
        Self::Rigging(edit)
    }
}

impl From<WeightEdit> for Edit {
    fn from(edit: WeightEdit) -> Self {
        Self::Weights(edit)
    }
}

impl From<StrokeEdit> for Edit {
    fn from(edit: StrokeEdit) -> Self {
        Self::Stroke(edit)
    }
}

impl From<LayerEdit> for Edit {
    fn from(edit: LayerEdit) -> Self {
        Self::Layers(edit)
    }
}

impl From<SurfaceEdit> for Edit {
    fn from(edit: SurfaceEdit) -> Self {
        Self::Surface(edit)
    }
}

impl Edit {
    /// What the history calls it.
    pub fn label(&self) -> String {
        match self {
            Self::Pose(edit) => edit.label(),
            Self::Rig(edit) => edit.label(),
            Self::Shape(edit) => edit.label(),
            Self::Motion(edit) => edit.label(),
            Self::Cage(edit) => edit.label(),
            Self::Rigging(edit) => edit.label(),
            Self::Weights(edit) => edit.label(),
            Self::Stroke(edit) => edit.label(),
            Self::Layers(edit) => edit.label(),
            Self::Surface(edit) => edit.label(),
        }
    }

    /// What the history holds for it, beside the documents.
    pub(crate) fn bytes(&self) -> usize {
        let own = match self {
            Self::Pose(edit) => edit.bytes(),
            Self::Rig(edit) => edit.bytes(),
            Self::Shape(edit) => edit.bytes(),
            Self::Motion(edit) => edit.bytes(),
            Self::Cage(edit) => edit.bytes(),
            Self::Rigging(edit) => edit.bytes(),
            Self::Weights(edit) => edit.bytes(),
            Self::Stroke(edit) => edit.bytes(),
            Self::Layers(edit) => edit.bytes(),
            Self::Surface(edit) => edit.bytes(),
        };
        size_of::<Self>() + own
    }
}

impl Document {
    /// Does an edit, or says why it cannot be done and leaves the document as it was. The one way
    /// to change a document.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), EditError> {
        match edit {
            Edit::Pose(edit) => edit.apply(self),
            Edit::Rig(edit) => edit.apply(self),
            Edit::Shape(edit) => edit.apply(self),
            Edit::Motion(edit) => edit.apply(self),
            Edit::Cage(edit) => edit.apply(self),
            Edit::Rigging(edit) => edit.apply(self),
            Edit::Weights(edit) => edit.apply(self),
            Edit::Stroke(edit) => edit.apply(self),
            Edit::Layers(edit) => edit.apply(self),
            Edit::Surface(edit) => edit.apply(self),
        }
    }

    /// What must hold after every edit; says what does not.
    pub fn broken_invariant(&self) -> Option<String> {
        pose::broken(self)
            .or_else(|| rig::broken(self))
            .or_else(|| shape::broken(self))
            .or_else(|| motion::broken(self))
            .or_else(|| cage::broken(self))
            .or_else(|| rigging::broken(self))
            .or_else(|| weights::broken(self))
            .or_else(|| stroke::broken(self))
            .or_else(|| layers::broken(self))
            .or_else(|| surface::broken(self))
    }
}

/// Why an edit could not be done. The document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A name that nothing has, with those that are nearest.
    #[error("{0}")]
    Unknown(String),
    /// A value that cannot be.
    #[error("{what}: {fault}")]
    Value {
        /// The value that cannot be.
        what: String,
        /// What is wrong with it, and what would be right.
        fault: String,
    },
}

impl EditError {
    pub(crate) fn value(what: impl Into<String>, fault: impl Into<String>) -> Self {
        Self::Value { what: what.into(), fault: fault.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        serde_json::from_str::<Edit>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_mistyped_field_or_edit_is_an_error_that_names_it() {
        let error = fault(r#"{"edit": "set-method", "methd": "linear"}"#);
        assert!(error.contains("methd"), "{error}");
        let error = fault(r#"{"edit": "set-shapes", "weights": {}, "mesh": "a"}"#);
        assert!(error.contains("mesh"), "{error}");
        let error = fault(r#"{"edit": "rotate-joints"}"#);
        assert!(error.contains("'rotate-joint'"), "{error}");
        assert!(fault(r#"{"joint": "a"}"#).contains("`edit`"));
    }

    #[test]
    fn every_word_of_every_topic_is_in_its_list() {
        // Serde's own list of a topic's words, taken from its error.
        fn words_of<T: serde::de::DeserializeOwned>() -> Vec<String> {
            let Err(error) = serde_json::from_str::<T>(r#"{"edit": "?"}"#) else { return vec![] };
            let text = error.to_string();
            text.split('`').skip(1).step_by(2).skip(1).map(str::to_owned).collect()
        }
        assert_eq!(words_of::<PoseEdit>(), PoseEdit::TAGS);
        assert_eq!(words_of::<RigEdit>(), RigEdit::TAGS);
        assert_eq!(words_of::<ShapeEdit>(), ShapeEdit::TAGS);
        assert_eq!(words_of::<MotionEdit>(), MotionEdit::TAGS);
        assert_eq!(words_of::<CageEdit>(), CageEdit::TAGS);
        assert_eq!(words_of::<RiggingEdit>(), RiggingEdit::TAGS);
        assert_eq!(words_of::<WeightEdit>(), WeightEdit::TAGS);
        assert_eq!(words_of::<StrokeEdit>(), StrokeEdit::TAGS);
        assert_eq!(words_of::<LayerEdit>(), LayerEdit::TAGS);
        assert_eq!(words_of::<SurfaceEdit>(), SurfaceEdit::TAGS);
    }
}
