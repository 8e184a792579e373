//! The error of the ring of 32 entries: on how many ACKs the sign of the bandwidth's change over one
//! RTT differs from that of the full history.

use dumbbell_control::estimate::bandwidth::{Bandwidth, Config, Tuning};
use dumbbell_control::estimate::history::{History, change};
use dumbbell_control::estimate::rtt::Rtt;
use dumbbell_control::units::{Duration, Instant, Rate, Ratio};

use crate::random::Random;

const ONE_PERCENT: Ratio = Ratio::from_millionths(10_000);

/// The fraction of ACKs on which the sign differs, among those with a history of one RTT.
fn disagreement(parts: u32, seed: u64) -> f64 {
    let tuning = Tuning::new(&Config::default());
    let (mut bandwidth, mut ring, mut srtt) =
        (Bandwidth::default(), History::default(), Rtt::default());
    let mut full: Vec<(Instant, Rate)> = Vec::new();
    let mut random = Random::new(seed);
    let mut now = Instant::ZERO + Duration::from_secs(1);
    let (mut different, mut all) = (0.0, 0.0);
    let mut in_force = 0;
    for i in 0..200_000 {
        // 2 Mbit/s in packets of 1000 bytes, jittered, with a burst of cross traffic every 2 s.
        let share = if i % 500 < 120 { 0.4 } else { 1.0 };
        let spacing = random.between(2e6, 6e6) / share;
        now = now + Duration::from_nanos(spacing as u64);
        let rtt = Duration::from_nanos((60e6 + random.between(0.0, 30e6)) as u64);
        srtt.smooth(rtt);
        if !bandwidth.observe(&tuning, now, 1000) {
            continue;
        }
        let Some(rate) = bandwidth.rate() else {
            continue;
        };
        ring.record(now, rate, &srtt, parts);
        full.push((now, rate));
        let then = now - rtt;
        // RTTs jitter, so this moment may be before that of the last ACK.
        while in_force > 0 && full[in_force].0 > then {
            in_force -= 1;
        }
        while full[in_force + 1..]
            .first()
            .is_some_and(|entry| entry.0 <= then)
        {
            in_force += 1;
        }
        if full[in_force].0 > then {
            continue;
        }
        let exact = change(rate, Some(full[in_force].1), ONE_PERCENT);
        let kept = change(rate, ring.at(then), ONE_PERCENT);
        all += 1.0;
        different += f64::from(u8::from(exact != kept));
    }
    different / all
}

#[test]
fn the_ring_gives_the_sign_of_the_full_history_on_98_percent_of_acks() {
    for seed in 0..4 {
        let sixteen = disagreement(16, seed);
        let twenty_eight = disagreement(28, seed);
        println!("differing signs: RTT/16 {sixteen:.4}, RTT/28 {twenty_eight:.4}");
        assert!(sixteen < 0.02, "{sixteen}");
    }
}
