//! The two traits of this crate: [`Controller`], which takes events and returns a window, and
//! [`Algorithm`], which creates one.

mod facts;
mod signals;

use core::cmp::Ordering;

use crate::event::{
    Ack, Delivery, Handshake, Loss, LostSegment, MssChange, Path, Sample, Sent, Timeout,
};
use crate::parameter::Config;
use crate::rule::Rule;
use crate::units::{Rate, Segments};

pub use self::facts::{Facts, Origin};
pub use self::signals::{Lacking, Signals};

/// The congestion window and slow-start threshold of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Congestion window, without the inflation that a recovery adds.
    pub cwnd: Segments,
    /// Slow-start threshold.
    pub ssthresh: Segments,
}

/// A value that [`Controller::explain`] reports, with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A pure number.
    Number(f64),
    /// Segments.
    Segments(f64),
    /// Seconds.
    Seconds(f64),
    /// Bits per second.
    BitRate(f64),
    /// The name of a state.
    State(&'static str),
    /// The rule that was applied last.
    Rule(&'static Rule),
}

impl Value {
    /// Returns the state for a sign: `falling`, `steady` or `rising`.
    pub fn trend(sign: Ordering) -> Self {
        Self::State(match sign {
            Ordering::Less => "falling",
            Ordering::Equal => "steady",
            Ordering::Greater => "rising",
        })
    }

    /// The number, whatever its unit; `None` for a state or a rule.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Number(number)
            | Self::Segments(number)
            | Self::Seconds(number)
            | Self::BitRate(number) => Some(number),
            Self::State(_) | Self::Rule(_) => None,
        }
    }

    /// The unit of the number: `segments`, `s`, `bit/s`, or the empty string.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Segments(_) => "segments",
            Self::Seconds(_) => "s",
            Self::BitRate(_) => "bit/s",
            Self::Number(_) | Self::State(_) | Self::Rule(_) => "",
        }
    }
}

/// A congestion controller: events in, a window out. It uses no clock, no random numbers
/// and no heap, and never panics, whatever the order of its events.
///
/// A host calls the `on_` methods as things happen and reads [`window`](Controller::window), and
/// [`pacing`](Controller::pacing) if it can pace, before it sends. For each ACK the host calls
/// [`on_sample`](Controller::on_sample) first, and then at most one of `on_ack`, `on_loss` and
/// `on_timeout`.
///
/// ```
/// use dumbbell_control::algorithm::veno::{self, Veno};
/// use dumbbell_control::controller::{Algorithm, Controller};
/// use dumbbell_control::event::{Ack, Loss, Path, Sample};
/// use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
///
/// let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(8));
/// let mut veno = Veno::new(&veno::Config::default(), &path);
///
/// // An ACK after 60 ms: slow start adds a segment.
/// let now = Instant::ZERO + Duration::from_millis(60);
/// veno.on_sample(&Sample::new(now, Segments::ONE).with_rtt(Duration::from_millis(60)));
/// veno.on_ack(&Ack::new(now, Segments::ONE, Segments::whole(7)));
/// assert_eq!(veno.window().cwnd, Segments::whole(9));
///
/// // The RTT is the least so far, so no queue has built up: Veno treats the loss as random and
/// // keeps four fifths of the window.
/// veno.on_loss(&Loss::new(now, Segments::whole(7)));
/// assert_eq!(veno.window().cwnd.as_f64(), 7.199_999_999_953_434);
/// ```
pub trait Controller {
    /// Segments were sent, retransmissions included. The algorithms of this crate do not need this
    /// event; a control does if it restarts after an idle period or measures what it sends.
    #[inline]
    fn on_sent(&mut self, sent: &Sent) {
        let _ = sent;
    }
    /// The connection is open, before any segment was sent. Only hosts report it that count the handshake's round-trip
    /// time as one of the path, as Linux does; [`on_sample`](Controller::on_sample) never has it.
    fn on_handshake(&mut self, handshake: &Handshake) {
        let _ = handshake;
    }
    /// An ACK arrived, perhaps a duplicate or one during recovery. It feeds the estimators.
    fn on_sample(&mut self, sample: &Sample);
    /// New data was acknowledged outside recovery: the window may grow.
    fn on_ack(&mut self, ack: &Ack);
    /// A loss episode begins: the window is reduced.
    fn on_loss(&mut self, loss: &Loss);
    /// The retransmission timer fired.
    fn on_timeout(&mut self, timeout: &Timeout);
    /// What is known of the delivery of data after an ACK. A host reports it to a control whose
    /// [`Signals::delivery`] is set: after `on_sample`, and after `on_ack` or `on_loss` if one of them follows.
    /// Such a control sets its window here, and in a loss episode the host adds nothing to that window.
    fn on_delivery(&mut self, delivery: &Delivery) {
        let _ = delivery;
    }
    /// A segment is declared lost. A host reports it to a control whose [`Signals::delivery`] is set.
    fn on_lost_segment(&mut self, lost: &LostSegment) {
        let _ = lost;
    }
    /// The payload of a full segment changed. The algorithms of this crate keep the number of bytes in
    /// their windows: in segments a window becomes `floor(window * before / after)`, at least one.
    fn on_mss(&mut self, change: &MssChange) {
        let _ = change;
    }
    /// The current window.
    fn window(&self) -> Window;
    /// Lowers the congestion window to at most `cwnd` (never below one segment) and leaves the threshold
    /// unchanged, as at the end of a recovery by RFC 6582, section 3.2, step 3, option 1.
    fn restrict(&mut self, cwnd: Segments);
    /// The loss or timeout that the host reported last was spurious: raises window and threshold to at
    /// least those `before` it, and keeps what was gained since. For hosts that keep no copy of the control
    /// ([`checkpoint`](Controller::checkpoint)), as Linux. By default the window stays cut.
    fn restore(&mut self, before: &Window) {
        let _ = before;
    }

