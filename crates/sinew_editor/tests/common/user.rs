//! A user without a window: a document, a view, a tool in hand.

use sinew::Character;
use sinew::glam::{DQuat, DVec3, Vec2, Vec3};
use sinew::mesh::Aabb;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::{Joint, JointPose, JointTransform, Palette, Skeleton};
use sinew_editor::tool::{Event, Key, Modifiers, Tool};
use sinew_editor::{Document, Editor, Selection, Session, Source, View};
use sinew_io::{Format, WriteOptions, character_to_glb};
use sinew_view::camera::{Camera, Size};
use sinew_view::scene::Marks;

const SIZE: Size = Size { width: 1280, height: 800 };

pub(crate) const PLAIN: Modifiers = Modifiers { shift: false, control: false };
pub(crate) const SHIFT: Modifiers = Modifiers { shift: true, control: false };
pub(crate) const CONTROL: Modifiers = Modifiers { shift: false, control: true };

pub(crate) struct User {
    pub(crate) editor: Editor,
    pub(crate) session: Session,
}

/// A chain of four joints, each turned in its parent, under a root of that scale.
pub(crate) fn chain(root_scale: DVec3) -> Document {
    let joint = |name: &str, parent, translation, rotation, scale| Joint {
        name: name.into(),
        parent,
        rest: JointTransform { translation, rotation, scale },
        tail_in_joint: DVec3::Y * 0.3,
    };
    let turn = |z: f64, x: f64| DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x);
    let mut joints = vec![
        joint("root", None, DVec3::new(0.1, 0.2, 0.0), turn(0.5, 0.3), root_scale),
        joint("low", Some(0), DVec3::Y * 0.5, turn(-0.9, 0.4), DVec3::splat(0.8)),
        joint("middle", Some(1), DVec3::Y * 0.5, turn(0.7, -0.5), DVec3::ONE),
        joint("end", Some(2), DVec3::Y * 0.4, turn(0.2, 0.1), DVec3::ONE),
    ];
    Skeleton::infer_tails(&mut joints);
    let options = SampleOptions { points: Some(400), ..SampleOptions::new(SampleKind::Cylinder) };
    let skeleton = Skeleton::new(joints).unwrap();
    let character = Character { skeleton, clips: Vec::new(), ..build(&options).unwrap() };
    let bytes = character_to_glb(&character, &WriteOptions::default()).unwrap().into();
    let source = Source::Embedded { file_name: "chain.glb".into(), format: Format::Glb, bytes };
    Document::open(source, None).unwrap()
}

/// Characters that a tool must get along with, and a joint of each: chibi's arm, and chains under a
/// root that is scaled evenly, unevenly, and mirrors.
pub(crate) fn rigs() -> Vec<(Document, &'static str)> {
    vec![
        (Document::open(Source::sample(SampleKind::Chibi), None).unwrap(), "forearm_l"),
        (chain(DVec3::splat(1.7)), "middle"),
        (chain(DVec3::new(1.0, 1.8, 0.6)), "middle"),
        (chain(DVec3::new(-1.0, 1.0, 1.0)), "middle"),
    ]
}

impl User {
    pub(crate) fn with(tool: impl Tool + 'static) -> Self {
        let document = Document::open(Source::sample(SampleKind::Chibi), None).unwrap();
        Self::on(document, tool)
    }

    pub(crate) fn on(document: Document, tool: impl Tool + 'static) -> Self {
        Self::seeing(document, tool, SIZE)
    }

    pub(crate) fn seeing(document: Document, tool: impl Tool + 'static, size: Size) -> Self {
        let palette = Palette::new(&document.character().skeleton, document.pose());
        let places = palette.model_from_joint().iter().map(|m| m.translation.as_vec3());
        let bounds = document.character().bounds();
        let bounds = Aabb::around(places.chain([bounds.min, bounds.max]));
        let camera = Camera::around(&bounds, 0.3, 0.2, size.aspect());
        let session = Session::new(View { camera, size }, Box::new(tool));
        Self { editor: Editor::new(document), session }
    }

    pub(crate) fn joint(&self, name: &str) -> u32 {
        let joints = self.editor.document().character().skeleton.joints();
        joints.iter().position(|joint| joint.name == name).unwrap() as u32
    }

    pub(crate) fn choose(&mut self, name: &str) {
        self.session.selection = Selection::of(self.joint(name));
    }

    pub(crate) fn pose(&self, name: &str) -> JointPose {
        self.editor.document().pose().joints[self.joint(name) as usize]
    }

    pub(crate) fn place(&self, name: &str) -> DVec3 {
        self.session.context(&self.editor).palette().model_from_joint()[self.joint(name) as usize]
            .translation
    }

    pub(crate) fn pixel(&self, place: Vec3) -> Vec2 {
        self.session.view.project(place).unwrap()
    }

    /// Both ends of a bone.
    pub(crate) fn bone_ends(&self, name: &str) -> [Vec3; 2] {
        let context = self.session.context(&self.editor);
        context.bone_ends(&context.palette(), self.joint(name))
    }

    /// Both on the screen.
    pub(crate) fn bone_pixels(&self, name: &str) -> [Vec2; 2] {
        self.bone_ends(name).map(|end| self.pixel(end))
    }

    /// The middle of a bone on the screen.
    pub(crate) fn bone(&self, name: &str) -> Vec2 {
        let [head, tail] = self.bone_ends(name);
        self.pixel(head.midpoint(tail))
    }

    pub(crate) fn marks(&self) -> Marks {
        self.session.tool().marks(&self.session.context(&self.editor))
    }

    pub(crate) fn does(&mut self, event: Event) -> bool {
        let used = self.session.dispatch(&event, &mut self.editor).unwrap();
        assert_eq!(self.editor.document().broken_invariant(), None);
        used
    }

    pub(crate) fn press(&mut self, at: Vec2, modifiers: Modifiers) {
        self.does(Event::Pressed { at, modifiers });
    }

    pub(crate) fn moves(&mut self, at: Vec2) {
        self.does(Event::Moved { at, modifiers: PLAIN });
    }

    pub(crate) fn key(&mut self, key: Key) -> bool {
        self.does(Event::Key(key))
    }

    pub(crate) fn drag(&mut self, way: &[Vec2], modifiers: Modifiers) {
        self.press(way[0], modifiers);
        for &at in &way[1..] {
            self.does(Event::Moved { at, modifiers });
        }
        self.does(Event::Released { at: *way.last().unwrap() });
    }

    pub(crate) fn types(&mut self, text: &str) {
        for c in text.chars() {
            self.key(Key::Char(c));
        }
    }

    pub(crate) fn twist(&self, name: &str) -> f64 {
        self.pose(name).twist_radians
    }

    /// The steps that can be undone.
    pub(crate) fn steps(&self) -> Vec<String> {
        self.editor.history().done().map(Into::into).collect()
    }
}
