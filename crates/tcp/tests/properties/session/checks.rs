//! What must be true after every event.

use super::*;

impl Session {
    /// Checks that an RTT is at least twice the propagation delay and at most the age of the connection.
    pub(super) fn check_rtt(&self) {
        let tick = match self.setup.stamping {
            Stamping::Exact => Duration::ZERO,
            Stamping::Option { granularity } => granularity,
        };
        let rtt = self.sender.last_rtt();
        let least = Duration::from_micros(2 * self.setup.channel.delay);
        assert!(rtt + tick >= least, "{rtt:?} {self:?}");
        assert!(rtt <= self.now.since(self.start) + tick, "{rtt:?} {self:?}");
    }

    pub(super) fn check_sent(&mut self, before: &Before, out: &Sent) {
        let mut high = before.high;
        for segment in &out.segments {
            let Segment {
                seq,
                retransmission,
                sent_at,
                probe,
                ect,
                l4s,
                cwr,
                push,
                feedback,
            } = *segment;
            assert_eq!(sent_at, self.now);
            assert!(seq >= self.sender.una(), "{seq} is acknowledged: {self:?}");
            assert!(self.setup.size.is_none_or(|size| seq < size));
            assert!(self.setup.supply.is_none() || seq < self.supplied);
            assert_eq!(retransmission, seq < high);
            assert!(!self.sacked.contains(&seq), "{seq} is SACKed: {self:?}");
            if !retransmission {
                assert_eq!(seq, high, "new segments go out in order");
                high += 1;
            }
            let ecn = self.setup.ecn;
            assert_eq!(ect, ecn.is_on() && (!retransmission || ecn.counts()));
            assert_eq!(l4s, ecn == EcnMode::L4s);
            assert!(!cwr || !ecn.counts());
            assert!(!cwr || ect, "{seq} is not new: {self:?}");
            assert_eq!(feedback.is_some(), self.setup.ack_control.is_some());
            let all = match self.setup.supply {
                Some(_) => Some(self.supplied),
                None => self.setup.size,
            };
            let last = self.setup.push && all == Some(seq + 1);
            let pieces = self.setup.push_pieces && self.setup.tso && self.setup.rack.is_some();
            assert!(
                push == last || push && pieces && !retransmission,
                "{self:?}"
            );
            let every = u64::from(self.setup.probe_every);
            assert_eq!(probe, every > 0 && self.sent.is_multiple_of(every));
            self.sent += 1;
            self.retransmits += u64::from(retransmission);
        }
        assert_eq!(self.sender.high(), high);
    }

    /// Checks that a sender that adapts to fewer ACKs sends no long bursts. A recovery may add a segment.
    pub(super) fn check_burst(&self, before: &Before, out: &Sent) {
        let new = out.segments.iter().filter(|s| s.seq >= before.high).count();
        let known = self.sender.srtt().is_some();
        assert!(!self.setup.adaptation || !known || new <= 5, "{self:?}");
    }

    pub(super) fn check_sender(&self, before: &Before) {
        let sender = &self.sender;
        let (una, high) = (sender.una(), sender.high());
        assert!(before.una <= una && una <= high);
        let room = self.setup.receiver_window.floor();
        assert!(high - una <= room, "beyond the receiver's window: {self:?}");
        let (window, inflation) = sender.window();
        assert!(window.cwnd >= Segments::ONE && window.cwnd <= Segments::CAP);
        let shrinks = self.setup.shrinks(self.kind);
        assert!(shrinks || sender.phase() == Phase::Recovery || inflation == 0);
        let outstanding = una < high || !self.opened;
        let paces = self.setup.pacing || self.setup.rate.is_some() || self.setup.deliveries;
        let waits = self.setup.ecn.is_on() || self.setup.adaptation || paces;
        assert!(sender.deadline().is_some() || !outstanding, "{self:?}");
        // With nothing outstanding, only pacing and the wait after a mark keep a timer running.
        assert!(
            outstanding || waits || sender.deadline().is_none(),
            "{self:?}"
        );
        let counters = sender.counters();
        assert_eq!(counters.sent, self.sent);
        assert_eq!(counters.retransmits, self.retransmits);
        let control = sender.control();
        assert_eq!(counters.timeouts, control.timeouts);
        if self.setup.departures {
            assert_eq!(
                (counters.sent, counters.retransmits),
                (control.sent, control.resent)
            );
        }
        // The latest retransmissions are reported with the next ACK.
        assert!(control.lost <= counters.retransmits);
    }

