//! What belongs to no document: selection, tool, camera. Nothing of it is undone or saved with the work.

use std::collections::BTreeSet;

use glam::Vec2;

use crate::edit::EditError;
use crate::editor::Editor;
use crate::tool::{Act, Context, Event, Key, Tool, joint_at};
use crate::view::View;

/// The joints that are chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// All of them.
    pub joints: BTreeSet<u32>,
    /// The one that was chosen last: gizmos stand on it.
    pub active: Option<u32>,
}

impl Selection {
    /// One joint.
    pub fn of(joint: u32) -> Self {
        Self { joints: BTreeSet::from([joint]), active: Some(joint) }
    }

    /// Adds a joint, or takes it out if it was in.
    pub fn toggle(&mut self, joint: u32) {
        if self.joints.remove(&joint) {
            self.active = self.joints.last().copied();
        } else {
            self.joints.insert(joint);
            self.active = Some(joint);
        }
    }

    /// True if nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }
}

/// One user's view of a document.
pub struct Session {
    /// Camera and picture.
    pub view: View,
    /// What is chosen.
    pub selection: Selection,
    tool: Box<dyn Tool>,
    /// Where the button went down on a gizmo.
    pressed_at: Option<Vec2>,
}

/// A button that goes up this near to where it went down was clicked, not dragged.
const CLICK_PX: f32 = 3.0;

impl Session {
    /// With nothing chosen.
    pub fn new(view: View, tool: Box<dyn Tool>) -> Self {
        Self { view, selection: Selection::default(), tool, pressed_at: None }
    }

    /// The tool in hand.
    pub fn tool(&self) -> &dyn Tool {
        &*self.tool
    }

    /// Takes another tool; what the old one was in the middle of is cancelled.
    pub fn take_tool(&mut self, tool: Box<dyn Tool>, editor: &mut Editor) {
        editor.cancel();
        self.tool = tool;
    }

    /// Hands an event to the tool and does what it says. True if it had use for it. On an error the document is as it was before the
    /// event.
    pub fn dispatch(&mut self, event: &Event, editor: &mut Editor) -> Result<bool, EditError> {
        let was_open = editor.is_open();
        let is_used = self.hand_on(event, editor)?;
        match *event {
            Event::Pressed { at, .. } => {
                self.pressed_at = (!was_open && editor.is_open()).then_some(at);
            }
            Event::Moved { at, .. }
                if self.pressed_at.is_some_and(|p| p.distance(at) > CLICK_PX) =>
            {
                self.pressed_at = None;
            }
            _ => {}
        }
        Ok(is_used)
    }

    /// A click on a gizmo that lies over another bone means the bone.
    fn click_through(&mut self, at: Vec2, editor: &mut Editor) -> bool {
        if self.pressed_at.take().is_none() {
            return false;
        }
        let Some(joint) = joint_at(at, &self.context(editor)) else { return false };
        if self.selection.active == Some(joint) {
            return false;
        }
        editor.cancel();
        self.selection = Selection::of(joint);
        true
    }

    fn hand_on(&mut self, event: &Event, editor: &mut Editor) -> Result<bool, EditError> {
        if let Event::Released { at } = *event
            && self.click_through(at, editor)
        {
            // The tool lets go of what it held; there is nothing left of it to end.
            let context = Context {
                document: editor.document(),
                selection: &self.selection,
                view: self.view,
            };
            self.tool.handle(event, &context);
            return Ok(true);
        }
        let context =
            Context { document: editor.document(), selection: &self.selection, view: self.view };
        let acts = self.tool.handle(event, &context);
        let is_used = !acts.is_empty();
        for act in acts {
            match act {
                Act::Select(selection) => self.selection = selection,
                Act::Begin(label) => editor.begin(Some(&label)),
                // An undo in the middle of a drag has taken it back: it is over for the tool too.
                Act::Replace(_) if !editor.is_open() => {
                    let context = Context {
                        document: editor.document(),
                        selection: &self.selection,
                        view: self.view,
                    };
                    self.tool.handle(&Event::Key(Key::Escape), &context);
                    break;
                }
                Act::Replace(edits) => editor.replace(edits)?,
                Act::Commit => editor.commit(),
                Act::Cancel => editor.cancel(),
            }
        }
        Ok(is_used)
    }

    /// What tools see.
    pub fn context<'a>(&'a self, editor: &'a Editor) -> Context<'a> {
        Context { document: editor.document(), selection: &self.selection, view: self.view }
    }
}
