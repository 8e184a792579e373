//! The terms of an equation, as somebody gives them, and the equation that they make.

use dumbbell_tfrc::equation::{Cut, Erratum, Flow, OutOfReach, RateEquation};

/// Whose equation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// TCP Reno: Padhye et al. 1998.
    Reno,
    /// TCP Veno: the same with Veno's mean cut.
    Veno,
    /// TFRC: RFC 5348, section 3.1.
    Tfrc,
    /// TFRC Veno: TFRC with Veno's mean cut.
    TfrcVeno,
}

/// The terms of an equation. Those that are not given have their usual values.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// Whose equation it is.
    pub model: Model,
    /// The mean round-trip time, in seconds.
    pub rtt: f64,
    /// The smallest round-trip time, in seconds.
    pub base_rtt: Option<f64>,
    /// The largest window, in packets.
    pub wmax: Option<f64>,
    /// The timeout, in seconds; usually four round-trip times.
    pub rto: Option<f64>,
    /// Packets that one ACK acknowledges.
    pub b: f64,
    /// Veno's mean cut: the part of the window that a loss leaves.
    pub gamma: Option<f64>,
    /// The part of Veno's window that a random loss leaves.
    pub theta1: Option<f64>,
    /// The part that any other loss leaves.
    pub theta2: Option<f64>,
    /// The backlog from which on a loss is not considered random, in packets.
    pub beta: Option<f64>,
    /// The packet size, in bytes.
    pub segment: f64,
    /// TFRC: whether at most every loss counts as a timeout.
    pub min1: bool,
}

/// An equation with all of its terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Equation {
    /// Whose it is.
    pub model: Model,
    /// The path, with the mean cut.
    pub flow: Flow,
    /// The smallest round-trip time, in seconds.
    pub base_rtt: Option<f64>,
    /// The packet size, in bytes.
    pub segment: f64,
    /// Whether at most every loss counts as a timeout.
    pub min1: bool,
}

/// A form of an equation by name, and the loss rate that it gives.
pub type Inverse = (&'static str, Result<f64, OutOfReach>);

impl Model {
    /// All models with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("reno", Self::Reno),
        ("veno", Self::Veno),
        ("tfrc", Self::Tfrc),
        ("tfrc-veno", Self::TfrcVeno),
    ];

    /// Whether it has Veno's mean cut.
    pub fn is_veno(self) -> bool {
        matches!(self, Self::Veno | Self::TfrcVeno)
    }

    /// Whether it is the equation of a rate-controlled sender.
    pub fn is_tfrc(self) -> bool {
        matches!(self, Self::Tfrc | Self::TfrcVeno)
    }
}

impl Terms {
    /// The equation of these terms. In messages a term is called what `named` returns for its name, such
    /// as `base-rtt`.
    ///
    /// # Errors
    /// What is wrong with which term: it is out of its range, the equation does not use it, or it
    /// contradicts another one.
    pub fn equation(&self, named: impl Fn(&str) -> String) -> Result<Equation, String> {
        self.check_ranges(&named)?;
        self.refuse_strangers(&named)?;
        if self.base_rtt.is_some_and(|base| base > self.rtt) {
            return Err(format!(
                "{} is the least round-trip time: it is at most {}",
                named("base-rtt"),
                named("rtt")
            ));
        }
        Ok(Equation {
            model: self.model,
            flow: Flow {
                rtt: self.rtt,
                rto: self.rto.unwrap_or(4.0 * self.rtt),
                packets_per_ack: self.b,
                cut: self.cut(&named)?,
                max_window: self.wmax.unwrap_or(f64::INFINITY),
            },
            base_rtt: self.base_rtt,
            segment: self.segment,
            min1: self.min1,
        })
    }

    fn check_ranges(&self, named: &impl Fn(&str) -> String) -> Result<(), String> {
        if self.rtt == 0.0 {
            return Err(format!("{} is 0: packets take some time", named("rtt")));
        }
        if self.segment == 0.0 {
            return Err(format!(
                "{} is 0: a packet has at least one byte",
                named("segment")
            ));
        }
        let is_part: fn(f64) -> bool = |it| it > 0.0 && it < 1.0;
        let is_positive: fn(f64) -> bool = |it| it > 0.0;
        let is_span: fn(f64) -> bool = |it| it >= 0.0;
        let is_count: fn(f64) -> bool = |it| it >= 1.0;
        let ranges = [
            ("rtt", Some(self.rtt), is_positive, "above 0"),
            ("segment", Some(self.segment), is_positive, "above 0"),
            ("base-rtt", self.base_rtt, is_span, "at least 0"),
            ("rto", self.rto, is_span, "at least 0"),
            ("wmax", self.wmax, is_count, "at least 1"),
            ("b", Some(self.b), is_count, "at least 1"),
            ("gamma", self.gamma, is_part, "above 0 and below 1"),
            ("theta1", self.theta1, is_part, "above 0 and below 1"),
            ("theta2", self.theta2, is_part, "above 0 and below 1"),
            ("beta", self.beta, is_positive, "above 0"),
        ];
        for (term, value, fits, wanted) in ranges {
            if let Some(value) = value.filter(|it| !it.is_finite() || !fits(*it)) {
                let term = named(term);
                return Err(format!("{term} is {value}: it is a number {wanted}"));
            }
        }
        Ok(())
    }

