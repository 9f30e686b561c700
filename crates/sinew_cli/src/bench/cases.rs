//! What the bench times. Adding a case is one line in [`all`].

use std::collections::HashMap;
use std::sync::Arc;

use glam::Vec3;
use sinew::Character;
use sinew::mesh::{Creases, Mesh, RawMesh, SurfaceNormals};
use sinew::motion::{
    Address, Cursor, JointProperty, Keys, Motion, MotionChannel, MotionSample, ValueKind,
};
use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions};
use sinew::skeleton::Palette;
use sinew::skin::{BucketedSkin, Skin, SkinInput, SkinMethod, VectorBlock};

use super::character::BenchCharacter;
use super::files::{read_glb, read_obj};
use super::limit::Bytes;
use super::studio::{drag_keys, pose};

/// Points of the frame cases; the sizes of the papers' tables.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// Points of the precompute case.
const PRECOMPUTE_SIZE: usize = 120_000;

/// Points of the file that is read.
const READ_SIZE: usize = 200_000;

/// The crease of the recomputed normals: none on a tube, as on most characters.
const CREASE_RADIANS: f32 = 1.0;

/// What is timed again and again.
pub(crate) struct Prepared {
    /// What the time is divided by: points, joints for the palette, bytes for a file.
    pub(crate) items: usize,
    pub(crate) run: Box<dyn FnMut() + Send>,
}

type Prepare = Box<dyn FnOnce(&mut Fixtures) -> Prepared>;

/// One row of the table.
pub(crate) struct Case {
    pub(crate) name: String,
    /// Per item; `None` where memory is not what limits it.
    pub(crate) bytes: Option<Bytes>,
    pub(crate) prepare: Prepare,
}

/// Every case in the order of the table.
pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for size in SIZES {
        for method in SkinMethod::ALL.into_iter().filter(|method| is_timed(*method, size)) {
            cases.push(deform(method, size, Normals::No));
            cases.push(deform(method, size, Normals::Transformed));
            cases.push(deform_bucketed(method, size, Normals::No));
            cases.push(deform_bucketed(method, size, Normals::Transformed));
        }
        cases.push(recomputed_normals(size));
    }
    cases.push(palette());
    cases.push(motion());
    cases.push(precompute(SkinMethod::CenterOfRotation, PRECOMPUTE_SIZE));
    cases.push(read_glb(READ_SIZE));
    cases.push(read_obj(READ_SIZE));
    cases.push(pose(SampleKind::Chibi));
    cases.push(pose(SampleKind::Giant));
    cases.push(drag_keys());
    cases
}

/// Binding a million points to bones takes longer than all other cases together.
fn is_timed(method: SkinMethod, size: usize) -> bool {
    method != SkinMethod::BoneSmooth || size < 1_000_000
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Normals {
    No,
    Transformed,
}

impl Normals {
    fn are_wanted(self) -> bool {
        self == Self::Transformed
    }

    fn name(self) -> &'static str {
        if self.are_wanted() { "positions+normals" } else { "positions" }
    }
}

/// A frame of a method, in the user's order of points.
fn deform(method: SkinMethod, size: usize, normals: Normals) -> Case {
    let with_normals = normals.are_wanted();
    Case {
        name: format!("{} {} {}", method.name(), normals.name(), size_name(size)),
        bytes: Some(deform_bytes(method, with_normals)),
        prepare: Box::new(move |fixtures| {
            let skin = fixtures.skin(method, size);
            let character = fixtures.character(size);
            let palette = character.palette();
            let num_points = character.positions.len();
            let mut positions = vec![Vec3::ZERO; num_points];
            let mut normals = vec![Vec3::ZERO; if with_normals { num_points } else { 0 }];
            Prepared {
                items: num_points,
                run: Box::new(move || {
                    skin.deform(&palette, &mut positions, &mut normals);
                    std::hint::black_box((&positions, &normals));
                }),
            }
        }),
    }
}

