//! The mistakes in a scenario file: what is wrong, where it is, and how to correct it.

use std::fmt;
use std::io;
use std::ops::Range;

use crate::origin::Origin;

/// One mistake in a scenario file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A sentence that describes the mistake.
    pub message: String,
    /// A hint about how to correct it.
    pub help: Option<String>,
    /// The byte range of the mistake in the file; for a value that was set beside the file, beyond its
    /// end.
    pub span: Range<usize>,
    /// The name of the text with the mistake: the file, or the option that set a value.
    pub place: String,
    /// Line of the first wrong character, counted from 1.
    pub line: usize,
    /// Column of the first wrong character in its line, in characters, counted from 1.
    pub column: usize,
}

/// The mistakes in a scenario file, in the order of the file. Never empty; it holds at most the first
/// [`Report::MOST`] mistakes.
///
/// Its `Display` is the plain rendering of [`Report::render`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    origin: Origin,
    problems: Vec<Problem>,
}

/// Why a scenario could not be loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    Unreadable {
        /// The path as the caller gave it.
        file: String,
        /// The error from the system.
        reason: io::Error,
    },
    /// The file is not UTF-8, which TOML must be.
    NotText {
        /// The path as the caller gave it.
        file: String,
        /// Line of the first byte that is not UTF-8, counted from 1.
        line: usize,
    },
    /// The file is not a valid scenario.
    Invalid(Report),
}

impl Report {
    /// The largest number of mistakes that a report lists.
    pub const MOST: usize = 100;

    /// Makes a report from the mistakes found in a text, each given by its byte range, message and hint.
    /// `file` is the name shown in the report. A position beyond the text, or within a character, is
    /// moved to the nearest one before it.
    pub fn new(file: &str, text: &str, found: Vec<(Range<usize>, String, Option<String>)>) -> Self {
        Self::of(&Origin::of(file, text), found)
    }

    /// Makes a report from the mistakes found in these texts.
    pub(crate) fn of(origin: &Origin, found: Vec<(Range<usize>, String, Option<String>)>) -> Self {
        let mut problems: Vec<Problem> = found
            .into_iter()
            .map(|(span, message, help)| locate(origin, span, message, help))
            .collect();
        problems.sort_by_key(|p| p.span.start);
        problems.dedup();
        problems.truncate(Self::MOST);
        Self {
            origin: origin.clone(),
            problems,
        }
    }

    /// Returns the name of the file, as the caller gave it.
    pub fn file(&self) -> &str {
        self.origin.first()
    }

    /// Returns the mistakes, in the order of the file.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Renders the report for people: each mistake with its position, the source line, and the hint.
    /// `colour` adds ANSI colours.
    pub fn render(&self, colour: bool) -> String {
        let paint = Paint(colour);
        self.problems
            .iter()
            .map(|p| self.render_one(p, &paint))
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn render_one(&self, problem: &Problem, paint: &Paint) -> String {
        let at = self.origin.position(problem.span.start);
        let marked = self.origin.text(problem.span.clone());
        let source = Excerpt::new(at.excerpt, marked, problem.column);
        let number = problem.line.to_string();
        let margin = " ".repeat(number.len());
        let bar = paint.frame("|");
        let mut out = format!(
            "{}{}\n",
            paint.error("error"),
            paint.bold(&format!(": {}", problem.message))
        );
        out += &format!(
            "{margin}{} {}:{}:{}\n",
            paint.frame("-->"),
            problem.place,
            problem.line,
            problem.column
        );
        out += &format!("{margin} {bar}\n");
        out += &format!("{} {bar} {}\n", paint.frame(&number), source.line);
        out += &format!(
            "{margin} {bar} {}{}\n",
            " ".repeat(source.indent),
            paint.error(&"^".repeat(source.width))
        );
        if let Some(help) = &problem.help {
            let mut lines = help.lines();
            let first = lines.next().unwrap_or_default();
            out += &format!(
                "{margin} {} {}: {first}\n",
                paint.frame("="),
                paint.bold("help")
            );
            for line in lines {
                out += &format!("{margin}         {line}\n");
            }
        }
        out
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Report {}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { file, reason } => write!(f, "cannot read {file}: {reason}"),
            Self::NotText { file, line } => {
                write!(
                    f,
                    "{file}:{line}: not UTF-8 text; a scenario is a TOML file, which is always UTF-8"
                )
            }
            Self::Invalid(report) => report.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unreadable { reason, .. } => Some(reason),
            Self::NotText { .. } => None,
            Self::Invalid(report) => Some(report),
        }
    }
}

