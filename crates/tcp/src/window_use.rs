//! What a connection tells its controller about a window that is not used, and about a slow start that is to end.

use dumbbell_control::controller::Controller;
use dumbbell_control::units::{Duration, Instant};

use crate::connection::{Connection, Phase};
use crate::validation::Usage;

impl<C: Controller> Connection<C> {
    /// Everything that may be sent now has been sent. `in_flight` segments are in the network.
    #[cold]
    pub(crate) fn validate(&mut self, in_flight: u64, now: Instant) {
        let usage = self.usage(in_flight);
        let validation = self.extra.validation();
        if let Some(window) = validation.and_then(|it| it.update(now, &usage)) {
            self.control.on_unused(&window);
        }
    }

    /// There is more to send. If nothing has been outstanding for longer than a timeout, the window shrinks.
    #[cold]
    pub(crate) fn restart_after_idle(&mut self, now: Instant) {
        let usage = self.usage(0);
        let validation = self.extra.validation();
        if let Some(window) = validation.and_then(|it| it.restart(now, &usage)) {
            self.control.on_unused(&window);
        }
    }

    /// Takes a round-trip time, on an ACK of new data up to `ack`.
    #[cold]
    pub(crate) fn watch_slow_start(&mut self, now: Instant, ack: u64, rtt: Duration) {
        let window = self.control.window();
        let hystart = self.extra.hystart();
        if hystart.is_some_and(|it| it.watch(now, ack, self.high, &window, rtt)) {
            self.control.end_slow_start();
        }
    }

    fn usage(&self, in_flight: u64) -> Usage {
        Usage {
            window: self.control.window(),
            in_flight,
            una: self.una,
            high: self.high,
            timeout: self.timeout(),
            open: self.phase == Phase::Open,
            waits: self
                .extra
                .bursts
                .as_ref()
                .is_some_and(|bursts| bursts.waits),
        }
    }
}
