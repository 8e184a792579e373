//! A file to a server.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quinn::{RecvStream, SendStream};
use tokio::time::timeout;

use super::{COMPARISON, Link, Options, Peer, Tell, samples};
use crate::error::{Closed, Error};
use crate::limits::Slow;
use crate::message::{LONGEST_ANSWER, Message};
use crate::moving::{blocking, hear, say, send, watched};
use crate::name::Name;
use crate::source::Source;
use crate::statistics::{End, Progress, Report, Samples, rate};

/// Puts a file, or the rest of it, under a name at the server.
///
/// # Errors
/// If the server refuses, or the connection breaks: what has arrived is kept there for another attempt.
pub async fn put(
    peer: &Peer,
    file: &Path,
    name: &Name,
    options: &Options,
    tell: Tell<'_>,
) -> Result<Report, Error> {
    let path = file.to_owned();
    let source = blocking(move || match path.exists() {
        true => Source::open(&path),
        false => Err(Error::Input(format!("there is no file {}", path.display()))),
    });
    let source = source.await?;
    let link = Box::pin(Link::connect(peer, options, "dumbbell transfer put")).await?;
    let report = Box::pin(transfer(&link, peer, source, name, options, tell)).await;
    link.close().await;
    report
}

async fn transfer(
    link: &Link,
    peer: &Peer,
    mut source: Source,
    name: &Name,
    options: &Options,
    tell: Tell<'_>,
) -> Result<Report, Error> {
    let (mut request, mut answer) = link.end.connection.open_bi().await?;
    let size = source.size();
    let put = Message::Put {
        token: peer.token.clone(),
        name: name.to_string(),
        size,
    };
    say(&mut request, &put).await?;
    let have = match answered(&mut answer, COMPARISON).await? {
        Message::Have(have) => have,
        other => return Err(Error::protocol(format!("{other:?}"))),
    };
    let from;
    (source, from) = blocking(move || {
        let from = source.resume(&have)?;
        Ok((source, from))
    })
    .await?;
    let end = End {
        began: Instant::now(),
        ..link.end.clone()
    };
    let mut samples = samples(options, end.began);
    let done = AtomicU64::new(0);
    let acked = || end.record.told().acked_bytes;
    let sent = Box::pin(rest(&mut request, source, from, &done));
    let sent = options.patience.wait(sent, acked);
    let sent = async { sent.await.unwrap_or_else(|Slow| Err(slow())) };
    let work = Box::pin(upload(sent, &mut answer));
    let mut show = |now| {
        let done = from + done.load(Ordering::Relaxed);
        tell(Progress { done, size, now });
    };
    let work = watched(work, &end, samples.as_mut(), &mut show);
    let uploaded = match options.stop_after {
        Some(limit) => timeout(limit, work).await.ok(),
        None => Some(work.await),
    };
    let seconds = end.began.elapsed().as_secs_f64();
    let stored = match uploaded {
        Some(uploaded) => uploaded?,
        None => {
            // What is in the buffers is not sent any more.
            let _ = request.reset(Closed::Stopped.code());
            let stored = answered(&mut answer, options.patience.span).await?;
            (stored, None)
        }
    };
    let (Message::Stored { length, complete }, blake3) = stored else {
        return Err(Error::protocol(format!("{:?}", stored.0)));
    };
    let transferred = length.saturating_sub(from);
    let taken = samples.map(Samples::into_taken).unwrap_or_default();
    Ok(Report {
        transfer: "put".to_owned(),
        name: name.to_string(),
        size,
        resumed_from: from,
        transferred,
        seconds,
        goodput_bps: rate(transferred, seconds),
        complete,
        blake3,
        sender: Some(end.statistics(taken)),
    })
}

/// Sends the rest of the file, and returns its hash.
async fn rest(
    request: &mut SendStream,
    source: Source,
    from: u64,
    done: &AtomicU64,
) -> Result<String, Error> {
    say(request, &Message::From { from }).await?;
    let source = send(request, source, done).await?;
    let blake3 = source.finish()?.to_hex().to_string();
    let end = Message::End {
        blake3: blake3.clone(),
    };
    say(request, &end).await?;
    Ok(blake3)
}

/// Waits until all is sent and stored, and returns the server's answer and the hash.
async fn upload(
    sent: impl Future<Output = Result<String, Error>>,
    answer: &mut RecvStream,
) -> Result<(Message, Option<String>), Error> {
    tokio::pin!(sent);
    // A server that cannot go on says so before it has all.
    tokio::select! {
        sent = &mut sent => {
            let blake3 = match sent {
                Ok(blake3) => blake3,
                // The answer says why, if there is one.
                Err(error @ Error::Lost(_)) => {
                    let told = answered(answer, Duration::from_secs(1)).await;
                    return match told {
                        Err(refused @ Error::Refused(_)) => Err(refused),
                        _ => Err(error),
                    };
                }
                Err(error) => return Err(error),
            };
            // What is in the buffers is still sent, and the server writes its disk.
            Ok((answered(answer, COMPARISON).await?, Some(blake3)))
        }
        early = told(answer) => match early? {
            stored @ Message::Stored { .. } => Ok((stored, None)),
            other => Err(Error::protocol(format!("{other:?}"))),
        },
    }
}

/// The server's answer, within this time.
async fn answered(answer: &mut RecvStream, within: Duration) -> Result<Message, Error> {
    timeout(within, told(answer)).await.map_err(|_| slow())?
}

async fn told(answer: &mut RecvStream) -> Result<Message, Error> {
    match hear(answer, LONGEST_ANSWER).await? {
        Message::Refused(why) => Err(Error::Refused(why)),
        message => Ok(message),
    }
}

fn slow() -> Error {
    Error::Lost("the server was silent or slow for too long".to_owned())
}
