//! `cylinder`: radius 0.5, length 4, from the origin along +Y: the standard object for bends and
//! twists.
//!
//! s segments, r rows and caps of k concentric rings around a centre point, so s(r + 2k − 1) + 2
//! points, all quads near square: 34 × 44 and 5 at the default of 1,804. A wish for points is met
//! to within a row, s points, as long as quads stay within 8 % of square. The rim is sharp. Joints
//! `bone_0`, `bone_1` …, each blending over the diameter or a bone, whichever is shorter. Clips:
//! `bend`, and `twist`: a full turn and back, keyed in quarters.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec2, DVec3};

use super::SampleError;
use super::chain::{chain_weights, straight_chain, there_and_back, turning_clip};
use super::surface::{Corner, Surface};
use crate::character::Character;
use crate::motion::Clip;
use crate::skeleton::Skeleton;

const RADIUS: f64 = 0.5;
const LENGTH: f64 = 4.0;
/// All of the bend, over the joints after the root.
const BEND_RADIANS: f64 = 2.0 * PI / 3.0;
/// How far from square a quad may be to meet a number of points.
const SQUARENESS: f64 = 0.08;
/// The caps lie above this in the texture.
const CAP_V: f64 = 0.75;

const SIDE: u32 = 0;
const BOTTOM: u32 = 1;
const TOP: u32 = 2;

/// Segments around, rows along, rings of a cap.
#[derive(Clone, Copy)]
struct Counts {
    segments: usize,
    rows: usize,
    cap_rings: usize,
}

impl Counts {
    fn num_points(self) -> usize {
        self.segments * (self.rows + 2 * self.cap_rings - 1) + 2
    }

    /// The counts nearest to a number of points; of several, those with the squarest quads.
    fn nearest(num_points: usize) -> Self {
        // Square quads have s²(L/(2πR) + 2·R/(2πR)) points.
        let ideal = (num_points as f64 * TAU * RADIUS / (LENGTH + 2.0 * RADIUS)).sqrt();
        let (least, most) = ((ideal * 0.9) as usize, (ideal * 1.1) as usize + 2);
        let mut best = None;
        for segments in least.max(6)..=most.max(8) {
            let square_rows = segments as f64 * LENGTH / (TAU * RADIUS);
            let cap_rings = ((segments as f64 / TAU).round() as usize).max(1);
            let wanted = num_points as f64 / segments as f64 + 1.0 - 2.0 * cap_rings as f64;
            let rows = wanted
                .clamp(square_rows * (1.0 - SQUARENESS), square_rows * (1.0 + SQUARENESS))
                .round()
                .max(1.0);
            let counts = Self { segments, rows: rows as usize, cap_rings };
            let key = (counts.num_points().abs_diff(num_points), (rows / square_rows - 1.0).abs());
            if best.is_none_or(|(best_key, _)| key < best_key) {
                best = Some((key, counts));
            }
        }
        best.map_or(Self { segments: 8, rows: 10, cap_rings: 1 }, |(_, counts)| counts)
    }
}

pub(super) fn build(num_points: usize, num_bones: usize) -> Result<Character, SampleError> {
    let skeleton = Skeleton::new(straight_chain(num_bones, LENGTH))?;
    let mut surface = Surface::default();
    fill(&mut surface, Counts::nearest(num_points), num_bones);
    let clips = clips(&skeleton);
    surface.into_character("cylinder", skeleton, clips)
}

fn fill(surface: &mut Surface, counts: Counts, num_bones: usize) {
    let Counts { segments, rows, cap_rings } = counts;
    let ring = |surface: &mut Surface, radius: f64, y: f64| -> Vec<u32> {
        let row = chain_weights(y, LENGTH / num_bones as f64, num_bones, 2.0 * RADIUS);
        (0..segments)
            .map(|k| {
                // Turning from +Z to +X is counter-clockwise seen from +Y.
                let angle = TAU * k as f64 / segments as f64;
                let position = DVec3::new(angle.sin() * radius, y, angle.cos() * radius);
                surface.point(position, row.clone())
            })
            .collect()
    };
    let side: Vec<Vec<u32>> =
        (0..=rows).map(|j| ring(surface, RADIUS, LENGTH * j as f64 / rows as f64)).collect();
    for (j, pair) in side.windows(2).enumerate() {
        let corner = |row: usize, k: usize| -> Corner {
            let v = CAP_V * (j + row) as f64 / rows as f64;
            (pair[row][k % segments], DVec2::new(k as f64 / segments as f64, v))
        };
        for k in 0..segments {
            surface.quad([corner(0, k), corner(0, k + 1), corner(1, k + 1), corner(1, k)], SIDE);
        }
    }

    for (group, rim, y) in [(BOTTOM, &side[0], 0.0), (TOP, &side[rows], LENGTH)] {
        let mut rings = vec![rim.clone()];
        for k in (1..cap_rings).rev() {
            rings.push(ring(surface, RADIUS * k as f64 / cap_rings as f64, y));
        }
        let row = chain_weights(y, LENGTH / num_bones as f64, num_bones, 2.0 * RADIUS);
        let center = surface.point(DVec3::new(0.0, y, 0.0), row);

        // Two discs of an eighth of the texture's width in the strip above the side.
        let disc_center = DVec2::new(if group == BOTTOM { 0.25 } else { 0.75 }, 0.875);
        let uv = |ring: usize, k: usize| {
            let radius = 0.12 * (cap_rings - ring) as f64 / cap_rings as f64;
            let angle = TAU * (k % segments) as f64 / segments as f64;
            // Seen from outside, z runs down on the top and up on the bottom.
            let up = if group == TOP { -angle.cos() } else { angle.cos() };
            disc_center + DVec2::new(angle.sin(), up) * radius
        };
        let is_top = group == TOP;
        for ring in 0..cap_rings {
            let corner = |ring: usize, k: usize| (rings[ring][k % segments], uv(ring, k));
            for k in 0..segments {
                let (a, b) = (corner(ring, k), corner(ring, k + 1));
                if ring + 1 < cap_rings {
                    let (c, d) = (corner(ring + 1, k + 1), corner(ring + 1, k));
                    surface.quad(if is_top { [a, b, c, d] } else { [a, d, c, b] }, group);
                } else {
                    let c = (center, disc_center);
                    surface.triangle(if is_top { [a, b, c] } else { [a, c, b] }, group);
                }
            }
        }
    }
}

fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    let num_bones = skeleton.len() as u32;
    let first = u32::from(num_bones > 1);
    let share = BEND_RADIANS / f64::from(num_bones - first);
    let bend = turning_clip("bend", skeleton, (2.0, 16), first..num_bones, |_, phase| {
        DQuat::from_rotation_x(share * there_and_back(phase))
    });
    // Eight quarters: four forth, four back. A quarter a key is what a quaternion can still tell
    // apart.
    let twist = turning_clip("twist", skeleton, (4.0, 8), [num_bones / 2], |_, phase| {
        let quarters = 4.0 - (8.0 * phase - 4.0).abs();
        DQuat::from_rotation_y(FRAC_PI_2 * quarters)
    });
    vec![bend, twist]
}
