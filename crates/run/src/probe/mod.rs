//! Probes: quantities that are sampled at regular times during a run.

mod prediction;
mod variation;

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::units::{Duration, Instant, Segments};
use dumbbell_scenario::{Probe, ProbeValue};
use dumbbell_sim::{EndpointId, LinkId, Port, Time};

use crate::flow::media::{MediaReceiver, MediaSender};
use crate::flow::watched::lock;
use crate::flow::wire::Payload;
use crate::flow::{Control, FlowReceiver, FlowSender};
use crate::time::instant;
use prediction::Predictions;

pub(crate) use variation::Bins;

/// The subject of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A flow, by its position among the run's flows.
    Flow(usize),
    /// A link, by its position among the run's links.
    Link(usize),
}

/// A sampled value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// A number in the unit of its series.
    Number(f64),
    /// A word, such as a state or a rule of a control.
    Word(&'static str),
}

/// Samples of one quantity over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The flow or link that was sampled.
    pub subject: Subject,
    /// One of: `cwnd`, `inflation`, `ssthresh` (segments), `rtt`, `srtt` (s), `sequence`, `delivered`
    /// (segments), `losses`, `rate` (bit/s of payload that arrived since the previous sample),
    /// `sending` (packets sent since the previous sample), `queue` (packets), `explain.` and a name
    /// that the control defines, `estimate.` and the name of an estimator (bit/s), or `equation.`
    /// and the name of an input or a result of the equation (see `docs/scenario.md`).
    pub quantity: String,
    /// Time in seconds, and value.
    pub points: Vec<(f64, Reading)>,
}

/// The probes of a run, and their samples.
pub(crate) struct Probes {
    interval: Time,
    values: Vec<ProbeValue>,
    /// The simulator's numbers of the sampled links.
    links: Vec<LinkId>,
    /// For each flow, the bytes that had arrived and the packets that it had sent at the previous
    /// sample.
    arrived: Vec<u64>,
    sent: Vec<u64>,
    started: bool,
    flows: Vec<Vec<Series>>,
    queues: Vec<Vec<Series>>,
    predictions: Option<Predictions>,
}

impl Probes {
    /// Creates probes of these links, and of flows with this many packets per ACK.
    pub(crate) fn new(probe: &Probe, links: Vec<LinkId>, packets_per_ack: Vec<f64>) -> Self {
        let flows = packets_per_ack.len();
        Self {
            predictions: probe
                .equation
                .map(|equation| Predictions::new(equation, packets_per_ack)),
            interval: Time::from_nanos(probe.interval.as_nanos()),
            values: probe.values.clone(),
            arrived: vec![0; flows],
            sent: vec![0; flows],
            flows: vec![Vec::new(); flows],
            queues: vec![Vec::new(); links.len()],
            links,
            started: false,
        }
    }

    /// The samples taken so far.
    pub(crate) fn series(&self) -> impl Iterator<Item = &Series> {
        self.flows.iter().chain(&self.queues).flatten()
    }

    pub(crate) fn into_series(self) -> Vec<Series> {
        self.flows
            .into_iter()
            .chain(self.queues)
            .flatten()
            .collect()
    }

