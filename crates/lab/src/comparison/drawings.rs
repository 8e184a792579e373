//! Draws goodputs as bars and windows as curves.

use dumbbell_run::statistics::Estimate;

use super::{Comparison, Contender, OnHost};
use crate::figure::{Curve, Figure, Kind};

/// The most controls whose windows are legible in one drawing.
pub(super) const MOST_WINDOWS: usize = 3;

/// A drawing of a comparison.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The name of its files, without the extension.
    pub stem: String,
    /// Its contents.
    pub figure: Figure,
}

impl Comparison {
    /// The drawings of the goodputs, of the windows with the first seed, and of the window of each
    /// control.
    pub fn drawings(&self) -> Vec<Drawing> {
        let mut drawings = vec![goodputs(&self.contenders)];
        match &self.beside {
            Some(beside) => drawings.extend(beside.drawings(self.first_seed)),
            None => {
                let few = self.contenders.chunks(MOST_WINDOWS).enumerate();
                drawings.extend(few.map(|(place, few)| first_run(self.first_seed, few, place + 1)));
            }
        }
        // A stream of datagrams has no window.
        let windowed = |one: &&Contender| one.hosts.iter().any(|it| !it.windows.is_empty());
        drawings.extend(self.contenders.iter().filter(windowed).map(window));
        drawings
    }
}

/// Returns the names of all hosts, each once.
fn hosts(contenders: &[Contender]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for host in contenders.iter().flat_map(|one| &one.hosts) {
        if !names.contains(&host.host) {
            names.push(host.host);
        }
    }
    names
}

/// Bars of the goodput on each host.
fn goodputs(contenders: &[Contender]) -> Drawing {
    let mbps = |estimate: Estimate| Estimate {
        mean: estimate.mean / 1e6,
        half_width: estimate.half_width.map(|half| half / 1e6),
    };
    let hosts = hosts(contenders);
    let series = contenders.iter().map(|one| {
        let points = hosts.iter().enumerate().filter_map(|(place, name)| {
            let host = one.hosts.iter().find(|it| it.host == *name)?;
            Some((place as f64, mbps(host.goodput?)))
        });
        Curve {
            name: one.label.clone(),
            points: points.collect(),
        }
    });
    let series: Vec<Curve> = series.collect();
    let names = hosts.iter().enumerate();
    Drawing {
        stem: "goodput".to_owned(),
        figure: Figure {
            kind: Kind::Bars,
            title: format!("Goodput: {}", hosts.join(", ")),
            x_label: "host".to_owned(),
            y_label: "goodput (Mb/s)".to_owned(),
            log_x: false,
            top: end_of_bars(&series),
            series,
            names: names
                .map(|(place, name)| (place as f64, (*name).to_owned()))
                .collect(),
            lanes: Vec::new(),
            rows: None,
        },
    }
}

/// The end of the axis of bars: the interval of two or three runs can be many times as long as any bar. It is twice
/// the highest mean then; `None` if all intervals end before that, and none is below zero, where no goodput is.
fn end_of_bars(series: &[Curve]) -> Option<f64> {
    let points = || series.iter().flat_map(|curve| &curve.points);
    let highest = points().map(|(_, it)| it.mean).fold(0.0, f64::max);
    let fits = |it: &Estimate| it.low() >= 0.0 && it.high() <= 2.0 * highest;
    (highest > 0.0 && !points().all(|(_, it)| fits(it))).then_some(2.0 * highest)
}

/// The windows of some controls on their real hosts, in their runs with the first seed: real windows
/// instead of means.
fn first_run(seed: u64, contenders: &[Contender], place: usize) -> Drawing {
    let exact = |mean| Estimate {
        mean,
        half_width: None,
    };
    let first = |one: &Contender| one.hosts.first().map(|it| it.host);
    let same = contenders
        .windows(2)
        .all(|two| first(&two[0]) == first(&two[1]));
    let series = contenders.iter().filter_map(|one| {
        let host = one.hosts.first()?;
        let name = match same {
            true => one.label.clone(),
            false => format!("{} ({})", one.label, host.host),
        };
        let points = host.first_window.iter();
        Some(Curve {
            name,
            points: points.map(|(at, cwnd)| (*at, exact(*cwnd))).collect(),
        })
    });
    let series: Vec<Curve> = series.collect();
    let whose = match contenders.first().and_then(first) {
        Some(host) if same => format!(" ({host})"),
        _ => String::new(),
    };
    Drawing {
        stem: format!("windows-first-seed-{place}"),
        figure: Figure {
            title: format!("Windows{whose}, seed {seed}"),
            top: top(&series),
            series,
            ..over_time()
        },
    }
}

/// A control's window over time on each host: the mean of all runs.
fn window(one: &Contender) -> Drawing {
    let curve = |host: &OnHost| Curve {
        name: host.host.to_owned(),
        points: host.windows.clone(),
    };
    let series: Vec<Curve> = one.hosts.iter().map(curve).collect();
    Drawing {
        stem: format!("window-{}", plain(&one.label)),
        figure: Figure {
            title: format!("{}: window over time, mean of {} runs", one.label, one.runs),
            top: top(&series),
            series,
            ..over_time()
        },
    }
}

