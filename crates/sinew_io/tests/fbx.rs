//! FBX: a strip of two bones, written by hand, is what it says.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use glam::Vec3;
use sinew::Character;
use sinew::driver::{Drive, DriverPlan, ShapeIndex};
use sinew::frame::Controls;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::skin::{Skin, SkinInput, SkinMethod};
use sinew_io::{Format, Loaded, WriteOptions, character_to_glb, read_character_from_bytes};

const STRIP: &str = include_str!("../../sinew_fbx/tests/strip.fbx");

fn read(text: &str) -> Loaded {
    read_character_from_bytes(Format::Fbx, "strip", text.as_bytes()).unwrap()
}

/// The points of the strip, a share of the clip's second in.
fn posed(character: &Character, seconds: f64) -> Vec<Vec3> {
    let part = &character.parts[0];
    let clip = &character.clips[0];
    let shaped = part.shaped_points(&clip.shape_weights_at(0, part, seconds));
    let pose: Pose = clip.pose_at(&character.skeleton, seconds);
    let input = SkinInput {
        positions: &shaped,
        normals: &[],
        weights: part.weights.as_ref().unwrap(),
        triangles: part.mesh.point_triangles(),
        skeleton: &character.skeleton,
    };
    let skin = Skin::bind(SkinMethod::Linear, &input, &Silent).unwrap();
    let mut points = shaped.clone();
    skin.deform(&Palette::new(&character.skeleton, &pose), &mut points, &mut []);
    points
}

fn has(points: &[Vec3], wanted: Vec3) -> bool {
    points.iter().any(|point| point.distance(wanted) < 1e-5)
}

#[test]
fn units_axes_pivots_skin_shapes_and_clip_are_read() {
    let Loaded { character, report, .. } = read(STRIP);
    assert!(report.is_clean(), "{report:?}");
    let part = &character.parts[0];
    assert_eq!((part.mesh.points().len(), part.mesh.triangles().len()), (6, 4));
    assert!(has(part.mesh.points(), Vec3::new(0.1, 2.0, 0.0)), "{:?}", part.mesh.points());
    let names: Vec<_> = character.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["hip", "knee"]);
    let shapes: Vec<_> = part.shapes.iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(shapes, ["bulge 50%", "bulge"]);
    assert_eq!(character.materials[0].name, "red");
    assert_eq!(character.materials[0].base_color, [0.9, 0.1, 0.2, 1.0]);
    assert_eq!(
        (character.clips[0].name.as_str(), character.clips[0].duration_seconds()),
        ("bend", 1.0)
    );
}

#[test]
fn the_skin_bends_and_the_shape_goes_through_its_in_between() {
    let character = read(STRIP).character;
    let glb = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let again = read_character_from_bytes(Format::Glb, "strip", &glb).unwrap().character;
    for character in [&character, &again] {
        // Half way: the in-between alone, and the knee at 45°; at the end: the shape, at 90°.
        assert!(has(&posed(character, 0.0), Vec3::new(0.1, 2.0, 0.0)));
        let (sine, cosine) = std::f32::consts::FRAC_PI_4.sin_cos();
        let half = Vec3::new(0.3 * cosine - sine, 1.0 + 0.3 * sine + cosine, 0.0);
        let points = posed(character, 0.5);
        assert!(has(&points, half), "{points:?} {half}");
        let points = posed(character, 1.0);
        assert!(has(&points, Vec3::new(-1.0, 1.1, 0.5)), "{points:?}");
        assert!(has(&points, Vec3::new(-1.0, 0.9, 0.5)), "{points:?}");
    }
}

