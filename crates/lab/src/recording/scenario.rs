//! A recording as a scenario file, with a comment on every line.

use std::fmt::Write as _;

use dumbbell_scenario::{Duration, Opportunities};

use super::{Format, Losses, Rate, Recording, Steps, Way, steps};

/// Where a recording comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The format of its files.
    pub format: Format,
    /// The names of its files.
    pub files: Vec<String>,
    /// What is known about the licence of its data.
    pub licence: String,
    /// The name of the manifest, if there is one.
    pub manifest: Option<String>,
}

/// A scenario, and the packet-delivery traces that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The text of the scenario.
    pub scenario: String,
    /// Names and texts.
    pub traces: Vec<(String, String)>,
}

/// The longest run that is proposed.
const LONGEST: u64 = 600;
/// The rate of a link where none was recorded.
const RATE: &str = "100 Mb/s";
/// The delay of a link where none was recorded.
const DELAY: &str = "20 ms";

/// Writes a scenario with one flow over the recorded link. With a stem, delivery opportunities are in
/// traces of their own, called `STEM.forward.trace` and `STEM.reverse.trace`; without one, they are in the scenario.
pub fn write(recording: &Recording, origin: &Origin, stem: Option<&str>) -> Files {
    let mut files = Files {
        scenario: head(recording, origin),
        traces: Vec::new(),
    };
    let Recording {
        forward, reverse, ..
    } = recording;
    let out = &mut files.scenario;
    out.push_str("[dumbbell.access] # both ends: so fast that only the recorded link counts\n");
    out.push_str("rate  = \"10 Gb/s\" # gigabits a second\n");
    out.push_str("delay = \"0 s\"     # propagation delay, one way\n\n");
    out.push_str("[dumbbell.bottleneck] # the recorded link, on the way of the data\n");
    let named = |direction: &str| stem.map(|stem| format!("{stem}.{direction}.trace"));
    let tables = way(out, "dumbbell.bottleneck", forward, named("forward"), true);
    let packets = queue(forward.rate.as_ref().map_or(100_000_000, Rate::mean));
    let _ = writeln!(
        out,
        "queue = {{ droptail = {packets} }} # not recorded: packets, here those of 100 ms"
    );
    let rest = match (reverse, &forward.rate) {
        (Some(_), _) | (None, None) => String::new(),
        (None, Some(rate)) => format!(
            "reverse = {{ rate = \"{}\" }} # the other direction was not recorded: the mean rate\n",
            steps::rate(rounded(rate.mean().max(1)))
        ),
    };
    out.push_str(&rest);
    out.push_str(&tables.text);
    files.traces.extend(tables.trace);
    if let Some(reverse) = reverse {
        files
            .scenario
            .push_str("\n[dumbbell.bottleneck.reverse] # the other direction, for the ACKs\n");
        let name = "dumbbell.bottleneck.reverse";
        let tables = way(&mut files.scenario, name, reverse, named("reverse"), false);
        files.scenario.push_str(&tables.text);
        files.traces.extend(tables.trace);
    }
    files.scenario.push_str(
        "\n[[flow]] # one transfer; another [[flow]] is another one\n\
         control = \"cubic\"  # how much is sent: `dumbbell list` names every control\n\
         payload = \"1460 B\" # bytes of data in a packet: with a header of 40 bytes it fills 1500\n",
    );
    files
}

/// What the file is, and the keys before all tables.
fn head(recording: &Recording, origin: &Origin) -> String {
    let mut out = String::new();
    let mut say = |text: &str| {
        for line in wrapped(text, 96) {
            let _ = writeln!(out, "# {line}");
        }
    };
    let files: Vec<String> = origin.files.iter().map(|it| plain(it)).collect();
    say(&format!(
        "A recorded path: {}, converted by `dumbbell convert {}` of version {}.",
        files.join(" and "),
        origin.format.name(),
        env!("CARGO_PKG_VERSION")
    ));
    say(&format!("Licence of the data: {}.", plain(&origin.licence)));
    if let Some(manifest) = &origin.manifest {
        say(&format!("{} names them by their hashes.", plain(manifest)));
    }
    for remark in &recording.remarks {
        say(remark);
    }
    let length = recording.length.as_nanos();
    let seconds = length.div_ceil(1_000_000_000).clamp(1, LONGEST);
    let recorded = steps::time(length);
    let said = match Duration::from_secs(LONGEST).as_nanos() < length {
        true => format!("the recording has {recorded}"),
        false => format!("the recording has {recorded}, then it starts over"),
    };
    let _ = writeln!(
        out,
        "\nduration = \"{seconds} s\" # how long is simulated; {said}"
    );
    let _ = writeln!(out, "seed     = 1 # another seed, other losses\n");
    out
}

