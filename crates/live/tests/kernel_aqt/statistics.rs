//! Statistics.

/// Returns Pearson's correlation coefficient.
pub fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let product = |a: &[f64], mean_a: f64, b: &[f64], mean_b: f64| -> f64 {
        let pairs = a.iter().zip(b);
        pairs.map(|(a, b)| (a - mean_a) * (b - mean_b)).sum()
    };
    let both = product(x, mean_x, y, mean_y);
    both / (product(x, mean_x, x, mean_x) * product(y, mean_y, y, mean_y)).sqrt()
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
