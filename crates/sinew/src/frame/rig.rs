//! What the user decided about a character's skin, part by part.
//!
//! A [`Rig`] is plain data: it is saved in projects, travels in edits and is typed at the command
//! line. It is checked against a character in one place, [`Rig::check`]; what passes can be bound.

use crate::Character;
use crate::attach::AttachSettings;
use crate::mesh::{Components, Creases, Mesh};
use crate::skin::SkinMethod;
use crate::springs::{
    Coefficients, DynamicsError, DynamicsSettings, PairScale, SpringModel, SpringSettings,
};

/// Edges whose triangles at rest differ by more than this stay sharp, where neither the user nor
/// the file says otherwise.
pub const CREASE_DEGREES: f32 = 40.0;

/// How the skin of a character is made.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Rig {
    /// What moves the skin where no springs do.
    pub method: SkinMethod,
    /// Relaxes it; their first stage takes the method's place, also on the meshes that do not
    /// relax.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub springs: Option<SpringSettings>,
    /// How springs swing while time passes.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub dynamics: DynamicsSettings,
    /// Where normals come from.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "is_default"))]
    pub normals: Normals,
    /// What moves the rest, and follows the pose.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub cage: Option<super::CageRig>,
    /// What single meshes have of their own, in the character's order; those past the end have
    /// nothing.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub parts: Vec<PartRig>,
}

/// What a mesh has of its own.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct PartRig {
    /// Whether springs relax it; `None` leaves it to the rule: what has weights does.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub relaxes: Option<bool>,
    /// Painted stiffness, one a point, or empty for 1 everywhere.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub stiffness: Vec<f32>,
    /// Further scales of single pairs of neighbours; a pair that is no edge leaves the mesh without
    /// springs, and it is said.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub pairs: Vec<PairScale>,
    /// Whether its shells keep their shapes: plates, buckles, props. `None` leaves it to the rule
    /// ([`crate::springs::shells`]): those do whose weights are the same everywhere.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub rigid: Option<bool>,
    /// The same of single shells of the mesh, by number
    /// ([`Components`](crate::mesh::Components)); it goes before the mesh's.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub rigid_pieces: Vec<RigidPiece>,
}

/// What was decided about a shell of a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct RigidPiece {
    /// Its number in the mesh.
    pub piece: u32,
    /// Whether it keeps its shape.
    pub is_rigid: bool,
}

impl PartRig {
    /// True if anything was decided about its shells.
    pub(super) fn has_rigid_choice(&self) -> bool {
        self.rigid.is_some() || !self.rigid_pieces.is_empty()
    }

    /// Decides about one shell; `None` leaves it to the mesh's choice, or to the rule.
    pub fn choose_piece(&mut self, piece: u32, is_rigid: Option<bool>) {
        self.rigid_pieces.retain(|known| known.piece != piece);
        self.rigid_pieces.extend(is_rigid.map(|is_rigid| RigidPiece { piece, is_rigid }));
        self.rigid_pieces.sort_unstable_by_key(|known| known.piece);
    }

    pub(super) fn has_rigid_as(&self, other: &Self) -> bool {
        self.rigid == other.rigid && self.rigid_pieces == other.rigid_pieces
    }

    /// What was decided, one a point of the mesh.
    pub(super) fn choose_rigid(&self, mesh: &Mesh, out: &mut [Option<bool>]) {
        out.fill(self.rigid);
        if self.rigid_pieces.is_empty() {
            return;
        }
        let pieces = Components::of_triangles(mesh.points().len(), mesh.point_triangles());
        for choice in &self.rigid_pieces {
            if (choice.piece as usize) < pieces.len() {
                for &point in pieces.points(choice.piece) {
                    out[point as usize] = Some(choice.is_rigid);
                }
            }
        }
    }
}

/// Where the normals of a frame come from. All are of render vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Normals {
    /// The file's own, moved by the method, where it moves normals and the file has some; else
    /// those of the posed surface.
    #[default]
    Auto,
    /// The file's own, moved by the method. Springs and bone-smooth move none, and a file may have
    /// none: there as [`Self::Auto`].
    Transformed,
    /// Of the posed surface.
    Recomputed {
        /// Edges that are sharper than this at rest stay sharp, and no others; `None` keeps the
        /// file's hard edges, and [`CREASE_DEGREES`] where it has no normals.
        #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
        crease_degrees: Option<f32>,
    },
    /// None: for who writes points alone.
    Off,
}

impl Normals {
    /// Of the posed surface, sharp where the file is.
    pub const RECOMPUTED: Self = Self::Recomputed { crease_degrees: None };

    /// Which edges of the posed surface are sharp.
    pub(super) fn creases(self) -> Creases {
        match self {
            Self::Recomputed { crease_degrees: Some(degrees) } => {
                Creases::Angle(degrees.to_radians())
            }
            Self::Recomputed { crease_degrees: None }
            | Self::Auto
            | Self::Transformed
            | Self::Off => Creases::File { or_angle: CREASE_DEGREES.to_radians() },
        }
    }
}

