//! Two endpoints of a stack in virtual time, with a link of constant delay between them. The tests of each stack that
//! descends from quinn share this file; `stack` is what differs.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use rustls::RootCertStore;
use rustls::pki_types::PrivatePkcs8KeyDer;

use crate::stack;
use crate::stack::proto::congestion::ControllerFactory;
use crate::stack::proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event, ReadError,
    ServerConfig, StreamEvent, StreamId, TransportConfig,
};

/// Two endpoints: the client sends data to the server.
pub struct Pair {
    client: End,
    server: End,
    pub now: Instant,
    /// The link from the client to the server.
    pub link: Link,
    /// Bytes that the server has read, and whether it has read the whole stream.
    pub received: u64,
    pub finished: bool,
}

/// A link of constant delay, which transmits one datagram after another.
pub struct Link {
    pub delay: Duration,
    /// How long the transmission of a datagram takes.
    pub transmission: Duration,
    /// The lost datagrams: indices among the full ones, from 0.
    pub lost: Vec<u64>,
    /// The datagrams that take another path, by index, and how much longer it is.
    pub late: Vec<u64>,
    pub detour: Duration,
    /// What carries datagrams instead: whether to the server, when it leaves, its size; it returns when it arrives.
    pub carrier: Option<Carrier>,
    full: u64,
    idle_at: Instant,
}

/// A model of a network.
pub type Carrier = Box<dyn FnMut(bool, Instant, usize) -> Option<Instant>>;

/// Bytes that windows never limit.
const UNLIMITED: u32 = 100_000_000;

struct End {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    address: SocketAddr,
    inbox: VecDeque<(Instant, BytesMut)>,
}

impl Pair {
    /// A client with a control of `factory`, and a server, before the first datagram.
    pub fn new(factory: Arc<dyn ControllerFactory + Send + Sync>) -> Self {
        Self::with_mtu(factory, 1200)
    }

    /// The same, with datagrams of so many bytes at most.
    pub fn with_mtu(factory: Arc<dyn ControllerFactory + Send + Sync>, mtu: u16) -> Self {
        let certified = rcgen::generate_simple_self_signed(["localhost".into()]).expect("signed");
        let certificate = certified.cert.der().clone();
        let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone()).expect("a certificate");
        let mut server =
            ServerConfig::with_single_cert(vec![certificate], key.into()).expect("TLS");
        let mut wide = TransportConfig::default();
        wide.stream_receive_window(UNLIMITED.into());
        server.transport_config(Arc::new(wide));
        let mut client = ClientConfig::with_root_certificates(Arc::new(roots)).expect("TLS");
        let mut transport = TransportConfig::default();
        transport
            .congestion_controller_factory(factory)
            .initial_mtu(mtu)
            .min_mtu(mtu)
            .send_window(UNLIMITED.into())
            .mtu_discovery_config(None);
        client.transport_config(Arc::new(transport));

