//! What is asked of the picking buffer, and its answer on the way back.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use glam::{UVec2, Vec3};
use sinew_view::camera::Size;
use sinew_view::pick::{Pick, PixelRect};

use crate::buffers::ReadBack;
use crate::pending::Pending;
use crate::render::bind;
use crate::{Gpu, GpuError};

/// The pixels of a request.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked<'a> {
    /// Row by row; inside of the picture.
    Rect(PixelRect),
    /// In any order, also outside of the picture.
    Pixels(&'a [UVec2]),
}

impl Asked<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Asked::Rect(rect) => rect.size.x as usize * rect.size.y as usize,
            Asked::Pixels(pixels) => pixels.len(),
        }
    }

    /// The rectangle around all that is in the picture; `None` if nothing is.
    pub(super) fn bounds(&self, size: Size) -> Option<PixelRect> {
        let whole = UVec2::new(size.width, size.height);
        match self {
            Asked::Rect(rect) => (rect.size.min_element() > 0).then_some(*rect),
            Asked::Pixels(pixels) => {
                let inside = pixels.iter().copied().filter(|pixel| pixel.cmplt(whole).all());
                let (first, last) = inside.fold((whole, UVec2::ZERO), |(first, last), pixel| {
                    (first.min(pixel), last.max(pixel + UVec2::ONE))
                });
                let is_any = last.min_element() > 0;
                is_any.then(|| PixelRect { origin: first, size: last - first })
            }
        }
    }
}

/// The twin of `Request` in gather.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct RequestUniform {
    origin: UVec2,
    width: u32,
    count: u32,
    start: u32,
    padding: [u32; 3],
}

/// The twin of `Found` in gather.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Found {
    surface_from_one: u32,
    triangle: u32,
    depth: f32,
    padding: f32,
    // Not vectors: those want more alignment than mapped memory promises.
    position_and_first_share: [f32; 4],
    normal_and_second_share: [f32; 4],
}

impl Found {
    fn pick(&self) -> Option<Pick> {
        let surface = self.surface_from_one.checked_sub(1)?;
        let [x, y, z, first] = self.position_and_first_share;
        let [normal_x, normal_y, normal_z, second] = self.normal_and_second_share;
        Some(Pick {
            surface,
            triangle: self.triangle,
            barycentrics: Vec3::new(first, second, (1.0 - first - second).max(0.0)),
            position: Vec3::new(x, y, z),
            normal: Vec3::new(normal_x, normal_y, normal_z),
            depth: self.depth,
        })
    }
}

/// A part of a request on the card.
#[derive(Debug)]
pub(super) struct Request {
    len: usize,
    found: wgpu::Buffer,
    read_back: ReadBack,
    group: wgpu::BindGroup,
}

impl Request {
    /// `views` are those of ids and depths.
    pub(super) fn new(
        gpu: &Gpu,
        layout: &wgpu::BindGroupLayout,
        asked: &Asked<'_>,
        part: Range<usize>,
        [ids, depths]: [&wgpu::TextureView; 2],
    ) -> Result<Self, GpuError> {
        let len = part.len();
        let mut params = RequestUniform { count: len as u32, ..Zeroable::zeroed() };
        let pixels = match asked {
            Asked::Rect(rect) => {
                (params.origin, params.width, params.start) =
                    (rect.origin, rect.size.x, part.start as u32);
                &[]
            }
            Asked::Pixels(pixels) => &pixels[part],
        };
        let pixels = gpu.storage("pixels", pixels)?;
        let num_bytes = (len * size_of::<Found>()) as u64;
        let found = gpu.storage_of_size("found", num_bytes)?;
        let params = gpu.uniform("request", &params);
        let group = bind(
            gpu,
            "request",
            layout,
            &[
                params.as_entire_binding(),
                wgpu::BindingResource::TextureView(ids),
                wgpu::BindingResource::TextureView(depths),
                pixels.as_entire_binding(),
                found.as_entire_binding(),
            ],
        );
        Ok(Self { len, found, read_back: ReadBack::new(gpu, num_bytes), group })
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn group(&self) -> &wgpu::BindGroup {
        &self.group
    }

    /// Before the compute pass.
    pub(super) fn clear(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.clear_buffer(&self.found, 0, None);
    }

    /// After the compute pass, in the same encoder.
    pub(super) fn copy(&self, encoder: &mut wgpu::CommandEncoder) {
        self.read_back.copy(encoder, &self.found);
    }

    /// After the encoder's commands were submitted.
    pub(super) fn start(self, gpu: &Gpu) -> Result<PendingPart, GpuError> {
        Ok(PendingPart::Asked(Pending::start(gpu, vec![self.read_back])?))
    }
}

/// A part of a request, on its way from the card.
#[derive(Debug)]
pub(super) enum PendingPart {
    /// So many pixels, of which none is in the picture.
    Nothing(usize),
    Asked(Pending),
}

impl PendingPart {
    pub(super) fn poll(&mut self) -> Result<bool, GpuError> {
        match self {
            Self::Nothing(_) => Ok(true),
            Self::Asked(pending) => pending.poll(),
        }
    }

    /// Waits for it.
    pub(super) fn take(self, picks: &mut Vec<Option<Pick>>) -> Result<(), GpuError> {
        match self {
            Self::Nothing(len) => picks.resize(picks.len() + len, None),
            Self::Asked(mut pending) => {
                pending.wait()?;
                pending.take(0, |found: &[Found]| picks.extend(found.iter().map(Found::pick)))?;
                pending.finish();
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_a_stroke_leave_out_what_is_beside_the_picture() {
        let size = Size { width: 10, height: 8 };
        let pixels = [UVec2::new(3, 4), UVec2::new(99, 1), UVec2::new(5, 2)];
        let bounds = Asked::Pixels(&pixels).bounds(size).unwrap();
        assert_eq!((bounds.origin, bounds.size), (UVec2::new(3, 2), UVec2::new(3, 3)));
        assert!(Asked::Pixels(&pixels[1..2]).bounds(size).is_none());
        assert!(Asked::Pixels(&[]).bounds(size).is_none());
    }
}
