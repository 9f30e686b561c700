//! Scenes that pictures and picking are tested on.

// Clippy does not see that these are tests: their harness is not the compiler's.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use sinew::frame::{Controls, Plan, Rig};
use sinew::glam::{Vec2, Vec3};
use sinew::mesh::Aabb;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::SkinMethod;
use sinew_gpu::{Gpu, wgpu};
use sinew_view::camera::{Camera, Size};
use sinew_view::scene::{
    AlphaMode, Disc, Facet, Line, Marks, Material, Overlay, Paint, Ramp, Scene, SurfaceShape,
    Texture, Wireframe,
};
use sinew_view::stage::Stage;

/// Where in its clip a sample is looked at: well away from rest.
const SHARE_OF_CLIP: f64 = 0.3;

/// A sample in the middle of its clip, on its ground.
pub(crate) fn posed(kind: SampleKind, size: Size) -> Scene {
    let character = build(&SampleOptions::new(kind)).unwrap();
    let clip = &character.clips[0];
    let pose = clip.pose_at(&character.skeleton, SHARE_OF_CLIP * clip.duration_seconds());
    let character = Arc::new(character);
    let plan = Plan::bind(&character, &Rig::of(SkinMethod::DualQuat), &Silent).unwrap();
    let mut frame = plan.frame();
    plan.run(&Controls::posed(&character, pose), &mut plan.scratch(), &mut frame);
    Stage::bind(&character).scene(&frame, size.aspect())
}

/// Two surfaces, one partly behind the other: a textured cylinder and a heat-painted box with
/// wires.
pub(crate) fn two_surfaces(size: Size) -> Scene {
    let mut scene = posed(SampleKind::Cylinder, size);
    let mut other = posed(SampleKind::Box, size).surfaces.remove(0);
    for position in Arc::make_mut(&mut other.positions) {
        *position += Vec3::new(0.0, 0.15, -0.3);
    }
    other.paint = Paint::Heat {
        values: (0..other.positions.len()).map(|point| (point % 97) as f32 / 96.0).collect(),
        ramp: Ramp { stops: vec![Vec3::new(0.02, 0.05, 0.4), Vec3::new(0.9, 0.8, 0.1), Vec3::X] },
    };
    other.wireframe = Some(Wireframe { color: Vec3::splat(0.02), opacity: 0.8, width_px: 1.2 });
    let first = &mut scene.surfaces[0];
    first.shape = Arc::new(textured(&first.shape));
    scene.surfaces.push(other);
    frame(&mut scene, size);
    scene
}

/// The same with a colour a point in place of heat.
pub(crate) fn colored(size: Size) -> Scene {
    let mut scene = two_surfaces(size);
    let surface = &mut scene.surfaces[1];
    let color = |point: usize| sinew_view::influences::joint_color(point as u32 / 40);
    surface.paint = Paint::Colors((0..surface.positions.len()).map(color).collect());
    scene
}

/// Checks on the lower two thirds, one colour on the next sixth, clay above.
fn textured(shape: &SurfaceShape) -> SurfaceShape {
    let mut shape = shape.clone();
    let check = |pixel: u32| {
        if (pixel % 8 + pixel / 8).is_multiple_of(2) {
            [40, 90, 160, 255]
        } else {
            [235, 230, 220, 255]
        }
    };
    let texture = Texture { width: 8, height: 8, rgba: (0..64).map(check).collect() };
    let checked = Material { texture: Some(Arc::new(texture)), ..Material::default() };
    let plain = Material { base_color: Vec3::new(0.7, 0.2, 0.1), ..Material::default() };
    let num = shape.triangles.len() as u32;
    if shape.uvs.is_empty() {
        shape.uvs = vec![Vec2::ZERO; shape.point_of_vertex.len()];
    }
    shape.materials =
        vec![(0..2 * num / 3, Arc::new(checked)), (2 * num / 3..5 * num / 6, Arc::new(plain))];
    shape
}

/// A veil with holes before a bumpy box, and a mask with holes below: every kind of material.
pub(crate) fn materials(size: Size) -> Scene {
    const SIDE: i32 = 32;
    let image = |texel: &dyn Fn(Vec2) -> [u8; 4]| {
        let half = |at: i32| (at as f32 + 0.5) / (0.5 * SIDE as f32) - 1.0;
        let place = |index: i32| Vec2::new(half(index % SIDE), half(index / SIDE));
        let rgba = (0..SIDE * SIDE).map(|index| texel(place(index))).collect();
        Arc::new(Texture { width: SIDE as u32, height: SIDE as u32, rgba })
    };
    let ring = |at: Vec2| {
        let opacity = (2.0 - 3.0 * (at.length() - 0.6).abs() / 0.4).clamp(0.0, 1.0);
        [210, 120, 60, (255.0 * opacity) as u8]
    };
    let rivet = |at: Vec2| {
        let slope = if at.length() < 0.6 { at } else { Vec2::ZERO };
        let n = Vec3::new(slope.x, -slope.y, 0.6).normalize();
        [n.x, n.y, n.z, 1.0].map(|c| (127.5 + 127.5 * c).round() as u8)
    };
    let bumpy = Material { normal_map: Some((image(&rivet), 0.8)), ..Material::default() };
    let veil = Material {
        texture: Some(image(&ring)),
        alpha: AlphaMode::Blend,
        is_two_sided: true,
        ..Material::default()
    };
    let mask = Material { alpha: AlphaMode::Mask { cutoff: 0.5 }, ..veil.clone() };
    let glass = Material { texture: None, opacity: 0.4, ..veil.clone() };
    let mut scene = posed(SampleKind::Box, size);
    let inner = scene.surfaces.remove(0);
    for (grown, materials) in [(1.0, vec![bumpy]), (1.6, vec![mask, glass, veil])] {
        let mut surface = inner.clone();
        let middle = Aabb::around(inner.positions.iter().copied()).center();
        for position in Arc::make_mut(&mut surface.positions) {
            *position = middle + grown * (*position - middle);
        }
        let mut shape = (*inner.shape).clone();
        for uv in &mut shape.uvs {
            *uv *= 3.0;
        }
        let (num, each) = (shape.triangles.len() as u32, materials.len() as u32);
        let runs = materials.into_iter().zip(0..).map(|(material, index)| {
            (num * index / each..num * (index + 1) / each, Arc::new(material))
        });
        shape.materials = runs.collect();
        surface.shape = Arc::new(shape);
        scene.surfaces.push(surface);
    }
    frame(&mut scene, size);
    scene
}

