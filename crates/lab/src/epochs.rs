//! Congestion epochs: when the windows of flows that share a path are cut, and which of them.
//!
//! A flow's cuts are its loss episodes and its timeouts. An epoch is a maximal sequence of cuts, of
//! all flows together, in which neighbouring cuts are no further apart than a gap of the order of a
//! round-trip time. Flows are *in phase* if they are cut in the same epochs (Shenker, Zhang and
//! Clark 1990).
//!
//! An epoch is in phase if it cuts every flow, and out of phase if it spares at least one. A whole
//! run is in phase if at least nine of ten epochs are; it is out of phase if at most eight of ten
//! are and the windows do not move together: see [`Rhythm`]. The literature defines no thresholds;
//! these are ours.

use dumbbell_run::statistics;

/// The samples of a flow over time, as pairs of seconds and values.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The cumulative number of cuts.
    pub losses: Vec<(f64, f64)>,
    /// Congestion windows.
    pub cwnd: Vec<(f64, f64)>,
}

/// A congestion epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Epoch {
    /// Its first cut, in seconds.
    pub start: f64,
    /// Its last cut, in seconds.
    pub end: f64,
    /// For each flow, whether it was cut.
    pub cut: Vec<bool>,
}

impl Epoch {
    /// Whether every flow was cut, so that the epoch is in phase.
    pub fn is_common(&self) -> bool {
        self.cut.iter().all(|cut| *cut)
    }

    /// The only flow that was cut; `None` if several were.
    pub fn alone(&self) -> Option<usize> {
        let mut cut = (0..self.cut.len()).filter(|flow| self.cut[*flow]);
        cut.next().filter(|_| cut.next().is_none())
    }

    /// Each flow's window before the first cut.
    pub fn before(&self, flows: &[History]) -> Vec<f64> {
        flows.iter().map(|flow| flow.before(self.start)).collect()
    }

    /// Each flow's window after the last cut.
    pub fn after(&self, flows: &[History]) -> Vec<f64> {
        flows.iter().map(|flow| flow.at(self.end)).collect()
    }

    /// Whether the largest window belongs to another flow after the epoch than before it.
    pub fn changes_hands(&self, flows: &[History]) -> bool {
        largest(&self.before(flows)) != largest(&self.after(flows))
    }
}

/// The position of the largest window; if several are equal, of the last one.
pub fn largest(windows: &[f64]) -> Option<usize> {
    let numbered = windows.iter().enumerate();
    numbered
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map(|(place, _)| place)
}

/// How the windows of a whole run move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// At least [`IN_PHASE`] of the epochs are common.
    InPhase,
    /// At most [`OUT_OF_PHASE`] of the epochs are common, and the correlation of the two windows is
    /// below [`TOGETHER`].
    OutOfPhase,
    /// Neither.
    Mixed,
}

/// The smallest fraction of common epochs in a run in phase.
pub const IN_PHASE: f64 = 0.9;
/// The largest fraction of common epochs in a run out of phase.
pub const OUT_OF_PHASE: f64 = 0.8;
/// The correlation from which on windows count as moving together.
pub const TOGETHER: f64 = 0.2;

/// The correlation of the windows is measured after this many seconds, so that the first rise of
/// all windows is left out.
const SETTLED: f64 = 20.0;

/// How the windows of two flows move. `None` if there are not two flows, if there are no epochs, or
/// if a window does not change.
pub fn rhythm(epochs: &[Epoch], flows: &[History]) -> Option<Rhythm> {
    let common = synchronisation(epochs)?;
    let together = correlation(flows, SETTLED)?;
    Some(if common >= IN_PHASE {
        Rhythm::InPhase
    } else if common <= OUT_OF_PHASE && together < TOGETHER {
        Rhythm::OutOfPhase
    } else {
        Rhythm::Mixed
    })
}

impl History {
    /// The times after `after` at which the flow was cut, to within the interval between two
    /// samples.
    pub fn cuts(&self, after: f64) -> Vec<f64> {
        let grown = self.losses.windows(2).filter(|pair| pair[1].1 > pair[0].1);
        grown
            .map(|pair| pair[1].0)
            .filter(|time| *time > after)
            .collect()
    }

    /// The fraction of its window that the flow keeps in an epoch that cuts it: the product of the
    /// factors of its cuts. What the window gains between cuts does not count.
    fn kept(&self, epoch: &Epoch) -> f64 {
        let cuts = self.cuts(0.0);
        let within = cuts
            .iter()
            .filter(|time| (epoch.start..=epoch.end).contains(*time));
        within
            .map(|time| self.at(*time) / self.before(*time))
            .product()
    }

