//! A matrix of chosen controls, and of paths of one's own.

use std::fs;
use std::io;
use std::path::Path as File;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{LoadError, Scenario, suggest};
use dumbbell_tcp::recovery::Kind;
use toml::{Table, Value};

use super::contender::QUIC;
use super::path::OVERALL;
use super::{Contender, Matrix, Path, contender, flows};
use crate::description::{self, Malformed};
use crate::template;

/// The stacks that a control may have.
const STACKS: [&str; 3] = ["plain", LINUX, QUIC];
const LINUX: &str = "linux";

/// Runs of each scenario, and with `--quick`.
const RUNS: (u64, u64) = (10, 5);

impl Matrix {
    /// Every control on paths of one's own. Each file is a scenario, or a description of paths,
    /// which names scenarios beside it.
    ///
    /// # Errors
    /// [`Malformed`] if a file cannot be read or has mistakes, each with its place, or if the matrix
    /// cannot use a path.
    pub fn of_files(files: &[&File], controls: &Controls) -> Result<Self, Malformed> {
        let (mut runs, mut paths): (Option<(u64, u64)>, Vec<Path>) = (None, Vec::new());
        // The controls that every file leaves out.
        let mut without: Option<Vec<String>> = None;
        let mut with: Vec<Contender> = Vec::new();
        for file in files {
            let text = text(file, controls)?;
            let is_description = text
                .parse::<Table>()
                .is_ok_and(|table| table.contains_key("path"));
            let new = if is_description {
                let folder = crate::file::folder(file);
                let scenario = |name: &str| fs::read_to_string(folder.join(name)).ok();
                let shown = shown(file);
                let read = Self::parse_in(Some(folder), &shown, &text, scenario, controls)?;
                runs = runs.or(Some((read.repeat, read.quick)));
                match &mut without {
                    Some(without) => without.retain(|name| read.without.contains(name)),
                    None => without = Some(read.without),
                }
                let new = read.with.into_iter();
                let new = new.filter(|new| with.iter().all(|other| other.name != new.name));
                let new: Vec<Contender> = new.collect();
                with.extend(new);
                read.paths
            } else {
                without = Some(Vec::new());
                vec![Path::of_scenario(file, &text, controls)?]
            };
            for path in new {
                if let Some(other) = paths.iter().find(|other| other.name == path.name) {
                    return Err(Malformed::new(format!(
                        "two paths are called {}, after {} and {}\n  = help: rename a file, because these names become names of files",
                        path.name, other.figure, path.figure
                    )));
                }
                paths.push(path);
            }
        }
        let without = without.unwrap_or_default();
        let matrix = Self::of(runs.unwrap_or(RUNS), (without, with), paths, controls);
        Ok(Self {
            own: true,
            ..matrix
        })
    }

    /// Keeps NewReno and these controls, each written as `NAME`, or with parameters as
    /// `NAME:KEY=VALUE`, where `recovery` and `stack` are keys, too.
    ///
    /// # Errors
    /// [`Malformed`] if there is no such control, parameter or value, or if a control runs on none
    /// of the paths.
    pub fn among(self, wanted: &[&str]) -> Result<Self, Malformed> {
        let newreno = Contender::newreno();
        let mut texts = vec![(newreno.name.clone(), newreno.flow(&self.controls)?)];
        let mut contenders = vec![newreno];
        for text in wanted {
            let new = Contender::parse(text, &self.controls)?;
            if new.name == contenders[0].name {
                continue;
            }
            // The same control may be written in several ways: with 4 or 4.0, or with a default.
            let flow = new.flow(&self.controls)?;
            if let Some((other, _)) = texts.iter().find(|(_, other)| *other == flow) {
                return Err(Malformed::new(match other == text {
                    true => format!("the control `{text}` is there twice"),
                    false => format!(
                        "the control `{text}` is there twice: `{other}` is the same\n  = help: leave one of them out"
                    ),
                }));
            }
            if let Some(place) = contenders.iter().position(|other| other.name == new.name) {
                return Err(Malformed::new(format!(
                    "`{text}` and `{}` would have the same name in the tables, {}\n  = help: give one of them alone",
                    texts[place].0, new.name
                )));
            }
            if !self
                .paths
                .iter()
                .any(|path| path.takes(&new, &self.controls))
            {
                return Err(Malformed::new(format!(
                    "the control `{text}` runs on none of the paths\n  = help: it needs links whose routers report waiting times: aqt = true"
                )));
            }
            texts.push(((*text).to_owned(), flow));
            contenders.push(new);
        }
        Ok(Self {
            contenders,
            own: true,
            ..self
        })
    }
}

