//! Points of the skin: by a click, a box, a lasso; in sight or through.

use sinew::glam::Vec2;
use sinew_editor::tool::{Hit, Picking, Picks, SelectTool};

use crate::common::user::{CONTROL, PLAIN, SHIFT, User};
use crate::sight::{HANGS, show};

/// A user who sees the skin and picks points of it.
fn user(picking: Picking) -> (User, std::sync::mpsc::Receiver<()>) {
    let mut user = User::with(SelectTool::default());
    let found = show(&mut user);
    user.session.picking = Picking { picks: Picks::Points, ..picking };
    (user, found)
}

impl User {
    /// Draws a way, and waits for what it takes.
    fn draws(&mut self, way: &[Vec2], found: &std::sync::mpsc::Receiver<()>) -> usize {
        self.drag(way, PLAIN);
        while self.session.tool().is_waiting() {
            found.recv_timeout(HANGS).expect("the picker hangs");
            self.session.poll(&mut self.editor).unwrap();
        }
        self.session.selection.num_points()
    }
}

const EVERYTHING: [Vec2; 3] =
    [Vec2::new(1.0, 1.0), Vec2::new(600.0, 400.0), Vec2::new(1279.0, 799.0)];

#[test]
fn a_box_takes_what_is_in_sight_and_through_the_skin_all_of_it() {
    let (mut user, found) = user(Picking::default());
    let all = user.editor.document().character().num_points();
    let in_sight = user.draws(&EVERYTHING, &found);
    // Of a closed body a good part faces away; not all of the rest hides.
    assert!((all / 5..4 * all / 5).contains(&in_sight), "{in_sight} of {all}");
    user.session.picking.goes_through = true;
    assert_eq!(user.draws(&EVERYTHING, &found), all);
    user.drag(&EVERYTHING, CONTROL);
    assert!(user.session.selection.is_empty());
    assert_eq!(user.editor.history().done().len(), 0, "choosing is no edit");
}

#[test]
fn a_lasso_takes_less_than_its_box() {
    let through = Picking { goes_through: true, ..Picking::default() };
    let (mut user, found) = user(through);
    let center = user.bone("spine");
    let corner = |x: f32, y: f32| center + 200.0 * Vec2::new(x, y);
    let boxed = user.draws(&[corner(-1.0, -1.0), corner(1.0, 1.0)], &found);
    user.session.picking.by_lasso = true;
    let triangle = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(-1.0, 1.0)];
    let lassoed = user.draws(&triangle, &found);
    assert!(lassoed > 0 && lassoed < boxed, "{lassoed} of {boxed}");
}

#[test]
fn a_click_takes_the_point_that_the_pointer_named() {
    let (mut user, found) = user(Picking::default());
    let at = user.bone("spine");
    assert_eq!(user.draws(&[at], &found), 1);
    user.moves(at);
    let Some(Hit::Point { part, point }) = user.session.hovered else {
        panic!("{:?}", user.session.hovered);
    };
    assert!(user.session.selection.has_point(part, point));
    // Again with Shift takes it out.
    user.drag(&[at], SHIFT);
    assert_eq!(user.session.selection.num_points(), 0);
}
