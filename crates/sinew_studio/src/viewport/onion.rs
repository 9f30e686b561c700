//! Onion skin: the character at the keys before and after the playhead, seen through.

use std::sync::Arc;

use sinew::Character;
use sinew::frame::{Controls, Frame, Normals, Plan, Rig};
use sinew::glam::DVec3;
use sinew::motion::{Cursor, Motion, MotionSample};
use sinew::progress::Silent;
use sinew::skin::SkinMethod;
use sinew_editor::Document;
use sinew_view::scene::{Facet, Marks};

/// Keys on either side of the playhead.
const NUM_KEYS: usize = 2;
/// Keys that are nearer to one another than this are one, in seconds: a baked clip has keys in
/// every frame.
const LEAST_SPACING: f64 = 0.15;
/// Triangles of all shapes together; a body with more is not shown so often.
const MOST_TRIANGLES: usize = 200_000;

/// Over the diagonal: less is no way.
const STILL: f32 = 2e-3;

/// Linear, with opacity: what was, and what will be. The further from the playhead, the fainter.
const BEFORE: [f32; 4] = [0.85, 0.25, 0.12, 0.3];
const AFTER: [f32; 4] = [0.1, 0.55, 0.3, 0.3];
const FADE: f32 = 0.5;

/// The shapes at neighbouring keys, made again only where they are others.
#[derive(Default)]
pub(crate) struct Onion {
    plan: Option<(Arc<Character>, Plan)>,
    made: Option<Made>,
    num_made: u64,
}

struct Made {
    motion: Arc<Motion>,
    seconds: f64,
    /// The cage, and where its handles are where the motion does not move them.
    rig: Arc<Rig>,
    rest_cage: Arc<Vec<DVec3>>,
    marks: Arc<Marks>,
}

impl Onion {
    /// The shapes around a time, and a number that is another one where they are others.
    pub(crate) fn around(
        &mut self,
        document: &Document,
        motion: &Arc<Motion>,
        seconds: f64,
    ) -> (u64, Arc<Marks>) {
        let character = document.character();
        let is_known = self.made.as_ref().is_some_and(|made| {
            made.seconds == seconds
                && Arc::ptr_eq(&made.motion, motion)
                && Arc::ptr_eq(&made.rig, document.rig())
                && Arc::ptr_eq(&made.rest_cage, document.rest_cage())
                && self.plan.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, character))
        });
        if !is_known {
            let marks = Arc::new(self.make(document, motion, seconds));
            self.made = Some(Made {
                motion: Arc::clone(motion),
                seconds,
                rig: Arc::clone(document.rig()),
                rest_cage: Arc::clone(document.rest_cage()),
                marks,
            });
            self.num_made += 1;
        }
        let marks = self.made.as_ref().map(|made| Arc::clone(&made.marks)).unwrap_or_default();
        (self.num_made, marks)
    }

    fn make(&mut self, document: &Document, motion: &Motion, seconds: f64) -> Marks {
        let character = document.character();
        if self.plan.as_ref().is_none_or(|(of, _)| !Arc::ptr_eq(of, character)) {
            // Linear, whatever the view's method: a ghost is to be there at once.
            let rig = Rig::of(SkinMethod::Linear).with_normals(Normals::Off);
            self.plan =
                Plan::bind(character, &rig, &Silent).ok().map(|plan| (Arc::clone(character), plan));
        }
        // In a cage by what its edits are taken back through, which is bound already.
        let in_cage = document.bound_cage().ok().flatten();
        let plain = self.plan.as_ref().map(|(_, plan)| plan);
        let Some(plan) = in_cage.as_deref().or(plain) else { return Marks::default() };
        let num_triangles: usize =
            character.parts.iter().map(|part| part.mesh.point_triangles().len()).sum();
        let most = MOST_TRIANGLES / num_triangles.max(1);
        let (mut scratch, mut frame) = (plan.scratch(), plan.frame());
        let (mut cursor, mut sample) = (Cursor::default(), MotionSample::rest(character));
        let mut run = |seconds: f64, frame: &mut Frame| {
            motion.evaluate(&character.skeleton, seconds, &mut cursor, &mut sample);
            let controls = Controls::posed(character, sample.pose.clone());
            let mut controls = controls.with_shapes(&sample.shape_weights);
            controls.cage = document.cage_under(&sample.cage_offsets);
            plan.run(&controls, &mut scratch, frame);
        };
        let mut now = plan.frame();
        run(seconds, &mut now);
        let still = STILL * now.bounds().diagonal();
        let mut marks = Marks::default();
        for (seconds, color) in neighbours(motion, seconds).into_iter().take(most) {
            run(seconds, &mut frame);
            let parts = frame.parts().iter().zip(now.parts());
            for (part, (then, now)) in character.parts.iter().zip(parts) {
                let (then, now) = (then.points(), now.points());
                let has_moved = |&p: &u32| then[p as usize].distance(now[p as usize]) > still;
                let triangles = part.mesh.point_triangles().iter();
                // What stands still would only lie over the skin.
                let moved = triangles.filter(|t| t.iter().any(has_moved));
                marks.facets.extend(
                    moved.map(|t| Facet { corners: t.map(|corner| then[corner as usize]), color }),
                );
            }
        }
        marks
    }
}

