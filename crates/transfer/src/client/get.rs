//! A file from a server.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tokio::time::timeout;

use super::{COMPARISON, Link, Options, Peer, Tell};
use crate::error::Error;
use crate::limits::Slow;
use crate::message::{LONGEST_ANSWER, Message};
use crate::moving::{Received, blocking, hear, receive, say, watched};
use crate::name::Name;
use crate::part::Part;
use crate::statistics::{End, Progress, Report, Statistics, rate};

/// Gets a file, or the rest of it, into `out`. Until it is whole, it is `out` with `.part` after it.
///
/// # Errors
/// If the server refuses, or the connection breaks: what has arrived is kept for another attempt.
pub async fn get(
    peer: &Peer,
    name: &Name,
    out: &Path,
    options: &Options,
    tell: Tell<'_>,
) -> Result<Report, Error> {
    let target = out.to_owned();
    let part = blocking(move || Part::open(&target)).await?;
    let link = Box::pin(Link::connect(peer, options, "dumbbell transfer get")).await?;
    let report = Box::pin(transfer(&link, peer, name, part, options, tell)).await;
    link.close().await;
    report
}

async fn transfer(
    link: &Link,
    peer: &Peer,
    name: &Name,
    mut part: Part,
    options: &Options,
    tell: Tell<'_>,
) -> Result<Report, Error> {
    let (mut request, mut answer) = link.end.connection.open_bi().await?;
    let get = Message::Get {
        token: peer.token.clone(),
        name: name.to_string(),
        have: (part.length() > 0).then(|| part.prefix()),
        sample_ms: options
            .sample_every
            .map(|every| u32::try_from(every.as_millis()).unwrap_or(u32::MAX)),
    };
    say(&mut request, &get).await?;
    let file = timeout(COMPARISON, hear(&mut answer, LONGEST_ANSWER)).await;
    let (size, from) = match file.map_err(|_| slow())?? {
        Message::File { size, from } => (size, from),
        Message::Refused(why) => return Err(Error::Refused(why)),
        other => return Err(Error::protocol(format!("{other:?}"))),
    };
    if from == 0 && part.length() > 0 {
        // What is here is of another file, or of another version.
        part = blocking(move || {
            part.clear()?;
            Ok(part)
        })
        .await?;
    }
    if from != part.length() || from > size {
        return Err(Error::protocol("it goes on at another place"));
    }

    let end = End {
        began: Instant::now(),
        ..link.end.clone()
    };
    let done = AtomicU64::new(0);
    let moved = || done.load(Ordering::Relaxed);
    let work = Box::pin(receive(&mut answer, part, size, &done));
    let work = options.patience.wait(work, moved);
    let mut show = |now| {
        let done = from + moved();
        tell(Progress { done, size, now });
    };
    let work = watched(work, &end, None, &mut show);
    let received = match options.stop_after {
        Some(limit) => timeout(limit, work).await.ok(),
        None => Some(work.await),
    };
    let seconds = end.began.elapsed().as_secs_f64();
    let report = |blake3: Option<String>, sender| Report {
        transfer: "get".to_owned(),
        name: name.to_string(),
        size,
        resumed_from: from,
        transferred: moved(),
        seconds,
        goodput_bps: rate(moved(), seconds),
        complete: blake3.is_some(),
        blake3,
        sender,
    };
    let Some(received) = received else {
        return Ok(report(None, None));
    };
    let Received { part, ended } = received.map_err(|Slow| slow())??;
    ended?;
    say(&mut request, &Message::Received).await?;
    let (blake3, sender) = timeout(options.patience.span, sent(&mut answer))
        .await
        .map_err(|_| slow())??;
    let same = part.hash().to_hex().as_str() == blake3;
    blocking(move || {
        if same {
            part.finish(true)
        } else {
            part.discard()
        }
    })
    .await?;
    if !same {
        return Err(Error::Lost(
            "other bytes arrived than the server's hash says; start again".to_owned(),
        ));
    }
    Ok(report(Some(blake3), Some(sender)))
}

/// The hash, and the sender's statistics with its samples.
async fn sent(answer: &mut quinn::RecvStream) -> Result<(String, Statistics), Error> {
    let mut samples = Vec::new();
    loop {
        match hear(answer, LONGEST_ANSWER).await? {
            Message::Samples(some) => samples.extend(some),
            Message::Sent { blake3, mut sender } => {
                sender.samples = samples;
                return Ok((blake3, sender));
            }
            other => return Err(Error::protocol(format!("{other:?}"))),
        }
    }
}

fn slow() -> Error {
    Error::Lost("the server was silent or slow for too long".to_owned())
}
