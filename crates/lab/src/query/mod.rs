//! Questions in SQL about the runs of a store.
//!
//! The tables are the [tidy](crate::tidy) ones, `groups`, `flows` and `links`, with the build and the
//! number of the scenario before the values in which the scenarios differ, and `settings`, which has
//! every value of every scenario. They are computed from the stored runs, in memory, so no question
//! changes the file. A run that is stored with samples and without is one run here.

mod mistake;
mod rows;
mod settings;
mod varied;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

use dumbbell_store::{Contents, StoreError, each, each_of_this_build};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::Value;

use self::rows::{insert_all, quoted, typed, whole};
use self::settings::Setting;
use self::varied::Varied;
use crate::table::{Builder, Cell, Column, Head, Table, Type};
use crate::tidy::{Kind, Tidy};

/// The number of runs that are held in memory besides the tables.
const BATCH: usize = 500;

/// The name of the table of all values of all scenarios.
const SETTINGS: &str = "settings";

/// A store as tables.
#[derive(Debug)]
pub struct Query<'p> {
    path: &'p Path,
    all_builds: bool,
    /// The values of each scenario, by its number.
    scenarios: BTreeMap<i64, BTreeMap<String, Setting>>,
    /// The number of the scenario to which the runs of a stored one belong: the first that differs from
    /// it in nothing but what is sampled.
    same: BTreeMap<i64, i64>,
    shapes: Vec<Shape>,
    varied: usize,
}

/// A table that can be asked about.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub heads: Vec<Head>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The rows. A column that has the name of a column of the tables has its unit, too.
    pub table: Table,
    /// The number of stored runs that could not be read.
    pub unreadable: u64,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// The store cannot be read.
    Store(StoreError),
    /// The question is wrong; the text says why.
    Question(String),
    /// Something else failed.
    Other(io::Error),
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(f),
            Self::Question(what) => f.write_str(what),
            Self::Other(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoAnswer {}

impl From<StoreError> for NoAnswer {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        match error.downcast::<StoreError>() {
            Ok(error) => Self::Store(error),
            Err(error) => Self::Other(error),
        }
    }
}

impl From<rusqlite::Error> for NoAnswer {
    fn from(error: rusqlite::Error) -> Self {
        Self::Other(io::Error::other(error))
    }
}

impl<'p> Query<'p> {
    /// Opens a store, for questions about the runs of this build or of all. The file is not changed.
    ///
    /// # Errors
    /// [`NoAnswer::Store`] if the file cannot be read, is not a store, or was created by another
    /// version with other tables.
    pub fn open(path: &'p Path, all_builds: bool) -> Result<Self, NoAnswer> {
        let contents = Contents::of(path)?;
        let wanted = contents.scenarios.into_iter();
        let wanted = wanted.filter(|scenario| all_builds || scenario.of_this_build > 0);
        let (mut scenarios, mut same) = (BTreeMap::new(), BTreeMap::new());
        let mut firsts: BTreeMap<String, i64> = BTreeMap::new();
        for scenario in wanted {
            let text = settings::unsampled(&scenario.text);
            let first = *firsts.entry(text.to_owned()).or_insert(scenario.number);
            same.insert(scenario.number, first);
            if first == scenario.number {
                scenarios.insert(first, settings::settings(text));
            }
        }
        let kinds = Kind::ALL.iter().flat_map(|kind| kind.heads());
        let taken = kinds.map(|head| head.name);
        let taken: Vec<String> = taken
            .chain(["build", "scenario", "seed"].map(String::from))
            .collect();
        let varied = Varied::of(&scenarios, &taken).heads;
        let before = [
            Head::new(
                "build",
                Type::Text,
                "the fingerprint of the build that made the run",
            ),
            Head::new(
                "scenario",
                Type::Whole,
                "the number of the scenario in this store",
            ),
        ];
        let mut shapes = Vec::new();
        for kind in Kind::ALL {
            let seed = Head::new("seed", Type::Whole, "the seed of the run");
            let swept = before.iter().chain(&varied).cloned();
            let heads = swept.chain([seed]).chain(kind.heads());
            shapes.push(Shape {
                name: kind.name(),
                heads: heads.collect(),
            });
        }
        shapes.push(Shape {
            name: SETTINGS,
            heads: vec![
                Head::new(
                    "scenario",
                    Type::Whole,
                    "the number of the scenario in this store",
                ),
                Head::new("path", Type::Text, "the path of a value of the scenario"),
                Head::new(
                    "value",
                    Type::Text,
                    "the value: a number in SI units, or a text",
                ),
                Head::new("unit", Type::Text, "the unit of the value"),
            ],
        });
        Ok(Self {
            path,
            all_builds,
            scenarios,
            same,
            shapes,
            varied: varied.len(),
        })
    }

