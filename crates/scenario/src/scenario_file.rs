//! A scenario file whose values can be changed before it is read.

use std::io::Read as _;
use std::ops::Range;
use std::path::{Path as FilePath, PathBuf};
use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::controls::Controls;
use crate::error::{LoadError, Report};
use crate::log::Log;
use crate::origin::Origin;
use crate::path::{self, Names, Overlap, Path, Place};
use crate::scenario::{self, Scenario};
use crate::syntax;
use crate::topology::Topology;
use crate::trace_file::Traces;

/// The text of a scenario file, and the values that are set beside it.
///
/// ```
/// use dumbbell_scenario::{Duration, ScenarioFile, controls::Controls};
///
/// let text = r#"
///     duration = "10 s"
///     [dumbbell]
///     access     = { rate = "10 Mb/s", delay = "1 ms" }
///     bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 } }
///     [[flow]]
///     control = "veno"
/// "#;
/// let mut file = ScenarioFile::of_text("example.toml", text);
/// file.set("bottleneck.loss.bernoulli=0.01");
/// file.set("duration=20s");
/// let scenario = file.scenario(&Controls::builtin())?;
/// assert_eq!(scenario.duration, Duration::from_secs(20));
/// # Ok::<(), dumbbell_scenario::Report>(())
/// ```
#[derive(Clone, Debug)]
pub struct ScenarioFile {
    origin: Origin,
    /// The folder for the traces that it names; `None` if it may name none.
    folder: Option<PathBuf>,
    /// The positions of the values that are set.
    set: Vec<Range<usize>>,
}

/// The name of values that are set beside a file, in messages.
const SET: &str = "--set";
/// The name of standard input, on the command line and in messages.
const STANDARD_INPUT: (&str, &str) = ("-", "(standard input)");

impl ScenarioFile {
    /// Loads a file; `-` is standard input, whose traces are looked for in the current folder.
    ///
    /// # Errors
    /// [`LoadError`] if it cannot be read, or is not text.
    pub fn load(path: &FilePath) -> Result<Self, LoadError> {
        let is_input = path.as_os_str() == STANDARD_INPUT.0;
        let file = if is_input {
            STANDARD_INPUT.1.to_owned()
        } else {
            path.display().to_string()
        };
        let bytes = if is_input {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            std::fs::read(path)
        };
        let bytes = bytes.map_err(|reason| LoadError::Unreadable {
            file: file.clone(),
            reason,
        })?;
        let text = String::from_utf8(bytes).map_err(|wrong| {
            let valid = &wrong.as_bytes()[..wrong.utf8_error().valid_up_to()];
            LoadError::NotText {
                file: file.clone(),
                line: 1 + valid.iter().filter(|b| **b == b'\n').count(),
            }
        })?;
        let folder = match is_input {
            true => FilePath::new(""),
            false => path.parent().unwrap_or(FilePath::new("")),
        };
        Ok(Self {
            folder: Some(folder.to_owned()),
            ..Self::of_text(&file, &text)
        })
    }

    /// Takes a text that names no traces. `file` is the name shown in reported mistakes.
    pub fn of_text(file: &str, text: &str) -> Self {
        Self {
            origin: Origin::of(file, text),
            folder: None,
            set: Vec::new(),
        }
    }

    /// Takes a text that may name traces, relative to `folder`.
    pub fn in_folder(folder: &FilePath, file: &str, text: &str) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            ..Self::of_text(file, text)
        }
    }

    /// Sets a value, written as `PATH=VALUE`, on top of the file. The value is TOML; what is no TOML is
    /// a string, so quotes are not needed: `flow.main.control=veno`. A mistake is found when the
    /// scenario is read.
    pub fn set(&mut self, path_and_value: &str) {
        self.set_from(SET, path_and_value);
    }

    /// Sets a value like [`set`](Self::set). `source` is the name shown in reported mistakes, in the place
    /// of `--set`.
    pub fn set_from(&mut self, source: &str, path_and_value: &str) {
        let span = self.origin.add(source, path_and_value);
        self.set.push(span);
    }

    /// The name of the file, as shown in mistakes.
    pub fn name(&self) -> &str {
        self.origin.first()
    }

    /// The text of the file, without what is [set](Self::set).
    pub fn text(&self) -> &str {
        self.origin.first_text()
    }

    /// Reads the scenario.
    ///
    /// # Errors
    /// A [`Report`] with every mistake.
    pub fn scenario(&self, controls: &Controls) -> Result<Scenario, Report> {
        self.draft(controls)?.scenario(controls)
    }

    /// The files of the packet-delivery traces that the scenario names, as far as it can be read.
    pub fn trace_files(&self, controls: &Controls) -> Vec<PathBuf> {
        let Ok(draft) = self.draft(controls) else {
            return Vec::new();
        };
        // Reading the scenario reads its traces.
        let _ = scenario::read(&draft.document, &draft.traces, controls);
        draft.traces.files()
    }

    /// Reads the file as a document in which values can be changed, with those that are
    /// [set](Self::set).
    ///
    /// # Errors
    /// A [`Report`] if it is not TOML, or a value cannot be set.
    pub fn draft(&self, controls: &Controls) -> Result<Draft<'_>, Report> {
        let text = self.origin.first_text();
        let (document, wrong) = DeTable::parse_recoverable(text);
        if !wrong.is_empty() {
            return Err(Report::of(&self.origin, syntax::describe(text, &wrong)));
        }
        let traces = match &self.folder {
            Some(folder) => Traces::beside(folder),
            None => Traces::default(),
        };
        let mut draft = Draft {
            file: self,
            document: document.into_inner(),
            traces: Rc::new(traces),
            set: Vec::new(),
        };
        for span in &self.set {
            draft.set_text(span, controls)?;
        }
        Ok(draft)
    }
}

