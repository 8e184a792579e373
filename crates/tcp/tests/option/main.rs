//! The parsers of options in `bpf/`, which run in the kernel, compared with parsers in Rust: `Aqt` for IP,
//! etherparse for TCP.
//!
//! Without a C compiler these tests print a message and pass, unless `DUMBBELL_REQUIRE_CC=1`.

mod program;

use dumbbell_control::units::Duration;
use dumbbell_tcp::option::Aqt;
use etherparse::{TcpOptionElement, TcpOptionsIterator};
use proptest::prelude::*;

use program::{Question, ask};

/// The fields of the option at the position that C found.
fn fields(options: &[u8], at: i64) -> Option<Aqt> {
    let at = usize::try_from(at).ok()?;
    let word = |at: usize| u32::from_be_bytes(options[at..at + 4].try_into().expect("four bytes"));
    Some(Aqt {
        queueing: word(at + 2),
        echo: word(at + 6),
    })
}

/// Lists of options, well formed or not.
fn options() -> impl Strategy<Value = Vec<u8>> {
    let aqt = any::<[u8; 8]>().prop_map(|fields| [&[0x5e, 10][..], &fields].concat());
    let other = (2..=44u8, any::<[u8; 12]>()).prop_map(|(kind, bytes)| {
        [&[kind, 2 + kind % 12][..], &bytes[..usize::from(kind % 12)]].concat()
    });
    let mss = any::<[u8; 2]>().prop_map(|size| vec![2, 4, size[0], size[1]]);
    let piece = prop_oneof![
        4 => aqt,
        4 => mss,
        4 => other,
        2 => Just(vec![1]),
        1 => Just(vec![0]),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(kind, length)| vec![kind, length]),
        1 => Just(vec![0x5e]),
        1 => Just(vec![2, 4]),
    ];
    let list = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    let bytes = prop::collection::vec(any::<u8>(), 0..=40);
    prop_oneof![4 => list, 1 => bytes].prop_map(|mut list| {
        list.truncate(40);
        list
    })
}

fn many(list: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(list, 200)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn c_finds_the_aqt_option_where_rust_does(lists in many(options())) {
        let questions: Vec<_> = lists.iter().map(|list| Question::Aqt(list)).collect();
        for (list, at) in lists.iter().zip(ask(&questions).unwrap_or_default()) {
            prop_assert_eq!(fields(list, at), Aqt::find(list), "{:?}", list);
        }
    }

    #[test]
    fn the_mss_equals_that_of_etherparse(lists in many(options())) {
        let questions: Vec<_> = lists.iter().map(|list| Question::Mss(list)).collect();
        for (list, at) in lists.iter().zip(ask(&questions).unwrap_or_default()) {
            // etherparse stops at a type that it does not know; the kernel's parser continues.
            let elements: Vec<_> = TcpOptionsIterator::from_slice(list).collect();
            let size = elements.iter().find_map(|element| match element {
                Ok(TcpOptionElement::MaximumSegmentSize(size)) => Some(*size),
                _ => None,
            });
            let found = usize::try_from(at)
                .ok()
                .map(|at| u16::from_be_bytes([list[at + 2], list[at + 3]]));
            if size.is_some() || elements.iter().all(Result::is_ok) {
                prop_assert_eq!(found, size, "{:?}", list);
            }
        }
    }

    #[test]
    fn a_router_adds_the_same_time_in_both_languages(waits in prop::collection::vec((any::<u32>(), any::<u64>(), 0..64u32), 200)) {
        let waits: Vec<_> = waits.into_iter().map(|(aqt, nanos, shift)| (aqt, nanos >> shift)).collect();
        let questions: Vec<_> = waits.iter().map(|wait| Question::Delayed(wait.0, wait.1)).collect();
        for ((queueing, nanos), after) in waits.iter().zip(ask(&questions).unwrap_or_default()) {
            let before = Aqt { queueing: *queueing, echo: 0 };
            let expected = before.delayed(Duration::from_nanos(*nanos)).queueing;
            prop_assert_eq!(after, i64::from(expected), "{} + {} ns", queueing, nanos);
        }
    }
}

/// The positions were counted by hand.
#[test]
fn options_are_found_at_their_positions() {
    let aqt = [0x5e, 10, 0, 0, 0x75, 0x30, 0, 0, 0x27, 0x10, 0, 0];
    let alert = [148, 4, 0, 0];
    let behind = [&alert[..], &[1, 1], &aqt].concat();
    let last = [&[1; 30][..], &aqt[..10]].concat();
    let cut = [&[1; 31][..], &aqt[..9]].concat();
    // The options of a SYN from Linux: MSS, SACK permitted, timestamps, window scale.
    let syn = [
        2, 4, 5, 0xb4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7,
    ];
    let questions = [
        Question::Aqt(&aqt),
        Question::Aqt(&behind),
        Question::Aqt(&last),
        Question::Aqt(&cut),
        Question::Aqt(&[0x5e, 0]),
        Question::Mss(&syn),
        Question::Mss(&[1, 2, 4, 5, 0xb4]),
        Question::Mss(&[2, 3, 5, 2, 4, 1, 1]),
        Question::Mss(&[4, 2]),
        Question::Room(1460),
        Question::Room(100),
        Question::Room(99),
    ];
    let Some(answers) = ask(&questions) else {
        return;
    };
    assert_eq!(answers, [0, 6, 30, -1, -1, 0, 1, 3, -1, 1448, 88, 99]);
}
