//! Pictures inside the window: by the graphics card into a texture of its own, or by the rasteriser
//! where there is no card.
//!
//! egui's own pass has no depth; a picture is drawn aside and shown as an image. A driver in
//! software is a slower way to the same picture than the rasteriser, which is then used instead:
//! golden images hold the two to each other.

use eframe::egui::{self, TextureId};
use eframe::egui_wgpu::RenderState;
use sinew_editor::seam::Clock as _;
use sinew_editor::solver::OnCard as SkinOnCard;
use sinew_gpu::pick::Picker;
use sinew_gpu::render::{PendingPicture, Renderer, SceneOnCard, SurfaceSource};
use sinew_gpu::{Gpu, GpuError, wgpu};
use sinew_view::camera::Size;
use sinew_view::picture::Picture;
use sinew_view::scene::Scene;

use super::card;
use super::draughtsman::{Care, Draughtsman, Drawn};
use super::picker::ViewPicker;
use crate::DrawnBy;
use crate::clock::StudioClock;

/// What egui samples: sRGB values as they are.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Who draws.
pub(crate) enum Canvas {
    Card {
        gpu: Gpu,
        renderer: Box<Renderer>,
        state: RenderState,
    },
    Processor,
    /// There is no window: tests have no use for pictures that nobody sees.
    Nobody,
}

/// Where a view is drawn.
#[derive(Default)]
pub(crate) struct Target {
    on_card: Option<OnCard>,
    on_processor: Option<(Draughtsman, Option<egui::TextureHandle>)>,
}

/// What a picture shows.
pub(crate) struct Shown<'a> {
    pub(crate) scene: Scene,
    /// Where the scene's positions are, if they are not in it.
    pub(crate) on_card: Option<&'a SkinOnCard>,
    pub(crate) size: Size,
    /// Of the processor; a card draws all alike.
    pub(crate) care: Care,
}

struct OnCard {
    scene: SceneOnCard,
    texture: wgpu::Texture,
    id: TextureId,
    size: Size,
}

impl Canvas {
    pub(crate) fn new(state: Option<&RenderState>, drawn_by: DrawnBy) -> Self {
        let Some(state) = state else { return Self::Nobody };
        let gpu = Gpu::from_parts(state.adapter.clone(), state.device.clone(), state.queue.clone());
        let is_by_processor = match drawn_by {
            DrawnBy::Either => gpu.is_software(),
            DrawnBy::Card => false,
            DrawnBy::Processor => true,
        };
        if is_by_processor {
            return Self::Processor;
        }
        let renderer = Box::new(Renderer::new(&gpu, FORMAT));
        Self::Card { gpu, renderer, state: state.clone() }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Card { gpu, .. } => gpu.name(),
            Self::Processor => "the processor".into(),
            Self::Nobody => "nobody".into(),
        }
    }

    /// The card that the views are drawn on, and their frames made.
    pub(crate) fn gpu(&self) -> Option<&Gpu> {
        match self {
            Self::Card { gpu, .. } => Some(gpu),
            Self::Processor | Self::Nobody => None,
        }
    }

    /// Who answers what is under the pointer.
    pub(crate) fn picker(&self, ctx: &egui::Context) -> ViewPicker {
        match self {
            Self::Card { renderer, .. } => ViewPicker::card(Picker::new(renderer)),
            Self::Processor | Self::Nobody => ViewPicker::raster(ctx),
        }
    }

    /// True if a smaller picture while something moves is worth it.
    pub(crate) fn is_slow(&self) -> bool {
        matches!(self, Self::Processor)
    }

    /// Draws a scene, or has it drawn: what is shown is [`Target::texture`], the last that is
    /// finished. Milliseconds that it took, where that is known at once.
    pub(crate) fn draw(
        &mut self,
        ctx: &egui::Context,
        target: &mut Target,
        shown: Shown<'_>,
        clock: &StudioClock,
    ) -> Result<Option<f64>, GpuError> {
        match self {
            Self::Card { gpu, renderer, state } => {
                let start = clock.now();
                draw_on_card((gpu, renderer, state), target, &shown)?;
                Ok(Some(clock.ms_since(start)))
            }
            Self::Processor => {
                let Shown { scene, size, care, .. } = shown;
                let start = || (Draughtsman::start(ctx, clock), None);
                target.on_processor.get_or_insert_with(start).0.ask(scene, size, care);
                Ok(None)
            }
            Self::Nobody => Ok(None),
        }
    }
}

