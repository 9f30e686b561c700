//! A character bound for a method and springs, posed: what `skin` writes and `measure` looks at.

use glam::Vec3;
use sinew::mesh::SurfaceNormals;
use sinew::progress::Progress;
use sinew::skeleton::{Palette, Skeleton};
use sinew::skin::{BindError, Skin, SkinInput, SkinMethod};
use sinew::springs::{
    DynamicsError, DynamicsSettings, SpringBindError, SpringDynamics, SpringFrame, SpringInput,
    SpringRig, SpringScratch, SpringSettings, SpringStats,
};
use sinew::{Character, Part};
use sinew_gpu::{Gpu, GpuFrame};

use crate::dynamics::Frames;
use crate::exit::Failure;

impl From<DynamicsError> for Failure {
    fn from(error: DynamicsError) -> Self {
        match error {
            DynamicsError::Cancelled => Self::Interrupted,
            error => Self::Usage(error.to_string()),
        }
    }
}

impl From<BindError> for Failure {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Cancelled => Self::Interrupted,
            error => Self::Input(error.to_string()),
        }
    }
}

/// How the meshes of a character are deformed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Deformation {
    /// The whole of it, or what the springs start from.
    pub(crate) method: SkinMethod,
    pub(crate) relaxation: Option<Relaxation>,
}

/// Springs on some of the meshes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Relaxation {
    pub(crate) settings: SpringSettings,
    /// One a mesh; the others are deformed by the method alone.
    pub(crate) is_relaxed: Vec<bool>,
}

impl Deformation {
    /// The model's name, or `off`.
    pub(crate) fn springs_name(&self) -> &'static str {
        self.relaxation.as_ref().map_or("off", |relaxation| relaxation.settings.model.name())
    }

    /// For people: `linear`, or `bone-smooth + anchored springs`.
    pub(crate) fn label(&self) -> String {
        let method = self.method.name();
        match self.relaxation {
            None => method.to_owned(),
            Some(_) => format!("{method} + {} springs", self.springs_name()),
        }
    }
}

/// The welded points of every mesh, bound. A mesh that neither weights nor springs move stays where it rests.
pub(crate) struct BoundPoints<'a> {
    character: &'a Character,
    deformation: Deformation,
    parts: Vec<BoundMesh>,
}

struct BoundMesh {
    /// The points that were bound: the mesh's, or those of its shapes.
    rest: Vec<Vec3>,
    bound: BoundPart,
}

enum BoundPart {
    AtRest,
    Skin(Skin),
    Springs(Box<(SpringRig, SpringScratch)>),
    /// Bound here, deformed there.
    OnCard(Box<GpuFrame>),
}

impl BoundPart {
    /// A part of a character with its points at `rest`.
    fn bind(
        character: &Character,
        deformation: &Deformation,
        index: usize,
        rest: &[Vec3],
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let part = &character.parts[index];
        let springs = deformation.relaxation.as_ref().filter(|r| r.is_relaxed[index]);
        Ok(match (springs, &part.weights) {
            (Some(relaxation), _) => {
                let input = SpringInput { positions: rest, ..SpringInput::of(character, index) };
                let rig = SpringRig::bind(&input, &relaxation.settings, progress)
                    .map_err(|error| spring_failure(part, error))?;
                let scratch = rig.scratch();
                Self::Springs(Box::new((rig, scratch)))
            }
            (None, None) => Self::AtRest,
            (None, Some(weights)) => {
                let input = SkinInput {
                    positions: rest,
                    normals: &[],
                    weights,
                    triangles: part.mesh.point_triangles(),
                    skeleton: &character.skeleton,
                };
                Self::Skin(Skin::bind(deformation.method, &input, progress)?)
            }
        })
    }
}

/// What the card took for all meshes, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CardTimes {
    /// Recording and submitting.
    pub(crate) dispatch_ms: f64,
    /// By the card's clock; `None` where it shows none.
    pub(crate) compute_ms: Option<f64>,
    pub(crate) read_back_ms: f64,
}

/// The posed points of each mesh, and how the springs went: the worst over the meshes, `None` without springs.
pub(crate) struct PosedPoints {
    pub(crate) of_mesh: Vec<Vec<Vec3>>,
    pub(crate) springs: Option<SpringStats>,
    /// `None` on the processor.
    pub(crate) card: Option<CardTimes>,
}

