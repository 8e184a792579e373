//! `dumbbell run`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::{SAMPLE, dumbbell, file, folder, success};

/// Returns the keys of an object.
fn keys(value: &Value) -> BTreeSet<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("one object a line"))
        .collect()
}

#[test]
fn the_sample_gives_a_table_and_a_chart() {
    let folder = folder("sample");
    let out = success(dumbbell().arg("run").arg(file(&folder, SAMPLE)));
    for word in [
        "100 s simulated, seed 1",
        "venodb",
        "newreno",
        "bottleneck",
        "window in segments over time in seconds, seed 1",
    ] {
        assert!(out.contains(word), "no {word:?} in\n{out}");
    }
    assert!(out.contains('⣿') || out.contains('⠉'), "no chart in\n{out}");
    assert!(!out.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn a_warm_up_is_in_the_heading() {
    let folder = folder("warmup");
    let path = file(&folder, &format!("warmup = \"10 s\"\n{SAMPLE}"));
    let out = success(dumbbell().arg("run").arg(&path));
    let heading = "100 s simulated, measured from 10 s to 100 s, seed 1";
    assert!(out.contains(heading), "{out}");
    let out = success(dumbbell().arg("run").arg(&path).args(["--repeat", "2"]));
    let heading = "2 runs of 100 s, measured from 10 s to 100 s, seeds 1 to 2";
    assert!(out.contains(heading), "{out}");
}

#[test]
fn the_time_that_packets_wait_has_a_column_where_it_is_measured() {
    let folder = folder("wait");
    let plain = success(dumbbell().arg("run").arg(file(&folder, SAMPLE)));
    assert!(!plain.contains(" wait "), "{plain}");
    let codel = SAMPLE.replace("{ droptail = 60 }", "{ codel = {} }");
    let measured = success(dumbbell().arg("run").arg(file(&folder, &codel)));
    assert!(measured.contains(" wait "), "{measured}");
}

#[test]
fn classifiers_have_a_table() {
    let folder = folder("classified");
    let plain = success(dumbbell().arg("run").arg(file(&folder, SAMPLE)));
    assert!(!plain.contains("classifier"), "{plain}");
    let text = format!("{SAMPLE}\n[tcp]\nclassify = [\"veno\", \"flip_flop\"]\n");
    let shown = success(dumbbell().arg("run").arg(file(&folder, &text)));
    for word in [" classifier ", " veno ", " flip_flop ", " right % "] {
        assert!(shown.contains(word), "no {word} in {shown}");
    }
}

/// Columns for what only some queues do are shown only with such queues.
#[test]
fn early_drops_have_a_column() {
    let folder = folder("early");
    let plain = success(dumbbell().arg("run").arg(file(&folder, SAMPLE)));
    assert!(!plain.contains(" early "), "{plain}");
    let queue = "queue = { droptail = 60 }, loss = { bernoulli = 0.02 }";
    let red = SAMPLE.replace(queue, "queue = { red = { limit = 60 } }");
    assert_ne!(red, SAMPLE);
    let red = success(dumbbell().arg("run").arg(file(&folder, &red)));
    assert!(red.contains(" early "), "{red}");
    assert!(
        !red.contains(" marked ") && !red.contains(" filtered "),
        "{red}"
    );
}

#[test]
fn json_has_its_keys() {
    let folder = folder("json");
    let text = success(
        dumbbell()
            .arg("run")
            .arg(file(&folder, SAMPLE))
            .arg("--json"),
    );
    let [run] = &lines(&text)[..] else {
        panic!("one run, one line")
    };
    assert_eq!(
        keys(run),
        BTreeSet::from([
            "scenario", "file", "measured", "groups", "flows", "links", "jain_all", "packets",
            "events", "wall_s", "cpu_s", "seed", "version"
        ])
    );
    let [flow] = &run["flows"].as_array().expect("flows")[..] else {
        panic!("one flow")
    };
    assert_eq!(
        keys(flow),
        BTreeSet::from([
            "name",
            "group",
            "control",
            "recovery",
            "goodput_bps",
            "throughput_bps",
            "share",
            "sent",
            "dropped",
            "lost",
            "retransmits",
            "timeouts",
            "fast_recoveries",
            "start_s",
            "finish_s",
            "rtt_mean_s",
            "rtt_p50_s",
            "rtt_p95_s",
            "rtt_p99_s",
            "rtt_max_s",
            "queueing_mean_s",
            "queueing_p50_s",
            "queueing_p95_s",
            "queueing_p99_s",
            "queueing_max_s",
            "cwnd_mean",
        ])
    );
    let links = run["links"].as_array().expect("links");
    assert_eq!(links.len(), 6);
    for link in links {
        assert_eq!(
            keys(link),
            BTreeSet::from([
                "name",
                "sent",
                "delivered",
                "dropped",
                "lost",
                "early",
                "marked",
                "filtered",
                "utilisation",
                "queue_mean",
                "wait_mean_s",
            ])
        );
    }
    assert_eq!(
        (&flow["control"], &flow["recovery"]),
        (&"venodb".into(), &"newreno".into())
    );
    assert_eq!((&flow["finish_s"], &run["seed"]), (&Value::Null, &1.into()));
    // The flow is no faster than its link, and not idle.
    let goodput = flow["goodput_bps"].as_f64().expect("a number");
    assert!((100e3..2e6).contains(&goodput), "{goodput}");
}

/// Returns the lines of output, without the values that may differ from run to run.
fn results(arguments: &[&str], name: &str) -> Vec<Value> {
    let folder = folder(name);
    let path = file(&folder, SAMPLE);
    let text = success(
        dumbbell()
            .arg("run")
            .arg(path)
            .arg("--json")
            .args(arguments),
    );
    let mut lines = lines(&text);
    for line in &mut lines {
        let object = line.as_object_mut().expect("an object");
        for key in ["wall_s", "cpu_s", "file"] {
            assert!(object.remove(key).is_some(), "no {key}");
        }
    }
    lines
}

#[test]
fn runs_are_in_the_order_of_their_seeds_whatever_the_jobs() {
    let one = results(&["--repeat", "12", "--seed", "5", "--jobs", "1"], "jobs-1");
    let seeds: Vec<_> = one.iter().map(|run| run["seed"].as_u64()).collect();
    assert_eq!(seeds, (5..17).map(Some).collect::<Vec<_>>());
    assert_ne!(one[0]["flows"], one[1]["flows"]);
    let eight = results(&["--repeat", "12", "--seed", "5", "--jobs", "8"], "jobs-8");
    assert_eq!(eight, one);
    assert_eq!(results(&["--seed", "16"], "jobs-none"), one[11..]);
}

#[test]
fn several_runs_have_intervals() {
    let folder = folder("intervals");
    let path = file(&folder, SAMPLE);
    let out = success(dumbbell().arg("run").arg(path).args(["--repeat", "5"]));
    assert!(out.contains("5 runs of 100 s, seeds 1 to 5"), "{out}");
    assert!(out.contains(" ± "), "{out}");
}

#[test]
fn samples_go_to_a_file() {
    let folder = folder("samples");
    let text = format!("{SAMPLE}[probe]\ninterval = \"1 s\"\nvalues = [\"cwnd\", \"queue\"]\n");
    let (path, csv) = (file(&folder, &text), folder.join("windows.csv"));
    let _ = success(dumbbell().arg("run").arg(&path).arg("--samples").arg(&csv));
    let written = fs::read_to_string(&csv).expect("it was written");
    let mut lines = written.lines();
    assert_eq!(lines.next(), Some("time_s,subject,quantity,value,word"));
    // At 0 s, 1 s and so on to 100 s: the window, and the queues of both directions.
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 3 * 101);
    assert_eq!(rows[0], ["0", "venodb", "cwnd", "2", ""]);
    assert_eq!(rows[100][..3], ["100", "venodb", "cwnd"]);
    assert_eq!(rows[101], ["0", "bottleneck", "queue", "0", ""]);
    assert_eq!(crate::names(&folder), ["my.toml", "windows.csv"]);
    // A file of an earlier run is replaced.
    fs::write(&csv, "old").expect("ours");
    let _ = success(dumbbell().arg("run").arg(&path).arg("--samples").arg(&csv));
    assert_eq!(fs::read_to_string(&csv).expect("written"), written);
}

#[cfg(target_os = "linux")]
#[test]
fn samples_may_go_to_a_pipe() {
    let folder = folder("pipe");
    let path = file(&folder, SAMPLE);
    let out = success(
        dumbbell()
            .arg("run")
            .arg(path)
            .args(["--json", "--samples", "/dev/stdout"]),
    );
    let mut lines = out.lines();
    assert!(lines.next().is_some_and(|line| line.starts_with('{')));
    assert_eq!(lines.next(), Some("time_s,subject,quantity,value,word"));
    assert!(lines.count() > 1000);
}

/// Words have a separate column, so that each column has one type.
#[test]
fn words_and_numbers_have_separate_columns() {
    let folder = folder("words");
    let text = format!("{SAMPLE}[probe]\ninterval = \"1 s\"\nvalues = [\"explain\"]\n");
    let (path, csv) = (file(&folder, &text), folder.join("a.csv"));
    let _ = success(dumbbell().arg("run").arg(&path).arg("--samples").arg(&csv));
    let written = fs::read_to_string(&csv).expect("it was written");
    let mut words = 0;
    for line in written.lines().skip(1) {
        let [_, _, quantity, value, word] = line.splitn(5, ',').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert!(value.is_empty() != word.is_empty(), "{line}");
        assert!(value.is_empty() || value.parse::<f64>().is_ok(), "{line}");
        words += usize::from(quantity == "explain.phase" && word.contains(' '));
    }
    assert!(words > 90, "{words}");
}

#[test]
fn the_file_name_selects_the_format_of_samples() {
    let folder = folder("samples-json");
    let text = format!(
        "{SAMPLE}[probe]\ninterval = \"1 s\"\nvalues = [\"cwnd\", \"explain\", \"queue\"]\n"
    );
    let (path, json) = (file(&folder, &text), folder.join("a.JSON"));
    let _ = success(dumbbell().arg("run").arg(&path).arg("--samples").arg(&json));
    let written = fs::read_to_string(&json).expect("it was written");
    let series: Vec<serde_json::Value> = serde_json::from_str(&written).expect("an array");
    let of = |quantity: &str| series.iter().find(|one| one["quantity"] == quantity);
    let cwnd = of("cwnd").expect("it is sampled");
    assert_eq!(cwnd["subject"], "venodb");
    assert_eq!(cwnd["time_s"].as_array().map(Vec::len), Some(101));
    assert_eq!(cwnd["value"][0], 2.0);
    assert_eq!(of("explain.phase").expect("told")["value"][0], "slow start");
    // For any other extension, the format would be a guess.
    for name in ["a.txt", "a", "a.csv.gz"] {
        let to = folder.join(name);
        let (code, _, err) =
            crate::output(dumbbell().arg("run").arg(&path).arg("--samples").arg(&to));
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains("should end in .csv, .json, .arrow or .parquet"),
            "{err}"
        );
        assert!(!to.exists());
    }
}

