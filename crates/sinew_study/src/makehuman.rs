//! MakeHuman's body with its own rigs and weights, read from its own files.
//!
//! `base.obj` holds the body among clothes helpers and small cubes that mark joints; only the group
//! `body` is skin. A bone's ends are means of vertices: listed in `default.mhskel`, or those of a
//! named cube in `rig.game_engine.json`. Joints get their bones along +Y by the shortest turn. The
//! files are in decimetres.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use serde::Deserialize;
use sinew::Character;
use sinew::mesh::{MeshError, RawMesh};
use sinew::skeleton::{Joint, JointTransform, Skeleton, SkeletonError};
use sinew::weights::SkinWeights;

use crate::body;
use crate::poser::PoseError;
use crate::subject::{Role, Subject};

const METRES_PER_UNIT: f64 = 0.1;
const SKIN_GROUP: &str = "body";

/// Which of its rigs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rig {
    /// 163 bones, with face and toes.
    Default,
    /// 53 bones.
    GameEngine,
}

impl Rig {
    /// All variants.
    pub const ALL: [Self; 2] = [Self::Default, Self::GameEngine];

    /// As the tables have it.
    pub const fn subject_name(self) -> &'static str {
        match self {
            Self::Default => "MakeHuman",
            Self::GameEngine => "MakeHuman game",
        }
    }
}

/// Why the body cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum MakeHumanError {
    /// A file that cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the cause was.
        source: std::io::Error,
    },
    /// A file that is not the JSON that was expected.
    #[error("{path}: {source}")]
    Json {
        /// The file.
        path: String,
        /// What the cause was.
        source: serde_json::Error,
    },
    /// A line of the OBJ that is not what its first word says.
    #[error("base.obj, line {line}: cannot read '{text}'; use MakeHuman's own file")]
    Obj {
        /// From 1.
        line: usize,
        /// The line.
        text: String,
    },
    /// A bone whose end or parent is not in the files.
    #[error("bone '{bone}' has no {what}; use the rig that belongs to the base mesh")]
    Bone {
        /// Its name.
        bone: String,
        /// What is missing.
        what: &'static str,
    },
    /// Arrays that are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Joints that are no skeleton.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
    /// Poses that do not fit.
    #[error(transparent)]
    Pose(#[from] PoseError),
}

/// The body in its poses, from the folder of its files.
pub fn subject(folder: &Path, rig: Rig) -> Result<Subject, MakeHumanError> {
    let character = read(folder, rig)?;
    let names = match rig {
        Rig::Default => &body::MAKEHUMAN,
        Rig::GameEngine => &body::MAKEHUMAN_GAME,
    };
    let poses = body::goal_poses(names, &character.skeleton)?;
    let name = rig.subject_name().to_owned();
    Ok(Subject { name, role: Role::Goal, character: Arc::new(character), poses, rings: None })
}

/// The body as a character.
pub fn read(folder: &Path, rig: Rig) -> Result<Character, MakeHumanError> {
    let base = Base::parse(&text(&folder.join("base.obj"))?)?;
    let (bones, weights_file) = match rig {
        Rig::Default => {
            (default_bones(&base, &folder.join("default.mhskel"))?, "default_weights.mhw")
        }
        Rig::GameEngine => {
            (game_bones(&base, &folder.join("rig.game_engine.json"))?, "weights.game_engine.json")
        }
    };
    let bones = parents_first(bones)?;
    let skeleton = Skeleton::new(joints(&bones))?;
    let file: WeightsFile = json(&folder.join(weights_file))?;
    let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); base.positions.len()];
    for (bone, entries) in &file.weights {
        let joint = bones.iter().position(|b| b.name == *bone);
        let joint = joint.ok_or_else(|| no(bone, "bone of its weights in the rig"))? as u32;
        for &(vertex, weight) in entries {
            if let Some(row) = rows.get_mut(vertex) {
                row.push((joint, weight));
            }
        }
    }
    let part = base.skin(&rows, skeleton.len()).weld()?.part;
    Ok(Character { name: "makehuman".into(), parts: vec![part], skeleton, ..Character::default() })
}

fn no(bone: &str, what: &'static str) -> MakeHumanError {
    MakeHumanError::Bone { bone: bone.to_owned(), what }
}

fn text(path: &Path) -> Result<String, MakeHumanError> {
    std::fs::read_to_string(path)
        .map_err(|source| MakeHumanError::Io { path: path.display().to_string(), source })
}

fn json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, MakeHumanError> {
    serde_json::from_str(&text(path)?)
        .map_err(|source| MakeHumanError::Json { path: path.display().to_string(), source })
}

/// `base.obj`: all vertices in metres, and the faces of each group.
struct Base {
    positions: Vec<DVec3>,
    faces: BTreeMap<String, Vec<Vec<u32>>>,
}

