//! What the golden images show.

use std::sync::{Arc, Mutex};

use glam::{DVec3, Vec2, Vec3};
use sinew::Character;
use sinew::attach::{AttachInput, AttachSettings, Attachments};
use sinew::frame::{Controls, Frame, Normals, Plan, Rig};
use sinew::mesh::Adjacency;
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_view::camera::Size;
use sinew_view::heat::{self, StretchOf};
use sinew_view::overlay::{self, AttachmentStyle, BoneStyle, CageStyle};
use sinew_view::picture::Picture;
use sinew_view::scene::{AlphaMode, Material, Scene, SurfaceShape, Texture, Wireframe};
use sinew_view::stage::Stage;
use sinew_view::{legend, raster};

const SIZE: Size = Size { width: 128, height: 128 };

/// One picture.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) draw: fn() -> Picture,
}

pub(crate) const CASES: &[Case] = &[
    Case {
        name: "cylinder-twisted",
        draw: || posed(SampleKind::Cylinder, None, twisted).picture(),
    },
    Case { name: "box-moving", draw: || posed(SampleKind::Box, None, moving).picture() },
    Case { name: "plus-moving", draw: || posed(SampleKind::Plus, None, moving).picture() },
    Case { name: "human-moving", draw: || posed(SampleKind::Human, Some(6_000), moving).picture() },
    Case { name: "chibi-moving", draw: || posed(SampleKind::Chibi, Some(6_000), moving).picture() },
    Case {
        name: "giant-moving",
        draw: || posed(SampleKind::Giant, Some(12_000), moving).picture(),
    },
    Case { name: "arm-moving", draw: || posed(SampleKind::Arm, None, moving).picture() },
    Case {
        name: "snake-moving",
        draw: || posed(SampleKind::Snake, Some(12_000), moving).picture(),
    },
    Case { name: "cylinder-springs", draw: springs },
    Case { name: "human-skeleton", draw: skeleton },
    Case { name: "chibi-weights", draw: weights },
    Case { name: "cylinder-stretch", draw: stretch },
    Case { name: "arm-wireframe", draw: wireframe },
    Case { name: "arm-attachments", draw: attachments },
    Case { name: "cylinder-cage", draw: cage },
    Case { name: "box-texture", draw: texture },
    Case { name: "human-from-below", draw: from_below },
    Case { name: "box-holes", draw: || materials(AlphaMode::Mask { cutoff: 0.5 }, false) },
    Case { name: "box-veil", draw: || materials(AlphaMode::Blend, false) },
    Case { name: "box-bumps", draw: || materials(AlphaMode::Opaque, true) },
];

/// A sample in a pose, and the scene of it.
struct Posed {
    character: Arc<Character>,
    frame: Frame,
    scene: Scene,
}

impl Posed {
    fn picture(&self) -> Picture {
        raster::draw(&self.scene, SIZE)
    }
}

fn moving(character: &Character) -> Pose {
    let clip = &character.clips[0];
    clip.pose_at(&character.skeleton, 0.3 * clip.duration_seconds())
}

fn twisted(character: &Character) -> Pose {
    let mut pose = Pose::rest(&character.skeleton);
    let axis = character.skeleton.joints()[1].bone_axis();
    pose.joints[1].twist_radians = 2.6;
    pose.joints[1] = pose.joints[1].rotated(DVec3::X, 0.9, axis);
    pose
}

/// A sample, built once however many pictures show it.
fn sample(kind: SampleKind, points: Option<usize>) -> Arc<Character> {
    type Built = Vec<(SampleKind, Option<usize>, Arc<Character>)>;
    static BUILT: Mutex<Built> = Mutex::new(Vec::new());
    let mut built = BUILT.lock().unwrap();
    if let Some((_, _, character)) = built.iter().find(|(k, p, _)| (*k, *p) == (kind, points)) {
        return character.clone();
    }
    let options = SampleOptions { points, ..SampleOptions::new(kind) };
    let character = Arc::new(build(&options).unwrap());
    built.push((kind, points, character.clone()));
    character
}

fn posed(kind: SampleKind, points: Option<usize>, pose: fn(&Character) -> Pose) -> Posed {
    let character = sample(kind, points);
    let pose = pose(&character);
    skinned(character, &pose, SkinMethod::DualQuat)
}

fn skinned(character: Arc<Character>, pose: &Pose, method: SkinMethod) -> Posed {
    framed(character, pose, &Rig::of(method))
}

fn framed(character: Arc<Character>, pose: &Pose, rig: &Rig) -> Posed {
    let rig = rig.clone().with_normals(Normals::RECOMPUTED);
    let plan = Plan::bind(&character, &rig, &Silent).unwrap();
    let mut frame = plan.frame();
    let controls = Controls::posed(&character, pose.clone());
    plan.run(&controls, &mut plan.scratch(), &mut frame);
    let scene = Stage::bind(&character).scene(&frame, SIZE.aspect());
    Posed { character, frame, scene }
}

/// The arm with its elbow bent by two angles, both from where the first is seen.
pub(crate) fn arm_bent_by(first_degrees: f64, second_degrees: f64) -> (Picture, Picture) {
    let bent = |degrees: f64| {
        let character = sample(SampleKind::Arm, None);
        let mut pose = Pose::rest(&character.skeleton);
        let axis = character.skeleton.joints()[1].bone_axis();
        pose.joints[1] = pose.joints[1].rotated(DVec3::X, degrees.to_radians(), axis);
        skinned(character, &pose, SkinMethod::DualQuat)
    };
    let (first, mut second) = (bent(first_degrees), bent(second_degrees));
    second.scene.camera = first.scene.camera;
    (first.picture(), second.picture())
}

