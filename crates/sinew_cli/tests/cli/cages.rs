//! `cage`, and cages in `skin`, `render`, `measure` and `edit`.

use crate::common::{Folder, obj_points};

/// A cage's text with one of its points elsewhere.
fn moved(text: &[u8], point: usize, by: [f64; 3]) -> String {
    let mut index = 0;
    let mut out = String::new();
    for line in String::from_utf8(text.to_vec()).unwrap().lines() {
        let mut line = line.to_owned();
        if let Some(place) = line.strip_prefix("v ") {
            if index == point {
                let numbers: Vec<f64> =
                    place.split(' ').map(|word| word.parse().unwrap()).collect();
                line = format!(
                    "v {} {} {}",
                    numbers[0] + by[0],
                    numbers[1] + by[1],
                    numbers[2] + by[2]
                );
            }
            index += 1;
        }
        out += &line;
        out.push('\n');
    }
    out
}

fn with_cage() -> Folder {
    let folder = Folder::with_box();
    folder.ok("cage box.glb -o cage.obj --lattice 1x3x1");
    folder
}

#[test]
fn a_cage_is_made_and_found_good() {
    let folder = Folder::with_box();
    let run = folder.ok("cage box.glb -o cage.obj --faces 80 --json");
    let figures = run.json();
    assert_eq!(figures["points_outside"], 0);
    assert_eq!(figures["faults"].as_array().unwrap().len(), 0);
    assert!(figures["faces"].as_u64().unwrap() <= 88);
    assert!(figures["condition"].as_f64().unwrap() < 200.0, "{figures}");
    let report = folder.ok("cage box.glb --check cage.obj").stdout;
    assert!(report.contains("condition") && report.contains("points outside"), "{report}");
}

#[test]
fn a_rest_cage_moves_the_skin_and_one_that_has_not_moved_changes_nothing() {
    let folder = with_cage();
    let pose = "--rotate bone_1:x:60";
    folder.ok(&format!("skin box.glb -o plain.obj {pose}"));
    folder.ok(&format!("skin box.glb -o same.obj {pose} --cage cage.obj --cage-rest cage.obj"));
    assert_eq!(folder.read("plain.obj"), folder.read("same.obj"));
    folder.write("moved.obj", moved(&folder.read("cage.obj"), 0, [-0.3, 0.0, -0.3]));
    for kind in ["mean-value", "quad-mean-value", "harmonic"] {
        let cage = format!("--cage cage.obj --cage-rest moved.obj --cage-coordinates {kind}");
        folder.ok(&format!("skin box.glb -o fat.obj {pose} {cage}"));
        assert_ne!(folder.read("plain.obj"), folder.read("fat.obj"), "{kind}");
    }
    folder.ok("measure box.glb --sweep bone_1:x:0..60:30 --cage cage.obj --cage-rest moved.obj");
}

#[test]
fn a_posed_cage_that_is_where_it_follows_to_changes_nothing() {
    let folder = with_cage();
    // At rest the posed cage is the rest cage.
    folder.write("moved.obj", moved(&folder.read("cage.obj"), 3, [0.1, 0.1, -0.2]));
    folder.ok("skin box.glb -o rest.obj --cage cage.obj --cage-rest moved.obj");
    folder.ok("skin box.glb -o pose.obj --cage cage.obj --cage-pose moved.obj");
    let [a, b] = ["rest.obj", "pose.obj"].map(|name| obj_points(&folder.read(name)));
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() < 1e-5, "{a} {b}");
    }
    folder.ok("skin box.glb -o bent.obj --cage cage.obj --cage-pose moved.obj --rotate bone_1:x:60 --method dual-quat");
}

