//! Reproductions of tiny papers, from the choice to the written files.

mod library;
mod publisher;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use dumbbell_lab::claim::{Settings, Verdict, Verdicts};
use dumbbell_lab::report;
use dumbbell_lab::reproduction::{Chosen, Interrupted, News, Plan, Unknown, prepare};
use dumbbell_store::{Runner, Store};

use library::{FULL, Folder, QUICK, library, plan, run};

fn choose(names: &[&str], settings: Settings) -> Result<Chosen, Unknown> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    library().choose(&names, settings)
}

/// The figures that these names choose, in order, and whether they choose the matrix.
fn figures(names: &[&str]) -> (Vec<String>, bool) {
    let chosen = choose(names, FULL).expect("they are known");
    let papers = chosen.papers.into_iter();
    let names = papers.flat_map(|paper| paper.experiments.into_iter().map(|it| it.name));
    (names.collect(), chosen.matrix.is_some())
}

#[test]
fn names_choose_papers_figures_and_the_matrix() {
    let all = ["one-fig1", "one-fig2", "two-fig1"].map(str::to_owned);
    assert_eq!(figures(&[]), (all.to_vec(), true));
    assert_eq!(figures(&["one"]), (all[..2].to_vec(), false));
    // In the order of the library, and each only once.
    let some = ["two", "one-fig2", "two-fig1"];
    assert_eq!(figures(&some), (all[1..].to_vec(), false));
    assert_eq!(figures(&["matrix"]), (Vec::new(), true));
    assert_eq!(figures(&["matrix", "one-fig1"]), (all[..1].to_vec(), true));
    let library = library();
    let names: Vec<String> = library.names().collect();
    let known = [
        "one",
        "one-fig1",
        "one-fig2",
        "one-explored",
        "two",
        "two-fig1",
        "two-explored",
        "explored",
        "matrix",
    ];
    assert_eq!(names, known);
    // The explorations run only if they are named.
    let explored = |names| {
        let chosen = choose(names, FULL).expect("they are known");
        let names = chosen.explorations.into_iter().map(|it| it.about.name);
        (chosen.papers.len(), names.collect::<Vec<_>>())
    };
    assert_eq!(explored(&[]).1, [""; 0]);
    assert_eq!(explored(&["two-explored"]), (0, vec!["two".to_owned()]));
    let both = vec!["one".to_owned(), "two".to_owned()];
    assert_eq!(explored(&["explored"]), (0, both));
}

#[test]
fn a_study_is_reproduced_only_by_name() {
    let figures = |names: &[&str]| {
        let mut library = library();
        library.papers[1].about.study = true;
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let chosen = library.choose(&names, FULL).expect("they are known");
        let papers = chosen.papers.into_iter();
        let names = papers.flat_map(|paper| paper.experiments.into_iter().map(|it| it.name));
        names.collect::<Vec<_>>()
    };
    assert_eq!(figures(&[]), ["one-fig1", "one-fig2"]);
    assert_eq!(figures(&["two"]), ["two-fig1"]);
    assert_eq!(figures(&["two-fig1"]), ["two-fig1"]);
}

#[test]
fn an_error_about_an_unknown_name_lists_all_names_and_the_nearest() {
    let error = choose(&["one", "one-fg1"], FULL).expect_err("there is none");
    assert_eq!(
        error.to_string(),
        "there is no paper or figure `one-fg1`; there are: one, one-fig1, one-fig2, one-explored, two, two-fig1, two-explored, explored, matrix\n  \
         = help: did you mean `one-fig1`?"
    );
    let error = choose(&["something"], FULL).expect_err("there is none");
    assert!(!error.to_string().contains("help"), "{error}");
}

#[test]
fn a_quick_reproduction_has_fewer_runs() {
    // Two curves, two x values, three seeds; a quick reproduction has one x value and two seeds.
    assert_eq!(plan(&["two"], FULL).runs(), 12);
    assert_eq!(plan(&["two"], QUICK).runs(), 4);
    let (full, quick) = (plan(&["matrix"], FULL), plan(&["matrix"], QUICK));
    assert_eq!(full.runs(), 2 * quick.runs());
    assert_eq!(plan(&[], FULL).runs(), 36 + full.runs());
}

