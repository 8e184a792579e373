//! Prints the rate of a sender over a path that loses packets, second by second:
//! `cargo run -p dumbbell-tfrc --example rate`

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::equation::RateEquation;
use dumbbell_tfrc::packet::{Arrival, Data, Feedback};
use dumbbell_tfrc::receiver::{Receiver, ReceiverConfig};
use dumbbell_tfrc::sender::{Sender, SenderConfig};

const BYTES: u32 = 1000;
/// The one-way delay of every packet.
const DELAY: Duration = Duration::from_millis(50);

/// One second of a connection.
pub(crate) struct Second {
    pub(crate) number: u64,
    /// Packets sent in this second.
    pub(crate) sent: u64,
    /// The loss event rate that the receiver last reported.
    pub(crate) p: f64,
    /// The allowed sending rate, in bytes per second.
    pub(crate) x: f64,
    /// The rate that the throughput equation gives for this loss event rate and round-trip time.
    pub(crate) equation: f64,
}

/// Runs a connection for this many seconds. Every `period(second)`-th packet is lost.
pub(crate) fn run(seconds: u64, period: impl Fn(u64) -> u64) -> Vec<Second> {
    let mut sender = Sender::backlogged(SenderConfig::rfc5348(BYTES));
    let mut receiver = Receiver::new(0, ReceiverConfig::rfc5348(BYTES));
    // The two directions of the path. Packets arrive in order, since all delays are equal.
    let mut data: VecDeque<(Instant, Data)> = VecDeque::new();
    let mut reports: VecDeque<(Instant, Feedback)> = VecDeque::new();
    let mut out: Vec<Data> = Vec::new();
    let mut told = Vec::new();
    let mut sent = 0;

    let mut now = Instant::ZERO;
    sender.start(now, &mut out);
    for number in 1..=seconds {
        let end = Instant::ZERO + Duration::from_secs(number);
        let before = sent;
        while now < end {
            for packet in out.drain(..) {
                sent += 1;
                if !(packet.seq + 1).is_multiple_of(period(number)) {
                    data.push_back((now + DELAY, packet));
                }
            }
            // The next event: an arrival at either end, or a timer of either end.
            let arrivals = [data.front().map(|d| d.0), reports.front().map(|r| r.0)];
            let timers = [sender.deadline(), receiver.deadline()];
            let next = arrivals.into_iter().chain(timers).flatten().min();
            now = next.unwrap_or(end).max(now);

            let mut report = receiver.on_deadline(now);
            if let Some(data) = take_due(&mut data, now) {
                let arrival = Arrival {
                    data,
                    bytes: BYTES,
                    marked: false,
                };
                report = report.or(receiver.on_data(now, &arrival));
            }
            reports.extend(report.map(|feedback| (now + DELAY, feedback)));
            if let Some(feedback) = take_due(&mut reports, now) {
                sender.on_feedback(now, &feedback, &mut out);
            }
            sender.on_timer(now, &mut out);
        }
        let state = sender.state();
        let equation = RateEquation::tfrc(BYTES.into(), state.rtt.unwrap_or_default());
        told.push(Second {
            number,
            sent: sent - before,
            p: state.p,
            x: state.x,
            equation: equation.rate(state.p),
        });
    }
    told
}

/// Takes the first packet, if it has arrived.
fn take_due<T>(way: &mut VecDeque<(Instant, T)>, now: Instant) -> Option<T> {
    let (at, _) = way.front()?;
    if *at > now {
        return None;
    }
    way.pop_front().map(|(_, what)| what)
}

/// Loses one packet in 100 for ten seconds, and then one in 25.
pub(crate) fn story() -> Vec<Second> {
    run(20, |second| if second <= 10 { 100 } else { 25 })
}

fn main() {
    println!("second  packets  loss event rate  allowed kB/s  equation kB/s");
    for second in story() {
        println!(
            "{:>6}  {:>7}  {:>15.4}  {:>12.1}  {:>13.1}",
            second.number,
            second.sent,
            second.p,
            second.x / 1e3,
            second.equation / 1e3,
        );
    }
}
