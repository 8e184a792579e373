//! Files beside a scenario: the traces that a rate or a loss may name, and lists for workloads.
//!
//! A trace of a rate is a text file in Mahimahi's format: each line is the time of one delivery opportunity in
//! whole milliseconds. Who reads another file knows its format. Files are read with the scenario and become a
//! part of it, so a later change of a file does not change a scenario that has been read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::opportunities::{Opportunities, Unsuitable};
use crate::quantity::{Wrong, clip};

/// The traces of a scenario: their folder, and those that have been read.
#[derive(Default)]
pub(crate) struct Traces {
    /// The folder of the scenario's file; `None` if its text does not come from a file.
    folder: Option<PathBuf>,
    read: RefCell<BTreeMap<PathBuf, Result<Opportunities, Wrong>>>,
    /// Files of another content, as text.
    texts: RefCell<BTreeMap<PathBuf, Result<Rc<str>, Wrong>>>,
}

/// The longest line: the digits of the latest time, leading zeros and a line break.
const LINE: usize = 16;
const LARGEST: usize = Opportunities::MOST * LINE;
/// The largest of other files: a million lines of 48 characters.
const LARGEST_TEXT: usize = 48_000_000;

impl Traces {
    /// Makes the traces of a scenario in this folder.
    pub(crate) fn beside(folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            read: RefCell::default(),
            texts: RefCell::default(),
        }
    }

    /// The files of the traces that were asked for.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let (read, texts) = (self.read.borrow(), self.texts.borrow());
        read.keys().chain(texts.keys()).cloned().collect()
    }

    /// Returns the path and the content of the text file with this name; `instead` is what can be written instead
    /// of it. Each file is read once.
    pub(crate) fn text(&self, name: &str, instead: &str) -> Result<(PathBuf, Rc<str>), Wrong> {
        let path = self.path("the file", name, instead)?;
        let mut texts = self.texts.borrow_mut();
        let text = texts
            .entry(path.clone())
            .or_insert_with_key(|path| text(path));
        text.clone().map(|text| (path, text))
    }

    /// Returns the trace with this name. Each file is read once.
    pub(crate) fn load(&self, name: &str) -> Result<Opportunities, Wrong> {
        let path = self.path(
            "the trace",
            name,
            "the times themselves, { opportunities = [6, 12, 18] }",
        )?;
        let mut read = self.read.borrow_mut();
        read.entry(path)
            .or_insert_with_key(|path| load(path))
            .clone()
    }

    /// Returns the path of a file; `instead` is what can be written instead of it.
    fn path(&self, what: &str, name: &str, instead: &str) -> Result<PathBuf, Wrong> {
        let Some(folder) = &self.folder else {
            return Err(Wrong {
                message: format!(
                    "{what} `{}` is a file, but this scenario was not read from one",
                    clip(name)
                ),
                help: format!("write {instead}, or load the scenario from a file"),
            });
        };
        Ok(folder.join(name))
    }
}

fn text(path: &Path) -> Result<Rc<str>, Wrong> {
    let bytes = bytes(path, LARGEST_TEXT).map_err(|reason| Wrong {
        message: format!("cannot read the file {}: {reason}", path.display()),
        help: "a file is named as seen from the folder of the scenario".to_owned(),
    })?;
    if bytes.len() > LARGEST_TEXT {
        return Err(Wrong {
            message: format!("{} is larger than {LARGEST_TEXT} bytes", path.display()),
            help: "write a shorter file".to_owned(),
        });
    }
    Ok(String::from_utf8_lossy(&bytes).into())
}

fn load(path: &Path) -> Result<Opportunities, Wrong> {
    let bytes = bytes(path, LARGEST).map_err(|reason| Wrong {
        message: format!("cannot read the trace {}: {reason}", path.display()),
        help: "a trace is a file, named as seen from the folder of the scenario".to_owned(),
    })?;
    if bytes.len() > LARGEST {
        return Err(Wrong {
            message: format!("{} is larger than {LARGEST} bytes", path.display()),
            help: format!(
                "a trace has at most {} lines, each a time",
                Opportunities::MOST
            ),
        });
    }
    parse(&String::from_utf8_lossy(&bytes)).map_err(|Fault { line, what, help }| {
        let place = line.map_or(String::new(), |line| format!(":{line}"));
        Wrong {
            message: format!("{}{place}: {what}", path.display()),
            help,
        }
    })
}

