//! Measures the stays of a flow in a state: how many, how long, and when the first began; and selects the samples that
//! belong to a state.

use dumbbell_run::{Reading, Series, Subject};

use crate::description::{Keys, Node};

/// A number of the stays in a state. A stay is a longest sequence of samples with one word; it begins with the first
/// of them, and ends with the first sample of the next stay.
#[derive(Clone, Debug, PartialEq)]
pub struct Stays {
    /// The states.
    pub states: States,
    /// Only stays that follow one in these states; empty: any.
    pub after: Vec<String>,
    /// Only stays that one in these states follows; empty: any, or none.
    pub before: Vec<String>,
    /// Only stays that begin after this time, in seconds.
    pub from: f64,
    /// Only stays that begin at this time or before, in seconds.
    pub to: f64,
    /// The number.
    pub give: Give,
}

/// States by their words, in a sampled series.
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    /// The name of the series, such as `explain.phase`.
    pub of: String,
    /// The words.
    pub is: Vec<String>,
}

/// A number of stays. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Give {
    /// How many there are.
    Count,
    /// When the first one begins.
    Begin,
    /// The length of the longest one that ends.
    Longest,
    /// The length of the shortest one that ends.
    Shortest,
    /// The length of all of them.
    Time,
}

const GIVE: [(&str, Give); 5] = [
    ("count", Give::Count),
    ("begin", Give::Begin),
    ("longest", Give::Longest),
    ("shortest", Give::Shortest),
    ("time", Give::Time),
];

/// A stay of a flow in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Stay<'a> {
    word: &'a str,
    begin: f64,
    /// The beginning of the next one, or the last sample.
    end: f64,
    is_last: bool,
}

impl Stays {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`stays`")?;
        let states = States::read_keys(&keys);
        let (after, before) = (words(&keys, "after"), words(&keys, "before"));
        let from = keys.number_if_any("from").unwrap_or(f64::NEG_INFINITY);
        let to = keys.number_if_any("to").unwrap_or(f64::INFINITY);
        let give = keys
            .need("give", "\"count\"")
            .and_then(|node| node.word(&GIVE));
        if to <= from {
            keys.wrong(
                format!("it ends at {to} s, and begins at {from} s"),
                "`to` is above `from`",
            );
        }
        keys.done();
        Some(Self {
            states: states?,
            after: after?,
            before: before?,
            from,
            to,
            give: give?,
        })
    }

    /// The number for all flows together; NaN if the flows have no such series, or there is no such stay and the number
    /// is a time.
    pub(super) fn of(&self, flows: &[usize], samples: &[Series]) -> f64 {
        let series = flows
            .iter()
            .map(|flow| words_of(samples, *flow, &self.states.of));
        let Some(series) = series.collect::<Option<Vec<_>>>() else {
            return f64::NAN;
        };
        let stays: Vec<Vec<Stay<'_>>> = series.iter().map(|points| stays(points)).collect();
        let mut found = stays.iter().flat_map(|all| self.selected(all));
        let lengths = |found: &mut dyn Iterator<Item = Stay<'_>>| {
            let ended = found.filter(|stay| !stay.is_last);
            ended
                .map(|stay| stay.end - stay.begin)
                .collect::<Vec<f64>>()
        };
        match self.give {
            Give::Count => found.count() as f64,
            Give::Time => found.map(|stay| stay.end - stay.begin).sum(),
            Give::Begin => least(found.map(|stay| stay.begin)),
            Give::Shortest => least(lengths(&mut found).into_iter()),
            Give::Longest => lengths(&mut found).into_iter().fold(f64::NAN, f64::max),
        }
    }

    fn selected<'a>(&'a self, all: &'a [Stay<'a>]) -> impl Iterator<Item = Stay<'a>> {
        let one_of = |wanted: &[String], stay: Option<&Stay<'_>>| {
            wanted.is_empty() || stay.is_some_and(|stay| wanted.iter().any(|it| it == stay.word))
        };
        let chosen = move |(at, stay): (usize, &Stay<'a>)| {
            let previous = at.checked_sub(1).and_then(|at| all.get(at));
            let fits = self.states.has(stay.word)
                && stay.begin > self.from
                && stay.begin <= self.to
                && one_of(&self.after, previous)
                && one_of(&self.before, all.get(at + 1));
            fits.then_some(*stay)
        };
        all.iter().enumerate().filter_map(chosen)
    }
}

