//! `dumbbell equation`.

use std::fs;

use serde_json::Value;

use crate::{dumbbell, folder, output, success};

/// Returns the rows of a table, as words.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("│ ")?.strip_suffix(" │"))
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

fn json(args: &[&str]) -> Value {
    let text = success(dumbbell().arg("equation").args(args).arg("--json"));
    serde_json::from_str(&text).expect("JSON")
}

#[track_caller]
fn assert_close(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!(
        (value / expected - 1.0).abs() < 1e-4,
        "{value}, not {expected}"
    );
}

/// Asserts that the arguments are refused with this reason.
#[track_caller]
fn refused(args: &[&str], reason: &str) {
    let (code, out, err) = output(dumbbell().arg("equation").args(args));
    assert_eq!((code, out.as_str()), (2, ""), "{args:?}\n{err}");
    assert!(err.contains(reason) && !err.contains("panicked"), "{err}");
}

/// RTT 200 ms, T0 400 ms, Wmax 64: Padhye et al.'s complete form and the approximation.
#[test]
fn reno_at_three_loss_rates() {
    let args = ["reno", "--rtt", "200 ms", "--rto", "400 ms", "--wmax", "64"];
    let out = success(dumbbell().arg("equation").args(args).args([
        "--loss",
        "1e-3..1e-1",
        "--points",
        "3",
    ]));
    assert!(out.starts_with("TCP Reno: RTT 200 ms, T0 400 ms, b = 1, Wmax = 64, gamma = 0.5, "));
    let rows = rows(&out);
    let columns = |row: usize| {
        (
            rows[row][0].as_str(),
            &rows[row][5][..5],
            &rows[row][6][..5],
        )
    };
    assert_eq!(columns(1), ("0.001", "191.6", "192.7"));
    assert_eq!(columns(2), ("0.01", "57.84", "58.59"));
    assert_eq!(columns(3), ("0.1", "13.75", "12.14"));
}

#[test]
fn venos_mean_cut_is_computed_or_given() {
    let base = ["veno", "--rtt", "100 ms", "--loss", "0.01"];
    let of = |more: &[&str]| json(&[&base, more].concat())["gamma"].clone();
    assert_close(&of(&["--base-rtt", "80 ms", "--wmax", "20"]), 0.725);
    let other = ["--theta1", "0.95", "--base-rtt", "50 ms", "--wmax", "20"];
    assert_close(&of(&other), 0.635);
    // N = 2 instead of 3: 0.5 + 0.3 * 2 * 5 / 20.
    let beta = ["--beta", "2", "--base-rtt", "80 ms", "--wmax", "20"];
    assert_close(&of(&beta), 0.65);
    assert_close(&of(&["--gamma", "0.9"]), 0.9);
}

#[test]
fn tfrc_and_tfrc_veno_have_rates_in_bytes() {
    let of = |args: &[&str]| json(args)["points"][0]["rate_bytes"].clone();
    assert_close(
        &of(&["tfrc", "--rtt", "100 ms", "--loss", "0.01"]),
        112_332.2,
    );
    assert_close(
        &of(&["tfrc", "--rtt", "100 ms", "--loss", "0.01", "--b", "2"]),
        79_430.9,
    );
    assert_close(
        &of(&["tfrc", "--rtt", "100 ms", "--loss", "0.5", "--min1"]),
        538.3,
    );
    let veno = [
        "tfrc-veno",
        "--rtt",
        "100 ms",
        "--loss",
        "0.1",
        "--gamma",
        "0.95",
    ];
    assert_close(&of(&veno), 54_882.3);
    let small = [&veno[..], &["--segment", "500 B"]].concat();
    assert_close(&of(&small), 27_441.1);
}

#[test]
fn a_rate_leads_to_its_loss_rate() {
    let found = json(&["tfrc", "--rtt", "100 ms", "--rate", "800 kb/s"]);
    assert_close(&found["inverse"]["rate"]["loss"], 0.012_172_7);
    let reno = ["reno", "--rtt", "200 ms", "--rto", "400 ms", "--wmax", "64"];
    // 57.847 packets/s of 1000 B, and 0.01 is where the complete form has that.
    let found = json(&[&reno[..], &["--rate", "462.776 kb/s"]].concat());
    assert_close(&found["inverse"]["complete"]["loss"], 0.01);
    // 320 packets/s are the window's limit: for a higher rate, there is no loss rate.
    refused(
        &[&reno[..], &["--rate", "3 Mb/s"]].concat(),
        "the rate is too high",
    );
}

