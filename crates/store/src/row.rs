//! A finished run as the store's row has it.

use dumbbell_run::Done;
use rusqlite::types::ValueRef;

use crate::{Fingerprint, Key, outcome, series};

/// SQLite takes rows of up to a billion bytes.
const LARGEST: usize = 500_000_000;

/// A finished run in the store's form.
pub(crate) struct Row {
    pub(crate) key: Key,
    /// The hash of the words.
    pub(crate) name: [u8; 32],
    /// What the outcome has in common with others.
    pub(crate) words: Vec<u8>,
    /// The rest of the outcome.
    pub(crate) outcome: Vec<u8>,
    /// The samples; none of a run that is not sampled.
    pub(crate) series: Option<Vec<u8>>,
}

/// Whose run a row is.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) build: &'a [u8; 32],
    pub(crate) scenario: &'a [u8; 32],
    pub(crate) seed: u64,
}

/// What a row has of its run, in this order: the checksum, the words, the outcome, the samples.
pub(crate) const COLUMNS: &str = "checksum, words.bytes, outcome, series";

impl Row {
    /// The row of a finished run; none if it is larger than a row may be.
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

    /// Its bytes, about.
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

/// The run of a row's [columns](COLUMNS) from the given one on; none if they are not what was written for
/// this owner.
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

/// What tells a row that was damaged, or is another run's, from a sound one.
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
