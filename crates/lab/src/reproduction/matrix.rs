//! The matrix with its results.

use crate::matrix::{Matrix, Results, Table, Task};

/// Every control on every path, measured.
#[derive(Clone, Debug)]
pub struct ReproducedMatrix {
    /// Its paths and controls.
    pub matrix: Matrix,
    /// The scenario of each cell's runs.
    pub tasks: Vec<Task>,
    /// The results of all runs.
    pub results: Results,
    /// One table per measure, with the best and the worst of each path.
    pub tables: Vec<Table>,
}

impl ReproducedMatrix {
    pub(super) fn new(matrix: Matrix, tasks: Vec<Task>, results: Results) -> Self {
        Self {
            tables: matrix.tables(&results),
            matrix,
            tasks,
            results,
        }
    }
}
