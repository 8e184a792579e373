//! Files that are written while a reproduction is under way.

use std::sync::atomic::{AtomicBool, Ordering};

use dumbbell_lab::reproduction::{Interrupted, News, Part, Plan, Publisher, Reproduction, prepare};
use dumbbell_store::{Runner, Store};

use super::library::{FULL, Folder, plan, run};

/// Runs a plan and publishes it; `look` is called after each part, and ends the reproduction if it
/// returns true.
fn publish(
    plan: &Plan,
    (store, threads): (Option<&Store>, usize),
    folder: &Folder,
    mut look: impl FnMut(Part<'_>, &Reproduction) -> bool,
) -> Result<(), Interrupted> {
    prepare(&folder.0).expect("it is a folder");
    let mut publisher = Publisher::new(&folder.0);
    let interrupted = AtomicBool::new(false);
    let runner = Runner {
        store,
        threads,
        interrupted: &interrupted,
    };
    let found = plan.run(
        &runner,
        |_| {},
        |news| {
            publisher.take(&news);
            if let News::Part(part, found) = news {
                interrupted.fetch_or(look(part, found), Ordering::Relaxed);
            }
        },
    )?;
    publisher.finish(&found, 1.0).expect("there is room");
    Ok(())
}

#[test]
fn a_figure_is_there_as_soon_as_its_runs_have_finished() {
    let folder = Folder::new("early");
    let mut seen = Vec::new();
    let parts = publish(&plan(&[], FULL), (None, 2), &folder, |part, found| {
        let name = match part {
            Part::Figure(figure) => figure.experiment.name.clone(),
            Part::Matrix(_) => "matrix".to_owned(),
            Part::Exploration(_) => panic!("there is none"),
        };
        assert!(folder.files().contains(&format!("{name}.csv")), "{name}");
        // What is missing is neither there nor in the report, which says so.
        let missing: Vec<&str> = found.missing().map(|it| it.name.as_str()).collect();
        assert_eq!(seen.len() + 1 + missing.len(), 4, "{missing:?}");
        assert!(!missing.contains(&name.as_str()));
        for other in &missing {
            assert!(!folder.files().contains(&format!("{other}.csv")), "{other}");
        }
        let document = found.document(1.0);
        let names: Vec<&str> = document
            .missing
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, missing);
        assert!(
            document
                .papers
                .iter()
                .all(|paper| !paper.sections.is_empty())
        );
        seen.push(name);
        false
    });
    assert_eq!(parts, Ok(()));
    seen.sort();
    assert_eq!(seen, ["matrix", "one-fig1", "one-fig2", "two-fig1"]);
    let page = folder.read("report.html");
    assert!(!page.contains("Not complete yet"));
}

#[test]
fn an_early_report_says_what_is_missing() {
    let folder = Folder::new("missing");
    let stopped = publish(&plan(&[], FULL), (None, 1), &folder, |_, _| true);
    assert_eq!(stopped, Err(Interrupted::default()));
    let page = folder.read("report.html");
    assert!(page.contains("Not complete yet.</strong> 1 of 4 figures are here"));
    assert!(page.contains("Still to come: 3"));
    assert!(
        !folder
            .files()
            .iter()
            .any(|file| file.ends_with(".unfinished"))
    );
}

#[test]
fn the_files_are_the_same_after_interrupts_and_on_any_number_of_threads() {
    let all = Folder::new("all");
    let found = run(plan(&[], FULL), None);
    prepare(&all.0).expect("it is a folder");
    found.write(&all.0, 1.0).expect("there is room");
    // It tells of the runs that were kept.
    let files = |folder: &Folder| -> Vec<(String, String)> {
        let names = folder.files().into_iter();
        let names = names.filter(|name| name != "report.html");
        names
            .map(|name| (name.clone(), folder.read(&name)))
            .collect()
    };
    for threads in [1, 2, 5] {
        let folder = Folder::new(&format!("again-{threads}"));
        let store = Store::in_memory().expect("memory is there");
        let with = (Some(&store), threads);
        // It ends after one part, after two, after three, and then not before all are there.
        for left in [3, 2, 1, 0] {
            let over = publish(&plan(&[], FULL), with, &folder, |_, found| {
                left > 0 && found.missing().count() == left
            });
            assert_eq!(over.is_err(), left > 0);
        }
        assert_eq!(files(&folder), files(&all), "{threads} threads");
    }
}
