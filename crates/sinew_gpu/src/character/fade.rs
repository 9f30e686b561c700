//! From the shape that was shown to the one that takes its place, without a jump: the twin of
//! [`sinew::frame::Apart`].
//!
//! What lies between the two is found once, on the card; each frame of the new plan is then drawn
//! with a share of it, from buffers of the fade's own.

use bytemuck::{Pod, Zeroable};

use super::{GpuCharacter, PartBuffers};
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const SLOTS: &[Slot] = &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Write];

const APART: KernelSource = KernelSource {
    label: "apart",
    wgsl: &[MATHS, include_str!("fade.wgsl")],
    entry: "apart",
    slots: SLOTS,
};

const FADE: KernelSource = KernelSource {
    label: "fade",
    wgsl: &[MATHS, include_str!("fade.wgsl")],
    entry: "fade",
    slots: SLOTS,
};

/// The twin of `FadeParams` in fade.wgsl.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct FadeParams {
    num_rows: u32,
    share: f32,
    is_unit: u32,
    unused: u32,
}

/// What is left of a shape, over the frames of the plan that takes its place.
#[derive(Debug)]
pub struct GpuFade {
    gpu: Gpu,
    parts: Vec<[Option<Rows>; 2]>,
}

/// Points or normals of a mesh.
#[derive(Debug)]
struct Rows {
    params: wgpu::Buffer,
    values: FadeParams,
    faded: wgpu::Buffer,
    fade: Bound,
}

impl GpuFade {
    /// From the last frame of `before` to the last of `after`. A mesh that is not the same in both
    /// has nothing to fade.
    ///
    /// # Errors
    /// If something is larger than the card takes in one buffer.
    pub fn between(
        gpu: &Gpu,
        before: &GpuCharacter,
        after: &GpuCharacter,
    ) -> Result<Self, GpuError> {
        let mut encoder = gpu.encoder("apart");
        let mut parts = Vec::new();
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("apart"),
                timestamp_writes: None,
            });
            for (index, part) in after.parts.iter().enumerate() {
                let own = part.reading();
                let Some(other) = before.parts.get(index).map(super::Part::reading) else {
                    parts.push([None, None]);
                    continue;
                };
                let pairs = [(own.positions, other.positions), (own.normals, other.normals)];
                let mut rows = [None, None];
                for (is_unit, (own, other)) in (0u32..).zip(pairs) {
                    if own.1 == other.1 && own.1 > 0 {
                        let found = Rows::between(gpu, &mut pass, own, other.0, is_unit)?;
                        rows[is_unit as usize] = Some(found);
                    }
                }
                parts.push(rows);
            }
        }
        gpu.queue().submit([encoder.finish()]);
        Ok(Self { gpu: gpu.clone(), parts })
    }

    /// Shows the last frame of the plan after with so much left of the shape before, from 1 to 0.
    /// Does not wait for it.
    pub fn run(&mut self, share: f32) {
        let mut encoder = self.gpu.encoder("fade");
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("fade"),
                timestamp_writes: None,
            });
            for rows in self.parts.as_flattened_mut().iter_mut().flatten() {
                rows.values.share = share;
                self.gpu.write(&rows.params, std::slice::from_ref(&rows.values));
                rows.fade.encode(&mut pass);
            }
        }
        self.gpu.queue().submit([encoder.finish()]);
    }

    /// What is drawn while it fades.
    pub fn buffers(&self, after: &GpuCharacter) -> Vec<PartBuffers> {
        let mut buffers = after.buffers();
        for (out, [positions, normals]) in buffers.iter_mut().zip(&self.parts) {
            if let Some(rows) = positions {
                out.positions = rows.faded.clone();
            }
            if let Some(rows) = normals {
                out.normals = rows.faded.clone();
            }
        }
        buffers
    }
}

impl Rows {
    fn between(
        gpu: &Gpu,
        pass: &mut wgpu::ComputePass<'_>,
        (after, num_rows): (&wgpu::Buffer, usize),
        before: &wgpu::Buffer,
        is_unit: u32,
    ) -> Result<Self, GpuError> {
        let values = FadeParams { num_rows: num_rows as u32, share: 1.0, is_unit, unused: 0 };
        let params = gpu.uniform("fade parameters", &values);
        let apart = gpu.rows("apart", num_rows)?;
        let faded = gpu.rows("faded", num_rows)?;
        Bound::new(gpu, &APART, &[&params, after, before, &apart], num_rows).encode(pass);
        let fade = Bound::new(gpu, &FADE, &[&params, after, &apart, &faded], num_rows);
        Ok(Self { params, values, faded, fade })
    }
}
