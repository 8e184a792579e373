//! The rows of invented outcomes, worked out by hand.

use super::*;
use crate::table::Values;

/// Two groups: two Reno flows, of which one completes a transfer, and a source without a control
/// that stops.
fn outcome() -> Outcome {
    let text = r#"{
        "flows": [
            { "name": "A.1", "group": "A", "control": "reno", "recovery": "reno",
              "goodput_bps": 100e3, "throughput_bps": 120e3, "share": 0.1, "sent": 100, "dropped": 3,
              "lost": 1, "retransmits": 4, "timeouts": 1, "fast_recoveries": 2, "start_s": 1.0,
              "finish_s": 5.5, "rtt_mean_s": 0.1, "rtt_p95_s": 0.2, "cwnd_mean": 10.0 },
            { "name": "U", "group": "U", "control": "udp", "recovery": null,
              "goodput_bps": 50e3, "throughput_bps": 50e3, "share": 0.05, "sent": 7, "dropped": 0,
              "lost": 0, "retransmits": 0, "timeouts": 0, "fast_recoveries": 0, "start_s": 0.0,
              "finish_s": 2.0, "rtt_mean_s": null, "rtt_p95_s": null, "cwnd_mean": null },
            { "name": "A.2", "group": "A", "control": "veno", "recovery": "reno",
              "goodput_bps": 300e3, "throughput_bps": 300e3, "share": 0.3, "sent": 300, "dropped": 0,
              "lost": 0, "retransmits": 0, "timeouts": 0, "fast_recoveries": 0, "start_s": 0.0,
              "finish_s": null, "rtt_mean_s": 0.3, "rtt_p95_s": 0.4, "cwnd_mean": 30.0 }
        ],
        "links": [
            { "name": "bottleneck", "sent": 9, "delivered": 6, "dropped": 2, "lost": 1,
              "utilisation": 0.5, "queue_mean": 1.5, "wait_mean_s": null }
        ],
        "groups": [
            { "name": "A", "flows": 2, "goodput_bps": 350e3, "throughput_bps": 370e3, "share": 0.35, "rtt_mean_s": 0.25, "rtt_p50_s": 0.24, "rtt_p95_s": 0.39,
              "rtt_p99_s": 0.4, "rtt_max_s": 0.5, "queueing_mean_s": 0.01, "queueing_p50_s": 0.02,
              "queueing_p95_s": 0.03, "queueing_p99_s": 0.04, "queueing_max_s": 0.05 },
            { "name": "U", "flows": 1, "goodput_bps": 50e3, "throughput_bps": 50e3, "share": 0.05, "rtt_mean_s": null, "rtt_p50_s": null, "rtt_p95_s": null,
              "rtt_p99_s": null, "rtt_max_s": null, "queueing_mean_s": null, "queueing_p50_s": null,
              "queueing_p95_s": null, "queueing_p99_s": null, "queueing_max_s": null }
        ],
        "packets": 400, "events": 1, "seed": 7, "version": "0"
    }"#;
    serde_json::from_str(text).expect("an outcome")
}

fn values(table: &Table, row: usize, words: &[&str]) -> Vec<Option<f64>> {
    let number = |word: &&str| {
        let column = table.column(word).unwrap_or_else(|| panic!("no {word}"));
        match column.values.at(row) {
            Some(Cell::Number(value)) => Some(value),
            Some(Cell::Whole(value)) => Some(value as f64),
            _ => None,
        }
    };
    words.iter().map(number).collect()
}

#[test]
fn a_group_is_the_sum_or_the_mean_of_its_flows_except_its_rates() {
    let table = table(Kind::Groups, [&outcome()]);
    assert_eq!(table.rows(), 2);
    let first: Vec<&str> = table.columns.iter().map(|it| it.name.as_str()).collect();
    let own = ["seed", "group", "flows", "control", "recovery", "goodput"];
    assert_eq!(first[..6], own);
    let words = |word: &str| table.column(word).expect("there").values.at(0);
    assert_eq!(words("control"), Some(Cell::Text("reno + veno")));
    assert_eq!(words("recovery"), Some(Cell::Text("reno")));
    let sums = values(
        &table,
        0,
        &[
            "goodput",
            "throughput",
            "share",
            "sent",
            "retransmits",
            "dropped",
            "lost",
            "completed",
        ],
    );
    let expected = [350e3, 370e3, 0.35, 400.0, 4.0, 3.0, 1.0, 1.0];
    assert_eq!(sums, expected.map(Some));
    let others = values(
        &table,
        0,
        &[
            "goodput_per_flow",
            "retransmit_rate",
            "rtt",
            "window",
            "completion",
            "completion_p95",
        ],
    );
    let expected = [200e3, 0.01, 0.25, 20.0, 4.5, 4.5];
    assert_eq!(others, expected.map(Some));
    // (1 + 3)^2 / (2 (1 + 9)); the source without a control does not count.
    assert_eq!(
        values(&table, 0, &["jain", "jain_all"]),
        [Some(0.8), Some(0.8)]
    );
}

#[test]
fn a_source_without_a_control_completes_nothing_and_has_no_window() {
    let table = table(Kind::Groups, [&outcome()]);
    let found = values(
        &table,
        1,
        &["completed", "completion", "window", "rtt", "jain"],
    );
    assert_eq!(found, [Some(0.0), None, None, None, None]);
    assert_eq!(table.column("recovery").expect("there").values.at(1), None);
}

#[test]
fn flows_and_links_have_rows_of_their_own() {
    let outcome = outcome();
    let flows = table(Kind::Flows, [&outcome]);
    assert_eq!(flows.rows(), 3);
    let found = values(
        &flows,
        0,
        &["goodput", "retransmit_rate", "completion", "rtt_p95"],
    );
    assert_eq!(found, [100e3, 0.04, 4.5, 0.2].map(Some));
    assert_eq!(flows.column("jain"), None);
    assert_eq!(
        flows.column("group").expect("there").values.at(2),
        Some(Cell::Text("A"))
    );
    let links = table(Kind::Links, [&outcome]);
    let found = values(&links, 0, &["sent", "lost", "utilisation", "queue", "wait"]);
    assert_eq!(found, [Some(9.0), Some(1.0), Some(0.5), Some(1.5), None]);
}

#[test]
fn swept_values_come_first() {
    let head = Head::new("bottleneck.loss.bernoulli", Type::Number, "the loss rate");
    let mut tidy = Tidy::new(Kind::Flows, [head]);
    tidy.run(&[Some(Cell::Number(0.01))], &outcome());
    let table = tidy.table();
    assert_eq!(table.columns[0].values, Values::Number(vec![Some(0.01); 3]));
    assert_eq!(table.columns[1].values, Values::Whole(vec![Some(7); 3]));
}

#[test]
fn every_measure_has_one_word_and_each_word_one_measure() {
    for kind in Kind::ALL {
        let mut words: Vec<String> = kind.heads().into_iter().map(|it| it.name).collect();
        let all = words.len();
        words.sort();
        words.dedup();
        assert_eq!(words.len(), all, "{kind:?}");
    }
}

#[test]
fn the_schema_is_the_one_in_the_documentation() {
    let shown = include_str!("../../../../docs/results.schema.json");
    let written = format!("{:#}\n", schema_of_results());
    assert_eq!(
        shown, written,
        "`dumbbell schema --of results > docs/results.schema.json`"
    );
}
