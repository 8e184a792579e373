//! Internal values of Dumbbell's controls, as reported by pinned controls.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use super::Row;
use crate::kernel::{self, Error, Holder, KernelControl, Pins, Trace};
use crate::machine;

/// The last report of each connection, by its two ends: N, and the name of the rule.
pub struct Facts {
    controls: Vec<Listened>,
    last: HashMap<(SocketAddr, SocketAddr), (Option<f64>, String)>,
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
        for control in &mut self.controls {
            for event in control.trace.poll(Duration::ZERO)? {
                let rule = control.rules.get(usize::from(event.rule));
                let rule = rule.map_or_else(|| event.rule.to_string(), String::clone);
                let ends = (event.local, event.remote);
                self.last.insert(ends, (event.backlog(), rule));
            }
        }
        for row in rows.iter_mut() {
            if let Some((backlog, rule)) = self.last.get(&(row.local, row.remote)) {
                (row.backlog, row.rule) = (*backlog, Some(rule.clone()));
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
