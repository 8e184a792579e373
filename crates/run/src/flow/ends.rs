//! Creates the two ends of a flow from its scenario.

use std::sync::{Arc, Mutex};

use dumbbell_quic::connection as quic;
use dumbbell_scenario::controls::Alarm;
use dumbbell_scenario::{Flow, Probe, Sending, Size, Start, Tcp, Traffic, Udp, controls};
use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::traffic::Span;
use dumbbell_sim::{Ecn, Time};
use dumbbell_tcp::config::{ReceiverConfig, SenderConfig};
use dumbbell_tcp::receiver::Receiver;
use dumbbell_tcp::sender::Sender;

use super::control::{Control, Told};
use super::media;
use super::quic::{QuicReceiver, QuicSender};
use super::tcp::{Expected, Look, Sizes, TcpReceiver, TcpSender};
use super::udp::{UdpReceiver, UdpSender};
use super::watched::{Company, Judge};
use super::{FlowReceiver, FlowSender};
use crate::path::Transit;
use crate::time::time;

/// Component numbers that select the random streams of start times and of traffic sources.
const STARTS: u16 = 0;
pub(super) const SOURCES: u16 = 1;

/// Creates the two ends of flows.
pub(crate) struct Maker<'s> {
    seed: u64,
    probe: Option<&'s Probe>,
    last: Last,
}

/// What the last TCP flow was made of: with many flows, most have the same.
#[derive(Default)]
struct Last {
    sender: Option<Arc<SenderConfig>>,
    look: Option<Arc<Look>>,
    receiver: Option<Arc<ReceiverConfig>>,
    expected: Option<Arc<Expected>>,
}

impl<'s> Maker<'s> {
    pub(crate) fn new(seed: u64, probe: Option<&'s Probe>) -> Self {
        Self {
            seed,
            probe,
            last: Last::default(),
        }
    }

    /// Creates the two ends of the run's flow `number`. `wraps` may put something around the control of a TCP flow, and
    /// around a rate control that is told the fate of each packet.
    pub(crate) fn ends(
        &mut self,
        flow: &Flow,
        number: u32,
        transit: Transit,
        alarm: &Alarm,
        wraps: (&dyn Fn(Control) -> Control, &dyn Fn(Told) -> Told),
    ) -> (FlowSender, FlowReceiver) {
        let (wrap, wrap_rate) = wraps;
        let start = start(flow, number, self.seed);
        let codepoint = flow.codepoint.unwrap_or_default();
        let waits = flow.relays.is_some() || flow.writing.source.is_some();
        match &flow.traffic {
            Traffic::Tcp(tcp) if tcp.is_quic() => {
                let (control, company) = watched(tcp, self.probe, alarm, wrap);
                quic(tcp, waits, start, transit, control, company)
            }
            Traffic::Tcp(tcp) => {
                let (control, company) = watched(tcp, self.probe, alarm, wrap);
                self.connection(tcp, waits, start, transit, control, company)
            }
            Traffic::Workload(_) => unreachable!("its two ends are one"),
            Traffic::Udp(udp) => datagrams(udp, codepoint, start, number, self.seed, transit),
            Traffic::Media(media) => {
                let random = stream(self.seed, Component::host(SOURCES, number));
                let codepoint = flow.codepoint;
                let (sender, receiver) =
                    media::ends(media, codepoint, start, transit, random, (alarm, wrap_rate));
                (FlowSender::Media(sender), FlowReceiver::Media(receiver))
            }
        }
    }

    fn connection(
        &mut self,
        tcp: &Tcp,
        waits: bool,
        start: Time,
        transit: Transit,
        control: Control,
        company: Option<Arc<Mutex<Company>>>,
    ) -> (FlowSender, FlowReceiver) {
        let estimators = self.probe.map_or(&[][..], |probe| &probe.estimate);
        let predicts = self.probe.is_some_and(|probe| probe.equation.is_some());
        let mut told = tcp.ends(waits);
        let sizes = sizes(tcp);
        told.sender.forgets = company.is_none()
            && matches!(&tcp.control, controls::Control::Builtin(config) if !config.asks_when_sent());
        let last = &mut self.last;
        let config = shared(&mut last.sender, told.sender);
        let sender = Sender::new(config, control, tcp.new_recovery());
        told.receiver.echoes_sending = sender.reads_sending();
        let receiver = Receiver::new(shared(&mut last.receiver, told.receiver));
        let expected = Expected {
            transit,
            size: tcp.segments().unwrap_or(u64::MAX),
            header: header(tcp),
            ack_size: sizes.ack,
            ect: receiver.ack_factor().is_some(),
        };
        let receiver = TcpReceiver::new(receiver, shared(&mut last.expected, expected));
        let look = Look {
            sizes,
            stamping: sender.stamping(),
        };
        let sender = TcpSender::new(
            sender,
            Judge::of(&tcp.classify, company.as_ref()),
            company.filter(|_| predicts || !estimators.is_empty()),
            shared(&mut last.look, look),
            start,
        );
        (FlowSender::Tcp(sender), FlowReceiver::Tcp(receiver))
    }
}

