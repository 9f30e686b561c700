//! A mesh bound to a skeleton by springs: the one type that all surfaces use, whatever the model.

use std::sync::Arc;

use glam::{DVec3, Vec3};

use super::anchored::{Anchored, AnchoredFrame, AnchoredInput, AnchoredScratch};
use super::contact::Contacts;
use super::delta_mush::{DeltaMush, DeltaMushInput, DeltaMushScratch, DeltaMushSettings};
use super::freedom::{self, FreedomInput};
use super::layers::Layers;
use super::order::SlotOrder;
use super::paper::{PaperFrame, PaperInput, PaperScratch, PaperSprings, PosedBone};
use super::riders::Riders;
use super::stage::Stage;
use super::{
    CoefficientError, SpringFrame, SpringModel, SpringSettings, SpringStats, Start, Within,
};
use crate::attach::shells::{Pieces, Shells};
use crate::attach::{AttachInput, Attachments, ShareError};
use crate::character::Character;
use crate::mesh::{Aabb, Adjacency};
use crate::progress::Progress;
use crate::skeleton::Skeleton;
use crate::skin::bone_smooth::{Layout, Order, ShellChoice};
use crate::skin::{BindError, BoneSmoothRig, Skin, SkinInput, SkinMethod};
use crate::weights::SkinWeights;

/// What springs are bound to.
#[derive(Clone, Copy, Debug)]
pub struct SpringInput<'a> {
    /// Welded rest points in model space.
    pub positions: &'a [Vec3],
    /// The surface between them.
    pub triangles: &'a [[u32; 3]],
    /// Which joints move a point. Without them distance alone says what a point attaches to, and
    /// only the anchored and the paper's model with their own first stages can be bound.
    pub weights: Option<&'a SkinWeights>,
    /// The bones.
    pub skeleton: &'a Skeleton,
    /// What is held, and what was decided about single shells.
    pub pieces: Pieces<'a>,
}

impl<'a> SpringInput<'a> {
    /// A part of a character.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn of(character: &'a Character, part: usize) -> Self {
        let part = &character.parts[part];
        Self {
            positions: part.mesh.points(),
            triangles: part.mesh.point_triangles(),
            weights: part.weights.as_ref(),
            skeleton: &character.skeleton,
            pieces: Pieces::default(),
        }
    }
}

/// Why springs could not be bound.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpringBindError {
    /// No bone to hold on to.
    #[error(
        "there is no joint, and so no bone for the skin to hold on to; springs need a skeleton"
    )]
    NoJoints,
    /// The first stage blends weights, and there are none.
    #[error(
        "the mesh has no weights, which {} skinning needs; use the anchored or the paper's springs with their own first stage, or add weights",
        first_stage.name()
    )]
    NoWeights {
        /// The first stage asked for.
        first_stage: SkinMethod,
    },
    /// The first stage could not be bound, or the arrays are not of one mesh.
    #[error(transparent)]
    Skin(BindError),
    /// Coefficients that are not of this mesh.
    #[error(transparent)]
    Coefficients(#[from] CoefficientError),
    /// Someone asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl From<BindError> for SpringBindError {
    fn from(error: BindError) -> Self {
        match error {
            BindError::Cancelled => Self::Cancelled,
            error => Self::Skin(error),
        }
    }
}

impl From<ShareError> for SpringBindError {
    fn from(error: ShareError) -> Self {
        BindError::from(error).into()
    }
}

/// Springs, bound: immutable and shareable.
#[derive(Clone, Debug)]
pub struct SpringRig {
    pub(super) settings: SpringSettings,
    pub(super) num_points: usize,
    pub(super) num_joints: usize,
    /// Of the points that are numbers.
    pub(super) rest_bounds: Aabb,
    /// What the iterations start from, where that is not the model's own first stage.
    pub(super) skin: Option<Skin>,
    pub(super) plan: Plan,
}

/// A model's own precomputation.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    Anchored {
        layout: Box<Layout>,
        contacts: Contacts,
        anchored: Box<Anchored>,
        layers: Layers,
        riders: Riders,
        /// How free each point is to swing; empty for all of them.
        freedom: Arc<[f32]>,
    },
    Paper(Box<PaperSprings>),
    DeltaMush(Box<DeltaMush>),
}

