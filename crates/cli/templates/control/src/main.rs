//! The command `dumbbell`, with mycontrol in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    match mycontrol::controls() {
        Ok(controls) => dumbbell::main_with(controls),
        Err(refusal) => {
            eprintln!("error: {refusal}");
            ExitCode::FAILURE
        }
    }
}
