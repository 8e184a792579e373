//! New Veno, reconstructed: Veno that, while its path is full, acts as if it were not as long as the
//! throughput still rises. Not the published scheme.
//!
//! Source: only VenoDB, section 2.2: "TCP-New Veno also made use of the idea of Vegas-A" (the comparison
//! of two consecutive RTTs' throughput) "and then adjusted the cwnd according to different network
//! states". The rest is made up here.
//!
//! N is Veno's backlog, Th = cwnd / RTT at the end of the last round, and Th' is Th a round earlier:
//!
//! | event | N < beta | N >= beta, Th > Th' | N >= beta, else |
//! |---|---|---|---|
//! | ACK, cwnd >= ssthresh | cwnd += 1/cwnd | cwnd += 1/cwnd | cwnd += 1/cwnd every other ACK |
//! | loss (3 duplicate ACKs) | * 4/5 | * 4/5 | * 1/2 |
//!
//! Slow start, timeout, floor, BaseRTT: as in Veno. Initial values: Veno's; Th unknown, which counts as
//! Th = Th'. Defaults: Veno's.
//!
//! Readings
//! * The RTT in Th is the one in N (`rtt_mode`); Th is compared exactly.
//! * A timeout forgets Th.
//!
//! Deviations: unknown. Signals: RTT. Hosts: all; the recovery is Veno's.

use core::cmp::Ordering;

use crate::algorithm::veno::{Branch, Veno, rules};
use crate::controller::{Algorithm, Controller, Origin, Signals, Value, Window};
use crate::estimate::round::Round;
use crate::estimate::throughput::{self, Throughput};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::rule::Rule;
use crate::units::Segments;

/// Veno's parameters.
pub use crate::algorithm::veno::Config;

const SOURCE: &str = "reconstruction after VenoDB, section 2.2";

const FULL: &str = "N = {backlog} >= {beta}, Th {throughput_trend}";

static FREE: Rule = Rule {
    source: SOURCE,
    ..rules::FREE
};

static FREE_ABC: Rule = Rule {
    source: SOURCE,
    ..rules::FREE_ABC
};

static RISING: Rule = Rule {
    branch: "fully utilised, rising",
    condition: FULL,
    ..FREE
};

static RISING_ABC: Rule = Rule {
    action: FREE_ABC.action,
    ..RISING
};

static BUSY: Rule = Rule {
    condition: FULL,
    source: SOURCE,
    ..rules::BUSY
};

static BUSY_ABC: Rule = Rule {
    action: rules::BUSY_ABC.action,
    ..BUSY
};

/// `busy_growth` = half.
static BUSY_HALF: Rule = Rule {
    action: rules::BUSY_HALF.action,
    ..BUSY
};

static BUSY_HALF_ABC: Rule = Rule {
    action: rules::BUSY_HALF_ABC.action,
    ..BUSY
};

static RANDOM: Rule = Rule {
    source: SOURCE,
    ..rules::RANDOM
};

static SPARED: Rule = Rule {
    branch: "loss while rising",
    condition: FULL,
    ..RANDOM
};

static CONGESTION: Rule = Rule {
    condition: FULL,
    source: SOURCE,
    ..rules::CONGESTION
};

/// New Veno, reconstructed. 136 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct NewVeno {
    veno: Veno,
    throughput: Throughput,
    round: Round,
    mss: u32,
    /// Whether the last ACK or loss ignored N >= beta, since the throughput rose.
    passed: bool,
}

const _: () = assert!(size_of::<NewVeno>() <= 136);

impl NewVeno {
    /// Whether N >= beta is to be ignored: the path is full, but the throughput rises.
    #[inline]
    fn passes(&self) -> bool {
        self.throughput.change() == Ordering::Greater && self.veno.is_congested()
    }

    fn rule(&self) -> &'static Rule {
        let growth = self.veno.growth();
        match self.veno.branch() {
            Branch::Free if self.passed => growth.by_counting(&RISING, &RISING_ABC),
            Branch::Free => growth.by_counting(&FREE, &FREE_ABC),
            Branch::BusyGrow | Branch::BusyHold => growth.by_counting(&BUSY, &BUSY_ABC),
            Branch::BusyHalf => growth.by_counting(&BUSY_HALF, &BUSY_HALF_ABC),
            Branch::Random if self.passed => &SPARED,
            Branch::Random => &RANDOM,
            Branch::Congestion => &CONGESTION,
            Branch::None | Branch::SlowStart | Branch::Timeout => self.veno.rule(),
        }
    }
}

impl Algorithm for NewVeno {
    const NAME: &'static str = "new-veno";
    const ALIASES: &'static [&'static str] = &["newveno", "new_veno"];
    const SUMMARY: &'static str =
        "Veno that also uses the throughput's trend, after VenoDB, section 2.2";
    const ORIGIN: Origin = Origin::Reconstruction;
    const NEEDS: Signals = Veno::NEEDS;
    const ASKS_WHEN_SENT: bool = false;
    const RECOVERIES: &'static [&'static str] = Veno::RECOVERIES;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            veno: Veno::new(config, path),
            throughput: Throughput::default(),
            round: Round::default(),
            mss: path.mss.segment_size(),
            passed: false,
        }
    }
}

