//! Clips on the document: what the timeline shows is the pose.

use std::sync::Arc;

use sinew_editor::Edit;

use crate::studio::Studio;

impl Studio {
    pub(crate) fn choose_clip(&mut self, clip: Option<usize>) {
        self.settle();
        self.timeline.clip = clip.filter(|&clip| clip < self.document().character().clips.len());
        self.timeline.seconds = 0.0;
        self.timeline.range = (0.0, self.clip_seconds());
        if self.timeline.clip.is_some() {
            self.go_to(0.0);
        }
    }

    /// Of the chosen clip.
    pub(crate) fn clip_seconds(&self) -> f64 {
        let clip = self.timeline.clip.and_then(|clip| self.document().character().clips.get(clip));
        clip.map_or(0.0, sinew::motion::Clip::duration_seconds)
    }

    /// Takes the pose of the clip at a time. All of a walk through a clip is one step, and open until something else is done.
    pub(crate) fn go_to(&mut self, seconds: f64) {
        let clips = &self.document().character().clips;
        let Some(clip) = self.timeline.clip.and_then(|clip| clips.get(clip)) else { return };
        let name = clip.name.clone();
        self.timeline.seconds = seconds.clamp(0.0, clip.duration_seconds());
        let editor = self.workspace.editor_mut();
        if !self.scrubs_time {
            editor.begin(Some(&format!("Pose from {name}")));
            self.scrubs_time = true;
        }
        let edit = Edit::PoseFromClip { clip: name, seconds: self.timeline.seconds };
        if let Err(error) = editor.replace(vec![edit]) {
            self.toasts.failed(error.to_string());
        }
    }

    /// What the clip does to the meshes' shapes, while it is shown.
    pub(super) fn shape_weights(&self) -> Option<Arc<Vec<Vec<f32>>>> {
        let character = self.document().character();
        let clip = character.clips.get(self.timeline.clip.filter(|_| self.scrubs_time)?)?;
        if clip.shape_tracks.is_empty() {
            return None;
        }
        let of_part = |(index, part)| clip.shape_weights_at(index, part, self.timeline.seconds);
        Some(Arc::new(character.parts.iter().enumerate().map(of_part).collect()))
    }
}
