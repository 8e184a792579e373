//! Mistakes in a description are reported before anything runs, with their position and what would
//! be right.

use proptest::prelude::*;

use super::tests::{DESCRIPTION, parse};
use super::*;

/// The report of a description with these changes.
#[track_caller]
fn report(changes: &[(&str, &str)]) -> String {
    let mut description = DESCRIPTION.to_owned();
    for (from, to) in changes {
        assert!(description.contains(from), "{from}");
        description = description.replacen(from, to, 1);
    }
    match parse(&description) {
        Err(Malformed::Text(report)) => report.to_string(),
        Err(Malformed::Words(words)) => panic!("no place: {words}"),
        Ok(_) => panic!("{changes:?} passes"),
    }
}

const KEY: &str = "key = \"dumbbell.bottleneck.loss.bernoulli\"";
const GAIN: &str = "gain = { of = \"A\", over = \"B\", at = 0.1, paper = 9 }";

/// The replaced text, its replacement, the position of the mistake, the message, and the advice.
#[rustfmt::skip]
const MISTAKES: &[(&str, &str, &str, &str, &str)] = &[
    ("\"a-b\"", "\"a.b\"", "2:12", "`a.b` is no name", "a name has the letters a to z"),
    ("\"a-b\"", "\"settings\"", "2:12", "is no name", "is not `settings`"),
    ("title = \"T\"", "", "1:1", "`title` is missing", "write for example title ="),
    ("title = \"T\"", "titel = \"T\"", "3:5", "a description has no key `titel`", "did you mean `title`?"),
    ("repeat = 2", "repeat = 0", "5:14", "`repeat` is at least 1", "a whole number such as 10"),
    ("repeat = 2", "repeat = 2.5", "5:14", "must be a whole number, not a number", "repeat = 10"),
    ("repeat = 2", "repeat = 2\n        again = 3", "6:9", "no key `again`", "the keys here are"),
    ("quick = { repeat", "quick = { repeats", "6:15", "`quick` has no key `repeats`", "did you mean `repeat`?"),
    ("values = [0.1, 0.2]", "values = [0.2, 0.1]", "7:86", "the values of x are not in order", "here 0.1 follows 0.2"),
    ("values = [0.1, 0.2]", "values = []", "7:80", "`x` has no values", "values = [0.01, 0.02]"),
    ("values = [0.1, 0.2]", "values = [0.1, inf]", "7:86", "is no number", "a finite number"),
    ("values = [0.1] }", "values = [0.3] }", "6:37", "0.3 is not among the values of x", "they are 0.1, 0.2"),
    ("values = [0.1] }", "values = [0.1], rows = [5] }", "6:51", "`rows` are those of `y`", "there is no `y`"),
    (KEY, "places = [{ \"duration\" = \"1 s\" }]", "7:36", "as many `places`", "here are 1"),
    ("key = \"dumbbell.bottleneck.loss.bernoulli\",", "", "7:9", "`key` or `places`", "a table of settings"),
    (KEY, "names = [\"P\", \"Q\"], key = \"duration\"", "7:35", "`names` are those of `places`", "their own names"),
    (KEY, "names = [\"P\"], places = [{}, {}]", "7:35", "as many `names`", "here are 1"),
    (KEY, "names = [\"P\", \"p\"], places = [{}, {}]", "7:41", "`p` is there twice", "upper case"),
    (KEY, "names = [\"P\", \"Q\"], places = [{}, {}]", "13:26", "places with names are no axis", "kind = \"bars\""),
    (KEY, "key = \"dumbell.bottleneck.rate\"", "7:33", "no key `dumbell.bottleneck.rate` to set", "with dots between them"),
    (KEY, "unit = \"s\", whole = true, key = \"seed\"", "7:34", "a `whole` number has no `unit`", "leave one of them out"),
    ("\"B\", set", "\"a\", set", "10:18", "`a` is there twice", "upper case and signs"),
    ("{ \"flow.0.control\" = \"veno\" }", "{ \"flow.1.control\" = \"veno\" }", "9:31", "no key `flow.1.control` to set", "numbers in its lists"),
    ("{ name = \"B\", set", "{ name = \"B\", sets", "10:23", "curve `B` has no key `sets`", "did you mean `set`?"),
    ("{ name = \"B\", set = { \"flow.0.control\" = \"reno\" } }", "\"B\"", "10:9", "there is no protocol `B`", "no protocol at all"),
    ("quantity = \"throughput\"", "quantity = \"troughput\"", "12:54", "`quantity` cannot be `troughput`", "did you mean `throughput`?"),
    ("quantity = \"throughput\"", "", "12:16", "measure `t`: `quantity` is missing", "`excess`, `sum`, `epochs`, `link`, `workload`"),
    ("quantity = \"throughput\"", "quantity = \"rate\"", "12:54", "a sampled quantity requires a `window`", "window = { from = 10"),
    ("quantity = \"throughput\"", "quantity = \"sent\", window = { reduce = \"mean\" }", "12:71", "only sampled quantities have a `window`", "`rate` or `cwnd`"),
    ("quantity = \"throughput\"", "quantity = \"rate\", window = { reduce = \"settle\" }", "12:82", "`reach` and `settle` want a `within`", "within = 0.2"),
    ("quantity = \"throughput\"", "quantity = \"rate\", window = { reduce = \"distance\" }", "12:82", "no `reference` to compare", "[reference]"),
    ("quantity = \"throughput\"", "quantity = \"rate\", window = { reduce = \"mean\", within = 1 }", "12:90", "`window` has no key `within`", "the keys here are"),
    ("quantity = \"throughput\"", "quantity = \"sent\", across = \"jane\"", "12:71", "`across` cannot be `jane`", "did you mean `jain`?"),
    ("quantity = \"throughput\"", "quantity = \"sent\", ratio = [\"t\", \"t\"]", "12:16", "of several sorts", "one of `quantity`"),
    ("quantity = \"throughput\"", "ratio = [\"t\", \"u\"]", "12:52", "there is no measure `t`", "no measure at all"),
    ("quantity = \"throughput\"", "quantity = \"throughput\", over = \"C\"", "12:75", "there is no curve `C`", "there are: `A` and `B`"),
    ("quantity = \"throughput\"", "quantity = \"throughput\", against = \"t\"", "12:78", "`against` is the measure of another curve", "say in `over`"),
    ("quantity = \"throughput\"", "quantity = \"throughput\", over = \"B\", against = \"u\"", "12:90", "there is no measure `u`", "no measure at all"),
    ("quantity = \"throughput\"", "epochs = { of = \"count\", gap = 0 }", "12:74", "a `gap` above 0 s", "order of a round trip"),
    ("quantity = \"throughput\"", "epochs = { of = \"cout\", gap = 1 }", "12:59", "`of` cannot be `cout`", "did you mean `count`?"),
    ("quantity = \"throughput\"", "epochs = { of = \"alon\", gap = 1 }", "12:59", "`of` cannot be `alon`", "did you mean `alone`?"),
    ("quantity = \"throughput\"", "epochs = { of = \"count\", whose = [\"f\"], gap = 1 }", "12:68", "no key `whose`", "the keys here are"),
    ("quantity = \"throughput\"", "excess = [\"t\", \"u\"]", "12:53", "there is no measure `t`", "no measure at all"),
    ("quantity = \"throughput\"", "sum = [\"t\"]", "12:50", "there is no measure `t`", "no measure at all"),
    ("quantity = \"throughput\"", "excess = [\"t\"]", "12:52", "`excess` is of two measures", "excess = [\"retransmits\""),
    ("quantity = \"throughput\"", "quantity = \"rate\", window = { reduce = \"correlation\" }", "12:16", "`over` is missing", "that with a curve"),
    ("quantity = \"throughput\"", "quantity = \"rate\", over = \"B\", window = { reduce = \"correlation\", during = { of = \"a\", is = [\"b\"] } }", "12:118", "samples of two runs, whose states differ", "leave `during` out"),
    ("quantity = \"throughput\"", "stays = { of = \"explain.phase\", is = [\"D\"], give = \"often\" }", "12:94", "`give` cannot be `often`", "`count`"),
    ("quantity = \"throughput\"", "stays = { of = \"explain.phase\", give = \"count\" }", "12:51", "`is` is missing", "the words of the states"),
    ("quantity = \"throughput\"", "link = { name = \"bottleneck\", of = \"droped\" }", "12:78", "`of` cannot be `droped`", "did you mean `dropped`?"),
    ("quantity = \"throughput\"", "link = { name = \"bottleneck\" }", "12:50", "`of` is missing", "of = \"dropped\""),
    ("quantity = \"throughput\"", "agreement = { with = \"a\", by = \"between\" }", "12:55", "`and` is missing", "requires an upper quantity"),
    ("quantity = \"throughput\"", "agreement = { with = \"a\", and = \"b\", by = \"error\" }", "12:75", "only `between` has an upper", "by = \"between\""),
    ("quantity = \"throughput\"", "classified = { by = \"veno\", called = \"chance\" }", "12:80", "`called` cannot be `chance`", "`congestion` and `random`"),
    ("quantity = \"throughput\" }", "quantity = \"throughput\" }, { name = \"t\", label = \"u\", quantity = \"sent\" }", "12:79", "`t` is there twice", "names of measures differ"),
    ("quantity = \"throughput\" }", "quantity = \"throughput\", over = \"B\" }, { name = \"u\", label = \"u\", ratio = [\"t\", \"t\"] }", "12:118", "`t` is over a curve", "give the ratio an `over`"),
    ("name = \"B\", set", "name = \"B\", over = { Z = \"A\" }, set", "10:32", "no measure is over `Z`", "no measure is over anything"),
    ("name = \"B\", set", "name = \"B\", over = { Z = \"C\" }, set", "10:36", "there is no curve `C`", "`A` and `B`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ measure = \"u\" }", "13:26", "there is no measure `u`", "there are: `t`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ mesure = \"t\" }", "13:16", "has no key `mesure`", "did you mean `measure`?"),
    ("panel = [{ measure = \"t\" }", "panel = [{}", "13:14", "`measure` is missing", "one of `measure`, `effects`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ measure = \"t\", series = [\"a1\"] }", "13:41", "there is no curve `a1`", "there are: `A` and `B`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ measure = \"t\", kind = \"bar\" }", "13:38", "`kind` cannot be `bar`", "did you mean `bars`?"),
    ("panel = [{ measure = \"t\" }", "panel = [{ measure = \"t\" }, { measure = \"t\" }", "13:33", "`` is there twice", "names of files"),
    ("panel = [{ measure", "panel = [{ effects", "13:26", "a factorial's parts", "[factorial]"),
    ("panel = [{ measure = \"t\" }", "panel = [{ table = [\"t\"], kind = \"bars\" }", "13:38", "bars are of a `measure`", "leave `kind` out"),
    ("panel = [{ measure = \"t\" }", "panel = [{ samples = { quantity = \"rate\", label = \"r\", reference = true } }", "13:72", "no `reference` to draw", "[reference]"),
    ("panel = [{ measure = \"t\" }", "panel = [{ samples = { quantity = \"sent\", label = \"r\" } }", "13:39", "`quantity` cannot be `sent`", "it is one of: `rate`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ samples = { quantity = \"cwnd\", label = \"r\", at = 0.3 } }", "13:65", "0.3 is not among the values of x", "they are 0.1, 0.2"),
    ("panel = [{ measure = \"t\" }", "panel = [{ samples = { quantity = \"cwnd\", label = \"w\", each = true, epochs = { gap = 1 } } }", "13:82", "marks one run", "one curve in `series`, not 2"),
    ("panel = [{ measure = \"t\" }", "panel = [{ series = [\"A\"], samples = { quantity = \"cwnd\", label = \"w\", epochs = { gap = 1 } } }", "13:85", "marks one run", "`each = true`"),
    ("panel = [{ measure = \"t\" }", "panel = [{ series = [\"A\"], samples = { quantity = \"cwnd\", label = \"w\", each = true, epochs = { gap = 1 } } }", "13:98", "the scenario's probe has no `losses`", "values = [\"cwnd\", \"losses\"]"),
    ("panel = [{ measure = \"t\" }", "panel = [{ choice = { maximise = {} } }", "13:25", "among the places of `x` and `y`", "a second axis"),
    ("series = [", "factorial = { without = \"P\", with = \"Q\", factor = [] }\n series = [", "8:55", "requires factors", "[[factorial.factor]]"),
    ("id = \"c\"", "id = \"c d\"", "14:21", "`c d` is no id", "an id has the letters"),
    ("id = \"c\"", "id = \"c\", kind = \"our\"", "14:33", "`kind` cannot be `our`", "did you mean `ours`?"),
    ("id = \"c\"", "id = \"c\", again = \"d\"", "14:34", "no claim `d` judges a sentence first", "or FIGURE.ID"),
    ("id = \"c\"", "id = \"c\", part_of = \"d\"", "14:36", "no claim `d` judges a sentence first", "or FIGURE.ID"),
    ("id = \"c\"", "id = \"c\", again = \"d\", part_of = \"d\"", "14:49", "either `again` or `part_of`", "a weaker form of it"),
    ("id = \"c\"", "id = \"c\", again = \"c\"", "14:34", "no claim `c` judges", "without `again`"),
    ("id = \"c\"", "id = \"c\", firm = \"yes\"", "14:33", "`firm`", "true or false"),
    (GAIN, "bound = { series = [\"A\"], least = 0 }", "14:95", "no run can violate this bound", "from 0 to any number"),
    (GAIN, "bound = { series = [\"A\"], most = -1 }", "14:94", "no run can meet this bound", "from 0 to any number"),
    ("id = \"c\"", "id = \"c\", measure = \"v\"", "14:36", "there is no measure `v`", "there are: `t`"),
    ("over = \"B\"", "over = \"A\"", "14:87", "a curve cannot exceed itself", "name another curve"),
    ("over = \"B\"", "over = \"C\"", "14:87", "there is no curve `C`", "there are: `A` and `B`"),
    ("over = \"B\"", "ower = \"B\"", "14:80", "`gain` has no key `ower`", "did you mean `over`?"),
    ("at = 0.1, p", "at = 0.15, p", "14:97", "0.15 is not among the values of x", "they are 0.1, 0.2"),
    ("at = 0.1, p", "p", "14:68", "`gain`: `at` is missing", "the form is { of ="),
    ("paper = 9", "paper = 0", "14:110", "`paper` is 0", "and not 0"),
    ("paper = 9", "paper = 9, beyond = 1.1", "14:122", "`beyond` is 1.1", "at least 1.25"),
    (GAIN, "up_to = { of = \"A\", over = \"A\", paper = 300 }", "14:88", "a curve cannot exceed itself", "another curve"),
    (GAIN, "up_to = { of = \"A\", over = \"B\", at = [0.3], paper = 300 }", "14:99", "0.3 is not among", "0.1, 0.2"),
    ("gain = {", "gian = {", "14:61", "there is no sort of claim `gian`", "did you mean `gain`?"),
    (GAIN, "difference = { of = \"A\", over = \"B\", at = 0.1, least = 0 }", "14:116", "`least` is 0", "`least` is above 0"),
    (GAIN, "difference = { of = \"A\", over = \"A\", at = 0.1, least = 1 }", "14:93", "not above itself", "another curve"),
    (GAIN, "highest = { series = \"A\", mean = true, mostly = true }", "14:94", "one mean is not in most places", "leave one of them out"),
    (GAIN, "grows = { series = \"A\", over = [\"A\"] }", "14:92", "nothing over itself", "name other curves"),
    (GAIN, "grows = { series = \"A\", over = [\"C\"] }", "14:93", "there is no curve `C`", "`A` and `B`"),
    (GAIN, "grows = { series = \"A\", at = [0.1] }", "14:90", "growth requires two places", "leave `at` out"),
    (GAIN, "spread = { at = [0.2, 0.1], most = 1.1 }", "14:83", "not in order", "0.1 does not come after 0.2"),
    (GAIN, "trend = { series = \"A\", way = \"sinks\" }", "14:91", "`way` cannot be `sinks`", "`rises` and `falls`"),
    (GAIN, "bound = { series = [\"A\"] }", "14:69", "this bound allows any number", "`least`, `most` or both"),
    (GAIN, "order = { series = [\"A\"] }", "14:80", "two curves or more", "the lowest first"),
    (GAIN, "keeps = { series = \"A\", at = [0.1, 0.2], of = 0.1, least = 0.9 }", "14:107", "not compared with itself", "leave it out of `at`"),
    (GAIN, "", "14:59", "one sort of claim is required", "test = { gain"),
    ("claim = [{", "claim = [{{", "14:15", "not valid TOML", ""),
];

