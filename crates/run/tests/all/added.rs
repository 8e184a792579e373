//! Controls and rate controls that a program adds: one that follows RFC 5348 is TFRC, and one that fails
//! ends its run.

use std::sync::atomic::AtomicBool;

use dumbbell_control::algorithm::reno::{self, Reno};
use dumbbell_control::controller::{Algorithm, Controller, Value, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::units::{Duration, Instant, Segments};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::{Added, Alarm, Controls};
use dumbbell_scenario::rate_controls::AddedRate;
use dumbbell_tfrc::equation::RateEquation;
use dumbbell_tfrc::steered::{Expiry, RateControl, Report};

/// TFRC by RFC 5348, sections 4.3 to 4.5, for a sender that always has data.
struct Tfrc {
    segment: f64,
    x: f64,
    x_calc: f64,
    wait: Option<f64>,
    /// The receive rates of the last two round-trip times, the newest first, with their times.
    received: Vec<(f64, Instant)>,
    doubled: Instant,
    p: f64,
    /// The mean of the square roots of the samples, and the last sample.
    root: Option<f64>,
    sample: f64,
}

impl Tfrc {
    fn new(segment: u32) -> Self {
        let segment = f64::from(segment);
        Self {
            segment,
            x: segment,
            x_calc: f64::INFINITY,
            wait: None,
            received: Vec::new(),
            doubled: Instant::ZERO,
            p: 0.0,
            root: None,
            sample: 0.0,
        }
    }

    fn first_rate(&self, rtt: f64) -> f64 {
        (4.0 * self.segment).min((2.0 * self.segment).max(4380.0)) / rtt
    }

    fn largest(&self) -> f64 {
        let rates = self.received.iter().map(|(rate, _)| *rate);
        rates.fold(0.0, f64::max)
    }
}

fn span(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9 + 0.5) as u64)
}

impl RateControl for Tfrc {
    fn on_feedback(&mut self, report: &Report) {
        let Report { now, srtt, .. } = *report;
        let root = report.rtt.sqrt();
        self.sample = report.rtt;
        self.root = Some(self.root.map_or(root, |old| 0.9 * old + (1.0 - 0.9) * root));
        self.wait = Some((4.0 * srtt).max(2.0 * self.segment / self.x));
        self.p = report.loss_event_rate;
        let equation = RateEquation::tfrc(self.segment, srtt);
        self.x_calc = if self.p > 0.0 {
            equation.rate(self.p)
        } else {
            f64::INFINITY
        };
        let least = self.segment / 64.0;
        if report.first {
            self.received = vec![(f64::INFINITY, now)];
            self.doubled = now;
            self.x = self.first_rate(srtt).max(least);
            return;
        }
        self.received.insert(0, (report.receive_rate, now));
        let recent = span(srtt) + span(srtt);
        self.received.retain(|(_, at)| now.since(*at) <= recent);
        let limit = 2.0 * self.largest();
        if self.p > 0.0 {
            self.x = self.x_calc.min(limit).max(least);
        } else if now.since(self.doubled) >= span(srtt) {
            self.x = (2.0 * self.x).min(limit).max(self.first_rate(srtt));
            self.doubled = now;
        }
    }

    fn on_expiry(&mut self, expiry: &Expiry) {
        let least = self.segment / 64.0;
        if self.p <= 0.0 || expiry.srtt.is_none() {
            self.x = (self.x / 2.0).max(least);
        } else {
            let received = self.largest();
            let limit = received.min(self.x_calc / 2.0).max(least);
            self.received = vec![(limit / 2.0, expiry.now)];
            self.x = self.x_calc.min(limit).max(least);
        }
        let rtt = expiry.srtt.unwrap_or(0.0);
        self.wait = Some((4.0 * rtt).max(2.0 * self.segment / self.x));
    }

    fn rate(&self) -> f64 {
        self.x
    }

    fn sending_rate(&self) -> f64 {
        self.x * self.root.map_or(1.0, |root| root / self.sample.sqrt())
    }

    fn wait(&self) -> Option<f64> {
        self.wait
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("x_calc", Value::BitRate(8.0 * self.x_calc));
    }
}

