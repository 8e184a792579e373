//! RFC 8985's pseudo-code, step by step and without regard to speed. Each procedure goes over all segments.

use std::collections::BTreeMap;

use dumbbell_control::units::{Duration, Instant};

use crate::segment::SackBlock;

/// A segment without a cumulative ACK (section 5.1).
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub lost: bool,
    pub sacked: bool,
    retransmitted: bool,
    xmit_ts: Instant,
}

/// The variables of sections 5.2 and 7.
#[derive(Debug, Default)]
pub struct Reference {
    pub segments: BTreeMap<u64, Segment>,
    rtt: Duration,
    min_rtt: Option<Duration>,
    xmit_ts: Instant,
    end_seq: u64,
    fack: u64,
    pub reordering_seen: bool,
    pub tlp_end_seq: Option<u64>,
    tlp_is_retrans: bool,
    /// Whether an RTT has been measured since the last probe.
    pub probed: bool,
    dsack_round: Option<u64>,
    /// RACK.reo_wnd_mult, less one.
    more: u64,
    reo_wnd_persist: i64,
}

/// What an ACK reports.
#[derive(Debug, Default)]
pub struct Report {
    /// Segments newly acknowledged or SACKed.
    pub delivered: u64,
    /// Whether a segment is newly SACKed.
    pub sacks: bool,
    /// Whether a probe has repaired a loss.
    pub cut: bool,
    /// Whether a segment is reported to have arrived twice.
    pub dsack: bool,
}

/// RACK_sent_after.
fn sent_after(t1: Instant, seq1: u64, t2: Instant, seq2: u64) -> bool {
    t1 > t2 || t1 == t2 && seq1 > seq2
}

/// RFC 2883, section 4: the segment after the one that has arrived twice.
fn dsack(ack: u64, blocks: &[SackBlock]) -> Option<u64> {
    match blocks {
        [first, ..] if first.end <= ack => Some(first.end),
        [first, second, ..] if second.start <= first.start && first.end <= second.end => {
            Some(first.end)
        }
        _ => None,
    }
}

impl Reference {
    /// RACK_transmit_new_data and RACK_retransmit_data.
    pub fn transmit(&mut self, seq: u64, now: Instant) {
        let retransmitted = self.segments.contains_key(&seq);
        let sacked = self
            .segments
            .get(&seq)
            .is_some_and(|segment| segment.sacked);
        let segment = Segment {
            lost: false,
            sacked,
            retransmitted,
            xmit_ts: now,
        };
        self.segments.insert(seq, segment);
    }

    /// Steps 1 to 3 and TLP_process_ack.
    pub fn on_ack(&mut self, ack: u64, una: u64, blocks: &[SackBlock], now: Instant) -> Report {
        let plain = ack == una && blocks.is_empty();
        let mut report = Report {
            cut: self.tlp_process_ack(ack, plain, blocks),
            dsack: dsack(ack, blocks).is_some(),
            ..Report::default()
        };
        let covered = |seq: u64| {
            let mut blocks = blocks.iter();
            seq < ack || blocks.any(|block| block.start <= seq && seq < block.end)
        };
        let mut delivered: Vec<(u64, Segment)> = Vec::new();
        for (&seq, segment) in &mut self.segments {
            if covered(seq) && !segment.sacked {
                delivered.push((seq, *segment));
                segment.sacked = true;
                segment.lost = false;
                report.sacks |= seq >= ack;
            }
        }
        self.segments.retain(|&seq, _| seq >= ack);
        report.delivered = delivered.len() as u64;
        // As in Linux, step 2 compares with the least RTT of earlier ACKs.
        let min_rtt = self.min_rtt;
        // Step 1, with the RTTs of segments sent once.
        for (_, segment) in delivered.iter().filter(|(_, it)| !it.retransmitted) {
            let rtt = now.since(segment.xmit_ts);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
        }
        // Step 3 is in ascending order of end_seq.
        for &(seq, segment) in &delivered {
            if seq + 1 > self.fack {
                self.fack = seq + 1;
            } else if seq + 1 < self.fack && !segment.retransmitted {
                self.reordering_seen = true;
            }
        }
        // Step 2, RACK_update, in ascending order of xmit_ts.
        delivered.sort_by_key(|(seq, segment)| (segment.xmit_ts, *seq));
        for (seq, segment) in delivered {
            let rtt = now.since(segment.xmit_ts);
            if segment.retransmitted && min_rtt.is_some_and(|min| rtt < min) {
                continue;
            }
            self.rtt = rtt;
            if sent_after(segment.xmit_ts, seq + 1, self.xmit_ts, self.end_seq) {
                self.xmit_ts = segment.xmit_ts;
                self.end_seq = seq + 1;
            }
        }
        report
    }

