//! What an ACK tells: round-trip times, stamps, marks and credit, for the timer, the recovery and the controller.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Marks, Queueing, Sample, Stamps};
use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant, Segments};

use super::Sender;
use crate::config::Stamping;
use crate::recovery::Recovery;
use crate::segment::{AckSegment, Echo, SackBlock};

/// What an ACK covers, or reports in its blocks, that no block reported before.
struct Reported {
    /// How many segments: those that Linux counts as delivered (`tp->delivered`). A receiver that gathers SACKs reports
    /// several with one duplicate. One that several blocks have counts once.
    new: u64,
    /// When the earliest of those was sent that the ACK covers, unless it covers one that was sent again; or else of those
    /// in its blocks that were sent once.
    earliest: Option<Instant>,
    /// When the newest was sent of those that the ACK covers, and whether it covers one that was sent again.
    covered: Option<Instant>,
    again: bool,
    /// When the newest was sent of those in its blocks that were sent once.
    sacked: Option<Instant>,
}

/// When segments were sent: the first that was looked at, the earliest, and the latest.
#[derive(Default)]
struct Span {
    first: Option<Instant>,
    earliest: Option<Instant>,
    latest: Option<Instant>,
}

impl Span {
    fn add(&mut self, sent_at: Instant) {
        self.first.get_or_insert(sent_at);
        self.earliest = Some(self.earliest.map_or(sent_at, |at| at.min(sent_at)));
        self.latest = self.latest.max(Some(sent_at));
    }
}

impl<C: Controller, R: Recovery> Sender<C, R> {
    /// Passes what the ACK reports to the estimators of the timer and of the controller.
    #[inline(always)]
    pub(super) fn sample(&mut self, now: Instant, ack: &AckSegment<'_>, duplicate: bool) {
        let each = self.tx.is_special() && self.tx.config.timer.each_ack;
        let reported = each.then(|| self.reported(ack));
        let (rtt, stamps) = match ack.echo {
            Echo::Exact {
                trigger,
                received_at,
            } => {
                let triggered = self.tx.sent_once(trigger);
                let stamps = self.stamps(trigger, triggered, received_at);
                let rtt = if duplicate {
                    cold_path();
                    None
                } else if let Some(reported) = self.with_repairs(&reported) {
                    self.since_reported(now, ack, reported)
                } else {
                    self.rtt(now, ack.ack, triggered)
                };
                (rtt, stamps)
            }
            Echo::Sent { trigger, sent_at } => {
                let triggered = self.tx.echoed_once(trigger, sent_at);
                let rtt = if duplicate {
                    cold_path();
                    None
                } else {
                    self.rtt(now, ack.ack, triggered)
                };
                (rtt, None)
            }
            Echo::Timestamps { value, echo } => {
                let (ticked, stamps) = self.echoed(now, value, echo, duplicate);
                let rtt = match self.with_repairs(&reported) {
                    Some(reported) => self.since_reported(now, ack, reported),
                    None if self.tx.config.timer.each_ack => self.since_covered(now, ack.ack),
                    None => ticked,
                };
                (rtt, stamps)
            }
        };
        if let Some((rtt, sent_at)) = rtt {
            self.last_rtt = rtt;
            self.rtt_samples += 1;
            self.recovery.on_rtt(rtt);
            if self.tx.is_special() {
                self.pass_on(now, ack, rtt, sent_at);
            } else {
                self.time(ack, rtt, sent_at);
            }
        }
        let new = reported.and_then(|reported| {
            self.time_earliest(now, ack, reported.earliest);
            Some(reported.new).filter(|_| self.recovery.counts_delivered())
        });
        let credited = match new {
            // One that reports nothing new counts for one, too.
            Some(new) => new.max(1),
            None => self.credit(ack.ack - self.tx.una),
        };
        let lost = self.tx.take_retransmits();
        // Fields instead of `with_` methods: the compiler copies the struct from one to the next.
        let mut sample = Sample::new(now, Segments::saturating_whole(credited));
        sample.rtt = rtt.map(|(rtt, _)| rtt);
        if lost > 0 {
            cold_path();
            sample.lost = Segments::saturating_whole(lost);
        }
        sample.duplicate = duplicate;
        if ack.ece {
            cold_path();
            sample.marks = Marks::Echoed;
        }
        if self.tx.is_special() && self.tx.extra.ecn.mode.counts() {
            sample.marks = self.tx.extra.ecn.count(ack.marks, credited);
        }
        sample.stamps = stamps;
        if let Some(aqt) = &ack.aqt {
            cold_path();
            sample.queueing = Some(Queueing {
                forward: Duration::from_micros(u64::from(aqt.echo)),
                backward: Duration::from_micros(u64::from(aqt.queueing)),
            });
        }
        self.tx.control.on_sample(&sample);
    }

