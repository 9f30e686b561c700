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