    /// RACK_update_reo_wnd, its first half.
    pub fn adapt(&mut self, una: u64, nxt: u64, dsack: bool, exiting: bool) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() && dsack {
            self.dsack_round = Some(nxt);
            self.more += 1;
            self.reo_wnd_persist = 16;
        } else if exiting {
            self.reo_wnd_persist -= 1;
            if self.reo_wnd_persist <= 0 {
                self.more = 0;
            }
        }
    }

    /// Its second half.
    fn reo_wnd(&self, recovering: bool, srtt: Option<Duration>) -> Duration {
        if !self.reordering_seen && (recovering || self.sacked() >= 3) {
            return Duration::ZERO;
        }
        let quarter = self
            .min_rtt
            .map_or(0, |min| (self.more + 1) * min.as_nanos() / 4);
        srtt.unwrap_or(Duration::MAX)
            .min(Duration::from_nanos(quarter))
    }

    /// Step 5. Returns when the reordering timer fires.
    pub fn detect_loss(
        &mut self,
        recovering: bool,
        srtt: Option<Duration>,
        now: Instant,
    ) -> Option<Instant> {
        let wait = self.rtt + self.reo_wnd(recovering, srtt);
        let mut timeout = None;
        for (&seq, segment) in &mut self.segments {
            // A lost segment has an infinite xmit_ts.
            if segment.sacked || segment.lost {
                continue;
            }
            if sent_after(self.xmit_ts, self.end_seq, segment.xmit_ts, seq + 1) {
                if segment.xmit_ts + wait <= now {
                    segment.lost = true;
                } else {
                    timeout = timeout.max(Some(segment.xmit_ts + wait));
                }
            }
        }
        timeout
    }

    /// RACK_mark_losses_on_RTO, and TLP_init.
    pub fn mark_losses_on_rto(&mut self, una: u64, srtt: Option<Duration>, now: Instant) {
        let wait = self.rtt + self.reo_wnd(true, srtt);
        for (&seq, segment) in &mut self.segments {
            if !segment.sacked && (seq == una || segment.xmit_ts + wait <= now) {
                segment.lost = true;
            }
        }
        self.tlp_end_seq = None;
    }

    /// TLP_process_ack. Returns whether the probe has repaired a loss.
    pub fn tlp_process_ack(
        &mut self,
        ack: u64,
        plain_duplicate: bool,
        blocks: &[SackBlock],
    ) -> bool {
        let Some(end_seq) = self.tlp_end_seq.filter(|&end_seq| ack >= end_seq) else {
            return false;
        };
        let mut cut = false;
        if !self.tlp_is_retrans || dsack(ack, blocks) == Some(end_seq) {
            self.tlp_end_seq = None;
        } else if ack > end_seq {
            self.tlp_end_seq = None;
            cut = true;
        } else if plain_duplicate {
            self.tlp_end_seq = None;
        }
        cut
    }

    /// TLP_send_probe. Returns the segment to send; `None` if the probe is skipped.
    pub fn probe(&mut self, nxt: u64, new_data: bool) -> Option<u64> {
        if self.tlp_end_seq.is_some() || self.probed {
            return None;
        }
        self.probed = true;
        self.tlp_is_retrans = !new_data;
        let seq = if new_data { nxt } else { nxt - 1 };
        self.tlp_end_seq = Some(seq + 1);
        Some(seq)
    }

    pub fn sacked(&self) -> u64 {
        self.segments.values().filter(|it| it.sacked).count() as u64
    }

    pub fn lost(&self) -> impl Iterator<Item = u64> {
        let lost = self.segments.iter().filter(|(_, it)| it.lost);
        lost.map(|(&seq, _)| seq)
    }

    /// Segments in the network.
    pub fn pipe(&self) -> u64 {
        let there = self.segments.values().filter(|it| !it.sacked && !it.lost);
        there.count() as u64
    }
}
