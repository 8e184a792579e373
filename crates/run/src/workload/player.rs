//! A client's player: chunks fill its buffer, and playing empties it.

use dumbbell_control::units::Duration;
use dumbbell_scenario::Video;
use dumbbell_sim::Time;

use crate::outcome::VideoOutcome;
use crate::time::{since_start, time};

/// The buffer and the choices of one client.
#[derive(Clone, Debug)]
pub(super) struct Player {
    video: Video,
    /// Up to when it has been played.
    at: Time,
    /// Playing time in the buffer at `at`.
    level: Time,
    playing: bool,
    /// Whether no further chunk is requested: what is in the buffer is the end of the video.
    ending: bool,
    /// When playing stopped; before it first began, when the client started.
    stopped: Time,
    /// The place of the rate of the chunk that is requested.
    rung: usize,
    /// The throughputs of the last three chunks, in bit/s, the newest first.
    throughputs: [Option<f64>; 3],
    startup: Option<Time>,
    stalls: u64,
    stalled: Time,
    played: Time,
    chunks: u64,
    rates: u64,
    switches: u64,
}

/// The part of the throughput that the next chunk's rate may take.
const SAFETY: f64 = 0.8;

impl Player {
    pub(super) fn new(video: &Video, start: Time) -> Self {
        Self {
            video: video.clone(),
            at: start,
            level: Time::ZERO,
            playing: false,
            ending: false,
            stopped: start,
            rung: 0,
            throughputs: [None; 3],
            startup: None,
            stalls: 0,
            stalled: Time::ZERO,
            played: Time::ZERO,
            chunks: 0,
            rates: 0,
            switches: 0,
        }
    }

    /// The size of the next chunk in bytes. Its rate is the highest that is at most 0.8 of the harmonic mean of
    /// the last three throughputs (the rule of FESTIVE, Jiang et al. 2012, without its delayed switches); the
    /// first chunk has the lowest.
    pub(super) fn chunk(&mut self) -> u64 {
        let rates = self.video.rates.rates();
        let known = self.throughputs.iter().flatten();
        let (count, sum) = known.fold((0.0, 0.0), |(count, sum), throughput| {
            (count + 1.0, sum + 1.0 / throughput)
        });
        let rung = match count > 0.0 {
            true => {
                let affordable = SAFETY * count / sum;
                let above = rates.partition_point(|rate| rate.0 as f64 <= affordable);
                above.saturating_sub(1)
            }
            false => 0,
        };
        if self.chunks > 0 && rung != self.rung {
            self.switches += 1;
        }
        self.rung = rung;
        let bits = u128::from(rates[rung].0) * u128::from(self.video.chunk.as_nanos());
        u64::try_from((bits / 8_000_000_000).max(1)).unwrap_or(u64::MAX)
    }

    /// A chunk of `bytes` that was requested at `requested` is complete. Returns when to request the next one.
    pub(super) fn arrived(&mut self, now: Time, bytes: u64, requested: Time) -> Time {
        self.play(now);
        let seconds = (now - requested).as_secs_f64().max(1e-9);
        self.throughputs.rotate_right(1);
        self.throughputs[0] = Some(bytes as f64 * 8.0 / seconds);
        self.chunks += 1;
        self.rates += self.video.rates.rates()[self.rung].0;
        self.level += time(self.video.chunk);
        if self.level >= time(self.video.startup) {
            self.begin(now);
        }
        let with_next = self.level + time(self.video.chunk);
        now + (with_next - time(self.video.buffer).min(with_next))
    }

    /// No further chunk is requested: what is in the buffer is played, however little it is.
    pub(super) fn end(&mut self, now: Time) {
        self.play(now);
        self.ending = true;
        if self.level > Time::ZERO {
            self.begin(now);
        }
    }

    /// Begins to play, or goes on.
    fn begin(&mut self, now: Time) {
        if !self.playing {
            self.playing = true;
            let waited = now - self.stopped;
            match self.startup {
                None => self.startup = Some(waited),
                Some(_) => self.stalled += waited,
            }
        }
    }

    /// Plays up to `now`.
    fn play(&mut self, now: Time) {
        let span = now - self.at;
        self.at = now;
        if !self.playing {
            return;
        }
        if span <= self.level {
            self.level = self.level - span;
            self.played += span;
            return;
        }
        self.played += self.level;
        self.stopped = now - (span - self.level);
        self.level = Time::ZERO;
        self.playing = false;
        self.stalls += u64::from(!self.ending);
    }

    /// Adds what this client has played up to `end`.
    pub(super) fn add_to(&self, sum: &mut Videos, end: Time) {
        let mut last = self.clone();
        last.play(end.max(self.at));
        if !last.playing && !last.ending && last.startup.is_some() {
            last.stalled += last.at - last.stopped;
        }
        sum.clients += 1;
        if let Some(startup) = last.startup {
            sum.playing += 1;
            sum.startup_sum += startup;
            sum.startup_max = sum.startup_max.max(startup);
        }
        sum.stalls += last.stalls;
        sum.stalled += last.stalled;
        sum.played += last.played;
        sum.chunks += last.chunks;
        sum.rates += last.rates as f64;
        sum.switches += last.switches;
    }
}