#[test]
fn each_judgement_is_computed_once() {
    let found = run(plan(&["one"], FULL), None);
    let verdicts = |name: &str| -> Vec<(&str, Verdict)> {
        let figure = found.figures().find(|it| it.experiment.name == name);
        let judged = figure.expect("it is there").judged().iter();
        judged
            .map(|it| (it.claim.id.as_str(), it.judgement.verdict))
            .collect()
    };
    let expected = [("some", Verdict::Holds), ("much", Verdict::Fails)];
    assert_eq!(verdicts("one-fig1"), expected);
    assert_eq!(verdicts("one-fig2"), expected);
    // The report has the same judgements.
    let document = found.document(1.5);
    let sections = &document.papers[0].sections;
    assert_eq!((document.papers.len(), sections.len()), (1, 2));
    for (figure, section) in found.figures().zip(sections) {
        assert_eq!(figure.judged().len(), section.claims.len());
        for (judged, claim) in figure.judged().iter().zip(&section.claims) {
            assert_eq!(judged.judgement, claim.judgement);
            assert_eq!(judged.recorded, Some(claim.judgement.verdict));
        }
        assert_eq!((section.drawings.len(), section.tables.len()), (1, 1));
        // "Something arrives" refers to all four points, the other claim to Veno at 0.1.
        assert_eq!(section.claims[0].points, [0, 1, 2, 3]);
        assert_eq!(section.claims[1].points, [0]);
        assert_eq!(section.seeds, (1, 3));
    }
    assert_eq!(document.run.command, "dumbbell reproduce one");
    assert_eq!(document.run.seconds, 1.5);
    let verdicts = &found.papers[0].verdicts;
    assert_eq!(verdicts.get("one-fig2", "much"), Some(Verdict::Fails));
    assert_eq!(verdicts.iter().count(), 4);
}

#[test]
fn an_exploration_tells_what_a_reading_changes() {
    let found = run(plan(&["one-explored"], FULL), None);
    assert!(found.papers.is_empty());
    let explored = &found.explorations[0];
    // Both readings of the figure, with two seeds each.
    assert_eq!(found.counts.total(), 2 * 8);
    let effect = explored.effect(0);
    assert_eq!((effect.claims, effect.held, effect.hold), (2, 1, 0));
    assert!(effect.gained.is_empty());
    let flip = &effect.lost[0];
    assert_eq!(
        (flip.figure.as_str(), flip.claim.as_str()),
        ("one-fig1", "some")
    );
    assert_eq!((flip.taken, flip.now), (Verdict::Holds, Verdict::Fails));
    let verdict = |trial, claim| explored.verdicts.get(trial, claim);
    assert_eq!(verdict("one-fig1", "some"), Some(Verdict::Holds));
    assert_eq!(verdict("one-fig1.lost", "some"), Some(Verdict::Fails));
    // New verdicts are no change; recorded ones are compared.
    assert!(!explored.against.is_broken());
    let mut chosen = choose(&["one-explored"], QUICK).expect("it is known");
    chosen.explorations[0]
        .recorded
        .insert("one-fig1.lost", "some", Verdict::Holds);
    let found = run(Plan::new(chosen).expect("right"), None);
    assert!(found.against().any(|against| against.is_broken()));
    // The record is read back, and the report shows it.
    let text = explored.verdicts.write();
    assert_eq!(Verdicts::parse("", &text).as_ref(), Ok(&explored.verdicts));
    let mut chosen = choose(&["one"], FULL).expect("it is known");
    chosen.papers[0].explored = explored.verdicts.clone();
    let found = run(Plan::new(chosen).expect("right"), None);
    let reading = &found.document(1.0).papers[0].readings[0];
    assert_eq!((reading.held, reading.hold, reading.lost.len()), (1, 0, 1));
    assert_eq!(reading.lost[0].text, "Something arrives.");
}

#[test]
fn verdicts_are_compared_with_recorded_ones_for_the_same_settings() {
    let against = |change: fn(&mut Verdicts), settings| {
        let mut chosen = choose(&["two"], settings).expect("it is known");
        change(&mut chosen.papers[0].recorded);
        let found = run(Plan::new(chosen).expect("right"), None);
        let recorded = found.papers[0].figures[0].judged()[0].recorded;
        (found.papers[0].against.clone(), recorded)
    };
    let (same, recorded) = against(|_| {}, QUICK);
    assert!(same.changes.is_empty() && same.same_settings && !same.is_broken());
    assert_eq!(recorded, Some(Verdict::Holds));
    let other: fn(&mut Verdicts) = |record| record.insert("two-fig1", "some", Verdict::Partly);
    let (changed, recorded) = against(other, QUICK);
    let change = &changed.changes[0];
    assert_eq!(
        (change.recorded, change.found),
        (Some(Verdict::Partly), Verdict::Holds)
    );
    assert!(changed.is_broken());
    assert_eq!(recorded, Some(Verdict::Partly));
    // Another seed may give other verdicts, and nothing is recorded for it.
    let (other_seed, recorded) = against(other, Settings { seed: 2, ..QUICK });
    assert_eq!(other_seed.changes, changed.changes);
    assert!(!other_seed.same_settings && !other_seed.is_broken());
    assert_eq!(recorded, None);
    // A new claim does not count as a changed verdict.
    let (new, _) = against(|record| *record = Verdicts::new(record.settings), QUICK);
    assert!(new.changes.len() == 2 && !new.is_broken());
}

