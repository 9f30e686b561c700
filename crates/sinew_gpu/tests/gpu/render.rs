//! Pictures against the rasteriser's: alike to the eye, and not alike where something is missing.

// Clippy does not see that these are tests: their harness is not the compiler's.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use sinew::conformance::{FixturePose, troupe};
use sinew::frame::{Controls, Normals, Plan, Rig};
use sinew::glam::{UVec2, Vec2, Vec3};
use sinew::mesh::Aabb;
use sinew::progress::Silent;
use sinew::sample::SampleKind;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_gpu::pick::Picker;
use sinew_gpu::render::{Renderer, SurfaceBuffers, SurfaceSource};
use sinew_gpu::{Gpu, GpuCharacter, wgpu};
use sinew_view::camera::Size;
use sinew_view::look::{Look, ShadowMap};
use sinew_view::perceptual::{Difference, Tolerance, compare};
use sinew_view::pick::PixelRect;
use sinew_view::picture::Picture;
use sinew_view::raster;
use sinew_view::scene::{AlphaMode, Marks, Material, Paint, Scene};
use sinew_view::stage::Stage;

use crate::{Test, scenes};

pub(crate) const TESTS: &[Test] = &[
    ("pictures_look_like_the_rasterisers", alike),
    ("a_picture_with_something_missing_does_not_look_alike", something_missing),
    ("any_size_of_picture_is_drawn", any_size),
    ("an_empty_scene_shows_its_background", empty),
    ("positions_that_are_no_numbers_leave_holes", no_numbers),
    ("a_second_frame_shows_what_it_was_given", second_frame),
    ("a_layer_in_front_does_not_stay_for_the_next_scene", no_stale_layer),
    ("positions_from_a_compute_buffer_look_like_the_scenes_own", from_buffers),
    ("a_character_on_the_card_is_drawn_and_picked_with_no_read_back", computed_on_the_card),
    ("a_callers_target_gets_the_same_colours", callers_target),
    ("shapes_and_textures_are_uploaded_once", uploaded_once),
    ("a_picture_larger_than_the_card_takes_is_an_error", too_large),
];

const SIZE: Size = Size { width: 256, height: 256 };

/// A quarter of the default look's maps: lavapipe blurs them on the CPU, and shadows are as well
/// tested with small ones.
fn with_small_shadows(mut scene: Scene) -> Scene {
    let look = Look::default();
    let smaller = |map: ShadowMap| ShadowMap {
        resolution: map.resolution / 4,
        blur_texels: map.blur_texels / 4.0,
        ..map
    };
    scene.look.key_shadow = smaller(look.key_shadow);
    scene.look.sky_shadow = smaller(look.sky_shadow);
    scene
}

fn renderer(gpu: &Gpu) -> Renderer {
    Renderer::new(gpu, wgpu::TextureFormat::Rgba8Unorm)
}

fn difference(a: &Picture, b: &Picture) -> Difference {
    compare(a, b).unwrap()
}

fn is_alike(difference: &Difference) -> bool {
    Tolerance::OTHER_RENDERER.accepts(difference)
}

fn alike(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    // One with the look as it comes.
    let mut scenes = vec![("human", scenes::posed(SampleKind::Human, SIZE))];
    let small = [
        ("cylinder", scenes::posed(SampleKind::Cylinder, SIZE)),
        ("chibi", scenes::posed(SampleKind::Chibi, SIZE)),
        ("two surfaces", scenes::two_surfaces(SIZE)),
        ("colours", scenes::colored(SIZE)),
        ("marks", scenes::with_marks(SIZE)),
        ("cut open", scenes::cut_open(SIZE)),
        ("materials", scenes::materials(SIZE)),
    ];
    scenes.extend(small.map(|(name, scene)| (name, with_small_shadows(scene))));
    for (name, scene) in &scenes {
        let found = renderer.picture(scene, SIZE).unwrap();
        let difference = difference(&found, &raster::draw(scene, SIZE));
        assert!(is_alike(&difference), "{name}: {difference:?}");
    }
}

