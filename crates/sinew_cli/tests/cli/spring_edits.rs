//! `--spring-edits`: what single points of springs have of their own, in `skin`, `measure` and
//! `render`.

use crate::common::{Folder, obj_points};

const BENT: &str = "--springs paper --rotate bone_1:x:60";

/// The posed box's points under edits.
fn points(folder: &Folder, edits: &str, flags: &str) -> Vec<[f64; 3]> {
    folder.write("edits.json", format!(r#"{{"meshes": {{"box": {edits}}}}}"#));
    folder.ok(&format!("skin box.glb -o out.obj {flags} --spring-edits edits.json"));
    obj_points(&folder.read("out.obj"))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

fn largest(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| distance(a, b)).fold(0.0, f64::max)
}

#[test]
fn a_pin_holds_its_point_and_a_soft_one_pulls_it() {
    let folder = Folder::with_box();
    let free = points(&folder, "{}", BENT);
    let wish = [free[40][0] + 0.1, free[40][1], free[40][2]];
    let pin = |hold: &str| format!(r#"{{"pins": [{{"point": 40, "position": {wish:?}{hold}}}]}}"#);
    let held = points(&folder, &pin(""), BENT);
    assert!(distance(held[40], wish) < 1e-6, "{:?} {wish:?}", held[40]);
    let soft = pin(r#", "hold": {"soft": {"length": 20, "direction": 20}}"#);
    let soft = points(&folder, &soft, BENT);
    let left = distance(soft[40], wish);
    assert!(left > 1e-4 && left < 0.9 * distance(free[40], wish), "{left}");
}

#[test]
fn a_handle_has_another_length_and_direction() {
    let folder = Folder::with_box();
    let free = points(&folder, "{}", BENT);
    let longer = points(&folder, r#"{"handles": [{"point": 40, "length": 2}]}"#, BENT);
    let turned = r#"{"handles": [{"point": 40, "length": 2, "direction": [0, 1, 0.2]}]}"#;
    let turned = points(&folder, turned, BENT);
    assert!(distance(free[40], longer[40]) > 0.01);
    assert!(distance(longer[40], turned[40]) > 0.01);
    // A region holds what is outside of it.
    let region =
        r#"{"handles": [{"point": 40, "length": 2}], "region": {"around": [40], "rings": 2}}"#;
    let region = points(&folder, region, BENT);
    let stage = points(&folder, "{}", &format!("{BENT} --iterations 0"));
    let num_held = region.iter().zip(&stage).filter(|&(&a, &b)| distance(a, b) < 1e-6).count();
    assert!(num_held + 20 > region.len() && distance(region[40], stage[40]) > 0.01, "{num_held}");
}

#[test]
fn painted_stiffness_and_pairs_change_the_shape() {
    let folder = Folder::with_box();
    let free = points(&folder, "{}", BENT);
    let paint = r#"{"paint": [{"around": [0, 1, 0], "radius": 0.4, "stiffness": 0.05}]}"#;
    assert!(largest(&free, &points(&folder, paint, BENT)) > 1e-4);
    let ones = format!(r#"{{"stiffness": {:?}}}"#, vec![1; free.len()]);
    assert_eq!(largest(&free, &points(&folder, &ones, BENT)), 0.0);
}

#[test]
fn measure_and_render_take_the_same_file() {
    let folder = Folder::with_box();
    let edits = r#"{"meshes": {"box": {"handles": [{"point": 40, "length": 3}]}}}"#;
    folder.write("edits.json", edits);
    let stretch = |flags: &str| {
        let words = format!("measure box.glb --springs anchored --json {flags}");
        folder.ok(&words).json()["max_stretch"].as_f64().unwrap()
    };
    assert!(stretch("--spring-edits edits.json") > stretch("") + 0.01);
    let picture = |name: &str, flags: &str| {
        folder.ok(&format!(
            "render box.glb -o {name} --springs anchored --device cpu --size 64x64 {flags}"
        ));
        folder.read(name)
    };
    assert_ne!(picture("a.png", ""), picture("b.png", "--spring-edits edits.json"));
}

#[test]
fn a_file_that_does_not_fit_is_refused_and_nothing_is_written() {
    let folder = Folder::with_box();
    let before = folder.listing();
    let words = "skin box.glb -o out.obj --springs anchored --spring-edits none.json";
    let run = folder.sinew(words);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("none.json"), "{}", run.stderr);
    folder.write(
        "edits.json",
        r#"{"meshes": {"box": {"pins": [{"point": 9999999, "position": [0, 0, 0]}]}}}"#,
    );
    let run = folder.sinew("skin box.glb -o out.obj --springs anchored --spring-edits edits.json");
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert!(run.stderr.contains("pins[0]: there is no point 9999999"), "{}", run.stderr);
    let run = folder.sinew("skin box.glb -o out.obj --spring-edits edits.json");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("--spring-edits needs springs"), "{}", run.stderr);
    assert_eq!(folder.listing().len(), before.len() + 1);
}
