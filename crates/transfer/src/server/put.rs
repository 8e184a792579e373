//! A file from a client to the server.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use quinn::{Connection, RecvStream, SendStream, VarInt};

use super::budget::FILE;
use super::{Failure, Refusal, Shared};
use crate::error::{Closed, Error};
use crate::limits::UNKNOWN_WINDOW;
use crate::message::{LONGEST_REQUEST, Message};
use crate::moving::{Received, UNCOUNTED, blocking, hear, receive, say};
use crate::name::Name;
use crate::part::Part;
use crate::source::Source;
use crate::statistics::{End, Report, rate};

/// How long a client may compare what is there with its file.
const COMPARISON: Duration = Duration::from_secs(600);

/// How long the transfer before may take to let go of its file.
const TAKE_OVER: Duration = Duration::from_secs(5);

/// What the server has under a name.
enum There {
    /// The whole file, and its hash.
    Whole(String),
    Part(Box<Part>),
}

impl There {
    fn open(path: &Path, size: u64) -> Result<(Self, u64), Error> {
        if std::fs::symlink_metadata(path).is_ok() {
            let mut source = Source::open(path)?;
            let hash = source.whole()?;
            return Ok((Self::Whole(hash), source.size()));
        }
        let mut part = Part::open(path)?;
        if part.length() > size {
            part.clear()?;
        }
        let length = part.length();
        Ok((Self::Part(Box::new(part)), length))
    }
}

/// The connections that write files, by path.
#[derive(Debug, Default)]
pub(super) struct Writers(Mutex<HashMap<PathBuf, Connection>>);

/// A connection's turn to write a file.
struct Turn<'w> {
    writers: &'w Writers,
    path: PathBuf,
    id: usize,
    interrupts: bool,
}

