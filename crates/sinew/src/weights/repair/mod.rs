//! What a check finds in weights, mended: one mend a finding, by the same codes.

mod bind_pose;
mod pairs;

use std::collections::{BTreeMap, HashMap};

use super::auto::{AutoSettings, auto_weights};
use super::rules::{PointRow, RowRules};
use super::{SkinWeights, clean};
use crate::character::{Character, Part};
use crate::check::weight_faults;
use crate::mesh::Adjacency;
use crate::progress::Progress;

/// A finding that can be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Mend {
    /// Joints that rest elsewhere than the skin was bound rest where it was. Of the skeleton.
    RestIsNotBind,
    /// A mesh that no joint moves is bound.
    UnweightedMesh,
    /// Points with two joints at one place keep the first.
    DuplicateJoints,
    /// Weights of a joint of the other side go to its partner.
    WrongSideWeights,
    /// A handful of points that follow another joint than all around them take what is around.
    StrayPoints,
    /// Influences of joints far away are taken.
    FarWeights,
    /// Points on one place get the mean of their rows.
    SeamWeightsDiffer,
    /// Influences that move nothing are taken.
    TinyWeights,
    /// Influences beyond the budget are taken.
    TooManyInfluences,
}

impl Mend {
    /// All, in the order in which they are done: the budget last.
    pub const ALL: [Self; 9] = [
        Self::RestIsNotBind,
        Self::UnweightedMesh,
        Self::DuplicateJoints,
        Self::WrongSideWeights,
        Self::StrayPoints,
        Self::FarWeights,
        Self::SeamWeightsDiffer,
        Self::TinyWeights,
        Self::TooManyInfluences,
    ];

    /// The finding's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::RestIsNotBind => "rest-is-not-bind",
            Self::UnweightedMesh => "unweighted-mesh",
            Self::DuplicateJoints => "duplicate-joints",
            Self::WrongSideWeights => "wrong-side-weights",
            Self::StrayPoints => "stray-points",
            Self::FarWeights => "far-weights",
            Self::SeamWeightsDiffer => "seam-weights-differ",
            Self::TinyWeights => "tiny-weights",
            Self::TooManyInfluences => "too-many-influences",
        }
    }

    /// True if it changes weights alone, and not the skeleton.
    pub const fn is_of_weights(self) -> bool {
        !matches!(self, Self::RestIsNotBind)
    }

    /// The mend of a code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mend| mend.code() == code)
    }
}

/// Something that was mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// What was mended.
    pub mend: Mend,
    /// Of which mesh; none if it is of the skeleton.
    pub part: Option<usize>,
    /// Points whose rows are others now; joints that rest elsewhere.
    pub count: usize,
}

/// Mends the weights of a character, in the order of [`Mend::ALL`], and says what changed.
pub fn repair(
    character: &Character,
    mends: &[Mend],
    rules: &RowRules,
    progress: &dyn Progress,
) -> (Character, Vec<Mended>) {
    let mut out = character.clone();
    let mut done = Vec::new();
    for mend in Mend::ALL.into_iter().filter(|mend| mends.contains(mend)) {
        if mend == Mend::RestIsNotBind {
            if let Some((skeleton, count)) = bind_pose::at_bind(&out) {
                out.skeleton = skeleton;
                done.push(Mended { mend, part: None, count });
            }
            continue;
        }
        if mend == Mend::UnweightedMesh {
            bind(&mut out, rules, progress, &mut done);
            continue;
        }
        for part in 0..out.parts.len() {
            if progress.is_cancelled() {
                break;
            }
            let rows = rows_of(mend, &out, part, rules);
            if rows.is_empty() {
                continue;
            }
            done.push(Mended { mend, part: Some(part), count: rows.len() });
            let part = &mut out.parts[part];
            part.weights = part.weights.as_ref().map(|weights| weights.with_rows(&rows));
        }
    }
    (out, done)
}

