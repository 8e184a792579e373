//! What the controls explain: every rule names only values that exist, and every rule is reached.

use std::collections::{BTreeMap, BTreeSet};

use dumbbell_control::controller::{Controller, Origin, Value};
use dumbbell_control::event::{
    Ack, Loss, LossSignal, Marks, Path, Queueing, Sample, Stamps, Timeout,
};
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

mod deliveries;

/// The values of an event that hosts know, as listed in the documentation of `Rule`.
const OF_HOSTS: [&str; 6] = [
    "cwnd",
    "ssthresh",
    "in_flight",
    "transmissions",
    "consecutive",
    "payload",
];

const PATH: Path = Path::new(Bytes(1000))
    .with_initial_window(Segments::whole(2))
    .with_ssthresh(Segments::whole(16));

/// The rules and the names that a control reports on a path whose queue fills and drains, with
/// occasional losses and rare timeouts.
fn reported(config: &AnyConfig) -> (Vec<&'static Rule>, BTreeSet<&'static str>) {
    let (mut rules, mut names) = (Vec::new(), BTreeSet::new());
    if config.needs().delivery {
        let mut listen = |control: &registry::Any| hear(control, &mut rules, &mut names);
        deliveries::drive(&mut config.build(&PATH), &mut listen);
    }
    // The queue drains at first, or fills before slow start is over.
    for (ssthresh, ahead) in [(16, 0), (64, 200)] {
        let path = PATH.with_ssthresh(Segments::whole(ssthresh));
        let marks = config.needs().marks;
        listen_to(config.build(&path), ahead, marks, &mut rules, &mut names);
    }
    (rules, names)
}

/// Adds what a control reports.
fn hear(
    control: &registry::Any,
    rules: &mut Vec<&'static Rule>,
    names: &mut BTreeSet<&'static str>,
) {
    control.explain(&mut |name, value| {
        names.insert(name);
        match value {
            Value::Rule(rule) if !rules.contains(&rule) => rules.push(rule),
            Value::State(word) => assert_ne!(name, "rule", "a word: {word}"),
            _ => {}
        }
    });
}

/// Adds the rules and names of a run whose queue starts `ahead` ACKs into its cycle, and marks if `marks`.
fn listen_to(
    mut control: registry::Any,
    ahead: u64,
    marks: bool,
    rules: &mut Vec<&'static Rule>,
    names: &mut BTreeSet<&'static str>,
) {
    let mut listen = |control: &registry::Any| hear(control, rules, names);
    listen(&control);
    for i in 1..60_000u64 {
        let now = Instant::ZERO + Duration::from_millis(1000 + 4 * i);
        // Up to 40 ms of queueing; every third packet is late.
        let queue = ((i + ahead) % 400).abs_diff(200) / 5 + u64::from(i % 3 == 0);
        let rtt = Duration::from_millis(60 + queue);
        let sent_at = now - rtt;
        let received_at = sent_at + Duration::from_millis(30 + queue);
        // At times an ACK credits several segments, so that the bandwidth changes.
        let credited = Segments::whole(1 + (i / 900 % 3) as u32);
        control.on_sample(
            &Sample::new(now, credited)
                .with_rtt(rtt)
                .with_marks(match marks && i % 7 == 0 {
                    true => Marks::Counted(Segments::ONE),
                    false => Marks::None,
                })
                .with_stamps(Stamps {
                    sent_at,
                    received_at,
                })
                .with_queueing(Queueing {
                    forward: Duration::from_millis(queue / 2),
                    backward: Duration::from_millis(queue / 4),
                }),
        );
        let in_flight = Segments::CAP;
        if i % 7919 == 0 {
            for consecutive in 1..=2 {
                control.on_timeout(&Timeout::new(now, in_flight).with_consecutive(consecutive));
                listen(&control);
            }
        } else if marks && (i % 203 == 0 || i % 601 == 600) {
            // A second mark is of a segment sent before the cut.
            for lost_sent_at in [now, sent_at] {
                control.on_loss(
                    &Loss::new(now, in_flight)
                        .with_signal(LossSignal::Ecn)
                        .with_lost_sent_at(lost_sent_at),
                );
                listen(&control);
            }
        } else if i % 601 == 0 {
            // A second loss is of a segment sent before the cut, or of a retransmission.
            for (lost_sent_at, transmissions) in [(sent_at, 1), (now, 1), (now + rtt, 2)] {
                control.on_loss(
                    &Loss::new(now, in_flight)
                        .with_lost_sent_at(lost_sent_at)
                        .with_transmissions(transmissions),
                );
                listen(&control);
            }
        } else {
            control.on_ack(&Ack::new(now, Segments::ONE, in_flight));
            listen(&control);
        }
    }
}

/// The names in braces, without their format.
fn holes(template: &str) -> Vec<&str> {
    let inside = template.split('{').skip(1);
    inside
        .map(|part| part.split_once('}').expect("it is closed").0)
        .map(|hole| hole.split(':').next().expect("a name"))
        .map(|name| name.strip_prefix("after.").unwrap_or(name))
        .collect()
}

