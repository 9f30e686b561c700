//! Small makers of buffers, textures and pipelines that the passes share.

use bytemuck::NoUninit;

use crate::{Gpu, GpuError};

/// Samples a pixel in the colour passes: what WebGPU promises for every format that can be
/// resolved.
pub(crate) const SAMPLES: u32 = 4;

/// Of the colour passes: linear light past 1 would not fit eight bits.
pub(crate) const COLOR_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;

/// Of every depth buffer.
pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// A buffer that is filled again each frame and made anew only when it has become too small.
#[derive(Debug)]
pub(crate) struct Refilled {
    what: &'static str,
    buffer: wgpu::Buffer,
}

impl Refilled {
    /// Empty at first.
    pub(crate) fn new(gpu: &Gpu, what: &'static str) -> Result<Self, GpuError> {
        Ok(Self { what, buffer: gpu.storage_of_size(what, 0)? })
    }

    /// Holds `data` from the next submission on. True if it is another buffer than before, so that
    /// it must be bound again.
    pub(crate) fn fill<T: NoUninit>(&mut self, gpu: &Gpu, data: &[T]) -> Result<bool, GpuError> {
        let needed = size_of_val(data) as u64;
        let is_too_small = needed > self.buffer.size();
        if is_too_small {
            self.buffer = gpu.storage_of_size(self.what, needed)?;
        }
        gpu.write(&self.buffer, data);
        Ok(is_too_small)
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }
}

/// A shader from texts, put one after the other: what is shared first.
pub(crate) fn shader(gpu: &Gpu, label: &str, wgsl: &[&str]) -> wgpu::ShaderModule {
    gpu.device().create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(wgsl.concat().into()),
    })
}

/// A texture that passes draw into and others read.
pub(crate) fn target(
    gpu: &Gpu,
    label: &str,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
) -> wgpu::TextureView {
    let sampled = match samples {
        1 => wgpu::TextureUsages::TEXTURE_BINDING,
        _ => wgpu::TextureUsages::empty(),
    };
    let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | sampled,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// A layout entry.
pub(crate) fn entry(
    binding: u32,
    visibility: wgpu::ShaderStages,
    ty: wgpu::BindingType,
) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// The type of a whole buffer's binding.
pub(crate) fn buffer_type(ty: wgpu::BufferBindingType) -> wgpu::BindingType {
    wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None }
}

/// The type of a plain texture's binding.
pub(crate) fn texture_type(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    wgpu::BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

/// A bind group of resources at bindings 0, 1, 2 …
pub(crate) fn bind(
    gpu: &Gpu,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0u32..)
        .zip(resources)
        .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource: resource.clone() })
        .collect();
    gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}

/// What differs from pipeline to pipeline; the rest is the same for all.
pub(crate) struct PipelineParts<'a> {
    pub label: &'static str,
    pub module: &'a wgpu::ShaderModule,
    pub vertex_entry: &'static str,
    /// Entry point and targets; `None` for a pass of depths alone.
    pub fragment: Option<(&'static str, &'a [Option<wgpu::ColorTargetState>])>,
    pub groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    pub buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub topology: wgpu::PrimitiveTopology,
    /// Comparison, and whether it writes; `None` for a pass without depths.
    pub depth: Option<(wgpu::CompareFunction, bool)>,
    pub samples: u32,
}

/// Builds a pipeline; counter-clockwise is the front, and nothing is culled: an open surface has
/// two sides.
pub(crate) fn pipeline(gpu: &Gpu, parts: &PipelineParts<'_>) -> wgpu::RenderPipeline {
    let device = gpu.device();
    let label = Some(parts.label);
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label,
        bind_group_layouts: parts.groups,
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: parts.module,
            entry_point: Some(parts.vertex_entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: parts.buffers,
        },
        primitive: wgpu::PrimitiveState { topology: parts.topology, ..Default::default() },
        depth_stencil: parts.depth.map(|(compare, writes)| wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(writes),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: parts.samples, ..Default::default() },
        fragment: parts.fragment.map(|(entry_point, targets)| wgpu::FragmentState {
            module: parts.module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// A colour attachment that is cleared and kept.
pub(crate) fn cleared(
    view: &wgpu::TextureView,
    color: wgpu::Color,
) -> Option<wgpu::RenderPassColorAttachment<'_>> {
    Some(wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load: wgpu::LoadOp::Clear(color), store: wgpu::StoreOp::Store },
    })
}

/// A depth attachment that is cleared to the far plane.
pub(crate) fn far_depth(
    view: &wgpu::TextureView,
    store: wgpu::StoreOp,
) -> Option<wgpu::RenderPassDepthStencilAttachment<'_>> {
    Some(wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store }),
        stencil_ops: None,
    })
}
