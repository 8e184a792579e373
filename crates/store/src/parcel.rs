//! Finished runs as bytes, to be sent to another process of the same build.
//!
//! They are encoded as in a store. Successive runs with the same names share these. A checksum at the end
//! detects damage.

use dumbbell_run::Done;

use crate::codec::{Reader, Writer};
use crate::{outcome, series};

/// The size of the checksum.
const CHECKSUM: usize = 8;

/// Encodes finished runs.
pub fn pack<'r>(runs: impl IntoIterator<Item = &'r Done>) -> Vec<u8> {
    let mut out = Writer::default();
    let mut words = None;
    for run in runs {
        let parts = outcome::encode(&run.outcome);
        if words.as_ref() == Some(&parts.words) {
            out.count(0);
        } else {
            blob(&mut out, &parts.words);
            words = Some(parts.words);
        }
        blob(&mut out, &parts.numbers);
        match run.series.is_empty() {
            true => out.count(0),
            false => blob(&mut out, &series::encode(&run.series)),
        }
    }
    let checksum = checksum(&out.bytes);
    out.bytes.extend_from_slice(&checksum);
    out.bytes
}

/// Decodes finished runs; `None` if the bytes are not what [`pack`] returned.
pub fn unpack(bytes: &[u8]) -> Option<Vec<Done>> {
    let (body, found) = bytes.split_last_chunk::<CHECKSUM>()?;
    if *found != checksum(body) {
        return None;
    }
    let mut from = Reader::new(body);
    let mut words: &[u8] = &[];
    let mut runs = Vec::new();
    while !from.is_at_end() {
        let own = read(&mut from)?;
        if !own.is_empty() {
            words = own;
        }
        let numbers = read(&mut from)?;
        let samples = read(&mut from)?;
        runs.push(Done {
            outcome: outcome::decode(words, numbers)?,
            series: match samples.is_empty() {
                true => Vec::new(),
                false => series::decode(samples)?,
            },
        });
    }
    Some(runs)
}

fn blob(out: &mut Writer, bytes: &[u8]) {
    out.count(bytes.len());
    out.bytes.extend_from_slice(bytes);
}

fn read<'b>(from: &mut Reader<'b>) -> Option<&'b [u8]> {
    let length = from.count()?;
    from.take(length)
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut first = [0; CHECKSUM];
    first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM]);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_run::Run;
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    fn runs(control: &str) -> Vec<Done> {
        let text = format!(
            "
            duration = \"2 s\"
            probe = {{ interval = \"500 ms\", values = [\"cwnd\"] }}
            [dumbbell]
            access = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}
            bottleneck = {{ rate = \"1 Mb/s\", delay = \"20 ms\", queue = {{ droptail = 9 }} }}
            [[flow]]
            control = \"{control}\""
        );
        let scenario = Scenario::parse("test", &text, &Controls::builtin()).unwrap();
        let run = |seed: u64| {
            let probe = seed.is_multiple_of(2).then_some(&scenario.probe);
            Run::new(&scenario).seed(seed).probe(probe).go().unwrap()
        };
        (0..4).map(run).collect()
    }

    #[test]
    fn runs_of_several_scenarios_are_restored() {
        let mut all = runs("veno");
        all.extend(runs("reno"));
        let bytes = pack(&all);
        assert_eq!(unpack(&bytes), Some(all.clone()));
        assert!(!all[0].series.is_empty() && all[1].series.is_empty());
        // The names are there once for each scenario.
        let names = |bytes: &[u8]| bytes.windows(4).filter(|it| it == b"veno").count();
        assert_eq!(names(&bytes), names(&pack(&all[..1])));
        assert_eq!(unpack(&pack([])), Some(Vec::new()));
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let bytes = pack(&runs("veno"));
        for end in 0..bytes.len() {
            assert_eq!(unpack(&bytes[..end]), None);
        }
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert_eq!(unpack(&damaged), None, "at {place}");
        }
    }
}
