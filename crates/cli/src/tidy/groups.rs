//! A tidy table of groups for the terminal: a row for each group and combination of swept values, means
//! and intervals over the seeds.

use dumbbell_lab::table::{Cell, Table};
use dumbbell_lab::tidy::means::{self, Means};
use dumbbell_run::statistics::Estimate;
use dumbbell_scenario::quantity::Measure;

use super::counts;
use super::grid::{Grid, Room};
use crate::table::{show, significant};

/// A measure as it is shown.
struct Shown {
    word: &'static str,
    /// Its head, of two lines.
    head: &'static str,
    scale: f64,
    /// Decimals of a single run.
    decimals: usize,
    /// See [`Grid`].
    rank: u8,
}

const SHOWN: [Shown; 10] = [
    shown("goodput", "goodput\nkb/s", 1e-3, 1, 0),
    shown("share", "share\n%", 1e2, 1, 6),
    shown("retransmit_rate", "resent\n%", 1e2, 2, 2),
    shown("timeouts", "timeouts", 1.0, 0, 5),
    shown("rtt", "RTT ms\nmean", 1e3, 1, 1),
    shown("rtt_p95", "RTT ms\np95", 1e3, 1, 7),
    shown("queueing_p95", "queueing\nms p95", 1e3, 1, 3),
    shown("jain", "Jain", 1.0, 3, 1),
    shown("completed", "completed", 1.0, 0, 9),
    shown("completion", "completion\ns", 1.0, 2, 1),
];

/// The measures that `--all` adds.
const OTHERS: [Shown; 7] = [
    shown("throughput", "throughput\nkb/s", 1e-3, 1, 0),
    shown("sent", "sent", 1.0, 0, 0),
    shown("dropped", "dropped", 1.0, 0, 0),
    shown("lost", "lost", 1.0, 0, 0),
    shown("recoveries", "recoveries", 1.0, 0, 0),
    shown("queueing", "queueing\nms mean", 1e3, 1, 0),
    shown("window", "window", 1.0, 1, 0),
];

const fn shown(
    word: &'static str,
    head: &'static str,
    scale: f64,
    decimals: usize,
    rank: u8,
) -> Shown {
    Shown {
        word,
        head,
        scale,
        decimals,
        rank,
    }
}

/// Shows a tidy table of groups whose columns `swept` are those of swept values.
pub fn table(groups: &Table, swept: &[&str], room: Room) -> String {
    let own = ["group", "flows", "control", "recovery"];
    let keys: Vec<&str> = swept.iter().copied().chain(own).collect();
    let mut measures: Vec<&Shown> = SHOWN.iter().collect();
    if room == Room::All {
        measures.extend(&OTHERS);
    }
    let words: Vec<&str> = measures.iter().map(|it| it.word).collect();
    let rows = means::of(groups, &keys, &words);
    let mut grid = Grid::default();
    let names = |place: usize| -> Vec<String> {
        let unit = swept
            .get(place)
            .and_then(|path| groups.column(path)?.unit.as_deref());
        rows.iter().map(|row| name(row.keys[place], unit)).collect()
    };
    for (place, path) in swept.iter().enumerate() {
        grid.names(short(path, swept), 0, names(place));
    }
    let [group, flows, control, recovery] = [0, 1, 2, 3].map(|it| names(swept.len() + it));
    let many = flows.iter().any(|it| it != "1");
    // One name in all rows of a sweep tells nothing.
    let alike = !swept.is_empty() && group.iter().all(|name| *name == group[0]);
    let rank = if alike { 9 } else { 0 };
    grid.names(if many { "group" } else { "flow" }, rank, group.clone());
    if many {
        grid.numbers("flows", 0, flows);
    }
    // A swept control is a column already, and a flow without a name of its own has that of its control.
    let is_swept = swept.iter().any(|path| path.ends_with(".control"));
    let mut named = group.iter().zip(&control);
    let told = is_swept
        || named.all(|(group, control)| control == "udp" || group.starts_with(control.as_str()));
    let controls = control.iter().zip(&recovery);
    let controls = controls.map(|(control, recovery)| match recovery.as_str() {
        "-" => control.clone(),
        _ => format!("{control} ({recovery})"),
    });
    grid.names("control", if told { 8 } else { 0 }, controls.collect());
    let is_shown = |place: &usize| {
        let word = measures[*place].word;
        // Nothing completes where no flow has a size.
        let absent = |row: &Means<'_>| {
            row.estimates[*place].is_none_or(|it| word == "completed" && it.mean == 0.0)
        };
        let completed = word == "completed" && !many;
        !completed && !rows.iter().all(absent)
    };
    let places: Vec<usize> = (0..measures.len()).filter(is_shown).collect();
    counts::column(&mut grid, &rows, &places);
    for place in &places {
        let shown = measures[*place];
        let cells = rows.iter().map(|row| cell(row.estimates[*place], shown));
        grid.numbers(shown.head, shown.rank, cells.collect());
    }
    let note = counts::note(&rows, &places, &words);
    grid.show(room.without(note.lines().count())) + &note
}

