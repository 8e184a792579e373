//! `dumbbell store` and `dumbbell query`.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{dumbbell, folder, output, success};

/// A store with the runs of a quick reproduction of one figure.
fn reproduced(folder: &Path, seed: &str) -> PathBuf {
    let out = folder.join(format!("out-{seed}"));
    let names = ["reproduce", "dynamics-fig4a", "--quick", "--seed", seed];
    let mut command = dumbbell();
    let (code, _, err) = output(command.args(names).arg("--out").arg(&out));
    assert!(code <= 1, "{err}");
    out.join("runs.sqlite")
}

fn json(words: &[&str], files: &[&Path]) -> (i32, Value) {
    let (code, out, err) = output(dumbbell().args(words).args(files).arg("--json"));
    assert_eq!(err, "");
    (code, serde_json::from_str(&out).expect("one object"))
}

fn runs(file: &Path) -> u64 {
    let (_, list) = json(&["store", "list"], &[file]);
    let builds = list["builds"].as_array().expect("an array");
    builds
        .iter()
        .map(|it| it["runs"].as_u64().expect("a number"))
        .sum()
}

/// Changes a byte of the stored outcome of one run, in the middle of its row.
fn damage(file: &Path) {
    let database = rusqlite::Connection::open(file).expect("a database");
    let (id, mut bytes): (i64, Vec<u8>) = database
        .query_row("SELECT id, outcome FROM run LIMIT 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .expect("a run");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    let update = "UPDATE run SET outcome = ?1 WHERE id = ?2";
    let changed = database.execute(update, rusqlite::params![bytes, id]);
    assert_eq!(changed.expect("it can be written"), 1);
}

#[test]
fn a_store_is_listed_merged_checked_repaired_and_pruned() {
    let folder = folder("store-story");
    let (first, second) = (reproduced(&folder, "1"), reproduced(&folder, "500"));
    let (one, two) = (runs(&first), runs(&second));
    assert!(one > 3 && two == one, "{one} and {two}");
    let text = success(dumbbell().args(["store", "list"]).arg(&first));
    assert!(text.contains(&format!("{one} runs of ")), "{text}");
    assert!(text.contains("(this)"), "{text}");
    let text = success(dumbbell().args(["store", "size"]).arg(&first));
    assert!(text.contains("of which texts, names and indices"), "{text}");

    // Merging adds each run once.
    let merged = success(dumbbell().args(["store", "merge"]).args([&first, &second]));
    assert_eq!(merged, format!("added {two} runs; 0 were there already\n"));
    let again = json(&["store", "merge"], &[&first, &second]);
    assert_eq!(
        (again.0, &again.1["added"], &again.1["shared"]),
        (0, &0.into(), &two.into())
    );
    assert_eq!((runs(&first), runs(&second)), (one + two, two));

    // A damaged row is found, and hinders only the merge.
    let sound = json(&["store", "check"], &[&first]);
    assert_eq!((sound.0, &sound.1["rows"]), (0, &(one + two).into()));
    damage(&second);
    let before = fs::read(&second).expect("a file");
    let (code, _, err) = output(dumbbell().args(["store", "merge"]).args([&first, &second]));
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("1 of its") && err.contains("store check --repair"),
        "{err}"
    );
    let (code, out, _) = output(dumbbell().args(["store", "check"]).arg(&second));
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("1 are damaged: --repair removes them"),
        "{out}"
    );
    assert_eq!(fs::read(&second).expect("a file"), before, "only looked at");
    let repaired = json(&["store", "check", "--repair"], &[&second]);
    assert_eq!((repaired.0, &repaired.1["repaired"]), (1, &true.into()));
    assert_eq!(json(&["store", "check"], &[&second]).0, 0);
    assert_eq!(runs(&second), two - 1);

    // Pruning says what it would do, and does it.
    let (_, list) = json(&["store", "list"], &[&first]);
    let number = list["scenarios"][0]["scenario"].to_string();
    let its = list["scenarios"][0]["runs"].as_u64().expect("a number");
    let prune = ["store", "prune", "--scenario", &number];
    let dry = json(&[&prune[..], &["--dry-run"]].concat(), &[&first]);
    assert_eq!((&dry.1["runs"], runs(&first)), (&its.into(), one + two));
    let done = json(&prune, &[&first]);
    assert_eq!(
        (&done.1["runs"], runs(&first)),
        (&its.into(), one + two - its)
    );
    // All that is left is of this build.
    let left = json(&["store", "prune"], &[&first]);
    assert_eq!(left.1["runs"], 0);
}

