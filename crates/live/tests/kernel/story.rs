//! A control's events in the kernel over a lossy path, as the glue documents them.

use std::time::Duration;

use dumbbell_control::units::Segments;
use dumbbell_live::kernel::{self, Kind, Options, Trace, TraceEvent};

use crate::ground::{name, ready};
use crate::transfer;

/// A path of 10 Mb/s and a round trip of 20 ms.
fn lossy(loss: &str) -> String {
    format!(
        r#"
duration = "1 s"
[dumbbell]
access = {{ rate = "100 Mb/s", delay = "1 ms" }}
bottleneck = {{ rate = "10 Mb/s", delay = "9 ms", queue = {{ droptail = 60 }}, loss = {{ bernoulli = {loss} }} }}
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#
    )
}

fn told(control: &str, suffix: &str, path: &str, seconds: f64) -> Vec<TraceEvent> {
    told_by(control, suffix, |name| {
        transfer::over(path, name, seconds);
    })
}

fn told_by(control: &str, suffix: &str, work: impl FnOnce(&str)) -> Vec<TraceEvent> {
    let name = name(suffix);
    let options = Options {
        name: Some(name.clone()),
        ..Options::default()
    };
    let loaded = kernel::load(control, &options).expect("loaded");
    let mut trace = Trace::of(&loaded).expect("traced");
    work(&name);
    trace.poll(Duration::from_millis(500)).expect("polled")
}

fn whole(event: &TraceEvent) -> u64 {
    event.cwnd.floor().max(2)
}

#[test]
fn the_kernel_sends_by_the_controls_window() {
    let Some(_log) = ready() else {
        return;
    };
    for (control, suffix) in [("veno", "st1"), ("venodb", "st2"), ("sarbe", "st3")] {
        let events = told(control, suffix, &lossy("0.02"), 3.0);
        let of = |kind| events.iter().filter(move |event| event.kind == kind);
        assert_eq!((of(Kind::Begin).count(), of(Kind::End).count()), (1, 1));
        let begin = of(Kind::Begin).next().expect("one");
        assert_eq!(
            (begin.cwnd, begin.ssthresh),
            (Segments::whole(10), Segments::MAX)
        );
        // Whatever happened before, after an ACK and at the end of a recovery the kernel has the control's
        // window.
        for event in of(Kind::Ack).chain(of(Kind::Leave)) {
            assert_eq!(
                u64::from(event.snd_cwnd),
                whole(event),
                "{control}: {event:?}"
            );
        }
        assert!(of(Kind::Loss).count() >= 3, "{control}");
        // The estimators also receive ACKs that only carry SACK blocks.
        assert!(
            of(Kind::Sample).count() > of(Kind::Loss).count(),
            "{control}"
        );
        // A recovery is entered once and left once; a timeout may occur in between.
        let mut inside = false;
        for event in &events {
            match event.kind {
                Kind::Loss => {
                    assert!(!inside || event.state == 4, "{control}: {event:?}");
                    inside = true;
                }
                Kind::Leave | Kind::Undo => inside = false,
                Kind::Ack => assert!(!inside || event.state == 4, "{control}: {event:?}"),
                _ => {}
            }
        }
        // No RTT is below that of the path: 20 ms, and two transmissions of 1.2 ms.
        let fastest = events
            .iter()
            .filter_map(|event| event.rtt)
            .min()
            .expect("RTTs");
        assert!(
            fastest >= Duration::from_millis(20),
            "{control}: {fastest:?}"
        );
    }
}

