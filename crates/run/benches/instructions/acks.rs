//! A stream of ACKs over a queue that fills and drains, with an occasional loss.

use dumbbell_control::event::{Ack, Loss, Path, Queueing, Sample, Stamps};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

/// What a control receives for one ACK.
pub struct Step {
    /// Always delivered.
    pub sample: Sample,
    /// Delivered if there is no loss.
    pub ack: Ack,
    /// Delivered instead of the ACK.
    pub loss: Option<Loss>,
}

/// The path that the control is built for.
pub const PATH: Path = Path::new(Bytes(1000))
    .with_initial_window(Segments::whole(2))
    .with_ssthresh(Segments::whole(16));

const ACKS: u64 = 50_000;
/// The number of ACKs per loss. Losses are rare, so that mainly growth is measured.
const ACKS_OF_A_LOSS: u64 = 2_000;
const SPACING: Duration = Duration::from_millis(4);
const BASE_RTT: u64 = 60_000_000;
/// The period of the queueing delay in ACKs: the delay rises to 30 ms and falls back.
const WAVE: u64 = 600;
const STEP_OF_WAVE: u64 = 100_000;

/// The stream of ACKs, identical on every call.
pub fn stream() -> Vec<Step> {
    (1..=ACKS).map(step).collect()
}

fn step(number: u64) -> Step {
    // The odd factor keeps the times from being multiples of each other.
    let jitter = Duration::from_nanos(number * 7_919 % 100_003);
    let now = Instant::ZERO + Duration::from_nanos(number * SPACING.as_nanos()) + jitter;
    let now = now + Duration::from_secs(1);
    let queue = (number % WAVE).abs_diff(WAVE / 2) * STEP_OF_WAVE;
    let rtt = Duration::from_nanos(BASE_RTT + queue);
    let sent_at = now - rtt;
    let in_flight = Segments::CAP;
    let lost = number.is_multiple_of(ACKS_OF_A_LOSS);
    Step {
        sample: Sample::new(now, Segments::ONE)
            .with_rtt(rtt)
            .with_stamps(Stamps {
                sent_at,
                received_at: now - Duration::from_millis(30),
            })
            .with_queueing(Queueing {
                forward: Duration::from_nanos(queue / 2),
                backward: Duration::from_nanos(queue / 4),
            }),
        ack: Ack::new(now, Segments::ONE, in_flight),
        loss: lost.then_some(Loss::new(now, in_flight).with_lost_sent_at(sent_at)),
    }
}
