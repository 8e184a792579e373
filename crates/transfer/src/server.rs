//! The server: it sends the files of a folder, and takes files into it.

mod budget;
mod get;
mod put;
mod tally;

use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dumbbell_pinned::{Admission, Guard, Identity, Pin, Token};
use quinn::{Endpoint, EndpointConfig, Incoming, RecvStream, SendStream, TokioRuntime, VarInt};

use crate::control::Control;
use crate::error::{Closed, Error};
use crate::limits::{Limits, UNKNOWN_WINDOW};
use crate::message::{ALPN, LONGEST_REQUEST, Message};
use crate::moving::{hear, say};
use crate::name::Name;
use crate::qlog;
use crate::statistics::{End, Report};
use crate::watch::{Record, Watching};

pub use tally::Tally;

/// What a server does.
#[derive(Debug)]
pub struct Serve {
    /// The folder whose files it sends, or the one file.
    pub root: PathBuf,
    /// The address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// The control of what it sends.
    pub control: Control,
    /// What clients must know.
    pub token: Token,
    /// Its key.
    pub identity: Identity,
    /// Whether clients may put files into the folder.
    pub allow_put: bool,
    /// What it grants.
    pub limits: Limits,
    /// A folder for a qlog file of each connection.
    pub qlog: Option<PathBuf>,
}

/// What happens at a server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A transfer is over, whole or not.
    Transfer {
        /// The client.
        peer: SocketAddr,
        /// Its statistics.
        report: Box<Report>,
    },
    /// A request was refused, or a connection ended with an error.
    Trouble {
        /// The client.
        peer: SocketAddr,
        /// Why.
        why: String,
    },
}

/// A server at its address.
pub struct Server {
    endpoint: Endpoint,
    address: SocketAddr,
    pin: Pin,
    shared: Arc<Shared>,
    guard: Guard,
}

/// What all connections use.
struct Shared {
    place: Place,
    control: Control,
    token: Token,
    allow_put: bool,
    limits: Limits,
    tls: Arc<quinn::crypto::rustls::QuicServerConfig>,
    qlog: Option<PathBuf>,
    tally: tally::Counts,
    writers: put::Writers,
    budget: budget::Budget,
}

/// What is served.
#[derive(Debug)]
enum Place {
    Folder(PathBuf),
    File(PathBuf, String),
}

type Tell = Arc<dyn Fn(Event) + Send + Sync>;

impl Server {
    /// Opens the socket.
    ///
    /// # Errors
    /// If there is no such folder or file, or if the address cannot be had.
    pub fn bind(serve: Serve) -> Result<Self, Error> {
        let place = Place::of(&serve.root)?;
        if serve.allow_put && matches!(place, Place::File(..)) {
            let root = serve.root.display();
            return Err(Error::Input(format!(
                "{root}: files can be put into a folder alone"
            )));
        }
        let cannot = |error| Error::Input(format!("cannot listen at {}: {error}", serve.listen));
        let socket = UdpSocket::bind(serve.listen).map_err(cannot)?;
        let pin = serve.identity.pin();
        let shared = Arc::new(Shared {
            place,
            control: serve.control,
            token: serve.token,
            allow_put: serve.allow_put,
            tls: serve.identity.server(ALPN)?,
            qlog: serve.qlog,
            tally: tally::Counts::default(),
            writers: put::Writers::default(),
            budget: budget::Budget::new(serve.limits.put_total),
            limits: serve.limits,
        });
        let (config, _) = shared.config(None);
        let runtime = Arc::new(TokioRuntime);
        let endpoint = EndpointConfig::default();
        let endpoint = Endpoint::new(endpoint, Some(config), socket, runtime).map_err(cannot)?;
        let address = endpoint.local_addr().map_err(cannot)?;
        let guard = Guard::new(shared.limits.crowd());
        Ok(Self {
            endpoint,
            address,
            pin,
            shared,
            guard,
        })
    }

    /// The address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The fingerprint of its certificate.
    pub fn pin(&self) -> Pin {
        self.pin
    }

    /// What its clients must know.
    pub fn token(&self) -> &str {
        self.shared.token.text()
    }

    /// What has happened so far.
    pub fn tally(&self) -> Tally {
        self.shared.tally.now()
    }

