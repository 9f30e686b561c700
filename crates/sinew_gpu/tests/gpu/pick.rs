//! The picking buffer against the rasteriser's: the same triangle, at the same place.

// Clippy does not see that these are tests: their harness is not the compiler's.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use sinew::glam::{UVec2, Vec3};
use sinew::sample::SampleKind;
use sinew_gpu::Gpu;
use sinew_gpu::pick::Picker;
use sinew_gpu::render::{Renderer, SurfaceBuffers, SurfaceSource};
use sinew_gpu::wgpu;
use sinew_view::camera::Size;
use sinew_view::pick::{Pick, PickBuffer, PixelRect};
use sinew_view::raster;
use sinew_view::scene::Scene;

use crate::{Test, scenes};

pub(crate) const TESTS: &[Test] = &[
    ("both_back_ends_name_the_same_triangle_at_the_same_place", same_triangle_and_place),
    ("a_scene_moved_by_a_pixel_does_not_pass_for_the_same", moved_is_not_the_same),
    ("a_stroke_of_500_samples_is_one_read_back_and_says_what_the_rectangle_says", stroke),
    ("a_rectangle_of_more_than_a_read_back_is_answered_in_parts", in_parts),
    ("outside_of_the_picture_and_of_the_surfaces_there_is_nothing", nothing),
    ("a_triangle_with_a_corner_that_is_no_number_is_not_there", no_number),
    ("positions_that_never_were_on_the_cpu_are_picked", from_buffers),
];

/// Share of covered pixels where both must name the same triangle: the bound of the issue. Corners
/// are rounded to 1/256 pixel on both sides, but after transformations that may differ in the last
/// bit.
const SAME_TRIANGLE: f64 = 0.999;

/// Of a position, over the diagonal: the bound of the issue.
const POSITION: f32 = 1e-4;

/// Of a unit normal: shares of corners differ by f32 rounding, most where a surface is seen at a
/// grazing angle.
const NORMAL: f32 = 5e-3;

/// Of a depth, which changes by 1e-2 over a figure.
const DEPTH: f32 = 5e-5;

const SIZE: Size = Size { width: 400, height: 360 };

fn whole(size: Size) -> PixelRect {
    PixelRect { origin: UVec2::ZERO, size: UVec2::new(size.width, size.height) }
}

fn renderer(gpu: &Gpu) -> Renderer {
    Renderer::new(gpu, wgpu::TextureFormat::Rgba8Unorm)
}

fn on_card(gpu: &Gpu, scene: &Scene, size: Size, rect: PixelRect) -> PickBuffer {
    let renderer = renderer(gpu);
    let on_card = renderer.upload(scene).unwrap();
    Picker::new(&renderer).pick_rect(&on_card, size, rect).unwrap()
}

/// How two buffers agree, over what either covers.
#[derive(Debug, Default)]
struct Agreement {
    covered: usize,
    same: usize,
    position: f32,
    normal: f32,
    depth: f32,
}

impl Agreement {
    fn of(a: &[Option<Pick>], b: &[Option<Pick>], diagonal: f32) -> Self {
        assert_eq!(a.len(), b.len());
        let mut agreement = Self::default();
        for (a, b) in a.iter().zip(b) {
            agreement.covered += usize::from(a.is_some() || b.is_some());
            let (Some(a), Some(b)) = (a, b) else { continue };
            if (a.surface, a.triangle) == (b.surface, b.triangle) {
                let distance = a.position.distance(b.position) / diagonal;
                agreement.same += 1;
                agreement.position = agreement.position.max(distance);
                agreement.normal = agreement.normal.max(a.normal.distance(b.normal));
                agreement.depth = agreement.depth.max((a.depth - b.depth).abs());
                assert!((a.barycentrics.element_sum() - 1.0).abs() < 1e-5, "{a:?}");
                assert!(a.barycentrics.min_element() >= 0.0, "{a:?}");
            }
        }
        agreement
    }

    fn is_close(&self) -> bool {
        self.same as f64 >= SAME_TRIANGLE * self.covered as f64
            && self.position <= POSITION
            && self.normal <= NORMAL
            && self.depth <= DEPTH
    }
}

