//! The runs of a sweep, their store, and their tables.

use std::sync::atomic::{AtomicBool, Ordering};

use dumbbell_lab::sweep::{Collector, Found, Sweep, Tables};
use dumbbell_lab::table::{Cell, Table};
use dumbbell_lab::tidy::Kind;
use dumbbell_store::{Runner, Store};

use super::read;

const GRID: &str =
    "[sweep]\nrepeat = 3\ngrid = { \"bottleneck.loss.bernoulli\" = [0.001, 0.05] }\n";

fn run(sweep: &Sweep, store: &Store, threads: usize) -> (Found, Tables) {
    let interrupted = AtomicBool::new(false);
    let runner = Runner {
        store: Some(store),
        threads,
        interrupted: &interrupted,
    };
    let mut collector = Collector::new(sweep, &Kind::ALL);
    let found = sweep.run(
        &runner,
        |_| {},
        |turn, point, done| collector.add(turn, point, &done),
    );
    (found, collector.tables())
}

fn numbers(table: &Table, column: &str) -> Vec<f64> {
    let column = table.column(column).expect(column);
    let rows = 0..table.rows();
    let number = |row| match column.values.at(row).expect("a value") {
        Cell::Number(number) => number,
        Cell::Whole(whole) => whole as f64,
        other => panic!("{other:?}"),
    };
    rows.map(number).collect()
}

