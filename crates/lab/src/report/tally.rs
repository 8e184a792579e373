//! Verdicts: their counts, and how they are displayed.

use std::fmt::Write as _;

use super::document::{Document, JudgedClaim, Paper};
use crate::claim::{Kind, Standing, Verdict};
use crate::markup::Text;

/// The number of sentences of papers by how they stand, and the claims that are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    counts: [usize; Standing::WORDS.len()],
    /// Claims of ours, and how many of them hold.
    pub(super) ours: (usize, usize),
    /// Inputs, identities and fits.
    pub(super) no_evidence: usize,
    /// Verdicts whose intervals allow another verdict.
    pub(super) loose: usize,
    /// Verdicts that differ from the recorded ones.
    pub(super) changed: usize,
}

impl Tally {
    pub(super) fn of<'a>(claims: impl IntoIterator<Item = &'a JudgedClaim>) -> Self {
        let mut tally = Self::default();
        for claim in claims {
            if let Some(stands) = &claim.stands {
                tally.counts[stands.position()] += 1;
                tally.loose += usize::from(is_loose(claim));
            }
            if claim.kind == Kind::Ours {
                tally.ours.0 += 1;
                tally.ours.1 += usize::from(claim.judgement.verdict == Verdict::Holds);
            }
            tally.no_evidence += usize::from(claim.kind.is_no_evidence());
            tally.changed += usize::from(has_changed(claim));
        }
        tally
    }

    pub(super) fn of_paper(paper: &Paper) -> Self {
        Self::of(paper.sections.iter().flat_map(|s| &s.claims))
    }

    pub(super) fn of_all(document: &Document) -> Self {
        let sections = document.papers.iter().flat_map(|p| &p.sections);
        Self::of(sections.flat_map(|s| &s.claims))
    }

    /// The number of sentences that stand so, by the position among [`Standing::WORDS`].
    pub(super) fn count(&self, standing: usize) -> usize {
        self.counts[standing]
    }

    /// The number of sentences.
    pub(super) fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How the sentences stand, as text: "5 hold under the reading taken and 1 fails under every
    /// reading tried".
    pub(super) fn in_words(&self) -> String {
        let mut parts = Vec::new();
        for (count, meaning) in self.counts.iter().zip(Standing::MEANINGS) {
            match count {
                0 => {}
                1 => parts.push(format!("1 {}", singular(meaning))),
                n => parts.push(format!("{n} {meaning}")),
            }
        }
        let last = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            last
        } else {
            format!("{} and {last}", parts.join(", "))
        }
    }

    /// The claims that are not sentences of a paper, as a sentence; empty if there are none.
    pub(super) fn others(&self) -> String {
        let mut text = match self.ours {
            (0, _) => String::new(),
            (1, 1) => " One claim of ours holds.".to_owned(),
            (1, _) => " One claim of ours does not hold.".to_owned(),
            (all, hold) => format!(" Of {all} claims of ours, {hold} hold."),
        };
        match self.no_evidence {
            0 => {}
            1 => text += " One claim is an input, an identity or a fit, and is not counted.",
            n => {
                let rest = " claims are inputs, identities or fits, and are not counted.";
                text += &format!(" {n}{rest}");
            }
        }
        text
    }

    /// A bar whose parts are proportional to the counts, with a text alternative.
    pub(super) fn bar(&self) -> String {
        let mut bar = format!(
            r#"<span class="bar" role="img" aria-label="{}">"#,
            self.in_words()
        );
        for (word, count) in Standing::WORDS.iter().zip(self.counts) {
            if count > 0 {
                write!(
                    bar,
                    r#"<span class="{word}" style="flex-grow:{count}"></span>"#
                )
                .expect("a string takes everything");
            }
        }
        bar + "</span>"
    }

    /// The counts with the symbols of the standings, without text.
    pub(super) fn marks(&self) -> String {
        let mut marks = String::new();
        let words = Standing::WORDS.iter().zip(Standing::MEANINGS);
        for ((word, meaning), count) in words.zip(self.counts) {
            if count > 0 {
                let meaning = if count == 1 {
                    singular(meaning)
                } else {
                    meaning.to_owned()
                };
                write!(
                    marks,
                    r#"<span class="count" title="{count} {meaning}">{}<span class="unseen">{meaning}: </span>{count}</span>"#,
                    mark(word)
                )
                .expect("a string takes everything");
            }
        }
        marks
    }
}

/// The meaning of a standing for one sentence: "holds under the reading taken".
fn singular(meaning: &str) -> String {
    match meaning.split_once(' ') {
        Some(("are", rest)) => format!("is {rest}"),
        Some((verb, rest)) => format!("{verb}s {rest}"),
        None => meaning.to_owned(),
    }
}

