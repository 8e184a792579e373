//! Files that a command reads are never replaced by those that it writes.

use std::fs;
use std::path::Path;

use crate::{SAMPLE, dumbbell, file, folder, names, output, success};

/// Checks that a command is refused before it changes anything in the folder.
fn refused(folder: &Path, command: &[&str], part: &str) {
    let contents = || -> Vec<_> {
        let names = names(folder).into_iter();
        let read = |name: String| fs::read(folder.join(&name)).ok().map(|it| (name, it));
        names.filter_map(read).collect()
    };
    let before = contents();
    let (code, out, err) = output(dumbbell().args(command).current_dir(folder));
    assert_eq!((code, out.as_str()), (2, ""), "{command:?}: {err}");
    assert!(err.contains(part), "{command:?}: {err}");
    assert!(contents() == before, "{command:?} changed a file");
}

#[test]
fn a_scenario_is_not_overwritten() {
    let folder = folder("overwriting-scenario");
    file(&folder, &SAMPLE.replace("100 s", "2 s"));
    fs::create_dir(folder.join("sub")).expect("ours");
    let part = "is the file of the scenario";
    for path in ["my.toml", "./my.toml", "sub/../my.toml"] {
        for option in ["--csv", "--arrow", "--store"] {
            refused(&folder, &["run", "my.toml", option, path], part);
            refused(&folder, &["sweep", "my.toml", option, path], part);
        }
        refused(&folder, &["sweep", "my.toml", "--page", path], part);
        refused(&folder, &["run", "my.toml", "--samples", path], part);
        refused(
            &folder,
            &["matrix", "--paths", "my.toml", "--store", path],
            part,
        );
    }
    // A scenario may have any name, and so the one that an output would have.
    fs::copy(folder.join("my.toml"), folder.join("my.csv")).expect("ours");
    refused(&folder, &["run", "my.csv", "--trace", "./my.csv"], part);
    refused(
        &folder,
        &["run", "my.toml", "my.csv", "--csv", "my.csv"],
        part,
    );
    fs::copy(folder.join("my.toml"), folder.join("my.sqlite")).expect("ours");
    refused(&folder, &["sweep", "my.sqlite"], part);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_does_not_overwrite_its_scenario() {
    let folder = folder("overwriting-report");
    file(&folder, SAMPLE);
    let part = "is the file of the scenario";
    refused(
        &folder,
        &["emulate", "my.toml", "--report", "./my.toml", "--", "true"],
        part,
    );
}

#[test]
fn a_path_of_the_matrix_is_not_in_the_folder_that_it_empties() {
    let folder = folder("overwriting-matrix");
    let cells = folder.join("out/scenarios/matrix");
    fs::create_dir_all(&cells).expect("ours");
    let path = file(&cells, &SAMPLE.replace("100 s", "2 s"));
    let part = "would be lost: the folder out/scenarios/matrix is emptied";
    let matrix = ["matrix", "--controls", "veno", "--repeat", "1"];
    let own = ["--paths", "./out/scenarios/matrix/my.toml"];
    refused(&folder, &[&matrix[..], &own].concat(), part);
    assert!(path.is_file(), "it is lost");
    let elsewhere = [&matrix[..], &own, &["--out", "other"]].concat();
    success(dumbbell().args(elsewhere).current_dir(&folder));
}

#[cfg(unix)]
#[test]
fn a_link_is_the_file_to_which_it_leads() {
    let folder = folder("overwriting-link");
    file(&folder, &SAMPLE.replace("100 s", "2 s"));
    std::os::unix::fs::symlink("my.toml", folder.join("link.csv")).expect("ours");
    let part = "is the file of the scenario";
    refused(&folder, &["run", "my.toml", "--csv", "link.csv"], part);
    refused(&folder, &["run", "link.csv", "--csv", "my.toml"], part);
}

#[test]
fn a_store_is_not_overwritten() {
    let folder = folder("overwriting-store");
    file(&folder, &SAMPLE.replace("100 s", "2 s"));
    let sweep = ["sweep", "my.toml", "--set", "sweep.repeat=1"];
    let with = |more: &[&'static str]| [&sweep[..], more].concat();
    success(
        dumbbell()
            .args(with(&["--store", "z.sqlite"]))
            .current_dir(&folder),
    );
    success(dumbbell().args(sweep).current_dir(&folder));
    let part = "is the file of the store";
    refused(
        &folder,
        &with(&["--store", "z.sqlite", "--csv", "./z.sqlite"]),
        part,
    );
    refused(
        &folder,
        &with(&["--store", "z.sqlite", "--page", "z.sqlite"]),
        part,
    );
    refused(&folder, &with(&["--csv", "my.sqlite"]), part);
    refused(
        &folder,
        &["run", "my.toml", "--store", "z.sqlite", "--csv", "z.sqlite"],
        part,
    );
    // Without the store, it is another file like any other.
    let free = with(&["--no-store", "--csv", "my.sqlite"]);
    success(dumbbell().args(free).current_dir(&folder));
}

#[test]
fn outputs_do_not_overwrite_each_other() {
    let folder = folder("overwriting-outputs");
    file(&folder, &SAMPLE.replace("100 s", "2 s"));
    let part = "two outputs have the same path";
    refused(
        &folder,
        &["run", "my.toml", "--csv", "a.csv", "--trace", "./a.csv"],
        part,
    );
    refused(
        &folder,
        &["sweep", "my.toml", "--csv", "a", "--page", "./a"],
        part,
    );
}

#[test]
fn a_trace_is_not_overwritten() {
    let folder = folder("overwriting-trace");
    let text = SAMPLE
        .replace("100 s", "2 s")
        .replace("\"2 Mb/s\"", "{ trace = \"up.trace\" }");
    file(&folder, &text);
    fs::write(folder.join("up.trace"), "6\n12\n18\n").expect("ours");
    let run = ["run", "my.toml", "--json"];
    success(dumbbell().args(run).current_dir(&folder));
    let part = "is the file of the trace";
    refused(&folder, &["run", "my.toml", "--csv", "./up.trace"], part);
    refused(&folder, &["sweep", "my.toml", "--page", "up.trace"], part);
}

#[test]
fn standard_input_is_given_once() {
    let folder = folder("overwriting-input");
    let part = "standard input, `-`, is given more than once";
    refused(&folder, &["run", "-", "-"], part);
    refused(&folder, &["sweep", "-", "-"], part);
    refused(&folder, &["matrix", "--paths=-,-"], part);
}
