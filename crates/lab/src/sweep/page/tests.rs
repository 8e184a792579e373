//! What the page contains. That it works is tested in a browser (`tests/all/sweep/page`).

use dumbbell_scenario::ScenarioFile;
use dumbbell_scenario::controls::Controls;

use super::of;
use crate::sweep::{Path, Sweep};
use crate::table::{Builder, Cell, Head, Table, Type};

const SCENARIO: &str = r#"
duration = "2 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.01 } }
[[flow]]
name = "main"
control = "veno"
"#;

/// A name that would end a script or an attribute if it were not escaped.
const HOSTILE: &str =
    "</script><script>throw 'in'</script><img src=x onerror=\"throw 'in'\">{{data}}";

fn sweep(table: &str) -> Sweep {
    let file = ScenarioFile::of_text("my.toml", &format!("{SCENARIO}{table}"));
    let sweep = Sweep::read(&file, &Controls::builtin());
    sweep.unwrap_or_else(|wrong| panic!("{wrong}"))
}

/// A table with a row for each point: a group of this name, its goodput, and a measure without values.
fn groups(sweep: &Sweep, group: &str) -> Table {
    let heads = sweep.paths.iter().map(Path::head).chain([
        Head::new("seed", Type::Whole, "the seed"),
        Head::new("group", Type::Text, "the group"),
        Head::new("goodput", Type::Number, "what arrives").unit("bit/s"),
        Head::new("completion", Type::Number, "how long it takes").unit("s"),
    ]);
    let mut builder = Builder::new("groups", heads);
    for point in &sweep.points {
        let own = [
            Some(Cell::Whole(1)),
            Some(Cell::Text(group)),
            Some(Cell::Number(0.1)),
            None,
        ];
        builder.row(sweep.cells(point).into_iter().chain(own));
    }
    builder.table()
}

fn none(sweep: &Sweep) -> Table {
    let mut table = groups(sweep, "main");
    for column in &mut table.columns {
        column.values = crate::table::Values::none(column.values.sort());
    }
    table
}

/// The data that the page's program reads.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("there are data");
    let (text, _) = rest.split_once("</script>").expect("they end");
    serde_json::from_str(text).expect("JSON")
}

const GRID: &str = "[sweep]\nrepeat = 3\ngrid = { \"bottleneck.loss.bernoulli\" = [0.001, 0.05], \
                    \"bottleneck.delay\" = [\"5 ms\", \"50 ms\"] }\nwhere = \"bottleneck.delay > 10 ms or \
                    bottleneck.loss.bernoulli > 0.01\"\n";

#[test]
fn names_cannot_become_markup() {
    let mut sweep = sweep(GRID);
    sweep.name = HOSTILE.to_owned();
    let page = of(&sweep, &groups(&sweep, HOSTILE), &none(&sweep));
    for bad in ["<img", "throw 'in'</script>"] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert!(page.contains("<h1>&lt;/script&gt;"), "it is shown, though");
    let data = data(&page);
    assert_eq!(data["name"], HOSTILE);
    let group = &data["groups"]["columns"][1];
    assert_eq!(
        (&group["name"], &group["words"][0]),
        (&"group".into(), &HOSTILE.into())
    );
}

#[test]
fn the_page_has_the_swept_values_and_the_rows() {
    let sweep = sweep(GRID);
    let page = of(&sweep, &groups(&sweep, "main"), &none(&sweep));
    for part in [
        "<li>3 points</li><li>1 excluded by <code>where</code></li><li>0 runs</li><li>3 at each point</li>\
         <li>seeds 1 to 3, the same at every point</li>",
        "<code>bottleneck.delay</code></th><td>2</td><td>5 ms<span class=\"comma\">,</span> 50 ms</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let data = data(&page);
    assert_eq!(data["paths"][1]["unit"], "s");
    assert_eq!(
        data["paths"][1]["numbers"],
        serde_json::json!([0.005, 0.05])
    );
    // The points are 0.001 at 50 ms, 0.05 at 5 ms and 0.05 at 50 ms: 1, 0, 1.
    assert_eq!(data["paths"][1]["at"]["data"], "AQAB");
    // 0, 1, 2.
    assert_eq!(data["groups"]["point"]["data"], "AAEC");
    let names = data["groups"]["columns"].as_array().expect("columns");
    let names: Vec<&str> = names.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["seed", "group", "goodput"], "none without values");
    assert_eq!(data["groups"]["columns"][2]["measure"], true);
    assert_eq!(data["groups"]["columns"][0]["measure"], false);
    // 0.1 is 3fb999999999999a.
    let number = data["groups"]["columns"][2]["data"].as_str().expect("text");
    assert!(number.starts_with("mpmZmZmZuT+a"), "{number}");
}

#[test]
fn a_sweep_without_runs_has_a_page() {
    let sweep = sweep("");
    let page = of(&sweep, &none(&sweep), &none(&sweep));
    assert!(page.contains("<li>1 point</li><li>0 runs</li>"), "{page}");
    assert_eq!(data(&page)["groups"]["rows"], 0);
}

#[test]
fn the_page_says_when_runs_stop() {
    let sweep = sweep(
        "[sweep]\nuntil = { measure = \"goodput\", group = \"main\", interval = \"7 %\", at_least = 5, at_most = 40 }\n\
         seeds = \"independent\"\n",
    );
    let page = of(&sweep, &none(&sweep), &none(&sweep));
    let until = "<li>5 to 40 at each point, until the 95 % interval of <code>goodput</code> of the group \
                 <code>main</code> is within 7 % of its \
                 mean</li><li>every point with seeds of its own</li>";
    assert!(page.contains(until), "{page}");
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let sweep = sweep(GRID);
    let page = of(&sweep, &groups(&sweep, "main"), &none(&sweep));
    assert!(page.contains("default-src 'none'"));
    for bad in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!page.contains(bad), "{bad}");
    }
}

#[test]
fn equal_columns_are_there_once() {
    let sweep = sweep(GRID);
    let mut table = groups(&sweep, "main");
    let mut again = table.column("goodput").expect("there").clone();
    again.name = "throughput".to_owned();
    table.columns.push(again);
    let data = data(&of(&sweep, &table, &none(&sweep)));
    let last = &data["groups"]["columns"][3];
    assert_eq!(
        (&last["same"], &last["data"]),
        (&"goodput".into(), &serde_json::Value::Null)
    );
}