impl Default for Rig {
    /// What a character opens with: linear, as everybody knows it.
    fn default() -> Self {
        Self::of(SkinMethod::Linear)
    }
}

#[cfg(feature = "serde")]
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Why a rig does not fit a character.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigError {
    /// More parts than the character has.
    #[error("settings for {found} meshes, but the character has {expected}; leave the others out")]
    PartCount {
        /// Meshes of the character.
        expected: usize,
        /// Entries of the rig.
        found: usize,
    },
    /// A joint that is not there.
    #[error("springs: {what} of joint {joint}, but there are only {num_joints} joints")]
    NoJoint {
        /// What names it.
        what: &'static str,
        /// Its number.
        joint: u32,
        /// How many there are.
        num_joints: usize,
    },
    /// Nothing is left to hold on to.
    #[error("springs: every joint is excluded, and the skin has no bone to hold on to; keep one")]
    AllExcluded,
    /// A number that cannot be.
    #[error("{what} is {value}; it must be {must}")]
    BadValue {
        /// Which setting.
        what: &'static str,
        /// What it is.
        value: f32,
        /// What it may be.
        must: &'static str,
    },
    /// Rounds that would take longer than anyone waits.
    #[error("{what} is {found}; it must be {most} or less")]
    TooMany {
        /// Which setting.
        what: &'static str,
        /// What it is.
        found: u32,
        /// The most that there may be.
        most: u32,
    },
    /// A skin that cannot swing so.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// Painted stiffness of another number of points.
    #[error("mesh '{mesh}' has {expected} points, but {found} painted stiffnesses; paint it again")]
    StiffnessCount {
        /// The mesh's name.
        mesh: String,
        /// Its points.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// A shell that is not there.
    #[error("mesh '{mesh}' has {found} shells, numbered from 0; there is no shell {piece}")]
    NoPiece {
        /// The mesh's name.
        mesh: String,
        /// Which shell was named.
        piece: u32,
        /// How many there are.
        found: usize,
    },
    /// Lists of points in settings that serve all meshes.
    #[error(
        "springs: painted points and pairs are of one mesh; give them to that mesh, not to all"
    )]
    SharedLists,
}

impl Rig {
    /// A method without springs.
    pub fn of(method: SkinMethod) -> Self {
        Self {
            method,
            springs: None,
            dynamics: DynamicsSettings::default(),
            normals: Normals::Auto,
            cage: None,
            parts: Vec::new(),
        }
    }

    /// Springs, after their own first stage.
    pub fn relaxed(springs: SpringSettings) -> Self {
        Self { springs: Some(springs), ..Self::of(SkinMethod::Linear) }
    }

    /// A spring model with its own settings.
    pub fn of_model(model: SpringModel) -> Self {
        Self::relaxed(SpringSettings::new(model))
    }

    /// The same with normals from elsewhere.
    #[must_use]
    pub fn with_normals(mut self, normals: Normals) -> Self {
        self.normals = normals;
        self
    }

    /// What skins the meshes that do not relax, and what those that do start from.
    pub fn first_stage(&self) -> SkinMethod {
        self.springs.as_ref().map_or(self.method, |springs| springs.first_stage)
    }

