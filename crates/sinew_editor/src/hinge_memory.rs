//! Which way the joints of a character bend, found once: strokes that keep limits ask at every move
//! of the pen. Copies of a document share it.

use std::sync::{Arc, Mutex, PoisonError};

use sinew::Character;
use sinew::posing::Hinges;

type Known = (Arc<Character>, Arc<Hinges>);

/// The character that was asked about last, and its hinges.
#[derive(Clone, Debug, Default)]
pub(crate) struct HingeMemory {
    last: Arc<Mutex<Option<Known>>>,
}

impl HingeMemory {
    pub(crate) fn of(&self, character: &Arc<Character>) -> Arc<Hinges> {
        // A thread that panicked while it held this has left what was there.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, hinges)) if Arc::ptr_eq(known, character) => Arc::clone(hinges),
            _ => {
                let hinges = Arc::new(Hinges::of(character));
                *last = Some((Arc::clone(character), Arc::clone(&hinges)));
                hinges
            }
        }
    }
}
