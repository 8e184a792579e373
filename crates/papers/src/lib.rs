//! The papers that Dumbbell reproduces. A paper is a folder of data: for each figure, a scenario and a
//! description of what is varied, drawn and claimed; and the verdicts on record. The matrix, the table
//! that compares all controls, uses the paths of the papers.
//!
//! Folders are read by [`dumbbell_lab::reproduction`], these and those on the disk alike.
#![forbid(unsafe_code)]

mod matrix;

use dumbbell_lab::experiment::Malformed;
use dumbbell_lab::reproduction::{Folder, Library, Paper};
use dumbbell_lab::scenario::controls::Controls;

pub use matrix::matrix;

// All files of the papers' folders and of the matrix: their paths, such as `venodb/fig2.toml`, and
// their texts.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The folders of the papers, in the order in which they are reproduced.
const PAPERS: [&str; 5] = ["venodb", "dynamics", "rovegas", "sarbe", "tfrc-veno"];

/// The folders that are reproduced only if they are named: studies of our own, and test cases. They judge no paper, so
/// there are no other readings of a text. `media-gcc` has a rate control that only builds with the feature `gcc` have.
const STUDIES: &[&str] = &[
    "today",
    "bbr",
    "media",
    #[cfg(feature = "gcc")]
    "media-gcc",
];

/// Returns all papers, all studies and the matrix of these controls, ready to be reproduced.
///
/// # Errors
/// [`Malformed`] if a folder of this crate is malformed, which a test excludes.
pub fn library(controls: &Controls) -> Result<Library, Malformed> {
    let folders = PAPERS.iter().chain(STUDIES);
    let papers = folders.map(|name| paper(name, controls));
    Ok(Library {
        papers: papers.collect::<Result<_, _>>()?,
        matrix: matrix(controls)?,
    })
}

fn paper(name: &str, controls: &Controls) -> Result<Paper, Malformed> {
    let files = FILES.iter().filter_map(|(path, text)| {
        let (folder, file) = path.split_once('/')?;
        (folder == name).then_some((file, *text))
    });
    Paper::read(&Folder::compiled(name, files), controls)
}

/// Returns the text of a file by its path.
fn file(path: &str) -> Option<&'static str> {
    let found = FILES.binary_search_by_key(&path, |(path, _)| path);
    found.ok().map(|at| FILES[at].1)
}

#[cfg(test)]
mod tests;
