//! Lines, discs and facets over the surfaces, in the order in which they are laid over each other.
//!
//! Opaque marks come first, then the others, far to near, as `sinew_view::scene::Overlay` says.
//! Opaque ones are drawn far to near too: the half-covered edge of one then lies over what is
//! behind it, not over the picture's ground.

use bytemuck::{Pod, Zeroable};
use glam::{Mat4, Vec3, Vec4};
use sinew_view::scene::{Disc, Facet, Line, Marks};

use super::resources::{COLOR_FORMAT, PipelineParts, Refilled, SAMPLES, pipeline, shader};
use crate::{Gpu, GpuError};

/// From this opacity on a mark hides what is behind it.
const OPAQUE: f32 = 0.999;

/// Corners of a quad in two triangles; a facet uses the first three.
const CORNERS: u32 = 6;

/// The twin of `Mark` in marks.wgsl, which says what each fourth component is.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct MarkInstance {
    a: Vec4,
    b: Vec4,
    c: Vec4,
    color: Vec4,
}

const LINE: f32 = 0.0;
const DISC: f32 = 1.0;
const FACET: f32 = 2.0;

/// How marks are laid over: premultiplied.
const OVER: wgpu::ColorTargetState = wgpu::ColorTargetState {
    format: COLOR_FORMAT,
    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
    write_mask: wgpu::ColorWrites::ALL,
};

const ATTRIBUTES: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4];

/// The pipelines of all marks.
#[derive(Debug)]
pub(crate) struct MarkPasses {
    opaque: wgpu::RenderPipeline,
    blended: wgpu::RenderPipeline,
}

/// Marks on the card, in order.
#[derive(Debug)]
pub(crate) struct MarksOnCard {
    instances: Refilled,
    num_opaque: u32,
    num: u32,
}

impl MarkPasses {
    pub(crate) fn new(gpu: &Gpu, frame: &wgpu::BindGroupLayout) -> Self {
        let module =
            shader(gpu, "marks", &[include_str!("frame.wgsl"), include_str!("marks.wgsl")]);
        let instance = wgpu::VertexBufferLayout {
            array_stride: size_of::<MarkInstance>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &ATTRIBUTES,
        };
        let build = |label: &'static str, writes_depth: bool| {
            pipeline(
                gpu,
                &PipelineParts {
                    label,
                    module: &module,
                    vertex_entry: "mark_vertex",
                    fragment: Some(("mark_fragment", &[Some(OVER)])),
                    groups: &[Some(frame)],
                    buffers: &[Some(instance.clone())],
                    topology: wgpu::PrimitiveTopology::TriangleList,
                    depth: Some((wgpu::CompareFunction::Less, writes_depth)),
                    samples: SAMPLES,
                },
            )
        };
        Self { opaque: build("opaque marks", true), blended: build("blended marks", false) }
    }

    /// Draws into a pass whose group 0 is the frame.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, marks: &MarksOnCard) {
        if marks.num == 0 {
            return;
        }
        pass.set_vertex_buffer(0, marks.instances.buffer().slice(..));
        pass.set_pipeline(&self.opaque);
        pass.draw(0..CORNERS, 0..marks.num_opaque);
        pass.set_pipeline(&self.blended);
        pass.draw(0..CORNERS, marks.num_opaque..marks.num);
    }
}

impl MarksOnCard {
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, GpuError> {
        Ok(Self { instances: Refilled::new(gpu, "marks")?, num_opaque: 0, num: 0 })
    }

    /// Takes over a frame's marks, seen through a camera; `nearer` is taken off their clip depth.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        marks: &Marks,
        clip_from_model: &Mat4,
        nearer: f32,
    ) -> Result<(), GpuError> {
        let (instances, num_opaque) = sorted(marks, clip_from_model, nearer);
        self.instances.fill(gpu, &instances)?;
        (self.num_opaque, self.num) = (num_opaque as u32, instances.len() as u32);
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.num == 0
    }
}

