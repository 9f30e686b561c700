//! `arm`: a human arm straight up along +Y, palm towards +Z, thumb towards +X; 0.85 m from stump to
//! fingertip.
//!
//! A cage of quads (a ten-sided tube from the rounded stump to the palm, four-sided fingers on the
//! palm's four upper quads, the thumb on a side quad) is subdivided and sampled at n steps a quad.
//! With R tube rings that makes (150 + 10R)n² + 2 points: 4,002 at R = 10, n = 4. A wish for points
//! picks the nearest of 10 ≤ R ≤ 16 and any n.
//!
//! Joints: `upper_arm`, `fore_arm`, `fore_arm_twist` (pronation spreads from the elbow to the
//! wrist), `hand`, and two on each digit: `thumb_0`, `thumb_1`, `index_…`, `middle_…`, `ring_…`,
//! `little_…`. Clip: `curl`: the elbow bends, the forearm pronates and the fingers close.

use glam::{DQuat, DVec2, DVec3};

use super::SampleError;
use super::chain::{cleaned, joint, smooth_step, there_and_back, turning_clip};
use super::subdivide::{Cage, CagePoint, Patches};
use super::surface::{Surface, WeightRow};
use crate::character::Character;
use crate::motion::Clip;
use crate::skeleton::{Joint, Skeleton};

const ELBOW_Y: f64 = 0.30;
const TWIST_Y: f64 = 0.43;
const WRIST_Y: f64 = 0.56;
const PALM_TOP_Y: f64 = 0.655;
/// Points of a ring: five on the palm's side and five on the back.
const AROUND: usize = 10;
const NUM_DIGITS: usize = 5;
/// Weights that ride on the cage: two joints a digit.
const NUM_DIGIT_JOINTS: usize = 2 * NUM_DIGITS;
/// `upper_arm`, `fore_arm`, `fore_arm_twist`, `hand`.
const NUM_LIMB_JOINTS: u32 = 4;
const HAND: u32 = 3;

type Point = CagePoint<NUM_DIGIT_JOINTS>;
/// Corners of a quad in the texture, in its corners' order.
type QuadUvs = [DVec2; 4];

/// Half width, half depth and forward shift of the arm at a height, metres. Between them a cubic
/// runs.
const PROFILE: [(f64, [f64; 3]); 14] = [
    (-0.060, [0.046, 0.048, 0.000]),
    (-0.030, [0.056, 0.058, 0.000]),
    (0.020, [0.060, 0.064, 0.000]),
    (0.080, [0.050, 0.055, 0.003]),
    (0.140, [0.045, 0.056, 0.009]),
    (0.190, [0.044, 0.054, 0.010]),
    (0.250, [0.040, 0.042, 0.002]),
    (0.300, [0.044, 0.041, -0.004]),
    (0.350, [0.048, 0.041, 0.001]),
    (0.400, [0.044, 0.038, 0.002]),
    (0.460, [0.036, 0.031, 0.001]),
    (0.520, [0.031, 0.024, 0.000]),
    (0.560, [0.030, 0.021, 0.000]),
    (0.590, [0.034, 0.021, 0.000]),
];

/// Half width and half depth of the palm at a height: its rings above the wrist.
const PALM: [(f64, f64, f64); 4] = [
    (0.580, 0.036, 0.021),
    (0.604, 0.044, 0.022),
    (0.632, 0.047, 0.019),
    (PALM_TOP_Y, 0.047, 0.016),
];
/// The thumb grows from the side between this ring of the palm and the next.
const THUMB_RING: usize = 0;

/// A digit: its name, length, half thickness at the root, and the lean of its direction.
struct Digit {
    name: &'static str,
    length: f64,
    half_thickness: f64,
    direction: DVec3,
}

/// In the order of their joints.
const DIGITS: [Digit; NUM_DIGITS] = [
    Digit {
        name: "thumb",
        length: 0.070,
        half_thickness: 0.0125,
        direction: DVec3::new(0.80, 0.60, 0.20),
    },
    Digit {
        name: "index",
        length: 0.078,
        half_thickness: 0.0111,
        direction: DVec3::new(0.10, 1.0, 0.02),
    },
    Digit {
        name: "middle",
        length: 0.086,
        half_thickness: 0.0113,
        direction: DVec3::new(0.03, 1.0, 0.0),
    },
    Digit {
        name: "ring",
        length: 0.080,
        half_thickness: 0.0109,
        direction: DVec3::new(-0.05, 1.0, 0.02),
    },
    Digit {
        name: "little",
        length: 0.063,
        half_thickness: 0.0097,
        direction: DVec3::new(-0.14, 1.0, 0.04),
    },
];

