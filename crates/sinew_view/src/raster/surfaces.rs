//! The surfaces of a scene, made ready: triangles numbered through, corners that may be looked up
//! without fear.

use glam::{Vec2, Vec3, Vec4};
use rayon::prelude::*;

use super::screen::{ScreenTriangle, Viewport, push_triangle};
use crate::scene::{Material, Paint, Scene, Surface};

/// Triangles that one task takes at a time.
const TRIANGLES_A_TASK: usize = 4096;

/// All surfaces of a scene.
pub(super) struct Surfaces<'a> {
    pub(super) scene: &'a Scene,
    /// The number of each surface's first triangle, and the number of all.
    starts: Vec<u32>,
    /// For each surface with materials, one a triangle; `u32::MAX` for clay.
    materials: Vec<Vec<u32>>,
    /// Any triangle is not there wholly.
    has_opacities: bool,
}

/// A triangle of a surface.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) surface_index: u32,
    pub(super) surface: &'a Surface,
    /// Within the surface.
    pub(super) triangle: u32,
    /// Its render vertices.
    pub(super) vertices: [u32; 3],
    /// Its welded points.
    pub(super) points: [u32; 3],
}

impl<'a> Surfaces<'a> {
    pub(super) fn of(scene: &'a Scene) -> Self {
        let mut starts = vec![0];
        let mut total = 0_u32;
        for surface in &scene.surfaces {
            total = total.saturating_add(surface.shape.triangles.len() as u32);
            starts.push(total);
        }
        let is_cut = |surface: &Surface| {
            let mut materials = surface.shape.materials.iter();
            surface.paint == Paint::Material && materials.any(|(_, m)| m.solid_from().is_some())
        };
        Self {
            scene,
            starts,
            materials: scene.surfaces.iter().map(material_of_triangle).collect(),
            has_opacities: scene.surfaces.iter().any(is_cut),
        }
    }

    /// The material that a triangle shows; `None` for clay, and under paint.
    pub(super) fn material(&self, place: &Place<'a>) -> Option<&'a Material> {
        if place.surface.paint != Paint::Material {
            return None;
        }
        let of_triangle = &self.materials[place.surface_index as usize];
        let index = *of_triangle.get(place.triangle as usize)?;
        place.surface.shape.materials.get(index as usize).map(|(_, material)| &**material)
    }

    /// A triangle that is not there wholly, and its material.
    pub(super) fn cut(&self, id: u32) -> Option<(Place<'a>, &'a Material)> {
        if !self.has_opacities {
            return None;
        }
        let place = self.place(id)?;
        let material = self.material(&place)?;
        material.solid_from().map(|_| (place, material))
    }

    /// The triangle of a number that [`Self::on_screen`] gave out.
    pub(super) fn place(&self, id: u32) -> Option<Place<'a>> {
        let surface_index = self.starts.partition_point(|&start| start <= id).checked_sub(1)?;
        let surface = self.scene.surfaces.get(surface_index)?;
        place_of(surface, surface_index as u32, id - self.starts[surface_index])
    }

    /// All triangles as a camera or a light sees them, in order.
    pub(super) fn on_screen(&self, viewport: &Viewport) -> Vec<ScreenTriangle> {
        let mut all = Vec::new();
        let surfaces = self.scene.surfaces.iter().zip(&self.starts);
        for (surface, &start) in surfaces.filter(|(surface, _)| surface.is_shown) {
            let clip: Vec<Vec4> = surface
                .positions
                .iter()
                .map(|position| viewport.clip_from_model * position.extend(1.0))
                .collect();
            let lists: Vec<Vec<ScreenTriangle>> = surface
                .shape
                .triangles
                .par_chunks(TRIANGLES_A_TASK)
                .enumerate()
                .map(|(task, triangles)| {
                    let mut list = Vec::with_capacity(triangles.len());
                    for offset in 0..triangles.len() {
                        let triangle = (task * TRIANGLES_A_TASK + offset) as u32;
                        if let Some(place) = place_of(surface, 0, triangle) {
                            let corners = place.points.map(|point| clip[point as usize]);
                            push_triangle(&mut list, viewport, corners, start + triangle);
                        }
                    }
                    list
                })
                .collect();
            all.extend(lists.into_iter().flatten());
        }
        all
    }

    /// Middle and radius of the sphere around the box around all points; a point if there is none.
    pub(super) fn sphere(&self) -> (Vec3, f32) {
        let bounds = self.scene.bounds();
        (bounds.center(), 0.5 * bounds.diagonal())
    }
}

fn material_of_triangle(surface: &Surface) -> Vec<u32> {
    let shape = &surface.shape;
    if shape.materials.is_empty() {
        return Vec::new();
    }
    let mut of_triangle = vec![u32::MAX; shape.triangles.len()];
    for (index, (range, _)) in shape.materials.iter().enumerate() {
        let end = (range.end as usize).min(of_triangle.len());
        of_triangle[(range.start as usize).min(end)..end].fill(index as u32);
    }
    of_triangle
}

/// A triangle whose points are there.
fn place_of(surface: &Surface, surface_index: u32, triangle: u32) -> Option<Place<'_>> {
    let vertices = *surface.shape.triangles.get(triangle as usize)?;
    let mut points = [0; 3];
    for (point, vertex) in points.iter_mut().zip(vertices) {
        *point = *surface.shape.point_of_vertex.get(vertex as usize)?;
        surface.positions.get(*point as usize)?;
    }
    Some(Place { surface_index, surface, triangle, vertices, points })
}

impl Place<'_> {
    /// Where its corners are.
    pub(super) fn positions(&self) -> [Vec3; 3] {
        self.points.map(|point| self.surface.positions[point as usize])
    }

    /// Texture coordinates of its corners.
    pub(super) fn uvs(&self) -> [Vec2; 3] {
        let uvs = &self.surface.shape.uvs;
        self.vertices.map(|vertex| uvs.get(vertex as usize).copied().unwrap_or(Vec2::ZERO))
    }

    /// Unit normal across; zero for a triangle without area.
    pub(super) fn flat_normal(&self) -> Vec3 {
        let [a, b, c] = self.positions();
        (b - a).cross(c - a).normalize_or_zero()
    }

    /// The interpolated normal, of unit length; the triangle's own where there is none.
    pub(super) fn normal(&self, shares: Vec3) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (vertex, share) in self.vertices.into_iter().zip(shares.to_array()) {
            sum += share * self.surface.normals.get(vertex as usize).copied().unwrap_or(Vec3::NAN);
        }
        let normal = if sum.is_finite() { sum.normalize_or_zero() } else { Vec3::ZERO };
        if normal == Vec3::ZERO { self.flat_normal() } else { normal }
    }

    /// The interpolated position.
    pub(super) fn position(&self, shares: Vec3) -> Vec3 {
        let [a, b, c] = self.positions();
        shares.x * a + shares.y * b + shares.z * c
    }
}
