//! Figures 9, 10 and 11: skeleton and cage keyed, each at its own times.

use glam::{DQuat, DVec3};
use sinew::Character;
use sinew::cage::Cage;
use sinew::frame::{CageRig, Controls};
use sinew::motion::{Channel, Clip, Curve, CurveValue, HandleTrack, Motion, Track};
use sinew::sample::SampleKind;
use sinew::skeleton::{Joint, Pose};
use sinew::skin::SkinMethod;
use sinew_io::{WriteOptions, character_to_glb};
use sinew_view::camera::Size;
use sinew_view::picture::Picture;

use super::super::Tour;
use super::shaped::{Swell, swollen};
use super::still::{BIRD_SIZE, BIRD_VIEW, round};
use super::{CageFigure, Caged, Turn, sample, sheet, turned};
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::render::view::View;

const GIF_FRAMES_PER_SECOND: f64 = 15.0;
const HUMAN_SIZE: Size = Size { width: 300, height: 420 };

/// Keys of a rest cage: times and shapes.
type CageKeys<'a> = [(f64, &'a [DVec3])];

/// A curve for each handle that a key moves, straight between the keys.
fn handle_tracks(cage: &Cage, keys: &CageKeys<'_>) -> Vec<HandleTrack> {
    let times: Vec<f64> = keys.iter().map(|(seconds, _)| *seconds).collect();
    let track = |(handle, bound): (u32, &DVec3)| {
        let offsets: Vec<DVec3> =
            keys.iter().map(|(_, shape)| shape[handle as usize] - *bound).collect();
        let moves = offsets.iter().any(|offset| *offset != DVec3::ZERO);
        let offsets = Curve::linear(times.clone(), offsets);
        moves.then_some(HandleTrack { handle, offsets })
    };
    (0u32..).zip(cage.points()).filter_map(track).collect()
}

/// Joints through poses at times.
fn joint_tracks(character: &Character, keys: &[(f64, Vec<Turn>)]) -> Result<Vec<Track>, Failure> {
    let times: Vec<f64> = keys.iter().map(|(seconds, _)| *seconds).collect();
    let poses = keys.iter().map(|(_, turns)| turned(character, turns));
    let poses = poses.collect::<Result<Vec<_>, Failure>>()?;
    let track = |(index, joint): (usize, &Joint)| {
        let rotation = |pose: &Pose| -> DQuat {
            joint.rest.rotation * pose.joints[index].rotation(joint.bone_axis())
        };
        let values: Vec<DQuat> = poses.iter().map(rotation).collect();
        let turns = values.iter().any(|value| value.dot(joint.rest.rotation).abs() < 1.0 - 1e-12);
        let channel = Channel::Rotation(Curve::linear(times.clone(), values));
        turns.then_some(Track { joint: index as u32, channel })
    };
    Ok(character.skeleton.joints().iter().enumerate().filter_map(track).collect())
}

impl Caged {
    /// A clip at a time, cage and all.
    fn at(&self, clip: &Clip, seconds: f64) -> Controls {
        // As a file's clip is played: by the channels of a motion.
        let motion = Motion::of_clip(clip, &self.character.skeleton);
        let pose = motion.pose_at(&self.character.skeleton, seconds);
        let cage = clip.rest_cage_at(self.cage.points(), seconds);
        Controls { cage, ..Controls::posed(&self.character, pose) }
    }

    /// Some moments of a clip as one row, and the whole clip as a GIF.
    fn film(
        &mut self,
        tour: &mut Tour<'_>,
        clip: &Clip,
        (name, seconds): (&str, f64),
        shows_cage: bool,
    ) -> Result<String, Failure> {
        let num_frames = (seconds * GIF_FRAMES_PER_SECOND).round().max(2.0) as usize;
        let at = |frame: usize| seconds * frame as f64 / num_frames as f64;
        let all: Vec<Controls> = (0..num_frames).map(|frame| self.at(clip, at(frame))).collect();
        let moments = self.frames(&all)?;
        let camera = self.framing(&moments);
        let mut pictures = Vec::with_capacity(num_frames);
        for moment in &moments {
            pictures.push(self.draw(tour, (moment, camera), shows_cage)?);
        }
        tour.keep_gif(name, &pictures, GIF_FRAMES_PER_SECOND)
    }

    fn row(
        &mut self,
        tour: &mut Tour<'_>,
        clip: &Clip,
        moments: &[(f64, &str)],
        shows_cage: bool,
    ) -> Result<Vec<(Picture, String)>, Failure> {
        let all: Vec<Controls> =
            moments.iter().map(|(seconds, _)| self.at(clip, *seconds)).collect();
        let frames = self.frames(&all)?;
        let camera = self.framing(&frames);
        let mut pictures = Vec::new();
        for ((seconds, what), moment) in moments.iter().zip(&frames) {
            let words = format!("{seconds:.2} s{what}");
            pictures.push((self.draw(tour, (moment, camera), shows_cage)?, words));
        }
        Ok(pictures)
    }
}

