//! SARBE: the window that the path holds, and whether congestion had begun.

use dumbbell_run::explain::{Kind, Line};

use super::{assert_near, before, branches, dumbbell, everything, flow, word};

#[test]
fn only_a_loss_in_congestion_cuts_the_window_to_the_bandwidth() {
    let scenario = dumbbell(120, 25, 0.005, &flow("sarbe", "newreno").repeat(2));
    let (lines, _) = everything(&scenario);
    for line in &lines {
        let holds = before(line, "path_window").expect("it is always told");
        let begun = word(line, "congestion") == "begun";
        match line.branch {
            "random loss" => {
                assert!(!begun, "{line:?}");
                assert_near(line.cwnd_after, line.cwnd_before, line);
                assert_near(line.ssthresh_after.unwrap_or(f64::NAN), holds, line);
            }
            "congestion" => {
                assert!(begun, "{line:?}");
                assert_near(line.cwnd_after, line.cwnd_before.min(holds), line);
                assert_near(line.ssthresh_after.unwrap_or(f64::NAN), holds, line);
            }
            "timeout" => {
                assert_near(line.cwnd_after, 1.0, line);
                assert_near(line.ssthresh_after.unwrap_or(f64::NAN), holds, line);
            }
            // The values are those before the first ACK of the line.
            "slow start, congested" => assert!(begun && line.cwnd_before < holds, "{line:?}"),
            "slow start cut short" => assert!(begun && line.cwnd_before >= holds, "{line:?}"),
            _ => {}
        }
    }
    let expected = [
        "slow start",
        "slow start ends",
        "slow start, congested",
        "congestion avoidance",
        "random loss",
        "congestion",
        "timeout",
    ];
    let found = branches(&lines);
    for branch in expected {
        assert!(found.contains(branch), "no {branch}: {found:?}");
    }
}

/// In slow start after congestion has begun, an ACK can increase the window and lower the
/// threshold. This counts as growth.
#[test]
fn a_window_that_grows_is_not_reduced() {
    let scenario = dumbbell(100, 30, 0.01, &flow("sarbe", "newreno").repeat(2));
    let (lines, _) = everything(&scenario);
    let reduced = lines.iter().filter(|line| line.kind == Kind::Reduction);
    for line in reduced {
        assert!(line.cwnd_after <= line.cwnd_before, "{line:?}");
    }
    let both = |line: &&Line| {
        line.cwnd_after > line.cwnd_before && line.ssthresh_after < line.ssthresh_before
    };
    let grown: Vec<&Line> = lines.iter().filter(both).collect();
    assert!(grown.len() > 3, "it happens here");
    assert!(grown.iter().all(|line| line.kind == Kind::Growth));
}
