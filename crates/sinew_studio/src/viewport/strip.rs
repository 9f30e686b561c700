//! The pose strip: small pictures of the character at rest and in its stored poses, made anew
//! elsewhere while weights are dragged and painted.

use std::sync::Arc;

use eframe::egui;
use sinew::Character;
use sinew::frame::{Controls, Normals, Plan, Rig};
use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;
use sinew_editor::Document;
use sinew_editor::job::Job;
use sinew_editor::seam::Threads;
use sinew_view::camera::{Camera, Size};
use sinew_view::heat;
use sinew_view::influences;
use sinew_view::raster;
use sinew_view::scene::{Scene, Surface};
use sinew_view::stage::Stage;

use super::canvas::to_image;
use super::paint::Coloring;
use crate::theme;

/// As many as anybody looks at while the hand moves.
pub(crate) const MOST_POSES: usize = 12;
/// Points that a joint moves by no more are not what is worked on.
const LEAST_WEIGHT: f32 = 0.1;

/// What the pictures are of.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) document: Document,
    /// Names and poses, in the order of the strip.
    pub(crate) poses: Vec<(String, Arc<Pose>)>,
    /// Yaw and pitch of the first view, in radians.
    pub(crate) looks: [f32; 2],
    pub(crate) coloring: Coloring,
    /// What is worked on fills the pictures.
    pub(crate) joint: Option<u32>,
    pub(crate) size: Size,
    pub(crate) is_dark: bool,
}

impl Wanted {
    fn is(&self, other: &Self) -> bool {
        let (own, its) = (&self.document, &other.document);
        let mut pairs = self.poses.iter().zip(&other.poses);
        Arc::ptr_eq(own.character(), its.character())
            && Arc::ptr_eq(own.shapes(), its.shapes())
            && Arc::ptr_eq(own.values(), its.values())
            && own.rig().first_stage() == its.rig().first_stage()
            && self.poses.len() == other.poses.len()
            && pairs.all(|(a, b)| a.0 == b.0 && (Arc::ptr_eq(&a.1, &b.1) || a.1 == b.1))
            && (self.looks, self.coloring, self.joint, self.size, self.is_dark)
                == (other.looks, other.coloring, other.joint, other.size, other.is_dark)
    }
}

/// What is kept from picture to picture, since binding takes longer than drawing.
struct Bound {
    character: Arc<Character>,
    method: SkinMethod,
    plan: Plan,
    stage: Stage,
}

/// What a job brings back.
struct Drawn {
    bound: Option<Bound>,
    pictures: Vec<(String, egui::ColorImage)>,
}

/// The pictures, and who makes the next ones.
#[derive(Default)]
pub(crate) struct Strip {
    shown: Vec<(String, egui::TextureHandle)>,
    /// What the pictures are of that are shown or being made.
    asked: Option<Wanted>,
    bound: Option<Bound>,
    job: Option<Job<Drawn>>,
    /// Grows with every set of pictures.
    pub(crate) num_drawn: u64,
}

impl Strip {
    /// True while pictures are made.
    pub(crate) fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// A pose's picture.
    pub(crate) fn picture(&self, name: &str) -> Option<&egui::TextureHandle> {
        self.shown.iter().find(|(known, _)| known == name).map(|(_, texture)| texture)
    }

    /// Takes pictures that are done, and has others made where they are not of what is wanted.
    /// The newest is always the next: what came between is passed over.
    pub(crate) fn keep_up(&mut self, wanted: Wanted, ctx: &egui::Context) {
        if let Some(job) = &mut self.job {
            let Some(Drawn { bound, pictures }) = job.take() else { return };
            self.job = None;
            self.bound = bound;
            self.num_drawn += 1;
            self.show(pictures, ctx);
        }
        if self.asked.as_ref().is_some_and(|asked| asked.is(&wanted)) {
            return;
        }
        self.asked = Some(wanted.clone());
        let (bound, waker) = (self.bound.take(), ctx.clone());
        let work = move |_: &dyn sinew::progress::Progress| draw(bound, &wanted);
        // With no thread left the strip stays as it is.
        self.job = Job::start(&Threads, "poses", move || waker.request_repaint(), work).ok();
    }

