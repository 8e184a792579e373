//! A sender, with methods that pass it events and return what it sends.

use dumbbell_control::event::Path;
use dumbbell_control::registry::{Any as Control, AnyConfig};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use dumbbell_tcp::config::SenderConfig;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::recovery::Any;
use dumbbell_tcp::segment::{AckSegment, Echo, Output, SackBlock, Segment};
use dumbbell_tcp::sender::Sender;

#[derive(Default)]
pub struct Wire {
    pub sent: Vec<u64>,
    pub segments: Vec<Segment>,
    pub opened: u32,
}

impl Output for Wire {
    fn transmit(&mut self, segment: Segment) {
        self.sent.push(segment.seq);
        self.segments.push(segment);
    }
    fn open(&mut self) {
        self.opened += 1;
    }
}

pub struct Story {
    pub sender: Sender<Control>,
    pub wire: Wire,
    pub now: Instant,
    /// The further fields of the ACKs.
    pub ece: bool,
    pub marks: Option<u64>,
    pub marked: bool,
    pub aqt: Option<Aqt>,
}

impl Story {
    /// A connection that has just sent its first window.
    pub fn new(recovery: Any, window: u32, config: SenderConfig) -> Self {
        Self::with_control("reno", recovery, window, config)
    }

    pub fn with_control(name: &str, recovery: Any, window: u32, config: SenderConfig) -> Self {
        Self::below(Segments::ONE, name, recovery, window, config)
    }

    /// The same, with a slow-start threshold.
    pub fn below(
        ssthresh: Segments,
        name: &str,
        recovery: Any,
        window: u32,
        config: SenderConfig,
    ) -> Self {
        let path = Path::new(Bytes(1000))
            .with_initial_window(Segments::whole(window))
            .with_ssthresh(ssthresh);
        let control = AnyConfig::named(name).expect("a built-in control");
        let departures = config.departures && control.needs().pacing;
        let config = SenderConfig {
            departures,
            ..config
        };
        Self::of(control.build(&path), recovery, config)
    }

    /// The same with this control.
    pub fn of(control: Control, recovery: Any, config: SenderConfig) -> Self {
        let mut story = Self {
            sender: Sender::new(config, control, recovery),
            wire: Wire::default(),
            now: Instant::ZERO + Duration::from_secs(1),
            ece: false,
            marks: None,
            marked: false,
            aqt: None,
        };
        story.sender.start(story.now, &mut story.wire);
        story
    }

    pub fn wait(&mut self, ms: u64) -> &mut Self {
        self.now = self.now + Duration::from_millis(ms);
        self
    }

    /// Passes an ACK triggered by segment `trigger`. Returns the numbers of the segments sent on it.
    pub fn ack_by(&mut self, ack: u64, trigger: u64, blocks: &[(u64, u64)]) -> Vec<u64> {
        let echo = Echo::Exact {
            trigger,
            received_at: self.now,
        };
        self.ack_with(ack, echo, blocks)
    }

    /// Passes an ACK that echoes a stamp of the timestamps option, in ms. Returns what is sent on it.
    pub fn stamped(&mut self, ack: u64, echo: u32, blocks: &[(u64, u64)]) -> Vec<u64> {
        let value = (self.now.as_nanos() / 1_000_000) as u32;
        self.ack_with(ack, Echo::Timestamps { value, echo }, blocks)
    }

    fn ack_with(&mut self, ack: u64, echo: Echo, blocks: &[(u64, u64)]) -> Vec<u64> {
        let blocks: Vec<_> = blocks
            .iter()
            .map(|&(start, end)| SackBlock { start, end })
            .collect();
        let segment = AckSegment {
            ack,
            echo,
            blocks: &blocks,
            ece: self.ece,
            marks: self.marks,
            aqt: self.aqt,
            marked: self.marked,
        };
        self.sender.on_ack(self.now, &segment, &mut self.wire);
        std::mem::take(&mut self.wire.sent)
    }

    pub fn ack(&mut self, ack: u64) -> Vec<u64> {
        self.ack_by(ack, ack.wrapping_sub(1), &[])
    }

    pub fn duplicates(&mut self, ack: u64, count: u32) -> Vec<u64> {
        (0..count)
            .flat_map(|_| self.ack_by(ack, ack, &[]))
            .collect()
    }

    /// Sets the total number of segments to send. Returns the numbers of the segments sent then.
    pub fn offer(&mut self, size: u64) -> Vec<u64> {
        self.sender.offer(self.now, size, &mut self.wire);
        std::mem::take(&mut self.wire.sent)
    }

    pub fn expire(&mut self) -> Vec<u64> {
        self.now = self.sender.deadline().expect("the timer runs");
        self.sender.on_timer(self.now, &mut self.wire);
        std::mem::take(&mut self.wire.sent)
    }

    pub fn sent(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.wire.sent)
    }

    /// The window with its inflation, and the threshold.
    pub fn window(&self) -> (f64, f64) {
        let (window, inflation) = self.sender.window();
        (
            window.cwnd.as_f64() + inflation as f64,
            window.ssthresh.as_f64(),
        )
    }
}

pub fn plain() -> SenderConfig {
    SenderConfig {
        handshake: false,
        limited_transmit: false,
        ..SenderConfig::default()
    }
}
