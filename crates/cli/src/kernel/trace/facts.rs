//! What our controls think: told by those that are pinned.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use dumbbell_live::kernel::{self, Holder, Pins, Trace};

use super::row::Row;
use crate::exit::Exit;

/// What connections told last, by their ends.
pub struct Facts {
    controls: Vec<Trace>,
    last: HashMap<(SocketAddr, SocketAddr), (Option<f64>, u8)>,
}

impl Facts {
    /// Listens to the pinned controls of these names, or to all.
    pub fn listen(wanted: Option<&[String]>) -> Result<Self, Exit> {
        let pins = Pins::default();
        let mut controls = Vec::new();
        // Who may not look at pins sees the windows all the same.
        for one in kernel::list(&pins).unwrap_or_default() {
            let asked = wanted.is_none_or(|names| names.contains(&one.name));
            if asked && matches!(one.holder, Holder::Pinned(_)) {
                controls.push(Trace::pinned(&pins, &one.name)?);
            }
        }
        let last = HashMap::new();
        Ok(Self { controls, last })
    }

    /// Adds what the connections of these rows told.
    pub fn add(&mut self, rows: &mut [Row]) -> Result<(), Exit> {
        for control in &mut self.controls {
            for event in control.poll(Duration::ZERO)? {
                let ends = (event.local, event.remote);
                self.last.insert(ends, (event.backlog(), event.rule));
            }
        }
        for row in rows.iter_mut() {
            if let Some((backlog, rule)) = self.last.get(&(row.local, row.remote)) {
                (row.backlog, row.rule) = (*backlog, Some(*rule));
            }
        }
        // Connections that are over are forgotten.
        let known = |ends: &(SocketAddr, SocketAddr)| {
            rows.iter().any(|row| (row.local, row.remote) == *ends)
        };
        self.last.retain(|ends, _| known(ends));
        Ok(())
    }
}
