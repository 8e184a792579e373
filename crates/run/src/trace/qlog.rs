//! Writes a trace as qlog 0.3 for qvis and similar tools: JSON with one trace per flow.
//!
//! qlog is designed for QUIC, so TCP's segments are described in QUIC's terms: each transmission is
//! a packet with its own number, and an ACK lists the transmissions that it newly acknowledges. If
//! a segment was transmitted several times, that is the last transmission.

mod connection;
mod schema;

use std::io::{self, Write};
use std::path::Path;

use dumbbell_scenario::{Scenario, Traffic};
use serde::Serialize;

use super::event::{Event, Recorder, State};
use super::flow::Traced;
use super::frame::Hosts;
use super::spool::Spool;
use connection::Connection;
use schema::{Data, Head, Line, Raw, TraceHead};

/// Writes one trace per flow. The events are spooled, because those of different flows alternate.
pub(super) struct Qlog<W> {
    out: W,
    spool: Spool,
    head: String,
    flows: Vec<Flow>,
    /// For each position among all flows, the position in `flows`; `None` for a flow that is not
    /// traced.
    places: Vec<Option<usize>>,
}

struct Flow {
    head: String,
    tcp: Option<Connection>,
}

impl<W: Write> Qlog<W> {
    pub(super) fn new(
        out: W,
        scenario: &Scenario,
        flows: &[Traced<'_>],
        folder: &Path,
    ) -> io::Result<Self> {
        let mut places = vec![None; flows.last().map_or(0, |flow| flow.index + 1)];
        for (place, flow) in flows.iter().enumerate() {
            places[flow.index] = Some(place);
        }
        let title = scenario.name.as_deref().unwrap_or("a run of Dumbbell");
        let head = Head::new(title, scenario.description.as_deref());
        Ok(Self {
            out,
            spool: Spool::new(flows.len(), folder)?,
            head: serde_json::to_string(&head)?,
            flows: flows.iter().map(Flow::of).collect::<io::Result<_>>()?,
            places,
        })
    }
}

impl Flow {
    fn of(flow: &Traced<'_>) -> io::Result<Self> {
        let hosts = Hosts::of(flow.index);
        let (description, protocol, tcp) = match flow.traffic {
            Traffic::Tcp(tcp) if tcp.is_quic() => {
                (format!("{} (quic)", tcp.control.name()), "UDP", None)
            }
            Traffic::Tcp(tcp) => (
                format!("{} ({})", tcp.control.name(), tcp.recovery.kind().name()),
                "TCP",
                Some(Connection::new(tcp, hosts)),
            ),
            Traffic::Workload(_) => ("connections".to_owned(), "TCP", None),
            Traffic::Udp(_) => ("datagrams".to_owned(), "UDP", None),
            Traffic::Media(media) => (media.control.name().to_owned(), "UDP", None),
        };
        let head = TraceHead::new(&flow.name, &description, protocol);
        Ok(Self {
            head: serde_json::to_string(&head)?,
            tcp,
        })
    }
}

impl<W: Write> Recorder for Qlog<W> {
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> io::Result<()> {
        let Some(place) = self.places[flow] else {
            return Ok(());
        };
        let lines = &mut Lines {
            time,
            text: self.spool.text(place),
        };
        match (&mut self.flows[place].tcp, event, state) {
            (Some(tcp), event, Some(state)) => tcp.record(lines, event, state)?,
            (None, Event::Datagram { bytes, .. }, _) => lines.push(&Data::DatagramsSent {
                count: 1,
                raw: [Raw::of(*bytes)],
            })?,
            _ => {}
        }
        self.spool.settle(place)
    }

    /// Assembles the traces. A flow without events is left out, because some viewers fail on an
    /// empty trace.
    fn finish(&mut self) -> io::Result<()> {
        let out = &mut self.out;
        open(out, &self.head)?;
        out.write_all(b",\"traces\":[")?;
        let mut first = true;
        for (place, flow) in self.flows.iter().enumerate() {
            if self.spool.is_empty(place) {
                continue;
            }
            out.write_all(if first { b"\n" } else { b",\n" })?;
            first = false;
            open(out, &flow.head)?;
            out.write_all(b",\"events\":[")?;
            self.spool.copy(place, &mut Listed { out, begun: false })?;
            out.write_all(b"\n]}")?;
        }
        out.write_all(b"\n]}\n")?;
        out.flush()
    }
}

/// Writes an object without its closing brace.
fn open(out: &mut impl Write, object: &str) -> io::Result<()> {
    let fields = object.strip_suffix('}').unwrap_or(object);
    out.write_all(fields.as_bytes())
}

/// The destination of the events of one moment. Each event is written after a comma and a line
/// break.
struct Lines<'a> {
    time: u64,
    text: &'a mut Vec<u8>,
}

impl Lines<'_> {
    fn push(&mut self, data: &Data<'_>) -> io::Result<()> {
        self.text.extend_from_slice(b",\n");
        let line = Line {
            // Exact, because the number of nanoseconds in a run fits into the mantissa of a float.
            time: milliseconds(self.time),
            name: data.name(),
            data,
        };
        line.serialize(&mut serde_json::Serializer::new(&mut *self.text))?;
        Ok(())
    }
}

fn milliseconds(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// Skips the comma before the first event.
struct Listed<'a, W> {
    out: &'a mut W,
    begun: bool,
}

impl<W: Write> Write for Listed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun || bytes.is_empty() {
            return self.out.write(bytes);
        }
        self.begun = true;
        self.out.write_all(&bytes[1..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
