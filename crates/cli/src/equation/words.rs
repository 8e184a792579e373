//! Headings and numbers of the output.

use dumbbell_lab::throughput::Model;
use dumbbell_scenario::quantity::Measure;

use super::question::Question;

/// Formats a number with six significant digits.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "unlimited".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let first = value.abs().log10().floor() as i32;
    if first < -4 {
        return format!("{value:.5e}");
    }
    let decimals = (5 - first).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Returns the name of the equation and the parameters of the path.
pub fn heading(question: &Question) -> String {
    let flow = &question.flow;
    let time = |seconds: f64| Measure::Time.show((seconds * 1e9).round() as u64);
    let whose = match question.model {
        Model::Reno => "TCP Reno",
        Model::Veno => "TCP Veno",
        Model::Tfrc => "TFRC",
        Model::TfrcVeno => "TFRC Veno",
    };
    let mut text = format!("{whose}: RTT {}", time(flow.rtt));
    if let Some(base) = question.base_rtt {
        text += &format!(", BaseRTT {}", time(base));
    }
    text += &format!(
        ", T0 {}, b = {}",
        time(flow.rto),
        number(flow.packets_per_ack)
    );
    if flow.max_window.is_finite() {
        text += &format!(", Wmax = {}", number(flow.max_window));
    }
    format!(
        "{text}, gamma = {}, packets of {} B",
        number(flow.cut),
        number(question.segment)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_significant_digits() {
        assert_eq!(number(112_332.2), "112332");
        assert_eq!(number(8.438_264_9), "8.43826");
        assert_eq!(number(0.725), "0.725");
        assert_eq!(number(20.0), "20");
        assert_eq!(number(0.000_123_456_7), "0.000123457");
        assert_eq!(number(1.234_567_8e-7), "1.23457e-7");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(f64::INFINITY), "unlimited");
    }
}
