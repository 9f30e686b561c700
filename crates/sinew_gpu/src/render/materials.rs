//! Materials on the card: a base colour and its texture, with smaller copies for where it is seen
//! from afar.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::Vec4;
use sinew_view::scene::{Material, Texture};

use super::resources::{bind, buffer_type, entry, texture_type};
use crate::Gpu;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct MaterialUniform {
    /// Linear; the fourth says what else there is: see surface.wgsl.
    base_color: Vec4,
}

/// The fourth component of a base colour: [`PLAIN`], [`TEXTURED`] or the look's own clay.
const PLAIN: f32 = 0.0;
const TEXTURED: f32 = 1.0;
const CLAY: f32 = 2.0;

/// Makes materials, and keeps the textures that a scene uses.
#[derive(Debug)]
pub(crate) struct MaterialLayout {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    white: wgpu::TextureView,
}

/// Textures by identity: many materials may share one.
#[derive(Debug, Default)]
pub(crate) struct TextureCache(Vec<(Arc<Texture>, wgpu::TextureView)>);

impl TextureCache {
    fn view(&mut self, gpu: &Gpu, texture: &Arc<Texture>) -> wgpu::TextureView {
        if let Some((_, view)) = self.0.iter().find(|(known, _)| Arc::ptr_eq(known, texture)) {
            return view.clone();
        }
        let view = upload(gpu, texture);
        self.0.push((texture.clone(), view.clone()));
        view
    }

    /// Lets go of what nobody but the cache holds.
    pub(crate) fn forget_unused(&mut self) {
        self.0.retain(|(texture, _)| Arc::strong_count(texture) > 1);
    }
}

impl MaterialLayout {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let fragment = wgpu::ShaderStages::FRAGMENT;
        let filterable = wgpu::TextureSampleType::Float { filterable: true };
        let filtering = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let layout = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("material"),
            entries: &[
                entry(0, fragment, buffer_type(wgpu::BufferBindingType::Uniform)),
                entry(1, fragment, texture_type(filterable)),
                entry(2, fragment, filtering),
            ],
        });
        let sampler = gpu.device().create_sampler(&wgpu::SamplerDescriptor {
            label: Some("base colour"),
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..Default::default()
        });
        let white = upload(gpu, &Texture { width: 1, height: 1, rgba: vec![[255; 4]] });
        Self { layout, sampler, white }
    }

    pub(crate) fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// A file's material.
    pub(crate) fn material(
        &self,
        gpu: &Gpu,
        textures: &mut TextureCache,
        material: &Material,
    ) -> wgpu::BindGroup {
        match &material.texture {
            // A texture without pixels is none.
            Some(texture) if texture.width > 0 && texture.height > 0 => {
                let view = textures.view(gpu, texture);
                self.group(gpu, material.base_color.extend(TEXTURED), &view)
            }
            _ => self.group(gpu, material.base_color.extend(PLAIN), &self.white),
        }
    }

    /// The look's own.
    pub(crate) fn clay(&self, gpu: &Gpu) -> wgpu::BindGroup {
        self.group(gpu, Vec4::new(0.0, 0.0, 0.0, CLAY), &self.white)
    }

    fn group(&self, gpu: &Gpu, base_color: Vec4, view: &wgpu::TextureView) -> wgpu::BindGroup {
        let uniform = gpu.uniform("material", &MaterialUniform { base_color });
        let texture = wgpu::BindingResource::TextureView(view);
        let sampler = wgpu::BindingResource::Sampler(&self.sampler);
        bind(gpu, "material", &self.layout, &[uniform.as_entire_binding(), texture, sampler])
    }
}

/// A texture with all of its smaller copies; one that is larger than the card takes begins with a
/// smaller copy.
fn upload(gpu: &Gpu, texture: &Texture) -> wgpu::TextureView {
    let limit = gpu.device().limits().max_texture_dimension_2d;
    let mut levels = Vec::new();
    let mut level =
        Texture { width: texture.width, height: texture.height, rgba: texture.rgba.clone() };
    loop {
        let is_last = level.width == 1 && level.height == 1;
        let smaller = if is_last { None } else { Some(halved(&level)) };
        if level.width.max(level.height) <= limit {
            levels.push(level);
        }
        match smaller {
            Some(smaller) => level = smaller,
            None => break,
        }
    }
    let size = wgpu::Extent3d {
        width: levels[0].width,
        height: levels[0].height,
        depth_or_array_layers: 1,
    };
    let on_card = gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: Some("base colour"),
        size,
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (mip_level, level) in (0u32..).zip(&levels) {
        gpu.queue().write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &on_card,
                mip_level,
                origin: wgpu::Origin3d::ZERO,
                aspect: wgpu::TextureAspect::All,
            },
            bytemuck::cast_slice(&level.rgba),
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(4 * level.width),
                rows_per_image: None,
            },
            wgpu::Extent3d { width: level.width, height: level.height, depth_or_array_layers: 1 },
        );
    }
    on_card.create_view(&wgpu::TextureViewDescriptor::default())
}

/// Half as wide and high, rounded down but never to nothing: each pixel the mean, in linear light,
/// of those it covers.
fn halved(texture: &Texture) -> Texture {
    let (width, height) = ((texture.width / 2).max(1), (texture.height / 2).max(1));
    let linear: Vec<f32> = (0..=255u8).map(linear_of_srgb).collect();
    let at = |x: u32, y: u32| {
        let (x, y) = (x.min(texture.width - 1), y.min(texture.height - 1));
        texture.rgba[y as usize * texture.width as usize + x as usize]
    };
    let mean = |x: u32, y: u32| {
        let four = [
            at(2 * x, 2 * y),
            at(2 * x + 1, 2 * y),
            at(2 * x, 2 * y + 1),
            at(2 * x + 1, 2 * y + 1),
        ];
        let channel = |c: usize| {
            let sum: f32 = four.iter().map(|pixel| linear[pixel[c] as usize]).sum();
            srgb_of_linear(0.25 * sum)
        };
        [channel(0), channel(1), channel(2), 255]
    };
    let rgba = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| mean(x, y));
    Texture { width, height, rgba: rgba.collect() }
}

fn linear_of_srgb(srgb: u8) -> f32 {
    let c = f32::from(srgb) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn srgb_of_linear(linear: f32) -> u8 {
    let c = linear.clamp(0.0, 1.0);
    let srgb = if c <= 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (255.0 * srgb + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_copy_of_one_colour_has_that_colour_and_never_vanishes() {
        let texture = Texture { width: 5, height: 1, rgba: vec![[200, 7, 90, 255]; 5] };
        let half = halved(&texture);
        assert_eq!((half.width, half.height), (2, 1));
        assert!(half.rgba.iter().all(|pixel| *pixel == [200, 7, 90, 255]));
    }

    #[test]
    fn black_and_white_mix_in_linear_light() {
        let rgba = vec![[0, 0, 0, 255], [255; 4], [255; 4], [0, 0, 0, 255]];
        let half = halved(&Texture { width: 2, height: 2, rgba });
        // Half of white's light is 188 in sRGB, not 128.
        assert_eq!(half.rgba[0], [188, 188, 188, 255]);
    }
}
