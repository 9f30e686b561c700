//! A frame of one part of a character on the card, from the joints to the normals: what `--device gpu` runs and times.
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

use crate::buffers::ReadBack;
use crate::mesh::GpuNormals;
use crate::skeleton::GpuSkeleton;
use crate::skin::GpuSkin;
use crate::timing::{Clock, Lap, Stopwatch};
use crate::{Gpu, GpuError};

/// What a frame took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTimes {
    /// On the CPU: uploading the joints, recording and submitting the work.
    pub dispatch_ms: f64,
    /// On the card, by its own clock; `None` where it shows none.
    pub compute_ms: Option<f64>,
}

/// One part of a character on the card: palette, skin and normals.
#[derive(Debug)]
pub struct GpuFrame {
    gpu: Gpu,
    skeleton: GpuSkeleton,
    skin: GpuSkin,
    surface: Option<GpuNormals>,
    num_normals: usize,
    stopwatch: Option<Stopwatch>,
    position_copy: ReadBack,
    normal_copy: ReadBack,
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
    /// Uploads a skin. With `surface`, which must be of the skin's own points, normals are recomputed from the deformed
    /// surface, one a wedge; without, they are those that the skin has bound, one a point, if any.
    ///
    /// # Panics
    /// If the skeleton has fewer joints than the skin names, or the skin fewer points than the surface.
    pub fn new(
        gpu: &Gpu,
        skeleton: &Skeleton,
        skin: &Skin,
        surface: Option<&SurfaceNormals>,
    ) -> Result<Self, GpuError> {
        let skeleton = GpuSkeleton::new(gpu, skeleton)?;
        let skin = GpuSkin::new(gpu, skin, skeleton.palette())?;
        let surface =
            surface.map(|surface| GpuNormals::new(gpu, surface, skin.positions())).transpose()?;
        let num_normals = match &surface {
            Some(surface) => surface.num_wedges(),
            None if skin.has_normals() => skin.num_points(),
            None => 0,
        };
        Ok(Self {
            gpu: gpu.clone(),
            stopwatch: Stopwatch::new(gpu),
            position_copy: ReadBack::of_rows(gpu, skin.num_points()),
            normal_copy: ReadBack::of_rows(gpu, num_normals),
            num_normals,
            skeleton,
            skin,
            surface,
        })
    }

    /// Number of deformed positions.
    pub fn num_points(&self) -> usize {
        self.skin.num_points()
    }

    /// Number of normals: of wedges, of points, or none.
    pub fn num_normals(&self) -> usize {
        self.num_normals
    }

    /// The deformed positions on the card: rows of four floats, the last 1.
    pub fn positions(&self) -> &wgpu::Buffer {
        self.skin.positions()
    }

    /// The normals on the card: rows of four floats, the last 0.
    pub fn normals(&self) -> &wgpu::Buffer {
        self.surface.as_ref().map_or(self.skin.normals(), GpuNormals::normals)
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

    /// Waits for the card and copies positions and normals; milliseconds that it took. An empty slice leaves either out.
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
            self.skin.encode(&mut pass);
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
