//! QUIC without authorities. A server makes its own certificate ([`Identity`]), and a client knows its fingerprint
//! ([`Pin`]); the server serves those who know its [`Token`]; and a [`Guard`] decides which connections are let in before
//! either is shown.
//!
//! ```
//! use dumbbell_pinned::{Identity, Pin, Token};
//!
//! let identity = Identity::generate()?;
//! let server = identity.server(b"my-protocol/1")?;
//! let pin: Pin = identity.pin().to_string().parse()?;
//! let client = dumbbell_pinned::client(pin, b"my-protocol/1")?;
//! assert!(Token::random()?.is("a guess of mine") == false);
//! # drop((server, client));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod cause;
mod guard;
mod tls;
mod token;

use std::fmt;

pub use cause::Cause;
pub use guard::{Admission, Crowd, Guard, Place};
pub use tls::{Identity, Pin, SERVER_NAME, client};
pub use token::Token;

/// Keys, certificates or random numbers cannot be had on this machine; the text says why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}
