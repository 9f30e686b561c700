//! From where the pointer goes, or from a number, to what happens to the points in hand.

use glam::{DVec3, Vec2, Vec3};
use sinew::weights::drag::DragMotion;

use super::super::gizmo::{Ring, Turning};
use super::super::typed::{Typed, type_into};
use super::super::{Context, Key};
use super::DragGesture;

/// A pointer that goes so far scales to twice the size. Times [`crate::View::gizmo_scale`].
const SCALE_PX: f64 = 120.0;
/// Neither nothing nor out of sight.
const FACTORS: [f64; 2] = [0.01, 100.0];

/// The axes that a drag can be held to, by key and colour.
pub(super) const AXES: [(char, DVec3, [f32; 4]); 3] = [
    ('x', DVec3::X, [0.93, 0.27, 0.3, 1.0]),
    ('y', DVec3::Y, [0.42, 0.8, 0.25, 1.0]),
    ('z', DVec3::Z, [0.25, 0.5, 0.98, 1.0]),
];

/// A drag under way, as the pointer and the keys have it.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    gesture: DragGesture,
    /// Held to it; across the view, about the line of sight, in all directions if there is none.
    axis: Option<DVec3>,
    /// What is turned and scaled about.
    center: DVec3,
    /// What was taken hold of.
    place: DVec3,
    from: Vec2,
    to: Vec2,
    turning: Option<Turning>,
    /// No button is held: a click ends it.
    pub(super) is_modal: bool,
    typed: Option<Typed>,
    shown: String,
}

/// The line of sight, towards the eye.
pub(super) fn sight(center: DVec3, context: &Context<'_>) -> DVec3 {
    (context.view.camera.eye() - center.as_vec3()).normalize_or(Vec3::Z).as_dvec3()
}

/// The ring that turns about an axis, or about the line of sight.
pub(super) fn ring(center: DVec3, axis: Option<DVec3>, context: &Context<'_>) -> Ring {
    let axis = axis.unwrap_or_else(|| sight(center, context));
    Ring::new(center.as_vec3(), axis.as_vec3(), &context.view)
}

impl Hand {
    pub(super) fn new(
        gesture: DragGesture,
        axis: Option<DVec3>,
        [center, place]: [DVec3; 2],
        from: Vec2,
        context: &Context<'_>,
    ) -> Self {
        let mut hand = Self {
            gesture,
            axis: None,
            center,
            place,
            from,
            to: from,
            turning: None,
            is_modal: false,
            typed: None,
            shown: String::new(),
        };
        hand.hold_to(axis, context);
        hand
    }

    /// Now along or about another axis, from where it began.
    pub(super) fn hold_to(&mut self, axis: Option<DVec3>, context: &Context<'_>) {
        self.axis = axis;
        if self.gesture == DragGesture::Turn {
            self.turning = ring(self.center, axis, context).begin(self.from, &context.view);
            if let Some(turning) = &mut self.turning {
                turning.move_to(self.to);
            }
        }
    }

    /// Waits for a number with nothing in the pointer.
    pub(super) fn wait_for_number(&mut self) {
        self.is_modal = true;
        self.typed = Some(Typed::default());
    }

    /// False if a number that is being typed is not the pointer's.
    pub(super) fn move_to(&mut self, at: Vec2) -> bool {
        if self.typed.is_some() {
            return false;
        }
        self.to = at;
        if let Some(turning) = &mut self.turning {
            turning.move_to(at);
        }
        true
    }

    /// True if the key was part of a number.
    pub(super) fn types(&mut self, key: Key) -> bool {
        type_into(&mut self.typed, key)
    }

    /// What is done to the points.
    pub(super) fn motion(&mut self, context: &Context<'_>) -> DragMotion {
        let number = self.typed.as_ref().map(|typed| typed.number());
        match self.gesture {
            DragGesture::Move | DragGesture::Pull => {
                let by = self.offset(number, context);
                self.shown = format!("{:+.4}, {:+.4}, {:+.4} m", by.x, by.y, by.z);
                DragMotion::Translate(by)
            }
            DragGesture::Turn => {
                let pointed = self.turning.as_ref().map_or(0.0, |turning| turning.radians);
                let typed = number.map(|number| number.unwrap_or(0.0).to_radians());
                let radians = typed.unwrap_or(pointed);
                self.shown = format!("{:.1}°", radians.to_degrees());
                let axis = self.axis.unwrap_or_else(|| sight(self.center, context));
                DragMotion::Rotate { about: self.center, axis, radians }
            }
            DragGesture::Scale => {
                let along = f64::from((self.to - self.from).dot(Vec2::new(1.0, -1.0)));
                let pointed = 1.0 + along / (SCALE_PX * f64::from(context.view.gizmo_scale()));
                let factor = match number {
                    Some(number) => number.filter(|factor| *factor > 0.0).unwrap_or(1.0),
                    None => pointed,
                };
                let factor = factor.clamp(FACTORS[0], FACTORS[1]);
                self.shown = format!("{factor:.3} ×");
                let factors = match self.axis {
                    Some(axis) => DVec3::ONE + (factor - 1.0) * axis,
                    None => DVec3::splat(factor),
                };
                DragMotion::Scale { about: self.center, factors }
            }
        }
    }

    fn offset(&self, number: Option<Option<f64>>, context: &Context<'_>) -> DVec3 {
        if let Some(number) = number {
            // Without an axis a number means up.
            return number.unwrap_or(0.0) * self.axis.unwrap_or(DVec3::Y);
        }
        let (view, place) = (&context.view, self.place.as_vec3());
        match self.axis {
            Some(axis) => f64::from(view.slide(place, axis.as_vec3(), self.to - self.from)) * axis,
            None => {
                let at = |pixel: Vec2| view.on_facing_plane(pixel, place).as_dvec3();
                at(self.to) - at(self.from)
            }
        }
    }

    /// For the status bar.
    pub(super) fn words(&self) -> String {
        match (&self.typed, self.gesture) {
            (Some(typed), DragGesture::Move | DragGesture::Pull) => format!("{typed} m"),
            (Some(typed), DragGesture::Turn) => format!("{typed}°"),
            (Some(typed), DragGesture::Scale) => format!("{typed} ×"),
            (None, _) => self.shown.clone(),
        }
    }
}
