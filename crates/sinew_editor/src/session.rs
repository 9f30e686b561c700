//! What belongs to no document: selection, tool, camera, time. Nothing of it is undone or saved
//! with the work.

mod held_back;
mod keys;
mod strokes;

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::Vec2;
use sinew::Character;
use sinew::frame::{Controls, Frame, FrameStart};
use sinew::posing::Hinges;
use sinew::skeleton::Pose;
use sinew_view::scene::Marks;

use crate::document::Document;
use crate::edit::{Edit, EditError};
use crate::editor::Editor;
use crate::picker::Picker;
use crate::playback::Playback;
use crate::selection::Selection;
use crate::tool::{
    Act, CageWork, Context, Event, Hit, Key, Picking, ReachWork, SculptWork, SketchWork,
    SurfaceWork, Tool, WaysOut, WeightTools, ways_out, with_further,
};
use crate::view::View;

pub use keys::{NumbersToKey, ShownNumbers};

/// One user's view of a document.
pub struct Session {
    /// Camera and picture.
    pub view: View,
    /// What is chosen.
    pub selection: Selection,
    /// Which clip is shown, and where in it.
    pub playback: Playback,
    /// Posing while a motion is chosen sets keys at the playhead.
    pub auto_key: bool,
    /// The layer that keys are set in, from the bottom.
    pub key_layer: usize,
    /// While something is dragged, springs begin where the last frame ended: smoother, and sooner
    /// at rest.
    pub starts_from_previous: bool,
    /// What a click takes.
    pub picking: Picking,
    /// What a click would take now.
    pub hovered: Option<Hit>,
    /// How the weight tools work.
    pub weights: WeightTools,
    /// Meshes that are not shown, by their place in the character.
    pub hidden_meshes: BTreeSet<usize>,
    /// Joints that move no skin are shown, and taken by clicks.
    pub shows_helpers: bool,
    /// The character that is edited, and what is known of its joints.
    met: Option<Met>,
    /// The skin on the screen.
    pub frame: Option<Arc<Frame>>,
    /// How the cage tool works.
    pub cage: CageWork,
    /// How the sculpting tool works.
    pub sculpt: SculptWork,
    /// How the reaching tool works; its pins are of the character that is edited.
    pub reach: ReachWork,
    /// How the sketch tool works.
    pub sketch: SketchWork,
    /// How the surface tools work, and on which edit.
    pub surface: SurfaceWork,
    /// How hard the pen is pressed, from 0 to 1; `None` for a mouse, and where nobody tells it.
    pub pressure: Option<f32>,
    /// Joints and cage on the screen, with the skin's points or without.
    pub cage_frame: Option<Arc<Frame>>,
    /// Says what of it is under the pointer.
    pub picker: Option<Arc<dyn Picker>>,
    tool: Box<dyn Tool>,
    /// Where the button went down on a gizmo.
    pressed_at: Option<Vec2>,
    /// Where it went down beside everything: a click there chooses nothing, a drag looks around and
    /// leaves the choice.
    beside_at: Option<Vec2>,
    /// What the pointer does until it is known what it pressed.
    held_back: held_back::HeldBack,
}

/// A view, and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct SideShown<'a> {
    /// Camera and picture.
    pub view: View,
    /// What was drawn there last.
    pub frame: Option<&'a Frame>,
    /// It shows the rest, so that handles of the cage are those at rest.
    pub at_rest: bool,
}

/// A character, and what is found out of it once.
struct Met {
    character: Arc<Character>,
    /// For each joint: true if it moves no skin.
    helpers: Vec<bool>,
    bone_shares: Vec<f32>,
    hinges: Hinges,
}

/// A button that goes up this near to where it went down was clicked, not dragged.
const CLICK_PX: f32 = 3.0;