#[test]
fn errata_are_printed_beside_the_corrected_values() {
    let args = [
        "veno", "--rtt", "1 s", "--gamma", "0.8", "--loss", "0.01", "--errata",
    ];
    let out = success(dumbbell().arg("equation").args(args));
    let row = |equation: &str| {
        let rows = rows(&out);
        let row = rows.iter().find(|row| row[1] == equation).expect(equation);
        (row[row.len() - 3].clone(), row[row.len() - 2].clone())
    };
    assert_eq!(row("(11)"), ("25.3545".to_owned(), "25.1779".to_owned()));
    let (printed, corrected) = row("(14)");
    assert_eq!((&printed[..5], &corrected[..5]), ("24.15", "20.57"));
    assert!(out.contains("(14): the root should not cover the final + 1"));
    let tfrc = ["tfrc", "--rtt", "100 ms", "--loss", "0.01", "--errata"];
    let erratum = &json(&tfrc)["points"][0]["errata"][0];
    assert_eq!(erratum["equation"], 21);
    assert_close(&erratum["printed"], 64_411.5);
    assert_close(&erratum["corrected"], 112_332.2);
}

#[test]
fn a_range_of_loss_rates_is_drawn() {
    let path = folder("equation").join("rate.svg");
    let args = ["reno", "--rtt", "100 ms", "--loss", "1e-4..1e-1", "--plot"];
    success(dumbbell().arg("equation").args(args).arg(&path));
    let svg = fs::read_to_string(&path).expect("it is drawn");
    for words in [
        "<svg",
        "approximate",
        "throughput, kb/s",
        "TCP Reno: RTT 100 ms",
    ] {
        assert!(svg.contains(words), "no {words}");
    }
}

#[test]
fn invalid_arguments_are_refused_with_a_reason() {
    let veno = ["veno", "--rtt", "100 ms", "--loss", "0.01"];
    let with = |more: &[&'static str]| -> Vec<&str> { [&veno, more].concat() };
    refused(&veno, "--base-rtt and --wmax, or --gamma");
    refused(&with(&["--gamma", "1"]), "above 0 and below 1");
    refused(
        &with(&["--gamma", "0.8", "--beta", "3"]),
        "leave out --base-rtt",
    );
    refused(
        &with(&["--base-rtt", "200 ms", "--wmax", "9"]),
        "at most --rtt",
    );
    refused(
        &with(&["--base-rtt", "90 ms", "--wmax", "9", "--theta2", "0.9"]),
        "--theta2 is at most --theta1",
    );
    refused(
        &with(&["--gamma", "0.8", "--plot", "x.svg"]),
        "a span of loss rates",
    );
    refused(&with(&["--gamma", "0.8", "--min1"]), "--min1 is TFRC's");
    refused(
        &with(&["--gamma", "0.8", "--rate", "1 Mb/s"]),
        "one of --loss and --rate",
    );
    refused(&["reno", "--rtt", "100 ms"], "one of --loss and --rate");
    refused(&["reno", "--rtt", "0 s", "--loss", "0.1"], "--rtt is 0");
    refused(&["reno", "--rtt", "100", "--loss", "0.1"], "no unit");
    refused(
        &["reno", "--rtt", "1 s", "--loss", "0.1..0.01"],
        "does not grow",
    );
    refused(&["reno", "--rtt", "1 s", "--loss", "2"], "no loss rate");
    refused(
        &["reno", "--rtt", "1 s", "--loss", "0.1", "--gamma", "0.8"],
        "--gamma is Veno's",
    );
    refused(
        &["tfrc", "--rtt", "1 s", "--loss", "0.1", "--wmax", "8"],
        "TFRC has no window",
    );
    refused(
        &["tfrc", "--rtt", "1 s", "--rate", "1 Mb/s", "--errata"],
        "it needs --loss",
    );
    refused(&["cubic", "--rtt", "1 s", "--loss", "0.1"], "tfrc-veno");
}

#[test]
fn help_has_examples() {
    let help = success(dumbbell().args(["equation", "--help"]));
    assert!(
        help.contains("Examples:\n  dumbbell equation reno --rtt"),
        "{help}"
    );
}
