//! Which packets SCReAM counts as lost (RFC 8298, section 4.1.2.4).

use dumbbell_control::units::{Duration, Instant};

use crate::control::{Fate, Report};

/// The most packets that wait to be counted as lost.
const MOST: usize = 1024;
/// The weight of a round-trip time in the loss event rate.
const WEIGHT: f64 = 0.01;

/// Packets that are missing, and may have been overtaken only.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    /// The numbers of the missing packets, with when they were found to be missing.
    missing: Vec<(u64, Instant)>,
    /// The reordering window.
    pub(super) window: Duration,
    /// The part of round-trip times with a loss.
    pub(super) event_rate: f64,
    round: Option<Instant>,
    lost: bool,
}

impl Losses {
    pub(super) fn new() -> Self {
        Self {
            missing: Vec::with_capacity(MOST),
            window: Duration::ZERO,
            event_rate: 0.0,
            round: None,
            lost: false,
        }
    }

    /// Returns whether packets are to be counted as lost. The window is at most a round-trip time.
    pub(super) fn on_report(&mut self, report: &Report<'_>, rtt: Duration) -> bool {
        for packet in report.packets {
            match packet.fate {
                Fate::Missing if self.missing.len() < MOST => {
                    self.missing.push((packet.sequence, report.now));
                }
                Fate::Missing => {}
                Fate::Arrived {
                    missing_since: Some(since),
                    ..
                } => {
                    self.missing
                        .retain(|&(number, _)| number != packet.sequence);
                    self.window = report.now.since(since).min(rtt);
                }
                Fate::Arrived { .. } => {}
            }
        }
        let before = self.missing.len();
        let window = self.window;
        self.missing
            .retain(|&(_, since)| report.now.since(since) < window);
        let lost = self.missing.len() < before;
        self.lost |= lost;
        let round = *self.round.get_or_insert(report.now);
        if report.now.since(round) >= rtt {
            self.event_rate += WEIGHT * (f64::from(u8::from(self.lost)) - self.event_rate);
            self.lost = false;
            self.round = Some(report.now);
        }
        lost
    }
}