    /// The window just before a time at which it may be cut.
    fn before(&self, time: f64) -> f64 {
        // A sample at the time of the cut holds the window after the cut.
        let place = self.cwnd.partition_point(|(t, _)| *t < time);
        self.cwnd[..place].last().map_or(f64::NAN, |(_, w)| *w)
    }

    /// The window at a time.
    fn at(&self, time: f64) -> f64 {
        let place = self.cwnd.partition_point(|(t, _)| *t <= time);
        self.cwnd[..place].last().map_or(f64::NAN, |(_, w)| *w)
    }
}

/// Groups the cuts of flows, given by their times, into epochs in order of time.
pub fn epochs(cuts: &[Vec<f64>], gap: f64) -> Vec<Epoch> {
    let numbered = cuts.iter().enumerate();
    let mut all: Vec<(f64, usize)> = numbered
        .flat_map(|(flow, times)| times.iter().map(move |time| (*time, flow)))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut epochs: Vec<Epoch> = Vec::new();
    for (time, flow) in all {
        match epochs.last_mut() {
            Some(last) if time - last.end <= gap => {
                last.end = time;
                last.cut[flow] = true;
            }
            _ => {
                let mut cut = vec![false; cuts.len()];
                cut[flow] = true;
                epochs.push(Epoch {
                    start: time,
                    end: time,
                    cut,
                });
            }
        }
    }
    epochs
}

/// The fraction of the epochs in which every flow is cut; `None` without epochs.
pub fn synchronisation(epochs: &[Epoch]) -> Option<f64> {
    part(epochs, |epoch| epoch.is_common())
}

/// The fraction of the epochs after which the largest window belongs to another flow than before;
/// `None` without epochs.
pub fn interleaving(epochs: &[Epoch], flows: &[History]) -> Option<f64> {
    part(epochs, |epoch| epoch.changes_hands(flows))
}

/// Factors of cuts that differ by no more than this are equal: a window is sampled up to an interval
/// before it is cut.
const EQUAL_FACTORS: f64 = 0.1;

/// Among the epochs that cut both of two flows, the fraction in which the smaller window is cut by a
/// milder factor, such as 4/5 against 1/2; `None` if there is no such epoch.
pub fn milder(epochs: &[Epoch], flows: &[History]) -> Option<f64> {
    let [a, b] = flows else { return None };
    let common: Vec<Epoch> = epochs.iter().filter(|e| e.is_common()).cloned().collect();
    part(&common, |epoch| {
        let smaller_is_a = a.before(epoch.start) < b.before(epoch.start);
        let (smaller, larger) = if smaller_is_a { (a, b) } else { (b, a) };
        smaller.kept(epoch) > larger.kept(epoch) + EQUAL_FACTORS
    })
}

/// The fraction of the epochs that cut a single flow, and one of these; `None` without epochs.
pub fn alone(epochs: &[Epoch], whose: &[usize]) -> Option<f64> {
    part(epochs, |epoch| {
        epoch.alone().is_some_and(|flow| whose.contains(&flow))
    })
}

/// The fraction of the epochs that spare at least one flow, and none but these; `None` without
/// epochs.
pub fn spared(epochs: &[Epoch], whose: &[usize]) -> Option<f64> {
    part(epochs, |epoch| {
        let mut spared = (0..epoch.cut.len()).filter(|flow| !epoch.cut[*flow]);
        !epoch.is_common() && spared.all(|flow| whose.contains(&flow))
    })
}

/// Among the epochs that cut a single flow, the fraction in which it has the largest window; `None`
/// if there is no such epoch.
pub fn largest_alone(epochs: &[Epoch], flows: &[History]) -> Option<f64> {
    let single: Vec<Epoch> = (epochs.iter())
        .filter(|epoch| epoch.alone().is_some())
        .cloned()
        .collect();
    part(&single, |epoch| {
        largest(&epoch.before(flows)) == epoch.alone()
    })
}

/// Pearson's correlation of the windows of two flows, after a time; `None` if one of the windows
/// does not change.
pub fn correlation(flows: &[History], after: f64) -> Option<f64> {
    let [a, b] = flows else { return None };
    let pairs = a.cwnd.iter().zip(&b.cwnd).filter(|((t, _), _)| *t > after);
    let pairs: Vec<(f64, f64)> = pairs.map(|((_, x), (_, y))| (*x, *y)).collect();
    statistics::correlation(&pairs)
}

