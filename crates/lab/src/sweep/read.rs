//! Reads the table `[sweep]` of a scenario file.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Draft, Mistake, Report, Scenario, ScenarioFile};
use toml::Spanned;
use toml::de::DeValue;

use super::axis::{self, Axis};
use super::filter::Filter;
use super::point;
use super::repeat::{Repeat, Seeds};
use super::{Sweep, repeat, table};
use crate::description::{self, Keys, Log};
use crate::experiment::Measure;
use crate::tidy;

/// The key of the table.
const KEY: &str = "sweep";
/// The most points of a sweep.
const MOST_POINTS: u64 = 1_000_000;
/// The most runs of a sweep.
const MOST_RUNS: u64 = 10_000_000;

/// What the table says, except its values.
struct Settings<'d> {
    axes: Vec<Axis<'d>>,
    filter: Option<Filter>,
    repeat: Repeat,
    seeds: Seeds,
    warmup: Option<Spanned<DeValue<'d>>>,
    measures: Vec<Measure>,
}

impl Sweep {
    /// Reads the sweep of a scenario file, and makes its points. A file without a table `[sweep]` is a
    /// sweep of one point.
    ///
    /// # Errors
    /// A [`Report`] with the mistakes: first those of the table, then those of the first point that is
    /// no scenario.
    pub fn read(file: &ScenarioFile, controls: &Controls) -> Result<Self, Report> {
        let draft = file.draft(controls)?;
        let mut mistakes = Vec::new();
        let empty = toml::de::DeTable::new();
        let table = match draft.document().get(KEY) {
            None => (0..0, &empty),
            Some(value) => match value.get_ref() {
                DeValue::Table(table) => (value.span(), table),
                _ => {
                    let help = "write [sweep] and its keys below it".to_owned();
                    let message = "`sweep` must be a table".to_owned();
                    return Err(draft.report(vec![(value.span(), message, Some(help))]));
                }
            },
        };
        let log = Log::default();
        let keys = description::part(table.1, table.0, "`sweep`", &log);
        let settings = settings(&keys, &draft, controls, &mut mistakes);
        drop(keys);
        mistakes.extend(log.take());
        let settings = match settings {
            Some(settings) if mistakes.is_empty() => settings,
            _ => {
                if mistakes.is_empty() {
                    // What is wrong is in the scenario itself.
                    draft.scenario(controls)?;
                }
                return Err(draft.report(mistakes));
            }
        };
        finish(file, &draft, settings, controls)
    }
}

/// Makes the sweep that a table describes.
fn finish(
    file: &ScenarioFile,
    draft: &Draft<'_>,
    settings: Settings<'_>,
    controls: &Controls,
) -> Result<Sweep, Report> {
    let mut draft = draft.clone();
    if let Some(warmup) = &settings.warmup {
        let spot = draft.locate("warmup", warmup.span().start, controls);
        let spot = spot.map_err(|wrong| draft.report(wrong))?;
        draft
            .put(&spot, warmup)
            .map_err(|wrong| draft.report(wrong))?;
    }
    check_size(&draft, &settings)?;
    let made = point::points(&draft, &settings.axes, settings.filter.as_ref(), controls)?;
    let Some(first) = made.points.first() else {
        let span = draft.document().get(KEY).and_then(|sweep| {
            let condition = sweep.get_ref().get("where")?;
            Some(condition.span())
        });
        let points = match made.excluded {
            1 => "the only point".to_owned(),
            points => format!("all {points} points"),
        };
        let message = format!("`where` excludes {points}");
        let help = "no point would run: make the condition weaker".to_owned();
        return Err(draft.report(vec![(span.unwrap_or(0..0), message, Some(help))]));
    };
    check_group(&draft, &settings.repeat, &made.points)?;
    Ok(Sweep {
        name: name(&first.scenario, file),
        seed: first.scenario.seed,
        paths: made.paths,
        points: made.points,
        excluded: made.excluded,
        repeat: settings.repeat,
        seeds: settings.seeds,
        measures: settings.measures,
    })
}

