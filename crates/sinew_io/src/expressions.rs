//! Expressions of faces, by the names of standards: VRM's, where a file lists them, and ARKit's,
//! where shapes are called so.

use serde_json::Value;
use sinew::Character;

/// Who names an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standard {
    /// VRM 1: presets and custom ones.
    Vrm1,
    /// VRM 0: groups of blend shapes.
    Vrm0,
    /// The 52 blend shapes of ARKit.
    Arkit,
}

impl Standard {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Vrm1, Self::Vrm0, Self::Arkit];

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vrm1 => "VRM 1",
            Self::Vrm0 => "VRM 0",
            Self::Arkit => "ARKit",
        }
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// As the standard, or the file, has it.
    pub name: String,
    /// Whose it is.
    pub standard: Standard,
}

/// The expressions that a character's file lists, and ARKit's among its shapes, each once.
pub fn expressions(character: &Character) -> Vec<Expression> {
    let carried = character.carried.as_ref().filter(|carried| carried.format == "gltf");
    let document = carried.and_then(|carried| serde_json::from_str::<Value>(&carried.text).ok());
    let mut found = document.map_or_else(Vec::new, |document| of_document(&document));
    let shapes = character.parts.iter().flat_map(|part| &part.shapes);
    let names: Vec<&str> = shapes.map(|shape| shape.name.as_str()).collect();
    for known in ARKIT {
        // Files write `browInnerUp`, `BrowInnerUp` and `head.browInnerUp`.
        let is_known = |name: &&str| {
            let last = name.rsplit(['.', ':']).next().unwrap_or(name);
            last.eq_ignore_ascii_case(known)
        };
        if names.iter().any(is_known) {
            found.push(Expression { name: known.to_owned(), standard: Standard::Arkit });
        }
    }
    found
}

fn of_document(document: &Value) -> Vec<Expression> {
    let mut found = Vec::new();
    for kind in ["preset", "custom"] {
        let of = document.pointer(&format!("/extensions/VRMC_vrm/expressions/{kind}"));
        for (name, _) in of.and_then(Value::as_object).into_iter().flatten() {
            found.push(Expression { name: name.clone(), standard: Standard::Vrm1 });
        }
    }
    let groups = document.pointer("/extensions/VRM/blendShapeMaster/blendShapeGroups");
    for group in groups.and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = group.get("name").and_then(Value::as_str) {
            found.push(Expression { name: name.to_owned(), standard: Standard::Vrm0 });
        }
    }
    found
}

/// As Apple lists them.
const ARKIT: [&str; 52] = [
    "eyeBlinkLeft",
    "eyeLookDownLeft",
    "eyeLookInLeft",
    "eyeLookOutLeft",
    "eyeLookUpLeft",
    "eyeSquintLeft",
    "eyeWideLeft",
    "eyeBlinkRight",
    "eyeLookDownRight",
    "eyeLookInRight",
    "eyeLookOutRight",
    "eyeLookUpRight",
    "eyeSquintRight",
    "eyeWideRight",
    "jawForward",
    "jawLeft",
    "jawRight",
    "jawOpen",
    "mouthClose",
    "mouthFunnel",
    "mouthPucker",
    "mouthLeft",
    "mouthRight",
    "mouthSmileLeft",
    "mouthSmileRight",
    "mouthFrownLeft",
    "mouthFrownRight",
    "mouthDimpleLeft",
    "mouthDimpleRight",
    "mouthStretchLeft",
    "mouthStretchRight",
    "mouthRollLower",
    "mouthRollUpper",
    "mouthShrugLower",
    "mouthShrugUpper",
    "mouthPressLeft",
    "mouthPressRight",
    "mouthLowerDownLeft",
    "mouthLowerDownRight",
    "mouthUpperUpLeft",
    "mouthUpperUpRight",
    "browDownLeft",
    "browDownRight",
    "browInnerUp",
    "browOuterUpLeft",
    "browOuterUpRight",
    "cheekPuff",
    "cheekSquintLeft",
    "cheekSquintRight",
    "noseSneerLeft",
    "noseSneerRight",
    "tongueOut",
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn vrm_expressions_are_listed_by_their_names() {
        let one = json!({"extensions": {"VRMC_vrm": {"expressions": {
            "preset": {"happy": {}, "blink": {}}, "custom": {"wink": {}}}}}});
        let names = |document: &Value| -> Vec<String> {
            of_document(document).into_iter().map(|of| of.name).collect()
        };
        let mut found = names(&one);
        found.sort();
        assert_eq!(found, ["blink", "happy", "wink"]);
        let zero = json!({"extensions": {"VRM": {"blendShapeMaster": {
            "blendShapeGroups": [{"name": "Joy"}, {"presetName": "a"}, {"name": "A"}]}}}});
        assert_eq!(names(&zero), ["Joy", "A"]);
        for broken in [json!([]), json!({"extensions": {"VRM": 5, "VRMC_vrm": []}})] {
            assert!(of_document(&broken).is_empty());
        }
    }
}
