//! Two variance shadow maps: one along the key light, one from straight above, which stands in for
//! ambient occlusion.
//!
//! A pass of depths alone, then a Gaussian blur of what look.rs says, along rows and along columns.
//! 32-bit floats, since a variance is the small difference of two squares; read by `textureLoad`,
//! since they need not be filterable.

use glam::{Mat4, Vec2};
use sinew_view::look::ShadowMap;

use super::resources::{
    DEPTH_FORMAT, PipelineParts, bind, buffer_type, cleared, entry, far_depth, pipeline, shader,
    target, texture_type,
};
use super::surfaces::{Layer, SurfaceLayouts, SurfaceOnCard};
use crate::Gpu;

const MAP_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;

/// Taps on each side of the blur, in standard deviations: as the rasteriser on the CPU.
const REACH: f32 = 2.5;

/// Larger maps gain nothing and take memory: the wish of a scene is cut to this.
const MAX_RESOLUTION: u32 = 4096;

/// The pipelines of both maps.
#[derive(Debug)]
pub(crate) struct ShadowPasses {
    depth: wgpu::RenderPipeline,
    /// Of what is not there wholly.
    cut_depth: wgpu::RenderPipeline,
    map_layout: wgpu::BindGroupLayout,
    rows: wgpu::RenderPipeline,
    columns: wgpu::RenderPipeline,
}

/// One map.
#[derive(Debug)]
pub(crate) struct ShadowTarget {
    shape: ShadowMap,
    side: u32,
    /// Texels of the blur on each side.
    reach: usize,
    depth: wgpu::TextureView,
    half_blurred: wgpu::TextureView,
    blurred: wgpu::TextureView,
    map_from_model: wgpu::Buffer,
    map_group: wgpu::BindGroup,
    rows_group: wgpu::BindGroup,
    columns_group: wgpu::BindGroup,
}

impl ShadowPasses {
    pub(crate) fn new(gpu: &Gpu, surfaces: &SurfaceLayouts) -> Self {
        let depth_module = shader(
            gpu,
            "shadow",
            &[
                include_str!("frame.wgsl"),
                include_str!("corners.wgsl"),
                include_str!("shadow.wgsl"),
            ],
        );
        let uniform_type = buffer_type(wgpu::BufferBindingType::Uniform);
        let map_layout = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("shadow map"),
            entries: &[entry(0, wgpu::ShaderStages::VERTEX, uniform_type)],
        });
        let cut_module = shader(
            gpu,
            "shadow of what is cut",
            &[
                include_str!("frame.wgsl"),
                include_str!("corners.wgsl"),
                include_str!("shadow_cut.wgsl"),
            ],
        );
        let of_light = PipelineParts {
            label: "shadow",
            module: &depth_module,
            vertex_entry: "shadow_vertex",
            fragment: None,
            groups: &[None, Some(surfaces.surface()), Some(&map_layout)],
            buffers: &[],
            topology: wgpu::PrimitiveTopology::TriangleList,
            depth: Some((wgpu::CompareFunction::Less, true)),
            samples: 1,
        };
        let depth = pipeline(gpu, &of_light);
        let material = Some(surfaces.material());
        let cut_depth = pipeline(
            gpu,
            &PipelineParts {
                label: "shadow of what is cut",
                module: &cut_module,
                vertex_entry: "shadow_cut_vertex",
                fragment: Some(("shadow_cut_fragment", &[])),
                groups: &[None, Some(surfaces.surface()), Some(&map_layout), material],
                ..of_light
            },
        );
        let read = buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
        let blur_module = shader(gpu, "blur", &[include_str!("blur.wgsl")]);
        let blur = |fragment_entry: &'static str, source: wgpu::BindGroupLayoutEntry| {
            let layout = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(fragment_entry),
                entries: &[entry(0, wgpu::ShaderStages::FRAGMENT, read), source],
            });
            pipeline(
                gpu,
                &PipelineParts {
                    label: fragment_entry,
                    module: &blur_module,
                    vertex_entry: "blur_vertex",
                    fragment: Some((fragment_entry, &[Some(MAP_FORMAT.into())])),
                    groups: &[Some(&layout)],
                    buffers: &[],
                    topology: wgpu::PrimitiveTopology::TriangleList,
                    depth: None,
                    samples: 1,
                },
            )
        };
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let depths = entry(1, fragment, texture_type(wgpu::TextureSampleType::Depth));
        let unfilterable = wgpu::TextureSampleType::Float { filterable: false };
        let half_blurred = entry(2, fragment, texture_type(unfilterable));
        Self {
            depth,
            cut_depth,
            map_layout,
            rows: blur("blur_rows", depths),
            columns: blur("blur_columns", half_blurred),
        }
    }

    /// Draws the map of what the surfaces are now; `extent` is the part of the map that they are
    /// in.
    pub(crate) fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        (target, extent): (&ShadowTarget, Option<[Vec2; 2]>),
        surfaces: &[SurfaceOnCard],
    ) {
        let rects = extent.map(|extent| target.rects(extent));
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("shadow"),
                depth_stencil_attachment: far_depth(&target.depth, wgpu::StoreOp::Store),
                ..Default::default()
            });
            pass.set_bind_group(2, &target.map_group, &[]);
            for surface in surfaces.iter().filter(|surface| surface.is_shown()) {
                pass.set_bind_group(1, surface.group(), &[]);
                pass.set_pipeline(&self.depth);
                for run in surface.runs(Layer::Solid) {
                    pass.draw(run.corners.clone(), 0..1);
                }
                let cut = surface.runs(Layer::Mask).chain(surface.runs(Layer::Veil));
                for (index, run) in cut.enumerate() {
                    if index == 0 {
                        pass.set_pipeline(&self.cut_depth);
                    }
                    pass.set_bind_group(3, &run.material, &[]);
                    pass.draw(run.corners.clone(), 0..1);
                }
            }
        }
        let [wide, all] = rects.map_or([None, None], |[wide, all]| [Some(wide), Some(all)]);
        let blurs = [
            (&self.rows, &target.rows_group, &target.half_blurred, wide),
            (&self.columns, &target.columns_group, &target.blurred, all),
        ];
        for (pipeline, group, view, rect) in blurs {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("blur"),
                color_attachments: &[cleared(view, wgpu::Color::TRANSPARENT)],
                ..Default::default()
            });
            let Some([x, y, width, height]) = rect else { continue };
            pass.set_scissor_rect(x, y, width, height);
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.draw(0..3, 0..1);
        }
    }
}

