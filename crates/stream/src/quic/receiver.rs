//! The receiver: it lets senders in that know its token, and plays the stream of one.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use dumbbell_control::units::{Duration, Instant};
use dumbbell_pinned::{Admission, Guard, Identity, Pin, Token};
use quinn::{Connection, Endpoint, Incoming};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::datagrams::{Outgoing, Transport, forward};
use super::error::{Closed, Error};
use super::{ALPN, GOODBYE, Limits, STREAM, STREAMS, runtime, transport};
use crate::drive::{self, Arrived, Clock, LOOK, ROOM};
use crate::receiving::Receiving;

/// A receiver at its address.
pub struct Listener {
    endpoint: Endpoint,
    address: SocketAddr,
    pin: Pin,
    shared: Arc<Shared>,
    /// Those that have shown the token; held while one is played.
    claimed: Mutex<Receiver<Claimed>>,
    // The last that is dropped: the endpoint lives on it.
    runtime: Runtime,
}

/// What became of the connections so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Connections that were let in.
    pub connections: u64,
    /// Those that had to show first that their address is theirs.
    pub validated: u64,
    /// Those that were too many.
    pub turned_away: u64,
    /// Those with another token.
    pub wrong_token: u64,
    /// Those that took too long for the handshake, the token, or the first packet.
    pub slow: u64,
    /// Those that came while another stream was played.
    pub busy: u64,
}

#[derive(Default)]
struct Counts {
    connections: AtomicU64,
    validated: AtomicU64,
    turned_away: AtomicU64,
    wrong_token: AtomicU64,
    slow: AtomicU64,
    busy: AtomicU64,
}

struct Shared {
    token: Token,
    limits: Limits,
    guard: Guard,
    counts: Counts,
    /// Whether a stream is played, or about to be.
    taken: AtomicBool,
    clock: Clock,
}

/// A connection that has shown the token, and its datagrams.
struct Claimed {
    connection: Connection,
    packets: Receiver<Arrived>,
}

impl Listener {
    /// Opens the socket, and lets connections in.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub fn bind(
        listen: SocketAddr,
        identity: &Identity,
        token: Token,
        limits: Limits,
        clock: Clock,
    ) -> Result<Self, Error> {
        let mut config = quinn::ServerConfig::with_crypto(identity.server(ALPN)?);
        let mut transport = transport();
        transport.max_concurrent_uni_streams(STREAMS);
        config
            .transport_config(Arc::new(transport))
            .max_incoming(limits.crowd.connections)
            .incoming_buffer_size(1 << 14)
            .incoming_buffer_size_total(1 << 18);
        let runtime = runtime()?;
        let cannot = |error| Error::Input(format!("cannot listen at {listen}: {error}"));
        let endpoint = {
            let _inside = runtime.enter();
            Endpoint::server(config, listen).map_err(cannot)?
        };
        let address = endpoint.local_addr().map_err(cannot)?;
        let (claim, claimed) = sync_channel(1);
        let shared = Arc::new(Shared {
            token,
            limits,
            guard: Guard::new(limits.crowd),
            counts: Counts::default(),
            taken: AtomicBool::new(false),
            clock,
        });
        runtime.spawn(Arc::clone(&shared).accept(endpoint.clone(), claim));
        Ok(Self {
            endpoint,
            address,
            pin: identity.pin(),
            shared,
            claimed: Mutex::new(claimed),
            runtime,
        })
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The fingerprint by which senders know it.
    pub fn pin(&self) -> Pin {
        self.pin
    }

    /// What senders must know.
    pub fn token(&self) -> &str {
        self.shared.token.text()
    }

    /// What has happened so far.
    pub fn tally(&self) -> Tally {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.shared.counts;
        Tally {
            connections: count(&counts.connections),
            validated: count(&counts.validated),
            turned_away: count(&counts.turned_away),
            wrong_token: count(&counts.wrong_token),
            slow: count(&counts.slow),
            busy: count(&counts.busy),
        }
    }

    /// Runs a receiving session with the first sender that knows the token and says hello, until it is over; `each` is called
    /// a few times a second, and ends it by returning false. Returns what its connection did; `None` if no sender came
    /// before `each` ended it.
    ///
    /// # Errors
    /// If the endpoint fails.
    pub fn receive(
        &self,
        session: &mut Receiving,
        mut each: impl FnMut(&Receiving, Instant) -> bool,
    ) -> Result<Option<Transport>, Error> {
        let clock = self.shared.clock;
        let claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let Claimed {
                connection,
                packets,
            } = match claimed.recv_timeout(LOOK) {
                Ok(claimed) => claimed,
                Err(RecvTimeoutError::Timeout) if each(session, clock.now()) => continue,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Local("the socket is closed".to_owned()));
                }
            };
            let mut outgoing = Outgoing::new(connection.clone());
            let begin = clock.now() + patience(&self.shared.limits);
            let mut goes_on = true;
            // A connection that breaks ends the stream as the sender's silence does.
            let _ = drive::receive(
                &packets,
                clock,
                session,
                &mut |_, bytes| outgoing.send(bytes),
                |session, now| {
                    goes_on = each(session, now);
                    goes_on && (session.has_begun() || now < begin)
                },
            );
            let report = outgoing.transport();
            if session.has_begun() || !goes_on {
                connection.close(Closed::Done.code(), b"");
                self.endpoint.set_server_config(None);
                self.runtime.block_on(async {
                    let _ = timeout(GOODBYE, self.endpoint.wait_idle()).await;
                });
                return Ok(session.has_begun().then_some(report));
            }
            self.shared.counts.slow.fetch_add(1, Ordering::Relaxed);
            connection.close(Closed::Slow.code(), b"");
            self.shared.taken.store(false, Ordering::Release);
        }
    }
}

