//! What an encrypted endpoint prints when it listens.

use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};

use dumbbell_pinned::Pin;
use serde_json::json;

use crate::exit::Exit;

/// What the other end must know.
pub struct Greeting<'a> {
    pub address: SocketAddr,
    pub pin: Pin,
    pub token: &'a str,
}

impl Greeting<'_> {
    /// Prints it as one JSON object, or for people, with commands for the `others`. `commands` makes them from HOST:PORT,
    /// and from the options with the fingerprint and the token.
    pub fn print(
        &self,
        json: bool,
        others: &str,
        commands: impl FnOnce(&str, &str) -> Vec<String>,
    ) -> Result<(), Exit> {
        let Self {
            address,
            pin,
            token,
        } = self;
        let mut out = io::stdout().lock();
        if json {
            let hello = json!({
                "address": address.to_string(),
                "pin": pin.to_string(),
                "token": token,
            });
            writeln!(out, "{hello}")?;
            return Ok(out.flush()?);
        }
        writeln!(out, "listening at {address} (UDP)")?;
        writeln!(out, "fingerprint  {pin}")?;
        writeln!(out, "token        {token}")?;
        writeln!(out, "{others}:")?;
        // What it listens at need not be an address that others can use.
        let host = match address.ip() {
            ip if ip.is_unspecified() => "THIS-HOST".to_owned(),
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        };
        let place = format!("{host}:{}", address.port());
        let options = format!("--pin {pin} --token {token}");
        for command in commands(&place, &options) {
            writeln!(out, "  {command}")?;
        }
        Ok(out.flush()?)
    }
}
