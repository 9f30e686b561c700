//! Strokes on a surface: from a stroke to its region and the first solve, and a drag of what is
//! bound, for each way to follow.

use std::time::Duration;

use glam::DVec3;
use sinew::Character;
use sinew::mesh::Adjacency;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::sketch::surface::{
    Bones, Extent, Handle, OffsetStroke, ReachBy, Sheet, StrokeFrame, SurfaceMethod, SurfaceSolver,
    SurfaceStroke, handles_of, region_of,
};

use super::items::{Row, show};
use super::timing::time;
use super::weights::giant;
use crate::console::Console;
use crate::exit::Failure;

/// Edges around the stroke of the first solve.
const EDGES: u32 = 10;
/// Points of the region that is dragged.
const DRAGGED: usize = 5_000;
/// A solve does at most so many.
const ROUNDS_A_SOLVE: u32 = 12;
/// More edges than any mesh is across.
const ALL_EDGES: u32 = 10_000;
/// Of the character's diagonal.
const LENGTH: f32 = 0.2;
const HEIGHT: f64 = 0.03;

struct Drawn<'a> {
    character: &'a Character,
    sheet: Sheet<'a>,
    stroke: SurfaceStroke,
}

impl Drawn<'_> {
    /// What a stroke takes hold of.
    fn handles(&self) -> (Vec<StrokeFrame>, Vec<Handle>) {
        let frames = self.stroke.frames(&self.sheet);
        let handles = handles_of(&self.stroke, &frames, &self.sheet);
        (frames, handles)
    }

    fn bind(
        &self,
        handles: &[Handle],
        edges: u32,
        method: SurfaceMethod,
    ) -> Result<(usize, SurfaceSolver), Failure> {
        let region = region_of(&self.sheet, handles, Extent::Edges(edges));
        let weights = self.character.parts[0].weights.as_ref();
        let skeleton = &self.character.skeleton;
        let bones = Bones { skeleton, weights, reach: ReachBy::Turn };
        let size = region.handles().len() + region.passive().len();
        let solver = SurfaceSolver::bind(&self.sheet, &region, method, &bones)
            .map_err(|error| Failure::Input(error.to_string()))?;
        Ok((size, solver))
    }

    fn moves(&self, frames: &[StrokeFrame], handles: &[Handle], times: f64) -> Vec<DVec3> {
        let diagonal = f64::from(self.character.bounds().diagonal());
        let offset = OffsetStroke::of_height(HEIGHT * times * diagonal);
        handles.iter().map(|handle| offset.move_at(frames, handle.share)).collect()
    }
}

pub(super) fn run(
    words: &[&str],
    (is_json, budget): (bool, Duration),
    pool: &rayon::ThreadPool,
    console: &Console,
) -> Result<(), Failure> {
    let takes = |name: &str| words.iter().all(|word| name.contains(word));
    let mut rows = Vec::new();
    let chibi = build(&SampleOptions::new(SampleKind::Chibi))
        .map_err(|error| Failure::Input(error.to_string()))?;
    let giant = giant()?;
    pool.install(|| -> Result<(), Failure> {
        for (who, character) in [("chibi", &chibi), ("giant", &giant)] {
            let mesh = &character.parts[0].mesh;
            let adjacency = Adjacency::of(mesh);
            let sheet = Sheet::of(mesh, &adjacency);
            let bounds = character.bounds();
            let middle = bounds.center() - bounds.size() * glam::Vec3::Z;
            let half = 0.5 * LENGTH * bounds.diagonal() * glam::Vec3::Y;
            let stroke = SurfaceStroke::through(&sheet, &[middle - half, middle + half]);
            let drawn = Drawn { character, sheet, stroke };
            for method in SurfaceMethod::ALL {
                let name = format!("sketch {who} stroke to first solve, {}", method.name());
                if takes(&name) {
                    let mut size = 0;
                    let timing = time(budget, || {
                        let (frames, handles) = drawn.handles();
                        if let Ok((points, solver)) = drawn.bind(&handles, EDGES, method) {
                            size = points;
                            let moves = drawn.moves(&frames, &handles, 1.0);
                            std::hint::black_box(solver.solve(&moves));
                        }
                    });
                    rows.push(Row { name, items: size.max(1), timing });
                }
                if method == SurfaceMethod::AsRigidAsPossible {
                    rows.extend(rigid_round(&drawn, (who, &takes), budget)?);
                }
                for (wanted, of) in [(DRAGGED, "5k points"), (usize::MAX, "all points")] {
                    let name = format!("sketch {who} drag of {of}, {}", method.name());
                    if !takes(&name) {
                        continue;
                    }
                    let (frames, handles) = drawn.handles();
                    let edges = edges_of(&drawn, &handles, wanted);
                    let (size, solver) = drawn.bind(&handles, edges, method)?;
                    let mut turn = 0;
                    let timing = time(budget, || {
                        turn += 1;
                        let moves = drawn.moves(&frames, &handles, 1.0 + f64::from(turn % 7) / 7.0);
                        std::hint::black_box(solver.solve(&moves));
                    });
                    rows.push(Row { name, items: size, timing });
                }
            }
        }
        Ok(())
    })?;
    show("sketch", &rows, is_json, console)
}

/// One round of all points on one thread: libigl's unit.
fn rigid_round(
    drawn: &Drawn<'_>,
    (who, takes): (&str, &dyn Fn(&str) -> bool),
    budget: Duration,
) -> Result<Option<Row>, Failure> {
    let name = format!("sketch {who} one round of all points, as-rigid-as-possible, one thread");
    if !takes(&name) {
        return Ok(None);
    }
    let failed = |what: &dyn std::fmt::Display| Failure::Input(format!("the bench: {what}"));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    one.map_err(|error| failed(&error))?.install(|| {
        let (frames, handles) = drawn.handles();
        let (items, solver) = drawn.bind(&handles, ALL_EDGES, SurfaceMethod::AsRigidAsPossible)?;
        let moves = drawn.moves(&frames, &handles, 1.0);
        let start = solver.rigid_rounds(&moves).ok_or_else(|| failed(&"no rounds"))?;
        let (mut rounds, mut run) = (start.clone(), 0);
        let timing = time(budget, || {
            run += 1;
            // Rounds of a shape that has settled are cheaper: no solve does as many.
            if run % ROUNDS_A_SOLVE == 0 {
                rounds = start.clone();
            }
            std::hint::black_box(solver.rigid_round(&mut rounds));
        });
        Ok(Some(Row { name, items, timing }))
    })
}

/// So many edges that the region has as many points; all of them if it never has.
fn edges_of(drawn: &Drawn<'_>, handles: &[Handle], wanted: usize) -> u32 {
    let has = |edges: u32| {
        let region = region_of(&drawn.sheet, handles, Extent::Edges(edges));
        region.handles().len() + region.passive().len()
    };
    if wanted >= drawn.sheet.points.len() {
        return ALL_EDGES;
    }
    (1..ALL_EDGES).find(|&edges| has(edges) >= wanted).unwrap_or(ALL_EDGES)
}