fn same_triangle_and_place(gpu: &Gpu) {
    let scenes = [
        ("cylinder", scenes::posed(SampleKind::Cylinder, SIZE)),
        ("human", scenes::posed(SampleKind::Human, SIZE)),
        ("chibi", scenes::posed(SampleKind::Chibi, SIZE)),
        ("two surfaces", scenes::two_surfaces(SIZE)),
    ];
    for (name, scene) in &scenes {
        let found = on_card(gpu, scene, SIZE, whole(SIZE));
        let expected = raster::pick(scene, SIZE, whole(SIZE));
        let agreement = Agreement::of(found.picks(), expected.picks(), scene.bounds().diagonal());
        assert!(agreement.covered > 10_000, "{name}: {agreement:?}");
        assert!(agreement.is_close(), "{name}: {agreement:?}");
        let num_seen = scene.surfaces.len();
        for surface in 0..num_seen as u32 {
            let is_seen = found.picks().iter().flatten().any(|pick| pick.surface == surface);
            assert!(is_seen, "{name}: surface {surface}");
        }
    }
}

fn moved_is_not_the_same(gpu: &Gpu) {
    let scene = scenes::posed(SampleKind::Human, SIZE);
    let mut moved = scene.clone();
    let pixel = scene.bounds().size().y / SIZE.height as f32;
    for position in Arc::make_mut(&mut moved.surfaces[0].positions) {
        position.x += pixel;
    }
    let found = on_card(gpu, &moved, SIZE, whole(SIZE));
    let expected = raster::pick(&scene, SIZE, whole(SIZE));
    let agreement = Agreement::of(found.picks(), expected.picks(), scene.bounds().diagonal());
    assert!(!agreement.is_close(), "{agreement:?}");
}

fn stroke(gpu: &Gpu) {
    let scene = scenes::two_surfaces(SIZE);
    let renderer = renderer(gpu);
    let on_card = renderer.upload(&scene).unwrap();
    let mut picker = Picker::new(&renderer);
    let rect = picker.pick_rect(&on_card, SIZE, whole(SIZE)).unwrap();
    // A wave from the left to the right edge and past it.
    let sample = |step: u32| {
        let (x, turn) = (step as f32 / 480.0, step as f32 * 0.05);
        let pixel = [x * SIZE.width as f32, (0.5 + 0.4 * turn.sin()) * SIZE.height as f32];
        UVec2::new(pixel[0] as u32, pixel[1] as u32)
    };
    let pixels: Vec<UVec2> = (0..500).map(sample).collect();
    let before = picker.num_read_backs();
    let picks = picker.pick_stroke(&on_card, SIZE, &pixels).unwrap();
    assert_eq!(picker.num_read_backs() - before, 1);
    assert_eq!(picks.len(), pixels.len());
    // Not waited for, with another question asked meanwhile: the same.
    let mut pending = picker.request_stroke(&on_card, SIZE, &pixels).unwrap();
    let beside = picker.request_stroke(&on_card, SIZE, &[UVec2::MAX]).unwrap();
    let mut num_polls = 0u64;
    while !pending.poll().unwrap() {
        num_polls += 1;
        assert!(num_polls < 10_000_000, "it arrives");
        std::thread::yield_now();
    }
    assert_eq!(pending.wait().unwrap(), picks);
    assert_eq!(beside.wait().unwrap(), [None]);
    let num_hits = picks.iter().flatten().count();
    assert!((50..480).contains(&num_hits), "{num_hits} hits");
    for (pixel, pick) in pixels.iter().zip(&picks) {
        assert_eq!(*pick, rect.at(*pixel), "{pixel}");
    }
}

fn in_parts(gpu: &Gpu) {
    let size = Size { width: 1100, height: 1000 };
    let scene = scenes::posed(SampleKind::Cylinder, size);
    let renderer = renderer(gpu);
    let on_card = renderer.upload(&scene).unwrap();
    let mut picker = Picker::new(&renderer);
    let found = picker.pick_rect(&on_card, size, whole(size)).unwrap();
    assert_eq!(picker.num_read_backs(), 2);
    let expected = raster::pick(&scene, size, whole(size));
    let agreement = Agreement::of(found.picks(), expected.picks(), scene.bounds().diagonal());
    assert!(agreement.covered > 100_000 && agreement.is_close(), "{agreement:?}");
}

