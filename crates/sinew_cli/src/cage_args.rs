//! A cage on the command line: the one that is bound, and where it was moved to.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use glam::{DVec3, Vec3};
use sinew::Character;
use sinew::cage::{Cage, CageError, CoordinateKind, GreenCage, LARGE_GAIN};
use sinew::frame::{CageRig, Controls, Normals, Plan, Rig};
use sinew_io::{ReadError, read_cage, read_cage_weights};

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

    /// How points hang on the cage: quad-mean-value, mean-value, harmonic, parts; greens (with
    /// --cage-rest and without a pose); or a file of lines 'handle point coordinate', as SuperCages
    /// writes them [default: quad-mean-value]
    #[arg(long, value_name = "KIND|FILE", requires = "cage")]
    cage_coordinates: Option<Coordinates>,
}

/// Coordinates by their name, or by that of their file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Coordinates {
    Kind(CoordinateKind),
    /// For a cage without a skeleton.
    Greens,
    File(PathBuf),
}

impl FromStr for Coordinates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = CoordinateKind::ALL.into_iter().find(|kind| kind.name() == text);
        let path = Path::new(text);
        match kind {
            Some(kind) => Ok(Self::Kind(kind)),
            None if text == "greens" => Ok(Self::Greens),
            // No kind has an ending.
            None if path.extension().is_some() || path.is_file() => Ok(Self::File(path.into())),
            None => {
                let names = CoordinateKind::ALL.map(CoordinateKind::name).join(", ");
                Err(format!("neither a file nor one of {names}, greens"))
            }
        }
    }
}

/// A cage with its coordinates; `None` for Green's, which no plan can take.
pub(crate) fn rig_of(
    cage: Cage,
    coordinates: Option<&Coordinates>,
    character: &Character,
) -> Result<Option<CageRig>, Failure> {
    let path = match coordinates {
        None => return Ok(Some(CageRig::new(cage))),
        Some(Coordinates::Kind(kind)) => return Ok(Some(CageRig::of(cage, *kind))),
        Some(Coordinates::Greens) => return Ok(None),
        Some(Coordinates::File(path)) => path,
    };
    let loaded = read_cage_weights(path, cage.points().len(), character.num_points());
    let loaded = loaded.map_err(|error| unread(path, &error))?;
    Ok(Some(CageRig { loaded: Some(loaded), ..CageRig::new(cage) }))
}

/// Reads a cage.
pub(crate) fn read(path: &Path) -> Result<Cage, Failure> {
    read_cage(path).map_err(|error| unread(path, &error))
}

fn unread(path: &Path, error: &ReadError) -> Failure {
    Failure::Input(match error {
        ReadError::Io { .. } | ReadError::UnknownFormat { .. } => error.to_string(),
        error => format!("'{}': {error}", path.display()),
    })
}

/// The same cage with its points elsewhere.
fn read_moved(path: &Path, bound: &Cage) -> Result<Vec<DVec3>, Failure> {
    let cage = read(path)?;
    let (expected, found) = (bound.points().len(), cage.points().len());
    if expected != found || cage.faces() != bound.faces() {
        return Err(Failure::Input(format!(
            "'{}' is another cage: {found} points where {expected} are expected, or other faces; move points of the same cage",
            path.display()
        )));
    }
    Ok(cage.points().to_vec())
}

impl CageArgs {
    /// What is bound: the cage that is named, or that of the character's file where it is
    /// `wanted`. Says what is wrong with it that does not stand in the way.
    pub(crate) fn rig(
        &self,
        (of_file, is_wanted): (Option<CageRig>, bool),
        character: &Character,
        console: &Console,
    ) -> Result<Option<CageRig>, Failure> {
        match self.checked(console)? {
            None => Ok(of_file.filter(|_| is_wanted)),
            Some(cage) => rig_of(cage, self.cage_coordinates.as_ref(), character),
        }
    }

    /// The cage that is named.
    fn checked(&self, console: &Console) -> Result<Option<Cage>, Failure> {
        let Some(path) = &self.cage else { return Ok(None) };
        let cage = read(path)?;
        let report = cage.check();
        if report.has_errors() {
            let file = path.display();
            return Err(Failure::Input(format!("'{file}' is no cage to use: {report}")));
        }
        for fault in &report.faults {
            console.warn_once(&format!("'{}': {fault}", path.display()));
        }
        Ok(Some(cage))
    }

    /// With Green coordinates: how far they move the points of each mesh at the rest of `base`;
    /// nothing with others. `is_posed` says that joints are to turn afterwards.
    pub(crate) fn green_offsets(
        &self,
        character: &Character,
        (base, is_posed): (&Controls, bool),
        console: &Console,
    ) -> Result<Vec<Vec<Vec3>>, Failure> {
        if self.cage_coordinates != Some(Coordinates::Greens) {
            return Ok(Vec::new());
        }
        // What they move along with the handles, the faces' normals, is not linear in the cage.
        if self.cage_pose.is_some() {
            return Err(Failure::Usage(
                "Green coordinates are not linear in the cage, so that no rest cage is found for a posed one; move the cage at rest, with --cage-rest".into(),
            ));
        }
        if is_posed && !character.skeleton.is_empty() {
            return Err(Failure::Usage(
                "Green coordinates are not linear in the cage: joints have no place in it, and would stay behind; leave the pose out, or use other coordinates".into(),
            ));
        }
        let (Some(cage), Some(path)) = (self.checked(console)?, &self.cage_rest) else {
            return Err(Failure::Usage(
                "Green coordinates move nothing without --cage-rest".into(),
            ));
        };
        let moved = read_moved(path, &cage)?;
        let rests: Vec<Vec<Vec3>> = character
            .parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                let mut points = vec![Vec3::ZERO; part.mesh.points().len()];
                part.shape_points(&base.part(index).shape_weights, &mut points);
                points
            })
            .collect();
        let all: Vec<DVec3> = rests.iter().flatten().map(|point| point.as_dvec3()).collect();
        let green = GreenCage::bind(&cage, &all).map_err(|error| match error {
            CageError::NotPrecise { point, .. } => Failure::Input(format!(
                "point {point} is not inside the cage, where Green coordinates are of no use; `sinew cage --check` says how many are not"
            )),
            error => error.into(),
        })?;
        let mut now = all.clone();
        green.deform(&moved, &mut now);
        let mut by = now.iter().zip(&all).map(|(now, at)| (*now - *at).as_vec3());
        Ok(rests.iter().map(|rest| by.by_ref().take(rest.len()).collect()).collect())
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
        if let Some(path) = &self.cage_rest {
            return read_moved(path, &bound.cage);
        }
        let Some(path) = &self.cage_pose else { return Ok(Vec::new()) };
        let wanted = read_moved(path, &bound.cage)?;
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
