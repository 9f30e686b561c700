//! The tour of a user's own character: from its four sides, and in its own clips with three methods
//! side by side.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Normals, Rig};
use sinew::springs::SpringModel;
use sinew_view::camera::Size;
use sinew_view::compose::{self, Cell, GridStyle};

use super::Tour;
use super::page::{ENLARGE, STYLE, escaped};
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::files;
use crate::render::view::View;
use crate::render::{Ground, Shots, Show};
use crate::spring_args::SpringArgs;
use crate::text::counted;

const SIZE: Size = Size { width: 420, height: 480 };

/// From where it is shown as it rests.
const SIDES: [&str; 4] = ["front", "three-quarter", "side", "back"];

/// More clips make the page long, not telling.
const MOST_CLIPS: usize = 4;

/// Where in a clip it is shown: well away from its ends.
const SHARE_OF_CLIP: f64 = 0.4;

/// The page of a character, a file or a project.
pub(super) fn build(file: &Path, tour: &mut Tour<'_>) -> Result<String, Failure> {
    let character = Arc::new(read(file, tour)?);
    if character.parts.is_empty() {
        return Err(Failure::Input(format!("'{}' has no mesh to show", file.display())));
    }
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let mut page = String::new();
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>Sinew · {0}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><div class=\"inner\"><h1>{0}</h1>\n<p class=\"lede\">{1}, {2}, {3}, {4}.</p>\
         </div></header>\n<main>\n",
        escaped(&name),
        counted(character.parts.len(), "mesh").replace("meshs", "meshes"),
        counted(character.num_points(), "point"),
        counted(character.skeleton.len(), "joint"),
        counted(character.clips.len(), "clip"),
    );
    at_rest(&mut page, &character, tour)?;
    in_clips(&mut page, &character, tour)?;
    page.push_str("</main>\n");
    page.push_str(ENLARGE);
    page.push_str("</body>\n</html>\n");
    Ok(page)
}

/// A project's own pose and rig are the studio's; here it is the character.
fn read(file: &Path, tour: &Tour<'_>) -> Result<Character, Failure> {
    if crate::edit::is_project(file) {
        return Ok(Character::clone(crate::edit::open(file)?.character()));
    }
    files::read(file, tour.console)
}

fn at_rest(
    page: &mut String,
    character: &Arc<Character>,
    tour: &mut Tour<'_>,
) -> Result<(), Failure> {
    tour.step("at rest")?;
    let base = Controls::rest(character);
    let rigs = [(String::new(), Rig::default())];
    let mut shots = Shots::bind(character, &rigs, &base, tour.console, &tour.bar)?;
    let moment = shots.pose(&base)?;
    let mut pictures = Vec::new();
    for side in SIDES {
        let view: View = side.parse().map_err(Failure::Usage)?;
        let camera = shots.framing(std::slice::from_ref(&moment), view, SIZE, false);
        pictures.push((shots.picture(&tour.artist, &moment, camera, SIZE)?, side));
    }
    if !character.skeleton.is_empty() {
        shots.show = vec![Show::Skeleton];
        let view = View::default();
        let camera = shots.framing(std::slice::from_ref(&moment), view, SIZE, false);
        pictures.push((shots.picture(&tour.artist, &moment, camera, SIZE)?, "its bones"));
    }
    let cells: Vec<Cell<'_>> =
        pictures.iter().map(|(picture, caption)| Cell { picture, caption }).collect();
    let sheet = compose::side_by_side(&cells, &GridStyle::default());
    let file = tour.keep("rest", &sheet)?;
    let _ = write!(
        page,
        "<section><h2>At rest</h2>\n<figure><img src=\"{file}\" alt=\"From all sides\"></figure></section>\n"
    );
    Ok(())
}

fn in_clips(
    page: &mut String,
    character: &Arc<Character>,
    tour: &mut Tour<'_>,
) -> Result<(), Failure> {
    let has_weights = character.parts.iter().any(|part| part.weights.is_some());
    if character.clips.is_empty() || !has_weights {
        return Ok(());
    }
    tour.step("in its clips")?;
    let contestants: Vec<Contestant> = ["linear", "dual-quat"]
        .iter()
        .filter_map(|name| name.parse().ok())
        .chain([Contestant::of_model(SpringModel::Anchored)])
        .collect();
    let springs = SpringArgs::default();
    let rig = |c: &Contestant| {
        let rig = springs.rig(character, c.method, c.model)?;
        Ok((c.label(), rig.with_normals(Normals::RECOMPUTED)))
    };
    let rigs = contestants.iter().map(rig).collect::<Result<Vec<_>, Failure>>()?;
    let base = Controls::rest(character);
    let mut shots = Shots::bind(character, &rigs, &base, tour.console, &tour.bar)?;
    shots.ground = Ground::UnderPose;
    for (index, clip) in character.clips.iter().take(MOST_CLIPS).enumerate() {
        tour.console.check_interrupted()?;
        let seconds = SHARE_OF_CLIP * clip.duration_seconds();
        let controls = Controls::posed(character, clip.pose_at(&character.skeleton, seconds));
        let moment = shots.pose(&controls)?;
        let moments = std::slice::from_ref(&moment);
        let camera = shots.framing(moments, View::default(), SIZE, false);
        let picture = shots.picture(&tour.artist, &moment, camera, SIZE)?;
        let file = tour.keep(&format!("clip-{index}"), &picture)?;
        let _ = write!(
            page,
            "<section><h2>{}</h2>\n<p>{seconds:.2} s into the clip, three ways.</p>\n\
             <figure><img src=\"{file}\" alt=\"Three methods side by side\"></figure></section>\n",
            escaped(&clip.name),
        );
    }
    Ok(())
}
