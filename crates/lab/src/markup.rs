//! Escapes text for its context in a page.

use std::fmt::{self, Write as _};

use serde::Serialize;

/// Text between tags, or in a quoted attribute.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A link to a file beside the page: a name and a fixed ending. It can neither leave the folder nor
/// contain a scheme.
pub(crate) struct Beside<'a>(pub(crate) &'a str, pub(crate) &'a str);

impl fmt::Display for Beside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("./")?;
        encode(self.0, f, '%', |b| matches!(b, b'-' | b'.' | b'_' | b'~'))?;
        f.write_str(self.1)
    }
}

/// A link to a file in a folder beside the page, from the names of the folders and of the file.
pub(crate) fn below(names: &[&str]) -> String {
    let mut link = ".".to_owned();
    for name in names {
        link.push('/');
        encode(name, &mut link, '%', |b| matches!(b, b'-' | b'_' | b'~'))
            .expect("a string takes everything");
    }
    link
}

/// The name of an anchor in the page, from its kind and the names that distinguish it from others
/// of its kind. Different names give different anchors.
pub(crate) fn anchor(kind: &str, names: &[&str]) -> String {
    let mut anchor = kind.to_owned();
    for name in names {
        anchor.push('.');
        encode(name, &mut anchor, '_', |b| b == b'-').expect("a string takes everything");
    }
    anchor
}

/// Replaces every byte except letters, digits and those that `safe` accepts with `mark` and two
/// hexadecimal digits.
fn encode(text: &str, out: &mut impl fmt::Write, mark: char, safe: fn(u8) -> bool) -> fmt::Result {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || safe(byte) {
            out.write_char(char::from(byte))?;
        } else {
            write!(out, "{mark}{byte:02x}")?;
        }
    }
    Ok(())
}

/// A value as JSON that is safe in a `<script>` element: nothing in it ends the script.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value)
        .expect("names and numbers")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
}

/// Replaces the placeholders of a template, `{{name}}`, with the values of those names. The
/// inserted values are not searched for placeholders.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(
        template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>(),
    );
    let mut pieces = template.split("{{");
    page.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").expect("a place ends with }}");
        let (_, value) = values
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("the template has a place `{name}`"));
        page.push_str(value);
        page.push_str(rest);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(
            Text(r#"<b a="1">p < 0.1 & q's</b>"#).to_string(),
            "&lt;b a=&quot;1&quot;&gt;p &lt; 0.1 &amp; q&#39;s&lt;/b&gt;"
        );
    }

    #[test]
    fn a_link_cannot_leave_the_folder_of_the_page() {
        let link = |stem| Beside(stem, ".csv").to_string();
        assert_eq!(link("venodb-fig2"), "./venodb-fig2.csv");
        assert_eq!(
            link("javascript:alert(1)"),
            "./javascript%3aalert%281%29.csv"
        );
        assert_eq!(link("../a b\"é"), "./..%2fa%20b%22%c3%a9.csv");
    }

    #[test]
    fn a_link_into_a_folder_cannot_leave_it() {
        assert_eq!(
            below(&["scenarios", "venodb-fig2"]),
            "./scenarios/venodb-fig2"
        );
        assert_eq!(below(&["a", "..", "b/c"]), "./a/%2e%2e/b%2fc");
    }

    #[test]
    fn different_names_give_different_anchors() {
        assert_eq!(anchor("figure", &["venodb-fig2"]), "figure.venodb-fig2");
        assert_eq!(anchor("claim", &["a.b", "c"]), "claim.a_2eb.c");
        assert_eq!(anchor("claim", &["a", "b.c"]), "claim.a.b_2ec");
        assert_eq!(anchor("x", &["a_2eb"]), "x.a_5f2eb");
    }

    #[test]
    fn json_cannot_end_its_script() {
        let value = ["</script><!-- <script>", "a & b", "\u{2028}\"\\"];
        let text = json(&value);
        assert!(!text.contains(['<', '>', '&']), "{text}");
        let back: [String; 3] = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(back, value);
    }

    #[test]
    fn inserted_values_are_not_templates() {
        let page = fill("a {{x}} b {{y}}{{x}}", &[("x", "{{y}}"), ("y", "1")]);
        assert_eq!(page, "a {{y}} b 1{{y}}");
    }
}
