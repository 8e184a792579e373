//! Options of IPv4 and TCP headers as the kernel's programs parse them, in C: for any bytes, the AQT
//! option is where Rust finds it, the MSS is the one that etherparse reads, and there is no undefined
//! behaviour in C.
#![no_main]

use dumbbell_control::units::Duration;
use dumbbell_tcp::option::Aqt;
use etherparse::{TcpOptionElement, TcpOptionsIterator};
use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    /// As in `bpf/host/option.h`.
    fn db_option_answer(record: *const u64) -> i64;
}

fuzz_target!(|bytes: &[u8]| {
    let options = &bytes[..bytes.len().min(40)];
    let word = |at: usize| u32::from_be_bytes(options[at..at + 4].try_into().expect("four bytes"));
    let aqt = usize::try_from(ask(0, options.len() as u64, 0, options)).ok();
    let found = aqt.map(|at| Aqt {
        queueing: word(at + 2),
        echo: word(at + 6),
    });
    assert_eq!(found, Aqt::find(options));

    let elements: Vec<_> = TcpOptionsIterator::from_slice(options).collect();
    let size = elements.iter().find_map(|element| match element {
        Ok(TcpOptionElement::MaximumSegmentSize(size)) => Some(*size),
        _ => None,
    });
    let mss = usize::try_from(ask(1, options.len() as u64, 0, options)).ok();
    let found = mss.map(|at| u16::from_be_bytes([options[at + 2], options[at + 3]]));
    // etherparse stops at an unknown type; the kernel's parser continues.
    if size.is_some() || elements.iter().all(Result::is_ok) {
        assert_eq!(found, size);
    }

    let nanos = bytes.iter().fold(0, |n: u64, b| n << 8 | u64::from(*b));
    let before = Aqt {
        queueing: bytes
            .iter()
            .rev()
            .fold(0, |n: u32, b| n << 8 | u32::from(*b)),
        echo: 0,
    };
    let after = ask(2, before.queueing.into(), nanos, &[]);
    let expected = before.delayed(Duration::from_nanos(nanos)).queueing;
    assert_eq!(after, i64::from(expected));
});

fn ask(operation: u64, first: u64, second: u64, options: &[u8]) -> i64 {
    let mut padded = [0x5e; 40];
    padded[..options.len()].copy_from_slice(options);
    let mut record = [operation, first, second, 0, 0, 0, 0, 0];
    for (place, bytes) in record[3..].iter_mut().zip(padded.chunks_exact(8)) {
        *place = u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    }
    // SAFETY: eight words are read, and the record has eight.
    unsafe { db_option_answer(record.as_ptr()) }
}
