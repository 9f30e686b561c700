//! A whole character on the card, from controls to normals: the twin of [`Plan::run`].
//!
//! ```no_run
//! # use sinew::frame::{Controls, Plan};
//! # fn show(plan: &Plan, controls: &Controls) -> Result<(), sinew_gpu::GpuError> {
//! use sinew_gpu::{Gpu, GpuCharacter};
//!
//! let gpu = Gpu::headless()?;
//! let mut character = GpuCharacter::new(&gpu, plan)?;
//! character.submit(plan, controls)?; // returns at once; `character.sources()` are for the renderer
//!
//! let mut frame = plan.frame();
//! character.read(&mut frame)?; // waits: for files and figures
//! let mut pending = character.request_read()?; // or does not
//! while !pending.poll()? {
//!     // Draw, or do something else.
//! }
//! let frame = pending.wait()?;
//! # let _ = frame;
//! # Ok(())
//! # }
//! ```
//!
//! Rest and joints are found on the CPU, as for its own frames ([`Prepared`]): what little there is
//! of them is uploaded. Everything that there is one of a point stays on the card. **A rest that
//! moves** (shapes, offsets, joints) is fitted on the CPU and its tables are written over those
//! that are there, as are those of springs whose live settings changed ([`Plan::adjust`]): no
//! buffer, pipeline or bind group is made for it. **A cage** moves points and centres of rotation
//! here, of every mesh that springs and bone-smooth do not move (what they keep of a rest is not
//! linear in it), and the posed cage follows here, too; a frame then uploads how far handles went.
//! Joints go with the cage on the CPU, before the palette. **Springs that swing**
//! ([`Controls::step_seconds`]) stay on the CPU, and [`GpuCharacter::submit`] says so.

mod bounds;
mod fade;
mod group;
mod in_cage;
mod part;
mod read;

use sinew::frame::{Controls, FrameStart, Plan, Prepared, PreparedPart, SpringGroup};
use sinew::mesh::Aabb;
use sinew::springs::SpringModel;

use crate::cage::CageMoves;
use crate::render::{SurfaceBuffers, SurfaceSource};
use crate::skeleton::GpuPalette;
use crate::springs::GpuStart;
use crate::timing::{Clock, FrameTimes, Lap, Stopwatch};
use crate::{Gpu, GpuError};
use bounds::Extent;
use group::Group;
use in_cage::InCage;
use part::{Part, SpringBuffers};
use read::Pool;

pub use fade::GpuFade;
pub use read::PendingRead;

/// Handles to what there is of a mesh on the card: whoever has them can draw it, also while the
/// next frame is being made.
#[derive(Clone, Debug)]
pub struct PartBuffers {
    /// Welded points: rows of four floats.
    pub positions: wgpu::Buffer,
    /// Normals: rows of four floats, one a render vertex or as `normal_of_vertex` says.
    pub normals: wgpu::Buffer,
    /// The row in `normals` of each render vertex, where several share one.
    pub normal_of_vertex: Option<wgpu::Buffer>,
    /// A box that the mesh is in, estimated.
    pub bounds: Aabb,
}

impl PartBuffers {
    /// What [`Renderer::update`](crate::render::Renderer::update) draws, and a
    /// [`Picker`](crate::pick::Picker) then picks.
    pub fn source(&self) -> SurfaceSource<'_> {
        SurfaceSource::Buffer(SurfaceBuffers {
            positions: &self.positions,
            normals: &self.normals,
            normal_of_vertex: self.normal_of_vertex.as_ref(),
            bounds: self.bounds,
        })
    }
}

/// Every mesh of a plan on the card, around one palette.
#[derive(Debug)]
pub struct GpuCharacter {
    gpu: Gpu,
    /// Which plan it is of.
    plan: u64,
    palette: GpuPalette,
    prepared: Prepared,
    /// Springs, before the meshes that they move.
    groups: Vec<Group>,
    parts: Vec<Part>,
    extents: Vec<Extent>,
    cage: Option<InCage>,
    /// False where a submission was given up: the next one uploads all of it again.
    is_whole: bool,
    num_anew: u64,
    stopwatch: Option<Stopwatch>,
    pool: Pool,
}

