//! Writes a trace as comma-separated lines.

use std::io::{self, Write};

use dumbbell_control::units::Duration;
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::option::Aqt;

use super::event::{Event, News, Recorder, State};
use super::flow::Traced;
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
        let mut names = vec![String::new(); flows.last().map_or(0, |flow| flow.index + 1)];
        for flow in flows {
            names[flow.index] = quoted(&flow.name);
        }
        out.write_all(HEADER.as_bytes())?;
        Ok(Self { out, names })
    }

    /// Writes the fields of the event, from its name to the round-trip time.
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let out = &mut self.out;
        match event {
            Event::Syn(opening) => write!(out, "syn,,,,,{},", opening.bytes),
            Event::SynAck(opening) => write!(out, "synack,,,,,{},", opening.bytes),
            Event::Sent(sent) => {
                let name = if sent.retransmission {
                    "retransmit"
                } else {
                    "send"
                };
                write!(out, "{name},{},{},,,{},", sent.packet, sent.seq, sent.bytes)
            }
            Event::Heard(heard) => {
                let name = match heard.news {
                    News::Advance => "ack",
                    News::Duplicate => "dupack",
                    News::Nothing => "stale",
                };
                write!(out, "{name},,,{},", heard.ack)?;
                for (i, block) in heard.blocks.iter().enumerate() {
                    let space = if i > 0 { " " } else { "" };
                    write!(out, "{space}{}-{}", block.start, block.end)?;
                }
                write!(out, ",{},", heard.bytes)?;
                optional_seconds(out, heard.rtt)
            }
            Event::Timeout => write!(out, "timeout,,,,,,"),
            Event::Cut => write!(out, "ecn_cut,,,,,,"),
            Event::Recovery => write!(out, "recovery,,,,,,"),
            Event::Recovered => write!(out, "recovered,,,,,,"),
            Event::Datagram { packet, bytes } => write!(out, "datagram,{packet},,,,{bytes},"),
            Event::Lost { packet, seq } => {
                write!(out, "lost,{packet},")?;
                if let Some(seq) = seq {
                    write!(out, "{seq}")?;
                }
                write!(out, ",,,,")
            }
            Event::AckLost { ack } => write!(out, "ack_lost,,,{ack},,,"),
        }
    }

    /// Writes what routers and ends signal: marks as words, and queueing delays.
    fn notices(&mut self, event: &Event<'_>) -> io::Result<()> {
        let (marks, aqt) = match event {
            Event::Sent(sent) => (
                [(sent.ect, "ect"), (sent.cwr, "cwr")],
                sent.probe.then(Aqt::default),
            ),
            Event::Heard(heard) => ([(heard.ece, "ece"), (heard.marked, "ce")], heard.aqt),
            _ => ([(false, ""); 2], None),
        };
        let out = &mut self.out;
        out.write_all(b",")?;
        let mut space = "";
        for (_, word) in marks.iter().filter(|(set, _)| *set) {
            write!(out, "{space}{word}")?;
            space = " ";
        }
        match aqt {
            Some(aqt) => write!(out, ",{},{}", aqt.queueing, aqt.echo),
            None => out.write_all(b",,"),
        }
    }

    fn state(&mut self, state: Option<&State>) -> io::Result<()> {
        let out = &mut self.out;
        let Some(state) = state else {
            return out.write_all(b",,,,,,,");
        };
        write!(out, ",{},{},", state.cwnd.as_f64(), state.inflation)?;
        if let Some(ssthresh) = state.ssthresh {
            write!(out, "{}", ssthresh.as_f64())?;
        }
        write!(out, ",{},{},", state.in_flight, phase(state.phase))?;
        optional_seconds(out, state.srtt)?;
        out.write_all(b",")?;
        seconds(out, state.rto.as_nanos())
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
        seconds(&mut self.out, time)?;
        write!(self.out, ",{},", self.names[flow])?;
        self.event(event)?;
        self.state(state)?;
        self.notices(event)?;
        self.out.write_all(b"\n")
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Open => "open",
        Phase::Recovery => "recovery",
        Phase::Loss => "loss",
    }
}

/// Writes nanoseconds as seconds, exactly.
fn seconds(out: &mut impl Write, nanos: u64) -> io::Result<()> {
    const SECOND: u64 = 1_000_000_000;
    write!(out, "{}.{:09}", nanos / SECOND, nanos % SECOND)
}

fn optional_seconds(out: &mut impl Write, span: Option<Duration>) -> io::Result<()> {
    span.map_or(Ok(()), |span| seconds(out, span.as_nanos()))
}
