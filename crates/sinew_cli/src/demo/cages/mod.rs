//! Figures 2, 5 and 7 to 11 of *Real-time deformation with coupled cages and skeletons* (Corda et
//! al. 2020), made again with our samples: a skeleton poses, a cage shapes the rest, and each has
//! its own keys.

mod bar;
mod moving;
mod shaped;
mod still;

use std::fmt::Write as _;
use std::sync::Arc;

use glam::DVec3;
use sinew::Character;
use sinew::cage::{Cage, CageSettings};
use sinew::frame::{CageRig, Controls, Rig};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build as build_sample};
use sinew::skeleton::Pose;
use sinew::skin::SkinMethod;
use sinew_view::camera::{Camera, Size};
use sinew_view::compose::{Cell, GridStyle, grid};
use sinew_view::picture::Picture;

use super::Tour;
use crate::exit::Failure;
use crate::joint_spec::Axis;
use crate::pose;
use crate::render::view::View;
use crate::render::{Ground, Moment, Shots, Show};

/// A figure on the page: pictures, and a GIF where it moves.
struct CageFigure {
    number: u32,
    title: &'static str,
    words: String,
    files: Vec<String>,
}

/// This part of the page.
pub(super) fn build(tour: &mut Tour<'_>) -> Result<String, Failure> {
    tour.step("cages and skeletons")?;
    let figures = [
        still::methods(tour)?,
        bar::scales(tour)?,
        still::scales(tour)?,
        still::family(tour)?,
        moving::family(tour)?,
        moving::punch(tour)?,
        moving::walker(tour)?,
    ];
    let mut html = String::from(
        "<section id=\"cages\"><h2>Cages and skeletons</h2>\n\
         <p>Figures of F. Corda, J.-M. Thiery, M. Livesu, E. Puppo, T. Boubekeur and R. Scateni, <i>Real-time deformation with \
         coupled cages and skeletons</i>, made again with the samples. A skeleton poses, a cage shapes; both stay in step.</p>\n",
    );
    for CageFigure { number, title, words, files } in figures {
        let _ = writeln!(html, "<h3>Figure {number}: {title}</h3>\n<p>{words}</p>");
        for file in files {
            let _ = writeln!(
                html,
                "<figure><img src=\"{file}\" alt=\"Figure {number}: {title}\" loading=\"lazy\"></figure>"
            );
        }
    }
    html.push_str("</section>\n");
    Ok(html)
}

/// A character in a cage, ready to be drawn.
struct Caged {
    character: Arc<Character>,
    cage: Cage,
    shots: Shots,
    size: Size,
    view: View,
}

impl Caged {
    /// Makes a cage of so many faces and binds it.
    fn new(
        tour: &mut Tour<'_>,
        character: &Arc<Character>,
        (faces, method): (usize, SkinMethod),
        (view, size): (View, Size),
    ) -> Result<Self, Failure> {
        tour.console.check_interrupted()?;
        let settings = CageSettings { faces, ..CageSettings::default() };
        let cage = Cage::generate(character, &settings, &Silent)
            .map_err(|error| Failure::Input(format!("'{}': {error}", character.name)))?;
        Self::in_cage(tour, character, (cage, method), (view, size))
    }

    /// Binds a cage.
    fn in_cage(
        tour: &mut Tour<'_>,
        character: &Arc<Character>,
        (cage, method): (Cage, SkinMethod),
        (view, size): (View, Size),
    ) -> Result<Self, Failure> {
        let rig = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::of(method) };
        let base = Controls::rest(character);
        let rigs = [(method.name().to_owned(), rig)];
        let mut shots = Shots::bind(character, &rigs, &base, tour.console, &tour.bar)?;
        shots.ground = Ground::UnderPose;
        shots.cage = Some(cage.clone());
        Ok(Self { character: Arc::clone(character), cage, shots, size, view })
    }

    /// A pose with the rest cage somewhere; as it was bound if `rest_cage` is empty.
    fn controls(&self, turns: &[Turn], rest_cage: Vec<DVec3>) -> Result<Controls, Failure> {
        let pose = turned(&self.character, turns)?;
        Ok(Controls { cage: rest_cage, ..Controls::posed(&self.character, pose) })
    }

    fn frames(&mut self, all: &[Controls]) -> Result<Vec<Moment>, Failure> {
        all.iter().map(|controls| self.shots.pose(controls)).collect()
    }

    fn framing(&self, moments: &[Moment]) -> Camera {
        self.shots.framing(moments, self.view, self.size, false)
    }

    fn draw(
        &mut self,
        tour: &Tour<'_>,
        (moment, camera): (&Moment, Camera),
        shows_cage: bool,
    ) -> Result<Picture, Failure> {
        tour.console.check_interrupted()?;
        self.shots.show.clear();
        if shows_cage {
            self.shots.show.push(Show::Cage);
        }
        let (scene, _) = self.shots.scene(&moment[0], camera);
        tour.artist.draw(&scene, self.size)
    }
}

/// A joint by name, an axis and degrees.
type Turn = (&'static str, Axis, f64);

fn turned(character: &Character, turns: &[Turn]) -> Result<Pose, Failure> {
    let mut posed = Pose::rest(&character.skeleton);
    for &(joint, axis, degrees) in turns {
        pose::turn(character, &mut posed, joint, axis, degrees)?;
    }
    Ok(posed)
}

fn sample(kind: SampleKind, points: Option<usize>) -> Result<Arc<Character>, Failure> {
    let options = SampleOptions { points, ..SampleOptions::new(kind) };
    build_sample(&options).map(Arc::new).map_err(|error| Failure::Input(error.to_string()))
}

/// Pictures with their words as one, so many a row.
fn sheet(
    tour: &mut Tour<'_>,
    name: &str,
    pictures: &[(Picture, String)],
    columns: usize,
) -> Result<String, Failure> {
    let cells: Vec<Cell<'_>> =
        pictures.iter().map(|(picture, caption)| Cell { picture, caption }).collect();
    tour.keep(name, &grid(&cells, columns, &GridStyle::default()))
}
