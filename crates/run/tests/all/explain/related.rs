//! Explanations of the schemes that VenoDB mentions in its section 2.2. The expected behaviour of
//! the reconstructions is stated at the top of their source files.

use dumbbell_run::explain::{Kind, Line};

use super::reasons::{assert_common, assert_cut, growth, is_full, lines_of};
use super::{after, assert_near, branches, word};

/// The source that three of the four schemes give where the reconstruction does not follow its
/// paper.
const MADE_UP: &str = "reconstruction after VenoDB, section 2.2";

#[test]
fn vegas_a_moves_its_thresholds() {
    for (control, asks_delay) in [("vegas-a", false), ("vegas-a+", true)] {
        let mut own = Vec::new();
        for line in lines_of(control, "vegas") {
            let known = |name| after(&line, name).expect("it is known");
            let Some(expected) = judged(&line, asks_delay) else {
                continue;
            };
            let (diff, alpha, beta) = (known("diff"), known("alpha"), known("beta"));
            assert!((1.0..).contains(&alpha) && beta == alpha + 2.0, "{line:?}");
            let place = match line.branch.split_once(' ').expect("words").0 {
                "enough" | "enough," => (alpha..=beta).contains(&diff),
                "too" if line.branch.starts_with("too little") => diff < alpha,
                _ => diff > beta,
            };
            assert!(place && expected, "{line:?}");
            assert_eq!(line.source == MADE_UP, asks_delay, "{line:?}");
            if line.kind == Kind::Reduction {
                let lowers = ["too little, falling", "too much waits", "too much, retreat"];
                assert!(lowers.contains(&line.branch), "{line:?}");
                assert_near(line.cwnd_after, (line.cwnd_before - 1.0).max(2.0), &line);
            }
            own.push(line);
        }
        let expected = [
            "enough, rising",
            "enough waits",
            "too little waits",
            "too little, rising",
            "too little, falling",
            "too little, steady",
            "too much waits",
            "too much, retreat",
        ];
        assert_eq!(branches(&own), expected.into(), "{control}");
    }
}

/// Whether the signals agree with the line's rule; `None` for the rules that are Vegas' own.
fn judged(line: &Line, asks_delay: bool) -> Option<bool> {
    let throughput = word(line, "throughput_trend");
    let delay = asks_delay.then(|| word(line, "delay_trend"));
    let rises = throughput == "rising" && delay != Some("rising");
    let falls = throughput == "falling" && delay.is_none_or(|delay| delay == "rising");
    let alpha = after(line, "alpha");
    Some(match line.branch {
        "enough, rising" => rises,
        "enough waits" => !rises,
        "too little waits" | "too much waits" => alpha == Some(1.0),
        "too little, rising" => rises && alpha > Some(1.0),
        "too little, falling" => falls && alpha > Some(1.0),
        "too little, steady" => !rises && !falls && alpha > Some(1.0),
        "too much, retreat" => alpha > Some(1.0),
        _ => return None,
    })
}

#[test]
fn new_veno_decides_by_the_trend_of_the_throughput() {
    let lines = lines_of("new-veno", "reno");
    for line in lines.iter().filter(|line| !assert_common(line)) {
        assert_eq!(line.source, MADE_UP, "{line:?}");
        let rises = word(line, "throughput_trend") == "rising";
        let (full, expected) = match line.branch {
            "random loss" | "loss while rising" => {
                assert_cut(line, 0.8);
                (line.branch != "random loss", line.branch != "random loss")
            }
            "congestion" => {
                assert_cut(line, 0.5);
                (true, false)
            }
            "underutilised" | "fully utilised, rising" => {
                if let Some(growth) = growth(line) {
                    assert_near(growth, 1.0 / line.cwnd_before, line);
                }
                (
                    line.branch != "underutilised",
                    line.branch != "underutilised",
                )
            }
            "fully utilised" => {
                // At most one increment every other ACK.
                let most = (line.count as f64 / 2.0 + 0.5) / line.cwnd_before;
                assert!(
                    line.cwnd_after - line.cwnd_before <= most + 1e-6,
                    "{line:?}"
                );
                (true, false)
            }
            other => panic!("{other}"),
        };
        assert_eq!(is_full(line), full, "{line:?}");
        assert!(!full || rises == expected, "{line:?}");
    }
    let expected = [
        "slow start",
        "slow start ends",
        "underutilised",
        "fully utilised",
        "fully utilised, rising",
        "random loss",
        "loss while rising",
        "congestion",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}
