//! The palette: what each joint does to the skin this frame, in every form that a method blends.
//!
//! `model_from_rest = model_from_joint · stretch · joint_from_model`, the stretch along the joint's
//! own bone. Dual quaternions and centres of rotation need its rotation apart from its scale and
//! shear: `model_from_rest = T · R · S`, `R` proper, `S` symmetric (polar).

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::{BoneSpan, JointTurn, Pose, Skeleton};

/// Entries of a linear part this near to a rotation's are one: f64 chains are off by 1e-14 a joint,
/// files' f32 matrices by 1e-7.
const RIGID_TOLERANCE: f64 = 1e-6;

/// Rows of a 3×4 matrix: `p' = rows · (p, 1)`.
pub type JointMatrix = [[f32; 4]; 3];

/// What each joint does to the skin in one pose. Filled by [`Palette::update`], which allocates
/// nothing once it has seen the skeleton.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    model_from_joint: Vec<DAffine3>,
    model_from_rest: Vec<DAffine3>,
    matrices: Vec<JointMatrix>,
    normal_matrices: Vec<[[f32; 3]; 3]>,
    rotations: Vec<[f32; 4]>,
    duals: Vec<[f32; 4]>,
    stretches: Vec<[f32; 6]>,
    /// f64 twins of `rotations`.
    model_rotations: Vec<DQuat>,
    turns: Vec<JointTurn>,
    spans: Vec<BoneSpan>,
    is_rigid: bool,
}

impl Palette {
    /// The palette of a pose.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn new(skeleton: &Skeleton, pose: &Pose) -> Self {
        let mut palette = Self::default();
        palette.update(skeleton, pose);
        palette
    }

    /// Follows a new pose.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.update_blended(skeleton, pose);
        let twists = pose.joints.iter().map(|joint| joint.twist_radians);
        JointTurn::of_palette(skeleton, &self.model_rotations, twists, &mut self.turns);
    }

    /// Follows a new pose without [`Self::turns`], which take half of the time: for methods that
    /// blend transforms alone.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub(crate) fn update_blended(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.turns.clear();
        pose.model_from_joint(skeleton, &mut self.model_from_joint);
        self.model_from_rest.clear();
        let placed = self.model_from_joint.iter().zip(skeleton.joint_from_model());
        let posed = (0u32..).zip(&pose.joints);
        self.model_from_rest.extend(placed.zip(posed).map(
            |((model_from_joint, joint_from_model), (joint, pose))| {
                if pose.stretch == 1.0 {
                    return *model_from_joint * *joint_from_model;
                }
                let stretched = DAffine3::from_mat3(pose.stretch_along(skeleton.pose_axis(joint)));
                *model_from_joint * stretched * *joint_from_model
            },
        ));
        self.derive_blendable_forms();
        BoneSpan::of_palette(
            skeleton,
            &self.model_from_rest,
            &self.model_rotations,
            &mut self.spans,
        );
    }

    /// A palette of given `model_from_rest` transforms, for joints that something else than a pose
    /// moves. No twist is more than half a turn.
    ///
    /// # Panics
    /// If there is not one transform a joint.
    pub fn from_transforms(skeleton: &Skeleton, model_from_rest: Vec<DAffine3>) -> Self {
        assert_eq!(model_from_rest.len(), skeleton.len(), "one transform a joint");
        let model_from_joint = model_from_rest
            .iter()
            .zip(skeleton.joint_from_model())
            .map(|(model_from_rest, joint_from_model)| {
                *model_from_rest * joint_from_model.inverse()
            })
            .collect();
        let mut palette = Self { model_from_joint, model_from_rest, ..Self::default() };
        palette.derive_blendable_forms();
        let twists = std::iter::repeat_n(0.0, skeleton.len());
        JointTurn::of_palette(skeleton, &palette.model_rotations, twists, &mut palette.turns);
        BoneSpan::of_palette(
            skeleton,
            &palette.model_from_rest,
            &palette.model_rotations,
            &mut palette.spans,
        );
        palette
    }

    fn derive_blendable_forms(&mut self) {
        self.matrices.clear();
        self.normal_matrices.clear();
        self.rotations.clear();
        self.model_rotations.clear();
        self.duals.clear();
        self.stretches.clear();
        self.is_rigid = true;
        for transform in &self.model_from_rest {
            let linear = transform.matrix3;
            let translation = transform.translation;
            let (rotation, stretch) = polar(linear);
            let is_rigid = is_near(stretch, DMat3::IDENTITY, RIGID_TOLERANCE);
            self.is_rigid &= is_rigid;

            let rows = linear.transpose();
            self.matrices.push([
                rows.x_axis.extend(translation.x).as_vec4().to_array(),
                rows.y_axis.extend(translation.y).as_vec4().to_array(),
                rows.z_axis.extend(translation.z).as_vec4().to_array(),
            ]);
            let normal_rows = cofactors(linear).transpose();
            self.normal_matrices.push([
                normal_rows.x_axis.as_vec3().to_array(),
                normal_rows.y_axis.as_vec3().to_array(),
                normal_rows.z_axis.as_vec3().to_array(),
            ]);
            let q = DQuat::from_mat3(&rotation).normalize();
            self.model_rotations.push(q);
            self.rotations.push(q.as_quat().to_array());
            // Dual part ½·t·q: the translation as a pure quaternion times the rotation.
            let dual = (DQuat::from_vec4(translation.extend(0.0)) * q) * 0.5;
            self.duals.push(dual.as_quat().to_array());
            let s = stretch;
            self.stretches.push(
                [s.x_axis.x, s.y_axis.y, s.z_axis.z, s.x_axis.y, s.x_axis.z, s.y_axis.z]
                    .map(|v| v as f32),
            );
        }
    }

    /// Number of joints.
    pub fn len(&self) -> usize {
        self.model_from_rest.len()
    }

    /// True for no joints.
    pub fn is_empty(&self) -> bool {
        self.model_from_rest.is_empty()
    }

    /// Where each joint is.
    pub fn model_from_joint(&self) -> &[DAffine3] {
        &self.model_from_joint
    }

    /// What each joint does to a rest point, f64.
    pub fn model_from_rest(&self) -> &[DAffine3] {
        &self.model_from_rest
    }

    /// The same as f32 rows.
    pub fn matrices(&self) -> &[JointMatrix] {
        &self.matrices
    }

    /// Cofactors of the linear parts: what moves normals, up to length. Equal to the linear part of
    /// a rotation.
    pub fn normal_matrices(&self) -> &[[[f32; 3]; 3]] {
        &self.normal_matrices
    }

    /// Rotations as unit quaternions `xyzw`, of either sign.
    pub fn rotations(&self) -> &[[f32; 4]] {
        &self.rotations
    }

    /// The same, f64.
    pub(crate) fn model_rotations(&self) -> &[DQuat] {
        &self.model_rotations
    }

    /// Dual parts `½ t q`, `xyzw`, of the rotations' own sign.
    pub fn duals(&self) -> &[[f32; 4]] {
        &self.duals
    }

    /// Symmetric stretches `xx, yy, zz, xy, xz, yz`.
    pub fn stretches(&self) -> &[[f32; 6]] {
        &self.stretches
    }

    /// How each joint has turned from its parent, as swing and unwrapped twist. Empty in the frames
    /// of a plan whose methods need none.
    pub fn turns(&self) -> &[JointTurn] {
        &self.turns
    }

    /// How far each joint's bone reaches.
    pub fn spans(&self) -> &[BoneSpan] {
        &self.spans
    }

    /// True if no joint scales or shears, so that methods may skip it.
    pub fn is_rigid(&self) -> bool {
        self.is_rigid
    }
}

