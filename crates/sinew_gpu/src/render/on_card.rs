//! A scene on the card.

use std::sync::Arc;

use glam::Vec2;
use sinew::mesh::Aabb;
use sinew_view::camera::Size;
use sinew_view::scene::Scene;

use super::Renderer;
use super::frame::{FrameUniform, Setting, Sphere};
use super::marks::MarksOnCard;
use super::materials::TextureCache;
use super::resources::bind;
use super::shadow::ShadowTarget;
use super::surfaces::{ShapeOnCard, SurfaceOnCard, SurfaceSource};
use crate::{Gpu, GpuError};

/// A scene on the card, made by [`Renderer::upload`] and kept from frame to frame.
#[derive(Debug)]
pub struct SceneOnCard {
    setting: Setting,
    sphere: Sphere,
    surfaces: Vec<SurfaceOnCard>,
    num_shapes_uploaded: u64,
    textures: TextureCache,
    among: MarksOnCard,
    in_front: MarksOnCard,
    /// Along the key light, and from above.
    shadows: [ShadowTarget; 2],
    frame: Frame,
    /// Picking's own: it is submitted at once, perhaps between a picture's recording and its
    /// submission, and perhaps for another size.
    pick_frame: Frame,
}

/// What the shaders know of a frame.
#[derive(Debug)]
struct Frame {
    buffer: wgpu::Buffer,
    group: wgpu::BindGroup,
}

impl Frame {
    fn new(renderer: &Renderer, buffer: wgpu::Buffer, shadows: &[ShadowTarget; 2]) -> Self {
        let [key, sky] = shadows.each_ref().map(|s| wgpu::BindingResource::TextureView(s.view()));
        let resources = [buffer.as_entire_binding(), key, sky];
        let group = bind(renderer.gpu(), "frame", &renderer.frame_layout, &resources);
        Self { buffer, group }
    }

    fn write(&self, gpu: &Gpu, frame: &FrameUniform) {
        gpu.write(&self.buffer, std::slice::from_ref(frame));
    }
}

impl SceneOnCard {
    /// Without surfaces and marks: [`Self::update`] brings them.
    pub(super) fn new(renderer: &Renderer, scene: &Scene) -> Result<Self, GpuError> {
        let gpu = renderer.gpu();
        let setting = Setting::of(scene);
        let sphere = Sphere::around(&Aabb::EMPTY);
        let shadows = [setting.look.key_shadow, setting.look.sky_shadow]
            .map(|shape| ShadowTarget::new(gpu, &renderer.shadows, shape));
        let size = Size { width: 1, height: 1 };
        let of_nothing = FrameUniform::of(&setting, &sphere, size);
        let [frame, pick_frame] = ["frame", "frame of picking"]
            .map(|label| Frame::new(renderer, gpu.uniform(label, &of_nothing), &shadows));
        Ok(Self {
            setting,
            sphere,
            surfaces: Vec::new(),
            num_shapes_uploaded: 0,
            textures: TextureCache::default(),
            among: MarksOnCard::new(gpu)?,
            in_front: MarksOnCard::new(gpu)?,
            shadows,
            frame,
            pick_frame,
        })
    }

