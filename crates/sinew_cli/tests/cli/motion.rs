//! Motion in files: `convert` to and from BVH, and `retarget`.

use crate::common::Folder;

#[test]
fn a_clip_goes_to_bvh_and_back() {
    let folder = Folder::new();
    folder.ok("sample human -o human.glb");
    let run = folder.ok("convert human.glb wave.bvh --clip wave");
    assert!(run.stderr.contains("'wave' was written, 1 more left out"), "{}", run.stderr);
    let info = folder.ok("info wave.bvh --json").json();
    assert_eq!((info["joints"]["count"].as_u64(), info["points"].as_u64()), (Some(85), Some(0)));
    assert_eq!(info["clips"][0]["name"], "wave");
    folder.ok("convert wave.bvh wave.glb");
    assert_eq!(folder.ok("info wave.glb --json").json()["clips"][0]["name"], "wave");
    folder.ok("check wave.bvh");
    assert!(folder.fails("convert human.glb x.bvh --clip nope", 3).contains("'walk', 'wave'"));
    assert!(folder.fails("convert human.glb x.glb --clip walk", 2).contains("--clip is for BVH"));
    assert!(folder.fails("skin human.glb -o x.bvh", 2).contains("no mesh"));
}

#[test]
fn a_motion_is_put_on_another_character() {
    let folder = Folder::new();
    folder.ok("sample human -o human.glb");
    folder.ok("sample chibi -o chibi.glb");
    folder.ok("convert human.glb walk.bvh --clip walk -q");
    let report = folder.ok("retarget walk.bvh chibi.glb -o out.glb --json").json();
    let clip = &report["clips"][0];
    assert_eq!(clip["joints"]["thigh_l"], "thigh_l");
    assert!(clip["slide_over_leg"].as_f64().unwrap() <= 0.01, "{clip}");
    assert!(clip["limb_degrees"].as_f64().unwrap() <= 5.0, "{clip}");
    let info = folder.ok("info out.glb --json").json();
    let clips = info["clips"].as_array().unwrap();
    assert!(clips.iter().any(|known| known["name"] == clip["clip"]), "{info}");
    folder.ok("retarget walk.bvh chibi.glb -o out.bvh");
    folder.write("map.json", "{\"joints\": {\"hand_l\": null}}");
    let report = folder.ok("retarget walk.bvh chibi.glb -o out.glb --map map.json --json").json();
    assert!(report["clips"][0]["joints"].get("hand_l").is_none());
    folder.write("bad.json", "{\"joints\": {\"nobody\": null}}");
    let words = folder.fails("retarget walk.bvh chibi.glb -o out.glb --map bad.json", 3);
    assert!(words.contains("'nobody'"), "{words}");
    assert!(folder.fails("retarget chibi.glb human.glb -o x.obj", 2).contains(".bvh"));
}
