//! `dumbbell schema`: the JSON Schema of scenario files, for editors.

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

Then begin a scenario file with this line:
  #:schema ./dumbbell.schema.json

Editors with the language servers Taplo (VS Code: Even Better TOML) or Tombi use it;
docs/scenario.md describes the setup.";

pub fn run(_: &Args) -> Result<Code, Exit> {
    let schema = schema::of(&Controls::builtin());
    let text = serde_json::to_string_pretty(&schema).map_err(|e| Exit::Failed(e.to_string()))?;
    writeln!(io::stdout(), "{text}")?;
    Ok(Code::SUCCESS)
}
