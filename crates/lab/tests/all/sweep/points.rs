//! The points that a table `[sweep]` describes.

use dumbbell_lab::sweep::{Repeat, Seeds, Sweep};
use dumbbell_scenario::{Duration, LossModel, Topology};

use super::read;

/// The values of each point, as they are written.
fn values(sweep: &Sweep) -> Vec<String> {
    let of_point = |point: &dumbbell_lab::sweep::Point| {
        let paths = sweep.paths.iter().zip(&point.values);
        let texts: Vec<&str> = paths
            .map(|(path, at)| path.values[*at].text.as_str())
            .collect();
        texts.join(" ")
    };
    sweep.points.iter().map(of_point).collect()
}

fn loss(sweep: &Sweep, point: usize) -> f64 {
    let Topology::Dumbbell { bottleneck } = &sweep.points[point].scenario.topology else {
        panic!("no dumbbell");
    };
    match &bottleneck.forward.loss.as_ref().expect("a loss").model {
        LossModel::Bernoulli(loss) => *loss,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_without_a_sweep_is_one_point() {
    let sweep = read("").expect("a scenario");
    assert_eq!((sweep.points.len(), sweep.paths.len()), (1, 0));
    assert_eq!(
        (&sweep.repeat, sweep.seeds),
        (&Repeat::Times(10), Seeds::Common)
    );
    assert_eq!((sweep.name.as_str(), sweep.seed), ("my", 1));
}

#[test]
fn a_grid_has_every_combination_in_the_order_of_the_file() {
    let sweep = read(
        r#"[sweep]
        grid = { "bottleneck.loss.bernoulli" = [0.001, 0.02], "bottleneck.delay" = ["5 ms", "0.1 s"] }
        repeat = 3"#,
    );
    let sweep = sweep.expect("it is right");
    assert_eq!(
        values(&sweep),
        ["0.001 5 ms", "0.001 0.1 s", "0.02 5 ms", "0.02 0.1 s"]
    );
    assert_eq!((loss(&sweep, 1), loss(&sweep, 2)), (0.001, 0.02));
    assert_eq!(sweep.repeat, Repeat::Times(3));
    let numbers = sweep.paths[1].values.iter().map(|value| value.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [Some(0.005), Some(0.1)]);
    assert_eq!(
        (sweep.paths[0].unit, sweep.paths[1].unit),
        (None, Some("s"))
    );
}

#[test]
fn paths_need_no_quotes_in_a_table_of_their_own() {
    let sweep = read(
        "[sweep.grid]
        bottleneck.loss.bernoulli = { from = 0.01, to = 0.03, step = 0.01 }
        flow.main.control = [\"reno\", { name = \"veno\", beta = 4 }]",
    );
    let sweep = sweep.expect("it is right");
    let expected = [
        "0.01 reno",
        "0.01 veno, beta = 4",
        "0.02 reno",
        "0.02 veno, beta = 4",
        "0.03 reno",
        "0.03 veno, beta = 4",
    ];
    assert_eq!(values(&sweep), expected);
}

#[test]
fn the_lists_of_a_zip_go_in_step() {
    let sweep = read(
        r#"[sweep]
        grid = { "flow.count" = [1, 2] }
        zip = [{ "flow.main.control" = ["veno", "cubic"], "flow.main.recovery" = ["reno", "sack"] }]"#,
    );
    let sweep = sweep.expect("it is right");
    assert_eq!(
        values(&sweep),
        ["1 veno reno", "1 cubic sack", "2 veno reno", "2 cubic sack"]
    );
}

#[test]
fn the_values_of_one_path_of_a_zip_may_repeat() {
    let sweep = read(
        r#"[sweep]
        zip = [{ "flow.main.control" = ["veno", "cubic"], "flow.main.recovery" = ["sack", "sack"] }]"#,
    );
    assert_eq!(
        values(&sweep.expect("it is right")),
        ["veno sack", "cubic sack"]
    );
}

#[test]
fn a_condition_leaves_points_out() {
    let sweep = read(
        r#"[sweep]
        grid = { "bottleneck.delay" = ["5 ms", "20 ms", "80 ms"], "bottleneck.rate" = ["1 Mb/s", "8 Mb/s"] }
        where = "bdp >= 10 and bottleneck.delay < 80 ms and flow.main.control == 'veno'""#,
    );
    let sweep = sweep.expect("it is right");
    // 8 Mb/s carry 1040 bytes in 1.04 ms; the idle round-trip time is 20 + 2 + 2 ms each way and more.
    assert_eq!(values(&sweep), ["5 ms 8 Mb/s", "20 ms 8 Mb/s"]);
    assert_eq!(sweep.excluded, 4);
}

#[test]
fn a_condition_may_name_a_default() {
    let sweep = read(
        "[sweep]\ngrid = { \"flow.payload\" = [\"500 B\", \"1000 B\"] }
        where = \"flow.main.count == 1 and flow.payload < 0.8 kB\"",
    );
    assert_eq!(values(&sweep.expect("it is right")), ["500 B"]);
}

#[test]
fn a_warmup_is_set_in_every_point() {
    let sweep = read("[sweep]\nwarmup = \"0.5 s\"\ngrid = { duration = [\"1 s\", \"2 s\"] }");
    let sweep = sweep.expect("it is right");
    let warm =
        |point: &dumbbell_lab::sweep::Point| point.scenario.warmup == Duration::from_millis(500);
    assert!(sweep.points.iter().all(warm));
}

#[test]
fn points_share_seeds_unless_they_are_independent() {
    let grid = "[sweep]\ngrid = { \"bottleneck.loss.bernoulli\" = [0.01, 0.02] }\n";
    let common = read(grid).expect("it is right");
    assert_eq!([0, 1].map(|point| common.seed_of(point, 3)), [4, 4]);
    let apart = read(&format!("{grid}seeds = \"independent\"")).expect("it is right");
    assert_ne!(apart.seed_of(0, 0), apart.seed_of(1, 0));
    assert_eq!(apart.seed_of(0, 5), apart.seed_of(0, 0).wrapping_add(5));
    // A longer axis does not change the seeds of the points that are there already.
    let longer = grid.replace("0.01, 0.02", "0.005, 0.01, 0.02");
    let longer = read(&format!("{longer}seeds = \"independent\"")).expect("it is right");
    assert_eq!(longer.seed_of(1, 0), apart.seed_of(0, 0));
}

#[test]
fn a_flow_keeps_its_name_in_a_condition() {
    let text = r#"duration = "1 s"
        dumbbell = { access = { rate = "9 Mb/s", delay = "1 ms" }, bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" } }
        flow = [{ control = "reno" }, { control = "veno" }]
        [sweep]
        grid = { "flow.reno.control" = ["cubic", "vegas"] }
        where = "flow.reno.control == 'cubic'""#;
    let file = dumbbell_scenario::ScenarioFile::of_text("my.toml", text);
    let sweep = Sweep::read(&file, &dumbbell_scenario::controls::Controls::builtin());
    assert_eq!(values(&sweep.expect("it is right")), ["cubic"]);
}

#[test]
fn the_ends_of_a_range_are_exact() {
    let sweep = read(
        "[sweep]\ngrid = { \"bottleneck.loss.bernoulli\" = { from = 0.1234567890123, to = 0.2, count = 3 } }",
    );
    let sweep = sweep.expect("it is right");
    assert_eq!(loss(&sweep, 0), 0.123_456_789_012_3);
    assert_eq!(loss(&sweep, 2), 0.2);
}

#[test]
fn seeds_of_their_own_are_whole_numbers_in_any_program() {
    let sweep = read(
        "[sweep]\nseeds = \"independent\"\ngrid = { \"flow.count\" = { from = 1, to = 50, step = 1 } }",
    );
    let sweep = sweep.expect("it is right");
    assert!((0..50).all(|point| sweep.seed_of(point, 1000) < 1 << 53));
}
