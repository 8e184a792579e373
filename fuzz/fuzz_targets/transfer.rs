//! What a peer of `dumbbell transfer` says. For any bytes, nothing panics; a message that is read is written, and read
//! again, as the same; a name leads to a place below its folder.
//!
//! The input is the bytes of a stream: a length, a message, and so on.
#![no_main]

use std::path::{Component, Path};

use dumbbell_transfer::{LONGEST_REQUEST, Message, Name};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut rest = bytes;
    while let [first, second, tail @ ..] = rest {
        let Ok(length) = Message::length([*first, *second], LONGEST_REQUEST) else {
            return;
        };
        assert!(length <= LONGEST_REQUEST);
        let (message, tail) = tail.split_at(length.min(tail.len()));
        rest = tail;
        let Ok(message) = Message::decoded(message) else {
            continue;
        };
        let written = message.encoded();
        assert_eq!(Message::decoded(&written[2..]).as_ref(), Ok(&message));
        if let Message::Get { name, .. } | Message::Put { name, .. } = &message {
            check(name);
        }
    }
});

fn check(name: &str) {
    let Ok(name) = name.parse::<Name>() else {
        return;
    };
    let path = Path::new(name.as_str());
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    assert!(path.is_relative() && path.components().all(plain), "{name}");
    assert_eq!(
        path.file_name().and_then(|file| file.to_str()),
        Some(name.file())
    );
    assert!(!name.file().ends_with(".part"));
}
