//! One skin everywhere: the library, `skin`, `edit`, the solver and the study give the same bits of
//! points, the same normals and the same figures for the same work. (The card: `tests/gpu.rs`.)

use std::sync::{Arc, mpsc};
use std::time::Duration;

use serde_json::json;
use sinew::Character;
use sinew::conformance::{TROUPE_CLIP, driven_troupe, troupe};
use sinew::frame::{Controls, Frame, Plan, Rig};
use sinew::glam::{DVec3, Vec3};
use sinew::measure::CharacterMeasure;
use sinew::progress::Silent;
use sinew::skeleton::{JointPose, Pose};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_editor::solver::{Answer, Job, Solver};
use sinew_editor::{Document, Edit, Source};

use crate::common::Folder;

/// No bind of the troupe takes this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// The joint that is posed, and how: turned, twisted past a whole turn, moved, scaled and
/// stretched.
const JOINT: &str = "bone_1";
const BELLY: f32 = 0.75;
const LEAN: f32 = -0.5;

struct Work {
    folder: Folder,
    /// As it is read back: what every surface begins with.
    character: Arc<Character>,
}

fn work() -> Work {
    work_of(&troupe().unwrap())
}

fn work_of(character: &Character) -> Work {
    let folder = Folder::new();
    let options = sinew_io::WriteOptions::default();
    sinew_io::write_character(&folder.file("troupe.glb"), character, &options).unwrap();
    let read = sinew_io::read_character(&folder.file("troupe.glb")).unwrap().character;
    assert!(read.parts.iter().any(|part| part.weights.is_none()), "one mesh has no weights");
    assert!(!read.parts[0].shapes.is_empty());
    Work { folder, character: Arc::new(read) }
}

/// Every method, and every model after its own first stage: its rig, its flags and its edit.
fn rigs() -> Vec<(Rig, String, serde_json::Value)> {
    let of_method = |method: SkinMethod| {
        let name = method.name();
        let edit = json!({"edit": "set-method", "method": name});
        (Rig::of(method), format!("--method {name}"), edit)
    };
    let of_model = |model: SpringModel| {
        let name = model.name();
        let edit = json!({"edit": "set-springs", "springs": {"model": name}});
        (Rig::of_model(model), format!("--springs {name}"), edit)
    };
    SkinMethod::ALL.map(of_method).into_iter().chain(SpringModel::ALL.map(of_model)).collect()
}

fn pose(character: &Character) -> Pose {
    let joint = character.skeleton.find(JOINT).unwrap() as usize;
    let mut pose = Pose::rest(&character.skeleton);
    let axis = character.skeleton.joints()[joint].bone_axis();
    let moved = JointPose {
        translation: DVec3::new(0.05, 0.1, -0.02),
        scale: DVec3::new(1.1, 0.9, 1.2),
        stretch: 1.25,
        ..JointPose::REST
    };
    pose.joints[joint] = moved.rotated(DVec3::X, 70f64.to_radians(), axis);
    pose.joints[joint].twist_radians += 400f64.to_radians();
    pose
}

/// The pose as `--pose` reads it.
fn pose_file() -> String {
    json!({"joints": {JOINT: {
        "rotate": [["x", 70], ["twist", 400]],
        "translation": [0.05, 0.1, -0.02],
        "scale": [1.1, 0.9, 1.2],
        "stretch": 1.25,
    }}})
    .to_string()
}

/// The pose, the shapes and the rig as edits.
fn script(rig: &serde_json::Value) -> serde_json::Value {
    json!([
        {"edit": "pose-joints", "joints": {JOINT: {
            "translation": [0.05, 0.1, -0.02], "scale": [1.1, 0.9, 1.2], "stretch": 1.25,
        }}},
        {"edit": "rotate-joint", "joint": JOINT, "axis": "x", "degrees": 70},
        {"edit": "rotate-joint", "joint": JOINT, "axis": "twist", "degrees": 400},
        {"edit": "set-shapes", "weights": {"Body": {"belly": BELLY, "lean": LEAN}}},
        rig,
    ])
}

fn shapes(character: &Character) -> Vec<Vec<f32>> {
    let mut weights: Vec<Vec<f32>> =
        character.parts.iter().map(sinew::Part::rest_shape_weights).collect();
    weights[0] = vec![BELLY, LEAN];
    weights
}

