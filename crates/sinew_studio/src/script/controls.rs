//! Where buttons, fields and lists are, by the names that a screen reader says: so that a tour uses
//! panels and questions as a user does, in a window of any size.

use std::collections::BTreeMap;

use eframe::egui::accesskit::Role;
use eframe::egui::{self, Pos2};

/// What was on the screen in the frame before.
#[derive(Default)]
pub(super) struct Controls {
    middles: BTreeMap<String, Pos2>,
}

impl egui::Plugin for Controls {
    fn debug_name(&self) -> &'static str {
        "controls of a tour"
    }

    fn output_hook(&mut self, _ctx: &egui::Context, output: &mut egui::FullOutput) {
        let Some(tree) = &output.platform_output.accesskit_update else { return };
        self.middles.clear();
        for (_, node) in &tree.nodes {
            // Words beside a field are often called as the field is.
            if node.role() == Role::Label {
                continue;
            }
            if let (Some(name), Some(bounds)) = (node.label(), node.bounds()) {
                let [x, y] = [bounds.x0 + bounds.x1, bounds.y0 + bounds.y1].map(|sum| 0.5 * sum);
                // Of several the last, which lies on top.
                self.middles.insert(name.to_owned(), egui::pos2(x as f32, y as f32));
            }
        }
    }
}

/// Has the window told what is on it from now on.
pub(super) fn listen(ctx: &egui::Context) {
    ctx.enable_accesskit();
    if ctx.plugin_opt::<Controls>().is_none() {
        ctx.add_plugin(Controls::default());
    }
}

/// The middle of what has that name.
pub(super) fn middle_of(ctx: &egui::Context, name: &str) -> Result<Pos2, String> {
    let found = ctx.with_plugin(|controls: &mut Controls| {
        let names = controls.middles.keys().map(String::as_str);
        let middle = controls.middles.get(name).copied();
        middle.ok_or_else(|| sinew_editor::names::unknown("control", name, names))
    });
    found.unwrap_or_else(|| Err("the window has not been drawn yet".into()))
}
