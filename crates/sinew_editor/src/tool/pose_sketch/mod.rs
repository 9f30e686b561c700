//! Posing by strokes: draw a line, and a limb lies along it.
//!
//! A stroke over a limb, or one that starts on a joint, poses that limb at once; the limb stays
//! chosen, and the next strokes, wherever they are drawn, pose it again. With Shift a stroke only
//! says where the limb is (the paper's baseline): the next one is followed with the joints' offsets
//! from it. A stroke that begins on the last one draws it again from there on; its knots can be
//! dragged.

mod drawing;
mod knots;
mod marks;
mod plane;
mod screen;
mod work;

pub use work::{Facing, OwnPlane, SketchWork};

use glam::Vec2;
use sinew::sketch::chain::Chain;
use sinew_view::scene::Marks;

use self::drawing::{Chosen, Drawing, Purpose, REDRAW_PX};
use self::knots::Held;
use self::screen::{Screen, in_hand};
use super::select::chosen_marks;
use super::{Act, Context, Event, Hit, Key, Modifiers, Tool};
use crate::selection::Selection;

/// What a stroke is called in the history.
const LABEL: &str = "Draw a pose";

/// Draw strokes to pose limbs.
#[derive(Clone, Debug, Default)]
pub struct PoseSketchTool {
    chosen: Option<Chosen>,
    drawing: Option<Drawing>,
    held: Option<Held>,
    /// The plane that strokes lie on, in the hand.
    plane: Option<plane::Dragged>,
    /// The knot that was taken last, whose arms are shown.
    focus: Option<usize>,
    pointer: Option<Vec2>,
}

/// The stroke in hand whose knots are shown.
fn active(context: &Context<'_>) -> Option<usize> {
    context.sketch.chosen.filter(|&number| number < in_hand(context).len())
}

/// The stroke that posed a chain last.
fn last_of(chain: &Chain, context: &Context<'_>) -> Option<usize> {
    in_hand(context).iter().rposition(|stroke| stroke.chain == *chain)
}

/// The joints that a stroke of a chain turns, as they are chosen with it.
pub(crate) fn joints_of(chain: &Chain) -> Selection {
    Selection {
        joints: chain.turning().iter().copied().collect(),
        active: chain.path().first().copied(),
        ..Selection::default()
    }
}

impl PoseSketchTool {
    /// The limb that strokes are for: that of the stroke whose knots are shown, if one is.
    fn limb(&self, context: &Context<'_>) -> Option<Chosen> {
        let own = self.chosen.as_ref();
        match active(context).and_then(|number| in_hand(context).get(number)) {
            Some(stroke) if own.is_none_or(|own| own.chain != stroke.chain) => {
                Some(Chosen::of(stroke))
            }
            _ => own.cloned(),
        }
    }

    fn press(&mut self, at: Vec2, modifiers: Modifiers, context: &Context<'_>) -> Vec<Act> {
        self.plane = plane::Dragged::begin(at, context);
        if self.plane.is_some() {
            return Vec::new();
        }
        let screen = Screen::of(context);
        let scale = context.view.gizmo_scale();
        let active = active(context);
        let focus = self.focus.take();
        if let Some(number) = active
            && !modifiers.shift
        {
            match knots::press((number, at), (modifiers.control, focus), context) {
                knots::Pressed::Nothing => {}
                knots::Pressed::Held(held) => {
                    self.focus = Some(held.knot());
                    let act = Act::Begin(held.label().into());
                    self.held = Some(held);
                    return vec![act];
                }
                knots::Pressed::Done(edit, label) => {
                    return vec![Act::Begin(label.into()), Act::Replace(vec![edit]), Act::Commit];
                }
            }
        }
        let seen = screen.seen(context);
        let is_other = |chosen: &Chosen| {
            let joint = seen.joint_at(at.as_dvec2());
            joint.is_some_and(|joint| !chosen.chain.path().contains(&joint))
        };
        let purpose = match (&self.chosen, active) {
            _ if modifiers.shift => Purpose::Choose,
            (Some(chosen), Some(number))
                if knots::is_on_stroke((number, at), REDRAW_PX * scale, context) =>
            {
                Purpose::Redraw(chosen.clone(), number)
            }
            (Some(chosen), _) if !is_other(chosen) => Purpose::Target(chosen.clone()),
            _ if screen.is_near(at) => Purpose::Any,
            // Beside everything: a drag looks around, a click lets go.
            _ => return self.let_go(),
        };
        self.drawing = Some(Drawing::new(purpose, at, screen, context));
        Vec::new()
    }

    fn draw(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        let Some(drawing) = &mut self.drawing else { return Vec::new() };
        drawing.follow(at);
        Self::pose(drawing, context)
    }

    fn pose(drawing: &mut Drawing, context: &Context<'_>) -> Vec<Act> {
        let Some(edit) = drawing.stroke(context) else { return Vec::new() };
        let mut acts = Vec::new();
        if !drawing.is_open {
            drawing.is_open = true;
            acts.push(Act::Begin(LABEL.into()));
        }
        acts.push(Act::Replace(vec![edit]));
        acts
    }