    /// Passes a round-trip time to what the switches need it for.
    #[cold]
    #[inline(never)]
    fn pass_on(&mut self, now: Instant, ack: &AckSegment<'_>, rtt: Duration, sent_at: Instant) {
        if let Some(bursts) = self.tx.extra.bursts() {
            bursts.on_rtt(rtt);
        }
        if !self.tx.config.timer.each_ack {
            self.time(ack, rtt, sent_at);
        }
        if self.tx.extra.hystart.is_some() {
            self.tx.watch_slow_start(now, ack.ack, rtt);
        }
    }

    /// Feeds the retransmission timer: with the timestamps option a sample per ACK, without it one
    /// sample per round (RFC 6298, section 3). A sample per ACK follows a queue so closely that RTTVAR
    /// forgets a burst within a fraction of a round.
    #[inline]
    fn time(&mut self, ack: &AckSegment<'_>, rtt: Duration, sent_at: Instant) {
        if let Echo::Exact { trigger, .. } | Echo::Sent { trigger, .. } = ack.echo {
            if trigger < self.timed {
                return;
            }
            self.timed = self.tx.high;
        }
        self.tx.time(rtt, sent_at);
    }

    /// What an ACK covers or reports in its blocks for the first time.
    #[cold]
    fn reported(&self, ack: &AckSegment<'_>) -> Reported {
        let (una, high) = (self.tx.una, self.tx.high);
        let records = &self.tx.records;
        let (mut new, mut again) = (0, false);
        let (mut covered, mut sacked) = (Span::default(), Span::default());
        for seq in una..ack.ack {
            let record = records.at(seq);
            again |= record.transmissions() > 1;
            if !record.sacked() {
                new += 1;
                covered.add(record.sent_at());
            }
        }
        for (place, block) in ack.blocks.iter().enumerate() {
            for seq in block.start.max(ack.ack + 1)..block.end.min(high) {
                let record = records.at(seq);
                let before = |block: &SackBlock| (block.start..block.end).contains(&seq);
                if record.sacked() || ack.blocks[..place].iter().any(before) {
                    continue;
                }
                new += 1;
                if record.transmissions() == 1 {
                    sacked.add(record.sent_at());
                }
            }
        }
        Reported {
            new,
            earliest: covered.first.filter(|_| !again).or(sacked.earliest),
            covered: covered.latest,
            again,
            sacked: sacked.latest,
        }
    }

    /// Feeds the retransmission timer as Linux does: with the time since the earliest segment that the ACK reports, if it
    /// tells one; or else with the stamp that it echoes, if it covers something: that tells a retransmission from its
    /// original (`tcp_ack_update_rtt`).
    #[cold]
    fn time_earliest(&mut self, now: Instant, ack: &AckSegment<'_>, earliest: Option<Instant>) {
        let rtt = match earliest {
            Some(sent_at) => Some(now.since(sent_at)),
            None if ack.ack > self.tx.una => self.since_echo(now, ack),
            None => None,
        };
        if let Some(rtt) = rtt {
            self.tx.time_in_round(rtt, ack.ack);
        }
    }

    /// The round-trip time of the newest segment that an ACK covers, and when it was sent; `None` if it was sent again,
    /// or if the ACK covers none. Linux times its segments to the microsecond whatever the clock of its timestamps, and
    /// tells the control that (`tcp_clean_rtx_queue`).
    #[inline]
    fn since_covered(&self, now: Instant, ack: u64) -> Option<(Duration, Instant)> {
        let sent_at = self.tx.sent_once(ack.checked_sub(1)?)?;
        Some((now.since(sent_at), sent_at))
    }

