//! Explorations: other readings of a paper's text, tried on all figures that they touch.
//!
//! A paper leaves things open. The figures are run under one reading of its text, the one taken. An
//! exploration is data, too: each [`Reading`] names the figures that it touches and what it changes
//! in their scenarios ([`Changes`](crate::experiment::Changes)). A [`Trial`] is a figure under a reading, with its claims.

mod reading;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use reading::Reading;

use crate::description::{self, Keys, Malformed, is_word};
use crate::experiment::{Experiment, Null};

/// The other readings of a paper's text.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Its title.
    pub title: String,
    /// What is varied and why, in a few sentences for the report.
    pub about: String,
    /// The most runs of each point, at least one.
    pub repeat: u64,
    /// The most runs of each point of a quick exploration, at least one.
    pub quick: u64,
    /// The readings.
    pub readings: Vec<Reading>,
    /// What makes every curve the baseline.
    pub null: Null,
    /// The file that it was read from, and its text, for messages about mistakes.
    source: Arc<(String, String)>,
}

/// A figure under a reading of the text.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The reading, by its position; `None` for the one taken.
    pub reading: Option<usize>,
    /// The name of the figure.
    pub figure: String,
    /// The figure under the reading: its name is `FIGURE.READING`, or the figure's under the
    /// reading taken.
    pub experiment: Experiment,
}

impl Exploration {
    /// Reads an exploration of a paper that has these figures. `file` is the name under which
    /// mistakes are reported.
    ///
    /// # Errors
    /// [`Malformed`] with every mistake and its place: an unknown key, figure or reading.
    pub fn parse(file: &str, text: &str, figures: &[Experiment]) -> Result<Self, Malformed> {
        let figures: Vec<&str> = figures.iter().map(|it| it.name.as_str()).collect();
        let source = Arc::new((file.to_owned(), text.to_owned()));
        description::read(file, text, |keys| read(keys, &figures, source))
    }

    /// The exploration of a paper that has no other readings.
    pub fn none() -> Self {
        Self {
            title: String::new(),
            about: String::new(),
            repeat: 1,
            quick: 1,
            readings: Vec::new(),
            null: Null::default(),
            source: Arc::default(),
        }
    }

    /// The figures under the reading taken and then under each reading that concerns them, with as
    /// many runs as the exploration asks for. `quick` has fewer points and fewer runs.
    ///
    /// # Errors
    /// [`Malformed`] if a reading changes nothing in one of its figures.
    pub fn trials(&self, figures: &[Experiment], quick: bool) -> Result<Vec<Trial>, Malformed> {
        let of_name: BTreeMap<&str, &Experiment> =
            figures.iter().map(|it| (it.name.as_str(), it)).collect();
        let small = |figure: &Experiment| {
            let mut figure = figure.clone();
            if quick {
                figure = figure.quick();
            }
            figure.repeat = figure
                .repeat
                .min(if quick { self.quick } else { self.repeat });
            figure
        };
        let touched = |name: &str| {
            let mut readings = self.readings.iter();
            readings.any(|reading| reading.figures.iter().any(|figure| figure == name))
        };
        let mut trials = Vec::new();
        for figure in figures.iter().filter(|figure| touched(&figure.name)) {
            trials.push(Trial {
                reading: None,
                figure: figure.name.clone(),
                experiment: small(figure),
            });
        }
        for (at, reading) in self.readings.iter().enumerate() {
            for name in &reading.figures {
                let Some(figure) = of_name.get(name.as_str()) else {
                    continue;
                };
                trials.push(Trial {
                    reading: Some(at),
                    figure: name.clone(),
                    experiment: small(figure)
                        .under(&reading.name, &reading.changes)
                        .map_err(|wrong| self.misplaced(at, &wrong))?,
                });
            }
        }
        Ok(trials)
    }

    /// A mistake that a reading causes in a figure, with the place of the reading.
    fn misplaced(&self, reading: usize, wrong: &Malformed) -> Malformed {
        let (file, text) = &*self.source;
        let help = "a reading changes each figure that it names, and every point of the figure stays a scenario";
        description::mistake(file, text, (&wrong.first(), help), |keys| {
            let node = keys.items("reading").into_iter().nth(reading)?;
            node.part("name").or(Some(node))
        })
    }
}

fn read(keys: &Keys<'_>, figures: &[&str], source: Arc<(String, String)>) -> Option<Exploration> {
    let title = keys.text("title", "\"VenoDB: other readings of the text\"");
    let about = keys.text_if_any("about");
    let repeat = keys.count("repeat", "10");
    let quick = keys.count("quick", "2");
    let null = keys.find("null").map(|node| Null::read(&node));
    let mut readings: Vec<Reading> = Vec::new();
    let mut whole = true;
    for node in keys.items("reading") {
        let Some(reading) = Reading::read(&node, figures, &readings) else {
            whole = false;
            continue;
        };
        if readings.iter().any(|other| other.name == reading.name) {
            node.part("name").unwrap_or(node.clone()).wrong(
                format!("`{}` is there twice", reading.name),
                "names of readings differ",
            );
        }
        readings.push(reading);
    }
    keys.done();
    Some(Exploration {
        title: title?,
        about,
        repeat: repeat?,
        quick: quick?,
        readings: whole.then_some(readings)?,
        null: null.unwrap_or_else(|| Some(Null::default()))?,
        source,
    })
}

