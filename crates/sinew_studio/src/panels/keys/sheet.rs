//! The dope sheet: a row a joint, a mark a key.

use std::ops::RangeInclusive;

use eframe::egui::{self, Align2, Color32, PointerButton, Pos2, Rect, Sense, Stroke};
use sinew::Character;
use sinew::motion::{Address, Motion, SAME_TIME_SECONDS};
use sinew_editor::name_of;

use super::sight::{TimeScale, look_around};
use super::{Drag, KeysPanel};
use crate::studio::Studio;

const ROW_HEIGHT: f32 = 17.0;
const LABEL_WIDTH: f32 = 150.0;
const RULER_HEIGHT: f32 = 18.0;
/// A press this near to a key takes it.
const GRAB_PX: f32 = 6.0;
const MARK_PX: f32 = 4.5;
/// Marks that are nearer to one another than this are one bar: a capture has a key a frame.
const APART_PX: f32 = 3.0;

/// Channels that share a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) joint: Option<u32>,
    pub(super) addresses: Vec<Address>,
}

/// A joint's channels in one row, shapes and settings each in their own.
pub(super) fn rows(motion: &Motion, layer: usize, character: &Character) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for channel in motion.layers[layer].channels() {
        let address = channel.address();
        let joint = address.joint_index().map(|joint| joint as u32);
        let is_of_cage = |address: Address| matches!(address, Address::Handle(_));
        match rows.last_mut() {
            // All handles of the cage share one.
            Some(row) if is_of_cage(address) && is_of_cage(row.addresses[0]) => {
                row.addresses.push(address);
            }
            Some(row) if joint.is_some() && row.joint == joint => row.addresses.push(address),
            _ => {
                let label = match joint {
                    Some(joint) => character.skeleton.joints()[joint as usize].name.clone(),
                    None if is_of_cage(address) => "Cage".to_owned(),
                    None => name_of(character, address),
                };
                rows.push(Row { label, joint, addresses: vec![address] });
            }
        }
    }
    // The cage is one row, and would be below all others.
    if rows.last().is_some_and(|row| matches!(row.addresses[0], Address::Handle(_))) {
        rows.rotate_right(1);
    }
    rows
}

/// A key of a row, with those of its other channels at the same time.
struct Mark {
    seconds: f64,
    addresses: Vec<Address>,
}

/// The keys of a row within some time, those at one time together.
fn marks(row: &Row, motion: &Motion, layer: usize, within: RangeInclusive<f64>) -> Vec<Mark> {
    let mut keys: Vec<(f64, Address)> = Vec::new();
    for &address in &row.addresses {
        let Some(channel) = motion.layers[layer].channel(address) else { continue };
        let times = channel.keys().times_within(within.clone());
        keys.extend(times.map(|seconds| (seconds, address)));
    }
    keys.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut marks: Vec<Mark> = Vec::new();
    for (seconds, address) in keys {
        match marks.last_mut() {
            Some(mark) if seconds - mark.seconds <= SAME_TIME_SECONDS => {
                mark.addresses.push(address);
            }
            _ => marks.push(Mark { seconds, addresses: vec![address] }),
        }
    }
    marks
}

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, layer: usize) {
    let character = studio.document().character().clone();
    let mut rows = rows(motion, layer, &character);
    if studio.panels.keys.only_chosen_joints {
        let chosen = &studio.session.selection.joints;
        rows.retain(|row| row.joint.is_some_and(|joint| chosen.contains(&joint)));
    }
    let top = ui.available_rect_before_wrap();
    let times = Rect::from_min_max(Pos2::new(top.left() + LABEL_WIDTH, top.top()), top.max);
    let scale = TimeScale::new(studio, times, motion.length_seconds);
    ruler(studio, ui, times, scale);
    if rows.is_empty() {
        ui.weak("No keys here yet: pose a joint and press K, or turn Auto-key on");
        return;
    }
    egui::ScrollArea::vertical().auto_shrink(false).id_salt("sheet").show_rows(
        ui,
        ROW_HEIGHT,
        rows.len(),
        |ui, range| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let shown = &rows[range];
            let size = egui::vec2(ui.available_width(), ROW_HEIGHT * shown.len() as f32);
            let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
            crate::panels::introduced(&response, egui::Role::Group, "Dope sheet");
            let sheet = Sheet { rows: shown, area, scale, motion, layer };
            sheet.paint(studio, ui);
            sheet.handle(studio, ui, &response);
            look_around(studio, ui, &response, scale, motion.length_seconds);
        },
    );
}