/// Finds line and column. A span beyond the text, or within a character, is moved to the nearest
/// character before it.
fn locate(origin: &Origin, span: Range<usize>, message: String, help: Option<String>) -> Problem {
    let span = origin.inside(span);
    let at = origin.position(span.start);
    Problem {
        message,
        help,
        place: at.name.to_owned(),
        line: at.line,
        column: at.column,
        span,
    }
}

/// The part of the source line that is shown, and the position of the carets.
struct Excerpt {
    line: String,
    indent: usize,
    width: usize,
}

impl Excerpt {
    /// The largest width of a shown line; longer lines are cut around the mistake.
    const WIDEST: usize = 140;
    /// The number of characters kept in front of a mistake in a cut line.
    const BEFORE: usize = 60;

    fn new(line: &str, marked: &str, column: usize) -> Self {
        // One cell per character: tabs and control characters would shift the carets.
        let cells: Vec<char> = line
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let marked = marked.lines().next().unwrap_or_default().chars().count();
        let at = (column - 1).min(cells.len());
        let from = if cells.len() > Self::WIDEST {
            at.saturating_sub(Self::BEFORE)
        } else {
            0
        };
        let to = cells.len().min(from + Self::WIDEST);
        let (head, tail) = (
            if from > 0 { "..." } else { "" },
            if to < cells.len() { "..." } else { "" },
        );
        let shown: String = cells[from..to].iter().collect();
        Self {
            line: format!("{head}{shown}{tail}").trim_end().to_owned(),
            indent: head.len() + at - from,
            width: marked.min(to.saturating_sub(at)).max(1),
        }
    }
}

/// ANSI colours, or none.
struct Paint(bool);

impl Paint {
    fn error(&self, text: &str) -> String {
        self.with("1;31", text)
    }

    fn frame(&self, text: &str) -> String {
        self.with("1;34", text)
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str, span: Range<usize>) -> Report {
        Report::new(
            "a.toml",
            text,
            vec![(span, "bad".into(), Some("do\nthis".into()))],
        )
    }

    #[test]
    fn a_mistake_is_shown_in_its_line() {
        let shown = report("x = 1\ny = \"é\" # z\n", 11..14).to_string();
        let expected = "error: bad\n --> a.toml:2:6\n  |\n2 | y = \"é\" # z\n  |      ^^\n  = help: do\n          this\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_span_beyond_the_end_is_still_inside_the_file() {
        let report = report("x = 1", 70..90);
        let problem = &report.problems()[0];
        assert_eq!(
            (problem.line, problem.column, problem.span.clone()),
            (1, 6, 5..5)
        );
        assert!(report.to_string().contains("1 | x = 1\n  |      ^\n"));
    }

    #[test]
    fn a_span_inside_a_character_moves_to_its_start() {
        assert_eq!(report("é", 1..1).problems()[0].span, 0..0);
    }

    #[test]
    fn a_long_line_is_cut_around_the_mistake() {
        let text = format!("{}X{}", "a".repeat(1000), "b".repeat(1000));
        let shown = report(&text, 1000..1001).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[3].len() < 160 && lines[3].contains("aXb"));
        assert_eq!(lines[4].find('^'), lines[3].find('X'));
    }

    #[test]
    fn colours_are_used_only_on_request() {
        let report = report("x = 1", 0..1);
        assert!(!report.render(false).contains('\x1b'));
        assert!(report.render(true).contains("\x1b[1;31merror\x1b[0m"));
    }
}