fn part(epochs: &[Epoch], holds: impl Fn(&Epoch) -> bool) -> Option<f64> {
    let those = epochs.iter().filter(|epoch| holds(epoch)).count();
    (!epochs.is_empty()).then(|| those as f64 / epochs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_group_the_cuts_of_all_flows() {
        let cuts = [vec![1.0, 5.0, 9.0], vec![1.02, 5.01, 7.0]];
        let epochs = epochs(&cuts, 0.1);
        assert_eq!(epochs.len(), 4);
        assert_eq!(epochs[1].cut, [true, true]);
        assert_eq!(epochs[2].start, 7.0);
        assert_eq!(epochs[2].cut, [false, true]);
        assert_eq!(synchronisation(&epochs), Some(0.5));
    }

    #[test]
    fn cuts_within_the_gap_form_one_epoch_of_any_length() {
        let epochs = epochs(&[vec![1.0, 1.2], vec![1.09, 1.28, 1.41]], 0.125);
        assert_eq!(epochs.len(), 2);
        assert_eq!((epochs[0].start, epochs[0].end), (1.0, 1.28));
        assert!(epochs[0].is_common());
        assert!(!epochs[1].is_common());
        assert_eq!(synchronisation(&[]), None);
    }

    /// A history with one sample per second.
    fn history(cwnd: &[f64], losses: &[f64]) -> History {
        let seconds = |values: &[f64]| {
            let numbered = values.iter().enumerate();
            numbered.map(|(t, v)| (t as f64, *v)).collect()
        };
        History {
            losses: seconds(losses),
            cwnd: seconds(cwnd),
        }
    }

    #[test]
    fn the_order_changes_if_the_larger_window_is_cut_more() {
        // At 2 s A is cut from 20 to 10, and B from 15 to 12; at 5 s only B is cut, from 14 to 7.
        let a = history(
            &[18.0, 20.0, 10.0, 11.0, 12.0, 13.0],
            &[0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
        );
        let b = history(
            &[14.0, 15.0, 12.0, 13.0, 14.0, 7.0],
            &[0.0, 0.0, 1.0, 1.0, 1.0, 2.0],
        );
        let flows = [a, b];
        let cuts: Vec<Vec<f64>> = flows.iter().map(|flow| flow.cuts(0.0)).collect();
        assert_eq!(cuts, [vec![2.0], vec![2.0, 5.0]]);
        assert_eq!(flows[1].cuts(2.0), [5.0]);
        let epochs = epochs(&cuts, 0.25);
        assert_eq!(synchronisation(&epochs), Some(0.5));
        // B is the larger one after the first epoch, and A after the second.
        assert_eq!(interleaving(&epochs, &flows), Some(1.0));
        assert_eq!(epochs[0].before(&flows), [20.0, 15.0]);
        assert_eq!(epochs[0].after(&flows), [10.0, 12.0]);
        assert_eq!(
            [largest(&[20.0, 15.0]), largest(&[10.0, 12.0])],
            [Some(0), Some(1)]
        );
        assert_eq!(largest(&[]), None);
        // A keeps 0.5 of its window, and B 0.8.
        assert_eq!(milder(&epochs, &flows), Some(1.0));
        // B, which is cut alone from 14 to 7, has the larger window: A has 12.
        assert_eq!(largest_alone(&epochs, &flows), Some(1.0));
        assert_eq!(largest_alone(&epochs[..1], &flows), None);
    }

    #[test]
    fn equal_factors_are_not_milder_whatever_is_left_at_the_end_of_the_epoch() {
        // A is cut from 20 to 10 at 2 s, and B from 15 to 7 at 3 s. At the end of the epoch, A has
        // grown to 11, which is more than half of 20.
        let losses = |at: usize| (0..5).map(|t| f64::from(t >= at)).collect::<Vec<f64>>();
        let larger = history(&[19.0, 20.0, 10.0, 11.0, 12.0], &losses(2));
        let of = |smaller: &[f64]| {
            let flows = [larger.clone(), history(smaller, &losses(3))];
            let cuts: Vec<Vec<f64>> = flows.iter().map(|flow| flow.cuts(0.0)).collect();
            let epochs = epochs(&cuts, 1.0);
            assert!(epochs.len() == 1 && epochs[0].is_common());
            milder(&epochs, &flows)
        };
        assert_eq!(of(&[14.0, 15.0, 15.0, 7.5, 8.0]), Some(0.0));
        assert_eq!(of(&[14.0, 15.0, 15.0, 8.8, 9.0]), Some(0.0));
        assert_eq!(of(&[14.0, 15.0, 15.0, 12.0, 13.0]), Some(1.0));
        // Two cuts, each to 4/5, leave 0.64 of the window; three leave 0.51.
        let smaller = |cwnd: [f64; 6], losses: [f64; 6]| {
            let flows = [
                history(
                    &[20.0, 20.0, 10.0, 10.0, 10.0, 10.0],
                    &[0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
                ),
                history(&cwnd, &losses),
            ];
            let cuts: Vec<Vec<f64>> = flows.iter().map(|flow| flow.cuts(0.0)).collect();
            milder(&epochs(&cuts, 1.0), &flows)
        };
        let twice = smaller(
            [15.0, 15.0, 12.0, 9.6, 9.6, 9.6],
            [0.0, 0.0, 1.0, 2.0, 2.0, 2.0],
        );
        assert_eq!(twice, Some(1.0));
        let thrice = smaller(
            [15.0, 15.0, 12.0, 9.6, 7.7, 7.7],
            [0.0, 0.0, 1.0, 2.0, 3.0, 3.0],
        );
        assert_eq!(thrice, Some(0.0));
    }

    #[test]
    fn an_epoch_may_cut_one_flow_alone_or_spare_some() {
        let epoch = |cut: [bool; 4]| Epoch {
            start: 1.0,
            end: 1.0,
            cut: cut.to_vec(),
        };
        let epochs = [
            epoch([true, true, true, true]),
            epoch([true, true, false, true]),
            epoch([true, true, false, false]),
            epoch([true, false, false, false]),
            epoch([false, false, false, true]),
        ];
        let (first, second, all) = ([0, 1], [2, 3], [0, 1, 2, 3]);
        assert_eq!(epochs[3].alone(), Some(0));
        assert_eq!(epochs[2].alone(), None);
        assert_eq!(alone(&epochs, &first), Some(0.2));
        assert_eq!(alone(&epochs, &all), Some(0.4));
        assert_eq!(alone(&[], &all), None);
        // The second and the third epoch spare only flows of the second pair.
        assert_eq!(spared(&epochs, &second), Some(0.4));
        assert_eq!(spared(&epochs, &first), Some(0.0));
        assert_eq!(spared(&epochs, &all), Some(0.8));
    }

    #[test]
    fn a_run_is_in_phase_out_of_phase_or_neither() {
        let epoch = |common| Epoch {
            start: 1.0,
            end: 1.0,
            cut: vec![true, common],
        };
        let of_ten = |common: usize| (0..10).map(|i| epoch(i < common)).collect::<Vec<_>>();
        // After 20 s one window rises, and the other one rises or falls.
        let still = |then: [f64; 3]| history(&[vec![1.0; 21], then.to_vec()].concat(), &[]);
        let together = [still([1.0, 2.0, 3.0]), still([5.0, 6.0, 7.0])];
        let against = [still([1.0, 2.0, 3.0]), still([7.0, 6.0, 5.0])];
        for (common, flows, expected) in [
            (10, &together, Rhythm::InPhase),
            (9, &against, Rhythm::InPhase),
            (8, &against, Rhythm::OutOfPhase),
            (8, &together, Rhythm::Mixed),
            (0, &against, Rhythm::OutOfPhase),
        ] {
            assert_eq!(rhythm(&of_ten(common), flows), Some(expected), "{common}");
        }
        // 17 of 20 epochs are 0.85.
        let between = [of_ten(9), of_ten(8)].concat();
        assert_eq!(rhythm(&between, &against), Some(Rhythm::Mixed));
        assert_eq!(rhythm(&[], &against), None);
        assert_eq!(rhythm(&of_ten(9), &against[..1]), None);
    }

    #[test]
    fn windows_may_move_together_or_in_opposite_directions() {
        let up = history(&[0.0, 1.0, 2.0, 3.0], &[]);
        let down = history(&[9.0, 6.0, 4.0, 2.0], &[]);
        let still = history(&[1.0; 4], &[]);
        let of = |a: &History, b: &History| correlation(&[a.clone(), b.clone()], 0.0);
        assert!((of(&up, &up).expect("it moves") - 1.0).abs() < 1e-12);
        assert!((of(&up, &down).expect("it moves") + 1.0).abs() < 1e-12);
        assert_eq!(of(&up, &still), None);
    }
}