    /// The tables.
    pub fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    /// The tables' columns, as a table.
    pub fn columns(&self) -> Table {
        let heads = ["table", "column", "type", "unit", "about"];
        let heads = heads.map(|name| Head::new(name, Type::Text, ""));
        let mut builder = Builder::new("columns", heads);
        for shape in &self.shapes {
            for head in &shape.heads {
                let sort = match head.sort {
                    Type::Number => "number",
                    Type::Whole => "whole number",
                    Type::Text => "text",
                    Type::Flag => "flag",
                };
                let unit = head.unit.as_deref();
                let texts = [
                    Some(shape.name),
                    Some(&head.name),
                    Some(sort),
                    unit,
                    Some(&head.about),
                ];
                builder.row(texts.map(|text| text.map(Cell::Text)));
            }
        }
        builder.table()
    }

    /// Answers a question in SQL. Only the tables that it names are computed.
    ///
    /// # Errors
    /// [`NoAnswer::Question`] if it is not one statement of SQL that reads these tables.
    pub fn answer(&self, sql: &str) -> Result<Answer, NoAnswer> {
        let database = Connection::open_in_memory()?;
        for shape in &self.shapes {
            database.execute_batch(&shape.create())?;
        }
        // A name in quotes that no column has is a mistake, and not a text.
        for strict in [
            DbConfig::SQLITE_DBCONFIG_DQS_DML,
            DbConfig::SQLITE_DBCONFIG_DQS_DDL,
        ] {
            database.set_db_config(strict, false)?;
        }
        let wrong = |error: rusqlite::Error| {
            NoAnswer::Question(mistake::explained(&error, sql, &self.shapes))
        };
        // Mistakes are found before the runs are read.
        let statement = database.prepare(sql).map_err(wrong)?;
        if statement.column_count() == 0 || !statement.readonly() {
            let what = "a question begins with SELECT, WITH or VALUES; it cannot change anything";
            return Err(NoAnswer::Question(what.to_owned()));
        }
        drop(statement);
        let lower = sql.to_lowercase();
        let unreadable = self.fill(&database, |table| lower.contains(table))?;
        // No file can be opened or written by the question.
        database.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        database.pragma_update(None, "query_only", true)?;
        let table = self.read(&database, sql).map_err(wrong)?;
        Ok(Answer { table, unreadable })
    }