#[test]
fn what_is_no_store_is_refused_untouched() {
    let folder = folder("store-foreign");
    let (store, text) = (reproduced(&folder, "1"), folder.join("text"));
    fs::write(&text, "not a store, but a text of some length").expect("ours");
    let missing = folder.join("missing");
    for command in [
        &["store", "list"][..],
        &["store", "check", "--repair"],
        &["query"],
    ] {
        for (file, why) in [(&text, "not a store of runs"), (&missing, "No such file")] {
            let (code, _, err) = output(dumbbell().args(command).arg(file));
            assert_eq!(code, 2, "{command:?}: {err}");
            assert!(err.contains(why), "{command:?}: {err}");
        }
    }
    let before = fs::read(&store).expect("a file");
    let (code, _, err) = output(dumbbell().args(["store", "merge"]).args([&store, &text]));
    assert_eq!(code, 2, "{err}");
    let (code, _, err) = output(dumbbell().args(["store", "merge"]).args([&store, &store]));
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("are the same file, so there is nothing to merge"),
        "{err}"
    );
    let (code, _, err) = output(
        dumbbell()
            .args(["store", "prune", "--scenario", "99999"])
            .arg(&store),
    );
    assert_eq!(code, 2, "{err}");
    assert!(
        err.contains("no scenario 99999: its numbers are between"),
        "{err}"
    );
    assert_eq!(fs::read(&store).expect("a file"), before);
    assert!(!missing.exists());
}

/// Every example of docs/store.md: the lines of its blocks that begin with `dumbbell`.
#[test]
fn every_example_of_the_docs_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = fs::read_to_string(root.join("docs/store.md")).expect("the docs");
    let folder = folder("store-docs");
    let (first, second) = (reproduced(&folder, "1"), reproduced(&folder, "500"));
    fs::create_dir(folder.join("out")).expect("ours");
    fs::rename(first, folder.join("out/runs.sqlite")).expect("ours");
    fs::rename(second, folder.join("theirs.sqlite")).expect("ours");
    let blocks = docs.split("```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    // A question may take several lines.
    let commands: Vec<String> = blocks
        .flat_map(|block| {
            block
                .split("\ndumbbell ")
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .map(|it| format!("dumbbell {}", it.strip_prefix("dumbbell ").unwrap_or(&it)))
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    let program = env!("CARGO_BIN_EXE_dumbbell");
    for command in commands {
        let script = format!("set -e\ndumbbell() {{ '{program}' \"$@\"; }}\n{command}");
        let mut shell = std::process::Command::new("bash");
        let shell = shell.args(["-c", &script]).current_dir(&folder);
        let (code, out, err) = output(shell);
        assert_eq!((code, err.as_str()), (0, ""), "{command}\n{out}");
        // The answer of a question has rows.
        let is_shown = command.contains("SELECT") && !command.contains(" > ");
        assert!(out.lines().count() > 1 || !is_shown, "{command}\n{out}");
    }
}

#[test]
fn answers_have_the_formats_of_tables() {
    let folder = folder("store-query");
    let store = reproduced(&folder, "1");
    let ask = |words: &[&str]| success(dumbbell().arg("query").arg(&store).args(words));
    let sql = "SELECT seed, avg(goodput) AS goodput FROM flows GROUP BY seed ORDER BY seed";
    let csv = ask(&[sql, "--csv"]);
    assert!(csv.starts_with("seed,goodput\n1,"), "{csv}");
    let lines = ask(&[sql, "--json"]);
    let line: Value = serde_json::from_str(lines.lines().next().expect("a row")).expect("JSON");
    assert_eq!(line["seed"], 1);
    assert!(line["goodput"].as_f64().expect("a number") > 1e3, "{line}");
    // The continuation marker of an Arrow stream.
    let mut arrow = dumbbell();
    let arrow = arrow
        .arg("query")
        .arg(&store)
        .args([sql, "--arrow"])
        .output()
        .expect("it starts");
    assert_eq!(arrow.stdout[..4], [0xff; 4]);
    let text = ask(&[sql]);
    assert!(text.contains("goodput") && text.contains("bit/s"), "{text}");
    let tables = ask(&[]);
    for word in ["groups\n", "flows\n", "links\n", "settings\n", "bit/s"] {
        assert!(tables.contains(word), "{word}: {tables}");
    }
    let wrong = ["query", "--csv"];
    let (code, _, err) = output(
        dumbbell()
            .args(wrong)
            .arg(&store)
            .arg("SELECT goodputt FROM flows"),
    );
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("did you mean `goodput`?"), "{err}");
    for sql in [
        "SELECT group FROM groups",
        "SELECT goodput, Group FROM groups",
    ] {
        let (code, _, err) = output(dumbbell().arg("query").arg(&store).arg(sql));
        assert_eq!(code, 2, "{err}");
        let hint = "`group` is a word of SQL: the column is written in double quotes, \"group\"";
        assert!(err.contains(hint), "{err}");
    }
    // A mistake elsewhere has no such hint.
    let sql = "SELECT \"group\" FROM groups WHERE )";
    let (_, _, err) = output(dumbbell().arg("query").arg(&store).arg(sql));
    assert!(
        err.contains("syntax error") && !err.contains("word of SQL"),
        "{err}"
    );
}
