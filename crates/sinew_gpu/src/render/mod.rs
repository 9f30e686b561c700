//! Pictures of a [`Scene`] on the graphics card, in the look of `sinew_view::look`: the twin of
//! `sinew_view::raster`.
//!
//! ```text
//! shadow depth ─▶ blur along rows ─▶ blur along columns        along the key light, and from above
//! background ─▶ surfaces ─▶ marks among them                   4 samples a pixel, linear light after tone mapping
//! marks in front                                               a layer of its own, with depths of its own
//! finish: layer over picture, sRGB                             into any colour target
//! ```
//!
//! Surfaces have no vertex and no index buffers: corners are pulled from storage, so that positions
//! and normals may come straight from a compute pass ([`SurfaceSource::Buffer`]). Nothing here
//! needs more than WebGPU's defaults: no feature, no filtering or blending of 32-bit floats.

mod colors;
mod frame;
mod marks;
mod materials;
mod on_card;
mod read_back;
mod resources;
mod shadow;
mod surfaces;
mod targets;

pub use on_card::SceneOnCard;
pub use read_back::PendingPicture;
pub use surfaces::{SurfaceBuffers, SurfaceSource};

pub(crate) use resources::{
    DEPTH_FORMAT, PipelineParts, bind, buffer_type, cleared, entry, far_depth, pipeline, shader,
    target, texture_type,
};
pub(crate) use targets::check_size;

use sinew_view::camera::Size;
use sinew_view::picture::Picture;
use sinew_view::scene::Scene;

use crate::{Gpu, GpuError};
use colors::ColorPasses;
use marks::MarkPasses;
use read_back::{PICTURE_FORMAT, PictureTarget};
use shadow::ShadowPasses;
use surfaces::SurfaceLayouts;
use targets::{Finish, Targets};

/// Draws scenes. Made once a device; holds textures of the last picture's size.
#[derive(Debug)]
pub struct Renderer {
    gpu: Gpu,
    frame_layout: wgpu::BindGroupLayout,
    surface_layouts: SurfaceLayouts,
    shadows: ShadowPasses,
    colors: ColorPasses,
    marks: MarkPasses,
    /// Into the caller's format, and into a picture's.
    finish: [Finish; 2],
    targets: Option<Targets>,
    picture: Option<PictureTarget>,
}

/// Which of the two last steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Into {
    CallersFormat = 0,
    Picture = 1,
}

impl Renderer {
    /// For targets of a format ([`Self::render_to`]); [`Self::draw`] does not depend on it.
    pub fn new(gpu: &Gpu, target_format: wgpu::TextureFormat) -> Self {
        let frame_layout = frame::layout(gpu);
        let surface_layouts = SurfaceLayouts::new(gpu);
        Self {
            shadows: ShadowPasses::new(gpu, &surface_layouts),
            colors: ColorPasses::new(gpu, &frame_layout, &surface_layouts),
            marks: MarkPasses::new(gpu, &frame_layout),
            finish: [target_format, PICTURE_FORMAT]
                .map(|format| Finish::new(gpu, &frame_layout, format)),
            targets: None,
            picture: None,
            gpu: gpu.clone(),
            frame_layout,
            surface_layouts,
        }
    }

    /// Uploads a scene.
    pub fn upload(&self, scene: &Scene) -> Result<SceneOnCard, GpuError> {
        let mut on_card = SceneOnCard::new(self, scene)?;
        self.update(&mut on_card, scene, &[])?;
        Ok(on_card)
    }

