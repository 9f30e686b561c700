//! Studies of one subject.

use sinew_study::goals;
use sinew_study::study::{Cell, Filter, run};
use sinew_study::subject::Subject;

pub(crate) fn filter(methods: &[&str], poses: &[&str]) -> Filter {
    let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect();
    Filter { methods: words(methods), poses: words(poses), ..Filter::default() }
}

pub(crate) fn cells(subject: Subject, methods: &[&str]) -> Vec<Cell> {
    let outcome = run(&[subject], &filter(methods, &[]), &|_, _, _, _, _| {});
    assert_eq!(outcome.skipped, []);
    outcome.cells
}

/// Every goal of a subject; at least one, so that a misspelt name cannot pass.
pub(crate) fn meets_its_goals(subject: Subject) {
    let name = subject.name.clone();
    let cells = cells(subject, &["=anchored"]);
    let mut num_checked = 0;
    for goal in goals::all().iter().filter(|goal| goal.subject == name) {
        let (value, is_met) = goal.check(&cells, "anchored").unwrap();
        let (pose, figure) = (goal.pose, goal.figure.name());
        assert!(is_met, "{name}, {pose}: {figure} {value:?} is not within {:?}", goal.within);
        num_checked += 1;
    }
    assert!(num_checked > 0, "there are goals for {name}");
}
