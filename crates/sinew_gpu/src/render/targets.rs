//! Textures that a picture is drawn in, and the last step into what is shown.

use sinew_view::camera::Size;

use super::resources::{
    COLOR_FORMAT, DEPTH_FORMAT, PipelineParts, SAMPLES, bind, cleared, entry, pipeline, shader,
    target, texture_type,
};
use crate::{Gpu, GpuError};

/// For one size of picture.
#[derive(Debug)]
pub(crate) struct Targets {
    size: Size,
    /// Samples, and what they are resolved into.
    color: [wgpu::TextureView; 2],
    depth: wgpu::TextureView,
    /// The same for the layer in front, made when there is one.
    front: Option<[wgpu::TextureView; 2]>,
    finish_group: wgpu::BindGroup,
}

impl Targets {
    pub(crate) fn new(gpu: &Gpu, finish: &Finish, size: Size, has_front: bool) -> Self {
        let pixels = [size.width, size.height];
        let pair = |label: &str| {
            [SAMPLES, 1].map(|samples| target(gpu, label, pixels, COLOR_FORMAT, samples))
        };
        let color = pair("colour");
        let front = has_front.then(|| pair("layer in front"));
        let in_front = front.as_ref().map_or(&finish.nothing, |[_, resolved]| resolved);
        let finish_group = bind(
            gpu,
            "finish",
            &finish.layout,
            &[&color[1], in_front].map(wgpu::BindingResource::TextureView),
        );
        let depth = target(gpu, "depth", pixels, DEPTH_FORMAT, SAMPLES);
        Self { size, color, depth, front, finish_group }
    }

    /// Whether a picture of that size fits, with or without a layer in front.
    pub(crate) fn serve(&self, size: Size, has_front: bool) -> bool {
        self.size == size && (self.front.is_some() || !has_front)
    }

    pub(crate) fn depth(&self) -> &wgpu::TextureView {
        &self.depth
    }

    /// Attachment of the picture itself.
    pub(crate) fn color(&self) -> Option<wgpu::RenderPassColorAttachment<'_>> {
        resolved(&self.color)
    }

    /// Attachment of the layer in front.
    pub(crate) fn front(&self) -> Option<wgpu::RenderPassColorAttachment<'_>> {
        self.front.as_ref().and_then(resolved)
    }
}

fn resolved(views: &[wgpu::TextureView; 2]) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    let [samples, resolved] = views;
    Some(wgpu::RenderPassColorAttachment {
        resolve_target: Some(resolved),
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            // Resolved at the pass's end: the samples themselves need not leave the tile.
            store: wgpu::StoreOp::Discard,
        },
        ..cleared(samples, wgpu::Color::TRANSPARENT)?
    })
}

/// The step from resolved linear light to a target.
#[derive(Debug)]
pub(crate) struct Finish {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    /// A transparent pixel, where there is no layer in front: `textureLoad` outside of a texture is
    /// zero or its edge.
    nothing: wgpu::TextureView,
}

impl Finish {
    pub(crate) fn new(
        gpu: &Gpu,
        frame: &wgpu::BindGroupLayout,
        format: wgpu::TextureFormat,
    ) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let unfiltered = texture_type(wgpu::TextureSampleType::Float { filterable: false });
        let layout = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("finish"),
            entries: &[entry(0, fragment, unfiltered), entry(1, fragment, unfiltered)],
        });
        let ending = match format.is_srgb() {
            true => include_str!("finish_linear.wgsl"),
            false => include_str!("finish_srgb.wgsl"),
        };
        let module = shader(
            gpu,
            "finish",
            &[include_str!("frame.wgsl"), include_str!("finish.wgsl"), ending],
        );
        let pipeline = pipeline(
            gpu,
            &PipelineParts {
                label: "finish",
                module: &module,
                vertex_entry: "finish_vertex",
                fragment: Some(("finish_fragment", &[Some(format.into())])),
                groups: &[Some(frame), Some(&layout)],
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleList,
                depth: None,
                samples: 1,
            },
        );
        let nothing = target(gpu, "nothing", [1, 1], COLOR_FORMAT, 1);
        Self { layout, pipeline, nothing }
    }

    pub(crate) fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        frame: &wgpu::BindGroup,
        targets: &Targets,
        view: &wgpu::TextureView,
    ) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("finish"),
            color_attachments: &[cleared(view, wgpu::Color::BLACK)],
            ..Default::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, frame, &[]);
        pass.set_bind_group(1, &targets.finish_group, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// A picture that the card has no texture for is an error before it is a panic.
pub(crate) fn check_size(gpu: &Gpu, size: Size) -> Result<(), GpuError> {
    let limit = gpu.device().limits().max_texture_dimension_2d;
    if size.width <= limit && size.height <= limit {
        return Ok(());
    }
    Err(GpuError::PictureTooLarge { width: size.width, height: size.height, limit })
}
