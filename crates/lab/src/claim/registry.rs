//! The sorts of claims, one line each.

use std::sync::Arc;

use dumbbell_scenario::suggest;

use super::reader::{Names, Reader};
use super::statement::{Sort as _, Statement};
use crate::description::Node;

macro_rules! registry {
    ($( $module:ident::$sort:ident, )+) => {
        /// All sorts, in the order in which they are listed.
        pub const SORTS: &[Sort] = &[ $( Sort {
            name: super::$module::$sort::NAME,
            example: super::$module::$sort::EXAMPLE,
            read: |from| Some(Arc::new(super::$module::$sort::read(from)?)),
        }, )+ ];
    };
}

registry! {
    gain::Gain,
    up_to::UpTo,
    difference::Difference,
    value::Value,
    bound::Bound,
    spread::Spread,
    extreme::Highest,
    extreme::Lowest,
    order::Order,
    grows::Grows,
    trend::Trend,
    keeps::Keeps,
    untestable::Untestable,
}

/// A sort of claim.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    /// Its name in descriptions.
    pub name: &'static str,
    /// An example of its value, for curves A and B and x values 1 and 2.
    pub example: &'static str,
    read: fn(&Reader<'_>) -> Option<Arc<dyn Statement>>,
}

/// An example of a test in a description.
pub(super) const EXAMPLE: &str = "{ gain = { of = \"A\", over = \"B\", at = 0.02, paper = 35.7 } }";

/// Reads a test: a table whose only key is the name of a sort.
pub(super) fn read(
    node: &Node<'_>,
    names: Names<'_>,
    range: (f64, f64),
) -> Option<Arc<dyn Statement>> {
    let keys = node.keys("`test`")?;
    let entries = keys.entries();
    let [(key, value)] = &entries[..] else {
        keys.wrong(
            "one sort of claim is required",
            format!("write for example test = {EXAMPLE}"),
        );
        return None;
    };
    let Some(sort) = SORTS.iter().find(|sort| sort.name == key.name()) else {
        let known: Vec<&str> = SORTS.iter().map(|sort| sort.name).collect();
        key.wrong(
            format!("there is no sort of claim `{}`", key.name()),
            suggest::help(key.name(), "the sorts are", &known),
        );
        return None;
    };
    let from = Reader::new(
        value.keys(format!("`{}`", sort.name))?,
        names,
        range,
        sort.example,
    );
    let statement = (sort.read)(&from);
    from.done();
    statement
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::{Table, Test, Verdict};
    use crate::cube::tests::of_measure;
    use crate::description;

    fn parse(sort: &str, example: &str) -> Result<Test, String> {
        let measures = ["m".to_owned()];
        let names = Names {
            curves: &["A", "B"],
            measures: &measures,
            ranges: &[(0.0, f64::INFINITY)],
            places: &[1.0, 2.0],
            varied: true,
        };
        let text = format!("test = {{ {sort} = {example} }}");
        let read = description::read("e.toml", &text, |keys| {
            Some(Test(read(&keys.find("test")?, names, names.ranges[0])?))
        });
        read.map_err(|error| error.to_string())
    }

    /// The example of each sort can be read and judged, and without any one of its keys it cannot.
    #[test]
    fn every_example_is_a_test() {
        let cube = of_measure(
            &["A", "B"],
            &[1.0, 2.0],
            &[&[&[3.0, 4.0], &[5.0, 6.0]], &[&[1.0, 2.0], &[2.0, 3.0]]],
        );
        for sort in SORTS {
            let test = parse(sort.name, sort.example).unwrap_or_else(|e| panic!("{e}"));
            let judgement = test.judge(&Table::of(&cube));
            let untestable = judgement.verdict == Verdict::Untestable;
            assert_eq!(
                untestable,
                sort.name == "untestable",
                "{}: {judgement:?}",
                sort.name
            );
            let error = parse(sort.name, "{ unheard_of = 1 }").expect_err("no such key");
            assert!(error.contains("has no key `unheard_of`"), "{error}");
            let error = parse(sort.name, "3").expect_err("a number");
            assert!(error.contains("e.toml:1:"), "{error}");
        }
    }

    #[test]
    fn an_error_about_an_unknown_sort_names_the_nearest_one() {
        let error = parse("higest", "{ series = \"A\" }").expect_err("misspelt");
        assert!(
            error.contains("there is no sort of claim `higest`"),
            "{error}"
        );
        assert!(error.contains("e.toml:1:10"), "{error}");
        assert!(error.contains("did you mean `highest`?"), "{error}");
        let error = parse("xyz", "{}").expect_err("nothing like it");
        assert!(error.contains("the sorts are: `gain`, `up_to`"), "{error}");
    }

    /// The documentation lists exactly the sorts of the registry.
    #[test]
    fn the_documentation_has_every_sort_and_no_other() {
        let text = include_str!("../../../../docs/reproduce.md");
        let (_, rest) = text
            .split_once("## How a claim is judged")
            .expect("it is there");
        let (section, _) = rest.split_once("\n## ").expect("another section follows");
        let first = section.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut listed: Vec<&str> = first.filter_map(|line| line.split('`').next()).collect();
        let mut known: Vec<&str> = SORTS.iter().map(|sort| sort.name).collect();
        listed.sort_unstable();
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
