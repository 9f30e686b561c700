//! Posed characters as pictures: bound once, posed and drawn as often as asked.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec3;
use sinew::Character;
use sinew::attach::{AttachInput, AttachSettings, Attachments};
use sinew::cage::Cage;
use sinew::frame::{Controls, Frame, Rig, SpringGroup};
use sinew::measure::ShellMeasure;
use sinew::mesh::{Aabb, Adjacency};
use sinew::progress::Progress;
use sinew::skin::BindError;
use sinew_gpu::Gpu;
use sinew_view::camera::{Camera, Size};
use sinew_view::compose::{self, Cell, GridStyle};
use sinew_view::heat::{self, StretchOf};
use sinew_view::legend::{self, Legend};
use sinew_view::materials;
use sinew_view::overlay::{self, AttachmentStyle, BoneStyle, CageStyle};
use sinew_view::picture::Picture;
use sinew_view::scene::{Paint, Scene, Surface, Wireframe};
use sinew_view::stage::Stage;

use super::show::Show;
use super::view::View;
use super::{Artist, near};
use crate::console::Console;
use crate::dynamics::Frames;
use crate::exit::Failure;
use crate::runner::Runner;
use crate::spring_edits::SpringEdits;
use crate::text::counted;

/// Where the heat map of stretch ends: twice as long, and half.
pub(crate) const MOST_STRETCH: f32 = 2.0;

/// Where the heat map of gaps ends, over the diagonal.
const MOST_GAP: f32 = 0.02;

/// Bones are seen through a little, so that the skin before them is still there.
const BONE_OPACITY: f32 = 0.85;

/// Behind attachments; linear.
const PALE: Vec3 = Vec3::new(0.78, 0.78, 0.79);

const WIREFRAME: Wireframe =
    Wireframe { color: Vec3::new(0.05, 0.07, 0.10), opacity: 0.55, width_px: 0.8 };

/// What is so many times the size of the smallest is flying apart, and not framed: the others would
/// be specks.
const MOST_FRAMED: f32 = 1.6;

/// Where the ground is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ground {
    /// Under the soles at rest: a clip may jump.
    UnderRest,
    /// Under the lowest point: a pose of turned joints has no place of its own.
    UnderPose,
}

/// Rigs of one character, bound.
pub(crate) struct Shots {
    character: Arc<Character>,
    stage: Stage,
    entries: Vec<Entry>,
    /// Of each mesh, for stretch.
    adjacencies: Vec<Adjacency>,
    /// Of each mesh that joints move; filled by [`Self::bind_attachments`].
    attachments: Vec<Option<Attachments>>,
    /// Filled by [`Self::bind_shells`].
    shells: Option<ShellMeasure>,
    /// Springs whose shells are shown.
    tied: Vec<Arc<SpringGroup>>,
    pub(crate) ground: Ground,
    pub(crate) has_labels: bool,
    pub(crate) show: Vec<Show>,
    pub(crate) cage: Option<Cage>,
    /// Joints that pictures are of; none for all of the character.
    pub(crate) framed: Vec<u32>,
    /// For each mesh.
    pub(crate) shown: Vec<bool>,
    /// Joints that move no skin, and how much of every bone is shown.
    helpers: Vec<bool>,
    bone_shares: Vec<f32>,
    /// What single points have of their own, in every pose.
    pub(crate) edits: SpringEdits,
}

/// A rig.
struct Entry {
    label: String,
    runner: Runner,
    bind_seconds: f64,
}

/// All entries at one moment.
pub(crate) type Moment = Vec<Frame>;

impl Shots {
    /// With rigs and their captions, all bound at the rest of `base`.
    pub(crate) fn bind(
        character: &Arc<Character>,
        rigs: &[(String, Rig)],
        base: &Controls,
        console: &Console,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let (shapes, errors) = materials::shapes(character);
        if let Some(first) = errors.first() {
            let more = match errors.len() - 1 {
                0 => String::new(),
                more => format!(" (and {} more)", counted(more, "image")),
            };
            console.warn(&format!("{first}{more}"));
        }
        progress.report("binding", 0.0);
        let mut entries = Vec::with_capacity(rigs.len());
        for (label, rig) in rigs {
            let start = Instant::now();
            let runner = Runner::bind(character, rig, base, console, progress)?;
            let bind_seconds = start.elapsed().as_secs_f64();
            entries.push(Entry { label: label.clone(), runner, bind_seconds });
        }
        let adjacency = |part: &sinew::Part| {
            Adjacency::of_triangles(part.mesh.points().len(), part.mesh.point_triangles())
        };
        Ok(Self {
            stage: Stage::with_shapes(character, shapes),
            entries,
            adjacencies: character.parts.iter().map(adjacency).collect(),
            attachments: Vec::new(),
            shells: None,
            tied: Vec::new(),
            character: Arc::clone(character),
            ground: Ground::UnderRest,
            has_labels: true,
            show: Vec::new(),
            cage: None,
            framed: Vec::new(),
            shown: vec![true; character.parts.len()],
            helpers: character.joints_that_move_skin().iter().map(|moves| !moves).collect(),
            bone_shares: character.bone_shares(),
            edits: SpringEdits::default(),
        })
    }

