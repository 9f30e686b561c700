//! Facts about visibility and contraction: limbs that come near each other, without weights to tell
//! them apart.

use glam::DQuat;

use super::*;
use crate::progress::Silent;
use crate::sample::{SampleKind, SampleOptions, build};
use crate::skeleton::{Joint, JointTransform};

/// Rounds that leave little of a limb's thickness.
const ROUNDS: u32 = 4;

const PLAIN: AttachSettings = AttachSettings {
    candidates: Candidates::All,
    smoothings: 0,
    visibility: false,
    contractions: 0,
    excluded_joints: Vec::new(),
    influence: 1.0,
    influence_of_joint: Vec::new(),
};

struct Scene {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    skeleton: Skeleton,
}

impl Scene {
    fn bind(&self, settings: &AttachSettings) -> Vec<Attachment> {
        self.try_bind(settings, &Silent).unwrap().of_point().to_vec()
    }

    fn try_bind(
        &self,
        settings: &AttachSettings,
        progress: &dyn Progress,
    ) -> Result<Attachments, ShareError> {
        let adjacency = Adjacency::of_triangles(self.points.len(), &self.triangles);
        let (points, triangles) = (&self.points, &self.triangles);
        let skeleton = &self.skeleton;
        let input =
            AttachInput { points, adjacency: &adjacency, triangles, weights: None, skeleton };
        Attachments::bind(&input, settings, progress)
    }

    /// Adds a closed tube from `foot` to `head`, `rings` rings of `around` points and a point in
    /// each cap.
    fn add_tube(&mut self, [foot, head]: [DVec3; 2], radius: f64, [rings, around]: [u32; 2]) {
        let first = self.points.len() as u32;
        let turn = DQuat::from_rotation_arc(DVec3::Y, (head - foot).normalize());
        for ring in 0..rings {
            let centre = foot.lerp(head, f64::from(ring) / f64::from(rings - 1));
            for k in 0..around {
                let (sin, cos) =
                    (f64::from(k) / f64::from(around) * std::f64::consts::TAU).sin_cos();
                self.points.push(centre + turn * (radius * DVec3::new(cos, 0.0, -sin)));
            }
        }
        let at = |ring: u32, k: u32| first + ring * around + k % around;
        for k in 0..around {
            for ring in 0..rings - 1 {
                let [a, b] = [at(ring, k), at(ring, k + 1)];
                let [c, d] = [at(ring + 1, k + 1), at(ring + 1, k)];
                self.triangles.extend([[a, b, c], [a, c, d]]);
            }
            let low = first + rings * around;
            self.triangles.push([low, at(0, k + 1), at(0, k)]);
            self.triangles.push([low + 1, at(rings - 1, k), at(rings - 1, k + 1)]);
        }
        self.points.extend([foot, head]);
    }
}

fn bones(segments: &[[DVec3; 2]]) -> Skeleton {
    let joint = |(index, &[head, tail]): (usize, &[DVec3; 2])| Joint {
        name: format!("bone {index}"),
        parent: None,
        rest: JointTransform { translation: head, ..JointTransform::IDENTITY },
        tail_in_joint: tail - head,
    };
    Skeleton::new(segments.iter().enumerate().map(joint).collect()).unwrap()
}

/// Two fingers side by side along +Y, radius 0.5, 0.1 apart; the second one's bone lies near the
/// side of the first.
fn fingers() -> Scene {
    let upright = |x: f64| [DVec3::new(x, 0.0, 0.0), DVec3::new(x, 6.0, 0.0)];
    let mut scene = Scene {
        points: Vec::new(),
        triangles: Vec::new(),
        skeleton: bones(&[upright(-0.05), upright(0.75)]),
    };
    scene.add_tube(upright(0.0), 0.5, [31, 24]);
    scene.add_tube(upright(1.1), 0.5, [31, 24]);
    scene
}