/// Whether a file is standard input.
fn is_input(file: &File) -> bool {
    file.as_os_str() == "-"
}

/// The name of a file in messages.
fn shown(file: &File) -> String {
    match is_input(file) {
        true => "(standard input)".to_owned(),
        false => file.display().to_string(),
    }
}

/// The text of a file, or standard input for `-`. That of a scenario has no mistakes.
fn text(file: &File, controls: &Controls) -> Result<String, Malformed> {
    let unreadable = |error: LoadError| match error {
        LoadError::Invalid(report) => report.into(),
        other => Malformed::new(other.to_string()),
    };
    let read = match is_input(file) {
        true => io::read_to_string(io::stdin()),
        false => fs::read_to_string(file),
    };
    if let (true, Err(error)) = (is_input(file), &read) {
        return Err(Malformed::new(format!(
            "cannot read {}: {error}",
            shown(file)
        )));
    }
    match read {
        Ok(text) => Ok(text),
        Err(_) => match Scenario::load(file, controls) {
            Err(error) => Err(unreadable(error)),
            Ok(_) => Err(Malformed::new(format!("cannot read {}", file.display()))),
        },
    }
}

impl Path {
    /// The path of a scenario. The matrix sets the control and the recovery of every TCP flow,
    /// whatever the scenario says. Unless its TCP flows come in pairs, each has a twin beside it on
    /// the shared path.
    fn of_scenario(file: &File, text: &str, controls: &Controls) -> Result<Self, Malformed> {
        let shown = shown(file);
        let folder = crate::file::folder(file);
        let scenario = Scenario::parse_in(folder, &shown, text, controls)?;
        let refuse = |key: &'static str, what: &str, help: &str| {
            let what = format!("the matrix cannot use this path: {what}");
            Err(description::mistake(&shown, text, (&what, help), |keys| {
                keys.find(key)
            }))
        };
        let mut own: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => return Err(Malformed::new(format!("{shown}: {error}"))),
        };
        flows::prepare(&mut own);
        if flows::transfers(&mut own).next().is_none() {
            let help = "a TCP flow is an entry [[flow]] without `source` and `rate_control`";
            return refuse("flow", "there is no TCP flow", help);
        }
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let stem = match is_input(file) {
            true => "input",
            false => stem.unwrap_or_default(),
        };
        let Some(name) = template::name_of(stem).filter(|name| name != OVERALL) else {
            return Err(Malformed::new(format!(
                "{shown} has no name that a path can have\n  = help: rename it, with letters from a to z or digits; `{OVERALL}` is taken"
            )));
        };
        let shared = flows::shared(&own);
        let mut path = Self {
            label: scenario
                .name
                .clone()
                .unwrap_or_else(|| name.clone().into_owned()),
            about: scenario.description.clone().unwrap_or_default(),
            name: name.into_owned(),
            figure: shown.clone(),
            capacity_bps: 0.0,
            links: Vec::new(),
            flows: 0,
            pairs: 0,
            own,
            shared,
            folder: Some(folder.to_owned()),
        };
        match path.measure(&[]) {
            Ok(()) => Ok(path),
            Err(what) => {
                let topologies = ["graph", "parking_lot", "dumbbell"];
                let key = topologies
                    .into_iter()
                    .find(|key| path.own.contains_key(*key));
                let help = "write a description of paths, which names the links whose queues count:\n\
                            repeat = 10\nquick = 5\n[[path]]\nname = \"mine\"\nlabel = \"my path\"\n\
                            about = \"It.\"\nflows = \"FILE\"\nlinks = [\"LINK\"]";
                let help = match what.contains("links") {
                    true => help.replace(
                        "FILE",
                        &file.file_name().unwrap_or_default().to_string_lossy(),
                    ),
                    false => "dumbbell run shows whether it is a scenario".to_owned(),
                };
                refuse(key.unwrap_or("duration"), &what, &help)
            }
        }
    }
}

