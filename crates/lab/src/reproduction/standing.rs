//! How the sentences of a paper stand, by the verdicts found and those on record under other
//! readings.

use super::figure::Judged;
use crate::claim::{Kind, Standing, Verdict, Verdicts};
use crate::experiment::trial_name;
use crate::exploration::Reading;

/// How the sentence of a claim stands; `None` if the claim is not a sentence of the paper, or judges
/// one again. `claims` are those of all figures of the paper that were run, with the names of their
/// figures; `explored` has the verdicts under the `readings`.
pub(super) fn standing(
    figure: &str,
    judged: &Judged,
    claims: &[(&str, &Judged)],
    (readings, explored): (&[Reading], &Verdicts),
) -> Option<Standing> {
    if judged.claim.kind != Kind::Paper || judged.claim.again.is_some() {
        return None;
    }
    let id = judged.claim.id.as_str();
    let verdict = judged.judgement.verdict;
    if verdict == Verdict::Holds {
        return Some(Standing::Holds);
    }
    let again = claims.iter().filter(|(other, again)| {
        let paper = again.claim.kind == Kind::Paper && again.claim.again.is_some();
        paper && again.claim.sentence(other) == (figure, id)
    });
    let again: Vec<_> = again.collect();
    let mut elsewhere = Vec::new();
    let mut partly = verdict == Verdict::Partly;
    for (_, it) in &again {
        let found = it.judgement.verdict;
        partly |= found == Verdict::Partly || it.claim.in_part && found == Verdict::Holds;
        if found == Verdict::Holds && !it.claim.in_part {
            elsewhere.push(format!("that of the claim {}", it.claim.id));
        }
    }
    // A claim that holds already under the reading taken says nothing for other readings.
    let open = again
        .iter()
        .filter(|(_, it)| it.judgement.verdict != Verdict::Holds);
    let open: Vec<_> = open.collect();
    for reading in readings.iter().filter(|reading| !reading.contrary) {
        let of =
            |figure: &str, claim: &str| explored.get(&trial_name(figure, &reading.name), claim);
        let own = (false, of(figure, id));
        let others = open
            .iter()
            .map(|(other, it)| (it.claim.in_part, of(other, &it.claim.id)));
        let mut holds = false;
        for (in_part, found) in others.chain([own]) {
            partly |= found == Some(Verdict::Partly) || in_part && found == Some(Verdict::Holds);
            holds |= found == Some(Verdict::Holds) && !in_part;
        }
        if holds {
            elsewhere.push(reading.title.clone());
        }
    }
    Some(match verdict {
        _ if !elsewhere.is_empty() => Standing::Elsewhere(elsewhere),
        _ if partly => Standing::Partly,
        Verdict::Untestable if judged.judgement.firm => Standing::Undecidable,
        Verdict::Untestable => Standing::Undecided,
        _ => Standing::Nowhere,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Claim, Judgement, Settings};
    use crate::experiment::Experiment;
    use crate::exploration::Exploration;

    const SCENARIO: &str = r#"
        duration = "1 s"
        dumbbell = { access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "2 Mb/s", delay = "9 ms", queue = { droptail = 9 } } }
        [[flow]]
        name = "A"
    "#;

    const FIGURE: &str = r#"
        name = "p-fig1"
        title = "T"
        source = "s"
        repeat = 1
        quick = { repeat = 1 }
        series = [{ name = "A", set = {} }]
        measure = [{ name = "t", label = "t", quantity = "throughput" }]
        panel = [{ measure = "t" }]
        claim = [
            { id = "a", text = "t", source = "s", test = { bound = { least = 1 } } },
            { id = "a-again", again = "a", text = "t", source = "s", test = { bound = { least = 1 } } },
            { id = "a-part", part_of = "a", text = "t", source = "s", test = { bound = { least = 1 } } },
            { id = "ours", kind = "ours", text = "t", source = "s", test = { bound = { least = 1 } } },
        ]
    "#;

    const EXPLORED: &str = r#"
        title = "T"
        repeat = 1
        quick = 1
        [[reading]]
        name = "slow"
        title = "a slow link"
        about = "a"
        figures = ["p-fig1"]
        set = { "dumbbell.bottleneck.rate" = "1 Mb/s" }
    "#;

    fn judged(claim: &Claim, verdict: Verdict) -> Judged {
        Judged {
            claim: claim.clone(),
            judgement: Judgement {
                verdict,
                firm: true,
                one_run: false,
                paper: String::new(),
                here: String::new(),
                evidence: String::new(),
            },
            recorded: None,
            points: Vec::new(),
        }
    }

    /// How the sentence stands with this verdict, that of the claim which judges it again, and that
    /// on record under the reading.
    fn stands(taken: Verdict, again: Verdict, reading: Verdict) -> Option<Standing> {
        let figure = Experiment::parse("f.toml", FIGURE, SCENARIO, &toml::Table::new());
        let figure = figure.expect("it is right");
        let exploration = Exploration::parse("e.toml", EXPLORED, std::slice::from_ref(&figure));
        let exploration = exploration.expect("it is right");
        let mut explored = Verdicts::new(Settings {
            seed: 1,
            quick: false,
        });
        explored.insert("p-fig1.slow", "a", reading);
        let first = judged(&figure.claims[0], taken);
        let second = judged(&figure.claims[1], again);
        let all = [("p-fig1", &first), ("p-fig1", &second)];
        let of = |judged| standing("p-fig1", judged, &all, (&exploration.readings, &explored));
        assert_eq!(of(&second), None, "it is counted once");
        let ours = judged(&figure.claims[3], taken);
        assert_eq!(of(&ours), None, "it is ours");
        of(&first)
    }

    #[test]
    fn a_reading_that_contradicts_the_text_is_not_counted() {
        let figure = Experiment::parse("f.toml", FIGURE, SCENARIO, &toml::Table::new());
        let figure = figure.expect("it is right");
        let first = judged(&figure.claims[0], Verdict::Fails);
        let mut explored = Verdicts::new(Settings {
            seed: 1,
            quick: false,
        });
        explored.insert("p-fig1.slow", "a", Verdict::Holds);
        let of = |text: &str| {
            let exploration = Exploration::parse("e.toml", text, std::slice::from_ref(&figure));
            let readings = exploration.expect("it is right").readings;
            standing("p-fig1", &first, &[], (&readings, &explored))
        };
        let slow = Standing::Elsewhere(vec!["a slow link".to_owned()]);
        assert_eq!(of(EXPLORED), Some(slow));
        let contrary = format!("{EXPLORED}\ncontrary = true\n");
        assert_eq!(of(&contrary), Some(Standing::Nowhere));
    }

    #[test]
    fn a_sentence_of_which_only_a_part_holds_holds_in_part() {
        let figure = Experiment::parse("f.toml", FIGURE, SCENARIO, &toml::Table::new());
        let figure = figure.expect("it is right");
        let first = judged(&figure.claims[0], Verdict::Fails);
        let explored = Verdicts::new(Settings {
            seed: 1,
            quick: false,
        });
        let of = |part| {
            let part = judged(&figure.claims[2], part);
            let all = [("p-fig1", &first), ("p-fig1", &part)];
            standing("p-fig1", &first, &all, (&[], &explored))
        };
        assert_eq!(of(Verdict::Holds), Some(Standing::Partly));
        assert_eq!(of(Verdict::Fails), Some(Standing::Nowhere));
    }

    #[test]
    fn a_sentence_holds_elsewhere_only_if_it_does_not_under_the_reading_taken() {
        use Verdict::{Fails, Holds, Partly, Untestable};
        assert_eq!(stands(Holds, Fails, Fails), Some(Standing::Holds));
        assert_eq!(stands(Holds, Holds, Holds), Some(Standing::Holds));
        assert_eq!(stands(Fails, Fails, Fails), Some(Standing::Nowhere));
        for partly in [
            (Partly, Fails, Fails),
            (Fails, Partly, Fails),
            (Fails, Fails, Partly),
        ] {
            assert_eq!(stands(partly.0, partly.1, partly.2), Some(Standing::Partly));
        }
        assert_eq!(
            stands(Untestable, Fails, Fails),
            Some(Standing::Undecidable)
        );
        let elsewhere = |readings: &[&str]| {
            let readings = readings.iter().map(|it| (*it).to_owned());
            Some(Standing::Elsewhere(readings.collect()))
        };
        let claim = "that of the claim a-again";
        assert_eq!(stands(Fails, Fails, Holds), elsewhere(&["a slow link"]));
        assert_eq!(
            stands(Untestable, Fails, Holds),
            elsewhere(&["a slow link"])
        );
        assert_eq!(stands(Partly, Holds, Fails), elsewhere(&[claim]));
        assert_eq!(
            stands(Fails, Holds, Holds),
            elsewhere(&[claim, "a slow link"])
        );
    }
}
