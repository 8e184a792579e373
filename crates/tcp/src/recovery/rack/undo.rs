//! Undoing the reaction to losses that were none, as Linux does.
//!
//! | sign that segments were only late | where it counts |
//! |---|---|
//! | DSACKs have reported every retransmission of the episode (RFC 3708) | in an episode and after it |
//! | an ACK of new data echoes a time before the first retransmission (Eifel detection, RFC 3522) | in an episode, after a timeout |
//! | an ACK reports a segment that was sent before a timeout and not since (F-RTO, RFC 5682, section 3.1) | after a timeout |
//!
//! The window and the threshold become at least those before the cut; for the threshold, that is at least
//! three quarters of the window. An episode can be undone once. A DSACK counts for one retransmission, and only
//! if its segment belongs to the episode and, above the cumulative ACK, was sent again. A receiver that forges them
//! can get back the window before the cut, but never more.
//!
//! Readings, all as in Linux: after a timeout in an episode, the window before the episode is restored. F-RTO is not used
//! then. On a partial ACK, an echo counts once no retransmission is under way, and it shows reordering.

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::units::{Instant, Segments};

use super::Rack;
use crate::connection::{Connection, Phase};
use crate::segment::SackBlock;

/// Which signs are watched, and what is known of the latest episode.
#[derive(Clone, Debug)]
pub(super) struct Undo {
    /// Whether DSACKs and echoes count.
    signs: bool,
    frto: bool,
    /// The first segment of the episode, and window and threshold before it; `None` if there is nothing to
    /// undo.
    episode: Option<(u64, Window)>,
    /// Retransmissions of the episode that no DSACK has reported.
    unreported: u64,
    /// When the first of them was sent.
    first_again: Option<Instant>,
    /// The segment that the current ACK echoes was sent before this time.
    echoed_before: Option<Instant>,
    /// Whether F-RTO still has to decide.
    undecided: bool,
    /// Whether new segments go out on this ACK instead of lost ones (RFC 5682, step 2b).
    pub(super) new_first: bool,
}

impl Default for Undo {
    fn default() -> Self {
        Self::new(false, false)
    }
}

impl Undo {
    pub(super) fn new(signs: bool, frto: bool) -> Self {
        Self {
            signs,
            frto,
            episode: None,
            unreported: 0,
            first_again: None,
            echoed_before: None,
            undecided: false,
            new_first: false,
        }
    }

    /// An episode begins, before the window is cut. `probed` is whether a probe that was sent before is
    /// still under way.
    pub(super) fn begin<C: Controller>(&mut self, tx: &Connection<C>, probed: bool) {
        let window = tx.control.window();
        let most = Segments::from_raw(window.cwnd.raw() / 4 * 3);
        let ssthresh = window.ssthresh.max(most);
        self.episode = Some((tx.una, Window { ssthresh, ..window }));
        self.unreported = u64::from(probed);
        self.first_again = None;
        self.undecided = false;
    }

    /// The window is cut for a mark, which nothing undoes: what came before is settled.
    pub(super) fn forget(&mut self) {
        self.episode = None;
    }

    /// The retransmission timer fires, before the window is cut.
    pub(super) fn before_timeout<C: Controller>(&mut self, tx: &Connection<C>, probed: bool) {
        let again = tx.consecutive > 0;
        let over = tx.recover().is_none_or(|recover| tx.una > recover);
        if tx.phase == Phase::Open || over || tx.phase == Phase::Loss && !again {
            self.begin(tx, probed);
        }
        self.undecided = self.frto && (tx.phase == Phase::Open || again);
    }

    /// A segment is sent again.
    pub(super) fn count(&mut self, now: Instant) {
        self.unreported += 1;
        self.first_again.get_or_insert(now);
    }

    pub(super) fn on_echo(&mut self, before: Instant) {
        self.echoed_before = Some(before);
    }

    /// Whether every retransmission has been reported as one too many.
    fn all_reported(&self) -> bool {
        self.signs && self.first_again.is_some() && self.unreported == 0
    }

    /// Whether the current ACK echoes a time before the first retransmission.
    fn echoes_original(&self) -> bool {
        self.signs
            && self.echoed_before.is_some_and(|before| {
                let again = self.first_again;
                again.is_some_and(|again| before <= again)
            })
    }
}

