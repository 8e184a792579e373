//! What every paper's folder must have, and that the records and the README fit it.

use super::*;
use dumbbell_lab::claim::{Claim, Kind, Settings, Verdict};
use dumbbell_lab::experiment::trial_name;
use dumbbell_lab::scenario::{Source, Start, Topology, Traffic};

/// docs/reproduce.md lists the files of a paper. Every folder has exactly these.
#[test]
fn every_file_of_a_paper_is_in_the_docs() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_to_string(root.join("../../docs/reproduce.md")).expect("the docs");
    let rows = docs.lines().filter_map(|line| line.strip_prefix("| `"));
    let own: Vec<&str> = rows
        .filter_map(|row| row.split(" |").next())
        .flat_map(|names| names.split(", "))
        .map(|name| name.trim_matches('`'))
        .filter(|name| {
            let known = [
                "paper.toml",
                "NOTES.md",
                "verdicts.toml",
                "verdicts.quick.toml",
                "explored.toml",
                "explored.verdicts.toml",
                "explored.verdicts.quick.toml",
                "null.toml",
            ];
            known.contains(name)
        })
        .collect();
    assert_eq!(own.len(), 8, "{own:?}");
    // The loader refuses files that are neither these nor a figure's.
    for paper in PAPERS {
        for name in &own {
            let path = format!("{paper}/{name}");
            assert!(file(&path).is_some(), "{paper} lacks {name}");
        }
    }
}

/// A study says that it is one, and all of its claims are on record. Those of our own study are ours.
#[test]
fn a_study_is_reproduced_by_its_name() {
    let library = library(&Controls::builtin()).expect("the folders are right");
    let studies = library.papers.iter().filter(|paper| paper.about.study);
    let studies: Vec<_> = studies.collect();
    let names: Vec<&str> = studies.iter().map(|it| it.about.name.as_str()).collect();
    assert_eq!(names, STUDIES);
    for study in studies {
        for name in ["NOTES.md", "verdicts.toml", "verdicts.quick.toml"] {
            let path = format!("{}/{name}", study.about.name);
            assert!(file(&path).is_some(), "no {path}");
        }
        for experiment in &study.experiments {
            assert!(!experiment.claims.is_empty(), "{}", experiment.name);
            let ours = |claim: &Claim| claim.kind == Kind::Ours;
            let all = experiment.claims.iter().all(ours);
            let asked = study.about.name == "today" || experiment.name.ends_with("-loss");
            assert_eq!(all, asked, "{}", experiment.name);
            assert_eq!(experiment.added, all, "{}", experiment.name);
        }
    }
}

#[test]
fn every_figure_can_be_read_and_every_point_of_it_run() {
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
    {
        let about = &paper.about;
        assert!(!about.title.is_empty());
        // What a reader of the notes finds, in this order. The report links to the second.
        let headings = about
            .notes
            .lines()
            .filter_map(|line| line.strip_prefix("## "));
        let headings: Vec<&str> = headings.take(6).collect();
        let expected: &[&str] = if about.name == "today" {
            &["The answer", "What does not", "What was assumed", "Details"]
        } else if about.study {
            &["The answer", "What does not", "What was assumed"]
        } else {
            &[
                "What reproduces",
                "What does not",
                "Under which reading it would",
                "What is not decidable from the text",
                "What was assumed",
                "Errata of the text as transcribed",
            ]
        };
        assert_eq!(headings, expected, "{}", about.name);
        for experiment in paper.experiments {
            assert!(
                experiment.name.starts_with(&about.name),
                "{}",
                experiment.name
            );
            let points = experiment.points(1).expect("every point is a scenario");
            assert_eq!(points.len() * experiment.repeat as usize, experiment.runs());
            assert!(experiment.clone().quick().runs() <= experiment.runs());
        }
    }
}