fn change_material(scene: &mut Scene, (surface, run): (usize, usize), change: fn(&mut Material)) {
    let shape = Arc::make_mut(&mut scene.surfaces[surface].shape);
    change(Arc::make_mut(&mut shape.materials[run].1));
}

/// Every part of a picture is taken out of the rasteriser's in turn: a card that forgot it would
/// draw that.
fn something_missing(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    let marks = with_small_shadows(scenes::with_marks(SIZE));
    let two = with_small_shadows(scenes::two_surfaces(SIZE));
    let open = with_small_shadows(scenes::cut_open(SIZE));
    let colored = with_small_shadows(scenes::colored(SIZE));
    let materials = with_small_shadows(scenes::materials(SIZE));
    type Forget = fn(&mut Scene);
    let forget: [(&str, &Scene, Forget); 20] = [
        ("lines among", &marks, |scene| scene.overlay.among.lines.clear()),
        ("discs among", &marks, |scene| scene.overlay.among.discs.clear()),
        ("facets among", &marks, |scene| scene.overlay.among.facets.clear()),
        ("lines in front", &marks, |scene| scene.overlay.in_front.lines.clear()),
        ("facets in front", &marks, |scene| scene.overlay.in_front.facets.clear()),
        ("opacity of the layer", &marks, |scene| scene.overlay.front_opacity = 0.4),
        ("the ground's shadow", &marks, |scene| scene.ground = None),
        ("the sky's shadow", &marks, |scene| scene.look.occlusion = 0.0),
        ("wires", &two, |scene| scene.surfaces[1].wireframe = None),
        ("heat", &two, |scene| scene.surfaces[1].paint = Paint::Material),
        ("colours", &colored, |scene| scene.surfaces[1].paint = Paint::Material),
        ("materials", &two, |scene| scene.surfaces[0].paint = Paint::Flat(scene.look.clay)),
        ("a surface", &two, |scene| scene.surfaces[1].positions = Arc::default()),
        ("back faces", &open, |scene| scene.look.backface = 1.0),
        ("a hidden surface", &two, |scene| scene.surfaces[0].is_shown = false),
        ("bumps", &materials, |scene| {
            change_material(scene, (0, 0), |material| material.normal_map = None);
        }),
        ("a mask", &materials, |scene| {
            change_material(scene, (1, 0), |material| material.alpha = AlphaMode::Opaque);
        }),
        ("glass", &materials, |scene| {
            change_material(scene, (1, 1), |material| material.alpha = AlphaMode::Opaque);
        }),
        ("a veil", &materials, |scene| {
            change_material(scene, (1, 2), |material| {
                material.alpha = AlphaMode::Mask { cutoff: 0.02 };
            });
        }),
        ("two sides", &materials, |scene| {
            change_material(scene, (1, 0), |material| material.is_two_sided = false);
        }),
    ];
    let drawn = [&marks, &two, &open, &colored, &materials];
    let pictures = drawn.map(|scene| renderer.picture(scene, SIZE).unwrap());
    for (what, scene, forget) in forget {
        let mut without = scene.clone();
        forget(&mut without);
        let place = drawn.iter().position(|drawn| std::ptr::eq(*drawn, scene)).unwrap();
        let difference = difference(&pictures[place], &raster::draw(&without, SIZE));
        assert!(!is_alike(&difference), "without {what}: {difference:?}");
    }
    let mut lit = marks.clone();
    // So far away that no shadow falls on anything.
    lit.look.key_shadow.reach = 1e-6;
    let difference = difference(&pictures[0], &raster::draw(&lit, SIZE));
    assert!(!is_alike(&difference), "without the key's shadow: {difference:?}");
}

fn any_size(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    for (width, height) in [(1, 1), (257, 63), (3, 200), (64, 64)] {
        let size = Size { width, height };
        let scene = with_small_shadows(scenes::posed(SampleKind::Box, size));
        let found = renderer.picture(&scene, size).unwrap();
        assert_eq!(found.size(), size);
        let mean = mean_difference(&found, &raster::draw(&scene, size));
        // In a single pixel it is all edge, and four samples are not sixteen.
        let tolerance = if width * height == 1 { 20.0 } else { 2.0 };
        assert!(mean < tolerance, "{size:?}: {mean} of 255");
    }
    for (width, height) in [(0, 0), (0, 5), (5, 0)] {
        let size = Size { width, height };
        let scene = scenes::posed(SampleKind::Box, size);
        assert!(renderer.picture(&scene, size).unwrap().pixels().is_empty());
    }
}

