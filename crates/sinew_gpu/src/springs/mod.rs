//! Springs on the card: the first stage, the iterations and the result stay there, and nothing is
//! read back in between.
//!
//! ```no_run
//! use sinew::glam::Vec3;
//! use sinew::progress::Silent;
//! use sinew::sample::{SampleKind, SampleOptions, build};
//! use sinew::skeleton::{Palette, Pose};
//! use sinew::springs::{SpringInput, SpringRig, SpringSettings};
//! use sinew_gpu::{Gpu, GpuPalette, GpuSpringFrame, GpuSpringRig};
//!
//! let character = build(&SampleOptions::new(SampleKind::Cylinder))?;
//! let rig = SpringRig::bind(&SpringInput::of(&character, 0), &SpringSettings::default(), &Silent)?;
//! let gpu = Gpu::headless()?;
//! let palette = GpuPalette::new(&gpu, character.skeleton.len())?;
//! let mut on_card = GpuSpringRig::new(&gpu, &rig, &palette)?;
//!
//! palette.upload(&Palette::new(&character.skeleton, &Pose::rest(&character.skeleton))); // each frame
//! on_card.deform(&GpuSpringFrame::default())?;
//! let posed: Vec<Vec3> = on_card.read_positions()?; // or leave them there: `on_card.positions()`
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A rig takes what the CPU bound ([`SpringRig::tables`]): there is no binding here. Pins, regions,
//! edits, the start and the number of iterations change from frame to frame without it.
//!
//! **The threshold** is looked at where the CPU looks: after every sixth iteration of the anchored
//! model, after each of the paper's. The iterations after it are still dispatched, but end at once.
//! Their number can differ from the CPU's by one look (six iterations, or one), where rounding puts
//! a largest step on the other side of the threshold.
//!
//! **Bits** are the same on every run of one device: every slot sums in one order, and a maximum
//! has none. They are not the CPU's, whose products and sums are fused.

mod anchored;
mod board;
mod delta_mush;
mod frame;
mod paper;
mod turns;

use std::sync::atomic::{AtomicBool, Ordering};

use glam::Vec3;
use sinew::springs::tables::SpringTables;
use sinew::springs::{HANDLE_EDGE_SHARE, SpringRig, SpringStats};

use crate::skeleton::GpuPalette;
use crate::skin::GpuSkin;
use crate::{Gpu, GpuError};
use anchored::GpuAnchored;
use board::{Board, BoardInput};
use delta_mush::GpuDeltaMush;
use paper::GpuPaper;

pub(crate) use board::{STATS_WORDS, stats_of};
pub use frame::{GpuSpringFrame, GpuStart};

const FRAME_WGSL: &str = include_str!("frame.wgsl");

/// A handle's over the stiffest anchor of a point that is none.
const HANDLE_STIFFNESS: f32 = 1.0 / HANDLE_EDGE_SHARE;

/// Bound springs on the card, with the memory of one frame.
#[derive(Debug)]
pub struct GpuSpringRig {
    board: Board,
    model: Model,
    /// What the iterations start from; `None` for the model's own first stage.
    skin: Option<GpuSkin>,
    /// What was uploaded to start from.
    previous: Option<wgpu::Buffer>,
    run: Run,
    /// There is a last frame to start from.
    has_run: AtomicBool,
    num_points: usize,
    iterations: u32,
    threshold: f32,
}

#[derive(Debug)]
enum Model {
    Anchored(Box<GpuAnchored>),
    Paper(Box<GpuPaper>),
    DeltaMush(Box<GpuDeltaMush>),
}

/// How a model numbers and measures its points.
fn board_input(tables: &SpringTables) -> BoardInput {
    match tables {
        SpringTables::Anchored(tables) => anchored::board_input(tables),
        SpringTables::Paper(tables) => paper::board_input(tables),
        SpringTables::DeltaMush(tables) => delta_mush::board_input(tables),
    }
}

