//! The class `Table`: a table of results that other libraries read without a copy.

use std::sync::Arc;

use dumbbell_lab::table;
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyList, PySlice};

use crate::arrow::{ArrowArrayStream, ArrowSchema, Bits, Cell, Column, Data, Frame, Words};
use crate::words::{nearest, shown};

/// A table of results.
///
/// `table["goodput"]` is a column, and `table.rows()` gives the rows as dictionaries. Whatever reads Arrow
/// takes it without a copy: `polars.DataFrame(table)`, `pyarrow.table(table)`, a query of DuckDB.
#[pyclass(name = "Table", module = "dumbbell._native", frozen)]
pub struct PyTable {
    frame: Arc<Frame>,
}

/// A column of a table: a sequence of values, which `numpy.asarray` reads without a copy.
///
/// A value that is missing is None here, and NaN in numpy.
#[pyclass(name = "Column", module = "dumbbell._native", frozen)]
pub struct PyColumn {
    column: Arc<Column>,
}

/// See `_native.pyi`.
#[pyclass(name = "Rows", module = "dumbbell._native")]
struct PyRows {
    frame: Arc<Frame>,
    next: usize,
}

impl PyTable {
    /// The table of a frame.
    pub fn of(frame: Frame) -> Self {
        Self {
            frame: Arc::new(frame),
        }
    }
}

impl From<table::Table> for PyTable {
    fn from(from: table::Table) -> Self {
        Self::of(Frame::from(from))
    }
}

/// A column as the parts that a pickle holds: name, unit, description, kind, values, words, and the bits of
/// the values that are there.
type Parts<'py> = (
    String,
    Option<String>,
    String,
    char,
    Bound<'py, PyBytes>,
    Option<Vec<String>>,
    Option<Bound<'py, PyBytes>>,
);

#[pymethods]
impl PyTable {
    /// Its name, for example `groups`.
    #[getter]
    fn name(&self) -> &str {
        &self.frame.name
    }

