//! Whether a program on a host waits for connections or datagrams.

use std::fs;

use crate::error::Error;
use crate::namespace::Namespace;

/// Returns whether a TCP socket of the host listens at this port, or a UDP socket is bound to it.
///
/// # Errors
/// As [`Namespace::run`], and if the kernel does not list its sockets.
pub fn listens(host: &Namespace, port: u16) -> Result<bool, Error> {
    host.run(|| {
        for (table, state) in TABLES {
            let path = format!("/proc/thread-self/net/{table}");
            match fs::read_to_string(path) {
                Ok(text) if holds(&text, state, port) => return Ok(true),
                // Without IPv6, there is no table of it.
                Err(reason) if reason.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::system("list the sockets of a host", reason));
                }
                _ => {}
            }
        }
        Ok(false)
    })
}

/// The kernel's tables of sockets, and the state that counts: LISTEN, or for UDP, unconnected.
const TABLES: [(&str, &str); 4] = [("tcp", "0A"), ("tcp6", "0A"), ("udp", "07"), ("udp6", "07")];

/// Returns whether a table has a socket in this state at this local port: a line has its number, its local and
/// its remote address, and its state, in hexadecimal.
fn holds(table: &str, state: &str, port: u16) -> bool {
    table.lines().skip(1).any(|line| {
        let mut fields = line.split_whitespace().skip(1);
        let local = fields.next().and_then(|local| local.rsplit_once(':'));
        let found = local.and_then(|(_, port)| u16::from_str_radix(port, 16).ok());
        found == Some(port) && fields.nth(1) == Some(state)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Port 5201 is 1451 in hexadecimal; a connection from there does not listen.
    #[test]
    fn a_listening_socket_is_found_by_its_port_and_its_state() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue\n\
                     \u{20}  0: 00000000:1451 00000000:0000 0A 00000000:00000000\n\
                     \u{20}  1: 0100007F:1452 0100007F:8D2A 01 00000000:00000000\n";
        assert!(holds(table, "0A", 5201));
        assert!(!holds(table, "0A", 5202));
        assert!(!holds(table, "0A", 0));
        assert!(!holds("", "0A", 5201));
    }
}