/// Reads a file, but no more of it than `largest` bytes and one.
fn bytes(path: &Path, largest: usize) -> io::Result<Vec<u8>> {
    // Opening a pipe could block for ever.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?
        .take(largest as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What is wrong in a packet-delivery trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, counted from 1; `None` if it is the trace as a whole.
    pub line: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub help: String,
}

/// Reads the text of a packet-delivery trace: a time in whole milliseconds on each line.
///
/// # Errors
/// [`Fault`] at the first mistake.
pub fn parse(text: &str) -> Result<Opportunities, Fault> {
    let mut times = Vec::new();
    for (number, line) in (1..).zip(text.trim_end().lines()) {
        if times.len() == Opportunities::MOST {
            return Err(unsuitable(Unsuitable::TooMany, &times));
        }
        times.push(time(line.trim()).map_err(|what| Fault {
            line: Some(number),
            what,
            help: "each line is the time of one delivery opportunity in whole milliseconds, such as 17"
                .to_owned(),
        })?);
    }
    Opportunities::new(&times).map_err(|wrong| unsuitable(wrong, &times))
}

fn time(line: &str) -> Result<u64, String> {
    if line.is_empty() {
        return Err("the line is empty".to_owned());
    }
    let digits = line.bytes().all(|byte| byte.is_ascii_digit());
    let value = digits.then(|| line.parse().unwrap_or(u64::MAX));
    value.ok_or_else(|| format!("`{}` is not a whole number of milliseconds", clip(line)))
}

fn unsuitable(wrong: Unsuitable, times: &[u64]) -> Fault {
    let (line, what) = match wrong {
        Unsuitable::Backwards { index } => {
            let (time, before) = (times[index], times[index - 1]);
            (
                Some(index + 1),
                format!("{time} comes after {before}: {wrong}"),
            )
        }
        Unsuitable::TooLate { index } => (Some(index + 1), wrong.to_string()),
        Unsuitable::Empty | Unsuitable::TooMany | Unsuitable::NoPeriod => (None, wrong.to_string()),
    };
    Fault {
        line,
        what,
        help: wrong.help(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(text: &str) -> Vec<u64> {
        let all = parse(text).unwrap_or_else(|fault| panic!("{}", fault.what));
        all.milliseconds().collect()
    }

    fn fault(text: &str) -> (Option<usize>, String) {
        let fault = parse(text).expect_err("it is wrong");
        assert!(!fault.help.is_empty());
        (fault.line, fault.what)
    }

    #[test]
    fn a_trace_has_one_time_per_line() {
        assert_eq!(times("0\n5\n5\n12\n"), [0, 5, 5, 12]);
        assert_eq!(times("0005\r\n 12 \r\n\r\n"), [5, 12]);
        assert_eq!(times("7"), [7]);
    }

    #[test]
    #[rustfmt::skip] // a table
    fn mistakes_have_their_line() {
        let number = |what| format!("`{what}` is not a whole number of milliseconds");
        assert_eq!(fault("1\n2.5\n"), (Some(2), number("2.5")));
        assert_eq!(fault("-1\n"), (Some(1), number("-1")));
        assert_eq!(fault("1\n+2\n"), (Some(2), number("+2")));
        assert_eq!(fault("# a comment\n1\n"), (Some(1), number("# a comment")));
        assert_eq!(fault("1\n\n2\n"), (Some(2), "the line is empty".to_owned()));
        assert_eq!(fault("1\n9\n7\n"), (Some(3), "7 comes after 9: the time goes back".to_owned()));
        assert_eq!(fault("1\n2592000001\n"), (Some(2), "the time is out of range".to_owned()));
        assert_eq!(fault("99999999999999999999999\n"), (Some(1), "the time is out of range".to_owned()));
        assert_eq!(fault("\n \n"), (None, "there is no delivery opportunity".to_owned()));
        assert_eq!(fault("0\n0\n"), (None, "all delivery opportunities are at 0 ms".to_owned()));
        let many = "1\n".repeat(1_000_001);
        assert_eq!(fault(&many), (None, "there are too many delivery opportunities".to_owned()));
    }
}