fn bind(
    character: &mut Character,
    rules: &RowRules,
    progress: &dyn Progress,
    done: &mut Vec<Mended>,
) {
    let is_bare = |part: &Part| part.weights.is_none() && !part.mesh.points().is_empty();
    if !character.parts.iter().any(is_bare) {
        return;
    }
    let settings = AutoSettings { max_influences: rules.max_influences, ..AutoSettings::default() };
    let Ok(found) = auto_weights(character, &settings, progress) else { return };
    for (index, (part, weights)) in character.parts.iter_mut().zip(found.of_part).enumerate() {
        if is_bare(part) {
            let count = weights.num_points();
            part.weights = Some(weights);
            done.push(Mended { mend: Mend::UnweightedMesh, part: Some(index), count });
        }
    }
}

fn rows_of(mend: Mend, character: &Character, part: usize, rules: &RowRules) -> Vec<PointRow> {
    let of_part = &character.parts[part];
    let Some(weights) = &of_part.weights else { return Vec::new() };
    // Mends of one thing leave the others to their own: the budget is the last one's.
    let open = RowRules { max_influences: usize::MAX, locked: rules.locked.clone() };
    match mend {
        Mend::UnweightedMesh | Mend::RestIsNotBind => Vec::new(),
        Mend::DuplicateJoints => pairs::one_for_all(character, weights, &open),
        Mend::WrongSideWeights => pairs::other_sides(of_part, weights, &character.skeleton, &open),
        Mend::StrayPoints => {
            let adjacency = Adjacency::of(&of_part.mesh);
            let stray = weight_faults::stray_points(weights, &adjacency);
            clean::fill(weights, &adjacency, &stray, &open)
        }
        Mend::FarWeights => far(of_part, weights, character, &open),
        Mend::SeamWeightsDiffer => seams(of_part, weights, &open),
        Mend::TinyWeights => {
            clean::prune(weights, None, (f64::from(weight_faults::TINY_WEIGHT), &[]), &open)
        }
        Mend::TooManyInfluences => clean::prune(weights, None, (0.0, &[]), rules),
    }
}

/// Rows without what is far away; rows of nothing else take what is around.
fn far(
    part: &Part,
    weights: &SkinWeights,
    character: &Character,
    rules: &RowRules,
) -> Vec<PointRow> {
    let mut of_point: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (point, joint) in weight_faults::far_influences(part, &character.skeleton) {
        of_point.entry(point as u32).or_default().push(joint);
    }
    let mut alone = Vec::new();
    let mut rows = Vec::new();
    for (&point, joints) in &of_point {
        let before = weights.row(point as usize);
        let kept: Vec<(u32, f64)> = before
            .iter()
            .filter(|i| !joints.contains(&i.joint))
            .map(|i| (i.joint, f64::from(i.weight)))
            .collect();
        if kept.is_empty() {
            alone.push(point);
        } else {
            rows.push((point, rules.finish(before, &kept, None)));
        }
    }
    rows.extend(clean::fill(weights, &Adjacency::of(&part.mesh), &alone, rules));
    rows.retain(|(point, row)| row != weights.row(*point as usize));
    rows
}

