//! Motions as edits and projects write them: channels by name, keys with values of any kind.

use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::glam::{DQuat, DVec3};
use sinew::motion::{
    Address, CUBIC_REACH, Handle, JointProperty, Key, KeyCurve, Keys, Layer, LayerMode, Motion,
    MotionChannel, Outside, RigSetting, Span, TangentMode, ValueKind,
};

use crate::edit::EditError;
use crate::name_ref::{JointRef, MeshRef, ShapeRef};

/// A quaternion this near to unit length is one, as in poses.
const UNIT_TOLERANCE: f64 = 1e-6;

/// What a channel moves, by name: a joint's property, a mesh's shape, or a setting.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelRef {
    /// With `property`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<JointRef>,
    /// Of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<JointProperty>,
    /// With `shape`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshRef>,
    /// Of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<ShapeRef>,
    /// Of the rig, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<RigSetting>,
    /// A named control, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// A handle of the cage, by itself: how far it is from where it was bound, at rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<u32>,
    /// A surface edit, by itself: its number, which stays whatever it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<u32>,
}

impl ChannelRef {
    /// How edits name an address.
    ///
    /// # Panics
    /// If it is not of this character.
    pub fn of(character: &Character, address: Address) -> Self {
        match address {
            Address::Joint { joint, property } => Self {
                joint: Some(JointRef::of(&character.skeleton, joint)),
                property: Some(property),
                ..Self::default()
            },
            Address::Shape { part, shape } => Self {
                mesh: Some(MeshRef::of(character, part as usize)),
                shape: Some(ShapeRef::of(&character.parts[part as usize], shape as usize)),
                ..Self::default()
            },
            Address::Setting(setting) => Self { setting: Some(setting), ..Self::default() },
            Address::Control(control) => {
                let name = character.drivers.controls[control as usize].name.clone();
                Self { control: Some(name), ..Self::default() }
            }
            Address::Handle(handle) => Self { handle: Some(handle), ..Self::default() },
            Address::Surface(number) => Self { surface: Some(number), ..Self::default() },
        }
    }

    /// The address; else what is wrong, with the nearest names.
    pub fn resolve(&self, character: &Character) -> Result<Address, EditError> {
        match self {
            Self { handle: Some(handle), .. } => {
                let alone = Self { handle: Some(*handle), ..Self::default() };
                if *self != alone || *handle as usize >= sinew::cage::MAX_HANDLES {
                    let fault = "a handle of the cage stands by itself, by its number from 0";
                    return Err(EditError::value("channel", fault));
                }
                Ok(Address::Handle(*handle))
            }
            Self { surface: Some(number), .. } => {
                if *self != (Self { surface: Some(*number), ..Self::default() }) {
                    let fault = "a surface edit stands by itself, by its number";
                    return Err(EditError::value("channel", fault));
                }
                Ok(Address::Surface(*number))
            }
            Self {
                joint: Some(joint),
                property: Some(property),
                mesh: None,
                shape: None,
                setting: None,
                control: None,
                handle: None,
                surface: None,
            } => {
                let joint = joint.resolve(&character.skeleton).map_err(EditError::Unknown)?;
                Ok(Address::Joint { joint, property: *property })
            }
            Self {
                joint: None,
                property: None,
                mesh: Some(mesh),
                shape: Some(shape),
                setting: None,
                control: None,
                handle: None,
                surface: None,
            } => {
                let part = mesh.resolve(character).map_err(EditError::Unknown)?;
                let shape = shape.resolve(&character.parts[part]).map_err(EditError::Unknown)?;
                Ok(Address::Shape { part: part as u32, shape: shape as u32 })
            }
            Self {
                joint: None,
                property: None,
                mesh: None,
                shape: None,
                setting: Some(setting),
                control: None,
                handle: None,
                surface: None,
            } => Ok(Address::Setting(*setting)),
            Self {
                joint: None,
                property: None,
                mesh: None,
                shape: None,
                setting: None,
                control: Some(name),
                handle: None,
                surface: None,
            } => {
                let controls = character.drivers.controls.iter();
                let all = controls.map(|control| control.name.as_str());
                let unknown = || EditError::Unknown(crate::names::unknown("control", name, all));
                let found = character.drivers.control(name).ok_or_else(unknown)?;
                Ok(Address::Control(found as u32))
            }
            _ => Err(EditError::value(
                "channel",
                "name a joint and its property, a mesh and its shape, a setting, a control, a handle, or a surface edit",
            )),
        }
    }
}

/// A value of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ValueText {
    /// Twist in radians, stretch, a weight, a setting.
    Number(f64),
    /// Translation, scale.
    Vector([f64; 3]),
    /// `x`, `y`, `z`, `w`: rotation, swing.
    Quaternion([f64; 4]),
}

/// A handle, with a slope of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandleText {
    /// Change of the value a second.
    pub slope: ValueText,
    /// Share of the span, 0 to 1.
    #[serde(default = "cubic_reach", skip_serializing_if = "is_cubic_reach")]
    pub reach: f64,
}

