//! Drivers through files: what was driven is still driven, other programs see it in clips, and
//! VRM's node constraints are read and written.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::{Value, json};
use sinew::Character;
use sinew::driver::{Control, Drive, Driver, Input, Property, Value as Driven};
use sinew::frame::Controls;
use sinew::glam::{DQuat, DVec3, Vec3};
use sinew::motion::{Channel, Clip, ControlTrack, Curve, Track};
use sinew::rigging::{self, NewShape};
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew_io::{Format, WriteOptions, character_to_glb, read_character_from_bytes};

fn whole() -> WriteOptions {
    WriteOptions { max_influences: None, ..WriteOptions::default() }
}

/// A human with a twist chain, a helper, an aim, and a shape that a control drives.
fn driven_human() -> Character {
    let options = SampleOptions { points: Some(2_000), ..SampleOptions::new(SampleKind::Human) };
    let human = build(&options).unwrap();
    let joint = |name: &str| human.skeleton.find(name).unwrap();
    let [forearm, hand, eye] = [joint("forearm_l"), joint("hand_l"), joint("eye_l")];
    let human = rigging::add_twist_joints(&human, forearm, 5).unwrap();
    let human = rigging::add_half_way(&human, joint("shin_l")).unwrap();
    let moved = [(3, Vec3::X * 0.01), (9, Vec3::Y * 0.02)];
    let new = NewShape { part: 0, name: "puff", moved: &moved };
    let (mut human, shape) = rigging::add_shape(&human, &new).unwrap();
    let aim = Drive::Aim { joint: eye, target: hand, axis: DVec3::Y, weight: 1.0 };
    human.drivers.list.push(Driver::new("eye", aim));
    human.drivers.controls = vec![Control { name: "mood".into(), rest: 0.25, range: [0.0, 1.0] }];
    let bend = Input::Joint { joint: forearm, property: Property::Swing };
    let drive = Drive::Formula {
        value: Driven::Shape { shape },
        formula: "mood * bend / 90".into(),
        inputs: [("bend".to_owned(), bend)].into(),
    };
    human.drivers.list.push(Driver::new("puff", drive));
    let times = || vec![0.0, 1.0, 2.0];
    let swing = |angle: f64| {
        human.skeleton.joints()[forearm as usize].rest.rotation * DQuat::from_rotation_x(angle)
    };
    let twist = |angle: f64| {
        human.skeleton.joints()[hand as usize].rest.rotation * DQuat::from_rotation_y(angle)
    };
    let turned = |joint, values: Vec<DQuat>| Track {
        joint,
        channel: Channel::Rotation(Curve::linear(times(), values)),
    };
    let tracks = vec![
        turned(forearm, [0.0, 1.0, 0.3].map(swing).to_vec()),
        turned(hand, [0.0, 1.4, 2.8].map(twist).to_vec()),
    ];
    let mood = ControlTrack { control: 0, values: Curve::linear(times(), vec![0.0, 1.0, 0.5]) };
    let clip = Clip { control_tracks: vec![mood], ..Clip::new("wave", tracks) };
    human.clips = vec![clip];
    human
}

fn read(bytes: &[u8]) -> Character {
    read_character_from_bytes(Format::Glb, "driven", bytes).unwrap().character
}