/// The end of the vertical axis: slow start overshoots, and the interval of few runs is wide; neither is to
/// flatten the rest. So it is a quarter above the highest mean after the first fifth of the time; `None` if
/// there is none.
pub(super) fn top(series: &[Curve]) -> Option<f64> {
    let points = || series.iter().flat_map(|curve| &curve.points);
    let last = points().map(|(at, _)| *at).fold(0.0, f64::max);
    let later = points().filter(|(at, _)| *at > last / 5.0);
    let highest = later.map(|(_, window)| window.mean).fold(0.0, f64::max);
    let all = points().map(|(_, window)| window.high());
    let all = all.fold(0.0, f64::max);
    (highest > 0.0 && all > 1.25 * highest).then_some(1.25 * highest)
}

/// A figure of windows over time, without curves.
pub(super) fn over_time() -> Figure {
    Figure {
        kind: Kind::Curves,
        title: String::new(),
        x_label: "time (s)".to_owned(),
        y_label: "cwnd (segments)".to_owned(),
        log_x: false,
        series: Vec::new(),
        names: Vec::new(),
        lanes: Vec::new(),
        rows: None,
        top: None,
    }
}

/// Turns a label into a file name.
fn plain(label: &str) -> String {
    label
        .chars()
        .map(|c| match c {
            '+' => 'p',
            c if c.is_ascii_alphanumeric() || c == '_' || c == '-' => c,
            _ => '-',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(label: &str, hosts: &[&'static str]) -> Contender {
        let estimate = |mean, half_width| Estimate { mean, half_width };
        let host = |host: &&'static str| OnHost {
            host,
            goodput: Some(estimate(2e6, Some(5e5))),
            first_window: vec![(0.5, 10.0), (1.0, 5.0)],
            windows: vec![(1.0, estimate(7.0, Some(1.0)))],
        };
        Contender {
            label: label.to_owned(),
            runs: 2,
            hosts: hosts.iter().map(host).collect(),
        }
    }

    /// Slow start reaches 400 segments, later windows 20; the axis ends at 25. Windows like each other all fit.
    #[test]
    fn slow_start_does_not_flatten_the_windows_after_it() {
        let curve = |windows: &[(f64, f64)]| Curve {
            name: "reno".to_owned(),
            points: (windows.iter())
                .map(|&(at, mean)| {
                    (
                        at,
                        Estimate {
                            mean,
                            half_width: None,
                        },
                    )
                })
                .collect(),
        };
        let early = curve(&[(0.5, 10.0), (1.0, 400.0), (5.0, 20.0), (10.0, 15.0)]);
        assert_eq!(top(&[early]), Some(25.0));
        assert_eq!(top(&[curve(&[(1.0, 18.0), (10.0, 20.0)])]), None);
        assert_eq!(top(&[]), None);
    }

    /// 2.0 ± 0.5 and 3.0 ± 2.0 Mb/s fit; 3.0 ± 13.0 would make the axis go from -10 to 16.
    #[test]
    fn wide_intervals_do_not_flatten_the_bars() {
        let curve = |half_width| Curve {
            name: "veno".to_owned(),
            points: vec![(
                0.0,
                Estimate {
                    mean: 3.0,
                    half_width,
                },
            )],
        };
        assert_eq!(end_of_bars(&[curve(None), curve(Some(2.0))]), None);
        assert_eq!(end_of_bars(&[curve(Some(13.0)), curve(None)]), Some(6.0));
        assert_eq!(end_of_bars(&[]), None);
    }

    #[test]
    fn three_windows_of_the_first_seed_per_drawing_and_one_drawing_per_control() {
        let kernel = &["kernel"][..];
        let mut contenders: Vec<Contender> = ["cubic", "westwood+", "kernel:vegas"]
            .map(|label| contender(label, kernel))
            .to_vec();
        contenders.push(contender("reno", &["kernel", "simulator"]));
        let mut stream = contender("udp 1 Mb/s", &["kernel", "simulator"]);
        for host in &mut stream.hosts {
            (host.windows, host.first_window) = (Vec::new(), Vec::new());
        }
        contenders.push(stream);
        let found = Comparison {
            title: String::new(),
            kind: "controls compared",
            defined: "",
            json: "compare.json",
            about: String::new(),
            heading: String::new(),
            warnings: Vec::new(),
            heads: Vec::new(),
            rows: Vec::new(),
            compared: Vec::new(),
            contenders,
            beside: None,
            first_seed: 7,
            lateness: (0.0, 0.0),
            repeated: 0,
            facts: Vec::new(),
            scenario: String::new(),
        };
        let drawings = found.drawings();
        let stems: Vec<&str> = drawings.iter().map(|it| it.stem.as_str()).collect();
        let expected = [
            "goodput",
            "windows-first-seed-1",
            "windows-first-seed-2",
            "window-cubic",
            "window-westwoodp",
            "window-kernel-vegas",
            "window-reno",
        ];
        assert_eq!(stems, expected);
        let csv = |place: usize| drawings[place].figure.csv();
        assert!(csv(0).contains("\ncubic,kernel,2,1.5,2.5\n"));
        assert!(csv(0).contains("\nreno,simulator,2,1.5,2.5\n"));
        // A stream of datagrams has a goodput, and no window.
        assert!(csv(0).contains("\nudp 1 Mb/s,simulator,2,1.5,2.5\n"));
        assert!(!csv(0).contains("cubic,simulator"));
        assert!(csv(1).contains("\ncubic,1,5,") && csv(2).contains("\nreno,1,5,"));
        assert_eq!(drawings[2].figure.title, "Windows (kernel), seed 7");
        let curves = [3, 6].map(|place: usize| drawings[place].figure.series.len());
        assert_eq!(curves, [1, 2]);
    }
}
