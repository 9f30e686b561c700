//! A stroke that is being drawn, and what it does.

use std::sync::Arc;

use glam::Vec2;
use sinew::skeleton::Pose;
use sinew::sketch::chain::Chain;
use sinew::sketch::pose::{Limits, PoseStroke, StrokePlane};
use sinew::sketch::stroke::{Curve, Steady};

use super::super::Context;
use super::screen::{Screen, fit, in_hand, on_plane, on_screen, pixel, plane, under};
use crate::edit::{Edit, StrokeEdit, StrokeText};
use crate::pose_strokes::MOST_STROKES;

/// A way shorter than this is a click. Times [`crate::View::gizmo_scale`].
pub(super) const LEAST_PX: f32 = 9.0;

/// What a stroke is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Purpose {
    /// It says itself which chain it means, and poses it.
    Any,
    /// It only says which chain it means, and where that is: a baseline.
    Choose,
    /// It poses the chosen chain, unless it runs over another one.
    Target(Chosen),
    /// It replaces a stretch of a stroke in hand, from that knot's place on.
    Redraw(Chosen, usize),
}

/// The chain that strokes are for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    pub(super) chain: Chain,
    /// Where it was drawn, and on what.
    pub(super) baseline: Option<(Curve, StrokePlane)>,
}

impl Chosen {
    /// That of a stroke in hand.
    pub(super) fn of(stroke: &PoseStroke) -> Self {
        let baseline = stroke.baseline.clone().map(|baseline| (baseline, stroke.plane));
        Self { chain: stroke.chain.clone(), baseline }
    }
}

/// The pen is down.
#[derive(Clone, Debug)]
pub(super) struct Drawing {
    pub(super) purpose: Purpose,
    /// In pixels; the line, not the pen.
    pub(super) samples: Vec<Vec2>,
    pub(super) pen: Vec2,
    steady: Steady,
    /// How it stood before.
    pub(super) start: Arc<Pose>,
    /// What it poses, once that is known.
    pub(super) found: Option<Chosen>,
    /// A drag of the history is open for it.
    pub(super) is_open: bool,
    /// The stroke in hand that it is, once it poses.
    pub(super) number: Option<usize>,
    /// The strokes in hand when the pen went down.
    in_hand: Vec<PoseStroke>,
    screen: Arc<Screen>,
}

impl Drawing {
    pub(super) fn new(purpose: Purpose, at: Vec2, screen: Screen, context: &Context<'_>) -> Self {
        let string = context.sketch.steady_px * context.view.gizmo_scale();
        Self {
            purpose,
            samples: vec![at],
            pen: at,
            steady: Steady::new(at.as_dvec2(), f64::from(string)),
            start: Arc::clone(context.pose),
            found: None,
            is_open: false,
            number: None,
            in_hand: in_hand(context).to_vec(),
            screen: Arc::new(screen),
        }
    }

    pub(super) fn follow(&mut self, pen: Vec2) {
        self.pen = pen;
        let at = self.steady.follow(pen.as_dvec2()).as_vec2();
        if at.is_finite() && self.samples.last() != Some(&at) {
            self.samples.push(at);
        }
    }

    /// The pen goes up: the line ends where it is.
    pub(super) fn end(&mut self, pen: Vec2) {
        self.follow(pen);
        if pen.is_finite() && !self.is_click(1.0) {
            self.samples.push(pen);
        }
    }

    pub(super) fn is_click(&self, scale: f32) -> bool {
        let first = self.samples[0];
        let farthest = self.samples.iter().map(|at| at.distance(first)).fold(0.0, f32::max);
        farthest < LEAST_PX * scale
    }

    /// The chain that it means, with the joints as they stood when the pen went down.
    pub(super) fn chain(&self, context: &Context<'_>) -> Option<Chain> {
        let seen = self.screen.seen(context);
        let over = || seen.over(&on_screen(&self.samples, context)?);
        let first = self.samples[0].as_dvec2();
        let last = self.samples[self.samples.len() - 1].as_dvec2();
        let towards = self.samples.iter().map(|at| at.as_dvec2() - first);
        // Where it went first: what comes later may have turned.
        let soon = 3.0 * f64::from(LEAST_PX * context.view.gizmo_scale());
        let towards = towards.into_iter().find(|way| way.length() > soon);
        let from = || seen.from(first, towards.unwrap_or(last - first));
        match self.purpose {
            Purpose::Any | Purpose::Choose => over().or_else(from),
            Purpose::Target(ref chosen) if chosen.baseline.is_none() => {
                // Over another limb it is for that one: nobody draws an arm down a leg.
                let is_apart = |other: &Chain| {
                    other.path().iter().all(|joint| !chosen.chain.path().contains(joint))
                };
                Some(over().filter(is_apart).unwrap_or_else(|| chosen.chain.clone()))
            }
            Purpose::Target(ref chosen) | Purpose::Redraw(ref chosen, _) => {
                Some(chosen.chain.clone())
            }
        }
    }