#[test]
fn a_curve_of_a_reconstruction_is_labelled() {
    let mut marked = 0;
    for paper in PAPERS.iter().chain(STUDIES) {
        let header = file(&format!("{paper}/paper.toml")).expect("it is compiled in");
        let header: toml::Table = header.parse().expect("it is right");
        let protocols = header.get("protocol").and_then(toml::Value::as_table);
        for (curve, sets) in protocols.into_iter().flatten() {
            let Some(name) = sets.get("tcp.control").and_then(|name| name.as_str()) else {
                continue;
            };
            let control = Controls::builtin().named(name).expect("there is one");
            let mark = control.origin().mark();
            assert_eq!(
                curve.ends_with(" (reconstructed)"),
                !mark.is_empty(),
                "{curve}"
            );
            marked += u32::from(!mark.is_empty());
        }
    }
    assert_eq!(marked, 4);
}

/// The reference in a description is the capacity that the scenario's load leaves.
#[test]
fn a_reference_is_the_capacity_that_the_load_leaves() {
    let experiments = paper("sarbe", &Controls::builtin())
        .expect("right")
        .experiments;
    for (name, middles) in [
        ("sarbe-fig2a", &[2.5, 7.5, 12.5, 17.5, 22.5][..]),
        ("sarbe-fig2b", &[75.0]),
    ] {
        let experiment = experiments.iter().find(|e| e.name == name);
        let experiment = experiment.expect("it is there");
        let scenario = &experiment.points(1).expect("right")[0].scenario;
        let Topology::Graph(graph) = &scenario.topology else {
            panic!("{name} has one link")
        };
        let left = |at: f64| {
            let load = scenario.flows.iter().filter_map(|flow| {
                let (Traffic::Udp(udp), Start::At(start)) = (&flow.traffic, flow.start) else {
                    return None;
                };
                let Source::Cbr(rate) = udp.source else {
                    return None;
                };
                let begun = at > start.as_secs_f64();
                let on = begun && udp.stop.is_none_or(|stop| at < stop.as_secs_f64());
                on.then_some(rate.0)
            });
            (graph.links[0].forward.rate.mean().0 - load.sum::<u64>()) as f64
        };
        let steps = &experiment.reference.as_ref().expect("it has one").steps;
        assert_eq!(steps.len(), middles.len());
        for ([since, value], middle) in steps.iter().zip(middles) {
            assert!(since < middle);
            assert_eq!(*value, left(*middle), "{name} at {middle} s");
        }
    }
}

/// Every figure under every reading is a scenario, and the records have exactly the verdicts of
/// the explorations.
#[test]
fn the_explored_record_has_exactly_the_trials() {
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
        .into_iter()
        .filter(|paper| !paper.about.study)
    {
        for (quick, record) in [(false, &paper.explored_full), (true, &paper.explored_quick)] {
            assert_eq!(record.settings, Settings { seed: 1, quick });
            let trials = paper.exploration.trials(&paper.experiments, quick);
            let trials = trials.expect("every reading changes every figure that it names");
            let mut left: Vec<(&str, &str)> = record.iter().map(|(e, c, _)| (e, c)).collect();
            for trial in &trials {
                let name = &trial.experiment.name;
                for claim in &trial.experiment.claims {
                    let place = left.iter().position(|it| *it == (name, &claim.id));
                    let missing = || panic!("no verdict on {name} {}", claim.id);
                    left.swap_remove(place.unwrap_or_else(missing));
                }
            }
            assert_eq!(left, [], "on record, but no trial");
        }
    }
}

