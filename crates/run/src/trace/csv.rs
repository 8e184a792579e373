//! Writes a trace as comma-separated lines.

use std::fmt::Display;
use std::io::{self, Write};

use dumbbell_control::units::Duration;

use super::event::{Event, Recorder, State};
use super::flow::Traced;
use super::row::{Row, Sender, names};
use crate::csv::quoted;

const HEADER: &str = "time_s,flow,event,packet,seq,ack,sack,bytes,rtt_s,\
    cwnd,inflation,ssthresh,flight,phase,srtt_s,rto_s,marks,aqt_us,aqt_echo_us\n";

/// Writes one line per event.
pub(super) struct Csv<W> {
    out: W,
    /// The names of the flows as quoted fields, by their positions among all flows.
    names: Vec<String>,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(mut out: W, flows: &[Traced<'_>]) -> io::Result<Self> {
        out.write_all(HEADER.as_bytes())?;
        let names = names(flows).iter().map(|name| quoted(name)).collect();
        Ok(Self { out, names })
    }
}

impl<W: Write> Recorder for Csv<W> {
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> io::Result<()> {
        let Self { out, names } = self;
        write(out, &Row::of(time, (flow, &names[flow]), event, state))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes the line of an event.
fn write(out: &mut impl Write, row: &Row<'_>) -> io::Result<()> {
    seconds(out, row.time)?;
    write!(out, ",{},{},", row.name, row.event)?;
    for number in [row.packet, row.seq, row.ack] {
        optional(out, number)?;
        out.write_all(b",")?;
    }
    for (i, block) in row.sack.iter().enumerate() {
        let space = if i > 0 { " " } else { "" };
        write!(out, "{space}{}-{}", block.start, block.end)?;
    }
    out.write_all(b",")?;
    optional(out, row.bytes)?;
    out.write_all(b",")?;
    optional_seconds(out, row.rtt)?;
    match &row.state {
        Some(sender) => state(out, sender)?,
        None => out.write_all(b",,,,,,,")?,
    }
    write!(out, ",{}", row.marks.words())?;
    match row.aqt {
        Some((queueing, echo)) => writeln!(out, ",{queueing},{echo}"),
        None => out.write_all(b",,\n"),
    }
}

fn state(out: &mut impl Write, sender: &Sender) -> io::Result<()> {
    write!(out, ",{},{},", sender.cwnd.as_f64(), sender.inflation)?;
    optional(out, sender.ssthresh.map(|it| it.as_f64()))?;
    write!(out, ",{},{},", sender.flight, sender.phase)?;
    optional_seconds(out, sender.srtt)?;
    out.write_all(b",")?;
    seconds(out, sender.rto)
}

fn optional(out: &mut impl Write, value: Option<impl Display>) -> io::Result<()> {
    value.map_or(Ok(()), |value| write!(out, "{value}"))
}

/// Writes nanoseconds as seconds, exactly.
fn seconds(out: &mut impl Write, span: Duration) -> io::Result<()> {
    const SECOND: u64 = 1_000_000_000;
    let nanos = span.as_nanos();
    write!(out, "{}.{:09}", nanos / SECOND, nanos % SECOND)
}

fn optional_seconds(out: &mut impl Write, span: Option<Duration>) -> io::Result<()> {
    span.map_or(Ok(()), |span| seconds(out, span))
}
