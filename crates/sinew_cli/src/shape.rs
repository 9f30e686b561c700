//! Shapes that the flags ask for: a clip at a time, or their rest weights; then `--shape` on top.

use sinew::{Character, Part};

use crate::args::PoseArgs;
use crate::exit::Failure;
use crate::names;

/// `SHAPE:WEIGHT`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShapeSpec {
    shape: String,
    weight: f32,
}

impl std::str::FromStr for ShapeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write SHAPE:WEIGHT, as in smile:0.5";
        let (shape, weight) = text.rsplit_once(':').ok_or(SHAPE)?;
        match weight.parse() {
            Ok(weight) if f32::is_finite(weight) => Ok(Self { shape: shape.to_owned(), weight }),
            _ => Err(format!("'{weight}' is no weight; {SHAPE}")),
        }
    }
}

impl PoseArgs {
    /// The weights of every part's shapes, with the clip at a time.
    pub(crate) fn shape_weights_at(
        &self,
        character: &Character,
        time_seconds: f64,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        // A clip that is not there is told of where the pose is made.
        let clip = self.clip.as_ref().and_then(|name| character.clip(name));
        let of_part = |(index, part): (usize, &Part)| match clip {
            Some(clip) => clip.shape_weights_at(index, part, time_seconds),
            None => part.rest_shape_weights(),
        };
        let weights = character.parts.iter().enumerate().map(of_part).collect();
        self.with_flags(character, weights)
    }

    /// The weights of every part's shapes, without a clip.
    pub(crate) fn static_shape_weights(
        &self,
        character: &Character,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        let weights = character.parts.iter().map(Part::rest_shape_weights).collect();
        self.with_flags(character, weights)
    }

    /// `--shape` over them.
    fn with_flags(
        &self,
        character: &Character,
        mut weights: Vec<Vec<f32>>,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        for spec in &self.shape {
            let mut is_known = false;
            for (part, weights) in character.parts.iter().zip(&mut weights) {
                for (shape, weight) in part.shapes.iter().zip(weights) {
                    if shape.name == spec.shape {
                        *weight = spec.weight;
                        is_known = true;
                    }
                }
            }
            if !is_known {
                let shapes = character.parts.iter().flat_map(|part| &part.shapes);
                let all = shapes.map(|shape| shape.name.as_str());
                return Err(Failure::Usage(names::unknown("shape", &spec.shape, all)));
            }
        }
        Ok(weights)
    }
}
