//! A new driver, field by field: a joint that takes shares, copies or aims, or a number by a
//! formula.

use std::collections::BTreeMap;

use eframe::egui::{self, ComboBox, DragValue, TextEdit};
use sinew::Character;
use sinew::driver::{Drive, Driver, Input, Property, ShapeIndex, Share, TurnLimits, Value};
use sinew::glam::DVec3;
use sinew_editor::{RiggingEdit, driver_text};

use super::shape_name;
use crate::panels::{elided, named};
use crate::studio::Studio;

/// What the fields say.
#[derive(Debug)]
pub(super) struct Draft {
    kind: Kind,
    name: String,
    /// Who follows; the chosen joint while nobody says.
    joint: Option<u32>,
    /// Whom.
    of: Option<u32>,
    swing: f64,
    twist: f64,
    weight: f64,
    axis: Axis,
    /// What a formula drives, if not a shape.
    property: Property,
    shape: Option<ShapeIndex>,
    formula: String,
    inputs: Vec<InputField>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Share,
    Copy,
    Aim,
    Number,
    Shape,
}

const KINDS: [(Kind, &str, &str); 5] = [
    (Kind::Share, "Share of a turn", "A joint takes a share of another's swing and twist"),
    (Kind::Copy, "Copy of a rotation", "A joint copies another's rotation, or its roll"),
    (Kind::Aim, "Aim", "A joint turns an axis of its own towards another joint"),
    (Kind::Number, "Joint by formula", "A number of a joint's pose is what a formula says"),
    (Kind::Shape, "Shape by formula", "The weight of a shape is what a formula says"),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axis {
    All,
    Bone,
    X,
    Y,
    Z,
}

const AXES: [(Axis, &str); 5] =
    [(Axis::All, "all"), (Axis::Bone, "bone"), (Axis::X, "x"), (Axis::Y, "y"), (Axis::Z, "z")];

impl Axis {
    fn vector(self, bone_axis: DVec3) -> DVec3 {
        match self {
            Self::All | Self::Bone => bone_axis,
            Self::X => DVec3::X,
            Self::Y => DVec3::Y,
            Self::Z => DVec3::Z,
        }
    }
}

/// A name of the formula, and what it stands for.
#[derive(Clone, Debug)]
struct InputField {
    name: String,
    joint: Option<u32>,
    property: Property,
    shape: Option<ShapeIndex>,
}

impl InputField {
    fn of_angle(name: String) -> Self {
        Self { name, joint: None, property: Property::Swing, shape: None }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            kind: Kind::Share,
            name: String::new(),
            joint: None,
            of: None,
            swing: 0.5,
            twist: 0.5,
            weight: 1.0,
            axis: Axis::All,
            property: Property::Twist,
            shape: None,
            formula: "angle / 90".into(),
            inputs: vec![InputField::of_angle("angle".into())],
        }
    }
}

pub(super) fn show(studio: &mut Studio, ui: &mut egui::Ui, character: &Character) {
    let active = studio.session.selection.active;
    let mut draft = std::mem::take(&mut studio.panels.drivers.draft);
    // What undo has taken away can be none of it.
    draft.forget_gone(character);
    egui::Grid::new("new driver").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.label("Kind");
        draft.kinds(ui);
        ui.end_row();
        draft.driven(ui, character, active);
        match draft.kind {
            Kind::Share | Kind::Copy | Kind::Aim => draft.followed(ui, character),
            Kind::Number | Kind::Shape => draft.formula(ui, character, active),
        }
        ui.label("Name");
        let hint = draft.own_name(character, active).unwrap_or_default();
        let field = TextEdit::singleline(&mut draft.name).hint_text(hint).desired_width(150.0);
        let field =
            ui.add(field).on_hover_text("What the driver is called; left empty it gets one");
        named(&field, "New driver name");
        ui.end_row();
    });
    let made = draft.driver(character, active);
    let button = ui.add_enabled(made.is_ok(), egui::Button::new("Add"));
    named(&button, "Add driver");
    let button = button.on_hover_text("From now on it follows");
    let why = made.as_ref().err().copied().unwrap_or_default();
    if button.on_disabled_hover_text(why).clicked()
        && let Ok(driver) = made
    {
        let driver = Box::new(driver_text(&driver, character));
        studio.apply(RiggingEdit::SetDriver { driver });
        draft.name.clear();
    }
    studio.panels.drivers.draft = draft;
}

