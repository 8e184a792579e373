//! Tests of the messages about mistakes in a text.

use super::*;

/// Reads a name, a number, a list of names and a table with arbitrary keys from a text.
fn told(text: &str) -> Result<(String, f64, toml::Table), String> {
    let read = read("d.toml", text, |keys| {
        let name = keys.text("name", "\"a\"");
        let number = keys.number_if_any("number").unwrap_or(7.0);
        let one = keys
            .find("one")
            .map(|node| node.known("fruit", ["apple", "pear"]));
        let table = keys
            .find("table")
            .map_or(Some(toml::Table::new()), |node| node.table());
        keys.done();
        one.unwrap_or(Some(""))?;
        Some((name?, number, table?))
    });
    read.map_err(|error| error.to_string())
}

#[test]
fn a_valid_text_is_read() {
    let text =
        "name = \"n\"\nnumber = 0x10\ntable = { a = [1_000, -2.5e3], \"b.c\" = { d = true } }";
    let (name, number, table) = told(text).expect("right");
    assert_eq!((name.as_str(), number), ("n", 16.0));
    let plain: toml::Table = text.parse().expect("TOML");
    assert_eq!(Some(&toml::Value::Table(table)), plain.get("table"));
    assert_eq!(told("name = \"n\"").expect("right").1, 7.0);
}

#[test]
fn a_misspelt_key_is_not_also_reported_as_missing() {
    let error = told("nmae = \"n\"").expect_err("misspelt");
    assert!(error.contains("did you mean `name`?"), "{error}");
    assert!(!error.contains("missing"), "{error}");
    // A key that is already present cannot have been meant.
    let error = told("name = \"n\"\nnam = \"m\"").expect_err("unknown");
    assert!(
        error.contains("the keys here are: `name`, `number`"),
        "{error}"
    );
}

#[test]
fn an_error_about_an_unknown_name_lists_the_known_ones() {
    let error = told("name = \"n\"\none = \"aple\"").expect_err("misspelt");
    assert!(error.contains("--> d.toml:2:7"), "{error}");
    assert!(error.contains("there is no fruit `aple`"), "{error}");
    assert!(error.contains("did you mean `apple`?"), "{error}");
    let error = told("name = \"n\"\none = \"kiwi\"").expect_err("unknown");
    assert!(error.contains("there are: `apple` and `pear`"), "{error}");
}

#[test]
fn numbers_and_types_are_checked() {
    for (line, what) in [
        ("number = nan", "`number` is no number"),
        ("number = \"1\"", "`number` must be a number, not a string"),
        ("table = 3", "`table` must be a table, not a whole number"),
        (
            "table = { a = 99999999999999999999 }",
            "a number in `table` is too large",
        ),
        ("one = [\"apple\"]", "`one` must be a string, not an array"),
    ] {
        let error = told(&format!("name = \"n\"\n{line}")).expect_err(line);
        assert!(
            error.contains(what) && error.contains("d.toml:2:"),
            "{what}: {error}"
        );
    }
}

#[test]
fn a_syntax_error_has_a_position() {
    let error = told("name = \"n\nnumber = 1").expect_err("no end");
    assert!(error.starts_with("error: not valid TOML"), "{error}");
    assert!(error.contains("d.toml:1:"), "{error}");
}
