//! How a file is changed so that most of it still makes sense: references to other things that are
//! there, things twice or gone, other numbers. Such mutants get past the door, to what lies behind.

use serde_json::{Value, json};

use crate::random::Random;

fn length(json: &Value, list: &str) -> usize {
    json[list].as_array().map_or(0, Vec::len)
}

/// Changes a document and its data; it stays well-formed.
pub(crate) fn document(json: &mut Value, binary: &mut [u8], random: &mut Random) {
    for _ in 0..1 + random.below(4) {
        match random.below(9) {
            0 => refer(json, random),
            1 => twice(json, random),
            2 => leave_out(json, random),
            3 => {
                if let Some(primitive) = primitive(json, random) {
                    primitive["mode"] = json!([4, 4, 5, 6, 0, 1][random.below(6)]);
                }
            }
            4 => reparent(json, random),
            5 => transform(json, random),
            6 => animate(json, random),
            7 => reorder_joints(json, random),
            _ => scale_floats(binary, random),
        }
    }
}

fn item<'a>(json: &'a mut Value, list: &str, random: &mut Random) -> Option<&'a mut Value> {
    let items = json.get_mut(list)?.as_array_mut()?;
    let at = random.below(items.len());
    items.get_mut(at)
}

fn primitive<'a>(json: &'a mut Value, random: &mut Random) -> Option<&'a mut Value> {
    item(item(json, "meshes", random)?, "primitives", random)
}

/// Another accessor of the same shape, or any.
fn like(json: &Value, accessor: usize, random: &mut Random) -> usize {
    let all = length(json, "accessors");
    let shape = |at: usize| {
        let a = &json["accessors"][at];
        (a["type"].clone(), a["componentType"].clone(), a["count"].clone())
    };
    let alike: Vec<usize> = (0..all).filter(|&at| shape(at) == shape(accessor)).collect();
    if random.below(8) > 0 && !alike.is_empty() {
        alike[random.below(alike.len())]
    } else {
        random.below(all)
    }
}

fn refer(json: &mut Value, random: &mut Random) {
    let [meshes, skins, materials] =
        ["meshes", "skins", "materials"].map(|list| length(json, list));
    match random.below(4) {
        0 if meshes > 0 => {
            if let Some(node) = item(json, "nodes", random) {
                node["mesh"] = json!(random.below(meshes));
                if skins > 0 && random.below(2) == 0 {
                    node["skin"] = json!(random.below(skins));
                }
            }
        }
        1 if materials > 0 => {
            if let Some(primitive) = primitive(json, random) {
                primitive["material"] = json!(random.below(materials));
            }
        }
        _ => {
            let copy = json.clone();
            let Some(primitive) = primitive(json, random) else { return };
            let Some(attributes) = primitive["attributes"].as_object_mut() else { return };
            let at = random.below(attributes.len());
            if let Some(value) = attributes.values_mut().nth(at) {
                let now = value.as_u64().unwrap_or(0) as usize;
                *value = json!(like(&copy, now, random));
            }
        }
    }
}

fn twice(json: &mut Value, random: &mut Random) {
    let lists = ["meshes", "materials", "animations", "skins", "accessors", "textures"];
    let Some(items) = json.get_mut(lists[random.below(6)]).and_then(Value::as_array_mut) else {
        return;
    };
    if let Some(copy) = items.get(random.below(items.len())).cloned() {
        items.push(copy);
    }
}

fn leave_out(json: &mut Value, random: &mut Random) {
    let (list, fields): (&str, &[&str]) = match random.below(4) {
        0 => ("nodes", &["name", "rotation", "translation", "scale", "extras", "weights"]),
        1 => ("skins", &["inverseBindMatrices", "skeleton", "name"]),
        2 => ("meshes", &["name", "weights", "extras"]),
        _ => {
            let Some(primitive) = primitive(json, random) else { return };
            let fields = ["indices", "material", "targets", "extras"];
            if random.below(2) == 0 {
                if let Some(map) = primitive.as_object_mut() {
                    map.remove(fields[random.below(4)]);
                }
            } else if let Some(attributes) = primitive["attributes"].as_object_mut() {
                let names = ["NORMAL", "TEXCOORD_0", "WEIGHTS_0", "JOINTS_0", "_POINT", "TANGENT"];
                attributes.remove(names[random.below(6)]);
            }
            return;
        }
    };
    if let Some(map) = item(json, list, random).and_then(Value::as_object_mut) {
        map.remove(fields[random.below(fields.len())]);
    }
}

