//! Views: each a method on the same pose, seen by the same camera.

use std::sync::Arc;
use std::time::Duration;

use eframe::egui;
use sinew::frame::{Controls, Frame, Normals, Rig};
use sinew::measure::CharacterMeasures;
use sinew_editor::Document;
use sinew_editor::seam::{Clock as _, Threads};
use sinew_editor::solver::{Answer, Card, Job, Read, Solver, Status};
use sinew_gpu::Gpu;
use sinew_view::legend::Legend;

use super::canvas::Target;
use super::card::ViewCard;
use crate::clock::StudioClock;

/// As many as fit a window.
pub(crate) const MOST_PANES: usize = 4;

/// How views share the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// So many side by side.
    Grid(usize),
    /// Two over each other.
    Wipe,
    /// The same method twice: at rest at the left, in the pose at the right.
    RestAndPose,
}

impl Layout {
    pub(crate) fn num_panes(self) -> usize {
        match self {
            Self::Grid(num) => num.clamp(1, MOST_PANES),
            Self::Wipe | Self::RestAndPose => 2,
        }
    }
}

/// What is wanted of frames beside their pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wants {
    pub(crate) figures: bool,
    /// Points, also where the card has them.
    pub(crate) points: bool,
}

/// A view.
pub(crate) struct Pane {
    solver: Solver,
    /// Method and springs; `None` for the document's. The rest of its rig is the document's.
    own: Option<Arc<Rig>>,
    asked: Option<Job>,
    answer: Option<Answer>,
    /// The newest frame that came from the card.
    read: Option<Read>,
    /// Grows with every answer.
    pub(crate) num_answers: u64,
    /// Grows with every frame that was read.
    pub(crate) num_reads: u64,
    pub(crate) target: Target,
    /// What the last picture was asked for with.
    pub(crate) drawn: Option<super::DrawnKey>,
    /// What its colours mean.
    pub(crate) legend: Option<Legend>,
}

impl Pane {
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }

    /// The frame with its points: the one that is shown, or, where the card made that, the newest
    /// that was read of it.
    pub(crate) fn points(&self) -> Option<&Arc<Frame>> {
        let answer = self.answer.as_ref()?;
        if answer.on_card.is_none() {
            return Some(&answer.frame);
        }
        let read = self.read.as_ref()?;
        Arc::ptr_eq(&read.job.character, &answer.job.character).then_some(&read.frame)
    }

    /// True if [`Self::points`] are those on the screen.
    pub(crate) fn has_points(&self) -> bool {
        let number = self.read.as_ref().map(|read| read.number);
        self.answer.as_ref().is_some_and(|a| a.on_card.is_none() || Some(a.number) == number)
    }

    /// The figures of [`Self::points`].
    pub(crate) fn measures(&self) -> Option<CharacterMeasures> {
        let answer = self.answer.as_ref()?;
        match answer.on_card {
            None => answer.measures,
            Some(_) => self.read.as_ref().and_then(|read| read.measures),
        }
    }
}

/// All views of the window.
pub(crate) struct Panes {
    panes: Vec<Pane>,
    pub(crate) layout: Layout,
    /// Where the slider of a wipe is, from 0 to 1.
    pub(crate) wipe: f32,
    /// Woken when there is something new.
    ctx: egui::Context,
    draw_ms: f64,
    answered: Vec<Duration>,
    clock: StudioClock,
    /// Where frames are made, if not on the processor.
    gpu: Option<Gpu>,
}

impl Panes {
    pub(crate) fn new(ctx: &egui::Context, clock: &StudioClock, gpu: Option<&Gpu>) -> Self {
        let mut panes = Self {
            panes: Vec::new(),
            layout: Layout::Grid(1),
            wipe: 0.5,
            ctx: ctx.clone(),
            draw_ms: 0.0,
            answered: Vec::new(),
            clock: clock.clone(),
            gpu: gpu.cloned(),
        };
        panes.set_layout(Layout::Grid(1), &Rig::default());
        panes
    }

