use super::*;

const RTT: Duration = Duration::from_millis(100);
const BYTES: u32 = 1000;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

fn data(seq: u64, sent: u64) -> Arrival {
    Arrival {
        data: Data {
            seq,
            sent_at: ms(sent),
            rtt: Some(RTT),
            ..Data::default()
        },
        bytes: BYTES,
        marked: false,
    }
}

/// A receiver, with packets that arrive 50 ms after they were sent.
struct Story {
    receiver: Receiver,
}

impl Story {
    fn new(config: ReceiverConfig) -> Self {
        let receiver = Receiver::new(0, config);
        Self { receiver }
    }

    fn packet(&mut self, seq: u64, at: u64) -> Option<Feedback> {
        self.receiver.on_data(ms(at), &data(seq, at - 50))
    }

    fn marked(&mut self, seq: u64, at: u64) -> Option<Feedback> {
        let arrival = Arrival {
            marked: true,
            ..data(seq, at - 50)
        };
        self.receiver.on_data(ms(at), &arrival)
    }

    /// Sends one packet every 10 ms, with number `seq` at `10 seq + 1000` ms, and handles the timer.
    fn steady(&mut self, seqs: impl IntoIterator<Item = u64>) -> Vec<(u64, Feedback)> {
        let mut sent = Vec::new();
        for seq in seqs {
            let at = 10 * seq + 1000;
            while let Some(due) = self.receiver.deadline().filter(|&due| due < ms(at)) {
                let feedback = self.receiver.on_deadline(due);
                sent.extend(feedback.map(|one| (due.as_nanos() / 1_000_000, one)));
            }
            sent.extend(self.packet(seq, at).map(|one| (at, one)));
        }
        sent
    }
}

fn story() -> Story {
    Story::new(ReceiverConfig::rfc5348(BYTES))
}

#[test]
fn feedback_once_a_round_trip_with_the_receive_rate() {
    let mut story = story();
    let sent = story.steady(0..40);
    let times: Vec<_> = sent.iter().map(|(at, _)| *at).collect();
    assert_eq!(times, [1000, 1100, 1200, 1300]);
    assert_eq!(sent[0].1.x_recv, 0.0);
    assert_eq!(sent[0].1.p, 0.0);
    for (at, feedback) in &sent[1..] {
        // Ten packets of 1000 bytes in 100 ms; the newest has just arrived.
        assert!((feedback.x_recv - 100_000.0).abs() < 1e-6, "{feedback:?}");
        assert_eq!(feedback.t_recvdata, ms(at - 50));
        assert_eq!(feedback.t_delay, Duration::ZERO);
    }
}

#[test]
fn every_packet_gets_feedback_until_one_carries_a_round_trip_time() {
    let mut story = story();
    for seq in 0..3 {
        let mut arrival = data(seq, 10 * seq);
        arrival.data.rtt = None;
        assert!(
            story
                .receiver
                .on_data(ms(60 + 10 * seq), &arrival)
                .is_some()
        );
        assert_eq!(story.receiver.deadline(), None);
    }
    assert_eq!(story.packet(3, 90), None);
    // From then on the timer runs, a round-trip time after the last feedback.
    assert_eq!(story.receiver.deadline(), Some(ms(180)));
}

#[test]
fn if_the_timer_finds_nothing_the_next_packet_gets_feedback() {
    let mut story = story();
    assert!(story.packet(0, 1_000).is_some());
    assert_eq!(story.receiver.on_deadline(ms(1_099)), None);
    assert_eq!(story.receiver.on_deadline(ms(1_100)), None);
    assert_eq!(story.receiver.deadline(), None);
    let feedback = story.packet(1, 5_000).unwrap();
    // One packet per round-trip time is the least that is reported.
    assert_eq!(feedback.x_recv, 10_000.0);
    assert_eq!(feedback.t_delay, Duration::ZERO);
    assert_eq!(story.receiver.deadline(), Some(ms(5_100)));
}

#[test]
fn a_new_loss_event_is_reported_at_once_and_another_loss_of_it_is_not() {
    let mut story = story();
    story.steady(0..100);
    let sent = story.steady([101, 103, 104, 105]);
    assert_eq!(sent.len(), 2, "{sent:?}");
    // Packet 104 is the third above 100: the loss is known 1040 ms in; the other came by the timer.
    let (at, feedback) = sent.iter().find(|(_, one)| one.loss_events == 1).unwrap();
    assert_eq!(*at, 2_040);
    assert!(feedback.p > 0.0);
    let counters = story.receiver.counters();
    assert_eq!((counters.lost, counters.loss_events), (2, 1));
}

#[test]
fn the_first_interval_makes_the_equation_give_the_receive_rate() {
    let rates = [(50_000.0, 29.09), (100_000.0, 82.15), (400_000.0, 1_084.4)];
    for (rate, interval) in rates {
        let mut story = story();
        story.steady(0..100);
        story.packet(101, 2_010);
        story.packet(102, 2_020);
        story.receiver.session.as_mut().unwrap().largest = rate;
        let feedback = story.packet(103, 2_030).unwrap();
        let length = story.receiver.intervals().unwrap().length(0).unwrap();
        assert!((length / interval - 1.0).abs() < 2e-4, "{length}");
        assert_eq!(feedback.p, 1.0 / length);
    }
}

