//! A stream of ACKs over a queue that fills and drains, with a loss now and then.

use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Queueing, Sample, Stamps};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

/// What one ACK tells a control.
pub struct Step {
    /// Always told.
    pub sample: Sample,
    /// Told if there is no loss.
    pub ack: Ack,
    /// Told instead of the ACK.
    pub loss: Option<Loss>,
}

/// The path that the control is built for.
pub const PATH: Path = Path {
    mss: Bytes(1000),
    initial_window: Segments::whole(2),
    ssthresh: Segments::whole(16),
    stamp_granularity: Duration::ZERO,
};

const ACKS: u64 = 50_000;
/// Losses are rare, so that growth is what counts.
const ACKS_OF_A_LOSS: u64 = 2_000;
const SPACING: Duration = Duration::from_millis(4);
const BASE_RTT: u64 = 60_000_000;
/// The queue adds up to 30 ms, up and down again over so many ACKs.
const WAVE: u64 = 600;
const STEP_OF_WAVE: u64 = 100_000;

/// The stream, the same every time.
pub fn stream() -> Vec<Step> {
    (1..=ACKS).map(step).collect()
}

fn step(number: u64) -> Step {
    // The odd part keeps the times from being multiples of each other.
    let jitter = Duration::from_nanos(number * 7_919 % 100_003);
    let now = Instant::ZERO + Duration::from_nanos(number * SPACING.as_nanos()) + jitter;
    let now = now + Duration::from_secs(1);
    let queue = (number % WAVE).abs_diff(WAVE / 2) * STEP_OF_WAVE;
    let rtt = Duration::from_nanos(BASE_RTT + queue);
    let sent_at = now - rtt;
    let in_flight = Segments::CAP;
    let lost = number.is_multiple_of(ACKS_OF_A_LOSS);
    Step {
        sample: Sample {
            now,
            rtt: Some(rtt),
            credited: Segments::ONE,
            duplicate: false,
            stamps: Some(Stamps {
                sent_at,
                received_at: now - Duration::from_millis(30),
            }),
            queueing: Some(Queueing {
                forward: Duration::from_nanos(queue / 2),
                backward: Duration::from_nanos(queue / 4),
            }),
        },
        ack: Ack {
            now,
            acked: Segments::ONE,
            in_flight,
            app_limited: false,
        },
        loss: lost.then_some(Loss {
            now,
            in_flight,
            lost_sent_at: sent_at,
            transmissions: 1,
            by: LossSignal::DupAcks,
        }),
    }
}
