//! `dumbbell schema`: the JSON Schema of scenario files, for editors, and that of results.

use std::io::{self, Write as _};

use dumbbell_lab::{sweep, tidy};
use dumbbell_scenario::schema;
use serde_json::Value;

use crate::controls;
use crate::exit::{Code, Exit};

/// Writes the JSON Schema of scenario files, for completion and checks in an editor, or of results.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What the schema describes.
    #[arg(long, value_enum, default_value_t = Of::Scenario)]
    of: Of,
}

/// What has a schema.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Of {
    /// Scenario files.
    Scenario,
    /// The lines of `dumbbell run --json`.
    Results,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell schema > dumbbell.schema.json
  dumbbell schema --of results > results.schema.json

Then begin a scenario file with this line:
  #:schema ./dumbbell.schema.json

Editors with the language servers Taplo (VS Code: Even Better TOML) or Tombi use it;
docs/scenario.md describes the setup.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let schema = schema_of(args.of);
    let text = serde_json::to_string_pretty(&schema).map_err(|e| Exit::Failed(e.to_string()))?;
    writeln!(io::stdout(), "{text}")?;
    Ok(Code::SUCCESS)
}

fn schema_of(what: Of) -> Value {
    match what {
        Of::Scenario => {
            let mut schema = schema::of(controls::known());
            // A run ignores this table, so the crate of scenarios does not know its keys.
            schema["properties"]["sweep"] = sweep::schema::of();
            // A build with Parquet has objects that keep the order in which they were made.
            schema.sort_all_objects();
            schema
        }
        Of::Results => tidy::schema_of_results(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It can only fail in a build with Parquet: in others, all objects are sorted.
    #[test]
    fn keys_are_in_order_in_every_build() {
        for what in [Of::Scenario, Of::Results] {
            let schema = schema_of(what);
            let mut sorted = schema.clone();
            sorted.sort_all_objects();
            assert_eq!(schema.to_string(), sorted.to_string());
        }
    }
}