        let now = Instant::now();
        let mut pair = Self {
            client: End::new(1, None),
            server: End::new(2, Some(server)),
            now,
            link: Link {
                delay: Duration::from_millis(20),
                transmission: Duration::ZERO,
                lost: Vec::new(),
                late: Vec::new(),
                detour: Duration::ZERO,
                carrier: None,
                full: 0,
                idle_at: now,
            },
            received: 0,
            finished: false,
        };
        let endpoint = &mut pair.client.endpoint;
        let connected = endpoint.connect(now, client, pair.server.address, "localhost");
        pair.client.connection = Some(connected.expect("a connection"));
        pair
    }

    /// The client's connection.
    pub fn client(&mut self) -> &mut Connection {
        &mut self.client.connection.as_mut().expect("connected").1
    }

    /// Sends this many bytes on a new stream, until the server has read all of them or the time limit is reached.
    /// `look` is called after each event of the client.
    pub fn transfer(&mut self, bytes: usize, limit: Duration, mut look: impl FnMut(&Connection)) {
        let end = self.now + limit;
        let mut stream = None;
        while !self.finished && self.now < end {
            if stream.is_none() && !self.client().is_handshaking() {
                stream = self.client().streams().open(Dir::Uni);
                let stream = stream.expect("a stream");
                let written = self.client().send_stream(stream).write(&vec![0; bytes]);
                assert_eq!(written, Ok(bytes));
                self.client()
                    .send_stream(stream)
                    .finish()
                    .expect("all is written");
            }
            self.exchange();
            let next = [&mut self.client, &mut self.server].map(End::next);
            let Some(next) = next.into_iter().flatten().min() else {
                return;
            };
            self.now = self.now.max(next);
            self.client
                .take_due(self.now, self.server.address, &mut look);
            self.server
                .take_due(self.now, self.client.address, &mut |_| {});
            self.read();
        }
    }

    /// Sends the pending datagrams of both endpoints.
    fn exchange(&mut self) {
        for datagram in self.client.transmit(self.now) {
            if let Some(arrival) = self.link.pass(self.now, datagram.len()) {
                let inbox = &mut self.server.inbox;
                let place = inbox.partition_point(|(at, _)| *at <= arrival);
                inbox.insert(place, (arrival, datagram));
            }
        }
        for datagram in self.server.transmit(self.now) {
            let arrival = match &mut self.link.carrier {
                Some(carrier) => carrier(false, self.now, datagram.len()),
                None => Some(self.now + self.link.delay),
            };
            self.client
                .inbox
                .extend(arrival.map(|arrival| (arrival, datagram)));
        }
    }

    fn read(&mut self) {
        let Some((_, server)) = &mut self.server.connection else {
            return;
        };
        let mut readable: Vec<StreamId> = Vec::new();
        while let Some(event) = server.poll() {
            match event {
                Event::Stream(StreamEvent::Opened { dir }) => {
                    readable.extend(server.streams().accept(dir));
                }
                Event::Stream(StreamEvent::Readable { id }) => readable.push(id),
                Event::ConnectionLost { reason } => panic!("{reason}"),
                _ => {}
            }
        }
        for id in readable {
            let mut stream = server.recv_stream(id);
            let Ok(mut chunks) = stream.read(true) else {
                continue;
            };
            loop {
                match chunks.next(usize::MAX) {
                    Ok(Some(chunk)) => self.received += chunk.bytes.len() as u64,
                    Ok(None) => {
                        self.finished = true;
                        break;
                    }
                    Err(ReadError::Blocked) => break,
                    Err(error) => panic!("{error}"),
                }
            }
            let _ = chunks.finalize();
        }
    }
}

impl Link {
    /// The time at which a datagram of this size arrives; `None` if it is lost.
    fn pass(&mut self, now: Instant, size: usize) -> Option<Instant> {
        if let Some(carrier) = &mut self.carrier {
            return carrier(true, now, size);
        }
        self.idle_at = self.idle_at.max(now) + self.transmission;
        if size == 1200 {
            let index = self.full;
            self.full += 1;
            if self.lost.contains(&index) {
                return None;
            }
            if self.late.contains(&index) {
                return Some(self.idle_at + self.delay + self.detour);
            }
        }
        Some(self.idle_at + self.delay)
    }
}

impl End {
    fn new(number: u8, server: Option<ServerConfig>) -> Self {
        Self {
            endpoint: stack::endpoint(number, server),
            connection: None,
            address: SocketAddr::from(([10, 0, 0, number], 443)),
            inbox: VecDeque::new(),
        }
    }

    /// The time of the next event at this endpoint.
    fn next(&mut self) -> Option<Instant> {
        let arrival = self.inbox.front().map(|(at, _)| *at);
        let timer = self.connection.as_mut().and_then(|c| c.1.poll_timeout());
        arrival.into_iter().chain(timer).min()
    }

    fn transmit(&mut self, now: Instant) -> Vec<BytesMut> {
        let mut sent = Vec::new();
        let Some((handle, connection)) = &mut self.connection else {
            return sent;
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
            }
        }
        let mut buffer = Vec::new();
        while stack::leave(connection, now, &mut buffer) {
            sent.push(BytesMut::from(&buffer[..]));
            buffer.clear();
        }
        sent
    }

    /// Handles what has arrived by now and the timers that are due.
    fn take_due(&mut self, now: Instant, from: SocketAddr, look: &mut impl FnMut(&Connection)) {
        while self.inbox.front().is_some_and(|(at, _)| *at <= now) {
            let Some((_, datagram)) = self.inbox.pop_front() else {
                break;
            };
            let mut response = Vec::new();
            let endpoint = &mut self.endpoint;
            match stack::arrive(endpoint, now, from, datagram, &mut response) {
                Some(DatagramEvent::NewConnection(incoming)) => {
                    let accepted = endpoint.accept(incoming, now, &mut response, None);
                    self.connection = Some(accepted.map_err(|e| e.cause).expect("accepted"));
                }
                Some(DatagramEvent::ConnectionEvent(_, event)) => {
                    let (_, connection) = self.connection.as_mut().expect("it has a connection");
                    connection.handle_event(event);
                    look(connection);
                }
                _ => {}
            }
        }
        if let Some((_, connection)) = &mut self.connection
            && connection.poll_timeout().is_some_and(|timer| timer <= now)
        {
            connection.handle_timeout(now);
            look(connection);
        }
    }
}
