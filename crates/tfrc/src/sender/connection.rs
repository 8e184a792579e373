//! One connection of a sender: its rate, its send times, and the nofeedback timer.

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use crate::packet::{Data, Feedback, Output};
use crate::parallel::Parallel;
use crate::seconds::{seconds, span};

use super::basis::{Basis, LARGEST_RATE, Report};
use super::config::{Rules, SenderConfig};
use super::limits::Limits;
use super::ns2::Ns2;
use super::pacing::{LATE, Pacing};
use super::rfc5348::Rfc5348;
use super::supply::Supply;
use super::veno::Veno;

/// The largest number of packets that are sent in one call.
const BURST: u32 = 1024;
/// The counters of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets sent.
    pub sent: u64,
    /// Feedback packets that were used.
    pub feedback: u64,
    /// Feedback packets that were invalid, or arrived after a newer one.
    pub ignored: u64,
    /// Expiries of the nofeedback timer.
    pub expiries: u64,
}

/// The state of a connection's rate, for probes. Rates are in bytes per second, times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The allowed rate X.
    pub x: f64,
    /// The actual sending rate: X after oscillation prevention.
    pub x_inst: f64,
    /// The rate of the equation; `None` before a loss event.
    pub x_calc: Option<f64>,
    /// The last reported receive rate.
    pub x_recv: Option<f64>,
    /// R, the mean round-trip time.
    pub rtt: Option<f64>,
    /// The last round-trip sample.
    pub rtt_sample: Option<f64>,
    /// The last reported loss event rate.
    pub p: f64,
    /// The last reported rate of loss events on the wireless link.
    pub p_wireless: Option<f64>,
    /// The mean cut in the equation: 1/2 except for TFRC Veno.
    pub g: f64,
    /// TFRC Veno's largest window, in packets.
    pub w_max: Option<f64>,
    /// TFRC Veno's minimum round-trip time.
    pub base_rtt: Option<f64>,
    /// The factor n by which the rate of the equation is multiplied (AIO-TFRC).
    pub n: Option<f64>,
}

/// A round-trip sample from a feedback packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// The sample, in seconds.
    pub(crate) rtt: f64,
    /// The mean round-trip time including this sample, in seconds.
    pub(crate) mean: f64,
}

/// A connection.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) basis: Basis,
    rules: Rule,
    pacing: Pacing,
    limits: Limits,
    all_in_one: Option<Parallel>,
    id: u32,
    seq: u64,
    rtt_told: Option<Duration>,
    newest: Instant,
    nofeedback: Instant,
    credit: Duration,
    /// How late the host may be for packets that wait, without a loss of rate.
    late: Duration,
    /// Whether anything was sent or was waiting since the nofeedback timer was set.
    busy: bool,
    pub(crate) counters: Counters,
}

#[derive(Clone, Debug)]
enum Rule {
    Rfc5348(Rfc5348),
    Ns2(Ns2),
}

impl Connection {
    /// Makes a connection that begins now.
    pub(crate) fn new(now: Instant, id: u32, config: &SenderConfig) -> Self {
        let basis = Basis::new(config);
        let (rules, x, wait) = match config.rules {
            Rules::Rfc5348 => {
                let (rules, x, wait) = Rfc5348::new(now, &basis);
                (Rule::Rfc5348(rules), x, wait)
            }
            Rules::Ns2 => {
                let (rules, x, wait) = Ns2::new(now, &basis);
                (Rule::Ns2(rules), x, wait)
            }
        };
        let mut connection = Self {
            basis: Basis { x, ..basis },
            rules,
            pacing: Pacing::new(now),
            limits: Limits::new(),
            all_in_one: config.all_in_one.map(Parallel::new),
            id,
            seq: 0,
            rtt_told: None,
            newest: Instant::ZERO,
            nofeedback: now + span(wait),
            credit: Duration::ZERO,
            late: Duration::ZERO,
            busy: false,
            counters: Counters::default(),
        };
        connection.basis.bound();
        connection.follow_rate();
        connection
    }

    #[cfg(test)]
    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Returns when the nofeedback timer expires or the next packet is due.
    #[inline]
    pub(crate) fn deadline(&self, supply: &Supply) -> Instant {
        if supply.is_empty() {
            self.nofeedback
        } else {
            self.nofeedback.min(self.pacing.next())
        }
    }

    /// Handles the nofeedback timer if it has expired, and sends the packets that are due.
    #[inline]
    pub(crate) fn on_timer(&mut self, now: Instant, supply: &mut Supply, out: &mut impl Output) {
        if now >= self.nofeedback {
            cold_path();
            self.expire(now, supply);
        }
        self.send(now, supply, out);
    }

    /// Called when the application offers data; sends the packets that are due. If nothing waited before, `since` says since
    /// when something does.
    pub(crate) fn on_supply(
        &mut self,
        now: Instant,
        since: Option<Instant>,
        supply: &mut Supply,
        out: &mut impl Output,
    ) {
        self.busy = true;
        if let Some(since) = since {
            self.pacing.begin(since);
        }
        self.send_apart(now, supply, out);
    }