/// A frame of a method, in blocks of points with the same joints.
fn deform_bucketed(method: SkinMethod, size: usize, normals: Normals) -> Case {
    let with_normals = normals.are_wanted();
    Case {
        name: format!("{} {} bucketed {}", method.name(), normals.name(), size_name(size)),
        bytes: Some(deform_bytes(method, with_normals)),
        prepare: Box::new(move |fixtures| {
            let skin = fixtures.bucketed_skin(method, size);
            let character = fixtures.character(size);
            let palette = character.palette();
            let num_blocks = skin.num_blocks();
            let mut positions = vec![VectorBlock::default(); num_blocks];
            let num_normals = if with_normals { num_blocks } else { 0 };
            let mut normals = vec![VectorBlock::default(); num_normals];
            Prepared {
                items: character.positions.len(),
                run: Box::new(move || {
                    skin.deform(&palette, &mut positions, &mut normals);
                    std::hint::black_box((&positions, &normals));
                }),
            }
        }),
    }
}

/// The least that a method moves for a point: its rest, the weights but one (they sum to one), what
/// it adds, and the result. Joint ids are shared by many points and not counted.
fn deform_bytes(method: SkinMethod, with_normals: bool) -> Bytes {
    const VEC3: usize = 12;
    const WEIGHTS: usize = 3 * 4;
    // Vector and distance to the bones, then five floats for each of two bones and two for each of
    // two joints.
    const BONE_SMOOTH: usize = (4 + 2 * 5 + 2 * 2) * 4;
    let own = match method {
        SkinMethod::Rigid => 0,
        SkinMethod::Linear | SkinMethod::DualQuat => WEIGHTS,
        SkinMethod::CenterOfRotation => WEIGHTS + VEC3,
        SkinMethod::BoneSmooth => BONE_SMOOTH,
    };
    let normal = if with_normals { VEC3 } else { 0 };
    Bytes { read: VEC3 + own + normal, written: VEC3 + normal }
}

/// Normals of the deformed surface.
fn recomputed_normals(size: usize) -> Case {
    Case {
        name: format!("recomputed normals {}", size_name(size)),
        // A position, two triangles' indices, a normal.
        bytes: Some(Bytes { read: 12 + 2 * 12, written: 12 }),
        prepare: Box::new(move |fixtures| {
            let mesh = fixtures.mesh(size);
            let normals = SurfaceNormals::bind(&mesh, Creases::Angle(CREASE_RADIANS));
            let mut out = vec![Vec3::ZERO; normals.num_wedges()];
            Prepared {
                items: mesh.points().len(),
                run: Box::new(move || {
                    normals.compute(mesh.points(), &mut out);
                    std::hint::black_box(&out);
                }),
            }
        }),
    }
}

/// Forward kinematics and every form of the palette, a joint.
fn palette() -> Case {
    Case {
        name: "forward kinematics and palette, a joint".into(),
        bytes: None,
        prepare: Box::new(|fixtures| {
            let character = fixtures.character(SIZES[0]);
            let pose = character.pose();
            let mut palette = Palette::default();
            Prepared {
                items: character.skeleton.len(),
                run: Box::new(move || {
                    palette.update(&character.skeleton, &pose);
                    std::hint::black_box(&palette);
                }),
            }
        }),
    }
}

/// A clip of 85 joints at times that go on, with a cursor.
fn motion() -> Case {
    Case {
        name: "motion of 85 joints at a time".into(),
        bytes: None,
        prepare: Box::new(|_| {
            let human = sinew::sample::build(&SampleOptions::new(SampleKind::Human))
                .expect("samples can be built");
            // Every joint turns, whatever the sample's own clip leaves at rest.
            let clip = &human.clips[0];
            let mut motion = Motion::of_clip(clip, &human.skeleton);
            let rotations: Vec<Keys> = (motion.layers[0].channels().iter())
                .filter(|channel| channel.keys().kind() == ValueKind::Rotation)
                .map(|channel| channel.keys().clone())
                .collect();
            for joint in 0..human.skeleton.len() as u32 {
                let keys = rotations[joint as usize % rotations.len()].clone();
                let address = Address::joint(joint, JointProperty::Rotation);
                motion.layers[0].put(MotionChannel::new(address, keys, &human.skeleton));
            }
            let (mut cursor, mut out) = (Cursor::default(), MotionSample::rest(&human));
            let mut seconds = 0.0;
            Prepared {
                items: 1,
                run: Box::new(move || {
                    seconds = (seconds + 1.0 / 60.0) % motion.length_seconds;
                    motion.evaluate(&human.skeleton, seconds, &mut cursor, &mut out);
                    std::hint::black_box(&out);
                }),
            }
        }),
    }
}

