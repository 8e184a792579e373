use dumbbell_control::algorithm::reno::Reno;
use dumbbell_control::controller::{Algorithm as _, Controller};
use dumbbell_scenario::Traffic;
use dumbbell_tcp::recovery::Kind;

use super::*;

pub(super) const SCENARIO: &str = "
    duration = \"1 s\"
    [dumbbell]
    access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
    bottleneck = { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 }, loss = { bernoulli = 0.1 } }
    [[flow]]
    control = \"reno\"
";
pub(super) const DESCRIPTION: &str = "
    name = \"a-b\"
    title = \"T\"
    source = \"S\"
    repeat = 2
    quick = { repeat = 1, values = [0.1] }
    x = { label = \"loss\", key = \"dumbbell.bottleneck.loss.bernoulli\", values = [0.1, 0.2] }
    series = [
        { name = \"A\", set = { \"flow.0.control\" = \"veno\" } },
        { name = \"B\", set = { \"flow.0.control\" = \"reno\" } },
    ]
    measure = [{ name = \"t\", label = \"t\", quantity = \"throughput\" }]
    panel = [{ measure = \"t\" }]
    claim = [{ id = \"c\", text = \"t\", source = \"s\", test = { gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 } } }]
";

/// Reads a description of that scenario, without protocols.
pub(super) fn parse(description: &str) -> Result<Experiment, Malformed> {
    Experiment::parse("a.toml", description, SCENARIO, &toml::Table::new())
}

#[test]
fn a_curve_may_combine_several_protocols() {
    let protocols = "P = { duration = \"2 s\", \"flow.0.control\" = \"reno\" }
        Q = { \"flow.0.control\" = \"cubic\" }";
    let protocols: toml::Table = protocols.parse().expect("a table");
    let parse = |curve: &str| {
        let b = "{ name = \"B\", set = { \"flow.0.control\" = \"reno\" } }";
        assert!(DESCRIPTION.contains(b));
        let description = DESCRIPTION.replacen(b, curve, 1);
        Experiment::parse("a.toml", &description, SCENARIO, &protocols)
    };
    for (curve, duration, control) in [
        (
            "{ name = \"B\", protocols = [\"P\", \"Q\"] }",
            "2 s",
            "cubic",
        ),
        (
            "{ name = \"B\", protocols = [\"P\"], set = { duration = \"3 s\" } }",
            "3 s",
            "reno",
        ),
    ] {
        let scenario = parse(curve)
            .and_then(|e| e.point(CurveId(1), PlaceId(0), 1))
            .expect("right");
        let canonical = scenario.canonical();
        assert!(
            canonical.contains(&format!("\"{duration}\"")),
            "{canonical}"
        );
        assert!(canonical.contains(control), "{canonical}");
    }
    let error = parse("{ name = \"B\", protocols = [\"R\"] }").expect_err("no R");
    assert!(error.to_string().contains("no protocol `R`"), "{error}");
}

#[test]
fn whole_numbers_and_quantities_can_be_varied() {
    for (kind, text) in [
        ("queue.droptail\", whole = true", "droptail = 20"),
        ("rate\", unit = \"Mb/s\"", "20 Mb/s"),
    ] {
        let varied = DESCRIPTION.replacen("loss.bernoulli\"", kind, 1);
        let experiment = parse(&varied.replace("0.1", "9").replace("0.2", "20"));
        let scenario = experiment
            .and_then(|e| e.point(CurveId(0), PlaceId(1), 1))
            .expect("right");
        let canonical = scenario.canonical();
        assert!(canonical.contains(text), "{canonical}");
        // Nothing is rounded silently.
        if kind.contains("whole") {
            let error = parse(&varied).expect_err("0.1 is no whole number");
            assert!(error.to_string().contains("0.1 is no whole number"));
        }
    }
}

/// Reno under another name, as a program adds it.
fn with_mine() -> Controls {
    let mut controls = Controls::builtin();
    let reno = |path: &dumbbell_control::event::Path| -> Box<dyn Controller + Send> {
        Box::new(Reno::new(&Default::default(), path))
    };
    let added = controls.register("mine", "of my own", &[Kind::NewReno], reno);
    added.expect("the name is free");
    controls
}

#[test]
fn a_figure_can_have_a_control_that_a_program_adds() {
    let description = DESCRIPTION.replacen("= \"veno\"", "= \"mine\"", 1);
    assert_ne!(description, DESCRIPTION);
    let figure = parse(&description).expect("names of controls are read with the scenarios");
    let unknown = figure.points(1).expect_err("it is not built in");
    assert!(unknown.to_string().contains("`mine`"), "{unknown}");
    let known = figure.with_controls(&with_mine());
    let points = known.points(1).expect("it is known");
    let is_mine = |point: &&Point| match &point.scenario.flows[0].traffic {
        Traffic::Tcp(tcp) => tcp.control.name() == "mine",
        Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => false,
    };
    // One curve at two places.
    assert_eq!(points.iter().filter(is_mine).count(), 2);
}
