//! MULTFRC: several TFRC connections in parallel, whose number follows a control rule ("TFRC Veno",
//! section II; Chen and Zakhor).
//!
//! | event | action |
//! |---|---|
//! | a control period ends | n is updated by the rule of [`parallel`](crate::parallel) |
//! | floor(n) is above the number of connections | new connections begin, each with its own slow start and loss history |
//! | floor(n) is below it | the newest connections are closed |
//!
//! Packets and feedback carry the number of their connection. Connections have slots 0 to 15, with the
//! oldest in slot 0. The number of a connection is its slot plus 16 for each earlier connection in the
//! same slot.
//!
//! *Reading.* The round-trip samples of all connections form one mean. The length of a control period is
//! computed from the mean round-trip time of the connection whose feedback ended the previous period.

use dumbbell_control::units::Instant;

use crate::packet::{Arrival, Cause, Feedback, Output};
use crate::parallel::{MAX_CONNECTIONS, Parallel, ParallelConfig};
use crate::receiver::{self, Receiver, ReceiverConfig};
use crate::sender::connection::Connection;
use crate::sender::supply::Supply;
use crate::sender::{self, SenderConfig, State};

/// The difference between the numbers of successive connections in a slot.
const PLACES: u32 = MAX_CONNECTIONS as u32;

/// The sending end of a bundle of connections.
#[derive(Clone, Debug)]
pub struct MultiSender {
    config: SenderConfig,
    parallel: Parallel,
    supply: Supply,
    /// The connections, the oldest first.
    connections: Vec<Connection>,
    /// When each of them has something to do, and the earliest of these times.
    deadlines: Vec<Instant>,
    next: Option<Instant>,
    /// The number of the next connection in each slot.
    numbers: [u32; MAX_CONNECTIONS],
    /// The counters of closed connections.
    past: sender::Counters,
}

impl MultiSender {
    /// Makes a sender that always has something to send.
    pub fn backlogged(config: SenderConfig, parallel: ParallelConfig) -> Self {
        Self {
            config,
            parallel: Parallel::new(parallel),
            supply: Supply::ENDLESS,
            connections: Vec::with_capacity(MAX_CONNECTIONS),
            deadlines: Vec::with_capacity(MAX_CONNECTIONS),
            next: None,
            numbers: std::array::from_fn(|place| place as u32),
            past: sender::Counters::default(),
        }
    }

    /// Makes a sender that only sends the packets offered to it.
    pub fn offered(config: SenderConfig, parallel: ParallelConfig) -> Self {
        Self {
            supply: Supply::default(),
            ..Self::backlogged(config, parallel)
        }
    }

    /// Starts the first connection.
    pub fn start(&mut self, now: Instant, out: &mut impl Output) {
        if self.connections.is_empty() {
            self.open(now);
        }
        self.on_timer(now, out);
    }

    /// Returns when [`on_timer`](Self::on_timer) must be called next; `None` before the start.
    pub fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// Handles the passing of time: every connection sends the packets that are due.
    pub fn on_timer(&mut self, now: Instant, out: &mut impl Output) {
        let mut next: Option<Instant> = None;
        for (connection, deadline) in self.connections.iter_mut().zip(&mut self.deadlines) {
            if *deadline <= now {
                connection.on_timer(now, &mut self.supply, out);
                *deadline = connection.deadline(&self.supply);
            }
            next = Some(next.map_or(*deadline, |next| next.min(*deadline)));
        }
        self.next = next;
        self.note_end_of_supply();
    }

