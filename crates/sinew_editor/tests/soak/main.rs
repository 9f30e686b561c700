//! A short soak: random edits, undo, saves, kills at any byte, full disks and two studios, with a
//! model of what must be there. `cargo xtask soak --minutes N` goes on for longer.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and may talk"
)]

mod edits;
mod faulty;
mod model;
#[path = "../../../sinew_io/tests/common/random.rs"]
mod random;

#[test]
fn a_hundred_lives_lose_no_edit_and_break_no_file() {
    let mut counts = model::Counts::default();
    for life in 1..=4 {
        let folder = tempfile::tempdir().unwrap();
        model::World::new(folder.path(), life).live(25, &mut counts);
    }
    eprintln!("{counts}");
    assert!(counts.is_clean(), "{counts}");
    assert!(counts.kills == 100 && counts.edits > 500, "{counts}");
    assert!(counts.full_disks > 10 && counts.recoveries > 30 && counts.saves > 50, "{counts}");
}