impl Canvas {
    /// Has the card draw a picture for a file, of a view's posed skin; `None` where there is
    /// no card.
    pub(crate) fn request_still(
        &mut self,
        target: &mut Target,
        scene: &Scene,
        on_card: Option<&SkinOnCard>,
        size: Size,
    ) -> Result<Option<PendingPicture>, GpuError> {
        let Self::Card { renderer, .. } = self else { return Ok(None) };
        let Some(drawn) = &mut target.on_card else { return Ok(None) };
        renderer.update(&mut drawn.scene, scene, &sources(on_card))?;
        renderer.request_picture(&drawn.scene, size).map(Some)
    }
}

impl Target {
    /// The scene as the card has it.
    pub(crate) fn scene(&self) -> Option<&SceneOnCard> {
        self.on_card.as_ref().map(|on_card| &on_card.scene)
    }

    /// Takes a picture that was finished since; milliseconds that it took.
    pub(crate) fn poll(&mut self, ctx: &egui::Context) -> Option<f64> {
        let (draughtsman, handle) = self.on_processor.as_mut()?;
        let Drawn { picture, draw_ms } = draughtsman.take()?;
        let (image, options) = (to_image(&picture), egui::TextureOptions::LINEAR);
        match handle {
            Some(handle) => handle.set(image, options),
            None => *handle = Some(ctx.load_texture("view", image, options)),
        }
        Some(draw_ms)
    }

    /// The last picture.
    pub(crate) fn texture(&self) -> Option<TextureId> {
        let on_card = self.on_card.as_ref().map(|on_card| on_card.id);
        let image = || self.on_processor.as_ref()?.1.as_ref().map(egui::TextureHandle::id);
        on_card.or_else(image)
    }

    /// True while a picture is being drawn.
    pub(crate) fn is_busy(&self) -> bool {
        self.on_processor.as_ref().is_some_and(|(draughtsman, _)| draughtsman.is_busy())
    }
}

fn draw_on_card(
    (gpu, renderer, state): (&Gpu, &mut Renderer, &RenderState),
    target: &mut Target,
    shown: &Shown<'_>,
) -> Result<(), GpuError> {
    let Shown { scene, on_card, size, .. } = shown;
    let (size, sources) = (*size, sources(*on_card));
    let on_card = match target.on_card.take() {
        Some(mut on_card) if on_card.size == size => {
            renderer.update(&mut on_card.scene, scene, &sources)?;
            target.on_card.insert(on_card)
        }
        before => {
            let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
                label: Some("view"),
                size: wgpu::Extent3d {
                    width: size.width,
                    height: size.height,
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: FORMAT,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                    | wgpu::TextureUsages::TEXTURE_BINDING,
                view_formats: &[],
            });
            let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
            let mut of_egui = state.renderer.write();
            let filter = wgpu::FilterMode::Linear;
            let (scene, id) = match before {
                Some(mut before) => {
                    renderer.update(&mut before.scene, scene, &sources)?;
                    of_egui.update_egui_texture_from_wgpu_texture(
                        gpu.device(),
                        &view,
                        filter,
                        before.id,
                    );
                    (before.scene, before.id)
                }
                None => {
                    let id = of_egui.register_native_texture(gpu.device(), &view, filter);
                    let mut uploaded = renderer.upload(scene)?;
                    renderer.update(&mut uploaded, scene, &sources)?;
                    (uploaded, id)
                }
            };
            target.on_card.insert(OnCard { scene, texture, id, size })
        }
    };
    let view = on_card.texture.create_view(&wgpu::TextureViewDescriptor::default());
    let mut encoder = gpu
        .device()
        .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("view") });
    renderer.render_to(&mut encoder, &on_card.scene, &view, size)?;
    gpu.queue().submit([encoder.finish()]);
    Ok(())
}

/// Where a skin's positions and normals are.
fn sources(on_card: Option<&SkinOnCard>) -> Vec<SurfaceSource<'_>> {
    let buffers = on_card.map_or(&[][..], card::buffers);
    buffers.iter().map(sinew_gpu::PartBuffers::source).collect()
}

pub(super) fn to_image(picture: &Picture) -> egui::ColorImage {
    let size = picture.size();
    let pixels = picture.pixels().iter().map(|&[r, g, b, _]| egui::Color32::from_rgb(r, g, b));
    egui::ColorImage::new([size.width as usize, size.height as usize], pixels.collect())
}
