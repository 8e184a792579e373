//! Every change of a window is reported exactly once.

use dumbbell_run::explain::{Kind, Line};
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::Scenario;

use super::{controls, dumbbell, everything, flow, told};

/// Checks that the windows before and after are consistent from line to line for each flow, and
/// that losses and timeouts are those that the run counts.
fn assert_complete(lines: &[Line], outcome: &Outcome, recovery: &str, ssthresh: Option<f64>) {
    assert!(
        lines.windows(2).all(|two| two[0].time_s <= two[1].time_s),
        "lines go back in time"
    );
    let tcp = outcome.flows.iter().enumerate();
    for (i, flow) in tcp.filter(|(_, flow)| flow.recovery.is_some()) {
        let mut mine = lines.iter().filter(|line| line.flow == i + 1).peekable();
        let first = mine.peek().expect("something happened");
        assert_eq!((first.cwnd_before, first.ssthresh_before), (2.0, ssthresh));
        let (mut losses, mut timeouts) = (0, 0);
        let mut last: Option<&Line> = None;
        for line in mine {
            assert_eq!(line.name, flow.name);
            assert_eq!(line.control, flow.control);
            assert!(line.until_s >= line.time_s && line.count >= 1);
            if let Some(last) = last {
                assert_eq!(line.cwnd_before, last.cwnd_after, "{last:?}\n{line:?}");
                assert_eq!(
                    line.ssthresh_before, last.ssthresh_after,
                    "{last:?}\n{line:?}"
                );
                assert!(line.time_s >= last.until_s, "{last:?}\n{line:?}");
            }
            losses += u64::from(matches!(line.event, "dup_acks" | "fine_timer"));
            timeouts += u64::from(line.event == "timeout");
            last = Some(line);
        }
        assert_eq!(timeouts, flow.timeouts, "{}", flow.name);
        // Vegas' recovery reports every retransmission, also within an episode.
        if recovery == "vegas" {
            assert!(losses >= flow.fast_recoveries, "{}", flow.name);
        } else {
            assert_eq!(losses, flow.fast_recoveries, "{}", flow.name);
        }
    }
}

/// Checks that without `all`, the lines are those of losses, timeouts, reductions and states, identical to the lines
/// with `all`, and those of bounds, which are then combined.
fn assert_selected(scenario: &Scenario, all: &[Line]) {
    let (some, _, tally) = told(scenario, false);
    let wanted = |line: &&Line| matches!(line.kind, Kind::Reduction | Kind::Spared | Kind::State);
    let expected: Vec<&Line> = all.iter().filter(wanted).collect();
    let found: Vec<&Line> = some.iter().filter(wanted).collect();
    assert_eq!(found, expected);
    let bounds = |lines: &[Line]| -> u64 {
        let lines = lines.iter().filter(|line| line.kind == Kind::Bounds);
        lines.map(|line| line.count).sum()
    };
    assert_eq!(bounds(&some), bounds(all));
    let rest = |line: &&Line| !matches!(line.kind, Kind::State | Kind::Bounds);
    let some: Vec<&Line> = some.iter().filter(rest).collect();
    let reductions = some.iter().filter(|line| line.kind == Kind::Reduction);
    let counted: u64 = tally.reductions.iter().map(|(_, count)| count).sum();
    assert_eq!(counted, reductions.count() as u64);
    assert_eq!(counted + tally.spared, some.len() as u64);
}

#[test]
fn lines_are_consistent_and_losses_are_those_of_the_run() {
    for config in controls() {
        for recovery in config.recoveries() {
            let flows = flow(config.name(), recovery).repeat(2);
            let scenario = dumbbell(30, 15, 0.01, &flows);
            let (lines, outcome) = everything(&scenario);
            assert_complete(&lines, &outcome, recovery, None);
            assert_selected(&scenario, &lines);
        }
    }
}

/// There are more lines than may wait to be sorted. With the other traffic VenoDB's state changes
/// every few ACKs, and no loss closes the open lines.
#[test]
fn long_growth_is_reported_in_order() {
    let flows = (flow("venodb", "newreno") + "ssthresh = 10\n").repeat(2);
    let traffic = "[[flow]]\nsource = { exponential = { rate = \"1 Mb/s\", on = \"20 ms\", off = \"20 ms\" } }\n";
    let scenario = dumbbell(240, 9000, 0.0, &(flows + traffic));
    let (lines, outcome) = everything(&scenario);
    assert!(lines.len() > 8192, "{}", lines.len());
    assert_complete(&lines, &outcome, "newreno", Some(10.0));
}

/// NewReno's exit from recovery and the receiver's window change a window independently of the
/// control.
#[test]
fn changes_by_the_host_are_reported_too() {
    let flows = "[[flow]]\ncontrol = \"reno\"\nrecovery = { name = \"newreno\", exit = \"flight\" }\n\
                 receiver_window = 8\n";
    let scenario = dumbbell(60, 30, 0.01, flows);
    let (lines, outcome) = everything(&scenario);
    assert_complete(&lines, &outcome, "newreno", None);
    assert_selected(&scenario, &lines);
    let of = |branch: &'static str| lines.iter().filter(move |line| line.branch == branch);
    let exits: Vec<&Line> = of("recovery ends").collect();
    // At most one per episode: an exit that leaves the window unchanged is not a change.
    assert!(!exits.is_empty() && exits.len() as u64 <= outcome.flows[0].fast_recoveries);
    for exit in exits {
        assert_eq!((exit.kind, exit.event), (Kind::Reduction, "recovery_end"));
        assert!(exit.source.starts_with("RFC 6582, section 3.2, step 3"));
        assert_eq!(exit.ssthresh_after, exit.ssthresh_before);
        assert_eq!(exit.cwnd_after.fract(), 0.0, "what is outstanding + 1");
    }
    let limits: Vec<&Line> = of("receiver's window").collect();
    assert!(!limits.is_empty());
    for limit in limits {
        assert!(limit.kind != Kind::Reduction && limit.cwnd_after == 8.0);
        assert_eq!(limit.condition, "the receiver takes 8");
    }
}

#[test]
fn an_application_without_data_is_given_as_the_reason() {
    // CUBIC has its own rule for this case.
    for (control, branch) in [
        ("reno", "nothing to send"),
        ("veno", "nothing to send"),
        ("cubic", "application-limited"),
    ] {
        let flows = format!("[[flow]]\ncontrol = \"{control}\"\nsize = \"40 segments\"\n");
        let (lines, outcome) = everything(&dumbbell(10, 30, 0.0, &flows));
        assert!(outcome.flows[0].finish_s.is_some());
        let last = lines.last().expect("some");
        assert_eq!((last.branch, last.kind), (branch, Kind::Hold));
        assert!(last.count > 1 && last.cwnd_after == last.cwnd_before);
    }
}
