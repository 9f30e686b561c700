//! The picking buffer on the card: what of the deformed surface is under pixels (the paper's
//! deferred rendering); the twin of `sinew_view::raster::pick`.
//!
//! One pass at one sample a pixel writes surface and triangle; a compute pass then gathers what is
//! asked for, a rectangle or the pixels along a stroke, into one small buffer: positions, normals
//! and shares of corners come from the same buffers that the surface was drawn from, which may
//! never have been on the CPU. One read-back answers it all.

mod request;

use std::ops::Range;

use glam::UVec2;
use sinew_view::camera::Size;

use sinew_view::pick::{Pick, PickBuffer, PixelRect};

use crate::render::{
    DEPTH_FORMAT, PipelineParts, Renderer, SceneOnCard, buffer_type, check_size, cleared, entry,
    far_depth, pipeline, shader, target, texture_type,
};
use crate::{Gpu, GpuError};
use request::{Asked, PendingPart, Request};

const ID_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg32Uint;

/// Invocations in a workgroup of gather.wgsl.
const WORKGROUP: u32 = 64;

/// Pixels that one read-back answers: 48 MiB. Longer requests are answered in parts.
const MOST_PIXELS: usize = 1 << 20;

/// Answers what is under pixels. Made once a renderer; holds textures of the last picture's size.
#[derive(Debug)]
pub struct Picker {
    gpu: Gpu,
    ids: wgpu::RenderPipeline,
    gather: wgpu::ComputePipeline,
    request_layout: wgpu::BindGroupLayout,
    targets: Option<PickTargets>,
    num_read_backs: u64,
}

/// What is under the pixels of a stroke, on its way from the card.
#[derive(Debug)]
pub struct PendingPick {
    parts: Vec<PendingPart>,
}

impl PendingPick {
    /// True if the answer is here. Does not wait. (In a browser the page's own loop brings it.)
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn poll(&mut self) -> Result<bool, GpuError> {
        self.parts.iter_mut().try_fold(true, |is_here, part| Ok(part.poll()? && is_here))
    }

    /// The answer, one a pixel; waits for it where it is not here yet.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn wait(self) -> Result<Vec<Option<Pick>>, GpuError> {
        let mut picks = Vec::new();
        for part in self.parts {
            part.take(&mut picks)?;
        }
        Ok(picks)
    }
}

/// What is under the pixels of a rectangle, on its way from the card.
#[derive(Debug)]
pub struct PendingRect {
    rect: PixelRect,
    picks: PendingPick,
}

impl PendingRect {
    /// As [`PendingPick::poll`].
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn poll(&mut self) -> Result<bool, GpuError> {
        self.picks.poll()
    }

    /// The answer; waits for it where it is not here yet.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn wait(self) -> Result<PickBuffer, GpuError> {
        Ok(PickBuffer::new(self.rect, self.picks.wait()?))
    }
}

/// What one read-back each answers.
fn parts(asked: &Asked<'_>) -> impl Iterator<Item = Range<usize>> + use<> {
    let len = asked.len();
    (0..len).step_by(MOST_PIXELS).map(move |start| start..len.min(start + MOST_PIXELS))
}

/// For one size of picture.
#[derive(Debug)]
struct PickTargets {
    size: Size,
    ids: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl Picker {
    /// For the scenes of a renderer.
    pub fn new(renderer: &Renderer) -> Self {
        let gpu = renderer.gpu().clone();
        let pulled = [include_str!("../render/frame.wgsl"), include_str!("../render/corners.wgsl")];
        let id_module = shader(&gpu, "ids", &[pulled[0], pulled[1], include_str!("id.wgsl")]);
        let groups = [Some(renderer.frame_layout()), Some(renderer.surface_layout())];
        let ids = pipeline(
            &gpu,
            &PipelineParts {
                label: "ids",
                module: &id_module,
                vertex_entry: "id_vertex",
                fragment: Some(("id_fragment", &[Some(ID_FORMAT.into())])),
                groups: &groups,
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleList,
                depth: Some((wgpu::CompareFunction::Less, true)),
                samples: 1,
            },
        );
        let request_layout = request_layout(&gpu);
        let gather_module =
            shader(&gpu, "gather", &[pulled[0], pulled[1], include_str!("gather.wgsl")]);
        let layout = gpu.device().create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("gather"),
            bind_group_layouts: &[groups[0], groups[1], Some(&request_layout)],
            immediate_size: 0,
        });
        let gather = gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("gather"),
            layout: Some(&layout),
            module: &gather_module,
            entry_point: Some("gather"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { gpu, ids, gather, request_layout, targets: None, num_read_backs: 0 }
    }

    /// What of the surfaces is under the pixels of a rectangle of a picture of that size. The
    /// buffer knows the part of the rectangle that is in the picture.
    pub fn pick_rect(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        rect: PixelRect,
    ) -> Result<PickBuffer, GpuError> {
        let rect = within(rect, size);
        let picks = self.pick(scene, size, &Asked::Rect(rect))?;
        Ok(PickBuffer::new(rect, picks))
    }

