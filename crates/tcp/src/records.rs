//! The record that a sender keeps of each segment in flight.

use dumbbell_control::hint::cold_path;
use std::ops::Range;

use dumbbell_control::units::Instant;

/// A segment that has been sent and is not yet acknowledged.
///
/// The top 54 bits are the time at which it was last sent, in nanoseconds: 208 days. The next 8 count how
/// often it has been sent, up to 255. The last two say whether it is lost and whether the receiver has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record(u64);

const SACKED: u64 = 1;
const LOST: u64 = 1 << 1;
const SENDS: u64 = 0b1111_1111 << 2;
const ONE_SEND: u64 = 1 << 2;
const TIME_SHIFT: u32 = 10;

impl Record {
    /// A segment that is sent for the first time.
    #[inline]
    fn first(sent_at: Instant) -> Self {
        Self(shifted(sent_at) | ONE_SEND)
    }

    /// When it was last sent.
    #[inline]
    pub fn sent_at(self) -> Instant {
        Instant::from_nanos(self.0 >> TIME_SHIFT)
    }

    /// How often it has been sent, at most 255.
    #[inline]
    pub fn transmissions(self) -> u32 {
        ((self.0 & SENDS) / ONE_SEND) as u32
    }

    /// Whether the receiver has reported it in a SACK block.
    #[inline]
    pub fn sacked(self) -> bool {
        self.0 & SACKED != 0
    }

    /// Whether it is lost and has not been sent again since; only [`Rack`](crate::recovery::Rack) sets it.
    #[inline]
    pub fn lost(self) -> bool {
        self.0 & LOST != 0
    }

    /// Counts one more transmission.
    #[inline]
    fn send_again(&mut self, sent_at: Instant) {
        let sends = ((self.0 & SENDS) + ONE_SEND).min(SENDS);
        self.0 = shifted(sent_at) | sends | self.0 & (SACKED | LOST);
    }
}

#[inline]
fn shifted(time: Instant) -> u64 {
    let nanos = time.as_nanos();
    debug_assert!(nanos >> (u64::BITS - TIME_SHIFT) == 0, "beyond 208 days");
    nanos << TIME_SHIFT
}

/// The least room, in groups: so many are often needed again.
const FEW: usize = 8;
/// The room is a multiple of so many.
const STEP: usize = 4;
/// A connection that has sent so many segments, with losses, will keep some apart.
const LONG: u64 = 512;

/// Segments of a group.
const GROUP: u64 = 8;

/// The records of consecutive segments that begin with a multiple of [`GROUP`]. They take half the memory of as many
/// [`Record`]s: an entry holds the time since the first of them was sent, above the flags.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    since: u64,
    entries: [u32; GROUP as usize],
}

/// In an entry, above the flags of a record: it has been sent a second time, at the time that the entry holds.
const TWICE: u32 = ONE_SEND as u32;
const OFFSET_SHIFT: u32 = 3;
/// An entry from this one on: the record is kept apart.
const APART: u32 = u32::MAX << OFFSET_SHIFT;
/// Later times do not fit an entry: 0.54 s.
const MOST: u64 = (APART >> OFFSET_SHIFT) as u64 - 1;

/// The records of consecutive segments. Their memory grows in small steps with the flight, and shrinks after a loss
/// episode that has left a smaller one: with many connections, this is most of what they take.
///
/// Segments that have been sent a third time, or long after others of their group, are kept apart.
#[derive(Clone, Debug, Default)]
pub struct Records {
    groups: Box<[Group]>,
    /// The number of the first of them.
    first: u64,
    /// Those kept apart.
    apart: Option<Box<Apart>>,
}

/// Records kept apart, in ascending order, and some below the flight.
#[derive(Clone, Debug, Default)]
struct Apart(Vec<(u64, Record)>);

impl Records {
    /// Without a record.
    pub fn new() -> Self {
        Self::default()
    }

    /// The records of another connection, in the memory of these.
    pub(crate) fn renewed(mut self) -> Self {
        self.first = 0;
        if let Some(Apart(records)) = self.apart.as_deref_mut() {
            records.clear();
        }
        self
    }

