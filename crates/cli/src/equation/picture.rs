//! A drawing of the throughput over a range of loss rates.

use std::path::Path;

use dumbbell_lab::throughput;

use super::question::{Asked, Question};
use super::words::heading;
use crate::exit::Exit;
use crate::file;

/// Draws the throughput over the loss rate.
pub fn draw(question: &Question, path: &Path) -> Result<(), Exit> {
    file::check(path)?;
    let Asked::Throughput(losses) = &question.asked else {
        unreachable!("a drawing is of loss rates only");
    };
    let title = heading(question);
    let figure = if question.model.is_tfrc() {
        throughput::of_rate(title, &question.of_rate(), losses)
    } else {
        throughput::of_tcp(title, &question.flow, question.segment, losses)
    };
    file::write(path, &figure.svg().map_err(Exit::Failed)?)?;
    Ok(())
}