/// Sections of a digit: how far along, thickness over that at the root, and the shares of its two
/// joints.
const DIGIT_SECTIONS: [(f64, f64, [f64; 2]); 5] = [
    (0.14, 1.00, [0.60, 0.00]),
    (0.40, 1.00, [1.00, 0.00]),
    (0.54, 1.02, [0.50, 0.50]),
    (0.82, 0.92, [0.00, 1.00]),
    (1.00, 0.62, [0.00, 1.00]),
];
/// The thumb has fewer: its root is the palm's own quad.
const THUMB_SECTIONS: [(f64, f64, [f64; 2]); 3] =
    [(0.34, 1.00, [0.90, 0.10]), (0.72, 1.00, [0.10, 0.90]), (1.00, 0.66, [0.00, 1.00])];
/// Where along a digit its second joint lies.
const KNUCKLE: f64 = 0.5;

pub(super) fn build(num_points: usize) -> Result<Character, SampleError> {
    let (rings, steps) = counts_for(num_points);
    let builder = CageBuilder::arm(rings);
    let skeleton = skeleton(&builder)?;

    let mut patches = Patches::new(&builder.cage);
    // Twice as fine as it is sampled, but no coarser than the eye: three levels.
    while patches.steps < 8.max(2 * steps).min(32) {
        patches = patches.subdivided();
    }
    let patches = patches.resampled(&builder.cage, steps);

    let mut surface = Surface::default();
    for point in &patches.points {
        surface.point(point.position, weights_of(point));
    }
    for (grid, uvs) in patches.grids.iter().zip(&builder.uvs) {
        for j in 0..steps {
            for i in 0..steps {
                let corner = |i: usize, j: usize| {
                    let (s, t) = (i as f64 / steps as f64, j as f64 / steps as f64);
                    let uv = uvs[0].lerp(uvs[1], s).lerp(uvs[3].lerp(uvs[2], s), t);
                    (grid[j * (steps + 1) + i], uv)
                };
                let quad = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
                surface.quad(quad, 0);
            }
        }
    }
    let clips = vec![curl(&skeleton)];
    surface.into_character("arm", skeleton, clips)
}

/// Tube rings and steps a quad that come nearest to a number of points.
fn counts_for(num_points: usize) -> (usize, usize) {
    let points = |rings: usize, steps: usize| (150 + 10 * rings) * steps * steps + 2;
    let mut best = (10, 1);
    for steps in 1..=40 {
        for rings in 10..=16 {
            let distance = |(r, s)| points(r, s).abs_diff(num_points);
            if distance((rings, steps)) < distance(best) {
                best = (rings, steps);
            }
        }
    }
    best
}

fn weights_of(point: &Point) -> WeightRow {
    let y = point.position.y;
    let elbow = smooth_step(y - ELBOW_Y, 0.10);
    let twist = elbow * smooth_step(y - TWIST_Y, 0.20);
    let wrist = twist * smooth_step(y - WRIST_Y, 0.05);
    let of_digits: f64 = point.values.iter().sum();
    let limb = [1.0 - elbow, elbow - twist, twist - wrist, wrist];
    let mut row: WeightRow = Vec::new();
    row.extend((0..NUM_LIMB_JOINTS).zip(limb.map(|weight| weight * (1.0 - of_digits))));
    row.extend((NUM_LIMB_JOINTS..).zip(point.values));
    // Webs between digits can have five; the fifth is a thousandth.
    row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    row.truncate(4);
    cleaned(row)
}

fn skeleton(builder: &CageBuilder) -> Result<Skeleton, SampleError> {
    let up = |name, parent, at: f64, length| {
        joint(name, parent, (DVec3::Y * at, DQuat::IDENTITY), length)
    };
    let mut joints: Vec<Joint> = vec![
        up("upper_arm", None, 0.0, ELBOW_Y),
        up("fore_arm", Some(0), ELBOW_Y, TWIST_Y - ELBOW_Y),
        up("fore_arm_twist", Some(1), TWIST_Y - ELBOW_Y, WRIST_Y - TWIST_Y),
        up("hand", Some(2), WRIST_Y - TWIST_Y, PALM_TOP_Y - WRIST_Y),
    ];
    for (digit, root) in DIGITS.iter().zip(builder.digit_roots) {
        // The shortest turn: a finger keeps its bending axis x, as straight as its lean lets it.
        let turn = DQuat::from_rotation_arc(DVec3::Y, digit.direction.normalize());
        let first = joints.len() as u32;
        let (near, far) = (digit.length * KNUCKLE, digit.length * (1.0 - KNUCKLE));
        let root_in_hand = root - DVec3::Y * WRIST_Y;
        joints.push(joint(format!("{}_0", digit.name), Some(HAND), (root_in_hand, turn), near));
        let start = (DVec3::Y * near, DQuat::IDENTITY);
        joints.push(joint(format!("{}_1", digit.name), Some(first), start, far));
    }
    Ok(Skeleton::new(joints)?)
}