/// Binding, once a character.
fn precompute(method: SkinMethod, size: usize) -> Case {
    Case {
        name: format!("{} precompute {}", method.name(), size_name(size)),
        bytes: None,
        prepare: Box::new(move |fixtures| {
            let character = fixtures.character(size);
            Prepared {
                items: character.positions.len(),
                run: Box::new(move || {
                    std::hint::black_box(bind(&character, method));
                }),
            }
        }),
    }
}

fn input(character: &BenchCharacter) -> SkinInput<'_> {
    SkinInput {
        positions: &character.positions,
        normals: &character.normals,
        weights: &character.weights,
        triangles: &character.triangles,
        skeleton: &character.skeleton,
    }
}

fn bind(character: &BenchCharacter, method: SkinMethod) -> Skin {
    Skin::bind(method, &input(character), &Silent).expect("the bench character's arrays agree")
}

pub(super) fn size_name(size: usize) -> String {
    if size.is_multiple_of(1_000_000) {
        format!("{}M", size / 1_000_000)
    } else {
        format!("{}k", size / 1_000)
    }
}

/// Characters and skins that several cases share, made when first asked for.
#[derive(Default)]
pub(crate) struct Fixtures {
    characters: HashMap<usize, Arc<BenchCharacter>>,
    skins: HashMap<(SkinMethod, usize), Arc<Skin>>,
    bucketed_skins: HashMap<(SkinMethod, usize), Arc<BucketedSkin>>,
}

impl Fixtures {
    pub(super) fn character(&mut self, size: usize) -> Arc<BenchCharacter> {
        Arc::clone(
            self.characters.entry(size).or_insert_with(|| Arc::new(BenchCharacter::new(size))),
        )
    }

    pub(super) fn skin(&mut self, method: SkinMethod, size: usize) -> Arc<Skin> {
        let character = self.character(size);
        Arc::clone(
            self.skins.entry((method, size)).or_insert_with(|| Arc::new(bind(&character, method))),
        )
    }

    fn bucketed_skin(&mut self, method: SkinMethod, size: usize) -> Arc<BucketedSkin> {
        let character = self.character(size);
        Arc::clone(self.bucketed_skins.entry((method, size)).or_insert_with(|| {
            let bound = BucketedSkin::bind(method, &input(&character), &Silent);
            Arc::new(bound.expect("the bench character's arrays agree"))
        }))
    }

    /// A skin without normals, to be changed.
    pub(super) fn bare_skin(&mut self, method: SkinMethod, size: usize) -> Skin {
        let character = self.character(size);
        let input = SkinInput { normals: &[], ..input(&character) };
        Skin::bind(method, &input, &Silent).expect("the bench character's arrays agree")
    }

    /// The tube as a character.
    pub(super) fn whole(&mut self, size: usize) -> Arc<Character> {
        let tube = self.character(size);
        let raw = RawMesh {
            name: "bench".into(),
            positions: tube.positions.clone(),
            normals: tube.normals.clone(),
            triangles: tube.triangles.clone(),
            weights: Some(tube.weights.clone()),
            ..RawMesh::default()
        };
        let part = raw.weld().expect("the bench character is a mesh").part;
        let skeleton = tube.skeleton.clone();
        Arc::new(Character { parts: vec![part], skeleton, ..Character::default() })
    }

    fn mesh(&mut self, size: usize) -> Arc<Mesh> {
        let character = self.character(size);
        let raw = RawMesh {
            name: "bench".into(),
            positions: character.positions.clone(),
            triangles: character.triangles.clone(),
            ..RawMesh::default()
        };
        Arc::new(raw.weld().expect("the bench character is a mesh").part.mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_cases_apart() {
        let names: std::collections::HashSet<_> = all().into_iter().map(|case| case.name).collect();
        assert_eq!(names.len(), all().len());
        assert!(names.contains("dual-quat positions+normals 100k"), "{names:?}");
    }

    #[test]
    fn a_bench_mesh_keeps_every_point() {
        let mut fixtures = Fixtures::default();
        let mesh = fixtures.mesh(2_000);
        assert_eq!(mesh.points().len(), fixtures.character(2_000).positions.len());
    }
}
