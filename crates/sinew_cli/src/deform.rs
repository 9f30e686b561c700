//! A character bound for a method and springs, posed: what `skin` writes and `measure` looks at.

use glam::Vec3;
use sinew::deform::{BoundCharacter, BoundPart, DeformBindError, DeformScratch, Mover};
pub(crate) use sinew::deform::{Deformation, Relaxation};
use sinew::mesh::SurfaceNormals;
use sinew::progress::Progress;
use sinew::skeleton::{Palette, Skeleton};
use sinew::skin::{BindError, Skin, SkinInput, SkinMethod};
use sinew::springs::{DynamicsError, DynamicsSettings, SpringDynamics, SpringFrame, SpringStats};
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

impl From<DeformBindError> for Failure {
    fn from(error: DeformBindError) -> Self {
        if error.is_cancelled() { Self::Interrupted } else { Self::Input(error.to_string()) }
    }
}

/// The welded points of every mesh, bound on the processor and deformed there or on a card.
pub(crate) struct BoundPoints<'a> {
    character: &'a Character,
    bound: BoundCharacter,
    scratch: DeformScratch,
    /// One a mesh; `None` where the processor deforms it, or nothing does.
    on_card: Vec<Option<GpuFrame>>,
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

impl<'a> BoundPoints<'a> {
    pub(crate) fn bind(
        character: &'a Character,
        deformation: &Deformation,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        let bound = BoundCharacter::bind(character, deformation, progress)?;
        let scratch = bound.scratch();
        Ok(Self { character, bound, scratch, on_card: Vec::new() })
    }

    /// Puts shapes into the meshes, with the weights of each mesh's, and binds those anew that they change.
    pub(crate) fn reshape(
        &mut self,
        weights: &[Vec<f32>],
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        self.bound.reshape(self.character, weights, progress)?;
        self.scratch = self.bound.scratch();
        self.on_card.clear();
        Ok(())
    }

    /// Moves what was bound to the card; frames are computed there from now on.
    pub(crate) fn upload(&mut self, gpu: &Gpu, skeleton: &Skeleton) -> Result<(), Failure> {
        let upload = |part: &BoundPart| match &part.mover {
            Mover::AtRest => Ok(None),
            Mover::Skin(skin) => GpuFrame::new(gpu, skeleton, skin, None).map(Some),
            Mover::Springs(rig) => GpuFrame::with_springs(gpu, skeleton, rig, None).map(Some),
        };
        self.on_card = self.bound.parts().iter().map(upload).collect::<Result<_, _>>()?;
        Ok(())
    }

    pub(crate) fn deform(&mut self, palette: &Palette) -> Result<PosedPoints, Failure> {
        let mut of_mesh = self.bound.rest_points();
        if self.on_card.is_empty() {
            let springs = self.bound.deform(palette, &mut self.scratch, &mut of_mesh);
            return Ok(PosedPoints { of_mesh, springs, card: None });
        }
        let mut springs: Option<SpringStats> = None;
        let mut card = CardTimes::default();
        for (frame, points) in self.on_card.iter_mut().zip(&mut of_mesh) {
            let Some(frame) = frame else { continue };
            let times = frame.run(palette)?;
            card.read_back_ms += frame.read(points, &mut [])?;
            card.dispatch_ms += times.dispatch_ms;
            card.compute_ms = times.compute_ms.map(|ms| card.compute_ms.unwrap_or_default() + ms);
            if let Some(of_frame) = frame.springs() {
                let stats = of_frame.read_stats()?;
                springs = Some(springs.map_or(stats, |worst| worst.worse(stats)));
            }
        }
        Ok(PosedPoints { of_mesh, springs, card: Some(card) })
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
        let mut of_mesh = Vec::with_capacity(self.bound.parts().len());
        let mut moving = Vec::new();
        for (index, BoundPart { rest, mover }) in self.bound.parts().iter().enumerate() {
            let mut points = rest.clone();
            if let Mover::Springs(rig) = mover {
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
        let springs =
            iterations.map(|iterations| SpringStats { iterations, ..SpringStats::default() });
        Ok(PosedPoints { of_mesh, springs, card: None })
    }

    /// The meshes that have no springs.
    fn deform_skins(&self, palette: &Palette, of_mesh: &mut [Vec<Vec3>]) {
        for (part, points) in self.bound.parts().iter().zip(of_mesh) {
            if let Mover::Skin(skin) = &part.mover {
                skin.deform(palette, points, &mut []);
            }
        }
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
            Ok(SurfaceNormals::bind(mesh, crease_radians).of_vertices(posed_points))
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
