//! Time: which clip is shown, where in it, and what of the document lies over it.
//!
//! Time belongs to the session: playing and going through a clip change nothing in the document.
//! What is shown is the clip at the playhead, with what the user has done since over it: the pose
//! is the clip's for as long as the document's pose is the one that it was when the clip was last
//! gone to, and so it is with the shapes of each mesh. An edit of the pose takes the clip's pose at
//! the playhead for its start ([`Playback::start_of`]), as one step with it; undone, the clip is
//! shown again.

use std::sync::Arc;

use glam::DVec3;
use sinew::Character;
use sinew::frame::{Controls, Rig};
use sinew::motion::{Address, Cursor, Motion, MotionSample};
use sinew::skeleton::{JointPose, Pose};

use crate::document::Document;
use crate::edit::{CageEdit, Edit, PoseEdit, ShapeEdit, with_offsets};
use crate::motions::Motions;
use crate::name_ref::MotionRef;
use crate::shapes::Shapes;
use crate::surface::SurfaceEntry;

/// Where the motion is.
#[derive(Clone, Debug)]
pub struct Playback {
    /// Begins again at the end.
    pub loops: bool,
    /// Times real time.
    pub speed: f64,
    /// Whether springs swing while a clip plays.
    pub swings: bool,
    clip: Option<usize>,
    seconds: f64,
    is_playing: bool,
    range: (f64, f64),
    shown: Option<Shown>,
    loaded: Option<Loaded>,
    /// Where it was before it was played or dragged: what Escape goes back to.
    origin: Option<(f64, Option<Shown>)>,
    /// Time that passed since a frame was asked for.
    step_seconds: Option<f32>,
}

/// The chosen motion, ready to be evaluated again and again.
#[derive(Clone, Debug)]
struct Loaded {
    character: Arc<Character>,
    motions: Arc<Motions>,
    index: usize,
    motion: Arc<Motion>,
    cursor: Cursor,
    sample: MotionSample,
    /// The meshes whose shapes it moves.
    moves_shapes: Vec<bool>,
    /// The named controls that it moves.
    moves_controls: Vec<bool>,
}

impl Loaded {
    fn new(index: usize, document: &Document) -> Self {
        let character = document.character();
        let motion = document.motions().motion(character, index);
        let mut moves_shapes = vec![false; character.parts.len()];
        let mut moves_controls = vec![false; character.drivers.controls.len()];
        for channel in motion.layers.iter().flat_map(|layer| layer.channels()) {
            if let Address::Shape { part, .. } = channel.address()
                && let Some(moves) = moves_shapes.get_mut(part as usize)
            {
                *moves = true;
            }
            if let Address::Control(control) = channel.address()
                && let Some(moves) = moves_controls.get_mut(control as usize)
            {
                *moves = true;
            }
        }
        Self {
            character: Arc::clone(character),
            motions: Arc::clone(document.motions()),
            index,
            motion,
            cursor: Cursor::default(),
            sample: MotionSample::rest(character),
            moves_shapes,
            moves_controls,
        }
    }

    fn is_of(&self, index: usize, document: &Document) -> bool {
        self.index == index
            && Arc::ptr_eq(&self.character, document.character())
            && (Arc::ptr_eq(&self.motions, document.motions())
                || self.motions.is_same(index, document.motions()))
    }
}

/// A motion at the playhead, and what the document had then.
#[derive(Clone, Debug)]
struct Shown {
    pose: Arc<Pose>,
    /// One a mesh: the weights of its shapes if the motion moves them.
    shapes: Vec<Option<Vec<f32>>>,
    /// One a named control: its value if the motion moves it.
    values: Vec<Option<f64>>,
    /// The rest cage, if the motion moves any of its handles.
    rest_cage: Option<Vec<DVec3>>,
    /// How much of surface edits is there, by number, where the motion says so.
    surface: Vec<(u32, f64)>,
    /// With the settings that the motion changes.
    rig: Option<Arc<Rig>>,
    over_character: Arc<Character>,
    over_pose: Arc<Pose>,
    over_shapes: Arc<Shapes>,
    over_values: Arc<Vec<f64>>,
    over_rig: Arc<Rig>,
    over_cage: Arc<Vec<DVec3>>,
}

