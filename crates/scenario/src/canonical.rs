//! A scenario written down with every default, in a fixed order.

mod link;
mod text;

use std::fmt::Write;

use dumbbell_control::parameter::Setting;
use dumbbell_control::units::Segments;
use dumbbell_tcp::config::{InitialWindow, Stamping};
use dumbbell_tcp::recovery::PartialAckTimer;

use super::control::show_ratio;
use super::quantity::show_segments;
use super::recovery::{EXITS, TIMERS};
use super::{
    Direction, Flow, Graph, Media, Place, Recovery, Scenario, Size, Source, Start, Tcp, Topology,
    Traffic, Udp,
};
use crate::controls::Control;
use link::{access, duplex, link_keys};
use text::{limit, quote, real, size, table, time, words};

impl Scenario {
    /// The scenario as TOML, every default spelled out, in a fixed order: equal scenarios have
    /// equal texts, and [`Scenario::parse`] reads the same scenario from it.
    pub fn canonical(&self) -> String {
        let mut out = Lines::default();
        if let Some(name) = &self.name {
            out.set("name", quote(name));
        }
        if let Some(description) = &self.description {
            out.set("description", quote(description));
        }
        out.set("duration", time(self.duration));
        out.set("seed", self.seed);
        write_topology(&self.topology, &mut out);
        for flow in &self.flows {
            write_flow(flow, &self.topology, &mut out);
            if let Some(relayed) = flow.relays {
                out.set("relays", quote(&self.flows[relayed].name));
            }
        }
        if let Some(variation) = &self.variation {
            out.head("[variation]");
            out.set("bin", time(variation.bin));
            out.set("from", time(variation.from));
        }
        out.head("[probe]");
        out.set("interval", time(self.probe.interval));
        let values: Vec<String> = self
            .probe
            .values
            .iter()
            .map(|value| quote(value.name()))
            .collect();
        out.set("values", format!("[{}]", values.join(", ")));
        out.set(
            "estimate",
            words(self.probe.estimate.iter().map(|e| e.name())),
        );
        let equation = self.probe.equation.map_or("none", |e| e.name());
        out.set("equation", quote(equation));
        out.text
    }
}

#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn head(&mut self, head: &str) {
        let _ = write!(self.text, "\n{head}\n");
    }

    fn set(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.text, "{key} = {value}");
    }
}

fn write_topology(topology: &Topology, out: &mut Lines) {
    match topology {
        Topology::Dumbbell { bottleneck } => {
            out.head("[dumbbell]");
            out.set("bottleneck", duplex(bottleneck));
        }
        Topology::ParkingLot { hops } => {
            out.head("[parking_lot]");
            let hops: Vec<String> = hops
                .iter()
                .map(|hop| format!("    {},\n", duplex(hop)))
                .collect();
            out.set("hops", format!("[\n{}]", hops.concat()));
        }
        Topology::Graph(graph) => write_graph(graph, out),
    }
}

fn write_graph(graph: &Graph, out: &mut Lines) {
    for link in &graph.links {
        out.head("[[graph.link]]");
        out.set("name", quote(&link.name));
        out.set("from", quote(&graph.nodes[link.from]));
        out.set("to", quote(&graph.nodes[link.to]));
        for (key, value) in link_keys(&link.forward) {
            out.set(key, value);
        }
        out.set(
            "reverse",
            link.reverse
                .as_ref()
                .map_or(quote("none"), |link| table(&link_keys(link))),
        );
    }
}

fn write_flow(flow: &Flow, topology: &Topology, out: &mut Lines) {
    out.head("[[flow]]");
    out.set("name", quote(&flow.name));
    out.set("count", flow.count);
    out.set("start", start(flow.start));
    match (&flow.place, topology) {
        (
            Place::Dumbbell {
                direction,
                access: links,
            },
            _,
        ) => {
            out.set(
                "direction",
                quote(if *direction == Direction::Right {
                    "right"
                } else {
                    "left"
                }),
            );
            out.set("access", access(links));
        }
        (
            Place::ParkingLot {
                from,
                to,
                access: links,
            },
            _,
        ) => {
            out.set("from", quote(&format!("r{from}")));
            out.set("to", quote(&format!("r{to}")));
            out.set("access", access(links));
        }
        (Place::Graph { from, to }, Topology::Graph(graph)) => {
            out.set("from", quote(&graph.nodes[*from]));
            out.set("to", quote(&graph.nodes[*to]));
        }
        (Place::Graph { from, to }, _) => {
            out.set("from", from);
            out.set("to", to);
        }
    }
    match &flow.traffic {
        Traffic::Tcp(tcp) => write_tcp(tcp, out),
        Traffic::Udp(udp) => write_udp(udp, out),
        Traffic::Media(media) => write_media(media, out),
    }
}

