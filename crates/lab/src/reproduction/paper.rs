//! Reads the folder of a paper: its metadata, its figures, and the verdicts on record.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, suggest};

use super::explored::exploration_name;
use super::folder::{Folder, NOTES, PAPER};
use super::library::{About, EXPLORED, MATRIX, Paper, USUAL_SEED};
use crate::claim::{Settings, Verdicts};
use crate::description::{self, Keys, Malformed, Node, is_word};
use crate::experiment::{Experiment, Texts};
use crate::exploration::Exploration;
use crate::template;

/// The files of a paper besides its metadata, its notes, its figures and their scenarios.
const READINGS: &str = "explored.toml";
const FULL: &str = "verdicts.toml";
const QUICK: &str = "verdicts.quick.toml";
const EXPLORED_FULL: &str = "explored.verdicts.toml";
const EXPLORED_QUICK: &str = "explored.verdicts.quick.toml";
const NULL: &str = "null.toml";
const KNOWN: [&str; 7] = [
    PAPER,
    READINGS,
    FULL,
    QUICK,
    EXPLORED_FULL,
    EXPLORED_QUICK,
    NULL,
];

/// The ending of the name of a scenario's file.
const SCENARIO: &str = ".scenario.toml";

/// What `paper.toml` says.
struct Header {
    name: String,
    title: String,
    citation: String,
    study: bool,
    /// The figures, in order, with the scenario of each.
    figures: Vec<(String, String)>,
    /// The settings of each protocol, by the name of its curve.
    protocols: toml::Table,
}

/// The verdicts that are recorded in a file of a paper's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// Of its figures.
    Figures,
    /// Of its explorations.
    Explored,
    /// Of the figures in which every curve is the baseline.
    Null,
}

impl Record {
    /// The name of the file.
    pub fn file(self, quick: bool) -> &'static str {
        match (self, quick) {
            (Self::Figures, false) => FULL,
            (Self::Figures, true) => QUICK,
            (Self::Explored, false) => EXPLORED_FULL,
            (Self::Explored, true) => EXPLORED_QUICK,
            (Self::Null, _) => NULL,
        }
    }
}

impl Paper {
    /// Reads a folder. Its scenarios can name these controls.
    ///
    /// # Errors
    /// [`Malformed`] with the mistakes of a file, each with its place.
    pub fn read(folder: &Folder, controls: &Controls) -> Result<Self, Malformed> {
        let text = folder.text(PAPER).unwrap_or_default();
        let header = description::read(&folder.shown(PAPER), text, |keys| header(keys, folder))?;
        check_files(folder, &header)?;
        let experiments = experiments(folder, &header, controls)?;
        check_again(&experiments)?;
        let exploration = match folder.text(READINGS) {
            Some(text) => Exploration::parse(&folder.shown(READINGS), text, &experiments)?,
            None => Exploration::none(),
        };
        let of = |record: Record, quick| self::record(folder, record, quick);
        Ok(Self {
            full: of(Record::Figures, false)?,
            quick: of(Record::Figures, true)?,
            explored_full: of(Record::Explored, false)?,
            explored_quick: of(Record::Explored, true)?,
            null: match folder.text(NULL) {
                Some(_) => Some(of(Record::Null, true)?),
                None => None,
            },
            exploration,
            experiments,
            about: About {
                name: header.name,
                title: header.title,
                citation: header.citation,
                study: header.study,
                notes: folder.text(NOTES).unwrap_or_default().to_owned(),
                folder: folder.path.clone(),
            },
        })
    }
}

fn header(keys: &Keys<'_>, folder: &Folder) -> Option<Header> {
    let name = match keys.find("name") {
        Some(node) => checked_name(&node),
        None => usual_name(keys, folder),
    };
    let title = keys.text("title", "\"VenoDB\"");
    let citation = keys.text_if_any("citation");
    let study = keys.flag("study");
    let figures = keys
        .need(
            "figure",
            "{ fig1 = \"single\" }, with fig1.toml and single.scenario.toml",
        )
        .and_then(|node| figures(&node, folder));
    let protocols = keys
        .find("protocol")
        .map_or(Some(toml::Table::new()), |node| {
            let all = node.keys("`protocol`")?.entries();
            let tables = all.iter().filter(|(_, sets)| sets.table().is_some());
            (tables.count() == all.len())
                .then(|| node.table())
                .flatten()
        });
    keys.done();
    Some(Header {
        name: name?,
        title: title?,
        citation,
        study,
        figures: figures?,
        protocols: protocols?,
    })
}

