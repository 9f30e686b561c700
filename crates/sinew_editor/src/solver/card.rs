//! Frames that are made where they are drawn: on a graphics card, whose kind nobody here knows.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use sinew::frame::{Controls, Frame, Plan};
use sinew::mesh::Aabb;

/// Makes the frames of one view on a card. The solver's thread has it; nothing of it waits for the
/// card.
///
/// Where it says that it cannot, in words for people, the frame is made here instead, and the
/// answer says why ([`super::Answer::why_here`]).
pub trait Card: Send {
    /// Makes a frame; returns before it is finished.
    ///
    /// # Errors
    /// If the card cannot have it.
    fn make(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String>;

    /// As [`Self::make`], by a plan that takes the place of the one before: what lies between the
    /// last frame and this one is kept for [`Self::fade`].
    ///
    /// # Errors
    /// As [`Self::make`].
    fn replace(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String>;

    /// Shows the last frame with so much left of the one that a plan before made, from 1 to 0; at 0
    /// there is nothing left to fade.
    fn fade(&mut self, share: f32);

    /// The last frame but for its points and normals, and a box that they are in.
    fn frame(&self) -> (Frame, Aabb);

    /// Where the last frame is.
    fn skin(&self) -> OnCard;

    /// Asks for the last frame's points and normals.
    ///
    /// # Errors
    /// If the card has stopped answering.
    fn request(&mut self) -> Result<(), String>;

    /// What was asked for, if it is here.
    ///
    /// # Errors
    /// If the card has stopped answering.
    fn poll(&mut self) -> Result<Option<Frame>, String>;
}

/// Points and normals on a card: only who made the card knows what is in it.
#[derive(Clone)]
pub struct OnCard(pub Arc<dyn Any + Send + Sync>);

impl fmt::Debug for OnCard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnCard")
    }
}
