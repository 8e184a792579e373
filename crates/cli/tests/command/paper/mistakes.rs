//! Mistakes in the folder of a paper: each has its place, and nothing runs.

use std::fs;

use super::{change, mine, within};
use crate::{names, output, success};

#[test]
fn every_mistake_has_its_place_and_nothing_runs() {
    let folder = mine("paper-mistakes");
    let original = folder.join("mine");
    // The file, what is replaced in it, the place, and what would be right.
    for (file, from, to, place, advice) in [
        (
            "paper.toml",
            "title ",
            "titel ",
            "paper.toml:6:1",
            "did you mean `title`?",
        ),
        (
            "paper.toml",
            "fig1 =",
            "fig2 =",
            "paper.toml:12:1",
            "did you mean `fig1`?",
        ),
        (
            "paper.toml",
            "= \"loss\"",
            "= \"los\"",
            "paper.toml:12:8",
            "did you mean `loss`?",
        ),
        (
            "paper.toml",
            "\"mine\"",
            "\"My Paper\"",
            "paper.toml:4:12",
            "the letters a to z",
        ),
        (
            "paper.toml",
            "[figure]",
            "[figures]",
            "paper.toml:11:2",
            "did you mean `figure`?",
        ),
        (
            "paper.toml",
            "= \"veno\"",
            "= \"vneo\"",
            "fig1.toml:8:22",
            "did you mean `veno`?",
        ),
        (
            "paper.toml",
            "title    = \"",
            "title    = ",
            "paper.toml:6:",
            "not valid TOML",
        ),
        (
            "fig1.toml",
            "[[panel]]",
            "[[pannel]]",
            "fig1.toml:27:3",
            "did you mean `panel`?",
        ),
        (
            "fig1.toml",
            "loss.bernoulli",
            "loss.bernouli",
            "fig1.toml:15:10",
            "did you mean `bernoulli`?",
        ),
        (
            "fig1.toml",
            "3e-2]            #",
            "3]  #",
            "fig1.toml:35:",
            "0.001, 0.003, 0.01, 3",
        ),
        (
            "fig1.toml",
            "[1e-3, 3e-3",
            "[-1e-3, 3e-3",
            "fig1.toml:10:",
            "0.003",
        ),
        (
            "fig1.toml",
            "{ highest",
            "{ higest",
            "fig1.toml:35:12",
            "did you mean `highest`?",
        ),
        (
            "fig1.toml",
            "\"mine-fig1\"",
            "\"mine\"",
            "fig1.toml:3:10",
            "\"mine-fig1\"",
        ),
        (
            "fig1.toml",
            "null   = ",
            "again = \"none\"\nnull   = ",
            "fig1.toml:42:",
            "FIGURE.ID",
        ),
        (
            "fig1.toml",
            "null   = ",
            "again = \"fig7.a\"\nnull   = ",
            "fig1.toml:42:",
            "FIGURE.ID",
        ),
        (
            "loss.scenario.toml",
            "duration",
            "duraton",
            "loss.scenario.toml:2:1",
            "did you mean `duration`?",
        ),
        (
            "loss.scenario.toml",
            "\"60 s\"",
            "60 s",
            "loss.scenario.toml:2:12",
            "a quantity is a string",
        ),
        (
            "explored.toml",
            "\"mine-fig1\"",
            "\"mine-fig\"",
            "explored.toml:17:",
            "did you mean `mine-fig1`?",
        ),
        (
            "explored.toml",
            "[[reading]]",
            "[[readings]]",
            "explored.toml:13:3",
            "did you mean `reading`?",
        ),
    ] {
        let copy = folder.join("copy");
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir(&copy).expect("ours");
        for name in names(&original) {
            fs::copy(original.join(&name), copy.join(&name)).expect("ours");
        }
        change(&copy.join(file), from, to);
        let (code, out, err) = output(&mut within(&folder, &["reproduce", "./copy"]));
        assert_eq!((code, out.as_str()), (2, ""), "{to}: {err}");
        let place = format!("./copy/{place}");
        assert!(
            err.contains(&place) && err.contains(advice),
            "{to}: {place}: {err}"
        );
    }
    assert!(!folder.join("out").exists(), "something ran");
}