    /// Handles feedback; returns the round-trip sample, or `None` if the feedback was ignored.
    pub(crate) fn on_feedback(
        &mut self,
        now: Instant,
        feedback: &Feedback,
        supply: &mut Supply,
        out: &mut impl Output,
    ) -> Option<Sample> {
        let Some(sample) = self.sample_of(now, feedback) else {
            self.counters.ignored += 1;
            return None;
        };
        let first = self.counters.feedback == 0;
        self.counters.feedback += 1;
        self.newest = feedback.t_recvdata;
        self.basis.rtt.on_sample(sample);
        let mean = self.basis.rtt.mean()?;
        let rtt = span(mean);
        self.rtt_told = Some(rtt);
        self.credit = span(mean * self.basis.config.credit.clamp(0.0, 1.0));
        self.late = rtt.min(LATE);
        let n = self.all_in_one.as_mut().map_or(1.0, |parallel| {
            parallel.on_sample(now, sample, mean);
            parallel.n()
        });
        let loss = self.basis.take(feedback, sample, mean, n);
        let report = Report {
            now,
            x_recv: feedback.x_recv,
            first,
            loss,
            data_limited: !supply.is_endless()
                && feedback.x_recv > 0.0
                && self.limits.was_data_limited(feedback.t_recvdata, rtt),
        };
        let wait = match &mut self.rules {
            Rule::Rfc5348(rules) => rules.on_feedback(&mut self.basis, &report, mean),
            Rule::Ns2(rules) => {
                let (wait, hurry) = rules.on_feedback(&mut self.basis, &report, mean);
                if hurry {
                    self.pacing.hurry(now);
                }
                wait
            }
        };
        self.basis.bound();
        self.basis.tell_window(mean, loss);
        self.set_timer(now, wait, supply);
        self.follow_rate();
        self.send_apart(now, supply, out);
        Some(Sample { rtt: sample, mean })
    }

    pub(crate) fn state(&self) -> State {
        let basis = &self.basis;
        let veno = basis.veno.as_ref();
        State {
            x: basis.x,
            x_inst: self.x_inst(),
            x_calc: basis.x_calc.is_finite().then_some(basis.x_calc),
            x_recv: basis.x_recv,
            rtt: basis.rtt.mean(),
            rtt_sample: basis.rtt.sample(),
            p: basis.p_reported,
            p_wireless: basis.p_wireless,
            g: basis.g(),
            w_max: veno.map(Veno::w_max),
            base_rtt: veno.and_then(Veno::base_rtt),
            n: self.all_in_one.as_ref().map(Parallel::n),
        }
    }

    /// Returns the round-trip sample of a feedback packet in seconds; `None` if the feedback is invalid
    /// or older than the last one.
    fn sample_of(&self, now: Instant, feedback: &Feedback) -> Option<f64> {
        let sample = feedback.sample(now, self.id, self.newest);
        sample.filter(|_| self.seq > 0).map(seconds)
    }

    /// Handles the expiry of the nofeedback timer (RFC 5348, section 4.4).
    #[cold]
    fn expire(&mut self, now: Instant, supply: &Supply) {
        self.counters.expiries += 1;
        let idle = !self.busy && supply.is_empty();
        let wait = match &mut self.rules {
            Rule::Rfc5348(rules) => rules.on_expiry(&mut self.basis, now, idle),
            Rule::Ns2(rules) => {
                self.pacing.hurry(now);
                rules.on_expiry(&mut self.basis, idle)
            }
        };
        self.basis.bound();
        self.set_timer(now, wait, supply);
        self.follow_rate();
    }

    fn set_timer(&mut self, now: Instant, wait: f64, supply: &Supply) {
        self.nofeedback = now + span(wait).max(Duration::from_nanos(1));
        self.busy = !supply.is_empty();
    }

    /// The same where it is called less often than by the timer, which has a copy of it.
    #[inline(never)]
    fn send_apart(&mut self, now: Instant, supply: &mut Supply, out: &mut impl Output) {
        self.send(now, supply, out);
    }

    /// Sends the packets that are due.
    #[inline(always)]
    fn send(&mut self, now: Instant, supply: &mut Supply, out: &mut impl Output) {
        let mut left = BURST;
        while self.pacing.next() <= now && left > 0 && !supply.is_empty() {
            supply.take();
            self.transmit(now, out);
            left -= 1;
        }
        if !supply.is_empty() {
            self.pacing.hold();
            self.limits.on_full(now, self.rtt_told.unwrap_or_default());
        }
    }

    #[inline]
    fn transmit(&mut self, now: Instant, out: &mut impl Output) {
        out.transmit(Data {
            connection: self.id,
            seq: self.seq,
            sent_at: now,
            rtt: self.rtt_told,
            round: self.basis.round,
            urgent: self.basis.urgent,
        });
        self.seq += 1;
        self.busy = true;
        self.counters.sent += 1;
        if let Rule::Ns2(rules) = &mut self.rules {
            cold_path();
            rules.on_sent(&self.basis);
            self.pacing.set_gap(self.basis.gap(self.x_inst()), false);
        }
        self.pacing.take(now, self.credit, self.late);
    }

    fn x_inst(&self) -> f64 {
        let wanted = match &self.rules {
            Rule::Rfc5348(_) => self.basis.damped(),
            Rule::Ns2(rules) => rules.x_inst(&self.basis),
        };
        wanted.clamp(self.basis.least(), LARGEST_RATE)
    }

    fn follow_rate(&mut self) {
        let gap = self.basis.gap(self.x_inst());
        let again = matches!(self.rules, Rule::Rfc5348(_));
        self.pacing.set_gap(gap, again);
    }
}