/// How many points hold on to the other finger's bone.
fn wrong_fingers(settings: &AttachSettings) -> usize {
    let scene = fingers();
    let half = scene.points.len() / 2;
    let attached = scene.bind(settings);
    attached.iter().enumerate().filter(|(p, a)| a.joint != u32::from(*p >= half)).count()
}

#[test]
fn distance_alone_takes_points_of_one_finger_to_the_other_and_smoothing_does_not_mend_it() {
    assert!(wrong_fingers(&PLAIN) > 150, "{}", wrong_fingers(&PLAIN));
    let smoothed = wrong_fingers(&AttachSettings { smoothings: 6, ..PLAIN });
    assert!(smoothed > 100, "{smoothed}");
}

#[test]
fn a_bone_in_the_other_finger_is_out_of_sight() {
    for smoothings in [0, 6] {
        let seeing = AttachSettings { visibility: true, smoothings, ..PLAIN };
        assert_eq!(wrong_fingers(&seeing), 0);
    }
}

#[test]
fn contracted_fingers_lie_near_their_own_bones() {
    let contracted = wrong_fingers(&AttachSettings { contractions: ROUNDS, ..PLAIN });
    assert_eq!(contracted, 0);
    let both = AttachSettings { contractions: ROUNDS, visibility: true, ..PLAIN };
    assert_eq!(wrong_fingers(&both), 0);
}

#[test]
fn a_surface_turned_inside_out_sees_as_well() {
    let mut scene = fingers();
    let seeing = AttachSettings { visibility: true, ..PLAIN };
    let outwards = scene.bind(&seeing);
    scene.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    assert_eq!(scene.bind(&seeing), outwards);
}

/// A ball of radius 1 with a bone inside, and a bone outside that is nearer to most of its points
/// on that side.
fn ball() -> Scene {
    let (rings, around) = (15, 20);
    let mut scene = Scene {
        points: Vec::new(),
        triangles: Vec::new(),
        skeleton: bones(&[
            [DVec3::new(-0.2, -0.1, 0.0), DVec3::new(-0.2, 0.1, 0.0)],
            [DVec3::new(1.2, -1.0, 0.0), DVec3::new(1.2, 1.0, 0.0)],
        ]),
    };
    // A tube, blown up.
    scene.add_tube([DVec3::NEG_Y, DVec3::Y], 1.0, [rings, around]);
    for p in &mut scene.points {
        let height = 0.9 * p.y;
        let flat = DVec3::new(p.x, 0.0, p.z).normalize_or_zero();
        *p = if flat == DVec3::ZERO {
            *p
        } else {
            flat * (1.0 - height * height).sqrt() + height * DVec3::Y
        };
    }
    scene
}

#[test]
fn a_ball_holds_on_to_the_bone_inside_it() {
    let outside =
        |settings: &AttachSettings| ball().bind(settings).iter().filter(|a| a.joint == 1).count();
    assert!(outside(&PLAIN) > 50, "{}", outside(&PLAIN));
    assert_eq!(outside(&AttachSettings { visibility: true, ..PLAIN }), 0);
    assert_eq!(outside(&AttachSettings { visibility: true, smoothings: 6, ..PLAIN }), 0);
    // Not all: next to the wrong bone the distance, and with it the step, is small (3 points are
    // left).
    let contracted = outside(&AttachSettings { contractions: ROUNDS, ..PLAIN });
    assert!(contracted < outside(&PLAIN) / 10, "{contracted}");
}