fn seams(part: &Part, weights: &SkinWeights, rules: &RowRules) -> Vec<PointRow> {
    let mut at_place: HashMap<[u32; 3], Vec<u32>> = HashMap::new();
    for (point, place) in (0u32..).zip(part.mesh.points()) {
        at_place.entry(weight_faults::place_key(*place)).or_default().push(point);
    }
    let torn = weight_faults::torn_seams(part);
    let mut rows = Vec::new();
    let mut places: Vec<[u32; 3]> =
        (torn.iter()).map(|&point| weight_faults::place_key(part.mesh.points()[point])).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        rows.extend(clean::average(weights, &at_place[&place], rules));
    }
    rows.sort_by_key(|(point, _)| *point);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{CheckOptions, check_with};
    use crate::progress::Silent;
    use crate::sample::{SampleKind, SampleOptions, build};

    #[test]
    fn everything_that_is_mended_is_found_no_more() {
        let mut character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let hand = character.skeleton.find("hand_l").unwrap();
        let foot = character.skeleton.find("foot_r").unwrap();
        let weights = character.parts[0].weights.clone().unwrap();
        let points = character.parts[0].mesh.points();
        let nearest = |joint: u32| {
            let head = character.skeleton.bind_bone(joint)[0].as_vec3();
            (0..points.len() as u32)
                .min_by(|&a, &b| {
                    let distance = |p: u32| points[p as usize].distance(head);
                    distance(a).total_cmp(&distance(b))
                })
                .unwrap()
        };
        let row = |list: &[(u32, f32)]| {
            SkinWeights::from_rows([list.iter().copied()], 85).0.row(0).to_vec()
        };
        let at = nearest(hand);
        // One that follows the foot, one that is wholly somebody else's, one of six.
        let far = row(&[(hand, 0.7), (foot, 0.3)]);
        let stray = row(&[(foot, 1.0)]);
        let crowd: Vec<(u32, f32)> = (0..6).map(|joint| (joint, 1.0)).collect();
        let other = nearest(character.skeleton.find("shin_l").unwrap());
        character.parts[0].weights =
            Some(weights.with_rows(&[(at, far), (other, stray), (nearest(0), row(&crowd))]));
        let codes = |character: &Character| -> Vec<&str> {
            let found = check_with(character, &CheckOptions::default());
            let mut codes: Vec<&str> = found.iter().map(|finding| finding.code).collect();
            codes.retain(|code| Mend::from_code(code).is_some());
            codes
        };
        let before = codes(&character);
        for code in ["far-weights", "stray-points", "too-many-influences"] {
            assert!(before.contains(&code), "{code}: {before:?}");
        }
        let (mended, done) = repair(&character, &Mend::ALL, &RowRules::default(), &Silent);
        assert_eq!(codes(&mended), Vec::<&str>::new());
        assert!(done.len() >= 3, "{done:?}");
        let again = repair(&mended, &Mend::ALL, &RowRules::default(), &Silent);
        assert_eq!(again, (mended, Vec::new()), "what is whole is left alone");
    }

    #[test]
    fn weights_of_the_other_side_go_to_their_own() {
        let mut character = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let start = character.clone();
        let [left, right] = ["hand_l", "hand_r"].map(|name| character.skeleton.find(name).unwrap());
        let weights = character.parts[0].weights.clone().unwrap();
        // All that has much of the left hand follows the right one.
        let is_hand = |row: &[crate::weights::Influence]| {
            row.iter().any(|i| i.joint == left && i.weight > 0.5)
        };
        let swapped: Vec<PointRow> = (0u32..)
            .zip(weights.rows())
            .filter(|(_, row)| is_hand(row))
            .map(|(point, row)| {
                let to = |joint: u32| if joint == left { right } else { joint };
                let row = row.iter().map(|i| (to(i.joint), i.weight));
                (point, SkinWeights::from_rows([row], 85).0.row(0).to_vec())
            })
            .collect();
        assert!(swapped.len() > 5, "{}", swapped.len());
        character.parts[0].weights = Some(weights.with_rows(&swapped));
        let only = [Mend::WrongSideWeights];
        let (mended, done) = repair(&character, &only, &RowRules::default(), &Silent);
        assert_eq!(done[0].count, swapped.len());
        let (own, found) = (&weights, mended.parts[0].weights.as_ref().unwrap());
        assert!((0..own.num_points()).all(|p| own.row(p).len() == found.row(p).len()));
        for point in swapped.iter().map(|(point, _)| *point as usize) {
            let off = own.row(point).iter().zip(found.row(point)).map(|(a, b)| {
                assert_eq!(a.joint, b.joint, "point {point}");
                (a.weight - b.weight).abs()
            });
            assert!(off.fold(0.0, f32::max) < 1e-6);
        }
        // What is right is left alone.
        assert_eq!(repair(&start, &only, &RowRules::default(), &Silent).1, []);
    }

    #[test]
    fn of_two_joints_at_one_place_the_first_has_all() {
        let start = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
        let mut character = Character { clips: Vec::new(), ..start.clone() };
        let joints = character.skeleton.joints();
        let last = joints.len() as u32 - 1;
        let twin = crate::skeleton::Joint { name: "twin".into(), ..joints[last as usize].clone() };
        let from_model = character.skeleton.joint_from_model()[last as usize];
        character.skeleton = character.skeleton.with_more([(twin, from_model)]).unwrap();
        let twin = last + 1;
        // Half of what the joint has is the twin's.
        let weights = character.parts[0].weights.clone().unwrap();
        let rows = weights.rows().map(|row| {
            let half = |i: &crate::weights::Influence| match i.joint == last {
                true => vec![(last, 0.5 * i.weight), (twin, 0.5 * i.weight)],
                false => vec![(i.joint, i.weight)],
            };
            row.iter().flat_map(half).collect::<Vec<_>>()
        });
        character.parts[0].weights = Some(SkinWeights::from_rows(rows, twin as usize + 1).0);
        let only = [Mend::DuplicateJoints];
        let (mended, done) = repair(&character, &only, &RowRules::default(), &Silent);
        assert!(done[0].count > 10, "{done:?}");
        let found = mended.parts[0].weights.as_ref().unwrap();
        assert!((0..weights.num_points()).all(|p| {
            weights.rows_equal(p, p, 0.0) && found.row(p).iter().all(|i| i.joint != twin)
        }));
        for point in 0..weights.num_points() {
            let [a, b] = [&weights, found].map(|of| of.row(point));
            assert!(a.iter().zip(b).all(|(a, b)| (a.weight - b.weight).abs() < 1e-6));
        }
        // One that a clip moves is there for something.
        let track = crate::motion::Track {
            joint: twin,
            ..start.clips.first().and_then(|clip| clip.tracks.first()).unwrap().clone()
        };
        character.clips.push(crate::motion::Clip::new("moves", vec![track]));
        assert_eq!(repair(&character, &only, &RowRules::default(), &Silent).1, []);
    }

    #[test]
    fn a_skeleton_rests_where_its_skin_was_bound() {
        let start = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
        let mut character = start.clone();
        let mut joints = character.skeleton.joints().to_vec();
        joints[1].rest.rotation *= glam::DQuat::from_rotation_z(0.7);
        joints[1].rest.translation += glam::DVec3::X * 0.1;
        let from_model = character.skeleton.joint_from_model().to_vec();
        character.skeleton =
            crate::skeleton::Skeleton::with_inverse_bind(joints, from_model).unwrap();
        let codes = |character: &Character| -> Vec<&str> {
            let found = check_with(character, &CheckOptions::default());
            found.iter().map(|finding| finding.code).collect()
        };
        assert!(codes(&character).contains(&"rest-is-not-bind"));
        let only = [Mend::RestIsNotBind];
        let (mended, done) = repair(&character, &only, &RowRules::default(), &Silent);
        assert_eq!((done[0].part, done[0].count), (None, 1));
        assert!(!codes(&mended).contains(&"rest-is-not-bind"));
        let rests = |of: &Character| of.skeleton.rest_model_from_joint().to_vec();
        for (a, b) in rests(&mended).iter().zip(rests(&start)) {
            assert!(a.abs_diff_eq(b, 1e-9));
        }
        assert_eq!(repair(&mended, &only, &RowRules::default(), &Silent).1, []);
    }

    #[test]
    fn a_bare_mesh_is_bound() {
        let mut character = build(&SampleOptions::new(SampleKind::Arm)).unwrap();
        character.parts[0].weights = None;
        let (mended, done) = repair(&character, &Mend::ALL, &RowRules::default(), &Silent);
        assert!(mended.parts[0].weights.is_some());
        assert_eq!(done[0].mend, Mend::UnweightedMesh);
    }
}
