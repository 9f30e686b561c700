//! The cage in the window: making and checking one elsewhere, and what is chosen of its handles.

use std::collections::BTreeSet;

use eframe::egui;
use sinew::cage::{Cage, CageError, CageReport, CageSettings, CoordinateKind, LARGE_GAIN};
use sinew::glam::{DVec3, UVec3, Vec3};
use sinew::progress::Progress;
use sinew_editor::job::{Found, Job, JobError};
use sinew_editor::seam::Threads;
use sinew_editor::tool::{
    CageGesture, CageGizmo, CageTool, Context, Event, RotateTool, cage_gizmo_place,
    cage_handle_place,
};
use sinew_editor::{CageEdit, Document, Selection};

use super::Studio;

/// What the step is called, a cage, and how points hang on it.
type FoundCage = Result<(String, Cage, CoordinateKind), CageError>;

/// What a check of the cage has found.
#[derive(Clone, Debug)]
pub(crate) struct CageCheck {
    pub(crate) report: CageReport,
    /// Of how many points.
    pub(crate) num_outside: usize,
    pub(crate) num_points: usize,
    /// How well the skin determines the posed cage; what was wrong if it cannot be bound.
    pub(crate) bound: Result<[f64; 2], String>,
}

/// A cage that could not be taken.
#[derive(Clone, Debug)]
pub(crate) struct RefusedCage {
    /// Its file.
    pub(crate) name: String,
    pub(crate) cage: Cage,
    pub(crate) report: CageReport,
}

/// What the panel and its jobs remember.
pub(crate) struct CagePanel {
    pub(crate) settings: CageSettings,
    /// How points hang on a cage that is made.
    pub(crate) coordinates: CoordinateKind,
    /// Quads of a box lattice along each axis.
    pub(crate) lattice: UVec3,
    pub(crate) check: Option<Job<CageCheck>>,
    pub(crate) checked: Option<CageCheck>,
    /// A cage of a file that could not be taken, with what is wrong with it.
    pub(crate) refused: Option<RefusedCage>,
    /// What numbers have done in the drag that is under way.
    pub(crate) slid: f64,
    pub(crate) turned_degrees: f64,
    pub(crate) scaled: f64,
}

impl Default for CagePanel {
    fn default() -> Self {
        Self {
            settings: CageSettings::default(),
            coordinates: CoordinateKind::default(),
            lattice: UVec3::new(3, 6, 3),
            check: None,
            checked: None,
            refused: None,
            slid: 0.0,
            turned_degrees: 0.0,
            scaled: 1.0,
        }
    }
}

impl Studio {
    /// True if the cage tool is in hand.
    pub(crate) fn has_cage_tool(&self) -> bool {
        self.session.tool().name() == "Cage"
    }

    /// Takes the cage tool, or lays it down.
    pub(crate) fn toggle_cage_tool(&mut self) {
        let editor = self.workspace.editor_mut();
        match self.session.tool().name() == "Cage" {
            true => self.session.take_tool(Box::new(RotateTool::default()), editor),
            false => self.session.take_tool(Box::new(CageTool::default()), editor),
        }
    }

    /// Takes the cage tool, if it is not in hand already.
    pub(crate) fn take_cage_tool(&mut self) {
        if !self.has_cage_tool() {
            self.toggle_cage_tool();
        }
    }

    /// What the keys and buttons of moving, turning and stretching joints mean for handles.
    pub(crate) fn use_gesture(&mut self, gesture: CageGesture) {
        self.session.cage.gesture = gesture;
        if self.settings.keymap.grabs()
            && let Some(at) = self.views.state.pointer
        {
            self.dispatch(&Event::Grabbed { at });
        }
    }

    /// The handles that are chosen.
    pub fn chosen_handles(&self) -> Vec<u32> {
        self.session.selection.handles.iter().copied().collect()
    }

    /// Where a handle of the cage is, as the first view shows it.
    pub fn cage_handle(&self, handle: u32) -> Option<Vec3> {
        self.cage_handle_in(handle, 0)
    }

    /// Where a handle is, as a view shows it, counted from 0.
    pub fn cage_handle_in(&self, handle: u32, view: usize) -> Option<Vec3> {
        let side = self.side(view, self.session.view);
        let asks = |context: &Context<'_>| cage_handle_place(context, handle);
        self.session.seen_in(&side, self.workspace.editor(), asks)
    }

