//! The cut for a mark with proportional rate reduction: the flight shrinks over a round trip, as in Linux' state CWR.

use dumbbell_control::units::Segments;
use dumbbell_tcp::config::{EcnMode, SenderConfig};
use dumbbell_tcp::connection::Phase;
use dumbbell_tcp::recovery::{Any, Bound, Rack};

use crate::story::{Story, plain};

fn marked(prr: Option<Bound>) -> Story {
    let config = SenderConfig {
        ecn: EcnMode::Classic,
        ..plain()
    };
    let mut story = Story::new(Any::Rack(Box::new(Rack::new(prr, false))), 10, config);
    assert_eq!(story.sent().len(), 10);
    story
}

fn counted(story: &mut Story, acks: std::ops::RangeInclusive<u64>) -> Vec<usize> {
    acks.map(|ack| story.wait(1).ack(ack).len()).collect()
}

fn echo(story: &mut Story, ack: u64) -> usize {
    story.ece = true;
    let sent = story.wait(1).ack(ack).len();
    story.ece = false;
    sent
}

fn cwnd(story: &Story) -> Segments {
    story.sender.window().0.cwnd
}

/// Ten in flight, a target of five: ceil(0.5), ceil(1.0), ceil(1.5), ...: every second ACK sends one. The ninth finds
/// five in flight, the tenth four. The window does not grow, and the first ACK of a segment sent since ends it.
#[test]
fn the_flight_halves_over_a_round() {
    let mut story = marked(Some(Bound::Safe));
    assert_eq!(echo(&mut story, 1), 1);
    assert_eq!(counted(&mut story, 2..=10), [0, 1, 0, 1, 0, 1, 0, 0, 1]);
    assert_eq!(story.window(), (5.0, 5.0), "five in flight, none more now");
    assert_eq!(cwnd(&story), Segments::whole(5), "no growth meanwhile");
    let _ = story.wait(1).ack(11);
    assert!(cwnd(&story) > Segments::whole(5), "growth goes on");
    assert_eq!(story.sender.window().1, 0);
    assert_eq!(story.sender.in_flight(), 5);
}

/// Without it, nothing leaves until five are acknowledged, and the window grows meanwhile.
#[test]
fn without_it_the_flight_waits() {
    let mut story = marked(None);
    assert_eq!(echo(&mut story, 1), 0);
    assert_eq!(counted(&mut story, 2..=6), [0, 0, 0, 0, 1]);
    assert!(cwnd(&story) > Segments::whole(5));
}

/// Echoes continue until CWR has arrived. They neither cut again nor begin anew; the next mark does.
#[test]
fn a_mark_of_the_next_window_begins_anew() {
    let mut story = marked(Some(Bound::Safe));
    let sent: Vec<_> = (1..=10).map(|ack| echo(&mut story, ack)).collect();
    assert_eq!(sent, [1, 0, 1, 0, 1, 0, 1, 0, 0, 1]);
    assert_eq!(story.sender.counters().ecn_cuts, 1);
    // Five in flight, a target of 2.5, of which two whole segments count: ceil(0.4), ceil(0.8), ceil(1.2).
    let sent: Vec<_> = (11..=13).map(|ack| echo(&mut story, ack)).collect();
    assert_eq!(sent, [1, 0, 1]);
    assert_eq!(story.sender.counters().ecn_cuts, 2);
}

/// A loss in that window does not cut again, and the counts go on: five have left on ten deliveries, and the tenth
/// releases the retransmission.
#[test]
fn a_loss_meanwhile_continues_the_reduction() {
    let mut story = marked(Some(Bound::Safe));
    assert_eq!(echo(&mut story, 1), 1);
    let mut sent = Vec::new();
    for last in 3..=10 {
        sent.extend(story.wait(200).ack_by(1, last - 1, &[(2, last)]));
    }
    assert_eq!(story.sender.phase(), Phase::Recovery);
    assert!(sent.contains(&1), "{sent:?}");
    let counters = story.sender.counters();
    assert_eq!((counters.ecn_cuts, counters.fast_recoveries), (1, 1));
    assert_eq!(cwnd(&story), Segments::whole(5));
    // 1 on the echo, and then ceil(9 / 2) - 1 on the eight SACKs.
    assert_eq!(sent.len(), 4, "{sent:?}");
}

/// A timeout ends it: slow start takes over.
#[test]
fn a_timeout_ends_it() {
    let mut story = marked(Some(Bound::Safe));
    assert_eq!(echo(&mut story, 1), 1);
    let _ = story.expire();
    assert_eq!(story.sender.phase(), Phase::Loss);
    assert_eq!(story.sender.window().1, 0);
    let before = cwnd(&story);
    let _ = story.wait(1).ack(4);
    assert!(cwnd(&story) > before);
}
