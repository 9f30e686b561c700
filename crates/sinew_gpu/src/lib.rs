//! The frame path and the renderer on the graphics card.
//!
//! A [`Gpu`] is a device with WebGPU's default limits and no optional feature that anything depends
//! on, so that the same shaders run on Vulkan, Metal, DX12 and in a browser. Binding stays on the
//! CPU, in `sinew`; what was bound is uploaded once, and a frame runs from rest to normals on the
//! card, where its positions stay until someone asks.

mod buffers;
mod cage;
mod character;
mod device;
mod frame;
mod kernel;
mod mesh;
mod pending;
pub mod pick;
pub mod render;
mod skeleton;
mod skin;
mod springs;
mod timing;
mod traffic;

pub use character::{GpuCharacter, GpuFade, PartBuffers, PendingRead};
pub use device::{Gpu, GpuError};
pub use frame::GpuFrame;
pub use mesh::GpuNormals;
pub use skeleton::{GpuPalette, GpuSkeleton};
pub use skin::GpuSkin;
pub use springs::{GpuSpringFrame, GpuSpringRig, GpuStart};
pub use timing::FrameTimes;
pub use traffic::Traffic;
pub use wgpu;

/// What every compute shader shares, put in front of it.
pub(crate) const MATHS: &str = include_str!("maths.wgsl");
