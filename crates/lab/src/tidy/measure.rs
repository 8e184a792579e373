//! A measure: a number that is known of each flow, group or link of a run, under one word.

use dumbbell_run::outcome::{FlowOutcome, LinkOutcome};

use super::Group;
use crate::table::{Cell, Head, Type};

/// A number that is known of flows, groups or both.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Its name.
    pub word: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The values that it may have.
    pub range: Range,
    flow: Option<fn(&FlowOutcome) -> Option<f64>>,
    group: Across,
}

/// A number that is known of each direction of a link.
#[derive(Clone, Copy, Debug)]
pub struct OfLink {
    /// Its name.
    pub word: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it means.
    pub about: &'static str,
    /// The values that it may have.
    pub range: Range,
    of: fn(&LinkOutcome) -> Option<f64>,
}

/// The values that a measure may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// 0, 1, 2, ...
    Count,
    /// 0 or more.
    Positive,
    /// 0 to 1.
    Fraction,
}

/// How the number of a group comes from those of its flows.
#[derive(Clone, Copy, Debug)]
pub(super) enum Across {
    /// It is their sum.
    Sum,
    /// It is the mean of the flows that have one.
    Mean,
    /// It is computed from the whole group.
    Own(fn(&Group<'_>) -> Option<f64>),
}

pub(super) const fn both(
    word: &'static str,
    unit: &'static str,
    range: Range,
    about: &'static str,
    flow: fn(&FlowOutcome) -> Option<f64>,
    group: Across,
) -> Measure {
    Measure {
        word,
        unit,
        about,
        range,
        flow: Some(flow),
        group,
    }
}

pub(super) const fn of_group(
    word: &'static str,
    unit: &'static str,
    range: Range,
    about: &'static str,
    group: fn(&Group<'_>) -> Option<f64>,
) -> Measure {
    Measure {
        word,
        unit,
        about,
        range,
        flow: None,
        group: Across::Own(group),
    }
}

pub(super) const fn of_link(
    word: &'static str,
    unit: &'static str,
    range: Range,
    about: &'static str,
    of: fn(&LinkOutcome) -> Option<f64>,
) -> OfLink {
    OfLink {
        word,
        unit,
        about,
        range,
        of,
    }
}

impl Measure {
    /// Whether it is known of single flows.
    pub fn is_of_flows(&self) -> bool {
        self.flow.is_some()
    }

    /// The number of a flow; `None` if it has none.
    pub fn of_flow(&self, flow: &FlowOutcome) -> Option<f64> {
        self.flow
            .and_then(|of| of(flow))
            .filter(|it| it.is_finite())
    }

    /// The number of a group; `None` if it has none.
    pub fn of_group(&self, group: &Group<'_>) -> Option<f64> {
        let found = match (self.group, self.flow) {
            (Across::Own(of), _) => of(group),
            (Across::Sum, Some(of)) => {
                let numbers = group.flows.iter().filter_map(|flow| of(flow));
                numbers.reduce(|sum, number| sum + number)
            }
            (Across::Mean, Some(of)) => group.mean(of),
            (Across::Sum | Across::Mean, None) => None,
        };
        found.filter(|it| it.is_finite())
    }

    /// The column of the measure.
    pub fn head(&self) -> Head {
        Head::new(self.word, self.range.sort(), self.about).unit(self.unit)
    }

    pub(super) fn cell(&self, number: Option<f64>) -> Option<Cell<'static>> {
        self.range.cell(number)
    }
}

/// Each word stands for one measure.
impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl Eq for Measure {}

impl OfLink {
    /// The number of a link; `None` if it has none.
    pub fn of(&self, link: &LinkOutcome) -> Option<f64> {
        (self.of)(link).filter(|it| it.is_finite())
    }

    /// The column of the measure.
    pub fn head(&self) -> Head {
        Head::new(self.word, self.range.sort(), self.about).unit(self.unit)
    }

    pub(super) fn cell(&self, number: Option<f64>) -> Option<Cell<'static>> {
        self.range.cell(number)
    }
}

impl Range {
    /// In words, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Count => "a whole number from 0",
            Self::Positive => "from 0",
            Self::Fraction => "0 to 1",
        }
    }

    fn sort(self) -> Type {
        match self {
            Self::Count => Type::Whole,
            Self::Positive | Self::Fraction => Type::Number,
        }
    }

    fn cell(self, number: Option<f64>) -> Option<Cell<'static>> {
        match self {
            Self::Count => number.map(|it| Cell::Whole(it as u64)),
            Self::Positive | Self::Fraction => number.map(Cell::Number),
        }
    }
}
