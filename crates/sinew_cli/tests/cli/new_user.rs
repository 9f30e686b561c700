//! What a new user tries first: help, completions, man pages, a sheet of all characters, a look at
//! a hand, figures that can be read.

use std::collections::BTreeSet;

use crate::common::Folder;
use crate::pictures::png_size;

/// The verbs that `sinew --help` lists.
fn verbs(folder: &Folder) -> BTreeSet<String> {
    let help = folder.ok("--help").stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = lines.take_while(|line| !line.is_empty());
    let first_word = |line: &str| {
        let is_verb = line.starts_with("  ") && !line.starts_with("   ");
        is_verb.then(|| line.split_whitespace().next().map(str::to_owned)).flatten()
    };
    named.filter_map(first_word).collect()
}

#[test]
fn help_of_a_verb_is_the_same_asked_either_way() {
    let folder = Folder::new();
    let long = folder.ok("render --help").stdout;
    assert_eq!(folder.ok("help render").stdout, long);
    assert!(folder.ok("help").stdout.contains("completions"));
    folder.fails("help nonsense", 2);
}

#[test]
fn completions_know_every_verb_in_every_shell() {
    let folder = Folder::new();
    let verbs = verbs(&folder);
    assert!(verbs.contains("render") && verbs.contains("man"), "{verbs:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = folder.ok(&format!("completions {shell}"));
        assert_eq!(run.stderr, "");
        for verb in &verbs {
            assert!(run.stdout.contains(verb.as_str()), "{shell} does not know {verb}");
        }
    }
    folder.fails("completions ksh", 2);
}

#[test]
fn every_verb_has_a_man_page() {
    let folder = Folder::new();
    folder.ok("man -o pages");
    let pages: BTreeSet<String> = std::fs::read_dir(folder.file("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected: BTreeSet<String> = verbs(&folder)
        .into_iter()
        .filter(|verb| verb != "help")
        .map(|verb| format!("sinew-{verb}.1"))
        .chain(["sinew.1".to_owned()])
        .collect();
    assert_eq!(pages, expected);
    let page = folder.ok("man render").stdout;
    assert_eq!(page.as_bytes(), folder.read("pages/sinew-render.1"));
    assert!(page.contains(".TH") && page.contains("compare"), "{page}");
    assert!(folder.ok("man").stdout.contains(&page));
    assert!(folder.fails("man rendr", 2).contains("render"));
}

#[test]
fn several_files_make_a_sheet() {
    let folder = Folder::with_box();
    folder.ok("sample cylinder -o cylinder.glb --points 200");
    let one = "--size 60x80 --device cpu";
    folder.ok(&format!("render box.glb cylinder.glb box.glb -o sheet.png {one}"));
    let (width, height) = png_size(&folder.read("sheet.png"));
    assert!(width > 3 * 60 && (80..240).contains(&height), "{width} x {height}");
    folder.ok(&format!("render box.glb cylinder.glb -o column.png {one} --columns 1"));
    let (width, height) = png_size(&folder.read("column.png"));
    assert!(width < 120 && height > 160, "{width} x {height}");
    folder.fails("render box.glb cylinder.glb -o sheet.gif", 2);
    folder.fails("render box.glb cylinder.glb -o s.png --compare linear,springs", 2);
    folder.fails("render box.glb -o s.png --columns 2", 2);
    assert!(folder.fails("render box.glb none.glb -o s.png", 3).contains("none.glb"));
}

#[test]
fn a_joint_is_framed_and_meshes_are_left_out_by_name() {
    let folder = Folder::new();
    folder.ok("sample human -o human.glb --points 3000");
    let render = |more: &str| {
        folder.ok(&format!("render human.glb -o p.png --size 80x80 --device cpu {more}"));
        folder.read("p.png")
    };
    let whole = render("--view front");
    assert_ne!(render("--view front --frame hand_l"), whole);
    assert_ne!(render("--view side"), whole);
    assert_eq!(render("--view side"), render("--view left"));
    assert_eq!(render("--view 0,4"), whole);
    assert_eq!(render("--view front --only human"), whole);
    assert!(folder.fails("render human.glb -o p.png --frame hand_x", 2).contains("hand_l"));
    assert!(folder.fails("render human.glb -o p.png --hide humann", 2).contains("human"));
    folder.fails("render human.glb -o p.png --hide human", 2);
}

#[test]
fn figures_are_rounded_for_people_and_whole_for_programs() {
    let folder = Folder::with_box();
    folder.ok("skin box.glb -o rest.obj");
    folder.ok("skin box.glb -o bent.obj --rotate bone_1:x:70");
    for verb in ["measure", "diff"] {
        let text = folder.ok(&format!("{verb} rest.obj bent.obj")).stdout;
        for word in text.split_whitespace().filter(|word| word.parse::<f64>().is_ok()) {
            let digits = word.chars().filter(char::is_ascii_digit).count();
            assert!(digits <= 8, "{verb}: {word}");
        }
        let json = folder.ok(&format!("{verb} rest.obj bent.obj --json")).stdout;
        assert!(json.split_whitespace().any(|word| word.len() > 12), "{json}");
    }
}

#[test]
fn the_studio_without_a_display_shows_the_file_that_was_named() {
    let folder = Folder::with_box();
    let run = folder.ok("studio box.glb");
    assert!(run.stderr.contains("`sinew demo box.glb`"), "{}", run.stderr);
    let page = String::from_utf8(folder.read("sinew-demo/index.html")).unwrap();
    assert!(page.contains("box.glb") && page.contains("rest.png"), "{page}");
    assert!(folder.file("sinew-demo/rest.png").exists());
    assert!(folder.fails("demo none.glb", 3).contains("none.glb"));
}