impl Base {
    fn parse(text: &str) -> Result<Self, MakeHumanError> {
        let mut base = Self { positions: Vec::new(), faces: BTreeMap::new() };
        let mut group = String::new();
        for (index, line) in text.lines().enumerate() {
            let bad = || MakeHumanError::Obj { line: index + 1, text: line.to_owned() };
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let xyz: Vec<f64> =
                        words.map(str::parse).collect::<Result<_, _>>().map_err(|_| bad())?;
                    let [x, y, z] = xyz[..] else { return Err(bad()) };
                    base.positions.push(DVec3::new(x, y, z) * METRES_PER_UNIT);
                }
                Some("g") => words.next().unwrap_or_default().clone_into(&mut group),
                Some("f") => {
                    let corner = |word: &str| {
                        let vertex: u32 = word.split('/').next()?.parse().ok()?;
                        vertex.checked_sub(1).filter(|&v| (v as usize) < base.positions.len())
                    };
                    let face: Option<Vec<u32>> = words.map(corner).collect();
                    let face = face.filter(|face| face.len() >= 3).ok_or_else(bad)?;
                    base.faces.entry(group.clone()).or_default().push(face);
                }
                _ => {}
            }
        }
        Ok(base)
    }

    fn mean_of(&self, vertices: &[u32]) -> Option<DVec3> {
        let places: Option<Vec<DVec3>> =
            vertices.iter().map(|&vertex| self.positions.get(vertex as usize).copied()).collect();
        let places = places.filter(|places| !places.is_empty())?;
        Some(places.iter().sum::<DVec3>() / places.len() as f64)
    }

    fn mean_of_group(&self, group: &str) -> Option<DVec3> {
        let mut vertices: Vec<u32> = self.faces.get(group)?.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        self.mean_of(&vertices)
    }

    /// The skin with only the vertices that it uses. Quads are cut along the shorter diagonal.
    fn skin(&self, rows: &[Vec<(u32, f32)>], num_joints: usize) -> RawMesh {
        let faces = self.faces.get(SKIN_GROUP).map_or(&[][..], Vec::as_slice);
        let mut new_index: Vec<Option<u32>> = vec![None; self.positions.len()];
        let mut used: Vec<u32> = faces.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        for (new, &old) in used.iter().enumerate() {
            new_index[old as usize] = Some(new as u32);
        }
        let mut triangles = Vec::new();
        for face in faces {
            let place = |corner: usize| self.positions[face[corner] as usize];
            let is_cut_across = face.len() == 4
                && place(1).distance_squared(place(3)) < place(0).distance_squared(place(2));
            let first = usize::from(is_cut_across);
            let corner =
                |k: usize| new_index[face[(first + k) % face.len()] as usize].unwrap_or_default();
            for k in 1..face.len() - 1 {
                triangles.push([corner(0), corner(k), corner(k + 1)]);
            }
        }
        let rows = used.iter().map(|&old| rows[old as usize].clone());
        let (weights, _) = SkinWeights::from_rows(rows, num_joints);
        RawMesh {
            name: SKIN_GROUP.into(),
            positions: used.iter().map(|&v| self.positions[v as usize].as_vec3()).collect(),
            triangles,
            weights: Some(weights),
            ..RawMesh::default()
        }
    }
}

/// A bone in model space.
struct Bone {
    name: String,
    parent: Option<String>,
    head: DVec3,
    tail: DVec3,
}

#[derive(Deserialize)]
struct WeightsFile {
    weights: BTreeMap<String, Vec<(usize, f32)>>,
}

#[derive(Deserialize)]
struct DefaultRigFile {
    bones: BTreeMap<String, DefaultBone>,
    joints: BTreeMap<String, Vec<u32>>,
}

#[derive(Deserialize)]
struct DefaultBone {
    head: String,
    tail: String,
    parent: Option<String>,
}

fn default_bones(base: &Base, path: &Path) -> Result<Vec<Bone>, MakeHumanError> {
    let file: DefaultRigFile = json(path)?;
    let mut bones = Vec::new();
    for (name, bone) in file.bones {
        let end = |joint: &str| file.joints.get(joint).and_then(|list| base.mean_of(list));
        let head = end(&bone.head).ok_or_else(|| no(&name, "head"))?;
        let tail = end(&bone.tail).ok_or_else(|| no(&name, "tail"))?;
        bones.push(Bone { name, parent: bone.parent, head, tail });
    }
    Ok(bones)
}

#[derive(Deserialize)]
struct GameBone {
    head: GameEnd,
    tail: GameEnd,
    parent: String,
}

#[derive(Deserialize)]
struct GameEnd {
    cube_name: Option<String>,
    vertex_indices: Option<Vec<u32>>,
}