impl PosedPoints {
    fn add_springs(&mut self, stats: SpringStats) {
        let worst = self.springs.get_or_insert_with(SpringStats::default);
        worst.iterations = worst.iterations.max(stats.iterations);
        worst.residual = worst.residual.max(stats.residual);
    }
}

impl<'a> BoundPoints<'a> {
    pub(crate) fn bind(
        character: &'a Character,
        deformation: &Deformation,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let bind = |(index, part): (usize, &Part)| {
            let rest = part.mesh.points().to_vec();
            let bound = BoundPart::bind(character, deformation, index, &rest, progress)?;
            Ok(BoundMesh { rest, bound })
        };
        let parts = character.parts.iter().enumerate().map(bind).collect::<Result<_, Failure>>()?;
        Ok(Self { character, deformation: deformation.clone(), parts })
    }

    /// Puts shapes into the meshes, with the weights of each mesh's, and binds those anew that they change.
    pub(crate) fn reshape(
        &mut self,
        weights: &[Vec<f32>],
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let parts = self.character.parts.iter().zip(&mut self.parts).zip(weights);
        for (index, ((part, mesh), weights)) in parts.enumerate() {
            let rest = part.shaped_points(weights);
            if rest != mesh.rest {
                let (character, deformation) = (self.character, &self.deformation);
                let bound = BoundPart::bind(character, deformation, index, &rest, progress)?;
                *mesh = BoundMesh { rest, bound };
            }
        }
        Ok(())
    }

    /// Moves what was bound to the card; frames are computed there from now on.
    pub(crate) fn upload(&mut self, gpu: &Gpu, skeleton: &Skeleton) -> Result<(), Failure> {
        for BoundMesh { bound, .. } in &mut self.parts {
            let frame = match bound {
                BoundPart::AtRest | BoundPart::OnCard(_) => continue,
                BoundPart::Skin(skin) => GpuFrame::new(gpu, skeleton, skin, None)?,
                BoundPart::Springs(springs) => {
                    GpuFrame::with_springs(gpu, skeleton, &springs.0, None)?
                }
            };
            *bound = BoundPart::OnCard(Box::new(frame));
        }
        Ok(())
    }

    pub(crate) fn deform(&mut self, palette: &Palette) -> Result<PosedPoints, Failure> {
        let of_mesh = Vec::with_capacity(self.parts.len());
        let mut posed = PosedPoints { of_mesh, springs: None, card: None };
        for BoundMesh { rest, bound } in &mut self.parts {
            let mut points = rest.clone();
            match bound {
                BoundPart::AtRest => {}
                BoundPart::Skin(skin) => skin.deform(palette, &mut points, &mut []),
                BoundPart::Springs(springs) => {
                    let (rig, scratch) = &mut **springs;
                    posed.add_springs(rig.deform(&SpringFrame::new(palette), scratch, &mut points));
                }
                BoundPart::OnCard(frame) => {
                    let times = frame.run(palette)?;
                    let read_back_ms = frame.read(&mut points, &mut [])?;
                    let all = posed.card.get_or_insert_with(CardTimes::default);
                    all.dispatch_ms += times.dispatch_ms;
                    all.compute_ms =
                        times.compute_ms.map(|ms| all.compute_ms.unwrap_or_default() + ms);
                    all.read_back_ms += read_back_ms;
                    if let Some(springs) = frame.springs() {
                        posed.add_springs(springs.read_stats()?);
                    }
                }
            }
            posed.of_mesh.push(points);
        }
        Ok(posed)
    }