impl Model {
    fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &SpringTables,
        palette: &GpuPalette,
    ) -> Result<Self, GpuError> {
        Ok(match tables {
            SpringTables::Anchored(tables) => {
                Self::Anchored(Box::new(GpuAnchored::new(gpu, board, tables, palette)?))
            }
            SpringTables::Paper(tables) => {
                Self::Paper(Box::new(GpuPaper::new(gpu, board, tables, palette)?))
            }
            SpringTables::DeltaMush(tables) => {
                Self::DeltaMush(Box::new(GpuDeltaMush::new(gpu, board, tables)?))
            }
        })
    }

    /// Iterations of a frame, and the threshold that may end it.
    fn limits(&self, wanted: u32, threshold: f32) -> (u32, f32) {
        match self {
            Self::Anchored(_) | Self::Paper(_) => (wanted, threshold),
            // It is bound with its iterations, and runs them all.
            Self::DeltaMush(mush) => (mush.iterations, 0.0),
        }
    }

    /// What each iteration's step is multiplied by.
    fn omegas(&self, iterations: u32) -> Vec<f32> {
        match self {
            Self::Anchored(anchored) => anchored.omegas(iterations),
            Self::Paper(_) | Self::DeltaMush(_) => vec![1.0; iterations as usize],
        }
    }

    /// After the board's buffers have grown.
    fn rebind(&mut self, board: &Board) {
        match self {
            Self::Anchored(anchored) => anchored.rebind(board),
            Self::Paper(paper) => paper.rebind(board),
            // It binds neither steps nor their list.
            Self::DeltaMush(_) => {}
        }
    }
}

/// What is to be encoded of a frame.
#[derive(Clone, Copy, Debug)]
struct Run {
    start: Source,
    needs_skin: bool,
    iterations: u32,
}

/// Where a frame's iterations begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    FirstStage,
    Uploaded,
    LastFrame,
}

impl GpuSpringRig {
    /// Uploads what was bound. Whatever fills `palette` later moves it.
    ///
    /// # Errors
    /// If it is larger than the card takes in one buffer.
    ///
    /// # Panics
    /// If the palette has fewer joints than the rig's skeleton.
    pub fn new(gpu: &Gpu, rig: &SpringRig, palette: &GpuPalette) -> Result<Self, GpuError> {
        assert!(palette.num_joints() >= rig.num_joints(), "the palette has every joint");
        let tables = rig.tables();
        let board = Board::new(gpu, &board_input(&tables))?;
        let model = Model::new(gpu, &board, &tables, palette)?;
        let settings = rig.settings();
        let mut on_card = Self {
            skin: rig.skin().map(|skin| GpuSkin::new(gpu, skin, palette)).transpose()?,
            board,
            model,
            previous: None,
            run: Run { start: Source::FirstStage, needs_skin: true, iterations: 0 },
            has_run: AtomicBool::new(false),
            num_points: rig.num_points(),
            iterations: settings.iterations,
            threshold: settings.threshold,
        };
        on_card.set_frame(&GpuSpringFrame::default())?;
        Ok(on_card)
    }

    /// Uploads again what [`SpringRig::refit`] and [`SpringRig::adjust`] have changed, into the
    /// buffers that are there; [`Self::set_frame`] must follow. False if `rig` is not the one that
    /// was uploaded, or has more than then (a volume to keep): it is to be uploaded anew.
    pub fn refit(&mut self, rig: &SpringRig) -> bool {
        let settings = rig.settings();
        (self.iterations, self.threshold) = (settings.iterations, settings.threshold);
        let board = &mut self.board;
        let has_skin = match (&self.skin, rig.skin()) {
            (Some(on_card), Some(skin)) => on_card.refit(skin),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        has_skin
            && match (&mut self.model, rig.tables()) {
                (Model::Anchored(anchored), SpringTables::Anchored(tables)) => {
                    anchored.refit(board, &tables)
                }
                (Model::Paper(paper), SpringTables::Paper(tables)) => paper.refit(board, &tables),
                (Model::DeltaMush(mush), SpringTables::DeltaMush(tables)) => {
                    mush.refit(board, &tables)
                }
                (Model::Anchored(_) | Model::Paper(_) | Model::DeltaMush(_), _) => false,
            }
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// The last frame's positions: rows of four floats, of which the last is 1, in the order of the
    /// mesh's points.
    pub fn positions(&self) -> &wgpu::Buffer {
        &self.board.positions
    }

    /// Takes a frame's wishes, for what is submitted next.
    ///
    /// # Errors
    /// If the frame's own data are larger than the card takes.
    ///
    /// # Panics
    /// If the start, a pin, an edit or a region is not of this mesh.
    pub fn set_frame(&mut self, frame: &GpuSpringFrame<'_>) -> Result<(), GpuError> {
        let start = match frame.start {
            GpuStart::FirstStage => Source::FirstStage,
            GpuStart::LastFrame if !self.has_run.load(Ordering::Relaxed) => Source::FirstStage,
            GpuStart::LastFrame => Source::LastFrame,
            GpuStart::Previous(points) => {
                self.upload_start(points)?;
                Source::Uploaded
            }
        };
        let is_own_stage = self.skin.is_none();
        let starts_at_stage = start == Source::FirstStage;
        let by_slot = (is_own_stage && starts_at_stage, is_own_stage);
        let needs_base = frame.within.is_some_and(|within| within.base.is_none());
        self.run = Run {
            start,
            needs_skin: starts_at_stage || needs_base,
            iterations: self.prepare_model(frame, by_slot)?,
        };
        Ok(())
    }

    /// Relaxes the frame that was set by what the palette holds, as part of a caller's pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let (Some(skin), true) = (&self.skin, self.run.needs_skin) {
            skin.encode(pass);
        }
        let staged = self.skin.as_ref().map(GpuSkin::positions);
        let start = match self.run.start {
            Source::FirstStage => staged,
            Source::Uploaded => self.previous.as_ref(),
            Source::LastFrame => Some(&self.board.positions),
        };
        self.encode_model(pass, (start, staged));
        self.has_run.store(true, Ordering::Relaxed);
    }

