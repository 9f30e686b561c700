//! What there is beside methods: layered characters, cages, weights, drivers, motion. One entry of
//! [`TOOLS`] each, with the command that does the same to a file.

use std::sync::Arc;

use glam::DVec3;
use sinew::Character;
use sinew::cage::{Cage, CageSettings};
use sinew::frame::{CageRig, Controls, Normals, Rig};
use sinew::retarget::{RetargetOptions, retarget};
use sinew::rigging::add_twist_joints;
use sinew::sample::{SampleKind, SampleOptions, build as build_sample};
use sinew::skeleton::{Axis, Pose};
use sinew::springs::SpringModel;
use sinew::weights::auto::{AutoSettings, auto_weights};
use sinew_view::camera::Size;
use sinew_view::scene::Marks;

use super::Tour;
use super::subject::SUBJECTS;
use crate::exit::Failure;
use crate::render::view::View;
use crate::render::{Ground, Shots, Show};

/// Of one picture.
const SIZE: Size = Size { width: 460, height: 460 };

/// A capability, and who shows it.
pub(super) struct Tool {
    /// Its anchor on the page.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) words: &'static str,
    /// What a user types.
    pub(super) command: &'static str,
    /// Shown with this sample, so that `--samples` leaves it out.
    pub(super) kind: SampleKind,
    draw: fn(&mut Tour<'_>) -> Result<Vec<Drawn>, Failure>,
}

/// A picture by its name in the folder, and what it shows.
pub(super) struct Drawn {
    pub(super) picture: String,
    pub(super) caption: &'static str,
}

/// A tool and its pictures.
pub(super) struct Shown {
    pub(super) tool: &'static Tool,
    pub(super) pictures: Vec<Drawn>,
}

/// In the order of the page.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        id: "layered",
        title: "Layered characters",
        words: "Armour, clothes and pouches are pieces of their own. Springs see which piece lies on which, tie them together and keep \
                plates rigid: what lies outside stays outside.",
        command: "sinew render soldier.glb -o shells.png --springs anchored --show shells",
        kind: SampleKind::Soldier,
        draw: layered,
    },
    Tool {
        id: "cage",
        title: "A cage by one command",
        words: "A coarse cage shapes the character at rest; the pose takes the changed shape along, and a handle that is dragged in the \
                pose finds its way back to the rest.",
        command: "sinew cage arm.glb -o cage.obj --faces 120\n\
                  sinew render arm.glb -o fat.png --cage cage.obj --cage-rest fat_cage.obj --show cage",
        kind: SampleKind::Arm,
        draw: cages,
    },
    Tool {
        id: "weights",
        title: "Weights",
        words: "Automatic weights for all meshes of a character as one body. In the studio they are painted, and dragged: pull a point \
                of the posed skin to where it should be, and its weights follow; below, the figures of Mohr, Tokheim and Gleicher's \
                paper on direct manipulation of skins, made again.",
        command: "sinew bind arm.glb -o bound.glb\nsinew render bound.glb -o weights.png --show weights:fore_arm",
        kind: SampleKind::Arm,
        draw: weights,
    },
    Tool {
        id: "drivers",
        title: "Drivers and twist joints",
        words: "A joint or a shape follows others, by a share, a formula or examples. One click adds twist joints along a limb, so that \
                plain linear blending, in any engine, does not wring it out.",
        command: "sinew edit human.glb twist.json -o twisting.glb --character    # [{\"edit\": \"add-twist-joints\", …}]",
        kind: SampleKind::Human,
        draw: drivers,
    },
    Tool {
        id: "motion",
        title: "Motion",
        words: "A motion of another skeleton, here the human's walk on the chibi: joints find their partners by name and place, and \
                feet stay where they stand.",
        command: "sinew retarget walk.bvh chibi.glb -o walking.glb",
        kind: SampleKind::Chibi,
        draw: motion,
    },
];

/// Draws what the samples that are wanted show.
pub(super) fn build(wanted: &[SampleKind], tour: &mut Tour<'_>) -> Result<Vec<Shown>, Failure> {
    let is_wanted = |tool: &&Tool| wanted.is_empty() || wanted.contains(&tool.kind);
    let mut shown = Vec::new();
    for tool in TOOLS.iter().filter(is_wanted) {
        tour.step(tool.id)?;
        shown.push(Shown { tool, pictures: (tool.draw)(tour)? });
    }
    Ok(shown)
}