/// A control's default parameters, and the same with each of these choices that it has.
fn variants(config: &AnyConfig) -> Vec<AnyConfig> {
    let choices = [
        ("counting", "segment"),
        ("counting", "abc"),
        ("precedence", "literal"),
        ("busy_growth", "half"),
    ];
    let changed = choices.into_iter().filter_map(|(name, word)| {
        let mut config = *config;
        config.set(name, Setting::Choice(word)).ok()?;
        Some(config)
    });
    std::iter::once(*config).chain(changed).collect()
}

#[test]
fn rules_name_only_values_that_exist() {
    for config in registry::all() {
        for variant in variants(&config) {
            let (rules, names) = reported(&variant);
            for rule in rules {
                assert!(!rule.branch.is_empty() && !rule.condition.is_empty());
                assert!(!rule.action.is_empty(), "{}", rule.branch);
                // A paper or an RFC and a place in it, or a source file and a function in it.
                let placed = ["section", "appendix", "fig.", ".c: "];
                assert!(placed.iter().any(|word| rule.source.contains(word)));
                for name in holes(rule.condition).into_iter().chain(holes(rule.action)) {
                    let known = names.contains(name)
                        || OF_HOSTS.contains(&name)
                        || variant.get(name).is_some();
                    assert!(known, "{}, {}: {name}", config.name(), rule.branch);
                }
            }
        }
    }
}

/// Exactly the reconstructions have rules whose source says that they are reconstructed.
#[test]
fn only_reconstructions_have_reconstructed_rules() {
    for config in registry::all() {
        let marked = reported(&config).0.into_iter();
        let marked = marked.filter(|rule| rule.source.starts_with("reconstruction"));
        let expected = config.origin() == Origin::Reconstruction;
        assert_eq!(marked.count() > 0, expected, "{}", config.name());
    }
}

#[test]
fn each_branch_name_belongs_to_one_rule() {
    for config in registry::all() {
        for variant in variants(&config) {
            let mut branches = BTreeMap::new();
            for rule in reported(&variant).0 {
                let before = branches.insert(rule.branch, rule);
                assert_eq!(before, None, "{}: {}", config.name(), rule.branch);
            }
        }
    }
}

/// Expects the branches of the table at the head of each algorithm's file.
#[test]
fn every_branch_is_reported() {
    let reno = [
        "none",
        "slow start",
        "congestion avoidance",
        "loss",
        "timeout",
        "repeated timeout",
    ];
    let multcp: Vec<&str> = reno.into_iter().chain(["slow start like many"]).collect();
    let westwood = [
        "none",
        "slow start",
        "congestion avoidance",
        "loss",
        "timeout",
    ];
    let vegas = [
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
    let veno = [
        "none",
        "slow start",
        "underutilised",
        "fully utilised",
        "random loss",
        "congestion",
        "timeout",
        "repeated timeout",
    ];
    let own = [
        "enough, rising",
        "too little, rising",
        "too little, falling",
        "too little, steady",
        "too much, retreat",
    ];
    let vegas_a: Vec<&str> = vegas.into_iter().chain(own).collect();
    let new_veno: Vec<&str> = veno
        .into_iter()
        .chain(["fully utilised, rising", "loss while rising"])
        .collect();
    let venodb = [
        "none",
        "slow start",
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
    let sarbe = [
        "none",
        "slow start",
        "slow start, congested",
        "slow start cut short",
        "congestion avoidance",
        "random loss",
        "congestion",
        "timeout",
    ];
    let bbr = [
        "none",
        "startup",
        "drain",
        "probe down",
        "cruise",
        "refill",
        "probe up",
        "probe rtt",
        "too high",
        "lossy round",
        "loss",
        "timeout",
        "undone",
        // Changes of state; runs reach those that this path does not: a plateau, the end of Drain alone, and an undo.
        "losses in startup",
        "queue gone",
        "time to probe",
        "rounds to probe",
        "refilled",
        "probed",
        "probe lost",
        "cautious probe",
        "probe again",
        "old rtt",
        "rtt probed",
        // Changes of bounds.
        "lossy cycle",
        "bounds forgotten",
        "startup volume",
        "volume too high",
        "volume raised",
        "bounds undone",
    ];
    let marked = ["mark", "loss after a mark"];
    let dctcp = reno.into_iter().chain(marked);
    let [dctcp, prague] = ["mark of the same window", "mark too early"]
        .map(|early| dctcp.clone().chain([early]).collect::<Vec<&str>>());
    let expected: [(&str, &[&str]); 17] = [
        ("bbr", &bbr),
        ("dctcp", &dctcp),
        ("prague", &prague),
        ("reno", &reno),
        ("multcp", &multcp),
        ("sarbe", &sarbe),
        ("tahoe", &reno),
        ("westwood", &westwood),
        ("westwood+", &westwood),
        ("vegas", &vegas),
        ("rovegas", &vegas),
        ("vegas-a", &vegas_a),
        ("vegas-a+", &vegas_a),
        ("veno", &veno),
        ("new-veno", &new_veno),
        ("venodb", &venodb),
        ("veno+", &venodb),
    ];
    for (name, branches) in expected {
        let config = AnyConfig::named(name).expect("a control");
        let found: BTreeSet<&str> = reported(&config).0.iter().map(|rule| rule.branch).collect();
        let expected: BTreeSet<&str> = branches.iter().copied().collect();
        assert_eq!(found, expected, "{name}");
    }
}