    /// Serves until [`close`](Self::close).
    pub async fn run(&self, tell: impl Fn(Event) + Send + Sync + 'static) {
        let tell: Tell = Arc::new(tell);
        while let Some(incoming) = self.endpoint.accept().await {
            let validated = incoming.remote_address_validated();
            let tally = &self.shared.tally;
            match self.guard.admit(incoming.remote_address().ip(), validated) {
                Admission::Validate => {
                    tally.validated.add(1);
                    // It may, since its address is not validated.
                    let _ = incoming.retry();
                }
                Admission::Refuse => {
                    tally.turned_away.add(1);
                    incoming.refuse();
                }
                Admission::Accept(place) => {
                    tally.connections.add(1);
                    let (shared, tell) = (Arc::clone(&self.shared), Arc::clone(&tell));
                    tokio::spawn(async move {
                        let peer = incoming.remote_address();
                        if let Err(why) = shared.serve(incoming, &tell).await {
                            let why = why.to_string();
                            tell(Event::Trouble { peer, why });
                        }
                        drop(place);
                    });
                }
            }
        }
    }

    /// Ends all connections. [`run`](Self::run) returns.
    pub async fn close(&self) {
        self.endpoint.close(Closed::Done.code(), b"the server ends");
        self.endpoint.wait_idle().await;
    }
}

impl Place {
    fn of(root: &Path) -> Result<Self, Error> {
        let cannot = |error| Error::Input(format!("{}: {error}", root.display()));
        let path = root.canonicalize().map_err(cannot)?;
        let name = path.file_name().and_then(|name| name.to_str());
        match name {
            _ if path.is_dir() => Ok(Self::Folder(path)),
            Some(name) if path.is_file() => {
                let name = name.to_owned();
                Ok(Self::File(path, name))
            }
            _ => {
                let root = root.display();
                Err(Error::Input(format!(
                    "{root}: only folders and files can be served"
                )))
            }
        }
    }

    /// The path of an existing file; `None` if there is none below the folder, also by way of links.
    fn existing(&self, name: &Name) -> Option<PathBuf> {
        match self {
            Self::File(path, only) => (only == name.as_str()).then(|| path.clone()),
            Self::Folder(folder) => {
                let path = name.below(folder).canonicalize().ok()?;
                (path.starts_with(folder) && path.is_file()).then_some(path)
            }
        }
    }

    /// The path of a file to be; `None` if its folder is not there.
    fn future(&self, name: &Name) -> Option<PathBuf> {
        let Self::Folder(folder) = self else {
            return None;
        };
        let path = name.below(folder);
        let parent = path.parent()?.canonicalize().ok()?;
        (parent.starts_with(folder) && parent.is_dir()).then(|| parent.join(name.file()))
    }
}

impl Shared {
    /// The configuration of a connection, and what its control will tell.
    fn config(
        &self,
        qlog: Option<(quinn::QlogStream, qlog::Heard)>,
    ) -> (quinn::ServerConfig, Record) {
        let limits = &self.limits;
        let record = Record::default();
        let mut tls: Arc<dyn quinn::crypto::ServerConfig> = Arc::clone(&self.tls) as _;
        let stream = qlog.map(|(stream, heard)| {
            tls = heard.server(Arc::clone(&tls));
            stream
        });
        let mut transport = quinn::TransportConfig::default();
        transport
            .congestion_controller_factory(Arc::new(Watching {
                inner: self.control.factory(),
                record: record.clone(),
            }))
            .max_concurrent_bidi_streams(VarInt::from_u32(1))
            .max_concurrent_uni_streams(VarInt::from_u32(0))
            .datagram_receive_buffer_size(None)
            .receive_window(UNKNOWN_WINDOW.into())
            .stream_receive_window(limits.receive_window.into())
            .send_window(limits.send_window)
            // A peer that is slow is ended before one that may be gone.
            .max_idle_timeout((2 * limits.patience.span).try_into().ok())
            .qlog_stream(stream);
        let mut config = quinn::ServerConfig::with_crypto(tls);
        config
            .transport_config(Arc::new(transport))
            .max_incoming(limits.connections)
            .incoming_buffer_size(1 << 14)
            .incoming_buffer_size_total(1 << 20);
        (config, record)
    }