impl Session {
    /// With nothing chosen.
    pub fn new(view: View, tool: Box<dyn Tool>) -> Self {
        Self {
            view,
            selection: Selection::default(),
            playback: Playback::default(),
            auto_key: false,
            key_layer: 0,
            starts_from_previous: false,
            picking: Picking::default(),
            hovered: None,
            weights: WeightTools::default(),
            hidden_meshes: BTreeSet::new(),
            shows_helpers: false,
            met: None,
            frame: None,
            cage: CageWork::default(),
            sculpt: SculptWork::default(),
            reach: ReachWork::default(),
            sketch: SketchWork::default(),
            surface: SurfaceWork::default(),
            pressure: None,
            cage_frame: None,
            picker: None,
            tool,
            pressed_at: None,
            beside_at: None,
            held_back: held_back::HeldBack::default(),
        }
    }

    /// Knows the character that is edited; of another one all meshes are shown.
    pub fn meet(&mut self, character: &Arc<Character>) {
        if self.met.as_ref().is_some_and(|met| Arc::ptr_eq(&met.character, character)) {
            return;
        }
        let is_same = self.met.as_ref().is_some_and(|met| {
            let parts = met.character.parts.iter().zip(&character.parts);
            met.character.parts.len() == character.parts.len()
                && parts.into_iter().all(|(a, b)| a.mesh.is_shared_with(&b.mesh))
        });
        self.met = Some(Met {
            character: Arc::clone(character),
            helpers: character.joints_that_move_skin().iter().map(|moves| !moves).collect(),
            bone_shares: character.bone_shares(),
            hinges: self.hinges_of(character),
        });
        // With other weights it is the same one.
        if !is_same {
            self.hidden_meshes.clear();
            self.reach.pins.clear();
        }
    }

    /// Which way joints bend depends on the skeleton and on which way a character faces, not on its
    /// weights and shapes: those change at every move of a hand.
    fn hinges_of(&self, character: &Character) -> Hinges {
        let known = self.met.as_ref().filter(|met| met.character.skeleton == character.skeleton);
        known.map_or_else(|| Hinges::of(character), |met| met.hinges.clone())
    }

    /// Lets the point that was dragged last have a further joint, and brings it to its goal.
    pub fn accept_further(&mut self, joint: u32, editor: &mut Editor) -> Result<(), EditError> {
        let context = self.context(editor);
        let edit = self.tool.why_not().and_then(|why| with_further(why, joint, &context));
        match edit {
            Some(edit) => self.apply(Some("Drag with a further joint"), vec![edit.into()], editor),
            None => Ok(()),
        }
    }

    /// What would bring the point that was dragged last where its weights do not reach.
    pub fn ways_out(&self, editor: &Editor) -> WaysOut {
        let context = self.context(editor);
        self.tool.why_not().map(|why| ways_out(why, &context)).unwrap_or_default()
    }

    /// For each joint: true if it moves no skin. Empty before [`Self::meet`].
    pub fn helpers(&self) -> &[bool] {
        self.met.as_ref().map_or(&[], |met| &met.helpers)
    }

    /// For each joint: how much of its bone is shown. Empty before [`Self::meet`].
    pub fn bone_shares(&self) -> &[f32] {
        self.met.as_ref().map_or(&[], |met| &met.bone_shares)
    }

    /// For each joint: true if it is not shown.
    fn hidden_joints(&self) -> &[bool] {
        if self.shows_helpers { &[] } else { self.helpers() }
    }

    /// Shows a mesh, or hides it.
    pub fn show_mesh(&mut self, mesh: usize, is_shown: bool) {
        if is_shown {
            self.hidden_meshes.remove(&mesh);
        } else {
            self.hidden_meshes.insert(mesh);
        }
    }

    /// Shows one mesh of so many alone; all of them again if it was alone already.
    pub fn isolate_mesh(&mut self, mesh: usize, num_meshes: usize) {
        let others: BTreeSet<usize> = (0..num_meshes).filter(|&other| other != mesh).collect();
        let is_alone = self.hidden_meshes == others;
        self.hidden_meshes = if is_alone { BTreeSet::new() } else { others };
    }

