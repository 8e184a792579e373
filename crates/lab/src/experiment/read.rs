//! Reads a description as an experiment.

mod checks;

use std::sync::Arc;

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::curve::Variant;
use super::factorial::Factorial;
use super::measure::Measure;
use super::panel::Panel;
use super::reference::Reference;
use super::samples::places;
use super::stage::Stage;
use super::sweep::Sweep;
use super::texts::Texts;
use super::{Changes, Experiment, ONE_PLACE, Quick, Range, range, second, slug};
use crate::claim::{Claim, Kind, Names};
use crate::description::{self, Keys, Malformed, Node, is_word};

use checks::{check_again, check_over, check_settings, unlike};

impl Experiment {
    /// Reads a description and its scenario. `file` is the name under which the description's
    /// mistakes are reported. A curve that is given only by a name is one of the `protocols`, which
    /// are tables of settings by name.
    ///
    /// # Errors
    /// [`Malformed`] with every mistake of the description, each with its position and what would
    /// be right: an unknown key, an invalid value, or a panel or a claim that names a measure, a
    /// curve or a value that does not exist. Mistakes of the scenario are reported likewise.
    pub fn parse(
        file: &str,
        description: &str,
        scenario: &str,
        protocols: &toml::Table,
    ) -> Result<Self, Malformed> {
        let texts = Texts {
            file: file.to_owned(),
            description: description.to_owned(),
            scenario_file: format!("{file}, the scenario"),
            scenario: scenario.to_owned(),
            folder: None,
        };
        Self::read(texts, protocols)
    }

    /// Reads an experiment from its texts; otherwise like [`Experiment::parse`].
    ///
    /// # Errors
    /// As for [`Experiment::parse`].
    pub fn read(texts: Texts, protocols: &toml::Table) -> Result<Self, Malformed> {
        let Texts {
            scenario_file,
            scenario,
            ..
        } = &texts;
        let Ok(table) = scenario.parse() else {
            // Read as a scenario, the mistakes of TOML have places.
            let read = Scenario::parse(scenario_file, scenario, &Controls::builtin());
            return Err(match read {
                Err(report) => report.into(),
                Ok(_) => Malformed::new(format!("{scenario_file}: not valid TOML")),
            });
        };
        let texts = Arc::new(texts);
        description::read(&texts.file, &texts.description, |keys| {
            read(keys, &texts, &table, protocols)
        })
    }
}