    /// Relaxes a frame by what the palette holds, in a submission of its own. Returns at once; the
    /// card works on.
    ///
    /// # Errors
    /// If the frame's own data are larger than the card takes.
    ///
    /// # Panics
    /// As [`Self::set_frame`].
    pub fn deform(&mut self, frame: &GpuSpringFrame<'_>) -> Result<(), GpuError> {
        self.set_frame(frame)?;
        let mut encoder = self.board.gpu.encoder("springs");
        self.encode(&mut encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()));
        self.board.gpu.queue().submit([encoder.finish()]);
        Ok(())
    }

    /// Waits, and copies the last frame's positions.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn read_positions(&self) -> Result<Vec<Vec3>, GpuError> {
        self.board.gpu.read_vectors(&self.board.positions, self.num_points)
    }

    /// Waits, and tells how the last frame went.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn read_stats(&self) -> Result<SpringStats, GpuError> {
        self.board.read_stats()
    }

    /// How the last frame went, on the card: as [`stats_of`] reads it.
    pub(crate) fn stats(&self) -> &wgpu::Buffer {
        &self.board.stats
    }

    /// Tells board and model about a frame; the number of iterations.
    fn prepare_model(
        &mut self,
        frame: &GpuSpringFrame<'_>,
        by_slot: (bool, bool),
    ) -> Result<u32, GpuError> {
        let wanted = frame.iterations.unwrap_or(self.iterations);
        let limits = self.model.limits(wanted, self.threshold);
        let omegas = |count| self.model.omegas(count);
        if self.board.begin(frame, by_slot, limits, omegas)? {
            self.model.rebind(&self.board);
        }
        if let Model::Anchored(anchored) = &mut self.model {
            anchored.set_frame(frame);
        }
        Ok(limits.0)
    }

    /// `staged` is `None` for a model's own first stage, which it knows.
    fn encode_model(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        (start, staged): (Option<&wgpu::Buffer>, Option<&wgpu::Buffer>),
    ) {
        let (board, iterations) = (&self.board, self.run.iterations);
        match (&self.model, start, staged) {
            (Model::Anchored(anchored), start, staged) => {
                anchored.encode(pass, board, (start, staged), iterations);
            }
            (Model::Paper(paper), start, staged) => {
                paper.encode(pass, board, (start, staged), iterations);
            }
            (Model::DeltaMush(mush), Some(start), Some(staged)) => {
                mush.encode(pass, board, (start, staged));
            }
            (Model::DeltaMush(_), _, _) => unreachable!("delta mush has a skin"),
        }
    }

    fn upload_start(&mut self, points: &[Vec3]) -> Result<(), GpuError> {
        assert_eq!(points.len(), self.num_points, "one start a point");
        let rows: Vec<[f32; 4]> = points.iter().map(|p| p.extend(1.0).to_array()).collect();
        match &self.previous {
            Some(buffer) => self.board.gpu.write(buffer, &rows),
            None => self.previous = Some(self.board.gpu.storage("springs start", &rows)?),
        }
        Ok(())
    }
}
