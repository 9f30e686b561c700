//! Facts about whole pictures and picking buffers.

use std::sync::Arc;

use glam::{UVec2, Vec2, Vec3};
use sinew::mesh::Aabb;

use super::{draw, draw_quick, pick};
use crate::camera::{Camera, Size};
use crate::look::Look;
use crate::pick::{PixelRect, along, refined};
use crate::picture::Picture;
use crate::scene::{
    AlphaMode, Disc, Facet, Ground, Line, Material, Overlay, Paint, Ramp, Scene, Surface,
    SurfaceShape, Texture, Wireframe,
};

const SIZE: Size = Size { width: 70, height: 50 };

/// Two sides' worth of rounding in sRGB bytes.
const BYTE_TOLERANCE: i32 = 2;

/// A sphere of quads cut in two, of radius one.
fn sphere(paint: Paint) -> Surface {
    let (rings, spokes) = (12_u32, 24_u32);
    let mut positions = Vec::new();
    for ring in 0..=rings {
        for spoke in 0..spokes {
            let (up, across) = (std::f32::consts::PI * ring as f32 / rings as f32).sin_cos();
            let (x, z) = (std::f32::consts::TAU * spoke as f32 / spokes as f32).sin_cos();
            positions.push(Vec3::new(up * x, across, up * z));
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for spoke in 0..spokes {
            let at = |ring: u32, spoke: u32| ring * spokes + spoke % spokes;
            let [a, b] = [at(ring, spoke), at(ring, spoke + 1)];
            let [c, d] = [at(ring + 1, spoke), at(ring + 1, spoke + 1)];
            triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    let shape = SurfaceShape {
        num_points: positions.len(),
        point_of_vertex: (0..positions.len() as u32).collect(),
        triangles,
        uvs: Vec::new(),
        materials: Vec::new(),
    };
    Surface {
        shape: Arc::new(shape),
        normals: Arc::new(positions.clone()),
        positions: Arc::new(positions),
        paint,
        wireframe: None,
        is_shown: true,
    }
}

fn scene(surfaces: Vec<Surface>) -> Scene {
    let bounds = Aabb::around([-Vec3::ONE, Vec3::ONE]);
    Scene {
        camera: Camera::around(&bounds, 0.4, 0.2, SIZE.aspect()),
        look: Look::default(),
        surfaces,
        overlay: Overlay::default(),
        ground: Some(Ground { y: -1.0, center: Vec2::ZERO, radius: 5.0 }),
    }
}

fn middle(picture: &Picture) -> [i32; 3] {
    let size = picture.size();
    let index = (size.height / 2 * size.width + size.width / 2) as usize;
    let [r, g, b, _] = picture.pixels()[index].map(i32::from);
    [r, g, b]
}

#[test]
fn a_picture_is_the_same_with_any_number_of_threads() {
    let scene = scene(vec![sphere(Paint::Material)]);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (draw(&scene, SIZE), pick(&scene, SIZE, PixelRect::whole(SIZE))))
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.0, three.0);
    assert_eq!(one.1, three.1);
}

/// Between a picture of sixteen samples a pixel and one of four, over all channels: what a step of
/// a quarter at the edge of a sphere comes to.
const QUICK_TOLERANCE: f64 = 1.0;

#[test]
fn a_quick_picture_shows_the_same_but_for_its_edges() {
    let scene = scene(vec![sphere(Paint::Material)]);
    let (fine, quick) = (draw(&scene, SIZE), draw_quick(&scene, SIZE));
    assert_eq!(middle(&fine), middle(&quick));
    assert_ne!(fine, quick);
    let channels = |picture: &Picture| picture.pixels().as_flattened().to_vec();
    let (fine, quick) = (channels(&fine), channels(&quick));
    let apart: f64 = fine.iter().zip(&quick).map(|(a, b)| f64::from(a.abs_diff(*b))).sum();
    assert!(apart / fine.len() as f64 <= QUICK_TOLERANCE, "{}", apart / fine.len() as f64);
}

#[test]
fn nothing_panics_on_what_is_no_number_or_not_there() {
    let mut bad = sphere(Paint::Heat {
        values: vec![f32::NAN; 3],
        ramp: Ramp { stops: vec![Vec3::X, Vec3::Y] },
    });
    for (index, position) in Arc::make_mut(&mut bad.positions).iter_mut().enumerate().step_by(5) {
        *position = [Vec3::NAN, Vec3::INFINITY, Vec3::splat(1e38), Vec3::ZERO][index / 5 % 4];
    }
    Arc::make_mut(&mut bad.normals).truncate(10);
    Arc::make_mut(&mut bad.positions).truncate(250);
    let mut scene = scene(vec![bad]);
    let line = |b: Vec3| Line { ends: [Vec3::ZERO, b], color: [1.0; 4], width_px: 1.0 };
    scene.overlay.among.lines = vec![line(Vec3::NAN), line(Vec3::ZERO), line(Vec3::splat(1e30))];
    scene.overlay.in_front.discs =
        vec![Disc { center: Vec3::INFINITY, color: [1.0; 4], radius_px: f32::NAN }];
    scene.overlay.in_front.facets =
        vec![Facet { corners: [Vec3::NAN, Vec3::X, Vec3::Y], color: [f32::NAN; 4] }];
    for size in [SIZE, Size { width: 0, height: 9 }, Size { width: 1, height: 1 }] {
        assert_eq!(draw(&scene, size).size(), size);
        pick(&scene, size, PixelRect::whole(size));
    }
    scene.camera.distance = f32::NAN;
    draw(&scene, SIZE);
    scene.surfaces.clear();
    draw(&scene, SIZE);
}

#[test]
fn a_camera_inside_of_a_surface_sees_its_back_faces() {
    let mut scene = scene(vec![sphere(Paint::Flat(Vec3::ONE))]);
    scene.camera.distance = 0.2;
    scene.camera.depth_range = (0.01, 10.0);
    let buffer = pick(&scene, SIZE, PixelRect::whole(SIZE));
    assert!(buffer.picks().iter().all(Option::is_some));
}

#[test]
fn an_empty_scene_is_background_from_top_to_bottom() {
    let picture = draw(&scene(Vec::new()), SIZE);
    let look = Look::default();
    let byte = |c: f32| (c * 255.0).round() as i32;
    for (row, expected) in [(0, look.background_top), (49, look.background_bottom)] {
        let found = picture.pixels()[row * 70].map(i32::from);
        for channel in 0..3 {
            assert!((found[channel] - byte(expected[channel])).abs() <= BYTE_TOLERANCE);
        }
    }
}

#[test]
fn a_pick_names_the_place_that_its_pixels_ray_meets() {
    let scene = scene(vec![sphere(Paint::Material)]);
    let buffer = pick(&scene, SIZE, PixelRect::whole(SIZE));
    let mut covered = 0;
    for y in 0..SIZE.height {
        for x in 0..SIZE.width {
            let Some(found) = buffer.at(UVec2::new(x, y)) else { continue };
            covered += 1;
            let ray = scene.camera.ray(Vec2::new(x as f32 + 0.5, y as f32 + 0.5), SIZE).normalize();
            let seen = (found.position - scene.camera.eye()).normalize();
            assert!(ray.distance(seen) < 2e-4, "at {x}, {y}: {ray} and {seen}");
            assert!(found.normal.dot(found.position.normalize()) > 0.99);
            assert!((found.barycentrics.element_sum() - 1.0).abs() < 1e-5);
            let clip = scene.camera.clip_from_model(SIZE.aspect()).project_point3(found.position);
            assert!((clip.z - found.depth).abs() < 1e-4);
        }
    }
    // A ball's outline, in pixels at the middle of the picture; its facets take a little off.
    let radius_px = 25.0 * (1.0 / scene.camera.distance).asin().tan()
        / (0.5 * scene.camera.field_of_view_radians).tan();
    let share = covered as f32 / (std::f32::consts::PI * radius_px * radius_px);
    assert!((0.95..1.0).contains(&share), "{share} of the ball");
}

#[test]
fn a_rectangle_of_a_picking_buffer_is_that_part_of_the_whole() {
    let scene = scene(vec![sphere(Paint::Material)]);
    let whole = pick(&scene, SIZE, PixelRect::whole(SIZE));
    let rect = PixelRect { origin: UVec2::new(21, 9), size: UVec2::new(37, 500) };
    let part = pick(&scene, SIZE, rect);
    assert_eq!(part.rect().size, UVec2::new(37, 41));
    for y in 9..50 {
        for x in 21..58 {
            assert_eq!(part.at(UVec2::new(x, y)), whole.at(UVec2::new(x, y)));
        }
    }
    assert_eq!(
        pick(&scene, SIZE, PixelRect { origin: UVec2::splat(900), size: UVec2::ONE }).picks().len(),
        0
    );
}

#[test]
fn a_stroke_of_500_places_over_a_sphere_is_answered_without_a_gap() {
    let scene = scene(vec![sphere(Paint::Material)]);
    let stroke = refined(&[Vec2::new(25.0, 20.0), Vec2::new(45.0, 30.0)], 0.04);
    assert!(stroke.len() >= 500);
    let buffer = pick(&scene, SIZE, PixelRect::around(&stroke, SIZE));
    assert!(along(&buffer, &stroke).iter().all(Option::is_some));
}

#[test]
fn heat_takes_its_colour_from_the_ramp_and_materials_from_their_texture() {
    let mut heat = sphere(Paint::Heat {
        values: vec![1.0; 1000],
        ramp: Ramp { stops: vec![Vec3::X, Vec3::Y] },
    });
    let [r, g, _] = middle(&draw(&scene(vec![heat.clone()]), SIZE));
    assert!(g > r + 60, "green at the ramp's end: {r}, {g}");

    let texture = Texture { width: 1, height: 1, rgba: vec![[0, 0, 255, 255]] };
    let material = Material { texture: Some(Arc::new(texture)), ..Material::default() };
    let mut shape = (*heat.shape).clone();
    shape.materials = vec![(0..u32::MAX, Arc::new(material))];
    heat.shape = Arc::new(shape);
    heat.paint = Paint::Material;
    let [r, _, b] = middle(&draw(&scene(vec![heat]), SIZE));
    assert!(b > r + 60, "blue of the texture: {r}, {b}");
}

/// A sphere before another one, with a material of one opacity.
fn before_red(alpha: AlphaMode, opacity: f32) -> [i32; 3] {
    let mut near = sphere(Paint::Material);
    let material = Material { base_color: Vec3::Y, opacity, alpha, ..Material::default() };
    let mut shape = (*near.shape).clone();
    shape.materials = vec![(0..u32::MAX, Arc::new(material))];
    near.shape = Arc::new(shape);
    let mut red = sphere(Paint::Flat(Vec3::X));
    for position in Arc::make_mut(&mut red.positions) {
        *position *= 0.5;
    }
    middle(&draw(&scene(vec![near, red]), SIZE))
}

#[test]
fn a_mask_is_there_or_not_and_a_veil_shows_what_is_behind_it() {
    let mask = AlphaMode::Mask { cutoff: 0.5 };
    let is_green = |[r, g, _]: [i32; 3]| g > r + 60;
    let is_red = |[r, g, _]: [i32; 3]| r > g + 60;
    assert!(is_green(before_red(AlphaMode::Opaque, 0.1)), "opacity means nothing");
    assert!(is_green(before_red(mask, 0.6)) && is_red(before_red(mask, 0.4)));
    assert!(
        is_green(before_red(AlphaMode::Blend, 0.95)) && is_red(before_red(AlphaMode::Blend, 0.01))
    );
    let [r, g, _] = before_red(AlphaMode::Blend, 0.5);
    assert!(r > 60 && g > 60, "both are seen: {r}, {g}");
    let [less, more, _] = before_red(AlphaMode::Blend, 0.8);
    assert!(less < r && more > g, "{less} {r}, {more} {g}");
}

#[test]
fn a_hidden_surface_is_neither_drawn_nor_picked_and_keeps_its_place() {
    let mut near = sphere(Paint::Flat(Vec3::Y));
    near.is_shown = false;
    let mut red = sphere(Paint::Flat(Vec3::X));
    for position in Arc::make_mut(&mut red.positions) {
        *position *= 0.5;
    }
    let scene = scene(vec![near, red]);
    let [r, g, _] = middle(&draw(&scene, SIZE));
    assert!(r > g + 60, "{r} {g}");
    let picked = pick(&scene, SIZE, PixelRect::whole(SIZE));
    let at = UVec2::new(SIZE.width / 2, SIZE.height / 2);
    assert_eq!(picked.at(at).map(|pick| pick.surface), Some(1));
}

#[test]
fn a_normal_map_turns_the_light_as_a_turned_surface_would() {
    // A square that faces the viewer, u to the right and v down.
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let square = |texel: Option<[u8; 4]>, normal: Vec3| {
        let positions: Vec<Vec3> = corners.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
        let uvs = corners.map(|(x, y)| Vec2::new(0.5 + 0.5 * x, 0.5 - 0.5 * y)).to_vec();
        let map = texel.map(|texel| Texture { width: 1, height: 1, rgba: vec![texel] });
        let material = Material {
            base_color: Vec3::splat(0.5),
            normal_map: map.map(|map| (Arc::new(map), 1.0)),
            ..Material::default()
        };
        let shape = SurfaceShape {
            num_points: 4,
            point_of_vertex: (0..4).collect(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            uvs,
            materials: vec![(0..2, Arc::new(material))],
        };
        let surface = Surface {
            shape: Arc::new(shape),
            normals: Arc::new(vec![normal; 4]),
            positions: Arc::new(positions),
            paint: Paint::Material,
            wireframe: None,
            is_shown: true,
        };
        middle(&draw(&scene(vec![surface]), SIZE))
    };
    let flat = square(None, Vec3::Z);
    assert_eq!(square(Some([128, 128, 255, 255]), Vec3::Z).map(|c| c / 4), flat.map(|c| c / 4));
    for toward in [Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8), Vec3::new(-0.36, -0.48, 0.8)]
    {
        let [r, g, b] = toward.to_array().map(|c| (127.5 + 127.5 * c).round() as u8);
        let (mapped, turned) = (square(Some([r, g, b, 255]), Vec3::Z), square(None, toward));
        let apart = (0..3).map(|c| (mapped[c] - turned[c]).abs()).max().unwrap();
        assert!(apart <= 3, "{toward}: {mapped:?} {turned:?}");
        assert!((turned[0] - flat[0]).abs() > 8, "{toward}: {turned:?} {flat:?}");
    }
}

#[test]
fn marks_among_surfaces_hide_behind_them_and_marks_in_front_do_not() {
    let disc = |center: Vec3| Disc { center, color: [1.0, 0.0, 0.0, 1.0], radius_px: 6.0 };
    let red = |change: &dyn Fn(&mut Scene)| {
        let mut scene = scene(vec![sphere(Paint::Flat(Vec3::splat(0.2)))]);
        change(&mut scene);
        let [r, g, _] = middle(&draw(&scene, SIZE));
        r - g
    };
    assert!(red(&|s| s.overlay.among.discs = vec![disc(Vec3::ZERO)]) < 30);
    let before = scene(Vec::new()).camera.eye() * 0.5;
    assert!(red(&|s| s.overlay.among.discs = vec![disc(before)]) > 200);
    assert!(red(&|s| s.overlay.in_front.discs = vec![disc(Vec3::ZERO)]) > 200);
    let half = red(&|s| {
        s.overlay.in_front.discs = vec![disc(Vec3::ZERO)];
        s.overlay.front_opacity = 0.5;
    });
    assert!((40..200).contains(&half), "{half}");
}

#[test]
fn translucent_marks_are_blended_from_far_to_near_in_whatever_order_they_come() {
    let eye = scene(Vec::new()).camera.eye();
    let disc = |at: f32, color: [f32; 3]| Disc {
        center: at * eye,
        color: [color[0], color[1], color[2], 0.7],
        radius_px: 8.0,
    };
    let (near, far) = (disc(0.4, [1.0, 0.0, 0.0]), disc(0.1, [0.0, 0.0, 1.0]));
    let drawn = |discs: Vec<Disc>| {
        let mut scene = scene(Vec::new());
        scene.overlay.in_front.discs = discs;
        draw(&scene, SIZE)
    };
    let picture = drawn(vec![near, far]);
    assert_eq!(picture, drawn(vec![far, near]));
    let [r, _, b] = middle(&picture);
    assert!(r > b + 60, "the nearer is red: {r}, {b}");
}

#[test]
fn a_line_covers_its_width_and_its_length() {
    let mut scene = scene(Vec::new());
    scene.ground = None;
    let background = draw(&scene, SIZE);
    let camera = scene.camera;
    // From the middle 20 pixels to the right, at the target's depth.
    let right = camera.view_from_model_rotation().inverse() * Vec3::X;
    let per_pixel = 2.0 * camera.distance * (0.5 * camera.field_of_view_radians).tan() / 50.0;
    let to = camera.target + 20.0 * per_pixel * right;
    scene.overlay.in_front.lines =
        vec![Line { ends: [camera.target, to], color: [0.0, 0.0, 0.0, 1.0], width_px: 3.0 }];
    let picture = draw(&scene, SIZE);
    let dark: f32 = picture
        .pixels()
        .iter()
        .zip(background.pixels())
        .map(|(a, b)| {
            1.0 - crate::color::linear_from_bytes([a[0]; 3]).x
                / crate::color::linear_from_bytes([b[0]; 3]).x
        })
        .sum();
    assert!((dark - 60.0).abs() < 2.0, "covers {dark} pixels");
}

#[test]
fn wires_darken_edges_and_leave_the_middles_of_large_triangles() {
    let size = Size { width: 4 * SIZE.width, height: 4 * SIZE.height };
    let mut surface = sphere(Paint::Flat(Vec3::ONE));
    let plain = draw(&scene(vec![surface.clone()]), size);
    surface.wireframe = Some(Wireframe { color: Vec3::ZERO, opacity: 1.0, width_px: 1.0 });
    let wired_scene = scene(vec![surface]);
    let wired = draw(&wired_scene, size);
    let darker = |a: &[u8; 4], b: &[u8; 4]| i32::from(a[1]) + 20 < i32::from(b[1]);
    let changed = wired.pixels().iter().zip(plain.pixels()).filter(|(a, b)| darker(a, b)).count();
    let buffer = pick(&wired_scene, size, PixelRect::whole(size));
    let covered = buffer.picks().iter().flatten().count();
    let share = changed as f32 / covered as f32;
    assert!((0.2..0.7).contains(&share), "{share} of the pixels are darker");
}

#[test]
fn what_stands_on_the_ground_darkens_it() {
    let mut scene = scene(vec![sphere(Paint::Material)]);
    let with = draw(&scene, SIZE);
    scene.ground = None;
    let without = draw(&scene, SIZE);
    let darkest = with
        .pixels()
        .iter()
        .zip(without.pixels())
        .map(|(a, b)| i32::from(b[1]) - i32::from(a[1]))
        .max();
    assert!(darkest.is_some_and(|d| d > 40), "{darkest:?}");
    assert!(with.pixels().iter().zip(without.pixels()).all(|(a, b)| a[1] <= b[1]));
}