fn nothing(gpu: &Gpu) {
    let scene = scenes::posed(SampleKind::Cylinder, SIZE);
    let renderer = renderer(gpu);
    let on_card = renderer.upload(&scene).unwrap();
    let mut picker = Picker::new(&renderer);
    let outside = [UVec2::new(SIZE.width, 3), UVec2::new(5, SIZE.height), UVec2::MAX];
    assert_eq!(picker.pick_stroke(&on_card, SIZE, &outside).unwrap(), [None; 3]);
    assert_eq!(picker.pick_stroke(&on_card, SIZE, &[]).unwrap(), []);
    // The corner has air; a rectangle past the edge is cut to the picture.
    let past = PixelRect { origin: UVec2::new(SIZE.width - 3, 0), size: UVec2::new(10, 2) };
    let found = picker.pick_rect(&on_card, SIZE, past).unwrap();
    assert_eq!(found.rect().size, UVec2::new(3, 2));
    assert!(found.picks().iter().all(Option::is_none));
    let beside = PixelRect { origin: UVec2::splat(9999), size: UVec2::ONE };
    assert!(picker.pick_rect(&on_card, SIZE, beside).unwrap().picks().is_empty());
    let mut empty = scene;
    empty.surfaces.clear();
    let on_card = renderer.upload(&empty).unwrap();
    let middle = [UVec2::new(SIZE.width / 2, SIZE.height / 2)];
    assert_eq!(picker.pick_stroke(&on_card, SIZE, &middle).unwrap(), [None]);
}

fn no_number(gpu: &Gpu) {
    let mut scene = scenes::posed(SampleKind::Cylinder, SIZE);
    let full = on_card(gpu, &scene, SIZE, whole(SIZE));
    let places: Vec<usize> =
        (0..full.picks().len()).filter(|&place| full.picks()[place].is_some()).collect();
    let place = places[places.len() / 2];
    let hit = full.picks()[place].unwrap();
    let surface = &mut scene.surfaces[0];
    let vertex = surface.shape.triangles[hit.triangle as usize][0];
    let point = surface.shape.point_of_vertex[vertex as usize];
    Arc::make_mut(&mut surface.positions)[point as usize] = Vec3::new(f32::NAN, 0.0, f32::INFINITY);
    let found = on_card(gpu, &scene, SIZE, whole(SIZE));
    let expected = raster::pick(&scene, SIZE, whole(SIZE));
    assert_ne!(found.picks()[place].map(|pick| pick.triangle), Some(hit.triangle));
    assert!(found.picks().iter().flatten().all(|pick| pick.position.is_finite()));
    let agreement = Agreement::of(found.picks(), expected.picks(), scene.bounds().diagonal());
    assert!(agreement.is_close(), "{agreement:?}");
}

fn from_buffers(gpu: &Gpu) {
    let scene = scenes::posed(SampleKind::Human, SIZE);
    let expected = raster::pick(&scene, SIZE, whole(SIZE));
    let surface = &scene.surfaces[0];
    let [positions, normals] =
        [&surface.positions, &surface.normals].map(|rows| scenes::rows_on_card(gpu, rows));
    let buffers = SurfaceBuffers {
        positions: &positions,
        normals: &normals,
        normal_of_vertex: None,
        bounds: scene.bounds(),
    };
    let mut without = scene.clone();
    (without.surfaces[0].positions, without.surfaces[0].normals) = (Arc::default(), Arc::default());
    let renderer = renderer(gpu);
    let mut on_card = renderer.upload(&without).unwrap();
    let mut picker = Picker::new(&renderer);
    let before = picker.pick_rect(&on_card, SIZE, whole(SIZE)).unwrap();
    assert!(before.picks().iter().all(Option::is_none), "nothing was given yet");
    renderer.update(&mut on_card, &without, &[SurfaceSource::Buffer(buffers)]).unwrap();
    let found = picker.pick_rect(&on_card, SIZE, whole(SIZE)).unwrap();
    let agreement = Agreement::of(found.picks(), expected.picks(), scene.bounds().diagonal());
    assert!(agreement.covered > 10_000 && agreement.is_close(), "{agreement:?}");
}
