//! Which characters are studied, and which of them may be looked at while tuning.
//!
//! The rule is in [`Role`]: constants are chosen by [`Role::Tuning`] alone, and what is in
//! [`HELD_BACK_FILES`] is not looked at before they stand. The procedural samples and
//! [`TUNING_FILES`] are for tuning; MakeHuman's body is a goal.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::body::{self, BodyRig};
use crate::study::{Filter, Skipped};
use crate::subject::{Role, Subject};
use crate::{files, makehuman, procedural};

/// A character file of the shared data.
#[derive(Clone, Copy, Debug)]
pub struct CharacterFile {
    /// As the tables have it.
    pub name: &'static str,
    /// Below the data's folder.
    pub path: &'static str,
    /// Its names, if it is a body that the hard poses fit.
    pub body: Option<&'static BodyRig>,
}

const fn file(name: &'static str, path: &'static str) -> CharacterFile {
    CharacterFile { name, path, body: None }
}

const fn body(name: &'static str, path: &'static str, rig: &'static BodyRig) -> CharacterFile {
    CharacterFile { name, path, body: Some(rig) }
}

/// Files that constants may be chosen by. (The WebXR hand is in neither list: its joints have no
/// parents, so that there is nothing to bend.)
pub const TUNING_FILES: [CharacterFile; 6] = [
    body("RiggedFigure", "gltf/RiggedFigure.glb", &body::RIGGED_FIGURE),
    file("RobotExpressive", "gltf/RobotExpressive.glb"),
    file("Manny", "gltf/kaykit_manny/manny_med_mod.gltf"),
    file("Spider", "gltf/quaternius_easy_enemies_pack_Spider.glb"),
    file("gdbot", "gltf/gdbot.glb"),
    file("Blender armature", "gltf/momentum_blender_simple_armature.glb"),
];

/// Files that nobody looks at while tuning.
pub const HELD_BACK_FILES: [CharacterFile; 10] = [
    body("CesiumMan", "gltf/CesiumMan.glb", &body::CESIUM_MAN),
    file("Fox", "gltf/Fox.glb"),
    body("HVGirl", "gltf/HVGirl.glb", &body::MIXAMO),
    file("Babylon hand", "gltf/babylon_l_hand_rhs.glb"),
    file("T-rex", "gltf/quaternius_dinosaurs_pack_Trex.glb"),
    body("KayKit Knight", "gltf/kaykit_Knight.glb", &body::KAYKIT),
    file("Manta ray", "gltf/quaternius_fish_pack_Manta_ray.glb"),
    file("Knight", "gltf/quaternius_single_knight_pack_KnightCharacter.glb"),
    body("Cryptovoxels", "gltf/cryptovoxels.vrm", &body::VRM),
    file("Elf", "gltf/babylon_Elf/Elf.gltf"),
];

/// The shared data, where the machine has them: what `SINEW_DATA` names, or `../shared/data` beside
/// the project.
pub fn data_folder() -> Option<PathBuf> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = match std::env::var_os("SINEW_DATA") {
        Some(folder) => vec![PathBuf::from(folder)],
        // A worktree lies one folder deeper.
        None => ["../shared/data", "../../shared/data"].map(|path| project.join(path)).to_vec(),
    };
    folders.into_iter().find(|folder| folder.is_dir())
}

/// The subjects of these roles whose names the filter takes, in the tables' order, and what could
/// not be had.
pub fn load(roles: &[Role], filter: &Filter, data: Option<&Path>) -> (Vec<Subject>, Vec<Skipped>) {
    let mut makers: Vec<(&str, Maker<'_>)> = Vec::new();
    if roles.contains(&Role::Tuning) {
        makers.push((
            "cylinder 1.8k",
            Box::new(|| shown(procedural::cylinder("cylinder 1.8k", 1_804))),
        ));
        makers.push((
            "cylinder 16k",
            Box::new(|| shown(procedural::cylinder("cylinder 16k", 16_000))),
        ));
        makers.push(("box", Box::new(|| shown(procedural::curled_box()))));
        makers.push(("plus", Box::new(|| shown(procedural::curled_plus()))));
        makers.push(("arm", Box::new(|| shown(procedural::arm()))));
        makers.push(("human", Box::new(|| shown(procedural::human()))));
        makers.push(("chibi", Box::new(|| shown(procedural::chibi()))));
        makers.push(("giant", Box::new(|| shown(procedural::giant()))));
        makers.push(("snake", Box::new(|| shown(procedural::snake()))));
    }
    let mut missing = None;
    match data {
        Some(data) => {
            let mut of_files = |role: Role, list: &'static [CharacterFile]| {
                for entry in list.iter().filter(|_| roles.contains(&role)) {
                    let make = move || shown(files::subject(data, entry, role));
                    makers.push((entry.name, Box::new(make)));
                }
            };
            of_files(Role::Tuning, &TUNING_FILES);
            of_files(Role::HeldBack, &HELD_BACK_FILES);
            for rig in makehuman::Rig::ALL.into_iter().filter(|_| roles.contains(&Role::Goal)) {
                let make = move || shown(makehuman::subject(&data.join("makehuman"), rig));
                makers.push((rig.subject_name(), Box::new(make)));
            }
        }
        None => {
            missing = Some(Skipped {
                what: "real characters".into(),
                why: "there is no folder ../shared/data beside the project; procedural ones alone are studied".into(),
            });
        }
    }
    makers.retain(|(name, _)| Filter::takes(&filter.subjects, name));
    let made: Vec<Result<Subject, Skipped>> = makers
        .par_iter()
        .map(|(name, make)| make().map_err(|why| Skipped { what: (*name).to_owned(), why }))
        .collect();
    let mut subjects = Vec::new();
    let mut skipped: Vec<Skipped> = missing.into_iter().collect();
    for one in made {
        match one {
            Ok(subject) => subjects.push(subject),
            Err(reason) => skipped.push(reason),
        }
    }
    (subjects, skipped)
}

type Maker<'a> = Box<dyn Fn() -> Result<Subject, String> + Send + Sync + 'a>;

fn shown<T, E: std::error::Error>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}