    fn release(&mut self, at: Vec2, context: &Context<'_>) -> Vec<Act> {
        if self.plane.take().is_some() {
            return Vec::new();
        }
        if self.held.take().is_some() {
            return vec![Act::Commit];
        }
        let Some(mut drawing) = self.drawing.take() else { return Vec::new() };
        drawing.end(at);
        if drawing.is_click(context.view.gizmo_scale()) {
            return self.click(&drawing, context);
        }
        let mut acts = Self::pose(&mut drawing, context);
        let found = match drawing.purpose {
            Purpose::Choose => drawing.baseline(context),
            _ => drawing.found.take(),
        };
        if drawing.is_open {
            acts.push(Act::Commit);
        }
        if let Some(found) = found {
            let number = drawing.number.or_else(|| last_of(&found.chain, context));
            acts.extend(self.choose(found, number));
        }
        acts
    }

    fn choose(&mut self, chosen: Chosen, number: Option<usize>) -> [Act; 2] {
        let joints = joints_of(&chosen.chain);
        self.chosen = Some(chosen);
        [Act::Select(joints), Act::ChooseStroke(number)]
    }

    fn let_go(&mut self) -> Vec<Act> {
        self.chosen = None;
        vec![Act::Select(Selection::default()), Act::ChooseStroke(None)]
    }

    /// A click on a joint chooses its limb; elsewhere it lets go.
    fn click(&mut self, drawing: &Drawing, context: &Context<'_>) -> Vec<Act> {
        if drawing.is_open {
            return vec![Act::Cancel];
        }
        let is_any = matches!(drawing.purpose, Purpose::Any | Purpose::Choose);
        match drawing.chain(context).filter(|_| is_any) {
            Some(chain) => {
                let number = last_of(&chain, context);
                self.choose(Chosen { chain, baseline: None }, number).into()
            }
            None => self.let_go(),
        }
    }

    fn escape(&mut self) -> Vec<Act> {
        if let Some(plane) = self.plane.take() {
            return vec![plane.given_up()];
        }
        let was_open = match (self.drawing.take(), self.held.take()) {
            (Some(drawing), _) => drawing.is_open,
            (None, Some(_)) => true,
            (None, None) if self.chosen.is_some() => return self.let_go(),
            (None, None) => return Vec::new(),
        };
        if was_open { vec![Act::Cancel] } else { Vec::new() }
    }
}

impl Tool for PoseSketchTool {
    fn name(&self) -> &'static str {
        "Draw"
    }

    fn hint(&self) -> String {
        match (&self.drawing, &self.chosen) {
            (Some(_), _) => "The limb follows the line. Let go to keep it, Esc to take it back",
            (None, None) => {
                "Draw a line from a joint or over a limb: the limb follows. Shift: only say where it is"
            }
            (None, Some(chosen)) if chosen.baseline.is_some() => {
                "Now draw the shape that the limb is to take; Esc lets go of it"
            }
            (None, Some(_)) => {
                "Draw again anywhere, drag a knot, draw on from the line; Ctrl-click adds or takes a knot, Esc lets go"
            }
        }
        .into()
    }

    fn has_pointer(&self) -> bool {
        self.drawing.is_some() || self.held.is_some() || self.plane.is_some()
    }

    fn under(&self, at: Vec2, context: &Context<'_>) -> Option<Hit> {
        let active = active(context);
        let is_grip = |number: usize| knots::grip_at((number, at), self.focus, context).is_some();
        if plane::grip_at(at, context).is_some() || active.is_some_and(is_grip) {
            return Some(Hit::Handle);
        }
        let screen = Screen::of(context);
        screen.seen(context).joint_at(at.as_dvec2()).map(Hit::Joint)
    }

    fn handle(&mut self, event: &Event, context: &Context<'_>) -> Vec<Act> {
        self.chosen = self.limb(context);
        match *event {
            Event::Pressed { at, modifiers } => self.press(at, modifiers, context),
            Event::Moved { at, .. } => {
                self.pointer = Some(at);
                match (&mut self.plane, &self.held) {
                    (Some(plane), _) => vec![plane.drag(at, context)],
                    (None, Some(held)) => held.drag(at, context).into_iter().collect(),
                    (None, None) => self.draw(at, context),
                }
            }
            Event::Released { at } => self.release(at, context),
            Event::Key(Key::Escape) => self.escape(),
            Event::Grabbed { .. } | Event::Found | Event::Key(_) => Vec::new(),
        }
    }

    fn marks(&self, context: &Context<'_>) -> Marks {
        chosen_marks(context)
    }

    fn overlay(&self, context: &Context<'_>) -> Marks {
        let mut marks = marks::marks(self, context);
        marks.append(plane::marks(self.plane.as_ref(), self.pointer, context));
        marks
    }
}
