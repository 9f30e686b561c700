//! The spring paper's Figures 5 and 6 on the cylinder, and what the methods do over the whole range
//! of a twist and of a bend.

use std::sync::Arc;

use serde_json::{Value, json};
use sinew::Character;
use sinew::frame::{Controls, Normals};
use sinew::material::{EncodedImage, Material, MaterialRun};
use sinew::sample::SampleKind;
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;
use sinew_view::camera::Size;
use sinew_view::color::bytes_from_linear;
use sinew_view::heat::{self, StretchOf};
use sinew_view::picture::Picture;

use super::Tour;
use super::plot::{Plot, Series, color, svg};
use super::section::{Figures, sample};
use super::subject::SUBJECTS;
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::measure::figures::RigMeasure;
use crate::pose;
use crate::render::view::View;
use crate::render::{Ground, MOST_STRETCH, Shots};
use crate::runner::Runner;
use crate::spring_args::SpringArgs;

const JOINT: &str = "bone_1";

const SIZE: Size = Size { width: 460, height: 400 };
const VIEW: View = View { yaw_degrees: 72.0, pitch_degrees: 10.0 };

/// Twists of the paper's Figure 5; the last is past where blends forget that there was one.
const TWISTS_DEGREES: [f64; 4] = [90.0, 180.0, 270.0, 540.0];

/// The bend of the paper's Figure 6.
const BEND_DEGREES: f64 = 90.0;

const TWIST_STEP: (f64, f64) = (360.0, 10.0);
const BEND_STEP: (f64, f64) = (150.0, 5.0);

/// Pairs of stripes around the cylinder.
const STRIPES: u32 = 10;

/// Pixels of a stripe's width in its image.
const STRIPE_PX: u32 = 24;

/// A picture with its words.
pub(super) struct Shown {
    pub(super) picture: String,
    pub(super) contestant: Contestant,
    pub(super) words: String,
}

/// Figures at degrees.
type Steps = Vec<(f64, Figures)>;

