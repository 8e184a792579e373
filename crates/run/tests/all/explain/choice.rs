//! The choice of flows and of a part of the run.

use dumbbell_run::explain::{self, Question, WrongFlow};
use dumbbell_scenario::Duration;
use dumbbell_scenario::Scenario;

use super::{answers, dumbbell, told};

fn mixed() -> Scenario {
    let flows = "[[flow]]\ncontrol = \"reno\"\ncount = 2\n\
                 [[flow]]\nsource = { cbr = \"100 kb/s\" }\n\
                 [[flow]]\nname = \"7\"\ncontrol = \"veno\"\n";
    dumbbell(20, 12, 0.01, flows)
}

fn select(asked: &[&str]) -> Result<Vec<usize>, WrongFlow> {
    let asked: Vec<String> = asked.iter().map(|word| (*word).to_owned()).collect();
    explain::select(&mixed(), &asked)
}

#[test]
fn flows_are_selected_by_number_by_name_or_by_the_name_of_their_entry() {
    assert_eq!(explain::names(&mixed()), ["reno.1", "reno.2", "cbr", "7"]);
    assert_eq!(select(&[]), Ok(vec![0, 1, 3]));
    assert_eq!(select(&["2"]), Ok(vec![1]));
    assert_eq!(select(&["reno.2"]), Ok(vec![1]));
    assert_eq!(select(&["reno"]), Ok(vec![0, 1]));
    // No flow has 7 as its number.
    assert_eq!(select(&["7"]), Ok(vec![3]));
    assert_eq!(select(&["4", "reno.1", "1"]), Ok(vec![0, 3]));
}

#[test]
fn errors_distinguish_a_flow_without_a_window_from_an_unknown_flow() {
    for asked in ["3", "cbr"] {
        let wrong = select(&[asked]).expect_err("it is UDP");
        assert_eq!(
            wrong.to_string(),
            "the flow `cbr` is UDP: it has no congestion window"
        );
    }
    let media = dumbbell(1, 12, 0.0, "[[flow]]\nrate_control = \"tfrc\"\n");
    let wrong = explain::select(&media, &["tfrc".to_owned()]).expect_err("it has no window");
    assert!(wrong.to_string().contains("`tfrc` has a rate"), "{wrong}");
    let none = explain::select(&media, &[]).expect_err("no flow has one");
    assert_eq!(none, explain::WrongFlow::NoTcp);
    for asked in ["0", "5", "vegas", ""] {
        let wrong = select(&["1", asked]).expect_err("there is none");
        assert_eq!(
            wrong.to_string(),
            format!("there is no flow `{asked}`; the flows are 1 reno.1, 2 reno.2, 3 cbr, 4 7")
        );
    }
    let many = dumbbell(1, 12, 0.0, "[[flow]]\ncontrol = \"reno\"\ncount = 500\n");
    let wrong = explain::select(&many, &["x".to_owned()]).expect_err("there is none");
    assert!(
        wrong.to_string().ends_with("12 reno.12, ... 500 reno.500"),
        "{wrong}"
    );
    let udp = dumbbell(1, 12, 0.0, "[[flow]]\nsource = { cbr = \"100 kb/s\" }\n");
    assert_eq!(explain::select(&udp, &[]), Err(WrongFlow::NoTcp));
}

#[test]
fn only_the_chosen_flows_and_times_are_reported() {
    let scenario = mixed();
    let (all, ..) = told(&scenario, false);
    let (from, to) = (Duration::from_secs(5), Duration::from_secs(12));
    let question = Question {
        flows: vec![1, 3],
        from,
        to,
        all: false,
    };
    let (some, _, tally) = answers(&scenario, &question);
    let expected: Vec<_> = all
        .iter()
        .filter(|line| line.flow != 1 && (5.0..=12.0).contains(&line.time_s))
        .cloned()
        .collect();
    assert!(expected.len() > 3 && expected.len() < all.len() / 2);
    assert_eq!(some, expected);
    let counted: u64 = tally.reductions.iter().map(|(_, count)| count).sum();
    assert_eq!(counted + tally.spared, some.len() as u64);
}

/// The span includes both of its ends.
#[test]
fn a_single_moment_is_a_valid_span() {
    let scenario = mixed();
    let (all, ..) = told(&scenario, false);
    let line = &all[all.len() / 2];
    let at = Duration::from_nanos((line.time_s * 1e9).round() as u64);
    let question = Question {
        flows: vec![0, 1, 3],
        from: at,
        to: at,
        all: false,
    };
    assert_eq!(answers(&scenario, &question).0, std::slice::from_ref(line));
}
