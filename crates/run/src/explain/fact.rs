//! The values that the names in a rule's templates refer to.

use dumbbell_control::controller::Value;
use dumbbell_control::parameter::Setting;
use dumbbell_control::units::Segments;
use dumbbell_scenario::controls::Control;
use dumbbell_scenario::rate_controls::RateControl;
use dumbbell_scenario::{Media, Tcp};

use super::step::{Event, Step, Values};

/// A name in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) name: &'static str,
    /// Refers to the value after the rule was applied.
    pub(super) after: bool,
    /// Positive numbers are shown with a sign, too.
    pub(super) signed: bool,
    /// The value counts quarters: it is divided by 4 to be shown.
    pub(super) quarters: bool,
}

/// The unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Pure,
    Segments,
    Seconds,
    BitRate,
    Bytes,
}

/// The value of one name in a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fact {
    /// A measured number.
    Measured(f64, Unit),
    /// A number that was set or counted, and is therefore exact.
    Exact(f64, Unit),
    Word(&'static str),
    Unknown,
}

/// The properties of a flow that do not change during a run.
pub(super) struct Constants {
    pub(super) name: String,
    control: Chosen,
    payload: u64,
    receiver_window: Option<u32>,
}

/// What sets a flow's window, or its rate.
enum Chosen {
    Window(Control),
    Rate(RateControl),
}

impl Chosen {
    fn get(&self, name: &str) -> Option<Setting> {
        match self {
            Self::Window(control) => control.get(name),
            Self::Rate(control) => control.get(name),
        }
    }
}

impl Hole {
    pub(super) fn parse(inside: &'static str) -> Self {
        let (name, form) = inside.split_once(':').unwrap_or((inside, ""));
        let plain = name.strip_prefix("after.");
        Self {
            name: plain.unwrap_or(name),
            after: plain.is_some(),
            signed: form == "+",
            quarters: form == "/4",
        }
    }
}

impl Constants {
    pub(super) fn new(name: String, tcp: &Tcp) -> Self {
        Self {
            name,
            control: Chosen::Window(tcp.control.clone()),
            payload: tcp.payload.0,
            receiver_window: tcp.receiver_window,
        }
    }

    /// Those of a media flow.
    pub(super) fn of_media(name: String, media: &Media) -> Self {
        Self {
            name,
            control: Chosen::Rate(media.control.clone()),
            payload: media.segment.0,
            receiver_window: None,
        }
    }

    /// The name of the control.
    pub(super) fn control(&self) -> &str {
        match &self.control {
            Chosen::Window(control) => control.name(),
            Chosen::Rate(control) => control.name(),
        }
    }

    pub(super) fn receiver_window(&self) -> Option<Segments> {
        self.receiver_window.map(Segments::whole)
    }

    /// The value of a parameter of the control that is a word.
    pub(super) fn word(&self, name: &str) -> Option<&'static str> {
        match self.control.get(name) {
            Some(Setting::Choice(word)) => Some(word),
            _ => None,
        }
    }

    /// The value of a parameter of the control that is a whole number.
    pub(super) fn count(&self, name: &str) -> Option<u32> {
        match self.control.get(name) {
            Some(Setting::Count(count)) => Some(count),
            _ => None,
        }
    }

    /// Returns the value of a name at a step.
    pub(super) fn resolve(&self, hole: &Hole, step: &Step<'_>) -> Fact {
        let values = if hole.after {
            step.values_after
        } else {
            step.values
        };
        explained(values, hole.name)
            .or_else(|| of_event(hole.name, step))
            .or_else(|| self.constant(hole.name))
            .unwrap_or(Fact::Unknown)
    }

    fn constant(&self, name: &str) -> Option<Fact> {
        match name {
            "payload" => return Some(Fact::Exact(self.payload as f64, Unit::Bytes)),
            "receiver_window" => {
                let most = f64::from(self.receiver_window?);
                return Some(Fact::Exact(most, Unit::Segments));
            }
            _ => {}
        }
        let setting = self.control.get(name)?;
        let rate = match &self.control {
            Chosen::Rate(control) => control.is_rate(name),
            Chosen::Window(_) => false,
        };
        if let (Setting::Count(count), true) = (setting, rate) {
            return Some(Fact::Exact(count.into(), Unit::BitRate));
        }
        Some(match setting {
            Setting::Segments(segments) => Fact::Exact(segments.as_f64(), Unit::Segments),
            Setting::Duration(span) => Fact::Exact(span.as_secs_f64(), Unit::Seconds),
            Setting::Count(count) => Fact::Exact(count.into(), Unit::Pure),
            Setting::Ratio(ratio) => Fact::Exact(ratio.as_f64(), Unit::Pure),
            Setting::Flag(true) => Fact::Word("yes"),
            Setting::Flag(false) => Fact::Word("no"),
            Setting::Choice(word) => Fact::Word(word),
        })
    }
}

fn explained(values: &Values, name: &str) -> Option<Fact> {
    let mut found = values.iter().filter(|(known, _)| *known == name);
    Some(match found.next()?.1 {
        Value::Number(number) => Fact::Measured(number, Unit::Pure),
        Value::Segments(number) => Fact::Measured(number, Unit::Segments),
        Value::Seconds(number) => Fact::Measured(number, Unit::Seconds),
        Value::BitRate(number) => Fact::Measured(number, Unit::BitRate),
        Value::State(word) => Fact::Word(word),
        Value::Rule(rule) => Fact::Word(rule.branch),
    })
}

fn of_event(name: &str, step: &Step<'_>) -> Option<Fact> {
    if name == "in_flight" {
        return step.event.in_flight().map(window);
    }
    let count = |count: u32| Fact::Exact(count.into(), Unit::Pure);
    match (name, step.event) {
        ("cwnd", _) => Some(window(step.before.cwnd)),
        ("ssthresh", _) => Some(window(step.before.ssthresh)),
        ("transmissions", Event::Loss { transmissions, .. }) => Some(count(transmissions)),
        ("consecutive", Event::Timeout { consecutive, .. }) => Some(count(consecutive)),
        _ => None,
    }
}

fn window(segments: Segments) -> Fact {
    if segments == Segments::MAX {
        Fact::Word("unlimited")
    } else {
        Fact::Measured(segments.as_f64(), Unit::Segments)
    }
}