    /// The tool in hand.
    pub fn tool(&self) -> &dyn Tool {
        &*self.tool
    }

    /// Takes another tool; what the old one was in the middle of is cancelled.
    pub fn take_tool(&mut self, tool: Box<dyn Tool>, editor: &mut Editor) {
        editor.cancel();
        self.tool = tool;
        self.hovered = None;
        self.sketch.chosen = None;
    }

    /// True if the button went down beside everything: a drag from there looks around.
    pub fn is_beside(&self) -> bool {
        self.beside_at.is_some()
    }

    /// The pointer drags the view: where it went down is not clicked any more.
    pub fn looks_around(&mut self, at: Vec2) {
        if self.beside_at.is_some_and(|beside| beside.distance(at) > CLICK_PX) {
            self.beside_at = None;
        }
    }

    /// Lets a tool that waits for the picker ask again.
    pub fn poll(&mut self, editor: &mut Editor) -> Result<(), EditError> {
        if self.tool.is_waiting() {
            self.dispatch(&Event::Found, editor)?;
        }
        self.do_held_back(editor)
    }

    /// What is drawn over the character: the tool's marks, and what a click would take.
    pub fn marks(&self, editor: &Editor) -> Marks {
        let context = self.context(editor);
        let mut marks = self.hovered.map_or_else(Marks::default, |hit| hit.marks(&context));
        marks.append(self.tool.marks(&context));
        marks
    }

    /// What the frame on the screen is made from.
    pub fn controls(&self, editor: &Editor) -> Controls {
        match self.tool.shows_rest(&self.cage) {
            true => self.rest_controls(editor),
            false => self.posed_controls(editor),
        }
    }

    /// What a frame in the pose is made from, whatever the tool shows.
    pub fn posed_controls(&self, editor: &Editor) -> Controls {
        let start = match self.starts_from_previous && editor.is_open() {
            true => FrameStart::Previous,
            false => FrameStart::FirstStage,
        };
        Controls { start, ..self.playback.controls(editor.document()) }
    }

    /// What a frame at rest is made from, whatever the tool shows.
    pub fn rest_controls(&self, editor: &Editor) -> Controls {
        let pose = Pose::rest(&editor.document().character().skeleton);
        Controls { pose, ..self.posed_controls(editor) }
    }

    /// What the tool draws over the finished picture of a view.
    pub fn overlay(&self, side: &SideShown<'_>, editor: &Editor) -> Marks {
        self.seen_in(side, editor, |context| self.tool.overlay(context))
    }

