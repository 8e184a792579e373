//! The reference as a control of the crate, to test the comparison itself.

use dumbbell_control::controller::{Controller, Value, Window};
use dumbbell_control::event::{Ack, Delivery, Loss, LostSegment, MssChange, Sample, Sent, Timeout};
use dumbbell_control::units::{Rate, Segments};

use crate::compare::{MAX_BW, STATE};
use crate::reference::Reference;

pub struct Twin(pub Reference);

impl Controller for Twin {
    fn on_sent(&mut self, sent: &Sent) {
        self.0.on_sent(sent);
    }

    fn on_sample(&mut self, _: &Sample) {}

    fn on_ack(&mut self, _: &Ack) {}

    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.0.on_timeout(timeout);
    }

    fn on_delivery(&mut self, delivery: &Delivery) {
        self.0.on_delivery(delivery);
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.0.on_lost_segment(lost);
    }

    fn on_mss(&mut self, _: &MssChange) {}

    fn window(&self) -> Window {
        Window {
            cwnd: Segments::saturating_whole(self.0.cwnd()),
            ssthresh: Segments::MAX,
        }
    }

    fn restrict(&mut self, _: Segments) {}

    fn restore(&mut self, before: &Window) {
        self.0.restore(before.cwnd.floor());
    }

    fn pacing(&self) -> Option<Rate> {
        Some(Rate::from_raw(self.0.pacing_rate()))
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out(STATE, Value::State(self.0.state()));
        out(
            MAX_BW,
            Value::BitRate(Rate::from_raw(self.0.max_bw()).as_bits_per_second()),
        );
    }
}
