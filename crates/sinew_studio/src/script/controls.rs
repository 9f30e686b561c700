//! Where buttons, fields and lists are, by the names that a screen reader says: so that a tour uses
//! panels and questions as a user does, in a window of any size.

use std::collections::BTreeMap;

use eframe::egui::accesskit::Role;
use eframe::egui::{self, Rect};

/// What was on the screen in the frame before.
#[derive(Default)]
pub(super) struct Controls {
    rects: BTreeMap<String, Rect>,
}

impl egui::Plugin for Controls {
    fn debug_name(&self) -> &'static str {
        "controls of a tour"
    }

    fn output_hook(&mut self, _ctx: &egui::Context, output: &mut egui::FullOutput) {
        let Some(tree) = &output.platform_output.accesskit_update else { return };
        self.rects.clear();
        for (_, node) in &tree.nodes {
            // Words beside a field are often called as the field is.
            if node.role() == Role::Label {
                continue;
            }
            if let (Some(name), Some(bounds)) = (node.label(), node.bounds()) {
                let [x0, y0] = [bounds.x0, bounds.y0].map(|least| least as f32);
                let [x1, y1] = [bounds.x1, bounds.y1].map(|most| most as f32);
                let rect = Rect::from_min_max(egui::pos2(x0, y0), egui::pos2(x1, y1));
                // Of several the last, which lies on top.
                self.rects.insert(name.to_owned(), rect);
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

/// Where what has that name is.
pub(super) fn rect_of(ctx: &egui::Context, name: &str) -> Result<Rect, String> {
    let found = ctx.with_plugin(|controls: &mut Controls| {
        let names = controls.rects.keys().map(String::as_str);
        let rect = controls.rects.get(name).copied();
        rect.ok_or_else(|| sinew_editor::names::unknown("control", name, names))
    });
    found.unwrap_or_else(|| Err("the window has not been drawn yet".into()))
}
