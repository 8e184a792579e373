//! A capture of the hosts' packets, as the emulator sees them enter and leave.
//!
//! The emulator only fills pieces of memory, and a thread of its own writes them: no disk delays a packet. If all
//! pieces are full, packets are left out of the capture, and counted.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{SystemTime, UNIX_EPOCH};

use dumbbell_control::units::Duration;
use dumbbell_run::capture::pcapng::{Sight, Way};
use dumbbell_run::capture::{Packet, pcap, pcapng};
use dumbbell_run::{End, Gone, Through};
use serde::Serialize;

/// The format of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// What the sender's host sends and receives.
    Pcap,
    /// What both hosts send and receive, and what the network does not deliver, with the reason.
    Pcapng,
}

/// The size of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Captured {
    /// Its packets.
    pub packets: u64,
    /// Packets that are missing, because they could not be written as fast as they came.
    pub missing: u64,
    /// Why it is incomplete, if it could not be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// A capture that is being made.
pub(super) struct Capture {
    format: Format,
    /// The start of the network's time, in nanoseconds of Unix time.
    start: u64,
    piece: Vec<u8>,
    /// When the last piece was handed on, in the network's time.
    settled: Duration,
    full: SyncSender<Vec<u8>>,
    empty: Receiver<Vec<u8>>,
    writer: JoinHandle<io::Result<()>>,
    count: Captured,
}

/// The stored bytes of a packet: more than the longest headers, which are 60 bytes of IP and 60 of TCP.
const SNAP_LENGTH: usize = 128;
/// Bytes of a piece.
const PIECE: usize = 256 << 10;
/// All pieces together are the memory of a capture.
const PIECES: usize = 64;
/// The most that a packet takes: its stored bytes, and fields and a comment around them.
const MOST: usize = SNAP_LENGTH + 128;
/// How old a piece gets before it is written although it is not full.
const AGE: Duration = Duration::from_millis(500);

/// The interfaces of pcapng, by their positions.
const INTERFACES: [&str; 3] = ["sender", "receiver", "network"];
const NETWORK: u32 = 2;
const REFUSED: &str = "not taken by the host";

impl Capture {
    /// Writes the beginning of a capture.
    pub(super) fn start(format: Format, out: impl Write + Send + 'static) -> io::Result<Self> {
        let (full, filled) = sync_channel(PIECES);
        let (emptied, empty) = sync_channel(PIECES);
        for _ in 1..PIECES {
            // There is room for all of them.
            let _ = emptied.try_send(Vec::with_capacity(PIECE));
        }
        let mut piece = Vec::with_capacity(PIECE);
        match format {
            Format::Pcap => pcap::begin(&mut piece, SNAP_LENGTH as u32)?,
            Format::Pcapng => pcapng::begin(&mut piece, &INTERFACES, SNAP_LENGTH as u32)?,
        }
        let writer = thread::Builder::new()
            .name("capture".to_owned())
            .spawn(move || write(out, &filled, &emptied))?;
        Ok(Self {
            format,
            start: 0,
            piece,
            settled: Duration::ZERO,
            full,
            empty,
            writer,
            count: Captured::default(),
        })
    }

    /// To be called when the network's time begins.
    pub(super) fn begin(&mut self) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        self.start = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX / 2);
    }

    /// A host has sent a packet.
    pub(super) fn entered(&mut self, from: End, at: Duration, number: u64, bytes: &[u8]) {
        let sight = Sight {
            interface: interface(from),
            way: Some(Way::Outbound),
            number,
            comment: "",
        };
        self.packet(at, &sight, bytes);
    }

    /// A packet has crossed the network, and its host has taken it or not.
    pub(super) fn left(&mut self, through: Through, bytes: &[u8], is_taken: bool) {
        let sight = Sight {
            interface: interface(through.end),
            way: Some(Way::Inbound),
            number: through.number,
            comment: if is_taken { "" } else { REFUSED },
        };
        self.packet(through.due, &sight, bytes);
    }

    /// A packet never arrives.
    pub(super) fn gone(&mut self, gone: Gone, bytes: &[u8]) {
        let sight = Sight {
            interface: NETWORK,
            way: None,
            number: gone.number,
            comment: gone.why.as_str(),
        };
        self.packet(gone.at, &sight, bytes);
    }

    fn packet(&mut self, at: Duration, sight: &Sight<'_>, bytes: &[u8]) {
        let is_elsewhere = sight.interface != interface(End::Sender) || !sight.comment.is_empty();
        if self.format == Format::Pcap && is_elsewhere {
            return;
        }
        if self.piece.len() + MOST > PIECE && !self.hand_on() {
            self.count.missing += 1;
            return;
        }
        let packet = Packet {
            at: self.start.saturating_add(at.as_nanos()),
            stored: &bytes[..bytes.len().min(SNAP_LENGTH)],
            length: bytes.len() as u32,
        };
        // Memory takes everything.
        let _ = match self.format {
            Format::Pcap => pcap::packet(&mut self.piece, &packet),
            Format::Pcapng => pcapng::packet(&mut self.piece, &packet, sight),
        };
        self.count.packets += 1;
    }

    /// Hands on what has waited for long enough.
    pub(super) fn settle(&mut self, now: Duration) {
        if now.saturating_sub(self.settled) >= AGE {
            self.settled = now;
            if !self.piece.is_empty() {
                self.hand_on();
            }
        }
    }

    /// Passes the piece to the writer, and takes an empty one. Returns whether there was one.
    fn hand_on(&mut self) -> bool {
        let Ok(next) = self.empty.try_recv() else {
            return false;
        };
        let piece = std::mem::replace(&mut self.piece, next);
        // It has room for every piece; if the writer has failed, this is told at the end.
        self.full.try_send(piece).is_ok()
    }

    /// Waits until all is written.
    pub(super) fn finish(self) -> Captured {
        let Self {
            piece,
            full,
            writer,
            mut count,
            ..
        } = self;
        // It fails if the writer has, which is told next.
        let _ = full.send(piece);
        drop(full);
        match writer.join() {
            Ok(done) => count.failure = done.err().map(|reason| reason.to_string()),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        count
    }
}

