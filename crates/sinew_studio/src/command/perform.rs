//! What commands do, when they can be done, and why not.

use std::collections::BTreeMap;
use std::f32::consts::{FRAC_PI_2, PI};

use eframe::egui;
use sinew::retarget::{Role, Roles};
use sinew::skeleton::JointPose;
use sinew::weights::paint::Brush;
use sinew_editor::tool::{
    CageGesture, DragGesture, Event, GrabTool, MoveTool, Picks, PoseSketchTool, ReachTool,
    RotateTool, SculptTool, SelectTool, StretchTool, SurfaceTool, Tool, WeightDragTool, limb_end,
};
use sinew_editor::{CageEdit, Edit, JointRef, PoseEdit, Selection};

use super::Command;
use crate::files::{Adds, WeightsUse};
use crate::keymap::Keymap;
use crate::panels::keys::Shows;
use crate::settings::{Folded, Theme};
use crate::studio::{BRUSH_STEP, Next, Studio};
use crate::viewport::Bones;
use crate::viewport::paint::Coloring;
use crate::viewport::pane::Layout;

impl Studio {
    /// Whether a command makes sense now.
    pub(crate) fn can(&self, command: Command) -> bool {
        self.why_not(command).is_empty()
    }

    /// Why a command makes no sense now; empty if it does.
    pub(crate) fn why_not(&self, command: Command) -> &'static str {
        use Command as C;
        let history = self.workspace.editor().history();
        let joints = self.document().character().skeleton.len();
        let is_fulfilled = match command {
            C::Undo => history.done().len() > 0 || self.workspace.editor().is_open(),
            C::Redo => history.undone().len() > 0,
            C::ResetJoints | C::MirrorJoints | C::SelectParent | C::SelectChild => {
                !self.session.selection.joints.is_empty()
            }
            C::AddTwistJoints | C::AddHalfWay => self.session.selection.active.is_some(),
            C::AddCorrective => self.session.selection.active.is_some() && !self.has_job(),
            C::SelectNone => !self.session.selection.is_empty(),
            C::AddPointHandles => self.session.selection.num_points() > 0,
            C::MakeCage | C::MakeLattice | C::ImportCage | C::AddCage => {
                !self.has_job() && !self.document().character().parts.is_empty()
            }
            C::BindWeights | C::TransferWeights | C::ImportWeights => {
                !self.has_job() && joints > 0 && !self.document().character().parts.is_empty()
            }
            C::RangeOfMotion => joints > 0,
            C::BrushSmaller | C::BrushLarger => self.brush_radius().is_some(),
            C::ExportWeights => self.has_weights(),
            C::CheckCage | C::ResetCage | C::RemoveCage | C::AllHandles => {
                self.document().rig().cage.is_some()
            }
            C::LoopHandles => self.session.selection.handles.len() > 1,
            C::GrowPoints | C::ShrinkPoints if self.has_cage_tool() => {
                !self.session.selection.handles.is_empty()
            }
            C::GrowPoints | C::ShrinkPoints | C::WholeMeshes => {
                self.session.selection.num_points() > 0
            }
            C::SelectAll
            | C::PinJoints
            | C::MirrorPose
            | C::ResetPose
            | C::StorePose
            | C::CopyPose => joints > 0,
            C::PastePose => self.panels.copied_pose.is_some(),
            C::PlayPause | C::StepBack | C::StepForward | C::ToStart | C::ToEnd | C::SetKeys => {
                self.session.playback.clip().is_some()
            }
            C::DeleteKeys | C::CopyKeys => !self.panels.keys.chosen.is_empty(),
            C::PasteKeys => self.panels.keys.has_copied() && self.session.playback.clip().is_some(),
            C::ShowDifference => self.views.panes.compares(),
            C::ShowRestCage | C::ShowPosedCage => self.document().rig().cage.is_some(),
            C::ShowAllMeshes => !self.session.hidden_meshes.is_empty(),
            _ => true,
        };
        if is_fulfilled {
            return "";
        }
        match command {
            C::Undo => "There is nothing to undo",
            C::Redo => "There is nothing to redo",
            C::PastePose => "No pose was copied yet",
            C::DeleteKeys | C::CopyKeys => "Choose keys first, in the key sheet",
            C::PasteKeys => "No keys were copied yet, or no clip is shown",
            C::PlayPause | C::StepBack | C::StepForward | C::ToStart | C::ToEnd | C::SetKeys => {
                "Choose a clip first, at the left of the timeline"
            }
            C::ShowDifference => "Compare two views first",
            C::AddCorrective
            | C::MakeCage
            | C::MakeLattice
            | C::ImportCage
            | C::AddCage
            | C::BindWeights
            | C::TransferWeights
            | C::ImportWeights
                if self.has_job() =>
            {
                "Something is being made; wait for it"
            }
            C::BindWeights | C::TransferWeights | C::ImportWeights if joints > 0 => {
                "This character has no meshes"
            }
            C::BrushSmaller | C::BrushLarger => "Take a tool with a brush first",
            C::ExportWeights => "There are no weights; bind them first",
            C::MakeCage | C::MakeLattice | C::ImportCage | C::AddCage => {
                "This character has no meshes"
            }
            C::CheckCage
            | C::ResetCage
            | C::RemoveCage
            | C::AllHandles
            | C::ShowRestCage
            | C::ShowPosedCage => "There is no cage; make one first",
            C::LoopHandles => "Choose two neighbours of the cage first",
            C::GrowPoints | C::ShrinkPoints if self.has_cage_tool() => "Choose a handle first",
            C::ResetJoints
            | C::MirrorJoints
            | C::SelectParent
            | C::SelectChild
            | C::AddTwistJoints
            | C::AddHalfWay
            | C::AddCorrective => "Choose a joint first",
            C::ShowAllMeshes => "No mesh is hidden",
            C::SelectNone => "Nothing is chosen",
            C::GrowPoints | C::ShrinkPoints | C::WholeMeshes | C::AddPointHandles => {
                "Choose points first: Edit, Select: Points"
            }
            _ => "This character has no joints",
        }
    }

    /// Of what is on or off, which.
    pub(crate) fn is_on(&self, command: Command) -> Option<bool> {
        use Command as C;
        let tool = self.session.tool().name();
        let handles = |gesture| self.has_cage_tool() && self.session.cage.gesture == gesture;
        let paints = |brush| tool == "Paint" && self.session.weights.brush == brush;
        let points = |gesture| self.has_points_in_hand() && self.session.weights.gesture == gesture;
        Some(match command {
            C::SelectTool => tool == "Select",
            C::MoveTool => {
                tool == "Move" || handles(CageGesture::Move) || points(DragGesture::Move)
            }
            C::RotateTool => {
                tool == "Rotate" || handles(CageGesture::Turn) || points(DragGesture::Turn)
            }
            C::StretchTool => {
                tool == "Stretch" || handles(CageGesture::Scale) || points(DragGesture::Scale)
            }
            C::CageTool => tool == "Cage",
            C::CageAtRest => self.session.cage.at_rest,
            C::ReachTool => tool == "Reach",
            C::DrawTool => tool == "Draw",
            C::PaintTool => tool == "Paint",
            C::DragTool => tool == "Drag",
            C::SculptTool => tool == "Sculpt",
            C::SurfaceTool => tool == "Sketch",
            C::GrabTool => tool == "Grab",
            C::BrushAdd => paints(Brush::Add),
            C::BrushSubtract => paints(Brush::Subtract),
            C::BrushReplace => paints(Brush::Replace),
            C::BrushSmooth => paints(Brush::Smooth),
            C::BrushSharpen => paints(Brush::Sharpen),
            C::BrushRelax => paints(Brush::Relax),
            C::PickJoints => self.session.picking.picks == Picks::Joints,
            C::PickPoints => self.session.picking.picks == Picks::Points,
            C::SelectBox => !self.session.picking.by_lasso,
            C::SelectLasso => self.session.picking.by_lasso,
            C::SelectThrough => self.session.picking.goes_through,
            C::Orthographic => self.views.navigator.is_orthographic,
            C::ShowLists => !self.settings.folded.lists,
            C::ShowSettings => !self.settings.folded.settings,
            C::ShowTimeline => !self.settings.folded.timeline,
            C::ShowBones => self.views.state.bones != Bones::Off,
            C::BonesXRay => self.views.state.bones == Bones::XRay,
            C::ShowHelpers => self.session.shows_helpers,
            C::ShowWireframe => self.views.state.shows_wireframe,
            C::ShowSkin => self.views.state.structures.skin,
            C::ShowRestCage => self.views.state.structures.rest_cage,
            C::ShowPosedCage => self.views.state.structures.posed_cage,
            C::ShowRestBones => self.views.state.structures.rest_bones,
            C::ShowRestSkin => self.views.state.structures.rest_skin,
            C::ShowMaterial => self.views.state.coloring == Coloring::Material,
            C::ShowStretch => self.views.state.coloring == Coloring::Stretch,
            C::ShowGap => self.views.state.coloring == Coloring::Gap,
            C::ShowShells => self.views.state.coloring == Coloring::Shells,
            C::ShowWeights => self.views.state.coloring == Coloring::Weights,
            C::ShowInfluences => self.views.state.coloring == Coloring::Influences,
            C::PoseStrip => self.views.state.shows_strip,
            C::ShowDifference => self.views.state.coloring == Coloring::Difference,
            C::ThemeLight => self.settings.theme == Theme::Light,
            C::ThemeDark => self.settings.theme == Theme::Dark,
            C::KeysIndustry => self.settings.keymap == Keymap::Industry,
            C::KeysBlender => self.settings.keymap == Keymap::Blender,
            C::CompareOne => self.views.panes.layout == Layout::Grid(1),
            C::CompareTwo => self.views.panes.layout == Layout::Grid(2),
            C::CompareThree => self.views.panes.layout == Layout::Grid(3),
            C::CompareFour => self.views.panes.layout == Layout::Grid(4),
            C::CompareWipe => self.views.panes.layout == Layout::Wipe,
            C::BeforeAfter => self.views.state.shows_before,
            C::RestAndPose => self.views.panes.layout == Layout::RestAndPose,
            C::Loop => self.session.playback.loops,
            C::OnionSkin => self.views.state.shows_onion,
            C::AutoKey => self.session.auto_key,
            C::KeySheet => self.panels.keys.shows == Shows::Sheet,
            C::CurveEditor => self.panels.keys.shows == Shows::Curves,
            _ => return None,
        })
    }

    pub(crate) fn perform(&mut self, command: Command, ctx: &egui::Context) {
        use Command as C;
        let tool = self.session.tool().name();
        match command {
            C::Open => self.files.ask_open(ctx),
            C::Save => self.save(ctx),
            C::SaveAs => self.save_as(ctx),
            C::Export => self.files.ask_export(ctx, &self.title()),
            C::ImportWeights => self.files.ask_weights(WeightsUse::AsTheyAre, ctx),
            C::TransferWeights => self.files.ask_weights(WeightsUse::Transfer, ctx),
            C::ExportWeights => self.files.ask_export_weights(ctx, &self.title()),
            C::ImportMotion => self.files.ask_import_motion(ctx),
            C::ExportCharacter => self.files.ask_export_character(ctx, &self.title()),
            C::SavePicture => self.files.ask_picture(ctx, &self.title()),
            C::Quit => self.ask_then(Next::Quit, ctx),
            C::Undo => self.undo(),
            C::Redo => self.redo(),
            C::SelectAll if self.has_cage_tool() => self.choose_all_handles(),
            C::SelectAll => {
                let all = 0..self.document().character().skeleton.len() as u32;
                let active = self.session.selection.active.or(Some(0));
                self.session.selection =
                    Selection { joints: all.collect(), active, ..Selection::default() };
            }
            C::SelectNone => self.session.selection = Selection::default(),
            C::SelectParent => self.select_relative(|joints, at| joints[at as usize].parent),
            C::SelectChild => self.select_relative(|joints, at| {
                joints.iter().position(|joint| joint.parent == Some(at)).map(|child| child as u32)
            }),
            C::PickJoints => self.session.picking.picks = Picks::Joints,
            C::PickPoints => {
                self.session.picking.picks = Picks::Points;
                self.take(Box::new(SelectTool::default()));
            }
            C::SelectBox | C::SelectLasso => {
                self.session.picking.by_lasso = command == C::SelectLasso;
                if !self.has_cage_tool() {
                    self.take(Box::new(SelectTool::default()));
                }
            }
            C::SelectThrough => self.session.picking.goes_through ^= true,
            C::GrowPoints if self.has_cage_tool() => self.grow_handles(false),
            C::ShrinkPoints if self.has_cage_tool() => self.grow_handles(true),
            C::GrowPoints => {
                let character = self.document().character();
                self.session.selection = self.session.selection.grown(character);
            }
            C::ShrinkPoints => {
                let character = self.document().character();
                self.session.selection = self.session.selection.shrunk(character);
            }
            C::WholeMeshes => {
                let character = self.document().character();
                self.session.selection = self.session.selection.with_whole_meshes(character);
            }
            C::SelectTool => self.take(Box::new(SelectTool::default())),
            C::MoveTool if self.has_cage_tool() => self.use_gesture(CageGesture::Move),
            C::RotateTool if self.has_cage_tool() => self.use_gesture(CageGesture::Turn),
            C::StretchTool if self.has_cage_tool() => self.use_gesture(CageGesture::Scale),
            C::MoveTool if self.has_points_in_hand() => self.drag_points_by(DragGesture::Move),
            C::RotateTool if self.has_points_in_hand() => self.drag_points_by(DragGesture::Turn),
            C::StretchTool if self.has_points_in_hand() => self.drag_points_by(DragGesture::Scale),
            C::CageTool => self.toggle_cage_tool(),
            C::MoveTool => self.take(Box::new(MoveTool::default())),
            C::RotateTool => self.take(Box::new(RotateTool::default())),
            C::StretchTool => self.take(Box::new(StretchTool::default())),
            C::ReachTool => self.take(Box::new(ReachTool::default())),
            C::DrawTool => self.take(Box::new(PoseSketchTool::default())),
            C::PaintTool => self.take_paint_tool(),
            C::DragTool if tool == "Drag" => self.take(Box::new(RotateTool::default())),
            C::DragTool => self.take(Box::new(WeightDragTool::default())),
            C::SculptTool => self.take(Box::new(SculptTool::default())),
            C::SurfaceTool => self.take(Box::new(SurfaceTool::default())),
            C::GrabTool => self.take(Box::new(GrabTool::default())),
            C::CopyPose => self.copy_pose(ctx),
            C::PastePose => self.paste_pose(),
            C::MirrorPose => self.apply(PoseEdit::MirrorPose {}),
            C::MirrorJoints => {
                let chosen = self.session.selection.joints.iter();
                let joints = chosen.map(|&joint| self.document().joint_ref(joint)).collect();
                self.apply(PoseEdit::MirrorJoints { joints });
            }
            C::PinJoints => self.pin_joints(),
            C::ResetJoints => {
                let chosen = self.session.selection.joints.iter();
                let joints = chosen.map(|&joint| self.document().joint_ref(joint)).collect();
                self.apply(PoseEdit::ResetPose { joints });
            }
            C::ResetPose => self.apply(PoseEdit::ResetPose { joints: Vec::new() }),
            C::StorePose => self.store_pose(),
            C::AddTwistJoints => self.add_twist_joints(),
            C::AddHalfWay => self.add_half_way(),
            C::AddCorrective => self.add_corrective(ctx),
            C::MakeCage => self.generate_cage(ctx),
            C::MakeLattice => self.make_lattice(ctx),
            C::ImportCage => self.files.ask_import_cage(Adds::No, ctx),
            C::AddCage => self.files.ask_import_cage(Adds::Yes, ctx),
            C::AddPointHandles => self.add_point_handles(),
            C::CheckCage => self.check_cage(ctx),
            C::CageAtRest => self.session.cage.at_rest ^= true,
            C::AllHandles => self.choose_all_handles(),
            C::LoopHandles => self.choose_loops(),
            C::ResetCage => self.apply(CageEdit::ResetCage {}),
            C::RemoveCage => {
                self.apply(CageEdit::SetCage { cage: None, coordinates: Default::default() });
            }
            C::FrameSelected => self.frame_selected(),
            C::FrameAll => self.frame_all(),
            C::ViewFront => self.views.navigator.look(0.0, 0.0),
            C::ViewBack => self.views.navigator.look(PI, 0.0),
            C::ViewLeft => self.views.navigator.look(FRAC_PI_2, 0.0),
            C::ViewRight => self.views.navigator.look(-FRAC_PI_2, 0.0),
            C::ViewTop => self.views.navigator.look(0.0, FRAC_PI_2),
            C::Orthographic => self.views.navigator.is_orthographic ^= true,
            C::ShowLists => self.fold(|folded| folded.lists ^= true),
            C::ShowSettings => self.fold(|folded| folded.settings ^= true),
            C::ShowTimeline => self.fold(|folded| folded.timeline ^= true),
            C::ShowBones => {
                let state = &mut self.views.state;
                if state.bones == Bones::Off {
                    state.bones = state.last_bones;
                } else {
                    (state.last_bones, state.bones) = (state.bones, Bones::Off);
                }
            }
            C::BonesXRay => {
                let is_on = self.views.state.bones == Bones::XRay;
                self.views.state.bones = if is_on { Bones::Sticks } else { Bones::XRay };
            }
            C::NextBones => self.views.state.bones = self.views.state.bones.next(),
            C::ShowHelpers => self.session.shows_helpers ^= true,
            C::ShowAllMeshes => self.session.hidden_meshes.clear(),
            C::ShowWireframe => self.views.state.shows_wireframe ^= true,
            C::ShowSkin => self.views.state.structures.skin ^= true,
            C::ShowRestCage => self.views.state.structures.rest_cage ^= true,
            C::ShowPosedCage => self.views.state.structures.posed_cage ^= true,
            C::ShowRestBones => self.views.state.structures.rest_bones ^= true,
            C::ShowRestSkin => self.views.state.structures.rest_skin ^= true,
            C::ShowMaterial => self.views.state.coloring = Coloring::Material,
            C::ShowStretch => self.views.state.coloring = Coloring::Stretch,
            C::ShowGap => self.views.state.coloring = Coloring::Gap,
            C::ShowShells => self.views.state.coloring = Coloring::Shells,
            C::ShowWeights => self.views.state.coloring = Coloring::Weights,
            C::ShowInfluences => self.views.state.coloring = Coloring::Influences,
            C::PoseStrip => self.views.state.shows_strip ^= true,
            C::RangeOfMotion => self.add_range_of_motion(),
            C::BindWeights => self.bind_weights(ctx),
            C::BrushAdd => self.take_brush(Brush::Add),
            C::BrushSubtract => self.take_brush(Brush::Subtract),
            C::BrushReplace => self.take_brush(Brush::Replace),
            C::BrushSmooth => self.take_brush(Brush::Smooth),
            C::BrushSharpen => self.take_brush(Brush::Sharpen),
            C::BrushRelax => self.take_brush(Brush::Relax),
            C::BrushSmaller => self.scale_brush(1.0 / BRUSH_STEP),
            C::BrushLarger => self.scale_brush(BRUSH_STEP),
            C::ShowDifference => self.views.state.coloring = Coloring::Difference,
            C::ThemeLight => self.set_theme(Theme::Light, ctx),
            C::ThemeDark => self.set_theme(Theme::Dark, ctx),
            C::KeysIndustry => self.set_keymap(Keymap::Industry),
            C::KeysBlender => self.set_keymap(Keymap::Blender),
            C::CompareOne => self.compare(Layout::Grid(1)),
            C::CompareTwo => self.compare(Layout::Grid(2)),
            C::CompareThree => self.compare(Layout::Grid(3)),
            C::CompareFour => self.compare(Layout::Grid(4)),
            C::CompareWipe => self.compare(Layout::Wipe),
            C::BeforeAfter => self.views.state.shows_before ^= true,
            C::RestAndPose => match self.views.panes.layout {
                Layout::RestAndPose => self.compare(Layout::Grid(1)),
                _ => self.compare(Layout::RestAndPose),
            },
            C::PlayPause => self.play_or_pause(),
            C::StepBack => self.step(-1.0),
            C::StepForward => self.step(1.0),
            C::ToStart => self.go_to(self.session.playback.range().0),
            C::ToEnd => self.go_to(self.session.playback.range().1),
            C::Loop => self.session.playback.loops ^= true,
            C::OnionSkin => self.views.state.shows_onion ^= true,
            C::NewMotion => self.new_motion(),
            C::SetKeys => self.set_keys(),
            C::AutoKey => self.session.auto_key ^= true,
            C::DeleteKeys => self.delete_keys(),
            C::CopyKeys => self.copy_keys(),
            C::PasteKeys => self.paste_keys(),
            C::KeySheet => self.panels.keys.toggle(Shows::Sheet),
            C::CurveEditor => self.panels.keys.toggle(Shows::Curves),
            C::StartPage => self.panels.help.start = true,
            C::FirstSteps => self.panels.help.first_steps = true,
            C::Shortcuts => self.panels.help.shortcuts ^= true,
            C::About => self.panels.help.about = true,
        }
    }

    /// Folds a panel away or brings it back; the next start remembers it.
    fn fold(&mut self, change: impl FnOnce(&mut Folded)) {
        change(&mut self.settings.folded);
        self.remember();
    }

    fn set_keymap(&mut self, keymap: Keymap) {
        self.settings.keymap = keymap;
        self.remember();
    }

    /// Takes a tool; where keys grab, it begins at once.
    pub(crate) fn take(&mut self, tool: Box<dyn Tool>) {
        self.session.take_tool(tool, self.workspace.editor_mut());
        if self.settings.keymap.grabs()
            && let Some(at) = self.views.state.pointer
        {
            self.dispatch(&Event::Grabbed { at });
        }
    }

    fn select_relative(
        &mut self,
        relative: impl Fn(&[sinew::skeleton::Joint], u32) -> Option<u32>,
    ) {
        let joints = self.document().character().skeleton.joints();
        if let Some(found) = self.session.selection.active.and_then(|at| relative(joints, at)) {
            self.session.selection = Selection::of(found);
        }
    }

    fn compare(&mut self, layout: Layout) {
        let rig = self.document().rig().clone();
        self.views.panes.set_layout(layout, &rig);
        if layout == Layout::RestAndPose {
            self.session.cage.at_rest = false;
        }
        if !self.views.panes.compares() && self.views.state.coloring == Coloring::Difference {
            self.views.state.coloring = Coloring::Material;
        }
    }

    fn step(&mut self, frames: f64) {
        let rate = self.frames_per_second();
        let frame = (self.session.playback.seconds() * rate + frames).round();
        self.go_to(frame / rate);
    }

    /// At once, or, where the card has the points, when they are here.
    pub(crate) fn frame_all(&mut self) {
        self.views.state.frames_all = !self.views.panes.first().has_points();
        if self.views.state.frames_all {
            return;
        }
        let aspect = self.session.view.size.aspect();
        let hidden = &self.session.hidden_meshes;
        let points: Vec<_> = match self.shown_points() {
            Some(points) => {
                let shown =
                    points.into_iter().enumerate().filter(|(mesh, _)| !hidden.contains(mesh));
                shown.flat_map(|(_, points)| points).copied().filter(|p| p.is_finite()).collect()
            }
            None => Vec::new(),
        };
        self.views.navigator.frame(points, aspect);
    }

    fn frame_selected(&mut self) {
        if self.session.selection.is_empty() {
            self.frame_all();
            return;
        }
        let joints: Vec<u32> = self.chosen_joints();
        let mut points: Vec<_> = joints.iter().flat_map(|&joint| self.bone_ends(joint)).collect();
        if let Some(frame) = &self.session.frame {
            for (&part, chosen) in &self.session.selection.points {
                let Some(posed) = frame.parts().get(part) else { continue };
                points.extend(chosen.iter().filter_map(|&p| posed.points().get(p as usize)));
            }
        }
        // A single bone would fill the view: some flesh around it.
        let bounds = sinew::mesh::Aabb::around(points.iter().copied());
        let air =
            (0.6 * bounds.diagonal()).max(0.05 * self.document().character().bounds().diagonal());
        points.push(bounds.min - sinew::glam::Vec3::splat(air));
        points.push(bounds.max + sinew::glam::Vec3::splat(air));
        let aspect = self.session.view.size.aspect();
        self.views.navigator.frame(points, aspect);
    }

    /// As text, which other windows and programs can paste, too.
    fn copy_pose(&mut self, ctx: &egui::Context) {
        let document = self.document();
        let num_joints = document.character().skeleton.len() as u32;
        let chosen: Vec<u32> = match self.session.selection.joints.is_empty() {
            true => (0..num_joints).collect(),
            false => self.chosen_joints(),
        };
        let pose = self.session.playback.pose(document);
        let joints: BTreeMap<JointRef, JointPose> = (chosen.iter())
            .map(|&joint| (document.joint_ref(joint), pose.joints[joint as usize]))
            .collect();
        let Ok(text) = serde_json::to_string(&PoseEdit::PoseJoints { joints }) else { return };
        self.toasts.done(format!("Copied the pose of {} joints", chosen.len()));
        ctx.copy_text(text.clone());
        self.panels.copied_pose = Some(text);
    }

    fn paste_pose(&mut self) {
        let Some(text) = &self.panels.copied_pose else { return };
        match serde_json::from_str(text) {
            Ok(edit @ Edit::Pose(PoseEdit::PoseJoints { .. })) => {
                self.apply_all("Paste pose", vec![edit]);
            }
            _ => self.toasts.failed("What was copied is no pose; copy one with Pose, Copy Pose"),
        }
    }

    /// Pins the ends of the chosen limbs, or both feet; what is pinned already is let go.
    fn pin_joints(&mut self) {
        let skeleton = &self.document().character().skeleton;
        let mut ends: Vec<u32> =
            self.chosen_joints().iter().map(|&joint| limb_end(skeleton, joint)).collect();
        if ends.is_empty() {
            let roles = Roles::of_names(skeleton);
            let feet = roles.iter().filter(|(role, _)| matches!(role, Role::Foot(_)));
            ends = feet.map(|(_, joint)| joint).collect();
        }
        if ends.is_empty() {
            self.toasts.failed("Choose what is to be pinned; no joint is named a foot");
            return;
        }
        let pins = &mut self.session.reach.pins;
        if ends.iter().all(|end| pins.contains(end)) {
            pins.retain(|pin| !ends.contains(pin));
        } else {
            pins.extend(ends);
        }
        let words = match pins.len() {
            0 => "Nothing is pinned".to_owned(),
            1 => "1 joint is pinned".to_owned(),
            number => format!("{number} joints are pinned"),
        };
        self.toasts.done(words);
    }

    fn store_pose(&mut self) {
        let mut name = std::mem::take(&mut self.panels.new_pose_name).trim().to_owned();
        if name.is_empty() {
            let taken = |name: &str| self.document().stored_poses().iter().any(|p| p.name == name);
            name = (1..).map(|n| format!("Pose {n}")).find(|name| !taken(name)).unwrap_or_default();
        }
        self.apply(PoseEdit::StorePose { name });
    }
}
