//! What a frame costs beside what it is made of (`--filter frame`): `run` beside its kernel,
//! refits, a face clip beside the springs under it, a change of stiffness beside a bind. What
//! stands beside each other is timed turn by turn in one run.

mod table;
mod work;

pub(crate) use table::{as_json, as_text};

use std::time::{Duration, Instant};

use sinew::progress::Progress;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

use self::work::{Prepared, Work};
use super::cases::{Fixtures, size_name};
use super::springs::{self, Rigs};
use super::timing::{Timing, summary};
use crate::exit::Failure;

/// Points of the cases without springs.
const SIZE: usize = 100_000;

/// Frames before it is the other's turn; the first of a turn finds cold caches and is not counted.
const FRAMES_A_TURN: usize = 4;

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    /// `Plan::run` beside the kernel that it runs.
    Run(SkinMethod),
    /// A skin follows a rest that moved.
    Refit(SkinMethod),
    /// Springs follow one, beside their frame.
    RefitSprings(SpringModel),
    /// Of many shapes on a body, a few at work: the points at rest.
    Shapes,
    /// A clip that moves shapes under springs, beside one that moves none.
    FaceClip(SpringModel),
    /// Another stiffness and the frame after it, beside a bind or beside the frame alone.
    Stiffness(Beside),
}

/// What a change of stiffness stands beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    Bind,
    Frame,
}

/// Every case in the order of the table.
pub(crate) fn all() -> Vec<Case> {
    let of_methods = |case: fn(SkinMethod) -> Case| SkinMethod::ALL.map(case).into_iter();
    let of_models = |case: fn(SpringModel) -> Case| SpringModel::ALL.map(case).into_iter();
    of_methods(Case::Run)
        .chain(of_methods(Case::Refit))
        .chain([Case::Shapes])
        .chain(of_models(Case::RefitSprings))
        .chain(of_models(Case::FaceClip))
        .chain([Beside::Bind, Beside::Frame].map(Case::Stiffness))
        .collect()
}

impl Case {
    pub(crate) fn name(self) -> String {
        let size = size_name(SIZE);
        match self {
            Self::Run(method) => format!("frame run {} {size}", method.name()),
            Self::Refit(method) => format!("frame refit {} {size}", method.name()),
            Self::Shapes => "frame shapes 64 on human 20k, 4 at work".into(),
            Self::RefitSprings(model) => format!("frame refit {} human", model.name()),
            Self::FaceClip(model) => format!("frame face clip {} human", model.name()),
            Self::Stiffness(Beside::Bind) => "frame stiffness anchored human, a bind".into(),
            Self::Stiffness(Beside::Frame) => "frame stiffness anchored human, a frame".into(),
        }
    }

    /// The design's: of nanoseconds a point for what stands alone, of the ratio for what does not.
    fn goal(self) -> Option<f64> {
        match self {
            Self::Run(_) | Self::FaceClip(_) => Some(1.1),
            Self::Refit(method) => match method {
                SkinMethod::Rigid | SkinMethod::Linear | SkinMethod::DualQuat => Some(2.0),
                SkinMethod::CenterOfRotation => Some(4.0),
                SkinMethod::BoneSmooth => None,
            },
            // Half a millisecond on 20,000 points.
            Self::Shapes => Some(25.0),
            Self::RefitSprings(_) => Some(0.2),
            Self::Stiffness(_) => None,
        }
    }
}

/// A line of the table.
pub(crate) struct Row {
    case: Case,
    num_points: usize,
    timing: Timing,
    beside: Option<(&'static str, Timing)>,
}

impl Row {
    fn ns_per_point(&self, ns: f64) -> f64 {
        ns / self.num_points as f64
    }

    fn ratio(&self) -> Option<f64> {
        self.beside.map(|(_, beside)| self.timing.best_ns / beside.best_ns)
    }
}

pub(crate) fn measure(
    case: Case,
    (fixtures, rigs): (&mut Fixtures, &mut Rigs),
    pool: &rayon::ThreadPool,
    budget: Duration,
    progress: &dyn Progress,
) -> Result<Row, Failure> {
    let mut prepared = match case {
        Case::Run(method) => work::run(method, fixtures)?,
        Case::Refit(method) => work::refit(method, fixtures),
        Case::Shapes => work::shapes()?,
        Case::RefitSprings(model) => {
            work::refit_springs(&*rigs.get(springs::human(model), progress)?)
        }
        Case::FaceClip(model) => {
            work::face_clip(model, &*rigs.get(springs::human(model), progress)?)?
        }
        Case::Stiffness(beside) => {
            work::stiffness(beside, &*rigs.get(springs::human(SpringModel::Anchored), progress)?)?
        }
    };
    let [own, beside] = pool.install(|| turn_by_turn(&mut prepared, budget));
    let beside = prepared.beside.map(|(what, _)| (what, summary(beside)));
    Ok(Row { case, num_points: prepared.num_points, timing: summary(own), beside })
}

fn turn_by_turn(prepared: &mut Prepared, budget: Duration) -> [Vec<f64>; 2] {
    let timed = |work: &mut Work, times: &mut Vec<f64>| {
        for turn in 0..FRAMES_A_TURN {
            let before = Instant::now();
            work();
            if turn > 0 {
                times.push(before.elapsed().as_nanos() as f64);
            }
        }
    };
    let mut times = [Vec::new(), Vec::new()];
    let start = Instant::now();
    while times[0].is_empty() || start.elapsed() < 2 * budget {
        timed(&mut prepared.run, &mut times[0]);
        if let Some((_, beside)) = &mut prepared.beside {
            timed(beside, &mut times[1]);
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_cases_apart_and_all_are_of_the_group() {
        let names: std::collections::HashSet<String> = all().into_iter().map(Case::name).collect();
        assert_eq!(names.len(), all().len());
        assert!(names.iter().all(|name| name.starts_with("frame ")), "{names:?}");
    }

    #[test]
    fn a_bench_character_keeps_its_points_in_their_order() {
        let mut fixtures = Fixtures::default();
        let (whole, bare) = (fixtures.whole(2_000), fixtures.character(2_000));
        assert_eq!(whole.parts[0].mesh.points(), bare.positions);
        assert_eq!(whole.parts[0].weights.as_ref(), Some(&bare.weights));
    }
}
