//! Clips over the document: time is the session's, and playing changes nothing in the document.

use crate::studio::Studio;

impl Studio {
    pub(crate) fn choose_clip(&mut self, clip: Option<usize>) {
        self.session.playback.choose(clip, self.workspace.editor().document());
    }

    /// Of the chosen clip.
    pub(crate) fn clip_seconds(&self) -> f64 {
        self.session.playback.clip_seconds(self.document())
    }

    /// What frames of the chosen clip are counted in.
    pub(crate) fn frames_per_second(&self) -> f64 {
        self.panels.timeline.frames_per_second()
    }

    /// Shows the clip at a time, standing still.
    pub(crate) fn go_to(&mut self, seconds: f64) {
        let playback = &mut self.session.playback;
        playback.pause();
        playback.go_to(seconds, self.workspace.editor().document());
    }

    /// The same while the playhead is held: Escape goes back to where it was taken.
    pub(crate) fn scrub_time(&mut self, seconds: f64) {
        self.session.playback.scrub(seconds, self.workspace.editor().document());
    }

    pub(crate) fn play_or_pause(&mut self) {
        let playback = &mut self.session.playback;
        match playback.is_playing() {
            true => playback.pause(),
            false => {
                self.panels.timeline.forget_dropped();
                playback.play(self.workspace.editor().document());
            }
        }
    }

    /// Lets the time pass that has passed; false if the clip stands still.
    pub(crate) fn advance(&mut self) -> bool {
        let passed = self.panels.timeline.passed_seconds(&self.clock);
        self.panels.timeline.count_as(self.session.playback.motion());
        let playback = &mut self.session.playback;
        let is_moving = playback.advance(passed, self.workspace.editor().document());
        if playback.is_playing() {
            let num_answers = self.views.panes.pane(0).num_answers;
            self.panels.timeline.count(num_answers, playback.seconds());
        }
        is_moving
    }
}