    /// Brings a scene on the card up to date: shapes that are the same (`Arc`) stay, what changes
    /// is written over. `sources` says, one a surface, where positions and normals come from; a
    /// surface past its end takes the scene's.
    pub fn update(
        &self,
        on_card: &mut SceneOnCard,
        scene: &Scene,
        sources: &[SurfaceSource<'_>],
    ) -> Result<(), GpuError> {
        on_card.update(self, scene, sources)
    }

    /// Draws into a texture view of the renderer's format and of that size. One call a scene and
    /// submission: what the shaders know of the frame is written when the encoder's commands are
    /// submitted.
    pub fn render_to(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &SceneOnCard,
        view: &wgpu::TextureView,
        size: Size,
    ) -> Result<(), GpuError> {
        self.encode(encoder, scene, view, (size, Into::CallersFormat))
    }

    /// Draws a picture and reads it back.
    pub fn draw(&mut self, scene: &SceneOnCard, size: Size) -> Result<Picture, GpuError> {
        if size.width == 0 || size.height == 0 {
            return Ok(Picture::filled(size, [0; 4]));
        }
        let picture = self.draw_aside(scene, size)?;
        let pixels = picture.read(&self.gpu)?;
        self.picture = Some(picture);
        Ok(pixels)
    }

    /// As [`Self::draw`], and does not wait: what is drawn after it does not change the picture.
    ///
    /// # Errors
    /// If the picture is larger than the card takes, or the card has stopped answering.
    pub fn request_picture(
        &mut self,
        scene: &SceneOnCard,
        size: Size,
    ) -> Result<PendingPicture, GpuError> {
        let size = Size { width: size.width.max(1), height: size.height.max(1) };
        self.draw_aside(scene, size)?.start(&self.gpu)
    }

    /// Draws into a texture of a picture's own, and submits its copy.
    fn draw_aside(&mut self, scene: &SceneOnCard, size: Size) -> Result<PictureTarget, GpuError> {
        check_size(&self.gpu, size)?;
        let gpu = self.gpu.clone();
        let picture = match self.picture.take() {
            Some(picture) if picture.size() == size => picture,
            _ => PictureTarget::new(&gpu, size),
        };
        let mut encoder = gpu.encoder("picture");
        self.encode(&mut encoder, scene, &picture.view(), (size, Into::Picture))?;
        picture.copy(&mut encoder);
        gpu.queue().submit([encoder.finish()]);
        Ok(picture)
    }

    /// Uploads a scene and draws it: for one picture.
    pub fn picture(&mut self, scene: &Scene, size: Size) -> Result<Picture, GpuError> {
        let on_card = self.upload(scene)?;
        self.draw(&on_card, size)
    }

    fn encode(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &SceneOnCard,
        view: &wgpu::TextureView,
        (size, into): (Size, Into),
    ) -> Result<(), GpuError> {
        if size.width == 0 || size.height == 0 {
            return Ok(());
        }
        check_size(&self.gpu, size)?;
        let finish = &self.finish[into as usize];
        let has_front = scene.has_front();
        let targets = match self.targets.take() {
            Some(targets) if targets.serve(size, has_front) => targets,
            _ => Targets::new(&self.gpu, finish, size, has_front),
        };
        let frame = scene.write_frame(&self.gpu, size);
        for shadow in scene.shadows(&frame) {
            self.shadows.encode(encoder, shadow, scene.surfaces());
        }
        {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("picture"),
                color_attachments: &[targets.color()],
                depth_stencil_attachment: far_depth(targets.depth(), wgpu::StoreOp::Discard),
                ..Default::default()
            });
            pass.set_bind_group(0, scene.frame_group(), &[]);
            self.colors.draw(&mut pass, scene.surfaces());
            self.marks.draw(&mut pass, scene.among());
        }
        // A layer that was drawn for another scene is emptied, too.
        if let Some(front) = targets.front() {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("layer in front"),
                color_attachments: &[Some(front)],
                depth_stencil_attachment: far_depth(targets.depth(), wgpu::StoreOp::Discard),
                ..Default::default()
            });
            pass.set_bind_group(0, scene.frame_group(), &[]);
            self.marks.draw(&mut pass, scene.in_front());
        }
        finish.encode(encoder, scene.frame_group(), &targets, view);
        self.targets = Some(targets);
        Ok(())
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    pub(crate) fn frame_layout(&self) -> &wgpu::BindGroupLayout {
        &self.frame_layout
    }

    pub(crate) fn surface_layout(&self) -> &wgpu::BindGroupLayout {
        self.surface_layouts.surface()
    }
}
