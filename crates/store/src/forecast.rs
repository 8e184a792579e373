//! How much longer many runs will take.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use dumbbell_run::STEPS;

use super::{Advance, Job, State};

/// Predicts how much longer jobs will take, from what their scenarios let expect and from how long
/// others took.
///
/// Jobs with the same scenario are a point: they differ in their seeds, and take about the same time.
/// Similar points are a family, such as the points of a figure. A run of a point of which some have ended
/// takes their mean time; one of another point takes what its scenario lets expect
/// ([`Job::cost`]), times how much longer than that the runs of its family took, or, before the first of
/// these has ended, those of all families.
#[derive(Debug, Default)]
pub struct Forecast {
    /// The point of each job.
    jobs: Vec<usize>,
    points: Vec<Point>,
    /// The points, by what their jobs have in common. Nothing iterates over it.
    known: HashMap<(usize, usize), usize>,
    families: BTreeMap<usize, Family>,
    /// The seconds that are left of points of which runs have ended.
    measured: f64,
    running: BTreeMap<usize, Running>,
    /// The number of jobs whose results are there.
    done: usize,
    /// The number of those that were computed here.
    computed: usize,
}

#[derive(Debug)]
struct Point {
    family: usize,
    /// What a run is expected to cost.
    cost: f64,
    /// The number of jobs that have not ended.
    left: usize,
    /// The number of runs that have ended, and the seconds that they took together.
    ended: usize,
    seconds: f64,
}

impl Point {
    /// The seconds of one of its runs, if one has ended.
    fn mean(&self) -> Option<f64> {
        (self.ended > 0).then(|| self.seconds / self.ended as f64)
    }
}

/// Sums over the points of a family.
#[derive(Clone, Copy, Debug, Default)]
struct Family {
    /// Of the points with runs that have ended: the mean seconds of a run, and its expected cost.
    seconds: f64,
    cost: f64,
    /// The expected cost of all jobs that are left of the other points.
    unknown: f64,
}

/// A run that has begun.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    /// Its part that is done, from 0 to 1.
    part: f64,
    seconds: f64,
}

