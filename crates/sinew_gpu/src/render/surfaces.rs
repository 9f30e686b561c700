//! Surfaces on the card: what does not change is uploaded once a shape, what does is written over
//! each frame.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};
use sinew::mesh::Aabb;
use sinew_view::scene::{Paint, Surface, SurfaceShape};

use super::materials::{MaterialLayout, TextureCache};
use super::resources::{Refilled, bind, buffer_type, entry};
use crate::{Gpu, GpuError};

/// Where a surface's deformed positions and normals come from.
#[derive(Clone, Copy, Debug)]
pub enum SurfaceSource<'a> {
    /// From the scene, uploaded.
    Scene,
    /// From buffers that a compute pass writes; the scene's own positions and normals are not
    /// looked at, and may be empty.
    Buffer(SurfaceBuffers<'a>),
}

/// Storage buffers of *rows*, four floats each, of which the last is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceBuffers<'a> {
    /// One a welded point.
    pub positions: &'a wgpu::Buffer,
    /// Of unit length: one a render vertex, or as `normal_of_vertex` says.
    pub normals: &'a wgpu::Buffer,
    /// The row in `normals` of each render vertex (a `u32` each), where several vertices share a
    /// normal.
    pub normal_of_vertex: Option<&'a wgpu::Buffer>,
    /// A box that the surface stays in, for the shadows' and only for them: the CPU does not know
    /// the positions.
    pub bounds: Aabb,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
struct SurfaceUniform {
    flat_color: Vec4,
    wire_color: Vec4,
    wire_width_px: f32,
    surface: u32,
    has_normal_map: u32,
    num_stops: u32,
    has_uvs: u32,
    num_points: u32,
    padding: [u32; 2],
}

/// The fourth component of `flat_color`.
const PAINT_MATERIAL: f32 = 0.0;
const PAINT_FLAT: f32 = 1.0;
const PAINT_HEAT: f32 = 2.0;
const PAINT_COLORS: f32 = 3.0;

/// What stands for the point of a vertex that is not there: no mesh has as many.
const NO_POINT: u32 = u32::MAX;

/// How surfaces and materials are bound, in every pass alike.
#[derive(Debug)]
pub(crate) struct SurfaceLayouts {
    surface: wgpu::BindGroupLayout,
    materials: MaterialLayout,
}

impl SurfaceLayouts {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        // Edges of triangles look up what their corners are, and so does picking, in a compute
        // pass.
        let edges = wgpu::ShaderStages::VERTEX_FRAGMENT;
        let pulled = edges | wgpu::ShaderStages::COMPUTE;
        let read = buffer_type(wgpu::BufferBindingType::Storage { read_only: true });
        let entries = [
            entry(0, pulled, buffer_type(wgpu::BufferBindingType::Uniform)),
            entry(1, pulled, read),
            entry(2, pulled, read),
            entry(3, pulled, read),
            entry(4, pulled, read),
            entry(5, edges, read),
            entry(6, edges, read),
            entry(7, wgpu::ShaderStages::FRAGMENT, read),
        ];
        let surface = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("surface"),
            entries: &entries,
        });
        Self { surface, materials: MaterialLayout::new(gpu) }
    }

    pub(crate) fn surface(&self) -> &wgpu::BindGroupLayout {
        &self.surface
    }

    pub(crate) fn material(&self) -> &wgpu::BindGroupLayout {
        self.materials.layout()
    }
}

/// What does not change from frame to frame; surfaces of the same shape share it.
#[derive(Debug)]
pub(crate) struct ShapeOnCard {
    shape: Arc<SurfaceShape>,
    corners: wgpu::Buffer,
    uvs: wgpu::Buffer,
    has_uvs: bool,
    num_corners: u32,
    /// All triangles once.
    runs: Vec<Run>,
}

/// Corners of one material.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) corners: Range<u32>,
    pub(crate) material: wgpu::BindGroup,
    layer: Layer,
}

/// How much of a run there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// What is solid.
    Solid,
    /// What a mask cuts out.
    Mask,
    /// Part of it, and part of it is seen through.
    Veil,
}

