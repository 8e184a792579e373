//! `dumbbell lab`.

use std::fs;

use serde_json::Value;

use crate::{SAMPLE, dumbbell, file, folder, output, success};

/// What a page begins with.
fn start(page: &str) -> Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"start\">")
        .expect("the page tells what it begins with");
    let (data, _) = rest.split_once("</script>").expect("a script ends");
    serde_json::from_str(data).expect("it is JSON")
}

#[test]
fn a_page_is_one_file_that_begins_with_the_scenario() {
    let folder = folder("lab");
    let out = folder.join("out.html");
    // A text that would end the script, if it were written as it is.
    let text = format!("# </script><script>alert(1)</script>\n{SAMPLE}");
    let my = file(&folder, &text);
    let told = success(
        dumbbell()
            .args(["lab", "--no-open", "--json", "--out"])
            .args([&out, &my]),
    );
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let page = fs::read_to_string(&out).expect("it is written");
    assert_eq!(told["opened"], false);
    assert_eq!(told["preset"], Value::Null);
    let named = told["file"].as_str().expect("a path");
    assert_eq!(fs::read_to_string(named).expect("the same file"), page);
    assert_eq!(start(&page)["toml"], text);
    assert!(!page.contains("<script>alert(1)"));
    // One file: nothing is loaded from elsewhere.
    assert!(page.contains("default-src 'none'"));
    assert!(page.len() < 2_500_000, "{} bytes", page.len());

    // It may be replaced, with standard input, too; another file may not.
    success(dumbbell().args(["lab", "--no-open", "--out"]).arg(&out));
    let page = fs::read_to_string(&out).expect("it is written");
    assert_eq!(start(&page), serde_json::json!({}));
    let (code, _, err) = output(dumbbell().args(["lab", "--no-open", "--out"]).arg(&my));
    assert_eq!(code, 2);
    assert!(err.contains("no page of the lab"), "{err}");
    assert_eq!(fs::read_to_string(&my).expect("as it was"), text);
}

#[test]
fn a_preset_is_a_figure_of_a_paper() {
    let out = folder("lab-preset").join("out.html");
    let mut command = dumbbell();
    command.args(["lab", "--no-open", "--out"]).arg(&out);
    let (code, _, err) = output(command.args(["--preset", "no such figure"]));
    assert_eq!(code, 2);
    assert!(err.contains("there is no figure `no such figure`"), "{err}");
    let listed = err.lines().find(|line| line.contains("venodb/"));
    let name = listed.and_then(|line| line.split_whitespace().next());
    let name = name.expect("VenoDB has figures");
    assert!(!out.exists());
    success(
        dumbbell()
            .args(["lab", "--no-open", "--preset", name, "--out"])
            .arg(&out),
    );
    let page = fs::read_to_string(&out).expect("it is written");
    assert_eq!(start(&page)["preset"], name);
}

#[test]
fn a_wrong_scenario_is_no_page() {
    let folder = folder("lab-wrong");
    let out = folder.join("out.html");
    let my = file(&folder, &SAMPLE.replace("venodb", "vneodb"));
    let (code, _, err) = output(
        dumbbell()
            .args(["lab", "--no-open", "--out"])
            .args([&out, &my]),
    );
    assert_eq!(code, 2);
    assert!(err.contains("vneodb"), "{err}");
    assert!(!out.exists());
    // The page would replace its own scenario.
    let my = file(&folder, SAMPLE);
    let (code, _, err) = output(
        dumbbell()
            .args(["lab", "--no-open", "--out"])
            .args([&my, &my]),
    );
    assert_eq!(code, 2, "{err}");
}
