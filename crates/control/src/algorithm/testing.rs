//! Events and comparisons for the tests of this crate.

use crate::controller::{Controller, Value};
use crate::event::{Ack, Loss, Path, Sample, Stamps, Timeout};
use crate::units::{Bytes, Duration, Instant, Rate, Segments};

/// A window from a decimal number of segments.
pub fn segments(n: f64) -> Segments {
    Segments::from_raw((n * 4_294_967_296.0) as u64)
}

/// The moment this many milliseconds after the origin.
pub fn at(ms: f64) -> Instant {
    Instant::from_nanos((ms * 1e6) as u64)
}

/// A span of milliseconds.
pub fn span(ms: f64) -> Duration {
    Duration::from_nanos((ms * 1e6) as u64)
}

/// A path of 1000-byte segments with this window and threshold.
pub fn path(cwnd: f64, ssthresh: f64) -> Path {
    Path::new(Bytes(1000))
        .with_initial_window(segments(cwnd))
        .with_ssthresh(segments(ssthresh))
}

/// An ACK of new data.
pub fn ack(acked: f64) -> Ack {
    Ack::new(Instant::ZERO, segments(acked), Segments::CAP)
}

/// The sample of an ACK of one segment of new data.
pub fn sample(now_ms: f64, rtt_ms: f64) -> Sample {
    Sample::new(at(now_ms), Segments::ONE).with_rtt(span(rtt_ms))
}

/// Stamps from times in milliseconds.
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
    Loss::new(at(now_ms), Segments::CAP)
}

/// The `consecutive`th timeout of a segment.
pub fn timeout(now_ms: f64, consecutive: u32) -> Timeout {
    Timeout::new(at(now_ms), Segments::CAP).with_consecutive(consecutive)
}

/// Fails if the values differ by more than half a unit of the sixth decimal place or one millionth of
/// `expected`, whichever is greater.
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

/// The number that a controller explains by this name; NaN if it explains none.
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