impl Scenario {
    /// Reads a scenario from a file, with the packet-delivery traces that it names.
    ///
    /// # Errors
    /// [`LoadError`] if the file cannot be read, or is not a valid scenario.
    pub fn load(path: &FilePath, controls: &Controls) -> Result<Self, LoadError> {
        let file = ScenarioFile::load(path)?;
        file.scenario(controls).map_err(LoadError::Invalid)
    }

    /// Reads a scenario from its text alone; the text must not name traces. `file` is the name shown in
    /// reported mistakes.
    ///
    /// # Errors
    /// A [`Report`] with every mistake.
    pub fn parse(file: &str, text: &str, controls: &Controls) -> Result<Self, Report> {
        ScenarioFile::of_text(file, text).scenario(controls)
    }

    /// Reads a scenario from a text that may name packet-delivery traces, relative to `folder`. The
    /// traces become a part of the scenario.
    ///
    /// # Errors
    /// A [`Report`] with every mistake, including the first wrong line of each trace.
    pub fn parse_in(
        folder: &FilePath,
        file: &str,
        text: &str,
        controls: &Controls,
    ) -> Result<Self, Report> {
        ScenarioFile::in_folder(folder, file, text).scenario(controls)
    }
}

/// A scenario as a document: its values can be set, and it can be read as a scenario at any time.
#[derive(Clone)]
pub struct Draft<'f> {
    file: &'f ScenarioFile,
    document: DeTable<'f>,
    traces: Rc<Traces>,
    /// The places of the values that were set.
    set: Vec<Spot>,
}

/// A place of a document, where a value can be [put](Draft::put).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot(Place);

/// A mistake: its position, a message, and a hint.
pub type Mistake = (Range<usize>, String, Option<String>);

impl Spot {
    /// How this place has to do with another one, by whatever paths they were found; `None` if nothing.
    pub fn overlap(&self, other: &Self) -> Option<Overlap> {
        self.0.overlap(&other.0)
    }
}