    fn show(&mut self, pictures: Vec<(String, egui::ColorImage)>, ctx: &egui::Context) {
        let mut before = std::mem::take(&mut self.shown);
        for (name, image) in pictures {
            let options = egui::TextureOptions::LINEAR;
            let known = before.iter().position(|(other, _)| *other == name);
            let texture = match known.map(|at| before.swap_remove(at)) {
                Some((_, mut texture)) => {
                    texture.set(image, options);
                    texture
                }
                None => ctx.load_texture(format!("pose {name}"), image, options),
            };
            self.shown.push((name, texture));
        }
    }
}

fn draw(bound: Option<Bound>, wanted: &Wanted) -> Drawn {
    let document = &wanted.document;
    let (character, method) = (document.character(), document.rig().first_stage());
    let is_same =
        |bound: &Bound| bound.method == method && Arc::ptr_eq(&bound.character, character);
    let bound = match bound {
        Some(bound) if is_same(&bound) => Some(bound),
        before => bind(before.as_ref(), document, method),
    };
    let Some(bound) = bound else { return Drawn { bound: None, pictures: Vec::new() } };
    let (mut scratch, mut frame) = (bound.plan.scratch(), bound.plan.frame());
    let mut pictures = Vec::with_capacity(wanted.poses.len());
    for (name, pose) in &wanted.poses {
        let controls = Controls { pose: Pose::clone(pose), ..document.controls() };
        bound.plan.run(&controls, &mut scratch, &mut frame);
        let mut surfaces = bound.stage.surfaces(&frame);
        color(&mut surfaces, wanted);
        let places = frame.parts().iter().zip(&character.parts).flat_map(|(posed, part)| {
            let is_of_joint = |point: usize| match (&part.weights, wanted.joint) {
                (Some(weights), Some(joint)) => {
                    let row = weights.row(point);
                    row.iter().any(|i| i.joint == joint && i.weight >= LEAST_WEIGHT)
                }
                _ => wanted.joint.is_none(),
            };
            let points = posed.points().iter().enumerate();
            points.filter(move |(point, _)| is_of_joint(*point)).map(|(_, &place)| place)
        });
        let mut places: Vec<Vec3> = places.collect();
        if places.is_empty() {
            places = frame.all_points();
        }
        let [yaw, pitch] = wanted.looks;
        let camera = Camera::fitting(places, yaw, pitch, wanted.size.aspect());
        let bounds = frame.bounds();
        let empty = bound.stage.seen_elsewhere(camera, &bounds);
        let scene = Scene { surfaces, look: theme::look(wanted.is_dark, true), ..empty };
        pictures.push((name.clone(), to_image(&raster::draw(&scene, wanted.size))));
    }
    Drawn { bound: Some(bound), pictures }
}

fn bind(before: Option<&Bound>, document: &Document, method: SkinMethod) -> Option<Bound> {
    let character = document.character();
    let rig = Rig::of(method).with_normals(Normals::Auto);
    let base = Controls::rest(character);
    let stage = match before {
        Some(before) if has_same_meshes(&before.character, character) => before.stage.clone(),
        _ => Stage::bind(character),
    };
    let known = before.map(|before| &before.plan);
    let plan = Plan::rebind(known, character, &rig, &base, &Silent).ok()?;
    Some(Bound { character: Arc::clone(character), method, plan, stage })
}

fn has_same_meshes(a: &Character, b: &Character) -> bool {
    let mut parts = a.parts.iter().zip(&b.parts);
    a.parts.len() == b.parts.len() && parts.all(|(a, b)| a.mesh.is_shared_with(&b.mesh))
}

fn color(surfaces: &mut [Surface], wanted: &Wanted) {
    let parts = surfaces.iter_mut().zip(&wanted.document.character().parts);
    for (surface, part) in parts {
        let Some(weights) = &part.weights else { continue };
        match wanted.coloring {
            Coloring::Weights => {
                surface.paint = heat::weights(weights, wanted.joint.unwrap_or(0), "").paint;
            }
            Coloring::Influences => surface.paint = influences::paint(weights),
            Coloring::Material
            | Coloring::Stretch
            | Coloring::Gap
            | Coloring::Shells
            | Coloring::Difference => {}
        }
    }
}