    /// The springs' model, or `off`.
    pub fn springs_name(&self) -> &'static str {
        self.springs.as_ref().map_or("off", |springs| springs.model.name())
    }

    /// For people: `linear`, or `bone-smooth + springs`.
    pub fn label(&self) -> String {
        let method = self.first_stage().name();
        match &self.springs {
            None => method.to_owned(),
            Some(springs) => format!("{method} + {}", springs.model.label()),
        }
    }

    /// What a mesh has of its own.
    pub fn part(&self, part: usize) -> Option<&PartRig> {
        self.parts.get(part)
    }

    /// What a mesh has of its own, to be changed.
    pub fn part_mut(&mut self, part: usize) -> &mut PartRig {
        if self.parts.len() <= part {
            self.parts.resize(part + 1, PartRig::default());
        }
        &mut self.parts[part]
    }

    /// Whether springs are to relax a mesh. What has weights does, and everything where no mesh has
    /// any: distance then says what a point holds on to.
    pub fn relaxes(&self, character: &Character, part: usize) -> bool {
        if self.springs.is_none() || character.skeleton.is_empty() {
            return false;
        }
        self.part(part)
            .and_then(|own| own.relaxes)
            .unwrap_or_else(|| character.parts[part].weights.is_some() || !has_weights(character))
    }

    /// The same, or what a mesh has that nothing was said of.
    pub(super) fn part_or_none(&self, part: usize) -> &PartRig {
        const NONE: &PartRig = &PartRig {
            relaxes: None,
            stiffness: Vec::new(),
            pairs: Vec::new(),
            rigid: None,
            rigid_pieces: Vec::new(),
        };
        self.part(part).unwrap_or(NONE)
    }

    /// Refuses what does not fit a character.
    ///
    /// # Errors
    /// Says what does not fit, and what would.
    pub fn check(&self, character: &Character) -> Result<(), RigError> {
        if self.parts.len() > character.parts.len() {
            let (expected, found) = (character.parts.len(), self.parts.len());
            return Err(RigError::PartCount { expected, found });
        }
        for (own, part) in self.parts.iter().zip(&character.parts) {
            let (expected, found) = (part.mesh.points().len(), own.stiffness.len());
            if found != 0 && found != expected {
                let mesh = part.mesh.name().to_owned();
                return Err(RigError::StiffnessCount { mesh, expected, found });
            }
            own.stiffness.iter().try_for_each(|&value| scale("a painted stiffness", value))?;
            let of_pairs = own.pairs.iter().flat_map(|pair| [pair.torque, pair.edge]);
            of_pairs.into_iter().try_for_each(|value| scale("the stiffness of a pair", value))?;
            if let Some(last) = own.rigid_pieces.iter().map(|known| known.piece).max() {
                let mesh = &part.mesh;
                let num_points = mesh.points().len();
                let found = Components::of_triangles(num_points, mesh.point_triangles()).len();
                if last as usize >= found {
                    let mesh = mesh.name().to_owned();
                    return Err(RigError::NoPiece { mesh, piece: last, found });
                }
            }
        }
        if let Normals::Recomputed { crease_degrees: Some(value) } = self.normals
            && !(0.0..=180.0).contains(&value)
        {
            return Err(RigError::BadValue { what: "the crease", value, must: "in 0 to 180" });
        }
        self.dynamics.check()?;
        self.springs.as_ref().map_or(Ok(()), |springs| check_springs(springs, character))
    }
}

/// True if any mesh has weights.
pub(super) fn has_weights(character: &Character) -> bool {
    character.parts.iter().any(|part| part.weights.is_some())
}

fn scale(what: &'static str, value: f32) -> Result<(), RigError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(RigError::BadValue { what, value, must: "a number that is not negative" })
}

fn check_springs(springs: &SpringSettings, character: &Character) -> Result<(), RigError> {
    let num_joints = character.skeleton.len();
    let AttachSettings { excluded_joints, influence, influence_of_joint, .. } = &springs.attach;
    let named = excluded_joints.iter().map(|&joint| ("exclusion", joint));
    let scaled = influence_of_joint.iter().map(|&(joint, _)| ("influence", joint));
    if let Some((what, joint)) =
        named.chain(scaled).find(|&(_, joint)| joint as usize >= num_joints)
    {
        return Err(RigError::NoJoint { what, joint, num_joints });
    }
    let is_excluded = |joint: u32| excluded_joints.contains(&joint);
    if num_joints > 0 && (0..num_joints as u32).all(is_excluded) {
        return Err(RigError::AllExcluded);
    }
    let influences = influence_of_joint.iter().map(|&(_, scale)| scale).chain([*influence]);
    for value in influences {
        if !AttachSettings::INFLUENCES.contains(&value) {
            return Err(RigError::BadValue { what: "an influence", value, must: "in 0.1 to 4" });
        }
    }
    let Coefficients { of_point, of_pair, .. } = &springs.coefficients;
    if !of_point.is_empty() || (!of_pair.is_empty() && character.parts.len() > 1) {
        return Err(RigError::SharedLists);
    }
    for (what, value) in springs.coefficients.globals() {
        scale(what, value)?;
    }
    let AttachSettings { smoothings, contractions, .. } = springs.attach;
    for (what, found, range) in [
        ("iterations", springs.iterations, SpringSettings::ITERATIONS),
        ("smoothings", smoothings, AttachSettings::SMOOTHINGS),
        ("contractions", contractions, AttachSettings::CONTRACTIONS),
    ] {
        if !range.contains(&found) {
            return Err(RigError::TooMany { what, found, most: *range.end() });
        }
    }
    if !SpringSettings::KEPT_VOLUMES.contains(&springs.keep_volume) {
        let value = springs.keep_volume;
        return Err(RigError::BadValue { what: "keep_volume", value, must: "in 0 to 1" });
    }
    if !(0.0..=1.0).contains(&springs.shells) {
        let value = springs.shells;
        return Err(RigError::BadValue { what: "shells", value, must: "in 0 to 1" });
    }
    let is_step = |seconds| seconds > 0.0 && seconds <= SpringSettings::MAX_STEP_SECONDS;
    if !is_step(springs.step_seconds) {
        let value = springs.step_seconds;
        return Err(RigError::BadValue {
            what: "step_seconds",
            value,
            must: "above 0 and up to 1",
        });
    }
    scale("the threshold", springs.threshold)
}
