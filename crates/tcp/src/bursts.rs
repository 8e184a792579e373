//! Segments that leave at once, as with the segmentation offload of Linux: few large pieces cost a host less than many
//! segments, so a sender waits for a window that is worth a piece, if that does not take long.
//!
//! | quantity | value |
//! |---|---|
//! | size of a piece | what the rate sends in 2^-10 s, and 64 kB >> (least RTT / 512 us); 2 segments at least, 44 at most; at most half of the window |
//! | the rate | that of pacing, or `2 cwnd / SRTT` below half of the threshold and `1.2 cwnd / SRTT` above |
//!
//! A piece below that size waits unless
//!
//! * a loss is being repaired, or nothing is outstanding,
//! * nothing has been sent for more than 1 ms or, if segments are paced, a segment has been due for longer,
//! * it is a third of the window, or
//! * the ACK of the oldest segment is more than 1 ms away, or more than half of SRTT.
//!
//! A window that a piece waits for counts as full ([`validation`](crate::validation)).
//!
//! Source: Linux 6.18, `tcp_tso_autosize`, `tcp_tso_should_defer`, `tcp_cwnd_test` and `tcp_update_pacing_rate`. Readings:
//! the application's writes do not end pieces. A controller that sets a rate also sets the size of pieces
//! ([`send_quantum`](dumbbell_control::controller::Controller::send_quantum)).

use dumbbell_control::controller::Window;
use dumbbell_control::units::{Bytes, Duration, Instant, Rate};

/// The largest piece, in bytes and in segments, and the least (`tcp_min_tso_segs`).
const MOST_BYTES: u64 = 65_536;
const MOST: u64 = 44;
const LEAST: u64 = 2;
/// `sk_pacing_shift` and `tcp_tso_rtt_log`.
const RATE_SHIFT: u32 = 10;
const RTT_SHIFT: u32 = 9;
/// `tcp_tso_win_divisor`.
const PARTS: u64 = 3;
const SOON: Duration = Duration::from_millis(1);

/// What is known of the piece that leaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bursts {
    /// When a segment was sent last.
    pub sent_at: Instant,
    /// Segments of the present piece that have not been sent.
    rest: u64,
    /// Whether the present piece has two segments or more.
    several: bool,
    /// Whether the segment that leaves now ends such a piece.
    ends: bool,
    least_rtt: Duration,
    /// Whether a piece waits.
    pub waits: bool,
}

/// The state of the sender when it may send a new segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub now: Instant,
    /// When a segment was sent last or, if segments are paced, when the next was due (`tcp_wstamp_ns`).
    pub last: Instant,
    /// Segments that the window allows.
    pub room: u64,
    pub cwnd: u64,
    /// The size of a piece.
    pub piece: u64,
    pub srtt: Duration,
    /// When the oldest segment outstanding was sent; `None` if none is.
    pub oldest: Option<Instant>,
    /// Whether a loss is being repaired.
    pub repairs: bool,
}

impl Bursts {
    pub fn new() -> Self {
        Self {
            sent_at: Instant::ZERO,
            rest: 0,
            several: false,
            ends: false,
            least_rtt: Duration::MAX,
            waits: false,
        }
    }

    /// Takes a round-trip time.
    pub fn on_rtt(&mut self, rtt: Duration) {
        self.least_rtt = self.least_rtt.min(rtt);
    }

    /// A segment is sent.
    pub fn on_sent(&mut self, now: Instant) {
        self.sent_at = now;
    }

    /// An event begins that may release segments.
    pub fn begin(&mut self) {
        self.rest = 0;
        self.waits = false;
    }

    /// The size of a piece at a rate.
    pub fn piece(&self, rate: Rate, mss: Bytes) -> u64 {
        let micros = self.least_rtt.as_nanos() / 1_000;
        let shift = u32::try_from(micros >> RTT_SHIFT).unwrap_or(u32::MAX);
        let near = MOST_BYTES.checked_shr(shift).unwrap_or(0);
        let bytes = ((rate.raw() >> 16) >> RATE_SHIFT) + near;
        (bytes / mss.0.max(1)).clamp(LEAST, MOST)
    }

    /// Whether the next new segment leaves now, or waits until a piece is complete.
    pub fn may_leave(&mut self, moment: &Moment) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            self.ends = self.several && self.rest == 0;
            return true;
        }
        if self.is_to_wait(moment) {
            self.waits = true;
            return false;
        }
        let most = moment.piece.min((moment.cwnd / 2).max(1));
        self.rest = most.min(moment.room) - 1;
        self.several = self.rest > 0;
        self.ends = false;
        true
    }

    /// Whether the segment that leaves is the last of a piece of two or more, as the last call of
    /// [`may_leave`](Self::may_leave) has it. A segment that leaves without one, as a loss probe, is none.
    pub fn ends_piece(&mut self) -> bool {
        core::mem::take(&mut self.ends)
    }

    fn is_to_wait(&self, moment: &Moment) -> bool {
        let &Moment {
            now,
            last,
            room,
            cwnd,
            piece,
            srtt,
            oldest,
            repairs,
        } = moment;
        let Some(oldest) = oldest else { return false };
        let recent = now.since(last) <= SOON;
        let soon = SOON.min(Duration::from_nanos(srtt.as_nanos() / 2));
        let until_ack = (oldest + srtt).since(now);
        !repairs && recent && room < piece && room < cwnd / PARTS && until_ack <= soon
    }
}

