//! What each joint does to the skin this frame, on the card: from the CPU's palette, or from a
//! pose.
//!
//! Two buffers of rows of four floats, named in `rows.wgsl`: seven a joint that every method
//! blends, and seven that only bone-smooth reads. Both ways fill the same rows. A pose's own way is
//! all in f32, from the joints' transforms on: for chains of a hundred joints it is off by about
//! 1e-6, where the upload is off by 1e-7. Where a joint's scales differ by more than a
//! thousandfold, f32 no longer tells its rotation to 1e-5; upload then.

use bytemuck::cast_slice;
use sinew::skeleton::{Palette, Pose, Skeleton};

use super::ROWS;
use crate::kernel::{Bound, KernelSource, Slot};
use crate::{Gpu, GpuError};

/// Rows a joint in each of the two buffers: `BLEND_ROWS` and `BONE_ROWS` of rows.wgsl.
const ROWS_A_JOINT: usize = 7;

/// Stretches this near to none are none: the CPU palette's own tolerance for rigid joints.
const RIGID_TOLERANCE: f32 = 1e-6;

/// A palette's memory on the card. Cheap to clone: handles to the same memory.
#[derive(Clone, Debug)]
pub struct GpuPalette {
    gpu: Gpu,
    num_joints: usize,
    blend: wgpu::Buffer,
    bones: wgpu::Buffer,
}

/// A row of four floats.
type Row = [f32; 4];

impl GpuPalette {
    /// Memory for a number of joints; no palette yet.
    pub fn new(gpu: &Gpu, num_joints: usize) -> Result<Self, GpuError> {
        Ok(Self {
            gpu: gpu.clone(),
            num_joints,
            blend: gpu.rows("palette", num_joints * ROWS_A_JOINT)?,
            bones: gpu.rows("palette of bones", num_joints * ROWS_A_JOINT)?,
        })
    }

    /// Number of joints.
    pub fn num_joints(&self) -> usize {
        self.num_joints
    }

    /// Uploads a CPU palette, for what is submitted next.
    ///
    /// # Panics
    /// If the palette has another number of joints.
    pub fn upload(&self, palette: &Palette) {
        assert_eq!(palette.len(), self.num_joints, "a palette of this skeleton");
        let blend: Vec<[Row; ROWS_A_JOINT]> =
            (0..palette.len()).map(|joint| blend_rows(palette, joint)).collect();
        let bones: Vec<[Row; ROWS_A_JOINT]> =
            (0..palette.len()).map(|joint| bone_rows(palette, joint)).collect();
        self.gpu.write(&self.blend, &blend);
        self.gpu.write(&self.bones, &bones);
    }

    /// Rows of joints that every method blends.
    pub(crate) fn blend(&self) -> &wgpu::Buffer {
        &self.blend
    }

    /// Rows of joints that bone-smooth reads.
    pub(crate) fn bones(&self) -> &wgpu::Buffer {
        &self.bones
    }

    /// Both as they are on the card: for tests, which compare the two ways to a palette.
    #[doc(hidden)]
    pub fn read(&self) -> Result<[Vec<Row>; 2], GpuError> {
        let num_rows = self.num_joints * ROWS_A_JOINT;
        Ok([self.gpu.read(&self.blend, num_rows)?, self.gpu.read(&self.bones, num_rows)?])
    }
}

fn blend_rows(palette: &Palette, joint: usize) -> [Row; ROWS_A_JOINT] {
    let [x, y, z] = palette.matrices()[joint];
    let [xx, yy, zz, xy, xz, yz] = palette.stretches()[joint];
    let is_near = |value: f32, to: f32| (value - to).abs() <= RIGID_TOLERANCE;
    let is_rigid = [xx, yy, zz].iter().all(|&v| is_near(v, 1.0))
        && [xy, xz, yz].iter().all(|&v| is_near(v, 0.0));
    let is_scaled = f32::from(u8::from(!is_rigid));
    [
        x,
        y,
        z,
        palette.rotations()[joint],
        palette.duals()[joint],
        [xx, yy, zz, is_scaled],
        [xy, xz, yz, 0.0],
    ]
}

fn bone_rows(palette: &Palette, joint: usize) -> [Row; ROWS_A_JOINT] {
    let turn = &palette.turns()[joint];
    let span = &palette.spans()[joint];
    let axis = turn.twist_axis;
    let posed_axis = (palette.model_from_rest()[joint].matrix3 * axis).normalize_or(axis);
    let half_turns = |radians: f64| (radians / (2.0 * std::f64::consts::TAU)) as f32;
    let row = |v: sinew::glam::DVec3, w: f32| v.as_vec3().extend(w).to_array();
    let m = &span.limb;
    let diagonal = sinew::glam::DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z);
    let mixed = sinew::glam::DVec3::new(m.x_axis.y, m.x_axis.z, m.y_axis.z);
    // The joint's own, not the palette's: a point whose bones are all plain may skip what the
    // others need.
    let is_scaled = !(span.is_rest() && blend_rows(palette, joint)[5][3] == 0.0);
    [
        row(turn.swing_axis, half_turns(turn.swing_radians)),
        row(axis, half_turns(turn.twist_radians)),
        row(posed_axis, turn.twist_from_root_radians as f32),
        turn.rotation_from_root.as_quat().to_array(),
        row(span.gap, span.stretch as f32),
        row(diagonal, f32::from(u8::from(is_scaled))),
        row(mixed, turn.twist_radians as f32),
    ]
}

