//! From the card to the CPU: a finished picture.

use sinew_view::camera::Size;
use sinew_view::picture::Picture;

use crate::buffers::ReadBack;
use crate::{Gpu, GpuError};

/// Rows of a texture are copied at multiples of this many bytes.
const ROW_ALIGNMENT: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

/// The format whose bytes a [`Picture`] holds.
pub(crate) const PICTURE_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// A texture that is drawn into and then copied.
#[derive(Debug)]
pub(crate) struct PictureTarget {
    size: Size,
    texture: wgpu::Texture,
    read_back: ReadBack,
}

impl PictureTarget {
    pub(crate) fn new(gpu: &Gpu, size: Size) -> Self {
        let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: extent(size),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: PICTURE_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let num_bytes = u64::from(bytes_per_row(size)) * u64::from(size.height);
        Self { size, texture, read_back: ReadBack::new(gpu, num_bytes) }
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    pub(crate) fn view(&self) -> wgpu::TextureView {
        self.texture.create_view(&wgpu::TextureViewDescriptor::default())
    }

    /// After what draws into it, in the same encoder.
    pub(crate) fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.copy_texture_to_buffer(
            self.texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: self.read_back.staging(),
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(bytes_per_row(self.size)),
                    rows_per_image: None,
                },
            },
            extent(self.size),
        );
    }

    /// Waits for what was submitted.
    pub(crate) fn read(&self, gpu: &Gpu) -> Result<Picture, GpuError> {
        let width = self.size.width as usize;
        let pixels = self.read_back.read(gpu, |bytes: &[u8]| {
            let rows = bytes.chunks_exact(bytes_per_row(self.size) as usize);
            let pixels = rows.flat_map(|row| row[..4 * width].as_chunks::<4>().0);
            pixels.copied().collect()
        })?;
        Ok(Picture::from_pixels(self.size, pixels))
    }
}

fn extent(size: Size) -> wgpu::Extent3d {
    wgpu::Extent3d { width: size.width, height: size.height, depth_or_array_layers: 1 }
}

fn bytes_per_row(size: Size) -> u32 {
    (4 * size.width).next_multiple_of(ROW_ALIGNMENT)
}