    /// Fills the tables that are named. Returns how many runs could not be read.
    fn fill(&self, database: &Connection, named: impl Fn(&str) -> bool) -> Result<u64, NoAnswer> {
        let filling = database.unchecked_transaction()?;
        if named(SETTINGS) {
            self.fill_settings(database)?;
        }
        let kinds: Vec<Kind> = Kind::ALL
            .into_iter()
            .filter(|it| named(it.name()))
            .collect();
        let mut unreadable = 0;
        if !kinds.is_empty() {
            let shape = |kind: &Kind| self.shapes.iter().find(|shape| shape.name == kind.name());
            let shapes: Vec<&Shape> = kinds.iter().filter_map(shape).collect();
            // The columns before the seed: build, scenario, and the values that differ.
            let heads = || shapes[0].heads[..2 + self.varied].iter().cloned();
            let new = || {
                kinds
                    .iter()
                    .map(|kind| Tidy::new(*kind, heads()))
                    .collect::<Vec<_>>()
            };
            let varied = Varied {
                heads: shapes[0].heads[2..2 + self.varied].to_vec(),
            };
            let (mut tables, mut held) = (new(), 0);
            let shared = self.shared();
            let mut seen = BTreeSet::new();
            let mut tell = |kept: dumbbell_store::Kept| -> io::Result<()> {
                // A run that was stored since the store was opened may have another scenario.
                let first = self.same.get(&kept.scenario);
                let Some((first, settings)) =
                    first.and_then(|first| self.scenarios.get_key_value(first))
                else {
                    return Ok(());
                };
                let run = (*kept.build.as_bytes(), *first, kept.seed);
                if shared.contains(first) && !seen.insert(run) {
                    return Ok(());
                }
                let build = kept.build.to_string();
                let mut first = vec![
                    Some(Cell::Text(&build)),
                    Some(Cell::Whole(first.cast_unsigned())),
                ];
                first.extend(varied.cells(settings));
                for table in &mut tables {
                    table.run(&first, &kept.done.outcome);
                }
                held += 1;
                if held == BATCH {
                    held = 0;
                    insert_all(database, std::mem::replace(&mut tables, new()))?;
                }
                Ok(())
            };
            unreadable = match self.all_builds {
                true => each(self.path, &mut tell)?,
                false => each_of_this_build(self.path, &mut tell)?,
            };
            insert_all(database, tables)?;
        }
        filling.commit()?;
        Ok(unreadable)
    }

    /// The scenarios to which the runs of several stored ones belong.
    fn shared(&self) -> BTreeSet<i64> {
        let others = self.same.iter().filter(|(stored, first)| stored != first);
        others.map(|(_, first)| *first).collect()
    }

    fn fill_settings(&self, database: &Connection) -> rusqlite::Result<()> {
        let mut insert = database.prepare("INSERT INTO settings VALUES (?1, ?2, ?3, ?4)")?;
        for (number, settings) in &self.scenarios {
            for (path, setting) in settings {
                let (value, unit) = match setting {
                    Setting::Number(number, unit) => (Value::Real(*number), *unit),
                    Setting::Whole(number) => (whole(*number), None),
                    Setting::Text(text) => (Value::Text(text.clone()), None),
                    Setting::Flag(flag) => (Value::Integer((*flag).into()), None),
                };
                insert.execute(rusqlite::params![number, path, value, unit])?;
            }
        }
        Ok(())
    }

    /// Computes the answer as a table.
    fn read(&self, database: &Connection, sql: &str) -> rusqlite::Result<Table> {
        let mut statement = database.prepare(sql)?;
        let names = statement.column_names();
        let names: Vec<String> = names.map(str::to_owned).collect();
        let mut columns: Vec<Vec<Value>> = vec![Vec::new(); names.len()];
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for (at, column) in columns.iter_mut().enumerate() {
                column.push(row.get(at)?);
            }
        }
        let known = |name: &str| {
            let mut all = self.shapes.iter().flat_map(|shape| &shape.heads);
            all.find(|head| head.name == name)
        };
        let columns = names.into_iter().zip(columns).map(|(name, values)| {
            let known = known(&name);
            Column {
                unit: known.and_then(|head| head.unit.clone()),
                about: known.map_or_else(String::new, |head| head.about.clone()),
                values: typed(values),
                name,
            }
        });
        Ok(Table {
            name: "answer".to_owned(),
            columns: columns.collect(),
        })
    }
}

impl Shape {
    /// The statement that creates the table. Its columns keep the types of their values.
    fn create(&self) -> String {
        let columns: Vec<String> = self.heads.iter().map(|head| quoted(&head.name)).collect();
        format!(
            "CREATE TABLE {} ({})",
            quoted(self.name),
            columns.join(", ")
        )
    }
}

#[cfg(test)]
mod tests;
