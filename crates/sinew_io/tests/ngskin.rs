//! Both forms of ngSkinTools' JSON, as the programs write them that they were learned from.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use sinew::Character;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::weights::Influence;
use sinew_io::{WeightsForm, weights_of_text, weights_to_text};

fn sample() -> Character {
    build(&SampleOptions::new(SampleKind::Cylinder)).unwrap()
}

fn rows_of(character: &Character, text: &Value) -> Vec<Vec<Influence>> {
    let found = weights_of_text(&text.to_string(), WeightsForm::Json, character).unwrap();
    found.of_part[0].as_ref().unwrap().rows().map(<[_]>::to_vec).collect()
}

fn number(character: &Character) -> usize {
    character.parts[0].mesh.points().len()
}

#[test]
fn what_is_written_comes_back_to_the_bit_and_in_centimetres() {
    let character = sample();
    let text = weights_to_text(&character, WeightsForm::NgSkin).unwrap();
    let found = weights_of_text(&text, WeightsForm::Json, &character).unwrap();
    assert_eq!(found.of_part[0], character.parts[0].weights);
    let mut value: Value = serde_json::from_str(&text).unwrap();
    for place in value["mesh"]["vertPositions"].as_array_mut().unwrap() {
        *place = json!(100.0 * place.as_f64().unwrap());
    }
    let found = weights_of_text(&value.to_string(), WeightsForm::NgSkin, &character).unwrap();
    assert_eq!(found.of_part[0], character.parts[0].weights);
    for place in value["mesh"]["vertPositions"].as_array_mut().unwrap() {
        *place = json!(place.as_f64().unwrap() + 77.0);
    }
    let error = weights_of_text(&value.to_string(), WeightsForm::Json, &character).unwrap_err();
    assert!(error.to_string().contains("lies where"), "{error}");
}

#[test]
fn in_the_first_form_the_first_layer_is_the_highest() {
    let character = sample();
    let joints = character.skeleton.joints();
    let all = |weight: f64| vec![weight; number(&character)];
    let layer = |name: &str, joint: &str, opacity: f64, mask: Vec<f64>| {
        let influences = json!([{"index": 0, "name": joint, "weights": all(1.0)}]);
        json!({"name": name, "enabled": true, "opacity": opacity, "mask": mask,
            "influences": influences})
    };
    let over = format!("|group|hero:{}", joints[1].name);
    let text = json!({"layers": [
        layer("above", &over, 0.5, all(0.5)),
        layer("below", &joints[0].name, 1.0, Vec::new()),
    ]});
    for row in rows_of(&character, &text) {
        assert_eq!(row.len(), 2);
        assert!((row[0].weight - 0.75).abs() < 1e-6 && row[0].joint == 0, "{row:?}");
        assert!((row[1].weight - 0.25).abs() < 1e-6 && row[1].joint == 1, "{row:?}");
    }
}

fn second_form(character: &Character, layers: &Value) -> Value {
    let joints = character.skeleton.joints();
    let written = weights_to_text(character, WeightsForm::NgSkin).unwrap();
    let mut text: Value = serde_json::from_str(&written).unwrap();
    text["influences"] = json!([
        {"index": 4, "path": format!("|a|{}", joints[0].name), "labelSide": "center"},
        {"index": 9, "path": format!("|a|{}", joints[1].name)},
    ]);
    text["layers"] = layers.clone();
    text
}

#[test]
fn in_the_second_form_masks_count_and_layers_that_are_off_do_not() {
    let character = sample();
    let all = |weight: f64| vec![weight; number(&character)];
    let off = json!({"id": 2, "enabled": false, "opacity": 1.0, "influences": {"9": all(1.0)}});
    let base = json!({"id": 1, "enabled": true, "opacity": 1.0, "name": "base",
        "influences": {"4": all(0.25), "9": all(0.75), "mask": all(1.0), "dq": all(0.5)}});
    for row in rows_of(&character, &second_form(&character, &json!([base, off]))) {
        assert!((row[0].weight - 0.25).abs() < 1e-6 && (row[1].weight - 0.75).abs() < 1e-6);
    }
}

#[test]
fn what_the_second_form_does_not_say_is_refused() {
    let character = sample();
    let all = |weight: f64| vec![weight; number(&character)];
    let layer = |key: &str| json!({"enabled": true, "opacity": 1.0, "influences": {key: all(1.0)}});
    for (layers, words) in [
        (json!([layer("4"), layer("9")]), "cover one another"),
        (json!([layer("7")]), "influence 7"),
    ] {
        let text = second_form(&character, &layers).to_string();
        let error = weights_of_text(&text, WeightsForm::Json, &character).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn a_character_of_several_meshes_is_not_written() {
    let soldier = build(&SampleOptions::new(SampleKind::Soldier)).unwrap();
    let error = weights_to_text(&soldier, WeightsForm::NgSkin).unwrap_err();
    assert!(error.contains("one mesh"), "{error}");
}