impl Controller for NewVeno {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        self.veno.on_sample(sample);
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        if self.round.is_ended_by(sample.now, rtt) {
            self.round = Round::beginning(sample.now);
            if let Some(eighths) = self.veno.rtt().eighths() {
                let cwnd = self.veno.window().cwnd;
                self.throughput
                    .observe(throughput::rate(cwnd, self.mss, eighths));
            }
        }
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if ack.app_limited {
            return;
        }
        self.passed = !self.veno.is_slow_start() && self.passes();
        if self.passed {
            self.veno.grow_freely(ack.acked);
        } else {
            self.veno.on_ack(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.passed = self.passes();
        let congested = self.veno.is_congested() && !self.passed;
        self.veno.lose(loss, congested);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.veno.on_timeout(timeout);
        self.throughput = Throughput::default();
        self.passed = false;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.veno.on_mss(change);
        self.mss = change.after.segment_size();
    }

    #[inline]
    fn window(&self) -> Window {
        self.veno.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.veno.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.veno.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.veno.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.veno.explain_but_rule(out);
        if let Some(rate) = self.throughput.rate() {
            out("throughput", Value::BitRate(rate.as_bits_per_second()));
        }
        out("throughput_trend", Value::trend(self.throughput.change()));
        out("rule", Value::Rule(self.rule()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        ack, assert_near, assert_segments, branch, loss, number, path, sample, timeout,
    };
    use crate::algorithm::veno;
    use crate::estimate::rtt::RttMode;

    /// A control with cwnd 20 and BaseRTT 100 ms after rounds of these RTTs in ms. N and Th use the last
    /// RTT.
    fn after(rtts: &[f64]) -> NewVeno {
        let config = veno::Config {
            rtt_mode: RttMode::Last,
            ..veno::Config::default()
        };
        let mut control = NewVeno::new(&config, &path(20.0, 2.0));
        control.on_sample(&sample(1000.0, 100.0));
        let mut now = 1000.0;
        for rtt in rtts {
            now += rtt;
            control.on_sample(&sample(now, *rtt));
        }
        control
    }

    #[track_caller]
    fn windows(mut control: NewVeno, name: &str, expected: &[f64]) {
        for cwnd in expected {
            control.on_ack(&ack(1.0));
            assert_segments(control.window().cwnd, *cwnd);
            assert_eq!(branch(&control), name);
        }
    }

    #[track_caller]
    fn loses(mut control: NewVeno, name: &str, ssthresh: f64) {
        control.on_loss(&loss(9000.0));
        assert_segments(control.window().ssthresh, ssthresh);
        assert_eq!(branch(&control), name);
    }

    #[test]
    fn growth_depends_on_backlog_and_throughput() {
        // N = 20 * (1 - 100 / 110) = 1.82; then 20 * (1 - 100 / 120) = 3.33 with Th falling from
        // 20 / 110 ms, with Th rising from 20 / 130 ms, and with an equal Th.
        windows(after(&[110.0]), "underutilised", &[20.05, 20.099875]);
        let busy = [20.05, 20.05, 20.099875];
        windows(after(&[110.0, 120.0]), "fully utilised", &busy);
        windows(after(&[120.0, 120.0]), "fully utilised", &busy);
        let rising = after(&[130.0, 120.0]);
        assert_near(number(&rising, "backlog"), 3.333333);
        // 20,000 bytes in 120 ms.
        assert_near(number(&rising, "throughput"), 1_333_333.333333);
        windows(rising, "fully utilised, rising", &[20.05, 20.099875]);
    }

    #[test]
    fn the_cut_depends_on_backlog_and_throughput() {
        loses(after(&[110.0]), "random loss", 16.0);
        loses(after(&[110.0, 120.0]), "congestion", 10.0);
        loses(after(&[120.0, 120.0]), "congestion", 10.0);
        loses(after(&[130.0, 120.0]), "loss while rising", 16.0);
    }

    #[test]
    fn the_throughput_of_a_round_is_taken_at_its_end() {
        let mut control = after(&[110.0, 120.0]);
        // The packet was sent before the last round ended, so this sample ends no round.
        control.on_sample(&sample(1240.0, 115.0));
        assert_near(number(&control, "throughput"), 1_333_333.333333);
        control.on_sample(&sample(1345.0, 115.0));
        assert_near(number(&control, "throughput"), 1_391_304.347826);
    }

    #[test]
    fn a_timeout_acts_as_in_veno_and_forgets_the_throughput() {
        let mut control = after(&[130.0, 120.0]);
        control.on_timeout(&timeout(9000.0, 1));
        assert_eq!(branch(&control), "timeout");
        assert_segments(control.window().ssthresh, 10.0);
        assert!(number(&control, "throughput").is_nan());
    }
}
