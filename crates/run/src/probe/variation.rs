//! Measures how steadily the flows of a run send.

use dumbbell_scenario as scenario;
use dumbbell_sim::{EndpointId, Port, Time};

use crate::flow::FlowSender;
use crate::flow::wire::Payload;
use crate::time::time;

/// Counts what each flow sends in each bin.
pub(crate) struct Variation {
    /// The endpoint whose timer ends the bins.
    pub(crate) timer: EndpointId,
    bin: Time,
    /// When the next bin begins.
    pub(crate) next: Time,
    /// The packets that each flow had sent when the current bin began; `None` before the first bin.
    sent: Option<Vec<u64>>,
    bins: Vec<Bins>,
}

/// Sums over the bins of a flow.
#[derive(Clone, Copy, Default)]
struct Bins {
    count: u64,
    sum: u64,
    squares: u64,
}

impl Variation {
    /// Creates bins for this many flows. The first begins at `from`; the timer must fire then.
    pub(crate) fn new(
        variation: &scenario::Variation,
        from: Time,
        timer: EndpointId,
        flows: usize,
    ) -> Self {
        Self {
            timer,
            bin: time(variation.bin),
            next: from,
            sent: None,
            bins: vec![Bins::default(); flows],
        }
    }

    /// Ends a bin and begins the next one.
    pub(crate) fn on_timer(&mut self, net: &mut impl Port<Payload>, senders: &[FlowSender]) {
        if let Some(before) = &mut self.sent {
            for ((bins, before), sender) in self.bins.iter_mut().zip(before).zip(senders) {
                let sent = sender.sent();
                bins.add(sent - std::mem::replace(before, sent));
            }
        } else {
            self.sent = Some(senders.iter().map(FlowSender::sent).collect());
        }
        self.next = net.now() + self.bin;
        net.set_timer(self.timer, Some(self.next));
    }

    /// The coefficient of variation of the packets that a flow sent per bin.
    pub(crate) fn of(&self, flow: usize) -> Option<f64> {
        self.bins[flow].variation()
    }
}

impl Bins {
    fn add(&mut self, packets: u64) {
        self.count += 1;
        self.sum += packets;
        self.squares += packets * packets;
    }

    /// Population standard deviation divided by the mean; `None` if no packets were sent.
    fn variation(self) -> Option<f64> {
        let (count, sum) = (self.count as f64, self.sum as f64);
        let variance = (count * self.squares as f64 - sum * sum).max(0.0);
        (self.sum > 0).then(|| variance.sqrt() / sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variation_of_bins_with_8_10_and_12_packets() {
        let mut bins = Bins::default();
        assert_eq!(bins.variation(), None);
        for packets in [8, 10, 12] {
            bins.add(packets);
        }
        // The variance is 8/3 and the mean is 10.
        let found = bins.variation().expect("there are packets");
        assert!((found - 0.163_299).abs() < 1e-6, "{found}");
    }
}
