//! What is wrong with a cage: closed, two-manifold, wound one way, every point used, no face
//! through another.
//!
//! Partition of unity finds none of it, and linear precision says that something is wrong, not
//! what; so the faces are looked at.

use std::collections::HashMap;
use std::fmt;

use super::intersect::intersecting_faces;
use super::{Cage, CageFace};

/// How many places a line of a report names.
const NAMED: usize = 8;

/// One thing that is wrong with a cage, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CageFault {
    /// Sides of one face alone: the cage has holes.
    Open {
        /// Their ends.
        edges: Vec<[u32; 2]>,
        /// The faces beside them.
        faces: Vec<u32>,
    },
    /// Sides of three faces or more.
    NonManifoldEdges {
        /// Their ends.
        edges: Vec<[u32; 2]>,
    },
    /// Points where two sheets touch.
    NonManifoldPoints {
        /// The handles, by number.
        points: Vec<u32>,
    },
    /// Faces that run along a side in the same direction as their neighbour.
    Winding {
        /// The faces, by number.
        faces: Vec<u32>,
    },
    /// Faces that are there twice.
    Duplicate {
        /// The later ones.
        faces: Vec<u32>,
    },
    /// Faces that name a point twice.
    Repeated {
        /// The faces, by number.
        faces: Vec<u32>,
    },
    /// All faces look inwards.
    InsideOut,
    /// Points that no face uses.
    Unreferenced {
        /// The handles, by number.
        points: Vec<u32>,
    },
    /// Faces without area.
    Flat {
        /// The faces, by number.
        faces: Vec<u32>,
    },
    /// Faces that go through one another.
    Intersecting {
        /// The pairs of faces.
        faces: Vec<[u32; 2]>,
    },
}

impl CageFault {
    /// True if no coordinates can be had of such a cage.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Open { .. }
            | Self::NonManifoldEdges { .. }
            | Self::NonManifoldPoints { .. }
            | Self::Winding { .. }
            | Self::Duplicate { .. }
            | Self::Repeated { .. } => true,
            Self::InsideOut
            | Self::Unreferenced { .. }
            | Self::Flat { .. }
            | Self::Intersecting { .. } => false,
        }
    }

    /// The faces that show it.
    pub fn faces(&self) -> Vec<u32> {
        match self {
            Self::Open { faces, .. }
            | Self::Winding { faces }
            | Self::Duplicate { faces }
            | Self::Repeated { faces }
            | Self::Flat { faces } => faces.clone(),
            Self::Intersecting { faces } => {
                let mut all: Vec<u32> = faces.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
            Self::NonManifoldEdges { .. }
            | Self::NonManifoldPoints { .. }
            | Self::InsideOut
            | Self::Unreferenced { .. } => Vec::new(),
        }
    }

    /// The points that show it.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::Open { edges, .. } | Self::NonManifoldEdges { edges } => {
                let mut all: Vec<u32> = edges.iter().flatten().copied().collect();
                all.sort_unstable();
                all.dedup();
                all
            }
            Self::NonManifoldPoints { points } | Self::Unreferenced { points } => points.clone(),
            Self::Winding { .. }
            | Self::Duplicate { .. }
            | Self::Repeated { .. }
            | Self::InsideOut
            | Self::Flat { .. }
            | Self::Intersecting { .. } => Vec::new(),
        }
    }
}

impl fmt::Display for CageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { edges, faces } => write!(
                f,
                "it is open at {}, beside {}; close the holes",
                named("edge", edges, |[a, b]| format!("{a}-{b}")),
                named("face", faces, u32::to_string)
            ),
            Self::NonManifoldEdges { edges } => write!(
                f,
                "more than two faces meet at {}; take the surplus ones away",
                named("edge", edges, |[a, b]| format!("{a}-{b}"))
            ),
            Self::NonManifoldPoints { points } => write!(
                f,
                "two sheets touch at {}; give each its own point",
                named("point", points, u32::to_string)
            ),
            Self::Winding { faces } => write!(
                f,
                "{} wound against the neighbours; flip them",
                named_are("face", faces, u32::to_string)
            ),
            Self::Duplicate { faces } => {
                write!(f, "{} there twice; take one away", named_are("face", faces, u32::to_string))
            }
            Self::Repeated { faces } => write!(
                f,
                "{} a corner twice; take them away",
                named("face", faces, u32::to_string)
                    + if faces.len() == 1 { " has" } else { " have" }
            ),
            Self::InsideOut => write!(f, "all faces look inwards; flip them"),
            Self::Unreferenced { points } => write!(
                f,
                "no face uses {}; it moves nothing",
                named("point", points, u32::to_string)
            ),
            Self::Flat { faces } => {
                write!(f, "{} without area", named_are("face", faces, u32::to_string))
            }
            Self::Intersecting { faces } => write!(
                f,
                "faces go through one another: {}; pull them apart",
                named("pair", faces, |[a, b]| format!("{a}-{b}"))
            ),
        }
    }
}

