//! The colour passes behind the marks: background with the ground's shadow, then surfaces.

use super::resources::{COLOR_FORMAT, PipelineParts, SAMPLES, pipeline, shader};
use super::surfaces::{Layer, SurfaceLayouts, SurfaceOnCard};
use crate::Gpu;

/// Their pipelines.
#[derive(Debug)]
pub(crate) struct ColorPasses {
    background: wgpu::RenderPipeline,
    surface: wgpu::RenderPipeline,
    /// What is solid of masks and veils.
    solid: wgpu::RenderPipeline,
    /// Where veils are nearest, and then what they look like.
    veil_place: wgpu::RenderPipeline,
    veil: wgpu::RenderPipeline,
}

impl ColorPasses {
    pub(crate) fn new(gpu: &Gpu, frame: &wgpu::BindGroupLayout, surfaces: &SurfaceLayouts) -> Self {
        let light = [include_str!("frame.wgsl"), include_str!("light.wgsl")];
        let background =
            shader(gpu, "background", &[light[0], light[1], include_str!("background.wgsl")]);
        let surface = shader(
            gpu,
            "surface",
            &[light[0], light[1], include_str!("corners.wgsl"), include_str!("surface.wgsl")],
        );
        let color = [Some(COLOR_FORMAT.into())];
        let background = pipeline(
            gpu,
            &PipelineParts {
                label: "background",
                module: &background,
                vertex_entry: "background_vertex",
                fragment: Some(("background_fragment", &color)),
                groups: &[Some(frame)],
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleList,
                depth: Some((wgpu::CompareFunction::Always, false)),
                samples: SAMPLES,
            },
        );
        let of_surface = |fragment: &'static str, target: wgpu::ColorTargetState, depth| {
            pipeline(
                gpu,
                &PipelineParts {
                    label: fragment,
                    module: &surface,
                    vertex_entry: "surface_vertex",
                    fragment: Some((fragment, &[Some(target)])),
                    groups: &[Some(frame), Some(surfaces.surface()), Some(surfaces.material())],
                    buffers: &[],
                    topology: wgpu::PrimitiveTopology::TriangleList,
                    depth: Some(depth),
                    samples: SAMPLES,
                },
            )
        };
        let all = wgpu::ColorTargetState::from(COLOR_FORMAT);
        let none = wgpu::ColorTargetState { write_mask: wgpu::ColorWrites::empty(), ..all.clone() };
        let blend = Some(wgpu::BlendState::ALPHA_BLENDING);
        let blended = wgpu::ColorTargetState { blend, ..all.clone() };
        let nearer = (wgpu::CompareFunction::Less, true);
        Self {
            background,
            surface: of_surface("surface_fragment", all.clone(), nearer),
            solid: of_surface("solid_fragment", all, nearer),
            veil_place: of_surface("veil_place_fragment", none, nearer),
            veil: of_surface("veil_fragment", blended, (wgpu::CompareFunction::Equal, false)),
        }
    }

    /// Draws into a pass whose group 0 is the frame.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, surfaces: &[SurfaceOnCard]) {
        pass.set_pipeline(&self.background);
        pass.draw(0..3, 0..1);
        let steps = [
            (&self.surface, Layer::Solid),
            (&self.solid, Layer::Mask),
            (&self.solid, Layer::Veil),
            (&self.veil_place, Layer::Veil),
            (&self.veil, Layer::Veil),
        ];
        for (pipeline, layer) in steps {
            let mut is_set = false;
            for surface in surfaces.iter().filter(|surface| surface.is_shown()) {
                let mut is_bound = false;
                for run in surface.runs(layer) {
                    if !is_set {
                        pass.set_pipeline(pipeline);
                        is_set = true;
                    }
                    if !is_bound {
                        pass.set_bind_group(1, surface.group(), &[]);
                        is_bound = true;
                    }
                    pass.set_bind_group(2, &run.material, &[]);
                    pass.draw(run.corners.clone(), 0..1);
                }
            }
        }
    }
}