#[test]
fn if_the_very_first_packet_is_lost_the_target_is_half_a_packet_per_round_trip() {
    let mut story = story();
    let sent = story.steady(1..5);
    // Half a packet per 100 ms is 5000 B/s, a little less than at p = .2 (5365.6 B/s).
    let p = sent.last().unwrap().1.p;
    assert!(p > 0.2 && p < 0.21, "{p}");
    assert_eq!(story.receiver.counters().lost, 1);
    let mut unknown = Story::new(ReceiverConfig {
        first: None,
        ..ReceiverConfig::rfc5348(BYTES)
    });
    unknown.steady(1..5);
    assert_eq!(unknown.receiver.counters().lost, 0);
}

#[test]
fn a_late_packet_revokes_its_loss_event() {
    let mut story = story();
    story.steady((0..100).chain(101..105));
    assert!(story.receiver.loss_event_rate() > 0.0);
    let feedback = story.packet(100, 2_050).unwrap();
    assert_eq!(feedback.p, 0.0);
    assert_eq!(story.receiver.counters().late, 1);
    assert_eq!(story.packet(100, 2_051), None);
    assert_eq!(story.receiver.counters().duplicates, 1);
}

#[test]
fn a_mark_is_reported_at_once_and_reveals_losses_below_it() {
    let mut story = story();
    story.steady(0..100);
    assert_eq!(story.packet(101, 2_005), None);
    let feedback = story.marked(102, 2_006).unwrap();
    assert_eq!(feedback.loss_events, 1);
    assert!(feedback.p > 0.0);
    // The event begins with packet 100, which was lost before the mark.
    let session = story.receiver.session.as_ref().unwrap();
    assert_eq!(session.events.newest(), Some(100));
}

fn with(causes: Causes) -> Story {
    Story::new(ReceiverConfig {
        causes,
        ..ReceiverConfig::rfc5348(BYTES)
    })
}

#[test]
fn if_only_marks_count_losses_do_not() {
    let mut story = with(Causes::Ecn);
    story.steady((0..100).chain(101..110));
    assert_eq!(story.receiver.loss_event_rate(), 0.0);
    assert_eq!(story.receiver.counters().lost, 1);
    assert_eq!(story.marked(110, 2_100).unwrap().loss_events, 1);
}

#[test]
fn an_agent_excuses_losses_of_the_link_before_and_after_they_are_detected() {
    let mut before = with(Causes::Agent);
    before.steady(0..100);
    assert_eq!(before.receiver.on_cause(ms(2_000), 100, Cause::Link), None);
    before.steady(101..110);
    assert_eq!(before.receiver.loss_event_rate(), 0.0);

    let mut after = with(Causes::Agent);
    after.steady((0..100).chain(101..110));
    assert!(after.receiver.loss_event_rate() > 0.0);
    assert_eq!(after.receiver.on_cause(ms(2_100), 100, Cause::Queue), None);
    assert!(after.receiver.loss_event_rate() > 0.0);
    let feedback = after.receiver.on_cause(ms(2_101), 100, Cause::Link);
    assert_eq!(feedback.unwrap().p, 0.0);

    for story in [before, after] {
        let counters = story.receiver.counters();
        assert_eq!((counters.lost, counters.lost_by_link), (1, 1));
    }
}

#[test]
fn an_access_point_reports_the_share_of_the_link() {
    let mut story = with(Causes::AccessPoint);
    story.steady(0..100);
    story.receiver.on_cause(ms(2_000), 100, Cause::Link);
    let sent = story.steady(101..110);
    let told = sent.iter().find(|(_, one)| one.loss_events == 1).unwrap().1;
    assert!(told.p > 0.0);
    assert_eq!(told.p_wireless, Some(told.p));
    // A second event, caused by a queue: the share of the link falls, the total rate does not.
    story.steady((110..113).chain(114..140));
    let session = story.receiver.session.as_ref().unwrap();
    assert_eq!(session.events.total(), 2);
    let wireless = session.wireless.as_ref().unwrap();
    assert!(wireless.rate(139) < story.receiver.loss_event_rate());
    // Its cause is reported late: it was the link after all.
    story.receiver.on_cause(ms(2_400), 113, Cause::Link);
    let session = story.receiver.session.as_ref().unwrap();
    assert_eq!(session.wireless.as_ref().unwrap().total(), 2);
}

#[test]
fn ns2_reports_with_the_packet_that_comes_a_round_trip_later() {
    let mut story = Story::new(ReceiverConfig::ns2(BYTES));
    let sent = story.steady((0..40).map(|seq| 3 * seq));
    // Two of three packets are missing, and each report is triggered by a packet.
    for (at, feedback) in &sent {
        assert_eq!(feedback.t_delay, Duration::ZERO, "{at}");
    }
    let mut silent = Story::new(ReceiverConfig::ns2(BYTES));
    silent.packet(0, 1_000);
    silent.packet(1, 1_010);
    assert_eq!(silent.receiver.deadline(), Some(ms(1_150)));
    assert!(silent.receiver.on_deadline(ms(1_150)).is_some());
}