    /// Refuses terms that the equation does not use.
    fn refuse_strangers(&self, named: &impl Fn(&str) -> String) -> Result<(), String> {
        let (veno, tfrc) = (self.model.is_veno(), self.model.is_tfrc());
        let given = [
            (self.base_rtt.is_some(), veno, "base-rtt", "Veno's"),
            (self.gamma.is_some(), veno, "gamma", "Veno's"),
            (self.theta1.is_some(), veno, "theta1", "Veno's"),
            (self.theta2.is_some(), veno, "theta2", "Veno's"),
            (self.beta.is_some(), veno, "beta", "Veno's"),
            (self.min1, tfrc, "min1", "TFRC's"),
        ];
        for (given, meant, term, whose) in given {
            if given && !meant {
                return Err(format!(
                    "{} is {whose}: this equation does not use it",
                    named(term)
                ));
            }
        }
        if tfrc && !veno && self.wmax.is_some() {
            return Err(format!(
                "{} is a window, and TFRC has no window",
                named("wmax")
            ));
        }
        let parts = [self.base_rtt, self.theta1, self.theta2, self.beta];
        if self.gamma.is_some() && parts.iter().any(Option::is_some) {
            return Err(format!(
                "{} is the mean cut itself: leave out {}, {}, {} and {}",
                named("gamma"),
                named("base-rtt"),
                named("theta1"),
                named("theta2"),
                named("beta")
            ));
        }
        if self.model == Model::TfrcVeno && self.gamma.is_some() && self.wmax.is_some() {
            return Err(format!(
                "{} gives TFRC Veno's mean cut: leave it out beside {}",
                named("wmax"),
                named("gamma")
            ));
        }
        Ok(())
    }

    /// The mean cut.
    fn cut(&self, named: &impl Fn(&str) -> String) -> Result<f64, String> {
        if !self.model.is_veno() {
            return Ok(0.5);
        }
        if let Some(gamma) = self.gamma {
            return Ok(gamma);
        }
        let (Some(base), Some(wmax)) = (self.base_rtt, self.wmax) else {
            return Err(format!(
                "Veno's mean cut needs {} and {}, or {} itself",
                named("base-rtt"),
                named("wmax"),
                named("gamma")
            ));
        };
        let usual = match self.model {
            Model::TfrcVeno => Cut::TFRC_VENO,
            _ => Cut::TCP_VENO,
        };
        let cut = Cut {
            random: self.theta1.unwrap_or(usual.random),
            congestion: self.theta2.unwrap_or(usual.congestion),
            beta: self.beta.unwrap_or(usual.beta),
        };
        if cut.congestion > cut.random {
            return Err(format!(
                "{} is at most {}: a random loss is cut less",
                named("theta2"),
                named("theta1")
            ));
        }
        Ok(cut.mean(self.rtt, base, wmax))
    }
}

impl Equation {
    /// The equation of a rate-controlled sender.
    pub fn of_rate(&self) -> RateEquation {
        RateEquation {
            segment: self.segment,
            rtt: self.flow.rtt,
            t_rto: self.flow.rto,
            packets_per_ack: self.flow.packets_per_ack,
            cut: self.flow.cut,
            min1: self.min1,
        }
    }

    /// Packets per second in bits per second.
    pub fn bits(&self, packets: f64) -> f64 {
        packets * self.segment * 8.0
    }

    /// The forms of the equation by name, and the loss rate at which each gives a rate in bit/s.
    pub fn inverses(&self, rate: f64) -> Vec<Inverse> {
        if self.model.is_tfrc() {
            return vec![("rate", self.of_rate().loss_for(rate / 8.0))];
        }
        let packets = rate / 8.0 / self.segment;
        vec![
            ("complete", self.flow.loss_by_complete(packets)),
            ("approximate", self.flow.loss_by_approximation(packets)),
        ]
    }

    /// The values of the equations as printed at a loss rate, beside the corrected ones.
    pub fn errata(&self, loss: f64) -> Vec<Erratum> {
        match self.model.is_tfrc() {
            true => vec![self.of_rate().erratum(loss, self.model.is_veno())],
            false => self.flow.errata(loss).to_vec(),
        }
    }
}
