//! The recovery beside RFC 8985's pseudo-code, over paths that lose, delay and reorder: at each event, what is
//! SACKed, what is lost, which timer runs and what is sent must be the same.

mod reference;

use super::*;
use crate::config::{ReceiverConfig, SenderConfig};
use crate::receiver::{Receiver, Response};
use crate::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, Segment};
use crate::sender::Sender;
use dumbbell_control::event::Path;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Segments};
use proptest::prelude::*;
use reference::Reference;
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// How often each of these was compared.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    losses: u64,
    reorderings: u64,
    dsacks: u64,
    timers: u64,
    probes: u64,
    cuts: u64,
    timeouts: u64,
}

/// The recovery and the reference, which take the same events.
struct Checked {
    rack: Rack,
    reference: Reference,
    /// When the reordering timer and the probe timer fire.
    due: Option<Instant>,
    probe_at: Option<Instant>,
    cut: bool,
    probes: bool,
    seen: Rc<Cell<Seen>>,
}

/// Takes what the recovery sends, and passes it on.
struct Tap<'a, O> {
    out: &'a mut O,
    sent: Vec<u64>,
}

impl<O: Output> Output for Tap<'_, O> {
    fn transmit(&mut self, segment: Segment) {
        self.sent.push(segment.seq);
        self.out.transmit(segment);
    }
    fn open(&mut self) {}
}

/// What an event may send besides new segments and those that are lost.
#[derive(Clone, Copy, PartialEq)]
enum Probed {
    No,
    /// This segment, alone; `None` if the probe is skipped.
    Sends(Option<u64>),
}

impl Checked {
    fn new(bound: Option<Bound>, probes: bool) -> Self {
        Self {
            rack: Rack::new(bound, probes),
            reference: Reference::default(),
            due: None,
            probe_at: None,
            cut: false,
            probes,
            seen: Rc::default(),
        }
    }

    fn count(&self, add: impl FnOnce(&mut Seen)) {
        let mut seen = self.seen.get();
        add(&mut seen);
        self.seen.set(seen);
    }

    fn detect<C: Controller>(&mut self, tx: &Connection<C>, recovering: bool, now: Instant) {
        let before = self.reference.lost().count();
        self.due = self.reference.detect_loss(recovering, tx.srtt(), now);
        let lost = (self.reference.lost().count() - before) as u64;
        self.count(|seen| seen.losses += lost);
    }

    /// Lets the recovery act, and compares.
    fn watch<C: Controller, O: Output>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        una: u64,
        probed: Probed,
        out: &mut O,
        act: impl FnOnce(&mut Rack, &mut Connection<C>, &mut Tap<'_, O>),
    ) {
        let (high, episodes) = (tx.high, tx.fast_recoveries);
        let was_open =
            tx.phase == Phase::Open || tx.recover().is_none_or(|recover| tx.una > recover);
        let mut tap = Tap {
            out,
            sent: Vec::new(),
        };
        act(&mut self.rack, tx, &mut tap);
        for &seq in &tap.sent {
            if probed == Probed::No && seq < high {
                let first = self.reference.lost().next();
                assert_eq!(Some(seq), first, "the first that is lost is sent");
            }
            self.reference.transmit(seq, now);
        }
        if let Probed::Sends(expected) = probed {
            assert!(tap.sent.iter().copied().eq(expected));
            self.probe_at = None;
        }
        let begins = was_open && tx.phase == Phase::Recovery;
        if begins {
            self.reference.tlp_end_seq = None;
        }
        // The cut of a probe was counted when its ACK was taken.
        let counted = u32::from(begins && !self.cut);
        assert_eq!(tx.fast_recoveries, episodes + counted);
        self.cut = false;
        self.compare(tx);
        let moved = tx.una != una || tx.high != high;
        self.check_timers(tx, moved && probed == Probed::No, now);
    }

