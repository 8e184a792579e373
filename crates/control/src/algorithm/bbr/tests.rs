//! Stories, worked out by hand: ACKs of segments of 1000 bytes, 100 ms apart.

mod cycle;
mod loss;
mod rtt;
mod startup;

use super::*;
use crate::algorithm::testing::{at, branch, number, span};
use crate::event::DeliveryRate;
use crate::units::Bytes;

/// An ACK that begins a round, reports one segment, and measures this many segments in 100 ms.
#[derive(Clone, Copy)]
struct Report {
    rate: u64,
    /// Whether a round begins; else the segment that is reported was sent when `prior` were delivered.
    round: bool,
    prior: u64,
    newly: u64,
    in_flight: u64,
    rtt: f64,
    tx_in_flight: u64,
    lost: u64,
    app_limited: bool,
    cwnd_limited: bool,
    repair: Repair,
}

const REPORT: Report = Report {
    rate: 40,
    round: true,
    prior: 0,
    newly: 1,
    in_flight: 100,
    rtt: 100.0,
    tx_in_flight: 100,
    lost: 0,
    app_limited: false,
    cwnd_limited: false,
    repair: Repair::None,
};

struct Story {
    bbr: Bbr,
    ms: f64,
    delivered: u64,
}

impl Story {
    fn begins() -> Self {
        let path = Path::new(Bytes(1000));
        let mut bbr = Bbr::new(&Config::default(), &path);
        bbr.on_sent(&Sent::new(at(0.0), Segments::ONE, Segments::ZERO));
        Self {
            bbr,
            ms: 0.0,
            delivered: 0,
        }
    }

    /// A path of 40 segments in 100 ms, and a control that has just begun ProbeBW_DOWN, with a window of twice
    /// that and the segment that each ACK reports at once.
    fn cycles() -> Self {
        let mut story = Self::begins();
        for _ in 0..4 {
            let _ = story.ack(REPORT);
        }
        for _ in 0..3 {
            assert_eq!(story.ack(REPORT), State::Drain);
        }
        story.bbr.cwnd = 90;
        assert_eq!(story.ack(REPORT), State::Down);
        assert_eq!(story.bbr.cwnd, 81);
        story
    }

    /// The same in ProbeBW_UP.
    fn probes() -> Self {
        let mut story = Self::cycles();
        assert_eq!(
            story.ack(Report {
                in_flight: 40,
                ..REPORT
            }),
            State::Cruise
        );
        story.ms += 3_000.0;
        assert_eq!(story.ack(REPORT), State::Refill);
        assert_eq!(story.ack(REPORT), State::Up);
        story
    }

    /// 100 ms later comes an ACK. Returns the state after it.
    fn ack(&mut self, report: Report) -> State {
        self.ms += 100.0;
        self.delivered += report.newly;
        let mut delivery = Delivery::new(at(self.ms), self.delivered, report.in_flight);
        delivery.newly_delivered = report.newly;
        delivery.rtt = Some(span(report.rtt));
        delivery.srtt = Some(span(report.rtt));
        delivery.repair = report.repair;
        delivery.cwnd_limited = report.cwnd_limited;
        delivery.rate = Some(DeliveryRate {
            delivered: report.rate,
            interval: span(100.0),
            prior_delivered: if report.round {
                self.delivered
            } else {
                report.prior
            },
            tx_in_flight: report.tx_in_flight,
            lost: report.lost,
            app_limited: report.app_limited,
        });
        self.bbr.on_delivery(&delivery);
        self.bbr.state
    }

    /// A segment is lost that was sent when `tx` were in flight, the `lost`th since then.
    fn lose(&mut self, seq: u64, tx: u64, lost: u64) {
        let mut segment = LostSegment::new(at(self.ms), tx, lost);
        segment.delivered = self.delivered;
        segment.seq = seq;
        self.bbr.on_lost_segment(&segment);
    }

    fn episode(&mut self) {
        self.bbr
            .on_loss(&Loss::new(at(self.ms), Segments::whole(40)));
    }
}

const IN_EPISODE: Report = Report {
    repair: Repair::Episode,
    ..REPORT
};
