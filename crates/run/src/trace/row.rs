//! An event as the fields of a line: what comma-separated lines and tables show.

use std::io;

use dumbbell_control::units::{Duration, Segments};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::segment::SackBlock;

use super::event::{Event, News, Recorder, State};
use super::flow::Traced;

/// An event at the sender of a flow. docs/traces.md describes the fields; those that an event does not
/// have are `None` or empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    /// Since the start of the run.
    pub time: Duration,
    /// The flow, by its position among all flows.
    pub flow: usize,
    /// The flow's name.
    pub name: &'a str,
    /// What happened, in a word.
    pub event: &'static str,
    /// The number of the flow's transmission, from 0 on.
    pub packet: Option<u64>,
    /// The number of the segment, from 0 on.
    pub seq: Option<u64>,
    /// The next segment that the receiver expects.
    pub ack: Option<u64>,
    /// The SACK blocks of an ACK, the newest first.
    pub sack: &'a [SackBlock],
    /// The size on the wire.
    pub bytes: Option<u16>,
    /// The round-trip time that was measured.
    pub rtt: Option<Duration>,
    /// The sender after the event, if it is one of TCP.
    pub state: Option<Sender>,
    /// The marks of ECN: ECT, CWR, ECE and CE.
    pub marks: Marks,
    /// The microseconds of the AQT option: those of the packet, and those that it echoes.
    pub aqt: Option<(u32, u32)>,
}

/// The sender of a flow after an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sender {
    /// Congestion window, without inflation.
    pub cwnd: Segments,
    /// Segments by which the recovery inflates it.
    pub inflation: i64,
    /// Slow-start threshold; `None` while it is unlimited.
    pub ssthresh: Option<Segments>,
    /// Segments in flight, as estimated by the recovery.
    pub flight: u64,
    /// `open`, `recovery` or `loss`.
    pub phase: &'static str,
    /// The smoothed round-trip time of the retransmission timer.
    pub srtt: Option<Duration>,
    /// The retransmission timeout in force.
    pub rto: Duration,
}

/// The marks of ECN on a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Routers may mark the segment.
    pub ect: bool,
    /// The segment is L4S: ECT(1).
    pub l4s: bool,
    /// The segment reports that the window was reduced.
    pub cwr: bool,
    /// The ACK reports a marked segment.
    pub ece: bool,
    /// A router has marked the ACK.
    pub ce: bool,
}

impl Marks {
    /// The marks in words, with a space between them.
    pub fn words(self) -> &'static str {
        // A segment has the first two, an ACK the others.
        match (self.ect, self.cwr, self.ece, self.ce) {
            (true, ..) if self.l4s => "ect1",
            (true, true, ..) => "ect cwr",
            (true, false, ..) => "ect",
            (false, true, ..) => "cwr",
            (.., true, true) => "ece ce",
            (.., true, false) => "ece",
            (.., false, true) => "ce",
            (.., false, false) => "",
        }
    }
}

