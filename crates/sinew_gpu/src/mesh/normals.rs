//! Normals of the deformed surface on the card, with sharp edges kept sharp: the wedges that the
//! CPU has found.

use sinew::glam::Vec3;
use sinew::mesh::SurfaceNormals;

use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError, MATHS};

const SOURCE: KernelSource = KernelSource {
    label: "normals",
    wgsl: &[MATHS, include_str!("normals.wgsl")],
    entry: "wedge_normals",
    slots: &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Write],
};

/// Normals of wedges, computed from welded points that are on the card.
#[derive(Debug)]
pub struct GpuNormals {
    gpu: Gpu,
    num_wedges: usize,
    normals: wgpu::Buffer,
    bound: Bound,
}

impl GpuNormals {
    /// Uploads the wedges that `normals` has found, for the welded points in `points`: rows of four
    /// floats, as skins and springs leave them.
    ///
    /// # Panics
    /// If there are fewer rows than points of the mesh.
    pub fn new(
        gpu: &Gpu,
        normals: &SurfaceNormals,
        points: &wgpu::Buffer,
    ) -> Result<Self, GpuError> {
        let tables = normals.tables();
        assert!(points.size() >= 16 * tables.num_points as u64, "one row a welded point");
        let num_wedges = normals.num_wedges();
        let params = gpu.uniform("normal parameters", &[num_wedges as u32, 0, 0, 0]);
        let fan_starts = gpu.storage("starts of fans", &tables.fan_starts)?;
        let fans = gpu.storage("fans", &tables.fans)?;
        let normals = gpu.rows("normals", num_wedges)?;
        let buffers = [&params, &fan_starts, &fans, points, &normals];
        let bound = Bound::new(gpu, &SOURCE, &buffers, num_wedges);
        Ok(Self { gpu: gpu.clone(), num_wedges, normals, bound })
    }

    /// Number of wedges, and so of normals; [`SurfaceNormals::wedge_of_vertex`] says whose they
    /// are.
    pub fn num_wedges(&self) -> usize {
        self.num_wedges
    }

    /// Computes the normals of what the points are then, as part of a caller's pass.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.bound.encode(pass);
    }

    /// Unit normals on the card, by wedge: rows of four floats, the last 0; zero where the area is
    /// zero.
    pub fn normals(&self) -> &wgpu::Buffer {
        &self.normals
    }

    /// Waits for the card, and copies the normals.
    pub fn read(&self) -> Result<Vec<Vec3>, GpuError> {
        self.gpu.read_vectors(&self.normals, self.num_wedges)
    }
}
