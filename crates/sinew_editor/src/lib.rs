//! All of the editing, with no window.
//!
//! A [`Document`] is a character with everything that the user decided about it; [`Document::apply`] is the only way to change it, and an
//! [`Edit`] is plain data. An [`Editor`] groups edits into steps that can be undone; a [`Workspace`] keeps it in a project file and a
//! journal beside it, so that a crash loses nothing.
//!
//! ```
//! use sinew::sample::SampleKind;
//! use sinew_editor::{Axis, Document, Edit, Editor, Source};
//!
//! let mut editor = Editor::new(Document::open(Source::sample(SampleKind::Cylinder), None)?);
//! let before = editor.document().clone();
//! let joint = before.joint_ref(1);
//! editor.apply(Edit::RotateJoint { joint, axis: Axis::Twist, degrees: 720.0 })?;
//! assert_ne!(*editor.document(), before);
//! editor.undo();
//! assert_eq!(*editor.document(), before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod axis;
mod deformation;
mod document;
mod edit;
mod editor;
mod export;
mod history;
mod joint_ref;
pub mod journal;
mod mirror;
pub mod names;
pub mod project;
mod session;
pub mod solver;
mod source;
mod state;
pub mod tool;
mod view;
mod workspace;

pub use axis::Axis;
pub use deformation::Deformation;
pub use document::{Document, StoredPose};
pub use edit::{Edit, EditError};
pub use editor::Editor;
pub use export::{ExportError, export_posed};
pub use history::{DEFAULT_BUDGET_BYTES, History};
pub use joint_ref::JointRef;
pub use session::{Selection, Session};
pub use source::{Source, SourceError};
pub use state::State;
pub use view::View;
pub use workspace::{Opened, Workspace};
