//! What belongs to no document: selection, tool, camera. Nothing of it is undone or saved with the work.

use std::collections::BTreeSet;

use crate::edit::EditError;
use crate::editor::Editor;
use crate::tool::{Act, Context, Event, Key, Tool};
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
}

impl Session {
    /// With nothing chosen.
    pub fn new(view: View, tool: Box<dyn Tool>) -> Self {
        Self { view, selection: Selection::default(), tool }
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
