//! Good and bad periods of fixed length.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use serde_json::json;

use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Chance, Shape, Span};
use crate::limits::LONGEST_RUN;
use crate::simulated::time;
use crate::sort::Sort;
use crate::text;

/// The permitted lengths of a period.
const PERIOD: RangeInclusive<Duration> = Duration::from_micros(1)..=LONGEST_RUN;
const EXAMPLE: &str =
    "{ good = 0.00001, good_period = \"8 s\", bad = 0.1, bad_period = \"4 s\", switch = 0.95 }";

record! {
    /// Good and bad periods of fixed length, starting with a good one.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TwoState {
        /// Probability that a packet is lost in a good period.
        good: f64 = Chance.needed("good = 0.00001", |form| form
            .means("probability of a loss in a good period")
            .such_as([json!(0.00001)])),
        /// Length of a good period, 1 us to 30 days.
        good_period: Duration = Span(PERIOD).needed("good_period = \"8 s\"", |form| form
            .means("length of a good period")
            .such_as([json!("8 s")])),
        /// Probability that a packet is lost in a bad period.
        bad: f64 = Chance.needed("bad = 0.1", |form| form
            .means("probability of a loss in a bad period")
            .such_as([json!(0.1)])),
        /// Length of a bad period, 1 us to 30 days.
        bad_period: Duration = Span(PERIOD).needed("bad_period = \"4 s\"", |form| form
            .means("length of a bad period")
            .such_as([json!("4 s")])),
        /// Probability that the state changes at the end of a period; otherwise it stays for another
        /// period.
        switch: f64 = Chance.needed("switch = 0.95", |form| form
            .means("probability that the state changes at the end of a period")
            .such_as([json!(0.95)])),
    }
}

impl Sort for TwoState {
    type Value = Self;
    type Given = ();
    type Simulated = dumbbell_sim::LossModel;

    const KEY: &'static str = "two_state";
    const ENTRY: (&'static str, &'static str) =
        ("two_state = { .. }", "good and bad periods of fixed length");

    fn read(node: &Node<'_>) -> Option<Self> {
        Record::read(&node.table(Self::KEYS, &[], EXAMPLE)?)
    }

    fn write(periods: &Self) -> String {
        text::table(&Record::write(periods))
    }

    fn form() -> Form {
        value::table(&Self::forms())
            .means("good and bad periods of fixed length, beginning with a good one; at the end of a period the state changes with probability `switch`, otherwise another period of the same kind follows")
    }

    fn simulated(periods: &Self, (): ()) -> dumbbell_sim::LossModel {
        let Self {
            good,
            good_period,
            bad,
            bad_period,
            switch,
        } = *periods;
        dumbbell_sim::LossModel::TwoState(dumbbell_sim::loss::TwoState {
            good_loss: good,
            good_period: time(good_period),
            bad_loss: bad,
            bad_period: time(bad_period),
            switch,
        })
    }
}