    #[inline]
    fn place(&self, seq: u64) -> usize {
        (seq / GROUP).wrapping_sub(self.first) as usize
    }

    /// The record of a segment in flight; a meaningless one of any other.
    #[inline]
    pub fn at(&self, seq: u64) -> Record {
        let Some(group) = self.groups.get(self.place(seq)) else {
            return Record::default();
        };
        let entry = group.entries[(seq % GROUP) as usize];
        if entry >= APART {
            cold_path();
            return self.apart(seq);
        }
        let time = group.since + u64::from(entry >> OFFSET_SHIFT);
        Record((time << TIME_SHIFT) + ONE_SEND + u64::from(entry & !APART))
    }

    /// When a segment in flight was sent, if it was sent once.
    #[inline]
    pub(crate) fn sent_once(&self, seq: u64) -> Option<Instant> {
        let group = self.groups.get(self.place(seq))?;
        let entry = group.entries[(seq % GROUP) as usize];
        if entry & TWICE != 0 {
            cold_path();
            return None;
        }
        if entry >= APART {
            cold_path();
            let record = self.apart(seq);
            return (record.transmissions() == 1).then(|| record.sent_at());
        }
        Some(Instant::from_nanos(
            group.since + u64::from(entry >> OFFSET_SHIFT),
        ))
    }

    /// The memory that the record of this segment takes, or will take, as far as there is any yet.
    #[inline]
    pub(crate) fn memory(&self, seq: u64) -> &[u32] {
        let group = self.groups.get(self.place(seq));
        group.map_or(&[], |group| &group.entries[(seq % GROUP) as usize..])
    }

    /// Starts the record of segment `seq`, sent for the first time while `una` is the oldest in flight.
    #[inline]
    pub fn start(&mut self, una: u64, seq: u64, sent_at: Instant) {
        let place = self.place(seq);
        let Some(group) = self.groups.get_mut(place) else {
            cold_path();
            return self.start_in_more_room(una, seq, sent_at);
        };
        let now = sent_at.as_nanos();
        if seq == una || seq.is_multiple_of(GROUP) {
            group.since = now;
        }
        let offset = now.wrapping_sub(group.since);
        if offset > MOST {
            cold_path();
            return self.set_apart(una, seq, Record::first(sent_at));
        }
        group.entries[(seq % GROUP) as usize] = (offset as u32) << OFFSET_SHIFT;
    }

    /// Counts one more transmission of segment `seq`, while `una` is the oldest in flight.
    pub(crate) fn send_again(&mut self, una: u64, seq: u64, sent_at: Instant) {
        let mut record = self.at(seq);
        record.send_again(sent_at);
        let place = self.place(seq);
        if let Some(group) = self.groups.get_mut(place) {
            let offset = sent_at.as_nanos().wrapping_sub(group.since);
            if offset <= MOST && record.transmissions() == 2 {
                let entry = &mut group.entries[(seq % GROUP) as usize];
                *entry = (offset as u32) << OFFSET_SHIFT | TWICE | *entry & !APART;
                return;
            }
        }
        self.set_apart(una, seq, record);
    }

    /// Sets whether the receiver has reported a segment in flight in a SACK block.
    #[inline]
    pub fn set_sacked(&mut self, seq: u64, sacked: bool) {
        self.flag(seq, SACKED as u32, sacked);
    }

    /// Sets whether a segment in flight is lost and has not been sent again since; only
    /// [`Rack`](crate::recovery::Rack) does.
    #[inline]
    pub fn set_lost(&mut self, seq: u64, lost: bool) {
        self.flag(seq, LOST as u32, lost);
    }

    #[inline]
    fn flag(&mut self, seq: u64, flag: u32, set: bool) {
        let place = self.place(seq);
        let Some(group) = self.groups.get_mut(place) else {
            return;
        };
        let entry = &mut group.entries[(seq % GROUP) as usize];
        if *entry >= APART {
            return self.flag_apart(seq, u64::from(flag), set);
        }
        *entry = *entry & !flag | if set { flag } else { 0 };
    }