    /// Finds where points hold on to the bones, for [`Show::Attachments`].
    pub(crate) fn bind_attachments(
        &mut self,
        settings: &AttachSettings,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let Some(entry) = self.entries.first() else { return Ok(()) };
        let plan = entry.runner.plan();
        let parts = self.character.parts.iter().zip(plan.parts());
        for ((part, bound), adjacency) in parts.zip(&self.adjacencies) {
            let skeleton = plan.skeleton();
            if part.weights.is_none() || skeleton.is_empty() {
                self.attachments.push(None);
                continue;
            }
            let points: Vec<_> = bound.rest().iter().map(|p| p.as_dvec3()).collect();
            let input = AttachInput {
                points: &points,
                adjacency,
                triangles: part.mesh.point_triangles(),
                weights: part.weights.as_ref(),
                skeleton,
            };
            let bound = Attachments::bind(&input, settings, progress).map_err(BindError::from)?;
            self.attachments.push(Some(bound));
        }
        Ok(())
    }

    /// Finds the shells and what lies on them, for [`Show::Gap`].
    pub(crate) fn bind_shells(&mut self) {
        let rest: Vec<Vec3> = self.entries.first().map_or_else(Vec::new, |entry| {
            let parts = entry.runner.plan().parts();
            parts.flat_map(|part| part.rest().iter().copied()).collect()
        });
        self.shells = Some(ShellMeasure::of_character(&self.character, &rest));
    }

    /// Takes the springs that hold shells together, for [`Show::Shells`]: of the first entry that
    /// has any.
    pub(crate) fn bind_ties(&mut self) -> Result<(), Failure> {
        let groups = self.entries.iter().map(|entry| entry.runner.plan().shared_groups());
        let has_shells = |groups: &Vec<Arc<SpringGroup>>| {
            groups.iter().any(|group| group.rig().shells().is_some())
        };
        self.tied = groups.into_iter().find(has_shells).ok_or_else(|| {
            let words = "--show shells: nothing is tied; it takes anchored springs, above 0 --shells, and a character of several shells with weights";
            Failure::Usage(words.into())
        })?;
        Ok(())
    }

    /// Moves what was bound to the card.
    pub(crate) fn upload(&mut self, gpu: &Gpu) -> Result<(), Failure> {
        for entry in &mut self.entries {
            entry.runner.upload(gpu)?;
        }
        Ok(())
    }

    /// How long binding an entry took.
    pub(crate) fn bind_seconds(&self, entry: usize) -> f64 {
        self.entries[entry].bind_seconds
    }

    /// The fastest of an entry's frames that fit into a budget, two at least.
    pub(crate) fn best_frame_seconds(
        &mut self,
        entry: usize,
        controls: &Controls,
        budget: Duration,
    ) -> Result<f64, Failure> {
        let begin = Instant::now();
        let mut best = f64::INFINITY;
        let mut num_frames = 0;
        let mut controls = controls.clone();
        while num_frames < 2 || begin.elapsed() < budget {
            // The same frame again would not be made again.
            if let Some(joint) = controls.pose.joints.first_mut() {
                joint.translation.x += 1e-6;
            }
            let start = Instant::now();
            self.entries[entry].runner.run(&controls)?;
            best = best.min(start.elapsed().as_secs_f64());
            num_frames += 1;
        }
        Ok(best)
    }

    /// Memory of one moment: points, normals, and points at rest in case that shapes move them.
    pub(crate) fn moment_bytes(&self) -> usize {
        let of_part = |part: &sinew::Part| 2 * part.mesh.points().len() + part.mesh.num_vertices();
        let num_vectors: usize = self.character.parts.iter().map(of_part).sum();
        num_vectors * size_of::<Vec3>() * self.entries.len()
    }

