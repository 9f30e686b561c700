//! From the card to the CPU: a finished picture.

use sinew_view::camera::Size;
use sinew_view::picture::Picture;

use crate::buffers::ReadBack;
use crate::pending::Pending;
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
        let pixels = self.read_back.read(gpu, |bytes: &[u8]| pixels(self.size, bytes))?;
        Ok(Picture::from_pixels(self.size, pixels))
    }

    /// After the encoder's commands were submitted; does not wait.
    pub(crate) fn start(self, gpu: &Gpu) -> Result<PendingPicture, GpuError> {
        Ok(PendingPicture { size: self.size, pending: Pending::start(gpu, vec![self.read_back])? })
    }
}

/// A picture on its way from the card.
#[derive(Debug)]
pub struct PendingPicture {
    size: Size,
    pending: Pending,
}

impl PendingPicture {
    /// True if the picture is here. Does not wait. (In a browser the page's own loop brings it.)
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn poll(&mut self) -> Result<bool, GpuError> {
        self.pending.poll()
    }

    /// The picture; waits for it where it is not here yet.
    ///
    /// # Errors
    /// If the card has stopped answering.
    pub fn wait(mut self) -> Result<Picture, GpuError> {
        self.pending.wait()?;
        let pixels = self.pending.take(0, |bytes: &[u8]| pixels(self.size, bytes))?;
        Ok(Picture::from_pixels(self.size, pixels))
    }
}

/// Without what pads the rows.
fn pixels(size: Size, bytes: &[u8]) -> Vec<[u8; 4]> {
    let rows = bytes.chunks_exact(bytes_per_row(size) as usize);
    rows.flat_map(|row| row[..4 * size.width as usize].as_chunks::<4>().0).copied().collect()
}

fn extent(size: Size) -> wgpu::Extent3d {
    wgpu::Extent3d { width: size.width, height: size.height, depth_or_array_layers: 1 }
}

fn bytes_per_row(size: Size) -> u32 {
    (4 * size.width).next_multiple_of(ROW_ALIGNMENT)
}
