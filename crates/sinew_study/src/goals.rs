//! The goals of issue 3 (springs.md, 'Reach', 1 to 3) as a table: which figure of which pose must
//! lie within what.
//!
//! Goal 4, popping, is [`crate::sweep`]'s. Poses that must pass through themselves (the box at 90°,
//! the plus at 60°, bends past 135°) have none.

use std::ops::RangeInclusive;

use crate::study::{Cell, Figures};

/// A figure of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Posed over rest.
    Volume,
    /// The smallest share of its distance to the bone that a point has kept.
    SmallestScale,
    /// The longest posed over rest length of an edge.
    MaxStretch,
    /// The stretch that 99.9 % of the edges do not exceed.
    P999Stretch,
    /// Triangles turned inside out.
    Inverted,
    /// The smallest posed over rest area of a ring.
    RingArea,
    /// Degrees of twist from base to end.
    TwistKept,
}

impl Figure {
    /// As the table has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Volume => "volume",
            Self::SmallestScale => "min |s|",
            Self::MaxStretch => "max stretch",
            Self::P999Stretch => "99.9 % stretch",
            Self::Inverted => "inverted",
            Self::RingArea => "ring area",
            Self::TwistKept => "twist kept",
        }
    }

    /// Its value; `None` where the subject has none, or the shape is not finite.
    pub fn of(self, figures: &Figures) -> Option<f64> {
        let value = match self {
            Self::Volume => figures.measures.volume_ratio,
            Self::SmallestScale => figures.rig.min_attachment_ratio,
            Self::MaxStretch => figures.measures.max_stretch,
            Self::P999Stretch => figures.measures.p999_stretch,
            Self::Inverted => Some(figures.measures.inverted_triangles as f64),
            Self::RingArea => figures.min_ring_area,
            Self::TwistKept => figures.twist_kept_degrees,
        };
        value.filter(|_| figures.measures.finite)
    }
}

/// A figure of a pose, and where it must lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// The subject's whole name.
    pub subject: &'static str,
    /// The pose's whole name.
    pub pose: &'static str,
    /// What is looked at.
    pub figure: Figure,
    /// Where it must lie.
    pub within: RangeInclusive<f64>,
}

const ANY: f64 = f64::INFINITY;
const MAKEHUMANS: [&str; 2] = ["MakeHuman", "MakeHuman game"];

/// All goals of the study.
pub fn all() -> Vec<Goal> {
    let mut goals = Goals::default();
    for subject in ["cylinder 1.8k", "cylinder 16k"] {
        for (pose, stretch) in [("bend 45", 1.22), ("bend 90", 1.40), ("bend 135", 1.60)] {
            goals.add(subject, pose, Figure::Volume, 0.99..=1.01);
            goals.add(subject, pose, Figure::RingArea, 0.995..=ANY);
            goals.add(subject, pose, Figure::MaxStretch, 0.0..=stretch);
            goals.add(subject, pose, Figure::Inverted, 0.0..=0.0);
        }
        let twists = [("twist 90", 90.0, 0.99), ("twist 180", 180.0, 0.99)];
        let turns = [("twist 360", 360.0, 0.98), ("twist 720", 720.0, 0.92)];
        for (pose, degrees, area) in twists.into_iter().chain(turns) {
            goals.add(subject, pose, Figure::TwistKept, 0.93 * degrees..=ANY);
            goals.add(subject, pose, Figure::RingArea, area..=ANY);
        }
    }
    for pose in ["curl 45", "curl 60"] {
        goals.add("box", pose, Figure::Volume, 0.98..=1.04);
        goals.add("box", pose, Figure::Inverted, 0.0..=0.0);
    }
    for pose in ["curl 30", "curl 45"] {
        goals.add("plus", pose, Figure::Volume, 0.96..=ANY);
        goals.add("plus", pose, Figure::Inverted, 0.0..=2.0);
    }
    for subject in ["human", "chibi"] {
        for pose in ["squat", "arms crossed", "high kick", "arms up"] {
            goals.add(subject, pose, Figure::Volume, 0.98..=1.03);
            goals.add(subject, pose, Figure::SmallestScale, 0.80..=ANY);
            goals.add(subject, pose, Figure::P999Stretch, 0.0..=1.80);
            goals.add(subject, pose, Figure::Inverted, 0.0..=5.0);
        }
    }
    for subject in MAKEHUMANS {
        for pose in ["squat", "reach", "run"] {
            goals.add(subject, pose, Figure::Volume, 0.95..=1.02);
            goals.add(subject, pose, Figure::SmallestScale, 0.77..=ANY);
            goals.add(subject, pose, Figure::P999Stretch, 0.0..=1.60);
            goals.add(subject, pose, Figure::Inverted, 0.0..=25.0);
        }
    }
    goals.0
}

