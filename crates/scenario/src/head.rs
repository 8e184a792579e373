//! The head of a file: the name and description of the scenario, the duration of the run, and the seed.

use dumbbell_control::units::Duration;
use serde_json::json;

use crate::document::Table;
use crate::form::Form;
use crate::form::value::{name as name_form, time as time_form, whole};
use crate::limits::DURATION;
use crate::names;
use crate::text::{Lines, quote, time};

/// The keys of the head; each is `None` if its value is wrong.
pub(crate) struct Head {
    pub(crate) name: Option<Option<String>>,
    pub(crate) description: Option<Option<String>>,
    pub(crate) duration: Option<Duration>,
    pub(crate) seed: Option<u64>,
}

const USUAL_SEED: u64 = 1;

/// Reads the keys of the head.
pub(crate) fn read(root: &Table<'_>) -> Head {
    let own = |text: &str| Some(text.to_owned());
    Head {
        name: root
            .find("name")
            .map_or(Some(None), |n| names::read(&n, names::LONGEST).map(own)),
        description: root.find("description").map_or(Some(None), |n| {
            n.text("\"Two flows share a lossy link.\"").map(own)
        }),
        duration: root
            .need("duration", "duration = \"100 s\"")
            .and_then(|n| n.time(DURATION)),
        seed: root
            .find("seed")
            .map_or(Some(USUAL_SEED), |n| n.whole(0..=u64::MAX)),
    }
}

/// Writes the keys of the head.
pub(crate) fn write(
    name: Option<&str>,
    description: Option<&str>,
    duration: Duration,
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
    let seed = whole(0..=u64::MAX)
        .means("seed of all random numbers")
        .usually(USUAL_SEED);
    vec![
        ("name", name),
        ("description", description),
        ("duration", duration),
        ("seed", seed),
    ]
}
