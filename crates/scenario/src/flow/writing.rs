//! What the application of a TCP flow writes, and until when.

use dumbbell_control::units::Duration;

use super::{Draft, Traffic, udp};
use crate::document::Table;
use crate::limits::DURATION;
use crate::source::{self, Source};
use crate::tcp::Size;
use crate::text::{Lines, time};

/// What the application of a TCP flow writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Writing {
    /// When it writes, one full segment each time; the rates of the source count payload. `None` if all that
    /// there is to send is there at the start.
    pub source: Option<Source>,
    /// When it stops writing, or opening connections, measured from the start of the run; `None` means at the
    /// end of the run. What has been sent by then is still delivered.
    pub stop: Option<Duration>,
}

impl Writing {
    /// Everything is there at the start.
    pub const WITHOUT_LIMIT: Self = Self {
        source: None,
        stop: None,
    };

    /// Reads the keys of a TCP flow with this traffic.
    pub(super) fn read(table: &Table<'_>, traffic: &Traffic) -> Option<Self> {
        let source = table
            .find(udp::KIND)
            .map_or(Some(None), |node| source::read(&node).map(Some));
        let stop = table
            .find(udp::STOP)
            .map_or(Some(None), |node| node.time(DURATION).map(Some));
        if let Some(node) = table.find(udp::KIND) {
            match traffic {
                Traffic::Workload(workload) => node.wrong(
                    format!(
                        "a flow has both `source` and `{}`",
                        workload.application.key()
                    ),
                    "keep one; two applications are two flows",
                ),
                Traffic::Tcp(tcp) if tcp.size != Size::Unlimited => {
                    let node = table.find("size").unwrap_or(node);
                    node.wrong(
                        "a flow with a `source` has no `size`",
                        "it sends what the source writes; leave it out, or write size = \"unlimited\" if `[tcp]` sets another one",
                    );
                }
                Traffic::Tcp(_) | Traffic::Udp(_) | Traffic::Media(_) => {}
            }
        }
        Some(Self {
            source: source?,
            stop: stop?,
        })
    }

    /// Writes the keys that are set.
    pub(super) fn write(&self, out: &mut Lines) {
        if let Some(source) = &self.source {
            out.set(udp::KIND, source::write(source));
        }
        if let Some(stop) = self.stop {
            out.set(udp::STOP, time(stop));
        }
    }
}

/// Refuses a relay that has something else to send, or that ends by itself.
pub(super) fn refuse_relay(draft: &Draft<'_>) {
    let Some(wanted) = &draft.relays else {
        return;
    };
    let what = match (&draft.traffic, draft.writing) {
        (Traffic::Workload(workload), _) => workload.application.key(),
        (
            _,
            Writing {
                source: Some(_), ..
            },
        ) => udp::KIND,
        (_, Writing { stop: Some(_), .. }) => udp::STOP,
        _ => return,
    };
    wanted.refuse(&format!("a relay has no `{what}`"));
}