fn media(control: &str, bottleneck: &str) -> Scenario {
    let mut controls = Controls::builtin();
    let mine = AddedRate::new("mine", |_, segment, _| Box::new(Tfrc::new(segment)));
    controls.add_rate(mine).expect("the name is free");
    let text = format!(
        r#"
        duration = "100 s"
        [dumbbell]
        access     = {{ rate = "10 Mb/s", delay = "1 ms" }}
        bottleneck = {{ rate = "1 Mb/s", delay = "20 ms", {bottleneck} }}
        [[flow]]
        name = "m"
        rate_control = "{control}"
        [probe]
        interval = "1 s"
        values = ["explain", "rate"]
        "#
    );
    Scenario::parse("test", &text, &controls).expect("a scenario")
}

#[test]
fn a_rate_control_by_rfc_5348_is_tfrc() {
    for bottleneck in [
        "queue = { droptail = 20 }",
        "queue = { droptail = 30 }, loss = { bernoulli = 0.02 }",
        // Most reports are lost, so the nofeedback timer expires.
        "queue = { droptail = 30 }, loss = { bernoulli = 0.4, on = \"all\" }",
    ] {
        for seed in 1..=3 {
            let of = |control| {
                let scenario = media(control, bottleneck);
                let run = Run::new(&scenario).seed(seed).go();
                run.expect("nothing interrupts it").outcome
            };
            let mut mine = of("mine");
            mine.flows[0]
                .control
                .clone_from(&of("tfrc").flows[0].control);
            assert_eq!(mine, of("tfrc"), "{bottleneck}, seed {seed}");
        }
    }
}

#[test]
fn what_a_rate_control_explains_is_sampled() {
    let scenario = media("mine", "queue = { droptail = 20 }");
    let run = Run::new(&scenario).probe(&scenario.probe).go();
    let series = run.expect("nothing interrupts it").series;
    let named = |name: &str| series.iter().find(|series| series.quantity == name);
    assert!(named("explain.own.x_calc").is_some());
    assert!(named("explain.allowed_rate").is_some_and(|s| s.points.len() > 50));
}

/// Reno that fails when it has seen so many ACKs.
struct Failing {
    reno: Reno,
    acks: u32,
    alarm: Alarm,
}

impl Controller for Failing {
    fn on_sample(&mut self, sample: &Sample) {
        self.reno.on_sample(sample);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.reno.on_ack(ack);
        self.acks = self.acks.saturating_sub(1);
        if self.acks == 0 {
            self.alarm.raise(ack.now, "no more ACKs, please");
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.reno.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.reno.on_timeout(timeout);
    }

    fn window(&self) -> Window {
        self.reno.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.reno.restrict(cwnd);
    }
}

#[test]
fn a_control_that_fails_ends_its_run() {
    let mut controls = Controls::builtin();
    let failing = Added::new("failing", |_, path, alarm| {
        Box::new(Failing {
            reno: Reno::new(&reno::Config::default(), path),
            acks: 100,
            alarm: alarm.clone(),
        })
    });
    controls.add(failing).expect("the name is free");
    let text = r#"
        duration = "1000 s"
        [dumbbell]
        access     = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 20 } }
        [[flow]]
        control = "reno"
        [[flow]]
        name = "bad"
        start = "3 s"
        control = "failing"
    "#;
    let scenario = Scenario::parse("test", text, &controls).expect("a scenario");
    let flag = AtomicBool::new(false);
    let mut steps = 0;
    let stopped = Run::new(&scenario)
        .interrupt(&flag)
        .progress(|| steps += 1)
        .go();
    let Err(Stopped::Failed(failure)) = stopped else {
        panic!("it does not fail")
    };
    assert_eq!(failure.flow, "bad");
    assert_eq!(failure.error.to_string(), "no more ACKs, please");
    // 100 packets of half a link of 125 packets a second, and slow start.
    let at = failure.at.as_secs_f64();
    assert!((3.5..8.0).contains(&at), "{at}");
    let text = failure.to_string();
    assert!(
        text.starts_with("the control of the flow `bad` failed at "),
        "{text}"
    );
    // The run ended long before its end, and the caller's flag is untouched.
    assert!(steps < 5, "{steps}");
    assert!(!flag.into_inner());
}