/// Memory that frames use; one a thread that deforms.
#[derive(Clone, Debug)]
pub struct SpringScratch {
    pub(super) skinned: Vec<Vec3>,
    pub(super) of_plan: PlanScratch,
}

#[derive(Clone, Debug)]
pub(super) enum PlanScratch {
    Anchored { stage: Stage, anchored: Box<AnchoredScratch>, pushes: Vec<Vec3> },
    Paper { bones: Vec<PosedBone>, paper: PaperScratch },
    DeltaMush(DeltaMushScratch),
}

impl SpringRig {
    /// Binds a mesh to its skeleton.
    pub fn bind(
        input: &SpringInput<'_>,
        settings: &SpringSettings,
        progress: &dyn Progress,
    ) -> Result<Self, SpringBindError> {
        if input.skeleton.is_empty() {
            return Err(SpringBindError::NoJoints);
        }
        let first_stage = settings.first_stage;
        let skin = match input.weights {
            _ if settings.has_own_first_stage() => None,
            None => return Err(SpringBindError::NoWeights { first_stage }),
            Some(weights) => {
                let input = SkinInput {
                    positions: input.positions,
                    normals: &[],
                    weights,
                    triangles: input.triangles,
                    skeleton: input.skeleton,
                };
                Some(Skin::bind(first_stage, &input, progress)?)
            }
        };
        let adjacency = Adjacency::of_triangles(input.positions.len(), input.triangles);
        let plan = match settings.model {
            SpringModel::Anchored => bind_anchored(input, settings, &adjacency, progress)?,
            SpringModel::Paper => bind_paper(input, settings, &adjacency, progress)?,
            SpringModel::DeltaMush => bind_delta_mush(input, settings, &adjacency),
        };
        Ok(Self {
            settings: settings.clone(),
            num_points: input.positions.len(),
            num_joints: input.skeleton.len(),
            rest_bounds: Aabb::around(input.positions.iter().copied().filter(|p| p.is_finite())),
            skin,
            plan,
        })
    }

    /// What it was bound with.
    pub fn settings(&self) -> &SpringSettings {
        &self.settings
    }

    /// The same rig with another number of iterations a frame.
    #[must_use]
    pub fn with_iterations(mut self, iterations: u32) -> Option<Self> {
        self.set_iterations(iterations).then_some(self)
    }

    /// Changes the iterations a frame; true, since every model can. Delta mush has to smooth its
    /// rest as often, which takes about three frames' time.
    pub fn set_iterations(&mut self, iterations: u32) -> bool {
        self.settings.iterations = iterations;
        if let Plan::DeltaMush(mush) = &mut self.plan {
            mush.set_iterations(iterations);
        }
        true
    }

    /// Number of points.
    pub fn num_points(&self) -> usize {
        self.num_points
    }

    /// What holds its shells together: how each moves, and what is tied to what. `None` where there
    /// are none; only the anchored model knows of them.
    pub fn shells(&self) -> Option<&Shells> {
        match &self.plan {
            Plan::Anchored { layout, .. } => layout.rig().shells(),
            Plan::Paper(_) | Plan::DeltaMush(_) => None,
        }
    }

    /// Where a point holds on to its bone at rest; its own place where the model knows no such hold
    /// ([`SpringModel::Paper`] alone does).
    pub(crate) fn hold_of(&self, point: u32) -> DVec3 {
        match &self.plan {
            Plan::Paper(paper) => paper.hold_of(point),
            Plan::Anchored { .. } | Plan::DeltaMush(_) => DVec3::ZERO,
        }
    }

    /// Memory for frames.
    pub fn scratch(&self) -> SpringScratch {
        SpringScratch {
            skinned: vec![Vec3::ZERO; if self.has_skinned() { self.num_points } else { 0 }],
            of_plan: match &self.plan {
                Plan::Anchored { anchored, layers, .. } => PlanScratch::Anchored {
                    stage: Stage::new(anchored.order().num_slots()),
                    anchored: Box::new(anchored.scratch()),
                    pushes: vec![Vec3::ZERO; layers.num_links()],
                },
                Plan::Paper(paper) => PlanScratch::Paper {
                    bones: vec![PosedBone::REST; self.num_joints],
                    paper: paper.scratch(),
                },
                Plan::DeltaMush(mush) => PlanScratch::DeltaMush(mush.scratch()),
            },
        }
    }