    pub(crate) fn sample(
        &mut self,
        net: &mut impl Port<Payload>,
        endpoint: EndpointId,
        senders: &[FlowSender],
        receivers: &[FlowReceiver],
    ) {
        let now = net.now().as_secs_f64();
        for (flow, (sender, receiver)) in senders.iter().zip(receivers).enumerate() {
            let mut log = Log {
                subject: Subject::Flow(flow),
                now,
                series: &mut self.flows[flow],
            };
            let sent = sender.sent();
            let sent_before = std::mem::replace(&mut self.sent[flow], sent);
            if self.started && self.values.contains(&ProbeValue::Sending) {
                log.number("sending", (sent - sent_before) as f64);
            }
            if let Some(gauges) = Gauges::of(sender) {
                log.window(&self.values, &gauges);
            }
            if let Some(company) = sender.company() {
                for (name, rate) in lock(company).estimates() {
                    log.number(&format!("estimate.{name}"), rate.as_bits_per_second());
                }
            }
            if let (FlowSender::Tcp(sender), Some(predictions)) = (sender, &mut self.predictions) {
                predictions.of(flow, sender, self.interval, &mut |name, number| {
                    log.number(&format!("equation.{name}"), number);
                });
            }
            let arrived = match receiver.own() {
                FlowReceiver::Tcp(receiver) => {
                    if self.values.contains(&ProbeValue::Sequence) {
                        log.number("delivered", receiver.tcp().delivered() as f64);
                    }
                    receiver.payload
                }
                FlowReceiver::Quic(receiver) => {
                    if self.values.contains(&ProbeValue::Sequence) {
                        log.number("delivered", receiver.quic().delivered() as f64);
                    }
                    receiver.payload
                }
                FlowReceiver::Udp(receiver) => receiver.bytes,
                FlowReceiver::Media(receiver) => {
                    if let FlowSender::Media(sender) = sender {
                        log.media(&self.values, sender, receiver, instant(net.now()));
                    }
                    receiver.bytes
                }
                FlowReceiver::Workload => match sender {
                    FlowSender::Workload(workload) => workload.totals().arrived,
                    _ => 0,
                },
                FlowReceiver::Relayed(_) => unreachable!("the flow's own receiver was asked for"),
            };
            let before = std::mem::replace(&mut self.arrived[flow], arrived);
            if self.started && self.values.contains(&ProbeValue::Rate) {
                log.number(
                    "rate",
                    (arrived - before) as f64 * 8.0 / self.interval.as_secs_f64(),
                );
            }
        }
        if self.values.contains(&ProbeValue::Queue) {
            for (&link, series) in self.links.iter().zip(&mut self.queues) {
                let mut log = Log {
                    subject: Subject::Link(link.index()),
                    now,
                    series,
                };
                if let Some(length) = net.queue_len(link) {
                    log.number("queue", f64::from(length));
                }
            }
        }
        self.started = true;
        net.set_timer(endpoint, Some(net.now() + self.interval));
    }
}

/// A value that a control explains, as a sample.
fn reading(value: Value) -> Reading {
    match value {
        Value::Number(number)
        | Value::Segments(number)
        | Value::Seconds(number)
        | Value::BitRate(number) => Reading::Number(number),
        Value::State(word) => Reading::Word(word),
        Value::Rule(rule) => Reading::Word(rule.branch),
    }
}

/// What can be read at a sender with a window.
struct Gauges<'a> {
    control: &'a Control,
    window: Window,
    /// What a loss recovery adds to the window; `None` if the transport has none that does.
    inflation: Option<i64>,
    /// The last round-trip time, and the smoothed one, once there are.
    rtt: Option<Duration>,
    srtt: Option<Duration>,
    /// The segments that were sent at least once.
    high: u64,
    /// Loss episodes and timeouts so far.
    losses: u64,
}

impl<'a> Gauges<'a> {
    fn of(sender: &'a FlowSender) -> Option<Self> {
        match sender {
            FlowSender::Tcp(sender) => {
                let (sender, counters) = (sender.tcp(), sender.tcp().counters());
                let (window, inflation) = sender.window();
                Some(Self {
                    control: sender.control(),
                    window,
                    inflation: Some(inflation),
                    rtt: (sender.rtt_samples() > 0).then(|| sender.last_rtt()),
                    srtt: sender.srtt(),
                    high: sender.high(),
                    losses: counters.fast_recoveries + counters.timeouts,
                })
            }
            FlowSender::Quic(sender) => {
                let (sender, counters) = (sender.quic(), sender.quic().counters());
                Some(Self {
                    control: sender.control(),
                    window: sender.window(),
                    inflation: None,
                    rtt: (sender.rtt_samples() > 0).then(|| sender.last_rtt()),
                    srtt: sender.srtt(),
                    high: sender.high(),
                    losses: counters.episodes + counters.timeouts,
                })
            }
            FlowSender::Udp(_) | FlowSender::Media(_) | FlowSender::Workload(_) => None,
        }
    }
}

/// The destination of the samples of one subject.
struct Log<'a> {
    subject: Subject,
    now: f64,
    series: &'a mut Vec<Series>,
}

