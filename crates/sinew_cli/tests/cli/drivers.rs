//! Helpers, chains and drivers through the command: what they do to the figures, and what is said
//! of what cannot be.

use serde_json::{Value, json};

use crate::common::Folder;

const RIG: &str = r#"[{"edit": "add-half-way", "joint": "forearm_l"},
    {"edit": "add-twist-joints", "joint": "forearm_l"},
    {"edit": "add-control", "control": {"name": "mood"}},
    {"edit": "set-driver", "driver": {"name": "nod", "drive": {"kind": "formula",
        "value": {"joint": "head", "property": "swing-x"}, "formula": "mood * 30"}}}]"#;

fn figure(folder: &Folder, command: &str, name: &str) -> f64 {
    let figures: Value =
        serde_json::from_str(&folder.ok(&format!("{command} --json")).stdout).unwrap();
    fn find(value: &Value, name: &str) -> Option<f64> {
        match value {
            Value::Object(entries) => match entries.get(name).and_then(Value::as_f64) {
                Some(found) => Some(found),
                None => entries.values().find_map(|entry| find(entry, name)),
            },
            Value::Array(entries) => entries.iter().find_map(|entry| find(entry, name)),
            _ => None,
        }
    }
    find(&figures, name).unwrap_or_else(|| panic!("no {name} in {figures}"))
}

#[test]
fn a_twist_chain_keeps_a_wrung_forearm_full_and_comes_through_project_and_file() {
    let folder = Folder::new();
    folder.ok("sample human --points 2000 -o human.glb");
    folder.write("rig.json", RIG);
    folder.ok("edit human.glb rig.json -o rigged.sinew");
    folder.write("none.json", "[]");
    folder.ok("edit rigged.sinew none.json -o rigged.glb --character");
    let wrung = |file: &str| {
        let command = format!("measure {file} --method linear --rotate forearm_l:twist:180");
        figure(&folder, &command, "min_attachment_ratio")
    };
    let (before, after) = (wrung("human.glb"), wrung("rigged.glb"));
    assert!(before < 0.4 && after > 0.8, "{before} {after}");
    let info: Value = serde_json::from_str(&folder.ok("info rigged.glb --json").stdout).unwrap();
    let kinds: Vec<&str> = (info["drivers"].as_array().unwrap().iter())
        .map(|driver| driver["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["share", "share", "share", "share", "share", "share", "formula"]);
    assert_eq!(info["controls"][0]["name"], json!("mood"));
    // A control moves the head, and one that is not there is named.
    let nods = |mood: f64| {
        let command = format!("measure rigged.glb --method linear --control mood:{mood}");
        figure(&folder, &command, "max_displacement")
    };
    assert!(nods(0.0) < 1e-5 && nods(1.0) > 0.05);
    let failed = folder.sinew("measure rigged.glb --control mod:1");
    assert!(failed.stderr.contains("'mood'"), "{}", failed.stderr);
}

#[test]
fn what_cannot_be_driven_says_why_and_writes_nothing() {
    let folder = Folder::new();
    folder.ok("sample human --points 2000 -o human.glb");
    let refused = |script: Value| {
        folder.write("script.json", script.to_string());
        let failed = folder.sinew("edit human.glb script.json -o out.sinew");
        assert!(!folder.file("out.sinew").exists());
        failed.stderr
    };
    let driver = |name: &str, drive: Value| json!({"edit": "set-driver", "driver": {"name": name, "drive": drive}});
    let turn = |joint: &str, source: &str| {
        driver(joint, json!({"kind": "copy", "joint": joint, "source": source}))
    };
    let said = refused(json!([turn("head", "neck"), turn("neck", "head")]));
    assert!(said.contains("head → neck → head") || said.contains("neck → head → neck"), "{said}");
    let value = json!({"joint": "head", "property": "twist"});
    let said = refused(json!([driver(
        "nod",
        json!({"kind": "formula", "value": value, "formula": "2 * (bend"})
    )]));
    assert!(said.contains("column 10"), "{said}");
    let said = refused(json!([{"edit": "add-half-way", "joint": "forarm_l"}]));
    assert!(said.contains("'forearm_l'"), "{said}");
    let said = refused(json!([{"edit": "add-half-way", "joint": "hips"}]));
    assert!(said.contains("no parent"), "{said}");
    let said = refused(json!([
        {"edit": "add-corrective", "mesh": "#0", "name": "x", "joints": ["head"], "moved": []}
    ]));
    assert!(said.contains("at rest"), "{said}");
}