    /// Where a part of the gizmo on the chosen handles is, as a view shows it.
    pub fn cage_gizmo_in(&self, part: CageGizmo, view: usize) -> Option<Vec3> {
        let side = self.side(view, self.session.view);
        let asks = |context: &Context<'_>| cage_gizmo_place(context, part);
        self.session.seen_in(&side, self.workspace.editor(), asks)
    }

    pub(crate) fn choose_handles(&mut self, next: impl FnOnce(&Cage, &Studio) -> BTreeSet<u32>) {
        let Some(rig) = self.document().rig().cage.clone() else { return };
        let next = next(&rig.cage, self);
        let mut selection = Selection::clone(&self.session.selection);
        selection.choose_handles(next);
        self.session.selection = selection;
    }

    pub(crate) fn choose_all_handles(&mut self) {
        self.choose_handles(|cage, _| (0..cage.points().len() as u32).collect());
    }

    /// With all neighbours, or without those beside handles that are not chosen.
    pub(crate) fn grow_handles(&mut self, shrinks: bool) {
        self.choose_handles(|cage, studio| {
            let (chosen, neighbours) = (studio.known_handles(cage), cage.neighbours());
            let ring = |handle: u32| &neighbours[handle as usize];
            match shrinks {
                true => {
                    let is_inside = |h: &u32| ring(*h).iter().all(|next| chosen.contains(next));
                    chosen.iter().copied().filter(is_inside).collect()
                }
                false => {
                    let rings = chosen.iter().flat_map(|&handle| ring(handle)).copied();
                    chosen.iter().copied().chain(rings).collect()
                }
            }
        });
    }

    /// The loops through each two neighbours that are chosen.
    pub(crate) fn choose_loops(&mut self) {
        self.choose_handles(|cage, studio| {
            let chosen = studio.known_handles(cage);
            let sides = cage.edges().into_iter();
            let sides = sides.filter(|side| side.iter().all(|handle| chosen.contains(handle)));
            let all = sides.flat_map(|side| cage.edge_loop(side, cage.points()));
            all.chain(chosen.iter().copied()).collect()
        });
    }

    fn known_handles(&self, cage: &Cage) -> BTreeSet<u32> {
        let num_handles = cage.points().len() as u32;
        self.session.selection.handles.range(..num_handles).copied().collect()
    }

    /// The chosen points of the skin become point handles; the cage tool takes hold of them.
    pub(crate) fn add_point_handles(&mut self) {
        let parts = &self.document().character().parts;
        let chosen = self.session.selection.points.iter().filter_map(|(&part, chosen)| {
            let points = parts.get(part)?.mesh.points();
            Some(chosen.iter().filter_map(|&point| points.get(point as usize)))
        });
        let points: Vec<DVec3> = chosen.flatten().map(|place| place.as_dvec3()).collect();
        let first = self.document().rig().cage.as_ref().map_or(0, |rig| rig.cage.points().len());
        let added = first as u32..(first + points.len()) as u32;
        self.apply(CageEdit::AddToCage { cage: None, points });
        let num_handles =
            self.document().rig().cage.as_ref().map_or(0, |rig| rig.cage.points().len());
        if num_handles == added.end as usize {
            self.take_cage_tool();
            self.session.selection.choose_handles(added);
        }
    }

    /// Makes a cage elsewhere and binds it there; it enters as one step.
    pub(crate) fn generate_cage(&mut self, ctx: &egui::Context) {
        let settings = self.panels.cage.settings;
        let coordinates = self.panels.cage.coordinates;
        self.bind_cage(ctx, move |document, progress| {
            let (cage, note) = Cage::generate_noting(document.character(), &settings, progress)?;
            // Where the history says it, it is seen for as long as the cage is there.
            let otherwise = if note.is_some() { ", not symmetric" } else { "" };
            let label = format!("Make a cage of {} faces{otherwise}", cage.faces().len());
            Ok((label, cage, coordinates))
        });
    }

    /// The same with a box of quads.
    pub(crate) fn make_lattice(&mut self, ctx: &egui::Context) {
        let CagePanel { settings, lattice, coordinates, .. } = self.panels.cage;
        self.bind_cage(ctx, move |document, _| {
            let cage = Cage::lattice_around(document.character(), settings.offset, lattice)?;
            let [x, y, z] = lattice.to_array();
            Ok((format!("Make a box lattice of {x} × {y} × {z}"), cage, coordinates))
        });
    }