#[test]
fn many_flows_do_not_get_a_chart_each() {
    let folder = folder("ten");
    let ten = SAMPLE.replace("count    = 1", "count    = 10");
    let (path, csv) = (file(&folder, &ten), folder.join("a.csv"));
    let out = success(dumbbell().arg("run").arg(&path).arg("--samples").arg(&csv));
    assert!(!out.contains("window in segments over time"), "{out}");
    let one = file(&folder, SAMPLE);
    let out = success(dumbbell().arg("run").arg(&one).arg("--samples").arg(&csv));
    assert!(out.contains("window in segments over time"), "{out}");
}

/// The elapsed time of parallel runs is not their sum.
#[test]
fn the_printed_time_is_the_elapsed_time() {
    let folder = folder("elapsed");
    let begun = std::time::Instant::now();
    let out = success(
        dumbbell()
            .arg("run")
            .arg(file(&folder, SAMPLE))
            .args(["--repeat", "64", "--jobs", "16"]),
    );
    let passed = begun.elapsed().as_secs_f64();
    let last = out.lines().find(|line| line.contains(" events in "));
    let told = last.and_then(|line| line.split_whitespace().nth(3)?.parse::<f64>().ok());
    let told = told.unwrap_or_else(|| panic!("{out}"));
    assert!(told > 0.0 && told <= passed, "{told} of {passed}");
}

#[test]
fn refused_transfers_and_the_playing_of_videos_are_shown() {
    let folder = folder("workloads");
    let of = |most: u32| {
        format!(
            "duration = \"20 s\"\n\
             [dumbbell]\n\
             access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = {{ droptail = 60 }} }}\n\
             [tcp]\n\
             control = \"newreno\"\n\
             [[flow]]\n\
             transfers = {{ load = 1.5, size = \"50 kB\", most = {most} }}\n\
             [[flow]]\n\
             video = {{ rates = \"1 Mb/s\" }}\n"
        )
    };
    let few = success(dumbbell().arg("run").arg(file(&folder, &of(2))));
    for word in ["refused", "│ video ", "startup s", "stalled"] {
        assert!(few.contains(word), "no {word:?} in\n{few}");
    }
    let many = success(dumbbell().arg("run").arg(file(&folder, &of(1_000))));
    assert!(!many.contains("refused"), "{many}");
}