impl Draft {
    fn forget_gone(&mut self, character: &Character) {
        let has_joint = |joint: &u32| (*joint as usize) < character.skeleton.len();
        let has_shape = |of: &ShapeIndex| {
            let part = character.parts.get(of.part as usize);
            part.is_some_and(|part| (of.shape as usize) < part.shapes.len())
        };
        self.joint = self.joint.filter(has_joint);
        self.of = self.of.filter(has_joint);
        self.shape = self.shape.filter(has_shape);
        for input in &mut self.inputs {
            input.joint = input.joint.filter(has_joint);
            input.shape = input.shape.filter(has_shape);
        }
    }

    fn kinds(&mut self, ui: &mut egui::Ui) {
        let words = KINDS.iter().find(|(kind, ..)| *kind == self.kind).map_or("", |row| row.1);
        let list = ComboBox::from_id_salt("driver kind").selected_text(words).width(150.0);
        let shown = list.show_ui(ui, |ui| {
            for (kind, words, tip) in KINDS {
                ui.selectable_value(&mut self.kind, kind, words).on_hover_text(tip);
            }
        });
        named(&shown.response, "Kind of driver");
        shown.response.on_hover_text("How something follows");
    }

    /// Who follows.
    fn driven(&mut self, ui: &mut egui::Ui, character: &Character, active: Option<u32>) {
        if self.kind == Kind::Shape {
            ui.label("Shape");
            shape_list(ui, character, "Driven shape", &mut self.shape);
            ui.end_row();
            return;
        }
        ui.label("Joint");
        let mut joint = self.joint.or(active);
        if joint_list(ui, character, "Driven joint", &mut joint) {
            self.joint = joint;
        }
        ui.end_row();
        if self.kind == Kind::Number {
            ui.label("Its");
            property_list(ui, "Driven number", &mut self.property);
            ui.end_row();
        }
    }

    /// Whom it follows, and how far.
    fn followed(&mut self, ui: &mut egui::Ui, character: &Character) {
        ui.label(if self.kind == Kind::Aim { "Towards" } else { "Of" });
        joint_list(ui, character, "Followed joint", &mut self.of);
        ui.end_row();
        if self.kind == Kind::Share {
            for (words, share) in [("Swing", &mut self.swing), ("Twist", &mut self.twist)] {
                ui.label(words);
                let field = DragValue::new(share).speed(0.01).range(-2.0..=2.0).max_decimals(3);
                let field = ui.add(field);
                let tip = "How much of it: 1 is all, below 0 the other way";
                named(&field.on_hover_text(tip), &format!("{words} share"));
                ui.end_row();
            }
            return;
        }
        ui.label("Axis");
        let is_copy = self.kind == Kind::Copy;
        if !is_copy && self.axis == Axis::All {
            self.axis = Axis::Bone;
        }
        let words = AXES.iter().find(|(axis, _)| *axis == self.axis).map_or("", |row| row.1);
        let list = ComboBox::from_id_salt("driver axis").selected_text(words).width(80.0);
        let shown = list.show_ui(ui, |ui| {
            for (axis, words) in AXES.into_iter().filter(|row| is_copy || row.0 != Axis::All) {
                let row = ui.selectable_value(&mut self.axis, axis, words);
                row.on_hover_text(format!("Axis: {words}"));
            }
        });
        named(&shown.response, "Driver axis");
        shown.response.on_hover_text("Of the joint at rest: what turns about it, or looks there");
        ui.end_row();
        ui.label("Weight");
        let field = DragValue::new(&mut self.weight).speed(0.01).range(0.0..=1.0).max_decimals(3);
        named(&ui.add(field).on_hover_text("From 0, not at all, to 1"), "Driver weight");
        ui.end_row();
    }