/// Writes pieces in turn, and gives them back empty.
fn write(
    mut out: impl Write,
    filled: &Receiver<Vec<u8>>,
    emptied: &SyncSender<Vec<u8>>,
) -> io::Result<()> {
    for mut piece in filled {
        out.write_all(&piece)?;
        piece.clear();
        // There is room for every piece; at the end nobody needs it.
        let _ = emptied.try_send(piece);
    }
    out.flush()
}

fn interface(end: End) -> u32 {
    match end {
        End::Sender => 0,
        End::Receiver => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, mpsc};

    use dumbbell_run::Why;

    use super::*;

    /// A file that others can look into, and that takes nothing before it may.
    struct File {
        may: Option<mpsc::Receiver<()>>,
        bytes: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for File {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if let Some(may) = self.may.take() {
                let _ = may.recv();
            }
            self.bytes.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn file(may: Option<mpsc::Receiver<()>>) -> (File, Arc<Mutex<Vec<u8>>>) {
        let bytes = Arc::default();
        let file = File {
            may,
            bytes: Arc::clone(&bytes),
        };
        (file, bytes)
    }

    fn enters(capture: &mut Capture, number: u64) {
        let at = Duration::from_micros(number);
        capture.entered(End::Sender, at, number, &[0x45; 1500]);
    }

    /// A packet takes 16 bytes and 128 of its own behind a header of 24 bytes. 64 pieces of 256 KiB hold fewer than
    /// 116,509 of them.
    #[test]
    fn a_slow_disk_costs_packets_of_the_capture_and_no_time() {
        let (go, may) = mpsc::channel();
        let (file, bytes) = file(Some(may));
        let mut capture = Capture::start(Format::Pcap, file).unwrap();
        for number in 0..150_000 {
            enters(&mut capture, number);
        }
        go.send(()).unwrap();
        let count = capture.finish();
        assert_eq!(count.packets + count.missing, 150_000);
        assert!((110_000..116_509).contains(&count.packets), "{count:?}");
        let length = bytes.lock().unwrap().len() as u64;
        assert_eq!(length, 24 + 144 * count.packets);
    }

    #[test]
    fn a_file_that_fails_is_told_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("no room"))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut capture = Capture::start(Format::Pcapng, Full).unwrap();
        for number in 0..10_000 {
            enters(&mut capture, number);
        }
        assert_eq!(capture.finish().failure.as_deref(), Some("no room"));
    }

    /// What waits in memory is written after half a second, so that a killed emulator leaves nearly all of it.
    #[test]
    fn a_piece_is_written_before_it_is_full() {
        let (file, bytes) = file(None);
        let mut capture = Capture::start(Format::Pcap, file).unwrap();
        enters(&mut capture, 0);
        capture.settle(Duration::from_millis(499));
        capture.settle(Duration::from_millis(500));
        let begun = std::time::Instant::now();
        while bytes.lock().unwrap().len() < 24 + 144 {
            assert!(begun.elapsed().as_secs() < 10, "nothing is written");
            thread::yield_now();
        }
        capture.finish();
    }

    /// pcap has the sender's host only.
    #[test]
    fn what_a_packet_meets_is_in_pcapng() {
        let packets = |format| {
            let (file, bytes) = file(None);
            let mut capture = Capture::start(format, file).unwrap();
            let bytes_of = |number| [0x45, number];
            let at = Duration::from_micros(9);
            capture.entered(End::Sender, at, 0, &bytes_of(0));
            capture.entered(End::Receiver, at, 1, &bytes_of(1));
            let why = Why::Damaged;
            capture.gone(Gone { number: 0, at, why }, &bytes_of(0));
            let through = Through {
                number: 1,
                end: End::Sender,
                entered: at,
                due: at,
                marked: false,
                queueing: None,
            };
            capture.left(through, &bytes_of(1), true);
            capture.left(through, &bytes_of(1), false);
            let count = capture.finish();
            let text = bytes.lock().unwrap().escape_ascii().to_string();
            (count.packets, text)
        };
        assert_eq!(packets(Format::Pcap).0, 2);
        let (count, text) = packets(Format::Pcapng);
        assert_eq!(count, 5);
        let order = ["network", "damaged by a link", REFUSED].map(|it| text.find(it));
        assert!(order.is_sorted() && order[0].is_some(), "{text}");
    }
}
