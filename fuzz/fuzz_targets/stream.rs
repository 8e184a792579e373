//! What a peer of `dumbbell stream` sends. For any bytes, nothing panics; a packet that is read is written, and read again,
//! as the same; and neither end of a session minds what arrives.
//!
//! The input is packets: a length of one byte, the bytes, and so on.
#![no_main]

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::player::{Clock, Delay, Late, Lost, PlayerConfig};
use dumbbell_stream::packet::Packet;
use dumbbell_stream::receiving::Receiving;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut receiving = Receiving::new(PlayerConfig {
        delay: Delay::Fixed(Duration::from_millis(200)),
        late: Late::Show,
        lost: Lost::Freeze,
        clock: Clock::Unknown,
    });
    let mut now = Instant::ZERO;
    let mut rest = bytes;
    while let [length, tail @ ..] = rest {
        let (packet, tail) = tail.split_at(usize::from(*length).min(tail.len()));
        rest = tail;
        now = now + Duration::from_millis(7);
        receiving.on_packet(now, packet, &mut |out| {
            assert!(Packet::decode(out).is_some())
        });
        receiving.on_timer(now, &mut |_| {});
        if let Some((session, packet)) = Packet::decode(packet) {
            let mut written = Vec::new();
            packet.encode(session, &mut written);
            assert_eq!(Packet::decode(&written), Some((session, packet)));
        }
    }
    let _ = receiving.report(now);
});
