//! What is bound, as plain arrays: what another device uploads to run the same frames.

use super::iterate::{CHECK_ITERATIONS, Omegas};
use super::prepare::LEAST_SQUARE;
use super::{Anchored, Forces, coarse};
use crate::skin::BoneSmoothTables;
use crate::springs::contact::{FADE_COSINES, FLAT_SHARE, NO_CONTACT};
use crate::springs::rows::{LANES, POSITION_FLOATS};

/// A mesh bound to the anchored model.
#[derive(Clone, Debug, PartialEq)]
pub struct AnchoredTables {
    /// The mesh's own points and springs.
    pub level: LevelTables,
    /// Where frames from scratch begin, if not at the first stage.
    pub coarse: Option<CoarseTables>,
    /// Bone-smooth skinning into a [`Stage`](crate::springs::stage::Stage) of the level's slots.
    pub first_stage: BoneSmoothTables,
    /// By slot of the level: the plane that keeps it from the next bone's skin.
    pub contacts: Vec<Option<ContactRow>>,
    /// Cosines of the bends between which planes fade in.
    pub contact_fade_cosines: [f32; 2],
    /// Of the hinge's own direction in a plane's normal, beside the sum of the bones' directions.
    pub contact_flat_share: f32,
    /// The least product of a slot without a plane.
    pub no_contact: f32,
    /// What keeps its volume; `None` for surfaces around nothing.
    pub volume: Option<VolumeTables>,
    /// Bridges between shells that keep their sides.
    pub layers: LayerTables,
    /// Shells that keep their shapes, placed when all others are.
    pub riders: Vec<RiderTables>,
    /// Scales of the terms.
    pub forces: Forces,
    /// Squares below this have no direction.
    pub least_square: f32,
    /// The threshold is looked at after so many iterations.
    pub check_iterations: u32,
}

/// Points and the springs between them, by slot and by half-edge.
///
/// Half-edges are sliced-ELL rows ([`Rows`](crate::springs::rows::Rows)): that of slot `s` in row
/// `r` of its slice `s / LANES` is number `(row_starts[s / LANES] + r) · LANES + s % LANES`.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelTables {
    /// Number of points; there may be more slots.
    pub num_points: usize,
    /// The point of each slot; padding repeats the last one.
    pub point_of_slot: Vec<u32>,
    /// Where each slice's rows begin, and where the last one's end.
    pub row_starts: Vec<u32>,
    /// Half-edges: the neighbour's slot.
    pub neighbours: Vec<u32>,
    /// Half-edges: `k`, 0 for padding.
    pub stiffness: Vec<f32>,
    /// Half-edges: `e⁰` and, last, `|s_i||s_j|`, negative for what ties two shells.
    pub rest_edges: Vec<[f32; 4]>,
    /// Slots.
    pub anchors: Vec<AnchorRow>,
    /// The bound on the iteration's spectrum that Chebyshev's factors come from.
    pub rho: f64,
    /// The unit of residuals.
    pub smallest_side: f32,
}

/// The coarse level: the same springs between fewer points, and how the others follow them.
///
/// Its stage is the seeds' part of the fine one. After its iterations a fine slot begins at
/// `x* + Σ w t (x_c − x*_c)`.
#[derive(Clone, Debug, PartialEq)]
pub struct CoarseTables {
    /// Its points and springs.
    pub level: LevelTables,
    /// The fine slot of each coarse one.
    pub seeds: Vec<u32>,
    /// By fine slot: the coarse ones that it follows.
    pub blend_slots: Vec<[u32; 4]>,
    /// By fine slot: how much, 1 in sum or all 0.
    pub blend_weights: Vec<[f32; 4]>,
    /// How many iterations it runs.
    pub iterations: u32,
    /// `t` is `this·H/(this·H + G)` with the sums of `k ℓ⁰²` and `k g` over a coarse slot's
    /// half-edges.
    pub twist_softness: f32,
}

/// What is known of a slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorRow {
    /// `ε`.
    pub stiffness: f32,
    /// `l_m = (.89 + .04ε)|s⁰|`.
    pub least_length: f32,
    /// `ε_g`, of the length guard.
    pub guard: f32,
    /// `D`.
    pub diagonal: f32,
    /// `D` of a handle.
    pub handle_diagonal: f32,
    /// True for what stays at its target: padding, and points without neighbours.
    pub is_loose: bool,
}

/// A slot beside a joint in which two bones meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// The joints of the two bones.
    pub parent: u32,
    /// The one whose head is the joint.
    pub child: u32,
    /// Where they meet, in the space of the rest points.
    pub place: [f32; 3],
    /// 1 on the child's side, −1 on the parent's.
    pub sign: f32,
    /// How far beyond the plane the slot is at rest; not above 0.
    pub least: f32,
}

