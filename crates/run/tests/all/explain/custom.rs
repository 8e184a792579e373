//! Custom controls, which may report nothing about themselves.

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{Ack, Loss, Sample, Timeout};
use dumbbell_control::units::Segments;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_tcp::recovery::Kind;

use super::{branches, everything};

/// A window that grows by one segment per ACK and is halved by losses.
struct Mine {
    cwnd: u32,
    says: bool,
    last: &'static str,
}

impl Controller for Mine {
    fn on_sample(&mut self, _: &Sample) {}
    fn on_ack(&mut self, _: &Ack) {
        self.cwnd = (self.cwnd + 1).min(30);
        self.last = "wider";
    }
    fn on_loss(&mut self, _: &Loss) {
        self.cwnd = (self.cwnd / 2).max(2);
        self.last = "half";
    }
    fn on_timeout(&mut self, _: &Timeout) {
        self.cwnd = 1;
        self.last = "one";
    }
    fn restrict(&mut self, _: Segments) {}
    fn window(&self) -> Window {
        let (cwnd, ssthresh) = (Segments::whole(self.cwnd), Segments::whole(1));
        Window { cwnd, ssthresh }
    }
    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        if self.says {
            out("rule", Value::State(self.last));
        }
    }
}

fn scenario(says: bool) -> Scenario {
    let mut controls = Controls::builtin();
    let new = move |_: &_| {
        Box::new(Mine {
            cwnd: 2,
            says,
            last: "none",
        }) as Box<dyn Controller + Send>
    };
    controls
        .register("mine", "my own", &[Kind::NewReno], new)
        .expect("a new name");
    let text = "duration = \"20 s\"\n[dumbbell]\n\
                access = { rate = \"10 Mb/s\", delay = \"10 ms\" }\n\
                bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 12 } }\n\
                [[flow]]\ncontrol = \"mine\"\n";
    Scenario::parse("mine.toml", text, &controls).unwrap_or_else(|report| panic!("{report}"))
}

#[test]
fn a_control_without_rules_is_reported_with_its_windows() {
    let (lines, _) = everything(&scenario(false));
    assert_eq!(branches(&lines), ["unexplained"].into());
    let loss = lines.iter().find(|line| line.event == "dup_acks");
    let loss = loss.expect("the queue is short");
    assert_eq!(loss.cwnd_after, (loss.cwnd_before / 2.0).floor());
    assert_eq!(loss.reason(), "unexplained, the control reports no rule");
}

#[test]
fn a_word_that_a_control_reports_is_its_branch() {
    let (lines, _) = everything(&scenario(true));
    assert!(branches(&lines).is_superset(&["wider", "half"].into()));
    let loss = lines.iter().find(|line| line.event == "dup_acks");
    assert_eq!(loss.expect("the queue is short").reason(), "half");
}
