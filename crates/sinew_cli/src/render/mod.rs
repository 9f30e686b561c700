//! `sinew render`: pictures and turntables of a character, one way to deform it or several side by
//! side.

mod animation;
mod artist;
mod near;
mod sheet;
mod shot;
mod show;
pub(crate) mod view;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use sinew::Character;
use sinew::frame::{Controls, Normals, Rig};
use sinew::progress::Progress as _;
use sinew::springs::SpringModel;
use sinew_view::camera::Size;
use sinew_view::picture::Picture;

use self::animation::Motion;
pub(crate) use self::artist::Artist;
pub(crate) use self::shot::{Ground, MOST_STRETCH, Moment, Shots};
pub(crate) use self::show::Show;
use self::view::View;
use crate::args::{Method, PoseArgs};
use crate::cage_args::CageArgs;
use crate::console::Console;
use crate::contestant::Contestant;
use crate::dynamics::{DynamicsArgs, frames_per_second};
use crate::exit::Failure;
use crate::progress::Bar;
use crate::spring_args::{SpringArgs, Springs};
use crate::spring_edits::SpringEdits;
use crate::text::counted;
use crate::{files, names};

/// Render a picture (.png), or a turntable or clip (.gif)
///
/// A GIF plays the clip of --clip, or turns once around the character. The views are from the
/// character's own front, whichever way it faces. Several files make a sheet of all of them. With
/// no graphics card the picture is drawn on the CPU; it looks the same.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    sinew render human.glb -o human.png\n  \
    sinew render human.glb -o wave.gif --clip wave --springs anchored\n  \
    sinew render cylinder.glb -o twist.png --rotate bone_1:twist:180 --compare linear,dual-quat,springs\n  \
    sinew render human.glb -o elbow.png --show weights:forearm_l --show skeleton --view front\n  \
    sinew render human.glb -o hand.png --frame hand_l --view side\n  \
    sinew render *.glb -o sheet.png --view front\n  \
    sinew render box.glb -o stretch.png --rotate bone_1:x:90 --compare linear,springs --show stretch")]
pub(crate) struct RenderArgs {
    /// The character; several files make a sheet
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Where to write: .png or .gif
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// How the joints move the skin; springs start from it [default: linear, or the springs' own]
    #[arg(long, value_enum, value_name = "METHOD", conflicts_with = "compare")]
    method: Option<Method>,

    /// Relax the skin with springs
    #[arg(
        long,
        value_enum,
        value_name = "MODEL",
        default_value = "off",
        conflicts_with = "compare"
    )]
    springs: Springs,

    /// Show several ways side by side, with commas: methods, springs, delta-mush, paper (for study)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    compare: Vec<Contestant>,

    #[command(flatten)]
    spring_args: SpringArgs,

    #[command(flatten)]
    cage_args: CageArgs,

    #[command(flatten)]
    dynamics: DynamicsArgs,

    #[command(flatten)]
    pose: PoseArgs,

    /// What to show: as colours weights:JOINT, influences (of all joints), stretch, gap or shells;
    /// attachments, skeleton, helpers (the skeleton with the joints that move no skin), wireframe,
    /// cage; may repeat
    #[arg(long, value_name = "WHAT", help_heading = "Picture")]
    show: Vec<Show>,

    /// Pixels of a picture, WIDTHxHEIGHT; side by side each has so many [default: 640x720; GIF
    /// 400x450]
    #[arg(long, value_name = "SIZE", value_parser = view::size, help_heading = "Picture")]
    size: Option<Size>,

    /// Where to look from: three-quarter, front, side, left, right, back, top, below, or YAW,PITCH
    /// in degrees from the character's front
    #[arg(
        long,
        value_name = "VIEW",
        default_value = "three-quarter",
        allow_hyphen_values = true,
        help_heading = "Picture"
    )]
    view: View,

    /// Go near: show only what is around this joint; may repeat
    #[arg(long, value_name = "JOINT", help_heading = "Picture")]
    frame: Vec<String>,

    /// Leave this mesh out; may repeat
    #[arg(long, value_name = "MESH", help_heading = "Picture")]
    hide: Vec<String>,

    /// Show this mesh alone; may repeat
    #[arg(long, value_name = "MESH", help_heading = "Picture")]
    only: Vec<String>,

    /// Pictures in a row of a sheet [default: as many as make the sheet wider than high]
    #[arg(long, value_name = "N", value_parser = columns, help_heading = "Picture")]
    columns: Option<usize>,

    /// Take the normals from the posed surface, and keep only those edges sharp that are sharper
    /// than this at rest [default: normals as `sinew skin` makes them; with --compare those of the
    /// posed surface, sharp where the file's are]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, value_parser = crate::numbers::not_negative, help_heading = "Picture")]
    crease: Option<f64>,

    /// Leave out captions and legends
    #[arg(long, help_heading = "Picture")]
    no_labels: bool,

    /// Also turn around the character in a GIF that plays a clip
    #[arg(long, help_heading = "Picture")]
    turntable: bool,

    /// Frames a second of a GIF, 4 to 50 [default: 20]; with --dynamics the clip is sampled as
    /// often
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = frames_per_second, help_heading = "Picture")]
    fps: Option<f64>,

    /// What draws, and computes the skin
    #[arg(long, value_enum, default_value = "auto", help_heading = "Picture")]
    device: RenderDevice,
}