    /// The rate at which the host should send, in bytes of payload per second, including
    /// retransmissions. `None`, the default, if only the window limits the sender. A host that cannot
    /// pace rejects an algorithm whose [`Signals::pacing`] is set.
    #[inline]
    fn pacing(&self) -> Option<Rate> {
        None
    }
    /// Segments that a host that paces may send at once, as hosts with segmentation offload do; then the next
    /// wait until the rate has made up for them. 1, the default, sends each in its own time. It changes bursts,
    /// not the rate.
    #[inline]
    fn send_quantum(&self) -> u32 {
        1
    }
    /// Whether the control holds the sender back on purpose, so that rates measured meanwhile say nothing about
    /// the path (ProbeRTT of BBR). A host that measures deliveries asks after each
    /// [`on_delivery`](Controller::on_delivery).
    fn holds_back(&self) -> bool {
        false
    }
    /// A copy to return to if the loss or timeout that the host is about to report turns out to be
    /// spurious (RFC 4015; RFC 9438, section 4.9). Until that is known, the host also passes every
    /// [`Sample`] to the copy: a measurement is valid whether or not the loss was real.
    ///
    /// ```
    /// use dumbbell_control::algorithm::reno::{self, Reno};
    /// use dumbbell_control::controller::{Algorithm, Controller};
    /// use dumbbell_control::event::{Loss, Path, Sample};
    /// use dumbbell_control::units::{Bytes, Instant, Segments};
    ///
    /// let mut reno = Reno::new(&reno::Config::default(), &Path::new(Bytes(1000)));
    /// let mut kept = reno.checkpoint();
    /// reno.on_loss(&Loss::new(Instant::ZERO, Segments::whole(10)));
    /// assert_eq!(reno.window().cwnd, Segments::whole(5));
    ///
    /// let sample = Sample::new(Instant::ZERO, Segments::ONE);
    /// reno.on_sample(&sample);
    /// kept.on_sample(&sample);
    ///
    /// // The packet was only late.
    /// reno.undo(kept);
    /// assert_eq!(reno.window().cwnd, Segments::whole(10));
    /// ```
    fn checkpoint(&self) -> Self
    where
        Self: Clone,
    {
        self.clone()
    }
    /// Returns to a copy from [`checkpoint`](Controller::checkpoint): the loss was spurious.
    fn undo(&mut self, kept: Self)
    where
        Self: Sized,
    {
        *self = kept;
    }

    /// The window was not used for a while (RFC 2861, section 3): the congestion window becomes at most that of
    /// `window`, and the threshold at least that of `window`.
    fn on_unused(&mut self, window: &Window) {
        self.restore(&Window {
            cwnd: Segments::ONE,
            ssthresh: window.ssthresh,
        });
        self.restrict(window.cwnd);
    }