fn cell(estimate: Option<Estimate>, shown: &Shown) -> String {
    let Some(found) = estimate else {
        return "-".to_owned();
    };
    let scaled = Estimate {
        mean: found.mean * shown.scale,
        half_width: found.half_width.map(|half| half * shown.scale),
    };
    match scaled.half_width {
        Some(half) if half > 0.0 => significant(scaled),
        Some(_) => show(scaled, shown.decimals),
        None => show(scaled, shown.decimals),
    }
}

/// A value of a key column, with the unit in which files have it.
pub fn name(cell: Option<Cell<'_>>, unit: Option<&str>) -> String {
    match cell {
        Some(Cell::Text(text)) => text.to_owned(),
        Some(Cell::Number(number)) => match unit {
            Some("s") => Measure::Time.show((number * 1e9).round() as u64),
            Some("bit/s") => Measure::Rate.show(number.round() as u64),
            Some("B") => Measure::Size.show(number.round() as u64),
            _ => short_number(number),
        },
        Some(Cell::Whole(number)) => number.to_string(),
        Some(Cell::Flag(flag)) => flag.to_string(),
        None => "-".to_owned(),
    }
}

/// A number with four digits if it has many, as values of a logarithmic range do.
fn short_number(number: f64) -> String {
    let whole = number.to_string();
    if whole.len() <= 8 {
        return whole;
    }
    let short = format!("{number:.3e}").parse::<f64>();
    short.map_or(whole, |short| short.to_string())
}

/// The end of a path, from the last dot at which it still differs from the ends of the others.
pub fn short<'p>(path: &'p str, all: &[&str]) -> &'p str {
    let ends = path.rmatch_indices('.').map(|(dot, _)| &path[dot + 1..]);
    let alone = |end: &str| all.iter().filter(|other| ends_with(other, end)).count() <= 1;
    ends.into_iter().find(|end| alone(end)).unwrap_or(path)
}

/// Whether `end` is the whole of a path or what follows one of its dots.
fn ends_with(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_lab::table::{Builder, Head, Type};

    #[test]
    fn a_path_is_shown_by_its_end() {
        let all = [
            "bottleneck.loss.bernoulli",
            "bottleneck.delay",
            "access.delay",
            "duration",
        ];
        let shown = all.map(|path| short(path, &all));
        assert_eq!(
            shown,
            ["bernoulli", "bottleneck.delay", "access.delay", "duration"]
        );
    }

    #[test]
    fn a_row_is_a_combination_of_swept_values_with_intervals_over_the_seeds() {
        let heads = [
            Head::new("bottleneck.loss.bernoulli", Type::Number, ""),
            Head::new("seed", Type::Whole, ""),
            Head::new("group", Type::Text, ""),
            Head::new("flows", Type::Whole, ""),
            Head::new("control", Type::Text, ""),
            Head::new("recovery", Type::Text, ""),
            Head::new("goodput", Type::Number, ""),
            Head::new("jain", Type::Number, ""),
        ];
        let mut builder = Builder::new("groups", heads);
        for (loss, seed, goodput) in [(0.01, 1, 1e6), (0.01, 2, 3e6), (0.02, 1, 0.5e6)] {
            builder.row([
                Some(Cell::Number(loss)),
                Some(Cell::Whole(seed)),
                Some(Cell::Text("long")),
                Some(Cell::Whole(1)),
                Some(Cell::Text("veno")),
                Some(Cell::Text("reno")),
                Some(Cell::Number(goodput)),
                None,
            ]);
        }
        let text = table(
            &builder.table(),
            &["bottleneck.loss.bernoulli"],
            Room::Lines(40, "--all"),
        );
        // t(1) is 12.706, and the standard error 1000 kb/s.
        for words in ["bernoulli", "veno (reno)", " 2000 ± 12706 ", " 500.0 "] {
            assert!(text.contains(words), "no {words} in\n{text}");
        }
        assert!(!text.contains("Jain") && !text.contains("flows"), "{text}");
        // The first row is of two runs, and the second of one.
        for words in ["  runs  ", " 2   2000 ± ", " 1          500.0 "] {
            assert!(text.contains(words), "no {words} in\n{text}");
        }
    }
}
