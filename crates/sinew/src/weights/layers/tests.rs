use proptest::prelude::*;

use super::*;

const NUM_JOINTS: usize = 6;
/// Rows in 32 bits, mixed a few times.
const ROUNDING: f64 = 2e-6;

fn row(weights: &[(u32, f32)]) -> Vec<Influence> {
    SkinWeights::from_rows([weights.iter().copied()], NUM_JOINTS).0.row(0).to_vec()
}

fn weight(row: &[Influence], joint: u32) -> f64 {
    row.iter().find(|i| i.joint == joint).map_or(0.0, |i| f64::from(i.weight))
}

/// Three points of joint 0.
fn plain() -> WeightLayers {
    WeightLayers::over(vec![Some(SkinWeights::rigid(&[0, 0, 0]))], 4)
}

fn with_layer(mut layers: WeightLayers, name: &str, rows: &[PointRow]) -> WeightLayers {
    layers.layers.push(WeightLayer::new(name, 1));
    let at = layers.layers.len() - 1;
    layers.with_own(0, Some(at), rows)
}

#[test]
fn what_counts_wholly_is_seen_to_the_bit_and_half_of_it_is_mixed() {
    let own = row(&[(1, 0.3), (2, 0.7)]);
    let mut layers = with_layer(plain(), "a", &[(1, own.clone())]);
    let seen = layers.seen(0).unwrap();
    assert_eq!(seen.row(1), own);
    assert_eq!(seen.row(0), row(&[(0, 1.0)]));
    layers.layers[0].opacity = 0.5;
    let seen = layers.seen_row(0, 1).unwrap();
    assert!(
        (weight(&seen, 0) - 0.5).abs() < ROUNDING && (weight(&seen, 2) - 0.35).abs() < ROUNDING
    );
    let masked = LayerRows::with_mask(&layers.layers[0].of_part[0], &[(1, 0.5), (2, 1.0)]);
    layers.layers[0].of_part[0] = masked;
    assert!((weight(&layers.seen_row(0, 1).unwrap(), 0) - 0.75).abs() < ROUNDING);
    // A mask makes no rows.
    assert_eq!(layers.layers[0].of_part[0].points(), [1]);
    layers.layers[0].is_muted = true;
    assert_eq!(layers.seen(0), layers.base[0]);
}

#[test]
fn higher_layers_cover_lower_ones_and_their_order_counts() {
    let layers = with_layer(plain(), "a", &[(0, row(&[(1, 1.0)]))]);
    let mut layers = with_layer(layers, "b", &[(0, row(&[(2, 1.0)]))]);
    assert_eq!(layers.seen_row(0, 0).unwrap(), row(&[(2, 1.0)]));
    layers.layers.swap(0, 1);
    assert_eq!(layers.seen_row(0, 0).unwrap(), row(&[(1, 1.0)]));
}

#[test]
fn a_layer_that_counts_in_part_goes_as_far_as_it_reaches() {
    let mut layers = with_layer(plain(), "a", &[]);
    layers.layers[0].opacity = 0.5;
    let wanted = [(1, row(&[(3, 1.0)]))];
    let rows = layers.bring(0, Some(0), &wanted, &RowRules::default());
    let seen = layers.with_own(0, Some(0), &rows).seen_row(0, 1).unwrap();
    assert!((weight(&seen, 3) - 0.5).abs() < ROUNDING, "{seen:?}");
    // What it reaches is exact.
    let wanted = [(1, row(&[(0, 0.7), (3, 0.3)]))];
    let rows = layers.bring(0, Some(0), &wanted, &RowRules::default());
    let seen = layers.with_own(0, Some(0), &rows).seen_row(0, 1).unwrap();
    assert!((weight(&seen, 3) - 0.3).abs() < ROUNDING, "{seen:?}");
}

#[test]
fn a_row_that_grew_where_a_layer_counts_in_part_is_seen_within_the_budget() {
    // Seen are 0 to 3; 4 and 5 are to come for 1 and 3, and what the layer has of 1 is used up
    // before it is free of 3.
    let base = SkinWeights::from_rows([[(0, 0.8), (1, 0.2)]], NUM_JOINTS).0;
    let mut layers = WeightLayers::over(vec![Some(base)], 4);
    let own = row(&[(0, 0.1), (1, 0.2), (2, 0.4), (3, 0.3)]);
    layers = with_layer(layers, "a", &[(0, own)]);
    layers.layers[0].opacity = 0.5;
    let wanted = [(0, row(&[(0, 0.45), (2, 0.2), (4, 0.2), (5, 0.15)]))];
    let rows = layers.bring(0, Some(0), &wanted, &RowRules::default());
    assert!(rows[0].1.len() > 4, "{rows:?}");
    layers = layers.with_own(0, Some(0), &rows);
    for opacity in [0.0, 0.3, 0.5, 1.0] {
        layers.layers[0].opacity = opacity;
        let seen = layers.seen_row(0, 0).unwrap();
        assert!(seen.len() <= 4, "{opacity}: {seen:?}");
        assert!(layers.merged_down(0).seen_row(0, 0).unwrap().len() <= 4);
    }
}