/// The README's sentence about what stands is true of the records.
#[test]
fn the_readme_says_what_stands() {
    // Those that hold, hold elsewhere, hold in part, fail, and are not decided.
    let mut counts = [0; 5];
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
        .into_iter()
        .filter(|paper| !paper.about.study)
    {
        let claims = paper.experiments.iter();
        let claims = claims.flat_map(|it| it.claims.iter().map(move |c| (it.name.as_str(), c)));
        let claims: Vec<_> = claims.collect();
        let counted = |claim: &Claim| claim.kind == Kind::Paper && claim.again.is_none();
        for (figure, claim) in claims.iter().filter(|(_, claim)| counted(claim)) {
            let taken = paper.full.get(figure, &claim.id).expect("on record");
            let sentence = (*figure, claim.id.as_str());
            let of = claims
                .iter()
                .filter(|(name, it)| it.kind == Kind::Paper && it.sentence(name) == sentence);
            let mut others = Vec::new();
            for (name, it) in of {
                let found = paper.full.get(name, &it.id).expect("on record");
                let first = it.again.is_none();
                // A weaker claim counts in part.
                let counts = |found: Verdict| match found {
                    Verdict::Holds if it.in_part => Verdict::Partly,
                    found => found,
                };
                others.push(counts(found));
                if found == Verdict::Holds && !first {
                    continue;
                }
                let readings = paper.exploration.readings.iter();
                for reading in readings.filter(|reading| !reading.contrary) {
                    let trial = trial_name(name, &reading.name);
                    others.extend(paper.explored_full.get(&trial, &it.id).map(counts));
                }
            }
            let position = match taken {
                Verdict::Holds => 0,
                _ if others.contains(&Verdict::Holds) => 1,
                _ if others.contains(&Verdict::Partly) => 2,
                Verdict::Untestable => 4,
                _ => 3,
            };
            counts[position] += 1;
        }
    }
    let all: usize = counts.iter().sum();
    let [hold, elsewhere, partly, fail, undecided] = counts;
    let sentence = format!(
        "of their {all} sentences that were judged, {hold} hold under the reading taken of what a paper \
         leaves open, {elsewhere} hold only under another reading, {partly} hold in part at best, {fail} \
         fail under every reading tried, and {undecided} cannot be decided."
    );
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("../../README.md")).expect("the README");
    let readme: Vec<&str> = readme.split_whitespace().collect();
    assert!(readme.join(" ").contains(&sentence), "{sentence}");
}

/// A claim that holds although every curve is the baseline says why it may, or is counted
/// nowhere; and a claim that says why does hold.
#[test]
fn a_claim_that_holds_for_the_baseline_says_why() {
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
        .into_iter()
        .filter(|paper| !paper.about.study || paper.null.is_some())
    {
        let quick = true;
        let null = paper.null.expect("every paper has one");
        assert_eq!(null.settings, Settings { seed: 1, quick });
        for experiment in &paper.experiments {
            for claim in &experiment.claims {
                let name = format!("{} {}", experiment.name, claim.id);
                if null.get(&experiment.name, &claim.id).is_some() {
                    let excused = claim.null.is_some() || claim.kind.is_no_evidence();
                    assert!(excused, "{name} holds for the baseline, and has no `null`");
                }
            }
        }
        for (experiment, claim, _) in null.iter() {
            let known = paper.experiments.iter().find(|it| it.name == experiment);
            let known = known.is_some_and(|it| it.claims.iter().any(|it| it.id == claim));
            assert!(known, "on record, but no claim: {experiment} {claim}");
        }
    }
}

/// A claim that judges a sentence of another figure again names a claim that judges it first.
#[test]
fn a_sentence_that_is_judged_again_is_judged_first() {
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
    {
        let claims = paper.experiments.iter();
        let claims = claims.flat_map(|it| it.claims.iter().map(move |c| (it.name.as_str(), c)));
        let claims: Vec<_> = claims.collect();
        for (figure, claim) in claims.iter().filter(|(_, claim)| claim.again.is_some()) {
            let (of, id) = claim.sentence(figure);
            let mut all = claims.iter();
            let first = all.find(|(name, it)| *name == of && it.id == id);
            let first = first.unwrap_or_else(|| panic!("{figure} {}: no {of}.{id}", claim.id));
            assert!(
                first.1.again.is_none(),
                "{of}.{id} judges a sentence again, too"
            );
        }
    }
}

#[test]
fn the_record_has_exactly_the_claims() {
    for paper in library(&Controls::builtin())
        .expect("the folders are right")
        .papers
    {
        let claims: Vec<(String, String)> = paper
            .experiments
            .iter()
            .flat_map(|e| e.claims.iter().map(|c| (e.name.clone(), c.id.clone())))
            .collect();
        for (quick, record) in [(false, &paper.full), (true, &paper.quick)] {
            assert_eq!(record.settings, Settings { seed: 1, quick });
            let mut left: Vec<(&str, &str)> = record.iter().map(|(e, c, _)| (e, c)).collect();
            for (experiment, claim) in &claims {
                let place = left.iter().position(|found| *found == (experiment, claim));
                left.remove(place.unwrap_or_else(|| panic!("no verdict on {experiment} {claim}")));
            }
            assert_eq!(left, [], "on record, but no claim");
        }
    }
}
