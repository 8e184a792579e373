//! In steady state nothing is allocated. This is a separate test binary because the allocation counter
//! counts for the whole process.

use std::alloc::System;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Output};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::receiver::{Causes, ReceiverConfig};
use dumbbell_tfrc::sender::{Law, SenderConfig, VenoConfig};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const PLACES: usize = 4096;

/// So many packets are on the path at most.
const HELD: usize = 1_000;

/// A path with a delay of 50 ms that keeps packets in order, loses one of twenty, and drops what it does not hold.
struct Pipe {
    packets: Vec<Data>,
    first: usize,
    count: u64,
    lost: u64,
}

impl Output for Pipe {
    fn transmit(&mut self, data: Data) {
        if self.packets.len() - self.first < HELD {
            assert!(self.packets.len() < self.packets.capacity());
            self.packets.push(data);
        }
    }
}

const DELAY: Duration = Duration::from_millis(50);

impl Pipe {
    fn arriving(&mut self, now: Instant) -> Option<(Data, bool)> {
        let data = *self.packets.get(self.first)?;
        if data.sent_at + DELAY > now {
            return None;
        }
        self.first += 1;
        if self.first == self.packets.len() {
            self.packets.clear();
            self.first = 0;
        } else if self.packets.len() + HELD > PLACES {
            self.packets.drain(..self.first);
            self.first = 0;
        }
        self.count += 1;
        let lost = self.count.is_multiple_of(20);
        self.lost += u64::from(lost);
        Some((data, lost))
    }
}

fn run(
    sender: &mut MultiSender,
    receiver: &mut MultiReceiver,
    pipe: &mut Pipe,
    from: u64,
    to: u64,
) {
    for ms in from..to {
        let now = Instant::from_nanos(ms * 1_000_000);
        sender.on_timer(now, pipe);
        let mut heard = receiver.on_deadline(now);
        while let Some((data, lost)) = pipe.arriving(now) {
            let told = if lost {
                receiver.on_cause(now, data.connection, data.seq, Cause::Link)
            } else {
                let arrival = Arrival {
                    data,
                    bytes: 1000,
                    marked: false,
                };
                receiver.on_data(now, &arrival)
            };
            heard = told.or(heard);
            if let Some(feedback) = heard.take() {
                let bytes = feedback
                    .encode()
                    .expect("a receiver's feedback can be encoded");
                assert!(bytes.as_ref().len() >= 42);
                sender.on_feedback(now, &feedback, pipe);
            }
        }
    }
}

#[test]
fn packets_and_feedback_allocate_nothing() {
    // The thread that started the test may allocate at the same time, if it is late; the connections
    // themselves do the same every time.
    let mut counts = (0..3).map(|_| allocations());
    assert!(counts.any(|count| count == 0));
}

/// Returns the number of allocations in 20 s.
fn allocations() -> usize {
    let config = SenderConfig {
        law: Law::Veno(VenoConfig::default()),
        ..SenderConfig::rfc5348(1000)
    };
    let mut sender = MultiSender::backlogged(config, ParallelConfig::default());
    let mut receiver = MultiReceiver::new(ReceiverConfig {
        causes: Causes::AccessPoint,
        ..ReceiverConfig::rfc5348(1000)
    });
    let mut pipe = Pipe {
        packets: Vec::with_capacity(PLACES),
        first: 0,
        count: 0,
        lost: 0,
    };
    sender.start(Instant::ZERO, &mut pipe);
    let region = Region::new(ALLOCATOR);
    run(&mut sender, &mut receiver, &mut pipe, 0, 20_000);
    let change = region.change();
    assert!(pipe.count > 1_000 && pipe.lost > 50 && sender.states().len() > 3);
    change.allocations + change.reallocations
}