/// The times of keys beside a time, the nearest first, and their colours.
fn neighbours(motion: &Motion, seconds: f64) -> Vec<(f64, [f32; 4])> {
    let channels = motion.layers.iter().flat_map(|layer| layer.channels());
    let mut times: Vec<f64> =
        channels.flat_map(|channel| channel.keys().times_seconds().collect::<Vec<_>>()).collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut found = Vec::new();
    let mut take = |times: &mut dyn Iterator<Item = f64>, color: [f32; 4]| {
        let (mut last, mut color, mut num) = (seconds, color, 0);
        for time in times.filter(|time| (time - seconds).abs() > 1e-6) {
            if num < NUM_KEYS && (time - last).abs() >= LEAST_SPACING {
                found.push((time, color));
                color[3] *= FADE;
                (last, num) = (time, num + 1);
            }
        }
    };
    take(&mut times.iter().rev().copied().filter(|&time| time < seconds), BEFORE);
    take(&mut times.iter().copied().filter(|&time| time > seconds), AFTER);
    found.sort_by(|a, b| (a.0 - seconds).abs().total_cmp(&(b.0 - seconds).abs()));
    found
}

#[cfg(test)]
mod tests {
    use sinew::motion::Motion;
    use sinew::sample::{SampleKind, SampleOptions, build};

    use sinew_editor::{Edit, Source};

    use super::*;

    /// A key of the cage alone has a ghost, where the handles are at that key.
    #[test]
    fn ghosts_know_keys_of_the_cage() {
        let options =
            SampleOptions { points: Some(600), ..SampleOptions::new(SampleKind::Cylinder) };
        let mut document = Document::open(Source::Sample(options), None).unwrap();
        for text in [
            r#"{"edit": "generate-cage", "faces": 60}"#,
            r#"{"edit": "add-motion", "name": "grow", "seconds": 1}"#,
            r#"{"edit": "set-keys", "motion": "grow", "channels": [
                {"channel": {"handle": 0}, "keys": [
                    {"seconds": 0, "value": [0, 0, 0], "span": "linear"},
                    {"seconds": 1, "value": [0, 0, 0.5], "span": "linear"}]}]}"#,
        ] {
            document.apply(&serde_json::from_str::<Edit>(text).unwrap()).unwrap();
        }
        let motions = document.motions();
        let motion = motions.motion(document.character(), motions.len() - 1);
        let mut onion = Onion::default();
        let (first, marks) = onion.around(&document, &motion, 0.0);
        assert!(!marks.facets.is_empty(), "the key at a second has a ghost");
        assert_eq!(onion.around(&document, &motion, 0.0).0, first, "and is not made again");
        // Without the cage nothing moves.
        let none = r#"{"edit": "set-cage", "cage": null}"#;
        document.apply(&serde_json::from_str::<Edit>(none).unwrap()).unwrap();
        let (second, marks) = onion.around(&document, &motion, 0.0);
        assert_ne!(second, first);
        assert!(marks.facets.is_empty());
    }

    #[test]
    fn neighbours_are_beside_the_playhead_and_not_on_it() {
        let human = build(&SampleOptions::new(SampleKind::Human)).unwrap();
        let motion = Motion::of_clip(&human.clips[0], &human.skeleton);
        let middle = 0.5 * human.clips[0].duration_seconds();
        let found = neighbours(&motion, middle);
        assert!(!found.is_empty() && found.len() <= 2 * NUM_KEYS, "{found:?}");
        let is_before = |&&(time, _): &&(f64, [f32; 4])| time < middle;
        assert!(found.iter().filter(is_before).count() <= NUM_KEYS);
        for (time, color) in &found {
            assert!((time - middle).abs() >= LEAST_SPACING, "{found:?}");
            let [red, green, ..] = color;
            assert_eq!(*time < middle, red > green, "{found:?}");
        }
        assert!(neighbours(&motion, 0.0).iter().all(|(time, _)| *time > 0.0));
    }
}
