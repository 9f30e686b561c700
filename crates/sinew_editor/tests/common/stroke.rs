//! Random strokes of every tool: pointer paths, keys, in any order.

use proptest::prelude::*;
use sinew::glam::Vec2;
use sinew_editor::tool::{
    Event, Key, Modifiers, MoveTool, ReachTool, RotateTool, SelectTool, StretchTool, Tool,
};
use sinew_editor::{Editor, Session, View};
use sinew_view::camera::{Camera, Size};

const SIZE: Size = Size { width: 640, height: 480 };

/// What a user did with one tool from taking it to laying it down.
#[derive(Clone, Debug)]
pub(crate) struct Stroke {
    tool: u8,
    chosen: Vec<u32>,
    yaw_radians: f32,
    steps: Vec<Step>,
    /// Whether what is still held is kept.
    is_kept: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Press(Place, Modifiers),
    Move(Place, Modifiers),
    Release(Place),
    Grab(Place),
    Key(Key),
}

/// A pixel.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Beside the end of a bone: handles are there.
    Beside {
        joint: u32,
        is_tail: bool,
        off: Vec2,
    },
    Anywhere(Vec2),
}

fn place() -> impl Strategy<Value = Place> {
    let off = || (-90.0..90.0_f32, -90.0..90.0_f32).prop_map(|(x, y)| Vec2::new(x, y));
    let near = prop_oneof![Just(Vec2::ZERO), off()];
    prop_oneof![
        4 => (0..2_u32, any::<bool>(), near)
            .prop_map(|(joint, is_tail, off)| Place::Beside { joint, is_tail, off }),
        1 => (-2e3..2e3_f32, -2e3..2e3_f32).prop_map(|(x, y)| Place::Anywhere(Vec2::new(x, y))),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let modifiers = || any::<[bool; 2]>().prop_map(|[shift, control]| Modifiers { shift, control });
    let key = prop_oneof![
        8 => proptest::sample::select("xyzt0123456789.-q".chars().collect::<Vec<_>>())
            .prop_map(Key::Char),
        1 => Just(Key::Enter),
        1 => Just(Key::Escape),
        1 => Just(Key::Backspace),
    ];
    prop_oneof![
        6 => (place(), modifiers()).prop_map(|(at, modifiers)| Step::Move(at, modifiers)),
        3 => (place(), modifiers()).prop_map(|(at, modifiers)| Step::Press(at, modifiers)),
        2 => place().prop_map(Step::Release),
        2 => place().prop_map(Step::Grab),
        3 => key.prop_map(Step::Key),
    ]
}

pub(crate) fn stroke() -> impl Strategy<Value = Stroke> {
    let chosen = proptest::collection::vec(0..2_u32, 0..3);
    let steps = proptest::collection::vec(step(), 1..12);
    (0..5_u8, chosen, -3.0..3.0_f32, steps, any::<bool>()).prop_map(
        |(tool, chosen, yaw_radians, steps, is_kept)| Stroke {
            tool,
            chosen,
            yaw_radians,
            steps,
            is_kept,
        },
    )
}

impl Stroke {
    /// Whatever the pointer does, a tool asks for nothing that cannot be done.
    pub(crate) fn draw(&self, editor: &mut Editor) {
        let tool: Box<dyn Tool> = match self.tool {
            0 => Box::new(RotateTool::default()),
            1 => Box::new(MoveTool::default()),
            2 => Box::new(StretchTool::default()),
            3 => Box::new(ReachTool::default()),
            _ => Box::new(SelectTool::default()),
        };
        let bounds = editor.document().character().bounds();
        let camera = Camera::around(&bounds, self.yaw_radians, 0.3, SIZE.aspect());
        let mut session = Session::new(View { camera, size: SIZE }, tool);
        self.chosen.iter().for_each(|&joint| session.selection.toggle(joint));
        for step in &self.steps {
            let at = |place: &Place| match *place {
                Place::Anywhere(at) => at,
                Place::Beside { joint, is_tail, off } => {
                    let context = session.context(editor);
                    let ends = context.bone_ends(&context.palette(), joint);
                    session.view.project(ends[usize::from(is_tail)]).unwrap_or_default() + off
                }
            };
            let event = match step {
                Step::Press(place, modifiers) => {
                    Event::Pressed { at: at(place), modifiers: *modifiers }
                }
                Step::Move(place, modifiers) => {
                    Event::Moved { at: at(place), modifiers: *modifiers }
                }
                Step::Release(place) => Event::Released { at: at(place) },
                Step::Grab(place) => Event::Grabbed { at: at(place) },
                Step::Key(key) => Event::Key(*key),
            };
            session.dispatch(&event, editor).unwrap();
            assert_eq!(editor.document().broken_invariant(), None);
            // Drawing never fails either.
            session.tool().marks(&session.context(editor));
            assert!(!session.tool().hint().is_empty());
        }
        if self.is_kept { editor.commit() } else { editor.cancel() }
    }
}
