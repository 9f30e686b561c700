//! What can be typed: the verbs, and the flags that several of them share.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use sinew::skin::SkinMethod;
use sinew_gpu::{Gpu, GpuError};

use crate::cage_args::CageArgs;
use crate::exit::Failure;
use crate::joint_spec::{RotateSpec, StretchSpec};
use crate::numbers::finite;
use crate::shape::{ControlSpec, ShapeSpec};
use crate::spring_args::SpringArgs;
use crate::{
    bench, bind, cage, check, convert, demo, diff, edit, help, info, measure, render, retarget,
    sample, skin, studio, weights,
};

/// Character skinning: pose characters, keep their skin in shape, measure it, and edit weights,
/// cages and motion. Without a verb, `sinew` opens the studio.
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    after_help = "Data goes to stdout, words and progress to stderr.\n\
        Exit codes: 0 done, 1 a check or comparison failed, 2 bad usage, 3 bad input,\n\
        4 this machine lacks something, 5 could not write."
)]
pub(crate) struct Cli {
    /// Print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Replace files that are read-only; they stay read-only
    #[arg(long, global = true)]
    pub(crate) force: bool,

    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Studio(studio::StudioArgs),
    Sample(sample::SampleArgs),
    Info(info::InfoArgs),
    Check(check::CheckArgs),
    Cage(cage::CageVerbArgs),
    Convert(convert::ConvertArgs),
    Retarget(retarget::RetargetArgs),
    Bind(bind::BindArgs),
    Transfer(weights::transfer::TransferArgs),
    Mirror(weights::mirror::MirrorArgs),
    Prune(weights::prune::PruneArgs),
    Smooth(weights::smooth::SmoothArgs),
    Repair(weights::repair::RepairArgs),
    Skin(skin::SkinArgs),
    Measure(measure::MeasureArgs),
    Diff(diff::DiffArgs),
    Edit(edit::EditArgs),
    Render(render::RenderArgs),
    Demo(demo::DemoArgs),
    Bench(bench::BenchArgs),
    Completions(help::CompletionsArgs),
    Man(help::ManArgs),
}

/// A skinning method by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Method(pub(crate) SkinMethod);

impl ValueEnum for Method {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Method; SkinMethod::ALL.len()] = {
            let mut all = [Method(SkinMethod::Rigid); SkinMethod::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index] = Method(SkinMethod::ALL[index]);
                index += 1;
            }
            all
        };
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()).help(method_help(self.0)))
    }
}

/// What a method does, in a line.
fn method_help(method: SkinMethod) -> &'static str {
    match method {
        SkinMethod::Rigid => "Each point follows one joint: for machines and armour",
        SkinMethod::Linear => "As every engine does it; loses volume in bends and twists",
        SkinMethod::DualQuat => "Keeps volume in twists; bulges in bends",
        SkinMethod::CenterOfRotation => "Keeps volume in twists and bends, without the bulge",
        SkinMethod::BoneSmooth => "Keeps volume through any number of turns",
    }
}

/// What computes the skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Device {
    /// The processor
    Cpu,
    /// The graphics adapter, even one in software
    Gpu,
}

impl Device {
    /// The adapter, if that is what was asked for; a machine without one says so.
    pub(crate) fn gpu(self) -> Result<Option<Gpu>, Failure> {
        match self {
            Self::Cpu => Ok(None),
            Self::Gpu => Ok(Some(Gpu::headless()?)),
        }
    }
}

impl From<GpuError> for Failure {
    fn from(error: GpuError) -> Self {
        Self::Machine(error.to_string())
    }
}

/// The pose: a clip at a time or a pose file, then rotations and stretches on top.
#[derive(Args, Debug)]
#[command(next_help_heading = "Pose")]
pub(crate) struct PoseArgs {
    /// Take the pose from this clip, at --time
    #[arg(long, value_name = "NAME", conflicts_with = "pose")]
    pub(crate) clip: Option<String>,

    /// Seconds into the clip; before its first key and after its last the pose stays the same
    /// [default: 0]
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "clip",
        allow_negative_numbers = true,
        value_parser = finite
    )]
    pub(crate) time: Option<f64>,

    /// Take the pose from this file (docs/pose-files.md)
    #[arg(long, value_name = "FILE.json")]
    pub(crate) pose: Option<PathBuf>,

    /// Turn JOINT by DEGREES about AXIS: bend (closes an elbow or a knee), side (outward), twist
    /// (about its bone, any number of turns), or x, y, z of its own frame; may repeat, in order
    #[arg(long, value_name = "JOINT:AXIS:DEGREES")]
    pub(crate) rotate: Vec<RotateSpec>,

    /// Make JOINT's bone FACTOR times as long: the skin on it stretches, the joints below it move
    /// along and keep their size; may repeat
    #[arg(long, value_name = "JOINT:FACTOR")]
    pub(crate) stretch: Vec<StretchSpec>,

    /// Give SHAPE this weight on every mesh that has it, instead of the weight of the clip or the
    /// file; may repeat
    #[arg(long, value_name = "SHAPE:WEIGHT")]
    pub(crate) shape: Vec<ShapeSpec>,

    /// Give CONTROL, a named number that drivers read, this value instead of its value in the clip
    /// or at rest; may repeat
    #[arg(long, value_name = "CONTROL:VALUE")]
    pub(crate) control: Vec<ControlSpec>,
}

/// How the skin is computed, beside method and springs.
#[derive(Args, Debug)]
pub(crate) struct DeformArgs {
    #[command(flatten)]
    pub(crate) springs: SpringArgs,

    #[command(flatten)]
    pub(crate) cage: CageArgs,

    /// What computes the skin
    #[arg(long, value_enum, default_value_t = Device::Cpu)]
    pub(crate) device: Device,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use sinew::springs::SpringModel;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_method_of_the_library_can_be_named() {
        for method in SkinMethod::ALL {
            assert_eq!(Method::from_str(method.name(), false), Ok(Method(method)));
        }
    }

    /// The names of an enum's variants: serde lists them all when it is given none of them.
    fn variants<T: serde::de::DeserializeOwned + std::fmt::Debug>() -> Vec<String> {
        let words = serde_json::from_str::<T>("\"?\"").unwrap_err().to_string();
        // Between backticks, after what was given.
        words.split('`').skip(1).step_by(2).skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn the_lists_of_all_methods_and_models_miss_none() {
        assert_eq!(variants::<SkinMethod>(), SkinMethod::ALL.map(SkinMethod::name));
        assert_eq!(variants::<SpringModel>(), SpringModel::ALL.map(SpringModel::name));
    }
}