impl Shown {
    fn new(loaded: &mut Loaded, seconds: f64, document: &Document) -> Self {
        let character = document.character();
        let sample = &mut loaded.sample;
        loaded.motion.evaluate(&character.skeleton, seconds, &mut loaded.cursor, sample);
        let weights = sample.shape_weights.iter().zip(&loaded.moves_shapes);
        let rig = (!sample.settings.is_empty()).then(|| {
            let mut rig = Rig::clone(document.rig());
            for &(setting, value) in &sample.settings {
                setting.set(&mut rig, value);
            }
            Arc::new(rig)
        });
        let values = sample.values.iter().zip(&loaded.moves_controls);
        Self {
            values: values.map(|(value, moves)| moves.then_some(*value)).collect(),
            pose: Arc::new(sample.pose.clone()),
            shapes: weights.map(|(weights, moves)| moves.then(|| weights.clone())).collect(),
            rig,
            over_character: Arc::clone(character),
            over_pose: Arc::clone(document.pose()),
            over_shapes: Arc::clone(document.shapes()),
            over_values: Arc::clone(document.values()),
            over_rig: Arc::clone(document.rig()),
            rest_cage: with_offsets(document, document.rest_cage(), &sample.cage_offsets),
            over_cage: Arc::clone(document.rest_cage()),
            surface: sample.surface_weights.clone(),
        }
    }

    fn is_of(&self, document: &Document) -> bool {
        Arc::ptr_eq(&self.over_character, document.character())
    }

    fn has_pose(&self, document: &Document) -> bool {
        self.is_of(document) && Arc::ptr_eq(&self.over_pose, document.pose())
    }

    /// The weights of a mesh's shapes, if they are shown.
    fn shapes_of(&self, part: usize, document: &Document) -> Option<&Vec<f32>> {
        let weights = self.shapes.get(part)?.as_ref()?;
        let is_shown = self.is_of(document)
            && self.over_shapes.weights()[part] == document.shapes().weights()[part];
        is_shown.then_some(weights)
    }
}

/// True if a pose is another with more joints, which are at rest.
fn is_longer(old: &Pose, new: &Pose) -> bool {
    let common = old.joints.len();
    new.joints.len() > common
        && new.joints[..common] == old.joints[..]
        && new.joints[common..].iter().all(|joint| *joint == JointPose::REST)
}

impl Default for Playback {
    fn default() -> Self {
        Self {
            loops: true,
            speed: 1.0,
            swings: false,
            clip: None,
            seconds: 0.0,
            is_playing: false,
            range: (0.0, 0.0),
            shown: None,
            loaded: None,
            origin: None,
            step_seconds: None,
        }
    }
}

impl Playback {
    /// Which of the character's clips; `None` shows the document's own pose.
    pub fn clip(&self) -> Option<usize> {
        self.clip
    }

    /// The playhead.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// True while time passes.
    pub fn is_playing(&self) -> bool {
        self.is_playing
    }

    /// True while it plays or is dragged.
    pub fn is_held(&self) -> bool {
        self.is_playing || self.origin.is_some()
    }

    /// What is played of the clip, in seconds.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    /// Plays only this part.
    pub fn set_range(&mut self, from: f64, to: f64) {
        self.range = (from, to.max(from));
    }