    /// What a tool sees in another view than the one in hand.
    pub fn seen_in<T>(
        &self,
        side: &SideShown<'_>,
        editor: &Editor,
        asks: impl FnOnce(&Context<'_>) -> T,
    ) -> T {
        let cage = CageWork { at_rest: side.at_rest, ..self.cage.clone() };
        let context = self.context(editor);
        asks(&Context { view: side.view, cage_frame: side.frame, cage: &cage, ..context })
    }

    /// Does edits as one step, from what is shown: a clip's pose at the playhead is taken first
    /// where they are about it.
    pub fn apply(
        &mut self,
        label: Option<&str>,
        edits: Vec<Edit>,
        editor: &mut Editor,
    ) -> Result<(), EditError> {
        let is_of_pose = edits.iter().any(is_of_pose);
        if is_of_pose {
            self.playback.pause();
        }
        let own_label = edits.first().map(Edit::label);
        editor.begin_from(label.or(own_label.as_deref()), self.start_of(&edits, editor.document()));
        if let Err(error) = editor.replace(edits) {
            editor.cancel();
            return Err(error);
        }
        self.commit(editor)?;
        // A pose that is the document's already is to be seen, too.
        if is_of_pose && !self.keys_poses() && self.playback.shows_clip(editor.document()) {
            self.playback.hide();
        }
        Ok(())
    }

    /// Makes these the edits of what a field is dragged to; the first opens the step.
    pub fn drag(
        &mut self,
        label: &str,
        edits: Vec<Edit>,
        editor: &mut Editor,
    ) -> Result<(), EditError> {
        if !editor.is_open() {
            if edits.iter().any(is_of_pose) {
                self.playback.pause();
            }
            editor.begin_from(Some(label), self.start_of(&edits, editor.document()));
        }
        editor.replace(edits)
    }

    /// Ends what is open. Where posing sets keys, it becomes keys at the playhead, and the
    /// document's own pose stays what it was.
    pub fn commit(&mut self, editor: &mut Editor) -> Result<(), EditError> {
        let keyed = if self.keys_poses() { self.keys_of_open(editor) } else { Ok(Vec::new()) };
        match keyed {
            Ok(edits) if edits.is_empty() => editor.commit(),
            Ok(mut edits) => {
                edits.extend(self.strokes_of_open(editor));
                if let Err(error) = editor.replace_all(edits) {
                    editor.cancel();
                    return Err(error);
                }
                editor.commit();
            }
            Err(error) => {
                editor.cancel();
                return Err(error);
            }
        }
        self.playback.sync(editor.document());
        Ok(())
    }

    /// What edits start with, each once.
    fn start_of(&self, edits: &[Edit], document: &Document) -> Vec<Edit> {
        let mut start = Vec::new();
        for edit in edits.iter().flat_map(|edit| self.playback.start_of(edit, document)) {
            if !start.contains(&edit) {
                start.push(edit);
            }
        }
        start
    }

    /// Hands an event to the tool and does what it says. True if it had use for it. On an error the
    /// document is as it was before the event.
    pub fn dispatch(&mut self, event: &Event, editor: &mut Editor) -> Result<bool, EditError> {
        if self.holds_back(event, editor) {
            return Ok(true);
        }
        self.dispatch_now(event, editor)
    }

    fn dispatch_now(&mut self, event: &Event, editor: &mut Editor) -> Result<bool, EditError> {
        let was_open = editor.is_open();
        let is_used = self.hand_on(event, editor)?;
        match *event {
            Event::Pressed { at, .. } => {
                self.pressed_at = (!was_open && editor.is_open()).then_some(at);
            }
            Event::Moved { at, .. } => {
                self.looks_around(at);
                if self.pressed_at.is_some_and(|pressed| pressed.distance(at) > CLICK_PX) {
                    self.pressed_at = None;
                }
                let is_free = !editor.is_open() && !self.tool.has_pointer();
                self.hovered = is_free.then(|| self.under(at, editor)).flatten();
            }
            Event::Released { .. } if self.beside_at.take().is_some() => {
                self.selection = Selection::default();
            }
            _ => {}
        }
        Ok(is_used)
    }

    fn under(&self, at: Vec2, editor: &Editor) -> Option<Hit> {
        if self.tool.is_hovered() {
            return Some(Hit::Handle);
        }
        self.tool.under(at, &self.context(editor))
    }

    /// A click on a gizmo that lies over another bone means the bone.
    fn click_through(&mut self, at: Vec2, editor: &mut Editor) -> bool {
        if self.pressed_at.take().is_none() {
            return false;
        }
        let under = self.tool.under(at, &self.context(editor));
        let Some(Hit::Joint(joint)) = under else { return false };
        if self.selection.active == Some(joint) {
            return false;
        }
        editor.cancel();
        self.selection = Selection::of(joint);
        true
    }

    /// Hands an event to the tool alone.
    fn tell(&mut self, event: &Event, editor: &Editor) -> Vec<Act> {
        let Self { tool, view, selection, playback, picking, frame, picker, weights, .. } = self;
        let (cage, surface) = (&self.cage, &self.surface);
        let cage_frame = self.cage_frame.as_deref();
        let met = self.met.as_ref().filter(|_| !self.shows_helpers);
        let document = editor.document();
        let context = Context {
            document,
            pose: playback.pose(document),
            selection,
            view: *view,
            frame: frame.as_deref(),
            picker: picker.as_deref(),
            picking: *picking,
            hidden_joints: met.map_or(&[], |met| &met.helpers),
            hinges: self.met.as_ref().map(|met| &met.hinges),
            weights,
            cage,
            sculpt: &self.sculpt,
            reach: &self.reach,
            sketch: &self.sketch,
            surface,
            pressure: self.pressure,
            rest_cage: playback.rest_cage(document),
            cage_frame,
        };
        tool.handle(event, &context)
    }

    fn hand_on(&mut self, event: &Event, editor: &mut Editor) -> Result<bool, EditError> {
        if let Event::Released { at } = *event
            && self.click_through(at, editor)
        {
            // The tool lets go of what it held; there is nothing left of it to end.
            self.tell(event, editor);
            return Ok(true);
        }
        let is_press = matches!(event, Event::Pressed { .. });
        if is_press {
            self.beside_at = None;
        }
        let acts = self.tell(event, editor);
        let mut is_used = !acts.is_empty();
        for act in acts {
            match act {
                // Beside everything: what was meant, a click or a look around, is seen when the
                // button goes up.
                Act::Select(selection) if selection.is_empty() && is_press => {
                    if let Event::Pressed { at, .. } = *event {
                        self.beside_at = Some(at);
                    }
                    is_used = false;
                }
                Act::Select(selection) => self.selection = selection,
                Act::ChooseSurface(name) => {
                    self.surface.chosen = name;
                    self.surface.redraws = false;
                }
                Act::ChooseStroke(number) => self.sketch.chosen = number,
                Act::PlacePlane(plane) => self.sketch.own = Some(plane),
                Act::BeginCage { label, at_rest } => {
                    self.playback.pause();
                    let document = editor.document();
                    let mut from = match at_rest {
                        true => Vec::new(),
                        false => self.playback.start_of_pose(document),
                    };
                    from.extend(self.playback.start_of_cage(document));
                    editor.begin_from(Some(&label), from);
                }
                Act::Begin(label) => {
                    self.playback.pause();
                    let from = self.playback.start_of_pose(editor.document());
                    editor.begin_from(Some(&label), from);
                }
                Act::Stroke(label) => {
                    self.playback.pause();
                    editor.begin(Some(&label));
                }
                // An undo in the middle of a drag has taken it back: it is over for the tool too.
                Act::Replace(_) if !editor.is_open() => {
                    self.tell(&Event::Key(Key::Escape), editor);
                    break;
                }
                Act::Replace(edits) => editor.replace(edits)?,
                Act::Commit => self.commit(editor)?,
                Act::Cancel => editor.cancel(),
            }
        }
        Ok(is_used)
    }

    /// What tools see.
    pub fn context<'a>(&'a self, editor: &'a Editor) -> Context<'a> {
        let document = editor.document();
        let pose: &Arc<_> = self.playback.pose(document);
        Context {
            document,
            pose,
            selection: &self.selection,
            view: self.view,
            frame: self.frame.as_deref(),
            picker: self.picker.as_deref(),
            picking: self.picking,
            hidden_joints: self.hidden_joints(),
            hinges: self.met.as_ref().map(|met| &met.hinges),
            weights: &self.weights,
            cage: &self.cage,
            sculpt: &self.sculpt,
            reach: &self.reach,
            sketch: &self.sketch,
            surface: &self.surface,
            pressure: self.pressure,
            rest_cage: self.playback.rest_cage(document),
            cage_frame: self.cage_frame.as_deref(),
        }
    }
}

fn is_of_pose(edit: &Edit) -> bool {
    match edit {
        Edit::Pose(edit) => edit.is_of_pose(),
        Edit::Stroke(_) => true,
        _ => false,
    }
}
