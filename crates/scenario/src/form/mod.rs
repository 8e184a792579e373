//! The schema of a value, with the text that describes it.

pub(crate) mod range;
pub(crate) mod rule;
pub(crate) mod value;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// The permitted values, the meaning and the default of a value.
#[derive(Clone, Default)]
pub(crate) struct Form {
    types: Vec<&'static str>,
    /// The regular expressions of which a string must match one.
    patterns: Vec<String>,
    rules: Map<String, Value>,
    /// The permitted values, in words.
    range: String,
    meaning: String,
    usual: Usual,
    unless: &'static str,
}

/// The default of a value.
#[derive(Clone, Default)]
enum Usual {
    #[default]
    Unsaid,
    /// No default: it must be set.
    Needed,
    /// No default: it must be set here or elsewhere, as described in words.
    Elsewhere(Cow<'static, str>),
    /// A default that depends on other keys, in words.
    Words(&'static str),
    Value(Value),
}

impl Form {
    /// Makes a form of a JSON type; `range` describes the permitted values in words.
    pub(crate) fn new(kind: &'static str, range: impl Into<String>) -> Self {
        Self {
            types: vec![kind],
            range: range.into(),
            ..Self::default()
        }
    }

    /// Makes a form that refers to a definition of the schema. Everything beside a reference is ignored.
    pub(crate) fn defined(name: &str) -> Self {
        Self::default().rule("$ref", format!("#/definitions/{name}"))
    }

    /// Makes a form of a string that matches one of these regular expressions over its whole length.
    pub(crate) fn text(pattern: impl Into<String>, range: impl Into<String>) -> Self {
        Self {
            patterns: vec![pattern.into()],
            ..Self::new("string", range)
        }
    }

    /// Adds a rule of JSON Schema.
    pub(crate) fn rule(mut self, keyword: &str, value: impl Into<Value>) -> Self {
        self.rules.insert(keyword.to_owned(), value.into());
        self
    }

    /// Also permits this word.
    pub(crate) fn or_word(self, word: &str) -> Self {
        let range = format!("`\"{word}\"`");
        self.or(Self::text(word, range))
    }

    /// Also permits what `other` permits. The two must not have rules with the same name.
    pub(crate) fn or(mut self, other: Self) -> Self {
        for kind in other.types {
            if !self.types.contains(&kind) {
                self.types.push(kind);
            }
        }
        self.patterns.extend(other.patterns);
        self.rules.extend(other.rules);
        self.range = format!("{}, or {}", self.range, other.range);
        self
    }

    /// Also permits this JSON type.
    pub(crate) fn or_type(mut self, kind: &'static str) -> Self {
        self.types.push(kind);
        self
    }

    /// Returns the permitted values, in words.
    pub(crate) fn range(&self) -> &str {
        &self.range
    }

    /// Replaces the description of the permitted values.
    pub(crate) fn ranging(mut self, range: impl Into<String>) -> Self {
        self.range = range.into();
        self
    }

    /// Sets the meaning.
    pub(crate) fn means(mut self, meaning: impl Into<String>) -> Self {
        self.meaning = meaning.into();
        self
    }

    /// Adds examples.
    pub(crate) fn such_as<const N: usize>(self, examples: [Value; N]) -> Self {
        self.rule("examples", Value::from(examples.to_vec()))
    }

    /// Marks the value as one that must be set.
    pub(crate) fn needed(mut self) -> Self {
        self.usual = Usual::Needed;
        self
    }

    /// Marks the value as one that must be set here or elsewhere, as described by `words`.
    pub(crate) fn needed_or(mut self, words: impl Into<Cow<'static, str>>) -> Self {
        self.usual = Usual::Elsewhere(words.into());
        self
    }

    /// Sets the default.
    pub(crate) fn usually(mut self, value: impl Into<Value>) -> Self {
        self.usual = Usual::Value(value.into());
        self
    }

    /// Describes when the default does not apply.
    pub(crate) fn unless(mut self, words: &'static str) -> Self {
        self.unless = words;
        self
    }

    /// Describes the default in words.
    pub(crate) fn otherwise(mut self, words: &'static str) -> Self {
        self.usual = Usual::Words(words);
        self
    }

    /// Returns whether the value may be a table.
    pub(crate) fn is_table(&self) -> bool {
        self.types.contains(&"object")
    }

    /// Returns whether the value must be set.
    pub(crate) fn is_needed(&self) -> bool {
        matches!(self.usual, Usual::Needed)
    }

    /// Returns the schema.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = self.rules.clone();
        if schema.contains_key("$ref") {
            return schema.into();
        }
        match &self.types[..] {
            [] => {}
            [only] => {
                schema.insert("type".to_owned(), json!(only));
            }
            several => {
                schema.insert("type".to_owned(), json!(several));
            }
        }
        match &self.patterns[..] {
            [] => {}
            [only] => {
                schema.insert("pattern".to_owned(), json!(format!("^{only}$")));
            }
            several => {
                let pattern = format!("^(?:{})$", several.join("|"));
                schema.insert("pattern".to_owned(), json!(pattern));
            }
        }
        if let Usual::Value(value) = &self.usual {
            schema.insert("default".to_owned(), value.clone());
        }
        let description = self.description();
        if !description.is_empty() {
            schema.insert("description".to_owned(), description.into());
        }
        schema.into()
    }

    /// Returns whether an array holds all words that its elements may be.
    fn is_every_element(&self, values: &[Value]) -> bool {
        let words = self
            .rules
            .get("items")
            .and_then(|each| each["enum"].as_array());
        words.is_some_and(|words| words.len() == values.len())
    }

    /// Returns the meaning, the range and the default, each as a sentence.
    fn description(&self) -> String {
        let usual = match &self.usual {
            Usual::Unsaid => String::new(),
            Usual::Needed => "must be set".to_owned(),
            Usual::Elsewhere(words) => words.clone().into_owned(),
            Usual::Words(words) => format!("default: {words}"),
            Usual::Value(Value::Array(all)) if self.is_every_element(all) => {
                "default: all".to_owned()
            }
            Usual::Value(value) if self.unless.is_empty() => format!("default: `{value}`"),
            Usual::Value(value) => format!("default: `{value}`, unless {}", self.unless),
        };
        let sentences: Vec<String> = [&self.meaning, &self.range, &usual]
            .into_iter()
            .filter(|words| !words.is_empty())
            .map(|words| sentence(words))
            .collect();
        sentences.join(" ")
    }
}

/// Returns the words with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    let stop = if words.ends_with(['.', '?', '!']) {
        ""
    } else {
        "."
    };
    first
        .into_iter()
        .chain(letters)
        .chain(stop.chars())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_has_full_sentences() {
        let form = Form::new("integer", "1 to 5").means("how many").usually(2);
        let schema = json!({ "type": "integer", "default": 2, "description": "How many. 1 to 5. Default: `2`." });
        assert_eq!(form.schema(), schema);
        let needed = form.otherwise("as many as there are").needed().ranging("");
        assert_eq!(needed.schema()["description"], "How many. Must be set.");
        assert!(needed.is_needed());
    }

    #[test]
    fn forms_of_several_types_are_one_schema() {
        let form = Form::new("integer", "a number")
            .rule("minimum", 1)
            .or_word("none");
        let schema = json!({
            "type": ["integer", "string"],
            "minimum": 1,
            "pattern": "^none$",
            "description": "A number, or `\"none\"`.",
        });
        assert_eq!(form.schema(), schema);
        let words = Form::text("[a-z]", "a letter")
            .or_word("none")
            .or_word("all");
        assert_eq!(words.schema()["pattern"], "^(?:[a-z]|none|all)$");
        assert_eq!(words.schema()["type"], "string");
    }
}