fn curl(skeleton: &Skeleton) -> Clip {
    let joints = 1..skeleton.len() as u32;
    turning_clip("curl", skeleton, (3.0, 24), joints, |joint, phase| {
        let amount = there_and_back(phase);
        match joint {
            1 => DQuat::from_rotation_x(2.0 * amount),
            2 => DQuat::from_rotation_y(1.4 * amount),
            3 => DQuat::from_rotation_x(0.2 * amount),
            4 | 5 => DQuat::from_rotation_z(0.4 * amount) * DQuat::from_rotation_x(0.3 * amount),
            _ => DQuat::from_rotation_x(1.0 * amount),
        }
    })
}

/// The cage and the texture corners of its quads.
struct CageBuilder {
    cage: Cage<NUM_DIGIT_JOINTS>,
    uvs: Vec<QuadUvs>,
    digit_roots: [DVec3; NUM_DIGITS],
}

impl CageBuilder {
    fn arm(num_rings: usize) -> Self {
        let mut builder =
            Self { cage: Cage::default(), uvs: Vec::new(), digit_roots: [DVec3::ZERO; NUM_DIGITS] };
        let rings = builder.rings(num_rings);
        builder.stump(&rings[0]);
        let thumb_ring = num_rings + THUMB_RING;
        for (row, pair) in rings.windows(2).enumerate() {
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                let quad = [pair[0][k], pair[0][next], pair[1][next], pair[1][k]];
                // The quad on the +X side runs from the last of the palm to the first of the back.
                if row == thumb_ring && k == AROUND / 2 - 1 {
                    builder.digit(0, quad, &THUMB_SECTIONS);
                    continue;
                }
                let (u, v) = (1.0 / AROUND as f64, 0.6 / (rings.len() - 1) as f64);
                let corner = DVec2::new(k as f64 * u, 0.1 + row as f64 * v);
                builder.quad(quad, rectangle(corner, DVec2::new(u, v)));
            }
        }
        let top = &rings[rings.len() - 1];
        for k in 0..4 {
            // Seen from above: the palm's side towards the viewer's feet.
            let quad = [top[k], top[k + 1], top[AROUND - 2 - k], top[AROUND - 1 - k]];
            builder.digit(4 - k, quad, &DIGIT_SECTIONS);
        }
        builder
    }

    /// From the stump to the top of the palm. Points run from the palm's −X side to +X, then back.
    fn rings(&mut self, num_rings: usize) -> Vec<Vec<u32>> {
        let mut rings = Vec::new();
        let first = PROFILE[0].0;
        for index in 0..num_rings {
            let y = first + (0.57 - first) * index as f64 / num_rings as f64;
            let [width, depth, forward] = profile_at(y);
            // A closed uniform cubic shrinks a decagon to (4 + 2·cos 36°)/6 of itself.
            let grow = 1.0 / 0.936;
            rings.push(self.ring(|k| {
                let angle = (162.0 - 36.0 * k as f64).to_radians();
                let (x, z) = (width * angle.cos(), depth * angle.sin());
                DVec3::new(x * grow, y, z * grow + forward)
            }));
        }
        for (y, width, depth) in PALM {
            rings.push(self.ring(|k| {
                let (column, side) = if k < 5 { (k, 1.0) } else { (9 - k, -1.0) };
                let x = (column as f64 / 2.0 - 1.0) * width;
                // The palm is hollow a little, the edges thinner.
                let thin = 1.0 - 0.22 * (x / width).powi(4);
                DVec3::new(x, y, side * depth * thin)
            }));
        }
        rings
    }

    fn ring(&mut self, position_of: impl Fn(usize) -> DVec3) -> Vec<u32> {
        (0..AROUND).map(|k| self.point(position_of(k), [0.0; NUM_DIGIT_JOINTS])).collect()
    }

    /// Rounds off the lower end.
    fn stump(&mut self, rim: &[u32]) {
        let mut outer = rim.to_vec();
        for (ring, (below, scale)) in [(0.022, 0.72), (0.030, 0.34)].into_iter().enumerate() {
            let center = DVec3::Y * PROFILE[0].0;
            let inner: Vec<u32> = rim
                .iter()
                .map(|&p| {
                    let out = self.cage.points[p as usize].position - center;
                    self.point(center + out * scale - DVec3::Y * below, [0.0; NUM_DIGIT_JOINTS])
                })
                .collect();
            for k in 0..AROUND {
                let next = (k + 1) % AROUND;
                let size = DVec2::new(1.0 / AROUND as f64, 0.03);
                let corner = DVec2::new(k as f64 * size.x, 0.07 - 0.03 * ring as f64);
                let quad = [inner[k], inner[next], outer[next], outer[k]];
                self.quad(quad, rectangle(corner, size));
            }
            outer = inner;
        }
        for k in 0..4 {
            let quad = [outer[k], outer[AROUND - 1 - k], outer[AROUND - 2 - k], outer[k + 1]];
            self.quad(quad, rectangle(DVec2::new(0.05 * k as f64, 0.0), DVec2::new(0.04, 0.035)));
        }
    }

    /// Grows a digit from a quad of the palm, its corners counter-clockwise from outside.
    fn digit(&mut self, index: usize, root: [u32; 4], sections: &[(f64, f64, [f64; 2])]) {
        let digit = &DIGITS[index];
        let along = digit.direction.normalize();
        let corners = root.map(|p| self.cage.points[p as usize].position);
        let center = corners.iter().sum::<DVec3>() / 4.0;
        self.digit_roots[index] = center;
        // Two axes across the digit that follow the root's own sides.
        let across = (corners[1] - corners[0]).reject_from(along).normalize();
        let over = along.cross(across);
        let (u, v) = (0.2 / 4.0, 0.26 / sections.len() as f64);
        let corner_of = |side: usize, row: usize| {
            DVec2::new(0.2 * index as f64 + u * side as f64, 0.7 + v * row as f64)
        };
        let mut below = root;
        for (row, &(fraction, thickness, shares)) in sections.iter().enumerate() {
            let half = digit.half_thickness * thickness;
            let middle = center + along * (digit.length * fraction);
            let mut values = [0.0; NUM_DIGIT_JOINTS];
            values[2 * index..2 * index + 2].copy_from_slice(&shares);
            let above = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(a, o)| self.point(middle + (across * a + over * o) * half, values));
            for k in 0..4 {
                let next = (k + 1) % 4;
                let quad = [below[k], below[next], above[next], above[k]];
                self.quad(quad, rectangle(corner_of(k, row), DVec2::new(u, v)));
            }
            below = above;
        }
        self.quad(below, rectangle(corner_of(0, sections.len()), DVec2::new(u, 0.04)));
    }

    fn point(&mut self, position: DVec3, values: [f64; NUM_DIGIT_JOINTS]) -> u32 {
        self.cage.points.push(CagePoint { position, values });
        self.cage.points.len() as u32 - 1
    }

    fn quad(&mut self, quad: [u32; 4], uvs: QuadUvs) {
        self.cage.quads.push(quad);
        self.uvs.push(uvs);
    }
}

fn rectangle(corner: DVec2, size: DVec2) -> QuadUvs {
    [corner, corner + DVec2::X * size.x, corner + size, corner + DVec2::Y * size.y]
}

/// The profile at a height: Catmull–Rom through its rows.
fn profile_at(y: f64) -> [f64; 3] {
    let last = PROFILE.len() - 1;
    let k = PROFILE.partition_point(|row| row.0 <= y).clamp(1, last) - 1;
    let row = |k: usize| PROFILE[k.min(last)];
    let (y0, y1) = (row(k).0, row(k + 1).0);
    let t = ((y - y0) / (y1 - y0)).clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let (before, after) = (row(k.saturating_sub(1)), row(k + 2));
        let (from, to) = (row(k).1[i], row(k + 1).1[i]);
        let slope0 = (to - before.1[i]) / (y1 - before.0) * (y1 - y0);
        let slope1 = (after.1[i] - from) / (after.0 - y0) * (y1 - y0);
        let (t2, t3) = (t * t, t * t * t);
        from * (2.0 * t3 - 3.0 * t2 + 1.0)
            + slope0 * (t3 - 2.0 * t2 + t)
            + to * (3.0 * t2 - 2.0 * t3)
            + slope1 * (t3 - t2)
    })
}