fn json_of(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

fn points_at(character: &Character, seconds: f64) -> Vec<Vec3> {
    use sinew::frame::{Plan, Rig};
    let clip = &character.clips[0];
    let weights: Vec<Vec<f32>> = (character.parts.iter().enumerate())
        .map(|(part, of)| clip.shape_weights_at(part, of, seconds))
        .collect();
    let pose = clip.pose_at(&character.skeleton, seconds);
    let mut controls = Controls::posed(character, pose).with_shapes(&weights);
    controls.values = clip.control_values_at(&character.drivers, seconds);
    let character = std::sync::Arc::new(character.clone());
    let plan = Plan::bind(&character, &Rig::default(), &sinew::progress::Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(&controls, &mut plan.scratch(), &mut frame);
    frame.all_points()
}

fn furthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn through_glb_and_back_a_character_is_still_driven_and_its_clip_is_the_same_without() {
    let character = driven_human();
    let again = read(&character_to_glb(&character, &whole()).unwrap());
    assert_eq!(again.drivers, character.drivers);
    assert_eq!(again.clips[0].control_tracks, character.clips[0].control_tracks);
    let undriven = Character { drivers: Default::default(), ..again.clone() };
    for step in 0..=10 {
        let seconds = f64::from(step) / 5.0;
        let wanted = points_at(&character, seconds);
        assert!(furthest(&wanted, &points_at(&again, seconds)) < 1e-4, "driven at {seconds}");
        let off = furthest(&wanted, &points_at(&undriven, seconds));
        assert!(off < 1e-4, "baked at {seconds}: {off}");
    }
    // The drivers do something: without them, and without their clip, the skin is another.
    let plain = Character { drivers: Default::default(), ..character.clone() };
    assert!(furthest(&points_at(&character, 2.0), &points_at(&plain, 2.0)) > 0.01);
}

#[test]
fn a_file_that_is_written_twice_is_the_same() {
    let once = character_to_glb(&driven_human(), &whole()).unwrap();
    let twice = character_to_glb(&read(&once), &whole()).unwrap();
    assert_eq!(json_of(&once)["asset"]["extras"], json_of(&twice)["asset"]["extras"]);
    assert_eq!(json_of(&once)["nodes"], json_of(&twice)["nodes"]);
}

#[test]
fn drivers_that_are_gone_are_gone_from_the_file() {
    let mut character = read(&character_to_glb(&driven_human(), &whole()).unwrap());
    character.drivers = Default::default();
    character.clips[0].control_tracks.clear();
    let json = json_of(&character_to_glb(&character, &whole()).unwrap());
    assert!(json["asset"]["extras"].get("sinew_drivers").is_none());
    assert!(!json.to_string().contains("VRMC_node_constraint"));
}

#[test]
fn what_vrm_can_say_is_said_and_read_by_who_knows_nothing_else() {
    let mut character = driven_human();
    let joint = |name: &str| character.skeleton.find(name).unwrap();
    let [toes, head, neck] = ["toes_l", "head", "neck"].map(joint);
    let roll = Drive::Copy { joint: toes, source: head, axis: Some(DVec3::NEG_X), weight: 0.5 };
    let copy = Drive::Copy { joint: neck, source: toes, axis: None, weight: 0.25 };
    character.drivers.list.push(Driver::new("roll", roll));
    character.drivers.list.push(Driver::new("copy", copy));
    let glb = character_to_glb(&character, &whole()).unwrap();
    let mut json = json_of(&glb);
    assert!(json["extensionsUsed"].as_array().unwrap().contains(&json!("VRMC_node_constraint")));
    // As a program has it that knows VRM and not Sinew.
    json["asset"]["extras"].as_object_mut().unwrap().remove("sinew_drivers");
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let other = with_json(&json, &glb[20 + length..]);
    let read = read(&other);
    let find = |joint: u32| {
        let of = |driver: &&Driver| match &driver.drive {
            Drive::Copy { joint: to, .. } | Drive::Aim { joint: to, .. } => *to == joint,
            _ => false,
        };
        read.drivers.list.iter().find(of).map(|driver| driver.drive.clone())
    };
    let same = |name: &str| read.skeleton.find(name).unwrap();
    let [toes, head, neck] = ["toes_l", "head", "neck"].map(same);
    let axis = Some(DVec3::X);
    assert_eq!(find(toes), Some(Drive::Copy { joint: toes, source: head, axis, weight: 0.5 }));
    let copy = Drive::Copy { joint: neck, source: toes, axis: None, weight: 0.25 };
    assert_eq!(find(neck), Some(copy));
    let [eye, hand] = ["eye_l", "hand_l"].map(same);
    let aim = Drive::Aim { joint: eye, target: hand, axis: DVec3::Y, weight: 1.0 };
    assert_eq!(find(eye), Some(aim));
    // The last of the chain has all of the hand's twist, the helper half of the shin's turn.
    let last = same("forearm_l_twist_5");
    let roll = Drive::Copy { joint: last, source: hand, axis: Some(DVec3::Y), weight: 1.0 };
    assert_eq!(find(last), Some(roll));
    let [half, shin] = ["shin_l_half", "shin_l"].map(same);
    let copy = Drive::Copy { joint: half, source: shin, axis: None, weight: 0.5 };
    assert_eq!(find(half), Some(copy));
}

/// A GLB of a document and the chunks that come after it.
fn with_json(json: &Value, chunks: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    while !text.len().is_multiple_of(4) {
        text.push(b' ');
    }
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend(((20 + text.len() + chunks.len()) as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend(chunks);
    glb
}

#[test]
fn broken_drivers_are_left_out_and_the_rest_is_read() {
    let glb = character_to_glb(&driven_human(), &whole()).unwrap();
    let json = json_of(&glb);
    let chunks = &glb[20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize..];
    let cycle = r#"{"list":[{"name":"a","drive":{"kind":"copy","joint":1,"source":2}},
        {"name":"b","drive":{"kind":"copy","joint":2,"source":1}}]}"#;
    let far = r#"{"list":[{"name":"a","drive":{"kind":"copy","joint":99999,"source":2}}]}"#;
    for text in ["{", cycle, far, r#"{"list":[{"name":"x"}]}"#] {
        let mut broken = json.clone();
        broken["asset"]["extras"]["sinew_drivers"] = json!(text);
        let loaded = read_character_from_bytes(Format::Glb, "x", &with_json(&broken, chunks));
        let loaded = loaded.unwrap();
        let warns = loaded.report.warnings.iter().any(|w| w.code == "drivers-left-out");
        assert!(warns, "{text}");
    }
    for broken_extensions in [json!(5), json!({"VRMC_node_constraint": []})] {
        let mut broken = json.clone();
        broken["asset"]["extras"].as_object_mut().unwrap().remove("sinew_drivers");
        for node in broken["nodes"].as_array_mut().unwrap() {
            node["extensions"] = broken_extensions.clone();
        }
        let bytes = with_json(&broken, chunks);
        let loaded = read_character_from_bytes(Format::Glb, "x", &bytes).unwrap();
        assert!(loaded.character.drivers.is_empty());
    }
}
