//! The JSON Schema of scenario files: it is valid, accepts what the reader accepts, and agrees with the
//! reader.

mod files;
mod format;
mod properties;
mod reference;
mod tables;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, Scenario};

use crate::judge::SCHEMA;

fn parse(text: &str) -> Result<Scenario, Report> {
    Scenario::parse("s.toml", text, &Controls::builtin())
}

#[test]
fn the_schema_is_a_valid_schema() {
    assert!(jsonschema::draft7::meta::is_valid(&SCHEMA));
    assert_eq!(SCHEMA["$schema"], "http://json-schema.org/draft-07/schema#");
}