/// What follows the keys of a direction.
struct Tables {
    text: String,
    trace: Option<(String, String)>,
}

/// Writes the keys of a direction. What takes more than a line becomes a table behind them.
fn way(out: &mut String, table: &str, way: &Way, trace: Option<String>, is_needed: bool) -> Tables {
    let mut tables = Tables {
        text: String::new(),
        trace: None,
    };
    match (&way.rate, trace) {
        (Some(Rate::Opportunities(all)), Some(name)) => {
            let mean = steps::rate(rounded(way.rate.as_ref().map_or(0, Rate::mean)));
            let quoted = toml::Value::from(name.as_str());
            let _ = writeln!(out, "rate = {{ trace = {quoted} }} # {mean} on average");
            let lines: String = all.milliseconds().map(|at| format!("{at}\n")).collect();
            tables.trace = Some((name, lines));
        }
        (Some(Rate::Opportunities(all)), None) => {
            let _ = writeln!(
                tables.text,
                "\n[{table}.rate] # when 1500 bytes can be delivered"
            );
            opportunities(&mut tables.text, all);
        }
        (Some(Rate::Steps(all)), _) => {
            let (least, most) = all.range();
            let what = format!(
                "bits a second: {} to {}, {} on average",
                steps::rate(rounded(least)),
                steps::rate(rounded(most)),
                steps::rate(rounded(all.mean()))
            );
            changing(
                out,
                &mut tables.text,
                table,
                "rate",
                all,
                steps::rate,
                &what,
            );
        }
        (None, _) if is_needed => {
            let _ = writeln!(out, "rate  = \"{RATE}\" # not recorded: choose one");
        }
        (None, _) => {}
    }
    match &way.delay {
        Some(all) => {
            let what = "propagation delay, one way";
            changing(
                out,
                &mut tables.text,
                table,
                "delay",
                all,
                steps::time,
                what,
            );
        }
        None if is_needed => {
            let _ = writeln!(
                out,
                "delay = \"{DELAY}\" # not recorded: choose one; one way"
            );
        }
        None => {}
    }
    if let Some((model, said)) = way.losses.as_ref().and_then(Losses::model) {
        let _ = writeln!(out, "loss  = {{ {model}, on = \"all\" }} # {said}");
    }
    tables
}

/// Writes a value over time: in a line if it never changes, else as a table.
fn changing(
    out: &mut String,
    tables: &mut String,
    table: &str,
    key: &str,
    all: &Steps,
    show: fn(u64) -> String,
    what: &str,
) {
    match all.steps() {
        [(_, value)] => {
            let _ = writeln!(out, "{key} = \"{}\" # {what}", show(*value));
        }
        _ => {
            let _ = writeln!(tables, "\n[{table}.{key}] # {what}");
            all.write(tables, show);
        }
    }
}

fn opportunities(out: &mut String, all: &Opportunities) {
    out.push_str("opportunities = [ # milliseconds, which start over at the last one\n");
    let mut line = String::new();
    for at in all.milliseconds() {
        let at = format!("{at}, ");
        if line.len() + at.len() > 96 {
            let _ = writeln!(out, "    {}", line.trim_end());
            line.clear();
        }
        line.push_str(&at);
    }
    let _ = writeln!(out, "    {}\n]", line.trim_end());
}

/// The packets of 1500 bytes that a rate delivers in 100 ms; 20 at least.
fn queue(rate: u64) -> u64 {
    (rate / 10 / 8 / 1500).clamp(20, 10_000_000)
}

/// A rate for a comment: three digits.
fn rounded(rate: u64) -> u64 {
    let unit = 10_u64.pow(rate.checked_ilog10().unwrap_or(0).saturating_sub(2));
    (rate.saturating_add(unit / 2)) / unit * unit
}

/// A text for a comment, without what would end it.
fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(plain).collect()
}

/// Breaks a text into lines of at most this many characters, where there are spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
