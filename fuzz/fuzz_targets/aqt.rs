//! IPv4 options as bytes: for any bytes, finding an AQT option does not panic. An option that is
//! found is present in the bytes as [`Aqt::encode`] writes it, and adding a router's time to it
//! does not wrap.
#![no_main]

use dumbbell_control::units::Duration;
use dumbbell_tcp::option::Aqt;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(found) = Aqt::find(bytes) else {
        return;
    };
    let encoded = found.encode();
    let option = &encoded[..Aqt::LENGTH];
    assert!(bytes.windows(Aqt::LENGTH).any(|window| window == option));
    assert_eq!(Aqt::find(&encoded), Some(found));
    let nanos = bytes.iter().fold(0, |n: u64, b| n << 8 | u64::from(*b));
    let delayed = found.delayed(Duration::from_nanos(nanos));
    assert!(delayed.queueing >= found.queueing && delayed.echo == found.echo);
});
