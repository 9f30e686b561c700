//! Keeping a body's volume on the card: sums over its triangles, the swell that they ask for, and
//! the skin's way.

use sinew::springs::tables::{AnchoredTables, VolumeTables};

use super::super::FRAME_WGSL;
use super::super::board::Board;
use crate::kernel::{Bound, KernelSource, Slot, WORKGROUP};
use crate::skeleton::{GpuPalette, ROWS};
use crate::{Gpu, GpuError, MATHS};

const SUM: KernelSource = KernelSource {
    label: "anchored volume",
    wgsl: &[MATHS, ROWS, FRAME_WGSL, include_str!("volume.wgsl")],
    entry: "sum_triangles",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Write,
        Slot::Write,
        Slot::Write,
        Slot::Read,
        Slot::Read,
        Slot::Write,
    ],
};

const FIND: KernelSource = KernelSource {
    label: "anchored swell",
    entry: "find_swell",
    slots: &[
        Slot::Uniform,
        Slot::Uniform,
        Slot::Write,
        Slot::Write,
        Slot::Write,
        Slot::Read,
        Slot::Read,
        Slot::Write,
        Slot::Read,
    ],
    ..SUM
};

const MOVE: KernelSource = KernelSource {
    label: "anchored skin's way",
    entry: "move_skin",
    slots: &[Slot::Uniform, Slot::Uniform, Slot::Write, Slot::Write, Slot::Write, Slot::Read],
    ..SUM
};

/// Triangles that an invocation sums over.
const TRIANGLES_AN_INVOCATION: usize = 32;

/// A body's triangles and the kernels over them.
#[derive(Debug)]
pub(super) struct GpuVolume {
    sum: Bound,
    find: Bound,
    move_skin: Bound,
    params: wgpu::Buffer,
    corners: wgpu::Buffer,
    shares: wgpu::Buffer,
}

/// As `volume.wgsl` reads them.
struct Rows {
    params: [u32; 12],
    corners: Vec<[u32; 3]>,
    shares: Vec<[u32; 2]>,
    num_invocations: usize,
}

impl Rows {
    fn of(tables: &AnchoredTables) -> Self {
        let volume = tables.volume.as_ref();
        let corners = volume.map_or(&[][..], |volume| &volume.corners);
        let shares = volume.map_or(&[][..], |volume| &volume.shares);
        let num_invocations = corners.len().div_ceil(TRIANGLES_AN_INVOCATION).max(1);
        let bits = |value: f64| (value as f32).to_bits();
        let number = |of: fn(&VolumeTables) -> f64| bits(volume.map_or(0.0, of));
        let params = [
            corners.len() as u32,
            num_invocations as u32,
            num_invocations.div_ceil(WORKGROUP as usize) as u32,
            shares.len() as u32,
            number(|volume| volume.rest_volume),
            number(|volume| volume.coefficient),
            bits(tables.first_stage.keep_volume),
            number(|volume| volume.shrink_share),
            number(|volume| volume.most_missing),
            number(|volume| volume.most_swell),
            number(|volume| volume.least_rate),
            0,
        ];
        // A buffer is of something.
        let corners = if corners.is_empty() { vec![[0; 3]] } else { corners.to_vec() };
        let mut shares: Vec<[u32; 2]> =
            shares.iter().map(|&(joint, share)| [joint, bits(share)]).collect();
        if shares.is_empty() {
            shares.push([0; 2]);
        }
        Self { params, corners, shares, num_invocations }
    }
}

impl GpuVolume {
    pub(super) fn new(
        gpu: &Gpu,
        board: &Board,
        tables: &AnchoredTables,
        (directions, palette): (&wgpu::Buffer, &GpuPalette),
    ) -> Result<Self, GpuError> {
        let Rows { params, corners, shares, num_invocations } = Rows::of(tables);
        let num_sums = num_invocations.div_ceil(WORKGROUP as usize);
        let params = gpu.uniform("anchored volume", &params);
        let corners = gpu.storage("anchored corners", &corners)?;
        let shares = gpu.storage("anchored shares of volume", &shares)?;
        let sums = gpu.rows("anchored sums", num_sums)?;
        let [even, odd] = &board.rows;
        let own = [&board.frame, &params, &board.stats, even, odd, directions];
        let bind = |source: &KernelSource, more: &[&wgpu::Buffer], invocations: usize| {
            Bound::new(gpu, source, &[&own, more].concat(), invocations)
        };
        Ok(Self {
            sum: bind(&SUM, &[&corners, &sums], num_invocations),
            find: bind(&FIND, &[&shares, &sums, palette.bones()], 1),
            move_skin: bind(&MOVE, &[], board.num_slots),
            params,
            corners,
            shares,
        })
    }

    /// Uploads again what a rest that moved, or another setting, has changed. False where there is
    /// more than there was.
    pub(super) fn refit(&self, gpu: &Gpu, tables: &AnchoredTables) -> bool {
        let Rows { params, corners, shares, num_invocations } = Rows::of(tables);
        num_invocations <= self.sum.invocations()
            && gpu.refill(&self.params, &[params])
            && gpu.refill(&self.corners, &corners)
            && gpu.refill(&self.shares, &shares)
    }

    /// After the iterations, before the result is published.
    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for bound in [&self.sum, &self.find, &self.move_skin] {
            bound.encode(pass);
        }
    }
}
