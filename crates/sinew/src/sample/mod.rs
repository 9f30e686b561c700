//! Procedural characters: meshes with skeleton, smooth weights, UVs and a small looping clip, made
//! from nothing and the same bits each time.
//!
//! Every skin is closed, counter-clockwise from outside, and has at most four influences a point;
//! the dressed ones are of many shells, some of them open, in several meshes with colours.
//! Every joint's bone lies along its own +Y, so that `x` and `z` bend and `twist` twists. A wish
//! for a number of points is met as near as the shape's topology allows; the shapes' own files say
//! how near that is.
//!
//! ```
//! use sinew::sample::{SampleKind, SampleOptions, build};
//!
//! let character = build(&SampleOptions::new(SampleKind::Box)).unwrap();
//! assert_eq!((character.num_points(), character.skeleton.len()), (1802, 4));
//! ```

mod arm;
pub mod body;
mod chain;
mod cuboid;
mod cylinder;
mod dress;
mod lattice;
mod plus;
mod snake;
mod subdivide;
mod surface;

#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use crate::character::Character;
use crate::mesh::MeshError;
use crate::skeleton::SkeletonError;

/// Every sample there is. The command and the studio match it exhaustively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SampleKind {
    /// A closed cylinder along +Y.
    Cylinder,
    /// A square column along +Y.
    Box,
    /// A flat cross of four square arms.
    Plus,
    /// An adult with hands and face.
    Human,
    /// A small hero, two heads tall.
    Chibi,
    /// A bulky giant.
    Giant,
    /// A human arm with a hand.
    Arm,
    /// A long snake on the ground.
    Snake,
    /// A bird that glides: thin wide wings.
    Bird,
    /// The human in armour, with cape, skirt, sword and spear: many shells.
    Soldier,
    /// The human in a tailcoat, with glasses, hair pieces and a cane: many shells.
    Suit,
}

impl SampleKind {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Cylinder,
        Self::Box,
        Self::Plus,
        Self::Human,
        Self::Chibi,
        Self::Giant,
        Self::Arm,
        Self::Snake,
        Self::Bird,
        Self::Soldier,
        Self::Suit,
    ];

    /// Those of one closed skin in one mesh that every method is tested on.
    pub const SKINS: [Self; 8] = [
        Self::Cylinder,
        Self::Box,
        Self::Plus,
        Self::Human,
        Self::Chibi,
        Self::Giant,
        Self::Arm,
        Self::Snake,
    ];

    /// Those of many shells in several meshes.
    pub const DRESSED: [Self; 2] = [Self::Soldier, Self::Suit];

    /// The name at the command line.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// The sample of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// One line on what it is for.
    pub const fn description(self) -> &'static str {
        self.facts().description
    }

    /// The number of welded points unless told otherwise.
    pub const fn default_points(self) -> usize {
        self.facts().default_points
    }

    /// The number of joints unless told otherwise.
    pub const fn default_bones(self) -> usize {
        self.facts().default_bones
    }

    /// The numbers of points that can be asked for.
    pub const fn point_bounds(self) -> RangeInclusive<usize> {
        let (least, most) = self.facts().points;
        least..=most
    }

    /// The numbers of bones that can be asked for; `None` for a fixed skeleton.
    pub const fn bone_bounds(self) -> Option<RangeInclusive<usize>> {
        match self.facts().bones {
            Some((least, most)) => Some(least..=most),
            None => None,
        }
    }

    const fn facts(self) -> Facts {
        match self {
            Self::Cylinder => Facts {
                name: "cylinder",
                description: "closed cylinder on a chain of bones: the standard object for bends and twists",
                default_points: 1_804,
                default_bones: 2,
                points: (100, 4_000_000),
                bones: Some((1, 256)),
            },
            Self::Box => Facts {
                name: "box",
                description: "square column on a chain of bones: sharp edges under bending",
                default_points: 1_802,
                default_bones: 4,
                points: (20, 4_000_000),
                bones: Some((1, 256)),
            },
            Self::Plus => Facts {
                name: "plus",
                description: "flat cross of four jointed arms: where limbs meet",
                default_points: 5_634,
                default_bones: 17,
                points: (100, 4_000_000),
                bones: None,
            },
            Self::Human => Facts {
                name: "human",
                description: "adult with hands and face, walking and waving",
                default_points: 10_774,
                default_bones: 85,
                points: (body::MIN_POINTS, body::MAX_POINTS),
                bones: None,
            },
            Self::Chibi => Facts {
                name: "chibi",
                description: "small hero, two heads tall: large curved surfaces, short limbs",
                default_points: 16_314,
                default_bones: 36,
                points: (body::MIN_POINTS, body::MAX_POINTS),
                bones: None,
            },
            Self::Giant => Facts {
                name: "giant",
                description: "bulky giant: many points on few bones",
                default_points: 90_000,
                default_bones: 19,
                points: (body::MIN_POINTS, body::MAX_POINTS),
                bones: None,
            },
            Self::Arm => Facts {
                name: "arm",
                description: "human arm with a hand: elbow, pronating forearm, five fingers",
                default_points: 4_002,
                default_bones: 14,
                points: (200, 200_000),
                bones: None,
            },
            Self::Snake => Facts {
                name: "snake",
                description: "long snake on a spline of many joints: large meshes, deep skeletons",
                default_points: 120_002,
                default_bones: 98,
                points: (2_000, 2_000_000),
                bones: Some((4, 1_000)),
            },
            Self::Bird => Facts {
                name: "bird",
                description: "gliding bird: thin wide wings, for cages and for shapes at rest",
                default_points: 6_000,
                default_bones: 11,
                points: (body::MIN_POINTS, body::MAX_POINTS),
                bones: None,
            },
            Self::Soldier => Facts {
                name: "soldier",
                description: "human in plates, cape and skirt, with sword and spear: many shells",
                default_points: dress::SOLDIER_POINTS,
                default_bones: 85,
                points: (12_000, 400_000),
                bones: None,
            },
            Self::Suit => Facts {
                name: "suit",
                description: "human in a tailcoat, with glasses, hair pieces and cane: many shells",
                default_points: dress::SUIT_POINTS,
                default_bones: 85,
                points: (10_000, 400_000),
                bones: None,
            },
        }
    }
}