impl Forecast {
    /// Adds jobs of a family. They follow those that were added before: the index of a job in later
    /// reports is its position among all.
    pub fn add(&mut self, family: usize, jobs: &[Job<'_>]) {
        for job in jobs {
            let point = *self.known.entry(job.apart_from_seed()).or_insert_with(|| {
                self.points.push(Point {
                    family,
                    cost: job.cost(),
                    left: 0,
                    ended: 0,
                    seconds: 0.0,
                });
                self.points.len() - 1
            });
            self.jobs.push(point);
            self.change(point, |point| point.left += 1);
        }
    }

    /// Takes a report about a job.
    pub fn note(&mut self, advance: Advance) {
        let Advance { job, steps, state } = advance;
        let point = self.jobs[job];
        match state {
            State::Running(taken) => {
                let running = self.running.entry(job).or_default();
                running.part += steps as f64 / STEPS as f64;
                running.seconds = taken.as_secs_f64();
                return;
            }
            State::Ended(taken) => {
                self.computed += 1;
                self.change(point, |point| {
                    point.left -= 1;
                    point.ended += 1;
                    point.seconds += taken.as_secs_f64();
                });
            }
            State::Known => self.change(point, |point| point.left -= 1),
        }
        self.running.remove(&job);
        self.done += 1;
    }

    /// How much longer the jobs that are left take on so many threads; `None` before anything is known.
    pub fn left(&self, threads: usize) -> Option<Duration> {
        let left = self.jobs.len() - self.done;
        if left == 0 {
            return Some(Duration::ZERO);
        }
        let scale = self.scale();
        let unknown = self.families.values().filter(|family| family.unknown > 0.0);
        let unknown: f64 = unknown
            .map(|family| family.scale().or(scale).map(|scale| scale * family.unknown))
            .sum::<Option<f64>>()?;
        let (mut over, mut longest) = (0.0, 0.0f64);
        for (job, running) in &self.running {
            let point = &self.points[self.jobs[*job]];
            let scale = self.families[&point.family].scale().or(scale);
            let whole = point.mean().or(scale.map(|scale| scale * point.cost))?;
            over += running.part * whole;
            longest = longest.max((1.0 - running.part) * whole);
        }
        let all = (self.measured + unknown - over).max(0.0);
        let seconds = all / threads.clamp(1, left) as f64;
        Duration::try_from_secs_f64(seconds.max(longest)).ok()
    }

    /// The number of jobs whose results are there.
    pub fn done(&self) -> usize {
        self.done
    }

    /// The number of jobs that were computed here.
    pub fn computed(&self) -> usize {
        self.computed
    }

    /// The number of all jobs.
    pub fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// The seconds of a unit of cost, by all runs that have ended; if none has, by those that have
    /// begun.
    fn scale(&self) -> Option<f64> {
        let ended = self.families.values();
        let ended = ended.fold(Family::default(), |sum, family| Family {
            seconds: sum.seconds + family.seconds,
            cost: sum.cost + family.cost,
            unknown: 0.0,
        });
        ended.scale().or_else(|| {
            let begun = self.running.iter();
            let begun = begun.fold(Family::default(), |sum, (job, running)| Family {
                seconds: sum.seconds + running.seconds,
                cost: sum.cost + running.part * self.points[self.jobs[*job]].cost,
                unknown: 0.0,
            });
            begun.scale()
        })
    }

    /// Changes a point, and with it the sums to which it belongs.
    fn change(&mut self, point: usize, change: impl FnOnce(&mut Point)) {
        self.count(point, -1.0);
        change(&mut self.points[point]);
        self.count(point, 1.0);
    }

    /// Adds a point to the sums, or takes it away.
    fn count(&mut self, point: usize, sign: f64) {
        let point = &self.points[point];
        let family = self.families.entry(point.family).or_default();
        match point.mean() {
            Some(mean) => {
                self.measured += sign * mean * point.left as f64;
                family.seconds += sign * mean;
                family.cost += sign * point.cost;
            }
            None => family.unknown += sign * point.cost * point.left as f64,
        }
    }
}

impl Family {
    /// The seconds of a unit of cost, if a run has ended.
    fn scale(self) -> Option<f64> {
        (self.cost > 0.0).then(|| self.seconds / self.cost)
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_scenario::Scenario;
    use dumbbell_scenario::controls::Controls;

    use super::*;

    /// A scenario whose cost is about proportional to its duration.
    fn scenario(seconds: u32) -> Scenario {
        let text = format!(
            "duration = \"{seconds} s\"
            [dumbbell]
            access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}
            bottleneck = {{ rate = \"100 Mb/s\", delay = \"9 ms\", queue = {{ droptail = 9 }} }}
            [[flow]]
            control = \"reno\""
        );
        Scenario::parse("test", &text, &Controls::builtin()).expect("it is right")
    }

    fn left(forecast: &Forecast, threads: usize) -> Option<f64> {
        let left = forecast.left(threads);
        left.map(|left| (left.as_secs_f64() * 10.0).round() / 10.0)
    }

    fn ended(job: usize, seconds: f64) -> Advance {
        Advance {
            job,
            steps: STEPS,
            state: State::Ended(Duration::from_secs_f64(seconds)),
        }
    }

    #[test]
    fn a_run_takes_as_long_as_others_of_its_point_then_of_its_family_then_of_all() {
        let scenarios = [10_000, 20_000, 40_000, 10_000].map(scenario);
        let mut forecast = Forecast::default();
        let seeds = |scenario, count: u64| -> Vec<Job<'_>> {
            let job = |seed| Job {
                scenario,
                seed,
                probe: None,
            };
            (0..count).map(job).collect()
        };
        forecast.add(0, &seeds(&scenarios[0], 3));
        forecast.add(0, &seeds(&scenarios[1], 1));
        forecast.add(0, &seeds(&scenarios[2], 1));
        forecast.add(1, &seeds(&scenarios[3], 2));
        assert_eq!(left(&forecast, 1), None);
        // The others of the point: 2 x 1 s. Of the family: 2 s and 4 s. Of another one: 2 x 1 s.
        forecast.note(ended(0, 1.0));
        assert_eq!(left(&forecast, 1), Some(10.0));
        assert_eq!(left(&forecast, 2), Some(5.0));
        // The points took 1 s and 5 s, 2 s for each 10,000 s of simulated time: 2 x 1 s, 8 s, 2 x 2 s.
        forecast.note(ended(3, 5.0));
        assert_eq!(left(&forecast, 1), Some(14.0));
        // The other family has runs of its own: 2 x 1 s, 8 s, 9 s.
        forecast.note(ended(5, 9.0));
        assert_eq!(left(&forecast, 1), Some(19.0));
        // A result that is known takes no time, and a run that is half over takes half of it.
        forecast.note(Advance::known(6));
        assert_eq!(left(&forecast, 1), Some(10.0));
        forecast.note(Advance {
            job: 1,
            steps: 50,
            state: State::Running(Duration::from_secs(1)),
        });
        assert_eq!(left(&forecast, 1), Some(9.5));
        forecast.note(Advance::known(1));
        forecast.note(Advance::known(2));
        forecast.note(Advance::known(4));
        assert_eq!(left(&forecast, 1), Some(0.0));
        assert_eq!(
            (forecast.done(), forecast.computed(), forecast.jobs()),
            (7, 3, 7)
        );
    }

    #[test]
    fn a_single_run_is_measured_by_its_own_progress() {
        let scenario = scenario(100);
        let mut forecast = Forecast::default();
        let job = Job {
            scenario: &scenario,
            seed: 1,
            probe: None,
        };
        forecast.add(0, &[job]);
        forecast.note(Advance {
            job: 0,
            steps: 20,
            state: State::Running(Duration::from_secs(3)),
        });
        assert_eq!(left(&forecast, 2), Some(12.0));
    }
}