#[test]
fn an_interrupt_keeps_finished_runs() {
    let store = Store::in_memory().expect("memory is there");
    let interrupted = AtomicBool::new(false);
    let mut over = 0;
    let runner = Runner {
        store: Some(&store),
        threads: 2,
        interrupted: &interrupted,
    };
    let stopped = plan(&["one"], FULL).run(
        &runner,
        |_| {},
        |news| {
            over += usize::from(matches!(news, News::Run(..)));
            interrupted.store(over >= 3, Ordering::Relaxed);
        },
    );
    assert_eq!(
        stopped.expect_err("it was interrupted"),
        Interrupted::default()
    );
    let kept = store.runs().expect("it can be read") as usize;
    assert!((3..24).contains(&kept), "{kept}");
    let found = run(plan(&["one"], FULL), Some(&store));
    // The two figures have the same runs.
    assert_eq!(found.counts.total(), 24);
    assert_eq!(found.counts.simulated, 12 - kept);
    assert_eq!(
        (found.counts.kept, found.counts.shared),
        (2 * kept, 12 - kept)
    );
    let alone = run(plan(&["one"], FULL), None);
    for (one, other) in found.figures().zip(alone.figures()) {
        assert_eq!(one.results, other.results);
    }
}

#[test]
fn progress_is_reported_to_the_caller() {
    let (steps, names) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let plan = plan(&["two", "matrix"], QUICK);
    let runs = plan.runs();
    let runner = Runner {
        store: None,
        threads: 2,
        interrupted: &AtomicBool::new(false),
    };
    let found = plan.run(
        &runner,
        |advance| {
            steps.fetch_add(advance.steps, Ordering::Relaxed);
        },
        |news| {
            if let News::Run(name, _) = news {
                names.lock().expect("nobody panics").push(name.to_owned());
            }
        },
    );
    let found = found.expect("nothing interrupts it");
    assert_eq!(steps.into_inner(), 100 * runs as u64);
    let names = names.into_inner().expect("nobody panics");
    assert_eq!(names.len(), runs);
    assert!(names[..4].iter().all(|name| name == "two-fig1"));
    assert!(names[4..].iter().all(|name| name == "matrix"));
    let matrix = found.matrix.expect("it was wanted");
    assert_eq!(matrix.tables.len(), 4);
}

#[test]
fn the_files_are_those_to_which_the_report_links() {
    let folder = Folder::new("files");
    prepare(&folder.0).expect("it is a folder");
    let found = run(plan(&["two"], QUICK), None);
    let page = found.write(&folder.0, 1.0).expect("there is room");
    assert_eq!(page, folder.0.join("report.html"));
    let expected = [
        "report.html",
        "scenarios/two-fig1/reno-0.1.toml",
        "scenarios/two-fig1/veno-0.1.toml",
        "two-fig1-all.csv",
        "two-fig1.csv",
        "two-fig1.runs.csv",
        "two-fig1.svg",
        "two.NOTES.md",
        "two.verdicts.toml",
    ];
    assert_eq!(folder.files(), expected);
    assert_eq!(
        folder.read("two.verdicts.toml"),
        "[settings]\nseed = 1\nquick = true\n\n[two-fig1]\nmuch = \"fails\"\nsome = \"holds\"\n"
    );
    assert_eq!(
        folder.read("report.html"),
        report::html(&found.document(1.0))
    );
    // One line per seed, and the column headings.
    assert_eq!(folder.read("two-fig1.runs.csv").lines().count(), 5);
    // Scenarios of other settings are removed, verdicts on other figures with the same settings are
    // kept.
    run(plan(&["one-fig1"], QUICK), None)
        .write(&folder.0, 1.0)
        .expect("there is room");
    run(plan(&["one-fig2"], QUICK), None)
        .write(&folder.0, 1.0)
        .expect("there is room");
    let record = folder.read("one.verdicts.toml");
    assert!(record.contains("[one-fig1]") && record.contains("[one-fig2]"));
    run(plan(&["two"], FULL), None)
        .write(&folder.0, 1.0)
        .expect("there is room");
    let scenarios = folder.files().into_iter();
    let scenarios = scenarios.filter(|name| name.starts_with("scenarios/two-fig1/"));
    assert_eq!(scenarios.count(), 4);
}

#[test]
fn verdicts_may_be_compared_with_an_earlier_folder() {
    let folder = Folder::new("earlier");
    let quick = || choose(&["two"], QUICK).expect("it is known");
    let missing = quick().against(&folder.0).expect_err("nothing is there");
    let missing = missing.to_string();
    assert!(
        missing.starts_with("cannot compare with ") && missing.contains("two.verdicts.toml: "),
        "{missing}"
    );
    let earlier = "[settings]\nseed = 1\nquick = true\n[two-fig1]\nsome = \"fails\"\n";
    std::fs::write(folder.0.join("two.verdicts.toml"), earlier).expect("it is ours");
    let chosen = quick().against(&folder.0).expect("it can be read");
    let found = run(Plan::new(chosen).expect("right"), None);
    assert_eq!(found.papers[0].against.changes.len(), 2);
    assert!(found.papers[0].against.is_broken());
}

#[test]
fn an_unwritable_folder_is_refused_before_any_work() {
    let folder = Folder::new("refused");
    let file = folder.0.join("file");
    std::fs::write(&file, "").expect("it is ours");
    let error = prepare(&file).expect_err("it is a file").to_string();
    assert!(error.starts_with("cannot write to the folder "), "{error}");
    assert!(error.ends_with("file: it is a file"), "{error}");
}
