//! The texts in which mistakes are shown: a file, and arguments of the command line after it.

use std::ops::Range;

/// Texts that follow each other, each with a name. A position counts the bytes from the start of the
/// first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    all: String,
    /// The name and the start of each text, in order; never empty.
    parts: Vec<(String, usize)>,
}

/// A position in one of the texts.
pub(crate) struct Position<'o> {
    /// The name of the text.
    pub(crate) name: &'o str,
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The column in characters, counted from 1.
    pub(crate) column: usize,
    /// The line itself.
    pub(crate) excerpt: &'o str,
}

impl Origin {
    /// Makes the origin of one text.
    pub(crate) fn of(name: &str, text: &str) -> Self {
        Self {
            all: text.to_owned(),
            parts: vec![(name.to_owned(), 0)],
        }
    }

    /// Adds a text, and returns its position.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> Range<usize> {
        // Between two texts there is a byte, so that the end of one is not the start of the next.
        self.all.push('\n');
        let start = self.all.len();
        self.all.push_str(text);
        self.parts.push((name.to_owned(), start));
        start..self.all.len()
    }

    /// The name of the first text.
    pub(crate) fn first(&self) -> &str {
        &self.parts[0].0
    }

    /// The texts at a position.
    pub(crate) fn text(&self, span: Range<usize>) -> &str {
        &self.all[span]
    }

    /// The first text.
    pub(crate) fn first_text(&self) -> &str {
        let end = self.parts.get(1).map_or(self.all.len(), |(_, at)| at - 1);
        &self.all[..end]
    }

    /// Returns a span that lies in the texts and between characters, next to this one.
    pub(crate) fn inside(&self, span: Range<usize>) -> Range<usize> {
        let start = self.boundary(span.start);
        start..self.boundary(span.end.max(start)).max(start)
    }

    /// Finds the line and column of a byte that is [inside](Self::inside).
    pub(crate) fn position(&self, at: usize) -> Position<'_> {
        let place = self.parts.partition_point(|(_, start)| *start <= at) - 1;
        let (name, from) = &self.parts[place];
        let next = self.parts.get(place + 1);
        let to = next.map_or(self.all.len(), |(_, start)| start - 1);
        let line_start = self.all[*from..at]
            .rfind('\n')
            .map_or(*from, |n| from + n + 1);
        Position {
            name,
            line: self.all[*from..at].matches('\n').count() + 1,
            column: self.all[line_start..at].chars().count() + 1,
            excerpt: self.all[line_start..to].lines().next().unwrap_or_default(),
        }
    }

    fn boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.all.len());
        while !self.all.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_in_the_text_that_it_comes_from() {
        let mut origin = Origin::of("a.toml", "x = 1\ny = 2\n");
        let span = origin.add("--set", "é.z=3");
        assert_eq!(origin.text(span.clone()), "é.z=3");
        assert_eq!(origin.first_text(), "x = 1\ny = 2\n");
        let found = origin.position(6);
        assert_eq!((found.name, found.line, found.column), ("a.toml", 2, 1));
        assert_eq!(found.excerpt, "y = 2");
        let found = origin.position(span.start + 3);
        assert_eq!((found.name, found.line, found.column), ("--set", 1, 3));
        assert_eq!(found.excerpt, "é.z=3");
        assert_eq!(origin.inside(span.start + 1..999), span);
        // The end of the file is in the file.
        assert_eq!(origin.position(12).name, "a.toml");
    }
}
