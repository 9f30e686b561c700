//! Whole runs: the same bits every time, frames from joints to normals, and a fault that must be caught.

use glam::Vec3;
use sinew::conformance::FixturePose;
use sinew::mesh::{Adjacency, SurfaceNormals};
use sinew::sample::SampleKind;
use sinew::skeleton::Palette;
use sinew::springs::{Coefficients, PairScale, SpringFrame, SpringModel, SpringSettings};
use sinew_gpu::{Gpu, GpuFrame, GpuPalette, GpuSpringFrame, GpuSpringRig};

use super::{
    NUM_POINTS, bind, curled, diagonal, largest_difference, on_card, on_cpu, sample, tolerance,
    with_forces,
};

/// Unit normals of surfaces that differ by a millionth or so: a triangle's turns by the difference over its height.
const NORMAL_TOLERANCE: f64 = 1e-3;

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

/// A hundredth more of one coefficient, and of one pair's stiffness at the bend, where springs work.
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
        let paired = off_by(&|c| c.of_pair = vec![PairScale::both(pair, 1.01)]);
        assert!(paired > tolerance(model), "{model:?}: {paired:.2e} of a pair goes unnoticed");
    }
}

pub(super) fn whole_frames(gpu: &Gpu) {
    let character = sample(SampleKind::Arm, 1_000);
    let mesh = &character.parts[0].mesh;
    let surface = SurfaceNormals::bind(mesh, 1.0);
    let pose = FixturePose::Bent.of(&character);
    let palette = Palette::new(&character.skeleton, &pose);
    let rig = bind(&character, &SpringSettings::default());
    let (expected, _) = on_cpu(&rig, &SpringFrame::new(&palette));
    let mut expected_normals = vec![Vec3::ZERO; surface.num_wedges()];
    surface.compute(&expected, &mut expected_normals);
    let mut frame =
        GpuFrame::with_springs(gpu, &character.skeleton, &rig, Some(&surface)).expect("it fits");
    let mut points = vec![Vec3::NAN; frame.num_points()];
    let mut normals = vec![Vec3::NAN; frame.num_normals()];
    for by_pose in [false, true] {
        let times = if by_pose { frame.run_pose(&pose) } else { frame.run(&palette) };
        assert_eq!(times.expect("the card answers").compute_ms.is_some(), gpu.has_timestamps());
        assert!(frame.read(&mut points, &mut normals).expect("the card answers") > 0.0);
        let difference = largest_difference(&points, &expected) / diagonal(&character);
        assert!(
            difference <= tolerance(SpringModel::Anchored),
            "by pose {by_pose}: {difference:.2e}"
        );
        let turned = largest_difference(&normals, &expected_normals);
        assert!(turned <= NORMAL_TOLERANCE, "by pose {by_pose}: {turned:.2e}");
    }
    let wishes = GpuSpringFrame { iterations: Some(7), ..GpuSpringFrame::default() };
    frame.springs_mut().expect("there are springs").set_frame(&wishes).expect("it fits");
    frame.submit(&palette);
    assert_eq!(
        frame
            .springs()
            .expect("there are springs")
            .read_stats()
            .expect("the card answers")
            .iterations,
        7
    );
}