impl States {
    /// Reads `{ of = "explain.phase", is = ["Drain"] }`.
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`during`")?;
        let states = Self::read_keys(&keys);
        keys.done();
        states
    }

    fn read_keys(keys: &Keys<'_>) -> Option<Self> {
        let of = keys.text("of", "\"explain.phase\"");
        let is = words(keys, "is")?;
        if is.is_empty() {
            keys.lacks("is", "the words of the states: is = [\"Drain\"]");
            return None;
        }
        Some(Self { of: of?, is })
    }

    fn has(&self, word: &str) -> bool {
        self.is.iter().any(|it| it == word)
    }

    /// Those of the samples of a flow that were taken in one of the states.
    pub(super) fn keep(
        &self,
        samples: &[Series],
        flow: usize,
        mut points: Vec<(f64, f64)>,
    ) -> Vec<(f64, f64)> {
        let words = words_of(samples, flow, &self.of).unwrap_or_default();
        let mut words = words.into_iter().peekable();
        points.retain(|(time, _)| {
            while words.next_if(|(t, _)| t < time).is_some() {}
            words
                .peek()
                .is_some_and(|(t, word)| t == time && self.has(word))
        });
        points
    }
}

/// The words of a key that has a list of them.
fn words(keys: &Keys<'_>, key: &'static str) -> Option<Vec<String>> {
    let items = keys.items(key);
    items.iter().map(|it| Some(it.text()?.to_owned())).collect()
}

/// The words of a series of a flow, with their times.
fn words_of<'s>(samples: &'s [Series], flow: usize, name: &str) -> Option<Vec<(f64, &'s str)>> {
    let series = samples
        .iter()
        .find(|s| s.subject == Subject::Flow(flow) && s.quantity == name)?;
    let words = series
        .points
        .iter()
        .filter_map(|(time, reading)| match reading {
            Reading::Word(word) => Some((*time, *word)),
            Reading::Number(_) => None,
        });
    Some(words.collect())
}

fn stays<'a>(points: &[(f64, &'a str)]) -> Vec<Stay<'a>> {
    let mut all: Vec<Stay<'a>> = Vec::new();
    for (time, word) in points {
        if let Some(last) = all.last_mut() {
            last.end = *time;
            if last.word == *word {
                continue;
            }
            last.is_last = false;
        }
        all.push(Stay {
            word,
            begin: *time,
            end: *time,
            is_last: true,
        });
    }
    all
}

/// The least of these numbers; NaN if there is none.
fn least(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(f64::NAN, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 9] = ["a", "a", "b", "c", "b", "b", "b", "a", "b"];

    fn samples() -> Vec<Series> {
        let points = WORDS.iter().enumerate();
        vec![Series {
            subject: Subject::Flow(1),
            quantity: "explain.phase".to_owned(),
            points: points
                .map(|(at, word)| (at as f64, Reading::Word(word)))
                .collect(),
        }]
    }

    fn states(is: &[&str]) -> States {
        States {
            of: "explain.phase".to_owned(),
            is: is.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    fn number(give: Give, change: impl Fn(&mut Stays)) -> f64 {
        let mut stays = Stays {
            states: states(&["b"]),
            after: Vec::new(),
            before: Vec::new(),
            from: f64::NEG_INFINITY,
            to: f64::INFINITY,
            give,
        };
        change(&mut stays);
        stays.of(&[1], &samples())
    }

    /// b: from 2 to 3, from 4 to 7, and at 8, where the run ends.
    #[test]
    fn stays_are_counted_and_timed() {
        let all = [
            Give::Count,
            Give::Begin,
            Give::Longest,
            Give::Shortest,
            Give::Time,
        ];
        assert_eq!(
            all.map(|give| number(give, |_| {})),
            [3.0, 2.0, 3.0, 1.0, 4.0]
        );
        // The one at 4 follows c; the one at 2 is followed by c.
        let after = |stays: &mut Stays| stays.after = vec!["c".to_owned()];
        assert_eq!(number(Give::Begin, after), 4.0);
        let before = |stays: &mut Stays| stays.before = vec!["c".to_owned(), "d".to_owned()];
        assert_eq!(number(Give::Count, before), 1.0);
        let late = |stays: &mut Stays| (stays.from, stays.to) = (2.0, 4.0);
        assert_eq!(number(Give::Count, late), 1.0);
        let two = |stays: &mut Stays| stays.states = states(&["a", "c"]);
        assert_eq!(number(Give::Time, two), 4.0);
    }

    #[test]
    fn what_is_not_there_has_no_number() {
        let none = |stays: &mut Stays| stays.states = states(&["d"]);
        assert_eq!(number(Give::Count, none), 0.0);
        assert_eq!(number(Give::Time, none), 0.0);
        assert!(number(Give::Begin, none).is_nan() && number(Give::Longest, none).is_nan());
        let other = |stays: &mut Stays| stays.states.of = "explain.state".to_owned();
        assert!(number(Give::Count, other).is_nan());
    }

    #[test]
    fn samples_are_kept_by_the_state_at_their_time() {
        let points: Vec<(f64, f64)> = [1.0, 2.0, 2.5, 4.0, 8.0, 9.0].map(|t| (t, t)).to_vec();
        let kept = states(&["b"]).keep(&samples(), 1, points.clone());
        assert_eq!(kept, [(2.0, 2.0), (4.0, 4.0), (8.0, 8.0)]);
        assert_eq!(states(&["b"]).keep(&samples(), 0, points), []);
    }
}
