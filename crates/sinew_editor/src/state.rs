//! A document's own part as text: all of it but the character.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};
use sinew::Character;
use sinew::frame::Rig;
use sinew::skeleton::{JointPose, Pose};

use crate::additions::Additions;
use crate::document::{Document, StoredPose};
use crate::edit::{EditError, StrokeText};
use crate::layer_text::LayersText;
use crate::motion_text::MotionText;
use crate::motions::{Entry, Motions};
use crate::name_ref::JointRef;
use crate::pose_strokes::PoseStrokes;
use crate::rig_text::{move_painted, rig_over_defaults};
use crate::shapes::{ShapeRecord, Shapes};
use crate::surface::{SurfaceRecord, SurfaceStack};

/// Joints that are not at rest.
type PoseRecord = BTreeMap<JointRef, JointPose>;

/// Everything that edits change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Projects and journals of version 1 call it by its older name.
    #[serde(alias = "deformation", deserialize_with = "rig_over_defaults")]
    rig: Rig,
    /// What the character has beyond its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    additions: Option<Additions>,
    /// Left out where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weight_layers: Option<LayersText>,
    /// Named controls that do not rest.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    controls: BTreeMap<String, f64>,
    /// What is not as in the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    shapes: ShapeRecord,
    #[serde(default)]
    pose: PoseRecord,
    /// Handles of the rig's cage at rest; left out where all are as in the rig.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rest_cage: Vec<DVec3>,
    /// Strokes that are in hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strokes: Option<StrokesRecord>,
    /// Left out where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    surface: Vec<SurfaceRecord>,
    #[serde(default)]
    stored_poses: Vec<StoredPoseRecord>,
    /// Left out where all are as in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    motions: Option<Vec<MotionText>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StrokesRecord {
    /// The pose before the first of them.
    from: PoseRecord,
    list: Vec<StrokeText>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPoseRecord {
    name: String,
    joints: PoseRecord,
}

impl State {
    /// Of a document.
    pub fn of(document: &Document) -> Self {
        let record = |pose: &Pose| -> PoseRecord {
            let moved =
                pose.joints.iter().enumerate().filter(|(_, pose)| **pose != JointPose::REST);
            moved.map(|(joint, pose)| (document.joint_ref(joint as u32), *pose)).collect()
        };
        let stored = document.stored_poses().iter();
        let character = document.character();
        Self {
            rig: Rig::clone(document.rig()),
            additions: Additions::between(&document.base, character),
            weight_layers: LayersText::of(document.weight_layers(), character),
            controls: controls_of(document),
            shapes: document.shapes().differing_from(&Shapes::rest(character), character),
            pose: record(document.pose()),
            rest_cage: document.rest_cage().to_vec(),
            strokes: (!document.live_strokes().is_empty()).then(|| StrokesRecord {
                from: record(document.pose_strokes.from()),
                list: (document.live_strokes().iter())
                    .map(|stroke| StrokeText::of(document, stroke))
                    .collect(),
            }),
            surface: (document.surface().entries().iter())
                .map(|entry| SurfaceRecord::of(entry, character))
                .collect(),
            stored_poses: stored
                .map(|s| StoredPoseRecord { name: s.name.clone(), joints: record(&s.pose) })
                .collect(),
            motions: motions_of(document),
        }
    }

