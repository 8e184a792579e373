//! The sender: it connects to the receiver that it knows, and says the token.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use dumbbell_control::units::Instant;
use dumbbell_media::source::Uniform;
use dumbbell_pinned::{Pin, SERVER_NAME};
use quinn::{Connection, Endpoint};
use tokio::time::{sleep, timeout};

use super::datagrams::{Outgoing, Transport, forward};
use super::error::{Closed, Error};
use super::{ALPN, GOODBYE, PING, SILENCE, runtime, transport};
use crate::drive::{self, Clock, ROOM};
use crate::sending::Sending;

/// A receiver, as a sender knows it.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The fingerprint of its certificate.
    pub pin: Pin,
    /// Its token.
    pub token: String,
}

/// Runs a sending session with this receiver until it is over; `each` is called a few times a second, and ends it by
/// returning false. Returns what the connection did.
///
/// # Errors
/// If there is no connection to this receiver, or if it breaks; and if the session's packets are too large for one.
pub fn send<R: Uniform>(
    peer: &Peer,
    clock: Clock,
    session: &mut Sending<R>,
    each: impl FnMut(&Sending<R>, Instant) -> bool,
) -> Result<Transport, Error> {
    let runtime = runtime()?;
    let (endpoint, connection) = runtime.block_on(connect(peer))?;
    let most = connection.max_datagram_size().unwrap_or(0);
    if session.largest_packet() > most {
        let room = most.saturating_sub(session.largest_packet() - usize::from(session.segment()));
        return Err(Error::Input(format!(
            "`segment` is {} B, and over QUIC it has at most {room} B",
            session.segment()
        )));
    }
    let (to, packets) = sync_channel(ROOM);
    runtime.spawn(forward(connection.clone(), clock, to));
    let mut outgoing = Outgoing::new(connection.clone());
    let done = drive::send(
        &packets,
        clock,
        session,
        &mut |bytes| outgoing.send(bytes),
        each,
    );
    let report = outgoing.transport();
    runtime.block_on(async {
        let empty = async {
            while !outgoing.is_empty() {
                sleep(Duration::from_millis(1)).await;
            }
        };
        let _ = timeout(GOODBYE, empty).await;
        let broken = connection.close_reason();
        connection.close(Closed::Done.code(), b"");
        let _ = timeout(GOODBYE, endpoint.wait_idle()).await;
        match (done, broken) {
            (Err(_), Some(why)) => Err(why.into()),
            (Err(_), None) => Err(Error::Lost("the connection is lost".to_owned())),
            (Ok(()), _) => Ok(report),
        }
    })
}

async fn connect(peer: &Peer) -> Result<(Endpoint, Connection), Error> {
    let mut config = quinn::ClientConfig::new(dumbbell_pinned::client(peer.pin, ALPN)?);
    let mut transport = transport();
    transport.keep_alive_interval(Some(PING));
    config.transport_config(Arc::new(transport));
    let any = match peer.address {
        SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
        SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
    };
    let cannot = |error| Error::Local(format!("cannot open a socket: {error}"));
    let endpoint = Endpoint::client(any).map_err(cannot)?;
    let introduced = timeout(SILENCE, async {
        let connection = endpoint
            .connect_with(config, peer.address, SERVER_NAME)?
            .await?;
        let mut stream = connection.open_uni().await?;
        stream
            .write_all(peer.token.as_bytes())
            .await
            .map_err(lost)?;
        stream.finish().map_err(lost)?;
        Ok::<_, Error>(connection)
    });
    match introduced.await {
        Ok(connection) => Ok((endpoint, connection?)),
        Err(_) => Err(Error::Lost(format!(
            "nobody answers at {} (UDP): is `dumbbell stream receive --over quic` running there?",
            peer.address
        ))),
    }
}

fn lost(error: impl std::fmt::Display) -> Error {
    Error::Lost(format!("the connection is lost: {error}"))
}