    fn compare<C: Controller>(&self, tx: &Connection<C>) {
        let flight = tx.una..tx.high;
        assert!(self.reference.segments.keys().copied().eq(flight.clone()));
        for (&seq, segment) in &self.reference.segments {
            let record = tx.records.at(seq);
            let found = (record.sacked(), record.lost());
            assert_eq!(found, (segment.sacked, segment.lost), "{seq} of {flight:?}");
        }
        assert_eq!(self.rack.sacked, self.reference.sacked());
        assert_eq!(self.rack.lost, self.reference.lost().count() as u64);
        assert_eq!(self.rack.pipe(tx), self.reference.pipe());
    }

    /// Section 8: the reordering timer, or the probe timer of section 7.2, or the retransmission timer.
    fn check_timers<C: Controller>(&mut self, tx: &Connection<C>, moved: bool, now: Instant) {
        let quiet = tx.phase == Phase::Open
            && self.reference.sacked() == 0
            && self.reference.lost().next().is_none();
        let flight = self.reference.segments.len();
        if !quiet || flight == 0 || !self.probes {
            self.probe_at = None;
        } else if moved {
            let wait = match tx.srtt() {
                Some(srtt) if flight == 1 => srtt + srtt + Duration::from_millis(200),
                Some(srtt) => srtt + srtt,
                None => Duration::from_secs(1),
            };
            self.probe_at = Some(now + wait);
        }
        let timeout = self.rack.timeout_at;
        let expected = match (self.due, self.probe_at) {
            _ if flight == 0 => None,
            (Some(at), _) if at <= timeout => Some((Alarm::Reordering, at)),
            (None, Some(at)) => Some((Alarm::Probe, at.min(timeout))),
            _ => None,
        };
        assert_eq!(self.rack.alarm, expected);
        self.count(|seen| seen.timers += u64::from(expected.is_some()));
        if flight > 0 {
            assert_eq!(tx.deadline, expected.map_or(timeout, |(_, at)| at));
        }
    }
}

impl Recovery for Checked {
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        now: Instant,
    ) -> bool {
        let (cuts, reordered) = (tx.fast_recoveries, self.reference.reordering_seen);
        let report = self.reference.on_ack(ack, tx.una, blocks, now);
        let news = self.rack.on_blocks(tx, ack, blocks, now);
        assert_eq!(news, report.sacks);
        let exiting = tx.phase != Phase::Open && tx.recover().is_none_or(|recover| ack > recover);
        self.reference.adapt(ack, tx.high, report.dsack, exiting);
        assert_eq!(self.rack.ack.delivered, report.delivered);
        assert_eq!(tx.fast_recoveries, cuts + u32::from(report.cut));
        let reordered = self.reference.reordering_seen && !reordered;
        self.cut = report.cut;
        self.count(|seen| {
            seen.cuts += u64::from(report.cut);
            seen.dsacks += u64::from(report.dsack);
            seen.reorderings += u64::from(reordered);
        });
        news
    }

    fn on_old<C: Controller>(&mut self, tx: &mut Connection<C>, ack: u64, blocks: &[SackBlock]) {
        let _ = self
            .reference
            .tlp_process_ack(ack, blocks.is_empty(), blocks);
        self.rack.on_old(tx, ack, blocks);
    }

    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        let over = tx.recover().is_none_or(|recover| tx.una > recover);
        self.detect(tx, tx.phase != Phase::Open && !over, now);
        let una = tx.una - acked;
        self.watch(tx, now, una, Probed::No, out, |rack, tx, out| {
            rack.on_advance(tx, acked, now, out)
        });
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.detect(tx, tx.phase != Phase::Open, now);
        self.watch(tx, now, tx.una, Probed::No, out, |rack, tx, out| {
            rack.on_duplicate(tx, now, out)
        });
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.reference.mark_losses_on_rto(tx.una, tx.srtt(), now);
        self.due = None;
        self.count(|seen| seen.timeouts += 1);
        self.watch(tx, now, tx.una, Probed::No, out, |rack, tx, out| {
            rack.on_timeout(tx, now, out)
        });
    }

    fn on_alarm<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) -> bool {
        let Some((alarm, _)) = self.rack.alarm else {
            return self.rack.on_alarm(tx, now, out);
        };
        let mut probed = Probed::No;
        if alarm == Alarm::Probe {
            let seq = self.reference.probe(tx.high, tx.has_new_data());
            probed = Probed::Sends(seq);
            self.count(|seen| seen.probes += u64::from(seq.is_some()));
        } else {
            self.detect(tx, tx.phase != Phase::Open, now);
        }
        let mut handled = false;
        self.watch(tx, now, tx.una, probed, out, |rack, tx, out| {
            handled = rack.on_alarm(tx, now, out)
        });
        assert!(handled);
        handled
    }

    fn on_turn<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.watch(tx, now, tx.una, Probed::No, out, |rack, tx, out| {
            rack.on_turn(tx, now, out)
        });
    }

    fn on_rtt(&mut self, rtt: Duration) {
        self.reference.probed = false;
        self.rack.on_rtt(rtt);
    }

    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        self.rack.in_flight(tx)
    }
}

