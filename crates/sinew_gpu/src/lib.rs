//! The frame path and the renderer on the graphics card.
//!
//! A [`Gpu`] is a device with WebGPU's default limits and no optional feature that anything depends on, so that the same
//! shaders run on Vulkan, Metal, DX12 and in a browser. Binding stays on the CPU, in `sinew`; what was bound is uploaded once,
//! and a frame runs from rest to normals on the card, where its positions stay until someone asks.

mod device;
pub mod pick;
pub mod render;

pub use device::{Gpu, GpuError};
pub use wgpu;
