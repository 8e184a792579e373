//! Why the rates of NADA and SCReAM changed.

use dumbbell_run::Run;
use dumbbell_run::explain::{self, Kind, Line};
use dumbbell_scenario::Scenario;

use super::{after, assert_near, before, branches, dumbbell, told};

fn media(control: &str, queue: u32, loss: f64) -> Scenario {
    let flow = format!("[[flow]]\nname = \"call\"\nrate_control = {control}\n");
    dumbbell(60, queue, loss, &flow)
}

fn rates(line: &Line) -> (f64, f64) {
    let both = line.rate_before_bps.zip(line.rate_after_bps);
    both.unwrap_or_else(|| panic!("no rates in {line:?}"))
}

/// Lines without gaps: with growth, each begins at the rate at which the one before it ended, but for what waits at the sender
/// (at most 5 % of NADA's rate; nothing with an encoder that is ideal and a rate below the link's).
#[test]
fn every_change_of_a_rate_has_a_line() {
    for control in ["\"nada\"", "\"scream\""] {
        let (lines, ..) = told(&media(control, 30, 0.02), true);
        assert!(lines.len() > 20, "{control}: {}", lines.len());
        for pair in lines.windows(2) {
            let ((_, ended), (begins, _)) = (rates(&pair[0]), rates(&pair[1]));
            let apart = (begins / ended - 1.0).abs();
            assert!(apart <= 0.055, "{control}: {pair:?}");
            assert!(pair[0].until_s <= pair[1].time_s);
        }
        for line in &lines {
            assert!(line.cwnd_before.is_nan() && line.ssthresh_after.is_none());
            assert!(line.source.starts_with("RFC 8"), "{line:?}");
            let (begins, ended) = rates(line);
            match line.kind {
                Kind::Reduction => assert!(ended < begins, "{line:?}"),
                Kind::Growth => assert!(ended > begins, "{line:?}"),
                Kind::Hold => assert_eq!(ended, begins, "{line:?}"),
                _ => panic!("{line:?}"),
            }
        }
    }
}

/// Without losses, the queue is what slows NADA down; with many, they are.
#[test]
fn nada_names_what_its_signal_consists_of() {
    let slow = "{ name = \"nada\", rmax = \"4 Mb/s\" }";
    let (lines, ..) = told(&media(slow, 200, 0.0), false);
    assert_eq!(
        branches(&lines).into_iter().collect::<Vec<_>>(),
        ["queueing delay"]
    );
    let (lines, ..) = told(&media(slow, 200, 0.04), false);
    let all = branches(&lines);
    assert!(
        all.contains("losses") && !all.contains("marks") && !all.contains("room"),
        "{all:?}"
    );
    for line in &lines {
        let part = |name| after(line, name).unwrap_or_else(|| panic!("no {name}: {line:?}"));
        let (delay, loss) = (part("from_delay"), part("from_loss"));
        if line.count == 1 {
            assert_eq!(line.branch == "losses", loss > delay, "{line:?}");
            // x is at most 3.2767 s.
            let x = (delay + loss + part("from_mark")).min(3.2767);
            assert_near(part("signal"), x, line);
        }
        assert!(line.condition.contains(" ms") && line.condition.contains("at rest at"));
    }
}

/// Equations 5 to 7 by the values that a line shows: KAPPA 0.5, ETA 2, TAU 500 ms, and reports 100 ms apart.
#[test]
fn nadas_values_explain_its_change() {
    let slow = "{ name = \"nada\", rmax = \"4 Mb/s\" }";
    let (lines, ..) = told(&media(slow, 200, 0.005), true);
    let (mut checked, mut last) = (0, 0.0);
    for line in &lines {
        let since = line.time_s - last;
        last = line.until_s;
        let single = line.count == 1 && matches!(line.branch, "queueing delay" | "losses" | "room");
        if !single || (since - 0.1).abs() > 1e-9 {
            continue;
        }
        let old = |name| before(line, name).expect("known");
        let new = |name| after(line, name).expect("known");
        let (rate, x) = (old("reference_rate"), new("signal"));
        let change = since / 0.5 * (x - old("aim")) / 0.5 + 2.0 * (x - old("signal")) / 0.5;
        let expected = (rate - 0.5 * change * rate).clamp(150e3, 4e6);
        assert_near(new("reference_rate"), expected, line);
        checked += 1;
    }
    assert!(checked > 3, "{checked} of {}", lines.len());
}

/// BETA_R is 0.9, and 150 kb/s the least rate; the rate of the media may bound it, too.
#[test]
fn a_loss_event_takes_a_tenth_of_screams_rate() {
    let (lines, ..) = told(&media("\"scream\"", 60, 0.02), false);
    let losses: Vec<_> = lines
        .iter()
        .filter(|line| line.branch == "loss event")
        .collect();
    assert!(losses.len() > 10, "{}", losses.len());
    for line in losses {
        assert_eq!(line.event, "report");
        let (begins, ended) = rates(line);
        let expected = (0..line.count).fold(begins, |rate, _| (0.9 * rate).max(150e3));
        assert_near(ended, expected, line);
        assert!(line.action.contains("x 9/10"), "{line:?}");
    }
    let known = ["loss event", "packets wait", "backlog", "rate of the media"];
    assert!(branches(&lines).iter().all(|name| known.contains(name)));
}

/// NADA halves its rate when reports stay away: the way back is cut from 10 s on.
#[test]
fn silence_is_a_reason() {
    let text = r#"
        duration = "14 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "10 ms" }
        bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 30 } }
        reverse = { rate = { steps = [["0 s", "2 Mb/s"], ["10 s", "0 b/s"]] } }
        [[flow]]
        rate_control = "nada"
    "#;
    let controls = dumbbell_scenario::controls::Controls::builtin();
    let scenario =
        Scenario::parse("silent.toml", text, &controls).unwrap_or_else(|report| panic!("{report}"));
    let (lines, ..) = told(&scenario, false);
    let silent: Vec<_> = lines
        .iter()
        .filter(|line| line.branch == "no report")
        .collect();
    assert!(!silent.is_empty(), "{lines:?}");
    assert!(silent.iter().all(|line| line.time_s > 10.0));
    assert_eq!(silent[0].event, "timer");
}

#[test]
fn explaining_a_rate_changes_nothing() {
    for control in ["\"nada\"", "\"scream\""] {
        let scenario = media(control, 30, 0.01);
        let (_, explained, _) = told(&scenario, true);
        let plain = Run::new(&scenario).go().expect("nobody interrupts it");
        assert_eq!(explained, plain.outcome, "{control}");
    }
}

/// TFRC names no rules; beside TCP, NADA's lines are in the same order of time.
#[test]
fn rates_and_windows_are_explained_together() {
    let flows = "[[flow]]\ncontrol = \"reno\"\n[[flow]]\nrate_control = \"nada\"\n[[flow]]\nrate_control = \"tfrc\"\n";
    let scenario = dumbbell(20, 20, 0.01, flows);
    assert_eq!(explain::select(&scenario, &[]), Ok(vec![0, 1]));
    let (lines, _, tally) = told(&scenario, false);
    assert!(lines.is_sorted_by_key(|line| (line.time_s * 1e9) as u64));
    let windows = lines.iter().filter(|line| line.rate_after_bps.is_none());
    assert!(windows.count() > 2);
    let reductions: u64 = tally.reductions.iter().map(|(_, count)| count).sum();
    let falls = lines.iter().filter(|line| line.kind == Kind::Reduction);
    assert_eq!(reductions, falls.map(|line| line.count).sum::<u64>());
}