    /// What an ACK reports, if the control is told what Linux tells it where segments were sent again.
    #[inline]
    fn with_repairs<'r>(&self, reported: &'r Option<Reported>) -> Option<&'r Reported> {
        reported.as_ref().filter(|_| self.tx.config.repair_samples)
    }

    /// The round-trip time that Linux tells the control of an ACK that covers something (`ca_rtt_us`), and when its segment
    /// was sent: of the newest segment that the ACK reports in a SACK block for the first time, or else of the newest that it
    /// covers and that no block has reported, unless it covers one that was sent again; then of the stamp that it echoes.
    #[cold]
    fn since_reported(
        &self,
        now: Instant,
        ack: &AckSegment<'_>,
        reported: &Reported,
    ) -> Option<(Duration, Instant)> {
        if ack.ack == self.tx.una {
            return None;
        }
        let sent_at = match reported.sacked {
            None if reported.again => now - self.since_echo(now, ack)?,
            None => reported.covered?,
            Some(sent_at) => sent_at,
        };
        Some((now.since(sent_at), sent_at))
    }

    /// How long ago the stamp that an ACK echoes was made: whole ticks of the option's clock, at least one. `None`
    /// without the option.
    fn since_echo(&self, now: Instant, ack: &AckSegment<'_>) -> Option<Duration> {
        let Echo::Timestamps { echo, .. } = ack.echo else {
            return None;
        };
        let Stamping::Option { granularity } = self.stamping() else {
            return None;
        };
        let tick = granularity.as_nanos().max(1);
        let (_, ticks) = ticks_since(now, echo, tick);
        Some(Duration::from_nanos(ticks.max(1) * tick))
    }

    /// The round-trip time that an ACK of new data gives, and when its segment was sent.
    #[inline]
    fn rtt(
        &self,
        now: Instant,
        ack: u64,
        triggered: Option<Instant>,
    ) -> Option<(Duration, Instant)> {
        let sent_at = if self.recovery.times_covered() {
            self.tx.sent_once(ack - 1)?
        } else {
            triggered?
        };
        Some((now.since(sent_at), sent_at))
    }

    /// The stamps of the packet that triggered an ACK, unless it was retransmitted or reordered.
    #[inline]
    fn stamps(
        &mut self,
        trigger: u64,
        triggered: Option<Instant>,
        received_at: Instant,
    ) -> Option<Stamps> {
        let sent_at = triggered?;
        if trigger < self.next_trigger {
            cold_path();
            return None;
        }
        self.next_trigger = trigger + 1;
        Some(Stamps {
            sent_at,
            received_at,
        })
    }

    /// Updates the feedback for the receiver's ACK congestion control.
    #[cold]
    pub(super) fn hear(&mut self, now: Instant, ack: &AckSegment<'_>) {
        let time = match (ack.echo, self.stamping()) {
            (Echo::Exact { received_at, .. }, _) => received_at,
            (Echo::Timestamps { value, .. }, Stamping::Option { granularity }) => {
                widen(now, value, granularity.as_nanos().max(1))
            }
            (Echo::Timestamps { .. }, Stamping::Exact) | (Echo::Sent { .. }, _) => Instant::ZERO,
        };
        if let Some(feedback) = &mut self.tx.extra.feedback {
            feedback.marked |= ack.marked;
            feedback.heard = feedback.heard.max(time);
        }
    }

    fn echoed(
        &mut self,
        now: Instant,
        value: u32,
        echo: u32,
        duplicate: bool,
    ) -> (Option<(Duration, Instant)>, Option<Stamps>) {
        let Stamping::Option { granularity } = self.stamping() else {
            return (None, None);
        };
        if duplicate {
            return (None, None); // A duplicate echoes the stamp of an earlier segment.
        }
        let tick = granularity.as_nanos().max(1);
        let sent_at = widen(now, echo, tick);
        let received_at = widen(now, value, tick);
        let now_ticked = Instant::from_nanos(now.as_nanos() / tick * tick);
        let rtt = now_ticked.since(sent_at).max(Duration::from_nanos(1));
        self.recovery.on_echo(sent_at + Duration::from_nanos(tick));
        (
            Some((rtt, sent_at)),
            Some(Stamps {
                sent_at,
                received_at,
            }),
        )
    }

    /// How many segments an ACK that covers `covered` new ones reports as having left the network. A
    /// duplicate counts for one, and a later cumulative ACK for those that the duplicates have not
    /// counted (AckedCount of Westwood).
    #[inline]
    fn credit(&mut self, covered: u64) -> u64 {
        if covered == 0 {
            cold_path();
            self.accounted += 1;
            return 1;
        }
        if covered == 1 {
            return 1;
        }
        if self.accounted >= covered {
            self.accounted -= covered;
            return 1;
        }
        covered - core::mem::take(&mut self.accounted)
    }
}

