//! What the window does when the solver has answered: tools see the skin, and can ask what is under
//! the pointer.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sinew::frame::{Plan, Rig};
use sinew::progress::Silent;
use sinew_editor::RasterPicker;
use sinew_editor::seam::Threads;
use sinew_view::stage::Stage;

use crate::common::user::User;

/// Longer than any machine takes to make a picking buffer.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

/// Shows the skin of the document as it is. The receiver hears of each picking buffer.
pub(crate) fn show(user: &mut User) -> Receiver<()> {
    let document = user.editor.document().clone();
    let plan = Plan::bind(document.character(), &Rig::default(), &Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(&document.controls(), &mut plan.scratch(), &mut frame);
    let frame = Arc::new(frame);
    let (sender, found) = channel();
    let sender = Mutex::new(sender);
    let picker = RasterPicker::new(Threads, move || _ = sender.lock().unwrap().send(()));
    picker.show(&frame, &Stage::bind(document.character()).surfaces(&frame));
    user.session.picker = Some(Arc::new(picker));
    user.session.frame = Some(frame);
    found
}