    /// As [`Self::deform`] at the last frame, but springs have inertia: they are at rest at time 0 and run through all
    /// frames, each of which is shown to `each_frame`, the one at time 0 first. Their iterations are the sub-steps of all frames; there is no residual.
    pub(crate) fn simulate(
        &self,
        frames: &Frames,
        palette_at: &dyn Fn(f64) -> Result<Palette, Failure>,
        each_frame: &mut dyn FnMut(&Palette, &[Vec<Vec3>]),
        progress: &dyn Progress,
    ) -> Result<PosedPoints, Failure> {
        let first = palette_at(0.0)?;
        let settings = DynamicsSettings::default();
        let mut of_mesh = Vec::with_capacity(self.parts.len());
        let mut moving = Vec::new();
        for (index, BoundMesh { rest, bound }) in self.parts.iter().enumerate() {
            let mut points = rest.clone();
            if let BoundPart::Springs(springs) = bound {
                let rig = &springs.0;
                let dynamics = SpringDynamics::bind(rig, &settings)?;
                let motion = dynamics.start(rig, &first);
                points = motion.positions(rig).collect();
                moving.push((index, rig, dynamics, motion, 0));
            }
            of_mesh.push(points);
        }
        self.deform_skins(&first, &mut of_mesh);
        each_frame(&first, &of_mesh);
        let num_frames = frames.num();
        let mut before_seconds = 0.0;
        for frame in 1..=num_frames {
            let now_seconds = frames.seconds(frame);
            let palette = palette_at(now_seconds)?;
            let step_seconds = (now_seconds - before_seconds) as f32;
            for (index, rig, dynamics, motion, num_substeps) in &mut moving {
                if progress.is_cancelled() {
                    return Err(Failure::Interrupted);
                }
                let (frame, points) = (SpringFrame::new(&palette), &mut of_mesh[*index]);
                *num_substeps += dynamics.step(rig, &frame, step_seconds, motion, points);
            }
            self.deform_skins(&palette, &mut of_mesh);
            each_frame(&palette, &of_mesh);
            before_seconds = now_seconds;
            progress.report("simulating", frame as f32 / num_frames as f32);
        }
        let iterations = moving.iter().map(|&(.., num_substeps)| num_substeps).max();
        let springs = iterations.map(|iterations| SpringStats { iterations, residual: 0.0 });
        Ok(PosedPoints { of_mesh, springs, card: None })
    }

    /// The meshes that have no springs.
    fn deform_skins(&self, palette: &Palette, of_mesh: &mut [Vec<Vec3>]) {
        for (BoundMesh { bound, .. }, points) in self.parts.iter().zip(of_mesh) {
            if let BoundPart::Skin(skin) = bound {
                skin.deform(palette, points, &mut []);
            }
        }
    }
}

fn spring_failure(part: &Part, error: SpringBindError) -> Failure {
    match error {
        SpringBindError::Cancelled => Failure::Interrupted,
        error => Failure::Input(format!("mesh '{}': {error}", part.mesh.name())),
    }
}

/// Where the normals of a posed mesh come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NormalSource {
    /// The file's own, moved by the method; none where the file has none.
    Transformed(SkinMethod),
    /// From the posed surface, smooth across edges up to this angle at rest.
    Recomputed { crease_radians: f32 },
}

/// The normals of a posed part's render vertices; empty if there are none.
pub(crate) fn posed_normals(
    (part, skeleton): (&Part, &Skeleton),
    posed_points: &[Vec3],
    palette: &Palette,
    source: NormalSource,
    progress: &dyn Progress,
) -> Result<Vec<Vec3>, Failure> {
    let mesh = &part.mesh;
    match (source, &part.weights) {
        (NormalSource::Recomputed { crease_radians }, _) => {
            let surface = SurfaceNormals::bind(mesh, crease_radians);
            let mut of_wedge = vec![Vec3::ZERO; surface.num_wedges()];
            surface.compute(posed_points, &mut of_wedge);
            Ok(surface.wedge_of_vertex().iter().map(|&wedge| of_wedge[wedge as usize]).collect())
        }
        (NormalSource::Transformed(_), _) if mesh.vertex_normals().is_empty() => Ok(Vec::new()),
        (NormalSource::Transformed(_), None) => Ok(mesh.vertex_normals().to_vec()),
        (NormalSource::Transformed(method), Some(weights)) => {
            // A point has one position but, at a seam, several normals: those are the render vertices'.
            let weights = weights.select_rows(mesh.point_of_vertex());
            let input = SkinInput {
                positions: mesh.vertex_positions(),
                normals: mesh.vertex_normals(),
                weights: &weights,
                triangles: mesh.triangles(),
                skeleton,
            };
            let skin = Skin::bind(method, &input, progress)?;
            let mut positions = vec![Vec3::ZERO; mesh.num_vertices()];
            let mut normals = vec![Vec3::ZERO; mesh.num_vertices()];
            skin.deform(palette, &mut positions, &mut normals);
            Ok(normals)
        }
    }
}
