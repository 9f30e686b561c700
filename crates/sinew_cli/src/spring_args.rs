//! `--springs` and what tunes it: which model, on which meshes, attached where, how stiff.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sinew::Character;
use sinew::attach::{AttachSettings, Candidates};
use sinew::frame::Rig;
use sinew::skin::SkinMethod;
use sinew::springs::{Coefficients, SpringModel, SpringPreset, SpringSettings};

use crate::exit::Failure;
use crate::names;
use crate::numbers::{finite, not_negative};
use crate::spring_edits::SpringEdits;

/// A number of rounds that the library takes.
fn rounds(range: &std::ops::RangeInclusive<u32>) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*range.start())..=i64::from(*range.end()))
}

/// A spring model by its name, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Springs(pub(crate) Option<SpringModel>);

impl ValueEnum for Springs {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Springs; SpringModel::ALL.len() + 1] = {
            let mut all = [Springs(None); SpringModel::ALL.len() + 1];
            let mut index = 0;
            while index < SpringModel::ALL.len() {
                all[index + 1] = Springs(Some(SpringModel::ALL[index]));
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let (name, what) = match self.0 {
            None => ("off", "No springs: the method alone"),
            Some(model) => (model.name(), model_help(model)),
        };
        Some(clap::builder::PossibleValue::new(name).help(what))
    }
}

/// What a model is for.
fn model_help(model: SpringModel) -> &'static str {
    match model {
        SpringModel::Anchored => "Springs: keep volume, lengths and twists",
        SpringModel::Paper => "For study: the springs as their paper prints them",
        SpringModel::DeltaMush => "Smooths, then puts detail back, as in Maya and Blender",
    }
}

/// How springs are bound; each flag needs springs.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Springs")]
pub(crate) struct SpringArgs {
    /// Settings for a kind of body: soft, firm, muscular, cartoon or dressed; flags below replace
    /// single ones of them (anchored only)
    #[arg(long, value_name = "NAME")]
    preset: Option<SpringPreset>,

    /// Iterations of the springs in a frame; with 0 the skin is that of the method they start from
    /// [default: the model's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rounds(&SpringSettings::ITERATIONS))]
    iterations: Option<u32>,

    /// Relax only this mesh; the others have the method alone; may repeat [default: every mesh with
    /// weights]
    #[arg(long, value_name = "MESH")]
    springs_on: Vec<String>,

    /// Attach nothing to this joint's bone (helpers, props); may repeat
    #[arg(long, value_name = "JOINT")]
    exclude: Vec<String>,

    /// Which bones a point may attach to [default: weighted]
    #[arg(long, value_enum)]
    attach: Option<Attach>,

    /// Rounds of smoothing of the attachments [default: 6]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rounds(&AttachSettings::SMOOTHINGS))]
    smoothings: Option<u32>,

    /// Attach to a bone behind the surface only where none is in sight
    #[arg(long)]
    visibility: bool,

    /// Shrink the mesh towards its limbs this many times before points look for their bones, for
    /// limbs that touch [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = rounds(&AttachSettings::CONTRACTIONS))]
    contractions: Option<u32>,

    /// How far bends reach along the bones, 0.1 to 4: below 1 tighter, above 1 rounder; JOINT:SCALE
    /// for one joint, may repeat (anchored only) [default: 1]
    #[arg(long, value_name = "[JOINT:]SCALE", allow_negative_numbers = true)]
    influence: Vec<Influence>,

    /// Time step of an iteration, above 0 and up to 1 second: a longer step closes large gaps
    /// sooner, and may swing (paper only) [default: 1/30]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = step_seconds)]
    dt: Option<f32>,

    /// End a frame as soon as no point moves further than this share of the shortest side of the
    /// box around the character at rest; 0 runs all iterations [default: paper 0.0001, others 0]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = not_negative)]
    threshold: Option<f64>,

    /// How much a stretched bone thins its limb, 0 to 1: 1 keeps the limb's volume, 0 its section
    /// (anchored only) [default: 1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    keep_volume: Option<f64>,

    /// How strongly the shells of a layered character (clothes, armour, pouches, hair) hold
    /// together, 0 to 1 (anchored only) [default: 1]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, value_parser = share)]
    shells: Option<f64>,

    /// Whether the shells of MESH, or its shell number PIECE, keep their shapes; may repeat
    /// (anchored only) [default: shells whose weights are the same everywhere do]
    #[arg(long, value_name = "MESH[#PIECE]=yes|no")]
    rigid: Vec<Rigid>,

