//! A stream over QUIC datagrams.

use std::net::SocketAddr;

use dumbbell_pinned::{Identity, Pin, Token};
use dumbbell_scenario::Instant;
use dumbbell_stream::quic::{Error, Limits, Listener, Peer, Tally, Transport, send as send_to};
use dumbbell_stream::receiving::Receiving;
use dumbbell_stream::sending::Sending;
use dumbbell_stream::socket::Clock;
use serde_json::{Value, json};

use super::{Draws, ReceiveArgs, SendArgs};
use crate::exit::Exit;
use crate::greeting::Greeting;
use crate::secret;

/// Sends to the receiver with this fingerprint; returns what the connection did.
pub(super) fn send(
    args: &SendArgs,
    address: SocketAddr,
    clock: Clock,
    session: &mut Sending<Draws>,
    each: impl FnMut(&Sending<Draws>, Instant) -> bool,
) -> Result<Value, Exit> {
    let pin = args.pin.as_deref().ok_or_else(|| {
        let help = "the receiver prints it; give it with --pin";
        Exit::BadInput(format!("the fingerprint is missing\n  = help: {help}"))
    })?;
    let pin: Pin = pin
        .parse()
        .map_err(|why| Exit::BadInput(format!("--pin: {why}")))?;
    let token = secret::required(args.common.token.as_deref())?;
    let peer = Peer {
        address,
        pin,
        token: token.text().to_owned(),
    };
    let transport = send_to(&peer, clock, session, each)?;
    Ok(told(&transport))
}

/// Plays the stream of the first sender that knows the token; returns what its connection did, if there was one.
pub(super) fn receive(
    args: &ReceiveArgs,
    clock: Clock,
    session: &mut Receiving,
    each: impl FnMut(&Receiving, Instant) -> bool,
) -> Result<Option<Value>, Exit> {
    let token = match secret::token(args.common.token.as_deref())? {
        Some(token) => token,
        None => Token::random()?,
    };
    let identity = Identity::generate()?;
    let listener = Listener::bind(args.listen, &identity, token, Limits::default(), clock)?;
    greet(args, &listener)?;
    let transport = listener.receive(session, each)?;
    let refused = refused(&listener.tally());
    Ok(transport.map(|transport| {
        let mut value = told(&transport);
        value["refused"] = refused;
        value
    }))
}

/// Prints what senders need.
fn greet(args: &ReceiveArgs, listener: &Listener) -> Result<(), Exit> {
    let greeting = Greeting {
        address: listener.address(),
        pin: listener.pin(),
        token: listener.token(),
    };
    greeting.print(args.common.json, "sender", |place, options| {
        let file = args.file.display();
        vec![format!(
            "dumbbell stream send {file} {place} --over quic {options}"
        )]
    })
}

fn told(transport: &Transport) -> Value {
    json!({
        "over": "quic",
        "sent_packets": transport.sent_packets,
        "lost_packets": transport.lost_packets,
        "sent_bytes": transport.sent_bytes,
        "datagrams": transport.datagrams,
        "withheld": transport.withheld,
        "most_waiting_bytes": transport.most_waiting,
        "rtt_s": transport.rtt,
    })
}

fn refused(tally: &Tally) -> Value {
    json!({
        "wrong_token": tally.wrong_token,
        "slow": tally.slow,
        "busy": tally.busy,
        "turned_away": tally.turned_away,
    })
}

impl From<Error> for Exit {
    fn from(error: Error) -> Self {
        match error {
            Error::Input(what) => Self::BadInput(what),
            other => Self::Failed(other.to_string()),
        }
    }
}
