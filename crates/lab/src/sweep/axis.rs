//! The axes of a sweep: paths with their values.

use std::ops::Range;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Draft, Mistake, Overlap, Spot};
use toml::Spanned;
use toml::de::DeValue;

use super::span;
use crate::description::{Keys, Node};

/// An axis of the grid: one path, or several whose values go in step.
pub(super) struct Axis<'d> {
    pub(super) swept: Vec<Swept<'d>>,
}

/// A path with its values.
pub(super) struct Swept<'d> {
    /// The path as it is written.
    pub(super) path: String,
    /// Its position.
    pub(super) span: Range<usize>,
    /// Where it leads in the document.
    pub(super) spot: Spot,
    pub(super) values: Vec<Written<'d>>,
}

/// A value of an axis.
pub(super) enum Written<'d> {
    /// Written in the file.
    There(Spanned<DeValue<'d>>),
    /// A value of a range, as TOML, with the position of the range.
    Made(String, Range<usize>),
}

impl Axis<'_> {
    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.swept.first().map_or(0, |swept| swept.values.len())
    }
}

/// Reads `grid` and `zip`.
pub(super) fn read<'d>(
    keys: &Keys<'d>,
    draft: &Draft<'_>,
    controls: &Controls,
    mistakes: &mut Vec<Mistake>,
) -> Option<Vec<Axis<'d>>> {
    let mut axes = Vec::new();
    let mut whole = true;
    let mut reader = Reader {
        draft,
        controls,
        mistakes,
        seen: Vec::new(),
    };
    if let Some(grid) = keys.find("grid") {
        for entry in entries(&grid, "`grid`")? {
            let swept = reader.swept(&entry);
            match swept.filter(|_| differ(&[&entry])) {
                Some(swept) => axes.push(Axis { swept: vec![swept] }),
                None => whole = false,
            }
        }
    }
    for entry in keys.items("zip") {
        match reader.zipped(&entry) {
            Some(axis) => axes.push(axis),
            None => whole = false,
        }
    }
    whole.then_some(axes)
}

/// A path and its values, as they are written.
struct Entry<'d> {
    path: String,
    span: Range<usize>,
    values: Node<'d>,
}

/// The paths of a table. A path without quotes, `bottleneck.delay = [...]`, is a table in a table.
fn entries<'d>(table: &Node<'d>, of: &str) -> Option<Vec<Entry<'d>>> {
    let mut all = Vec::new();
    for (key, values) in table.keys(of)?.entries() {
        let quoted = |name: &str| match name.contains('.') {
            true => format!("\"{name}\""),
            false => name.to_owned(),
        };
        if !values.is_table() || is_range(&values) {
            all.push(Entry {
                path: key.name().to_owned(),
                span: key.span(),
                values,
            });
            continue;
        }
        for below in entries(&values, of)? {
            all.push(Entry {
                path: format!("{}.{}", quoted(key.name()), below.path),
                span: key.span().start..below.span.end,
                values: below.values,
            });
        }
    }
    Some(all)
}

/// Whether a table is a range of values.
fn is_range(node: &Node<'_>) -> bool {
    let keys = node.keys("").map(|keys| keys.entries()).unwrap_or_default();
    let is_word = |key: &Node<'_>| span::WORDS.contains(&key.name());
    keys.is_empty() || keys.iter().any(|(key, _)| is_word(key))
}

struct Reader<'r, 'f> {
    draft: &'r Draft<'f>,
    controls: &'r Controls,
    mistakes: &'r mut Vec<Mistake>,
    /// The places that are swept so far, with their paths.
    seen: Vec<(Spot, String)>,
}