#[test]
fn bad_cages_are_refused_with_what_is_wrong() {
    let folder = with_cage();
    let text = String::from_utf8(folder.read("cage.obj")).unwrap();
    let without_last: Vec<&str> = text.lines().collect();
    folder.write("open.obj", without_last[..without_last.len() - 1].join("\n"));
    let error = folder.fails("cage box.glb --check open.obj", 1);
    assert!(error.contains("open at edges"), "{error}");
    let error = folder.fails("skin box.glb -o a.obj --cage open.obj", 3);
    assert!(error.contains("open at edges"), "{error}");
    folder.ok("cage box.glb -o other.obj --lattice 2x3x1");
    let error = folder.fails("skin box.glb -o a.obj --cage cage.obj --cage-rest other.obj", 3);
    assert!(error.contains("another cage"), "{error}");
    folder.write("far.obj", text.replace("v ", "v 9"));
    let report = folder.sinew("cage box.glb --check far.obj");
    assert!(!report.stdout.contains("NaN") && !report.stderr.contains("panicked"));
    for (words, what) in [
        ("cage box.glb -o cage.glb", ".obj"),
        ("cage box.glb", "--output"),
        ("cage box.glb -o a.obj --lattice 1x2", "3x6x3"),
        ("skin box.glb -o a.obj --cage-rest cage.obj", "--cage"),
    ] {
        let error = folder.fails(words, 2);
        assert!(error.contains(what), "{words}: {error}");
    }
    let error = folder.fails("cage box.glb -o a.obj --faces 5", 3);
    assert!(error.contains("60 to 1000"), "{error}");
    assert!(!folder.listing().contains(&"a.obj".to_owned()));
}

#[test]
fn a_script_sets_a_cage_and_drags_it_in_the_pose() {
    let folder = Folder::with_box();
    folder.write(
        "script.json",
        r#"[
            {"edit": "rotate-joint", "joint": "bone_1", "axis": "x", "degrees": 60},
            {"edit": "generate-cage", "faces": 80},
            {"edit": "move-posed-cage", "handles": {"3": [0.4, 0.5, 0.6]}}
        ]"#,
    );
    folder.ok("edit box.glb script.json -o box.sinew");
    folder.write("none.json", "[]");
    folder.ok("edit box.sinew none.json -o again.obj");
    folder.ok("edit box.glb script.json -o once.obj");
    assert_eq!(folder.read("again.obj"), folder.read("once.obj"));
}

/// Points and how far each moves from one file to another.
fn moves(folder: &Folder, from: &str, to: &str) -> Vec<[f64; 3]> {
    let [from, to] = [from, to].map(|name| obj_points(&folder.read(name)));
    let by = |(a, b): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|axis| b[axis] - a[axis]);
    from.iter().zip(&to).map(by).collect()
}

