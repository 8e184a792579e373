//! Connections beside each other on one path: how they share it, and the windows of all of them.

use dumbbell_run::statistics::Estimate;

use super::drawings::{Drawing, MOST_WINDOWS, over_time, top};
use crate::figure::{Curve, Figure};

/// Mixtures of connections.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The column headings of a table with one row per mixture.
    pub heads: Vec<String>,
    /// The rows of that table.
    pub rows: Vec<Vec<String>>,
    /// The connections of each mixture.
    pub mixtures: Vec<Connections>,
}

/// The connections of a mixture, in the run with the first seed.
#[derive(Clone, Debug)]
pub struct Connections {
    /// The name of the mixture.
    pub label: String,
    /// The name of each connection, and its window: times in seconds, and segments.
    pub windows: Vec<(String, Vec<(f64, f64)>)>,
}

impl Beside {
    /// The windows of all connections: drawings of each mixture, with as many as are legible in one.
    pub(super) fn drawings(&self, seed: u64) -> Vec<Drawing> {
        let mut drawings = Vec::new();
        for (place, mixture) in self.mixtures.iter().enumerate() {
            for (number, few) in mixture.windows.chunks(MOST_WINDOWS).enumerate() {
                let series: Vec<Curve> = few.iter().map(curve).collect();
                drawings.push(Drawing {
                    stem: format!("windows-{}-{}", place + 1, number + 1),
                    figure: Figure {
                        title: format!("{}: windows of the kernel, seed {seed}", mixture.label),
                        top: top(&series),
                        series,
                        ..over_time()
                    },
                });
            }
        }
        drawings
    }
}

fn curve((name, window): &(String, Vec<(f64, f64)>)) -> Curve {
    let exact = |(at, cwnd): &(f64, f64)| {
        let estimate = Estimate {
            mean: *cwnd,
            half_width: None,
        };
        (*at, estimate)
    };
    Curve {
        name: name.clone(),
        points: window.iter().map(exact).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_windows_of_all_connections_are_drawn() {
        let windows = |names: &[&str]| {
            let window = |name: &&str| ((*name).to_owned(), vec![(0.5, 10.0), (1.0, 5.0)]);
            names.iter().map(window).collect()
        };
        let mixture = |label: &str, names: &[&str]| Connections {
            label: label.to_owned(),
            windows: windows(names),
        };
        let beside = Beside {
            mixtures: vec![
                mixture("four", &["reno 1", "reno 2", "reno 3", "veno"]),
                mixture("one", &["veno"]),
            ],
            ..Beside::default()
        };
        let drawings = beside.drawings(7);
        let stems: Vec<&str> = drawings.iter().map(|it| it.stem.as_str()).collect();
        assert_eq!(stems, ["windows-1-1", "windows-1-2", "windows-2-1"]);
        let curves: Vec<usize> = drawings.iter().map(|it| it.figure.series.len()).collect();
        assert_eq!(curves, [3, 1, 1]);
        assert_eq!(
            drawings[0].figure.title,
            "four: windows of the kernel, seed 7"
        );
    }
}
