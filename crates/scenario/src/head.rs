//! The head of a file: the name and description of the scenario, the duration of the run, what of it is measured,
//! and the seed.

use dumbbell_control::units::Duration;
use serde_json::json;

use crate::document::{Node, Table};
use crate::form::Form;
use crate::form::value::{name as name_form, time as time_form, whole};
use crate::limits::{DURATION, MOMENT};
use crate::names;
use crate::quantity::Measure;
use crate::text::{Lines, quote, time};

/// The keys of the head; each is `None` if its value is wrong.
pub(crate) struct Head {
    pub(crate) name: Option<Option<String>>,
    pub(crate) description: Option<Option<String>>,
    pub(crate) duration: Option<Duration>,
    pub(crate) warmup: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

const USUAL_SEED: u64 = 1;
/// The key of the time before the measurements.
const WARMUP: &str = "warmup";

/// Reads the keys of the head.
pub(crate) fn read(root: &Table<'_>) -> Head {
    let own = |text: &str| Some(text.to_owned());
    let duration = root
        .need("duration", "duration = \"100 s\"")
        .and_then(|n| n.time(DURATION));
    Head {
        name: root
            .find("name")
            .map_or(Some(None), |n| names::read(&n, names::LONGEST).map(own)),
        description: root.find("description").map_or(Some(None), |n| {
            n.text("\"Two flows share a lossy link.\"").map(own)
        }),
        duration,
        warmup: root
            .find(WARMUP)
            .map_or(Some(Duration::ZERO), |n| read_warmup(&n, duration)),
        seed: root
            .find("seed")
            .map_or(Some(USUAL_SEED), |n| n.whole(0..=u64::MAX)),
    }
}

/// Reads the time before the measurements, which must leave something of the run.
fn read_warmup(node: &Node<'_>, duration: Option<Duration>) -> Option<Duration> {
    let warmup = node.time(MOMENT)?;
    if let Some(duration) = duration.filter(|duration| warmup >= *duration) {
        let end = Measure::Time.show(duration.as_nanos());
        node.wrong(
            "the warm-up lasts until the end of the run, or longer: nothing is measured",
            format!("it must be shorter than the run, which ends at {end}, its `duration`"),
        );
    }
    Some(warmup)
}

/// Writes the keys of the head.
pub(crate) fn write(
    name: Option<&str>,
    description: Option<&str>,
    duration: Duration,
    warmup: Duration,
    seed: u64,
    out: &mut Lines,
) {
    if let Some(name) = name {
        out.set("name", quote(name));
    }
    if let Some(description) = description {
        out.set("description", quote(description));
    }
    out.set("duration", time(duration));
    out.set(WARMUP, time(warmup));
    out.set("seed", seed);
}

/// Returns the keys of the head as schemas.
pub(crate) fn forms() -> Vec<(&'static str, Form)> {
    let name = name_form(names::LONGEST)
        .means("a name for people")
        .otherwise("none")
        .such_as([json!("two-on-a-lossy-link")]);
    let description = Form::new("string", "any text")
        .rule("minLength", 1)
        .means("what the scenario is about")
        .otherwise("none");
    let duration = time_form(DURATION)
        .means("length of the run")
        .needed()
        .such_as([json!("100 s"), json!("5 min")]);
    let warmup = time_form(MOMENT)
        .means("how long the run goes on before it is measured")
        .ranging("a time below `duration`")
        .usually("0 s")
        .such_as([json!("10 s")]);
    let seed = whole(0..=u64::MAX)
        .means("seed of all random numbers")
        .usually(USUAL_SEED);
    vec![
        ("name", name),
        ("description", description),
        ("duration", duration),
        (WARMUP, warmup),
        ("seed", seed),
    ]
}
