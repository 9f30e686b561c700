//! A frame of one part of a character on the card, from the joints to the normals: what
//! `--device gpu` runs and times.
//!
//! ```no_run
//! # use sinew::{glam::Vec3, mesh::SurfaceNormals, skeleton::{Palette, Skeleton}, skin::Skin};
//! # fn show(skeleton: &Skeleton, skin: &Skin, surface: &SurfaceNormals, palette: &Palette)
//! #     -> Result<(), sinew_gpu::GpuError> {
//! use sinew_gpu::{Gpu, GpuFrame};
//!
//! let gpu = Gpu::headless()?;
//! let frame = GpuFrame::new(&gpu, skeleton, skin, Some(surface))?;
//! let times = frame.run(palette)?;
//! let mut points = vec![Vec3::ZERO; frame.num_points()];
//! let mut normals = vec![Vec3::ZERO; frame.num_normals()];
//! let read_back_ms = frame.read(&mut points, &mut normals)?;
//! # let _ = (times, read_back_ms);
//! # Ok(())
//! # }
//! ```

use sinew::glam::Vec3;
use sinew::mesh::SurfaceNormals;
use sinew::skeleton::{Palette, Pose, Skeleton};
use sinew::skin::Skin;
use sinew::springs::SpringRig;

use crate::buffers::ReadBack;
use crate::mesh::GpuNormals;
use crate::skeleton::GpuSkeleton;
use crate::skin::GpuSkin;
use crate::springs::GpuSpringRig;
use crate::timing::{Clock, FrameTimes, Lap, Stopwatch};
use crate::{Gpu, GpuError};

/// One part of a character on the card: palette, skin or springs, and normals.
#[derive(Debug)]
pub struct GpuFrame {
    gpu: Gpu,
    skeleton: GpuSkeleton,
    deformer: Deformer,
    surface: Option<GpuNormals>,
    normals: wgpu::Buffer,
    num_normals: usize,
    stopwatch: Option<Stopwatch>,
    position_copy: ReadBack,
    normal_copy: ReadBack,
}

/// What moves the points of a frame.
#[derive(Debug)]
enum Deformer {
    Skin(Box<GpuSkin>),
    Springs(Box<GpuSpringRig>),
}

impl Deformer {
    fn num_points(&self) -> usize {
        match self {
            Self::Skin(skin) => skin.num_points(),
            Self::Springs(springs) => springs.num_points(),
        }
    }

    fn positions(&self) -> &wgpu::Buffer {
        match self {
            Self::Skin(skin) => skin.positions(),
            Self::Springs(springs) => springs.positions(),
        }
    }

    fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        match self {
            Self::Skin(skin) => skin.encode(pass),
            Self::Springs(springs) => springs.encode(pass),
        }
    }
}

