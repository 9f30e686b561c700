//! What the studio does for a frame, without its window: a pose in, a skin with normals out, over
//! the solver's thread.

use std::sync::mpsc::{Receiver, channel};

use sinew::sample::SampleKind;
use sinew::springs::{SpringModel, SpringSettings};
use sinew_editor::solver::{Job, Solver};
use sinew_editor::{
    ChannelRef, Document, Editor, KeysRef, MotionEdit, MotionRef, Playback, PoseEdit, RigEdit,
    Source,
};

use super::cases::{Case, Prepared};

/// Poses in a round: enough that none is where the last one was.
const NUM_POSES: usize = 24;

/// A character with anchored springs, through the poses of its first clip.
pub(super) fn pose(kind: SampleKind) -> Case {
    Case {
        name: format!("studio pose {} anchored, by the frame", kind.name()),
        bytes: None,
        prepare: Box::new(move |_| {
            let jobs = jobs(kind);
            let (wake, woken) = channel();
            let solver = Solver::start(move || _ = wake.send(()));
            let mut next = 0;
            // Bound before the first frame is timed.
            answer(&solver, &jobs[0], &woken);
            let run = move || {
                next = (next + 1) % jobs.len();
                answer(&solver, &jobs[next], &woken);
            };
            Prepared { items: 1, run: Box::new(run) }
        }),
    }
}

/// Keys that are dragged at once.
const NUM_KEYS: usize = 1000;

/// A move of the pointer while a thousand keys are dragged: the edit, and what is then shown.
pub(super) fn drag_keys() -> Case {
    Case {
        name: format!("{NUM_KEYS} keys dragged, by the move"),
        bytes: None,
        prepare: Box::new(|_| {
            let mut document =
                Document::open(Source::sample(SampleKind::Human), None).expect("samples build");
            // The walk as the sample has it has fewer keys.
            let resample = MotionEdit::ResampleMotion {
                motion: MotionRef::of(&document, 0),
                per_second: 60.0,
            };
            document.apply(&resample.into()).expect("a rate that can be");
            let motion = document.motions().motion(document.character(), 0);
            let mut left = NUM_KEYS;
            let mut keys = Vec::new();
            for channel in motion.layers[0].channels() {
                let seconds: Vec<f64> = channel.keys().times_seconds().take(left).collect();
                left -= seconds.len();
                let channel = ChannelRef::of(document.character(), channel.address());
                keys.push(KeysRef { channel, seconds });
                if left == 0 {
                    break;
                }
            }
            assert_eq!(left, 0, "the walk has as many keys");
            let motion = MotionRef::of(&document, 0);
            let mut playback = Playback::default();
            playback.choose(Some(0), &document);
            let mut editor = Editor::new(document);
            editor.begin(Some("Move keys"));
            let mut step = 0_u32;
            let run = move || {
                step += 1;
                let by_seconds = 0.001 * f64::from(step % 100);
                let edit = MotionEdit::MoveKeys {
                    motion: motion.clone(),
                    layer: None,
                    keys: keys.clone(),
                    by_seconds,
                };
                editor.replace(vec![edit.into()]).expect("keys of the walk");
                playback.sync(editor.document());
                std::hint::black_box(playback.pose(editor.document()));
            };
            Prepared { items: 1, run: Box::new(run) }
        }),
    }
}

fn jobs(kind: SampleKind) -> Vec<Job> {
    let mut document = Document::open(Source::sample(kind), None).expect("samples can be built");
    let springs = Some(SpringSettings::new(SpringModel::Anchored));
    document.apply(&RigEdit::SetSprings { springs }.into()).expect("springs fit every sample");
    let clip = &document.character().clips[0];
    let (name, seconds) = (clip.name.clone(), clip.duration_seconds());
    let job = |step: usize| {
        let seconds = seconds * step as f64 / NUM_POSES as f64;
        let clip = name.clone();
        document
            .apply(&PoseEdit::PoseFromClip { clip, seconds }.into())
            .expect("a clip of the sample");
        Job::of(&document)
    };
    (0..NUM_POSES).map(job).collect()
}

fn answer(solver: &Solver, job: &Job, woken: &Receiver<()>) {
    solver.ask(job.clone());
    loop {
        if let Some(answer) = solver.take() {
            std::hint::black_box(answer);
            return;
        }
        if woken.recv().is_err() {
            return;
        }
    }
}