/// `faces 3, 5 and 12 more`.
fn named<T>(what: &str, all: &[T], name: impl Fn(&T) -> String) -> String {
    let names: Vec<String> = all.iter().take(NAMED).map(name).collect();
    let more = match all.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let plural = if all.len() == 1 { "" } else { "s" };
    format!("{what}{plural} {}{more}", names.join(", "))
}

fn named_are<T>(what: &str, all: &[T], name: impl Fn(&T) -> String) -> String {
    named(what, all, name) + if all.len() == 1 { " is" } else { " are" }
}

/// Everything that is wrong with a cage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CageReport {
    /// Errors first.
    pub faults: Vec<CageFault>,
}

impl CageReport {
    /// True if nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.faults.is_empty()
    }

    /// True if no coordinates can be had.
    pub fn has_errors(&self) -> bool {
        self.faults.iter().any(CageFault::is_error)
    }
}

impl fmt::Display for CageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.faults.iter().map(CageFault::to_string);
        match lines.next() {
            None => write!(f, "nothing is wrong"),
            Some(first) => {
                write!(f, "{first}")?;
                lines.try_for_each(|line| write!(f, "; {line}"))
            }
        }
    }
}

impl Cage {
    /// Looks for everything that is wrong with it; every pair of faces that may meet is tested.
    pub fn check(&self) -> CageReport {
        let mut report = self.check_topology();
        let faces = intersecting_faces(self);
        if !faces.is_empty() {
            report.faults.push(CageFault::Intersecting { faces });
        }
        report
    }