impl Log<'_> {
    fn window(&mut self, values: &[ProbeValue], gauges: &Gauges<'_>) {
        for value in values {
            match value {
                ProbeValue::Cwnd => self.number("cwnd", gauges.window.cwnd.as_f64()),
                ProbeValue::Inflation => {
                    if let Some(inflation) = gauges.inflation {
                        self.number("inflation", inflation as f64);
                    }
                }
                ProbeValue::Ssthresh if gauges.window.ssthresh < Segments::MAX => {
                    self.number("ssthresh", gauges.window.ssthresh.as_f64());
                }
                ProbeValue::Rtt => {
                    if let Some(rtt) = gauges.rtt {
                        self.number("rtt", rtt.as_secs_f64());
                    }
                }
                ProbeValue::Srtt => {
                    if let Some(srtt) = gauges.srtt {
                        self.number("srtt", srtt.as_secs_f64());
                    }
                }
                ProbeValue::Sequence => self.number("sequence", gauges.high as f64),
                ProbeValue::Losses => self.number("losses", gauges.losses as f64),
                ProbeValue::Explain => gauges.control.explain(&mut |name, value| {
                    self.put(&format!("explain.{name}"), reading(value));
                }),
                ProbeValue::Ssthresh
                | ProbeValue::Queue
                | ProbeValue::Rate
                | ProbeValue::Sending => {}
            }
        }
    }

    fn media(
        &mut self,
        values: &[ProbeValue],
        sender: &MediaSender,
        receiver: &MediaReceiver,
        at: Instant,
    ) {
        let report = sender.report();
        let oldest = &report.oldest;
        for value in values {
            match value {
                ProbeValue::Rtt => {
                    if let Some(rtt) = oldest.rtt_sample {
                        self.number("rtt", rtt);
                    }
                }
                ProbeValue::Sequence => {
                    self.number("sequence", sender.counters().sent as f64);
                    self.number("delivered", receiver.counters().received as f64);
                }
                ProbeValue::Losses => {
                    self.number("losses", receiver.counters().loss_events as f64);
                }
                ProbeValue::Explain => {
                    self.number("explain.allowed_rate", 8.0 * report.allowed);
                    self.number("explain.receive_rate", 8.0 * report.received);
                    self.number("explain.loss_event_rate", oldest.p);
                    let known = [
                        ("explain.equation_rate", oldest.x_calc.map(|x| 8.0 * x)),
                        ("explain.srtt", oldest.rtt),
                        ("explain.connections", report.connections),
                        ("explain.base_rtt", oldest.base_rtt),
                        ("explain.w_max", oldest.w_max),
                        ("explain.gamma", oldest.w_max.map(|_| oldest.g)),
                    ];
                    for (name, number) in known {
                        if let Some(number) = number {
                            self.number(name, number);
                        }
                    }
                    self.frames(sender, receiver, at);
                    sender.explain(&mut |name, value| {
                        self.put(&format!("explain.own.{name}"), reading(value));
                    });
                }
                // Quantities that a media flow does not have, and quantities that are sampled for
                // all flows.
                ProbeValue::Cwnd
                | ProbeValue::Inflation
                | ProbeValue::Ssthresh
                | ProbeValue::Srtt
                | ProbeValue::Queue
                | ProbeValue::Rate
                | ProbeValue::Sending => {}
            }
        }
    }

    /// What the source and the player of a media flow with frames report about themselves.
    fn frames(&mut self, sender: &MediaSender, receiver: &MediaReceiver, at: Instant) {
        let (Some(feeding), Some(player)) = (sender.feeding(), receiver.player()) else {
            return;
        };
        let report = player.report(at);
        let numbers = [
            ("explain.target_rate", feeding.target),
            ("explain.encoded_rate", feeding.encoded),
            ("explain.sender_queue", feeding.queue as f64),
            ("explain.playout_delay", player.delay().as_secs_f64()),
            ("explain.shown", report.shown as f64),
            ("explain.frozen", report.frozen.as_secs_f64()),
        ];
        for (name, number) in numbers {
            self.number(name, number);
        }
    }

    fn number(&mut self, quantity: &str, number: f64) {
        self.put(quantity, Reading::Number(number));
    }

    fn put(&mut self, quantity: &str, reading: Reading) {
        let point = (self.now, reading);
        match self
            .series
            .iter_mut()
            .find(|series| series.quantity == quantity)
        {
            Some(series) => series.points.push(point),
            None => self.series.push(Series {
                subject: self.subject,
                quantity: quantity.to_owned(),
                points: vec![point],
            }),
        }
    }
}
