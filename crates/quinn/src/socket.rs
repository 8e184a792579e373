//! A socket that adds three times to each datagram, and removes them again: when it left, when the newest datagram of the
//! peer left by the peer's clock, and when that arrived.
//!
//! | bytes from the end | content |
//! |---|---|
//! | 24 to 17 | when this datagram left, by the clock of this end |
//! | 16 to 9 | the same of the newest datagram that came from the peer; 0 before the first |
//! | 8 to 1 | when that came, by the clock of this end |
//!
//! Times are nanoseconds since the socket was made, and at least 1, in network order. They are outside of QUIC's
//! protection: who can change datagrams can change them, and with them how fast the peer sends, as by delaying or
//! dropping datagrams.

use std::io::{self, IoSliceMut};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time;

use dumbbell_quic::Clock;
use dumbbell_quic::control::event::Stamps;
use dumbbell_quic::control::units::Instant;
use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, UdpPoller};

use crate::times::Times;

/// Bytes that the socket adds to each datagram. They count for the path MTU: quinn's datagrams must be smaller by so
/// much, as its MTU discovery finds out by itself.
pub const TRAILER: usize = 24;

/// A socket of a connection whose two ends tell each other when datagrams arrived. Both ends need one; an endpoint with
/// it has one peer.
#[derive(Debug)]
pub struct TimedSocket {
    socket: Arc<dyn AsyncUdpSocket>,
    clock: Clock,
    times: Times,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the newest datagram of the peer left, by its clock, and when it came.
    newest: Option<[Instant; 2]>,
    /// A datagram with its times.
    leaving: Vec<u8>,
}

impl TimedSocket {
    /// Wraps a socket, which a runtime of quinn makes from one of the standard library (`Runtime::wrap_udp_socket`).
    /// What the peer tells goes to `times`, for [`Factory::timed`](crate::Factory::timed).
    pub fn new(socket: Arc<dyn AsyncUdpSocket>, times: Times) -> Self {
        Self {
            socket,
            clock: Clock::new(time::Instant::now()),
            times,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the times from the datagrams of a buffer, and moves the datagrams together.
    fn strip(&self, buffer: &mut [u8], meta: &mut RecvMeta) {
        let now = self.clock.at(time::Instant::now());
        let stride = meta.stride.max(1);
        let (mut from, mut to) = (0, 0);
        while from < meta.len {
            let length = stride.min(meta.len - from);
            // What is too short has no times: quinn drops it, since it is none of its packets either.
            let content = length.saturating_sub(TRAILER);
            if let Some(trailer) = buffer[from..from + length].last_chunk::<TRAILER>() {
                self.learn(now, trailer);
            }
            buffer.copy_within(from..from + content, to);
            (from, to) = (from + length, to + content);
        }
        meta.len = to;
        meta.stride = stride.saturating_sub(TRAILER);
    }

    fn learn(&self, now: Instant, trailer: &[u8; TRAILER]) {
        let time = |place: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&trailer[place * 8..place * 8 + 8]);
            Instant::from_nanos(u64::from_be_bytes(bytes))
        };
        let [left, ours, came] = [0, 1, 2].map(time);
        let mut state = self.state();
        if state.newest.is_none_or(|[newest, _]| left > newest) {
            state.newest = Some([left, now]);
        }
        // The peer cannot have what has not left yet.
        if ours > Instant::ZERO && ours <= now {
            self.times.tell(Stamps {
                sent_at: ours,
                received_at: came,
            });
        }
    }
}