/// The name of a scenario, or that of its file.
fn name(scenario: &Scenario, file: &ScenarioFile) -> String {
    let stem = std::path::Path::new(file.name()).file_stem();
    let stem = stem.map_or_else(
        || "sweep".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    scenario.name.clone().unwrap_or(stem)
}

/// Refuses a sweep that would never end, before its points are made.
fn check_size(draft: &Draft<'_>, settings: &Settings<'_>) -> Result<(), Report> {
    let lengths = settings.axes.iter().map(|axis| axis.len() as u64);
    let points = lengths.clone().fold(1u64, u64::saturating_mul);
    let runs = points.saturating_mul(settings.repeat.bounds().0);
    let longest = settings.axes.iter().max_by_key(|axis| axis.len());
    let Some(swept) = longest.and_then(|axis| axis.swept.first()) else {
        return Ok(());
    };
    let (message, help) = if points > MOST_POINTS {
        let sizes: Vec<String> = lengths.map(|length| length.to_string()).collect();
        (
            format!("the grid has {} = {points} points", sizes.join(" x ")),
            format!(
                "a sweep has at most {MOST_POINTS}: shorten the longest axis, this one, or use `zip`"
            ),
        )
    } else if runs > MOST_RUNS {
        (
            format!("the sweep has {runs} runs"),
            format!("it may have {MOST_RUNS}: repeat less, or shorten this axis"),
        )
    } else {
        return Ok(());
    };
    Err(draft.report(vec![(swept.span.clone(), message, Some(help))]))
}

/// Refuses a group in `until` that no point has.
fn check_group(draft: &Draft<'_>, repeat: &Repeat, points: &[point::Point]) -> Result<(), Report> {
    let Repeat::Until(repeat::Until {
        group: Some(group), ..
    }) = repeat
    else {
        return Ok(());
    };
    let mut known: Vec<&str> = Vec::new();
    for flow in points.iter().flat_map(|point| &point.scenario.flows) {
        if !known.contains(&flow.group()) {
            known.push(flow.group());
        }
    }
    if known.contains(&group.as_str()) {
        return Ok(());
    }
    let node = draft.document().get(KEY).and_then(|sweep| {
        let group = sweep.get_ref().get("until")?.get_ref().get("group")?;
        Some(group.span())
    });
    let help = dumbbell_scenario::suggest::help(group, "the groups are", &known);
    let message = format!("there is no group `{group}`");
    Err(draft.report(vec![(node.unwrap_or(0..0), message, Some(help))]))
}

fn settings<'d>(
    keys: &Keys<'d>,
    draft: &Draft<'_>,
    controls: &Controls,
    mistakes: &mut Vec<Mistake>,
) -> Option<Settings<'d>> {
    let axes = axis::read(keys, draft, controls, mistakes);
    let filter = keys.find("where").map(|node| {
        let text = node.text()?;
        let start = draft.unquoted(node.span()).start;
        let filter = Filter::read(text, start, draft, controls);
        filter.map_err(|found| mistakes.extend(found)).ok()
    });
    let words: Vec<&str> = tidy::MEASURES.iter().map(|it| it.word).collect();
    let repeat = Repeat::read(keys, &words);
    let seeds = Seeds::read(keys);
    let warmup = keys.find("warmup").map(|node| node.spanned());
    let measures = measures(keys);
    let swept = axes.iter().flatten().flat_map(|axis| &axis.swept);
    table::check_names(
        &keys.items("measure"),
        swept.map(|swept| swept.path.as_str()),
    );
    keys.done();
    Some(Settings {
        axes: axes?,
        filter: match filter {
            Some(filter) => Some(filter?),
            None => None,
        },
        repeat: repeat?,
        seeds,
        warmup,
        measures: measures?,
    })
}

/// Reads the named measures. They are those of figures, without what needs curves.
fn measures(keys: &Keys<'_>) -> Option<Vec<Measure>> {
    let mut all: Vec<Measure> = Vec::new();
    for node in keys.items("measure") {
        let measure = Measure::read(node.keys("a measure")?, &all, None)?;
        if measure.over.is_some() {
            let over = node.part("over").unwrap_or(node.clone());
            over.wrong(
                "a sweep has no curves to divide by",
                "leave `over` out, and divide the columns of the table",
            );
            return None;
        }
        if all.iter().any(|other| other.name == measure.name) {
            let name = node.part("name").unwrap_or(node.clone());
            let message = format!("there are two measures `{}`", measure.name);
            name.wrong(
                message,
                "measures become columns: give each a name of its own",
            );
            return None;
        }
        all.push(measure);
    }
    Some(all)
}