fn is_near(a: DMat3, b: DMat3, tolerance: f64) -> bool {
    a.to_cols_array().iter().zip(b.to_cols_array()).all(|(a, b)| (a - b).abs() <= tolerance)
}

fn cofactors(m: DMat3) -> DMat3 {
    DMat3::from_cols(m.y_axis.cross(m.z_axis), m.z_axis.cross(m.x_axis), m.x_axis.cross(m.y_axis))
}

/// A singular value below this share of the largest is zero: an f32 sees none of it, and the
/// cofactors that tell where it points have lost as many digits as it has zeros.
const FLAT: f64 = 1e-8;

/// `m = R · S` with `R` a proper rotation and `S` symmetric. A mirroring `m` gets a negative `S`.
///
/// Newton's iteration `R ← ½(R + R⁻ᵀ)` (Higham 1986), which squares its error each step once it is
/// near.
pub(crate) fn polar(m: DMat3) -> (DMat3, DMat3) {
    if is_near(m.transpose() * m, DMat3::IDENTITY, 1e-13) && m.determinant() > 0.0 {
        return (m, DMat3::IDENTITY);
    }
    let mut r = invertible_like(m);
    for _ in 0..40 {
        let next = (r + cofactors(r) * (1.0 / r.determinant())) * 0.5;
        let done = is_near(next, r, 1e-15);
        r = next;
        if done {
            break;
        }
    }
    let s = r.transpose() * m;
    (r, (s + s.transpose()) * 0.5)
}

/// A matrix of size one that has the `R` of `m` and a positive determinant: along axes that `m`
/// flattens it has length one.
fn invertible_like(m: DMat3) -> DMat3 {
    let size = length(m);
    if !size.is_normal() {
        return DMat3::IDENTITY;
    }
    let m = m * (1.0 / size);
    // The size of the cofactors is about the middle singular value, and the determinant over it the
    // smallest.
    let of_planes = cofactors(m);
    let middle = length(of_planes);
    if middle < FLAT {
        // What is left is a line: the turn from where it came from to where it went, with no twist
        // about it.
        let from = longest_column(m.transpose());
        let to = (m * from).normalize_or(from);
        return DMat3::from_quat(DQuat::from_rotation_arc(from, to));
    }
    let determinant = m.determinant();
    if determinant.abs() < FLAT * middle {
        // A plane: its normal goes to its image's. The determinant's sign is noise, and must not
        // mirror anything.
        let from = longest_column(of_planes.transpose());
        let to = (of_planes * from).normalize_or(from);
        return m + DMat3::from_cols(to * from.x, to * from.y, to * from.z);
    }
    if determinant < 0.0 { -m } else { m }
}

