//! Whole runs: the same bits every time, and a fault that must be caught.

use sinew::conformance::FixturePose;
use sinew::mesh::Adjacency;
use sinew::sample::SampleKind;
use sinew::skeleton::Palette;
use sinew::springs::{Coefficients, PairScale, SpringFrame, SpringModel, SpringSettings};
use sinew_gpu::{Gpu, GpuPalette, GpuSpringFrame, GpuSpringRig};

use super::{
    NUM_POINTS, bind, curled, diagonal, largest_difference, on_card, on_cpu, sample, tolerance,
    with_forces,
};

pub(super) fn same_bits(gpu: &Gpu) {
    let character = sample(SampleKind::Chibi, NUM_POINTS);
    let palette = Palette::new(&character.skeleton, &FixturePose::Bent.of(&character));
    for model in SpringModel::ALL {
        let rig = bind(&character, &SpringSettings::new(model));
        let frame = SpringFrame::new(&palette);
        let (first, first_stats) = on_card(gpu, &rig, &frame);
        let on_card_palette = GpuPalette::new(gpu, palette.len()).expect("it fits");
        let mut card = GpuSpringRig::new(gpu, &rig, &on_card_palette).expect("it fits");
        on_card_palette.upload(&palette);
        for run in 0..3 {
            card.deform(&GpuSpringFrame::default()).expect("it fits");
            let again = card.read_positions().expect("the card answers");
            assert!(first == again, "{model:?}: run {run} has other bits");
            assert_eq!(first_stats, card.read_stats().expect("the card answers"), "{model:?}");
        }
    }
}

/// A hundredth more of one coefficient and, of the paper's, of one pair's stiffness at the bend,
/// where springs work.
pub(super) fn negative_control(gpu: &Gpu) {
    let character = sample(SampleKind::Cylinder, 1_000);
    let palette = curled(&character, 60.0, 0.0);
    let frame = SpringFrame::new(&palette);
    let adjacency = Adjacency::of(&character.parts[0].mesh);
    let middle = character.parts[0].mesh.bounds().center();
    let edge = adjacency.edges().iter().min_by(|a, b| {
        let off = |edge: &sinew::mesh::Edge| {
            (character.parts[0].mesh.points()[edge.points[0] as usize].y - middle.y).abs()
        };
        off(a).total_cmp(&off(b))
    });
    let pair = edge.expect("there are edges").points;
    for model in with_forces() {
        let settings = SpringSettings::new(model);
        let (expected, _) = on_cpu(&bind(&character, &settings), &frame);
        let off_by = |change: &dyn Fn(&mut Coefficients)| {
            let mut perturbed = settings.clone();
            change(&mut perturbed.coefficients);
            let (found, _) = on_card(gpu, &bind(&character, &perturbed), &frame);
            largest_difference(&found, &expected) / diagonal(&character)
        };
        assert!(off_by(&|_| {}) <= tolerance(model), "{model:?}");
        let scaled = off_by(&|c| c.edge *= 1.01);
        assert!(scaled > tolerance(model), "{model:?}: {scaled:.2e} goes unnoticed");
        // One pair of anchored's moves its answer by 4.7e-7, which is less than twins differ by.
        if model == SpringModel::Paper {
            let paired = off_by(&|c| c.of_pair = vec![PairScale::both(pair, 1.01)]);
            assert!(paired > tolerance(model), "{paired:.2e} of a pair goes unnoticed");
        }
    }
}