    /// The names of its columns.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        self.frame
            .columns
            .iter()
            .map(|it| it.name.as_str())
            .collect()
    }

    /// The unit of each column; None for text and flags.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for column in &self.frame.columns {
            units.set_item(&column.name, column.unit.as_deref())?;
        }
        Ok(units)
    }

    /// What the values of each column mean.
    #[getter]
    fn about<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let about = PyDict::new(py);
        for column in &self.frame.columns {
            about.set_item(&column.name, &column.about)?;
        }
        Ok(about)
    }

    fn __len__(&self) -> usize {
        self.frame.rows()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        let name = name.extract::<String>();
        name.is_ok_and(|name| self.frame.column(&name).is_some())
    }

    fn __getitem__(&self, name: &Bound<'_, PyAny>) -> PyResult<PyColumn> {
        let name = &name.extract::<String>().map_err(|_| {
            PyTypeError::new_err(format!(
                "a table has columns by name, such as table[\"{}\"], and rows by table.rows(); this is {}",
                self.frame.columns.first().map_or("", |it| &it.name),
                shown(name)
            ))
        })?;
        match self.frame.column(name) {
            Some(column) => Ok(PyColumn {
                column: column.clone(),
            }),
            None => {
                let names = self.frame.columns.iter().map(|it| it.name.as_str());
                Err(PyKeyError::new_err(format!(
                    "the table `{}` has no column `{name}`{}",
                    self.frame.name,
                    nearest(name, names)
                )))
            }
        }
    }

    /// The rows as dictionaries.
    fn rows(&self) -> PyRows {
        PyRows {
            frame: self.frame.clone(),
            next: 0,
        }
    }

    /// The columns as lists.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for column in &self.frame.columns {
            columns.set_item(&column.name, list(py, column)?)?;
        }
        Ok(columns)
    }

    /// A `pandas.DataFrame`, with the units in its `attrs` (needs the extra `frames`).
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf, "to_pandas")
    }

    /// A `polars.DataFrame`, without a copy (needs the extra `frames`).
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf, "to_polars")
    }

    /// A `pyarrow.Table`, without a copy (needs the extra `frames`).
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf, "to_arrow")
    }

    /// Writes it as CSV: to a file, or as the string that is returned.
    #[pyo3(signature = (path=None))]
    fn to_csv<'py>(
        slf: &Bound<'py, Self>,
        path: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("dumbbell._frames")?;
        module.call_method1("to_csv", (slf, path))
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        display(slf, "text")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        display(slf, "html")
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface lets a producer ignore the request.
        drop(requested_schema);
        let stream = ArrowArrayStream::of(self.frame.clone());
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = ArrowSchema::of(&self.frame);
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|it| *it.get().frame == *self.frame)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let parts: Vec<Parts<'_>> = self.frame.columns.iter().map(|it| parts(py, it)).collect();
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let state = (self.frame.name.as_str(), parts);
        Ok((restore, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(name: String, parts: Vec<Parts<'_>>) -> PyResult<Self> {
        let wrong = || PyValueError::new_err("these are not the parts of a table");
        let columns: Option<Vec<Column>> = parts.into_iter().map(restored).collect();
        let columns = columns.ok_or_else(wrong)?;
        let rows = columns.first().map_or(0, Column::len);
        if columns.iter().any(|column| column.len() != rows) {
            return Err(wrong());
        }
        Ok(Self::of(Frame::new(name, columns)))
    }
}

#[pymethods]
impl PyColumn {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.column.name
    }

    /// The unit of its numbers; None for text and flags.
    #[getter]
    fn unit(&self) -> Option<&str> {
        self.column.unit.as_deref()
    }

    /// What its values mean.
    #[getter]
    fn about(&self) -> &str {
        &self.column.about
    }

    /// The number of values that are missing.
    #[getter]
    fn missing(&self) -> usize {
        self.column.missing()
    }

    fn __len__(&self) -> usize {
        self.column.len()
    }

    fn __getitem__<'py>(&self, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = place.py();
        if place.is_instance_of::<PySlice>() {
            return list(py, &self.column)?.as_any().get_item(place);
        }
        let place: isize = place.extract()?;
        let len = self.column.len();
        let from_end = place.checked_add_unsigned(len).filter(|_| place < 0);
        let row = usize::try_from(from_end.unwrap_or(place)).ok();
        match row.filter(|row| *row < len) {
            Some(row) => object(py, self.column.at(row)),
            None => Err(PyIndexError::new_err(format!(
                "row {place} of a column with {len} rows"
            ))),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        list(py, &self.column)?.try_iter()
    }

    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        display(slf, "column")
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let state = (parts(py, &self.column),);
        Ok((restore, state).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(parts: Parts<'_>) -> PyResult<Self> {
        let column = restored(parts).map(Arc::new);
        let wrong = || PyValueError::new_err("these are not the parts of a column");
        column.map(|column| Self { column }).ok_or_else(wrong)
    }

    /// The values as a list.
    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.column)
    }

    /// The values' memory, for `numpy.asarray`, which keeps the column alive. Missing numbers are NaN.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (kind, address) = match self.column.data() {
            Data::Number(values) => ("<f8", values.as_ptr().addr()),
            Data::Whole(values) if self.column.missing() == 0 => ("<u8", values.as_ptr().addr()),
            Data::Whole(_) | Data::Flag(_) | Data::Text { .. } => {
                // numpy asks `__array__` next.
                return Err(pyo3::exceptions::PyAttributeError::new_err(
                    "__array_interface__",
                ));
            }
        };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", (self.column.len(),))?;
        interface.set_item("typestr", kind)?;
        interface.set_item("data", (address, true))?;
        Ok(interface)
    }

    /// A copy, for `numpy.asarray`, where the values do not lie in memory as numpy has them.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if copy == Some(false) {
            return Err(PyValueError::new_err(
                "this column cannot be read without a copy: it has missing values, or no numbers",
            ));
        }
        let column = &slf.get().column;
        let numpy = py.import("numpy")?;
        let usual = match column.data() {
            Data::Number(_) | Data::Whole(_) => "float64",
            Data::Flag(_) if column.missing() == 0 => "bool",
            Data::Flag(_) | Data::Text { .. } => "object",
        };
        let values = list(py, column)?;
        let array = numpy.call_method1("array", (values, usual))?;
        match dtype {
            Some(dtype) => array.call_method1("astype", (dtype,)),
            None => Ok(array),
        }
    }
}

