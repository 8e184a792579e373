//! Verdicts: their counts, and how they are displayed.

use std::fmt::Write as _;

use super::document::{Document, JudgedClaim, Paper};
use crate::claim::Verdict;

/// The number of claims with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    counts: [usize; Verdict::ALL.len()],
    /// Verdicts whose intervals allow another verdict.
    pub(super) loose: usize,
    /// Verdicts that differ from the recorded ones.
    pub(super) changed: usize,
}

impl Tally {
    pub(super) fn of<'a>(claims: impl IntoIterator<Item = &'a JudgedClaim>) -> Self {
        let mut tally = Self::default();
        for claim in claims {
            tally.counts[claim.judgement.verdict as usize] += 1;
            tally.loose += usize::from(is_loose(claim));
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

    pub(super) fn count(&self, verdict: Verdict) -> usize {
        self.counts[verdict as usize]
    }

    pub(super) fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The verdicts that occur, as text: "5 hold, 1 holds partly and 1 fails".
    pub(super) fn in_words(&self) -> String {
        let mut parts = Vec::new();
        for verdict in Verdict::ALL {
            let words = match (verdict, self.count(verdict)) {
                (_, 0) => continue,
                (Verdict::Holds, 1) => "1 holds".to_owned(),
                (Verdict::Holds, n) => format!("{n} hold"),
                (Verdict::Partly, 1) => "1 holds partly".to_owned(),
                (Verdict::Partly, n) => format!("{n} hold partly"),
                (Verdict::Fails, 1) => "1 fails".to_owned(),
                (Verdict::Fails, n) => format!("{n} fail"),
                (Verdict::Untestable, 1) => "1 is untestable".to_owned(),
                (Verdict::Untestable, n) => format!("{n} are untestable"),
            };
            parts.push(words);
        }
        let last = parts.pop().unwrap_or_default();
        if parts.is_empty() {
            last
        } else {
            format!("{} and {last}", parts.join(", "))
        }
    }

    /// A bar whose parts are proportional to the counts, with a text alternative.
    pub(super) fn bar(&self) -> String {
        let mut bar = format!(
            r#"<span class="bar" role="img" aria-label="{}">"#,
            self.in_words()
        );
        for verdict in Verdict::ALL {
            if self.count(verdict) > 0 {
                write!(
                    bar,
                    r#"<span class="{verdict}" style="flex-grow:{}"></span>"#,
                    self.count(verdict)
                )
                .expect("a string takes everything");
            }
        }
        bar + "</span>"
    }

    /// The counts with the symbols of the verdicts, without text.
    pub(super) fn marks(&self) -> String {
        let mut marks = String::new();
        for verdict in Verdict::ALL {
            let count = self.count(verdict);
            if count > 0 {
                write!(
                    marks,
                    r#"<span class="count" title="{count} {verdict}">{}<span class="unseen">{verdict}: </span>{count}</span>"#,
                    mark(verdict)
                )
                .expect("a string takes everything");
            }
        }
        marks
    }
}

/// Whether the intervals allow another verdict.
pub(super) fn is_loose(claim: &JudgedClaim) -> bool {
    claim.judgement.verdict != Verdict::Untestable && !claim.judgement.firm
}

/// Whether the verdict differs from the recorded one.
pub(super) fn has_changed(claim: &JudgedClaim) -> bool {
    claim
        .recorded
        .is_some_and(|recorded| recorded != claim.judgement.verdict)
}

/// The symbol of a verdict. Each has a different shape, so that the colour is not needed.
pub(super) fn mark(verdict: Verdict) -> String {
    format!(
        r##"<svg class="mark {verdict}" aria-hidden="true"><use href="#mark-{verdict}"/></svg>"##
    )
}

/// A verdict with its symbol, as text, and the previous verdict if it differs.
pub(super) fn badge(claim: &JudgedClaim) -> String {
    let verdict = claim.judgement.verdict;
    let mut badge = format!(
        r#"<span class="badges"><span class="verdict {verdict}">{}{verdict}</span>"#,
        mark(verdict)
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

/// Describes whether a verdict is certain.
pub(super) fn certainty(claim: &JudgedClaim) -> &'static str {
    match claim.judgement.verdict {
        Verdict::Untestable => "–",
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
        assert_eq!(words([5, 1, 1, 0]), "5 hold, 1 holds partly and 1 fails");
        assert_eq!(
            words([1, 2, 3, 4]),
            "1 holds, 2 hold partly, 3 fail and 4 are untestable"
        );
        assert_eq!(words([0, 0, 0, 1]), "1 is untestable");
        assert_eq!(words([0; 4]), "");
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
