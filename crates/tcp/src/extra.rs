//! The state of what most connections do not use: marks, pacing, feedback, probes, and the switches of Linux.

use std::ops::{Deref, DerefMut};

use dumbbell_control::units::{Instant, Segments};

use crate::ack_control::Feedback;
use crate::bursts::Bursts;
use crate::config::{EcnMode, SenderConfig};
use crate::delivery::Deliveries;
use crate::ecn::Ecn;
use crate::hystart::HyStart;
use crate::pacing::Pacing;
use crate::validation::Validation;

/// That state.
#[derive(Clone, Debug)]
pub(crate) struct Extra {
    pub ecn: Ecn,
    pub pacing: Pacing,
    /// The feedback for the receiver; `None` if ACK congestion control is not in use.
    pub feedback: Option<Feedback>,
    pub probe_every: u32,
    /// Segments to send before the next probing one.
    pub unprobed: u32,
    /// Cuts for marks.
    pub ecn_cuts: u32,
    /// How much of the window was used; `None` if that is not validated.
    pub validation: Option<Box<Validation>>,
    /// What ends slow start early; `None` if nothing does.
    pub hystart: Option<Box<HyStart>>,
    /// What is known of deliveries; `None` if the controller does not need it.
    pub deliveries: Option<Box<Deliveries>>,
    /// The piece that leaves; `None` if segments leave one by one.
    pub bursts: Option<Box<Bursts>>,
}

/// The same in a box that connections without it do not have: with many of them, memory matters. Without a box, it
/// reads as [`IDLE`], and to change it makes one.
#[derive(Clone, Debug)]
pub(crate) struct Spare(Option<Box<Extra>>);

/// The state of a connection that uses none of it.
static IDLE: Extra = Extra {
    ecn: Ecn::new(EcnMode::Off, false),
    pacing: Pacing::new(false, false),
    feedback: None,
    probe_every: 0,
    unprobed: 0,
    ecn_cuts: 0,
    validation: None,
    hystart: None,
    deliveries: None,
    bursts: None,
};

impl Spare {
    /// That of a connection whose window is `initial` at first.
    pub fn new(config: &SenderConfig, initial: Segments) -> Self {
        if config.is_plain() && config.probe_every == 0 {
            return Self(None);
        }
        Self(Some(Box::new(Extra {
            ecn: Ecn::new(config.ecn, config.scalable),
            pacing: Pacing::new(config.adaptation, config.pacing_credit),
            feedback: config.ack_control.then_some(Feedback {
                marked: false,
                sendable: 0,
                heard: Instant::ZERO,
            }),
            probe_every: config.probe_every,
            unprobed: 0,
            ecn_cuts: 0,
            validation: config
                .window_validation
                .then(|| Box::new(Validation::new(initial))),
            hystart: config.hystart.then(|| Box::new(HyStart::new())),
            deliveries: config.deliveries.then(|| Box::new(Deliveries::new())),
            bursts: config.tso.then(|| Box::new(Bursts::new())),
        })))
    }

    /// The state, if there is any.
    #[inline]
    pub fn get(&self) -> Option<&Extra> {
        self.0.as_deref()
    }

    /// The state, if there is any to change.
    #[inline]
    pub fn get_mut(&mut self) -> Option<&mut Extra> {
        self.0.as_deref_mut()
    }

    #[inline]
    pub fn validation(&mut self) -> Option<&mut Validation> {
        self.get_mut()?.validation.as_deref_mut()
    }

    #[inline]
    pub fn hystart(&mut self) -> Option<&mut HyStart> {
        self.get_mut()?.hystart.as_deref_mut()
    }

    #[inline]
    pub fn deliveries(&mut self) -> Option<&mut Deliveries> {
        self.get_mut()?.deliveries.as_deref_mut()
    }

    #[inline]
    pub fn bursts(&mut self) -> Option<&mut Bursts> {
        self.get_mut()?.bursts.as_deref_mut()
    }
}

impl Deref for Spare {
    type Target = Extra;

    #[inline]
    fn deref(&self) -> &Extra {
        self.0.as_deref().unwrap_or(&IDLE)
    }
}

impl DerefMut for Spare {
    #[inline]
    fn deref_mut(&mut self) -> &mut Extra {
        debug_assert!(
            self.0.is_some(),
            "a connection without it does not change it"
        );
        self.0.get_or_insert_with(boxed)
    }
}

#[cold]
fn boxed() -> Box<Extra> {
    Box::new(IDLE.clone())
}
