//! A cage on the command line: the one that is bound, and where it was moved to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use glam::DVec3;
use sinew::Character;
use sinew::cage::{Cage, CoordinateKind, LARGE_GAIN};
use sinew::frame::{CageRig, Controls, Normals, Plan, Rig};
use sinew_io::{ReadError, read_cage};

use crate::console::Console;
use crate::exit::Failure;

/// A cage, and where it was moved to.
#[derive(Args, Debug)]
#[command(next_help_heading = "Cage")]
pub(crate) struct CageArgs {
    /// A cage around the character at rest: .obj with its quads kept, or any other mesh; `sinew
    /// cage` makes one
    #[arg(long, value_name = "FILE")]
    pub(crate) cage: Option<PathBuf>,

    /// The same cage with its points moved, at rest: skin and joints go along
    #[arg(long, value_name = "FILE", requires = "cage", conflicts_with = "cage_pose")]
    cage_rest: Option<PathBuf>,

    /// The same cage with its points moved in the pose that is asked for: Sinew finds the cage at
    /// rest that leads there
    #[arg(long, value_name = "FILE", requires = "cage")]
    cage_pose: Option<PathBuf>,

    /// How points hang on the cage [default: quad-mean-value]
    #[arg(long, value_enum, value_name = "KIND", requires = "cage")]
    cage_coordinates: Option<Coordinates>,
}

/// Coordinates by their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Coordinates(pub(crate) CoordinateKind);

impl ValueEnum for Coordinates {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self(CoordinateKind::MeanValue),
            Self(CoordinateKind::QuadMeanValue),
            Self(CoordinateKind::Harmonic),
            Self(CoordinateKind::Parts),
        ]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.0.name()))
    }
}

/// Reads a cage.
pub(crate) fn read(path: &Path) -> Result<Cage, Failure> {
    read_cage(path).map_err(|error| {
        Failure::Input(match error {
            ReadError::Io { .. } | ReadError::UnknownFormat { .. } => error.to_string(),
            error => format!("'{}': {error}", path.display()),
        })
    })
}

impl CageArgs {
    /// What is bound: the cage that is named, or that of the character's file where it is
    /// `wanted`. Says what is wrong with it that does not stand in the way.
    pub(crate) fn rig(
        &self,
        of_file: Option<CageRig>,
        is_wanted: bool,
        console: &Console,
    ) -> Result<Option<CageRig>, Failure> {
        let Some(path) = &self.cage else { return Ok(of_file.filter(|_| is_wanted)) };
        let cage = read(path)?;
        let report = cage.check();
        if report.has_errors() {
            let file = path.display();
            return Err(Failure::Input(format!("'{file}' is no cage to use: {report}")));
        }
        for fault in &report.faults {
            console.warn(&format!("'{}': {fault}", path.display()));
        }
        let coordinates = self.cage_coordinates.map(|Coordinates(kind)| kind).unwrap_or_default();
        Ok(Some(CageRig { cage, coordinates }))
    }

    /// Where the handles are at rest; nothing for as in the file. A posed cage is taken back
    /// through the pose of `controls`.
    pub(crate) fn rest_cage(
        &self,
        character: &Arc<Character>,
        rig: &Rig,
        controls: &Controls,
        console: &Console,
    ) -> Result<Vec<DVec3>, Failure> {
        let Some(bound) = &rig.cage else { return Ok(Vec::new()) };
        let moved = |path: &Path| -> Result<Vec<DVec3>, Failure> {
            let cage = read(path)?;
            let (expected, found) = (bound.cage.points().len(), cage.points().len());
            if expected != found || cage.faces() != bound.cage.faces() {
                return Err(Failure::Input(format!(
                    "'{}' is another cage: {found} points where {expected} are expected, or other faces; move points of the same cage",
                    path.display()
                )));
            }
            Ok(cage.points().to_vec())
        };
        if let Some(path) = &self.cage_rest {
            return moved(path);
        }
        let Some(path) = &self.cage_pose else { return Ok(Vec::new()) };
        let wanted = moved(path)?;
        // The loop is that of the first stage; nothing else is needed of a plan here.
        let plain =
            Rig { cage: Some(bound.clone()), normals: Normals::Off, ..Rig::of(rig.first_stage()) };
        let plan = Plan::bind(character, &plain, &console.bar())?;
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        plan.run(controls, &mut scratch, &mut frame);
        let Some(cage) = plan.cage() else { return Ok(Vec::new()) };
        let by: Vec<DVec3> =
            wanted.iter().zip(frame.posed_cage()).map(|(&to, &from)| to - from).collect();
        let reverse = cage.coupling().reverse(frame.skeleton(), frame.pose(), frame.palette());
        let reversed = reverse
            .solve(&by)
            .map_err(|error| Failure::Input(format!("'{}': {error}", path.display())))?;
        if reversed.gain > LARGE_GAIN {
            console.warn(&format!(
                "the rest cage moves {:.0} times as far as the posed one: the pose hardly allows it",
                reversed.gain
            ));
        }
        Ok(frame.rest_cage().iter().zip(&reversed.offsets).map(|(&at, &by)| at + by).collect())
    }
}