    /// One connection, from its first packet to its end.
    async fn serve(&self, incoming: Incoming, tell: &Tell) -> Result<(), Error> {
        let peer = incoming.remote_address();
        let qlog = match &self.qlog {
            Some(folder) => {
                let heard = qlog::Heard::default();
                Some((qlog::in_folder(folder, peer, &heard)?, heard))
            }
            None => None,
        };
        let (config, record) = self.config(qlog);
        let connecting = incoming.accept_with(Arc::new(config))?;
        let Ok(connection) = tokio::time::timeout(self.limits.request, connecting).await else {
            self.tally.slow.add(1);
            return Err(Error::Lost("the handshake took too long".to_owned()));
        };
        let connection = connection?;
        let end = End {
            connection: connection.clone(),
            record,
            control: self.control.name().to_owned(),
            began: Instant::now(),
        };
        loop {
            let request = tokio::time::timeout(self.limits.request, async {
                let (answer, mut request) = connection.accept_bi().await?;
                let message = hear(&mut request, LONGEST_REQUEST).await?;
                Ok::<_, Error>((answer, request, message))
            });
            let (mut answer, request, message) = match request.await {
                Ok(Ok(request)) => request,
                // The usual end.
                Ok(Err(_)) if connection.close_reason().is_some() => return Ok(()),
                Ok(Err(error)) => {
                    self.tally.malformed.add(1);
                    connection.close(Closed::Protocol.code(), b"");
                    return Err(error);
                }
                Err(_) => {
                    self.tally.slow.add(1);
                    connection.close(Closed::Slow.code(), b"");
                    return Err(Error::Lost("no request came".to_owned()));
                }
            };
            let done = self.answer(&end, &mut answer, request, message, tell).await;
            match done {
                Ok(()) => {
                    // What is not acknowledged yet is still sent.
                    let _ = answer.finish();
                    let acked = || end.record.told().acked_bytes;
                    let all = self.limits.patience.wait(answer.stopped(), acked).await;
                    if all.is_err() {
                        self.tally.slow.add(1);
                        connection.close(Closed::Slow.code(), b"");
                        return Err(Error::Lost("the client took too long".to_owned()));
                    }
                }
                Err((Closed::Changed, why)) => {
                    // A reset that is lost is sent again, unlike the end of a connection.
                    let _ = answer.reset(Closed::Changed.code());
                    let span = self.limits.patience.span;
                    let _ = tokio::time::timeout(span, connection.closed()).await;
                    return Err(why);
                }
                Err((closed, why)) => {
                    match closed {
                        Closed::Token => self.tally.wrong_token.add(1),
                        Closed::Slow => self.tally.slow.add(1),
                        Closed::Protocol => self.tally.malformed.add(1),
                        _ => {}
                    }
                    connection.close(closed.code(), b"");
                    return Err(why);
                }
            }
        }
    }

    async fn answer(
        &self,
        end: &End,
        answer: &mut SendStream,
        mut request: RecvStream,
        message: Message,
        tell: &Tell,
    ) -> Result<(), (Closed, Error)> {
        let (token, name) = match &message {
            Message::Get { token, name, .. } | Message::Put { token, name, .. } => (token, name),
            _ => {
                return Err((
                    Closed::Protocol,
                    Error::protocol("it began with no request"),
                ));
            }
        };
        if !self.token.is(token) {
            return Err((Closed::Token, Error::Refused("wrong token".to_owned())));
        }
        let peer = end.connection.remote_address();
        let name: Name = match name.parse() {
            Ok(name) => name,
            Err(why) => {
                let refused = Refusal::new(why);
                return self.refuse(answer, refused, peer, tell).await;
            }
        };
        let done = match message {
            Message::Get {
                have, sample_ms, ..
            } => {
                let every = sample_ms.map(|ms| Duration::from_millis(ms.into()));
                self.get(end, answer, &mut request, &name, have, every)
                    .await
            }
            Message::Put { size, .. } => {
                Box::pin(self.put(end, answer, &mut request, &name, size)).await
            }
            _ => return Ok(()),
        };
        match done {
            Ok(report) => {
                self.tally.note(&report);
                let report = Box::new(report);
                tell(Event::Transfer { peer, report });
                Ok(())
            }
            Err(Failure::Refused(refused)) => self.refuse(answer, refused, peer, tell).await,
            Err(Failure::Closed(closed, why)) => Err((closed, why)),
        }
    }

    /// Tells the client no. The connection remains.
    async fn refuse(
        &self,
        answer: &mut SendStream,
        refused: Refusal,
        peer: SocketAddr,
        tell: &Tell,
    ) -> Result<(), (Closed, Error)> {
        self.tally.refused.add(1);
        let why = refused.here.unwrap_or_else(|| refused.there.clone());
        tell(Event::Trouble { peer, why });
        let said = say(answer, &Message::Refused(refused.there)).await;
        said.map_err(|error| (Closed::Done, error))
    }
}

/// Why a request is not carried out: what the client is told, and what the server's own log says, if it is more.
struct Refusal {
    there: String,
    here: Option<String>,
}

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Self {
            there: why.into(),
            here: None,
        }
    }

    /// Of an error with this machine's paths in it, which are not the client's business.
    fn hiding(there: &str, error: &Error) -> Self {
        Self {
            there: there.to_owned(),
            here: Some(error.to_string()),
        }
    }
}

/// A transfer that did not go on.
enum Failure {
    Refused(Refusal),
    Closed(Closed, Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Closed(Closed::Protocol, error)
    }
}