impl Writers {
    /// Ends the transfer that writes this file, if there is one, and has another take its place.
    fn take_over(&self, path: &Path, end: &End) -> Turn<'_> {
        let before = self.lock().insert(path.to_owned(), end.connection.clone());
        let before = before.filter(|before| before.stable_id() != end.connection.stable_id());
        if let Some(before) = &before {
            before.close(Closed::Replaced.code(), b"");
        }
        Turn {
            writers: self,
            path: path.to_owned(),
            id: end.connection.stable_id(),
            interrupts: before.is_some(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// Whether the transfer before this one may not have let go yet.
    fn waits(&self) -> bool {
        self.interrupts
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut writers = self.writers.lock();
        if writers
            .get(&self.path)
            .is_some_and(|one| one.stable_id() == self.id)
        {
            writers.remove(&self.path);
        }
    }
}

impl Shared {
    pub(super) async fn put(
        &self,
        end: &End,
        answer: &mut SendStream,
        request: &mut RecvStream,
        name: &Name,
        size: u64,
    ) -> Result<Report, Failure> {
        let no = |why: String| Err(Failure::Refused(Refusal::new(why)));
        if !self.allow_put {
            return no("the server takes no files (--allow-put)".to_owned());
        }
        let most = self.limits.put_size;
        if size > most {
            return no(format!("the server takes files of at most {most} bytes"));
        }
        let Some(path) = self.place.future(name) else {
            return no(format!("there is no folder for `{name}` at the server"));
        };
        // The newest attempt is the one that goes on: a client that was cut off cannot say so.
        let turn = self.writers.take_over(&path, end);
        let opened = tokio::time::timeout(TAKE_OVER, async {
            loop {
                let path = path.clone();
                match blocking(move || There::open(&path, size)).await {
                    Err(Error::Local(_)) if turn.waits() => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                    }
                    opened => return opened,
                }
            }
        });
        let busy = "the server cannot write the file, or another transfer is writing it";
        let opened = opened
            .await
            .unwrap_or_else(|_| Err(Error::Local(busy.to_owned())));
        let (there, length) =
            opened.map_err(|error| Failure::Refused(Refusal::hiding(busy, &error)))?;
        let have = match &there {
            There::Whole(blake3) => crate::message::Prefix {
                length,
                blake3: blake3.clone(),
            },
            There::Part(part) => part.prefix(),
        };
        say(answer, &Message::Have(have)).await?;
        let from = tokio::time::timeout(COMPARISON, hear(request, LONGEST_REQUEST)).await;
        let from = match from {
            Ok(Ok(Message::From { from })) => from,
            Ok(Ok(other)) => return Err(Error::protocol(format!("{other:?}")).into()),
            Ok(Err(error @ Error::Protocol(_))) => return Err(error.into()),
            Ok(Err(error)) => return Err(Failure::Closed(Closed::Done, error)),
            Err(_) => {
                let why = Error::Lost("the client did not go on".to_owned());
                return Err(Failure::Closed(Closed::Slow, why));
            }
        };
        let mut part = match there {
            There::Whole(hash) if from == length && length == size => {
                return self.already(answer, request, name, size, hash).await;
            }
            There::Whole(_) => {
                let _ = request.stop(Closed::Done.code());
                return no(format!("the server has another file `{name}`"));
            }
            There::Part(part) => *part,
        };
        match from {
            0 => {
                part = blocking(move || {
                    part.clear()?;
                    Ok(part)
                })
                .await
                .map_err(unwritable)?;
                self.budget
                    .release(if length > 0 { length + FILE } else { 0 });
            }
            _ if from == length => {}
            _ => return Err(Error::protocol("it goes on at another place").into()),
        }
        // A part that goes on has been counted when it began.
        let file = if from == 0 { FILE } else { 0 };
        let Some(reserved) = self.budget.reserve(file.saturating_add(size - from)) else {
            let (most, left) = (self.limits.put_total, self.budget.left());
            let _ = request.stop(Closed::Done.code());
            return no(format!(
                "of the {most} bytes that clients may put altogether (--put-total), {left} are left, and each file \
                 takes {FILE} more than it has"
            ));
        };
        // The peer has shown its token.
        let window = &end.connection;
        window.set_receive_window(VarInt::from_u32(self.limits.receive_window));
        let stored = AtomicU64::new(0);
        let done = self
            .take(answer, request, name, part, size, from, &stored)
            .await;
        window.set_receive_window(VarInt::from_u32(UNKNOWN_WINDOW));
        let stored = stored.into_inner();
        reserved.keep(match &done {
            Ok(report) if report.complete || stored > 0 => file + stored,
            // Nothing is left of a file that is not begun, or that has other bytes than its hash says.
            Ok(_) | Err(Failure::Refused(_)) if stored == 0 => 0,
            // What was being written is not known.
            _ => file + stored + UNCOUNTED,
        });
        done
    }

    /// Takes the rest of the file. `stored` counts those of its bytes that are on the disk.
    #[allow(clippy::too_many_arguments)]
    async fn take(
        &self,
        answer: &mut SendStream,
        request: &mut RecvStream,
        name: &Name,
        part: Part,
        size: u64,
        from: u64,
        stored: &AtomicU64,
    ) -> Result<Report, Failure> {
        let began = Instant::now();
        let moved = || stored.load(Ordering::Relaxed);
        let patience = self.limits.patience;
        let received = patience.wait(Box::pin(receive(request, part, size, stored)), moved);
        let slow = || {
            Failure::Closed(
                Closed::Slow,
                Error::Lost("the client was too slow".to_owned()),
            )
        };
        let Received { part, ended } = received.await.map_err(|_| slow())?.map_err(unwritable)?;
        let seconds = began.elapsed().as_secs_f64();
        let report = |blake3: Option<String>| Report {
            transfer: "serve".to_owned(),
            name: name.to_string(),
            size,
            resumed_from: from,
            transferred: moved(),
            seconds,
            goodput_bps: rate(moved(), seconds),
            complete: blake3.is_some(),
            blake3,
            sender: None,
        };
        let length = part.length();
        if ended.is_err() {
            // If the client is there still, it stopped the stream, and wants to know.
            let stored = Message::Stored {
                length,
                complete: false,
            };
            let _ = say(answer, &stored).await;
            return Ok(report(None));
        }
        let whole = tokio::time::timeout(patience.span, hear(request, LONGEST_REQUEST)).await;
        let blake3 = match whole {
            Ok(Ok(Message::End { blake3 })) => blake3,
            Ok(Ok(other)) => return Err(Error::protocol(format!("{other:?}")).into()),
            Ok(Err(error @ Error::Protocol(_))) => return Err(error.into()),
            // All bytes are there, and the next attempt will find them.
            Ok(Err(_)) => return Ok(report(None)),
            Err(_) => return Err(slow()),
        };
        let same = part.hash().to_hex().as_str() == blake3;
        let kept = blocking(move || {
            if same {
                part.finish(false)
            } else {
                part.discard()
            }
        });
        kept.await.map_err(unwritable)?;
        if !same {
            stored.store(0, Ordering::Relaxed);
            self.budget.release(if from > 0 { from + FILE } else { 0 });
            let why = "other bytes arrived than the hash says; start again";
            return Err(Failure::Refused(Refusal::new(why)));
        }
        let stored = Message::Stored {
            length,
            complete: true,
        };
        // It is stored, whether the client hears of it or not.
        let _ = say(answer, &stored).await;
        Ok(report(Some(blake3)))
    }

    /// The server has the very file.
    async fn already(
        &self,
        answer: &mut SendStream,
        request: &mut RecvStream,
        name: &Name,
        size: u64,
        hash: String,
    ) -> Result<Report, Failure> {
        let end = tokio::time::timeout(COMPARISON, hear(request, LONGEST_REQUEST)).await;
        if !matches!(end, Ok(Ok(Message::End { .. }))) {
            return Err(Error::protocol("no end follows").into());
        }
        let stored = Message::Stored {
            length: size,
            complete: true,
        };
        say(answer, &stored).await?;
        Ok(Report {
            transfer: "serve".to_owned(),
            name: name.to_string(),
            size,
            resumed_from: size,
            transferred: 0,
            seconds: 0.0,
            goodput_bps: 0.0,
            complete: true,
            blake3: Some(hash),
            sender: None,
        })
    }
}

fn unwritable(error: Error) -> Failure {
    let there = "the server cannot write the file";
    Failure::Refused(Refusal::hiding(there, &error))
}
