//! Internal values of Dumbbell's controls, as reported by pinned controls.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use super::{Cut, Row};
use crate::kernel::{self, Error, Holder, KernelControl, Kind, Pins, Trace, TraceEvent};
use crate::machine;

/// What the connections have reported, by their two ends.
pub struct Facts {
    controls: Vec<Listened>,
    last: HashMap<(SocketAddr, SocketAddr), Report>,
}

/// What is known of a connection.
#[derive(Debug, Default)]
struct Report {
    /// N at the last event.
    backlog: Option<f64>,
    /// The rule of the last event.
    rule: String,
    /// The last cut: the growth that follows it applies other rules at once.
    cut: Option<Cut>,
}

impl Report {
    /// Notes an event that is seen now and applied this rule.
    fn add(&mut self, event: &TraceEvent, rule: String, now: Duration) {
        self.backlog = event.backlog();
        if matches!(event.kind, Kind::Loss | Kind::Timeout) {
            self.cut = Some(Cut {
                seen: now,
                rule: rule.clone(),
                cwnd: event.cwnd.floor(),
            });
        }
        self.rule = rule;
    }
}

/// A control that reports, and the names of its rules.
struct Listened {
    trace: Trace,
    rules: Vec<String>,
}

impl Facts {
    /// Listens to the pinned controls of these names, or to all.
    ///
    /// # Errors
    /// If it is not possible to listen to a pinned control.
    pub fn listen(wanted: Option<&[String]>) -> Result<Self, Error> {
        let pins = Pins::default();
        let mut controls = Vec::new();
        // A process without access to the pins still sees the windows.
        let listed = match machine::missing_capabilities().is_empty() {
            true => kernel::list(&pins).unwrap_or_default(),
            false => Vec::new(),
        };
        for one in listed {
            let asked = wanted.is_none_or(|names| names.contains(&one.name));
            if asked && matches!(one.holder, Holder::Pinned(_)) {
                let trace = Trace::pinned(&pins, &one.name)?;
                let rules = one.control.map(KernelControl::rules).unwrap_or_default();
                controls.push(Listened { trace, rules });
            }
        }
        let last = HashMap::new();
        Ok(Self { controls, last })
    }

    /// Adds the reports of the connections of these rows.
    ///
    /// # Errors
    /// If it is no longer possible to listen to a control.
    pub fn add(&mut self, rows: &mut [Row]) -> Result<(), Error> {
        // Without a connection there is nothing to add to.
        let now = rows.first().map_or(Duration::ZERO, |row| row.time);
        for control in &mut self.controls {
            for event in control.trace.poll(Duration::ZERO)? {
                let rule = control.rules.get(usize::from(event.rule));
                let rule = rule.map_or_else(|| event.rule.to_string(), String::clone);
                let ends = (event.local, event.remote);
                self.last.entry(ends).or_default().add(&event, rule, now);
            }
        }
        for row in rows.iter_mut() {
            if let Some(report) = self.last.get(&(row.local, row.remote)) {
                row.backlog = report.backlog;
                row.rule = Some(report.rule.clone());
                row.last_cut.clone_from(&report.cut);
            }
        }
        // Finished connections are removed.
        let known = |ends: &(SocketAddr, SocketAddr)| {
            rows.iter().any(|row| (row.local, row.remote) == *ends)
        };
        self.last.retain(|ends, _| known(ends));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::units::Segments;

    /// Growth after a cut applies another rule, and the cut is still known.
    #[test]
    fn a_cut_is_known_after_the_next_growth() {
        let mut event = TraceEvent {
            time: Duration::ZERO,
            cookie: None,
            connection: 0,
            local: "10.0.0.1:5000".parse().unwrap(),
            remote: "10.0.0.2:80".parse().unwrap(),
            kind: Kind::Loss,
            cwnd: Segments::whole(9),
            ssthresh: Segments::whole(9),
            snd_cwnd: 9,
            in_flight: 12,
            rtt: Some(Duration::from_millis(100)),
            base_rtt: Some(Duration::from_millis(50)),
            rule: 0,
            state: 3,
        };
        let mut report = Report::default();
        report.add(&event, "loss.random".to_owned(), Duration::from_secs(2));
        event.kind = Kind::Ack;
        report.add(&event, "growth".to_owned(), Duration::from_secs(3));
        let cut = Cut {
            seen: Duration::from_secs(2),
            rule: "loss.random".to_owned(),
            cwnd: 9,
        };
        assert_eq!(report.cut, Some(cut));
        assert_eq!(
            (report.rule.as_str(), report.backlog),
            ("growth", Some(4.5))
        );
    }
}