fn length(m: DMat3) -> f64 {
    m.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The direction of the longest column.
fn longest_column(m: DMat3) -> DVec3 {
    let longer = |a: DVec3, b: DVec3| if b.length_squared() > a.length_squared() { b } else { a };
    longer(longer(m.x_axis, m.y_axis), m.z_axis).normalize_or(DVec3::X)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_on_a_bone_stays_at_its_share_of_the_stretched_bone() {
        use crate::sample::{SampleKind, SampleOptions, build};
        let skeleton = build(&SampleOptions::new(SampleKind::Box)).unwrap().skeleton;
        let mut pose = Pose::rest(&skeleton);
        for (index, joint) in pose.joints.iter_mut().enumerate() {
            *joint = joint.rotated(DVec3::X, 0.4 + 0.3 * index as f64, DVec3::Y);
            joint.twist_radians += 3.0;
        }
        let unstretched = Palette::new(&skeleton, &pose);
        pose.joints[1].stretch = 1.75;
        let palette = Palette::new(&skeleton, &pose);
        assert!(unstretched.is_rigid() && !palette.is_rigid());
        let posed = |joint: usize, share: f64| {
            let [head, tail] = skeleton.bind_bone(joint as u32);
            palette.model_from_rest()[joint].transform_point3(head.lerp(tail, share))
        };
        let [head, tail] = skeleton.bind_bone(1);
        assert!((posed(1, 0.0).distance(posed(1, 1.0)) / tail.distance(head) - 1.75).abs() < 1e-12);
        assert!(posed(1, 0.25).abs_diff_eq(posed(1, 0.0).lerp(posed(1, 1.0), 0.25), 1e-12));
        // The next bone begins where the stretched one ends, and has its own length.
        assert!(posed(1, 1.0).abs_diff_eq(posed(2, 0.0), 1e-12));
        let [head, tail] = skeleton.bind_bone(2);
        assert!((posed(2, 0.0).distance(posed(2, 1.0)) - tail.distance(head)).abs() < 1e-12);
        for (turn, before) in palette.turns().iter().zip(unstretched.turns()) {
            assert!((turn.swing_radians - before.swing_radians).abs() < 1e-9);
            assert!((turn.twist_radians - before.twist_radians).abs() < 1e-9);
        }
    }

    #[test]
    fn polar_takes_a_matrix_apart_and_back() {
        let r = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.5));
        let s = DMat3::from_cols(
            DVec3::new(2.0, 0.1, 0.0),
            DVec3::new(0.1, 0.5, 0.2),
            DVec3::new(0.0, 0.2, 1.0),
        );
        let (found_r, found_s) = polar(r * s);
        assert!(is_near(found_r, r, 1e-12));
        assert!(is_near(found_s, s, 1e-12));
    }

    #[test]
    fn a_mirroring_joint_keeps_a_proper_rotation() {
        let m = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let (r, s) = polar(m);
        assert!((r.determinant() - 1.0).abs() < 1e-12);
        assert!(is_near(r * s, m, 1e-12));
    }

    #[test]
    fn a_joint_scaled_to_nothing_along_any_axes_is_taken_apart_too() {
        let turn = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 2.5));
        let skew = DMat3::from_quat(DQuat::from_euler(glam::EulerRot::XYZ, -0.8, 0.4, 1.0));
        let lengths = [-2.0, 0.0, 1e-100, 1e-13, 1e-11, 1e-9, 1e-8, 1e-4, 1.0, 1e9];
        for x in lengths {
            for (y, z) in lengths.iter().flat_map(|&y| lengths.map(|z| (y, z))) {
                let scale = DMat3::from_diagonal(DVec3::new(x, y, z));
                for m in [turn * scale, turn * skew * scale * skew.transpose()] {
                    let (r, s) = polar(m);
                    assert!(is_near(r.transpose() * r, DMat3::IDENTITY, 1e-12), "{m}: {r}");
                    assert!(r.determinant() > 0.0, "{m}: {r}");
                    // Two axes of about `FLAT` may be taken for each other, and for their mirror
                    // images.
                    assert!(is_near(r * s, m, 8.0 * FLAT * length(m)), "{m}: {r} {s}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_still_gives_a_rotation() {
        for bad in [f64::NAN, f64::INFINITY] {
            let (r, _) = polar(DMat3::from_diagonal(DVec3::new(1.0, bad, 1.0)));
            assert_eq!(r, DMat3::IDENTITY);
        }
    }
}
