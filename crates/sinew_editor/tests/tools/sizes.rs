//! Handles are as large as the picture asks for, and are taken hold of where they are drawn.

use sinew::glam::Vec2;
use sinew::sample::SampleKind;
use sinew_editor::tool::{Key, MoveTool, RotateTool, SelectTool, StretchTool, Tool};
use sinew_editor::{Document, Source};
use sinew_view::camera::Size;

use crate::common::user::{PLAIN, User};

const HEIGHTS: [(u32, f32); 4] = [(300, 0.62), (700, 1.0), (1050, 1.5), (4000, 2.2)];

fn user(tool: impl Tool + 'static, height: u32) -> User {
    let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    let mut user = User::seeing(document, tool, Size { width: 2 * height, height });
    user.choose("forearm_l");
    user
}

/// Whether a press there begins a drag.
fn takes(user: &mut User, at: Vec2) -> bool {
    user.press(at, PLAIN);
    let takes = user.editor.is_open();
    user.key(Key::Escape);
    user.choose("forearm_l");
    takes
}

#[test]
fn rings() {
    for (height, scale) in HEIGHTS {
        let user = user(RotateTool::default(), height);
        let lines = user.marks().lines;
        let head = user.bone_pixels("forearm_l")[0];
        let most = lines[1..].iter().map(|line| user.pixel(line.ends[0]).distance(head));
        let most = most.fold(0.0, f32::max);
        assert!((most / scale - 78.0).abs() < 8.0, "{height}: {most}");
        assert!((lines[0].width_px / scale - 4.0).abs() < 1e-4);
        assert!((lines[1].width_px / scale - 2.5).abs() < 1e-4);
    }
}

#[test]
fn arrows() {
    for (height, scale) in HEIGHTS {
        let mut user = user(MoveTool::default(), height);
        let marks = user.marks();
        let [middle, tip] = marks.lines[2].ends.map(|end| user.pixel(end));
        assert!((middle.distance(tip) / scale - 80.0).abs() < 8.0, "{height}");
        assert!((marks.lines[2].width_px / scale - 3.0).abs() < 1e-4);
        assert!((marks.discs[0].radius_px / scale - 7.0).abs() < 1e-4);
        let ahead = (tip - middle).normalize();
        assert!(takes(&mut user, tip + 8.5 * scale * ahead), "{height}");
        assert!(!takes(&mut user, tip + 9.5 * scale * ahead), "{height}");
    }
}

#[test]
fn the_end_of_a_bone() {
    for (height, scale) in HEIGHTS {
        let mut user = user(StretchTool::default(), height);
        assert!((user.marks().discs[0].radius_px / scale - 8.0).abs() < 1e-4);
        let tail = user.bone_pixels("forearm_l")[1];
        for (px, is_near) in [(11.5, true), (12.5, false)] {
            assert_eq!(takes(&mut user, tail + Vec2::new(0.0, px * scale)), is_near, "{height}");
        }
    }
}

#[test]
fn a_click_beside_a_bone() {
    for (height, scale) in HEIGHTS {
        let mut user = user(SelectTool::default(), height);
        // The topmost bone's end: nothing is above it.
        let bones = user.editor.document().character().skeleton.joints().iter();
        let ends: Vec<Vec2> = bones.map(|joint| user.bone_pixels(&joint.name)[1]).collect();
        let top = ends.into_iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
        for (px, is_near) in [(13.5, true), (14.5, false)] {
            user.drag(&[top - Vec2::new(0.0, px * scale)], PLAIN);
            assert_eq!(!user.session.selection.is_empty(), is_near, "{height} {px}");
        }
    }
}
