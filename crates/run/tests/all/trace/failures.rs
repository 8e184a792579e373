//! Traces that cannot be written, and runs that are interrupted.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use dumbbell_run::trace::{Format, Tape, TraceError};
use dumbbell_run::{Run, Stopped};
use dumbbell_scenario::Duration;

use super::parse;

const LONG: &str = r#"
    duration = "720 h"
    [dumbbell]
    access     = { rate = "100 Mb/s", delay = "1 ms" }
    bottleneck = { rate = "50 Mb/s", delay = "10 ms", queue = { droptail = 200 } }
    [[flow]]
    control = "reno"
"#;

/// A disk with this much free space.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = bytes.len().min(self.0);
        self.0 -= room;
        if room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_the_run_and_is_reported() {
    let scenario = parse(LONG);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for format in [Format::Csv, Format::Pcap] {
        let mut tape = Tape::new(&scenario, &[]).expect("all flows");
        tape.add(Format::Csv, Disk(usize::MAX), folder)
            .expect("room for ever");
        tape.add(format, Disk(100_000), folder)
            .expect("room at first");
        let interrupted = AtomicBool::new(false);
        let done = Run::new(&scenario).trace(tape).interrupt(&interrupted).go();
        match done {
            Err(Stopped::Trace(TraceError::Unwritable { trace: 1, reason })) => {
                assert_eq!(reason.kind(), io::ErrorKind::StorageFull);
            }
            other => panic!("{:?}", other.map(|done| done.outcome)),
        }
        assert!(interrupted.load(Ordering::Relaxed));
    }
}

#[test]
fn a_trace_that_cannot_be_started_is_reported() {
    let scenario = parse(LONG);
    let mut tape = Tape::new(&scenario, &[]).expect("all flows");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for format in [Format::Csv, Format::Pcap] {
        let begun = tape.add(format, Disk(0), folder);
        assert!(matches!(
            begun,
            Err(TraceError::Unwritable { trace: 0, .. })
        ));
    }
    let nowhere = folder.join("nowhere");
    let begun = tape.add(Format::Qlog, Disk(0), &nowhere);
    assert!(matches!(
        begun,
        Err(TraceError::Unwritable { trace: 0, .. })
    ));
}

#[test]
fn segments_too_long_for_a_packet_are_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let begin = |payload: &str, format| {
        let text = format!("{LONG}payload = \"{payload}\"\nheader = \"0 B\"\n");
        let scenario = parse(&text);
        let mut tape = Tape::new(&scenario, &[]).expect("all flows");
        tape.add(format, io::sink(), folder)
            .map_err(|error| error.to_string())
    };
    assert_eq!(begin("65495 B", Format::Pcap), Ok(()));
    assert_eq!(begin("65535 B", Format::Csv), Ok(()));
    let error = begin("65496 B", Format::Pcap).expect_err("20 + 20 + 65,496 are 65,536");
    assert!(
        error.contains("65496 B") && error.contains("65495 B") && error.contains("`reno`"),
        "{error}"
    );
}

/// A disk that fails once.
struct Hiccup(bool);

impl Write for Hiccup {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > 1000 && !std::mem::replace(&mut self.0, true) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A run that continues after a trace is torn never reports success.
#[test]
fn a_torn_trace_stays_torn() {
    let scenario = parse(LONG);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut tape = Tape::new(&scenario, &[]).expect("all flows");
    let out = io::BufWriter::with_capacity(4096, Hiccup(false));
    tape.add(Format::Csv, out, folder).expect("it begins");
    let mut running = Run::new(&scenario).trace(tape).start();
    let mut failures = 0;
    for s in 1..=20 {
        failures += u32::from(running.advance_to(Duration::from_secs(s)).is_err());
    }
    assert!(failures > 1, "{failures}");
    assert!(matches!(running.finish(), Err(Stopped::Trace(_))));
}

struct Alarm {
    written: Arc<AtomicUsize>,
    interrupted: Arc<AtomicBool>,
}

impl Write for Alarm {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.written.fetch_add(bytes.len(), Ordering::Relaxed);
        self.interrupted
            .fetch_or(written > 1_000_000, Ordering::Relaxed);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A trace is written during the run, and an interrupted run has none.
#[test]
fn an_interrupt_ends_a_trace() {
    let scenario = parse(LONG);
    let written = Arc::new(AtomicUsize::new(0));
    let interrupted = Arc::new(AtomicBool::new(false));
    let alarm = Alarm {
        written: Arc::clone(&written),
        interrupted: Arc::clone(&interrupted),
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut tape = Tape::new(&scenario, &[]).expect("all flows");
    tape.add(Format::Pcap, alarm, folder).expect("it begins");
    let done = Run::new(&scenario).trace(tape).interrupt(&interrupted).go();
    assert!(matches!(done, Err(Stopped::Interrupted)));
    assert!(written.load(Ordering::Relaxed) < 100_000_000);
}
