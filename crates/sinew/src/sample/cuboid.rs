//! `box`: a square column, 1 × 4 × 1, from the origin along +Y, with sharp edges.
//!
//! n × 4n × n square quads, so 18n² + 2 points: 1,802 at n = 10. A wish for points picks the
//! nearest n. Joints `bone_0` … `bone_3` (or as many as asked for), each blending over at most the
//! width of the column. Clip: `curl`.

use glam::{DQuat, DVec2, DVec3, IVec2, IVec3};

use super::SampleError;
use super::chain::{chain_weights, straight_chain, there_and_back, turning_clip};
use super::lattice::{Lattice, Side};
use super::surface::Surface;
use crate::character::Character;
use crate::skeleton::Skeleton;

const LENGTH: f64 = 4.0;
const WIDTH: f64 = 1.0;
/// All of the curl, over the joints after the root.
const CURL_RADIANS: f64 = std::f64::consts::PI;

pub(super) fn build(num_points: usize, num_bones: usize) -> Result<Character, SampleError> {
    let n = (((num_points.max(2) - 2) as f64 / 18.0).sqrt().round() as i32).max(1);
    let step = WIDTH / f64::from(n);
    let skeleton = Skeleton::new(straight_chain(num_bones, LENGTH))?;

    let position_of = |at: IVec3| {
        DVec3::new(f64::from(at.x), f64::from(at.y), f64::from(at.z)) * step
            - DVec3::new(WIDTH / 2.0, 0.0, WIDTH / 2.0)
    };
    let weights_at = |p: DVec3| chain_weights(p.y, LENGTH / num_bones as f64, num_bones, WIDTH);
    let mut surface = Surface::default();
    // Four columns side by side, the two ends above them.
    let uv_per_step = DVec2::new(0.25, 0.2) / f64::from(n);
    let mut lattice = Lattice::new(&mut surface, &position_of, &weights_at, uv_per_step);
    let (x, y, z) = (IVec3::X, IVec3::Y, IVec3::Z);
    let mut side = |origin: IVec3, right: IVec3, up: IVec3, rows: i32, uv: IVec2| {
        lattice.side(&Side { origin, right, up, cells: IVec2::new(n, rows), uv_origin: uv });
    };
    side(z * n, x, y, 4 * n, IVec2::new(0, 0));
    side((x + z) * n, -z, y, 4 * n, IVec2::new(n, 0));
    side(x * n, -x, y, 4 * n, IVec2::new(2 * n, 0));
    side(IVec3::ZERO, z, y, 4 * n, IVec2::new(3 * n, 0));
    side((y * 4 + z) * n, x, -z, n, IVec2::new(0, 4 * n));
    side(IVec3::ZERO, x, z, n, IVec2::new(n, 4 * n));

    let first = u32::from(num_bones > 1);
    let share = CURL_RADIANS / (num_bones - first as usize) as f64;
    let curl = turning_clip("curl", &skeleton, (3.0, 24), first..num_bones as u32, |_, phase| {
        DQuat::from_rotation_x(share * there_and_back(phase))
    });
    surface.into_character("box", skeleton, vec![curl])
}
