//! Translates the kernel's callbacks into events for a Rust control, as the glue's header
//! documents.

use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::{
    Ack, Loss, LossSignal, Marks, Path, Queueing, Sample, Stamps, Timeout,
};
use dumbbell_control::snapshot::Snapshot;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::program::{Record, record};

const INFINITE: u32 = 0x7fff_ffff;

/// The initial state of a connection.
#[derive(Clone, Debug)]
pub struct Start {
    pub mss: u32,
    pub snd_cwnd: u32,
    pub snd_ssthresh: u32,
    pub clamp: u32,
    /// Timestamps: 0 none, 1 in milliseconds, 2 in microseconds.
    pub stamps: u8,
    /// The initial values of the two clocks.
    pub clocks: [u32; 2],
    /// The connection has begun with another control.
    pub taken: Option<Taken>,
}

/// What a control finds that takes over a connection.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub state: State,
    pub outstanding: u16,
    /// Segments delivered so far.
    pub delivered: u32,
}

/// An event of the kernel. An event that is impossible in the kernel's present state is replaced by
/// an ACK.
#[derive(Clone, Debug)]
pub enum Event {
    Ack(Arrival),
    Recover { ecn: bool },
    Leave { to_threshold: bool },
    Timeout { after: u64, asked: bool },
    Lower(u32),
    Undo { prior: u32 },
    Report { aqt: u32, echo: u32 },
    TooLarge,
    Clamp(u32),
    Disorder,
}

/// An ACK, and the kernel's state after it.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub after: u64,
    pub covered: u32,
    pub delivered: u32,
    pub rtt_us: Option<u32>,
    /// The advance of both clocks, in ticks.
    pub ticks: [i32; 2],
    pub outstanding: u16,
    pub sacked: u16,
    pub lost: u16,
    pub retransmitted: u16,
    pub limited: bool,
    /// The window, if a recovery sets it.
    pub window: u32,
    /// Segments of ACKs with ECE.
    pub marked: u16,
}

/// The kernel's states, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Open,
    Disorder,
    Cwr,
    Recovery,
    Loss,
}

pub struct Mirror<C> {
    control: C,
    /// The control without the last loss, as long as the loss can be undone.
    kept: Option<C>,
    state: State,
    now: u64,
    snd_cwnd: u32,
    snd_ssthresh: u32,
    /// snd_cwnd as the control set it.
    window: u32,
    clamp: u32,
    stamps: u8,
    clocks: [u64; 2],
    stamped: bool,
    arrival: Arrival,
    most_outstanding: u32,
    timeouts: u32,
    report: Option<Queueing>,
    asks_routers: bool,
    /// Segments of ACKs with ECE that are not counted yet.
    marked: u32,
    counts_marks: bool,
}

/// The kernel's window and the control's, when the control starts.
fn first_windows(start: &Start) -> (u32, u32) {
    let Some(taken) = start.taken else {
        return (start.snd_cwnd, start.snd_cwnd);
    };
    let sent = u64::from(taken.delivered) + u64::from(taken.outstanding);
    let most = u32::try_from(10 + sent).unwrap_or(u32::MAX);
    let kernel = start.snd_cwnd.min(most);
    // Known only if it is a window that there can have been.
    let target = start.snd_ssthresh;
    let lowers = matches!(taken.state, State::Cwr | State::Recovery) && target <= most;
    (kernel, if lowers { target } else { kernel })
}

impl<C: Algorithm + Snapshot + Clone> Mirror<C> {
    pub fn new(config: &C::Config, start: &Start) -> (Self, Record) {
        let tick = if start.stamps == 2 { 1_000 } else { 1_000_000 };
        let (snd_cwnd, first) = first_windows(start);
        let path = Path::new(Bytes(start.mss.into()))
            .with_initial_window(Segments::whole(first))
            .with_ssthresh(match start.snd_ssthresh {
                INFINITE => Segments::MAX,
                whole => Segments::whole(whole),
            })
            .with_stamp_granularity(Duration::from_nanos(tick));
        let mirror = Self {
            control: C::new(config, &path),
            kept: None,
            state: start.taken.map_or(State::Open, |taken| taken.state),
            now: 1_000_000,
            snd_cwnd,
            snd_ssthresh: start.snd_ssthresh,
            window: snd_cwnd,
            clamp: start.clamp,
            stamps: start.stamps,
            clocks: start.clocks.map(|clock| (1 << 32) + u64::from(clock)),
            stamped: false,
            arrival: Arrival {
                after: 0,
                covered: 0,
                delivered: 0,
                rtt_us: None,
                ticks: [0, 0],
                outstanding: start.taken.map_or(0, |taken| taken.outstanding),
                sacked: 0,
                lost: 0,
                retransmitted: 0,
                limited: false,
                window: 0,
                marked: 0,
            },
            most_outstanding: 0,
            timeouts: 0,
            report: None,
            asks_routers: C::NAME == "rovegas",
            marked: 0,
            counts_marks: C::NAME == "dctcp",
        };
        let [mss, cwnd, ssthresh, clamp] =
            [start.mss, start.snd_cwnd, start.snd_ssthresh, start.clamp].map(u64::from);
        let [taken, state, outstanding, delivered] = match start.taken {
            None => [0; 4],
            Some(it) => [
                1,
                it.state as u64,
                it.outstanding.into(),
                it.delivered.into(),
            ],
        };
        let stamps = start.stamps.into();
        let record = [
            0,
            mss,
            cwnd,
            ssthresh,
            clamp,
            stamps,
            taken,
            state,
            outstanding,
            delivered,
        ];
        (mirror, record)
    }

