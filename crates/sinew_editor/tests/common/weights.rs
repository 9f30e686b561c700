//! Random edits of weights, some of which cannot be done.

use proptest::prelude::*;
use sinew::glam::DVec3;
use sinew::skeleton::Side;
use sinew::weights::drag::DragRule;
use sinew::weights::mirror::MirrorBy;
use sinew::weights::paint::{Brush, Falloff};
use sinew_editor::{DragText, Held, JointRef, Keeping, LayerEdit, RowText, WeightEdit};

use super::{joint, mesh};

fn layer() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn keep() -> impl Strategy<Value = Keeping> {
    let locked = proptest::collection::vec(joint(), 0..2);
    let layer = proptest::option::weighted(0.2, layer());
    (0..6_usize, locked, layer).prop_map(|(influences, locked, layer)| Keeping {
        influences,
        locked,
        layer,
    })
}

/// Random edits of layers, of which there may be none.
pub(crate) fn layer_edit() -> impl Strategy<Value = LayerEdit> {
    let set = (layer(), -0.1..1.2_f32, any::<bool>(), 0..4_usize);
    let amounts = proptest::collection::vec((0..405_u32, -0.02..1.0_f32), 0..9);
    prop_oneof![
        3 => layer().prop_map(|name| LayerEdit::AddWeightLayer { name, influences: 4 }),
        1 => layer().prop_map(|layer| LayerEdit::RemoveWeightLayer { layer }),
        3 => set.prop_map(|(layer, opacity, muted, place)| LayerEdit::SetWeightLayer {
            layer,
            opacity: Some(opacity),
            muted: Some(muted),
            place: Some(place),
            rename: muted.then(|| "c".to_owned()),
        }),
        2 => (layer(), mesh(), amounts)
            .prop_map(|(layer, mesh, amounts)| LayerEdit::MaskWeightLayer { layer, mesh, amounts }),
        1 => layer().prop_map(|layer| LayerEdit::MergeWeightLayer { layer }),
    ]
}

fn points() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(0..410_u32, 1..20)
}

fn place() -> impl Strategy<Value = DVec3> {
    (-0.6..0.6_f64, -0.2..2.2_f64, -0.6..0.6_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

fn row() -> impl Strategy<Value = RowText> {
    (0..405_u32, proptest::collection::vec((0..4_u32, -0.02..1.0_f32), 1..4))
}

pub(crate) fn weight_edit() -> impl Strategy<Value = WeightEdit> {
    let brush = proptest::sample::select(Brush::ALL.to_vec());
    let falloff = proptest::sample::select(Falloff::ALL.to_vec());
    let joints = proptest::collection::vec(joint(), 1..4);
    let rows = proptest::collection::vec(row(), 0..6);
    let held = |is_held: bool| {
        is_held.then(|| Held { pose: String::new(), weight: 1.0 }).into_iter().collect()
    };
    prop_oneof![
        4 => (mesh(), joints, rows)
            .prop_map(|(mesh, joints, rows)| WeightEdit::SetWeights {
                mesh,
                layer: None,
                own: false,
                joints,
                rows
            }),
        4 => (mesh(), points(), place(), 0.0..0.5_f64, any::<bool>(), keep()).prop_map(
            move |(mesh, points, by, radius, is_held, keep)| WeightEdit::DragPoints {
                mesh,
                points,
                motion: DragText::By(0.3 * by),
                radius,
                hold: held(is_held),
                further: vec![JointRef::from("bone_1")],
                rule: if is_held { DragRule::Fewest } else { DragRule::Least },
                smoothness: 1.0,
                keep,
            }
        ),
        4 => (mesh(), joint(), brush, falloff, proptest::collection::vec(place(), 1..4), keep())
            .prop_map(|(mesh, joint, brush, falloff, dabs, keep)| WeightEdit::PaintWeights {
                mesh,
                joint,
                brush,
                dabs,
                radius: 0.3,
                strength: 0.7,
                falloff,
                value: 0.8,
                through: false,
                symmetric: false,
                keep,
            }),
        1 => (mesh(), points(), keep()).prop_map(|(mesh, points, keep)| {
            WeightEdit::SmoothWeights { mesh, points, times: 2, share: 0.5, keep }
        }),
        1 => (joint(), keep()).prop_map(|(joint, keep)| WeightEdit::PruneWeights {
            meshes: vec![],
            points: vec![],
            least: 0.05,
            without: vec![joint],
            keep
        }),
        1 => (mesh(), points(), keep())
            .prop_map(|(mesh, points, keep)| WeightEdit::FillWeights { mesh, points, keep }),
        1 => (mesh(), points(), joint(), 0.0..1.1_f64, keep()).prop_map(
            |(mesh, points, joint, value, keep)| WeightEdit::FloodWeights {
                mesh,
                points,
                joint,
                brush: Brush::Add,
                value,
                share: 1.0,
                keep
            }
        ),
        1 => (mesh(), points(), keep())
            .prop_map(|(mesh, points, keep)| WeightEdit::AverageWeights { mesh, points, keep }),
        // No side in its names.
        1 => keep().prop_map(|keep| WeightEdit::MirrorWeights {
            from: Side::Left,
            by: MirrorBy::Position,
            keep
        }),
        1 => (joint(), keep()).prop_map(|(joint, keep)| WeightEdit::BindWeights {
            method: "distance".into(),
            deform: vec![],
            left_out: vec![joint],
            keep
        }),
        1 => (mesh(), points(), joint(), keep()).prop_map(|(to, points, joint, keep)| {
            WeightEdit::TransferWeights {
                from: vec![],
                to,
                points,
                joints: vec![joint],
                mix: 0.7,
                distance: 0.1,
                degrees: 80.0,
                keep,
            }
        }),
        1 => keep().prop_map(|keep| WeightEdit::RepairWeights { mends: vec![], keep }),
        1 => Just(WeightEdit::ResetWeights { meshes: vec![] }),
    ]
}
