//! Settings that only scale are live: an adjusted rig is what a bind with them gives.

use sinew::progress::Silent;
use sinew::sample::{SampleKind, SampleOptions, build};
use sinew::skin::{Skin, SkinMethod};
use sinew::springs::{
    CoefficientError, Coefficients, PairScale, SpringInput, SpringModel, SpringRig, SpringSettings,
};

fn tables(rig: &SpringRig) -> String {
    format!("{:?} {:?} {:?}", rig.settings(), rig.tables(), rig.skin().map(Skin::tables))
}

fn painted(num_points: usize) -> Coefficients {
    Coefficients {
        torque: 0.5,
        bone: 2.0,
        edge: 0.25,
        length: 1.5,
        compressed: 0.75,
        volume: 0.0,
        across_bones: 0.5,
        across_bones_torque: 0.5,
        across_bones_edge: 2.0,
        of_point: (0..num_points).map(|point| 0.5 + (point % 7) as f32 / 7.0).collect(),
        of_pair: vec![
            PairScale::both([0, 1], 3.0),
            PairScale { torque: 2.0, ..PairScale::both([1, 0], 0.5) },
        ],
    }
}

#[test]
fn an_adjusted_rig_is_what_a_bind_gives_and_so_is_it_on_its_way_back() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let input = SpringInput::of(&character, 0);
    for model in [SpringModel::Anchored, SpringModel::Paper] {
        let plain = SpringSettings::new(model);
        let global = Coefficients { edge: 3.0, volume: 0.5, ..Coefficients::default() };
        let others = [
            SpringSettings { coefficients: global, ..plain.clone() },
            SpringSettings { coefficients: painted(input.positions.len()), ..plain.clone() },
            SpringSettings { iterations: 7, threshold: 0.01, keep_volume: 0.5, ..plain.clone() },
            plain.clone(),
        ];
        let mut rig = SpringRig::bind(&input, &plain, &Silent).unwrap();
        for settings in &others {
            assert_eq!(rig.adjust(settings), Ok(true));
            let bound = SpringRig::bind(&input, settings, &Silent).unwrap();
            assert!(tables(&rig) == tables(&bound), "{settings:?}");
        }
    }
}

#[test]
fn what_needs_a_bind_or_fits_no_mesh_changes_nothing() {
    let character = build(&SampleOptions::new(SampleKind::Cylinder)).unwrap();
    let input = SpringInput::of(&character, 0);
    let plain = SpringSettings::default();
    let mut rig = SpringRig::bind(&input, &plain, &Silent).unwrap();
    let before = tables(&rig);
    let mut elsewhere = plain.clone();
    elsewhere.attach.smoothings += 1;
    for settings in [
        SpringSettings::new(SpringModel::Paper),
        SpringSettings { first_stage: SkinMethod::Linear, ..plain.clone() },
        SpringSettings { coarse_start: false, ..plain.clone() },
        elsewhere,
    ] {
        assert_eq!(rig.adjust(&settings), Ok(false), "{settings:?}");
    }
    let with = |coefficients| SpringSettings { iterations: 3, coefficients, ..plain.clone() };
    let short = with(Coefficients { of_point: vec![1.0], ..Coefficients::default() });
    assert!(matches!(rig.adjust(&short), Err(CoefficientError::PointCount { found: 1, .. })));
    let apart = with(Coefficients {
        of_pair: vec![PairScale::both([0, 0], 1.0)],
        ..Coefficients::default()
    });
    assert_eq!(rig.adjust(&apart), Err(CoefficientError::NoEdge { a: 0, b: 0 }));
    let negative = with(Coefficients { bone: -1.0, ..Coefficients::default() });
    assert!(matches!(rig.adjust(&negative), Err(CoefficientError::BadValue { .. })));
    assert!(tables(&rig) == before, "nothing has changed");
}