/// The latest time up to `now` that a stamp of 32 bits may mean.
fn widen(now: Instant, stamp: u32, tick: u64) -> Instant {
    let (ticks, since) = ticks_since(now, stamp, tick);
    Instant::from_nanos((ticks - since) * tick)
}

/// The ticks up to `now`, and those of them that came after a stamp of 32 bits.
fn ticks_since(now: Instant, stamp: u32, tick: u64) -> (u64, u64) {
    let ticks = now.as_nanos() / tick;
    (
        ticks,
        u64::from((ticks as u32).wrapping_sub(stamp)).min(ticks),
    )
}

#[cfg(test)]
mod tests {
    use dumbbell_control::controller::Window;
    use dumbbell_control::event::{Ack, Loss, Timeout};

    use super::*;
    use crate::config::SenderConfig;
    use crate::recovery::{Any, Rack, Reno};
    use crate::segment::{Output, Segment};

    struct Nothing;

    impl Output for Nothing {
        fn transmit(&mut self, _: Segment) {}
        fn open(&mut self) {}
    }

    /// A window of ten segments, and how many each ACK was said to report.
    #[derive(Default)]
    struct Fixed(Vec<u64>);

    impl Controller for Fixed {
        fn on_sample(&mut self, sample: &Sample) {
            self.0.push(sample.credited.floor());
        }
        fn on_ack(&mut self, _: &Ack) {}
        fn on_loss(&mut self, _: &Loss) {}
        fn on_timeout(&mut self, _: &Timeout) {}
        fn restrict(&mut self, _: Segments) {}
        fn window(&self) -> Window {
            Window {
                cwnd: Segments::whole(10),
                ssthresh: Segments::MAX,
            }
        }
    }

    #[test]
    fn each_segment_is_credited_once() {
        let mut sender = Sender::new(SenderConfig::default(), Fixed::default(), Reno::default());
        let mut credit = |acks: &[u64]| acks.iter().map(|&n| sender.credit(n)).collect::<Vec<_>>();
        assert_eq!(credit(&[0, 0, 0, 5]), [1, 1, 1, 2]);
        assert_eq!(credit(&[0, 0, 0, 2]), [1, 1, 1, 1]);
        assert_eq!(sender.accounted, 1);
    }

    /// Ten segments leave, and the first is lost. A receiver that gathers SACKs reports three segments with one duplicate, then
    /// two more of which one was known, in blocks that overlap, and nothing new; the repair brings the first and those behind it. With every ACK a
    /// sample, Linux' recovery counts what was new; by Westwood's rule a duplicate is one segment, and the rest comes at the end.
    #[test]
    fn gathered_sacks_are_credited_as_they_are_reported() {
        let credited = |each_ack: bool| {
            let mut config = SenderConfig {
                handshake: false,
                ..SenderConfig::default()
            };
            config.timer.each_ack = each_ack;
            let recovery = Any::Rack(Box::new(Rack::new(None, false)));
            let mut sender = Sender::new(config, Fixed::default(), recovery);
            let (at, mut out) = (Instant::from_nanos(1), Nothing);
            sender.start(at, &mut out);
            let echo = Echo::Exact {
                trigger: 9,
                received_at: at,
            };
            for (ack, end) in [(0, 4), (0, 5), (0, 5), (6, 6)] {
                let whole = SackBlock { start: 1, end };
                let blocks = [whole, SackBlock { start: 3, end }];
                let blocks = if ack == 0 { &blocks[..] } else { &[] };
                let ack = AckSegment {
                    ack,
                    echo,
                    blocks,
                    ece: false,
                    marks: None,
                    aqt: None,
                    marked: false,
                };
                sender.on_ack(at, &ack, &mut out);
            }
            sender.tx.control.0
        };
        assert_eq!(credited(true), [3, 1, 1, 2]);
        assert_eq!(credited(false), [1, 1, 1, 3]);
    }
}
