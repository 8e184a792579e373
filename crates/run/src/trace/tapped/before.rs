//! A sender before an event, and what the event changed.

use dumbbell_control::units::Segments;
use dumbbell_tcp::connection::{Counters, Phase};
use dumbbell_tcp::sender::Sender;

use crate::flow::Control;
use crate::trace::event::{Event, News, State};

/// A sender before an event.
pub(super) struct Before {
    pub(super) una: u64,
    pub(super) high: u64,
    pub(super) phase: Phase,
    pub(super) counters: Counters,
    pub(super) rtt_samples: u64,
}

impl Before {
    pub(super) fn of(sender: &Sender<Control>) -> Self {
        Self {
            una: sender.una(),
            high: sender.high(),
            phase: sender.phase(),
            counters: sender.counters(),
            rtt_samples: sender.rtt_samples(),
        }
    }

    /// The meaning of an ACK in this state.
    pub(super) fn news(&self, ack: u64) -> News {
        if ack < self.una || ack > self.high || self.una == self.high {
            News::Nothing
        } else if ack == self.una {
            News::Duplicate
        } else {
            News::Advance
        }
    }

    /// The changes of the sender since then.
    pub(super) fn since(&self, sender: &Sender<Control>) -> [Option<Event<'static>>; 4] {
        let counters = sender.counters();
        let recovery = counters.fast_recoveries > self.counters.fast_recoveries
            || (self.phase == Phase::Open && sender.phase() == Phase::Recovery);
        let recovered = self.phase != Phase::Open && sender.phase() == Phase::Open;
        [
            (counters.timeouts > self.counters.timeouts).then_some(Event::Timeout),
            (counters.ecn_cuts > self.counters.ecn_cuts).then_some(Event::Cut),
            recovery.then_some(Event::Recovery),
            recovered.then_some(Event::Recovered),
        ]
    }
}

pub(super) fn state_of(sender: &Sender<Control>) -> State {
    let (window, inflation) = sender.window();
    State {
        cwnd: window.cwnd,
        inflation,
        ssthresh: (window.ssthresh < Segments::MAX).then_some(window.ssthresh),
        in_flight: sender.in_flight(),
        phase: sender.phase(),
        srtt: sender.srtt(),
        rto: sender.timeout(),
    }
}