#[test]
fn coordinates_of_a_file_take_the_place_of_our_own() {
    let folder = with_cage();
    folder.ok("skin box.glb -o rest.obj");
    let num_points = obj_points(&folder.read("rest.obj")).len();
    // Every point hangs on handle 3 alone: no coordinates of any kind, and told.
    let bad: String = (0..num_points).map(|point| format!("3 {point} 1.0\n")).collect();
    folder.write("bad.txt", bad);
    let cage = "--cage cage.obj --cage-rest moved.obj";
    folder.write("moved.obj", moved(&folder.read("cage.obj"), 0, [-0.3, 0.0, -0.3]));
    let words = format!("skin box.glb -o out.obj {cage} --cage-coordinates bad.txt");
    let error = folder.fails(&words, 3);
    assert!(error.contains("miss point"), "{error}");
    // Our own harmonic ones, written as SuperCages writes them.
    let character = sinew_io::read_character(folder.file("box.glb")).unwrap().character;
    let points: Vec<_> = character.parts.iter().flat_map(|part| part.mesh.points()).collect();
    let points: Vec<_> = points.iter().map(|point| point.as_dvec3()).collect();
    let of_file = sinew_io::read_cage(folder.file("cage.obj")).unwrap();
    let kind = sinew::cage::CoordinateKind::Harmonic;
    let coordinates = kind.bind(&of_file, &points).unwrap();
    let num_handles = of_file.points().len();
    let mut rows = vec![0.0; points.len() * num_handles];
    coordinates.rows(0, &points, &mut rows);
    let line =
        |(at, phi): (usize, &f64)| format!("{} {} {phi}\n", at % num_handles, at / num_handles);
    let text: String = rows.iter().enumerate().map(line).collect();
    folder.write("harmonic.txt", text);
    folder.ok(&format!("skin box.glb -o loaded.obj {cage} --cage-coordinates harmonic.txt"));
    folder.ok(&format!("skin box.glb -o own.obj {cage} --cage-coordinates harmonic"));
    folder.ok(&format!("skin box.glb -o other.obj {cage}"));
    let largest = |from: &str, to: &str| {
        moves(&folder, from, to).iter().flatten().fold(0.0f64, |most, by| most.max(by.abs()))
    };
    assert!(largest("own.obj", "loaded.obj") < 1e-6);
    assert!(largest("own.obj", "other.obj") > 1e-3, "mean value is another one");
    let report = folder.ok("cage box.glb --check cage.obj --coordinates harmonic.txt --json");
    assert!(report.json()["condition"].as_f64().unwrap() > 1.0);
    let lines = String::from_utf8(folder.read("harmonic.txt")).unwrap();
    folder.write("more.txt", format!("{lines}0 {num_points} 1.0\n"));
    let error = folder.fails(&words.replace("bad.txt", "more.txt"), 3);
    assert!(error.contains("points"), "{error}");
    let error = folder.fails(&words.replace("bad.txt", "gordon"), 2);
    assert!(error.contains("quad-mean-value") && error.contains("greens"), "{error}");
}

#[test]
fn green_coordinates_move_the_rest_and_say_why_they_take_no_pose() {
    let folder = with_cage();
    folder.ok("skin box.glb -o rest.obj");
    let text = folder.read("cage.obj");
    // All handles: everything goes along, and nothing else happens.
    let num_handles = obj_points(&text).len();
    let all = (0..num_handles)
        .fold(text.clone(), |text, handle| moved(&text, handle, [0.1, 0.2, -0.3]).into_bytes());
    folder.write("all.obj", all);
    let green = "--cage cage.obj --cage-coordinates greens";
    folder.ok(&format!("skin box.glb -o all_out.obj {green} --cage-rest all.obj"));
    for by in moves(&folder, "rest.obj", "all_out.obj") {
        for (by, wanted) in by.into_iter().zip([0.1, 0.2, -0.3]) {
            assert!((by - wanted).abs() < 1e-5, "{by} {wanted}");
        }
    }
    // One handle: not as mean value coordinates have it.
    folder.write("one.obj", moved(&text, 0, [-0.3, 0.0, -0.3]));
    folder.ok(&format!("skin box.glb -o green.obj {green} --cage-rest one.obj"));
    folder.ok("skin box.glb -o mean.obj --cage cage.obj --cage-rest one.obj");
    let most = |name: &str| {
        moves(&folder, "rest.obj", name)
            .iter()
            .flatten()
            .fold(0.0f64, |most, by| most.max(by.abs()))
    };
    assert!(most("green.obj") > 0.01);
    assert!(moves(&folder, "green.obj", "mean.obj").iter().flatten().any(|by| by.abs() > 0.01));
    folder.ok(&format!("measure box.glb {green} --cage-rest one.obj"));
    for (flags, words) in [
        ("--cage-rest one.obj --rotate bone_1:x:60", "stay behind"),
        ("--cage-pose one.obj", "--cage-rest"),
        ("", "--cage-rest"),
    ] {
        let error = folder.fails(&format!("skin box.glb -o no.obj {green} {flags}"), 2);
        assert!(error.contains(words), "{flags}: {error}");
    }
    let sweep = format!("measure box.glb --sweep bone_1:x:0..60:30 {green} --cage-rest one.obj");
    assert!(folder.fails(&sweep, 2).contains("leave the pose out"));
    assert!(!folder.listing().contains(&"no.obj".to_owned()));
}