#[derive(Default)]
struct Wire(Vec<u64>);

impl Output for Wire {
    fn transmit(&mut self, segment: Segment) {
        self.0.push(segment.seq);
    }
    fn open(&mut self) {}
}

/// What arrives somewhere, or the application writes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Data(u64),
    /// The number, the trigger, when that arrived, and the blocks.
    Ack(u64, u64, Instant, Vec<(u64, u64)>),
    Write(u64),
}

/// A transfer and its path. Times are in microseconds.
#[derive(Clone, Debug)]
struct Transfer {
    window: u32,
    bound: Option<Bound>,
    probes: bool,
    /// Whether the receiver reports segments that arrive twice.
    dsack: bool,
    /// The application writes this many segments each time, this far apart.
    write: u64,
    apart: u64,
    writes: u64,
    /// The most additional delay of a packet on top of 10 ms a way.
    jitter: u64,
    /// Whether each packet, in order, is lost, and a part of the most additional delay.
    losses: Vec<bool>,
    ack_losses: Vec<bool>,
    delays: Vec<u64>,
}

impl Transfer {
    fn run(&self) -> Seen {
        let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(self.window));
        let config = SenderConfig {
            size: Some(0),
            relays: true,
            handshake: false,
            ..SenderConfig::default()
        };
        let control = AnyConfig::named("reno").expect("built in").build(&path);
        let recovery = Checked::new(self.bound, self.probes);
        let seen = Rc::clone(&recovery.seen);
        let mut sender = Sender::new(config, control, recovery);
        let mut receiver = Receiver::new(ReceiverConfig {
            sack: true,
            dsack: self.dsack,
            ..ReceiverConfig::default()
        });
        let mut events = BinaryHeap::new();
        for write in 1..=self.writes {
            let at = Instant::ZERO + Duration::from_micros(write * self.apart);
            events.push(Reverse((at, Event::Write(write * self.write))));
        }
        let (mut losses, mut ack_losses) = (self.losses.iter(), self.ack_losses.iter());
        let mut delays = self.delays.iter().cycle();
        let mut delay = || {
            let part = delays.next().copied().unwrap_or(0);
            Duration::from_micros(10_000 + part % (self.jitter + 1))
        };
        let mut wire = Wire::default();
        let mut now = Instant::ZERO;
        sender.start(now, &mut wire);
        while receiver.delivered() < self.writes * self.write {
            let timer = sender.deadline();
            let next = events.peek().map(|Reverse((at, _))| *at);
            match (timer, next) {
                (Some(at), next) if next.is_none_or(|next| at < next) => {
                    now = at;
                    sender.on_timer(now, &mut wire);
                }
                _ => {
                    let Reverse((at, event)) =
                        events.pop().expect("the timer runs or more is written");
                    now = at;
                    match event {
                        Event::Write(size) => sender.offer(now, size, &mut wire),
                        Event::Data(seq) => {
                            let response = receiver.on_segment(now, &Arrival::plain(seq, 0));
                            assert_eq!(response, Response::Ack);
                            let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
                            let ack = receiver.ack(now, &mut blocks);
                            let blocks = ack.blocks.iter().map(|b| (b.start, b.end)).collect();
                            if !ack_losses.next().copied().unwrap_or(false) {
                                let ack = Event::Ack(ack.ack, seq, now, blocks);
                                events.push(Reverse((now + delay(), ack)));
                            }
                        }
                        Event::Ack(ack, trigger, received_at, blocks) => {
                            let block = |(start, end)| SackBlock { start, end };
                            let blocks: Vec<_> = blocks.into_iter().map(block).collect();
                            let ack = AckSegment {
                                ack,
                                echo: Echo::Exact {
                                    trigger,
                                    received_at,
                                },
                                blocks: &blocks,
                                ece: false,
                                marks: None,
                                aqt: None,
                                marked: false,
                            };
                            sender.on_ack(now, &ack, &mut wire);
                        }
                    }
                }
            }
            for seq in wire.0.drain(..) {
                if !losses.next().copied().unwrap_or(false) {
                    events.push(Reverse((now + delay(), Event::Data(seq))));
                }
            }
        }
        seen.get()
    }
}

