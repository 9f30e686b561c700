//! Springs that move several meshes at once, on the card.
//!
//! Renderers and normals want each mesh's points in a buffer of its own: where a group has several
//! meshes, a kernel hands each its run.

use sinew::frame::{Controls, Member, Plan, PreparedGroup, Wishes};
use sinew::springs::Within;

use crate::kernel::{Bound, KernelSource, Slot};
use crate::skeleton::GpuPalette;
use crate::springs::{GpuSpringFrame, GpuSpringRig, GpuStart};
use crate::{Gpu, GpuError, MATHS};

const HAND_OUT: KernelSource = KernelSource {
    label: "hand out points",
    wgsl: &[MATHS, include_str!("hand_out.wgsl")],
    entry: "hand_out",
    slots: &[Slot::Uniform, Slot::Read, Slot::Write],
};

/// The twin of [`sinew::frame::SpringGroup`].
#[derive(Debug)]
pub(super) struct Group {
    springs: GpuSpringRig,
    members: Vec<Member>,
    /// Of each member, where there are several.
    slices: Vec<(wgpu::Buffer, Bound)>,
    wishes: Wishes,
}

impl Group {
    pub(super) fn new(
        gpu: &Gpu,
        palette: &GpuPalette,
        (plan, group): (&Plan, usize),
        prepared: &PreparedGroup<'_>,
    ) -> Result<Self, GpuError> {
        let springs = GpuSpringRig::new(gpu, prepared.rig, palette)?;
        let members = plan.group(group).members().to_vec();
        let slice = |member: &Member| -> Result<(wgpu::Buffer, Bound), GpuError> {
            let own = gpu.rows("points of a mesh", member.num_points)?;
            let run = [member.first_point as u32, member.num_points as u32, 0, 0];
            let run = gpu.uniform("run of points", &run);
            let buffers = [&run, springs.positions(), &own];
            let bound = Bound::new(gpu, &HAND_OUT, &buffers, member.num_points);
            Ok((own, bound))
        };
        let slices = match &members[..] {
            [_] => Vec::new(),
            several => several.iter().map(slice).collect::<Result<_, _>>()?,
        };
        Ok(Self { springs, members, slices, wishes: Wishes::default() })
    }

    /// Writes over what another rest, or another setting, has changed. False if that cannot be.
    pub(super) fn follow(&mut self, prepared: &PreparedGroup<'_>) -> bool {
        self.springs.refit(prepared.rig)
    }

    /// Takes a frame's wishes.
    pub(super) fn set_frame(
        &mut self,
        controls: &Controls,
        start: GpuStart<'_>,
    ) -> Result<(), GpuError> {
        self.wishes.gather(&self.members, controls);
        let Wishes { pins, edits, region, swell, .. } = &self.wishes;
        self.springs.set_frame(&GpuSpringFrame {
            start,
            pins,
            within: region.as_ref().map(|region| Within { region, base: None }),
            edits,
            iterations: None,
            swell: *swell,
        })
    }

    pub(super) fn encode(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.springs.encode(pass);
        for (_, hand_out) in &self.slices {
            hand_out.encode(pass);
        }
    }

    /// A mesh's points, and how its springs went, unless it is held.
    pub(super) fn of_part(&self, part: usize) -> Option<(&wgpu::Buffer, Option<&wgpu::Buffer>)> {
        let at = self.members.iter().position(|member| member.part == part)?;
        let stats = (!self.members[at].is_held).then(|| self.springs.stats());
        let points = self.slices.get(at).map_or(self.springs.positions(), |(own, _)| own);
        Some((points, stats))
    }
}
