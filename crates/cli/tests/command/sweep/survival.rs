//! What a sweep keeps when it is killed, when the disk is full, and when there are two.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{SWEEP, sweep};
use crate::{file, folder, output, success};

/// 1200 short runs: about two seconds of work.
const MANY: &str = "repeat = 200";

fn start(folder: &Path) -> Child {
    sweep(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

fn dry(folder: &Path) -> (u64, u64) {
    let shown = success(sweep(folder).args(["--dry-run", "--json"]));
    let found: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let number = |name: &str| found[name].as_u64().expect("a number");
    (number("runs"), number("stored"))
}

/// The number of rows of runs in a store, and of different runs among them. None as long as the store has
/// no tables: a kill may come between its first byte and its first table.
fn rows(folder: &Path) -> (u64, u64) {
    let database = rusqlite::Connection::open(folder.join("my.sqlite")).expect("a store");
    let number = |sql: &str| {
        let count = database.query_row(sql, [], |row| row.get::<_, i64>(0));
        count.expect("a number").unsigned_abs()
    };
    if number("SELECT count(*) FROM sqlite_schema WHERE name = 'run'") == 0 {
        return (0, 0);
    }
    let different = "SELECT count(*) FROM (SELECT DISTINCT scenario, seed, build FROM run)";
    (number("SELECT count(*) FROM run"), number(different))
}

/// Kills a sweep again and again, each time after a little longer, and checks that nothing is lost but
/// what ran in the last second. CI does this a few times; `DUMBBELL_KILLS=100` does it a hundred times.
#[test]
fn kill_9_loses_at_most_what_ran_in_that_second() {
    let kills: u64 =
        std::env::var("DUMBBELL_KILLS").map_or(6, |kills| kills.parse().expect("a number"));
    let folder = folder("sweep-killed");
    file(&folder, &SWEEP.replace("repeat = 4", MANY));
    let reference = success(sweep(&folder).args(["--no-store", "--csv", "-"]));
    let mut survived = 0;
    for kill in 0..kills {
        let store = folder.join("my.sqlite");
        if dry(&folder).1 == dry(&folder).0 {
            // All is stored: begin again.
            fs::remove_file(&store).expect("it is ours");
            survived = 0;
        }
        let mut child = start(&folder);
        // From the very first moment to well within the runs.
        std::thread::sleep(Duration::from_millis(5 + 97 * kill % 700));
        child.kill().expect("it was running");
        child.wait().expect("it has ended");
        let (all, stored) = dry(&folder);
        assert!(
            stored >= survived && stored <= all,
            "kill {kill}: {stored} after {survived}"
        );
        survived = stored;
        if store.exists() {
            let (rows, different) = rows(&folder);
            assert_eq!(rows, different, "kill {kill}: runs are doubled");
        }
    }
    let whole = success(sweep(&folder).args(["--csv", "-"]));
    assert!(whole == reference, "the results differ after {kills} kills");
}

/// The latest seed of each scenario of a store, by the scenario's number. Empty as long as there is no
/// store.
fn latest(store: &Path) -> BTreeMap<i64, i64> {
    let read = || -> rusqlite::Result<BTreeMap<i64, i64>> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = rusqlite::Connection::open_with_flags(store, flags)?;
        let mut statement =
            database.prepare("SELECT scenario, max(seed) FROM run GROUP BY scenario")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    read().unwrap_or_default()
}

/// The seeds of a scenario are run in their order, each in about 10 ms. If one was stored a second before
/// the kill, then all earlier ones had ended by then, and are there.
#[test]
fn what_ran_before_the_last_second_is_stored() {
    const SECOND: Duration = Duration::from_secs(1);
    let folder = folder("sweep-last-second");
    let text = SWEEP
        .replace("\"2 s\"", "\"100 s\"")
        .replace("repeat = 4", "repeat = 2000");
    file(&folder, &text);
    let store = folder.join("my.sqlite");
    let mut child = start(&folder);
    let begun = Instant::now();
    let mut seen: Vec<(Instant, BTreeMap<i64, i64>)> = Vec::new();
    let runs = |latest: &BTreeMap<i64, i64>| latest.values().sum::<i64>();
    // Until forty runs have been there for more than a second.
    let has_enough = |seen: &[(Instant, BTreeMap<i64, i64>)]| {
        seen.iter()
            .any(|(time, latest)| time.elapsed() > SECOND && runs(latest) >= 40)
    };
    while !has_enough(&seen) {
        assert!(
            begun.elapsed() < 60 * SECOND,
            "less than 40 runs in a minute"
        );
        assert!(child.try_wait().expect("it is ours").is_none(), "it ended");
        seen.push((Instant::now(), latest(&store)));
        std::thread::sleep(Duration::from_millis(50));
    }
    let killed = Instant::now();
    child.kill().expect("it was running");
    child.wait().expect("it has ended");
    let earlier = seen.iter().rev().find(|(time, _)| killed - *time > SECOND);
    let (_, earlier) = earlier.expect("it took longer");
    let database = rusqlite::Connection::open(&store).expect("a store");
    let count = "SELECT count(DISTINCT seed) FROM run WHERE scenario = ?1 AND seed <= ?2";
    for (scenario, seed) in earlier {
        let stored: i64 = database
            .query_row(count, [scenario, seed], |row| row.get(0))
            .expect("an answer");
        assert_eq!(
            stored, *seed,
            "scenario {scenario}: runs of earlier seeds are lost"
        );
    }
    // What ended in the meantime has not waited for the end.
    let after = latest(&store);
    assert!(runs(&after) > runs(earlier), "{after:?} after {earlier:?}");
}

#[test]
fn two_sweeps_at_once_lose_and_double_nothing() {
    let folder = folder("sweep-two");
    file(&folder, &SWEEP.replace("repeat = 4", MANY));
    let start = || {
        let mut command = sweep(&folder);
        command.stdout(Stdio::piped()).spawn().expect("it starts")
    };
    let mut both = [start(), start()];
    // Both are running when the first runs are stored.
    let begun = Instant::now();
    while latest(&folder.join("my.sqlite")).is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is stored"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    for child in &mut both {
        assert!(
            child.try_wait().expect("it is ours").is_none(),
            "one has ended"
        );
    }
    for child in both {
        let out = child.wait_with_output().expect("it ends");
        let shown = String::from_utf8(out.stdout).expect("text");
        assert!(out.status.success(), "{shown}");
        // One that began after the other would find everything stored.
        let computed = shown.split(" computed").next();
        let computed = computed.and_then(|it| it.rsplit(' ').next()?.parse::<u64>().ok());
        assert!(computed > Some(0), "they did not overlap: {shown}");
    }
    assert_eq!(dry(&folder), (1200, 1200));
    assert_eq!(rows(&folder), (1200, 1200));
    let shown = success(&mut sweep(&folder));
    assert!(shown.contains("0 computed, 1200 from the store"), "{shown}");
}

#[test]
fn a_full_disk_loses_nothing_that_was_stored() {
    let folder = folder("sweep-full");
    file(&folder, &SWEEP.replace("repeat = 4", "repeat = 60"));
    success(sweep(&folder).args(["--set", "sweep.repeat=2"]));
    let (_, before) = dry(&folder);
    // A limit on the size of files is a disk that is full for the store alone. The signal that would
    // end the process is ignored, as on a disk.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 128; exec '{}' sweep my.toml --csv -",
        env!("CARGO_BIN_EXE_dumbbell")
    );
    let mut shell = Command::new("bash");
    let (code, out, err) = output(shell.args(["-c", &limited]).current_dir(&folder));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("the results are complete, but"), "{err}");
    // The table is complete all the same.
    let reference = success(sweep(&folder).args(["--no-store", "--csv", "-"]));
    assert!(out == reference);
    let (all, after) = dry(&folder);
    assert!(before <= after && after < all, "{before} {after} {all}");
    success(&mut sweep(&folder));
    assert_eq!(dry(&folder), (all, all));
}
