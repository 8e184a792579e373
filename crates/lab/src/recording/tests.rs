//! What holds for every format: no bytes lead to a panic.

use std::fmt::Debug;

use proptest::prelude::*;

use super::*;

/// Bytes that look like a file of a format: its own words and numbers in any order.
fn words(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let number = any::<i64>().prop_map(|it| it.to_string());
    let small = (0_u32..2000).prop_map(|it| it.to_string());
    let real = any::<f64>().prop_map(|it| it.to_string());
    let word = prop_oneof![
        4 => proptest::sample::select(words).prop_map(str::to_owned),
        2 => small,
        1 => number,
        1 => real,
    ];
    proptest::collection::vec(word, 0..60).prop_map(|all| all.concat().into_bytes())
}

/// A mistake says something, and has help.
fn tells<T: Debug>(result: Result<T, Fault>) {
    if let Err(wrong) = result {
        assert!(!wrong.what.is_empty() && !wrong.help.is_empty());
    }
}

fn all(bytes: &[u8]) {
    let cuts = [
        Cut::default(),
        Cut {
            from: Duration::from_nanos(7),
            to: None,
        },
    ];
    for cut in cuts {
        let options = mahimahi::Options {
            cut,
            shift: Duration::from_millis(3),
            scale: mahimahi::Scale::read("1.5").unwrap(),
        };
        tells(mahimahi::parse(bytes).and_then(|trace| mahimahi::convert(&trace, None, &options)));
        for one_way in [false, true] {
            let options = lens::Options {
                cut,
                one_way,
                ..lens::Options::default()
            };
            tells(lens::convert(bytes, &options));
        }
        let pings = wetlinks::Pings::read(bytes);
        let rates = wetlinks::Rates::read(bytes);
        tells(rates.and_then(|rates| wetlinks::convert(&rates, pings.as_ref().ok(), cut)));
        let options = pcap::Options {
            cut,
            losses: true,
            step: Some(Duration::from_secs(1)),
            ..pcap::Options::default()
        };
        tells(pcap::convert(bytes, &options));
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        all(&bytes);
    }

    #[test]
    fn words_of_lens_are_read_without_a_panic(rows in words(&[
        "timestamp,rtt\n", "timestamp,rtt,uplink,downlink\n", "17000000", "00", ".", ",", "\n", "-1", "\"",
        "[17", "] 64 bytes: icmp_seq=", " time=", " ms\n", "{\"round_trips\":[", "}",
    ])) {
        all(&[&b"timestamp,rtt,uplink,downlink\n"[..], &rows].concat());
        all(&rows);
    }

    #[test]
    fn words_of_wetlinks_are_read_without_a_panic(rows in words(&[
        "2023-10-13T10:00:00", "2023-10-13T10:00:01", "1700-01-01T00:00:00Z", "2262-01-01T00:00:00", ",",
        ",", "\n", "nan", "inf", "1e12", "\"",
    ])) {
        let head = &b"timestamp_start,timestamp_end,download,upload,packet_loss,packets_send,ping_avg\n"[..];
        all(&[head, &rows].concat());
    }

    /// A byte of a good capture changes, or the rest is cut off.
    #[test]
    fn damaged_captures_are_read_without_a_panic(at in any::<proptest::sample::Index>(), byte: u8, is_cut: bool) {
        for mut file in pcap::samples() {
            let at = at.index(file.len());
            file[at] = byte;
            if is_cut {
                file.truncate(at);
            }
            all(&file);
        }
    }
}