/// Whether a paper can have this name: it is part of names of files, and chooses the paper.
fn is_name(name: &str) -> bool {
    is_word(name) && ![EXPLORED, MATRIX].contains(&name)
}

const NAME: &str =
    "a name has the letters a to z, digits and hyphens, and is not `explored` or `matrix`";

fn checked_name(node: &Node<'_>) -> Option<String> {
    let name = node.text()?;
    if !is_name(name) {
        node.wrong(format!("`{name}` is no name of a paper"), NAME);
        return None;
    }
    Some(name.to_owned())
}

/// The name of the folder.
fn usual_name(keys: &Keys<'_>, folder: &Folder) -> Option<String> {
    if is_name(&folder.name) {
        return Some(folder.name.clone());
    }
    let near = template::name_of(&folder.name).unwrap_or_else(|| "mypaper".into());
    keys.wrong(
        format!(
            "the folder's name, `{}`, is no name of a paper",
            folder.name
        ),
        format!("write for example name = \"{near}\""),
    );
    None
}

fn figures(node: &Node<'_>, folder: &Folder) -> Option<Vec<(String, String)>> {
    let entries = node.keys("`figure`")?.entries();
    if entries.is_empty() {
        node.wrong(
            "the paper has no figures",
            "write for example fig1 = \"single\", with fig1.toml and single.scenario.toml",
        );
    }
    let mut figures = Vec::new();
    for (key, value) in &entries {
        let figure = key.name();
        let file = format!("{figure}.toml");
        if KNOWN.contains(&file.as_str()) || file.ends_with(SCENARIO) {
            key.wrong(
                format!("`{figure}` is no name of a figure"),
                format!("{file} is another file of a paper: rename the figure"),
            );
            continue;
        }
        let missing = |node: &Node<'_>, file: &str, ending: &str| {
            let others = folder.names().filter(|name| !KNOWN.contains(name));
            let others = others.filter(|name| name.ends_with(SCENARIO) == (ending == SCENARIO));
            let others: Vec<&str> = others
                .filter_map(|name| name.strip_suffix(ending))
                .collect();
            let help = match suggest::nearest(file.trim_end_matches(ending), others.iter().copied())
            {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write the file {}", folder.shown(file)),
            };
            node.wrong(format!("there is no file {}", folder.shown(file)), help);
        };
        if folder.text(&file).is_none() {
            missing(key, &file, ".toml");
        }
        let Some(scenario) = value.text() else {
            continue;
        };
        let file = format!("{scenario}{SCENARIO}");
        if folder.text(&file).is_none() {
            missing(value, &file, SCENARIO);
        }
        figures.push((figure.to_owned(), scenario.to_owned()));
    }
    (figures.len() == entries.len()).then_some(figures)
}

/// Checks that every file belongs to something, because a misspelt one would be left out.
fn check_files(folder: &Folder, header: &Header) -> Result<(), Malformed> {
    let figures: Vec<String> = header
        .figures
        .iter()
        .map(|(name, _)| format!("{name}.toml"))
        .collect();
    let known = |name: &str| {
        KNOWN.contains(&name)
            || name == NOTES
            || name.ends_with(SCENARIO)
            || figures.iter().any(|figure| figure == name)
    };
    let Some(stray) = folder.names().find(|name| !known(name)) else {
        return Ok(());
    };
    let absent = KNOWN.into_iter().filter(|name| folder.text(name).is_none());
    let help = match suggest::nearest(stray, absent) {
        Some(near) => format!("did you mean {near}?"),
        None => {
            let figure = stray.trim_end_matches(".toml");
            let (_, scenario) = &header.figures[0];
            format!(
                "if it is a figure, write {figure} = \"{scenario}\" into [figure] of {PAPER}; otherwise move it elsewhere"
            )
        }
    };
    let message = format!("{PAPER} does not name the file {stray}");
    let text = folder.text(stray).unwrap_or_default();
    Err(Report::new(
        &folder.shown(stray),
        text,
        vec![(0..0, message, Some(help))],
    )
    .into())
}