    #[cold]
    fn flag_apart(&mut self, seq: u64, flag: u64, set: bool) {
        if let Some(Apart(records)) = self.apart.as_deref_mut()
            && let Ok(place) = place_of(records, seq)
        {
            let Record(bits) = &mut records[place].1;
            *bits = *bits & !flag | if set { flag } else { 0 };
        }
    }

    #[cold]
    fn apart(&self, seq: u64) -> Record {
        let Some(Apart(records)) = self.apart.as_deref() else {
            return Record::default();
        };
        let place = place_of(records, seq);
        place.map_or(Record::default(), |place| records[place].1)
    }

    /// Keeps a record apart.
    #[cold]
    fn set_apart(&mut self, una: u64, seq: u64, record: Record) {
        let Apart(records) = &mut **self.apart.get_or_insert_default();
        if records.len() == records.capacity() {
            // Those below the flight make room, unless they are too few for the work.
            let below = records.partition_point(|&(seq, _)| seq < una);
            if below >= records.len() / 2 {
                records.drain(..below);
            }
            records.reserve(FEW);
        }
        match place_of(records, seq) {
            Ok(place) => records[place].1 = record,
            Err(place) => records.insert(place, (seq, record)),
        }
        let place = self.place(seq);
        if let Some(group) = self.groups.get_mut(place) {
            group.entries[(seq % GROUP) as usize] = APART;
        }
    }

    #[cold]
    #[inline(never)]
    fn start_in_more_room(&mut self, una: u64, seq: u64, sent_at: Instant) {
        self.make_room(una, seq);
        self.start(una, seq, sent_at);
    }

    /// Makes room for the group of segment `seq`: in the place of groups that are no longer in flight, if enough are
    /// not.
    fn make_room(&mut self, una: u64, seq: u64) {
        let needed = (seq / GROUP - una / GROUP + 1) as usize;
        if needed + needed / 16 < self.groups.len() {
            self.shift(una..seq);
        } else {
            let room = (needed + needed / 8).next_multiple_of(STEP);
            self.resize(una..seq, room.max(FEW));
        }
    }

    /// Returns memory if it is not small, and the segments in flight need a quarter of it or less.
    #[cold]
    pub(crate) fn trim(&mut self, flight: Range<u64>) {
        let needed = (flight.end / GROUP - flight.start / GROUP + 1) as usize;
        if self.groups.len() > FEW.max(4 * needed) {
            self.resize(flight, FEW.max(needed + 1));
        }
    }

    /// Makes room for what a connection that has sent so many segments is likely to need later.
    #[cold]
    pub(crate) fn settle(&mut self, flight: Range<u64>) {
        if flight.end <= LONG || self.apart.is_some() {
            return;
        }
        self.apart = Some(Box::new(Apart(Vec::with_capacity(FEW))));
        if self.groups.len() < 2 * FEW {
            self.resize(flight, 2 * FEW);
        }
    }

    /// The places of the groups of this flight.
    fn places(&self, flight: &Range<u64>) -> Range<usize> {
        let start = self.place(flight.start).min(self.groups.len());
        let end = self.place(flight.end.next_multiple_of(GROUP));
        start..end.clamp(start, self.groups.len())
    }

    fn shift(&mut self, flight: Range<u64>) {
        let places = self.places(&flight);
        self.groups.copy_within(places, 0);
        self.first = flight.start / GROUP;
    }

    fn resize(&mut self, flight: Range<u64>, room: usize) {
        let mut groups = Vec::with_capacity(room);
        groups.extend_from_slice(&self.groups[self.places(&flight)]);
        groups.resize(room, Group::default());
        self.groups = groups.into();
        self.first = flight.start / GROUP;
    }
}

