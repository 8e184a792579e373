//! Recordings as scenarios, line by line.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::*;
use crate::recording::{lens, mahimahi};

fn origin(format: Format) -> Origin {
    Origin {
        format,
        files: vec!["cell.down".to_owned()],
        licence: format.licence().to_owned(),
        manifest: None,
    }
}

#[test]
fn a_trace_becomes_a_file_of_its_own_or_a_part_of_the_scenario() {
    let all = mahimahi::parse(b"5\n5\n12\n20\n").unwrap();
    let recording = mahimahi::convert(&all, Some(&all), &mahimahi::Options::default()).unwrap();
    let origin = Origin {
        manifest: Some("my.manifest.toml".to_owned()),
        ..origin(Format::Mahimahi)
    };
    let files = write(&recording, &origin, Some("my"));
    let expected = format!(
        r#"# A recorded path: cell.down, converted by `dumbbell convert mahimahi` of version {}.
# Licence of the data: not known: see where the trace comes from.
# my.manifest.toml names them by their hashes.

duration = "1 s" # how long is simulated; the recording has 20 ms, then it starts over
seed     = 1 # another seed, other losses

[dumbbell.access] # both ends: so fast that only the recorded link counts
rate  = "10 Gb/s" # gigabits a second
delay = "0 s"     # propagation delay, one way

[dumbbell.bottleneck] # the recorded link, on the way of the data
rate = {{ trace = "my.forward.trace" }} # 2.4 Mb/s on average
delay = "20 ms" # not recorded: choose one; one way
queue = {{ droptail = 20 }} # not recorded: packets, here those of 100 ms

[dumbbell.bottleneck.reverse] # the other direction, for the ACKs
rate = {{ trace = "my.reverse.trace" }} # 2.4 Mb/s on average

[[flow]] # one transfer; another [[flow]] is another one
control = "cubic"  # how much is sent: `dumbbell list` names every control
payload = "1460 B" # bytes of data in a packet: with a header of 40 bytes it fills 1500
"#,
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(files.scenario, expected);
    let trace = "5\n5\n12\n20\n".to_owned();
    let down = ("my.forward.trace".to_owned(), trace.clone());
    assert_eq!(files.traces, [down, ("my.reverse.trace".to_owned(), trace)]);
    let inline = write(&recording, &origin, None);
    assert_eq!(inline.traces, []);
    let read = Scenario::parse("my.toml", &inline.scenario, &Controls::builtin());
    let canonical = read.unwrap().canonical();
    assert_eq!(
        canonical.matches("opportunities = [5, 5, 12, 20]").count(),
        2,
        "{canonical}"
    );
}

#[test]
fn delays_become_steps_and_losses_a_model() {
    let text = "timestamp,rtt,uplink,downlink\n5,40,0,0\n6,50,0,0\n7,50.5,0,0\n8,-1,0,0\n";
    let recording = lens::convert(text.as_bytes(), &lens::Options::default()).unwrap();
    let files = write(&recording, &origin(Format::Lens), Some("my"));
    assert_eq!(files.traces, []);
    let link = files
        .scenario
        .split("[dumbbell.bottleneck]")
        .nth(1)
        .unwrap();
    let link = link.split("\n[[flow]]").next().unwrap();
    let expected = r#" # the recorded link, on the way of the data
rate  = "100 Mb/s" # not recorded: choose one
loss  = { bernoulli = 0.25, on = "all" } # 1 of 4 were lost, 1.0 in a row
queue = { droptail = 833 } # not recorded: packets, here those of 100 ms

[dumbbell.bottleneck.delay] # propagation delay, one way
steps = [ # from when, and what
    ["0 s", "20 ms"], ["1 s", "25 ms"], ["2 s", "25.25 ms"],
]
every = "3 s" # then they start over
"#;
    assert_eq!(link, expected);
    let head = files
        .scenario
        .lines()
        .take_while(|line| line.starts_with('#'));
    assert_eq!(head.count(), 4);
}

#[test]
fn names_cannot_leave_the_comment() {
    let all = mahimahi::parse(b"5\n").unwrap();
    let recording = mahimahi::convert(&all, None, &mahimahi::Options::default()).unwrap();
    let origin = Origin {
        files: vec!["a\nduration = 5".to_owned()],
        licence: "none\r\n[x]".to_owned(),
        ..origin(Format::Mahimahi)
    };
    let files = write(&recording, &origin, None);
    let read = Scenario::parse("my.toml", &files.scenario, &Controls::builtin());
    assert!(read.is_ok(), "{}", files.scenario);
}
