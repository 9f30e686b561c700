//! The study itself: each subject posed in each pose by each method, and measured.
//!
//! Figures are over the parts that have weights, as one mesh; parts without stay as they are and
//! are only written out.

use std::time::Instant;

use glam::Vec3;
use rayon::prelude::*;
use sinew::frame::{Controls, Plan};
use sinew::measure::{
    Attachments, Measure, Measures, RigMeasures, ShellCounts, ShellMeasure, ShellMeasures,
};
use sinew::progress::Silent;
use sinew::skeleton::{Palette, Pose};
use sinew::weights::SkinWeights;
use sinew::{Character, Part};

use crate::folds::Folds;
use crate::method::{APART, Method};
use crate::subject::{NamedPose, Role, Subject};
use crate::worst::{Finder, Worst};

/// The figures of one subject in one pose by one method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Of the surface.
    pub measures: Measures,
    /// Against the skeleton.
    pub rig: RigMeasures,
    /// Between shells.
    pub shells: ShellMeasures,
    /// Edges across which the surface has turned back on itself.
    pub folded_edges: usize,
    /// Twists of a subject with rings: what the surface winds from base to end, degrees.
    pub twist_kept_degrees: Option<f64>,
    /// Subjects with rings: the smallest posed over rest area.
    pub min_ring_area: Option<f64>,
}

/// One cell of the tables.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The subject's name.
    pub subject: String,
    /// What it may be used for.
    pub role: Role,
    /// The pose's name.
    pub pose: String,
    /// The method's name.
    pub method: String,
    /// What was measured.
    pub figures: Figures,
    /// Where it is worst.
    pub worst: Worst,
}

/// What to leave out: empty lists leave out nothing, else a name must contain one of the words, or
/// be one that begins with `=` (case aside).
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// On subjects' names.
    pub subjects: Vec<String>,
    /// On poses' names.
    pub poses: Vec<String>,
    /// On methods' names.
    pub methods: Vec<String>,
    /// Springs with these numbers of iterations too, called `anchored@200`.
    pub iterations: Vec<u32>,
}

impl Filter {
    /// True if one of the words fits the name.
    pub fn takes(words: &[String], name: &str) -> bool {
        let name = name.to_lowercase();
        let fits = |word: &String| match word.to_lowercase().strip_prefix('=') {
            Some(whole) => name == whole,
            None => name.contains(&word.to_lowercase()),
        };
        words.is_empty() || words.iter().any(fits)
    }

    /// The methods that are taken.
    pub fn methods(&self) -> Vec<Method> {
        let mut all = Method::all();
        if self.methods.iter().any(|word| word.contains(APART)) {
            all.push(Method::apart());
        }
        for method in all.clone() {
            all.extend(self.iterations.iter().filter_map(|&n| method.with_iterations(n)));
        }
        all.retain(|method| Self::takes(&self.methods, &method.name));
        all
    }

    /// The poses of a subject that are taken.
    pub fn poses_of<'a>(&self, subject: &'a Subject) -> Vec<&'a NamedPose> {
        subject.poses.iter().filter(|pose| Self::takes(&self.poses, &pose.name)).collect()
    }
}

/// A subject's parts that have weights as one mesh, ready to be measured.
pub struct Bench<'a> {
    subject: &'a Subject,
    /// Indices of the parts that have weights.
    moved_parts: Vec<usize>,
    /// Of all parts.
    rest_of_part: Vec<Vec<Vec3>>,
    /// Of the parts that have weights.
    rest: Vec<Vec3>,
    measure: Measure,
    attachments: Attachments,
    finder: Finder,
    folds: Folds,
    shells: ShellMeasure,
}

