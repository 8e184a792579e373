//! The four counters, compared with a recount by RFC 6675's definitions.

use super::*;
use crate::config::{ReceiverConfig, SenderConfig};
use crate::receiver::Receiver;
use crate::segment::{Arrival, MAX_SACK_BLOCKS, Segment};
use crate::sender::Sender;
use dumbbell_control::event::Path;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Segments};
use proptest::prelude::*;
use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The recovery, with a recount by RFC 6675's definitions at each event.
#[derive(Default)]
struct Recounted {
    sack: Sack,
    /// HighRxt + 1, as observed from the segments sent.
    high_rxt: u64,
    /// The number of checks in episodes, and after timeouts.
    checks: Rc<Cell<[u64; 2]>>,
}

/// Observes what a recovery sends.
struct Tap<'a, O> {
    out: &'a mut O,
    /// The highest SACKed segment; 0 if there is none.
    highest_sacked: u64,
    high_rxt: &'a Cell<u64>,
}

impl<O: Output> Output for Tap<'_, O> {
    fn transmit(&mut self, segment: Segment) {
        // A rescue retransmission is above all SACKed segments, or was sent again before. It does
        // not change HighRxt.
        if segment.retransmission && segment.seq < self.highest_sacked {
            self.high_rxt.set(self.high_rxt.get().max(segment.seq + 1));
        }
        self.out.transmit(segment);
    }
    fn open(&mut self) {
        self.out.open();
    }
}

/// IsLost (RFC 6675, section 4): more than two segments above this one are SACKed.
fn is_lost<C: Controller>(tx: &Connection<C>, seq: u64) -> bool {
    (seq + 1..tx.high)
        .filter(|&s| tx.records.at(s).sacked())
        .count()
        > 2
}

impl Recounted {
    /// SetPipe (RFC 6675, section 4).
    fn pipe<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        let mut pipe = 0;
        for seq in tx.una..tx.high {
            if tx.records.at(seq).sacked() {
                continue;
            }
            pipe += u64::from(!is_lost(tx, seq));
            pipe += u64::from(seq < self.high_rxt);
        }
        pipe
    }

    fn count(&self, which: usize) {
        let mut checks = self.checks.get();
        checks[which] += 1;
        self.checks.set(checks);
    }

    fn check<C: Controller>(&self, tx: &Connection<C>) {
        let sacked = (tx.una..tx.high).filter(|&seq| tx.records.at(seq).sacked());
        assert_eq!(self.sack.sacked, sacked.count() as u64);
        let lost = (tx.una..tx.high).filter(|&seq| is_lost(tx, seq)).max();
        assert_eq!(
            self.sack.lost_below().max(tx.una),
            lost.map_or(tx.una, |seq| seq + 1)
        );
        match tx.phase {
            Phase::Open => {}
            Phase::Recovery => {
                self.count(0);
                assert_eq!(self.sack.pipe(tx), self.pipe(tx));
            }
            // After a timeout everything is lost except segments SACKed or sent again since.
            Phase::Loss => {
                self.count(1);
                let again = (tx.una..tx.nxt).filter(|&seq| !tx.records.at(seq).sacked());
                assert_eq!(self.sack.in_flight(tx), again.count() as u64);
            }
        }
    }

    fn watch<C: Controller, O: Output>(
        &mut self,
        tx: &mut Connection<C>,
        out: &mut O,
        act: impl FnOnce(&mut Sack, &mut Connection<C>, &mut Tap<'_, O>),
    ) {
        self.check(tx);
        let before = tx.phase;
        let high_rxt = Cell::new(match before {
            Phase::Recovery => self.high_rxt,
            _ => 0,
        });
        let highest_sacked = (tx.una..tx.high)
            .rev()
            .find(|&seq| tx.records.at(seq).sacked());
        let mut tap = Tap {
            out,
            highest_sacked: highest_sacked.unwrap_or(0),
            high_rxt: &high_rxt,
        };
        act(&mut self.sack, tx, &mut tap);
        self.high_rxt = high_rxt.get();
        self.check(tx);
    }
}

