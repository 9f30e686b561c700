//! The curve editor: a channel over time, its keys and their handles.
//!
//! Numbers and vectors are drawn as they are and can be dragged up and down; a rotation is drawn as
//! its rotation vector in degrees, and its keys move in time alone.

use eframe::egui::{self, Color32, PointerButton, Pos2, Rect, Sense, Stroke};
use sinew::motion::{Address, CUBIC_REACH, JointProperty, Keys, Motion, Span};
use sinew_editor::{
    ChannelRef, ChannelText, Edit, HandleText, KeysRef, MotionEdit, ValueText, name_of,
};

use super::Drag;
use super::sight::{TimeScale, look_around};
use crate::panels::named;
use crate::studio::Studio;

const GRAB_PX: f32 = 7.0;
const COLORS: [Color32; 3] = [
    Color32::from_rgb(230, 90, 80),
    Color32::from_rgb(90, 190, 90),
    Color32::from_rgb(90, 140, 240),
];

/// What of a curve the pointer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grabbed {
    address: Address,
    /// When the key was.
    seconds: f64,
    component: usize,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Key,
    Incoming,
    Outgoing,
}

/// One key as it is drawn: its handles reach to the neighbours.
struct Drawn {
    seconds: f64,
    values: Vec<f64>,
    /// Slope of each component and reach, with the seconds to that neighbour.
    incoming: Option<(Vec<f64>, f64, f64)>,
    outgoing: Option<(Vec<f64>, f64, f64)>,
}

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui, motion: &Motion, layer: usize) {
    let Some(address) = choose_channel(studio, ui, motion, layer) else {
        ui.weak("No keys here yet: pose a joint and press K, or turn Auto-key on");
        return;
    };
    let Some(channel) = motion.layers[layer].channel(address) else { return };
    let keys = channel.keys();
    let size = ui.available_size().max(egui::vec2(100.0, 60.0));
    let (area, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    crate::panels::introduced(&response, egui::Role::Group, "Curve editor");
    let scale = TimeScale::new(studio, area, motion.length_seconds);
    look_around(studio, ui, &response, scale, motion.length_seconds);
    let unit = unit_of(address);
    let drawn = drawn_keys(keys, unit);
    let samples = sampled(keys, unit, scale, area);
    let fitted = fit(&drawn, &samples, scale);
    let is_held = matches!(studio.panels.keys.drag, Some(Drag::Curve(_)));
    // While a key is dragged the picture stands still under it.
    let values = match studio.panels.keys.held_values {
        Some(held) if is_held => held,
        _ => fitted,
    };
    studio.panels.keys.held_values = Some(values);
    let plot = Plot { area, scale, values };
    plot.paint(studio, ui, address, &drawn, &samples);
    handle(studio, ui, &response, &plot, address, keys, &drawn);
}

/// The channel whose curves are shown, to be chosen.
fn choose_channel(
    studio: &mut Studio,
    ui: &mut egui::Ui,
    motion: &Motion,
    layer: usize,
) -> Option<Address> {
    let character = studio.document().character().clone();
    let channels = motion.layers[layer].channels();
    let is_there = |address: &Address| motion.layers[layer].channel(*address).is_some();
    let of_active = studio.session.selection.active.and_then(|joint| {
        let mut all = channels.iter().map(|channel| channel.address());
        all.find(|address| address.joint_index() == Some(joint as usize))
    });
    let first = channels.first().map(|channel| channel.address());
    let known = studio.panels.keys.channel.filter(is_there);
    let chosen = known.or(of_active).or(first)?;
    ui.horizontal(|ui| {
        let list = egui::ComboBox::from_id_salt("channel")
            .selected_text(name_of(&character, chosen))
            .width(220.0);
        let shown = list.show_ui(ui, |ui| {
            for channel in channels {
                let address = channel.address();
                let row = ui.selectable_label(address == chosen, name_of(&character, address));
                if row.clicked() {
                    studio.panels.keys.channel = Some(address);
                    studio.panels.keys.chosen.clear();
                }
            }
        });
        named(&shown.response, "Channel");
        let words = match chosen.kind() {
            sinew::motion::ValueKind::Rotation => "rotation vector in degrees: x, y, z",
            sinew::motion::ValueKind::Vector => "x, y, z",
            sinew::motion::ValueKind::Scalar if unit_of(chosen) != 1.0 => "degrees",
            sinew::motion::ValueKind::Scalar => "",
        };
        ui.weak(words);
    });
    Some(studio.panels.keys.channel.filter(is_there).unwrap_or(chosen))
}

/// What is drawn for one of what is stored: angles in degrees.
fn unit_of(address: Address) -> f64 {
    match address {
        Address::Joint { property: JointProperty::Twist, .. } => 1_f64.to_degrees(),
        _ => 1.0,
    }
}

fn rotation_vector(q: sinew::glam::DQuat) -> Vec<f64> {
    let q = if q.w < 0.0 { -q } else { q };
    q.to_scaled_axis().to_array().iter().map(|radians| radians.to_degrees()).collect()
}

fn drawn_keys(keys: &Keys, unit: f64) -> Vec<Drawn> {
    fn of<T: Copy>(
        keys: &[sinew::motion::Key<T>],
        values: impl Fn(T) -> Vec<f64>,
        slopes: Option<&dyn Fn(T) -> Vec<f64>>,
    ) -> Vec<Drawn> {
        let is_curved = |span: Span| matches!(span, Span::Cubic | Span::Bezier);
        let reach = |span: Span, reach: f64| if span == Span::Bezier { reach } else { CUBIC_REACH };
        let draw = |(at, key): (usize, &sinew::motion::Key<T>)| {
            let before = at.checked_sub(1).map(|at| &keys[at]).filter(|k| is_curved(k.span));
            let after = keys.get(at + 1).filter(|_| is_curved(key.span));
            let incoming = before.zip(slopes).map(|(before, slopes)| {
                let reach = reach(before.span, key.incoming.reach);
                (slopes(key.incoming.slope), reach, key.seconds - before.seconds)
            });
            let outgoing = after.zip(slopes).map(|(after, slopes)| {
                let reach = reach(key.span, key.outgoing.reach);
                (slopes(key.outgoing.slope), reach, after.seconds - key.seconds)
            });
            Drawn { seconds: key.seconds, values: values(key.value), incoming, outgoing }
        };
        keys.iter().enumerate().map(draw).collect()
    }
    match keys {
        Keys::Scalar(curve) => {
            let to = |v: f64| vec![v * unit];
            of(curve.keys(), to, Some(&to))
        }
        Keys::Vector(curve) => {
            let to = |v: sinew::glam::DVec3| v.to_array().to_vec();
            of(curve.keys(), to, Some(&to))
        }
        Keys::Rotation(curve) => of(curve.keys(), rotation_vector, None),
    }
}

/// Points of each component's line.
fn sampled(keys: &Keys, unit: f64, scale: TimeScale, area: Rect) -> Vec<Vec<(f64, f64)>> {
    let num_components = if matches!(keys, Keys::Scalar(_)) { 1 } else { 3 };
    let mut lines = vec![Vec::new(); num_components];
    let mut cursor = 0;
    let mut x = area.left();
    while x <= area.right() {
        let seconds = scale.seconds_at(x);
        let values = match keys {
            Keys::Scalar(curve) => curve.value_at(seconds, &mut cursor).map(|v| vec![v * unit]),
            Keys::Vector(curve) => {
                curve.value_at(seconds, &mut cursor).map(|v| v.to_array().to_vec())
            }
            Keys::Rotation(curve) => curve.value_at(seconds, &mut cursor).map(rotation_vector),
        };
        for (line, value) in lines.iter_mut().zip(values.into_iter().flatten()) {
            line.push((seconds, value));
        }
        x += 2.0;
    }
    lines
}

/// The values that are in sight, with room above and below.
fn fit(keys: &[Drawn], samples: &[Vec<(f64, f64)>], scale: TimeScale) -> (f64, f64) {
    let sight = scale.from..=scale.from + scale.seconds;
    let in_sight = keys.iter().filter(|key| sight.contains(&key.seconds));
    let of_keys = in_sight.flat_map(|key| key.values.iter().copied());
    let of_lines = samples.iter().flatten().map(|(_, value)| *value);
    let (low, high) = of_keys
        .chain(of_lines)
        .filter(|value| value.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (-1.0, 1.0);
    }
    let air = (0.15 * (high - low)).max(1e-3 * high.abs().max(1.0));
    (low - air, high + air)
}

struct Plot {
    area: Rect,
    scale: TimeScale,
    values: (f64, f64),
}

impl Plot {
    fn at(&self, seconds: f64, value: f64) -> Pos2 {
        let share = ((value - self.values.0) / (self.values.1 - self.values.0)) as f32;
        Pos2::new(self.scale.x_of(seconds), self.area.bottom() - share * self.area.height())
    }

    fn value_at(&self, y: f32) -> f64 {
        let share = f64::from((self.area.bottom() - y) / self.area.height().max(1.0));
        self.values.0 + share * (self.values.1 - self.values.0)
    }

    /// The ends of a key's handles.
    fn handle_ends(&self, key: &Drawn, component: usize) -> [Option<Pos2>; 2] {
        let value = key.values[component];
        let end = |handle: &Option<(Vec<f64>, f64, f64)>, sign: f64| {
            let (slopes, reach, span) = handle.as_ref()?;
            let seconds = sign * reach * span;
            Some(self.at(key.seconds + seconds, value + slopes[component] * seconds))
        };
        [end(&key.incoming, -1.0), end(&key.outgoing, 1.0)]
    }

    fn paint(
        &self,
        studio: &Studio,
        ui: &egui::Ui,
        address: Address,
        keys: &[Drawn],
        samples: &[Vec<(f64, f64)>],
    ) {
        let visuals = ui.visuals();
        let painter = ui.painter_at(self.area);
        painter.rect_filled(self.area, 2.0, visuals.extreme_bg_color);
        let faint = Stroke::new(1.0, visuals.faint_bg_color);
        for (_, seconds) in self.scale.marked_frames() {
            painter.vline(self.scale.x_of(seconds), self.area.y_range(), faint);
        }
        let font = egui::TextStyle::Small.resolve(ui.style());
        for share in [0.0, 0.5, 1.0] {
            let value = self.values.0 + share * (self.values.1 - self.values.0);
            let at = self.at(0.0, value);
            let at = Pos2::new(
                self.area.left() + 2.0,
                at.y.clamp(self.area.top() + 6.0, self.area.bottom() - 6.0),
            );
            let words = format!("{value:.3}");
            let color = visuals.weak_text_color();
            painter.text(at, egui::Align2::LEFT_CENTER, words, font.clone(), color);
        }
        for (component, line) in samples.iter().enumerate() {
            let points: Vec<Pos2> = line.iter().map(|&(t, v)| self.at(t, v)).collect();
            painter.add(egui::Shape::line(points, Stroke::new(1.5, COLORS[component % 3])));
        }
        for key in keys {
            let is_chosen = studio.panels.keys.is_chosen(address, key.seconds);
            for component in 0..key.values.len() {
                let at = self.at(key.seconds, key.values[component]);
                if is_chosen {
                    for end in self.handle_ends(key, component).into_iter().flatten() {
                        painter.line_segment([at, end], Stroke::new(1.0, visuals.text_color()));
                        painter.circle_filled(end, 3.5, visuals.strong_text_color());
                    }
                }
                let fill =
                    if is_chosen { visuals.selection.stroke.color } else { COLORS[component % 3] };
                painter.rect_filled(Rect::from_center_size(at, egui::vec2(7.0, 7.0)), 1.0, fill);
            }
        }
        let x = self.scale.x_of(studio.session.playback.seconds());
        painter.vline(x, self.area.y_range(), Stroke::new(1.5, visuals.selection.stroke.color));
    }

    /// What is under the pointer: handles of chosen keys before keys.
    fn hit(&self, studio: &Studio, at: Pos2, address: Address, keys: &[Drawn]) -> Option<Grabbed> {
        let mut best: Option<(f32, Grabbed)> = None;
        let mut offer = |place: Pos2, grabbed: Grabbed, handicap: f32| {
            let distance = place.distance(at) + handicap;
            if place.distance(at) <= GRAB_PX && best.as_ref().is_none_or(|(d, _)| distance < *d) {
                best = Some((distance, grabbed));
            }
        };
        for key in keys {
            let is_chosen = studio.panels.keys.is_chosen(address, key.seconds);
            for component in 0..key.values.len() {
                let grabbed = |what| Grabbed { address, seconds: key.seconds, component, what };
                offer(self.at(key.seconds, key.values[component]), grabbed(What::Key), 0.0);
                let [incoming, outgoing] = self.handle_ends(key, component);
                for (end, what) in [(incoming, What::Incoming), (outgoing, What::Outgoing)] {
                    if let Some(end) = end.filter(|_| is_chosen) {
                        offer(end, grabbed(what), 0.5);
                    }
                }
            }
        }
        best.map(|(_, grabbed)| grabbed)
    }
}

#[allow(clippy::too_many_arguments, reason = "what is shown, and what holds it")]
fn handle(
    studio: &mut Studio,
    ui: &egui::Ui,
    response: &egui::Response,
    plot: &Plot,
    address: Address,
    keys: &Keys,
    drawn: &[Drawn],
) {
    let adds = ui.input(|input| input.modifiers.shift || input.modifiers.command);
    let pointer = response.interact_pointer_pos();
    if response.clicked()
        && let Some(at) = pointer
    {
        let hit = plot.hit(studio, at, address, drawn);
        if !adds {
            studio.panels.keys.chosen.clear();
        }
        if let Some(hit) = hit {
            studio.panels.keys.choose(address, hit.seconds);
        }
    }
    if response.drag_started_by(PointerButton::Primary)
        && let Some(at) = ui.input(|input| input.pointer.press_origin())
    {
        let hit = plot.hit(studio, at, address, drawn);
        studio.panels.keys.drag = Some(match hit {
            Some(grabbed) => {
                if grabbed.what == What::Key
                    && !studio.panels.keys.is_chosen(address, grabbed.seconds)
                {
                    if !adds {
                        studio.panels.keys.chosen.clear();
                    }
                    studio.panels.keys.choose(address, grabbed.seconds);
                }
                Drag::Curve(grabbed)
            }
            None => Drag::Time,
        });
    }
    if response.dragged_by(PointerButton::Primary)
        && let Some(at) = pointer
    {
        match studio.panels.keys.drag.clone() {
            Some(Drag::Curve(grabbed)) => {
                if let Some((label, edits)) = edits_of(studio, plot, at, &grabbed, keys, drawn) {
                    studio.drag_keys(label, edits);
                }
            }
            Some(Drag::Time) => {
                let seconds = plot.scale.seconds_at(at.x);
                studio.scrub_time(seconds.clamp(0.0, studio.clip_seconds()));
            }
            Some(Drag::Keys { .. } | Drag::Box(_)) | None => {}
        }
    }
    if response.drag_stopped() {
        match studio.panels.keys.drag.take() {
            Some(Drag::Curve(grabbed)) => {
                studio.commit();
                if grabbed.what == What::Key
                    && let Some(at) = pointer.or_else(|| ui.ctx().pointer_latest_pos())
                {
                    let now = studio.snapped(plot.scale.seconds_at(at.x)).max(0.0);
                    studio.panels.keys.chosen.clear();
                    studio.panels.keys.choose(address, now);
                }
            }
            Some(Drag::Time) => studio.session.playback.end_scrub(),
            Some(Drag::Keys { .. } | Drag::Box(_)) | None => {}
        }
    }
}

/// What dragging to a place does. All edits are of the keys as they were when the drag began.
fn edits_of(
    studio: &Studio,
    plot: &Plot,
    at: Pos2,
    grabbed: &Grabbed,
    keys: &Keys,
    drawn: &[Drawn],
) -> Option<(&'static str, Vec<Edit>)> {
    let (motion, layer) = studio.motion_refs()?;
    let character = studio.document().character();
    let channel = ChannelRef::of(character, grabbed.address);
    let unit = unit_of(grabbed.address);
    let (seconds, value) = (plot.scale.seconds_at(at.x), plot.value_at(at.y) / unit);
    let before = KeysRef { channel, seconds: vec![grabbed.seconds] };
    if grabbed.what == What::Key {
        let to = studio.snapped(seconds).max(0.0);
        let moved = MotionEdit::MoveKeys {
            motion: motion.clone(),
            layer: layer.clone(),
            keys: vec![before],
            by_seconds: to - grabbed.seconds,
        };
        let mut edits: Vec<Edit> = vec![moved.into()];
        // The key as it is shown: where it was when the drag began, or has come to since.
        let text = ChannelText::of(character, grabbed.address, keys);
        let shown = [grabbed.seconds, to].into_iter().find_map(|time| {
            text.keys.iter().find(|key| (key.seconds - time).abs() <= 1e-6).copied()
        });
        if let Some(mut key) = shown
            && with_component(&mut key.value, grabbed.component, value)
        {
            key.seconds = to;
            let channels = vec![ChannelText { keys: vec![key], ..text }];
            edits.push(MotionEdit::SetKeys { motion, layer, channels }.into());
        }
        return Some(("Move key", edits));
    }
    let key = drawn.iter().find(|key| (key.seconds - grabbed.seconds).abs() <= 1e-6)?;
    let is_out = grabbed.what == What::Outgoing;
    let (slopes, _, span) = if is_out { key.outgoing.as_ref() } else { key.incoming.as_ref() }?;
    let run = if is_out { seconds - key.seconds } else { key.seconds - seconds };
    let run = run.clamp(0.01 * span, *span);
    let rise = value - key.values[grabbed.component] / unit;
    let slope = if is_out { rise / run } else { -rise / run };
    let mut all: Vec<f64> = slopes.iter().map(|slope| slope / unit).collect();
    all[grabbed.component] = slope;
    let slope = match all[..] {
        [x] => ValueText::Number(x),
        [x, y, z] => ValueText::Vector([x, y, z]),
        _ => return None,
    };
    let handle = Some(HandleText { slope, reach: run / span });
    let (incoming, outgoing) = if is_out { (None, handle) } else { (handle, None) };
    let edit = MotionEdit::SetHandles { motion, layer, keys: before, incoming, outgoing };
    Some(("Move handle", vec![edit.into()]))
}

/// False if the value is none that can be dragged up and down.
fn with_component(value: &mut ValueText, component: usize, to: f64) -> bool {
    match value {
        ValueText::Number(x) => *x = to,
        ValueText::Vector(v) => v[component] = to,
        ValueText::Quaternion(_) => return false,
    }
    true
}