    pub(crate) fn pose(&mut self, controls: &Controls) -> Result<Moment, Failure> {
        let controls = self.edits.given(controls.clone());
        // Points are shared, not copied.
        self.entries.iter_mut().map(|entry| entry.runner.run(&controls).cloned()).collect()
    }

    /// All frames of a clip with inertia, the one at its start first. Entries without springs have
    /// none.
    pub(crate) fn simulate(
        &mut self,
        frames: &Frames,
        controls_at: &dyn Fn(f64) -> Result<Controls, Failure>,
        progress: &dyn Progress,
    ) -> Result<Vec<Moment>, Failure> {
        let mut moments: Vec<Moment> = vec![Moment::new(); frames.num() as usize + 1];
        let edits = &self.edits;
        let controls_at = |seconds: f64| Ok(edits.given(controls_at(seconds)?));
        for entry in &mut self.entries {
            let mut moment = moments.iter_mut();
            let mut each_frame = |frame: &Frame| {
                if let Some(moment) = moment.next() {
                    moment.push(frame.clone());
                }
            };
            entry.runner.simulate(frames, &controls_at, &mut each_frame, progress)?;
        }
        Ok(moments)
    }

    /// A camera that sees every entry in every frame; from every side, if it is to turn.
    pub(crate) fn framing(
        &self,
        moments: &[Moment],
        view: View,
        size: Size,
        turns: bool,
    ) -> Camera {
        let yaw = self.stage.front_yaw_radians() + view.yaw_degrees.to_radians();
        let pitch = view.pitch_degrees.to_radians();
        if !self.framed.is_empty() {
            let frames = moments.iter().flatten();
            let around =
                frames.flat_map(|frame| near::around(&self.character, frame, &self.framed));
            return match turns {
                true => Camera::turning(around, yaw, pitch, size.aspect()),
                false => Camera::fitting(around, yaw, pitch, size.aspect()),
            };
        }
        let of_entry = |entry: usize| {
            let parts = moments.iter().flat_map(move |moment| {
                moment[entry].parts().iter().zip(&self.shown).filter(|(_, is_shown)| **is_shown)
            });
            parts.flat_map(|(part, _)| part.points()).copied().filter(|p| p.is_finite())
        };
        let diagonals: Vec<f32> =
            (0..self.entries.len()).map(|entry| Aabb::around(of_entry(entry)).diagonal()).collect();
        let least = diagonals.iter().copied().fold(f32::INFINITY, f32::min);
        let in_view = |entry: &usize| diagonals[*entry] <= MOST_FRAMED * least;
        let all = || (0..self.entries.len()).filter(in_view).flat_map(of_entry);
        if !turns {
            return Camera::fitting(all(), yaw, pitch, size.aspect());
        }
        // Corners, not points: of all frames, from all sides, those would be too many to keep.
        let bounds = Aabb::around(all());
        let (middle, half) = (bounds.center(), 0.5 * bounds.size());
        let side = |corner: u32, bit: u32| if corner & bit == 0 { -1.0 } else { 1.0 };
        let corners = (0..8).map(|corner: u32| {
            middle + half * Vec3::new(side(corner, 1), side(corner, 2), side(corner, 4))
        });
        Camera::turning(corners, yaw, pitch, size.aspect())
    }

    /// Memory of one picture.
    pub(crate) fn picture_bytes(&self, size: Size) -> usize {
        4 * size.width as usize * size.height as usize * self.entries.len()
    }

    /// All entries side by side.
    pub(crate) fn picture(
        &self,
        artist: &Artist,
        moment: &Moment,
        camera: Camera,
        size: Size,
    ) -> Result<Picture, Failure> {
        let mut pictures = Vec::with_capacity(self.entries.len());
        for (entry, frame) in moment.iter().enumerate() {
            let (scene, legend) = self.scene(frame, camera);
            let mut picture = artist.draw(&scene, size)?;
            // One legend is enough for a row.
            if let (true, 0, Some(legend)) = (self.has_labels, entry, legend) {
                legend::draw(&mut picture, &legend);
            }
            pictures.push(picture);
        }
        if pictures.len() == 1 {
            return Ok(pictures.remove(0));
        }
        let caption =
            |entry: usize| if self.has_labels { self.entries[entry].label.as_str() } else { "" };
        let cells: Vec<Cell<'_>> = pictures
            .iter()
            .enumerate()
            .map(|(entry, picture)| Cell { picture, caption: caption(entry) })
            .collect();
        Ok(compose::side_by_side(&cells, &GridStyle::default()))
    }