    /// Scale forces; several with commas, 1 changes nothing: torque (edges turn with the bones),
    /// bone (points stay where the method puts them), edge (edges keep their length), length
    /// (points keep their distance to the bone), compressed (edges that get shorter), across-bones
    /// (edges between different bones; across-bones-torque and across-bones-edge scale one force of
    /// them), volume (how much of the volume bends keep; anchored only)
    #[arg(long, value_name = "FORCE=SCALE", value_delimiter = ',')]
    stiffness: Vec<Stiffness>,

    /// Settings of single points: painted stiffness, pairs, pins, handles, a region
    /// (docs/spring-edits.md)
    #[arg(long, value_name = "FILE.json")]
    spring_edits: Option<PathBuf>,
}

/// A step that the library takes; a fraction may be written as one.
fn step_seconds(text: &str) -> Result<f32, String> {
    let seconds = match text.split_once('/') {
        Some((over, under)) => finite(over)? / finite(under)?,
        None => finite(text)?,
    };
    match seconds as f32 {
        seconds if seconds > 0.0 && seconds <= SpringSettings::MAX_STEP_SECONDS => Ok(seconds),
        _ => Err("not above 0 and up to 1; write seconds, as in 0.0333 or 1/30".into()),
    }
}

/// Which bones a point may attach to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Attach {
    /// Bones of joints that have weight on the point
    Weighted,
    /// Any bone, by distance alone
    All,
    /// Bones at the joint with the largest weight, as in the paper
    Dominant,
}

/// Which of the coefficients.
type Force = fn(&mut Coefficients) -> &mut f32;

/// `FORCE=SCALE`.
#[derive(Clone, Copy, Debug)]
struct Stiffness {
    field: Force,
    scale: f32,
}

/// The forces that can be scaled, by name.
const FORCES: [(&str, Force); 9] = [
    ("torque", |c| &mut c.torque),
    ("bone", |c| &mut c.bone),
    ("edge", |c| &mut c.edge),
    ("length", |c| &mut c.length),
    ("compressed", |c| &mut c.compressed),
    ("across-bones", |c| &mut c.across_bones),
    ("across-bones-torque", |c| &mut c.across_bones_torque),
    ("across-bones-edge", |c| &mut c.across_bones_edge),
    ("volume", |c| &mut c.volume),
];

impl std::str::FromStr for Stiffness {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write FORCE=SCALE, as in length=2 or torque=0.5,across-bones=0.1";
        let (name, scale) = text.split_once('=').ok_or(SHAPE)?;
        let Some(&(_, field)) = FORCES.iter().find(|(force, _)| *force == name) else {
            let all = FORCES.map(|(force, _)| force).join(", ");
            return Err(format!("'{name}' is none of {all}; {SHAPE}"));
        };
        finite(scale).map_err(|error| format!("'{scale}' is {error}; {SHAPE}"))?;
        let scale = not_negative(scale)
            .map_err(|error| format!("the scale of {name}, {scale}, {error}; {SHAPE}"))?;
        Ok(Self { field, scale: scale as f32 })
    }
}

/// `MESH=yes`, or `MESH#PIECE=no`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rigid {
    mesh: String,
    piece: Option<u32>,
    is_rigid: bool,
}

impl std::str::FromStr for Rigid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write MESH=yes, or MESH#PIECE=no for one of its shells";
        // Names may have signs of their own.
        let (name, answer) = text.rsplit_once('=').ok_or(SHAPE)?;
        let is_rigid = match answer {
            "yes" => true,
            "no" => false,
            _ => return Err(format!("'{answer}' is neither yes nor no; {SHAPE}")),
        };
        let numbered = name.rsplit_once('#').and_then(|(mesh, piece)| {
            piece.parse().ok().map(|piece: u32| (mesh.to_owned(), Some(piece)))
        });
        let (mesh, piece) = numbered.unwrap_or_else(|| (name.to_owned(), None));
        Ok(Self { mesh, piece, is_rigid })
    }
}

/// `SCALE`, or `JOINT:SCALE`.
#[derive(Clone, Debug)]
struct Influence {
    joint: Option<String>,
    scale: f32,
}

impl std::str::FromStr for Influence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Names may have colons of their own (`mixamorig:LeftArm:0.5`).
        let (joint, number) = match text.rsplit_once(':') {
            Some((joint, number)) => (Some(joint.to_owned()), number),
            None => (None, text),
        };
        let scale = finite(number)? as f32;
        if AttachSettings::INFLUENCES.contains(&scale) {
            return Ok(Self { joint, scale });
        }
        let (least, most) = AttachSettings::INFLUENCES.into_inner();
        Err(format!("not between {least} and {most}"))
    }
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f64, String> {
    match finite(text)? {
        share if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not between 0 and 1".into()),
    }
}