fn read(
    keys: &Keys<'_>,
    texts: &Arc<Texts>,
    scenario: &toml::Table,
    protocols: &toml::Table,
) -> Option<Experiment> {
    let name = keys.find("name").map(|node| (node.text(), node));
    if name.is_none() {
        keys.lacks("name", "write for example name = \"venodb-fig2\"");
    }
    if let Some((Some(name), node)) = &name
        && (!is_word(name) || *name == "settings")
    {
        node.wrong(
            format!("`{name}` is no name of an experiment"),
            "a name has the letters a to z, digits and hyphens, and is not `settings`",
        );
    }
    let title = keys.text("title", "\"VenoDB, figure 2\"");
    let source = keys.text("source", "\"VenoDB, section 4.1\"");
    let about = keys.text_if_any("about");
    let added = keys.flag("added");
    let repeat = keys.count("repeat", "10");
    let (x, y) = (axis(keys, "x"), axis(keys, "y"));
    let quick = keys.need("quick", "{ repeat = 5 }");
    let of = |axis: &Option<Sweep>, name| match axis {
        Some(axis) => Left::Of(axis.values().to_vec()),
        None if keys.find(name).is_some() => Left::Unknown,
        None => Left::Nothing,
    };
    let quick = quick.and_then(|node| Quick::read(&node, &of(&x, "x"), &of(&y, "y")));
    let factorial = keys
        .find("factorial")
        .map(|node| (Factorial::read(&node), node));
    let reference = keys
        .find("reference")
        .and_then(|node| Reference::read(&node));
    if let (Some((_, node)), Some(_)) = (&factorial, &y) {
        node.wrong(
            "a factorial has no second axis",
            "leave [y] or [factorial] out",
        );
    }
    if let (Some(node), None) = (keys.find("y"), keys.find("x")) {
        node.wrong("`y` is crossed with `x`", "write a first axis, [x]");
    }
    let factorial = factorial.and_then(|(factorial, _)| factorial);
    let declared = keys.items("series");
    let series = curves(keys, &declared, factorial.as_ref(), y.as_ref(), protocols);
    let measures = measures(keys, reference.as_ref());
    // The rest refers to axes, curves and measures.
    let wanted = [
        x.is_none() && keys.find("x").is_some(),
        y.is_none() && keys.find("y").is_some(),
    ];
    let (Some(series), Some(measures), false) = (&series, &measures, wanted.contains(&true)) else {
        keys.present(&["panel", "claim"]);
        keys.done();
        return None;
    };
    check_over(&declared, series, measures, keys);
    let names: Vec<String> = measures
        .iter()
        .map(|measure| measure.name.clone())
        .collect();
    let axis = x.as_ref().map_or(ONE_PLACE, Sweep::values);
    let probe = probed(scenario);
    let stage = Stage {
        curves: series,
        measures: &names,
        places: axis,
        named: x.as_ref().is_some_and(Sweep::has_names),
        crossed: y.is_some(),
        factorial: factorial.is_some(),
        reference: reference.as_ref(),
        probe: &probe,
    };
    let panels = panels(keys, stage);
    let capacity = range::capacity(scenario, series, [x.as_ref(), y.as_ref()]);
    let ranges = range::ranges(measures, capacity);
    let claims = claims(keys, stage, &ranges, (x.is_some(), added));
    check_settings(keys, &declared, series, (x.as_ref(), y.as_ref()), scenario);
    keys.done();
    let experiment = Experiment {
        name: name?.0?.to_owned(),
        title: title?,
        source: source?,
        about,
        added,
        repeat: repeat?,
        quick: quick?,
        panels: panels?,
        claims: claims?,
        measures: measures.clone(),
        series: series.clone(),
        x,
        y,
        factorial,
        reference,
        changes: Changes::default(),
        controls: Controls::builtin(),
        seeds_apart: false,
        scenario: scenario.clone(),
        texts: Arc::clone(texts),
    };
    experiment.check_readings(&declared);
    Some(experiment)
}

fn axis(keys: &Keys<'_>, name: &'static str) -> Option<Sweep> {
    let axis = Sweep::read(&keys.find(name)?)?;
    // These names become part of file names.
    let names = keys
        .find(name)?
        .part("names")
        .and_then(|names| names.items());
    let mut seen = Vec::new();
    for name in names.unwrap_or_default() {
        let text = name.text()?;
        if seen.contains(&slug(text)) {
            name.wrong(format!("`{text}` is there twice"), DIFFERENT);
        }
        seen.push(slug(text));
    }
    Some(axis)
}

/// The advice for names that are used in file names.
const DIFFERENT: &str = "names differ in more than upper case and signs";

/// The values of an axis from which a quick reproduction may choose.
enum Left {
    /// The values of an axis.
    Of(Vec<f64>),
    /// The axis exists, but its mistakes have already been reported.
    Unknown,
    /// There is no such axis.
    Nothing,
}

impl Quick {
    fn read(node: &Node<'_>, x: &Left, y: &Left) -> Option<Self> {
        let keys = node.keys("`quick`")?;
        let repeat = keys.count("repeat", "5");
        let values = left(&keys, "values", "x", x);
        let rows = left(&keys, "rows", "y", y);
        keys.done();
        Some(Self {
            repeat: repeat?,
            values: values?,
            rows: rows?,
        })
    }
}

/// Reads the values of an axis that a quick reproduction keeps.
fn left(keys: &Keys<'_>, key: &'static str, axis: &str, all: &Left) -> Option<Vec<f64>> {
    let one = |node: &Node<'_>| {
        let value = node.number()?;
        match all {
            Left::Of(all) if all.contains(&value) => return Some(value),
            Left::Of(all) => {
                let wrong = format!("{value} is not among the values of {axis}");
                node.wrong(wrong, places(all));
            }
            Left::Nothing => {
                let wrong = format!("`{key}` are those of `{axis}`");
                node.wrong(wrong, format!("nothing is varied: there is no `{axis}`"));
            }
            Left::Unknown => {}
        }
        None
    };
    keys.items(key).iter().map(one).collect()
}