impl<'a> Row<'a> {
    pub(super) fn of(
        time: u64,
        (flow, name): (usize, &'a str),
        event: &Event<'a>,
        state: Option<&State>,
    ) -> Self {
        let row = Self {
            time: Duration::from_nanos(time),
            flow,
            name,
            event: "",
            packet: None,
            seq: None,
            ack: None,
            sack: &[],
            bytes: None,
            rtt: None,
            state: state.map(Sender::of),
            marks: Marks::default(),
            aqt: None,
        };
        match *event {
            Event::Syn(opening) => Self {
                event: "syn",
                bytes: Some(opening.bytes),
                ..row
            },
            Event::SynAck(opening) => Self {
                event: "synack",
                bytes: Some(opening.bytes),
                ..row
            },
            Event::Sent(sent) => Self {
                event: match sent.retransmission {
                    true => "retransmit",
                    false => "send",
                },
                packet: Some(sent.packet),
                seq: Some(sent.seq),
                bytes: Some(sent.bytes),
                marks: Marks {
                    ect: sent.ect,
                    l4s: sent.l4s,
                    cwr: sent.cwr,
                    ..Marks::default()
                },
                aqt: sent.probe.then_some((0, 0)),
                ..row
            },
            Event::Heard(heard) => Self {
                event: match heard.news {
                    News::Advance => "ack",
                    News::Duplicate => "dupack",
                    News::Nothing => "stale",
                },
                ack: Some(heard.ack),
                sack: heard.blocks,
                bytes: Some(heard.bytes),
                rtt: heard.rtt,
                marks: Marks {
                    ece: heard.ece,
                    ce: heard.marked,
                    ..Marks::default()
                },
                aqt: heard.aqt.map(|aqt| (aqt.queueing, aqt.echo)),
                ..row
            },
            Event::Timeout => Self {
                event: "timeout",
                ..row
            },
            Event::Cut => Self {
                event: "ecn_cut",
                ..row
            },
            Event::Recovery => Self {
                event: "recovery",
                ..row
            },
            Event::Recovered => Self {
                event: "recovered",
                ..row
            },
            Event::Datagram { packet, bytes } => Self {
                event: "datagram",
                packet: Some(packet),
                bytes: Some(bytes),
                ..row
            },
            Event::Lost { packet, seq } => Self {
                event: "lost",
                packet: Some(packet),
                seq,
                ..row
            },
            Event::AckLost { ack } => Self {
                event: "ack_lost",
                ack: Some(ack),
                ..row
            },
        }
    }
}

impl Sender {
    fn of(state: &State) -> Self {
        Self {
            cwnd: state.cwnd,
            inflation: state.inflation,
            ssthresh: state.ssthresh,
            flight: state.in_flight,
            phase: match state.phase {
                Phase::Open => "open",
                Phase::Recovery => "recovery",
                Phase::Loss => "loss",
            },
            srtt: state.srtt,
            rto: state.rto,
        }
    }
}

/// The names of traced flows, by their positions among all flows; empty for the others.
pub(super) fn names(flows: &[Traced<'_>]) -> Vec<String> {
    let mut names = vec![String::new(); flows.last().map_or(0, |flow| flow.index + 1)];
    for flow in flows {
        names[flow.index].clone_from(&flow.name);
    }
    names
}

/// Passes every event on.
pub(super) struct Rows<F> {
    tell: F,
    names: Vec<String>,
}

impl<F: FnMut(&Row<'_>)> Rows<F> {
    pub(super) fn new(tell: F, flows: &[Traced<'_>]) -> Self {
        Self {
            tell,
            names: names(flows),
        }
    }
}

impl<F: FnMut(&Row<'_>)> Recorder for Rows<F> {
    fn record(
        &mut self,
        time: u64,
        flow: usize,
        event: &Event<'_>,
        state: Option<&State>,
    ) -> io::Result<()> {
        (self.tell)(&Row::of(time, (flow, &self.names[flow]), event, state));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    use super::*;
    use crate::Run;
    use crate::trace::{Format, Tape};

    #[test]
    fn whoever_is_told_hears_each_line_of_the_file() {
        let text = r#"
            duration = "5 s"
            [dumbbell]
            access = { rate = "10 Mb/s", delay = "1 ms" }
            bottleneck = { rate = "1 Mb/s", delay = "9 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.02 } }
            [[flow]]
            name = "a"
            control = "veno"
            recovery = "sack"
            [[flow]]
            name = "b"
            source = { cbr = "100 kb/s" }
        "#;
        let scenario = Scenario::parse("t.toml", text, &Controls::builtin()).expect("it is right");
        let (mut file, mut told) = (Vec::new(), Vec::new());
        let mut tape = Tape::new(&scenario, &[]).expect("all flows");
        tape.add(Format::Csv, &mut file, Path::new("."))
            .expect("memory can be written");
        tape.tell(|row| {
            let nanos = row.time.as_nanos();
            let number = |it: Option<u64>| it.map_or_else(String::new, |it| it.to_string());
            told.push(format!(
                "{}.{:09},{},{},{},{},{}",
                nanos / 1_000_000_000,
                nanos % 1_000_000_000,
                row.name,
                row.event,
                number(row.packet),
                number(row.seq),
                number(row.ack)
            ));
        });
        Run::new(&scenario)
            .trace(tape)
            .go()
            .expect("nobody stops it");
        let file = String::from_utf8(file).expect("UTF-8");
        let lines: Vec<&str> = file.lines().skip(1).collect();
        assert!(lines.len() > 1000 && lines.len() == told.len());
        for (line, told) in lines.iter().zip(&told) {
            assert!(line.starts_with(told.as_str()), "{line} is not {told}");
        }
        for event in ["send", "ack", "dupack", "recovery", "lost", "datagram"] {
            let event = format!(",{event},");
            assert!(told.iter().any(|line| line.contains(&event)), "{event}");
        }
    }

    #[test]
    fn marks_are_words() {
        let marks = |ect, cwr, ece, ce| {
            let l4s = false;
            Marks {
                ect,
                l4s,
                cwr,
                ece,
                ce,
            }
            .words()
        };
        let l4s = Marks {
            ect: true,
            l4s: true,
            ..Marks::default()
        };
        assert_eq!(l4s.words(), "ect1");
        assert_eq!(marks(false, false, false, false), "");
        assert_eq!(marks(true, false, false, false), "ect");
        assert_eq!(marks(true, true, false, false), "ect cwr");
        assert_eq!(marks(false, true, false, false), "cwr");
        assert_eq!(marks(false, false, true, false), "ece");
        assert_eq!(marks(false, false, true, true), "ece ce");
        assert_eq!(marks(false, false, false, true), "ce");
    }
}