/// What draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RenderDevice {
    /// A graphics card where there is one, else the processor
    Auto,
    /// The processor
    Cpu,
    /// The graphics adapter, even one in software
    Gpu,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Png,
    Gif,
}

const PICTURE_SIZE: Size = Size { width: 640, height: 720 };
const ANIMATION_SIZE: Size = Size { width: 400, height: 450 };

impl Kind {
    fn of(path: &Path) -> Result<Self, Failure> {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("png") => Ok(Self::Png),
            Some("gif") => Ok(Self::Gif),
            _ => Err(Failure::Usage(format!(
                "'{}' is no picture that can be written; name it .png or .gif",
                path.display()
            ))),
        }
    }
}

/// A number of columns.
fn columns(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=1_000).contains(number));
    number.ok_or_else(|| "write a number from 1 to 1000".into())
}

/// A character that pictures can be taken of.
struct Prepared {
    character: Arc<Character>,
    controls: Controls,
    shots: Shots,
}

/// Reads and binds one of the files.
fn prepare(
    args: &RenderArgs,
    file: &Path,
    artist: &Artist,
    (console, bar): (&Console, &Bar),
) -> Result<Prepared, Failure> {
    let (character, cage) = files::read_caged(file, console)?;
    let character = Arc::new(character);
    if character.parts.is_empty() {
        let file = file.display();
        return Err(Failure::Input(format!(
            "'{file}' has no mesh, so that there is nothing to see; `sinew info` lists what is in it"
        )));
    }
    let mut edits = args.spring_args.edits(&character)?;
    let is_wanted = args.show.contains(&Show::Cage) || args.pose.moves_cage(&character);
    edits.cage = args.cage_args.rig((cage, is_wanted), &character, console)?;
    let base = args.pose.base(&character)?;
    let rest = (&base, args.pose.turns_joints());
    edits.rest_offsets = args.cage_args.green_offsets(&character, rest, console)?;
    if args.show.contains(&Show::Cage) && edits.cage.is_none() {
        let words = "name the cage to show: --cage FILE; with Green coordinates none is shown";
        return Err(Failure::Usage(words.into()));
    }
    let rigs = args.rigs(&character, &edits)?;
    if let Some((_, rig)) = rigs.first() {
        let posed = edits.given(args.pose.controls(&character, edits.cage.as_ref(), console)?);
        edits.rest_cage = args.cage_args.rest_cage(&character, rig, &posed, console)?;
    }
    let mut shots = Shots::bind(&character, &rigs, &base, console, bar)?;
    // Inertia is the processor's; it may draw on the card all the same.
    if let (Some(gpu), false) = (artist.gpu(), args.dynamics.dynamics) {
        shots.upload(gpu)?;
    }
    shots.has_labels = !args.no_labels;
    shots.show = args.show.clone();
    shots.cage = edits.cage.as_ref().map(|rig| rig.cage.clone());
    shots.edits = edits;
    shots.ground = if args.pose.clip.is_some() { Ground::UnderRest } else { Ground::UnderPose };
    shots.framed = near::joints(&character, &args.frame)?;
    shots.shown = near::shown_meshes(&character, &args.hide, &args.only)?;
    for show in &args.show {
        match show {
            Show::Weights(joint) if character.skeleton.find(joint).is_none() => {
                let all = character.skeleton.joints().iter().map(|joint| joint.name.as_str());
                return Err(Failure::Usage(names::unknown("joint", joint, all)));
            }
            Show::Attachments => {
                let settings = args.spring_args.attach_settings(&character)?;
                shots.bind_attachments(&settings, bar)?;
            }
            Show::Gap => shots.bind_shells(),
            Show::Shells => shots.bind_ties()?,
            _ => {}
        }
    }
    let cage = shots.edits.cage.as_ref();
    let controls = args.pose.controls(&character, cage, console)?;
    Ok(Prepared { character, controls, shots })
}