/// Of a channel, of 255.
fn mean_difference(a: &Picture, b: &Picture) -> f64 {
    let of_pixel = |(a, b): (&[u8; 4], &[u8; 4])| {
        a.iter().zip(b).map(|(a, b)| f64::from(a.abs_diff(*b))).sum::<f64>()
    };
    let sum: f64 = a.pixels().iter().zip(b.pixels()).map(of_pixel).sum();
    sum / (4 * a.pixels().len()) as f64
}

fn empty(gpu: &Gpu) {
    let mut scene = with_small_shadows(scenes::posed(SampleKind::Box, SIZE));
    scene.surfaces.clear();
    let found = renderer(gpu).picture(&scene, SIZE).unwrap();
    let expected = raster::draw(&scene, SIZE);
    let worst = found
        .pixels()
        .iter()
        .zip(expected.pixels())
        .flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)));
    // Sixteen bits of a float and eight of a byte round differently by one.
    assert!(worst.max().unwrap() <= 1);
    assert!(found.pixels().iter().all(|pixel| pixel[3] == 255));
}

fn no_numbers(gpu: &Gpu) {
    let mut scene = with_small_shadows(scenes::posed(SampleKind::Chibi, SIZE));
    let whole = renderer(gpu).picture(&scene, SIZE).unwrap();
    let surface = &mut scene.surfaces[0];
    let num = surface.positions.len();
    for position in &mut Arc::make_mut(&mut surface.positions)[num / 3..num / 2] {
        *position = Vec3::new(f32::NAN, f32::INFINITY, 0.0);
    }
    for normal in &mut Arc::make_mut(&mut surface.normals)[..num / 8] {
        *normal = Vec3::NAN;
    }
    let found = renderer(gpu).picture(&scene, SIZE).unwrap();
    let with_holes = difference(&found, &raster::draw(&scene, SIZE));
    assert!(is_alike(&with_holes), "{with_holes:?}");
    assert!(!is_alike(&difference(&found, &whole)), "there are holes");
    Arc::make_mut(&mut scene.surfaces[0].positions).fill(Vec3::NAN);
    let found = renderer(gpu).picture(&scene, SIZE).unwrap();
    let nothing = difference(&found, &raster::draw(&scene, SIZE));
    assert!(is_alike(&nothing), "{nothing:?}");
}

fn second_frame(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    let first = with_small_shadows(scenes::posed(SampleKind::Human, SIZE));
    let mut second = first.clone();
    for position in Arc::make_mut(&mut second.surfaces[0].positions) {
        let bend = 0.4 * position.y;
        *position = Vec3::new(position.x + 0.5 * bend * bend, position.y, position.z);
    }
    second.surfaces[0].paint = Paint::Flat(Vec3::new(0.1, 0.3, 0.6));
    let mut on_card = renderer.upload(&first).unwrap();
    let first_picture = renderer.draw(&on_card, SIZE).unwrap();
    renderer.update(&mut on_card, &second, &[]).unwrap();
    let second_picture = renderer.draw(&on_card, SIZE).unwrap();
    assert!(!is_alike(&difference(&first_picture, &second_picture)));
    // Nothing of the first frame is left in the second.
    assert_eq!(second_picture, self::renderer(gpu).picture(&second, SIZE).unwrap());
    renderer.update(&mut on_card, &first, &[]).unwrap();
    assert_eq!(first_picture, renderer.draw(&on_card, SIZE).unwrap());
}