#[test]
fn a_timeout_is_reported_as_a_timeout() {
    let Some(_log) = ready() else {
        return;
    };
    let events = told("veno", "st4", &lossy("0.3"), 6.0);
    let timeouts: Vec<_> = (0..events.len())
        .filter(|&i| events[i].kind == Kind::Timeout)
        .collect();
    assert!(timeouts.len() >= 2, "{}", events.len());
    for &i in &timeouts {
        // DB_VENO_TIMEOUT is 8; the window is one segment.
        assert_eq!(
            (events[i].rule, events[i].cwnd),
            (8, Segments::ONE),
            "{:?}",
            events[i]
        );
        // The loss that the kernel reported just before was reverted. The threshold comes from the window
        // before it, by Veno's factor of a half, and is at least 2.
        let asked =
            i > 0 && events[i - 1].kind == Kind::Loss && events[i - 1].time == events[i].time;
        if asked && i > 1 {
            let before = events[i - 2].cwnd;
            let half = Segments::from_raw(before.raw() / 2).max(Segments::whole(2));
            assert_eq!(events[i].ssthresh, half, "{:?}", &events[i - 2..=i]);
        }
    }
}

/// A link of 12 Mb/s that is interrupted from the first second to the fifth.
fn outage() -> String {
    let mut times: Vec<_> = (1..=1000).map(|ms: u32| ms.to_string()).collect();
    times.push("5000".to_owned());
    lossy("0.0").replace(
        r#"rate = "10 Mb/s""#,
        &format!(
            "rate = {{ opportunities = [{}] }}, reverse = {{ rate = \"10 Mb/s\" }}",
            times.join(", ")
        ),
    )
}

/// The timer fires repeatedly, and then all segments that were considered lost arrive: the threshold is cut
/// once, and the kernel's undo restores the window.
#[test]
fn timeouts_of_an_outage_cut_once_and_are_undone() {
    let Some(_log) = ready() else {
        return;
    };
    let events = told("veno", "st5", &outage(), 6.0);
    let undo = events.iter().position(|event| event.kind == Kind::Undo);
    let undo = undo.expect("what was late was not lost");
    // The first timeout, for which the kernel asked for ssthresh as for a loss.
    let begins = |i: &usize| {
        let (asked, fired) = (&events[i - 1], &events[*i]);
        (asked.kind, fired.kind) == (Kind::Loss, Kind::Timeout) && asked.time == fired.time
    };
    let first = (2..undo).rev().find(begins).expect("it is asked for");
    let before = &events[first - 2];
    let timeouts: Vec<_> = events[first..undo]
        .iter()
        .filter(|event| event.kind == Kind::Timeout)
        .collect();
    assert!(timeouts.len() >= 2, "{timeouts:?}");
    // Veno's half, once, and a window of one segment.
    let half = Segments::from_raw(before.cwnd.raw() / 2);
    assert!(half > Segments::whole(2), "{before:?}");
    for timeout in timeouts {
        assert_eq!((timeout.cwnd, timeout.ssthresh), (Segments::ONE, half));
    }
    let after = &events[undo];
    assert_eq!((after.cwnd, after.ssthresh), (before.cwnd, before.ssthresh));
    let leave = &events[undo + 1];
    assert_eq!(
        (leave.kind, u64::from(leave.snd_cwnd)),
        (Kind::Leave, whole(leave))
    );
}

/// With marks instead of losses, the kernel asks for ssthresh, lowers its window to it, and reports when
/// this is done. Nothing is retransmitted, and nothing undone.
#[test]
fn marks_cut_the_window_as_losses_do() {
    let Some(_log) = ready() else {
        return;
    };
    // Gentle from the beginning, so that slow start ends with a mark and not with a drop.
    let red = r#"queue = { red = { limit = 400, min = 5, max = 60, weight = 0.2, pmax = 0.3, gentle = true, ecn = true } }"#;
    let path = lossy("0.0").replace("queue = { droptail = 60 }", red);
    let events = told_by("veno", "st6", |name| transfer::with_marks(&path, name, 4.0));
    let of = |kind| events.iter().filter(move |event| event.kind == kind);
    assert_eq!(of(Kind::Timeout).chain(of(Kind::Undo)).count(), 0);
    let cuts: Vec<_> = (0..events.len())
        .filter(|&i| events[i].kind == Kind::Loss)
        .collect();
    assert!(cuts.len() >= 3, "{}", cuts.len());
    let mut marked = 0;
    for cut in cuts {
        let after = &events[cut + 1..];
        let during = after.iter().take_while(|event| event.kind == Kind::Sample);
        // State 2 is CWR.
        marked += usize::from(during.clone().any(|event| event.state == 2));
        // The connection may end before that.
        let end = after.get(during.count());
        if let Some(leave) = end.filter(|event| event.kind != Kind::End) {
            assert_eq!(leave.kind, Kind::Leave, "{leave:?}");
            assert_eq!(leave.cwnd, events[cut].cwnd, "{leave:?}");
            assert_eq!(u64::from(leave.snd_cwnd), whole(leave), "{leave:?}");
        }
    }
    assert!(marked >= 3, "{marked}");
}

