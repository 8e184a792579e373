//! A file at a server: `HOST:PORT/NAME`.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::str::FromStr;

use dumbbell_transfer::Name;

use crate::exit::Exit;

/// A server, and a file there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    server: String,
    name: Option<Name>,
}

impl Place {
    /// The name; `None` if the place ends with the slash.
    pub fn name(&self) -> Option<&Name> {
        self.name.as_ref()
    }

    /// Asks the name service for the server's address.
    pub fn resolve(&self) -> Result<SocketAddr, Exit> {
        let server = &self.server;
        let found = server.to_socket_addrs();
        let found =
            found.map_err(|error| Exit::BadInput(format!("the server {server}: {error}")))?;
        let mut found: Vec<_> = found.collect();
        // Where a host has both, servers listen at IPv4 by default.
        found.sort_by_key(SocketAddr::is_ipv6);
        let first = found.first().copied();
        first.ok_or_else(|| Exit::BadInput(format!("the server {server} has no address")))
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "a file at a server has the form HOST:PORT/NAME, such as 192.0.2.1:4433/my.toml";
        let (server, name) = text.split_once('/').ok_or(form)?;
        let (host, port) = server.rsplit_once(':').ok_or(form)?;
        if host.is_empty() || port.parse::<u16>().is_err() {
            return Err(form.to_owned());
        }
        let name = match name {
            "" => None,
            name => Some(name.parse()?),
        };
        Ok(Self {
            server: server.to_owned(),
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_server_and_a_name() {
        for (text, server, name) in [
            ("host:1/a", "host:1", Some("a")),
            ("[::1]:4433/a/b", "[::1]:4433", Some("a/b")),
            ("10.0.0.1:4433/", "10.0.0.1:4433", None),
        ] {
            let place: Place = text.parse().expect(text);
            assert_eq!(place.server, server);
            assert_eq!(place.name().map(Name::as_str), name);
        }
        for text in [
            "",
            "host",
            "host/a",
            "host:1",
            ":1/a",
            "host:x/a",
            "host:1/../a",
            "host:1//a",
        ] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }
}
