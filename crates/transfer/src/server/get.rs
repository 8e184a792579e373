//! A file from the server to a client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quinn::{RecvStream, SendStream};

use super::{Failure, Refusal, Shared};
use crate::error::{Closed, Error};
use crate::message::{LONGEST_REQUEST, Message, Prefix, SAMPLES};
use crate::moving::{blocking, hear, say, send, watched};
use crate::name::Name;
use crate::source::Source;
use crate::statistics::{End, Report, Samples, rate};

impl Shared {
    pub(super) async fn get(
        &self,
        end: &End,
        answer: &mut SendStream,
        request: &mut RecvStream,
        name: &Name,
        have: Option<Prefix>,
        every: Option<Duration>,
    ) -> Result<Report, Failure> {
        let Some(path) = self.place.existing(name) else {
            let why = format!("there is no file `{name}` at the server");
            return Err(Failure::Refused(Refusal::new(why)));
        };
        let opened = blocking(move || {
            let mut source = Source::open(&path)?;
            let from = have.map_or(Ok(0), |have| source.resume(&have))?;
            Ok((source, from))
        });
        let (source, from) = opened.await.map_err(|error| {
            Failure::Refused(Refusal::hiding("the server cannot read the file", &error))
        })?;
        let size = source.size();
        let end = End {
            began: Instant::now(),
            ..end.clone()
        };
        let done = AtomicU64::new(0);
        let mut samples = every.map(|every| Samples::new(every, end.began));
        let work = Box::pin(async {
            say(answer, &Message::File { size, from }).await?;
            send(answer, source, &done).await
        });
        // The last bytes count, too: the statistics are taken when the client has all of them.
        let work = async {
            let source = work.await?;
            match hear(request, LONGEST_REQUEST).await? {
                Message::Received => Ok(source),
                other => Err(Error::protocol(format!("{other:?}"))),
            }
        };
        let acked = || end.record.told().acked_bytes;
        let work = self.limits.patience.wait(work, acked);
        let sent = watched(work, &end, samples.as_mut(), &mut |_| {}).await;
        let slow = || {
            Failure::Closed(
                Closed::Slow,
                Error::Lost("the client was too slow".to_owned()),
            )
        };
        let sent = sent.map_err(|_| slow())?;
        let report = |blake3: Option<String>, samples| {
            let seconds = end.began.elapsed().as_secs_f64();
            // What a client has that stopped is not known. It is not more than what it acknowledged.
            let most = if blake3.is_some() { u64::MAX } else { acked() };
            let transferred = done.load(Ordering::Relaxed).min(most);
            Report {
                transfer: "serve".to_owned(),
                name: name.to_string(),
                size,
                resumed_from: from,
                transferred,
                seconds,
                goodput_bps: rate(transferred, seconds),
                complete: blake3.is_some(),
                blake3,
                sender: Some(end.statistics(samples)),
            }
        };
        let source = match sent {
            Ok(source) => source,
            Err(error @ Error::Protocol(_)) => return Err(error.into()),
            Err(error @ Error::Local(_)) => return Err(Failure::Closed(Closed::Changed, error)),
            // The client has enough, or is gone.
            Err(_) => return Ok(report(None, Vec::new())),
        };
        let hash = source.finish();
        let hash = hash.map_err(|error| Failure::Closed(Closed::Changed, error))?;
        let blake3 = hash.to_hex().to_string();
        let taken = samples.map(Samples::into_taken).unwrap_or_default();
        let tail = async {
            for some in taken.chunks(SAMPLES) {
                say(answer, &Message::Samples(some.to_vec())).await?;
            }
            let (blake3, sender) = (blake3.clone(), end.statistics(Vec::new()));
            say(answer, &Message::Sent { blake3, sender }).await
        };
        let told = self.limits.patience.wait(tail, acked).await;
        match told.map_err(|_| slow())? {
            Ok(()) => Ok(report(Some(blake3), taken)),
            Err(_) => Ok(report(None, taken)),
        }
    }
}