/// What is known of a kind before it is built.
struct Facts {
    name: &'static str,
    description: &'static str,
    default_points: usize,
    default_bones: usize,
    points: (usize, usize),
    bones: Option<(usize, usize)>,
}

/// What to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Which character.
    pub kind: SampleKind,
    /// About how many welded points; `None` for the kind's own number.
    pub points: Option<usize>,
    /// How many bones; `None` for the kind's own number.
    pub bones: Option<usize>,
}

impl SampleOptions {
    /// The kind as it comes.
    pub const fn new(kind: SampleKind) -> Self {
        Self { kind, points: None, bones: None }
    }
}

/// Why a sample cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// A number of points out of bounds.
    #[error("'{name}' of {found} points cannot be built; ask for {least} to {most}", name = kind.name())]
    Points {
        /// Which sample.
        kind: SampleKind,
        /// What was asked for.
        found: usize,
        /// The smallest number there is.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// A number of bones out of bounds.
    #[error("'{name}' of {found} bones cannot be built; ask for {least} to {most}", name = kind.name())]
    Bones {
        /// Which sample.
        kind: SampleKind,
        /// What was asked for.
        found: usize,
        /// The smallest number there is.
        least: usize,
        /// The largest.
        most: usize,
    },
    /// A number of bones for a skeleton that has its own.
    #[error(
        "the skeleton of '{name}' is fixed at {bones} joints; leave the number of bones out",
        name = kind.name(),
        bones = kind.default_bones()
    )]
    FixedSkeleton {
        /// Which sample.
        kind: SampleKind,
    },
    /// The generated arrays are not a mesh: a fault of the generator.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The generated joints are not a skeleton: a fault of the generator.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// Builds a sample. The number of points is met as near as the topology allows, the number of bones
/// exactly.
pub fn build(options: &SampleOptions) -> Result<Character, SampleError> {
    let kind = options.kind;
    let num_points = options.points.unwrap_or(kind.default_points());
    let bounds = kind.point_bounds();
    if !bounds.contains(&num_points) {
        let (least, most) = bounds.into_inner();
        return Err(SampleError::Points { kind, found: num_points, least, most });
    }
    let num_bones = match (options.bones, kind.bone_bounds()) {
        (None, _) => kind.default_bones(),
        (Some(_), None) => return Err(SampleError::FixedSkeleton { kind }),
        (Some(found), Some(bounds)) if bounds.contains(&found) => found,
        (Some(found), Some(bounds)) => {
            let (least, most) = bounds.into_inner();
            return Err(SampleError::Bones { kind, found, least, most });
        }
    };
    match kind {
        SampleKind::Cylinder => cylinder::build(num_points, num_bones),
        SampleKind::Box => cuboid::build(num_points, num_bones),
        SampleKind::Plus => plus::build(num_points),
        SampleKind::Human => Ok(body::human(num_points)),
        SampleKind::Chibi => Ok(body::chibi(num_points)),
        SampleKind::Giant => Ok(body::giant(num_points)),
        SampleKind::Arm => arm::build(num_points),
        SampleKind::Snake => snake::build(num_points, num_bones),
        SampleKind::Bird => Ok(body::bird(num_points)),
        SampleKind::Soldier => dress::soldier(num_points),
        SampleKind::Suit => dress::suit(num_points),
    }
}
