//! Checks that the examples show what they are meant to show.

#[expect(dead_code, reason = "its `main` prints; the tests call what it runs")]
#[path = "../../examples/aimd.rs"]
mod aimd;

/// Goodputs of AIMD and of a Reno flow on the same link, in Mb/s.
fn goodputs(a: f64, b: f64) -> (f64, f64) {
    let outcome = aimd::run(a, b).expect("it runs");
    let [one, other] = &outcome.flows[..] else {
        panic!("two flows")
    };
    assert_eq!(
        (one.control.as_str(), other.control.as_str()),
        ("aimd", "reno")
    );
    assert_eq!(
        (one.recovery, other.recovery),
        (Some("newreno"), Some("newreno"))
    );
    (one.goodput_bps / 1e6, other.goodput_bps / 1e6)
}

/// AIMD(1, 1/2) is Reno. A smaller cut and a faster growth each give a larger share.
#[test]
fn aimd_runs_beside_reno() {
    let (usual, reno) = goodputs(1.0, 0.5);
    assert!((usual / reno - 1.0).abs() < 0.15, "{usual} {reno}");
    let (gentle, reno) = goodputs(1.0, 0.8);
    assert!(gentle > 1.3 * reno, "{gentle} {reno}");
    let (fast, reno) = goodputs(2.0, 0.5);
    assert!(fast > 1.2 * reno, "{fast} {reno}");
}