/// Losses, a retransmission that is lost, an outage, reordering and pauses of the application.
#[test]
fn every_step_of_the_pseudo_code_is_compared() {
    let lost = |i: usize| {
        let tails = matches!(i, 19 | 40 | 60 | 61 | 82..86);
        tails || matches!(i, 110 | 112 | 113 | 130..134 | 150..160 | 170 | 190 | 210 | 230)
    };
    let mut transfer = Transfer {
        window: 10,
        bound: Some(Bound::Safe),
        probes: true,
        dsack: false,
        write: 20,
        apart: 400_000,
        writes: 20,
        jitter: 0,
        losses: (0..400).map(lost).collect(),
        ack_losses: Vec::new(),
        delays: vec![0, 900, 100, 5_000, 300],
    };
    let seen = transfer.run();
    assert!(seen.losses > 10 && seen.timers > 100, "{seen:?}");
    assert!(
        seen.probes > 5 && seen.cuts > 0 && seen.timeouts > 0,
        "{seen:?}"
    );
    assert_eq!(seen.reorderings, 0);
    transfer.jitter = 5_000;
    transfer.dsack = true;
    let seen = transfer.run();
    assert_eq!(seen.reorderings, 1);
    assert!(seen.dsacks > 0, "{seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn losses_timers_and_probes_are_those_of_rfc_8985(
        (window, write, writes, apart) in (1..40_u32, 1..60_u64, 1..12_u64, 0..500_000_u64),
        bound in prop::sample::select(vec![None, Some(Bound::Conservative), Some(Bound::Safe)]),
        (probes, dsack) in any::<(bool, bool)>(),
        jitter in prop_oneof![Just(0), 0..3_000_u64, 0..30_000_u64],
        rate in 0.0..0.5_f64,
        draws in prop::collection::vec(0.0..1.0_f64, 500),
        ack_draws in prop::collection::vec(0.0..1.0_f64, 500),
        delays in prop::collection::vec(0..30_000_u64, 1..200),
    ) {
        let transfer = Transfer {
            window,
            bound,
            probes,
            dsack,
            write,
            apart,
            writes,
            jitter,
            losses: draws.iter().map(|draw| *draw < rate).collect(),
            ack_losses: ack_draws.iter().map(|draw| *draw < rate / 2.0).collect(),
            delays,
        };
        transfer.run();
    }
}
