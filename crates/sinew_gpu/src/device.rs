//! A graphics card, or what stands in for one.

use std::sync::Arc;

use crate::kernel::Kernels;
use crate::traffic::{Counters, Traffic};

/// Why there is no device.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    /// No driver, or none that can do what WebGPU asks for.
    #[error(
        "no graphics adapter: {reason}. Install a Vulkan driver (on Debian a software one is in mesa-vulkan-drivers), or \
         work on the CPU (--device cpu)"
    )]
    NoAdapter {
        /// What the back ends said.
        reason: String,
    },
    /// The driver is there, but gives no device.
    #[error("the adapter '{adapter}' gives no device: {reason}. Work on the CPU (--device cpu)")]
    NoDevice {
        /// The driver's name for it.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// More data than the card takes in one buffer.
    #[error(
        "{what} needs {needed} bytes in one buffer, and '{adapter}' takes {limit}. Work on the CPU (--device cpu)"
    )]
    TooLarge {
        /// What was to be uploaded.
        what: String,
        /// The driver's name for the adapter.
        adapter: String,
        /// Its size in bytes.
        needed: u64,
        /// The largest binding in bytes.
        limit: u64,
    },
    /// A picture larger than the card's largest texture.
    #[error(
        "a picture of {width} × {height} pixels: the graphics card takes {limit} along a side. Ask for a smaller one, or work \
         on the CPU (--device cpu)"
    )]
    PictureTooLarge {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Pixels that the card takes along a side.
        limit: u32,
    },
    /// A time step, of springs that have mass.
    #[error(
        "springs that swing in time are not on the graphics card. Leave out the time step, or work on the CPU (--device cpu)"
    )]
    Swings,
    /// The card went away while it worked.
    #[error("the graphics card stopped answering: {reason}. Work on the CPU (--device cpu)")]
    Lost {
        /// What the driver said.
        reason: String,
    },
}

/// A device and its queue. Cheap to clone: handles to the same device.
#[derive(Clone, Debug)]
pub struct Gpu {
    adapter: wgpu::Adapter,
    device: wgpu::Device,
    queue: wgpu::Queue,
    kernels: Arc<Kernels>,
    counters: Arc<Counters>,
}

impl Gpu {
    /// The machine's best adapter, without a window.
    pub fn headless() -> Result<Self, GpuError> {
        pollster::block_on(Self::headless_async())
    }

    /// [`Self::headless`] for who must not block (a browser).
    pub async fn headless_async() -> Result<Self, GpuError> {
        let instance =
            wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .map_err(|error| GpuError::NoAdapter { reason: error.to_string() })?;
        // Only to be measured by: nothing else may ask for a feature.
        let required_features = adapter.features() & wgpu::Features::TIMESTAMP_QUERY;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_features,
            required_limits: wgpu::Limits::default(),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(|error| {
            GpuError::NoDevice { adapter: adapter.get_info().name, reason: error.to_string() }
        })?;
        Ok(Self::from_parts(adapter, device, queue))
    }

    /// Around a device that someone else has made (the studio's window).
    pub fn from_parts(adapter: wgpu::Adapter, device: wgpu::Device, queue: wgpu::Queue) -> Self {
        Self { adapter, device, queue, kernels: Arc::default(), counters: Arc::default() }
    }

    /// The driver's name, and through what it is reached.
    pub fn name(&self) -> String {
        let info = self.adapter.get_info();
        format!("{} ({:?})", info.name, info.backend)
    }

    /// True where the driver is a program on the CPU, such as lavapipe.
    pub fn is_software(&self) -> bool {
        self.adapter.get_info().device_type == wgpu::DeviceType::Cpu
    }

    /// True where passes can be timed.
    pub fn has_timestamps(&self) -> bool {
        self.device.features().contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// The adapter.
    pub fn adapter(&self) -> &wgpu::Adapter {
        &self.adapter
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Its queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.queue
    }

    /// What went to the card and came back so far, by this handle and its clones.
    pub fn traffic(&self) -> Traffic {
        self.counters.so_far()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    pub(crate) fn kernels(&self) -> &Kernels {
        &self.kernels
    }
}