/// Whether the intervals allow another verdict.
pub(super) fn is_loose(claim: &JudgedClaim) -> bool {
    let judgement = &claim.judgement;
    judgement.verdict != Verdict::Untestable && !judgement.firm && !judgement.one_run
}

/// Whether the verdict differs from the recorded one.
pub(super) fn has_changed(claim: &JudgedClaim) -> bool {
    claim
        .recorded
        .is_some_and(|recorded| recorded != claim.judgement.verdict)
}

/// The symbol of a verdict or a standing. Each has a different shape, so that the colour is not needed.
pub(super) fn mark(word: &str) -> String {
    format!(r##"<svg class="mark {word}" aria-hidden="true"><use href="#mark-{word}"/></svg>"##)
}

/// A verdict with its symbol, as text, and the previous verdict if it differs.
pub(super) fn badge(claim: &JudgedClaim) -> String {
    let verdict = claim.judgement.verdict;
    let mut badge = format!(
        r#"<span class="badges"><span class="verdict {verdict}">{}{verdict}</span>"#,
        mark(&verdict.to_string())
    );
    if let Some(recorded) = claim.recorded.filter(|_| has_changed(claim)) {
        write!(
            badge,
            r#" <span class="changed">changed: was {recorded}</span>"#
        )
        .expect("a string takes everything");
    }
    badge + "</span>"
}

/// What distinguishes a claim from a sentence that counts, or where such a sentence holds otherwise;
/// empty if there is nothing to say.
pub(super) fn remark(claim: &JudgedClaim) -> String {
    let words = match (&claim.stands, claim.kind.remark()) {
        (_, Some(remark)) => remark.to_owned(),
        (None, None) => "judged again, counted once".to_owned(),
        (Some(stands @ Standing::Elsewhere(_)), _) => stands.to_string(),
        (Some(_), None) => return String::new(),
    };
    format!(r#" <span class="remark">{}</span>"#, Text(&words))
}

/// Describes whether a verdict is certain.
pub(super) fn certainty(claim: &JudgedClaim) -> &'static str {
    match claim.judgement.verdict {
        Verdict::Untestable => "–",
        _ if claim.judgement.one_run => "one run",
        _ if claim.judgement.firm => "firm",
        _ => "within noise",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn singular_and_plural_are_used() {
        let words = |counts| {
            Tally {
                counts,
                ..Tally::default()
            }
            .in_words()
        };
        assert_eq!(
            words([5, 1, 0, 1, 0, 0]),
            "5 hold under the reading taken, 1 holds under another reading and 1 fails under every reading tried"
        );
        assert_eq!(
            words([0, 2, 0, 0, 1, 0]),
            "2 hold under another reading and 1 is not decidable from the text"
        );
        assert_eq!(
            words([0, 0, 0, 0, 3, 0]),
            "3 are not decidable from the text"
        );
        assert_eq!(words([0; 6]), "");
    }

    #[test]
    fn only_sentences_of_a_paper_are_counted() {
        let sentence = example::claim("a", Verdict::Holds);
        let mut ours = sentence.clone();
        (ours.kind, ours.stands) = (Kind::Ours, None);
        let mut again = sentence.clone();
        again.stands = None;
        let mut fit = ours.clone();
        fit.kind = Kind::Fit;
        let tally = Tally::of([&sentence, &ours, &again, &fit]);
        assert_eq!((tally.total(), tally.count(0)), (1, 1));
        assert_eq!((tally.ours, tally.no_evidence), ((1, 1), 1));
        assert_eq!(
            tally.others(),
            " One claim of ours holds. One claim is an input, an identity or a fit, and is not counted."
        );
    }

    #[test]
    fn an_untestable_claim_is_not_loose() {
        let mut claim = example::claim("a", Verdict::Untestable);
        claim.judgement.firm = false;
        assert_eq!(Tally::of([&claim]).loose, 0);
        claim.judgement.verdict = Verdict::Holds;
        assert_eq!(Tally::of([&claim]).loose, 1);
    }

    #[test]
    fn a_changed_verdict_is_shown() {
        let mut claim = example::claim("a", Verdict::Fails);
        assert!(!badge(&claim).contains("changed"));
        claim.recorded = Some(Verdict::Fails);
        assert!(!badge(&claim).contains("changed"));
        claim.recorded = Some(Verdict::Holds);
        assert!(badge(&claim).contains("changed: was holds"));
        assert_eq!(Tally::of([&claim]).changed, 1);
    }
}