    /// True if the first stage's points are there by themselves; the anchored model's own are in
    /// its stage.
    fn has_skinned(&self) -> bool {
        self.skin.is_some() || matches!(self.plan, Plan::Paper(_))
    }

    /// Relaxes a pose into `out`. Allocates nothing; large meshes use rayon's threads, and the bits
    /// are the same with any number of them.
    ///
    /// # Panics
    /// If the palette has too few joints, or the scratch, the start, a pin or `out` is not of this
    /// mesh.
    pub fn deform(
        &self,
        frame: &SpringFrame<'_>,
        scratch: &mut SpringScratch,
        out: &mut [Vec3],
    ) -> SpringStats {
        let SpringScratch { skinned, of_plan } = scratch;
        assert!(frame.palette.len() >= self.num_joints, "the palette has every joint");
        assert_eq!(out.len(), self.num_points, "one output a point");
        if let Some(within) = &frame.within {
            within.check(self.num_points);
        }
        let needs_skin = matches!(frame.start, Start::FirstStage)
            || frame.within.is_some_and(|within| within.base.is_none());
        if let (Plan::Paper(paper), PlanScratch::Paper { bones, .. }) = (&self.plan, &mut *of_plan)
        {
            paper.pose_bones(frame.palette, bones);
            if self.skin.is_none() && needs_skin {
                paper.first_stage(bones, frame.edits, skinned);
            }
        }
        if let (Some(skin), true) = (&self.skin, needs_skin) {
            skin.deform(frame.palette, skinned, &mut []);
        }
        let start = match frame.start {
            Start::FirstStage if self.has_skinned() => Start::Previous(skinned),
            start => start,
        };
        let within = frame.within.map(|within| Within {
            // The anchored model knows its own first stage.
            base: within.base.or(self.has_skinned().then_some(&skinned[..])),
            ..within
        });
        let SpringSettings { iterations, threshold, .. } = self.settings;
        match (&self.plan, of_plan) {
            (
                Plan::Anchored { layout, contacts, anchored, layers, riders, .. },
                PlanScratch::Anchored { stage, anchored: memory, pushes },
            ) => {
                stage.update(layout, contacts, frame.palette);
                let wishes = *frame;
                let keep_volume = f64::from(self.settings.keep_volume);
                let frame = AnchoredFrame {
                    start,
                    pins: frame.pins,
                    iterations,
                    threshold,
                    within,
                    edits: frame.edits,
                    growth: anchored.growth(frame.palette, keep_volume),
                    swell: frame.swell,
                };
                let stats = anchored.solve(&frame, stage, memory, out);
                layers.part(&wishes, pushes, out);
                riders.place((stage, anchored.order()), &wishes, out);
                stats
            }
            (Plan::Paper(paper), PlanScratch::Paper { bones, paper: memory }) => {
                let Start::Previous(start) = start else { unreachable!("the paper's has a skin") };
                let frame = PaperFrame {
                    start,
                    bones,
                    iterations,
                    threshold,
                    pins: frame.pins,
                    within,
                    edits: frame.edits,
                };
                paper.deform(&frame, memory, out)
            }
            (Plan::DeltaMush(mush), PlanScratch::DeltaMush(memory)) => {
                let Start::Previous(start) = start else { unreachable!("delta mush has a skin") };
                mush.deform(start, (frame.pins, within), memory, out);
                if let Some(Within { region, base: Some(base) }) = within {
                    for point in (0..self.num_points as u32).filter(|&p| !region.is_free(p)) {
                        out[point as usize] = base[point as usize];
                    }
                    for pin in frame.pins.iter().filter(|pin| pin.is_exact()) {
                        out[pin.point as usize] = pin.position;
                    }
                }
                SpringStats { iterations, ..SpringStats::default() }
            }
            _ => panic!("the scratch is of this rig"),
        }
    }
}

