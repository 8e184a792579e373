//! Which points of a sweep are run: the condition in `where`, and what its names mean.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Draft, Mistake, Report, Scenario, ScenarioFile, Spot, suggest};
use toml::de::DeValue;

use super::condition::unit::Quantity;
use super::condition::{Condition, Value, Wrong};
use super::facts::FACTS;

/// A condition, and the places of the paths that it names.
pub(super) struct Filter {
    condition: Condition,
    /// The position of its text.
    start: usize,
    spots: Vec<(String, Spot)>,
}

impl Filter {
    /// Reads a condition whose text is at `start`. Its paths are those of the file, so that a flow keeps
    /// its name whatever the values of a point are.
    pub(super) fn read(
        text: &str,
        start: usize,
        draft: &Draft<'_>,
        controls: &Controls,
    ) -> Result<Self, Vec<Mistake>> {
        let condition = Condition::read(text).map_err(|wrong| vec![moved(wrong, start)])?;
        let mut spots = Vec::new();
        let mut mistakes = Vec::new();
        for (name, span) in condition.names() {
            if FACTS.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            match draft.locate(name, start + span.start, controls) {
                Ok(spot) => spots.push((name.to_owned(), spot)),
                Err(found) => {
                    mistakes.extend(found.into_iter().map(|mistake| hinted(mistake, name)))
                }
            }
        }
        if mistakes.is_empty() {
            Ok(Self {
                condition,
                start,
                spots,
            })
        } else {
            Err(mistakes)
        }
    }

    /// Whether the condition holds for a point.
    pub(super) fn holds(&self, draft: &Draft<'_>, scenario: &Scenario) -> Result<bool, Report> {
        let name = |name: &str, span: &std::ops::Range<usize>| {
            if let Some((_, _, fact)) = FACTS.iter().find(|(known, ..)| *known == name) {
                return fact(scenario).ok_or_else(|| Wrong {
                    span: span.clone(),
                    message: format!("`{name}` is not known in a graph"),
                    help: "compare values of its links, such as link.NAME.delay".to_owned(),
                });
            }
            let spot = self.spots.iter().find(|(known, _)| known == name);
            let value = spot.and_then(|(_, spot)| value_at(spot, draft, scenario));
            value.ok_or_else(|| Wrong {
                span: span.clone(),
                message: format!("a point of the sweep has no value `{name}`"),
                help: "name a value that every point has, or one of the facts bdp, rtt, rate, buffer, flows"
                    .to_owned(),
            })
        };
        let holds = self.condition.holds(&name);
        holds.map_err(|wrong| draft.report(vec![moved(wrong, self.start)]))
    }
}

/// A mistake in a condition whose text is at `start`.
fn moved(wrong: Wrong, start: usize) -> Mistake {
    let span = start + wrong.span.start..start + wrong.span.end;
    (span, wrong.message, Some(wrong.help))
}

/// A mistake in a name, with a hint at facts and texts.
fn hinted((span, message, help): Mistake, name: &str) -> Mistake {
    let facts = FACTS.iter().map(|(name, ..)| *name);
    let help = match suggest::nearest(name, facts) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => help.map(|help| format!("{help}\na text to compare with is in quotes: '{name}'")),
    };
    (span, message, help)
}

/// The value at a place: as the file has it, or the default.
fn value_at(spot: &Spot, draft: &Draft<'_>, scenario: &Scenario) -> Option<Value> {
    draft.value(spot).and_then(plain).or_else(|| {
        let all = ScenarioFile::of_text("", &scenario.canonical());
        let all = all.draft(&Controls::builtin()).ok()?;
        all.value(spot).and_then(plain)
    })
}

fn plain(value: &DeValue<'_>) -> Option<Value> {
    let number = |text: &str| Some(Value::Number(Quantity::plain(text.parse().ok()?)));
    match value {
        DeValue::String(text) => Some(match Quantity::read(text) {
            Some(quantity) => Value::Number(quantity),
            None => Value::Text(text.to_string()),
        }),
        DeValue::Integer(written) => number(written.as_str()),
        DeValue::Float(written) => number(written.as_str()),
        DeValue::Boolean(flag) => Some(Value::Truth(*flag)),
        // A control with parameters is compared by its name.
        DeValue::Table(table) => {
            let name = table.get("name")?.get_ref().as_str()?;
            Some(Value::Text(name.to_owned()))
        }
        DeValue::Array(_) | DeValue::Datetime(_) => None,
    }
}
