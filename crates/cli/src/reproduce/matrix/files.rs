//! The files of the matrix.

use std::path::Path;

use super::{Measured, NAME};
use crate::exit::Exit;
use crate::file;
use crate::reproduce::files;

/// Writes the tables, the runs and the scenario of every cell.
pub fn write(measured: &Measured, folder: &Path, seed: u64) -> Result<(), Exit> {
    let Measured {
        matrix,
        tasks,
        results,
        tables,
    } = measured;
    let beside = |ending: &str| folder.join(format!("{NAME}.{ending}"));
    file::write(&beside("csv"), &matrix.csv(tables))?;
    file::write(&beside("runs.csv"), &results.runs_csv(matrix, seed))?;
    let names = matrix.paths.iter().map(|path| path.name.as_str());
    let paths = (0..matrix.paths.len()).map(Some).zip(names);
    for (path, name) in paths.chain([(None, "overall")]) {
        let picture = matrix.picture(tables, path);
        let beside = |ending: &str| folder.join(format!("{NAME}-{name}.{ending}"));
        file::write(&beside("csv"), &picture.csv())?;
        file::write(&beside("svg"), &picture.svg().map_err(Exit::Failed)?)?;
    }
    let scenarios = files::scenarios(folder, NAME)?;
    for task in tasks {
        let path = scenarios.join(matrix.file_of(task));
        file::write(&path, &task.scenario.canonical())?;
    }
    Ok(())
}