    fn formula(&mut self, ui: &mut egui::Ui, character: &Character, active: Option<u32>) {
        ui.label("Is");
        let field = TextEdit::singleline(&mut self.formula).desired_width(180.0);
        let tip = "Numbers, + - * /, min max clamp sin cos abs sqrt smoothstep, the names below and \
                   those of controls; angles are degrees";
        named(&ui.add(field).on_hover_text(tip), "New formula");
        ui.end_row();
        let mut gone = None;
        for (at, input) in self.inputs.iter_mut().enumerate() {
            let number = at + 1;
            ui.horizontal(|ui| {
                let field = TextEdit::singleline(&mut input.name).desired_width(48.0);
                let field = ui.add(field).on_hover_text("What the formula calls it");
                named(&field, &format!("Input {number} name"));
            });
            ui.horizontal_wrapped(|ui| {
                if input.shape.is_some() {
                    shape_list(ui, character, &format!("Input {number} shape"), &mut input.shape);
                } else {
                    let mut joint = input.joint.or(active);
                    if joint_list(ui, character, &format!("Input {number} joint"), &mut joint) {
                        input.joint = joint;
                    }
                    property_list(ui, &format!("Input {number} number"), &mut input.property);
                }
                let button = ui.small_button("×").on_hover_text("The formula does not read it");
                named(&button, &format!("Remove input {number}"));
                if button.clicked() {
                    gone = Some(at);
                }
            });
            ui.end_row();
        }
        if let Some(at) = gone {
            self.inputs.remove(at);
        }
        ui.label("Reads");
        ui.horizontal(|ui| {
            let free = |stem: &str, inputs: &[InputField]| {
                let is_taken = |name: &str| inputs.iter().any(|input| input.name == name);
                let numbered = (2..).map(|number| format!("{stem}{number}"));
                let mut names = std::iter::once(stem.to_owned()).chain(numbered);
                names.find(|name| !is_taken(name)).unwrap_or_default()
            };
            let button =
                ui.small_button("+ angle").on_hover_text("Read a number of a joint's pose");
            named(&button, "Add joint input");
            if button.clicked() {
                self.inputs.push(InputField::of_angle(free("angle", &self.inputs)));
            }
            let first = all_shapes(character).next();
            let button = ui.add_enabled(first.is_some(), egui::Button::new("+ shape").small());
            named(&button, "Add shape input");
            let button = button.on_hover_text("Read the weight of a shape");
            if button.on_disabled_hover_text("The character has no shapes").clicked() {
                let name = free("weight", &self.inputs);
                self.inputs.push(InputField { shape: first, ..InputField::of_angle(name) });
            }
        });
        ui.end_row();
    }

    /// What it is called where nobody says.
    fn own_name(&self, character: &Character, active: Option<u32>) -> Option<String> {
        let joint = |joint: u32| character.skeleton.joints()[joint as usize].name.clone();
        let driven = self.joint.or(active).map(joint);
        let of = self.of.map(joint);
        let name = match self.kind {
            Kind::Share => format!("{} with {}", driven?, of?),
            Kind::Copy => format!("{} as {}", driven?, of?),
            Kind::Aim => format!("{} to {}", driven?, of?),
            Kind::Number => format!("{} {}", driven?, self.property.name()),
            Kind::Shape => shape_name(character, &self.shape?),
        };
        Some(character.drivers.free_name(&name))
    }

