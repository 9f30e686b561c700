//! Shells that keep their sides, on the card. Twin of `sinew::springs`' `layers.rs`.

use sinew::springs::tables::{AnchoredTables, KEPT_HEIGHT, LAYER_PASSES, LayerTables};

use super::super::GpuSpringFrame;
use super::super::board::Board;
use super::riders::is_held;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const PUSH: KernelSource = KernelSource {
    label: "anchored layers",
    wgsl: &[MATHS, include_str!("layers.wgsl")],
    entry: "push",
    slots: &[
        Slot::Uniform,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Write,
    ],
};

const PART: KernelSource = KernelSource { label: "anchored layers apart", entry: "part", ..PUSH };

/// The bridges' buffers and kernels.
#[derive(Debug)]
pub(super) struct GpuLayers {
    gpu: Gpu,
    links: wgpu::Buffer,
    /// By pushed point: 1 where a frame holds it.
    holds: wgpu::Buffer,
    points: Vec<u32>,
    is_holding: bool,
    push: Bound,
    part: Bound,
}

/// Three rows a link, as `layers.wgsl` reads them.
fn link_rows(tables: &LayerTables) -> Vec<[u32; 4]> {
    let rows = tables.links.iter().zip(&tables.heights).flat_map(|(link, height)| {
        let [a, b, c] = link.corners;
        let [u, v, w] = link.shares.map(f32::to_bits);
        let [height, softness] = height.map(f32::to_bits);
        [[link.point, a, b, c], [u, v, w, link.strength.to_bits()], [height, softness, 0, 0]]
    });
    rows.collect()
}

impl GpuLayers {
    /// `None` where there is nothing to part.
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &AnchoredTables,
    ) -> Result<Option<Self>, GpuError> {
        let tables = &tables.layers;
        if tables.links.is_empty() {
            return Ok(None);
        }
        let runs: Vec<[u32; 4]> =
            tables.starts.windows(2).map(|run| [run[0].0, run[0].1, run[1].1, 0]).collect();
        let entries: Vec<[u32; 2]> =
            tables.entries.iter().map(|&(link, by)| [link, by.to_bits()]).collect();
        let (num_links, num_points) = (tables.links.len(), runs.len());
        let params = [num_links as u32, num_points as u32, KEPT_HEIGHT.to_bits(), 0];
        let params = gpu.uniform("layers", &params);
        let links = gpu.storage("links of layers", &link_rows(tables))?;
        let points: Vec<u32> = runs.iter().map(|run| run[0]).collect();
        let runs = gpu.storage("points of layers", &runs)?;
        let entries = gpu.storage("entries of layers", &entries)?;
        let holds = gpu.storage("held points of layers", &vec![0u32; num_points])?;
        let pushes = gpu.storage("pushes of layers", &vec![[0f32; 4]; num_links])?;
        let buffers = [&params, &links, &runs, &entries, &holds, &pushes, &board.positions];
        Ok(Some(Self {
            push: Bound::new(gpu, &PUSH, &buffers, num_links),
            part: Bound::new(gpu, &PART, &buffers, num_points),
            gpu: gpu.clone(),
            links,
            holds,
            points,
            is_holding: false,
        }))
    }

    /// Uploads again what a rest that moved has changed. False if they are others.
    pub(super) fn refit(&self, tables: &AnchoredTables) -> bool {
        self.gpu.refill(&self.links, &link_rows(&tables.layers))
    }

    /// Takes a frame's wishes: what is held is not moved.
    pub(super) fn set_frame(&mut self, frame: &GpuSpringFrame<'_>) {
        let is_holding = !frame.pins.is_empty() || frame.within.is_some();
        if is_holding || self.is_holding {
            self.is_holding = is_holding;
            let holds: Vec<u32> =
                self.points.iter().map(|&point| u32::from(is_held(frame, point))).collect();
            self.gpu.write(&self.holds, &holds);
        }
    }

    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for _ in 0..LAYER_PASSES {
            self.push.encode(pass);
            self.part.encode(pass);
        }
    }
}