    /// Hangs the points on the cage that is there in another way.
    pub(crate) fn use_coordinates(&mut self, kind: CoordinateKind, ctx: &egui::Context) {
        self.bind_cage(ctx, move |document, _| {
            let cage = document.rig().cage.as_ref().map(|rig| rig.cage.clone());
            Ok((format!("Coordinates: {}", kind.name()), cage.ok_or(CageError::NoPoints)?, kind))
        });
    }

    /// Finds a cage and binds it, while the window goes on.
    fn bind_cage(
        &mut self,
        ctx: &egui::Context,
        find: impl FnOnce(&Document, &dyn Progress) -> FoundCage + Send + 'static,
    ) {
        let document = self.document().clone();
        let work = move |progress: &dyn Progress| {
            let (label, cage, coordinates) =
                find(&document, progress).map_err(|error| match error {
                    CageError::Cancelled => JobError::Cancelled,
                    error => JobError::Failed(error.to_string()),
                })?;
            let edit = CageEdit::SetCage { cage: Some(cage), coordinates };
            progress.report("binding the cage", 0.95);
            // Copies share what is bound: the window need not bind it again.
            let bound = document.clone().apply(&edit.clone().into());
            bound.map_err(|error| JobError::Failed(error.to_string()))?;
            Ok(Found { label, edits: vec![edit.into()] })
        };
        let ctx = ctx.clone();
        match Job::start(&Threads, "cage", move || ctx.request_repaint(), work) {
            Ok(job) => self.job = Some(job),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }

    /// That the last drag in the pose moved the rest cage by far more, while it is where that drag
    /// left it.
    pub fn cage_warning(&self) -> Option<String> {
        let document = self.document();
        let gain = document.cage_gain(self.session.playback.rest_cage(document))?;
        (gain > LARGE_GAIN).then(|| {
            format!(
                "For that drag the rest cage moved {gain:.0} times as far: the pose hardly allows it. Undo it, or bend and twist less there"
            )
        })
    }

    /// Looks at the cage as it is at rest, elsewhere.
    pub(crate) fn check_cage(&mut self, ctx: &egui::Context) {
        let document = self.document().clone();
        let rest = self.session.playback.rest_cage(&document).to_vec();
        let work = move |_: &dyn Progress| check(&document, &rest);
        let ctx = ctx.clone();
        match Job::start(&Threads, "check", move || ctx.request_repaint(), work) {
            Ok(job) => self.panels.cage.check = Some(job),
            Err(error) => self.toasts.failed(format!("no thread for it: {error}")),
        }
    }

    /// Takes what a check has found; marks it on the cage.
    pub(crate) fn take_check(&mut self) {
        let Some(job) = &mut self.panels.cage.check else { return };
        if let Some(found) = job.take() {
            self.session.cage.show(&found.report);
            self.panels.cage.check = None;
            self.panels.cage.checked = Some(found);
        }
    }

    /// What was found is of another cage.
    pub(crate) fn forget_check(&mut self) {
        self.panels.cage.checked = None;
        self.panels.cage.refused = None;
        self.session.cage.forget();
    }
}

fn check(document: &Document, rest: &[DVec3]) -> CageCheck {
    let unknown = || CageCheck {
        report: CageReport::default(),
        num_outside: 0,
        num_points: 0,
        bound: Err("there is no cage".into()),
    };
    let Some(rig) = &document.rig().cage else { return unknown() };
    let cage = match rest.is_empty() {
        true => rig.cage.clone(),
        false => rig.cage.with_points(rest.to_vec()).unwrap_or_else(|_| rig.cage.clone()),
    };
    let parts = &document.character().parts;
    let points = parts.iter().flat_map(|part| part.mesh.points());
    // Coordinates are those of the cage as it was bound, so that is what must enclose them.
    let is_outside = |point: &&Vec3| !rig.cage.encloses(point.as_dvec3());
    let num_points = points.clone().count();
    let bound = match document.bound_cage() {
        Ok(Some(plan)) => match plan.cage() {
            Some(bound) => Ok([bound.coupling().condition(), bound.largest_coordinate()]),
            None => Err("there is no cage".into()),
        },
        Ok(None) => Err("there is no cage".into()),
        Err(error) => Err(error.to_string()),
    };
    let num_outside = points.filter(is_outside).count();
    CageCheck { report: cage.check(), num_outside, num_points, bound }
}