    /// Checks that there is at most one reduction per episode. Vegas has no episodes: there, the loss of
    /// a segment sent before the last cut must not cut again.
    pub(super) fn check_reductions(&mut self, before: &Before) {
        let control = self.sender.control();
        let losses = control.losses - before.losses;
        let marks = control.marks - before.marks;
        let counters = self.sender.counters();
        assert_eq!(counters.ecn_cuts, control.marks);
        assert_eq!(counters.undone, control.restored);
        assert!(counters.undone <= counters.fast_recoveries + counters.timeouts);
        if counters.undone > before.undone {
            self.cut_high = 0; // There was no cut.
        }
        assert!(marks == 0 || self.setup.ecn.is_on() && before.phase == Phase::Open);
        if self.kind == Kind::Vegas {
            assert_eq!(control.late_cuts, 0, "{self:?}");
            return;
        }
        let episodes = counters.fast_recoveries - before.fast_recoveries;
        // A mark cuts less than a loss if it cuts by the extent of marking: then both are reported.
        let once = self.setup.ecn.is_on() && !self.scalable;
        assert!(losses == episodes || once && losses < episodes);
        assert!(losses <= 1 && marks <= 1);
        if marks == 1 {
            // The ACK must cover a segment sent after the last cut.
            assert!(
                // A control that is asked goes by when segments were sent, last if they were sent again.
                self.cut_high == 0 || self.sender.una() > self.cut_high || self.scalable,
                "{self:?}"
            );
        }
        if losses == 1 {
            // One window of segments must not be cut twice. By times, the ACK that ends an episode may
            // begin another one; and a loss probe reports a loss that others of its window may follow.
            let una = match self.by_times() {
                true => self.sender.una(),
                false => before.una,
            };
            let careless = matches!(self.kind, Kind::Reno | Kind::NewReno) && !self.setup.careful
                || self.by_times() && self.setup.rack == Some(true);
            assert!(
                careless || una >= self.cut_high || self.scalable,
                "{self:?}"
            );
            let over = self.by_times() && una >= self.cut_high;
            assert!(over || before.phase != Phase::Recovery, "{self:?}");
        }
        if episodes == 1 || marks == 1 || control.timeouts > before.timeouts {
            self.cut_high = before.high;
        }
        // A mark's cut takes effect within its window, and after that the window is the control's.
        let (_, inflation) = self.sender.window();
        let over = self.sender.una() > self.cut_high && self.sender.phase() == Phase::Open;
        assert!(inflation == 0 || !over, "{self:?}");
    }

    /// Checks that an episode ends when all that was outstanding at its beginning is acknowledged. In Reno
    /// and Vegas it ends on any new ACK, unless Vegas sends the next segment again.
    pub(super) fn check_end_of_episode(&self, before: &Before, out: &Sent) {
        let una = self.sender.una();
        if una == before.una {
            return;
        }
        let again = out.segments.iter().any(|segment| segment.retransmission);
        let over = match self.kind {
            Kind::Reno => true,
            Kind::Vegas => !again,
            Kind::Tahoe | Kind::NewReno | Kind::Sack => una >= self.cut_high,
        };
        if self.by_times() && self.sender.counters().fast_recoveries > before.fast_recoveries {
            return; // The ACK that ends an episode has begun another one.
        }
        assert!(!over || self.sender.phase() != Phase::Recovery, "{self:?}");
        let all = una >= self.cut_high && self.kind != Kind::Vegas;
        assert!(!all || self.sender.phase() == Phase::Open, "{self:?}");
    }

    /// Checks that an ACK reports what has arrived: the first missing segment, and the runs above it,
    /// that of the newest arrival first (RFC 2018, section 4).
    pub(super) fn check_ack(&mut self, ack: u64, seq: Option<u64>, blocks: &[(u64, u64)]) {
        while self.arrived.first().is_some_and(|&first| first < ack) {
            self.arrived.pop_first();
        }
        assert_eq!(ack, self.receiver.delivered());
        let mut blocks = blocks;
        if let (true, Some(seq)) = (self.again, seq) {
            // RFC 2883, section 4: the copy first, and then what contains it.
            let [first, others @ ..] = blocks else {
                panic!("{seq} has arrived twice: {self:?}");
            };
            assert_eq!(*first, (seq, seq + 1));
            blocks = others;
        }
        assert!(!self.arrived.contains(&ack), "{ack} has arrived");
        assert!(ack <= self.sender.high());
        for (i, &(start, end)) in blocks.iter().enumerate() {
            assert!(ack < start && start < end);
            assert!((start..end).all(|seq| self.arrived.contains(&seq)));
            assert!(!self.arrived.contains(&(start - 1)) && !self.arrived.contains(&end));
            assert!(!blocks[..i].contains(&(start, end)));
        }
        if let (Kind::Sack, Some(seq)) = (self.kind, seq.filter(|&seq| seq > ack)) {
            assert!(blocks[0].0 <= seq && seq < blocks[0].1, "{blocks:?} {seq}");
        }
        if self.kind != Kind::Sack {
            assert!(blocks.is_empty());
        }
    }
}
