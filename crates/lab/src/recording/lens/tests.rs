//! Files of our own in LENS' formats.

use super::*;

const MS: u64 = 1_000_000;

fn steps(recording: &Recording) -> &[(u64, u64)] {
    recording.forward.delay.as_ref().unwrap().steps()
}

fn step(ms: u64) -> Options {
    Options {
        step: Duration::from_millis(ms),
        ..Options::default()
    }
}

fn fault(text: &str) -> String {
    let wrong = convert(text.as_bytes(), &Options::default()).unwrap_err();
    assert!(!wrong.help.is_empty());
    wrong.in_file("a").lines().next().unwrap().to_owned()
}

#[test]
fn pings_as_csv_are_halved_and_sampled() {
    let text = "timestamp,rtt\n1700000000.5,40.0\n1700000000.6,44.1\n1700000000.7,50\n1700000001.5,60\n1700000002.5,60\n";
    let recording = convert(text.as_bytes(), &Options::default()).unwrap();
    assert_eq!(recording.length, Duration::from_secs(2));
    // The median of 40, 44.1 and 50, then 60, each halved.
    assert_eq!(steps(&recording), [(0, 22_050_000), (1000 * MS, 30 * MS)]);
    assert_eq!(recording.forward.losses.unwrap().lost, 0);
    let least = Options {
        take: Take::Min,
        ..Options::default()
    };
    let recording = convert(text.as_bytes(), &least).unwrap();
    assert_eq!(steps(&recording)[0], (0, 20 * MS));
}

const IRTT_CSV: &str = "\
timestamp,rtt,uplink,downlink
1700000000000000000,0,0,-1
1700000000010000000,40,25,15
1700000000020000000,0,-1,0
1700000000030000000,-1,0,0
1700000000040000000,60,35.5,24.5
";

#[test]
fn irtt_as_csv_tells_the_directions_apart() {
    let both = Options {
        one_way: true,
        ..step(20)
    };
    let recording = convert(IRTT_CSV.as_bytes(), &both).unwrap();
    assert_eq!(steps(&recording), [(0, 15 * MS), (40 * MS, 24_500_000)]);
    let up = recording.reverse.unwrap();
    assert_eq!(
        up.delay.unwrap().steps(),
        [(0, 25 * MS), (40 * MS, 35_500_000)]
    );
    // A loss at an unknown place counts on the way of the data.
    let down = recording.forward.losses.unwrap();
    assert_eq!((down.sent, down.lost, down.runs), (5, 2, 2));
    assert_eq!(down.interval, 10 * MS);
    assert_eq!(up.losses.unwrap().lost, 1);
    // Without directions, all of them do.
    let recording = convert(IRTT_CSV.as_bytes(), &step(20)).unwrap();
    assert_eq!(steps(&recording), [(0, 20 * MS), (40 * MS, 30 * MS)]);
    let all = recording.forward.losses.unwrap();
    assert_eq!((all.sent, all.lost, all.runs), (5, 3, 2));
    assert_eq!(recording.reverse, None);
}

#[test]
fn a_part_starts_at_zero() {
    let cut = Cut {
        from: Duration::from_millis(10),
        to: Some(Duration::from_millis(30)),
    };
    let recording = convert(IRTT_CSV.as_bytes(), &Options { cut, ..step(5) }).unwrap();
    assert_eq!(recording.length, Duration::from_millis(20));
    assert_eq!(steps(&recording), [(0, 20 * MS)]);
    assert_eq!(recording.forward.losses.unwrap().sent, 3);
}

#[test]
fn gaps_in_the_numbers_of_pings_are_losses() {
    let line = |time: &str, number: u16, rtt: &str| {
        format!(
            "[1700000000.{time}] 64 bytes from 192.0.2.1: icmp_seq={number} ttl=63 time={rtt} ms\n"
        )
    };
    let mut text = "PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n".to_owned();
    // 65534, two lost, 1; 3 overtakes 2; 2 and 3 come twice, of which ping reports one.
    text += &line("000", 65534, "40");
    text += &line("030", 1, "50");
    text += &line("050", 3, "50");
    text += &line("051", 2, "61");
    text += &line("052", 2, "62").replace("ms\n", "ms (DUP!)\n");
    text += &line("053", 3, "53");
    text += "\n--- 192.0.2.1 ping statistics ---\n";
    let recording = convert(text.as_bytes(), &step(10)).unwrap();
    let losses = recording.forward.losses.unwrap();
    assert_eq!((losses.sent, losses.lost, losses.runs), (6, 2, 1));
    assert_eq!(steps(&recording), [(0, 20 * MS), (30 * MS, 25 * MS)]);
    assert_eq!(recording.length, Duration::from_millis(51));
}