/// The rate at which Linux spreads a window over a round trip: 2 cwnd / SRTT below half of the threshold, or else
/// 1.2 cwnd / SRTT. At least what is in flight counts as the window.
pub(crate) fn window_rate(window: &Window, in_flight: u64, srtt: Duration, mss: Bytes) -> Rate {
    let hundredths = if window.cwnd.floor() < window.ssthresh.floor() / 2 {
        200
    } else {
        120
    };
    let segments = window.cwnd.floor().max(in_flight);
    let bytes = u128::from(segments) * u128::from(mss.0) * hundredths / 100;
    let raw = (bytes * 1_000_000_000) << 16;
    let raw = raw / u128::from(srtt.as_nanos().max(1));
    Rate::from_raw(u64::try_from(raw).unwrap_or(u64::MAX)).min(Rate::CAP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_control::units::Segments;

    fn us(n: u64) -> Instant {
        Instant::ZERO + Duration::from_micros(n)
    }

    /// 50 Mb/s are 6.25 MB/s: 6103 bytes in 2^-10 s, 4 segments of 1448 bytes. A least RTT of 2.5 ms adds
    /// 65536 / 2^4 = 4096 bytes, which makes 7. At 1 Mb/s and 100 ms, it is the least size.
    #[test]
    fn a_piece_is_a_millisecond_at_the_rate_and_more_where_the_path_is_short() {
        let mut bursts = Bursts::new();
        let mss = Bytes(1448);
        let rate = |mbps: u64| Rate::from_raw((mbps * 125_000) << 16);
        assert_eq!(bursts.piece(rate(50), mss), 4);
        bursts.on_rtt(Duration::from_millis(100));
        assert_eq!(bursts.piece(rate(1), mss), 2);
        bursts.on_rtt(Duration::from_micros(2_500));
        assert_eq!(bursts.piece(rate(50), mss), 7);
        assert_eq!(bursts.piece(rate(10_000), mss), 44);
    }

    /// A window of 30, pieces of 5, SRTT 20 ms; the oldest segment was sent 19.5 ms ago, so its ACK is 0.5 ms away.
    #[test]
    fn a_piece_waits_for_an_ack_that_is_near() {
        let moment = Moment {
            now: us(30_000),
            last: us(29_500),
            room: 4,
            cwnd: 30,
            piece: 5,
            srtt: Duration::from_millis(20),
            oldest: Some(us(10_500)),
            repairs: false,
        };
        let leaves = |change: fn(&mut Moment)| {
            let mut bursts = Bursts::new();
            let mut moment = moment;
            change(&mut moment);
            (bursts.may_leave(&moment), bursts.rest)
        };
        assert_eq!(leaves(|_| {}), (false, 0));
        assert_eq!(leaves(|it| it.room = 5), (true, 4));
        assert_eq!(leaves(|it| it.room = 12), (true, 4), "then the next piece");
        assert_eq!(
            leaves(|it| it.cwnd = 14),
            (true, 3),
            "a third of the window"
        );
        assert_eq!(leaves(|it| it.repairs = true), (true, 3));
        assert_eq!(leaves(|it| it.oldest = None), (true, 3));
        let late = |it: &mut Moment| it.now = us(30_501);
        assert_eq!(leaves(late), (true, 3), "nothing was sent for 1 ms");
        let far = |it: &mut Moment| it.oldest = Some(us(11_001));
        assert_eq!(leaves(far), (true, 3), "the ACK is more than 1 ms away");
    }

    /// 10 segments of 1000 bytes in 100 ms are 100 kB/s; twice that below half of the threshold.
    #[test]
    fn a_window_is_spread_a_little_faster_than_it_is_acknowledged() {
        let rate = |ssthresh, in_flight| {
            let window = Window {
                cwnd: Segments::whole(10),
                ssthresh: Segments::whole(ssthresh),
            };
            let srtt = Duration::from_millis(100);
            window_rate(&window, in_flight, srtt, Bytes(1000)).raw() >> 16
        };
        assert_eq!(rate(22, 5), 200_000);
        assert_eq!(rate(21, 5), 120_000, "10 is not below 21 / 2, rounded down");
        assert_eq!(rate(5, 20), 240_000);
    }
}