/// What several clients have played.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Videos {
    clients: u64,
    playing: u64,
    startup_sum: Time,
    startup_max: Time,
    stalls: u64,
    stalled: Time,
    played: Time,
    chunks: u64,
    rates: f64,
    switches: u64,
}

impl Videos {
    pub(super) fn outcome(&self) -> VideoOutcome {
        let seconds = |time: Time| -> f64 { Duration::as_secs_f64(since_start(time)) };
        VideoOutcome {
            clients: self.clients,
            playing: self.playing,
            startup_mean_s: (self.playing > 0)
                .then(|| seconds(self.startup_sum) / self.playing as f64),
            startup_max_s: (self.playing > 0).then(|| seconds(self.startup_max)),
            stalls: self.stalls,
            stalled_s: seconds(self.stalled),
            played_s: seconds(self.played),
            rate_mean_bps: (self.chunks > 0).then(|| self.rates / self.chunks as f64),
            switches: self.switches,
        }
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::{BitRate, Bytes, Ladder, SizeClasses};

    use super::*;

    fn player(rates: &[u64]) -> Player {
        let video = Video {
            rates: Ladder::new(rates.iter().copied().map(BitRate).collect()).unwrap(),
            chunk: Duration::from_secs(2),
            buffer: Duration::from_secs(6),
            startup: Duration::from_secs(4),
            classes: SizeClasses::new(vec![Bytes(1)]).unwrap(),
            list: false,
        };
        Player::new(&video, Time::from_secs(1))
    }

    /// By hand: chunks of 2 s arrive at 3 s, 5 s and 12 s. Playing begins at 5 s with 4 s in the buffer, 4 s
    /// after the start, and ends at 9 s. The chunk of 12 s is not enough; the one of 14 s is, after 5 s. At 16 s
    /// two more seconds have been played.
    #[test]
    fn a_late_chunk_stops_the_player_by_hand() {
        let mut player = player(&[1_000_000]);
        assert_eq!(player.chunk(), 250_000);
        for at in [3, 5, 12, 14] {
            let at = Time::from_secs(at);
            assert_eq!(player.arrived(at, 250_000, at - Time::from_secs(1)), at);
        }
        let mut sum = Videos::default();
        player.add_to(&mut sum, Time::from_secs(16));
        let found = sum.outcome();
        assert_eq!(found.startup_mean_s, Some(4.0));
        assert_eq!(
            (found.stalls, found.stalled_s, found.played_s),
            (1, 5.0, 6.0)
        );
        // At 20 s the buffer has been empty for two seconds.
        let mut sum = Videos::default();
        player.add_to(&mut sum, Time::from_secs(20));
        let found = sum.outcome();
        assert_eq!(
            (found.stalls, found.stalled_s, found.played_s),
            (2, 7.0, 8.0)
        );
    }

    /// By hand: a chunk of 2 s arrives at 3 s, and no other is requested: playing begins with it, and its end is no stall.
    #[test]
    fn the_end_of_a_video_is_no_stall() {
        let mut player = player(&[1_000_000]);
        let at = Time::from_secs(3);
        player.arrived(at, 250_000, Time::from_secs(2));
        player.end(at);
        let mut sum = Videos::default();
        player.add_to(&mut sum, Time::from_secs(20));
        let found = sum.outcome();
        assert_eq!(found.startup_mean_s, Some(2.0));
        assert_eq!(
            (found.stalls, found.stalled_s, found.played_s),
            (0, 0.0, 2.0)
        );
    }

    /// With 6 s of room, the fourth chunk is requested when 4 s are left.
    #[test]
    fn a_full_buffer_delays_the_next_request() {
        let mut player = player(&[1_000_000]);
        let at = |tenths: u64| Time::from_millis(100 * tenths);
        let mut arrived = |when| player.arrived(at(when), 1, at(when - 1));
        assert_eq!(arrived(11), at(11));
        assert_eq!(arrived(12), at(12));
        // Playing since 1.2 s; at 1.3 s there are 3.9 + 2 s.
        assert_eq!(arrived(13), at(13 + 19));
    }

    /// Throughputs of 1, 2 and 4 Mb/s: the harmonic mean is 3 / 1.75 = 1.71 Mb/s, of which 0.8 are 1.37.
    #[test]
    fn the_rate_follows_the_harmonic_mean_by_hand() {
        let mut player = player(&[500_000, 1_300_000, 1_400_000]);
        let mut now = Time::from_secs(2);
        assert_eq!(player.chunk(), 125_000);
        for rate in [1, 2, 4] {
            player.arrived(now, rate * 125_000, now - Time::from_secs(1));
            now += Time::from_millis(10);
        }
        assert_eq!(player.chunk(), 1_300_000 / 4);
        assert_eq!(player.switches, 1);
    }
}