#[pymethods]
impl PyRows {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        if self.next == self.frame.rows() {
            return Ok(None);
        }
        let row = PyDict::new(py);
        for column in &self.frame.columns {
            row.set_item(&column.name, object(py, column.at(self.next))?)?;
        }
        self.next += 1;
        Ok(Some(row))
    }
}

/// The table as that of another library.
fn frames<'py>(table: &Bound<'py, PyTable>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = table.py().import("dumbbell._frames")?;
    module.call_method1(function, (table,))
}

/// A table, a column or a scenario for somebody who looks at it.
pub fn display<'py, T>(shown: &Bound<'py, T>, function: &str) -> PyResult<Bound<'py, PyAny>> {
    let module = shown.py().import("dumbbell._display")?;
    module.call_method1(function, (shown.as_any(),))
}

fn object<'py>(py: Python<'py>, cell: Option<Cell<'_>>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match cell {
        None => py.None().into_bound(py),
        Some(Cell::Number(value)) => value.into_pyobject(py)?.into_any(),
        Some(Cell::Whole(value)) => value.into_pyobject(py)?.into_any(),
        Some(Cell::Flag(value)) => value.into_pyobject(py)?.to_owned().into_any(),
        Some(Cell::Text(value)) => value.into_pyobject(py)?.into_any(),
    })
}

fn list<'py>(py: Python<'py>, column: &Column) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for row in 0..column.len() {
        list.append(object(py, column.at(row))?)?;
    }
    Ok(list)
}

fn parts<'py>(py: Python<'py>, column: &Column) -> Parts<'py> {
    let bytes_of = |values: &mut dyn Iterator<Item = [u8; 8]>| {
        PyBytes::new(py, &values.flatten().collect::<Vec<u8>>())
    };
    let (kind, values, words) = match column.data() {
        Data::Number(values) => {
            let bytes = bytes_of(&mut values.iter().map(|it| it.to_le_bytes()));
            ('g', bytes, None)
        }
        Data::Whole(values) => {
            let bytes = bytes_of(&mut values.iter().map(|it| it.to_le_bytes()));
            ('L', bytes, None)
        }
        Data::Flag(bits) => {
            let mut bytes = (column.len() as u64).to_le_bytes().to_vec();
            bytes.extend(bits.bytes());
            ('b', PyBytes::new(py, &bytes), None)
        }
        Data::Text { indices, words } => {
            let bytes: Vec<u8> = indices.iter().flat_map(|it| it.to_le_bytes()).collect();
            let words = (0..words.len()).map(|place| words.at(place).to_owned());
            ('i', PyBytes::new(py, &bytes), Some(words.collect()))
        }
    };
    let validity = column.validity().map(|bits| PyBytes::new(py, bits.bytes()));
    let (name, unit, about) = (&column.name, &column.unit, &column.about);
    (
        name.clone(),
        unit.clone(),
        about.clone(),
        kind,
        values,
        words,
        validity,
    )
}

/// The column of these parts; `None` if they do not fit together.
fn restored((name, unit, about, kind, values, words, validity): Parts<'_>) -> Option<Column> {
    let bytes = values.as_bytes();
    let data = match kind {
        'g' => Data::Number(numbers(bytes, f64::from_le_bytes)?),
        'L' => Data::Whole(numbers(bytes, u64::from_le_bytes)?),
        'b' => {
            let (len, bits) = bytes.split_first_chunk()?;
            let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
            Data::Flag(Bits::of_bytes(bits.to_vec(), len)?)
        }
        'i' => {
            let mut all = Words::default();
            words?.iter().for_each(|word| all.push(word));
            Data::Text {
                indices: numbers(bytes, u32::from_le_bytes)?,
                words: all,
            }
        }
        _ => return None,
    };
    let validity = validity.map(|bits| bits.as_bytes().to_vec());
    Column::of_parts((name, unit, about), data, validity)
}

fn numbers<const N: usize, T>(bytes: &[u8], number: fn([u8; N]) -> T) -> Option<Vec<T>> {
    let (chunks, rest) = bytes.as_chunks::<N>();
    rest.is_empty()
        .then(|| chunks.iter().map(|chunk| number(*chunk)).collect())
}