#[test]
fn an_in_between_follows_its_shape_by_itself_and_through_glb_too() {
    let character = read(STRIP).character;
    let glb = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let again = read_character_from_bytes(Format::Glb, "strip", &glb).unwrap().character;
    for character in [character, again] {
        let [driver] = &character.drivers.list[..] else { panic!("{:?}", character.drivers) };
        let [shape, of] = [0, 1].map(|shape| ShapeIndex { part: 0, shape });
        assert_eq!(driver.drive, Drive::InBetween { shape, of, weight: 0.5 });
        // Nobody sets the in-between: half of the shape brings all of it.
        let mut controls = Controls::rest(&character).with_shapes(&[vec![0.0, 0.5]]);
        let plan = DriverPlan::new(&character).unwrap();
        plan.run(&character.skeleton, &mut controls);
        assert_eq!(controls.part(0).shape_weights, [1.0, 0.5]);
        let half = character.parts[0].shaped_points(&controls.part(0).shape_weights);
        assert!(has(&half, Vec3::new(0.3, 2.0, 0.0)), "{half:?}");
    }
}

#[test]
fn a_missing_bind_pose_is_repaired_by_the_pose_of_the_file() {
    let identity = "a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1";
    let mut text = STRIP.to_owned();
    for matrix in [
        "a: 0,-1,0,0,1,0,0,0,0,0,1,0,0,0,0,1",
        "a: 0,1,0,0,-1,0,0,0,0,0,1,0,0,0,0,1",
        "a: 0,-1,0,0,1,0,0,0,0,0,1,0,-100,0,0,1",
        "a: 0,1,0,0,-1,0,0,0,0,0,1,0,0,100,0,1",
    ] {
        assert!(text.contains(matrix));
        text = text.replace(matrix, identity);
    }
    let Loaded { character, report, .. } = read(&text);
    assert!(report.has("bind-repaired"), "{report:?}");
    assert!(has(&posed(&character, 0.0), Vec3::new(0.1, 2.0, 0.0)));
    assert!(has(&posed(&character, 1.0), Vec3::new(-1.0, 1.1, 0.5)));
}

#[test]
fn points_without_weights_stay_with_their_mesh() {
    let text = STRIP.replace("a: 0,1,2,3\n", "a: 1,1,2,3\n");
    let Loaded { character, report, .. } = read(&text);
    assert!(report.has("unweighted-points"), "{report:?}");
    assert!(has(&posed(&character, 1.0), Vec3::new(-0.1, 0.0, 0.0)));
}

/// A pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP43+AAAARBAcAM0e2RAAAAAElFTkSuQmCC";

#[test]
fn an_embedded_image_is_carried_into_glb() {
    let objects = format!(
        "Texture: 310, \"Texture::skin\", \"\" {{\nType: \"TextureVideoClip\"\nFileName: \"skin.png\"\n\
         RelativeFilename: \"skin.png\"\n}}\nVideo: 311, \"Video::skin\", \"Clip\" {{\nType: \"Clip\"\n\
         RelativeFilename: \"skin.png\"\nContent: , \"{PNG}\"\n}}\nDeformer: 400,"
    );
    let text = STRIP.replace("Deformer: 400,", &objects).replace(
        "\tC: \"OO\",200,0\n",
        "\tC: \"OO\",200,0\n\tC: \"OP\",310,300, \"DiffuseColor\"\n\tC: \"OO\",311,310\n",
    );
    let Loaded { character, report, .. } = read(&text);
    assert!(report.is_clean(), "{report:?}");
    let glb = character_to_glb(&character, &WriteOptions::default()).unwrap();
    let again = read_character_from_bytes(Format::Glb, "strip", &glb).unwrap().character;
    for character in [&character, &again] {
        let image = character.materials[0].image.as_ref().unwrap();
        assert_eq!((image.name.as_str(), image.media_type), ("skin.png", "image/png"));
        assert_eq!(image.bytes.len(), 69);
    }
    // Named and not there.
    let text = text.replace(PNG, "");
    assert!(read(&text).report.has("image-left-out"));
}

#[test]
fn what_is_no_fbx_is_refused_in_one_line() {
    for bytes in [&b"Kaydara FBX Binary  \0\x1a\0"[..], b"; FBX 7.5.0\nObjects: {", b"", b"hello"] {
        let error = read_character_from_bytes(Format::Fbx, "x", bytes).map(|_| ()).unwrap_err();
        assert!(!error.to_string().contains('\n') && error.to_string().len() > 8, "{error}");
    }
}