fn patience(limits: &Limits) -> Duration {
    Duration::from_nanos(u64::try_from(limits.request.as_nanos()).unwrap_or(u64::MAX))
}

impl Shared {
    async fn accept(self: Arc<Self>, endpoint: Endpoint, claim: SyncSender<Claimed>) {
        while let Some(incoming) = endpoint.accept().await {
            let validated = incoming.remote_address_validated();
            match self.guard.admit(incoming.remote_address().ip(), validated) {
                Admission::Validate => {
                    add(&self.counts.validated);
                    // It may, since its address is not validated.
                    let _ = incoming.retry();
                }
                Admission::Refuse => {
                    add(&self.counts.turned_away);
                    incoming.refuse();
                }
                Admission::Accept(place) => {
                    add(&self.counts.connections);
                    let (shared, claim) = (Arc::clone(&self), claim.clone());
                    tokio::spawn(async move {
                        shared.introduce(incoming, claim).await;
                        drop(place);
                    });
                }
            }
        }
    }

    /// One connection, from its first packet to its end.
    async fn introduce(&self, incoming: Incoming, claim: SyncSender<Claimed>) {
        let connection = match timeout(self.limits.request, incoming).await {
            Ok(Ok(connection)) => connection,
            Ok(Err(_)) => return,
            Err(_) => return add(&self.counts.slow),
        };
        let said = timeout(self.limits.request, async {
            let mut stream = connection.accept_uni().await.ok()?;
            stream.read_to_end(STREAM as usize).await.ok()
        });
        let Ok(said) = said.await else {
            add(&self.counts.slow);
            return connection.close(Closed::Slow.code(), b"");
        };
        if !said.is_some_and(|said| self.token.is(said)) {
            add(&self.counts.wrong_token);
            return connection.close(Closed::Token.code(), b"");
        }
        if self.taken.swap(true, Ordering::AcqRel) {
            add(&self.counts.busy);
            return connection.close(Closed::Busy.code(), b"");
        }
        let (to, packets) = sync_channel(ROOM);
        let claimed = Claimed {
            connection: connection.clone(),
            packets,
        };
        // There is room for the one that has taken it.
        if claim.try_send(claimed).is_ok() {
            forward(connection, self.clock, to).await;
        }
    }
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
