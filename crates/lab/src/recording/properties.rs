//! What holds for every recording that is converted: it is no larger than its file and the bounds say, and its scenario
//! is read again and runs.

use dumbbell_run::Run;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use proptest::prelude::*;

use super::scenario::{Origin, write};
use super::*;

/// The scenario that is written parses, says the same when it is written again, and runs: the link sends.
fn runs(recording: &Recording, format: Format) {
    let origin = Origin {
        format,
        files: vec!["a \"file\"\n".to_owned()],
        licence: format.licence().to_owned(),
        manifest: None,
    };
    let text = write(recording, &origin, None).scenario;
    let parse = |text: &str| Scenario::parse("my.toml", text, &Controls::builtin());
    let mut scenario = parse(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    assert_eq!(parse(&scenario.canonical()).unwrap(), scenario);
    scenario.duration = scenario.duration.min(Duration::from_secs(2));
    let done = Run::new(&scenario).go().expect("it is not interrupted");
    assert!(done.outcome.links[0].sent > 0, "{text}");
}

/// A way takes at most so many times and values.
fn is_bounded(recording: &Recording, most: usize) {
    for way in [Some(&recording.forward), recording.reverse.as_ref()]
        .into_iter()
        .flatten()
    {
        match &way.rate {
            Some(Rate::Opportunities(all)) => assert!(all.milliseconds().len() <= most),
            Some(Rate::Steps(steps)) => assert!(steps.steps().len() <= MOST_STEPS.min(most)),
            None => {}
        }
        if let Some(delay) = &way.delay {
            assert!(delay.steps().len() <= MOST_STEPS.min(most));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Scaled by 2, there are at most twice as many opportunities.
    #[test]
    fn any_packet_delivery_trace_runs(
        gaps in proptest::collection::vec(0_u64..80, 1..120),
        doubled: bool,
    ) {
        let mut at = 1;
        let times = gaps.iter().map(|gap| { at += gap; format!("{at}\n") });
        let trace = mahimahi::parse(times.collect::<String>().as_bytes()).unwrap();
        let scale = mahimahi::Scale::read(if doubled { "2" } else { "0.5" }).unwrap();
        let options = mahimahi::Options { scale, ..mahimahi::Options::default() };
        let recording = mahimahi::convert(&trace, Some(&trace), &mahimahi::Options::default()).unwrap();
        is_bounded(&recording, gaps.len());
        runs(&recording, Format::Mahimahi);
        // A short trace at half the rate may have nothing left.
        match mahimahi::convert(&trace, None, &options) {
            Ok(recording) => {
                is_bounded(&recording, 2 * gaps.len() + 1);
                runs(&recording, Format::Mahimahi);
            }
            Err(wrong) => assert!(!doubled, "{}", wrong.what),
        }
    }

    #[test]
    fn any_round_trip_times_run(rows in proptest::collection::vec((1_u64..5_000, 1_u64..2_000_000), 2..80)) {
        let mut at = 1_700_000_000_000;
        let mut text = "timestamp,rtt\n".to_owned();
        for (gap, rtt) in &rows {
            at += gap;
            let (seconds, millis) = (at / 1000, at % 1000);
            text.push_str(&format!("{seconds}.{millis:03},{}\n", *rtt as f64 / 1000.0));
        }
        let step = Duration::from_millis(100);
        let recording = lens::convert(text.as_bytes(), &lens::Options { step, ..lens::Options::default() }).unwrap();
        // A value that stays is no step.
        is_bounded(&recording, rows.len());
        runs(&recording, Format::Lens);
    }

    #[test]
    fn any_rates_of_starlink_run(rates in proptest::collection::vec((100_000_u64..300_000_000, 100_000_u64..40_000_000), 1..50)) {
        let mut text = "timestamp_start,timestamp_end,download,upload\n".to_owned();
        for (second, (down, up)) in rates.iter().enumerate() {
            text.push_str(&format!(
                "2023-10-13T10:00:{second:02},2023-10-13T10:00:{:02},{down},{up}\n", second + 1
            ));
        }
        let rates_read = wetlinks::Rates::read(text.as_bytes()).unwrap();
        let recording = wetlinks::convert(&rates_read, None, Cut::default()).unwrap();
        is_bounded(&recording, rates.len());
        runs(&recording, Format::Wetlinks);
    }

    /// Two rows that lie up to thirty years apart, in steps of a millisecond.
    #[test]
    fn a_long_pause_takes_no_memory(years in 0_u64..30, seconds in 1_u64..31_536_000, rtts in (1_u64..1_000, 1_u64..1_000)) {
        let later = 1_000_000_000 + years * 31_536_000 + seconds;
        let text = format!("timestamp,rtt\n1000000000.0,{}\n{later}.0,{}\n", rtts.0, rtts.1);
        let options = lens::Options { step: Duration::from_millis(1), ..lens::Options::default() };
        match lens::convert(text.as_bytes(), &options) {
            Ok(recording) => is_bounded(&recording, 2),
            Err(wrong) => assert!(!wrong.help.is_empty()),
        }
    }
}
