//! Bones as octahedra or sticks, joints as balls, and a thin line to a joint that does not sit on
//! its parent's bone.
//!
//! A bone's waist is square to the joint's own axes, so that a twist shows. Its width goes with its
//! length, but a long bone is no pillar and a short one no thread: both are held near to the middle
//! of all bones.

use glam::{DVec3, Vec3};
use sinew::skeleton::{Palette, Skeleton};

use super::on_posed_bone;
use crate::color::linear_from_hex;
use crate::scene::{Disc, Facet, Line, Marks};

/// Where the waist is, from the head.
const WAIST_ALONG: f64 = 0.14;

/// A ball's radius over its bone's waist's.
const BALL_OVER_WAIST: f64 = 0.62;

/// A stick's width, and the radius of the dot on its joint, in pixels.
const STICK_PX: f32 = 2.0;
const DOT_PX: f32 = 3.0;

/// Where a helper's bone ends, over the middle length of the others.
const SHORT: f64 = 0.3;

/// What a bone is drawn as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoneShape {
    /// A solid that shows twists.
    #[default]
    Octahedron,
    /// A line: hides next to nothing.
    Stick,
}

/// How bones look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneStyle<'a> {
    /// What a bone is drawn as.
    pub shape: BoneShape,
    /// For each joint: true if it moves no skin
    /// ([`Character::joints_that_move_skin`](sinew::Character::joints_that_move_skin) has the
    /// others). May be empty: then none.
    pub helpers: &'a [bool],
    /// For each joint: how much of its bone is drawn
    /// ([`Character::bone_shares`](sinew::Character::bone_shares)). May be empty: then all.
    pub shares: &'a [f32],
    /// True if helpers are drawn, short; else they are not.
    pub shows_helpers: bool,
    /// Half the waist over the bone's length, for a bone of middle length; 0.09 is a good one.
    pub thickness: f32,
    /// Of bones; linear.
    pub bone: Vec3,
    /// Of joints; linear.
    pub joint: Vec3,
    /// Of one joint that stands out, with its colour.
    pub accent: Option<(u32, Vec3)>,
}

impl Default for BoneStyle<'_> {
    fn default() -> Self {
        Self {
            shape: BoneShape::Octahedron,
            helpers: &[],
            shares: &[],
            shows_helpers: false,
            thickness: 0.09,
            bone: linear_from_hex(0x6f_8f_b3),
            joint: linear_from_hex(0x2f_4f_73),
            accent: None,
        }
    }
}

/// The skeleton in a pose. Best in front of all surfaces, with a
/// [`front_opacity`](crate::scene::Overlay::front_opacity) of about 0.85.
///
/// # Panics
/// If the palette is not of this skeleton.
pub fn skeleton(skeleton: &Skeleton, palette: &Palette, style: &BoneStyle<'_>) -> Marks {
    assert_eq!(palette.len(), skeleton.len(), "a palette of this skeleton");
    let mut bones: Vec<[DVec3; 2]> = (0..skeleton.len() as u32)
        .map(|joint| {
            let share = style.shares.get(joint as usize).copied().unwrap_or(1.0);
            [0.0, f64::from(share)].map(|along| on_posed_bone(skeleton, palette, joint, along))
        })
        .collect();
    let is_helper = |joint: usize| style.helpers.get(joint).copied().unwrap_or(false);
    let typical = typical_length(&bones, is_helper);
    for (_, [head, tail]) in bones.iter_mut().enumerate().filter(|(joint, _)| is_helper(*joint)) {
        *tail = *head + (*tail - *head).clamp_length_max(SHORT * typical);
    }
    let mut marks = Marks::default();
    for (joint, &[head, tail]) in bones.iter().enumerate() {
        if is_helper(joint) && !style.shows_helpers {
            continue;
        }
        let length = head.distance(tail);
        // The square root holds widths together: a bone four times as long is twice as wide.
        let waist = f64::from(style.thickness) * (length * typical).sqrt();
        let waist = waist.min(0.3 * length);
        let (bone, ball) = match style.accent {
            Some((accented, color)) if accented as usize == joint => (color, color),
            _ => (style.bone, style.joint),
        };
        let is_leaf = skeleton.next_joint(joint as u32).is_none();
        match style.shape {
            BoneShape::Octahedron => {
                let across = palette.model_from_joint()[joint].matrix3.x_axis;
                push_octahedron(&mut marks.facets, [head, tail], waist, across, bone);
                push_ball(&mut marks.facets, head, BALL_OVER_WAIST * waist, ball);
                if is_leaf {
                    push_ball(&mut marks.facets, tail, 0.5 * BALL_OVER_WAIST * waist, ball);
                }
            }
            BoneShape::Stick => {
                let ends = [head.as_vec3(), tail.as_vec3()];
                marks.lines.push(Line { ends, color: opaque(bone), width_px: STICK_PX });
                marks.discs.push(Disc { center: ends[0], color: opaque(ball), radius_px: DOT_PX });
            }
        }
        if let Some(parent) = skeleton.joints()[joint].parent {
            marks.lines.extend(link(bones[parent as usize], head, typical, style.joint));
        }
    }
    marks
}

fn opaque(color: Vec3) -> [f32; 4] {
    [color.x, color.y, color.z, 1.0]
}

/// A thin line from the nearer end of the parent's bone, for a joint that is on neither.
fn link(parent: [DVec3; 2], head: DVec3, typical: f64, color: Vec3) -> Option<Line> {
    let [from, other] = parent;
    let nearer = if other.distance(head) < from.distance(head) { other } else { from };
    (nearer.distance(head) > 0.05 * typical).then(|| Line {
        ends: [nearer.as_vec3(), head.as_vec3()],
        color: [color.x, color.y, color.z, 0.55],
        width_px: 1.0,
    })
}

