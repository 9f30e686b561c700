//! The card as the solver's thread has it: what it makes, and what is read back of it.
//!
//! One read is under way at a time. What was made meanwhile is read next, the newest alone: figures
//! and tools follow as fast as the card answers, and nothing waits for them.

use std::time::Duration;

use sinew::frame::{Controls, Frame, Plan};

use super::card::Card;
use super::job::Job;

/// Between two looks whether a read is here.
const POLL: Duration = Duration::from_millis(2);

/// A read, of which answer and for whom.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) job: Job,
    pub(super) number: u64,
}

/// A card with its reads.
pub(super) struct Desk {
    pub(super) card: Box<dyn Card>,
    /// Why it is not asked any more.
    lost: Option<String>,
    /// Of the last frame, and not asked for yet.
    wanted: Option<Wanted>,
    under_way: Option<Wanted>,
    next_poll: Duration,
}

impl Desk {
    pub(super) fn new(card: Box<dyn Card>) -> Self {
        Self { card, lost: None, wanted: None, under_way: None, next_poll: Duration::ZERO }
    }

    pub(super) fn make(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.lost.clone().map_or(Ok(()), Err)?;
        self.card.make(plan, controls)
    }

    pub(super) fn replace(&mut self, plan: &Plan, controls: &Controls) -> Result<(), String> {
        self.lost.clone().map_or(Ok(()), Err)?;
        self.card.replace(plan, controls)
    }

    /// Wants the last frame read, or nothing.
    pub(super) fn want(&mut self, wanted: Option<Wanted>) {
        self.wanted = wanted;
    }

    /// Asks for what is wanted, if nothing is under way.
    pub(super) fn ask(&mut self, now: Duration) {
        if self.under_way.is_some() {
            return;
        }
        let Some(wanted) = self.wanted.take() else { return };
        // Whether it answers is found out when it is looked for: there the frame is made here.
        self.lost = self.card.request().err().or_else(|| self.lost.take());
        self.under_way = Some(wanted);
        self.next_poll = now + POLL;
    }

    pub(super) fn is_reading(&self) -> bool {
        self.under_way.is_some()
    }

    /// When to look.
    pub(super) fn due(&self) -> Option<Duration> {
        self.is_reading().then_some(self.next_poll)
    }

    /// What has come, if it has; an error is the job whose frame must be made here.
    pub(super) fn poll(&mut self, now: Duration) -> Result<Option<(Wanted, Frame)>, Job> {
        let Some(wanted) = self.under_way.take() else { return Ok(None) };
        self.next_poll = now + POLL;
        let found = match &self.lost {
            Some(words) => Err(words.clone()),
            None => self.card.poll(),
        };
        match found {
            Ok(Some(frame)) => Ok(Some((wanted, frame))),
            Ok(None) => {
                self.under_way = Some(wanted);
                Ok(None)
            }
            Err(words) => {
                (self.lost, self.wanted) = (Some(words), None);
                Err(wanted.job)
            }
        }
    }
}