impl GpuCharacter {
    /// Uploads what was bound.
    ///
    /// # Errors
    /// If something is larger than the card takes in one buffer.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, GpuError> {
        let palette = GpuPalette::new(gpu, plan.skeleton().len())?;
        let mut prepared = plan.prepared();
        prepared.leave_cage(plan, |_| true);
        let cage = plan.cage().map(|cage| InCage::new(gpu, &palette, cage)).transpose()?;
        let num_parts = plan.parts().len();
        let group =
            |group: usize| Group::new(gpu, &palette, (plan, group), &prepared.group(plan, group));
        let groups: Vec<Group> = (0..plan.groups().len()).map(group).collect::<Result<_, _>>()?;
        let part = |part: usize| {
            let of_part = (&prepared.part(plan, part), springs_of(&groups, part));
            new_part(gpu, &palette, plan, part, of_part, moves_of(&prepared, part, &cage))
        };
        Ok(Self {
            parts: (0..num_parts).map(part).collect::<Result<_, _>>()?,
            extents: (0..num_parts)
                .map(|part| Extent::of(plan, part, prepared.leaves_cage(part)))
                .collect(),
            gpu: gpu.clone(),
            plan: plan.revision()[0],
            groups,
            palette,
            prepared,
            cage,
            is_whole: true,
            num_anew: 0,
            stopwatch: Stopwatch::new(gpu),
            pool: Pool::default(),
        })
    }

    /// Submits a frame, and does not wait for it. A mesh whose inputs are those of the frame before
    /// is not run again. The plan is the one that it was made from, perhaps adjusted since; another
    /// one is uploaded from scratch.
    ///
    /// # Errors
    /// If something is larger than the card takes, or springs are to swing. The next frame is then
    /// whole again.
    ///
    /// # Panics
    /// If the controls are of another character.
    pub fn submit(&mut self, plan: &Plan, controls: &Controls) -> Result<(), GpuError> {
        self.record(plan, controls, false)
    }

    /// As [`Self::submit`] of all meshes, also of those that have not changed, and waits: what it
    /// took.
    ///
    /// # Errors
    /// As [`Self::submit`], or if the card has stopped answering.
    ///
    /// # Panics
    /// As [`Self::submit`].
    pub fn run(&mut self, plan: &Plan, controls: &Controls) -> Result<FrameTimes, GpuError> {
        let clock = Clock::start();
        self.record(plan, controls, true)?;
        let dispatch_ms = clock.ms();
        self.gpu.wait()?;
        let compute_ms =
            self.stopwatch.as_ref().map(|watch| watch.read_ms(&self.gpu)).transpose()?;
        Ok(FrameTimes { dispatch_ms, compute_ms })
    }

    /// Number of meshes.
    pub fn num_parts(&self) -> usize {
        self.parts.len()
    }

    /// Rest and joints of the frame that was submitted last: for bones and what else is drawn of
    /// them.
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// A mesh's welded points: rows of four floats. The same buffer for as long as the plan is.
    pub fn positions(&self, part: usize) -> &wgpu::Buffer {
        self.parts[part].positions()
    }

    /// A mesh's normals: rows of four floats, one a render vertex or as [`Self::normal_of_vertex`]
    /// says.
    pub fn normals(&self, part: usize) -> &wgpu::Buffer {
        self.parts[part].normals()
    }

    /// The row in [`Self::normals`] of each render vertex (a `u32` each), where several share one.
    pub fn normal_of_vertex(&self, part: usize) -> Option<&wgpu::Buffer> {
        self.parts[part].normal_of_vertex()
    }

    /// A box that a mesh is in, estimated from its rest and the joints (see `character/bounds.rs`):
    /// nobody has read its points.
    pub fn part_bounds(&self, part: usize) -> Aabb {
        let pins = &self.prepared.controls().part(part).pins;
        self.extents[part].bounds(self.prepared.palette(), pins)
    }

    /// The same around all meshes.
    pub fn bounds(&self) -> Aabb {
        let boxes = (0..self.parts.len()).map(|part| self.part_bounds(part));
        Aabb::around(boxes.filter(|b| !b.is_empty()).flat_map(|b| [b.min, b.max]))
    }

    /// What [`Renderer::update`](crate::render::Renderer::update) draws, and a
    /// [`Picker`](crate::pick::Picker) then picks, one a mesh.
    pub fn sources(&self) -> Vec<SurfaceSource<'_>> {
        let source = |part: usize| {
            SurfaceSource::Buffer(SurfaceBuffers {
                positions: self.positions(part),
                normals: self.normals(part),
                normal_of_vertex: self.normal_of_vertex(part),
                bounds: self.part_bounds(part),
            })
        };
        (0..self.parts.len()).map(source).collect()
    }

    /// The same as handles that can be kept.
    pub fn buffers(&self) -> Vec<PartBuffers> {
        let buffers = |part: usize| PartBuffers {
            positions: self.positions(part).clone(),
            normals: self.normals(part).clone(),
            normal_of_vertex: self.normal_of_vertex(part).cloned(),
            bounds: self.part_bounds(part),
        };
        (0..self.parts.len()).map(buffers).collect()
    }

    /// How many meshes were uploaded anew so far, because they could not be written over: for
    /// tests.
    #[doc(hidden)]
    pub fn num_anew(&self) -> u64 {
        self.num_anew
    }

    fn record(&mut self, plan: &Plan, controls: &Controls, is_timed: bool) -> Result<(), GpuError> {
        if controls.step_seconds.is_some() && plan.groups().any(swings) {
            return Err(GpuError::Swings);
        }
        if plan.revision()[0] != self.plan {
            *self = Self { num_anew: self.num_anew, ..Self::new(&self.gpu, plan)? };
        }
        let was_whole = std::mem::replace(&mut self.is_whole, false);
        let Self {
            gpu, palette, prepared, groups, parts, extents, cage, num_anew, stopwatch, ..
        } = self;
        prepared.follow(plan, controls);
        let cage_moved = cage.as_mut().is_some_and(|cage| cage.follow(gpu, plan, prepared));
        if prepared.is_posed() || !was_whole {
            palette.upload(prepared.palette());
        }
        let goes_on = controls.start == FrameStart::Previous && prepared.has_previous();
        let start = if goes_on { GpuStart::LastFrame } else { GpuStart::FirstStage };
        let stopwatch = stopwatch.as_ref().filter(|_| is_timed);
        let mut encoder = gpu.encoder("frame");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("frame"),
                timestamp_writes: stopwatch.map(|watch| watch.writes(Lap::Whole)),
            });
            for (index, group) in groups.iter_mut().enumerate() {
                let of_group = prepared.group(plan, index);
                if (of_group.rest_changed || !was_whole) && !group.follow(&of_group) {
                    *group = Group::new(gpu, palette, (plan, index), &of_group)?;
                    *num_anew += 1;
                    // What reads its buffers reads others now.
                    for member in plan.group(index).members() {
                        let part = member.part;
                        let of_part = (&prepared.part(plan, part), group.of_part(part));
                        parts[part] = new_part(gpu, palette, plan, part, of_part, None)?;
                    }
                }
                if of_group.is_new || !was_whole || is_timed {
                    group.set_frame(controls, start)?;
                    group.encode(&mut pass);
                }
            }
            for (index, (part, extent)) in parts.iter_mut().zip(extents).enumerate() {
                let of_part = prepared.part(plan, index);
                let rest_changed = of_part.rest_changed || !was_whole;
                if rest_changed {
                    if !part.follow(gpu, &of_part) {
                        let with = (&of_part, springs_of(groups, index));
                        let moves = moves_of(prepared, index, cage);
                        *part = new_part(gpu, palette, plan, index, with, moves)?;
                        *num_anew += 1;
                    }
                    extent.follow(of_part.rest);
                }
                if let (Some(moves), Some(bound)) = (moves_of(prepared, index, cage), plan.cage())
                    && (rest_changed || cage_moved || is_timed)
                {
                    extent.follow_cage(of_part.rest, |point| {
                        bound.offset_of(index, point as usize, moves.moves())
                    });
                    part.encode_rest(&mut pass);
                }
                if of_part.is_new || !was_whole || is_timed {
                    part.encode(&mut pass);
                }
            }
            if let Some(cage) = cage
                && (cage.is_new() || !was_whole || is_timed)
            {
                cage.encode(&mut pass);
            }
        }
        if let Some(watch) = stopwatch {
            watch.resolve(&mut encoder);
        }
        gpu.queue().submit([encoder.finish()]);
        self.is_whole = true;
        Ok(())
    }
}

/// A mesh, in its cage if that moves it here.
fn new_part(
    gpu: &Gpu,
    palette: &GpuPalette,
    plan: &Plan,
    part: usize,
    (prepared, springs): (&PreparedPart<'_>, SpringBuffers<'_>),
    moves: Option<&CageMoves>,
) -> Result<Part, GpuError> {
    let mut made = Part::new(gpu, palette, plan, part, (prepared, springs))?;
    if let Some(moves) = moves {
        made.put_in_cage(gpu, plan, part, (prepared, moves))?;
    }
    Ok(made)
}

/// How far handles have moved, for a mesh whose cage moves it here.
fn moves_of<'a>(
    prepared: &Prepared,
    part: usize,
    cage: &'a Option<InCage>,
) -> Option<&'a CageMoves> {
    cage.as_ref().filter(|_| prepared.leaves_cage(part)).map(|cage| &cage.moves)
}

/// What moves a mesh, if springs do.
fn springs_of(groups: &[Group], part: usize) -> SpringBuffers<'_> {
    groups.iter().find_map(|group| group.of_part(part))
}

/// True if time moves it: delta mush has no forces.
fn swings(group: &SpringGroup) -> bool {
    group.rig().settings().model != SpringModel::DeltaMush
}