impl<'a> Bench<'a> {
    /// Takes a subject.
    pub fn new(subject: &'a Subject) -> Self {
        let character = &subject.character;
        let moved_parts: Vec<usize> = (0..character.parts.len())
            .filter(|&index| character.parts[index].weights.is_some())
            .collect();
        let rest_of_part = rest_in_parts(character);
        let mut rest = Vec::new();
        let mut triangles = Vec::new();
        let mut rows = Vec::new();
        for &index in &moved_parts {
            let part = &character.parts[index];
            let first = rest.len() as u32;
            rest.extend_from_slice(&rest_of_part[index]);
            triangles.extend(part.mesh.point_triangles().iter().map(|t| t.map(|p| first + p)));
            for row in part.weights.iter().flat_map(SkinWeights::rows) {
                rows.push(row.iter().map(|i| (i.joint, i.weight)).collect::<Vec<_>>());
            }
        }
        let shells = ShellMeasure::bind(&rest, &triangles, &rows);
        let (weights, _) = SkinWeights::from_rows(rows, character.skeleton.len());
        let measure = Measure::bind(&rest, &triangles);
        let attachments = Attachments::bind(&rest, &triangles, &character.skeleton, Some(&weights));
        let finder = Finder::bind(&rest, &triangles, &weights, &character.skeleton);
        let folds = Folds::bind(&rest, &triangles);
        Self {
            subject,
            moved_parts,
            rest_of_part,
            rest,
            measure,
            attachments,
            finder,
            folds,
            shells,
        }
    }

    /// How many shells there are, and what lies on what.
    pub fn shell_counts(&self) -> ShellCounts {
        self.shells.counts()
    }

    /// The points of all parts with weights at rest.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Binds a method. `Err` says what a part with weights could not have.
    pub fn bind(&self, method: &Method) -> Result<Plan, String> {
        let plan = Plan::bind(&self.subject.character, &method.rig, &Silent)
            .map_err(|error| error.to_string())?;
        let lacks = plan.notes().into_iter().find(|note| self.moved_parts.contains(&note.part));
        lacks.map_or(Ok(plan), |note| Err(note.words))
    }

    /// The posed points of all parts with weights, from scratch.
    pub fn deform(&self, plan: &Plan, pose: &Pose) -> Vec<Vec3> {
        let frame = plan.frame_of(&Controls::posed(&self.subject.character, pose.clone()));
        let moved = self.moved_parts.iter().flat_map(|&index| frame.parts()[index].points());
        moved.copied().collect()
    }

    /// The figures of posed points.
    pub fn figures(&self, posed: &[Vec3], pose: &NamedPose) -> Figures {
        let palette = Palette::new(&self.subject.character.skeleton, &pose.pose);
        let rings = self.subject.rings.as_ref();
        Figures {
            measures: self.measure.evaluate(posed),
            rig: self.measure.evaluate_rig(posed, &self.attachments, &palette),
            shells: self.shells.evaluate(posed),
            folded_edges: self.folds.count(posed),
            twist_kept_degrees: rings
                .filter(|_| pose.is_twist)
                .map(|rings| rings.kept_twist_degrees(posed)),
            min_ring_area: rings.and_then(|rings| rings.min_area_ratio(posed)),
        }
    }

    /// Where posed points are worst.
    pub fn worst(&self, posed: &[Vec3], pose: &Pose) -> Worst {
        let skeleton = &self.subject.character.skeleton;
        self.finder.find(&self.rest, posed, skeleton, &Palette::new(skeleton, pose))
    }

    /// Posed points back in parts; parts without weights rest.
    pub fn in_parts<'p>(&'p self, posed: &'p [Vec3]) -> Vec<&'p [Vec3]> {
        let mut left = posed;
        let of_part = |(index, rest): (usize, &'p Vec<Vec3>)| {
            if !self.moved_parts.contains(&index) {
                return &rest[..];
            }
            let (points, after) = left.split_at(rest.len());
            left = after;
            points
        };
        self.rest_of_part.iter().enumerate().map(of_part).collect()
    }
}

/// The points of every part at rest, its shapes as the file has them.
pub fn rest_in_parts(character: &Character) -> Vec<Vec<Vec3>> {
    let of_part = |part: &Part| part.shaped_points(&part.rest_shape_weights());
    character.parts.iter().map(of_part).collect()
}