fn springs() -> Picture {
    let character = sample(SampleKind::Cylinder, None);
    let pose = twisted(&character);
    framed(character, &pose, &Rig::of_model(SpringModel::Anchored)).picture()
}

fn skeleton() -> Picture {
    let mut posed = posed(SampleKind::Human, Some(6_000), moving);
    posed.scene.overlay.in_front =
        overlay::skeleton(&posed.character.skeleton, posed.frame.palette(), &BoneStyle::default());
    posed.scene.overlay.front_opacity = 0.85;
    posed.picture()
}

fn weights() -> Picture {
    let mut posed = posed(SampleKind::Chibi, Some(6_000), moving);
    let joint = posed.character.skeleton.find("head").unwrap();
    let map = heat::weights(posed.character.parts[0].weights.as_ref().unwrap(), joint, "head");
    posed.scene.surfaces[0].paint = map.paint;
    let mut picture = posed.picture();
    legend::draw(&mut picture, &map.legend);
    picture
}

fn stretch() -> Picture {
    let character = sample(SampleKind::Cylinder, None);
    let pose = twisted(&character);
    let mut posed = skinned(character, &pose, SkinMethod::Linear);
    let mesh = &posed.character.parts[0].mesh;
    let map = heat::stretch(
        mesh.points(),
        posed.frame.parts()[0].points(),
        &Adjacency::of(mesh),
        StretchOf::Furthest,
        2.0,
    );
    posed.scene.surfaces[0].paint = map.paint;
    let mut picture = posed.picture();
    legend::draw(&mut picture, &map.legend);
    picture
}

fn wireframe() -> Picture {
    let mut posed = posed(SampleKind::Arm, Some(600), moving);
    posed.scene.surfaces[0].wireframe =
        Some(Wireframe { color: Vec3::splat(0.02), opacity: 0.6, width_px: 0.8 });
    posed.picture()
}

fn attachments() -> Picture {
    let mut posed = posed(SampleKind::Arm, None, moving);
    let part = &posed.character.parts[0];
    let rest: Vec<DVec3> = part.mesh.points().iter().map(|p| p.as_dvec3()).collect();
    let input = AttachInput {
        points: &rest,
        adjacency: &Adjacency::of(&part.mesh),
        triangles: part.mesh.point_triangles(),
        weights: part.weights.as_ref(),
        skeleton: &posed.character.skeleton,
    };
    let bound = Attachments::bind(&input, &AttachSettings::default(), &Silent).unwrap();
    let style = AttachmentStyle { max_vectors: 500, ..AttachmentStyle::default() };
    posed.scene.overlay.in_front = overlay::attachments(
        &bound,
        posed.frame.parts()[0].points(),
        &posed.character.skeleton,
        posed.frame.palette(),
        &style,
    );
    posed.picture()
}

/// A box of twelve triangles around the cylinder: corners count x, y, z from the lowest bit.
fn cage() -> Picture {
    let mut posed = posed(SampleKind::Cylinder, None, moving);
    let bounds = posed.scene.bounds();
    let corner = |index: u32| {
        let pick = |bit: u32| if index & bit == 0 { -0.56 } else { 0.56 };
        bounds.center() + bounds.size() * Vec3::new(pick(1), pick(2), pick(4))
    };
    let quads =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<[u32; 3]> =
        quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let points: Vec<Vec3> = (0..8).map(corner).collect();
    posed.scene.camera.distance *= 1.25;
    posed.scene.overlay.among = overlay::cage(&points, &triangles, &CageStyle::default());
    posed.picture()
}

fn texture() -> Picture {
    let mut posed = posed(SampleKind::Box, None, moving);
    let checks = (0..16 * 16).map(|index| {
        let is_light = (index / 16 + index % 16) % 2 == 0;
        if is_light { [232, 221, 200, 255] } else { [72, 110, 132, 255] }
    });
    let texture = Texture { width: 16, height: 16, rgba: checks.collect() };
    let material = Material { texture: Some(Arc::new(texture)), ..Material::default() };
    let mut shape = SurfaceShape::of(&posed.character.parts[0].mesh);
    shape.materials = vec![(0..shape.triangles.len() as u32, Arc::new(material))];
    posed.scene.surfaces[0].shape = Arc::new(shape);
    posed.picture()
}

/// Holes or veils in rings, or bumps like the heads of rivets.
fn materials(alpha: AlphaMode, is_bumpy: bool) -> Picture {
    const SIDE: i32 = 32;
    let mut posed = posed(SampleKind::Box, None, moving);
    // From the middle of the tile, in halves of it.
    let place = |index: i32| {
        let half = |at: i32| (at as f32 + 0.5) / (0.5 * SIDE as f32) - 1.0;
        Vec2::new(half(index % SIDE), half(index / SIDE))
    };
    let image = |texel: &dyn Fn(Vec2) -> [u8; 4]| {
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
    let material = Material {
        texture: (!is_bumpy).then(|| image(&ring)),
        normal_map: is_bumpy.then(|| (image(&rivet), 1.0)),
        alpha,
        is_two_sided: true,
        ..Material::default()
    };
    let mut shape = SurfaceShape::of(&posed.character.parts[0].mesh);
    for uv in &mut shape.uvs {
        *uv *= 3.0;
    }
    shape.materials = vec![(0..shape.triangles.len() as u32, Arc::new(material))];
    posed.scene.surfaces[0].shape = Arc::new(shape);
    posed.picture()
}

/// From below the ground: no shadow is seen, and nothing hides the soles.
fn from_below() -> Picture {
    let mut posed = posed(SampleKind::Human, Some(6_000), moving);
    posed.scene.camera.pitch_radians = -0.5;
    posed.scene.camera.yaw_radians = 2.6;
    posed.scene.camera.distance *= 1.1;
    posed.picture()
}