fn place_of(records: &[(u64, Record)], seq: u64) -> Result<usize, usize> {
    records.binary_search_by_key(&seq, |&(seq, _)| seq)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    #[test]
    fn growing_keeps_the_records_in_flight() {
        let mut records = Records::new();
        for seq in 100..116 {
            records.start(100, seq, at(seq));
        }
        records.send_again(100, 107, at(117));
        for seq in 116..350 {
            records.start(105, seq, at(seq));
        }
        for seq in (105..350).filter(|&seq| seq != 107) {
            assert_eq!(
                (records.at(seq).sent_at(), records.at(seq).transmissions()),
                (at(seq), 1)
            );
        }
        assert_eq!(
            (records.at(107).sent_at(), records.at(107).transmissions()),
            (at(117), 2)
        );
        assert_eq!(
            records.at(8).transmissions(),
            0,
            "there is no memory for it"
        );
    }

    #[test]
    fn a_record_keeps_its_time_and_its_count_beside_the_flags() {
        let mut records = Records::new();
        records.start(0, 0, at(7));
        let late = at((1 << 54) - 1);
        records.set_sacked(0, true);
        assert_eq!(records.at(0).sent_at(), at(7));
        records.send_again(0, 0, late);
        records.set_lost(0, true);
        let record = records.at(0);
        assert_eq!((record.sent_at(), record.transmissions()), (late, 2));
        assert!(record.sacked() && record.lost());
        records.set_sacked(0, false);
        records.set_lost(0, false);
        let record = records.at(0);
        assert_eq!(
            (record.transmissions(), record.sacked(), record.lost()),
            (2, false, false)
        );
        for _ in 0..600 {
            records.send_again(0, 0, late);
        }
        assert_eq!(
            (records.at(0).transmissions(), records.at(0).sent_at()),
            (255, late)
        );
    }

    /// Beside a plain list of times, counts and flags, through windows that grow, shrink and stand still, with gaps
    /// that do not fit an entry and segments that are sent again.
    #[test]
    fn records_are_those_of_a_plain_list() {
        let (mut records, mut model) = (Records::new(), VecDeque::new());
        let (mut una, mut high, mut now) = (0, 0, 0);
        let mut random = 1_u64;
        for step in 0..60_000_u64 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step);
            let draw = random >> 33;
            now += if draw.is_multiple_of(97) {
                600_000_000
            } else {
                draw % 1000
            };
            let window = [3, 40, 300, 17][(step / 15_000) as usize];
            while high < una + window {
                records.start(una, high, at(now));
                model.push_back((now, 1, false, false));
                high += 1;
            }
            let seq = una + draw % (high - una);
            let place = (seq - una) as usize;
            match draw >> 8 & 3 {
                0 => {
                    records.send_again(una, seq, at(now));
                    (model[place].0, model[place].1) = (now, (model[place].1 + 1).min(255));
                }
                1 => {
                    records.set_sacked(seq, draw & 16 == 0);
                    model[place].2 = draw & 16 == 0;
                }
                2 => {
                    records.set_lost(seq, draw & 16 == 0);
                    model[place].3 = draw & 16 == 0;
                }
                _ => {
                    let acked = draw % 5 * (high - una) / 4;
                    una += acked;
                    model.drain(..acked as usize);
                    if draw.is_multiple_of(11) {
                        records.trim(una..high);
                    }
                }
            }
            if step % 64 < 4 {
                for (seq, &(time, sends, sacked, lost)) in (una..).zip(&model) {
                    let record = records.at(seq);
                    assert_eq!(record.sent_at(), at(time), "{seq} at step {step}");
                    let found = (record.transmissions(), record.sacked(), record.lost());
                    assert_eq!(found, (sends, sacked, lost), "{seq} at step {step}");
                }
            }
        }
        assert!(
            records.groups.len() < 60
                && records.apart.as_ref().map_or(0, |apart| apart.0.capacity()) <= 512
        );
    }

    #[test]
    fn trimming_keeps_the_flight_and_returns_memory_only_if_much_is_unused() {
        let mut records = Records::new();
        for seq in 0..1_000 {
            records.start(0, seq, at(seq));
        }
        let room = records.groups.len();
        assert!((125..=152).contains(&room), "{room}");
        records.trim(700..1_000);
        assert_eq!(records.groups.len(), room);
        records.trim(980..1_000);
        assert_eq!(records.groups.len(), FEW);
        assert!((980..1_000).all(|seq| records.at(seq).sent_at().as_nanos() == seq));
    }
}