#[test]
fn irtt_as_json_is_read_in_nanoseconds() {
    let trip = |at: u64, lost: &str, delay: &str| {
        format!(
            "{{\"seqno\":0,\"lost\":\"{lost}\",\"timestamps\":{{\"client\":{{\"send\":{{\"wall\":{at},\"monotonic\":1}}}}}},\"delay\":{{{delay}}}}}"
        )
    };
    let trips =
        |all: &[String]| format!("{{\"version\":{{}},\"round_trips\":[{}]}}", all.join(","));
    let text = trips(&[
        trip(
            1_700_000_000_000_000_000,
            "false",
            "\"rtt\":40000000,\"send\":10020000000,\"receive\":-9980000000",
        ),
        trip(1_700_000_000_500_000_000, "true_down", ""),
        trip(
            1_700_000_001_000_000_000,
            "false",
            "\"rtt\":50001999,\"send\":1,\"receive\":1",
        ),
    ]);
    let recording = convert(text.as_bytes(), &step(1000)).unwrap();
    // Whole microseconds of half of it.
    assert_eq!(steps(&recording), [(0, 20 * MS), (1000 * MS, 25_000_000)]);
    assert_eq!(recording.forward.losses.unwrap().lost, 1);
    let both = Options {
        one_way: true,
        ..Options::default()
    };
    let wrong = convert(text.as_bytes(), &both).unwrap_err();
    assert!(wrong.what.contains("clocks of the hosts differ"), "{wrong}");
    assert!(wrong.help.contains("leave out --one-way"), "{wrong}");
    let wrong = trips(&[trip(1, "maybe", "")]);
    assert_eq!(fault(&wrong), "a: round trip 1: `lost` is \"maybe\"");
    let wrong = trips(&[trip(1, "false", "\"rtt\":-5")]);
    assert_eq!(
        fault(&wrong),
        "a: round trip 1: the round-trip time is -5 ns"
    );
    assert!(
        fault("{\"round_trips\":\n[{}]}").starts_with("a:2: missing field"),
        "{}",
        fault("{\n")
    );
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_have_their_line() {
    let head = "timestamp,rtt\n";
    assert_eq!(fault(""), "a: the file is empty");
    assert_eq!(fault("a,b\n1,2\n"), "a:1: the columns are `a,b`");
    assert_eq!(fault(head), "a: there is no round-trip time");
    assert_eq!(fault(&format!("{head}1700000000,nan\n")), "a:2: `nan` is not a number of milliseconds");
    assert_eq!(fault(&format!("{head}1700000000,1e300\n")), "a:2: `1e300` is not a number of milliseconds");
    assert_eq!(fault(&format!("{head}1700000000,\n")), "a:2: `` is not a number of milliseconds");
    assert_eq!(fault(&format!("{head}1700000000,0\n")), "a:2: the round-trip time `0` is impossible");
    assert_eq!(fault(&format!("{head}1700000000,-3\n")), "a:2: the round-trip time `-3` is impossible");
    assert_eq!(fault(&format!("{head}yesterday,3\n")), "a:2: `yesterday` is not a time");
    assert_eq!(fault(&format!("{head}-5,3\n")), "a:2: `-5` is not a time");
    assert_eq!(fault(&format!("{head}99999999999999999999,3\n")), "a:2: `99999999999999999999` is not a time");
    assert_eq!(fault(&format!("{head}5.1,3\n5.0,3\n")), "a:3: the time goes back");
    assert_eq!(fault(&format!("{head}5,3\n6,3\n6000000,3\n")), "a:4: the recording is longer than 30 days");
    assert_eq!(fault("[5] 64 bytes: icmp_seq=1 time=\n"), "a:1: `[5] 64 bytes: icmp_seq=1 time=` is not an answer");
    assert_eq!(fault("[5] 64 bytes: icmp_seq=70000 time=3 ms\n"), "a:1: `[5] 64 bytes: icmp_seq=70000 time=3 ms` is not an answer");
    assert_eq!(fault("PING\n"), "a: there is no answer in the file");
    assert_eq!(fault("[6.5] icmp_seq=1 time=3\n[6.4] icmp_seq=2 time=3\n"), "a:2: the time goes back");
    assert_eq!(fault(&format!("{head}5,-1\n6,-1\n")), "a: there is no sample");
}