/// Times above the rows, to be dragged.
fn ruler(studio: &mut Studio, ui: &mut egui::Ui, times: Rect, scale: TimeScale) {
    let size = egui::vec2(ui.available_width(), RULER_HEIGHT);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    crate::panels::introduced(&response, egui::Role::Slider, "Sheet ruler");
    let visuals = ui.visuals().clone();
    let painter = ui.painter_at(rect);
    let font = egui::TextStyle::Small.resolve(ui.style());
    for (frame, seconds) in scale.marked_frames() {
        let at = Pos2::new(scale.x_of(seconds), rect.top());
        let words = frame.to_string();
        painter.text(at, Align2::CENTER_TOP, words, font.clone(), visuals.weak_text_color());
    }
    let length_seconds = studio.clip_seconds();
    if let Some(pointer) = response.interact_pointer_pos()
        && times.x_range().contains(pointer.x)
        && !response.dragged_by(PointerButton::Middle)
    {
        studio.scrub_time(scale.seconds_at(pointer.x).clamp(0.0, length_seconds));
    }
    look_around(studio, ui, &response, scale, length_seconds);
    if response.drag_stopped() || response.clicked() {
        studio.session.playback.end_scrub();
    }
}

struct Sheet<'a> {
    rows: &'a [Row],
    area: Rect,
    scale: TimeScale,
    motion: &'a Motion,
    layer: usize,
}