fn no_stale_layer(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    let with_layer = with_small_shadows(scenes::with_marks(SIZE));
    let mut without = with_layer.clone();
    without.overlay.in_front = Marks::default();
    let expected = renderer.picture(&without, SIZE).unwrap();
    assert_ne!(renderer.picture(&with_layer, SIZE).unwrap(), expected);
    assert_eq!(renderer.picture(&without, SIZE).unwrap(), expected);
}

fn from_buffers(gpu: &Gpu) {
    let mut renderer = renderer(gpu);
    let scene = with_small_shadows(scenes::posed(SampleKind::Chibi, SIZE));
    let expected = renderer.picture(&scene, SIZE).unwrap();
    let surface = &scene.surfaces[0];
    let positions = scenes::rows_on_card(gpu, &surface.positions);
    // Backwards, and looked up: as where several vertices share a normal.
    let backwards: Vec<Vec3> = surface.normals.iter().rev().copied().collect();
    let normals = scenes::rows_on_card(gpu, &backwards);
    let last = surface.normals.len() as u32 - 1;
    let of_vertex: Vec<[u8; 4]> = (0..=last).map(|vertex| (last - vertex).to_le_bytes()).collect();
    let normal_of_vertex = scenes::bytes_on_card(gpu, of_vertex.as_flattened());
    let buffers = SurfaceBuffers {
        positions: &positions,
        normals: &normals,
        normal_of_vertex: Some(&normal_of_vertex),
        bounds: scene.bounds(),
    };
    let mut without = scene.clone();
    (without.surfaces[0].positions, without.surfaces[0].normals) = (Arc::default(), Arc::default());
    let mut on_card = renderer.upload(&without).unwrap();
    assert_ne!(renderer.draw(&on_card, SIZE).unwrap(), expected);
    renderer.update(&mut on_card, &without, &[SurfaceSource::Buffer(buffers)]).unwrap();
    assert_eq!(renderer.draw(&on_card, SIZE).unwrap(), expected);
    // And back to the scene's own.
    renderer.update(&mut on_card, &scene, &[]).unwrap();
    assert_eq!(renderer.draw(&on_card, SIZE).unwrap(), expected);
}

fn computed_on_the_card(gpu: &Gpu) {
    let character = Arc::new(troupe().unwrap());
    let mut renderer = renderer(gpu);
    for rig in [
        Rig::of(SkinMethod::DualQuat),
        Rig::of_model(SpringModel::Anchored),
        Rig::of(SkinMethod::Linear).with_normals(Normals::Off),
    ] {
        let plan = Plan::bind(&character, &rig, &Silent).unwrap();
        let controls = Controls::posed(&character, FixturePose::Bent.of(&character));
        let mut on_card = GpuCharacter::new(gpu, &plan).unwrap();
        on_card.submit(&plan, &controls).unwrap();
        // The very same numbers, up to the CPU and down again.
        let mut frame = plan.frame();
        on_card.read(&mut frame).unwrap();
        let stage = Stage::bind(&character);
        let scene = with_small_shadows(stage.scene(&frame, SIZE.aspect()));
        let expected = renderer.picture(&scene, SIZE).unwrap();
        let without = with_small_shadows(stage.seen_elsewhere(scene.camera, &frame.bounds()));
        let mut uploaded = renderer.upload(&without).unwrap();
        // The same box too: the estimate has another share of the shadow map in it.
        let exact: Vec<SurfaceSource<'_>> = on_card
            .sources()
            .into_iter()
            .zip(frame.parts())
            .map(|(source, part)| match source {
                SurfaceSource::Scene => source,
                SurfaceSource::Buffer(buffers) => SurfaceSource::Buffer(SurfaceBuffers {
                    bounds: Aabb::around(part.points().iter().copied()),
                    ..buffers
                }),
            })
            .collect();
        renderer.update(&mut uploaded, &without, &exact).unwrap();
        assert_eq!(renderer.draw(&uploaded, SIZE).unwrap(), expected, "{}", rig.label());
        renderer.update(&mut uploaded, &without, &on_card.sources()).unwrap();
        let by_estimate = difference(&renderer.draw(&uploaded, SIZE).unwrap(), &expected);
        assert!(is_alike(&by_estimate), "{}: {by_estimate:?}", rig.label());
        // Another pose is another picture, without telling the renderer.
        on_card.submit(&plan, &Controls::rest(&character)).unwrap();
        let at_rest = difference(&renderer.draw(&uploaded, SIZE).unwrap(), &expected);
        assert!(!is_alike(&at_rest), "{}: {at_rest:?}", rig.label());
        // The picking buffer is of the same buffers.
        on_card.submit(&plan, &controls).unwrap();
        let whole = PixelRect { origin: UVec2::ZERO, size: UVec2::new(SIZE.width, SIZE.height) };
        let mut picker = Picker::new(&renderer);
        let found = picker.pick_rect(&uploaded, SIZE, whole).unwrap();
        let from_scene = renderer.upload(&scene).unwrap();
        let expected = picker.pick_rect(&from_scene, SIZE, whole).unwrap();
        assert_eq!(found.picks(), expected.picks(), "{}", rig.label());
        assert!(found.picks().iter().flatten().any(|pick| pick.surface == 3), "the floor is seen");
    }
}

