//! Characters of many shells: armour over cloth, sleeves, collars, pouches, hair cards, props.
//!
//! [`TUNING`] may be looked at while constants are chosen, [`HELD_BACK`] may not
//! ([`Role`]). Each is put through the same five poses, animals through what
//! comes nearest, and [`verdict`] holds the springs against what shells.md asks of them ('Reach').

pub mod sheet;
pub mod table;
pub mod verdict;

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skeleton::Skeleton;
use sinew_io::read_character;

use crate::body::{self, BodyRig};
use crate::files::FileError;
use crate::method::{APART, Method};
use crate::poser::PoseError;
use crate::study::{Filter, Skipped};
use crate::subject::{NamedPose, Role, Subject};

/// What a character's limbs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two arms and two legs.
    Body,
    /// Four legs.
    Animal,
    /// Two legs alone.
    Walker,
}

/// A layered character of the shared data.
#[derive(Clone, Copy, Debug)]
pub struct LayeredFile {
    /// As the tables have it.
    pub name: &'static str,
    /// Below the data's folder.
    pub path: &'static str,
    /// Its names.
    pub rig: &'static BodyRig,
    /// What limbs they are of.
    pub kind: Kind,
}

const fn body(name: &'static str, path: &'static str, rig: &'static BodyRig) -> LayeredFile {
    LayeredFile { name, path, rig, kind: Kind::Body }
}

const fn animal(name: &'static str, path: &'static str) -> LayeredFile {
    LayeredFile { name, path, rig: &body::QUATERNIUS_ANIMAL, kind: Kind::Animal }
}

/// Files that constants may be chosen by.
pub const TUNING: [LayeredFile; 5] = [
    body("Suit", "layered/quaternius_men_Suit.glb", &body::QUATERNIUS),
    body("Soldier", "layered/quaternius_women_Soldier.glb", &body::QUATERNIUS),
    body("Barbarian", "layered/kaykit_Barbarian.glb", &body::KAYKIT),
    body("RobotExpressive", "gltf/RobotExpressive.glb", &body::ROBOT_EXPRESSIVE),
    body("gdbot", "gltf/gdbot.glb", &body::GDBOT),
];

/// Files that nobody looks at while tuning.
pub const HELD_BACK: [LayeredFile; 15] = [
    body("Farmer", "layered/quaternius_men_Farmer.glb", &body::QUATERNIUS),
    body("King", "layered/quaternius_men_King.glb", &body::QUATERNIUS),
    body("Punk", "layered/quaternius_men_Punk.glb", &body::QUATERNIUS),
    body("Spacesuit", "layered/quaternius_men_Spacesuit.glb", &body::QUATERNIUS),
    body("Medieval", "layered/quaternius_women_Medieval.glb", &body::QUATERNIUS),
    body("Witch", "layered/quaternius_women_Witch.glb", &body::QUATERNIUS),
    LayeredFile {
        name: "Enemy 2Legs",
        path: "layered/quaternius_cyber_Enemy_2Legs.glb",
        rig: &body::QUATERNIUS_WALKER,
        kind: Kind::Walker,
    },
    animal("Alpaca", "layered/quaternius_animal_Alpaca.glb"),
    animal("Cow", "layered/quaternius_animal_Cow.glb"),
    animal("Husky", "layered/quaternius_animal_Husky.glb"),
    body("HVGirl", "gltf/HVGirl.glb", &body::MIXAMO),
    body("Elf", "gltf/babylon_Elf/Elf.gltf", &body::MIXAMO),
    body("KayKit Knight", "gltf/kaykit_Knight.glb", &body::KAYKIT),
    body(
        "Knight",
        "gltf/quaternius_single_knight_pack_KnightCharacter.glb",
        &body::QUATERNIUS_KNIGHT,
    ),
    body("Cryptovoxels", "gltf/cryptovoxels.vrm", &body::VRM),
];

/// The methods that are compared on layered characters, unless the filter names others.
pub fn methods(filter: &Filter) -> Vec<Method> {
    let mut filter = filter.clone();
    if filter.methods.is_empty() {
        let names = ["linear", "dual-quat", "anchored", APART];
        filter.methods = names.map(|name| format!("={name}")).to_vec();
    }
    filter.methods()
}

/// The poses of a kind.
pub fn poses(kind: Kind, rig: &BodyRig, skeleton: &Skeleton) -> Result<Vec<NamedPose>, PoseError> {
    match kind {
        Kind::Body => body::layered_poses(rig, skeleton),
        Kind::Animal => body::animal_poses(rig, skeleton),
        Kind::Walker => body::walker_poses(rig, skeleton),
    }
}

/// The layered subjects of these roles whose names the filter takes, and what could not be had. The
/// dressed samples are for tuning.
pub fn load(roles: &[Role], filter: &Filter, data: Option<&Path>) -> (Vec<Subject>, Vec<Skipped>) {
    let mut makers: Vec<(&str, Maker<'_>)> = Vec::new();
    if roles.contains(&Role::Tuning) {
        for kind in SampleKind::DRESSED {
            makers.push((sample_name(kind), Box::new(move || sample(kind))));
        }
    }
    let mut skipped = Vec::new();
    match data {
        Some(data) => {
            let lists = [(Role::Tuning, &TUNING[..]), (Role::HeldBack, &HELD_BACK[..])];
            for (role, list) in lists.into_iter().filter(|(role, _)| roles.contains(role)) {
                for file in list {
                    let make = move || subject(data, file, role).map_err(|why| why.to_string());
                    makers.push((file.name, Box::new(make)));
                }
            }
        }
        None => skipped.push(Skipped {
            what: "real characters".into(),
            why: "there is no folder ../shared/data beside the project; samples alone are studied"
                .into(),
        }),
    }
    makers.retain(|(name, _)| Filter::takes(&filter.subjects, name));
    let made: Vec<Result<Subject, Skipped>> = makers
        .par_iter()
        .map(|(name, make)| make().map_err(|why| Skipped { what: (*name).to_owned(), why }))
        .collect();
    let mut subjects = Vec::new();
    for one in made {
        match one {
            Ok(subject) => subjects.push(subject),
            Err(reason) => skipped.push(reason),
        }
    }
    (subjects, skipped)
}

type Maker<'a> = Box<dyn Fn() -> Result<Subject, String> + Send + Sync + 'a>;

/// What the tables call a dressed sample.
const fn sample_name(kind: SampleKind) -> &'static str {
    match kind {
        SampleKind::Soldier => "sample soldier",
        SampleKind::Suit => "sample suit",
        other => other.name(),
    }
}

/// A dressed sample.
pub fn sample(kind: SampleKind) -> Result<Subject, String> {
    let character = build(&SampleOptions::new(kind)).map_err(|error| error.to_string())?;
    let poses = body::layered_poses(&body::HUMAN, &character.skeleton);
    Ok(Subject {
        name: sample_name(kind).into(),
        role: Role::Tuning,
        poses: poses.map_err(|error| error.to_string())?,
        character: Arc::new(character),
        rings: None,
    })
}

fn subject(data: &Path, file: &LayeredFile, role: Role) -> Result<Subject, FileError> {
    let character = read_character(&data.join(file.path))?.character;
    if character.parts.iter().all(|part| part.weights.is_none()) {
        return Err(FileError::NoWeights);
    }
    let poses = poses(file.kind, file.rig, &character.skeleton)?;
    Ok(Subject { name: file.name.into(), role, character: Arc::new(character), poses, rings: None })
}