    /// As [`Self::pick_rect`], and does not wait: frames that are submitted after it do not change
    /// the answer.
    pub fn request_rect(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        rect: PixelRect,
    ) -> Result<PendingRect, GpuError> {
        let rect = within(rect, size);
        let asked = Asked::Rect(rect);
        let parts = parts(&asked).map(|part| self.request(scene, size, &asked, part));
        Ok(PendingRect { rect, picks: PendingPick { parts: parts.collect::<Result<_, _>>()? } })
    }

    /// What of the surfaces is under each of some pixels of a picture of that size, in one
    /// read-back for up to a million; `None` where there is nothing, and outside of the picture.
    pub fn pick_stroke(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        pixels: &[UVec2],
    ) -> Result<Vec<Option<Pick>>, GpuError> {
        self.pick(scene, size, &Asked::Pixels(pixels))
    }

    /// As [`Self::pick_stroke`], and does not wait: frames that are submitted after it do not
    /// change the answer.
    pub fn request_stroke(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        pixels: &[UVec2],
    ) -> Result<PendingPick, GpuError> {
        let asked = Asked::Pixels(pixels);
        let parts = parts(&asked).map(|part| self.request(scene, size, &asked, part));
        Ok(PendingPick { parts: parts.collect::<Result<_, _>>()? })
    }

    /// How often something was read back so far.
    pub fn num_read_backs(&self) -> u64 {
        self.num_read_backs
    }

    fn pick(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        asked: &Asked<'_>,
    ) -> Result<Vec<Option<Pick>>, GpuError> {
        let mut picks = Vec::with_capacity(asked.len());
        // One after the other: the memory of a million pixels is enough.
        for part in parts(asked) {
            self.request(scene, size, asked, part)?.take(&mut picks)?;
        }
        Ok(picks)
    }

    fn request(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
        asked: &Asked<'_>,
        part: Range<usize>,
    ) -> Result<PendingPart, GpuError> {
        let Some(bounds) = asked.bounds(size) else { return Ok(PendingPart::Nothing(part.len())) };
        check_size(&self.gpu, size)?;
        let gpu = self.gpu.clone();
        let is_first = part.start == 0;
        let targets = match self.targets.take() {
            Some(targets) if targets.size == size => targets,
            _ => PickTargets::new(&gpu, size),
        };
        let frame = scene.write_pick_frame(&gpu, size);
        let mut encoder = gpu.encoder("picking");
        // The other parts of a request find them there.
        if is_first {
            self.encode_ids(&mut encoder, (scene, frame), &targets, bounds);
        }
        let views = [&targets.ids, &targets.depth];
        let request = Request::new(&gpu, &self.request_layout, asked, part, views)?;
        self.encode_gather(&mut encoder, (scene, frame), &request);
        request.copy(&mut encoder);
        gpu.queue().submit([encoder.finish()]);
        self.targets = Some(targets);
        self.num_read_backs += 1;
        request.start(&gpu)
    }

    fn encode_ids(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (scene, frame): (&SceneOnCard, &wgpu::BindGroup),
        targets: &PickTargets,
        bounds: PixelRect,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("ids"),
            color_attachments: &[cleared(&targets.ids, wgpu::Color::TRANSPARENT)],
            depth_stencil_attachment: far_depth(&targets.depth, wgpu::StoreOp::Store),
            ..Default::default()
        });
        pass.set_scissor_rect(bounds.origin.x, bounds.origin.y, bounds.size.x, bounds.size.y);
        pass.set_pipeline(&self.ids);
        pass.set_bind_group(0, frame, &[]);
        for surface in scene.surfaces().iter().filter(|surface| surface.is_shown()) {
            pass.set_bind_group(1, surface.group(), &[]);
            pass.draw(0..surface.num_corners(), 0..1);
        }
    }

    /// Every surface answers for the pixels that show it.
    fn encode_gather(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (scene, frame): (&SceneOnCard, &wgpu::BindGroup),
        request: &Request,
    ) {
        request.clear(encoder);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("gather"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&self.gather);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(2, request.group(), &[]);
        for surface in scene.surfaces() {
            pass.set_bind_group(1, surface.group(), &[]);
            pass.dispatch_workgroups((request.len() as u32).div_ceil(WORKGROUP), 1, 1);
        }
    }
}

/// The part of a rectangle that is in a picture.
fn within(rect: PixelRect, size: Size) -> PixelRect {
    let whole = UVec2::new(size.width, size.height);
    let origin = rect.origin.min(whole);
    PixelRect { origin, size: rect.size.min(whole - origin) }
}

impl PickTargets {
    fn new(gpu: &Gpu, size: Size) -> Self {
        let pixels = [size.width, size.height];
        Self {
            size,
            ids: target(gpu, "ids", pixels, ID_FORMAT, 1),
            depth: target(gpu, "depth of ids", pixels, DEPTH_FORMAT, 1),
        }
    }
}

fn request_layout(gpu: &Gpu) -> wgpu::BindGroupLayout {
    let compute = wgpu::ShaderStages::COMPUTE;
    let storage = |read_only| buffer_type(wgpu::BufferBindingType::Storage { read_only });
    gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("request"),
        entries: &[
            entry(0, compute, buffer_type(wgpu::BufferBindingType::Uniform)),
            entry(1, compute, texture_type(wgpu::TextureSampleType::Uint)),
            entry(2, compute, texture_type(wgpu::TextureSampleType::Depth)),
            entry(3, compute, storage(true)),
            entry(4, compute, storage(false)),
        ],
    })
}
