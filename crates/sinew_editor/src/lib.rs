//! All of the editing, with no window.
//!
//! A [`Document`] is a character with everything that the user decided about it;
//! [`Document::apply`] is the only way to change it, and an [`Edit`] is plain data. An [`Editor`]
//! groups edits into steps that can be undone; a [`Workspace`] keeps it in a project file and a
//! journal beside it, so that a crash loses nothing.
//!
//! ```
//! use sinew::sample::SampleKind;
//! use sinew_editor::{Axis, Document, Editor, PoseEdit, Source};
//!
//! let mut editor = Editor::new(Document::open(Source::sample(SampleKind::Cylinder), None)?);
//! let before = editor.document().clone();
//! let joint = before.joint_ref(1);
//! editor.apply(PoseEdit::RotateJoint { joint, axis: Axis::Twist, degrees: 720.0 })?;
//! assert_ne!(*editor.document(), before);
//! editor.undo();
//! assert_eq!(*editor.document(), before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod additions;
mod cage_plan;
mod date;
mod document;
mod driver_text;
mod edit;
mod editor;
mod export;
mod hinge_memory;
mod history;
mod import;
pub mod job;
pub mod journal;
pub mod json_keys;
mod keying;
mod layer_text;
mod mirror;
mod motion_text;
mod motions;
mod name_ref;
pub mod names;
mod picker;
mod playback;
pub mod pose_file;
mod pose_strokes;
pub mod project;
mod replay;
mod rig_text;
mod script;
pub mod seam;
mod selection;
mod session;
mod shapes;
pub mod solver;
mod source;
mod state;
mod surface;
mod text;
pub mod tool;
mod view;
mod workspace;

pub use document::{Document, StoredPose};
pub use driver_text::{DriverText, ShapePath, text_of as driver_text};
pub use edit::{
    CageEdit, DragText, Edit, EditError, Held, Keeping, KeysRef, LayerEdit, LineText, MotionEdit,
    MovedPoint, PoseEdit, RigEdit, RiggingEdit, RowText, ShapeEdit, StrokeEdit, StrokeText,
    SurfaceEdit, Taking, WeightEdit,
};
pub use editor::Editor;
pub use export::{ExportError, export_character, export_posed, export_shown};
pub use history::{DEFAULT_BUDGET_BYTES, History};
pub use import::{ImportError, Imported, import_motions, motion_edits, motions_of};
pub use keying::{KeyPlace, KeyedNumbers, keys_of_cage, keys_of_pose, keys_of_surface};
pub use motion_text::{ChannelRef, ChannelText, HandleText, KeyText, ValueText, name_of};
pub use motions::Motions;
pub use name_ref::{JointRef, MeshRef, MotionRef, ShapeRef};
pub use picker::{Picker, RasterPicker};
pub use playback::Playback;
pub use pose_strokes::PoseStrokes;
pub use replay::Replayed;
pub use rig_text::rig_over_defaults;
pub use script::read_edits;
pub use selection::Selection;
pub use session::{NumbersToKey, Session, ShownNumbers, SideShown};
pub use shapes::Shapes;
pub use sinew::skeleton::Axis;
pub use source::{Source, SourceError};
pub use state::State;
pub use surface::{Drawn, SurfaceDrawing, SurfaceEntry, SurfaceStack};
pub use view::View;
pub use workspace::{Autosave, Guard, Opened, Recovered, Workspace};