    /// Handles feedback; feedback for a closed connection is ignored.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut impl Output) {
        let place = (feedback.connection % PLACES) as usize;
        let Some(connection) = self.connections.get_mut(place) else {
            self.past.ignored += 1;
            return;
        };
        let sample = connection.on_feedback(now, feedback, &mut self.supply, out);
        self.deadlines[place] = connection.deadline(&self.supply);
        self.next = self.deadlines.iter().min().copied();
        self.note_end_of_supply();
        if let Some(sample) = sample
            && self.parallel.on_sample(now, sample.rtt, sample.mean)
        {
            self.resize(now, out);
        }
    }

    /// Adds packets that the application has to send.
    pub fn offer(&mut self, now: Instant, packets: u64, out: &mut impl Output) {
        self.offer_late(now, now, packets, out);
    }

    /// As [`offer`](Self::offer), for packets that were ready at `since`, although their host comes only now. What it is late
    /// costs no send times, up to 50 ms and a round-trip time.
    pub fn offer_late(
        &mut self,
        now: Instant,
        since: Instant,
        packets: u64,
        out: &mut impl Output,
    ) {
        let begins = self.supply.add(packets).then_some(since);
        if packets > 0 {
            for connection in &mut self.connections {
                connection.on_supply(now, begins, &mut self.supply, out);
            }
            self.find_deadlines();
        }
    }

    /// Discards all waiting packets; from now on only newly offered packets are sent.
    pub fn stop(&mut self) {
        self.supply = Supply::default();
        self.find_deadlines();
    }

    /// Returns the number of offered packets that are waiting; `None` if the sender always has something
    /// to send.
    pub fn waiting(&self) -> Option<u64> {
        self.supply.waiting()
    }

    /// Returns the state of the rule that controls n.
    pub fn parallel(&self) -> &Parallel {
        &self.parallel
    }

    /// Returns the state of every connection, the oldest first.
    pub fn states(&self) -> impl ExactSizeIterator<Item = State> + '_ {
        self.connections.iter().map(Connection::state)
    }

    /// Returns the counters of all connections together, including closed ones.
    pub fn counters(&self) -> sender::Counters {
        self.connections
            .iter()
            .map(|connection| connection.counters)
            .fold(self.past, sum)
    }

    fn resize(&mut self, now: Instant, out: &mut impl Output) {
        let wanted = (self.parallel.n() as usize).clamp(1, MAX_CONNECTIONS);
        while self.connections.len() > wanted {
            if let Some(closed) = self.connections.pop() {
                self.past = sum(self.past, closed.counters);
            }
            self.deadlines.pop();
        }
        self.next = self.deadlines.iter().min().copied();
        if self.connections.len() < wanted {
            while self.connections.len() < wanted {
                self.open(now);
            }
            self.on_timer(now, out);
        }
    }

    fn open(&mut self, now: Instant) {
        let number = &mut self.numbers[self.connections.len()];
        let connection = Connection::new(now, *number, &self.config);
        *number = number.wrapping_add(PLACES);
        self.deadlines.push(connection.deadline(&self.supply));
        self.connections.push(connection);
    }

    /// Called when packets may have been taken from what there is to send. With nothing left, no connection has
    /// to send.
    #[inline]
    fn note_end_of_supply(&mut self) {
        if !self.supply.is_endless() {
            self.find_deadlines();
        }
    }

    /// Called when what there is to send may have begun or ended for every connection.
    fn find_deadlines(&mut self) {
        let deadlines = self.connections.iter();
        let deadlines = deadlines.map(|connection| connection.deadline(&self.supply));
        self.deadlines.clear();
        self.deadlines.extend(deadlines);
        self.next = self.deadlines.iter().min().copied();
    }
}

fn sum(one: sender::Counters, other: sender::Counters) -> sender::Counters {
    sender::Counters {
        sent: one.sent + other.sent,
        feedback: one.feedback + other.feedback,
        ignored: one.ignored + other.ignored,
        expiries: one.expiries + other.expiries,
    }
}

/// The receiving end of a bundle: a receiver for each connection.
#[derive(Clone, Debug)]
pub struct MultiReceiver {
    config: ReceiverConfig,
    /// The receivers by slot.
    receivers: Vec<Place>,
    /// The earliest of their deadlines.
    deadline: Option<Instant>,
    past: receiver::Counters,
}