impl SpringArgs {
    /// The first flag that was given; all of them are of springs only.
    pub(crate) fn given(&self) -> Option<&'static str> {
        [
            ("--preset", self.preset.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--springs-on", !self.springs_on.is_empty()),
            ("--exclude", !self.exclude.is_empty()),
            ("--attach", self.attach.is_some()),
            ("--smoothings", self.smoothings.is_some()),
            ("--visibility", self.visibility),
            ("--contractions", self.contractions.is_some()),
            ("--influence", !self.influence.is_empty()),
            ("--dt", self.dt.is_some()),
            ("--threshold", self.threshold.is_some()),
            ("--keep-volume", self.keep_volume.is_some()),
            ("--shells", self.shells.is_some()),
            ("--rigid", !self.rigid.is_empty()),
            ("--stiffness", !self.stiffness.is_empty()),
            ("--spring-edits", self.spring_edits.is_some()),
        ]
        .into_iter()
        .find_map(|(flag, is_given)| is_given.then_some(flag))
    }

    /// Refuses flags that would do nothing: a typo must not look like a result.
    pub(crate) fn check_used(&self, models: &[Option<SpringModel>]) -> Result<(), Failure> {
        match self.given() {
            Some(flag) if !models.iter().any(Option::is_some) => Err(Failure::Usage(format!(
                "{flag} needs springs; add --springs {}, or leave it out",
                SpringSettings::default().model.name()
            ))),
            _ => Ok(()),
        }
    }

    /// A character's rig: a method, or springs after the method (else the model's own first stage).
    pub(crate) fn rig(
        &self,
        character: &Character,
        method: Option<SkinMethod>,
        model: Option<SpringModel>,
    ) -> Result<Rig, Failure> {
        let Some(model) = model else {
            return Ok(Rig::of(method.unwrap_or(SkinMethod::Linear)));
        };
        if character.skeleton.is_empty() {
            let words = "springs need a skeleton, and there is none; leave --springs out";
            return Err(Failure::Input(words.into()));
        }
        let mut settings = SpringSettings::new(model);
        if let Some(preset) = self.preset {
            if model != SpringModel::Anchored {
                let words = "--preset is for --springs anchored; leave it out";
                return Err(Failure::Usage(words.into()));
            }
            settings = preset.springs(&settings);
        }
        settings.first_stage = method.unwrap_or(settings.first_stage);
        settings.iterations = self.iterations.unwrap_or(settings.iterations);
        settings.step_seconds = self.dt.unwrap_or(settings.step_seconds);
        settings.threshold = self.threshold.map_or(settings.threshold, |share| share as f32);
        if let Some(share) = self.keep_volume {
            settings.keep_volume = share as f32;
        }
        if let Some(share) = self.shells {
            settings.shells = share as f32;
        }
        let influence = settings.attach.influence;
        settings.attach = self.attach_settings(character)?;
        if !self.influence.iter().any(|scale| scale.joint.is_none()) {
            settings.attach.influence = influence;
        }
        for stiffness in &self.stiffness {
            *(stiffness.field)(&mut settings.coefficients) = stiffness.scale;
        }
        let mut rig = Rig::relaxed(settings);
        if let Some(preset) = self.preset {
            rig.dynamics = preset.dynamics();
        }
        self.choose_meshes(character, &mut rig)?;
        self.choose_rigid(character, &mut rig)?;
        Ok(rig)
    }

    /// What single points have of their own; nothing without a file.
    pub(crate) fn edits(&self, character: &Character) -> Result<SpringEdits, Failure> {
        match &self.spring_edits {
            Some(path) => SpringEdits::read(path, character),
            None => Ok(SpringEdits::default()),
        }
    }