/// By the library, bound at static shapes.
fn by_library(work: &Work, rig: &Rig, base: &[Vec<f32>], controls: &Controls) -> Frame {
    let character = &work.character;
    let base = Controls::rest(character).with_shapes(base);
    let plan = Plan::bind_at(character, rig, &base, &Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(controls, &mut plan.scratch(), &mut frame);
    frame
}

/// What a posed file has of each render vertex.
fn written(folder: &Folder, name: &str) -> (Vec<Vec<Vec3>>, Vec<Vec<Vec3>>) {
    let read = sinew_io::read_character(&folder.file(name)).unwrap().character;
    let positions = read.parts.iter().map(|part| part.mesh.vertex_positions().to_vec()).collect();
    let normals = read.parts.iter().map(|part| part.mesh.vertex_normals().to_vec()).collect();
    (positions, normals)
}

/// What a frame has of each render vertex.
fn at_vertices(character: &Character, frame: &Frame) -> (Vec<Vec<Vec3>>, Vec<Vec<Vec3>>) {
    let parts = || character.parts.iter().zip(frame.parts());
    let spread = |(part, frame): (&sinew::Part, &sinew::frame::PartFrame)| {
        let mut of_vertex = vec![Vec3::ZERO; part.mesh.num_vertices()];
        part.mesh.spread_to_vertices(frame.points(), &mut of_vertex);
        of_vertex
    };
    (parts().map(spread).collect(), parts().map(|(_, frame)| frame.normals().to_vec()).collect())
}

/// The solver's last word on a job.
fn by_solver(job: Job) -> Answer {
    let (wake, woken) = mpsc::channel();
    let solver = Solver::start(move || {
        // Nobody listens any more once the answer is there.
        let _ = wake.send(());
    });
    solver.ask(job);
    loop {
        woken.recv_timeout(PATIENCE).expect("the solver answers");
        if let Some(answer) = solver.take().filter(|answer| answer.is_final) {
            return answer;
        }
    }
}

fn document(work: &Work, edits: &serde_json::Value) -> Document {
    let source = Source::embed(&work.folder.file("troupe.glb")).unwrap();
    let mut document = Document::open(source, None).unwrap();
    let edits: Vec<Edit> = serde_json::from_value(edits.clone()).unwrap();
    for edit in &edits {
        document.apply(edit).unwrap();
    }
    document
}

#[test]
fn every_surface_gives_the_same_bits() {
    let work = work();
    let character = &work.character;
    let controls = Controls::posed(character, pose(character)).with_shapes(&shapes(character));
    work.folder.write("pose.json", pose_file());
    for (rig, flags, edit) in rigs() {
        let expected = by_library(&work, &rig, &shapes(character), &controls);
        let at = at_vertices(character, &expected);
        assert_ne!(expected.all_points(), expected.all_rest(), "{flags}");

        let shaped = format!("--shape belly:{BELLY} --shape lean:{LEAN} --pose pose.json");
        work.folder.ok(&format!("skin troupe.glb -o skin.glb {flags} {shaped}"));
        assert!(written(&work.folder, "skin.glb") == at, "skin {flags}");

        let script = script(&edit);
        work.folder.write("script.json", script.to_string());
        work.folder.ok("edit troupe.glb script.json -o edit.glb");
        assert!(written(&work.folder, "edit.glb") == at, "edit {flags}");

        let document = document(&work, &script);
        let answer = by_solver(Job { measures: true, ..Job::of(&document) });
        assert!(answer.frame.all_points() == expected.all_points(), "solver {flags}");
        assert!(at_vertices(character, &answer.frame).1 == at.1, "solver's normals {flags}");
        let measure = CharacterMeasure::bind_at(character, &expected.all_rest());
        let figures = measure.evaluate(&expected.all_points(), expected.palette());
        assert_eq!(answer.measures, Some(figures), "{flags}");
        let notes: Vec<&str> = answer.notes.iter().map(|note| note.words.as_str()).collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        let said = work.folder.sinew(&format!("skin troupe.glb -o skin.obj {flags} {shaped}"));
        assert!(said.stderr.contains(notes[0]), "{} {}", said.stderr, notes[0]);

        let study = sinew_study::method::Method::all();
        let of_study = study.iter().find(|of_study| flags.ends_with(&of_study.name)).unwrap();
        let points = by_library(&work, &of_study.rig, &shapes(character), &controls);
        assert!(points.all_points() == expected.all_points(), "study {flags}");
    }
}

#[test]
fn every_surface_gives_the_same_bits_at_a_time_of_a_clip() {
    let work = work();
    let character = &work.character;
    let clip = character.clip(TROUPE_CLIP).unwrap();
    let seconds = 0.625;
    let weights: Vec<Vec<f32>> = (character.parts.iter().enumerate())
        .map(|(index, part)| clip.shape_weights_at(index, part, seconds))
        .collect();
    let pose = clip.pose_at(&character.skeleton, seconds);
    let controls = Controls::posed(character, pose).with_shapes(&weights);
    for (rig, flags, edit) in rigs() {
        let expected = by_library(&work, &rig, &[], &controls);
        let moment = format!("--clip {TROUPE_CLIP} --time {seconds}");
        work.folder.ok(&format!("skin troupe.glb -o skin.glb {flags} {moment}"));
        let at = at_vertices(character, &expected);
        assert!(written(&work.folder, "skin.glb") == at, "skin {flags}");

        let document = document(&work, &json!([edit]));
        let answer = by_solver(Job::showing(&document, controls.clone()));
        assert!(answer.frame.all_points() == expected.all_points(), "solver {flags}");
    }
}

/// Drivers come through the file, and do the same whoever runs them.
#[test]
fn every_surface_drives_a_character_to_the_same_bits() {
    let work = work_of(&driven_troupe().unwrap());
    let character = &work.character;
    assert_eq!(character.drivers, driven_troupe().unwrap().drivers);
    let posed = Controls::posed(character, pose(character)).with_shapes(&shapes(character));
    let controls = Controls { values: vec![0.875], ..posed };
    work.folder.write("pose.json", pose_file());
    let chosen = ["linear", "bone-smooth", "anchored"];
    let rigs = rigs().into_iter().filter(|(_, flags, _)| chosen.iter().any(|c| flags.ends_with(c)));
    for (rig, flags, edit) in rigs {
        let expected = by_library(&work, &rig, &shapes(character), &controls);
        let undriven = Character { drivers: Default::default(), ..Character::clone(character) };
        let undriven = Work { character: Arc::new(undriven), folder: Folder::new() };
        let without = by_library(&undriven, &rig, &shapes(character), &controls);
        assert_ne!(without.all_points(), expected.all_points(), "{flags}");
        let at = at_vertices(character, &expected);
        let shaped = format!(
            "--shape belly:{BELLY} --shape lean:{LEAN} --pose pose.json --control puff:0.875"
        );
        work.folder.ok(&format!("skin troupe.glb -o skin.glb {flags} {shaped}"));
        assert!(written(&work.folder, "skin.glb") == at, "skin {flags}");
        let mut script = script(&edit);
        let control = json!({"edit": "set-controls", "values": {"puff": 0.875}});
        script.as_array_mut().unwrap().push(control);
        work.folder.write("script.json", script.to_string());
        work.folder.ok("edit troupe.glb script.json -o edit.glb");
        assert!(written(&work.folder, "edit.glb") == at, "edit {flags}");
        let answer = by_solver(Job::of(&document(&work, &script)));
        assert!(answer.frame.all_points() == expected.all_points(), "solver {flags}");
    }
}

/// The comparison can fail: one coefficient changed by a hundredth is another skin.
#[test]
fn another_coefficient_is_another_skin() {
    let work = work();
    let character = &work.character;
    let controls = Controls::posed(character, pose(character)).with_shapes(&shapes(character));
    let mut rig = Rig::of_model(SpringModel::Anchored);
    let expected = by_library(&work, &rig, &shapes(character), &controls).all_points();
    rig.springs.as_mut().unwrap().coefficients.length *= 1.01;
    let changed = by_library(&work, &rig, &shapes(character), &controls);
    assert_ne!(changed.all_points(), expected);
}