#[derive(Default)]
struct Goals(Vec<Goal>);

impl Goals {
    fn add(
        &mut self,
        subject: &'static str,
        pose: &'static str,
        figure: Figure,
        within: RangeInclusive<f64>,
    ) {
        self.0.push(Goal { subject, pose, figure, within });
    }
}

impl Goal {
    /// The value that a method came to, and whether it is within; `None` if the pose was not
    /// studied with it.
    pub fn check(&self, cells: &[Cell], method: &str) -> Option<(Option<f64>, bool)> {
        let cell = cells.iter().find(|cell| {
            cell.subject == self.subject && cell.pose == self.pose && cell.method == method
        })?;
        let value = self.figure.of(&cell.figures);
        Some((value, value.is_some_and(|value| self.within.contains(&value))))
    }

    /// `≤ 1.22`, `≥ .995` or `.99–1.01`.
    pub fn bound(&self) -> String {
        let (least, most) = (*self.within.start(), *self.within.end());
        match (least > 0.0, most.is_finite()) {
            (true, true) => format!("{least}–{most}"),
            (true, false) => format!("≥ {least}"),
            (false, _) => format!("≤ {most}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedural;
    use crate::study::{Filter, run};

    #[test]
    fn every_procedural_goal_names_a_pose_that_is_studied() {
        let subjects = [
            procedural::cylinder("cylinder 1.8k", 1_804).unwrap(),
            procedural::cylinder("cylinder 16k", 16_000).unwrap(),
            procedural::curled_box().unwrap(),
            procedural::curled_plus().unwrap(),
            procedural::human().unwrap(),
            procedural::chibi().unwrap(),
        ];
        for goal in all().iter().filter(|goal| !MAKEHUMANS.contains(&goal.subject)) {
            let subject = subjects.iter().find(|subject| subject.name == goal.subject).unwrap();
            assert!(subject.poses.iter().any(|pose| pose.name == goal.pose), "{goal:?}");
        }
    }

    #[test]
    fn linear_blending_misses_the_goal_of_a_twist_and_meets_that_of_a_gentle_curl() {
        let subjects = [
            procedural::cylinder("cylinder 1.8k", 1_804).unwrap(),
            procedural::curled_plus().unwrap(),
        ];
        let filter = Filter { methods: vec!["linear".into()], ..Filter::default() };
        let cells = run(&subjects, &filter, &|_, _, _, _, _| {}).cells;
        let met = |subject: &str, pose: &str, figure: Figure| {
            let goals = all();
            let goal = goals
                .iter()
                .find(|g| g.subject == subject && g.pose == pose && g.figure == figure)
                .unwrap();
            goal.check(&cells, "linear").unwrap().1
        };
        assert!(!met("cylinder 1.8k", "twist 360", Figure::TwistKept));
        assert!(met("plus", "curl 30", Figure::Inverted));
    }

    #[test]
    fn bounds_read_as_in_the_design() {
        let goals = all();
        assert_eq!(goals[0].bound(), "0.99–1.01");
        assert_eq!(goals[1].bound(), "≥ 0.995");
        assert_eq!(goals[2].bound(), "≤ 1.22");
        assert_eq!(goals[3].bound(), "≤ 0");
    }
}
