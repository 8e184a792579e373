//! Everything that a scenario can name, and the measures.

use dumbbell_lab::table::{Builder, Cell, Head, Type};
use dumbbell_lab::tidy::{LINKS, MEASURES};
use dumbbell_scenario::catalogue::sections;
use pyo3::prelude::*;

use crate::control;
use crate::table::PyTable;

fn text(name: &str, about: &str) -> Head {
    Head::new(name, Type::Text, about)
}

/// See `_native.pyi`.
#[pyfunction]
pub fn catalogue(py: Python<'_>) -> PyResult<PyTable> {
    let heads = [
        text(
            "sort",
            "`control`, `short name` (of a control with a recovery), `recovery`, `queue`, `loss`, `source`, `rate control`, `estimator` or `classifier`",
        ),
        text(
            "name",
            "its name in a scenario, or the key and value that select it",
        ),
        text("summary", "what it is"),
        text("origin", "`published` or `reconstruction`"),
        text(
            "recoveries",
            "the recoveries of a control, the usual one first",
        ),
        text("needs", "the signals that a control needs of its host"),
        text("parameters", "the names of its parameters"),
    ];
    let mut builder = Builder::new("list", heads);
    for section in sections(&control::known(py)?) {
        for entry in &section.entries {
            let names: Vec<&str> = entry.parameters.iter().map(|it| it.name).collect();
            let several = |all: &[&str]| (!all.is_empty()).then(|| all.join(", "));
            let (recoveries, needs) = (several(&entry.recoveries), several(&entry.needs));
            let parameters = several(&names);
            builder.row([
                Some(Cell::Text(section.sort)),
                Some(Cell::Text(&entry.name)),
                Some(Cell::Text(&entry.summary)),
                entry.origin.map(Cell::Text),
                recoveries.as_deref().map(Cell::Text),
                needs.as_deref().map(Cell::Text),
                parameters.as_deref().map(Cell::Text),
            ]);
        }
    }
    Ok(builder.table().into())
}

/// See `_native.pyi`.
#[pyfunction]
pub fn parameters(py: Python<'_>) -> PyResult<PyTable> {
    let heads = [
        text("sort", "the sort of what has the parameter, as in `list`"),
        text("of", "the name of what has the parameter"),
        text("name", "its name"),
        text("default", "its default, as a file has it"),
        text("range", "the values that it takes"),
        text("about", "what it does"),
    ];
    let mut builder = Builder::new("parameters", heads);
    for section in sections(&control::known(py)?) {
        for entry in &section.entries {
            for parameter in &entry.parameters {
                let texts = [
                    section.sort,
                    &entry.name,
                    parameter.name,
                    &parameter.default,
                    &parameter.range,
                    parameter.doc,
                ];
                builder.row(texts.map(|it| Some(Cell::Text(it))));
            }
        }
    }
    Ok(builder.table().into())
}

/// See `_native.pyi`.
#[pyfunction]
pub fn measures() -> PyTable {
    let heads = [
        text(
            "name",
            "the column of a table, and the word in a sweep or a description",
        ),
        text("tables", "the tables that have it"),
        text("unit", "its unit"),
        text("range", "the values that it may have"),
        text("about", "what it means"),
    ];
    let mut builder = Builder::new("measures", heads);
    for it in MEASURES {
        let tables = match it.is_of_flows() {
            true => "groups, flows",
            false => "groups",
        };
        let texts = [it.word, tables, it.unit, it.range.words(), it.about];
        builder.row(texts.map(|it| Some(Cell::Text(it))));
    }
    for it in LINKS {
        let texts = [it.word, "links", it.unit, it.range.words(), it.about];
        builder.row(texts.map(|it| Some(Cell::Text(it))));
    }
    builder.table().into()
}
