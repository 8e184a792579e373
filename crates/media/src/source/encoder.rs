//! An encoder that follows a target rate.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};

use super::fragment::Frame;
use super::sizes::{Sizes, Uniform};

/// The properties of an encoder. Rates are in bits per second of payload.
#[derive(Clone, Debug, PartialEq)]
pub struct EncoderConfig {
    /// Frames per second, above 0.
    pub fps: f64,
    /// The lowest rate, above 0.
    pub floor: f64,
    /// The highest rate, at least the lowest.
    pub ceiling: f64,
    /// The rate before the first target takes effect; floor and ceiling hold for it, too.
    pub start: f64,
    /// The time from a target to the first frame that follows it, rounded up to whole frames; a target that is set when a
    /// frame is made concerns that frame if this is zero.
    pub lag: Duration,
    /// Which frames are key frames.
    pub keys: Keys,
    /// How the sizes of frames vary.
    pub sizes: Sizes,
    /// When no frames are made.
    pub pause: Pause,
}

impl EncoderConfig {
    /// So many frames a second between two rates, with the usual values: it starts at the lower rate, targets take effect
    /// after 100 ms, frames have one size, and the first one and those that are asked for are key frames of four times as
    /// much.
    pub fn between(fps: f64, floor: f64, ceiling: f64) -> Self {
        Self {
            fps,
            floor,
            ceiling,
            start: floor,
            lag: Duration::from_millis(100),
            keys: Keys {
                every: 0,
                factor: 4.0,
            },
            sizes: Sizes::Constant,
            pause: Pause::default(),
        }
    }
}

/// A pause of an encoder; by default there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// How long after the start it begins.
    pub after: Duration,
    /// How long it is.
    pub span: Duration,
}

/// Which frames are key frames. The first one always is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keys {
    /// The frames from one key frame to the next; 0 if there are none but those that are asked for.
    pub every: u32,
    /// The size of a key frame as a multiple of the others', at least 1.
    pub factor: f64,
}

/// An encoder: targets in, frames out. It is asked for a frame at each [`next`](Self::next).
#[derive(Clone, Debug)]
pub struct Encoder {
    config: EncoderConfig,
    start: Instant,
    number: u32,
    /// The targets of the last frames, the newest last; as many as the lag has frames.
    targets: VecDeque<f64>,
    rate: f64,
    asked: bool,
    since_key: u32,
}

/// The largest frame in bytes: 65,535 packets of a byte would not be more.
const LARGEST: f64 = 16_000_000.0;

impl Encoder {
    /// Makes an encoder whose first frame is made at `start`.
    pub fn new(config: EncoderConfig, start: Instant) -> Self {
        let rate = config.start.max(config.floor).min(config.ceiling);
        let frames = libm::ceil(config.lag.as_secs_f64() * config.fps - 1e-9).max(0.0) as usize;
        Self {
            start,
            number: 0,
            targets: std::iter::repeat_n(rate, frames).collect(),
            rate,
            asked: true,
            since_key: 0,
            config,
        }
    }

    /// Returns when the next frame is made.
    pub fn next(&self) -> Instant {
        self.at(self.number)
    }

    /// Returns the time from one frame to the next, rounded up to a nanosecond.
    pub fn interval(&self) -> Duration {
        Duration::from_nanos(libm::ceil(1e9 / self.config.fps) as u64)
    }

    /// Returns the rate of the last frame: the target that has taken effect.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the number of frames so far.
    pub fn made(&self) -> u32 {
        self.number
    }

    /// The next frame is to be a key frame.
    pub fn ask_for_key(&mut self) {
        self.asked = true;
    }

    /// Makes the next frame; `target` is the rate that the sender allows now. A target that is no number counts as the
    /// floor.
    pub fn frame(&mut self, target: f64, random: &mut impl Uniform) -> Frame {
        let EncoderConfig {
            fps,
            floor,
            ceiling,
            keys,
            ref sizes,
            ..
        } = self.config;
        // The larger of NaN and a number is the number.
        self.targets.push_back(target.max(floor).min(ceiling));
        self.rate = self.targets.pop_front().unwrap_or(floor);
        let mean = self.rate / fps / 8.0;
        let regular = keys.every > 0;
        let (size, key) = match sizes {
            Sizes::Recorded(record) => {
                let (size, key) = record.frame(self.number);
                let asked = self.asked && !key && self.number > 0;
                (if asked { keys.factor } else { size }, key || self.asked)
            }
            law => {
                let key = self.asked || (regular && self.since_key + 1 >= keys.every);
                // With regular key frames, the mean of a group is the rate's.
                let group = f64::from(keys.every);
                let other = if regular {
                    group / (group - 1.0 + keys.factor)
                } else {
                    1.0
                };
                let size = if key { other * keys.factor } else { other };
                (size * law.draw(random), key)
            }
        };
        self.since_key = if key { 0 } else { self.since_key + 1 };
        self.asked = false;
        let frame = Frame {
            number: self.number,
            made_at: self.next(),
            bytes: libm::round(mean * size).clamp(1.0, LARGEST) as u32,
            key,
        };
        self.number += 1;
        frame
    }

