//! Files over QUIC, with a congestion control of choice at either end.
//!
//! A [`Server`] sends the files of a folder, and takes files into it, if it is allowed to. [`get`] and [`put`] are its
//! clients. Each end chooses the control of what it sends ([`Control`]), and the [`Report`] of a transfer tells what
//! the sender measured. Broken transfers are resumed.
//!
//! ```
//! use dumbbell_transfer::{Identity, Limits, Options, Peer, Serve, Server, Token, get};
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::bind(Serve {
//!     root: "Cargo.toml".into(),
//!     listen: "127.0.0.1:0".parse()?,
//!     control: "veno".parse()?,
//!     token: Token::random()?,
//!     identity: Identity::generate()?,
//!     allow_put: false,
//!     limits: Limits::default(),
//!     qlog: None,
//! })?;
//! let peer = Peer { address: server.address(), pin: server.pin(), token: server.token().to_owned() };
//! tokio::spawn(async move { server.run(|_| {}).await });
//!
//! let out = std::env::temp_dir().join(format!("transferred-{}", std::process::id()));
//! let options = Options::new("reno".parse()?);
//! let report = get(&peer, &"Cargo.toml".parse()?, &out, &options, &mut |_| {}).await?;
//! assert!(report.complete);
//! assert_eq!(report.sender.expect("the server's").control, "veno");
//! # std::fs::remove_file(out)?;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod client;
mod control;
mod error;
mod limits;
mod message;
mod moving;
mod name;
mod part;
mod qlog;
mod round_trips;
mod server;
mod source;
mod statistics;
mod watch;

pub use dumbbell_pinned::{Identity, Pin, Token, Unusable};

pub use client::{Options, Peer, Tell, get, put};
pub use control::{Control, OF_QUINN};
pub use error::{Closed, Error};
pub use limits::{Limits, Patience, UNKNOWN_WINDOW};
pub use message::{LONGEST_ANSWER, LONGEST_REQUEST, Malformed, Message, Prefix};
pub use name::Name;
pub use round_trips::RoundTrips;
pub use server::{Event, Serve, Server, Tally};
pub use statistics::{Progress, Report, Sample, Statistics};
