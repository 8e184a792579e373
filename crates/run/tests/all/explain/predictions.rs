//! Compares the measurements that the probe's `equation` reports with the explanation of every
//! loss.

use dumbbell_run::{Done, Reading, Run, Series};

use super::{before, dumbbell, everything};

/// Time and number of each sample.
fn samples(series: &[Series], name: &str) -> Vec<(f64, f64)> {
    let quantity = format!("equation.{name}");
    let found = series.iter().find(|series| series.quantity == quantity);
    let points = found.map_or(&[][..], |series| &series.points);
    let number = |(time, reading): &(f64, Reading)| match reading {
        Reading::Number(number) => (*time, *number),
        Reading::Word(word) => panic!("{name} is {word}"),
    };
    points.iter().map(number).collect()
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} is not {b}");
}

const PROBE: &str = "[probe]\ninterval = \"100 s\"\nvalues = []\n";

#[test]
fn equations_use_the_measurements_of_each_interval() {
    let flow = "[[flow]]\ncontrol = \"veno\"\n";
    let scenario = dumbbell(
        300,
        20,
        0.01,
        &format!("{flow}{PROBE}equation = \"veno\"\n"),
    );
    let (lines, outcome) = everything(&scenario);
    let probe = Some(&scenario.probe);
    let done = Run::new(&scenario).seed(1).probe(probe).go();
    let Done {
        outcome: watched,
        series,
    } = done.expect("nothing interrupts it");
    assert_eq!(
        watched.flows, outcome.flows,
        "whoever predicts changes nothing"
    );
    let of = |name| samples(&series, name);
    let intervals: Vec<f64> = of("measured").iter().map(|(time, _)| *time).collect();
    assert_eq!(intervals, [100.0, 200.0, 300.0]);
    let sent: f64 = of("measured").iter().map(|(_, rate)| rate * 100.0).sum();
    assert_near(sent, outcome.flows[0].sent as f64);
    for (place, end) in intervals.into_iter().enumerate() {
        let mine = || {
            let lines = lines.iter();
            lines.filter(move |line| line.time_s > end - 100.0 && line.time_s <= end)
        };
        let losses = mine().filter(|line| line.event == "dup_acks");
        // A repeated timeout has a separate branch.
        let series = mine().filter(|line| line.branch == "timeout").count();
        let indications = (losses.clone().count() + series) as f64;
        let sent = of("measured")[place].1 * 100.0;
        assert_near(of("loss")[place].1, indications / sent);
        let bases: Vec<f64> = losses.filter_map(|line| before(line, "base_rtt")).collect();
        assert!(bases.len() > 20, "{}", bases.len());
        let mean = bases.iter().sum::<f64>() / bases.len() as f64;
        assert_near(of("base_rtt")[place].1, mean);
        let peak = mine().map(|line| line.cwnd_before.max(line.cwnd_after));
        let peak = peak.fold(0.0, f64::max);
        assert!((of("max_window")[place].1 / peak - 1.0).abs() < 1e-6);
        let (rtt, rto) = (of("rtt")[place].1, of("rto")[place].1);
        assert!((0.060..0.150).contains(&rtt) && (0.2..1.0).contains(&rto));
        let [least, said, most] = ["least", "approximate", "most"].map(|name| of(name)[place].1);
        assert!(least <= said && said <= most, "{least} {said} {most}");
        let cut = of("cut")[place].1;
        assert!((0.5..=0.8).contains(&cut));
    }
    assert!(outcome.flows[0].timeouts > 0, "T0 was measured");
}

#[test]
fn there_are_no_predictions_without_losses() {
    // The receiver's window never fills the queue, so nothing is lost.
    let flow = "[[flow]]\ncontrol = \"reno\"\nreceiver_window = 8\n";
    let scenario = dumbbell(200, 60, 0.0, &format!("{flow}{PROBE}equation = \"reno\"\n"));
    let probe = Some(&scenario.probe);
    let series = Run::new(&scenario)
        .seed(1)
        .probe(probe)
        .go()
        .expect("nothing interrupts it")
        .series;
    assert_eq!(samples(&series, "loss"), [(100.0, 0.0), (200.0, 0.0)]);
    assert_eq!(samples(&series, "max_window"), [(100.0, 8.0), (200.0, 8.0)]);
    for name in ["approximate", "complete", "cut", "least", "base_rtt"] {
        assert_eq!(samples(&series, name), [], "{name}");
    }
}