/// This part of the page.
pub(super) struct Papers {
    /// A row a contestant, in the order of [`Self::compared`].
    pub(super) twists: Vec<Vec<Shown>>,
    /// First stages, and the springs on each: the paper's, then Sinew's.
    pub(super) bends: [Vec<Shown>; 3],
    pub(super) twist_plots: Vec<String>,
    pub(super) bend_plots: Vec<String>,
    pub(super) plotted: Vec<Contestant>,
    /// Colours of the stretch from the least to the most, and the numbers below them.
    pub(super) stretch_legend: (Vec<[u8; 3]>, Vec<String>),
    sweeps: Vec<(&'static str, Contestant, Steps)>,
}

impl Papers {
    pub(super) fn as_json(&self) -> Value {
        let sweep = |(motion, contestant, rows): &(&str, Contestant, Steps)| {
            let steps: Vec<Value> = rows
                .iter()
                .map(|(degrees, figures)| {
                    let mut step = figures.as_json();
                    step["degrees"] = json!(degrees);
                    step
                })
                .collect();
            json!({ "motion": motion, "method": contestant.name(), "steps": steps })
        };
        json!({ "sweeps": self.sweeps.iter().map(sweep).collect::<Vec<Value>>() })
    }
}

pub(super) fn posed(character: &Character, axis: Axis, degrees: f64) -> Result<Controls, Failure> {
    let mut posed = Pose::rest(&character.skeleton);
    pose::turn(character, &mut posed, JOINT, axis, degrees)?;
    Ok(Controls::posed(character, posed))
}

pub(super) fn build(tour: &mut Tour<'_>) -> Result<Papers, Failure> {
    tour.step("twist and bend")?;
    let subject = SUBJECTS.iter().find(|subject| subject.kind == SampleKind::Cylinder);
    let character = Arc::new(sample(subject.unwrap_or(&SUBJECTS[0]))?);
    let compared = [
        Contestant::of_method(SkinMethod::Linear),
        Contestant::of_method(SkinMethod::DualQuat),
        Contestant::of_model(SpringModel::Paper),
        Contestant::of_model(SpringModel::Anchored),
    ];
    let mut twists = Vec::with_capacity(compared.len());
    for contestant in compared {
        let mut row = Vec::with_capacity(TWISTS_DEGREES.len());
        for degrees in TWISTS_DEGREES {
            let words = format!("{degrees:.0}°");
            row.push(show(tour, &character, contestant, (Axis::Twist, degrees), words)?);
        }
        twists.push(row);
    }
    let stages = [SkinMethod::Linear, SkinMethod::DualQuat, SkinMethod::Rigid];
    let mut bends = [Vec::new(), Vec::new(), Vec::new()];
    for stage in stages {
        let plain = Contestant::of_method(stage);
        let bend = (Axis::X, BEND_DEGREES);
        bends[0].push(show(tour, &character, plain, bend, plain.label())?);
        for (row, model) in [(1, SpringModel::Paper), (2, SpringModel::Anchored)] {
            let relaxed = Contestant { method: Some(stage), model: Some(model) };
            bends[row].push(show(tour, &character, relaxed, bend, relaxed.label())?);
        }
    }
    let (twist_rows, bend_rows) = (
        sweep(tour, &character, Axis::Twist, TWIST_STEP)?,
        sweep(tour, &character, Axis::X, BEND_STEP)?,
    );
    let plotted: Vec<Contestant> = twist_rows.iter().map(|(contestant, _)| *contestant).collect();
    let twist_plots = plots(&twist_rows, "twist", [0.6..1.1, 1.0..6.0])?;
    let bend_plots = plots(&bend_rows, "bend", [0.9..1.06, 1.0..3.5])?;
    let named = |motion| move |(contestant, rows)| (motion, contestant, rows);
    let sweeps =
        twist_rows.into_iter().map(named("twist")).chain(bend_rows.into_iter().map(named("bend")));
    let legend = heat::stretch_legend(StretchOf::Furthest, MOST_STRETCH);
    Ok(Papers {
        twists,
        bends,
        twist_plots,
        bend_plots,
        plotted,
        stretch_legend: (
            legend.ramp.stops.iter().map(|&stop| bytes_from_linear(stop)).collect(),
            legend.ticks.into_iter().map(|tick| tick.text).collect(),
        ),
        sweeps: sweeps.collect(),
    })
}

fn show(
    tour: &mut Tour<'_>,
    character: &Arc<Character>,
    contestant: Contestant,
    (axis, degrees): (Axis, f64),
    words: String,
) -> Result<Shown, Failure> {
    tour.console.check_interrupted()?;
    let springs = SpringArgs::default();
    let rig = springs.rig(character, contestant.method, contestant.model)?;
    let character = &Arc::new(striped(character, contestant)?);
    let base = Controls::rest(character);
    let rigs = [(contestant.label(), rig)];
    let mut shots = Shots::bind(character, &rigs, &base, tour.console, &tour.bar)?;
    shots.ground = Ground::UnderPose;
    let moments = [shots.pose(&posed(character, axis, degrees)?)?];
    let camera = shots.framing(&moments, VIEW, SIZE, false);
    let (scene, _) = shots.scene(&moments[0][0], camera);
    let picture = tour.artist.draw(&scene, SIZE)?;
    let motion = if axis == Axis::Twist { "twist" } else { "bend" };
    let picture = tour.keep(&format!("{motion}-{degrees:.0}-{}", contestant.name()), &picture)?;
    Ok(Shown { picture, contestant, words })
}

/// The cylinder with stripes along it, in the colour of the plots, so that a twist can be seen.
pub(super) fn striped(character: &Character, contestant: Contestant) -> Result<Character, Failure> {
    let (red, green, blue) = color(contestant);
    let stripes = [[red, green, blue, 255], [236, 233, 228, 255]];
    let size = Size { width: 2 * STRIPES, height: 1 };
    let pixels = (0..2 * STRIPES as usize).map(|column| stripes[column % 2]).collect();
    // Enlarged, so that the edges of the stripes are sharp.
    let picture = Picture::from_pixels(size, pixels).enlarged(STRIPE_PX);
    let bytes =
        sinew_view::encode::png(&picture).map_err(|error| Failure::Write(error.to_string()))?;
    let image = EncodedImage { name: "stripes".into(), media_type: "image/png", bytes };
    let mut striped = character.clone();
    striped.materials = vec![Material {
        name: "stripes".into(),
        image: Some(Arc::new(image)),
        ..Material::default()
    }];
    for part in &mut striped.parts {
        let triangles = 0..part.mesh.triangles().len() as u32;
        part.materials = vec![MaterialRun { triangles, material: 0 }];
    }
    Ok(striped)
}

type Sweep = Vec<(Contestant, Steps)>;

/// Every contestant at every step.
fn sweep(
    tour: &mut Tour<'_>,
    character: &Arc<Character>,
    axis: Axis,
    (end, step): (f64, f64),
) -> Result<Sweep, Failure> {
    let base = Controls::rest(character);
    let mut measure: Option<RigMeasure> = None;
    let mut sweep = Vec::new();
    for contestant in Contestant::all() {
        tour.console.check_interrupted()?;
        let springs = SpringArgs::default();
        let rig = springs.rig(character, contestant.method, contestant.model)?;
        let rig = rig.with_normals(Normals::Off);
        let mut runner = Runner::bind(character, &rig, &base, tour.console, &tour.bar)?;
        let mut rows = Vec::new();
        for index in 0..=(end / step) as u32 {
            let degrees = f64::from(index) * step;
            let frame = runner.run(&posed(character, axis, degrees)?)?;
            let measure = measure.get_or_insert_with(|| RigMeasure::bind(character, frame));
            rows.push((degrees, Figures::of(&measure.row(frame))));
        }
        sweep.push((contestant, rows));
    }
    Ok(sweep)
}

/// Volume, stretch and radius.
fn plots(
    sweep: &Sweep,
    motion: &str,
    [volume, stretch]: [std::ops::Range<f64>; 2],
) -> Result<Vec<String>, Failure> {
    let series = |figure: fn(&Figures) -> f64| -> Vec<Series> {
        sweep
            .iter()
            .map(|(contestant, rows)| Series {
                contestant: *contestant,
                points: rows.iter().map(|(degrees, figures)| (*degrees, figure(figures))).collect(),
            })
            .collect()
    };
    let plot = |title, y_label, y_range, figure: fn(&Figures) -> f64| {
        svg(&Plot { title, y_label, x_label: motion, y_range, series: &series(figure) })
    };
    Ok(vec![
        plot("Volume", "over rest", volume, |f| f.volume_ratio.unwrap_or(f64::NAN))?,
        plot("Largest stretch", "edge over rest", stretch, |f| f.max_stretch)?,
        plot("Smallest radius", "distance to the bone over rest", 0.0..1.1, |f| {
            f.min_radius.unwrap_or(f64::NAN)
        })?,
    ])
}
