//! Runs that their owner advances, and runs that are watched.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dumbbell_control::controller::Controller as _;
use dumbbell_run::explain::{Explainer, Kind, Question};
use dumbbell_run::{Control, Done, Run, STEPS, Stopped, Watch};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duration, Scenario};

const SCENARIO: &str = r#"
duration = "20 s"
seed = 5
[dumbbell]
access     = { rate = "10 Mb/s", delay = "2 ms" }
bottleneck = { rate = "2 Mb/s", delay = "20 ms", queue = { droptail = 12 }, loss = { bernoulli = 0.01 } }
[[flow]]
control = "veno"
[[flow]]
control = "sarbe"
[[flow]]
source = { cbr = "200 kb/s" }
[probe]
interval = "1 s"
values = ["cwnd"]
"#;

fn scenario() -> Scenario {
    Scenario::parse("run.toml", SCENARIO, &Controls::builtin()).expect("it is one")
}

fn done(run: Run<'_>) -> Done {
    run.go().expect("nothing interrupts it")
}

#[test]
fn a_run_in_steps_has_the_same_results_as_a_run_at_once() {
    let scenario = scenario();
    let whole = done(Run::new(&scenario).probe(&scenario.probe));
    assert_eq!(whole.outcome.seed, 5);
    let mut running = Run::owning(scenario.clone()).probe(&scenario.probe).start();
    assert_eq!(running.now(), Duration::ZERO);
    assert_eq!(running.outcome().flows[0].sent, 0);
    let mut before = 0;
    for ms in (0..19_990).step_by(37) {
        running
            .advance_to(Duration::from_millis(ms))
            .expect("nothing interrupts it");
        assert_eq!(running.now(), Duration::from_millis(ms));
        let outcome = running.outcome();
        assert!(outcome.flows[0].sent >= before);
        assert!(outcome.links.iter().all(|link| link.utilisation <= 1.0));
        before = outcome.flows[0].sent;
    }
    // A time in the past changes nothing.
    running
        .advance_to(Duration::ZERO)
        .expect("nothing interrupts it");
    assert_eq!(running.series().count(), whole.series.len());
    let window = running.window(0).expect("it is TCP").cwnd.as_f64();
    let last = running.series().next().and_then(|cwnd| cwnd.points.last());
    assert!(window >= 1.0 && last.is_some(), "{window}");
    let mut told = 0;
    running
        .control(1)
        .expect("it is TCP")
        .explain(&mut |_, _| told += 1);
    assert!(told > 0);
    assert!(running.control(2).is_none() && running.window(3).is_none());
    running
        .advance_to(scenario.duration)
        .expect("nothing interrupts it");
    assert_eq!(running.outcome(), whole.outcome);
    assert_eq!(running.finish().expect("nothing interrupts it"), whole);
}

#[test]
fn the_seed_is_that_of_the_scenario_unless_one_is_given() {
    let scenario = scenario();
    assert_eq!(done(Run::new(&scenario)), done(Run::new(&scenario).seed(5)));
    assert_ne!(
        done(Run::new(&scenario)).outcome,
        done(Run::new(&scenario).seed(6)).outcome
    );
}

#[test]
fn progress_is_reported_in_equal_steps() {
    let scenario = scenario();
    let mut steps = 0;
    done(Run::new(&scenario).progress(|| steps += 1));
    assert_eq!(steps, STEPS);
}

#[test]
fn an_interrupt_stops_a_run_where_it_is() {
    let scenario = scenario();
    let stop = AtomicBool::new(false);
    let mut running = Run::new(&scenario).interrupt(&stop).start();
    running.advance_to(Duration::from_secs(3)).expect("not yet");
    stop.store(true, Ordering::Relaxed);
    let stopped = running.advance_to(Duration::from_secs(19));
    assert!(matches!(stopped, Err(Stopped::Interrupted)));
    assert!(running.now() < Duration::from_secs(19));
    assert!(
        running.outcome().flows[0].sent > 0,
        "what was done is there"
    );
}

/// A caller's own watcher sees every TCP flow once, and may replace its control.
#[test]
fn a_user_of_the_library_can_watch_a_run() {
    struct Counting(AtomicUsize);
    impl Watch for Counting {
        fn watch(&self, flow: usize, control: Control) -> Control {
            assert!(flow < 2, "the UDP flow has no control");
            self.0.fetch_add(1, Ordering::Relaxed);
            control
        }
    }
    let scenario = scenario();
    let counting = Counting(AtomicUsize::new(0));
    let watched = done(Run::new(&scenario).watch(&counting));
    assert_eq!(counting.0.into_inner(), 2);
    assert_eq!(watched, done(Run::new(&scenario)));
}

/// A run can be explained while its owner advances it.
#[test]
fn a_user_of_the_library_can_explain_a_run() {
    let scenario = scenario();
    let (heard, lines) = std::sync::mpsc::channel();
    let question = Question::about(&scenario);
    let explainer = Explainer::new(&scenario, &question, move |line| {
        heard.send(line.clone()).expect("somebody listens");
    });
    let mut running = Run::new(&scenario).watch(&explainer).start();
    running
        .advance_to(Duration::from_secs(10))
        .expect("nothing interrupts it");
    assert!(
        lines.try_iter().count() > 0,
        "it is told while the run goes"
    );
    running.finish().expect("nothing interrupts it");
    let tally = explainer.finish();
    let reductions: u64 = tally.reductions.iter().map(|(_, count)| count).sum();
    assert!(reductions > 5, "{tally}");
    assert!(
        lines.try_iter().all(|line| line.kind != Kind::Growth),
        "growth was not asked for"
    );
}
