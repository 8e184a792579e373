//! The reasons agree with the numbers that are reported with them. The expected rules come from the
//! papers.

use dumbbell_run::explain::{Kind, Line};

use super::{after, assert_near, before, branches, dumbbell, everything, flow, word};

/// Lines of several scenarios that together take every branch of a control.
pub fn lines_of(control: &str, recovery: &str) -> Vec<Line> {
    let two = flow(control, recovery).repeat(2);
    let crowded = format!(
        "{two}[[flow]]\nstart = \"5 s\"\nsource = {{ exponential = {{ rate = \"2 Mb/s\", on = \"200 ms\", off = \"300 ms\" }} }}\n"
    );
    let scenarios = [
        dumbbell(60, 60, 0.02, &two),
        dumbbell(60, 12, 0.0, &two),
        dumbbell(120, 20, 0.001, &crowded),
        dumbbell(120, 60, 0.2, &two),
    ];
    scenarios
        .iter()
        .flat_map(|scenario| everything(scenario).0)
        .collect()
}

/// Checks a cut by a factor, for windows with a floor of two segments.
pub fn assert_cut(line: &Line, factor: f64) {
    let left = (line.cwnd_before * factor).max(2.0);
    assert_near(line.cwnd_after, left, line);
    assert_near(line.ssthresh_after.expect("a threshold"), left, line);
}

/// RFC 5681: the threshold is half the window, and the window is one segment; a repeated timeout
/// leaves the threshold unchanged.
fn assert_timeout(line: &Line) {
    assert_eq!(line.event, "timeout");
    assert_near(line.cwnd_after, 1.0, line);
    if line.branch == "repeated timeout" {
        assert_eq!(line.ssthresh_after, line.ssthresh_before);
    } else {
        let half = (line.cwnd_before / 2.0).max(2.0);
        assert_near(line.ssthresh_after.expect("a threshold"), half, line);
    }
}

/// Growth by one ACK, in segments.
pub fn growth(line: &Line) -> Option<f64> {
    (line.event == "ack" && line.count == 1).then_some(line.cwnd_after - line.cwnd_before)
}

/// Checks a line of slow start or of another rule that all controls share. Returns whether the line
/// was one of these.
pub fn assert_common(line: &Line) -> bool {
    let threshold = line.ssthresh_before.unwrap_or(f64::INFINITY);
    match line.branch {
        "slow start" => {
            assert!(line.cwnd_before < threshold, "{line:?}");
            assert_near(line.cwnd_after - line.cwnd_before, line.count as f64, line);
        }
        "slow start ends" if line.kind == Kind::Transition => {
            assert!(line.cwnd_after >= threshold, "{line:?}");
        }
        "congestion avoidance" => {
            assert!(line.cwnd_before >= threshold, "{line:?}");
            if let Some(growth) = growth(line) {
                assert_near(growth, 1.0 / line.cwnd_before, line);
            }
        }
        "timeout" | "repeated timeout" => assert_timeout(line),
        _ => return false,
    }
    true
}

#[test]
fn reno_halves_its_window_and_tahoe_starts_again() {
    for (control, recovery) in [("reno", "newreno"), ("tahoe", "tahoe")] {
        let lines = lines_of(control, recovery);
        for line in lines.iter().filter(|line| !assert_common(line)) {
            assert_eq!((line.branch, line.event), ("loss", "dup_acks"));
            if control == "reno" {
                assert_cut(line, 0.5);
                assert!(line.source.starts_with("RFC 5681, section 3.2"));
            } else {
                let half = (line.cwnd_before / 2.0).max(2.0);
                assert_near(line.ssthresh_after.expect("a threshold"), half, line);
                assert_eq!(line.cwnd_after, 1.0);
                assert!(line.source.starts_with("Jacobson 1988"));
            }
        }
        let expected = [
            "slow start",
            "slow start ends",
            "congestion avoidance",
            "loss",
            "timeout",
            "repeated timeout",
        ];
        assert_eq!(branches(&lines), expected.into(), "{control}");
    }
}