    /// One entry, and the legend to its colours.
    pub(crate) fn scene(&self, frame: &Frame, camera: Camera) -> (Scene, Option<Legend>) {
        let mut scene = self.stage.seen_by(camera, frame);
        for (surface, is_shown) in scene.surfaces.iter_mut().zip(&self.shown) {
            surface.is_shown = *is_shown;
        }
        if let (Ground::UnderPose, Some(ground)) = (self.ground, &mut scene.ground) {
            ground.y = frame.bounds().min.y;
        }
        let mut legend = None;
        for show in &self.show {
            legend = self.add(show, frame, &mut scene).or(legend);
        }
        (scene, legend)
    }

    fn add(&self, show: &Show, frame: &Frame, scene: &mut Scene) -> Option<Legend> {
        let (skeleton, palette) = (frame.skeleton(), frame.palette());
        let mut legend = None;
        match show {
            Show::Weights(name) => {
                let joint = skeleton.find(name)?;
                let parts = self.character.parts.iter().zip(&mut scene.surfaces);
                for (weights, surface) in parts.filter_map(|(p, s)| Some((p.weights.as_ref()?, s)))
                {
                    let heat = heat::weights(weights, joint, name);
                    surface.paint = heat.paint;
                    legend = Some(heat.legend);
                }
            }
            Show::Influences => {
                for (part, surface) in self.character.parts.iter().zip(&mut scene.surfaces) {
                    let Some(weights) = &part.weights else { continue };
                    surface.paint = sinew_view::influences::paint(weights);
                }
            }
            Show::Stretch => {
                let parts = frame.parts().iter().zip(&self.adjacencies);
                for ((part, adjacency), surface) in parts.zip(&mut scene.surfaces) {
                    let (rest, points) = (part.rest(), part.points());
                    let heat =
                        heat::stretch(rest, points, adjacency, StretchOf::Furthest, MOST_STRETCH);
                    surface.paint = heat.paint;
                    legend = Some(heat.legend);
                }
            }
            Show::Gap => {
                let gaps = self.shells.as_ref()?.gaps_of_points(&frame.all_points());
                let mut first = 0;
                for (part, surface) in frame.parts().iter().zip(&mut scene.surfaces) {
                    let end = first + part.points().len();
                    let heat = heat::gap(&gaps[first..end], MOST_GAP);
                    first = end;
                    surface.paint = heat.paint;
                    legend = Some(heat.legend);
                }
            }
            Show::Shells => {
                let posed = |part: usize| frame.parts()[part].points();
                for (part, surface) in scene.surfaces.iter_mut().enumerate() {
                    let heat = sinew_view::shells::paint(&self.tied, part, posed(part).len());
                    surface.paint = heat.paint;
                    legend = Some(heat.legend);
                }
                scene.overlay.among.append(sinew_view::shells::ties(&self.tied, posed));
            }
            Show::Wireframe => {
                for surface in &mut scene.surfaces {
                    surface.wireframe = Some(WIREFRAME);
                }
            }
            Show::Skeleton | Show::Helpers => {
                let style = BoneStyle {
                    helpers: &self.helpers,
                    shares: &self.bone_shares,
                    shows_helpers: *show == Show::Helpers,
                    ..BoneStyle::default()
                };
                let bones = overlay::skeleton(skeleton, palette, &style);
                scene.overlay.in_front.append(bones);
                scene.overlay.front_opacity = BONE_OPACITY;
            }
            Show::Attachments => {
                for (attachments, part) in self.attachments.iter().zip(frame.parts()) {
                    let Some(attachments) = attachments else { continue };
                    let (points, style) = (part.points(), AttachmentStyle::default());
                    let marks =
                        overlay::attachments(attachments, points, skeleton, palette, &style);
                    scene.overlay.in_front.append(marks);
                }
                scene.overlay.front_opacity = 1.0;
                fade(&mut scene.surfaces);
            }
            Show::Cage => {
                if let Some(cage) = &self.cage {
                    let points: Vec<Vec3> =
                        frame.posed_cage().iter().map(|p| p.as_vec3()).collect();
                    let triangles: Vec<[u32; 3]> = cage.triangles().collect();
                    let marks = overlay::cage(&points, &triangles, &CageStyle::default());
                    scene.overlay.among.append(marks);
                }
            }
        }
        legend
    }
}

/// Lets what is in front of them be read.
fn fade(surfaces: &mut [Surface]) {
    for surface in surfaces.iter_mut().filter(|surface| surface.paint == Paint::Material) {
        surface.paint = Paint::Flat(PALE);
    }
}