impl AsyncUdpSocket for TimedSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.socket).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let mut state = self.state();
        let left = self.clock.at(time::Instant::now());
        let [theirs, came] = state.newest.unwrap_or([Instant::ZERO; 2]);
        let leaving = &mut state.leaving;
        leaving.clear();
        leaving.extend_from_slice(transmit.contents);
        for time in [left, theirs, came] {
            leaving.extend_from_slice(&time.as_nanos().to_be_bytes());
        }
        self.socket.try_send(&Transmit {
            destination: transmit.destination,
            ecn: transmit.ecn,
            contents: leaving,
            segment_size: None,
            src_ip: transmit.src_ip,
        })
    }

    fn poll_recv(
        &self,
        context: &mut Context<'_>,
        buffers: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let count = ready!(self.socket.poll_recv(context, buffers, meta))?;
        for (buffer, meta) in buffers.iter_mut().zip(meta).take(count) {
            self.strip(buffer, meta);
        }
        Poll::Ready(Ok(count))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    // Each datagram has its own times.
    fn max_transmit_segments(&self) -> usize {
        1
    }

    // quinn's buffers have room for so many datagrams of its own, which are smaller.
    fn max_receive_segments(&self) -> usize {
        self.socket.max_receive_segments() + 1
    }

    fn may_fragment(&self) -> bool {
        self.socket.may_fragment()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A socket that keeps what it is to send, and receives what it is given.
    #[derive(Debug, Default)]
    struct Desk {
        sent: Mutex<Vec<Vec<u8>>>,
        given: Mutex<Option<(Vec<u8>, usize)>>,
    }

    impl AsyncUdpSocket for Desk {
        fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
            unreachable!("it always takes what is sent")
        }

        fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
            let sent = transmit.contents.to_vec();
            self.sent.lock().expect("one thread").push(sent);
            Ok(())
        }

        fn poll_recv(
            &self,
            _: &mut Context<'_>,
            buffers: &mut [IoSliceMut<'_>],
            meta: &mut [RecvMeta],
        ) -> Poll<io::Result<usize>> {
            let Some((bytes, stride)) = self.given.lock().expect("one thread").take() else {
                return Poll::Pending;
            };
            buffers[0][..bytes.len()].copy_from_slice(&bytes);
            (meta[0].len, meta[0].stride) = (bytes.len(), stride);
            Poll::Ready(Ok(1))
        }

        fn local_addr(&self) -> io::Result<SocketAddr> {
            Ok(SocketAddr::from(([10, 0, 0, 1], 1)))
        }
    }

    struct End {
        desk: Arc<Desk>,
        socket: TimedSocket,
        times: Times,
    }

    impl End {
        fn new() -> Self {
            let desk = Arc::new(Desk::default());
            let times = Times::default();
            let socket = TimedSocket::new(desk.clone(), times.clone());
            Self {
                desk,
                socket,
                times,
            }
        }

        /// Sends this, and returns the datagram on the wire.
        fn send(&self, contents: &[u8]) -> Vec<u8> {
            let transmit = Transmit {
                destination: SocketAddr::from(([10, 0, 0, 2], 1)),
                ecn: None,
                contents,
                segment_size: None,
                src_ip: None,
            };
            self.socket.try_send(&transmit).expect("it takes it");
            let mut sent = self.desk.sent.lock().expect("one thread");
            sent.pop().expect("a datagram")
        }

        /// Receives datagrams that the kernel has joined, and returns what quinn sees, and the distance.
        fn receive(&self, bytes: Vec<u8>, stride: usize) -> (Vec<u8>, usize) {
            *self.desk.given.lock().expect("one thread") = Some((bytes, stride));
            let mut buffer = [0; 500];
            let mut meta = [RecvMeta::default()];
            let mut context = Context::from_waker(std::task::Waker::noop());
            let mut buffers = [IoSliceMut::new(&mut buffer)];
            let polled = self.socket.poll_recv(&mut context, &mut buffers, &mut meta);
            assert!(matches!(polled, Poll::Ready(Ok(1))));
            let length = meta[0].len;
            (buffer[..length].to_vec(), meta[0].stride)
        }
    }

    #[test]
    fn the_peer_tells_when_a_datagram_came_by_its_own_clock() {
        let (sender, receiver) = (End::new(), End::new());
        let first = sender.send(b"one");
        assert_eq!(first.len(), 3 + TRAILER);
        assert_eq!(receiver.receive(first, 27), (b"one".to_vec(), 3));
        // Nothing of the receiver has come to the sender yet.
        assert_eq!(receiver.times.take(), None);
        let ack = receiver.send(b"ack");
        assert_eq!(sender.receive(ack, 27).0, b"ack");
        let told = sender.times.take().expect("the peer has told");
        assert!(told.sent_at > Instant::ZERO && told.received_at > Instant::ZERO);
        assert_eq!(sender.times.take(), None);
        // A later datagram has later times, and a copy of the first changes nothing.
        let (first, second) = (sender.send(b"two"), sender.send(b"three"));
        receiver.receive(second, 29);
        receiver.receive(first, 27);
        sender.receive(receiver.send(b"ack"), 27);
        let later = sender.times.take().expect("the peer has told");
        assert!(later.sent_at > told.sent_at && later.received_at > told.received_at);
    }

    #[test]
    fn joined_datagrams_stay_datagrams_and_short_ones_are_emptied() {
        let (sender, receiver) = (End::new(), End::new());
        let joined = [
            sender.send(b"four"),
            sender.send(b"five"),
            sender.send(b"6"),
        ]
        .concat();
        let seen = receiver.receive(joined, 4 + TRAILER);
        assert_eq!(seen, (b"fourfive6".to_vec(), 4));
        assert_eq!(receiver.receive(vec![1; 10], 10), (Vec::new(), 0));
    }

    #[test]
    fn times_of_what_never_left_are_not_believed() {
        let sender = End::new();
        let mut forged = b"ack".to_vec();
        for time in [1, u64::MAX, 5] {
            forged.extend_from_slice(&time.to_be_bytes());
        }
        sender.receive(forged, 27);
        assert_eq!(sender.times.take(), None);
    }
}