/// DCTCP over a queue that marks from 15 packets on: with its own receiver, each mark is counted, so that alpha is small
/// when few segments are marked, and a mark takes little of the window. The queue stays near its threshold, and
/// the link is full.
#[test]
fn dctcp_cuts_by_the_fraction_of_marked_segments() {
    let Some(_log) = ready() else {
        return;
    };
    let marks = "queue = { red = { limit = 200, min = 14.99, max = 15, weight = 1, pmax = 1, gentle = true, ecn = true } }";
    let path = lossy("0.0").replace("queue = { droptail = 60 }", marks);
    let mut goodput = 0.0;
    let events = told_by("dctcp", "st9", |name| {
        goodput = transfer::at_both_ends(&path, name, 5.0).goodput_bps;
    });
    let of = |kind| events.iter().filter(move |event| event.kind == kind);
    assert_eq!(of(Kind::Timeout).chain(of(Kind::Undo)).count(), 0);
    // Rule 1 is a cut by a mark.
    let cuts: Vec<_> = (1..events.len())
        .filter(|&i| events[i].kind == Kind::Loss && events[i].rule == 1)
        .collect();
    assert!(cuts.len() >= 10, "{}", cuts.len());
    let kept = |&i: &usize| events[i].cwnd.as_f64() / events[i - 1].cwnd.as_f64();
    let late: Vec<_> = cuts[cuts.len() / 2..].iter().map(kept).collect();
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    // Reno would keep 0.5.
    assert!((0.7..0.99).contains(&mean), "{mean}: {late:?}");
    assert!(goodput > 8.5e6, "{goodput}");
}

/// A program switches the control repeatedly, even within recoveries. Each new start takes the present
/// window, within a recovery the one at its end, and from then on the control sets it.
#[test]
fn a_control_can_be_switched_within_a_connection() {
    let Some(_log) = ready() else {
        return;
    };
    for (control, suffix) in [("venodb", "st7"), ("sarbe", "st8")] {
        let path = lossy("0.03");
        let mut chosen = 0;
        let events = told_by(control, suffix, |name| {
            chosen = transfer::switching(&path, name, "cubic", 5.0);
        });
        let of = |kind| events.iter().filter(move |event| event.kind == kind);
        assert!(chosen >= 30, "{chosen}");
        assert_eq!(of(Kind::Begin).count(), chosen, "{control}");
        assert_eq!(of(Kind::End).count(), chosen, "{control}");
        for begin in of(Kind::Begin) {
            let recovers = begin.state == 3 && begin.ssthresh < Segments::MAX;
            let taken = match recovers {
                true => begin.ssthresh.floor(),
                false => begin.snd_cwnd.into(),
            };
            assert_eq!(taken, begin.cwnd.floor(), "{begin:?}");
            // What 10 Mb/s can deliver in 5 s.
            assert!(begin.snd_cwnd < 5000, "{begin:?}");
        }
        // State 3 is Recovery. The path decides which starts occur within one: with this many, some do.
        let within = of(Kind::Begin).filter(|begin| begin.state >= 3).count();
        assert!(within >= 1, "{control}: none of {chosen}");
        for event in of(Kind::Ack).chain(of(Kind::Leave)) {
            assert_eq!(
                u64::from(event.snd_cwnd),
                whole(event),
                "{control}: {event:?}"
            );
        }
    }
}
