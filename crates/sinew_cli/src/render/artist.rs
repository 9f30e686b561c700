//! Who draws: the renderer on a graphics card, or the rasteriser on the processor.

use std::cell::RefCell;

use sinew_gpu::render::Renderer;
use sinew_gpu::{Gpu, wgpu};
use sinew_view::camera::Size;
use sinew_view::picture::Picture;
use sinew_view::raster;
use sinew_view::scene::Scene;

use super::RenderDevice;
use crate::exit::Failure;

/// Who draws, and computes.
pub(crate) enum Artist {
    /// The rasteriser on the processor.
    Cpu,
    /// The renderer on the card, which keeps its targets from picture to picture.
    Gpu(Gpu, Box<RefCell<Renderer>>),
}

impl Artist {
    pub(crate) fn new(device: RenderDevice) -> Result<Self, Failure> {
        let gpu = match device {
            RenderDevice::Cpu => return Ok(Self::Cpu),
            RenderDevice::Gpu => Gpu::headless()?,
            // A driver in software is a slower way to the same picture.
            RenderDevice::Auto if !may_have_card() => return Ok(Self::Cpu),
            RenderDevice::Auto => match Gpu::headless() {
                Ok(gpu) if !gpu.is_software() => gpu,
                _ => return Ok(Self::Cpu),
            },
        };
        let renderer = Renderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        Ok(Self::Gpu(gpu, Box::new(RefCell::new(renderer))))
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Cpu => "the processor".into(),
            Self::Gpu(gpu, _) => gpu.name(),
        }
    }

    /// The card, if that is who draws.
    pub(crate) fn gpu(&self) -> Option<&Gpu> {
        match self {
            Self::Cpu => None,
            Self::Gpu(gpu, _) => Some(gpu),
        }
    }

    pub(crate) fn draw(&self, scene: &Scene, size: Size) -> Result<Picture, Failure> {
        match self {
            Self::Cpu => Ok(raster::draw(scene, size)),
            Self::Gpu(_, renderer) => Ok(renderer.borrow_mut().picture(scene, size)?),
        }
    }
}

/// False where there is no card for sure: Linux lists every one. Asking a driver costs a tenth of a
/// second, and some drivers complain on stderr about what a machine without a display lacks.
fn may_have_card() -> bool {
    !cfg!(target_os = "linux") || std::path::Path::new("/dev/dri").exists()
}