#[derive(Clone, Debug)]
struct Place {
    /// The number of the newest connection in the slot.
    number: u32,
    receiver: Receiver,
}

impl MultiReceiver {
    /// Makes a receiver that waits for the first packet of any connection.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            receivers: Vec::with_capacity(MAX_CONNECTIONS),
            deadline: None,
            past: receiver::Counters::default(),
        }
    }

    /// Returns when [`on_deadline`](Self::on_deadline) must be called; `None` if no timer is set.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Handles a data packet; returns feedback if it must be sent now. Packets of a connection that a
    /// newer one has replaced are ignored.
    pub fn on_data(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback> {
        let place = self.place_of(arrival.data.connection)?;
        let before = place.receiver.deadline();
        let feedback = place.receiver.on_data(now, arrival);
        if place.receiver.deadline() != before {
            self.find_deadline();
        }
        feedback
    }

    /// Handles an expired [`deadline`](Self::deadline); returns feedback of one connection if it must be
    /// sent now. Call it until the deadline is in the future or `None`.
    pub fn on_deadline(&mut self, now: Instant) -> Option<Feedback> {
        let mut places = self.receivers.iter_mut();
        let feedback = places.find_map(|place| place.receiver.on_deadline(now));
        self.find_deadline();
        feedback
    }

    /// Handles the cause of a packet's loss; returns feedback if it must be sent now.
    pub fn on_cause(
        &mut self,
        now: Instant,
        connection: u32,
        seq: u64,
        cause: Cause,
    ) -> Option<Feedback> {
        let place = self.place_of(connection)?;
        let feedback = place.receiver.on_cause(now, seq, cause);
        self.find_deadline();
        feedback
    }

    /// Returns the receivers of the newest connections, by slot; those of closed connections stay until
    /// they are replaced.
    pub fn receivers(&self) -> impl ExactSizeIterator<Item = &Receiver> {
        self.receivers.iter().map(|place| &place.receiver)
    }

    /// Returns the counters of all connections together.
    pub fn counters(&self) -> receiver::Counters {
        self.receivers
            .iter()
            .fold(self.past, |sum, place| sum + place.receiver.counters())
    }

    /// Returns the slot of a connection that is new or the newest in its slot.
    fn place_of(&mut self, number: u32) -> Option<&mut Place> {
        let index = (number % PLACES) as usize;
        let newest = self.receivers.get(index).map(|place| place.number);
        if newest != Some(number) {
            self.make_place(index, number)?;
        }
        self.receivers.get_mut(index)
    }

    /// Makes a new receiver in a slot; `None` if the slot has a newer connection.
    #[cold]
    fn make_place(&mut self, index: usize, number: u32) -> Option<()> {
        while self.receivers.len() <= index {
            let number = self.receivers.len() as u32;
            self.receivers.push(Place {
                number,
                receiver: Receiver::new(number, self.config),
            });
        }
        let place = &mut self.receivers[index];
        // Numbers wrap around.
        let ahead = number.wrapping_sub(place.number) as i32;
        if ahead < 0 {
            return None;
        }
        if ahead > 0 {
            self.past = self.past + place.receiver.counters();
            *place = Place {
                number,
                receiver: Receiver::new(number, self.config),
            };
            self.find_deadline();
        }
        Some(())
    }

    /// Called when the deadline of a receiver may have changed.
    fn find_deadline(&mut self) {
        let deadlines = self.receivers.iter();
        self.deadline = deadlines
            .filter_map(|place| place.receiver.deadline())
            .min();
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_control::units::Duration;

    use super::*;
    use crate::packet::Data;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn answer(data: &Data, at: u64, rtt: u64) -> Feedback {
        Feedback {
            connection: data.connection,
            t_recvdata: data.sent_at,
            t_delay: ms(at).since(data.sent_at + Duration::from_millis(rtt)),
            x_recv: 50_000.0,
            p: 0.01,
            p_wireless: None,
            loss_events: 1,
        }
    }

    /// Every 100 ms, answers the newest packet of every connection that has arrived.
    fn run(sender: &mut MultiSender, from: u64, until: u64, rtt: u64) -> Vec<Data> {
        let mut all = Vec::new();
        let mut unheard = 0;
        for at in (from..until).step_by(100) {
            while let Some(due) = sender.deadline().filter(|&due| due <= ms(at)) {
                sender.on_timer(due, &mut all);
            }
            let mut newest: Vec<Data> = Vec::new();
            while unheard < all.len() && all[unheard].sent_at + Duration::from_millis(rtt) <= ms(at)
            {
                let data = all[unheard];
                newest.retain(|other| other.connection != data.connection);
                newest.push(data);
                unheard += 1;
            }
            for data in newest {
                sender.on_feedback(ms(at), &answer(&data, at, rtt), &mut all);
            }
        }
        all
    }

    fn sender() -> MultiSender {
        let config = SenderConfig::rfc5348(1000);
        MultiSender::backlogged(config, ParallelConfig::default())
    }

    #[test]
    fn connections_open_while_the_path_is_quiet_and_close_when_it_fills() {
        let mut sender = sender();
        let mut sent = Vec::new();
        sender.start(ms(0), &mut sent);
        assert_eq!((sender.states().len(), sent.len()), (1, 1));
        run(&mut sender, 100, 20_000, 20);
        let many = sender.states().len();
        assert!(many >= 4, "{many}");
        assert_eq!(many, sender.parallel().n() as usize);
        let sent = run(&mut sender, 20_000, 60_000, 60);
        assert_eq!(sender.states().len(), 1);
        // The remaining connection is the first one.
        assert_eq!(sent.last().unwrap().connection, 0);
    }

    #[test]
    fn a_slot_gets_a_new_number_with_each_connection() {
        let mut sender = sender();
        for time in 0..3 {
            sender.open(ms(time));
        }
        sender.connections.truncate(1);
        sender.open(ms(9));
        let numbers: Vec<_> = sender.connections.iter().map(Connection::id).collect();
        assert_eq!(numbers, [0, 17]);
    }

    #[test]
    fn feedback_of_a_closed_connection_is_ignored() {
        let mut sender = sender();
        let mut sent = Vec::new();
        sender.start(ms(0), &mut sent);
        let data = Data {
            connection: 3,
            ..Data::default()
        };
        sender.on_feedback(ms(100), &answer(&data, 100, 50), &mut sent);
        let older = Data {
            connection: 16,
            ..Data::default()
        };
        sender.on_feedback(ms(100), &answer(&older, 100, 50), &mut sent);
        assert_eq!(sender.counters().ignored, 2);
        assert_eq!(sender.counters().feedback, 0);
    }

    fn arrival(connection: u32, seq: u64) -> Arrival {
        Arrival {
            data: Data {
                connection,
                seq,
                rtt: Some(Duration::from_millis(100)),
                ..Data::default()
            },
            bytes: 1000,
            marked: false,
        }
    }

    #[test]
    fn each_connection_has_a_receiver_and_a_new_one_replaces_it() {
        let mut receiver = MultiReceiver::new(ReceiverConfig::rfc5348(1000));
        for connection in [0, 2, 18] {
            let feedback = receiver.on_data(ms(10), &arrival(connection, 0)).unwrap();
            assert_eq!((feedback.connection, feedback.x_recv), (connection, 0.0));
        }
        assert_eq!(receiver.on_data(ms(20), &arrival(2, 1)), None);
        assert_eq!(receiver.counters().received, 3);
        assert_eq!(receiver.deadline(), Some(ms(110)));
        receiver.on_data(ms(50), &arrival(0, 1));
        receiver.on_data(ms(50), &arrival(18, 1));
        let told: Vec<_> = std::iter::from_fn(|| receiver.on_deadline(ms(110))).collect();
        let connections: Vec<_> = told.iter().map(|one| one.connection).collect();
        assert_eq!(connections, [0, 18]);
    }
}
