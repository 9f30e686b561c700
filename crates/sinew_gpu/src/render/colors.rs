//! The colour passes behind the marks: background with the ground's shadow, then surfaces.

use super::resources::{COLOR_FORMAT, PipelineParts, SAMPLES, pipeline, shader};
use super::surfaces::{SurfaceLayouts, SurfaceOnCard};
use crate::Gpu;

/// Their pipelines.
#[derive(Debug)]
pub(crate) struct ColorPasses {
    background: wgpu::RenderPipeline,
    surface: wgpu::RenderPipeline,
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
        let surface = pipeline(
            gpu,
            &PipelineParts {
                label: "surface",
                module: &surface,
                vertex_entry: "surface_vertex",
                fragment: Some(("surface_fragment", &color)),
                groups: &[Some(frame), Some(surfaces.surface()), Some(surfaces.material())],
                buffers: &[],
                topology: wgpu::PrimitiveTopology::TriangleList,
                depth: Some((wgpu::CompareFunction::Less, true)),
                samples: SAMPLES,
            },
        );
        Self { background, surface }
    }

    /// Draws into a pass whose group 0 is the frame.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, surfaces: &[SurfaceOnCard]) {
        pass.set_pipeline(&self.background);
        pass.draw(0..3, 0..1);
        pass.set_pipeline(&self.surface);
        for surface in surfaces {
            pass.set_bind_group(1, surface.group(), &[]);
            for (corners, material) in surface.runs() {
                pass.set_bind_group(2, material, &[]);
                pass.draw(corners.clone(), 0..1);
            }
        }
    }
}