impl ShapeOnCard {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &SurfaceLayouts,
        textures: &mut TextureCache,
        shape: &Arc<SurfaceShape>,
    ) -> Result<Self, GpuError> {
        let corners: Vec<[u32; 2]> = shape
            .triangles
            .iter()
            .flatten()
            .map(|&vertex| {
                let point = shape.point_of_vertex.get(vertex as usize);
                [vertex, point.copied().unwrap_or(NO_POINT)]
            })
            .collect();
        let has_uvs = !shape.uvs.is_empty();
        let runs = runs(shape.triangles.len() as u32, &shape.materials)
            .into_iter()
            .map(|(triangles, material)| {
                let known = material.map(|index| &*shape.materials[index].1);
                let layer = match known {
                    Some(material) if material.is_veil() => Layer::Veil,
                    Some(material) if material.solid_from().is_some() => Layer::Mask,
                    _ => Layer::Solid,
                };
                let material = match known {
                    Some(material) => layouts.materials.material(gpu, textures, material),
                    None => layouts.materials.clay(gpu),
                };
                Run { corners: 3 * triangles.start..3 * triangles.end, material, layer }
            })
            .collect();
        Ok(Self {
            shape: shape.clone(),
            corners: gpu.storage("triangles", &corners)?,
            uvs: gpu.storage("texture coordinates", &shape.uvs)?,
            has_uvs,
            num_corners: corners.len() as u32,
            runs,
        })
    }

    pub(crate) fn is_of(&self, shape: &Arc<SurfaceShape>) -> bool {
        Arc::ptr_eq(&self.shape, shape)
    }
}

/// Every triangle once, in runs with their material's place in the list; `None` is clay. The last
/// that names a triangle has it.
fn runs<M>(num_triangles: u32, materials: &[(Range<u32>, M)]) -> Vec<(Range<u32>, Option<usize>)> {
    let mut of_triangle = vec![None; num_triangles as usize];
    for (index, (range, _)) in materials.iter().enumerate() {
        let end = range.end.min(num_triangles);
        of_triangle[range.start.min(end) as usize..end as usize].fill(Some(index));
    }
    let mut start = 0;
    let mut runs = Vec::new();
    for run in of_triangle.chunk_by(|a, b| a == b) {
        let end = start + run.len() as u32;
        runs.push((start..end, run[0]));
        start = end;
    }
    runs
}

/// A surface as it is in this frame.
#[derive(Debug)]
pub(crate) struct SurfaceOnCard {
    shape: Arc<ShapeOnCard>,
    params: wgpu::Buffer,
    last_params: SurfaceUniform,
    positions: Refilled,
    normals: Refilled,
    heat: Refilled,
    ramp: Refilled,
    /// Stands where a buffer is bound that nothing reads.
    none: wgpu::Buffer,
    group: wgpu::BindGroup,
    /// The buffers in `group` that are somebody else's.
    foreign: Option<[Option<wgpu::Buffer>; 3]>,
    bounds: Aabb,
    rows: Vec<[f32; 4]>,
    is_shown: bool,
}