#[test]
fn a_bone_out_of_sight_holds_what_nothing_else_can() {
    let mut scene = ball();
    let outer = scene.skeleton.bind_bone(1);
    scene.skeleton = bones(&[outer]);
    let seeing = AttachSettings { visibility: true, contractions: 1, smoothings: 2, ..PLAIN };
    assert!(scene.bind(&seeing).iter().all(|a| a.joint == 0 && a.place.is_finite()));
    // Excluded stays excluded, in sight or not.
    let mut scene = ball();
    let without = AttachSettings { excluded_joints: vec![0], ..seeing.clone() };
    assert!(scene.bind(&without).iter().all(|a| a.joint == 1));
    // A ball that has both bones inside sees both.
    scene.points.iter_mut().for_each(|p| *p *= 3.0);
    let seen = scene.bind(&AttachSettings { visibility: true, ..PLAIN });
    assert!([0, 1].iter().all(|joint| seen.iter().any(|a| a.joint == *joint)));
}

#[test]
fn a_cylinder_hardly_notices() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let mesh = &character.parts[0].mesh;
    let scene = Scene {
        points: mesh.points().iter().map(|p| p.as_dvec3()).collect(),
        triangles: mesh.point_triangles().to_vec(),
        skeleton: character.skeleton.clone(),
    };
    for smoothings in [0, 6] {
        let plain = AttachSettings { smoothings, ..PLAIN };
        let seeing = AttachSettings { visibility: true, ..plain.clone() };
        assert_eq!(scene.bind(&plain), scene.bind(&seeing), "all of it is in sight");
        let contracting = AttachSettings { contractions: ROUNDS, ..plain.clone() };
        for ((p, a), b) in scene.points.iter().zip(scene.bind(&plain)).zip(scene.bind(&contracting))
        {
            // Radius 0.5: what is nearer to an end than that is drawn inwards.
            let limit = if (0.75..3.25).contains(&p.y) { 0.05 } else { 0.5 };
            assert!(a.place.distance(b.place) < limit, "{p} {a:?} {b:?}");
        }
    }
}

#[test]
fn whatever_the_surface_is_places_are_finite_and_the_same_each_time() {
    let all = AttachSettings { visibility: true, contractions: 6, smoothings: 3, ..PLAIN };
    let mut scene = fingers();
    // Open at both ends, one triangle in ten missing, others collapsed or without area, points
    // nobody uses or twice there.
    let num_points = scene.points.len() as u32;
    let mut index = 0;
    scene.triangles.retain(|t| {
        index += 1;
        index % 10 != 0 && t.iter().all(|&p| p < num_points - 2)
    });
    let [a, b, _] = scene.triangles[5];
    scene.triangles.extend([[a, a, b], [a, b, a], [a, a, a]]);
    scene.points.extend([DVec3::ZERO, scene.points[a as usize], DVec3::splat(100.0)]);
    let middle = 0.5 * (scene.points[a as usize] + scene.points[b as usize]);
    scene.points.push(middle);
    scene.triangles.push([a, b, num_points + 3]);
    let found = scene.bind(&all);
    assert!(found.iter().all(|a| a.place.is_finite() && (0.0..=1.0).contains(&a.along)));
    assert_eq!(found, scene.bind(&all));
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(found, alone.install(|| scene.bind(&all)));

    // All at one place; no triangle at all; no point at all.
    scene.points.iter_mut().for_each(|p| *p = DVec3::ONE);
    assert!(scene.bind(&all).iter().all(|a| a.place.is_finite()));
    scene.triangles.clear();
    assert!(scene.bind(&all).iter().all(|a| a.place.is_finite()));
    scene.points.clear();
    assert!(scene.bind(&all).is_empty());
}

#[test]
fn looking_and_contracting_stop_when_they_are_told_to() {
    struct Stop;
    impl Progress for Stop {
        fn report(&self, _what: &str, _fraction: f32) {}
        fn is_cancelled(&self) -> bool {
            true
        }
    }
    let scene = fingers();
    let [seeing, contracting] = [(true, 0), (false, 1)]
        .map(|(visibility, contractions)| AttachSettings { visibility, contractions, ..PLAIN });
    assert_eq!(scene.try_bind(&seeing, &Stop), Err(ShareError::Cancelled));
    assert_eq!(scene.try_bind(&contracting, &Stop), Err(ShareError::Cancelled));
}