    pub(super) fn update(
        &mut self,
        renderer: &Renderer,
        scene: &Scene,
        sources: &[SurfaceSource<'_>],
    ) -> Result<(), GpuError> {
        let gpu = renderer.gpu();
        self.setting = Setting::of(scene);
        let look = &self.setting.look;
        let mut is_rebound = false;
        for (target, shape) in self.shadows.iter_mut().zip([look.key_shadow, look.sky_shadow]) {
            if target.shape() != shape {
                *target = ShadowTarget::new(gpu, &renderer.shadows, shape);
                is_rebound = true;
            }
        }
        if is_rebound {
            for frame in [&mut self.frame, &mut self.pick_frame] {
                *frame = Frame::new(renderer, frame.buffer.clone(), &self.shadows);
            }
        }
        self.update_surfaces(renderer, scene, sources)?;
        let bounds = self.surfaces.iter().map(SurfaceOnCard::bounds);
        let bounds = bounds.filter(|bounds| !bounds.is_empty());
        self.sphere = Sphere::around(&Aabb::around(bounds.flat_map(|b| [b.min, b.max])));
        // Depth does not depend on the picture's shape.
        let clip_from_model = self.setting.camera.clip_from_model(1.0);
        let (nearer, overlay) = (self.setting.mark_nearer_in_clip(), &scene.overlay);
        self.among.update(gpu, &overlay.among, &clip_from_model, nearer)?;
        self.in_front.update(gpu, &overlay.in_front, &clip_from_model, 0.0)
    }

    fn update_surfaces(
        &mut self,
        renderer: &Renderer,
        scene: &Scene,
        sources: &[SurfaceSource<'_>],
    ) -> Result<(), GpuError> {
        let (gpu, layouts) = (renderer.gpu(), &renderer.surface_layouts);
        // Those of the last frame, before their places are taken: surfaces may have changed their
        // order.
        let known: Vec<Arc<ShapeOnCard>> =
            self.surfaces.iter().map(|s| s.shape().clone()).collect();
        self.surfaces.truncate(scene.surfaces.len());
        for (place, surface) in scene.surfaces.iter().enumerate() {
            let is_there =
                self.surfaces.get(place).is_some_and(|old| old.shape().is_of(&surface.shape));
            if !is_there {
                let of_this_frame = self.surfaces[..place.min(self.surfaces.len())].iter();
                let mut on_card = known.iter().chain(of_this_frame.map(SurfaceOnCard::shape));
                let shape = match on_card.find(|known| known.is_of(&surface.shape)) {
                    Some(known) => known.clone(),
                    None => {
                        self.num_shapes_uploaded += 1;
                        let textures = &mut self.textures;
                        Arc::new(ShapeOnCard::new(gpu, layouts, textures, &surface.shape)?)
                    }
                };
                let new = SurfaceOnCard::new(gpu, layouts, shape)?;
                match self.surfaces.get_mut(place) {
                    Some(old) => *old = new,
                    None => self.surfaces.push(new),
                }
            }
            let source = sources.get(place).unwrap_or(&SurfaceSource::Scene);
            self.surfaces[place].update(gpu, layouts, (place as u32, surface), source)?;
        }
        self.textures.forget_unused();
        Ok(())
    }

    /// How many shapes (triangles, texture coordinates, materials) were uploaded so far; as long as
    /// a surface's shape is the same `Arc`, none is.
    pub fn num_shapes_uploaded(&self) -> u64 {
        self.num_shapes_uploaded
    }

    /// Tells the shaders of a picture's size and of all that a frame shares, from the next
    /// submission on.
    pub(super) fn write_frame(&self, gpu: &Gpu, size: Size) -> FrameUniform {
        let frame = FrameUniform::of(&self.setting, &self.sphere, size);
        self.frame.write(gpu, &frame);
        for (target, map_from_model) in self.shadows.iter().zip(frame.maps_from_model()) {
            target.aim(gpu, &map_from_model);
        }
        frame
    }

    /// As [`Self::write_frame`], for picking; its group 0.
    pub(crate) fn write_pick_frame(&self, gpu: &Gpu, size: Size) -> &wgpu::BindGroup {
        self.pick_frame.write(gpu, &FrameUniform::of(&self.setting, &self.sphere, size));
        &self.pick_frame.group
    }

    /// The shadow maps, and what part of each has something in it.
    pub(super) fn shadows(&self, frame: &FrameUniform) -> [(&ShadowTarget, Option<[Vec2; 2]>); 2] {
        let [key, sky] = frame.maps_from_model().map(|map| self.sphere.extent_in_map(&map));
        [(&self.shadows[0], key), (&self.shadows[1], sky)]
    }

    pub(super) fn frame_group(&self) -> &wgpu::BindGroup {
        &self.frame.group
    }

    pub(crate) fn surfaces(&self) -> &[SurfaceOnCard] {
        &self.surfaces
    }

    pub(super) fn among(&self) -> &MarksOnCard {
        &self.among
    }

    pub(super) fn in_front(&self) -> &MarksOnCard {
        &self.in_front
    }

    pub(super) fn has_front(&self) -> bool {
        !self.in_front.is_empty() && self.setting.front_opacity > 0.0
    }
}
