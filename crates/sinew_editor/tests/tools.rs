//! Tools, used as a user does, with no window: pointer in, pose out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::glam::{DVec3, Vec2, Vec3};
use sinew::sample::SampleKind;
use sinew::skeleton::{Palette, Pose};
use sinew_editor::tool::{Event, Key, Modifiers, ReachTool, RotateTool, SelectTool, Tool, reach};
use sinew_editor::{Document, Editor, Selection, Session, Source, View};
use sinew_view::camera::{Camera, Size};

const SIZE: Size = Size { width: 1280, height: 800 };

struct User {
    editor: Editor,
    session: Session,
}

impl User {
    fn with(tool: impl Tool + 'static) -> Self {
        let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
        let camera = Camera::around(&document.character().bounds(), 0.3, 0.2, SIZE.aspect());
        let session = Session::new(View { camera, size: SIZE }, Box::new(tool));
        Self { editor: Editor::new(document), session }
    }

    fn joint(&self, name: &str) -> u32 {
        let joints = self.editor.document().character().skeleton.joints();
        joints.iter().position(|joint| joint.name == name).unwrap() as u32
    }

    fn place(&self, name: &str) -> DVec3 {
        let document = self.editor.document();
        let palette = Palette::new(&document.character().skeleton, document.pose());
        palette.model_from_joint()[self.joint(name) as usize].translation
    }

    fn pixel(&self, place: Vec3) -> Vec2 {
        self.session.view.project(place).unwrap()
    }

    /// The middle of a bone on the screen.
    fn bone(&self, name: &str) -> Vec2 {
        let context = self.session.context(&self.editor);
        let [head, tail] = context.bone_ends(&context.palette(), self.joint(name));
        self.pixel(head.midpoint(tail))
    }

    fn does(&mut self, event: Event) -> bool {
        let used = self.session.dispatch(&event, &mut self.editor).unwrap();
        assert_eq!(self.editor.document().broken_invariant(), None);
        used
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers) {
        self.does(Event::Pressed { at, modifiers });
    }

    fn drag(&mut self, way: &[Vec2], modifiers: Modifiers) {
        self.press(way[0], modifiers);
        for &at in &way[1..] {
            self.does(Event::Moved { at, modifiers });
        }
        self.does(Event::Released { at: *way.last().unwrap() });
    }

    fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.does(Event::Key(Key::Char(c)));
        }
    }

    fn twist(&self, name: &str) -> f64 {
        self.editor.document().pose().joints[self.joint(name) as usize].twist_radians
    }
}

const PLAIN: Modifiers = Modifiers { shift: false, control: false };
const SHIFT: Modifiers = Modifiers { shift: true, control: false };
const CONTROL: Modifiers = Modifiers { shift: false, control: true };

#[test]
fn a_click_on_a_bone_chooses_its_joint_shift_adds_and_a_click_beside_chooses_none() {
    let mut user = User::with(SelectTool);
    let (arm, shin) = (user.joint("forearm_l"), user.joint("shin_r"));
    user.press(user.bone("forearm_l"), PLAIN);
    assert_eq!(user.session.selection, Selection::of(arm));
    user.press(user.bone("shin_r"), SHIFT);
    assert!(user.session.selection.joints.contains(&arm));
    assert_eq!(user.session.selection.active, Some(shin));
    user.press(user.bone("shin_r"), SHIFT);
    assert_eq!(user.session.selection.active, Some(arm));
    user.press(Vec2::new(2.0, 2.0), PLAIN);
    assert!(user.session.selection.is_empty());
    assert_eq!(user.editor.history().done().len(), 0, "choosing is no edit");
}

/// Pixels of the gizmo's ring about the bone of the chosen joint, one turn in even steps.
fn twist_ring(user: &User) -> Vec<Vec2> {
    let marks = user.session.tool().marks(&user.session.context(&user.editor));
    // The chosen bone is the first mark, the ring about it the next 64.
    marks.lines[1..65].iter().map(|line| user.pixel(line.ends[0])).collect()
}