fn callers_target(gpu: &Gpu) {
    let size = Size { width: 128, height: 64 };
    let scene = with_small_shadows(scenes::with_marks(size));
    let expected = renderer(gpu).picture(&scene, size).unwrap();
    for format in [wgpu::TextureFormat::Bgra8UnormSrgb, wgpu::TextureFormat::Bgra8Unorm] {
        let mut renderer = Renderer::new(gpu, format);
        let on_card = renderer.upload(&scene).unwrap();
        let extent = wgpu::Extent3d { width: 128, height: 64, depth_or_array_layers: 1 };
        let texture = gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: extent,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let staging = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 128 * 64 * 4,
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let view = texture.create_view(&Default::default());
        renderer.render_to(&mut encoder, &on_card, &view, size).unwrap();
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(512),
            rows_per_image: None,
        };
        let into = wgpu::TexelCopyBufferInfo { buffer: &staging, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), into, extent);
        gpu.queue().submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        gpu.device().poll(wgpu::PollType::wait_indefinitely()).unwrap();
        let bytes = staging.get_mapped_range(..).unwrap();
        let (pixels, _) = bytes.as_chunks::<4>();
        let pixels = pixels.iter().map(|&[b, g, r, a]| [r, g, b, a]).collect();
        let found = Picture::from_pixels(size, pixels);
        let mean = mean_difference(&found, &expected);
        // The card's own sRGB and ours round differently, here and there, by one.
        assert!(mean < 0.1, "{format:?}: {mean} of 255");
    }
}

fn uploaded_once(gpu: &Gpu) {
    let renderer = renderer(gpu);
    let mut scene = with_small_shadows(scenes::two_surfaces(SIZE));
    let mut on_card = renderer.upload(&scene).unwrap();
    assert_eq!(on_card.num_shapes_uploaded(), 2);
    Arc::make_mut(&mut scene.surfaces[0].positions)[0] += Vec3::X;
    renderer.update(&mut on_card, &scene, &[]).unwrap();
    // The same character twice, side by side: one shape.
    scene.surfaces.push(scene.surfaces[0].clone());
    renderer.update(&mut on_card, &scene, &[]).unwrap();
    scene.surfaces.swap(0, 1);
    renderer.update(&mut on_card, &scene, &[]).unwrap();
    assert_eq!(on_card.num_shapes_uploaded(), 2);
    let mut changed = (*scene.surfaces[0].shape).clone();
    changed.uvs.iter_mut().for_each(|uv| *uv += Vec2::X);
    scene.surfaces[0].shape = changed.into();
    renderer.update(&mut on_card, &scene, &[]).unwrap();
    assert_eq!(on_card.num_shapes_uploaded(), 3);
}

fn too_large(gpu: &Gpu) {
    let scene = with_small_shadows(scenes::posed(SampleKind::Box, SIZE));
    let size = Size { width: 100_000, height: 2 };
    let error = renderer(gpu).picture(&scene, size).unwrap_err().to_string();
    assert!(error.contains("100000 × 2") && error.contains("--device cpu"), "{error}");
}