/// What moves the joints of a frame.
#[derive(Clone, Copy, Debug)]
enum Joints<'a> {
    /// The CPU's palette, uploaded.
    Palette(&'a Palette),
    /// A pose, from which the card makes the palette.
    Pose(&'a Pose),
}

impl GpuFrame {
    /// Uploads a skin. With `surface`, which must be of the skin's own points, normals are
    /// recomputed from the deformed surface, one a wedge; without, they are those that the skin has
    /// bound, one a point, if any.
    ///
    /// # Panics
    /// If the skeleton has fewer joints than the skin names, or the skin fewer points than the
    /// surface.
    pub fn new(
        gpu: &Gpu,
        skeleton: &Skeleton,
        skin: &Skin,
        surface: Option<&SurfaceNormals>,
    ) -> Result<Self, GpuError> {
        let skeleton = GpuSkeleton::new(gpu, skeleton)?;
        let skin = GpuSkin::new(gpu, skin, skeleton.palette())?;
        let num_normals = if skin.has_normals() { skin.num_points() } else { 0 };
        let normals = (skin.normals().clone(), num_normals);
        Self::around(gpu, skeleton, Deformer::Skin(Box::new(skin)), normals, surface)
    }

    /// As [`Self::new`] with springs: of the points that they were bound to. Without `surface`
    /// there are no normals.
    ///
    /// # Panics
    /// If the skeleton has fewer joints than the springs', or they fewer points than the surface.
    pub fn with_springs(
        gpu: &Gpu,
        skeleton: &Skeleton,
        springs: &SpringRig,
        surface: Option<&SurfaceNormals>,
    ) -> Result<Self, GpuError> {
        let skeleton = GpuSkeleton::new(gpu, skeleton)?;
        let springs = GpuSpringRig::new(gpu, springs, skeleton.palette())?;
        let normals = (gpu.rows("no normals", 0)?, 0);
        Self::around(gpu, skeleton, Deformer::Springs(Box::new(springs)), normals, surface)
    }

    fn around(
        gpu: &Gpu,
        skeleton: GpuSkeleton,
        deformer: Deformer,
        own_normals: (wgpu::Buffer, usize),
        surface: Option<&SurfaceNormals>,
    ) -> Result<Self, GpuError> {
        let surface = surface
            .map(|surface| GpuNormals::new(gpu, surface, deformer.positions()))
            .transpose()?;
        let (normals, num_normals) = match &surface {
            Some(surface) => (surface.normals().clone(), surface.num_wedges()),
            None => own_normals,
        };
        Ok(Self {
            gpu: gpu.clone(),
            stopwatch: Stopwatch::new(gpu),
            position_copy: ReadBack::of_rows(gpu, deformer.num_points()),
            normal_copy: ReadBack::of_rows(gpu, num_normals),
            normals,
            num_normals,
            skeleton,
            deformer,
            surface,
        })
    }

    /// The springs, if there are any: to ask how a frame went.
    pub fn springs(&self) -> Option<&GpuSpringRig> {
        match &self.deformer {
            Deformer::Springs(springs) => Some(springs),
            Deformer::Skin(_) => None,
        }
    }

    /// The springs, if there are any: to say where frames start, what is held and how often they
    /// iterate ([`GpuSpringRig::set_frame`]).
    pub fn springs_mut(&mut self) -> Option<&mut GpuSpringRig> {
        match &mut self.deformer {
            Deformer::Springs(springs) => Some(springs),
            Deformer::Skin(_) => None,
        }
    }

    /// Number of deformed positions.
    pub fn num_points(&self) -> usize {
        self.deformer.num_points()
    }

    /// Number of normals: of wedges, of points, or none.
    pub fn num_normals(&self) -> usize {
        self.num_normals
    }

    /// The deformed positions on the card: rows of four floats, the last 1.
    pub fn positions(&self) -> &wgpu::Buffer {
        self.deformer.positions()
    }

    /// The normals on the card: rows of four floats, the last 0.
    pub fn normals(&self) -> &wgpu::Buffer {
        &self.normals
    }

    /// Submits a frame by the CPU's palette, and does not wait for it.
    ///
    /// # Panics
    /// If the palette is not of this skeleton.
    pub fn submit(&self, palette: &Palette) {
        self.record(Joints::Palette(palette), None);
    }

    /// Submits a frame by a pose, all of it on the card, and does not wait for it.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn submit_pose(&self, pose: &Pose) {
        self.record(Joints::Pose(pose), None);
    }

    /// As [`Self::submit`], and waits: what it took.
    ///
    /// # Errors
    /// If the card has stopped answering.
    ///
    /// # Panics
    /// If the palette is not of this skeleton.
    pub fn run(&self, palette: &Palette) -> Result<FrameTimes, GpuError> {
        self.time(Joints::Palette(palette))
    }

    /// As [`Self::submit_pose`], and waits: what it took.
    ///
    /// # Errors
    /// If the card has stopped answering.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn run_pose(&self, pose: &Pose) -> Result<FrameTimes, GpuError> {
        self.time(Joints::Pose(pose))
    }

    /// Waits for the card and copies positions and normals; milliseconds that it took. An empty
    /// slice leaves either out.
    ///
    /// # Errors
    /// If the card has stopped answering.
    ///
    /// # Panics
    /// If a slice is neither empty nor as long as [`Self::num_points`] or [`Self::num_normals`].
    pub fn read(&self, positions: &mut [Vec3], normals: &mut [Vec3]) -> Result<f64, GpuError> {
        let clock = Clock::start();
        let mut encoder = self.gpu.encoder("read back");
        let copies = [
            (&self.position_copy, self.positions(), positions, self.num_points()),
            (&self.normal_copy, self.normals(), normals, self.num_normals),
        ];
        for (copy, buffer, out, count) in &copies {
            assert!(out.is_empty() || out.len() == *count, "one output each");
            if !out.is_empty() {
                copy.copy(&mut encoder, buffer);
            }
        }
        self.gpu.queue().submit([encoder.finish()]);
        for (copy, _, out, _) in copies {
            if !out.is_empty() {
                copy.read(&self.gpu, |rows: &[[f32; 4]]| {
                    for (out, &[x, y, z, _]) in out.iter_mut().zip(rows) {
                        *out = Vec3::new(x, y, z);
                    }
                })?;
            }
        }
        Ok(clock.ms())
    }

    fn time(&self, joints: Joints<'_>) -> Result<FrameTimes, GpuError> {
        let clock = Clock::start();
        self.record(joints, self.stopwatch.as_ref());
        let dispatch_ms = clock.ms();
        self.gpu.wait()?;
        let compute_ms =
            self.stopwatch.as_ref().map(|watch| watch.read_ms(&self.gpu)).transpose()?;
        Ok(FrameTimes { dispatch_ms, compute_ms })
    }

    fn record(&self, joints: Joints<'_>, stopwatch: Option<&Stopwatch>) {
        match joints {
            Joints::Palette(palette) => self.skeleton.palette().upload(palette),
            Joints::Pose(pose) => self.skeleton.upload(pose),
        }
        let mut encoder = self.gpu.encoder("frame");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("frame"),
                timestamp_writes: stopwatch.map(|watch| watch.writes(Lap::Whole)),
            });
            if let Joints::Pose(_) = joints {
                self.skeleton.encode(&mut pass);
            }
            self.deformer.encode(&mut pass);
            if let Some(surface) = &self.surface {
                surface.encode(&mut pass);
            }
        }
        if let Some(watch) = stopwatch {
            watch.resolve(&mut encoder);
        }
        self.gpu.queue().submit([encoder.finish()]);
    }
}