/// Figure 9: shapes of the family as keys, while the wings beat.
pub(super) fn family(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let bird = sample(SampleKind::Bird, None)?;
    let look = (BIRD_VIEW, BIRD_SIZE);
    let mut caged = Caged::new(tour, &bird, (300, SkinMethod::DualQuat), look)?;
    let bound = caged.cage.points().to_vec();
    let round = round(&caged.cage);
    let flight = bird.clip("fly").cloned().unwrap_or_default();
    let length = flight.duration_seconds();
    let keys: &CageKeys<'_> = &[(0.0, &bound), (length, &round), (2.0 * length, &bound)];
    let mut clip = Clip { handle_tracks: handle_tracks(&caged.cage, keys), ..beats(&flight, 2) };
    clip.name = "grow".into();
    let moments = [0.0, 0.5, 1.0, 1.5, 1.75].map(|share| (share * length, ""));
    let row = caged.row(tour, &clip, &moments, false)?;
    let files = vec![
        sheet(tour, "cage-figure-9", &row, 5)?,
        caged.film(tour, &clip, ("cage-figure-9-moving", 2.0 * length), false)?,
    ];
    Ok(CageFigure {
        number: 9,
        title: "deformed models as keys",
        words: format!(
            "Three keys of the rest cage, at 0, {length:.1} and {:.1} s, straight between; joints by slerp, with keys of their own.",
            2.0 * length
        ),
        files,
    })
}

/// A clip so many times over.
fn beats(clip: &Clip, times: usize) -> Clip {
    let length = clip.duration_seconds();
    let tracks = clip.tracks.iter().map(|track| {
        let channel = match &track.channel {
            Channel::Translation(curve) => Channel::Translation(again(curve, length, times)),
            Channel::Rotation(curve) => Channel::Rotation(again(curve, length, times)),
            Channel::Scale(curve) => Channel::Scale(again(curve, length, times)),
        };
        Track { joint: track.joint, channel }
    });
    Clip::new(clip.name.clone(), tracks.collect())
}

/// A closed curve of straight spans so many times over.
fn again<T: CurveValue>(curve: &Curve<T>, length: f64, times: usize) -> Curve<T> {
    let keys = || curve.times_seconds.iter().copied().zip(curve.values.iter().copied());
    let all = (0..times).flat_map(|time| {
        let shift = time as f64 * length;
        // The last key of one is the first of the next.
        keys().skip(usize::from(time > 0)).map(move |(seconds, value)| (seconds + shift, value))
    });
    let (seconds, values): (Vec<f64>, Vec<T>) = all.unzip();
    Curve::linear(seconds, values)
}

/// Arms up before the chest, fists closed.
fn guard() -> Vec<Turn> {
    let mut turns = vec![
        ("upper_arm_l", Axis::X, 42.0),
        ("upper_arm_l", Axis::Z, -26.0),
        ("forearm_l", Axis::X, 118.0),
        ("upper_arm_r", Axis::X, 30.0),
        ("upper_arm_r", Axis::Z, 28.0),
        ("forearm_r", Axis::X, 122.0),
        ("thigh_l", Axis::X, 24.0),
        ("shin_l", Axis::X, 30.0),
        ("thigh_r", Axis::X, -16.0),
        ("shin_r", Axis::X, 16.0),
        ("spine_1", Axis::X, 6.0),
    ];
    for finger in FISTS {
        turns.push((finger, Axis::X, 62.0));
    }
    turns
}

/// The phalanges of both hands.
const FISTS: [&str; 24] = [
    "index_1_l",
    "index_2_l",
    "index_3_l",
    "middle_1_l",
    "middle_2_l",
    "middle_3_l",
    "ring_1_l",
    "ring_2_l",
    "ring_3_l",
    "pinky_1_l",
    "pinky_2_l",
    "pinky_3_l",
    "index_1_r",
    "index_2_r",
    "index_3_r",
    "middle_1_r",
    "middle_2_r",
    "middle_3_r",
    "ring_1_r",
    "ring_2_r",
    "ring_3_r",
    "pinky_1_r",
    "pinky_2_r",
    "pinky_3_r",
];

/// The blow: times and what is turned in addition to the guard.
const BLOW_SECONDS: [f64; 6] = [0.0, 0.25, 0.45, 0.55, 0.85, 1.1];

fn blow() -> Vec<(f64, Vec<Turn>)> {
    let wound_up: [Turn; 4] = [
        ("spine_2", Axis::Twist, -22.0),
        ("spine_3", Axis::Twist, -14.0),
        ("upper_arm_r", Axis::X, -38.0),
        ("forearm_r", Axis::X, 10.0),
    ];
    let struck: [Turn; 6] = [
        ("spine_1", Axis::X, 8.0),
        ("spine_2", Axis::Twist, 24.0),
        ("spine_3", Axis::Twist, 20.0),
        ("clavicle_r", Axis::X, 12.0),
        ("upper_arm_r", Axis::X, 60.0),
        ("forearm_r", Axis::X, -114.0),
    ];
    let with = |more: &[Turn]| guard().into_iter().chain(more.iter().copied()).collect();
    let turns: [Vec<Turn>; 6] =
        [guard(), with(&wound_up), with(&struck), with(&struck), guard(), guard()];
    BLOW_SECONDS.into_iter().zip(turns).collect()
}