impl Sheet<'_> {
    fn y_of(&self, row: usize) -> f32 {
        self.area.top() + ROW_HEIGHT * (row as f32 + 0.5)
    }

    fn paint(&self, studio: &Studio, ui: &egui::Ui) {
        let visuals = ui.visuals();
        let painter = ui.painter_at(self.area);
        let font = egui::TextStyle::Small.resolve(ui.style());
        let chosen = &studio.session.selection.joints;
        let panel = &studio.panels.keys;
        for (index, row) in self.rows.iter().enumerate() {
            let y = self.y_of(index);
            let line = Rect::from_x_y_ranges(
                self.area.x_range(),
                y - 0.5 * ROW_HEIGHT..=y + 0.5 * ROW_HEIGHT,
            );
            if index % 2 == 0 {
                painter.rect_filled(line, 0.0, visuals.faint_bg_color);
            }
            let is_active = row.joint.is_some_and(|joint| chosen.contains(&joint));
            let color = if is_active { visuals.strong_text_color() } else { visuals.text_color() };
            let at = Pos2::new(self.area.left() + 4.0, y);
            let label = painter.with_clip_rect(Rect::from_min_max(
                line.min,
                Pos2::new(self.area.left() + LABEL_WIDTH - 4.0, line.bottom()),
            ));
            label.text(at, Align2::LEFT_CENTER, &row.label, font.clone(), color);
            let keys = painter.with_clip_rect(Rect::from_min_max(
                Pos2::new(self.area.left() + LABEL_WIDTH, line.top()),
                line.max,
            ));
            for run in self.runs(row, panel) {
                let fill = if run.is_chosen {
                    visuals.selection.stroke.color
                } else {
                    visuals.text_color()
                };
                run.paint(&keys, y, fill);
            }
        }
        let painter = painter.with_clip_rect(Rect::from_min_max(
            Pos2::new(self.area.left() + LABEL_WIDTH, self.area.top()),
            self.area.max,
        ));
        let x = self.scale.x_of(studio.session.playback.seconds());
        painter.vline(x, self.area.y_range(), Stroke::new(1.5, visuals.selection.stroke.color));
        if let (Some(Drag::Box(from)), Some(to)) = (&panel.drag, ui.ctx().pointer_interact_pos()) {
            let rect = Rect::from_two_pos(*from, to);
            painter.rect_filled(rect, 0.0, visuals.selection.bg_fill.gamma_multiply(0.3));
        }
    }

    /// The keys of a row that are in sight, those too near to be told apart as one.
    fn runs(&self, row: &Row, panel: &KeysPanel) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        // A mark whose middle is out of sight is seen in part.
        let air = f64::from(MARK_PX / self.scale.width) * self.scale.seconds;
        let sight = self.scale.from - air..=self.scale.from + self.scale.seconds + air;
        for &address in &row.addresses {
            let Some(channel) = self.motion.layers[self.layer].channel(address) else { continue };
            for seconds in channel.keys().times_within(sight.clone()) {
                let is_chosen = is_shown_chosen(panel, address, seconds);
                let x = self.scale.x_of(seconds);
                // In its order already, but for those of the row's other channels.
                match runs.last_mut().filter(|run| (x - run.to).abs() < APART_PX) {
                    Some(run) if run.is_chosen == is_chosen => run.to = x,
                    _ => runs.push(Run { from: x, to: x, is_chosen }),
                }
            }
        }
        // Chosen ones lie on top.
        runs.sort_by_key(|run| run.is_chosen);
        runs
    }

    /// The mark under the pointer.
    fn hit(&self, at: Pos2) -> Option<Mark> {
        let index = ((at.y - self.area.top()) / ROW_HEIGHT).floor();
        let row = (index >= 0.0).then(|| self.rows.get(index as usize)).flatten()?;
        if at.x < self.area.left() + LABEL_WIDTH {
            return None;
        }
        let distance = |seconds: f64| (self.scale.x_of(seconds) - at.x).abs();
        let [from, to] = [-GRAB_PX, GRAB_PX].map(|by| self.scale.seconds_at(at.x + by));
        marks(row, self.motion, self.layer, from..=to)
            .into_iter()
            .min_by(|a, b| distance(a.seconds).total_cmp(&distance(b.seconds)))
    }

    fn handle(&self, studio: &mut Studio, ui: &egui::Ui, response: &egui::Response) {
        let adds = ui.input(|input| input.modifiers.shift || input.modifiers.command);
        if response.drag_started_by(PointerButton::Primary)
            && let Some(at) = ui.input(|input| input.pointer.press_origin())
        {
            let drag = match self.hit(at) {
                Some(Mark { seconds, addresses }) => {
                    let panel = &mut studio.panels.keys;
                    let is_in = addresses.iter().any(|&a| panel.is_chosen(a, seconds));
                    if !is_in {
                        choose(panel, adds, seconds, &addresses);
                    }
                    Drag::Keys { grabbed_seconds: seconds, by_seconds: 0.0 }
                }
                None => Drag::Box(at),
            };
            studio.panels.keys.drag = Some(drag);
        }
        let pointer = response.interact_pointer_pos();
        if response.dragged_by(PointerButton::Primary)
            && let Some(at) = pointer
            && let Some(Drag::Keys { grabbed_seconds, .. }) = studio.panels.keys.drag
        {
            let wanted = studio.snapped(self.scale.seconds_at(at.x));
            let by_seconds = wanted.max(0.0) - grabbed_seconds;
            studio.panels.keys.drag = Some(Drag::Keys { grabbed_seconds, by_seconds });
            studio.move_chosen(by_seconds);
        }
        if response.drag_stopped() {
            match studio.panels.keys.drag.take() {
                Some(Drag::Keys { by_seconds, .. }) => studio.end_move(by_seconds),
                Some(Drag::Box(from)) => {
                    let to = pointer.or_else(|| ui.ctx().pointer_latest_pos()).unwrap_or(from);
                    self.choose_box(&mut studio.panels.keys, Rect::from_two_pos(from, to), adds);
                }
                Some(Drag::Curve(_) | Drag::Time) | None => {}
            }
        }
        if response.clicked()
            && let Some(at) = pointer
        {
            match self.hit(at) {
                Some(Mark { seconds, addresses }) => {
                    choose(&mut studio.panels.keys, adds, seconds, &addresses);
                    studio.panels.keys.channel = addresses.first().copied();
                }
                None if at.x < self.area.left() + LABEL_WIDTH => self.choose_row(studio, at, adds),
                None => studio.panels.keys.chosen.clear(),
            }
        }
    }

    /// A click on a name chooses the joint, and all keys of the row.
    fn choose_row(&self, studio: &mut Studio, at: Pos2, adds: bool) {
        let index = ((at.y - self.area.top()) / ROW_HEIGHT).floor() as usize;
        let Some(row) = self.rows.get(index) else { return };
        if let Some(joint) = row.joint {
            studio.session.selection = sinew_editor::Selection::of(joint);
        }
        if !adds {
            studio.panels.keys.chosen.clear();
        }
        let all = f64::NEG_INFINITY..=f64::INFINITY;
        for Mark { seconds, addresses } in marks(row, self.motion, self.layer, all) {
            choose(&mut studio.panels.keys, true, seconds, &addresses);
        }
        studio.panels.keys.channel = row.addresses.first().copied();
    }

    fn choose_box(&self, panel: &mut KeysPanel, rect: Rect, adds: bool) {
        if !adds {
            panel.chosen.clear();
        }
        for (index, row) in self.rows.iter().enumerate() {
            let y = self.y_of(index);
            if !(rect.top() - 2.0..=rect.bottom() + 2.0).contains(&y) {
                continue;
            }
            let within = self.scale.seconds_at(rect.left())..=self.scale.seconds_at(rect.right());
            for Mark { seconds, addresses } in marks(row, self.motion, self.layer, within) {
                choose(panel, true, seconds, &addresses);
            }
        }
    }
}