#[test]
fn mistakes_of_readings_and_records_have_a_place() {
    let folder = mine("paper-readings");
    let paper = folder.join("mine");
    let explored = paper.join("explored.toml");
    change(&explored, "delayed_ack = true", "delayed_ack = false");
    let run = ["reproduce", "./mine", "mine-explored"];
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    for part in [
        "./mine/explored.toml:14:11",
        "the reading `delayed-acks` changes nothing",
    ] {
        assert!(err.contains(part), "{err}");
    }
    change(&explored, "delayed_ack = false", "delayed_akc = true");
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    assert!(
        err.contains("./mine/explored.toml:14:11") && err.contains("delayed_akc"),
        "{err}"
    );
    fs::remove_file(&explored).expect("ours");
    let (code, _, err) = output(&mut within(&folder, &run));
    assert_eq!(code, 2);
    assert!(err.contains("has no other readings"), "{err}");
    let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine", "explored"]));
    assert_eq!(code, 2);
    assert!(
        err.contains("has no other readings") && err.contains("explored.toml"),
        "{err}"
    );
    let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine", "--null"]));
    assert_eq!(code, 2);
    assert!(err.contains("the baseline of mine is not known"), "{err}");
    for (text, place, advice) in [
        (
            "[settings]\nseed = 1\nquick = true\n",
            "verdicts.toml:3:9",
            "records of their own",
        ),
        (
            "[settings]\nseed = 1\nquick = false\n[f]\na = \"hold\"\n",
            "verdicts.toml:5:5",
            "`holds`",
        ),
    ] {
        fs::write(paper.join("verdicts.toml"), text).expect("ours");
        let (code, _, err) = output(&mut within(&folder, &["reproduce", "./mine"]));
        assert_eq!(code, 2);
        assert!(
            err.contains(&format!("./mine/{place}")) && err.contains(advice),
            "{err}"
        );
    }
}

#[test]
fn what_is_not_the_folder_of_a_paper_is_refused() {
    let folder = mine("paper-none");
    fs::create_dir(folder.join("empty")).expect("ours");
    fs::create_dir(folder.join("other")).expect("ours");
    fs::write(folder.join("other/papr.toml"), "").expect("ours");
    success(&mut within(&folder, &["new", "twin", "--kind", "paper"]));
    change(
        &folder.join("twin/paper.toml"),
        "name     = \"twin\"",
        "name     = \"mine\"",
    );
    let refused = |args: &[&str]| {
        let (code, out, err) = output(&mut within(&folder, &[&["reproduce"], args].concat()));
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        err
    };
    for (args, parts) in [
        (
            &["./empty"][..],
            ["the folder ./empty is empty", "--kind paper"],
        ),
        (&["./other"], ["has no paper.toml", "rename papr.toml"]),
        (
            &["./mien"],
            ["there is no folder ./mien", "did you mean ./mine?"],
        ),
        (&["./mine/fig1.toml"], ["is a file", "such as ./mine"]),
        (
            &["./mine", "./twin"],
            ["`mine` is in ./mine and in ./twin", "change the name"],
        ),
        (
            &["./mine", "mine-fg1"],
            ["`mine-fg1`", "did you mean `mine-fig1`?"],
        ),
        (
            &["./mine", "--out", "mine"],
            ["--out is the folder of a paper", "another folder"],
        ),
        (
            &["venodb", "--record"],
            ["compiled in", "crates/papers/src/venodb --record"],
        ),
        (
            &["./mine", "venodb-fig2", "--record"],
            ["compiled in", "crates/papers/src/venodb"],
        ),
        (
            &["matrix", "--record"],
            ["none is named", "the folder of a paper"],
        ),
    ] {
        let err = refused(args);
        assert!(
            parts.iter().all(|part| err.contains(part)),
            "{args:?}: {err}"
        );
    }
    let stray = folder.join("mine/explord.toml");
    fs::write(&stray, "").expect("ours");
    let err = refused(&["./mine"]);
    assert!(err.contains("explord.toml:1:1"), "{err}");
    fs::remove_file(&stray).expect("ours");
    fs::rename(folder.join("mine/NOTES.md"), folder.join("mine/notes.md")).expect("ours");
    assert!(refused(&["./mine"]).contains("rename it to NOTES.md"));
    fs::write(folder.join("mine/fig1.toml"), b"name = \"a\"\n\xff").expect("ours");
    fs::remove_file(folder.join("mine/notes.md")).expect("ours");
    assert!(refused(&["./mine"]).contains("./mine/fig1.toml:2:1"));
}
