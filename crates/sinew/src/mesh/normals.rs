//! Normals of the deformed surface, with sharp edges kept sharp (spring paper, section 6).
//!
//! Around each welded point the triangles fall into *wedges*: runs of triangles between sharp edges
//! ([`Creases`]). A wedge has one normal, the area-weighted sum of its triangles', and every render
//! vertex belongs to one wedge. Vertices that a file shares across a sharp edge share one wedge:
//! the file asked for smooth there.
//!
//! A wedge is kept as its point `p` and the fan of points around it:
//! `n = Σ (r_k − p) × (r_{k+1} − p)`, one load a triangle and no pass over faces. Where a fan has a
//! gap (the wedge of a vertex on two sheets), `p` itself stands between the pieces: its difference
//! is zero, and so are both cross products. Eight wedges of like length share a block; a shorter
//! fan repeats its last point, which adds nothing.

use fearless_simd::{Level, Simd, dispatch, f32x4, f32x8, f64x2, prelude::*};
use glam::Vec3;
use rayon::prelude::*;

use super::wedges::Wedges;
use super::{Adjacency, Creases, Mesh};

/// Wedges in a block.
const LANES: usize = 8;

/// Wedges among which like lengths are sought: few enough that points and results stay in the
/// cache.
const WINDOW_WEDGES: usize = 1024;

/// Windows that one thread takes at a time.
const WINDOWS_A_TASK: usize = 16;

/// From this many wedges on a second thread pays for waking it.
const PARALLEL_WEDGES: usize = 1 << 15;

/// Wedges of a mesh, found once; normals of any deformation of it, every frame.
#[derive(Clone, Debug)]
pub struct SurfaceNormals {
    wedge_of_vertex: Vec<u32>,
    num_points: usize,
    num_wedges: usize,
    blocks: Vec<FanBlock>,
    /// Where each window's blocks begin, and where the last one's end.
    window_starts: Vec<u32>,
    /// For each block its points, then row by row the points around them; each as the index of its
    /// first float.
    fans: Vec<[u32; LANES]>,
    level: Level,
}

/// The wedges as plain arrays: what another device uploads. See [`SurfaceNormals::tables`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalTables {
    /// Where each wedge's fan begins, and where the last one's ends.
    pub fan_starts: Vec<u32>,
    /// Fan by fan: the wedge's point, then the points around it; `n = Σ (r_k − p) × (r_{k+1} − p)`.
    pub fans: Vec<u32>,
    /// Number of welded points.
    pub num_points: usize,
}

/// Eight wedges.
#[derive(Clone, Debug)]
struct FanBlock {
    fans: std::ops::Range<u32>,
    /// Within the window. Padding repeats a wedge of the block.
    wedge_of_lane: [u16; LANES],
}

impl SurfaceNormals {
    /// Finds the wedges between the edges that `creases` say are sharp.
    ///
    /// # Panics
    /// If the mesh has more than 1,431,655,765 points, whose coordinates a `u32` no longer counts.
    pub fn bind(mesh: &Mesh, creases: Creases) -> Self {
        Self::of_wedges(mesh, Wedges::find(mesh, &Adjacency::of(mesh), creases))
    }

    /// One normal a point, over whatever is sharp there; wedges then go by the points' numbers.
    ///
    /// # Panics
    /// As [`Self::bind`].
    pub fn of_points(mesh: &Mesh) -> Self {
        Self::of_wedges(mesh, Wedges::of_points(mesh, &Adjacency::of(mesh)))
    }

    fn of_wedges(mesh: &Mesh, wedges: Wedges) -> Self {
        assert!(mesh.points().len() <= u32::MAX as usize / 3, "coordinates that a u32 counts");
        let mut bound = Self {
            num_points: mesh.points().len(),
            num_wedges: wedges.len(),
            blocks: Vec::with_capacity(wedges.len() / LANES + 1),
            window_starts: vec![0],
            fans: Vec::with_capacity(wedges.len()),
            level: Level::new(),
            wedge_of_vertex: Vec::new(),
        };
        for start in (0..wedges.len()).step_by(WINDOW_WEDGES) {
            let end = (start + WINDOW_WEDGES).min(wedges.len());
            let mut fans: Vec<(usize, Vec<u32>)> =
                (start..end).map(|wedge| (wedge - start, wedges.fan(mesh, wedge))).collect();
            fans.sort_by_key(|(_, fan)| fan.len());
            for fans in fans.chunks(LANES) {
                bound.push_block(fans);
            }
            bound.window_starts.push(bound.blocks.len() as u32);
        }
        bound.wedge_of_vertex = wedges.of_vertex;
        bound
    }