impl Contender {
    /// Reads `NAME` or `NAME:KEY=VALUE:KEY=VALUE`.
    pub(super) fn parse(text: &str, controls: &Controls) -> Result<Self, Malformed> {
        if text.trim().is_empty() {
            return Err(Malformed::new(
                "a name is missing in the list of controls\n  = help: give names with commas between them, such as veno,cubic",
            ));
        }
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let all = contender::all(controls);
        // Reno with NewReno's recovery is not listed twice, and `reno` is Reno with its own.
        let Some(mut found) = all.iter().find(|it| it.name == name).cloned() else {
            let known: Vec<&str> = all.iter().map(|it| it.name.as_str()).collect();
            let help = suggest::help(name, "there are", &known);
            return Err(Malformed::new(format!(
                "there is no control `{name}`\n  = help: {help}"
            )));
        };
        let mut settings = Vec::new();
        let mut has_recovery = false;
        for setting in parts {
            let Some((key, value)) = setting.split_once('=') else {
                return Err(Malformed::new(format!(
                    "`{setting}` in `{text}` is no parameter\n  = help: write for example {name}:beta=4"
                )));
            };
            if key == "recovery" {
                let Some(kind) = Kind::named(value) else {
                    let known = Kind::ALL.map(Kind::name);
                    let help = suggest::help(value, "there are", &known);
                    return Err(Malformed::new(format!(
                        "there is no recovery `{value}`\n  = help: {help}"
                    )));
                };
                found.recovery = kind.name();
                has_recovery = true;
            } else if key == "stack" {
                let Some(stack) = STACKS.into_iter().find(|stack| *stack == value) else {
                    let help = suggest::help(value, "there are", &STACKS);
                    return Err(Malformed::new(format!(
                        "there is no stack `{value}`\n  = help: {help}"
                    )));
                };
                found.stack = Some(stack);
            } else {
                let read = format!("v = {value}").parse::<Table>();
                let read = read.ok().and_then(|mut table| table.remove("v"));
                let read = read.unwrap_or_else(|| value.into());
                if key == "ecn" {
                    found.ecn = Some(read);
                    settings.push(format!("{key} = {value}"));
                    continue;
                }
                found.parameters.insert(key.to_owned(), read);
            }
            settings.push(format!("{key} = {value}"));
        }
        if settings.is_empty() {
            return Ok(found);
        }
        // The recovery of Linux, for the controls that go with it.
        let goes = |control: &dumbbell_scenario::controls::Control| {
            control.recoveries().contains(&Kind::Sack)
        };
        if found.stack == Some(QUIC) {
            if has_recovery {
                return Err(Malformed::new(format!(
                    "`{text}` has a recovery and stack=quic\n  = help: QUIC has one recovery; leave `recovery` out"
                )));
            }
            found.recovery = QUIC;
        }
        if found.stack == Some(LINUX)
            && !has_recovery
            && controls.named(&found.control).is_some_and(|it| goes(&it))
        {
            found.recovery = Kind::Sack.name();
        }
        found.read(text, controls)?;
        found.name = template::name_of(text).unwrap_or_default().into_owned();
        found.summary = format!(
            "{}; {}",
            found.summary.trim_end_matches('.'),
            settings.join(", ")
        );
        Ok(found)
    }

    /// A scenario with a flow of this control, as a text that is the same for the same control.
    fn flow(&self, controls: &Controls) -> Result<String, Malformed> {
        Ok(self.read(&self.name, controls)?.canonical())
    }

    /// Reads a scenario with a flow that has the parameters and the recovery, which checks them.
    fn read(&self, text: &str, controls: &Controls) -> Result<Scenario, Malformed> {
        let mut flow = Table::new();
        self.give(&mut flow, None);
        let mut scenario: Table = SMALLEST
            .parse()
            .map_err(|e| Malformed::new(format!("{e}")))?;
        scenario.insert("flow".to_owned(), Value::Array(vec![flow.into()]));
        let report = match Scenario::parse(text, &scenario.to_string(), controls) {
            Ok(scenario) => return Ok(scenario),
            Err(report) => report,
        };
        let first = report.problems().first();
        let (message, help) =
            first.map_or(("", None), |it| (it.message.as_str(), it.help.as_deref()));
        let help = help.map_or_else(String::new, |help| format!("\n  = help: {help}"));
        Err(Malformed::new(format!(
            "the control `{text}`: {message}{help}"
        )))
    }
}

/// A scenario without flows, whose routers report what a control may need.
const SMALLEST: &str = r#"
    duration = "1 s"
    [dumbbell]
    access     = { rate = "10 Mb/s", delay = "1 ms" }
    bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = { droptail = 10 }, aqt = true }
"#;