fn bind_anchored(
    input: &SpringInput<'_>,
    settings: &SpringSettings,
    adjacency: &Adjacency,
    progress: &dyn Progress,
) -> Result<Plan, SpringBindError> {
    let SpringInput { positions, triangles, weights, skeleton, pieces } = *input;
    let choice = ShellChoice { strength: f64::from(settings.shells), pieces };
    let attach = (&settings.attach, choice, progress);
    let bones = BoneSmoothRig::bind(positions, triangles, weights, skeleton, attach)?;
    let attachments = bones.attachments().of_point();
    let joint_of_point: Vec<u32> = attachments.iter().map(|a| a.joint).collect();
    let points = bones.points();
    let attachment_distance: Vec<f64> =
        points.iter().zip(attachments).map(|(p, a)| p.distance(a.place)).collect();
    let arm = |(point, p): (usize, &DVec3)| {
        let shares = bones.shares().bones(point).iter();
        p.distance(shares.map(|bone| bone.weight * bone.place).sum())
    };
    let arm_length: Vec<f64> = points.iter().enumerate().map(arm).collect();
    let held = super::ties::held(bones.shells(), pieces.held, points.len());
    let anchored = Anchored::bind(&AnchoredInput {
        positions,
        triangles,
        adjacency,
        joint_of_point: &joint_of_point,
        attachment_distance: &attachment_distance,
        arm_length: &arm_length,
        coefficients: &settings.coefficients,
        has_coarse_start: settings.coarse_start,
        ties: &super::ties::springs(bones.shells(), &held),
        is_held: &held,
        guard_scale: &super::ties::guard_scale(&bones),
    })?;
    let point_of_slot = anchored.order().point_of_slot();
    let contacts = Contacts::bind(skeleton, attachments, points, point_of_slot);
    let layers = Layers::bind(bones.shells(), &held, positions);
    let riders = Riders::bind(bones.shells(), positions);
    let freedom = bones.shells().map_or_else(Vec::new, |shells| {
        freedom::find(&FreedomInput {
            points,
            triangles,
            shells,
            held: &held,
            attachments,
            skeleton,
        })
    });
    let order = Order::Slots(point_of_slot);
    let layout = Layout::new(Arc::new(bones), order, &[], f64::from(settings.keep_volume));
    let (layout, anchored) = (Box::new(layout), Box::new(anchored));
    Ok(Plan::Anchored { layout, contacts, anchored, layers, riders, freedom: freedom.into() })
}

fn bind_paper(
    input: &SpringInput<'_>,
    settings: &SpringSettings,
    adjacency: &Adjacency,
    progress: &dyn Progress,
) -> Result<Plan, SpringBindError> {
    let points: Vec<DVec3> = input
        .positions
        .iter()
        .map(|p| if p.is_finite() { p.as_dvec3() } else { DVec3::ZERO })
        .collect();
    let attach = AttachInput {
        points: &points,
        adjacency,
        triangles: input.triangles,
        weights: input.weights,
        skeleton: input.skeleton,
    };
    let attachments = Attachments::bind(&attach, &settings.attach, progress)?;
    let order = SlotOrder::new(adjacency);
    let bone = |joint| input.skeleton.bind_bone(joint);
    let paper = PaperSprings::bind(&PaperInput {
        positions: input.positions,
        triangles: input.triangles,
        adjacency,
        attachments: attachments.of_point(),
        bones: &(0..input.skeleton.len() as u32).map(bone).collect::<Vec<_>>(),
        coefficients: &settings.coefficients,
        step_seconds: settings.step_seconds,
        order: &order.point_of_slot()[..order.num_points()],
    })?;
    Ok(Plan::Paper(Box::new(paper)))
}

fn bind_delta_mush(
    input: &SpringInput<'_>,
    settings: &SpringSettings,
    adjacency: &Adjacency,
) -> Plan {
    let order = SlotOrder::new(adjacency);
    let input = DeltaMushInput {
        positions: input.positions,
        triangles: input.triangles,
        adjacency,
        order: &order.point_of_slot()[..order.num_points()],
    };
    let settings =
        DeltaMushSettings { iterations: settings.iterations, ..DeltaMushSettings::default() };
    Plan::DeltaMush(Box::new(DeltaMush::bind(&input, &settings)))
}