/// Figure 10: a blow of the skeleton, and three keys of the cage that inflate the fist.
pub(super) fn punch(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let human = sample(SampleKind::Human, None)?;
    let view = View { yaw_degrees: -58.0, pitch_degrees: 6.0 };
    let mut caged = Caged::new(tour, &human, (600, SkinMethod::DualQuat), (view, HUMAN_SIZE))?;
    let plain = Clip::new("punch", joint_tracks(&human, &blow())?);
    let bound = caged.cage.points().to_vec();
    let hand = human.skeleton.find("middle_1_r").unwrap_or_default();
    let fist = human.skeleton.rest_model_from_joint()[hand as usize].translation;
    let swell = Swell { center: fist, radius: 0.26, factors: DVec3::splat(2.6) };
    let inflated = swollen(&caged.cage, &[swell]);
    let keys: &CageKeys<'_> = &[(0.15, &bound), (0.45, &inflated), (0.9, &bound)];
    let handles = handle_tracks(&caged.cage, keys);
    let clip = Clip { handle_tracks: handles, ..plain.clone() };
    let moments = [(0.0, ""), (0.25, ""), (0.35, ""), (0.45, ", the second key"), (0.7, "")];
    let mut pictures =
        caged.row(tour, &plain, &moments.map(|(seconds, _)| (seconds, "")), false)?;
    pictures.extend(caged.row(tour, &clip, &moments, false)?);
    let mut files = vec![sheet(tour, "cage-figure-10", &pictures, 5)?];
    files.push(caged.film(tour, &clip, ("cage-figure-10-moving", 1.1), false)?);
    // What was drawn, as a file that plays here.
    let written = Character { clips: vec![clip], ..Character::clone(&human) };
    let cage = Some(CageRig::new(caged.cage.clone()));
    let glb = character_to_glb(&written, &WriteOptions { cage, ..WriteOptions::default() });
    let glb = glb.map_err(|error| Failure::Write(error.to_string()))?;
    tour.files.push(("punch.glb".into(), glb));
    Ok(CageFigure {
        number: 10,
        title: "a punch and three keys of the cage",
        words: "Above, a clip of the skeleton; below, the same clip with three keys of the cage, at 0.15, 0.45 and 0.90 s, of which one was made by hand. The clip with its cage and keys is <a href=\"punch.glb\">punch.glb</a>: <code>sinew render punch.glb -o punch.gif --clip punch</code>.".into(),
        files,
    })
}

/// Figure 11: a walk, fattened.
pub(super) fn walker(tour: &mut Tour<'_>) -> Result<CageFigure, Failure> {
    let human = sample(SampleKind::Human, None)?;
    let view = View { yaw_degrees: 55.0, pitch_degrees: 6.0 };
    let mut caged = Caged::new(tour, &human, (400, SkinMethod::DualQuat), (view, HUMAN_SIZE))?;
    let walk = human.clip("walk").cloned().unwrap_or_default();
    let length = walk.duration_seconds();
    let belly = Swell {
        center: DVec3::new(0.0, 1.08, 0.0),
        radius: 0.44,
        factors: DVec3::new(1.6, 1.0, 2.1),
    };
    let fat = swollen(&caged.cage, &[belly]);
    let bound = caged.cage.points().to_vec();
    let at_all_times: &CageKeys<'_> = &[(0.0, &fat)];
    let fattened = Clip { handle_tracks: handle_tracks(&caged.cage, at_all_times), ..walk.clone() };
    let mut pictures = Vec::new();
    for (clip, what) in [(&walk, "At rest"), (&fattened, "The cage moved at rest")] {
        let pose = Controls::posed(&human, Pose::rest(&human.skeleton));
        let at_rest = Controls { cage: caged.at(clip, 0.0).cage, ..pose };
        let moment = caged.frames(&[at_rest])?;
        let camera = caged.framing(&moment);
        pictures.push((caged.draw(tour, (&moment[0], camera), true)?, what.to_owned()));
        let moments = [0.1, 0.4, 0.75].map(|share| (share * length, ""));
        pictures.extend(caged.row(tour, clip, &moments, false)?);
    }
    let mut files = vec![sheet(tour, "cage-figure-11", &pictures, 4)?];
    let twice = 2.0 * length;
    let growing: &CageKeys<'_> = &[(0.0, &bound), (0.6 * twice, &fat), (twice, &bound)];
    let growing = Clip { handle_tracks: handle_tracks(&caged.cage, growing), ..beats(&walk, 2) };
    files.push(caged.film(tour, &growing, ("cage-figure-11-moving", twice), true)?);
    Ok(CageFigure {
        number: 11,
        title: "a fattened walker",
        words: "The same walk with the cage as it was made and with it moved at rest; in motion it grows fat and thin again while it walks, the cage with it.".into(),
        files,
    })
}
