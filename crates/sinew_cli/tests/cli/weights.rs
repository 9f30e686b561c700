//! `sinew bind`: weights for a mesh and its skeleton.

use crate::common::Folder;

#[test]
fn a_bound_character_has_other_weights_and_says_what_was_left_out() {
    let folder = Folder::new();
    folder.ok("sample chibi -o chibi.glb");
    let report = folder.ok("bind chibi.glb -o bound.glb --influences 3 --json").json();
    assert_eq!(report["weights"], "auto");
    assert!(report["meshes"][0]["max_influences"].as_u64().is_some_and(|most| most <= 3));
    let of = |file: &str| {
        sinew_io::read_character(&folder.file(file)).unwrap().character.parts[0]
            .weights
            .clone()
            .unwrap()
    };
    let (before, after) = (of("chibi.glb"), of("bound.glb"));
    assert_eq!(before.num_points(), after.num_points());
    assert!(after.max_influences() <= 3);
    assert_ne!(before, after);
    // Posed, it holds together: nothing is left behind at rest.
    folder.ok("skin bound.glb -o posed.obj --rotate upper_arm_l:z:60");
}

#[test]
fn what_cannot_be_bound_says_why() {
    let folder = Folder::new();
    folder.ok("sample box -o box.obj");
    assert!(folder.fails("bind box.obj -o out.glb", 3).contains("joint"));
    folder.ok("sample box -o box.glb");
    assert!(folder.fails("bind box.glb -o out.obj", 2).contains(".glb"));
    assert!(folder.fails("bind box.glb -o out.glb --leave-out nobody", 2).contains("nobody"));
    assert!(folder.fails("bind box.glb -o out.glb --influences 0", 2).contains("influences"));
    assert!(folder.fails("bind box.glb -o out.glb --weights magic", 2).contains("magic"));
}

/// The weights of a file's first mesh.
fn weights(folder: &Folder, file: &str) -> sinew::weights::SkinWeights {
    let loaded = sinew_io::read_character(&folder.file(file)).unwrap();
    loaded.character.parts[0].weights.clone().unwrap()
}

#[test]
fn weights_are_carried_over_to_a_body_of_other_build_and_other_joints() {
    let folder = Folder::new();
    folder.ok("sample human -o human.glb");
    folder.ok("sample giant -o giant.glb --points 4000");
    let report = folder.ok("transfer human.glb giant.glb -o out.glb --json").json();
    assert_eq!(report["joints"]["index_1_l"], "hand_l");
    let matched = report["matched"].as_u64().unwrap();
    assert_eq!(matched + report["filled"].as_u64().unwrap(), 4000);
    assert!(matched > 2000, "{matched}");
    assert!(weights(&folder, "out.glb").max_influences() <= 4);
    assert!(folder.fails("transfer human.glb human.obj -o out.glb", 3).contains("human.obj"));
    folder.ok("sample box -o box.obj");
    assert!(folder.fails("transfer human.glb box.obj -o out.glb", 3).contains("skeleton"));
    assert!(folder.fails("transfer box.obj human.glb -o out.glb", 3).contains("no weights"));
    assert!(folder.fails("transfer human.glb giant.glb -o out.glb --mix 2", 2).contains("--mix"));
}

#[test]
fn weights_are_mirrored_pruned_smoothed_and_mended() {
    let folder = Folder::new();
    folder.ok("sample chibi -o chibi.glb");
    // Lopsided: the left arm is smoothed.
    folder.ok("smooth chibi.glb -o soft.glb --times 8 --joint forearm_l");
    let (before, soft) = (weights(&folder, "chibi.glb"), weights(&folder, "soft.glb"));
    assert_ne!(before, soft);
    let even = folder.ok("mirror soft.glb -o even.glb --json").json();
    assert!(even["changed"].as_u64().unwrap() > 10, "{even}");
    let again = folder.ok("mirror even.glb -o again.glb --from right --by topology --json").json();
    // Files keep weights in eight or sixteen bits: what is left is their rounding.
    assert!(again["mirrored"].as_u64().unwrap() > 1000, "{again}");
    let report = folder.ok("prune chibi.glb -o lean.glb --influences 2 --json").json();
    assert_eq!(report["max_influences"], 2);
    assert!(weights(&folder, "lean.glb").max_influences() <= 2);
    folder.ok("repair chibi.glb -o whole.glb --influences 3");
    assert!(weights(&folder, "whole.glb").max_influences() <= 3);
    let found = folder.ok("check whole.glb --max-influences 3 --json").json();
    let codes: Vec<&str> =
        found["findings"].as_array().unwrap().iter().filter_map(|f| f["code"].as_str()).collect();
    assert!(!codes.contains(&"too-many-influences"), "{codes:?}");
    assert!(folder.fails("mirror chibi.glb -o out.obj", 2).contains(".glb"));
    assert!(folder.fails("prune chibi.glb -o out.glb --lock nobody", 2).contains("nobody"));
    folder.ok("sample cylinder -o tube.glb");
    assert!(folder.fails("mirror tube.glb -o out.glb", 3).contains("partner"));
}

#[test]
fn weights_alone_go_out_and_come_back_onto_a_body_that_lost_them() {
    let folder = Folder::new();
    folder.ok("sample chibi -o chibi.glb");
    for file in ["weights.json", "weights.tsv"] {
        folder.ok(&format!("convert chibi.glb {file}"));
        folder.ok("bind chibi.glb -o other.glb --weights distance");
        assert_ne!(weights(&folder, "other.glb"), weights(&folder, "chibi.glb"));
        folder.ok(&format!("transfer {file} other.glb -o back.glb"));
        assert_eq!(weights(&folder, "back.glb"), weights(&folder, "chibi.glb"), "{file}");
    }
    folder.ok("sample box -o box.glb");
    assert!(folder.fails("transfer weights.tsv box.glb -o out.glb", 3).contains("none of which"));
}
