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

/// `CONTROL:VALUE`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ControlSpec {
    control: String,
    value: f64,
}

impl std::str::FromStr for ControlSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write CONTROL:VALUE, as in mood:0.5";
        let (control, value) = text.rsplit_once(':').ok_or(SHAPE)?;
        match value.parse() {
            Ok(value) if f64::is_finite(value) => Ok(Self { control: control.to_owned(), value }),
            _ => Err(format!("'{value}' is no number; {SHAPE}")),
        }
    }
}

impl PoseArgs {
    /// The values of named controls, with the clip at a time, and `--control` over them.
    pub(crate) fn control_values_at(
        &self,
        character: &Character,
        time_seconds: f64,
    ) -> Result<Vec<f64>, Failure> {
        let drivers = &character.drivers;
        let clip = self.clip.as_ref().and_then(|name| character.clip(name));
        let mut values = match clip {
            Some(clip) => clip.control_values_at(drivers, time_seconds),
            None => drivers.controls.iter().map(|control| control.rest).collect(),
        };
        for spec in &self.control {
            let all = drivers.controls.iter().map(|control| control.name.as_str());
            let unknown = || Failure::Usage(names::unknown("control", &spec.control, all));
            values[drivers.control(&spec.control).ok_or_else(unknown)?] = spec.value;
        }
        Ok(values)
    }

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
