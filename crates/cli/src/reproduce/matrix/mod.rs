//! `dumbbell reproduce matrix`: every control on every path.

mod files;
mod terminal;

use dumbbell_lab::matrix::{Matrix, Results, Table, Task};

use crate::exit::Exit;

pub use files::write;
pub use terminal::{print, print_json};

/// Its name on the command line, and of its files.
pub const NAME: &str = "matrix";

/// The matrix with what its runs gave.
pub struct Measured {
    pub matrix: Matrix,
    pub tasks: Vec<Task>,
    pub results: Results,
    pub tables: Vec<Table>,
}

impl Measured {
    pub fn new(matrix: Matrix, tasks: Vec<Task>, results: Results) -> Self {
        Self {
            tables: matrix.tables(&results),
            matrix,
            tasks,
            results,
        }
    }
}

/// The matrix, if these names want it.
pub fn read(names: &[String], quick: bool) -> Result<Option<Matrix>, Exit> {
    if !names.is_empty() && !names.iter().any(|name| name == NAME) {
        return Ok(None);
    }
    let matrix = dumbbell_papers::matrix().map_err(|e| Exit::Failed(e.to_string()))?;
    Ok(Some(if quick { matrix.quick() } else { matrix }))
}
