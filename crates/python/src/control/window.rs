//! Windows and rates of Python as those of the sender.

use dumbbell_control::units::{Rate, Segments};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The nearest window in units of 2^-32 segments, as the sender has it; `None` if it is negative or not a
/// number.
pub fn segments(window: f64) -> Option<Segments> {
    if window.is_nan() || window < 0.0 {
        return None;
    }
    let raw = (window * 4_294_967_296.0).round();
    // 2^64 and more saturate.
    Some(Segments::from_raw(raw as u64))
}

/// A number that Python has computed.
///
/// # Errors
/// `TypeError` if it is none, `ValueError` if it is not a number.
pub fn number(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    let Ok(number) = value.extract::<f64>() else {
        let shown = crate::words::shown(value);
        return Err(PyTypeError::new_err(format!(
            "`{what}` is {shown}, but it must be a number"
        )));
    };
    match number.is_nan() {
        true => Err(PyValueError::new_err(format!(
            "`{what}` is not a number (nan)"
        ))),
        false => Ok(number),
    }
}

/// A congestion window, at least one segment and at most [`Segments::CAP`].
///
/// # Errors
/// `ValueError` if it is infinite or negative.
pub fn cwnd(number: f64) -> PyResult<Segments> {
    if number.is_infinite() || number < 0.0 {
        return Err(PyValueError::new_err(format!(
            "`cwnd` is {number}, but a window is a finite number of segments, not below 0"
        )));
    }
    let window = segments(number).unwrap_or(Segments::ONE);
    Ok(window.clamp(Segments::ONE, Segments::CAP))
}

/// A slow-start threshold; infinity is no limit.
///
/// # Errors
/// `ValueError` if it is negative.
pub fn ssthresh(number: f64) -> PyResult<Segments> {
    segments(number).ok_or_else(|| {
        PyValueError::new_err(format!("`ssthresh` is {number}, but it cannot be negative"))
    })
}

/// A rate in bytes per second; `None` if Python says so.
///
/// # Errors
/// As for [`number`], and `ValueError` if it is not above 0.
pub fn pacing(value: &Bound<'_, PyAny>) -> PyResult<Option<Rate>> {
    if value.is_none() {
        return Ok(None);
    }
    let rate = number(value, "pacing()")?;
    if rate <= 0.0 {
        return Err(PyValueError::new_err(format!(
            "`pacing()` is {rate}, but a rate is above 0; None is no pacing"
        )));
    }
    let raw = (rate * 65_536.0).round() as u64;
    Ok(Some(Rate::from_raw(raw.clamp(1, Rate::CAP.raw()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_rounded_and_bounded() {
        assert_eq!(segments(1.5), Some(Segments::from_raw(3 << 31)));
        assert_eq!(segments(f64::INFINITY), Some(Segments::MAX));
        assert_eq!(segments(-0.1), None);
        // 2^-34 is less than half of a unit, 3 x 2^-34 more.
        let fine = |parts: f64| segments(1.0 + parts / 17_179_869_184.0).map(Segments::raw);
        assert_eq!(fine(1.0), Some(1 << 32));
        assert_eq!(fine(3.0), Some((1 << 32) + 1));
    }
}