    fn at(&self, number: u32) -> Instant {
        let offset = f64::from(number) * 1e9 / self.config.fps;
        let offset = Duration::from_nanos(libm::round(offset) as u64);
        let paused = offset >= self.config.pause.after;
        let pause = if paused {
            self.config.pause.span
        } else {
            Duration::ZERO
        };
        self.start + offset + pause
    }
}

#[cfg(test)]
mod tests {
    use super::super::sizes::tests::Draws;
    use super::super::sizes::{Recorded, RecordedFrame};
    use super::*;

    fn config() -> EncoderConfig {
        EncoderConfig {
            fps: 10.0,
            floor: 80_000.0,
            ceiling: 800_000.0,
            start: 160_000.0,
            lag: Duration::ZERO,
            keys: Keys {
                every: 0,
                factor: 1.0,
            },
            sizes: Sizes::Constant,
            pause: Pause::default(),
        }
    }

    /// By hand: at 10 frames a second, frame 3 would be made at 0.3 s, when a pause of 2 s begins.
    #[test]
    fn no_frames_are_made_in_a_pause() {
        let pause = Pause {
            after: Duration::from_millis(300),
            span: Duration::from_secs(2),
        };
        let mut encoder = Encoder::new(EncoderConfig { pause, ..config() }, Instant::ZERO);
        let mut random = Draws(1);
        let times =
            std::array::from_fn(|_| encoder.frame(1e5, &mut random).made_at.as_nanos() / 1_000_000);
        assert_eq!(times, [0, 100, 200, 2300, 2400]);
    }

    fn bytes(encoder: &mut Encoder, targets: &[f64]) -> Vec<u32> {
        let mut random = Draws(1);
        let frames = targets
            .iter()
            .map(|target| encoder.frame(*target, &mut random));
        frames.map(|frame| frame.bytes).collect()
    }

    /// By hand: 10 frames a second of 80 kb/s have 1000 B each.
    #[test]
    fn frames_follow_the_target_between_floor_and_ceiling() {
        let mut encoder = Encoder::new(config(), Instant::from_nanos(5));
        let targets = [160e3, 400e3, 10e3, 9e9, f64::NAN];
        assert_eq!(
            bytes(&mut encoder, &targets),
            [2000, 5000, 1000, 10_000, 1000]
        );
        assert_eq!(encoder.next(), Instant::from_nanos(500_000_005));
        assert_eq!(encoder.interval(), Duration::from_millis(100));
    }

    /// By hand: with a lag of 200 ms, the frame at 0.3 s is the first that follows the target of 0.1 s.
    #[test]
    fn a_target_takes_effect_after_the_lag() {
        let lag = Duration::from_millis(200);
        let mut encoder = Encoder::new(EncoderConfig { lag, ..config() }, Instant::ZERO);
        let targets = [80e3, 240e3, 80e3, 80e3, 80e3];
        assert_eq!(
            bytes(&mut encoder, &targets),
            [2000, 2000, 1000, 3000, 1000]
        );
        // A lag that is no whole number of frames is rounded up.
        let lag = Duration::from_millis(101);
        let mut encoder = Encoder::new(EncoderConfig { lag, ..config() }, Instant::ZERO);
        assert_eq!(bytes(&mut encoder, &[80e3; 3]), [2000, 2000, 1000]);
    }

    /// By hand: of four frames one is a key frame of three times the size, so that the others have 4/6 of the mean.
    #[test]
    fn regular_key_frames_leave_the_mean_as_it_is() {
        let keys = Keys {
            every: 4,
            factor: 3.0,
        };
        let mut encoder = Encoder::new(EncoderConfig { keys, ..config() }, Instant::ZERO);
        let found = bytes(&mut encoder, &[240e3; 8]);
        assert_eq!(found, [6000, 2000, 2000, 2000, 6000, 2000, 2000, 2000]);
        assert_eq!(found.iter().sum::<u32>(), 8 * 3000);
        // One that is asked for begins a new group.
        encoder.ask_for_key();
        assert_eq!(
            bytes(&mut encoder, &[240e3; 5]),
            [6000, 2000, 2000, 2000, 6000]
        );
        encoder.ask_for_key();
        let mut random = Draws(1);
        assert!(encoder.frame(240e3, &mut random).key);
        assert!(!encoder.frame(240e3, &mut random).key);
    }

    /// By hand: the record's mean is 300 B, so at 240 kb/s, 3000 B a frame, each is ten times as large.
    #[test]
    fn a_record_is_scaled_to_the_target_and_repeated() {
        let frame = |bytes, key| RecordedFrame { bytes, key };
        let record = Recorded::new(vec![frame(500, true), frame(300, false), frame(100, false)]);
        let sizes = Sizes::Recorded(record.unwrap());
        let keys = Keys {
            every: 0,
            factor: 2.0,
        };
        let both = EncoderConfig {
            keys,
            sizes,
            ..config()
        };
        let mut encoder = Encoder::new(both, Instant::ZERO);
        assert_eq!(bytes(&mut encoder, &[240e3; 4]), [5000, 3000, 1000, 5000]);
        encoder.ask_for_key();
        assert_eq!(bytes(&mut encoder, &[240e3]), [6000]);
        assert!(
            Recorded::new(Vec::new()).is_none() && Recorded::new(vec![frame(0, false)]).is_none()
        );
    }
}