    fn push_block(&mut self, fans: &[(usize, Vec<u32>)]) {
        let start = self.fans.len() as u32;
        let longest = fans.iter().map(|(_, fan)| fan.len()).max().unwrap_or(0);
        let of_lane = |lane: usize| &fans[lane.min(fans.len() - 1)];
        for row in 0..longest {
            self.fans.push(std::array::from_fn(|lane| {
                let fan = &of_lane(lane).1;
                fan[row.min(fan.len() - 1)] * 3
            }));
        }
        self.blocks.push(FanBlock {
            fans: start..self.fans.len() as u32,
            wedge_of_lane: std::array::from_fn(|lane| of_lane(lane).0 as u16),
        });
    }

    /// Number of wedges: of normals that [`Self::compute`] writes.
    pub fn num_wedges(&self) -> usize {
        self.num_wedges
    }

    /// The normals of all render vertices, for who does not care about memory. [`Self::compute`] is
    /// for frames.
    pub fn of_vertices(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut of_wedge = vec![Vec3::ZERO; self.num_wedges()];
        self.compute(positions, &mut of_wedge);
        self.wedge_of_vertex().iter().map(|&wedge| of_wedge[wedge as usize]).collect()
    }

    /// The wedge of each render vertex.
    pub fn wedge_of_vertex(&self) -> &[u32] {
        &self.wedge_of_vertex
    }

    /// The bound wedges as plain arrays, for a device that computes by itself. Made anew: not for
    /// every frame.
    pub fn tables(&self) -> NormalTables {
        let mut place_of_wedge = vec![(0, 0); self.num_wedges];
        for (window, span) in self.window_starts.windows(2).enumerate() {
            for block in span[0] as usize..span[1] as usize {
                for (lane, &wedge) in self.blocks[block].wedge_of_lane.iter().enumerate() {
                    place_of_wedge[window * WINDOW_WEDGES + wedge as usize] = (block, lane);
                }
            }
        }
        let mut tables = NormalTables {
            fan_starts: Vec::with_capacity(self.num_wedges + 1),
            fans: Vec::with_capacity(self.fans.len() * LANES),
            num_points: self.num_points,
        };
        for (block, lane) in place_of_wedge {
            let start = tables.fans.len();
            tables.fan_starts.push(start as u32);
            let rows = &self.blocks[block].fans;
            let rows = &self.fans[rows.start as usize..rows.end as usize];
            tables.fans.extend(rows.iter().map(|row| row[lane] / 3));
            // Padding repeats the last point, which adds nothing.
            while matches!(tables.fans[start..], [.., before, last] if before == last) {
                tables.fans.pop();
            }
        }
        tables.fan_starts.push(tables.fans.len() as u32);
        tables
    }

    /// Unit normals of all wedges of the deformed `points`; zero where the area is zero. Large
    /// meshes use rayon's threads; the bits are the same with any number of them.
    ///
    /// # Panics
    /// If `points` are not of the bound mesh or `out` has not one entry a wedge.
    pub fn compute(&self, points: &[Vec3], out: &mut [Vec3]) {
        if self.num_wedges < PARALLEL_WEDGES || rayon::current_num_threads() == 1 {
            return self.compute_on_one_thread(points, out);
        }
        self.check(points, out);
        out.par_chunks_mut(WINDOWS_A_TASK * WINDOW_WEDGES).enumerate().for_each(|(task, out)| {
            self.compute_from(task * WINDOWS_A_TASK, points, out);
        });
    }

    /// [`Self::compute`] on the calling thread alone.
    ///
    /// # Panics
    /// As [`Self::compute`].
    pub fn compute_on_one_thread(&self, points: &[Vec3], out: &mut [Vec3]) {
        self.check(points, out);
        self.compute_from(0, points, out);
    }

    fn check(&self, points: &[Vec3], out: &[Vec3]) {
        assert_eq!(points.len(), self.num_points, "points of the bound mesh");
        assert_eq!(out.len(), self.num_wedges, "one output a wedge");
    }

