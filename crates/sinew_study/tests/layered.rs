//! What issue 16 asks of figures and springs on characters of many shells, on the project's own
//! dressed samples. `docs/methods/layered.md` has the figures of real ones.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use sinew::sample::SampleKind;
use sinew_study::layered::{self, verdict};
use sinew_study::method::APART;
use sinew_study::study::{Cell, Filter, run};

/// Linear, springs that leave shells alone, and springs that hold them, in two poses.
fn cells(kind: SampleKind) -> Vec<Cell> {
    let subjects = [layered::sample(kind).unwrap()];
    let methods = ["linear", APART, "anchored"];
    let filter = Filter {
        methods: methods.map(|name| format!("={name}")).to_vec(),
        poses: vec!["squat".into(), "arms up".into()],
        ..Filter::default()
    };
    let outcome = run(&subjects, &filter, &|_, _, _, _, _| {});
    assert_eq!(outcome.skipped, []);
    assert_eq!(outcome.cells.len(), 6);
    outcome.cells
}

fn holds(cells: &[Cell], method: &str, asked: &str) -> bool {
    let verdicts = verdict::of_shapes(cells, method);
    verdicts.iter().find(|one| one.asked.starts_with(asked)).unwrap().holds
}

#[test]
fn the_figures_condemn_springs_that_leave_shells_alone_and_praise_those_that_hold_them() {
    for kind in SampleKind::DRESSED {
        let cells = cells(kind);
        for asked in ["tied p95 below", "tied max below", "penetrations below"] {
            assert!(!holds(&cells, APART, asked), "{} {asked}", kind.name());
        }
        let kept = ["tied p95 not above", "rigid deviation not above"];
        let below = ["tied p95 below", "tied max below", "penetrations below"];
        for asked in kept.into_iter().chain(below) {
            let verdicts = verdict::of_shapes(&cells, "anchored");
            assert!(holds(&cells, "anchored", asked), "{} {asked}: {verdicts:?}", kind.name());
        }
    }
}