impl ShadowTarget {
    pub(crate) fn new(gpu: &Gpu, passes: &ShadowPasses, shape: ShadowMap) -> Self {
        let side = shape.resolution.clamp(1, MAX_RESOLUTION);
        let depth = target(gpu, "shadow depth", [side; 2], DEPTH_FORMAT, 1);
        let half_blurred = target(gpu, "half-blurred shadow", [side; 2], MAP_FORMAT, 1);
        let blurred = target(gpu, "shadow map", [side; 2], MAP_FORMAT, 1);
        let bell = bell(shape.blur_texels, side);
        let num_bytes = 4 * bell.len() as u64;
        // Of its very size: the shader asks for its length.
        let blur = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("bell"),
            size: num_bytes,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue().write_buffer(&blur, 0, bytemuck::cast_slice(&bell));
        let map_from_model = gpu.uniform("map_from_model", &Mat4::IDENTITY);
        let map_group =
            bind(gpu, "shadow map", &passes.map_layout, &[map_from_model.as_entire_binding()]);
        let group = |pipeline: &wgpu::RenderPipeline, binding: u32, view: &wgpu::TextureView| {
            gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("blur"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: blur.as_entire_binding() },
                    wgpu::BindGroupEntry {
                        binding,
                        resource: wgpu::BindingResource::TextureView(view),
                    },
                ],
            })
        };
        let rows_group = group(&passes.rows, 1, &depth);
        let columns_group = group(&passes.columns, 2, &half_blurred);
        Self {
            shape,
            side,
            reach: bell.len() - 1,
            depth,
            half_blurred,
            blurred,
            map_from_model,
            map_group,
            rows_group,
            columns_group,
        }
    }

    /// Texels that a blur along rows, and one along columns after it, can reach from a part of the
    /// map: x, y, width, height.
    fn rects(&self, [least, most]: [Vec2; 2]) -> [[u32; 4]; 2] {
        let side = self.side as f32;
        let (left, right) = ((0.5 + 0.5 * least.x) * side, (0.5 + 0.5 * most.x) * side);
        let (top, bottom) = ((0.5 - 0.5 * most.y) * side, (0.5 - 0.5 * least.y) * side);
        let reach = self.reach as f32;
        let stretch = |from: f32, to: f32, reach: f32| {
            // A texel more on each side, for rounding; never empty.
            let from = (from - reach - 1.0).floor().clamp(0.0, side - 1.0) as u32;
            let to = (to + reach + 1.0).ceil().clamp(0.0, side) as u32;
            [from, to.max(from + 1) - from]
        };
        let [x, width] = stretch(left, right, reach);
        [0.0, reach].map(|reach| {
            let [y, height] = stretch(top, bottom, reach);
            [x, y, width, height]
        })
    }

    /// What it was made for.
    pub(crate) fn shape(&self) -> ShadowMap {
        self.shape
    }

    /// Where the light is, from the next submission on.
    pub(crate) fn aim(&self, gpu: &Gpu, map_from_model: &Mat4) {
        gpu.write(&self.map_from_model, std::slice::from_ref(map_from_model));
    }

    /// The finished map.
    pub(crate) fn view(&self) -> &wgpu::TextureView {
        &self.blurred
    }
}

/// A Gaussian blur's shares: the middle one, then those on each side; all of them add up to one.
fn bell(sigma_texels: f32, side: u32) -> Vec<f32> {
    // A deviation of zero is no blur, not a division by zero.
    let sigma = if sigma_texels > 0.05 { sigma_texels.min(0.25 * side as f32) } else { 0.05 };
    let reach = (REACH * sigma).ceil() as u32;
    let at = |tap: u32| (-0.5 * (tap as f32 / sigma).powi(2)).exp();
    let total = at(0) + 2.0 * (1..=reach).map(at).sum::<f32>();
    (0..=reach).map(|tap| at(tap) / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blur_takes_nothing_away_and_none_is_one_share() {
        for sigma in [0.0, 0.3, 4.0, 1e9, f32::NAN] {
            let bell = bell(sigma, 64);
            let total = bell[0] + 2.0 * bell[1..].iter().sum::<f32>();
            assert!((total - 1.0).abs() < 1e-5, "{sigma}: {total}");
        }
        assert!(bell(0.0, 64)[0] > 0.9999);
    }
}