/// The segment that an ACK reports as having arrived before (RFC 2883, section 4): its first block, if that
/// is below the cumulative ACK or inside the second block.
pub(super) fn dsack(ack: u64, blocks: &[SackBlock]) -> Option<SackBlock> {
    let first = *blocks.first()?;
    let inside = blocks
        .get(1)
        .is_some_and(|run| run.start <= first.start && first.end <= run.end);
    (first.start < first.end && (first.end <= ack || inside)).then_some(first)
}

impl Rack {
    /// Takes a report that a segment has arrived twice.
    pub(super) fn on_dsack<C: Controller>(&mut self, tx: &Connection<C>, block: SackBlock) {
        let Some((begin, _)) = self.undo.episode else {
            return;
        };
        let of_episode = block.start >= begin && block.end <= tx.high;
        let again = || block.start < tx.una || tx.records.at(block.start).transmissions() > 1;
        if of_episode && again() {
            self.undo.unreported = self.undo.unreported.saturating_sub(1);
        }
    }

    /// Undoes the reaction to the latest episode if the ACK shows that nothing was lost. `original` is whether
    /// it newly reports a segment that was sent before the timeout and not since; `sacks` whether
    /// it has news above a hole. Returns whether something was undone.
    pub(super) fn judge<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        original: bool,
        sacks: bool,
    ) -> bool {
        let advances = ack > tx.una;
        let over = tx.recover().is_none_or(|recover| ack > recover);
        let (reported, echoed) = (self.undo.all_reported(), self.undo.echoes_original());
        self.undo.echoed_before = None;
        self.undo.new_first = false;
        if self.undo.episode.is_none() {
            return false;
        }
        match tx.phase {
            Phase::Recovery if over => reported || echoed,
            Phase::Recovery if advances && echoed => {
                let again = |seq| {
                    let record = tx.records.at(seq);
                    record.transmissions() > 1 && !record.sacked() && !record.lost()
                };
                if (ack..tx.high).any(again) {
                    return false;
                }
                self.detection.on_reordering();
                self.find_all(tx);
                true
            }
            Phase::Recovery | Phase::Open => reported,
            Phase::Loss if advances && (reported || echoed) => {
                self.find_all(tx);
                true
            }
            Phase::Loss if self.undo.undecided => self.decide(tx, ack, original, sacks),
            Phase::Loss => false,
        }
        .then(|| self.give_back(tx))
        .is_some()
    }

    /// F-RTO (RFC 5682, section 3.1, step 2b and steps 3a and 3b). Returns whether the timeout was spurious.
    fn decide<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        original: bool,
        sacks: bool,
    ) -> bool {
        if original {
            self.find_all(tx);
            return true;
        }
        let advances = ack > tx.una;
        if tx.recover().is_some_and(|recover| tx.high > recover + 1) {
            self.undo.undecided = advances && !sacks;
        } else if advances {
            self.undo.new_first = tx.has_new_data();
            self.undo.undecided = self.undo.new_first;
        }
        false
    }

    /// No segment is lost any longer.
    fn find_all<C: Controller>(&mut self, tx: &mut Connection<C>) {
        for seq in tx.una..tx.high {
            tx.records.set_lost(seq, false);
        }
        self.lost = 0;
    }

    fn give_back<C: Controller>(&mut self, tx: &mut Connection<C>) {
        if let Some((_, window)) = self.undo.episode.take() {
            tx.control.restore(&window);
            tx.undone += 1;
        }
        self.undo.undecided = false;
        if tx.phase != Phase::Open {
            tx.leave_recovery();
        }
    }

    /// An ACK arrives while nothing is outstanding, or an old one: a DSACK may be the last of its episode.
    pub(super) fn on_late_dsack<C: Controller>(
        &mut self,
        tx: &mut Connection<C>,
        ack: u64,
        blocks: &[SackBlock],
    ) {
        let block = dsack(ack, blocks).filter(|_| ack <= tx.high);
        if let Some(block) = block {
            self.on_dsack(tx, block);
            if tx.phase == Phase::Open && self.undo.episode.is_some() && self.undo.all_reported() {
                self.give_back(tx);
            }
        }
    }
}