impl<'f> Draft<'f> {
    /// The document.
    pub fn document(&self) -> &DeTable<'f> {
        &self.document
    }

    /// Returns the position of the text in a string or a quoted key, without its quotes.
    pub fn unquoted(&self, span: Range<usize>) -> Range<usize> {
        let text = self.file.origin.text(self.file.origin.inside(span.clone()));
        match text.starts_with(['"', '\'']) && text.len() > 1 {
            true => span.start + 1..span.end - 1,
            false => span,
        }
    }

    /// Makes a report from mistakes in the document.
    pub fn report(&self, found: Vec<Mistake>) -> Report {
        Report::of(&self.file.origin, found)
    }

    /// Finds the place that a path names; `start` is the position of its first byte.
    ///
    /// # Errors
    /// The mistakes, if there is no such place. Whether the last words of the path are keys of the
    /// scenario is found out when the scenario is read with a value there.
    pub fn locate(
        &self,
        path: &str,
        start: usize,
        controls: &Controls,
    ) -> Result<Spot, Vec<Mistake>> {
        let log = Log::default();
        let (names, others) = self.names(controls);
        let place = Path::read(path, start, &log)
            .and_then(|path| path::locate(&path, &self.document, &names, &log));
        match place {
            Some(place) => Ok(Spot(place)),
            None => {
                let mut found = log.into_found();
                // A default name may be unknown because of another mistake in the file.
                found.extend(others);
                Err(found)
            }
        }
    }

    /// The places of values that were [set](ScenarioFile::set), with the positions of their paths.
    pub fn set_spots(&self) -> impl Iterator<Item = (&Spot, Range<usize>)> {
        self.set.iter().map(|spot| (spot, spot.0.span.clone()))
    }

    /// Returns the value at a place of this document, if there is one. Of several places, it is the
    /// first.
    pub fn value(&self, spot: &Spot) -> Option<&DeValue<'f>> {
        path::value(&self.document, &spot.0.steps)
    }

    /// Puts a value at a place of this document.
    ///
    /// # Errors
    /// The mistakes, if something on the way to the place is a single value.
    pub fn put(&mut self, spot: &Spot, value: &Spanned<DeValue<'f>>) -> Result<(), Vec<Mistake>> {
        let log = Log::default();
        match path::put(&mut self.document, &spot.0, value, &log) {
            Some(()) => Ok(()),
            None => Err(log.into_found()),
        }
    }

    /// Reads the scenario.
    ///
    /// # Errors
    /// A [`Report`] with every mistake.
    pub fn scenario(&self, controls: &Controls) -> Result<Scenario, Report> {
        let (scenario, found) = scenario::read(&self.document, &self.traces, controls);
        debug_assert!(
            scenario.is_some() || !found.is_empty(),
            "a refusal without a reason"
        );
        scenario
            .filter(|_| found.is_empty())
            .ok_or_else(|| self.report(found))
    }

    /// The names of flow entries and links, and the mistakes that keep default names unknown: the names in
    /// the file, and the default names if the scenario can be read.
    fn names(&self, controls: &Controls) -> (Names, Vec<Mistake>) {
        let (scenario, found) = scenario::read(&self.document, &self.traces, controls);
        if let Some(scenario) = scenario {
            let links = match scenario.topology {
                Topology::Graph(graph) => graph.links,
                Topology::Dumbbell { .. } | Topology::ParkingLot { .. } => Vec::new(),
            };
            let names = Names {
                flows: scenario
                    .flows
                    .into_iter()
                    .map(|flow| Some(flow.name))
                    .collect(),
                links: links.into_iter().map(|link| Some(link.name)).collect(),
            };
            return (names, Vec::new());
        }
        let flows = self.document.get(crate::flow::KEY).map(Spanned::get_ref);
        let flows = flows.and_then(DeValue::as_array);
        let name = |flow: &Spanned<DeValue<'_>>| {
            let name = flow.get_ref().get("name")?.get_ref().as_str();
            name.map(str::to_owned)
        };
        let flows: Vec<Option<String>> =
            flows.map_or_else(Vec::new, |flows| flows.iter().map(name).collect());
        let unknown = flows.contains(&None);
        let names = Names {
            flows,
            links: Vec::new(),
        };
        (names, if unknown { found } else { Vec::new() })
    }

    /// Sets the value in this part of the text, which is `PATH=VALUE`.
    fn set_text(&mut self, span: &Range<usize>, controls: &Controls) -> Result<(), Report> {
        let text = self.file.origin.text(span.clone());
        let Some((path, value)) = text.split_once('=') else {
            let message = "a path and a value are required";
            let help = "write PATH=VALUE, such as --set bottleneck.delay=20ms";
            let found = (span.clone(), message.to_owned(), Some(help.to_owned()));
            return Err(self.report(vec![found]));
        };
        let value_at = span.start + path.len() + 1;
        let value = value_of(value, value_at).map_err(|found| self.report(found))?;
        let blank = path.len() - path.trim_start().len();
        let spot = self
            .locate(path.trim(), span.start + blank, controls)
            .map_err(|found| self.report(found))?;
        self.put(&spot, &value)
            .map_err(|found| self.report(found))?;
        self.set.push(spot);
        Ok(())
    }
}

/// Reads a value at a position of the text. What is not TOML is a string.
fn value_of(text: &str, start: usize) -> Result<Spanned<DeValue<'_>>, Vec<Mistake>> {
    let trimmed = text.trim();
    let start = start + (text.len() - text.trim_start().len());
    let span = start..start + trimmed.len();
    if trimmed.is_empty() {
        let help = "write PATH=VALUE, such as --set bottleneck.delay=20ms";
        return Err(vec![(
            span,
            "the value is missing".to_owned(),
            Some(help.to_owned()),
        )]);
    }
    match DeValue::parse(trimmed) {
        Ok(value) => Ok(moved(value, start)),
        Err(wrong) if trimmed.starts_with(['"', '\'', '{', '[']) => {
            let at = wrong.span().unwrap_or(0..trimmed.len());
            let message = format!("not valid TOML: {}", wrong.message());
            Err(vec![(start + at.start..start + at.end, message, None)])
        }
        Err(_) => Ok(Spanned::new(span, DeValue::String(trimmed.into()))),
    }
}

/// Moves the positions of a value by so many bytes.
fn moved<'v>(value: Spanned<DeValue<'v>>, by: usize) -> Spanned<DeValue<'v>> {
    let span = value.span().start + by..value.span().end + by;
    let inner = match value.into_inner() {
        DeValue::Array(elements) => {
            DeValue::Array(elements.into_iter().map(|it| moved(it, by)).collect())
        }
        DeValue::Table(table) => {
            let entries = table.into_iter().map(|(key, value)| {
                let at = key.span().start + by..key.span().end + by;
                (Spanned::new(at, key.into_inner()), moved(value, by))
            });
            DeValue::Table(entries.collect())
        }
        single => single,
    };
    Spanned::new(span, inner)
}