/// Instances in the order of drawing, and how many of them are opaque.
fn sorted(marks: &Marks, clip_from_model: &Mat4, nearer: f32) -> (Vec<MarkInstance>, usize) {
    let depth = |places: &[Vec3]| {
        let of = |place: &Vec3| clip_from_model.project_point3(*place).z;
        places.iter().map(of).sum::<f32>() / places.len() as f32
    };
    let facets = marks.facets.iter().map(|f| (depth(&f.corners), facet_instance(f)));
    let lines = marks.lines.iter().map(|l| (depth(&l.ends), line_instance(l)));
    let discs = marks.discs.iter().map(|d| (depth(&[d.center]), disc_instance(d)));
    let mut all: Vec<(f32, MarkInstance)> = facets.chain(lines).chain(discs).collect();
    all.retain(|(depth, mark)| {
        let is_place = mark.a.is_finite() && mark.b.is_finite() && mark.c.is_finite();
        depth.is_finite() && is_place && mark.color.w > 0.0
    });
    for (_, mark) in &mut all {
        mark.color.w = mark.color.w.min(1.0);
        mark.c.w = nearer;
    }
    let is_opaque = |mark: &MarkInstance| mark.color.w >= OPAQUE;
    // Stable: marks of one depth stay in the order in which they were given.
    all.sort_by(|(depth_a, a), (depth_b, b)| {
        is_opaque(b).cmp(&is_opaque(a)).then(depth_b.total_cmp(depth_a))
    });
    let num_opaque = all.iter().filter(|(_, mark)| is_opaque(mark)).count();
    (all.into_iter().map(|(_, mark)| mark).collect(), num_opaque)
}

fn line_instance(line: &Line) -> MarkInstance {
    let half_px = 0.5 * line.width_px.max(0.0);
    MarkInstance {
        a: line.ends[0].extend(half_px),
        b: line.ends[1].extend(LINE),
        c: Vec4::ZERO,
        color: Vec4::from_array(line.color),
    }
}

fn disc_instance(disc: &Disc) -> MarkInstance {
    MarkInstance {
        a: disc.center.extend(disc.radius_px.max(0.0)),
        b: Vec3::ZERO.extend(DISC),
        c: Vec4::ZERO,
        color: Vec4::from_array(disc.color),
    }
}

fn facet_instance(facet: &Facet) -> MarkInstance {
    let [a, b, c] = facet.corners;
    MarkInstance {
        a: a.extend(0.0),
        b: b.extend(FACET),
        c: c.extend(0.0),
        color: Vec4::from_array(facet.color),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(z: f32, opacity: f32) -> Disc {
        Disc { center: Vec3::new(0.0, 0.0, z), color: [1.0, 0.0, 0.0, opacity], radius_px: 3.0 }
    }

    #[test]
    fn opaque_marks_come_first_and_both_kinds_far_to_near() {
        let discs = vec![disc(0.2, 0.5), disc(0.1, 1.0), disc(0.9, 0.5), disc(0.7, 1.0)];
        let marks = Marks { discs, ..Marks::default() };
        let (instances, num_opaque) = sorted(&marks, &Mat4::IDENTITY, 0.0);
        let depths: Vec<f32> = instances.iter().map(|mark| mark.a.z).collect();
        assert_eq!((depths, num_opaque), (vec![0.7, 0.1, 0.9, 0.2], 2));
    }

    #[test]
    fn what_is_no_place_or_not_seen_is_left_out() {
        let mut marks =
            Marks { discs: vec![disc(f32::NAN, 1.0), disc(0.5, 0.0)], ..Marks::default() };
        let ends = [Vec3::ZERO, Vec3::splat(f32::INFINITY)];
        marks.lines.push(Line { ends, color: [1.0; 4], width_px: 2.0 });
        assert!(sorted(&marks, &Mat4::IDENTITY, 0.0).0.is_empty());
    }
}