/// Rows a joint that a pose uploads.
const POSE_ROWS: usize = 3;

/// No such joint, in the links.
const NOTHING: u32 = u32::MAX;

const WGSL: &[&str] = &[crate::MATHS, ROWS, include_str!("palette.wgsl")];
const SLOTS: &[Slot] =
    &[Slot::Uniform, Slot::Read, Slot::Read, Slot::Read, Slot::Write, Slot::Write];
const PASSES: [KernelSource; 3] = [
    KernelSource { label: "palette: place", wgsl: WGSL, entry: "place", slots: SLOTS },
    KernelSource { label: "palette: turn", wgsl: WGSL, entry: "turn", slots: SLOTS },
    KernelSource { label: "palette: from root", wgsl: WGSL, entry: "from_root", slots: SLOTS },
];

/// A skeleton on the card, which turns poses into a palette there: forward kinematics and all that
/// follows from it.
#[derive(Debug)]
pub struct GpuSkeleton {
    gpu: Gpu,
    skeleton: Skeleton,
    pose: wgpu::Buffer,
    palette: GpuPalette,
    passes: [Bound; 3],
}

impl GpuSkeleton {
    /// Uploads a skeleton, and makes the palette that its poses fill.
    pub fn new(gpu: &Gpu, skeleton: &Skeleton) -> Result<Self, GpuError> {
        let palette = GpuPalette::new(gpu, skeleton.len())?;
        let mut rows: Vec<Row> = Vec::new();
        let mut links: Vec<[u32; 2]> = Vec::new();
        for (index, joint) in (0u32..).zip(skeleton.joints()) {
            let inverse = &skeleton.joint_from_model()[index as usize];
            let by_rows = inverse.matrix3.transpose();
            let translation = inverse.translation;
            let [head, tail] = skeleton.bind_bone(index);
            rows.extend(
                [
                    skeleton.pose_axis(index).extend(0.0),
                    by_rows.x_axis.extend(translation.x),
                    by_rows.y_axis.extend(translation.y),
                    by_rows.z_axis.extend(translation.z),
                    head.extend(0.0),
                    tail.extend(0.0),
                    skeleton.bind_axis(index).extend(0.0),
                ]
                .map(|row| row.as_vec4().to_array()),
            );
            links.push([
                joint.parent.unwrap_or(NOTHING),
                skeleton.next_joint(index).unwrap_or(NOTHING),
            ]);
        }
        let params = gpu.uniform("palette parameters", &[skeleton.len() as u32, 0, 0, 0]);
        let pose = gpu.rows("pose", skeleton.len() * POSE_ROWS)?;
        let rows = gpu.storage("skeleton", &rows)?;
        let links = gpu.storage("links of joints", &links)?;
        let buffers = [&params, &pose, &rows, &links, palette.blend(), palette.bones()];
        let passes = PASSES.map(|source| Bound::new(gpu, &source, &buffers, skeleton.len()));
        Ok(Self { gpu: gpu.clone(), skeleton: skeleton.clone(), pose, palette, passes })
    }

    /// The palette that poses fill.
    pub fn palette(&self) -> &GpuPalette {
        &self.palette
    }

    /// Uploads a pose, for what is submitted next: rotations, translations, scales and twists of
    /// the joints.
    ///
    /// # Panics
    /// If the pose is not of this skeleton.
    pub fn upload(&self, pose: &Pose) {
        assert_eq!(pose.joints.len(), self.skeleton.len(), "a pose of this skeleton");
        let joints = (0u32..).zip(self.skeleton.joints());
        let rows: Vec<[Row; POSE_ROWS]> = joints
            .zip(&pose.joints)
            .map(|((index, joint), pose)| {
                let rest = &joint.rest;
                let rotation = rest.rotation * pose.rotation(self.skeleton.pose_axis(index));
                let translation = rest.translation + pose.translation;
                [
                    rotation.as_quat().to_array(),
                    translation.extend(pose.stretch).as_vec4().to_array(),
                    (rest.scale * pose.scale).extend(pose.twist_radians).as_vec4().to_array(),
                ]
            })
            .collect();
        self.gpu.write::<f32>(&self.pose, cast_slice(&rows));
    }

    /// Turns the uploaded pose into the palette.
    pub fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        for bound in &self.passes {
            bound.encode(pass);
        }
    }
}
