//! Bursts and silences: the keys that all sources that send in bursts have in common.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_sim::traffic::OnOff;
use serde_json::json;

use crate::form::Form;
use crate::key::record::record;
use crate::key::{Key, Shape, Span, Speed};
use crate::quantity::BitRate;
use crate::simulated::time;

const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The permitted mean lengths of bursts.
const ON: RangeInclusive<Duration> = Duration::from_nanos(1)..=LONGEST;
/// The permitted mean lengths of silences.
const OFF: RangeInclusive<Duration> = Duration::ZERO..=LONGEST;

/// The key `rate` of a source that sends in bursts.
pub(super) fn rate() -> Key<Speed> {
    Speed.needed(
        "rate = \"2 Mb/s\", the rate within a burst",
        |form: Form| {
            form.means("the rate within a burst")
                .such_as([json!("2 Mb/s")])
        },
    )
}

/// The key `on` of a source that sends in bursts.
pub(super) fn on() -> Key<Span> {
    Span(ON).needed("on = \"10 ms\", the mean length of a burst", |form| {
        form.means("the mean length of a burst")
            .such_as([json!("10 ms")])
    })
}

/// The key `off` of a source that sends in bursts.
pub(super) fn off() -> Key<Span> {
    Span(OFF).needed("off = \"10 ms\", the mean length of a silence", |form| {
        form.means("the mean length of a silence")
            .such_as([json!("10 ms")])
    })
}

record! {
    /// The parameters of bursts and silences.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Bursts {
        /// The rate within a burst.
        rate: BitRate = rate(),
        /// Mean length of a burst, above 0 and up to 24 h.
        on: Duration = on(),
        /// Mean length of a silence, up to 24 h.
        off: Duration = off(),
    }
}

impl Bursts {
    /// Returns the simulator's source, with packets of `bytes` bytes.
    pub(super) fn simulated(self, bytes: u16) -> OnOff {
        let Self { rate, on, off } = self;
        OnOff {
            bytes,
            rate: rate.0,
            on: time(on),
            off: time(off),
        }
    }
}