impl GameEnd {
    fn place(&self, base: &Base) -> Option<DVec3> {
        match (&self.cube_name, &self.vertex_indices) {
            (Some(cube), _) => base.mean_of_group(cube),
            (None, Some(vertices)) => base.mean_of(vertices),
            (None, None) => None,
        }
    }
}

fn game_bones(base: &Base, path: &Path) -> Result<Vec<Bone>, MakeHumanError> {
    let file: BTreeMap<String, GameBone> = json(path)?;
    let mut bones = Vec::new();
    for (name, bone) in file {
        let head = bone.head.place(base).ok_or_else(|| no(&name, "head"))?;
        let tail = bone.tail.place(base).ok_or_else(|| no(&name, "tail"))?;
        let parent = Some(bone.parent).filter(|parent| !parent.is_empty());
        bones.push(Bone { name, parent, head, tail });
    }
    Ok(bones)
}

/// Parents before children, otherwise in the order given.
fn parents_first(mut left: Vec<Bone>) -> Result<Vec<Bone>, MakeHumanError> {
    let mut sorted: Vec<Bone> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let (ready, waiting): (Vec<Bone>, Vec<Bone>) = left.into_iter().partition(|bone| {
            bone.parent.as_ref().is_none_or(|parent| sorted.iter().any(|b| b.name == *parent))
        });
        if ready.is_empty() {
            let bone = waiting.first().map_or("", |bone| &bone.name);
            return Err(no(bone, "parent that leads to a root"));
        }
        sorted.extend(ready);
        left = waiting;
    }
    Ok(sorted)
}

/// Joints at the heads, each turned the shortest way from +Y to its bone.
fn joints(bones: &[Bone]) -> Vec<Joint> {
    let turn_of = |bone: &Bone| {
        (bone.tail - bone.head)
            .try_normalize()
            .map_or(DQuat::IDENTITY, |along| DQuat::from_rotation_arc(DVec3::Y, along))
    };
    bones
        .iter()
        .map(|bone| {
            let parent = bone.parent.as_ref().and_then(|p| bones.iter().position(|b| b.name == *p));
            let (origin, turn) = parent
                .map_or((DVec3::ZERO, DQuat::IDENTITY), |p| (bones[p].head, turn_of(&bones[p])));
            let back = turn.inverse();
            Joint {
                name: bone.name.clone(),
                parent: parent.map(|p| p as u32),
                rest: JointTransform {
                    translation: back * (bone.head - origin),
                    rotation: back * turn_of(bone),
                    scale: DVec3::ONE,
                },
                tail_in_joint: DVec3::Y * bone.head.distance(bone.tail),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// f64 chains.
    const TOLERANCE: f64 = 1e-9;

    #[test]
    fn joints_have_their_bones_where_the_rig_says() {
        let bone = |name: &str, parent: Option<&str>, head: DVec3, tail: DVec3| Bone {
            name: name.into(),
            parent: parent.map(str::to_owned),
            head,
            tail,
        };
        let bones = parents_first(vec![
            bone("c", Some("b"), DVec3::new(1.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 2.0)),
            bone("b", Some("a"), DVec3::Y, DVec3::new(1.0, 1.0, 0.0)),
            bone("a", None, DVec3::ZERO, DVec3::new(0.0, -1.0, 0.0)),
        ])
        .unwrap();
        let skeleton = Skeleton::new(joints(&bones)).unwrap();
        for (index, bone) in bones.iter().enumerate() {
            let [head, tail] = skeleton.rest_bone(index as u32);
            assert!(
                head.abs_diff_eq(bone.head, TOLERANCE) && tail.abs_diff_eq(bone.tail, TOLERANCE)
            );
        }
    }

    #[test]
    fn a_ring_of_parents_is_refused() {
        let bone = |name: &str, parent: &str| Bone {
            name: name.into(),
            parent: Some(parent.into()),
            head: DVec3::ZERO,
            tail: DVec3::Y,
        };
        assert!(parents_first(vec![bone("a", "b"), bone("b", "a")]).is_err());
    }

    #[test]
    fn only_the_skin_is_taken_and_its_quads_are_cut_along_the_shorter_diagonal() {
        let obj = "v 0 0 0\nv 10 0 0\nv 30 10 0\nv 0 10 0\nv 9 9 9\ng joint-x\nf 5 5 5\ng body\nf 1/1 2/2 3/3 4/4\n";
        let base = Base::parse(obj).unwrap();
        let mesh = base.skin(&vec![vec![(0, 1.0)]; 5], 1);
        assert_eq!(mesh.positions.len(), 4);
        assert_eq!(mesh.triangles, [[1, 2, 3], [1, 3, 0]]);
        assert_eq!(base.mean_of_group("joint-x"), Some(DVec3::splat(0.9)));
    }

    #[test]
    fn a_broken_line_is_named() {
        let error = Base::parse("v 0 0 0\nf 1 2 3\n").err().unwrap();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