/// Two connections: a loss leaves three quarters of the window, growth is 2/cwnd, and slow start
/// doubles until 6.54.
#[test]
fn multcp_is_two_connections() {
    let lines = lines_of("multcp", "reno");
    for line in &lines {
        match line.branch {
            "slow start like many" => {
                assert!(line.cwnd_before < 6.541, "{line:?}");
                let each = (line.cwnd_after - line.cwnd_before) / line.count as f64;
                assert_near(each, 2.0, line);
            }
            "slow start" => assert!(line.cwnd_before > 6.54, "{line:?}"),
            "congestion avoidance" => {
                if let Some(growth) = growth(line) {
                    assert_near(growth, 2.0 / line.cwnd_before, line);
                }
            }
            "loss" => assert_cut(line, 0.75),
            "timeout" => {
                let left = (line.cwnd_before * 0.75).max(2.0);
                assert_near(line.ssthresh_after.expect("a threshold"), left, line);
                assert_eq!(line.cwnd_after, 1.0);
            }
            _ => {}
        }
    }
    let expected = [
        "slow start like many",
        "slow start",
        "slow start ends",
        "congestion avoidance",
        "loss",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}

/// Whether N >= 3, which determines the factor of a loss; an unknown N counts as below 3.
pub fn is_full(line: &Line) -> bool {
    before(line, "backlog").is_some_and(|n| n >= 3.0)
}

#[test]
fn veno_decides_by_the_backlog() {
    let lines = lines_of("veno", "reno");
    for line in lines.iter().filter(|line| !assert_common(line)) {
        let full = match line.branch {
            "random loss" => {
                assert_cut(line, 0.8);
                false
            }
            "congestion" => {
                assert_cut(line, 0.5);
                true
            }
            "underutilised" => {
                if let Some(growth) = growth(line) {
                    assert_near(growth, 1.0 / line.cwnd_before, line);
                }
                false
            }
            "fully utilised" => {
                if let Some(growth) = growth(line) {
                    assert!(
                        growth == 0.0 || (growth - 1.0 / line.cwnd_before).abs() < 1e-6,
                        "{line:?}"
                    );
                }
                // One increment every other ACK: bounds on the number of increments.
                let steps = line.count as f64 / 2.0;
                let most = (steps + 0.5) / line.cwnd_before;
                let least = (steps - 0.5) / line.cwnd_after;
                let growth = line.cwnd_after - line.cwnd_before;
                assert!((least - 1e-6..=most + 1e-6).contains(&growth), "{line:?}");
                true
            }
            other => panic!("{other}"),
        };
        assert_eq!(is_full(line), full, "{line:?}");
    }
    let expected = [
        "slow start",
        "slow start ends",
        "underutilised",
        "fully utilised",
        "random loss",
        "congestion",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}

/// VenoDB, section 3.1 D, pseudo-code: the states are tried in the printed order, and the first
/// match applies.
#[test]
fn venodb_decides_by_delay_and_bandwidth_too() {
    assert_venodb_s_table("venodb", "newreno", "VenoDB, section 3.1 D");
    // The same table with other sources of its signals, as in the reconstruction.
    let source = "reconstruction after VenoDB, section 2.2";
    assert_venodb_s_table("veno+", "reno", source);
}

fn assert_venodb_s_table(control: &str, recovery: &str, source: &str) {
    let lines = lines_of(control, recovery);
    for line in lines.iter().filter(|line| !assert_common(line)) {
        assert_eq!(line.source, source);
        let delay = before(line, "relative_delay").unwrap_or(0.0);
        // D counts as zero if its magnitude is at most a microsecond.
        let sign = if delay.abs() <= 1e-6 {
            0.0
        } else {
            delay.signum()
        };
        let gain = match line.branch {
            "random loss" | "congestion" | "easing congestion" => {
                let factor = match (is_full(line), sign) {
                    (true, 0.0 | 1.0) => 0.5,
                    _ => 0.8,
                };
                assert_cut(line, factor);
                let expected = match (is_full(line), sign) {
                    (false, _) => "random loss",
                    (true, -1.0) => "easing congestion",
                    (true, _) => "congestion",
                };
                assert_eq!(line.branch, expected, "{line:?}");
                continue;
            }
            "unsaturated, easing" => 2.0,
            "unsaturated" | "S1" | "S2, easing" => 1.0,
            "S2" => 0.5,
            "S3, easing" => 0.25,
            "S3" => 0.0,
            other => panic!("{other}"),
        };
        assert_eq!(is_full(line), line.branch.starts_with('S'), "{line:?}");
        // The trend of D (dD), of which the control keeps only the sign.
        let trend = word(line, "relative_delay_trend");
        match line.branch {
            "unsaturated, easing" | "S2, easing" => assert_eq!(trend, "falling"),
            "unsaturated" | "S2" => assert_ne!(trend, "falling"),
            "S3, easing" => assert_ne!(trend, "rising"),
            "S3" => assert_eq!(trend, "rising"),
            _ => {}
        }
        if let Some(growth) = growth(line) {
            assert_near(growth, gain / line.cwnd_before, line);
            let bandwidth = word(line, "bwe_trend");
            let state = match (sign, bandwidth) {
                (-1.0, _) | (_, "rising") => "S1",
                (0.0, _) | (_, "steady") => "S2",
                _ => "S3",
            };
            if is_full(line) {
                assert!(line.branch.starts_with(state), "{line:?}");
            }
        }
    }
    let expected = [
        "slow start",
        "slow start ends",
        "unsaturated",
        "unsaturated, easing",
        "S1",
        "S2",
        "S2, easing",
        "S3",
        "S3, easing",
        "random loss",
        "congestion",
        "easing congestion",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}

/// Mascolo et al. 2001: the bandwidth in bytes per second, times RTTmin, in segments of 1000 bytes.
#[test]
fn westwood_sets_the_threshold_to_what_the_path_holds() {
    for (control, fed_at_timeout) in [("westwood", true), ("westwood+", false)] {
        let lines = lines_of(control, "newreno");
        for line in &lines {
            if !matches!(line.branch, "loss" | "timeout") {
                assert!(assert_common(line), "{line:?}");
                continue;
            }
            let bwe = if line.event == "timeout" && fed_at_timeout {
                after(line, "bwe")
            } else {
                before(line, "bwe")
            };
            let rtt = before(line, "base_rtt").unwrap_or(0.0);
            let holds = (bwe.unwrap_or(0.0) / 8.0 * rtt / 1000.0).max(2.0);
            let threshold = line.ssthresh_after.expect("a threshold");
            // Bandwidths have a resolution of 2^-16 bytes a second.
            assert!((threshold - holds).abs() < 1e-4, "{holds}: {line:?}");
            if line.event == "timeout" {
                assert_eq!(line.cwnd_after, 1.0);
            } else {
                assert_near(line.cwnd_after, line.cwnd_before.min(threshold), line);
            }
        }
        let expected = [
            "slow start",
            "slow start ends",
            "congestion avoidance",
            "loss",
            "timeout",
        ];
        assert_eq!(branches(&lines), expected.into(), "{control}");
    }
}

/// RFC 9438, section 4, with beta 0.7.
#[test]
fn cubic_reports_its_region_and_its_plateau() {
    let mut lines = lines_of("cubic", "sack");
    // A path that holds more than the plateau.
    lines.extend(everything(&dumbbell(200, 60, 0.0, &flow("cubic", "sack"))).0);
    for line in &lines {
        let left = (line.cwnd_before * 0.7).max(2.0);
        let plateau = after(line, "w_max");
        match line.branch {
            "first loss" | "loss" | "fast convergence" => {
                assert_cut(line, 0.7);
                let below = before(line, "w_max").map(|w_max| line.cwnd_before < w_max);
                let (expected, kept) = match below {
                    None => ("first loss", 1.0),
                    Some(false) => ("loss", 1.0),
                    // Section 4.7: (1 + 0.7) / 2.
                    Some(true) => ("fast convergence", 0.85),
                };
                assert_eq!(line.branch, expected, "{line:?}");
                assert_near(plateau.expect("set"), line.cwnd_before * kept, line);
            }
            "Reno-friendly" => {
                let known = |name| after(line, name).expect("in congestion avoidance");
                if let Some(growth) = growth(line) {
                    assert!(known("w_cubic") < known("w_est"), "{line:?}");
                    let window = line.cwnd_before.max(known("w_est"));
                    assert_near(line.cwnd_before + growth, window, line);
                }
            }
            "concave" | "convex" => {
                if let Some(growth) = growth(line) {
                    let below = line.cwnd_before < plateau.expect("in congestion avoidance");
                    assert_eq!(line.branch == "concave", below, "{line:?}");
                    assert!((0.0..=0.5).contains(&growth), "{line:?}");
                }
            }
            // Section 4.8.
            "timeout" => {
                assert_near(line.ssthresh_after.expect("a threshold"), left, line);
                assert_eq!((line.cwnd_after, plateau), (1.0, None), "{line:?}");
            }
            _ => assert!(assert_common(line), "{line:?}"),
        }
    }
    let expected = [
        "slow start",
        "slow start ends",
        "Reno-friendly",
        "concave",
        "convex",
        "first loss",
        "loss",
        "fast convergence",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}

/// Brakmo and Peterson 1995, with alpha = gamma = 1 and beta = 3.
#[test]
fn vegas_compares_diff_once_a_round() {
    let mut lines = lines_of("vegas", "vegas");
    // A path on which the queue fills in slow start before anything is lost.
    lines.extend(everything(&dumbbell(20, 60, 0.0, &flow("vegas", "vegas"))).0);
    for line in &lines {
        let diff = after(line, "diff").expect("always known");
        match line.branch {
            "too much waits" => {
                assert!(diff > 3.0, "{line:?}");
                if line.kind == Kind::Reduction {
                    assert_near(line.cwnd_after, (line.cwnd_before - 1.0).max(2.0), line);
                }
            }
            "enough waits" => {
                assert!((1.0..=3.0).contains(&diff), "{line:?}");
                assert_eq!(line.cwnd_after, line.cwnd_before);
            }
            "too little waits" => {
                assert!(diff < 1.0, "{line:?}");
                // The ACK that ends a round adds 1/cwnd, if the application uses the window.
                let judged = before(line, "diff") != Some(diff);
                if let Some(growth) = growth(line).filter(|growth| judged && *growth > 0.0) {
                    assert_near(growth, 1.0 / line.cwnd_before, line);
                }
            }
            "slow start ends" if line.kind == Kind::Reduction => {
                assert!(diff > 1.0, "{line:?}");
                assert_near(line.cwnd_after, (line.cwnd_before * 0.875).max(2.0), line);
                assert_eq!(line.ssthresh_after, Some(2.0));
            }
            "slow start ends" => assert!(line.cwnd_after >= line.ssthresh_after.unwrap_or(0.0)),
            "slow start" => assert!(diff <= 1.0, "{line:?}"),
            "slow start begins" => {}
            "slow start paused" | "slow start stops" | "loss before the cut" => {
                assert_eq!(line.cwnd_after, line.cwnd_before, "{line:?}");
            }
            "first loss" => {
                assert_near(line.cwnd_after, (line.cwnd_before * 0.75).max(2.0), line);
            }
            "loss of a retransmission" => {
                assert_near(line.cwnd_after, (line.cwnd_before * 0.5).max(2.0), line);
                assert!(line.condition.starts_with("the segment was sent "));
            }
            "timeout" | "repeated timeout" => {
                assert_near(line.cwnd_after, 2.0, line);
                if line.branch == "timeout" {
                    let half = (line.cwnd_before / 2.0).max(2.0);
                    assert_near(line.ssthresh_after.expect("a threshold"), half, line);
                }
            }
            other => panic!("{other}"),
        }
    }
    let expected = [
        "slow start begins",
        "slow start",
        "slow start paused",
        "slow start ends",
        "slow start stops",
        "too much waits",
        "enough waits",
        "too little waits",
        "first loss",
        "loss of a retransmission",
        "loss before the cut",
        "timeout",
        "repeated timeout",
    ];
    assert_eq!(branches(&lines), expected.into());
}