impl Recovery for Recounted {
    fn on_blocks<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
        now: Instant,
    ) -> bool {
        self.sack.on_blocks(tx, ack, blocks, now)
    }

    fn on_advance<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        acked: u64,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.watch(tx, out, |sack, tx, out| {
            sack.on_advance(tx, acked, now, out)
        });
    }

    fn on_duplicate<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.watch(tx, out, |sack, tx, out| sack.on_duplicate(tx, now, out));
    }

    fn on_timeout<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        now: Instant,
        out: &mut impl Output,
    ) {
        self.sack.on_timeout(tx, now, out);
        self.check(tx);
    }

    fn in_flight<C: Controller>(&self, tx: &Connection<C>) -> u64 {
        self.sack.in_flight(tx)
    }
}

#[derive(Default)]
struct Wire(VecDeque<u64>);

impl Output for Wire {
    fn transmit(&mut self, segment: Segment) {
        self.0.push_back(segment.seq);
    }
    fn open(&mut self) {}
}

/// Runs a transfer over a path with the given losses. Returns the number of checks made.
fn transfer(window: u32, size: u64, losses: &[bool], ack_losses: &[bool]) -> [u64; 2] {
    let path = Path::new(Bytes(1000)).with_initial_window(Segments::whole(window));
    let config = SenderConfig {
        size: Some(size),
        handshake: false,
        ..SenderConfig::default()
    };
    let control = AnyConfig::named("reno").expect("built in").build(&path);
    let recovery = Recounted::default();
    let checks = Rc::clone(&recovery.checks);
    let mut sender = Sender::new(config, control, recovery);
    let mut receiver = Receiver::new(ReceiverConfig {
        sack: true,
        ..ReceiverConfig::default()
    });
    let mut wire = Wire::default();
    let mut now = Instant::ZERO;
    let (mut losses, mut ack_losses) = (losses.iter(), ack_losses.iter());
    sender.start(now, &mut wire);
    while !sender.finished() {
        let Some(seq) = wire.0.pop_front() else {
            now = sender.deadline().expect("the timer runs");
            sender.on_timer(now, &mut wire);
            continue;
        };
        now = now + Duration::from_millis(1);
        if losses.next().copied().unwrap_or(false) {
            continue;
        }
        let _ = receiver.on_segment(now, &Arrival::plain(seq, 0));
        let mut blocks = [SackBlock::default(); MAX_SACK_BLOCKS];
        let ack = receiver.ack(now, &mut blocks);
        if !ack_losses.next().copied().unwrap_or(false) {
            sender.on_ack(now, &ack, &mut wire);
        }
    }
    checks.get()
}

#[test]
fn the_counters_are_checked_in_episodes_and_after_timeouts() {
    // Some segments of two windows are lost, and then everything for a while.
    let lost = |i: usize| matches!(i, 20 | 22 | 23 | 30..34 | 50 | 60..66 | 100..140);
    let losses: Vec<_> = (0..140).map(lost).collect();
    let [recovery, loss] = transfer(30, 200, &losses, &[]);
    assert!(recovery > 30 && loss > 3, "{recovery} {loss}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pipe_equals_that_of_rfc_6675(
        window in 1..60_u32,
        size in 1..250_u64,
        rate in 0.0..0.5_f64,
        draws in prop::collection::vec(0.0..1.0_f64, 500),
        ack_draws in prop::collection::vec(0.0..1.0_f64, 500),
    ) {
        let losses: Vec<_> = draws.iter().map(|draw| *draw < rate).collect();
        let ack_losses: Vec<_> = ack_draws.iter().map(|draw| *draw < rate / 2.0).collect();
        transfer(window, size, &losses, &ack_losses);
    }
}