fn write_tcp(tcp: &Tcp, out: &mut Lines) {
    out.set("control", control(&tcp.control));
    out.set("recovery", recovery(tcp.recovery));
    out.set("payload", size(tcp.payload.0));
    out.set("header", size(tcp.header.0));
    out.set("ack", size(tcp.ack.0));
    let amount = match tcp.size {
        Size::Unlimited => quote("unlimited"),
        Size::Bytes(bytes) => size(bytes.0),
        Size::Segments(segments) => quote(&format!("{segments} segments")),
    };
    out.set("size", amount);
    let initial = match tcp.initial_window {
        InitialWindow::Segments(segments) => segments.to_string(),
        InitialWindow::Rfc3390 => quote("rfc3390"),
    };
    out.set("initial_window", initial);
    out.set("min_rto", time(tcp.timer.min));
    out.set("initial_rto", time(tcp.timer.initial));
    out.set("max_rto", time(tcp.timer.max));
    out.set("rto_tick", tcp.timer.tick.map_or(quote("none"), time));
    out.set("handshake", tcp.handshake);
    out.set("limited_transmit", tcp.limited_transmit);
    out.set(
        "delayed_ack",
        tcp.delayed_ack.map_or("false".to_owned(), time),
    );
    let stamps = match tcp.timestamps {
        Stamping::Exact => quote("exact"),
        Stamping::Option { granularity } => table(&[("granularity", time(granularity))]),
    };
    out.set("timestamps", stamps);
    out.set("receiver_window", limit(tcp.receiver_window));
    out.set("ssthresh", limit(tcp.ssthresh));
    out.set("ecn", tcp.ecn);
    out.set(
        "probe_every",
        tcp.probe_every.map_or(quote("none"), |n| n.to_string()),
    );
    let ack_control = tcp.ack_control.map_or("false".to_owned(), |control| {
        table(&[
            ("max", control.max.to_string()),
            ("timer", time(control.timer)),
        ])
    });
    out.set("ack_control", ack_control);
    out.set("adaptation", tcp.adaptation);
    out.set("classify", words(tcp.classify.iter().map(|c| c.name())));
}

fn write_udp(udp: &Udp, out: &mut Lines) {
    let bursts = |rate: super::BitRate, on, off| {
        vec![
            ("rate", quote(&rate.to_string())),
            ("on", time(on)),
            ("off", time(off)),
        ]
    };
    let source = match udp.source {
        Source::Cbr { rate } => table(&[("cbr", quote(&rate.to_string()))]),
        Source::Exponential { rate, on, off } => {
            table(&[("exponential", table(&bursts(rate, on, off)))])
        }
        Source::Pareto {
            rate,
            on,
            off,
            shape,
        } => {
            let mut keys = bursts(rate, on, off);
            keys.push(("shape", real(shape)));
            table(&[("pareto", table(&keys))])
        }
    };
    out.set("source", source);
    out.set("packet", size(udp.packet.0));
    if let Some(stop) = udp.stop {
        out.set("stop", time(stop));
    }
}

fn write_media(media: &Media, out: &mut Lines) {
    let control = &media.control;
    let mut keys = vec![("name", quote(control.name()))];
    keys.extend(
        control
            .settings()
            .iter()
            .map(|(name, value)| (name, setting(value))),
    );
    out.set("rate_control", table(&keys));
    out.set("segment", size(media.segment.0));
    out.set("overhead", size(media.overhead.0));
    out.set("feedback", size(media.feedback.0));
}

fn start(start: Start) -> String {
    match start {
        Start::At(at) => time(at),
        Start::Uniform { from, to } => format!("{{ uniform = [{}, {}] }}", time(from), time(to)),
    }
}

fn control(control: &Control) -> String {
    let mut keys = vec![("name", quote(control.name()))];
    for parameter in control.parameters() {
        if let Some(value) = control.get(parameter.name) {
            keys.push((parameter.name, setting(value)));
        }
    }
    table(&keys)
}

/// The value of a parameter.
pub(super) fn setting(value: Setting) -> String {
    match value {
        Setting::Segments(Segments::MAX) => quote("unlimited"),
        Setting::Segments(segments) => show_segments(segments.raw()),
        Setting::Duration(span) => time(span),
        Setting::Count(count) => count.to_string(),
        Setting::Ratio(ratio) => show_ratio(ratio),
        Setting::Flag(flag) => flag.to_string(),
        Setting::Choice(word) => quote(word),
    }
}

fn recovery(recovery: Recovery) -> String {
    let name = ("name", quote(recovery.kind().name()));
    match recovery {
        Recovery::Tahoe | Recovery::Sack | Recovery::Vegas => name.1,
        Recovery::Reno {
            careful,
            exit_growth,
        } => table(&[
            name,
            ("careful", careful.to_string()),
            ("exit_growth", exit_growth.to_string()),
        ]),
        Recovery::NewReno {
            careful,
            exit_growth,
            timer,
            exit,
        } => table(&[
            name,
            ("careful", careful.to_string()),
            ("exit_growth", exit_growth.to_string()),
            ("timer", timer_word(timer)),
            ("exit", exit_word(exit)),
        ]),
    }
}

fn timer_word(timer: PartialAckTimer) -> String {
    quote(
        TIMERS
            .iter()
            .find(|(_, known)| *known == timer)
            .map_or("", |(word, _)| word),
    )
}

fn exit_word(exit: super::Exit) -> String {
    quote(
        EXITS
            .iter()
            .find(|(_, known)| *known == exit)
            .map_or("", |(word, _)| word),
    )
}
