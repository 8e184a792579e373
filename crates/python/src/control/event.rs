//! The events of a connection as objects: the fields of `dumbbell_control::event`, in seconds and segments.

use dumbbell_control::event::{self, Marks};
use dumbbell_control::units::{Duration, Instant, Segments};
use dumbbell_tfrc::steered;
use pyo3::prelude::*;

fn span(time: Option<Duration>) -> Option<f64> {
    time.map(Duration::as_secs_f64)
}

/// Makes a class of an event: its fields, each with its type and how it is computed from the event.
macro_rules! events {
    ($(
        $class:ident($name:literal): $event:ty {
            $( $(#[$meta:meta])* $field:ident: $ty:ty = |$it:ident| $value:expr; )+
        }
    )+) => { $(
        /// See `_native.pyi`.
        #[pyclass(name = $name, module = "dumbbell.control", frozen)]
        pub struct $class(pub $event);

        #[pymethods]
        impl $class {
            $(
                #[getter]
                fn $field(&self) -> $ty {
                    let $it = &self.0;
                    $value
                }
            )+

            fn __repr__(&self) -> String {
                let fields: &[(&str, String)] = &[
                    $( (stringify!($field), format!("{:?}", self.$field())) ),+
                ];
                let fields = fields.iter().map(|(name, value)| format!("{name}={value}"));
                format!("{}({})", $name, fields.collect::<Vec<_>>().join(", "))
            }
        }
    )+ };
}

fn seconds(at: Instant) -> f64 {
    at.as_secs_f64()
}

fn segments(segments: Segments) -> f64 {
    segments.as_f64()
}

events! {
    PyAck("Ack"): event::Ack {
        now: f64 = |it| seconds(it.now);
        acked: f64 = |it| segments(it.acked);
        in_flight: f64 = |it| segments(it.in_flight);
        app_limited: bool = |it| it.app_limited;
    }
    PyLoss("Loss"): event::Loss {
        now: f64 = |it| seconds(it.now);
        in_flight: f64 = |it| segments(it.in_flight);
        lost_sent_at: f64 = |it| seconds(it.lost_sent_at);
        transmissions: u32 = |it| it.transmissions;
        by: &'static str = |it| it.by.name();
    }
    PyTimeout("Timeout"): event::Timeout {
        now: f64 = |it| seconds(it.now);
        in_flight: f64 = |it| segments(it.in_flight);
        consecutive: u32 = |it| it.consecutive;
    }
    PySent("Sent"): event::Sent {
        now: f64 = |it| seconds(it.now);
        segments: f64 = |it| segments(it.segments);
        in_flight: f64 = |it| segments(it.in_flight);
        retransmission: bool = |it| it.retransmission;
        app_limited: bool = |it| it.app_limited;
    }
    PySample("Sample"): event::Sample {
        now: f64 = |it| seconds(it.now);
        rtt: Option<f64> = |it| span(it.rtt);
        credited: f64 = |it| segments(it.credited);
        lost: f64 = |it| segments(it.lost);
        duplicate: bool = |it| it.duplicate;
        marks: f64 = |it| marked(it.marks);
        stamps: Option<(f64, f64)> = |it| it.stamps.map(|it| (seconds(it.sent_at), seconds(it.received_at)));
        queueing: Option<(f64, f64)> = |it| it.queueing.map(|it| (it.forward.as_secs_f64(), it.backward.as_secs_f64()));
    }
    PyFeedback("Feedback"): steered::Report {
        now: f64 = |it| seconds(it.now);
        rtt: f64 = |it| it.rtt;
        srtt: f64 = |it| it.srtt;
        receive_rate: f64 = |it| it.receive_rate;
        loss_event_rate: f64 = |it| it.loss_event_rate;
        wireless_loss_event_rate: Option<f64> = |it| it.wireless_loss_event_rate;
        new_loss: bool = |it| it.new_loss;
        first: bool = |it| it.first;
        sent: u64 = |it| it.sent;
    }
    PyExpiry("Expiry"): steered::Expiry {
        now: f64 = |it| seconds(it.now);
        srtt: Option<f64> = |it| it.srtt;
        consecutive: u32 = |it| it.consecutive;
    }
}

/// The marked segments that an ACK reports; an echo, which has no count, is one.
fn marked(marks: Marks) -> f64 {
    match marks {
        Marks::Echoed => 1.0,
        Marks::Counted(count) => segments(count),
        _ => 0.0,
    }
}
