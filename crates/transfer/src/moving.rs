//! Messages and files on a stream.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytes::Bytes;
use quinn::{ReadExactError, RecvStream, SendStream};

use crate::error::Error;
use crate::message::Message;
use crate::part::Part;
use crate::source::Source;
use crate::statistics::{End, Sample, Samples};

/// Bytes that are read from a file at a time, and written to one.
const PIECE: usize = 1 << 17;
/// Packets of a stream that are written to a file at a time. Together, they are less than a piece.
const PACKETS: usize = 64;
/// Bytes that can be on the disk and not counted yet, when a transfer is given up: those of one reading. Datagrams have 1472 bytes
/// at most, as quinn tells its peers.
pub(crate) const UNCOUNTED: u64 = PACKETS as u64 * 1500;

/// Writes a message.
pub(crate) async fn say(stream: &mut SendStream, message: &Message) -> Result<(), Error> {
    Ok(stream.write_all(&message.encoded()).await?)
}

/// Reads a message of at most so many bytes.
pub(crate) async fn hear(stream: &mut RecvStream, longest: usize) -> Result<Message, Error> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).await.map_err(cut)?;
    let length = Message::length(length, longest).map_err(Error::protocol)?;
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes).await.map_err(cut)?;
    Message::decoded(&bytes).map_err(Error::protocol)
}

fn cut(error: ReadExactError) -> Error {
    match error {
        ReadExactError::FinishedEarly(_) => Error::protocol("a message ended early"),
        ReadExactError::ReadError(error) => error.into(),
    }
}

/// Sends the rest of a file.
pub(crate) async fn send(
    stream: &mut SendStream,
    mut source: Source,
    done: &AtomicU64,
) -> Result<Source, Error> {
    loop {
        let read;
        (source, read) = blocking(move || {
            let mut piece = vec![0; PIECE];
            let read = source.read(&mut piece)?;
            piece.truncate(read);
            Ok((source, Bytes::from(piece)))
        })
        .await?;
        if read.is_empty() {
            return Ok(source);
        }
        let length = read.len() as u64;
        stream.write_chunk(read).await?;
        done.fetch_add(length, Ordering::Relaxed);
    }
}

/// What has arrived of a file, and why it ended early, if it did.
pub(crate) struct Received {
    pub part: Part,
    pub ended: Result<(), Error>,
}

/// Receives a file up to its last byte.
pub(crate) async fn receive(
    stream: &mut RecvStream,
    mut part: Part,
    size: u64,
    done: &AtomicU64,
) -> Result<Received, Error> {
    let ended = loop {
        let left = size - part.length();
        if left == 0 {
            break Ok(());
        }
        let got = match packets(stream, left).await {
            Ok(got) => got,
            Err(error) => break Err(error),
        };
        let bytes: u64 = got.iter().map(|packet| packet.len() as u64).sum();
        part = blocking(move || {
            got.iter().try_for_each(|packet| part.add(packet))?;
            Ok(part)
        })
        .await?;
        done.fetch_add(bytes, Ordering::Relaxed);
    };
    Ok(Received { part, ended })
}

/// Reads some packets' bytes, and never more than are left: messages follow the file.
async fn packets(stream: &mut RecvStream, left: u64) -> Result<Vec<Bytes>, Error> {
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    let early = || Error::protocol("the file ended early");
    if left <= PIECE {
        let chunk = stream.read_chunk(left, true).await?;
        return chunk.map(|chunk| vec![chunk.bytes]).ok_or_else(early);
    }
    let mut packets = vec![Bytes::new(); PACKETS];
    let read = stream.read_chunks(&mut packets).await?;
    packets.truncate(read.ok_or_else(early)?);
    let bytes: usize = packets.iter().map(Bytes::len).sum();
    if bytes > left {
        return Err(Error::protocol("packets are too large"));
    }
    Ok(packets)
}

/// Runs what waits for a disk, or computes for long, beside the connections.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::Local(format!("a thread failed: {error}"))))
}

/// Does `work`, takes samples, and calls `tell` ten times a second.
pub(crate) async fn watched<T>(
    work: impl Future<Output = T>,
    end: &End,
    mut samples: Option<&mut Samples>,
    tell: &mut (dyn FnMut(Sample) + Send),
) -> T {
    let often = std::time::Duration::from_millis(100);
    let mut told = Instant::now();
    tokio::pin!(work);
    loop {
        let due = samples.as_ref().map(|samples| samples.due());
        let next = due.map_or(told + often, |due| due.min(told + often));
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = tokio::time::sleep_until(next.into()) => {}
        }
        let now = Instant::now();
        let sample = end.sample();
        if let Some(samples) = &mut samples
            && samples.due() <= now
        {
            samples.keep(sample, now);
        }
        if now >= told + often {
            told = now;
            tell(sample);
        }
    }
}