fn cubic_reach() -> f64 {
    CUBIC_REACH
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_cubic_reach(reach: &f64) -> bool {
    *reach == CUBIC_REACH
}

/// A key, with a value of any kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyText {
    /// Time of the key, in seconds.
    pub seconds: f64,
    /// The value at that time.
    pub value: ValueText,
    /// How it goes on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub span: Span,
    /// Who decides about the slopes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tangents: TangentMode,
    /// Before the key; level if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incoming: Option<HandleText>,
    /// The handle after the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outgoing: Option<HandleText>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Keys of a channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelText {
    /// What they move.
    pub channel: ChannelRef,
    /// In any order.
    pub keys: Vec<KeyText>,
    /// Before the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub before: Outside,
    /// After the last.
    #[serde(default, skip_serializing_if = "is_default")]
    pub after: Outside,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayerText {
    name: String,
    #[serde(default, skip_serializing_if = "is_default")]
    mode: LayerMode,
    weight: f64,
    #[serde(default, skip_serializing_if = "is_default")]
    muted: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<Vec<JointRef>>,
    channels: Vec<ChannelText>,
}

/// A motion of a project: a clip of its file as it is, by number, or one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum MotionText {
    OfFile {
        clip: usize,
    },
    Own {
        name: String,
        seconds: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        frames_per_second: Option<f64>,
        layers: Vec<LayerText>,
    },
}

/// What a kind of value is in text.
trait Told: sinew::motion::KeyValue {
    fn of(text: ValueText) -> Option<Self>;
    fn text(self) -> ValueText;
}

impl Told for f64 {
    fn of(text: ValueText) -> Option<Self> {
        if let ValueText::Number(x) = text { Some(x) } else { None }
    }
    fn text(self) -> ValueText {
        ValueText::Number(self)
    }
}

impl Told for DVec3 {
    fn of(text: ValueText) -> Option<Self> {
        if let ValueText::Vector(v) = text { Some(Self::from_array(v)) } else { None }
    }
    fn text(self) -> ValueText {
        ValueText::Vector(self.to_array())
    }
}

impl Told for DQuat {
    fn of(text: ValueText) -> Option<Self> {
        if let ValueText::Quaternion(q) = text { Some(Self::from_array(q)) } else { None }
    }
    fn text(self) -> ValueText {
        ValueText::Quaternion(self.to_array())
    }
}

fn key_text<T: Told>(key: &Key<T>) -> KeyText {
    let handle = |handle: &Handle<T>| {
        let is_plain = handle.slope == T::LEVEL && handle.reach == CUBIC_REACH;
        (!is_plain).then(|| HandleText { slope: handle.slope.text(), reach: handle.reach })
    };
    KeyText {
        seconds: key.seconds,
        value: key.value.text(),
        span: key.span,
        tangents: key.tangents,
        incoming: handle(&key.incoming),
        outgoing: handle(&key.outgoing),
    }
}

fn curve_of<T: Told>(
    texts: &[KeyText],
    what: &dyn Fn() -> String,
    fault_of: impl Fn(T) -> Option<String>,
) -> Result<KeyCurve<T>, EditError> {
    let wrong_kind = || EditError::value(what(), "a value of another kind than the channel's");
    let handle_of = |text: Option<HandleText>| match text {
        None => Ok(Handle::of_slope(T::LEVEL)),
        Some(text) => {
            let slope = T::of(text.slope).ok_or_else(wrong_kind)?;
            if !slope.is_finite() || !(0.0..=1.0).contains(&text.reach) {
                let fault = "a handle's slope must be finite, and its reach within 0 and 1";
                return Err(EditError::value(what(), fault));
            }
            Ok(Handle { slope, reach: text.reach })
        }
    };
    let mut keys = Vec::with_capacity(texts.len());
    for text in texts {
        let value = T::of(text.value).ok_or_else(wrong_kind)?;
        if !text.seconds.is_finite() || !value.is_finite() {
            return Err(EditError::value(what(), "a key's time and value must be finite"));
        }
        if let Some(fault) = fault_of(value) {
            return Err(EditError::value(format!("{} at {} s", what(), text.seconds), fault));
        }
        keys.push(Key {
            seconds: text.seconds,
            value,
            span: text.span,
            tangents: text.tangents,
            incoming: handle_of(text.incoming)?,
            outgoing: handle_of(text.outgoing)?,
        });
    }
    Ok(KeyCurve::new(keys))
}

/// A slope or handle of the kind that an address has.
pub(crate) fn handle_of_kind<T: sinew::motion::KeyValue + 'static>(
    text: HandleText,
    make: impl Fn(ValueText) -> Option<T>,
) -> Result<Handle<T>, EditError> {
    let slope = make(text.slope).filter(|slope| slope.is_finite());
    match slope {
        Some(slope) if (0.0..=1.0).contains(&text.reach) => Ok(Handle { slope, reach: text.reach }),
        _ => Err(EditError::value(
            "handle",
            "its slope must be finite and of the channel's kind, and its reach within 0 and 1",
        )),
    }
}

