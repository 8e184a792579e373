//! What a peer of `dumbbell stream` sends, to either end of a session, with TFRC, NADA, SCReAM and GCC. For any bytes, nothing
//! panics; a packet that is read is written, and read again, as the same; rates stay within their bounds. Each packet is also
//! what a peer says first over QUIC: only the receiver's token is taken for it, and what is a token is printed as it was read.
//!
//! The input is a byte that picks the rate control, and packets: a length of one byte, the time since the packet before,
//! the bytes after the session's number, and so on. A length of 255 stands for honest packets: the greeting at first,
//! then what the ends have for each other.
#![no_main]

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::feedback::Interval;
use dumbbell_media::gcc::{self, Gcc};
use dumbbell_media::nada::{self, Nada};
use dumbbell_media::player::{Clock, Delay, Late, Lost, PlayerConfig};
use dumbbell_media::scream::{self, Scream};
use dumbbell_media::source::{EncoderConfig, Uniform};
use dumbbell_pinned::Token;
use dumbbell_stream::packet::Packet;
use dumbbell_stream::receiving::Receiving;
use dumbbell_stream::sending::{RateControl, Sending, SendingConfig};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::sender::SenderConfig;
use libfuzzer_sys::fuzz_target;

const SESSION: u64 = 3 << 32 | 7;
const HONEST: u8 = 255;
const TOKEN: &str = "the-target's";

struct Constant;

impl Uniform for Constant {
    fn positive_uniform(&mut self) -> f64 {
        0.5
    }
}

/// Both ends, and what they have for each other.
struct Pair {
    sending: Sending<Constant>,
    receiving: Receiving,
    forward: Vec<Vec<u8>>,
    back: Vec<Vec<u8>>,
}

fuzz_target!(|bytes: &[u8]| {
    let [picked, rest @ ..] = bytes else {
        return;
    };
    let mut pair = Pair::new(*picked);
    let (mut now, mut rest) = (Instant::from_nanos(1), rest);
    while let [length, wait, tail @ ..] = rest {
        now = now + Duration::from_nanos(1 << (wait % 33));
        pair.on_timer(now);
        if *length == HONEST {
            rest = tail;
            pair.exchange(now);
        } else {
            let (packet, tail) = tail.split_at(usize::from(*length).min(tail.len()));
            rest = tail;
            introduce(packet);
            let packet = [&SESSION.to_be_bytes(), packet].concat();
            check(&packet);
            pair.take(now, &packet);
        }
        let allowed = pair.sending.report(now).allowed;
        assert!(allowed.is_finite() && allowed >= 0.0);
        if picked % 5 >= 2 {
            assert!((150e3..=1.5e6).contains(&allowed));
        }
    }
    let _ = pair.receiving.report(now);
});

/// A packet that is read is written, and read again, as the same.
fn check(bytes: &[u8]) {
    if let Some((session, packet)) = Packet::decode(bytes) {
        let mut written = Vec::new();
        packet.encode(session, &mut written);
        assert_eq!(Packet::decode(&written), Some((session, packet)));
    }
}

/// What a peer says first, at a receiver over QUIC, and what a user gives as a token.
fn introduce(said: &[u8]) {
    let ours: Token = TOKEN.parse().expect("12 characters");
    assert_eq!(ours.is(said), said == TOKEN.as_bytes());
    let Ok(text) = str::from_utf8(said) else {
        return;
    };
    if let Ok(token) = text.parse::<Token>() {
        assert!((12..=128).contains(&text.len()) && !text.contains(char::is_whitespace));
        assert!(token.text() == text && token.is(text));
        assert!(!format!("{token:?}").contains(text), "a log has it");
    }
}

fn control(picked: u8) -> RateControl {
    let tfrc = SenderConfig::rfc5348(1000);
    match picked % 5 {
        0 => RateControl::One(tfrc),
        1 => RateControl::Several(tfrc, ParallelConfig::default()),
        2 => RateControl::Told(
            Box::new(Nada::new(nada::Config::default())),
            Interval::Fixed(Duration::from_millis(100)),
        ),
        3 => RateControl::Told(
            Box::new(Scream::new(scream::Config::default())),
            Interval::ByRate,
        ),
        _ => {
            let config = gcc::Config::default();
            RateControl::Told(Box::new(Gcc::new(config)), Interval::Fixed(config.interval))
        }
    }
}

impl Pair {
    fn new(picked: u8) -> Self {
        let encoder = EncoderConfig::between(25.0, 100e3, 400e3);
        let config = SendingConfig::new(SESSION, encoder, Duration::from_secs(60));
        Self {
            sending: Sending::new(config, control(picked), Constant, Instant::ZERO),
            receiving: Receiving::new(PlayerConfig {
                delay: Delay::Fixed(Duration::from_millis(200)),
                late: Late::Show,
                lost: Lost::Freeze,
                clock: Clock::Unknown,
            }),
            forward: Vec::new(),
            back: Vec::new(),
        }
    }

    fn on_timer(&mut self, now: Instant) {
        let Self {
            sending,
            receiving,
            forward,
            back,
        } = self;
        sending.on_timer(now, &mut |out| forward.push(out.to_vec()));
        receiving.on_timer(now, &mut |out| back.push(out.to_vec()));
    }

    /// A packet for both ends.
    fn take(&mut self, now: Instant, packet: &[u8]) {
        let Self {
            sending,
            receiving,
            forward,
            back,
        } = self;
        sending.on_packet(now, packet, &mut |out| forward.push(out.to_vec()));
        receiving.on_packet(now, packet, &mut |out| back.push(out.to_vec()));
    }

    /// Each end gets what the other one has for it.
    fn exchange(&mut self, now: Instant) {
        let (forward, back) = (
            std::mem::take(&mut self.forward),
            std::mem::take(&mut self.back),
        );
        for packet in forward {
            assert!(Packet::decode(&packet).is_some());
            check(&packet);
            let back = &mut self.back;
            self.receiving
                .on_packet(now, &packet, &mut |out| back.push(out.to_vec()));
        }
        for packet in back {
            assert!(Packet::decode(&packet).is_some());
            check(&packet);
            let forward = &mut self.forward;
            self.sending
                .on_packet(now, &packet, &mut |out| forward.push(out.to_vec()));
        }
    }
}