    /// Brings a document of the same character into this state; on an error it stays as it was.
    /// Says what of an older form had no place any more and was left out.
    pub fn restore(&self, document: &mut Document) -> Result<Vec<String>, EditError> {
        let with_additions;
        let character = match &self.additions {
            None => &document.base,
            Some(additions) => {
                // A history of states of one character is common: no second copy of the same.
                let added = additions.add_to(&document.base)?;
                with_additions = match added == *document.character {
                    true => Arc::clone(&document.character),
                    false => Arc::new(added),
                };
                &with_additions
            }
        };
        let skeleton = &character.skeleton;
        let pose_of = |record: &PoseRecord| -> Result<Pose, EditError> {
            let mut pose = Pose::rest(skeleton);
            for (joint, joint_pose) in record {
                let joint = joint.resolve(skeleton).map_err(EditError::Unknown)?;
                pose.joints[joint as usize] = *joint_pose;
            }
            Ok(pose)
        };
        let stored = self.stored_poses.iter();
        let stored: Result<Vec<StoredPose>, EditError> = stored
            .map(|s| Ok(StoredPose { name: s.name.clone(), pose: pose_of(&s.joints)? }))
            .collect();
        let mut shapes = Shapes::rest(character);
        shapes.set(character, &self.shapes)?;
        let motions = match &self.motions {
            Some(motions) => restored_motions(motions, character)?,
            None => Motions::of_file(character),
        };
        let entries = self.surface.iter().map(|record| record.entry(character));
        let surface = SurfaceStack { entries: entries.collect::<Result<_, _>>()? };
        let mut rig = self.rig.clone();
        let warnings = move_painted(&mut rig, character);
        let pose = Arc::new(pose_of(&self.pose)?);
        let strokes = match &self.strokes {
            None => Arc::default(),
            Some(record) => {
                let on = Document { character: Arc::clone(character), ..document.clone() };
                let list = record.list.iter().map(|stroke| stroke.resolve(&on));
                let list = list.collect::<Result<_, _>>()?;
                let (from, made) = (Arc::new(pose_of(&record.from)?), Arc::clone(&pose));
                Arc::new(PoseStrokes { from, list, made })
            }
        };
        let layers = self.weight_layers.as_ref().map(|text| text.layers(character)).transpose()?;
        let restored = Document {
            pose_strokes: strokes,
            weight_layers: Arc::new(layers.unwrap_or_default()),
            character: Arc::clone(character),
            values: Arc::new(values_of(&self.controls, character)?),
            rig: Arc::new(rig),
            shapes: Arc::new(shapes),
            pose,
            rest_cage: Arc::new(self.rest_cage.clone()),
            surface: Arc::new(surface),
            stored_poses: Arc::new(stored?),
            motions: Arc::new(motions),
            ..document.clone()
        };
        match restored.broken_invariant() {
            Some(fault) => Err(EditError::value("state", fault)),
            None => {
                *document = restored;
                Ok(warnings)
            }
        }
    }
}

fn controls_of(document: &Document) -> BTreeMap<String, f64> {
    let controls = document.character().drivers.controls.iter().zip(&**document.values());
    let moved = controls.filter(|(control, value)| control.rest.to_bits() != value.to_bits());
    moved.map(|(control, value)| (control.name.clone(), *value)).collect()
}

fn values_of(record: &BTreeMap<String, f64>, character: &Character) -> Result<Vec<f64>, EditError> {
    let controls = &character.drivers.controls;
    let mut values: Vec<f64> = controls.iter().map(|control| control.rest).collect();
    for (name, &value) in record {
        let names = controls.iter().map(|control| control.name.as_str());
        let unknown = || EditError::Unknown(crate::names::unknown("control", name, names));
        values[character.drivers.control(name).ok_or_else(unknown)?] = value;
    }
    Ok(values)
}

/// `None` if all are as in the file.
fn motions_of(document: &Document) -> Option<Vec<MotionText>> {
    let character = document.character();
    let motions = document.motions();
    let text = |entry: &Entry| match entry {
        Entry::OfFile(clip) => MotionText::OfFile { clip: *clip },
        Entry::Own(motion) => MotionText::of(motion, character),
    };
    (**motions != Motions::of_file(character)).then(|| motions.entries.iter().map(text).collect())
}

fn restored_motions(texts: &[MotionText], character: &Character) -> Result<Motions, EditError> {
    let entry = |text: &MotionText| match (text, text.resolve(character)?) {
        (_, Some(motion)) => Ok(Entry::Own(Arc::new(motion))),
        (MotionText::OfFile { clip }, None) => Ok(Entry::OfFile(*clip)),
        (MotionText::Own { .. }, None) => Err(EditError::value("motions", "one that is empty")),
    };
    let entries: Result<Vec<Entry>, EditError> = texts.iter().map(entry).collect();
    Ok(Motions { entries: entries? })
}
