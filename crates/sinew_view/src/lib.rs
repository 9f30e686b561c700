//! What a picture of a character shows, and a rasteriser that draws it with no graphics card.
//!
//! A [`Scene`](scene::Scene) is plain data: a [`Camera`](camera::Camera), a [`Look`](look::Look),
//! surfaces and overlays. Two back ends draw it alike and answer what is under a pixel: `raster`
//! here, on the CPU, and `sinew_gpu::render`. What does not depend on the back end (heat maps,
//! bones as solids, labels and legends, GIFs) is here, once.

pub mod camera;
pub mod color;
pub mod compose;
mod decode;
pub mod encode;
pub mod heat;
pub mod influences;
pub mod label;
pub mod legend;
pub mod look;
pub mod materials;
pub mod overlay;
pub mod perceptual;
pub mod pick;
pub mod picture;
pub mod raster;
pub mod scene;
pub mod shells;
pub mod stage;
