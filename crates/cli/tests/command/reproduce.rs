//! `dumbbell reproduce`.

use std::fs;

use crate::{dumbbell, folder, names, success};

#[test]
fn the_figure_and_its_gains_come_out() {
    let folder = folder("figure");
    let out = success(
        dumbbell()
            .arg("reproduce")
            .arg("venodb-fig2")
            .arg("--out")
            .arg(&folder),
    );
    for part in [
        "figure 2",
        "VenoDB over Veno",
        "VenoDB over WestwoodNR",
        "VenoDB over NewReno",
        "35.7",
        "38.6",
        "76.8",
        "400 runs in",
    ] {
        assert!(out.contains(part), "no {part:?} in\n{out}");
    }
    assert_eq!(names(&folder), ["venodb-fig2.csv", "venodb-fig2.svg"]);
    let csv = fs::read_to_string(folder.join("venodb-fig2.csv")).expect("written");
    // Ten loss rates for each of four curves, under a line of names.
    assert_eq!(csv.lines().count(), 41);
    let svg = fs::read_to_string(folder.join("venodb-fig2.svg")).expect("written");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    // What the README shows. A change that moves it is told in CHANGELOG.md, "Figures that moved".
    let shown = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/pictures/venodb-fig2"
    );
    let golden = |kind| fs::read_to_string(format!("{shown}.{kind}")).expect("in the repository");
    assert_eq!(
        csv,
        golden("csv"),
        "docs/pictures/venodb-fig2.csv is another figure"
    );
    assert!(
        svg == golden("svg"),
        "docs/pictures/venodb-fig2.svg is another picture"
    );
}

#[test]
fn the_number_of_jobs_changes_no_figure() {
    let [one, eight] = ["1", "8"].map(|jobs| {
        let folder = folder(&format!("figure-{jobs}"));
        let mut command = dumbbell();
        command.args([
            "reproduce",
            "venodb",
            "--seed",
            "100",
            "--jobs",
            jobs,
            "--out",
        ]);
        let _ = success(command.arg(&folder));
        ["csv", "svg"].map(|kind| {
            fs::read_to_string(folder.join(format!("venodb-fig2.{kind}"))).expect("written")
        })
    });
    assert!(one == eight);
}