/// A closed surface around a body, and how it keeps its volume (`springs::anchored::volume` has the
/// formulas).
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeTables {
    /// Slots of its triangles, facing outwards; never empty.
    pub corners: Vec<[u32; 3]>,
    /// `V⁰`.
    pub rest_volume: f64,
    /// Joints, and what of the volume is around their bones.
    pub shares: Vec<(u32, f64)>,
    /// `c_v`.
    pub coefficient: f64,
    /// Of what is too much, how much is taken away.
    pub shrink_share: f64,
    /// The most that is made up for, over `V⁰`.
    pub most_missing: f64,
    /// The most that skin moves by, over `g`.
    pub most_swell: f64,
    /// Of `V⁰`: bends that give less have nothing to make up for it with.
    pub least_rate: f64,
}

/// Bridges between shells that keep their sides (`springs::layers` has the formulas).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerTables {
    /// The bridges.
    pub links: Vec<LayerLink>,
    /// By link: the height at rest, 0 for no side; and over how much its push sets in.
    pub heights: Vec<[f32; 2]>,
    /// Points that may be pushed, and where their entries begin; the last is the end.
    pub starts: Vec<(u32, u32)>,
    /// By point: a link, and its coefficient.
    pub entries: Vec<(u32, f32)>,
}

/// A bridge that keeps its side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerLink {
    /// The point.
    pub point: u32,
    /// The triangle's corners.
    pub corners: [u32; 3],
    /// Where on it: a share a corner.
    pub shares: [f32; 3],
    /// `c`, which fades with the confidence.
    pub strength: f32,
}

/// A shell that keeps its shape, and goes with some places on others (`springs::riders` has the
/// formulas).
#[derive(Clone, Debug, PartialEq)]
pub struct RiderTables {
    /// The slot whose rotation the turn is sought from.
    pub slot: u32,
    /// `λ`.
    pub prior: f32,
    /// True if its samples are on others, which are to be placed before it: they come first.
    pub lies_on_others: bool,
    /// Its points, and where they are from `m` at rest.
    pub points: Vec<(u32, [f32; 3])>,
    /// What it goes with.
    pub samples: Vec<SampleRow>,
}

/// A place that a shell goes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRow {
    /// Points around it.
    pub corners: [u32; 3],
    /// Of each, how much.
    pub shares: [f32; 3],
    /// How much it counts, over all of the shell's.
    pub weight: f32,
    /// Where it is from `m` at rest.
    pub arm: [f32; 3],
}

/// `ω` of so many iterations, from [`LevelTables::rho`].
pub fn chebyshev_factors(rho: f64, iterations: u32) -> Vec<f32> {
    Omegas::new(rho, iterations).take(iterations as usize).collect()
}

impl Anchored {
    /// What is bound, as plain arrays, with its first stage's.
    pub(crate) fn tables(
        &self,
        first_stage: BoneSmoothTables,
        contacts: Vec<Option<ContactRow>>,
        (layers, riders): (LayerTables, Vec<RiderTables>),
    ) -> AnchoredTables {
        AnchoredTables {
            level: self.level_tables(),
            coarse: self.coarse.as_ref().map(|coarse| CoarseTables {
                level: coarse.plan.level_tables(),
                seeds: coarse.seeds.to_vec(),
                blend_slots: coarse.blends.iter().map(|blend| blend.slots).collect(),
                blend_weights: coarse.blends.iter().map(|blend| blend.weights).collect(),
                iterations: coarse::ITERATIONS,
                twist_softness: coarse::TWIST_SOFTNESS,
            }),
            first_stage,
            contacts,
            contact_fade_cosines: FADE_COSINES.map(|cosine| cosine as f32),
            contact_flat_share: FLAT_SHARE as f32,
            no_contact: NO_CONTACT,
            volume: self.body.as_ref().and_then(|body| body.tables()),
            layers,
            riders,
            forces: self.forces,
            least_square: LEAST_SQUARE,
            check_iterations: CHECK_ITERATIONS,
        }
    }

    fn level_tables(&self) -> LevelTables {
        let mut anchors: Vec<AnchorRow> = (0..self.order.num_slots())
            .map(|slot| {
                let anchor = &self.anchors[slot / LANES];
                AnchorRow {
                    stiffness: anchor.stiffness[slot % LANES],
                    least_length: anchor.least_length[slot % LANES],
                    guard: anchor.guard[slot % LANES],
                    diagonal: self.slot_bound(slot),
                    handle_diagonal: self.handle_bound(slot),
                    is_loose: false,
                }
            })
            .collect();
        for &slot in &*self.loose_slots {
            anchors[slot as usize].is_loose = true;
        }
        let slot_of_float = |float: &u32| float / POSITION_FLOATS as u32;
        let rest_edges = self.rests.iter().flat_map(|row| {
            let [x, y, z] = row.edge;
            (0..LANES).map(move |lane| [x[lane], y[lane], z[lane], row.arms[lane]])
        });
        LevelTables {
            num_points: self.order.num_points(),
            point_of_slot: self.order.point_of_slot().to_vec(),
            row_starts: self.row_starts.to_vec(),
            neighbours: self
                .links
                .iter()
                .flat_map(|row| row.neighbours.iter().map(slot_of_float))
                .collect(),
            stiffness: self.links.iter().flat_map(|row| row.stiffness).collect(),
            rest_edges: rest_edges.collect(),
            anchors,
            rho: self.rho(),
            smallest_side: self.smallest_side,
        }
    }
}