    /// The same without looking for faces that go through one another, which takes longest.
    pub fn check_topology(&self) -> CageReport {
        let mut faults = Vec::new();
        let mut add = |fault: CageFault, is_there: bool| {
            if is_there {
                faults.push(fault);
            }
        };
        let faces = self.faces();
        let repeated = faces_where(faces, |face| {
            let mut corners = face.corners().to_vec();
            corners.sort_unstable();
            corners.windows(2).any(|pair| pair[0] == pair[1])
        });
        add(CageFault::Repeated { faces: repeated.clone() }, !repeated.is_empty());

        let mut seen = HashMap::new();
        let duplicate = faces_where(faces, |face| {
            let mut corners = face.corners().to_vec();
            corners.sort_unstable();
            seen.insert(corners, ()).is_some()
        });
        add(CageFault::Duplicate { faces: duplicate.clone() }, !duplicate.is_empty());

        // Each side: the faces that run along it, and how many do so forwards.
        let mut sides: HashMap<[u32; 2], Side> = HashMap::new();
        for (index, face) in faces.iter().enumerate() {
            for [a, b] in face.sides() {
                let side = sides.entry([a.min(b), a.max(b)]).or_default();
                side.0.push(index as u32);
                side.1 += usize::from(a < b);
            }
        }
        let mut sides: Vec<_> = sides.into_iter().collect();
        sides.sort_unstable();
        let edges_where = |test: fn(&Side) -> bool| -> Vec<[u32; 2]> {
            sides.iter().filter(|(_, side)| test(side)).map(|(edge, _)| *edge).collect()
        };
        let open = edges_where(|side| side.0.len() == 1);
        let crowded = edges_where(|side| side.0.len() > 2);
        let faces_of = |edges: &[[u32; 2]]| {
            let mut all: Vec<u32> = sides
                .iter()
                .filter(|(edge, _)| edges.binary_search(edge).is_ok())
                .flat_map(|(_, side)| side.0.clone())
                .collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        add(CageFault::Open { faces: faces_of(&open), edges: open.clone() }, !open.is_empty());
        add(CageFault::NonManifoldEdges { edges: crowded.clone() }, !crowded.is_empty());
        let against = wound_against(faces.len(), &sides);
        add(CageFault::Winding { faces: against.clone() }, !against.is_empty());
        let is_whole = repeated.is_empty() && open.is_empty() && crowded.is_empty();
        if is_whole {
            let points = points_of_two_fans(self.points().len(), faces);
            add(CageFault::NonManifoldPoints { points: points.clone() }, !points.is_empty());
        }
        let mut is_used = vec![false; self.points().len()];
        faces.iter().flat_map(|face| face.corners()).for_each(|&p| is_used[p as usize] = true);
        let unused: Vec<u32> =
            (0..is_used.len() as u32).filter(|&point| !is_used[point as usize]).collect();
        add(CageFault::Unreferenced { points: unused.clone() }, !unused.is_empty());
        let least = 1e-14 * self.diagonal() * self.diagonal();
        let flat = faces_where(faces, |face| {
            face.triangles().all(|triangle| {
                let [a, b, c] = triangle.map(|corner| self.points()[corner as usize]);
                (b - a).cross(c - a).length() <= least
            })
        });
        add(CageFault::Flat { faces: flat.clone() }, !flat.is_empty());
        add(CageFault::InsideOut, is_whole && against.is_empty() && self.volume() < 0.0);
        CageReport { faults }
    }
}

fn faces_where(faces: &[CageFace], mut test: impl FnMut(&CageFace) -> bool) -> Vec<u32> {
    (0..faces.len() as u32).filter(|&face| test(&faces[face as usize])).collect()
}

/// The faces that run along a side, and how many of them forwards.
type Side = (Vec<u32>, usize);

/// Of each connected sheet the fewer faces that run against the others.
fn wound_against(num_faces: usize, sides: &[([u32; 2], Side)]) -> Vec<u32> {
    let mut neighbors: Vec<Vec<(u32, bool)>> = vec![Vec::new(); num_faces];
    for (_, (faces, forwards)) in sides {
        if let [a, b] = faces[..] {
            let agree = *forwards == 1;
            neighbors[a as usize].push((b, agree));
            neighbors[b as usize].push((a, agree));
        }
    }
    let mut flipped: Vec<Option<bool>> = vec![None; num_faces];
    let mut against = Vec::new();
    for start in 0..num_faces {
        if flipped[start].is_some() {
            continue;
        }
        flipped[start] = Some(false);
        let (mut sheet, mut next) = (vec![start], 0);
        while let Some(&face) = sheet.get(next) {
            next += 1;
            let own = flipped[face].unwrap_or(false);
            for &(other, agree) in &neighbors[face] {
                if flipped[other as usize].is_none() {
                    flipped[other as usize] = Some(own ^ !agree);
                    sheet.push(other as usize);
                }
            }
        }
        let turned: Vec<usize> =
            sheet.iter().copied().filter(|&face| flipped[face] == Some(true)).collect();
        let is_fewer = 2 * turned.len() <= sheet.len();
        let fewer = sheet.into_iter().filter(|face| turned.contains(face) == is_fewer);
        against.extend(fewer.map(|face| face as u32).filter(|_| !turned.is_empty()));
    }
    against.sort_unstable();
    against
}

/// Points whose faces are not one closed fan.
fn points_of_two_fans(num_points: usize, faces: &[CageFace]) -> Vec<u32> {
    // Around each point: who comes after whom.
    let mut links: Vec<Vec<[u32; 2]>> = vec![Vec::new(); num_points];
    for face in faces {
        let corners = face.corners();
        let n = corners.len();
        for i in 0..n {
            links[corners[i] as usize].push([corners[(i + n - 1) % n], corners[(i + 1) % n]]);
        }
    }
    let has_two_fans = |links: &Vec<[u32; 2]>| {
        let Some(&[start, mut at]) = links.first() else { return false };
        let mut used = vec![false; links.len()];
        used[0] = true;
        let mut length = 1;
        while at != start {
            let next = (0..links.len()).find(|&i| !used[i] && links[i].contains(&at));
            let Some(next) = next else { break };
            used[next] = true;
            at = if links[next][0] == at { links[next][1] } else { links[next][0] };
            length += 1;
        }
        length != links.len()
    };
    (0..num_points as u32).filter(|&point| has_two_fans(&links[point as usize])).collect()
}