impl Reader<'_, '_> {
    fn swept<'d>(&mut self, entry: &Entry<'d>) -> Option<Swept<'d>> {
        let text = entry.path.as_str();
        let found = self.values(&entry.values.clone().called(text));
        let span = self.draft.unquoted(entry.span.clone());
        let spot = match self.draft.locate(text, span.start, self.controls) {
            Ok(spot) => spot,
            Err(wrong) => {
                self.mistakes.extend(wrong);
                return None;
            }
        };
        if let Some((message, help)) = self.refused(text, &spot) {
            self.mistakes.push((span, message, Some(help)));
            return None;
        }
        self.seen.push((spot.clone(), text.to_owned()));
        Some(Swept {
            path: text.to_owned(),
            span,
            spot,
            values: found?,
        })
    }

    /// Why a path cannot be swept, and what would be right.
    fn refused(&self, text: &str, spot: &Spot) -> Option<(String, String)> {
        let first = text.split('.').next().unwrap_or(text);
        if first == "seed" {
            let help = "`repeat` runs a point with several seeds; the file's `seed` is the first";
            return Some(("seeds are no axis".to_owned(), help.to_owned()));
        }
        if ["name", "description", "sweep"].contains(&first) {
            let help = "sweep values of the network, its flows or the duration".to_owned();
            return Some((format!("`{first}` does not change a run"), help));
        }
        let mut set = self.draft.set_spots();
        if set.any(|(set, _)| set.overlap(spot).is_some()) {
            let message = format!("`{text}` is swept, and --set sets it, too");
            let help = "a sweep gives it all of its own values: leave --set out, or set the values, \
                        --set 'sweep.grid.\"PATH\"=[1, 2]'";
            return Some((message, help.to_owned()));
        }
        let seen = self.seen.iter();
        let mut others = seen.filter_map(|(known, other)| Some((spot.overlap(known)?, other)));
        let (overlap, other) = others.next()?;
        Some(match overlap {
            Overlap::Same if other == text => (
                format!("`{text}` is swept twice"),
                "keep one of the two".to_owned(),
            ),
            Overlap::Same => (
                format!("`{text}` is the same value as `{other}`"),
                "keep one of the two".to_owned(),
            ),
            Overlap::Inside | Overlap::Around => {
                let (part, whole) = match overlap {
                    Overlap::Inside => (text, other.as_str()),
                    _ => (other.as_str(), text),
                };
                (
                    format!("`{part}` is a part of `{whole}`, which is swept as a whole"),
                    "one would overwrite the other: sweep tables with the parts in them, such as \
                     { name = \"veno\", beta = 4 }"
                        .to_owned(),
                )
            }
            Overlap::Rivals => (
                format!("`{text}` and `{other}` are two sorts, of which a link has one"),
                "sweep the whole: [{ bernoulli = 0.01 }, { geometric = 0.01 }]".to_owned(),
            ),
        })
    }

    fn values<'d>(&self, node: &Node<'d>) -> Option<Vec<Written<'d>>> {
        if !node.is_array() {
            if node.is_table() && is_range(node) {
                let made = span::values(node)?.into_iter();
                return Some(made.map(|text| Written::Made(text, node.span())).collect());
            }
            node.wrong(
                format!(
                    "the values of `{}` are neither a list nor a range",
                    node.name()
                ),
                "write [0.001, 0.01], or { from = 0.001, to = 0.01, count = 5 }",
            );
            return None;
        }
        let items = node.items()?;
        if items.is_empty() {
            node.wrong(
                format!("`{}` has no values", node.name()),
                "write at least one: [0.01]",
            );
            return None;
        }
        Some(
            items
                .iter()
                .map(|item| Written::There(item.spanned()))
                .collect(),
        )
    }

    fn zipped<'d>(&mut self, entry: &Node<'d>) -> Option<Axis<'d>> {
        let mut swept: Vec<Swept<'d>> = Vec::new();
        let paths = entries(entry, "an entry of `zip`")?;
        for path in &paths {
            let one = self.swept(path)?;
            if let Some(first) = swept.first()
                && first.values.len() != one.values.len()
            {
                path.values.wrong(
                    format!(
                        "`{}` has {}, and `{}` has {}",
                        one.path,
                        values(one.values.len()),
                        first.path,
                        values(first.values.len())
                    ),
                    "the lists of one entry of `zip` go in step and have one length; lists that do \
                     not belong together are in `grid`",
                );
                return None;
            }
            swept.push(one);
        }
        if swept.is_empty() {
            entry.wrong(
                "an entry of `zip` has no path",
                "write { \"flow.main.control\" = [\"veno\"], \"flow.main.recovery\" = [\"reno\"] }",
            );
            return None;
        }
        differ(&paths.iter().collect::<Vec<_>>()).then_some(Axis { swept })
    }
}

/// Checks that no two points of an axis have the same values; the paths are those whose values go in
/// step. The values of a range differ.
fn differ(paths: &[&Entry<'_>]) -> bool {
    let lists = paths.iter().filter(|path| path.values.is_array());
    let lists: Vec<Vec<Node<'_>>> = lists.filter_map(|path| path.values.items()).collect();
    if lists.len() < paths.len() {
        return true;
    }
    let values = |at: usize| -> Vec<Option<toml::Value>> {
        lists.iter().map(|list| list.get(at)?.value()).collect()
    };
    let items = lists.last().map_or(&[][..], Vec::as_slice);
    for (at, item) in items.iter().enumerate() {
        if (0..at).any(|earlier| values(earlier) == values(at)) {
            let name = paths.last().map_or("", |path| path.path.as_str());
            item.wrong(
                format!("`{name}` has this value twice"),
                "its runs would be the same: keep one, and use `repeat` for more seeds",
            );
            return false;
        }
    }
    true
}

/// So many values.
fn values(number: usize) -> String {
    match number {
        1 => "one value".to_owned(),
        number => format!("{number} values"),
    }
}
