//! The values in which the scenarios of a store differ, as columns.

use std::collections::{BTreeMap, BTreeSet};

use super::settings::Setting;
use crate::table::{Cell, Head, Type};

/// The most columns; the table `settings` has the rest.
const MOST: usize = 100;

/// The columns of the values that differ, and the scenarios' values there.
pub struct Varied {
    /// The columns, in the order of the paths.
    pub heads: Vec<Head>,
}

impl Varied {
    /// Finds the values that differ among these scenarios. `taken` are the names of other columns.
    pub fn of(scenarios: &BTreeMap<i64, BTreeMap<String, Setting>>, taken: &[String]) -> Self {
        let paths: BTreeSet<&String> = scenarios.values().flat_map(BTreeMap::keys).collect();
        // SQL takes capitals and small letters of a name for the same.
        let mut names: BTreeSet<String> = taken.iter().map(|it| it.to_lowercase()).collect();
        let mut heads = Vec::new();
        for path in paths {
            let mut values = scenarios.values().map(|all| all.get(path));
            let first = values.next().flatten();
            if values.all(|value| value == first) {
                continue;
            }
            if heads.len() < MOST && names.insert(path.to_lowercase()) {
                let values = scenarios.values().filter_map(|all| all.get(path));
                heads.push(head(path, values));
            }
        }
        Self { heads }
    }

    /// The values of a scenario, one for each column.
    pub fn cells<'s>(&self, all: &'s BTreeMap<String, Setting>) -> Vec<Option<Cell<'s>>> {
        let cell = |head: &Head| match (all.get(&head.name)?, head.sort) {
            (Setting::Number(number, _), Type::Number) => Some(Cell::Number(*number)),
            (Setting::Whole(number), Type::Number) => Some(Cell::Number(*number as f64)),
            (Setting::Whole(number), Type::Whole) => Some(Cell::Whole(*number)),
            (Setting::Flag(flag), Type::Flag) => Some(Cell::Flag(*flag)),
            (Setting::Text(text), Type::Text) => Some(Cell::Text(text)),
            // A number among words, such as the limit of a queue that may be "unlimited", is only in
            // the table `settings`.
            _ => None,
        };
        self.heads.iter().map(cell).collect()
    }
}

/// Describes the column of a path with these values.
fn head<'s>(path: &str, values: impl Iterator<Item = &'s Setting> + Clone) -> Head {
    let is = |of: fn(&Setting) -> bool| values.clone().all(of);
    let sort = if is(|it| matches!(it, Setting::Whole(_))) {
        Type::Whole
    } else if is(|it| matches!(it, Setting::Whole(_) | Setting::Number(..))) {
        Type::Number
    } else if is(|it| matches!(it, Setting::Flag(_))) {
        Type::Flag
    } else {
        Type::Text
    };
    let head = Head::new(path, sort, "a value of the scenario");
    let units: BTreeSet<Option<&str>> = values
        .map(|value| match value {
            Setting::Number(_, unit) => *unit,
            _ => None,
        })
        .collect();
    match (units.len(), units.first()) {
        (1, Some(Some(unit))) => head.unit(*unit),
        _ => head,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::settings::settings;

    #[test]
    fn only_values_that_differ_are_columns() {
        let texts = [
            "a = 1\nb = \"1 ms\"\nc = \"x\"\nd = 2\n",
            "a = 1\nb = \"1 s\"\nc = 3\nd = 2.5\nE = true\ne = 2\nseed = 4",
        ];
        let all: BTreeMap<i64, _> = (1..).zip(texts.map(settings)).collect();
        let varied = Varied::of(&all, &["Seed".to_owned()]);
        let heads = varied.heads.iter();
        let heads: Vec<_> = heads
            .map(|it| (it.name.as_str(), it.sort, it.unit.as_deref()))
            .collect();
        // `E` and `e` would be one name in SQL, and `seed` is taken.
        assert_eq!(
            heads,
            [
                ("E", Type::Flag, None),
                ("b", Type::Number, Some("s")),
                ("c", Type::Text, None),
                ("d", Type::Number, None),
            ]
        );
        assert_eq!(
            varied.cells(&all[&1]),
            [
                None,
                Some(Cell::Number(0.001)),
                Some(Cell::Text("x")),
                Some(Cell::Number(2.0))
            ]
        );
    }

    #[test]
    fn there_are_at_most_100_columns() {
        let text = |value: u32| {
            (0..150)
                .map(|i| format!("k{i} = {value}\n"))
                .collect::<String>()
        };
        let all: BTreeMap<i64, _> = (1..)
            .zip([text(1), text(2)].map(|it| settings(&it)))
            .collect();
        assert_eq!(Varied::of(&all, &[]).heads.len(), MOST);
    }
}
