//! `dumbbell schema`: scenario files, described for editors.

use std::io::{self, Write as _};

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::schema;

use crate::exit::{Code, Exit};

/// Writes the JSON Schema of scenario files, for completion and checks in an editor.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

const EXAMPLES: &str = "\
Examples:
  dumbbell schema > dumbbell.schema.json

Then let the first line of a scenario file be
  #:schema ./dumbbell.schema.json

Editors with the language servers Taplo (VS Code: Even Better TOML) or Tombi follow it:
docs/scenario.md says how.";

pub fn run(_: &Args) -> Result<Code, Exit> {
    let schema = schema::of(&Controls::builtin());
    let text = serde_json::to_string_pretty(&schema).map_err(|e| Exit::Failed(e.to_string()))?;
    writeln!(io::stdout(), "{text}")?;
    Ok(Code::SUCCESS)
}