    /// What is chosen by it alone.
    pub(super) fn baseline(&self, context: &Context<'_>) -> Option<Chosen> {
        let chain = self.chain(context)?;
        let plane = plane(&chain, &self.start, context);
        let curve = on_plane(&self.samples, &plane, context)?;
        Some(Chosen { chain, baseline: Some((curve, plane)) })
    }

    /// The stroke that it is so far, and the edit that does it.
    pub(super) fn stroke(&mut self, context: &Context<'_>) -> Option<Edit> {
        if self.is_click(context.view.gizmo_scale()) {
            return None;
        }
        let (chosen, edit) = match self.purpose.clone() {
            Purpose::Choose => return None,
            Purpose::Redraw(chosen, number) => {
                let edit = self.redrawn(number, context)?;
                (chosen, edit)
            }
            Purpose::Any => {
                let chosen = Chosen { chain: self.chain(context)?, baseline: None };
                let edit = self.drawn(&chosen, context)?;
                (chosen, edit)
            }
            Purpose::Target(chosen) => {
                let chosen = match self.chain(context) {
                    Some(other) if other != chosen.chain => Chosen { chain: other, baseline: None },
                    _ => chosen,
                };
                let edit = self.drawn(&chosen, context)?;
                (chosen, edit)
            }
        };
        self.found = Some(chosen);
        self.number = Some(match &edit {
            StrokeEdit::RedrawPose { number, .. } => *number,
            _ => self.in_hand.len().min(MOST_STROKES - 1),
        });
        Some(edit.into())
    }

    fn drawn(&self, chosen: &Chosen, context: &Context<'_>) -> Option<StrokeEdit> {
        let (baseline, plane) = match &chosen.baseline {
            Some((curve, plane)) => (Some(curve.clone()), *plane),
            None => (None, plane(&chosen.chain, &self.start, context)),
        };
        // The eye is where it is now: joints are to be seen under what is drawn.
        let plane = StrokePlane { eye: Some(context.view.camera.eye().as_dvec3()), ..plane };
        let target = on_plane(&self.samples, &plane, context)?;
        let freedom = context.sketch.freedom;
        let limits = match context.sketch.keeps_limits {
            true => Limits::of(&chosen.chain, &context.document.hinges()),
            false => Limits::default(),
        };
        let chain = chosen.chain.clone();
        let stroke = PoseStroke { chain, plane, baseline, target, freedom, limits };
        let skeleton = &context.document.character().skeleton;
        let stroke = stroke.from_upper_end(skeleton, &self.start);
        let text = StrokeText::of(context.document, &stroke);
        // Drawn again with nothing between, it is the same stroke, another time.
        let last = self.in_hand.last().filter(|last| {
            last.chain == stroke.chain && last.baseline.is_none() && stroke.baseline.is_none()
        });
        Some(match last {
            Some(_) => StrokeEdit::RedrawPose { number: self.in_hand.len() - 1, stroke: text },
            None => StrokeEdit::DrawPose { stroke: text },
        })
    }

    fn redrawn(&self, number: usize, context: &Context<'_>) -> Option<StrokeEdit> {
        let mut stroke = self.in_hand.get(number)?.clone();
        let places: Vec<_> =
            self.samples.iter().filter_map(|&at| under(&stroke.plane, at, context)).collect();
        let unit = pixel(&stroke.plane, context);
        let reach = unit * f64::from(REDRAW_PX * context.view.gizmo_scale());
        let redrawn = stroke.target.redrawn(&places, reach, &fit(context).scaled(unit))?;
        stroke.target = redrawn.curve;
        let stroke = StrokeText::of(context.document, &stroke);
        Some(StrokeEdit::RedrawPose { number, stroke })
    }
}

/// A stroke that begins this near to one in hand redraws it. Times [`crate::View::gizmo_scale`].
pub(super) const REDRAW_PX: f32 = 9.0;
