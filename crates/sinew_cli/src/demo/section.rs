//! One sample in its hard pose with every method: pictures, figures, times.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use sinew::Character;
use sinew::frame::Controls;
use sinew::sample::{SampleOptions, build as build_sample};
use sinew::springs::SpringModel;
use sinew_view::camera::Size;

use super::subject::Subject;
use super::{Tour, group};
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::measure::figures::RigMeasure;
use crate::render::{Ground, Shots, Show};
use crate::spring_args::SpringArgs;

/// Twice what a column has on a desktop, for sharp screens.
const WIDTH_PX: u32 = 460;

/// How long a method's frames are timed.
const BUDGET: Duration = Duration::from_millis(60);

/// A sample's part of the page.
pub(super) struct Section {
    pub(super) subject: &'static Subject,
    pub(super) points: usize,
    pub(super) triangles: usize,
    pub(super) joints: usize,
    pub(super) entries: Vec<Entry>,
}

/// What a method did.
pub(super) struct Entry {
    pub(super) contestant: Contestant,
    pub(super) shape_picture: String,
    pub(super) stretch_picture: String,
    pub(super) figures: Figures,
    pub(super) bind_ms: f64,
    pub(super) frame_ms: f64,
}

/// The figures that the table shows, over rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figures {
    pub(super) volume_ratio: Option<f64>,
    pub(super) max_stretch: f64,
    pub(super) p999_stretch: f64,
    /// Smallest distance to the bone.
    pub(super) min_radius: Option<f64>,
    pub(super) inverted: u64,
}

impl Figures {
    pub(super) fn of(row: &serde_json::Map<String, Value>) -> Self {
        let number = |key: &str| row.get(key).and_then(Value::as_f64);
        Self {
            volume_ratio: number("volume_ratio"),
            max_stretch: number("max_stretch").unwrap_or(f64::NAN),
            p999_stretch: number("p999_stretch").unwrap_or(f64::NAN),
            min_radius: number("min_attachment_ratio"),
            inverted: row.get("inverted_triangles").and_then(Value::as_u64).unwrap_or(0),
        }
    }

    pub(super) fn as_json(&self) -> Value {
        json!({
            "volume_ratio": self.volume_ratio,
            "max_stretch": self.max_stretch,
            "p999_stretch": self.p999_stretch,
            "min_attachment_ratio": self.min_radius,
            "inverted_triangles": self.inverted,
        })
    }
}

impl Section {
    pub(super) fn as_json(&self) -> Value {
        let entries: Vec<Value> = self
            .entries
            .iter()
            .map(|entry| {
                json!({
                    "method": entry.contestant.name(),
                    "figures": entry.figures.as_json(),
                    "bind_ms": entry.bind_ms,
                    "frame_ms": entry.frame_ms,
                })
            })
            .collect();
        json!({
            "sample": self.subject.kind.name(),
            "pose": self.subject.what,
            "points": self.points,
            "triangles": self.triangles,
            "joints": self.joints,
            "methods": entries,
        })
    }
}

/// A built-in sample.
pub(super) fn sample(subject: &Subject) -> Result<Character, Failure> {
    build_sample(&SampleOptions::new(subject.kind))
        .map_err(|error| Failure::Input(format!("sample '{}': {error}", subject.kind.name())))
}

pub(super) fn build(subject: &'static Subject, tour: &mut Tour<'_>) -> Result<Section, Failure> {
    let name = subject.kind.name();
    tour.step(name)?;
    let character = Arc::new(sample(subject)?);
    let controls = Controls::posed(&character, subject.pose(&character)?);
    let size = Size { width: WIDTH_PX, height: (WIDTH_PX as f32 * subject.tallness) as u32 };

    let springs = SpringArgs::default();
    let contestants = Contestant::all();
    let rig = |c: &Contestant| Ok((c.label(), springs.rig(&character, c.method, c.model)?));
    let rigs = contestants.iter().map(rig).collect::<Result<Vec<_>, Failure>>()?;
    let base = Controls::rest(&character);
    let mut shots = Shots::bind(&character, &rigs, &base, tour.console, &tour.bar)?;
    shots.ground = Ground::UnderPose;
    let moment = shots.pose(&controls)?;
    let camera = shots.framing(std::slice::from_ref(&moment), subject.view, size, false);
    let measure = RigMeasure::bind(&character, &moment[0]);
    let mut entries = Vec::with_capacity(contestants.len());
    for (index, (&contestant, frame)) in contestants.iter().zip(&moment).enumerate() {
        tour.console.check_interrupted()?;
        let draw = |tour: &mut Tour<'_>, shots: &Shots, what: &str| {
            let (scene, _) = shots.scene(frame, camera);
            let picture = tour.artist.draw(&scene, size)?;
            tour.keep(&format!("{name}-{}-{what}", contestant.name()), &picture)
        };
        shots.show.clear();
        let shape_picture = draw(tour, &shots, "shape")?;
        if contestant.model == Some(SpringModel::Anchored) {
            group::join(subject, shots.scene(frame, camera).0.surfaces, tour);
        }
        shots.show.push(Show::Stretch);
        let stretch_picture = draw(tour, &shots, "stretch")?;
        entries.push(Entry {
            contestant,
            shape_picture,
            stretch_picture,
            figures: Figures::of(&measure.row(frame)),
            bind_ms: shots.bind_seconds(index) * 1e3,
            frame_ms: shots.best_frame_seconds(index, &controls, BUDGET)? * 1e3,
        });
    }
    Ok(Section {
        subject,
        points: character.num_points(),
        triangles: character.num_triangles(),
        joints: character.skeleton.len(),
        entries,
    })
}
