//! From the window's events to the camera and to the tool in hand.

use eframe::egui::{self, PointerButton, Rect, TouchPhase};
use sinew::glam::Vec2;
use sinew_editor::View;
use sinew_editor::tool::{Event, Key, Modifiers};

use crate::keymap::CameraDrag;
use crate::studio::Studio;

/// Who has the mouse until a button is let go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Capture {
    pane: usize,
    button: PointerButton,
    by: By,
    last: egui::Pos2,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Camera(CameraDrag),
    Tool,
}

/// Hands on what happened over a view.
pub(crate) fn handle(
    studio: &mut Studio,
    ui: &egui::Ui,
    (pane, rect, view): (usize, Rect, View),
    response: &egui::Response,
) {
    let is_captured = studio.views.state.capture.is_some_and(|capture| capture.pane == pane);
    let is_over = response.contains_pointer();
    if is_over {
        studio.views.state.hovered_pane = Some(pane);
    } else if studio.views.state.hovered_pane == Some(pane) {
        studio.views.state.hovered_pane = None;
        studio.session.hovered = None;
    }
    if !is_captured && (!is_over || studio.views.state.capture.is_some()) {
        return;
    }
    studio.take_in_hand(pane);
    let scale = ui.pixels_per_point();
    let pixel = |at: egui::Pos2| Vec2::new(at.x - rect.left(), at.y - rect.top()) * scale;
    let (events, modifiers, scroll, zoom) =
        ui.input(|i| (i.events.clone(), i.modifiers, i.smooth_scroll_delta().y, i.zoom_delta()));
    studio.session.view = view;
    for event in events {
        match event {
            egui::Event::PointerButton { pos, button, pressed: true, modifiers } => {
                studio.views.state.pointer = Some(pixel(pos));
                press(studio, (pane, pos, pixel(pos)), button, modifiers);
            }
            egui::Event::PointerButton { pos, button, pressed: false, .. }
                if studio.views.state.capture.is_some_and(|capture| capture.button == button) =>
            {
                let by_tool = studio.views.state.capture.take().is_some_and(|c| c.by == By::Tool);
                // Beside everything the button went down for the tool, too: a click there chooses
                // nothing.
                if by_tool || studio.session.is_beside() {
                    studio.dispatch(&Event::Released { at: pixel(pos) });
                }
            }
            // It comes before what egui makes of it for the pointer.
            egui::Event::Touch { phase, force, .. } => {
                let is_down = matches!(phase, TouchPhase::Start | TouchPhase::Move);
                let force = force.filter(|force| is_down && force.is_finite());
                studio.session.pressure = force.map(|force| force.clamp(0.0, 1.0));
            }
            egui::Event::PointerMoved(pos) => {
                studio.views.state.pointer = Some(pixel(pos));
                moved(studio, (pane, pos, pixel(pos)), tool_modifiers(modifiers), view);
            }
            _ => {}
        }
    }
    if is_over && (scroll != 0.0 || zoom != 1.0) {
        // With Control held egui turns the wheel into a zoom.
        studio.views.navigator.wheel(scroll + 200.0 * zoom.max(1e-3).ln());
    }
}

fn press(
    studio: &mut Studio,
    (pane, pos, at): (usize, egui::Pos2, Vec2),
    button: PointerButton,
    modifiers: egui::Modifiers,
) {
    if studio.views.state.capture.is_some() {
        return;
    }
    let capture = |by| Some(Capture { pane, button, by, last: pos });
    let is_modal = studio.workspace.editor().is_open();
    if button == PointerButton::Secondary {
        studio.views.state.refuses_menu = is_modal;
    }
    if is_modal && button == PointerButton::Secondary {
        studio.dispatch(&Event::Key(Key::Escape));
        return;
    }
    if let Some(drag) = studio.settings.keymap.camera_drag(button, modifiers) {
        studio.views.state.capture = capture(By::Camera(drag));
        return;
    }
    if button != PointerButton::Primary {
        return;
    }
    if !studio.has_tool_for(pane) {
        studio.views.state.capture = capture(By::Camera(CameraDrag::Orbit));
        return;
    }
    studio.dispatch(&Event::Pressed { at, modifiers: tool_modifiers(modifiers) });
    // A drag that begins beside every bone turns the view, and what is chosen stays: nobody need
    // know of buttons to look around.
    let has_nothing = !studio.workspace.editor().is_open()
        && !studio.session.tool().has_pointer()
        && studio.session.selection.is_empty();
    let is_beside = has_nothing || studio.session.is_beside();
    studio.views.state.capture =
        capture(if is_beside { By::Camera(CameraDrag::Orbit) } else { By::Tool });
}

fn moved(
    studio: &mut Studio,
    (pane, pos, at): (usize, egui::Pos2, Vec2),
    modifiers: Modifiers,
    view: View,
) {
    let has_tool = studio.has_tool_for(pane);
    match &mut studio.views.state.capture {
        Some(Capture { by: By::Camera(drag), last, .. }) => {
            let delta = pos - *last;
            let drag = *drag;
            *last = pos;
            studio.views.navigator.drag(drag, Vec2::new(delta.x, delta.y), view.size);
            studio.session.looks_around(at);
            studio.session.hovered = None;
        }
        None if !has_tool => {}
        Some(Capture { by: By::Tool, .. }) | None => {
            studio.dispatch(&Event::Moved { at, modifiers });
        }
    }
}

fn tool_modifiers(modifiers: egui::Modifiers) -> Modifiers {
    Modifiers { shift: modifiers.shift, control: modifiers.command }
}

/// A key as tools know it.
pub(crate) fn tool_key(key: egui::Key) -> Option<Key> {
    Some(match key {
        egui::Key::Enter => Key::Enter,
        egui::Key::Escape => Key::Escape,
        egui::Key::Backspace => Key::Backspace,
        egui::Key::Minus => Key::Char('-'),
        egui::Key::Period => Key::Char('.'),
        egui::Key::X => Key::Char('x'),
        egui::Key::Y => Key::Char('y'),
        egui::Key::Z => Key::Char('z'),
        egui::Key::T => Key::Char('t'),
        egui::Key::N => Key::Char('n'),
        other => {
            let name = other.symbol_or_name();
            let mut chars = name.chars();
            match (chars.next(), chars.next()) {
                (Some(c @ '0'..='9'), None) => Key::Char(c),
                _ => return None,
            }
        }
    })
}
