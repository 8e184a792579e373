//! How the values of TCP keys are written.

use std::ops::RangeInclusive;

use dumbbell_control::classifier;
use dumbbell_control::units::Duration;
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{InitialWindow, Stamping};

use super::document::Node;
use super::probe::names_of;
use super::quantity::clip;
use super::tcp::{
    ACK_CONTROL_KEYS, ACK_FACTOR, AMOUNT, DELAYED_ACK, GRANULARITY, INITIAL_WINDOW, PROBE_EVERY,
    Size, TICK, TIMESTAMPS_KEYS, USUAL_ACK_CONTROL, USUAL_DELACK,
};

pub(super) fn read_size(node: &Node<'_>) -> Option<Size> {
    match node.as_text() {
        Some("unlimited") => Some(Size::Unlimited),
        Some(text) if text.contains("segment") => {
            let number = text
                .trim_end_matches("segments")
                .trim_end_matches("segment")
                .trim_end();
            let segments = number
                .parse()
                .ok()
                .filter(|n| AMOUNT.contains(n) && !number.starts_with('+'));
            if segments.is_none() {
                let help = format!(
                    "write for example size = \"500 segments\", from {} to {}",
                    AMOUNT.start(),
                    AMOUNT.end()
                );
                node.wrong(
                    format!("`size`: `{}` is not a number of segments", clip(text)),
                    help,
                );
            }
            segments.map(Size::Segments)
        }
        _ => node.size(AMOUNT).map(Size::Bytes),
    }
}

pub(super) fn read_initial_window(node: &Node<'_>) -> Option<InitialWindow> {
    if node.as_text() == Some("rfc3390") {
        return Some(InitialWindow::Rfc3390);
    }
    if node.as_text().is_some() {
        node.wrong(
            "`initial_window` is a number of segments or \"rfc3390\"",
            "write for example initial_window = 2",
        );
        return None;
    }
    node.whole(INITIAL_WINDOW)
        .map(|n| InitialWindow::Segments(n as u32))
}

pub(super) fn read_tick(node: &Node<'_>) -> Option<Option<Duration>> {
    if node.as_text() == Some("none") {
        return Some(None);
    }
    node.time(TICK).map(Some)
}

pub(super) fn read_delayed_ack(node: &Node<'_>) -> Option<Option<Duration>> {
    match node.as_flag() {
        Some(on) => Some(on.then_some(USUAL_DELACK)),
        None => node.time(DELAYED_ACK).map(Some),
    }
}

pub(super) fn read_timestamps(node: &Node<'_>) -> Option<Stamping> {
    let example = "\"exact\", or { granularity = \"1 ms\" }";
    if node.is_table() {
        let table = node.table(&TIMESTAMPS_KEYS, &[], example)?;
        let granularity = table.need("granularity", "granularity = \"1 ms\"")?;
        let granularity = granularity.time(GRANULARITY)?;
        return Some(Stamping::Option { granularity });
    }
    match node.as_text() {
        Some("exact") => return Some(Stamping::Exact),
        Some(text) => node.wrong(
            format!("`timestamps` cannot be `{}`", clip(text)),
            format!("write timestamps = {example}"),
        ),
        None => node.mistyped("\"exact\" or a table", example),
    }
    None
}

/// A number of segments, or "unlimited".
pub(super) fn limit(node: &Node<'_>, range: RangeInclusive<u64>) -> Option<Option<u32>> {
    match node.as_text() {
        Some("unlimited") => Some(None),
        Some(_) => {
            let message = format!("`{}` is a number of segments or \"unlimited\"", node.name());
            node.wrong(message, format!("write for example {} = 64", node.name()));
            None
        }
        None => node.whole(range).map(|n| Some(n as u32)),
    }
}

/// Every how many segments one probes, or "none".
pub(super) fn read_probing(node: &Node<'_>) -> Option<Option<u32>> {
    match node.as_text() {
        Some("none") => Some(None),
        Some(_) => {
            node.wrong(
                "`probe_every` is a number of segments or \"none\"",
                "write for example probe_every = 1, for every segment",
            );
            None
        }
        None => node.whole(PROBE_EVERY).map(|n| Some(n as u32)),
    }
}

/// The classifiers by name.
pub(super) fn classifiers() -> Vec<(&'static str, classifier::AnyConfig)> {
    classifier::all()
        .map(|config| (config.name(), config))
        .collect()
}

pub(super) fn read_classifiers(node: &Node<'_>) -> Option<Vec<classifier::AnyConfig>> {
    names_of(node, &classifiers(), "[\"veno\", \"lded\"]")
}

pub(super) fn read_ack_control(node: &Node<'_>) -> Option<Option<AckControl>> {
    let example = "true, or { max = 16, timer = \"100 ms\" }";
    if node.is_table() {
        let table = node.table(&ACK_CONTROL_KEYS, &[], example)?;
        let max = table
            .find("max")
            .map_or(Some(u64::from(USUAL_ACK_CONTROL.max)), |n| {
                n.whole(ACK_FACTOR)
            });
        let timer = table
            .find("timer")
            .map_or(Some(USUAL_ACK_CONTROL.timer), |n| n.time(DELAYED_ACK));
        return Some(Some(AckControl {
            max: max? as u32,
            timer: timer?,
        }));
    }
    match node.as_flag() {
        Some(on) => Some(on.then_some(USUAL_ACK_CONTROL)),
        None => {
            node.mistyped("true, false or a table", example);
            None
        }
    }
}