    fn compute_from(&self, first_window: usize, points: &[Vec3], out: &mut [Vec3]) {
        let floats: &[f32] = bytemuck::cast_slice(points);
        let starts = &self.window_starts[first_window..];
        for (out, span) in out.chunks_mut(WINDOW_WEDGES).zip(starts.windows(2)) {
            let blocks = &self.blocks[span[0] as usize..span[1] as usize];
            dispatch!(self.level, simd => normals(simd, floats, &self.fans, blocks, out));
        }
    }
}

#[inline(always)]
fn normals<S: Simd>(
    simd: S,
    floats: &[f32],
    fans: &[[u32; LANES]],
    blocks: &[FanBlock],
    out: &mut [Vec3],
) {
    for block in blocks {
        let [center, first, ring @ ..] = &fans[block.fans.start as usize..block.fans.end as usize]
        else {
            // Vertices without triangles: their fans are the point alone.
            for wedge in block.wedge_of_lane {
                out[wedge as usize] = Vec3::ZERO;
            }
            continue;
        };
        let center = gather(simd, floats, center);
        let mut before = difference::<S>(gather(simd, floats, first), center);
        let zero = f32x8::splat(simd, 0.0);
        let mut sum = [zero; 3];
        for row in ring {
            let after = difference::<S>(gather(simd, floats, row), center);
            sum[0] = before[1].mul_add(after[2], before[2].mul_add(-after[1], sum[0]));
            sum[1] = before[2].mul_add(after[0], before[0].mul_add(-after[2], sum[1]));
            sum[2] = before[0].mul_add(after[1], before[1].mul_add(-after[0], sum[2]));
            before = after;
        }
        let squared = sum[0].mul_add(sum[0], sum[1].mul_add(sum[1], sum[2] * sum[2]));
        // Areas whose squares underflow have no direction either: zero over anything stays zero.
        let least = f32x8::splat(simd, f32::MIN_POSITIVE);
        let scale = f32x8::splat(simd, 1.0) / squared.max(least).sqrt();
        let (x, y, z) =
            ((sum[0] * scale).to_array(), (sum[1] * scale).to_array(), (sum[2] * scale).to_array());
        for lane in 0..LANES {
            out[block.wedge_of_lane[lane] as usize] = Vec3::new(x[lane], y[lane], z[lane]);
        }
    }
}