    pub(crate) fn attach_settings(&self, character: &Character) -> Result<AttachSettings, Failure> {
        let skeleton = &character.skeleton;
        let mut settings = AttachSettings::default();
        if let Some(attach) = self.attach {
            settings.candidates = match attach {
                Attach::Weighted => Candidates::Weighted,
                Attach::All => Candidates::All,
                Attach::Dominant => Candidates::Dominant,
            };
        }
        settings.smoothings = self.smoothings.unwrap_or(settings.smoothings);
        settings.visibility = self.visibility;
        settings.contractions = self.contractions.unwrap_or(settings.contractions);
        // A name may stand for several joints.
        let named = |name: &str| -> Result<Vec<u32>, Failure> {
            let joints = skeleton.joints();
            let found: Vec<u32> =
                (0..).zip(joints).filter(|(_, j)| j.name == name).map(|(i, _)| i).collect();
            if found.is_empty() {
                let all = joints.iter().map(|joint| joint.name.as_str());
                return Err(Failure::Usage(names::unknown("joint", name, all)));
            }
            Ok(found)
        };
        for name in &self.exclude {
            settings.excluded_joints.extend(named(name)?);
        }
        for Influence { joint, scale } in &self.influence {
            match joint {
                None => settings.influence = *scale,
                Some(name) => {
                    let joints = named(name)?;
                    settings.influence_of_joint.extend(joints.iter().map(|&joint| (joint, *scale)));
                }
            }
        }
        settings.excluded_joints.sort_unstable();
        settings.excluded_joints.dedup();
        if !skeleton.is_empty() && settings.excluded_joints.len() == skeleton.len() {
            let words = "every joint is excluded, and the skin has no bone left to hold on to; leave one --exclude out";
            return Err(Failure::Usage(words.into()));
        }
        Ok(settings)
    }

    /// Without `--rigid`, the weights decide.
    fn choose_rigid(&self, character: &Character, rig: &mut Rig) -> Result<(), Failure> {
        for Rigid { mesh, piece, is_rigid } in &self.rigid {
            let names = || character.parts.iter().map(|part| part.mesh.name());
            let mut found = false;
            for (part, _) in names().enumerate().filter(|(_, name)| name == mesh) {
                found = true;
                let own = rig.part_mut(part);
                match *piece {
                    None => own.rigid = Some(*is_rigid),
                    Some(piece) => own.choose_piece(piece, Some(*is_rigid)),
                }
            }
            if !found {
                return Err(Failure::Usage(names::unknown("mesh", mesh, names())));
            }
        }
        rig.check(character).map_err(|error| Failure::Usage(error.to_string()))
    }

    /// Without `--springs-on`, the rig's rule decides.
    fn choose_meshes(&self, character: &Character, rig: &mut Rig) -> Result<(), Failure> {
        let names = || character.parts.iter().map(|part| part.mesh.name());
        for name in &self.springs_on {
            if !names().any(|other| other == name) {
                return Err(Failure::Usage(names::unknown("mesh", name, names())));
            }
        }
        if self.springs_on.is_empty() {
            return Ok(());
        }
        for (part, name) in names().enumerate() {
            rig.part_mut(part).relaxes = Some(self.springs_on.iter().any(|chosen| chosen == name));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_of_the_library_can_be_named_and_none_is_off() {
        for model in SpringModel::ALL {
            assert_eq!(Springs::from_str(model.name(), false), Ok(Springs(Some(model))));
        }
        assert_eq!(Springs::from_str("off", false), Ok(Springs(None)));
    }

    #[test]
    fn every_force_can_be_scaled_and_only_that_one_changes() {
        for (name, field) in FORCES {
            let stiffness: Stiffness = format!("{name}=2.5").parse().unwrap();
            let mut coefficients = Coefficients::default();
            *(stiffness.field)(&mut coefficients) = stiffness.scale;
            assert_eq!(*field(&mut coefficients), 2.5, "{name}");
            *field(&mut coefficients) = 1.0;
            assert_eq!(coefficients, Coefficients::default(), "{name}");
        }
    }

    #[test]
    fn a_time_step_is_a_number_or_a_fraction() {
        assert_eq!(step_seconds("1/30"), Ok(SpringSettings::PAPER_STEP_SECONDS));
        assert_eq!(step_seconds("0.05"), Ok(0.05));
        for bad in ["", "0", "-1/30", "2", "nan", "1/0", "x"] {
            assert!(step_seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_rigid_is_named_by_mesh_and_piece() {
        let rigid =
            |mesh: &str, piece, is_rigid| Ok(Rigid { mesh: mesh.to_owned(), piece, is_rigid });
        assert_eq!("Belt=yes".parse(), rigid("Belt", None, true));
        assert_eq!("Belt#3=no".parse(), rigid("Belt", Some(3), false));
        assert_eq!("a=b#c=no".parse(), rigid("a=b#c", None, false));
        for bad in ["", "Belt", "Belt=", "Belt=maybe"] {
            assert!(bad.parse::<Rigid>().unwrap_err().contains("MESH#PIECE"), "{bad}");
        }
    }

    #[test]
    fn what_is_no_stiffness_says_how_to_write_one() {
        for bad in ["", "length", "lenght=1", "length=", "length=nan", "length=-1"] {
            let error = bad.parse::<Stiffness>().unwrap_err();
            assert!(error.contains("FORCE=SCALE"), "{bad}: {error}");
        }
    }
}
