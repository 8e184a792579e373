//! Every control that has a twin in C, beside that twin: for any parameters and events, both are in the
//! same state after each event, and there is no undefined behaviour in C.
//!
//! The input is a control, its parameters, the path, and a list of events. A number is a length and that
//! many bytes.
#![no_main]

use std::ffi::{CString, c_char, c_int};

use dumbbell_control::algorithm::{
    dctcp::Dctcp, rovegas::RoVegas, sarbe::Sarbe, vegas::Vegas, veno::Veno, venodb::VenoDb,
    westwood::Westwood, westwood_plus::WestwoodPlus,
};
use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::{Marks, Queueing, Sample, Stamps};
use dumbbell_control::parameter::Config as _;
use dumbbell_control::snapshot::Snapshot;
use dumbbell_control::units::{Duration, Instant, Segments};
use libfuzzer_sys::fuzz_target;

#[path = "../../crates/control/tests/twin/range.rs"]
mod range;
#[path = "../../crates/control/tests/twin/walk.rs"]
mod walk;
use walk::{ANSWER, After, Arrival, Event, Record, Sent, Start, Trip, Walk};

unsafe extern "C" {
    /// See `bpf/host/twin.h`: a name, ten words, forty words.
    fn db_twin_step(twin: *const c_char, record: *const u64, answer: *mut u64) -> c_int;
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    match input.byte() % 8 {
        0 => beside::<Veno>(input),
        1 => beside::<Vegas>(input),
        2 => beside::<RoVegas>(input),
        3 => beside::<Westwood>(input),
        4 => beside::<WestwoodPlus>(input),
        5 => beside::<Sarbe>(input),
        6 => beside::<Dctcp>(input),
        _ => beside::<VenoDb>(input),
    }
});

fn beside<C: Algorithm + Snapshot>(mut input: Input<'_>) {
    let mut walk = Walk::<C>::new(&input.start(C::Config::PARAMETERS.len()));
    let twin = CString::new(C::NAME).expect("a name");
    let mut answer = [0; ANSWER];
    for record in &walk.opening {
        answer = asked(&twin, record);
    }
    compare(&walk, &answer);
    while !input.0.is_empty() {
        let record = walk.happen(&input.event());
        compare(&walk, &asked(&twin, &record));
    }
}

fn asked(twin: &CString, record: &Record) -> [u64; ANSWER] {
    let mut answer = [0; ANSWER];
    // SAFETY: the name ends with a zero, the record and the result have the lengths in `twin.h`, and
    // nothing else steps the twins, which keep their state in statics: a fuzz target has one thread.
    let outcome = unsafe { db_twin_step(twin.as_ptr(), record.as_ptr(), answer.as_mut_ptr()) };
    assert_eq!(
        outcome, 0,
        "C does not know {twin:?}, or this parameter: {record:?}"
    );
    answer
}

fn compare<C: Algorithm + Snapshot>(walk: &Walk<C>, answer: &[u64; ANSWER]) {
    for (&word, (name, number)) in answer.iter().zip(walk.state()) {
        assert_eq!(word, number, "{name}: C and Rust");
    }
}

/// The rest of the input, followed by zeros.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    fn small(&mut self) -> i8 {
        self.byte() as i8
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 != 0
    }

    /// Reads a length up to eight and that many bytes; for a larger length, a number next to a power of
    /// two.
    fn word(&mut self) -> u64 {
        let length = self.byte();
        if length > 8 {
            let near = 1u64 << (length % 64);
            return near.wrapping_add_signed(i64::from(self.small()) / 32);
        }
        (0..length).fold(0, |n, _| n << 8 | u64::from(self.byte()))
    }

    fn start(&mut self, parameters: usize) -> Start {
        let choices = (0..parameters).map(|_| self.word()).collect();
        Start {
            choices,
            mss: self.word() as u32,
            initial_window: self.word(),
            ssthresh: self.word(),
            granularity: self.word(),
        }
    }

    fn event(&mut self) -> Event {
        match self.byte() % 8 {
            0 => Event::Sample(self.sample()),
            1..=2 => self.step(),
            3..=4 => Event::Ack {
                acked: self.word(),
                in_flight: self.word(),
                app_limited: self.flag(),
            },
            5 => Event::Loss {
                in_flight: self.word(),
                sent: if self.flag() {
                    Sent::Before(self.word())
                } else {
                    Sent::Cut(self.small())
                },
                transmissions: self.word() as u32,
                is_mark: self.flag(),
            },
            6 => Event::Timeout {
                after: self.after(),
                in_flight: self.word(),
                consecutive: self.word() as u32,
            },
            _ => Event::Restrict(self.word()),
        }
    }

    fn after(&mut self) -> After {
        if self.flag() {
            After::Silence(self.byte(), self.small())
        } else {
            After::Nanos(self.word())
        }
    }

    fn step(&mut self) -> Event {
        Event::Step {
            after: self.after(),
            trip: if self.flag() {
                Trip::Threshold(self.byte(), self.small() % 3, self.small())
            } else {
                Trip::Nanos(self.word())
            },
            alone: self.flag(),
            credited: self.word(),
            duplicate: self.flag(),
            arrival: match self.byte() % 3 {
                0 => Arrival::Unknown,
                1 => Arrival::OneWay(self.word()),
                _ => Arrival::Tolerance(self.small() % 3, self.small()),
            },
            queueing: self.flag().then(|| [self.word(), self.word()]),
            marks: self.marks(),
        }
    }

    fn marks(&mut self) -> Marks {
        match self.byte() % 3 {
            0 => Marks::None,
            1 => Marks::Echoed,
            _ => Marks::Counted(Segments::from_raw(self.word())),
        }
    }

    fn sample(&mut self) -> Sample {
        Sample::new(
            Instant::from_nanos(self.word()),
            Segments::from_raw(self.word()),
        )
        .with_rtt(self.flag().then(|| Duration::from_nanos(self.word())))
        .with_duplicate(self.flag())
        .with_stamps(self.flag().then(|| Stamps {
            sent_at: Instant::from_nanos(self.word()),
            received_at: Instant::from_nanos(self.word()),
        }))
        .with_queueing(self.flag().then(|| Queueing {
            forward: Duration::from_nanos(self.word()),
            backward: Duration::from_nanos(self.word()),
        }))
        .with_marks(self.marks())
    }
}