    /// Returns snd_cwnd, snd_ssthresh and the state of the control.
    pub fn answer(&self) -> Vec<(&'static str, u64)> {
        let mut answer = vec![
            ("snd_cwnd", self.snd_cwnd.into()),
            ("snd_ssthresh", self.snd_ssthresh.into()),
        ];
        self.control.snapshot(&mut |name, n| answer.push((name, n)));
        answer
    }

    /// Passes the event to the control, and returns the record for C.
    pub fn happen(&mut self, event: &Event) -> Record {
        use State::{Cwr, Disorder, Loss, Open, Recovery};
        match (event, self.state) {
            (Event::Recover { ecn }, Open | Disorder) => {
                self.recover(if *ecn || self.none_can_be_lost() {
                    Cwr
                } else {
                    Recovery
                })
            }
            (Event::Recover { ecn: false }, Loss | Cwr) if !self.none_can_be_lost() => {
                self.recover(Recovery)
            }
            (Event::Leave { to_threshold }, Cwr | Recovery | Loss) => self.leave(*to_threshold),
            (Event::Timeout { after, asked }, state) => {
                self.time_out(*after, *asked || matches!(state, Open | Disorder))
            }
            (Event::Lower(cwnd), Open | Disorder) => {
                self.snd_cwnd = self.snd_cwnd.min(*cwnd);
                record([5, self.snd_cwnd.into()])
            }
            (Event::Undo { prior }, Open | Recovery | Loss) => self.undo(*prior),
            (Event::Report { aqt, echo }, _) => {
                let wait = |us: u32| Duration::from_micros(us.into());
                self.report = Some(Queueing {
                    forward: wait(*echo),
                    backward: wait(*aqt),
                });
                record([8, u64::from(*aqt), u64::from(*echo)])
            }
            (Event::TooLarge, Open | Disorder) => {
                self.state = Loss;
                record([9])
            }
            (Event::Clamp(clamp), _) => {
                self.clamp = *clamp;
                record([10, u64::from(*clamp)])
            }
            (Event::Disorder, Open) => {
                self.state = Disorder;
                record([11])
            }
            (Event::Ack(arrival), _) => self.acknowledge(arrival),
            _ => self.acknowledge(&self.arrival.clone()),
        }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.now * 1000)
    }

    fn in_network(&self) -> u32 {
        let a = &self.arrival;
        u32::from(a.outstanding) - u32::from(a.sacked) - u32::from(a.lost)
            + u32::from(a.retransmitted)
    }

    fn outstanding(&self) -> Segments {
        Segments::whole(self.arrival.outstanding.into())
    }

    fn acknowledge(&mut self, arrival: &Arrival) -> Record {
        self.arrival = arrival.clone();
        let a = arrival;
        self.now += a.after;
        for (clock, ticks) in self.clocks.iter_mut().zip(a.ticks) {
            *clock = clock.wrapping_add_signed(ticks.into());
        }
        if a.covered > 0 {
            self.timeouts = 0;
        }
        self.most_outstanding = self.most_outstanding.max(a.outstanding.into());
        let sample = self.sample(a);
        self.control.on_sample(&sample);
        if let Some(kept) = &mut self.kept {
            kept.on_sample(&sample);
        }
        if matches!(self.state, State::Cwr | State::Recovery) {
            self.snd_cwnd = a.window;
        } else if a.covered > 0 {
            self.grow(a);
        }
        let counts = u64::from(a.outstanding)
            | u64::from(a.sacked) << 16
            | u64::from(a.lost) << 32
            | u64::from(a.retransmitted) << 48;
        let told = if matches!(self.state, State::Cwr | State::Recovery) {
            a.window
        } else {
            a.delivered
        };
        record([
            1,
            a.after,
            a.covered.into(),
            a.delivered.into(),
            a.rtt_us.map_or(u64::MAX, u64::from),
            self.clocks[1],
            self.clocks[0],
            counts,
            u64::from(told) | u64::from(a.marked) << 32 | u64::from(a.limited) << 63,
        ])
    }

    fn sample(&mut self, a: &Arrival) -> Sample {
        let tick = if self.stamps == 2 { 1_000 } else { 1_000_000 };
        let orderly = self.state == State::Open && a.sacked == 0 && a.covered > 0;
        if self.stamps > 0 && orderly && !self.stamped {
            // The glue counts both clocks from 2^32 on.
            self.clocks = self.clocks.map(|clock| (1 << 32) + (clock & 0xffff_ffff));
            self.stamped = true;
        }
        self.marked += u32::from(a.marked);
        // Never more than the ACK delivers; the rest is counted with the next one.
        let marked = self.marked.min(a.delivered);
        self.marked -= marked;
        let [sent, received] = self.clocks.map(|clock| Instant::from_nanos(clock * tick));
        Sample::new(self.now(), Segments::whole(a.delivered))
            .with_rtt(a.rtt_us.map(|us| Duration::from_micros(us.into())))
            .with_duplicate(a.covered == 0)
            .with_stamps((self.stamps > 0 && orderly).then_some(Stamps {
                sent_at: sent,
                received_at: received,
            }))
            .with_queueing(self.report.take().filter(|_| self.asks_routers))
            .with_marks(match marked {
                marked if marked > 0 && self.counts_marks => {
                    Marks::Counted(Segments::whole(marked))
                }
                _ => Marks::None,
            })
    }

    fn grow(&mut self, a: &Arrival) {
        self.notice();
        let short = self.snd_cwnd < self.snd_ssthresh && self.snd_cwnd < 2 * self.most_outstanding;
        self.control.on_ack(
            &Ack::new(
                self.now(),
                Segments::whole(a.delivered),
                Segments::whole(self.in_network()),
            )
            .with_app_limited(!(a.limited || short)),
        );
        self.publish();
    }

    /// Whether SACK has reported all that is outstanding.
    fn none_can_be_lost(&self) -> bool {
        self.arrival.outstanding == self.arrival.sacked
    }

    /// The kernel enters CWR by a mark, and otherwise knows of a lost segment.
    fn recover(&mut self, to: State) -> Record {
        let ecn = to == State::Cwr;
        let a = &mut self.arrival;
        a.lost = if ecn { 0 } else { a.lost.max(1) };
        a.retransmitted = a.retransmitted.min(a.lost);
        let lost = a.lost.into();
        // Of a window that is being lowered, the kernel does not ask for a threshold again.
        let asked = self.state != State::Cwr;
        if asked {
            self.notice();
        }
        if asked || self.counts_marks {
            self.kept = Some(self.control.clone());
            let mut loss = Loss::new(self.now(), self.outstanding())
                .with_transmissions(if self.state == State::Loss { 2 } else { 1 })
                .with_signal(if ecn {
                    LossSignal::Ecn
                } else {
                    LossSignal::DupAcks
                });
            if !asked {
                loss = loss.with_lost_sent_at(Instant::ZERO);
            }
            self.control.on_loss(&loss);
            self.snd_ssthresh = self.whole();
        }
        self.state = to;
        record([2, if ecn { 2 } else { 3 }, lost])
    }

    fn leave(&mut self, to_threshold: bool) -> Record {
        self.state = State::Open;
        self.kept = None;
        self.publish();
        record([3, to_threshold.into()])
    }

    fn time_out(&mut self, after: u64, asked: bool) -> Record {
        self.now += after;
        self.arrival.lost = self.arrival.outstanding - self.arrival.sacked;
        self.arrival.retransmitted = 0;
        if asked {
            self.notice();
            self.kept = Some(self.control.clone());
        }
        self.timeouts += 1;
        self.control.on_timeout(
            &Timeout::new(self.now(), self.outstanding()).with_consecutive(self.timeouts),
        );
        self.state = State::Loss;
        self.snd_cwnd = self.in_network() + 1;
        self.window = self.snd_cwnd;
        self.snd_ssthresh = self.threshold();
        record([4, after, asked.into()])
    }

    fn undo(&mut self, prior: u32) -> Record {
        // Otherwise it is too late, or there was no loss.
        if let Some(kept) = self.kept.take() {
            self.control = kept;
            self.snd_cwnd = self.whole();
            self.window = self.snd_cwnd;
        }
        self.snd_ssthresh = self.snd_ssthresh.max(prior);
        if self.state != State::Open {
            self.state = State::Open;
            self.publish();
        }
        record([7, prior.into()])
    }

    /// The kernel has lowered the window.
    fn notice(&mut self) {
        if self.snd_cwnd < self.window {
            self.control.restrict(Segments::whole(self.snd_cwnd));
            self.window = self.snd_cwnd;
        }
    }

    fn publish(&mut self) {
        self.control.restrict(Segments::whole(self.clamp));
        self.snd_cwnd = self.whole();
        self.window = self.snd_cwnd;
        self.snd_ssthresh = self.threshold();
    }

    fn whole(&self) -> u32 {
        let cwnd = self.control.window().cwnd.floor().max(2);
        u32::try_from(cwnd).unwrap().min(self.clamp)
    }

    fn threshold(&self) -> u32 {
        let whole = self.control.window().ssthresh.floor();
        u32::try_from(whole).unwrap_or(INFINITE).clamp(2, INFINITE)
    }
}