    /// The driver that the fields say; else what is missing.
    fn driver(&self, character: &Character, active: Option<u32>) -> Result<Driver, &'static str> {
        let joint = || self.joint.or(active).ok_or("Choose the joint that is to follow");
        let of = || self.of.ok_or("Choose the joint to follow");
        let bone_axis = |joint: u32| character.skeleton.joints()[joint as usize].bone_axis();
        let drive = match self.kind {
            Kind::Share => {
                let share = |share: f64| (share != 0.0).then_some(share);
                let (swing, twist) = (share(self.swing), share(self.twist));
                if swing.is_none() && twist.is_none() {
                    return Err("Give it a share of the swing or of the twist");
                }
                let of = vec![Share { joint: of()?, swing, twist }];
                Drive::Share { joint: joint()?, of, limits: TurnLimits::default() }
            }
            Kind::Copy => {
                let (joint, source) = (joint()?, of()?);
                let axis = (self.axis != Axis::All).then(|| self.axis.vector(bone_axis(joint)));
                Drive::Copy { joint, source, axis, weight: self.weight }
            }
            Kind::Aim => {
                let (joint, target) = (joint()?, of()?);
                let axis = self.axis.vector(bone_axis(joint));
                Drive::Aim { joint, target, axis, weight: self.weight }
            }
            Kind::Number => {
                let value = Value::Joint { joint: joint()?, property: self.property };
                self.by_formula(value, active)?
            }
            Kind::Shape => {
                let shape = self.shape.ok_or("Choose the shape that is to follow")?;
                self.by_formula(Value::Shape { shape }, active)?
            }
        };
        let name = match self.name.trim() {
            "" => self.own_name(character, active).ok_or("Give it a name")?,
            name => name.to_owned(),
        };
        Ok(Driver::new(name, drive))
    }

    fn by_formula(&self, value: Value, active: Option<u32>) -> Result<Drive, &'static str> {
        let mut inputs = BTreeMap::new();
        for input in &self.inputs {
            let of = match input.shape {
                Some(shape) => Input::Shape { shape },
                None => {
                    let joint = input.joint.or(active).ok_or("Choose the joint that it reads")?;
                    Input::Joint { joint, property: input.property }
                }
            };
            inputs.insert(input.name.trim().to_owned(), of);
        }
        if self.formula.trim().is_empty() {
            return Err("Type a formula");
        }
        Ok(Drive::Formula { value, formula: self.formula.clone(), inputs })
    }
}

/// True if another one was chosen.
fn joint_list(
    ui: &mut egui::Ui,
    character: &Character,
    control: &str,
    chosen: &mut Option<u32>,
) -> bool {
    let joints = character.skeleton.joints();
    let name = |joint: u32| joints.get(joint as usize).map_or("", |joint| joint.name.as_str());
    let words = chosen.map_or("Choose…".to_owned(), |joint| elided(name(joint)));
    let before = *chosen;
    let list = ComboBox::from_id_salt(control).selected_text(words).width(120.0);
    let shown = list.show_ui(ui, |ui| {
        for joint in 0..joints.len() as u32 {
            ui.selectable_value(chosen, Some(joint), elided(name(joint)))
                .on_hover_text(name(joint));
        }
    });
    named(&shown.response, control);
    shown.response.on_hover_text("A joint of the character");
    *chosen != before
}

pub(super) fn all_shapes(character: &Character) -> impl Iterator<Item = ShapeIndex> + '_ {
    character.parts.iter().enumerate().flat_map(|(part, of)| {
        (0..of.shapes.len() as u32).map(move |shape| ShapeIndex { part: part as u32, shape })
    })
}

pub(super) fn shape_list(
    ui: &mut egui::Ui,
    character: &Character,
    control: &str,
    chosen: &mut Option<ShapeIndex>,
) {
    let words =
        chosen.map_or("Choose…".to_owned(), |shape| elided(&shape_name(character, &shape)));
    let list = ComboBox::from_id_salt(control).selected_text(words).width(120.0);
    let shown = list.show_ui(ui, |ui| {
        for shape in all_shapes(character) {
            let name = shape_name(character, &shape);
            ui.selectable_value(chosen, Some(shape), elided(&name)).on_hover_text(name);
        }
    });
    named(&shown.response, control);
    shown.response.on_hover_text("A shape of the character");
}

fn property_list(ui: &mut egui::Ui, control: &str, chosen: &mut Property) {
    let list = ComboBox::from_id_salt(control).selected_text(chosen.name()).width(90.0);
    let shown = list.show_ui(ui, |ui| {
        for property in Property::ALL {
            let row = ui.selectable_value(chosen, property, property.name());
            row.on_hover_text(property.name());
        }
    });
    named(&shown.response, control);
    shown.response.on_hover_text("Which number of its pose; angles are degrees");
}