pub(crate) fn run(args: &RenderArgs, console: &Console) -> Result<(), Failure> {
    let kind = Kind::of(&args.output)?;
    args.check(kind)?;
    let artist = Artist::new(args.device)?;
    let encoded = |picture: &Picture| {
        sinew_view::encode::png(picture).map_err(|error| Failure::Write(error.to_string()))
    };
    let (bytes, num_pictures) = match (args.files.as_slice(), kind) {
        ([file], _) => {
            let bar = console.bar();
            let mut prepared = prepare(args, file, &artist, (console, &bar))?;
            let bytes = match kind {
                Kind::Png => {
                    let size = args.size.unwrap_or(PICTURE_SIZE);
                    encoded(&args.picture(&mut prepared, &artist, (size, &bar))?)?
                }
                Kind::Gif => {
                    let size = args.size.unwrap_or(ANIMATION_SIZE);
                    let Prepared { character, controls, shots } = &mut prepared;
                    let motion = Motion::new(args, character, controls)?;
                    animation::gif(&motion, shots, &artist, (args.view, size), (console, &bar))?
                }
            };
            (bytes, args.compare.len().max(1))
        }
        (files, _) => (encoded(&sheet::draw(args, &artist, console)?)?, files.len()),
    };
    console.check_interrupted()?;
    files::write_bytes(&args.output, &bytes, console)?;
    console.say(&format!(
        "wrote {}: {}, {} KB, drawn by {}",
        args.output.display(),
        counted(num_pictures, "picture"),
        bytes.len().div_ceil(1024),
        artist.name(),
    ));
    Ok(())
}

impl RenderArgs {
    /// Refuses flags that would do nothing.
    fn check(&self, kind: Kind) -> Result<(), Failure> {
        let usage = |words: &str| Err(Failure::Usage(words.to_owned()));
        let models = self.models();
        self.spring_args.check_used(&models)?;
        if self.show.iter().filter(|show| show.is_paint()).count() > 1 {
            let words = "a skin has one colouring at a time; show one of weights:JOINT, influences, stretch, gap, shells";
            return usage(words);
        }
        if self.files.len() > 1 {
            if kind == Kind::Gif {
                return usage("several files make a sheet, which is a .png; name one for a GIF");
            }
            if !self.compare.is_empty() {
                return usage("a sheet shows each file once; name one file to --compare");
            }
        } else if self.columns.is_some() {
            return usage("--columns is for sheets; name several files or leave it out");
        }
        if kind == Kind::Png && self.turntable {
            return usage("--turntable is for GIFs; write a .gif or leave it out");
        }
        if kind == Kind::Png && self.fps.is_some() && !self.dynamics.dynamics {
            return usage("--fps is for GIFs and --dynamics; write a .gif or leave it out");
        }
        if self.dynamics.dynamics {
            for model in models {
                self.dynamics.frames(model, 0.0, None)?;
            }
        }
        Ok(())
    }

    fn models(&self) -> Vec<Option<SpringModel>> {
        match self.compare.as_slice() {
            [] => vec![self.springs.0],
            compared => compared.iter().map(|contestant| contestant.model).collect(),
        }
    }

    /// What is drawn, with its caption.
    fn rigs(
        &self,
        character: &Character,
        edits: &SpringEdits,
    ) -> Result<Vec<(String, Rig)>, Failure> {
        let crease = self.crease.map(|degrees| degrees as f32);
        // Side by side all have the posed surface's: the file's flat or painted normals on one
        // method and smooth ones on another would compare light, not shape.
        let unsaid = if self.compare.is_empty() { Normals::Auto } else { Normals::RECOMPUTED };
        let normals = match crease {
            None => unsaid,
            Some(_) => Normals::Recomputed { crease_degrees: crease },
        };
        let of = |method, model| {
            let mut rig = self.spring_args.rig(character, method, model)?.with_normals(normals);
            edits.give_rig(character, &mut rig)?;
            Ok::<_, Failure>(Rig { dynamics: self.dynamics.over(&rig.dynamics), ..rig })
        };
        if self.compare.is_empty() {
            let rig = of(self.method.map(|Method(method)| method), self.springs.0)?;
            return Ok(vec![(rig.label(), rig)]);
        }
        let entry = |c: &Contestant| Ok((c.label(), of(c.method, c.model)?));
        self.compare.iter().map(entry).collect()
    }

    fn picture(
        &self,
        prepared: &mut Prepared,
        artist: &Artist,
        (size, bar): (Size, &Bar),
    ) -> Result<Picture, Failure> {
        let Prepared { character, controls, shots } = prepared;
        let frames = match self.dynamics.dynamics {
            true => self.dynamics.frames(self.models()[0], self.pose.seconds(), self.fps)?,
            false => None,
        };
        let moment = match frames {
            None => shots.pose(controls)?,
            Some(frames) => {
                let cage = shots.edits.cage.clone();
                let controls_at =
                    |seconds: f64| self.pose.controls_at(character, cage.as_ref(), seconds);
                let mut all = shots.simulate(&frames, &controls_at, bar)?;
                all.pop().expect("there is a frame at the start")
            }
        };
        bar.report("drawing", 0.9);
        let moments = [moment];
        let camera = shots.framing(&moments, self.view, size, false);
        shots.picture(artist, &moments[0], camera, size)
    }
}
