//! Figure 9 of the spring rigs paper: a pose drawn by strokes. Green says where a limb is, blue
//! where it is to be.

use std::sync::Arc;

use glam::{DVec2, DVec3};
use sinew::Character;
use sinew::frame::{Controls, Rig};
use sinew::sample::SampleKind;
use sinew::skeleton::{Palette, Pose, Skeleton};
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::{Freedom, Limits, PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, StrokeError};
use sinew::springs::{SpringModel, SpringSettings};
use sinew_view::camera::Size;
use sinew_view::scene::{Line, Marks};

use super::Tour;
use super::figures::Figure;
use super::papers::Shown;
use super::section::sample;
use super::subject::SUBJECTS;
use crate::contestant::Contestant;
use crate::exit::Failure;
use crate::render::view::View;
use crate::render::{Ground, Shots};

const SIZE: Size = Size { width: 460, height: 460 };
const VIEW: View = View { yaw_degrees: 0.0, pitch_degrees: 4.0 };

const BASELINE: [f32; 4] = [0.05, 0.55, 0.16, 1.0];
const TARGET: [f32; 4] = [0.03, 0.22, 0.9, 1.0];
const WIDTH_PX: f32 = 4.0;
/// Corners of a line that stands for a curve.
const CORNERS: usize = 64;

/// A limb, the way that its stroke begins (degrees from +X to +Y) and how it turns on.
type Drawn = (&'static str, &'static str, f64, f64);

/// What is drawn, one after the other: the line of action first, as one draws it by hand.
const DRAWN: [&[Drawn]; 2] = [
    &[("spine_1", "head", 106.0, -48.0)],
    &[
        ("upper_arm_l", "hand_l", 12.0, 88.0),
        ("upper_arm_r", "hand_r", 205.0, 70.0),
        ("thigh_l", "foot_l", -72.0, -22.0),
        ("thigh_r", "foot_r", -112.0, 20.0),
    ],
];

pub(super) fn build(tour: &mut Tour<'_>) -> Result<Figure, Failure> {
    tour.step("strokes")?;
    let subject = SUBJECTS.iter().find(|subject| subject.kind == SampleKind::Human);
    let character = Arc::new(sample(subject.unwrap_or(&SUBJECTS[0]))?);
    let skeleton = &character.skeleton;
    let broken = |error: StrokeError| Failure::Input(format!("a stroke of the demo: {error}"));
    let mut pose = Pose::rest(skeleton);
    let mut row = Vec::new();
    for (step, strokes) in DRAWN.iter().enumerate() {
        let mut marks = Marks::default();
        let mut posed = pose.clone();
        for drawn in *strokes {
            let (stroke, baseline) = stroke(skeleton, &posed, drawn).map_err(broken)?;
            line(&baseline, BASELINE, &mut marks);
            line(&stroke.target, TARGET, &mut marks);
            for (joint, of_joint) in stroke.posed(skeleton, &posed) {
                posed.joints[joint as usize] = of_joint;
            }
        }
        let words = if step == 0 {
            "At rest, and a stroke for the spine"
        } else {
            "It follows; strokes for the limbs"
        };
        row.push(draw(tour, &character, &pose, (marks, words))?);
        pose = posed;
    }
    row.push(draw(tour, &character, &pose, (Marks::default(), "The pose that was drawn"))?);
    Ok(Figure {
        number: 9,
        title: "a pose drawn by strokes",
        words: "A stroke over a limb, or from its first joint, is followed at once: bones turn and keep their lengths, and what the \
                drawing does not show, depth and twist, stays. In the studio: Draw, key J.",
        columns: "of3",
        rows: vec![row],
    })
}

/// The stroke, and the line of the limb before it.
fn stroke(
    skeleton: &Skeleton,
    pose: &Pose,
    &(from, to, heading_degrees, turn_degrees): &Drawn,
) -> Result<(PoseStroke, Curve), StrokeError> {
    let joint = |name: &str| skeleton.find(name).unwrap_or(0);
    let chain = Chain::between(skeleton, joint(from), joint(to), true);
    let chain = chain.ok_or(StrokeError::TooShort { found: 0 })?;
    let palette = Palette::new(skeleton, pose);
    let of = |joint: u32| &palette.model_from_joint()[joint as usize];
    let mut points: Vec<DVec3> = chain.path().iter().map(|&j| of(j).translation).collect();
    if let Some(&last) = chain.path().last() {
        let tail = skeleton.joints()[last as usize].tail_in_joint;
        points.push(of(last).transform_point3(tail));
    }
    let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let [heading, turn] = [heading_degrees, turn_degrees].map(f64::to_radians);
    let step = length / CORNERS as f64;
    let mut at = points[0];
    let mut way = vec![at];
    for corner in 0..CORNERS {
        let angle = heading + turn * corner as f64 / CORNERS as f64;
        at += step * DVec2::from_angle(angle).extend(0.0);
        way.push(at);
    }
    let plane = StrokePlane { through: points[0], normal: DVec3::Z, eye: None };
    let target = Curve::of_polyline(&way)?;
    let freedom = Freedom::default();
    let baseline = Curve::of_polyline(&points)?;
    let limits = Limits::default();
    Ok((PoseStroke { chain, plane, baseline: None, target, freedom, limits }, baseline))
}

fn line(curve: &Curve, color: [f32; 4], marks: &mut Marks) {
    let points = curve.points(CORNERS);
    marks.lines.extend(points.windows(2).map(|pair| Line {
        ends: [pair[0].as_vec3(), pair[1].as_vec3()],
        color,
        width_px: WIDTH_PX,
    }));
}

fn draw(
    tour: &mut Tour<'_>,
    character: &Arc<Character>,
    pose: &Pose,
    (marks, words): (Marks, &str),
) -> Result<Shown, Failure> {
    tour.console.check_interrupted()?;
    let contestant = Contestant::of_model(SpringModel::Anchored);
    let rig = Rig::relaxed(SpringSettings::new(SpringModel::Anchored));
    let base = Controls::rest(character);
    let rigs = [(contestant.label(), rig)];
    let mut shots = Shots::bind(character, &rigs, &base, tour.console, &tour.bar)?;
    shots.ground = Ground::UnderPose;
    let moments = [shots.pose(&Controls::posed(character, pose.clone()))?, shots.pose(&base)?];
    // One camera for all: what moves is seen to move.
    let camera = shots.framing(&moments, VIEW, SIZE, false);
    let (mut seen, _) = shots.scene(&moments[0][0], camera);
    seen.overlay.in_front.append(marks);
    let picture = tour.artist.draw(&seen, SIZE)?;
    let name = format!("figure-9-{}", words.split(' ').next_back().unwrap_or("pose"));
    let picture = tour.keep(&name, &picture)?;
    Ok(Shown { picture, contestant, words: words.into() })
}
