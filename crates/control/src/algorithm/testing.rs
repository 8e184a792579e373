//! Events and comparisons for the tests of this crate.

use crate::controller::{Controller, Value};
use crate::event::{Ack, Loss, LossSignal, Path, Sample, Stamps, Timeout};
use crate::units::{Bytes, Duration, Instant, Rate, Segments};

/// Segments from a decimal number.
pub fn segments(n: f64) -> Segments {
    Segments::from_raw((n * 4_294_967_296.0) as u64)
}

/// Milliseconds since the origin.
pub fn at(ms: f64) -> Instant {
    Instant::from_nanos((ms * 1e6) as u64)
}

/// A span of milliseconds.
pub fn span(ms: f64) -> Duration {
    Duration::from_nanos((ms * 1e6) as u64)
}

/// A path of 1000-byte segments with this window and threshold.
pub fn path(cwnd: f64, ssthresh: f64) -> Path {
    Path {
        mss: Bytes(1000),
        initial_window: segments(cwnd),
        ssthresh: segments(ssthresh),
        stamp_granularity: Duration::ZERO,
    }
}

/// An ACK of new data.
pub fn ack(acked: f64) -> Ack {
    Ack {
        now: Instant::ZERO,
        acked: segments(acked),
        in_flight: Segments::CAP,
        app_limited: false,
    }
}

/// The estimators' side of an ACK of one segment of new data.
pub fn sample(now_ms: f64, rtt_ms: f64) -> Sample {
    Sample {
        now: at(now_ms),
        rtt: Some(span(rtt_ms)),
        credited: Segments::ONE,
        duplicate: false,
        stamps: None,
        queueing: None,
    }
}

/// Stamps in milliseconds.
pub fn stamps_at(sent: f64, received: f64) -> Stamps {
    Stamps {
        sent_at: at(sent),
        received_at: at(received),
    }
}

/// A rate in bits a second.
pub fn bit_rate(rate: f64) -> Rate {
    Rate::from_raw((rate * 8192.0) as u64)
}

/// Three duplicate ACKs for a segment sent once.
pub fn loss(now_ms: f64) -> Loss {
    Loss {
        now: at(now_ms),
        in_flight: Segments::CAP,
        lost_sent_at: at(now_ms),
        transmissions: 1,
        by: LossSignal::DupAcks,
    }
}

/// The `consecutive`th timeout of a segment.
pub fn timeout(now_ms: f64, consecutive: u32) -> Timeout {
    Timeout {
        now: at(now_ms),
        in_flight: Segments::CAP,
        consecutive,
    }
}

/// Half a unit of the sixth decimal, or one millionth of the value.
#[track_caller]
pub fn assert_near(value: f64, expected: f64) {
    let tolerance = (expected.abs() * 1e-6).max(0.5e-6);
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} is not {expected}"
    );
}

/// As [`assert_near`], for segments.
#[track_caller]
pub fn assert_segments(value: Segments, expected: f64) {
    assert_near(value.as_f64(), expected);
}

/// A number that a controller explains; NaN if it does not.
pub fn number(control: &impl Controller, name: &str) -> f64 {
    let mut found = f64::NAN;
    control.explain(&mut |reported, value| {
        if reported == name {
            found = value.number().unwrap_or(found);
        }
    });
    found
}

/// The branch that a controller took last.
pub fn branch(control: &impl Controller) -> &'static str {
    let mut found = "";
    control.explain(&mut |_, value| {
        if let Value::Rule(rule) = value {
            found = rule.branch;
        }
    });
    found
}