#[test]
fn dragging_the_bones_ring_round_and_round_counts_turns_and_is_one_step() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("hips"), PLAIN);
    let ring = twist_ring(&user);
    // Take hold where the ring is in front.
    let before = user.editor.document().clone();
    let start = (0..64)
        .find(|&at| {
            user.press(ring[at], PLAIN);
            let took = user.editor.is_open();
            user.does(Event::Key(Key::Escape));
            user.press(user.bone("hips"), PLAIN);
            user.does(Event::Released { at: ring[at] });
            user.editor.cancel();
            took
        })
        .unwrap();
    assert_eq!(*user.editor.document(), before);
    user.session.selection = Selection::of(user.joint("hips"));
    let turns = 2;
    let way: Vec<Vec2> = (0..=64 * turns).map(|step| ring[(start + step) % 64]).collect();
    user.drag(&way, PLAIN);
    let twisted = user.twist("hips").to_degrees().abs();
    // A ring that is seen from its side is pulled, and goes back as it came.
    assert!((twisted - 720.0).abs() < 5.0 || twisted < 5.0, "{twisted}");
    assert_eq!(user.editor.history().done().len(), usize::from(*user.editor.document() != before));
    while user.editor.undo() {}
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn a_number_typed_after_an_axis_is_the_angle_and_escape_takes_it_back() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("forearm_l"), PLAIN);
    let before = user.editor.document().clone();
    user.types("t-450.5");
    assert!((user.twist("forearm_l").to_degrees() + 450.5).abs() < 1e-9);
    user.does(Event::Key(Key::Backspace));
    user.does(Event::Key(Key::Backspace));
    assert!((user.twist("forearm_l").to_degrees() + 450.0).abs() < 1e-9);
    user.does(Event::Key(Key::Escape));
    assert_eq!(*user.editor.document(), before);
    // Another axis in the middle of it starts from the beginning, not from what was typed before.
    user.types("t90x30");
    assert_eq!(user.twist("forearm_l"), 0.0);
    user.does(Event::Key(Key::Enter));
    assert_eq!(user.editor.history().done().collect::<Vec<_>>(), ["Rotate"]);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn all_chosen_joints_turn_together_and_control_goes_in_steps() {
    let mut user = User::with(RotateTool::default());
    user.press(user.bone("forearm_l"), PLAIN);
    user.press(user.bone("forearm_r"), SHIFT);
    user.types("t15");
    user.does(Event::Key(Key::Enter));
    let turned = [user.twist("forearm_l"), user.twist("forearm_r")];
    assert!(turned.iter().all(|t| (t.to_degrees() - 15.0).abs() < 1e-9), "{turned:?}");
    user.editor.undo();
    let ring = twist_ring(&user);
    for at in 0..64 {
        user.drag(&[ring[at], ring[(at + 3) % 64] + Vec2::new(1.0, 2.0)], CONTROL);
        let degrees = user.twist("forearm_r").to_degrees();
        assert!((degrees / 15.0 - (degrees / 15.0).round()).abs() < 1e-6, "{degrees}");
        while user.editor.undo() {}
        user.session.selection = Selection::of(user.joint("forearm_r"));
    }
}

#[test]
fn a_pulled_hand_comes_where_the_pointer_is_and_the_limb_keeps_its_lengths() {
    let mut user = User::with(ReachTool::default());
    let before = user.editor.document().clone();
    let grip = user.pixel(user.place("hand_l").as_vec3()) + Vec2::new(0.0, 1.0);
    // Towards the shoulder and down: a place that an arm of any length reaches.
    let shoulder = user.pixel(user.place("upper_arm_l").as_vec3());
    let near = grip.lerp(shoulder, 0.4) + Vec2::new(0.0, 8.0);
    let way = [grip, grip.midpoint(near), near];
    let upper = user.place("upper_arm_l").distance(user.place("forearm_l"));
    let lower = user.place("forearm_l").distance(user.place("hand_l"));
    user.drag(&way, PLAIN);
    let chosen = user.session.selection.active.unwrap();
    let name = user.editor.document().character().skeleton.joints()[chosen as usize].name.clone();
    assert_eq!(name, "hand_l");
    let seen = user.pixel(user.place("hand_l").as_vec3());
    let wanted = way[2] + Vec2::new(0.0, -1.0);
    assert!(seen.distance(wanted) < 2.0, "{seen} {wanted}");
    assert!((user.place("upper_arm_l").distance(user.place("forearm_l")) - upper).abs() < 1e-6);
    assert!((user.place("forearm_l").distance(user.place("hand_l")) - lower).abs() < 1e-6);
    assert_eq!(user.editor.history().done().collect::<Vec<_>>(), ["Reach"]);
    user.editor.undo();
    assert_eq!(*user.editor.document(), before);
}

#[test]
fn a_limb_reaches_every_place_within_its_length_and_points_at_those_beyond() {
    let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
    let skeleton = &document.character().skeleton;
    let find = |name: &str| skeleton.joints().iter().position(|j| j.name == name).unwrap();
    let (first, middle, end) = (find("upper_arm_l"), find("forearm_l"), find("hand_l"));
    let rest = Palette::new(skeleton, &Pose::rest(skeleton));
    let at = |palette: &Palette, joint: usize| palette.model_from_joint()[joint].translation;
    let shoulder = at(&rest, first);
    let upper = shoulder.distance(at(&rest, middle));
    let lower = at(&rest, middle).distance(at(&rest, end));
    for step in 0..200 {
        let angle = f64::from(step);
        let direction =
            DVec3::new(angle.sin(), (1.7 * angle).cos(), (0.9 * angle).sin()).normalize();
        let distance = 1.3 * (upper + lower) * f64::from(step % 20) / 20.0;
        let target = shoulder + distance * direction;
        let mut pose = Pose::rest(skeleton);
        for (joint, posed) in reach(skeleton, &pose.clone(), end as u32, target) {
            pose.joints[joint as usize] = posed;
        }
        let found = at(&Palette::new(skeleton, &pose), end);
        let reachable = distance.clamp((upper - lower).abs(), 0.9999 * (upper + lower));
        let expected = shoulder + reachable * direction;
        let off = found.distance(expected);
        // At the shoulder itself any direction is right.
        assert!(off < 1e-3 || distance == 0.0, "step {step}: {found} for {expected}, off {off}");
    }
}