#[test]
fn what_another_layer_covers_stays() {
    let layers = with_layer(plain(), "a", &[(0, row(&[(1, 1.0)]))]);
    let wanted = [(0, row(&[(2, 1.0)])), (1, row(&[(2, 1.0)]))];
    let rows = layers.bring(0, None, &wanted, &RowRules::default());
    assert_eq!(rows, [(1, row(&[(2, 1.0)]))]);
}

prop_compose! {
    fn any_row()(joints in prop::collection::vec((0u32..NUM_JOINTS as u32, 0.01f32..1.0), 1..4))
        -> Vec<Influence> { row(&joints) }
}

fn entry() -> impl Strategy<Value = (u32, Vec<Influence>, f32)> {
    (0u32..3, any_row(), 0f32..1.3)
}

prop_compose! {
    fn any_layers()(
        base in prop::collection::vec(any_row(), 3),
        layers in prop::collection::vec(
            (0.0f32..1.2, any::<bool>(), prop::collection::vec(entry(), 0..4)),
            0..4,
        ),
    ) -> WeightLayers {
        let rows = base.iter().map(|row| row.iter().map(|i| (i.joint, i.weight)));
        let base = SkinWeights::from_rows(rows.map(Vec::from_iter), NUM_JOINTS).0;
        let mut out = WeightLayers::over(vec![Some(base)], 3);
        for (opacity, is_muted, entries) in layers {
            let mut layer = WeightLayer::new("some", 1);
            layer.opacity = opacity.min(1.0);
            layer.is_muted = is_muted;
            let rows: Vec<PointRow> = entries.iter().map(|e| (e.0, e.1.clone())).collect();
            let mask: Vec<(u32, f32)> = entries.iter().map(|e| (e.0, e.2)).collect();
            layer.of_part[0] = LayerRows::default().with_rows(&rows).with_mask(&mask);
            out.layers.push(layer);
        }
        out
    }
}

proptest! {
    #[test]
    fn what_is_seen_sums_to_one_within_the_budget_and_merging_changes_little(
        layers in any_layers(),
    ) {
        for point in 0..3 {
            let seen = layers.seen_row(0, point).unwrap();
            let sum: f64 = seen.iter().map(|i| f64::from(i.weight)).sum();
            prop_assert!((sum - 1.0).abs() < 1e-6);
            prop_assert!(seen.len() <= 3);
            prop_assert!(seen.is_sorted_by(|a, b| a.joint < b.joint));
        }
        // Without a budget, since that acts once in the end.
        let open = WeightLayers { max_influences: NUM_JOINTS, ..layers };
        if !open.layers.is_empty() {
            let merged = open.merged_down(open.layers.len() - 1);
            for point in 0..3 {
                let (a, b) = (open.seen_row(0, point).unwrap(), merged.seen_row(0, point).unwrap());
                for joint in 0..NUM_JOINTS as u32 {
                    prop_assert!((weight(&a, joint) - weight(&b, joint)).abs() < ROUNDING);
                }
            }
        }
    }

    #[test]
    fn bringing_keeps_sums_budget_and_locks(
        layers in any_layers(),
        at in 0usize..5,
        point in 0u32..3,
        wanted in any_row(),
        locked in prop::collection::vec(any::<bool>(), NUM_JOINTS),
    ) {
        let layer = (at < layers.layers.len()).then_some(at);
        let rules = RowRules { max_influences: 3, locked };
        let before = layers.seen_row(0, point).unwrap();
        let mix: Vec<(u32, f64)> = wanted.iter().map(|i| (i.joint, f64::from(i.weight))).collect();
        let wanted = rules.finish(&before, &mix, None);
        let rows = layers.bring(0, layer, &[(point, wanted)], &rules);
        let after = layers.with_own(0, layer, &rows).seen_row(0, point).unwrap();
        let sum: f64 = after.iter().map(|i| f64::from(i.weight)).sum();
        prop_assert!((sum - 1.0).abs() < 1e-6);
        prop_assert!(after.len() <= 3);
        for joint in (0..NUM_JOINTS as u32).filter(|&joint| rules.is_locked(joint)) {
            prop_assert!((weight(&after, joint) - weight(&before, joint)).abs() < ROUNDING);
        }
    }

    #[test]
    fn rows_and_masks_come_back_as_they_were_put(
        first in prop::collection::vec((0u32..20, any_row()), 0..12),
        then in prop::collection::vec((0u32..20, any_row()), 0..12),
    ) {
        let rows = LayerRows::default().with_rows(&first).with_rows(&then);
        prop_assert!(rows.points().is_sorted_by(|a, b| a < b));
        for point in 0..20 {
            let last = |list: &[PointRow]| {
                list.iter().rev().find(|(p, _)| *p == point).map(|(_, row)| row.clone())
            };
            let expected = last(&then).or_else(|| last(&first));
            prop_assert_eq!(rows.get(point).map(|(row, _)| row.to_vec()), expected);
        }
    }
}
