//! What a server grants to its peers, and how long either end waits.

use std::time::Duration;

use dumbbell_pinned::Crowd;

/// A server's limits. Its memory is bounded by `connections` times the two windows, and what one connection needs
/// beside them.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time, with those whose handshake goes on.
    pub connections: usize,
    /// Connections at a time from one address.
    pub per_address: usize,
    /// From so many connections on, a peer must show first that its address is its own (RFC 9000, section 8.1.2).
    pub validate_from: usize,
    /// The handshake, and then the request, take at most this long.
    pub request: Duration,
    /// How long the other end may be slow or silent.
    pub patience: Patience,
    /// The largest file that a client may put, in bytes.
    pub put_size: u64,
    /// What clients may put altogether while the server runs, in bytes. Each file counts 4096 more than it has.
    pub put_total: u64,
    /// The largest amount of a file that is on its way to the server, and buffered there, in bytes. Before a peer has
    /// shown its token, it is [`UNKNOWN_WINDOW`].
    pub receive_window: u32,
    /// The largest amount of a file that is on its way from the server, and buffered there, in bytes.
    pub send_window: u64,
}

/// The bytes that a peer can make the server buffer before it has shown its token.
pub const UNKNOWN_WINDOW: u32 = 4096;

impl Limits {
    pub(crate) fn crowd(&self) -> Crowd {
        Crowd {
            connections: self.connections,
            per_address: self.per_address,
            validate_from: self.validate_from,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 64,
            per_address: 16,
            validate_from: 8,
            request: Duration::from_secs(5),
            patience: Patience::default(),
            put_size: 1 << 40,
            put_total: 1 << 42,
            receive_window: 4 << 20,
            send_window: 4 << 20,
        }
    }
}

/// How long an end waits for the other while too little moves.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A span of time.
    pub span: Duration,
    /// The bytes that must move in each span.
    pub least: u64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            span: Duration::from_secs(30),
            least: 1024,
        }
    }
}

/// Nothing moved, or too little.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slow;

impl Patience {
    /// Waits for `work` as long as `moved`, a growing number of bytes, goes on.
    pub(crate) async fn wait<T>(
        self,
        work: impl Future<Output = T>,
        moved: impl Fn() -> u64,
    ) -> Result<T, Slow> {
        tokio::pin!(work);
        loop {
            let before = moved();
            match tokio::time::timeout(self.span, &mut work).await {
                Ok(done) => return Ok(done),
                Err(_) if moved() - before >= self.least => {}
                Err(_) => return Err(Slow),
            }
        }
    }
}
