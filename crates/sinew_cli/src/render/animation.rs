//! GIFs: a clip that plays, a turntable, or both at once.

use std::f32::consts::TAU;

use sinew::Character;
use sinew::frame::Controls;
use sinew::progress::Progress as _;
use sinew_view::camera::{Camera, Size};
use sinew_view::encode::{self, EncodeError};

use super::RenderArgs;
use super::artist::Artist;
use super::shot::{Moment, Shots};
use super::view::View;
use crate::console::Console;
use crate::exit::Failure;
use crate::names;
use crate::progress::Bar;

/// Smooth to the eye, and twenty fit evenly into GIF's hundredths of a second.
const DEFAULT_FRAMES_PER_SECOND: f64 = 20.0;

/// GIF's clock has no finer ticks that viewers keep.
const MAX_FRAMES_PER_SECOND: f64 = 50.0;

/// Once around.
const TURN_SECONDS: f64 = 3.6;

/// More than anybody waits for, and more than a page can carry.
const MAX_FRAMES: usize = 1_200;

/// Memory for the posed points, and for the pictures, of all frames.
const MAX_BYTES: usize = 2 << 30;

/// Share of the bar for posing; the rest is drawing and encoding.
const POSING_SHARE: f32 = 0.25;

/// What moves in a GIF.
pub(super) struct Motion<'a> {
    args: &'a RenderArgs,
    character: &'a Character,
    frames_per_second: f64,
    num_frames: usize,
    /// What poses the character where no clip plays.
    controls: &'a Controls,
    turns: bool,
}

impl<'a> Motion<'a> {
    pub(super) fn new(
        args: &'a RenderArgs,
        character: &'a Character,
        controls: &'a Controls,
    ) -> Result<Self, Failure> {
        let frames_per_second = args.fps.unwrap_or(DEFAULT_FRAMES_PER_SECOND);
        if frames_per_second > MAX_FRAMES_PER_SECOND {
            return Err(Failure::Usage(format!(
                "no GIF plays {frames_per_second} frames a second; give --fps {MAX_FRAMES_PER_SECOND} or less"
            )));
        }
        let seconds = match &args.pose.clip {
            None => TURN_SECONDS,
            Some(name) => {
                let clip = character.clip(name).ok_or_else(|| {
                    let all = character.clips.iter().map(|clip| clip.name.as_str());
                    Failure::Usage(names::unknown("clip", name, all))
                })?;
                clip.duration_seconds()
            }
        };
        let num_frames = (seconds * frames_per_second).round().max(1.0);
        if num_frames > MAX_FRAMES as f64 {
            return Err(Failure::Usage(format!(
                "{seconds} s at {frames_per_second} frames a second are more than {MAX_FRAMES} frames; give a lower --fps"
            )));
        }
        let turns = args.turntable || args.pose.clip.is_none();
        let num_frames = num_frames as usize;
        Ok(Self { args, character, frames_per_second, num_frames, controls, turns })
    }

    fn seconds(&self, frame: usize) -> f64 {
        frame as f64 / self.frames_per_second
    }

    /// Every moment; one where only the camera moves.
    fn moments(&self, shots: &mut Shots, bar: &Bar) -> Result<Vec<Moment>, Failure> {
        if self.args.pose.clip.is_none() {
            return Ok(vec![shots.pose(self.controls)?]);
        }
        let bytes = shots.moment_bytes() * self.num_frames;
        if bytes > MAX_BYTES {
            return Err(Failure::Machine(format!(
                "{} frames of this character take {} MB; give a lower --fps, or fewer to --compare",
                self.num_frames,
                bytes >> 20
            )));
        }
        let cage = shots.edits.cage.clone();
        let controls_at =
            |seconds: f64| self.args.pose.controls_at(self.character, cage.as_ref(), seconds);
        if self.args.dynamics.dynamics {
            let last = self.seconds(self.num_frames.saturating_sub(1));
            let rate = Some(self.frames_per_second);
            let frames = self.args.dynamics.frames(self.args.springs.0, last, rate)?;
            return match frames {
                Some(frames) => shots.simulate(&frames, &controls_at, bar),
                None => Ok(Vec::new()),
            };
        }
        (0..self.num_frames)
            .map(|frame| {
                if bar.is_cancelled() {
                    return Err(Failure::Interrupted);
                }
                bar.report("posing", POSING_SHARE * frame as f32 / self.num_frames as f32);
                shots.pose(&controls_at(self.seconds(frame))?)
            })
            .collect()
    }
}

/// The whole file.
pub(super) fn gif(
    motion: &Motion<'_>,
    shots: &mut Shots,
    artist: &Artist,
    (view, size): (View, Size),
    (console, bar): (&Console, &Bar),
) -> Result<Vec<u8>, Failure> {
    let bytes = shots.picture_bytes(size).saturating_mul(motion.num_frames);
    if bytes > MAX_BYTES {
        return Err(Failure::Usage(format!(
            "{} frames of this size take {} MB; give a smaller --size or a lower --fps",
            motion.num_frames,
            bytes >> 20
        )));
    }
    let moments = motion.moments(shots, bar)?;
    let first = shots.framing(&moments, view, size, motion.turns);
    let mut frames = Vec::with_capacity(motion.num_frames);
    for frame in 0..motion.num_frames {
        console.check_interrupted()?;
        let done = frame as f32 / motion.num_frames as f32;
        bar.report("drawing", POSING_SHARE + (0.9 - POSING_SHARE) * done);
        let turn_radians = if motion.turns { TAU * done } else { 0.0 };
        let camera = Camera { yaw_radians: first.yaw_radians + turn_radians, ..first };
        let moment = &moments[frame.min(moments.len() - 1)];
        let picture = shots.picture(artist, moment, camera, size)?;
        frames.push(picture);
    }
    let delay_ms = (1e3 / motion.frames_per_second).round() as u32;
    encode::gif(&frames, delay_ms, bar).map_err(|error| match error {
        EncodeError::Cancelled => Failure::Interrupted,
        error => Failure::Write(error.to_string()),
    })
}
