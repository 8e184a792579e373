//! A finished run as a row of the store.

use dumbbell_run::Done;
use rusqlite::types::ValueRef;

use crate::{Fingerprint, Key, outcome, series};

/// Half of SQLite's limit for a row, which is a billion bytes.
const LARGEST: usize = 500_000_000;

/// An encoded run.
pub(crate) struct Row {
    pub(crate) key: Key,
    /// The hash of the words.
    pub(crate) name: [u8; 32],
    /// The part of the outcome that it shares with others.
    pub(crate) words: Vec<u8>,
    /// The rest of the outcome.
    pub(crate) outcome: Vec<u8>,
    /// The samples; `None` if the run is not sampled.
    pub(crate) series: Option<Vec<u8>>,
}

/// The owner of a row: the run to which it belongs.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) build: &'a [u8; 32],
    pub(crate) scenario: &'a [u8; 32],
    pub(crate) seed: u64,
}

/// The columns of a row that hold its run, in this order: checksum, words, outcome, samples.
pub(crate) const COLUMNS: &str = "checksum, words.bytes, outcome, series";

impl Row {
    /// Encodes a finished run; `None` if it is larger than the limit of a row.
    pub(crate) fn new(key: &Key, run: &Done) -> Option<Self> {
        let parts = outcome::encode(&run.outcome);
        let row = Self {
            key: key.clone(),
            name: *blake3::hash(&parts.words).as_bytes(),
            words: parts.words,
            outcome: parts.numbers,
            series: key.is_sampled().then(|| series::encode(&run.series)),
        };
        (row.size() <= LARGEST).then_some(row)
    }

    /// The approximate size of the row in bytes.
    pub(crate) fn size(&self) -> usize {
        self.words.len() + self.outcome.len() + self.series.as_ref().map_or(0, Vec::len)
    }

    /// The checksum of the row for this build.
    pub(crate) fn checksum(&self, build: &Fingerprint) -> i64 {
        let owner = Owner {
            build: build.as_bytes(),
            scenario: self.key.hash(),
            seed: self.key.seed(),
        };
        checksum(owner, &self.words, &self.outcome, self.series.as_deref())
    }
}

/// Decodes the run in a row's [columns](COLUMNS), which begin at column `first`; `None` if they are
/// not what was written for this owner.
pub(crate) fn read(row: &rusqlite::Row<'_>, first: usize, owner: Owner<'_>) -> Option<Done> {
    let blob = |place: usize| match row.get_ref(first + place) {
        Ok(ValueRef::Blob(bytes)) => Some(bytes),
        _ => None,
    };
    let (words, numbers) = (blob(1)?, blob(2)?);
    let series = match row.get_ref(first + 3).ok()? {
        ValueRef::Null => None,
        _ => Some(blob(3)?),
    };
    let expected = checksum(owner, words, numbers, series);
    if row.get_ref(first).ok()? != ValueRef::Integer(expected) {
        return None;
    }
    Some(Done {
        outcome: outcome::decode(words, numbers)?,
        series: series.map_or(Some(Vec::new()), series::decode)?,
    })
}

/// Computes the checksum that detects rows that are damaged or belong to another run.
fn checksum(owner: Owner<'_>, words: &[u8], numbers: &[u8], series: Option<&[u8]>) -> i64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(owner.build).update(owner.scenario);
    hasher.update(&owner.seed.to_le_bytes());
    for part in [Some(words), Some(numbers), series].into_iter().flatten() {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(first)
}