/// One picture: a character, how its skin is made, how it stands.
pub(super) struct Shot<'a> {
    pub(super) name: &'a str,
    pub(super) character: &'a Arc<Character>,
    pub(super) rig: Rig,
    pub(super) controls: &'a Controls,
    pub(super) show: Vec<Show>,
    pub(super) cage: Option<&'a Cage>,
    pub(super) view: View,
    /// Joints that it is of; none for all of the character.
    pub(super) framed: Vec<u32>,
    /// In front of it.
    pub(super) marks: Marks,
}

impl<'a> Shot<'a> {
    pub(super) fn new(
        name: &'a str,
        character: &'a Arc<Character>,
        controls: &'a Controls,
    ) -> Self {
        Self {
            name,
            character,
            rig: Rig::default(),
            controls,
            show: Vec::new(),
            cage: None,
            view: View::default(),
            framed: Vec::new(),
            marks: Marks::default(),
        }
    }

    pub(super) fn draw(self, caption: &'static str, tour: &mut Tour<'_>) -> Result<Drawn, Failure> {
        let rigs = [(String::new(), self.rig.with_normals(Normals::RECOMPUTED))];
        let base = Controls::rest(self.character);
        let mut shots = Shots::bind(self.character, &rigs, &base, tour.console, &tour.bar)?;
        shots.ground = Ground::UnderPose;
        shots.show = self.show;
        shots.cage = self.cage.cloned();
        shots.framed = self.framed;
        if shots.show.contains(&Show::Shells) {
            shots.bind_ties()?;
        }
        let moment = shots.pose(self.controls)?;
        let camera = shots.framing(std::slice::from_ref(&moment), self.view, SIZE, false);
        let picture = if self.marks == Marks::default() {
            shots.picture(&tour.artist, &moment, camera, SIZE)?
        } else {
            let (mut seen, _) = shots.scene(&moment[0], camera);
            seen.overlay.in_front.append(self.marks);
            tour.artist.draw(&seen, SIZE)?
        };
        Ok(Drawn { picture: tour.keep(&format!("tool-{}", self.name), &picture)?, caption })
    }
}

fn sample(kind: SampleKind) -> Result<Character, Failure> {
    build_sample(&SampleOptions::new(kind)).map_err(input)
}

pub(super) fn input(error: impl std::fmt::Display) -> Failure {
    Failure::Input(format!("demo: {error}"))
}

pub(super) fn posed(
    character: &Character,
    turns: &[(&str, Axis, f64)],
) -> Result<Controls, Failure> {
    let mut pose = Pose::rest(&character.skeleton);
    for &(joint, axis, degrees) in turns {
        pose.rotate(&character.skeleton, joint, axis, degrees).map_err(input)?;
    }
    Ok(Controls::posed(character, pose))
}

fn layered(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let character = Arc::new(sample(SampleKind::Soldier)?);
    let subject = SUBJECTS.iter().find(|subject| subject.kind == SampleKind::Soldier);
    let pose = subject
        .map_or_else(|| Ok(Pose::rest(&character.skeleton)), |subject| subject.pose(&character))?;
    let controls = Controls::posed(&character, pose);
    let relaxed = || Rig::of_model(SpringModel::Anchored);
    let shape = Shot { rig: relaxed(), ..Shot::new("layered", &character, &controls) };
    let mut shells = Shot { rig: relaxed(), ..Shot::new("shells", &character, &controls) };
    shells.show.push(Show::Shells);
    Ok(vec![
        shape.draw("on guard, springs", tour)?,
        shells.draw("which pieces bend, are tied, rigid, or ride", tour)?,
    ])
}