/// Whether a name can be that of a reading: a word, and not one of the words of a record.
fn is_name(name: &str) -> bool {
    is_word(name) && name != "settings"
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r#"
        duration = "1 s"
        dumbbell = { access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "2 Mb/s", delay = "9 ms", queue = { droptail = 9 } } }
        [[flow]]
        name = "A"
        control = "reno"
    "#;

    const FIGURE: &str = r#"
        name = "p-fig1"
        title = "T"
        source = "s"
        repeat = 4
        quick = { repeat = 3, values = [1] }
        x = { label = "rate", key = "dumbbell.bottleneck.rate", unit = "Mb/s", values = [1, 2] }
        series = [{ name = "A", set = {} }]
        measure = [{ name = "t", label = "t", quantity = "throughput" }]
        panel = [{ measure = "t" }]
    "#;

    const EXPLORED: &str = r#"title = "T"
repeat = 3
quick = 1
[[reading]]
name = "veno"
title = "Veno"
about = "a"
figures = ["p-fig1"]
flow = [{ control = ["reno"], set = { control = "veno" } }]
[[reading]]
name = "both"
title = "Both"
about = "a"
figures = ["p-fig1"]
with = ["veno"]
set = { duration = "2 s" }
"#;

    fn figures() -> Vec<Experiment> {
        let read = Experiment::parse("f.toml", FIGURE, SCENARIO, &toml::Table::new());
        vec![read.expect("it is right")]
    }

    fn parse(text: &str) -> Result<Exploration, String> {
        Exploration::parse("e.toml", text, &figures()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_reading_may_include_another_one() {
        let trials = parse(EXPLORED).expect("right").trials(&figures(), false);
        let trials = trials.expect("every reading changes the figure");
        let names: Vec<&str> = trials
            .iter()
            .map(|it| it.experiment.name.as_str())
            .collect();
        assert_eq!(names, ["p-fig1", "p-fig1.veno", "p-fig1.both"]);
        let text = |trial: usize| {
            let points = trials[trial].experiment.points(1).expect("right");
            points[0].scenario.canonical()
        };
        assert!(!text(0).contains("veno") && text(1).contains("\"veno\""));
        assert!(text(2).contains("\"veno\"") && text(2).contains("duration = \"2 s\""));
        // The x values stay, and the runs are at most those of the figure.
        assert!(trials.iter().all(|it| it.experiment.runs() == 2 * 3));
        let quick = parse(EXPLORED).expect("right").trials(&figures(), true);
        assert!(
            quick
                .expect("right")
                .iter()
                .all(|it| it.experiment.runs() == 1)
        );
    }

    #[test]
    fn a_reading_that_changes_nothing_is_refused() {
        let same = EXPLORED.replace("control = [\"reno\"]", "control = [\"vegas\"]");
        let error = parse(&same).expect("readable").trials(&figures(), false);
        let error = error.expect_err("no flow is Vegas").to_string();
        for part in ["e.toml:5:8", "p-fig1: the reading `veno` changes nothing"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn mistakes_have_a_position_and_advice() {
        for (from, to, place, message, advice) in [
            (
                "[\"p-fig1\"]",
                "[\"p-fig2\"]",
                "e.toml:8:12",
                "there is no figure `p-fig2`",
                "did you mean `p-fig1`?",
            ),
            (
                "[\"p-fig1\"]",
                "[]",
                "e.toml:8:11",
                "the reading touches no figure",
                "name at least one",
            ),
            (
                "name = \"both\"",
                "name = \"veno\"",
                "e.toml:11:8",
                "`veno` is there twice",
                "names of readings differ",
            ),
            (
                "name = \"veno\"",
                "name = \"v.1\"",
                "e.toml:5:8",
                "`v.1` is no name of a reading",
                "the letters a to z",
            ),
            (
                "[\"veno\"]",
                "[\"both\"]",
                "e.toml:15:9",
                "there is no reading `both`",
                "there are: `veno`",
            ),
            (
                "flow = [{ control = [\"reno\"], set = { control = \"veno\" } }]",
                "",
                "e.toml:4:1",
                "the reading changes nothing",
                "`with` is required",
            ),
            (
                "set = { control = \"veno\" }",
                "",
                "e.toml:9:9",
                "`set` is missing",
                "set = {",
            ),
            (
                "quick = 1",
                "",
                "e.toml:1:1",
                "`quick` is missing",
                "quick = 2",
            ),
            (
                "about = \"a\"",
                "abuot = \"a\"",
                "e.toml:7:1",
                "reading `veno` has no key `abuot`",
                "did you mean `about`?",
            ),
        ] {
            assert!(EXPLORED.contains(from), "{from}");
            let error = parse(&EXPLORED.replacen(from, to, 1)).expect_err(to);
            for part in [place, message, advice] {
                assert!(error.contains(part), "{to}: no {part} in\n{error}");
            }
        }
    }
}