impl ValueText {
    pub(crate) fn number(self) -> Option<f64> {
        f64::of(self)
    }
    pub(crate) fn vector(self) -> Option<DVec3> {
        DVec3::of(self)
    }
    pub(crate) fn quaternion(self) -> Option<DQuat> {
        DQuat::of(self)
    }
}

impl ChannelText {
    /// Of keys.
    pub fn of(character: &Character, address: Address, keys: &Keys) -> Self {
        let texts = match keys {
            Keys::Scalar(curve) => curve.keys().iter().map(key_text).collect(),
            Keys::Vector(curve) => curve.keys().iter().map(key_text).collect(),
            Keys::Rotation(curve) => curve.keys().iter().map(key_text).collect(),
        };
        let (before, after) = keys.outside();
        Self { channel: ChannelRef::of(character, address), keys: texts, before, after }
    }

    /// The address and the keys; else what is wrong with them.
    pub fn resolve(&self, character: &Character) -> Result<(Address, Keys), EditError> {
        let address = self.channel.resolve(character)?;
        let what = || name_of(character, address);
        let keys = match address.kind() {
            ValueKind::Scalar => Keys::Scalar(curve_of(&self.keys, &what, |value: f64| {
                let is_stretch =
                    matches!(address, Address::Joint { property: JointProperty::Stretch, .. });
                (is_stretch && value <= 0.0)
                    .then(|| format!("a stretch of {value}; it must be above zero"))
            })?),
            ValueKind::Vector => Keys::Vector(curve_of(&self.keys, &what, |_: DVec3| None)?),
            ValueKind::Rotation => {
                let axis =
                    address.joint_index().map(|j| character.skeleton.joints()[j].bone_axis());
                let is_swing =
                    matches!(address, Address::Joint { property: JointProperty::Swing, .. });
                Keys::Rotation(curve_of(&self.keys, &what, |q: DQuat| {
                    if (q.length() - 1.0).abs() > UNIT_TOLERANCE {
                        return Some(format!(
                            "a rotation of length {}; it must be a unit quaternion",
                            q.length()
                        ));
                    }
                    let along = axis.map_or(0.0, |axis| q.xyz().dot(axis).abs());
                    (is_swing && along > UNIT_TOLERANCE).then(|| {
                        "a swing that turns about the bone; put that part into the twist".into()
                    })
                })?)
            }
        };
        let mut keys = keys;
        keys.set_outside(self.before, self.after);
        Ok((address, keys))
    }
}

/// What people call an address.
pub fn name_of(character: &Character, address: Address) -> String {
    match address {
        Address::Joint { joint, property } => {
            let name = &character.skeleton.joints()[joint as usize].name;
            format!("{name} {}", property.name())
        }
        Address::Shape { part, shape } => {
            character.parts[part as usize].shapes[shape as usize].name.clone()
        }
        Address::Setting(setting) => setting.name().to_owned(),
        Address::Control(control) => character.drivers.controls[control as usize].name.clone(),
        Address::Handle(handle) => format!("handle {handle} of the cage"),
        Address::Surface(number) => format!("surface edit {number}"),
    }
}

impl MotionText {
    pub(crate) fn of(motion: &Motion, character: &Character) -> Self {
        let layer = |layer: &Layer| LayerText {
            name: layer.name.clone(),
            mode: layer.mode,
            weight: layer.weight,
            muted: layer.is_muted,
            mask: layer.mask.as_ref().map(|mask| {
                mask.iter().map(|&joint| JointRef::of(&character.skeleton, joint)).collect()
            }),
            channels: layer
                .channels()
                .iter()
                .map(|channel| ChannelText::of(character, channel.address(), channel.keys()))
                .collect(),
        };
        Self::Own {
            name: motion.name.clone(),
            seconds: motion.length_seconds,
            frames_per_second: motion.frames_per_second,
            layers: motion.layers.iter().map(layer).collect(),
        }
    }

    /// The motion; `None` for one of the file.
    pub(crate) fn resolve(&self, character: &Character) -> Result<Option<Motion>, EditError> {
        let Self::Own { name, seconds, frames_per_second, layers } = self else {
            return Ok(None);
        };
        let mut motion = Motion { layers: Vec::new(), ..Motion::new(name.clone(), *seconds) };
        motion.frames_per_second = *frames_per_second;
        for text in layers {
            let mut layer = Layer::new(text.name.clone(), text.mode);
            layer.weight = text.weight;
            layer.is_muted = text.muted;
            if let Some(mask) = &text.mask {
                let joints: Result<_, String> =
                    mask.iter().map(|joint| joint.resolve(&character.skeleton)).collect();
                layer.mask = Some(joints.map_err(EditError::Unknown)?);
            }
            for channel in &text.channels {
                let (address, keys) = channel.resolve(character)?;
                layer.put(MotionChannel::new(address, keys, &character.skeleton));
            }
            motion.layers.push(layer);
        }
        Ok(Some(motion))
    }
}