/// The mean of the lengths, each as often as it is long: a hand full of short bones does not make
/// the legs thin. A helper's says nothing of the others, unless there are no others.
fn typical_length(bones: &[[DVec3; 2]], is_helper: impl Fn(usize) -> bool) -> f64 {
    let all_help = (0..bones.len()).all(&is_helper);
    let of_skin = |(joint, _): &(usize, &[DVec3; 2])| all_help || !is_helper(*joint);
    let bones = bones.iter().enumerate().filter(of_skin);
    let lengths = bones.map(|(_, [head, tail])| head.distance(*tail));
    let (sum, squares) = lengths
        .filter(|length| length.is_finite())
        .fold((0.0, 0.0), |(sum, squares), length| (sum + length, squares + length * length));
    if sum > 0.0 { squares / sum } else { 0.0 }
}

fn push_octahedron(
    facets: &mut Vec<Facet>,
    [head, tail]: [DVec3; 2],
    waist: f64,
    across: DVec3,
    color: Vec3,
) {
    let Some(along) = (tail - head).try_normalize() else { return };
    let Some(first) = across.reject_from_normalized(along).try_normalize() else { return };
    let second = along.cross(first);
    let middle = head.lerp(tail, WAIST_ALONG);
    let ring = [first, second, -first, -second].map(|side| middle + waist * side);
    for side in 0..4 {
        let (a, b) = (ring[side], ring[(side + 1) % 4]);
        for corners in [[a, b, tail], [b, a, head]] {
            facets.push(facet(corners, color));
        }
    }
}

/// An icosahedron with every face cut in four.
fn push_ball(facets: &mut Vec<Facet>, center: DVec3, radius: f64, color: Vec3) {
    let long = f64::midpoint(1.0, 5f64.sqrt());
    let corner = |index: usize| {
        let (a, b) =
            (if index & 1 == 0 { 1.0 } else { -1.0 }, if index & 2 == 0 { long } else { -long });
        match index / 4 {
            0 => DVec3::new(0.0, a, b),
            1 => DVec3::new(a, b, 0.0),
            _ => DVec3::new(b, 0.0, a),
        }
    };
    const FACES: [[usize; 3]; 20] = [
        [0, 8, 4],
        [0, 4, 5],
        [0, 5, 10],
        [0, 10, 1],
        [0, 1, 8],
        [8, 1, 6],
        [8, 9, 4],
        [4, 9, 2],
        [4, 2, 5],
        [5, 2, 11],
        [5, 11, 10],
        [10, 11, 7],
        [10, 7, 1],
        [1, 7, 6],
        [3, 9, 6],
        [3, 2, 9],
        [3, 11, 2],
        [3, 7, 11],
        [3, 6, 7],
        [6, 9, 8],
    ];
    for face in FACES {
        let [a, b, c] = face.map(|index| corner(index).normalize());
        let [ab, bc, ca] = [(a + b).normalize(), (b + c).normalize(), (c + a).normalize()];
        for corners in [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]] {
            facets.push(facet(corners.map(|side| center + radius * side), color));
        }
    }
}

fn facet(corners: [DVec3; 3], color: Vec3) -> Facet {
    Facet { corners: corners.map(DVec3::as_vec3), color: opaque(color) }
}

#[cfg(test)]
mod tests {
    use sinew::sample::{SampleKind, SampleOptions, build};
    use sinew::skeleton::Pose;

    use super::*;

    #[test]
    fn a_ball_is_closed_and_faces_outwards() {
        let mut facets = Vec::new();
        push_ball(&mut facets, DVec3::ZERO, 2.0, Vec3::ONE);
        assert_eq!(facets.len(), 80);
        let volume: f32 =
            facets.iter().map(|f| f.corners[0].dot(f.corners[1].cross(f.corners[2])) / 6.0).sum();
        let ball = 4.0 / 3.0 * std::f32::consts::PI * 8.0;
        assert!((0.85..1.0).contains(&(volume / ball)), "{volume} of {ball}");
    }

    #[test]
    fn helpers_are_short_or_hidden_and_sticks_hide_next_to_nothing() {
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let palette = Palette::new(&character.skeleton, &Pose::rest(&character.skeleton));
        let mut helpers = vec![false; character.skeleton.len()];
        helpers[1] = true;
        let marks = |style: &BoneStyle<'_>| skeleton(&character.skeleton, &palette, style);
        let all = marks(&BoneStyle::default());
        let hidden = marks(&BoneStyle { helpers: &helpers, ..BoneStyle::default() });
        assert!(hidden.facets.len() < all.facets.len());
        let stick = BoneStyle { shape: BoneShape::Stick, ..BoneStyle::default() };
        let sticks = marks(&stick);
        assert!(sticks.facets.is_empty() && sticks.discs.len() == character.skeleton.len());
        let short = marks(&BoneStyle { helpers: &helpers, shows_helpers: true, ..stick });
        let length = |marks: &Marks| marks.lines[1].ends[0].distance(marks.lines[1].ends[1]);
        assert!(length(&short) < 0.5 * length(&sticks), "{} {}", length(&short), length(&sticks));
    }

    #[test]
    fn bones_follow_the_pose_and_stretch_with_it() {
        let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
        let mut pose = Pose::rest(&character.skeleton);
        let top = |pose: &Pose| {
            let palette = Palette::new(&character.skeleton, pose);
            let marks = skeleton(&character.skeleton, &palette, &BoneStyle::default());
            marks.facets.iter().flat_map(|f| f.corners).map(|p| p.y).fold(f32::MIN, f32::max)
        };
        let rest = top(&pose);
        pose.joints[0].stretch = 1.5;
        assert!(top(&pose) > 1.1 * rest, "{} over {rest}", top(&pose));
    }
}