fn experiments(
    folder: &Folder,
    header: &Header,
    controls: &Controls,
) -> Result<Vec<Experiment>, Malformed> {
    let taken = [
        header.name.clone(),
        exploration_name(&header.name),
        EXPLORED.to_owned(),
        MATRIX.to_owned(),
    ];
    let mut all: Vec<Experiment> = Vec::new();
    for (figure, scenario) in &header.figures {
        let (file, scenario) = (format!("{figure}.toml"), format!("{scenario}{SCENARIO}"));
        let text = |file: &str| folder.text(file).unwrap_or_default().to_owned();
        let texts = Texts {
            description: text(&file),
            file: folder.shown(&file),
            scenario: text(&scenario),
            scenario_file: folder.shown(&scenario),
            folder: folder.path.clone(),
        };
        let new = Experiment::read(texts, &header.protocols)?.with_controls(controls);
        let name = &new.name;
        let wrong = match all.iter().find(|other| other.name == *name) {
            Some(other) => Some(format!("{} has the name `{name}`, too", other.texts().file)),
            None => taken
                .contains(name)
                .then(|| format!("`{name}` chooses something else on the command line")),
        };
        if let Some(wrong) = wrong {
            let help = format!(
                "names differ; write for example name = \"{}-{figure}\"",
                header.name
            );
            let Texts {
                file, description, ..
            } = new.texts();
            return Err(description::mistake(
                file,
                description,
                (&wrong, &help),
                |keys| keys.find("name"),
            ));
        }
        all.push(new);
    }
    Ok(all)
}

/// Checks that a claim which judges a sentence of another figure again names a claim that judges it
/// first.
fn check_again(experiments: &[Experiment]) -> Result<(), Malformed> {
    for experiment in experiments {
        for claim in &experiment.claims {
            let (figure, id) = claim.sentence(&experiment.name);
            let of = experiments.iter().find(|it| it.name == figure);
            let mut all = of.into_iter().flat_map(|it| &it.claims);
            if claim.again.is_none() || all.any(|it| it.id == id && it.again.is_none()) {
                continue;
            }
            let message = format!(
                "claim `{}`: no claim `{figure}.{id}` judges a sentence first",
                claim.id
            );
            let help = "name a claim without `again`: ID of this figure, or FIGURE.ID of another figure of the folder";
            let Texts {
                file, description, ..
            } = experiment.texts();
            return Err(description::mistake(
                file,
                description,
                (&message, help),
                |keys| {
                    let mut claims = keys.items("claim").into_iter();
                    let node = claims
                        .find(|node| node.part("id").and_then(|id| id.text()) == Some(&claim.id))?;
                    node.part("again").or_else(|| node.part("part_of"))
                },
            ));
        }
    }
    Ok(())
}

/// Reads a record of verdicts; an empty one if there is no such file.
fn record(folder: &Folder, record: Record, quick: bool) -> Result<Verdicts, Malformed> {
    let file = record.file(quick);
    let Some(text) = folder.text(file) else {
        return Ok(Verdicts::new(Settings {
            seed: USUAL_SEED,
            quick,
        }));
    };
    let shown = folder.shown(file);
    let verdicts = Verdicts::parse(&shown, text)?;
    if record != Record::Null && verdicts.settings.quick != quick {
        let message = format!("`quick` is {quick} in {file}");
        let help = "complete and quick reproductions have records of their own";
        return Err(description::mistake(
            &shown,
            text,
            (&message, help),
            |keys| keys.find("settings")?.part("quick"),
        ));
    }
    Ok(verdicts)
}