#[inline(always)]
fn difference<S: Simd>(a: [f32x8<S>; 3], b: [f32x8<S>; 3]) -> [f32x8<S>; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Eight points as columns.
#[inline(always)]
fn gather<S: Simd>(simd: S, floats: &[f32], starts: &[u32; LANES]) -> [f32x8<S>; 3] {
    let low = columns(
        simd,
        point(simd, floats, starts[0]),
        point(simd, floats, starts[1]),
        point(simd, floats, starts[2]),
        point(simd, floats, starts[3]),
    );
    let high = columns(
        simd,
        point(simd, floats, starts[4]),
        point(simd, floats, starts[5]),
        point(simd, floats, starts[6]),
        point(simd, floats, starts[7]),
    );
    [
        simd.combine_f32x4(low[0], high[0]),
        simd.combine_f32x4(low[1], high[1]),
        simd.combine_f32x4(low[2], high[2]),
    ]
}

/// The first three columns of four rows.
#[inline(always)]
fn columns<S: Simd>(simd: S, a: f32x4<S>, b: f32x4<S>, c: f32x4<S>, d: f32x4<S>) -> [f32x4<S>; 3] {
    let as_pairs = |v: f32x4<S>| -> f64x2<S> { v.bitcast() };
    let xy_low = as_pairs(simd.zip_low_f32x4(a, b));
    let xy_high = as_pairs(simd.zip_low_f32x4(c, d));
    let z_low = as_pairs(simd.zip_high_f32x4(a, b));
    let z_high = as_pairs(simd.zip_high_f32x4(c, d));
    [
        simd.zip_low_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_high_f64x2(xy_low, xy_high).bitcast(),
        simd.zip_low_f64x2(z_low, z_high).bitcast(),
    ]
}

/// A point by its first float: one load of four, of which the last is ignored.
#[inline(always)]
fn point<S: Simd>(simd: S, floats: &[f32], start: u32) -> f32x4<S> {
    let start = start as usize;
    match floats.get(start..start + 4) {
        Some(four) => f32x4::from_slice(simd, four),
        // The mesh's last point has nothing behind it.
        None => f32x4::load_array(simd, [floats[start], floats[start + 1], floats[start + 2], 0.0]),
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4, PI};

    use super::*;
    use crate::mesh::RawMesh;

    /// Two unit squares that meet at a right angle along the y axis, with vertices shared or split
    /// there.
    fn ridge(split: bool) -> Mesh {
        let p = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
        let mut positions = vec![
            p(0., 0., 0.),
            p(0., 1., 0.),
            p(1., 0., 0.),
            p(1., 1., 0.),
            p(0., 0., 1.),
            p(0., 1., 1.),
        ];
        let mut far = [0, 1];
        if split {
            positions.extend([p(0., 0., 0.), p(0., 1., 0.)]);
            far = [6, 7];
        }
        let triangles = vec![[0, 2, 3], [0, 3, 1], [far[0], far[1], 5], [far[0], 5, 4]];
        RawMesh { positions, triangles, ..RawMesh::default() }.weld().unwrap().part.mesh
    }

    /// On the ridge as much area looks to either side.
    const BETWEEN: Vec3 = Vec3::new(FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2);

    fn vertex_normals(mesh: &Mesh, crease_radians: f32) -> Vec<Vec3> {
        SurfaceNormals::bind(mesh, Creases::Angle(crease_radians)).of_vertices(mesh.points())
    }

    /// As the file has it, with a smooth angle where it says nothing.
    fn normals_as_file(mesh: &Mesh, or_angle: f32) -> Vec<Vec3> {
        SurfaceNormals::bind(mesh, Creases::File { or_angle }).of_vertices(mesh.points())
    }

    /// A split ridge whose vertices on the one side have the one normal, and those on the other the
    /// other.
    fn ridge_of(normals: [Vec3; 2]) -> Mesh {
        let mesh = ridge(true);
        let of_vertex = [0, 0, 0, 0, 1, 1, 1, 1].map(|side| normals[side]);
        let raw = RawMesh {
            positions: mesh.vertex_positions().to_vec(),
            triangles: mesh.triangles().to_vec(),
            normals: of_vertex.to_vec(),
            ..RawMesh::default()
        };
        raw.weld().unwrap().part.mesh
    }

    #[test]
    fn an_edge_that_the_file_has_hard_stays_hard_however_flat_it_is() {
        let mesh = ridge_of([Vec3::Z, Vec3::X]);
        let normals = normals_as_file(&mesh, PI);
        assert!(normals[0].abs_diff_eq(Vec3::Z, 1e-6), "{normals:?}");
        assert!(normals[6].abs_diff_eq(Vec3::X, 1e-6), "{normals:?}");
        // Who asks for an angle has that alone.
        assert!(vertex_normals(&mesh, PI)[0].abs_diff_eq(BETWEEN, 1e-6));
    }

    #[test]
    fn a_seam_that_the_file_has_smooth_stays_smooth_however_sharp_it_is() {
        let quantised = (BETWEEN + Vec3::Y * 0.01).normalize();
        let mesh = ridge_of([BETWEEN, quantised]);
        assert!(normals_as_file(&mesh, FRAC_PI_4)[0].abs_diff_eq(BETWEEN, 1e-6));
        assert!(vertex_normals(&mesh, FRAC_PI_4)[0].abs_diff_eq(Vec3::Z, 1e-6));
    }

    #[test]
    fn where_the_file_says_nothing_the_angle_decides() {
        let mesh = ridge_of([Vec3::Z, Vec3::ZERO]);
        for mesh in [mesh, ridge(true)] {
            assert!(normals_as_file(&mesh, FRAC_PI_4)[6].abs_diff_eq(Vec3::X, 1e-6));
            assert!(normals_as_file(&mesh, PI)[6].abs_diff_eq(BETWEEN, 1e-6));
        }
    }

    #[test]
    fn an_edge_sharper_than_the_crease_stays_sharp() {
        let normals = vertex_normals(&ridge(true), FRAC_PI_4);
        assert!(normals[0].abs_diff_eq(Vec3::Z, 1e-6));
        assert!(normals[6].abs_diff_eq(Vec3::X, 1e-6));
    }

    #[test]
    fn an_edge_flatter_than_the_crease_is_smooth_across_a_uv_seam() {
        let normals = vertex_normals(&ridge(true), PI);
        assert_eq!(normals[1], normals[7]);
        assert!(normals[1].abs_diff_eq(BETWEEN, 1e-6));
    }

    #[test]
    fn a_vertex_shared_across_a_sharp_edge_is_smooth_as_its_file_asked() {
        let normals = vertex_normals(&ridge(false), FRAC_PI_4);
        assert!(normals[0].abs_diff_eq(BETWEEN, 1e-6));
    }

    #[test]
    fn triangles_of_a_hundredth_of_a_micrometre_have_unit_normals_too() {
        let mesh = ridge(true);
        let bound = SurfaceNormals::bind(&mesh, Creases::Angle(FRAC_PI_4));
        let tiny: Vec<Vec3> = mesh.points().iter().map(|p| *p * 1e-8).collect();
        let mut wedges = vec![Vec3::ZERO; bound.num_wedges()];
        bound.compute(&tiny, &mut wedges);
        assert!(wedges.iter().all(|n| n.is_normalized()), "{wedges:?}");
    }

    #[test]
    fn tables_hold_every_fan_once() {
        // Three windows of wedges, the last one not full.
        let n = 50u32;
        let at = |i: u32| Vec3::new((i % n) as f32, (i / n) as f32, 0.1 * (i % 7) as f32);
        let quads = (0..n * n).filter(|i| i % n + 1 < n && i / n + 1 < n);
        let triangles =
            quads.flat_map(|i| [[i, i + 1, i + n], [i + 1, i + n + 1, i + n]]).collect();
        let positions = (0..n * n).map(at).collect();
        let mesh = RawMesh { positions, triangles, ..RawMesh::default() }.weld().unwrap().part.mesh;
        let bound = SurfaceNormals::bind(&mesh, Creases::Angle(PI));
        let tables = bound.tables();
        let mut expected = vec![Vec3::ZERO; bound.num_wedges()];
        bound.compute(mesh.points(), &mut expected);
        assert_eq!(tables.fan_starts.len(), bound.num_wedges() + 1);
        for (span, expected) in tables.fan_starts.windows(2).zip(&expected) {
            let fan: Vec<Vec3> = tables.fans[span[0] as usize..span[1] as usize]
                .iter()
                .map(|&point| mesh.points()[point as usize])
                .collect();
            assert!(fan.len() <= 8, "no padding is left: {}", fan.len());
            let around = fan[1..].windows(2).map(|two| (two[0] - fan[0]).cross(two[1] - fan[0]));
            let normal = around.sum::<Vec3>().normalize();
            assert!(normal.abs_diff_eq(*expected, 1e-6), "{normal} {expected}");
        }
    }

    #[test]
    fn a_vertex_without_triangles_has_no_normal() {
        let mesh =
            RawMesh { positions: vec![Vec3::ONE], ..RawMesh::default() }.weld().unwrap().part.mesh;
        assert_eq!(vertex_normals(&mesh, 1.0), [Vec3::ZERO]);
    }

    #[test]
    fn two_cones_on_one_vertex_share_the_sum_of_both() {
        // A bow tie: two triangles touch only in vertex 0.
        let positions =
            vec![Vec3::ZERO, Vec3::X, Vec3::new(1., 1., 0.), -Vec3::X, Vec3::new(-1., -1., 0.)];
        let mesh =
            RawMesh { positions, triangles: vec![[0, 1, 2], [0, 3, 4]], ..RawMesh::default() }
                .weld()
                .unwrap()
                .part
                .mesh;
        assert!(vertex_normals(&mesh, 1.0)[0].abs_diff_eq(Vec3::Z, 1e-6));
    }

    #[test]
    fn a_pole_of_many_triangles_is_one_wedge_and_binds_at_once() {
        // A disc of 20,000 triangles about one point: quadratic binding would take minutes.
        let n = 20_000u32;
        let rim = |k: u32| {
            let angle = std::f32::consts::TAU * k as f32 / n as f32;
            Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let positions = std::iter::once(Vec3::ZERO).chain((0..n).map(rim)).collect();
        let triangles = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
        let mesh = RawMesh { positions, triangles, ..RawMesh::default() }.weld().unwrap().part.mesh;
        let normals = vertex_normals(&mesh, 1.0);
        assert!(normals.iter().all(|n| n.abs_diff_eq(Vec3::Z, 1e-4)));
    }
}
