//! NADA's parameters (RFC 8698, table 2). Rates are in bit/s, times in seconds.

/// The parameters of NADA, with the names of table 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// PRIO: the weight of the flow.
    pub prio: f64,
    /// RMIN: the least rate of the encoder.
    pub rmin: f64,
    /// RMAX: the largest rate of the encoder, at least `rmin`.
    pub rmax: f64,
    /// XREF: the reference congestion level.
    pub xref: f64,
    /// KAPPA: how fast the gradual update is.
    pub kappa: f64,
    /// ETA: the weight of the signal's change.
    pub eta: f64,
    /// TAU: the bound of the round-trip time in the gradual update.
    pub tau: f64,
    /// DELTA: the target interval of reports.
    pub delta: f64,
    /// LOGWIN: the window of the statistics.
    pub logwin: f64,
    /// QEPS: the queueing delay up to which the queue does not count as building up.
    pub qeps: f64,
    /// DFILT: the bound of the filtering delay.
    pub dfilt: f64,
    /// GAMMA_MAX: the bound of the increase in the accelerated ramp-up.
    pub gamma_max: f64,
    /// QBOUND: the bound of the flow's own queueing delay during the ramp-up.
    pub qbound: f64,
    /// MULTILOSS: after how many loss intervals a loss is forgotten.
    pub multiloss: f64,
    /// QTH: the queueing delay from which it is warped.
    pub qth: f64,
    /// LAMBDA: how strongly it is warped.
    pub lambda: f64,
    /// PLRREF: the reference loss ratio.
    pub plrref: f64,
    /// PMRREF: the reference marking ratio.
    pub pmrref: f64,
    /// DLOSS: the delay penalty at the reference loss ratio.
    pub dloss: f64,
    /// DMARK: the delay penalty at the reference marking ratio.
    pub dmark: f64,
    /// FPS: the frames per second of the video.
    pub fps: f64,
    /// BETA_S: how much the waiting bytes raise the sending rate.
    pub beta_s: f64,
    /// BETA_V: how much the waiting bytes lower the encoder's rate.
    pub beta_v: f64,
    /// ALPHA: the weight of a new loss and marking ratio.
    pub alpha: f64,
    /// Whether the average loss interval takes the open interval in, as RFC 5348, section 5.4, has it.
    pub with_open: bool,
    /// The largest congestion signal: 15 bits of 100 us (section 5.3). The authors' simulator has 0.5 s (XMAX).
    pub xmax: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            prio: 1.0,
            rmin: 150e3,
            rmax: 1.5e6,
            xref: 0.01,
            kappa: 0.5,
            eta: 2.0,
            tau: 0.5,
            delta: 0.1,
            logwin: 0.5,
            qeps: 0.01,
            dfilt: 0.12,
            gamma_max: 0.5,
            qbound: 0.05,
            multiloss: 7.0,
            qth: 0.05,
            lambda: 0.5,
            plrref: 0.01,
            pmrref: 0.01,
            dloss: 0.01,
            dmark: 0.002,
            fps: 30.0,
            beta_s: 0.1,
            beta_v: 0.1,
            alpha: 0.1,
            with_open: false,
            xmax: 3.2767,
        }
    }
}