/// Each mistake is reported with its position, what is wrong, and what would be right.
#[test]
fn mistakes_have_a_position_and_advice() {
    assert!(parse(DESCRIPTION).is_ok());
    let mut wrong = Vec::new();
    for (from, to, place, what, advice) in MISTAKES {
        let told = report(&[(from, to)]);
        let place = format!("--> a.toml:{place}\n");
        for wanted in [&place, *what, *advice] {
            if !told.contains(wanted) {
                wrong.push(format!("{to}: no {wanted:?} in\n{told}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_line_is_shown_with_the_mistake_marked() {
    let told = report(&[("repeat = 2", "repeat = 0")]);
    assert_eq!(
        told,
        "error: `repeat` is at least 1\n --> a.toml:5:14\n  |\n5 |     repeat = 0\n  |              ^\n  = help: write a whole number such as 10\n"
    );
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let told = report(&[
        ("title = \"T\"", "titel = \"T\""),
        ("measure = \"t\" }", "measure = \"u\" }"),
        ("paper = 9", "paper = \"nine\""),
    ]);
    for what in [
        "`titel`",
        "no measure `u`",
        "`paper` must be a number, not a string",
    ] {
        assert!(told.contains(what), "{what}: {told}");
    }
    assert_eq!(told.matches("error: ").count(), 3, "{told}");
}

#[test]
fn a_second_axis_requires_a_first_one_and_no_factorial() {
    let told = report(&[(" x = {", " y = {")]);
    assert!(told.contains("`y` is crossed with `x`"), "{told}");
    assert!(told.contains("--> a.toml:7:9"), "{told}");
    let factorial =
        "factorial = { without = \"P\", with = \"Q\", factor = [{ name = \"u\", set = {} }] }";
    let y = "y = { label = \"q\", key = \"seed\", whole = true, values = [1, 2] }";
    let both = format!(" {factorial}\n    {y}\n    x =");
    let told = report(&[(" x =", &both)]);
    assert!(told.contains("a factorial has no second axis"), "{told}");
    assert!(told.contains("--> a.toml:7:17"), "{told}");
}

/// Invalid keys in the settings of a curve, of an x value and of a row are reported where they are
/// written.
#[test]
fn keys_that_no_scenario_has_are_reported_where_they_are_written() {
    let places = "places = [{}, { \"duratoin.a\" = 1 }]";
    let told = report(&[(KEY, places)]);
    assert!(told.contains("no key `duratoin.a` to set"), "{told}");
    assert!(
        told.contains(" | ") && told.contains("^^^^^^^^^^^^"),
        "{told}"
    );
    let y =
        " y = { label = \"q\", key = \"flow.7.count\", whole = true, values = [1, 2] }\n    x =";
    let told = report(&[(" x =", y), (GAIN, "spread = { most = 2 }")]);
    assert!(told.contains("no key `flow.7.count` to set"), "{told}");
    assert!(told.contains("--> a.toml:7:30"), "{told}");
}

/// A description that uses every feature, to be damaged.
const RICH: &str = "
    name = \"a\"
    title = \"T\"
    source = \"S\"
    repeat = 2
    quick = { repeat = 1, values = [0.1], rows = [5] }
    x = { label = \"l\", key = \"dumbbell.bottleneck.loss.bernoulli\", values = [0.1, 0.2] }
    y = { label = \"q\", key = \"dumbbell.bottleneck.queue.droptail\", whole = true, values = [5, 50] }
    reference = { name = \"r\", steps = [[0, 1], [5, 2]] }
    series = [
        { name = \"A\", set = { \"flow.0.control\" = \"veno\" }, over = { Z = \"B\" } },
        { name = \"B\", set = {}, fixed = true },
    ]
    measure = [
        { name = \"t\", label = \"t\", quantity = \"sent\", flows = [\"f*\"], across = \"jain\" },
        { name = \"u\", label = \"u\", ratio = [\"t\", \"t\"], over = \"Z\", scale = 2 },
        { name = \"v\", label = \"v\", quantity = \"rate\", window = { from = 1, to = 2, reduce = \"reach\", within = 0.1 } },
        { name = \"w\", label = \"w\", epochs = { of = \"count\", gap = 1 } },
        { name = \"x\", label = \"x\", classified = { by = \"veno\", called = \"random\" } },
    ]
    panel = [
        { measure = \"t\", series = [\"A\"] },
        { name = \"m\", kind = \"map\", measure = \"u\", series = [\"A\"] },
        { name = \"s\", samples = { quantity = \"cwnd\", label = \"w\", at = 0.1, reference = true } },
        { name = \"c\", choice = { maximise = { measure = \"t\", series = [\"A\"] }, conditions = [{ measure = \"u\", series = [\"A\"], most = 1 }] } },
        { name = \"l\", table = [\"t\", \"w\"] },
    ]
    claim = [
        { id = \"g\", text = \"t\", source = \"s\", test = { gain = { of = \"A, q = 5\", over = \"B\", at = 0.1, paper = 9 } } },
        { id = \"k\", text = \"t\", source = \"s\", measure = \"t\", test = { keeps = { series = \"B\", of = 0.1, at = [0.2], least = 0.5 } } },
    ]
";

proptest! {
    /// However a description is damaged, it is either read, or refused with a reason that refers to
    /// one of its lines. If it is read, it has points and axes.
    #[test]
    fn a_damaged_description_is_read_or_refused_with_a_reason(
        at in 0..RICH.len(),
        length in 0..40usize,
        patch in prop::sample::select(vec!["", "0", "-1", "\"A\"", "[]", "{}", "true", "x = 1, "]),
    ) {
        prop_assert!(parse(RICH).is_ok(), "{:?}", parse(RICH).err().map(|e| e.to_string()));
        let mut torn = RICH.to_owned();
        torn.replace_range(at..(at + length).min(RICH.len()), patch);
        match parse(&torn) {
            Ok(experiment) => {
                let axes = experiment.quick().axes();
                prop_assert!(!axes.curves.is_empty() && !axes.places.is_empty());
            }
            Err(Malformed::Text(report)) => {
                prop_assert!(!report.problems().is_empty(), "{torn}");
                let lines = torn.lines().count().max(1);
                prop_assert!(report.problems().iter().all(|problem| problem.line <= lines + 1));
            }
            Err(Malformed::Words(words)) => prop_assert!(false, "no place: {words}"),
        }
    }
}