    /// The host has found that slow start is about to overflow a queue (HyStart): the threshold becomes the
    /// window. By default slow start goes on.
    fn end_slow_start(&mut self) {}

    /// Reports the known values behind the window: calls `out` with the name and the value of each. The
    /// algorithms of this crate use these names:
    ///
    /// | name | value |
    /// |---|---|
    /// | `phase` | `slow start` or `congestion avoidance`, or the state of BBR |
    /// | `backlog` | N, segments that wait in queues; for Vegas, from the samples of the round so far |
    /// | `diff` | Vegas' diff when its last round ended, in segments |
    /// | `base_rtt` | BaseRTT or RTTmin, in seconds |
    /// | `rtt` | the RTT that is compared with BaseRTT, or by which CUBIC looks ahead, in seconds |
    /// | `relative_delay` | D, in seconds; for Vegas-A+, when its last round ended |
    /// | `delay_trend` | the sign of D: `falling`, `steady` (within the tolerance) or `rising` |
    /// | `relative_delay_trend` | the sign of dD, in the same words |
    /// | `congestion` | SARBE's incipient congestion: `begun` or `none` |
    /// | `path_window` | SARBE's oCwnd: the bandwidth times the least RTT, in segments |
    /// | `bwe` | estimated bandwidth, in bits per second |
    /// | `bwe_past` | estimated bandwidth one RTT before the last ACK that congestion avoidance judged |
    /// | `bwe_trend` | the change from `bwe_past` to `bwe`, in the words of `delay_trend` |
    /// | `ack_wait` | the mean time ACKs waited in queues, which RoVegas subtracted when its last round ended, in seconds |
    /// | `alpha`, `beta` | Vegas-A's thresholds when its last round ended, in segments |
    /// | `throughput` | Th, the window divided by the RTT of the last round, in bits per second |
    /// | `throughput_trend` | the change of Th from the previous round, in the words of `delay_trend` |
    /// | `w_max`, `w_cubic`, `w_est` | CUBIC's plateau, curve and estimate of Reno, in segments |
    /// | `k`, `elapsed` | CUBIC's K and t, in seconds |
    /// | `max_bw` | BBR's largest bandwidth of two cycles, in bits per second |
    /// | `bw_shortterm` | BBR's bound of the bandwidth after losses in this cycle, in bits per second |
    /// | `inflight_longterm`, `inflight_shortterm` | BBR's bounds of what is in the network, in segments |
    /// | `extra_acked` | what BBR's window allows for ACKs that come in bursts, in segments |
    /// | `pacing_gain`, `pacing_rate` | BBR's gain, and its rate in bits per second |
    /// | `alpha` | DCTCP's and Prague's estimate of the marked fraction; Vegas-A's threshold, see above |
    /// | `marked`, `credited` | segments marked and delivered in the observation window so far |
    /// | `increase` | what Prague gains per round, in segments |
    /// | `growth` | the [`Rule`] by which the next ACK grows the window, if that depends on the window alone |
    /// | `round` | the rule that ACKs follow until the round ends, if the algorithm decides once per round |
    /// | `transition` | the rule by which `phase` changed last, for a control whose changes of phase are to be told |
    /// | `bounds` | the rule by which the values that its action names changed last |
    /// | `rule` | the rule that was applied last; if `growth` is reported too, the last that is not a rule of growth |
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        let _ = out;
    }
}

/// The factory of a controller. An algorithm of this crate is one file and one line in the
/// [`registry`](crate::registry).
pub trait Algorithm: Controller + Sized {
    /// Its name on the command line, in files and elsewhere.
    const NAME: &'static str;
    /// Other names that people use for it.
    const ALIASES: &'static [&'static str] = &[];
    /// One line for people: what it is, and where it was published.
    const SUMMARY: &'static str;
    /// Whether it is what was published under its name.
    const ORIGIN: Origin = Origin::Published;
    /// What it requires of its host, with its default parameters.
    const NEEDS: Signals;
    /// Whether it asks when segments were sent: for the stamps of a [`Sample`], or for the time and the transmissions of
    /// a [`Loss`]. A host need not keep them for one that does not.
    const ASKS_WHEN_SENT: bool = true;
    /// The loss recoveries that suit it, its usual one first.
    const RECOVERIES: &'static [&'static str];
    /// Facts about it with its default parameters.
    const FACTS: Facts = Facts::RENO;
    /// Its parameters. The defaults are those of the paper.
    type Config: Config;
    /// A controller for a new connection, with parameters within their ranges. Hosts call
    /// [`new`](Algorithm::new).
    fn create(config: &Self::Config, path: &Path) -> Self;
    /// A controller for a new connection. A parameter outside its range counts as the nearest value
    /// within.
    fn new(config: &Self::Config, path: &Path) -> Self {
        Self::create(&config.within_ranges(), path)
    }
    /// What it requires of its host, with these parameters.
    fn needs(config: &Self::Config) -> Signals {
        let _ = config;
        Self::NEEDS
    }
}

