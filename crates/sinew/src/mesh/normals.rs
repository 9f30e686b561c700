//! Normals of the deformed surface, with sharp edges kept sharp (spring paper, section 6).
//!
//! Around each welded point the triangles fall into *wedges*: runs of triangles between edges whose dihedral
//! angle at rest is above the threshold. A wedge has one normal, the area-weighted sum of its triangles', and every
//! render vertex belongs to one wedge. Vertices that a file shares across a sharp edge share one wedge: the file
//! asked for smooth there.
//!
//! A wedge is kept as its point `p` and the fan of points around it: `n = Σ (r_k − p) × (r_{k+1} − p)`, one load a
//! triangle and no pass over faces. Where a fan has a gap (the wedge of a vertex on two sheets), `p` itself stands between the
//! pieces: its difference is zero, and so are both cross products.

use fearless_simd::{Level, Simd, dispatch};
use glam::{Vec3, Vec3A, Vec3Swizzles, Vec4};
use rayon::prelude::*;

use super::wedges::Wedges;
use super::{Adjacency, Mesh};

/// Wedges that one thread takes at a time.
const WEDGES_A_TASK: usize = 1 << 14;

/// From this many wedges on a second thread pays for waking it.
const PARALLEL_WEDGES: usize = 1 << 16;

/// Wedges of a mesh, found once; normals of any deformation of it, every frame.
#[derive(Clone, Debug)]
pub struct SurfaceNormals {
    wedge_of_vertex: Vec<u32>,
    num_points: usize,
    /// Where each wedge begins in `fans`, and where the last one ends.
    fan_starts: Vec<u32>,
    /// For each wedge its point, then the points around it; each as the index of its first float.
    fans: Vec<u32>,
    level: Level,
}

impl SurfaceNormals {
    /// Finds the wedges; an edge is sharp if its triangles' normals at rest differ by more than `crease_radians`.
    pub fn bind(mesh: &Mesh, crease_radians: f32) -> Self {
        let wedges = Wedges::find(mesh, &Adjacency::of(mesh), crease_radians);
        let mut fan_starts = Vec::with_capacity(wedges.len() + 1);
        let mut fans = Vec::with_capacity(wedges.num_triangles() * 5 / 3);
        for wedge in 0..wedges.len() {
            fan_starts.push(fans.len() as u32);
            let start = fans.len();
            wedges.push_fan(mesh, wedge, &mut fans);
            for point in &mut fans[start..] {
                *point *= 3;
            }
        }
        fan_starts.push(fans.len() as u32);
        Self {
            wedge_of_vertex: wedges.of_vertex,
            num_points: mesh.points().len(),
            fan_starts,
            fans,
            level: Level::new(),
        }
    }

    /// Number of wedges: of normals that [`Self::compute`] writes.
    pub fn num_wedges(&self) -> usize {
        self.fan_starts.len() - 1
    }

    /// The wedge of each render vertex.
    pub fn wedge_of_vertex(&self) -> &[u32] {
        &self.wedge_of_vertex
    }

    /// Unit normals of all wedges of the deformed `points`; zero where the area is zero. Large meshes use rayon's
    /// threads; the bits are the same with any number of them.
    ///
    /// # Panics
    /// If `points` are not of the bound mesh or `out` has not one entry a wedge.
    pub fn compute(&self, points: &[Vec3], out: &mut [Vec3]) {
        if self.num_wedges() < PARALLEL_WEDGES || rayon::current_num_threads() == 1 {
            return self.compute_on_one_thread(points, out);
        }
        self.check(points, out);
        out.par_chunks_mut(WEDGES_A_TASK).enumerate().for_each(|(task, out)| {
            self.compute_from(task * WEDGES_A_TASK, points, out);
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
        assert_eq!(out.len(), self.num_wedges(), "one output a wedge");
    }

    fn compute_from(&self, first: usize, points: &[Vec3], out: &mut [Vec3]) {
        let starts = &self.fan_starts[first..=first + out.len()];
        let floats = points.as_flattened_floats();
        dispatch!(self.level, simd => normals(simd, floats, &self.fans, starts, out));
    }
}

trait AsFlattenedFloats {
    fn as_flattened_floats(&self) -> &[f32];
}

impl AsFlattenedFloats for [Vec3] {
    fn as_flattened_floats(&self) -> &[f32] {
        bytemuck::cast_slice(self)
    }
}

#[inline(always)]
fn normals<S: Simd>(simd: S, floats: &[f32], fans: &[u32], starts: &[u32], out: &mut [Vec3]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (out, span) in out.iter_mut().zip(starts.windows(2)) {
                let fan = &fans[span[0] as usize..span[1] as usize];
                *out = Vec3::from(fan_normal(floats, fan).normalize_or_zero());
            }
        },
    );
}

/// The area-weighted normal of a fan, twice.
#[inline(always)]
fn fan_normal(floats: &[f32], fan: &[u32]) -> Vec3A {
    let [center, first, ring @ ..] = fan else { return Vec3A::ZERO };
    let center = point(floats, *center);
    let mut before = point(floats, *first) - center;
    let mut before_yzx = before.yzx();
    // a × b = (a · b.yzx − a.yzx · b).yzx: summed first, turned once.
    let mut sum = Vec3A::ZERO;
    for &next in ring {
        let after = point(floats, next) - center;
        let after_yzx = after.yzx();
        sum += before * after_yzx - before_yzx * after;
        (before, before_yzx) = (after, after_yzx);
    }
    sum.yzx()
}

/// A point by its first float: one load of four, of which the last is ignored.
#[inline(always)]
fn point(floats: &[f32], start: u32) -> Vec3A {
    let start = start as usize;
    match floats.get(start..start + 4) {
        Some(four) => Vec3A::from_vec4(Vec4::from_slice(four)),
        // The mesh's last point has nothing behind it.
        None => Vec3A::from_slice(&floats[start..start + 3]),
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_4, PI};

    use super::*;
    use crate::mesh::RawMesh;

    /// Two unit squares that meet at a right angle along the y axis, with vertices shared or split there.
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

    fn vertex_normals(mesh: &Mesh, crease_radians: f32) -> Vec<Vec3> {
        let bound = SurfaceNormals::bind(mesh, crease_radians);
        let mut wedges = vec![Vec3::ZERO; bound.num_wedges()];
        bound.compute(mesh.points(), &mut wedges);
        bound.wedge_of_vertex().iter().map(|&w| wedges[w as usize]).collect()
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
        assert!((normals[1].x - normals[1].z).abs() < FRAC_1_SQRT_2);
        assert!(normals[1].x > 0.1 && normals[1].z > 0.1);
    }

    #[test]
    fn a_vertex_shared_across_a_sharp_edge_is_smooth_as_its_file_asked() {
        let normals = vertex_normals(&ridge(false), FRAC_PI_4);
        assert!(normals[0].x > 0.1 && normals[0].z > 0.1);
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
}