    /// New views show what the document does not: a comparison begins with something to see.
    pub(crate) fn set_layout(&mut self, layout: Layout, document: &Rig) {
        if [self.layout, layout].contains(&Layout::RestAndPose) && self.layout != layout {
            // The second view's method is its own in the one and the document's in the other.
            self.panes.truncate(1);
        }
        self.layout = layout;
        self.panes.truncate(layout.num_panes());
        while self.panes.len() < layout.num_panes() {
            let taken: Vec<Rig> = std::iter::once(Rig {
                springs: document.springs.clone(),
                ..Rig::of(document.method)
            })
            .chain(self.panes.iter().filter_map(|pane| pane.own.as_deref().cloned()))
            .collect();
            let next = super::compared().into_iter().find(|candidate| !taken.contains(candidate));
            let is_compared = !self.panes.is_empty() && layout != Layout::RestAndPose;
            let own = is_compared.then(|| Arc::new(next.unwrap_or_default()));
            let ctx = self.ctx.clone();
            let card = self.gpu.as_ref().map(|gpu| Box::new(ViewCard::new(gpu)) as Box<dyn Card>);
            let clock = Box::new(self.clock.clone());
            self.panes.push(Pane {
                solver: Solver::start_on(&Threads, clock, card, move || ctx.request_repaint()),
                own,
                asked: None,
                answer: None,
                read: None,
                num_answers: 0,
                num_reads: 0,
                target: Target::default(),
                drawn: None,
                legend: None,
            });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.panes.len()
    }

    /// True if views show several methods.
    pub(crate) fn compares(&self) -> bool {
        self.panes.len() > 1 && self.layout != Layout::RestAndPose
    }

    /// Whether a view shows the rest or the pose, where there is one of each. The first has the
    /// pose: what asks for the first view means that.
    pub(crate) fn at_rest(&self, pane: usize) -> Option<bool> {
        (self.layout == Layout::RestAndPose).then_some(pane == 1)
    }

    pub(crate) fn first(&self) -> &Pane {
        &self.panes[0]
    }

    pub(crate) fn get(&self, pane: usize) -> Option<&Pane> {
        self.panes.get(pane)
    }

    pub(crate) fn pane(&self, pane: usize) -> &Pane {
        &self.panes[pane]
    }

    pub(crate) fn pane_mut(&mut self, pane: usize) -> &mut Pane {
        &mut self.panes[pane]
    }

    pub(crate) fn answer(&self, pane: usize) -> Option<&Answer> {
        self.panes.get(pane)?.answer.as_ref()
    }

    /// What the colours of a view mean, told once where several have colours.
    pub(crate) fn legend(&self, pane: usize) -> Option<&Legend> {
        let first = self.panes.iter().position(|pane| pane.legend.is_some())?;
        self.panes[first].legend.as_ref().filter(|_| first == pane)
    }

    /// A view's own method; `None` for the document's.
    pub(crate) fn rig(&self, pane: usize) -> Option<Arc<Rig>> {
        self.panes.get(pane)?.own.clone()
    }

    pub(crate) fn set_rig(&mut self, pane: usize, rig: Rig) {
        if let Some(pane) = self.panes.get_mut(pane) {
            pane.own = Some(Arc::new(rig));
        }
    }

    pub(crate) fn statuses(&self) -> Vec<(usize, Status)> {
        self.panes.iter().map(|pane| pane.solver.status()).enumerate().collect()
    }

    pub(crate) fn cancel(&self, pane: usize) {
        self.panes[pane].solver.cancel();
    }

    pub(crate) fn retry(&mut self, pane: usize) {
        let pane = &mut self.panes[pane];
        if let Some(job) = &pane.asked {
            pane.solver.retry(job.clone());
        }
    }

    /// True while the last thing that was asked for is not on the screen.
    pub(crate) fn is_busy(&self) -> bool {
        self.panes.iter().any(|pane| {
            let is_answered = pane.answer.as_ref().map(|a| &a.job).zip(pane.asked.as_ref());
            let is_answered = is_answered.is_some_and(|(answer, asked)| answer.is_same(asked));
            (!is_answered && pane.asked.is_none()) || pane.solver.is_busy() || pane.target.is_busy()
        })
    }

    /// Asks for what a document looks like now, where that is something new. `rest` is for the
    /// view that shows it.
    pub(crate) fn ask(
        &mut self,
        document: &Document,
        rig: &Arc<Rig>,
        [controls, rest]: [Controls; 2],
        wants: Wants,
    ) {
        let is_comparison = self.compares();
        let measures = wants.figures || self.panes.len() > 1;
        let mut job = Job { measures, points: wants.points, ..Job::showing(document, controls) };
        job.rig = Arc::clone(rig);
        if is_comparison && job.rig.normals == Normals::Auto {
            // Side by side all have the posed surface's: the file's flat or painted normals on one
            // method and smooth ones on another would compare light, not shape.
            job.rig = Arc::new(Rig::clone(&job.rig).with_normals(Normals::RECOMPUTED));
        }
        let shows_rest = self.layout == Layout::RestAndPose;
        for (index, pane) in self.panes.iter_mut().enumerate() {
            let mut job = job.clone();
            if shows_rest && index == 1 {
                job.controls = Arc::new(rest.clone());
            }
            if let Some(own) = &pane.own {
                let (method, springs) = (own.method, own.springs.clone());
                job.rig = Arc::new(Rig { method, springs, ..Rig::clone(&job.rig) });
            }
            if pane.asked.as_ref().is_none_or(|asked| !asked.is_same(&job)) {
                pane.asked = Some(job.clone());
                pane.solver.ask(job);
            }
        }
    }

    /// Takes answers that have come.
    pub(crate) fn poll(&mut self) {
        for (index, pane) in self.panes.iter_mut().enumerate() {
            if let Some(answer) = pane.solver.take() {
                pane.answer = Some(answer);
                pane.num_answers += 1;
                if index == 0 {
                    self.answered.push(self.clock.now());
                    let first = self.answered.len().saturating_sub(30);
                    self.answered.drain(..first);
                }
            }
            if let Some(read) = pane.solver.take_read() {
                pane.read = Some(read);
                pane.num_reads += 1;
            }
        }
    }

    /// Over the last frames of the first view.
    pub(crate) fn frames_per_second(&self) -> f64 {
        let (Some(first), Some(last)) = (self.answered.first(), self.answered.last()) else {
            return 0.0;
        };
        let seconds = last.saturating_sub(*first).as_secs_f64();
        if seconds > 0.0 { (self.answered.len() - 1) as f64 / seconds } else { 0.0 }
    }

    pub(crate) fn draw_ms(&self) -> f64 {
        self.draw_ms
    }

    pub(crate) fn note_drawing(&mut self, ms: f64) {
        self.draw_ms = ms;
    }
}