/// Something that could not be done; the study goes on without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Subject, method, file.
    pub what: String,
    /// The reason.
    pub why: String,
}

/// What came of a study.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Subjects, poses and methods in order.
    pub cells: Vec<Cell>,
    /// What is not among them.
    pub skipped: Vec<Skipped>,
    /// Subject, method, seconds to bind and to pose, summed over threads.
    pub timings: Vec<(String, String, [f64; 2])>,
}

/// Sees every posed shape as it is made; called from several threads.
pub type Watch<'a> = dyn Fn(&Subject, &NamedPose, &str, &Bench<'_>, &[Vec3]) + Sync + 'a;

/// Runs the study. Subjects and methods go in parallel; the outcome does not depend on it.
pub fn run(subjects: &[Subject], filter: &Filter, watch: &Watch<'_>) -> Outcome {
    let methods = filter.methods();
    let per_subject: Vec<Outcome> = subjects
        .par_iter()
        .filter(|subject| Filter::takes(&filter.subjects, &subject.name))
        .map(|subject| run_subject(subject, filter, &methods, watch))
        .collect();
    let mut all = Outcome::default();
    for one in per_subject {
        all.cells.extend(one.cells);
        all.skipped.extend(one.skipped);
        all.timings.extend(one.timings);
    }
    all
}

fn run_subject(
    subject: &Subject,
    filter: &Filter,
    methods: &[Method],
    watch: &Watch<'_>,
) -> Outcome {
    let poses = filter.poses_of(subject);
    if poses.is_empty() {
        return Outcome::default();
    }
    let bench = Bench::new(subject);
    let by_method: Vec<Outcome> = methods
        .par_iter()
        .map(|method| {
            let mut outcome = Outcome::default();
            let start = Instant::now();
            let plan = match bench.bind(method) {
                Ok(plan) => plan,
                Err(why) => {
                    let what = format!("{} with {}", subject.name, method.name);
                    outcome.skipped.push(Skipped { what, why });
                    return outcome;
                }
            };
            let bind_seconds = start.elapsed().as_secs_f64();
            let mut pose_seconds = 0.0;
            for pose in &poses {
                let start = Instant::now();
                let posed = bench.deform(&plan, &pose.pose);
                pose_seconds += start.elapsed().as_secs_f64();
                watch(subject, pose, &method.name, &bench, &posed);
                outcome.cells.push(Cell {
                    subject: subject.name.clone(),
                    role: subject.role,
                    pose: pose.name.clone(),
                    method: method.name.clone(),
                    figures: bench.figures(&posed, pose),
                    worst: bench.worst(&posed, &pose.pose),
                });
            }
            let times = [bind_seconds, pose_seconds];
            outcome.timings.push((subject.name.clone(), method.name.clone(), times));
            outcome
        })
        .collect();
    let mut all = Outcome::default();
    for one in by_method {
        all.cells.extend(one.cells);
        all.skipped.extend(one.skipped);
        all.timings.extend(one.timings);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::procedural;

    #[test]
    fn a_word_fits_a_part_of_a_name_and_one_with_a_sign_the_whole() {
        let takes = |word: &str, name: &str| Filter::takes(&[word.to_owned()], name);
        assert!(takes("human", "MakeHuman") && !takes("=human", "MakeHuman"));
        assert!(takes("=human", "Human") && !takes("fox", "human"));
        assert!(Filter::takes(&[], "anything"));
    }

    #[test]
    fn the_worst_places_have_the_values_that_were_measured() {
        let subjects = [procedural::curled_box().unwrap(), procedural::arm().unwrap()];
        for cell in run(&subjects, &Filter::default(), &|_, _, _, _, _| {}).cells {
            let Worst { stretched, fallen_in } = &cell.worst;
            let stretch = stretched.as_ref().map(|place| place.value);
            let least = fallen_in.as_ref().map(|place| place.value);
            assert_eq!(stretch, cell.figures.measures.max_stretch, "{} {}", cell.pose, cell.method);
            assert_eq!(least, cell.figures.rig.min_attachment_ratio);
        }
    }
}
