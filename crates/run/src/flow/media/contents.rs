//! What packets in flight carry that does not fit into them: it is stored here until they arrive or are lost.

use dumbbell_media::feedback::Feedback as Told;
use dumbbell_media::source::Fragment;
use dumbbell_quic::connection::AckFrame;
use dumbbell_sim::{EndpointId, Time};
use dumbbell_tfrc::packet::{Data, Feedback};
use slab::Slab;

use crate::flow::wire::Payload;

/// The contents of packets in flight, which do not fit into the packets themselves.
#[derive(Default)]
pub(crate) struct Contents {
    /// Those of media flows.
    pub(crate) media: Slab<Content>,
    /// The acknowledgements of QUIC connections.
    pub(crate) frames: Slab<AckFrame>,
    /// The reports on packets of media flows.
    pub(super) reports: Slab<Told>,
    /// Reports that have arrived, whose memory the next ones use.
    pub(super) spare: Vec<Told>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Content {
    Data(Data),
    /// Data that carries a part of a frame.
    Frame(Data, Fragment),
    Feedback(Feedback),
    /// A packet of a flow whose rate control is told its fate: its number, and its payload in bytes.
    Numbered(u64, u32),
    /// The same with a part of a frame.
    NumberedFrame(u64, Fragment),
    /// What became of such packets: the place of a report.
    Report(u32),
    /// The player asks for a key frame.
    KeyRequest,
}

/// So many reports wait to be used again at most.
const MOST_SPARE: usize = 4096;
/// Creates the payload of a packet whose content is stored until the packet arrives or is lost.
pub(super) fn keep(
    contents: &mut Contents,
    content: Content,
    endpoint: EndpointId,
    now: Time,
) -> Payload {
    // The simulator counts packets in flight in 32 bits, so the position fits.
    Payload::kept(
        contents.media.insert(content) as u32,
        (endpoint.index() / 2) as u32,
        now,
    )
}

impl Contents {
    /// Returns memory for a report.
    pub(super) fn report(&mut self) -> Told {
        let spare = self.spare.pop();
        spare.unwrap_or_else(Told::with_room)
    }

    /// Takes the memory of a report that has been read or is lost.
    pub(super) fn spare(&mut self, report: Told) {
        // Links that duplicate packets make more reports than are ever sent at a time.
        if self.spare.len() < MOST_SPARE {
            self.spare.push(report);
        }
    }

    /// Forgets a report that is lost.
    pub(crate) fn discard(&mut self, place: u32) {
        if let Some(report) = self.reports.try_remove(place as usize) {
            self.spare(report);
        }
    }

    /// Copies the content of a packet. Returns the copy's place; `None` if there is no content.
    pub(crate) fn copy(&mut self, place: u32) -> Option<u32> {
        let mut content = *self.media.get(place as usize)?;
        if let Content::Report(report) = &mut content
            && let Some(copy) = self.reports.get(*report as usize).cloned()
        {
            *report = self.reports.insert(copy) as u32;
        }
        Some(self.media.insert(content) as u32)
    }
}

/// Removes and returns the header of a media packet that is no longer in flight; `None`, and nothing removed, if it carries
/// something else or more.
#[inline(always)]
pub(super) fn take_data(contents: &mut Contents, payload: &Payload) -> Option<Data> {
    let (place, _) = payload.place()?;
    let Some(&Content::Data(data)) = contents.media.get(place as usize) else {
        return None;
    };
    contents.media.remove(place as usize);
    Some(data)
}

/// Removes and returns the content of a packet that is no longer in flight.
pub(crate) fn take(contents: &mut Contents, payload: &Payload) -> Option<Content> {
    let (place, _) = payload.place()?;
    contents.media.try_remove(place as usize)
}
