//! Shells: what holds a layered character together.
//!
//! A real character is many shells, each a piece of surface by itself: armour over cloth, sleeves,
//! pouches, hair. Nothing but the artist's weights holds them together, and what spreads over one
//! shell alone parts it from the next. So shells are tied:
//!
//! - **Bridges** ([`Bridge`]): each point to the closest triangle of another shell within
//!   `r = .02` of the diagonal, to two shells at the most, with the confidence
//!   `s·S((o − .4)/.5)·(1 − (gap/r)²)`: `o` is the overlap `Σ min(w_p, w_q)` of the authored
//!   weights and of what lies around the other's joint, `S` a smooth step, `s` how strongly shells
//!   are to hold. Weights are what keeps an arm from being tied to the torso.
//! - **Rigid shells** ([`ShellKind`]): plates, buckles, buttons, whose weights are the same
//!   everywhere, keep their shapes.
//! - **Trust** in the artist: the more a point is tied, and the less weight its attached bone has,
//!   the more its shares are the authored weights.
//!
//! With one shell, or without weights, there is nothing of this. `docs/methods/layered.md` has what
//! was tried.

mod bridges;
mod kinds;
mod overlap;

use glam::DVec3;

use crate::mesh::Components;
use crate::weights::{Influence, SkinWeights};

/// What shells are found from.
#[derive(Clone, Copy, Debug)]
pub struct ShellInput<'a> {
    /// Rest points in model space, welded.
    pub points: &'a [DVec3],
    /// The triangles between the points.
    pub triangles: &'a [[u32; 3]],
    /// What the artist gave them.
    pub weights: &'a SkinWeights,
    /// Of each joint, before its children.
    pub parents: &'a [Option<u32>],
    /// How strongly shells hold, 0 to 1.
    pub strength: f64,
    /// What was decided about single shells, and what is held.
    pub pieces: Pieces<'a>,
}

/// What is known of points besides where they are, one a point each, or empty for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pieces<'a> {
    /// True for what stays where the first stage puts it.
    pub held: &'a [bool],
    /// Whether a point's shell keeps its shape; `None` leaves it to the rule. A shell has its first
    /// point's.
    pub rigid: &'a [Option<bool>],
}

/// How a shell moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellKind {
    /// It bends and stretches.
    Soft,
    /// It keeps its shape, and goes with its joints.
    Rigid,
    /// It keeps its shape, and goes with the surface below it: what is much smaller than that.
    Rider,
}

/// A point and the place on another shell that it is tied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bridge {
    /// The point.
    pub point: u32,
    /// The corners of the other shell's triangle.
    pub corners: [u32; 3],
    /// Where on it: a share a corner.
    pub shares: [f64; 3],
    /// How much it is tied, above 0 and up to 1.
    pub confidence: f64,
}

/// The shells of a skin.
#[derive(Clone, Debug)]
pub struct Shells {
    components: Components,
    kinds: Vec<ShellKind>,
    /// By their points.
    bridges: Vec<Bridge>,
    /// Of each shell that keeps its shape, the weights that it has all over.
    rows: Vec<Vec<Influence>>,
    /// The strongest tie of each point.
    ties: Vec<f64>,
}

impl Shells {
    /// Finds them; `None` where there are none: one shell alone, or nothing that is tied or rigid.
    pub fn find(input: &ShellInput<'_>) -> Option<Self> {
        let num_points = input.points.len();
        assert_eq!(input.weights.num_points(), num_points, "one row of weights a point");
        let components = Components::of_triangles(num_points, input.triangles);
        let mut has_triangles = vec![false; components.len()];
        for triangle in input.triangles {
            has_triangles[components.of_point()[triangle[0] as usize] as usize] = true;
        }
        if has_triangles.iter().filter(|&&has| has).count() < 2 {
            return None;
        }
        let diagonal = diagonal(input.points);
        let mut bridges = bridges::find(input, &components, diagonal);
        let rows = kinds::constant_rows(input, &components, &has_triangles);
        let kinds = kinds::find(input, &components, (&rows, &bridges), diagonal);
        let kind = |point: u32| kinds[components.of_point()[point as usize] as usize];
        // What rides goes with what is below it, and pulls at nothing.
        bridges.retain(|bridge| kind(bridge.corners[0]) != ShellKind::Rider);
        let mut ties = vec![0.0f64; num_points];
        for bridge in &bridges {
            let tie = &mut ties[bridge.point as usize];
            *tie = tie.max(bridge.confidence);
        }
        let is_plain = bridges.is_empty() && kinds.iter().all(|&kind| kind == ShellKind::Soft);
        (!is_plain).then_some(Self { components, kinds, bridges, rows, ties })
    }

    /// Which shell each point is of.
    pub fn components(&self) -> &Components {
        &self.components
    }

    /// How each shell moves.
    pub fn kinds(&self) -> &[ShellKind] {
        &self.kinds
    }

    /// How a point's shell moves.
    pub fn kind_of(&self, point: u32) -> ShellKind {
        self.kinds[self.components.of_point()[point as usize] as usize]
    }

    /// What is tied to what, by the first's number.
    pub fn bridges(&self) -> &[Bridge] {
        &self.bridges
    }

    /// The weights that a shell has all over, where it keeps its shape.
    pub(crate) fn row_of(&self, shell: u32) -> Option<&[Influence]> {
        (self.kinds[shell as usize] != ShellKind::Soft).then(|| &self.rows[shell as usize][..])
    }

    /// How strongly a point is tied, 0 to 1.
    pub(crate) fn tie(&self, point: usize) -> f64 {
        self.ties[point]
    }

    /// True for a point whose shell keeps its shape.
    pub(crate) fn is_rigid(&self, point: usize) -> bool {
        self.kind_of(point as u32) != ShellKind::Soft
    }
}

/// Of the box around all points that are numbers.
fn diagonal(points: &[DVec3]) -> f64 {
    let finite = points.iter().filter(|p| p.is_finite());
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = finite.fold(start, |(low, high), &p| (low.min(p), high.max(p)));
    let diagonal = low.distance(high);
    if diagonal.is_finite() { diagonal } else { 0.0 }
}

/// `3t² − 2t³`, 0 before 0 and 1 from 1 on.
pub(crate) fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
