//! What only some connections have at the sender: most do without, and with many connections memory matters.

use crate::ack_control::Feedback;
use crate::config::SenderConfig;
use crate::delivery::Deliveries;
use crate::ecn::Ecn;
use crate::hystart::HyStart;
use crate::pacing::Pacing;
use crate::validation::Validation;
use dumbbell_control::units::{Instant, Segments};

/// The state of ECN, pacing, ACK congestion control, probes, window validation, HyStart and the measurement of
/// deliveries.
#[derive(Clone, Debug)]
pub(crate) struct Extras {
    /// Whether ECN, ACK congestion control or sender adaptation is in use.
    pub(crate) notified: bool,
    /// Whether segments carry more than data, or are measured.
    pub(crate) dressed: bool,
    pub(crate) ecn: Ecn,
    pub(crate) pacing: Pacing,
    /// The feedback for the receiver; `None` if ACK congestion control is not in use.
    pub(crate) feedback: Option<Feedback>,
    probe_every: u32,
    /// Segments to send before the next probing one.
    unprobed: u32,
    /// How much of the window was used; `None` if that is not validated.
    pub(crate) validation: Option<Box<Validation>>,
    /// What ends slow start early; `None` if nothing does.
    pub(crate) hystart: Option<Box<HyStart>>,
    /// What is known of deliveries; `None` if the controller does not need it.
    pub(crate) deliveries: Option<Box<Deliveries>>,
}

impl Extras {
    /// What a connection needs beside the rest; `None` if nothing. `initial` is its first window.
    pub(crate) fn of(config: &SenderConfig, initial: Segments) -> Option<Box<Self>> {
        let notified = config.ecn || config.ack_control || config.adaptation;
        let dressed = notified || config.probe_every > 0 || config.deliveries;
        let needed = dressed || config.window_validation || config.hystart;
        needed.then(|| {
            Box::new(Self {
                notified,
                dressed,
                ecn: Ecn::new(config.ecn),
                pacing: Pacing::new(config.adaptation),
                feedback: config.ack_control.then_some(Feedback {
                    marked: false,
                    sendable: 0,
                    heard: Instant::ZERO,
                }),
                probe_every: config.probe_every,
                unprobed: 0,
                validation: config
                    .window_validation
                    .then(|| Box::new(Validation::new(initial))),
                hystart: config.hystart.then(|| Box::new(HyStart::new())),
                deliveries: config.deliveries.then(|| Box::new(Deliveries::new())),
            })
        })
    }

    /// With nothing in use, for a controller that begins to pace.
    #[cold]
    pub(crate) fn paced() -> Box<Self> {
        Box::new(Self {
            notified: false,
            dressed: false,
            ecn: Ecn::new(false),
            pacing: Pacing::new(false),
            feedback: None,
            probe_every: 0,
            unprobed: 0,
            validation: None,
            hystart: None,
            deliveries: None,
        })
    }

    /// Whether the next segment carries an AQT option.
    pub(crate) fn probes(&mut self) -> bool {
        if self.probe_every == 0 {
            return false;
        }
        let probes = self.unprobed == 0;
        self.unprobed = if probes {
            self.probe_every - 1
        } else {
            self.unprobed - 1
        };
        probes
    }
}
