//! Materials on the card: a base colour, its texture and a normal map, with smaller copies for
//! where they are seen from afar.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::Vec4;
use sinew_view::scene::{Material, Texture};

use super::resources::{bind, buffer_type, entry, texture_type};
use crate::Gpu;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct MaterialUniform {
    /// Linear; the fourth says what else there is: see surface.wgsl, for these three.
    base_color: Vec4,
    opacity: Vec4,
    bumps: Vec4,
}

/// The fourth component of a base colour: [`PLAIN`], [`TEXTURED`] or the look's own clay.
const PLAIN: f32 = 0.0;
const TEXTURED: f32 = 1.0;
const CLAY: f32 = 2.0;

/// What an image's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pixels {
    /// sRGB with opacity.
    Color,
    /// Directions: as they are.
    Direction,
}

/// Makes materials, and keeps the textures that a scene uses.
#[derive(Debug)]
pub(crate) struct MaterialLayout {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    white: wgpu::TextureView,
    flat: wgpu::TextureView,
}

/// Textures by identity: many materials may share one.
#[derive(Debug, Default)]
pub(crate) struct TextureCache(Vec<(Arc<Texture>, Pixels, wgpu::TextureView)>);

impl TextureCache {
    fn view(&mut self, gpu: &Gpu, texture: &Arc<Texture>, pixels: Pixels) -> wgpu::TextureView {
        let is_it = |(known, as_pixels, _): &&(Arc<Texture>, Pixels, wgpu::TextureView)| {
            Arc::ptr_eq(known, texture) && *as_pixels == pixels
        };
        if let Some((.., view)) = self.0.iter().find(is_it) {
            return view.clone();
        }
        let view = upload(gpu, texture, pixels);
        self.0.push((texture.clone(), pixels, view.clone()));
        view
    }

    /// Lets go of what nobody but the cache holds.
    pub(crate) fn forget_unused(&mut self) {
        self.0.retain(|(texture, ..)| Arc::strong_count(texture) > 1);
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
                entry(3, fragment, texture_type(filterable)),
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
        let one = |texel: [u8; 4], pixels| {
            upload(gpu, &Texture { width: 1, height: 1, rgba: vec![texel] }, pixels)
        };
        let white = one([255; 4], Pixels::Color);
        let flat = one([128, 128, 255, 255], Pixels::Direction);
        Self { layout, sampler, white, flat }
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
        // A texture without pixels is none.
        let view_of = |textures: &mut TextureCache, texture: &Arc<Texture>, pixels| {
            (texture.width > 0 && texture.height > 0).then(|| textures.view(gpu, texture, pixels))
        };
        let color = material.texture.as_ref();
        let color = color.and_then(|texture| view_of(textures, texture, Pixels::Color));
        let normal_map = material.normal_map.as_ref();
        let bumps = normal_map.and_then(|(map, _)| view_of(textures, map, Pixels::Direction));
        let flag = |is_set: bool| if is_set { 1.0 } else { 0.0 };
        let from = |opacity: Option<f32>| opacity.unwrap_or(-1.0);
        let uniform = MaterialUniform {
            base_color: material.base_color.extend(if color.is_some() { TEXTURED } else { PLAIN }),
            opacity: Vec4::new(
                material.opacity,
                from(material.solid_from()),
                from(material.shadow_from()),
                flag(material.is_two_sided),
            ),
            bumps: Vec4::new(
                normal_map.map_or(1.0, |(_, scale)| *scale),
                flag(bumps.is_some()),
                0.0,
                0.0,
            ),
        };
        let views = [color.as_ref().unwrap_or(&self.white), bumps.as_ref().unwrap_or(&self.flat)];
        self.group(gpu, &uniform, views)
    }

    /// The look's own.
    pub(crate) fn clay(&self, gpu: &Gpu) -> wgpu::BindGroup {
        let uniform = MaterialUniform {
            base_color: Vec4::new(0.0, 0.0, 0.0, CLAY),
            opacity: Vec4::new(1.0, -1.0, -1.0, 0.0),
            bumps: Vec4::ZERO,
        };
        self.group(gpu, &uniform, [&self.white, &self.flat])
    }

    fn group(
        &self,
        gpu: &Gpu,
        uniform: &MaterialUniform,
        [color, bumps]: [&wgpu::TextureView; 2],
    ) -> wgpu::BindGroup {
        let uniform = gpu.uniform("material", uniform);
        let [color, bumps] = [color, bumps].map(wgpu::BindingResource::TextureView);
        let sampler = wgpu::BindingResource::Sampler(&self.sampler);
        let resources = [uniform.as_entire_binding(), color, sampler, bumps];
        bind(gpu, "material", &self.layout, &resources)
    }
}

/// A texture with all of its smaller copies; one that is larger than the card takes begins with a
/// smaller copy.
fn upload(gpu: &Gpu, texture: &Texture, pixels: Pixels) -> wgpu::TextureView {
    let limit = gpu.device().limits().max_texture_dimension_2d;
    let mut levels = Vec::new();
    let mut level =
        Texture { width: texture.width, height: texture.height, rgba: texture.rgba.clone() };
    loop {
        let is_last = level.width == 1 && level.height == 1;
        let smaller = if is_last { None } else { Some(halved(&level, pixels)) };
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
        label: Some("texture"),
        size,
        mip_level_count: levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: match pixels {
            Pixels::Color => wgpu::TextureFormat::Rgba8UnormSrgb,
            Pixels::Direction => wgpu::TextureFormat::Rgba8Unorm,
        },
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

/// Half as wide and high, rounded down but never to nothing: each pixel the mean of those it
/// covers, of colours in linear light.
fn halved(texture: &Texture, pixels: Pixels) -> Texture {
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
        let straight = |c: usize| {
            let sum: u32 = four.iter().map(|pixel| u32::from(pixel[c])).sum();
            ((sum + 2) / 4) as u8
        };
        let channel = |c: usize| match pixels {
            Pixels::Direction => straight(c),
            Pixels::Color => {
                let sum: f32 = four.iter().map(|pixel| linear[pixel[c] as usize]).sum();
                srgb_of_linear(0.25 * sum)
            }
        };
        [channel(0), channel(1), channel(2), straight(3)]
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
        let half = halved(&texture, Pixels::Color);
        assert_eq!((half.width, half.height), (2, 1));
        assert!(half.rgba.iter().all(|pixel| *pixel == [200, 7, 90, 255]));
    }

    #[test]
    fn black_and_white_mix_in_linear_light() {
        let rgba = vec![[0, 0, 0, 255], [255; 4], [255; 4], [0, 0, 0, 255]];
        let half = halved(&Texture { width: 2, height: 2, rgba }, Pixels::Color);
        // Half of white's light is 188 in sRGB, not 128.
        assert_eq!(half.rgba[0], [188, 188, 188, 255]);
    }
}
