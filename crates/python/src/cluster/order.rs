//! What a worker is asked for: a batch of runs as bytes.

use dumbbell_store::{Fingerprint, Wanted};

/// What the bytes begin with, and the version of their form.
const MAGIC: &[u8; 8] = b"dumbbel1";

/// A batch of runs.
pub struct Order {
    /// The runs, by scenario.
    pub groups: Vec<Group>,
}

/// Runs of a scenario.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// The position of its text among those that go with the batch.
    pub text: usize,
    /// Whether they are sampled.
    pub sampled: bool,
    pub seeds: Vec<u64>,
}

impl Order {
    /// The order of these runs, and the texts of its scenarios.
    pub fn of(wanted: &[Wanted<'_>]) -> (Self, Vec<String>) {
        let mut groups = Vec::new();
        let mut texts = Vec::new();
        for runs in wanted.chunk_by(is_same) {
            let Wanted { job, key } = runs[0];
            texts.push(match key {
                Some(key) => key.scenario().to_owned(),
                None => job.scenario.canonical(),
            });
            groups.push(Group {
                text: texts.len() - 1,
                sampled: job.probe.is_some(),
                seeds: runs.iter().map(|it| it.job.seed).collect(),
            });
        }
        (Self { groups }, texts)
    }

    /// The order as bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(Fingerprint::of_this_build().as_bytes());
        let mut put = |number: u64| out.extend(number.to_le_bytes());
        for group in &self.groups {
            put(group.text as u64);
            put(u64::from(group.sampled));
            put(group.seeds.len() as u64);
            group.seeds.iter().copied().for_each(&mut put);
        }
        out
    }

    /// The order of these bytes.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| {
            "the worker runs another version of dumbbell than you do: install the same on all machines"
                .to_owned()
        })?;
        let (theirs, rest) = rest.split_first_chunk::<32>().ok_or(DAMAGED)?;
        let ours = Fingerprint::of_this_build();
        if theirs != ours.as_bytes() {
            return Err(format!(
                "the worker runs another build of dumbbell than you do, whose results may differ: \
                 fingerprint {} there, {} here; install the same wheel on all machines",
                short(ours.as_bytes()),
                short(theirs),
            ));
        }
        let (numbers, []) = rest.as_chunks::<8>() else {
            return Err(DAMAGED.to_owned());
        };
        let mut numbers = numbers.iter().map(|it| u64::from_le_bytes(*it));
        let mut groups = Vec::new();
        while let Some(text) = numbers.next() {
            let (Some(sampled), Some(count)) = (numbers.next(), numbers.next()) else {
                return Err(DAMAGED.to_owned());
            };
            let seeds: Vec<u64> = numbers.by_ref().take(count as usize).collect();
            if seeds.len() as u64 != count {
                return Err(DAMAGED.to_owned());
            }
            groups.push(Group {
                text: text as usize,
                sampled: sampled != 0,
                seeds,
            });
        }
        Ok(Self { groups })
    }
}

const DAMAGED: &str = "what the worker was asked for is damaged";

/// Whether two successive runs have the same scenario and are both sampled, or neither.
fn is_same(one: &Wanted<'_>, other: &Wanted<'_>) -> bool {
    std::ptr::eq(one.job.scenario, other.job.scenario)
        && one.job.probe.is_some() == other.job.probe.is_some()
}

/// The beginning of a fingerprint, for people.
fn short(fingerprint: &[u8; 32]) -> String {
    let bytes = fingerprint[..6].iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}
