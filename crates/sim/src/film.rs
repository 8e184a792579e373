//! What happens to each packet on each link, for who wants to watch it.

use crate::host::Cause;
use crate::ids::LinkId;
use crate::packet::{Class, Kind};
use crate::queue::Admitted;
use crate::time::Time;

/// One packet on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop<P> {
    /// The payload from the sender.
    pub payload: P,
    /// The size on the wire, in bytes.
    pub bytes: u16,
    /// The kind given by the sender.
    pub kind: Kind,
    /// The link.
    pub link: LinkId,
    /// When the packet reached the queue of the link.
    pub arrived: Time,
    /// When its transmission began and ended; `None` if it was not transmitted within the run.
    pub transmitted: Option<(Time, Time)>,
    /// When it reached the end of the link; `None` if it did not within the run.
    pub delivered: Option<Time>,
    /// Why it never arrives, if so.
    pub cause: Option<Cause>,
}

/// What is recorded.
#[derive(Debug)]
pub(crate) struct Film<P> {
    pub hops: Vec<Hop<P>>,
    /// Only packets that reach a queue in this span, in nanoseconds.
    pub span: (u64, u64),
    pub most: usize,
    pub more: u64,
}

/// What became of a packet on a link.
pub(crate) enum End {
    Delivered(Admitted, u64),
    Lost(Admitted),
    Gone(Cause),
    Unfinished,
}

impl<P> Film<P> {
    #[cold]
    pub fn add(&mut self, link: u32, payload: P, class: Class, arrived: u64, end: End) {
        if arrived < self.span.0 || arrived > self.span.1 {
            return;
        }
        if self.hops.len() >= self.most {
            self.more += 1;
            return;
        }
        let on_air = |it: Admitted| {
            let begin = it.departure - it.tx.min(it.departure);
            Some((Time::from_nanos(begin), Time::from_nanos(it.departure)))
        };
        let (transmitted, delivered, cause) = match end {
            End::Delivered(admitted, due) => (on_air(admitted), Some(due), None),
            End::Lost(admitted) => (on_air(admitted), None, Some(Cause::Lost)),
            End::Gone(cause) => (None, None, Some(cause)),
            End::Unfinished => (None, None, None),
        };
        self.hops.push(Hop {
            payload,
            bytes: class.bytes(),
            kind: class.kind(),
            link: LinkId(link),
            arrived: Time::from_nanos(arrived),
            transmitted,
            delivered: delivered.map(Time::from_nanos),
            cause,
        });
    }
}