fn cages(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let character = Arc::new(sample(SampleKind::Arm)?);
    let settings = CageSettings { faces: 120, ..CageSettings::default() };
    let cage = Cage::generate(&character, &settings, &tour.bar)?;
    let rest = Controls::rest(&character);
    // The upper arm twice as thick: handles near it go away from its bone.
    let [head, tail] = character.skeleton.rest_bone(0);
    let fatter: Vec<DVec3> = cage.points().iter().map(|&handle| away(handle, head, tail)).collect();
    let bent = posed(&character, &[("fore_arm", Axis::X, 70.0)])?;
    let with_cage = Rig { cage: Some(CageRig::new(cage.clone())), ..Rig::default() };
    let at_rest = Controls { cage: fatter.clone(), ..rest.clone() };
    let in_pose = Controls { cage: fatter, ..bent };
    let mut drawn = Vec::new();
    for (name, controls, caption) in [
        ("cage", &rest, "an automatic cage"),
        ("cage-rest", &at_rest, "its handles moved at rest"),
        ("cage-pose", &in_pose, "and the pose takes the shape along"),
    ] {
        let (rig, show) = (with_cage.clone(), vec![Show::Cage]);
        let shot = Shot { rig, show, cage: Some(&cage), ..Shot::new(name, &character, controls) };
        drawn.push(shot.draw(caption, tour)?);
    }
    Ok(drawn)
}

/// A handle pushed away from the middle of a bone, the further the nearer it is.
fn away(handle: DVec3, head: DVec3, tail: DVec3) -> DVec3 {
    let length = head.distance(tail).max(f64::EPSILON);
    let along = ((handle - head).dot(tail - head) / (length * length)).clamp(0.0, 1.0);
    let out = handle - head.lerp(tail, along);
    let near = 1.0 - (2.0 * along - 1.0).powi(2);
    handle + 0.8 * near * out
}

fn weights(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let mut character = sample(SampleKind::Arm)?;
    let found = auto_weights(&character, &AutoSettings::default(), &tour.bar).map_err(input)?;
    for (part, weights) in character.parts.iter_mut().zip(found.of_part) {
        part.weights = Some(weights);
    }
    let character = Arc::new(character);
    let rest = Controls::rest(&character);
    let bent = posed(&character, &[("fore_arm", Axis::X, 90.0)])?;
    let mut heat = Shot::new("weights", &character, &rest);
    heat.show = vec![Show::Weights("fore_arm".into()), Show::Skeleton];
    let bent = Shot {
        rig: Rig::of_model(SpringModel::Anchored),
        ..Shot::new("weights-bent", &character, &bent)
    };
    let mut drawn = vec![
        heat.draw("automatic weights of the forearm", tour)?,
        bent.draw("bent with them, springs", tour)?,
    ];
    drawn.extend(super::dragged::pictures(tour)?);
    Ok(drawn)
}

fn drivers(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let plain = sample(SampleKind::Human)?;
    let forearm = plain.skeleton.find("forearm_l").ok_or_else(|| input("no forearm"))?;
    let twisting = Arc::new(add_twist_joints(&plain, forearm, 3).map_err(input)?);
    let plain = Arc::new(plain);
    let turns = [("forearm_l", Axis::X, 60.0), ("forearm_l", Axis::Twist, 150.0)];
    let view = View { yaw_degrees: 60.0, pitch_degrees: 15.0 };
    let mut drawn = Vec::new();
    for (name, character, caption) in [
        ("twist-without", &plain, "forearm turned by 150°, linear"),
        ("twist-with", &twisting, "the same with three twist joints, linear"),
    ] {
        let controls = posed(character, &turns)?;
        let shot = Shot { view, framed: vec![forearm], ..Shot::new(name, character, &controls) };
        drawn.push(shot.draw(caption, tour)?);
    }
    Ok(drawn)
}

fn motion(tour: &mut Tour<'_>) -> Result<Vec<Drawn>, Failure> {
    let human = Arc::new(sample(SampleKind::Human)?);
    let chibi = Arc::new(sample(SampleKind::Chibi)?);
    let walk = human.clips.first().ok_or_else(|| input("the human has no clip"))?;
    let done = retarget(&human.skeleton, walk, &chibi.skeleton, &RetargetOptions::default())
        .map_err(input)?;
    let mut drawn = Vec::new();
    for (name, character, clip, share, caption) in [
        ("walk-from", &human, walk, 0.25, "the human's walk"),
        ("walk-to", &chibi, &done.clip, 0.25, "on the chibi"),
        ("walk-on", &chibi, &done.clip, 0.75, "half a cycle on"),
    ] {
        let pose = clip.pose_at(&character.skeleton, share * clip.duration_seconds());
        let controls = Controls::posed(character, pose);
        let rig = Rig::of_model(SpringModel::Anchored);
        let shot = Shot { rig, ..Shot::new(name, character, &controls) };
        drawn.push(shot.draw(caption, tour)?);
    }
    Ok(drawn)
}