/// A surface that is cut open towards the viewer, so that its inside is seen.
pub(crate) fn cut_open(size: Size) -> Scene {
    let mut scene = posed(SampleKind::Arm, size);
    let toward = scene.camera.eye() - scene.bounds().center();
    let middle = scene.bounds().center();
    let surface = &mut scene.surfaces[0];
    let whole = surface.shape.clone();
    let is_behind = |vertex: u32| {
        let point = whole.point_of_vertex[vertex as usize];
        (surface.positions[point as usize] - middle).dot(toward) < 0.0
    };
    let mut shape = (*whole).clone();
    shape.triangles.retain(|triangle| triangle.iter().all(|&vertex| is_behind(vertex)));
    surface.shape = Arc::new(shape);
    scene
}

/// Every kind of mark, among the surface and in front of it.
pub(crate) fn with_marks(size: Size) -> Scene {
    let mut scene = posed(SampleKind::Chibi, size);
    let bounds = scene.bounds();
    let at = |x: f32, y: f32, z: f32| bounds.min + Vec3::new(x, y, z) * bounds.size();
    let bone = |from: Vec3, to: Vec3| {
        let corner =
            move |turn: f32| from.lerp(to, 0.2) + 0.03 * Vec3::new(turn.cos(), 0.0, turn.sin());
        (0..4).flat_map(move |side| {
            let ring = [corner(1.6 * side as f32), corner(1.6 * (side + 1) as f32)];
            [[from, ring[1], ring[0]], [to, ring[0], ring[1]]]
        })
    };
    let facet = |corners: [Vec3; 3]| Facet { corners, color: [0.85, 0.45, 0.08, 1.0] };
    let line = |a, b, color, width_px| Line { ends: [a, b], color, width_px };
    let disc = |center, color, radius_px| Disc { center, color, radius_px };
    let among = Marks {
        lines: vec![
            line(at(-0.2, 0.1, 0.5), at(1.2, 0.9, 0.5), [0.8, 0.05, 0.05, 1.0], 5.0),
            line(at(-0.2, 0.9, 0.5), at(1.2, 0.1, 0.5), [0.05, 0.3, 0.05, 0.5], 3.0),
            line(at(-0.1, 1.05, 0.5), at(1.1, 1.05, 0.5), [0.02, 0.02, 0.02, 1.0], 1.0),
        ],
        discs: vec![disc(at(0.2, 0.45, 1.0), [0.05, 0.1, 0.6, 1.0], 9.0)],
        facets: vec![Facet {
            corners: [at(-0.2, 0.0, 0.5), at(1.2, 0.0, 0.5), at(0.5, 0.5, 1.5)],
            color: [0.1, 0.4, 0.5, 0.4],
        }],
    };
    let in_front = Marks {
        lines: vec![line(at(0.1, 0.2, 0.5), at(0.6, 0.95, 0.5), [0.02, 0.02, 0.02, 1.0], 4.0)],
        discs: vec![
            disc(at(0.5, 0.1, 0.5), [0.9, 0.9, 0.9, 1.0], 5.0),
            disc(at(0.5, 0.5, 0.5), [0.9, 0.9, 0.9, 0.6], 7.0),
        ],
        facets: bone(at(0.5, 0.1, 0.5), at(0.5, 0.5, 0.5))
            .chain(bone(at(0.5, 0.5, 0.5), at(0.5, 0.9, 0.5)))
            .map(facet)
            .collect(),
    };
    scene.overlay = Overlay { among, in_front, front_opacity: 0.8 };
    scene
}

/// Looks at all of a scene, from where it was looked at.
pub(crate) fn frame(scene: &mut Scene, size: Size) {
    let Camera { yaw_radians, pitch_radians, .. } = scene.camera;
    scene.camera = Camera::around(&scene.bounds(), yaw_radians, pitch_radians, size.aspect());
}

/// A storage buffer of rows, as a compute pass would have written it.
pub(crate) fn rows_on_card(gpu: &Gpu, vectors: &[Vec3]) -> wgpu::Buffer {
    let rows: Vec<[u8; 16]> = vectors
        .iter()
        .map(|v| {
            let mut row = [0; 16];
            for (bytes, value) in row.chunks_exact_mut(4).zip([v.x, v.y, v.z, 7.0]) {
                bytes.copy_from_slice(&value.to_le_bytes());
            }
            row
        })
        .collect();
    bytes_on_card(gpu, rows.as_flattened())
}

/// A storage buffer.
pub(crate) fn bytes_on_card(gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: Some("somebody else's"),
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytes);
    buffer
}