/// The same value, in the memory of the last one if that was equal.
fn shared<T: PartialEq>(last: &mut Option<Arc<T>>, value: T) -> Arc<T> {
    match last {
        Some(last) if **last == value => Arc::clone(last),
        _ => Arc::clone(last.insert(Arc::new(value))),
    }
}

/// Whether classifiers of this flow are judged, or its receiver learns the causes of losses.
pub(crate) fn is_judged(flow: &Flow) -> bool {
    match &flow.traffic {
        Traffic::Tcp(tcp) => !tcp.classify.is_empty(),
        Traffic::Media(media) => media.control.asks_for_causes(),
        Traffic::Workload(_) | Traffic::Udp(_) => false,
    }
}

/// The number of packets that an ACK of this flow acknowledges if nothing is lost.
pub(crate) fn packets_per_ack(flow: &Flow) -> f64 {
    match &flow.traffic {
        Traffic::Tcp(tcp) if tcp.delayed_ack.is_some() => 2.0,
        Traffic::Tcp(_) | Traffic::Workload(_) | Traffic::Udp(_) | Traffic::Media(_) => 1.0,
    }
}

/// When the run's flow `number` starts.
pub(crate) fn start(flow: &Flow, number: u32, seed: u64) -> Time {
    match flow.start {
        Start::At(at) => time(at),
        Start::Uniform { from, to } => {
            let part = stream(seed, Component::host(STARTS, number)).uniform();
            let span = to.saturating_sub(from).as_nanos() as f64;
            time(from) + Time::from_nanos((part * span) as u64)
        }
    }
}

/// The control of a connection, with what watches it.
fn watched(
    tcp: &Tcp,
    probe: Option<&Probe>,
    alarm: &Alarm,
    wrap: &dyn Fn(Control) -> Control,
) -> (Control, Option<Arc<Mutex<Company>>>) {
    let path = tcp.path();
    let control = wrap(match &tcp.control {
        controls::Control::Builtin(config) => Control::builtin(config, &path),
        controls::Control::Custom(custom) => Control::custom(custom.build(&path, alarm)),
    });
    let estimators = probe.map_or(&[][..], |probe| &probe.estimate);
    let predicts = probe.is_some_and(|probe| probe.equation.is_some());
    Company::around(control, &tcp.classify, estimators, predicts, &path)
}

fn quic(
    tcp: &Tcp,
    waits: bool,
    start: Time,
    transit: Transit,
    control: Control,
    company: Option<Arc<Mutex<Company>>>,
) -> (FlowSender, FlowReceiver) {
    let told = tcp.quic_ends(waits);
    let sizes = sizes(tcp);
    let sender = quic::Sender::new(told.sender, control);
    let receiver = quic::Receiver::new(told.receiver);
    let header = header(tcp);
    let receiver = QuicReceiver::new(receiver, tcp.segments(), sizes, header, transit);
    (
        FlowSender::Quic(Box::new(QuicSender::new(sender, company, sizes, start))),
        FlowReceiver::Quic(Box::new(receiver)),
    )
}

fn sizes(tcp: &Tcp) -> Sizes {
    let (last, last_data) = last_segment(tcp).unwrap_or((u64::MAX, 0));
    Sizes {
        data: wire_bytes(tcp.data_wire_bytes()),
        ack: wire_bytes(tcp.ack_wire_bytes()),
        last,
        last_data,
    }
}

/// Bytes of a data segment that are not payload.
fn header(tcp: &Tcp) -> u16 {
    wire_bytes(tcp.data_wire_bytes() - tcp.payload.0)
}

/// The number and the size of the last segment if it is not full.
fn last_segment(tcp: &Tcp) -> Option<(u64, u16)> {
    let bytes = match tcp.size {
        Size::Bytes(bytes) => bytes,
        Size::Unlimited | Size::Segments(_) => return None,
    };
    let rest = bytes.0 % tcp.payload.0;
    let shorter = tcp.data_wire_bytes() - (tcp.payload.0 - rest);
    (rest > 0).then(|| (bytes.0 / tcp.payload.0, wire_bytes(shorter)))
}

fn datagrams(
    udp: &Udp,
    codepoint: Ecn,
    start: Time,
    number: u32,
    seed: u64,
    transit: Transit,
) -> (FlowSender, FlowReceiver) {
    let stop = udp.stop.map(time);
    let span = Span {
        start,
        stop: stop.unwrap_or(Time::MAX),
    };
    let source = udp.source.simulated(Sending {
        bytes: wire_bytes(udp.packet.0),
        span,
        random: stream(seed, Component::host(SOURCES, number)),
    });
    let sender = UdpSender::new(source, codepoint, start, stop);
    (
        FlowSender::Udp(Box::new(sender)),
        FlowReceiver::Udp(UdpReceiver::new(transit)),
    )
}

fn wire_bytes(bytes: u64) -> u16 {
    u16::try_from(bytes).expect("the scenario's reader limits packets to 65,535 bytes")
}
