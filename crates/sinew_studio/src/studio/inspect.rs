//! What others may know of a studio: scripts and tests.

use eframe::egui;
use sinew::glam::Vec3;
use sinew_editor::tool::WeightTools;
use sinew_editor::{Edit, Selection};
use sinew_gpu::Traffic;

use crate::studio::Studio;

impl Studio {
    /// True while something is under way that will change the picture.
    pub fn is_busy(&self) -> bool {
        self.views.panes.is_busy()
            || self.views.state.frames_all
            || self.files.is_waiting()
            || self.session.tool().is_waiting()
            || self.has_job()
            || (self.views.state.shows_strip && self.views.strip.is_busy())
            || self.panels.cage.check.is_some()
            || self.panels.repairs.is_looking()
    }

    /// How the weight tools work.
    pub fn weight_tools(&self) -> &WeightTools {
        &self.session.weights
    }

    /// Chooses points of the skin, each with the number of its mesh, and a joint beside them if one
    /// is named.
    pub fn choose_points(&mut self, points: &[(usize, u32)], joint: Option<u32>) {
        let chosen = Selection::of_points(points.iter().copied());
        self.session.selection = match joint {
            Some(joint) => Selection { points: chosen.points, ..Selection::of(joint) },
            None => chosen,
        };
    }

    /// How often the pictures of the pose strip were made.
    pub fn num_strip_pictures(&self) -> u64 {
        self.views.strip.num_drawn
    }

    /// The last thing that went wrong.
    pub fn last_failure(&self) -> Option<&str> {
        self.toasts.last_failure()
    }

    /// What went to the graphics card and came back so far; `None` where the processor does it all.
    pub fn traffic(&self) -> Option<Traffic> {
        Some(self.views.canvas.gpu()?.traffic())
    }

    /// True if the card has made what a view shows; `None` before there is anything.
    pub fn is_on_card(&self, view: usize) -> Option<bool> {
        Some(self.views.panes.answer(view)?.on_card.is_some())
    }

    /// Why the processor made what the first view shows, though there is a card.
    pub fn why_not_on_card(&self) -> Option<&str> {
        self.views.panes.first().answer()?.why_here.as_deref()
    }

    /// Does an edit, as a script does.
    pub fn edit(&mut self, edit: impl Into<Edit>) {
        self.apply(edit);
    }

    /// The posed points of every mesh, as the first view shows them; where the card has them, those
    /// that were read last.
    pub fn shown_points(&self) -> Option<Vec<&[Vec3]>> {
        self.points_of_view(0)
    }

    /// The same of a compared view, counted from 0.
    pub fn points_of_view(&self, view: usize) -> Option<Vec<&[Vec3]>> {
        let frame = self.views.panes.get(view)?.points()?;
        Some(frame.parts().iter().map(sinew::frame::PartFrame::points).collect())
    }

    /// True if closing now would lose something.
    pub fn is_modified(&self) -> bool {
        self.workspace.editor().is_modified()
    }

    /// True while a clip plays.
    pub fn is_playing(&self) -> bool {
        self.session.playback.is_playing()
    }

    /// Where in its clip it is.
    pub fn playhead_seconds(&self) -> f64 {
        self.session.playback.seconds()
    }

    /// True if the pose on the screen is a clip's, not the document's.
    pub fn shows_clip(&self) -> bool {
        self.session.playback.shows_clip(self.document())
    }

    /// What a click would take, by name.
    pub fn hovered_name(&self) -> Option<String> {
        Some(self.session.hovered?.name(self.document()))
    }

    /// How many points are chosen.
    pub fn num_chosen_points(&self) -> usize {
        self.session.selection.num_points()
    }

    /// What the tool says that can be done now.
    pub fn hint(&self) -> String {
        self.session.tool().hint()
    }

    /// True if a click would take hold of the tool's gizmo.
    pub fn hovers_gizmo(&self) -> bool {
        self.session.tool().is_hovered()
    }

    /// Which keys do what.
    pub fn keymap(&self) -> crate::Keymap {
        self.settings.keymap
    }

    /// The joints that are chosen.
    pub fn chosen_joints(&self) -> Vec<u32> {
        self.session.selection.joints.iter().copied().collect()
    }

    /// Where the first view is in the window, in points.
    pub fn first_view_rect(&self) -> egui::Rect {
        self.views.state.rects[0]
    }

    /// Where a view is in the window, counted from 0; nowhere if it is not there.
    pub fn view_rect(&self, view: usize) -> egui::Rect {
        self.views.state.rects.get(view).copied().unwrap_or(egui::Rect::NOTHING)
    }

    /// Where a point of the model is in the window.
    pub fn place_in_window(&self, ctx: &egui::Context, point: Vec3) -> Option<egui::Pos2> {
        self.place_in_view(ctx, point, 0)
    }

    /// The same of a further view, counted from 0. Views are as large as one another.
    pub fn place_in_view(
        &self,
        ctx: &egui::Context,
        point: Vec3,
        view: usize,
    ) -> Option<egui::Pos2> {
        let pixel = self.session.view.project(point)?;
        let rect = self.views.state.rects.get(view)?;
        Some(rect.min + egui::vec2(pixel.x, pixel.y) / ctx.pixels_per_point())
    }

    /// Both ends of a joint's bone, as posed.
    pub fn bone_ends(&self, joint: u32) -> [Vec3; 2] {
        let context = self.session.context(self.workspace.editor());
        context.bone_ends(&context.palette(), joint)
    }
}
