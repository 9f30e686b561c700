//! `--device gpu`: the points of a plan's frames on the card, mesh by mesh. A mesh whose rest has moved since it was bound is the
//! processor's.

use sinew::frame::{Controls, Frame, Mover, PartPlan, Plan, Scratch};
use sinew::skeleton::Palette;
use sinew::springs::SpringStats;
use sinew_gpu::{Gpu, GpuError, GpuFrame};

/// What the card took for all meshes, in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CardTimes {
    /// Recording and submitting.
    pub(crate) dispatch_ms: f64,
    /// By the card's clock; `None` where it shows none.
    pub(crate) compute_ms: Option<f64>,
    pub(crate) read_back_ms: f64,
}

/// A plan on a card.
pub(crate) struct OnCard {
    plan: Plan,
    scratch: Scratch,
    /// One a mesh; `None` where nothing moves it.
    parts: Vec<Option<GpuFrame>>,
}

impl OnCard {
    pub(crate) fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, GpuError> {
        let upload = |part: &PartPlan| match part.mover() {
            Mover::AtRest => Ok(None),
            Mover::Skin(skin) => GpuFrame::new(gpu, plan.skeleton(), skin, None).map(Some),
            Mover::Springs(rig) => {
                GpuFrame::with_springs(gpu, plan.skeleton(), rig, None).map(Some)
            }
        };
        let parts = plan.parts().map(upload).collect::<Result<_, _>>()?;
        Ok(Self { plan: plan.clone(), scratch: plan.scratch(), parts })
    }

    /// Makes a frame and reads it back.
    pub(crate) fn run(
        &mut self,
        controls: &Controls,
        frame: &mut Frame,
    ) -> Result<CardTimes, GpuError> {
        let Self { plan, scratch, parts } = self;
        let mut times = CardTimes::default();
        let mut failed = None;
        plan.run_elsewhere(controls, scratch, frame, &mut |part, palette, points, normals| {
            let part = parts[part].as_ref()?;
            run_part(part, palette, (points, normals), &mut times).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                None
            })
        });
        failed.map_or(Ok(times), Err)
    }
}

fn run_part(
    part: &GpuFrame,
    palette: &Palette,
    (points, normals): (&mut [glam::Vec3], &mut [glam::Vec3]),
    times: &mut CardTimes,
) -> Result<Option<SpringStats>, GpuError> {
    let of_part = part.run(palette)?;
    times.read_back_ms += part.read(points, normals)?;
    times.dispatch_ms += of_part.dispatch_ms;
    times.compute_ms = of_part.compute_ms.map(|ms| times.compute_ms.unwrap_or_default() + ms);
    part.springs().map(|springs| springs.read_stats()).transpose()
}