/// Implements [`Controller`] for an enum whose variants each hold a controller, boxed or not.
///
/// ```
/// use dumbbell_control::algorithm::{reno::Reno, veno::Veno};
/// use dumbbell_control::controller::Controller;
///
/// enum Mine {
///     Reno(Reno),
///     Veno(Box<Veno>),
///     Other(Box<dyn Controller>),
/// }
/// dumbbell_control::delegate_controller!(Mine: Reno, Veno, Other);
/// ```
#[macro_export]
macro_rules! delegate_controller {
    ($type:ident: $( $variant:ident ),+) => {
        impl $crate::controller::Controller for $type {
            #[inline(always)]
            fn on_sent(&mut self, sent: &$crate::event::Sent) {
                // With a copy in each arm, the compiler drops the event for controls that ignore it.
                match self { $( Self::$variant(control) => {
                    let sent = *sent;
                    control.on_sent(&sent)
                } )+ }
            }
            fn on_handshake(&mut self, handshake: &$crate::event::Handshake) {
                match self { $( Self::$variant(control) => control.on_handshake(handshake), )+ }
            }
            #[inline]
            fn on_sample(&mut self, sample: &$crate::event::Sample) {
                match self { $( Self::$variant(control) => control.on_sample(sample), )+ }
            }
            #[inline(always)]
            fn on_ack(&mut self, ack: &$crate::event::Ack) {
                match self { $( Self::$variant(control) => control.on_ack(ack), )+ }
            }
            fn on_loss(&mut self, loss: &$crate::event::Loss) {
                match self { $( Self::$variant(control) => control.on_loss(loss), )+ }
            }
            fn on_timeout(&mut self, timeout: &$crate::event::Timeout) {
                match self { $( Self::$variant(control) => control.on_timeout(timeout), )+ }
            }
            fn on_delivery(&mut self, delivery: &$crate::event::Delivery) {
                match self { $( Self::$variant(control) => control.on_delivery(delivery), )+ }
            }
            fn on_lost_segment(&mut self, lost: &$crate::event::LostSegment) {
                match self { $( Self::$variant(control) => control.on_lost_segment(lost), )+ }
            }
            fn send_quantum(&self) -> u32 {
                match self { $( Self::$variant(control) => control.send_quantum(), )+ }
            }
            fn holds_back(&self) -> bool {
                match self { $( Self::$variant(control) => control.holds_back(), )+ }
            }
            fn on_mss(&mut self, change: &$crate::event::MssChange) {
                match self { $( Self::$variant(control) => control.on_mss(change), )+ }
            }
            #[inline(always)]
            fn window(&self) -> $crate::controller::Window {
                match self { $( Self::$variant(control) => control.window(), )+ }
            }
            fn restrict(&mut self, cwnd: $crate::units::Segments) {
                match self { $( Self::$variant(control) => control.restrict(cwnd), )+ }
            }
            fn restore(&mut self, before: &$crate::controller::Window) {
                match self { $( Self::$variant(control) => control.restore(before), )+ }
            }
            fn on_unused(&mut self, window: &$crate::controller::Window) {
                match self { $( Self::$variant(control) => control.on_unused(window), )+ }
            }
            fn end_slow_start(&mut self) {
                match self { $( Self::$variant(control) => control.end_slow_start(), )+ }
            }
            #[inline(always)]
            fn pacing(&self) -> Option<$crate::units::Rate> {
                match self { $( Self::$variant(control) => control.pacing(), )+ }
            }
            fn explain(&self, out: &mut dyn FnMut(&'static str, $crate::controller::Value)) {
                match self { $( Self::$variant(control) => control.explain(out), )+ }
            }
        }
    };
}
