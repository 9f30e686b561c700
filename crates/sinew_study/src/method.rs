//! The methods of the study, as a closed list, and how each poses a part.

use glam::Vec3;
use sinew::Part;
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose, Skeleton};
use sinew::skin::{BindError, Skin, SkinInput, SkinMethod};
use sinew::springs::{
    SpringBindError, SpringFrame, SpringInput, SpringModel, SpringRig, SpringSettings,
};

/// Every method that the study compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A blend of joints.
    Skin(SkinMethod),
    /// Springs after the model's own first stage, from scratch each frame.
    Springs {
        /// Which springs.
        model: SpringModel,
        /// The model's own number if `None`.
        iterations: Option<u32>,
    },
}

impl Method {
    /// All of them, in the tables' order.
    pub fn all() -> Vec<Self> {
        let skins = SkinMethod::ALL.into_iter().map(Self::Skin);
        let springs = SpringModel::ALL.map(|model| Self::Springs { model, iterations: None });
        skins.chain(springs).collect()
    }

    /// The same springs with another number of iterations; `None` for a method that has none.
    pub fn with_iterations(self, number: u32) -> Option<Self> {
        match self {
            Self::Skin(_) => None,
            Self::Springs { model, .. } => Some(Self::Springs { model, iterations: Some(number) }),
        }
    }

    /// As tables and filters have it.
    pub fn name(self) -> String {
        match self {
            Self::Skin(method) => method.name().to_owned(),
            Self::Springs { model, iterations: None } => model.name().to_owned(),
            Self::Springs { model, iterations: Some(number) } => {
                format!("{}@{number}", model.name())
            }
        }
    }

    /// Binds a part that has weights.
    pub fn bind(self, part: &Part, skeleton: &Skeleton) -> Result<Bound, MethodError> {
        let Some(weights) = part.weights.as_ref() else { return Err(MethodError::NoWeights) };
        let (positions, triangles) = (part.mesh.points(), part.mesh.point_triangles());
        match self {
            Self::Skin(method) => {
                let input = SkinInput { positions, normals: &[], weights, triangles, skeleton };
                let skin = Skin::bind(method, &input, &Silent)?;
                Ok(Bound::new(move |frame, out| skin.deform(frame.palette, out, &mut [])))
            }
            Self::Springs { model, iterations } => {
                let mut settings = SpringSettings::new(model);
                settings.iterations = iterations.unwrap_or(settings.iterations);
                let input = SpringInput { positions, triangles, weights: Some(weights), skeleton };
                let rig = SpringRig::bind(&input, &settings, &Silent)?;
                Ok(Bound::new(move |frame, out| {
                    rig.deform(&SpringFrame::new(frame.palette), &mut rig.scratch(), out);
                }))
            }
        }
    }
}

/// Why a method cannot be bound to a part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// A part that nothing moves.
    #[error("the mesh has no weights; only parts with weights can be posed")]
    NoWeights,
    /// A skin.
    #[error(transparent)]
    Skin(#[from] BindError),
    /// Springs.
    #[error(transparent)]
    Springs(#[from] SpringBindError),
}

/// What a method is given each frame.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Swings and unwrapped twists.
    pub pose: &'a Pose,
    /// What it does to the skin.
    pub palette: &'a Palette,
}

type Deform = dyn Fn(&Frame<'_>, &mut [Vec3]) + Send + Sync;

/// A method bound to a part.
pub struct Bound {
    deform: Box<Deform>,
}

impl Bound {
    fn new(deform: impl Fn(&Frame<'_>, &mut [Vec3]) + Send + Sync + 'static) -> Self {
        Self { deform: Box::new(deform) }
    }

    /// Poses the part's points, from scratch.
    pub fn deform(&self, frame: &Frame<'_>, out: &mut [Vec3]) {
        (self.deform)(frame, out);
    }
}
