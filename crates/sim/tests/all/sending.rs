//! Transmitters in the straightforward simulator: a rate over time, a token bucket, and requests.

use dumbbell_sim::{InService, Link, Transmission};

use crate::tokens::Tokens;

/// The state of the transmitter of a link that does not always send at the link's rate.
pub struct Sender {
    own: Transmission,
    rate: u64,
    tokens: Option<Tokens>,
    /// Whether the first packet of the queue is in transmission.
    pub busy: bool,
}

impl Sender {
    /// Returns `None` for other links.
    pub fn new(link: &Link) -> Option<Self> {
        let own = link.transmission.as_deref()?.clone();
        Some(Self {
            tokens: (own.shaper).map(|shaper| Tokens::new(shaper.rate, shaper.burst)),
            rate: link.rate,
            own,
            busy: false,
        })
    }

    /// Returns when a packet of this size can start that nothing is in front of; `None` if it never can.
    /// `asks` is whether it finds the link idle when it arrives.
    pub fn begin(&self, bytes: u16, now: u64, asks: bool) -> Option<u64> {
        let ready = now + if asks { self.own.request.as_nanos() } else { 0 };
        let filled = self.tokens.as_ref().map_or(0, |all| all.filled(bytes));
        let mut at = ready.max(filled);
        while self.span(at).0 == 0 {
            at = self.span(at).1?;
        }
        Some(at)
    }

    /// Starts a packet now. Returns when it ends; `None` if it never does.
    pub fn start(&mut self, bytes: u16, now: u64) -> Option<u64> {
        if let Some(tokens) = &mut self.tokens {
            tokens.owe(bytes, now);
        }
        self.busy = true;
        let mut left = u128::from(bytes) * 8_000_000_000;
        let finishes = (self.own.rate.as_ref())
            .is_some_and(|varying| varying.in_service == InService::Finishes);
        let mut at = now;
        loop {
            let (rate, until) = self.span(at);
            let room = until.map_or(u128::MAX, |until| u128::from(rate) * u128::from(until - at));
            if rate > 0 && (left <= room || finishes) {
                let time = left as f64 / rate as f64;
                return Some(at + time.round() as u64);
            }
            at = until?;
            left -= room;
        }
    }

    /// Returns the bytes that can be sent in this time from the start of the run.
    pub fn offered(&self, end: u64) -> u64 {
        let (mut bits, mut at) = (0, 0);
        while at < end {
            let (rate, until) = self.span(at);
            let until = until.unwrap_or(end).min(end);
            bits += u128::from(rate) * u128::from(until - at);
            at = until;
        }
        if let Some(shaper) = &self.own.shaper {
            let bucket = u128::from(shaper.burst) * 8_000_000_000;
            bits = bits.min(bucket + u128::from(shaper.rate) * u128::from(end));
        }
        (bits / 8_000_000_000) as u64
    }

    /// Returns the rate at this moment, and until when it lasts, if it ever ends. Follows the steps from the beginning.
    fn span(&self, at: u64) -> (u64, Option<u64>) {
        let Some(varying) = &self.own.rate else {
            return (self.rate, None);
        };
        let steps: Vec<(u64, u64)> = (varying.steps.steps())
            .map(|(start, rate)| (start.as_nanos(), rate))
            .collect();
        let period = varying.steps.period().map(|period| period.as_nanos());
        let mut round = 0;
        while let Some(period) = period
            && at >= round + period
        {
            round += period;
        }
        let place = steps.iter().filter(|step| round + step.0 <= at).count();
        let until = match steps.get(place) {
            Some(next) => Some(round + next.0),
            None => period.map(|period| round + period),
        };
        (steps[place - 1].1, until)
    }
}