/// The curves. Those of a factorial come first, and each curve that is combined with a second axis
/// becomes one per row.
fn curves(
    keys: &Keys<'_>,
    declared: &[Node<'_>],
    factorial: Option<&Factorial>,
    y: Option<&Sweep>,
    protocols: &toml::Table,
) -> Option<Vec<Variant>> {
    let read: Vec<Option<Variant>> = (declared.iter())
        .map(|node| Variant::read(node, protocols))
        .collect();
    if declared.is_empty() && keys.find("factorial").is_none() {
        keys.lacks("series", "no curves: `series` or `factorial` is required");
        return None;
    }
    let made = factorial.map(Factorial::variants).unwrap_or_default();
    let mut seen: Vec<String> = made.iter().map(|variant| slug(&variant.name)).collect();
    for (variant, node) in read.iter().zip(declared) {
        let Some(variant) = variant else { continue };
        if seen.contains(&slug(&variant.name)) {
            let what = format!("`{}` is there twice", variant.name);
            named(node).wrong(what, DIFFERENT);
        }
        seen.push(slug(&variant.name));
    }
    let all = made.into_iter().map(Some).chain(read);
    let all: Vec<Variant> = all.collect::<Option<_>>()?;
    Some(match y {
        Some(y) => second::crossed(all, y),
        None => all,
    })
}

/// The name of a curve, measure, panel or claim, or the whole entry if it has no name.
fn named<'d>(node: &Node<'d>) -> Node<'d> {
    node.part("name")
        .or(node.part("id"))
        .unwrap_or_else(|| node.clone())
}

fn measures(keys: &Keys<'_>, reference: Option<&Reference>) -> Option<Vec<Measure>> {
    let example = "[{ name = \"t\", label = \"t\", quantity = \"goodput\" }]";
    let node = keys.need("measure", example)?;
    let mut all: Vec<Measure> = Vec::new();
    let mut whole = true;
    for node in node.items()? {
        let read = node
            .keys("a measure")
            .and_then(|keys| Measure::read(keys, &all, reference));
        let Some(measure) = read else {
            whole = false;
            continue;
        };
        if all.iter().any(|other| other.name == measure.name) {
            named(&node).wrong(
                format!("`{}` is there twice", measure.name),
                "names of measures differ",
            );
        }
        all.push(measure);
    }
    if whole && all.is_empty() {
        node.wrong("nothing is measured", "at least one measure is required");
    }
    (whole && !all.is_empty()).then_some(all)
}

fn panels(keys: &Keys<'_>, stage: Stage<'_>) -> Option<Vec<Panel>> {
    let items = keys
        .need("panel", "[{ measure = \"throughput\" }]")?
        .items()?;
    let read: Vec<Option<Panel>> = items
        .iter()
        .map(|node| Panel::read(node.keys("a panel")?, stage))
        .collect();
    unlike(
        &items,
        read.iter()
            .map(|panel| panel.as_ref().map(|p| p.name.as_str())),
    );
    read.into_iter().collect()
}

fn claims(
    keys: &Keys<'_>,
    stage: Stage<'_>,
    ranges: &[Range],
    (varied, added): (bool, bool),
) -> Option<Vec<Claim>> {
    let curves: Vec<&str> = stage
        .curves
        .iter()
        .map(|curve| curve.name.as_str())
        .collect();
    let names = Names {
        curves: &curves,
        measures: stage.measures,
        ranges,
        places: stage.places,
        varied,
    };
    let items = keys.items("claim");
    let usual = if added { Kind::Ours } else { Kind::Paper };
    let read: Vec<Option<Claim>> = items
        .iter()
        .map(|node| Claim::read(node, names, usual))
        .collect();
    check_again(&items, &read);
    unlike(
        &items,
        read.iter()
            .map(|claim| claim.as_ref().map(|c| c.id.as_str())),
    );
    read.into_iter().collect()
}

/// The values that the scenario's probe samples.
fn probed(scenario: &toml::Table) -> Vec<String> {
    let values = scenario.get("probe").and_then(|probe| probe.get("values"));
    let values = values.and_then(toml::Value::as_array).into_iter().flatten();
    values
        .filter_map(toml::Value::as_str)
        .map(str::to_owned)
        .collect()
}