impl SurfaceOnCard {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &SurfaceLayouts,
        shape: Arc<ShapeOnCard>,
    ) -> Result<Self, GpuError> {
        let positions = Refilled::new(gpu, "positions")?;
        let normals = Refilled::new(gpu, "normals")?;
        let heat = Refilled::new(gpu, "heat")?;
        let ramp = Refilled::new(gpu, "ramp")?;
        let none = gpu.rows("nothing", 1)?;
        let last_params = SurfaceUniform::zeroed();
        let params = gpu.uniform("surface", &last_params);
        let foreign = None;
        let buffers =
            [&params, positions.buffer(), normals.buffer(), &none, &shape.corners, &shape.uvs];
        let group = surface_group(gpu, layouts, buffers, [heat.buffer(), ramp.buffer()]);
        Ok(Self {
            shape,
            params,
            last_params,
            positions,
            normals,
            heat,
            ramp,
            none,
            group,
            foreign,
            bounds: Aabb::EMPTY,
            rows: Vec::new(),
            is_shown: true,
        })
    }

    /// Takes over a frame's positions, normals and colours.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        layouts: &SurfaceLayouts,
        (index, surface): (u32, &Surface),
        source: &SurfaceSource<'_>,
    ) -> Result<(), GpuError> {
        self.is_shown = surface.is_shown;
        let mut is_rebound = false;
        let mut num_points = self.shape.shape.num_points as u32;
        let foreign = match source {
            SurfaceSource::Scene => {
                // A surface that was given too few points is drawn without the rest.
                num_points = num_points.min(surface.positions.len() as u32);
                fill_rows(&mut self.rows, &surface.positions, 0);
                is_rebound |= self.positions.fill(gpu, &self.rows)?;
                let num_vertices = self.shape.shape.point_of_vertex.len();
                fill_rows(&mut self.rows, &surface.normals, num_vertices);
                is_rebound |= self.normals.fill(gpu, &self.rows)?;
                let finite = surface.positions.iter().copied().filter(|p| p.is_finite());
                self.bounds = Aabb::around(finite);
                None
            }
            SurfaceSource::Buffer(buffers) => {
                self.bounds = buffers.bounds;
                Some([
                    Some(buffers.positions.clone()),
                    Some(buffers.normals.clone()),
                    buffers.normal_of_vertex.cloned(),
                ])
            }
        };
        is_rebound |= foreign != self.foreign;
        self.foreign = foreign;
        let (mut flat_color, mut num_stops) = (Vec4::new(0.0, 0.0, 0.0, PAINT_MATERIAL), 0);
        match &surface.paint {
            Paint::Material => {}
            Paint::Flat(color) => flat_color = color.extend(PAINT_FLAT),
            Paint::Heat { values, ramp } => {
                flat_color.w = PAINT_HEAT;
                num_stops = ramp.stops.len() as u32;
                let stops: Vec<Vec4> = ramp.stops.iter().map(|stop| stop.extend(1.0)).collect();
                is_rebound |= self.heat.fill(gpu, values)?;
                is_rebound |= self.ramp.fill(gpu, &stops)?;
            }
            Paint::Colors(colors) => {
                flat_color.w = PAINT_COLORS;
                let num_points = self.shape.shape.num_points;
                let known = colors.iter().map(|color| color.extend(1.0));
                let all = known.chain(std::iter::repeat(Vec4::ZERO)).take(num_points.max(1));
                is_rebound |= self.ramp.fill(gpu, &all.collect::<Vec<Vec4>>())?;
            }
        }
        let wire = surface.wireframe;
        let params = SurfaceUniform {
            flat_color,
            wire_color: wire.map_or(Vec4::ZERO, |w| w.color.extend(w.opacity)),
            wire_width_px: wire.map_or(0.0, |w| w.width_px),
            surface: index,
            has_normal_map: u32::from(matches!(self.foreign, Some([.., Some(_)]))),
            num_stops,
            has_uvs: u32::from(self.shape.has_uvs),
            num_points,
            padding: [0; 2],
        };
        if params != self.last_params {
            self.last_params = params;
            gpu.write(&self.params, &[params]);
        }
        if is_rebound {
            self.rebind(gpu, layouts);
        }
        Ok(())
    }

    fn rebind(&mut self, gpu: &Gpu, layouts: &SurfaceLayouts) {
        let own = [self.positions.buffer(), self.normals.buffer(), &self.none];
        let foreign = self.foreign.as_ref();
        let buffer = |slot: usize| {
            let foreign = foreign.and_then(|buffers| buffers[slot].as_ref());
            foreign.unwrap_or(own[slot])
        };
        let buffers =
            [&self.params, buffer(0), buffer(1), buffer(2), &self.shape.corners, &self.shape.uvs];
        let colors = [self.heat.buffer(), self.ramp.buffer()];
        self.group = surface_group(gpu, layouts, buffers, colors);
    }

    pub(crate) fn shape(&self) -> &Arc<ShapeOnCard> {
        &self.shape
    }

    pub(crate) fn group(&self) -> &wgpu::BindGroup {
        &self.group
    }

    pub(crate) fn num_corners(&self) -> u32 {
        self.shape.num_corners
    }

    /// Runs of a layer; paint covers everything alike.
    pub(crate) fn runs(&self, layer: Layer) -> impl Iterator<Item = &Run> {
        let is_painted = self.last_params.flat_color.w != PAINT_MATERIAL;
        let of = move |run: &Run| if is_painted { Layer::Solid } else { run.layer };
        self.shape.runs.iter().filter(move |run| of(run) == layer)
    }

    /// True if it is drawn.
    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// The box that it is in; empty for one that is not drawn.
    pub(crate) fn bounds(&self) -> Aabb {
        if self.is_shown { self.bounds } else { Aabb::EMPTY }
    }
}

fn surface_group(
    gpu: &Gpu,
    layouts: &SurfaceLayouts,
    buffers: [&wgpu::Buffer; 6],
    colors: [&wgpu::Buffer; 2],
) -> wgpu::BindGroup {
    let resources: Vec<wgpu::BindingResource<'_>> =
        buffers.iter().chain(&colors).map(|buffer| buffer.as_entire_binding()).collect();
    bind(gpu, "surface", &layouts.surface, &resources)
}

/// Rows of four floats from triples, at least so many: what is missing is NaN, in whose stead the
/// triangle's own normal is.
fn fill_rows(rows: &mut Vec<[f32; 4]>, triples: &[Vec3], least: usize) {
    rows.clear();
    rows.extend(triples.iter().map(|v| [v.x, v.y, v.z, 1.0]));
    if rows.len() < least {
        rows.resize(least, [f32::NAN; 4]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_name_every_triangle_once_and_fill_gaps_with_clay() {
        let materials = [(5..8, ()), (0..2, ()), (7..99, ())];
        assert_eq!(
            runs(10, &materials),
            [(0..2, Some(1)), (2..5, None), (5..7, Some(0)), (7..10, Some(2))]
        );
        assert_eq!(runs::<()>(3, &[]), [(0..3, None)]);
        assert_eq!(runs::<()>(0, &[]), []);
    }
}
