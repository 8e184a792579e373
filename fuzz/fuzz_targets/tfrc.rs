//! TFRC's packets as bytes, and both ends that receive them. For any bytes, nothing panics; what
//! decodes encodes to the same bytes; a receiver's reports can be encoded, and a sender's rate stays
//! within its bounds.
//!
//! The input is a list of records: a length, that many bytes of a packet, and a waiting time.
#![no_main]

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Feedback, Output};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::{Causes, ReceiverConfig};
use dumbbell_tfrc::sender::{Law, SenderConfig, VenoConfig};
use libfuzzer_sys::fuzz_target;

/// Counts the packets of a sender.
struct Count(u64);

impl Output for Count {
    fn transmit(&mut self, _: Data) {
        self.0 += 1;
    }
}

const LEAST: f64 = 1000.0 / 64.0;

fuzz_target!(|bytes: &[u8]| {
    let Some((&flags, mut rest)) = bytes.split_first() else {
        return;
    };
    let (mut sender, mut receiver) = ends(flags);
    let mut out = Count(0);
    let mut now = Instant::from_nanos(1);
    sender.start(now, &mut out);
    while let [length, wait, tail @ ..] = rest {
        let (packet, tail) = tail.split_at(usize::from(*length).min(tail.len()));
        rest = tail;
        now = now + Duration::from_nanos(1 << (wait % 38));
        heard(packet, now, &mut sender, &mut receiver, &mut out);
        sender.on_timer(now, &mut out);
        for state in sender.states() {
            assert!(state.x >= LEAST && state.x.is_finite());
            assert!(state.x_inst >= LEAST && state.x_inst.is_finite());
        }
    }
    assert_eq!(sender.counters().sent, out.0);
});

fn ends(flags: u8) -> (MultiSender, MultiReceiver) {
    let ns2 = flags & 1 != 0;
    let sender = if ns2 {
        SenderConfig::ns2(1000)
    } else {
        SenderConfig::rfc5348(1000)
    };
    let receiver = if ns2 {
        ReceiverConfig::ns2(1000)
    } else {
        ReceiverConfig::rfc5348(1000)
    };
    let law = if flags & 2 != 0 {
        Law::Veno(VenoConfig::default())
    } else {
        Law::Reno
    };
    let causes = match flags >> 2 & 3 {
        0 => Causes::Ignored,
        1 => Causes::Ecn,
        2 => Causes::Agent,
        _ => Causes::AccessPoint,
    };
    let all_in_one = (flags & 16 != 0).then(ParallelConfig::default);
    (
        MultiSender::backlogged(
            SenderConfig {
                law,
                all_in_one,
                ..sender
            },
            ParallelConfig::default(),
        ),
        MultiReceiver::new(ReceiverConfig { causes, ..receiver }),
    )
}

fn heard(
    packet: &[u8],
    now: Instant,
    sender: &mut MultiSender,
    receiver: &mut MultiReceiver,
    out: &mut Count,
) {
    if let Ok(feedback) = Feedback::decode(packet) {
        let encoded = feedback.encode().expect("it was decoded");
        assert_eq!(encoded.as_ref(), packet);
        sender.on_feedback(now, &feedback, out);
    }
    let Ok((data, content)) = Data::decode(packet) else {
        return;
    };
    let encoded = data.encode();
    assert_eq!(encoded.as_ref(), &packet[..packet.len() - content.len()]);
    let told = match content.first() {
        Some(1) => receiver.on_cause(now, data.connection, data.seq, Cause::Link),
        first => {
            let arrival = Arrival {
                data,
                bytes: content.len() as u32,
                marked: first == Some(&2),
            };
            receiver.on_data(now, &arrival)
        }
    };
    for feedback in [told, receiver.on_deadline(now)].into_iter().flatten() {
        let encoded = feedback.encode().expect("a report can be encoded");
        assert_eq!(Feedback::decode(encoded.as_ref()), Ok(feedback));
    }
}