#[test]
fn a_sweep_has_a_row_for_each_run_and_group() {
    let sweep = read(GRID).expect("it is right");
    let store = Store::in_memory().expect("memory");
    let (found, tables) = run(&sweep, &store, 2);
    assert_eq!((found.runs, found.computed, found.taken), (6, 6, 0));
    let groups = &tables.tidy[0];
    let expected = [0.001, 0.001, 0.001, 0.05, 0.05, 0.05];
    assert_eq!(numbers(groups, "bottleneck.loss.bernoulli"), expected);
    assert_eq!(numbers(groups, "seed"), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    let goodput = numbers(groups, "goodput");
    // More loss, less goodput.
    assert!(
        goodput[..3].iter().sum::<f64>() > goodput[3..].iter().sum::<f64>(),
        "{goodput:?}"
    );
    assert_eq!(tables.runs.rows(), 6);
    // Any number of threads gives the same tables.
    let again = run(&sweep, &Store::in_memory().expect("memory"), 1);
    assert_eq!(again.1.tidy, tables.tidy);
}

#[test]
fn only_what_is_missing_is_run() {
    let store = Store::in_memory().expect("memory");
    let first = run(&read(GRID).expect("it is right"), &store, 2);
    // A longer axis, more runs, another name and another order: the same runs are there.
    let longer = GRID
        .replace("0.001, 0.05", "0.05, 0.02, 0.001")
        .replace("= 3", "= 4");
    let sweep = read(&longer).expect("it is right");
    let (found, tables) = run(&sweep, &store, 2);
    assert_eq!((found.runs, found.taken, found.computed), (12, 6, 6));
    let (before, after) = (&first.1.tidy[0], &tables.tidy[0]);
    assert_eq!(
        numbers(before, "goodput")[..3],
        numbers(after, "goodput")[8..11]
    );
}

#[test]
fn an_interrupted_sweep_goes_on_where_it_stopped() {
    let sweep = read(&GRID.replace("repeat = 3", "repeat = 400")).expect("it is right");
    let store = Store::in_memory().expect("memory");
    let interrupted = AtomicBool::new(false);
    let runner = Runner {
        store: Some(&store),
        threads: 1,
        interrupted: &interrupted,
    };
    let found = sweep.run(
        &runner,
        |_| {},
        |_, _, _| interrupted.store(true, Ordering::Relaxed),
    );
    assert!(found.interrupted && found.runs < 800, "{found:?}");
    let (rest, tables) = run(&sweep, &store, 2);
    assert_eq!(rest.taken + rest.computed, 800);
    assert!(rest.taken >= found.runs);
    let fresh = Store::in_memory().expect("memory");
    assert_eq!(tables.tidy, run(&sweep, &fresh, 2).1.tidy);
}

#[test]
fn a_point_is_run_until_its_interval_is_narrow() {
    let until = "[sweep]
        grid = { \"bottleneck.loss.bernoulli\" = [0.0, 0.05] }
        until = { measure = \"goodput\", interval = \"10 %\", at_least = 3, at_most = 40 }\n";
    let sweep = read(until).expect("it is right");
    let store = Store::in_memory().expect("memory");
    let (found, tables) = run(&sweep, &store, 2);
    // Without loss all runs are equal; with loss they differ.
    assert_eq!(found.runs_of[0], 3);
    assert!(found.runs_of[1] > 3 && found.runs_of[1] <= 40, "{found:?}");
    assert!(found.wide.is_empty() || found.runs_of[1] == 40, "{found:?}");
    let losses = numbers(&tables.tidy[0], "bottleneck.loss.bernoulli");
    assert!(
        losses.is_sorted(),
        "the rows are in the order of the points"
    );
    let (again, _) = run(&sweep, &Store::in_memory().expect("memory"), 1);
    assert_eq!(again.runs_of, found.runs_of);
    let never = until.replace("10 %", "0.01 %").replace("40", "6");
    let (found, _) = run(&read(&never).expect("it is right"), &store, 2);
    assert_eq!((found.runs_of, found.wide), (vec![3, 6], vec![1]));
}

#[test]
fn a_point_without_a_value_is_not_known() {
    let until = "[sweep]
        grid = { \"bottleneck.loss.bernoulli\" = [0.0, 0.05] }
        until = { measure = \"WHAT\", interval = \"2 %\", at_least = 3, at_most = 9 }\n";
    // No flow ends, and a single flow has nothing to be fair to.
    for measure in ["completion", "jain"] {
        let sweep = read(&until.replace("WHAT", measure)).expect("it is right");
        let (found, _) = run(&sweep, &Store::in_memory().expect("memory"), 2);
        assert_eq!(found.runs_of, [3, 3], "{measure}");
        assert_eq!(found.values_of, [0, 0], "{measure}");
        assert_eq!((found.wide, found.without), (vec![], vec![0, 1]));
    }
    // Only one of the points has the group.
    let groups = "[sweep]
        grid = { \"flow.main.group\" = [\"a\", \"b\"] }
        until = { measure = \"goodput\", interval = \"99 %\", group = \"b\", at_least = 3, at_most = 9 }\n";
    let sweep = read(groups).expect("it is right");
    let (found, _) = run(&sweep, &Store::in_memory().expect("memory"), 2);
    assert_eq!((found.wide, found.without), (vec![], vec![0]));
    assert_eq!(found.values_of, [0, 3]);
}

#[test]
fn runs_without_a_value_are_not_the_last_ones() {
    // About half of these transfers end in time.
    let until = "size = \"40 kB\"
        [sweep]
        grid = { \"bottleneck.loss.bernoulli\" = [0.15] }
        until = { measure = \"completion\", interval = \"1 %\", at_least = 5, at_most = 24 }\n";
    let store = Store::in_memory().expect("memory");
    let (found, tables) = run(&read(until).expect("it is right"), &store, 2);
    let completed = numbers(&tables.tidy[0], "completed");
    let values = completed.iter().filter(|it| **it > 0.0).count();
    assert!(values > 2 && values < 20, "{completed:?}");
    assert_eq!((found.runs_of, found.wide), (vec![24], vec![0]));
    assert_eq!(found.values_of, [values as u64]);
    let enough = until.replace("\"1 %\"", "\"60 %\"");
    let (found, _) = run(&read(&enough).expect("it is right"), &store, 2);
    assert!(
        found.wide.is_empty() && found.without.is_empty(),
        "{found:?}"
    );
    assert!(found.runs_of[0] < 24, "{found:?}");
    assert!(
        found.values_of[0] >= 2 && found.values_of[0] < found.runs_of[0],
        "{found:?}"
    );
}

#[test]
fn named_measures_are_columns_of_the_runs() {
    let sweep = read(
        "[sweep]\nrepeat = 2
        [[sweep.measure]]\nname = \"sum\"\nlabel = \"goodput, kb/s\"\nquantity = \"goodput\"\nscale = 0.001
        [[sweep.measure]]\nname = \"late\"\nlabel = \"window\"\nquantity = \"cwnd\"\nwindow = { from = 1, reduce = \"mean\" }",
    );
    let sweep = sweep.expect("it is right");
    let (_, tables) = run(&sweep, &Store::in_memory().expect("memory"), 1);
    let goodput = numbers(&tables.tidy[0], "goodput");
    let sum = numbers(&tables.runs, "sum");
    assert!((goodput[0] / 1000.0 - sum[0]).abs() < 1e-9 * sum[0]);
    assert!(
        numbers(&tables.runs, "late")
            .iter()
            .all(|window| *window > 1.0)
    );
}
