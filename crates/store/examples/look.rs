//! Prints the contents of a store as lines of JSON:
//! `cargo run --release -p dumbbell-store --example look -- out/runs.sqlite`.

use std::error::Error;
use std::io::{BufWriter, Write as _, stdout};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let file = file.ok_or("give it the file of a store, such as out/runs.sqlite")?;
    let mut out = BufWriter::new(stdout().lock());
    let unreadable = dumbbell_store::export(&file, &mut out)?;
    out.flush()?;
    if unreadable > 0 {
        eprintln!("{unreadable} rows cannot be read: they will be computed again");
    }
    Ok(())
}