/// Hangs a child below another node: often a ring or a second parent is avoided.
fn reparent(json: &mut Value, random: &mut Random) {
    let nodes = length(json, "nodes");
    let (from, to) = (random.below(nodes), random.below(nodes));
    let Some(children) = json["nodes"][from]["children"].as_array_mut() else { return };
    let Some(child) = children.pop() else { return };
    let is_empty = children.is_empty();
    if is_empty && let Some(node) = json["nodes"][from].as_object_mut() {
        node.remove("children");
    }
    match json["nodes"][to].get_mut("children").and_then(Value::as_array_mut) {
        Some(children) => children.push(child),
        None => json["nodes"][to]["children"] = json!([child]),
    }
}

fn transform(json: &mut Value, random: &mut Random) {
    let Some(node) = item(json, "nodes", random) else { return };
    let numbers = [0.0, 1.0, -1.0, 0.5, 1e-3, 1e3, 1e-30, 1e10, 0.70710677];
    let mut number = || numbers[random.below(numbers.len())];
    let three = [number(), number(), number()];
    let four = [number(), number(), number(), number()];
    match random.below(3) {
        0 => node["translation"] = json!(three),
        1 => node["scale"] = json!(three),
        _ => node["rotation"] = json!(four),
    }
}

fn animate(json: &mut Value, random: &mut Random) {
    let nodes = length(json, "nodes");
    let Some(animation) = item(json, "animations", random) else { return };
    let words = ["LINEAR", "STEP", "CUBICSPLINE"];
    let paths = ["translation", "rotation", "scale", "weights"];
    let samplers = animation["samplers"].as_array().map_or(0, Vec::len);
    if random.below(2) == 0 {
        if let Some(sampler) = item(animation, "samplers", random) {
            sampler["interpolation"] = json!(words[random.below(3)]);
        }
    } else if let Some(channel) = item(animation, "channels", random) {
        match random.below(3) {
            0 => channel["target"]["node"] = json!(random.below(nodes)),
            1 => channel["target"]["path"] = json!(paths[random.below(4)]),
            _ => channel["sampler"] = json!(random.below(samplers)),
        }
    }
}

fn reorder_joints(json: &mut Value, random: &mut Random) {
    let Some(skin) = item(json, "skins", random) else { return };
    if let Some(joints) = skin["joints"].as_array_mut() {
        let (a, b) = (random.below(joints.len()), random.below(joints.len()));
        if a < joints.len() && b < joints.len() {
            joints.swap(a, b);
        }
    }
}

/// Floats that stay floats: other signs, sizes, zeros.
fn scale_floats(binary: &mut [u8], random: &mut Random) {
    let (words, _) = binary.as_chunks_mut::<4>();
    if words.is_empty() {
        return;
    }
    let factors = [0.0, -1.0, 2.0, 0.5, 1e-6, 1e6, 1e20];
    let start = random.below(words.len());
    let factor = factors[random.below(factors.len())];
    let count = 1 + random.below(16);
    for word in words.iter_mut().skip(start).take(count) {
        let value = f32::from_le_bytes(*word);
        // What is no ordinary number is indices or codes.
        if value.is_finite() && value.abs() > 1e-9 && value.abs() < 1e9 {
            *word = (value * factor).to_le_bytes();
        }
    }
}

/// Words of a text for others that can stand there: numbers for numbers.
pub(crate) fn words(bytes: &mut Vec<u8>, random: &mut Random) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    for _ in 0..1 + random.below(6) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(4) {
            0 if lines[at].starts_with('f') && lines[other].starts_with('f') => {
                lines.swap(at, other);
            }
            1 if lines[at].starts_with('f') => {
                let line = ["g again", "o another", "usemtl m", "s 1", "s off"][random.below(5)];
                lines.insert(at, line.to_owned());
            }
            _ => {
                let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
                let word = random.below(words.len());
                if let Ok(number) = words[word].parse::<f64>() {
                    let whole = words[word].parse::<i64>().is_ok();
                    words[word] = if whole {
                        (1 + random.below(number.abs() as usize + 1)).to_string()
                    } else {
                        (number * [0.0, -1.0, 2.0, 1e-6, 1e6][random.below(5)]).to_string()
                    };
                    lines[at] = words.join(" ");
                }
            }
        }
    }
    *bytes = lines.join("\n").into_bytes();
}