/// Keys beside one another, from the first to the last on the screen.
struct Run {
    from: f32,
    to: f32,
    is_chosen: bool,
}

impl Run {
    fn paint(&self, painter: &egui::Painter, y: f32, fill: Color32) {
        if self.to - self.from < APART_PX {
            diamond(painter, Pos2::new(self.from, y), fill);
            return;
        }
        let half = 0.6 * MARK_PX;
        let bar = Rect::from_x_y_ranges(self.from - half..=self.to + half, y - half..=y + half);
        painter.rect_filled(bar, half, fill);
    }
}

/// While keys are dragged, what is chosen is where they were.
fn is_shown_chosen(panel: &KeysPanel, address: Address, seconds: f64) -> bool {
    match panel.drag {
        Some(Drag::Keys { by_seconds, .. }) => panel.is_chosen(address, seconds - by_seconds),
        _ => panel.is_chosen(address, seconds),
    }
}

fn choose(panel: &mut KeysPanel, adds: bool, seconds: f64, addresses: &[Address]) {
    if !adds {
        panel.chosen.clear();
    }
    for &address in addresses {
        panel.choose(address, seconds);
    }
}

fn diamond(painter: &egui::Painter, at: Pos2, fill: Color32) {
    let r = MARK_PX;
    let corners = [(0.0, -r), (r, 0.0), (0.0, r), (-r, 0.0)];
    let points = corners.map(|(x, y)| Pos2::new(at.x + x, at.y + y)).to_vec();
    painter.add(egui::Shape::convex_polygon(points, fill, Stroke::NONE));
}