    /// True if the pose on the screen is the clip's.
    pub fn shows_clip(&self, document: &Document) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.has_pose(document))
    }

    /// The length of the chosen motion.
    pub fn clip_seconds(&self, document: &Document) -> f64 {
        let motions = document.motions();
        let chosen = self.clip.filter(|&clip| clip < motions.len());
        chosen.map_or(0.0, |clip| motions.seconds(document.character(), clip))
    }

    /// The chosen motion as it is evaluated, if it was shown.
    pub fn motion(&self) -> Option<&Arc<Motion>> {
        self.clip.and(self.loaded.as_ref()).map(|loaded| &loaded.motion)
    }

    fn load(&mut self, document: &Document) -> Option<&mut Loaded> {
        let index = self.clip.filter(|&clip| clip < document.motions().len())?;
        if !self.loaded.as_ref().is_some_and(|loaded| loaded.is_of(index, document)) {
            self.loaded = Some(Loaded::new(index, document));
        }
        self.loaded.as_mut()
    }

    /// Takes in what edits, undo and redo did to the motion: what is shown is the motion as it is
    /// now. What lies over it stays over it.
    pub fn sync(&mut self, document: &Document) {
        let Some(clip) = self.clip else { return };
        if clip >= document.motions().len() {
            self.hide();
            self.clip = None;
            return;
        }
        let before = self.loaded.as_ref().map(|loaded| loaded.motion.length_seconds);
        let is_current = self.loaded.as_ref().is_some_and(|loaded| loaded.is_of(clip, document));
        let over_rig = self.shown.as_ref().map(|shown| &shown.over_rig);
        let is_rig = over_rig.is_none_or(|rig| Arc::ptr_eq(rig, document.rig()));
        if is_current && is_rig {
            return;
        }
        let length = self.clip_seconds(document);
        if before.is_none_or(|before| self.range.1 >= before) || self.range.1 > length {
            self.range.1 = length;
        }
        self.range.0 = self.range.0.min(self.range.1);
        let seconds = self.seconds.clamp(0.0, length);
        let Some(loaded) = self.load(document) else { return };
        let mut now = Shown::new(loaded, seconds, document);
        let Some(shown) = &mut self.shown else { return };
        // Joints that were added at rest are no pose that hides the clip.
        if !is_longer(&shown.over_pose, &now.over_pose) {
            std::mem::swap(&mut now.over_pose, &mut shown.over_pose);
        }
        std::mem::swap(&mut now.over_shapes, &mut shown.over_shapes);
        std::mem::swap(&mut now.over_values, &mut shown.over_values);
        std::mem::swap(&mut now.over_cage, &mut shown.over_cage);
        *shown = now;
        self.seconds = seconds;
    }

    /// How the skin that is shown is made: the document's rig, with the settings that the motion
    /// changes.
    pub fn rig<'a>(&'a self, document: &'a Document) -> &'a Arc<Rig> {
        let shown = self
            .shown
            .as_ref()
            .filter(|shown| shown.is_of(document) && Arc::ptr_eq(&shown.over_rig, document.rig()));
        shown.and_then(|shown| shown.rig.as_ref()).unwrap_or_else(|| document.rig())
    }

    /// Chooses a clip and shows its start, or shows the document's own pose.
    pub fn choose(&mut self, clip: Option<usize>, document: &Document) {
        self.pause();
        self.clip = clip.filter(|&clip| clip < document.motions().len());
        self.range = (0.0, self.clip_seconds(document));
        self.seconds = 0.0;
        self.shown = None;
        self.go_to(0.0, document);
    }

    /// Moves the playhead, and shows the clip there.
    pub fn go_to(&mut self, seconds: f64, document: &Document) {
        let length = self.clip_seconds(document);
        if seconds.is_finite() {
            self.seconds = seconds.clamp(0.0, length);
        }
        let seconds = self.seconds;
        self.shown = self.load(document).map(|loaded| Shown::new(loaded, seconds, document));
    }

    /// Moves it while it is held: Escape goes back to where it was taken.
    pub fn scrub(&mut self, seconds: f64, document: &Document) {
        self.remember();
        self.go_to(seconds, document);
    }

    /// The hand lets go: it stays where it is.
    pub fn end_scrub(&mut self) {
        if !self.is_playing {
            self.origin = None;
        }
    }

    fn remember(&mut self) {
        if self.origin.is_none() {
            self.origin = Some((self.seconds, self.shown.clone()));
        }
    }

    /// Starts, from the start of the range if it is at its end.
    pub fn play(&mut self, document: &Document) {
        if self.load(document).is_none() {
            return;
        }
        self.remember();
        if self.seconds >= self.range.1 {
            self.seconds = self.range.0;
        }
        self.is_playing = true;
        self.go_to(self.seconds, document);
    }

    /// Stops where it is.
    pub fn pause(&mut self) {
        self.is_playing = false;
        self.origin = None;
        self.step_seconds = None;
    }

    /// Goes back to before it was played or dragged, playhead and picture in step; false if it was
    /// not.
    pub fn escape(&mut self) -> bool {
        let Some((seconds, shown)) = self.origin.take() else { return false };
        self.pause();
        (self.seconds, self.shown) = (seconds, shown);
        true
    }

    /// Lets time pass; false if it stands still.
    pub fn advance(&mut self, passed_seconds: f64, document: &Document) -> bool {
        if !self.is_playing {
            return false;
        }
        let (start, end) = self.range;
        let length = (end - start).max(1e-6);
        let mut next = self.seconds + passed_seconds * self.speed;
        if self.loops {
            next = start + (next - start).rem_euclid(length);
        } else if next >= end {
            next = end;
            self.pause();
        }
        self.go_to(next, document);
        let passed = (passed_seconds * self.speed) as f32;
        self.step_seconds = (self.is_playing && self.swings && passed > 0.0).then_some(passed);
        true
    }

    /// The pose that is shown.
    pub fn pose<'a>(&'a self, document: &'a Document) -> &'a Arc<Pose> {
        match &self.shown {
            Some(shown) if shown.has_pose(document) => &shown.pose,
            _ => document.pose(),
        }
    }

    /// The motion's own pose at the playhead, whatever lies over it.
    pub fn pose_of_motion(&self) -> Option<&Arc<Pose>> {
        self.shown.as_ref().map(|shown| &shown.pose)
    }

    /// The weight of each mesh's shapes that is shown, and whether it is the clip's.
    pub fn shape_weights<'a>(&'a self, part: usize, document: &'a Document) -> (&'a [f32], bool) {
        match self.shown.as_ref().and_then(|shown| shown.shapes_of(part, document)) {
            Some(weights) => (weights, true),
            None => (&document.shapes().weights()[part], false),
        }
    }

    /// The values of named controls that are shown: the motion's where it moves them, and nobody
    /// has set them since.
    pub fn values(&self, document: &Document) -> Vec<f64> {
        let mut values = Vec::clone(document.values());
        if let Some(shown) = self.shown.as_ref().filter(|shown| shown.is_of(document)) {
            let of_motion = shown.values.iter().zip(shown.over_values.iter());
            for (value, (shown, over)) in values.iter_mut().zip(of_motion) {
                if *value == *over {
                    *value = shown.unwrap_or(*over);
                }
            }
        }
        values
    }

    /// How much of a surface edit is shown, and whether the motion says so: by its keys while it is
    /// shown, else by the edit itself.
    pub fn surface_weight(&self, entry: &SurfaceEntry) -> (f32, bool) {
        let of_motion = self
            .shown
            .as_ref()
            .and_then(|shown| shown.surface.iter().find(|(number, _)| *number == entry.number));
        of_motion.map_or((entry.weight, false), |(_, weight)| (*weight as f32, true))
    }

    /// Where the handles of the cage are at rest, as it is shown; as bound if empty.
    pub fn rest_cage<'a>(&'a self, document: &'a Document) -> &'a [DVec3] {
        self.cage_of_motion(document).unwrap_or_else(|| document.rest_cage())
    }

    /// The motion's, if it is what is shown.
    fn cage_of_motion(&self, document: &Document) -> Option<&[DVec3]> {
        let shown = self.shown.as_ref().filter(|shown| {
            shown.is_of(document) && Arc::ptr_eq(&shown.over_cage, document.rest_cage())
        })?;
        let rest = shown.rest_cage.as_deref()?;
        let num_handles = document.rig().cage.as_ref().map_or(0, |rig| rig.cage.points().len());
        (rest.len() == num_handles).then_some(rest)
    }

    /// The edits that take the cage that is shown into the document, where it is the motion's.
    pub(crate) fn start_of_cage(&self, document: &Document) -> Vec<Edit> {
        match self.clip.filter(|_| self.cage_of_motion(document).is_some()) {
            Some(clip) => {
                let (clip, seconds) = (MotionRef::of(document, clip).0, self.seconds);
                vec![CageEdit::CageFromClip { clip, seconds }.into()]
            }
            None => Vec::new(),
        }
    }

    /// What the frame that is shown is made from.
    pub fn controls(&self, document: &Document) -> Controls {
        let num_parts = document.character().parts.len();
        let of_part = |part| self.shape_weights(part, document).0.to_vec();
        let shapes: Vec<Vec<f32>> = (0..num_parts).map(of_part).collect();
        let pose = Pose::clone(self.pose(document));
        let controls = Controls::posed(document.character(), pose).with_shapes(&shapes);
        let controls = document.with_surface(controls, |entry| self.surface_weight(entry).0);
        let (values, cage) = (self.values(document), self.rest_cage(document).to_vec());
        Controls { step_seconds: self.step_seconds, values, cage, ..controls }
    }

    /// Shows the document's own pose over the motion, as after posing there: until the playhead
    /// moves.
    pub fn lay_pose_over(&mut self) {
        if let Some(shown) = &mut self.shown {
            shown.over_pose = Arc::new(Pose::clone(&shown.over_pose));
        }
    }

    /// Joints that stand elsewhere than the motion has them at the playhead.
    pub fn posed_over(&self, document: &Document) -> Vec<u32> {
        let Some(of_motion) = self.pose_of_motion() else { return Vec::new() };
        let both = (0..).zip(self.pose(document).joints.iter().zip(&of_motion.joints));
        both.filter(|(_, (own, of_motion))| own != of_motion).map(|(joint, _)| joint).collect()
    }

    /// Shows the document's own pose.
    pub fn hide(&mut self) {
        self.pause();
        self.shown = None;
    }

    /// The edits that take what is shown into the document, as far as another edit starts from it.
    pub fn start_of(&self, edit: &Edit, document: &Document) -> Vec<Edit> {
        match edit {
            Edit::Pose(edit) if edit.starts_from_pose() => self.start_of_pose(document),
            Edit::Shape(edit @ ShapeEdit::SetShapes { .. }) => {
                self.start_of_shapes(edit, document).into_iter().collect()
            }
            // It is taken back through the pose that is seen.
            Edit::Cage(CageEdit::MovePosedCage { .. }) => {
                let mut start = self.start_of_pose(document);
                start.extend(self.start_of_cage(document));
                start
            }
            Edit::Cage(CageEdit::MoveCage { .. }) => self.start_of_cage(document),
            Edit::Rigging(edit) if edit.starts_from_pose() => self.start_of_pose(document),
            Edit::Weights(edit) if edit.starts_from_pose() => self.start_of_pose(document),
            Edit::Stroke(edit) if edit.starts_from_pose() => self.start_of_pose(document),
            Edit::Pose(_)
            | Edit::Shape(_)
            | Edit::Rig(_)
            | Edit::Motion(_)
            | Edit::Rigging(_)
            | Edit::Weights(_)
            | Edit::Stroke(_)
            | Edit::Surface(_)
            | Edit::Cage(_)
            | Edit::Layers(_) => Vec::new(),
        }
    }

    /// What an edit of the pose starts with.
    pub(crate) fn start_of_pose(&self, document: &Document) -> Vec<Edit> {
        match self.clip.filter(|_| self.shows_clip(document)) {
            Some(clip) => {
                let (clip, seconds) = (MotionRef::of(document, clip).0, self.seconds);
                vec![PoseEdit::PoseFromClip { clip, seconds }.into()]
            }
            None => Vec::new(),
        }
    }

    /// The shown weights of the meshes that an edit is about.
    fn start_of_shapes(&self, edit: &ShapeEdit, document: &Document) -> Option<Edit> {
        let ShapeEdit::SetShapes { weights } = edit else { return None };
        let mut shown = Shapes::clone(document.shapes());
        for mesh in weights.keys() {
            let Ok(part) = mesh.resolve(document.character()) else { continue };
            shown.weights[part] = self.shape_weights(part, document).0.to_vec();
        }
        ShapeEdit::between(document, document.shapes(), &shown).map(Edit::from)
    }
}
